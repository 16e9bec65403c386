"""How long units will take on a core of this machine: by what stored units of the same kind took, else by assumption.

Units stand here as their kind and canonical parameters, as files have them. A measured time is kept as its quotient
with the assumed one, so that a run of a hundred iterations says how long ten will take. Times are processor seconds;
those of another kind of processor are scaled by how much faster or slower it is, where both computed the same kind.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from wslib.games import game
from wslib.parameters import canonical_json
from wslib.study.engine.everything import published, stored
from wslib.study.engine.provenance import kind_of_processor, machine
from wslib.study.engine.store import LocalStore

HERE, ELSEWHERE, ASSUMED = "measured here", "measured elsewhere", "assumed"
ENOUGH = 25
"""So many times of a kind are kept: more would not move their median."""
MOST_READ = 200
"""Stored results of a kind that are looked at, the latest ones."""
RUN_MINUTES = {"connect4": 7.5, "othello": 8.5, "gobang": 4.0}
"""A run of a hundred iterations with all values of Table 5.2."""
SWITCH = 0.06
"""Share of that time after which an adaptive warm start has ended."""
RUNS = ("run", "network", "switch")
"""Kinds of units that train."""
OTHERS = {
    "pair": (0.25, 20, 200), "oldway": (0.7, 20, 200), "strength": (15.0, 200, 500), "untrained": (6.0, 100, 200),
    "match": (0.5, 500, 200), "run perfect": (0.2, 540, 100), "perfect": (0.5, 540, 100), "opening": (30.0, 1, 1),
    "false_alarms": (20.0, 4000, 1), "coverage": (20.0, 4000, 1),
}  # fmt: skip
"""Other kinds: seconds of a unit with so many games or positions, and so many simulations of both sides together."""
CALLS, BESIDE = 57, 0.10
"""An iteration of 50 games of self-play and 40 of the arena by torch: calls for evaluations, and seconds of a processor
beside them, for each simulation of a move (``data/bench/batches.csv``; games of 36 cells)."""
CALL, STEP = 0.001, 0.004
"""Seconds of a call and of a training step on a graphics card. Nobody has measured them: that is why it is said."""
PLIES = {"connect4": 30, "othello": 33, "gobang": 12}
"""Positions of a game of self-play, as in the published runs."""
Key = tuple[Any, ...]


class Work(NamedTuple):
    """What a unit's time depends on: its kind and its canonical parameters."""

    kind: str
    asked: Mapping[str, Any]


def work_of(unit: Any) -> Work:
    """The work of a unit of the study."""
    return Work(unit.kind, unit.canonical())


def keys(work: Work) -> list[Key]:
    """What works of the same kind have in common, the most alike first."""
    kind, asked = work
    if kind in RUNS:
        kind, run = "run" if kind == "network" else kind, asked["run"]  # a run once more
        kind += " on a card" if run.get("device") == "cuda" else ""  # says nothing of other runs
        exact = canonical_json({**run, "seed": None})
        names = ("game", "epochs", "simulations", "episodes", "shape", "channels", "symmetries", "trainer", "device")
        return [(kind, exact), (kind, *(str(run.get(name)) for name in names)), (kind, run["game"]), (kind,)]
    who = tuple(sorted(f"{player.get('method')} {_simulations(player)}" for player in _players(asked)))
    return [(kind, _game(asked), who), (kind, _game(asked)), (kind,)]


def assumed(work: Work) -> float:
    """Seconds before any unit of its kind has been measured."""
    kind, asked = work
    if kind not in RUNS:
        seconds, usual, simulations = OTHERS.get(kind, (5.0, 1, 1))
        number = asked.get("repetitions") or asked.get("games") or asked.get("positions") or usual
        both = sum(map(_simulations, _players(asked))) or 2 * asked.get("simulations", 0) or simulations
        return seconds * number / usual * both / simulations
    run, board = asked["run"], game(asked["run"]["game"])
    share = SWITCH if kind == "switch" else asked["iterations"] / 100
    if run.get("device") == "cuda":
        return 100 * share * sum(on_a_card(run, asked.get("iterations", 100)))
    minutes = next((m for name, m in RUN_MINUTES.items() if run["game"].startswith(name)), 8.0) * board.cells / 36
    # A table run spends about a fifth of its time on games, and the rest on its ten epochs.
    games = 0.18 * run["episodes"] / 50 * run["simulations"] / 100
    training = 0.82 * run["epochs"] / 10 * run["episodes"] / 50 * (8 if run["symmetries"] == "all" else 1)
    # The weights of two layers of equal width, and with them the arithmetic, go with the square of that.
    whole = 60 * minutes * (games + training) * max((run["channels"] / 32) ** 2, 0.1)
    return whole * share


def on_a_card(run: Mapping[str, Any], iterations: int) -> tuple[float, float, float]:
    """What to expect of an iteration on a graphics card, in seconds: evaluations, the processor beside, training.

    The mean over so many iterations, as the first ones have few examples to train on.
    """
    board = game(run["game"])
    plies = next((number for name, number in PLIES.items() if board.id.startswith(name)), 30) * board.cells / 36
    size = run["simulations"] * board.cells / 36
    views = len(board.views(np.zeros((board.rows, board.cols)))) if run["symmetries"] == "all" else 1
    remembered = sum(min(k, run["retrained"]) for k in range(1, iterations + 1)) / iterations
    steps = run["epochs"] * remembered * run["episodes"] * plies * views / run["batch"]
    return CALLS * size * CALL, BESIDE * size * (run["episodes"] + 40) / 90, steps * STEP


def _players(asked: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = (asked.get(name) for name in ("a", "b", "player", "opponent", "search"))
    return [player for player in given if isinstance(player, Mapping)]


def _simulations(player: Mapping[str, Any]) -> int:
    search = player.get("search") or player
    return int(search.get("simulations") or search.get("rollouts") or 0)


def _game(asked: Mapping[str, Any]) -> str:
    run = asked.get("run")
    return asked.get("game") or (run["game"] if isinstance(run, Mapping) else "")


class Times:
    """Measured times, by processor and kind of unit."""

    def __init__(self) -> None:
        self.here = kind_of_processor(machine())
        self.measured: dict[str, dict[Key, list[float]]] = defaultdict(lambda: defaultdict(list))
        """Of each processor: by what works have in common, how many times as long as assumed they took."""
        self._alike: set[Key] = set()
        """What only works of the same settings have in common."""

    @classmethod
    def known(cls, kinds: Collection[str], root: Path) -> "Times":
        """What the published and stored units of these kinds took."""
        times = cls()
        kinds = {*kinds} | ({"run"} if "network" in kinds else set())
        for one in stored(LocalStore(root), *kinds, most=MOST_READ):
            times.learn(Work(one.kind, one.parameters), LocalStore(root).provenance(one.kind, one.unit))
        for one in published(*kinds):
            if result := one.read():
                times.learn(Work(one.kind, one.parameters), result.provenance)
        return times

    def learn(self, work: Work, provenance: Mapping[str, Any]) -> None:
        """Take the time of a unit, if it is that of the whole unit."""
        try:
            seconds = float(provenance["cpu_seconds"])
            resumed = float(provenance.get("resumed_after") or 0)
            quotient = seconds / assumed(work)
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            return
        if not seconds >= 0 or resumed > 0:
            return
        self._alike.add(keys(work)[0])
        for key in keys(work):
            of_kind = self.measured[kind_of_processor(provenance)][key]
            if len(of_kind) < ENOUGH:
                of_kind.append(quotient)

    def of(self, work: Work) -> tuple[float, str]:
        """Seconds of a unit, and what they rest on."""
        for key in keys(work):
            if found := self.measured[self.here].get(key):
                return assumed(work) * median(found), HERE
            for processor, known in self.measured.items():
                if found := known.get(key):
                    return assumed(work) * median(found) * self.slower_than(processor), ELSEWHERE
        return assumed(work), ASSUMED

    def slower_than(self, processor: str) -> float:
        """How many times as long units take here as on another processor; 1 while nothing was computed on both."""
        ours, theirs = self.measured[self.here], self.measured[processor]
        both = ours.keys() & theirs.keys() & self._alike
        ratios = [median(ours[key]) / median(theirs[key]) for key in both if median(theirs[key])]
        return median(ratios) if ratios else 1.0

    def together(self, works: Iterable[tuple[int, Work]], workers: int) -> tuple[float, str]:
        """Seconds until works of these stages are done by so many workers, and what most of that rests on."""
        sums: dict[int, float] = defaultdict(float)
        longest: dict[int, float] = defaultdict(float)
        basis: dict[str, float] = defaultdict(float)
        for stage, work in works:
            seconds, how = self.of(work)
            sums[stage] += seconds
            longest[stage] = max(longest[stage], seconds)
            basis[how] += seconds
        whole = sum(max(sums[stage] / workers, longest[stage]) for stage in sums)
        return whole, max(basis, key=basis.__getitem__, default=ASSUMED)


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(42), duration(600), duration(9000), duration(400_000)
    ('42 s', '10 min', '2.5 h', '4.6 days')
    """
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.1f} days"
