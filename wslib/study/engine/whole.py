"""The whole study by one command: what is there, what is missing and how long it takes; compute, publish, go on.

Everything that is finished is stored at once, so that a command that was stopped, in whatever way, goes on where it
was: it looks again at what is there.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from wslib.parameters import ParameterError
from wslib.study.engine import store
from wslib.study.engine.agenda import Known, jobs
from wslib.study.engine.jobs import Job, Queue, told_of
from wslib.study.engine.jobs import compute as compute_jobs
from wslib.study.engine.provenance import cards_for
from wslib.study.engine.published import shelf
from wslib.study.engine.runs import RunUnit, SwitchUnit
from wslib.study.engine.times import Key, Times, Work, assumed, duration, keys, work_of
from wslib.study.engine.units import Unit, UnitsFailed
from wslib.study.pages.catalogue import EXPERIMENTS
from wslib.workers import default_workers

EVERY = 60.0
"""Seconds from one line of progress to the next, but that a finished run always has its line."""
Tell = Callable[[str], object]
Publish = Callable[[str], object]


class Study:
    """The jobs of the study (or of some of its experiments), and which of them are still to be done."""

    def __init__(self, only: Collection[str] | None = None, root: Path | None = None,
                 given: Mapping[str, Any] | None = None):  # fmt: skip
        self.root = root if root is not None else store.default_root()
        self.jobs = jobs(only, given)
        self.known = Known(self.root)
        self.queue = Queue([job for job in self.jobs if not self.known(job.unit)], self.root)
        self.times = Times.known({job.unit.kind for job in self.queue.jobs}, self.root)
        self.left = Counter[tuple[Key, float]]()
        """What is left: how many works there are of a kind and an assumed time, each named in ``works``."""
        self.works: dict[tuple[Key, float], Work] = {}
        for job in self.queue.jobs:
            self.left[self._kind_of(job.unit)] += 1

    def _kind_of(self, unit: Unit) -> tuple[Key, float]:
        work = work_of(unit)
        kind = keys(work)[0], assumed(work)
        self.works.setdefault(kind, work)
        return kind

    def workers(self) -> int:
        """How many processes compute here unless told otherwise: one per core, or per GPU where one is used."""
        return cards_for([job.unit for job in self.queue.jobs]) or default_workers()

    def seconds_left(self) -> float:
        """Processor seconds of everything that is left."""
        return sum(number * self.times.of(self.works[kind])[0] for kind, number in self.left.items() if number)

    def ended(self, job: Job, well: bool) -> float:
        """A job has been done, or has failed; the processor seconds that it took now."""
        self.left[self._kind_of(job.unit)] -= 1
        made = store.LocalStore(self.root).provenance(job.unit.kind, job.unit.id) if well else {}
        self.times.learn(work_of(job.unit), made)
        return float(made.get("cpu_seconds", 0))

    def publishable(self) -> list[str]:
        """Experiments with stored results of their own that are not in their folder; of some only when all is there.

        Those are computed by their pages while anything of them is missing, and would be here.
        """
        by_experiment: dict[str, list[Unit]] = defaultdict(list)
        for job in self.jobs:
            by_experiment[job.experiment].append(job.unit)
        found = []
        for name, units in by_experiment.items():
            there = shelf(name)
            fresh = any(unit.id not in there and self.known.stored(unit) for unit in units)
            whole = not EXPERIMENTS[name]().waits or all(map(self.known, units))
            found += [name] if fresh and whole else []
        return found


# --- the plan -----------------------------------------------------------------------------------------------------


def plan(study: Study, workers: int) -> Iterator[str]:
    """What is there and what is missing, phase by phase, as lines of text; hours with so many workers."""
    asked, missing = (defaultdict[str, Counter[str]](Counter) for _ in range(2))
    seconds, basis = (defaultdict[str, float](float) for _ in range(2))
    for job in study.jobs:
        asked[job.phase][what(job.unit)] += 1
    for job in study.queue.jobs:
        took, how = study.times.of(work_of(job.unit))
        missing[job.phase][what(job.unit)] += 1
        seconds[job.phase] += took
        basis[how] += took
    yield f"{'missing, of all asked for':30}{'runs':>14}{'tournaments':>18}{'other':>16}{'hours':>8}"
    for phase in asked:
        numbers = [f"{missing[phase][kind]:,} of {asked[phase][kind]:,}" if asked[phase][kind] else "–"
                   for kind in ("runs", "tournaments", "other")]  # fmt: skip
        hours = seconds[phase] / 3600 / workers
        yield f"{phase:30}{numbers[0]:>14}{numbers[1]:>18}{numbers[2]:>16}{hours:8.1f}"
    whole = sum(basis.values())
    if not study.queue.jobs:
        yield "nothing is missing"
        return
    shares = ", ".join(f"{100 * share / whole:.0f} % {how}" for how, share in basis.items())
    again = sum(job.again for job in study.queue.jobs)
    yield (
        f"about {duration(whole / workers)} with {workers} workers on this machine, {whole / 3600:.1f} core-hours (an "
        f"estimate; of these times {shares}); tournaments count their pairs"
        + (f"; {again} runs are trained for networks that are not at hand" if again else "")
    )


def what(unit: Unit) -> str:
    """The column of a unit in the plan."""
    return "runs" if isinstance(unit, RunUnit | SwitchUnit) else "tournaments" if hasattr(unit, "b") else "other"


# --- the work -----------------------------------------------------------------------------------------------------


class Progress:
    """Lines that say what was done and how long the rest will take, by what took how long so far."""

    def __init__(self, study: Study, workers: int, tell: Tell):
        self.study, self.workers, self.tell = study, workers, tell
        self.begun = self.told = time.monotonic()
        self.done, self.failed, self.seconds = 0, 0, 0.0

    def after(self, job: Job, seconds: float, error: Exception | None) -> None:
        """A job has been done, in so many processor seconds, or has failed."""
        if error:
            self.failed += 1
            self.tell(told_of(job.unit, error))
            return
        self.done += 1
        self.seconds += seconds
        run = what(job.unit) == "runs"
        if run or time.monotonic() - self.told > EVERY:
            self.told = time.monotonic()
            took = f" in {seconds / 60:.1f} min" if run else ""
            self.tell(f"{datetime.now():%d %b %H:%M}  {job.phase}: {name_of(job)}{took}; {self.rest()}")

    def rest(self) -> str:
        """What is left, and how long it will take."""
        left, spent = self.study.seconds_left(), time.monotonic() - self.begun
        # Other work on this machine makes a processor second last longer; that shows after a while.
        stretch = min(max(spent * self.workers / max(self.seconds, 1), 1), 5) if spent > 10 * EVERY else 1
        failed = f", {self.failed} failed" if self.failed else ""
        time_left = duration(left * stretch / self.workers) if left else "nothing"
        return f"done {self.done:,}{failed}, left {self.study.queue.left:,}, about {time_left}"


def name_of(job: Job) -> str:
    """What a job was, in a few words."""
    unit = job.unit
    if isinstance(unit, RunUnit | SwitchUnit):
        run = unit.run
        how = f" {run.switch}" if run.switch else ""
        return f"{'run' if unit.kind == 'run' else 'switch'} {run.game} {run.method}{how} seed {run.seed}"
    return f"{job.experiment}, {unit.kind}"


def compute(study: Study, workers: int = 0, on: Any = None, publish: Publish | None = None, minutes: float = 20.0,
            tell: Tell = print) -> None:  # fmt: skip
    """Compute all that is missing, on this machine's workers or on a Dask scheduler; publish every so many minutes.

    A unit that fails does not stop the others; :class:`UnitsFailed` tells of all of them at the end.
    """
    workers = workers or study.workers()
    progress = Progress(study, workers, tell)
    published = time.monotonic() - 60 * minutes  # what an earlier call has left is published soon

    def ended(job: Job, error: Exception | None) -> None:
        nonlocal published
        progress.after(job, study.ended(job, error is None), error)
        if publish and time.monotonic() - published > 60 * minutes:
            publish_all(study, publish, tell)
            published = time.monotonic()

    try:
        compute_jobs(study.queue, workers, on, ended)
    except UnitsFailed:
        publish_all(study, publish, tell)
        raise
    publish_all(study, publish, tell)


def publish_all(study: Study, publish: Publish | None, tell: Tell) -> None:
    """Publish what is new; where an experiment cannot be published a sentence says so, and the others still are."""
    if publish is None:
        return
    for name in study.publishable():
        try:
            publish(name)
        except (ParameterError, OSError, store.DamagedResult, UnitsFailed) as error:
            tell(f"{name} could not be published: {error}")


def names(given: Sequence[str]) -> list[str] | None:
    """The experiments that were named, checked; None for all."""
    for name in given:
        if name not in EXPERIMENTS:
            known = ", ".join(sorted(EXPERIMENTS))
            raise ParameterError(f"there is no experiment {name!r}: the experiments are {known}")
    return list(given) or None
