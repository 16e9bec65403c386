"""The search tree in memory: states and actions as records in flat arrays, found by a hash table (no search here)."""

from typing import NamedTuple

import numpy as np

from wslib._compiled import GAMMA, MIX_1, ONE, S32, ZERO, inlined, kernel, lowest_bit, nth_bit, popcount
from wslib.games.rules import RUNNING, Rules, legal_actions, status

NODE = np.dtype(
    [
        ("own", np.uint64),
        ("opp", np.uint64),
        ("legal", np.uint64),
        ("n", np.float64),  # N(s,.): the sum of the edges' visits
        ("n_rave", np.float64),
        ("first", np.int32),  # where the node's edges begin
        ("count", np.int16),  # how many there are
        ("status", np.int16),
    ],
    align=True,
)
EDGE = np.dtype(
    [
        ("prior", np.float64),
        ("n", np.float64),
        ("w", np.float64),  # sum of the values backed up: exact for playouts, whatever their order
        ("q", np.float64),  # always w / n
        ("child", np.int64),  # -1 until the edge is first followed
    ],
    align=True,
)
AMAF = np.dtype([("n", np.float64), ("w", np.float64), ("q", np.float64)], align=True)


class Forest(NamedTuple):
    """The search trees of games that run side by side; axis 0 is the tree (inside kernels one tree has no axis 0).

    The edges of a node lie next to each other in ascending order of their actions: one for each bit of ``legal``, or a
    single one where the pass is the only action.
    """

    nodes: np.ndarray
    """(trees, nodes) of NODE."""
    edges: np.ndarray
    """(trees, edges) of EDGE."""
    amaf: np.ndarray
    """(trees, edges) of AMAF: RAVE's statistics, beside the edges; (trees, 1) without RAVE."""
    slots: np.ndarray
    """(trees, slots), int32: hash table from states to nodes (linear probing, -1 for empty)."""
    used: np.ndarray
    """(trees, 2): how many nodes and how many edges are in use."""
    path: np.ndarray
    """(trees, plies, 2): the nodes of the latest walk, and which edge of each was taken."""
    scores: np.ndarray
    """(trees, cells), float64: scratch for a number per edge of one node."""
    cells: np.ndarray
    """(trees, 64), uint64: scratch for playouts."""


def _most_edges(rules: Rules) -> int:
    """No state has more actions than this."""
    return min(rules.actions, rules.rows * rules.cols)


def plant(rules: Rules, trees: int, nodes: int, rave: bool, edges: int = 0) -> Forest:
    """An empty forest with room for this many nodes in each tree, and for this many edges: unless said, for any."""
    edges = edges or nodes * _most_edges(rules)
    longest = 2 * rules.rows * rules.cols + 2
    slots = 1 << (2 * nodes - 1).bit_length()
    return Forest(
        nodes=np.empty((trees, nodes), NODE),
        edges=np.empty((trees, edges), EDGE),
        amaf=np.empty((trees, edges if rave else 1), AMAF),
        slots=np.full((trees, slots), -1, np.int32),
        used=np.zeros((trees, 2), np.int64),
        path=np.empty((trees, longest, 2), np.int64),
        scores=np.empty((trees, rules.rows * rules.cols)),
        cells=np.empty((trees, 64), np.uint64),
    )


def grown(rules: Rules, forest: Forest, more: int) -> Forest:
    """The forest with room for at least this many more nodes in each tree: itself, or a copy twice as large."""
    nodes, edges = (int(used) for used in forest.used.max(axis=0))
    edges += more * _most_edges(rules)
    nodes += more
    if nodes <= forest.nodes.shape[1] and edges <= forest.edges.shape[1]:
        return forest
    larger = plant(rules, len(forest.used), 2 * nodes, forest.amaf.shape[1] > 1, 2 * edges)
    larger.used[:] = forest.used
    # Memory that is not touched costs nothing, neither here nor there: only what is in use is carried over.
    for i, (its_nodes, its_edges) in enumerate(forest.used):
        larger.nodes[i, :its_nodes] = forest.nodes[i, :its_nodes]
        larger.edges[i, :its_edges] = forest.edges[i, :its_edges]
        if forest.amaf.shape[1] > 1:
            larger.amaf[i, :its_edges] = forest.amaf[i, :its_edges]
        enter_all(larger.slots[i], larger.nodes[i], its_nodes)
    return larger


@inlined
def tree_of(forest, i):
    """One tree of a forest: the same fields without axis 0."""
    return Forest(forest.nodes[i], forest.edges[i], forest.amaf[i], forest.slots[i], forest.used[i], forest.path[i],
                  forest.scores[i], forest.cells[i])  # fmt: skip


@inlined
def slot_of(slots, rows, own, opp):
    """Where in a hash table of ``rows`` a state stands, or would be entered."""
    mask = np.uint64(len(slots) - 1)
    mixed = (own ^ (opp * GAMMA)) * MIX_1
    slot = (mixed ^ (mixed >> S32)) & mask
    while True:
        row = slots[slot]
        if row < 0 or (rows[row].own == own and rows[row].opp == opp):
            return slot
        slot = (slot + ONE) & mask


@kernel
def enter_all(slots, rows, count):
    """Enter the first ``count`` rows into an empty hash table."""
    for row in range(count):
        slots[slot_of(slots, rows, rows[row].own, rows[row].opp)] = row


@inlined
def find_root(tree, own, opp):
    """The node of a state, or -1."""
    return np.int64(tree.slots[slot_of(tree.slots, tree.nodes, own, opp)])


@inlined
def edge_action(rules, tree, node, edge):
    """The action of a node's ``edge``-th edge."""
    legal = tree.nodes[node].legal
    if legal == ZERO:
        return rules.rows * rules.cols
    return np.int64(lowest_bit(nth_bit(legal, edge, np.int64(tree.nodes[node].count))))


@inlined
def add_state(rules, rave, tree, own, opp, slot):
    """Add a state to a tree, with a uniform prior; returns its node."""
    index = tree.used[0]
    first = tree.used[1]
    legal = legal_actions(rules, own, opp)
    outcome = status(rules, own, opp, legal)
    count = np.int64(0)
    if outcome == RUNNING:
        count = np.int64(popcount(legal)) if legal != ZERO else np.int64(1)
    node = tree.nodes[index]
    node.own, node.opp, node.legal = own, opp, legal
    node.n, node.n_rave = 0.0, 0.0
    node.first, node.count, node.status = first, count, outcome
    tree.slots[slot] = index
    tree.used[0] = index + 1
    tree.used[1] = first + count
    prior = 1.0 / count
    for at in range(first, first + count):
        edge = tree.edges[at]
        edge.prior, edge.n, edge.w, edge.q, edge.child = prior, 0.0, 0.0, 0.0, -1
    if rave:
        for at in range(first, first + count):
            amaf = tree.amaf[at]
            amaf.n, amaf.w, amaf.q = 0.0, 0.0, 0.0
    return index
