"""Lets papermill read a notebook that is kept as a text file by Jupytext.

``papermill notebooks/orientation.py out.ipynb -p games 20`` works because papermill finds this
handler by the beginning of the path (the entry points in ``pyproject.toml``): ``notebooks/`` and
``./notebooks/`` as typed from the repository's root, and ``jupytext:`` before any other path.
"""

import contextlib
import os
import tempfile
from pathlib import Path

import jupytext
import nbformat
from papermill.iorw import LocalHandler

TEXT_ENDINGS = (".py", ".md")


class JupytextHandler(LocalHandler):
    """Papermill's handler for local files, with text notebooks read and every write atomic."""

    def read(self, path: str) -> str:
        """Return the notebook at `path` as notebook JSON, whatever form it is kept in."""
        path = _local(path)
        if path.endswith(TEXT_ENDINGS):
            return nbformat.writes(jupytext.read(path))
        return super().read(path)

    def write(self, buf: str, path: str) -> None:
        """Write `buf` to `path` so that the file is the old one or the new one, never a part.

        Papermill saves after every cell; a run that is killed leaves a notebook that opens.
        """
        write_atomically(buf, Path(_local(path)))

    def listdir(self, path: str) -> list[str]:
        """List the directory `path`."""
        return super().listdir(_local(path))

    def pretty_path(self, path: str) -> str:
        """Return `path` as it is shown in messages."""
        return super().pretty_path(_local(path))


def write_atomically(text: str, path: Path) -> None:
    """Replace `path` by a file with this text, in one step that a crash cannot cut in two."""
    # In the same directory, because a rename is atomic only within one file system.
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files for the owner's eyes only; a notebook gets the usual permissions.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _local(path: str) -> str:
    return path.removeprefix("jupytext:")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


handler = JupytextHandler()
