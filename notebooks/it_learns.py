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
# # Does it learn?
#
# **The question.** Before anything is said about warm starts: does the plain loop learn to play at all? Runs of the {term}`preset`
# `laptop` without a warm start are measured where nobody can argue: their last network, with 100 simulations a move, meets
# {term}`MCTS` without a network, with as many simulations and with four and sixteen times as many.
#
# The bar was set beforehand: against 100 simulations more than 60 % in Connect Four and Othello, and in Gobang, where an
# opening may decide the game, an interval above 50 %.

# %% tags=["parameters"]
preset: str = "full"  # full: the published scale; smoke: seconds
boards: str = "connect4,othello,gobang"  # games learned
seeds: int = 3  # runs of each game (seeds 0, 1, ...)
iterations: int = 100  # iterations of each run
games: int = 200  # games a match, each opening with both colours
opponents: str = "100,400,1600"  # simulations of the MCTS that a network meets
compute: bool = True  # compute what is missing, after a sentence that says how long it takes; False: show what there is
device: str = "preset"  # what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says
runtime: str = "preset"  # who computes: compiled (our kernels, on a processor), torch, or as the device needs
precision: str = "preset"  # in which torch multiplies matrices: float32, or with fewer bits bfloat16 or float16
workers: int = 0  # worker processes; 0 is one per core, or per GPU where one is used

# %%
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.pages.learning import ItLearns
from wslib.study.report import learning as report

asked = read_parameters(ItLearns, globals())

# %% tags=["remove-stderr"]
units, found = results_of(asked)
games_of = {unit.id: study.table(unit, "games", asked.name) for unit in units if unit.kind == "strength"}
matches = report.with_openings(found[found["part"] == "strength"], games_of)
runs, labels = [unit for unit in units if unit.kind == "run"], report.runs_found(found)
log = study.tables(runs, labels, "iterations", asked.name)
costs = labels.join(study.provenance(runs, asked.name).drop(columns="unit", errors="ignore"))
origin(found, asked.name)

# %% [markdown]
# ## In short

# %%
show(say(report.learned_prose(matches)), report.learned_figure(matches))

# %% [markdown]
# On the grey line both are equally strong. Where a line crosses it, the network is worth about as many simulations as stand below.
#
# ## The last network against search without a network
#
# Games start from random openings of four plies, each played with both colours; an opening is the unit of the interval.
# *Openings decided by colour* are those in which the same colour won both games: the opening, not the player, decided.

# %%
report.learned_table(matches)

# %% [markdown]
# Where colour decides most openings, no player can score much above one half, however strong it is. So compare games by the column
# *decided by colour* before you compare their scores.
#
# ## Learning curves

# %%
report.curves_figure(
    log,
    {"fresh_value_loss": "value error, fresh", "draws": "draws", "distinct": "distinct games", "accepted": "accepted"},
    "Means over the runs: the value's error on the games just played, drawn and distinct games among an iteration's fifty, and whether the gate let the new network pass.",
)

# %% [markdown]
# Learning shows in the first curve: the error on games that the network has not learned from yet falls as it begins to see who is winning.
# It cannot fall to zero, because players who sample their moves make mistakes that nobody can foretell.
#
# ## What a run costs

# %%
report.stages_table(costs)

# %% [markdown]
# What learning costs, the column of training says; the other stages play.
#
# ## Limits
#
# One kind of opponent, one kind of opening. How far the networks are from perfect play is another page's subject; and three
# runs say that the loop learns, not how much runs differ.
#
# ## Exercises
#
# 1. Measure the same networks with fewer games, `-p games 50`. Which of the intervals still lie on one side of 50 %?
#
# <details><summary>A solution</summary>
#
# The runs are read, not trained again; an interval over a quarter of the openings is twice as wide. So those stay on one side of
# 50 % whose score is now further from it than twice their half width: against the weakest opponent nearly all, against the
# strongest hardly any.
#
# </details>
#
# 2. In which game is the share of openings decided by colour largest, and what does that do to the highest score that any
#    player could reach?
#
# <details><summary>A solution</summary>
#
# When the first player wins a given opening whatever the second does, two strong players split its two games. If that is
# so in a share q of the openings, nobody who meets an opponent that knows it gets more than $1 - q/2$.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis does not measure its networks against players from outside their pool, but for one random player.
# 2. The laptop preset: 32 channels, one epoch instead of ten.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/it_learns.py out.ipynb -p boards connect4 -p seeds 1 -p iterations 10
# ```
#
# says before it begins how long it will take on this machine, and so does the published scale with nothing stored.
