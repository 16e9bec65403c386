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
# **The question.** Which sentences of the thesis and its papers hold in our data? Every row below is computed from the results that are
# there when the page is made, and follows when more runs are added. [What came out, and why](what_came_out.ipynb) tells the story
# behind the rows.

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
# A verdict is worth what it rests on. While few of the runs are there, the rules can only call most parts *open*.

# %%
show(report.counts_table(rows), report.scale_table(evidence))

# %% [markdown]
# The thesis has eight runs of each kind. Where fewer are rated here, verdicts may still turn.
#
# ## The seven claims

# %%
report.claim_table(
    report.seven(rows),
    "The verdicts on the seven claims, which stand here in the words of the sources and, in italics, as we read them. Effect and "
    "power are those of the weakest part of a claim, which decides.",
    pages(),
)

# %% [markdown]
# Read the verdict first and the power second. *Open* with a power of ninety percent means that a difference of fifty Elo would probably
# have shown, though a smaller one that matters may still be there; *open* with ten percent means that nobody has looked closely yet. A claim of many parts falls with one of them, so the
# column *ours* counts the parts.
#
# ## How a verdict is found
#
# The unit is the training run; for players without training it is the game. A claim is cut into parts, and most parts are
# {term}`orderings <ordering>`. A part that says *the first is stronger* is called
#
# - **replicated** if the difference has the claimed sign and p < 0.05, after {term}`Holm's correction` {cite}`holm1979` over all
#   orderings of its experiment (for searches without a network: over its pairs of players, and over RHEA's changes);
# - **the opposite holds** if the difference has the other sign at that p;
# - **smaller than the margin** if the 95 % interval of the difference lies below +20 Elo (win rates: 53 %): there may be an
#   advantage, but not one that matters;
# - **open** otherwise, with the number of runs a side (or games) that would decide with a power of 80 % if effect and spread stay as
#   they look now. With fewer than five runs a side everything about trained players is open;
# - **could not be decided by this design** if it is not decided and never can be. Then even the most extreme results of all the
#   runs that the experiment asks for leave p, after Holm, at 5 % or more, or the experiment asks for no such runs.
#
# A part that says *no difference*, or that names a *level*, is **replicated** when the interval lies within ±30 Elo (±3 points) of it;
# **the opposite holds** when the interval lies outside.
#
# A part that says *not above* is read the other way round: it is **replicated** where *the first is stronger* would be smaller than the
# margin or its opposite would hold, and **the opposite holds** where the first is shown to be stronger. The p beside it is that of *the
# first is stronger*, and need not be small.
#
# A claim as a whole is **replicated** when all its parts are, which needs no correction. One part can refute it. The claim then has that
# part's verdict, with the number of such parts beside it. Where the source says *nearly all*, we ask for nine parts in ten; where it
# says *most*, for more than half; where it says *often*, for half. Where it says *at least one*, one replicated part is enough, and
# only when all parts are refuted is the claim refuted. How claims are cut into parts is our reading.
#
# *{term}`Power <power>`* is the chance that the design, with all the runs it asks for, sees a difference of 50 Elo (7 points). It is
# computed at the strictest step of Holm's correction, with the spread that the runs have. For *no difference* it is the chance that the
# interval lies within the margin when there is in fact no difference.
#
# ### What was fixed when
#
# The rules for single orderings were written down before any data were seen. Two corrections came after the data of the first edition
# were seen, and before those of the second, which are on this page:
#
# 1. *Simultaneous intervals.* In more than a fifth of simulated studies, a claim whose many parts were all true was refuted by one of
#    them. Now an interval that refutes a claim of several parts must be simultaneous over them (Bonferroni).
# 2. *The least spread of runs.* Chance in their games alone keeps the ratings of runs apart. Runs that lie closer together do so by luck,
#    and prove nothing. So the spread that enters an interval or a test is at least that of the games.
#
# Three changes do not touch the rules. Bounds are compared unrounded, and written with enough digits to agree with the verdict. No
# interval is shown for one or two runs, nor where a bootstrap gives none. And what used to be called *not replicated* and *not decided*
# now has the finer names above.
#
# ### How we read what the sources leave open
#
# - Levels are on the scale on which a pool's mean is zero, which we assume for the thesis, too; they depend on who else is in the pool.
# - *Varies most* compares the distances of runs from the median of their kind.
# - Gains in two games are compared as scores against Baseline, because Elo of different games has no common scale.
# - *Among the best* is a kind that no other is above.
# - *Unclear which is best* holds when an advantage of the best length over some other is smaller than the margin. It fails when one
#   length is above all others, and is open otherwise.
# - *Nearly always wins* means an interval above nine in ten.
# - A switch is *early* within ten iterations of a hundred.
# - A game *needs* the number of plies that is its most frequent length.
# - *Steadier* is tested as stronger, because a single match does not show how much an evolution varies.
# - A network *improves more quickly* when more of its first ten successors are accepted.
#
# ## All other sentences
#
# The sources make many more statements. Those called *S* and a number come from the table of statements in `data/thesis`, which quotes
# them all; those called *T* are five more.

# %%
report.claim_table(report.outcomes(rows), "The verdicts on every other sentence about an outcome.", pages())

# %% [markdown]
# A sentence that is open is not refuted: its runs are missing, or they are too few to tell it from its opposite.
#
# ## Designs
#
# Some sentences claim no outcome but say how something was done. Do we do the same?

# %%
report.claim_table(report.designs(rows), "What the sources did, and whether we do the same.", pages())

# %% [markdown]
# Where we do otherwise, a difference in outcome may come from there. [What came out, and why](what_came_out.ipynb) follows the largest of
# these differences.
#
# ## The parts of every claim

# %% tags=["hide-input"]
report.all_parts(parts)

# %% [markdown]
# A claim that is refuted is refuted by one of these rows. The simultaneous interval is the one that counts, because it holds for all parts
# at once.
#
# ## What this rests on

# %% tags=["hide-input"]
report.sources_table(evidence.frames, evidence.sizes())

# %% [markdown]
# If you doubt a verdict, begin here: these are the results that were read for it.
#
# ## Limits
#
# A claim of many parts is hard to replicate: of fifteen true orderings, each seen with a power of 80 %, all fifteen show in only a few of
# a hundred studies. So look at the parts before you read much into a verdict, and at the power before you read much into *open*. What
# rests on fewer runs than the thesis has may still turn.
#
# ## Exercises
#
# 1. Take the claim with the smallest number of runs that would decide. How long would they take on your machine?
#
# <details><summary>A solution</summary>
#
# The explorer has the minutes of every run. Multiply them by twice the number that would decide, because there are two sides, and
# subtract what is there. `wslib run warmstart --set runs=12 --set first_seed=100` computes twelve runs of every kind of your own, and
# their games.
#
# </details>
#
# 2. Suppose the margin below which an advantage does not matter were fifty Elo, and not twenty. Which verdicts could change, and in
#    which direction only?
#
# <details><summary>A solution</summary>
#
# A part that claims an advantage can turn from *open*, or from *could not be decided*, into *smaller than the margin*. One that claims
# *not above*, or *unclear which is best*, can turn into *replicated*. None turns the other way, and what p decided stays. A whole claim
# follows its parts.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis' binomial test pools the games of all runs, as we understand it; here the run is the unit.
# 2. Tests are corrected for their number, and *open* is a possible answer.
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
