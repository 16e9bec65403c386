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
# **The question.** Apart from the warm start, the training protocol of Table 5.2 (thesis, section 5.5.1) makes choices of its own. It
# asks for ten epochs over the examples of twenty iterations and for a gate that a new network must pass in the {term}`arena`, and names no
# noise at the root; the author's code also learns all symmetries of every example. What does each choice do to strength, to the variety
# of self-play, and to what the network knows about outcomes?
#
# No claim of the thesis is tested here. One fear is that self-play collapses to the same few drawn games. If the protocol does that,
# final networks say little about warm starts.

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
opponent_name = f"MCTS with {asked.opponent} simulations"
origin(found, asked.name)

# %% [markdown]
# ## In short

# %%
show(say(report.changes_prose(strengths)), report.strength_figure(strengths, opponent_name))

# %% [markdown]
# Each kind changes the {term}`preset` `laptop` in one thing; `laptop` itself has one epoch, the gate, no noise, and one symmetry drawn for
# each example. Compare a curve with that of `laptop`, and the distance between them with the distance between two runs of one kind.
#
# ## Strength

# %%
show(report.changes_table(strengths), say(report.resolution_prose(strengths)))

# %% [markdown]
# *No* means that so few runs cannot tell. A choice that helps in one game and harms in the other should not be made for all games.

# %%
report.runs_table(strengths, costs, opponent_name)

# %% [markdown]
# The minutes are part of the answer: a choice that gains little and costs much leaves time for fewer runs.
#
# ## Variety and knowledge
#
# *Distinct games* are those of an iteration's fifty that differ from all others. The *value error* is the squared error of the network
# about who wins: *fresh* on games just played, before it has learned from them, and *trained* on its examples. Always guessing zero
# would have an error of one where no game is drawn.

# %%
log = report.shares(log)
measures = {
    "distinct_share": "distinct games", "draw_share": "draws", "policy_entropy": "policy entropy",
    "fresh_value_loss": "value error, fresh", "value_loss": "value error, trained",
}  # fmt: skip
report.curves_figure(
    log,
    measures,
    "What each choice does to self-play: the shares of distinct games and of draws, the policy's entropy, and the value's error on fresh games and on examples.",
)

# %% [markdown]
# Where the share of distinct games falls while draws rise, self-play keeps repeating the same lines.

# %%
show(report.ends_table(log, measures), report.extremes_table(log))

# %% [markdown]
# A network whose error on its examples is far below that on fresh games knows its games by heart. Such knowledge does not carry over to
# the next game, so look back at the figure of strength before you call more epochs better.
#
# ## Where the time goes

# %%
report.stages_table(costs)

# %% [markdown]
# More epochs and more symmetries cost training time, and without the gate there is no arena to pay for.
#
# ## Limits
#
# Two seeds of each kind show large effects only. These runs are shorter than the thesis' hundred iterations, and a collapse may come
# later. One thing is changed at a time, so what two changes do together is not seen.
#
# ## Exercises
#
# 1. Continue the runs to a hundred iterations (`-p iterations 100`: the first thirty are read, not repeated). Does variety
#    go on falling?
#
# <details><summary>A solution</summary>
#
# Watch the share of distinct games beside that of draws. When both sides have learned the same drawn line, nobody leaves it, and both
# curves move together. The page [does it learn?](it_learns.ipynb) shows runs of a hundred iterations with the same settings.
#
# </details>
#
# 2. With ten epochs the error on the examples falls far below that on fresh games. Why?
#
# <details><summary>A solution</summary>
#
# All positions of a game share one outcome. With ten passes in each of twenty iterations, a network sees each position two hundred
# times. It can learn the games by heart instead of learning what decides them.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The reference here is the preset laptop, with one epoch instead of ten; *10 epochs* is the value of Table 5.2.
# 2. The arena starts from random openings of four plies, with both colours; the author's starts from the empty board.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/protocol.py out.ipynb -p boards connect4 -p seeds 1 -p iterations 10
# ```
#
# takes about five minutes; the published scale takes about an hour on two cores where its results are not there yet.
