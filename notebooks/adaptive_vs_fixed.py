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
# # Adaptive against fixed
#
# **The question.** Does a switch that finds its own moment give stronger networks than a fixed one? The thesis (section 6.6.3, Figure 6.3)
# rates {term}`Baseline`, the five enhancements with a fixed I' = 5, and the same five with the adaptive {term}`switch`, all in one pool
# for each game.
#
# **Claim 7.** *For each enhancement the adaptive switch gives higher Elo than the fixed one, in Connect Four and Othello.*

# %% tags=["parameters"]
preset: str = "table"  # scale of a run: smoke, laptop, table, paper or letter
boards: str = "connect4,othello"  # games learned
methods: str = "rollout,rave,rora,wro,wrora"  # enhancements
runs: int = 8  # runs of each kind (seeds 0, 1, ...)
first_seed: int = 0  # seed of the first run of each kind; another one than 0 asks for runs of your own
iterations: int = 100  # I: iterations of a run
games: int = 20  # games a pair of the tournament
compute: bool = True  # compute what is missing, after a sentence that says how long it takes; False: show what there is
device: str = "preset"  # what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says
runtime: str = "preset"  # who computes: compiled (our kernels, on a processor), torch, or as the device needs
precision: str = "preset"  # in which torch multiplies matrices: float32, or with fewer bits bfloat16 or float16
workers: int = 0  # worker processes; 0 is one per core, or per GPU where one is used

# %%
from wslib.study.claims.table import on_page
from wslib.study.claims.ways import of_figure
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.pages.warm import AdaptiveVsFixed
from wslib.study.report import design
from wslib.study.report import oldway as ways
from wslib.study.report import verdicts as claims
from wslib.study.report import warm as report

asked = read_parameters(AdaptiveVsFixed, globals())
kinds = ["baseline", *(f"{method} {switch}" for method in asked.methods for switch in ("fixed", "adaptive"))]

# %% tags=["remove-stderr"]
there = report.Tournament(asked, *results_of(asked))
elos = there.elos
claim, parts = on_page("7", elos, asked)
origin(there.found, asked.name)

# %% [markdown]
# ## In short

# %%
show(
    say(f"{claims.verdict_prose(claim)} {report.rated_prose(there)}"),
    report.elo_figure(
        elos, kinds, "How strong the final networks are, by kind of run: Elo, with the random player at 0."
    ),
)

# %% [markdown]
# Look at pairs of the same colour, fixed above and adaptive below. The claim says that the lower one lies farther to the right every time.
# If all ten pairs leaned one way, that would be worth noticing even where no single pair is decided; five and five would be chance.
#
# ## What is there

# %%
show(say(report.coverage_prose(there)), report.coverage_table(there))

# %% [markdown]
# Read the table by columns: where a kind has fewer than five runs in a game, nothing is decided about it there.
#
# ## Elo of the final networks

# %%
report.elo_table(elos, kinds, "How strong the final networks of each kind are.")

# %% [markdown]
# The fixed runs are those of [five iterations](warmstart.ipynb). They are in another pool here, so their Elo differs from that on the
# other page. Their order should not.

# %%
report.pools_table(there)

# %% [markdown]
# ## What the design could detect

# %%
design.detectable_table(elos, asked)

# %% [markdown]
# Each pair is one ordering among all that the thesis states about this pool. An adaptive switch that comes at about five iterations changes
# little, so the true differences are probably small.
#
# ## Claim 7

# %%
claims.parts_table(parts, "Claim 7, one pair a row: adaptive minus fixed, in mean Elo over runs.")

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
# With fewer than five runs a side nothing is decided. Elo is relative to its pool, and each game has its own.
#
# ## Exercises
#
# 1. Which kinds switch after fewer than five iterations on average? Would you expect adaptive and fixed to differ there?
#
# <details><summary>A solution</summary>
#
# The page on the [adaptive switch](adaptive.ipynb) has the iterations. Where a switch comes at about five iterations, both warm starts
# last equally long. But in an adaptive one the enhancement makes only half of the moves, because the default search plays the other side;
# and the weights of a mixture fall in another way.
#
# </details>
#
# 2. Pair the runs by seed: both start from the same network. Does that sharpen the comparison?
#
# <details><summary>A solution</summary>
#
# Hardly. Runs of one seed share their first network and then go their own ways, so their ratings at the end have little in common.
# Pairing removes hardly any chance, but costs half of the degrees of freedom.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The network has 32 channels, and one symmetry is drawn for each example.
# 2. A random player anchors each pool.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/adaptive_vs_fixed.py out.ipynb -p preset smoke
# ```
#
# says before it begins how long it will take on this machine.
