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
# Three games on small boards: no chance, nothing hidden, two players in turn, and what one wins the other loses. This page shows their
# rules, for readers who know none of them, and how they differ in what matters here: how many moves there are to choose from, how
# long a game is, and how much a single move changes. All are played on 6×6 in the study (thesis, section 5.5.1); every size up to 8×8
# works, and the number of stones in a row is a parameter.

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
# Throughout the book the player who moves first is **X** in print (black, or red in Connect Four), the other **O**.
# Values are seen by the player to move: +1 a win, 0 a draw, −1 a loss.
#
# ## Othello
#
# A disc must be placed so that it encloses a straight run of the opponent's discs between itself and another own disc;
# all discs enclosed, in every direction, are turned over. Who has no such move must pass (the pass is a move of its own
# here), and when neither can move, more discs win; equal discs are a draw.

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
    "Othello: one move turns over what it encloses. X has four moves at the start, all of them alike but for a turn of the board.",
)

# %% [markdown]
# ## Connect Four
#
# A stone falls to the lowest empty cell of the column it is dropped into. Four in a row, across, down or diagonally,
# win; a full board without a line is a draw. A move is named by its column.

# %%
connect4 = game("connect4")
line = [connect4.position(moves) for moves in ("3 3 4 4", "3 3 4 4 2 1", "3 3 4 4 2 1 5")]
captions = ["X can make three with two open ends", "and O can close one", f"so {line[-1].caption}"]
pictured(
    draw.boards([draw.board(p, size=186) for p in line], captions=captions),
    "Connect Four: a line that is open at both ends cannot be stopped.",
)

# %% [markdown]
# ## Gobang
#
# A stone goes to any empty cell, and four in a row win (five on larger boards).

# %%
gobang = game("gobang").position("c3 d4 c4 d3 c5 c6 c2")
pictured(
    draw.filmstrip(gobang, every=2),
    "Gobang: a game from left to right, every other ply of it. Again two open ends decide.",
)

# %% [markdown]
# Tic-tac-toe is Gobang on 3×3 with three in a row. It is small enough to count every game there is, which the tests do.
#
# ## How they differ
#
# Random play shows the shape of a game: its length, the number of moves to choose from, and what the first move is worth
# when nobody thinks.

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
    show_table(shape, f"{asked.games} games of random moves.", one),
    say(
        f"**{longest}** has the longest games and **{widest}** the most moves to choose from. The thesis (section 6.6.1) "
        "suspects that a warm start helps most where games are long and narrow: a random playout then says more than a "
        "beginner's network."
    ),
)

# %% [markdown]
# ## At a prompt
#
# A position prints, draws itself, knows its legal moves, and reads boards and move lists.

# %%
position = game("connect4").position("4 4 3")
print(position)
print("legal:", position.moves)
game("tictactoe").parse("X . O / . X . / . . O / X to move")

# %% [markdown]
# What the rules do not allow is refused, and the refusal says what would be right:

# %%
try:
    game("othello").start().play("a1")
except ValueError as error:
    print(error)

# %% [markdown]
# A game has symmetries, turns and mirrors of the board that change nothing else. Gobang and Othello have eight, and Connect Four, where
# stones fall, has two. The training uses them to see more positions than were played. Here are all eight of one position:

# %%
corner = game("gobang").position("a1 b1 c2")
pictured(
    draw.boards([symmetry.position(corner) for symmetry in corner.game.symmetries], columns=4),
    "One position of Gobang in all its turns and mirrors.",
)

# %% [markdown]
# Any of the players can be met at the board: [play against what was trained](play.ipynb). Whoever adds a game lets `check_game` play
# random games of it, which checks that the game keeps all such promises.
#
# ## Exercises
#
# 1. In Othello on 4×4 with perfect play, who wins? Play it against `player("mcts", simulations=5000)` from both sides.
#
# <details><summary>A solution</summary>
#
# The second player: on a board this small, to be forced to move first is a burden.
#
# </details>
#
# 2. Count the games of tic-tac-toe, once for each length from five to nine plies.
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
# is `[15120, 54720, 148176, 200448, 127872]`. `perft` counts
# lines of play of exactly that length, won games of that length among them, not those that ended earlier: hence there are fewer of
# nine plies than of eight.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Equal discs in Othello are a draw; in the author's earlier code they are a loss of the player who is asked.
# 2. Wins in Gobang and Connect Four are always the loss of the player to move, so every training target has its sign.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/games.py out.ipynb -p games 2000
# ```
#
# takes a few seconds.
