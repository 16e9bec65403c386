"""Intervals, tests and verdicts. For players without training the game is the unit.

A score is ``(wins + draws / 2) / games``. Its interval is Wilson's, for which a draw counts as half a win (draws make
the score vary less than that assumes, so the interval is on the safe side). Orderings are tested by the sign test on
the decided games, two-sided, corrected by Holm's method for all orderings of an experiment.
"""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from scipy import stats

ALPHA = 0.05
SAME = 0.03
"""Scores within 50 % ± this are called equal."""


class Interval(NamedTuple):
    """A 95 % interval."""

    low: float
    high: float


def score(wins: int, draws: int, losses: int) -> float:
    """(wins + draws / 2) / games."""
    return (wins + draws / 2) / (wins + draws + losses)


def wilson(wins: int, draws: int, losses: int, confidence: float = 1 - ALPHA) -> Interval:
    """Wilson's interval of a score.

    >>> [round(bound, 3) for bound in wilson(wins=8, draws=0, losses=2)]
    [0.49, 0.943]
    """
    n = wins + draws + losses
    p, z = score(wins, draws, losses), stats.norm.ppf((1 + confidence) / 2)
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return Interval(float(max(0.0, centre - half)), float(min(1.0, centre + half)))


def sign_test(wins: int, losses: int) -> float:
    """Two-sided p of wins against losses when both are equally likely; draws say nothing about it."""
    return float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


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


REPLICATED, NOT_REPLICATED, UNDECIDED = "replicated", "not replicated", "not decided by these data"


def ordering_verdict(observed: float, interval: Interval, p: float) -> str:
    """Verdict on "the first is stronger": by sign and significance, or because any advantage is too small to matter."""
    if p < ALPHA:
        return REPLICATED if observed > 0.5 else NOT_REPLICATED
    return NOT_REPLICATED if interval.high < 0.5 + SAME else UNDECIDED


def no_advantage_verdict(observed: float, interval: Interval, p: float) -> str:
    """Verdict on "the first is not stronger"."""
    if p < ALPHA:
        return NOT_REPLICATED if observed > 0.5 else REPLICATED
    return REPLICATED if interval.high < 0.5 + SAME else UNDECIDED


def games_to_decide(wins: int, draws: int, losses: int, power: float = 0.8, tests: int = 1) -> int | None:
    """Games after which the sign test sees a difference like the observed one with this power; None if there is none.

    With several ``tests`` in an experiment it is the number for the strictest step of Holm's correction.

    >>> games_to_decide(wins=55, draws=0, losses=45)
    783
    """
    if wins == losses:
        return None
    decided, alpha = wins + losses, ALPHA / tests
    share = max(wins, losses) / decided
    spread = stats.norm.ppf(1 - alpha / 2) / 2 + stats.norm.ppf(power) * np.sqrt(share * (1 - share))
    # Fewer games than log2(2 / alpha) are never significant, even when one side wins them all.
    needed = max(ceil((spread / (share - 0.5)) ** 2), ceil(np.log2(2 / alpha)))
    return ceil(needed * (decided + draws) / decided)
