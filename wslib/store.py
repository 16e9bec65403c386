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
import os
import re
import secrets
import warnings
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from wslib.parameters import canonical_json

MANIFEST, PROVENANCE = "manifest.json", "provenance.json"
LARGEST_MANIFEST = 1 << 20
HOME = Path(__file__).resolve().parents[1]
_TEXTS = {"unit": str, "moves": str, "code": str}
"""Columns of text that can look like numbers: an id such as 1234567890e1, the move 4."""
_PLAIN_NAME = re.compile(r"\w[\w.-]{0,99}", re.ASCII)


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
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}: {len(content)} bytes could not be written", str(path)) from None
    finally:
        with contextlib.suppress(OSError):  # gone when all went well; on a read-only disk there never was one
            temporary.unlink()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write_folder(folder: Path, files: Mapping[str, bytes], facts: Mapping[str, Any]) -> None:
    """Commit files and, last, the manifest that makes them a result; ``facts`` go into the manifest."""
    for name, content in files.items():
        write_atomically(folder / name, content)
    manifest = {**facts, "files": {n: {"bytes": len(c), "sha256": _sha256(c)} for n, c in sorted(files.items())}}
    manifest["sha256"] = _sha256(canonical_json(manifest).encode())
    write_atomically(folder / MANIFEST, (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode())


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The manifest and the files of a result; DamagedResult when anything is not as it was committed."""
    path = folder / MANIFEST
    if not path.is_file() or path.stat().st_size > LARGEST_MANIFEST:
        raise DamagedResult(f"{path} is no file, or larger than a manifest can be")
    try:
        manifest = json.loads(path.read_bytes())
        stated = manifest.pop("sha256")
        actual = _sha256(canonical_json(manifest).encode())
        listed = {name: (facts["bytes"], facts["sha256"]) for name, facts in manifest["files"].items()}
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise DamagedResult(f"{path} is not a manifest") from None
    if stated != actual:
        raise DamagedResult(f"{path} has been changed")
    files = {}
    for name, (size, checksum) in listed.items():
        part = folder / name
        if not _PLAIN_NAME.fullmatch(name):
            raise DamagedResult(f"{path} lists a file outside its folder: {name[:60]!r}")
        if part.is_symlink() or not part.is_file():
            raise DamagedResult(f"{part} is missing")
        if part.stat().st_size != size:
            raise DamagedResult(f"{part} has {part.stat().st_size} bytes instead of {size}")
        files[name] = part.read_bytes()
        if _sha256(files[name]) != checksum:
            raise DamagedResult(f"{part} has been changed")
    return manifest, files


@dataclass(frozen=True)
class Stored:
    """A result that was found: a few numbers, tables, and how it came about."""

    unit: str
    summary: dict[str, Any]
    tables: dict[str, pd.DataFrame]
    provenance: dict[str, Any]


def _unpacked(folder: Path, files: Mapping[str, bytes]) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    """Summary and tables from the files of a result."""
    try:
        summary = json.loads(files["summary.json"])
        tables = {n.removesuffix(".csv.gz"): unpack_table(c) for n, c in files.items() if n.endswith(".csv.gz")}
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
        """Store a result."""
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
        return Stored(unit, summary, tables, self._provenance(folder))

    def _provenance(self, folder: Path) -> dict[str, Any]:
        try:
            provenance = json.loads((folder / PROVENANCE).read_bytes())
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
        if not (self.folder / MANIFEST).exists():
            return {}
        return read_folder(self.folder)[1]

    @cached_property
    def _rows(self) -> dict[str, dict[str, str]]:
        text = io.StringIO(self._files.get("units.csv", b"").decode())
        return {row["unit"]: row for row in csv.DictReader(text)}

    @cached_property
    def _tables(self) -> dict[str, pd.DataFrame]:
        names = [n for n in self._files if n.endswith(".csv.gz")]
        return {n.removesuffix(".csv.gz"): unpack_table(self._files[n]) for n in names}

    @cached_property
    def provenance(self) -> pd.DataFrame:
        """When, where and with what each unit was computed."""
        content = self._files.get("provenance.csv")
        return pd.read_csv(io.BytesIO(content), dtype=_TEXTS) if content else pd.DataFrame(columns=["unit"])

    def __len__(self) -> int:
        return len(self._rows)

    def read(self, kind: str, unit: str) -> Stored | None:
        """The result of a unit, or None."""
        row = self._rows.get(unit)
        if row is None or row["kind"] != kind:
            return None
        facts = ("unit", "kind", "parameters")
        summary = {name: json.loads(value) for name, value in row.items() if name not in facts and value != ""}
        tables = {
            name: table[table["unit"] == unit].drop(columns="unit").reset_index(drop=True)
            for name, table in self._tables.items()
        }
        made = self.provenance
        return Stored(unit, summary, tables, {} if made.empty else made[made["unit"] == unit].iloc[0].to_dict())


def publish(experiment: str, results: Mapping[str, tuple[str, Mapping[str, Any], Stored]], tables: tuple[str, ...],
            root: Path | str | None = None) -> Path:  # fmt: skip
    """Write an experiment's results (unit -> kind, parameters, result) to its folder in ``data/``."""
    folder = (Path(root) if root is not None else published_root()) / experiment
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
        whole = pd.concat(parts, ignore_index=True)
        files[f"{name}.csv.gz"] = pack_table(whole[["unit", *[c for c in whole if c != "unit"]]])
    write_folder(folder, files, {"experiment": experiment})
    return folder


def _csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False, lineterminator="\n").encode()


def pack_table(table: pd.DataFrame) -> bytes:
    """A table as compressed CSV; the same table gives the same bytes."""
    return gzip.compress(_csv(table), mtime=0)


def unpack_table(content: bytes) -> pd.DataFrame:
    """The table that :func:`pack_table` packed; texts stay texts, and numbers the same to the last bit."""
    text = io.BytesIO(gzip.decompress(content))
    return pd.read_csv(text, dtype=_TEXTS, keep_default_na=False)


def thesis_table(name: str) -> pd.DataFrame:
    """A table of the sources' numbers, from ``data/thesis/``."""
    return pd.read_csv(published_root() / "thesis" / f"{name}.csv")
