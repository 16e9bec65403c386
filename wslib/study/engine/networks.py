"""Networks for others to play with: weights rounded to float16, published with a run's results or kept in an archive.

What plays in a tournament is the float16 file, computed in float32, so that a reader who has only the published files
plays the same games as the machine that trained the network. A file is named after its run and the iteration:
``data/<experiment>/networks/<run>-<iteration>.safetensors`` for at most two runs of a kind, the others in a store's
``networks/``, where ``make dist`` takes them from and where its archive is unpacked.
"""

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wslib.games import game
from wslib.parameters import ParameterError, canonical_json
from wslib.search.guided import Evaluator
from wslib.study.engine import store
from wslib.study.engine import units as study
from wslib.study.engine.run_files import RunFiles
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import MANIFEST, DamagedResult, read_folder, read_manifest, read_part, write_folder
from wslib.study.engine.units import Unit
from wslib.training.settings import KEPT, RunSettings

PUBLISHED_RUNS = 2
"""Runs of a kind whose networks are published; a kind is everything but the seed."""


def published_network(run: RunSettings, iteration: int, root: Path | str | None = None) -> Evaluator:
    """The float16 network of a run after an iteration, ready to play: published, archived, or from the run's state.

    Nothing is trained here: where there is none, one sentence says how to get it.
    """
    from wslib.network.model import from_bytes
    from wslib.network.runtime import CompiledNetwork

    return CompiledNetwork(from_bytes(network_file(run, iteration, root), game(run.game)))


def network_file(run: RunSettings, iteration: int, root: Path | str | None = None) -> bytes:
    """The bytes of that network's file; whether it was published or comes from the run's state, they are the same."""
    root = Path(root) if root is not None else store.default_root()
    name = f"{_name(run, iteration)}.safetensors"
    for folder in sorted(store.published_root().glob("*/networks")):
        if (folder / name).is_file():
            return read_part(folder, read_manifest(folder), name)
    archived = root / "networks" / _name(run, iteration)
    if (archived / MANIFEST).exists():
        return read_folder(archived)[1]["network.safetensors"]
    from wslib.network.model import to_bytes
    from wslib.study.engine.states import RunFolder

    network = RunFolder(run, root).network(iteration)
    if network is None:
        raise ParameterError(
            f"the network of run {run.id} ({run.method}, {run.game}, seed {run.seed}) after iteration {iteration} is "
            f"neither published nor in {root}: unpack the archive of networks there, or train the run with "
            f"'wslib run EXPERIMENT --unit ID --again'"
        )
    return to_bytes(network, half=True)


def is_there(run: RunSettings, iteration: int, root: Path | str | None = None) -> bool:
    """Whether :func:`network_file` finds a file to read; nothing is read."""
    root, name = Path(root) if root is not None else store.default_root(), _name(run, iteration)
    return (
        iteration in RunFiles(run, root).iterations()
        or (root / "networks" / name / MANIFEST).exists()
        or any(store.published_root().glob(f"*/networks/{name}.safetensors"))
    )


def playable(units: Sequence[Unit], experiment: str, root: Path | str | None = None) -> tuple[list[Unit], str]:
    """The units without those that need a network which is not here and is not trained with them; a line tells of them.

    A published run is not trained again for its network: on another kind of processor that would be another one.
    """
    origins = study.origins(units, experiment)
    missing = [unit for unit in units if origins[unit.id] is None]
    trained = {unit.run.id for unit in missing if isinstance(unit, RunUnit)}
    needed = {(run.id, k): run for unit in missing for run, k in unit.plays_with()}
    absent = {(name, k) for (name, k), run in needed.items() if name not in trained and not is_there(run, k, root)}
    left = {unit.id for unit in missing if any((run.id, k) in absent for run, k in unit.plays_with())}
    told = (
        f"left out: {len(left)} of {len(missing)} missing units, which need networks of {len({n for n, _ in absent})} "
        "published runs that are not here (data/ has those of the lowest seeds): unpack the archive of networks in "
        "the store, or ask for runs of your own, for instance with first_seed=100\n"
    )
    return [unit for unit in units if unit.id not in left], told if left else ""


def _name(run: RunSettings, iteration: int) -> str:
    return f"{run.id}-{iteration:04d}"


def shown(units: Iterable[Unit], most: int = PUBLISHED_RUNS) -> tuple[list[RunUnit], list[RunUnit]]:
    """The runs whose networks are published (of each kind the lowest seeds), and the others."""
    kinds: dict[str, dict[str, RunUnit]] = {}
    for unit in units:
        if isinstance(unit, RunUnit):
            kind = canonical_json(unit.canonical() | {"run": unit.run.canonical() | {"seed": None}})
            kinds.setdefault(kind, {})[unit.id] = unit
    published, others = [], []
    for runs in kinds.values():
        by_seed = sorted(runs.values(), key=lambda unit: unit.run.seed)
        published += by_seed[:most]
        others += by_seed[most:]
    return published, others


def publish_networks(
    experiment: str, units: Sequence[Unit], root: Path | str | None = None, most: int = PUBLISHED_RUNS
) -> list[str]:
    """Write the last networks of so many runs of a kind to ``data/<experiment>/networks``; names of those missing here.

    What is published and not to be had in this store stays as it is; what another experiment has published is not
    published twice.
    """
    elsewhere = {file.stem for file in _published_files() if file.parent.parent.name != experiment}
    files: dict[str, bytes] = {}
    facts: dict[str, Any] = {}
    missing = []
    for unit in shown(units, most)[0]:
        name = _name(unit.run, unit.iterations)
        if name in elsewhere:
            continue
        try:
            files[f"{name}.safetensors"] = network_file(unit.run, unit.iterations, root)
            facts[f"{name}.safetensors"] = {"run": unit.run.canonical(), "iteration": unit.iterations}
        except ParameterError:
            missing.append(name)
    if files:
        folder = store.published_root() / experiment / "networks"
        write_folder(folder, files, {"networks": facts})
        for file in folder.glob("*.safetensors"):
            if file.name not in files:  # published before, and not any more
                file.unlink()
    return missing


def _published_files() -> Iterator[Path]:
    yield from store.published_root().glob("*/networks/*.safetensors")


def archive(units: Sequence[Unit], root: Path | str | None = None) -> Iterator[tuple[str, bytes]]:
    """Names and contents for an archive: networks of kept iterations that are in this store and not published."""
    root = Path(root) if root is not None else store.default_root()
    published = {file.stem for file in _published_files()}
    told: set[str] = set()
    for unit in (unit for unit in units if isinstance(unit, RunUnit)):
        for iteration in sorted({*(k for k in KEPT if k <= unit.iterations), unit.iterations}):
            name = _name(unit.run, iteration)
            if name in published | told:
                continue
            told.add(name)
            try:
                content = network_file(unit.run, iteration, root)
            except (ParameterError, DamagedResult):
                continue
            files = {"network.safetensors": content}
            manifest = store.manifest_of(files, {"run": unit.run.canonical(), "iteration": iteration})
            yield f"networks/{name}/network.safetensors", content
            yield f"networks/{name}/{MANIFEST}", manifest


def write_archive(target: Path, units: Sequence[Unit], root: Path | str | None = None) -> int:
    """Pack :func:`archive` into a zip file, to be unpacked in a store; how many networks there are in it.

    An archive that is there is replaced when the new one is whole.
    """
    if target.is_dir():
        raise ParameterError(f"{target} is a folder: it should be the name of a zip file")
    number = 0
    with store.replacing(target) as file, zipfile.ZipFile(file, "w") as packed:
        for name, content in archive(units, root):
            # A fixed date: the same networks give the same archive.
            packed.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
            number += name.endswith(MANIFEST)
    store.sweep_beside(target)
    return number
