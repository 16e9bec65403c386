"""The rules once more, written to be read: boards as tuples of cells, no bit tricks, and nothing taken from wslib.

A state is a `State`: cells row by row from the top (`X`, `O` or `.`), and whose move it is. The tests hold the
compiled rules against this. Results are -1, 0 or 1 for the player to move, as everywhere in the project.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
PASS = "pass"


def other(player: str) -> str:
    return "O" if player == "X" else "X"


@dataclass(frozen=True)
class State:
    """A position of Othello, Connect Four or Gobang."""

    game: str
    rows: int
    cols: int
    k: int
    cells: tuple[str, ...]
    mover: str

    def at(self, row: int, col: int) -> str | None:
        """What is on a cell; None beyond the edge."""
        if 0 <= row < self.rows and 0 <= col < self.cols:
            return self.cells[row * self.cols + col]
        return None

    def with_stones(self, cells: list[tuple[int, int]]) -> "State":
        """The mover's stones on these cells, and the other player's turn."""
        board = list(self.cells)
        for row, col in cells:
            board[row * self.cols + col] = self.mover
        return State(self.game, self.rows, self.cols, self.k, tuple(board), other(self.mover))

    def places(self) -> Iterator[tuple[int, int]]:
        return ((row, col) for row in range(self.rows) for col in range(self.cols))


def start(game: str, rows: int, cols: int, k: int = 0) -> State:
    cells = ["."] * (rows * cols)
    if game == "othello":
        below, right = rows // 2, cols // 2
        for row, col, stone in [(-1, -1, "O"), (-1, 0, "X"), (0, -1, "X"), (0, 0, "O")]:
            cells[(below + row) * cols + right + col] = stone
    return State(game, rows, cols, k, tuple(cells), "X")


def flipped(state: State, row: int, col: int, player: str) -> list[tuple[int, int]]:
    """The discs that turn over when `player` puts one on this empty cell."""
    found = []
    for down, right in DIRECTIONS:
        run = []
        r, c = row + down, col + right
        while state.at(r, c) == other(player):
            run.append((r, c))
            r, c = r + down, c + right
        if state.at(r, c) == player:
            found += run
    return found


def placements(state: State, player: str) -> list[tuple[int, int]]:
    """Where `player` may put a stone, were it their move and the game not over."""
    empty = [place for place in state.places() if state.at(*place) == "."]
    if state.game == "othello":
        return [place for place in empty if flipped(state, *place, player)]
    if state.game == "connect4":
        return [(row, col) for row, col in empty if row == state.rows - 1 or state.at(row + 1, col) != "."]
    return empty


def has_line(state: State, player: str) -> bool:
    for row, col in state.places():
        for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]:
            if all(state.at(row + i * down, col + i * right) == player for i in range(state.k)):
                return True
    return False


def result(state: State) -> int | None:
    """-1, 0 or 1 for the player to move, None while the game runs."""
    us, them = state.mover, other(state.mover)
    if state.game == "othello":
        if placements(state, us) or placements(state, them):
            return None
        ours, theirs = state.cells.count(us), state.cells.count(them)
        return (ours > theirs) - (ours < theirs)
    if has_line(state, us):
        return 1
    if has_line(state, them):
        return -1
    return None if "." in state.cells else 0


def moves(state: State) -> list[str]:
    """The names of the legal moves."""
    if result(state) is not None:
        return []
    places = placements(state, state.mover)
    if not places:
        return [PASS]
    if state.game == "connect4":
        return [str(col + 1) for _, col in places]
    return ["abcdefgh"[col] + str(row + 1) for row, col in places]


def play(state: State, move: str) -> State:
    if move == PASS:
        return state.with_stones([])
    if state.game == "connect4":
        col = int(move) - 1
        return state.with_stones([next(place for place in placements(state, state.mover) if place[1] == col)])
    row, col = int(move[1]) - 1, "abcdefgh".index(move[0])
    flips = flipped(state, row, col, state.mover) if state.game == "othello" else []
    return state.with_stones([(row, col), *flips])


def perft(state: State, depth: int) -> int:
    """The number of lines of play of exactly this length."""
    return sum(perft(play(state, move), depth - 1) for move in moves(state)) if depth else 1


def playout(state: State, random: Random) -> tuple[int, int]:
    """Random moves to the end: the result for the player to move at the beginning, and the number of plies."""
    at, plies = state, 0
    while (outcome := result(at)) is None:
        at, plies = play(at, random.choice(moves(at))), plies + 1
    return (outcome if at.mover == state.mover else -outcome), plies


Outcome = tuple[int, int, frozenset[str], frozenset[str]]


def playout_chances(state: State) -> dict[Outcome, float]:
    """All that a random playout can lead to, with its probability: result, plies, moves of the mover and of the other.

    Passes are plies, but no moves of anybody.
    """
    outcome = result(state)
    if outcome is not None:
        return {(outcome, 0, frozenset(), frozenset()): 1.0}
    chances: dict[Outcome, float] = {}
    legal = moves(state)
    for move in legal:
        for (value, plies, theirs, ours), chance in playout_chances(play(state, move)).items():
            reached = (-value, plies + 1, ours | ({move} - {PASS}), theirs)
            chances[reached] = chances.get(reached, 0.0) + chance / len(legal)
    return chances
