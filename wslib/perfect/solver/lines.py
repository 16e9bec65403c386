"""Perfect play where a line of k wins: Connect Four and Gobang.

Two questions settle a position: does the player to move win, and if not, does the opponent? Each is a search with a
fixed attacker, who wants a line; a draw is as good as a win for the defender. Answers are YES, NO, or UNKNOWN when the
depth or the budget did not suffice, so nothing is ever guessed.

What keeps the search small: a finished line is played, one about to be finished is stopped, and two at once cannot be
stopped. In Gobang the depth counts only the attacker's *quiet* moves, those after which no line is about to be
finished: forcing sequences are followed to their ends first, and deeper searches come one quiet move at a time. In
Connect Four a player who always answers in the same column has all the upper cells of the pairs that are left: where
the mover cannot make a line of the lower ones, that is a bound without search.

Sign convention: values are seen by the player to move. Boards and bits are those of :mod:`wslib.games.rules`.
"""

from typing import NamedTuple

import numpy as np

from wslib._compiled import ONE, ZERO, inlined, kernel, lowest_bit, popcount
from wslib.games.rules import CONNECT4, Rules, connect4_cells, has_line
from wslib.perfect.solver.table import NODES, Memory, cost_of, insert, lookup, out_of_budget, place_for, spent

YES, UNKNOWN, NO = 1, 0, -1
DEEPEST = 64
"""More quiet moves than any board has."""
PATIENCE = 5
"""Where a win within so many quiet moves is not found, the next search has no limit."""
MIRRORED_BELOW, TURNED_BELOW = 14, 8
"""Stones up to which the images of a state share an entry, in Connect Four and in Gobang: later they hardly meet."""


class Lines(NamedTuple):
    """What the search must know of a game: small, as it is handed from call to call. Masks are those of `Rules`."""

    drop: bool
    k: int
    cols: int
    width: np.uint64
    board: np.uint64
    bottom: np.uint64
    first_column: np.uint64
    upper: np.uint64
    """The cells that the player who answers in the same column gets: every second row, from the top one."""
    across: np.uint64
    down: np.uint64
    diagonal: np.uint64
    antidiagonal: np.uint64


def make_lines(rules: Rules) -> Lines:
    """The part of a game's rules that the search needs."""
    rows = range(0, rules.rows, 2)
    upper = sum(((1 << rules.cols) - 1) << (row * rules.cols) for row in rows)
    return Lines(
        rules.kind == CONNECT4, rules.k, rules.cols, rules.width, rules.board, rules.bottom, rules.first_column,
        np.uint64(upper), rules.across, rules.down, rules.diagonal, rules.antidiagonal,
    )  # fmt: skip


@inlined
def _gaps(stones, step, starts, k):
    """Cells whose lines, in one direction, lack nothing but them."""
    whole, lacking, at = starts, ZERO, ZERO
    for _ in range(k):
        here = stones >> at
        lacking = (lacking & here) | (whole & ~here)
        whole &= here
        at += step
    cells, at = ZERO, ZERO
    for _ in range(k):
        cells |= lacking << at
        at += step
    return cells & ~stones


@inlined
def _all_gaps(lines, stones, k):
    """The same in all four directions."""
    cells = _gaps(stones, ONE, lines.across, k) | _gaps(stones, lines.width, lines.down, k)
    cells |= _gaps(stones, lines.width + ONE, lines.diagonal, k)
    return cells | _gaps(stones, lines.width - ONE, lines.antidiagonal, k)


@kernel
def finishing(lines, stones):
    """Cells, empty or not, where one more stone finishes a line."""
    if lines.k == 4:  # a length known beforehand is compiled to straight code
        return _all_gaps(lines, stones, 4)
    return _all_gaps(lines, stones, lines.k)


class Chances(NamedTuple):
    """What one player's lines without stones of the other promise."""

    danger: int
    """Sum of 2 ** -(stones lacking) over the lines, in units of 1/32, rounded up."""
    two: np.uint64
    """Cells of lines that lack two stones: a stone there threatens to finish one."""
    three: np.uint64
    more_two: np.uint64
    """Cells of several such lines."""
    more_three: np.uint64
    open: np.uint64
    """All cells of the lines."""


@inlined
def _more_chances(chances, own, free, step, starts, k):
    """The chances, with those of one direction added."""
    lack0, lack1, lack2, lack3, lack4, whole, at = starts, ZERO, ZERO, ZERO, ZERO, starts, ZERO
    for _ in range(k):
        here, empty = own >> at, free >> at
        lack4 = (lack4 & here) | (lack3 & empty)
        lack3 = (lack3 & here) | (lack2 & empty)
        lack2 = (lack2 & here) | (lack1 & empty)
        lack1 = (lack1 & here) | (lack0 & empty)
        lack0 &= here
        whole &= here | empty
        at += step
    two, three, more_two, more_three, cells = chances.two, chances.three, chances.more_two, chances.more_three, ZERO
    at = ZERO
    for _ in range(k):
        more_two |= two & (lack2 << at)
        two |= lack2 << at
        more_three |= three & (lack3 << at)
        three |= lack3 << at
        cells |= whole << at
        at += step
    n1, n2, n3 = np.int64(popcount(lack1)), np.int64(popcount(lack2)), np.int64(popcount(lack3))
    n4 = np.int64(popcount(lack4))
    rest = np.int64(popcount(whole)) - n1 - n2 - n3 - n4
    danger = chances.danger + 16 * n1 + 8 * n2 + 4 * n3 + 2 * n4 + rest
    return Chances(danger, two, three, more_two, more_three, chances.open | cells)


@inlined
def _all_chances(lines, own, free, k):
    """The chances of all four directions, of which only the free cells count."""
    chances = Chances(0, ZERO, ZERO, ZERO, ZERO, ZERO)
    chances = _more_chances(chances, own, free, ONE, lines.across, k)
    chances = _more_chances(chances, own, free, lines.width, lines.down, k)
    chances = _more_chances(chances, own, free, lines.width + ONE, lines.diagonal, k)
    chances = _more_chances(chances, own, free, lines.width - ONE, lines.antidiagonal, k)
    return Chances(
        chances.danger, chances.two & free, chances.three & free, chances.more_two & free, chances.more_three & free,
        chances.open & free,
    )  # fmt: skip


@kernel
def chances_of(lines, own, free):
    """What a player's open lines promise (free placement)."""
    if lines.k == 4:
        return _all_chances(lines, own, free, 4)
    return _all_chances(lines, own, free, lines.k)


@inlined
def _playable(lines, own, opp):
    """The cells that a stone can go to: any empty one, in Connect Four the lowest of each column."""
    return connect4_cells(lines, own, opp) if lines.drop else ~(own | opp) & lines.board


@kernel
def _mirrored(lines, stones):
    """The image of these stones, left and right exchanged."""
    image = ZERO
    for column in range(lines.cols):
        cells = (stones >> np.uint64(column)) & lines.first_column
        image |= cells << np.uint64(lines.cols - 1 - column)
    return image


@kernel
def _transposed(lines, stones):
    """The image of these stones, rows and columns exchanged (on a square board)."""
    image = ZERO
    while stones != ZERO:
        cell = np.int64(lowest_bit(stones))
        stones &= stones - ONE
        image |= ONE << np.uint64(cell % lines.cols * lines.cols + cell // lines.cols)
    return image


@kernel
def _representative(lines, own, opp):
    """One state for all its images: the least of them, where there are few stones."""
    stones = np.int64(popcount(own | opp))
    if stones > (MIRRORED_BELOW if lines.drop else TURNED_BELOW):
        return own, opp
    square = not lines.drop and lines.cols * lines.cols == np.int64(popcount(lines.board))
    best_own, best_opp = own, opp
    # Mirror and transposition in turn lead through all eight images of a square.
    for step in range(7 if square else 1):
        if step & 1:
            own, opp = _transposed(lines, own), _transposed(lines, opp)
        else:
            own, opp = _mirrored(lines, own), _mirrored(lines, opp)
        if own < best_own or (own == best_own and opp < best_opp):
            best_own, best_opp = own, opp
    return best_own, best_opp


@inlined
def _has(cells, bit, rank):
    """The rank, where the cell is one of these; else 0."""
    return rank if cells & bit != ZERO else 0


@inlined
def _rank_moves(lines, memory, own, opp, moves, free, attacking, best, ply):
    """Write the moves to the scratch of this depth, the most promising first; returns their number."""
    mine, theirs = Chances(0, ZERO, ZERO, ZERO, ZERO, ZERO), Chances(0, ZERO, ZERO, ZERO, ZERO, ZERO)
    if not lines.drop:
        mine, theirs = chances_of(lines, own, free), chances_of(lines, opp, free)
        useful = moves & (mine.open | theirs.open)  # elsewhere a stone is a pass, and that is never better
        moves = useful if useful != ZERO else moves
    side, count = np.int64(attacking), 0
    while moves != ZERO:
        bit = moves & (ZERO - moves)
        moves ^= bit
        cell = np.int64(lowest_bit(bit))
        rank = min(memory.history[side, cell], 1 << 20)
        if cell == best:
            rank += 1 << 40
        if lines.drop or mine.two & bit != ZERO:
            rank += np.int64(popcount(finishing(lines, own | bit) & free)) << 24
        rank += _has(theirs.two, bit, 1 << 22) + _has(theirs.more_two, bit, 1 << 23)
        rank += _has(mine.three, bit, 1 << 20) + _has(mine.more_three, bit, 1 << 21)
        rank += _has(theirs.three, bit, 1 << 20) + _has(theirs.more_three, bit, 1 << 21)
        count = insert(memory, ply, count, -rank, cell)
    return count


@kernel
def _without_search(lines, own, opp, moves, attacking):
    """YES or NO where lines that can no longer be, or answers in the same column, settle who does not win."""
    empty = ~(own | opp) & lines.board
    attacker = own if attacking else opp
    if not has_line(lines, attacker | empty):
        return NO
    if not lines.drop and chances_of(lines, attacker, empty).danger < (16 if attacking else 32):
        return NO  # Erdős and Selfridge: who always takes the most dangerous cell stops every line
    if lines.drop and moves & lines.upper == ZERO and not has_line(lines, own | (empty & ~lines.upper)):
        if attacking:
            return NO
        if has_line(lines, opp | (empty & lines.upper)):
            return YES
    return UNKNOWN


@inlined
def _remember(memory, own, opp, attacking, depth, answer, best, nodes):
    """Keep what an answer says of the state's value, or how deep it was searched without one."""
    entry = memory.entries[place_for(memory, own, opp)]
    entry.cost = max(entry.cost, cost_of(nodes))
    entry.move = best
    if answer == UNKNOWN:
        entry.tried[np.int64(attacking)] = depth + 1
    elif attacking:
        entry.low, entry.high = (1, entry.high) if answer == YES else (entry.low, min(entry.high, 0))
    else:
        entry.low, entry.high = (entry.low, -1) if answer == YES else (max(entry.low, 0), entry.high)


@inlined
def _recall(lines, memory, own, opp, key_own, key_opp, attacking, depth):
    """What the table says: an answer or UNKNOWN, whether a search would be in vain, and the move to try first."""
    at = lookup(memory, key_own, key_opp)
    if at < 0:
        return UNKNOWN, False, -1
    entry = memory.entries[at]
    if attacking and (entry.low > 0 or entry.high <= 0):
        return YES if entry.low > 0 else NO, False, -1
    if not attacking and (entry.high < 0 or entry.low >= 0):
        return YES if entry.high < 0 else NO, False, -1
    best = np.int64(entry.move) if key_own == own and key_opp == opp else -1
    return UNKNOWN, entry.tried[np.int64(attacking)] > depth, best


@kernel
def _moves_to_try(lines, own, opp, attacking, depth):
    """An answer where the next stones settle it, else UNKNOWN and the moves that must be tried (none: in vain)."""
    taken = own | opp
    playable = _playable(lines, own, opp)
    win, loss = (YES, NO) if attacking else (NO, YES)
    if finishing(lines, own) & playable != ZERO:
        return win, ZERO
    danger = finishing(lines, opp) & ~taken
    urgent = danger & playable
    if urgent & (urgent - ONE) != ZERO:
        return loss, ZERO
    moves = urgent if urgent != ZERO else playable
    if lines.drop:
        moves &= ~(danger << lines.width)  # no stone below a cell where the opponent finishes a line
        if moves == ZERO and playable != ZERO:
            return loss, ZERO
    empty = ~taken & lines.board
    if empty & (empty - ONE) == ZERO:
        return NO, ZERO  # at most one cell is left, and it finishes nothing: a draw
    settled = _without_search(lines, own, opp, playable, attacking)
    if settled != UNKNOWN or depth > 0 or lines.drop:
        return settled, moves
    if attacking:  # only threats are left to be tried
        return UNKNOWN, moves & chances_of(lines, own, empty).two
    return UNKNOWN, urgent


@kernel
def attack(lines, memory, own, opp, attacking, depth, ply):
    """Whether the attacker wins: the player to move if ``attacking``, else the other one.

    ``depth`` is the number of quiet moves that the attacker may still play.
    """
    if spent(memory):
        return UNKNOWN
    answer, moves = _moves_to_try(lines, own, opp, attacking, depth)
    if answer != UNKNOWN or moves == ZERO:
        return answer
    key_own, key_opp = _representative(lines, own, opp)
    answer, vain, best = _recall(lines, memory, own, opp, key_own, key_opp, attacking, depth)
    if answer != UNKNOWN or vain:
        return answer
    before, free = memory.work[NODES], ~(own | opp) & lines.board
    count = _rank_moves(lines, memory, own, opp, moves, free, attacking, best, ply)
    # The mover's wish: an attacker looks for YES among the answers, a defender for NO.
    wish = YES if attacking else NO
    answer = -wish if depth > 0 or lines.drop or not attacking else UNKNOWN
    best = np.int64(memory.order[ply, 0] & 127)
    for index in range(count):
        cell = np.int64(memory.order[ply, index] & 127)
        after = own | (ONE << np.uint64(cell))
        left = depth
        if attacking and not lines.drop and finishing(lines, after) & free == ZERO:
            left -= 1
        found = attack(lines, memory, opp, after, not attacking, left, ply + 1)
        if out_of_budget(memory):
            return UNKNOWN
        if found == wish:
            memory.history[np.int64(attacking), cell] += 1 + np.int64(popcount(free))
            answer, best = found, cell
            break
        if found == UNKNOWN:
            answer = UNKNOWN
            # A defence that holds at this depth settles that the attacker needs more, and is the first one to try then.
            if not attacking:
                best = cell
                break
    _remember(memory, key_own, key_opp, attacking, depth, answer, best, memory.work[NODES] - before)
    return answer


def settle(lines: Lines, memory: Memory, own: np.uint64, opp: np.uint64) -> int | None:
    """The value of a running position: 1, 0, -1 for the player to move, or None out of budget.

    (Plain Python: a compiled function that calls a recursive one does not survive numba's cache.)
    """
    wins = loses = UNKNOWN
    for depth in (DEEPEST,) if lines.drop else (*range(PATIENCE), DEEPEST):
        if wins == UNKNOWN:
            wins = attack(lines, memory, own, opp, True, depth, 0)
        if wins == YES:
            return 1
        if loses == UNKNOWN:
            loses = attack(lines, memory, own, opp, False, depth, 0)
        if loses == YES:
            return -1
        if wins == NO and loses == NO:
            return 0
        if out_of_budget.py_func(memory):
            return None
    raise AssertionError("a search without limit ended without an answer")
