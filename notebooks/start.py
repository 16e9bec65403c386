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
# # Start here: the study in ten minutes
#
# Run the cells one after the other with Shift+Enter, or all of them with *Run*, *Run All Cells*. What you change in a cell
# is yours to keep: results are stored under their settings, so nothing can be spoiled.

# %% tags=["parameters"]
preset: str = "laptop"  # scale of the training run: laptop, or smoke for one of seconds
iterations: int = 3  # how many iterations it trains

# %% [markdown]
# ## Play
#
# Click on a column. The search answers, and the board beside shows what it thought before its move: choose visits, values
# or something else to shade it by, and point at a cell for its numbers. The menus have other games and opponents. By
# keyboard: arrow keys, Enter; `u` takes back, `p` passes, `f` turns the board round. While a cell runs, the board waits.

# %%
import wslib as ws

table = ws.board("connect4", against="mcts", simulations=100)
table

# %% [markdown]
# ## The six searches side by side
#
# A network that has learned nothing guides the six searches of the study. Each board shows where one of them looks.

# %%
position = ws.game("connect4").position("4 4 3")
untrained = ws.network("connect4")
searches = ws.search(position, untrained, methods="all", simulations=100)
searches

# %% [markdown]
# ## Look inside
#
# The same with boards to click on, more simulations on demand, the tree of each search to unfold, and one search simulation by
# simulation: what it selects, expands, evaluates and backs up, with the numbers of each step.

# %%
ws.inspect(position, untrained)

# %% [markdown]
# ## Train a little, and watch
#
# A warm start by WRoRa and a few iterations of self-play, in a process of its own; the monitor reads what it stores. It also
# shows whatever else trains on this machine, and runs that have ended.

# %%
run = ws.train("connect4", method="wrora", iterations=iterations, preset=preset, wait=False)
ws.monitor(run)

# %% [markdown]
# The same line without `wait=False` waits for the end, and goes on where a run stopped.

# %%
run = ws.train("connect4", method="wrora", iterations=iterations, preset=preset)
run.games[-1]

# %% [markdown]
# ## Trained networks
#
# All runs that were published or are your own: choose one to see its curves, its games and its network.

# %%
ws.browse()

# %% [markdown]
# A network can be asked about a position without any search.

# %%
network = ws.trained(run=ws.trained("connect4")["run"].iloc[0])
network.look(position)

# %% [markdown]
# ## Two networks against each other, and their ratings

# %%
ws.match("connect4", network, untrained, games=10)

# %%
ws.tournament({"trained": network, "mine": run.network, "untrained": untrained, "MCTS": "mcts"}, games=4)

# %% [markdown]
# ## Go on
#
# The pages in their order: [the games](games.py), [the searches](searches.py), [rolling horizon evolution](rhea.py),
# [how a network learns](learning.py), [one run to look into](one_run.py), [warm starts compared](warmstart.py), and
# [the verdicts](verdicts.py). `help(ws)` is a map of the library, and `ws.` followed by the Tab key lists its names.
