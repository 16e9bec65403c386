"""Measure what a training run is made of: self-play, the SGD step, the network's evaluation, memory (`make bench`).

1. Self-play: whole games of the Baseline search with an untrained 64-channel author-shaped network (fully connected
   1024/512, Connect Four 6×7), 100 simulations a move, 50 games in lockstep as one batch; beside it the same with pgx
   and mctx in JAX, the same weights, their outputs compared first. A figure is the number of simulations, 100 for every
   move of every game, divided by the CPU time of the one thread; compiling is left out. Our batch shrinks as games end;
   theirs never does, because a game that has ended starts anew, and 42 moves (the longest game there is) are measured.
   The bound is what the same evaluations would take at the core's peak, with tree and rules for nothing.
2. The share of tree, rules and planes in self-play: the time with the network's answers read back from the same games,
   and with a constant evaluator (other games, so by simulation), over the time with the network.
3. The training step by our kernels beside torch's, in turn, on the same examples; the three products of a step beside
   what the core can do at most; both sides held to AVX2; the kernels' compiling. Data handling: all else of a fit.
4. Evaluations by batch size with the laptop network, by our kernels and by torch.
5. A laptop run: seconds of each stage, and the peak memory of its process. `--store` goes on, in memory, from a stored
   run whose buffer is full, and lists the CPU time of stored runs.

Everything runs on one core, sides that are compared one after the other; shown are medians, the lowest and highest
repetition, and CPU time per wall time (well below 1: the machine was busy). pgx, mctx and JAX are no part of this
project: they are installed from PyPI into an environment of their own, `.venv-bench-jax`. The exit status is 1 when a
bar is missed or could not be measured.
"""

import argparse
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
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import run as bench
import torch
from torch import nn

from wslib._compiled import kernel, stream
from wslib.games import game
from wslib.network import fit as fitting
from wslib.network.kernels import EPSILON, multiply
from wslib.network.lanes import LANES, WIDTH, aligned, fma, splat, store
from wslib.network.layout import layout_of
from wslib.network.model import Network
from wslib.network.runtime import CompiledNetwork, TorchNetwork
from wslib.play.matches import Table
from wslib.play.players import GuidedSeat
from wslib.search.guided import Evaluator, GuidedSearch
from wslib.search.settings import GuidedSettings
from wslib.study.engine.states import RunFolder
from wslib.study.engine.store import PROVENANCE, DamagedResult, read_folder
from wslib.study.presets import preset
from wslib.training import loop as training
from wslib.training.loop import Examples, recorded
from wslib.training.settings import RunSettings

ENVIRONMENT = bench.ROOT / ".venv-bench-jax"
REQUIREMENTS = bench.HERE / "requirements-jax.txt"
XLA_FLAGS = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

PEERS_BOARD, PEERS_LONGEST = "connect4-6x7", 42
BOARD, BOARDS = "connect4", ("connect4", "othello")
BATCHES = (1, 2, 4, 8, 16, 32, 50, 64, 128)
BUFFER = 20
ITERATIONS = 3
STEPS = (("connect4", 32), ("othello", 32), ("connect4", 64))
BARS = {"ratio": 2.4, "tree": 0.10, "step 32": 2.8, "step 64": 1.7, "products": 0.90, "narrow": 1.7, "compile": 15.0,
        "data": 0.05, "batch": 0.85, "memory": 1.0}  # fmt: skip
"""What the figures should be, at least or at most."""
WHOLE = {("laptop", "connect4"): 132.0, ("table", "connect4"): 450.0, ("table", "othello"): 510.0,
         ("table", "gobang"): 240.0}  # fmt: skip
"""CPU seconds that whole runs of 100 iterations should take at most."""

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


def answering(answer: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> Evaluator:
    """What stands for a network, and answers planes by a function."""
    return SimpleNamespace(evaluate=answer)


class Played:
    """The self-play games of one iteration, by the Baseline search with its defaults."""

    def __init__(self, settings: RunSettings, evaluator: Evaluator, seed: int, cache: bool = True):
        board, count = game(settings.game), settings.episodes
        streams = np.array([stream(seed, "bench", number) for number in range(count)])
        guided = GuidedSettings(simulations=settings.simulations, c=settings.c, cache=cache)
        self.search = GuidedSearch(board, guided, evaluator, streams)
        self.table = Table(board, [board.start()] * count)
        seat = GuidedSeat(self.search, settings.sampled_plies)
        self.examples = recorded(self.table, [seat, seat], np.zeros(count, int))
        """What training would learn from."""
        self.simulations = settings.simulations * int(self.table.plies.sum())


def exported(network: Network, planes: np.ndarray) -> dict[str, np.ndarray]:
    """An author-shaped network as plain arrays, channels last, batch norm in the weights; planes, and our answers."""
    arrays, layers = {}, [*network.trunk, *network.hidden]
    numbers = {nn.Conv2d: iter(f"convolution{n}" for n in range(9)), nn.Linear: iter(f"hidden{n}" for n in range(9))}
    with torch.no_grad():
        for layer, norm in pairwise(layers):
            if type(layer) in numbers:
                scale = norm.weight / torch.sqrt(norm.running_var + float(EPSILON))
                weight = layer.weight * scale.reshape(-1, *[1] * (layer.weight.dim() - 1))
                name = next(numbers[type(layer)])
                arrays[name] = weight.numpy().transpose(2, 3, 1, 0) if weight.dim() == 4 else weight.numpy().T
                arrays[f"{name}_bias"] = (norm.bias - norm.running_mean * scale).numpy()
        for name in ("policy", "value"):
            layer = getattr(network, name)
            arrays[name], arrays[f"{name}_bias"] = layer.weight.numpy().T, layer.bias.numpy()
    # The rows of the first fully connected layer are in torch's order: channel, row, column.
    channels, width = network.settings.channels, network.settings.hidden[0]
    arrays["hidden0"] = arrays["hidden0"].reshape(channels, -1, width).transpose(1, 0, 2).reshape(-1, width)
    priors, values = CompiledNetwork(network).evaluate(planes)
    return {**arrays, "planes": planes[:, 0], "priors": priors, "values": values}


def beside(network: Network, planes: np.ndarray) -> tuple[bench.Other | None, str]:
    """pgx and mctx with this network, where they can be had; and what there is to say of them."""
    tell("pgx + mctx: starting, comparing the networks, compiling")
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "network.npz"
            np.savez(file, **exported(network, planes))
            peer = bench.Other(ENVIRONMENT, REQUIREMENTS, "pgx_mctx.py", file, XLA_FLAGS=XLA_FLAGS, JAX_PLATFORMS="cpu")
            apart = peer.ask()["apart"]  # it is ready: it has read the file, and compiled
    except (subprocess.CalledProcessError, OSError, RuntimeError) as error:
        said = f"could not be measured: {(getattr(error, 'stderr', None) or str(error)).strip()[-1000:]}"
        tell(f"pgx + mctx {said}")
        return None, said
    return peer, f"outputs of the two networks apart by at most {apart:.1g}"


def self_play(repetitions: int, with_pgx: bool) -> tuple[list[Row], str]:
    """Our self-play and theirs in turn; and what there is to say of theirs."""
    settings = RunSettings(game=PEERS_BOARD, channels=64, hidden=(1024, 512))
    network = Network(settings.network, seed=1)
    evaluator = CompiledNetwork(network)
    warm = Played(settings, evaluator, seed=0).examples  # compiles, and takes the memory that is used again
    peer, said = None, "left out (--without-pgx)"
    if with_pgx:
        peer, said = beside(network, game(PEERS_BOARD).planes(warm.own[::20], warm.opp[::20]))
    rates, busy = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    saved, bound = [], []
    operations = 2 * multiply_adds(network, 1)
    for turn in range(repetitions):
        tell(f"self-play beside pgx + mctx, {turn + 1} of {repetitions}")
        for name, cache in (("ours", True), ("ours, no cache of evaluations", False)):
            (played,), cpu, share = timed(lambda s=turn, c=cache: Played(settings, evaluator, s, c))
            rates[name].append(played.simulations / cpu)
            busy[name].append(share)
            if cache:
                saved.append(1 - played.search.evaluations / played.search.leaves)
                bound.append(peak() / (operations * played.search.evaluations / played.simulations))
            del played
        if peer:
            theirs = peer.ask(moves=PEERS_LONGEST, seed=turn)
            rates["pgx + mctx"].append(theirs["work"] / theirs["cpu"])
            busy["pgx + mctx"].append(theirs["cpu"] / theirs["wall"])
    part = f"self-play, C = 64, 1024/512, {PEERS_BOARD}"
    rows = [row(part, name, "simulations/s", rates[name], busy[name]) for name in rates]
    rows.append(row(part, "evaluations saved by the cache", "share", saved))
    rows.append(row(part, "floating-point operations of an evaluation", "MFLOP", [operations / 1e6]))
    rows.append(row(part, "bound: these evaluations at the core's peak, all else free", "simulations/s", bound))
    rows.append(row(part, "ours / bound", "share", quotients(rates["ours"], bound)))
    if peer:
        peer.process.terminate()
        for name, least in (("ours", BARS["ratio"]), ("ours, no cache of evaluations", None)):
            ratios = quotients(rates[name], rates["pgx + mctx"])
            rows.append(row(part, f"{name} / pgx + mctx", "ratio", ratios, least=least))
        rows.append(row(part, "bound / pgx + mctx", "ratio", quotients(bound, rates["pgx + mctx"])))
    return rows, said


def quotients(some: Sequence[float], others: Sequence[float]) -> list[float]:
    """Of neighbours in time."""
    return [a / b for a, b in zip(some, others, strict=True)]


def tree_share(name: str, repetitions: int) -> list[Row]:
    """How much of self-play in a game is not the network."""
    settings = RunSettings(game=name, channels=64)
    part = f"tree + rules, C = 64, 256/128, {settings.game}"
    evaluator = CompiledNetwork(Network(settings.network, seed=1))
    priors = np.full((settings.episodes, game(name).actions), 1 / game(name).actions, np.float32)
    values = np.zeros(settings.episodes, np.float32)
    constant = answering(lambda planes: (priors[: len(planes)], values[: len(planes)]))
    Played(settings.model_copy(update={"simulations": 2}), evaluator, seed=0)  # compiles
    found, busy = defaultdict[str, list[float]](list), []
    for turn in range(repetitions):
        tell(f"tree and rules in {name}, {turn + 1} of {repetitions}")
        answers: list[tuple[np.ndarray, np.ndarray]] = []

        def kept(planes: np.ndarray, answers=answers) -> tuple[np.ndarray, np.ndarray]:
            answers.append(evaluator.evaluate(planes))
            return answers[-1]

        def played(network: Evaluator, seed: int = turn) -> int:
            """Only a number is kept of what was played, so that its memory is used again, as in a training run."""
            return Played(settings, network, seed).simulations

        def read_back(answers=answers, played=played) -> int:
            each = iter(answers)
            return played(answering(lambda planes: next(each)))

        (simulations,), whole, share = timed(lambda k=kept, p=played: p(answering(k)))
        again, replay, _ = timed(read_back, 0.2)
        other, fixed, _ = timed(lambda p=played: p(constant), 0.2)
        each = whole / simulations
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


# --- the training step -------------------------------------------------------------------------------------------


@kernel
def _chains(start, factor, rounds, out):
    """Fused multiply-adds in registers and nothing else, in twelve chains: what a core can do at most."""
    a, b = splat(start), splat(factor)
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = t0 = t1 = t2 = t3 = splat(start)
    for _ in range(rounds):
        s0, s1, s2, s3 = fma(s0, b, a), fma(s1, b, a), fma(s2, b, a), fma(s3, b, a)
        s4, s5, s6, s7 = fma(s4, b, a), fma(s5, b, a), fma(s6, b, a), fma(s7, b, a)
        t0, t1, t2, t3 = fma(t0, b, a), fma(t1, b, a), fma(t2, b, a), fma(t3, b, a)
    store(out, 0, ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)) + ((t0 + t1) + (t2 + t3)))


def peak() -> float:
    """Floating-point operations per second of one core in fp32."""
    rounds, chains = 2_000_000, (np.float32(1), np.float32(0.5))
    out = np.zeros(LANES, np.float32)
    _chains(*chains, 10, out)
    done, cpu, _ = timed(lambda: _chains(*chains, rounds, out), 0.1)
    return 2 * 12 * LANES * rounds * len(done) / cpu


class Side:
    """One trainer with its network, fed with the same 20,000 examples as any; a turn is a pass over them."""

    def __init__(self, trainer: str, name: str, channels: int):
        self.settings = RunSettings(game=name, channels=channels, epochs=1, trainer=trainer)
        self.network = Network(self.settings.network, seed=1)
        evaluator = CompiledNetwork(Network(self.settings.network))
        examples = Played(preset("smoke", game=name, episodes=20), evaluator, seed=0).examples
        self.examples = [examples] * max(1, 20_000 // len(examples))
        self.steps = sum(map(len, self.examples)) // self.settings.batch
        fitting.fit(self.network, self.settings, self.examples[:1], ("warm",), {})

    def turn(self, number: int) -> float:
        """Seconds of a step."""
        original = "_pass" if self.settings.trainer == "torch" else "train_pass"
        kept, spent = getattr(fitting, original), []

        def clocked(*arguments: Any) -> Any:
            began = time.process_time()
            answer = kept(*arguments)
            spent.append(time.process_time() - began)
            return answer

        with mock.patch.object(fitting, original, clocked):
            fitting.fit(self.network, self.settings, self.examples, ("bench", number), {})
        return spent[0] / self.steps


def product_share(name: str, channels: int) -> float:
    """Floating-point operations per second of the three products of a step, one layer after the other."""
    network = Network(RunSettings(game=name, channels=channels).network, seed=1)
    layout, boards = layout_of(network.settings), 64
    x, y, w = aligned(layout.size * boards), aligned(layout.size * boards), aligned(layout.weights)
    plan, block, square = layout.plan, boards * WIDTH, WIDTH * WIDTH
    layers = [{name: int(row[name]) for name in row.dtype.names} for row in plan.layers[1:]]

    def all_layers() -> None:
        for row in layers:
            x_at, y_at, outputs = row["x_at"] * boards, row["y_at"] * boards, row["cells"] * row["panels"]
            multiply(x, x_at, block, False, boards, w, row["w_at"], square, WIDTH, plan.tables, row["forward"],
                     outputs, y, y_at, block, False)  # fmt: skip
            multiply(y, y_at, block, False, boards, w, row["w_at"], square, WIDTH, plan.tables, row["backward"],
                     row["inputs"], x, x_at, block, False)  # fmt: skip
            multiply(x, x_at, block, True, WIDTH, y, y_at, block, boards, plan.tables, row["gradient"],
                     row["blocks"], w, row["w_at"], square, False)  # fmt: skip

    pairs = sum(int(plan.tables[row["forward"] + row["cells"] * row["panels"]]) - int(plan.tables[row["forward"]])
                for row in layers) // 2  # fmt: skip
    all_layers()
    done, cpu, _ = timed(all_layers, 0.1)
    return 2 * 3 * pairs * boards * square * len(done) / cpu


def step(repetitions: int, kinds: Sequence[tuple[str, int]] = STEPS) -> list[Row]:
    """A step of ours beside one of torch's, in turn, on the same examples."""
    rows = []
    for name, channels in kinds:
        settings = RunSettings(game=name, channels=channels)
        part = f"training step, C = {channels}, 256/128, batch {settings.batch}, {settings.game}"
        sides = {trainer: Side(trainer, name, channels) for trainer in ("compiled", "torch")}
        found = defaultdict[str, list[float]](list)
        for number in range(repetitions):
            tell(f"training step, {name}, C = {channels}, {number + 1} of {repetitions}")
            for trainer, side in sides.items():
                found[trainer].append(1e6 * side.turn(number))
            found["ratio"].append(found["torch"][-1] / found["compiled"][-1])
            top = peak()
            found["peak"].append(top / 1e9)
            found["products"].append(product_share(name, channels) / top)
        rows += [row(part, trainer, "µs", found[trainer]) for trainer in sides]
        rows.append(row(part, "torch / compiled", "ratio", found["ratio"], least=BARS[f"step {channels}"]))
        rows.append(row(part, "the core's peak in fp32", "GFLOP/s", found["peak"]))
        rows.append(row(part, "products / peak", "share", found["products"], least=BARS["products"]))
    return rows


def narrow_step(repetitions: int) -> list[Row]:
    """The same with both sides held to AVX2, in a process of its own; and how long the kernels take to compile."""

    def elsewhere(*arguments: str, **variables: str) -> Any:
        environment = {**os.environ, "PYTHONPATH": str(bench.ROOT), **variables}
        command = [sys.executable, __file__, *arguments]
        return json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)

    with tempfile.TemporaryDirectory() as cache:
        found = elsewhere(
            "--narrow", str(repetitions), NUMBA_CPU_NAME="haswell", NUMBA_CPU_FEATURES="", NUMBA_CACHE_DIR=cache,
            ATEN_CPU_CAPABILITY="avx2", ONEDNN_MAX_CPU_ISA="AVX2", MKL_ENABLE_INSTRUCTIONS="AVX2",
        )  # fmt: skip
        seconds = elsewhere("--compile", NUMBA_CACHE_DIR=cache + "/wide")
    part = "training step held to AVX2, C = 32, 256/128, batch 64, connect4-6x6-k4"
    return [
        *(row(part, trainer, "µs", found[trainer]) for trainer in ("compiled", "torch")),
        row(part, "torch / compiled", "ratio", found["torch / compiled"], least=BARS["narrow"]),
        row("kernels", "compiling those of fitting and evaluation, cold, in one process", "CPU s", [seconds],
            most=BARS["compile"]),
    ]  # fmt: skip


def narrow(repetitions: int) -> None:
    """What the process of :func:`narrow_step` does."""
    rows = step(repetitions, [("connect4", 32)])
    print(json.dumps({r["what"]: [r["lowest"], r["median"], r["highest"]] for r in rows}))


def compile_kernels() -> None:
    """What the process that measures compiling does."""
    settings = RunSettings(game="connect4", channels=4, hidden=(8,), epochs=1, batch=2)
    network = Network(settings.network)
    words = np.arange(1, 9, dtype=np.uint64)
    policy = np.full((8, 6), 1 / 6, np.float32)
    examples = Examples(words, words << np.uint64(8), policy, np.zeros(8, np.int8), np.zeros(8, int), np.zeros(8, int))
    began = time.process_time()
    fitting.fit(network, settings, [examples], ("bench",), {})
    CompiledNetwork(network).evaluate(np.zeros((1, 1, 6, 6), np.float32))
    print(time.process_time() - began)


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


def data_share(repetitions: int) -> Row:
    """What a fit does beside its steps, over these."""
    side, found = Side("compiled", BOARD, 32), []
    for number in range(repetitions):
        began = time.process_time()
        inside = side.turn(number) * side.steps
        found.append((time.process_time() - began - inside) / inside)
    part = f"a fit, C = 32, {side.settings.game}"
    return row(part, "data handling / its steps", "share", found, most=BARS["data"])


# --- evaluations by batch size -----------------------------------------------------------------------------------


def throughput(repetitions: int, seconds: float) -> list[Row]:
    """Positions per second of the laptop network."""
    settings = preset("laptop", game=BOARD)
    part = f"evaluations, C = {settings.channels}, 256/128, {settings.game}"
    network = Network(settings.network, seed=1)
    compiled = CompiledNetwork(network)
    evaluators: dict[str, Evaluator] = {"compiled": compiled, "torch": TorchNetwork(network, "cpu")}
    examples = Played(settings, compiled, seed=0).examples
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
        least = BARS["batch"] if name == "compiled" else None
        ratios = quotients(found[name, 16], found[name, 50])
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
        most = WHOLE.get((name, board.split("-")[0])) if iterations == 100 else None
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
| `part` | what it belongs to: self-play, tree + rules, the training step, evaluations by batch size, a laptop run; with the network's channels C and the widths of its fully connected layers |
| `what`, `unit` | what was measured, and in what; rates, times and shares are of the CPU time of one thread |
| `median`, `lowest`, `highest` | over the repetitions (of a run: over its iterations, or over stored runs of the latest code that trained such) |
| `repetitions` | how many there were |
| `cpu_per_wall` | CPU time per wall time, median; well below 1 when the machine was busy |
| `bar`, `verdict` | what the median should be at least or at most, and whether it is |
"""  # noqa: E501


def publish(rows: list[Row], where: dict[str, str], said: str) -> None:
    """Write the figures to data/bench."""
    folder = bench.ROOT / "data" / "bench"
    bench.write_csv(folder / "learning.csv", rows)
    machine = ", ".join(f"{name} {value}" for name, value in where.items())
    bench.put_section(folder / "README.md", README.format(machine=machine, said=said))
    tell(f"published in {folder.relative_to(bench.ROOT)}")


def renew(rows: list[Row], keep: bool) -> int:
    """Show the rows of stored runs, and put them in the place of those that are published."""
    print(tables(rows))
    if keep:
        path = bench.ROOT / "data" / "bench" / "learning.csv"
        published = pd.read_csv(path)
        others = published[~published["part"].str.startswith("stored ")]
        bench.write_csv(path, [*others.to_dict("records"), *rows])
    return int(any(r["verdict"] == "NOT MET" for r in rows))


def on_one_core() -> None:
    """This process and those that it starts, where the system allows it."""
    torch.set_num_threads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def asked() -> argparse.Namespace:
    """The options, of which wrong ones end the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.3, help="CPU time of a small measurement, at least (0.3)")
    parser.add_argument("--repetitions", type=int, default=3, help="measurements of each kind, at least 3 (3)")
    parser.add_argument("--without-pgx", action="store_true", help="measure ours alone, without installing theirs")
    parser.add_argument("--store", type=Path, metavar="FOLDER", help="stored runs to go on from, and to list")
    parser.add_argument("--publish", action="store_true", help="also write the figures to data/bench")
    parser.add_argument(
        "--renew-stored", action="store_true", help="measure nothing: only list the runs of --store anew"
    )
    parser.add_argument("--narrow", type=int, metavar="N", help=argparse.SUPPRESS)
    parser.add_argument("--compile", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.repetitions < 3 or options.seconds <= 0:
        parser.error("at least 3 repetitions of more than 0 seconds")
    if options.publish and options.without_pgx:
        parser.error("only a whole benchmark is published: with pgx and mctx")
    if options.store and not (options.store / "run").is_dir():
        parser.error(f"{options.store} holds no runs")
    if options.renew_stored and not options.store:
        parser.error("--renew-stored needs --store")
    return options


def measured(options: argparse.Namespace) -> tuple[list[Row], str]:
    """All figures, and what there is to say of pgx and mctx."""
    rows, said = self_play(options.repetitions, not options.without_pgx)
    for name in BOARDS:
        rows += tree_share(name, options.repetitions)
    rows += step(options.repetitions)
    rows += narrow_step(options.repetitions)
    rows.append(data_share(options.repetitions))
    rows += throughput(options.repetitions, options.seconds)
    tell(f"{ITERATIONS} iterations of a laptop run")
    rows += alone(preset("laptop", game=BOARD), None)
    if options.store:
        full = with_full_buffer(options.store)
        tell(f"{ITERATIONS} iterations with a full buffer" if full else "no stored run has a full buffer")
        rows += alone(full, options.store) if full else []
        rows += stored_runs(options.store)
    return rows, said


def main() -> int:
    """Measure, show, and keep where asked to."""
    options, load = asked(), os.getloadavg()[0]
    if options.renew_stored:
        return renew(list(stored_runs(options.store)), options.publish)
    on_one_core()
    if options.narrow or options.compile:
        narrow(options.narrow) if options.narrow else compile_kernels()
        return 0
    rows, said = measured(options)
    beside_pgx = any("pgx + mctx" in r["what"] for r in rows)
    where = bench.machine(False, load) | {"torch": version("torch")}
    if beside_pgx:
        pinned = bench.pinned(REQUIREMENTS)
        where |= {name: pinned[name] for name in ("jax", "jaxlib", "mctx", "pgx")}
    build = bench.ROOT / "_build" / "bench"
    build.mkdir(parents=True, exist_ok=True)
    kept = {"machine": where, "pgx_mctx": said, "learning": rows}
    (build / "learning.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    print(", ".join(f"{name} {value}" for name, value in where.items()))
    print(f"pgx + mctx: {said}\n")
    print(tables(rows))
    if options.publish and beside_pgx:
        publish(rows, where, said)
    elif options.publish:
        tell("not published: only a whole benchmark is, with pgx and mctx")
    missed = any(r["verdict"] == "NOT MET" for r in rows)
    return 1 if missed or not (beside_pgx or options.without_pgx) else 0


if __name__ == "__main__":
    sys.exit(main())
