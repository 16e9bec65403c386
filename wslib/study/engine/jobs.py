"""Jobs: units that are computed as what they need becomes ready, on this machine's workers or by a Dask scheduler.

Every computation of the study goes this way, a notebook's missing results as much as the whole study: whoever is free
takes the first job whose networks are there. What is finished is stored at once, and what fails stops only what waits
for it.
"""

import errno
import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wslib.parameters import ParameterError
from wslib.study.engine.networks import NetworkUnit, is_there
from wslib.study.engine.progress import Progress, members
from wslib.study.engine.provenance import cards_for
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import MANIFEST, sweep
from wslib.study.engine.tournament import joined
from wslib.study.engine.units import Unit, UnitsFailed, check_writable, stored_unit
from wslib.training.settings import RunSettings
from wslib.workers import WorkerLost, as_ready

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
"""Errors of a disk that every further unit would meet too."""


@dataclass(eq=False)
class Job:
    """A unit to compute, for an experiment in a phase of the study."""

    unit: Unit
    experiment: str = ""
    phase: str = ""
    again: bool = False
    """Computed although its result may be known: for the networks that are not at hand."""
    place: int = 0
    missing: int = 0
    """Runs that it still waits for."""


Ended = Callable[[Job, Exception | None], object]
"""Hears of each job that has ended, and of its error where it has failed."""


def run_of(unit: Unit) -> str | None:
    """The id of the run that a unit trains, if it trains one."""
    run = getattr(unit, "run", None)
    return run.id if run is not None and unit.stage == 0 else None


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
        """A job has ended; what waited for its run becomes ready, where the networks are there that it waited for."""
        self.left -= 1
        self._training.discard(run_of(job.unit) or "")
        if not isinstance(job.unit, RunUnit):
            return
        trained, reached = job.unit.run, job.unit.iterations if well else 0
        for later in self._after.pop(trained.id, []):
            needed = [k for run, k in later.unit.plays_with() if run.id == trained.id] or [job.unit.iterations]
            if any(k > reached and not is_there(trained, k, self.root) for k in needed):
                self._after[trained.id].append(later)  # it needs a longer run, or one that has failed
                continue
            later.missing -= 1
            if not later.missing:
                heapq.heappush(self._ready, (later.place, later))

    def waiting_for(self, unit: Unit) -> list[Unit]:
        """The units that wait for the run of this one."""
        return [job.unit for job in self._after.get(run_of(unit) or "", [])]


def compute_units(units: Sequence[Unit], root: Path, workers: int, on: Any, progress: bool) -> None:
    """Compute these units and store them below ``root``, with a bar; networks that are not at hand are trained too."""
    check_writable(root)
    sweep(root)
    queue = Queue((Job(unit) for unit in sorted(joined(units), key=lambda unit: unit.stage)), root)
    asked = [job.unit for job in queue.jobs]
    workers = workers or (cards_for(asked) if on is None else 0)
    with Progress(asked, root, workers, progress, elsewhere=on is not None) as bar:
        compute(queue, bar.workers, on, lambda job, error: bar.done(job.unit, well=error is None))


def compute(queue: Queue, workers: int, on: Any, ended: Ended) -> None:
    """Compute all jobs, on so many processes here or, by a Dask scheduler, on whatever ``on`` is (not None).

    A unit that fails does not stop the others; :class:`UnitsFailed` tells of all of them at the end. What every unit
    would meet stops everything: a full disk, or workers that do not share the store.
    """
    given: list[Job] = []
    failures: list[tuple[Unit, Exception]] = []

    def more() -> tuple[Unit, Path, bool] | None:
        job = queue.take()
        if job is None:
            return None
        given.append(job)
        return job.unit, queue.root, job.again

    def failed(index: int, error: Exception) -> None:
        job = given[index]
        queue.done(job, well=False)
        ended(job, error)
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise error
        failures.append((job.unit, error))

    if on is None:
        answers = as_ready(stored_unit, more, min(workers, queue.left), failed)
    else:
        from wslib.study.engine.dask import as_ready_on  # an extra that most readers do without

        answers = as_ready_on(more, on, failed)
    for index, name in answers:
        unit = given[index].unit
        if name != unit.id:
            failed(index, RuntimeError(f"its worker calls it {name}, so it runs another version of this code"))
            continue
        if not all((queue.root / one.kind / one.id / MANIFEST).exists() for one in members(unit)):
            raise UnitsFailed(
                f"unit {unit.id} ({unit.kind}) was computed and is not in {queue.root}: the store must be a folder "
                "that all workers share, under the same path"
            )
        queue.done(given[index])
        ended(given[index], None)
    if failures:
        raise UnitsFailed(_told(failures, queue)) from failures[0][1]


def _told(failures: Sequence[tuple[Unit, Exception]], queue: Queue) -> str:
    """A sentence for each unit that failed, for those that wait for it, and what to do."""
    sentences = []
    for unit, error in failures:
        sentences.append(cause := told_of(unit, error))
        if stuck := queue.waiting_for(unit):
            kinds = ", ".join(sorted({other.kind for other in stuck}))
            sentences.append(f"{len(stuck)} units ({kinds}), {stuck[0].id} for one, were not computed because {cause}")
    return "\n".join([*sentences, "all other units are stored; the same command tries these again"])


def told_of(unit: Unit, error: Exception) -> str:
    """The sentence about a unit that failed."""
    what = str(error).splitlines()[0] if str(error) else "no more is known"
    known = isinstance(error, (ParameterError, WorkerLost, OSError))
    return f"unit {unit.id} ({unit.kind}) failed: {what if known else f'{type(error).__name__}: {what}'}"
