"""How far a player is from perfect play: its moves and values in positions whose truth is known.

Three measures. *Optimal*: the share of moves that keep the value of the position. *Regret*: the value that the move
gives away (win to draw 1, win to loss 2). *Value error*: the distance of the player's value of the position from the
truth. All positions are met side by side, so that a raw network takes milliseconds for hundreds of them.

Sign convention: values are seen by the player to move.
"""

from typing import Any

import numpy as np
import pandas as pd

from wslib._compiled import kernel, stream
from wslib.parameters import ParameterError
from wslib.perfect.positions import UNKNOWN, Positions
from wslib.play import NetworkPlayer, RandomSettings, sit
from wslib.search import SearchSettings
from wslib.search.guided import GuidedSearch
from wslib.search.kernels import choose, make_plan
from wslib.search.tree import find_root, tree_of
from wslib.search.unguided import UnguidedSearch

READINGS = ("visits", "q", "q_rave")


@kernel
def _root_values(forest, games, own, opp, values):
    """The mean value of the simulations through each root, for the player to move: written to ``values`` (n,)."""
    for index in range(len(own)):
        tree = tree_of(forest, games[index])
        root = find_root(tree, own[index], opp[index])
        first, total, visits = np.int64(tree.nodes[root].first), 0.0, 0.0
        for j in range(tree.nodes[root].count):
            total += tree.edges[first + j].w
            visits += tree.edges[first + j].n
        values[index] = total / visits if visits > 0.0 else 0.0


@kernel
def _chosen(rules, plan, forest, own, opp, streams, i):
    """The move by another reading of a finished search."""
    tree = tree_of(forest, 0)
    return choose(rules, plan, tree, find_root(tree, own, opp), False, streams, i)


def measure(player: Any, positions: Positions, seed: int = 0) -> pd.DataFrame:
    """A row per position: set, phase, ply, ``optimal``, ``regret``, (Othello) ``discs_lost``, ``value_error``.

    ``player`` is a network (its most probable legal move, its value), a :class:`wslib.play.NetworkPlayer`, the settings
    of a player without a network, or a function from a position to a move. A random player is measured by expectation.
    What has no value of its own has no ``value_error`` (NaN).

    >>> from wslib.play import player
    >>> from wslib.perfect.positions import load
    >>> float(measure(player("random"), load("connect4", "broad")).optimal.mean()) < 0.9
    True
    """
    if isinstance(player, RandomSettings):
        return _expected(positions)
    actions, values = decisions(player, positions, seed)
    return judge(positions, actions, values)


def judge(positions: Positions, actions: np.ndarray, values: np.ndarray) -> pd.DataFrame:
    """Moves (n,), by the numbers of their actions, and values (n,) held against the truth."""
    rows = np.arange(len(positions))
    truth, got = positions.value, positions.values[rows, actions]
    if np.any(got == UNKNOWN):
        i = int(np.argmax(got == UNKNOWN))
        raise ParameterError(f"{positions.game.action_name(int(actions[i]))} is not legal in\n{positions[i]}")
    frame = positions.labels.assign(optimal=(got == truth).astype(float), regret=(truth - got).astype(float))
    if positions.discs is not None:
        legal = positions.values != UNKNOWN
        most = np.where(legal, positions.discs, -99).max(axis=1)
        frame["discs_lost"] = (most - positions.discs[rows, actions]).astype(float)
    return frame.assign(value_error=np.abs(values - truth))


def _expected(positions: Positions) -> pd.DataFrame:
    """A uniformly random move, by expectation."""
    legal = positions.values != UNKNOWN
    lost = np.where(legal, positions.value[:, None] - positions.values, 0)
    count = legal.sum(axis=1)
    frame = positions.labels.assign(optimal=((lost == 0) & legal).sum(axis=1) / count, regret=lost.sum(axis=1) / count)
    if positions.discs is not None:
        most = np.where(legal, positions.discs, -99).max(axis=1)
        frame["discs_lost"] = np.where(legal, most[:, None] - positions.discs, 0).sum(axis=1) / count
    return frame.assign(value_error=np.nan)


def decisions(player: Any, positions: Positions, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The player's move in each of n positions, and its value of the position (NaN where it has none): (n,) each."""
    if isinstance(player, SearchSettings):
        by_reading, values = search_decisions(player, positions, seed, (player.policy,))
        return by_reading[player.policy], values
    games, streams = np.arange(len(positions)), _streams(positions, seed)
    if isinstance(player, NetworkPlayer):
        searching = GuidedSearch(positions.game, player.settings, player.network, streams)
        searching.run(games, positions.own, positions.opp)
        moves = searching.decide(games, positions.own, positions.opp, np.zeros(len(games), bool))[0]
        values = np.empty(len(games))
        _root_values(searching.forest, games, positions.own, positions.opp, values)
        return moves, values
    if hasattr(player, "evaluate"):
        priors, values = player.evaluate(positions.game.planes(positions.own, positions.opp))
        return np.where(positions.values != UNKNOWN, priors, -1.0).argmax(axis=1), values
    seat = sit(player, positions.game, streams, positions.to_move)
    return seat.choose(games, positions.own, positions.opp), np.full(len(games), np.nan)


def search_decisions(settings: SearchSettings, positions: Positions, seed: int,
                     readings: tuple[str, ...]) -> tuple[dict[str, np.ndarray], np.ndarray]:  # fmt: skip
    """The moves (n,) that one search gives by each of several readings of its tree, and its values (n,) of roots."""
    first, *others = ({"policy": reading, "tree": "fresh"} for reading in readings)
    streams = _streams(positions, seed)
    searching = UnguidedSearch(positions.game, settings.model_copy(update=first), streams)
    plans = {other["policy"]: make_plan(settings.model_copy(update=other)) for other in others}
    moves = {reading: np.empty(len(positions), np.int64) for reading in readings}
    values, tree = np.empty(len(positions)), np.zeros(1, np.int64)
    for i in range(len(positions)):
        own, opp = positions.own[i : i + 1], positions.opp[i : i + 1]
        moves[readings[0]][i] = searching.choose(np.array([i]), own, opp)[0]
        for reading, plan in plans.items():
            moves[reading][i] = _chosen(positions.game.rules, plan, searching.forest, own[0], opp[0], streams, i)
        _root_values(searching.forest, tree, own, opp, values[i : i + 1])
    return moves, values


def _streams(positions: Positions, seed: int) -> np.ndarray:
    """A random stream for each position, by its own name."""
    words = zip(positions.own, positions.opp, strict=True)
    return np.array([stream(seed, "perfect", int(own), int(opp)) for own, opp in words], np.uint64)


def summary(frame: pd.DataFrame) -> dict[str, float | int | None]:
    """The measures over all rows; None for what the player does not have."""
    means: dict[str, float | int | None] = {"positions": len(frame)}
    for name in ("optimal", "regret", "discs_lost", "value_error"):
        mean = float(frame[name].mean()) if name in frame else np.nan
        means[name] = None if np.isnan(mean) else round(mean, 6)
    return means


def by_phase(frame: pd.DataFrame) -> pd.DataFrame:
    """The measures by set and phase."""
    groups = frame.groupby(["set", "phase"], sort=False)
    return pd.DataFrame([{"set": s, "phase": p, **summary(group)} for (s, p), group in groups])
