"""Damaged files: bit flips, truncations, blanked blocks, swapped files; each is noticed, and none is loaded."""

import random
import shutil
import warnings
from itertools import cycle
from pathlib import Path

from fault_tasks import TinyUnit, train, training
from harness import Outcome
from study_tasks import DAMAGES, damage

from wslib.study.engine import store as storing
from wslib.study.engine.networks import NotAtHand, name_of, network_file
from wslib.study.engine.published import Published, publish
from wslib.study.engine.publishing import publish_network
from wslib.study.engine.states import RunFolder
from wslib.study.engine.store import PROVENANCE, DamagedResult, LocalStore
from wslib.study.engine.units import compute_unit

KINDS = (*DAMAGES, "folder of another")


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Damage one file so many times: of results, of a run's states, of published results and networks."""
    outcome = Outcome("damaged files", "damaged files")
    draw = random.Random(seed)
    units = [TinyUnit(number=n) for n in range(2)]
    runs = [training("connect4", "fixed", seed=n) for n in range(2)]
    template = folder / "template"
    for unit in units:
        compute_unit(unit, template / "store")
    for unit in runs:
        train(unit, str(template / "store"))
    real, storing.published_root = storing.published_root, lambda: folder / "trial" / "data"
    try:
        publish(
            "one", {u.id: (u.kind, u.canonical(), _stored(template, u)) for u in units}, ("rows",), template / "data"
        )
        storing.published_root = lambda: template / "data"
        for unit in runs:
            publish_network(template / "data" / "one", unit, template / "store")
        storing.published_root = lambda: folder / "trial" / "data"
        for kind in cycle(KINDS):
            _one(template, folder / "trial", kind, draw, units, runs, outcome)
            if outcome.trials >= number:
                break
    finally:
        storing.published_root = real
    return outcome


def _stored(template: Path, unit):
    return LocalStore(template / "store").read(unit.kind, unit.id)


def _one(template: Path, trial: Path, kind: str, draw: random.Random, units, runs, outcome: Outcome) -> None:
    run = runs[0].run
    places = {
        "result": template / "store" / "tiny" / units[0].id,
        "state": template / "store" / "state" / run.id / "0004",
        "examples": template / "store" / "examples" / run.id / "0004",
        "published results": template / "data" / "one",
        "published network": template / "data" / "one" / "networks" / name_of(run, 4),
    }
    where, source = draw.choice(list(places.items()))
    shutil.rmtree(trial, ignore_errors=True)
    target = trial / source.relative_to(template)
    shutil.copytree(source, target, ignore=lambda _, names: ["networks"])
    path = target
    if kind == "folder of another":
        if where == "published results":
            return  # their manifest names the experiment, which a reader may copy elsewhere
        shutil.rmtree(target)
        shutil.copytree(_another(source, draw, units, runs), target)
    else:
        files = sorted(path for path in target.iterdir() if path.name != PROVENANCE)
        path = draw.choice(files)
        before = path.read_bytes()
        damage(path, draw.choice([other for other in files if other != path]), kind, draw)
        if path.exists() and path.read_bytes() == before:
            return  # the two files were the same
    outcome.count(kind)
    outcome.expect(_refused(where, trial, units, run), f"{kind} in {path.name} ({where}) was not noticed")


def _another(source: Path, draw: random.Random, units, runs) -> Path:
    """A whole folder of the same kind: of another unit, run or iteration."""
    names = ((units[0].id, units[1].id), (runs[0].run.id, runs[1].run.id))
    others = {Path(str(source).replace(*both)) for both in names} | set(source.parent.glob("000?"))
    return draw.choice(sorted(others - {source}))


def _refused(where: str, trial: Path, units, run) -> bool:
    """Whether the damage is noticed and nothing is loaded."""
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        try:
            if where == "result":
                return LocalStore(trial / "store").read("tiny", units[0].id) is None
            if where in ("state", "examples"):
                return RunFolder(run, trial / "store").read(4) is None
            if where == "published results":
                return Published("one", trial / "data").read("tiny", units[0].id) is None
            network_file(run, 4, trial / "empty")
        except (DamagedResult, NotAtHand):
            return True
    return False
