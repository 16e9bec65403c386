"""Method against method in a tournament: win rates, and the same games judged by the run and as the thesis judged them.

Frames are those of :mod:`wslib.study.report.warm`: a row per pair of entrants, called as
:class:`.names.Entrant` says, or per rated run.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wslib.study.names import Entrant, board_name, kind_name, p_value, percent
from wslib.study.report.charts import WIDE, by_panel, finding, matrix, show_panels
from wslib.study.report.look import NAMES, Html, between, once_there, table
from wslib.study.statistics import stats
from wslib.study.statistics.pairings import ordered_pairs, score_matrix

BASELINE = "baseline"


@once_there("win rates of method against method.")
def matrix_figure(pairs: pd.DataFrame, kinds: Sequence[str]) -> Html:
    """Method against method: the row's score in all games between their runs."""
    tables = []
    for board, games in pairs.groupby("board", sort=False):
        names, points, met = score_matrix(games, {name: _kind(name) for name in {*games["a"], *games["b"]}})
        order = [kind for kind in (*kinds, "random") if kind in names]
        with np.errstate(invalid="ignore"):
            found = pd.DataFrame(100 * points / met, names, names).loc[order, order]
        tables.append(found.assign(board=board, kind=order, mean=found.mean(axis=1)))
    shares = pd.concat(tables)

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        matrix(axis, rows[rows["kind"]].rename(index=kind_name, columns=kind_name))

    return show_panels(
        by_panel(shares, draw),
        f"Mean scores against the others, in %. {finding(shares, 'mean', '{:.0f}')}",
        "How the kinds of run do against each other: win rates of the row against the column in %, over all games "
        "between their runs.",
        _played(pairs),
        height=3.2,
        width=WIDE,
    )


def _played(pairs: pd.DataFrame) -> pd.DataFrame:
    """The counts of a tournament, a row per pair."""
    counts = [f"{name}_{colour}" for name in ("wins", "draws", "losses") for colour in ("first", "second")]
    return pairs[["unit", "board", "pool", "a", "b", "games", "distinct", *counts]].convert_dtypes()


def _kind(entrant: str) -> str:
    return Entrant.named(entrant).kind


def against_baseline(pairs: pd.DataFrame, elos: pd.DataFrame, kinds: Sequence[str]) -> pd.DataFrame:
    """Every kind against Baseline, by the run and by pooled games; a row per game and kind with two runs a side.

    ``difference``, ``p``: mean Elo, and the permutation test on runs; ``ahead``: probability that a run is rated above
    one of Baseline's, with its interval; ``wins``, ``losses``, ``pooled_p``: all decided games between the two kinds,
    and the thesis' test of them.
    """
    rows = []
    for board, kind in product(dict.fromkeys(pairs["board"]), kinds):
        here = elos[elos["board"] == board]
        ours, theirs = (here.loc[here["kind"] == k, "elo"].to_numpy() for k in (kind, BASELINE))
        if kind == BASELINE or min(len(ours), len(theirs)) < 2:
            continue
        ahead = stats.improvement(ours, theirs)
        games = ordered_pairs(pairs[pairs["board"] == board])
        first, second = games["first"].map(_kind), games["second"].map(_kind)
        forth, back = games[(first == kind) & (second == BASELINE)], games[(first == BASELINE) & (second == kind)]
        wins = int(forth["wins"].sum() + back["losses"].sum())
        losses = int(forth["losses"].sum() + back["wins"].sum())
        rows.append(
            {
                "board": board, "kind": kind, "runs": len(ours), "baseline_runs": len(theirs),
                "difference": ours.mean() - theirs.mean(), "p": stats.permutation_test(ours, theirs),
                "ahead": ahead.value, **_bounds(ahead),
                "wins": wins, "losses": losses, "pooled_p": stats.pooled_binomial_test(wins, losses),
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def _bounds(found: stats.Estimate) -> dict[str, float]:
    """The bounds of an interval; no numbers where there is none."""
    low, high = found.interval or (np.nan, np.nan)
    return {"low": low, "high": high}


@once_there("both tests of the differences from Baseline.")
def against_baseline_table(compared: pd.DataFrame) -> Html:
    """:func:`against_baseline` as a table."""
    return table(
        compared,
        "Each kind against Baseline, tested in two ways. By the run: the difference of mean Elo with its permutation "
        "test (not corrected here), and the probability that a run is rated above one of Baseline's, with a bootstrap "
        "interval where there is one. As in the thesis: the games won and lost, pooled over all runs, and the binomial "
        "test that takes them for independent.",
        NAMES
        | {
            "runs": lambda row: f"{row.runs} and {row.baseline_runs}",
            "Elo difference": ("difference", "{:+.0f}"),
            "p over runs": ("p", p_value),
            "ahead of Baseline %": ("ahead", percent),
            "95 % interval": between,
            "pooled games": lambda row: f"{row.wins:,} : {row.losses:,}",
            "p of pooled games": ("pooled_p", p_value),
        },
    )


@once_there("both tests of the differences from Baseline.")
def pooled_prose(compared: pd.DataFrame) -> str:
    """How often the two tests would speak of a difference."""
    runs, pooled = ((compared[name] < stats.ALPHA).sum() for name in ("p", "pooled_p"))
    return (
        f"Of {len(compared)} differences from Baseline, the test of pooled games calls {pooled} significant, and the "
        f"test over runs {runs} (p below {100 * stats.ALPHA:.0f} %, neither corrected)."
    )


def overall(pairs: pd.DataFrame, kinds: Sequence[str]) -> pd.DataFrame:
    """Scores of every run against all of Baseline's, and over the games their interquartile mean; a row per kind."""
    scores: dict[str, dict[str, np.ndarray]] = {}
    for board in dict.fromkeys(pairs["board"]):
        games = pairs[pairs["board"] == board]
        groups = {name: BASELINE if _kind(name) == BASELINE else name for name in {*games["a"], *games["b"]}}
        names, points, met = score_matrix(games, groups)
        if BASELINE not in names:
            continue
        column = names.index(BASELINE)
        for kind in kinds:
            own = [i for i, name in enumerate(names) if name != BASELINE and _kind(name) == kind and met[i, column]]
            if len(own) > 1:
                scores.setdefault(kind, {})[board] = points[own, column] / met[own, column]
    rows = []
    for kind, by_board in scores.items():
        middle = stats.interquartile_mean(by_board)
        rows.append({"kind": kind, "boards": " ".join(by_board), "runs": sum(map(len, by_board.values())),
                     "iqm": middle.value, **_bounds(middle)})  # fmt: skip
    return pd.DataFrame(rows)


@once_there("what runs score against all of Baseline's.")
def overall_table(frame: pd.DataFrame) -> Html:
    """:func:`overall` as a table."""
    return table(
        frame,
        "What a run scores against all of Baseline's runs, over all games: the interquartile mean over runs, with a "
        "bootstrap interval stratified by game. Elo of different games cannot be averaged; scores can.",
        {
            "kind": ("kind", kind_name),
            "games learned": ("boards", lambda boards: ", ".join(map(board_name, boards.split()))),
            "runs": "runs",
            "score against Baseline %": ("iqm", percent),
            "95 % interval": between,
        },
    )
