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
# # Play against what was trained
#
# Here you can play against the networks and searches of this book. Everything happens in the page, and nothing is sent anywhere: the
# rules, the searches and the networks are written a second time in JavaScript, and tests compare them with the library visit by visit.

# %% tags=["parameters"]
preset: str = "full"  # full: as in the book; smoke: seconds
simulations: int = 100  # simulations a move in the recorded games
seed: int = 0  # seed of their random streams

# %% tags=["hide-input"]
from wslib.study.engine.notebook import read_parameters
from wslib.study.pages.base import Look
from wslib.study.report.play import replays, table_to_play_at

asked = read_parameters(Look, globals())
table_to_play_at()

# %% [markdown]
# Click on a cell, or move with the arrow keys and play with Enter; `u` takes a move back, `p` passes, and `f` turns the board
# round. **What it thought** shows the position before the opponent's last move. It is shaded by the visits of its search, by their mean
# value Q, or by what the network says: how likely each move is (P), or the value of the position after it (V). **Hint** lets the
# opponent search in your place. Point at a cell to see its numbers.
#
# For each game there is a published network of a run without a warm start, and one of a run with WRoRa. Both play with Baseline's
# search, as in the tournaments; you can also choose another search. Without a network the opponent has the rules and random playouts,
# and nothing else.
#
# ## Replays
#
# Step through a game of each kind, recorded when this page was made. At every ply the player to move searched the position. Its visits
# shade the board, and the curve is the result that it expects. Where the solver finds the truth in a fraction of a second, dots show it.

# %% tags=["hide-input"]
replays(asked.simulations, asked.seed)

# %% [markdown]
# Where the curve leaves the dots, a player is wrong about the game. Where the dots jump, a move was a mistake.
#
# ## Exercises
#
# 1. Play Connect Four against MCTS with the smallest and with the largest number of simulations. What does the strong one see
#    that the weak one does not?
#
# <details><summary>A solution</summary>
#
# A trap two moves deep. The strong search takes its visits away from a move that loses to your best answer; the weak one has hardly
# looked at that answer. You see it in the visits long before you see it in the game.
#
# </details>
#
# 2. Ask for a hint on the empty Gobang board, shaded by visits, with few and with many simulations. Why do they differ so little from
#    move to move?
#
# <details><summary>A solution</summary>
#
# There are as many moves as cells, so a few simulations visit each only once or twice. Only with many does the centre stand out. A
# network's prior spares a search this work.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis has no opponent to play against; this one is the same search with the same network.
# 2. A network in the page is the published file in half precision, computed in single precision.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/play.py out.ipynb -p simulations 400
# ```
#
# takes a few seconds.
