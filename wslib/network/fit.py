"""Stage 2 of the training loop: fit a network to the examples of the latest iterations (section 5.3.1, Table 5.2).

Everything is computed on the settings' device; networks, and the optimiser's memory between iterations, are kept on the
processor. Another device or precision gives other last bits, so both are part of what a run is.

The loss is the cross-entropy of the policy plus the squared error of the value. Examples are turned and mirrored by the
symmetries of the board. Shuffling, symmetries and dropout draw from named streams.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch.nn import functional as F

from wslib._compiled import stream
from wslib.games import Game, game
from wslib.network.model import Dropout, Network, mixed, pick_device
from wslib.network.settings import FitSettings


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
    optimiser: dict[str, torch.Tensor]


def fit(network: Network, settings: FitSettings, examples: Sequence[ExampleSet], labels: tuple[object, ...],
        memory: dict[str, torch.Tensor]) -> Fitted:  # fmt: skip
    """Train a network in place on these examples; ``labels`` name the random stream."""
    board = game(network.settings.game)
    own, opp = (np.concatenate([getattr(e, name) for e in examples]) for name in ("own", "opp"))
    planes = board.planes(own, opp).reshape(len(own), -1)
    policy = np.concatenate([e.policy for e in examples])
    z = np.concatenate([e.z for e in examples]).astype(np.float32)
    seed = int(stream(*labels)) >> 1  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    device = pick_device(settings.device)
    generator = torch.Generator(device).manual_seed(seed)
    for module in network.modules():
        if isinstance(module, Dropout):
            module.generator = generator
    network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    network.train()
    adam = torch.optim.Adam(network.parameters(), lr=settings.learning_rate, fused=True)
    if settings.optimiser == "carried":
        _restore(adam, memory)
    step, losses = _Step(adam, settings), (0.0, 0.0)
    # The fastest convolutions of a GPU add up in any order.
    with torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True):
        for _ in range(settings.epochs):
            x, pi, z_turned = (part.to(device) for part in _epoch(board, settings, planes, policy, z, rng))
            losses = _pass(network, step, settings, x, pi, z_turned)
    network.eval().to("cpu")
    carried = _memory(adam) if settings.optimiser == "carried" else {}
    told = {"policy_loss": losses[0], "value_loss": losses[1], "positions": len(own)}
    return Fitted(told, carried)


def _epoch(board: Game, settings: FitSettings, planes: np.ndarray, policy: np.ndarray, z: np.ndarray,
           rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    """All examples once, turned and shuffled."""
    count, symmetries = len(z), len(board.symmetries)
    if settings.symmetries == "all":
        index, turned = np.repeat(np.arange(count), symmetries), np.tile(np.arange(symmetries), count)
    else:
        index = np.arange(count)
        turned = rng.integers(symmetries, size=count) if settings.symmetries == "one" else np.zeros(count, int)
    order = rng.permutation(len(index))
    index, turned = index[order], turned[order]
    # What lands in a cell comes from where the inverse symmetry leads.
    cells = np.array([np.argsort(s.cells) for s in board.symmetries])
    actions = np.array([np.argsort(s.actions) for s in board.symmetries])
    x = np.take_along_axis(planes[index], cells[turned], axis=1).reshape(-1, 1, board.rows, board.cols)
    pi = np.take_along_axis(policy[index], actions[turned], axis=1)
    return torch.from_numpy(x), torch.from_numpy(pi), torch.from_numpy(z[index])


class _Step:
    """Adam's step, after the first one straight from the kernel: the class around it costs a twentieth of our time.

    The numbers are the same. All weights share one count of steps, which the kernel reads and does not write.
    """

    def __init__(self, adam: torch.optim.Adam, settings: FitSettings):
        self.adam, self.direct = adam, settings.device == "cpu"
        self.weights: list[Any] = adam.param_groups[0]["params"]
        # Gradients too small for float16 are scaled up on their way; with other precisions this does nothing.
        self.scaler = torch.amp.GradScaler(settings.device, enabled=settings.precision == "float16")
        self.means: list[torch.Tensor] = []
        self.squares: list[torch.Tensor] = []
        self.counts: list[torch.Tensor] = []

    def __call__(self, loss: torch.Tensor) -> None:
        """Follow the gradient of this loss."""
        for weight in self.weights:
            weight.grad = None
        self.scaler.scale(loss).backward()
        if not self.counts:
            self.scaler.step(self.adam)
            self.scaler.update()
            if self.direct:
                self._take_over()
            return
        self.counts[0] += 1
        group = self.adam.param_groups[0]
        gradients: list[Any] = [weight.grad for weight in self.weights]
        with torch.no_grad():
            torch._fused_adam_(
                self.weights, gradients, self.means, self.squares, [], self.counts, lr=group["lr"],
                beta1=group["betas"][0], beta2=group["betas"][1], eps=group["eps"], weight_decay=0.0, amsgrad=False,
                maximize=False,
            )  # fmt: skip

    def _take_over(self) -> None:
        state = [self.adam.state[weight] for weight in self.weights]
        for entry in state:
            entry["step"] = state[0]["step"]
        names = ("exp_avg", "exp_avg_sq", "step")
        self.means, self.squares, self.counts = ([entry[name] for entry in state] for name in names)


def _pass(network: Network, step: _Step, settings: FitSettings, x: torch.Tensor, pi: torch.Tensor,
          z: torch.Tensor) -> tuple[float, float]:  # fmt: skip
    """One pass in batches of equal size (what is left over waits for the next shuffle); the mean losses."""
    size = min(settings.batch, len(x))
    steps = len(x) // size
    sums = torch.zeros(2, device=x.device)
    batches = (part[: steps * size].split(size) for part in (x, pi, z))
    for planes, policy, result in zip(*batches, strict=True):
        with mixed(x.device, settings.precision):
            logs, values = network(planes)
        policy_loss, value_loss = -(policy * logs).sum(1).mean(), F.mse_loss(values, result)
        step(policy_loss + value_loss)
        sums += torch.stack([policy_loss.detach(), value_loss.detach()])
    return float(sums[0] / steps), float(sums[1] / steps)


def _memory(adam: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """Adam's memory as plain tensors."""
    state = adam.state_dict()["state"]
    return {
        f"{number}.{name}": kept.cpu().contiguous().clone()
        for number, entry in state.items()
        for name, kept in entry.items()
    }


def _restore(adam: torch.optim.Optimizer, memory: dict[str, torch.Tensor]) -> None:
    weights, state = adam.param_groups[0]["params"], dict[int, dict[str, torch.Tensor]]()
    for key, kept in memory.items():
        number, name = key.split(".")
        # A copy, for Adam writes into it; laid out as the weights are, which its fused step takes for granted.
        copy = torch.empty_like(weights[int(number)]).copy_(kept) if kept.dim() else kept.clone()
        state.setdefault(int(number), {})[name] = copy
    adam.load_state_dict({**adam.state_dict(), "state": state})
