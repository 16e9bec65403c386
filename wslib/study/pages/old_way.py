"""How the published tournaments were played: from the empty board, by best moves, trees kept over all games of a match.

The author's tournament players stay at the table: whoever has searched a position goes on from there in every later
game of the match. Two habits make that way, and each can be kept without the other; with neither of them a pairing is
played as everywhere else in this book (:mod:`wslib.study.engine.tournament`). Results count from the side of player A.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from wslib._compiled import stream
from wslib.games import Game, game
from wslib.parameters import digest
from wslib.play import Games, NetworkPlayer, match, sit
from wslib.play.matches import Table, random_opening
from wslib.study.engine.networks import published_network
from wslib.study.engine.tournament import NetworkEntrant, PairUnit, pair, record
from wslib.study.engine.units import Computed, Unit
from wslib.study.names import Entrant
from wslib.study.pages.base import Asked
from wslib.study.pages.warm import ANCHORS, AdaptiveVsFixed, Cells, IPrime, Runs, Warmstart

WAYS = ("ours", "trees kept", "empty board", "old")
"""Neither habit, one of them, both."""
WHOLE = ("ours", "empty board", "old")
"""The ways in which whole pools are played."""
OPENING_PLIES = 4


class OldWayUnit(PairUnit):
    """Two entrants and their games in the old way, or with one of its two habits only.

    A plays the first move in the first half of the games, as in the author's arena, and B in the second half.
    """

    kind: ClassVar[str] = "oldway"

    opening_plies: int = Field(0, ge=0, description="random plies before the entrants take over; 0: the empty board")
    trees: Literal["match", "game"] = Field("match", description="each player's tree: one for all games, or a game's")

    @model_validator(mode="after")
    def _keeps_a_habit(self) -> Self:
        if self.trees == "game" and self.opening_plies:
            raise ValueError(
                f"trees 'game' with opening_plies = {self.opening_plies} keep neither habit: trees should be 'match', "
                "or opening_plies 0; wslib.study.engine.tournament.pair plays without both"
            )
        return self

    def compute_in(self, root: Path) -> Computed:
        board = game(self.game)
        seed = int(stream(self.seed, digest(self.a.canonical()), digest(self.b.canonical()))) >> 1
        a, b = seated(self.a, root), seated(self.b, root)
        together = one_table if self.trees == "match" else match
        played = together(board, a, b, self.games, seed, self.opening_plies)
        return Computed(played.summary(), {"games": record(played, self.opening_plies)}, {})


def seated(entrant: Any, root: Path) -> Any:
    """The player of an entrant; a network is read anew for every one, so that no two can share it by accident."""
    if not isinstance(entrant, NetworkEntrant):
        return entrant
    return NetworkPlayer(published_network(entrant.run, entrant.iteration, root), entrant.search)


def one_table(board: Game, a: Any, b: Any, games: int, seed: int, opening_plies: int = 0) -> Games:
    """One game after the other at a single table: both players' trees and streams go on from game to game.

    >>> from wslib.play import player
    >>> one_table(game("tictactoe"), player("mcts", tree="kept"), player("random"), games=4, seed=0).first.tolist()
    [1, 1, 0, 0]
    """
    half = games // 2
    seats = [
        sit(settings, board, np.array([stream(seed, "one table", name)]), np.zeros(1, np.int64))
        for name, settings in (("a", a), ("b", b))
    ]
    a_first = np.repeat([1, 0], half)
    moves: list[str] = []
    results = np.empty(games, int)
    for number in range(games):
        # Each opening comes twice, once with either colour, as in every match.
        table = Table(board, [random_opening(board, opening_plies, seed, number % half)])
        table.play(seats, 1 - a_first[number : number + 1])
        results[number] = table.first_player_result[0]
        moves += table.move_lists()
    return Games(board, np.arange(games), a_first, results * np.where(a_first == 1, 1, -1), tuple(moves))


def way_unit(way: str, board: str, x: Any, y: Any, games: int) -> PairUnit:
    """The unit of two entrants in one of the :data:`WAYS`; ours is the very unit of the other tournaments."""
    unit = pair(board, x, y, games=games, opening_plies=OPENING_PLIES)
    if way == "ours":
        return unit
    empty, kept = way in ("empty board", "old"), way in ("trees kept", "old")
    return OldWayUnit(
        game=unit.game, a=unit.a, b=unit.b, games=games, seed=unit.seed,
        opening_plies=0 if empty else OPENING_PLIES, trees="match" if kept else "game",
    )  # fmt: skip


class PublishedTournaments(Runs):
    """The pools of the figures, each played in our way and in two others; and a few networks in all four ways.

    The networks must be there: nothing is trained, but by the preset smoke. A pool grows with its runs: every pairing
    is a unit of its own.
    """

    name: ClassVar[str] = "published_tournaments"
    grows: ClassVar[float] = 1.0
    tables: ClassVar[tuple[str, ...]] = ("games",)
    SMALL: ClassVar[Mapping[str, Any]] = {**Runs.SMALL, "figures": ("warmstart",)}
    FIGURES: ClassVar[dict[str, type[Runs]]] = {kind.name: kind for kind in (Warmstart, IPrime, AdaptiveVsFixed)}
    FEW: ClassVar[dict[str, tuple[Any, ...]]] = {
        "board": ("connect4", "othello"), "method": ("baseline", "rollout", "wrora"), "seed": tuple(range(3))
    }  # fmt: skip
    """Whose final networks meet in all four ways: enough to see what either habit does."""

    figures: tuple[str, ...] = Field(tuple(FIGURES), min_length=1, description="whose pools are played")

    @field_validator("figures")
    @classmethod
    def _known_figures(cls, figures: tuple[str, ...]) -> tuple[str, ...]:
        for name in figures:
            if name not in cls.FIGURES:
                raise ValueError(f"{name!r} has no pool of a figure: there are {', '.join(cls.FIGURES)}")
        return figures

    @cached_property
    def sources(self) -> list[Runs]:
        """The experiments whose pools are played, with their games and methods among those that are asked for."""
        names = ("preset", "runs", "first_seed", "iterations", "games", "device", "runtime", "precision")
        common, found = {name: getattr(self, name) for name in names}, []
        for kind in (self.FIGURES[name] for name in self.figures):
            usual = kind.model_fields
            boards = tuple(board for board in self.boards if board in usual["boards"].default)
            methods = tuple(method for method in self.methods if method in usual["methods"].default)
            found += [kind(boards=boards, methods=methods, **common)] if boards and methods else []
        return found

    @cached_property
    def cells(self) -> Cells:
        once: dict[str, tuple[dict[str, Any], Any]] = {}
        for labels, run in chain.from_iterable(source.cells for source in self.sources):
            once.setdefault(run.id, (labels, run))
        return list(once.values())

    def pools(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        return chain.from_iterable(source.pools() for source in self.sources)

    def pool_units(self) -> Asked:
        """Every pairing of every pool, in each of the :data:`WHOLE` ways."""
        asked: Asked = []
        for source in self.sources:
            for (board, pool, entrants), way in product(source.pools(), WHOLE):
                labels = {"part": "pool", "figure": source.name, "board": board, "pool": pool, "way": way}
                asked += self._meetings(board, entrants, way, labels)
        return asked

    def habit_units(self) -> Asked:
        """Every pairing of a few networks and a random player, in each of the :data:`WAYS`."""
        few: dict[str, dict[str, Any]] = {}
        warm = [source for source in self.sources if isinstance(source, Warmstart)]
        for labels, run in chain.from_iterable(source.cells for source in warm):
            if all(labels[name] in values for name, values in self.FEW.items()):
                networks = few.setdefault(labels["board"], {"random": ANCHORS["random"]})
                networks[Entrant(labels["kind"], labels["seed"]).name] = self.entrant(run)
        asked: Asked = []
        for (board, entrants), way in product(few.items(), WAYS):
            asked += self._meetings(board, entrants, way, {"part": "habits", "board": board, "pool": "few", "way": way})
        return asked

    def _meetings(self, board: str, entrants: dict[str, Any], way: str, labels: dict[str, str]) -> Asked:
        asked: Asked = []
        for (one, x), (two, y) in combinations(entrants.items(), 2):
            unit = way_unit(way, board, x, y, self.games)
            a, b = (one, two) if unit.a == x else (two, one)
            asked.append((unit, {**labels, "a": a, "b": b}))
        return asked

    def published_units(self) -> list[Unit]:
        """Without our way: thousands of pairs that the figures' own experiments publish."""
        return [unit for unit in self.units() if unit.kind == OldWayUnit.kind]

    def asked(self) -> Asked:
        return (self.run_units() if self.preset == "smoke" else []) + self.habit_units() + self.pool_units()
