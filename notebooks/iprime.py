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
# # How long should a warm start last?
#
# **The question.** The thesis (section 6.6.2, Figure 6.1) varies {term}`I′`, the number of iterations with a warm start, from one to
# nine, for each enhancement in Connect Four. Is there a best length, and is it the same for all?
#
# **Claim 5.** *I' = 7 is the best fixed length for RAVE and WRoRa in Connect Four; for the others it is unclear which is best, and
# different games seem to need different lengths: tuning is costly.*

# %% tags=["parameters"]
preset: str = "table"  # scale of a run: smoke, laptop, table, paper or letter
boards: str = "connect4"  # games learned
methods: str = "rollout,rave,rora,wro,wrora"  # enhancements, a panel each
lengths: str = "1,3,5,7,9"  # I': iterations of the warm start
runs: int = 8  # runs of each kind (seeds 0, 1, ...)
first_seed: int = 0  # seed of the first run of each kind; another one than 0 asks for runs of your own
iterations: int = 100  # I: iterations of a run
games: int = 20  # games a pair of the tournaments
compute: bool = True  # compute what is missing, after a sentence that says how long it takes; False: show what there is
device: str = "preset"  # what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says
runtime: str = "preset"  # who computes: compiled (our kernels, on a processor), torch, or as the device needs
precision: str = "preset"  # in which torch multiplies matrices: float32, or with fewer bits bfloat16 or float16
workers: int = 0  # worker processes; 0 is one per core, or per GPU where one is used

# %%
from wslib.study.claims.table import on_page
from wslib.study.claims.ways import of_figure
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.pages.warm import IPrime
from wslib.study.report import design
from wslib.study.report import oldway as ways
from wslib.study.report import verdicts as claims
from wslib.study.report import warm as report
from wslib.study.statistics import pools

asked = read_parameters(IPrime, globals())

# %% tags=["remove-stderr"]
units, found = results_of(asked)
runs_found = found[found["part"] == "run"]
panels = report.panels(runs_found, asked.methods)  # those with something to compare
pairs = pools.round_robin(found[(found["part"] == "pool") & found["pool"].isin(panels)])
runs_asked = asked.labels().query("part == 'run'")
ratings = pools.pool_ratings(pairs, anchor="random")
elos = pools.run_elos(ratings, runs_found)
claim, parts = on_page("5", elos, asked)
origin(found, asked.name)

# %% [markdown]
# ## In short

# %%
show(
    say(f"{claims.verdict_prose(claim)} {report.length_prose(elos, panels)}"),
    report.length_figure(elos, panels, asked.lengths),
)

# %% [markdown]
# If there were a best length, the bars of a panel would move to the right from row to row down to one I′, and back to the left below it, by
# more than the marks of one length scatter. One of five equal kinds always lies farthest to the right, so that alone proves nothing.
#
# ## What is there

# %%
show(
    say(report.coverage_prose(runs_found, runs_asked, asked.preset, asked.iterations, pairs)),
    report.coverage_table(runs_found, runs_asked, asked.preset),
)

# %% [markdown]
# Read it down: a length with fewer than five runs decides nothing, and a best length needs all of its rivals.
#
# ## Elo by length, a pool per enhancement
#
# Baseline's runs and one random player are in every pool; the thesis does not say whether its panels are one pool.

# %%
report.length_table(elos, panels, asked.lengths)

# %% [markdown]
# Read along a row. A run of Baseline has no warm start at all, so the column of zero iterations says what all lengths are
# measured against. Elo values of two rows are on two scales and must not be compared.

# %%
report.pools_table(pairs, ratings)

# %% [markdown]
# ## What the design could detect

# %%
design.detectable_table(elos, asked)

# %% [markdown]
# Four orderings must show for one best length, and each has to stand beside all the others. That is a high bar for eight runs, and it
# is as high for the thesis.
#
# ## Claim 5
#
# "Seven is the best of five lengths" is four orderings for RAVE and four for WRoRa. "Unclear" holds for the other methods when some
# length is too close to the best one to matter, and stays open while no length can be told from all the rest. Lengths are varied in one game only, here as in the
# source; so its last part, that games need different lengths, cannot be decided by this design.

# %%
claims.parts_table(parts, "Claim 5 by its parts: difference of mean Elo over runs, each in its own pool.")

# %% [markdown]
# Read the interval before the verdict: one that reaches from a loss to a gain leaves both possible, whatever its middle says.
#
# ## Played and rated in other ways
#
# The verdict above rests on our tournaments and our rating. The same networks have also met from the empty board, with fresh trees and
# [in the way of the published tournaments](published_tournaments.ipynb), and the games can be rated with the thesis' settings.

# %%
by_way = of_figure(asked)
show(say(ways.claims_prose(by_way)), ways.claims_table(by_way))

# %% [markdown]
# Ours decides: openings with both colours and fresh trees make games that tell most about the players. Where another row says
# something else, a reader of the thesis should ask which of the two its figure shows.
#
# ## Limits
#
# With few runs the best of five lengths is best by chance: even lengths that do not matter have a winner.
#
# ## Exercises
#
# 1. Five kinds of equal strength, runs with a standard deviation of 50 Elo, two runs a kind: how far apart are the best and
#    the worst kind on average?
#
# <details><summary>A solution</summary>
#
# The range of five normal numbers is $2.33$ standard deviations on average; a mean of two runs has an sd of $50/\sqrt{2}$. So the
# best and the worst of five equal kinds are $2.33 \cdot 50/\sqrt{2} \approx 82$ Elo apart.
#
# </details>
#
# 2. Compute more runs of one panel, `-p methods wrora -p runs 10`. Does the best length stay the same?
#
# <details><summary>A solution</summary>
#
# The table of runs says which are missing; each takes some minutes of one core. Watch the
# intervals, not the means: the best of five changes with nearly every run while they overlap.
#
# </details>
#
# ## Differences from the thesis
#
# 1. A network of 32 channels, and one symmetry drawn per example.
# 2. A pool per panel; Baseline and a random player tie the panels together.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/iprime.py out.ipynb -p preset smoke
# ```
#
# says before it begins how long it will take on this machine.
