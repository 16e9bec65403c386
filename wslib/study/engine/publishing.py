"""Publishing an experiment: what is whole goes to ``data/<experiment>/``; what is left out is told, with the reason.

A run is whole with its last network, which comes first: a published run has its network beside it at any moment.
Networks are written once and stay as they are, so publishing often costs the difference.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from wslib.games import game
from wslib.parameters import ParameterError
from wslib.study.engine import published, store
from wslib.study.engine import units as study
from wslib.study.engine.networks import FILE, name_of, network_file, published_names, published_runs
from wslib.study.engine.provenance import from_changed_code
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import MANIFEST, DamagedResult, LocalStore, read_folder, write_folder
from wslib.study.engine.units import Unit


class Publication(NamedTuple):
    """What was published where, and a sentence for what was not."""

    folder: Path
    units: int
    left_out: tuple[str, ...]


def publish_experiment(experiment: str, units: Sequence[Unit], tables: tuple[str, ...], uncommitted: bool = False,
                       local: LocalStore | None = None) -> Publication:  # fmt: skip
    """Publish what is stored of these units, all that the experiment asks for; what is published already stays.

    ``uncommitted`` also publishes what was computed with code that was never committed. What the folder holds of units
    that the experiment does not ask for any more is removed.
    """
    local = local or LocalStore()
    folder = store.published_root() / experiment
    with published.alone(folder):
        found = study.collect(units, experiment, local)
        before = published.shelf(experiment)
        fresh = {unit for unit in found if unit not in before}
        lacking = _publish_networks(folder, [unit for unit in units if unit.id in found], local.root)
        told = [
            f"{len(names)} runs are {what} because their networks are not at hand, unit {names[0]} for one: "
            f"{lacking[names[0]]}"
            for what, names in (
                ("left out", sorted(lacking.keys() & fresh)),
                ("published without their networks", sorted(lacking.keys() - fresh)),
            )
            if names
        ]
        without = fresh & lacking.keys()
        if not uncommitted:
            made = ((unit, found[unit][2].provenance) for unit in sorted(fresh))
            if changed := from_changed_code(made):
                told.append(
                    f"{len(changed)} units are left out because uncommitted code computed them, {changed[0]} for one: "
                    f"'wslib run {experiment} --unit ID --again' does so with what is committed, --uncommitted "
                    "publishes them"
                )
                without |= set(changed)
        whole = {unit: result for unit, result in found.items() if unit not in without}
        if found and not whole:
            raise ParameterError(f"there is nothing to publish of {experiment!r}: {'; '.join(told)}")
        published.publish(experiment, whole, tables)
        _remove_networks(folder, units)
    return Publication(folder, len(whole), tuple(told))


def _publish_networks(folder: Path, units: Sequence[Unit], root: Path) -> dict[str, str]:
    """Write the last networks of these runs where they are not published yet; of which units that cannot be, and why.

    What another experiment has published is not published twice.
    """
    elsewhere = published_names(without=folder.name)
    lacking: dict[str, str] = {}
    for unit in units:
        if isinstance(unit, RunUnit) and name_of(unit.run, unit.iterations) not in elsewhere:
            try:
                publish_network(folder, unit, root)
            except (ParameterError, DamagedResult) as refusal:
                lacking[unit.id] = str(refusal)
    return lacking


def publish_network(folder: Path, unit: RunUnit, root: Path) -> None:
    """Write a run's last network into its folder, unless it is there."""
    place = folder / "networks" / name_of(unit.run, unit.iterations)
    files = {FILE: network_file(unit.run, unit.iterations, root)}
    try:
        if read_folder(place)[1] == files:
            return
    except DamagedResult:
        pass
    from wslib.prompt.network_file import from_bytes

    from_bytes(files[FILE], game(unit.run.game))  # one that can play
    write_folder(place, files, {"run": unit.run.canonical(), "iteration": unit.iterations})


def _remove_networks(folder: Path, units: Sequence[Unit]) -> None:
    """Remove the networks that neither this experiment asks for nor the published runs of another one need."""
    asked = {name_of(unit.run, unit.iterations) for unit in units if isinstance(unit, RunUnit)}
    theirs = {
        name_of(unit.run, unit.iterations)
        for other in published.other_shelves(folder.name)
        for unit in published_runs(other.folder.name)
    }
    networks = folder / "networks"
    for path in networks.glob(f"*/{MANIFEST}"):
        if path.parent.name not in asked | theirs:
            shutil.rmtree(path.parent)
    for left in (*networks.glob("*.safetensors"), networks / MANIFEST):  # of long ago, when they lay side by side
        left.unlink(missing_ok=True)
