"""Compiled kernels on disk: compiled once for all processes of a user, and loaded only when they are whole and ours.

What numba compiles it can keep as a pickle, and reading a pickle executes it. So a kernel is loaded only from a file
that belongs to this user, that nobody else can write, and that begins with the SHA-256 of what follows and of its own
name: whatever was cut, emptied, flipped, swapped or put there by somebody else counts as missing, and the kernel is
compiled anew and replaces it. Each function has a file for each list of argument types and each processor, written
under a temporary name and renamed, so that any number of processes can share the folder.

Folders are named by a digest of the core's modules, because the code of a kernel holds that of the kernels it calls
and the constants of other modules: edit one, and all are compiled anew (up to a minute, once). They lie in
``NUMBA_CACHE_DIR``, ``XDG_CACHE_HOME`` or ``~/.cache``; where they cannot, in a private folder that ends with the
process.
"""

import atexit
import contextlib
import errno
import hashlib
import os
import pickle
import platform
import re
import secrets
import shutil
import stat
import tempfile
import time
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

DIGEST_BYTES = 32
DAY = 86_400.0
"""Seconds."""
OLD = 7 * DAY
"""A version's folder that no process has begun to use for so long is removed when a new one is made."""
PACKAGE = Path(__file__).parent


def _version() -> str:
    """A digest of everything that kernels are compiled from and with; the study holds no kernels."""
    digest = hashlib.sha256(repr((platform.python_version(), numba.__version__, llvmlite.__version__)).encode())
    for module in sorted(PACKAGE.rglob("*.py")):
        if "study" not in module.relative_to(PACKAGE).parts:
            digest.update(module.read_bytes())
    return digest.hexdigest()[:16]


def _is_private(found: os.stat_result) -> bool:
    """Whether a file or folder is this user's, and nobody else may write to it."""
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _kept_folder(base: Path) -> Path:
    """The folder of this version below ``base``, made where it is missing; PermissionError where it is not private."""
    folder = base / "wslib" / f"kernels-{_version()}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        found = folder.lstat()
        if not (stat.S_ISDIR(found.st_mode) and _is_private(found)):
            reason = "it belongs to another user, or others may write to it"
            raise PermissionError(errno.EACCES, reason, str(folder)) from None
        if time.time() - found.st_mtime > DAY:
            with contextlib.suppress(OSError):  # on a disk that can only be read
                os.utime(folder)
    else:
        _remove_old(folder.parent, r"kernels-[0-9a-f]{16}")
    return folder


def _remove_old(parent: Path, names: str) -> None:
    """Remove this user's folders with such a name that have not been used for a while."""
    for folder in parent.iterdir():
        with contextlib.suppress(OSError):  # another process was faster
            found = folder.lstat()
            ours = re.fullmatch(names, folder.name) and found.st_uid == os.geteuid()
            if ours and stat.S_ISDIR(found.st_mode) and time.time() - found.st_mtime > OLD:
                shutil.rmtree(folder)


def _private_folder() -> Path | None:
    """A new folder that nobody else can guess or enter, for this process and its children; None where there is none.

    Children find it by the environment, as a folder that the user asks for.
    """
    try:
        base = Path(tempfile.mkdtemp(prefix="wslib-kernels-"))
        _remove_old(base.parent, r"wslib-kernels-\w{8}")
        folder = _kept_folder(base)
    except OSError:
        return None
    os.environ["NUMBA_CACHE_DIR"] = str(base)
    atexit.register(_remove, base, os.getpid())
    return folder


def _remove(folder: Path, maker: int) -> None:
    if os.getpid() == maker:  # a process that was forked ends earlier
        shutil.rmtree(folder, ignore_errors=True)


def _folder() -> Path | None:
    """Where this process keeps kernels, if anywhere."""
    try:
        base = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return _kept_folder(Path(base).expanduser())
    except OSError as error:
        _warn(error.filename, error.strerror)
    except RuntimeError as error:
        _warn("the home folder", str(error))
    return _private_folder()


@lru_cache
def _warn(where: object, reason: str | None) -> None:
    """Tell it once: numba resets what Python's warnings remember."""
    warnings.warn(f"compiled kernels cannot be kept in {where} ({reason}): they will be compiled again", stacklevel=2)


FOLDER = _folder()


class KernelCache(NullCache):
    """What numba asks for the compiled code of one function."""

    def __init__(self, function: Any):
        code = function.__code__
        inside = dumps(tuple(cell.cell_contents for cell in function.__closure__ or ()))
        parts = (str(code.co_firstlineno).encode(), code.co_code, inside, _source(code.co_filename))
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._digest = hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts))

    @property
    def cache_path(self) -> str | None:
        """The folder."""
        return str(FOLDER) if FOLDER else None

    def _path(self, folder: Path, signature: Any, codegen: Any) -> Path:
        """The file for these argument types on this processor."""
        digest = self._digest.copy()
        digest.update(repr((str(signature), codegen.magic_tuple())).encode())
        return folder / f"{self._name}-{digest.hexdigest()[:32]}.kernel"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code, or None where it has to be compiled."""
        target_context.refresh()
        content = _read(self._path(FOLDER, sig, target_context.codegen())) if FOLDER else None
        return None if content is None else CompileResult._rebuild(target_context, *pickle.loads(content))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; a disk that is full or can only be read is told of, and stops nobody."""
        if FOLDER and not data.library.has_dynamic_globals:  # such code holds addresses of this process
            try:
                _write(self._path(FOLDER, sig, data.codegen), dumps(data._reduce()))
            except FileNotFoundError:
                pass  # the folder was removed meanwhile
            except OSError as error:
                _warn(FOLDER, error.strerror)


@lru_cache
def _source(path: str) -> bytes:
    """The text that a function was read from, when its module is imported."""
    try:
        return Path(path).read_bytes()
    except OSError:  # typed at a prompt
        return b""


def _seal(path: Path, content: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + b"\0" + content).digest()


def _read(path: Path) -> bytes | None:
    """What was kept in a file; None where there is none, or it is not as it was written, or may be somebody else's."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(handle, "rb") as file:
            if not _is_private(os.fstat(handle)):
                return None
            seal, content = file.read(DIGEST_BYTES), file.read()
    except OSError:
        return None
    return content if seal == _seal(path, content) else None


def _write(path: Path, content: bytes) -> None:
    """Replace a file in one step; it is not flushed to the disk, because a file that is not whole is not loaded."""
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "wb") as file:
            file.write(_seal(path, content) + content)
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):  # gone when all went well
            temporary.unlink()


def sync() -> None:
    """Flush all kept kernels to the disk, so that they outlive a power loss."""
    if FOLDER:
        try:
            for path in (*FOLDER.iterdir(), FOLDER, FOLDER.parent, FOLDER.parent.parent):
                handle = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
        except OSError as error:
            _warn(FOLDER, error.strerror)
