"""Networks and examples for the tests of what learns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from wslib.games import Game, Position, game
from wslib.network.fit import FitSettings, fit
from wslib.network.model import Network, NetworkSettings
from wslib.training import loop as training
from wslib.training.loop import RunState, advance, start
from wslib.training.settings import RunSettings

three_games = pytest.mark.parametrize("name", ["connect4", "gobang", "othello"])
torch.set_num_threads(1)  # these networks are too small for more, and tests run side by side


@dataclass
class MadeUpExamples:
    """Random positions with random targets, enough to train a few steps on."""

    own: np.ndarray
    opp: np.ndarray
    policy: np.ndarray
    z: np.ndarray


def made_up_examples(board: Game, count: int, seed: int = 0) -> MadeUpExamples:
    """Random stones, policies and outcomes."""
    rng = np.random.default_rng(seed)
    stones = rng.integers(3, size=(count, board.cells))
    bit = np.uint64(1) << np.arange(board.cells, dtype=np.uint64)
    own, opp = (((stones == colour) * bit).sum(axis=1, dtype=np.uint64) for colour in (1, 2))
    policy = rng.dirichlet(np.full(board.actions, 0.3), count).astype(np.float32)
    return MadeUpExamples(own, opp, policy, rng.integers(-1, 2, count).astype(np.int8))


def trained(settings: NetworkSettings, network: Network | None = None) -> Network:
    """A network after a few steps of training, so that its batch norm has statistics of its own."""
    network = network or Network(settings, seed=1)
    fit(
        network,
        FitSettings(epochs=2, batch=32, learning_rate=0.001),
        [made_up_examples(game(settings.game), 64)],
        (1, "test"),
        {},
    )
    return network


def some_planes(name: str, count: int = 20) -> np.ndarray:
    """Planes of random stones."""
    board = game(name)
    return np.random.default_rng(4).integers(-1, 2, (count, 1, board.rows, board.cols)).astype(np.float32)


def learned(settings: FitSettings) -> tuple[Network, float, float]:
    """A network shown 64 positions whose moves and outcomes go together: moves and outcomes that it gets right."""
    board, made = game("connect4"), made_up_examples(game("connect4"), 64)
    shown = MadeUpExamples(made.own, made.opp, np.eye(6, dtype=np.float32)[made.z + 1], made.z)
    network = Network(NetworkSettings(game="connect4", channels=8, hidden=(32,), dropout=0.1), seed=3)
    fit(network, settings, [shown], (0, "test"), {})
    priors, values = network.evaluate(board.planes(made.own, made.opp))
    return network, float(np.mean(priors.argmax(axis=1) == made.z + 1)), float(np.abs(values - made.z).mean())


def small(name: str = "connect4", **changes) -> RunSettings:
    """A run of little work."""
    options = {
        "episodes": 8, "simulations": 8, "sampled_plies": 6, "epochs": 1, "channels": 4, "hidden": (8,),
        "arena_games": 4, "gating": False,
    }  # fmt: skip
    return RunSettings(game=name, **{**options, **changes})


def after(settings: RunSettings, iterations: int) -> tuple[RunState, list[dict]]:
    """A run after some iterations, and what there was to tell of each."""
    state, log = start(settings), []
    for _ in range(iterations):
        state, told = advance(settings, state)
        log.append(told)
    return state, log


def watched(monkeypatch: pytest.MonkeyPatch, name: str) -> list[tuple[tuple, Any]]:
    """The calls that the training loop makes of something that it imports: arguments and answer, as they come."""
    calls, original = list[tuple[tuple, Any]](), getattr(training, name)

    def call(*given):
        calls.append((given, original(*given)))
        return calls[-1][1]

    monkeypatch.setattr(training, name, call)
    return calls


def replayed(name: str, moves: tuple[str, ...]) -> list[list[Position]]:
    """Every position of each game, found by replaying its moves."""
    return [list(game(name).position(text).line()) for text in moves]
