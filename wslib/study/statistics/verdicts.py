"""Verdicts on claims about trained players, by rules fixed before the data were seen. The unit is the training run.

An ordering is *replicated* with the claimed sign and p < 0.05 after Holm's correction within its experiment; *not
replicated* with the opposite sign at that p, or when the 95 % interval of the difference lies below +20 Elo (or 53 %).
A claim of no difference is *replicated* when the interval lies within ±30 Elo (or 47 to 53 %), and, as our reading of
what the rule leaves open, *not replicated* when it lies outside. All else is *not decided by these data*, and so is
everything with fewer than five runs a side. A positive effect means that the first group is stronger.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from wslib.parameters import ParameterError
from wslib.study.statistics.stats import (
    ALPHA,
    NOT_REPLICATED,
    REPLICATED,
    UNDECIDED,
    Interval,
    difference_interval,
    holm,
    mean_interval,
    numbers,
    permutation_test,
    runs_to_decide,
)

FEWEST_RUNS = 5
"""A side; with fewer, nothing about trained players is decided."""
Scale = Literal["elo", "score", "spread"]
Claim = Literal["higher", "same"]


class _Measure(NamedTuple):
    """What a scale calls little."""

    even: float
    """What a group of runs is compared with when there is no second one."""
    small: float
    """An advantage that lies below this counts as none."""
    same: float
    """Differences within ± this are called none."""
    unit: str
    scale: float = 1.0
    digits: int = 0

    def number(self, value: float) -> str:
        """A difference as it is written, without its unit."""
        return f"{self.scale * value:+.{self.digits}f}"

    def text(self, value: float) -> str:
        """A difference as it is written."""
        return f"{self.number(value)} {self.unit}"


MEASURES: dict[str, _Measure] = {
    "elo": _Measure(0.0, 20.0, 30.0, "Elo"),
    "score": _Measure(0.5, 0.03, 0.03, "points", scale=100, digits=1),
    "spread": _Measure(0.0, 0.0, 0.0, "Elo"),
}


@dataclass(frozen=True)
class Comparison:
    """A claim with its data: one number per run.

    Without a second group the first is compared with nothing gained: differences with 0 Elo, scores with 50 %.
    ``paired``: the n-th runs of both groups belong together, as by a common seed.
    """

    name: str
    first: Sequence[float] | np.ndarray
    second: Sequence[float] | np.ndarray | None = None
    claim: Claim = "higher"
    scale: Scale = "elo"
    paired: bool = False
    test: Hashable = None
    """Comparisons with the same are one test, as of the same two groups with either claimed to be the higher."""

    def __post_init__(self) -> None:
        for value, allowed in ((self.claim, ("higher", "same")), (self.scale, tuple(MEASURES))):
            if value not in allowed:
                raise ParameterError(f"{value!r} is not allowed here: it should be one of {', '.join(allowed)}")
        numbers(self.first)
        if self.second is not None:
            numbers(self.second)
            if self.paired and len(self.second) != len(self.first):
                raise ParameterError(
                    f"{self.name}: {len(self.first)} runs cannot be paired with {len(self.second)}: "
                    "both sides should have equally many"
                )

    @property
    def gains(self) -> np.ndarray | None:
        """One difference per run, where runs are paired or there is no second group."""
        first = np.asarray(self.first, float)
        if self.second is None:
            return first - MEASURES[self.scale].even
        return first - self._second if self.paired else None

    @property
    def tested(self) -> bool:
        """Whether there is a test: not where fewer than five runs decide nothing, nor where the interval decides."""
        return self.claim == "higher" and min(self.runs) >= FEWEST_RUNS

    @property
    def runs(self) -> tuple[int, ...]:
        """Runs a side."""
        return (len(self.first),) if self.second is None else (len(self.first), len(self.second))

    @property
    def effect(self) -> float:
        """How much higher the first group is, on average."""
        gains = self.gains
        return float(np.mean(self.first) - np.mean(self._second) if gains is None else gains.mean())

    @property
    def interval(self) -> Interval | None:
        """95 % interval of the effect; none for a single run."""
        if min(self.runs) < 2:
            return None
        gains = self.gains
        return difference_interval(self.first, self._second) if gains is None else mean_interval(gains)

    @property
    def sd(self) -> float:
        """Spread of runs within a group (of the differences, where there are such)."""
        if min(self.runs) < 2:
            return float("nan")
        if (gains := self.gains) is not None:
            return float(gains.std(ddof=1))
        return float(np.sqrt((np.var(self.first, ddof=1) + np.var(self._second, ddof=1)) / 2))

    def p(self) -> float:
        """Two-sided p of the permutation test, not corrected."""
        if min(self.runs) < 2:
            return 1.0
        if (gains := self.gains) is not None:
            return permutation_test(gains, np.zeros(len(gains)), paired=True)
        return permutation_test(self.first, self._second)

    @property
    def _second(self) -> np.ndarray:
        return np.asarray(self.second, float)


@dataclass(frozen=True)
class Verdict:
    """A verdict on one claim, and what it rests on."""

    name: str
    word: str
    """"replicated", "not replicated" or "not decided by these data"."""
    reason: str
    effect: float
    interval: Interval | None
    p: float | None
    """Of an ordering, after Holm's correction; None where nothing is tested."""
    runs: tuple[int, ...]
    """Runs a side."""
    needed: int | None
    """Runs a side that would decide, where these do not; None also where no number can be named."""


def verdicts(comparisons: Sequence[Comparison]) -> list[Verdict]:
    """The verdicts on all claims of one experiment; Holm's correction is over its orderings that have enough runs.

    >>> strong, weak = [105, 80, 120, 95, 130, 110], [0, 20, -10, 15, 5, -20]
    >>> [one] = verdicts([Comparison("WRoRa > Baseline", strong, weak)])
    >>> one.word, one.runs
    ('replicated', (6, 6))
    """
    keys = [place if c.test is None else c.test for place, c in enumerate(comparisons)]
    tests = {key: c.p() for key, c in zip(keys, comparisons, strict=True) if c.tested}
    corrected = dict(zip(tests, holm(list(tests.values())), strict=True))
    return [verdict(c, corrected.get(key), max(len(tests), 1)) for key, c in zip(keys, comparisons, strict=True)]


def verdict(comparison: Comparison, p: float | None = None, tests: int = 1) -> Verdict:
    """The verdict on one claim; ``p`` is the corrected one where it is one of several ``tests``."""
    effect, interval = comparison.effect, comparison.interval
    if not comparison.tested:
        p = None
    elif p is None:
        p = comparison.p()
    if min(comparison.runs) < FEWEST_RUNS or interval is None:
        word, why = UNDECIDED, f"fewer than {FEWEST_RUNS} runs a side decide nothing"
    elif p is not None:
        word, why = _ordering(MEASURES[comparison.scale], effect, interval, p)
    else:
        word, why = _no_difference(MEASURES[comparison.scale], interval)
    needed = _needed(comparison, tests) if word == UNDECIDED else None
    if word == UNDECIDED:
        why += f"; about {needed} runs a side would decide" if needed else "; no number of runs can be named"
    return Verdict(
        comparison.name, word, f"{_facts(comparison, p)}: {why}.", effect, interval, p, comparison.runs, needed
    )


def _ordering(measure: _Measure, effect: float, interval: Interval, p: float) -> tuple[str, str]:
    if p < ALPHA:
        return (REPLICATED, "as claimed") if effect > 0 else (NOT_REPLICATED, "the opposite of the claim")
    small = measure.text(measure.small)
    if interval.high < measure.small:
        return NOT_REPLICATED, f"the interval lies below {small}, too little to matter"
    return UNDECIDED, f"no significant difference, and the interval reaches {small}"


def _no_difference(measure: _Measure, interval: Interval) -> tuple[str, str]:
    margin = measure.text(measure.same).replace("+", "±")
    if -measure.same < interval.low and interval.high < measure.same:
        return REPLICATED, f"the interval lies within {margin}"
    if interval.low > measure.same or interval.high < -measure.same:
        return NOT_REPLICATED, f"the interval lies outside {margin}"
    return UNDECIDED, f"the interval reaches over {margin}"


def _needed(comparison: Comparison, tests: int) -> int | None:
    """Runs a side that would decide if effect and spread stay as they look now."""
    if np.isnan(comparison.sd):
        return None
    measure, effect = MEASURES[comparison.scale], comparison.effect
    paired = comparison.gains is not None
    if comparison.claim == "same":
        ways = [runs_to_decide(abs(abs(effect) - measure.same), comparison.sd, paired=paired, permuted=False)]
    else:
        ways = [runs_to_decide(effect, comparison.sd, tests=tests, paired=paired)]
        if effect < measure.small:  # or the interval comes to lie below what matters
            ways.append(runs_to_decide(measure.small - effect, comparison.sd, paired=paired, permuted=False))
    known = [max(number, FEWEST_RUNS) for number in ways if number]
    return min(known) if known else None


def _facts(comparison: Comparison, p: float | None) -> str:
    shown = MEASURES[comparison.scale].text
    interval = comparison.interval
    between = f"95 % interval {shown(interval.low)} to {shown(interval.high)}, " if interval else ""
    tested = f"p = {p:.3f} (Holm), " if p is not None else ""
    sides = " and ".join(map(str, comparison.runs))
    return f"{shown(comparison.effect)}, {between}{tested}{sides} runs"
