"""Eight processes on one store, killed now and then: no unit is lost, torn, or another than one process writes."""

import random
import time
import warnings
from pathlib import Path

from fault_tasks import TinyUnit, write_units
from harness import Outcome, kill, results_below, started

from wslib.study.engine.store import LocalStore

WRITERS = 8


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Have so many units computed by eight writers that are killed and replaced about three times a second."""
    outcome = Outcome("many writers", "units computed by 8 processes on one store")
    draw, units = random.Random(seed), [TinyUnit(number=n) for n in range(number)]
    root = folder / "store"
    writers = [started(write_units, str(root), units, seed + n) for n in range(WRITERS)]
    births = WRITERS
    while any(writer.is_alive() for writer in writers):
        time.sleep(draw.uniform(0.05, 0.6))
        for unit in draw.sample(units, min(number, 20)):
            LocalStore(root).read(unit.kind, unit.id)  # what is half written is not there, and not set aside
        place = draw.randrange(WRITERS)
        if writers[place].is_alive() and kill(writers[place]):
            outcome.count("kills")
            writers[place] = started(write_units, str(root), units, seed + births)
            births += 1
    alone = folder / "alone"
    write_units(str(alone), units, seed)
    wanted, found, store = results_below(alone), results_below(root), LocalStore(root)
    outcome.count("files set aside as damaged", len(list((root / "damaged").glob("*"))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for unit in units:
            mine = {name for name in wanted if unit.id in name}
            fine = all(wanted[name] == found.get(name) for name in mine)
            outcome.expect(fine and store.read("tiny", unit.id) is not None, f"unit {unit.id} is lost or torn")
    if extra := sorted({*found} - {*wanted}):
        outcome.failures.append(f"files that nobody asked for: {extra[:3]}")
    return outcome
