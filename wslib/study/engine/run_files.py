"""Where the states of a training run lie in a store, and what can be told of them without their networks.

Reading a network takes torch, which takes longer to import than a page takes to show its results: see
:mod:`wslib.study.engine.states`.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wslib.parameters import canonical_json
from wslib.study.engine.store import MANIFEST, DamagedResult, read_folder, set_aside
from wslib.training.settings import RunSettings

KEPT = (1, 2, 5, 10, 20, 30, 50, 70, 100)
"""Iterations whose networks are kept."""
STAGES = ("self-play", "training", "arena", "measuring", "storing")
Told = Callable[[dict[str, Any]], object]
Whole = tuple[dict[str, Any], dict[str, bytes]]
"""A manifest and the files that it lists."""


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
            if (there := self.whole(self.state(iteration), iteration)) and (log := self.log_in(iteration, there)):
                return log[:iterations]
        return None

    def log_in(self, iteration: int, whole: Whole) -> list[dict[str, Any]] | None:
        """What a state tells of all iterations; None if it tells of others, and is set aside."""
        try:
            log = json.loads(whole[1]["log.json"])
            if [news["iteration"] for news in log] == [*range(1, iteration + 1)]:
                return log
        except (KeyError, TypeError, ValueError, RecursionError):
            pass
        self.refuse(self.state(iteration), "its log is not that of all iterations up to it")
        return None

    def whole(self, folder: Path, iteration: int) -> Whole | None:
        """What a folder of this run and iteration holds, if it is there; what is damaged or another's is set aside."""
        if not (folder / MANIFEST).exists():
            return None
        try:
            manifest, files = read_folder(folder)
            if canonical_json({"run": manifest["run"]}) != canonical_json({"run": self.run.canonical()}):
                raise DamagedResult(f"{folder} belongs to another run")
            if manifest["iteration"] != iteration:
                raise DamagedResult(f"{folder} belongs to another iteration")
        except (DamagedResult, KeyError) as damage:
            if (folder / MANIFEST).exists():  # else another process has just removed what it does not need any more
                set_aside(self.root, folder, str(damage))
            return None
        return manifest, files

    def refuse(self, folder: Path, why: str) -> None:
        """Set aside what has the right digests and is not what it should be."""
        set_aside(self.root, folder, f"{folder} is damaged: {why}")

    def remove(self, folder: Path) -> None:
        """Remove what no later iteration needs; its manifest first, so that nobody takes the rest for damaged."""
        (folder / MANIFEST).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def settings_of_run(canonical: Mapping[str, Any]) -> RunSettings:
    """A run's settings from their canonical form, in which fields that cannot act are null."""
    return RunSettings(**{field: value for field, value in canonical.items() if value is not None})


def called(run: RunSettings) -> str:
    """A run in a sentence."""
    return f"run {run.id} ({run.method}, {run.game}, seed {run.seed})"


def notes_of(begun: int, seconds: Mapping[str, float]) -> dict[str, float]:
    """For the provenance: the times are only those of a part of the run if it did not begin before iteration 1."""
    return {"resumed_after": begun} | {f"cpu_{stage}": round(seconds.get(stage, 0.0), 2) for stage in STAGES}
