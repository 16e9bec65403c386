"""The command line: what it prints, its exit codes, and errors of one sentence."""

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

import pandas as pd
import psutil
import pytest
from published_tables import table_file, table_text
from study_tasks import contents, stored_units

from wslib.study.engine import runs, states
from wslib.study.engine import units as study
from wslib.study.engine.cli import main
from wslib.study.engine.provenance import machine
from wslib.study.engine.published import Published, shelf
from wslib.study.engine.store import LocalStore
from wslib.study.engine.units import Computed, MatchUnit
from wslib.study.pages.base import Orientation
from wslib.study.pages.catalogue import EXPERIMENTS

ROOT = Path(__file__).resolve().parent.parent
COMMAND = (sys.executable, "-c", "import sys; from wslib.study.engine.cli import main; sys.exit(main(sys.argv[1:]))")
SMALL = ("--set", "games=2", "--set", "rollouts=2", "--set", "boards=connect4", "--set", "players=mcts,random")


class Small(Orientation):
    """Orientation at a scale of milliseconds: three units."""

    READINGS: ClassVar[dict[str, Any]] = {}
    games: int = 2
    rollouts: int = 2
    boards: tuple[str, ...] = ("connect4",)
    players: tuple[str, ...] = ("random", "mcts", "rave")


@pytest.fixture(autouse=True)
def root(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The local store; published results lie beside it."""
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path / "store"))
    made_with(monkeypatch, "0123456789ab")
    return tmp_path / "store"


def made_with(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Results that this process computes say that they come from this code, whatever has been changed here."""
    monkeypatch.setattr(study, "machine", lambda: machine() | {"code": code})


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXPERIMENTS, "orientation", Small)


def status(capsys: pytest.CaptureFixture[str]) -> dict[str, list[int]]:
    """Units, published, computed here, missing; per experiment."""
    capsys.readouterr()
    assert main(["status"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    return {row[0]: [int(n) for n in row[1:]] for row in rows if row and row[0] in EXPERIMENTS}


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence that a command is refused with."""
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    (sentence,) = told.err.splitlines()
    assert sentence.startswith(f"wslib {arguments[0]}: ")
    return sentence


# --- status, run, publish -----------------------------------------------------------------------------------------


def test_status_counts_what_is_published_computed_here_and_missing(
    root: Path, small: None, capsys: pytest.CaptureFixture[str]
):
    assert status(capsys)["orientation"] == [3, 0, 0, 3]
    assert not root.exists(), "looking makes no folders"
    assert main(["run", "orientation", "--workers", "1"]) == 0
    assert status(capsys)["orientation"] == [3, 0, 3, 0]
    assert main(["publish", "orientation"]) == 0
    assert str(root.parent / "data" / "orientation") in capsys.readouterr().out
    assert status(capsys)["orientation"] == [3, 3, 0, 0]
    assert main(["status"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"fresh results: {root}\npublished results: {root.parent / 'data'}\n")


@pytest.mark.parametrize("hidden", ["8", ""])
def test_results_of_ones_own_parameters_are_counted_listed_and_looked_into(
    hidden: str, root: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["runs", "--own"]) == 0
    assert capsys.readouterr().out == "no run is there yet: 'wslib run one_run' trains one\n"
    settings = {"preset": "smoke", "board": "tictactoe", "shape": "dense", "hidden": hidden}
    given = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    assert main(["run", "one_run", *given]) == 0
    asked = EXPERIMENTS["one_run"](**settings)
    (unit,) = asked.units()
    assert (unit.run.shape, unit.run.hidden, unit.iterations) == ("dense", (8,) if hidden else (), 2)
    assert main(["runs", "--own"]) == 0
    (line,) = capsys.readouterr().out.splitlines()[-1:]
    assert line.split()[0] == unit.id and line.endswith("computed here")
    for name in (unit.id, unit.id[:8], unit.run.id[:10]):
        assert main(["show", name]) == 0
        told = capsys.readouterr().out
        assert told.startswith(f"run {unit.id}, computed here, in {root / 'run' / unit.id}\n")
        assert "iterations, 2 rows:" in told and f'ws.trained(run="{unit.run.id}", iteration=2)' in told
        words = shlex.split(told.partition("as a page: ")[2].splitlines()[0])
        again = {words[k + 1]: words[k + 2] for k, word in enumerate(words) if word == "-p"}
        assert EXPERIMENTS["one_run"](**again).units() == [unit], "the line asks for the same run"
    assert main(["status"]) == 0
    assert "\nof your own parameters: 1 run; 'wslib runs --own' lists the runs" in capsys.readouterr().out
    assert "there is no result 'xyz'" in refusal(["show", "xyz"], capsys)


def test_own_parameters_are_published_beside_the_usual_ones(
    root: Path, small: None, capsys: pytest.CaptureFixture[str]
):
    assert main(["run", "orientation", "--workers", "1", *SMALL]) == 0
    assert main(["publish", "orientation", "--workers", "1", *SMALL]) == 0
    asked = {unit.id for unit in Small().units()} | {stored_units(root)[0].parent.name}
    there = {unit.id for unit in Small().units() if unit.id in shelf("orientation")}
    assert len(there) == 3 and len(shelf("orientation")) == len({*asked, *shelf("orientation").units()})


def test_who_reads_only_the_beginning_ends_a_command_quietly(root: Path):
    line = ["sh", "-c", '"$0" "$@" status | head -n 1', *COMMAND]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("fresh results: ")


def test_the_help_of_an_experiment_names_its_parameters(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["run", "one_run", "--help"])
    told = capsys.readouterr().out
    assert "  board            the game learned (default: connect4)" in told
    assert "and any setting of a run: " in told and "epochs" in told


def test_run_computes_what_is_missing_and_says_what_there_was(root: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["run", "orientation", "--workers", "1", *SMALL]) == 0
    (manifest,) = stored_units(root)
    first, one, look, page = capsys.readouterr().out.splitlines()
    assert first == "1 unit computed here"
    assert one.startswith(f"match {manifest.parent.name} in {manifest.parent}: ") and "games 2" in one
    assert look == f"to look into one: wslib show {manifest.parent.name}"
    assert page.startswith("as a page: papermill notebooks/orientation.py out.ipynb -p ")
    before = manifest.stat().st_mtime_ns
    assert main(["run", "orientation", "--workers", "1", *SMALL]) == 0
    assert manifest.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("arguments", "workers"),
    [([], 0), (["--workers", "3"], 3), (["--set", "workers=2"], 2)],
)
def test_run_uses_the_workers_it_is_told_to(
    arguments: list[str], workers: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    real, asked = study.results, []
    monkeypatch.setattr(study, "results", lambda units, name, n, on: (asked.append(n), real(units, name, 1))[1])
    assert main(["run", "orientation", *arguments, *SMALL]) == 0
    assert asked == [workers]


@pytest.mark.parametrize("name", ["orientation", "readings"])
def test_publishing_again_what_is_published_changes_nothing(name: str, root: Path):
    folder = root.parent / "data" / name
    shutil.copytree(ROOT / "data" / name, folder)
    assert main(["publish", name]) == 0
    for table in ("units", "provenance"):
        assert table_text(name, table, folder.parent) == table_text(name, table), "the same text, compressed by now"
        assert not (folder / f"{table}.csv").exists()
    for unit in EXPERIMENTS[name]().units()[::20]:
        old, new = Published(name, ROOT / "data").read(unit.kind, unit.id), Published(name).read(unit.kind, unit.id)
        assert list(old.tables) == list(EXPERIMENTS[name].tables)
        assert all(table.equals(new.tables[n]) for n, table in old.tables.items())
    assert not root.exists(), "nothing had to be computed"


def test_what_uncommitted_code_computed_is_published_only_when_that_is_asked_for(
    root: Path, small: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    first, *others = Small().units()
    made_with(monkeypatch, "0123456789ab+")
    assert main(["run", "orientation", "--unit", first.id]) == 0
    made_with(monkeypatch, "0123456789ab")
    assert main(["publish", "orientation", "--workers", "1"]) == 0
    told = capsys.readouterr().err
    assert f"1 units are left out because uncommitted code computed them, {first.id} for one" in told
    assert "'wslib run orientation --unit ID --again' does so with what is committed" in told
    assert {unit.id for unit in Small().units() if Published("orientation").read("match", unit.id)} == {
        unit.id for unit in others
    }
    assert main(["publish", "orientation", "--uncommitted"]) == 0
    assert not capsys.readouterr().err
    assert main(["publish", "orientation"]) == 0
    assert Published("orientation").read("match", first.id), "what is published stays"
    assert main(["run", "orientation", "--unit", first.id, "--again"]) == 0


def test_status_says_when_where_and_with_what_results_were_made(small: None, capsys: pytest.CaptureFixture[str]):
    assert main(["run", "orientation", "--workers", "1"]) == 0
    capsys.readouterr()
    assert main(["status"]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("orientation: "))
    made = LocalStore().read("match", Small().units()[0].id).provenance
    assert re.fullmatch(r"orientation: \d+\.\d\d processor hours, .* to .*, code .*, on .*", line)
    assert made["date"][:10] in line
    assert f"code {made['code']}, on {made['processor']}" in line


# --- one unit by itself -------------------------------------------------------------------------------------------


def listed(capsys: pytest.CaptureFixture[str], *more: str) -> list[str]:
    capsys.readouterr()
    assert main(["run", "orientation", "--list", *more]) == 0
    return capsys.readouterr().out.split()


def test_missing_units_are_listed_and_computed_one_by_one(root: Path, small: None, capsys: pytest.CaptureFixture[str]):
    ids = [unit.id for unit in Small().units()]
    assert listed(capsys) == ids
    assert not root.exists(), "listing computes nothing"
    assert main(["run", "orientation", "--unit", ids[1]]) == 0
    assert listed(capsys) == [ids[0], ids[2]]
    # The number of a unit does not change while others are computed.
    assert main(["run", "orientation", "--index", "2"]) == 0
    assert listed(capsys) == [ids[0]]


def test_a_known_unit_is_computed_again_only_when_that_is_asked_for(
    root: Path, small: None, capsys: pytest.CaptureFixture[str]
):
    name = Small().units()[0].id
    assert main(["run", "orientation", "--unit", name]) == 0
    before, when = contents(root), stored_units(root)[0].stat().st_mtime_ns
    assert main(["run", "orientation", "--unit", name]) == 0
    assert stored_units(root)[0].stat().st_mtime_ns == when
    assert main(["run", "orientation", "--unit", name, "--again"]) == 0
    assert stored_units(root)[0].stat().st_mtime_ns > when
    assert contents(root) == before


def test_units_of_one_kind_can_be_asked_for(capsys: pytest.CaptureFixture[str]):
    asked = EXPERIMENTS["network_choice"](preset="smoke", boards="connect4")
    assert main(["run", "network_choice", "--set", "preset=smoke", "--set", "boards=connect4", "--kind", "run",
                 "--list"]) == 0  # fmt: skip
    ids = [unit.id for unit in asked.units() if unit.kind == "run"]
    assert capsys.readouterr().out.split() == list(dict.fromkeys(ids)), "each once, in their order"


def test_what_the_networks_that_are_there_allow_is_computed_and_nothing_is_trained(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    settings = ("--set", "preset=smoke", "--workers", "1")
    asked = EXPERIMENTS["control"](preset="smoke")
    trained = next(unit for unit in asked.units() if unit.kind == "run")
    assert main(["run", "control", *settings, "--no-training"]) == 0
    assert capsys.readouterr().out == "nothing to compute\n"
    # A longer run has been where this one ends.
    study.compute_unit(runs.RunUnit(run=trained.run, iterations=3), root)
    monkeypatch.setattr("wslib.study.engine.states.train", lambda *_: pytest.fail("it was trained"))
    pairs = [unit.id for unit, _ in asked.pool_units_among({trained.run})]
    assert len(pairs) == 1, "one network against random"
    assert main(["run", "control", *settings, "--no-training", "--list"]) == 0
    assert capsys.readouterr().out.split() == [trained.id, *pairs]
    assert main(["run", "control", *settings, "--no-training"]) == 0
    assert capsys.readouterr().out.startswith("2 units computed here\n")
    assert main(["run", "control", *settings, "--no-training", "--list"]) == 0
    assert not capsys.readouterr().out, "it is stored now"


# --- verify -------------------------------------------------------------------------------------------------------


def test_verify_checks_all_digests_and_computes_a_sample_again(
    root: Path, small: None, capsys: pytest.CaptureFixture[str]
):
    assert main(["publish", "orientation", "--workers", "1"]) == 0
    capsys.readouterr()
    assert main(["verify", "orientation", "--sample", "2"]) == 0
    published, local, *again = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"published: 1 results, 3 files, \d+\.\d MB: no damage", published)
    assert re.fullmatch(r"stored here: 3 results, 6 files, \d+\.\d MB: no damage", local)
    assert len(again) == 2
    assert all(
        re.search(r"unit \w{20} \(match, published\), \d+ numbers and 2 rows of tables: the same", s) for s in again
    )


@contextmanager
def another_code(change: Callable[[Computed], object]) -> Iterator[None]:
    """Matches give something else as long as this lasts."""
    real = MatchUnit.compute_in

    def lie(self: MatchUnit, folder: Path) -> Computed:
        change(computed := real(self, folder))
        return computed

    with mock.patch.object(MatchUnit, "compute_in", lie):
        yield


def another_number(computed: Computed) -> None:
    computed.summary["plies_mean"] = 3.5


def another_move(computed: Computed) -> None:
    computed.tables["games"].loc[1, "moves"] = "1 2 3 4 1 2 3"


def test_verify_records_what_it_computed_again(root: Path, small: None, tmp_path: Path):
    record = tmp_path / "records" / "again.csv"
    assert main(["run", "orientation", "--workers", "1"]) == 0
    assert main(["verify", "orientation", "--sample", "1", "--record", str(record)]) == 0
    with another_code(another_number):
        assert main(["verify", "orientation", "--sample", "2", "--record", str(record)]) == 1
    rows = pd.read_csv(record)
    assert rows["same"].tolist() == [True, False, False]
    assert not rows["trains"].any() and set(rows["kind"]) == {"match"}
    assert (rows["made_on"] == rows["again_on"]).all() and rows["made_on"].notna().all()


def test_verify_samples_by_its_seed_and_within_the_time(small: None, capsys: pytest.CaptureFixture[str]):
    assert main(["run", "orientation", "--workers", "1"]) == 0

    def chosen(*more: str) -> list[str]:
        capsys.readouterr()
        assert main(["verify", "orientation", *more]) == 0
        return re.findall(r"unit (\w{20})", capsys.readouterr().out)

    assert chosen("--seed", "1") == chosen("--seed", "1")
    assert len({*(chosen("--seed", str(seed))[0] for seed in range(12))}) > 1
    assert len(chosen("--sample", "9")) == 3
    assert chosen("--sample", "9", "--seconds", "0") == []


@pytest.mark.parametrize("command", ["publish", "run"])
@pytest.mark.parametrize(
    ("change", "sentence"),
    [(another_number, "plies_mean is 3.5 in the store and "), (another_move, "'games' differs in its column 'moves'")],
)
def test_verify_notices_what_does_not_come_out_again(
    change: Callable[[Computed], object], sentence: str, command: str, small: None, capsys: pytest.CaptureFixture[str]
):
    with another_code(change):
        assert main([command, "orientation", "--workers", "1"]) == 0
    capsys.readouterr()
    assert main(["verify", "orientation", "--unit", Small().units()[0].id]) == 1
    difference, last = capsys.readouterr().out.splitlines()[2:]
    assert sentence in difference and ": DIFFERENT" in last


def test_verify_notices_damage_and_moves_nothing(root: Path, small: None, capsys: pytest.CaptureFixture[str]):
    assert main(["run", "orientation", "--workers", "1"]) == 0
    path = stored_units(root)[1].parent / "summary.json"
    path.write_bytes(path.read_bytes()[:-2])
    before = contents(root)
    assert main(["verify", "orientation", "--sample", "0"]) == 1
    assert re.search(
        r"stored here: 3 results, .* MB: .*summary\.json has \d+ bytes instead of", capsys.readouterr().out
    )
    assert contents(root) == before


def test_a_run_that_is_trained_again_gives_the_same_table(root: Path, capsys: pytest.CaptureFixture[str]):
    settings = ("--set", "preset=smoke", "--set", "board=connect4")
    assert main(["run", "one_run", "--workers", "1", *settings]) == 0
    assert main(["verify", "one_run", *settings]) == 0
    assert re.search(r"unit \w{20} \(run, .* 2 rows of tables and 2 networks: the same", capsys.readouterr().out)


def test_a_network_that_comes_out_otherwise_is_a_difference(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    settings = ("--set", "preset=smoke", "--set", "board=connect4")
    assert main(["run", "one_run", "--workers", "1", *settings]) == 0
    monkeypatch.setattr("wslib.study.engine.networks.network_file", lambda *_: b"another network")
    assert main(["verify", "one_run", *settings]) == 1
    assert "the network after iteration 2 differs" in capsys.readouterr().out


def test_a_measured_network_is_taken_from_the_store_and_not_trained_again(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    settings = ("--set", "preset=smoke", "--set", "boards=connect4")
    asked = EXPERIMENTS["network_choice"](preset="smoke", boards="connect4")
    unit = next(unit for unit in asked.units() if unit.kind == "strength")
    assert main(["run", "network_choice", *settings, "--unit", unit.id]) == 0
    monkeypatch.setattr("wslib.study.engine.states.train", lambda *_: pytest.fail("it was trained again"))
    states.player_of.cache_clear()
    assert main(["verify", "network_choice", *settings, "--unit", unit.id]) == 0
    assert "the same" in capsys.readouterr().out


# --- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["run", "orientation", "--set", "gmaes=20"],
            "there is no parameter 'gmaes' here (did you mean 'games'?): the parameters are",
        ),
        (["run", "orientation", "--set", "games"], "--set 'games' is not allowed: it should be NAME=VALUE"),
        (["run", "orientation", "--set", "preset=smoke", "--set", "games=500"], "games = 500 does not act with preset"),
        (
            ["run", "warmstart", "--set", "preset=smoke", "--set", "iterations=100"],
            "iterations = 100 does not act with",
        ),
        (["run", "it_learns", "--set", "preset=smoke", "--set", "iterations=100"], "one of the two should be left out"),
        (["run", "readings", "--workers", "-1"], "workers = -1 is not allowed"),
        (["publish", "readings", "--workers", "-1"], "workers = -1 is not allowed"),
        (["run", "orientation", "--unit", "abc"], "there is no unit 'abc' among the 78 of orientation with these"),
        (["run", "orientation", "--index", "78"], "--index 78 is not allowed: it should be 0 to 77"),
        (["run", "orientation", "--index", "-1"], "--index -1 is not allowed"),
        (["run", "orientation", "--kind", "run"], "--kind 'run' is not allowed: orientation has match"),
        (["run", "orientation", "--again"], "--again needs a unit"),
        (["run", "orientation", "--on", "8786"], "'8786' is not a scheduler's address: it should be like tcp://127"),
        (["run", "orientation", "--on", "tcp://10.0.0.5:8786"], "'tcp://10.0.0.5:8786' is refused: a Dask scheduler"),
        (["verify", "orientation", "--unit", "abc"], "there is no unit 'abc' in orientation"),
        (["verify", "orientation", "--unit", Orientation().units()[0].id], "there is no result of unit"),
        (["verify", "--set", "games=4"], "--set needs an experiment"),
        (["verify", "--record", "."], "--record . is a folder: it should be a CSV file"),
        (["play", "chess"], "there is no game 'chess': the games are othello"),
        (["play", "othello", "--simulations", "0"], "simulations = 0 is not allowed"),
        (["play", "othello", "--simulations", "0", "--against", "rhea"], "rollouts = 0 is not allowed"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_code_2(
    arguments: list[str], sentence: str, root: Path, capsys: pytest.CaptureFixture[str]
):
    assert sentence in refusal(arguments, capsys)
    assert not root.exists()


def test_what_acts_with_the_preset_smoke_may_be_set(capsys: pytest.CaptureFixture[str]):
    settings = ["--set", "preset=smoke", "--set", "iterations=1", "--set", "runs=1"]
    assert main(["run", "warmstart", *settings, "--kind", "run", "--list"]) == 0
    assert len(capsys.readouterr().out.split()) > 1


@pytest.mark.parametrize("line", [["run", "orientation"], ["study", "--only", "orientation"]])
@pytest.mark.parametrize(
    ("store", "why"),
    [
        ("/proc/none", "/proc/none (No such file or directory): WSLIB_STORE should name a folder of your own"),
        ("FILE", "(File exists): WSLIB_STORE"),
        ("FILE/below", "(Not a directory): WSLIB_STORE"),
        ("/dev/full/x", "(Not a directory): WSLIB_STORE"),
        ("~nobody-of-this-name/store", "there is no such home: it should be a full path"),
    ],
)
def test_a_store_that_cannot_be_written_to_is_refused_before_anything_is_computed(
    line: list[str], store: str, why: str, root: Path, small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    monkeypatch.setattr(study, "compute_unit", lambda *_: pytest.fail("something was computed"))
    (tmp_path / "file").touch()
    monkeypatch.setenv("WSLIB_STORE", store.replace("FILE", str(tmp_path / "file")))
    assert why in refusal([*line, "--workers", "1"], capsys)


def test_a_command_needs_no_standard_streams_and_puts_no_bar_into_a_log(root: Path):
    line = [*COMMAND, "run", "orientation", "--workers", "1", *SMALL]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("1 unit computed here\n")
    assert re.fullmatch(
        r"computing 1 match: about \d+ s on 1 core \(as measured (here|elsewhere)\); interrupt .*\n", done.stderr
    )
    closed = ["sh", "-c", '"$0" "$@" 2>&-', *line, "--set", "seed=1"]
    done = subprocess.run(closed, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("1 unit computed here\n")
    closed[2] = '"$0" "$@" >&-'
    done = subprocess.run(closed, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_ctrl_c_that_falls_into_a_finalizer_stops_the_command_all_the_same():
    script = (
        "import os, signal, time\n"
        "import wslib.study.engine.early\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Finalized:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT); time.sleep(60)\n"
        "kept = Finalized()\n"
        "del kept\n"
        "time.sleep(60)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=50)
    assert done.returncode in (-signal.SIGINT, 130) and done.stderr == "\nstopped\n"


def test_ctrl_c_while_a_command_is_still_beginning_is_one_line(root: Path):
    script = (
        "import sys, threading, signal, os\n"
        "class Late:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'wslib.study.engine.store': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Late())\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # where the tests run in the background
        "from wslib.study.engine.cli import main"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode in (-signal.SIGINT, 130) and done.stderr == "\nstopped\n"


@pytest.mark.parametrize(
    "arguments", [[], ["dance"], ["run"], ["run", "dance"], ["play"], ["play", "othello", "--against", "bob"]]
)
def test_a_command_that_does_not_exist_is_code_2_with_what_there_is(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as refused:
        main(arguments)
    assert refused.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("usage: wslib")
    assert "Traceback" not in told


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["play", "--help"]])
def test_help_is_no_error(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert "usage: wslib" in capsys.readouterr().out


def test_changed_published_results_are_one_sentence(root: Path, capsys: pytest.CaptureFixture[str]):
    shutil.copytree(ROOT / "data" / "readings", root.parent / "data" / "readings")
    with table_file("readings", "units", root.parent / "data").open("ab") as file:
        file.write(b"\n")
    assert "units.csv" in refusal(["run", "readings"], capsys)


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (OSError(28, "No space left on device", "/disk/file"), 2, "No space left on device: '/disk/file'"),
        (BrokenProcessPool("a worker was killed"), 2, "a worker was killed"),
        (KeyboardInterrupt(), 130, "stopped; what was finished is stored, and the same command goes on from there"),
    ],
)
def test_what_goes_wrong_while_computing_is_one_sentence(
    error: BaseException, code: int, sentence: str, small: None, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(study, "results", fail)
    assert main(["run", "orientation"]) == code
    *_, last = capsys.readouterr().err.splitlines()
    assert sentence in last


def test_units_that_fail_are_a_sentence_each_and_code_1_and_the_others_are_stored(
    root: Path, small: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    real, unlucky = MatchUnit.compute_in, Small().units()[1].id

    def compute(self: MatchUnit, folder: Path):
        if self.id == unlucky:
            raise LookupError("a mistake in the code")
        return real(self, folder)

    monkeypatch.setattr(MatchUnit, "compute_in", compute)
    assert main(["run", "orientation", "--workers", "1"]) == 1
    sentences = capsys.readouterr().err.splitlines()
    assert sentences[-2:] == [
        f"wslib run: unit {unlucky} (match) failed: LookupError: a mistake in the code",
        "wslib run: all other units are stored; the same command tries these again",
    ]
    assert len(stored_units(root)) == 2


# --- interruptions ------------------------------------------------------------------------------------------------


def test_ctrl_c_thrice_ends_a_command_with_a_halted_worker_and_all_that_it_has_started(tmp_path: Path):
    """The faults' ``signals`` sends all others, and compares what goes on from there."""
    asked = [*COMMAND, "run", "orientation", "--workers", "2", "--set", "games=200", "--set", "seed=9"]
    # A session of its own: Ctrl-C goes to every process of it. A shell starts what it puts in the background with
    # Ctrl-C ignored, and children inherit that: here it is as at a prompt.
    running = subprocess.Popen(
        asked, env={**os.environ, "WSLIB_STORE": str(tmp_path)}, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    while not stored_units(tmp_path) and running.poll() is None:
        time.sleep(0.02)
    workers = psutil.Process(running.pid).children()
    next(child for child in workers if "spawn_main" in " ".join(child.cmdline())).suspend()
    for _ in range(3):
        os.killpg(running.pid, signal.SIGINT)
        time.sleep(0.2)
    _, told = running.communicate(timeout=60)  # ends when the last process has closed its end
    assert running.returncode in (130, -signal.SIGINT), f"a shell shows 130 for both; {told}"
    assert "Traceback" not in told
    assert 0 < len(stored_units(tmp_path)) < len(Orientation().units()) / 2


# --- play ---------------------------------------------------------------------------------------------------------


def typed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


CELLS = "\n".join(f"{column}{row}" for _ in range(3) for column in "abc" for row in "123") + "\n"


@pytest.mark.parametrize(("you", "against"), [("X", "random"), ("O", "mcts"), ("X", "rave"), ("O", "rhea")])
def test_a_game_can_be_played_to_its_end(
    you: str, against: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    typed(CELLS, monkeypatch)
    assert main(["play", "tictactoe", "--against", against, "--simulations", "10", "--you", you]) == 0
    told = capsys.readouterr()
    assert f"{'O' if you == 'X' else 'X'} plays" in told.out
    assert re.search(r": (X has won|O has won|.*draw.*)\n$", told.out)
    assert told.err == ""


def test_the_same_seed_plays_the_same_game(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    games = []
    for seed in ("1", "1", "2", "3", "4"):
        typed(CELLS, monkeypatch)
        assert main(["play", "tictactoe", "--against", "random", "--seed", seed]) == 0
        games.append(capsys.readouterr().out)
    assert games[0] == games[1]
    assert len(set(games)) > 1


def test_the_end_of_input_stops_a_game_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    typed("3\n", monkeypatch)
    assert main(["play", "connect4", "--simulations", "5"]) == 130
    assert capsys.readouterr().err.strip() == "stopped"


def test_a_warning_of_ours_is_a_line_without_a_place_in_the_code():
    script = "import wslib.study.engine.early, warnings; warnings.warn('It was set aside.')"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stderr == "It was set aside.\n"
