"""The states of training runs: written one per iteration, taken up again, and the networks in them.

A run's states are committed with their examples beside them; what a later iteration cannot need is removed when the
next state is safe. Networks of chosen iterations stay. The number of iterations is in no state's address: a run of
100 iterations goes on where one of 30 has ended.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

import safetensors.numpy
import torch
from safetensors import SafetensorError

from wslib.games import game
from wslib.network.model import Network
from wslib.parameters import ParameterError
from wslib.perfect.measures import measure, summary
from wslib.perfect.positions import SETS, load
from wslib.prompt.network_file import from_bytes, to_bytes
from wslib.search.guided import Evaluator
from wslib.study.engine.run_files import KEPT, STAGES, Facts, Files, RunFiles, Told, called, log_in, notes_of
from wslib.study.engine.store import write_folder
from wslib.training.loop import Examples, RunState, advance, evaluator_of, start
from wslib.training.settings import RunSettings


class RunFolder(RunFiles):
    """The states of one run, with their networks and examples."""

    def commit(self, state: RunState, log: Sequence[dict[str, Any]]) -> None:
        """Make a state durable, then remove what only earlier states needed."""
        newest, k = state.examples[-1], state.iteration
        network = self._as_file(state, log[-1])
        columns = {name: getattr(newest, name) for name in Examples.FIELDS}
        facts = {"run": self.run.canonical(), "iteration": k}
        write_folder(self.examples_of(k), {"examples.safetensors": safetensors.numpy.save(columns)}, facts)
        files = {
            "network.safetensors": network,
            "log.json": json.dumps(log).encode(),
        }
        if state.optimiser:
            files["optimiser.safetensors"] = safetensors.numpy.save(state.optimiser)
        write_folder(self.state(k), files, {**facts, "switched": state.switched})
        self.remove(self.examples_of(k - self.run.retrained))
        if k - 1 not in KEPT:
            self.remove(self.state(k - 1))

    def _as_file(self, state: RunState, news: dict[str, Any]) -> bytes:
        """The network's file; a run that has diverged is refused, whatever became of its last network."""
        run = self.run
        found = [
            f"{name} is {value}" for name, value in news.items() if isinstance(value, float) and not isfinite(value)
        ]
        try:
            content = to_bytes(state.network)
        except ParameterError as refusal:
            found.append(str(refusal))
        if not found:
            return content
        raise ParameterError(
            f"{called(run)} diverged in iteration {state.iteration} and is not stored ({found[0]}): a learning_rate "
            f"below {run.learning_rate:g} would be right"
        )

    def read(self, iteration: int) -> tuple[RunState, list[dict[str, Any]]] | None:
        """The state after an iteration with what all iterations told, if all of it is there.

        What is damaged, or belongs to another run or iteration, is set aside.
        """

        def told(manifest: Facts, files: Files) -> tuple[RunState, list[dict[str, Any]]]:
            carried = files.get("optimiser.safetensors")
            optimiser = _arrays(carried, "an optimiser") if carried else {}
            state = RunState(self._network_in(manifest, files), iteration, bool(manifest["switched"]), (), optimiser)
            return state, log_in(manifest, files)

        found = self.part(self.state(iteration), iteration, told)
        if found is None:
            return None
        examples = []
        for k in range(max(1, iteration - self.run.retrained + 1), iteration + 1):
            played = self.part(self.examples_of(k), k, _examples_in)
            if played is None:
                return None
            examples.append(played)
        return replace(found[0], examples=tuple(examples)), found[1]

    def network(self, iteration: int) -> Network | None:
        """The network after an iteration, where it is kept."""
        return self.part(self.state(iteration), iteration, self._network_in)

    def _network_in(self, manifest: Facts, files: Files) -> Network:
        return from_bytes(files["network.safetensors"], game(self.run.game))

    def latest(self, most: int) -> tuple[RunState, list[dict[str, Any]]]:
        """The latest whole state up to an iteration, or the start."""
        for iteration in self.iterations():
            # Where a state is damaged, an earlier one leads to the same bytes.
            if iteration <= most and (found := self.read(iteration)):
                return found
        return start(self.run), []


def _examples_in(manifest: Facts, files: Files) -> Examples:
    """The examples that an iteration has played."""
    arrays = _arrays(files["examples.safetensors"], "examples")
    if set(arrays) != set(Examples.FIELDS):
        raise ParameterError("it does not hold examples")
    return Examples(**arrays)


def _arrays(content: bytes, what: str) -> dict[str, Any]:
    try:
        return safetensors.numpy.load(content)
    except (TypeError, ValueError, SafetensorError) as error:
        raise ParameterError(f"it does not hold {what} ({type(error).__name__})") from None


def measured(run: RunSettings, network: Network) -> dict[str, Any]:
    """How far a raw network is from perfect play, set by set: share of optimal moves, regret, error of the value."""
    told: dict[str, Any] = {}
    for which in SETS:
        positions = load(run.game, which)
        if run.measure_positions:
            positions = positions.sample(run.measure_positions)
        numbers = summary(measure(evaluator_of(run, network), positions))
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
    return state, log[:iterations], notes_of(begun, seconds)


@lru_cache(maxsize=4)
def player_of(run: RunSettings, iteration: int, root: Path) -> Evaluator:
    """The network of an iteration, ready to play; trained now if it is not there."""
    network = RunFolder(run, root).network(iteration)
    if network is None:
        network = train(run, iteration, root)[0].network
    return evaluator_of(run, network)
