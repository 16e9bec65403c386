"""Units and experiment of perfect play: players, and networks of training runs, held against the truth.

A unit is one player on one set of positions (see :mod:`wslib.perfect.positions` and :mod:`wslib.perfect.measures`). Its
id names the positions by the digest of their file: other positions are another unit.

Sign convention: values are seen by the player to move.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import pandas as pd
from pydantic import Field, field_validator, model_validator

from wslib.games import game
from wslib.games.position import GameName
from wslib.perfect.measures import by_phase, decisions, judge, measure, search_decisions, summary
from wslib.perfect.positions import BOARDS, SETS, SIZE, Positions, files, load
from wslib.perfect.solver import Solution, solve
from wslib.play import NetworkPlayer, PlayerSettings, player
from wslib.search import GuidedSettings, SearchSettings
from wslib.study.engine.networks import published_network
from wslib.study.engine.units import Computed, Unit, results, table
from wslib.study.pages.base import Asked, Chapter, Experiment
from wslib.training.settings import RunSettings

READINGS = ("visits", "q", "q_rave")


@lru_cache(maxsize=16)
def _digest(board: str, which: str) -> str:
    """Digest of a set's file."""
    (path,) = files(board, (which,))
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


class _OnPositions(Unit):
    """A unit that measures on a set of positions."""

    game: GameName = Field(description="the game, as in 'othello-6x6'")
    which: Literal["broad", "path"] = Field("broad", description="the set of positions")
    positions: int = Field(0, ge=0, description="how many of the set; 0 is all")
    seed: int = Field(0, ge=0, description="seed of all random streams")

    def canonical(self) -> dict[str, Any]:
        """With the positions themselves, by their digest."""
        return super().canonical() | {"digest": _digest(self.game, self.which)}

    def taken(self) -> Positions:
        """The positions of this unit."""
        found = load(self.game, self.which)
        return found.sample(self.positions) if self.positions else found


class PerfectUnit(_OnPositions):
    """A player without a network, held against perfect play.

    ``readings`` are the ways in which one finished search chooses its move; each has its rows in the table.
    """

    kind: ClassVar[str] = "perfect"

    player: PlayerSettings = Field(discriminator="method")
    readings: tuple[Literal["visits", "q", "q_rave"], ...] = Field(
        ("visits",), min_length=1, description="what the final move goes by"
    )

    @model_validator(mode="after")
    def _readings_are_there(self) -> Self:
        if not isinstance(self.player, SearchSettings):
            allowed: tuple[str, ...] = ("visits",)
        else:
            allowed = READINGS if self.player.rave else READINGS[:2]
        for reading in self.readings:
            if reading not in allowed:
                raise ValueError(f"{self.player.method!r} has no reading {reading!r}: it has {', '.join(allowed)}")
        return self

    def compute_in(self, root: Path) -> Computed:
        taken = self.taken()
        if not isinstance(self.player, SearchSettings):
            frames = {"visits": measure(self.player, taken, self.seed)}
        else:
            moves, values = search_decisions(self.player, taken, self.seed, self.readings)
            frames = {reading: judge(taken, moves[reading], values) for reading in self.readings}
        phases = pd.concat([by_phase(f).assign(reading=r) for r, f in frames.items()], ignore_index=True)
        return Computed(summary(frames[self.readings[0]]), {"phases": phases})


class RunPerfectUnit(_OnPositions):
    """The network of a training run after an iteration: raw, or with a search that it guides."""

    kind: ClassVar[str] = "run perfect"
    learns: ClassVar[bool] = True

    run: RunSettings
    iteration: int = Field(100, ge=1, description="which network")
    search: GuidedSettings | None = Field(
        None, description="the guided search; the raw network's best move without one"
    )
    game: str = Field("", description="the run's game, always")

    @classmethod
    def completed(cls, values: dict[str, Any]) -> dict[str, Any]:
        """The game is the run's."""
        run = values.get("run")
        name = run.get("game", "") if isinstance(run, Mapping) else getattr(run, "game", "")
        if values.get("game") and game(values["game"]).id != game(name).id:
            raise ValueError(f"game = {values['game']!r} is not allowed: it should be the run's, {name!r}")
        return values | {"game": name}

    def canonical(self) -> dict[str, Any]:
        """The run by its id: its settings stand in the run's own unit."""
        own = {name: getattr(self, name) for name in ("game", "which", "positions", "seed", "iteration")}
        search = self.search.canonical() if self.search else None
        return own | {"run": self.run.id, "search": search, "digest": _digest(self.game, self.which)}

    def plays_with(self) -> list[tuple[RunSettings, int]]:
        return [(self.run, self.iteration)]

    def compute_in(self, root: Path) -> Computed:
        network, taken = published_network(self.run, self.iteration, root), self.taken()
        who = network if self.search is None else NetworkPlayer(network, self.search)
        frame = judge(taken, *decisions(who, taken, self.seed))
        return Computed(summary(frame), {"phases": by_phase(frame).assign(reading="visits")})


class OpeningUnit(Unit):
    """The truth about a position after a few moves, and about every move in it."""

    kind: ClassVar[str] = "opening"

    game: GameName = Field(description="the game, as in 'connect4-6x6-k4'")
    moves: str = Field("", description="the moves that lead to the position")
    nodes: int = Field(2_000_000_000, ge=1, description="budget; what it does not suffice for stays open")

    def compute_in(self, root: Path) -> Computed:
        board = game(self.game)
        found = solve(board.position(self.moves), nodes=self.nodes, table_bits=23)
        values = [{"move": move, "value": -9 if v is None else v} for move, v in found.values.items()]
        facts = {"value": found.value, "discs": found.discs, "nodes": found.nodes, "complete": found.complete}
        return Computed(facts, {"opening": pd.DataFrame(values)})


def opening_boards(units: Sequence[Unit], experiment: str) -> list[Solution]:
    """The solutions that opening units have stored."""
    facts, solutions = results(units, experiment), []
    for unit, row in zip(units, facts.itertuples(), strict=True):
        assert isinstance(unit, OpeningUnit)
        moves = table(unit, "opening", experiment)
        values = {str(r.move): None if r.value == -9 else int(r.value) for r in moves.itertuples()}
        value = None if pd.isna(row.value) else int(row.value)
        position = game(unit.game).position(unit.moves)
        solutions.append(Solution(position, value, None, values, {}, int(row.nodes)))
    return solutions


def openings_prose(solutions: Sequence[Solution]) -> str:
    """Who wins, and with which first moves."""
    parts = []
    for solution in solutions:
        board, line = solution.position.game, solution.position.move_list
        begin = board.title + (f" after the move {line}" if line else "")
        result = {1: "is won by the player to move", 0: "is a draw", -1: "is lost for the player to move"}
        known = "is not solved" if solution.value is None else result[solution.value]
        best, all_moves = solution.best, len(solution.values)
        which = f" ({', '.join(best)})" if len(best) < 4 else ""
        keeps = f"; {len(best)} of {all_moves} moves{which} keep that value" if len(best) < all_moves else ""
        parts.append(f"{begin} {known}{keeps if solution.solved else ''}.")
    return " ".join(parts)


class PerfectPlay(Experiment):
    """Every player without a network at several budgets, in positions whose truth is known."""

    name: ClassVar[str] = "perfect_play"
    tables: ClassVar[tuple[str, ...]] = ("phases", "opening")

    OPENINGS: ClassVar[tuple[tuple[str, str], ...]] = (("gobang", ""), ("connect4", ""), ("connect4", "1"))
    FEW_OPENINGS: ClassVar[tuple[tuple[str, str], ...]] = (("gobang-4x4", ""), ("connect4-4x4", ""))
    SMALL: ClassVar[Mapping[str, Any]] = {"simulations": (10, 40), "positions": 12}

    simulations: tuple[Annotated[int, Field(ge=2)], ...] = Field(
        (100, 400, 1600, 6400), min_length=1, description="simulations a move"
    )
    boards: tuple[str, ...] = Field(BOARDS, min_length=1, description="games measured")
    positions: int = Field(0, ge=0, description="positions of each set; 0 is all")
    seed: int = Field(0, ge=0, description="seed of all random streams")

    @field_validator("boards")
    @classmethod
    def _known_boards(cls, boards: tuple[str, ...]) -> tuple[str, ...]:
        for board in boards:
            if board not in BOARDS:
                raise ValueError(f"there are no positions of {board!r}: boards are {', '.join(BOARDS)}")
        return boards

    def players(self, m: int) -> dict[str, tuple[Any, tuple[str, ...]]]:
        """The players at a budget, by name, with the readings of their final move."""
        return {
            "MCTS": (player("mcts", simulations=m), READINGS[:2]),
            "RAVE": (player("rave", simulations=m), READINGS),
            "RAVE, path only": (player("rave", simulations=m, amaf="path"), READINGS),
            "RHEA": (player("rhea", rollouts=m), READINGS[:1]),
        }

    def asked(self) -> Asked:
        """Every player at every budget on both sets of every game, the random player once; and the openings."""
        asked: Asked = []
        for board in self.boards:
            for which in SETS:
                common = {"game": board, "which": which, "positions": self.positions, "seed": self.seed}
                labels = {"part": "players", "board": board, "set": which}
                chance = PerfectUnit(player=player("random"), **common)
                asked.append((chance, {**labels, "player": "Random", "simulations": 0}))
                for m in self.simulations:
                    for name, (settings, readings) in self.players(m).items():
                        unit = PerfectUnit(player=settings, readings=readings, **common)
                        asked.append((unit, {**labels, "player": name, "simulations": m}))
        for board, moves in self.FEW_OPENINGS if self.preset == "smoke" else self.OPENINGS:
            asked.append((OpeningUnit(game=board, moves=moves), {"part": "openings", "board": board, "player": moves}))
        return asked


class Rebuilt(Chapter):
    """The page on the positions: a few of them are made anew."""

    SMALL: ClassVar[Mapping[str, Any]] = {"rebuilt": 2}

    rebuilt: int = Field(12, ge=1, le=SIZE, description="positions of each set that are made anew")
    board: Literal["gobang", "connect4", "othello"] = Field("connect4", description="the game whose sets are made anew")
    seed: int = Field(0, ge=0, description="seed of the sets")
