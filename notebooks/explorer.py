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
# # Results explorer: all runs
#
# **The question.** Which training runs are there, what became of each, and what did it cost? Every run that is published in `data/`, or
# was stored on the machine that made this page, has a row here. A run that was rated in several pools has a row for each.

# %% tags=["parameters"]
preset: str = "full"  # full: what is published or stored; smoke: seconds
scale: str = "table"  # preset of the runs that are rated: laptop, table or paper
switches: str = "table"  # preset of the adaptive runs up to their switch: table, laptop or paper
workers: int = 0  # worker processes; 0 is one per core

# %%
from wslib.study.claims.evidence import Page
from wslib.study.claims.listing import all_runs
from wslib.study.engine.notebook import numbers, read_parameters, say
from wslib.study.report import explorer as report

asked = read_parameters(Page, globals())

# %% tags=["remove-stderr"]
runs = all_runs(asked.gather(more=True))
# Runs of the preset smoke show that all works, and nothing else.
runs = runs[(runs["preset"].str.startswith("smoke")) == (asked.preset == "smoke")]

# %% [markdown]
# ## In short

# %% tags=["hide-input"]
say(report.summary_prose(runs))

# %% [markdown]
# Click a column's head to sort by it, and again to reverse the order. The menus and the search field narrow the table, and the
# link downloads the rows that you see. In JupyterLab, after `import wslib as ws`, `ws.browse()` leads from each run to its curves, its
# games and its network, and `ws.run("…")` takes the name in the last column.

# %% tags=["hide-input"]
report.explorer(runs)

# %% [markdown]
# ## What the columns say
#
# | column | meaning |
# | --- | --- |
# | experiment | the experiment that the run belongs to, by its name at the command line and in `data/` |
# | preset | the scale of the run, and settings that differ from it |
# | accepted | networks that passed the arena |
# | switch | the iteration after which an adaptive warm start ended; empty where it never did, and for all other runs |
# | Elo, pool | Elo of the final network in that pool, with the random player at zero; every pool is a scale of its own |
# | optimal % | how often the network alone keeps the value of a position, where this was measured |
# | CPU minutes | processor time of training on one core, while other work shared the machine; empty for runs that were interrupted |
# | results | published; *first edition*: published before, with networks that torch trained; or computed here and not published |
# | code | the commit that computed the run; a `+` says that files differed from it |
# | unit | the name under which the result is stored, as in `data/<experiment>/units.csv` |
#
# ## Exercises
#
# 1. Which method's runs differ most in accepted networks? Sort, and then check with the downloaded file.
#
# <details><summary>A solution</summary>
#
# `pandas.read_csv("runs.csv").query("iterations == 100").groupby(["game", "method"])["accepted"].std()` answers this for runs of equal
# length. For runs of unequal length, the number of accepted networks mostly says how long they were.
#
# </details>
#
# 2. Does a run that accepts more networks end with a higher Elo?
#
# <details><summary>A solution</summary>
#
# Compare only runs of one pool, game and method, with `here[["accepted", "Elo"]].corr()`, and look at a scatter plot before you believe
# it. With eight runs a correlation must be above two thirds or so to be more than chance.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The sources publish no list of their runs.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/explorer.py out.ipynb
# ```
#
# takes about half a minute and shows your own runs beside the published ones.

# %% tags=["remove-cell"]
numbers(
    run_results="published" if (runs["results"] == "published").all() else "published and computed here",
)
