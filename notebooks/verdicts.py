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
# # Verdicts: what replicates
#
# **The question.** Which sentences of the sources hold in our data? Every row below is computed from the results that are there
# when the page is made; more runs change it without an edit. [What came out, and why](what_came_out.ipynb) tells the story behind
# the rows.

# %% tags=["parameters"]
preset: str = "full"  # full: what is published or stored; smoke: seconds
scale: str = "table"  # preset of the runs that are rated: laptop, table or paper
switches: str = "table"  # preset of the adaptive runs up to their switch: table, laptop or paper
workers: int = 0  # worker processes; 0 is one per core

# %%
from wslib.study.claims.evidence import Page
from wslib.study.claims.table import judge, pages
from wslib.study.engine.notebook import numbers, read_parameters, say, show
from wslib.study.report import answer
from wslib.study.report import verdicts as report

asked = read_parameters(Page, globals())

# %% tags=["remove-stderr"]
evidence = asked.gather()
rows, parts = judge(evidence)

# %% [markdown]
# ## In short

# %%
show(say(f"{answer.claims_prose(rows)} {answer.progress_prose(evidence)}"), report.claims_figure(parts))

# %% [markdown]
# A verdict is worth what it rests on. Where few of the runs are there, *open* is the only word that a rule could give.

# %%
show(report.counts_table(rows), report.scale_table(evidence))

# %% [markdown]
# The thesis has eight runs of each kind; where fewer are rated here, verdicts may still turn.
#
# ## The seven claims

# %%
report.claim_table(
    report.seven(rows),
    "The seven claims, in the words of the sources and, in italics, as we read them. Effect and power belong to the weakest "
    "part of a claim, which decides.",
    pages(),
)

# %% [markdown]
# Read the verdict first and the power second. *Open* with a power of ninety percent means that a difference worth having would probably
# have shown; *open* with ten means that nobody has looked closely yet. A claim of many parts falls with one of them, so the column
# *ours* counts the parts.
#
# ## How a verdict is found
#
# The unit is the training run; for players without training it is the game. A claim is cut into parts, most of them an
# {term}`ordering`. Of a part that says *the first is stronger*, the verdict is
#
# - **replicated** with the claimed sign and p < 0.05, after {term}`Holm's correction` {cite}`holm1979` over all orderings of its experiment (of the searches
#   without a network: over its pairs of players, and over RHEA's changes);
# - **the opposite holds** with the other sign at that p;
# - **smaller than the margin** when the 95 % interval of the difference lies below +20 Elo (win rates: 53 %): there may be an
#   advantage, but not one that matters;
# - **open** otherwise, with the number of runs a side (or games) that would decide with a power of 80 % if effect and spread stay as
#   they look now. With fewer than five runs a side everything about trained players is open;
# - **could not be decided by this design** where it is not decided and never can be: where even the most extreme results of all the
#   runs that the experiment asks for leave p, after Holm, at 5 % or more, or where it asks for no such runs.
#
# *No difference*, and a *level*, is **replicated** when the interval lies within ±30 Elo (±3 points) of it; **the opposite holds** when
# it lies outside.
#
# A claim as a whole is **replicated** when all its parts are, which needs no correction. One part refutes it: the claim then has that
# part's verdict, and beside it stands the number of such parts. Where the source says *nearly all* we ask for nine parts in ten, where it
# says *most* for more than half, *often* for half; where it says *at least one*, one replicated part is enough, and all must be
# refuted. How claims are cut into parts is our reading.
#
# *{term}`Power <power>`* is the chance that the design, with all the runs it asks for, sees a difference of 50 Elo (7 points). It is computed at
# the strictest step of Holm's correction, with the spread that the runs have. For *no difference* it is the chance that the interval
# comes to lie within the margin when there is none.
#
# ### What was fixed when
#
# The rules for single orderings were written down before any data were seen. Two corrections were made after the first edition's data
# were seen and before the second's, which are those of this page:
#
# 1. *Simultaneous intervals.* A claim that is true in all of many parts was refuted by one of them in more than a fifth of simulated
#    studies. An interval that refutes a claim of several parts is now simultaneous over them (Bonferroni).
# 2. *The least spread of runs.* Chance in their games alone keeps the ratings of runs apart. Runs that lie closer together than that do so by
#    luck, and prove nothing. So the spread that enters an interval or a test is at least that of the games.
#
# Three changes do not touch the rules. Bounds are compared unrounded, and written with enough digits to agree with the verdict. No interval
# is shown for one or two runs, nor where a bootstrap gives none. And what used to be called *not replicated* and *not decided* has the
# finer names above.
#
# ### How we read what the sources leave open
#
# Levels are on the scale on which a pool's mean is zero, as in the thesis; they depend on who else is in the pool. *Varies
# most* compares the distances of runs from the median of their kind, and gains in two games are compared as scores against
# Baseline, because Elo of different games has no common scale.
#
# *Among the best* is a kind that no other is above; *unclear which is best* means that no length can be told from all the others;
# *nearly always wins* means an interval above nine in ten; a switch is *early* within ten iterations of a hundred; a game *needs* the
# number of plies that is its most frequent length; *steadier* is tested as stronger, because a single match does not show how much an
# evolution varies; a network *improves more quickly* when more of its first ten successors are accepted.
#
# ## All other sentences
#
# S… are sentences with a number or an ordering, T… five more; the table of statements in `data/thesis` has them all, with their
# quotations.

# %%
report.claim_table(report.outcomes(rows), "Every other ordering, test, level, spread and fact.", pages())

# %% [markdown]
# A sentence that is open is not refuted: its runs are missing, or they are too few to tell what it says from its opposite.
#
# ## Designs
#
# Sentences about how something was done claim no outcome; here is whether we do the same.

# %%
report.claim_table(report.designs(rows), "What the sources did, and what we do.", pages())

# %% [markdown]
# Where we do otherwise, a difference in outcome may come from there; [what came out, and why](what_came_out.ipynb) follows the largest of them.
#
# ## The parts of every claim

# %% tags=["hide-input"]
report.all_parts(parts)

# %% [markdown]
# A claim that falls, falls with one of these rows. The simultaneous interval is the one that counts: it holds for all parts at once.
#
# ## What this rests on

# %% tags=["hide-input"]
report.sources_table(evidence.frames, evidence.sizes())

# %% [markdown]
# Whoever doubts a verdict can begin here, with what was read for it.
#
# ## Limits
#
# A claim of many parts is hard to replicate: with fifteen orderings, each seen with a power of 80 %, all fifteen show in
# a few of a hundred studies even when all are true. Look at the parts before reading much into a word, and at the power before
# reading much into *open*. What rests on
# fewer runs than the source has (see the designs) may still turn.
#
# ## Exercises
#
# 1. Take the claim with the smallest number of runs that would decide. How long would they take on your machine?
#
# <details><summary>A solution</summary>
#
# The explorer has the minutes of every run: multiply them by twice the number that would decide (two sides), and subtract what is
# there. `wslib run warmstart --set runs=12 --set first_seed=100` computes twelve runs of every kind of your own, and their games.
#
# </details>
#
# 2. Suppose the margin below which an advantage does not matter were fifty Elo, and not twenty. Which verdicts could change, and in
#    which direction only?
#
# <details><summary>A solution</summary>
#
# A larger margin can only turn "open" into "smaller than the margin".
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis tests games pooled over runs; here the run is the unit.
# 2. Tests are corrected for their number, and "open" is a possible answer.
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
numbers(run_results=report.origin_words(evidence.frames))
