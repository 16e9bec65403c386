"""What there is to judge claims by: results of the experiments, and the things that claims say of trained players.

These are orderings, levels and spreads of Elo, judged by :mod:`wslib.study.statistics.verdicts` with the run as unit;
all orderings of an experiment are corrected together. A positive effect means that the first group is stronger. What is
not there yet makes a part without data, never an error.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb
from typing import Any, ClassVar, Literal, NamedTuple

import pandas as pd
from pydantic import Field

from wslib.parameters import Parameters
from wslib.study.engine import units as study
from wslib.study.pages.base import Orientation
from wslib.study.pages.learning import Untrained
from wslib.study.pages.warm import Adaptive, AdaptiveVsFixed, Beyond, IPrime, Warmstart
from wslib.study.report import warm
from wslib.study.report.look import board_name, kind_name
from wslib.study.statistics import stats
from wslib.study.statistics.verdicts import MEASURES, Claim, Comparison, Scale, Verdict, verdicts

NO_DATA = "no results yet"
TABLES = {
    "adaptive": ("switch", "balances"), "adaptive_vs_fixed": ("run", "iterations"), "orientation": ("match", "games")
}  # fmt: skip
"""Kind of unit and name of the table that some claims need."""
OPPOSITE = {stats.REPLICATED: stats.NOT_REPLICATED, stats.NOT_REPLICATED: stats.REPLICATED}


class Part(NamedTuple):
    """One thing that a claim says, with what was found."""

    name: str
    word: str = stats.UNDECIDED
    effect: str = NO_DATA
    """With its interval, as it is written."""
    runs: tuple[int, ...] = ()
    """Runs (or games) a side."""
    of: str = "runs"
    needed: int | None = None
    """Runs or games that would decide, where these do not."""
    strength: float = 0.0
    """How far the effect is on the claimed side: of several parts the weakest is shown."""
    units: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ordering:
    """Runs of one kind are stronger than those of another ("same": as strong; "not higher": no stronger)."""

    experiment: str
    board: str
    first: str
    second: str
    claim: str = "higher"
    pool: str | None = None

    @property
    def name(self) -> str:
        sign = {"higher": ">", "same": "=", "not higher": "not above"}[self.claim]
        return f"{board_name(self.board)}: {kind_name(self.first)} {sign} {kind_name(self.second)}"

    @property
    def tested(self) -> "Ordering":
        """The ordering whose test answers this one too: "not higher" is "higher", read the other way round."""
        return replace(self, claim="higher") if self.claim == "not higher" else self

    def comparison(self, elos: pd.DataFrame) -> Comparison | None:
        claim: Claim = "same" if self.claim == "same" else "higher"
        found = warm.compared(elos, self.board, self.first, self.second, claim, self.name, self.pool)
        return found and replace(found, test=(self.board, self.pool, frozenset(self.kinds())))

    def kinds(self) -> tuple[str, ...]:
        return (self.first, self.second)


@dataclass(frozen=True)
class Level:
    """Runs of a kind have a mean Elo of about so much, on the scale on which a pool's mean is 0."""

    experiment: str
    board: str
    kind: str
    elo: float
    tested = property(lambda self: self)

    @property
    def name(self) -> str:
        return f"{board_name(self.board)}: {kind_name(self.kind)} at about {self.elo:+.0f}"

    def comparison(self, elos: pd.DataFrame) -> Comparison | None:
        here = elos[elos["board"] == self.board]
        values = here.loc[here["kind"] == self.kind, "elo"] - here["elo"].mean()
        return Comparison(self.name, values - self.elo, claim="same") if len(values) else None

    def kinds(self) -> tuple[str, ...]:
        return (self.kind,)


@dataclass(frozen=True)
class Spread:
    """Runs of a kind differ more than those of the others: mean distances in Elo from the median of one's kind.

    Spreads have no size below which they do not matter: only the sign and p decide.
    """

    experiment: str
    board: str
    kind: str
    tested = property(lambda self: self)
    scale: ClassVar[Scale] = "spread"

    @property
    def name(self) -> str:
        return f"{board_name(self.board)}: {kind_name(self.kind)} varies more than the others"

    def comparison(self, elos: pd.DataFrame) -> Comparison | None:
        here = elos[(elos["board"] == self.board) & elos["kind"].notna()]
        far = (here["elo"] - here.groupby("kind")["elo"].transform("median")).abs()
        own = here["kind"] == self.kind
        return Comparison(self.name, far[own], far[~own], scale=self.scale) if own.any() and not own.all() else None

    def kinds(self) -> tuple[str, ...]:
        return (self.kind,)


@dataclass(frozen=True)
class LargerGain:
    """A warm start gains more in one game than in another: the enhancements' mean minus Baseline, a number per seed.

    Elo of different games has no common scale; the score that a difference stands for has one.
    """

    experiment: str
    board: str
    other: str
    tested = property(lambda self: self)
    scale: ClassVar[Scale] = "score"

    @property
    def name(self) -> str:
        return f"gain over Baseline: {board_name(self.board)} > {board_name(self.other)}"

    def comparison(self, elos: pd.DataFrame) -> Comparison | None:
        gains: list[pd.Series] = []
        for board in (self.board, self.other):
            here = elos[(elos["board"] == board) & elos["kind"].notna()]
            warmed = here[here["kind"] != "baseline"].groupby("seed")["elo"].mean()
            gain = (warmed - here[here["kind"] == "baseline"].set_index("seed")["elo"]).dropna()
            gains.append(1 / (1 + 10 ** (-gain / 400)))
        return Comparison(self.name, gains[0], gains[1], scale=self.scale) if all(map(len, gains)) else None

    def kinds(self) -> tuple[str, ...]:
        return ()


Spec = Ordering | Level | Spread | LargerGain


def judged(specs: Iterable[Spec], elos: pd.DataFrame) -> dict[Spec, Verdict]:
    """Verdicts on those of one experiment's specs that have runs, corrected together and each tested once."""
    compared = {spec: spec.comparison(elos) for spec in dict.fromkeys(spec.tested for spec in specs)}
    there = {spec: comparison for spec, comparison in compared.items() if comparison is not None}
    return dict(zip(there, verdicts(list(there.values())), strict=True))


def trained_part(spec: Spec, found: Mapping[Spec, Verdict], elos: pd.DataFrame) -> Part:
    """A spec as a part of a claim."""
    answer = answer_to(spec, found)
    if answer is None:
        return Part(spec.name)
    units: tuple[str, ...] = ()
    if "unit" in elos:
        here = elos[(elos["board"] == spec.board) & elos["kind"].isin(spec.kinds())]
        units = tuple(here["unit"].dropna().unique())
    same = isinstance(spec, Level) or getattr(spec, "claim", "") == "same"
    scale = getattr(spec, "scale", "elo")
    part = part_of(spec.name, answer, scale, units, same, spec.elo if isinstance(spec, Level) else 0.0)
    return part if spec.tested == spec else part._replace(strength=-part.strength)


def answer_to(spec: Spec, found: Mapping[Spec, Verdict]) -> Verdict | None:
    """The verdict on a spec, from that on the ordering which was tested; None while there is none."""
    answer = found.get(spec.tested)
    if answer is None or spec.tested == spec:
        return answer
    return replace(answer, name=spec.name, word=OPPOSITE.get(answer.word, answer.word))


def part_of(
    name: str, answer: Verdict, scale: str, units: tuple[str, ...] = (), same: bool = False, claimed: float = 0.0
) -> Part:
    """A verdict as a part of a claim; of a ``claimed`` level not the difference from it is shown, but our level."""
    measure, between = MEASURES[scale], ""
    if answer.interval is not None:
        between = " ({} to {})".format(*(measure.number(claimed + bound) for bound in answer.interval))
    strength = -abs(answer.effect) if same else answer.effect
    effect = measure.text(claimed + answer.effect) + between
    return Part(name, answer.word, effect, answer.runs, "runs", answer.needed, strength, units)


# --- what is there ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evidence:
    """Labelled results by experiment, and the tables that some claims need; an experiment may be missing."""

    frames: Mapping[str, pd.DataFrame]
    tables: Mapping[str, pd.DataFrame]
    """By experiment, as ``TABLES`` has them."""
    scale: str = "table"
    """Preset of the adaptive runs that count."""
    asked: Mapping[str, Any] = field(default_factory=dict)
    """The experiments, by name: their parameters are what designs are compared with."""

    def frame(self, experiment: str, *parts: str) -> pd.DataFrame:
        """Rows of an experiment, of these parts only where given; empty while there are none."""
        frame = self.frames.get(experiment, pd.DataFrame())
        return frame[frame["part"].isin(parts)].reset_index(drop=True) if parts and len(frame) else frame

    def sizes(self) -> dict[str, int]:
        """How many results each experiment asks for that claims could need."""
        return {
            name: len(asked.run_units()) + sum(comb(len(entrants), 2) for _, _, entrants in asked.pools())
            if hasattr(asked, "pools")
            else len(asked.asked())
            for name, asked in self.asked.items()
        }

    @cached_property
    def elos(self) -> dict[str, pd.DataFrame]:
        """Rated runs by experiment."""
        found = {}
        for experiment in self.frames:
            pairs = self.frame(experiment, "pool") if "part" in self.frame(experiment) else pd.DataFrame()
            if len(pairs):
                runs = self.frame(experiment, "run")
                found[experiment] = warm.run_elos(
                    warm.pool_ratings(warm.round_robin(pairs), anchor="random"), runs if len(runs) else None
                )
        return found


class Page(Parameters):
    """What the pages ask for that look at all experiments together."""

    preset: Literal["full", "smoke"] = Field("full", description="full: what is published or stored; smoke: seconds")
    scale: Literal["laptop", "table", "paper"] = Field("table", description="preset of the runs that are rated")
    switches: Literal["table", "laptop", "paper"] = Field("table", description="preset of the runs up to their switch")
    workers: int = Field(0, ge=0, le=1024, description="worker processes; 0 is one per core")

    def experiments(self) -> list[Any]:
        """The experiments that claims are about."""
        scale = {"preset": self.preset, "workers": self.workers}
        rated = scale if self.preset == "smoke" else {**scale, "preset": self.scale}
        runs = [kind(**rated).grown() for kind in (Warmstart, IPrime, AdaptiveVsFixed)]
        until = scale if self.preset == "smoke" else {**scale, "presets": (self.switches,)}
        return [Orientation(**scale), Untrained(**scale), *runs, Adaptive(**until).grown()]

    def gather(self, more: bool = False) -> "Evidence":
        """What is there, with ``more`` also of experiments that no claim is about; at smoke all of it is computed."""
        smoke = self.preset == "smoke"
        others = [Beyond(workers=self.workers).grown()] if more and not smoke else []
        return gather([*self.experiments(), *others], smoke, "smoke" if smoke else self.switches)


def gather(experiments: Sequence[Any], compute: bool = False, scale: str = "table") -> Evidence:
    """What is published or stored of these experiments; with ``compute``, what is missing is computed first."""
    frames, tables = {}, {}
    for asked in experiments:
        pairs = _wanted(asked, compute)
        if not pairs:
            continue
        units = [unit for unit, _ in pairs]
        labels = pd.DataFrame([labels for _, labels in pairs])
        frames[asked.name] = labels.join(study.results(units, asked.name, asked.workers))
        kind, table = TABLES.get(asked.name, ("", ""))
        wanted = [place for place, unit in enumerate(units) if unit.kind == kind]
        if wanted:
            some = frames[asked.name].iloc[wanted].dropna(axis="columns", how="all")
            tables[asked.name] = study.tables([units[place] for place in wanted], some, table, asked.name)
    return Evidence(frames, tables, scale, {asked.name: asked for asked in experiments})


def _wanted(asked: Any, compute: bool) -> list[tuple[Any, dict[str, Any]]]:
    """The units that claims need, those that are there unless they are to be computed.

    Of tournaments, only pairs whose runs are there are looked for: thousands may be asked for, and few be there yet.
    """
    if not hasattr(asked, "pools"):
        return asked.asked() if compute else _there(asked, asked.asked())
    if compute:
        return asked.run_units() + asked.pool_units()
    runs = _there(asked, asked.run_units())
    present = {unit.run for unit, _ in runs}
    return runs + _there(asked, asked.pool_units_among(present))


def _there(asked: Any, pairs: list[tuple[Any, dict[str, Any]]]) -> list[tuple[Any, dict[str, Any]]]:
    where = study.origins([unit for unit, _ in pairs], asked.name)
    return [(unit, labels) for unit, labels in pairs if where[unit.id]]
