"""Perfect play at the end of Othello: the final difference of discs by alpha-beta search.

Moves that leave the opponent few replies come first; near the end, corners and the regions with an odd number of empty
cells, where the last move can be one's own. Bounds are remembered where enough cells are empty to pay for it.

Sign convention: differences are own minus opponent's discs at the end of the game, **for the player to move**; cells
that stay empty count for nobody. Boards and bits are those of :mod:`wslib.games.rules`.
"""

import numpy as np

from wslib._compiled import ONE, ZERO, inlined, kernel, lowest_bit, popcount
from wslib.games.rules import Rules, othello_flips, othello_moves
from wslib.perfect.solver.table import (
    LEAST,
    MOST,
    NODES,
    Memory,
    cost_of,
    insert,
    lookup,
    out_of_budget,
    place_for,
    spent,  # fmt: skip
)

REMEMBERED = 6
"""Empty cells from which on bounds are remembered and moves are ranked by the opponent's replies."""
CORNER = 6
"""A corner is worth as much as so many replies less."""


@inlined
def difference(own, opp):
    """Discs of the player to move minus the opponent's."""
    return np.int64(popcount(own)) - np.int64(popcount(opp))


@inlined
def odd_cells(rules, empty):
    """The empty cells of those quarters of the board in which their number is odd."""
    left = rules.first_column
    for column in range(1, rules.cols // 2):
        left |= rules.first_column << np.uint64(column)
    upper = (ONE << np.uint64(rules.rows // 2 * rules.cols)) - ONE
    odd = ZERO
    for part in (upper & left, upper & ~left, left & ~upper, ~(upper | left)):
        cells = empty & part
        if popcount(cells) & ONE != ZERO:
            odd |= cells
    return odd


@kernel
def corners_of(rules):
    """The four corners."""
    row = ONE | (ONE << np.uint64(rules.cols - 1))
    return row | (row << np.uint64((rules.rows - 1) * rules.cols))


@kernel
def last_cell(rules, own, opp):
    """The final difference with one cell left, whoever can take it."""
    cell = np.uint64(lowest_bit(rules.board & ~(own | opp)))
    flipped = np.int64(popcount(othello_flips(rules, own, opp, cell)))
    if flipped > 0:
        return difference(own, opp) + 2 * flipped + 1
    flipped = np.int64(popcount(othello_flips(rules, opp, own, cell)))
    return difference(own, opp) - (2 * flipped + 1 if flipped > 0 else 0)


@kernel
def few_left(rules, memory, own, opp, alpha, beta):
    """The final difference (a bound of it outside alpha to beta) where few cells are empty: nothing is remembered."""
    memory.work[NODES] += 1
    empty = rules.board & ~(own | opp)
    if empty & (empty - ONE) == ZERO:
        return last_cell(rules, own, opp) if empty != ZERO else difference(own, opp)
    moves = othello_moves(rules, own, opp)
    if moves == ZERO:
        if othello_moves(rules, opp, own) == ZERO:
            return difference(own, opp)
        return -few_left(rules, memory, opp, own, -beta, -alpha)
    best = LEAST
    odd = moves & odd_cells(rules, empty)
    for part in (odd, moves & ~odd):
        rest = part
        while rest != ZERO:
            cell = np.uint64(lowest_bit(rest))
            rest &= rest - ONE
            flips = othello_flips(rules, own, opp, cell)
            found = -few_left(rules, memory, opp & ~flips, own | flips | (ONE << cell), -beta, -alpha)
            best = max(best, found)
            alpha = max(alpha, found)
            if alpha >= beta:
                return best
    return best


@inlined
def _rank_moves(rules, memory, own, opp, moves, best, ply):
    """Write the moves to the scratch of this depth, those with the fewest replies first; returns their number."""
    corners, odd = corners_of(rules), odd_cells(rules, rules.board & ~(own | opp))
    count = 0
    while moves != ZERO:
        cell = np.uint64(lowest_bit(moves))
        bit = ONE << cell
        moves ^= bit
        flips = othello_flips(rules, own, opp, cell)
        after_own, after_opp = opp & ~flips, own | flips | bit
        replies = othello_moves(rules, after_own, after_opp)
        rank = 4 * np.int64(popcount(replies)) + 2 * np.int64(popcount(replies & corners))
        rank -= 4 * CORNER if bit & corners != ZERO else 0
        rank -= 1 if bit & odd != ZERO else 0
        if np.int64(cell) == best:
            rank -= 1 << 20
        count = insert(memory, ply, count, rank, np.int64(cell))
    return count


@kernel
def search(rules, memory, own, opp, alpha, beta, ply):
    """The final difference if it lies between alpha and beta, else a bound of it on that side; 0 out of budget."""
    left = np.int64(popcount(rules.board & ~(own | opp)))
    if left < REMEMBERED:
        return few_left(rules, memory, own, opp, alpha, beta)
    if spent(memory):
        return 0
    moves = othello_moves(rules, own, opp)
    if moves == ZERO:
        if othello_moves(rules, opp, own) == ZERO:
            return difference(own, opp)
        return -search(rules, memory, opp, own, -beta, -alpha, ply + 1)
    at, best_move = lookup(memory, own, opp), np.int64(-1)
    if at >= 0:
        entry = memory.entries[at]
        low, high = np.int64(entry.low), np.int64(entry.high)
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        alpha, beta = max(alpha, low), min(beta, high)
        best_move = np.int64(entry.move)
    before, floor = memory.work[NODES], alpha
    best = LEAST
    count = _rank_moves(rules, memory, own, opp, moves, best_move, ply)
    for index in range(count):
        cell = np.uint64(memory.order[ply, index] & 127)
        flips = othello_flips(rules, own, opp, cell)
        after_own, after_opp = opp & ~flips, own | flips | (ONE << cell)
        # The first move is expected to be the best: that another is not better is cheaper to show.
        found = -search(rules, memory, after_own, after_opp, -(beta if index == 0 else alpha + 1), -alpha, ply + 1)
        if index > 0 and alpha < found < beta:
            found = -search(rules, memory, after_own, after_opp, -beta, -found, ply + 1)
        if out_of_budget(memory):
            return 0
        if found > best:
            best, best_move = found, np.int64(cell)
        alpha = max(alpha, found)
        if alpha >= beta:
            break
    entry = memory.entries[place_for(memory, own, opp)]
    entry.cost, entry.move = max(entry.cost, cost_of(memory.work[NODES] - before)), best_move
    if best > floor:
        entry.low = max(np.int64(entry.low), best)
    if best < beta:
        entry.high = min(np.int64(entry.high), best)
    return best


def settle(rules: Rules, memory: Memory, own: np.uint64, opp: np.uint64, alpha: int, beta: int) -> int | None:
    """The final difference of a running position, exact if between alpha and beta, or None out of budget.

    (Plain Python: a compiled function that calls a recursive one does not survive numba's cache.)
    """
    found = search(rules, memory, own, opp, max(alpha, LEAST), min(beta, MOST), 0)
    return None if out_of_budget.py_func(memory) else int(found)
