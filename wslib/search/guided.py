"""Searches guided by a network, all games of a unit in lockstep: one leaf per game, one batch per step.

A simulation is the one of :mod:`.kernels`, cut in two at the leaf: every game *selects* and *expands* its leaf, all
leaves are *evaluated* together, and every game *backs up* its value. How leaves are evaluated is a function of the
method's row in :mod:`.methods`; the loop knows none of them by name.

Evaluations are shared: a state that any of the games has met before is not evaluated again. The batches are a function
of the games alone, in their order, because a network's last bits depend on the batch (house rule: the batch is part of
the unit).
"""

from typing import NamedTuple, Protocol

import numpy as np

from wslib._compiled import ONE, ZERO, inlined, kernel, lowest_bit
from wslib._numbers import gamma
from wslib.games import Game
from wslib.games.rules import RUNNING, fill_plane
from wslib.parameters import ParameterError, brief
from wslib.search.kernels import back_up, choose, make_plan, play_out, select, weigh_edges
from wslib.search.methods import GUIDED
from wslib.search.settings import GuidedSettings
from wslib.search.tree import edge_action, enter_all, find_root, grown, plant, slot_of, tree_of

FIRST_ROOM = 4096


class Evaluator(Protocol):
    """Anything that evaluates positions: a network, or a stand-in for tests."""

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities (n, actions) and values (n,) for planes (n, 1, rows, cols)."""


def check_network(network: Evaluator, board: Game | None = None) -> None:
    """Refuse what evaluates no positions, or not those of this game: a network may say in ``game`` which it plays."""
    if not hasattr(network, "evaluate"):
        raise ParameterError(
            f"{brief(network)} is no network: it should have evaluate(planes), as network('connect4') has"
        )
    plays = getattr(network, "game", None)
    if board is not None and plays not in (None, board):
        raise ParameterError(f"this network plays {plays}, not {board}")


STATE = np.dtype([("own", np.uint64), ("opp", np.uint64)])


class Memory(NamedTuple):
    """What the network has said, a row per state, with a hash table from states to rows (-1 for empty)."""

    states: np.ndarray
    """(rows,) of STATE."""
    prior: np.ndarray
    """(rows, actions), float32: probabilities as the network gives them, illegal actions included."""
    value: np.ndarray
    """(rows,), float64: values for the player to move."""
    slots: np.ndarray
    """(slots,) int32: at least twice as many as rows, a power of two."""
    used: np.ndarray
    """(1,) int64: how many rows are in use."""


LEAF = np.dtype([
    ("node", np.int64),
    ("depth", np.int64),    # plies from the root
    ("row", np.int64),      # of its evaluation in the memory; -1 where the game has ended, whose value is its result
    ("played", np.float64), # result of a playout from it, for the player to move; 0 where none was played
    ("mine", np.uint64),    # sets of actions that the playout saw of the player to move
    ("theirs", np.uint64),  # and of the other, for RAVE
    ("value", np.float64),  # what is backed up, for the player to move
])  # fmt: skip
"""The leaf that a game's latest walk came to."""


def empty_memory(actions: int, room: int = FIRST_ROOM) -> Memory:
    """Room for this many evaluations."""
    return Memory(
        states=np.empty(room, STATE),
        prior=np.empty((room, actions), np.float32),
        value=np.zeros(room),
        slots=np.full(1 << (2 * room - 1).bit_length(), -1, np.int32),
        used=np.zeros(1, np.int64),
    )


def _widened(memory: Memory, more: int) -> Memory:
    """A memory with room for this many more evaluations: the one given, or a copy twice as large."""
    used, room = int(memory.used[0]), len(memory.value)
    if used + more <= room:
        return memory
    wider = empty_memory(memory.prior.shape[1], 2 * (used + more))
    for old, new in zip(memory[:3], wider[:3], strict=True):
        new[:used] = old[:used]
    wider.used[0] = used
    enter_all(wider.slots, wider.states, used)
    return wider


@inlined
def _select(rules, plan, forest, memory, own, opp, streams, games, shared, leaves, index):
    """Select and expand a game's leaf, enter its state where it is new, and play it out where that is wanted.

    Returns whether the leaf needs an evaluation, new or remembered.
    """
    i = games[index]
    tree = tree_of(forest, i)
    node, depth = select(rules, plan, tree, own[index], opp[index], streams, i)
    leaves[index].node, leaves[index].depth, leaves[index].row = node, depth, -1
    if tree.nodes[node].status != RUNNING:
        return False
    state_own, state_opp = tree.nodes[node].own, tree.nodes[node].opp
    slot = slot_of(memory.slots, memory.states, state_own, state_opp)
    row = np.int64(memory.slots[slot])
    if row < 0 or not shared:
        row = memory.used[0]
        memory.states[row].own, memory.states[row].opp = state_own, state_opp
        memory.used[0] = row + 1
        if shared:
            memory.slots[slot] = row
    leaves[index].row = row
    if plan.plays_out:
        value, leaves[index].mine, leaves[index].theirs = play_out(rules, plan, tree, node, streams, i)
        leaves[index].played = value
    return True


@inlined
def _set_priors(rules, tree, node, prior):
    """The network's probabilities of the legal actions, renormalised; where it gives them none they stay uniform."""
    legal, total = tree.nodes[node].legal, 0.0
    while legal != ZERO:
        total += np.float64(prior[np.int64(lowest_bit(legal))])
        legal &= legal - ONE
    if total <= 0.0:
        return
    legal, at = tree.nodes[node].legal, np.int64(tree.nodes[node].first)
    while legal != ZERO:
        tree.edges[at].prior = np.float64(prior[np.int64(lowest_bit(legal))]) / total
        legal &= legal - ONE
        at += 1


@inlined
def _back_up(rules, plan, forest, memory, games, leaves, index):
    """Give a game's leaf its priors, and back its value up."""
    tree = tree_of(forest, games[index])
    node, depth, row = leaves[index].node, leaves[index].depth, leaves[index].row
    if row >= 0:
        _set_priors(rules, tree, node, memory.prior[row])
        back_up(rules, plan, tree, node, depth, leaves[index].value, leaves[index].mine, leaves[index].theirs)
    else:
        back_up(rules, plan, tree, node, depth, np.float64(tree.nodes[node].status), ZERO, ZERO)


@kernel
def _step(rules, plan, forest, memory, own, opp, streams, games, shared, leaves, backs_up, selects, planes):
    """Back up the leaves that wait, select the next ones, draw new states: in one call, as calls cost time.

    Game by game, because the next walk goes where the last value came from, which is then at hand. Returns where the
    new rows begin, and how many leaves need an evaluation.
    """
    if not shared:
        memory.used[0] = 0
    first, asking = memory.used[0], 0
    for index in range(len(games)):
        if backs_up:
            _back_up(rules, plan, forest, memory, games, leaves, index)
        if selects:
            asking += _select(rules, plan, forest, memory, own, opp, streams, games, shared, leaves, index)
    for row in range(first, memory.used[0]):
        fill_plane(rules, memory.states[row].own, memory.states[row].opp, planes[row - first])
    return first, asking


@kernel
def _decide(rules, plan, forest, own, opp, streams, games, sampled, actions, policies):
    """The moves after the searches, and the policies they were chosen from."""
    for index in range(len(own)):
        i = games[index]
        tree = tree_of(forest, i)
        root = find_root(tree, own[index], opp[index])
        total = weigh_edges(plan, tree, root)
        policies[index, :] = 0.0
        for j in range(tree.nodes[root].count):
            share = tree.scores[j] / total if total > 0.0 else 1.0 / tree.nodes[root].count
            policies[index, edge_action(rules, tree, root, j)] = share
        actions[index] = choose(rules, plan, tree, root, sampled[index], streams, i)


@kernel
def _mix_noise(rules, forest, own, opp, streams, games, share, alpha, drawn):
    """Mix Dirichlet noise into the priors of roots that have been expanded; ``drawn`` has room for a root's edges."""
    for index in range(len(own)):
        i = games[index]
        tree = tree_of(forest, i)
        root = find_root(tree, own[index], opp[index])
        first, count = np.int64(tree.nodes[root].first), np.int64(tree.nodes[root].count)
        total = 0.0
        for j in range(count):
            drawn[j] = gamma(streams, i, alpha) + 1e-12
            total += drawn[j]
        for j in range(count):
            edge = tree.edges[first + j]
            edge.prior = (1.0 - share) * edge.prior + share * drawn[j] / total


class GuidedSearch:
    """The searches of one player in a set of games: a tree per game, one memory of evaluations for all."""

    def __init__(self, game: Game, settings: GuidedSettings, network: Evaluator, streams: np.ndarray):
        check_network(network, game)
        self.game, self.settings, self.network, self.streams = game, settings, network, streams
        self.plan = make_plan(settings)
        self.leaf, self.wants = GUIDED[settings.method].leaf, GUIDED[settings.method].wants
        self.forest = plant(game.rules, len(streams), settings.simulations + 2, settings.rave)
        self.memory = empty_memory(game.actions)
        self.planes = np.empty((len(streams), 1, game.rows, game.cols), np.float32)
        self.evaluations = self.leaves = 0

    def run(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> None:
        """Add the settings' number of simulations to the trees of ``games`` (n,), which are in ``own``, ``opp`` (n,).

        Noise comes to the roots after the first simulation, which expands those that are new. In a kept tree the root
        has mostly been expanded before, so that one of its simulations goes without noise.
        """
        assert games.shape == own.shape == opp.shape and len(games) <= len(self.streams), "a state for each game"
        settings, rules = self.settings, self.game.rules
        if settings.tree == "fresh":
            self.forest.slots[games], self.forest.used[games] = -1, 0
        self.forest = grown(rules, self.forest, settings.simulations + 1)
        leaves, waiting = np.zeros(len(games), LEAF), False
        for simulation in range(settings.simulations):
            self._step(games, own, opp, leaves, waiting)
            self._evaluate(leaves)
            waiting = True
            if simulation == 0 and settings.noise:
                self._step(games, own, opp, leaves, waiting, selects=False)
                _mix_noise(rules, self.forest, own, opp, self.streams, games, settings.noise, settings.noise_alpha,
                           np.empty(self.game.actions))  # fmt: skip
                waiting = False
        if waiting:
            self._step(games, own, opp, leaves, waiting, selects=False)

    def _step(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray, leaves: np.ndarray, backs_up: bool,
              selects: bool = True) -> None:  # fmt: skip
        """Back up the leaves that wait, select the next ones, and have their states evaluated where they are new."""
        self.memory = memory = _widened(self.memory, len(games) if selects else 0)
        first, asking = _step(
            self.game.rules, self.plan, self.forest, memory, own, opp, self.streams, games, self.settings.cache,
            leaves, backs_up, selects, self.planes[:, 0],
        )  # fmt: skip
        new = slice(first, int(memory.used[0]))
        count = new.stop - new.start
        if count:
            memory.prior[new], memory.value[new] = self.network.evaluate(self.planes[:count])
        self.evaluations += count
        self.leaves += asking

    def _evaluate(self, leaves: np.ndarray) -> None:
        """The values of the leaves, by the function in the method's row (those of ended games are not looked at)."""
        known = {"playout": leaves["played"], "w": self.settings.weight}
        if "network" in self.wants:
            known["network"] = self.memory.value[leaves["row"]]
        values = self.leaf(**{name: known[name] for name in self.wants})
        assert values.shape == leaves.shape, f"{self.leaf.__name__} should return a value for each leaf"
        leaves["value"] = values

    def decide(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray,
               sampled: np.ndarray) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Actions (n,) and policies (n, actions) after :meth:`run`.

        An action is drawn from its policy where ``sampled`` (n,) says so, and else the largest is taken.
        """
        actions = np.empty(len(games), np.int64)
        policies = np.empty((len(games), self.game.actions))
        _decide(self.game.rules, self.plan, self.forest, own, opp, self.streams, games, sampled, actions, policies)
        return actions, policies
