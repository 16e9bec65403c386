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
# on the games between them (section 5.5.2). What do such numbers say, what do they leave out, and how often would they find a
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
show(say(report.alarms_prose(simulated, asked.runs, asked.simulated)), report.alarms_glance(simulated))

# %% [markdown]
# Every filled square is a paper that reports a difference where there is none. A test that keeps its promise fills about five. How that hangs on
# the luck of runs and on repeated games:

# %%
report.alarms_figure(simulated)

# %% [markdown]
# The dotted line is what a test at 5 % promises. A curve above it finds differences that are not there, and the more runs of one method
# vary (to the right), the worse it may get. See which of the tests stay near the line: those that count games, or those that count runs.
#
# ## The model
#
# Each player $i$ has a rating $R_i$, whoever moves first an advantage $a$. With $z = R_i - R_j + a$ for a game in which $i$
# moves first, $f(x) = 1 / (1 + 10^{-x/400})$ and a third parameter $d$, *drawelo*,
#
# $$\begin{aligned}
# P(\text{win}) &= f(z - d), \\
# P(\text{loss}) &= f(-z - d), \\
# P(\text{draw}) &= 1 - P(\text{win}) - P(\text{loss}).
# \end{aligned}$$
#
# This is the model of {cite:t}`rao1967ties`, as Bayesian Elo {cite}`coulom2008whr` has it. The ratings are the most likely ones, after
# each player got about two virtual draws, spread over the opponents met: this prior keeps a player who won everything within
# bounds. Their mean is zero. Two settings are compared:
#
# - *ours*: colours kept; advantage and drawelo estimated from the games;
# - *the thesis'*: $a = 32.8$ and $d = 97.3$, which are chess values, and the games of both colours added up and entered
#   as if whoever is listed first had always moved first. The author's published tournaments were made so.
#
# The players of [Table 5.1](orientation.ipynb) make a small tournament per game: four players, 500 games a pair. In the next table,
# the same games give two columns of Elo.

# %%
table = Orientation()
pairs = [(unit, labels) for unit, labels in table.asked() if labels["part"] == "table"]
units = [unit for unit, _ in pairs]
labels = table.labels().query("part == 'table'").reset_index(drop=True)
matches = labels.join(study.results(units, table.name))
report.ratings_table(matches)

# %% [markdown]
# Compare the two columns of Elo game by game. The order of the players stays; the distances between them do not.

# %%
report.model_table(matches)

# %% [markdown]
# The log-likelihood says how well a setting explains the results: the higher, the better. One value of {term}`drawelo` for all games
# cannot fit, because draws are as good as unknown in one game and common in another. How far the ratings of the same games spread
# with either setting:

# %%
ours = report.rated(matches)
report.spans_table(matches)

# %% [markdown]
# A setting that expects more draws than there are takes a win for less surprising or more, and the whole scale shrinks or stretches
# with it. Elo of different games, or of different pools of players, is never on one scale.
#
# With the colours added up, it matters who is listed first. The same games in the thesis' setting, the list turned round:

# %%
report.turned_table(matches, "othello")

# %% [markdown]
# Nothing was played between the two columns. What moves a rating here is the order in which somebody typed the names.
#
# ## Three kinds of interval
#
# The default of the program that the author used holds all other players fixed (*variance*). His own numbers come from a grid: the
# likelihood of one player's games at every possible rating (*exact*). Ours take into account that ratings vary together
# (*covariance*); only in this way do differences have intervals, too. None of the three says anything about other players than these.

# %%
report.intervals_table(matches, next(iter(ours)))

# %% [markdown]
# Compare the widths. The grid lets one rating move and all others together the other way: in a pool of few players that leaves out much
# of what is uncertain. The difference of two players, with its interval:

# %%
report.difference_table(matches, "rave", "mcts")

# %% [markdown]
# An interval of the difference says what neither player's own interval can: whether the one is stronger than the other.
#
# ## What a rating rests on
#
# Beside every rating of this book stands how many of the games are different, how many were drawn, and what the first move
# was worth. Deterministic players without openings would show two distinct games in five hundred.

# %%
records = study.tables(units, labels, "games", table.name)
report.variety_table(records)

# %% [markdown]
# Where *distinct* is far below the number of games, the interval of a rating promises too much.
#
# One number per player cannot show circles. If paper beats rock, scissors beat paper and rock beats scissors, all three have the
# same rating. How much of the results do ratings leave unexplained?

# %%
report.cycles_table(matches)

# %% [markdown]
# A share well above what chance leaves would mean that styles matter, and that one number per player hides something.
#
# ## Why the run is the unit
#
# A training run has luck of its own: the same method with another seed ends with another network, stronger or weaker, and
# *all* games of that network share the luck. Twenty more games between the same two networks say more about these two, and
# nothing more about the methods. Whoever counts games as if they were independent evidence about methods will sooner or
# later find a difference.
#
# We can simulate how often that happens.

# %%
show(
    say(
        f"Two methods are equally good: each makes {asked.runs} runs, whose true strengths are drawn from the same normal "
        f"distribution. All {2 * asked.runs} players meet in a round robin of {asked.games} games a pair, half with each colour. "
        "Then the two methods are compared: by a binomial test on the games between them, by the interval of the rating "
        f"difference, and by two tests on the {2 * asked.runs} ratings. Every difference that is found is a false alarm. That is "
        f"done {asked.simulated:,} times for each spread of the runs."
    ),
    report.alarms_table(simulated),
)

# %% [markdown]
# Without any spread of runs, and with every game a new one, the pooled test is right: then games are all that varies. If
# games are repeated, as between players that always play their best move, it is wrong even then, because games are counted
# over and over that were played once.
#
# Repeated games do the same to the intervals of single ratings, which should hold the truth in ninety-five cases of a hundred:

# %%
report.coverage_table(simulated)

# %% [markdown]
# An interval that should hold the truth in ninety-five cases of a hundred, and holds it in fewer, promises more than it keeps.
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
# How much is needed to see how much, the next table says. The rules are on the page of the [verdicts](verdicts.ipynb): an ordering is *replicated* at a corrected p below 5 %, and with fewer
# than five runs a side nothing is decided. Here is why:

# %%
show(
    say(
        "The smallest p that a permutation test can give is "
        + ", ".join(f"{p_value(report.smallest_p(n))} with {n} runs a side" for n in (3, 4, 5, 8))
        + f". If runs have a standard deviation of 50 Elo, a difference of 50 Elo takes {runs_to_decide(50, 50)} runs a side, "
        f"and one of 25 Elo {runs_to_decide(25, 50)}."
    ),
    report.runs_table(sds=(25, 50, 100), effects=(25, 50, 75, 100, 150), tests=5),
)

# %% [markdown]
# Halving the difference takes four times the runs: that is why small effects stay open for so long.
#
# ## Limits
#
# Real runs need not be normally distributed; the permutation test does not assume it, the t intervals and the numbers of
# runs do. In the simulation both methods have the same spread: a permutation test may also react to a difference of
# spreads. The intervals of ratings hold advantage and drawelo fixed. With another prior, ratings of players who win or lose
# nearly everything move by much.
#
# ## Exercises
#
# 1. Do more games a pair help the pooled binomial test? Run with `-p games 100` and look at the false alarms again.
#
# <details><summary>A solution</summary>
#
# Its error is to overlook the spread of runs. More games make the chance of the games smaller, and the spread of runs, which
# stays, stands out the more: more false alarms.
#
# </details>
#
# 2. Turning the list round moved ratings in Othello. Why upwards for some and downwards for others?
#
# <details><summary>A solution</summary>
#
# The model believes that the first-listed player always had the first move, worth 32.8 Elo; the same results then look a
# little worse. Turned round, those who were always listed first gain, and those always listed second lose.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Colours are kept, and advantage and drawelo estimated for each game; the thesis' setting is an option.
# 2. Intervals come from the full covariance; the author's are from the grid (*exact*).
# 3. The unit is the run, not the game, with Holm's correction over an experiment; the thesis uses binomial tests at 5 %.
# 4. Standard deviations divide by $n - 1$, but beside Table 6.2, which divides by $n$.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/rating.py out.ipynb -p repetitions 1000 -p seed 1
# ```
#
# says before it begins how long it will take on this machine, and so does the published scale with another seed.
