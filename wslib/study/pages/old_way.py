"""How the published tournaments were played: from the empty board, by best moves, trees kept over all games of a match.

The author's tournament players stay at the table: whoever has searched a position goes on from there in every later
game of the match. Two habits make that way, and each can be kept without the other; with neither of them a pairing is
played as everywhere else in this book (:mod:`wslib.study.engine.tournament`). Results count from the side of player A.
"""

from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from wslib._compiled import stream
from wslib.games import Game, game
from wslib.parameters import digest
from wslib.play import Games, NetworkPlayer, match, sit
from wslib.play.match import Table, random_opening
from wslib.study.engine.networks import published_network
from wslib.study.engine.tournament import NetworkEntrant, PairUnit, pair, record
from wslib.study.engine.units import Computed
from wslib.study.pages.warm import ANCHORS, Asked, Cells, Runs
from wslib.training.settings import RunSettings

WAYS = ("ours", "trees kept", "empty board", "old")
"""Neither habit, one of them, both."""
OPENING_PLIES = 4
SEEDS = 3


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
    """The final networks of :class:`wslib.study.pages.warm.Warmstart`'s runs, in a tournament in each of the four ways.

    The networks must be there: nothing is trained, but by the preset smoke.
    """

    name: ClassVar[str] = "published_tournaments"
    grows: ClassVar[float] = 1.0
    pool: ClassVar[str] = "final"
    tables: ClassVar[tuple[str, ...]] = ("games",)

    preset: Literal["smoke", "laptop", "table"] = Field("table", description="scale of the runs")  # type: ignore[assignment]
    boards: tuple[str, ...] = Field(("connect4", "othello"), min_length=1, description="games learned")
    methods: tuple[str, ...] = Field(
        ("baseline", "rollout", "wrora"), min_length=1, description="whose runs' networks play"
    )
    runs: int = Field(SEEDS, ge=1, le=1000, description="runs of each kind (seeds 0, 1, ...)")
    games: int = Field(20, ge=2, multiple_of=2, description="games a pair, half with each colour")

    @classmethod
    def smoke(cls) -> dict[str, Any]:
        return {"boards": ("connect4",), "methods": ("baseline", "wrora")}

    def cells(self) -> Cells:
        for board, method, seed in product(self.boards, self.methods, self.seeds):
            yield {"board": board, "kind": method, "method": method, "seed": seed}, self.run(board, method, seed)

    def run(self, board: str, method: str, seed: int, **changes: Any) -> RunSettings:
        """The run of Warmstart: a fixed warm start of five iterations."""
        warm = {} if method == "baseline" else {"warm_iterations": 5}
        return super().run(board, method, seed, **warm, **changes)

    def pools(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Per game the networks in the order of their methods, and last, as in the author's lists, a random player."""
        for board in self.boards:
            yield board, self.pool, {**self.final_networks(board), "random": ANCHORS["random"]}

    def pool_units(self) -> Asked:
        asked: Asked = []
        for (board, name, entrants), way in product(self.pools(), WAYS):
            for (one, x), (two, y) in combinations(entrants.items(), 2):
                unit = way_unit(way, board, x, y, self.games)
                a, b = (one, two) if unit.a == x else (two, one)
                asked.append((unit, {"part": "pool", "board": board, "pool": name, "way": way, "a": a, "b": b}))
        return asked

    def asked(self) -> Asked:
        return (self.run_units() if self.preset == "smoke" else []) + self.pool_units()
