"""Where networks compute: what a GPU changes, tried with torch on the processor, as no GPU is here."""

import os
from types import SimpleNamespace

import numpy as np
import pytest

from wslib.network import settings
from wslib.play import NetworkPlayer, match
from wslib.search import GuidedSettings
from wslib.study.engine import units as study
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.units import needs_gpu
from wslib.study.pages.base import WithNetworks
from wslib.study.pages.catalogue import EXPERIMENTS
from wslib.training.settings import RunSettings, preset
from wslib.workers import in_processes

LEARNING = {name: kind for name, kind in EXPERIMENTS.items() if issubclass(kind, WithNetworks)}


@pytest.fixture
def with_a_gpu(monkeypatch):
    monkeypatch.setattr(settings, "finds_gpu", lambda: True)


def runs_of(units):
    ones = (one for unit in units for one in (unit, getattr(unit, "a", None), getattr(unit, "b", None)))
    return [one.run for one in ones if hasattr(one, "run")]


def test_the_preset_paper_takes_a_gpu_where_there_is_one(with_a_gpu):
    run = preset("paper", game="connect4")
    assert (run.device, run.trainer, run.runtime) == ("cuda", "torch", "torch")


def test_without_a_gpu_paper_is_what_it_was(monkeypatch):
    monkeypatch.setattr(settings, "finds_gpu", lambda: False)
    run = preset("paper", game="connect4")
    assert (run.device, run.trainer, run.runtime) == ("cpu", "compiled", "compiled")
    assert run.id == RunSettings(game="connect4", channels=256, hidden=(1024, 512), symmetries="all").id


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


def visible(_: int) -> str:
    return os.environ["CUDA_VISIBLE_DEVICES"]


@pytest.mark.parametrize(("given", "seen"), [(None, {"0", "1"}), ("3,5", {"3", "5"})])
def test_local_workers_share_the_gpus_out(given, seen, monkeypatch):
    if given is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", given)
    found = dict(in_processes(visible, [(k,) for k in range(8)], workers=2, gpus=2))
    assert set(found.values()) <= seen and len(found) == 8


def test_provenance_names_the_card(monkeypatch, tmp_path, with_a_gpu):
    monkeypatch.setattr(study, "graphics_card", lambda: {"gpu": "a card", "cuda": "13.0"})
    monkeypatch.setattr(study, "needs_gpu", lambda unit: True)
    unit = RunUnit(run=preset("smoke", game="tictactoe", shape="dense", hidden=()), iterations=1)
    study.compute_unit(unit, tmp_path)
    assert study.LocalStore(tmp_path).provenance("run", unit.id)["gpu"] == "a card"
