"""Warm Start: the library behind the study. At a prompt, ``import wslib as ws`` is all that is needed.

>>> import wslib as ws
>>> ws.game("connect4").position("4 4 3").moves
('1', '2', '3', '4', '5', '6')
>>> ws.search(ws.game("tictactoe").position("a1 b1 b2 c1"), simulations=200).best
'c3'
>>> ws.match("connect4", "rave", "random", games=10).win_rate
1.0

The rooms of the house; each knows only those above it, and nothing above ``study`` knows of it:

    parameters.py, files.py, workers.py: validated parameters with an id; files that are whole; worker processes
    games/     rules on bitboards; positions, moves by name         game
    draw/      boards, heat maps, trees as SVG                      draw
    search/    one loop; six guided searches are a table
    rhea.py    rolling horizon evolution
    play/      players, matches                                     player, match, move
    network/   layers, fitting, compiled evaluation
    training/  self-play, training, arena: the loop of a run
    perfect/   solvers, positions with known values, measures       solve
    check.py   what whoever adds a game can rely on                 check_game
    prompt/    searches and networks to look into, a game of yours  search, network, load, play
    study/     the study itself, which asks and shows               train, trained, run, runs, tournament, rate
               engine/ (units of work, store, command line), statistics/ (ratings, tests), pages/ (experiments),
               claims/ (verdicts), report/ (tables, figures), lab/ (JupyterLab)       board, inspect, monitor, browse

Names are taken where objects are expected: ``"connect4"`` for a game or its start, ``"mcts"`` for a player.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wslib import draw as draw
    from wslib.check import check_game as check_game
    from wslib.games import game as game
    from wslib.perfect.solver.solution import solve as solve
    from wslib.play import move as move
    from wslib.play import player as player
    from wslib.play.matches import match as match
    from wslib.prompt.against import play as play
    from wslib.prompt.networks import load as load
    from wslib.prompt.networks import network as network
    from wslib.prompt.searches import search as search
    from wslib.study.lab.browser import browse as browse
    from wslib.study.lab.inspector import inspect as inspect
    from wslib.study.lab.monitor import monitor as monitor
    from wslib.study.lab.table import board as board
    from wslib.study.prompt import rate as rate
    from wslib.study.prompt import run as run
    from wslib.study.prompt import runs as runs
    from wslib.study.prompt import tournament as tournament
    from wslib.study.prompt import train as train
    from wslib.study.prompt import trained as trained

__version__ = "0.1.0"

_HOMES = {
    "board": "study.lab.table", "browse": "study.lab.browser", "check_game": "check", "game": "games",
    "inspect": "study.lab.inspector", "load": "prompt.networks", "match": "play", "monitor": "study.lab.monitor",
    "move": "play", "network": "prompt.networks", "play": "prompt.against", "player": "play",
    "rate": "study.prompt", "run": "study.prompt", "runs": "study.prompt", "search": "prompt.searches",
    "solve": "perfect.solver", "tournament": "study.prompt", "train": "study.prompt", "trained": "study.prompt",
}  # fmt: skip
"""Where the public names live: they are looked up when they are first used, so that this import takes no time, and that
the rooms above ``study`` do without it."""

__all__ = ["__version__", "draw", *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "draw":
        return import_module("wslib.draw")
    if name not in _HOMES:
        raise AttributeError(f"module 'wslib' has no attribute {name!r}: its names are {', '.join(__all__)}")
    found = getattr(import_module(f"wslib.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


class _House(ModuleType):
    """Importing the room ``wslib.search`` would put the module in the place of the function with its name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _House
