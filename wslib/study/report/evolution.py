"""The chapter on RHEA: populations that evolve, and what becomes of a plan whose actions have become illegal.

Two rules are compared. *Repaired*: a gene counts among the legal moves, so that it always stands for one of them.
*Replaced at random*: a gene names an action of the game, and where that cannot be played, a random move is.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wslib._compiled import stream
from wslib.games import Position, game
from wslib.play.matches import match
from wslib.play.players import player
from wslib.rhea import RheaSettings, empty_population, evolve_moves, make_plan
from wslib.study.names import board_name, listed, percent
from wslib.study.pages.base import Evolution
from wslib.study.report.charts import Look, finding, forests, in_percent, lines, show_panels
from wslib.study.report.look import Html, between, show_table, table
from wslib.study.statistics import stats

RULES = {"repair": "repaired", "random": "replaced at random"}
LOOKS = {"repair": Look("#0072B2", "o"), "random": Look("#D55E00", "s")}
BOARDS = ("gobang", "connect4", "othello")
WINNING = "5"
"""The move that wins at once in the position of :func:`threat`."""


class Evolved(NamedTuple):
    """The survivors of an evolution and the move it chose."""

    genes: np.ndarray
    """(population, horizon) integers."""
    fitness: np.ndarray
    """(population,), each in [-1, 1] for the player to move."""
    move: str


def threat() -> Position:
    """A position of Connect Four in which X, to move, has three in a row and can complete the line."""
    return game("connect4").position("3 1 4 1 2 6")


def evolved(position: Position, individuals: int = 50, number: int = 0, seed: int = 0, **changes: object) -> Evolved:
    """What is left after so many individuals of two rollouts each, in the evolution of this number."""
    settings = RheaSettings(rollouts=2 * individuals, **changes)  # type: ignore[arg-type]
    population, action = empty_population(settings), np.empty(1, np.int64)
    own, opp = (np.array([word]) for word in position.words)
    streams = np.array([stream(seed, "evolution", number)])
    plan, first = make_plan(settings), np.zeros(1, np.int64)
    evolve_moves(position.game.rules, plan, population, own, opp, streams, first, action)
    alive = slice(plan.population)
    return Evolved(population.genes[alive], population.fitness[alive], position.game.action_name(int(action[0])))


# --- against random play ------------------------------------------------------------------------------------------


def against_random(asked: Evolution) -> pd.DataFrame:
    """RHEA by either rule against random play: a row per ``board`` and ``rule`` with its score and 95 % interval."""
    rows = []
    for board in BOARDS:
        for rule in RULES:
            games = match(game(board), player("rhea", illegal=rule), player("random"), asked.games, asked.seed)
            results = [int((games.result == value).sum()) for value in (1, 0, -1)]
            low, high = stats.wilson(*results)
            rows.append({"board": board, "rule": rule, "score": games.win_rate, "low": low, "high": high})
    return pd.DataFrame(rows)


def against_random_figure(found: pd.DataFrame, games: int) -> Html:
    """The score of each rule in each game."""
    points = in_percent(found)
    return show_panels(
        forests(
            points, "score", {"repair": "repaired", "random": "replaced"}, key="rule", look=LOOKS.__getitem__, zero=50
        ),
        "RHEA's score against random play. "
        + finding(points.assign(rule=found["rule"].map(RULES)), "score", "{:.0f} %", name="rule"),
        f"How RHEA does against random play in {games} games, with 95 % intervals, when actions that have become "
        "illegal are repaired, and when they are replaced at random. On the line RHEA plays no better than chance.",
        found,
        across="score, %",
    )


def in_short(found: pd.DataFrame) -> str:
    """Whether the rule for illegal actions decides what RHEA is worth in Othello, and whether it does elsewhere."""
    apart = {
        str(board): bool(rows["low"].max() > rows["high"].min()) for board, rows in found.groupby("board", sort=False)
    }
    othello = found[found["board"] == "othello"].set_index("rule")
    others = [board_name(board) for board, decides in apart.items() if decides and board != "othello"]
    scores = (
        f"RHEA scores {percent(othello['score']['repair'])} % against random play when they are repaired, and "
        f"{percent(othello['score']['random'])} % when they are replaced at random"
    )
    lead = (
        "**In Othello, what is done with illegal actions decides what RHEA is worth:**"
        if apart["othello"]
        else "**In Othello no difference between the two rules for illegal actions can be told from chance:**"
    )
    elsewhere = (
        f"The rule also matters in {listed(others)}."
        if others
        else "In the other games the intervals of the two rules overlap."
    )
    return f"{lead} {scores}. {elsewhere}"


# --- inside an evolution ------------------------------------------------------------------------------------------


def first_moves_table(asked: Evolution) -> Html:
    """The first moves of populations as they were drawn, and of what evolution made of them."""
    position = threat()
    shares = {}
    for name, individuals in (("drawn %", 10), ("evolved %", 50)):
        ends = [evolved(position, individuals, i, asked.seed) for i in range(asked.evolutions)]
        genes = np.concatenate([end.genes[:, 0] for end in ends]) % len(position.moves)
        shares[name] = [percent(np.mean(genes == place)) for place in range(len(position.moves))]
    return show_table(
        pd.DataFrame({"first move": position.moves, **shares}),
        f"Evolution finds the winning move, {WINNING}: how many individuals begin with each move, as drawn and as "
        f"evolved. Means of {asked.evolutions} populations.",
    )


def lengths_table(asked: Evolution) -> Html:
    """How long random games are, and what a win at the end of one counts in an individual's fitness."""
    rows = []
    for board in BOARDS:
        plies = match(game(board), player("random"), player("random"), asked.games, asked.seed).frame()["plies"]
        rows.append({"board": board, "short": plies.min(), "usual": int(plies.median()), "long": plies.max()})
    lengths = {f"plies, {name}": name for name in ("short", "usual", "long")}
    worth = {f"a win counts, {name}": (name, lambda plies: f"{1 / plies:.3f}") for name in ("short", "usual", "long")}
    return table(
        pd.DataFrame(rows),
        f"What a won rollout adds to the fitness, by its length: the shortest, the median and the longest of "
        f"{asked.games} random games.",
        {"game": ("board", board_name), **lengths, **worth},
    )


def mutation_table() -> Html:
    """What copying with mutation does to a sequence of genes, by the rules of probability."""
    usual = RheaSettings()
    kept = 1 - usual.mutation
    rows = {
        "genes of an individual": f"{usual.horizon}",
        "genes that change on average": f"{usual.horizon * usual.mutation:.1f}",
        "copies that equal their parent %": percent(kept**usual.horizon),
        "copies that begin with the same gene %": percent(kept),
    }
    return show_table(
        pd.DataFrame({"": list(rows), "value": list(rows.values())}),
        f"What a mutation rate of {usual.mutation} a gene does to a copy.",
    )


def progress(asked: Evolution) -> pd.DataFrame:
    """Means over evolutions by ``rule`` and ``individuals``: the ``fittest``, the ``mean``, and how often the win is
    played (``wins``, percent)."""
    rows = []
    for rule in RULES:
        for individuals in (10, 15, 20, 30, 50, 100):
            runs = [evolved(threat(), individuals, i, asked.seed, illegal=rule) for i in range(asked.evolutions)]
            best = np.mean([run.fitness.max() for run in runs])
            mean = np.mean([run.fitness.mean() for run in runs])
            wins = 100 * np.mean([run.move == WINNING for run in runs])
            rows.append({"rule": rule, "individuals": individuals, "fittest": best, "mean": mean, "wins": wins})
    return pd.DataFrame(rows)


def progress_figure(curve: pd.DataFrame, evolutions: int) -> Html:
    """How fitness grows with the number of individuals, and how often the win is then played."""
    dashed = {rule: look._replace(line="--") for rule, look in LOOKS.items()}

    def fitness(axis: Axes) -> None:
        lines(axis, curve, "individuals", "fittest", LOOKS, "rule")
        lines(axis, curve, "individuals", "mean", dashed, "rule")

    def won(axis: Axes) -> None:
        lines(axis, curve, "individuals", "wins", LOOKS, "rule")
        axis.set_ylim(0, 105)

    last = curve[curve["individuals"] == 50].set_index("rule")
    return show_panels(
        {"fitness": fitness, "winning move played, %": won},
        f"After 50 individuals the fittest has {last['fittest']['repair']:.2f} repaired and "
        f"{last['fittest']['random']:.2f} replaced at random; the winning move is played in "
        f"{last['wins']['repair']:.0f} and {last['wins']['random']:.0f} % of the evolutions.",
        "How fitness grows with the number of individuals in the position above, and how often the win is then played: "
        f"means of {evolutions} evolutions. Full lines are the fittest, dashed ones the population's mean.",
        curve,
        key={name: LOOKS[rule] for rule, name in RULES.items()},
        across="individuals",
    )


# --- illegal actions ----------------------------------------------------------------------------------------------


def legal_table(asked: Evolution) -> Html:
    """How often an action drawn from all of a game's is legal."""
    rows = []
    for board in BOARDS:
        games = match(game(board), player("random"), player("random"), 20, asked.seed)
        positions = [position for i in range(len(games)) for position in games[i].line() if not position.is_over]
        legal = np.mean([len(position.moves) for position in positions])
        rows.append({"board": board, "actions": game(board).actions, "legal": legal})
    return table(
        pd.DataFrame(rows),
        "How many of a game's actions are legal in a position: means over random games.",
        {
            "game": ("board", board_name),
            "actions": "actions",
            "legal": ("legal", "{:.1f}"),
            "legal %": lambda row: percent(row.legal / row.actions),
        },
    )


def decided_table(asked: Evolution, found: pd.DataFrame) -> Html:
    """At the start of Othello: how often the fittest plan decides the move, and what that is worth."""
    opening = game("othello").start()

    def decides(rule: str, number: int) -> bool:
        last = evolved(opening, 50, number, asked.seed, illegal=rule)
        gene = int(last.genes[np.argmax(last.fitness), 0])
        return rule == "repair" or (gene < opening.game.actions and opening.game.action_name(gene) in opening.moves)

    shares = {rule: np.mean([decides(rule, i) for i in range(asked.evolutions)]) for rule in RULES}
    return table(
        found[found["board"] == "othello"].assign(decides=lambda frame: frame["rule"].map(shares)),
        f"How often the plan decides the move in Othello, in {asked.evolutions} evolutions at the start of the game, "
        f"and how RHEA then does in {asked.games} games against random play.",
        {
            "illegal actions": ("rule", RULES.get),
            "the plan decides the move %": ("decides", percent),
            "score against random play %": ("score", percent),
            "95 % interval": between,
        },
    )
