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
# # How the searches work
#
# A search looks ahead from a position and says how good each move is. The searches on this page know no strategy: they play games to
# the end at random, and learn from how these end. They differ in what they make of that. At the end of this page you can follow every
# step of them.
#
# Later, the searches with a network use the same loop. What changes then is where the value of a position comes from.

# %% tags=["parameters"]
preset: str = "full"  # full: as in the book; smoke: seconds
simulations: int = 100  # simulations of the searches that are shown
seed: int = 0  # seed of their random streams

# %%
import numpy as np
import pandas as pd

from wslib import game, search
from wslib.rhea import RheaSettings
from wslib.search import SearchSettings
from wslib.study.engine.notebook import read_parameters, say, show
from wslib.study.pages.base import Look
from wslib.study.report.look import parameter_table, pictured, show_table

asked = read_parameters(Look, globals())

# %% [markdown]
# ## Monte Carlo tree search
#
# The idea is due to {cite:t}`kocsis2006bandit`; {cite:t}`browne2012survey` survey what became of it. One {term}`simulation` has four
# steps (thesis, Algorithm 4):
#
# 1. **Select.** From the root, follow the move with the largest score until a state is reached that is not in the tree.
# 2. **Expand.** Add that state, the *leaf*, to the tree.
# 3. **Evaluate.** Give the leaf a value: here the result of one *playout*, uniformly random moves to the end.
# 4. **Back up.** Add the value to every move on the path, with the sign changed at every ply: what is good for one player
#    is bad for the other. (The pseudo-code of the thesis leaves out this minus.)
#
# The score of a move *a* in a state *s* is {term}`P-UCT` {cite}`rosin2011puct`, equation 5.1 of the thesis:
#
# $$U(s,a) = Q(s,a) + c \cdot P(s,a) \cdot \frac{\sqrt{N(s,\cdot)}}{1 + N(s,a)}$$
#
# - $Q$ is the mean of the values backed up through the move, and zero before the first.
# - $N(s,a)$ counts the visits of the move, and $N(s,\cdot)$ those of all moves in the state.
# - $P$ is the *prior*: how likely the move is before any search. Without a network all moves have the same prior.
# - $c$ weighs curiosity against experience; the thesis takes $c = 1$.
#
# A tiny $\varepsilon$ under the root lets the prior decide the first visit. Ties are broken at random, or in favour of the first move
# with `ties="first"`. Where two orders of the same moves lead to the same state, that state is one node, so the "tree" is really a
# graph.
#
# In this position of Connect Four, X is to move and has three in a row with one open end:

# %%
position = game("connect4").position("3 1 4 1 2 6")
mcts = search(position, method="mcts", simulations=asked.simulations, seed=asked.seed)
pictured(
    mcts,
    "MCTS puts most of its visits on the move that wins. On the board: the share of visits; in the table: visits N, mean value Q, prior P.",
)

# %% [markdown]
# Every simulation through the winning move ends the same way. The other moves get a few looks each, and more of them where the first
# playouts happened to go well. The first simulation visits the root itself, so the visits of the moves add up to one less than the
# number of simulations.
#
# The **final move** is the one with the most visits, not the one with the highest mean: a mean of few visits is mostly luck. The
# pseudo-code normalises $Q$, which is undefined for negative values, and the author's code counts visits; both are options here.
#
# The next position is less clear. This is the tree that a search grew from it:

# %%
opening = game("connect4").position("4 4")
unclear = search(opening, method="mcts", simulations=asked.simulations, seed=asked.seed)
show(
    pictured(
        unclear.tree(depth=2, top=3),
        "A search tree grows where moves look good: its top, with the three most visited moves of a node. A box has the move's visits and its mean value for the player who chose it.",
    ),
    say(
        f"After {asked.simulations} simulations the best move, {unclear.best}, has {unclear.visits.max()} visits. "
        f"The line of play that the search expects is {' '.join(unclear.principal_variation)}. A search result prints, draws "
        "itself, and can be followed move by move:"
    ),
    pictured(
        unclear.after(unclear.best), "The same search one move later: what it expects as the reply to its best move."
    ),
)

# %% [markdown]
# The last numbers are those of the same tree, one {term}`ply` further down: nothing was searched again.
#
# ## The four steps in Python
#
# `path` holds the states of a simulation and the action taken in each; the tree is a dictionary from states to their edges. `mine` and
# `theirs` are the moves of a playout, which only RAVE looks at (see below).

# %% tags=["hide-input"]
from inspect import getsource
from textwrap import dedent

from IPython.display import Markdown

from wslib.search import plain

steps = ("simulate", "select", "expand", "evaluate", "back_up")
Markdown("```python\n" + "\n".join(dedent(getsource(getattr(plain.Search, step))) for step in steps) + "```")

# %% [markdown]
# To play millions of games, this book has the same algorithm compiled, on boards of single bits. Both programs draw from the same
# random stream, so they must agree to the last visit. Here are both in the first position above:

# %%
from wslib._compiled import stream

slow = plain.Search(stream=np.array([stream(asked.seed, "search")]))
for _ in range(asked.simulations):
    slow.simulate(position)
edges = slow.tree[plain.state_of(position)]
both = {"move": position.moves, "visits, plain": [edge.n for edge in edges.values()], "visits, compiled": mcts.visits,
        "mean value, plain": [edge.q for edge in edges.values()], "mean value, compiled": mcts.q}  # fmt: skip
values = dict.fromkeys(("mean value, plain", "mean value, compiled"), "{:.3f}")
show_table(pd.DataFrame(both), "The plain program and the compiled one make the same search.", values)

# %% [markdown]
# The tests compare the two in fourteen positions, with every combination of RAVE's options. After every simulation the path, the whole
# tree and the random stream must be the same.
#
# ## RAVE: what was played later counts, too
#
# With six or thirty moves to choose from, a hundred playouts say little about each. RAVE, *rapid action value estimation*
# {cite}`gelly2011rave`, draws more from every simulation: a move that a player makes later in it is counted *as if* it had been made
# at once ("all moves as first", {term}`AMAF`). This gives every state a second set of numbers, $N_{rave}$ and $Q_{rave}$, and a
# second score (equation 5.3):
#
# $$U_{rave}(s,a) = Q_{rave}(s,a) + c \cdot P(s,a) \cdot \frac{\sqrt{N_{rave}(s,\cdot)}}{1 + N_{rave}(s,a)}$$
#
# The two scores are mixed (equations 5.2 and 5.4). With more visits the tree's own numbers take over:
#
# $$(1-\beta)\,U(s,a) + \beta\,U_{rave}(s,a), \qquad \beta = \sqrt{\frac{m}{3\,N(s,\cdot) + m}}$$
#
# The picture shows which moves of a simulation are counted, and in which states.

# %%
from wslib.study.report import pictures

rave = search(opening, method="rave", simulations=asked.simulations, seed=asked.seed)
table = rave.table()
show(
    pictures.walk_with_rave(),
    pictured(rave, "RAVE in the less clear position: N_rave and Q_rave rest on many more counts than N and Q do."),
    say(
        f"After {asked.simulations} simulations RAVE has counted {table['N_rave'].sum():,} moves in this position, where "
        f"MCTS has {unclear.visits.sum()}. That is {table['N_rave'].sum() / unclear.visits.sum():.0f} times as "
        "many, but they are biased, because a move made later is not the same move."
    ),
)

# %% [markdown]
# The final move again goes by the visits. Where the sources leave a choice open, it is an option, and the page on
# [readings](readings.ipynb) compares them with the published table:

# %% tags=["hide-input"]
parameter_table(
    SearchSettings(method="rave"), "The parameters of a search without a network, with RAVE's default values."
)

# %% [markdown]
# Most rows matter to one kind of search only. A parameter that has no effect is left empty, so that it cannot make two searches look
# different.
#
# ## A simulation, step by step
#
# Tic-tac-toe is small enough to watch. X is to move and must stop O's diagonal, and the move that does so wins. *Next step* walks
# through a simulation: which move has the largest score in each state, and why; which state is added; its playout; and what every move
# on the path gets. Boxes of the tree show a move's visits and its mean value for the player who chose it.
#
# With RAVE, watch the numbers of moves that were never chosen: they grow all the same.

# %% tags=["hide-input"]
from wslib.study.report.play import step_by_step

step_by_step(game("tictactoe").position("a1 b2 c3 a3"), asked.simulations, asked.seed)

# %% [markdown]
# The first simulations are curious and try every move once. Then the winning move draws more and more of them to itself.
#
# ## RHEA: evolve a plan
#
# Rolling horizon evolution {cite}`perez2013rhea` keeps no tree. It evolves *sequences* of ten actions of its own (thesis, section 5.4).
# A sequence is judged by playing it: the opponent moves at random in between, and both move at random after its end. Its fitness is the
# mean of $Q_i / h_i$ over a few such rollouts, where $Q_i$ is the result and $h_i$ the number of plies it took. So a quick win is worth
# more than a slow one, and a slow loss is less bad than a quick one.
#
# Ten sequences are drawn at random. Then, again and again, a copy of one of them is changed, each action with a chance of one in five;
# the copy is judged, and the worst of the eleven goes. In the end the first action of the fittest is played, and everything is
# forgotten. With two rollouts a sequence, a hundred rollouts judge fifty sequences.
#
# By the time an action is due it may have become illegal. Our default *repairs* it: a gene counts among the moves that are legal at that
# moment, so that every sequence means something. With the option `illegal="random"` a random move takes its place instead.

# %% tags=["hide-input"]
parameter_table(RheaSettings(), "The parameters of RHEA.")

# %% [markdown]
# All sequences share one budget of rollouts: the more rollouts judge each of them, the fewer are tried.
#
# ## One loop
#
# Random playouts and RAVE are two options of one loop, and so are the enhancements that warm-start a network: *Rollout*
# replaces the network's value by a playout, *WRo* mixes the two, and *RoRa* and *WRoRa* add RAVE. In the code each is a row of a table
# that says how a leaf is evaluated, and whether RAVE steers. One more enhancement is one more row; `CONTRIBUTING.md` shows how to add
# it.
#
# ## Exercises
#
# 1. Search an empty Gobang board with a hundred and with ten thousand simulations. How are the visits spread? Where does RAVE put
#    them?
#
# <details><summary>A solution</summary>
#
# A hundred simulations leave MCTS without an opinion. Visits pile up, anywhere on the board, on the few moves whose first playouts
# happened to be won, and many moves are never tried. RAVE counts each move in about a third of all simulations, and leans towards the
# centre already. After ten thousand both do, RAVE with nearly all its visits.
#
# </details>
#
# 2. What does `c = 0` do, and what does `c = 10`? Try both on the position with the open three.
#
# <details><summary>A solution</summary>
#
# Without curiosity the first move that happens to win a playout is not left as long as its mean stays above zero, however good the
# untried moves are. With too much of it all moves are visited alike:
# the win is found, but hardly preferred.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Values change their sign at every ply (the minus is missing in Algorithm 4).
# 2. The policy and the final move go by visits; the text's normalised $Q$ and $Q_{rave}$ are options.
# 3. AMAF counts the chosen action itself; the literal $t_1 < t_2$ would leave it out, and nothing would learn from it.
# 4. RHEA repairs illegal actions; the thesis does not say what it does with them.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/searches.py out.ipynb -p simulations 1000
# ```
#
# takes a few seconds.
