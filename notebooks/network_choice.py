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
# # Which network for a laptop
#
# **The question.** The thesis does not print its network. The network of the author's earlier program has 256 channels, and the
# thesis' runs took days on graphics cards (section 5.5.1). A study of hundreds of runs on a laptop needs a smaller one. Which small
# network learns most per minute of a processor?
#
# No claim of the thesis is tested here. There are three kinds of candidates: the author's shape with fewer channels, a small residual
# network, and a fully connected residual one. Their names end with their channels or their width. All learn with one epoch per
# iteration and without a warm start; the one that we took also learns with ten.

# %% tags=["parameters"]
preset: str = "full"  # full: the published scale; smoke: seconds
boards: str = "connect4,othello"  # games learned
seeds: int = 2  # runs of each kind (seeds 0, 1, ...)
iterations: int = 30  # iterations of each run
games: int = 200  # games that measure a network's strength
opponent: int = 400  # simulations of the MCTS that it meets
compute: bool = True  # compute what is missing, after a sentence that says how long it takes; False: show what there is
device: str = "preset"  # what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says
runtime: str = "preset"  # who computes: compiled (our kernels, on a processor), torch, or as the device needs
precision: str = "preset"  # in which torch multiplies matrices: float32, or with fewer bits bfloat16 or float16
workers: int = 0  # worker processes; 0 is one per core, or per GPU where one is used
winner: str = "author-32"  # the candidate that also runs with 10 epochs

# %%
import pandas as pd

from wslib.network.model import Network
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.names import board_name
from wslib.study.pages.learning import NetworkChoice
from wslib.study.report import learning as report
from wslib.study.report.look import show_table

asked = read_parameters(NetworkChoice, globals())

# %% tags=["remove-stderr"]
units, found = results_of(asked)
strengths, labels = found[found["part"] == "strength"], report.runs_found(found)
runs = [unit for unit in units if unit.kind == "run"]
costs = labels.join(study.provenance(runs, asked.name).drop(columns="unit", errors="ignore"))
opponent_name = f"MCTS with {asked.opponent} simulations"
origin(found, asked.name)

# %% [markdown]
# ## In short
#
# We take the author's shape with 32 channels. It is not chosen for strength alone: of the networks that a laptop can afford, it is the
# closest kin of the author's.

# %%
show(say(report.choice_prose(strengths, asked.winner)), report.strength_figure(strengths, opponent_name))

# %% [markdown]
# Compare the thick lines, and look at the thin ones before you trust a difference. Where the lines of two candidates cross, so few
# runs cannot say which is better.
#
# ## The candidates

# %%
sizes = [
    {
        "candidate": kind,
        "weights": f"{sum(p.numel() for p in Network(asked.run(asked.boards[0], changes, 0).network).parameters()):,}",
        "epochs": asked.run(asked.boards[0], changes, 0).epochs,
    }
    for kind, changes in asked.kinds().items()
]
show_table(pd.DataFrame(sizes), f"How large the candidates are, in {board_name(asked.boards[0])}.")

# %% [markdown]
# The number of weights says little about the price: a convolution uses each of its weights in every cell of the board.
#
# ## Strength and price

# %%
report.runs_table(strengths, costs, opponent_name)

# %% [markdown]
# Read the last two columns together: points cost minutes, and minutes saved pay for more runs. The two scores of a row show how much the
# {term}`seed` alone can move.
#
# ## What two seeds can tell, and what they cannot

# %%
show(say(report.resolution_prose(strengths)), report.choice_table(strengths, costs, asked.winner))

# %% [markdown]
# Weigh the points against the time. Where the last column says *no*, take the cheaper network.
#
# ## Where the time goes

# %%
report.stages_table(costs)

# %% [markdown]
# A larger network makes all three stages more expensive; more {term}`epochs <epoch>` only the training.
#
# ## Limits
#
# Strength is measured against one kind of opponent, from random openings. Runs of a hundred iterations may order the candidates
# differently, and so may a learning rate tuned for each. Processor times were taken while other runs shared the machine.
#
# ## Exercises
#
# 1. Run the candidates in Gobang (`-p boards gobang`). Does the wide action space favour a network without convolutions?
#
# <details><summary>A solution</summary>
#
# A line of four looks the same everywhere on the board. A convolution learns it once, a fully connected layer once for every place. So
# one expects the fully connected network to fall further behind than here, not to catch up.
#
# </details>
#
# 2. Give each candidate the same time instead of the same number of iterations. Which wins then?
#
# <details><summary>A solution</summary>
#
# The table has the minutes of a run. Read each candidate's curve at the iteration that it reaches in the time of the cheapest one. While
# the curves still rise, that favours the cheap candidates.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis uses one network and does not describe it. Here its size is a parameter, chosen for kinship and cost.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/network_choice.py out.ipynb -p boards connect4 -p seeds 1 -p iterations 10
# ```
#
# takes about four minutes; the published scale takes about forty on two cores where its results are not there yet.
