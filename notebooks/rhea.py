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
# **The question.** {term}`Tree search <MCTS>` asks in every position what to do next. Rolling horizon evolution, {term}`RHEA`
# {cite}`perez2013rhea`, makes a whole plan at once, a sequence of actions of its own, and improves it as breeders do: copy what is good,
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
# Compare the two rows of each panel. They are the same evolution; they differ only in what becomes of an action that is illegal when it
# is due. What looks like a weakness of evolution may be one of its encoding. The page on [readings](readings.ipynb) says how well each
# rule fits the published table, and the [orientation](orientation.ipynb) how strong RHEA is beside tree search.
#
# ## Individuals
#
# An individual is a sequence of genes, one for each of the player's next actions. The opponent's replies are not planned but drawn at
# random. In this position X is to move, has three in a row, and can complete the line:

# %%
pictured(draw.board(report.threat(), size=220), "X wins with one move: in the column to the right of its three stones.")

# %% [markdown]
# A gene is a large random number. By default, with *repair*, it is divided by the number of legal moves, and the remainder says which of
# them it stands for. So a plan means something in every position, whatever the opponent does:

# %%
report.first_moves_table(asked)

# %% [markdown]
# Populations as drawn spread evenly over all moves; in evolved ones the winning move has the largest share. It does not have all of it:
# a copy may change its first gene, and one that lost the win stays until a better one takes its place.
#
# ## Fitness
#
# With $Q_i$ the result of the $i$-th of $n$ {term}`rollouts <playout>` and $h_i$ the {term}`plies <ply>` from the present position to its
# end, section 5.4 defines
#
# $$F = \frac{1}{n}\sum_{i=1}^{n} \frac{Q_i}{h_i}.$$
#
# Dividing by the length makes evolution prefer quick wins. The price is that whatever happens late hardly counts.

# %%
report.lengths_table(asked)

# %% [markdown]
# Look at Othello's row. Its games all take about the same time, so at the start every win counts about the same, and little: the noise
# of two rollouts is large beside any difference between plans. Where games can be short, a quick win stands out.
#
# ## Mutation and selection
#
# Evolution makes one individual after the other. It copies a parent that is drawn at random, and changes each gene with a certain
# chance. Then the least fit individual goes, which may be the new one. There is no crossover.

# %%
report.mutation_table()

# %% [markdown]
# Most copies keep their first gene, the only one that is played. So evolution mostly asks what may follow a first move, and seldom tries
# another one.
#
# The fitness of a population rises because better plans are found, but also because lucky ones are kept: an individual is evaluated
# only once. In this position luck cannot look like skill, because nothing but the winning move has a fitness of one; in a quiet position
# it can. More individuals with the same {term}`seed` continue the same evolution, so each curve follows the same evolutions through
# time.

# %%
report.progress_figure(report.progress(asked), asked.evolutions)

# %% [markdown]
# In this game the two rules should hardly differ: columns fill up only late, so nearly every gene is legal. The fittest individual alone
# decides what is played, so a population whose mean (dashed) lags far behind may still play the win.
#
# ## Repaired, or replaced at random
#
# The thesis does not say what becomes of an illegal action. The obvious alternative to repairing it is to play a random move in its
# place: a gene then names one of the game's actions, legal or not. How often would a gene drawn at random be legal?

# %%
report.legal_table(asked)

# %% [markdown]
# In Othello a random gene is almost always illegal. The fitness of an individual is then that of random moves, whatever its genes say,
# so its children inherit nothing. Worse, the final move is the fittest individual's *first* gene, and where that is illegal, the move
# played is a random one.

# %%
report.decided_table(asked, found)

# %% [markdown]
# Where the plan does not decide the move, chance does, and chance cannot beat random play. So a fact about the encoding may have passed
# for a fact about evolution. That the thesis' program did this is our inference from its results.
#
# ## As a warm start
#
# The thesis does not try RHEA as a {term}`warm start`. In a training run with `method="rhea"` it plays both sides of the
# first {term}`iterations <iteration>`. It has no {term}`visits` to make a {term}`policy` of, so the network learns to put all weight on the
# move that was played. [Beyond the sources](beyond.ipynb) tries it.
#
# ## Limits
#
# This page shows one position and one opponent. A player who beats random play need not beat anybody else.
#
# ## Exercises
#
# 1. Give each individual ten rollouts and the same total (`RheaSettings(rollouts=100, rollouts_per_individual=10)`). Is the winning
#    move found more often?
#
# <details><summary>A solution</summary>
#
# No evolution is left: a hundred rollouts then judge just the ten individuals that were drawn at the start. In most cases one of them
# begins with the winning move, because there are only six, and its fitness of one cannot be missed. In a position without an immediate
# win, less breadth for more certainty is a real trade.
#
# </details>
#
# 2. Let the fitness be the mean of $Q_i$, without $h_i$. Which of two winning plans is then preferred, and what happens in a won
#    position?
#
# <details><summary>A solution</summary>
#
# Neither is preferred. A program that does not care when it wins may put off the win for ever, as long as its rollouts keep winning
# anyhow. Against random opponents they mostly do.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Illegal actions are repaired by default; the thesis does not say what it does with them.
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
