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
# # What came out, and why
#
# Here is the answer as far as it goes, what may explain where we differ from the thesis {cite}`wang2021thesis`, and what would
# change our mind. The [verdicts](verdicts.ipynb) come next.

# %% tags=["parameters"]
preset: str = "full"  # full: what is published or stored; smoke: seconds
scale: str = "table"  # preset of the runs that are rated: laptop, table or paper
switches: str = "table"  # preset of the adaptive runs up to their switch: table, laptop or paper
workers: int = 0  # worker processes; 0 is one per core

# %% tags=["remove-stderr"]
from wslib.study.claims.evidence import Page
from wslib.study.claims.table import judge, pages, pooled, singly
from wslib.study.claims.ways import complete
from wslib.study.engine.notebook import numbers, read_parameters, say, show, show_elsewhere
from wslib.study.engine.store import thesis_table
from wslib.study.report import answer, warm, why
from wslib.study.report import methods as against
from wslib.study.report import verdicts as report
from wslib.study.report.rating import alarms_figure
from wslib.study.statistics import pools

asked = read_parameters(Page, globals())
evidence = asked.gather()
beside = asked.explaining()
rows, parts = judge(evidence)
warmstart, elos = evidence.asked["warmstart"], evidence.elos.get("warmstart")
effects, singles = pooled(elos, warmstart), singly(elos, warmstart)

# %% [markdown]
# ## In short

# %% tags=["hide-input"]
three = answer.in_three(rows, parts, effects, evidence)
forest = answer.forest_figure(effects, singles, warmstart)
ahead = warm.ahead_on_the_way(warm.on_the_way(warm.Tournament(warmstart, (), beside["warmstart"])))
show(three, forest, report.pooled_table(effects), say(warm.head_start_prose(ahead)), warm.way_table(ahead))

# %% [markdown]
# Each panel of the figure is a game. The upper rows are the five {term}`enhancements <enhancement>` one by one; the last row takes them together,
# and so rests on the most runs. A mark to the right of the line at zero means that networks with that start ended stronger. Where
# an interval crosses the line, chance alone may have put the mark there.
#
# The first table takes all warm starts together. That is the cleanest question, because it needs no choice among five methods: do runs with
# *any* warm start end stronger than runs without? The {term}`run` is the unit, not the game. *Power* is the chance that the design, with all its runs, sees a difference of the size named below the
# [verdicts](verdicts.ipynb). Where it is high and the interval lies near zero, the absence of an effect is a finding. Where it is
# low, it is only a lack of runs.
#
# The second table follows the difference along the iterations. Where the numbers of a row begin above zero and fall towards it, the warm
# start was a head start, and runs without one have made up for it, perhaps long before the end. The page
# [on the way](on_the_way.ipynb) follows each enhancement.
#
# ## What could set the two studies apart?
#
# Where we come out as the thesis does, little needs explaining. Where we do not, five candidates come to mind; each is measured
# here as far as its results are there. None of them accuses the thesis: all are choices that its text leaves open, or that were
# usual at the time.
#
# ### How tournaments were played
#
# The thesis rates its final networks in a round robin (section 5.5.2). As far as the author's public programs show, every
# game there starts from the empty board, and the search trees stay from game to game. We let the same networks
# play in four ways, with and without each of these two habits.

# %%
pairs = complete(beside["published_tournaments"])
show(why.variety_figure(pairs), say(why.variety_prose(pairs)))

# %% [markdown]
# Games that repeat each other are one piece of evidence counted many times. [How the tournaments were
# played](published_tournaments.ipynb) has the details, and the ratings that follow from each way.
#
# ### Testing games instead of runs
#
# The thesis reports a binomial test at five percent (section 5.5.2). We take it to pool all games of a method's runs. The next figure
# shows how often such a test finds a difference between two methods that are in fact equal.

# %%
simulated = beside["rating"]
compared = None
if elos is not None:
    pools_there = pools.round_robin(evidence.frame("warmstart", "pool"))
    compared = against.against_baseline(pools_there, elos, warmstart.methods)
show(alarms_figure(simulated), say(why.tests_prose(simulated, compared)))

# %% [markdown]
# All games of one network share its luck. More games make the test surer of that luck, and not of the method.
# [Why the run is the unit](rating.ipynb) explains this, and what we do instead.
#
# ### How long a network learns in each iteration
#
# Table 5.2 asks for ten passes over the examples in every iteration. A network that learns faster may need help for a shorter
# time. The [control](control.ipynb) trains a few runs with one pass, and a few by the letter of the text.

# %%
presets = why.gains(pools.elos_of(beside["control"]), ("laptop", "table", "letter"))
show(why.gains_figure(presets), say(why.gains_prose(presets)))

# %% [markdown]
# ### The weight of the playouts
#
# {term}`WRo` and {term}`WRoRa` mix the network's value with that of a playout, and trust the playout less from iteration to
# iteration. With the adaptive switch the weight is $1/i$, "where i is the current iteration number" (section 6.3.3). If
# methods with a weight differ from the print where those without one agree, the weight is the place to look.

# %%
ratios = why.switch_ratios(evidence.frame("adaptive"), thesis_table("table_6_2"), evidence.scale)
show(why.ratios_figure(ratios), why.ratios_table(ratios), say(why.ratios_prose(ratios)), why.schedules_table())

# %% [markdown]
# Gobang is a case of its own. In Table 6.1 most enhancements win there with an untrained network; by Table 6.2 they lose in the
# first iteration or soon after it. The page on [untrained networks](untrained.ipynb) asks how both can be true.
#
# In the first iteration the weight is one: WRo *is* {term}`Rollout` there and WRoRa *is* {term}`RoRa`, so whatever sets them
# apart comes later. A mixture is hard to beat, because the network and the playout err in different ways, and their mean
# can err less than either. So we expect mixtures to hold out *longer* than pure playouts, and in Table 6.2 they do not.
#
# One guess would explain it. In some programming languages one divided by two is zero when both are whole numbers. The weight would
# then vanish in the second iteration, WRo would be {term}`Baseline` from there on, and every further iteration would be decided as
# if by a fair coin.

# %%
show(
    why.coin_table(ratios, thesis_table("table_6_2"), games=50),
    say(why.coin_prose(ratios, thesis_table("table_6_2"), games=50)),
)

# %% [markdown]
# This is a guess from a few printed numbers. The program of chapter 6 could settle it in a minute; we have not seen it.
#
# ### What RHEA does with illegal moves
#
# Claim 1 hangs on one match: {term}`RHEA` against random play in Othello. The thesis does not say what becomes of a planned move
# that has become illegal (section 5.4).

# %%
rhea = why.rhea_readings(beside["readings"], thesis_table("table_5_1"))
show(why.rhea_figure(rhea), say(why.rhea_prose(rhea)))

# %% [markdown]
# Where illegal moves are replaced by random ones, most of a plan in Othello is lost. The page on [RHEA](rhea.ipynb) takes this
# apart, and the [readings](readings.ipynb) do the same for the other players.
#
# ## What would change our mind

# %%
numbers(run_results=report.origin_words(evidence.frames))
judging = f"**Why we judge by runs, not by games.** All games of a network share its luck. {why.tests_prose(simulated, compared)}"
show_elsewhere(
    answer=three,
    forest=forest,
    judging=answer.paragraphs([judging]),
    strip=answer.strip(rows, pages(), "runs/"),
)
why.turns_table(effects, rows)

# %% [markdown]
# The plain way is more runs: anybody can add them, and every sentence of this page follows. Three things from outside would tell
# us more than any number of runs:
#
# - **the games of the published tournaments**, to see how many of them differ;
# - **the program of chapter 6**, to see how the weight is computed;
# - **a dozen runs with the author's large network**, to see whether its size matters. The preset `paper` is ready for whoever has the
#   graphics cards.
#
# ## Limits
#
# Each explanation is tried alone, and they may act together. That one of them *could* make the difference does not show that it
# did. We compare our numbers with sentences, a few tables, and pictures without data: of the trained players' Elo the thesis
# prints two levels and no more.
#
# ## Exercises
#
# 1. Which of the five candidates could make a warm start look better than it is, and which could only add noise?
#
# <details><summary>A solution</summary>
#
# Repeated games and pooled tests make *any* difference look surer than it is, in whichever direction it happens to point, so they add
# noise that looks like a result. Epochs and weights change the runs themselves, and could make a warm start look better. The reading
# of RHEA touches claim 1 alone, which has nothing to do with trained networks.
#
# </details>
#
# 2. Suppose the weight were zero from the second iteration on. What would become of WRoRa then, which keeps RAVE?
#
# <details><summary>A solution</summary>
#
# In the first iteration it is RoRa, whatever comes later. From the second on it would be RAVE with the network's value, and not Baseline.
# So where it survives the first iteration it should switch as RAVE does. Table 6.2 has no single runs, and cannot say whether it did;
# [our table](adaptive.ipynb) stands beside it.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis judges each enhancement by itself; the effect of all of them together is our addition, and belongs to no claim.
# 2. The explanations are ours. The authors have not been asked, and may know of others.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/what_came_out.py out.ipynb
# ```
#
# takes about half a minute and computes nothing but this page.
