"""What the tests of the store and the study do in processes that they kill, in a module that starts quickly."""

import builtins
import hashlib
import json
import multiprocessing
import os
import random
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

import numpy as np
import pandas as pd

from wslib.parameters import canonical_json
from wslib.play import player
from wslib.study.engine import units as study
from wslib.study.engine.published import publish
from wslib.study.engine.store import MANIFEST, PROVENANCE, LocalStore
from wslib.study.engine.units import MatchUnit

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["study_tasks", "pytest", "small_study", "wslib.study.engine.states"])


def started(target: Callable[..., None], *arguments: Any) -> multiprocessing.Process:
    """A process that begins with this module loaded, so that killing dozens of them takes seconds."""
    process = PROCESSES.Process(target=target, args=arguments)
    # The server that the processes are forked from finds our modules by the environment only.
    with mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path))):
        process.start()
    return process


# --- a small result -----------------------------------------------------------------------------------------------


def example(seed: int = 0) -> dict[str, Any]:
    """A small result, as `LocalStore.commit` takes it; provenance is not part of it."""
    draw = np.random.default_rng(seed)
    games = pd.DataFrame(
        {
            "number": range(6),
            "weight": draw.random(6),
            "moves": ["4 4 3", "", "pass", "4", "d3 c3 pass", " ".join(draw.choice(["1", "2", "3"], 40))],
        }
    )
    return {
        "parameters": {"game": "connect4-6x6", "seed": seed, "c": 1.0},
        "summary": {"games": 6, "plies_mean": float(draw.random()), "wins_first": int(draw.integers(3)), "note": "a"},
        "tables": {"games": games, "numbers": games[["number", "weight"]]},
    }


def store_example(root: Path, unit: str = "aa00", seed: int = 0, **provenance: Any) -> None:
    LocalStore(root).commit("match", unit, **example(seed), provenance=provenance)


def contents(root: Path) -> dict[str, bytes]:
    """Every file of the results below a folder, but for when and where they were made."""
    found = (p for p in sorted(root.rglob("*")) if p.is_file() and p.name != PROVENANCE)
    return {str(p.relative_to(root)): p.read_bytes() for p in found}


def without_left_overs(files: dict[str, bytes]) -> dict[str, bytes]:
    """Without the temporary files that only a killed process leaves."""
    return {name: content for name, content in files.items() if not name.endswith(".tmp")}


def stored_units(root: Path) -> list[Path]:
    """The manifests of the results that exist."""
    return sorted(root.glob(f"match/*/{MANIFEST}"))


def examples_of(seeds: Iterable[int], root: Path) -> dict[str, Any]:
    """Examples as `publish` takes them."""
    store, found = LocalStore(root), {}
    for seed in seeds:
        unit = f"{seed:04x}"
        store_example(root, unit, seed)
        found[unit] = ("match", example(seed)["parameters"], store.read("match", unit))
    return found


def publish_often(root: str, data: str, times: int, seeds: list[int]) -> None:
    """Publish more and more of these examples."""
    found = examples_of(seeds, Path(root))
    for number in range(times):
        some = list(found.items())[: 1 + number % len(found)]
        publish("trial", dict(some), ("games",), Path(data))


def forge(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a manifest and seal it again, as somebody might who knows how."""
    manifest = json.loads((folder / MANIFEST).read_bytes())
    del manifest["sha256"]
    change(manifest)
    manifest["sha256"] = hashlib.sha256(canonical_json(manifest).encode()).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(manifest))


def sealed(folder: Path, name: str, content: bytes) -> None:
    """Replace a file of a result and make the manifest fit."""
    (folder / name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    forge(folder, lambda manifest: manifest["files"].update({name: {"bytes": len(content), "sha256": digest}}))


DAMAGES = ("bit flip", "truncation", "blanked block", "swapped file", "lengthened", "missing")


def damage(path: Path, other: Path, kind: str, draw: random.Random) -> None:
    """Damage a file in one way."""
    content = bytearray(path.read_bytes())
    at = draw.randrange(len(content))
    if kind == "bit flip":
        content[at] ^= 1 << draw.randrange(8)
    elif kind == "truncation":
        # A manifest without its last line's end says the same.
        content = content[: draw.randrange(len(content) - 1)]
    elif kind == "blanked block":
        length = draw.choice((1, 16, 512, 4096))
        blank = bytes(min(length, len(content) - at))
        content[at : at + length] = blank if content[at : at + length] != blank else b"\1" * len(blank)
    elif kind == "swapped file":
        content = bytearray(other.read_bytes())
    elif kind == "lengthened":
        content += draw.randbytes(draw.randrange(1, 100)) + b"x"
    path.unlink()
    if kind != "missing":
        path.write_bytes(content)


# --- file operations that fail ------------------------------------------------------------------------------------


class FileOperations:
    """Counts what a commit asks of the file system, and does something else before or after one of these calls."""

    def __init__(self, instead: Callable[[], None] = lambda: None, at: int = -1, after: bool = False):
        self.instead, self.at, self.after, self.names = instead, at, after, []

    def counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.names.append(name)
            chosen = len(self.names) - 1 == self.at
            if chosen and not self.after:
                self.instead()
            result = real(*arguments, **options)
            if chosen and self.after:
                try:
                    self.instead()
                finally:  # nobody else gets hold of what was opened
                    if name == "open":
                        result.close()
                    elif name == "open folder":
                        os.close(result)
            return result

        return call

    def open(self, path: Path, mode: str = "r", **options: Any) -> Any:
        file = self.counted("open", builtins.open)(path, mode, **options)
        if "w" in mode:
            real = file.write
            # Half of the content first: the call that fails is in the middle of writing.
            halves = self.counted("write", lambda content: real(content[len(content) // 2 :]))
            file = _Proxy(file, lambda content: (real(content[: len(content) // 2]), halves(content)))
        return file

    @contextmanager
    def watched(self) -> Iterator["FileOperations"]:
        """Within this block all calls go through here."""
        with (
            mock.patch("wslib.files.open", self.open, create=True),
            mock.patch("os.replace", self.counted("replace", os.replace)),
            mock.patch("os.fsync", self.counted("fsync", os.fsync)),
            mock.patch("os.open", self.counted("open folder", os.open)),
        ):
            yield self


class _Proxy:
    """A file with another way of writing."""

    def __init__(self, file: Any, write: Callable[[bytes], Any]):
        self._file, self.write = file, write

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> "_Proxy":
        return self

    def __exit__(self, *error: Any) -> None:
        self._file.close()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def commit_and_die(root: str, at: int, after: bool) -> None:
    """Store the example, and be killed at one of its file operations."""
    with FileOperations(die, at, after).watched():
        store_example(Path(root))


# --- a study that is killed ---------------------------------------------------------------------------------------


def ended(processes: list[Any]) -> list[int | None]:
    """The exit codes of processes, which have ten minutes to end."""
    for process in processes:
        process.join(600)
    codes = [process.exitcode for process in processes]
    for process in processes:
        process.kill()
    return codes


class FailingUnit(study.Unit):
    """A unit that raises; number 0 kills its process."""

    kind: ClassVar[str] = "failing"
    number: int

    def compute_in(self, root: Path) -> study.Computed:
        if self.number == 0:
            die()
        raise LookupError(f"nothing known of {self.number}")


def golden_units() -> list[MatchUnit]:
    """Units whose results are written down in `golden/units.json`: every kind of player, two of the games' families."""
    mcts, rave = player("mcts", simulations=20), player("rave", simulations=20)
    return [
        MatchUnit(game="connect4", a=rave, b=mcts, games=6, seed=1),
        MatchUnit(game="gobang", a=player("rhea", rollouts=30), b=player("random"), games=4, seed=2, opening_plies=2),
        MatchUnit(game="othello", a=player("mcts", simulations=20, tree="kept"), b=rave, games=4, seed=3),
    ]


def computed_now(unit: study.Unit) -> study.Computed:
    """What a unit's computation gives, stored nowhere."""
    return unit.compute_in(Path("no-such-store"))


def golden_results() -> dict[str, Any]:
    """What belongs in `golden/units.json`."""
    found = {}
    for unit in golden_units():
        computed = computed_now(unit)
        found[f"{unit.game} {unit.a.method} {unit.b.method}"] = {
            "id": unit.id, "parameters": unit.canonical(), "summary": computed.summary,
            "games": computed.tables["games"]["moves"].tolist(),
        }  # fmt: skip
    return found
