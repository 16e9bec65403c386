"""Games and positions as a reader meets them: moves by name, boards as text, symmetries, network planes.

Values are seen by the player to move; ``winner`` and colours are absolute (0 moves first and is drawn ``X``).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral

import numpy as np

from wslib.games import rules as R
from wslib.parameters import brief

FIRST, SECOND = 0, 1
STONES = "XO"
LETTERS = "abcdefgh"
_KINDS = {"othello": R.OTHELLO, "connect4": R.CONNECT4, "gobang": R.GOBANG}
_TITLES = {"othello": "Othello", "connect4": "Connect Four", "gobang": "Gobang"}
NAMES = ("othello", "connect4", "gobang", "tictactoe")


class IllegalMove(ValueError):
    """A move that the rules do not allow here, or that is no move of this game."""


@dataclass(frozen=True)
class Symmetry:
    """One of the board's symmetries, as where each cell and each action goes."""

    cells: tuple[int, ...]
    actions: tuple[int, ...]

    def stones(self, word: int) -> int:
        """The image of a set of cells."""
        return sum(1 << target for cell, target in enumerate(self.cells) if word >> cell & 1)

    def position(self, position: "Position") -> "Position":
        """The image of a position. Its moves are carried along where the image of a game is a game.

        That fails for the four symmetries that do not keep Othello's start.
        """
        start = position.game.start()
        keeps_start = (self.stones(start.own), self.stones(start.opp)) == (start.own, start.opp)
        history = tuple(self.actions[a] for a in position.history) if keeps_start else ()
        return Position(position.game, self.stones(position.own), self.stones(position.opp), position.to_move, history)

    def policy(self, policy: Sequence[float] | np.ndarray) -> np.ndarray:
        """The image of a vector over actions."""
        image = np.empty(len(self.actions))
        image[list(self.actions)] = policy
        return image


@dataclass(frozen=True)
class Game:
    """A game at one size. Make one with :func:`game`.

    >>> game("connect4").start().play("4").play("3").moves
    ('1', '2', '3', '4', '5', '6')
    """

    name: str
    rows: int
    cols: int
    k: int = 0

    @cached_property
    def rules(self) -> R.Rules:
        """What the compiled code knows of this game."""
        return R.make_rules(_KINDS[self.name], self.rows, self.cols, self.k)

    @property
    def actions(self) -> int:
        """Number of actions, legal or not: the length of a policy."""
        return self.rules.actions

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.rows * self.cols

    @property
    def id(self) -> str:
        """The name that :func:`game` takes to make this game again, as in ``gobang-6x6-k4``."""
        return f"{self.name}-{self.rows}x{self.cols}" + (f"-k{self.k}" if self.k else "")

    @property
    def title(self) -> str:
        """The name for a table or figure."""
        line = f", {self.k} in a row" if (self.name, self.k) not in (("othello", 0), ("connect4", 4)) else ""
        return f"{_TITLES[self.name]} {self.rows}×{self.cols}{line}"

    @property
    def max_plies(self) -> int:
        """No game is longer than this (Othello: a pass between any two moves)."""
        return 2 * self.cells if self.name == "othello" else self.cells

    def start(self) -> "Position":
        """The position before the first move."""
        if self.name != "othello":
            return Position(self, 0, 0, FIRST)
        r, c, n = self.rows // 2, self.cols // 2, self.cols
        first = 1 << ((r - 1) * n + c) | 1 << (r * n + c - 1)
        second = 1 << ((r - 1) * n + c - 1) | 1 << (r * n + c)
        return Position(self, first, second, FIRST)

    def position(self, moves: "str | Iterable[str]" = ()) -> "Position":
        """The position after these moves: a text such as ``"d3 c5"``, ``"d3c5"``, ``"4453"``, or a list of names."""
        position = self.start()
        if not isinstance(moves, Iterable):
            raise IllegalMove(f"moves are a text, as {self._example!r}, or a list of names, not {moves!r}")
        for move in self.split(moves) if isinstance(moves, str) else moves:
            position = position.play(move)
        return position

    @property
    def _example(self) -> str:
        """A move list of the game as it is written."""
        return "4 4 5 3" if self.name == "connect4" else "c2 b2 b3"

    def split(self, moves: str) -> list[str]:
        """The single moves of a move list, with or without spaces or commas between them."""
        one = r"\d" if self.name == "connect4" else r"[a-hA-H]\d|pass|PASS|Pass|--"
        wrong = re.sub(rf"(?:{one})|[\s,]", "", moves)
        if wrong:
            raise IllegalMove(f"a move list of {self.title} looks like {self._example!r}: what is {wrong[:20]!r}?")
        return re.findall(one, moves)

    def action_name(self, action: int) -> str:
        """The notation of a move: ``d3`` (column and row, from the top left), a column ``4``, or ``pass``."""
        if not isinstance(action, Integral) or not 0 <= action < self.actions:
            raise IllegalMove(f"{self.title} has the actions 0 to {self.actions - 1}, not {action!r}")
        if self.name == "connect4":
            return str(action + 1)
        if action == self.cells:
            return "pass"
        return f"{LETTERS[action % self.cols]}{action // self.cols + 1}"

    def action_number(self, move: int | str) -> int:
        """The action of a move given by name (or by number, which is checked)."""
        if isinstance(move, str):
            text = move.strip().lower().replace("--", "pass")
            for action in range(self.actions):
                if self.action_name(action) == text:
                    return action
            last, more = (self.cells, " and pass") if self.name == "othello" else (self.actions, "")
            names = f"{self.action_name(0)} to {self.action_name(last - 1)}{more}"
            raise IllegalMove(f"{move!r} is no move of {self.title}: its moves are {names}")
        self.action_name(move)
        return int(move)

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries of the rules, the identity first: 2 in Connect Four, 8 on a square board, 4 on others."""
        board = np.arange(self.cells).reshape(self.rows, self.cols)
        if self.name == "connect4":
            views = [board, np.fliplr(board)]
        else:
            turns = (0, 1, 2, 3) if self.rows == self.cols else (0, 2)
            views = [np.rot90(side, t) for side in (board, np.fliplr(board)) for t in turns]
        found = []
        for view in views:
            cells = np.empty(self.cells, int)
            cells[view.ravel()] = np.arange(self.cells)
            goes = tuple(int(c) for c in cells)
            actions = {"connect4": goes[: self.cols], "gobang": goes, "othello": (*goes, self.cells)}[self.name]
            found.append(Symmetry(goes, actions))
        return tuple(found)

    def planes(self, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        """Network input for states given as words: float32 of shape (n, 1, rows, cols), +1 own, -1 opponent."""
        planes = np.empty((len(own), self.rows, self.cols), np.float32)
        R.fill_planes(self.rules, np.asarray(own, np.uint64), np.asarray(opp, np.uint64), planes)
        return planes[:, None]

    def parse(self, text: str) -> "Position":
        """The position drawn by a text as ``print(position)`` writes it (labels may be missing).

        >>> game("tictactoe").parse("X . . / . O . / . . . / X to move").moves
        ('b1', 'c1', 'a2', 'c2', 'a3', 'b3', 'c3')
        """
        if not isinstance(text, str):
            raise ValueError(f"a board is drawn with '.', 'X' and 'O', not by {brief(text)}")
        mover = re.search(r"([XO])\s+to\s+move", text)
        board_text = re.sub(r"[XO]\s+to\s+move.*|[XO] has won.*|drawn.*", "", text)
        rows = []
        for line in re.split(r"[\n/]", board_text):
            stones = re.sub(r"[\s\d|]", "", line)
            if stones and set(stones) <= set(".XO"):
                rows.append(stones)
            elif stones and stones != LETTERS[: self.cols]:
                raise ValueError(f"a board is drawn with '.', 'X' and 'O' only: what is {line.strip()!r}?")
        if len(rows) != self.rows or any(len(row) != self.cols for row in rows):
            shape = " ".join(str(len(row)) for row in rows) or "none"
            raise ValueError(f"{self.title} has {self.rows} rows of {self.cols} cells; these rows have: {shape}")
        words = [sum(1 << i for i, stone in enumerate("".join(rows)) if stone == colour) for colour in STONES]
        return self._checked(words[FIRST], words[SECOND], mover and STONES.index(mover[1]))

    def _checked(self, first: int, second: int, mover: int | None) -> "Position":
        """A position from the stones of both sides, or an error that says which rule it breaks."""
        stones = first.bit_count(), second.bit_count()
        if self.name == "othello":
            if mover is None:
                raise ValueError("an Othello board needs a last line 'X to move' or 'O to move'")
        else:
            if stones[0] - stones[1] not in (0, 1):
                raise ValueError(f"X moves first and the players alternate: {stones[0]} X and {stones[1]} O cannot be")
            turn = stones[0] - stones[1]
            if mover not in (None, turn):
                raise ValueError(f"with {stones[0]} X and {stones[1]} O it is {STONES[turn]}'s move")
            mover = turn
            if self.name == "connect4":
                taken = first | second
                if taken << self.cols & (1 << self.cells) - 1 & ~taken:
                    raise ValueError("a stone hangs in the air: in Connect Four every stone rests on another")
            to_move = (first, second)[mover]
            if R.has_line(self.rules, np.uint64(to_move)):
                raise ValueError(f"{STONES[mover]} is to move but already has {self.k} in a row")
        own, opp = (first, second) if mover == FIRST else (second, first)
        return Position(self, own, opp, int(mover))

    def __str__(self) -> str:
        return self.title

    def __repr__(self) -> str:
        return f"game({self.id!r})"


@dataclass(frozen=True)
class Position:
    """A state of a game, with whose turn it is and the moves that led to it where they are known.

    ``own`` and ``opp`` are the stones of the player to move and of the opponent, a bit per cell.
    """

    game: Game
    own: int
    opp: int
    to_move: int
    history: tuple[int, ...] = field(default=(), compare=False)

    @property
    def words(self) -> tuple[np.uint64, np.uint64]:
        """The state as the compiled code takes it."""
        return np.uint64(self.own), np.uint64(self.opp)

    @cached_property
    def _legal(self) -> int:
        return int(R.legal_actions(self.game.rules, *self.words))

    @cached_property
    def result(self) -> int | None:
        """-1, 0 or 1 for the player to move once the game is over, else None."""
        value = R.status(self.game.rules, *self.words, np.uint64(self._legal))
        return None if value == R.RUNNING else int(value)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.result is not None

    @property
    def winner(self) -> int | None:
        """0 or 1 for the player who has won; None while the game runs, and after a draw."""
        if not self.result:
            return None
        return self.to_move if self.result > 0 else 1 - self.to_move

    @cached_property
    def legal(self) -> tuple[int, ...]:
        """The legal actions, in ascending order; none once the game is over."""
        if self.is_over:
            return ()
        if not self._legal:
            return (self.game.cells,)
        return tuple(a for a in range(self.game.actions) if self._legal >> a & 1)

    @property
    def moves(self) -> tuple[str, ...]:
        """The legal moves by name."""
        return tuple(self.game.action_name(a) for a in self.legal)

    def play(self, move: str) -> "Position":
        """The position after a move, given by its name: ``play("4")``, ``play("d3")``, ``play("pass")``.

        A number is refused, because in Connect Four 4 could be the fourth column or the action with number 4, which is
        the fifth: :meth:`act` takes an action by its number.
        """
        if not isinstance(move, str):
            raise IllegalMove(
                f"a move is named by a text, as play({self.game.action_name(0)!r}), not by {move!r}: an action is "
                "played by its number with act"
            )
        return self.act(self.game.action_number(move))

    def act(self, action: int) -> "Position":
        """The position after an action, given by its number, as in :attr:`legal` and in the order of a policy."""
        if action not in self.legal:
            name = self.game.action_name(action)
            if self.is_over:
                raise IllegalMove(f"{name} cannot be played: the game is over")
            raise IllegalMove(f"{name} is not legal here; legal: {' '.join(self.moves)}")
        own, opp = R.play(self.game.rules, *self.words, int(action))
        return Position(self.game, int(own), int(opp), 1 - self.to_move, (*self.history, int(action)))

    @property
    def board(self) -> np.ndarray:
        """The board as integers of shape (rows, cols): 1 for the first player, -1 for the second, 0 for empty."""
        bits = np.arange(self.game.cells)
        own, opp = (self.own >> bits.astype(object)) & 1, (self.opp >> bits.astype(object)) & 1
        signs = (own - opp).astype(int) * (1 if self.to_move == FIRST else -1)
        return signs.reshape(self.game.rows, self.game.cols)

    @property
    def planes(self) -> np.ndarray:
        """Network input of shape (1, rows, cols)."""
        own, opp = self.words
        return self.game.planes(np.array([own]), np.array([opp]))[0]

    @property
    def move_list(self) -> str:
        """The moves so far, as :meth:`Game.position` reads them."""
        return " ".join(self.game.action_name(a) for a in self.history)

    def line(self) -> "Iterator[Position]":
        """All positions of the game so far, from the start to this one; an error where its moves are not known."""
        positions = [self.game.start()]
        with suppress(IllegalMove):
            for action in self.history:
                positions.append(positions[-1].act(action))
        if positions[-1] != self:
            raise ValueError(f"the moves from the start to this position are not known, only {self.move_list!r}")
        yield from positions

    @property
    def caption(self) -> str:
        """Whose turn it is, or how the game ended."""
        if not self.is_over:
            return f"{STONES[self.to_move]} to move"
        return "drawn" if self.winner is None else f"{STONES[self.winner]} has won"

    def __str__(self) -> str:
        drop = self.game.name == "connect4"
        heads = [str(c + 1) if drop else LETTERS[c] for c in range(self.game.cols)]
        lines = ["  " + " ".join(heads)]
        for r, row in enumerate(self.board):
            lines.append(f"{' ' if drop else r + 1} " + " ".join(".XO"[int(v)] for v in row))
        # A finished game keeps its mover: Othello's cannot be inferred from the board.
        end = f"{STONES[self.to_move]} to move" + (f": {self.caption}" if self.is_over else "")
        return "\n".join([*lines, end])

    __repr__ = __str__


def game(
    name: str | Game, size: int | None = None, *, rows: int | None = None, cols: int | None = None, k: int | None = None
) -> Game:
    """Make a game: ``game("othello")``, ``game("connect4", rows=6, cols=7)``, ``game("gobang", 8, k=5)``.

    Boards are 6×6 unless said (tic-tac-toe: 3×3), lines of four win. A name may carry the size: ``"gobang-8x8-k5"``.
    A game is given back as it is, so that whoever takes a game takes its name as well.
    """
    asked = name
    if isinstance(name, Game):
        if not size is rows is cols is k is None:
            raise ValueError(f"{name.title} has its size already: leave out size, rows, cols and k")
        return name
    for what, number in (("size", size), ("rows", rows), ("cols", cols), ("k", k)):
        if number is not None and not isinstance(number, int):
            raise ValueError(f"{what} = {number!r} is not allowed: it should be a whole number")
    match = re.fullmatch(r"([a-z0-9]+)(?:-(\d+)x(\d+))?(?:-k(\d+))?", str(name))
    if match:
        name = match[1]
        if match[2] and (size or rows or cols):
            raise ValueError(f"{asked!r} names a size already: leave out size, rows and cols")
        rows = rows if rows is not None else (int(match[2]) if match[2] else None)
        cols = cols if cols is not None else (int(match[3]) if match[3] else None)
        k = k if k is not None else (int(match[4]) if match[4] else None)
    if not match or name not in NAMES:
        raise ValueError(
            f"there is no game {brief(asked)}: the games are {', '.join(NAMES)} (with a size: 'connect4-6x7')"
        )
    default = 3 if name == "tictactoe" else 6
    rows = rows if rows is not None else size if size is not None else default
    cols = cols if cols is not None else size if size is not None else default
    if name == "othello":
        if k:
            raise ValueError("Othello has no lines: leave out k")
        if not all(n in (4, 6, 8) for n in (rows, cols)):
            raise ValueError(f"Othello is played on boards with 4, 6 or 8 rows and columns, not {rows}×{cols}")
        return Game("othello", rows, cols)
    if not all(1 <= n <= 8 for n in (rows, cols)):
        raise ValueError(f"a board has 1 to 8 rows and columns, not {rows}×{cols}")
    longest = max(rows, cols)
    k = k if k is not None else (3 if name == "tictactoe" else 4)
    if not 2 <= k <= longest:
        raise ValueError(f"k in a row on a {rows}×{cols} board needs 2 ≤ k ≤ {longest}, not {k}")
    return Game("gobang" if name == "tictactoe" else name, rows, cols, k)


def position_of(what: "Position | Game | str") -> Position:
    """A position as it is; the start of a game, given itself or by its name."""
    if isinstance(what, Position):
        return what
    if isinstance(what, Game | str):
        return game(what).start()
    raise ValueError(
        f"{brief(what)} is no position: give one, as game('connect4').position('4 4'), or a game for its start"
    )
