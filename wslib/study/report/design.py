"""What an experiment could see: the smallest difference between two kinds of runs that its number of runs shows."""

from typing import Any

import numpy as np
import pandas as pd
import scipy

from wslib.study.claims.specs import planned_runs
from wslib.study.claims.table import judged_on
from wslib.study.names import board_name
from wslib.study.report.look import Html, show_table
from wslib.study.statistics import stats

POWER = 0.8
ASSUMED = 50.0
"""Standard deviation in Elo of the runs of a kind, while there are too few to say."""
FEWEST = 4
"""Degrees of freedom from which on the runs' own spread is taken."""


def spread_of(elos: pd.DataFrame) -> float | None:
    """Standard deviation of runs within their kinds and pools; None while there are too few."""
    sd, freedom = stats.pooled_sd(group["elo"] for _, group in elos.dropna(subset="kind").groupby(["pool", "kind"]))
    return sd if freedom >= FEWEST else None


def smallest_seen(sd: float, runs: int, tests: int = 1) -> float:
    """The difference in Elo that so many runs a side see with a power of 80 %, at the strictest of several tests.

    >>> round(smallest_seen(sd=50, runs=17))
    50
    """
    lack = lambda effect: stats.power_of_t(effect, sd, runs, stats.ALPHA / tests) - POWER  # noqa: E731
    return float(scipy.optimize.brentq(lack, 1e-6 * sd, 100 * sd))


def detectable_table(elos: pd.DataFrame | None, asked: Any) -> Html:
    """Game by game: runs a side, their spread, and the smallest difference of two kinds that would be seen."""
    tests = max(judged_on(asked.name, elos, asked).tests, 1)
    rows = []
    for board in dict.fromkeys(board for board, _ in planned_runs(asked)):
        runs = min(number for (b, _), number in planned_runs(asked).items() if b == board)
        here = pd.DataFrame() if elos is None or elos.empty else elos[elos["board"] == board]
        own = spread_of(here) if len(here) else None
        sd = own or ASSUMED
        rows.append({
            "game": board_name(board), "runs a kind": runs,
            "they differ by (sd)": f"{sd:.0f} Elo" + ("" if own else ", assumed"),
            "one test sees": _seen(sd, runs, 1), f"the strictest of {tests} tests sees": _seen(sd, runs, tests),
        })  # fmt: skip
    return show_table(
        pd.DataFrame(rows),
        "The smallest true difference between two kinds of runs that would show with a power of 80 % once all runs are "
        "there. sd is the standard deviation of the runs of one kind.",
    )


def _seen(sd: float, runs: int, tests: int) -> str:
    seen = smallest_seen(sd, runs, tests) if runs > 1 else np.nan
    return "–" if np.isnan(seen) else f"{seen:.0f} Elo"
