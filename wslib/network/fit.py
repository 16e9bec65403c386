"""Stage 2 of the training loop: fit a network to the examples of the latest iterations (section 5.3.1, Table 5.2).

The loss is the cross-entropy of the policy plus the squared error of the value. Examples are turned and mirrored by the
symmetries of the board. Two trainers do the same arithmetic:

- ``compiled``: our own kernels, on the processor. The same settings give the same weights, to the last bit, on every
  processor and with every version of every library.
- ``torch``: on the settings' device, for a GPU. Last bits depend on the device, the precision and torch's version.

Shuffling, symmetries and dropout draw from named streams. Networks, and the optimiser's memory between iterations, are
kept on the processor.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
import torch
from numba.core.registry import cpu_target
from torch.nn import functional as F

from wslib._compiled import below, kernel, stream
from wslib.games import Game, game
from wslib.network.kernels import Batch, Examples, Fit, train_pass
from wslib.network.lanes import aligned
from wslib.network.layout import layout_of
from wslib.network.model import Network, mixed, pick_device
from wslib.network.settings import FitSettings

SHARES = 1 << 32
"""Dropout compares 32 bits of a random word with its share of this."""

Memory = dict[str, np.ndarray]
"""What an optimiser remembers from one fit to the next."""


class ExampleSet(Protocol):
    """Positions with their targets."""

    @property
    def own(self) -> np.ndarray: ...
    @property
    def opp(self) -> np.ndarray: ...
    @property
    def policy(self) -> np.ndarray: ...
    @property
    def z(self) -> np.ndarray: ...


@dataclass(frozen=True)
class Fitted:
    """What there is to tell of a fit, and the optimiser's memory where it is carried over."""

    told: dict[str, Any]
    optimiser: Memory


def fit(network: Network, settings: FitSettings, examples: Sequence[ExampleSet], labels: tuple[object, ...],
        memory: Memory) -> Fitted:  # fmt: skip
    """Train a network in place on these examples; ``labels`` name the random streams."""
    shown = _gathered(game(network.settings.game), settings, examples)
    trainer = _fit_by_torch if settings.trainer == "torch" else _fit_compiled
    (policy_loss, value_loss), optimiser = trainer(network, settings, shown, labels, memory)
    network.eval()
    told = {"policy_loss": policy_loss, "value_loss": value_loss, "positions": len(shown.z)}
    return Fitted(told, optimiser if settings.optimiser == "carried" else {})


def _gathered(board: Game, settings: FitSettings, examples: Sequence[ExampleSet]) -> Examples:
    """All examples as the trainers take them, not yet shuffled."""
    own, opp, policy, z = (
        np.concatenate([getattr(e, name) for e in examples]) for name in ("own", "opp", "policy", "z")
    )
    shown, turns = np.arange(len(z)), np.zeros(len(z), int)
    if settings.symmetries == "all":
        shown, turns = np.repeat(shown, len(board.symmetries)), np.tile(np.arange(len(board.symmetries)), len(z))
    return Examples(
        planes=board.planes(own, opp).reshape(len(z), -1),
        policy=policy,
        z=z.astype(np.float32),
        # What lands in a cell comes from where the inverse symmetry leads.
        cells=np.array([np.argsort(s.cells) for s in board.symmetries]),
        actions=np.array([np.argsort(s.actions) for s in board.symmetries]),
        order=np.stack([shown, turns], axis=1),
    )


@kernel
def _shuffle(order, symmetries, streams):
    """Shuffle the examples (Fisher and Yates); where there are ``symmetries``, draw one for each."""
    for last in range(len(order) - 1, 0, -1):
        other = below(streams, 0, last + 1)
        order[last, 0], order[other, 0] = order[other, 0], order[last, 0]
        order[last, 1], order[other, 1] = order[other, 1], order[last, 1]
    if symmetries > 0:
        for row in range(len(order)):
            order[row, 1] = below(streams, 0, symmetries)


def _shuffled(settings: FitSettings, shown: Examples, streams: np.ndarray) -> None:
    """Put the examples into the order of one pass."""
    _shuffle(shown.order, len(shown.cells) if settings.symmetries == "one" else 0, streams)


# --- our own kernels ----------------------------------------------------------------------------------------------


def _fit_compiled(network: Network, settings: FitSettings, shown: Examples, labels: tuple[object, ...],
                  memory: Memory) -> tuple[tuple[float, float], Memory]:  # fmt: skip
    """By :mod:`wslib.network.kernels`; the mean losses of the last pass, and Adam's moments."""
    refuse_flushed_numbers()
    _warn_without_fma()
    layout, boards = layout_of(network.settings), min(settings.batch, len(shown.order))
    weights, running = layout.pack(network)
    batch = Batch(aligned(layout.size * boards), aligned(layout.size * boards), aligned(layout.statistics))
    fitted = Fit(
        weights=weights,
        turned=aligned(layout.weights),
        gradients=aligned(layout.weights),
        means=aligned(layout.weights),
        squares=aligned(layout.weights),
        powers=np.ones(2),
        deltas=aligned(layout.size * boards),
        masks=aligned(layout.masks * boards),
        statistics=aligned(layout.statistics),
        running=running,
    )
    if settings.optimiser == "carried":
        for name, moment in memory.items():
            getattr(fitted, name)[:] = moment
    dropped = round(network.settings.dropout * SHARES)
    kept = np.float32(1 / (1 - dropped / SHARES))
    seen = shown._replace(cells=layout.seen(shown.cells))
    streams, masks = np.array([stream(*labels, "shuffle")]), stream(*labels, "dropout")  # type: ignore[arg-type]
    losses, chances, step = np.zeros(2), np.zeros(shown.policy.shape[1]), 0
    for _ in range(settings.epochs):
        _shuffled(settings, shown, streams)
        losses[:], before = 0, step
        step = train_pass(layout.plan, boards, batch, fitted, seen, settings.learning_rate, masks, step,
                          np.uint64(dropped), kept, losses, chances)  # fmt: skip
    layout.unpack(network, weights, running, step)
    policy_loss, value_loss = losses / (step - before)
    moments = {name: np.array(getattr(fitted, name)) for name in ("means", "squares", "powers")}
    return (float(policy_loss), float(value_loss)), moments


@kernel
def _product(a, b):
    return a * b


def refuse_flushed_numbers() -> None:
    """See to it that numbers below the normal ones are kept: some libraries switch that off for a whole process."""
    small = np.float32(2e-38), np.float32(0.25)  # each of them is normal, their product is not
    if _product(*small) == 0:
        torch.set_flush_denormal(False)
        if _product(*small) == 0:
            raise RuntimeError(
                "this process flushes numbers below 1.2e-38 to zero (a library has set the processor so), which would "
                "change results: compute in a process without that library"
            )


@cache
def _warn_without_fma() -> None:
    """Tell once of a processor on which a fit takes a hundred times as long."""
    _, _, features = cpu_target.target_context.codegen().magic_tuple()
    if "-fma" in features.split(",") and "+neon" not in features:
        warnings.warn(
            "this processor has no fused multiply-add: training gives the same results, about a hundred times slower",
            stacklevel=2,
        )


# --- torch --------------------------------------------------------------------------------------------------------


def _fit_by_torch(network: Network, settings: FitSettings, shown: Examples, labels: tuple[object, ...],
                  memory: Memory) -> tuple[tuple[float, float], Memory]:  # fmt: skip
    """By torch on the settings' device; the mean losses of the last pass, and Adam's state."""
    device = pick_device(settings.device)
    network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    network.train()
    adam = torch.optim.Adam(network.parameters(), lr=settings.learning_rate, fused=True)
    if settings.optimiser == "carried":
        _restore(adam, memory)
    # Gradients too small for float16 are scaled up on their way; with other precisions this does nothing.
    scaler = torch.amp.GradScaler(settings.device, enabled=settings.precision == "float16")
    streams, losses = np.array([stream(*labels, "shuffle")]), (0.0, 0.0)  # type: ignore[arg-type]
    with torch.random.fork_rng(), torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True):
        torch.manual_seed(int(stream(*labels, "dropout")) >> 1)  # type: ignore[arg-type]
        for _ in range(settings.epochs):
            _shuffled(settings, shown, streams)
            losses = _pass(network, adam, scaler, settings, [part.to(device) for part in _turned(shown)])
    network.to("cpu")
    return losses, _moments(adam)


def _turned(shown: Examples) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Planes (n, 1, rows, cols as one), policies and outcomes in the order of a pass, turned."""
    index, turns = shown.order.T
    x = np.take_along_axis(shown.planes[index], shown.cells[turns], axis=1)
    pi = np.take_along_axis(shown.policy[index], shown.actions[turns], axis=1)
    return torch.from_numpy(x), torch.from_numpy(pi), torch.from_numpy(shown.z[index])


def _pass(network: Network, adam: torch.optim.Optimizer, scaler: Any, settings: FitSettings,
          parts: Sequence[torch.Tensor]) -> tuple[float, float]:  # fmt: skip
    """One pass in batches of equal size (what is left over waits for the next shuffle); the mean losses."""
    board, count = game(network.settings.game), len(parts[0])
    size = min(settings.batch, count)
    steps = count // size
    sums = torch.zeros(2, device=parts[0].device)
    for cells, policy, z in zip(*(part[: steps * size].split(size) for part in parts), strict=True):
        with mixed(cells.device, settings.precision):
            logs, values = network(cells.reshape(-1, 1, board.rows, board.cols))
        policy_loss, value_loss = -(policy * logs).sum(1).mean(), F.mse_loss(values, z)
        adam.zero_grad()
        scaler.scale(policy_loss + value_loss).backward()
        scaler.step(adam)
        scaler.update()
        sums += torch.stack([policy_loss.detach(), value_loss.detach()])
    return float(sums[0] / steps), float(sums[1] / steps)


def _moments(adam: torch.optim.Optimizer) -> Memory:
    """Adam's state as plain arrays, named by the number of the parameter."""
    state = adam.state_dict()["state"]
    return {f"{number}.{name}": kept.cpu().numpy().copy() for number, entry in state.items()
            for name, kept in entry.items()}  # fmt: skip


def _restore(adam: torch.optim.Optimizer, memory: Memory) -> None:
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, kept in memory.items():
        number, name = key.split(".")
        state.setdefault(int(number), {})[name] = torch.from_numpy(kept.copy())
    adam.load_state_dict({**adam.state_dict(), "state": state})
