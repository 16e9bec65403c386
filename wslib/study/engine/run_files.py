"""Where the states of a training run lie in a store, and what can be told of them without their networks.

Reading a network takes torch, which takes longer to import than a page takes to show its results: see
:mod:`wslib.study.engine.states`.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from wslib.parameters import ParameterError, canonical_json
from wslib.study.engine.store import MANIFEST, DamagedResult, read_folder, set_aside
from wslib.training.settings import RunSettings

KEPT = (1, 2, 5, 10, 20, 30, 50, 70, 100)
"""Iterations whose networks are kept."""
STAGES = ("self-play", "training", "arena", "measuring", "storing")
Told = Callable[[dict[str, Any]], object]
Read = TypeVar("Read")
Facts = dict[str, Any]
"""What a manifest says."""
Files = dict[str, bytes]
"""The files that a manifest lists."""


class RunFiles:
    """The folders of one run."""

    def __init__(self, run: RunSettings, root: Path):
        self.run, self.root = run, root
        self.states, self.examples = root / "state" / run.id, root / "examples" / run.id

    def state(self, iteration: int) -> Path:
        """The folder of the state after an iteration."""
        return self.states / f"{iteration:04d}"

    def examples_of(self, iteration: int) -> Path:
        """The folder of the examples that an iteration has played."""
        return self.examples / f"{iteration:04d}"

    def iterations(self) -> list[int]:
        """Iterations whose state is there, the latest first."""
        names = (path.parent.name for path in self.states.glob(f"*/{MANIFEST}"))
        return sorted((int(name) for name in names if name.isdecimal()), reverse=True)

    def log(self, iterations: int) -> list[dict[str, Any]] | None:
        """What the first iterations told, where the run has come so far (its earlier states may be gone)."""
        for iteration in self.iterations():
            if iteration < iterations:
                break
            if log := self.part(self.state(iteration), iteration, log_in):
                return log[:iterations]
        return None

    def part(self, folder: Path, iteration: int, what: Callable[[Facts, Files], Read]) -> Read | None:
        """``what`` of a manifest and its files, if there is a folder of this run and iteration.

        What is damaged or another's, or cannot be read, is set aside.
        """
        if not (folder / MANIFEST).exists():
            return None
        try:
            manifest, files = read_folder(folder)
            if canonical_json({"run": manifest["run"]}) != canonical_json({"run": self.run.canonical()}):
                raise DamagedResult(f"{folder} belongs to another run")
            if manifest["iteration"] != iteration:
                raise DamagedResult(f"{folder} belongs to another iteration")
            return what(manifest, files)
        except (DamagedResult, KeyError, ParameterError) as damage:
            if (folder / MANIFEST).exists():  # else another process has just removed what it does not need any more
                why = damage if isinstance(damage, DamagedResult) else f"{folder} is damaged: {damage}"
                set_aside(self.root, folder, str(why))
            return None

    def remove(self, folder: Path) -> None:
        """Remove what no later iteration needs; its manifest first, so that nobody takes the rest for damaged."""
        (folder / MANIFEST).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def log_in(manifest: Facts, files: Files) -> list[dict[str, Any]]:
    """What a state tells of all iterations up to its own."""
    try:
        log = json.loads(files["log.json"])
        if [news["iteration"] for news in log] == [*range(1, manifest["iteration"] + 1)]:
            return log
    except (KeyError, TypeError, ValueError, RecursionError):
        pass
    raise ParameterError("its log is not that of all iterations up to it")


def settings_of_run(canonical: Mapping[str, Any]) -> RunSettings:
    """A run's settings from their canonical form, in which fields that cannot act are null."""
    return RunSettings(**{field: value for field, value in canonical.items() if value is not None})


def called(run: RunSettings) -> str:
    """A run in a sentence."""
    return f"run {run.id} ({run.method}, {run.game}, seed {run.seed})"


def notes_of(begun: int, seconds: Mapping[str, float]) -> dict[str, float]:
    """For the provenance: the times are only those of a part of the run if it did not begin before iteration 1."""
    return {"resumed_after": begun} | {f"cpu_{stage}": round(seconds.get(stage, 0.0), 2) for stage in STAGES}
