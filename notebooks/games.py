# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The games
#
# Three small board games are all that this book needs: two players in turn, no chance, nothing hidden, and what one wins the other
# loses. This page shows their rules to readers who know none of them. It then shows how the games differ in what matters here: how
# long they are, how many moves there are to choose from, and what the first move is worth. The study plays all of them on 6×6
# (thesis, section 5.5.1); every size up to 8×8 works, and the number of stones in a row is a parameter.

# %% tags=["parameters"]
preset: str = "full"  # full: as in the book; smoke: seconds
seed: int = 0  # seed of the random games that are counted
games: int = 400  # random games counted per game

# %%
import pandas as pd

from wslib import draw, game, match, player
from wslib.study.engine.notebook import read_parameters, say, show
from wslib.study.names import board_name
from wslib.study.pages.base import Tour
from wslib.study.report.look import pictured, show_table

asked = read_parameters(Tour, globals())

# %% [markdown]
# Throughout the book **X** is the player who moves first, and **O** the other one. On drawn boards X is black, or red in Connect
# Four. Values are those for the player to move: +1 a win, 0 a draw, −1 a loss.
#
# ## Othello
#
# A disc must be placed so that it encloses a straight run of the opponent's discs between itself and another disc of one's own. All
# discs that are enclosed, in any direction, are turned over. A player without such a move must pass, which counts as a move here.
# When neither player can move, whoever has more discs wins; equal numbers are a draw.

# %%
othello = game("othello").start()
moves = dict.fromkeys(othello.moves, 1)
start = draw.board(othello, size=186)
choice = draw.board(othello, heat=moves, labels={m: m for m in moves}, size=186)
three = draw.boards(
    [start, choice, draw.board(othello.play("c2"), size=186)], captions=["the start", "X's moves", "after c2"]
)
pictured(
    three,
    "In Othello a move turns over what it encloses. X has four moves at the start, which are the same but for a turn of the board.",
)

# %% [markdown]
# ## Connect Four
#
# A stone falls to the lowest empty cell of the column it is dropped into. Whoever first has four in a row wins: across, upright or
# diagonally. A full board without such a line is a draw. A move is named by its column.

# %%
connect4 = game("connect4")
line = [connect4.position(moves) for moves in ("3 3 4 4", "3 3 4 4 2 1", "3 3 4 4 2 1 5")]
captions = ["X can make three with two open ends", "O can close only one of them", f"so {line[-1].caption}"]
pictured(
    draw.boards([draw.board(p, size=186) for p in line], captions=captions),
    "In Connect Four a line that is open at both ends cannot be stopped.",
)

# %% [markdown]
# ## Gobang
#
# A stone goes to any empty cell. Four in a row win on this board; on larger ones it is usually five.

# %%
gobang = game("gobang").position("c3 d4 c4 d3 c5 c6 c2")
pictured(
    draw.filmstrip(gobang, every=2),
    "In Gobang, too, two open ends decide. A game from left to right, every other ply.",
)

# %% [markdown]
# Tic-tac-toe is Gobang on 3×3 with three in a row. It is so small that the tests count every game there is.
#
# ## How they differ
#
# Random play shows the shape of a game: its length, the number of moves to choose from, and what the first move is worth when
# nobody thinks ahead.

# %%
rows = []
for name in ("gobang", "connect4", "othello"):
    played = match(game(name), player("random"), player("random"), asked.games, asked.seed)
    choices = [len(p.legal) for i in range(min(40, asked.games)) for p in played[i].line() if not p.is_over]
    frame = played.frame()
    first = ((frame["result_a"] > 0) == (frame["a_first"] == 1)) & (frame["result_a"] != 0)
    rows.append(
        [
            board_name(name),
            frame["plies"].mean(),
            frame["plies"].max(),
            sum(choices) / len(choices),
            100 * first.mean(),
            100 * (frame["result_a"] == 0).mean(),
            len(game(name).symmetries),
        ]
    )
shape = pd.DataFrame(
    rows, columns=["game", "plies", "longest", "moves to choose from", "first mover wins %", "draws %", "symmetries"]
)
one = dict.fromkeys(("plies", "moves to choose from", "first mover wins %", "draws %"), "{:.1f}")
longest, widest = shape.loc[shape["plies"].idxmax(), "game"], shape.loc[shape["moves to choose from"].idxmax(), "game"]
show(
    show_table(
        shape, f"The shape of the games: means over {asked.games} games of random moves, and the longest of them.", one
    ),
    say(
        f"**{longest}** has the longest games and **{widest}** the most moves to choose from. The thesis (section 6.6.1) "
        "suspects that playouts help most where games are long and narrow: there they estimate well, while in short games "
        "a search reaches true results without them."
    ),
)

# %% [markdown]
# ## At a prompt
#
# In Python a position prints itself, draws itself and knows its legal moves. It can be read from a board or from a list of moves.

# %%
position = game("connect4").position("4 4 3")
print(position)
print("legal:", position.moves)
game("tictactoe").parse("X . O / . X . / . . O / X to move")

# %% [markdown]
# What the rules do not allow is refused, and the refusal names what is allowed:

# %%
try:
    game("othello").start().play("a1")
except ValueError as error:
    print(error)

# %% [markdown]
# A game has *symmetries*: turns and mirror images of the board that change nothing else. Gobang and Othello have eight, and Connect
# Four, where stones fall, has two. Training uses them to see more positions than were played. Here are all eight of one position:

# %%
corner = game("gobang").position("a1 b1 c2")
pictured(
    draw.boards([draw.board(symmetry.position(corner), size=126) for symmetry in corner.game.symmetries]),
    "One position of Gobang is eight: all its turns and mirror images.",
)

# %% [markdown]
# You can meet any of the players at the board: [play against what was trained](play.ipynb). If you add a game, let `check_game` play
# random games of it: it checks everything that this page promises.
#
# ## Exercises
#
# 1. In Othello on 4×4 with perfect play, who wins? Play it against `player("mcts", simulations=5000)` from both sides.
#
# <details><summary>A solution</summary>
#
# The second player does. On a board this small it is a burden to have to move first.
#
# </details>
#
# 2. Count the lines of play of tic-tac-toe, once for each length from five to nine plies.
#
# <details><summary>A solution</summary>
#
# ```python
# from wslib.games import game, rules
#
# p = game("tictactoe").start()
# [rules.perft(p.game.rules, *p.words, plies) for plies in range(5, 10)]
# ```
#
# is `[15120, 54720, 148176, 200448, 127872]`. `perft` counts lines of play of exactly that length, whether the game is over
# there or not. Games that were won earlier are not among them, so there are fewer lines of nine plies than of eight.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Equal numbers of discs in Othello are a draw. In the author's earlier code they are a loss for the player who is asked.
# 2. A finished line in Gobang or Connect Four is always a loss for the player to move, so every training target has the right sign.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/games.py out.ipynb -p games 2000
# ```
#
# takes a few seconds.
