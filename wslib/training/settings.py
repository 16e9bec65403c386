"""What a training run can be told: the values of Table 5.2, and the readings of the thesis' text.

Everything here is plain values; :mod:`wslib.training.loop` does what they say.
"""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from wslib.games import game
from wslib.games.position import GameName
from wslib.network.settings import FitSettings, NetworkSettings
from wslib.parameters import ParameterError
from wslib.rhea import RheaSettings
from wslib.search.methods import GUIDED, mixing, with_rave
from wslib.search.settings import RAVE_OPTIONS, GuidedSettings, known_method

Schedule = Literal["published", "shifted", "half", "inverse", "linear"]
WITHOUT_POLICY = ("baseline", "rhea")
"""Methods whose warm start searches no tree, or that have none."""
RHEA_OPTIONS = ("horizon", "population", "mutation", "rollouts_per_individual", "illegal")
_RAVE_USUAL = {"amaf": "path", "amaf_players": "own", "beta": "state"}
_RHEA_USUAL = {name: RheaSettings.model_fields[name].default for name in RHEA_OPTIONS}
_ARENA = ("threshold", "gate", "undecided", "arena_games", "arena_plies", "arena_trees")


class RunSettings(FitSettings):
    """One training run; the defaults are those of Table 5.2, with the compact network.

    >>> RunSettings(game="connect4", method="wrora").warm_iterations
    5
    """

    learns: ClassVar[bool] = True
    later: ClassVar[dict[str, Any]] = {
        **FitSettings.later, **_RAVE_USUAL, **_RHEA_USUAL, "equivalence": None, "weight_iterations": None,
        "weights": None, "runtime": "compiled", "tree": "kept", "ties": "random", "cache": True, "noise_alpha": 1.0,
        "default_policy": "visits", "targets": "distribution", "gate": "decided", "arena_trees": "game",
        "measure_every": 0, "measure_positions": 0,
    }  # fmt: skip

    game: GameName = Field(description="the game, as in 'othello-6x6'")
    method: str = Field("baseline", description="who plays the warm start; 'baseline' has none")
    switch: Literal["fixed", "adaptive"] | None = Field(None, description="how the warm start ends (default: fixed)")
    warm_iterations: int | None = Field(None, ge=1, description="I': iterations of a fixed warm start (default: 5)")
    weight: Schedule | float | None = Field(
        None,
        description="WRo, WRoRa: w = 1 - i/I' or (adaptive) 1/i; fixed with i from 1; 1/2 throughout; 1/i; "
        "linear to 0 over weight_iterations; or a number",
    )
    weight_iterations: int | None = Field(None, ge=1, description="weight 'linear': iterations until w is 0")
    weights: tuple[Annotated[float, Field(ge=0, le=1)], ...] | None = Field(
        None, min_length=1, description="WRo, WRoRa: w of each iteration, in place of weight; the last one holds"
    )
    amaf: Literal["path", "path+rollout"] | None = Field(None, description="RAVE: moves that count as played")
    amaf_players: Literal["own", "both", "first"] | None = Field(
        None, description="RAVE: whose moves count: one's own, also the opponent's, or who used an action first"
    )
    beta: Literal["state", "action"] | None = Field(None, description="RAVE: N(s,.) or N(s,a) in eq. 5.4")
    equivalence: float | None = Field(None, gt=0, description="RAVE: equivalence in eq. 5.4, m unless given")
    horizon: int | None = Field(None, description="RHEA: own actions in a sequence")
    population: int | None = Field(None, description="RHEA: sequences kept")
    mutation: float | None = Field(None, description="RHEA: chance of an action of a copy to be drawn anew")
    rollouts_per_individual: int | None = Field(None, description="RHEA: rollouts for an individual's fitness")
    illegal: Literal["repair", "random"] | None = Field(None, description="RHEA: what genes stand for where illegal")
    seed: int = Field(0, ge=0, description="seed of all random streams")
    shape: Literal["author", "residual", "dense"] = Field("author", description="kind of network")
    channels: int = Field(32, ge=1, le=1024, description="C: channels of the network")
    hidden: tuple[int, ...] = Field((256, 128), description="widths of its fully connected layers")
    blocks: int | None = Field(None, ge=0, le=40, description="residual blocks (residual and dense; default: 2)")
    dropout: float = Field(0.3, ge=0, lt=1, description="d: dropout")
    runtime: Literal["compiled", "torch"] = Field(
        "compiled",
        description="who evaluates positions, in training and wherever the run's networks play: our kernels on a "
        "processor, or torch on the device (on a GPU torch, unless told otherwise)",
    )
    episodes: int = Field(50, ge=2, multiple_of=2, description="E: self-play games per iteration")
    sampled_plies: int = Field(15, ge=0, description="T': plies in which the move is drawn from the policy")
    simulations: int = Field(100, ge=2, description="m: simulations per move")
    c: float = Field(1.0, ge=0, description="c: weight of exploration")
    noise: float = Field(0.0, ge=0, le=1, description="share of Dirichlet noise at self-play's roots")
    noise_alpha: float = Field(1.0, gt=0, description="parameter of that noise")
    tree: Literal["kept", "fresh"] = Field("kept", description="self-play: a tree for the whole game, or for each move")
    ties: Literal["random", "first"] = Field("random", description="which of equally good actions: any, or the first")
    cache: bool = Field(True, description="share evaluations among the games that are played together")
    policy: Literal["visits", "q", "q_rave"] = Field("visits", description="what the warm start's policy goes by")
    default_policy: Literal["visits", "q"] = Field(
        "visits", description="what the default search's policy goes by, in self-play and arena"
    )
    targets: Literal["distribution", "late", "move"] = Field(
        "distribution",
        description="what the policy learns: pi; the move played after T' plies and pi before (the author's code); "
        "or the move played",
    )
    retrained: int = Field(20, ge=1, description="rs: iterations whose examples are trained on")
    gating: bool = Field(True, description="whether a new network must win the arena")
    threshold: float = Field(0.6, ge=0, le=1, description="u: share of arena games that a new network must win")
    gate: Literal["decided", "all"] = Field(
        "decided", description="wins/(wins + losses) >= u, or wins > u n (the text to the letter)"
    )
    undecided: Literal["reject", "accept"] = Field("reject", description="when no game of the arena is decided")
    arena_games: int = Field(40, ge=2, multiple_of=2, description="n: games of the arena")
    arena_plies: int = Field(4, ge=0, description="random plies that open the arena's games, each with both colours")
    arena_trees: Literal["game", "match"] = Field(
        "game", description="each player's tree in the arena: new for every game, or kept over all (the author's code)"
    )

    measure_every: int = Field(
        0, ge=0, description="iterations from one measurement against perfect play to the next; 0: none"
    )
    measure_positions: int = Field(0, ge=0, description="positions of each set that are measured on; 0 is all")

    @field_validator("method")
    @classmethod
    def _known(cls, method: str) -> str:
        return known_method(method, (*GUIDED, "rhea"))

    @field_validator("weight", mode="before")
    @classmethod
    def _schedule_or_number(cls, weight: Any) -> Any:
        if isinstance(weight, int | float) and not isinstance(weight, bool) and 0 <= weight <= 1:
            return "half" if weight == 0.5 else float(weight)
        if weight is None or weight in get_args(Schedule):
            return weight
        names = ", ".join(map(repr, get_args(Schedule)))
        raise ValueError(f"weight = {weight!r} is not allowed: it should be {names}, or a number from 0 to 1")

    @classmethod
    def completed(cls, values: dict[str, Any]) -> dict[str, Any]:
        """What acts in the method gets its default; what cannot act stays null, so that equal runs have equal ids."""
        values, method, usual = super().completed(values), values.get("method", "baseline"), dict[str, Any]()
        if values.get("runtime") is None and values.get("device") in ("auto", "cuda"):
            usual["runtime"] = "torch" if cls._one_of_the_two(values["device"]) == "cuda" else "compiled"
        if method != "baseline":
            values["switch"] = values.get("switch") or "fixed"
            usual |= {"warm_iterations": 5} if values["switch"] == "fixed" else {}
        if method in mixing() and values.get("weights") is None:
            usual["weight"] = "published"
        if method in with_rave():
            usual |= _RAVE_USUAL
        if method == "rhea":
            usual |= _RHEA_USUAL
        if values.get("shape", "author") != "author":
            usual["blocks"] = 2
        return values | {name: value for name, value in usual.items() if values.get(name) is None}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.method == "baseline" and (self.switch or self.warm_iterations):
            raise ValueError("switch and warm_iterations belong to a warm start: method 'baseline' has none")
        if self.switch == "adaptive" and self.warm_iterations:
            raise ValueError("warm_iterations (I') belongs to switch 'fixed': an adaptive switch finds it")
        if self.policy == "q_rave" and self.method not in with_rave():
            raise ValueError(f"policy 'q_rave' needs a method with RAVE, not {self.method!r}")
        if self.policy != "visits" and self.method in WITHOUT_POLICY:
            raise ValueError(f"policy belongs to a warm start that searches a tree: {self.method!r} does not")
        if self.gate == "all" and self.undecided != "reject":
            raise ValueError("undecided belongs to gate 'decided': gate 'all' asks for more wins than u n of all games")
        if self.arena_plies >= game(self.game).cells:
            raise ValueError(
                f"arena_plies = {self.arena_plies} is not allowed: {game(self.game).title} has 0 to "
                f"{game(self.game).cells - 1}"
            )
        self._check_weights()
        self._check_methods_own()
        _ = self.network, self.rhea  # have rules of their own
        return self

    def _check_weights(self) -> None:
        """A weight is given where there is something to mix, and in one way."""
        for name in ("weight", "weights"):
            if getattr(self, name) is not None and self.method not in mixing():
                owners = " and ".join(map(repr, mixing()))
                raise ValueError(f"{name} belongs to {owners}: method {self.method!r} mixes nothing")
        if self.weights and self.weight is not None:
            raise ValueError("weights stand in place of weight: give one of the two")
        if self.weight in ("shifted", "inverse") and self.switch == "adaptive":
            raise ValueError(f"weight {self.weight!r} belongs to switch 'fixed': adaptive weights count from 1 anyway")
        if (self.weight == "linear") != (self.weight_iterations is not None):
            raise ValueError("weight 'linear' and weight_iterations belong together: w falls to 0 over so many")

    def _check_methods_own(self) -> None:
        """RAVE's options act where there is RAVE, RHEA's where there is RHEA."""
        rave = self.method in with_rave()
        owners = ((RAVE_OPTIONS, "methods with RAVE", rave), (RHEA_OPTIONS, "'rhea'", self.method == "rhea"))
        for names, owner, acts in owners:
            given = [name for name in names if getattr(self, name) is not None]
            if given and not acts:
                raise ValueError(f"{given[0]} belongs to {owner}, not to {self.method!r}")
        if self.amaf == "path+rollout" and "playout" not in GUIDED[self.method].wants:
            raise ValueError(f"amaf 'path+rollout' needs leaves that are played out: {self.method!r} plays none out")

    @property
    def network(self) -> NetworkSettings:
        """The shape of the run's network."""
        return NetworkSettings(game=self.game, shape=self.shape, channels=self.channels, hidden=self.hidden,
                               blocks=self.blocks or 0, dropout=self.dropout)  # fmt: skip

    @property
    def rhea(self) -> RheaSettings | None:
        """The evolution that plays the warm start of method 'rhea'."""
        if self.method != "rhea":
            return None
        return RheaSettings(rollouts=self.simulations, **{name: getattr(self, name) for name in RHEA_OPTIONS})

    @property
    def default_search(self) -> GuidedSettings:
        """The search that plays when no warm start does."""
        return GuidedSettings(policy=self.default_policy, **self._searching)

    def warm_search(self, iteration: int) -> GuidedSettings:
        """The enhanced search of an iteration (from 1)."""
        rave = {name: getattr(self, name) for name in RAVE_OPTIONS}
        return GuidedSettings(
            method=self.method, policy=self.policy, weight=weight_of(self, iteration), **rave, **self._searching
        )

    @property
    def arena_search(self) -> GuidedSettings:
        """The default search without noise, its tree kept for a game at least."""
        return GuidedSettings(
            simulations=self.simulations, c=self.c, policy=self.default_policy, ties=self.ties, cache=self.cache
        )

    @property
    def _searching(self) -> dict[str, Any]:
        """What all searches of self-play have in common."""
        names = ("simulations", "c", "noise", "noise_alpha", "tree", "ties", "cache")
        return {name: getattr(self, name) for name in names}

    def canonical(self) -> dict[str, Any]:
        """Without gating nothing of the arena acts, and what the method or the shape does not use is null too."""
        unused = [] if self.gating else list(_ARENA)
        unused += ["undecided"] if self.gate == "all" else []
        unused += ["policy"] if self.method in WITHOUT_POLICY else []
        unused += ["blocks"] if self.shape == "author" else []
        unused += [] if self.hidden else ["dropout"]
        unused += [] if self.noise else ["noise_alpha"]
        unused += [] if self.measure_every else ["measure_positions"]
        unused += ["equivalence"] if self.equivalence == self.simulations else []
        values = super().canonical()
        if self.weights:
            values["weights"] = self._weights_that_act
        if self.weight == "linear" and self.weight_iterations == self.warm_iterations:
            values["weight"] = "published"
            unused.append("weight_iterations")
        if self.rhea:
            # Its own canonical form knows what cannot act, such as places that no individual fills.
            usual, ours = RheaSettings(rollouts=self.simulations).canonical(), self.rhea.canonical()
            unused += [name for name in RHEA_OPTIONS if ours[name] in (None, usual[name])]
            values |= {name: ours[name] for name in RHEA_OPTIONS}
        values |= dict.fromkeys(unused)
        return {name: value for name, value in values.items() if name not in self.later or value is not None}

    @property
    def _weights_that_act(self) -> tuple[float, ...]:
        """The weights of the warm start, without those at the end that only repeat the one before."""
        weights = list(self.weights or ())[: self.warm_iterations]
        while len(weights) > 1 and weights[-1] == weights[-2]:
            weights.pop()
        return tuple(weights)


def weight_of(settings: RunSettings, iteration: int) -> float | None:
    """w of WRo and WRoRa in an iteration (from 1): eq. 5.7 counts from 0, chapter 6 takes 1/i.

    >>> run = RunSettings(game="connect4", method="wro", weight="linear", weight_iterations=4)
    >>> [weight_of(run, i) for i in range(1, 6)]
    [1.0, 0.75, 0.5, 0.25, 0.0]
    """
    if settings.weights:
        return settings.weights[min(iteration, len(settings.weights)) - 1]
    if settings.weight is None or isinstance(settings.weight, float):
        return settings.weight
    if settings.weight == "half":
        return 0.5
    if settings.weight == "inverse" or (settings.weight == "published" and settings.switch == "adaptive"):
        return 1.0 / iteration
    last = settings.weight_iterations or settings.warm_iterations
    assert last is not None
    counted = iteration if settings.weight == "shifted" else iteration - 1
    return max(0.0, 1.0 - counted / last)


def weights_of(function: Callable[[int], float], iterations: int) -> tuple[float, ...]:
    """The weights of iterations 1, 2, … as a function gives them; the last one holds afterwards.

    >>> run = RunSettings(game="connect4", method="wro", weights=weights_of(lambda i: 1 / 2**i, 3))
    >>> run.weights
    (0.5, 0.25, 0.125)
    """
    if iterations < 1:
        raise ParameterError(f"iterations = {iterations} is not allowed: weights are of 1 iteration or more")
    return tuple(float(function(i)) for i in range(1, iterations + 1))
