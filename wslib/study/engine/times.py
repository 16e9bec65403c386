"""How long units will take on a core of this machine: by what stored units of the same kind took, else by assumption.

Times are processor seconds. Those that were taken on another kind of processor are scaled by how much faster or slower
it is, where units of one kind were computed on both.
"""

from collections import defaultdict
from collections.abc import Mapping
from statistics import median
from typing import Any

from wslib.games import game
from wslib.parameters import canonical_json
from wslib.study.engine.provenance import machine
from wslib.study.engine.units import Unit

HERE, ELSEWHERE, ASSUMED = "measured here", "measured elsewhere", "assumed"
ENOUGH = 25
"""So many times of a kind are kept: more would not move their median."""
RUN_MINUTES = {"connect4": 7.5, "othello": 8.5, "gobang": 4.0}
"""A run of a hundred iterations with all values of Table 5.2."""
SWITCH = 0.06
"""Share of that time after which an adaptive warm start has ended."""
OTHERS = {"pair": 0.25, "oldway": 0.7, "run perfect": 0.2, "strength": 15.0, "untrained": 6.0, "match": 0.5,
          "perfect": 0.5, "opening": 30.0}  # fmt: skip
"""Seconds of a unit of each other kind."""
Key = tuple[Any, ...]


def keys(unit: Unit) -> list[Key]:
    """What units of the same kind have in common, the most alike first."""
    run = getattr(unit, "run", None)
    if run is not None and unit.stage == 0:
        length = getattr(unit, "iterations", None)
        alike = (
            run.game,
            run.epochs,
            run.simulations,
            run.episodes,
            run.shape,
            run.channels,
            run.hidden,
            run.symmetries,
        )
        exact = canonical_json(run.canonical() | {"seed": None})
        kind = "run" if unit.kind == "network" else unit.kind  # a run once more
        return [(kind, length, exact), (kind, length, *alike)]
    board, games = getattr(unit, "game", run.game if run else None), getattr(unit, "games", None)
    players = [getattr(unit, name, None) for name in ("a", "b", "player", "opponent", "search")]
    who = tuple(sorted(_budget(player) for player in players if player is not None))
    return [(unit.kind, board, games, who), (unit.kind, board), (unit.kind,)]


def _budget(player: Any) -> str:
    """A player by its method and its simulations."""
    search = getattr(player, "search", player)
    return f"{getattr(player, 'method', player)} {getattr(search, 'simulations', getattr(search, 'rollouts', ''))}"


def assumed(unit: Unit) -> float:
    """Seconds before any unit of its kind has been measured."""
    run = getattr(unit, "run", None)
    if run is None or unit.stage > 0:
        return OTHERS.get(unit.kind, 5.0)
    board = game(run.game)
    minutes = next((m for name, m in RUN_MINUTES.items() if run.game.startswith(name)), 8.0) * board.cells / 36
    # A table run spends about a fifth of its time on games, and the rest on its ten epochs.
    games = 0.18 * run.episodes / 50 * run.simulations / 100
    training = 0.82 * run.epochs / 10 * run.episodes / 50 * (8 if run.symmetries == "all" else 1)
    whole = 60 * minutes * (games + training) * max(run.channels / 32, 0.3)
    return whole * (SWITCH if unit.kind == "switch" else getattr(unit, "iterations", 100) / 100)


def processor_of(provenance: Mapping[str, Any]) -> Key:
    """What tells one kind of processor from another; its name alone may be that of a whole family."""
    return tuple(str(provenance.get(f"processor{part}", "")) for part in ("", "_family", "_model"))


class Times:
    """Measured times, by processor and kind of unit."""

    def __init__(self) -> None:
        self.here = processor_of(machine())
        self.measured: dict[Key, dict[Key, list[float]]] = defaultdict(lambda: defaultdict(list))

    def learn(self, unit: Unit, provenance: Mapping[str, Any]) -> None:
        """Take the time of a unit, if it is that of the whole unit."""
        try:
            seconds = float(provenance["cpu_seconds"])
            resumed = float(provenance.get("resumed_after") or 0)
        except (KeyError, TypeError, ValueError):
            return
        if not seconds >= 0 or resumed > 0:
            return
        for key in keys(unit):
            of_kind = self.measured[processor_of(provenance)][key]
            if len(of_kind) < ENOUGH:
                of_kind.append(seconds)

    def knows(self, unit: Unit) -> bool:
        """Whether there are enough times of its kind from here."""
        return len(self.measured[self.here].get(keys(unit)[0], ())) >= ENOUGH

    def of(self, unit: Unit) -> tuple[float, str]:
        """Seconds of a unit, and what they rest on."""
        for key in keys(unit):
            if found := self.measured[self.here].get(key):
                return median(found), HERE
            for processor, known in self.measured.items():
                if found := known.get(key):
                    return median(found) * self.slower_than(processor), ELSEWHERE
        return assumed(unit), ASSUMED

    def slower_than(self, processor: Key) -> float:
        """How many times as long units take here as on another processor; 1 while nothing was computed on both."""
        ours, theirs = self.measured[self.here], self.measured[processor]
        ratios = [median(ours[key]) / median(theirs[key]) for key in ours.keys() & theirs.keys() if median(theirs[key])]
        return median(ratios) if ratios else 1.0
