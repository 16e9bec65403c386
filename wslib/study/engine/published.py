"""Published results: ``data/<experiment>/`` holds many units in plain tables, each file's digest in one manifest.

``units.csv.gz`` has a row per unit with its parameters and numbers, ``provenance.csv.gz`` how each was made, and every
other table the rows of all units. Rows that are published keep their place, new ones come below, and the files are
compressed in parts that end with a unit: so a file that grows begins with the same bytes, and version control stores
the difference.

Who publishes writes everything into a staging folder of its own first, then file by file into place, the manifest
last. Readers only read: what they find half replaced they read from the staging folder, where it is whole, also when
its publisher was killed; the next one clears it away.
"""

import contextlib
import csv
import errno
import fcntl
import gzip
import io
import json
import os
import secrets
import shutil
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from wslib.files import swept, write_atomically
from wslib.parameters import ParameterError, canonical_json
from wslib.study.engine import store
from wslib.study.engine.store import MANIFEST, DamagedResult, Stored, read_folder, write_folder

UNITS, MADE = "units.csv", "provenance.csv"
"""The tables of units and of how they were made; plain in folders that were published long ago, else compressed."""
STAGING = ".publishing-"
PART = 2000
"""Rows after which a compressed table begins a new part, with the next unit."""
ATTEMPTS, PAUSE = 3, 0.05
"""How often, and seconds after which, a folder that somebody may just be replacing is read again."""
PATIENCE = 120.0
"""Seconds to wait for somebody who publishes the same experiment."""
_ours: set[Path] = set()
"""Folders that this process has locked."""


class _Later(Mapping[str, Any]):
    """What is read only when it is looked at: most results are read for their numbers alone."""

    def __init__(self, read: Callable[[], Mapping[str, Any]], shelf: object = None):
        self._read, self.shelf = read, shelf

    @cached_property
    def _there(self) -> Mapping[str, Any]:
        return self._read()

    def __getitem__(self, name: str) -> Any:
        return self._there[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._there)

    def __len__(self) -> int:
        return len(self._there)


class Published:
    """The published results of one experiment."""

    def __init__(self, experiment: str, root: Path | str | None = None):
        self.folder = (Path(root) if root is not None else store.published_root()) / experiment
        self._damage: str = ""

    @cached_property
    def _files(self) -> dict[str, bytes]:
        # Once read as damaged, this object stays so: when the folder changes, `shelf` makes another.
        if not self._damage:
            try:
                return _whole_files(self.folder)
            except DamagedResult as damage:
                self._damage = f"{damage}: 'git restore data/{self.folder.name}' brings back what was committed"
        raise DamagedResult(self._damage)

    @cached_property
    def _rows(self) -> dict[str, dict[str, str]]:
        """The units' rows, as text."""
        with self._told_of():
            rows = csv.DictReader(io.StringIO(_text(self._files, UNITS).decode()))
            return {row["unit"]: row for row in rows if row["kind"]}

    @cached_property
    def _tables(self) -> dict[str, tuple[pd.DataFrame, Mapping[Any, Any]]]:
        """Each table, and which of its rows are whose."""
        with self._told_of():
            packed = {n.removesuffix(".gz"): c for n, c in self._files.items() if n.endswith(".csv.gz")}
            tables = {
                name.removesuffix(".csv"): store.unpack_table(content)
                for name, content in packed.items()
                if name not in (UNITS, MADE)
            }
            return {name: (table, table.groupby("unit").indices) for name, table in tables.items()}

    @cached_property
    def _made(self) -> dict[str, dict[str, Any]]:
        """The units' provenance: of each what was noted when it was made, and no empty cells."""
        with self._told_of():
            made = _text(self._files, MADE)
            provenance = pd.read_csv(io.BytesIO(made), dtype=store.TEXTS) if made else pd.DataFrame(columns=["unit"])
            rows = provenance.to_dict("records")
            return {row["unit"]: {name: told for name, told in row.items() if not pd.isna(told)} for row in rows}

    @contextlib.contextmanager
    def _told_of(self) -> Iterator[None]:
        """What cannot be read here is a damaged result."""
        try:
            yield
        except (KeyError, TypeError, ValueError, OSError, EOFError, RecursionError, zlib.error, csv.Error) as error:
            raise DamagedResult(
                f"{self.folder} does not hold published results ({type(error).__name__}: {error})"
            ) from None

    def _tables_of(self, unit: str) -> dict[str, pd.DataFrame]:
        return {
            name: table.iloc[rows.get(unit, [])].drop(columns="unit").reset_index(drop=True)
            for name, (table, rows) in self._tables.items()
        }

    def __contains__(self, unit: object) -> bool:
        return unit in self._rows

    def rows_of(self, name: str, units: set[str]) -> pd.DataFrame | None:
        """The rows of a table that belong to these units, with a column ``unit``."""
        if name not in self._tables or not units:
            return None
        table = self._tables[name][0]
        return table[table["unit"].isin(units)]

    def units(self) -> list[str]:
        """The ids of the units, in the order of their rows."""
        return list(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def asked(self, *kinds: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """The units of these kinds, or of all: kind, id, and what they were computed from."""
        with self._told_of():
            for unit, row in self._rows.items():
                if not kinds or row["kind"] in kinds:
                    yield row["kind"], unit, json.loads(row["parameters"])

    def read(self, kind: str, unit: str) -> Stored | None:
        """The result of a unit, or None."""
        row = self._rows.get(unit)
        if row is None or row["kind"] != kind:
            return None
        with self._told_of():
            summary = _summary(row)
        tables, made = _Later(lambda: self._tables_of(unit), self), _Later(lambda: self._made.get(unit, {}))
        return Stored(unit, summary, tables, made)


def _summary(row: Mapping[str, str]) -> dict[str, Any]:
    """The numbers of a unit from its row of text."""
    facts = ("unit", "kind", "parameters")
    told = {name: value for name, value in row.items() if name not in facts and value != ""}
    # Read all at once: a value alone costs as much.
    return dict(zip(told, json.loads(f"[{','.join(told.values())}]"), strict=True))


def shelf(experiment: str, root: Path | str | None = None) -> Published:
    """An experiment's published results; they are read once, and again when they have changed."""
    folder = (Path(root) if root is not None else store.published_root()) / experiment
    return _published(folder, _stamps(folder))


def other_shelves(experiment: str, root: Path | str | None = None) -> list[Published]:
    """The published results of all other experiments: a unit may have been published under another.

    Where one is damaged, that is told, and it is left out.
    """
    root = Path(root) if root is not None else store.published_root()
    names = sorted(path.parent.name for path in root.glob(f"*/{MANIFEST}") if path.parent.name != experiment)
    whole = []
    for other in (shelf(name, root) for name in names):
        try:
            _ = len(other)
            whole.append(other)
        except DamagedResult as damage:
            warnings.warn(f"{damage}; meanwhile nothing is read from there", stacklevel=2)
    return whole


def _stamps(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """What changes when a file of a folder does."""
    try:
        found = [(entry.name, entry.stat()) for entry in os.scandir(folder) if entry.is_file()]
    except OSError:
        return ()
    return tuple(sorted((name, stat.st_mtime_ns, stat.st_size) for name, stat in found))


@lru_cache(maxsize=64)
def _published(folder: Path, stamps: tuple[tuple[str, int, int], ...]) -> Published:
    return Published(folder.name, folder.parent)


def _whole_files(folder: Path) -> dict[str, bytes]:
    """The files of published results; while they are being replaced, those that replace them."""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE)
        if not (folder / MANIFEST).exists():
            return {}
        try:
            return read_folder(folder)[1]
        except (DamagedResult, FileNotFoundError) as error:
            damage = error
        for staging in folder.glob(f"{STAGING}*"):
            with contextlib.suppress(DamagedResult, FileNotFoundError):
                return read_folder(staging)[1]
    raise DamagedResult(str(damage))


def _text(files: Mapping[str, bytes], name: str) -> bytes:
    """A table as text, compressed or not."""
    packed = files.get(f"{name}.gz")
    return files.get(name, b"") if packed is None else store.unpack(packed)


def publish(experiment: str, results: Mapping[str, tuple[str, Mapping[str, Any], Stored]], tables: tuple[str, ...],
            root: Path | str | None = None) -> Path:  # fmt: skip
    """Write an experiment's results (unit -> kind, parameters, result) to its folder in ``data/``, instead of those
    that are there; a table that no result has yet is left out."""
    folder = (Path(root) if root is not None else store.published_root()) / experiment
    if not results:
        raise ParameterError(f"there is nothing to publish: {experiment!r} asks for no units, or none is stored")
    with alone(folder):
        before = shelf(experiment, folder.parent)
        ordered = {unit: results[unit] for unit in [*before.units(), *results] if unit in results}
        _replace(folder, _files_of(before, ordered, tables), {"experiment": experiment})
    return folder


def _files_of(before: Published, results: Mapping[str, tuple[str, Mapping[str, Any], Stored]],
              tables: tuple[str, ...]) -> dict[str, bytes]:  # fmt: skip
    """The files that hold these results; some may have been read from those ``before``."""
    rows = [
        {"unit": unit, "kind": kind, "parameters": canonical_json(dict(parameters))}
        | {name: json.dumps(value) for name, value in stored.summary.items()}
        for unit, (kind, parameters, stored) in results.items()
    ]
    made = [{"unit": unit, **stored.provenance} for unit, (_, _, stored) in results.items()]
    files = {f"{UNITS}.gz": pack_in_parts(pd.DataFrame(rows)), f"{MADE}.gz": pack_in_parts(pd.DataFrame(made))}
    for name in tables:
        old = {unit for unit, (_, _, stored) in results.items() if getattr(stored.tables, "shelf", None) is before}
        fresh = ((unit, stored.tables.get(name)) for unit, (_, _, stored) in results.items() if unit not in old)
        parts = [part.assign(unit=unit) for unit, part in fresh if part is not None]
        if (there := before.rows_of(name, old)) is not None:  # at once: one by one they take seconds
            parts.insert(0, there)
        if parts:
            whole = pd.concat(parts, ignore_index=True)
            files[f"{name}.csv.gz"] = pack_in_parts(whole[["unit", *[c for c in whole if c != "unit"]]])
    if tables and len(files) == 2:
        names, experiment = ", ".join(map(repr, tables)), before.folder.name
        raise ParameterError(f"there is nothing to publish as {names}: no result of {experiment!r} has this table")
    return files


def pack_in_parts(table: pd.DataFrame) -> bytes:
    """A table whose first column is ``unit`` as compressed CSV, in parts that end with a unit.

    The same rows give the same bytes, and rows that are added below leave all parts but the last as they were.
    """
    parts, begun = [], 0
    ids = table["unit"].tolist()
    for end in range(1, len(ids) + 1):
        if end == len(ids) or (end - begun >= PART and ids[end] != ids[end - 1]):
            # Compressed one by one, and read as one by everything that reads gzip.
            parts.append(gzip.compress(store.csv_bytes(table.iloc[begun:end], header=not begun), mtime=0))
            begun = end
    return b"".join(parts)


def _replace(folder: Path, files: Mapping[str, bytes], facts: Mapping[str, Any]) -> None:
    """Put these files into the place of those of a folder, so that readers find the old ones or the new ones whole."""
    last = {**files, MANIFEST: store.manifest_of(files, facts)}

    def changed() -> list[str]:
        return [name for name, content in last.items() if not _holds(folder / name, content)]

    if changed():
        # All of it lies beside the present files before the first of these is replaced.
        staging = folder / f"{STAGING}{os.getpid()}-{secrets.token_hex(4)}"
        write_folder(staging, files, facts)
        for _ in range(ATTEMPTS):  # where there is no lock, somebody else may be doing the same
            for name in changed():
                write_atomically(folder / name, last[name])
        shutil.rmtree(staging, ignore_errors=True)
    for path in (*folder.glob("*.csv"), *folder.glob("*.csv.gz")):
        if path.name not in files:
            path.unlink(missing_ok=True)


def _holds(path: Path, content: bytes) -> bool:
    """Whether a file is there and holds this: one that is not written again does not look newer than it is."""
    try:
        return path.read_bytes() == content
    except OSError:
        return False


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else publishes in this folder meanwhile; at the end, what killed publishers left is cleared away.

    The system takes the lock from a process that dies. Where there are no such locks, results are safe all the same:
    they are put into place until they are there whole.
    """
    folder = folder.resolve()
    if folder in _ours:  # within a larger publication of this process
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        locked = _lock(handle, folder)
        _ours.add(folder)
        yield
        _clear(folder, 0.0 if locked else 3600.0)
    finally:
        _ours.discard(folder)
        os.close(handle)
        with contextlib.suppress(OSError):  # it stays if anything is in it
            folder.rmdir()


def _lock(handle: int, folder: Path) -> bool:
    """Wait for the lock of a folder; False on a file system that has none."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN):
                return False
        if time.monotonic() > until:
            raise OSError(errno.EBUSY, "somebody else has been publishing there for minutes: try again later", folder)
        time.sleep(PAUSE)


def _clear(folder: Path, older_than: float) -> None:
    """Remove the staging folders and temporary files of publishers that were killed."""
    for left in folder.glob(f"{STAGING}*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime >= older_than:
                shutil.rmtree(left)
    for place in (folder, *folder.glob("networks/*")):
        swept(place.glob(".*.tmp"), older_than)
