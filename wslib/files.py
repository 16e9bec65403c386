"""Files that are whole at any moment, and where data and results lie.

A file is written under a temporary name, flushed to the disk and renamed, and so is the folder that it is in: after a
crash there is the old one or the new one. What killed processes left behind is swept away by its name.
"""

import contextlib
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from wslib.parameters import ParameterError

HOME = Path(__file__).resolve().parents[1]
_TEMPORARY = re.compile(r"\.\w[\w.-]*\.[0-9]+\.[0-9a-f]{8}\.tmp", re.ASCII)


def default_root() -> Path:
    """Where fresh results are kept: ``WSLIB_STORE``, or ``.wslib-store`` in the project's folder."""
    try:
        return Path(os.environ.get("WSLIB_STORE") or HOME / ".wslib-store").expanduser()
    except RuntimeError:
        name = os.environ["WSLIB_STORE"]
        raise ParameterError(f"WSLIB_STORE is {name!r}, and there is no such home: it should be a full path") from None


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


def sweep_beside(path: Path, older_than: float = 3600.0) -> int:
    """Remove the temporary files that killed processes left of this file; how many there were."""
    return swept((left for left in path.parent.iterdir() if left.name.startswith(f".{path.name}.")), older_than)


def swept(paths: Iterable[Path], older_than: float) -> int:
    """Remove those of these files that bear the names of our temporary files and are so many seconds old; how many."""
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
