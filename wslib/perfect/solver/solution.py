"""``solve(position)``: the exact value of a position and of each of its moves, within a budget, or "not solved".

Sign convention: all values are seen **by the player to move** in the position that is solved: 1 wins, 0 draws, -1
loses; in Othello a difference of discs is own minus opponent's, at the end of the game.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from wslib import draw
from wslib.games import Game, Position, connect4, gobang, othello, position_of
from wslib.parameters import ParameterError, whole
from wslib.perfect.solver import discs, lines
from wslib.perfect.solver.table import LIMIT, NODES, STOPPED, empty_memory

T = TypeVar("T")
WORDS = {1: "win", 0: "draw", -1: "loss", None: "?"}
TABLE_BITS = range(8, 29)
SOLVED: tuple[type[Game], ...] = (othello.Othello, connect4.ConnectFour, gobang.Gobang)
"""Games whose rules the solvers know; tic-tac-toe is a small Gobang."""


class Solver:
    """Solves positions of one game; what it has proven of one helps with the next.

    >>> from wslib.games import game
    >>> board = game("tictactoe")
    >>> Solver(board, table_bits=12).value(board.position("a1 b2"))
    0
    """

    def __init__(self, game: Game, table_bits: int = 20):
        if table_bits not in TABLE_BITS:
            most = TABLE_BITS[-1]
            raise ParameterError(f"table_bits = {table_bits} is not allowed: it should be {TABLE_BITS[0]} to {most}")
        if type(game) not in SOLVED:
            known = ", ".join(each.name for each in SOLVED)
            raise ParameterError(f"{type(game).__name__} {game.name!r} cannot be solved: {known} can")
        self.game, self.memory = game, empty_memory(table_bits)
        self.lines = None if game.name == "othello" else lines.make_lines(game.rules)

    def allow(self, nodes: int) -> None:
        """Start a new budget."""
        self.memory.work[:] = 0, nodes, 0

    @property
    def nodes(self) -> int:
        """Nodes searched in this budget."""
        return int(self.memory.work[NODES])

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        return bool(self.nodes >= self.memory.work[LIMIT] or self.memory.work[STOPPED])

    def value(self, position: Position) -> int | None:
        """1, 0 or -1 for the player to move; None out of budget."""
        if position.result is not None:
            return position.result
        if self.spent:
            return None
        if self.lines is not None:
            return lines.settle(self.lines, self.memory, *position.words)
        found = self.window(position, -1, 1)
        return None if found is None else int(np.sign(found))

    def difference(self, position: Position) -> int | None:
        """Othello: the final difference of discs for the player to move; None out of budget."""
        return self.window(position, -discs.MOST, discs.MOST)

    def window(self, position: Position, low: int, high: int) -> int | None:
        """Othello: that difference if it lies between ``low`` and ``high``, else a bound of it on that side."""
        if position.is_over:
            return position.own.bit_count() - position.opp.bit_count()
        if self.spent:
            return None
        return discs.settle(position.game.rules, self.memory, *position.words, low, high)

    def moves(self, position: Position, exact: bool = True) -> dict[int, tuple[int | None, int | None]]:
        """Value and (Othello, if ``exact``) difference of discs after each legal action, for its player."""
        by_discs = exact and self.lines is None
        known = None if by_discs else self.value(position)
        found: dict[int, tuple[int | None, int | None]] = {}
        for action in position.legal:
            after = position.act(action)
            if known == -1:  # where all is lost, every move loses
                found[action] = -1, None
            elif by_discs:
                score = self.difference(after)
                found[action] = (None, None) if score is None else (-int(np.sign(score)), -score)
            else:
                value = self.value(after)
                found[action] = (None if value is None else -value), None
        if known is not None and all(v != known for v, _ in found.values()):
            missing = [a for a, (v, _) in found.items() if v is None]
            if len(missing) == 1:  # the only one left is the one that reaches the position's value
                found[missing[0]] = known, None
        return found


@dataclass(frozen=True)
class Solution:
    """The truth about a position, as far as the budget led. Prints and draws itself."""

    position: Position
    value: int | None
    """1, 0 or -1 for the player to move; None if not solved."""
    discs: int | None
    """Othello: the final difference of discs under perfect play; None if not solved, not asked, or another game."""
    values: dict[str, int | None]
    """The value of each legal move, by name."""
    move_discs: dict[str, int | None]
    """Othello: the final difference of discs after each legal move, for the player who makes it; else empty."""
    nodes: int
    """How many were searched."""

    @property
    def solved(self) -> bool:
        """Whether the position's value is known."""
        return self.value is not None

    @property
    def complete(self) -> bool:
        """Whether the value of every move is known as well."""
        return self.solved and None not in self.values.values()

    @property
    def best(self) -> tuple[str, ...]:
        """The moves that keep the position's value (in Othello, where discs are known: its difference of discs)."""
        if self.discs is not None:
            return tuple(move for move, found in self.move_discs.items() if found == self.discs)
        return tuple(move for move, found in self.values.items() if self.solved and found == self.value)

    def _label(self, move: str) -> str:
        """What is written on the cell of a move: its difference of discs, or else its value in a word."""
        found = self.move_discs.get(move)
        return WORDS[self.values[move]] if found is None else f"{found:+d}".replace("-", "\N{MINUS SIGN}")

    @property
    def headline(self) -> str:
        """The result in a sentence."""
        if not self.solved:
            return f"not solved within {self.nodes:,} nodes"
        stone = "XO"[self.position.to_move]
        result = {1: f"{stone} to move wins", 0: "a draw", -1: f"{stone} to move loses"}[self.value or 0]
        by = f" by {abs(self.discs)} discs" if self.discs else ""
        return f"{result}{by} with perfect play ({self.nodes:,} nodes)"

    def table(self) -> pd.DataFrame:
        """One row per legal move."""
        frame = pd.DataFrame({"move": list(self.values), "value": [WORDS[v] for v in self.values.values()]})
        if self.position.game.name == "othello":
            frame["discs"] = ["?" if (d := self.move_discs.get(m)) is None else f"{d:+d}" for m in self.values]
        return frame.set_index("move")

    def plot(self, size: int | None = None) -> draw.Drawing:
        """The position with the value of each move written on its cell; ``size`` is its width in pixels."""
        heat = {move: float(v) for move, v in self.values.items() if v is not None}
        labels = {move: self._label(move) for move in self.values}
        return draw.board(self.position, heat=heat, labels=labels, caption=self.headline, size=size)

    def __repr__(self) -> str:
        return f"{self.position}\n{self.headline}\n{self.table().to_string()}"

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()


def check_position(position: Position) -> None:
    """Refuse a position that cannot come up, in one sentence."""
    game = position.game
    if position.own & position.opp:
        raise ValueError("this position cannot be: a cell holds stones of both players")
    if (position.own | position.opp) >> game.cells:
        raise ValueError(f"this position cannot be: it has stones outside the board of {game.title}")
    centre = game.start()
    if game.name == "othello" and (centre.own | centre.opp) & ~(position.own | position.opp):
        raise ValueError("this position cannot be: in Othello the four cells in the middle are never empty")
    game.parse(str(position))  # says which rule of the others is broken
    if position.is_over:
        raise ValueError(f"there is nothing to solve: the game is over ({position.caption})")


def solve(position: Position | Game | str, *, nodes: int = 50_000_000, seconds: float | None = None,
          table_bits: int = 22, exact: bool = True) -> Solution:  # fmt: skip
    """The exact value of a position (of a game: its start) and of each of its legal moves.

    A budget of ``nodes`` (about 3 million are searched in a second), and of ``seconds`` if given, is for everything
    together; what it does not suffice for is "not solved", never guessed. ``exact`` asks in Othello for the difference
    of discs instead of the result alone, which takes several times as long. ``2 ** table_bits`` proven bounds are
    remembered, in 24 bytes each.

    >>> from wslib.games import game
    >>> solve(game("tictactoe").position("a1 b1")).best
    ('a2', 'b2', 'a3')
    """
    whole("nodes", nodes, 1)
    if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
        raise ParameterError(f"seconds = {seconds} is not allowed: it should be more than 0, or None for no limit")
    position = position_of(position)
    check_position(position)
    solver = Solver(position.game, table_bits)
    if seconds is not None:  # what is compiled at the first call does not count
        solver.allow(1)
        solver.moves(position, exact)
    solver.allow(nodes)
    value, difference, found = _interruptible(solver, lambda: _values(solver, position, exact), seconds)
    values = {position.game.action_name(a): v for a, (v, _) in found.items()}
    differences = [d for _, d in found.values()] if position.game.name == "othello" else []
    return Solution(position, value, difference, values, dict(zip(values, differences, strict=False)), solver.nodes)


def _values(solver: Solver, position: Position, exact: bool):
    """Value, difference of discs, and those of the moves."""
    found = solver.moves(position, exact)
    values = [v for v, _ in found.values()]
    scores = [d for _, d in found.values() if d is not None]
    known = [v for v in values if v is not None]
    value = max(known) if 1 in known or None not in values else solver.value(position)
    return value, max(scores) if len(scores) == len(values) else None, found


def _interruptible(solver: Solver, work: Callable[[], T], seconds: float | None) -> T:
    """Run compiled work that neither Ctrl-C nor the clock would reach, and stop it through its memory."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            return future.result(seconds)
        except Late:
            solver.memory.work[STOPPED] = 1
            return future.result()
        except BaseException:
            solver.memory.work[STOPPED] = 1
            raise
