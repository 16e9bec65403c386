"""Matches: any two players, many games in lockstep, every opening played with both colours.

Game ``i`` of a match has its own random streams, named by the seed and ``i``: the same seed gives the same games,
whatever the number of worker processes and however the games are split among them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from wslib import draw
from wslib._compiled import kernel, stream
from wslib.games import Game, Position
from wslib.games import game as game_of
from wslib.games.rules import RUNNING, legal_actions, play, status
from wslib.parameters import ParameterError, brief, whole
from wslib.play.players import RandomSettings, Seat, player_of, sit
from wslib.workers import in_processes

BLOCK = 50
"""Games that are played side by side; no result depends on it."""
Note = Callable[[Seat, np.ndarray, np.ndarray], object]
"""What is told of moves before they are made: whose they are, in which games (n,), and the actions (n,)."""


@dataclass(frozen=True)
class Games:
    """The games of a match: arrays with an entry per game. Prints and draws itself."""

    game: Game
    number: np.ndarray
    """(games,), as are the next two: the number of a game within its match."""
    first: np.ndarray
    """1 where player A moved first, 0 where B did."""
    result: np.ndarray
    """1, 0 or -1 for player A."""
    moves: tuple[str, ...]
    """The move lists, openings included, as :meth:`wslib.games.Game.position` reads them."""

    @classmethod
    def joined(cls, parts: Sequence["Games"]) -> "Games":
        """The games of several matches of the same players, one after the other."""
        number, first, result = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("number", "first", "result")
        )
        return cls(parts[0].game, number, first, result, tuple(moves for part in parts for moves in part.moves))

    def __len__(self) -> int:
        return len(self.number)

    def __getitem__(self, i: int) -> Position:
        """The final position of the ``i``-th game, with its moves."""
        return self.game.position(self.moves[i])

    def frame(self) -> pd.DataFrame:
        """One row per game."""
        plies = [len(self.game.split(moves)) for moves in self.moves]
        return pd.DataFrame(
            {"number": self.number, "a_first": self.first, "result_a": self.result, "plies": plies, "moves": self.moves}
        )

    def summary(self) -> dict[str, int | float]:
        """Wins, draws and losses of player A by colour, lengths, and the number of distinct games."""
        counts: dict[str, int | float] = {"games": len(self)}
        for colour, mask in (("first", self.first == 1), ("second", self.first == 0)):
            for name, result in (("wins", 1), ("draws", 0), ("losses", -1)):
                counts[f"{name}_{colour}"] = int(np.sum(self.result[mask] == result))
        plies = [len(self.game.split(moves)) for moves in self.moves]
        counts |= {"plies_mean": float(np.mean(plies)), "plies_min": min(plies), "plies_max": max(plies)}
        counts["distinct"] = len(set(self.moves))
        return counts

    @property
    def win_rate(self) -> float:
        """(wins + draws / 2) / games of player A."""
        return float(np.mean((self.result + 1) / 2))

    def __repr__(self) -> str:
        s = self.summary()
        wins, draws, losses = (int(s[f"{n}_first"] + s[f"{n}_second"]) for n in ("wins", "draws", "losses"))
        return (
            f"{self.game.title}: {wins} win{'s' * (wins != 1)}, {draws} draw{'s' * (draws != 1)}, "
            f"{losses} loss{'es' * (losses != 1)} for A in {len(self)} games "
            f"({100 * self.win_rate:.1f} %), {s['distinct']} distinct, {s['plies_mean']:.1f} plies on average"
        )

    def _repr_html_(self) -> str:
        """The counts, and how the first games ended that differ."""
        moves = list(dict.fromkeys(self.moves))[:4]
        ends = draw.boards([draw.board(self.game.position(m), caption=f"game {self.moves.index(m)}") for m in moves])
        return f"<p>{self!r}</p>{ends._repr_html_()}"


def match(game: Game | str, a: Any, b: Any, games: int = 100, seed: int = 0, opening_plies: int = 0, workers: int = 1,
          progress: Callable[[int], object] | None = None) -> Games:  # fmt: skip
    """Let two players meet; each of the ``games / 2`` openings is played with both colours.

    A player is a name (``"mcts"``), settings (``player("mcts", simulations=400)``), a network, or a function from a
    position to a move. ``progress`` is called with the number of games just finished.

    >>> match("tictactoe", "mcts", "random", games=20).win_rate > 0.5
    True
    """
    game, a, b = game_of(game), player_of(a), player_of(b)
    if whole("games", games, 2) % 2:
        raise ParameterError(
            f"games = {games} is not allowed: a match has an even number, each opening with both colours"
        )
    whole("seed", seed, 0)
    whole("opening_plies", opening_plies, 0, game.cells - 1)
    whole("workers", workers, 0)
    if progress is not None and not callable(progress):
        raise ParameterError(
            f"progress = {brief(progress)} is not allowed: it should be a function, which is told how many games ended"
        )
    at_once = any(getattr(getattr(player, "network", None), "at_once", False) for player in (a, b))
    size = games if at_once else BLOCK
    blocks = [(game, a, b, seed, opening_plies, start, min(start + size, games)) for start in range(0, games, size)]
    played: list[Games | None] = [None] * len(blocks)
    for index, block in in_processes(play_block, blocks, workers):
        played[index] = block
        if progress:
            progress(len(block))
    return Games.joined([block for block in played if block is not None])


def play_block(game: Game, a: Any, b: Any, seed: int, opening_plies: int, start: int, stop: int) -> Games:
    """The games ``start`` to ``stop - 1`` of a match."""
    numbers = np.arange(start, stop)
    a_first = (numbers + 1) % 2
    seats = []
    for name, settings, colours in (("a", a, 1 - a_first), ("b", b, a_first)):
        streams = np.array([stream(seed, "match", int(i), name) for i in numbers])
        seats.append(sit(settings, game, streams, colours))
    openings = [random_opening(game, opening_plies, seed, int(i) // 2) for i in numbers]
    table = Table(game, openings)
    table.play(seats, 1 - a_first)
    result = table.first_player_result * np.where(a_first == 1, 1, -1)
    return Games(game, numbers, a_first, result, table.move_lists())


def random_opening(game: Game, plies: int, seed: int, number: int) -> Position:
    """The position after a number of random plies, none of which ends the game."""
    for attempt in range(1000):
        position = game.start()
        streams = np.array([stream(seed, "opening", number, attempt)])
        seat = sit(RandomSettings(), game, streams, np.zeros(1, np.int64))
        for _ in range(plies):
            if position.is_over:
                break
            own, opp = position.words
            position = position.act(int(seat.choose(np.zeros(1, np.int64), np.array([own]), np.array([opp]))[0]))
        if not position.is_over:
            return position
    raise ParameterError(f"opening_plies = {plies} is not allowed: random openings of {game.title} end before that")


@kernel
def _advance(rules, games, actions, own, opp, outcome, moves, plies):
    """Play one action in each of these games."""
    for index in range(len(games)):
        i = games[index]
        moves[i, plies[i]] = actions[index]
        plies[i] += 1
        own[i], opp[i] = play(rules, own[i], opp[i], actions[index])
        outcome[i] = status(rules, own[i], opp[i], legal_actions(rules, own[i], opp[i]))


class Table:
    """Games in lockstep, from given positions to their ends."""

    def __init__(self, game: Game, positions: Sequence[Position]):
        self.game = game
        self.own = np.array([p.own for p in positions], np.uint64)
        self.opp = np.array([p.opp for p in positions], np.uint64)
        self.outcome = np.array([RUNNING if p.result is None else p.result for p in positions], np.int64)
        self.plies = np.array([len(p.history) for p in positions])
        self.moves = np.zeros((len(positions), game.max_plies), np.uint8)
        for i, position in enumerate(positions):
            self.moves[i, : len(position.history)] = position.history

    def play(self, seats: Sequence[Seat], first_seat: np.ndarray, note: Note | None = None) -> None:
        """Play all games out; ``first_seat`` (games,) says which of two seats has the first player's colour in each
        game. Of more seats, (games, 2): which has it, and which has the other's. ``note`` is told of all moves.
        """
        turns = np.stack([first_seat, 1 - first_seat], axis=1) if first_seat.ndim == 1 else first_seat
        every = np.arange(len(turns))
        for seat in seats:
            if hasattr(seat, "plies"):
                seat.plies = self.plies
        while True:
            for number, seat in enumerate(seats):
                running = self.outcome == RUNNING
                games = np.flatnonzero(running & (turns[every, self.plies % 2] == number))
                if len(games):
                    actions = seat.choose(games, self.own[games], self.opp[games])
                    if note:
                        note(seat, games, actions)
                    _advance(
                        self.game.rules, games, actions, self.own, self.opp, self.outcome, self.moves, self.plies
                    )  # fmt: skip
            if not np.any(self.outcome == RUNNING):
                return

    @property
    def first_player_result(self) -> np.ndarray:
        """1, 0 or -1 for the player who moved first in the game (the outcomes are seen by the player to move)."""
        return self.outcome * np.where(self.plies % 2 == 0, 1, -1)

    def move_lists(self) -> tuple[str, ...]:
        """The games as text."""
        names = [self.game.action_name(a) for a in range(self.game.actions)]
        return tuple(" ".join(names[a] for a in row[:n]) for row, n in zip(self.moves, self.plies, strict=True))
