"""Who can play: a player's settings, and the seat it takes at a set of games that run side by side.

``sit(player, game, streams, colours)`` gives a player a seat. A seat answers for many games at once, each with a random
stream of its own, so that what happens in one game depends neither on the others nor on how games are grouped.
To add a kind of player, register its settings with ``sit.register``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any, Literal, Protocol

import numpy as np
from pydantic import Field

from wslib import rhea
from wslib._compiled import GAMMA, kernel, scramble, stream
from wslib.games import Game, IllegalMove, Position, position_of
from wslib.games.rules import legal_actions, random_action
from wslib.parameters import ParameterError, Parameters, brief, takes
from wslib.search import GUIDED, GuidedSettings, SearchSettings, kernels
from wslib.search.guided import Evaluator, GuidedSearch, check_network


class RandomSettings(Parameters):
    """A player of uniformly random legal moves."""

    method: Literal["random"] = Field("random", description="uniformly random legal moves")


PlayerSettings = RandomSettings | SearchSettings | rhea.RheaSettings
METHODS: dict[str, type[Parameters]] = {
    "random": RandomSettings,
    "mcts": SearchSettings,
    "rave": SearchSettings,
    "rhea": rhea.RheaSettings,
}


class Seat(Protocol):
    """A player at a set of games. Where it has ``plies``, the table keeps them: how many each game has had so far."""

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        """The actions for these games (by their index), which are in the states ``(own, opp)``."""


@takes(SearchSettings, GuidedSettings, rhea.RheaSettings)
def player(method: str, network: Evaluator | None = None, **options: Any) -> Any:
    """A player by name: ``player("rave", simulations=400)``, ``player("rhea", horizon=5)``.

    Without a network the methods are ``random``, ``mcts``, ``rave`` and ``rhea``; with one, those of the thesis:
    ``player("wrora", network)``. An option that does not belong to the method is refused.

    >>> player("mcts").simulations
    100
    """
    if network is not None:
        check_network(network)
        return NetworkPlayer(network, GuidedSettings(method=method, **options))
    if not isinstance(method, str) or method not in METHODS:
        if method in tuple(GUIDED):
            raise ParameterError(f"player {method!r} needs a network: player({method!r}, network)")
        raise ParameterError(f"there is no player {brief(method)}: the players are {', '.join(METHODS)}")
    return METHODS[method](method=method, **options)


def player_of(what: Any) -> Any:
    """A player as it is; one given by its name, or a network (which plays by the search ``baseline``)."""
    if isinstance(what, str):
        return player(what)
    if hasattr(what, "evaluate"):
        return NetworkPlayer(what)
    if sit.dispatch(type(what)) is not sit.dispatch(object) or callable(what):
        return what
    raise ParameterError(
        f"{brief(what)} is no player: give a name ('mcts'), settings (player('mcts')), a network, or a function from "
        "a position to a move"
    )


@singledispatch
def sit(player: Any, game: Game, streams: np.ndarray, colours: np.ndarray) -> Seat:
    """Give a player its seat at ``len(streams)`` games, in which it has these colours (0 moves first)."""
    known = player_of(player)
    return _FunctionSeat(player, game, colours) if known is player else sit(known, game, streams, colours)


@kernel
def _random_moves(rules, own, opp, streams, games, actions):
    for index in range(len(own)):
        i = games[index]
        streams[i] += GAMMA
        legal = legal_actions(rules, own[index], opp[index])
        actions[index] = random_action(rules, own[index], opp[index], legal, scramble(streams[i]))


class _RandomSeat:
    def __init__(self, game: Game, streams: np.ndarray):
        self.rules, self.streams = game.rules, streams

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        actions = np.empty(len(games), np.int64)
        _random_moves(self.rules, own, opp, self.streams, games, actions)
        return actions


class _SearchSeat:
    """Tree search; the trees are kept for the whole game, or one piece of memory serves every move."""

    def __init__(self, settings: SearchSettings, game: Game, streams: np.ndarray):
        self.rules, self.streams, self.plan = game.rules, streams, kernels.make_plan(settings)
        self.simulations, self.kept = settings.simulations, settings.tree == "kept"
        self.forest = kernels.plant(
            self.rules, len(streams) if self.kept else 1, settings.simulations + 1, settings.rave
        )

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        actions = np.empty(len(games), np.int64)
        trees = games if self.kept else np.zeros(len(games), np.int64)
        if self.kept:
            self.forest = kernels.grown(self.rules, self.forest, self.simulations + 1)
        kernels.search_moves(
            self.rules, self.plan, self.forest, trees, own, opp, self.streams, games,
            self.simulations, not self.kept, actions,
        )  # fmt: skip
        return actions


@dataclass(frozen=True)
class NetworkPlayer:
    """A network behind one of the guided searches."""

    network: Evaluator
    settings: GuidedSettings = field(default_factory=GuidedSettings)
    sampled_plies: int = 0
    """T': plies of a match's games in which it draws its move from its policy, as self-play does."""


class _GuidedSeat:
    """All games of the seat in lockstep; their evaluations are shared."""

    def __init__(self, player: NetworkPlayer, game: Game, streams: np.ndarray):
        self.search = GuidedSearch(game, player.settings, player.network, streams)
        self.sampled_plies = player.sampled_plies
        self.plies = np.full(len(streams), player.sampled_plies)  # away from a table no move is drawn

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        self.search.run(games, own, opp)
        return self.search.decide(games, own, opp, self.plies[games] < self.sampled_plies)[0]


class _RheaSeat:
    def __init__(self, settings: rhea.RheaSettings, game: Game, streams: np.ndarray):
        self.rules, self.streams, self.plan = game.rules, streams, rhea.make_plan(settings)
        self.population = rhea.empty_population(settings)

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        actions = np.empty(len(games), np.int64)
        rhea.evolve_moves(self.rules, self.plan, self.population, own, opp, self.streams, games, actions)
        return actions


class _FunctionSeat:
    """Any function from a position to a move: its name, or the number of an action, as in :attr:`Position.legal`."""

    def __init__(self, function: Callable[[Position], int | str], game: Game, colours: np.ndarray):
        self.function, self.game, self.colours = function, game, colours

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        positions = [
            Position(self.game, int(a), int(b), int(self.colours[i])) for i, a, b in zip(games, own, opp, strict=True)
        ]
        moves = [(p, self.function(p)) for p in positions]
        after = [p.play(move) if isinstance(move, str) else p.act(move) for p, move in moves]
        return np.array([p.history[-1] for p in after], np.int64)


sit.register(RandomSettings, lambda player, game, streams, colours: _RandomSeat(game, streams))
sit.register(SearchSettings, lambda player, game, streams, colours: _SearchSeat(player, game, streams))
sit.register(NetworkPlayer, lambda player, game, streams, colours: _GuidedSeat(player, game, streams))
sit.register(rhea.RheaSettings, lambda player, game, streams, colours: _RheaSeat(player, game, streams))


def move(player: Any, position: Position, seed: int = 0) -> str:
    """One move of a player in a position, by name (drawn from the stream of this seed and ply)."""
    position = position_of(position)
    if position.is_over:
        raise IllegalMove(f"no move can be made: the game is over ({position.caption})")
    streams = np.array([stream(seed, "move", len(position.history))])
    seat = sit(player, position.game, streams, np.array([position.to_move]))
    own, opp = position.words
    action = seat.choose(np.zeros(1, np.int64), np.array([own]), np.array([opp]))[0]
    return position.game.action_name(int(action))
