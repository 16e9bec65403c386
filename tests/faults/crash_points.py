"""Failure at every single file operation of a run's commits: always the old state or the new one, never a mixture."""

import warnings
from pathlib import Path

import fault_tasks
from harness import Outcome
from study_tasks import FileOperations
from training_kills import whole

from wslib.study.engine.states import RunFolder


class Crash(BaseException):
    """Stands for the end of the process: nobody catches it."""


def crash() -> None:
    raise Crash


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Crash before and after each file operation of a run of a few iterations; at most so many of these moments."""
    outcome = Outcome("crash points", "file operations of a training run's commits that crashed")
    unit = fault_tasks.training("connect4", "adaptive")
    fault_tasks.train(unit, str(folder / "first"))  # what is asked of the system only once is asked here
    with FileOperations().watched() as operations:
        fault_tasks.train(unit, str(folder / "calm"))
    outcome.details["file operations of the run"] = len(operations.names)
    wanted = whole(folder / "calm")
    moments = [(at, after) for at in range(len(operations.names)) for after in (False, True)]
    step = max(1, len(moments) // number)
    for at, after in moments[seed % step :: step]:
        root = folder / f"{at}-{after}"
        crashed = False
        try:
            with FileOperations(crash, at, after).watched():
                fault_tasks.train(unit, str(root))
        except Crash:
            crashed = True
        states, kept = RunFolder(unit.run, root), True
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for iteration in states.iterations():
                # Examples that are gone belong to states that nobody goes on from.
                kept &= states.read(iteration) is not None or iteration < max(states.iterations())
        kept &= not told  # nothing was set aside
        fault_tasks.train(unit, str(root))
        found = whole(root)
        same = all(found.get(name) == content for name, content in wanted.items())
        outcome.expect(crashed and kept and same, f"operation {at}{' after' if after else ''}: {operations.names[at]}")
    return outcome
