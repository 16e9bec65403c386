"""The whole study as one list of jobs: which units, in which order, and what each of them waits for.

Runs whose pages need them most come first, and seed by seed, so that a balanced part is there at any time; what plays
with networks follows as soon as these are there. A unit that several experiments ask for is one job, of the first.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from wslib.study.engine.jobs import Job
from wslib.study.engine.published import other_shelves
from wslib.study.engine.store import MANIFEST
from wslib.study.engine.units import Unit
from wslib.study.pages.catalogue import EXPERIMENTS


class Phase(NamedTuple):
    """A part of the study: an experiment, or its units of some games."""

    title: str
    experiment: str
    boards: tuple[str, ...] | None = None


PHASES: tuple[Phase, ...] = (
    *(Phase("searches without learning", name) for name in ("orientation", "readings", "perfect_play", "rating")),
    *(Phase("first pages of learning", name)
      for name in ("untrained", "it_learns", "one_run", "protocol", "network_choice")),
    Phase("chapter 5, Othello", "warmstart", ("othello",)),
    Phase("chapter 5, Gobang", "warmstart", ("gobang",)),
    Phase("chapter 5, Connect Four", "warmstart", ("connect4",)),
    Phase("adaptive runs, Connect Four", "adaptive_vs_fixed", ("connect4",)),
    Phase("adaptive runs, Connect Four", "adaptive", ("connect4",)),
    Phase("adaptive runs, Othello", "adaptive_vs_fixed", ("othello",)),
    Phase("adaptive runs, Othello", "adaptive", ("othello",)),
    Phase("fixed I', Connect Four", "iprime"),
    Phase("switches in Gobang", "adaptive", ("gobang",)),
    Phase("controls", "control"),
    Phase("beyond the sources", "beyond"),
    Phase("ways of playing", "published_tournaments"),
)  # fmt: skip
"""All experiments, in the order in which they are computed."""


def jobs(only: Collection[str] | None = None, given: Mapping[str, Any] | None = None) -> list[Job]:
    """Everything that the study asks for (or some of its experiments) in its order, each unit once.

    ``given`` are parameters of those experiments that have them.
    """
    asked: dict[str, Any] = {}
    found: dict[str, Job] = {}
    for phase in PHASES:
        name = phase.experiment
        if only and name not in only:
            continue
        if name not in asked:
            kind = EXPERIMENTS[name]
            asked[name] = kind(**{n: value for n, value in (given or {}).items() if n in kind.model_fields})
        experiment = asked[name]
        here = [u for u, labels in experiment.asked_once if phase.boards is None or labels["board"] in phase.boards]
        for unit in sorted(here, key=_order):
            found.setdefault(unit.id, Job(unit, name, phase.title))
    return list(found.values())


def _order(unit: Unit) -> tuple[int, int]:
    """Seed by seed, by the latest of its networks; of a seed first the runs."""
    runs = [run for run, _ in unit.plays_with()] or ([unit.run] if hasattr(unit, "run") else [])
    return max((run.seed for run in runs), default=0), unit.stage


class Known:
    """Whether a unit's result is published or stored; nothing is read but lists."""

    def __init__(self, root: Path):
        self.root, self.shelves = root, other_shelves("")

    def __call__(self, unit: Unit) -> bool:
        return self.stored(unit) or any(unit.id in shelf for shelf in self.shelves)

    def stored(self, unit: Unit) -> bool:
        """Whether it is in the local store."""
        return (self.root / unit.kind / unit.id / MANIFEST).exists()
