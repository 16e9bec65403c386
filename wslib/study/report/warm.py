"""Trained players: Elo by run, tournaments, strength on the way, and how long warm starts last.

The unit is the training run: every run is a point, and means, intervals and tests are over runs. Frames have a row per
unit with its labels (``board``, ``kind``, ``method``, ``seed``) or per pair of entrants (``a``, ``b``, their counts),
where an entrant is called ``<kind>-<seed>``. Elo values of different pools are on different scales.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import scipy
from matplotlib.axes import Axes

from wslib.study.names import board_name, kind_name, method_name, percent
from wslib.study.report.charts import Draw, curves, finding, looks_of, show_panels, strips, ticks_at
from wslib.study.report.look import GREY, NAMES, Html, look_of, not_there, once_there, show_table, table
from wslib.study.statistics import stats
from wslib.study.statistics.decide import FEWEST_RUNS, FEWEST_SHOWN
from wslib.study.statistics.rating import Rating


def coverage_table(found: pd.DataFrame, asked: pd.DataFrame, scale: str) -> Html:
    """How many of the runs that the source has are there."""
    total, there = (frame.groupby(["board", "kind"], sort=False).size() for frame in (asked, found))
    boards = dict.fromkeys(asked["board"])

    def counted(board: str) -> Callable[[Any], str]:
        return lambda row: f"{there.get((board, row.kind), 0)} of {total.get((board, row.kind), 0)}"

    columns = {"kind": ("kind", kind_name)} | {board_name(board): counted(board) for board in boards}
    kinds = asked[["kind"]].drop_duplicates()
    return table(kinds, f"How many of the training runs that are asked for are there (preset {scale}).", columns)


def rated(pairs: pd.DataFrame) -> int:
    """How many runs have met all others of their pool."""
    entrants = pd.concat([pairs[["board", side]].set_axis(["board", "name"], axis=1) for side in ("a", "b")])
    return len(entrants[entrants["name"].str.contains("-")].drop_duplicates())


def rated_of(pairs: pd.DataFrame, asked: pd.DataFrame) -> str:
    """How many of the runs that are asked for are rated, as a sentence."""
    number = rated(pairs)
    return f"It rests on {number} rated run{'' if number == 1 else 's'} of {len(asked)}."


def coverage_prose(found: pd.DataFrame, asked: pd.DataFrame, scale: str, iterations: int, pairs: pd.DataFrame) -> str:
    """How many training runs are there, and how many of them have met all others of their pool, as a sentence."""
    return (
        f"{len(found)} of {len(asked)} training runs are there, with the preset {scale} and {iterations} iterations; "
        f"{rated(pairs)} of them have met all others in a tournament and are rated. When more runs are added to "
        "`data/`, every table, figure and verdict follows."
    )


def of_whole_runs(frame: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Rows about runs that have come to their end; networks of others, on the way, would bend the means of the last."""
    whole = set(_run_keys(runs))
    return frame[[key in whole for key in _run_keys(frame)]]


def _run_keys(frame: pd.DataFrame) -> list[tuple[str, str, int]]:
    # Beside rows without a seed, seeds have become floats.
    return list(zip(frame["board"], frame["kind"], frame["seed"].astype(float).astype(int), strict=True))


# --- tournaments --------------------------------------------------------------------------------------------------


@once_there("Elo of every run.")
def elo_figure(elos: pd.DataFrame, kinds: Sequence[str], caption: str, by: str = "board") -> Html:
    """Elo of every run, a panel per pool, a row per kind."""
    shown = elos[elos["kind"].isin(kinds)]
    if shown.empty:  # players without a network may be rated before any run is
        return not_there("Elo of every run.")
    panels, height = strips(shown, "elo", kinds, by)
    caption += f" Marks are runs, bars their means, thin lines 95 % intervals of the mean (from {FEWEST_RUNS} runs on)."
    means = shown.groupby([by, "kind"], sort=False)["elo"].mean()
    return show_panels(panels, f"Mean Elo of the runs. {finding(means)}", caption, shown, across="Elo", height=height)


@once_there("mean Elo of the runs of each kind.")
def elo_table(elos: pd.DataFrame, kinds: Sequence[str], caption: str) -> Html:
    """Mean and spread of the runs of each kind, from three runs on with the interval of the mean."""
    groups = elos[elos["kind"].isin(kinds)].groupby(["board", "kind"], sort=False)
    more = {"runs": groups.size(), "sd": groups["elo"].std(), "values": groups["elo"].agg(list)}
    cells = groups[["elo", "score", "draws"]].mean().assign(**more)
    order = [key for key in product(dict.fromkeys(elos["board"]), kinds) if key in cells.index]
    return table(
        cells.loc[order].reset_index(),
        caption + " The interval is Student's, of the mean over runs; sd divides by the number of runs minus one.",
        NAMES
        | {
            "runs": "runs",
            "mean Elo": ("elo", "{:+.0f}"),
            "95 % interval": ("values", _interval),
            "sd": ("sd", "{:.0f}"),
            "score %": ("score", percent),
            "draws %": ("draws", percent),
        },
    )


def _interval(values: list[float]) -> str:
    if len(values) < FEWEST_SHOWN:
        return "–"
    return "{:+.0f} to {:+.0f}".format(*stats.mean_interval(np.array(values)))


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
        "What the ratings rest on: games, how many of them differ from all others of their pair, draws, and what the "
        "first move is worth. The last two columns are estimated together with the ratings.",
    )


# --- on the way ---------------------------------------------------------------------------------------------------


@once_there("networks on their way.")
def way_figure(rows: pd.DataFrame, column: str, label: str, kinds: Sequence[str], caption: str) -> Html:
    """A number of every network on its way (``board``, ``kind``, ``seed``, ``iteration``): runs thin, means thick."""
    looks = looks_of([kind for kind in kinds if (rows["kind"] == kind).any()])
    last = rows[rows["iteration"] == rows["iteration"].max()]
    means = last.groupby(["board", "kind"], sort=False)[column].mean()
    return show_panels(
        curves(rows, "iteration", column, looks, log=True, runs_too=True),
        f"{label} after {last['iteration'].max():.0f} iterations. {finding(means, '{:.0f}')}",
        caption,
        rows,
        key={kind_name(kind): look for kind, look in looks.items()},
        across="iteration",
        up=label,
    )


def gains(aged: pd.DataFrame) -> pd.DataFrame:
    """Mean Elo of every kind minus Baseline's by game and iteration, with its interval from three runs a side on."""
    rows = []
    for (board, iteration), here in aged.groupby(["board", "iteration"], sort=False):
        cold = here[here["kind"] == "baseline"]
        for kind, warm in here[here["kind"] != "baseline"].groupby("kind", sort=False):
            enough = min(len(warm), len(cold)) >= FEWEST_SHOWN
            low, high = stats.difference_interval(warm["elo"], cold["elo"]) if enough else (np.nan, np.nan)
            units = " ".join(dict.fromkeys([*warm["unit"], *cold["unit"]]))
            rows.append((board, kind, iteration, warm["elo"].mean() - cold["elo"].mean(), low, high, units))
    found = pd.DataFrame(rows, columns=["board", "kind", "iteration", "gain", "low", "high", "units"])
    return found.dropna(subset="gain").sort_values("iteration", kind="stable")


@once_there("how far each warm start is above Baseline on the way.")
def gains_figure(aged: pd.DataFrame, kinds: Sequence[str]) -> Html:
    """Warm minus Baseline over the iterations: a panel per enhancement and game, with a band and the last gain."""
    found = gains(aged)
    if found.empty:
        return not_there("how far each warm start is above Baseline on the way.")

    def drawn(rows: pd.DataFrame, kind: str) -> Draw:
        def draw(axis: Axes) -> None:
            colour, mark = look_of(kind)
            axis.axhline(0, color=GREY, linewidth=0.9)
            axis.fill_between(rows["iteration"], rows["low"], rows["high"], color=colour, alpha=0.2, linewidth=0)
            axis.plot(rows["iteration"], rows["gain"], color=colour, marker=mark, linewidth=1.6)
            ticks_at(axis, list(set(found["iteration"])), log=True)
            end = rows.iloc[-1]
            axis.annotate(f"{end['gain']:+.0f}", (end["iteration"], end["gain"]), (6, 0), va="center",
                          textcoords="offset points", annotation_clip=False)  # fmt: skip

        return draw

    panels = {
        f"{kind_name(kind)}, {board_name(board)}": drawn(rows, kind)
        for kind in kinds
        for board in dict.fromkeys(found["board"])
        if len(rows := found[(found["kind"] == kind) & (found["board"] == board)])
    }
    last = found[found["iteration"] == found["iteration"].max()].groupby(["board", "kind"], sort=False)["gain"].mean()
    return show_panels(
        panels,
        f"Elo above Baseline after {found['iteration'].max()} iterations. {finding(last)}",
        "How far each warm start is above Baseline over the iterations, in Elo: the difference of means, with a 95 % "
        "band where there are three runs a side. The number is the last difference. Where the band contains zero, "
        "chance alone could make such a difference.",
        found,
        across="iteration",
        up="Elo above Baseline",
        height=1.9,
        same_up=True,
    )


@once_there("strength beside perfect play and time.")
def beside_figure(elos: pd.DataFrame, beside: pd.DataFrame, column: str, across: str, caption: str) -> Html:
    """Every run's Elo against another number of it, ``column`` of ``beside`` (by ``board``, ``kind`` and ``seed``)."""
    keys = ["board", "kind", "seed"]
    both = (
        elos.dropna(subset="kind").astype({"seed": int}).merge(beside[[*keys, column]].astype({"seed": int}), on=keys)
    )
    both = both.dropna(subset=column)
    if both.empty:
        return not_there("strength beside perfect play and time.")
    looks = looks_of(list(dict.fromkeys(both["kind"])), line="")

    def drawn(rows: pd.DataFrame) -> Draw:
        def draw(axis: Axes) -> None:
            for kind, look in looks.items():
                here = rows[rows["kind"] == kind]
                axis.plot(here[column], here["elo"], **look.plot)
            axis.grid()

        return draw

    ranked = {
        board_name(str(board)): scipy.stats.spearmanr(rows[column], rows["elo"]).statistic if len(rows) > 2 else np.nan
        for board, rows in both.groupby("board", sort=False)
    }
    said = "; ".join(f"{name} {tau:+.2f}" for name, tau in ranked.items() if not np.isnan(tau)) or "too few runs to say"
    return show_panels(
        {board_name(str(board)): drawn(rows) for board, rows in both.groupby("board", sort=False)},
        f"How Elo goes with {across}, as Spearman's correlation over the runs: {said}.",
        f"{caption} Spearman's correlation over the runs, where 1 is the same order: {said}.",
        both[["unit", *keys, "elo", column]],
        key={kind_name(kind): look for kind, look in looks.items()},
        across=across,
        up="Elo",
    )


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
        "How far all runs with a warm start are above Baseline on the way: differences of mean Elo, by the number of "
        "iterations.",
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
        f"How often the networks move optimally after {last['iteration'].max():.0f} iterations, alone and with their "
        "search: means over all runs, by set of positions.",
    )


def last_optimal(perfect: pd.DataFrame) -> pd.DataFrame:
    """Percent of optimal moves of every run's last network with its search, the mean over both sets of positions."""
    keys = ["board", "kind", "seed"]
    if perfect.empty:
        return pd.DataFrame(columns=[*keys, "optimal"])
    last = perfect[(perfect["iteration"] == perfect["iteration"].max()) & (perfect["way"] == "search")]
    return (100 * last.groupby(keys, sort=False)["optimal"].mean()).reset_index()


def minutes_of(runs: pd.DataFrame, provenance: pd.DataFrame) -> pd.DataFrame:
    """Processor minutes of every run, by its labels; those that were taken up again have none."""
    if "cpu_seconds" not in provenance:
        return runs[["board", "kind", "seed"]].assign(minutes=np.nan)
    minutes = pd.to_numeric(provenance["cpu_seconds"], errors="coerce") / 60
    timed = pd.DataFrame({"unit": provenance["unit"], "minutes": minutes})
    return runs[["board", "kind", "seed", "unit"]].merge(timed, on="unit")


# --- how long (Fig. 6.1) ------------------------------------------------------------------------------------------


def panels(runs: pd.DataFrame, methods: Sequence[str]) -> list[str]:
    """Enhancements with runs of two lengths at least."""
    lengths = runs[runs["length"] > 0].groupby("method")["length"].nunique()
    return [method for method in methods if lengths.get(method, 0) > 1]


@once_there("Elo by the length of the warm start.")
def length_figure(elos: pd.DataFrame, methods: Sequence[str], lengths: Sequence[int]) -> Html:
    """Elo by the length of the warm start, a panel per enhancement; length 0 is Baseline."""
    kinds = ["baseline", *(f"{method} {length}" for method in methods for length in lengths)]
    shown = elos[elos["pool"].isin(methods) & elos["kind"].isin(kinds)]
    panels, height = strips(shown, "elo", kinds, "pool")
    means = shown.groupby(["pool", "kind"], sort=False)["elo"].mean().rename(method_name, level="pool")
    return show_panels(
        panels,
        f"Mean Elo by the length of the warm start. {finding(means)}",
        "Elo by the length I' of the warm start, in a pool for each enhancement. The random player has 0, and Baseline "
        "has no warm start. Marks are runs, bars their means, thin lines 95 % intervals of the mean (from "
        f"{FEWEST_RUNS} runs on).",
        shown,
        across="Elo",
        height=height,
    )


@once_there("mean Elo by the length of the warm start.")
def length_table(elos: pd.DataFrame, methods: Sequence[str], lengths: Sequence[int]) -> Html:
    """Mean Elo by enhancement and length, with the number of runs."""
    found = elos.groupby(["pool", "kind"])["elo"].agg(["mean", "size"])

    def mean_of(length: int) -> Callable[[Any], str]:
        def written(row: Any) -> str:
            key = (row.method, f"{row.method} {length}" if length else "baseline")
            return "{:+.0f} ({:.0f})".format(*found.loc[key]) if key in found.index else "–"

        return written

    return table(
        pd.DataFrame({"method": list(methods)}),
        "Mean Elo by the length I' of the warm start, with the number of runs in brackets. Each row is a pool of its "
        "own.",
        {"enhancement": ("method", method_name), "0 (Baseline)": mean_of(0)}
        | {str(length): mean_of(length) for length in lengths},
    )


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
        return "No enhancement has rated runs of two lengths yet, so no length can be called the best."
    listed = ", ".join(f"{method_name(m)} {b.split()[1]}" for m, b in best.items())
    fewest = int(elos[elos["kind"].isin(best.values())].groupby(["pool", "kind"]).size().min())
    return (
        f"The lengths with the highest mean Elo are {listed}; the thesis has 7 for RAVE and WRoRa. They rest on as few "
        f"as {fewest} run{'s' if fewest != 1 else ''} a length."
    )


def over_baseline(elos: pd.DataFrame) -> pd.DataFrame:
    """How far every kind's mean Elo is from Baseline's, game by game: ``board``, ``kind``, ``gap``, ``runs``."""
    rows = []
    for board, here in elos[elos["kind"].notna()].groupby("board", sort=False):
        means = here.groupby("kind", sort=False)["elo"].mean()
        rows += [
            {"board": board, "kind": kind, "gap": mean - means["baseline"], "runs": int((here["kind"] == kind).sum())}
            for kind, mean in means.items()
            if "baseline" in means and kind != "baseline"
        ]
    return pd.DataFrame(rows, columns=["board", "kind", "gap", "runs"])


@once_there("the kinds' mean Elo minus Baseline's.")
def beyond_table(elos: pd.DataFrame) -> Html:
    """How far the kinds are from Baseline, game by game."""
    rows = [
        {"game": board_name(r.board), "kind": kind_name(r.kind), "Elo over Baseline": f"{r.gap:+.0f}", "runs": r.runs}
        for r in over_baseline(elos).itertuples()
    ]
    return show_table(pd.DataFrame(rows), "How far each kind of run is above Baseline in mean Elo, from very few runs.")


def farthest_prose(elos: pd.DataFrame) -> str:
    """The kinds that are farthest from Baseline in each game."""
    gaps = over_baseline(elos)
    if gaps.empty:
        return "No kind of run can be compared with Baseline yet."
    texts = []
    for board, here in gaps.groupby("board", sort=False):
        far = here.loc[here["gap"].abs().idxmax()]
        texts.append(f"in {board_name(str(board))} *{kind_name(far['kind'])}* ({far['gap']:+.0f} Elo)")
    return (
        f"The kinds of run that end farthest from Baseline are {', '.join(texts)}. We test nothing, since a kind has "
        f"no more than {gaps['runs'].max()} run{'s' if gaps['runs'].max() > 1 else ''} here: this only says where "
        "more runs would be worth their time."
    )


# --- the control --------------------------------------------------------------------------------------------------


def scale_table(elos: pd.DataFrame, methods: Sequence[str], scales: Sequence[str]) -> Html:
    """Differences of mean Elo: a method's over Baseline in each preset, and of a preset over the other by method."""
    pairs = [(f"{method} {scale}", f"baseline {scale}") for scale in scales for method in methods[1:]]
    pairs += [
        (f"{method} {scales[0]}", f"{method} {scale}") for scale in dict.fromkeys(scales[1:]) for method in methods
    ]
    groups = {key: group for key, group in elos.groupby(["board", "kind"])["elo"]}
    rows = [
        (board, f"{kind_name(first)} − {kind_name(second)}", groups[board, first], groups[board, second])
        for board, (first, second) in product(dict.fromkeys(elos["board"]), dict.fromkeys(pairs))
        if first != second and (board, first) in groups and (board, second) in groups
    ]
    return table(
        pd.DataFrame(rows, columns=["board", "pair", "ours", "theirs"]),
        "How far one kind of run is above another in mean Elo, in one tournament. No verdict is drawn from so few "
        "runs.",
        {
            "game": ("board", board_name),
            "difference of": "pair",
            "runs": lambda row: f"{len(row.ours)} and {len(row.theirs)}",
            "mean Elo": lambda row: f"{row.ours.mean() - row.theirs.mean():+.0f}",
            "the runs' sd": lambda row: f"{_sd(row.ours)} and {_sd(row.theirs)}",
        },
    )


def _sd(values: pd.Series) -> str:
    return f"{values.std():.0f}" if len(values) > 1 else "–"
