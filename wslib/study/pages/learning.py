"""The experiments with networks: which runs and measurements each asks for (see :mod:`wslib.study.pages.base`)."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from wslib.parameters import ParameterError
from wslib.play import player
from wslib.search import GUIDED, THESIS
from wslib.study.engine.runs import RunUnit, StrengthUnit, UntrainedUnit
from wslib.study.pages.base import (
    COMPUTE,
    FIRST_TIES,
    FIRST_USE,
    MORE_RAVE,
    Asked,
    Chapter,
    Experiment,
    WithNetworks,
    split,
)
from wslib.study.presets import preset
from wslib.training.settings import RAVE_OPTIONS, RunSettings

SAMPLED = "first moves drawn"
LEARNED_BOARDS = ("connect4", "othello")


class Untrained(WithNetworks):
    """Table 6.1: the enhancements against Baseline with networks that have learned nothing."""

    name: ClassVar[str] = "untrained"
    SMALL: ClassVar[Mapping[str, Any]] = {"games": 4, "simulations": 8, "channels": 4}

    games: int = Field(100, ge=2, multiple_of=2, description="games a pair, half with each colour")
    simulations: int = Field(100, ge=2, description="m: simulations a move")
    boards: tuple[str, ...] = Field(("connect4", "othello", "gobang"), min_length=1, description="games played")
    channels: int = Field(32, ge=1, le=1024, description="C: channels of the networks")
    seed: int = Field(0, ge=0, description="seed of all random streams")

    READINGS: ClassVar[dict[str, dict[str, Any]]] = {
        "ties by the first index": FIRST_TIES,
        "first use by anyone": FIRST_USE,
        "equivalence 1000": MORE_RAVE,
        "first use, equivalence 1000": {**FIRST_USE, **MORE_RAVE},
        SAMPLED: {"sampled_plies": RunSettings.model_fields["sampled_plies"].default},
    }
    """Other readings of Table 6.1's matches, and these with the first moves drawn from the policy, as in self-play."""

    def asked(self) -> Asked:
        """All pairs with a network per game; Table 6.1 by Q_rave, in other readings, and with one network."""
        scale = {"games": self.games, "simulations": self.simulations, "channels": self.channels}
        where = {name: value for name, value in self.on_device.items() if name != "trainer"}
        if where.get("device") in ("auto", "cuda"):
            run = preset("laptop", game=self.boards[0], **where)  # knows what goes with a device
            where = {name: getattr(run, name) for name in ("device", "runtime", "precision")}
        with_rave = tuple(method for method in THESIS if GUIDED[method].rave)
        acts = {
            r: THESIS[1:] if not {*changes} & {*RAVE_OPTIONS} else with_rave for r, changes in self.READINGS.items()
        }
        wanted: list[tuple[str, str, str, dict[str, Any], dict[str, Any]]] = [
            *(("matrix", a, b, {}, {}) for row, a in enumerate(THESIS) for b in THESIS[:row]),
            *(("by Q_rave", a, "baseline", {"policy": "q_rave"}, {}) for a in with_rave),
            *(("reading", a, "baseline", self.READINGS[r], {"reading": r}) for r, able in acts.items() for a in able),
            *(("one network", a, "baseline", {"networks": "one"}, {}) for a in THESIS[1:]),
        ]
        return [
            (
                UntrainedUnit(game=board, a=a, b=b, seed=self.seed, **scale, **where, **options),
                {"part": part, "board": board, "a": a, "b": b, "policy": options.get("policy", "visits"), **labels},
            )
            for board in self.boards
            for part, a, b, options, labels in wanted
        ]


class _Learning(WithNetworks):
    """Runs of several kinds, and the strength of their networks on the way."""

    SMALL: ClassVar[Mapping[str, Any]] = {"seeds": 1, "iterations": 2, "games": 4, "opponent": 8}
    tables: ClassVar[tuple[str, ...]] = ("iterations",)

    boards: tuple[str, ...] = Field(LEARNED_BOARDS, min_length=1, description="games learned")
    seeds: int = Field(2, ge=1, le=1000, description="runs of each kind (seeds 0, 1, ...)")
    iterations: int = Field(30, ge=1, le=10_000, description="iterations of each run")
    games: int = Field(200, ge=2, multiple_of=2, description="games that measure a network's strength")
    opponent: int = Field(400, ge=1, description="simulations of the MCTS that it meets")
    compute: bool = Field(True, description=COMPUTE)

    MEASURED: ClassVar[tuple[int, ...]] = (10, 20, 30, 50, 70, 100)

    def kinds(self) -> dict[str, dict[str, Any]]:
        """The kinds of runs, by name: what each changes."""
        raise TypeError(f"{type(self).__name__} does not name its runs")

    def run(self, board: str, changes: dict[str, Any], seed: int) -> RunSettings:
        """The settings of one run."""
        given = {**changes, **self.on_device, "game": board, "seed": seed}
        return preset("smoke" if self.preset == "smoke" else "laptop", **given)

    def asked(self) -> Asked:
        """Every run, and matches of its networks against a search without a network."""
        iterations, opponent = self.iterations, player("mcts", simulations=self.opponent)
        asked: Asked = []
        for board in self.boards:
            for kind, changes in self.kinds().items():
                for seed in range(self.seeds):
                    run = self.run(board, changes, seed)
                    labels = {"board": board, "kind": kind, "seed": seed}
                    asked.append((RunUnit(run=run, iterations=iterations), {"part": "run", **labels, "iteration": 0}))
                    for k in sorted({*(k for k in self.MEASURED if k <= iterations), iterations}):
                        unit = StrengthUnit(run=run, iteration=k, opponent=opponent, games=self.games)
                        asked.append((unit, {"part": "strength", **labels, "iteration": k}))
        return asked


class NetworkChoice(_Learning):
    """Which compact network learns most per minute of a processor."""

    name: ClassVar[str] = "network_choice"

    CANDIDATES: ClassVar[dict[str, dict[str, Any]]] = {
        "author-16": {"channels": 16},
        "author-32": {},
        "author-64": {"channels": 64},
        "residual-32": {"shape": "residual", "channels": 32, "hidden": (64,)},
        "dense-256": {"shape": "dense", "channels": 256, "hidden": ()},
    }
    winner: str = Field("author-32", description="the candidate that also runs with 10 epochs")

    def kinds(self) -> dict[str, dict[str, Any]]:
        """The candidates with 1 epoch, and the winner with 10."""
        if self.winner not in self.CANDIDATES:
            names = ", ".join(self.CANDIDATES)
            raise ParameterError(f"winner = {self.winner!r} is not allowed: it should be one of {names}")
        if self.preset == "smoke":
            return {name: {k: v for k, v in c.items() if k == "shape"} for name, c in self.CANDIDATES.items()}
        return {**self.CANDIDATES, f"{self.winner}, 10 epochs": {**self.CANDIDATES[self.winner], "epochs": 10}}


class Protocol(_Learning):
    """What the protocol does, warm start aside: epochs, gating, root noise, symmetries."""

    name: ClassVar[str] = "protocol"

    def kinds(self) -> dict[str, dict[str, Any]]:
        """The laptop preset with one thing changed at a time."""
        return {
            "laptop (1 epoch)": {},
            "2 epochs": {"epochs": 2},
            "10 epochs": {"epochs": 10},
            "no gating": {"gating": False},
            "root noise": {"noise": 0.25},
            "all symmetries": {"symmetries": "all"},
        }


class ItLearns(WithNetworks):
    """Whether a laptop run learns to play: its last network against MCTS with ever more simulations."""

    name: ClassVar[str] = "it_learns"
    SMALL: ClassVar[Mapping[str, Any]] = {"seeds": 1, "iterations": 2, "games": 4, "opponents": (8,)}
    tables: ClassVar[tuple[str, ...]] = ("iterations", "games")

    boards: tuple[str, ...] = Field(("connect4", "othello", "gobang"), min_length=1, description="games learned")
    seeds: int = Field(3, ge=1, le=1000, description="runs of each game (seeds 0, 1, ...)")
    iterations: int = Field(100, ge=1, le=10_000, description="iterations of each run")
    games: int = Field(200, ge=2, multiple_of=2, description="games a match")
    opponents: tuple[int, ...] = Field(
        (100, 400, 1600), min_length=1, description="simulations of the MCTS that a network meets"
    )
    compute: bool = Field(True, description=COMPUTE)

    def asked(self) -> Asked:
        """Every run, and the matches of its last network."""
        scale = "smoke" if self.preset == "smoke" else "laptop"
        asked: Asked = []
        for seed in range(self.seeds):
            for board in self.boards:
                run = preset(scale, game=board, seed=seed, **self.on_device)
                labels = {"board": board, "kind": "baseline", "seed": seed}
                asked.append((RunUnit(run=run, iterations=self.iterations), {"part": "run", **labels, "opponent": 0}))
                for m in self.opponents:
                    mcts = player("mcts", simulations=m)
                    unit = StrengthUnit(run=run, iteration=self.iterations, opponent=mcts, games=self.games)
                    asked.append((unit, {"part": "strength", **labels, "opponent": m}))
        return asked


class OneRun(Experiment):
    """One training run to look into, with any setting of a run: ``OneRun(board="othello", epochs=3)``."""

    name: ClassVar[str] = "one_run"
    SMALL: ClassVar[Mapping[str, Any]] = {"iterations": 2}
    beside_the_cell: ClassVar[tuple[str, ...]] = ("settings",)
    further: ClassVar[frozenset[str]] = frozenset(RunSettings.model_fields) - {"game", "method", "switch", "seed"}
    """Settings of a run that may be given beside the parameters of the page."""
    tables: ClassVar[tuple[str, ...]] = ("iterations",)

    preset: Literal["smoke", "laptop", "table", "paper", "letter"] = Field("laptop", description="scale of the run")  # type: ignore[assignment]
    board: str = Field("connect4", description="the game learned")
    method: Literal["baseline", "rollout", "rave", "rora", "wro", "wrora", "rhea"] = Field(
        "wrora", description="who plays the warm start"
    )
    switch: Literal["fixed", "adaptive"] = Field("fixed", description="how the warm start ends")
    iterations: int = Field(100, ge=1, le=10_000, description="iterations (smoke: 2 unless given)")
    seed: int = Field(0, ge=0, description="seed of all random streams")
    settings: tuple[tuple[str, Any], ...] = Field((), description="other settings of the run, by name")

    def __init__(self, **values: Any) -> None:
        pairs = values.pop("settings", ())
        if not isinstance(pairs, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in pairs):
            raise ParameterError("settings are given by their names, as epochs = 3")
        settings = {**dict(pairs), **{n: values.pop(n) for n in self.further & {*values}}}
        settings = {n: split(v) if n in ("hidden", "weights") else v for n, v in settings.items()}
        values |= {"settings": tuple(sorted(settings.items()))}
        super().__init__(**values)
        _ = self.run  # has rules of its own

    @property
    def run(self) -> RunSettings:
        """The settings of the run."""
        warm = {} if self.method == "baseline" else {"switch": self.switch}
        given = {"game": self.board, "method": self.method, "seed": self.seed, **warm, **dict(self.settings)}
        return preset(self.preset, **given)

    def asked(self) -> Asked:
        """The run."""
        return [(RunUnit(run=self.run, iterations=self.iterations), {"board": self.board, "kind": self.method})]


class Loop(Chapter):
    """The chapter on the network and the loop."""

    SMALL: ClassVar[Mapping[str, Any]] = {"simulations": 20}

    board: str = Field("connect4", description="the game of the examples")
    simulations: int = Field(100, ge=10, le=100_000, description="simulations of the searches that are shown")
    seed: int = Field(0, ge=0, description="seed of the network and the searches")
