"""Results that survive: committed whole or not at all, checked when read, addressed by what they were computed from.

A result is a folder ``<root>/<kind>/<unit>/`` with its files and a manifest that lists their sizes and digests. Files
are written under a temporary name, flushed to the disk and renamed; the manifest comes last, so a result exists exactly
when its manifest does. Two processes that compute the same unit write the same bytes, so neither needs a lock. What
is damaged is set aside and reported, never loaded. Where and when a result was made stands in ``provenance.json``,
which no digest covers.

Published results hold many units in one folder, under a manifest of the same kind: see
:mod:`wslib.study.engine.published`.
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
import warnings
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from wslib.files import default_root, published_root, swept, write_atomically
from wslib.parameters import ParameterError, canonical_json

MANIFEST, PROVENANCE = "manifest.json", "provenance.json"
LARGEST_MANIFEST, LARGEST_FILE, LARGEST_TEXT = 1 << 20, 1 << 30, 1 << 28
"""Bytes: what is larger is refused before memory is asked for (a table's text: when unpacked)."""
MOST_COLUMNS = 1000
"""Of a table: pandas takes minutes for a million."""
TEXTS = dict.fromkeys(("unit", "moves", "code", "processor_family", "processor_model"), str)
"""Columns of text that can look like numbers: an id such as 1234567890e1, the move 4."""
_PLAIN_NAME = re.compile(r"\w[\w.-]{0,99}", re.ASCII)
_ID, _ITERATION = "[0-9a-f]" * 20, "[0-9]" * 4
_OURS = (f"*/{_ID}", f"*/{_ID}-{_ITERATION}", f"*/{_ID}/{_ITERATION}")
"""Folders in a store: of units, of networks, of the iterations of a run."""


class DamagedResult(Exception):
    """A stored result that is not what its manifest says."""


def sweep(root: Path, older_than: float = 3600.0) -> int:
    """Remove the temporary files that killed processes left in the folders of a store; how many there were.

    A file is written in seconds, so one that has not been touched for an hour is nobody's. Names and folders are those
    that we give, because a store may lie where others keep hidden files.
    """
    return sum(swept(root.glob(f"{folder}/.*.tmp"), older_than) for folder in _OURS)


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
            if type(facts["bytes"]) is not int or not isinstance(facts["sha256"], str):
                raise TypeError(facts)
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
    try:
        content = part.read_bytes()
    except FileNotFoundError:  # gone since
        raise DamagedResult(f"{part} is missing") from None
    if _sha256(content) != manifest["files"][name]["sha256"]:
        raise DamagedResult(f"{part} has been changed")
    return content


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The manifest and the files of a result; DamagedResult when anything is not as it was committed."""
    manifest = read_manifest(folder)
    if sum(facts["bytes"] for facts in manifest["files"].values()) > LARGEST_FILE:
        raise DamagedResult(f"{folder / MANIFEST} lists more than {LARGEST_FILE >> 20} MiB, which no result has")
    return manifest, {name: read_part(folder, manifest, name) for name in manifest["files"]}


def set_aside(root: Path, folder: Path, damage: str) -> None:
    """Move what is damaged in a store out of the way, to where somebody can look at it, and say so."""
    name = "-".join(folder.relative_to(root).parts[1:])
    aside = root / "damaged" / f"{name}-{secrets.token_hex(4)}"
    try:
        aside.parent.mkdir(parents=True, exist_ok=True)
        os.replace(folder, aside)
    except FileNotFoundError:
        return  # another process was faster
    except OSError as error:
        warnings.warn(
            f"{damage}; it is not used, and could not be set aside in {aside}: {error.strerror}", stacklevel=3
        )
    else:
        warnings.warn(f"{damage}; it was set aside in {aside} and will be computed again", stacklevel=3)


@dataclass(frozen=True)
class Stored:
    """A result that was found: a few numbers, tables, and how it came about."""

    unit: str
    summary: dict[str, Any]
    tables: Mapping[str, pd.DataFrame]
    provenance: Mapping[str, Any]


def _unpacked(folder: Path, files: Mapping[str, bytes]) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    """Summary and tables from the files of a result."""
    try:
        summary = json.loads(files["summary.json"])
        tables = {n.removesuffix(".csv.gz"): unpack_table(c) for n, c in files.items() if n.endswith(".csv.gz")}
        if not isinstance(summary, dict):
            raise ValueError("the summary is no object")
    except (KeyError, ValueError, OSError, EOFError, RecursionError, zlib.error) as error:
        said = " ".join(str(error).split())  # pandas ends lines
        raise DamagedResult(f"{folder} does not hold a result ({type(error).__name__}: {said})") from None
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
            set_aside(self.root, folder, str(damage))
            return None
        return Stored(unit, summary, tables, self.provenance(kind, unit))

    def provenance(self, kind: str, unit: str) -> dict[str, Any]:
        """When, where and with what a unit was computed; nothing where that cannot be read."""
        try:
            provenance = json.loads((self._folder(kind, unit) / PROVENANCE).read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return provenance if isinstance(provenance, dict) else {}

    def kinds(self) -> list[str]:
        """Kinds of units of which some are stored."""
        return sorted({path.parents[1].name for path in self.root.glob(f"*/{_ID}/{MANIFEST}")})

    def latest(self, kind: str, most: int | None = None) -> list[str]:
        """The ids of the units of a kind that are stored, the latest first; at most so many."""
        made: dict[str, float] = {}
        for path in (self.root / kind).glob(f"*/{MANIFEST}"):
            with contextlib.suppress(OSError):
                made[path.parent.name] = path.stat().st_mtime
        return sorted(made, key=lambda unit: (-made[unit], unit))[:most]

    def parameters(self, kind: str, unit: str) -> dict[str, Any]:
        """What a stored unit was computed from."""
        return read_manifest(self._folder(kind, unit)).get("parameters", {})


def csv_bytes(table: pd.DataFrame, header: bool = True) -> bytes:
    """A table as CSV, with or without the line that names its columns."""
    return table.to_csv(index=False, header=header, lineterminator="\n").encode()


def pack_table(table: pd.DataFrame) -> bytes:
    """A table as compressed CSV; the same table gives the same bytes."""
    return gzip.compress(csv_bytes(table), mtime=0)


def unpack(content: bytes) -> bytes:
    """What was compressed, if it is not too much."""
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
        text = packed.read(LARGEST_TEXT + 1)
    if len(text) > LARGEST_TEXT:
        raise ValueError(f"a table of more than {LARGEST_TEXT >> 20} MiB")
    return text


def unpack_table(content: bytes) -> pd.DataFrame:
    """The table that :func:`pack_table` packed; texts stay texts, and numbers the same to the last bit."""
    text = unpack(content)
    try:
        columns = next(csv.reader(io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")), [])
    except csv.Error as error:
        raise ValueError(f"no table: {error}") from None
    if len(columns) > MOST_COLUMNS:
        raise ValueError(f"a table of {len(columns)} columns, and none has more than {MOST_COLUMNS}")
    return pd.read_csv(io.BytesIO(text), dtype=TEXTS, keep_default_na=False)


def thesis_table(name: str) -> pd.DataFrame:
    """A table of the sources' numbers, from ``data/thesis/``."""
    return pd.read_csv(published_root() / "thesis" / f"{name}.csv")
