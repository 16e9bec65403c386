"""What one number per player cannot show: who beats whom in circles.

A matrix of log-odds (row against column, antisymmetric) is split into what differences of ratings explain and the rest.
The share of the rest (Balduzzi and others 2018) is never 0 with finitely many games, so it stands beside what the same
games would show if no cycle were there. With few games a pair, look at groups of players instead of players.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog, minimize
from scipy.special import entr, expit

from wslib.parameters import ParameterError

SIMULATED = 200
_SLACK = 1e-9


class Cycles(NamedTuple):
    """How far results are from an order."""

    share: float
    """Of the squared log-odds, what ratings leave unexplained."""
    by_chance: float
    """Its mean in results simulated from ratings alone, with the same numbers of games."""
    by_chance_most: float
    """95 % of those are below this."""
    cyclic: int
    """Triples that beat each other in a circle."""
    triples: int
    """Triples among which every pair is decided."""
    nash: tuple[float, ...]
    """Nash average: how often each is played where nobody gains by playing otherwise; of all such, the most mixed."""


def log_odds(points: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Log-odds of every pair, half a win added to both sides; 0 where nobody met."""
    return np.where(games > 0, np.log((points + 0.5) / (games - points + 0.5)), 0.0)


def cycles(points: np.ndarray, games: np.ndarray, seed: int = 0) -> Cycles:
    """Cycles in results as :func:`wslib.study.statistics.pairings.score_matrix` gives them: points, row against column.

    >>> points = np.array([[0, 9, 1], [1, 0, 9], [9, 1, 0]])  # rock, paper, scissors
    >>> found = cycles(points, points + points.T)
    >>> round(found.share, 2), found.cyclic, [round(p, 2) for p in found.nash]
    (1.0, 1, [0.33, 0.33, 0.33])
    """
    points, games = np.asarray(points, float), np.asarray(games, float)
    if points.shape != games.shape or points.ndim != 2 or points.shape[0] != points.shape[1] or len(points) < 3:
        raise ParameterError("cycles need square matrices of points and games of 3 or more players")
    if not (np.allclose(games, games.T) and np.allclose(points + points.T, games)):
        raise ParameterError("points of both sides of a pair should add up to its games")
    odds, met = log_odds(points, games), games > 0
    share, ratings = unexplained(odds, met)
    draw = np.random.default_rng(seed)
    chance = expit(ratings[:, None] - ratings[None, :])
    shares = []
    for _ in range(SIMULATED):
        drawn = np.triu(draw.binomial(np.rint(games).astype(int), chance), 1)
        simulated = drawn + np.tril(games - drawn.T, -1)
        shares.append(unexplained(log_odds(simulated, games), met)[0])
    ahead = np.where(met & (2 * points > games), 1.0, 0.0)
    decided = ahead + ahead.T
    cyclic, triples = np.trace(ahead @ ahead @ ahead) / 3, np.trace(decided @ decided @ decided) / 6
    most = float(np.quantile(shares, 0.95))
    return Cycles(
        share, float(np.mean(shares)), most, round(cyclic), round(triples), tuple(map(float, nash_average(odds)))
    )


def unexplained(odds: np.ndarray, met: np.ndarray) -> tuple[float, np.ndarray]:
    """Share of the squared log-odds that no ratings explain, and the ratings that explain most."""
    rows, columns = np.nonzero(np.triu(met, 1))
    pairs = np.arange(len(rows))
    design = np.zeros((len(rows), len(odds)))
    design[pairs, rows], design[pairs, columns] = 1, -1
    wanted = odds[rows, columns]
    ratings = np.linalg.lstsq(design, wanted, rcond=None)[0]
    whole = float(wanted @ wanted)
    return (float(np.sum((wanted - design @ ratings) ** 2)) / whole if whole else 0.0), ratings


def nash_average(odds: np.ndarray | Sequence[Sequence[float]]) -> np.ndarray:
    """The most mixed equilibrium of the game in which both sides choose a player and gain its log-odds.

    >>> nash_average([[0, 1], [-1, 0]]).round(2).tolist()
    [1.0, 0.0]
    """
    matrix = np.asarray(odds, float)
    n = len(matrix)
    one = np.ones((1, n))
    # The equilibria are the mixtures that lose to nobody. Pushing each player's share up finds their corners.
    corners = [
        linprog(-np.eye(n)[k], A_ub=-matrix.T, b_ub=np.full(n, _SLACK), A_eq=one, b_eq=[1], bounds=(0, 1)).x
        for k in range(n)
    ]
    inside = np.clip(np.mean(corners, axis=0), 0, 1)
    support = np.flatnonzero(inside > 1e-7)
    if np.ptp(corners, axis=0).max() < 1e-7 or len(support) == 1:
        return inside / inside.sum()

    part = matrix[support]
    mixed = minimize(
        lambda p: -entr(p).sum(), inside[support], jac=lambda p: np.log(np.maximum(p, 1e-300)) + 1,
        bounds=[(0, 1)] * len(support), method="SLSQP",
        constraints=[{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "ineq", "fun": lambda p: p @ part}],
    )  # fmt: skip
    if mixed.success:
        inside[support] = np.clip(mixed.x, 0, 1)
    return inside / inside.sum()
