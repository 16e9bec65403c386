"""The verdicts on the seven claims come out the same by two paths: the project's, and plain scipy from the tables."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import second_claims
from second_path import bayesian_elo

from wslib import files
from wslib.parameters import NETWORK_RESULTS_VERSION
from wslib.study.claims.evidence import Page
from wslib.study.claims.table import judge
from wslib.study.engine.published import publish
from wslib.study.engine.store import Stored
from wslib.study.engine.units import Unit
from wslib.study.pages.base import Orientation
from wslib.study.pages.learning import Untrained
from wslib.study.pages.warm import Adaptive, AdaptiveVsFixed, IPrime, Warmstart
from wslib.study.statistics.decide import OPPOSITE, REPLICATED, SMALL, UNDECIDED
from wslib.study.statistics.pairings import matrices, ordered_pairs
from wslib.study.statistics.rating import rate

ROOT = Path(__file__).resolve().parent.parent
ASKED = {
    "orientation": Orientation(),
    "untrained": Untrained(),
    "warmstart": Warmstart(),
    "iprime": IPrime(methods=("rave", "rollout")),
    "adaptive_vs_fixed": AdaptiveVsFixed(boards=("connect4",)),
    "adaptive": Adaptive(),
}
"""What is made up: the experiments of the seven claims, those with trained players in part."""
STRONG = {
    ("warmstart", "gobang"): {"rollout": 120, "rave": 120, "rora": 130, "wro": 130, "wrora": 260},
    ("warmstart", "connect4"): {"rollout": 110, "rave": 240, "rora": 100, "wro": 100, "wrora": 120},
    ("warmstart", "othello"): {"rave": -20, "rora": -22, "wro": 100, "wrora": 15},
    ("iprime", "connect4"): {"rave 1": 200, "rave 3": 220, "rave 7": 400, "rave 9": 200, "rollout 1": 110,
                             "rollout 3": 120, "rollout 7": 110, "rollout 9": 110},
    ("adaptive_vs_fixed", "connect4"): {"rollout adaptive": 240, "rave adaptive": 110, "rora adaptive": 80,
                                        "wro adaptive": 220, "wrora adaptive": 150},
}  # fmt: skip
"""Elo that kinds of runs are above Baseline in the made-up study; what two experiments share, the first one makes."""
Results = dict[str, tuple[str, Mapping[str, Any], Stored]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose data are the project's but what is published here, and an empty store."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "thesis").symlink_to(ROOT / "data" / "thesis")
    monkeypatch.setattr(files, "HOME", tmp_path)
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path / "store"))
    return tmp_path


def same_by_both_paths(data: Path) -> tuple[dict[str, str], set[str]]:
    """The verdicts on the seven claims, and all on their parts, by the project; the second path's are compared."""
    rows, parts = judge(Page().gather())
    ours = {claim: str(rows.set_index("id").loc[claim, "verdict"]) for claim in "1234567"}
    theirs = second_claims.verdicts(data, NETWORK_RESULTS_VERSION)
    assert {claim: word for claim, (word, _) in theirs.items()} == ours
    for claim, (_, words) in theirs.items():
        if words:
            assert Counter(words) == Counter(parts.loc[parts["claim"] == claim, "verdict"]), claim
    return ours, set(parts.loc[parts["claim"].isin(list("1234567")), "verdict"])


def test_the_published_results_give_the_same_verdicts_by_both_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path))
    same_by_both_paths(ROOT / "data")


def played(rng: np.random.Generator, lead: float, games: int) -> dict[str, int | float]:
    """Games of two players, the first ahead by so many Elo; the first move is worth 30, and some are drawn."""
    counts: dict[str, int | float] = {"games": games, "distinct": games, "plies_mean": 20.5, "plies_min": 20,
                                      "plies_max": 21}  # fmt: skip
    for colour, advantage in (("first", 30), ("second", -30)):
        win, loss = (1 / (1 + 10 ** ((60 - sign * (lead + advantage)) / 400)) for sign in (1, -1))
        drawn = rng.multinomial(games // 2, [win, 1 - win - loss, loss])
        counts |= {f"{name}_{colour}": int(n) for name, n in zip(("wins", "draws", "losses"), drawn, strict=True)}
    return counts


def made_up(experiment: str, spread: float, before: Results, strength: dict[Any, float]) -> Results:
    """An experiment's results, as if all had been computed: runs of a kind differ by ``spread`` Elo.

    What was made ``before`` for another experiment stays as it is, the ``strength`` of its runs too.
    """
    rng, asked = np.random.default_rng(len(before)), ASKED[experiment]
    table = pd.DataFrame({"iteration": range(1, 21), "accepted": [True, False] * 10, "distinct": 50, "plies_mean": 20.0,
                          "first_wins": 25, "draws": 0, "first_losses": 25, "balance": [-4] * 19 + [3]})  # fmt: skip
    games = pd.DataFrame({"result_a": [1, -1], "plies": [32, 32]})
    results: Results = {}

    def add(unit: Unit, summary: dict[str, Any]) -> None:
        made = {"code": "made up", "results_version": unit.results_version}
        tables = {name: games if name == "games" else table for name in asked.tables}
        fresh = (unit.kind, unit.canonical(), Stored(unit.id, summary, tables, made))
        results[unit.id] = before.get(unit.id, fresh)

    for unit, labels in asked.run_units() if hasattr(asked, "run_units") else []:
        board, kind = labels["board"], labels["kind"]
        own = 300 + STRONG.get((experiment, board), {}).get(kind, 0) + rng.normal(0, spread)
        strength[board, f"{kind}-{labels['seed']}"] = strength.setdefault(unit.id, own)
        at = int(rng.integers(3, 8)) if board != "gobang" else 1
        add(unit, {"iterations": 100, "accepted": 20, "switch_iteration": at if experiment == "adaptive" else None})
    if hasattr(asked, "pool_units"):
        for unit, x in asked.pool_units():
            a, b = (strength.get((x["board"], x[side]), 0.0) for side in "ab")
            add(unit, played(rng, a - b, 20))
    elif not hasattr(asked, "run_units"):
        order = {"random": 0, "rhea": 150, "mcts": 350, "rave": 500, "baseline": 300, "rollout": 400, "wro": 450,
                 "rora": 470, "wrora": 520}  # fmt: skip
        for unit, x in asked.asked():
            add(unit, played(rng, order.get(x["a"], 100) - order.get(x["b"], 100), unit.games))
    return results


def test_a_made_up_study_gives_the_same_verdicts_by_both_paths(home: Path):
    everything: Results = {}
    strength: dict[Any, float] = {}
    for experiment in ASKED:
        results = made_up(experiment, 12, everything, strength)
        everything |= results
        publish(experiment, results, ASKED[experiment].tables, home / "data")
    words, seen = same_by_both_paths(home / "data")
    assert words["1"] == OPPOSITE, "RHEA beats random play in Othello, too"
    assert words["4"] == OPPOSITE and words["7"] == OPPOSITE and words["6"] == REPLICATED
    assert {REPLICATED, OPPOSITE, SMALL, UNDECIDED} <= seen, "every kind of verdict is compared"


def test_both_paths_rate_alike():
    rng = np.random.default_rng(0)
    names = ["random", *(f"run-{k}" for k in range(7))]
    elo = np.array([0.0, *rng.normal(300, 80, 7)])
    games = pd.DataFrame([
        {"a": names[i], "b": names[j], **played(rng, elo[i] - elo[j], 40)} for i in range(8) for j in range(i)
    ])  # fmt: skip
    rating = rate(games)
    wins, draws, losses = matrices(ordered_pairs(games), list(rating.players))
    found, noise = bayesian_elo(np.array([wins, draws, losses]))
    assert found - found.mean() == pytest.approx(rating.elo - rating.elo.mean(), abs=0.01)
    assert noise == pytest.approx(rating.noise(), rel=1e-3)
