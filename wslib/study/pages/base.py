"""The experiments of the study: which units of work each asks for, at which scale.

An experiment's fields are the parameters of its notebook. ``units()`` lists what it needs, ``labels()`` says in the
same order what each unit stands for.
"""

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal, Self

import pandas as pd
from pydantic import Field, field_validator, model_validator

from wslib.games import game
from wslib.parameters import ParameterError, Parameters
from wslib.play import METHODS, player
from wslib.study.engine.units import MatchUnit, Unit
from wslib.study.names import BOARDS as NAMED

BOARDS = ("gobang", "connect4", "othello")
PLAYERS = ("random", "mcts", "rave", "rhea")
COMPUTE = "compute what is missing, after a sentence that says how long it takes; False: show what there is"
Asked = list[tuple[Any, dict[str, Any]]]
"""Units, each with its labels."""


class Chapter(Parameters):
    """Base of all that has a notebook: parameters as papermill passes them, and a scale of seconds."""

    SMALL: ClassVar[Mapping[str, Any]] = {}
    """What is small with the preset smoke, where no other value than the usual one is given."""

    preset: Literal["full", "smoke"] = Field("full", description="full: as in the book; smoke: seconds")

    @classmethod
    def completed(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Lists may come as text; with the preset smoke, small values stand in for the usual ones."""
        usual = {name: field.default for name, field in cls.model_fields.items()}
        values = {name: split(value) if isinstance(usual.get(name), tuple) else value for name, value in values.items()}
        small = cls.SMALL if values.get("preset", usual["preset"]) == "smoke" else {}
        return values | {n: v for n, v in small.items() if n not in values or _plain(values[n]) == _plain(usual[n])}

    @field_validator("boards", check_fields=False)
    @classmethod
    def _plain_names(cls, boards: tuple[str, ...]) -> tuple[str, ...]:
        plain = {game(board).id: board for board in NAMED}
        return tuple(plain.get(game(board).id, game(board).id) for board in boards)

    @model_validator(mode="after")
    def _once(self) -> Self:
        for name in type(self).model_fields:
            listed = getattr(self, name)
            for place, value in enumerate(listed if isinstance(listed, tuple) else ()):
                if value in listed[:place]:
                    raise ValueError(f"{name} names {value!r} twice: once is enough")
        return self


def split(value: Any) -> Any:
    """A list typed as text, ``"mcts, rave"``, or a single number."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",")) if value.strip() else ()
    return (value,) if isinstance(value, int | float) else value


def _plain(value: Any) -> Any:
    return tuple(map(str, value)) if isinstance(value, tuple | list) else str(value)


def refuse_idle(asked: Any, given: Mapping[str, Any]) -> None:
    """Refuse a setting that the preset smoke would pass over in silence, because it is the usual one."""
    for name in given if given.get("preset") == "smoke" else ():
        try:
            meant = getattr(type(asked)(**{name: given[name]}), name)
        except (ParameterError, AttributeError):  # a value that only goes with others
            continue
        if name not in ("preset", "workers") and getattr(asked, name) != meant:
            raise ParameterError(
                f"{name} = {given[name]} does not act with preset 'smoke', which has a scale of its own: one of the "
                "two should be left out"
            )


class Experiment(Chapter):
    """Base of the experiments."""

    name: ClassVar[str]
    tables: ClassVar[tuple[str, ...]] = ()
    """Tables that are published beside the summaries."""

    workers: int = Field(0, ge=0, le=1024, description="worker processes; 0 is one per core")

    @property
    def waits(self) -> bool:
        """Whether it is published as a whole; one that may ``compute`` less is too large to wait for."""
        return "compute" not in type(self).model_fields

    def asked(self) -> Asked:
        """Each unit with its labels."""
        raise TypeError(f"{type(self).__name__} does not say what it asks for")

    @cached_property
    def asked_once(self) -> Asked:
        """What :meth:`asked` says: it may name thousands of units."""
        return self.asked()

    def units(self) -> list[Unit]:
        """The units, in a fixed order."""
        return [unit for unit, _ in self.asked_once]

    def published_units(self) -> list[Unit]:
        """The units that are published in its folder; those that others publish anyway may be left to them."""
        return self.units()

    def labels(self) -> pd.DataFrame:
        """What each unit stands for, in the order of :meth:`units`."""
        if not self.asked_once:
            raise ParameterError(
                f"these parameters of {self.name} ask for nothing: more games or kinds should be named"
            )
        return pd.DataFrame([labels for _, labels in self.asked_once])


class WithNetworks(Experiment):
    """What the experiments whose runs or networks compute have in common: where, and by whom."""

    device: Literal["preset", "cpu", "cuda", "auto"] = Field(
        "preset",
        description="what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says",
    )
    runtime: Literal["preset", "compiled", "torch"] = Field(
        "preset", description="who computes: compiled (our kernels, on a processor), torch, or as the device needs"
    )
    precision: Literal["preset", "float32", "bfloat16", "float16"] = Field(
        "preset", description="in which torch multiplies matrices: float32, or with fewer bits"
    )

    @property
    def on_device(self) -> dict[str, Any]:
        """The settings of a run that say so; what the preset says is left to it."""
        asked = {"device": self.device, "runtime": self.runtime, "trainer": self.runtime, "precision": self.precision}
        return {name: value for name, value in asked.items() if value != "preset"}


class _Matches(Experiment):
    """What the experiments with network-less players have in common."""

    SMALL: ClassVar[Mapping[str, Any]] = {"games": 4, "rollouts": 10}

    games: int = Field(500, ge=2, le=1_000_000, multiple_of=2, description="games a pair, half with each colour")
    rollouts: int = Field(100, ge=2, le=1_000_000, description="rollouts (simulations) a move")
    boards: tuple[str, ...] = Field(BOARDS, min_length=1, description="games played")
    seed: int = Field(0, ge=0, description="seed of all random streams")

    def _players(self, **changes: Any) -> dict[str, Any]:
        """The settings of the four players at this number of rollouts."""
        return {name: self._player(name, **changes.get(name, {})) for name in PLAYERS}

    def _player(self, name: str, **changes: Any) -> Any:
        budget = {"random": {}, "rhea": {"rollouts": self.rollouts}}.get(name, {"simulations": self.rollouts})
        return player(name, **{**budget, **changes})

    def _match(self, board: str, a: Any, b: Any, **more: Any) -> MatchUnit:
        return MatchUnit(game=board, a=a, b=b, games=self.games, seed=self.seed, **more)


FIRST_USE = {"amaf_players": "first"}
MORE_RAVE = {"equivalence": 1000}
"""RAVE weighs more for longer: the sources say m; 1000 is known from programs that play Go."""
FIRST_TIES = {"ties": "first"}


class Orientation(_Matches):
    """Table 5.1: random, MCTS, RAVE and RHEA against each other; and RHEA with one parameter changed at a time."""

    name: ClassVar[str] = "orientation"
    tables: ClassVar[tuple[str, ...]] = ("games",)

    players: tuple[str, ...] = Field(PLAYERS, min_length=2, description="who meets whom")
    opening_plies: int = Field(0, ge=0, le=20, description="random plies before the players take over")

    @model_validator(mode="after")
    def _known_players(self) -> Self:
        for name in self.players:
            if name not in METHODS:
                raise ValueError(f"there is no player {name!r}: the players are {', '.join(METHODS)}")
        return self

    def rhea_variants(self) -> dict[str, Any]:
        """RHEA with one parameter changed: section 5.4 calls it insensitive to all but the rollouts."""
        changes: dict[str, dict[str, Any]] = {
            "half the rollouts": {"rollouts": max(self.rollouts // 2, 2)},
            "n = 1": {"rollouts_per_individual": 1},
            "horizon 5": {"horizon": 5},
            "horizon 20": {"horizon": 20},
            "population 5": {"population": 5},
            "population 20": {"population": 20},
            "mutation 0.1": {"mutation": 0.1},
            "mutation 0.4": {"mutation": 0.4},
        }
        return {name: self._player("rhea", **change) for name, change in changes.items()}

    READINGS: ClassVar[dict[str, dict[str, dict[str, Any]]]] = {
        "first use by anyone": {"rave": FIRST_USE},
        "equivalence 1000": {"rave": MORE_RAVE},
        "first use, equivalence 1000": {"rave": {**FIRST_USE, **MORE_RAVE}},
        "ties by the first index": {"rave": FIRST_TIES, "mcts": FIRST_TIES},
    }
    """Readings that move the match of RAVE against MCTS; the page on the readings has more."""

    def asked(self) -> Asked:
        """All pairs (the later of the list is player A), the variants of RHEA against RHEA and against MCTS, and RAVE
        against MCTS in other readings.
        """
        players = self._players()
        asked: Asked = []
        for board in self.boards:
            for b, a in combinations(self.players, 2):
                unit = self._match(board, players[a], players[b], opening_plies=self.opening_plies)
                asked.append((unit, {"part": "table", "board": board, "a": a, "b": b}))
            for variant, settings in self.rhea_variants().items() if "rhea" in self.players else ():
                for b in ("rhea", "mcts"):
                    unit = self._match(board, settings, players[b], opening_plies=self.opening_plies)
                    asked.append((unit, {"part": "rhea", "board": board, "a": variant, "b": b}))
            for reading, changes in self.READINGS.items() if {"rave", "mcts"} <= {*self.players} else ():
                read = self._players(**changes)
                unit = self._match(board, read["rave"], read["mcts"], opening_plies=self.opening_plies)
                labels = {"part": "reading", "reading": reading, "board": board, "a": "rave", "b": "mcts"}
                asked.append((unit, labels))
        return asked


class Readings(_Matches):
    """Which reading of the formulas comes closest to Table 5.1: options one at a time, and the likely pairs."""

    name: ClassVar[str] = "readings"

    POINTS: ClassVar[dict[str, dict[str, dict[str, Any]]]] = {
        "default": {},
        "RAVE: moves of the path only": {"rave": {"amaf": "path"}},
        "RAVE: both players' moves": {"rave": {"amaf_players": "both"}},
        "RAVE: first use by anyone": {"rave": FIRST_USE},
        "RAVE: equivalence 1000": {"rave": MORE_RAVE},
        "RAVE: β from N(s, a)": {"rave": {"beta": "action"}},
        "RAVE: final move by Q": {"rave": {"policy": "q"}},
        "RAVE: final move by Q_rave": {"rave": {"policy": "q_rave"}},
        "RAVE: tree kept": {"rave": {"tree": "kept"}},
        "RAVE: UCB1": {"rave": {"rule": "ucb1"}},
        "MCTS: final move by Q": {"mcts": {"policy": "q"}},
        "MCTS: tree kept": {"mcts": {"tree": "kept"}},
        "MCTS: UCB1": {"mcts": {"rule": "ucb1"}},
        "MCTS: UCB1, c = √2": {"mcts": {"rule": "ucb1", "c": 2**0.5}},
        "RHEA: illegal moves replaced at random": {"rhea": {"illegal": "random"}},
        "RHEA: n = 1": {"rhea": {"rollouts_per_individual": 1}},
        "both: ties by the first index": {"mcts": FIRST_TIES, "rave": FIRST_TIES},
        "both: final move by Q": {"mcts": {"policy": "q"}, "rave": {"policy": "q"}},
        "both: trees kept": {"mcts": {"tree": "kept"}, "rave": {"tree": "kept"}},
        "both: UCB1": {"mcts": {"rule": "ucb1"}, "rave": {"rule": "ucb1"}},
        "both: c = √2": {"mcts": {"c": 2**0.5}, "rave": {"c": 2**0.5}},
        "path only, by Q_rave": {"rave": {"amaf": "path", "policy": "q_rave"}},
        "first use, equivalence 1000": {"rave": {**FIRST_USE, **MORE_RAVE}},
        "both players' moves, by Q_rave": {"rave": {"amaf_players": "both", "policy": "q_rave"}},
        "by Q_rave; RHEA random": {"rave": {"policy": "q_rave"}, "rhea": {"illegal": "random"}},
        "trees kept; RHEA random": {"mcts": {"tree": "kept"}, "rave": {"tree": "kept"}, "rhea": {"illegal": "random"}},
        "UCB1; RHEA random": {"mcts": {"rule": "ucb1"}, "rave": {"rule": "ucb1"}, "rhea": {"illegal": "random"}},
        "both players' moves; RHEA random": {"rave": {"amaf_players": "both"}, "rhea": {"illegal": "random"}},
        "first use, equivalence 1000; RHEA random": {
            "rave": {**FIRST_USE, **MORE_RAVE},
            "rhea": {"illegal": "random"},
        },
    }

    def asked(self) -> Asked:
        """Every reading's table; matches that a reading does not change are the same units."""
        asked: Asked = []
        for reading, changes in self.POINTS.items():
            players = self._players(**changes)
            for board in self.boards:
                for b, a in combinations(PLAYERS, 2):
                    unit = self._match(board, players[a], players[b])
                    asked.append((unit, {"reading": reading, "board": board, "a": a, "b": b}))
        return asked


class Tour(Chapter):
    """The chapter on the games: random games that show their shape."""

    SMALL: ClassVar[Mapping[str, Any]] = {"games": 20}

    games: int = Field(400, ge=2, multiple_of=2, le=100_000, description="random games counted per game")
    seed: int = Field(0, ge=0, description="seed of the random games")


class Look(Chapter):
    """The chapter on the searches: searches to look into."""

    SMALL: ClassVar[Mapping[str, Any]] = {"simulations": 20}

    simulations: int = Field(100, ge=10, le=1_000_000, description="simulations of the searches that are shown")
    seed: int = Field(0, ge=0, description="seed of their random streams")


class Evolution(Chapter):
    """The chapter on RHEA: evolutions to look into."""

    SMALL: ClassVar[Mapping[str, Any]] = {"evolutions": 20, "games": 20}

    evolutions: int = Field(200, ge=10, le=100_000, description="evolutions that are averaged over")
    games: int = Field(100, ge=2, multiple_of=2, le=100_000, description="games a match, half with each colour")
    seed: int = Field(0, ge=0, description="seed of their random streams")
