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
# # Why the run is the unit
#
# **The question.** The thesis compares training methods by the Bayesian {term}`Elo` of their final networks and by a binomial test
# (section 5.5.2). It does not say on which games; we take it to pool those of all runs. How often would such a test find a difference
# between two methods that are equally good?
#
# No claim is tested on this page. At its end you know by which rules the claims about trained players are judged, and why.
# [Elo](elo.ipynb) explains what a rating is.

# %% tags=["parameters"]
preset: str = "full"  # full: the published scale; smoke: seconds (at most 20 tournaments)
runs: int = 8  # runs of each method
games: int = 20  # games a pair, half with each colour
spreads: str = "0,25,50,100"  # standard deviations of runs, in Elo
repetitions: int = 4000  # tournaments simulated
seed: int = 0  # seed of all random streams
workers: int = 0  # worker processes; 0 is one per core

# %%
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, say, show
from wslib.study.names import p_value
from wslib.study.report import rating as report
from wslib.study.statistics.simulate import FalseAlarms
from wslib.study.statistics.stats import runs_to_decide

asked = read_parameters(FalseAlarms, globals())

# %% tags=["remove-stderr"]
results = study.results(asked.units(), asked.name, asked.workers)
simulated = asked.labels().join(results)
origin(results, asked.name)

# %% [markdown]
# ## In short

# %%
show(say(report.alarms_prose(simulated, asked.runs, asked.repetitions)), report.alarms_glance(simulated))

# %% [markdown]
# Every filled square is a paper that reports a difference where there is none. A test that keeps its promise fills about five. The next
# figure shows what the luck of runs and repeated games do to that number.

# %%
report.alarms_figure(simulated)

# %% [markdown]
# To the right, runs of one method differ more and more. See which tests stay near the dotted line, and which find more and more
# differences that are not there.
#
# ## How often false alarms come
#
# A training run has luck of its own. The same method with another seed ends with another network, stronger or weaker, and
# *all* games of that network share this luck. Twenty more games between the same two networks say more about these two, and
# nothing more about the methods. So whoever counts games as independent evidence about methods will sooner or later find a
# difference. A simulation shows how often.

# %%
show(
    say(
        f"Two methods are equally good: each makes {asked.runs} runs, whose true strengths are drawn from the same normal "
        f"distribution. All {2 * asked.runs} players meet in a round robin of {asked.games} games a pair, half with each colour. "
        "Then the two methods are compared: by a binomial test on the games between them, by the interval of the rating "
        f"difference, and by two tests on the {2 * asked.runs} ratings. Every difference that is found is a false alarm. We do "
        f"this {asked.repetitions:,} times for each spread of the runs."
    ),
    report.alarms_table(simulated),
)

# %% [markdown]
# Where runs do not differ at all and every game is a new one, the pooled test should be right, because nothing varies but the games.
# Where games are repeated, as between players that always play their best move, it is wrong even then, because it counts a game again
# and again that was played once.
#
# Repeated games do the same to the intervals of single ratings:

# %%
report.coverage_table(simulated)

# %% [markdown]
# Each of these intervals should hold the truth in ninety-five cases of a hundred. One that holds it in fewer promises too much.
#
# ## What is reported, and when something is decided
#
# - Per game: every run's rating, their mean, their standard deviation (divided by $n - 1$; that of switch iterations by $n$, as in
#   the thesis' Table 6.2), and the t interval of the mean.
# - Two methods: the difference of the means with Welch's interval; the permutation test on runs, exact where it can be;
#   {term}`Holm's correction` {cite}`holm1979` over all orderings of an experiment; the probability that a run of one beats a run of the other. The
#   pooled binomial test stands beside it, for comparison with the thesis.
# - Over several games: expected scores, as Elo of different games cannot be averaged; their interquartile mean, with a
#   bootstrap stratified by game.
#
# The rules are on the page of the [verdicts](verdicts.ipynb): an ordering is *replicated* at a corrected p below 5 %, and with fewer
# than five runs a side nothing is decided. Here is why, and how many runs it takes to see a difference:

# %%
show(
    say(
        "The smallest p that a permutation test can give is "
        + " and ".join(f"{p_value(report.smallest_p(n))} with {n} runs a side" for n in (4, 5))
        + f". If runs have a standard deviation of 50 Elo, a difference of 50 Elo takes {runs_to_decide(50, 50)} runs a side, "
        f"and one of 25 Elo takes {runs_to_decide(25, 50)}."
    ),
    report.runs_table(sds=(25, 50, 100), effects=(25, 50, 75, 100, 150), tests=5),
)

# %% [markdown]
# Half the difference takes four times the runs. That is why small effects stay open for so long.
#
# ## Limits
#
# Real runs need not be normally distributed. The permutation test does not assume that they are; the t intervals and the numbers of
# runs do. In the simulation both methods have the same spread, but a permutation test may also react to a difference of spreads.
#
# ## Exercises
#
# 1. Do more games a pair help the pooled binomial test? Run with `-p games 100` and look at the false alarms again.
#
# <details><summary>A solution</summary>
#
# No. The test overlooks the spread of runs. More games leave less to chance in the games, but the spread of runs stays, and stands out
# all the more. So there are more false alarms.
#
# </details>
#
# 2. Two methods have eight runs each, and the permutation test gives a p of three in a hundred. The sources make five such statements. What does Holm's
#    correction make of it?
#
# <details><summary>A solution</summary>
#
# If it is the smallest of the five, it is multiplied by five: fifteen in a hundred, and nothing is shown. One false alarm in twenty tests is what a test
# at 5 % promises; whoever makes five of them will have one in nearly a quarter of such studies.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The unit is the run, not the game, with Holm's correction over an experiment; the thesis uses binomial tests at 5 %.
# 2. Standard deviations divide by $n - 1$, except beside Table 6.2, which divides by $n$.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/rating.py out.ipynb -p repetitions 1000 -p seed 1
# ```
#
# says before it begins how long it will take on this machine. So does the published scale with another seed.
