"""What is told of a computation: before it begins what it is and how long it takes, and then how far it has come.

How far a run has come is seen in the store, where every iteration leaves its state, so nobody who computes has to tell.
"""

import os
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from tqdm import tqdm

from wslib._bar import nobody_looks, tell, terminal
from wslib.study.engine.provenance import needs_gpu
from wslib.study.engine.run_files import RunFiles
from wslib.study.engine.times import ASSUMED, RUNS, Times, duration, work_of
from wslib.study.names import listed
from wslib.workers import default_workers

WORDS = {
    "run": ("training run", "training runs"),
    "switch": ("run up to its switch", "runs up to their switch"),
    "network": ("run once more for its network", "runs once more for their networks"),
    "perfect": ("comparison with perfect play", "comparisons with perfect play"),
    "opening": ("solution of an opening", "solutions of openings"),
    "false_alarms": ("set of simulated tournaments", "sets of simulated tournaments"),
    "coverage": ("set of simulated tournaments", "sets of simulated tournaments"),
}
"""Kinds of units in a sentence, one and several; all others are matches."""
QUICK = 8.0
"""Seconds of work for which no worker processes are started, as they begin with imports of as many seconds."""
PAUSE = 2.0
"""Seconds between two looks at the store."""


class Progress:
    """A bar whose length is estimated time. Use it as a context; it begins with a sentence."""

    def __init__(self, units: Sequence[Any], root: Path, workers: int, shown: bool, elsewhere: bool = False):
        """``workers`` 0 is one per core, or this process alone where all takes less than starting others would."""
        self.root, self.workers, self.shown = root, workers or default_workers(), shown
        self.left = {unit.id: unit for unit in units}
        self.number, self.failed, self.seconds = sum(map(_size, units)), 0, dict[str, float]()
        if shown:
            estimate = Estimate(units, root)
            self.seconds = estimate.seconds
            if not workers and not elsewhere and sum(self.seconds.values()) < QUICK:
                self.workers = 1
            estimate.announce(0 if elsewhere else self.workers)
        self._ended, self._watcher = threading.Event(), threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        quiet = not self.shown or nobody_looks()
        shape = "computing {percentage:3.0f}%|{bar:20}| {desc} [{elapsed}<{remaining}]"
        self.bar = tqdm(total=sum(self.seconds.values()), bar_format=shape, leave=False,
                        file=terminal(), disable=quiet)  # fmt: skip
        if not quiet:
            self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._watcher.ident:
            self._watcher.join()
        self.bar.close()

    def done(self, unit: Any, well: bool = True) -> None:
        """A unit has been computed, or has failed or been given up."""
        self.left.pop(unit.id, None)
        self.failed += not well
        self._draw()

    def _watch(self) -> None:
        while not self._ended.wait(PAUSE):
            self._draw()

    def _draw(self) -> None:
        if self.bar.disable:
            return
        begun, told = 0.0, []
        # Units are given out in their order, so the first of those that are left are at work.
        for unit in list(self.left.values())[: self.workers]:
            if unit.kind in RUNS and (come := next(iter(RunFiles(unit.run, self.root).iterations()), 0)):
                most = getattr(unit, "iterations", None) or unit.most
                begun += self.seconds[unit.id] * min(come / most, 1)
                told.append(f"{unit.run.method} seed {unit.run.seed}: {come}/{most}")
        failed = f", {self.failed} failed" if self.failed else ""
        self.bar.n = self.bar.total - sum(map(self.seconds.__getitem__, self.left)) + begun
        left = sum(map(_size, self.left.values()))
        self.bar.set_description_str(
            "; ".join([f"{self.number - left} of {self.number}{failed}", *told]), refresh=False
        )
        self.bar.refresh()


class Estimate:
    """How long units will take on this machine."""

    def __init__(self, units: Sequence[Any], root: Path):
        self.single = [one for unit in units for one in members(unit)]
        self.times = Times.known({one.kind for one in self.single}, root)
        self.works = {one.id: work_of(one) for one in self.single}
        self.seconds = {
            unit.id: max(sum(self.times.of(self.works[one.id])[0] for one in members(unit)), 0.01) for unit in units
        }
        """Processor seconds of each unit, by its id."""

    def announce(self, workers: int) -> None:
        """Say what will be computed and how long it takes. No workers: those of others.

        What else keeps this machine busy now makes it take longer.
        """
        works = ((one.stage, self.works[one.id]) for one in self.single)
        seconds, basis = self.times.together(works, workers or 1)
        busy = (os.getloadavg()[0] + workers) / default_workers() if workers else 1.0
        tell(announcement(self.single, (seconds * max(busy, 1.0), basis), workers))


def members(unit: Any) -> Sequence[Any]:
    """The units that a block of them stands for, else the unit itself."""
    return getattr(unit, "members", (unit,))


def _size(unit: Any) -> int:
    return len(members(unit))


def announcement(units: Sequence[Any], estimate: tuple[float, str], workers: int) -> str:
    """One sentence: what will be computed, how long it takes, and that it can be stopped.

    >>> announcement([], (600.0, ASSUMED), 2)
    'computing nothing: about 10 min on 2 cores (assumed); interrupt whenever you like, what is finished is kept'
    """
    seconds, basis = estimate
    counts = Counter(WORDS.get(unit.kind.removeprefix("run "), ("match", "matches")) for unit in units)
    what = listed(f"{number:,} {words[number != 1]}" for words, number in counts.items()) or "nothing"
    several = "s" if workers != 1 else ""
    whose = f"worker{several} at graphics cards" if any(map(needs_gpu, units)) else f"core{several}"
    where = f"on {workers} {whose}" if workers else "of one core"
    return (
        f"computing {what}: about {duration(seconds)} {where} ({basis if basis == ASSUMED else f'as {basis}'}); "
        "interrupt whenever you like, what is finished is kept"
    )
