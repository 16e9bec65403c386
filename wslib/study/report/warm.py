"""Trained players: Elo by run, tournaments, strength on the way, and how long warm starts last.

The unit is the training run: every run is a point, and means, intervals and tests are over runs. Frames have a row per
unit with its labels (``board``, ``kind``, ``method``, ``seed``) or per pair of entrants (``a``, ``b``, their counts),
where an entrant is called ``<kind>-<seed>``. Elo values of different pools are on different scales.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wslib.study.report.look import (
    Html,
    board_name,
    kind_name,
    look_of,
    method_name,
    not_there,
    once_there,
    panel_axes,
    percent,
    show_figure,
    show_table,
)
from wslib.study.statistics import stats
from wslib.study.statistics.decide import FEWEST_RUNS, FEWEST_SHOWN
from wslib.study.statistics.rating import Rating


def coverage_table(found: pd.DataFrame, asked: pd.DataFrame, scale: str) -> Html:
    """How many of the runs that the source has are there."""
    total = asked.groupby(["board", "kind"], sort=False).size()
    there = found.groupby(["board", "kind"], sort=False).size()
    boards = list(dict.fromkeys(asked["board"]))
    rows = [
        {"kind": kind_name(kind)}
        | {
            board_name(b): f"{there.get((b, kind), 0)} of {total[b, kind]}" if (b, kind) in total else ""
            for b in boards
        }
        for kind in dict.fromkeys(asked["kind"])
    ]
    return show_table(pd.DataFrame(rows), f"Training runs that are there, of those asked for (preset {scale}).")


def rated(pairs: pd.DataFrame) -> int:
    """How many runs have met all others of their pool."""
    entrants = pd.concat([pairs[["board", side]].set_axis(["board", "name"], axis=1) for side in ("a", "b")])
    return len(entrants[entrants["name"].str.contains("-")].drop_duplicates())


def rated_prose(pairs: pd.DataFrame, boards: Sequence[str]) -> str:
    """The same, game by game."""
    counts = {board_name(board): rated(pairs[pairs["board"] == board]) for board in boards}
    return ", ".join(f"{count or 'none'} in {name}" for name, count in counts.items())


def scale_words(asked: Any) -> str:
    """The scale of an experiment's runs, in words."""
    return f"the preset {asked.preset}, {asked.iterations} iterations a run"


def coverage_prose(found: pd.DataFrame, asked: pd.DataFrame, scale: str, iterations: int, pairs: pd.DataFrame) -> str:
    """The same as a sentence, with how many of the runs have met all others of their pool."""
    return (
        f"{len(found)} of {len(asked)} training runs are there, with the preset {scale} and {iterations} iterations; "
        f"{rated(pairs)} of them have played a whole round robin and are rated. More runs in `data/` change every "
        "table, figure and verdict without an edit."
    )


def of_whole_runs(frame: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Rows about runs that have come to their end; networks of others, on the way, would bend the means of the last."""
    whole = set(_run_keys(runs))
    return frame[[key in whole for key in _run_keys(frame)]]


def _run_keys(frame: pd.DataFrame) -> list[tuple[str, str, int]]:
    # Beside rows without a seed, seeds have become floats.
    return list(zip(frame["board"], frame["kind"], frame["seed"].astype(float).astype(int), strict=True))


# --- tournaments --------------------------------------------------------------------------------------------------


def _strip(axis: Axes, places: Sequence[float], groups: Sequence[np.ndarray], looks: Sequence[tuple[str, str]]) -> None:
    """Every run a mark, their mean a bar, and its 95 % interval where there are enough runs to decide anything."""
    for place, values, (colour, mark) in zip(places, groups, looks, strict=True):
        shifts = np.linspace(-0.18, 0.18, len(values)) if len(values) > 1 else np.zeros(1)
        axis.scatter(place + shifts, values, s=16, color=colour, marker=mark, alpha=0.75, zorder=3)
        axis.hlines(np.mean(values), place - 0.3, place + 0.3, color=colour, linewidth=2, zorder=2)
        if len(values) >= FEWEST_RUNS:
            low, high = stats.mean_interval(values)
            axis.vlines(place, low, high, color=colour, linewidth=1, alpha=0.8, zorder=1)


@once_there("Elo of every run.")
def elo_figure(elos: pd.DataFrame, kinds: Sequence[str], caption: str, by: str = "board") -> Html:
    """Elo of every run, a panel per pool, a column per kind."""
    shown = elos[elos["kind"].isin(kinds)]
    if shown.empty:  # players without a network may be rated before any run is
        return not_there("Elo of every run.")
    pools = list(dict.fromkeys(shown[by]))

    def draw() -> Figure:
        width = max(3.4, 0.5 * len(kinds) + 1.2)
        figure, axes = panel_axes(len(pools), width, 3.6, "Elo")
        for axis, panel in zip(axes, pools, strict=True):
            rows = shown[shown[by] == panel]
            present = [k for k in kinds if (rows["kind"] == k).any()]
            groups = [rows.loc[rows["kind"] == k, "elo"].to_numpy() for k in present]
            _strip(axis, range(len(present)), groups, [look_of(k) for k in present])
            axis.set_xticks(range(len(present)), [kind_name(k) for k in present], rotation=35, ha="right", fontsize=8)
            axis.set_title(board_name(panel) if by == "board" else kind_name(panel))
            axis.grid(axis="y")
        figure.tight_layout()
        return figure

    caption += f" Marks are runs, bars their means, thin lines 95 % intervals of the mean (from {FEWEST_RUNS} runs on)."
    means = shown.groupby([by, "kind"], sort=False)["elo"].mean()
    listed = "; ".join(f"{board_name(b)}, {kind_name(k)}: {v:+.0f}" for (b, k), v in means.items())
    return show_figure(draw, f"Elo of the runs by kind. Means: {listed}.", caption, shown)


@once_there("mean Elo of the runs of each kind.")
def elo_table(elos: pd.DataFrame, kinds: Sequence[str], caption: str) -> Html:
    """Mean and spread of the runs of each kind."""
    rows = []
    for board, kind in product(dict.fromkeys(elos["board"]), kinds):
        group = elos[(elos["board"] == board) & (elos["kind"] == kind)]
        if group.empty:
            continue
        values = group["elo"].to_numpy()
        between = stats.mean_interval(values) if len(values) >= FEWEST_SHOWN else None
        rows.append(
            {
                "game": board_name(board),
                "kind": kind_name(kind),
                "runs": len(group),
                "mean Elo": group["elo"].mean(),
                "95 % interval": f"{between.low:+.0f} to {between.high:+.0f}" if between else "–",
                "sd": values.std(ddof=1) if len(values) > 1 else np.nan,
                "score %": group["score"].mean(),
                "draws %": group["draws"].mean(),
            }
        )
    number = {"mean Elo": "{:+.0f}", "sd": _or_dash, "score %": percent, "draws %": percent}
    caption += " The interval is Student's, of the mean over runs; sd divides by the number of runs minus one."
    return show_table(pd.DataFrame(rows), caption, number, elos[elos["kind"].isin(kinds)])


def _or_dash(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.0f}"


@once_there("what each pool rests on.")
def pools_table(pairs: pd.DataFrame, ratings: Mapping[tuple[str, str], Rating]) -> Html:
    """What each pool rests on: entrants, games, distinct games, draws, the first move."""
    rows = []
    for (board, pool), rating in ratings.items():
        games = pairs[(pairs["board"] == board) & (pairs["pool"] == pool)]
        total = games["games"].sum()
        drawn = games[["draws_first", "draws_second"]].to_numpy().sum()
        first = games["wins_first"].sum() + games["losses_second"].sum() + drawn / 2
        rows.append({
            "game": board_name(board), "pool": "all" if pool in ("final", "all", "anchored") else kind_name(pool),
            "entrants": len(rating.players), "games": f"{total:,.0f}",
            "distinct within their pair %": f"{100 * games['distinct'].sum() / total:.0f}",
            "draws %": f"{100 * drawn / total:.0f}", "first mover's score %": f"{100 * first / total:.0f}",
            "first move": f"{rating.advantage:+.0f} Elo", "drawelo": f"{rating.drawelo:.0f}",
        })  # fmt: skip
    shown = pd.DataFrame(rows)
    return show_table(
        shown.drop(columns="pool") if (shown["pool"] == "all").all() else shown,
        "What each pool rests on: games, how many of them differ from the others of their pair, draws, and what the "
        "first move is worth. Draws and the first move's advantage are estimated with the ratings.",
    )


# --- on the way ---------------------------------------------------------------------------------------------------


@once_there("networks on their way.")
def way_figure(rows: pd.DataFrame, column: str, label: str, kinds: Sequence[str], caption: str) -> Html:
    """A number of every network on its way (``board``, ``kind``, ``seed``, ``iteration``): runs thin, means thick."""
    boards = list(dict.fromkeys(rows["board"]))

    def draw() -> Figure:
        figure, axes = panel_axes(len(boards), 4.2, 3.6, label)
        for axis, board in zip(axes, boards, strict=True):
            for kind in kinds:
                group = rows[(rows["board"] == board) & (rows["kind"] == kind)]
                if group.empty:
                    continue
                colour, mark = look_of(kind)
                for _, run in group.groupby("seed"):
                    axis.plot(run["iteration"], run[column], color=colour, linewidth=0.5, alpha=0.35)
                means = group.groupby("iteration")[column].mean()
                axis.plot(
                    means.index, means, color=colour, marker=mark, markersize=4, linewidth=1.6, label=kind_name(kind)
                )
            axis.set_xscale("log")
            ticks = sorted(set(rows["iteration"]))
            axis.set_xticks(ticks, [f"{t:.0f}" for t in ticks], fontsize=8)
            axis.minorticks_off()
            axis.set_xlabel("iteration")
            axis.set_title(board_name(board))
            axis.grid(axis="y")
        handles, names = axes[0].get_legend_handles_labels()
        figure.tight_layout(rect=(0, 0.1, 1, 1))
        figure.legend(handles, names, loc="lower center", ncols=6, fontsize=8)
        return figure

    last = rows[rows["iteration"] == rows["iteration"].max()]
    means = last.groupby(["board", "kind"], sort=False)[column].mean()
    listed = "; ".join(f"{board_name(b)}, {kind_name(k)}: {v:.2f}" for (b, k), v in means.items())
    return show_figure(draw, f"{label} by iteration. Means at the last one: {listed}.", caption, rows)


@once_there("networks on their way.")
def way_table(aged: pd.DataFrame) -> Html:
    """How far all enhancements together are above Baseline on the way, by iteration."""
    rows = []
    for board, here in aged.groupby("board", sort=False):
        cold = here["kind"] == "baseline"
        means = [group.groupby("iteration")["elo"].mean() for group in (here[~cold], here[cold])]
        gaps = (means[0] - means[1]).dropna()
        if len(gaps):
            rows.append({"game": board_name(str(board))} | {f"after {k}": f"{gap:+.0f}" for k, gap in gaps.items()})
    return show_table(
        pd.DataFrame(rows).fillna("–"),
        "Mean Elo of all runs with a warm start minus Baseline's, by the number of iterations.",
    )


@once_there("networks against perfect play.")
def perfect_table(perfect: pd.DataFrame) -> Html:
    """How good the last networks are, with and without their search, on both sets."""
    last = perfect[perfect["iteration"] == perfect["iteration"].max()]
    means = last.groupby(["board", "way", "set"], sort=False)["optimal"].mean().unstack("set")
    names = {"raw": "the network alone", "search": "with its search"}
    rows = [
        {"game": board_name(board), "player": names[way]} | {f"{which} %": f"{100 * mean:.0f}" for which, mean in
                                                              row.items()}
        for (board, way), row in means.iterrows()
    ]  # fmt: skip
    return show_table(
        pd.DataFrame(rows),
        f"Optimal moves after {last['iteration'].max():.0f} iterations: means over all runs, by set of positions.",
    )


# --- how long (Fig. 6.1) ------------------------------------------------------------------------------------------


def panels(runs: pd.DataFrame, methods: Sequence[str]) -> list[str]:
    """Enhancements with runs of two lengths at least."""
    lengths = runs[runs["length"] > 0].groupby("method")["length"].nunique()
    return [method for method in methods if lengths.get(method, 0) > 1]


@once_there("Elo by the length of the warm start.")
def length_figure(elos: pd.DataFrame, methods: Sequence[str], lengths: Sequence[int]) -> Html:
    """Elo by the length of the warm start, a panel per enhancement; length 0 is Baseline."""
    shown = [m for m in methods if (elos["pool"] == m).any()]

    def draw() -> Figure:
        figure, axes = panel_axes(len(shown), 2.9, 3.2, "Elo")
        for axis, method in zip(axes, shown, strict=True):
            here = elos[elos["pool"] == method]
            kinds = [k for k in _length_kinds(method, lengths) if (here["kind"] == k).any()]
            groups = [here.loc[here["kind"] == k, "elo"].to_numpy() for k in kinds]
            _strip(axis, range(len(kinds)), groups, [look_of(k) for k in kinds])
            axis.set_xticks(range(len(kinds)), [k.split()[1] if " " in k else "0" for k in kinds])
            axis.set_xlabel("I'")
            axis.set_title(method_name(method), fontsize=10)
            axis.grid(axis="y")
        figure.tight_layout()
        return figure

    means = elos[elos["kind"].notna()].groupby(["pool", "kind"], sort=False)["elo"].mean()
    listed = "; ".join(f"{kind_name(p)}, {kind_name(k)}: {v:+.0f}" for (p, k), v in means.items())
    return show_figure(
        draw,
        f"Elo by length of the warm start. Means: {listed}.",
        "Elo by I', a pool per enhancement (random: 0; 0 iterations are Baseline). Marks are runs, bars their means, "
        f"thin lines 95 % intervals of the mean (from {FEWEST_RUNS} runs on).",
        elos,
    )


def _length_kinds(method: str, lengths: Sequence[int]) -> list[str]:
    return ["baseline", *(f"{method} {length}" for length in lengths)]


@once_there("mean Elo by the length of the warm start.")
def length_table(elos: pd.DataFrame, methods: Sequence[str], lengths: Sequence[int]) -> Html:
    """Mean Elo by enhancement and length, with the number of runs."""
    rows = []
    for method in methods:
        here = elos[elos["pool"] == method]
        cells = {"0 (Baseline)" if k == "baseline" else k.split()[1]: here.loc[here["kind"] == k, "elo"]
                 for k in _length_kinds(method, lengths)}  # fmt: skip
        shown = {name: f"{v.mean():+.0f} ({len(v)})" if len(v) else "–" for name, v in cells.items()}
        rows.append({"enhancement": method_name(method)} | shown)
    return show_table(pd.DataFrame(rows), "Mean Elo by I' (number of runs), each row a pool of its own.", data=elos)


def best_length(elos: pd.DataFrame, method: str) -> str | None:
    """The kind with the highest mean in the enhancement's pool, Baseline aside; None with fewer than two kinds."""
    here = elos[(elos["pool"] == method) & elos["kind"].notna() & (elos["kind"] != "baseline")]
    means = here.groupby("kind")["elo"].mean()
    return str(means.idxmax()) if len(means) > 1 else None


@once_there("the best observed lengths.")
def length_prose(elos: pd.DataFrame, methods: Sequence[str]) -> str:
    """The best observed lengths, and how many runs they rest on."""
    best = {m: b for m in methods if (b := best_length(elos, m))}
    if not best:
        return "No enhancement has rated runs of two lengths yet."
    listed = ", ".join(f"{method_name(m)} {b.split()[1]}" for m, b in best.items())
    fewest = int(elos[elos["kind"].isin(best.values())].groupby(["pool", "kind"]).size().min())
    return (
        f"The best observed lengths: {listed}; the thesis has 7 for RAVE and WRoRa. "
        f"They rest on {fewest} run{'s' if fewest != 1 else ''} a length."
    )


@once_there("the kinds' mean Elo minus Baseline's.")
def beyond_prose(elos: pd.DataFrame) -> str:
    """How far the kinds are from Baseline, game by game."""
    parts = []
    for board, here in elos[elos["kind"].notna()].groupby("board", sort=False):
        means = here.groupby("kind", sort=False)["elo"].mean()
        if "baseline" in means:
            gaps = ", ".join(
                f"{kind_name(str(k))} {v - means['baseline']:+.0f}" for k, v in means.items() if k != "baseline"
            )
            parts.append(f"{board_name(str(board))}: {gaps}")
    return "Mean Elo minus Baseline's, for what so few runs are worth: " + "; ".join(parts) + "."


# --- the control --------------------------------------------------------------------------------------------------


def scale_table(elos: pd.DataFrame, methods: Sequence[str], scales: Sequence[str]) -> Html:
    """Differences of mean Elo: a method's over Baseline in each preset, and of a preset over the other by method."""
    kinds = {kind: elos[elos["kind"] == kind] for kind in elos["kind"].dropna().unique()}
    pairs = [(f"{method} {scale}", f"baseline {scale}") for scale in scales for method in methods[1:]]
    pairs += [
        (f"{method} {scales[0]}", f"{method} {scale}") for scale in dict.fromkeys(scales[1:]) for method in methods
    ]
    rows = []
    for board, (first, second) in product(dict.fromkeys(elos["board"]), dict.fromkeys(pairs)):
        groups = [kinds[k].loc[kinds[k]["board"] == board, "elo"] for k in (first, second) if k in kinds]
        if first != second and len(groups) == 2 and all(len(group) for group in groups):
            rows.append(
                {
                    "game": board_name(board),
                    "difference of": f"{kind_name(first)} − {kind_name(second)}",
                    "runs": " and ".join(str(len(group)) for group in groups),
                    "mean Elo": groups[0].mean() - groups[1].mean(),
                    "the runs' sd": " and ".join(_or_dash(group.std()) for group in groups),
                }
            )
    columns = ["game", "difference of", "runs", "mean Elo", "the runs' sd"]
    caption = "Differences of mean Elo, of runs in one tournament; without a verdict."
    return show_table(pd.DataFrame(rows, columns=columns), caption, {"mean Elo": "{:+.0f}"}, elos)
