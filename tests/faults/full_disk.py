"""A disk that is full at any step of a commit: one sentence, no half result, and a restart succeeds.

The disk is a small one in memory where that may be mounted; elsewhere the error is injected, call by call.
"""

import errno
import os
import subprocess
from pathlib import Path

from fault_tasks import TinyUnit
from harness import Outcome, results_below
from study_tasks import FileOperations

from wslib.study.engine.store import LocalStore
from wslib.study.engine.units import compute_unit

PAGE = 4096
UNIT = TinyUnit(number=1)


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Leave so many different amounts of room, from none to enough; or fail at each call."""
    outcome = Outcome("full disk", "commits with any amount of room, or at a failing call")
    compute_unit(UNIT, folder / "calm")
    wanted = results_below(folder / "calm")
    disk = folder / "disk"
    disk.mkdir()
    size = f"size={number * PAGE}"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode == 0:
        try:
            outcome.details["disk"] = "in memory"
            for pages in range(number):
                _too_small(disk, pages, wanted, outcome)
        finally:
            subprocess.run(["umount", disk], check=True)
    outcome.details.setdefault("disk", "injected errors only")
    _injected(folder, wanted, outcome)
    return outcome


def _too_small(disk: Path, pages: int, wanted: dict[str, bytes], outcome: Outcome) -> None:
    """Commit while only so many pages are free."""
    ballast, store = disk / "ballast", disk / f"store-{pages}"
    with ballast.open("wb") as file:
        free = os.statvfs(disk).f_bavail
        os.posix_fallocate(file.fileno(), 0, max(free - pages, 0) * PAGE or 1)
    try:
        compute_unit(UNIT, store)
    except OSError as error:
        fine = error.errno == errno.ENOSPC and "bytes could not be written" in str(error) and str(store) in str(error)
        # On so small a disk a folder can be what does not fit; then there is nothing below it.
        fine = fine and not list(store.rglob("*.tmp")) and LocalStore(store).read("tiny", UNIT.id) is None
        ballast.unlink()
        compute_unit(UNIT, store)
        outcome.count("refused by the system")
        outcome.expect(fine and results_below(store) == wanted, f"{pages} pages free: {error}")
    else:
        outcome.count("with enough room")
        outcome.expect(results_below(store) == wanted, f"{pages} pages free: another result")
        ballast.unlink()
    for path in sorted(store.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    store.rmdir()


def _injected(folder: Path, wanted: dict[str, bytes], outcome: Outcome) -> None:
    """No room at each single call of a commit."""

    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with FileOperations().watched() as operations:
        compute_unit(UNIT, folder / "counted")
    for at in range(len(operations.names)):
        store, told = folder / f"at-{at}", ""
        try:
            with FileOperations(full, at).watched():
                compute_unit(UNIT, store)
        except OSError as error:
            told = str(error)
        found = LocalStore(store).read("tiny", UNIT.id)
        compute_unit(UNIT, store)
        fine = "bytes could not be written" in told and (found is None or at >= len(operations.names) - 2)
        fine = fine and not list(store.rglob("*.tmp"))
        outcome.count("calls that failed")
        outcome.expect(fine and results_below(store) == wanted, f"call {at}: {told}")
