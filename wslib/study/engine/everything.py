"""Everything that is published or stored, result by result, whoever asked for it."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from wslib.parameters import NETWORK_RESULTS_VERSION, digest
from wslib.study.engine.published import Published, other_shelves
from wslib.study.engine.store import DamagedResult, LocalStore, Stored

RUNS = ("run", "switch")
"""Kinds of units that are training runs."""


class Found(NamedTuple):
    """A result by the files' own account; it is read when that is asked for."""

    kind: str
    unit: str
    parameters: Mapping[str, Any]
    experiment: str
    """Which one published it; none where it was computed here."""
    place: Path
    source: Published | LocalStore

    def read(self) -> Stored | None:
        """The result; None where it is damaged."""
        with suppress(DamagedResult):
            return self.source.read(self.kind, self.unit)
        return None

    @property
    def todays(self) -> bool:
        """Whether a run is what today's code would compute, and not one of an earlier version, which has no network."""
        return digest(self.parameters, NETWORK_RESULTS_VERSION) == self.unit

    @property
    def results(self) -> str:
        """Where it comes from; what torch learned for the first edition counts for nothing today."""
        if not self.experiment:
            return "computed here"
        old = self.kind in RUNS and not self.todays
        return "first edition" if old else "published"


def published(*kinds: str, root: Path | None = None) -> Iterator[Found]:
    """All published results of these kinds, or of all, experiment by experiment; what is damaged is left out."""
    for shelf in other_shelves("", root):
        with suppress(DamagedResult):
            for kind, unit, asked in shelf.asked(*kinds):
                yield Found(kind, unit, asked, shelf.folder.name, shelf.folder, shelf)


def stored(store: LocalStore, *kinds: str, most: int | None = None) -> Iterator[Found]:
    """All results of these kinds, or of all, in a store, the latest first, and of each kind at most so many."""
    for kind in kinds or store.kinds():
        for unit in store.latest(kind, most):
            try:
                asked = store.parameters(kind, unit)
            except DamagedResult:
                continue  # whoever asks for it is told
            yield Found(kind, unit, asked, "", store.root / kind / unit, store)
