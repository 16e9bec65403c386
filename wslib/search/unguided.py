"""Searches without a network, game after game: leaves are played out at random (thesis Alg. 4)."""

import numpy as np

from wslib.games import Game
from wslib.search import kernels
from wslib.search.settings import SearchSettings
from wslib.search.tree import grown, plant


class UnguidedSearch:
    """The searches of one player in a set of games, a random stream for each.

    The trees are kept for the whole game, or one piece of memory serves every move of every game.
    """

    def __init__(self, game: Game, settings: SearchSettings, streams: np.ndarray):
        self.game, self.settings, self.streams = game, settings, streams
        self.plan, self.kept = kernels.make_plan(settings), settings.tree == "kept"
        trees = len(streams) if self.kept else 1
        self.forest = plant(game.rules, trees, settings.simulations + 1, settings.rave)

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        """The actions (n,) after a search of each of ``games`` (n,), which are in the states ``own``, ``opp`` (n,)."""
        actions = np.empty(len(games), np.int64)
        self.grow(games if self.kept else np.zeros_like(games), games, own, opp, not self.kept, actions)
        return actions

    def run(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> None:
        """Add the settings' number of simulations to the trees of these games; no move is chosen."""
        self.grow(games, games, own, opp, False, np.empty(0, np.int64))

    def grow(self, trees: np.ndarray, games: np.ndarray, own: np.ndarray, opp: np.ndarray, fresh: bool,
             actions: np.ndarray) -> None:  # fmt: skip
        """Simulations in these trees, emptied first where ``fresh``; moves where there is room for them."""
        if not fresh:
            self.forest = grown(self.game.rules, self.forest, self.settings.simulations + 1)
        kernels.search_moves(self.game.rules, self.plan, self.forest, trees, own, opp, self.streams, games,
                             self.settings.simulations, fresh, actions)  # fmt: skip
