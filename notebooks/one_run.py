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
# # One training run to look into
#
# **The question.** What happens in a training {term}`run`, {term}`iteration` by iteration? What do the games look like that the program
# plays against itself, and where does the time go? This page follows one run with a {term}`warm start`. It tests nothing, because one
# run is one sample.

# %% tags=["parameters"]
preset: str = "laptop"  # scale of the run: smoke, laptop, table, paper or letter; any other setting of a run may be given too, as -p epochs 3
board: str = "connect4"  # the game learned
method: str = "wrora"  # who plays the warm start: baseline (none), rollout, rave, rora, wro, wrora, rhea
switch: str = "fixed"  # how the warm start ends: fixed (after 5 iterations) or adaptive
iterations: int = 100  # iterations (smoke: 2 unless given)
seed: int = 0  # seed of all random streams
workers: int = 0  # not used: a run is one process

# %%

from wslib import draw, game
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, say, show
from wslib.study.engine.runs import watch
from wslib.study.pages.learning import OneRun
from wslib.study.report import learning as report
from wslib.study.report import one_run
from wslib.study.report.look import parameter_table, pictured
from wslib.study.report.play import what_it_saw

asked = read_parameters(OneRun, globals())
(unit,), labels = asked.units(), asked.labels()

# %% tags=["remove-stderr", "remove-stdout"]
# While it trains, curves are drawn anew every few iterations. An interrupted run goes on where it stopped.
live = one_run.LiveCurves(asked.board, asked.method)
watch(unit, asked.name, live)

# %%
results = study.results([unit], asked.name)
log = study.tables([unit], labels, "iterations", asked.name)
origin(results, asked.name)

# %% [markdown]
# ## In short

# %%
measures = {
    "fresh_policy_loss": "policy loss, fresh", "fresh_value_loss": "value error, fresh",
    "value_loss": "value error, examples", "policy_entropy": "policy entropy", "draws": "draws", "distinct": "distinct games",
}  # fmt: skip
show(
    say(one_run.run_prose(log)),
    report.curves_figure(
        log,
        measures,
        "What the loop records in every iteration. Above: the errors of the network about the search and about the outcome, on fresh games and on its examples. Below: the entropy of the search's policy, and how many of the iteration's games were drawn or differed from all others.",
    ),
)

# %% [markdown]
# Read the panels together. The loss of the {term}`policy` falls when the network learns to predict the search, and the policy's entropy
# falls when the search makes up its mind. The error on *fresh games*, which were played but not yet learned from, is the honest one.
# Hold it against the number of draws: a drawn game is the easiest to predict, so an error that falls while draws rise need not be
# knowledge.
#
# ## What its games look like

# %%
shown = [k for k in (1, 10, 100) if k <= len(log)]
ends = [game(unit.run.game).position(log.loc[log["iteration"] == k, "a_game"].iloc[0]) for k in shown]
boards = draw.boards(
    [draw.board(p, size=186) for p in ends], captions=[f"end of a game in iteration {k}" for k in shown]
)
show(
    pictured(boards, "How a game of self-play ended early, later and late in the run."),
    pictured(
        draw.filmstrip(ends[-1], every=4),
        f"How the last of these games came about: iteration {shown[-1]}, every fourth ply.",
    ),
)

# %% [markdown]
# Do the stones lie as if by chance, or do they threaten and answer? In a game that fills the board neither side let the other
# complete a line.
#
# ## What its network sees
#
# Move the slider, or use the arrow keys on it. The boards show the probabilities that the network alone gives the moves after each
# iteration: in the starting position, and in one where a single move stands out because it wins at once or takes a corner.

# %% tags=["hide-input"]
what_it_saw(unit.run)

# %% [markdown]
# At first all moves look about the same to it. In the position where one move stands out, watch how many iterations pass before the
# network sees, without any search, what a beginner sees at once. Does it ever forget it again?
#
# ## Where the time goes

# %%
costs = labels.join(study.provenance([unit], asked.name))
show(report.stages_table(costs), say(one_run.cost_prose(log, costs)))

# %% [markdown]
# In {term}`self-play` and in the {term}`arena` the searches take the time, and most of theirs goes into asking the network about one
# position after another. The {term}`preset` `laptop` passes once over its examples. Table 5.2 asks for ten passes, which makes training
# far more expensive.
#
# ## Its settings

# %%
parameter_table(unit.run, "Every parameter of the run.")

# %% [markdown]
# Every setting can be changed by its name, as in `-p epochs 3`; the others stay as they are here.
#
# ## Limits
#
# One run shows how things can go, not how they go on average. Two runs that differ only in their seed may end as far apart as two
# methods do.
#
# ## Exercises
#
# 1. Repeat the run without a warm start (`-p method baseline`). Where do the curves differ, and for how long?
#
# <details><summary>A solution</summary>
#
# Look at the value's error on fresh games. It need not be smaller while the warm start lasts: the games are played by another search,
# and their results may be just as hard to predict. Where the curves differ long after the switch, compare two runs of the same method
# before you believe that the method made the difference.
#
# </details>
#
# 2. Let the switch be adaptive (`-p switch adaptive`). When does it switch?
#
# <details><summary>A solution</summary>
#
# The log has a column `balance`: the default search's wins minus its losses. The warm start ends with the first positive one. The page
# on the [adaptive switch](adaptive.ipynb) shows how early that is for eight runs of each kind.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The laptop preset trains one epoch per iteration on a network of 32 channels.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/one_run.py out.ipynb -p board othello -p method rollout -p iterations 20
# ```
#
# says before it begins how long it will take on this machine.
