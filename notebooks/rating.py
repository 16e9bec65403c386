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
# **The question.** The thesis compares training methods by the Bayesian Elo of their final networks and by binomial tests
# on the games between them. What do such numbers say, what do they leave out, and how often would they find a difference
# between two methods that are equally good?
#
# No claim is tested on this page. It says by which rules the claims about trained players are judged.

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
from wslib.study.engine.notebook import numbers, origin, read_parameters, say
from wslib.study.pages.base import Orientation
from wslib.study.report import rating as report
from wslib.study.report.look import p_value, percent
from wslib.study.statistics.pairings import ordered_pairs
from wslib.study.statistics.rating import THESIS, rate
from wslib.study.statistics.simulate import FalseAlarms
from wslib.study.statistics.stats import runs_to_decide

asked = read_parameters(FalseAlarms, globals())

# %% tags=["remove-stderr"]
results = study.results(asked.units(), asked.name, asked.workers)
simulated = asked.labels().join(results)
origin(results, asked.name)

# %%
report.alarms_glance(simulated)

# %% [markdown]
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
# The ratings are the most likely ones, after each player got about two virtual draws, spread over the opponents met: this
# prior keeps a player who won everything within bounds. Their mean is zero. Two settings are compared:
#
# - *ours*: colours kept; advantage and drawelo estimated from the games;
# - *the thesis'*: $a = 32.8$ and $d = 97.3$, which are chess values, and the games of both colours added up and entered
#   as if whoever is listed first had always moved first. The author's published tournaments were made so.
#
# The players of [Table 5.1](orientation.ipynb) make a small tournament per game: four players, 500 games a pair.

# %%
table = Orientation()
pairs = [(unit, labels) for unit, labels in table.asked() if labels["part"] == "table"]
units = [unit for unit, _ in pairs]
labels = table.labels().query("part == 'table'").reset_index(drop=True)
matches = labels.join(study.results(units, table.name))
report.ratings_table(matches)

# %%
report.model_table(matches)

# %% tags=["hide-input"]
ours = report.rated(matches)
draws = {board: float(rating.frame()["draws"].mean()) for board, rating in ours.items()}
drawn = max(draws, key=draws.get)
spans = {
    board: (float(rating.elo.max() - rating.elo.min()), float(other.elo.max() - other.elo.min()))
    for (board, rating), other in zip(ours.items(), report.rated(matches, report.THESIS).values(), strict=True)
}
say(
    "One drawelo for all games cannot be right: it stretches ratings where draws are rare. From the strongest to the "
    "weakest player it is "
    + ", ".join(
        f"{report.board_name(b)} {s:.0f} Elo in our setting and {t:.0f} in the thesis'" for b, (s, t) in spans.items()
    )
    + f". Most draws, {percent(draws[drawn])} %, are in {report.board_name(drawn)}. Elo of different games, or of different "
    "pools of players, is not on one scale."
)

# %% [markdown]
# With the colours added up, it matters who is listed first. The same games in the thesis' setting, the list turned round:

# %%
board = matches[matches["board"] == "othello"]
listed, turned = rate(board, THESIS), rate(ordered_pairs(board).iloc[::-1], THESIS)
{player: round(turned[player] - listed[player]) for player in listed.players}

# %% [markdown]
# ## Three kinds of interval
#
# The default of the program that the author used holds all other players fixed (*variance*). His own numbers come from a
# grid: the likelihood of one player's games at every possible rating (*exact*). Ours take into account that ratings vary
# together (*covariance*): only so do differences have intervals, too. All of them hold advantage and drawelo fixed, and all
# are about these very players and games. The grid lets one rating move and all others together the other way: in a pool of
# few players that leaves out much of what is uncertain, and its intervals are narrower.

# %%
report.intervals_table(matches, next(iter(ours)))

# %%
rate(board).difference("rave", "mcts")

# %% [markdown]
# ## What a rating rests on
#
# Beside every rating of this book stands how many of the games are different, how many were drawn, and what the first move
# was worth. Deterministic players without openings would show two distinct games in five hundred.

# %%
records = study.tables(units, labels, "games", table.name)
report.variety_table(records)

# %% [markdown]
# One number per player cannot show circles. If paper beats rock, scissors beat paper and rock beats scissors, all three
# have the same rating.

# %%
report.cycles_table(matches)

# %% [markdown]
# ## Why the run is the unit
#
# A training run has luck of its own: the same method with another seed ends with another network, stronger or weaker, and
# *all* games of that network share the luck. Twenty more games between the same two networks say more about these two, and
# nothing more about the methods. Whoever counts games as if they were independent evidence about methods will sooner or
# later find a difference.
#
# How often, can be simulated.

# %% tags=["hide-input"]
say(
    f"Two methods are equally good: each makes {asked.runs} runs, whose true strengths are drawn from the same normal "
    f"distribution. All {2 * asked.runs} players meet in a round robin of {asked.games} games a pair, half with each colour. "
    "Then the two methods are compared: by a binomial test on the games between them, by the interval of the rating "
    f"difference, and by two tests on the {2 * asked.runs} ratings. Every difference that is found is a false alarm. That is "
    f"done {asked.simulated:,} times for each spread of the runs."
)

# %%
report.alarms_figure(simulated)

# %%
report.alarms_table(simulated)

# %% tags=["hide-input"]
say(report.alarms_prose(simulated, asked.runs, asked.simulated))

# %% [markdown]
# Without any spread of runs, and with every game a new one, the pooled test is right: then games are all that varies. If
# games are repeated, as between players that always play their best move, it is wrong even then, because games are counted
# over and over that were played once.
#
# The same repetition is poison for the intervals of single ratings:

# %%
report.coverage_table(simulated)

# %% [markdown]
# ## What is reported, and when something is decided
#
# - Per game: every run's rating, their mean, their standard deviation (divided by $n - 1$; that of switch iterations by $n$, as in
#   the thesis' Table 6.2), and the t interval of the mean.
# - Two methods: the difference of the means with Welch's interval; the permutation test on runs, exact where it can be;
#   Holm's correction over all orderings of an experiment; the probability that a run of one beats a run of the other. The
#   pooled binomial test stands beside it, for comparison with the thesis.
# - Over several games: expected scores, as Elo of different games cannot be averaged; their interquartile mean, with a
#   bootstrap stratified by game.
#
# The rules are on the page of the [verdicts](verdicts.ipynb): an ordering is *replicated* at a corrected p below 5 %, and with fewer
# than five runs a side nothing is decided. Here is why:

# %% tags=["hide-input"]
say(
    "The smallest p that a permutation test can give is "
    + ", ".join(f"{p_value(report.smallest_p(n))} with {n} runs a side" for n in (3, 4, 5, 8))
    + f". If runs have a standard deviation of 50 Elo, a difference of 50 Elo takes {runs_to_decide(50, 50)} runs a side, "
    f"and one of 25 Elo {runs_to_decide(25, 50)}."
)

# %%
report.runs_table(sds=(25, 50, 100), effects=(25, 50, 75, 100, 150), tests=5)

# %% [markdown]
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
# takes about half a minute; the published scale with another seed about a minute on two cores.

# %% tags=["remove-cell"]
null = report.alarms(simulated)
numbers(
    rating_permutation_least=percent(null["permutation"].min()),
    rating_permutation_most=percent(null["permutation"].max()),
    rating_binomial_most=percent(null["binomial"].max()),
)
