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
# Meet the players of this book at a board. Everything happens in the page: the rules, the searches and the networks are written a second
# time in plain JavaScript, which tests compare with the library position by position and visit by visit. Nothing is sent anywhere.

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
# Click on a cell, or walk with the arrow keys and play with Enter; `u` takes a move back, `p` passes, `f` turns the board
# round. **What it thought** shows the position before its last move, shaded by the visits of its search, by their mean
# value Q, or by what the network says: P, how likely each move is, and V, the value of the position after it. **Hint** lets
# the opponent search in your place. Point at a cell for its numbers.
#
# The networks are those that were published, rounded to half precision, one of a run without a warm start and one of a run with
# WRoRa. After training both play with the Baseline search, as in the tournaments; the other searches can be chosen too.
# Without a network the opponent knows the rules and has random playouts, nothing else.
#
# ## Replays
#
# One game of each kind, recorded when this page was made. At every ply the player to move searched the position: its visits
# shade the board, its expectation is the curve. Where the solver knows the truth within a fraction of a second, dots show it.

# %% tags=["hide-input"]
replays(asked.simulations, asked.seed)

# %% [markdown]
# Where the curve leaves the dots, a player is wrong about the game; where the dots jump, a move was a mistake.
#
# ## Exercises
#
# 1. Play Connect Four against MCTS with the smallest and with the largest number of simulations. What does the strong one see
#    that the weak one does not?
#
# <details><summary>A solution</summary>
#
# A trap two moves deep: the visits of the strong search leave a move that loses after your best answer, while the weak one has
# hardly looked at that answer. It shows in the visits long before it shows in the game.
#
# </details>
#
# 2. Ask for a hint on the empty Gobang board, shaded by visits, with few and with many simulations. Why do they differ so little from
#    move to move?
#
# <details><summary>A solution</summary>
#
# There are as many moves as cells, so few simulations visit each once or twice; only with many does the centre stand out. A
# network's prior is what spares a search this.
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
