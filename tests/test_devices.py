"""Where networks compute: what a GPU changes, tried with torch on the processor, as no GPU is here."""

import fcntl
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
import worker_tasks

from wslib.network import settings
from wslib.play import NetworkPlayer, match
from wslib.search import GuidedSettings
from wslib.study.engine import jobs, provenance
from wslib.study.engine import units as study
from wslib.study.engine.cli import main
from wslib.study.engine.progress import announcement
from wslib.study.engine.provenance import needs_gpu
from wslib.study.engine.published import shelf
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.times import ASSUMED, BESIDE, CALL, CALLS, PLIES, STEP, assumed, duration, on_a_card, work_of
from wslib.study.pages.base import WithNetworks
from wslib.study.pages.catalogue import EXPERIMENTS
from wslib.study.presets import preset
from wslib.training.settings import RunSettings
from wslib.workers import in_processes

ROOT = Path(__file__).resolve().parent.parent
LEARNING = {name: kind for name, kind in EXPERIMENTS.items() if issubclass(kind, WithNetworks)}


@pytest.fixture
def with_a_gpu(monkeypatch):
    monkeypatch.setattr(settings, "finds_gpu", lambda: True)


def runs_of(units):
    ones = (one for unit in units for one in (unit, getattr(unit, "a", None), getattr(unit, "b", None)))
    return [one.run for one in ones if hasattr(one, "run")]


@pytest.mark.parametrize("gpu", [True, False])
def test_the_preset_paper_takes_a_gpu_where_there_is_one(gpu, monkeypatch):
    monkeypatch.setattr(settings, "finds_gpu", lambda: gpu)
    run = preset("paper", game="connect4")
    places = ("cuda", "torch", "torch") if gpu else ("cpu", "compiled", "compiled")
    assert (run.device, run.trainer, run.runtime) == places
    plain = RunSettings(game="connect4", channels=256, hidden=(1024, 512), symmetries="all")
    assert (run.id == plain.id) != gpu


def test_who_asks_for_a_gpu_plays_there_too_unless_told_otherwise():
    assert RunSettings(game="connect4", device="cuda").runtime == "torch"
    assert RunSettings(game="connect4", device="cuda", runtime="compiled").runtime == "compiled"


@pytest.mark.parametrize("name", LEARNING)
def test_every_experiment_with_networks_takes_the_device_and_moves_no_id_by_default(name):
    kind = LEARNING[name]
    small = {"preset": "smoke"}
    usual = kind(**small).units()
    assert [unit.id for unit in kind(**small, device="cpu", precision="float32").units()] == [unit.id for unit in usual]
    by_torch = kind(**small, runtime="torch").units()
    assert len(by_torch) == len(usual)
    assert all(run.runtime == run.trainer == "torch" for run in runs_of(by_torch))
    # Players without a network are who they were.
    moved = [a.id != b.id for a, b in zip(by_torch, usual, strict=True)]
    assert all(moved) or name in ("published_tournaments", "warmstart", "beyond")
    assert all(needs_gpu(unit) for unit in kind(**small, device="cuda").units() if hasattr(unit, "run"))


def test_a_unit_that_plays_with_a_network_of_a_gpu_needs_one(with_a_gpu):
    on_card = preset("smoke", game="connect4", device="cuda")
    assert needs_gpu(RunUnit(run=on_card, iterations=1))
    assert needs_gpu(SimpleNamespace(a=SimpleNamespace(run=on_card), b=None))
    assert not needs_gpu(RunUnit(run=preset("smoke", game="connect4"), iterations=1))


def test_whoever_plays_on_a_gpu_plays_all_games_at_once():
    sizes = []

    class Watched:
        at_once = True

        def evaluate(self, planes):
            sizes.append(len(planes))
            return np.full((len(planes), 9), 1 / 9, np.float32), np.zeros(len(planes), np.float32)

    match("tictactoe", NetworkPlayer(Watched(), GuidedSettings(simulations=2, cache=False)), "random", games=120)
    assert max(sizes) == 120, "a block of others has fifty games"


@pytest.mark.parametrize(("given", "cards"), [("", ["0", "1"]), ("3,5", ["3", "5"])])
def test_whoever_computes_on_a_gpu_takes_the_one_that_fewest_others_have(given, cards, tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", given)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (folder := tmp_path / f"wslib-cards-{os.getuid()}").mkdir(mode=0o700)
    with (folder / f"{cards[0]}-0").open("w") as another:  # somebody else's process is at work on the first one
        fcntl.flock(another, fcntl.LOCK_EX)
        tasks = [(k, 2, tmp_path / "together", 5) for k in range(5)]
        found = dict(in_processes(worker_tasks.card_beside_others, tasks, workers=5))
    assert sorted(found.values()) == [0, 0, 1, 1, 1]
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{c}-{k}" for c in cards for k in range(3))


def test_dasks_workers_share_the_gpus_out_with_all_others(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        found = client.run(worker_tasks.card_beside_others, 0, 2, tmp_path / "together", 1)
    assert sorted(found.values()) == [0, 1]


def test_a_worker_that_has_ended_leaves_its_gpu_to_others(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for _ in range(2):
        tasks = [(k, 2, tmp_path / "together", 2) for k in range(2)]
        assert {*dict(in_processes(worker_tasks.card_beside_others, tasks, workers=2)).values()} == {0, 1}


def test_there_is_a_worker_for_each_gpu_unless_more_are_asked_for(tmp_path, monkeypatch, with_a_gpu):
    asked = []
    monkeypatch.setattr(provenance, "gpus_here", lambda: 2)
    monkeypatch.setattr(jobs, "as_ready", lambda f, more, workers, failed: asked.append(workers) or iter(()))
    runs = [RunUnit(run=preset("smoke", game="connect4", device="cuda", seed=seed), iterations=1) for seed in range(6)]
    for workers in (0, 6):
        jobs.compute_units(runs, tmp_path, workers, None, progress=False)
    assert asked == [2, 6]


def test_the_whole_study_too_goes_to_the_cards(tmp_path, monkeypatch, with_a_gpu, capsys):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path))
    monkeypatch.setattr(provenance, "gpus_here", lambda: 3)
    line = ["study", "--plan", "--only", "iprime", "--set", "preset=paper", "--set", "runs=1"]
    assert main(line) == 0
    assert "with 3 workers" in capsys.readouterr().out
    assert main([*line, "--workers", "6"]) == 0
    assert "with 6 workers" in capsys.readouterr().out
    assert main([*line, "--publish"]) == 2
    assert "'wslib publish NAME --set' does" in capsys.readouterr().err
    assert main(["study", "--plan", "--set", "cards=2"]) == 2
    assert "none of these experiments has a parameter 'cards'" in capsys.readouterr().err


def test_before_work_begins_it_says_how_long_cards_are_expected_to_take(with_a_gpu):
    unit = RunUnit(run=preset("paper", game="connect4"), iterations=100)
    said = announcement([unit], (assumed(work_of(unit)), ASSUMED), 2)
    assert said.startswith("computing 1 training run: about 83 min on 2 workers at graphics cards (assumed);")


def test_what_the_readme_expects_of_a_card_is_computed_from_what_was_counted(with_a_gpu):
    counted = pd.read_csv(ROOT / "data" / "bench" / "batches.csv")
    played = counted[counted["stage"].isin(["self-play of 50 games", "arena of 40 games"])].head(2)
    simulations = preset("paper", game="connect4").simulations
    assert round(played["calls"].sum() / simulations) == CALLS
    assert round((played["seconds"] - played["seconds_in_calls"]).sum() / simulations, 1) == BESIDE
    found = {}
    for name in ("connect4", "othello", "gobang"):
        unit = RunUnit(run=preset("paper", game=name), iterations=100)
        found[name] = duration(assumed(work_of(unit)))
        parts = on_a_card(work_of(unit).asked["run"], 100)
        if name == "othello":
            share = parts[2] / sum(parts)
    text = " ".join((ROOT / "README.md").read_text().split())
    sentence = (
        f"about {found['connect4']} for a run of a hundred iterations in Connect Four, {found['gobang']} in Gobang and "
        f"{found['othello']} in Othello, {100 * share:.0f} % of it for training"
    )
    assert sentence in text
    assert f"{1000 * CALL:.0f} ms a call" in text and f"{1000 * STEP:.0f} ms a training step" in text


def test_games_are_about_as_long_as_a_time_on_a_card_assumes():
    published = shelf("warmstart")
    games = {unit: asked["run"]["game"].partition("-")[0] for _, unit, asked in published.asked("run")}
    rows = published.rows_of("iterations", {*games})
    for name, plies in rows["plies_mean"].groupby(rows["unit"].map(games)).mean().items():
        assert plies == pytest.approx(PLIES[name], rel=0.2)


def test_torch_computes_on_the_card_of_its_process_and_provenance_names_that_one(monkeypatch):
    chosen = []
    monkeypatch.setattr(provenance, "own_card", lambda: 1)
    monkeypatch.setattr(provenance, "gpus_here", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: f"card {chosen[-1]}")
    assert provenance.graphics_card()["gpu"] == "card 1"


def test_provenance_names_the_card(monkeypatch, tmp_path, with_a_gpu):
    monkeypatch.setattr(study, "graphics_card", lambda: {"gpu": "a card", "cuda": "13.0"})
    monkeypatch.setattr(study, "needs_gpu", lambda unit: True)
    unit = RunUnit(run=preset("smoke", game="tictactoe", shape="dense", hidden=()), iterations=1)
    study.compute_unit(unit, tmp_path)
    assert study.LocalStore(tmp_path).provenance("run", unit.id)["gpu"] == "a card"
