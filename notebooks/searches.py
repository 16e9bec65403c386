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
# A search looks ahead from a position and says how good each move is. The players of the first experiment share one
# idea, but for the random one: play games to the end at random, and learn from how they end. They differ in what they do with that.
#
# The same loop carries the network's searches later. What changes then is where a leaf's value comes from.

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
# The idea is from {cite:t}`kocsis2006bandit`; {cite:t}`browne2012survey` survey what became of it. One {term}`simulation` has four steps
# (thesis, Algorithm 4):
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
# $Q$ is the mean of the values backed up through the move (zero before the first), $N(s,a)$ counts its visits, $N(s,\cdot)$
# those of all moves of the state, $P$ is the *prior*, how likely the move is before any search. Without a network all
# moves have the same prior. $c$ weighs curiosity against experience; the thesis takes $c = 1$. A tiny $\varepsilon$ under
# the root lets the prior decide the first visit. Ties are broken at random
# (or by the first move, with `ties="first"`).
#
# Two orders of the same moves lead to the same state, and the same state is one node: the tree is in truth a graph.
#
# Here X, to move in Connect Four, has three in a row with one open end:

# %%
position = game("connect4").position("3 1 4 1 2 6")
mcts = search(position, method="mcts", simulations=asked.simulations, seed=asked.seed)
pictured(
    mcts,
    "Plain search in a position with a winning move: on the board the share of visits, in the table N (visits), Q (mean value) and P (prior).",
)

# %% [markdown]
# Most visits go to the move that wins. Every simulation through it ends the same way; the others get a few looks each, and more of them
# where the first playouts happened to go well. The first simulation visits the root itself, so its moves have one visit less than there were simulations. After the
# search the **final move** is the most visited one, not the one of the highest mean: a mean of few visits is mostly luck.
# (The pseudo-code normalises $Q$, which is undefined for negative values; the author's code counts visits. Both are
# options here.)
#
# Now a position that is less clear, and the tree that a search grew from it:

# %%
opening = game("connect4").position("4 4")
unclear = search(opening, method="mcts", simulations=asked.simulations, seed=asked.seed)
show(
    pictured(
        unclear.tree(depth=2, top=3),
        "The top of a search tree, three moves to a node. A box is a move with its visits and its mean value for the player who chose it.",
    ),
    say(
        f"Of {asked.simulations} simulations the best move, {unclear.best}, has {unclear.visits.max()} visits. "
        f"The search expects the line {' '.join(unclear.principal_variation)}."
    ),
)

# %% [markdown]
# ## The algorithm as it is meant to be read
#
# Here are the four steps in plain Python. `path` holds the states of a simulation and the
# action taken in each; the tree is a dictionary from states to their edges. `mine` and `theirs` are the moves of a playout, which
# only RAVE looks at (below).

# %% tags=["hide-input"]
from inspect import getsource
from textwrap import dedent

from IPython.display import Markdown

from wslib.search import plain

steps = ("simulate", "select", "expand", "evaluate", "back_up")
Markdown("```python\n" + "\n".join(dedent(getsource(getattr(plain.Search, step))) for step in steps) + "```")

# %% [markdown]
# A search that has to play millions of games needs the same algorithm on bitboards, compiled. Both
# draw from the same random stream, so they must agree to the last visit. Here are both on the position above:

# %%
from wslib._compiled import stream

slow = plain.Search(stream=np.array([stream(asked.seed, "search")]))
for _ in range(asked.simulations):
    slow.simulate(position)
edges = slow.tree[plain.state_of(position)]
both = {"move": position.moves, "visits, plain": [edge.n for edge in edges.values()], "visits, compiled": mcts.visits,
        "mean value, plain": [edge.q for edge in edges.values()], "mean value, compiled": mcts.q}  # fmt: skip
values = dict.fromkeys(("mean value, plain", "mean value, compiled"), "{:.3f}")
show_table(pd.DataFrame(both), "The same search twice, by the plain program and by the compiled one.", values)

# %% [markdown]
# That the two agree is not left to this one position. Tests compare them after every simulation, with every combination of RAVE's options, in fourteen positions of the three games and of tic-tac-toe: the
# path, the whole tree and the random stream.
#
# ## RAVE: what was played later counts, too
#
# With six or thirty moves to choose from, a hundred playouts say little about each. RAVE (*rapid action value estimation*,
# {cite:t}`gelly2011rave`) draws more from every simulation: a move that a player makes at any later time in it is counted *as
# if* it had been made at once ("all moves as first", {term}`AMAF`). This gives every state a second set of numbers, $N_{rave}$
# and $Q_{rave}$, and a second score (equation 5.3):
#
# $$U_{rave}(s,a) = Q_{rave}(s,a) + c \cdot P(s,a) \cdot \frac{\sqrt{N_{rave}(s,\cdot)}}{1 + N_{rave}(s,a)}$$
#
# The two are mixed (equations 5.2 and 5.4); with more visits the tree's own numbers take over:
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
    pictured(
        rave, "The less clear position again, by RAVE: beside N and Q stand N_rave and Q_rave, with many more counts."
    ),
    say(
        f"After {asked.simulations} simulations RAVE has counted {table['N_rave'].sum():,} moves in this position, where "
        f"plain search has {unclear.visits.sum()}: {table['N_rave'].sum() / unclear.visits.sum():.0f} times as many, "
        "but biased, because a move made later is not the same move."
    ),
)

# %% [markdown]
# The final move again goes by the visits. What the sources leave open is an option, and
# [the readings](readings.ipynb) try all of them against the published table:

# %% tags=["hide-input"]
parameter_table(
    SearchSettings(method="rave"), "The parameters of a search without a network (values: RAVE by default)."
)

# %% [markdown]
# Most rows matter to one kind of search only; what cannot act is left empty, so that it cannot make two searches look different.
#
# ## A simulation, step by step
#
# Tic-tac-toe is small enough to watch. X, to move, must stop O's diagonal, and the move that does it wins. *Next step* walks through a
# simulation: which move has the largest score at each state, and why; the state that is added; its playout; what every
# move on the path gets. Boxes of the tree show a move's visits and its mean value for the player who chose it.
#
# With RAVE, look at the numbers of moves that were never chosen: they grow all the same.

# %% tags=["hide-input"]
from wslib.study.report.play import step_by_step

step_by_step(game("tictactoe").position("a1 b2 c3 a3"), asked.simulations, asked.seed)

# %% [markdown]
# Watch the first simulations: they are curious and try every move once. Then the winning move draws more and more of them to itself.
#
# ## RHEA: evolve a plan
#
# Rolling horizon evolution {cite}`perez2013rhea` keeps no tree. It evolves *sequences* of ten own actions. A sequence is judged by playing it,
# the opponent moving at random in between, and both at random after its end. Its fitness is the mean of $Q_i / h_i$ over a
# few such rollouts, where $Q_i$ is the result and $h_i$ the number of plies it took: a quick win is worth more than a slow
# one, a slow loss less bad than a quick one.
#
# Ten sequences are drawn; then, again and again, a copy of one of them is changed (each action with a chance of one in
# five), judged, and the worst of the eleven goes. The first action of the fittest is played, and everything is forgotten.
# With two rollouts a sequence, a hundred rollouts judge fifty sequences.
#
# An action planned for later may have become illegal by then. Our default *repairs* it: a gene counts among the moves that
# are legal at that moment, so that every sequence means something. The option `illegal="random"` lets chance replace the
# action instead.

# %% tags=["hide-input"]
parameter_table(RheaSettings(), "The parameters of RHEA.")

# %% [markdown]
# Horizon, population and rollouts share one budget: longer plans, or more of them, are judged less often.
#
# ## One loop
#
# Random playouts and RAVE are two switches of one loop, and so are the enhancements that warm-start a network: *Rollout*
# replaces the network's value by a playout, *WRo* mixes the two, *RoRa* and *WRoRa* add RAVE. Each is a row of a table: how a
# leaf is evaluated, and whether RAVE steers. One more enhancement is one more row
# (`CONTRIBUTING.md` shows how to add one).
#
# ## Looking into a search
#
# A search result prints, draws itself, and can be followed move by move:

# %%
pictured(unclear.after(unclear.best), "The same search after its best move: what it expects of the reply.")

# %% [markdown]
# The numbers are those of the same tree, one {term}`ply` further down: nothing was searched anew.
#
# ## Exercises
#
# 1. Search an empty Gobang board with a hundred and with ten thousand simulations. How are the visits spread? Where does RAVE put
#    them?
#
# <details><summary>A solution</summary>
#
# With so many moves, a hundred simulations visit each two or three times: plain search has no opinion yet. RAVE has seen each move
# in about half of all playouts, and already prefers the centre.
#
# </details>
#
# 2. What does `c = 0` do, and what does `c = 10`? Try both on the position with the open three.
#
# <details><summary>A solution</summary>
#
# Without curiosity the first move that happens to win a playout is never left again; with too much, all moves are
# visited alike, and the win is found but not preferred by much.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Values change their sign at every ply (the minus is missing in Algorithm 4).
# 2. The policy and the final move go by visits; the text's normalised $Q$ and $Q_{rave}$ are options.
# 3. AMAF counts the chosen action itself; the literal $t_1 < t_2$ would leave it out, and nothing would learn from it.
# 4. RHEA repairs illegal actions; the source does not say what it does with them.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/searches.py out.ipynb -p simulations 1000
# ```
#
# takes a few seconds.
