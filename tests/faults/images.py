"""File systems cut off at random moments while something is written, in the three journal modes of ext4.

An image is mounted, and the kernel is told to stop its file system at once, without writing what it still holds in
memory, as those do who test file systems. What is then in the image is what a power loss would have left on a disk that
is honest about its flushes. The image is mounted again, which replays its journal, and read: what a process was told to
be safe must be there, and nothing may be half. ext4's help for programs that forget to flush before they rename is
switched off. Needs root on Linux; all mounts are in a namespace of their own and end with the process.
"""

import ctypes
import fcntl
import json
import multiprocessing
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from fault_tasks import TinyUnit, publish_units, train, training
from harness import PATIENCE, Outcome, clock, kill, results_below, started
from publish_kills import published_files, what_is_wrong
from training_kills import whole

from wslib.study.engine.states import RunFolder
from wslib.study.engine.store import LocalStore
from wslib.study.engine.units import compute_unit

MODES = ("ordered", "writeback", "journal")
MEGABYTES = 48
STOP, WITHOUT_FLUSHING = 0x8004587D, 2
"""The request EXT4_IOC_SHUTDOWN, and its flag by which nothing more is written."""
NEW_NAMES_OF_MOUNTS = 0x00020000
"""The flag CLONE_NEWNS of the system call unshare."""
PROCESSES = multiprocessing.get_context("fork")


class Results:
    """Small units, one after the other; each that is finished is told outside the image."""

    name, units = "results", tuple(TinyUnit(number=n) for n in range(60))

    def __init__(self, folder: Path):
        self.told = folder / "told"
        for unit in self.units:
            compute_unit(unit, folder / "results")
        self.wanted = results_below(folder / "results")

    def before(self, disk: Path) -> None:
        """What is there already: nothing."""
        self.told.write_text("")

    def write(self, disk: Path) -> None:
        """Compute all units."""
        for unit in self.units:
            compute_unit(unit, disk / "store")
            with self.told.open("a") as file:
                file.write(f"{unit.id}\n")

    def problem(self, disk: Path, seen: int) -> str:
        """A unit that was told and is not there, or one that is there and another."""
        told, store, found = self.told.read_text().split(), LocalStore(disk / "store"), results_below(disk / "store")
        for unit in self.units:
            there = store.read("tiny", unit.id) is not None
            if unit.id in told and not there:
                return f"unit {unit.id} was finished and is gone"
            mine = [name for name in self.wanted if unit.id in name]
            if there and any(found[name] != self.wanted[name] for name in mine):
                return f"unit {unit.id} is another"
        return ""

    def seen(self, disk: Path) -> int:
        """Nothing that has to be looked at before the end."""
        return 0

    def goes_on(self, disk: Path) -> bool:
        """Whether the same again leaves what an undisturbed process leaves."""
        self.write(disk)
        return results_below(disk / "store") == self.wanted


class Training:
    """A training run; when an iteration's examples begin, the state of the one before is safe."""

    name = "training"

    def __init__(self, folder: Path):
        self.unit = training("connect4", "fixed")
        train(self.unit, str(folder / "training"))
        self.wanted = whole(folder / "training")

    def before(self, disk: Path) -> None:
        """What is there already: nothing."""

    def write(self, disk: Path) -> None:
        """Train, from wherever the run stands."""
        train(self.unit, str(disk / "store"))

    def seen(self, disk: Path) -> int:
        """The iteration whose state must be there whatever happens."""
        begun = (disk / "store" / "examples" / self.unit.run.id).glob("[0-9]*")
        return max((int(folder.name) for folder in begun), default=1) - 1

    def problem(self, disk: Path, seen: int) -> str:
        """A state that was safe and is gone, or one that is half."""
        states = RunFolder(self.unit.run, disk / "store")
        newest = max([k for k in states.iterations() if states.read(k)], default=0)
        return f"iteration {seen} was stored, and {newest} is the last" if newest < seen else ""

    def goes_on(self, disk: Path) -> bool:
        """Whether the run ends as an undisturbed one ends."""
        self.write(disk)
        found = whole(disk / "store")
        return all(found.get(name) == content for name, content in self.wanted.items())


class Publishing:
    """Two runs and some dozen units are published over one run and twenty units."""

    name = "publishing"

    def __init__(self, folder: Path):
        self.store, self.old_data, calm = folder / "store", folder / "old", folder / "calm"
        runs = [training("connect4", "fixed", seed=n) for n in range(2)]
        tiny = [TinyUnit(number=n) for n in range(60)]
        for unit in (*runs, *tiny):
            compute_unit(unit, self.store)
        self.old, self.new = [runs[0], *tiny[:20]], [*runs, *tiny]
        publish_units(str(self.store), str(self.old_data), self.old)
        shutil.copytree(self.old_data, calm)
        publish_units(str(self.store), str(calm), self.new)
        self.wanted = published_files(calm)

    def before(self, disk: Path) -> None:
        """What was published before, safely."""
        shutil.copytree(self.old_data, disk / "data")
        subprocess.run(["sync", "--file-system", disk], check=True)

    def write(self, disk: Path) -> None:
        """Publish."""
        publish_units(str(self.store), str(disk / "data"), self.new)

    def seen(self, disk: Path) -> int:
        """Nothing that has to be looked at before the end."""
        return 0

    def problem(self, disk: Path, seen: int) -> str:
        """Something between the old and the new."""
        return what_is_wrong(disk / "data", (self.old, self.new))

    def goes_on(self, disk: Path) -> bool:
        """Whether publishing again leaves what an undisturbed publisher leaves."""
        self.write(disk)
        return published_files(disk / "data") == self.wanted


def prepared(root: Path) -> bool:
    """Let this process have mounts of its own, and make an empty image in memory; whether that is possible here."""
    if sys.platform != "linux" or os.geteuid() or ctypes.CDLL(None).unshare(NEW_NAMES_OF_MOUNTS):
        return False
    if not (went_well("mount", "--make-rprivate", "/") and went_well("mount", "-t", "tmpfs", "tmpfs", root)):
        return False
    with (root / "empty").open("wb") as file:
        file.truncate(MEGABYTES << 20)
    (root / "disk").mkdir()
    possible = went_well("mkfs.ext4", "-q", "-J", "size=4", root / "empty") and mounted(root / "empty", root / "disk")
    if possible:
        unmount(root / "disk")
    return possible


def went_well(*command: str | Path) -> bool:
    """Whether a command is there and ends well."""
    return bool(shutil.which(command[0])) and not subprocess.run(command, capture_output=True, check=False).returncode


def mounted(image: Path, disk: Path, mode: str = MODES[0]) -> bool:
    """Mount an image; whether that was possible."""
    return went_well("mount", "-o", f"loop,data={mode},noauto_da_alloc", image, disk)


def unmount(disk: Path) -> None:
    """Unmount it; what had just been killed may still hold it for a moment."""
    for _ in range(100):
        if went_well("umount", disk):
            return
        time.sleep(0.1)
    raise RuntimeError(f"{disk} cannot be unmounted")


def cut_off(disk: Path) -> None:
    """Stop the file system: nothing more reaches the image."""
    handle = os.open(disk, os.O_RDONLY)
    try:
        fcntl.ioctl(handle, STOP, struct.pack("I", WITHOUT_FLUSHING))
    finally:
        os.close(handle)


def quietly(work: Any, disk: Path) -> None:
    """Write; that the disk is gone in the middle of it is no news."""
    with suppress(OSError):
        work.write(disk)


def trial(work: Any, mode: str, folder: Path, after: Callable[[], float], flushes: bool = True) -> str:
    """Cut an image off some time after its writer began, and read it; what was wrong."""
    image, disk = folder / "image", Path(tempfile.mkdtemp(dir=folder))  # a path of its own: readers remember by path
    subprocess.run(["cp", "--sparse=always", folder / "empty", image], check=True)
    assert mounted(image, disk, mode)
    work.before(disk)
    with nullcontext() if flushes else mock.patch("os.fsync", lambda handle: None):
        writer = PROCESSES.Process(target=quietly, args=(work, disk))
        writer.start()
    writer.join(after())
    seen = work.seen(disk)
    cut_off(disk)
    kill(writer)
    unmount(disk)
    assert mounted(image, disk, mode)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            problem = work.problem(disk, seen)
        problem = problem or "; ".join(str(warning.message) for warning in told)
        return problem or ("" if work.goes_on(disk) else "going on left something else")
    finally:
        unmount(disk)


def cut_images(folder: str, number: int, seed: int) -> None:
    """So many trials in a process with mounts of its own; the verdicts go to a file."""
    root, draw, verdicts, noticed = Path(folder) / "memory", random.Random(seed), [], []
    root.mkdir()
    if not prepared(root):
        return
    works = [kind(root) for kind in (Results, Training, Publishing)]
    seconds = [_seconds(work, root) for work in works]
    for n in range(number):
        place, mode = n % len(works), MODES[n // len(works) % len(MODES)]
        problem = trial(works[place], mode, root, lambda place=place: draw.uniform(0, 1.1) * seconds[place])
        verdicts.append(f"{works[place].name}, data={mode}: {problem}" if problem else "")
    for n in range(max(1, number // 10)):
        # What a test of power losses is worth shows where nothing is flushed.
        noticed.append(bool(trial(works[0], MODES[n % len(MODES)], root, lambda: seconds[0] / 2, flushes=False)))
    (Path(folder) / "verdicts.json").write_text(json.dumps({"verdicts": verdicts, "noticed": noticed}))


def _seconds(work: Any, root: Path) -> float:
    """How long the writer takes on such an image."""
    subprocess.run(["cp", "--sparse=always", root / "empty", root / "image"], check=True)
    assert mounted(root / "image", root / "disk")
    work.before(root / "disk")
    time_gone = clock()
    writer = PROCESSES.Process(target=work.write, args=(root / "disk",))
    writer.start()
    writer.join(PATIENCE)
    unmount(root / "disk")
    return time_gone()


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Cut so many images off: of results, training and publishing in turn, three in each journal mode."""
    outcome = Outcome("images", "file systems that were cut off while something was written, in 3 journal modes")
    process = started(cut_images, str(folder), number, seed)
    process.join(3600)
    found = folder / "verdicts.json"
    if kill(process) or process.exitcode:
        outcome.expect(False, f"the process ended with code {process.exitcode}")
        return outcome
    if not found.exists():
        outcome.left_out = "an image of ext4 is mounted only on Linux, by root, with a loop device"
        return outcome
    told = json.loads(found.read_text())
    for verdict in told["verdicts"]:
        outcome.expect(not verdict, verdict)
    outcome.details["noticed where nothing was flushed"] = f"{sum(told['noticed'])} of {len(told['noticed'])}"
    if not all(told["noticed"]):
        outcome.failures.append("a file system that was cut off unflushed went unnoticed")
    return outcome
