"""Lets papermill read a notebook that is kept as a text file by Jupytext.

``papermill notebooks/orientation.py out.ipynb -p games 20`` works because papermill finds this
handler by the beginning of the path (the entry points in ``pyproject.toml``): ``notebooks/`` and
``./notebooks/`` as typed from the repository's root, and ``jupytext:`` before any other path.

Papermill writes an output in place, so that one that is killed can leave half a notebook where a whole
one was. While this module is imported, its handler for local files learns to write as ours does, and to
read text, so that any other path to a notebook works too, and an error of ours is one sentence at its end.
And kernels listen to files of their owner's, where others on the machine cannot talk to them, and not to ports.
"""

import contextlib
import os
import socket
import sys
import uuid
import warnings
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.paths import jupyter_runtime_dir
from nbclient import NotebookClient
from traitlets import default

from wslib._bar import BY_PAPERMILL
from wslib.files import write_atomically

TEXT_ENDINGS = (".py", ".md")
PARAMETER_ENDINGS = (".yaml", ".yml", ".json")
"""Of what is read for `papermill -f`."""
OURS = ("NotebookRefused", "ParameterError", "UnitsFailed", "DamagedResult", "SchedulerLost", "WorkerLost")
"""Errors whose text is one sentence that says what to do."""

_input: Path | None = None
"""The notebook that was read last."""
# Papermill wonders at every other ending than .ipynb; here that is the point.
warnings.filterwarnings("ignore", message=r"The specified file .* does not end in", category=UserWarning)


class NotebookRefused(ValueError):
    """A path that cannot be read or written as a notebook."""


class JupytextHandler:
    """What papermill asks of a handler, for local files: text notebooks are read, and every write is atomic.

    Papermill is not imported here, because it imports this module while it is itself being imported.
    """

    def read(self, path: str) -> str:
        """Return the notebook at `path` as notebook JSON, whatever form it is kept in."""
        global _input
        path = _local(path)
        if path.endswith(PARAMETER_ENDINGS):
            return Path(path).read_text(encoding="utf-8")
        _check_input(Path(path))
        _input = Path(path).resolve()
        if path.endswith(TEXT_ENDINGS):
            notebook = jupytext.read(path)
            # Papermill insists on a language, which a header written by hand easily lacks.
            kernel = notebook.metadata.setdefault("kernelspec", {"name": "python3", "display_name": "Python 3"})
            kernel.setdefault("language", "python")
            return nbformat.writes(notebook)
        text = Path(path).read_text(encoding="utf-8")
        if not text.lstrip().startswith("{"):
            raise NotebookRefused(f"{path} holds no notebook: one that is kept as text should end with .py or .md")
        return text

    def write(self, buf: str, path: str) -> None:
        """Write `buf` to `path` so that the file is the old one or the new one, never a part.

        Papermill saves after every cell; a run that is killed leaves a notebook that opens.
        """
        _check_output(Path(_local(path)))
        write_atomically(Path(_local(path)), buf.encode())

    def listdir(self, path: str) -> list[str]:
        """List the files in the directory `path`."""
        return [str(file) for file in Path(_local(path)).iterdir()]

    def pretty_path(self, path: str) -> str:
        """Return `path` as it is shown in messages."""
        return _local(path)


def _check_input(path: Path) -> None:
    """Refuse what is no notebook, and name those that are there instead."""
    if path.suffix not in (*TEXT_ENDINGS, ".ipynb"):
        raise NotebookRefused(f"{path} is no notebook: its name should end with .py, .md or .ipynb")
    if not path.is_file():
        others = sorted(other.stem for other in path.parent.glob(f"*{path.suffix}"))
        raise NotebookRefused(
            f"there is no notebook {path}: " + (f"{path.parent} has {', '.join(others)}" if others else "none is there")
        )


def _check_output(path: Path) -> None:
    """Refuse an output in whose place something else is, above all the text of a notebook: that would be lost."""
    if path.is_dir():
        raise NotebookRefused(f"the output {path} is a folder: it should be the name of a file, as in {path}/out.ipynb")
    if path.suffix in TEXT_ENDINGS or path.resolve().suffix in TEXT_ENDINGS:
        raise NotebookRefused(f"the output {path} would replace a notebook's text: its name should end with .ipynb")
    if path.resolve() == _input:
        raise NotebookRefused(f"the output {path} is the notebook that is read: it should have another name")
    if not path.parent.is_dir():
        raise NotebookRefused(f"there is no folder {path.parent} for the output: it should be made first")


def _local(path: str) -> str:
    return path.removeprefix("jupytext:")


def _read_text_too(handler: Any, path: str) -> str:
    """What papermill's handler for local files does from now on when it reads."""
    return JupytextHandler().read(str(Path(handler._cwd or ".") / path))


def _write_in_one_step(handler: Any, text: str, path: str) -> None:
    """What papermill's handler for local files does from now on when it writes."""
    JupytextHandler().write(text, str(Path(handler._cwd or ".") / path))


class PrivateKernelManager(AsyncKernelManager):
    """Starts kernels that listen to sockets which are files in Jupyter's folder of its user, and not to ports."""

    @default("transport")
    def _by_files(self) -> str:
        return "ipc"

    @default("ip")
    def _beginning_of_their_names(self) -> str:
        return str(Path(jupyter_runtime_dir()) / f"kernel-{uuid.uuid4()}-ipc")


def _start_privately(client: Any) -> Any:
    """What nbclient, which papermill calls, does from now on when it prepares a kernel."""
    os.environ[BY_PAPERMILL] = "yes"  # the kernel inherits it
    if client.kernel_manager_class is AsyncKernelManager and _takes_sockets(Path(jupyter_runtime_dir())):
        client.kernel_manager_class = PrivateKernelManager
    return _start(client)


def _takes_sockets(folder: Path) -> bool:
    """Whether a kernel's sockets fit there: some file systems take none, and the system wants short names."""
    probe = folder / f"kernel-{uuid.uuid4()}-ipc-0"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with socket.socket(socket.AF_UNIX) as trial:
            trial.bind(str(probe))
    except (OSError, AttributeError):  # a name of more than about a hundred bytes is an OSError too
        return False
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    return True


def plain(error: BaseException) -> str | None:
    """The sentence about an error that needs no traceback: a refusal of ours, here or in the notebook, or a stop."""
    name = getattr(error, "ename", type(error).__name__)
    if name == "KeyboardInterrupt":
        return "stopped; what was finished is stored, and the same line goes on from there"
    if name in OURS or isinstance(error, OSError):
        return str(getattr(error, "evalue", error))
    return None


def _tell(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """What papermill does from now on with an error at its end."""
    sentence = plain(error) if "papermill" in Path(sys.argv[0]).parts[-2:] else None
    if sentence is None:
        _before(kind, error, trace)
    else:
        print(f"papermill: {sentence}", file=sys.stderr)


_before, sys.excepthook = sys.excepthook, _tell
handler = JupytextHandler()
# Papermill imports this module as the last thing it does in its own.
if papermill := sys.modules.get("papermill.iorw"):
    papermill.LocalHandler.read = _read_text_too  # type: ignore[attr-defined]
    papermill.LocalHandler.write = _write_in_one_step  # type: ignore[attr-defined]
    _start = NotebookClient.create_kernel_manager
    NotebookClient.create_kernel_manager = _start_privately  # type: ignore[assignment, method-assign]
