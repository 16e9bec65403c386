"""The games of the study: rules on bitboards (`rules`), positions for people (`position`), and a file for each game."""

from wslib.games import othello, connect4, gobang  # noqa: F401, I001 (the order is that of lists of games)
from wslib.games.position import FIRST, GAMES, SECOND, STONES, Game, IllegalMove, Position, Symmetry, game, position_of

__all__ = ["FIRST", "GAMES", "SECOND", "STONES", "Game", "IllegalMove", "Position", "Symmetry", "game", "position_of"]
