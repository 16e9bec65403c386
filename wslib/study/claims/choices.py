"""Claims made of several orderings of rated runs: one of them holds at least, or which of several kinds is the best.

Each becomes one :class:`wslib.study.claims.specs.Part`. Of several kinds that may be the best, all pairs are tested, so
that none is favoured by having been picked after a look at the runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from wslib.study.claims.specs import Judged, Ordering, Part, Single
from wslib.study.names import board_name, kind_name
from wslib.study.statistics import decide
from wslib.study.statistics.decide import UNDECIDABLE, UNDECIDED


@dataclass(frozen=True)
class AtLeastOne:
    """One of these orderings holds, at least."""

    name: str
    members: tuple[Ordering, ...]

    @property
    def experiment(self) -> str:
        return self.members[0].experiment

    def of_claim(self, judged: Judged, parts: int = 1) -> Part:
        """This as one of so many parts of a claim; the strongest ordering is shown."""
        found = [member.of_claim(judged, parts) for member in self.members]
        there = [part for part in found if part.runs] or found
        best = max(there, key=lambda part: (part.word == decide.REPLICATED, part.strength))
        needed = min((part.needed for part in found if part.needed), default=None)
        effect = f"{best.name}: {best.effect}" if best.runs else best.effect
        units = tuple(dict.fromkeys(unit for part in found for unit in part.units))
        word = decide.at_least_one([part.word for part in found])
        return best._replace(name=self.name, word=word, effect=effect, needed=needed, units=units)


@dataclass(frozen=True)
class Field:
    """Several kinds of which one may be the best: stronger than every other."""

    experiment: str
    board: str
    kinds: tuple[str, ...]
    pool: str | None = None

    @property
    def members(self) -> tuple[Ordering, ...]:
        """Every pair once: which of the two is claimed to be stronger makes no other test."""
        return tuple(Ordering(self.experiment, self.board, a, b, pool=self.pool) for a, b in
                     combinations(self.kinds, 2))  # fmt: skip

    def words(self, judged: Judged, parts: int) -> dict[tuple[str, str], str]:
        """The verdict on every ordering that has runs, by (stronger, weaker)."""
        found: dict[tuple[str, str], str] = {}
        for one in self.members:
            for way in (one, replace(one, first=one.second, second=one.first)):
                answer = judged.verdict(way, parts)
                if answer is not None:
                    found[way.first, way.second] = answer.word
        return found

    def observed(self, judged: Judged) -> str | None:
        """The kind with the highest mean; None with fewer than two kinds."""
        elos = judged.elos
        if elos.empty:
            return None
        here = elos[(elos["board"] == self.board) & elos["kind"].isin(self.kinds)]
        here = here[here["pool"] == self.pool] if self.pool else here
        means = here.groupby("kind")["elo"].mean()
        return str(means.idxmax()) if len(means) > 1 else None


@dataclass(frozen=True)
class BestDiffers:
    """Which kind is the best is not the same in all of these fields."""

    name: str
    fields: tuple[Field, ...]

    @property
    def experiment(self) -> str:
        return self.fields[0].experiment

    @property
    def members(self) -> tuple[Ordering, ...]:
        return tuple(member for one in self.fields for member in one.members)

    def of_claim(self, judged: Judged, parts: int = 1) -> Part:
        """This as one of so many parts of a claim."""
        found = [member.of_claim(judged, parts) for member in self.members]
        clear = [decide.clear_best(one.words(judged, parts), one.kinds) for one in self.fields]
        best = [(one, kind) for one in self.fields if (kind := one.observed(judged))]
        text = "best observed: " + ", ".join(f"{board_name(one.board)} {kind_name(kind)}" for one, kind in best)
        return _part_of_fields(self.name, decide.different_best(clear), text if best else "", found)


@dataclass(frozen=True)
class Unclear:
    """No kind of this field is told apart from all others as the best."""

    name: str
    field: Field

    @property
    def experiment(self) -> str:
        return self.field.experiment

    @property
    def members(self) -> tuple[Ordering, ...]:
        return self.field.members

    def of_claim(self, judged: Judged, parts: int = 1) -> Part:
        """This as one of so many parts of a claim."""
        found = [member.of_claim(judged, parts) for member in self.members]
        observed = self.field.observed(judged)
        word = decide.no_clear_best(self.field.words(judged, parts), self.field.kinds, observed or "")
        return _part_of_fields(
            self.name, word, f"best observed: {kind_name(observed)}" if observed else "", found
        )  # fmt: skip


def _part_of_fields(name: str, word: str, text: str, found: Sequence[Part]) -> Part:
    runs = [number for part in found for number in part.runs]
    needed = max((part.needed for part in found if part.needed), default=None)
    units = tuple(dict.fromkeys(unit for part in found for unit in part.units))
    impossible = all(part.word == UNDECIDABLE for part in found)
    word = UNDECIDABLE if word == UNDECIDED and impossible else word
    return Part(name, word, text or found[0].effect, (min(runs),) if runs else (), needed=needed, units=units)


Spec = Single | AtLeastOne | BestDiffers | Unclear
