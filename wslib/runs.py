"""Units of the study that learn: a training run that survives interruption, and measurements of its networks.

A run's states are committed one per iteration, examples beside them; what a later iteration cannot need is removed when
the next state is safe. Networks of chosen iterations stay. The number of iterations is in no state's address: a run of
100 iterations goes on where one of 30 has ended.
"""

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
import safetensors.numpy
import safetensors.torch
import torch
from pydantic import Field, field_validator, model_validator

from wslib._compiled import stream
from wslib.games import game
from wslib.measures import measure, summary
from wslib.network import Network, NetworkSettings, from_bytes, to_bytes
from wslib.play import Games, NetworkPlayer, PlayerSettings, match
from wslib.play.match import play_block
from wslib.positions import SETS, load
from wslib.runtime import CompiledNetwork
from wslib.search import GuidedSettings
from wslib.store import MANIFEST, DamagedResult, LocalStore, read_folder, write_folder
from wslib.study import Computed, Unit, compute_unit, origins
from wslib.training import KEPT, Examples, RunSettings, RunState, advance, start


class RunFolder:
    """Where the states of one run are kept."""

    def __init__(self, run: RunSettings, root: Path):
        self.run, self.states, self.examples = run, root / "state" / run.id, root / "examples" / run.id

    def commit(self, state: RunState, log: Sequence[dict[str, Any]]) -> None:
        """Make a state durable, then remove what only earlier states needed."""
        newest, k = state.examples[-1], state.iteration
        columns = {name: getattr(newest, name) for name in Examples.FIELDS}
        facts = {"run": self.run.canonical(), "iteration": k}
        write_folder(self.examples / f"{k:04d}", {"examples.safetensors": safetensors.numpy.save(columns)}, facts)
        files = {
            "network.safetensors": to_bytes(state.network),
            "log.json": json.dumps(log).encode(),
        }
        if state.optimiser:
            files["optimiser.safetensors"] = safetensors.torch.save(state.optimiser)
        write_folder(self.states / f"{k:04d}", files, {**facts, "switched": state.switched})
        shutil.rmtree(self.examples / f"{k - self.run.retrained:04d}", ignore_errors=True)
        if k - 1 not in KEPT:
            shutil.rmtree(self.states / f"{k - 1:04d}", ignore_errors=True)

    def iterations(self) -> list[int]:
        """Iterations whose state is there, the latest first."""
        return sorted((int(path.parent.name) for path in self.states.glob(f"*/{MANIFEST}")), reverse=True)

    def read(self, iteration: int) -> tuple[RunState, list[dict[str, Any]]]:
        """The state after an iteration; raises DamagedResult where something of it is missing or not as committed."""
        manifest, files = self._folder(self.states / f"{iteration:04d}")
        first = max(1, iteration - self.run.retrained + 1)
        examples = []
        for k in range(first, iteration + 1):
            columns = safetensors.numpy.load(self._folder(self.examples / f"{k:04d}")[1]["examples.safetensors"])
            examples.append(Examples(**columns))
        network = from_bytes(files["network.safetensors"], game(self.run.game))
        optimiser = safetensors.torch.load(files["optimiser.safetensors"]) if "optimiser.safetensors" in files else {}
        state = RunState(network, iteration, bool(manifest["switched"]), tuple(examples), optimiser)
        return state, json.loads(files["log.json"])

    def network(self, iteration: int) -> Network | None:
        """The network after an iteration, where it is kept."""
        try:
            _, files = self._folder(self.states / f"{iteration:04d}")
        except DamagedResult:
            return None
        return from_bytes(files["network.safetensors"], game(self.run.game))

    def _folder(self, folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
        if not (folder / MANIFEST).exists():
            raise DamagedResult(f"{folder} is missing")
        return read_folder(folder)

    def log(self, iterations: int) -> list[dict[str, Any]] | None:
        """What the first iterations told, where the run has come so far (its earlier states may be gone)."""
        for iteration in self.iterations():
            if iteration < iterations:
                break
            try:
                return json.loads(self._folder(self.states / f"{iteration:04d}")[1]["log.json"])[:iterations]
            except DamagedResult:
                continue
        return None

    def latest(self, most: int) -> tuple[RunState, list[dict[str, Any]]]:
        """The latest whole state up to an iteration, or the start."""
        for iteration in self.iterations():
            if iteration <= most:
                try:
                    return self.read(iteration)
                except DamagedResult:
                    continue  # an earlier state leads to the same bytes
        return start(self.run), []


STAGES = ("self-play", "training", "arena", "measuring", "storing")
Told = Callable[[dict[str, Any]], object]


def measured(run: RunSettings, network: Network) -> dict[str, Any]:
    """How far a raw network is from perfect play, set by set: share of optimal moves, regret, error of the value."""
    told: dict[str, Any] = {}
    for which in SETS:
        positions = load(run.game, which)
        if run.measure_positions:
            positions = positions.sample(run.measure_positions)
        numbers = summary(measure(CompiledNetwork(network), positions))
        told |= {f"{which}_{name}": numbers[name] for name in ("optimal", "regret", "value_error")}
    return told


def train(
    run: RunSettings, iterations: int, root: Path, told: Told | None = None, to_switch: bool = False
) -> tuple[RunState, list[dict[str, Any]], dict[str, float]]:
    """Train up to an iteration (or to an earlier switch), from wherever the run stands.

    Returned are the state, the log, and the notes: after which iteration this began, and seconds per stage from there.
    ``told`` is called with what there is to tell of each new iteration.
    """
    folder, seconds = RunFolder(run, root), dict.fromkeys(STAGES, 0.0)
    state, log = folder.latest(iterations)
    begun = state.iteration
    torch.set_num_threads(1)
    last = time.process_time()

    def clock(stage: str) -> None:
        nonlocal last
        now = time.process_time()
        seconds[stage] += now - last
        last = now

    while state.iteration < iterations and not (to_switch and state.switched):
        state, news = advance(run, state, clock)
        if run.measure_every and state.iteration % run.measure_every == 0:
            news |= measured(run, state.network)
            clock("measuring")
        log.append(news)
        folder.commit(state, log)
        clock("storing")
        if told:
            told(news)
    return state, log[:iterations], _notes(begun, seconds)


def _notes(begun: int, seconds: Mapping[str, float]) -> dict[str, float]:
    """For the provenance: the times are only those of a part of the run if it did not begin before iteration 1."""
    return {"resumed_after": begun} | {f"cpu_{stage}": round(seconds.get(stage, 0.0), 2) for stage in STAGES}


def watch(unit: "RunUnit", experiment: str, told: Told) -> None:
    """Compute a run that is neither published nor stored, here and now; ``told`` hears of every iteration."""
    store = LocalStore()
    if origins([unit], experiment, store)[unit.id] is None:
        compute_unit(unit, store.root, told=told)


class RunUnit(Unit):
    """A training run: what its iterations tell."""

    kind: ClassVar[str] = "run"
    stage: ClassVar[int] = 0

    run: RunSettings
    iterations: int = Field(100, ge=1, le=10_000, description="I: iterations")

    def needs_no_training(self, root: Path) -> bool:
        return any(reached >= self.iterations for reached in RunFolder(self.run, root).iterations())

    def compute_in(self, root: Path, told: Told | None = None) -> Computed:
        log, notes = RunFolder(self.run, root).log(self.iterations), _notes(self.iterations, {})
        if log is None:
            _, log, notes = train(self.run, self.iterations, root, told)
        table = pd.DataFrame(log)
        switched = table.loc[table["switch"], "iteration"]
        summary = {
            "iterations": self.iterations,
            "accepted": int(table["accepted"].sum()),
            "switch_iteration": int(switched.iloc[0]) if len(switched) else None,
        }
        return Computed(summary, {"iterations": table}, notes)


class SwitchUnit(Unit):
    """An adaptive run up to its switch: the first iteration whose balance is above 0, and the balances until then."""

    kind: ClassVar[str] = "switch"
    stage: ClassVar[int] = 0

    run: RunSettings
    most: int = Field(100, ge=1, le=10_000, description="I: iterations after which it is given up")

    @model_validator(mode="after")
    def _switches(self) -> Self:
        if self.run.switch != "adaptive":
            raise ValueError(
                f"switch = {self.run.switch!r} is not allowed: only an 'adaptive' run has a switch to find"
            )
        return self

    def compute_in(self, root: Path) -> Computed:
        log, notes = RunFolder(self.run, root).log(self.most), _notes(self.most, {})
        if log is None or not any(news["switch"] for news in log):
            _, log, notes = train(self.run, self.most, root, to_switch=True)
        at = next((news["iteration"] for news in log if news["switch"]), None)
        columns = ["iteration", "balance", "first_wins", "draws", "first_losses", "distinct", "accepted"]
        table = pd.DataFrame(log[: at or self.most])[columns]
        summary = {"switch_iteration": at, "iterations": len(table)}
        return Computed(summary, {"balances": table}, notes)


class StrengthUnit(Unit):
    """A match of a run's network, with a guided search, against a player without a network."""

    kind: ClassVar[str] = "strength"

    run: RunSettings
    iteration: int = Field(100, ge=1, description="which network")
    search: GuidedSettings = Field(default_factory=GuidedSettings)
    opponent: PlayerSettings = Field(discriminator="method")
    games: int = Field(200, ge=2, multiple_of=2)
    opening_plies: int = Field(4, ge=0, description="random plies before the players take over")
    seed: int = Field(0, ge=0)

    def needs_no_training(self, root: Path) -> bool:
        return self.iteration in RunFolder(self.run, root).iterations()

    def compute_in(self, root: Path) -> Computed:
        board = game(self.run.game)
        player = NetworkPlayer(_player(self.run, self.iteration, root), self.search)
        played = match(board, player, self.opponent, self.games, self.seed, self.opening_plies)
        return Computed(played.summary(), {"games": played.frame()}, {})


@lru_cache(maxsize=4)
def _player(run: RunSettings, iteration: int, root: Path) -> CompiledNetwork:
    """The network of an iteration, ready to play; trained now if it is not there."""
    network = RunFolder(run, root).network(iteration)
    if network is None:
        network = train(run, iteration, root)[0].network
    return CompiledNetwork(network)


class UntrainedUnit(Unit):
    """A match of two guided searches whose networks have learned nothing (Table 6.1: w = 1/2, best moves only).

    Each game has a random network of its own, shared by both players; or one network serves all games.
    """

    kind: ClassVar[str] = "untrained"

    game: str
    a: Literal["baseline", "rollout", "rave", "rora", "wro", "wrora"]
    b: Literal["baseline", "rollout", "rave", "rora", "wro", "wrora"]
    policy: Literal["visits", "q_rave"] = Field("visits", description="what A's final move goes by")
    networks: Literal["per game", "one"] = "per game"
    games: int = Field(100, ge=2, multiple_of=2)
    simulations: int = Field(100, ge=2)
    channels: int = Field(32, ge=1, le=1024)
    seed: int = Field(0, ge=0)

    @field_validator("game")
    @classmethod
    def _full_name(cls, name: str) -> str:
        return game(name).id

    def compute_in(self, root: Path) -> Computed:
        board = game(self.game)
        shape = NetworkSettings(game=self.game, channels=self.channels)
        rows = []
        for number in range(self.games if self.networks == "per game" else 1):
            # The same network for the same number in every match: what differs between matches is the methods.
            network = CompiledNetwork(Network(shape, seed=int(stream(self.seed, "untrained", number)) >> 1))
            a, b = (
                NetworkPlayer(network, GuidedSettings(method=m, simulations=self.simulations, policy=p))
                for m, p in ((self.a, self.policy), (self.b, "visits"))
            )
            if self.networks == "one":
                rows.append(match(board, a, b, self.games, self.seed))
            else:
                rows.append(play_block(board, a, b, self.seed, 0, number, number + 1))
        played = Games(
            board,
            np.concatenate([r.number for r in rows]),
            np.concatenate([r.first for r in rows]),
            np.concatenate([r.result for r in rows]),
            tuple(moves for r in rows for moves in r.moves),
        )
        return Computed(played.summary(), {"games": played.frame()}, {})
