# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Verdicts: what replicates
#
# **The question.** Which sentences of the sources hold in our data? Every row below is computed from the results that are
# there when the page is made; more runs in `data/` change it without an edit.

# %% tags=["parameters"]
preset: str = "full"  # full: what is published or stored; smoke: seconds
scale: str = "table"  # preset of the runs that are rated: laptop, table or paper
switches: str = "table"  # preset of the adaptive runs up to their switch: table, laptop or paper
workers: int = 0  # worker processes; 0 is one per core

# %%
from wslib.study.claims.evidence import Page
from wslib.study.claims.table import judge, pages
from wslib.study.engine.notebook import numbers, read_parameters, say
from wslib.study.report import verdicts as report

asked = read_parameters(Page, globals())

# %% tags=["remove-stderr"]
evidence = asked.gather()
rows, parts = judge(evidence)

# %% tags=["hide-input"]
say(f"{report.count_prose(rows)} {report.scale_prose(evidence)}")

# %% [markdown]
# ## The seven claims

# %%
report.claim_table(
    report.seven(rows), "The seven claims. The effect is that of the part which the verdict hangs on.", pages(), parts
)

# %% [markdown]
# ## How a verdict is found
#
# The rules for single orderings were fixed before the data were seen. The unit is the training run; for players without
# training it is the game. A claim is cut into parts.
#
# - An *ordering* is **replicated** with the claimed sign and p < 0.05 after Holm's correction over all orderings of its
#   experiment (of the searches without a network: over its pairs of players, and over RHEA's changes); **not replicated** with the opposite sign at that p, or when the 95 % interval of the difference lies below
#   +20 Elo (win rates: 53 %).
# - *No difference*, and a *level*, is **replicated** when the interval lies within ±30 Elo (±3 points) of it, **not
#   replicated** when it lies outside.
# - Everything else is **not decided by these data**, and so is everything about trained players with fewer than five runs a
#   side. *Would decide* says how many runs (or games) would, if effect and spread stay as they look now, with a power of
#   80 %.
# - A claim as a whole is **replicated** when all its parts are, and **not replicated** as soon as one part is refuted; where
#   the source says *nearly always*, nine parts in ten. This last rule, and how claims are cut into parts, is our choice.
#
# Levels are on the scale on which a pool's mean is zero, as in the thesis; they depend on who else is in the pool. *Varies
# most* compares the distances of runs from the median of their kind, and gains in two games are compared as scores against
# Baseline, because Elo of different games has no common scale.
#
# What the sources leave open we read so: *among the best* is whom no other kind is above; *nearly all* games and *nearly always wins*
# mean an interval above nine in ten; a switch is *early* within ten iterations of a hundred; a game *needs* the number of plies that is its
# most frequent length; *steadier* is tested as stronger, because a single match does not show how much an evolution varies.
#
# ## All other sentences
#
# S… are sentences with a number or an ordering, as `data/thesis/statements.csv` lists them; T… are five more.

# %%
report.claim_table(report.outcomes(rows), "Every other ordering, test, level, spread and fact.", pages(), parts)

# %% [markdown]
# ## Designs
#
# Sentences about how something was done claim no outcome; here is whether we do the same.

# %%
report.claim_table(report.designs(rows), "What the sources did, and what we do.", pages())

# %% [markdown]
# ## The parts of every claim

# %% tags=["hide-input"]
report.all_parts(parts)

# %% [markdown]
# ## What this rests on

# %% tags=["hide-input"]
report.sources_table(evidence.frames, evidence.sizes())

# %% [markdown]
# ## Limits
#
# A claim of many parts is hard to replicate: with fifteen orderings, each seen with a power of 80 %, all fifteen show in
# a few of a hundred studies even when all are true. Look at the parts before reading much into a word. What rests on
# fewer runs than the source has (see the designs) may still turn.
#
# ## Exercises
#
# 1. Take the claim with the smallest number of runs that would decide. How long would they take on your machine?
#
# ```{dropdown} A solution
# The explorer has the minutes of every run: multiply them by twice the number that would decide (two sides), and subtract what is
# there. `wslib run warmstart --set runs=12 --set first_seed=100` computes twelve runs of every kind of your own, and their games.
# ```
#
# 2. Change the margin below which an advantage does not matter (`MEASURES` in `wslib/study/statistics/verdicts.py`) from twenty Elo
#    to fifty. Which verdicts change, and in which direction only?
#
# ```{dropdown} A solution
# A larger margin can only turn "not decided" into "not replicated".
# ```
#
# ## Differences from the thesis
#
# 1. The thesis tests games pooled over runs; here the run is the unit.
# 2. Tests are corrected for their number, and "not decided" is a possible answer.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/verdicts.py out.ipynb
# ```
#
# takes about half a minute and computes nothing but the table.

# %% tags=["remove-cell"]
counted = report.counts(rows)
of_seven = dict(zip(report.seven(rows)["id"], report.seven(rows)["verdict"], strict=True))
numbers(
    run_results=report.origin_words(evidence.frames),
    verdicts_replicated=str(counted["replicated"]),
    verdicts_not_replicated=str(counted["not replicated"]),
    verdicts_undecided=str(counted["not decided by these data"]),
    verdicts_total=str(sum(counted.values())),
    verdict_counts=report.count_prose(rows),
    **{f"verdict_{number}": word for number, word in of_seven.items()},
)
