"""The rules on bitboards, compiled: what may be played, what a move does, when a game is over, random playouts.

Bit ``row * cols + col`` of a 64-bit word is a cell; row 0 is drawn at the top, so a 3×3 board is numbered

    0 1 2
    3 4 5
    6 7 8

A state is the pair ``(own, opp)``: the stones of the player to move and those of the opponent. There is no other
state: whose turn it is by name, the ply and the notation belong to :class:`wslib.games.Position`.

Sign convention: every value is in [-1, 1] and is seen **by the player to move** in the state it belongs to.

An action is a cell (Gobang, Othello), a column (Connect Four), or, in Othello, the pass, numbered ``rows * cols``.
A set of actions is a word with bit ``a`` for action ``a``; the empty set in a running game means that the pass is the
only action.

The rules of the study's three games are compiled into every kernel, a branch each. Those of any other game are three
functions of its own (:class:`OwnRules`), which the same kernels call by their addresses.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from wslib._compiled import GAMMA, ONE, ZERO, kernel, leading_zeros, lowest_bit, nth_bit, popcount, scaled, scramble

OTHELLO, CONNECT4, GOBANG, OTHER = 0, 1, 2, 3
HIGHEST = np.uint64(1 << 63)
RUNNING = 2
"""What :func:`status` says of a game that goes on (the others are -1, 0, 1 for the player to move)."""


class Rules(NamedTuple):
    """Everything a kernel must know of a game: one compiled function serves all games and sizes."""

    kind: int
    rows: int
    cols: int
    k: int
    actions: int
    width: np.uint64
    """Distance of two cells above each other."""
    board: np.uint64
    """All cells."""
    top: np.uint64
    bottom: np.uint64
    first_column: np.uint64
    rays: np.ndarray
    """(64, 8): for each cell those from it to the edge, in the four directions of higher bits, then of lower ones."""
    reach: int
    """Steps that follow a run of flipped discs across the whole board once its first disc is found."""
    inner: np.uint64
    """All cells outside the first and last column: a run of flipped discs cannot leave the board through them."""
    across: np.uint64
    down: np.uint64
    diagonal: np.uint64
    antidiagonal: np.uint64
    """Cells where a line of k can begin in each direction, so that shifts never count a line around the edge."""
    own: tuple[int, int, int] = (0, 0, 0)
    """Addresses of the three functions of a game of kind OTHER."""


class OwnRules(NamedTuple):
    """The rules of a game, as functions of three 64-bit words that numba compiles."""

    legal: Callable[..., int]
    """``(own, opp, 0)``: the set of legal actions."""
    gains: Callable[..., int]
    """``(own, opp, action)``: the cells that become the mover's, of empty ones and of the opponent's."""
    outcome: Callable[..., int]
    """``(own, opp, legal)``: RUNNING, or the result for the player to move, whose opponent has just moved."""


_COMPILED: dict[OwnRules, list[object]] = {}
"""The code at the addresses, which lives as long as this process."""


def with_own(rules: Rules, own: OwnRules) -> Rules:
    """The rules of a game of kind OTHER with its functions, compiled."""
    word = types.uint64(types.uint64, types.uint64, types.uint64)
    code = [numba.cfunc(kind)(rule) for kind, rule in zip((word, word, types.int64(*word.args)), own, strict=True)]
    _COMPILED[own] = code
    legal, gains, outcome = (function.address for function in code)
    return rules._replace(own=(legal, gains, outcome))


@intrinsic
def _call(typingctx, address, own, opp, third):
    """The word that the function at an address makes of three."""

    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        function = builder.inttoptr(args[0], ir.FunctionType(word, [word] * 3).as_pointer())
        return builder.call(function, args[1:])

    return types.uint64(types.int64, types.uint64, types.uint64, types.uint64), codegen


def make_rules(kind: int, rows: int, cols: int, k: int, actions: int) -> Rules:
    """The masks of a board of this size."""

    def word(places) -> np.uint64:
        on_board = ((r, c) for r, c in places if 0 <= r < rows and 0 <= c < cols)
        return np.uint64(sum(1 << (r * cols + c) for r, c in on_board))

    def cells(keep) -> np.uint64:
        return word((r, c) for r, c in product(range(rows), range(cols)) if keep(r, c))

    rays = np.zeros((64, 8), np.uint64)
    for r, c in product(range(rows), range(cols)):
        for direction, (dr, dc) in enumerate(((0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1))):
            rays[r * cols + c, direction] = word((r + i * dr, c + i * dc) for i in range(1, 8))
    return Rules(
        kind,
        rows,
        cols,
        k,
        actions,
        width=np.uint64(cols),
        board=cells(lambda r, c: True),
        top=cells(lambda r, c: r == 0),
        bottom=cells(lambda r, c: r == rows - 1),
        first_column=cells(lambda r, c: c == 0),
        rays=rays,
        reach=max(rows, cols) - 3,
        inner=cells(lambda r, c: 0 < c < cols - 1),
        across=cells(lambda r, c: c + k <= cols),
        down=cells(lambda r, c: r + k <= rows),
        diagonal=cells(lambda r, c: r + k <= rows and c + k <= cols),
        antidiagonal=cells(lambda r, c: r + k <= rows and c - k >= -1),
    )


@kernel
def has_line(rules, stones):
    """Whether these stones hold a line of k (or more).

    After each turn of the loop a set bit stands for ``length`` stones in a row that begin there, in one of the four
    directions; the length doubles until it is k.
    """
    width = rules.width
    across = down = diagonal = antidiagonal = stones
    length = 1
    while length < rules.k:
        added = min(length, rules.k - length)
        step = np.uint64(added)
        across &= across >> step
        down &= down >> (width * step)
        diagonal &= diagonal >> ((width + ONE) * step)
        antidiagonal &= antidiagonal >> ((width - ONE) * step)
        length += added
    lines = (across & rules.across) | (down & rules.down)
    lines |= (diagonal & rules.diagonal) | (antidiagonal & rules.antidiagonal)
    return lines != ZERO


@kernel
def othello_moves(rules, own, opp):
    """Cells where the player to move flips at least one disc: empty ones just beyond a run next to an own disc.

    The runs in all eight directions (named by the compass) are followed side by side, because a processor does that
    in the time of two or three.
    """
    inner, down = opp & rules.inner, rules.width
    right, left = down + ONE, down - ONE
    e, s, se, sw = inner & (own << ONE), opp & (own << down), inner & (own << right), inner & (own << left)
    w, n, nw, ne = inner & (own >> ONE), opp & (own >> down), inner & (own >> right), inner & (own >> left)
    for _ in range(rules.reach):
        e |= inner & (e << ONE)
        s |= opp & (s << down)
        se |= inner & (se << right)
        sw |= inner & (sw << left)
        w |= inner & (w >> ONE)
        n |= opp & (n >> down)
        nw |= inner & (nw >> right)
        ne |= inner & (ne >> left)
    beyond = (e << ONE) | (s << down) | (se << right) | (sw << left)
    beyond |= (w >> ONE) | (n >> down) | (nw >> right) | (ne >> left)
    return beyond & rules.board & ~(own | opp)


@kernel
def _flips_up(ray, own, opp):
    """Flipped discs on a ray towards higher bits: adding 1 carries through the run to the first cell that ends it."""
    end = ((opp | ~ray) + ONE) & own & ray
    return (end - np.uint64(end != ZERO)) & ray


@kernel
def _flips_down(ray, own, opp):
    """Flipped discs on a ray towards lower bits: the highest of its cells that is not the opponent's ends the run."""
    end = (HIGHEST >> (leading_zeros(ray & ~opp) & np.uint64(63))) & own & ray
    return (ZERO - (end + end)) & ray


@kernel
def othello_flips(rules, own, opp, cell):
    """Discs that a new own disc on the cell with this number turns over."""
    ray = rules.rays[cell]
    up = _flips_up(ray[0], own, opp) | _flips_up(ray[1], own, opp)
    up |= _flips_up(ray[2], own, opp) | _flips_up(ray[3], own, opp)
    down = _flips_down(ray[4], own, opp) | _flips_down(ray[5], own, opp)
    down |= _flips_down(ray[6], own, opp) | _flips_down(ray[7], own, opp)
    return up | down


@kernel
def connect4_cells(rules, own, opp):
    """The lowest empty cell of every column that has one."""
    taken = own | opp
    return ~taken & rules.board & ((taken >> rules.width) | rules.bottom)


@kernel
def legal_actions(rules, own, opp):
    """The set of legal actions; empty when the player must pass or the board is full. A won game is not noticed."""
    if rules.kind == OTHELLO:
        return othello_moves(rules, own, opp)
    if rules.kind == CONNECT4:
        return ~(own | opp) & rules.top
    if rules.kind == GOBANG:
        return ~(own | opp) & rules.board
    return _call(rules.own[0], own, opp, ZERO)


@kernel
def status(rules, own, opp, legal):
    """RUNNING, or the result for the player to move; ``legal`` is what :func:`legal_actions` says of this state."""
    if rules.kind == OTHELLO:
        if legal != ZERO or othello_moves(rules, opp, own) != ZERO:
            return RUNNING
        return np.sign(np.int64(popcount(own)) - np.int64(popcount(opp)))
    if rules.kind == OTHER:
        return np.int64(_call(rules.own[2], own, opp, legal))
    # The line is looked for among the stones of the player who has just moved: the one to move has lost.
    if has_line(rules, opp):
        return -1
    return RUNNING if legal != ZERO else 0


@kernel
def play(rules, own, opp, action):
    """The state after a legal action, seen by the next player."""
    if rules.kind == OTHELLO:
        if action == rules.rows * rules.cols:
            return opp, own
        flips = othello_flips(rules, own, opp, np.uint64(action))
        return opp & ~flips, own | flips | (ONE << np.uint64(action))
    if rules.kind == CONNECT4:
        column = rules.first_column << np.uint64(action)
        return opp, own | (connect4_cells(rules, own, opp) & column)
    if rules.kind == GOBANG:
        return opp, own | (ONE << np.uint64(action))
    gained = ZERO if action == rules.rows * rules.cols else _call(rules.own[1], own, opp, np.uint64(action))
    return opp & ~gained, own | gained


@kernel
def random_action(rules, own, opp, legal, word):
    """An action drawn uniformly from the legal ones by a random word; the pass where there is no other."""
    if legal == ZERO:
        return rules.rows * rules.cols
    count = np.int64(popcount(legal))
    return np.int64(lowest_bit(nth_bit(legal, scaled(word, count), count)))


@kernel
def columns_of(rules, cells):
    """The set of columns (actions of Connect Four) in which these cells lie."""
    columns = ZERO
    for _ in range(rules.rows):
        columns |= cells & rules.top
        cells >>= rules.width
    return columns


@kernel
def actions_of(rules, own, opp, mine, theirs, first):
    """The actions that filled these cells after the state ``(own, opp)``: its mover's (``mine``) and the other's.

    With ``first`` an action belongs only to the player who used it first; none but a column is ever used twice.
    """
    if rules.kind != CONNECT4:
        return mine, theirs
    if first:
        lowest = connect4_cells(rules, own, opp)
        mine, theirs = mine & lowest, theirs & lowest
    return columns_of(rules, mine), columns_of(rules, theirs)


# A playout plays uniformly random legal moves to the end of the game. Each of those below returns (value for the player
# to move at its start, plies played, cells filled by that player, cells filled by the opponent); the last one, which
# serves any game, gives actions instead of cells.


@kernel
def _othello_playout(rules, own, opp, streams, i):
    state = streams[i]
    mine, theirs = ZERO, ZERO
    plies = 0
    while True:
        moves = othello_moves(rules, own, opp)
        if moves == ZERO:
            own, opp = opp, own
            mine, theirs = theirs, mine
            moves = othello_moves(rules, own, opp)
            if moves == ZERO:
                break
            plies += 1
        state += GAMMA
        count = np.int64(popcount(moves))
        cell = nth_bit(moves, scaled(scramble(state), count), count)
        flips = othello_flips(rules, own, opp, lowest_bit(cell))
        mine |= cell
        own, opp = opp & ~flips, own | flips | cell
        mine, theirs = theirs, mine
        plies += 1
    streams[i] = state
    value = np.sign(np.int64(popcount(own)) - np.int64(popcount(opp)))
    # The players were exchanged once more than plies were played.
    if plies & 1:
        return value, plies, mine, theirs
    return -value, plies, theirs, mine


@kernel
def _line_playout(rules, own, opp, streams, i, cells):
    """Connect Four and Gobang; ``cells`` holds Gobang's empty cells, of which the last fills the place of one drawn."""
    state = streams[i]
    before_own, before_opp = own, opp
    left, plies, value = 0, 0, 0
    if rules.kind == GOBANG:
        free = ~(own | opp) & rules.board
        while free != ZERO:
            cells[left] = free & (ZERO - free)
            free &= free - ONE
            left += 1
    while True:
        free = connect4_cells(rules, own, opp) if rules.kind == CONNECT4 else ZERO
        count = np.int64(popcount(free)) if rules.kind == CONNECT4 else left
        if count == 0:
            break
        state += GAMMA
        drawn = scaled(scramble(state), count)
        if rules.kind == CONNECT4:
            own |= nth_bit(free, drawn, count)
        else:
            own |= cells[np.uint64(drawn)]
            left -= 1
            cells[np.uint64(drawn)] = cells[np.uint64(left)]
        plies += 1
        won = has_line(rules, own)
        own, opp = opp, own
        if won:
            value = 1
            break
    streams[i] = state
    # ``value`` is that of the player who moved last.
    if plies & 1:
        return value, plies, opp ^ before_own, own ^ before_opp
    return -value, plies, own ^ before_own, opp ^ before_opp


@kernel
def _any_playout(rules, own, opp, streams, i):
    mine, theirs = ZERO, ZERO
    plies = 0
    while True:
        legal = legal_actions(rules, own, opp)
        value = status(rules, own, opp, legal)
        if value != RUNNING:
            break
        if legal != ZERO:
            streams[i] += GAMMA
        action = random_action(rules, own, opp, legal, scramble(streams[i]))
        if legal != ZERO:
            mine |= ONE << np.uint64(action)
        own, opp = play(rules, own, opp, action)
        mine, theirs = theirs, mine
        plies += 1
    if plies & 1:
        return -value, plies, theirs, mine
    return value, plies, mine, theirs


@kernel
def playout(rules, own, opp, streams, i, cells):
    """Uniformly random moves from a running state to the end of the game, drawn from stream ``i``.

    ``cells`` is scratch for 64 words.
    """
    if rules.kind == OTHELLO:
        return _othello_playout(rules, own, opp, streams, i)
    if rules.kind != OTHER:
        return _line_playout(rules, own, opp, streams, i, cells)
    return _any_playout(rules, own, opp, streams, i)


@kernel
def fill_plane(rules, own, opp, plane):
    """Network input of a state: +1 on own and -1 on the opponent's cells; ``plane`` has shape (rows, cols), float32."""
    for r in range(rules.rows):
        for c in range(rules.cols):
            cell = np.uint64(r * rules.cols + c)
            plane[r, c] = np.float32((own >> cell) & ONE) - np.float32((opp >> cell) & ONE)
