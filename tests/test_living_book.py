"""More results change the book without an edit: tables, prose, verdicts, from a copy of ``data/`` with runs added."""

import html
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from wslib import files
from wslib.study.claims.evidence import Evidence, Page, gather
from wslib.study.claims.listing import all_runs
from wslib.study.claims.table import judge
from wslib.study.engine.published import publish
from wslib.study.engine.store import Stored
from wslib.study.engine.tournament import NetworkEntrant, round_robin
from wslib.study.pages.catalogue import EXPERIMENTS
from wslib.study.pages.warm import Warmstart
from wslib.study.report import verdicts as report
from wslib.study.report import warm
from wslib.study.report.explorer import summary_prose
from wslib.study.statistics import decide

ROOT = Path(__file__).resolve().parent.parent
WARMSTART = Warmstart(boards=("connect4",), methods=("baseline", "wrora"), workers=1)
STRENGTH = {"random": 0, "baseline": 200, "wrora": 320}
FULL = {asked.name: asked for asked in Page().experiments()}
MADE = {"code": "made up", "cpu_training": 60.0}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a copy of the published results but those that may have warmstart's runs, and an empty store."""
    runs = {unit.id for unit, _ in Warmstart().run_units()}
    sharing = [name for name, kind in EXPERIMENTS.items() if runs & {unit.id for unit, _ in kind().asked_once}]
    assert {"warmstart", "control", "adaptive_vs_fixed", "iprime"} <= set(sharing)
    shutil.copytree(ROOT / "data", tmp_path / "data", ignore=shutil.ignore_patterns(*sharing))
    monkeypatch.setattr(files, "HOME", tmp_path)
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path / "store"))
    return tmp_path


def add_runs(home: Path, runs: int) -> None:
    """Publish made-up runs of two methods in Connect Four and the games between all of them."""
    results = {}
    counts = {"distinct": 50, "first_wins": 25, "draws": 0, "first_losses": 25, "plies_mean": 20.5}
    table = pd.DataFrame({"iteration": [1, 2], "accepted": [True, False], **counts})
    present = set()
    asked = WARMSTART.model_copy(update={"runs": max(runs, WARMSTART.runs)})
    for unit, labels in asked.run_units():
        if labels["seed"] < runs:
            summary = {"iterations": 100, "accepted": 20, "switch_iteration": None}
            results[unit.id] = ("run", unit.canonical(), Stored(unit.id, summary, {"iterations": table}, MADE))
            present.add(unit.run)
    ((board, _, entrants),) = asked.pools()
    playing = {n: e for n, e in entrants.items() if not isinstance(e, NetworkEntrant) or e.run in present}
    games = pd.DataFrame({"result_a": [1, -1], "plies": [20, 21]})
    for unit, names in round_robin(board, playing, games=WARMSTART.games):
        stored = Stored(unit.id, _played(names["a"], names["b"]), {"games": games}, MADE)
        results[unit.id] = ("pair", unit.canonical(), stored)
    publish("warmstart", results, WARMSTART.tables, home / "data")


def _played(a: str, b: str) -> dict[str, int | float]:
    """Twenty games as the strengths of both let expect; a run is a little stronger or weaker than its kind."""
    levels = [STRENGTH[name.split("-")[0]] + 10 * (int(name[-1]) % 3 if "-" in name else 0) for name in (a, b)]
    won = round(10 / (1 + 10 ** ((levels[1] - levels[0]) / 400)))
    counts = {"wins": won, "draws": 0, "losses": 10 - won}
    colours = {f"{name}_{colour}": n for name, n in counts.items() for colour in ("first", "second")}
    return {**colours, "games": 20, "distinct": 20, "plies_mean": 20.5, "plies_min": 20, "plies_max": 21}


def seen(evidence: Evidence, experiment: Warmstart = WARMSTART) -> dict[str, str]:
    """What pages show of these results."""
    there = warm.Tournament(experiment, [], evidence.frame("warmstart"))
    rows, parts = judge(Evidence(evidence.frames, evidence.tables, asked=FULL))
    elos = evidence.elos["warmstart"]
    part = parts[parts["part"] == "Connect Four: WRoRa > Baseline"].iloc[0]
    return {
        "coverage": warm.coverage_prose(there),
        "runs": warm.coverage_table(there).html,
        "elo": warm.elo_table(elos, WARMSTART.methods, "Elo.").html,
        "claims": report.claim_table(report.seven(rows), "Seven.", set()).html,
        "part": part["verdict"],
        "would decide": str(part["would decide"]),
        "claim 3": rows.set_index("id").loc["3", "ours"],
        "listed": summary_prose(all_runs(evidence)),
    }


def test_runs_that_are_added_to_the_data_change_tables_prose_and_verdict(home: Path):
    add_runs(home, 4)
    before = seen(gather([WARMSTART]))
    assert before["part"] == decide.UNDECIDED
    assert int(before["would decide"]) >= 5
    add_runs(home, 6)
    after = seen(gather([WARMSTART]))
    assert after["part"] == decide.REPLICATED
    assert "8 of 16 training runs" in before["coverage"] and "12 of 16 training runs" in after["coverage"]
    assert "1 hold" in after["claim 3"] and "hold" not in before["claim 3"]
    for shown in before:
        if shown != "would decide":
            assert before[shown] != after[shown], shown


def test_more_runs_than_the_sources_have_are_shown_too(home: Path):
    add_runs(home, 8)
    assert WARMSTART.grown().runs == 8
    before = seen(gather([WARMSTART.grown()]), WARMSTART.grown())
    add_runs(home, 10)
    asked = WARMSTART.grown()
    assert asked.runs == 10
    after = seen(gather([asked]), asked)
    assert "20 of 20 training runs" in after["coverage"] and "10 of 10" in after["runs"]
    for shown in ("coverage", "runs", "elo", "claims", "listed"):
        assert before[shown] != after[shown], shown
    assert Warmstart(runs=8).grown().runs == 10, "the usual number, also where it is given"
    assert Warmstart(runs=6).grown().runs == 6


def test_a_verdict_turns_when_the_added_runs_say_the_opposite(home: Path, monkeypatch: pytest.MonkeyPatch):
    add_runs(home, 6)
    monkeypatch.setitem(STRENGTH, "wrora", 80)
    assert seen(gather([WARMSTART]))["part"] == decide.REPLICATED
    add_runs(home, 7)
    assert seen(gather([WARMSTART]))["part"] == decide.OPPOSITE


@pytest.mark.notebooks
def test_the_notebook_of_verdicts_shows_runs_that_were_added(home: Path, tmp_path: Path):
    add_runs(home, 6)
    # A copy of the library finds the copy of the data beside it.
    shutil.copytree(ROOT / "wslib", home / "wslib", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "notebooks").mkdir()
    (source,) = ROOT.glob("notebooks/**/verdicts.py")
    shutil.copy(source, home / "notebooks")
    output = tmp_path / "verdicts.ipynb"
    command = [sys.executable, "-m", "papermill", "notebooks/verdicts.py", str(output), "--no-progress-bar"]
    paths = {"PYTHONPATH": str(home), "WSLIB_STORE": str(home / "store")}
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=home, env=os.environ | paths)
    outputs = [o for cell in nbformat.read(output, 4).cells for o in cell.get("outputs", [])]
    text = " ".join(str(o.get("data", {}).get("text/html", "")) for o in outputs)
    rows, _ = judge(Evidence(gather([WARMSTART]).frames, {}, asked=FULL))
    expected = rows.set_index("id").loc["3"]
    assert html.escape(expected["ours"]) in text and html.escape(expected["effect"]) in text
    assert "of 15 parts 1 hold" in text
