"""The experiments of chapters 5 and 6: warm starts with a fixed and with an adaptive end, and what lies beyond them.

Each asks for runs, for the tournaments of their networks, and for their scores against perfect play, at the sources'
scale. A page shows what there is, and says of how many.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations, product
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from wslib.games import game
from wslib.perfect.positions import BOARDS as POSITIONS
from wslib.perfect.positions import SETS
from wslib.play import player
from wslib.search import GUIDED, THESIS, GuidedSettings
from wslib.study.engine import units as study
from wslib.study.engine.run_files import KEPT
from wslib.study.engine.runs import RunUnit, SwitchUnit
from wslib.study.engine.tournament import NetworkEntrant, meetings, round_robin
from wslib.study.pages.base import COMPUTE, Experiment, WithNetworks, no_twice, split
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
FIRST_SEED = "seed of the first run of each kind; another one than 0 asks for runs of your own"
SMOKE = {"runs": 2, "iterations": 2, "games": 2}
Asked = list[tuple[Any, dict[str, Any]]]
Cells = Iterator[tuple[dict[str, Any], RunSettings]]
Scale = Literal["smoke", "laptop", "table", "paper", "letter"]


def smaller(kind: type[Experiment], values: dict[str, Any], small: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an experiment with the small ones of the preset smoke, where none was given but the usual."""

    def plain(value: Any) -> Any:
        return tuple(map(str, value)) if isinstance(value, tuple | list) else str(value)

    usual = {name: field.default for name, field in kind.model_fields.items()}
    return values | {n: v for n, v in small.items() if n not in values or plain(values[n]) == plain(usual[n])}


def grown(asked: Any, share: float) -> Any:
    """An experiment with one more run of each kind, as long as more than this share of them is published or stored."""
    if asked.first_seed or asked.runs != type(asked).model_fields["runs"].default:
        return asked
    while True:
        more = asked.model_copy(update={"runs": asked.runs + 1})
        added = [unit for unit, labels in more.run_units() if labels["seed"] == asked.runs]
        there = sum(origin is not None for origin in study.origins(added, asked.name).values())
        if there <= share * len(added):
            return asked
        asked = more


class Runs(WithNetworks):
    """What the experiments with training runs have in common."""

    tables: ClassVar[tuple[str, ...]] = ("iterations", "games")
    pool: ClassVar[str] = "all"
    lists: ClassVar[tuple[str, ...]] = ("boards", "methods")
    grows: ClassVar[float] = 0.0
    """Above which share of the kinds one more run of each is shown by default, once it is there. Those that have runs
    in common with another experiment wait for their own."""

    preset: Scale = Field("table", description="scale of a run")  # type: ignore[assignment]
    boards: tuple[str, ...] = Field(("connect4", "othello", "gobang"), min_length=1, description="games learned")
    methods: tuple[str, ...] = Field(METHODS, min_length=1, description="enhancements, and Baseline")
    runs: int = Field(8, ge=1, le=1000, description="runs of each kind (seeds 0, 1, ...)")
    first_seed: int = Field(0, ge=0, description=FIRST_SEED)
    iterations: int = Field(100, ge=1, le=10_000, description="I: iterations of a run")
    games: int = Field(20, ge=2, multiple_of=2, description="games a pair of the tournaments")
    compute: bool = Field(True, description=COMPUTE)

    def __init__(self, **values: Any) -> None:
        values = {name: split(v) if name in self.lists else v for name, v in values.items()}
        if values.get("preset") == "smoke":
            values = smaller(type(self), values, {**SMOKE, **self.smoke()})
        super().__init__(**values)

    @property
    def seeds(self) -> range:
        """The seeds of each kind's runs."""
        return range(self.first_seed, self.first_seed + self.runs)

    def grown(self) -> Self:
        """This experiment with more runs of each kind than the usual number, where more are published or stored."""
        return grown(self, self.grows)

    @classmethod
    def smoke(cls) -> dict[str, Any]:
        """What is small at the preset smoke, unless it is given."""
        return {"boards": ("connect4",), "methods": ("baseline", "wrora")}

    @field_validator("boards")
    @classmethod
    def _known_boards(cls, boards: tuple[str, ...]) -> tuple[str, ...]:
        for board in boards:
            game(board)
        return no_twice("boards", boards)

    @field_validator("methods")
    @classmethod
    def _known_methods(cls, methods: tuple[str, ...]) -> tuple[str, ...]:
        for method in methods:
            if method not in GUIDED:
                raise ValueError(f"there is no enhancement {method!r}: there are {', '.join(GUIDED)}")
        return no_twice("methods", methods)

    def run(self, board: str, method: str, seed: int, **changes: Any) -> RunSettings:
        """The settings of one run at the preset's scale."""
        return preset(self.preset, game=board, method=method, seed=seed, **{**self.on_device, **changes})

    def cells(self) -> Cells:
        """Every run with its labels: ``board``, ``kind``, ``method``, ``seed``."""
        raise TypeError(f"{type(self).__name__} does not name its runs")

    def pools(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Every pool of final networks: board, its name, its entrants by name (here: all of a game in one pool)."""
        for board in self.boards:
            yield board, self.pool, {"random": ANCHORS["random"], **self.final_networks(board)}

    def final_networks(self, board: str) -> dict[str, NetworkEntrant]:
        """The final networks of a game by name."""
        return {f"{x['kind']}-{x['seed']}": self.entrant(run) for x, run in self.cells() if x["board"] == board}

    def entrant(self, run: RunSettings, iteration: int | None = None) -> NetworkEntrant:
        """The network of a run, at the end unless told otherwise."""
        return NetworkEntrant(run=run, iteration=iteration or self.iterations)

    def run_units(self) -> Asked:
        """Every run with its labels."""
        return [
            (RunUnit(run=run, iterations=self.iterations), {"part": "run", **labels}) for labels, run in self.cells()
        ]

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

    def cells(self) -> Cells:
        for board, seed, method in product(self.boards, self.seeds, self.methods):
            warm = {} if method == "baseline" else {"warm_iterations": self.warm_iterations}
            labels = {"board": board, "kind": method, "method": method, "seed": seed}
            yield labels, self.run(board, method, seed, **warm)

    def kept(self) -> list[int]:
        """Iterations whose networks are rated on the way."""
        return [k for k in KEPT if k < self.iterations] + [self.iterations]

    def anchored_units(self) -> Asked:
        """Networks on the way: each meets the anchors, and those of the other methods with its seed and age."""
        asked: Asked = []
        for board in self.boards:
            anchors = list(ANCHORS.items())
            runs = [(labels, run) for labels, run in self.cells() if labels["board"] == board]
            pairs = list(combinations(anchors, 2))
            for k in self.kept():
                aged = {
                    (x["kind"], x["seed"]): (f"{x['kind']}-{x['seed']}@{k}", self.entrant(run, k)) for x, run in runs
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
            for labels, run in self.cells()
            if labels["board"] in POSITIONS
            for k, which, (way, search) in product(self.kept(), SETS, ways.items())
        ]

    def asked(self) -> Asked:
        return self.run_units() + self.pool_units() + self.anchored_units() + self.perfect_units()


class Control(Runs):
    """Warmstart with one epoch, and by the letter of the text: how far are such runs from those of our reading?"""

    name: ClassVar[str] = "control"
    grows: ClassVar[float] = 0.5
    lists: ClassVar[tuple[str, ...]] = ("boards", "methods", "beside")
    ONLY: ClassVar[dict[str, tuple[str, ...]]] = {"letter": ("connect4", "othello")}
    """Games of a scale that is not run in all."""

    beside: tuple[Scale, ...] = Field(("laptop", "letter"), min_length=1, description="scales that it is compared with")
    methods: tuple[str, ...] = Field(("baseline", "wrora"), min_length=1, description="enhancements, and Baseline")
    runs: int = Field(3, ge=1, le=1000, description="runs of each kind (seeds 0, 1, ...)")

    @classmethod
    def smoke(cls) -> dict[str, Any]:
        return {"boards": ("connect4",), "beside": ("smoke",)}

    @property
    def scales(self) -> list[str]:
        """The preset, and those beside it."""
        return list(dict.fromkeys((self.preset, *self.beside)))

    def cells(self) -> Cells:
        for seed, board, scale, method in product(self.seeds, self.boards, self.scales, self.methods):
            if board not in self.ONLY.get(scale, self.boards):
                continue
            labels = {"board": board, "kind": f"{method} {scale}", "method": method, "seed": seed, "scale": scale}
            yield labels, preset(scale, game=board, method=method, seed=seed, **self.on_device)


class IPrime(Runs):
    """Fig. 6.1: the number of iterations with a warm start, for each enhancement."""

    name: ClassVar[str] = "iprime"
    lists: ClassVar[tuple[str, ...]] = ("boards", "methods", "lengths")

    boards: tuple[str, ...] = Field(("connect4",), min_length=1, description="games learned")
    methods: tuple[str, ...] = Field(ENHANCEMENTS, min_length=1, description="enhancements, a panel each")
    lengths: tuple[int, ...] = Field((1, 3, 5, 7, 9), min_length=1, description="I': iterations of the warm start")

    @classmethod
    def smoke(cls) -> dict[str, Any]:
        return {"methods": ("wrora",), "lengths": (1, 2)}

    @field_validator("lengths")
    @classmethod
    def _different_lengths(cls, lengths: tuple[int, ...]) -> tuple[int, ...]:
        return no_twice("lengths", lengths)

    def cells(self) -> Cells:
        for board, seed in product(self.boards, self.seeds):
            labels = {"board": board, "kind": "baseline", "method": "baseline", "seed": seed, "length": 0}
            yield labels, self.run(board, "baseline", seed)
            for method, length in product(self.methods, self.lengths):
                labels = {
                    "board": board,
                    "kind": f"{method} {length}",
                    "method": method,
                    "seed": seed,
                    "length": length,
                }
                yield labels, self.run(board, method, seed, warm_iterations=length)

    def pools(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for board, panel in product(self.boards, self.methods):
            entrants = {"random": ANCHORS["random"]}
            for labels, run in self.cells():
                if labels["board"] == board and labels["method"] in (panel, "baseline"):
                    entrants[f"{labels['kind']}-{labels['seed']}"] = self.entrant(run)
            yield board, panel, entrants


class AdaptiveVsFixed(Runs):
    """Fig. 6.3: Baseline, the enhancements with fixed I' = 5, and with the adaptive switch."""

    name: ClassVar[str] = "adaptive_vs_fixed"

    boards: tuple[str, ...] = Field(("connect4", "othello"), min_length=1, description="games learned")
    methods: tuple[str, ...] = Field(ENHANCEMENTS, min_length=1, description="enhancements")

    @classmethod
    def smoke(cls) -> dict[str, Any]:
        return {"boards": ("connect4",), "methods": ("wrora",)}

    def cells(self) -> Cells:
        for board, seed in product(self.boards, self.seeds):
            labels = {"board": board, "kind": "baseline", "method": "baseline", "seed": seed, "switch": "none"}
            yield labels, self.run(board, "baseline", seed)
            for method, switch in product(self.methods, ("fixed", "adaptive")):
                labels = {
                    "board": board,
                    "kind": f"{method} {switch}",
                    "method": method,
                    "seed": seed,
                    "switch": switch,
                }
                yield labels, self.run(board, method, seed, switch=switch)


class Adaptive(WithNetworks):
    """Table 6.2 and Fig. 6.2: when adaptive warm starts end, and the balances until then."""

    name: ClassVar[str] = "adaptive"
    tables: ClassVar[tuple[str, ...]] = ("balances",)

    preset: Literal["full", "smoke"] = Field("full", description="full: the source's scale; smoke: seconds")
    boards: tuple[str, ...] = Field(("gobang", "connect4", "othello"), min_length=1, description="games learned")
    methods: tuple[str, ...] = Field(ENHANCEMENTS, min_length=1, description="enhancements")
    runs: int = Field(8, ge=1, le=1000, description="runs of each kind (seeds 0, 1, ...)")
    first_seed: int = Field(0, ge=0, description=FIRST_SEED)
    most: int = Field(100, ge=1, le=10_000, description="I: iterations after which a run is given up")
    presets: tuple[str, ...] = Field(("table",), min_length=1, description="presets of the runs")
    compute: bool = Field(True, description=COMPUTE)

    def __init__(self, **values: Any) -> None:
        values = {name: split(v) if name in ("boards", "methods", "presets") else v for name, v in values.items()}
        if values.get("preset") == "smoke":
            values = smaller(type(self), values, {"runs": 2, "most": 2, "presets": ("smoke",)})
        super().__init__(**values)

    @model_validator(mode="after")
    def _once(self) -> Self:
        for name in ("boards", "methods", "presets"):
            no_twice(name, getattr(self, name))
        return self

    @property
    def seeds(self) -> range:
        """The seeds of each kind's runs."""
        return range(self.first_seed, self.first_seed + self.runs)

    def grown(self) -> Self:
        """This experiment with more runs of each kind than the usual number, where more are published or stored."""
        return grown(self, 0.0)

    def run_units(self) -> Asked:
        """Every run with its labels."""
        return self.asked()

    def kinds(self, board: str) -> Mapping[str, dict[str, Any]]:
        """What is run in a game: each enhancement, RAVE also by Q_rave, Gobang with both numbers of simulations."""
        kinds: dict[str, dict[str, Any]] = {}
        for method in self.methods:
            kinds[method] = {"method": method}
            if method == "rave":
                kinds["rave by Q_rave"] = {"method": method, "policy": "q_rave"}
        return kinds

    def budgets(self, board: str) -> tuple[int, ...]:
        """Simulations a move: Gobang's published column is with 200."""
        if self.preset == "smoke":
            return (8,)
        return (100, 200) if board == "gobang" else (100,)

    def asked(self) -> Asked:
        """Every run up to its switch, the first seeds of all kinds first."""
        asked: Asked = []
        for scale, seed, board in product(self.presets, self.seeds, self.boards):
            for m, (kind, changes) in product(self.budgets(board), self.kinds(board).items()):
                run = preset(
                    scale, game=board, seed=seed, switch="adaptive", **changes, simulations=m, **self.on_device
                )
                labels = {"part": "switch", "board": board, "kind": kind, "method": changes["method"], "seed": seed}
                asked.append((SwitchUnit(run=run, most=self.most), {**labels, "simulations": m, "scale": scale}))
        return asked


class Beyond(Runs):
    """What the outlook of the sources asks for, at pilot scale: other warm starts, weights, choices of the loop."""

    name: ClassVar[str] = "beyond"
    grows: ClassVar[float] = 0.5

    preset: Scale = Field("laptop", description="scale of a run")  # type: ignore[assignment]
    boards: tuple[str, ...] = Field(("connect4", "othello"), min_length=1, description="games learned")
    runs: int = Field(2, ge=1, le=1000, description="runs of each kind (seeds 0, 1, ...)")
    iterations: int = Field(30, ge=1, le=10_000, description="I: iterations of a run")
    methods: tuple[str, ...] = Field(("baseline", "wrora"), min_length=1, description="kinds without a change")

    @classmethod
    def smoke(cls) -> dict[str, Any]:
        return {"boards": ("connect4",), "runs": 1}

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

    def cells(self) -> Cells:
        kinds: dict[str, tuple[str, dict[str, Any]]] = {method: (method, {}) for method in self.methods}
        kinds |= self.CHANGES
        for seed, board in product(self.seeds, (*self.boards, self.LARGER)):
            for kind, (method, changes) in kinds.items():
                if board == self.LARGER and changes:
                    continue
                if self.preset == "smoke":
                    changes = {name: value for name, value in changes.items() if name != "epochs"}
                yield (
                    {"board": board, "kind": kind, "method": method, "seed": seed},
                    self.run(board, method, seed, **changes),
                )

    def pools(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for board in (*self.boards, self.LARGER):
            yield board, self.pool, {**ANCHORS, **self.final_networks(board)}
