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
# # Positions whose truth is known
#
# To measure players against perfect play we need positions in which the best move is known, in which the choice of the move matters,
# and which come up in games. A set stands for the kind of games that it was taken from, so there are two for each game:
#
# - **broad**: from random and half-random games, where errors must be punished;
# - **path**: from games between strong players after a short random opening. The players are MCTS with a thousand simulations, and
#   perfect play that slips now and then.
#
# The [solver](perfect_play.ipynb) computes the truth. This page shows the sets, and makes a part of them once more.

# %% tags=["parameters"]
preset: str = "full"  # full: as in the book; smoke: seconds
rebuilt: int = 12  # positions of each set that are made anew and compared; 540 makes the whole sets
board: str = "connect4"  # the game whose sets are made anew
seed: int = 0  # seed of the sets (0: the published ones)

# %%
import pandas as pd

from wslib import draw
from wslib.perfect.positions import BOARDS, PHASES, SETS, digests, load, rebuilt_as_published
from wslib.perfect.solver import solve
from wslib.study.engine.notebook import read_parameters, say
from wslib.study.names import board_name
from wslib.study.pages.perfect_play import Rebuilt
from wslib.study.report.look import pictured, show_table

asked = read_parameters(Rebuilt, globals())

# %% [markdown]
# ## What is in the sets

# %%
rows = []
for name in BOARDS:
    for which in SETS:
        found = load(name, which)
        counts = found.labels["phase"].value_counts()
        plies = found.labels["ply"]
        won = (found.value == 1).mean()
        rows.append({"game": board_name(name), "set": which, **{p: counts[p] for p in PHASES},
                     "plies": f"{plies.min()} to {plies.max()}", "won, not drawn %": f"{100 * won:.0f}",
                     "optimal at random %": f"{100 * found.chance.mean():.0f}"})  # fmt: skip
show_table(
    pd.DataFrame(rows),
    "What is in each set: positions by phase, how many of them the player to move wins, and how often chance is right.",
)

# %% [markdown]
# The last column is how often a player would be right who draws among the legal moves. The higher it is, the less a set separates good
# players. Both sets of a game have the same number of positions of each phase, so that their means can be compared.

# %%
files = digests()
show_table(
    files,
    "The files in data/positions and how their digests begin. SHA256SUMS beside them has the whole digests.",
    {"sha256": "{:.16}…"},
)

# %% [markdown]
# By the digests anybody can check that two people measure by the same positions. Here is a position of each phase, with the truth about
# every move:

# %%
found = load(asked.board, "path")
shown = [found[int((found.labels["phase"] == phase).to_numpy().argmax())] for phase in PHASES]
pictured(
    draw.boards([solve(position).plot(size=190) for position in shown]),
    "Early, middle and late: in each position some moves keep the value and some give it away.",
)

# %% [markdown]
# Every legal move is marked with what it leads to for the player who makes it. Positions in which all moves are equally good are left
# out, because they tell nothing about a player.
#
# ## Made anew
#
# The same seed gives the same positions in the same order, to the last byte:

# %% tags=["hide-input"]
say(" ".join(rebuilt_as_published(asked.board, which, asked.seed, asked.rebuilt) for which in SETS))

# %% [markdown]
# ## Exercises
#
# 1. In how many positions of a set does exactly one move keep the value?
#
# <details><summary>Solution</summary>
#
# `((found.values == found.value[:, None]).sum(axis=1) == 1).mean()` is the share. Illegal moves have a value of their own, so they do not
# count.
#
# </details>
#
# 2. Why are there no lost positions in the sets?
#
# <details><summary>Solution</summary>
#
# A position is lost when *every* move loses. Then the choice does not matter, so the position is not taken.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis has no such positions.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/positions.py out.ipynb -p rebuilt 540
# ```
#
# makes both sets of Connect Four once more, in a few minutes.
