"""Ratings and statistics: ratings of the network-less players in two settings, false alarms, coverage, runs needed.

``matches`` has a row per match (``board``, ``a``, ``b`` and the counts of player A), ``simulated`` a row per simulation
(``part``, ``spread``, ``distinct`` and the shares that it found).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wslib.study.names import board_name, method_name, percent
from wslib.study.report.charts import Look, by_panel, lines, name_rows, show_panels
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
    "exact": "exact, from a grid (the author's)",
    "variance": "variance, the others fixed",
    "differences": "of differences, from the covariance",
}
LEVEL = (0.04, 0.06)
"""Shares of false alarms that are taken for 5 %."""


def rated(matches: pd.DataFrame, settings: RatingSettings | None = None) -> dict[str, Rating]:
    """The ratings of every game's players."""
    return {str(board): rate(group, settings) for board, group in matches.groupby("board", sort=False)}


def _by_game(found: Mapping[str, Any], caption: str, columns: Mapping[str, Callable[[Any], str]]) -> Html:
    """A row per game, whose cells are made of what was ``found`` in it."""
    heads = {head: lambda row, how=how: how(row.found) for head, how in columns.items()}
    rows = pd.DataFrame({"board": list(found), "found": list(found.values())})
    return table(rows, caption, {"game": ("board", board_name)} | heads)


def in_both_settings(matches: pd.DataFrame) -> pd.DataFrame:
    """A row per game and player: the rating in our setting, and in the author's (``elo_theirs`` and so on)."""
    ours, theirs = (
        pd.concat({board: rating.frame() for board, rating in rated(matches, settings).items()}, names=["board"])
        for settings in (None, THESIS)
    )
    return ours.reset_index("board").merge(
        theirs.reset_index("board"), on=["board", "player"], suffixes=("", "_theirs")
    )


def moved_by_settings(matches: pd.DataFrame) -> pd.DataFrame:
    """A row per game and player: our rating, and how far the author's setting moves it, as listed and turned round."""
    both = in_both_settings(matches)
    turned = pd.concat(turned_round(games).assign(board=board) for board, games in matches.groupby("board", sort=False))
    both = both.merge(turned[["board", "player", "turned"]], on=["board", "player"])
    both["units"] = both["board"].map(matches.groupby("board")["unit"].agg(" ".join))
    return both.assign(as_listed=both["elo_theirs"] - both["elo"], turned_round=both["turned"] - both["elo"])


def settings_prose(matches: pd.DataFrame) -> str:
    """What the setting and the order of the list do to ratings of the same games."""
    moved = moved_by_settings(matches)
    most = moved.loc[moved["as_listed"].abs().idxmax()]
    ranks = moved.groupby("board")[["elo", "elo_theirs"]].rank()
    same = (ranks["elo"] == ranks["elo_theirs"]).groupby(moved["board"]).all()
    change = (moved["turned"] - moved["elo_theirs"]).abs().max()
    return (
        "**From the same games, the author's setting makes other ratings than ours.** It moves "
        f"{method_name(most.player)} in {board_name(most.board)} by {most.as_listed:+.0f} Elo, and leaves the order of "
        f"the players as it is in {same.sum()} of {len(same)} games. With the colours summed, even the order in which "
        f"players are listed moves a rating by up to {change:.0f} Elo."
    )


def settings_figure(matches: pd.DataFrame) -> Html:
    """How far the author's setting moves every player, a row per player."""
    moved = moved_by_settings(matches)
    lists = {"as_listed": Look("#D55E00", "s"), "turned_round": Look("#56B4E9", "D")}

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        name_rows(axis, [method_name(player) for player in rows["player"]])
        axis.axvline(0, color=GREY, linewidth=0.9)
        for column, look in lists.items():
            axis.plot(rows[column], -np.arange(len(rows)), **look.plot | {"linestyle": ""})

    return show_panels(
        by_panel(moved, draw),
        "Elo in the author's setting minus Elo in ours, as listed and turned round. "
        + "; ".join(
            f"{board_name(row.board)}, {method_name(row.player)}: {row.as_listed:+.0f} and {row.turned_round:+.0f}"
            for row in moved.itertuples()
        )
        + ".",
        "The same games rated in another setting: how far the author's setting moves each player of Table 5.1 from our "
        "rating, with the players listed as they are there, and with the list turned round.",
        moved,
        key={"as listed": lists["as_listed"], "turned round": lists["turned_round"]},
        across="Elo, against our setting",
    )


def ratings_table(matches: pd.DataFrame) -> Html:
    """The players' ratings in our setting and in the thesis'."""
    return table(
        in_both_settings(matches),
        "Bayesian Elo of the players of Table 5.1 in two settings, from the same games of ours: first with colours "
        "kept and advantage and drawelo estimated, then with chess values and the colours summed. Each game is its "
        "own pool.",
        {
            "game": ("board", board_name),
            "player": ("player", method_name),
            "Elo": ("elo", "{:.0f}"),
            "95 % interval": lambda row: f"{row.low:.0f} to {row.high:.0f}",
            "author's setting": ("elo_theirs", "{:.0f}"),
            "its interval": lambda row: f"{row.low_theirs:.0f} to {row.high_theirs:.0f}",
            "score %": ("score", percent),
            "draws %": ("draws", percent),
            "games": "games",
        },
    )


def model_table(matches: pd.DataFrame) -> Html:
    """What was estimated beside the ratings, and how much likelier that makes the results."""
    theirs = rated(matches, RatingSettings(advantage=THESIS.advantage, drawelo=THESIS.drawelo))
    return _by_game(
        {board: (ours, theirs[board]) for board, ours in rated(matches).items()},
        "Advantage and drawelo as estimated, game by game, and how well they explain the results. The author's setting "
        "has 32.8 and 97.3 in every game.",
        {
            "advantage": lambda both: f"{both[0].advantage:.1f}",
            "drawelo": lambda both: f"{both[0].drawelo:.1f}",
            "scale": lambda both: f"{both[0].scale:.3f}",
            "log-likelihood": lambda both: f"{both[0].log_likelihood:.1f}",
            "with 32.8 and 97.3": lambda both: f"{both[1].log_likelihood:.1f}",
        },
    )


def spans_table(matches: pd.DataFrame) -> Html:
    """From the weakest to the strongest player in either setting, and how many games are drawn."""
    theirs = rated(matches, THESIS)
    return _by_game(
        {board: (ours, theirs[board]) for board, ours in rated(matches).items()},
        "How far apart the weakest and the strongest player are in either setting.",
        {
            "draws %": lambda both: percent(both[0].frame()["draws"].mean()),
            "our setting": lambda both: f"{np.ptp(both[0].elo):.0f} Elo",
            "author's setting": lambda both: f"{np.ptp(both[1].elo):.0f} Elo",
        },
    )


def turned_round(matches: pd.DataFrame) -> pd.DataFrame:
    """One game's ratings in the author's setting, and the same with whoever was listed first now listed second."""
    listed, turned = rate(matches, THESIS), rate(ordered_pairs(matches).iloc[::-1], THESIS)
    players = listed.players
    return pd.DataFrame({"player": players, "listed": listed.elo, "turned": [turned[player] for player in players]})


def turned_table(matches: pd.DataFrame, board: str) -> Html:
    """:func:`turned_round` as a table."""
    return table(
        turned_round(matches[matches["board"] == board]),
        f"What the order of the list does in the author's setting: Elo from the same games of {board_name(board)}.",
        {
            "player": ("player", method_name),
            "as listed": ("listed", "{:.0f}"),
            "turned round": ("turned", "{:.0f}"),
            "change": lambda row: f"{row.turned - row.listed:+.0f}",
        },
    )


def difference_table(matches: pd.DataFrame) -> Html:
    """How much stronger one player is than another, game by game, with an interval that knows how both vary.

    The two are RAVE and MCTS where both play, and otherwise those who are listed first.
    """
    there = list(dict.fromkeys([*matches["a"], *matches["b"]]))
    a, b = ("rave", "mcts") if {"rave", "mcts"} <= {*there} else there[:2]
    return _by_game(
        {board: rating.difference(a, b) for board, rating in rated(matches).items()},
        f"How far {method_name(a)} is above {method_name(b)}, with the interval from the covariance.",
        {
            "Elo": lambda found: f"{found.elo:+.0f}",
            "95 % interval": lambda found: f"{found.low:+.0f} to {found.high:+.0f}",
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
    """What ratings do not explain; nothing for two players, who make no circle."""
    if len({*matches["a"], *matches["b"]}) < 3:
        return Html("", "")
    by_game = {}
    for board, group in matches.groupby("board", sort=False):
        names, points, games = score_matrix(group)
        by_game[str(board)] = (cycles(points, games), names)

    def nash(both: Any) -> str:
        shares = zip(both[1], both[0].nash, strict=True)
        return ", ".join(f"{method_name(name)} {100 * share:.0f} %" for name, share in shares if share > 0.005)

    return _by_game(
        by_game,
        "How much ratings leave unexplained: the share of the squared log-odds, beside what chance alone leaves; how "
        "many triples of players beat each other in a circle; and the mixture of players that nobody beats.",
        {
            "unexplained %": lambda both: percent(both[0].share),
            "by chance %": lambda both: f"{percent(both[0].by_chance)} (95 % below {percent(both[0].by_chance_most)})",
            "cyclic triples": lambda both: f"{both[0].cyclic} of {both[0].triples}",
            "Nash average": nash,
        },
    )


def alarms(simulated: pd.DataFrame) -> pd.DataFrame:
    """The simulations without a true difference."""
    return simulated[simulated["part"] == "false alarms"]


def alarms_figure(simulated: pd.DataFrame) -> Html:
    """How often each test finds a difference that is not there, by the spread of runs."""
    frame = alarms(simulated).sort_values(["distinct", "spread"], ascending=[False, True], kind="stable")
    shares = frame.assign(panel=frame["distinct"].map("{} distinct games a pair".format))
    shares = shares.melt(["panel", "spread"], list(LOOKS), "test", "share")

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        lines(axis, rows.assign(percent=100 * rows["share"]), "spread", "percent", LOOKS, "test")
        axis.axhline(100 * stats.ALPHA, color=GREY, linewidth=1, linestyle=":")
        axis.set_ylim(0, 100)
        axis.grid(axis="y")

    worst = alarms(simulated).sort_values("spread").tail(1)
    said = "; ".join(f"{TESTS[test]} {percent(row[test])} %" for _, row in worst.iterrows() for test in LOOKS)
    only_runs = frame["permutation"].between(*LEVEL).all() and not frame["binomial"].between(*LEVEL).all()
    kept = "Only tests that count runs keep to 5 % false alarms." if only_runs else ""
    return show_panels(
        by_panel(shares, draw, "panel"),
        f"{kept} Where runs differ most: {said or 'nothing yet'}.".strip(),
        f"{kept} How often a test at 5 % (dotted) finds a difference between two methods that are equally good: on the "
        "left every game is new, on the right two games are repeated over and over.".strip(),
        alarms(simulated).sort_values("spread"),
        key={TESTS[test]: look for test, look in LOOKS.items()},
        across="standard deviation of runs, Elo",
        up="false alarms, %",
    )


def alarms_glance(simulated: pd.DataFrame, spread: float = 50) -> Html:
    """Of a hundred tournaments between equal methods, those in which each test finds a difference: a square each."""
    here = alarms(simulated)
    if here.empty:
        return not_there("how often each test finds a difference that is not there.")
    here = here[here["spread"] == here["spread"].iloc[(here["spread"] - spread).abs().argmin()]]
    case = here.loc[here["distinct"].idxmax()]
    found = {TESTS[test]: round(100 * case[test]) for test in LOOKS}

    def draw(axis: Axes, number: int) -> None:
        across, down = np.arange(100) % 10, -(np.arange(100) // 10)
        axis.scatter(across, down, s=38, marker="s", facecolors="none", edgecolors=GREY, linewidths=1)
        axis.scatter(across[:number], down[:number], s=40, marker="s", color=LOOKS["binomial"].colour)
        axis.set_axis_off()
        axis.set_aspect("equal")

    listed = ", ".join(f"{name} {number}" for name, number in found.items())
    return show_panels(
        {f"{name}\n{number} of 100": partial(draw, number=number) for name, number in found.items()},
        f"Of 100 tournaments between two equal methods, so many end with a false alarm: {listed}.",
        "False alarms at a glance. Each square is one of a hundred tournaments between two methods that are equally "
        "good; it is filled where the test says that one of them is better. Each test promises five. Runs of a method "
        f"differ by {case['spread']:.0f} Elo (standard deviation), and every game is a new one.",
        here,
        height=2.2,
        width=1.65,
    )


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
