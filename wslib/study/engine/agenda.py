"""The whole study as one list of jobs: which units, in which order, and what each of them waits for.

Runs whose pages need them most come first, and seed by seed, so that a balanced part is there at any time; what plays
with networks follows as soon as these are there. A unit that several experiments ask for is one job, of the first.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from wslib.study.engine.networks import NetworkUnit, is_there
from wslib.study.engine.published import other_shelves
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import MANIFEST
from wslib.study.engine.units import Unit
from wslib.study.pages.catalogue import EXPERIMENTS
from wslib.training.settings import RunSettings


class Phase(NamedTuple):
    """A part of the study: an experiment, or its units of some games."""

    title: str
    experiment: str
    boards: tuple[str, ...] | None = None


PHASES: tuple[Phase, ...] = (
    *(Phase("searches without learning", name) for name in ("orientation", "readings", "perfect_play", "rating")),
    *(Phase("first pages of learning", name)
      for name in ("untrained", "it_learns", "one_run", "protocol", "network_choice")),
    Phase("chapter 5, Othello", "warmstart", ("othello",)),
    Phase("chapter 5, Gobang", "warmstart", ("gobang",)),
    Phase("chapter 5, Connect Four", "warmstart", ("connect4",)),
    Phase("adaptive runs, Connect Four", "adaptive_vs_fixed", ("connect4",)),
    Phase("adaptive runs, Connect Four", "adaptive", ("connect4",)),
    Phase("adaptive runs, Othello", "adaptive_vs_fixed", ("othello",)),
    Phase("adaptive runs, Othello", "adaptive", ("othello",)),
    Phase("fixed I', Connect Four", "iprime"),
    Phase("switches in Gobang", "adaptive", ("gobang",)),
    Phase("controls", "control"),
    Phase("beyond the sources", "beyond"),
    Phase("ways of playing", "published_tournaments"),
)  # fmt: skip
"""All experiments, in the order in which they are computed."""


@dataclass(eq=False)
class Job:
    """A unit to compute, for an experiment in a phase."""

    unit: Unit
    experiment: str
    phase: str
    again: bool = False
    """Computed although its result may be known: for the networks that are not at hand."""
    place: int = 0
    missing: int = 0
    """Runs that it still waits for."""


def run_of(unit: Unit) -> str | None:
    """The id of the run that a unit trains, if it trains one."""
    run = getattr(unit, "run", None)
    return run.id if run is not None and unit.stage == 0 else None


def jobs(only: Collection[str] | None = None, given: Mapping[str, Any] | None = None) -> list[Job]:
    """Everything that the study asks for (or some of its experiments) in its order, each unit once.

    ``given`` are parameters of those experiments that have them.
    """
    asked: dict[str, Any] = {}
    found: dict[str, Job] = {}
    for phase in PHASES:
        name = phase.experiment
        if only and name not in only:
            continue
        if name not in asked:
            kind = EXPERIMENTS[name]
            asked[name] = kind(**{n: value for n, value in (given or {}).items() if n in kind.model_fields})
        experiment = asked[name]
        here = [u for u, labels in experiment.asked_once if phase.boards is None or labels["board"] in phase.boards]
        for unit in sorted(here, key=_order):
            found.setdefault(unit.id, Job(unit, name, phase.title))
    return list(found.values())


def _order(unit: Unit) -> tuple[int, int]:
    """Seed by seed, by the latest of its networks; of a seed first the runs."""
    runs = [run for run, _ in unit.plays_with()] or ([unit.run] if hasattr(unit, "run") else [])
    return max((run.seed for run in runs), default=0), unit.stage


class Known:
    """Whether a unit's result is published or stored; nothing is read but lists."""

    def __init__(self, root: Path):
        self.root, self.shelves = root, other_shelves("")

    def __call__(self, unit: Unit) -> bool:
        return self.stored(unit) or any(unit.id in shelf for shelf in self.shelves)

    def stored(self, unit: Unit) -> bool:
        """Whether it is in the local store."""
        return (self.root / unit.kind / unit.id / MANIFEST).exists()


def with_needed_runs(missing: Sequence[Job], there: Callable[[RunSettings, int], bool]) -> list[Job]:
    """The jobs, each before the first that needs it, with the runs whose networks are needed and come from nowhere.

    Such a run is published or belongs to another experiment, and its network is not at hand: it is trained (again).
    """
    trained: dict[str, int] = defaultdict(int)
    for job in missing:
        if isinstance(job.unit, RunUnit):
            trained[job.unit.run.id] = max(trained[job.unit.run.id], job.unit.iterations)
    needed: dict[str, int] = defaultdict(int)
    for job in missing:
        for run, iteration in job.unit.plays_with():
            if trained[run.id] < iteration and not there(run, iteration):
                needed[run.id] = max(needed[run.id], iteration)
    found: list[Job] = []
    for job in missing:
        for run, _ in job.unit.plays_with():
            if iterations := needed.pop(run.id, 0):
                found.append(Job(NetworkUnit(run=run, iterations=iterations), job.experiment, job.phase, again=True))
        found.append(job)
    return found


class Queue:
    """Jobs in their order: whoever is free takes the first one that is ready.

    A job is ready when the networks that it needs are there, and when nobody else is at work on the run it trains.
    """

    def __init__(self, missing: Iterable[Job], root: Path):
        self.seen: dict[tuple[str, int], bool] = {}
        self.root = root
        self.jobs = with_needed_runs(list(missing), self._there)
        self.left = len(self.jobs)
        self._ready: list[tuple[int, Job]] = []
        self._after: dict[str, list[Job]] = defaultdict(list)
        """Jobs that wait for a run."""
        self._training: set[str] = set()
        trained = {run_of(job.unit) for job in self.jobs if isinstance(job.unit, RunUnit)}
        for place, job in enumerate(self.jobs):
            job.place = place
            waits_for = {run.id for run, k in job.unit.plays_with() if not self._there(run, k)}
            if not isinstance(job.unit, RunUnit) and run_of(job.unit) in trained:
                waits_for.add(job.unit.run.id)  # type: ignore[attr-defined]  # a switch is read from the whole run's log
            job.missing = len(waits_for)
            for run in waits_for:
                self._after[run].append(job)
            if not waits_for:
                heapq.heappush(self._ready, (place, job))

    def _there(self, run: RunSettings, iteration: int) -> bool:
        key = run.id, iteration
        if key not in self.seen:
            self.seen[key] = is_there(run, iteration, self.root)
        return self.seen[key]

    def take(self) -> Job | None:
        """The first job that is ready; None while there is none."""
        passed, taken = [], None
        while self._ready and taken is None:
            place, job = heapq.heappop(self._ready)
            if run_of(job.unit) in self._training:
                passed.append((place, job))
            else:
                taken = job
        for entry in passed:
            heapq.heappush(self._ready, entry)
        if taken and (run := run_of(taken.unit)):
            self._training.add(run)
        return taken

    def done(self, job: Job, well: bool = True) -> None:
        """A job has ended; what waited for its run becomes ready, unless it has failed."""
        self.left -= 1
        run = run_of(job.unit)
        self._training.discard(run or "")
        if not (well and isinstance(job.unit, RunUnit)):
            return
        waiting, reached = self._after.pop(job.unit.run.id, []), job.unit.iterations
        for later in waiting:
            if any(run.id == job.unit.run.id and k > reached for run, k in later.unit.plays_with()):
                self._after[job.unit.run.id].append(later)  # it needs a longer run
                continue
            later.missing -= 1
            if not later.missing:
                heapq.heappush(self._ready, (later.place, later))
