"""Trained players: Elo by run, tournaments, strength on the way, and how long warm starts last.

The unit is the training run: every run is a point, and means, intervals and tests are over runs. Frames have a row per
unit with its labels (``board``, ``kind``, ``method``, ``seed``) or per pair of entrants (``a``, ``b``, their counts),
where an entrant is called as :class:`.names.Entrant` says. Elo values of different pools are on different scales.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import scipy
from matplotlib.axes import Axes

from wslib.study.names import METHODS, board_name, kind_name, listed, method_name, method_of, percent
from wslib.study.report.charts import WIDE, by_panel, curves, finding, lines, looks_of, show_panels, strips, ticks_at
from wslib.study.report.look import GREY, NAMES, Html, look_of, not_there, once_there, table
from wslib.study.statistics import pools, stats
from wslib.study.statistics.decide import FEWEST_RUNS, FEWEST_SHOWN
from wslib.study.statistics.rating import Rating


@dataclass(frozen=True)
class Tournament:
    """What is there of an experiment whose runs meet in pools: its units that are there, and their labelled results."""

    asked: Any
    units: Sequence[Any]
    found: pd.DataFrame

    @cached_property
    def runs(self) -> pd.DataFrame:
        """The runs that are there."""
        return self.found[self.found["part"] == "run"]

    @cached_property
    def wanted(self) -> pd.DataFrame:
        """The labels of the runs that are asked for."""
        return self.asked.labels().query("part == 'run'")

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The games between those who have met all others of their pool."""
        return pools.round_robin(self.found[self.found["part"] == "pool"])

    @cached_property
    def ratings(self) -> dict[tuple[str, str], Rating]:
        """By game and pool; the random player has Elo 0."""
        return pools.pool_ratings(self.pairs, anchor="random")

    @cached_property
    def elos(self) -> pd.DataFrame:
        """A row per rated run."""
        return pools.run_elos(self.ratings, self.runs)

    @property
    def rated(self) -> int:
        """How many runs have met all others of their pool."""
        entrants = pd.concat([self.pairs[["board", side]].set_axis(["board", "name"], axis=1) for side in ("a", "b")])
        return len(entrants[entrants["name"].str.contains("-")].drop_duplicates())

    @property
    def scale(self) -> str:
        """The preset of its runs, or the presets."""
        return listed(getattr(self.asked, "scales", [self.asked.preset]))


def coverage_table(there: Tournament) -> Html:
    """How many of the runs that the source has are there."""
    total, found = (frame.groupby(["board", "kind"], sort=False).size() for frame in (there.wanted, there.runs))

    def counted(board: str) -> Callable[[Any], str]:
        def count(row: Any) -> str:
            asked = total.get((board, row.kind), 0)
            return f"{found.get((board, row.kind), 0)} of {asked}" if asked else "–"

        return count

    return table(
        there.wanted[["kind"]].drop_duplicates(),
        f"How many of the training runs that are asked for are there (preset {there.scale}).",
        {"kind": ("kind", kind_name)} | {board_name(board): counted(board) for board in there.wanted["board"].unique()},
    )


def rated_prose(there: Tournament) -> str:
    """How many of the runs that are asked for are rated, as a sentence."""
    return f"It rests on {there.rated} rated run{'' if there.rated == 1 else 's'} of {len(there.wanted)}."


def coverage_prose(there: Tournament) -> str:
    """How many training runs are there, and how many of them have met all others of their pool, as a sentence."""
    have, are = ("has", "is") if there.rated == 1 else ("have", "are")
    return (
        f"{len(there.runs)} of {len(there.wanted)} training runs are there, with {there.asked.iterations} iterations "
        f"and the preset {there.scale}; {there.rated} of them {have} met all others in a tournament and {are} rated. "
        "When more runs are added to `data/`, every table, figure and verdict follows."
    )


def of_whole_runs(frame: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Rows about runs that have come to their end; networks of others, on the way, would bend the means of the last."""
    whole = set(_run_keys(runs))
    return frame[pd.Series([key in whole for key in _run_keys(frame)], frame.index, dtype=bool)]


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
    caption += f" Marks are runs, bars their means, thin lines 95 % intervals of the mean (from {FEWEST_RUNS} runs on)."
    alt = f"Mean Elo of the runs. {finding(shown, 'elo', panel=by)}"
    return show_panels(strips(shown, "elo", kinds, by), alt, caption, shown, across="Elo")


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


def pools_table(there: Tournament) -> Html:
    """What each pool rests on: entrants, games, distinct games, draws, the first move."""
    if not there.ratings:
        return not_there("what each pool rests on.")
    counts = there.pairs.assign(
        drawn=there.pairs["draws_first"] + there.pairs["draws_second"],
        first=there.pairs["wins_first"] + there.pairs["losses_second"],
    )
    sums = counts.groupby(["board", "pool"], sort=False)[["games", "distinct", "drawn", "first"]].sum()
    columns = {
        "game": ("board", board_name),
        "pool": ("pool", kind_name),
        "entrants": lambda row: str(len(row.rating.players)),
        "games": ("games", "{:,.0f}"),
        "distinct within their pair %": lambda row: f"{100 * row.distinct / row.games:.0f}",
        "draws %": lambda row: f"{100 * row.drawn / row.games:.0f}",
        "first mover's score %": lambda row: f"{100 * (row.first + row.drawn / 2) / row.games:.0f}",
        "first move": lambda row: f"{row.rating.advantage:+.0f} Elo",
        "drawelo": lambda row: f"{row.rating.drawelo:.0f}",
    }
    if set(sums.index.levels[1]) <= {"final", "all"}:
        del columns["pool"]
    return table(
        sums.assign(rating=pd.Series(there.ratings)).reset_index(),
        "What the ratings rest on: games, how many of them differ from all others of their pair, draws, and what the "
        "first move is worth. The last two columns are estimated together with the ratings.",
        columns,
    )


# --- on the way ---------------------------------------------------------------------------------------------------


@once_there("networks on their way.")
def way_figure(rows: pd.DataFrame, column: str, label: str, kinds: Sequence[str], caption: str) -> Html:
    """A number of every network on its way (``board``, ``kind``, ``seed``, ``iteration``): runs thin, means thick."""
    looks = looks_of([kind for kind in kinds if (rows["kind"] == kind).any()])
    last = rows[rows["iteration"] == rows["iteration"].max()]
    return show_panels(
        curves(rows, "iteration", column, looks, log=True, runs_too=True),
        f"{label} after {last['iteration'].max():.0f} iterations. {finding(last, column, '{:.0f}')}",
        caption,
        rows,
        key=looks,
        across="iteration",
        up=label,
    )


def differences(elos: pd.DataFrame, pairs: Iterable[tuple[str, str]], by: Sequence[str] = ("board",)) -> pd.DataFrame:
    """How much higher the mean Elo of runs of one kind is than of another, where these columns (as the game) are equal.

    A row per pair that has runs on both sides: ``kind`` and ``other``, the ``effect``, from three runs a side on with
    its 95 % interval ``low`` to ``high``, the number of ``runs`` and their ``sd`` (of both sides), and their ``units``.
    """
    rows, pairs = [], list(dict.fromkeys(pairs))
    for place, here in elos.groupby(list(by), sort=False) if len(elos) else ():
        groups = dict(list(here.groupby("kind")))
        for pair in pairs:
            if groups.keys() >= set(pair):
                runs = [groups[kind]["elo"] for kind in pair]
                enough = min(map(len, runs)) >= FEWEST_SHOWN
                low, high = stats.difference_interval(*runs) if enough else (np.nan, np.nan)
                units = dict.fromkeys(unit for kind in pair for unit in groups[kind]["unit"].dropna())
                rows.append((*place, *pair, runs[0].mean() - runs[1].mean(), low, high, tuple(map(len, runs)),
                             tuple(one.std() for one in runs), " ".join(units)))  # fmt: skip
    return pd.DataFrame(rows, columns=[*by, "kind", "other", "effect", "low", "high", "runs", "sd", "units"])


def over_baseline(elos: pd.DataFrame, by: Sequence[str] = ("board",)) -> pd.DataFrame:
    """The :func:`differences` of all kinds of runs from Baseline."""
    kinds = [kind for kind in elos["kind"].dropna().unique() if kind != "baseline"]
    return differences(elos, [(kind, "baseline") for kind in kinds], by)


@once_there("how far each warm start is above Baseline on the way.")
def gains_figure(aged: pd.DataFrame, kinds: Sequence[str]) -> Html:
    """Warm minus Baseline over the iterations: a panel per enhancement and game, with a band and the last gain."""
    found = over_baseline(aged, ("board", "iteration")).sort_values("iteration", kind="stable")
    if found.empty:
        return not_there("how far each warm start is above Baseline on the way.")

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        (kind,), end = set(rows["kind"]), rows.iloc[-1]
        axis.axhline(0, color=GREY, linewidth=0.9)
        axis.fill_between(
            rows["iteration"], rows["low"], rows["high"], color=look_of(kind).colour, alpha=0.2, linewidth=0
        )
        lines(axis, rows, "iteration", "effect", looks_of(kinds), linewidth=1.6)
        ticks_at(axis, list(set(found["iteration"])), log=True)
        axis.annotate(f"{end['effect']:+.0f}", (end["iteration"], end["effect"]), (6, 0), va="center",
                      textcoords="offset points", annotation_clip=False)  # fmt: skip

    last = found[found["iteration"] == found["iteration"].max()]
    shown = found[found["kind"].isin(kinds)]
    for column, order in ("board", list(dict.fromkeys(found["board"]))), ("kind", list(kinds)):
        shown = shown.sort_values(column, key=lambda values, order=order: values.map(order.index), kind="stable")
    panel = shown["kind"].map(kind_name) + ", " + shown["board"].map(board_name)
    return show_panels(
        by_panel(shown.assign(panel=panel), draw, "panel"),
        f"Elo above Baseline after {found['iteration'].max()} iterations. {finding(last, 'effect')}",
        "How far each warm start is above Baseline over the iterations, in Elo: the difference of means, with a 95 % "
        "band where there are three runs a side. The number is the last difference. Where the band contains zero, "
        "chance alone could make such a difference.",
        found[["units", "board", "kind", "iteration", "effect", "low", "high"]],
        across="iteration",
        up="Elo above Baseline",
        height=1.9,
        width=WIDE if shown["board"].nunique() == 2 else None,  # a row for each enhancement
        same_up=True,
    )


@once_there("strength beside perfect play and time.")
def beside_figure(elos: pd.DataFrame, beside: pd.DataFrame, column: str, across: str, caption: str) -> Html:
    """Every run's Elo against another number of it, ``column`` of ``beside`` (by ``board``, ``kind`` and ``seed``)."""
    keys = ["board", "kind", "seed"]
    runs = elos.dropna(subset="kind").astype({"seed": int})
    both = runs.merge(beside[[*keys, column]].astype({"seed": int}), on=keys).dropna(subset=column)
    if both.empty:
        return not_there("strength beside perfect play and time.")
    looks = looks_of(sorted(set(both["kind"]), key=lambda kind: (list(METHODS).index(method_of(kind)), kind)), line="")

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        lines(axis, rows, column, "elo", looks)
        axis.grid()

    ranked = {
        board_name(str(board)): scipy.stats.spearmanr(rows[column], rows["elo"]).statistic
        for board, rows in both.groupby("board", sort=False)
        if len(rows) > 2
    }
    said = "; ".join(f"{name} {tau:+.2f}" for name, tau in ranked.items() if tau == tau) or "too few runs to say"
    return show_panels(
        by_panel(both, draw),
        f"How Elo goes with {across}, as Spearman's correlation over the runs: {said}.",
        f"{caption} Spearman's correlation over the runs, where 1 is the same order: {said}.",
        both[["unit", *keys, "elo", column]],
        key=looks,
        across=across,
        up="Elo",
    )


def on_the_way(there: Tournament) -> pd.DataFrame:
    """A row per network of a whole run and iteration that was rated in the pool of its age: random has Elo 0."""
    way = there.found[there.found["part"] == "anchored"]
    if way.empty:
        return pd.DataFrame(columns=["board", "kind", "seed", "iteration", "elo"])
    aged = pools.run_elos(pools.pool_ratings(way, anchor="random"), there.runs).dropna(subset="iteration")
    return of_whole_runs(aged.astype({"iteration": int}), there.runs)


def ahead_on_the_way(aged: pd.DataFrame) -> pd.DataFrame:
    """How far all enhancements together are above Baseline in mean Elo: a row per game, a column per iteration."""
    both = aged.assign(kind=aged["kind"].where(aged["kind"] == "baseline", "warm"))
    return differences(both, [("warm", "baseline")], ("board", "iteration")).pivot_table(
        index="board", columns="iteration", values="effect", sort=False
    )


@once_there("how long a head start lasts.")
def head_start_prose(ahead: pd.DataFrame) -> str:
    """What is left of a head start; nothing is tested. ``ahead`` is :func:`ahead_on_the_way`."""
    first, last = min(ahead), max(ahead)
    known = ahead.dropna(subset=[first, last])
    if known.empty:
        return "No game has networks of both ends of a run yet."
    begun, ended = (
        listed(f"{row[when]:+.0f} in {board_name(str(board))}" for board, row in known.iterrows())
        for when in (first, last)
    )
    fallen = [board_name(str(board)) for board, row in known.iterrows() if row[first] > max(0, 2 * row[last])]
    return (
        f"After {first} iteration{'s' if first > 1 else ''}, runs with a warm start differ from Baseline's by {begun} "
        f"(mean Elo, not tested); after {last}, by {ended}."
        + (f" Less than half of that head start is left in {listed(fallen)}." if fallen else "")
    )


@once_there("networks on their way.")
def way_table(ahead: pd.DataFrame) -> Html:
    """How far all enhancements together are above Baseline on the way, by iteration (:func:`ahead_on_the_way`)."""
    return table(
        ahead.reset_index(),
        "How far all runs with a warm start are above Baseline on the way: differences of mean Elo, by the number of "
        "iterations.",
        {"game": ("board", board_name)} | {f"after {k}": (k, "{:+.0f}") for k in sorted(ahead)},
    )


def against_perfect_play(there: Tournament) -> pd.DataFrame:
    """A row per network of a whole run, set of positions and ``way`` to play: its share of ``optimal`` moves."""
    rows = of_whole_runs(there.found[there.found["part"] == "perfect"], there.runs)
    return rows if len(rows) else pd.DataFrame(columns=["board", "kind", "seed", "iteration", "set", "way", "optimal"])


@once_there("networks against perfect play.")
def perfect_table(perfect: pd.DataFrame) -> Html:
    """How good the last networks are, with and without their search, on both sets."""
    last = perfect[perfect["iteration"] == perfect["iteration"].max()]
    wide = last.pivot_table(index=["board", "way"], columns="set", values="optimal", sort=False)
    names = {"raw": "the network alone", "search": "with its search"}
    return table(
        wide.reset_index(),
        f"How often the networks move optimally after {last['iteration'].max():.0f} iterations, alone and with their "
        "search: means over all runs, by set of positions.",
        {"game": ("board", board_name), "player": ("way", names.get)}
        | {f"{which} %": (which, lambda share: f"{100 * share:.0f}") for which in sorted(wide)},
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
    return show_panels(
        strips(shown, "elo", kinds, "pool"),
        f"Mean Elo by the length of the warm start. {finding(shown, 'elo', panel='pool')}",
        "Elo by the length I' of the warm start, in a pool for each enhancement. The random player has 0, and Baseline "
        "has no warm start. Marks are runs, bars their means, thin lines 95 % intervals of the mean (from "
        f"{FEWEST_RUNS} runs on).",
        shown,
        across="Elo",
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
    lengths = ", ".join(f"{method_name(m)} {b.split()[1]}" for m, b in best.items())
    fewest = int(elos[elos["kind"].isin(best.values())].groupby(["pool", "kind"]).size().min())
    return (
        f"The lengths with the highest mean Elo are {lengths}; the thesis has 7 for RAVE and WRoRa. They rest on as "
        f"few as {fewest} run{'s' if fewest != 1 else ''} a length."
    )


@once_there("the kinds' mean Elo minus Baseline's.")
def beyond_table(elos: pd.DataFrame) -> Html:
    """How far the kinds are from Baseline, game by game."""
    return table(
        over_baseline(elos),
        "How far each kind of run is above Baseline in mean Elo, from very few runs.",
        NAMES | {"Elo over Baseline": ("effect", "{:+.0f}"), "runs": lambda row: str(row.runs[0])},
    )


def farthest_prose(elos: pd.DataFrame) -> str:
    """The kinds that are farthest from Baseline in each game."""
    gaps = over_baseline(elos)
    if gaps.empty:
        return "No kind of run can be compared with Baseline yet."
    far = gaps.loc[gaps["effect"].abs().groupby(gaps["board"], sort=False).idxmax()]
    texts = [f"in {board_name(r.board)} *{kind_name(r.kind)}* ({r.effect:+.0f} Elo)" for r in far.itertuples()]
    most = max(runs for runs, _ in gaps["runs"])
    return (
        f"The kinds of run that end farthest from Baseline are {', '.join(texts)}. We test nothing, since a kind has "
        f"no more than {most} run{'s' if most > 1 else ''} here: this only says where more runs would be worth their "
        "time."
    )


# --- the control --------------------------------------------------------------------------------------------------


def scale_table(elos: pd.DataFrame, methods: Sequence[str], scales: Sequence[str]) -> Html:
    """Differences of mean Elo: a method's over Baseline in each preset, and of a preset over the other by method."""
    pairs = [(f"{method} {scale}", f"baseline {scale}") for scale in scales for method in methods[1:]]
    pairs += [
        (f"{method} {scales[0]}", f"{method} {scale}") for scale in dict.fromkeys(scales[1:]) for method in methods
    ]
    return table(
        differences(elos, [(first, second) for first, second in pairs if first != second]),
        "How far one kind of run is above another in mean Elo, in one tournament. No verdict is drawn from so few "
        "runs.",
        {
            "game": ("board", board_name),
            "difference of": lambda row: f"{kind_name(row.kind)} − {kind_name(row.other)}",
            "runs": lambda row: "{} and {}".format(*row.runs),
            "mean Elo": ("effect", "{:+.0f}"),
            "the runs' sd": lambda row: " and ".join("–" if sd != sd else f"{sd:.0f}" for sd in row.sd),
        },
    )
