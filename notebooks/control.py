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
# # A control: one epoch, and the text to the letter
#
# **The question.** The page on [five iterations](warmstart.ipynb) rests on runs of the {term}`preset` `table`, which has every value of
# Table 5.2 and so passes ten times over its examples in each iteration. The preset `laptop` passes once, and its runs cost a fraction.
# What is lost? And does a network that learns faster have less use for a warm start?
#
# A few runs of {term}`Baseline` and {term}`WRoRa` are trained with one epoch, and meet the runs of the same seeds with ten in one
# tournament. So do runs of the preset `letter`. Where the sources' text leaves a choice open, or says what we doubt, `table` has our
# reading; `letter` takes the text word for word: policies by Q, a gate that counts draws against the new network, and an action counted
# by RAVE for whoever used it first. The text is silent about the arena's openings and trees; there `letter` follows the author's earlier
# program, which plays from the empty board and keeps the trees.

# %% tags=["parameters"]
preset: str = "table"  # scale of a run: smoke, laptop, table, paper or letter
beside: str = "laptop,letter"  # scales of the runs that they are compared with
boards: str = "connect4,othello,gobang"  # games learned
methods: str = "baseline,wrora"  # Baseline and the enhancements
runs: int = 3  # runs of each kind (seeds 0, 1, ...)
first_seed: int = 0  # seed of the first run of each kind; another one than 0 asks for runs of your own
iterations: int = 100  # I: iterations of a run
games: int = 20  # games a pair of the tournament
compute: bool = True  # compute what is missing, after a sentence that says how long it takes; False: show what there is
device: str = "preset"  # what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says
runtime: str = "preset"  # who computes: compiled (our kernels, on a processor), torch, or as the device needs
precision: str = "preset"  # in which torch multiplies matrices: float32, or with fewer bits bfloat16 or float16
workers: int = 0  # worker processes; 0 is one per core, or per GPU where one is used

# %%
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.pages.warm import Control
from wslib.study.report import warm as report
from wslib.study.report import why

asked = read_parameters(Control, globals())

# %% tags=["remove-stderr"]
there = report.Tournament(asked, *results_of(asked))
elos = there.elos
kinds = list(dict.fromkeys(there.wanted["kind"]))
gains = why.gains(elos, asked.scales)
origin(there.found, asked.name)

# %% [markdown]
# ## In short

# %%
show(say(why.gains_prose(gains)), why.gains_figure(gains))

# %% [markdown]
# If the preset mattered for what a warm start gives, the marks of one panel would lie apart. With three runs a side their lines are
# long, so marks that lie close together are no proof that the preset does not matter.
#
# ## What is there

# %%
show(say(report.coverage_prose(there)), report.coverage_table(there))

# %% [markdown]
# A comparison needs runs of the same seeds with both presets.
#
# ## The final networks
#
# All networks of a game and a random player (Elo 0) meet in one round robin, by the rules of [five iterations](warmstart.ipynb), so all
# presets stand on one scale. A run whose network is not at hand cannot meet all others, and is not rated.

# %%
report.elo_figure(
    elos, kinds, "How strong the final networks are, by method and preset: Elo, with the random player at 0."
)

# %% [markdown]
# There are two comparisons in this figure: methods within a preset, and presets within a method. The second says what ten epochs buy.
# Expect it to be the larger one, because a preset changes every iteration of a run, and a warm start changes five of a hundred.

# %%
show(
    report.elo_table(elos, kinds, "How strong the final networks of each method and preset are."),
    report.pools_table(there),
)

# %% [markdown]
# A handful of networks makes a small pool. Before you trust a mean, look at how many games differ, and at the score of the first mover.
#
# ## What one epoch costs, and what the letter changes
#
# How much is WRoRa above Baseline in each preset, and how much does a method gain by the preset? So few runs carry no verdict, and none
# is given.

# %%
report.scale_table(elos, asked.methods, asked.scales)

# %% [markdown]
# Where two rows differ by less than the spread of their runs, the preset is not what decides.
#
# ## Limits
#
# With so few runs of each kind, only a difference much larger than the spread of runs can be seen. All of them have the compact network;
# the author's is the preset `paper`. The pages on [the protocol](protocol.ipynb) and [beyond the sources](beyond.ipynb) show what ten
# epochs do within thirty iterations.
#
# ## Exercises
#
# 1. Ten epochs cost several times as much as one. Which would you rather have: a run of the preset `table`, or a laptop
#    run of five hundred iterations? Try it with `-p preset laptop -p iterations 500`.
#
# <details><summary>A solution</summary>
#
# It depends on what the runs still lack. Ten epochs pass ten times over the same games; five hundred iterations play new ones. Watch
# how many networks the arena accepts late in both runs: where few are, neither more passes nor more games of the same kind will change
# that quickly. Where the table above shows no gain by ten epochs, the time is better spent on another seed.
#
# </details>
#
# 2. Where in a run does the preset matter most? Rate the kept networks of both presets by iteration.
#
# <details><summary>A solution</summary>
#
# Run the page [on the way](on_the_way.ipynb) with `-p preset laptop -p methods baseline,wrora -p runs 3`: it
# plays and rates the networks that were kept. One expects the difference early, because ten epochs learn the first examples faster;
# later both have seen each example often enough.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The network has 32 channels, and one symmetry of each position is drawn instead of all being learned.
# 2. Openings, colours, ratings and tests are as in [five iterations](warmstart.ipynb).
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/control.py out.ipynb -p preset smoke
# wslib run control --set runs=4 --set boards=connect4 --kind run
# ```
#
# The first takes a minute. The second trains a fourth run of either method with each preset, which takes twenty minutes on two cores.
