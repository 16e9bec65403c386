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
# **The question.** A win rate says who beats whom, but not how well anybody plays. On 6×6 boards the truth can be computed. How close do
# the players without a network come to it? Does a larger budget bring them closer, and under which readings of RAVE does it do so at all?

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
# Where a curve rises to the right, more search buys better moves. Where it stays flat, the final move does not go by what the search
# finds out.
#
# ## Who wins
#
# `solve(position)` gives the exact value of a position and of each of its moves:

# %%
pictured(
    solve(game("othello-4x4").start()),
    "Othello on 4×4 is solved in a moment. On the cells: the value of every first move, in discs, for the player who makes it.",
)

# %% [markdown]
# The openings of the larger boards take longer, and come from the stored results: here is every first move with what it leads to.

# %%
openings = [unit for unit, part in zip(asked.units(), labels["part"], strict=True) if part == "openings"]
facts = opening_boards(openings, asked.name)
show(
    pictured(
        draw.boards([fact.plot(size=190) for fact in facts]),
        "What each first move leads to, for the player who makes it.",
    ),
    say(openings_prose(facts)),
)

# %% [markdown]
# A game that one side wins with perfect play can still be a fair test between players who do not see the win. Othello on 6×6 is too large
# for this solver to value from the start.
#
# ## How close the players come
#
# None of the sources measures this. With ever more simulations, a search by {term}`visits` approaches perfect play in the limit
# {cite}`kocsis2006bandit`. A final move by Q_rave has no such promise, because {term}`AMAF` values forget *when* a move was played.
#
# There are [two sets of positions](positions.ipynb) for each game: *broad*, from random and half-random games, and *path*, from games
# between strong players. In all of them the choice of the move matters. A move is optimal if it keeps the value of the position.

# %%
display(*(report.budget_table(rows, board) for board in asked.boards))

# %% [markdown]
# *Regret* is how much value a move gives away on average. A win that becomes a loss weighs twice as much as one that becomes a draw.
# Compare the two sets: positions from games between strong players ask for quiet moves, those from half-random games for moves that
# punish errors.
#
# ## What converges
#
# All readings of a player's final move come from one and the same search. They differ only in how its tree is read.

# %%
budgets = sorted(set(rows["simulations"]) - {0})[-2:]
report.convergence_table(found, (budgets[0], budgets[-1]))

# %% [markdown]
# *Converges* means that the last step of the budget removed at least a tenth of the errors that were left, and *stalls* that it did not.
#
# ## By phase

# %%
report.phase_table(rows)

# %% [markdown]
# Late in a game little is left to play, so a search of the same size sees more of it.
#
# ## Limits
#
# The sets hold only positions where the choice matters, and which the solver can value cheaply. Othello's have few empty cells, and say
# nothing about its opening. As there is always a better and a worse move, the player to move is never lost, so the value error is
# measured on won and drawn positions only. Every position is searched once. *Stalls* and *converges* describe the last step of the
# budget: they are rules of ours, not statements about the limit.
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
# gives the moves of both readings; compare `found.values` at them. Then `solve(found[i])` shows the truth, and
# `search(found[i], method="rave", simulations=1600)` the numbers of the search. The move that Q_rave prefers is often good *later*, and
# too slow now.
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
# does this, for any `c`. Try several: the best one differs from game to game, and at the largest budget it gains less than one more step
# of the budget would.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis has no measure against perfect play; sets, measures and rules for *converges* are ours.
# 2. RAVE's final move goes by visits unless another reading is named; the text says Q_rave.
# 3. The random player's share is computed, not played.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/perfect_play.py out.ipynb -p simulations 100,400
# ```
#
# says before it begins how long it will take on this machine.
