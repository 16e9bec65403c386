"""Position sets with known truth: made from a seed, kept in ``data/positions``, read as arrays.

*broad* positions come from random and half-random games, so that errors have to be punished; *path* positions from
games between strong players after short random openings, and from perfect play with slips. In every position the
choice of move matters: two moves lead to different results.

Sign convention: values of a position and of its moves are seen **by the player to move** in that position.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import PCG64

from wslib._compiled import stream
from wslib.files import published_root, write_atomically
from wslib.games import STONES, Game, Position, game
from wslib.parameters import ParameterError
from wslib.perfect.solver import Solver
from wslib.play import move, player
from wslib.play.matches import random_opening

SETS = ("broad", "path")
PHASES = ("early", "middle", "late")
BOARDS = ("gobang", "connect4", "othello")
PLIES = {
    "gobang": {"broad": ((5, 9), (10, 17), (18, 30)), "path": ((5, 8), (9, 12), (13, 24))},
    "connect4": {"broad": ((8, 13), (14, 20), (21, 31)), "path": ((8, 13), (14, 20), (21, 31))},
    "othello": {"broad": ((14, 18), (19, 23), (24, 29)), "path": ((14, 18), (19, 23), (24, 29))},
}
"""First and last ply of each phase on the 6×6 boards (Othello: with 18 empty cells at most)."""
OPENINGS = {"gobang": ((3, 4), (5, 7), (7, 11)), "connect4": ((2, 4),) * 3, "othello": ((2, 4),) * 3}
"""Least and most random plies that open a game between strong players, by phase."""
SLIPS = 0.2
MOST_EMPTY = 18
SIZE = 540
NODES = 1_000_000
"""Positions that take more are not taken: sets are for what can be known cheaply."""
UNKNOWN = -9
"""Stands in arrays for the value of an illegal move."""


@dataclass(frozen=True)
class Positions:
    """Positions of one game with the truth about every move, a row each."""

    game: Game
    own: np.ndarray
    opp: np.ndarray
    """(n,) uint64, as is ``own``: the stones of the player to move and of the opponent."""
    to_move: np.ndarray
    """(n,): 0 or 1; 0 has moved first."""
    values: np.ndarray
    """(n, actions): 1, 0, -1 for the player to move; UNKNOWN where illegal."""
    discs: np.ndarray | None
    """Othello: (n, actions), the final difference of discs after each move, for the player to move."""
    labels: pd.DataFrame
    """Set, phase and ply of each, n rows."""

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, i: int) -> Position:
        return Position(self.game, int(self.own[i]), int(self.opp[i]), int(self.to_move[i]))

    @property
    def value(self) -> np.ndarray:
        """The value of each position, for its player to move: that of its best move; (n,)."""
        return self.values.max(axis=1)

    @property
    def chance(self) -> np.ndarray:
        """The share of the legal moves that keep each position's value; (n,)."""
        legal = self.values != UNKNOWN
        return (self.values == self.value[:, None]).sum(axis=1) / legal.sum(axis=1)

    def take(self, rows: np.ndarray) -> "Positions":
        """The positions in these rows."""
        return replace(
            self,
            **{n: getattr(self, n)[rows] for n in ("own", "opp", "to_move", "values")},
            discs=None if self.discs is None else self.discs[rows],
            labels=self.labels.iloc[rows].reset_index(drop=True),
        )

    def sample(self, count: int) -> "Positions":
        """``count`` of them, as evenly spread over sets and phases as they come, always the same."""
        order = self.labels.groupby(["set", "phase"], sort=False).cumcount().to_numpy().argsort(kind="stable")
        return self.take(np.sort(order[: min(count, len(self))]))


def load(board: str, which: str | tuple[str, ...] = SETS, folder: Path | None = None) -> Positions:
    """The positions of a game, of one set or several.

    >>> len(load("connect4", "broad")) >= 500
    True
    """
    return _load(game(board), files(board, (which,) if isinstance(which, str) else tuple(which), folder))


def files(board: str, sets: tuple[str, ...], folder: Path | None = None) -> tuple[Path, ...]:
    """Where these sets are; one sentence, where they are not."""
    for name in sets:
        if name not in SETS:
            raise ParameterError(f"there is no set {name!r}: the sets are {', '.join(SETS)}")
    the_game, folder = game(board), folder or published_root() / "positions"
    paths = tuple(folder / file_name(the_game, name) for name in sets)
    if not all(path.is_file() for path in paths):
        have = ", ".join(sorted({p.name.rsplit("-", 1)[0] for p in folder.glob("*.csv")})) or "none"
        raise ParameterError(f"there are no positions of {the_game.title}: the games with positions are {have}")
    return paths


@lru_cache(maxsize=16)
def _load(the_game: Game, paths: tuple[Path, ...]) -> Positions:
    table = pd.concat([pd.read_csv(p, dtype=str, keep_default_na=False) for p in paths], ignore_index=True)
    return from_table(the_game, table)


def from_table(the_game: Game, table: pd.DataFrame) -> Positions:
    """The positions of a table as it is stored."""
    found = [
        the_game.parse(f"{row.position.replace('/', chr(10))}\n{row.to_move} to move") for row in table.itertuples()
    ]
    values = np.full((len(table), the_game.actions), UNKNOWN, np.int8)
    discs = np.zeros((len(table), the_game.actions), np.int8) if the_game.name == "othello" else None
    for matrix, column in ((values, "values"), (discs, "discs")):
        if matrix is None:
            continue
        for i, text in enumerate(table[column]):
            for part in text.split():
                name, _, number = part.partition("=")
                matrix[i, the_game.action_number(name)] = int(number)
    return Positions(
        the_game,
        np.array([p.own for p in found], np.uint64),
        np.array([p.opp for p in found], np.uint64),
        np.array([p.to_move for p in found]),
        values,
        discs,
        table[["set", "phase"]].assign(ply=table["ply"].astype(int)),
    )


def file_name(the_game: Game, which: str) -> str:
    """The file of a set."""
    return f"{the_game.id}-{which}.csv"


class Draws:
    """Random numbers of a seed, from PCG64's words, whose order numpy guarantees; its methods it does not.

    >>> Draws(1).integers(0, 6), Draws(1).random() < 1
    (2, True)
    """

    def __init__(self, seed: int):
        self._words = PCG64(seed)
        self._upper: int | None = None

    def random(self) -> float:
        """A number in [0, 1), from the 53 upper bits of a word."""
        return (int(self._words.random_raw()) >> 11) * 2.0**-53

    def integers(self, first: int, end: int) -> int:
        """One of ``first``, ..., ``end - 1``, each as likely as the others (Lemire's multiplication of half a word)."""
        n = end - first
        assert 0 < n < 1 << 32
        product = self._half() * n if n > 1 else 0
        while n > 1 and product % (1 << 32) < (1 << 32) % n:  # so many products would favour some numbers
            product = self._half() * n
        return first + (product >> 32)

    def _half(self) -> int:
        """32 bits: the lower half of a word, then its upper half."""
        if self._upper is not None:
            half, self._upper = self._upper, None
            return half
        word = int(self._words.random_raw())
        self._upper = word >> 32
        return word % (1 << 32)


Play = Callable[[Position, Draws], int]


def _random_move(position: Position, random: Draws) -> int:
    return int(position.legal[random.integers(0, len(position.legal))])


def _search_move(position: Position, random: Draws, simulations: int) -> int:
    name = move(player("mcts", simulations=simulations), position, random.integers(0, 1 << 30))
    return position.game.action_number(name)


def _half_random(position: Position, random: Draws) -> int:
    return _random_move(position, random) if random.random() < 0.5 else _search_move(position, random, 50)


def _strong(position: Position, random: Draws) -> int:
    return _search_move(position, random, 1000)


def _perfect_with_slips(solver: Solver) -> Play:
    """Any of the best moves where they are known cheaply, else the strong player's; now and then a random one."""

    def choose(position: Position, random: Draws) -> int:
        if random.random() < SLIPS:
            return _random_move(position, random)
        if position.game.name == "othello" and _empty(position) > MOST_EMPTY:
            return _strong(position, random)
        solver.allow(NODES // 40)
        found = solver.moves(position, exact=False)
        values = [v for v, _ in found.values()]
        if None in values:
            return _strong(position, random)
        best = [a for a, (v, _) in found.items() if v == max(v for v in values if v is not None)]
        return best[random.integers(0, len(best))]

    return choose


def _empty(position: Position) -> int:
    return position.game.cells - (position.own | position.opp).bit_count()


def _player(which: str, number: int, solver: Solver) -> Play:
    """Who plays the game with this number."""
    if which == "broad":
        return (_random_move, _half_random)[number % 2]
    return (_strong, _perfect_with_slips(solver))[number % 2]


def _play(the_game: Game, which: str, phase: int, seed: int, number: int, solver: Solver) -> Position:
    """A game of a set, played up to a ply of this phase (or to its end)."""
    random = Draws(int(stream(seed, "positions", the_game.id, which, number)))
    first, last = PLIES[the_game.name][which][phase]
    plies = random.integers(first, last + 1)
    least, most = OPENINGS[the_game.name][phase] if which == "path" else (0, 0)
    position = random_opening(the_game, min(random.integers(least, most + 1), plies), seed, number)
    choose = _player(which, number, solver)
    while len(position.history) < plies and not position.is_over:
        position = position.act(choose(position, random))
    return position


def make(board: str, which: str, seed: int = 0, size: int = SIZE,
         progress: Callable[[int], object] | None = None, most: int | None = None) -> pd.DataFrame:  # fmt: skip
    """A set of positions, made anew: the same seed gives the same table. ``progress`` hears of each position found.

    ``most`` ends early, with some of the positions that the whole set would have.
    """
    if size < len(PHASES):
        raise ParameterError(f"size = {size} is not allowed: a set has a position of each of {len(PHASES)} phases")
    the_game = game(board)
    if the_game.name not in PLIES or the_game.cells != 36:
        raise ParameterError(f"position sets are made of the 6×6 games {', '.join(BOARDS)}, not of {the_game.title}")
    solver, seen = Solver(the_game, table_bits=20), set()
    rows: list[dict[str, Any]] = []
    wanted = {phase: size // 3 + (i < size % 3) for i, phase in enumerate(PHASES)}
    for number in count():
        left = [phase for phase in PHASES if wanted[phase]]
        if not left or len(rows) == most:
            break
        phase = left[number // 2 % len(left)]
        position = _play(the_game, which, PHASES.index(phase), seed, number, solver)
        row = None if position.is_over else _row(position, solver)
        if row is None or (image := image_of(position)) in seen:
            continue
        seen.add(image)
        wanted[phase] -= 1
        rows.append({"game": the_game.id, "set": which, "phase": phase, "ply": len(position.history), **row})
        if progress:
            progress(1)
    table = pd.DataFrame(rows)
    order = table["phase"].map(PHASES.index)
    return table.iloc[np.lexsort((np.arange(len(table)), order))].reset_index(drop=True)


def image_of(position: Position) -> tuple[int, int]:
    """The same for all images of a position under the symmetries of its board."""
    return min((s.stones(position.own), s.stones(position.opp)) for s in position.game.symmetries)


def _row(position: Position, solver: Solver) -> dict[str, Any] | None:
    """What is stored of a position; None if it is not to be had cheaply, or the choice of move does not matter."""
    board = position.game
    if board.name == "othello" and _empty(position) > MOST_EMPTY:
        return None
    solver.allow(NODES)
    found = solver.moves(position, exact=False)
    values = [v for v, _ in found.values()]
    if None in values or len(set(values)) < 2:
        return None
    if board.name == "othello":
        solver.allow(20 * NODES)
        found = solver.moves(position)
        if any(d is None for _, d in found.values()):
            return None
    drawn = ["".join(".XO"[int(v)] for v in line) for line in position.board]
    row = {
        "position": "/".join(drawn),
        "to_move": STONES[position.to_move],
        "moves": position.move_list,
        "value": max(v for v in values if v is not None),
        "values": " ".join(f"{board.action_name(a)}={v:+d}".replace("+0", "0") for a, (v, _) in found.items()),
    }
    if board.name == "othello":
        row["discs"] = " ".join(f"{board.action_name(a)}={d:+d}".replace("=+0", "=0") for a, (_, d) in found.items())
    return row


def text_of(table: pd.DataFrame) -> bytes:
    """A set as it is stored."""
    return table.to_csv(index=False, lineterminator="\n").encode()


def rebuild(folder: Path, board: str, which: str, seed: int = 0, size: int = SIZE,
            progress: Callable[[int], object] | None = None) -> str:  # fmt: skip
    """Make a set, write it to a folder, and return the digest of the file (a few minutes a set)."""
    content = text_of(make(board, which, seed, size, progress))
    write_atomically(Path(folder) / file_name(game(board), which), content)
    return hashlib.sha256(content).hexdigest()


def rebuilt_as_published(board: str, which: str, seed: int, size: int) -> str:
    """Make the first positions of a set anew, and say whether they are the published ones."""
    the_game = game(board)
    again = make(board, which, seed, SIZE, most=size)
    published = pd.read_csv(
        published_root() / "positions" / file_name(the_game, which), dtype=str, keep_default_na=False
    )
    known = set(map(tuple, published.to_numpy()))
    same = sum(tuple(map(str, row)) in known for row in again.itertuples(index=False))
    whole = ", the whole file byte for byte" if text_of(again) == text_of(published) else ""
    return f"{the_game.title}, {which}: {same} of {len(again)} positions made anew are the published ones{whole}."


def digests(folder: Path | None = None) -> pd.DataFrame:
    """The files of the sets: name, positions, digest."""
    rows = []
    for path in sorted((folder or published_root() / "positions").glob("*.csv")):
        content = path.read_bytes()
        rows.append(
            {"file": path.name, "positions": content.count(b"\n") - 1, "sha256": hashlib.sha256(content).hexdigest()}
        )
    return pd.DataFrame(rows)
