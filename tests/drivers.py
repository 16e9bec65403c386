"""Small compiled functions through which tests take the search apart: one walk, one back-up, one simulation."""

from dataclasses import dataclass
from itertools import product
from random import Random

import numpy as np

from wslib import rhea
from wslib._compiled import GAMMA, MIX_1, MIX_2, ONE, ZERO, kernel, lowest_bit, stream
from wslib.games import Game, Position
from wslib.games import rules as R
from wslib.prompt.result import find
from wslib.search import GuidedSettings, SearchSettings, kernels
from wslib.search.guided import GuidedSearch
from wslib.search.tree import Forest, plant, tree_of


@kernel
def _walk(rules, plan, forest, i, own, opp, streams):
    return kernels.select(rules, plan, tree_of(forest, i), own, opp, streams, i)


@kernel
def _back_up(rules, plan, forest, i, leaf, depth, value, mine, theirs):
    kernels.back_up(rules, plan, tree_of(forest, i), leaf, depth, value, mine, theirs)


@kernel
def _simulate(rules, plan, forest, i, own, opp, streams):
    kernels.simulate(rules, plan, tree_of(forest, i), own, opp, streams, i)


def all_settings() -> list[SearchSettings]:
    """Every combination of RAVE's options, with weights, policies and ties that vary along; and plain MCTS."""
    random = Random(5)
    found = [
        SearchSettings(method="mcts", rule=rule, c=c, policy=policy, ties=ties)
        for rule, c, policy, ties in product(["puct", "ucb1"], [0.0, 1.0, 2.5], ["visits", "q"], ["random", "first"])
        if (c == 1.0) or (policy == "q" and ties == "random")
    ]
    for rule, amaf, players, beta in product(
        ["puct", "ucb1"], ["path", "path+rollout"], ["own", "both", "first"], ["state", "action"]
    ):
        found.append(
            SearchSettings(
                method="rave", rule=rule, amaf=amaf, amaf_players=players, beta=beta,
                c=random.choice([0.0, 0.3, 1.0, 1.0, 2.5]),
                equivalence=random.choice([1.0, 20.0, 100.0]),
                policy=random.choice(["visits", "q", "q_rave"]),
                ties="random" if len(found) % 3 else "first",
            )
        )  # fmt: skip
    return found


def bits(actions) -> np.uint64:
    """A set of actions as a word."""
    return np.uint64(sum(1 << action for action in actions))


def members(word: int) -> set[int]:
    """A word as a set of actions."""
    return {action for action in range(64) if int(word) >> action & 1}


def playout(streams: np.ndarray, position: Position) -> tuple[int, int, np.uint64, np.uint64]:
    """The compiled playout: its value, its plies, and the cells that the player to move and the other filled."""
    value, plies, *filled = R.playout(position.game.rules, *position.words, streams, 0, np.empty(64, np.uint64))
    return int(value), int(plies), *map(np.uint64, filled)


def playout_from(streams: np.ndarray, position: Position, first: bool) -> tuple[float, set[int], set[int]]:
    """The value of a compiled playout, and the actions of the player to move and of the other.

    With ``first`` a column belongs to the player who dropped the first disc into it, which lies lowest.
    """
    value, _, *filled = playout(streams, position)
    mine, theirs = map(members, filled)
    if position.game.name == "connect4":
        cols = position.game.cols
        if first:
            lowest = {max(cell for cell in mine | theirs if cell % cols == column) for column in range(cols)
                      if any(cell % cols == column for cell in mine | theirs)}  # fmt: skip
            mine, theirs = mine & lowest, theirs & lowest
        mine, theirs = ({cell % cols for cell in cells} for cells in (mine, theirs))
    return float(value), mine, theirs


def evolve(root: Position, of: rhea.RheaSettings, streams: np.ndarray) -> tuple[int, rhea.Population]:
    """The compiled evolution for one move: the move, and the population after it."""
    population, move = rhea.empty_population(of), np.empty(1, int)
    own, opp = (np.array([word]) for word in root.words)
    rhea.evolve_moves(root.game.rules, rhea.make_plan(of), population, own, opp, streams, np.zeros(1, int), move)
    return int(move[0]), population


@kernel
def lines_of_play(rules, own, opp, depth):
    """Number of lines of play of exactly this length; a pass is a ply."""
    legal = R.legal_actions(rules, own, opp)
    if depth == 0:
        return 1
    if R.status(rules, own, opp, legal) != R.RUNNING:
        return 0
    if legal == ZERO:
        after_own, after_opp = R.play(rules, own, opp, rules.rows * rules.cols)
        return lines_of_play(rules, after_own, after_opp, depth - 1)
    lines = 0
    while legal != ZERO:
        after_own, after_opp = R.play(rules, own, opp, np.int64(lowest_bit(legal)))
        lines += lines_of_play(rules, after_own, after_opp, depth - 1)
        legal &= legal - ONE
    return lines


def random_line(of: Game, seed: int) -> list[Position]:
    """All positions of a random game."""
    random, line = Random(seed), [of.start()]
    while not line[-1].is_over:
        line.append(line[-1].act(random.choice(line[-1].legal)))
    return line


def few_left(of: Game, seed: int, empty: int) -> Position | None:
    """The first position of a random game with so many empty cells at most; None where it is over before."""
    running = (p for p in random_line(of, seed)[:-1] if of.cells - (p.own | p.opp).bit_count() <= empty)
    return next(running, None)


class Grown:
    """One tree of a forest, to be looked into."""

    game: Game
    forest: Forest
    settings: SearchSettings | GuidedSettings
    number: int = 0

    def node(self, position: Position) -> int:
        """The node of a position, -1 where there is none."""
        return int(find(self.forest, self.number, *position.words))

    def position(self, node: int) -> Position:
        """The position that a node stands for (its mover drawn as X)."""
        found = self.forest.nodes[self.number, node]
        return Position(self.game, int(found["own"]), int(found["opp"]), 0)

    def edges(self, node: int) -> dict[int, tuple[float, float, float, float, float]]:
        """What a node's edges hold: action -> prior, N, Q, N_rave, Q_rave."""
        found = self.forest.nodes[self.number, node]
        span = slice(found["first"], found["first"] + found["count"])
        legal = sorted(members(found["legal"])) or [self.game.cells]
        table = self.forest.edges[self.number, span][["prior", "n", "q"]].tolist()
        amaf = [(0.0, 0.0)] * len(table)
        if self.settings.rave:
            amaf = self.forest.amaf[self.number, span][["n", "q"]].tolist()
        return {action: (*row, *more) for action, row, more in zip(legal, table, amaf, strict=False)}

    def tree(self) -> dict[tuple[int, int], dict[int, tuple[float, ...]]]:
        """All of the tree: state -> what its edges hold."""
        states = self.forest.nodes[self.number, : self.forest.used[self.number, 0]][["own", "opp"]].tolist()
        return {state: self.edges(node) for node, state in enumerate(states)}

    def path(self, depth: int) -> list[tuple[tuple[int, int], int]]:
        """The latest path: each state with the action taken in it."""
        steps = []
        for node, edge in self.forest.path[self.number, :depth].tolist():
            position = self.position(node)
            steps.append(((position.own, position.opp), position.legal[edge]))
        return steps


class Fast(Grown):
    """One tree of the compiled search, to be driven by hand."""

    def __init__(self, position: Position, settings: SearchSettings, seed: int, nodes: int = 2000) -> None:
        self.game = position.game
        self.rules, self.settings, self.plan = position.game.rules, settings, kernels.make_plan(settings)
        self.forest = plant(self.rules, 1, nodes, settings.rave)
        self.streams = np.array([stream(seed, "test")])

    def simulate(self, root: Position) -> None:
        """One simulation with a random playout."""
        _simulate(self.rules, self.plan, self.forest, 0, *root.words, self.streams)

    def walk(self, root: Position) -> tuple[int, int]:
        """Down to the leaf: its node, and the length of the path."""
        return _walk(self.rules, self.plan, self.forest, 0, *root.words, self.streams)

    def back_up(self, leaf: int, depth: int, value: float, mine=(), theirs=()) -> None:
        """Back a leaf's value up the path of the latest walk."""
        _back_up(self.rules, self.plan, self.forest, 0, leaf, depth, float(value), bits(mine), bits(theirs))

    def search(self, root: Position, simulations: int) -> int:
        """Simulations added to the tree, and the move chosen after them."""
        own, opp = (np.array([word]) for word in root.words)
        first, move = np.zeros(1, int), np.empty(1, int)
        kernels.search_moves(
            self.rules, self.plan, self.forest, first, own, opp, self.streams, first, simulations, False, move
        )
        return int(move[0])


@dataclass
class Guided(Grown):
    """The tree of one of the games that a guided search plays side by side."""

    search: GuidedSearch
    number: int

    @property
    def game(self) -> Game:
        return self.search.game

    @property
    def forest(self) -> Forest:
        return self.search.forest

    @property
    def settings(self) -> GuidedSettings:
        return self.search.settings

    @property
    def streams(self) -> np.ndarray:
        return self.search.streams[self.number :]


def _hashed(own: np.ndarray, opp: np.ndarray, numbers: int) -> np.ndarray:
    """So many numbers in [0, 1) per state, float32."""
    with np.errstate(over="ignore"):
        z = (own * MIX_1 ^ opp * MIX_2)[:, None] ^ np.arange(1, numbers + 1, dtype=np.uint64) * GAMMA
        for shift, factor in ((31, MIX_2), (29, MIX_1), (32, MIX_2)):
            z = (z ^ z >> np.uint64(shift)) * factor
    return (z >> np.uint64(40)).astype(np.float32) / np.float32(2**24)


class MadeUpNetwork:
    """A stand-in for a network: priors and values made from each state by hashing, whatever else is asked with it.

    Some moves are liked much better than others, illegal ones as much as legal ones; one state in eight has nothing
    but illegal moves liked. ``asked`` is the states of each batch.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.asked: list[list[tuple[int, int]]] = []

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        bit = np.uint64(1) << np.arange(self.game.cells, dtype=np.uint64)
        cells = planes.reshape(len(planes), -1)
        own, opp = (((cells == colour) * bit).sum(axis=1, dtype=np.uint64) for colour in (1, -1))
        self.asked.append(list(zip(own.tolist(), opp.tolist(), strict=True)))
        numbers = _hashed(own, opp, self.game.actions + 2)
        priors = numbers[:, 2:] ** 3
        for row in np.flatnonzero(numbers[:, 0] < 0.125):
            priors[row, list(Position(self.game, int(own[row]), int(opp[row]), 0).legal)] = 0.0
        return priors, 2 * numbers[:, 1] - 1
