"""Networks for others to play with: weights rounded to float16, published with a run's results or kept in an archive.

What plays in a tournament is the float16 file, computed in float32, so that a reader who has only the published files
plays the same games as the machine that trained the network. Each file lies in a folder of its own, named after its run
and the iteration, with a manifest that says what it is: ``data/<experiment>/networks/<run>-<iteration>/`` for the last
networks of published runs, a store's ``networks/`` for those that an archive held. A network that is in neither, nor in
its run's states, is trained again, and must be what was published.
"""

import hashlib
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pandas as pd

from wslib.files import replacing, sweep_beside
from wslib.games import game
from wslib.parameters import ParameterError, canonical_json
from wslib.search.guided import Evaluator
from wslib.study.engine import store
from wslib.study.engine.everything import published
from wslib.study.engine.published import shelf
from wslib.study.engine.run_files import KEPT, RunFiles, Told, called, settings_of_run
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import MANIFEST, DamagedResult, Stored, read_folder, read_manifest, set_aside
from wslib.study.engine.units import Computed, Unit
from wslib.study.engine.verify import differing
from wslib.training.settings import RunSettings

FILE = "network.safetensors"


class NotAtHand(ParameterError):
    """A network that is neither published nor in the store."""


def published_network(run: RunSettings, iteration: int, root: Path | str | None = None) -> Evaluator:
    """The float16 network of a run after an iteration, ready to play; one that is not at hand is trained again."""
    from wslib.prompt.network_file import from_bytes
    from wslib.training.loop import evaluator_of

    try:
        content = network_file(run, iteration, root)
    except NotAtHand:
        content = trained_again(run, iteration, Path(root or store.default_root()))
    return evaluator_of(run, from_bytes(content, game(run.game)))


def network_file(run: RunSettings, iteration: int, root: Path | str | None = None) -> bytes:
    """The bytes of that network's file, whether it was published, unpacked or comes from the run's state.

    What is damaged or another network in the store is set aside. Nothing is trained.
    """
    root, name = Path(root or store.default_root()), name_of(run, iteration)
    damage = ""
    for folder in _published(name):
        try:
            return _read(folder, run, iteration)
        except DamagedResult as found:
            damage = f"{found}; 'git restore {folder.relative_to(folder.parents[3])}' brings back what was committed; "
    wanted = _published_digest(name)
    for folder, content in _stored_here(run, iteration, root):
        if wanted in (None, hashlib.sha256(content).hexdigest()):
            return content
        set_aside(root, folder, f"{folder} holds another network than was published")
    unit = RunUnit(run=run, iterations=iteration)
    raise NotAtHand(
        f"{damage}the network of {called(run)} after iteration {iteration} is neither published nor in {root}: unpack "
        "the archive of networks there, or train it again by 'wslib run EXPERIMENT' for units that play with it, or by "
        f"'--unit {unit.id} --again' where the experiment asks for this run"
    )


def is_there(run: RunSettings, iteration: int, root: Path | str | None = None) -> bool:
    """Whether :func:`network_file` finds a file to read; nothing is read."""
    root, name = Path(root or store.default_root()), name_of(run, iteration)
    return (
        iteration in RunFiles(run, root).iterations()
        or (root / "networks" / name / MANIFEST).exists()
        or any((place / FILE).exists() for place in _published(name))
    )


def name_of(run: RunSettings, iteration: int) -> str:
    """The name of a network."""
    return f"{run.id}-{iteration:04d}"


def _published(name: str = "*") -> list[Path]:
    """The folders in which a network of this name, or any, is published."""
    return sorted(path.parent for path in store.published_root().glob(f"*/networks/{name}/{MANIFEST}"))


def published_names(without: str = "") -> set[str]:
    """The names of all published networks, but for those of one experiment."""
    return {place.name for place in _published() if place.parents[1].name != without}


class There(NamedTuple):
    """Networks of one run that can be had: "published", of an unpacked "archive", or of an "own" run's states."""

    run: RunSettings
    results: str
    iterations: tuple[int, ...]
    place: Path
    """The folder of the last of them."""


def there(root: Path) -> Iterator[There]:
    """All networks that can be had, by their manifests; those of other versions of the results are left out."""
    archived = sorted(path.parent for path in (root / "networks").glob(f"*/{MANIFEST}"))
    for results, places in (("published", _published()), ("archive", archived)):
        for place in places:
            yield from _readable(place, place.name.partition("-")[0], results)
    yield from begun(root)


def begun(root: Path) -> Iterator[There]:
    """The runs that have begun in a store, with the iterations whose states are there."""
    for folder in sorted((root / "state").glob("*")):
        names = [path.parent.name for path in folder.glob(f"*/{MANIFEST}")]
        if iterations := sorted(int(name) for name in names if name.isdecimal()):
            yield from _readable(folder / f"{iterations[-1]:04d}", folder.name, "own", iterations)


def _readable(place: Path, name: str, results: str, iterations: Sequence[int] = ()) -> Iterator[There]:
    """The networks there, if the manifest can be read and is of a run with this id under today's results version."""
    with suppress(DamagedResult, ParameterError, LookupError, TypeError, AttributeError):
        about = read_manifest(place)
        run = settings_of_run(about["run"])
        if run.id == name:
            yield There(run, results, tuple(iterations) or (about["iteration"],), place)


def runs_in(root: Path) -> list[RunSettings]:
    """The runs that have begun in a store, those that stored something last first; what is not readable is left out."""
    found = []
    for one in begun(root):
        with suppress(OSError):
            found.append((-(one.place / MANIFEST).stat().st_mtime, one.run))
    return [run for _, run in sorted(found, key=lambda one: one[0])]


def published_networks() -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Every published network that has a whole manifest: experiment, place, and what it says of ``run`` and
    ``iteration``."""
    for place in _published():
        with suppress(DamagedResult):
            yield place.parents[1].name, place, read_manifest(place)


def _read(place: Path, run: RunSettings, iteration: int) -> bytes:
    """The network in this place; DamagedResult unless it is this one."""
    about, files = read_folder(place)
    if not is_of(about, run, iteration) or FILE not in files:
        raise DamagedResult(f"{place} holds another network than its name says")
    return files[FILE]


def is_of(about: Any, run: RunSettings, iteration: int) -> bool:
    """Whether a manifest is about this iteration of this run."""
    try:
        return canonical_json(about["run"]) == canonical_json(run.canonical()) and about["iteration"] == iteration
    except (KeyError, TypeError, ValueError, RecursionError):
        return False


def _published_digest(name: str) -> str | None:
    """The digest that a published network has, even if the network itself is not there."""
    for place in _published(name):
        with suppress(DamagedResult, KeyError):
            return read_manifest(place)["files"][FILE]["sha256"]
    return None


def _stored_here(run: RunSettings, iteration: int, root: Path) -> Iterator[tuple[Path, bytes]]:
    """The network as it is in a store: from an archive, and from the run's state; each with its folder."""
    archived = root / "networks" / name_of(run, iteration)
    if (archived / MANIFEST).exists():
        try:
            yield archived, _read(archived, run, iteration)
        except DamagedResult as damage:
            set_aside(root, archived, str(damage))
    if iteration in RunFiles(run, root).iterations():
        from wslib.prompt.network_file import to_bytes
        from wslib.study.engine.states import RunFolder

        folder = RunFolder(run, root)
        network = folder.network(iteration)
        if network is not None:
            yield folder.state(iteration), to_bytes(network, half=True)


def own_networks(run: RunSettings, root: Path) -> Iterator[tuple[int, bytes]]:
    """The networks in the states of a run: iterations, and files as they would be published."""
    for iteration in RunFiles(run, root).iterations():
        for _, content in _stored_here(run, iteration, root):
            yield iteration, content


# --- what is not at hand ----------------------------------------------------------------------------------------------


class NetworkUnit(RunUnit):
    """A run that is trained again for a network that others play with and that is not at hand."""

    kind: ClassVar[str] = "network"

    def compute_in(self, root: Path, told: Told | None = None) -> Computed:
        content = trained_again(self.run, self.iterations, root)
        return Computed({"iterations": self.iterations, "sha256": hashlib.sha256(content).hexdigest()}, {})


def kept(iterations: int) -> list[int]:
    """The iterations of a run of this length whose networks stay."""
    return sorted({*(k for k in KEPT if k <= iterations), iterations})


def trained_again(run: RunSettings, iteration: int, root: Path) -> bytes:
    """Train a run up to an iteration, and refuse what comes out if it is not what was published."""
    from wslib.prompt.network_file import to_bytes
    from wslib.study.engine.states import RunFolder, train

    state, log, _ = train(run, iteration, root)
    content = to_bytes(state.network, half=True)
    problem = next(_differing_log(run, log), "")
    if _published_digest(name_of(run, iteration)) not in (None, hashlib.sha256(content).hexdigest()):
        problem = problem or "its network has another digest"
    if not problem:
        return content
    set_aside(root, RunFolder(run, root).states, f"run {run.id} came out otherwise than it was published")
    raise ParameterError(
        f"{called(run)}, trained again up to iteration {iteration}, is not the published one ({problem}): its networks "
        "should come from the published folder or from the archive"
    )


def _differing_log(run: RunSettings, log: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What the iterations of a run tell otherwise than those that were published."""
    now = store.unpack_table(store.pack_table(pd.DataFrame(log)))  # as if it had been stored
    for one in published(RunUnit.kind):
        if one.unit != RunUnit(run=run, iterations=one.parameters["iterations"]).id:
            continue
        if (result := one.read()) and (before := result.tables.get("iterations")) is not None:
            both = (table.head(min(len(before), len(now))) for table in (before, now))
            yield from differing(*(Stored(one.unit, {}, {"iterations": table}, {}) for table in both))


def published_runs(experiment: str) -> Iterator[RunUnit]:
    """The runs that an experiment has published under today's results version."""
    for _, name, parameters in shelf(experiment).asked(RunUnit.kind):
        with suppress(ParameterError, TypeError, KeyError, AttributeError):
            unit = RunUnit(run=settings_of_run(parameters["run"]), iterations=parameters["iterations"])
            if unit.id == name:
                yield unit


# --- archives ---------------------------------------------------------------------------------------------------------


def archive(units: Sequence[Unit], root: Path | str | None = None) -> Iterator[tuple[str, bytes]]:
    """Names and contents for an archive: networks of kept iterations that are in this store and not published."""
    told = published_names()
    for unit in (unit for unit in units if isinstance(unit, RunUnit)):
        for iteration in kept(unit.iterations):
            name = name_of(unit.run, iteration)
            if name in told:
                continue
            told.add(name)
            try:
                content = network_file(unit.run, iteration, root)
            except (ParameterError, DamagedResult):
                continue
            manifest = store.manifest_of({FILE: content}, {"run": unit.run.canonical(), "iteration": iteration})
            yield f"networks/{name}/{FILE}", content
            yield f"networks/{name}/{MANIFEST}", manifest


def write_archive(target: Path, units: Sequence[Unit], root: Path | str | None = None) -> int:
    """Pack :func:`archive` into a zip file, to be unpacked in a store; how many networks there are in it.

    An archive that is there is replaced when the new one is whole.
    """
    if target.is_dir():
        raise ParameterError(f"{target} is a folder: it should be the name of a zip file")
    number = 0
    with replacing(target) as file, zipfile.ZipFile(file, "w") as packed:
        for name, content in archive(units, root):
            # A fixed date: the same networks give the same archive.
            packed.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
            number += name.endswith(MANIFEST)
    sweep_beside(target)
    return number
