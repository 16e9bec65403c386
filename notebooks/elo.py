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
# # Elo: what a rating says
#
# **The question.** The thesis compares players by Bayesian {term}`Elo` (section 5.5.2). What does such a number say, what does it rest
# on, and how much of it is due to the settings of the program that computed it?
#
# No claim is tested on this page. At its end you know what the ratings of this book are, and how they differ from the thesis'.

# %% tags=["parameters"]
preset: str = "full"  # full: the published scale; smoke: seconds (at most 4 games and 10 rollouts)
games: int = 500  # games a pair, half with each colour
rollouts: int = 100  # rollouts (simulations) a move
players: str = "random,mcts,rave,rhea"  # who meets whom: random, mcts, rave, rhea
boards: str = "gobang,connect4,othello"  # games played; other sizes as in connect4-6x7 or gobang-8x8-k5
opening_plies: int = 0  # random plies before the players take over
seed: int = 0  # seed of all random streams
workers: int = 0  # worker processes; 0 is one per core

# %%
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, say, show
from wslib.study.pages.base import Orientation
from wslib.study.report import rating as report

asked = read_parameters(Orientation, globals())

# %% tags=["remove-stderr"]
labels = asked.labels().query("part == 'table'").reset_index(drop=True)
units = [unit for unit, told in asked.asked() if told["part"] == "table"]
matches = labels.join(study.results(units, asked.name, asked.workers))
records = study.tables(units, labels, "games", asked.name)
origin(matches, asked.name)

# %% [markdown]
# ## In short

# %%
show(say(report.settings_prose(matches)), report.settings_figure(matches))

# %% [markdown]
# Each panel is a game, and zero is our rating of each player. Not a single game was played between the marks and the line: what moved
# the players is the setting of the program, and the order in which somebody typed their names.
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
# - *the author's* takes $a = 32.8$ and $d = 97.3$, which are chess values, and adds up the games of both colours as if whoever is listed
#   first had always moved first. The tournaments of earlier experiments that the author has published were rated in this way. The
#   thesis names no settings, and we assume these for its chapters 5 and 6.
#
# The players of [Table 5.1](orientation.ipynb) make a small tournament in each game: four players, 500 games a pair. In the next table
# the same games give two columns of Elo.

# %%
report.ratings_table(matches)

# %% [markdown]
# Compare the two columns of Elo game by game: does the order of the players stay, and what becomes of the distances between them?

# %%
show(report.model_table(matches), report.spans_table(matches))

# %% [markdown]
# The log-likelihood says how well a setting explains the results: the higher, the better. One value of drawelo cannot fit all games where
# some are often drawn and others hardly ever. The second table shows how far the ratings of the same games spread in either setting.
# The setting changes the length of the whole scale, so Elo values from two settings must not be compared. Nor are those of different
# games, or of different pools of players, ever on one scale.
#
# When the colours are added up, it matters who is listed first. Here are the same games in the author's setting, with the list turned
# round:

# %%
report.turned_table(matches, matches["board"].iloc[-1])

# %% [markdown]
# Those who are listed first lose, because the model believes that they always had the first move.
#
# ## Three kinds of interval
#
# By default, the program that the author used holds all other players fixed (*variance*). His own numbers come from a grid: the
# likelihood of one player's games at every possible rating (*exact*). Ours allow for the fact that ratings vary together
# (*covariance*), and only they give intervals of differences, too. None of the three says anything about players other than these.

# %%
show(report.intervals_table(matches, matches["board"].iloc[0]), report.difference_table(matches))

# %% [markdown]
# Compare the widths. The grid moves one rating, and all others together the other way. In a pool of few players that leaves out much of
# the uncertainty. The difference between two players has an interval of its own, in the second table:
# it says what neither player's own interval can, whether the one is stronger than the other.
#
# ## What a rating rests on
#
# Beside every rating, this book says how many of the games are different, how many were drawn, and what the first move was worth. Players
# without chance and without openings would play two distinct games in five hundred.
#
# One number per player cannot show circles. Where paper beats rock, scissors beat paper and rock beats scissors, all three have the
# same rating. How much of the results do ratings leave unexplained?

# %%
show(report.variety_table(records), report.cycles_table(matches))

# %% [markdown]
# Where *distinct* is far below the number of games, the interval of a rating promises too much.
#
# A share well above what chance leaves would mean that styles matter, and that one number per player hides something.
#
# ## Limits
#
# The intervals of ratings hold advantage and drawelo fixed. Under another prior, players who win or lose nearly everything have quite
# different ratings. And no interval of a rating says anything about the method that trained a player:
# [the unit for that is the run](rating.ipynb).
#
# ## Exercises
#
# 1. Turning the list round moved the ratings in Othello. Why up for some players and down for others?
#
# <details><summary>A solution</summary>
#
# The model believes that the player listed first always moved first, which is worth 32.8 Elo, and so it takes the same results for a
# little worse. When the list is turned round, players who always stood first gain, and those who always stood second lose.
#
# </details>
#
# 2. Two players differ by a hundred Elo. How many of a hundred games between them does the stronger one win, if none is drawn and the first
#    move is worth nothing?
#
# <details><summary>A solution</summary>
#
# The first formula says it. With a hundred in the place of $x$ it gives sixty-four games. Twenty Elo, the margin of this book, give
# fifty-three.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Colours are kept, and advantage and drawelo estimated for each game; the author's setting is an option.
# 2. Intervals come from the full covariance; the author's are from the grid (*exact*).
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/elo.py out.ipynb -p games 20 -p rollouts 50
# ```
#
# takes some seconds. Without parameters the published results are read from `data/`.
