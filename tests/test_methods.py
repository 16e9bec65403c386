"""Method against method: what is said by the run and by pooled games, against numbers counted by hand."""

import numpy as np
import pandas as pd
import pytest

from wslib.study.report import methods
from wslib.study.statistics.stats import permutation_test, pooled_binomial_test


def pair(a: str, b: str, first: tuple[int, int, int], second: tuple[int, int, int]) -> dict[str, object]:
    """Wins, draws and losses of ``a``, moving first and moving second."""
    names = [f"{name}_{colour}" for colour in ("first", "second") for name in ("wins", "draws", "losses")]
    return {"board": "othello", "pool": "final", "a": a, "b": b, **dict(zip(names, (*first, *second), strict=True))}


PAIRS = pd.DataFrame(
    [
        pair("baseline-0", "wro-0", (2, 1, 1), (0, 0, 4)),
        pair("wro-0", "baseline-1", (3, 0, 1), (2, 2, 0)),
        pair("wro-1", "baseline-0", (4, 0, 0), (1, 1, 2)),
        pair("baseline-1", "wro-1", (2, 2, 0), (1, 0, 3)),
        pair("baseline-0", "baseline-1", (4, 0, 0), (4, 0, 0)),
        pair("wro-0", "wro-1", (4, 0, 0), (4, 0, 0)),
        pair("random", "wro-0", (0, 0, 4), (0, 0, 4)),
    ]
)
ELOS = pd.DataFrame(
    {"board": "othello", "kind": ["baseline", "baseline", "wro", "wro", "rave"], "elo": [0.0, 50.0, 40.0, 100.0, 9.0]}
)
KINDS = ("baseline", "wro", "rave")


def test_only_games_between_the_two_kinds_are_pooled_and_runs_are_the_unit():
    (row,) = methods.against_baseline(PAIRS, ELOS, KINDS).to_dict("records")
    assert (row["kind"], row["runs"], row["baseline_runs"]) == ("wro", 2, 2), "rave has one run, and no interval"
    assert (row["wins"], row["losses"]) == (1 + 4 + 3 + 2 + 4 + 1 + 0 + 3, 2 + 0 + 1 + 0 + 0 + 2 + 2 + 1)
    assert row["pooled_p"] == pooled_binomial_test(18, 8)
    assert row["difference"] == 45 and row["p"] == permutation_test([40, 100], [0, 50])
    assert row["ahead"] == 0.75, "three of four pairs of runs"
    assert np.isnan(row["low"]) and np.isnan(row["high"]), "two runs tell of no interval"


def test_an_interval_that_a_bootstrap_cannot_give_is_not_shown():
    apart = pd.DataFrame({"board": "othello", "kind": ["baseline"] * 3 + ["wro"] * 3, "elo": [0, 1, 2, 7, 8, 9.0]})
    over = apart.assign(elo=[0, 5, 8, 2, 7, 9.0])
    compared = [methods.against_baseline(PAIRS, elos, KINDS) for elos in (apart, over)]
    assert "100.0 (" not in repr(methods.against_baseline_table(compared[0]))
    (row,) = compared[1].to_dict("records")
    assert row["low"] < row["ahead"] < row["high"]


def test_the_score_over_games_is_that_of_each_run_against_all_of_baseline_s():
    (row,) = methods.overall(PAIRS, KINDS).to_dict("records")
    assert (row["kind"], row["runs"], row["boards"]) == ("wro", 2, "othello")
    scores = [(1 + 0.5 + 4 + 3 + 2 + 1) / 16, (4 + 1 + 0.5 + 1 + 3) / 16]
    assert row["iqm"] == pytest.approx(np.mean(scores))
    assert np.isnan(row["low"]) and "nan" not in repr(methods.overall_table(pd.DataFrame([row])))


def test_the_prose_counts_what_each_test_would_call_significant():
    compared = pd.DataFrame({"p": [0.01, 0.2, 0.06], "pooled_p": [0.001, 0.02, 0.5]})
    assert methods.pooled_prose(compared).startswith(
        "Of 3 differences from Baseline, the test of pooled games calls 2 significant"
    )
    assert "the test over runs 1 (" in methods.pooled_prose(compared)


def test_both_tables_say_which_numbers_are_not_by_the_run():
    shown = repr(methods.against_baseline_table(methods.against_baseline(PAIRS, ELOS, KINDS)))
    assert "As in the thesis" in shown and "18 : 8" in shown and "p of pooled games" in shown
    assert "interquartile" in repr(methods.overall_table(methods.overall(PAIRS, KINDS)))


def test_where_baseline_has_no_run_nothing_is_compared():
    none = ELOS[ELOS["kind"] != "baseline"]
    assert methods.against_baseline(PAIRS, none, KINDS).empty
    others = PAIRS[~PAIRS["a"].str.startswith("baseline") & ~PAIRS["b"].str.startswith("baseline")]
    assert methods.overall(others, KINDS).empty
