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

asked = read_parameters(IPrime, globals())

# %% tags=["remove-stderr"]
units, found = results_of(asked)
panels = report.panels(found[found["part"] == "run"], asked.methods)  # those with something to compare
there = report.Tournament(asked, units, found[(found["part"] == "run") | found["pool"].isin(panels)])
elos = there.elos
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
# If there were a best length, the bars of a panel would move to the right from row to row down to one I′, and back to the left below it,
# by more than the marks of one length scatter. That one length lies farthest to the right proves nothing: one of five equal kinds always
# does.
#
# ## What is there

# %%
show(say(report.coverage_prose(there)), report.coverage_table(there))

# %% [markdown]
# A length with fewer than five runs decides nothing, and no length is the best before all of its rivals have run.
#
# ## Elo by length, a pool per enhancement
#
# Each enhancement has a pool of its own, with Baseline's runs and one random player in all of them. The thesis does not say whether its
# panels are one pool.

# %%
report.length_table(elos, panels, asked.lengths)

# %% [markdown]
# Read along a row: the column of zero iterations, which is Baseline, is what all lengths are measured against. Elo values of two rows are
# on two scales, and must not be compared.

# %%
report.pools_table(there)

# %% [markdown]
# ## What the design could detect

# %%
design.detectable_table(elos, asked)

# %% [markdown]
# For one length to be the best, four orderings must show, and each is corrected for all the others. That is a high bar for eight runs,
# here and in the thesis.
#
# ## Claim 5
#
# That seven is the best of five lengths makes four orderings for RAVE and four for WRoRa. For the other methods *unclear* holds when some
# length is too close to the best one for the difference to matter, and it stays open while no length can be told from all the rest.
# Here, as in the thesis, lengths are varied in one game only. So this design cannot decide whether different games need different lengths.

# %%
claims.parts_table(parts, "Claim 5, part by part: differences of mean Elo over runs, each in its own pool.")

# %% [markdown]
# Read the interval before the verdict: where it reaches from a loss to a gain, both are possible, whatever its middle says.
#
# ## Played and rated in other ways
#
# The verdict above rests on our tournaments and our rating. The same networks also meet from the empty board, with fresh trees and
# [in the way of the published tournaments](published_tournaments.ipynb), and the games can be rated in [the author's setting](elo.ipynb).

# %%
say(ways.claims_prose(of_figure(asked)))

# %% [markdown]
# Our way decides, because games from openings, with both colours and fresh trees, tell most about the players. The page on the
# [published tournaments](published_tournaments.ipynb) has the verdicts under each way, side by side.
#
# ## Limits
#
# With few runs the best of five lengths is best by chance. Even among lengths that do not matter, one comes out on top.
#
# ## Exercises
#
# 1. Five kinds of equal strength, runs with a standard deviation of 50 Elo, two runs a kind: how far apart are the best and
#    the worst kind on average?
#
# <details><summary>A solution</summary>
#
# The largest and the smallest of five normal numbers are $2.33$ standard deviations apart on average, and a mean of two runs has a standard
# deviation of $50/\sqrt{2}$. So the best and the worst of five equal kinds are $2.33 \cdot 50/\sqrt{2} \approx 82$ Elo apart.
#
# </details>
#
# 2. Compute more runs of one panel, `-p methods wrora -p runs 10`. Does the best length stay the same?
#
# <details><summary>A solution</summary>
#
# The table of runs says which are missing; each takes some minutes of one core. Watch the intervals, not the means: while they overlap,
# the best of five changes with nearly every run.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The network has 32 channels, and one symmetry is drawn for each example.
# 2. Each panel is a pool of its own; Baseline and a random player tie the panels together.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/iprime.py out.ipynb -p preset smoke
# ```
#
# says before it begins how long it will take on this machine.
