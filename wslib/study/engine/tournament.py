"""Round robins of stored networks and players without one: who meets whom, and what the games say together.

The unit is a pair's block of games: adding a player computes its own games only. Every opening is played with both
colours, and each pair has openings of its own, so that no single opening weighs on a whole tournament.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from wslib._compiled import stream
from wslib.games import game
from wslib.parameters import NETWORK_RESULTS_VERSION, RESULTS_VERSION, Parameters, digest
from wslib.play import Games, NetworkPlayer, PlayerSettings, match, sit
from wslib.play.matches import Table, random_opening
from wslib.play.players import Seat
from wslib.search import GuidedSettings
from wslib.search.guided import Evaluator
from wslib.study.engine.networks import published_network
from wslib.study.engine.units import Computed, GamesUnit, Unit
from wslib.training.settings import RunSettings


class NetworkEntrant(Parameters):
    """The network of a run after some iteration, with the search that it plays by; its weights are the published ones.

    >>> NetworkEntrant(run=RunSettings(game="othello", method="wro"), iteration=100).search.simulations
    100
    """

    method: Literal["network"] = "network"
    run: RunSettings
    iteration: int = Field(100, ge=1, description="which network")
    search: GuidedSettings = Field(default_factory=GuidedSettings)

    def canonical(self) -> dict[str, Any]:
        """The run by its id: its settings stand in the run's own unit."""
        search = self.search.canonical()
        return {"method": self.method, "run": self.run.id, "iteration": self.iteration, "search": search}


Entrant = NetworkEntrant | PlayerSettings
GROUP = 12
"""A block has the pairs of so many entrants with as many others: at most 144, whose trees fit into memory."""


class PairUnit(GamesUnit):
    """Two entrants and their block of games. Make it with :func:`pair`, which puts them into a fixed order."""

    kind: ClassVar[str] = "pair"

    a: Entrant = Field(discriminator="method")
    b: Entrant = Field(discriminator="method")
    games: int = Field(20, ge=2, multiple_of=2, description="number of games, half with each colour")
    opening_plies: int = Field(4, ge=0, description="random plies before the entrants take over")

    @model_validator(mode="after")
    def _of_one_game(self) -> Self:
        for entrant in (self.a, self.b):
            if isinstance(entrant, NetworkEntrant) and entrant.run.game != self.game:
                raise ValueError(f"a network of {entrant.run.game} cannot play {self.game}: entrants are of one game")
        return self

    @property
    def results_version(self) -> int:
        """That of networks where one plays."""
        return NETWORK_RESULTS_VERSION if self.plays_with() else RESULTS_VERSION

    def plays_with(self) -> list[tuple[RunSettings, int]]:
        return [(x.run, x.iteration) for x in (self.a, self.b) if isinstance(x, NetworkEntrant)]

    @property
    def seed_of_games(self) -> int:
        """Each pair has its own openings and streams; both follow from who meets whom."""
        return int(stream(self.seed, self.a.id, self.b.id)) >> 1

    def compute_in(self, root: Path) -> Computed:
        board = game(self.game)
        a, b = (_seated(entrant, root) for entrant in (self.a, self.b))
        played = match(board, a, b, self.games, self.seed_of_games, self.opening_plies)
        return Computed(played.summary(), {"games": record(played, self.opening_plies)}, {})


@dataclass(frozen=True)
class PairBlock:
    """Pairs that are played at one table: every network sees the positions of all its games in one batch.

    That is what a GPU needs. With our kernels the games are those of the pairs by themselves; by torch last bits, and
    now and then a move, depend on the block.
    """

    members: tuple[PairUnit, ...]
    kind: ClassVar[str] = "pairs"
    stage: ClassVar[int] = PairUnit.stage

    @cached_property
    def id(self) -> str:
        """Digest of the pairs' ids."""
        return digest({"pairs": [unit.id for unit in self.members]})

    def plays_with(self) -> list[tuple[RunSettings, int]]:
        """The networks that it plays with."""
        return [network for unit in self.members for network in unit.plays_with()]

    def parts(self, root: Path) -> list[tuple[PairUnit, Computed]]:
        """The result of each pair."""
        played = together(self.members, lambda entrant: _seated(entrant, root))
        return [
            (unit, Computed(games.summary(), {"games": record(games, unit.opening_plies)}, {}))
            for unit, games in zip(self.members, played, strict=True)
        ]


class _Chair:
    """An entrant's seat at those games of a large table in which it plays."""

    def __init__(self, seat: Seat, games: np.ndarray, of_all: int):
        self.seat, self.own_number = seat, np.full(of_all, -1)
        self.own_number[games] = np.arange(len(games))

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        return self.seat.choose(self.own_number[games], own, opp)


def together(units: Sequence[PairUnit], seated: Callable[[Any], Any]) -> list[Games]:
    """The games of these pairs, which are of one game, at one table."""
    board = game(units[0].game)
    openings, ends, chairs = [], [0], dict[str, tuple[Any, list[tuple[int, int, int]]]]()
    names: list[list[str]] = []
    for unit in units:
        seed = unit.seed_of_games
        for i in range(unit.games):
            openings.append(random_opening(board, unit.opening_plies, seed, i // 2))
            a_begins = i % 2 == 0
            for entrant, role, colour in ((unit.a, "a", 1 - a_begins), (unit.b, "b", int(a_begins))):
                chairs.setdefault(entrant.id, (entrant, []))[1].append(
                    (len(openings) - 1, int(colour), int(stream(seed, "match", i, role)))
                )
            names.append([unit.a.id, unit.b.id] if a_begins else [unit.b.id, unit.a.id])
        ends.append(len(openings))
    numbers = {name: number for number, name in enumerate(chairs)}
    seats = []
    for entrant, played in chairs.values():
        games, colours, streams = zip(*played, strict=True)
        seat = sit(seated(entrant), board, np.array(streams, np.uint64), np.array(colours))
        seats.append(_Chair(seat, np.array(games), len(openings)))
    table = Table(board, openings)
    table.play(seats, np.array([[numbers[one] for one in both] for both in names]))
    result, moves = table.first_player_result, table.move_lists()
    found = []
    for unit, start, stop in zip(units, ends, ends[1:], strict=False):
        number = np.arange(unit.games)
        first = (number + 1) % 2
        signs = np.where(first == 1, 1, -1)
        found.append(Games(board, number, first, result[start:stop] * signs, moves[start:stop]))
    return found


def joined(units: Sequence[Unit]) -> list[Any]:
    """The same units, pairs that torch plays in blocks in which a network meets many others."""
    found: list[Any] = []
    blocks: dict[tuple[Any, ...], list[PairUnit]] = {}
    numbers: dict[str, int] = {}
    for unit in units:
        if not (isinstance(unit, PairUnit) and any(run.runtime == "torch" for run, _ in unit.plays_with())):
            found.append(unit)
            continue
        groups = sorted(numbers.setdefault(one.id, len(numbers)) // GROUP for one in (unit.a, unit.b))
        blocks.setdefault((unit.game, *groups), []).append(unit)
    return found + [PairBlock(tuple(pairs)) for pairs in blocks.values()]


def _seated(entrant: Any, root: Path) -> Any:
    if not isinstance(entrant, NetworkEntrant):
        return entrant
    return NetworkPlayer(_network(entrant.run, entrant.iteration, root), entrant.search)


@lru_cache(maxsize=512)
def _network(run: RunSettings, iteration: int, root: Path) -> Evaluator:
    return published_network(run, iteration, root)


def record(played: Games, opening_plies: int) -> pd.DataFrame:
    """A compact row per game: its opening in full, the rest of it as a digest of its moves."""
    split = [played.game.split(moves) for moves in played.moves]
    return pd.DataFrame(
        {
            "opening": [" ".join(moves[:opening_plies]) for moves in split],
            "a_first": played.first,
            "result_a": played.result,
            "plies": [len(moves) for moves in split],
            "moves_hash": [hashlib.sha256(moves.encode()).hexdigest()[:12] for moves in played.moves],
        }
    )


def pair(board: str, x: Any, y: Any, **options: Any) -> PairUnit:
    """The unit of two entrants, the same whichever is named first."""
    a, b = sorted((x, y), key=lambda entrant: entrant.id)
    return PairUnit(game=board, a=a, b=b, **options)


def round_robin(board: str, entrants: Mapping[str, Any], **options: Any) -> list[tuple[PairUnit, dict[str, str]]]:
    """Every pair of these named entrants, with the names of its ``a`` and ``b``."""
    return meetings(board, combinations(entrants.items(), 2), **options)


def meetings(board: str, pairs: Iterable[tuple[tuple[str, Any], tuple[str, Any]]],
             **options: Any) -> list[tuple[PairUnit, dict[str, str]]]:  # fmt: skip
    """The units of these pairs of (name, entrant), with the names of each unit's ``a`` and ``b``."""
    units = []
    for (name_x, x), (name_y, y) in pairs:
        unit = pair(board, x, y, **options)
        a, b = (name_x, name_y) if unit.a == x else (name_y, name_x)
        units.append((unit, {"a": a, "b": b}))
    return units
