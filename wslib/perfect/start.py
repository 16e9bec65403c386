"""The long computation: a game solved from its start, with a bar, and resumed where it was stopped.

The first plies are searched here, by alpha-beta with the windows of one yes-or-no question after another (is the value
at least v?); what lies below is left to the solver. Each bound that it proves is stored below a folder at once, so
stopping costs no more than the position in work.

Sign convention: values and bounds are seen by the player to move in their position; from the start, that is the first.
"""

import json
from pathlib import Path

from tqdm import tqdm

from wslib._bar import nobody_looks
from wslib.files import write_atomically
from wslib.games import Game, Position, game
from wslib.parameters import ParameterError
from wslib.perfect.positions import image_of
from wslib.perfect.solver import Solver
from wslib.perfect.solver.table import LEAST, MOST

Bounds = tuple[int, int]


class _Proof:
    """What is known of the positions of a game, in memory and in a folder."""

    def __init__(self, the_game: Game, folder: Path, plies: int, table_bits: int):
        self.folder, self.plies, self.solver = folder / the_game.id, plies, Solver(the_game, table_bits)
        self.unit = 1 if the_game.name == "othello" else 0
        self.known: dict[tuple[int, int], Bounds] = {}

    def at_least(self, position: Position, value: int, bar: tqdm, share: float) -> bool:
        """Whether the position is worth so much to the player to move; moves the bar by ``share`` of the question."""
        low, high = self._bounds(position)
        if position.is_over or low >= value or high < value:
            bar.update(share)
            return low >= value
        if len(position.history) >= self.plies:
            answer = self._solved(position, value)
            bar.update(share)
        else:
            answer, done, part = False, 0.0, share / len(position.legal)
            # Few replies first: they are quickly gone through.
            for after in sorted(map(position.act, position.legal), key=lambda after: len(after.legal)):
                done += part
                if not self.at_least(after, 1 - value, bar, part):
                    answer = True
                    break
            bar.update(share - done)
        low, high = (value, high) if answer else (low, value - 1)
        self.known[image_of(position)] = low, high
        return answer

    def _bounds(self, position: Position) -> Bounds:
        """Between what the value lies: by the rules, from memory, from the folder, or as wide as can be."""
        if position.is_over:
            exact = position.own.bit_count() - position.opp.bit_count() if self.unit else position.result
            assert exact is not None
            return exact, exact
        if image_of(position) not in self.known:
            path, bounds = self._path(position), (int(LEAST), int(MOST)) if self.unit else (-1, 1)
            if len(position.history) >= self.plies and path.is_file():
                stored = json.loads(path.read_bytes())
                bounds = int(stored["low"]), int(stored["high"])
            self.known[image_of(position)] = bounds
        return self.known[image_of(position)]

    def _solved(self, position: Position, value: int) -> bool:
        """The solver's answer, stored as soon as it is there."""
        self.solver.allow(1 << 62)
        if self.unit:
            found = self.solver.window(position, value - 1, value)
        else:
            found = self.solver.value(position)
        assert found is not None
        low, high = self._bounds(position)
        if not self.unit:
            low = high = found
        elif found >= value:
            low = found
        else:
            high = found
        self.known[image_of(position)] = low, high
        text = json.dumps({"position": str(position), "low": low, "high": high})
        write_atomically(self._path(position), (text + "\n").encode())
        return found >= value

    def _path(self, position: Position) -> Path:
        own, opp = image_of(position)
        return self.folder / f"{own:016x}-{opp:016x}.json"


def solve_start(name: str, folder: Path | str, *, plies: int = 10, table_bits: int = 24, guess: int = 0,
                progress: bool = True) -> int:  # fmt: skip
    """The value of a game's start for the first player; Othello's is the final difference of discs.

    What lies ``plies`` deep is solved position by position and kept in ``folder``, so that the same call goes on where
    it was stopped. Othello 6×6 takes days; its published value is -4 (a win of the second player).

    >>> import tempfile
    >>> solve_start("othello-4x4", tempfile.mkdtemp(), plies=4, table_bits=12, progress=False)
    -8
    """
    the_game = game(name)
    if not 1 <= plies < the_game.cells:
        raise ParameterError(
            f"plies = {plies} is not allowed: {the_game.title} is split after 1 to {the_game.cells - 1}"
        )
    proof, start = _Proof(the_game, Path(folder), plies, table_bits), the_game.start()
    while True:
        low, high = proof._bounds(start)
        if low == high:
            return low
        value = min(max(guess, low + 1), high)
        with tqdm(total=1.0, desc=f"{the_game.title}: at least {value}?", disable=not progress or nobody_looks(),
                  bar_format="{l_bar}{bar}| {elapsed}") as bar:  # fmt: skip
            answer = proof.at_least(start, value, bar, 1.0)
        # The next question is the neighbouring one: the guess is near, or the bounds close in from both sides.
        guess = value + 1 if answer else value - 1
