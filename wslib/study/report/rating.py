"""Ratings and statistics: ratings of the network-less players in two settings, false alarms, coverage, runs needed.

``matches`` has a row per match (``board``, ``a``, ``b`` and the counts of player A), ``simulated`` a row per simulation
(``part``, ``spread``, ``distinct`` and the shares that it found).
"""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wslib.study.names import board_name, method_name, percent
from wslib.study.report.charts import Draw, Look, show_panels
from wslib.study.report.look import GREY, Html, not_there, show_table, table
from wslib.study.statistics import stats
from wslib.study.statistics.cycles import cycles
from wslib.study.statistics.pairings import ordered_pairs, score_matrix, variety
from wslib.study.statistics.rating import THESIS, Rating, RatingSettings, rate
from wslib.study.statistics.simulate import INTERVALS, TESTS

LOOKS = {
    "binomial": Look("#D55E00", "s"),
    "elo": Look("#E69F00", "^"),
    "permutation": Look("#009E73", "o"),
    "welch": Look("#56B4E9", "x", "--"),
}
KINDS = {
    "covariance": "covariance (ours)",
    "exact": "exact, from a grid (the thesis')",
    "variance": "variance, the others fixed",
    "differences": "of differences, from the covariance",
}
LEVEL = (0.04, 0.06)
"""Shares of false alarms that are taken for 5 %."""


def rated(matches: pd.DataFrame, settings: RatingSettings | None = None) -> dict[str, Rating]:
    """The ratings of every game's players."""
    return {str(board): rate(group, settings) for board, group in matches.groupby("board", sort=False)}


def ratings_table(matches: pd.DataFrame) -> Html:
    """The players' ratings in our setting and in the thesis'."""
    ours, theirs = (
        pd.concat({board: rating.frame() for board, rating in rated(matches, settings).items()}, names=["board"])
        for settings in (None, THESIS)
    )
    both = ours.reset_index("board").merge(
        theirs.reset_index("board"), on=["board", "player"], suffixes=("", "_theirs")
    )
    return table(
        both,
        "Bayesian Elo of the players of Table 5.1 in two settings, from the same games of ours: first with colours "
        "kept and advantage and drawelo estimated, then with chess values and the colours summed. Each game is its "
        "own pool.",
        {
            "game": ("board", board_name),
            "player": ("player", method_name),
            "Elo": ("elo", "{:.0f}"),
            "95 % interval": lambda row: f"{row.low:.0f} to {row.high:.0f}",
            "thesis' setting": ("elo_theirs", "{:.0f}"),
            "its interval": lambda row: f"{row.low_theirs:.0f} to {row.high_theirs:.0f}",
            "score %": ("score", percent),
            "draws %": ("draws", percent),
            "games": "games",
        },
    )


def model_table(matches: pd.DataFrame) -> Html:
    """What was estimated beside the ratings, and how much likelier that makes the results."""
    theirs = rated(matches, RatingSettings(advantage=THESIS.advantage, drawelo=THESIS.drawelo))
    found = rated(matches)
    return table(
        pd.DataFrame(
            {"board": list(found), "ours": list(found.values()), "theirs": [theirs[board] for board in found]}
        ),
        "Advantage and drawelo as estimated, game by game, and how well they explain the results. The thesis' setting "
        "has 32.8 and 97.3 in every game.",
        {
            "game": ("board", board_name),
            "advantage": lambda row: f"{row.ours.advantage:.1f}",
            "drawelo": lambda row: f"{row.ours.drawelo:.1f}",
            "scale": lambda row: f"{row.ours.scale:.3f}",
            "log-likelihood": lambda row: f"{row.ours.log_likelihood:.1f}",
            "with 32.8 and 97.3": lambda row: f"{row.theirs.log_likelihood:.1f}",
        },
    )


def spans_table(matches: pd.DataFrame) -> Html:
    """From the weakest to the strongest player in either setting, and how many games are drawn."""
    theirs = rated(matches, THESIS)
    rows = [
        {
            "game": board_name(board),
            "draws %": percent(float(rating.frame()["draws"].mean())),
            "our setting": f"{rating.elo.max() - rating.elo.min():.0f} Elo",
            "thesis' setting": f"{theirs[board].elo.max() - theirs[board].elo.min():.0f} Elo",
        }
        for board, rating in rated(matches).items()
    ]
    return show_table(pd.DataFrame(rows), "How far apart the weakest and the strongest player are in either setting.")


def turned_table(matches: pd.DataFrame, board: str) -> Html:
    """One game's ratings in the thesis' setting, and the same with whoever was listed first now listed second."""
    here = matches[matches["board"] == board]
    listed, turned = rate(here, THESIS), rate(ordered_pairs(here).iloc[::-1], THESIS)
    return table(
        pd.DataFrame({"player": listed.players, "listed": listed.elo, "turned": [turned[p] for p in listed.players]}),
        f"What the order of the list does in the thesis' setting: Elo from the same games of {board_name(board)}.",
        {
            "player": ("player", method_name),
            "as listed": ("listed", "{:.0f}"),
            "turned round": ("turned", "{:.0f}"),
            "change": lambda row: f"{row.turned - row.listed:+.0f}",
        },
    )


def difference_table(matches: pd.DataFrame, a: str, b: str) -> Html:
    """How much stronger one player is than another, game by game, with an interval that knows how both vary."""
    found = {board: rating.difference(a, b) for board, rating in rated(matches).items()}
    return table(
        pd.DataFrame({"board": list(found), "difference": list(found.values())}),
        f"How far {method_name(a)} is above {method_name(b)}, with the interval from the covariance.",
        {
            "game": ("board", board_name),
            "Elo": lambda row: f"{row.difference.elo:+.0f}",
            "95 % interval": lambda row: f"{row.difference.low:+.0f} to {row.difference.high:+.0f}",
        },
    )


def intervals_table(matches: pd.DataFrame, board: str) -> Html:
    """Ratings of one game with each of the three kinds of interval."""
    one = matches[matches["board"] == board]
    kinds = {kind: rate(one, RatingSettings(interval=kind)).frame() for kind in ("covariance", "variance", "exact")}
    shown = pd.DataFrame({"player": kinds["exact"]["player"].map(method_name), "Elo": kinds["exact"]["elo"]})
    for kind, frame in kinds.items():
        shown[KINDS[kind]] = [f"−{r.elo - r.low:.1f} / +{r.high - r.elo:.1f}" for r in frame.itertuples()]
    return show_table(
        shown, f"The same ratings of {board_name(board)} with three kinds of interval.", {"Elo": "{:.1f}"}
    )


def variety_table(games: pd.DataFrame) -> Html:
    """What the ratings rest on: distinct games, draws, the first move."""
    found = pd.concat({board: variety(group) for board, group in games.groupby("board", sort=False)}, names=["board"])
    return table(
        found.reset_index("board"),
        "What these ratings rest on: distinct games, draws, and the first move.",
        {
            "game": ("board", board_name),
            "player": ("player", method_name),
            "games": "games",
            "distinct": "distinct",
            "draws %": ("draws", percent),
            "score of the first mover %": ("first_mover", percent),
        },
    )


def cycles_table(matches: pd.DataFrame) -> Html:
    """What ratings do not explain."""
    rows = []
    for board, group in matches.groupby("board", sort=False):
        names, points, games = score_matrix(group)
        rows.append({"board": board, "names": names, "found": cycles(points, games)})

    def nash(row: Any) -> str:
        shares = zip(row.names, row.found.nash, strict=True)
        return ", ".join(f"{method_name(name)} {100 * share:.0f} %" for name, share in shares if share > 0.005)

    return table(
        pd.DataFrame(rows),
        "How much ratings leave unexplained: the share of the squared log-odds, beside what chance alone leaves; how "
        "many triples of players beat each other in a circle; and the mixture of players that nobody beats.",
        {
            "game": ("board", board_name),
            "unexplained %": lambda row: percent(row.found.share),
            "by chance %": lambda r: f"{percent(r.found.by_chance)} (95 % below {percent(r.found.by_chance_most)})",
            "cyclic triples": lambda row: f"{row.found.cyclic} of {row.found.triples}",
            "Nash average": nash,
        },
    )


def alarms(simulated: pd.DataFrame) -> pd.DataFrame:
    """The simulations without a true difference."""
    return simulated[simulated["part"] == "false alarms"]


def alarms_figure(simulated: pd.DataFrame) -> Html:
    """How often each test finds a difference that is not there, by the spread of runs."""
    frame = alarms(simulated).sort_values("spread")

    def drawn(distinct: int) -> Draw:
        def draw(axis: Axes) -> None:
            part = frame[frame["distinct"] == distinct]
            for test, look in LOOKS.items():
                axis.plot(part["spread"], 100 * part[test], **look.plot)
            axis.axhline(100 * stats.ALPHA, color=GREY, linewidth=1, linestyle=":")
            axis.set_ylim(0, 100)
            axis.grid(axis="y")

        return draw

    worst = frame.iloc[-1] if len(frame) else frame
    said = "; ".join(f"{TESTS[test]} {percent(worst[test])} %" for test in LOOKS) if len(frame) else "nothing yet"
    only_runs = frame["permutation"].between(*LEVEL).all() and not frame["binomial"].between(*LEVEL).all()
    kept = "Only tests that count runs keep to 5 % false alarms." if only_runs else ""
    return show_panels(
        {f"{n} distinct games a pair": drawn(n) for n in sorted(frame["distinct"].unique(), reverse=True)},
        f"{kept} Where runs differ most: {said}.".strip(),
        f"{kept} How often a test at 5 % (dotted) finds a difference between two methods that are equally good: on the "
        "left every game is new, on the right two games are repeated over and over.".strip(),
        frame,
        key={TESTS[test]: look for test, look in LOOKS.items()},
        across="standard deviation of runs, Elo",
        up="false alarms, %",
    )


def alarms_glance(simulated: pd.DataFrame, spread: float = 50) -> Html:
    """Of a hundred tournaments between equal methods, those in which each test finds a difference: a square each."""
    here = alarms(simulated)
    here = here[here["spread"] == here["spread"].iloc[(here["spread"] - spread).abs().argmin()]] if len(here) else here
    if here.empty:
        return not_there("how often each test finds a difference that is not there.")
    case = here.loc[here["distinct"].idxmax()]
    found = {TESTS[test]: round(100 * case[test]) for test in LOOKS}

    def drawn(number: int) -> Draw:
        def draw(axis: Axes) -> None:
            place = np.arange(100)
            axis.scatter(place % 10, -(place // 10), s=38, marker="s", facecolors="none", edgecolors=GREY, linewidths=1)
            axis.scatter(place[:number] % 10, -(place[:number] // 10), s=40, marker="s", color=LOOKS["binomial"].colour)
            axis.set_axis_off()
            axis.set_aspect("equal")

        return draw

    listed = ", ".join(f"{name} {number}" for name, number in found.items())
    return show_panels(
        {f"{_wrapped(name)}\n{number} of 100": drawn(number) for name, number in found.items()},
        f"Of 100 tournaments between two equal methods, so many end with a false alarm: {listed}.",
        "False alarms at a glance. Each square is one of a hundred tournaments between two methods that are equally "
        "good; it is filled where the test says that one of them is better. Each test promises five. Runs of a method "
        f"differ by {case['spread']:.0f} Elo (standard deviation), and every game is a new one.",
        here,
        height=2.2,
        width=1.65,
    )


def _wrapped(name: str) -> str:
    return "\n".join(wrap(name, 16))


def alarms_table(simulated: pd.DataFrame) -> Html:
    """The figure's numbers."""
    return table(
        alarms(simulated),
        "How often each test raises a false alarm, in percent, where it promises 5.",
        {"sd of runs": ("spread", "{:.0f}"), "distinct games": "distinct"}
        | {name: (test, percent) for test, name in TESTS.items()},
    )


def alarms_prose(simulated: pd.DataFrame, runs: int, repetitions: int) -> str:
    """What the simulation says."""
    frame = alarms(simulated)
    spread = frame[frame["spread"] > 0]
    ours = frame["permutation"]
    low, high = LEVEL
    kept = "which is the 5 % it promises" if ours.between(low, high).all() else "where it promises 5 %"
    error = np.sqrt(stats.ALPHA * (1 - stats.ALPHA) / repetitions)
    text = ""
    if len(spread):
        text = (
            "Two methods are equally good, but their runs differ by luck. Then the thesis' test, which pools the "
            f"games, finds a difference in {percent(spread['binomial'].min())} to {percent(spread['binomial'].max())} "
            f"% of the tournaments, and the interval of the rating difference does in {percent(spread['elo'].min())} "
            f"to {percent(spread['elo'].max())} %. "
        )
    return text + (
        f"A permutation test on {runs} runs a side does so in {percent(ours.min())} to {percent(ours.max())} %, {kept} "
        f"(chance alone makes such a share of {repetitions:,} tournaments vary by ±{percent(2 * error)} points)."
    )


def coverage_table(simulated: pd.DataFrame) -> Html:
    """How often intervals of single players hold the truth."""
    frame = simulated[simulated["part"] == "coverage"]
    rows = [
        {"interval": KINDS[kind], **{f"{r.distinct} distinct %": percent(getattr(r, kind)) for r in frame.itertuples()}}
        for kind in INTERVALS
    ]
    return show_table(
        pd.DataFrame(rows),
        "How often a 95 % interval of a rating holds the player's true strength, by the number of distinct games a "
        "pair.",
    )


def runs_table(sds: Sequence[float], effects: Sequence[float], tests: int) -> Html:
    """How many runs a side would decide."""
    rows = [
        {"true difference, Elo": f"{effect:.0f}"}
        | {f"sd {sd:.0f}: one test, {tests} tests": ", ".join(
            str(stats.runs_to_decide(effect, sd, tests=k) or "–") for k in (1, tests)) for sd in sds}
        for effect in effects
    ]  # fmt: skip
    return show_table(
        pd.DataFrame(rows),
        "How many runs a side it takes to see a difference with a power of 80 %, by the standard deviation of runs: "
        f"for one comparison, and for the strictest of {tests} under Holm's correction.",
    )


def smallest_p(runs: int) -> float:
    """The smallest p that a permutation test of so many runs a side can give."""
    return stats.permutation_test(list(range(runs, 2 * runs)), list(range(runs)))
