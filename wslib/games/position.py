"""Games and positions as a reader meets them: moves by name, boards as text, symmetries, network planes.

Values are seen by the player to move; ``winner`` and colours are absolute (0 moves first and is drawn ``X``).
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from numbers import Integral
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import AfterValidator

from wslib._compiled import ONE
from wslib.games import rules as R
from wslib.parameters import brief

FIRST, SECOND = 0, 1
STONES = "XO"
LETTERS = "abcdefgh"


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


class Look(NamedTuple):
    """The colours of a game; each is a pair for stones and their rims, of the first player and of the second."""

    board: str
    empty: str
    line: str
    stones: tuple[str, str]
    rims: tuple[str, str]
    hot: str
    cold: str
    """Cells of a heat map, above and below 0."""
    mark: str
    """Around the last move."""


@dataclass(frozen=True)
class Game:
    """A game at one size: its rules, its look and its notation. Make one with :func:`game`.

    A game of its own is a class with what differs from this one, in a file that ends by registering it.

    >>> game("connect4").start().play("4").play("3").moves
    ('1', '2', '3', '4', '5', '6')
    """

    rows: int
    cols: int
    k: int = 0
    """How many in a row win; 0 where there are no lines."""

    name: ClassVar[str]
    """By which :func:`game` finds it."""
    written: ClassVar[str]
    """As it is written in a text."""
    kind: ClassVar[int] = R.OTHER
    usual_k: ClassVar[int] = 0
    """The length of lines that its title leaves out."""
    drops: ClassVar[bool] = False
    """Whether a move names a column, in which the stone falls down."""
    passes: ClassVar[bool] = False
    """Whether one passes where one has no move, so that a board does not tell whose turn it is."""
    look: ClassVar[Look] = Look("#d9dee4", "#d9dee4", "#8b96a3", ("#161616", "#fdfdfa"), ("#000000", "#555555"),
                                "#c2410c", "#1e4f96", "#c2185b")  # fmt: skip

    @classmethod
    def check_size(cls, rows: int, cols: int) -> None:
        """Refuse boards that this game is not played on; none has more than 64 cells."""
        if not all(1 <= n <= 8 for n in (rows, cols)):
            raise ValueError(f"a board has 1 to 8 rows and columns, not {rows}×{cols}")

    def own_rules(self, board: R.Rules) -> R.OwnRules:
        """The rules of a game that the compiled code does not know; ``board`` has the masks of its size."""
        raise NotImplementedError(f"{self.written} has no rules: its class should have own_rules")

    @property
    def rules(self) -> R.Rules:
        """What the compiled code knows of this game."""
        return _rules_of(self)

    @property
    def actions(self) -> int:
        """Number of actions, legal or not: the length of a policy."""
        return self.cols if self.drops else self.cells + self.passes

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
        return f"{self.written} {self.rows}×{self.cols}" + (f", {self.k} in a row" if self.k != self.usual_k else "")

    @property
    def max_plies(self) -> int:
        """No game is longer than this (with passes: one between any two moves)."""
        return 2 * self.cells if self.passes else self.cells

    def start(self) -> "Position":
        """The position before the first move."""
        return Position(self, 0, 0, FIRST)

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
        return "4 4 5 3" if self.drops else "c2 b2 b3"

    def split(self, moves: str) -> list[str]:
        """The single moves of a move list, with or without spaces or commas between them."""
        one = r"\d" if self.drops else r"[a-hA-H]\d|pass|PASS|Pass|--"
        wrong = re.sub(rf"(?:{one})|[\s,]", "", moves)
        if wrong:
            raise IllegalMove(f"a move list of {self.title} looks like {self._example!r}: what is {wrong[:20]!r}?")
        return re.findall(one, moves)

    def action_name(self, action: int) -> str:
        """The notation of a move: ``d3`` (column and row, from the top left), a column ``4``, or ``pass``."""
        if not isinstance(action, Integral) or not 0 <= action < self.actions:
            raise IllegalMove(f"{self.title} has the actions 0 to {self.actions - 1}, not {action!r}")
        if self.drops:
            return str(action + 1)
        if action == self.cells:
            return "pass"
        return f"{LETTERS[action % self.cols]}{action // self.cols + 1}"

    def action_number(self, move: int | str) -> int:
        """The action of a move given by name (or by number, which is checked)."""
        if isinstance(move, str):
            text, names = move.strip().lower().replace("--", "pass"), [*map(self.action_name, range(self.actions))]
            if text in names:
                return names.index(text)
            known = f"{names[0]} to {names[-1 - self.passes]}{' and pass' if self.passes else ''}"
            raise IllegalMove(f"{move!r} is no move of {self.title}: its moves are {known}")
        self.action_name(move)
        return int(move)

    def views(self, board: np.ndarray) -> list[np.ndarray]:
        """The board, (rows, cols), as it looks under each symmetry of the rules, the identity first."""
        turns = (0, 1, 2, 3) if self.rows == self.cols else (0, 2)
        return [np.rot90(side, t) for side in (board, np.fliplr(board)) for t in turns]

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries of the rules, the identity first: 2 in Connect Four, 8 on a square board, 4 on others."""
        board = np.arange(self.cells).reshape(self.rows, self.cols)
        goes = [tuple(np.argsort(view.ravel()).tolist()) for view in self.views(board)]
        passing = (self.cells,) if self.passes else ()
        return tuple(Symmetry(cells, cells[: self.cols] if self.drops else (*cells, *passing)) for cells in goes)

    def planes(self, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        """Network input for states given as words: float32 of shape (n, 1, rows, cols), +1 own, -1 opponent."""
        cells = np.arange(self.cells, dtype=np.uint64)
        mine, theirs = (np.asarray(word, np.uint64)[:, None] >> cells & ONE for word in (own, opp))
        planes = mine.astype(np.float32) - theirs.astype(np.float32)
        return planes.reshape(-1, 1, self.rows, self.cols)

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
        if self.passes:
            if mover is None:
                raise ValueError(f"a board of {self.written} needs a last line 'X to move' or 'O to move'")
        else:
            stones = first.bit_count(), second.bit_count()
            turn = stones[0] - stones[1]
            if turn not in (0, 1):
                raise ValueError(f"X moves first and the players alternate: {stones[0]} X and {stones[1]} O cannot be")
            if mover not in (None, turn):
                raise ValueError(f"with {stones[0]} X and {stones[1]} O it is {STONES[turn]}'s move")
            mover = turn
        taken = first | second
        if self.drops and taken << self.cols & (1 << self.cells) - 1 & ~taken:
            raise ValueError(f"a stone hangs in the air: in {self.written} every stone rests on another")
        if self.k and R.has_line(self.rules, np.uint64((first, second)[mover])):
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
        own, opp = (np.array([word >> cell & 1 for cell in range(self.game.cells)]) for word in (self.own, self.opp))
        return ((own - opp) * (1 if self.to_move == FIRST else -1)).reshape(self.game.rows, self.game.cols)

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
        drop = self.game.drops
        heads = [str(c + 1) if drop else LETTERS[c] for c in range(self.game.cols)]
        lines = ["  " + " ".join(heads)]
        for r, row in enumerate(self.board):
            lines.append(f"{' ' if drop else r + 1} " + " ".join(".XO"[int(v)] for v in row))
        # A finished game keeps its mover: Othello's cannot be inferred from the board.
        end = f"{STONES[self.to_move]} to move" + (f": {self.caption}" if self.is_over else "")
        return "\n".join([*lines, end])

    __repr__ = __str__


class Registered(NamedTuple):
    """A game that :func:`game` makes: its class, its usual size, and how many in a row win (0: it has no lines)."""

    kind: type[Game]
    size: int
    k: int


GAMES: dict[str, Registered] = {}
"""The games by name."""


def register(kind: type[Game], name: str = "", size: int = 6, k: int = 0) -> None:
    """Let :func:`game` make games of this class, on boards of this size unless another is asked for."""
    GAMES[name or kind.name] = Registered(kind, size, k)
    _named.cache_clear()


@cache
def _rules_of(game: Game) -> R.Rules:
    board = R.make_rules(game.kind, game.rows, game.cols, game.k, game.actions)
    return board if game.kind != R.OTHER else R.with_own(board, game.own_rules(board))


def game(
    name: str | Game, size: int | None = None, *, rows: int | None = None, cols: int | None = None, k: int | None = None
) -> Game:
    """Make a game: ``game("othello")``, ``game("connect4", rows=6, cols=7)``, ``game("gobang", 8, k=5)``.

    Boards are 6×6 unless said (tic-tac-toe: 3×3), lines of four win. A name may carry the size: ``"gobang-8x8-k5"``.
    Names are also taken as titles write them: ``"Connect Four 6×7"``. A game is given back as it is, so that whoever
    takes a game takes its name as well.
    """
    if isinstance(name, Game):
        if not size is rows is cols is k is None:
            raise ValueError(f"{name.title} has its size already: leave out size, rows, cols and k")
        return name
    for what, number in (("size", size), ("rows", rows), ("cols", cols), ("k", k)):
        if number is not None and not isinstance(number, int):
            raise ValueError(f"{what} = {number!r} is not allowed: it should be a whole number")
    return _named(name, size, rows, cols, k) if isinstance(name, str) else _make(name, size, rows, cols, k)


def _make(name: object, size: int | None, rows: int | None, cols: int | None, k: int | None) -> Game:
    """The game of this name, on a board of this size."""
    kind_name, *sizes = _read(name)
    if kind_name is None:
        names = ", ".join(GAMES)
        raise ValueError(f"there is no game {brief(name)}: the games are {names} (with a size: 'connect4-6x7')")
    if sizes[0] and (size or rows or cols):
        raise ValueError(f"{name!r} names a size already: leave out size, rows and cols")
    kind, usual, lines = GAMES[kind_name]
    usual = usual if size is None else size
    rows, cols, k = (
        given if given is not None else int(named) if named else otherwise
        for given, named, otherwise in zip((rows, cols, k), sizes, (usual, usual, lines), strict=True)
    )
    if k and not lines:
        raise ValueError(f"{kind.written} has no lines: leave out k")
    kind.check_size(rows, cols)
    if lines and not 2 <= k <= max(rows, cols):
        raise ValueError(f"k in a row on a {rows}×{cols} board needs 2 ≤ k ≤ {max(rows, cols)}, not {k}")
    return kind(rows, cols, k)


_named = lru_cache(1024)(_make)
"""Units name their games, and an experiment has thousands of units."""


def _read(name: object) -> tuple[str | None, str | None, str | None, str | None]:
    """The name of a game in a text, and the rows, columns and k that it names; None for what is not in it."""
    text = str(name).lower().replace("×", "x")
    match = re.fullmatch(r"([a-z0-9 _-]+?)(?:[ -](\d+)x(\d+))?(?:-k(\d+))?", text)
    plain = re.sub(r"[ _-]", "", match[1]) if match else ""
    for known, (kind, _, _) in GAMES.items():
        if match and plain in (known, re.sub(r"[ _-]", "", kind.written.lower())):
            return known, match[2], match[3], match[4]
    return None, None, None, None


GameName = Annotated[str, AfterValidator(lambda name: game(name).id)]
"""A parameter that names a game; its value carries the size, as in ``connect4-6x6-k4``."""


def position_of(what: "Position | Game | str") -> Position:
    """A position as it is; the start of a game, given itself or by its name."""
    if isinstance(what, Position):
        return what
    if isinstance(what, Game) or (isinstance(what, str) and _read(what)[0]):
        return game(what).start()
    if isinstance(what, str):
        raise ValueError(
            f"{brief(what)} is no game, whose start would be the position: the games are {', '.join(GAMES)}; "
            "moves go with their game, as game('connect4').position('4 4')"
        )
    raise ValueError(
        f"{brief(what)} is no position: give one, as game('connect4').position('4 4'), or a game for its start"
    )
