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
# # Beyond the sources
#
# **The question.** What else could matter? The sources end with what they did not try ({cite:t}`wang2020warmstart`, section 8; thesis,
# section 6.7), such as other enhancements as the warm start, and larger games with deeper lines. And its protocol makes choices that may
# matter more than any warm start. This page tries some of them with very few runs: it says where to look, and decides nothing.

# %% tags=["parameters"]
preset: str = "laptop"  # scale of a run: smoke, laptop, table, paper or letter
boards: str = "connect4,othello"  # games learned
methods: str = "baseline,wrora"  # kinds without a change
runs: int = 2  # runs of each kind (seeds 0, 1, ...)
first_seed: int = 0  # seed of the first run of each kind; another one than 0 asks for runs of your own
iterations: int = 30  # I: iterations of a run
games: int = 20  # games a pair of the tournament
compute: bool = True  # compute what is missing, after a sentence that says how long it takes; False: show what there is
device: str = "preset"  # what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says
runtime: str = "preset"  # who computes: compiled (our kernels, on a processor), torch, or as the device needs
precision: str = "preset"  # in which torch multiplies matrices: float32, or with fewer bits bfloat16 or float16
workers: int = 0  # worker processes; 0 is one per core, or per GPU where one is used

# %%
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.pages.warm import Beyond
from wslib.study.report import warm as report

asked = read_parameters(Beyond, globals())
kinds = [*asked.methods, *asked.CHANGES]

# %% tags=["remove-stderr"]
there = report.Tournament(asked, *results_of(asked))
elos = there.elos
origin(there.found, asked.name)

# %% [markdown]
# ## In short

# %%
show(
    say(report.farthest_prose(elos)),
    report.elo_figure(
        elos, kinds, "How strong the final networks are, by kind of run: Elo, with the random player at 0."
    ),
)

# %% [markdown]
# Look first for kinds that are far from {term}`Baseline` in *every* game, because one game alone may be luck. The larger game is Connect
# Four on six rows and seven columns, as it is sold.
#
# ## What is there

# %%
show(say(report.coverage_prose(there)), report.coverage_table(there))

# %% [markdown]
# A dash means that such runs are not asked for.
#
# ## Elo of the final networks
#
# The networks meet each other, a random player (Elo 0) and {term}`MCTS` without a network.

# %%
show(
    report.elo_table(elos, kinds, "How strong the final networks of each kind are."),
    report.pools_table(there),
    report.beyond_table(elos),
)

# %% [markdown]
# Where a choice of the loop moves a run by more than any warm start does, take it as a warning: whoever compares two studies of warm
# starts should first ask whether their loops are the same.
#
# ## Limits
#
# Two runs of each kind show only effects of a hundred Elo and more, if any. Everything here is a question for more runs.
#
# ## Exercises
#
# 1. Add a kind of your own, for instance a shorter warm start, and run this
#    notebook again.
#
# <details><summary>A solution</summary>
#
# The kinds are the list `CHANGES` of the class `Beyond`, which this page imports. A kind is a name, a method and the
# parameters of a run that it changes: `"WRo, I' = 3": ("wro", {"warm_iterations": 3})`. Only its own runs and games are computed; all
# others are read.
#
# </details>
#
# 2. RHEA's policy is one-hot: all weight on the move it played. What does that teach a network about the other moves?
#
# <details><summary>A solution</summary>
#
# It teaches that they are all equally bad, even those that are as good as the one played. Which of several good moves RHEA picks is
# chance, so there is little to predict. Compare the policy's loss while RHEA plays with that while WRoRa plays, whose visits say how much
# better one move is than another (`data/beyond/iterations.csv.gz`).
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis compares none of these. Ten epochs are its own value (Table 5.2), from which the preset `laptop` departs.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/beyond.py out.ipynb -p preset smoke
# ```
#
# says before it begins how long it will take on this machine.
