"""Tree search once more, written to be read: MCTS and RAVE as the study defines them, in plain Python.

The tests hold the compiled search against this one, simulation by simulation. A tree is a dictionary from states to
their edges. A state is seen by the player to move in it, and so is every value; a value changes its sign at each ply.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from wslib.games import Position

MASK = (1 << 64) - 1
EPSILON = 1e-8


@dataclass
class Stream:
    """SplitMix64, from which both searches draw."""

    state: int

    def word(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31

    def below(self, n: int) -> int:
        return (self.word() >> 32) * n >> 32

    def uniform(self) -> float:
        return (self.word() >> 11) / 2**53


@dataclass
class Edge:
    """An action in a state: how often it was taken, what came of it, and the same for RAVE."""

    prior: float
    n: int = 0
    total: float = 0.0
    n_rave: int = 0
    total_rave: float = 0.0

    @property
    def q(self) -> float:
        return self.total / self.n if self.n else 0.0

    @property
    def q_rave(self) -> float:
        return self.total_rave / self.n_rave if self.n_rave else 0.0


State = tuple[int, int]
Leaf = tuple[float, set[int], set[int]]
"""The value of a leaf for the player to move there, and what that player and the other played after it."""


def state_of(position: Position) -> State:
    return position.own, position.opp


def must_pass(position: Position) -> bool:
    return position.moves == ("pass",)


def first_uses(uses: list[tuple[set[int], int]]) -> tuple[set[int], set[int]]:
    """The actions that each of two players used before the other did, from sets of actions in order of time."""
    first: dict[int, int] = {}
    for actions, player in uses:
        for action in actions:
            first.setdefault(action, player)
    own, opponents = ({action for action, who in first.items() if who == player} for player in (0, 1))
    return own, opponents


def uniform_prior(position: Position) -> dict[int, float]:
    return {action: 1 / len(position.legal) for action in position.legal}


@dataclass
class Search:
    """One search tree and the options of a search, named as in wslib's settings."""

    stream: Stream
    leaf_value: Callable[[Position], Leaf]
    rave: bool = False
    c: float = 1.0
    rule: str = "puct"
    policy: str = "visits"
    amaf: str = "path+rollout"
    amaf_players: str = "own"
    ties: str = "random"
    beta: str = "state"
    equivalence: float = 100.0
    prior: Callable[[Position], dict[int, float]] = uniform_prior
    tree: dict[State, dict[int, Edge]] = field(default_factory=dict)

    def simulate(self, root: Position) -> list[tuple[Position, int]]:
        """One simulation; returns the path: each state with the action taken in it."""
        position, path = root, []
        while state_of(position) in self.tree and not position.is_over:
            action = self.largest(self.scores(self.tree[state_of(position)]))
            path.append((position, action))
            position = position.act(action)
        if position.is_over:
            self.tree.setdefault(state_of(position), {})
            self.back_up(path, position, (float(position.result), set(), set()))
        else:
            self.tree[state_of(position)] = {a: Edge(p) for a, p in self.prior(position).items()}
            self.back_up(path, position, self.leaf_value(position))
        return path

    def largest(self, values: dict[int, float]) -> int:
        """The action of the largest value; one draw decides between equal ones, or the first of them is taken."""
        best = max(values.values())
        tied = [action for action, value in sorted(values.items()) if value == best]
        if self.ties == "first":
            return tied[0]
        return tied[self.stream.below(len(tied))] if len(tied) > 1 else tied[0]

    def scores(self, edges: dict[int, Edge]) -> dict[int, float]:
        visits = sum(edge.n for edge in edges.values())
        visits_rave = sum(edge.n_rave for edge in edges.values())
        return {action: self.score(edge, visits, visits_rave) for action, edge in edges.items()}

    def score(self, edge: Edge, visits: int, visits_rave: int) -> float:
        if self.rule == "puct":
            u = edge.q + self.c * math.sqrt(visits + EPSILON) * edge.prior / (1 + edge.n)
            u_rave = edge.q_rave + self.c * math.sqrt(visits_rave + EPSILON) * edge.prior / (1 + edge.n_rave)
        else:
            u = self.ucb1(edge.q, edge.n, visits)
            u_rave = self.ucb1(edge.q_rave, edge.n_rave, visits_rave)
        if not self.rave:
            return u
        if math.isinf(u) or math.isinf(u_rave):
            u = u_rave = min(u, u_rave)  # what only one of the two has seen is judged by that one
        if math.isinf(u):
            return u
        n = visits if self.beta == "state" else edge.n
        beta = math.sqrt(self.equivalence / (3 * n + self.equivalence))
        return (1 - beta) * u + beta * u_rave

    def ucb1(self, q: float, n: int, visits: int) -> float:
        return q + self.c * math.sqrt(math.log(visits) / n) if n else math.inf

    def back_up(self, path: list[tuple[Position, int]], leaf: Position, outcome: Leaf) -> None:
        value, mine, theirs = outcome
        for depth, (position, action) in enumerate(path):
            edge = self.tree[state_of(position)][action]
            edge.n += 1
            edge.total += value * (-1) ** (len(path) - depth)
        if not self.rave:
            return
        if self.amaf == "path":
            mine, theirs = set(), set()
        elif must_pass(leaf) and theirs:
            mine = mine | {leaf.game.cells}  # a playout does not list its passes, but this one is certain
        for t1, position in enumerate([position for position, _ in path] + [leaf]):
            distance = len(path) - t1  # plies from this state to the leaf
            uses = [({action}, (t2 - t1) % 2) for t2, (_, action) in enumerate(path) if t2 >= t1]
            uses += [(mine, distance % 2), (theirs, (distance + 1) % 2)]  # 0: by the player to move here
            own, opponents = (set().union(*(actions for actions, who in uses if who == player)) for player in (0, 1))
            if self.amaf_players == "first":
                own, opponents = first_uses(uses)
            self.count_amaf(position, own, value * (-1) ** distance)
            if self.amaf_players != "own" and not must_pass(position):
                # (A pass of the opponent is no move that one could have made oneself.)
                self.count_amaf(position, opponents, -value * (-1) ** distance)

    def count_amaf(self, position: Position, actions: set[int], value: float) -> None:
        edges = self.tree[state_of(position)]
        for action in actions & edges.keys():
            edges[action].n_rave += 1
            edges[action].total_rave += value

    def weights(self, root: Position) -> dict[int, float]:
        """What the policy is proportional to."""
        edges = self.tree[state_of(root)]
        if self.policy == "visits":
            return {action: float(edge.n) for action, edge in edges.items()}
        if self.policy == "q":
            return {action: (edge.q + 1) / 2 if edge.n else 0.0 for action, edge in edges.items()}
        return {action: (edge.q_rave + 1) / 2 if edge.n_rave else 0.0 for action, edge in edges.items()}

    def move(self, root: Position) -> int:
        return self.largest(self.weights(root))

    def drawn_move(self, root: Position) -> int:
        """A move drawn from the policy."""
        weights = self.weights(root)
        if not sum(weights.values()):
            return self.largest(weights)
        left = self.stream.uniform() * sum(weights.values())
        for action, weight in sorted(weights.items()):
            left -= weight
            if left < 0:
                return action
        return self.largest(weights)
