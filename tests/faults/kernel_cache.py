"""Damaged files in the cache of compiled kernels: every command ends as if nothing had been, and mends the cache."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from damaged_files import KINDS, damage
from harness import PATIENCE, Outcome

from wslib._kernel_cache import _read
from wslib.files import HOME

PLAYED = """
from wslib.games import game
from wslib.play import RandomSettings, match, player
board = game("connect4", 4)
print(match(board, player("random"), RandomSettings(), games=2).moves)
"""
NAMED = """
import sys, wslib._kernel_cache as cache
read = cache._read
cache._read = lambda path: (print(path.name, file=sys.stderr), read(path))[1]
"""
"""Put before a script, this names the files that it reads."""
EMPTIED, KILLED = "almost all emptied, as by a power loss", "killed while compiling"


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Damage the cache so many times, and play the same games each time."""
    outcome = Outcome("kernel cache", "commands with a damaged cache of compiled kernels")
    draw = random.Random(seed)
    template = folder / "template"
    begun = time.monotonic()
    wanted = _play(template).stdout
    assert wanted
    seconds = time.monotonic() - begun
    used = _play(template, NAMED + PLAYED).stderr.split()
    kinds = (EMPTIED, KILLED, "emptied", *KINDS)
    for trial in range(number):
        kind, cache = kinds[trial % len(kinds)], folder / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        if kind == KILLED:
            _kill(cache, draw.uniform(0.3, 1) * seconds)  # nothing is compiled before
        else:
            shutil.copytree(template, cache)
            _damage(kind, next((cache / "wslib").iterdir()), used, draw)
        ended = _play(cache)
        left = [path for path in cache.rglob("*.kernel") if path.name in used and not _read(path)]
        outcome.count(kind)
        outcome.expect(
            (ended.returncode, ended.stdout, ended.stderr) == (0, wanted, "") and not left,
            f"{kind}: exit code {ended.returncode}, {ended.stderr.strip()[-200:]!r}, not mended: {len(left)}",
        )
    return outcome


def _environment(cache: Path) -> dict[str, str]:
    named = {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(HOME)}
    return {**os.environ, **named}


def _play(cache: Path, script: str = PLAYED) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script], env=_environment(cache), capture_output=True, text=True, timeout=PATIENCE,
        check=False,
    )  # fmt: skip


def _damage(kind: str, folder: Path, used: list[str], draw: random.Random) -> None:
    """Damage one of the files that the games read, or empty nearly all."""
    if kind == EMPTIED:
        for name in draw.sample(used, len(used) - 2):
            os.truncate(folder / name, 0)
        return
    one, other = (folder / name for name in draw.sample(used, 2))
    if kind == "emptied":
        os.truncate(one, 0)
    else:
        damage(one, other, kind, draw)


def _kill(cache: Path, after: float) -> None:
    """Leave a cache behind that was being filled by two processes when they were killed."""
    filling = [
        subprocess.Popen([sys.executable, "-c", PLAYED], env=_environment(cache), stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    time.sleep(after)
    for process in filling:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
