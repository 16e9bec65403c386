"""Monte Carlo tree search on bitboards: one loop for every variant (thesis Alg. 4, eq. 5.1 to 5.4).

A simulation walks down from the root by the largest score, adds one state to the tree, takes that leaf's value, and
backs it up. The variants differ in two things only: the value of a leaf (a random playout here; a network's value or a
mixture for guided searches) and whether RAVE statistics steer the walk.

Sign convention: ``q`` of an action is seen by the player who chooses it; a value changes its sign at every ply on the
way up (the pseudo-code leaves out the minus). States reached by different move orders are one node.
"""

from typing import NamedTuple

import numpy as np

from wslib._compiled import (
    GAMMA,
    MIX_1,
    ONE,
    S32,
    ZERO,
    below,
    inlined,
    kernel,
    lowest_bit,
    nth_bit,
    popcount,
    uniform,
)
from wslib.games.rules import RUNNING, Rules, legal_actions, play, playout, status
from wslib.search.settings import TreeSettings

PUCT, UCB1 = 0, 1
VISITS, BY_Q, BY_Q_RAVE = 0, 1, 2
EPSILON = 1e-8
"""Added under the roots of eq. 5.1 and 5.3, so that the prior decides the first visit of a node."""


class Plan(NamedTuple):
    """Search settings as the compiled code takes them."""

    c: float
    rule: int
    policy: int
    rave: bool
    amaf_rollout: bool
    amaf_both: bool
    beta_per_action: bool
    equivalence: float


def make_plan(settings: TreeSettings) -> Plan:
    """The compiled form of search settings."""
    return Plan(
        c=settings.c,
        rule=UCB1 if settings.rule == "ucb1" else PUCT,
        policy={"visits": VISITS, "q": BY_Q, "q_rave": BY_Q_RAVE}[settings.policy],
        rave=settings.rave,
        amaf_rollout=settings.amaf == "path+rollout",
        amaf_both=settings.amaf_players == "both",
        beta_per_action=settings.beta == "action",
        equivalence=float(settings.equivalence or 1.0),
    )


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
    """The search trees of games that run side by side; axis 0 is the tree.

    The edges of a node lie next to each other in ascending order of their actions: one for each bit of ``legal``, or a
    single one where the pass is the only action.
    """

    nodes: np.ndarray
    edges: np.ndarray
    amaf: np.ndarray
    """RAVE's statistics, beside the edges."""
    slots: np.ndarray
    """Hash table from states to nodes (linear probing, -1 for empty)."""
    used: np.ndarray
    """Nodes and edges in use."""
    path: np.ndarray
    """The nodes of the latest walk, and the edge taken from each."""
    scores: np.ndarray
    cells: np.ndarray
    """Scratch for the scores of a node and for playouts."""


def plant(rules: Rules, trees: int, nodes: int, rave: bool) -> Forest:
    """An empty forest with room for this many nodes in each tree."""
    return _plot(rules, trees, nodes, nodes * _most_edges(rules), rave)


def _most_edges(rules: Rules) -> int:
    """No state has more actions than this."""
    return min(rules.actions, rules.rows * rules.cols)


def _plot(rules: Rules, trees: int, nodes: int, edges: int, rave: bool) -> Forest:
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
    """The same trees with room for at least this many more nodes in each."""
    nodes, edges = (int(used) for used in forest.used.max(axis=0))
    edges += more * _most_edges(rules)
    nodes += more
    if nodes <= forest.nodes.shape[1] and edges <= forest.edges.shape[1]:
        return forest
    larger = _plot(rules, len(forest.used), nodes * 3 // 2, edges * 3 // 2, forest.amaf.shape[1] > 1)
    for name in ("nodes", "edges", "amaf", "used"):
        old = getattr(forest, name)
        shared = min(old.shape[1], getattr(larger, name).shape[1])
        getattr(larger, name)[:, :shared] = old[:, :shared]
    _index(larger)
    return larger


@inlined
def tree_of(forest, i):
    """One tree of a forest: the same fields without axis 0."""
    return Forest(
        forest.nodes[i],
        forest.edges[i],
        forest.amaf[i],
        forest.slots[i],
        forest.used[i],
        forest.path[i],
        forest.scores[i],
        forest.cells[i],
    )


@inlined
def clear(tree):
    """Empty a tree."""
    tree.slots[:] = -1
    tree.used[:] = 0


@inlined
def _slot(tree, own, opp):
    """Where in the hash table a state stands, or would be entered."""
    mask = np.uint64(len(tree.slots) - 1)
    mixed = (own ^ (opp * GAMMA)) * MIX_1
    slot = (mixed ^ (mixed >> S32)) & mask
    while True:
        node = tree.slots[slot]
        if node < 0 or (tree.nodes[node].own == own and tree.nodes[node].opp == opp):
            return slot
        slot = (slot + ONE) & mask


@kernel
def _index(forest):
    """Enter all nodes of all trees into their hash tables."""
    for i in range(len(forest.used)):
        tree = tree_of(forest, i)
        for node in range(tree.used[0]):
            tree.slots[_slot(tree, tree.nodes[node].own, tree.nodes[node].opp)] = node


@inlined
def find_root(tree, own, opp):
    """The node of a state, or -1."""
    return np.int64(tree.slots[_slot(tree, own, opp)])


@kernel
def find(forest, i, own, opp):
    """The node of a state in the ``i``-th tree, or -1."""
    return find_root(tree_of(forest, i), own, opp)


@inlined
def edge_action(rules, tree, node, edge):
    """The action of a node's ``edge``-th edge."""
    legal = tree.nodes[node].legal
    if legal == ZERO:
        return rules.rows * rules.cols
    return np.int64(lowest_bit(nth_bit(legal, edge, np.int64(tree.nodes[node].count))))


@inlined
def _add(rules, plan, tree, own, opp, slot):
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
    if plan.rave:
        for at in range(first, first + count):
            amaf = tree.amaf[at]
            amaf.n, amaf.w, amaf.q = 0.0, 0.0, 0.0
    return index


@inlined
def _ucb1(plan, q, n, visits):
    """UCB1 with values in [-1, 1]; an action never tried comes first."""
    if n == 0:
        return np.inf
    return q + plan.c * np.sqrt(np.log(visits) / n)


@inlined
def _score(plan, tree, node):
    """Write the score of each edge to the scratch: eq. 5.1, or UCB1."""
    visits, first = tree.nodes[node].n, np.int64(tree.nodes[node].first)
    explore = plan.c * np.sqrt(visits + EPSILON)
    for j in range(tree.nodes[node].count):
        edge = tree.edges[first + j]
        if plan.rule == PUCT:
            tree.scores[j] = edge.q + explore * edge.prior / (1.0 + edge.n)
        else:
            tree.scores[j] = _ucb1(plan, edge.q, edge.n, visits)


@inlined
def _score_rave(plan, tree, node):
    """Write the score of each edge to the scratch: eq. 5.2 to 5.4.

    With UCB1 an action that one of the two statistics has never seen is judged by the other alone.
    """
    visits, visits_rave = tree.nodes[node].n, tree.nodes[node].n_rave
    first = np.int64(tree.nodes[node].first)
    explore, explore_rave = plan.c * np.sqrt(visits + EPSILON), plan.c * np.sqrt(visits_rave + EPSILON)
    beta = np.sqrt(plan.equivalence / (3.0 * visits + plan.equivalence))
    for j in range(tree.nodes[node].count):
        edge, amaf = tree.edges[first + j], tree.amaf[first + j]
        if plan.beta_per_action:
            beta = np.sqrt(plan.equivalence / (3.0 * edge.n + plan.equivalence))
        if plan.rule == PUCT:
            u = edge.q + explore * edge.prior / (1.0 + edge.n)
            u_rave = amaf.q + explore_rave * edge.prior / (1.0 + amaf.n)
        else:
            u, u_rave = _ucb1(plan, edge.q, edge.n, visits), _ucb1(plan, amaf.q, amaf.n, visits_rave)
            if edge.n == 0:
                u = u_rave
            elif amaf.n == 0:
                u_rave = u
            if u == np.inf:
                tree.scores[j] = u
                continue
        tree.scores[j] = (1.0 - beta) * u + beta * u_rave


@inlined
def score_edges(plan, tree, node):
    """Write the score of each edge of a node to the scratch."""
    if plan.rave:
        _score_rave(plan, tree, node)
    else:
        _score(plan, tree, node)


@inlined
def largest(values, count, streams, i):
    """Index of the largest of the first ``count`` values; ties are broken at random."""
    best, ties, chosen = -np.inf, 0, 0
    for index in range(count):
        value = values[index]
        ties = 1 if value > best else ties + (value == best)
        chosen = index if value > best else chosen
        best = value if value > best else best
    if ties > 1:
        skip = below(streams, i, ties)
        while skip > 0:
            chosen += 1
            if values[chosen] == best:
                skip -= 1
    return chosen


@inlined
def descend(rules, plan, tree, own, opp, streams, i):
    """Walk from the state ``(own, opp)`` to the leaf of one simulation; returns the leaf and the length of the path.

    A leaf is a state that was not in the tree (and now is), or one that ends the game.
    """
    slot = _slot(tree, own, opp)
    node = np.int64(tree.slots[slot])
    depth = 0
    if node < 0:
        return _add(rules, plan, tree, own, opp, slot), depth
    while tree.nodes[node].status == RUNNING:
        score_edges(plan, tree, node)
        edge = largest(tree.scores, tree.nodes[node].count, streams, i)
        at = tree.nodes[node].first + edge
        tree.path[depth, 0] = node
        tree.path[depth, 1] = edge
        depth += 1
        child = tree.edges[at].child
        if child < 0:
            action = edge_action(rules, tree, node, edge)
            own, opp = play(rules, tree.nodes[node].own, tree.nodes[node].opp, action)
            slot = _slot(tree, own, opp)
            child = np.int64(tree.slots[slot])
            new = child < 0
            if new:
                child = _add(rules, plan, tree, own, opp, slot)
            tree.edges[at].child = child
            if new:
                return child, depth
        node = child
    return node, depth


@inlined
def _count_amaf(tree, node, played, value):
    """Count a set of actions as if each had been the choice in this state (those that are legal in it)."""
    legal, first = tree.nodes[node].legal, tree.nodes[node].first
    played &= legal
    tree.nodes[node].n_rave += np.float64(popcount(played))
    while played != ZERO:
        bit = played & (ZERO - played)
        amaf = tree.amaf[first + np.int64(popcount(legal & (bit - ONE)))]
        amaf.n += 1.0
        amaf.w += value
        amaf.q = amaf.w / amaf.n
        played ^= bit


@inlined
def _count_pass(tree, node, value):
    """Count the pass where it is the only action; it has no bit in a set of actions, but has always been played."""
    amaf = tree.amaf[tree.nodes[node].first]
    amaf.n += 1.0
    amaf.w += value
    amaf.q = amaf.w / amaf.n
    tree.nodes[node].n_rave += 1.0


@inlined
def back_up(rules, plan, tree, leaf, depth, value, mine, theirs):
    """Add a leaf's value (seen by the player to move there) to every edge of the path.

    ``mine`` and ``theirs`` are the actions that a playout from the leaf saw of the player to move there and of the
    other. On the way up the path's own actions join them, so that each state sees what was played in it and after it.
    """
    if plan.rave and (mine | theirs) != ZERO:
        if tree.nodes[leaf].legal == ZERO:
            _count_pass(tree, leaf, value)
        _count_amaf(tree, leaf, mine, value)
        if plan.amaf_both:
            _count_amaf(tree, leaf, theirs, -value)
    for step in range(depth - 1, -1, -1):
        node, j = tree.path[step, 0], tree.path[step, 1]
        value = -value
        mine, theirs = theirs, mine
        edge = tree.edges[tree.nodes[node].first + j]
        edge.n += 1.0
        edge.w += value
        edge.q = edge.w / edge.n
        tree.nodes[node].n += 1.0
        if not plan.rave:
            continue
        if tree.nodes[node].legal == ZERO:
            _count_pass(tree, node, value)
            continue
        mine |= ONE << np.uint64(edge_action(rules, tree, node, j))
        _count_amaf(tree, node, mine, value)
        if plan.amaf_both:
            _count_amaf(tree, node, theirs, -value)


@inlined
def simulate(rules, plan, tree, own, opp, streams, i):
    """One simulation whose leaf value is a random playout."""
    leaf, depth = descend(rules, plan, tree, own, opp, streams, i)
    outcome = tree.nodes[leaf].status
    mine, theirs = ZERO, ZERO
    value = np.int64(outcome)
    if outcome == RUNNING:
        value, _, mine, theirs = playout(rules, tree.nodes[leaf].own, tree.nodes[leaf].opp, streams, i, tree.cells)
        if not plan.amaf_rollout:
            mine, theirs = ZERO, ZERO
    back_up(rules, plan, tree, leaf, depth, np.float64(value), mine, theirs)


@inlined
def weigh_edges(plan, tree, node):
    """Write what the policy is proportional to, per edge, to the scratch."""
    first = np.int64(tree.nodes[node].first)
    for j in range(tree.nodes[node].count):
        edge = tree.edges[first + j]
        if plan.policy == VISITS:
            tree.scores[j] = edge.n
        elif plan.policy == BY_Q:
            tree.scores[j] = (edge.q + 1.0) / 2.0 if edge.n > 0 else 0.0
        else:
            amaf = tree.amaf[first + j]
            tree.scores[j] = (amaf.q + 1.0) / 2.0 if amaf.n > 0 else 0.0


@inlined
def choose(rules, plan, tree, node, sample, streams, i):
    """The move after a search: the one of largest weight, or one drawn from the policy."""
    weigh_edges(plan, tree, node)
    count = np.int64(tree.nodes[node].count)
    total = 0.0
    for j in range(count):
        total += tree.scores[j]
    if sample and total > 0.0:
        drawn = uniform(streams, i) * total
        for j in range(count):
            drawn -= tree.scores[j]
            if drawn < 0.0:
                return edge_action(rules, tree, node, j)
    return edge_action(rules, tree, node, largest(tree.scores, count, streams, i))


@kernel
def search_moves(rules, plan, forest, trees, own, opp, streams, games, simulations, fresh, actions):
    """Search a move for each of several games, one after the other, each with its own tree and random stream."""
    for index in range(len(own)):
        tree, i = tree_of(forest, trees[index]), games[index]
        if fresh:
            clear(tree)
        for _ in range(simulations):
            simulate(rules, plan, tree, own[index], opp[index], streams, i)
        root = find_root(tree, own[index], opp[index])
        actions[index] = choose(rules, plan, tree, root, False, streams, i)


@kernel
def edge_table(rules, plan, forest, i, node, table):
    """What a tree knows of a node's edges, a row each: action, prior, n, q, U, n_rave, q_rave, score, weight, child."""
    tree = tree_of(forest, i)
    count, first = np.int64(tree.nodes[node].count), np.int64(tree.nodes[node].first)
    _score(plan, tree, node)
    for j in range(count):
        edge = tree.edges[first + j]
        table[j, 0] = edge_action(rules, tree, node, j)
        table[j, 1], table[j, 2], table[j, 3], table[j, 4] = edge.prior, edge.n, edge.q, tree.scores[j]
        table[j, 9] = edge.child
        if plan.rave:
            table[j, 5], table[j, 6] = tree.amaf[first + j].n, tree.amaf[first + j].q
    score_edges(plan, tree, node)
    for j in range(count):
        table[j, 7] = tree.scores[j]
    weigh_edges(plan, tree, node)
    for j in range(count):
        table[j, 8] = tree.scores[j]
    return count
