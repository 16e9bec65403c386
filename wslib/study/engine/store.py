"""Results that survive: committed whole or not at all, checked when read, addressed by what they were computed from.

A result is a folder ``<root>/<kind>/<unit>/`` with its files and a manifest that lists their sizes and digests. Files
are written under a temporary name, flushed to the disk and renamed; the manifest comes last, so a result exists exactly
when its manifest does. Two processes that compute the same unit write the same bytes, so neither needs a lock. What
is damaged is set aside and reported, never loaded. Where and when a result was made stands in ``provenance.json``,
which no digest covers.

Published results (``data/<experiment>/``) hold many units in plain CSV files, under a manifest of the same kind.
"""

import contextlib
import csv
import gzip
import hashlib
import io
import json
import math
import os
import re
import secrets
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import IO, Any

import pandas as pd

from wslib.parameters import ParameterError, canonical_json

MANIFEST, PROVENANCE = "manifest.json", "provenance.json"
NEXT = ".next"
"""Where new published results are written before they replace the old ones."""
LARGEST_MANIFEST, LARGEST_FILE, LARGEST_TEXT = 1 << 20, 1 << 30, 1 << 28
"""Bytes: what is larger is refused before memory is asked for (a table's text: when unpacked)."""
HOME = Path(__file__).resolve().parents[3]
_TEXTS = dict.fromkeys(("unit", "moves", "code", "processor_family", "processor_model"), str)
"""Columns of text that can look like numbers: an id such as 1234567890e1, the move 4."""
_PLAIN_NAME = re.compile(r"\w[\w.-]{0,99}", re.ASCII)
_TEMPORARY = re.compile(r"\.\w[\w.-]*\.[0-9]+\.[0-9a-f]{8}\.tmp", re.ASCII)
_ID, _ITERATION = "[0-9a-f]" * 20, "[0-9]" * 4
_OURS = (f"*/{_ID}", f"*/{_ID}-{_ITERATION}", f"*/{_ID}/{_ITERATION}")
"""Folders in a store: of units, of networks, of the iterations of a run."""


class DamagedResult(Exception):
    """A stored result that is not what its manifest says."""


def default_root() -> Path:
    """Where fresh results are kept: ``WSLIB_STORE``, or ``.wslib-store`` in the project's folder."""
    return Path(os.environ.get("WSLIB_STORE") or HOME / ".wslib-store").expanduser()


def published_root() -> Path:
    """Where the published results are."""
    return HOME / "data"


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it is at any moment either the old one or the new one, whole."""
    for last in (False, False, True):
        try:
            return _write_atomically(path, content)
        except FileNotFoundError:
            # Another process has just removed the folder, as a run does with the states that it has left behind.
            if last:
                raise


def _write_atomically(path: Path, content: bytes) -> None:
    try:
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}: {len(content)} bytes could not be written", str(path)) from None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file to write; it takes the place of ``path`` when the block has ended well, and else it is gone."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        _make_folder(path.parent)
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, error.filename or str(path)) from None
    finally:
        with contextlib.suppress(OSError):  # gone when all went well; on a read-only disk there never was one
            temporary.unlink()


def sweep(root: Path, older_than: float = 3600.0) -> int:
    """Remove the temporary files that killed processes left in the folders of a store; how many there were.

    A file is written in seconds, so one that has not been touched for an hour is nobody's. Names and folders are those
    that we give, because a store may lie where others keep hidden files.
    """
    return sum(_swept(root.glob(f"{folder}/.*.tmp"), older_than) for folder in _OURS)


def sweep_beside(path: Path, older_than: float = 3600.0) -> int:
    """Remove the temporary files that killed processes left of this file; how many there were."""
    return _swept((left for left in path.parent.iterdir() if left.name.startswith(f".{path.name}.")), older_than)


def _swept(paths: Iterable[Path], older_than: float) -> int:
    number = 0
    for path in paths:
        with contextlib.suppress(OSError):  # another process was faster
            if _TEMPORARY.fullmatch(path.name) and time.time() - path.lstat().st_mtime > older_than:
                path.unlink()
                number += 1
    return number


def _make_folder(folder: Path) -> None:
    """Make a folder where there is none, and those above it; each reaches the disk with its name in the one above."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for new in reversed(missing):
        new.mkdir(exist_ok=True)
        _sync_folder(new.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def manifest_of(files: Mapping[str, bytes], facts: Mapping[str, Any]) -> bytes:
    """The manifest of these files: what it says beside ``facts`` is their sizes and digests, and its own digest."""
    manifest = {**facts, "files": {n: {"bytes": len(c), "sha256": _sha256(c)} for n, c in sorted(files.items())}}
    manifest["sha256"] = _sha256(canonical_json(manifest).encode())
    return (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode()


def write_folder(folder: Path, files: Mapping[str, bytes], facts: Mapping[str, Any]) -> None:
    """Commit files and, last, the manifest that makes them a result; ``facts`` go into the manifest."""
    for name, content in files.items():
        write_atomically(folder / name, content)
    write_atomically(folder / MANIFEST, manifest_of(files, facts))


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a result says of itself and its files; DamagedResult when it is not as it was committed."""
    path = folder / MANIFEST
    if not path.is_file() or path.stat().st_size > LARGEST_MANIFEST:
        raise DamagedResult(f"{path} is no file, or larger than a manifest can be")
    try:
        manifest = json.loads(path.read_bytes())
        stated = manifest.pop("sha256")
        actual = _sha256(canonical_json(manifest).encode())
        for facts in manifest["files"].values():
            _ = facts["bytes"], facts["sha256"]
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise DamagedResult(f"{path} is not a manifest") from None
    if stated != actual:
        raise DamagedResult(f"{path} has been changed")
    return manifest


def read_part(folder: Path, manifest: Mapping[str, Any], name: str) -> bytes:
    """One of the files that a manifest lists, checked."""
    if not _PLAIN_NAME.fullmatch(name):
        raise DamagedResult(f"{folder / MANIFEST} lists a file outside its folder: {name[:60]!r}")
    size, part = manifest["files"][name]["bytes"], folder / name
    if part.is_symlink() or not part.is_file():
        raise DamagedResult(f"{part} is missing")
    if part.stat().st_size != size or size > LARGEST_FILE:
        raise DamagedResult(f"{part} has {part.stat().st_size} bytes instead of {size}, or more than a file may have")
    content = part.read_bytes()
    if _sha256(content) != manifest["files"][name]["sha256"]:
        raise DamagedResult(f"{part} has been changed")
    return content


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The manifest and the files of a result; DamagedResult when anything is not as it was committed."""
    manifest = read_manifest(folder)
    return manifest, {name: read_part(folder, manifest, name) for name in manifest["files"]}


@dataclass(frozen=True)
class Stored:
    """A result that was found: a few numbers, tables, and how it came about."""

    unit: str
    summary: dict[str, Any]
    tables: Mapping[str, pd.DataFrame]
    provenance: Mapping[str, Any]


class _Later(Mapping[str, Any]):
    """What is read only when it is looked at: most results are read for their numbers alone."""

    def __init__(self, read: Callable[[], Mapping[str, Any]]):
        self._read = read

    @cached_property
    def _there(self) -> Mapping[str, Any]:
        return self._read()

    def __getitem__(self, name: str) -> Any:
        return self._there[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._there)

    def __len__(self) -> int:
        return len(self._there)


def _unpacked(folder: Path, files: Mapping[str, bytes]) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    """Summary and tables from the files of a result."""
    try:
        summary = json.loads(files["summary.json"])
        tables = {n.removesuffix(".csv.gz"): unpack_table(c) for n, c in files.items() if n.endswith(".csv.gz")}
        if not isinstance(summary, dict):
            raise ValueError("the summary is no object")
    except (KeyError, ValueError, OSError, EOFError, RecursionError, zlib.error) as error:
        raise DamagedResult(f"{folder} does not hold a result ({type(error).__name__}: {error})") from None
    return summary, tables


class LocalStore:
    """Fresh results, one folder per unit."""

    def __init__(self, root: Path | str | None = None):
        self.root = Path(root) if root is not None else default_root()

    def _folder(self, kind: str, unit: str) -> Path:
        return self.root / kind / unit

    def commit(self, kind: str, unit: str, parameters: Mapping[str, Any], summary: Mapping[str, Any],
               tables: Mapping[str, pd.DataFrame], provenance: Mapping[str, Any]) -> None:  # fmt: skip
        """Store a result; one whose numbers are not all finite is none, and is refused."""
        for name, value in summary.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ParameterError(f"{name} is {value}, which is no result: it should be a finite number")
        files = {"summary.json": (json.dumps(summary, sort_keys=True) + "\n").encode()}
        files |= {f"{name}.csv.gz": pack_table(table) for name, table in tables.items()}
        folder = self._folder(kind, unit)
        write_atomically(folder / PROVENANCE, (json.dumps(provenance, indent=1, sort_keys=True) + "\n").encode())
        write_folder(folder, files, {"unit": unit, "kind": kind, "parameters": parameters})

    def read(self, kind: str, unit: str) -> Stored | None:
        """The result of a unit, or None; a damaged one is set aside, reported, and counts as missing."""
        folder = self._folder(kind, unit)
        if not (folder / MANIFEST).exists():
            return None
        try:
            manifest, files = read_folder(folder)
            if manifest.get("unit") != unit or manifest.get("kind") != kind:
                raise DamagedResult(f"{folder} holds the result of another unit")
            summary, tables = _unpacked(folder, files)
        except DamagedResult as damage:
            aside = self.root / "damaged" / f"{unit}-{secrets.token_hex(4)}"
            aside.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # another process was faster
                os.replace(folder, aside)
                warnings.warn(f"{damage}; it was set aside in {aside} and will be computed again", stacklevel=2)
            return None
        return Stored(unit, summary, tables, self.provenance(kind, unit))

    def provenance(self, kind: str, unit: str) -> dict[str, Any]:
        """When, where and with what a unit was computed; nothing where that cannot be read."""
        try:
            provenance = json.loads((self._folder(kind, unit) / PROVENANCE).read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return provenance if isinstance(provenance, dict) else {}

    def count(self, kind: str) -> int:
        """How many units of a kind are stored."""
        return sum(1 for _ in (self.root / kind).glob(f"*/{MANIFEST}"))


class Published:
    """The published results of one experiment: ``units.csv``, tables, ``provenance.csv``, a manifest."""

    def __init__(self, experiment: str, root: Path | str | None = None):
        self.folder = (Path(root) if root is not None else published_root()) / experiment

    @cached_property
    def _files(self) -> dict[str, bytes]:
        complete_commit(self.folder)
        if not (self.folder / MANIFEST).exists():
            return {}
        try:
            return read_folder(self.folder)[1]
        except DamagedResult as damage:
            raise DamagedResult(
                f"{damage}: take the folder from git again, or remove it, before 'wslib publish {self.folder.name}'"
            ) from None

    @cached_property
    def _rows(self) -> dict[str, dict[str, str]]:
        """The units' rows, as text."""
        with self._told_of():
            rows = csv.DictReader(io.StringIO(self._files.get("units.csv", b"").decode()))
            return {row["unit"]: row for row in rows if row["kind"]}

    @cached_property
    def _tables(self) -> dict[str, tuple[pd.DataFrame, Mapping[Any, Any]]]:
        """Each table, and which of its rows are whose."""
        with self._told_of():
            packed = {n.removesuffix(".csv.gz"): c for n, c in self._files.items() if n.endswith(".csv.gz")}
            tables = {name: unpack_table(content) for name, content in packed.items()}
            return {name: (table, table.groupby("unit").indices) for name, table in tables.items()}

    @cached_property
    def _made(self) -> dict[str, dict[str, Any]]:
        """The units' provenance."""
        with self._told_of():
            made = self._files.get("provenance.csv")
            provenance = pd.read_csv(io.BytesIO(made), dtype=_TEXTS) if made else pd.DataFrame(columns=["unit"])
            return {row["unit"]: row for row in provenance.to_dict("records")}

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

    @property
    def provenance(self) -> pd.DataFrame:
        """When, where and with what each unit was computed."""
        made = list(self._made.values())
        return pd.DataFrame(made) if made else pd.DataFrame(columns=["unit"])

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, unit: str) -> bool:
        return unit in self._rows

    def asked(self, *kinds: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """The units of these kinds: kind, id, and what they were computed from."""
        with self._told_of():
            for unit, row in self._rows.items():
                if row["kind"] in kinds:
                    yield row["kind"], unit, json.loads(row["parameters"])

    def read(self, kind: str, unit: str) -> Stored | None:
        """The result of a unit, or None."""
        row = self._rows.get(unit)
        if row is None or row["kind"] != kind:
            return None
        with self._told_of():
            summary = _summary(row)
        tables, made = _Later(lambda: self._tables_of(unit)), _Later(lambda: self._made.get(unit, {}))
        return Stored(unit, summary, tables, made)


def _summary(row: Mapping[str, str]) -> dict[str, Any]:
    """The numbers of a unit from its row of text."""
    facts = ("unit", "kind", "parameters")
    told = {name: value for name, value in row.items() if name not in facts and value != ""}
    # Read all at once: a value alone costs as much.
    return dict(zip(told, json.loads(f"[{','.join(told.values())}]"), strict=True))


def shelf(experiment: str, root: Path | str | None = None) -> Published:
    """An experiment's published results; they are read once, and again when they have changed."""
    folder = (Path(root) if root is not None else published_root()) / experiment
    return _published(folder, _stamps(folder))


def other_shelves(experiment: str, root: Path | str | None = None) -> list[Published]:
    """The published results of all other experiments: a unit may have been published under another.

    Where one is damaged, that is told, and it is left out.
    """
    root = Path(root) if root is not None else published_root()
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


def publish(experiment: str, results: Mapping[str, tuple[str, Mapping[str, Any], Stored]], tables: tuple[str, ...],
            root: Path | str | None = None) -> Path:  # fmt: skip
    """Write an experiment's results (unit -> kind, parameters, result) to its folder in ``data/``."""
    folder = (Path(root) if root is not None else published_root()) / experiment
    if not results:
        raise ParameterError(f"there is nothing to publish: {experiment!r} asks for no units, or none is stored")
    rows = [
        {"unit": unit, "kind": kind, "parameters": canonical_json(dict(parameters))}
        | {name: json.dumps(value) for name, value in stored.summary.items()}
        for unit, (kind, parameters, stored) in results.items()
    ]
    made = [{"unit": unit, **stored.provenance} for unit, (_, _, stored) in results.items()]
    files = {"units.csv": _csv(pd.DataFrame(rows)), "provenance.csv": _csv(pd.DataFrame(made))}
    for name in tables:
        found = ((unit, stored.tables.get(name)) for unit, (_, _, stored) in results.items())
        parts = [part.assign(unit=unit) for unit, part in found if part is not None]
        if not parts:
            raise ParameterError(f"there is nothing to publish as {name!r}: no result of {experiment!r} has this table")
        whole = pd.concat(parts, ignore_index=True)
        files[f"{name}.csv.gz"] = pack_table(whole[["unit", *[c for c in whole if c != "unit"]]])
    # All of it is written beside the present files before the first of these is replaced.
    write_folder(folder / NEXT, files, {"experiment": experiment})
    complete_commit(folder)
    return folder


def complete_commit(folder: Path) -> None:
    """Move what :func:`publish` has written whole into place; an interrupted move is gone on with.

    Files are moved before the manifest, so that the manifest of ``NEXT`` says until the end that there is one to move.
    """
    pending = folder / NEXT
    if not (pending / MANIFEST).exists():
        return
    manifest = read_manifest(pending)
    if not all(_PLAIN_NAME.fullmatch(name) for name in manifest["files"]):
        raise DamagedResult(f"{pending / MANIFEST} lists a file outside its folder")
    for name in [*manifest["files"], MANIFEST]:
        if (pending / name).exists():
            os.replace(pending / name, folder / name)
    _sync_folder(folder)
    with contextlib.suppress(OSError):
        pending.rmdir()


def _csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False, lineterminator="\n").encode()


def pack_table(table: pd.DataFrame) -> bytes:
    """A table as compressed CSV; the same table gives the same bytes."""
    return gzip.compress(_csv(table), mtime=0)


def unpack_table(content: bytes) -> pd.DataFrame:
    """The table that :func:`pack_table` packed; texts stay texts, and numbers the same to the last bit."""
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
        text = packed.read(LARGEST_TEXT + 1)
    if len(text) > LARGEST_TEXT:
        raise ValueError(f"a table of more than {LARGEST_TEXT >> 20} MiB")
    return pd.read_csv(io.BytesIO(text), dtype=_TEXTS, keep_default_na=False)


def thesis_table(name: str) -> pd.DataFrame:
    """A table of the sources' numbers, from ``data/thesis/``."""
    return pd.read_csv(published_root() / "thesis" / f"{name}.csv")
