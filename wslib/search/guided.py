"""Searches guided by a network, all games of a unit in lockstep: one leaf per game, one batch per step.

A simulation is the one of :mod:`.kernels`, cut at the leaf: every game walks to its leaf, the new leaves are evaluated
together, and every game backs its value up. A leaf's value is ``(1 - w) v_network + w v_playout`` (eq. 5.5, 5.6): the
six methods of the thesis are ``w`` and RAVE on or off.

Evaluations are shared: a state that any of the games has met before is not evaluated again. The batches are a function
of the games alone, in their order, because a network's last bits depend on the batch (house rule: the batch is part of
the unit).
"""

from typing import NamedTuple, Protocol

import numpy as np

from wslib._compiled import GAMMA, MIX_1, ONE, S32, ZERO, inlined, kernel, lowest_bit
from wslib._numbers import gamma
from wslib.games import Game
from wslib.games.rules import RUNNING, fill_planes
from wslib.parameters import ParameterError, brief
from wslib.search import kernels
from wslib.search.kernels import back_up, choose, descend, edge_action, find_root, play_out, tree_of, weigh_edges
from wslib.search.settings import GuidedSettings

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


class Memory(NamedTuple):
    """What the network has said, a row per state, with a hash table from states to rows (-1 for empty)."""

    own: np.ndarray
    opp: np.ndarray
    prior: np.ndarray
    value: np.ndarray
    slots: np.ndarray
    used: np.ndarray


def empty_memory(actions: int, room: int = FIRST_ROOM) -> Memory:
    """Room for this many evaluations."""
    return Memory(
        own=np.empty(room, np.uint64),
        opp=np.empty(room, np.uint64),
        prior=np.empty((room, actions), np.float32),
        value=np.empty(room, np.float32),
        slots=np.full(1 << (2 * room - 1).bit_length(), -1, np.int32),
        used=np.zeros(1, np.int64),
    )


def _widened(memory: Memory, more: int) -> Memory:
    """The same memory with room for this many more evaluations."""
    used, room = int(memory.used[0]), len(memory.value)
    if used + more <= room:
        return memory
    wider = empty_memory(memory.prior.shape[1], 2 * (used + more))
    for name in ("own", "opp", "prior", "value"):
        getattr(wider, name)[:used] = getattr(memory, name)[:used]
    wider.used[0] = used
    _enter_all(wider)
    return wider


@inlined
def _row_slot(memory, own, opp):
    mask = np.uint64(len(memory.slots) - 1)
    mixed = (own ^ (opp * GAMMA)) * MIX_1
    slot = (mixed ^ (mixed >> S32)) & mask
    while True:
        row = memory.slots[slot]
        if row < 0 or (memory.own[row] == own and memory.opp[row] == opp):
            return slot
        slot = (slot + ONE) & mask


@kernel
def _enter_all(memory):
    for row in range(memory.used[0]):
        memory.slots[_row_slot(memory, memory.own[row], memory.opp[row])] = row


@inlined
def _walk(rules, plan, forest, memory, own, opp, streams, games, shared, leaves, index):
    """One walk of a game: its leaf (node, depth, row of the evaluation or -1) is noted, a new state entered.

    Returns whether the leaf needs an evaluation, new or remembered.
    """
    i = games[index]
    tree = tree_of(forest, i)
    node, depth = descend(rules, plan, tree, own[index], opp[index], streams, i)
    leaves[index, 0], leaves[index, 1], leaves[index, 2] = node, depth, -1
    if tree.nodes[node].status != RUNNING:
        return False
    state_own, state_opp = tree.nodes[node].own, tree.nodes[node].opp
    slot = _row_slot(memory, state_own, state_opp)
    row = np.int64(memory.slots[slot])
    if row < 0 or not shared:
        row = memory.used[0]
        memory.own[row], memory.opp[row] = state_own, state_opp
        memory.used[0] = row + 1
        if shared:
            memory.slots[slot] = row
    leaves[index, 2] = row
    return True


@inlined
def _set_priors(rules, tree, node, prior):
    """The network's probabilities of the legal actions, renormalised; uniform where it gives them none."""
    first, count = np.int64(tree.nodes[node].first), np.int64(tree.nodes[node].count)
    legal = tree.nodes[node].legal
    if legal == ZERO:
        tree.edges[first].prior = 1.0
        return
    total = 0.0
    for _ in range(count):
        total += np.float64(prior[np.int64(lowest_bit(legal))])
        legal &= legal - ONE
    if total <= 0.0:
        return
    legal = tree.nodes[node].legal
    for j in range(count):
        tree.edges[first + j].prior = np.float64(prior[np.int64(lowest_bit(legal))]) / total
        legal &= legal - ONE


@inlined
def _give_back(rules, plan, forest, memory, streams, games, leaves, playout_share, index):
    """Give a game's leaf its priors and its value, and back the value up."""
    i = games[index]
    tree = tree_of(forest, i)
    node, depth, row = leaves[index, 0], leaves[index, 1], leaves[index, 2]
    value = np.float64(tree.nodes[node].status)
    mine, theirs = ZERO, ZERO
    if row >= 0:
        _set_priors(rules, tree, node, memory.prior[row])
        value = np.float64(memory.value[row])
        if playout_share > 0.0:
            played, mine, theirs = play_out(rules, plan, tree, node, streams, i)
            value = (1.0 - playout_share) * value + playout_share * played
    back_up(rules, plan, tree, node, depth, value, mine, theirs)


@kernel
def _return(rules, plan, forest, memory, streams, games, leaves, playout_share):
    for index in range(len(games)):
        _give_back(rules, plan, forest, memory, streams, games, leaves, playout_share, index)


@kernel
def _go_on(rules, plan, forest, memory, own, opp, streams, games, shared, leaves, waiting, playout_share, planes):
    """Return the leaves that wait, walk once more, draw the new states: a simulation in one call, as calls cost time.

    Game by game, because the next walk goes where the last value came from, which is then at hand. Returns where the
    new rows begin, and how many leaves need an evaluation.
    """
    if not shared:
        memory.used[0] = 0
    first, asking = memory.used[0], 0
    for index in range(len(games)):
        if waiting:
            _give_back(rules, plan, forest, memory, streams, games, leaves, playout_share, index)
        asking += _walk(rules, plan, forest, memory, own, opp, streams, games, shared, leaves, index)
    fill_planes(rules, memory.own[first : memory.used[0]], memory.opp[first : memory.used[0]], planes)
    return first, asking


@kernel
def _decide(rules, plan, forest, own, opp, streams, games, sampled, actions, policies):
    """The moves after the searches, and the policies they were chosen from."""
    for index in range(len(own)):
        i = games[index]
        tree = tree_of(forest, i)
        root = find_root(tree, own[index], opp[index])
        weigh_edges(plan, tree, root)
        total = 0.0
        for j in range(tree.nodes[root].count):
            total += tree.scores[j]
        policies[index, :] = 0.0
        for j in range(tree.nodes[root].count):
            share = tree.scores[j] / total if total > 0.0 else 1.0 / tree.nodes[root].count
            policies[index, edge_action(rules, tree, root, j)] = share
        actions[index] = choose(rules, plan, tree, root, sampled[index], streams, i)


@kernel
def _stir(rules, forest, own, opp, streams, games, share, alpha, drawn):
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


@kernel
def _clear_trees(forest, games):
    for index in range(len(games)):
        kernels.clear(tree_of(forest, games[index]))


class GuidedSearch:
    """The searches of one player in a set of games: a tree per game, one memory of evaluations for all."""

    def __init__(self, game: Game, settings: GuidedSettings, network: Evaluator, streams: np.ndarray):
        check_network(network, game)
        self.game, self.settings, self.network, self.streams = game, settings, network, streams
        self.plan = kernels.make_plan(settings)
        self.forest = kernels.plant(game.rules, len(streams), settings.simulations + 2, settings.rave)
        self.memory = empty_memory(game.actions)
        self.planes = np.empty((len(streams), 1, game.rows, game.cols), np.float32)
        self.share = settings.playout_share
        self.evaluations = self.leaves = 0

    def run(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> None:
        """Add the settings' number of simulations to each of these games' trees."""
        rules = self.game.rules
        if self.settings.tree == "fresh":
            _clear_trees(self.forest, games)
        self.forest = kernels.grown(rules, self.forest, self.settings.simulations + 1)
        leaves, waiting = np.empty((len(games), 3), np.int64), False
        for simulation in range(self.settings.simulations):
            self._walk(games, own, opp, leaves, waiting)
            waiting = True
            if simulation == 0 and self.settings.noise:
                self._return(games, leaves)
                self._add_noise(games, own, opp)
                waiting = False
        if waiting:
            self._return(games, leaves)

    def _walk(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray, leaves: np.ndarray, waiting: bool) -> None:
        """Back up the leaves that wait, walk to the next ones, and have the new states evaluated."""
        self.memory = memory = _widened(self.memory, len(games))
        first, asking = _go_on(
            self.game.rules, self.plan, self.forest, memory, own, opp, self.streams, games, self.settings.cache,
            leaves, waiting, self.share, self.planes[:, 0],
        )  # fmt: skip
        new = slice(first, int(memory.used[0]))
        count = new.stop - new.start
        if count:
            memory.prior[new], memory.value[new] = self.network.evaluate(self.planes[:count])
        self.evaluations += count
        self.leaves += asking

    def _return(self, games: np.ndarray, leaves: np.ndarray) -> None:
        _return(self.game.rules, self.plan, self.forest, self.memory, self.streams, games, leaves, self.share)

    def _add_noise(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> None:
        """Noise for the roots, after the first simulation, which expands those that are new.

        In a kept tree the root has mostly been expanded before, so that one of its simulations goes without noise.
        """
        _stir(self.game.rules, self.forest, own, opp, self.streams, games, self.settings.noise,
              self.settings.noise_alpha, np.empty(self.game.actions))  # fmt: skip

    def decide(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray,
               sampled: np.ndarray) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Moves and policies after :meth:`run`; a move is drawn from the policy where ``sampled``, else the largest."""
        actions = np.empty(len(games), np.int64)
        policies = np.empty((len(games), self.game.actions))
        _decide(self.game.rules, self.plan, self.forest, own, opp, self.streams, games, sampled, actions, policies)
        return actions, policies
