"""Measure what a training run is made of: self-play, the SGD step, the network's evaluation, memory (`make bench`).

1. Self-play: whole games of the Baseline search with an untrained 64-channel author-shaped network (fully connected
   1024/512, Connect Four 6×7), 100 simulations a move, 50 games in lockstep as one batch; beside it the same with pgx
   and mctx in JAX, the same weights, their outputs compared first. A figure is the number of simulations, 100 for every
   move of every game, divided by the CPU time of the one thread; compiling is left out. Our batch shrinks as games end;
   theirs never does, because a game that has ended starts anew, and 42 moves (the longest game there is) are measured.
2. The share of tree, rules and planes in self-play: the time with the network's answers read back from the same games,
   and with a constant evaluator (other games, so by simulation), over the time with the network.
3. The SGD step as `wslib.network.fit` does it, on a full buffer: 2 × 3 floating-point operations per multiply-add of
   the forward pass, beside the fastest of several fp32 matrix products and convolutions. Data handling: all else of
   a fit.
4. Evaluations by batch size with the laptop network, by the compiled runtime and by torch with batch norm folded.
5. A laptop run: seconds of each stage, and the peak memory of its process. `--store` goes on, in memory, from a stored
   run whose buffer is full, and lists the CPU time of stored runs.

Everything runs on one core, sides that are compared one after the other; shown are medians, the lowest and highest
repetition, and CPU time per wall time (well below 1: the machine was busy). pgx, mctx and JAX are no part of this
project: they are installed from PyPI into an environment of their own, `.venv-bench-jax`. The exit status is 1 when a
bar is missed or could not be measured.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import numpy as np
import run as bench
import torch
from torch import nn
from torch.nn import functional as F

from wslib._compiled import stream
from wslib.games import game
from wslib.network import fit as fitting
from wslib.network.model import Network, folded
from wslib.network.runtime import CompiledNetwork, _rows
from wslib.play.match import Table
from wslib.search.guided import Evaluator, GuidedSearch
from wslib.search.settings import GuidedSettings
from wslib.study.engine.states import RunFolder
from wslib.study.engine.store import PROVENANCE, DamagedResult, read_folder
from wslib.training import loop as training
from wslib.training.loop import Examples, RunSettings, preset

ENVIRONMENT = bench.ROOT / ".venv-bench-jax"
REQUIREMENTS = bench.HERE / "requirements-jax.txt"
XLA_FLAGS = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

PEERS_BOARD, PEERS_LONGEST = "connect4-6x7", 42
BOARD, BOARDS = "connect4", ("connect4", "othello")
BATCHES = (1, 2, 4, 8, 16, 32, 50, 64, 128)
BUFFER = 20
ITERATIONS = 3
BARS = {"ratio": 2.0, "tree": 0.10, "sgd": 0.40, "data": 0.05, "batch": 0.85,
        "memory": 2.0, "laptop": 300.0, "table": 1200.0}  # fmt: skip

Row = dict[str, Any]
tell = bench.tell


def row(part: str, what: str, unit: str, values: Sequence[float], busy: Sequence[float] = (),
        least: float | None = None, most: float | None = None) -> Row:  # fmt: skip
    """A figure measured several times, with its bar: the least or the most that it may be."""
    found = median(values)
    made: Row = {"part": part, "what": what, "median": found, "lowest": min(values), "highest": max(values),
                 "unit": unit, "repetitions": len(values), "cpu_per_wall": median(busy) if busy else None,
                 "bar": None, "verdict": None}  # fmt: skip
    if least is not None:
        made |= {"bar": f"≥ {least:g}", "verdict": "met" if found >= least else "NOT MET"}
    if most is not None:
        made |= {"bar": f"≤ {most:g}", "verdict": "met" if found <= most else "NOT MET"}
    return made


def timed(work: Callable[[], Any], seconds: float = 0.0) -> tuple[list[Any], float, float]:
    """Do some work until this much CPU time is used up; what it returned, CPU time, and CPU per wall time."""
    done, time = bench.ours.repeat(lambda _: work(), max(seconds, 1e-3))
    return done, time["cpu"], time["cpu"] / time["wall"]


# --- self-play ---------------------------------------------------------------------------------------------------


class Recorder:
    """A network whose answers are kept."""

    def __init__(self, network: Evaluator):
        self.network, self.answers = network, list[tuple[np.ndarray, np.ndarray]]()

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.answers.append(self.network.evaluate(planes))
        return self.answers[-1]


class Replay:
    """Gives kept answers again, in their order: the same games without the network's time."""

    def __init__(self, answers: list[tuple[np.ndarray, np.ndarray]]):
        self.answers = iter(answers)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return next(self.answers)


class Constant:
    """Finds all moves equally likely and all positions even."""

    def __init__(self, actions: int, most: int):
        self.priors, self.values = np.full((most, actions), 1 / actions, np.float32), np.zeros(most, np.float32)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.priors[: len(planes)], self.values[: len(planes)]


class Played:
    """The self-play games of one iteration, by the Baseline search with its defaults."""

    def __init__(self, settings: RunSettings, evaluator: Evaluator, seed: int, cache: bool = True):
        board, count = game(settings.game), settings.episodes
        streams = np.array([stream(seed, "bench", number) for number in range(count)])
        guided = GuidedSettings(simulations=settings.simulations, c=settings.c, cache=cache)
        self.search = GuidedSearch(board, guided, evaluator, streams)
        self.seat = training._LearningSeat(self.search, settings.sampled_plies)
        self.seat.table = self.table = Table(board, [board.start()] * count)
        self.table.play([self.seat, self.seat], np.zeros(count, int))
        self.simulations = settings.simulations * int(self.table.plies.sum())

    def examples(self) -> Examples:
        """What training would learn from."""
        return training._examples(self.table, self.seat.seen)


class Peer:
    """pgx and mctx, waiting for requests in a process of their own."""

    def __init__(self, network: Network, planes: np.ndarray):
        python = bench.installed(ENVIRONMENT, REQUIREMENTS)
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (lives as long as the process)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "network.npz"
            np.savez(file, **exported(network, planes))
            self.process = subprocess.Popen(
                [python, bench.HERE / "pgx_mctx.py", file],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
                env={**os.environ, "XLA_FLAGS": XLA_FLAGS, "JAX_PLATFORMS": "cpu"},
            )  # fmt: skip
            self.apart = self._answer()["apart"]  # ready: has read the file, and compiled

    def ask(self, **request: Any) -> dict[str, float]:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, float]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            self.errors.seek(0)
            said = " / ".join(self.errors.read().strip().splitlines()[-3:])
            raise RuntimeError(f"its process ended with status {self.process.wait()}: {said}")
        return json.loads(line)

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def exported(network: Network, planes: np.ndarray) -> dict[str, np.ndarray]:
    """A folded author-shaped network as plain arrays, channels last; with planes, and what we say of them."""
    copy, arrays = folded(network), {}
    convolutions = [module for module in copy.trunk if isinstance(module, nn.Conv2d)]
    hidden = [module for module in copy.hidden if isinstance(module, nn.Linear)]
    for number, module in enumerate(convolutions):
        arrays[f"convolution{number}"] = module.weight.numpy().transpose(2, 3, 1, 0)
        arrays[f"convolution{number}_bias"] = module.bias.numpy()
    dense = {f"hidden{number}": module for number, module in enumerate(hidden)}
    for name, layer in {**dense, "policy": copy.policy, "value": copy.value}.items():
        arrays[name], arrays[f"{name}_bias"] = layer.weight.numpy().T, layer.bias.numpy()
    # The rows of the first one are in torch's order: channel, row, column.
    channels, width = len(convolutions[-1].weight), len(hidden[0].weight)
    arrays["hidden0"] = arrays["hidden0"].reshape(channels, -1, width).transpose(1, 0, 2).reshape(-1, width)
    priors, values = CompiledNetwork(network).evaluate(planes)
    return {**arrays, "planes": planes[:, 0], "priors": priors, "values": values}


def self_play(repetitions: int, with_pgx: bool) -> tuple[list[Row], str]:
    """Our self-play and theirs in turn; and what there is to say of theirs."""
    part = f"self-play, C = 64, 1024/512, {PEERS_BOARD}"
    settings = RunSettings(game=PEERS_BOARD, channels=64, hidden=(1024, 512))
    network = Network(settings.network, seed=1)
    evaluator = CompiledNetwork(network)
    warm = Played(settings, evaluator, seed=0).examples()  # compiles, and takes the memory that is used again
    peer, said = None, "left out (--without-pgx)"
    if with_pgx:
        tell("pgx + mctx: starting, comparing the networks, compiling")
        try:
            peer = Peer(network, game(PEERS_BOARD).planes(warm.own[::20], warm.opp[::20]))
            said = f"outputs of the two networks apart by at most {peer.apart:.1g}"
        except (subprocess.CalledProcessError, OSError, RuntimeError) as error:
            said = f"could not be measured: {(getattr(error, 'stderr', None) or str(error)).strip()[-1000:]}"
            tell(f"pgx + mctx {said}")
    rates, busy = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    saved = []
    for turn in range(repetitions):
        tell(f"self-play beside pgx + mctx, {turn + 1} of {repetitions}")
        for name, cache in (("ours", True), ("ours, no cache of evaluations", False)):
            (played,), cpu, share = timed(lambda s=turn, c=cache: Played(settings, evaluator, s, c))
            rates[name].append(played.simulations / cpu)
            busy[name].append(share)
            if cache:
                saved.append(1 - played.search.evaluations / played.search.leaves)
            del played
        if peer:
            try:
                theirs = peer.ask(moves=PEERS_LONGEST, seed=turn)
            except (OSError, RuntimeError) as error:
                peer, said = None, f"could not be measured: {error}"
                tell(f"pgx + mctx {said}")
                rates.pop("pgx + mctx", None)
                continue
            rates["pgx + mctx"].append(theirs["work"] / theirs["cpu"])
            busy["pgx + mctx"].append(theirs["cpu"] / theirs["wall"])
    rows = [row(part, name, "simulations/s", rates[name], busy[name]) for name in rates]
    rows.append(row(part, "evaluations saved by the cache", "share", saved))
    operations = 2 * multiply_adds(network, 1) / 1e6
    rows.append(row(part, "floating-point operations of an evaluation", "MFLOP", [operations]))
    for name, least in (("ours", BARS["ratio"]), ("ours, no cache of evaluations", None)):
        if peer:
            ratios = [a / b for a, b in zip(rates[name], rates["pgx + mctx"], strict=True)]
            rows.append(row(part, f"{name} / pgx + mctx", "ratio", ratios, least=least))
    if peer:
        peer.close()
    return rows, said


def tree_share(name: str, repetitions: int) -> list[Row]:
    """How much of self-play in a game is not the network."""
    settings = RunSettings(game=name, channels=64)
    part = f"tree + rules, C = 64, 256/128, {settings.game}"
    evaluator = CompiledNetwork(Network(settings.network, seed=1))
    constant = Constant(game(name).actions, settings.episodes)
    Played(settings.model_copy(update={"simulations": 2}), evaluator, seed=0)  # compiles
    found, busy = defaultdict[str, list[float]](list), []
    for turn in range(repetitions):
        tell(f"tree and rules in {name}, {turn + 1} of {repetitions}")
        recorder = Recorder(evaluator)
        # Only a number is kept of what was played, so that its memory is used again, as it is in a training run.
        (played,), whole, share = timed(lambda s=turn, r=recorder: Played(settings, r, s).simulations)
        again, replay, _ = timed(lambda s=turn, r=recorder: Played(settings, Replay(r.answers), s).simulations, 0.2)
        other, fixed, _ = timed(lambda s=turn: Played(settings, constant, s).simulations, 0.2)
        each = whole / played
        found["rate"].append(1 / each)
        found["replay"].append(replay / len(again) / whole)
        found["constant"].append(fixed / sum(other) / each)
        found["cost"].append(1e6 * replay / sum(again))
        busy.append(share)
    most = BARS["tree"]
    return [
        row(part, "self-play", "simulations/s", found["rate"], busy),
        row(part, "time without the network", "µs/simulation", found["cost"], busy),
        row(part, "same games, answers read back / with network", "share", found["replay"], busy, most=most),
        row(part, "constant evaluator / with network", "share", found["constant"], busy, most=most),
    ]


# --- the SGD step ------------------------------------------------------------------------------------------------


def multiply_adds(network: Network, batch: int) -> int:
    """Of the convolutions and fully connected layers, in one forward pass."""
    counted = []

    def count(module: nn.Module, _: Any, output: torch.Tensor) -> None:
        counted.append(output.numel() * module.weight[0].numel())  # type: ignore[index, union-attr]

    layers = [module for module in network.modules() if isinstance(module, nn.Conv2d | nn.Linear)]
    hooks = [layer.register_forward_hook(count) for layer in layers]
    board = game(network.settings.game)
    network.evaluate(np.zeros((batch, 1, board.rows, board.cols), np.float32))
    for hook in hooks:
        hook.remove()
    return sum(counted)


def products() -> dict[str, tuple[Callable[[], Any], int]]:
    """Ways to multiply matrices in fp32 on one core, with their floating-point operations."""
    ways: dict[str, tuple[Callable[[], Any], int]] = {}
    for n in (256, 512, 1024):
        a, b = torch.rand(n, n), torch.rand(n, n)
        ways[f"torch.mm {n}"] = (lambda a=a, b=b: torch.mm(a, b)), 2 * n**3
    for channels, side in ((64, 6), (256, 8)):
        x = torch.rand(64, channels, side, side).to(memory_format=torch.channels_last)
        w = torch.rand(channels, channels, 3, 3).to(memory_format=torch.channels_last)
        flops = 2 * 64 * side**2 * 9 * channels**2
        ways[f"torch conv2d 3×3, C = {channels}"] = (lambda x=x, w=w: F.conv2d(x, w, padding=1)), flops
    count = 480
    for length, channels in ((96, 32), (256, 128)):
        x, w = (np.ones(size, np.float32) for size in (count * length, (length + 1) * channels))
        y = np.zeros(count * channels, np.float32)

        def ours(x=x, w=w, y=y, length=length, channels=channels):
            outputs = (y, 0, channels, count, True)
            _rows(x, 0, length, 0, 1, 0, 0, w, 0, channels, length, 0, length * channels, x, False, *outputs)

        ways[f"our kernel {count} × {length} × {channels}"] = ours, 2 * count * length * channels
    return ways


def sgd(repetitions: int, seconds: float) -> list[Row]:
    """The step of a fit, its share of the machine's peak, and what else a fit does."""
    settings = RunSettings(game=BOARD, channels=64, epochs=1)
    part = f"SGD step, C = 64, 256/128, batch {settings.batch}, {settings.game}"
    network = Network(settings.network, seed=1)
    examples = [Played(settings, CompiledNetwork(network), seed=0).examples()] * BUFFER
    steps = sum(len(e) for e in examples) // settings.batch
    operations = 2 * 3 * multiply_adds(network, settings.batch)
    ways = products()
    for way, _ in ways.values():
        way()  # warms up, compiles
    inside = []
    original = fitting._pass

    def clocked(*arguments: Any) -> tuple[float, float]:
        began = time.process_time()
        losses = original(*arguments)
        inside.append(time.process_time() - began)
        return losses

    found, busy = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    with mock.patch.object(fitting, "_pass", clocked), torch.inference_mode(False):
        fitting.fit(network, settings, examples[:1], ("bench",), {})
        for turn in range(repetitions):
            tell(f"SGD step, {turn + 1} of {repetitions}")
            for name, (way, amount) in ways.items():
                with torch.no_grad():
                    done, cpu, share = timed(way, seconds / 2)
                found[name].append(amount * len(done) / cpu / 1e9)
                busy[name].append(share)
            inside.clear()
            _, cpu, share = timed(lambda s=turn: fitting.fit(network, settings, examples, ("bench", s), {}))
            found["step"].append(1e3 * inside[0] / steps)
            found["reached"].append(operations * steps / inside[0] / 1e9)
            found["share"].append(found["reached"][-1] / max(found[name][-1] for name in ways))
            found["data"].append((cpu - inside[0]) / inside[0])
            busy["step"].append(share)
    fastest = max(ways, key=lambda name: median(found[name]))
    return [
        *(row(part, name, "GFLOP/s", found[name], busy[name]) for name in ways),
        row(part, f"a step ({operations / 1e9:.3f} GFLOP; {steps} steps in a fit)", "ms", found["step"], busy["step"]),
        row(part, "a step", "GFLOP/s", found["reached"], busy["step"]),
        row(part, f"a step / the fastest product ({fastest})", "share", found["share"], least=BARS["sgd"]),
        row(part, "data handling / the steps of a fit", "share", found["data"], busy["step"], most=BARS["data"]),
    ]


# --- evaluations by batch size -----------------------------------------------------------------------------------


def throughput(repetitions: int, seconds: float) -> list[Row]:
    """Positions per second of the laptop network."""
    settings = preset("laptop", game=BOARD)
    part = f"evaluations, C = {settings.channels}, 256/128, {settings.game}"
    network = Network(settings.network, seed=1)
    compiled = CompiledNetwork(network)
    evaluators: dict[str, Evaluator] = {
        "compiled": compiled,
        "torch, folded": folded(network).to(memory_format=torch.channels_last),  # type: ignore[call-overload]
    }
    examples = Played(settings, compiled, seed=0).examples()
    planes = game(settings.game).planes(examples.own, examples.opp)
    chosen = np.random.default_rng(0).permutation(len(planes))
    found, busy = defaultdict[tuple[str, int], list[float]](list), defaultdict[tuple[str, int], list[float]](list)
    for turn in range(repetitions):
        tell(f"evaluations by batch size, {turn + 1} of {repetitions}")
        for size in BATCHES:
            batch = planes[chosen[:size]]
            calls = max(1, max(BATCHES) // size)
            for name, evaluator in evaluators.items():
                evaluator.evaluate(batch)

                def many(evaluator=evaluator, batch=batch, calls=calls):
                    for _ in range(calls):
                        evaluator.evaluate(batch)

                done, cpu, share = timed(many, seconds / 2)
                found[name, size].append(calls * size * len(done) / cpu)
                busy[name, size].append(share)
    rows = [row(part, f"{n}, batch {s}", "positions/s", found[n, s], busy[n, s]) for n in evaluators for s in BATCHES]
    for name in evaluators:
        ratios = [a / b for a, b in zip(found[name, 16], found[name, 50], strict=True)]
        least = BARS["batch"] if name == "compiled" else None
        rows.append(row(part, f"{name}: batch 16 / batch 50", "ratio", ratios, least=least))
    return rows


# --- a run -------------------------------------------------------------------------------------------------------


def some_iterations(settings: RunSettings, store: Path | None) -> dict[str, Any]:
    """Some iterations from the start, or from the latest state in a store: CPU seconds by stage, memory."""
    torch.set_num_threads(1)
    small = preset("smoke", game=settings.game)
    training.advance(small, training.start(small))  # loads what has been compiled
    state = RunFolder(settings, store).latest(10**6)[0] if store else training.start(settings)
    begin, stages = state.iteration, []
    for _ in range(ITERATIONS):
        seconds: dict[str, float] = {}
        wall, last = time.perf_counter(), time.process_time()

        def clock(stage: str, seconds: dict[str, float] = seconds) -> None:
            nonlocal last
            now = time.process_time()
            seconds[stage], last = now - last, now

        state, _ = training.advance(settings, state, clock)
        seconds["whole"] = sum(seconds.values())
        stages.append({**seconds, "busy": seconds["whole"] / (time.perf_counter() - wall)})
    unit = 1 if sys.platform == "darwin" else 1024
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9
    positions = sum(len(e) for e in state.examples)
    return {"begin": begin, "stages": stages, "memory": memory, "positions": positions}


def alone(settings: RunSettings, store: Path | None) -> list[Row]:
    """The same in a process of its own, whose memory is only its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = pool.submit(some_iterations, settings, store).result()
    part = f"laptop run, {settings.game}, iterations {found['begin'] + 1} to {found['begin'] + ITERATIONS}"
    busy = [iteration["busy"] for iteration in found["stages"]]
    names = [name for name in found["stages"][0] if name != "busy"]
    rows = [row(part, name, "CPU s/iteration", [i[name] for i in found["stages"]], busy) for name in names]
    rows.append(row(part, "positions in the buffer at the end", "positions", [found["positions"]]))
    return [*rows, row(part, "peak memory of the process", "GB", [found["memory"]], most=BARS["memory"])]


def with_full_buffer(store: Path) -> RunSettings | None:
    """A stored laptop run of Connect Four that can go on and has had time to fill its buffer."""
    for seed in range(10):
        settings = preset("laptop", game=BOARD, seed=seed)
        folder = RunFolder(settings, store)
        if folder.iterations() and folder.iterations()[0] >= settings.retrained:
            try:
                folder.read(folder.iterations()[0])
            except DamagedResult:
                continue
            return settings
    return None


def stored_runs(store: Path) -> Iterator[Row]:
    """CPU time of whole runs, from their provenance; by preset, game, method and length, over seeds.

    Of each kind only the runs of the code that made the latest one: what older code took says nothing of this one.
    """
    known = []
    for folder in sorted((store / "run").glob("*")):
        try:
            asked = read_folder(folder)[0]["parameters"]
            made = json.loads((folder / PROVENANCE).read_text())
        except (DamagedResult, OSError, ValueError):
            continue
        if made.get("resumed_after") == 0:  # or else the times are those of a part, or from before this was noted
            known.append((asked["run"], asked["iterations"], made))
    groups = defaultdict[tuple[str, str, str, int], list[dict[str, Any]]](list)
    for settings, iterations, made in known:
        run = RunSettings(**{name: value for name, value in settings.items() if value is not None})
        own = run.model_dump(include={"game", "method", "switch", "warm_iterations", "weight", "seed"})
        for name in ("laptop", "table"):
            if preset(name, **own).canonical() == run.canonical():
                groups[name, run.game, run.method, iterations].append(made)
    for (name, board, method, iterations), made in sorted(groups.items(), key=lambda item: item[0]):
        code = max(made, key=lambda m: m["date"])["code"]
        made = [m for m in made if m["code"] == code]
        part = f"stored {name} runs, {board}, {method}, {iterations} iterations"
        busy = [m["cpu_seconds"] / m["seconds"] for m in made]
        stages = [key for key in made[0] if key.startswith("cpu_") and key != "cpu_seconds"]
        for key in stages:
            yield row(part, key.removeprefix("cpu_"), "CPU s/run", [m[key] for m in made], busy)
        most = BARS[name] if iterations == 100 and board == game(BOARD).id else None
        yield row(part, "whole", "CPU s/run", [sum(m[k] for k in stages) for m in made], busy, most=most)


# --- showing and keeping -----------------------------------------------------------------------------------------


def shown(value: float) -> str:
    """A number in three digits or so."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def tables(rows: list[Row]) -> str:
    """A table per part."""
    texts = []
    for part in dict.fromkeys(r["part"] for r in rows):
        lines = [
            [r["what"], r["unit"], shown(r["median"]), f"{shown(r['lowest'])} to {shown(r['highest'])}",
             str(r["repetitions"]), f"{r['cpu_per_wall']:.2f}" if r["cpu_per_wall"] else "", r["bar"] or "",
             r["verdict"] or ""]
            for r in rows if r["part"] == part
        ]  # fmt: skip
        heads = ["", "unit", "median", "lowest to highest", "n", "CPU/wall", "bar", ""]
        texts.append(f"{part[:1].upper()}{part[1:]}\n\n{bench.columns(heads, lines)}\n")
    return "\n".join(texts)


README = """# How fast learning is

Written by `make bench` with `--publish` (`tests/bench/learning.py`, whose first lines say what is measured and how).

Measured on: {machine}.

pgx + mctx: {said}.

`learning.csv`, one row per figure:

| column | meaning |
| --- | --- |
| `part` | what it belongs to: self-play, tree + rules, the SGD step, evaluations by batch size, a laptop run; with the network's channels C and the widths of its fully connected layers |
| `what`, `unit` | what was measured, and in what; rates, times and shares are of the CPU time of one thread |
| `median`, `lowest`, `highest` | over the repetitions (of a run: over its iterations, or over stored runs of the latest code that trained such) |
| `repetitions` | how many there were |
| `cpu_per_wall` | CPU time per wall time, median; well below 1 when the machine was busy |
| `bar`, `verdict` | what the median should be at least or at most, and whether it is |
"""  # noqa: E501


def publish(rows: list[Row], where: dict[str, str], said: str) -> None:
    """Write the figures to data/bench."""
    folder = bench.ROOT / "data" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    bench.write_csv(folder / "learning.csv", rows)
    machine = ", ".join(f"{name} {value}" for name, value in where.items())
    bench.put_section(folder / "README.md", README.format(machine=machine, said=said))
    tell(f"published in {folder.relative_to(bench.ROOT)}")


def renew(rows: list[Row], keep: bool) -> int:
    """Show the rows of stored runs, and put them in the place of those that are published."""
    print(tables(rows))
    if keep:
        path = bench.ROOT / "data" / "bench" / "learning.csv"
        with path.open(newline="") as file:
            others = [r for r in csv.DictReader(file) if not r["part"].startswith("stored ")]
        bench.write_csv(path, [*others, *rows])
    return int(any(r["verdict"] == "NOT MET" for r in rows))


def on_one_core() -> None:
    """This process and those that it starts, where the system allows it."""
    torch.set_num_threads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def versions() -> dict[str, str]:
    """Of what the other side is made of, as installed."""
    wanted = ("jax", "jaxlib", "mctx", "pgx")
    pinned = dict(line.split("==") for line in REQUIREMENTS.read_text().splitlines() if "==" in line)
    return {name: pinned[name] for name in wanted}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.3, help="CPU time of a small measurement, at least (0.3)")
    parser.add_argument("--repetitions", type=int, default=3, help="measurements of each kind, at least 3 (3)")
    parser.add_argument("--without-pgx", action="store_true", help="measure ours alone, without installing theirs")
    parser.add_argument("--store", type=Path, metavar="FOLDER", help="stored runs to go on from, and to list")
    parser.add_argument("--publish", action="store_true", help="also write the figures to data/bench")
    parser.add_argument(
        "--renew-stored", action="store_true", help="measure nothing: only list the runs of --store anew"
    )
    options = parser.parse_args()
    if options.repetitions < 3 or options.seconds <= 0:
        parser.error("at least 3 repetitions of more than 0 seconds")
    if options.publish and options.without_pgx:
        parser.error("only a whole benchmark is published: with pgx and mctx")
    if options.store and not (options.store / "run").is_dir():
        parser.error(f"{options.store} holds no runs")

    if options.renew_stored:
        if not options.store:
            parser.error("--renew-stored needs --store")
        return renew(list(stored_runs(options.store)), options.publish)

    load = os.getloadavg()[0]
    on_one_core()
    rows, said = self_play(options.repetitions, not options.without_pgx)
    for name in BOARDS:
        rows += tree_share(name, options.repetitions)
    rows += sgd(options.repetitions, options.seconds)
    rows += throughput(options.repetitions, options.seconds)
    tell(f"{ITERATIONS} iterations of a laptop run")
    rows += alone(preset("laptop", game=BOARD), None)
    if options.store:
        full = with_full_buffer(options.store)
        tell(f"{ITERATIONS} iterations with a full buffer" if full else "no stored run has a full buffer")
        rows += alone(full, options.store) if full else []
        rows += stored_runs(options.store)

    measured = any("pgx + mctx" in r["what"] for r in rows)
    where = bench.machine(False, load) | {"torch": version("torch")} | (versions() if measured else {})
    build = bench.ROOT / "_build" / "bench"
    build.mkdir(parents=True, exist_ok=True)
    kept = {"machine": where, "pgx_mctx": said, "learning": rows}
    (build / "learning.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")

    print(", ".join(f"{name} {value}" for name, value in where.items()))
    print(f"pgx + mctx: {said}\n")
    print(tables(rows))
    if options.publish and measured:
        publish(rows, where, said)
    elif options.publish:
        tell("not published: only a whole benchmark is, with pgx and mctx")
    missed = any(r["verdict"] == "NOT MET" for r in rows)
    return 1 if missed or not (measured or options.without_pgx) else 0


if __name__ == "__main__":
    sys.exit(main())
