"""Verdicts: the only place with rules that say when a claim is replicated, refuted, or open.

The unit is the training run; for players without training it is the game. A positive effect means that the first group
is stronger. The rules for one ordering were fixed before the data were seen:

- *replicated*: the claimed sign, and p < 0.05 after Holm's correction within its experiment;
- *the opposite holds*: the other sign at that p;
- *smaller than the margin*: the 95 % interval of the difference lies below +20 Elo (scores: 3 points above one half);
- *open*: all else, and everything about trained players with fewer than five runs a side.

A claim of no difference is *replicated* when the interval lies within ±30 Elo (±3 points), and *the opposite holds*,
our reading of what the rule leaves open, when it lies outside.

Two corrections were made after the first edition's data were seen and before the second's. A part refutes a claim of
several parts only by an interval that is simultaneous over them (Bonferroni). And runs that enter a test spread at
least as much as the chance of their games alone makes them: neither the interval nor p is smaller than that spread
allows. Where even the most extreme data that a design can give would not reach p < 0.05, the
verdict is *could not be decided by this design*. Bounds are compared unrounded. What is compared, and how p and the
intervals come about, is in :mod:`wslib.study.statistics.compare`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from wslib.study.statistics.stats import ALPHA, SAME, Interval, wilson

REPLICATED, OPPOSITE, SMALL = "replicated", "the opposite holds", "smaller than the margin"
UNDECIDED, UNDECIDABLE = "open", "could not be decided by this design"
WORDS = (REPLICATED, OPPOSITE, SMALL, UNDECIDED, UNDECIDABLE)
REFUTING = (OPPOSITE, SMALL)
FEWEST_RUNS = 5
"""A side; with fewer, nothing about trained players is decided."""
FEWEST_SHOWN = 3
"""Runs a side from which on an interval is shown: that of two runs says nothing but that they are two."""
NEARLY_ALL = 0.9
"""Share of the parts that "nearly all" is taken to mean, and of games won that "nearly always" is."""
MOST = 0.5
"""Share of the parts above which "most" and "a tendency" hold, and from which on "often" does."""
Scale = Literal["elo", "score", "spread"]
Claim = Literal["higher", "same"]


def bound_text(value: float, marks: Sequence[float], digits: int = 0, sign: str = "") -> str:
    """A bound as it is written, with as many digits as it takes to stay on its side of what it is compared with.

    >>> bound_text(50.4, [50]), bound_text(53.4, [50]), bound_text(0.04, [0], digits=1, sign="+")
    ('50.4', '53', '+0.04')
    """
    near = 1e-9  # what is computed is not exactly 53 %
    for more in range(digits, digits + 6):
        text = f"{value:{sign}.{more}f}"
        seen = float(text)
        if all((seen < m - near) == (value < m) and (seen > m + near) == (value > m) for m in marks):
            break
    return text


class Measure(NamedTuple):
    """What a scale calls little."""

    even: float
    """What a group of runs is compared with when there is no second one."""
    small: float
    """An advantage that lies below this counts as none."""
    same: float
    """Differences within ± this are called none."""
    unit: str
    reference: float
    """The difference that a design's power is named for."""
    scale: float = 1.0
    digits: int = 0

    def number(self, value: float) -> str:
        """A difference as it is written, without its unit."""
        return f"{self.scale * value:+.{self.digits}f}"

    def text(self, value: float) -> str:
        """A difference as it is written."""
        return f"{self.number(value)} {self.unit}"

    def bound(self, value: float, shift: float = 0.0) -> str:
        """A bound as it is written (:func:`bound_text`), beside what this scale calls little.

        ``shift`` is added to what is shown, as for a level that is shown and not its distance from the claimed one.

        >>> MEASURES["elo"].bound(19.7), MEASURES["elo"].bound(19.2)
        ('+19.7', '+19')
        """
        marks = [self.scale * (mark + shift) for mark in (self.small, self.same, -self.same)]
        return bound_text(self.scale * (value + shift), marks, self.digits, "+")

    def interval(self, interval: Interval, shift: float = 0.0) -> str:
        """An interval as it is written, without its unit."""
        return f"{self.bound(interval.low, shift)} to {self.bound(interval.high, shift)}"

    @property
    def margin(self) -> str:
        """The margin in words."""
        return f"{self.scale * self.small:.0f} {self.unit}"


MEASURES: dict[str, Measure] = {
    "elo": Measure(0.0, 20.0, 30.0, "Elo", 50.0),
    "score": Measure(0.5, SAME, SAME, "points", 0.07, scale=100, digits=1),
    "spread": Measure(0.0, 0.0, 0.0, "Elo", 50.0),
}


# --- rules for one part -------------------------------------------------------------------------------------------


def ordering(effect: float, interval: Interval, p: float, small: float, reachable: float = 0.0) -> str:
    """The verdict on "the first is stronger", from the corrected p and the (simultaneous) interval of the difference.

    ``reachable`` is the smallest corrected p that the design can give.

    >>> ordering(effect=4.0, interval=Interval(-8.0, 16.0), p=0.6, small=20.0)
    'smaller than the margin'
    """
    if p < ALPHA:
        return REPLICATED if effect > 0 else OPPOSITE
    if interval.high < small:
        return SMALL
    return UNDECIDABLE if reachable >= ALPHA else UNDECIDED


def no_difference(interval: Interval, together: Interval, same: float) -> str:
    """The verdict on "there is no difference": the interval within ± ``same``, the simultaneous one outside."""
    if -same < interval.low and interval.high < same:
        return REPLICATED
    return OPPOSITE if together.low > same or together.high < -same else UNDECIDED


def of_runs(
    claim: Claim, runs: Sequence[int], effect: float, intervals: tuple[Interval, Interval] | None, p: float | None,
    measure: Measure, reachable: float,
) -> str:  # fmt: skip
    """The verdict on a claim about trained players; ``intervals``: the one of 95 %, and the simultaneous one."""
    if min(runs) < FEWEST_RUNS or intervals is None:
        return UNDECIDABLE if reachable >= ALPHA else UNDECIDED
    if claim == "same":
        return no_difference(*intervals, measure.same)
    return ordering(effect, intervals[1], 1.0 if p is None else p, measure.small, reachable)


def negated(word: str) -> str:
    """The verdict on "the first is not stronger", from that on "the first is stronger".

    >>> negated(SMALL)
    'replicated'
    """
    return {REPLICATED: OPPOSITE, OPPOSITE: REPLICATED, SMALL: REPLICATED}.get(word, word)


def above(interval: Interval, limit: float, together: Interval | None = None) -> str:
    """The verdict on "it is more than this", from its interval, and from the simultaneous one of several parts."""
    refuting = together or interval
    return REPLICATED if interval.low > limit else OPPOSITE if refuting.high < limit else UNDECIDED


def most(hits: int, runs: int, parts: int = 1) -> str:
    """The verdict on "most runs do so": on which side of one half the interval of their share lies."""
    if runs < FEWEST_RUNS:
        return UNDECIDED
    share, together = (wilson(hits, 0, runs - hits, confidence=1 - ALPHA / number) for number in (1, parts))
    return REPLICATED if share.low > 0.5 else OPPOSITE if together.high < 0.5 else UNDECIDED


def every(hits: int, runs: int) -> str:
    """The verdict on "every run does so": one that does not refutes it."""
    return UNDECIDED if runs < FEWEST_RUNS else OPPOSITE if hits < runs else REPLICATED


# --- rules for claims of several parts ----------------------------------------------------------------------------


def whole(words: Sequence[str], enough: float = 1.0) -> str:
    """The verdict on a claim that says all its parts (or this share of them) from the verdicts on these.

    >>> whole([REPLICATED, REPLICATED, UNDECIDED])
    'open'
    """
    if not words:
        return UNDECIDED
    needed = enough * len(words)
    refuted = sum(word in REFUTING for word in words)
    if words.count(REPLICATED) >= needed:
        return REPLICATED
    if len(words) - refuted < needed:
        return OPPOSITE if OPPOSITE in words else SMALL
    return UNDECIDABLE if len(words) - refuted - words.count(UNDECIDABLE) < needed else UNDECIDED


def at_least_one(words: Sequence[str]) -> str:
    """The verdict on a claim that says one of several things at least.

    >>> at_least_one([SMALL, OPPOSITE]), at_least_one([SMALL, REPLICATED, UNDECIDED])
    ('smaller than the margin', 'replicated')
    """
    if REPLICATED in words:
        return REPLICATED
    open_ = [word for word in words if word not in REFUTING]
    if words and not open_:
        return OPPOSITE if set(words) == {OPPOSITE} else SMALL
    return UNDECIDABLE if open_ and set(open_) == {UNDECIDABLE} else UNDECIDED


def clear_best(words: Mapping[tuple[str, str], str], kinds: Sequence[str]) -> str | None:
    """Of several kinds the one that is stronger than every other, if there is one; ``words`` by (stronger, weaker)."""
    for kind in kinds:
        if len(kinds) > 1 and all(words.get((kind, other)) == REPLICATED for other in kinds if other != kind):
            return kind
    return None


def different_best(best: Sequence[str | None]) -> str:
    """The verdict on "the best differs from group to group", from the clear best of every group."""
    clear = [kind for kind in best if kind is not None]
    if len(set(clear)) > 1:
        return REPLICATED
    return OPPOSITE if len(clear) == len(best) > 1 else UNDECIDED


def no_clear_best(words: Mapping[tuple[str, str], str], kinds: Sequence[str], observed: str) -> str:
    """The verdict on "it is unclear which is best": some other is too close to the best observed one to matter.

    It stays open while a kind has no runs, which might be better than all others.
    """
    if clear_best(words, kinds):
        return OPPOSITE
    others = [words.get((observed, other)) for other in kinds if other != observed]
    return REPLICATED if None not in others and {*REFUTING} & {*others} else UNDECIDED
