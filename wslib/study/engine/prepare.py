"""Compile the kernels before they are needed, as ``make book`` does: up to a minute, once for each version of the code.

Kernels compile when they are first called, and two notebooks that start together would compile the same ones twice.
"""

from typing import Any

from wslib._kernel_cache import sync
from wslib.games import game
from wslib.network.model import Network, NetworkSettings
from wslib.network.runtime import CompiledNetwork
from wslib.perfect.solver import solve
from wslib.play import METHODS, NetworkPlayer, RandomSettings, match, player
from wslib.prompt.searches import search
from wslib.search import GuidedSettings
from wslib.study.presets import preset
from wslib.training.loop import advance, start

BUDGETS: dict[str, Any] = {"random": {}, "rhea": {"rollouts": 20}}
"""What a player takes that counts no simulations."""


def prepare() -> None:
    """Call everything that compiles (each player and search, a training run, both solvers), and keep it durably."""
    board = game("connect4")
    for method in METHODS:
        match(board, player(method, **BUDGETS.get(method, {"simulations": 4})), RandomSettings(), games=2)
    network = CompiledNetwork(Network(NetworkSettings(game=board.id, channels=4)))
    match(board, NetworkPlayer(network, GuidedSettings(method="wrora", simulations=4)), RandomSettings(), games=2)
    search(board.start(), network, method="wrora", simulations=4)
    search(board.start(), method="rave", simulations=4)
    run = preset("smoke", game=board.id)
    advance(run, start(run))
    solve(game("gobang", 4).start())
    solve(game("othello-4x4").start())
    sync()


if __name__ == "__main__":
    prepare()
