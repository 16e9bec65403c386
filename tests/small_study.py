"""A study of seconds: two experiments with runs, one without, in phases; in a module that processes can import."""

from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

from wslib.study.engine import agenda, store
from wslib.study.engine.agenda import Phase
from wslib.study.engine.whole import Study, compute
from wslib.study.pages.base import Orientation
from wslib.study.pages.catalogue import EXPERIMENTS
from wslib.study.pages.warm import Control, Warmstart

TINY = {"iterations": 2, "games": 2, "runs": 2, "boards": ("connect4",), "methods": ("baseline", "wrora")}


class Players(Orientation):
    """One match of players without a network."""

    games: int = 2
    rollouts: int = 2
    boards: tuple[str, ...] = ("connect4",)
    players: tuple[str, ...] = ("random", "mcts")


class Warm(Warmstart):
    """Four runs, their tournament and their networks on the way."""

    waits: ClassVar[bool] = False  # type: ignore[assignment, misc]

    def __init__(self, **values: Any) -> None:
        super().__init__(**{"preset": "smoke", **TINY, **values})

    def anchored_units(self):
        return []


class Beside(Control):
    """The same runs with another number of epochs beside them: a half of its runs is not its own."""

    waits: ClassVar[bool] = False  # type: ignore[assignment, misc]

    def __init__(self, **values: Any) -> None:
        super().__init__(**{"preset": "smoke", "beside": "smoke", **TINY, "runs": 4, **values})


SMALL = {"orientation": Players, "warmstart": Warm, "control": Beside}
PHASES = (Phase("players", "orientation"), Phase("warm", "warmstart", ("connect4",)), Phase("beside", "control"))


def patched(data: Path) -> list[Any]:
    """The study in place of the whole one, its published results below this folder."""
    return [
        mock.patch.object(agenda, "PHASES", PHASES),
        mock.patch.dict(EXPERIMENTS, SMALL),
        mock.patch.object(store, "published_root", lambda: data),
    ]


def run(root: str, data: str) -> None:
    """Compute it in this process."""
    for patch in patched(Path(data)):
        patch.start()
    compute(Study(root=Path(root)), workers=1, tell=lambda line: None)
