"""The tree search as it is meant to be read: MCTS, RAVE and the guided searches in plain Python.

:mod:`.kernels` and :mod:`.guided` are this algorithm made fast. tests/test_search_reference.py and tests/test_guided.py
hold them to it: after every simulation the same path, the same tree, the same random numbers.

A tree is a dictionary from states to their edges. A state is seen by the player to move in it, and so is every value;
a value changes its sign at each ply.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from wslib._compiled import below, uniform
from wslib.games import Position, rules
from wslib.search.kernels import EPSILON
from wslib.search.settings import SearchSettings, TreeSettings

State = tuple[int, int]
"""The stones of the player to move and those of the opponent, a bit per cell."""
Walk = list[tuple[Position, int]]
"""The path of a simulation: each state with the action taken in it."""
Outcome = tuple[float, set[int], set[int]]
"""The value of a leaf for the player to move there, and what that player and the other played after it."""
NO_PLAYOUT: Outcome = 0.0, set(), set()
LEAVES: dict[str, Callable[[float, float, float], float]] = {
    "network": lambda network, playout, w: network,
    "playout": lambda network, playout, w: playout,
    "mixture": lambda network, playout, w: (1 - w) * network + w * playout,
}
"""How a leaf is evaluated; an enhancement is a line here and a row of :data:`wslib.search.methods.GUIDED`."""


@dataclass
class Edge:
    """An action in a state: how often it was taken, the sum of what came of it, and the same for RAVE."""

    prior: float
    n: int = 0
    total: float = 0.0
    n_rave: int = 0
    total_rave: float = 0.0

    @property
    def q(self) -> float:
        """The mean value, 0 before the first."""
        return self.total / self.n if self.n else 0.0

    @property
    def q_rave(self) -> float:
        """The mean value of the simulations in which the action was played here or later, 0 before the first."""
        return self.total_rave / self.n_rave if self.n_rave else 0.0


def no_network(position: Position) -> tuple[dict[int, float], float]:
    """Equal priors, and a value that no search without a network looks at."""
    return dict.fromkeys(position.legal, 1 / len(position.legal)), 0.0


@dataclass
class Search:
    """A search tree, and what makes it grow."""

    stream: np.ndarray
    """(1,): the state of the random stream that it draws from."""
    options: TreeSettings = field(default_factory=SearchSettings)
    leaf: str = "playout"
    """How leaves are evaluated: one of :data:`LEAVES`."""
    w: float = 0.0
    network: Callable[[Position], tuple[dict[int, float], float]] = no_network
    """From a position to the priors of its legal actions, which sum up to 1, and its value for the player to move."""
    tree: dict[State, dict[int, Edge]] = field(default_factory=dict)

    def simulate(self, root: Position) -> Walk:
        """One simulation; returns its path."""
        path, leaf = self.select(root)
        self.expand(leaf)
        self.back_up(path, leaf, self.evaluate(leaf))
        return path

    def select(self, position: Position) -> tuple[Walk, Position]:
        """Follow the largest scores to a leaf: it is new, or ends the game."""
        path = []
        while state_of(position) in self.tree and not position.is_over:
            edges = self.tree[state_of(position)]
            action = self.largest(self.scores(edges))
            path.append((position, action))
            position = position.act(action)
        return path, position

    def expand(self, leaf: Position) -> None:
        """Add a leaf to the tree, with an edge for each legal action."""
        priors = {} if leaf.is_over else self.network(leaf)[0]
        edges = {action: Edge(prior) for action, prior in priors.items()}
        self.tree.setdefault(state_of(leaf), edges)

    def evaluate(self, leaf: Position) -> Outcome:
        """The value of a leaf for the player to move, by the method."""
        if leaf.result is not None:
            return float(leaf.result), set(), set()
        _, value = self.network(leaf)
        played, mine, theirs = NO_PLAYOUT
        if self.options.plays_out:
            played, mine, theirs = self.playout(leaf)
        return LEAVES[self.leaf](value, played, self.w), mine, theirs

    def playout(self, leaf: Position) -> Outcome:
        """Uniformly random moves to the end of the game (compiled, so that it draws as the fast search does)."""
        state = leaf.game.rules, *leaf.words
        value, _, *cells = rules.playout(*state, self.stream, 0, np.empty(64, np.uint64))
        mine, theirs = rules.actions_of(*state, *map(np.uint64, cells), self.options.amaf_players == "first")
        return float(value), members(mine), members(theirs)

    def back_up(self, path: Walk, leaf: Position, outcome: Outcome) -> None:
        """Add the value to every edge of the path, as its player sees it."""
        value, _, _ = outcome
        for position, action in reversed(path):
            value = -value
            edge = self.tree[state_of(position)][action]
            edge.n += 1
            edge.total += value
        if self.options.rave:
            self.back_up_rave(path, leaf, outcome)

    def largest(self, values: dict[int, float]) -> int:
        """The action of the largest value; one draw decides between equal ones, or the first of them is taken."""
        best = max(values.values())
        tied = [action for action, value in sorted(values.items()) if value == best]
        if self.options.ties == "first" or len(tied) == 1:
            return tied[0]
        return tied[below(self.stream, 0, len(tied))]

    def scores(self, edges: dict[int, Edge]) -> dict[int, float]:
        """The score of each action of a state."""
        visits = sum(edge.n for edge in edges.values())
        visits_rave = sum(edge.n_rave for edge in edges.values())
        return {action: self.score(edge, visits, visits_rave) for action, edge in edges.items()}

    def score(self, edge: Edge, visits: int, visits_rave: int) -> float:
        """Eq. 5.1 or UCB1; with RAVE eq. 5.2 to 5.4."""
        u = self.bound(edge.prior, edge.q, edge.n, visits)
        if not self.options.rave:
            return u
        u_rave = self.bound(edge.prior, edge.q_rave, edge.n_rave, visits_rave)
        if math.isinf(u) or math.isinf(u_rave):
            u = u_rave = min(u, u_rave)  # what only one of the two has seen is judged by that one
        if math.isinf(u):
            return u
        n = visits if self.options.beta == "state" else edge.n
        k = self.options.equivalence or 1.0
        beta = math.sqrt(k / (3 * n + k))
        return (1 - beta) * u + beta * u_rave

    def bound(self, prior: float, q: float, n: int, visits: int) -> float:
        """A mean and what speaks for trying it again: P-UCT, or UCB1, for which an action never tried comes first."""
        if self.options.rule == "puct":
            return q + self.options.c * math.sqrt(visits + EPSILON) * prior / (1 + n)
        return q + self.options.c * math.sqrt(math.log(visits) / n) if n else math.inf

    def back_up_rave(self, path: Walk, leaf: Position, outcome: Outcome) -> None:
        """Count, in each state of the path and in the leaf, what was played there or later by the player to move."""
        value, mine, theirs = outcome
        if self.options.amaf == "path":
            mine, theirs = set(), set()
        elif must_pass(leaf) and theirs:
            mine = mine | {leaf.game.cells}  # a playout does not list its passes, but this one is certain
        for t1, position in enumerate([position for position, _ in path] + [leaf]):
            distance = len(path) - t1  # plies from this state to the leaf
            uses = [({action}, (t2 - t1) % 2) for t2, (_, action) in enumerate(path) if t2 >= t1]
            uses += [(mine, distance % 2), (theirs, (distance + 1) % 2)]  # 0: by the player to move here
            own, opponents = (set().union(*(actions for actions, who in uses if who == player)) for player in (0, 1))
            if self.options.amaf_players == "first":
                own, opponents = first_uses(uses)
            self.count_amaf(position, own, value * (-1) ** distance)
            if self.options.amaf_players != "own" and not must_pass(position):
                # (A pass of the opponent is no move that one could have made oneself.)
                self.count_amaf(position, opponents, -value * (-1) ** distance)

    def count_amaf(self, position: Position, actions: set[int], value: float) -> None:
        """Count actions as if each had been the choice in this state (those that are legal in it)."""
        edges = self.tree[state_of(position)]
        for action in actions & edges.keys():
            edges[action].n_rave += 1
            edges[action].total_rave += value

    def weights(self, root: Position) -> dict[int, float]:
        """What the policy is proportional to."""
        edges = self.tree[state_of(root)]
        if self.options.policy == "visits":
            return {action: float(edge.n) for action, edge in edges.items()}
        if self.options.policy == "q":
            return {action: (edge.q + 1) / 2 if edge.n else 0.0 for action, edge in edges.items()}
        return {action: (edge.q_rave + 1) / 2 if edge.n_rave else 0.0 for action, edge in edges.items()}

    def move(self, root: Position) -> int:
        """The action of the largest weight."""
        return self.largest(self.weights(root))

    def drawn_move(self, root: Position) -> int:
        """An action drawn from the policy."""
        weights = self.weights(root)
        if sum(weights.values()):
            left = uniform(self.stream, 0) * sum(weights.values())
            for action, weight in sorted(weights.items()):
                left -= weight
                if left < 0:
                    return action
        return self.largest(weights)


def state_of(position: Position) -> State:
    """The key of a position in a tree."""
    return position.own, position.opp


def members(actions: int) -> set[int]:
    """The actions in a word with a bit for each."""
    return {action for action in range(64) if int(actions) >> action & 1}


def must_pass(position: Position) -> bool:
    """Whether the pass is the only move."""
    return position.moves == ("pass",)


def first_uses(uses: list[tuple[set[int], int]]) -> tuple[set[int], set[int]]:
    """The actions that each of two players used before the other did, from sets of actions in order of time."""
    first: dict[int, int] = {}
    for actions, player in uses:
        for action in actions:
            first.setdefault(action, player)
    own, opponents = ({action for action, who in first.items() if who == player} for player in (0, 1))
    return own, opponents
