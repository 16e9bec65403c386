"""The games of the study: rules on bitboards (`rules`), positions for people (`game`), a check (`check`)."""

from wslib.games.check import check_game
from wslib.games.game import FIRST, NAMES, SECOND, STONES, Game, IllegalMove, Position, Symmetry, game, position_of

__all__ = [
    "FIRST",
    "NAMES",
    "SECOND",
    "STONES",
    "Game",
    "IllegalMove",
    "Position",
    "Symmetry",
    "check_game",
    "game",
    "position_of",
]
