"""Ratings and statistics: ratings of the network-less players in two settings, false alarms, coverage, runs needed.

``matches`` has a row per match (``board``, ``a``, ``b`` and the counts of player A), ``simulated`` a row per simulation
(``part``, ``spread``, ``distinct`` and the shares that it found).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from wslib.study.report.look import Html, board_name, method_name, panel_axes, percent, show_figure, show_table
from wslib.study.statistics import stats
from wslib.study.statistics.cycles import cycles
from wslib.study.statistics.pairings import score_matrix, variety
from wslib.study.statistics.rating import THESIS, Rating, RatingSettings, rate
from wslib.study.statistics.simulate import INTERVALS, TESTS

LOOKS = {
    "binomial": ("#D55E00", "s", "-"),
    "elo": ("#E69F00", "^", "-"),
    "permutation": ("#009E73", "o", "-"),
    "welch": ("#56B4E9", "x", "--"),
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
    rows = []
    theirs = rated(matches, THESIS)
    for board, rating in rated(matches).items():
        thesis = theirs[board].frame().set_index("player")
        for r in rating.frame().itertuples():
            other = thesis.loc[r.player]
            rows.append(
                {
                    "game": board_name(board),
                    "player": method_name(r.player),
                    "Elo": f"{r.elo:.0f}",
                    "95 % interval": f"{r.low:.0f} to {r.high:.0f}",
                    "thesis' setting": f"{other['elo']:.0f}",
                    "its interval": f"{other['low']:.0f} to {other['high']:.0f}",
                    "score %": percent(r.score),
                    "draws %": percent(r.draws),
                    "games": r.games,
                }
            )
    return show_table(
        pd.DataFrame(rows),
        "Bayesian Elo of the players of Table 5.1, from the published games, in two settings: advantage and drawelo "
        "estimated and colours kept; and chess values with the colours summed. Every game is a pool of its own.",
    )


def model_table(matches: pd.DataFrame) -> Html:
    """What was estimated beside the ratings, and how much likelier that makes the results."""
    theirs = rated(matches, RatingSettings(advantage=THESIS.advantage, drawelo=THESIS.drawelo))
    rows = [
        {
            "game": board_name(board),
            "advantage": f"{rating.advantage:.1f}",
            "drawelo": f"{rating.drawelo:.1f}",
            "scale": f"{rating.scale:.3f}",
            "log-likelihood": f"{rating.log_likelihood:.1f}",
            "with 32.8 and 97.3": f"{theirs[board].log_likelihood:.1f}",
        }
        for board, rating in rated(matches).items()
    ]
    return show_table(pd.DataFrame(rows), "The first move's advantage and drawelo, estimated; the thesis' setting has "
                                          "32.8 and 97.3 in every game.")  # fmt: skip


def intervals_table(matches: pd.DataFrame, board: str) -> Html:
    """The same ratings with the three kinds of interval."""
    one = matches[matches["board"] == board]
    kinds = {kind: rate(one, RatingSettings(interval=kind)).frame() for kind in ("covariance", "variance", "exact")}
    shown = pd.DataFrame({"player": kinds["exact"]["player"].map(method_name), "Elo": kinds["exact"]["elo"]})
    for kind, frame in kinds.items():
        shown[KINDS[kind]] = [f"−{r.elo - r.low:.1f} / +{r.high - r.elo:.1f}" for r in frame.itertuples()]
    return show_table(shown, f"{board_name(board)}: three kinds of interval.", {"Elo": "{:.1f}"})


def variety_table(games: pd.DataFrame) -> Html:
    """What the ratings rest on: distinct games, draws, the first move."""
    rows = []
    for board, group in games.groupby("board", sort=False):
        for r in variety(group).itertuples():
            player = "all" if r.player == "all" else method_name(r.player)
            counts = {"games": r.games, "distinct": r.distinct, "draws %": percent(r.draws)}
            first = {"score of the first mover %": percent(r.first_mover)}
            rows.append({"game": board_name(board), "player": player, **counts, **first})
    return show_table(pd.DataFrame(rows), "Beside every rating: distinct games, draws, and the first move.")


def cycles_table(matches: pd.DataFrame) -> Html:
    """What ratings do not explain."""
    rows = []
    for board, group in matches.groupby("board", sort=False):
        names, points, games = score_matrix(group)
        found = cycles(points, games)
        best = [f"{method_name(n)} {100 * p:.0f} %" for n, p in zip(names, found.nash, strict=True) if p > 0.005]
        rows.append(
            {
                "game": board_name(board),
                "unexplained %": percent(found.share),
                "by chance %": f"{percent(found.by_chance)} (95 % below {percent(found.by_chance_most)})",
                "cyclic triples": f"{found.cyclic} of {found.triples}",
                "Nash average": ", ".join(best),
            }
        )
    return show_table(
        pd.DataFrame(rows),
        "Share of the log-odds' squares that ratings leave unexplained, beside what the same numbers of games show if "
        "ratings explain everything; triples that beat each other in a circle; the mixture that nobody beats.",
    )


def alarms(simulated: pd.DataFrame) -> pd.DataFrame:
    """The simulations without a true difference."""
    return simulated[simulated["part"] == "false alarms"]


def alarms_figure(simulated: pd.DataFrame) -> Html:
    """How often each test finds a difference that is not there, by the spread of runs."""
    frame = alarms(simulated)
    kinds = sorted(frame["distinct"].unique(), reverse=True)

    def draw() -> Figure:
        figure, axes = panel_axes(len(kinds), 4.2, 3.6, "false alarms, %", sharey=True)
        for axis, distinct in zip(axes, kinds, strict=True):
            part = frame[frame["distinct"] == distinct].sort_values("spread")
            for test, (colour, mark, line) in LOOKS.items():
                look = {"color": colour, "marker": mark, "linestyle": line}
                axis.plot(part["spread"], 100 * part[test], label=TESTS[test], **look)
            axis.axhline(100 * stats.ALPHA, color="#808080", linewidth=1, linestyle=":")
            axis.set_title(f"{distinct} distinct games a pair")
            axis.set_xlabel("standard deviation of runs, Elo")
            axis.set_ylim(0, 100)
            axis.grid(axis="y")
        handles, names = axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="upper center", ncols=2, fontsize=8, bbox_to_anchor=(0.5, 0.02))
        figure.tight_layout()
        return figure

    said = "; ".join(
        f"{r.distinct} distinct games, spread {r.spread:.0f}: "
        + ", ".join(f"{test} {percent(getattr(r, test))} %" for test in LOOKS)
        for r in frame.itertuples()
    )
    return show_figure(
        draw,
        f"Lines of false alarms by the spread of runs. {said}.",
        "How often a test at 5 % (dotted) finds a difference between two methods that are equally good. Left every "
        "game is new, right two games are repeated over and over.",
        frame,
    )


def alarms_table(simulated: pd.DataFrame) -> Html:
    """The figure's numbers."""
    frame = alarms(simulated)
    shown = pd.DataFrame({"sd of runs": frame["spread"].map("{:.0f}".format), "distinct games": frame["distinct"]})
    for test, name in TESTS.items():
        shown[name] = frame[test]
    return show_table(shown, "False alarms in percent, at a nominal 5 %.", dict.fromkeys(TESTS.values(), percent))


def alarms_prose(simulated: pd.DataFrame, runs: int, repetitions: int) -> str:
    """What the simulation says."""
    frame = alarms(simulated)
    spread = frame[frame["spread"] > 0]
    ours = frame["permutation"]
    low, high = LEVEL
    kept = "which is the 5 % it promises" if ours.between(low, high).all() else "where it promises 5 %"
    error = np.sqrt(stats.ALPHA * (1 - stats.ALPHA) / repetitions)
    text = (
        f"Over all of it the permutation test on {runs} runs a side raises a false alarm in {percent(ours.min())} to "
        f"{percent(ours.max())} % of {repetitions:,} tournaments each, {kept} (chance alone makes such a share vary by "
        f"±{percent(2 * error)} points). "
    )
    if len(spread):
        text += (
            f"The pooled binomial test does so in {percent(spread['binomial'].min())} to "
            f"{percent(spread['binomial'].max())} % wherever runs differ from each other, and the interval of the "
            f"rating difference in {percent(spread['elo'].min())} to {percent(spread['elo'].max())} %."
        )
    return text


def coverage_table(simulated: pd.DataFrame) -> Html:
    """How often intervals of single players hold the truth."""
    frame = simulated[simulated["part"] == "coverage"]
    rows = [
        {"interval": KINDS[kind], **{f"{r.distinct} distinct %": percent(getattr(r, kind)) for r in frame.itertuples()}}
        for kind in INTERVALS
    ]
    return show_table(
        pd.DataFrame(rows),
        "How often a 95 % interval of a rating holds the player's true strength, by the distinct games of a pair.",
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
        "Runs a side that see a difference with 80 % power at 5 %, by the standard deviation of runs: for one "
        f"comparison, and for the strictest of {tests} under Holm's correction.",
    )


def smallest_p(runs: int) -> float:
    """The smallest p that a permutation test of so many runs a side can give."""
    return stats.permutation_test(list(range(runs, 2 * runs)), list(range(runs)))
