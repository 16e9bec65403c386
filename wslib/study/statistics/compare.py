"""Comparisons of runs, and of games, with their p, intervals, power, and the verdict by the rules of ``decide``.

The unit is the training run; for players without training it is the game. A positive effect means that the first group
is stronger. Runs spread at least as much as chance in their games makes them: the standard errors of intervals, and p,
are never smaller than that noise allows.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from math import ceil, comb
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri

from wslib.parameters import ParameterError
from wslib.study.statistics import decide
from wslib.study.statistics.decide import FEWEST_RUNS, FEWEST_SHOWN, MEASURES, UNDECIDED, Claim, Scale
from wslib.study.statistics.stats import (
    ALPHA,
    MOST,
    SAME,
    Interval,
    difference_interval,
    holm,
    mean_interval,
    numbers,
    permutation_test,
    power_of_t,
    runs_to_decide,
)

# --- trained players: the run is the unit -------------------------------------------------------------------------


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
    noise: tuple[float, float] = (0.0, 0.0)
    """Standard deviation that chance in the games alone gives a number of the first and of the second group."""
    planned: tuple[int, ...] = ()
    """Runs a side that the design has; nothing where it is not known."""

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
    def designed(self) -> tuple[int, ...]:
        """Runs a side that the design has, or that are there where these are more."""
        return tuple(map(max, self.planned, self.runs)) if self.planned else self.runs

    @property
    def effect(self) -> float:
        """How much higher the first group is, on average."""
        gains = self.gains
        return float(np.mean(self.first) - np.mean(self._second) if gains is None else gains.mean())

    def interval(self, parts: int = 1) -> Interval | None:
        """95 % interval of the effect, simultaneous over so many parts; none for one or two runs."""
        if min(self.runs) < FEWEST_SHOWN:
            return None
        gains, confidence = self.gains, 1 - ALPHA / parts
        if gains is None:
            return difference_interval(self.first, self._second, confidence, least=self.noise)
        return mean_interval(gains, confidence, least=self._noise_of_gains)

    @property
    def sd(self) -> float:
        """Spread of runs within a group (of the differences, where there are such), the games' noise at least."""
        if min(self.runs) < 2:
            return float("nan")
        if (gains := self.gains) is not None:
            return max(float(gains.std(ddof=1)), self._noise_of_gains)
        variances = [max(float(np.var(side, ddof=1)), noise**2)
                     for side, noise in zip((self.first, self._second), self.noise, strict=True)]  # fmt: skip
        return float(np.sqrt(np.mean(variances)))

    def p(self) -> float:
        """Two-sided p of the permutation test, not corrected, and at least that of the games' noise alone."""
        if min(self.runs) < 2:
            return 1.0
        if (gains := self.gains) is not None:
            error = self._noise_of_gains / np.sqrt(len(gains))
            found = permutation_test(gains, np.zeros(len(gains)), paired=True)
        else:
            error = np.sqrt(sum(noise**2 / number for noise, number in zip(self.noise, self.runs, strict=True)))
            found = permutation_test(self.first, self._second)
        return max(found, 2 * float(ndtr(-abs(self.effect) / error))) if error else found

    @property
    def _noise_of_gains(self) -> float:
        return float(np.hypot(*self.noise))

    @property
    def _second(self) -> np.ndarray:
        return np.asarray(self.second, float)


def smallest_p(runs: Sequence[int], paired: bool = False) -> float:
    """The smallest two-sided p of a permutation test with so many runs a side (paired, or one side: pairs).

    >>> round(smallest_p((5, 5)), 4), smallest_p((0, 8))
    (0.0079, 1.0)
    """
    if paired or len(runs) == 1:
        return min(1.0, 2 / 2 ** runs[0])
    return min(1.0, 2 / comb(sum(runs), runs[0]))


@dataclass(frozen=True)
class Corrected:
    """A comparison with its p, corrected over the tests of its experiment."""

    comparison: Comparison
    p: float | None
    """None where nothing is tested."""
    tests: int = 1
    """Of the experiment, as it is designed."""

    def verdict(self, parts: int = 1) -> "Verdict":
        """The verdict, as one of so many parts of a claim."""
        comparison, measure = self.comparison, MEASURES[self.comparison.scale]
        interval, together = comparison.interval(), comparison.interval(parts)
        reachable = self._reachable()
        intervals = (interval, together) if interval and together else None
        word = decide.of_runs(
            comparison.claim, comparison.runs, comparison.effect, intervals, self.p, measure, reachable
        )
        return Verdict(
            comparison.name, word, comparison.scale, comparison.effect, interval, together, self.p, comparison.runs,
            _needed(comparison, self.tests) if word == UNDECIDED else None, _power(comparison, self.tests),
        )  # fmt: skip

    def _reachable(self) -> float:
        """The smallest corrected p that the design can give, 1 where it has too few runs; 0 where no test is needed."""
        comparison = self.comparison
        if not comparison.planned:
            return 0.0
        if min(comparison.designed) < FEWEST_RUNS:
            return 1.0
        smallest = smallest_p(comparison.designed, comparison.paired)
        return self.tests * smallest if comparison.claim == "higher" else 0.0


@dataclass(frozen=True)
class Verdict:
    """A verdict on one claim, and what it rests on."""

    name: str
    word: str
    """One of ``decide.WORDS``."""
    scale: Scale
    effect: float
    interval: Interval | None
    together: Interval | None
    """Simultaneous over the parts of the claim."""
    p: float | None
    """Of an ordering, after Holm's correction; None where nothing is tested."""
    runs: tuple[int, ...]
    """Runs a side."""
    needed: int | None
    """Runs a side that would decide, where these do not; None also where no number can be named."""
    power: float | None
    """Chance that the design sees a difference of 50 Elo (7 points), if runs spread as they do; None: not known."""

    def negated(self, name: str) -> "Verdict":
        """The verdict on "not higher", from that on "higher"."""
        return replace(self, name=name, word=decide.negated(self.word))


def corrected(comparisons: Sequence[Comparison], designed: int = 0) -> list[Corrected]:
    """All claims of one experiment with their p; Holm's correction is over its orderings that have enough runs.

    ``designed`` is the number of tests that the experiment has once all its runs are there.
    """
    keys = [place if c.test is None else c.test for place, c in enumerate(comparisons)]
    tests = {key: c.p() for key, c in zip(keys, comparisons, strict=True) if c.tested}
    p = dict(zip(tests, holm(list(tests.values())), strict=True))
    number = max(len(tests), designed, 1)
    return [Corrected(c, p.get(key) if c.tested else None, number)
            for key, c in zip(keys, comparisons, strict=True)]  # fmt: skip


def verdicts(comparisons: Sequence[Comparison], parts: int = 1) -> list[Verdict]:
    """The verdicts on all claims of one experiment, each as one of so many parts.

    >>> strong, weak = [105, 80, 120, 95, 130, 110], [0, 20, -10, 15, 5, -20]
    >>> [one] = verdicts([Comparison("WRoRa > Baseline", strong, weak)])
    >>> one.word, one.runs
    ('replicated', (6, 6))
    """
    return [one.verdict(parts) for one in corrected(comparisons)]


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


def _power(comparison: Comparison, tests: int) -> float | None:
    """Chance that the design sees the scale's reference difference, at the strictest step of Holm's correction.

    Of a claim of no difference: that its interval comes to lie within the margin if there is none.
    """
    sd, runs, measure = comparison.sd, comparison.designed, MEASURES[comparison.scale]
    if np.isnan(sd) or not sd or comparison.scale == "spread" or min(runs) < FEWEST_RUNS:
        return None
    paired = comparison.gains is not None
    size = runs[0] if paired else 2 * runs[0] * runs[1] / (runs[0] + runs[1])  # runs a side, if these were equal
    if comparison.claim == "same":
        error = sd * np.sqrt((1 if paired else 2) / size)
        return max(0.0, 2 * float(ndtr(measure.same / error - ndtri(1 - ALPHA / 2))) - 1)
    return power_of_t(measure.reference, sd, size, ALPHA / tests, paired)


# --- players without training: the game is the unit ---------------------------------------------------------------


@dataclass(frozen=True)
class GamesTested:
    """A claim about players without training: a win rate above one half, or above another one."""

    name: str
    effect: float
    """Share of points above one half, or above the other's."""
    interval: Callable[[float], Interval]
    """Of the effect, by its confidence."""
    p: float
    """Corrected over the tests of its experiment."""
    games: int
    tests: int = 1
    claim: Literal["higher", "same", "not higher"] = "higher"
    groups: int = 1
    """2 where two win rates are compared, of so many games each."""
    needed: int | None = None
    """Games that would decide, where another rule than the normal one names them."""

    def verdict(self, parts: int = 1) -> Verdict:
        """The verdict, as one of so many parts of a claim."""
        interval, together = self.interval(1 - ALPHA), self.interval(1 - ALPHA / parts)
        if self.claim == "same":
            word = decide.no_difference(interval, together, SAME)
        elif self.claim == "higher":
            word = decide.ordering(self.effect, together, self.p, SAME)
        else:  # that all parts hold needs no correction, and that it is not higher holds where "higher" is refuted
            word = decide.negated(decide.ordering(self.effect, interval, self.p, SAME))
        far = SAME - abs(self.effect) if self.claim == "same" else self.effect
        tests, margin = (1, None) if self.claim == "same" else (self.tests, SAME)
        needed = self.needed or games_needed(far, *interval, self.games, tests, margin)
        return Verdict(
            self.name, word, "score", self.effect, interval, together, None if self.claim == "same" else self.p,
            (self.games,), needed if word == UNDECIDED else None, self._power(),
        )  # fmt: skip

    def _power(self) -> float:
        error = (self.groups / 4 / self.games) ** 0.5  # of even games
        if self.claim == "same":
            return max(0.0, 2 * float(ndtr(SAME / error - ndtri(1 - ALPHA / 2))) - 1)
        return float(ndtr(MEASURES["score"].reference / error - ndtri(1 - ALPHA / 2 / self.tests)))


def games_needed(
    effect: float, low: float, high: float, games: int, tests: int = 1, margin: float | None = None
) -> int | None:
    """Games after which a normal test sees such an effect with a power of 80 %, after Holm's strictest step.

    With a ``margin`` fewer are enough where the interval comes to lie below it sooner.

    >>> games_needed(effect=0.1, low=0.0, high=0.2, games=100)
    205
    >>> games_needed(effect=-0.01, low=-0.11, high=0.09, games=100, margin=0.03)
    1278
    """
    error = (high - low) / 2 / ndtri(1 - ALPHA / 2)
    ways = [(effect, tests)] + ([(margin - effect, 1)] if margin is not None and effect < margin else [])
    known = [
        ceil(games * ((ndtri(1 - ALPHA / 2 / number) + ndtri(0.8)) * error / distance) ** 2)
        for distance, number in ways
        if distance and error
    ]
    return min((number for number in known if number <= MOST), default=None)
