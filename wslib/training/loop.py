"""The training loop: self-play, training, arena (thesis Alg. 3, 5 and 6), with a warm start and its two switches.

A run is a chain of states; :func:`advance` makes the next from the one before and the settings, so a run can be stopped
after any iteration and resumed with the same bytes. Files, clocks and processes are somebody else's.

Sign convention: an example's ``z`` is the game's result for the player to move in it.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from wslib._compiled import stream
from wslib.games import Game, game
from wslib.network.fit import Memory, fit
from wslib.network.kernels import cross_entropy, squared_error
from wslib.network.model import Network, pick_device
from wslib.network.runtime import CompiledNetwork, TorchNetwork
from wslib.play.matches import Table, random_opening
from wslib.play.players import GuidedSeat, Seat, sit
from wslib.search.guided import Evaluator, GuidedSearch
from wslib.training.settings import RunSettings, weight_of


@dataclass(frozen=True)
class Examples:
    """Positions of self-play, in the order of games and plies."""

    own: np.ndarray
    opp: np.ndarray
    """(n,) uint64, as is ``own``: the states."""
    policy: np.ndarray
    """(n, actions) float32: what the policy is to learn."""
    z: np.ndarray
    """(n,) int8: the game's result for the player to move."""
    game: np.ndarray
    ply: np.ndarray
    """(n,) int16, as is ``game``: where a position comes from."""

    FIELDS: ClassVar[tuple[str, ...]] = ("own", "opp", "policy", "z", "game", "ply")

    def __len__(self) -> int:
        return len(self.own)


@dataclass(frozen=True)
class RunState:
    """A run after some iterations: all that the next one depends on.

    ``examples`` has an entry for each of the latest iterations, the oldest first, as many as are trained on.
    """

    network: Network
    iteration: int = 0
    switched: bool = False
    examples: tuple[Examples, ...] = ()
    optimiser: Memory = field(default_factory=dict)


def start(settings: RunSettings) -> RunState:
    """A run before its first iteration: a network with random weights."""
    pick_device(settings.device)  # that it is here, before any work
    return RunState(Network(settings.network, seed=int(stream(settings.seed, "weights")) >> 1))


def advance(settings: RunSettings, state: RunState,
            clock: Callable[[str], None] = lambda stage: None) -> tuple[RunState, dict[str, Any]]:  # fmt: skip
    """One iteration; returns the next state and what there is to tell of it. ``clock`` hears when a stage ends."""
    pick_device(settings.device)  # that it is here, before any work
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


def is_warm(settings: RunSettings, state: RunState) -> bool:
    """Whether the next iteration still belongs to the warm start."""
    if settings.switch == "fixed":
        assert settings.warm_iterations is not None
        return state.iteration < settings.warm_iterations
    return settings.switch == "adaptive" and not state.switched


def evaluator_of(settings: Any, network: Network) -> Evaluator:
    """The network as searches ask it, by the settings' ``runtime``, ``device`` and ``precision``."""
    if settings.runtime == "torch":
        return TorchNetwork(network, settings.device, settings.precision)
    return CompiledNetwork(network)


def self_play(settings: RunSettings, state: RunState) -> SelfPlay:
    """Stage 1: the games of an iteration, played side by side at one table.

    In a fixed warm start the enhanced search plays both sides, after it the default search does. Until an adaptive
    switch the two play each other, and the balance (games won minus lost by the default search) decides on the switch.
    """
    board, iteration = game(settings.game), state.iteration + 1
    evaluator = evaluator_of(settings, state.network)
    warm = is_warm(settings, state)
    names = ["default"] if not warm else ["warm"] if settings.switch == "fixed" else ["warm", "default"]
    table = Table(board, [board.start()] * settings.episodes)
    seats = {name: _seat(settings, name, board, evaluator, iteration) for name in names}
    first = np.zeros(settings.episodes, int)
    if len(seats) == 2:  # each has the first move in half of the games (Alg. 6, lines 6 to 11)
        first = np.repeat([0, 1], settings.episodes // 2)
    examples = recorded(table, [seats[names[0]], seats[names[-1]]], first)
    results = table.first_player_result
    balance = int(np.sum(np.where(first == 1, results, -results))) if len(seats) == 2 else None
    priors, values = evaluator.evaluate(board.planes(examples.own, examples.opp))
    searches = [seat.search for seat in seats.values() if isinstance(seat, GuidedSeat)]
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
        "policy_entropy": cross_entropy(examples.policy, examples.policy),
        "fresh_value_loss": squared_error(values, examples.z),
        "fresh_policy_loss": cross_entropy(examples.policy, priors),
        "a_game": table.move_lists()[0],
        "evaluations": sum(s.evaluations for s in searches),
        "leaves": sum(s.leaves for s in searches),
    }
    return SelfPlay(_with_targets(settings, examples, table), table.move_lists(), told)


def _seat(settings: RunSettings, name: str, board: Game, evaluator: Evaluator, iteration: int) -> Seat:
    """The seat of the enhancement ("warm") or of the default search at all games of an iteration, a stream for each."""
    labels = (settings.seed, "selfplay", iteration, name)
    streams = np.array([stream(*labels, episode) for episode in range(settings.episodes)])
    if name == "warm" and settings.method == "rhea":
        return sit(settings.rhea, board, streams, np.zeros(settings.episodes))
    search = settings.warm_search(iteration) if name == "warm" else settings.default_search
    return GuidedSeat(GuidedSearch(board, search, evaluator, streams), settings.sampled_plies)


def recorded(table: Table, seats: Sequence[Seat], first: np.ndarray) -> Examples:
    """All games of a table, played out: what was seen and done in them, in the order of games and plies."""
    seen: list[tuple[np.ndarray, ...]] = []

    def note(seat: Seat, games: np.ndarray, actions: np.ndarray) -> None:
        # A player without policies (RHEA) is certain of its moves.
        policies = seat.policies if isinstance(seat, GuidedSeat) else np.eye(table.game.actions)[actions]
        seen.append((table.own[games], table.opp[games], policies, games, table.plies[games]))

    table.play(seats, first, note)
    own, opp, policy, games, plies = (np.concatenate(parts) for parts in zip(*seen, strict=True))
    order = np.lexsort((plies, games))
    # The player to move at an even ply is the one who moved first.
    z = table.first_player_result[games] * np.where(plies % 2 == 0, 1, -1)
    kinds = (np.uint64, np.uint64, np.float32, np.int8, np.int16, np.int16)
    columns = (own, opp, policy, z, games, plies)
    return Examples(*(column[order].astype(kind) for column, kind in zip(columns, kinds, strict=True)))


def _with_targets(settings: RunSettings, examples: Examples, table: Table) -> Examples:
    """The examples with what the policy is to learn: the search's distribution, or the move that was played."""
    if settings.targets == "distribution":
        return examples
    certain = np.eye(table.game.actions, dtype=np.float32)[table.moves[examples.game, examples.ply]]
    first = settings.sampled_plies if settings.targets == "late" else 0
    return replace(examples, policy=np.where((examples.ply >= first)[:, None], certain, examples.policy))


def compete(settings: RunSettings, new: Network, old: Network, iteration: int) -> tuple[bool, dict[str, Any]]:
    """Stage 3: new against old network, both with the default search and its best move; whether the new one is kept."""
    board, games = game(settings.game), settings.arena_games
    labels = int(stream(settings.seed, "arena", iteration)) >> 1
    openings = [random_opening(board, settings.arena_plies, labels, number // 2) for number in range(games)]
    first = np.arange(games) % 2  # the seat that has the first player's colour
    together = np.arange(games)[None]
    if settings.arena_trees == "match":
        # One game after the other, the author's way: first those in which the new network begins.
        together = np.argsort(first, kind="stable")[:, None]
    seats = []
    for name, network in (("new", new), ("old", old)):
        labelled = (settings.seed, "arena", iteration, name)
        streams = np.array([stream(*labelled, number) for number in range(together.shape[1])])
        search = GuidedSearch(board, settings.arena_search, evaluator_of(settings, network), streams)
        seats.append(GuidedSeat(search))
    results = np.empty(games, int)
    for numbers in together:
        table = Table(board, [openings[number] for number in numbers])
        table.play(seats, first[numbers])
        results[numbers] = table.first_player_result
    results *= np.where(first == 0, 1, -1)
    wins, draws, losses = (int(np.sum(results == r)) for r in (1, 0, -1))
    told = {"arena_wins": wins, "arena_draws": draws, "arena_losses": losses}
    return _is_better(settings, wins, losses), told


def _is_better(settings: RunSettings, wins: int, losses: int) -> bool:
    """Whether so many games won and lost open the gate.

    By default the share of the decided games counts (``undecided`` says what if all are drawn); to the letter of the
    text, the share of all games. Quotients are compared, because in binary 0.56 * 25 is above 14.
    """
    if settings.gate == "all":
        return wins / settings.arena_games > settings.threshold
    decided = wins + losses
    return wins / decided >= settings.threshold if decided else settings.undecided == "accept"
