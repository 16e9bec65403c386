"""Is what is stored still what was stored, and does it come out again? Checksums of everything, some units once more.

A unit is computed again in a scratch store that nothing is read from but networks. Every number and table is compared
with the stored one, as text, and the networks that a training run leaves behind byte by byte. Results are the same on
every processor, but for those of torch, which names its version and device in the provenance.
"""

import contextlib
import hashlib
import os
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from wslib.parameters import ParameterError, canonical_json
from wslib.study.engine.provenance import kind_of_processor, machine, other_kind
from wslib.study.engine.store import MANIFEST, DamagedResult, LocalStore, Stored, read_folder
from wslib.study.engine.units import Unit, compute_unit, known_results
from wslib.study.names import listed

SUMS = "SHA256SUMS"
"""Digests of the files of a folder that is no experiment's."""


@dataclass
class Checked:
    """Folders, files and bytes whose digests were compared, and what was damaged."""

    folders: int = 0
    files: int = 0
    size: int = 0
    damaged: tuple[str, ...] = ()

    def __str__(self) -> str:
        found = "; ".join(self.damaged) if self.damaged else "no damage"
        return f"{self.folders} results, {self.files} files, {self.size / 1e6:.1f} MB: {found}"


def check(root: Path) -> Checked:
    """Compare every file below a folder with the digest in its manifest; nothing is moved or changed."""
    checked = Checked()
    for manifest in sorted(root.rglob(MANIFEST)):
        if "damaged" in manifest.relative_to(root).parts:
            continue  # set aside earlier
        try:
            files = read_folder(manifest.parent)[1]
        except DamagedResult as damage:
            if not os.path.lexists(manifest):
                continue  # A run that trains meanwhile has removed an earlier state, whose manifest goes first.
            checked.damaged += (str(damage),)
        else:
            checked.files += len(files)
            checked.size += sum(len(content) for content in files.values())
        checked.folders += 1
    _check_plain(root, checked)
    return checked


def _check_plain(root: Path, checked: Checked) -> None:
    """Compare the files that no manifest lists, tables of the sources for instance, with those of their sums.

    ``SHA256SUMS`` is as ``sha256sum *.csv > SHA256SUMS`` writes it. A published folder without sums and without a
    manifest has lost it.
    """
    for folder in sorted(path for path in root.glob("*") if any(path.glob("*.csv*"))):
        if (folder / MANIFEST).exists():
            continue
        if not (folder / SUMS).is_file():
            checked.damaged += (f"{folder} has neither {MANIFEST} nor {SUMS}: git brings back what was committed",)
            continue
        checked.folders += 1
        lines = (line.partition("  ") for line in (folder / SUMS).read_text(errors="replace").splitlines())
        told = {name: digest for digest, _, name in lines}
        for name in sorted({*told, *(path.name for path in folder.glob("*.csv*"))}):
            content = path.read_bytes() if (path := folder / Path(name).name).is_file() else b""
            if hashlib.sha256(content).hexdigest() != told.get(name):
                checked.damaged += (f"{path} is not what {SUMS} says",)
            checked.files, checked.size = checked.files + 1, checked.size + len(content)
    for folder in sorted(root.glob("*/networks/*")):
        if folder.is_dir() and any(folder.iterdir()) and not (folder / MANIFEST).exists():
            checked.damaged += (f"{folder} has no {MANIFEST}: git brings back what was committed",)


@dataclass(frozen=True)
class Again:
    """A unit that was computed again, and what came of it."""

    experiment: str
    unit: Unit
    origin: str
    stored: Stored
    differences: tuple[str, ...]
    seconds: float
    networks: int = 0
    """Networks of the run that were compared, byte by byte."""

    @property
    def made_on(self) -> str:
        """The kind of processor that the stored result was made with."""
        return kind_of_processor(self.stored.provenance)

    def sentences(self) -> list[str]:
        """What differs, a sentence each; the last one says what was compared."""
        name = f"unit {self.unit.id} ({self.unit.kind}, {self.origin})"
        rows = sum(len(table) for table in self.stored.tables.values())
        compared = [f"{len(self.stored.summary)} numbers", f"{rows} rows of tables"]
        compared += [f"{self.networks} network{'s' * (self.networks > 1)}"] if self.networks else []
        elsewhere = other_kind(self.made_on, kind_of_processor(machine()))
        return [
            *(f"{name}: {difference}" for difference in self.differences),
            f"{name}, {listed(compared)}: "
            f"{'DIFFERENT' if self.differences else 'the same'}, {self.seconds:.1f} s"
            + (", made on another kind of processor" if elsewhere else ""),
        ]

    def row(self) -> dict[str, Any]:
        """What was compared, as a row of a record."""
        here = machine()
        return {
            "date": datetime.now(UTC).isoformat(timespec="seconds"), "experiment": self.experiment,
            "unit": self.unit.id, "kind": self.unit.kind, "trains": self.unit.stage == 0, "made_on": self.made_on,
            "again_on": kind_of_processor(here), "code": here["code"], "same": not self.differences,
        }  # fmt: skip


def write_record(path: Path, again: Again) -> None:
    """Append a row to a record, which is begun where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame([again.row()]).to_csv(path, mode="a", header=not path.exists(), index=False, lineterminator="\n")


def recompute_some(units: Sequence[Unit], experiment: str, number: int, seconds: float, seed: int) -> Iterator[Again]:
    """Compute a seeded sample of those units again that are there and fit into this time.

    A unit that needs a network that is not to be had here is passed over.
    """
    local = LocalStore()
    known = known_results(units, experiment, local)
    candidates = [unit for unit in {unit.id: unit for unit in units}.values() if unit.id in known]
    random.Random(seed).shuffle(candidates)
    for unit in candidates:
        took = float(known[unit.id][1].provenance.get("cpu_seconds", seconds))
        if number < 1 or took > seconds or not (unit.stage == 0 or unit.needs_no_training(local.root)):
            continue
        try:
            again = recompute(unit, experiment)
        except ParameterError:
            continue
        yield again
        number, seconds = number - 1, seconds - took


def that_is_there(unit: Unit, experiment: str) -> Unit:
    """The unit, if there is a result of it to compare with."""
    if unit.id not in known_results([unit], experiment, LocalStore()):
        raise ParameterError(f"there is no result of unit {unit.id} to compare with: 'wslib run' computes it")
    return unit


def recompute(unit: Unit, experiment: str) -> Again:
    """Compute a unit again, and compare."""
    local = LocalStore()
    origin, stored = known_results([unit], experiment, local)[unit.id]
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="wslib-verify-") as folder:
        scratch = Path(folder)
        if unit.stage > 0:
            _lend_networks(local.root, scratch)
        compute_unit(unit, scratch)
        again = LocalStore(scratch).read(unit.kind, unit.id)
        networks = dict(_same_networks(unit, scratch, local.root))
    assert again is not None
    differences = [*differing(stored, again)]
    differences += [f"the network after iteration {number} differs" for number, same in networks.items() if not same]
    return Again(experiment, unit, origin, stored, tuple(differences), time.perf_counter() - started, len(networks))


def _same_networks(unit: Unit, scratch: Path, root: Path) -> Iterator[tuple[int, bool]]:
    """After which iterations a run left a network that was at hand already, and whether it is the same."""
    # It compares the results of runs as we do.
    from wslib.study.engine.networks import NotAtHand, network_file, own_networks

    run = getattr(unit, "run", None)
    if run is None or unit.stage > 0:
        return
    for iteration, content in own_networks(run, scratch):
        with contextlib.suppress(NotAtHand):
            yield iteration, network_file(run, iteration, root) == content


def _lend_networks(root: Path, scratch: Path) -> None:
    """Let a measurement find the networks that it measures."""
    for kind in ("state", "networks"):
        (scratch / kind).mkdir()
        for path in (root / kind).glob("*"):
            os.symlink(path.resolve(), scratch / kind / path.name)


def differing(stored: Stored, again: Stored) -> Iterator[str]:
    """What differs between two results, a sentence each."""
    for name in sorted({*stored.summary, *again.summary}):
        one, two = ({"": values.get(name)} for values in (stored.summary, again.summary))
        if canonical_json(one) != canonical_json(two):
            yield f"{name} is {one['']!r} in the store and {two['']!r} now"
    for name, table in stored.tables.items():
        now = again.tables.get(name)
        if now is None or len(now) != len(table):
            # Where units of several kinds are published together, a unit has none of the others' rows.
            if len(table):
                yield f"the table {name!r} has other rows now"
            continue
        for column in {*table, *now}:
            if not _same(table.get(column), now.get(column)):
                yield f"the table {name!r} differs in its column {column!r}"


def _same(stored: pd.Series | None, now: pd.Series | None) -> bool:
    """Whether a column comes out again; a published one has the type, and may have the gaps, of its whole table."""
    if stored is None or now is None:
        left = stored if now is None else now
        return left is None or bool((left.isna() | (left.astype(str) == "")).all())
    if stored.dtype == now.dtype:
        return stored.to_csv(index=False) == now.to_csv(index=False)
    if pd.api.types.is_numeric_dtype(now) and now.dtype != bool:
        one, two = pd.to_numeric(stored, errors="coerce").astype(float), now.astype(float)
        return bool(((one == two) | (one.isna() & two.isna())).all())
    return stored.astype(str).tolist() == now.astype(str).tolist()
