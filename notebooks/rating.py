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
# # Rating and statistics: why the run is the unit
#
# **The question.** The thesis compares training methods by the Bayesian {term}`Elo` of their final networks and by binomial tests
# on the games between them (section 5.5.2). What do such numbers say, and what do they leave out? How often would they find a
# difference between two methods that are equally good?
#
# No claim is tested on this page. At its end you know by which rules the claims about trained players are judged, and why.

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
from wslib.study.pages.base import Orientation
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
# ## The model
#
# Each player $i$ has a rating $R_i$, and whoever moves first has an advantage $a$. A third parameter $d$, {term}`drawelo`, says how likely
# draws are. With $f(x) = 1 / (1 + 10^{-x/400})$, and $z = R_i - R_j + a$ for a game in which $i$ moves first,
#
# $$\begin{aligned}
# P(\text{win}) &= f(z - d), \\
# P(\text{loss}) &= f(-z - d), \\
# P(\text{draw}) &= 1 - P(\text{win}) - P(\text{loss}).
# \end{aligned}$$
#
# This is the model of {cite:t}`rao1967ties`, as Bayesian Elo {cite}`coulom2008whr` has it. The ratings are the most likely ones after
# each player has been given about two virtual draws, spread over the opponents met. This prior keeps a player who won everything
# within bounds. The mean of the ratings is zero. We compare two settings:
#
# - *ours* keeps the colours, and estimates advantage and drawelo from the games;
# - *the thesis'* takes $a = 32.8$ and $d = 97.3$, which are chess values, and adds up the games of both colours as if whoever is listed
#   first had always moved first. The tournaments that the author has published were rated in this way.
#
# The players of [Table 5.1](orientation.ipynb) make a small tournament in each game: four players, 500 games a pair. In the next table
# the same games give two columns of Elo.

# %%
table = Orientation()
pairs = [(unit, labels) for unit, labels in table.asked() if labels["part"] == "table"]
units = [unit for unit, _ in pairs]
labels = table.labels().query("part == 'table'").reset_index(drop=True)
matches = labels.join(study.results(units, table.name))
report.ratings_table(matches)

# %% [markdown]
# Compare the two columns of Elo game by game: does the order of the players stay, and what becomes of the distances between them?

# %%
report.model_table(matches)

# %% [markdown]
# The log-likelihood says how well a setting explains the results: the higher, the better. One value of drawelo cannot fit all games where
# some are often drawn and others hardly ever. The next table shows how far the ratings of the same games spread in either setting.

# %%
ours = report.rated(matches)
report.spans_table(matches)

# %% [markdown]
# The setting changes the length of the whole scale, so Elo values from two settings must not be compared. Nor are those of different
# games, or of different pools of players, ever on one scale.
#
# When the colours are added up, it matters who is listed first. Here are the same games in the thesis' setting, with the list turned
# round:

# %%
report.turned_table(matches, "othello")

# %% [markdown]
# Not a single game was played between the two columns. What moves the ratings is the order in which somebody typed the names.
#
# ## Three kinds of interval
#
# By default, the program that the author used holds all other players fixed (*variance*). His own numbers come from a grid: the
# likelihood of one player's games at every possible rating (*exact*). Ours allow for the fact that ratings vary together
# (*covariance*), and only they give intervals of differences, too. None of the three says anything about players other than these.

# %%
report.intervals_table(matches, next(iter(ours)))

# %% [markdown]
# Compare the widths. The grid moves one rating, and all others together the other way. In a pool of few players that leaves out much of
# the uncertainty. The difference between two players has an interval of its own:

# %%
report.difference_table(matches, "rave", "mcts")

# %% [markdown]
# The interval of the difference says what neither player's own interval can: whether the one is stronger than the other.
#
# ## What a rating rests on
#
# Beside every rating, this book says how many of the games are different, how many were drawn, and what the first move was worth. Players
# without chance and without openings would play two distinct games in five hundred.

# %%
records = study.tables(units, labels, "games", table.name)
report.variety_table(records)

# %% [markdown]
# Where *distinct* is far below the number of games, the interval of a rating promises too much.
#
# One number per player cannot show circles. Where paper beats rock, scissors beat paper and rock beats scissors, all three have the
# same rating. How much of the results do ratings leave unexplained?

# %%
report.cycles_table(matches)

# %% [markdown]
# A share well above what chance leaves would mean that styles matter, and that one number per player hides something.
#
# ## Why the run is the unit
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
# runs do. In the simulation both methods have the same spread, but a permutation test may also react to a difference of spreads. The
# intervals of ratings hold advantage and drawelo fixed. Under another prior, players who win or lose nearly everything have quite
# different ratings.
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
# 2. Turning the list round moved the ratings in Othello. Why up for some players and down for others?
#
# <details><summary>A solution</summary>
#
# The model believes that the player listed first always moved first, which is worth 32.8 Elo, and so it takes the same results for a
# little worse. When the list is turned round, players who always stood first gain, and those who always stood second lose.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Colours are kept, and advantage and drawelo estimated for each game; the thesis' setting is an option.
# 2. Intervals come from the full covariance; the author's are from the grid (*exact*).
# 3. The unit is the run, not the game, with Holm's correction over an experiment; the thesis uses binomial tests at 5 %.
# 4. Standard deviations divide by $n - 1$, except beside Table 6.2, which divides by $n$.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/rating.py out.ipynb -p repetitions 1000 -p seed 1
# ```
#
# says before it begins how long it will take on this machine. So does the published scale with another seed.
