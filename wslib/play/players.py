"""Who can play: a player's settings, and the seat it takes at a set of games that run side by side.

``sit(player, game, streams, colours)`` gives a player a seat. A seat answers for many games at once, each with a random
stream of its own, so that what happens in one game depends neither on the others nor on how games are grouped.
To add a kind of player, register its settings with ``sit.register``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, singledispatch
from typing import Any, Literal, Protocol

import numpy as np
from pydantic import Field

from wslib import rhea
from wslib._compiled import GAMMA, kernel, scramble, stream
from wslib.games import Game, IllegalMove, Position, position_of
from wslib.games.rules import legal_actions, random_action
from wslib.parameters import ParameterError, Parameters, brief, takes, whole
from wslib.search import GUIDED, GuidedSettings, SearchSettings
from wslib.search.guided import Evaluator, GuidedSearch, check_network
from wslib.search.unguided import UnguidedSearch


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

    Without a network the methods are ``random``, ``mcts``, ``rave`` and ``rhea``; with one, the guided searches:
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
    """A uniformly random move for each of several games, drawn from the game's stream."""
    for index in range(len(own)):
        i = games[index]
        streams[i] += GAMMA
        legal = legal_actions(rules, own[index], opp[index])
        actions[index] = random_action(rules, own[index], opp[index], legal, scramble(streams[i]))


@dataclass
class _KernelSeat:
    """A player whose moves a compiled function writes to an array, its last argument."""

    write_moves: Callable[..., None]
    streams: np.ndarray

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        actions = np.empty(len(games), np.int64)
        self.write_moves(own, opp, self.streams, games, actions)
        return actions


@dataclass(frozen=True)
class NetworkPlayer:
    """A network behind one of the guided searches."""

    network: Evaluator
    settings: GuidedSettings = field(default_factory=GuidedSettings)
    sampled_plies: int = 0
    """T': plies of a match's games in which it draws its move from its policy, as self-play does."""


class GuidedSeat:
    """A guided search at all games of its seat in lockstep; their evaluations are shared."""

    def __init__(self, search: GuidedSearch, sampled_plies: int = 0):
        self.search, self.sampled_plies = search, sampled_plies
        self.plies = np.full(len(search.streams), sampled_plies)  # away from a table no move is drawn
        self.policies = np.empty((0, search.game.actions))
        """(n, actions): those that the latest moves were chosen from."""

    def choose(self, games: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
        self.search.run(games, own, opp)
        actions, self.policies = self.search.decide(games, own, opp, self.plies[games] < self.sampled_plies)
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


def _rhea_seat(player: rhea.RheaSettings, game: Game, streams: np.ndarray, colours: np.ndarray) -> Seat:
    plan, population = rhea.make_plan(player), rhea.empty_population(player)
    return _KernelSeat(partial(rhea.evolve_moves, game.rules, plan, population), streams)


def _network_seat(player: NetworkPlayer, game: Game, streams: np.ndarray, colours: np.ndarray) -> Seat:
    return GuidedSeat(GuidedSearch(game, player.settings, player.network, streams), player.sampled_plies)


sit.register(NetworkPlayer, _network_seat)
sit.register(RandomSettings, lambda player, game, streams, _: _KernelSeat(partial(_random_moves, game.rules), streams))
sit.register(rhea.RheaSettings, _rhea_seat)
sit.register(SearchSettings, lambda player, game, streams, _: UnguidedSearch(game, player, streams))


def move(player: Any, position: Position, seed: int = 0) -> str:
    """One move of a player in a position, by name (drawn from the stream of this seed and ply)."""
    position = position_of(position)
    if position.is_over:
        raise IllegalMove(f"no move can be made: the game is over ({position.caption})")
    streams = np.array([stream(whole("seed", seed, 0), "move", len(position.history))])
    seat = sit(player, position.game, streams, np.array([position.to_move]))
    own, opp = position.words
    action = seat.choose(np.zeros(1, np.int64), np.array([own]), np.array([opp]))[0]
    return position.game.action_name(int(action))
