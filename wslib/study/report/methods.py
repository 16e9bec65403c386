"""Method against method in a tournament: win rates, and the same games judged by the run and as the thesis judged them.

Frames are those of :mod:`wslib.study.report.warm`: a row per pair of entrants, called ``<kind>-<seed>``, or per
rated run.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from wslib.study.report.look import (
    Html,
    board_name,
    kind_name,
    once_there,
    p_value,
    panel_axes,
    percent,
    show_figure,
    show_table,
)
from wslib.study.statistics import stats
from wslib.study.statistics.pairings import ordered_pairs, score_matrix

BASELINE = "baseline"


@once_there("win rates of method against method.")
def matrix_figure(pairs: pd.DataFrame, kinds: Sequence[str]) -> Html:
    """Method against method: the row's score in all games between their runs."""
    boards = list(dict.fromkeys(pairs["board"]))
    tables = {}
    for board in boards:
        games = pairs[(pairs["board"] == board)]
        groups = {name: name.rsplit("-", 1)[0] for name in {*games["a"], *games["b"]}}
        names, points, met = score_matrix(games, groups)
        with np.errstate(invalid="ignore"):
            table = pd.DataFrame(points / met, index=names, columns=names)
        order = [k for k in (*kinds, "random") if k in names]
        tables[board] = table.loc[order, order]

    def draw() -> Figure:
        size = max(len(t) for t in tables.values())
        figure, axes = panel_axes(len(boards), 0.62 * size + 1.1, 0.52 * size + 1.2)
        for axis, board in zip(axes, boards, strict=True):
            table = tables[board]
            axis.imshow(table, cmap="PuOr_r", vmin=0, vmax=1)
            for (i, j), value in np.ndenumerate(table.to_numpy()):
                if np.isfinite(value):
                    ink = "#ffffff" if abs(value - 0.5) > 0.3 else "#000000"
                    axis.text(j, i, f"{100 * value:.0f}", ha="center", va="center", color=ink, fontsize=8)
            names = [kind_name(k) for k in table]
            axis.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=8)
            axis.set_yticks(range(len(names)), names, fontsize=8)
            axis.set_title(board_name(board))
        figure.tight_layout()
        return figure

    listed = "; ".join(
        f"{board_name(b)}, {kind_name(i)} against {kind_name(j)}: {100 * t.loc[i, j]:.0f} %"
        for b, t in tables.items()
        for i, j in product(t.index, t.columns)
        if i < j and np.isfinite(t.loc[i, j])
    )
    return show_figure(
        draw,
        f"Scores of the row against the column. {listed}.",
        "Win rates in %, the row against the column, over all games between the runs of two kinds.",
        _played(pairs),
    )


def _played(pairs: pd.DataFrame) -> pd.DataFrame:
    """The counts of a tournament, a row per pair."""
    counts = [f"{name}_{colour}" for name in ("wins", "draws", "losses") for colour in ("first", "second")]
    return pairs[["unit", "board", "pool", "a", "b", "games", "distinct", *counts]].convert_dtypes()


def _kind(entrant: str) -> str:
    return entrant.rsplit("-", 1)[0]


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


def _between(row: Any) -> str:
    return f"{percent(row.low)} to {percent(row.high)}"


def against_baseline_table(compared: pd.DataFrame) -> Html:
    """:func:`against_baseline` as a table."""
    rows = [
        {
            "game": board_name(row.board),
            "kind": kind_name(row.kind),
            "runs": f"{row.runs} and {row.baseline_runs}",
            "Elo difference": f"{row.difference:+.0f}",
            "p over runs": p_value(row.p),
            "ahead of Baseline % (95 %)": percent(row.ahead) + ("" if np.isnan(row.low) else f" ({_between(row)})"),
            "pooled games": f"{row.wins:,} : {row.losses:,}",
            "p of pooled games": p_value(row.pooled_p),
        }
        for row in compared.itertuples()
    ]
    return show_table(
        pd.DataFrame(rows),
        "Each kind against Baseline. By the run: difference of mean Elo, its permutation test (not corrected here), "
        "and the probability that a run is rated above one of Baseline's, with its bootstrap interval (none where no "
        "runs overlap, nor of two runs). As the thesis "
        "tested: games won and lost, pooled over all runs, and the binomial test that takes them for independent.",
        data=compared,
    )


def pooled_prose(compared: pd.DataFrame) -> str:
    """How often the two tests would speak of a difference."""
    runs, pooled = ((compared[name] < stats.ALPHA).sum() for name in ("p", "pooled_p"))
    return (
        f"Of {len(compared)} comparisons, {pooled} would be called significant by pooled games, and {runs} over runs "
        f"(p below {100 * stats.ALPHA:.0f} %, neither corrected)."
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


def overall_table(frame: pd.DataFrame) -> Html:
    """:func:`overall` as a table."""
    rows = [
        {
            "kind": kind_name(row.kind),
            "games learned": ", ".join(board_name(board) for board in row.boards.split()),
            "runs": row.runs,
            "score against Baseline %": percent(row.iqm),
            "95 % interval": "–" if np.isnan(row.low) else _between(row),
        }
        for row in frame.itertuples()
    ]
    return show_table(
        pd.DataFrame(rows),
        "Over the games: what a run scores against all of Baseline's runs, interquartile mean over runs (the middle "
        "half), with a bootstrap interval stratified by game. Elo of different games cannot be averaged; scores can.",
        data=frame,
    )
