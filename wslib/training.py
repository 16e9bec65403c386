"""The training loop: self-play, training, arena (thesis Alg. 3, 5 and 6), with a warm start and its two switches.

A run is a chain of states; :func:`advance` makes the next from the one before and the settings, so a run can be stopped
after any iteration and resumed with the same bytes. Files, clocks and processes are somebody else's.

Sign convention: an example's ``z`` is the game's result for the player to move in it.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from pydantic import Field, field_validator, model_validator

from wslib._compiled import stream
from wslib.fitting import FitSettings, fit
from wslib.games import Game, game
from wslib.network import Network, NetworkSettings
from wslib.parameters import ParameterError
from wslib.play.match import Table, random_opening
from wslib.play.players import Seat, sit
from wslib.rhea import RheaSettings
from wslib.runtime import CompiledNetwork
from wslib.search.guided import Evaluator, GuidedSearch
from wslib.search.settings import GUIDED, GuidedSettings

KEPT = (1, 2, 5, 10, 20, 30, 50, 70, 100)
"""Iterations whose networks are kept."""


class RunSettings(FitSettings):
    """One training run; the defaults are those of Table 5.2, with the compact network.

    >>> RunSettings(game="connect4", method="wrora").warm_iterations
    5
    """

    game: str = Field(description="the game, as in 'othello-6x6'")
    method: Literal["baseline", "rollout", "rave", "rora", "wro", "wrora", "rhea"] = Field(
        "baseline", description="who plays the warm start; 'baseline' has none"
    )
    switch: Literal["fixed", "adaptive"] | None = Field(None, description="how the warm start ends (default: fixed)")
    warm_iterations: int | None = Field(None, ge=1, description="I': iterations of a fixed warm start (default: 5)")
    weight: Literal["published", "shifted", "half"] | None = Field(
        None, description="WRo, WRoRa: w = 1 - i/I' or 1/i; fixed with i from 1; or 1/2 throughout"
    )
    seed: int = Field(0, ge=0, description="seed of all random streams")
    shape: Literal["author", "residual", "dense"] = Field("author", description="kind of network")
    channels: int = Field(32, ge=1, le=1024, description="C: channels of the network")
    hidden: tuple[int, ...] = Field((256, 128), description="widths of its fully connected layers")
    blocks: int | None = Field(None, ge=0, le=40, description="residual blocks (residual and dense; default: 2)")
    dropout: float = Field(0.3, ge=0, lt=1, description="d: dropout")
    episodes: int = Field(50, ge=2, multiple_of=2, description="E: self-play games per iteration")
    sampled_plies: int = Field(15, ge=0, description="T': plies in which the move is drawn from the policy")
    simulations: int = Field(100, ge=2, description="m: simulations per move")
    c: float = Field(1.0, ge=0, description="c: weight of exploration")
    noise: float = Field(0.0, ge=0, le=1, description="share of Dirichlet noise at self-play's roots")
    policy: Literal["visits", "q", "q_rave"] = Field("visits", description="what the warm start's policy goes by")
    retrained: int = Field(20, ge=1, description="rs: iterations whose examples are trained on")
    gating: bool = Field(True, description="whether a new network must win the arena")
    threshold: float = Field(0.6, ge=0, le=1, description="u: share of decided arena games that a new network must win")
    undecided: Literal["reject", "accept"] = Field("reject", description="when no game of the arena is decided")
    arena_games: int = Field(40, ge=2, multiple_of=2, description="n: games of the arena")
    arena_plies: int = Field(4, ge=0, description="random plies that open the arena's games, each with both colours")

    @field_validator("game")
    @classmethod
    def _full_name(cls, name: str) -> str:
        return game(name).id

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, values: Any) -> Any:
        """What acts gets its default; what cannot act stays null."""
        values = dict(values)
        if values.get("method", "baseline") != "baseline":
            values["switch"] = values.get("switch") or "fixed"
            if values["switch"] == "fixed" and values.get("warm_iterations") is None:
                values["warm_iterations"] = 5
        if values.get("method") in ("wro", "wrora") and values.get("weight") is None:
            values["weight"] = "published"
        if values.get("shape", "author") != "author" and values.get("blocks") is None:
            values["blocks"] = 2
        return values

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.method == "baseline" and (self.switch or self.warm_iterations):
            raise ValueError("switch and warm_iterations belong to a warm start: method 'baseline' has none")
        if self.switch == "adaptive" and self.warm_iterations:
            raise ValueError("warm_iterations (I') belongs to switch 'fixed': an adaptive switch finds it")
        if self.weight and self.method not in ("wro", "wrora"):
            raise ValueError(f"weight belongs to 'wro' and 'wrora': method {self.method!r} mixes nothing")
        if self.weight == "shifted" and self.switch == "adaptive":
            raise ValueError("weight 'shifted' belongs to switch 'fixed': adaptive weights count from 1 anyway")
        if self.policy == "q_rave" and not (self.method in GUIDED and GUIDED[self.method].rave):
            raise ValueError(f"policy 'q_rave' needs a method with RAVE, not {self.method!r}")
        if self.policy != "visits" and self.method in ("baseline", "rhea"):
            raise ValueError(f"policy belongs to a warm start that searches a tree: {self.method!r} does not")
        _ = self.network  # has rules of its own
        return self

    @property
    def network(self) -> NetworkSettings:
        """The shape of the run's network."""
        return NetworkSettings(game=self.game, shape=self.shape, channels=self.channels, hidden=self.hidden,
                               blocks=self.blocks or 0, dropout=self.dropout)  # fmt: skip

    def canonical(self) -> dict[str, Any]:
        """Without gating nothing of the arena acts, and what the method or the shape does not use is null too."""
        unused = [] if self.gating else ["threshold", "undecided", "arena_games", "arena_plies"]
        unused += ["policy"] if self.method in ("baseline", "rhea") else []
        unused += ["blocks"] if self.shape == "author" else []
        unused += [] if self.hidden else ["dropout"]
        return super().canonical() | dict.fromkeys(unused)


PRESETS: dict[str, dict[str, Any]] = {
    "smoke": {"episodes": 4, "simulations": 8, "epochs": 1, "channels": 4, "hidden": (8,), "arena_games": 4},
    "laptop": {"epochs": 1},
    "table": {},
    "paper": {"channels": 256, "hidden": (1024, 512), "symmetries": "all"},
}
"""smoke: seconds, to see that all works. laptop: Table 5.2 with the compact network, one symmetry drawn per sample, and
1 epoch instead of 10, because 10 make up most of a run's time and over-fit the outcomes. table: every value of Table
5.2, with the compact network and one symmetry. paper: the network of the author's code, all symmetries; for a GPU."""


def preset(name: str, **changes: Any) -> RunSettings:
    """Settings of a preset with some of them changed.

    >>> preset("laptop", game="othello", method="rave", seed=3).epochs
    1
    """
    if name not in PRESETS:
        raise ParameterError(f"there is no preset {name!r}: the presets are {', '.join(PRESETS)}")
    return RunSettings(**{**PRESETS[name], **changes})


@dataclass(frozen=True)
class Examples:
    """Positions of self-play: the state, the policy, the outcome for its mover; which game and ply it is from."""

    own: np.ndarray
    opp: np.ndarray
    policy: np.ndarray
    z: np.ndarray
    game: np.ndarray
    ply: np.ndarray

    FIELDS: ClassVar[tuple[str, ...]] = ("own", "opp", "policy", "z", "game", "ply")

    def __len__(self) -> int:
        return len(self.own)


@dataclass(frozen=True)
class RunState:
    """A run after some iterations: all that the next one depends on."""

    network: Network
    iteration: int = 0
    switched: bool = False
    examples: tuple[Examples, ...] = ()
    optimiser: dict[str, torch.Tensor] = field(default_factory=dict)


def start(settings: RunSettings) -> RunState:
    """A run before its first iteration: a network with random weights."""
    return RunState(Network(settings.network, seed=int(stream(settings.seed, "weights")) >> 1))


def advance(settings: RunSettings, state: RunState,
            clock: Callable[[str], None] = lambda stage: None) -> tuple[RunState, dict[str, Any]]:  # fmt: skip
    """One iteration; returns the next state and what there is to tell of it. ``clock`` hears when a stage ends."""
    iteration = state.iteration + 1
    played = self_play(settings, state)
    clock("self-play")
    examples = (*state.examples, played.examples)[-settings.retrained :]
    candidate = deepcopy(state.network)
    fitted = fit(candidate, settings, examples, (settings.seed, "fit", iteration), state.optimiser)
    clock("training")
    told = {"iteration": iteration, **played.told, **fitted.told}
    accepted = True
    if settings.gating:
        accepted, arena = compete(settings, candidate, state.network, iteration)
        told |= arena
    clock("arena")
    told["accepted"] = accepted
    network = candidate if accepted else state.network
    optimiser = fitted.optimiser if accepted else state.optimiser
    return RunState(network, iteration, state.switched or told["switch"], examples, optimiser), told


@dataclass(frozen=True)
class SelfPlay:
    """The games of one iteration: examples, and what there is to tell."""

    examples: Examples
    moves: tuple[str, ...]
    told: dict[str, Any]


class _LearningSeat:
    """A player of self-play: its first plies are drawn from the policy, and all it sees is written down."""

    def __init__(self, search: GuidedSearch, sampled_plies: int):
        self.search, self.sampled_plies = search, sampled_plies
        self.table: Table | None = None
        self.seen: list[tuple[np.ndarray, ...]] = []

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        assert self.table is not None
        plies = self.table.plies[games]
        self.search.run(games, own, opp)
        actions, policies = self.search.decide(games, own, opp, plies < self.sampled_plies)
        self.seen.append((games.copy(), plies.copy(), own.copy(), opp.copy(), policies.astype(np.float32)))
        return actions


class _WatchedSeat:
    """A player without policies (RHEA): its moves are written down as certain."""

    def __init__(self, seat: Seat, actions: int):
        self.seat, self.actions = seat, actions
        self.table: Table | None = None
        self.seen: list[tuple[np.ndarray, ...]] = []

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        assert self.table is not None
        actions = self.seat.choose(games, own, opp)
        certain = np.eye(self.actions, dtype=np.float32)[actions]
        self.seen.append((games.copy(), self.table.plies[games].copy(), own.copy(), opp.copy(), certain))
        return actions


def weight_of(settings: RunSettings, iteration: int) -> float | None:
    """w of WRo and WRoRa in an iteration (from 1): eq. 5.7 counts from 0, chapter 6 takes 1/i."""
    if settings.weight is None:
        return None
    if settings.weight == "half":
        return 0.5
    if settings.switch == "adaptive":
        return 1.0 / iteration
    assert settings.warm_iterations is not None
    counted = iteration - 1 if settings.weight == "published" else iteration
    return max(0.0, 1.0 - counted / settings.warm_iterations)


def is_warm(settings: RunSettings, state: RunState) -> bool:
    """Whether the next iteration still belongs to the warm start."""
    if settings.switch == "fixed":
        assert settings.warm_iterations is not None
        return state.iteration < settings.warm_iterations
    return settings.switch == "adaptive" and not state.switched


def self_play(settings: RunSettings, state: RunState) -> SelfPlay:
    """Stage 1. Until an adaptive switch, an iteration is a match of the enhancement against the default search."""
    board, iteration = game(settings.game), state.iteration + 1
    evaluator = CompiledNetwork(state.network)
    warm = is_warm(settings, state)
    names = ["default"] if not warm else ["warm"] if settings.switch == "fixed" else ["warm", "default"]
    table = Table(board, [board.start()] * settings.episodes)
    seats = {name: _seat(settings, name, board, evaluator, iteration) for name in names}
    for seat in seats.values():
        seat.table = table
    if len(seats) == 2:  # each has the first move in half of the games (Alg. 6, lines 6 to 11)
        first = np.repeat([0, 1], settings.episodes // 2)
        table.play([seats["warm"], seats["default"]], first)
    else:
        first = np.zeros(settings.episodes, int)
        table.play([seats[names[0]]] * 2, first)
    examples = _examples(table, [seen for seat in seats.values() for seen in seat.seen])
    results = table.first_player_result
    balance = None
    if len(seats) == 2:
        balance = int(np.sum(np.where(first == 1, results, -results)))
    priors, values = evaluator.evaluate(board.planes(examples.own, examples.opp))
    searches = [seat.search for seat in seats.values() if isinstance(seat, _LearningSeat)]
    told = {
        "phase": settings.method if warm else "baseline",
        "weight": weight_of(settings, iteration) if warm else None,
        "balance": balance,
        "switch": balance is not None and balance > 0,
        "examples": len(examples),
        "plies_mean": float(table.plies.mean()),
        "first_wins": int(np.sum(results == 1)),
        "draws": int(np.sum(results == 0)),
        "first_losses": int(np.sum(results == -1)),
        "distinct": len(set(table.move_lists())),
        "policy_entropy": float(-np.sum(examples.policy * np.log(np.maximum(examples.policy, 1e-12)), axis=1).mean()),
        "fresh_value_loss": float(np.mean((values - examples.z) ** 2)),
        "fresh_policy_loss": float(-np.sum(examples.policy * np.log(np.maximum(priors, 1e-12)), axis=1).mean()),
        "a_game": table.move_lists()[0],
        "evaluations": sum(s.evaluations for s in searches),
        "leaves": sum(s.leaves for s in searches),
    }
    return SelfPlay(examples, table.move_lists(), told)


def _seat(settings: RunSettings, name: str, board: Game, evaluator: Evaluator,
          iteration: int) -> _LearningSeat | _WatchedSeat:  # fmt: skip
    """The seat of the enhancement ("warm") or of the default search at all games of an iteration."""
    labels = (settings.seed, "selfplay", iteration, name)
    streams = np.array([stream(*labels, episode) for episode in range(settings.episodes)])
    if name == "warm" and settings.method == "rhea":
        rhea = RheaSettings(rollouts=settings.simulations)
        return _WatchedSeat(sit(rhea, board, streams, np.zeros(settings.episodes)), board.actions)
    common = {"simulations": settings.simulations, "c": settings.c, "noise": settings.noise}
    if name == "warm":
        weight = weight_of(settings, iteration)
        search = GuidedSettings(method=settings.method, policy=settings.policy, weight=weight, **common)
    else:
        search = GuidedSettings(**common)
    return _LearningSeat(GuidedSearch(board, search, evaluator, streams), settings.sampled_plies)


def _examples(table: Table, seen: list[tuple[np.ndarray, ...]]) -> Examples:
    """What the seats have written down, in the order of games and plies, with the outcomes."""
    games, plies, own, opp, policy = (np.concatenate(parts) for parts in zip(*seen, strict=True))
    order = np.lexsort((plies, games))
    # The player to move at an even ply is the one who moved first.
    z = table.first_player_result[games] * np.where(plies % 2 == 0, 1, -1)
    kinds = (np.uint64, np.uint64, np.float32, np.int8, np.int16, np.int16)
    columns = (own, opp, policy, z, games, plies)
    return Examples(*(column[order].astype(kind) for column, kind in zip(columns, kinds, strict=True)))


def compete(settings: RunSettings, new: Network, old: Network, iteration: int) -> tuple[bool, dict[str, Any]]:
    """Stage 3: new against old network, both with the default search and its best move; whether the new one is kept."""
    board, games = game(settings.game), settings.arena_games
    labels = int(stream(settings.seed, "arena", iteration)) >> 1
    openings = [random_opening(board, settings.arena_plies, labels, number // 2) for number in range(games)]
    table = Table(board, openings)
    search = GuidedSettings(simulations=settings.simulations, c=settings.c)
    seats = []
    for name, network in (("new", new), ("old", old)):
        streams = np.array([stream(settings.seed, "arena", iteration, name, number) for number in range(games)])
        seat = _LearningSeat(GuidedSearch(board, search, CompiledNetwork(network), streams), sampled_plies=0)
        seat.table = table
        seats.append(seat)
    first = np.arange(games) % 2  # the seat that has the first player's colour
    table.play(seats, first)
    results = table.first_player_result * np.where(first == 0, 1, -1)
    wins, draws, losses = (int(np.sum(results == r)) for r in (1, 0, -1))
    decided = wins + losses
    # The quotient, for 0.56 * 25 is above 14.
    accepted = wins / decided >= settings.threshold if decided else settings.undecided == "accept"
    told = {"arena_wins": wins, "arena_draws": draws, "arena_losses": losses}
    return accepted, told
