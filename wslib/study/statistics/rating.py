"""Bayesian Elo: strengths of players from the games between them, with draws, the first move, and intervals.

The model is Rao and Kupper's with an advantage for whoever moves first. With ``s = ln(10) / 400``, the logistic
function ``f`` and ``z = R_first - R_second + advantage``, all in Elo::

    P(win) = f(s (z - drawelo))      P(loss) = f(s (-z - drawelo))      P(draw) = the rest

The log-likelihood is concave in ratings, advantage and drawelo, so Newton's method finds its only maximum. The prior
is a number of virtual draws: each player gets about ``prior`` of them, shared out over the opponents met.

Signs: a positive difference means that the first-named player is stronger; results count from the side of ``first``.
Only differences inside one pool of players mean something; the mean rating of a pool is ``offset``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit, ndtr, ndtri

from wslib.parameters import ParameterError, Parameters
from wslib.study.statistics.pairings import components, first_listed, matrices, ordered_pairs, player_names
from wslib.study.statistics.stats import ALPHA

S = np.log(10) / 400
GRID, GRID_END = 1001, 1500.0
"""Cells of the exact distribution, and where they end on both sides, in Elo."""
_NEWTON_STEPS, _CLOSE = 200, 1e-9
_NO_DRAWELO = 2500.0
"""Elo: where an estimate comes so far (equal players decide one game in a million), it has no end."""


class RatingSettings(Parameters):
    """How results become ratings."""

    advantage: float | None = Field(None, description="Elo of the first move; nothing: estimated")
    drawelo: float | None = Field(None, gt=0, description="Elo that make draws; nothing: estimated")
    prior: float = Field(2.0, ge=0, description="virtual draws per player")
    colours: Literal["kept", "first listed"] = Field(
        "kept",
        description="'first listed' adds a pair's colours up and gives the first move to whoever is listed first",
    )
    scaled: bool = Field(
        True, description="shrink, so that equal players' expected score is as steep as on Elo's curve"
    )
    offset: float = Field(0.0, description="mean of all ratings, unless a player is anchored")
    anchor: tuple[str, float] | None = Field(None, description="a player and the rating that it is given")
    interval: Literal["covariance", "variance", "exact"] = Field(
        "covariance", description="covariance: ratings vary together; variance: the others fixed; exact: from a grid"
    )
    confidence: float = Field(1 - ALPHA, gt=0, lt=1, description="of the intervals")


THESIS = RatingSettings(advantage=32.8, drawelo=97.3, colours="first listed", interval="exact")
"""How the author's tournaments were rated: chess values for advantage and draws, colours summed."""


class Difference(NamedTuple):
    """A difference of ratings with its interval, and the chance that it is positive: about these players only."""

    elo: float
    low: float
    high: float
    superiority: float

    def __repr__(self) -> str:
        """Rounded: no game tells of a millionth of an Elo point."""
        elo, low, high = (f"{value:.1f}" for value in self[:3])
        return f"Difference(elo={elo}, low={low}, high={high}, superiority={self.superiority:.3f})"


class Outcome(NamedTuple):
    """Chances of a game, for the player who moves first."""

    win: float
    draw: float
    loss: float

    @property
    def score(self) -> float:
        """Expected score."""
        return self.win + self.draw / 2


class Fit(NamedTuple):
    """The most likely ratings (unscaled, mean 0), and what was estimated or given beside them."""

    ratings: np.ndarray
    advantage: float
    drawelo: float
    log_likelihood: float


# --- the fit ------------------------------------------------------------------------------------------------------


def virtual_draws(games: np.ndarray, prior: float) -> np.ndarray:
    """The prior: draws that each ordered pair gets beside its own, from the games of every ordered pair."""
    met = games + games.T
    per_player = met.sum(axis=1, keepdims=True)
    share = np.divide(met, per_player, out=np.zeros(met.shape), where=per_player > 0)
    return prior / 4 * (share + share.T)


def fit(wins: np.ndarray, draws: np.ndarray, losses: np.ndarray, settings: RatingSettings) -> Fit:
    """The most likely ratings for matrices of results (first player in the row), by Newton's method."""
    n = len(wins)
    draws = draws + virtual_draws(wins + draws + losses, settings.prior)
    _check_estimable(wins, draws, losses, settings)
    estimated = np.array([True] * n + [settings.advantage is None, settings.drawelo is None])
    # Natural units: Elo times S.
    point = np.zeros(n + 2)
    point[n], point[n + 1] = S * (settings.advantage or 0.0), S * (settings.drawelo or 100.0)
    likelihood = _log_likelihood(point, wins, draws, losses)
    for _ in range(_NEWTON_STEPS):
        if settings.drawelo is None and point[-1] > S * _NO_DRAWELO:
            break
        gradient, curvature = _slopes(point, wins, draws, losses)
        # The mean of the ratings is free; this keeps it at 0 and changes nothing else.
        curvature[:n, :n] += 1 / n
        step = np.zeros(n + 2)
        try:
            step[estimated] = np.linalg.solve(curvature[np.ix_(estimated, estimated)], gradient[estimated])
        except np.linalg.LinAlgError:
            break
        if np.abs(step).max() < _CLOSE:
            return Fit(point[:n] / S, point[n] / S, point[n + 1] / S, likelihood)
        least = likelihood - 1e-10 * (1 + abs(likelihood))
        while not (likelihood := _log_likelihood(point + step, wins, draws, losses)) >= least:
            step /= 2
        point = point + step
    needed = "drawelo, as 97.3" if settings.drawelo is None else "a prior above 0, as 2"
    raise ParameterError(f"these results set the ratings no limit: give {needed}")


def _check_estimable(wins: np.ndarray, draws: np.ndarray, losses: np.ndarray, settings: RatingSettings) -> None:
    """Where the likelihood has no maximum, say so; the virtual draws are among the draws here."""
    if settings.drawelo is not None:
        return
    if not (draws.sum() and (wins + losses).sum()):
        one_kind = "a draw" if draws.sum() else "decided"
        raise ParameterError(f"every game is {one_kind}, so drawelo cannot be estimated: give one, as 97.3")
    if settings.advantage is None and not (wins.sum() and losses.sum()):
        always = "loses" if wins.sum() else "wins"
        raise ParameterError(
            f"whoever moves first never {always}, so advantage and drawelo cannot both be estimated: give one, as "
            "advantage 0"
        )


def _log_likelihood(point: np.ndarray, wins: np.ndarray, draws: np.ndarray, losses: np.ndarray) -> float:
    """A draw counts as one win plus one loss plus the constant ln(θ² - 1), θ = exp(drawelo)."""
    z, d = _lead(point), point[-1]
    if d <= 0:
        return -np.inf
    logs = (wins + draws) * log_expit(z - d) + (losses + draws) * log_expit(-z - d)
    return float(logs.sum() + draws.sum() * (2 * d + np.log(-np.expm1(-2 * d))))


def _lead(point: np.ndarray) -> np.ndarray:
    """What the first player is ahead by, of every ordered pair."""
    ratings, advantage = point[:-2], point[-2]
    return ratings[:, None] - ratings[None, :] + advantage


def _slopes(point: np.ndarray, wins: np.ndarray, draws: np.ndarray, losses: np.ndarray):
    """Gradient and negative Hessian of the log-likelihood in ratings, advantage, drawelo."""
    n, z, d = len(wins), _lead(point), point[-1]
    won, lost = wins + draws, losses + draws
    p, q = expit(z - d), expit(-z - d)
    by_win, by_loss = won * (1 - p), lost * (1 - q)
    upward = by_win - by_loss  # the slope in z, and below minus the second derivatives in (z, z) and (z, d)
    bend, twist = by_win * p + by_loss * q, by_loss * q - by_win * p
    left = -np.expm1(-2 * d)
    gradient = np.empty(n + 2)
    gradient[:n] = upward.sum(axis=1) - upward.sum(axis=0)
    gradient[n] = upward.sum()
    gradient[n + 1] = 2 * draws.sum() / left - (by_win + by_loss).sum()
    negative = np.empty((n + 2, n + 2))
    negative[:n, :n] = _laplacian(bend + bend.T)
    for k, mixed in ((n, bend), (n + 1, twist)):
        negative[:n, k] = negative[k, :n] = mixed.sum(axis=1) - mixed.sum(axis=0)
    negative[n, n] = bend.sum()
    negative[n, n + 1] = negative[n + 1, n] = twist.sum()
    negative[n + 1, n + 1] = bend.sum() + 4 * draws.sum() * (1 - left) / left**2
    return gradient, negative


def _laplacian(weights: np.ndarray) -> np.ndarray:
    return np.diag(weights.sum(axis=1)) - weights


# --- intervals ----------------------------------------------------------------------------------------------------


def information(found: Fit, wins: np.ndarray, draws: np.ndarray, losses: np.ndarray, prior: float) -> np.ndarray:
    """What each pair's games say about its difference: the curvature in 1 / Elo², advantage and drawelo held fixed."""
    draws = draws + virtual_draws(wins + draws + losses, prior)
    z, d = S * (found.ratings[:, None] - found.ratings[None, :] + found.advantage), S * found.drawelo
    p, q = expit(z - d), expit(-z - d)
    ordered = S**2 * ((wins + draws) * p * (1 - p) + (losses + draws) * q * (1 - q))
    return ordered + ordered.T


def covariance_of(information: np.ndarray) -> np.ndarray:
    """Covariance of the ratings under a fixed mean, in Elo²: the pseudo-inverse of the Laplacian."""
    mean = 1 / len(information)
    return np.linalg.inv(_laplacian(information) + mean) - mean


def exact_bounds(found: Fit, wins: np.ndarray, draws: np.ndarray, losses: np.ndarray, settings: RatingSettings):
    """Bounds (low, high: two columns) of each rating from its likelihood on a grid, in unscaled Elo.

    While a player's rating moves along the grid, all others move a little the other way, so that the mean stays.
    """
    n, tail = len(wins), (1 - settings.confidence) / 2
    draws = draws + virtual_draws(wins + draws + losses, settings.prior)
    won, lost = wins + draws, losses + draws
    ahead, behind = np.exp(S * (found.drawelo - found.advantage)), np.exp(S * (found.drawelo + found.advantage))
    centres = -GRID_END + (np.arange(GRID) + 0.5) * 2 * GRID_END / GRID
    bounds = np.empty((n, 2))
    for i, rating in enumerate(found.ratings):
        met = np.flatnonzero(won[i] + lost[i] + won[:, i] + lost[:, i])
        moved = (centres - rating) * n / (n - 1)
        lead = (rating - found.ratings[met])[:, None] + moved[None, :]
        # ln f(x) = -ln(1 + exp(-x)), with one exponential for the four kinds of results.
        up = np.exp(S * lead)
        down = 1 / up
        logs = -(
            won[i, met] @ np.log1p(down * ahead)
            + lost[i, met] @ np.log1p(up * behind)
            + won[met, i] @ np.log1p(up * ahead)
            + lost[met, i] @ np.log1p(down * behind)
        )
        chance = np.exp(logs - logs.max())
        chance /= chance.sum()
        below = np.cumsum(chance) - chance / 2
        bounds[i] = np.interp([tail, 1 - tail], below, centres)
    return bounds


# --- ratings ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rating:
    """Ratings of a pool of players; all Elo values are as shown: scaled, and moved to the offset or the anchor."""

    settings: RatingSettings
    players: tuple[str, ...]
    elo: np.ndarray
    low: np.ndarray
    high: np.ndarray
    covariance: np.ndarray
    """Of the ratings, under a fixed mean, in Elo²."""
    advantage: float
    drawelo: float
    scale: float
    log_likelihood: float
    counts: tuple[np.ndarray, np.ndarray, np.ndarray]
    """Wins, draws and losses as they were rated, the first player in the row."""

    def __getitem__(self, player: str) -> float:
        return float(self.elo[self._place(player)])

    def frame(self) -> pd.DataFrame:
        """A row per player, the strongest first; scores and draws are shares of the real games."""
        wins, draws, losses = self.counts
        met = wins + draws + losses
        met = met + met.T
        games = met.sum(axis=1)
        drawn = (draws + draws.T).sum(axis=1)
        points = (wins + losses.T).sum(axis=1) + drawn / 2
        columns = {
            "player": list(self.players), "elo": self.elo, "low": self.low, "high": self.high,
            "games": games.astype(int), "score": points / games, "draws": drawn / games,
            "opponents": met @ self.elo / games,
        }  # fmt: skip
        return pd.DataFrame(columns).sort_values("elo", ascending=False, kind="stable", ignore_index=True)

    def noise(self) -> np.ndarray:
        """Standard deviation in Elo that chance in the games gives each rating, beside that of the pool's mean."""
        n = len(self.players)
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0) * n / (n - 1)) if n > 1 else np.zeros(n)

    def difference(self, a: str, b: str) -> Difference:
        """How much stronger ``a`` is than ``b``, with an interval that knows how both vary together."""
        return self.group_difference([a], [b])

    def group_difference(self, a: Sequence[str], b: Sequence[str]) -> Difference:
        """Difference of two groups' mean ratings.

        Its interval is about these very players; what it says about the methods that trained them is in
        :mod:`wslib.study.statistics.compare`, whose unit is the run.
        """
        weights = np.zeros(len(self.players))
        for group, sign in ((a, 1), (b, -1)):
            if not len(group):
                raise ParameterError("a group has no players: each should have one at least")
            for player in group:
                weights[self._place(player)] += sign / len(group)
        elo, sd = float(weights @ self.elo), float(np.sqrt(max(weights @ self.covariance @ weights, 0.0)))
        half = float(ndtri((1 + self.settings.confidence) / 2)) * sd
        return Difference(elo, elo - half, elo + half, float(ndtr(elo / sd)) if sd else 0.5)

    def expected(self, first: str, second: str) -> Outcome:
        """Chances of a game between two players, the first-named with the first move."""
        z = (self[first] - self[second]) / self.scale + self.advantage
        win, loss = expit(S * (z - self.drawelo)), expit(S * (-z - self.drawelo))
        return Outcome(float(win), float(1 - win - loss), float(loss))

    def _place(self, player: str) -> int:
        if player not in self.players:
            raise ParameterError(f"{player!r} is not among the {len(self.players)} rated players")
        return self.players.index(player)

    @property
    def _headline(self) -> str:
        known = [
            f"{name} {value:.1f} ({'estimated' if given is None else 'given'})"
            for name, value, given in (
                ("advantage", self.advantage, self.settings.advantage),
                ("drawelo", self.drawelo, self.settings.drawelo),
            )
        ]
        games = int(sum(matrix.sum() for matrix in self.counts))
        return f"{len(self.players)} players, {games} games, {', '.join(known)}, scale {self.scale:.3f}"

    def __repr__(self) -> str:
        table = self.frame().to_string(index=False, float_format="{:.2f}".format, max_rows=60)
        return f"{self._headline}\n{table}"

    def _repr_html_(self) -> str:
        table = self.frame().to_html(border=0, index=False, float_format="{:.2f}".format, max_rows=60)
        return f"<p>{self._headline}</p>{table}"


def rate(results: pd.DataFrame, settings: RatingSettings | None = None, players: Sequence[str] = ()) -> Rating:
    """Rate all players of these results; ``players`` names those who must be among them.

    Results that fall into parts without a game between them are refused: see :func:`components`.

    >>> columns = ["first", "second", "wins", "draws", "losses"]
    >>> games = pd.DataFrame([("a", "b", 6, 2, 2), ("b", "a", 3, 2, 5)], columns=columns)
    >>> rating = rate(games)
    >>> rating["a"] > rating["b"]
    True
    >>> rating.difference("a", "b").low < 0
    True
    """
    settings = settings or RatingSettings()
    pairs = ordered_pairs(results)
    if settings.colours == "first listed":
        pairs = first_listed(pairs)
    _check_connected(pairs, players, settings.prior)
    names = player_names(pairs, players)
    counts = matrices(pairs, names)
    found = fit(*counts, settings)
    scale = float(1 / np.cosh(S * found.drawelo / 2) ** 2) if settings.scaled else 1.0
    covariance = covariance_of(about := information(found, *counts, settings.prior))
    if settings.interval == "exact":
        bounds = exact_bounds(found, *counts, settings)
    else:
        variance = np.diag(covariance) if settings.interval == "covariance" else 1 / about.sum(axis=1)
        half = ndtri((1 + settings.confidence) / 2) * np.sqrt(variance)
        bounds = found.ratings[:, None] + half[:, None] * [-1, 1]
    moved = settings.offset
    if settings.anchor:
        player, elo = settings.anchor
        if player not in names:
            raise ParameterError(f"the anchor {player!r} is not among the players: {', '.join(map(str, names[:8]))}")
        moved = elo - scale * found.ratings[names.index(player)]
    low, high = scale * bounds.T + moved
    return Rating(
        settings, tuple(names), scale * found.ratings + moved, low, high, scale**2 * covariance,
        float(found.advantage), float(found.drawelo), scale, found.log_likelihood, counts,
    )  # fmt: skip


def _check_connected(pairs: pd.DataFrame, players: Sequence[str], prior: float) -> None:
    groups = components(pairs, players)
    if len(groups) > 1:
        parts = "; ".join(_some(group) for group in groups[:4]) + ("; …" if len(groups) > 4 else "")
        raise ParameterError(
            f"no games connect these {len(groups)} groups, so they cannot be rated together: {parts}; rate each of them"
        )
    if prior == 0:
        wins, draws, losses = matrices(pairs, names := player_names(pairs, ()))
        number, label = connected_components(wins + losses.T + draws + draws.T, connection="strong")
        if number > 1:
            alone = [name for name, one in zip(names, label, strict=True) if one == label[0]]
            raise ParameterError(
                f"without a prior {_some(alone)} cannot be rated: they won or lost all games against the others; "
                "give a prior above 0"
            )


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(str, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
