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
# # What the protocol does
#
# **The question.** Warm start aside, the training protocol of Table 5.2 (thesis, section 5.5.1) makes choices of its own: ten epochs
# over the examples of twenty iterations, a gate that a new network must pass in the {term}`arena`, no noise at the root, and (in the
# author's code) all symmetries of every example. What does each of them do to strength, to the variety of self-play, and to what the
# network knows about outcomes?
#
# No claim of the thesis is tested. One fear is that self-play collapses to ever the same drawn games; if the protocol does
# that, final networks say little about warm starts.

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

# %%
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.pages.learning import Protocol
from wslib.study.report import learning as report

asked = read_parameters(Protocol, globals())

# %% tags=["remove-stderr"]
units, found = results_of(asked)
strengths, labels = found[found["part"] == "strength"], report.runs_found(found)
runs = [unit for unit in units if unit.kind == "run"]
costs = labels.join(study.provenance(runs, asked.name).drop(columns="unit", errors="ignore"))
log = study.tables(runs, labels, "iterations", asked.name)
opponent_name = f"MCTS with {asked.scale['opponent']} simulations"
origin(found, asked.name)

# %% [markdown]
# ## In short

# %%
show(say(report.changes_prose(strengths)), report.strength_figure(strengths, opponent_name))

# %% [markdown]
# The {term}`preset` `laptop` (one epoch, gating, no noise, one symmetry drawn per example) is changed in one thing at a time. Compare a curve
# with that of `laptop`, and the distance with how far two runs of one kind lie apart.
#
# ## Strength

# %%
show(report.changes_table(strengths), say(report.resolution_prose(strengths)))

# %% [markdown]
# "No" means that so few runs cannot tell. A choice that helps in one game and harms in the other is not one to make for all games.

# %%
report.runs_table(strengths, costs, opponent_name)

# %% [markdown]
# The minutes are part of the answer: what gains little and costs much is paid for with other runs.
#
# ## Variety and knowledge
#
# *Distinct games* are those of an iteration's fifty that differ from all others; *value error* is the squared error on the
# games just played, before anything was learned from them: always guessing zero has an error of one where no game is drawn.

# %%
log = report.shares(log)
measures = {
    "distinct_share": "distinct games", "draw_share": "draws", "policy_entropy": "policy entropy",
    "fresh_value_loss": "value error, fresh", "value_loss": "value error, trained",
}  # fmt: skip
report.curves_figure(
    log,
    measures,
    "Self-play on the way: variety, draws, the policy's entropy, and the error of the value on fresh games and on the examples trained on.",
)

# %% [markdown]
# A share of distinct games that falls while draws rise is self-play that circles round the same lines.

# %%
show(report.ends_table(log, measures), report.extremes_table(log))

# %% [markdown]
# An error on the examples far below that on fresh games is a network that knows its games by heart. What it knows so does not carry over to
# the next game, so look back at the figure of strength before calling more epochs better.
#
# ## Where the time goes

# %%
report.stages_table(costs)

# %% [markdown]
# Self-play and training are what a choice can make dearer; the arena costs the same in all.
#
# ## Limits
#
# Two seeds a cell show large effects only; these runs are shorter than the thesis' hundred iterations, and a collapse may
# come later. One thing is changed at a time: what two changes do together is not seen.
#
# ## Exercises
#
# 1. Continue the runs to a hundred iterations (`-p iterations 100`: the first thirty are read, not repeated). Does variety
#    go on falling?
#
# <details><summary>A solution</summary>
#
# The Baseline runs of [five iterations](warmstart.ipynb) have a hundred iterations and the same parameters; their log is in
# `data/warmstart/iterations.csv.gz`. In Connect Four variety goes on falling, and in the end nearly half of the games are drawn;
# in Othello nearly all games stay distinct. When both sides have learned the same drawn line, nobody leaves it.
#
# </details>
#
# 2. With ten epochs the error on the examples falls far below that on fresh games. Why?
#
# <details><summary>A solution</summary>
#
# All positions of a game share one outcome. A network that sees each position two hundred times can learn the games by
# heart instead of what decides them.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The laptop preset, with one epoch instead of ten, is the reference here; *10 epochs* is Table 5.2's value.
# 2. The arena starts from random openings of four plies, with both colours; the author's from the empty board.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/protocol.py out.ipynb -p boards connect4 -p seeds 1 -p iterations 10
# ```
#
# takes about five minutes; the published scale with other seeds about an hour on two cores.
