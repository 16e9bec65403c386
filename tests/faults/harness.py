"""What all fault commands share: processes that can be killed, byte comparisons, and a record of what was done."""

import csv
import json
import math
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import study_tasks
from study_tasks import started as started

from wslib.files import HOME
from wslib.study.engine.provenance import kind_of_processor, machine
from wslib.study.engine.store import PROVENANCE
from wslib.workers import default_workers

RECORD = HOME / "data" / "reliability" / "faults.csv"
COLUMNS = ("date", "fault", "trials", "of", "failures", "seconds", "seed", "command", "code", "processor", "cores",
           "details")  # fmt: skip
HERE = str(Path(__file__).parent)
PATIENCE = 300
LAST = math.inf
"""Until when (by the monotonic clock) commands that go on trial by trial begin new ones."""
study_tasks.PROCESSES.set_forkserver_preload(["fault_tasks"])


@dataclass
class Outcome:
    """What a fault command did: so many trials (``of`` says what one is), and how many of them went wrong."""

    fault: str
    of: str
    trials: int = 0
    failures: list[str] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
    left_out: str = ""
    """Why there were no trials, where this machine cannot make them."""

    def count(self, name: str, number: float = 1) -> None:
        """Add to a number that is told beside the trials."""
        self.details[name] = self.details.get(name, 0) + number

    def wants(self, number: int) -> bool:
        """Whether there is to be another trial: fewer than so many were made, and there is time."""
        return self.trials < number and time.monotonic() < LAST

    def expect(self, fine: bool, what: str) -> None:
        """A trial's verdict."""
        self.trials += 1
        if not fine:
            self.failures.append(what)

    def __str__(self) -> str:
        if self.left_out:
            return f"{self.fault}: left out, because {self.left_out}"
        told = ", ".join(f"{value} {name}" for name, value in self.details.items())
        wrong = f"{len(self.failures)} FAILURES: {'; '.join(self.failures[:3])}" if self.failures else "no failure"
        return f"{self.fault}: {self.trials} {self.of}, {wrong}" + (f" ({told})" if told else "")


def record(outcome: Outcome, seconds: float, seed: int, path: Path = RECORD) -> None:
    """Append a line to the record, with date, command and machine."""
    made = machine()
    line = [
        datetime.now(UTC).isoformat(timespec="seconds"), outcome.fault, outcome.trials, outcome.of,
        len(outcome.failures), round(seconds, 1), seed, shlex.join(["python", *sys.argv]), made["code"],
        kind_of_processor(made), default_workers(), json.dumps(outcome.details, sort_keys=True),
    ]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        writer.writerow(line)


def kill(process: Any) -> bool:
    """SIGKILL; whether the process was still at work."""
    alive = process.is_alive()
    if alive:
        os.kill(process.pid, signal.SIGKILL)
    process.join(PATIENCE)
    return alive and process.exitcode == -signal.SIGKILL


def results_below(root: Path) -> dict[str, bytes]:
    """Every file of results, without provenance and without what only a killed process leaves."""
    found = (path for path in root.rglob("*") if path.is_file() and path.name != PROVENANCE)
    return {str(path.relative_to(root)): path.read_bytes() for path in found if not path.name.endswith(".tmp")}


def clock() -> Callable[[], float]:
    """A function that says how many seconds have gone by."""
    begun = time.monotonic()
    return lambda: time.monotonic() - begun
