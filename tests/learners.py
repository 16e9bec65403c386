"""Networks and examples for the tests of what learns."""

from dataclasses import dataclass

import numpy as np
import torch

from wslib.games import Game, game
from wslib.network.fit import FitSettings, fit
from wslib.network.model import Network, NetworkSettings

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
