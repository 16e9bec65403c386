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
# **The question.** Before we speak of warm starts: does the plain loop learn to play at all? We measure runs of the {term}`preset`
# `laptop` without a warm start against a player from outside. Their last network, with 100 simulations a move, meets {term}`MCTS`
# without a network, which has as many simulations, or four or sixteen times as many.
#
# The bar was set beforehand, for the match against 100 simulations: more than 60 % in Connect Four and Othello, and an
# interval above 50 % in Gobang, where an opening may decide the game.

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
# Where a curve crosses the grey line, both players are equally strong: there the network is worth as many simulations as the scale
# below says.
#
# ## The last network against search without a network
#
# Games start from random openings of four plies, each played with both colours, and the opening is the unit of the interval. An opening
# is *decided by colour* when the same colour wins both of its games: then the opening decided, and not the player.

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
    "How runs learn, as means over the runs: the value's error on fresh games, how many of an iteration's games are drawn or distinct, and how often the new network is accepted.",
)

# %% [markdown]
# Learning shows in the first row: the error on games that the network has not learned from yet falls as it begins to see who is winning.
# It cannot fall to zero, because players who draw their moves at random make mistakes that nobody can predict.
#
# ## What a run costs

# %%
report.stages_table(costs)

# %% [markdown]
# Only the column *training* is learning; the other stages play games.
#
# ## Limits
#
# There is one kind of opponent here, and one kind of opening. How far networks are from perfect play is shown with the
# [runs of the study](on_the_way.ipynb). Three runs say that the loop learns, not how much runs differ.
#
# ## Exercises
#
# 1. Measure the same networks with fewer games, `-p games 50`. Which of the intervals still lie on one side of 50 %?
#
# <details><summary>A solution</summary>
#
# The runs are read, not trained again. An interval over a quarter of the openings is twice as wide. So it still
# lies on one side of 50 % only where the score is further from there than twice the old half width.
#
# </details>
#
# 2. In which game is the share of openings decided by colour largest, and what does that do to the highest score that any
#    player could reach?
#
# <details><summary>A solution</summary>
#
# Where the first player wins an opening whatever the second does, two strong players split its two games. If that is so in a share q
# of the openings, nobody scores more than $1 - q/2$ against an opponent who knows how to win them.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis measures its networks against each other and one random player, and against nobody else.
# 2. The laptop preset has 32 channels, and one epoch instead of ten.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/it_learns.py out.ipynb -p boards connect4 -p seeds 1 -p iterations 10
# ```
#
# says before it begins how long it will take on this machine, and so does the published scale with nothing stored.
