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
# # RHEA: a plan that evolves
#
# **The question.** {term}`Tree search <MCTS>` asks of every position what to do next. Rolling horizon evolution ({term}`RHEA`)
# {cite}`perez2013rhea` asks for a whole plan at once, a sequence of own actions, and improves it the way breeders do: copy what is good,
# change a little, keep what is better. The thesis {cite}`wang2021thesis` (section 5.4) finds that in Othello it does not convincingly beat
# random play, and puts it aside. Is that a weakness of evolution, or of how its plans are written down?

# %% tags=["parameters"]
preset: str = "full"  # full: as in the book; smoke: seconds
evolutions: int = 200  # evolutions that are averaged over
games: int = 100  # games a match, half with each colour
seed: int = 0  # seed of their random streams

# %%
from wslib import draw
from wslib.study.engine.notebook import read_parameters, say, show
from wslib.study.pages.base import Evolution
from wslib.study.report import evolution as report
from wslib.study.report.look import pictured

asked = read_parameters(Evolution, globals())
found = report.against_random(asked)

# %% [markdown]
# ## In short

# %%
show(say(report.in_short(found)), report.against_random_figure(found, asked.games))

# %% [markdown]
# Compare the two rows of each panel. They are the same evolution; only a plan that has become illegal on the way is treated differently.
# What looks like a weakness of evolution in one game may be one of its encoding; [the readings](readings.ipynb) say how well each
# rule fits the published table. How strong RHEA is beside tree search, [the orientation](orientation.ipynb) shows.
#
# ## Individuals
#
# An individual is a sequence of genes, one for each of the player's next actions; the opponent's replies are not planned but
# drawn at random. Here X, to move, has three in a row and can complete the line:

# %%
pictured(draw.board(report.threat(), size=220), "X wins with one move, in the column between its stones and the end.")

# %% [markdown]
# A gene is a large random number. By the default, *repair*, it is divided by the number of legal moves, and the remainder
# says which of them it stands for. So a plan means something in every position, whatever the opponent does:

# %%
report.first_moves_table(asked)

# %% [markdown]
# Drawn populations spread evenly over all moves; in evolved ones the winning move has the largest share. It does not have all: every
# child may change its first gene, and one that lost the win stays until somebody better takes its place.
#
# ## Fitness
#
# With $Q_i$ the result of the $i$-th of $n$ {term}`rollouts <playout>` and $h_i$ the {term}`plies <ply>` from the present position to its
# end, section 5.4 defines
#
# $$F = \frac{1}{n}\sum_{i=1}^{n} \frac{Q_i}{h_i}.$$
#
# Dividing by the length has a purpose, to prefer quick wins, and a price: whatever happens late hardly counts.

# %%
report.lengths_table(asked)

# %% [markdown]
# Look at Othello's row. Its games all take about as long, so that at the start every win counts about the same, and little: the noise of
# two rollouts is large beside any difference between plans. Where games can be short, a quick win stands out.
#
# ## Mutation and selection
#
# One individual after the other is made by copying a parent drawn at random and changing each of its genes with a certain
# chance. It takes the place of the least fit of all, itself included. There is no crossover.

# %%
report.mutation_table()

# %% [markdown]
# Most copies keep their first gene, the only one that is played. So evolution mostly asks what may follow a first move, and seldom tries
# another one.
#
# The fitness of a population rises because better plans are found, and also because the lucky ones are kept: an individual is
# evaluated once, and whoever had a good day stays. In this position luck cannot imitate skill, because nothing but the winning
# move has a fitness of one; in a quiet position it can. More individuals with the same {term}`seed` continue the same evolution, so
# that each curve follows the same evolutions through time.

# %%
report.progress_figure(report.progress(asked), asked.evolutions)

# %% [markdown]
# In this game the two rules should hardly differ: a column is full only late, so that nearly every gene is legal. The fittest individual
# settles what is played, so a population whose mean (dashed) lags far behind may still play the win.
#
# ## Repaired, or replaced at random
#
# What the source does with an action that has become illegal is not said. The obvious alternative to repairing is to let
# chance replace it: a gene then names one of the game's actions, and where it cannot be played, a random move is. How often
# would a gene drawn at random be legal?

# %%
report.legal_table(asked)

# %% [markdown]
# In Othello a random gene is almost always illegal. The individual's fitness then is that of random moves, whatever its genes
# say, and it is inherited with nothing behind it. Worse, the final move is the fittest individual's *first* gene, and where
# that is illegal, the move played is a random one.

# %%
report.decided_table(asked, found)

# %% [markdown]
# Where the plan does not decide the move, chance does, and a player of chance moves cannot beat random play. This is how a sentence about
# evolution may have come out of a sentence about encoding; that the source did so is our inference from its results.
#
# ## As a warm start
#
# The thesis leaves RHEA as a {term}`warm start` untried (section 5.6). A training run with `method="rhea"` lets RHEA play both sides of the
# first {term}`iterations <iteration>`. It has no {term}`visits` to make a {term}`policy` of: the policy to be learned is all weight on the
# move that was played. [Beyond the sources](beyond.ipynb) tries it.
#
# ## Limits
#
# One position and one opponent are shown: who beats random play need not beat anybody else.
#
# ## Exercises
#
# 1. Give each individual ten rollouts and the same total (`RheaSettings(rollouts=100, rollouts_per_individual=10)`). Is the winning
#    move found more often?
#
# <details><summary>A solution</summary>
#
# No evolution is left: a hundred rollouts then judge ten individuals, which are the ones drawn at the start. The winning move
# is in such a population in most cases (one of six moves, ten individuals), and its fitness of one cannot be missed. In a
# position without an immediate win, the exchange of breadth for certainty is a real one.
#
# </details>
#
# 2. Let the fitness be the mean of $Q_i$, without $h_i$. Which of two winning plans is then preferred, and what happens in a won
#    position?
#
# <details><summary>A solution</summary>
#
# None of them. A program that does not care when it wins may put off the win for ever, as long as its rollouts go on winning
# anyhow; with random opponents they mostly do.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Illegal actions are repaired by default; what the source does is not said.
# 2. Ties between individuals are broken at random from the game's own stream.
# 3. Nothing is carried over from one move to the next; rolling-horizon programs often shift the last plan by one action.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/rhea.py out.ipynb -p evolutions 1000
# ```
#
# takes some seconds.
