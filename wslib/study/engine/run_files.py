"""Where the states of a training run lie in a store, and what can be told of them without their networks.

Reading a network takes torch, which takes longer to import than a page takes to show its results: see
:mod:`wslib.study.engine.states`.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wslib.study.engine.store import MANIFEST, DamagedResult, read_folder
from wslib.training.settings import RunSettings

STAGES = ("self-play", "training", "arena", "measuring", "storing")
Told = Callable[[dict[str, Any]], object]


class RunFiles:
    """The folders of one run."""

    def __init__(self, run: RunSettings, root: Path):
        self.run, self.states, self.examples = run, root / "state" / run.id, root / "examples" / run.id

    def iterations(self) -> list[int]:
        """Iterations whose state is there, the latest first."""
        return sorted((int(path.parent.name) for path in self.states.glob(f"*/{MANIFEST}")), reverse=True)

    def log(self, iterations: int) -> list[dict[str, Any]] | None:
        """What the first iterations told, where the run has come so far (its earlier states may be gone)."""
        for iteration in self.iterations():
            if iteration < iterations:
                break
            try:
                return json.loads(self._folder(self.states / f"{iteration:04d}")[1]["log.json"])[:iterations]
            except DamagedResult:
                continue
        return None

    def _folder(self, folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
        if not (folder / MANIFEST).exists():
            raise DamagedResult(f"{folder} is missing")
        return read_folder(folder)


def notes_of(begun: int, seconds: Mapping[str, float]) -> dict[str, float]:
    """For the provenance: the times are only those of a part of the run if it did not begin before iteration 1."""
    return {"resumed_after": begun} | {f"cpu_{stage}": round(seconds.get(stage, 0.0), 2) for stage in STAGES}
