"""Publishers that are killed, alone or beside another, while somebody reads: what is published is whole at any moment.

Every published run has its network beside it, and the same command repeated leaves what an undisturbed one leaves.
"""

import random
import shutil
import time
import warnings
from pathlib import Path
from unittest import mock

from fault_tasks import TinyUnit, publish_units, train, training
from harness import PATIENCE, Outcome, clock, kill, started

from wslib.study.engine import store as storing
from wslib.study.engine.networks import network_file
from wslib.study.engine.published import Published
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import DamagedResult
from wslib.study.engine.units import Unit, compute_unit


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Kill so many publishers of two runs and some dozen units, half of them beside a second one."""
    outcome = Outcome("publishers killed", "SIGKILLs of a process that was publishing")
    draw = random.Random(seed)
    runs: list[Unit] = [training("connect4", "fixed", seed=n) for n in range(2)]
    for unit in runs:
        train(unit, str(folder / "store"))  # type: ignore[arg-type]
    tiny: list[Unit] = [TinyUnit(number=n) for n in range(60)]
    for unit in tiny:
        compute_unit(unit, folder / "store")
    old, new = [runs[0], *tiny[:20]], [*runs, *tiny]
    calm = folder / "calm"
    publish_units(str(folder / "store"), str(calm), old)
    shutil.copytree(calm, folder / "old")
    time_gone = clock()
    only = started(publish_units, str(folder / "store"), str(calm), new)
    only.join(PATIENCE)
    seconds, wanted = time_gone(), published_files(calm)
    while outcome.wants(number):
        data = folder / f"data-{outcome.trials}"
        shutil.copytree(folder / "old", data)
        _one(folder / "store", data, (old, new), seconds, draw, outcome)
        publish_units(str(folder / "store"), str(data), new)
        if published_files(data) != wanted:
            outcome.failures.append("publishing again left something else")
        shutil.rmtree(data)
    return outcome


def _one(store: Path, data: Path, units: tuple[list[Unit], list[Unit]], seconds: float, draw: random.Random,
         outcome: Outcome) -> None:  # fmt: skip
    """Kill one publisher or two at random moments, reading all the time."""
    company = draw.random() < 0.5
    processes = [started(publish_units, str(store), str(data), units[1]) for _ in range(1 + company)]
    problem, moments = "", sorted(time.monotonic() + draw.uniform(0, seconds) for _ in processes)
    for process, moment in zip(processes, moments, strict=True):
        while time.monotonic() < moment and process.is_alive():
            problem = problem or what_is_wrong(data, units)
            outcome.count("readings meanwhile")
        killed = kill(process)
        outcome.count("kills" if killed else "ended before")
        if killed:
            problem = problem or what_is_wrong(data, units)
            outcome.expect(not problem, problem)
    if problem and not any(problem == told for told in outcome.failures):
        outcome.failures.append(problem)


def what_is_wrong(data: Path, units: tuple[list[Unit], list[Unit]]) -> str:
    """What is wrong with what is published: neither the old units nor the new, or a run without its network."""
    try:
        with warnings.catch_warnings(), mock.patch.object(storing, "published_root", lambda: data):
            warnings.simplefilter("error")
            there = Published("trial", data)
            found = set(there.units())
            if found not in ({unit.id for unit in units[0]}, {unit.id for unit in units[1]}):
                return f"{len(found)} units are published"
            for unit in units[1]:
                result = there.read(unit.kind, unit.id)
                if result and not len(result.tables["rows" if isinstance(unit, TinyUnit) else "iterations"]):
                    return f"the table of unit {unit.id} is empty"
                if result and isinstance(unit, RunUnit):
                    network_file(unit.run, unit.iterations, data / "no store")
    except (DamagedResult, ValueError, OSError, UserWarning) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def published_files(data: Path) -> dict[str, bytes]:
    """Every file below a folder of published results."""
    return {str(path.relative_to(data)): path.read_bytes() for path in data.rglob("*") if path.is_file()}
