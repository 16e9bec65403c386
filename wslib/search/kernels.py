"""Monte Carlo tree search on bitboards: one loop for every variant (thesis Alg. 4, eq. 5.1 to 5.4).

A simulation walks down from the root by the largest score, adds one state to the tree, takes that leaf's value, and
backs it up. The variants differ in two things only: the value of a leaf (a random playout here; a network's value or a
mixture for guided searches) and whether RAVE statistics steer the walk. The same algorithm as it is meant to be read is
:mod:`.plain`, which tests compare with this one simulation by simulation.

Sign convention: ``q`` of an action is seen by the player who chooses it; a value changes its sign at every ply on the
way up (the pseudo-code leaves out the minus). States reached by different move orders are one node.
"""

from typing import NamedTuple

import numpy as np

from wslib._compiled import ONE, ZERO, below, inlined, kernel, popcount, uniform
from wslib._numbers import log_
from wslib.games.rules import RUNNING, actions_of, play, playout
from wslib.search.settings import TreeSettings
from wslib.search.tree import add_state, edge_action, find_root, slot_of, tree_of

PUCT, UCB1 = 0, 1
VISITS, BY_Q, BY_Q_RAVE = 0, 1, 2
OWN, BOTH, FIRST = 0, 1, 2
EPSILON = 1e-8
"""Added under the roots of eq. 5.1 and 5.3, so that the prior decides the first visit of a node."""


class Plan(NamedTuple):
    """Search settings as the compiled code takes them."""

    c: float
    rule: int
    policy: int
    rave: bool
    amaf_rollout: bool
    amaf_players: int
    beta_per_action: bool
    equivalence: float
    ties_first: bool
    plays_out: bool


def make_plan(settings: TreeSettings) -> Plan:
    """The compiled form of search settings."""
    return Plan(
        c=settings.c,
        rule=UCB1 if settings.rule == "ucb1" else PUCT,
        policy={"visits": VISITS, "q": BY_Q, "q_rave": BY_Q_RAVE}[settings.policy],
        rave=settings.rave,
        amaf_rollout=settings.amaf == "path+rollout",
        amaf_players={"both": BOTH, "first": FIRST}.get(settings.amaf_players or "own", OWN),
        beta_per_action=settings.beta == "action",
        equivalence=float(settings.equivalence or 1.0),
        ties_first=settings.ties == "first",
        plays_out=settings.plays_out,
    )


@inlined
def _bound(plan, q, n, prior, visits, explore):
    """P-UCT (eq. 5.1 and 5.3), or UCB1 with values in [-1, 1], for which an action never tried comes first."""
    if plan.rule == PUCT:
        return q + explore * prior / (1.0 + n)
    if n == 0:
        return np.inf
    return q + plan.c * np.sqrt(log_(visits) / n)


@inlined
def score_edges(plan, tree, node, rave):
    """Write the score of each edge of a node to the scratch: eq. 5.1, and with ``rave`` eq. 5.2 to 5.4.

    With UCB1 an action that one of the two statistics has never seen is judged by the other alone.
    """
    first, visits = np.int64(tree.nodes[node].first), tree.nodes[node].n
    explore = plan.c * np.sqrt(visits + EPSILON)
    visits_rave = explore_rave = beta = 0.0
    if rave:
        visits_rave = tree.nodes[node].n_rave
        explore_rave = plan.c * np.sqrt(visits_rave + EPSILON)
        beta = np.sqrt(plan.equivalence / (3.0 * visits + plan.equivalence))
    for j in range(tree.nodes[node].count):
        edge = tree.edges[first + j]
        u = _bound(plan, edge.q, edge.n, edge.prior, visits, explore)
        if rave:
            amaf = tree.amaf[first + j]
            u_rave = _bound(plan, amaf.q, amaf.n, edge.prior, visits_rave, explore_rave)
            if edge.n == 0 and plan.rule == UCB1:
                u = u_rave
            elif amaf.n == 0 and plan.rule == UCB1:
                u_rave = u
            if plan.beta_per_action:
                beta = np.sqrt(plan.equivalence / (3.0 * edge.n + plan.equivalence))
            if u != np.inf:
                u = (1.0 - beta) * u + beta * u_rave
        tree.scores[j] = u


@inlined
def largest(plan, values, count, streams, i):
    """Index of the largest of the first ``count`` values; ties are broken at random, or the first one is taken."""
    best, ties, chosen = -np.inf, 0, 0
    for index in range(count):
        value = values[index]
        ties = 1 if value > best else ties + (value == best)
        chosen = index if value > best else chosen
        best = value if value > best else best
    if plan.ties_first:
        return chosen
    if ties > 1:
        skip = below(streams, i, ties)
        while skip > 0:
            chosen += 1
            if values[chosen] == best:
                skip -= 1
    return chosen


@inlined
def select(rules, plan, tree, own, opp, streams, i):
    """Select and expand: from the state ``(own, opp)`` to the leaf of a simulation; the leaf, the length of the path.

    A leaf is a state that was not in the tree (and now is), or one that ends the game.
    """
    slot = slot_of(tree.slots, tree.nodes, own, opp)
    node = np.int64(tree.slots[slot])
    depth = 0
    if node < 0:
        return add_state(rules, plan.rave, tree, own, opp, slot), depth
    while tree.nodes[node].status == RUNNING:
        score_edges(plan, tree, node, plan.rave)
        edge = largest(plan, tree.scores, tree.nodes[node].count, streams, i)
        at = tree.nodes[node].first + edge
        tree.path[depth, 0] = node
        tree.path[depth, 1] = edge
        depth += 1
        child = tree.edges[at].child
        if child < 0:
            action = edge_action(rules, tree, node, edge)
            own, opp = play(rules, tree.nodes[node].own, tree.nodes[node].opp, action)
            slot = slot_of(tree.slots, tree.nodes, own, opp)
            child = np.int64(tree.slots[slot])
            new = child < 0
            if new:
                child = add_state(rules, plan.rave, tree, own, opp, slot)
            tree.edges[at].child = child
            if new:
                return child, depth
        node = child
    return node, depth


@inlined
def _count(amaf, value):
    """Add a value, seen by the player who chooses the action, to an action's AMAF statistics."""
    amaf.n += 1.0
    amaf.w += value
    amaf.q = amaf.w / amaf.n


@inlined
def _count_amaf(tree, node, played, value):
    """Count a set of actions as if each had been the choice in this state (those that are legal in it)."""
    legal, first = tree.nodes[node].legal, tree.nodes[node].first
    played &= legal
    tree.nodes[node].n_rave += np.float64(popcount(played))
    while played != ZERO:
        bit = played & (ZERO - played)
        _count(tree.amaf[first + np.int64(popcount(legal & (bit - ONE)))], value)
        played ^= bit


@inlined
def _count_pass(tree, node, value):
    """Count the pass where it is the only action; it has no bit in a set of actions, but has always been played."""
    _count(tree.amaf[tree.nodes[node].first], value)
    tree.nodes[node].n_rave += 1.0


@inlined
def back_up(rules, plan, tree, leaf, depth, value, mine, theirs):
    """Add a leaf's value (seen by the player to move there) to every edge of the path.

    ``mine`` and ``theirs`` are the actions that a playout from the leaf saw of the player to move there and of the
    other. On the way up the path's own actions join them, so that each state sees what was played in it and after it.
    Where only the first use of an action counts, no action is in both sets.
    """
    if plan.rave and (mine | theirs) != ZERO:
        if tree.nodes[leaf].legal == ZERO:
            _count_pass(tree, leaf, value)
        _count_amaf(tree, leaf, mine, value)
        if plan.amaf_players != OWN:
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
        action = ONE << np.uint64(edge_action(rules, tree, node, j))
        mine |= action
        if plan.amaf_players == FIRST:
            theirs &= ~action
        _count_amaf(tree, node, mine, value)
        if plan.amaf_players != OWN:
            _count_amaf(tree, node, theirs, -value)


@inlined
def play_out(rules, plan, tree, leaf, streams, i):
    """A random playout from a leaf: its value there, and what RAVE is to count as played by the mover and the other."""
    own, opp = tree.nodes[leaf].own, tree.nodes[leaf].opp
    value, _, mine, theirs = playout(rules, own, opp, streams, i, tree.cells)
    if not plan.amaf_rollout:
        return value, ZERO, ZERO
    mine, theirs = actions_of(rules, own, opp, mine, theirs, plan.amaf_players == FIRST)
    return value, mine, theirs


@inlined
def simulate(rules, plan, tree, own, opp, streams, i):
    """One simulation whose leaf value is a random playout."""
    leaf, depth = select(rules, plan, tree, own, opp, streams, i)
    outcome = tree.nodes[leaf].status
    mine, theirs = ZERO, ZERO
    value = np.int64(outcome)
    if outcome == RUNNING:
        value, mine, theirs = play_out(rules, plan, tree, leaf, streams, i)
    back_up(rules, plan, tree, leaf, depth, np.float64(value), mine, theirs)


@inlined
def weigh_edges(plan, tree, node):
    """Write what the policy is proportional to, per edge, to the scratch; returns the sum."""
    first, total = np.int64(tree.nodes[node].first), 0.0
    for j in range(tree.nodes[node].count):
        edge = tree.edges[first + j]
        if plan.policy == VISITS:
            tree.scores[j] = edge.n
        elif plan.policy == BY_Q:
            tree.scores[j] = (edge.q + 1.0) / 2.0 if edge.n > 0 else 0.0
        else:
            amaf = tree.amaf[first + j]
            tree.scores[j] = (amaf.q + 1.0) / 2.0 if amaf.n > 0 else 0.0
        total += tree.scores[j]
    return total


@inlined
def choose(rules, plan, tree, node, sample, streams, i):
    """The move after a search: the one of largest weight, or one drawn from the policy."""
    total, count = weigh_edges(plan, tree, node), np.int64(tree.nodes[node].count)
    if sample and total > 0.0:
        drawn = uniform(streams, i) * total
        for j in range(count):
            drawn -= tree.scores[j]
            if drawn < 0.0:
                return edge_action(rules, tree, node, j)
    return edge_action(rules, tree, node, largest(plan, tree.scores, count, streams, i))


@kernel
def search_moves(rules, plan, forest, trees, own, opp, streams, games, simulations, fresh, actions):
    """Search a move for each of several games, one after the other, each with its own tree and random stream.

    Without room for ``actions`` the trees grow and no move is chosen.
    """
    for index in range(len(own)):
        tree, i = tree_of(forest, trees[index]), games[index]
        if fresh:
            tree.slots[:], tree.used[:] = -1, 0
        for _ in range(simulations):
            simulate(rules, plan, tree, own[index], opp[index], streams, i)
        if len(actions):
            root = find_root(tree, own[index], opp[index])
            actions[index] = choose(rules, plan, tree, root, False, streams, i)
