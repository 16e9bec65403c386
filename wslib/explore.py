"""Everything to explore with, by one import: ``from wslib.explore import *``.

>>> from wslib.explore import *
>>> game("connect4").position("4 4 3").moves
('1', '2', '3', '4', '5', '6')
>>> search(game("tictactoe").position("a1 b1 b2 c1"), simulations=200).best
'c3'
>>> match(game("connect4"), player("rave"), player("random"), games=10).win_rate
1.0
>>> solve(game("tictactoe").position("a1 b1")).best
('a2', 'b2', 'a3')

``play(game("othello"), player("mcts"))`` is a game of yours against a player; a position, a search result or a solution
as the last line of a cell draws itself.
"""

from wslib import draw
from wslib.games import check_game, game
from wslib.perfect.solver import solve
from wslib.play import match, move, play, player
from wslib.search import search

__all__ = ["check_game", "draw", "game", "match", "move", "play", "player", "search", "solve"]
