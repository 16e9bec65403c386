"""The study engine: a notebook asks for units of work; what is known is read, what is missing is computed and stored.

A unit is a parameter object that can compute itself. Its id is the digest of its parameters and the results version,
so a rerun, a resumed run and the building of the book are one thing: asking again.
"""

import tempfile
import time
from abc import abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from wslib.games import game
from wslib.games.position import GameName
from wslib.parameters import ParameterError, Parameters
from wslib.play import PlayerSettings, match
from wslib.study.engine.provenance import graphics_card, machine, needs_gpu
from wslib.study.engine.published import Published, other_shelves, shelf
from wslib.study.engine.store import LocalStore, Stored


class Computed(NamedTuple):
    """What a unit's computation gives: a few plain numbers, and tables."""

    summary: dict[str, Any]
    tables: dict[str, pd.DataFrame]
    notes: dict[str, Any] = {}  # noqa: RUF012
    """For the provenance: what may differ between two computations, as times."""


class Unit(Parameters):
    """A piece of work whose result is stored under its id."""

    kind: ClassVar[str]
    stage: ClassVar[int] = 1
    """Units of a lower stage come first: others may need what they leave in the store."""

    def plays_with(self) -> list[tuple[Any, int]]:
        """The networks that it plays with, or measures: run and iteration."""
        return []

    def needs_no_training(self, root: Path) -> bool:
        """Whether nothing has to be trained for it: the networks that it plays with, or the run's states, are here."""
        from wslib.study.engine.networks import is_there  # of runs, which are units

        return self.stage > 0 and all(is_there(run, iteration, root) for run, iteration in self.plays_with())

    def parts(self, root: Path, **how: Any) -> Sequence[tuple["Unit", Computed]]:
        """What is stored when it has been computed: its own result."""
        return [(self, self.compute_in(root, **how))]

    @abstractmethod
    def compute_in(self, root: Path) -> Computed:
        """Do the work; the same parameters always give the same result. Long work keeps its states below ``root``."""


class GamesUnit(Unit):
    """Games of two players after openings."""

    game: GameName = Field(description="the game, as in 'othello-6x6'")
    games: int = Field(ge=2, multiple_of=2, description="number of games, half with each colour")
    seed: int = Field(0, ge=0)
    opening_plies: int = Field(ge=0, description="random plies before the players take over")

    @model_validator(mode="after")
    def _opening_fits(self) -> Self:
        if self.opening_plies >= game(self.game).cells:
            raise ValueError(
                f"opening_plies = {self.opening_plies} is not allowed: {game(self.game).title} has 0 to "
                f"{game(self.game).cells - 1}"
            )
        return self


class MatchUnit(GamesUnit):
    """A match of two players."""

    kind: ClassVar[str] = "match"

    a: PlayerSettings = Field(discriminator="method")
    b: PlayerSettings = Field(discriminator="method")
    games: int = Field(500, ge=2, multiple_of=2, description="number of games, half with each colour")
    opening_plies: int = Field(0, ge=0, description="random plies before the players take over")

    def compute_in(self, root: Path) -> Computed:
        played = match(game(self.game), self.a, self.b, self.games, self.seed, self.opening_plies)
        return Computed(played.summary(), {"games": played.frame()})


class UnitsFailed(RuntimeError):
    """Units that could not be computed, a sentence each; everything else is stored."""


def results(units: Sequence[Unit], experiment: str, workers: int | None = None, store: LocalStore | None = None,
            progress: bool = True, on: Any = None, compute: bool = True) -> pd.DataFrame:  # fmt: skip
    """The results of these units, a row each by their place: published, stored, or computed now.

    Columns: ``unit``, ``origin`` ("published" or "computed here"), and the numbers of the units' summaries. What is
    computed is stored as soon as it is done, so that an interrupted call goes on where it stopped. A unit that fails
    does not stop the others; :class:`UnitsFailed` tells of all of them at the end. ``on`` says where to compute: None
    is this machine, ``workers`` processes; for all else see :mod:`wslib.study.engine.dask`. Without
    ``compute``, what is missing has no row.
    """
    store = store or LocalStore()
    known = known_results(units, experiment, store)
    missing = {unit.id: unit for unit in units if unit.id not in known} if compute else {}
    if missing:
        from wslib.study.engine.jobs import compute_units  # trains, and so stands on this module

        compute_units(list(missing.values()), store.root, workers or 0, on, progress)
        known |= known_results(list(missing.values()), experiment, store)
    there = {place: unit.id for place, unit in enumerate(units) if unit.id in known}
    rows = [{"unit": name, "origin": known[name][0], **known[name][1].summary} for name in there.values()]
    return pd.DataFrame(rows, index=list(there), columns=None if rows else ["unit", "origin"])


def table(unit: Unit, name: str, experiment: str, store: LocalStore | None = None) -> pd.DataFrame:
    """A table of a unit's result (as ``games`` of a match); computes the unit if it is missing."""
    store = store or LocalStore()
    results([unit], experiment, store=store, progress=False)
    return _table(unit, name, experiment, known_results([unit], experiment, store)[unit.id][1])


def _table(unit: Unit, name: str, experiment: str, stored: Stored) -> pd.DataFrame:
    if name not in stored.tables:
        raise ParameterError(
            f"unit {unit.id} was published without its table {name!r}: "
            f"'wslib run {experiment} --unit {unit.id} --again' computes it here"
        )
    return stored.tables[name]


def provenance(units: Sequence[Unit], experiment: str, store: LocalStore | None = None) -> pd.DataFrame:
    """When, where, with what and how long each of these units was computed, a row each (those that are there).

    One that was taken up again has no times: they would be those of a part.
    """
    known = known_results(units, experiment, store or LocalStore())
    frame = pd.DataFrame([{**known[u.id][1].provenance, "unit": u.id} for u in units if u.id in known])
    if "resumed_after" in frame:
        times = [name for name in frame if name == "seconds" or name.startswith("cpu_")]
        frame.loc[pd.to_numeric(frame["resumed_after"], errors="coerce") > 0, times] = float("nan")
    return frame


def tables(units: Sequence[Unit], labels: pd.DataFrame, name: str, experiment: str,
           store: LocalStore | None = None) -> pd.DataFrame:  # fmt: skip
    """One table of several units, below each other, each row with its unit's name and labels."""
    if not units:
        return labels.assign(unit="")
    known = known_results(units, experiment, store or LocalStore())
    parts = [_table(unit, name, experiment, known[unit.id][1]) for unit in units]
    whole = pd.concat(parts, ignore_index=True)
    named = pd.DataFrame({"unit": [unit.id for unit in units]}).join(
        labels.drop(columns="unit", errors="ignore").reset_index(drop=True), validate="one_to_one"
    )
    rows = np.repeat(np.arange(len(units)), [len(part) for part in parts])
    added = named[[column for column in named if column not in whole]].iloc[rows].reset_index(drop=True)
    return whole.join(added)


def known_results(units: Sequence[Unit], experiment: str, store: LocalStore) -> dict[str, tuple[str, Stored]]:
    """Of those that are there: where from, and the result."""
    known: dict[str, tuple[str, Stored]] = {}
    own = shelf(experiment)
    elsewhere: list[Published] | None = None  # looked at only where something is missing
    for unit in {unit.id: unit for unit in units}.values():
        found = own.read(unit.kind, unit.id)
        if found is None:
            elsewhere = other_shelves(experiment) if elsewhere is None else elsewhere
            found = next(filter(None, (other.read(unit.kind, unit.id) for other in elsewhere)), None)
            # Another experiment may have published the numbers alone, without the tables that this one shows.
            whole = found and any(len(table) for table in found.tables.values())
            here = None if whole else store.read(unit.kind, unit.id)
            if here:
                known[unit.id] = ("computed here", here)
                continue
        if found:
            known[unit.id] = ("published", found)
    return known


def origins(units: Sequence[Unit], experiment: str, store: LocalStore | None = None) -> dict[str, str | None]:
    """Where each unit's result would come from: "published", "computed here", or None while it is missing."""
    known = known_results(units, experiment, store or LocalStore())
    return {unit.id: known[unit.id][0] if unit.id in known else None for unit in units}


def collect(units: Sequence[Unit], experiment: str, store: LocalStore | None = None) -> dict[str, Any]:
    """Everything that is stored of these units, as :func:`wslib.study.engine.published.publish` takes it."""
    known = known_results(units, experiment, store or LocalStore())
    return {unit.id: (unit.kind, unit.canonical(), known[unit.id][1]) for unit in units if unit.id in known}


def check_writable(root: Path) -> None:
    """Refuse a store that is not ours to write to before anything is computed for it."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as error:
        raise ParameterError(
            f"fresh results cannot be kept in {root} ({error.strerror}): WSLIB_STORE should name a folder of your own"
        ) from None


def stored_unit(unit: Unit, root: Path, again: bool = False) -> str:
    """Compute and store a unit, unless it is there already (or ``again``); its id. This is what a worker does."""
    if again or LocalStore(root).read(unit.kind, unit.id) is None:
        compute_unit(unit, root)
    return unit.id


def compute_unit(unit: Unit, root: Path, **how: Any) -> None:
    """Compute one unit and store it below ``root``."""
    card = graphics_card() if needs_gpu(unit) else {}  # before anything is computed on it
    started, wall, cpu = datetime.now(UTC), time.perf_counter(), time.process_time()
    parts = unit.parts(root, **how)
    made = {
        "date": started.isoformat(timespec="seconds"),
        "seconds": round((time.perf_counter() - wall) / len(parts), 3),
        "cpu_seconds": round((time.process_time() - cpu) / len(parts), 3),
        **machine(),
        **card,
    }
    for part, (summary, tables, notes) in parts:
        provenance = {**made, "results_version": part.results_version, **notes}
        LocalStore(root).commit(part.kind, part.id, part.canonical(), summary, tables, provenance)
