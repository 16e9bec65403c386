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
# # Perfect play: a measuring rod
#
# **The question.** A win rate says who beats whom; it does not say how well anybody plays. On 6×6 boards the truth can be
# computed. How close do the players without a network come to it, does a larger budget bring them closer, and which
# readings of RAVE lead there at all?

# %% tags=["parameters"]
preset: str = "full"  # full: the published scale; smoke: seconds (12 positions, 10 and 40 simulations)
simulations: str = "100,400,1600,6400"  # simulations (rollouts) a move
boards: str = "gobang,connect4,othello"  # games measured
positions: int = 0  # positions of each set; 0 is all
seed: int = 0  # seed of all random streams
workers: int = 0  # worker processes; 0 is one per core

# %%
from IPython.display import display

from wslib import draw, game
from wslib.perfect.solver import solve
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, say, show
from wslib.study.pages.perfect_play import PerfectPlay, opening_boards, openings_prose
from wslib.study.report import perfect as report
from wslib.study.report.look import pictured

asked = read_parameters(PerfectPlay, globals())

# %% tags=["remove-stderr"]
results = study.results(asked.units(), asked.name, asked.workers)
labels = asked.labels()
players = [unit for unit, part in zip(asked.units(), labels["part"], strict=True) if part == "players"]
rows = report.cleaned(study.tables(players, labels[labels["part"] == "players"], "phases", asked.name))
found = report.convergence(rows)
origin(results, asked.name)

# %% [markdown]
# ## In short

# %%
show(say(report.convergence_prose(found)), report.optimal_figure(rows))

# %% [markdown]
# A curve that rises to the right buys better moves with more search. One that stays flat has stopped listening: whatever the search finds
# out, the final move does not go by it.
#
# ## Who wins
#
# `solve(position)` gives the exact value of a position and of each of its moves, and draws itself:

# %%
pictured(
    solve(game("othello-4x4").start()),
    "Othello on 4×4, solved: the value of every first move, for the player who makes it.",
)

# %% [markdown]
# The openings of the larger boards take longer and come from the stored results: each first move with what it leads to.

# %%
openings = [unit for unit, part in zip(asked.units(), labels["part"], strict=True) if part == "openings"]
facts = opening_boards(openings, asked.name)
show(
    pictured(
        draw.boards([fact.plot() for fact in facts]), "What each first move leads to, for the player who makes it."
    ),
    say(openings_prose(facts)),
)

# %% [markdown]
# A game that one side wins with perfect play can still be a fair test between players who do not see it. Othello 6×6 from its start is too large for this solver: its value is not computed here.
#
# ## How close the players come
#
# None of the sources measures this. A search by {term}`visits` with ever more simulations approaches perfect play in the limit
# {cite}`kocsis2006bandit`; for a final move by Q_rave there is no such promise, because {term}`AMAF` values forget *when* a move was
# played.
#
# Two sets of positions per game, made [here](positions.ipynb): *broad*, from random and half-random games, and *path*, from
# games between strong players. In all of them the choice of move matters. A move is optimal if it keeps the value of the
# position.

# %%
display(*(report.budget_table(rows, board) for board in asked.boards))

# %% [markdown]
# *Regret* is how much value a move gives away on average, and weighs a win that becomes a loss twice as much as one that becomes a draw.
# Compare the two sets: positions from games between strong players ask for quiet moves, those from half-random games for punishing ones.
#
# ## What converges
#
# The readings of the final move are taken from one and the same search: they differ only in how its tree is read.

# %%
budgets = sorted(set(rows["simulations"]) - {0})[-2:]
report.convergence_table(found, (budgets[0], budgets[-1]))

# %% [markdown]
# *Converges* means that the last step of the budget removed at least a tenth of the errors that were left; *stalls* that it did not.
#
# ## By phase

# %%
report.phase_table(rows)

# %% [markdown]
# Late positions have short lines, so that a search of the same size sees more of what is left of the game.
#
# ## Limits
#
# The sets hold only positions where the choice matters, and whose moves the solver values cheaply; Othello's have
# few empty cells, and say nothing of its opening. Since a better and a worse move exist, the player to move never stands
# lost: the value error is measured on won and drawn positions only. Every position is searched once. *Stalls* and
# *converges* are read off the last step of the budget: they are rules of ours, not statements about the limit.
#
# ## Exercises
#
# 1. Find a position in which RAVE by Q_rave errs and RAVE by visits does not, and look at both searches.
#
# <details><summary>Solution</summary>
#
# ```python
# from wslib.perfect.measures import search_decisions
# from wslib.perfect.positions import load
#
# found = load("gobang", "broad")
# search_decisions(player("rave", simulations=1600), found, 0, ("visits", "q_rave"))
# ```
#
# gives both readings' moves; compare `found.values` at them. Then `solve(found[i])` and `search(found[i], method="rave", simulations=1600)`
# show the truth and the statistics beside each other: the move that Q_rave prefers is often good *later*, and too slow now.
#
# </details>
#
# 2. Does a larger weight of exploration help MCTS here? Measure `player("mcts", simulations=1600, c=2)` with `measure`.
#
# <details><summary>Solution</summary>
#
# ```python
# from wslib.perfect.measures import measure
# from wslib.perfect.positions import load
#
# measure(player("mcts", simulations=1600, c=2), load("connect4"))["optimal"].mean()
# ```
#
# does, for several `c`. The best one differs from game to game; the differences at the largest budget are
# smaller than one more step of the budget.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis has no measure against perfect play; sets, measures and rules for *converges* are ours.
# 2. RAVE's final move goes by visits unless another reading is named; the text says Q_rave.
# 3. The random player is measured by expectation, not by drawing moves.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/perfect_play.py out.ipynb -p simulations 100,400
# ```
#
# says before it begins how long it will take on this machine.
