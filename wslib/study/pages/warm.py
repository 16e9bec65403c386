"""The experiments of chapters 5 and 6: warm starts with a fixed and with an adaptive end, and what lies beyond them.

Each asks for runs, for the tournaments of their networks, and for their scores against perfect play, at the sources'
scale. A page shows what there is, and says of how many.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from itertools import combinations, product
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, field_validator

from wslib.perfect.positions import BOARDS as POSITIONS
from wslib.perfect.positions import SETS
from wslib.play import player
from wslib.search import GUIDED, THESIS, GuidedSettings
from wslib.study.engine import units as study
from wslib.study.engine.run_files import KEPT
from wslib.study.engine.runs import RunUnit, SwitchUnit
from wslib.study.engine.tournament import NetworkEntrant, meetings, round_robin
from wslib.study.names import Entrant
from wslib.study.pages.base import COMPUTE, Asked, WithNetworks
from wslib.study.pages.perfect_play import RunPerfectUnit
from wslib.study.presets import preset
from wslib.training.settings import RunSettings

METHODS = THESIS
ENHANCEMENTS = METHODS[1:]
ANCHORS: dict[str, Any] = {
    "random": player("random"),
    "MCTS 100": player("mcts", simulations=100),
    "MCTS 400": player("mcts", simulations=400),
    "MCTS 1600": player("mcts", simulations=1600),
}
"""Players without a network: the same in every pool, so that pools can be laid on one scale."""
Cells = list[tuple[dict[str, Any], RunSettings]]
"""Runs, each after its labels."""
Kinds = Iterator[tuple[dict[str, Any], dict[str, Any]]]
Scale = Literal["smoke", "laptop", "table", "paper", "letter"]


class Trained(WithNetworks):
    """What the experiments with several training runs of each kind have in common."""

    grows: ClassVar[float] = 0.0
    """Above which share of the kinds one more run of each is shown by default, once it is there. Those that have runs
    in common with another experiment wait for their own."""

    boards: tuple[str, ...] = Field(("connect4", "othello", "gobang"), min_length=1, description="games learned")
    methods: tuple[str, ...] = Field(METHODS, min_length=1, description="enhancements, and Baseline")
    runs: int = Field(8, ge=1, le=1000, description="runs of each kind (seeds 0, 1, ...)")
    first_seed: int = Field(
        0, ge=0, description="seed of the first run of each kind; another one than 0 asks for runs of your own"
    )
    compute: bool = Field(True, description=COMPUTE)

    @property
    def seeds(self) -> range:
        """The seeds of each kind's runs."""
        return range(self.first_seed, self.first_seed + self.runs)

    @field_validator("methods")
    @classmethod
    def _known_methods(cls, methods: tuple[str, ...]) -> tuple[str, ...]:
        for method in methods:
            if method not in GUIDED:
                raise ValueError(f"there is no enhancement {method!r}: there are {', '.join(GUIDED)}")
        return methods

    def run_units(self) -> Asked:
        """Every run with its labels."""
        raise TypeError(f"{type(self).__name__} does not name its runs")

    def grown(self) -> Self:
        """This experiment with more runs of each kind than the usual number, where more are published or stored."""
        asked = self
        if asked.first_seed or asked.runs != type(asked).model_fields["runs"].default:
            return asked
        while True:
            more = asked.model_copy(update={"runs": asked.runs + 1})
            added = [unit for unit, labels in more.run_units() if labels["seed"] == asked.runs]
            there = sum(origin is not None for origin in study.origins(added, asked.name).values())
            if there <= self.grows * len(added):
                return asked
            asked = more


class Runs(Trained):
    """What the experiments with training runs and tournaments of their networks have in common."""

    SMALL: ClassVar[Mapping[str, Any]] = {
        "boards": ("connect4",), "methods": ("baseline", "wrora"), "runs": 2, "iterations": 2, "games": 2
    }  # fmt: skip
    tables: ClassVar[tuple[str, ...]] = ("iterations", "games")
    pool: ClassVar[str] = "all"

    preset: Scale = Field("table", description="scale of a run")  # type: ignore[assignment]
    iterations: int = Field(100, ge=1, le=10_000, description="I: iterations of a run")
    games: int = Field(20, ge=2, multiple_of=2, description="games a pair of the tournaments")

    def kinds(self, board: str) -> Kinds:
        """The kinds of runs in a game: labels (``kind``, ``method``, ...), and what makes them."""
        raise TypeError(f"{type(self).__name__} does not name its runs")

    def run(self, board: str, method: str, seed: int, scale: str = "", **changes: Any) -> RunSettings:
        """The settings of one run, at the preset's scale unless told otherwise."""
        given = {"game": board, "method": method, "seed": seed, **self.on_device, **changes}
        return preset(scale or self.preset, **given)

    @cached_property
    def cells(self) -> Cells:
        """Every run after its labels: ``board``, ``kind``, ``method``, ``seed``, and what tells the kinds apart."""
        return [
            ({"board": board, "seed": seed, **labels}, self.run(board, labels["method"], seed, **changes))
            for board, seed in product(self.played, self.seeds)
            for labels, changes in self.kinds(board)
        ]

    @property
    def played(self) -> tuple[str, ...]:
        """The games with runs and pools."""
        return self.boards

    def pools(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Every pool of final networks: board, its name, its entrants by name (here: all of a game in one pool)."""
        for board in self.played:
            yield board, self.pool, {"random": ANCHORS["random"], **self.final_networks(board)}

    def final_networks(self, board: str, *methods: str) -> dict[str, NetworkEntrant]:
        """The final networks of a game by name, those of some methods only where any are given."""
        return {
            Entrant(x["kind"], x["seed"]).name: self.entrant(run)
            for x, run in self.cells
            if x["board"] == board and x["method"] in (methods or (x["method"],))
        }

    def entrant(self, run: RunSettings, iteration: int | None = None) -> NetworkEntrant:
        """The network of a run, at the end unless told otherwise."""
        return NetworkEntrant(run=run, iteration=iteration or self.iterations)

    def run_units(self) -> Asked:
        return [(RunUnit(run=run, iterations=self.iterations), {"part": "run", **labels}) for labels, run in self.cells]

    def pool_units(self) -> Asked:
        """Every pair of every pool."""
        return self.pool_units_among(None)

    def pool_units_among(self, trained: Collection[RunSettings] | None) -> Asked:
        """The pairs of these runs' networks, and of players without one; None: of all."""
        asked: Asked = []
        for board, name, entrants in self.pools():
            playing = {
                n: e for n, e in entrants.items() if trained is None or not hasattr(e, "run") or e.run in trained
            }
            pairs = round_robin(board, playing, games=self.games)
            asked += [(unit, {"part": "pool", "board": board, "pool": name, **names}) for unit, names in pairs]
        return asked

    def asked(self) -> Asked:
        return self.run_units() + self.pool_units()


class Warmstart(Runs):
    """Fig. 5.1 and 5.2: Baseline and five enhancements with I' = 5; final networks, and the networks on the way."""

    name: ClassVar[str] = "warmstart"
    pool: ClassVar[str] = "final"

    warm_iterations: int = Field(5, ge=1, description="I': iterations of the warm start")

    def kinds(self, board: str) -> Kinds:
        for method in self.methods:
            warm = {} if method == "baseline" else {"warm_iterations": self.warm_iterations}
            yield {"kind": method, "method": method}, warm

    def kept(self) -> list[int]:
        """Iterations whose networks are rated on the way."""
        return [k for k in KEPT if k < self.iterations] + [self.iterations]

    def anchored_units(self) -> Asked:
        """Networks on the way: each meets the anchors, and those of the other methods with its seed and age."""
        asked: Asked = []
        for board in self.boards:
            anchors = list(ANCHORS.items())
            runs = [(labels, run) for labels, run in self.cells if labels["board"] == board]
            pairs = list(combinations(anchors, 2))
            for k in self.kept():
                aged = {
                    (x["kind"], x["seed"]): (Entrant(x["kind"], x["seed"], k).name, self.entrant(run, k))
                    for x, run in runs
                }
                pairs += [(network, anchor) for network in aged.values() for anchor in anchors]
                pairs += [(x, y) for (i, x), (j, y) in combinations(aged.items(), 2) if i[1] == j[1]]
            asked += [
                (unit, {"part": "anchored", "board": board, "pool": "anchored", **names})
                for unit, names in meetings(board, pairs, games=self.games)
            ]
        return asked

    def perfect_units(self) -> Asked:
        """Networks on the way against perfect play, in games with positions: raw, and with the search they play by."""
        ways = {"raw": None, "search": GuidedSettings()}
        return [
            (
                RunPerfectUnit(run=run, iteration=k, which=which, search=search),
                {"part": "perfect", **labels, "iteration": k, "set": which, "way": way},
            )
            for labels, run in self.cells
            if labels["board"] in POSITIONS
            for k, which, (way, search) in product(self.kept(), SETS, ways.items())
        ]

    def asked(self) -> Asked:
        return self.run_units() + self.pool_units() + self.anchored_units() + self.perfect_units()


class Control(Runs):
    """Warmstart with one epoch, and by the letter of the text: how far are such runs from those of our reading?"""

    name: ClassVar[str] = "control"
    grows: ClassVar[float] = 0.5
    SMALL: ClassVar[Mapping[str, Any]] = {**Runs.SMALL, "beside": ("smoke",)}
    ONLY: ClassVar[dict[str, tuple[str, ...]]] = {"letter": ("connect4", "othello")}
    """Games of a scale that is not run in all."""

    beside: tuple[Scale, ...] = Field(("laptop", "letter"), min_length=1, description="scales that it is compared with")
    methods: tuple[str, ...] = Field(("baseline", "wrora"), min_length=1, description="enhancements, and Baseline")
    runs: int = Field(3, ge=1, le=1000, description="runs of each kind (seeds 0, 1, ...)")

    @property
    def scales(self) -> list[str]:
        """The preset, and those beside it."""
        return list(dict.fromkeys((self.preset, *self.beside)))

    def kinds(self, board: str) -> Kinds:
        for scale, method in product(self.scales, self.methods):
            if board in self.ONLY.get(scale, self.boards):
                yield {"kind": f"{method} {scale}", "method": method, "scale": scale}, {"scale": scale}


class IPrime(Runs):
    """Fig. 6.1: the number of iterations with a warm start, for each enhancement."""

    name: ClassVar[str] = "iprime"
    SMALL: ClassVar[Mapping[str, Any]] = {**Runs.SMALL, "methods": ("wrora",), "lengths": (1, 2)}

    boards: tuple[str, ...] = Field(("connect4",), min_length=1, description="games learned")
    methods: tuple[str, ...] = Field(ENHANCEMENTS, min_length=1, description="enhancements, a panel each")
    lengths: tuple[int, ...] = Field((1, 3, 5, 7, 9), min_length=1, description="I': iterations of the warm start")

    def kinds(self, board: str) -> Kinds:
        yield {"kind": "baseline", "method": "baseline", "length": 0}, {}
        for method, length in product(self.methods, self.lengths):
            labels = {"kind": f"{method} {length}", "method": method, "length": length}
            yield labels, {"warm_iterations": length}

    def pools(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for board, panel in product(self.boards, self.methods):
            yield board, panel, {"random": ANCHORS["random"], **self.final_networks(board, panel, "baseline")}


class AdaptiveVsFixed(Runs):
    """Fig. 6.3: Baseline, the enhancements with fixed I' = 5, and with the adaptive switch."""

    name: ClassVar[str] = "adaptive_vs_fixed"
    SMALL: ClassVar[Mapping[str, Any]] = {**Runs.SMALL, "methods": ("wrora",)}

    boards: tuple[str, ...] = Field(("connect4", "othello"), min_length=1, description="games learned")
    methods: tuple[str, ...] = Field(ENHANCEMENTS, min_length=1, description="enhancements")

    def kinds(self, board: str) -> Kinds:
        yield {"kind": "baseline", "method": "baseline", "ends": "none"}, {}
        for method, switch in product(self.methods, ("fixed", "adaptive")):
            yield {"kind": f"{method} {switch}", "method": method, "ends": switch}, {"switch": switch}


class Adaptive(Trained):
    """Table 6.2 and Fig. 6.2: when adaptive warm starts end, and the balances until then."""

    name: ClassVar[str] = "adaptive"
    SMALL: ClassVar[Mapping[str, Any]] = {"runs": 2, "most": 2, "presets": ("smoke",)}
    tables: ClassVar[tuple[str, ...]] = ("balances",)

    preset: Literal["full", "smoke"] = Field("full", description="full: the source's scale; smoke: seconds")
    boards: tuple[str, ...] = Field(("gobang", "connect4", "othello"), min_length=1, description="games learned")
    methods: tuple[str, ...] = Field(ENHANCEMENTS, min_length=1, description="enhancements")
    most: int = Field(100, ge=1, le=10_000, description="I: iterations after which a run is given up")
    presets: tuple[str, ...] = Field(("table",), min_length=1, description="presets of the runs")

    def run_units(self) -> Asked:
        return self.asked()

    def kinds(self, board: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """What is run in a game: each enhancement, RAVE also by Q_rave."""
        for method in self.methods:
            yield method, {"method": method}
            if method == "rave":
                yield "rave by Q_rave", {"method": method, "policy": "q_rave"}

    def budgets(self, board: str) -> tuple[int, ...]:
        """Simulations a move: Gobang's published column is with 200."""
        if self.preset == "smoke":
            return (8,)
        return (100, 200) if board == "gobang" else (100,)

    def asked(self) -> Asked:
        """Every run up to its switch, the first seeds of all kinds first."""
        asked: Asked = []
        for scale, seed, board in product(self.presets, self.seeds, self.boards):
            for m, (kind, changes) in product(self.budgets(board), self.kinds(board)):
                run = preset(
                    scale, game=board, seed=seed, switch="adaptive", **changes, simulations=m, **self.on_device
                )
                labels = {"part": "switch", "board": board, "kind": kind, "method": changes["method"], "seed": seed}
                asked.append((SwitchUnit(run=run, most=self.most), {**labels, "simulations": m, "scale": scale}))
        return asked


class Beyond(Runs):
    """What the outlook of the sources asks for, at pilot scale: other warm starts, weights, choices of the loop."""

    name: ClassVar[str] = "beyond"
    SMALL: ClassVar[Mapping[str, Any]] = {**Runs.SMALL, "runs": 1}
    grows: ClassVar[float] = 0.5

    preset: Scale = Field("laptop", description="scale of a run")  # type: ignore[assignment]
    boards: tuple[str, ...] = Field(("connect4", "othello"), min_length=1, description="games learned")
    runs: int = Field(2, ge=1, le=1000, description="runs of each kind (seeds 0, 1, ...)")
    iterations: int = Field(30, ge=1, le=10_000, description="I: iterations of a run")
    methods: tuple[str, ...] = Field(("baseline", "wrora"), min_length=1, description="kinds without a change")

    CHANGES: ClassVar[dict[str, tuple[str, dict[str, Any]]]] = {
        "RHEA": ("rhea", {}),
        "WRoRa, w = 1/2": ("wrora", {"weight": "half"}),
        "WRoRa, i from 1": ("wrora", {"weight": "shifted"}),
        "Baseline, no gate": ("baseline", {"gating": False}),
        "Baseline, 10 epochs": ("baseline", {"epochs": 10}),
        "Baseline, arena from the empty board": ("baseline", {"arena_plies": 0}),
        "Baseline, targets are the moves": ("baseline", {"targets": "move"}),
        "Baseline, a fresh tree every move": ("baseline", {"tree": "fresh"}),
    }
    LARGER: ClassVar[str] = "connect4-6x7"

    @property
    def played(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.boards, self.LARGER)))

    def kinds(self, board: str) -> Kinds:
        for method in self.methods:
            yield {"kind": method, "method": method}, {}
        for kind, (method, changes) in self.CHANGES.items():
            if changes and board == self.LARGER:
                continue
            some = {n: value for n, value in changes.items() if not (n == "epochs" and self.preset == "smoke")}
            yield {"kind": kind, "method": method}, some

    def pools(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for board in self.played:
            yield board, self.pool, {**ANCHORS, **self.final_networks(board)}
