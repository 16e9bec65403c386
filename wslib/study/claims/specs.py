"""What claims say of rated runs: orderings, levels, spreads and gains.

Each says what it compares and becomes a :class:`Part` of a claim. All of an experiment are tested together
(:class:`Judged`), so that Holm's correction runs over them, and each test is made once. The unit is the training run; a
positive effect means that the first group is stronger. What is not there yet makes a part without data.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from wslib.study.names import board_name, kind_name
from wslib.study.pages.warm import ENHANCEMENTS
from wslib.study.statistics.compare import Comparison, Corrected, Verdict, corrected, smallest_p
from wslib.study.statistics.decide import FEWEST_RUNS, MEASURES, UNDECIDABLE, UNDECIDED, Claim, Scale
from wslib.study.statistics.stats import ALPHA

NO_DATA = "no results yet"
NOT_DESIGNED = "the design has no such runs"
Planned = Mapping[tuple[str, str], int]
"""Runs that a design has, by game and kind."""


class Part(NamedTuple):
    """One thing that a claim says, with what was found."""

    name: str
    word: str = UNDECIDED
    effect: str = NO_DATA
    """With its 95 % interval, as it is written."""
    runs: tuple[int, ...] = ()
    """Runs (or games) a side."""
    of: str = "runs"
    needed: int | None = None
    """Runs or games that would decide, where these do not."""
    strength: float = 0.0
    """How far the effect is on the claimed side: of several parts the weakest is shown."""
    units: tuple[str, ...] = ()
    together: str = ""
    """The interval that is simultaneous over the parts of the claim, as it is written."""
    p: float | None = None
    """Corrected over the tests of the experiment; None where nothing is tested."""
    power: float | None = None
    """Chance that the design sees 50 Elo (7 points), or, where none is claimed, no difference; None: unknown."""
    margin: str = "20 Elo"
    bounds: tuple[float, ...] = (np.nan, np.nan, np.nan)
    """The effect and its 95 % interval as numbers in ``unit``; without an interval no numbers."""
    unit: str = ""

    def of_claim(self, judged: object, parts: int = 1) -> "Part":
        """Itself: what depends on nothing else needs no judging."""
        return self


def part_of(answer: Verdict, same: bool = False, claimed: float = 0.0, of: str = "runs",
            units: tuple[str, ...] = ()) -> Part:  # fmt: skip
    """A verdict as a part of a claim; of a ``claimed`` level not the difference from it is shown, but our level."""
    measure = MEASURES[answer.scale]
    between, together = (
        "" if found is None else measure.interval(found, claimed) for found in (answer.interval, answer.together)
    )
    effect = measure.text(claimed + answer.effect) + (f" ({between})" if between else "")
    strength = -abs(answer.effect) if same else answer.effect
    low, high = answer.interval or (np.nan, np.nan)
    bounds = tuple(measure.scale * (claimed + value) for value in (answer.effect, low, high))
    return Part(answer.name, answer.word, effect, answer.runs, of, answer.needed, strength, units, together, answer.p,
                answer.power, measure.margin, bounds, measure.unit)  # fmt: skip


# --- single comparisons -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Single:
    """A claim that one comparison answers."""

    experiment: str
    board: str
    scale: ClassVar[Scale] = "elo"
    claimed: ClassVar[float] = 0.0

    name: ClassVar[Any]
    test: ClassVar[Any] = None

    @property
    def members(self) -> "tuple[Single, ...]":
        return (self,)  # type: ignore[return-value]

    @property
    def tested(self) -> "Single":
        """The claim whose test answers this one."""
        return self  # type: ignore[return-value]

    def of_claim(self, judged: "Judged", parts: int = 1) -> Part:
        """This as one of so many parts of a claim."""
        answer = judged.verdict(self, parts)  # type: ignore[arg-type]
        if answer is None:
            return judged.without_data(self)  # type: ignore[arg-type]
        part = part_of(answer, self.is_same, self.claimed, units=judged.units(self))  # type: ignore[arg-type]
        return part if self.tested == self else part._replace(strength=-part.strength)

    @property
    def is_same(self) -> bool:
        """Whether no difference is claimed."""
        return self.test is None


@dataclass(frozen=True)
class Ordering(_Single):
    """Runs of one kind are stronger than those of another ("same": as strong; "not higher": no stronger).

    Several kinds together, joined by "+", are one group of runs.
    """

    first: str
    second: str
    claim: str = "higher"
    pool: str | None = None

    @property
    def name(self) -> str:
        sign = {"higher": ">", "same": "=", "not higher": "not above"}[self.claim]
        return f"{board_name(self.board)}: {_group_name(self.first)} {sign} {_group_name(self.second)}"

    @property
    def test(self) -> Any:
        return None if self.claim == "same" else (self.board, self.pool, frozenset((self.first, self.second)))

    @property
    def tested(self) -> "Ordering":
        """The ordering whose test answers this one too: "not higher" is "higher", read the other way round."""
        return replace(self, claim="higher") if self.claim == "not higher" else self

    def comparison(self, elos: pd.DataFrame) -> Comparison | None:
        here = elos[(elos["board"] == self.board) & ((elos["pool"] == self.pool) if self.pool else True)]
        first, second = (here[here["kind"].isin(kinds.split("+"))] for kinds in (self.first, self.second))
        if first.empty or second.empty:
            return None
        claim: Claim = "same" if self.claim == "same" else "higher"
        noise = noise_of(first), noise_of(second)
        return Comparison(self.name, first["elo"].to_numpy(), second["elo"].to_numpy(), claim, test=self.test,
                          noise=noise)  # fmt: skip

    def planned(self, runs: Planned) -> tuple[int, ...]:
        return tuple(
            sum(runs.get((self.board, kind), 0) for kind in kinds.split("+")) for kinds in (self.first, self.second)
        )

    def kinds(self) -> tuple[str, ...]:
        return (*self.first.split("+"), *self.second.split("+"))


def _group_name(kinds: str) -> str:
    several = kinds.split("+")
    if set(several) == set(ENHANCEMENTS):
        return "all warm starts"
    return ", ".join(kind_name(kind) for kind in several)


def noise_of(runs: pd.DataFrame) -> float:
    """Standard deviation that chance in their games gives the ratings of these runs; 0 where it is not known."""
    return float(np.sqrt((runs["noise"] ** 2).mean())) if "noise" in runs and len(runs) else 0.0


@dataclass(frozen=True)
class Level(_Single):
    """Runs of a kind have a mean Elo of about so much, on the scale on which a pool's mean is 0."""

    kind: str
    elo: float

    @property
    def name(self) -> str:
        return f"{board_name(self.board)}: {kind_name(self.kind)} at about {self.elo:+.0f}"

    @property
    def claimed(self) -> float:  # type: ignore[override]
        return self.elo

    def comparison(self, elos: pd.DataFrame) -> Comparison | None:
        here = elos[elos["board"] == self.board]
        own = here[here["kind"] == self.kind]
        values = own["elo"] - here["elo"].mean() - self.elo
        return Comparison(self.name, values, claim="same", noise=(noise_of(own), 0.0)) if len(own) else None

    def planned(self, runs: Planned) -> tuple[int, ...]:
        return (runs.get((self.board, self.kind), 0),)

    def kinds(self) -> tuple[str, ...]:
        return (self.kind,)


@dataclass(frozen=True)
class Spread(_Single):
    """Runs of a kind differ more than those of the others: mean distances in Elo from the median of one's kind.

    Spreads have no size below which they do not matter: only the sign and p decide.
    """

    kind: str
    scale: ClassVar[Scale] = "spread"

    @property
    def name(self) -> str:
        return f"{board_name(self.board)}: {kind_name(self.kind)} varies more than the others"

    @property
    def test(self) -> Any:
        return ("spread", self.board, self.kind)

    def comparison(self, elos: pd.DataFrame) -> Comparison | None:
        here = elos[(elos["board"] == self.board) & elos["kind"].notna()]
        far = (here["elo"] - here.groupby("kind")["elo"].transform("median")).abs()
        own = here["kind"] == self.kind
        if not own.any() or own.all():
            return None
        return Comparison(self.name, far[own], far[~own], scale=self.scale, test=self.test)

    def planned(self, runs: Planned) -> tuple[int, ...]:
        here = {kind: number for (board, kind), number in runs.items() if board == self.board}
        return here.get(self.kind, 0), sum(here.values()) - here.get(self.kind, 0)

    def kinds(self) -> tuple[str, ...]:
        return (self.kind,)


@dataclass(frozen=True)
class LargerGain(_Single):
    """Some kinds gain more over others in one game than in another: the difference of their means, a number per seed.

    Elo of different games has no common scale; the score that a difference stands for has one.
    """

    other: str
    first: str = "+".join(ENHANCEMENTS)
    second: str = "baseline"
    scale: ClassVar[Scale] = "score"

    @property
    def name(self) -> str:
        over = "Baseline" if self.second == "baseline" else "fixed"
        return f"gain over {over}: {board_name(self.board)} > {board_name(self.other)}"

    @property
    def test(self) -> Any:
        return ("gain", self.first, self.second, frozenset((self.board, self.other)))

    def comparison(self, elos: pd.DataFrame) -> Comparison | None:
        gains, noises = [], []
        for board in (self.board, self.other):
            here = elos[elos["board"] == board]
            groups = [here[here["kind"].isin(kinds.split("+"))] for kinds in (self.first, self.second)]
            first, second = (group.groupby("seed")["elo"].mean() for group in groups)
            scores = 1 / (1 + 10 ** (-(first - second).dropna() / 400))
            if scores.empty:
                return None
            gains.append(scores)
            # What an Elo point is worth there, times the noise of the difference of two means.
            steep = np.log(10) / 400 * float((scores * (1 - scores)).mean())
            noises.append(steep * np.sqrt(sum(noise_of(g) ** 2 / max(g["kind"].nunique(), 1) for g in groups)))
        return Comparison(self.name, gains[0], gains[1], scale=self.scale, test=self.test,
                          noise=(float(noises[0]), float(noises[1])))  # fmt: skip

    def planned(self, runs: Planned) -> tuple[int, ...]:
        return tuple(
            min(max(runs.get((board, kind), 0) for kind in kinds.split("+")) for kinds in (self.first, self.second))
            for board in (self.board, self.other)
        )

    def kinds(self) -> tuple[str, ...]:
        return ()


Single = Ordering | Level | Spread | LargerGain


# --- all of an experiment -----------------------------------------------------------------------------------------


class Judged:
    """Everything that claims say of the rated runs of one experiment, tested together.

    ``specs`` are the things said, or several in one (:mod:`wslib.study.claims.choices`). ``planned`` are the runs that
    its design has; without it nothing is called undecidable.
    """

    def __init__(self, specs: Iterable[Any], elos: pd.DataFrame | None, planned: Planned | None = None) -> None:
        self.elos = pd.DataFrame() if elos is None else elos
        self.planned = planned
        singles = dict.fromkeys(member.tested for spec in specs for member in spec.members)
        # Tests that the design cannot make, because it has no such runs or too few, are not corrected for.
        self.tests = len({single.test for single in singles if single.test is not None and self._enough(single)})
        self._found = self._tested(singles)

    def _enough(self, spec: Single) -> bool:
        return self.planned is None or min(spec.planned(self.planned)) >= FEWEST_RUNS

    def _tested(self, singles: Iterable[Single]) -> dict[Single, Corrected]:
        if self.elos.empty:
            return {}
        compared = {}
        for single in singles:
            comparison = single.comparison(self.elos)
            if comparison is not None:
                sides = () if self.planned is None else single.planned(self.planned)
                compared[single] = replace(comparison, planned=sides)
        return dict(zip(compared, corrected(list(compared.values()), self.tests), strict=True))

    @cached_property
    def _by_test(self) -> dict[Any, Corrected]:
        return {single.test: found for single, found in self._found.items() if single.test is not None}

    def verdict(self, spec: Single, parts: int = 1) -> Verdict | None:
        """The verdict on a claim as one of so many parts; None while one of its sides has no runs."""
        found = self._found.get(spec.tested)
        if found is None and isinstance(spec, Ordering) and spec.test in self._by_test:
            # The other way round: the same test, of the mirrored comparison.
            comparison = spec.tested.comparison(self.elos)
            other = self._by_test[spec.test]
            if comparison is not None:
                mirrored = replace(comparison, planned=tuple(reversed(other.comparison.planned)))
                found = replace(other, comparison=mirrored)
        if found is None:
            return None
        # "Not higher" holds where "higher" is refuted, and that parts hold needs no correction.
        return found.verdict(parts) if spec.tested == spec else found.verdict().negated(spec.name)

    def possible(self, spec: Single) -> bool:
        """Whether the design can decide this at all: whether it has the runs, and p can become small enough."""
        if self.planned is None or spec.tested.test is None:
            return self._enough(spec)
        return self._enough(spec) and self.tests * smallest_p(spec.planned(self.planned)) < ALPHA

    def without_data(self, spec: Single) -> Part:
        """A part whose runs are not there."""
        if self.possible(spec):
            return Part(spec.name)
        sides = spec.planned(self.planned or {})
        return Part(spec.name, UNDECIDABLE, NO_DATA if min(sides) else NOT_DESIGNED)

    def units(self, spec: Single) -> tuple[str, ...]:
        """The units of the runs that a claim is about."""
        if "unit" not in self.elos:
            return ()
        here = self.elos[(self.elos["board"] == spec.board) & self.elos["kind"].isin(spec.kinds())]
        return tuple(here["unit"].dropna().unique())


def planned_runs(asked: Any) -> dict[tuple[str, str], int]:
    """Runs that an experiment asks for, by game and kind."""
    counts: dict[tuple[str, str], int] = {}
    for labels, _ in asked.cells:
        key = (labels["board"], labels["kind"])
        counts[key] = counts.get(key, 0) + 1
    return counts
