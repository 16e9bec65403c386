"""Intervals and tests. The unit is the training run; for players without training it is the game.

Games: a score is ``(wins + draws / 2) / games``. Its interval is Wilson's, for which a draw counts as half a win (draws
make the score vary less than that assumes, so the interval is on the safe side). Orderings are tested by the sign test
on the decided games, two-sided, corrected by Holm's method for all orderings of an experiment.

Runs: one number per run, as its rating. Two groups of runs are compared by their means, with Welch's interval and a
permutation test; a positive effect means that the first group is stronger. Verdicts on them are in
:mod:`wslib.study.statistics.decide`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import ceil, comb
from typing import NamedTuple

import numpy as np
import scipy
from scipy.special import bdtr, ndtri, stdtrit

from wslib.parameters import ParameterError

Numbers = Sequence[float] | np.ndarray
ALPHA = 0.05
SAME = 0.03
"""Scores within 50 % ± this are called equal."""


class Interval(NamedTuple):
    """A 95 % interval."""

    low: float
    high: float


def score(wins: float, draws: float, losses: float) -> float:
    """(wins + draws / 2) / games."""
    return (wins + draws / 2) / (wins + draws + losses)


def wilson(wins: float, draws: float, losses: float, confidence: float = 1 - ALPHA) -> Interval:
    """Wilson's interval of a score.

    >>> [round(bound, 3) for bound in wilson(wins=8, draws=0, losses=2)]
    [0.49, 0.943]
    """
    n = wins + draws + losses
    p, z = score(wins, draws, losses), ndtri((1 + confidence) / 2)
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return Interval(float(max(0.0, centre - half)), float(min(1.0, centre + half)))


def sign_test(wins: int, losses: int) -> float:
    """Two-sided p of wins against losses when both are equally likely; draws say nothing about it."""
    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the chance of any false alarm among all tests stays below alpha.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, float)
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(steps, 1.0)
    return corrected.tolist()


def games_to_decide(wins: int, draws: int, losses: int, power: float = 0.8, tests: int = 1) -> int | None:
    """Games that decide an ordering with this power, should the observed score be the true one; None if none can.

    The sign test sees the difference, or the interval comes to lie below what matters. With several ``tests`` in an
    experiment the former is the number for the strictest step of Holm's correction.

    >>> games_to_decide(wins=55, draws=0, losses=45), games_to_decide(wins=50, draws=0, losses=50)
    (783, 2181)
    """
    games = wins + draws + losses
    if not wins + losses:
        return None
    ways = [_games_to_see(wins, draws, losses, power, tests)] if wins != losses else []
    mean = score(wins, draws, losses)
    spread = np.sqrt(mean * (1 - mean))  # as Wilson's interval has it, which takes a draw for half a win
    if mean < 0.5 + SAME and spread:
        quantiles = ndtri(1 - ALPHA / 2) + ndtri(power)
        # Few games tell little of the spread: no number can be smaller than one that did not decide.
        ways.append(max(ceil((quantiles * spread / (0.5 + SAME - mean)) ** 2), games + 1))
    needed = min(ways, default=MOST + 1)
    return needed if needed <= MOST else None


def _games_to_see(wins: int, draws: int, losses: int, power: float, tests: int) -> int:
    decided, alpha = wins + losses, ALPHA / tests
    share = max(wins, losses) / decided
    spread = ndtri(1 - alpha / 2) / 2 + ndtri(power) * np.sqrt(share * (1 - share))
    # Fewer games than log2(2 / alpha) are never significant, even when one side wins them all.
    needed = max(ceil((spread / (share - 0.5)) ** 2), ceil(np.log2(2 / alpha)))
    return ceil(needed * (decided + draws) / decided)


# --- with the run as unit -----------------------------------------------------------------------------------------

EXACT = 200_000
"""Up to so many regroupings a permutation test goes through all of them: two groups of 10 runs, 17 paired ones."""
SAMPLED = 100_000
"""Regroupings drawn at random, where there are more."""
AT_ONCE = 5_000_000
"""Numbers that permutation tests hold at a time."""
RESAMPLES = 10_000
"""Repetitions of a bootstrap."""
MOST = 100_000
"""Runs or games beyond which no number is named: it would rest on the last digit of an estimate."""


class Estimate(NamedTuple):
    """A number with its interval; none where a bootstrap cannot give one."""

    value: float
    interval: Interval | None


def numbers(values: Numbers, least: int = 1) -> np.ndarray:
    """One finite number per run, as an array."""
    x = np.asarray(values, float).ravel()
    if len(x) < least:
        raise ParameterError(f"there are {len(x)} runs: {least} should be there at least")
    if not np.isfinite(x).all():
        raise ParameterError(f"a run has the value {x[~np.isfinite(x)][0]}: every run should have a number")
    return x


def mean_interval(values: Numbers, confidence: float = 1 - ALPHA, least: float = 0.0) -> Interval:
    """Student's interval of the mean; the standard deviation is taken to be ``least`` at least."""
    x = numbers(values, least=2)
    return _t_interval(float(x.mean()), _standard_error(x, least), len(x) - 1, confidence)


def difference_interval(
    first: Numbers, second: Numbers, confidence: float = 1 - ALPHA, least: tuple[float, float] = (0.0, 0.0)
) -> Interval:
    """Welch's interval of the difference of two means; standard deviations are taken to be ``least`` at least."""
    x, y = numbers(first, least=2), numbers(second, least=2)
    a, b = _standard_error(x, least[0]) ** 2, _standard_error(y, least[1]) ** 2
    freedom = (a + b) ** 2 / (a**2 / (len(x) - 1) + b**2 / (len(y) - 1)) if a + b else 1.0
    return _t_interval(float(x.mean() - y.mean()), float(np.sqrt(a + b)), freedom, confidence)


def _standard_error(x: np.ndarray, least: float = 0.0) -> float:
    return max(float(np.std(x, ddof=1)), least) / len(x) ** 0.5


def _t_interval(centre: float, error: float, freedom: float, confidence: float) -> Interval:
    half = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    return Interval(centre - half, centre + half)


def pooled_sd(groups: Iterable[Numbers]) -> tuple[float, int]:
    """Standard deviation of numbers around the means of their groups, and its degrees of freedom; NaN without any.

    >>> pooled_sd([[1, 3], [10, 12]])
    (1.4142135623730951, 2)
    """
    samples = [numbers(group) for group in groups]
    freedom = sum(len(x) - 1 for x in samples)
    squares = sum(float(((x - x.mean()) ** 2).sum()) for x in samples)
    return ((squares / freedom) ** 0.5 if freedom else float("nan")), freedom


def bootstrap_interval(samples: Sequence[Numbers], statistic: Callable[..., object], seed: int = 0) -> Interval | None:
    """Percentile interval of a statistic (with ``axis``) of one or more samples, each resampled by itself.

    None of two runs or fewer, and where all resamples say the same.
    """
    if min(map(len, samples)) < 3:
        return None
    found = scipy.stats.bootstrap(
        tuple(np.asarray(sample, float) for sample in samples), statistic, n_resamples=RESAMPLES,
        confidence_level=1 - ALPHA, method="percentile", vectorized=True, batch=1000, rng=np.random.default_rng(seed),
    ).confidence_interval  # fmt: skip
    return Interval(float(found.low), float(found.high)) if found.low < found.high else None


def permutation_test(first: Numbers, second: Numbers, paired: bool = False, seed: int = 0) -> float:
    """Two-sided p of a difference of means, when it is chance who belongs to which group (paired: which comes first).

    >>> round(permutation_test([11, 12, 13, 14, 15], [1, 2, 3, 4, 5]), 4)  # 2 of the 252 regroupings
    0.0079
    """
    x, y = numbers(first, least=2), numbers(second, least=2)
    if paired and len(x) != len(y):
        raise ParameterError(f"{len(x)} runs cannot be paired with {len(y)}: both sides should have equally many")
    return float(permutation_p(x[None], y[None], paired, seed)[0])


def permutation_p(first: np.ndarray, second: np.ndarray, paired: bool = False, seed: int = 0) -> np.ndarray:
    """The p of :func:`permutation_test` for many experiments at once: one a row, a column per run.

    Exact as long as there are at most ``EXACT`` regroupings, otherwise from ``SAMPLED`` seeded ones, the same for all.
    One matrix product regroups all experiments in all ways, a hundred times faster than scipy does one by one.
    """
    n, m = first.shape[1], second.shape[1]
    if paired:
        values, observed = first - second, (first - second).sum(axis=1)
    else:
        values = np.concatenate([first, second], axis=1)
        values = values - values.mean(axis=1, keepdims=True)
        observed = values[:, :n].sum(axis=1)
    chosen = _regroupings(n, 0 if paired else m, seed)
    sampled = int((2**n if paired else comb(n + m, n)) > EXACT)
    p = np.empty(len(values))
    block = max(1, AT_ONCE // chosen.shape[1])
    for start in range(0, len(values), block):
        part = slice(start, start + block)
        sums, seen = values[part] @ chosen, observed[part, None]
        # Regroupings that are equally extreme shall be seen to be, whatever the last bits say.
        slack = 1e-9 * (1 + np.abs(seen))
        above, below = (sums >= seen - slack).sum(axis=1), (sums <= seen + slack).sum(axis=1)
        # A sample of regroupings is joined by the one that happened; of all of them it is one already.
        p[part] = 2 * (np.minimum(above, below) + sampled) / (chosen.shape[1] + sampled)
    return np.minimum(p, 1.0)


@lru_cache(maxsize=4)
def _regroupings(n: int, m: int, seed: int) -> np.ndarray:
    """A column per regrouping of ``n`` and ``m`` runs: 1 for who is in the first group, 0 for all others.

    With ``m`` 0 for ``n`` pairs: 1 where a pair stays as it is, -1 where its runs change places.
    """
    draw = np.random.default_rng(seed)
    if not m:
        if 2**n > EXACT:
            return draw.choice([-1.0, 1.0], (n, SAMPLED))
        return np.array(list(product((1.0, -1.0), repeat=n))).T
    if comb(n + m, n) > EXACT:
        order = draw.random((n + m, SAMPLED)).argsort(axis=0)
        return (order < n).astype(float)
    groups = np.array(list(combinations(range(n + m), n)))
    chosen = np.zeros((n + m, len(groups)))
    chosen[groups.T, np.arange(len(groups))] = 1
    return chosen


def improvement(first: Numbers, second: Numbers, seed: int = 0) -> Estimate:
    """Probability that a run of the first kind beats one of the second (ties: half), with its bootstrap interval.

    There is no interval where no runs overlap, because resampling cannot show what was never seen, nor of two runs.

    >>> improvement([3, 4, 5, 6], [1, 2, 3, 4]).value
    0.875
    """
    x, y = numbers(first, least=2), numbers(second, least=2)

    def share(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        ahead = np.sign(np.expand_dims(a, -1) - np.expand_dims(b, -2))
        return ahead.mean(axis=(-2, -1)) / 2 + 0.5

    return Estimate(float(share(x, y, -1)), bootstrap_interval([x, y], share, seed))


def interquartile_mean(scores: Mapping[str, Numbers], seed: int = 0) -> Estimate:
    """Mean of the middle half of all runs' scores over several games, with a bootstrap interval stratified by game.

    Scores of different games must be on one scale, as the expected score against a common opponent; Elo is not.

    >>> interquartile_mean({"othello": [0.1, 0.5, 0.6, 0.9], "gobang": [0.4, 0.5, 0.6, 1.0]}).value
    0.55
    """
    strata = [numbers(values, least=2) for values in scores.values()]
    if not strata:
        raise ParameterError("there are no games: one at least should have scores")

    def middle(*parts: np.ndarray, axis: int) -> np.ndarray:
        return scipy.stats.trim_mean(np.concatenate(parts, axis=axis), 0.25, axis=axis)

    return Estimate(float(middle(*strata, axis=-1)), bootstrap_interval(strata, middle, seed))


def pooled_binomial_test(wins: int, losses: int) -> float:
    """The thesis' test, for comparison: all decided games of all runs of two methods as if they were independent.

    They are not: all games of a run share its luck, so with no true difference this finds one far too often
    (:mod:`wslib.study.statistics.simulate` says how often).
    """
    return sign_test(wins, losses)


def power_of_t(effect: float, sd: float, runs: float, alpha: float = ALPHA, paired: bool = False) -> float:
    """Chance that a two-sided t test with so many runs a side (paired: pairs, ``sd`` of their differences) sees it."""
    freedom = runs - 1 if paired else 2 * runs - 2
    shift = abs(effect) / sd * np.sqrt(runs / (1 if paired else 2))
    return float(scipy.stats.nct.sf(stdtrit(freedom, 1 - alpha / 2), freedom, shift))


def runs_to_decide(
    effect: float, sd: float, power: float = 0.8, tests: int = 1, paired: bool = False, permuted: bool = True
) -> int | None:
    """Runs a side after which such a difference is seen with this power; None if there is none, or beyond ``MOST``.

    With several ``tests`` in an experiment it is the number for the strictest step of Holm's correction. A permutation
    test (``permuted``) needs some runs however large the difference is; an interval does not.

    >>> [runs_to_decide(effect=effect, sd=50) for effect in (100, 75, 50, 25)]
    [6, 9, 17, 64]
    """
    if effect == 0:
        return None
    alpha, least = ALPHA / tests, 2
    # A permutation test of too few runs is never significant, however large the difference.
    while permuted and (2 / 2**least if paired else 2 / comb(2 * least, least)) >= alpha:
        least += 1
    if sd == 0:
        return least
    low, high = least, MOST
    if power_of_t(effect, sd, high, alpha, paired) < power:
        return None
    while low < high:
        middle = (low + high) // 2
        if power_of_t(effect, sd, middle, alpha, paired) < power:
            low = middle + 1
        else:
            high = middle
    return low
