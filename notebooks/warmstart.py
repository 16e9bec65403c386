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
# # Five iterations with an enhancement
#
# **The question.** Does a network end up stronger if an enhancement plays the first five of its hundred iterations? The thesis
# (section 5.5.2, Figures 5.1 and 5.2) trains eight networks with each of five enhancements and eight without. Then it lets all of
# them play each other and one random player.
#
# **Claim 3.** *Runs with a warm start end with a higher {term}`Elo` than {term}`Baseline` in Gobang and Connect Four; in Othello all
# but {term}`Rollout` do.* **Claim 4.** *{term}`WRoRa` is the best, or among the best, in every game.*

# %% tags=["parameters"]
preset: str = "table"  # scale of a run: smoke, laptop, table, paper or letter
boards: str = "connect4,othello,gobang"  # games learned
methods: str = "baseline,rollout,rave,rora,wro,wrora"  # Baseline and the enhancements
runs: int = 8  # runs of each kind (seeds 0, 1, ...)
first_seed: int = 0  # seed of the first run of each kind; another one than 0 asks for runs of your own
iterations: int = 100  # I: iterations of a run
warm_iterations: int = 5  # I': iterations of the warm start
games: int = 20  # games a pair of the tournaments
compute: bool = True  # compute what is missing, after a sentence that says how long it takes; False: show what there is
device: str = "preset"  # what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says
runtime: str = "preset"  # who computes: compiled (our kernels, on a processor), torch, or as the device needs
precision: str = "preset"  # in which torch multiplies matrices: float32, or with fewer bits bfloat16 or float16
workers: int = 0  # worker processes; 0 is one per core, or per GPU where one is used

# %%
from wslib.study.claims.table import on_page, pooled, singly
from wslib.study.claims.ways import of_figure
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.pages.warm import Warmstart
from wslib.study.report import answer, design
from wslib.study.report import methods as against
from wslib.study.report import oldway as ways
from wslib.study.report import verdicts as claims
from wslib.study.report import warm as report

asked = read_parameters(Warmstart, globals())

# %% tags=["remove-stderr"]
there = report.Tournament(asked, *results_of(asked))
elos = there.elos
effects = pooled(elos, asked)
claim_3, parts_3 = on_page("3", elos, asked)
claim_4, parts_4 = on_page("4", elos, asked)
origin(there.found, asked.name)

# %% [markdown]
# ## In short

# %%
show(
    say(f"{answer.together_prose(effects)} {claims.verdict_prose(claim_3)} {claims.verdict_prose(claim_4)}"),
    answer.forest_figure(effects, singly(elos, asked), asked),
)

# %% [markdown]
# Every mark is a difference of two means, so look at its line before its place. Where a line crosses zero, chance alone could have
# drawn it. Where the line of the lowest row is short and close to zero, the five warm starts together made no difference worth having.
#
# ## What is there: the final networks
#
# All final networks of a game meet each other and one random player in a round robin. Games begin from openings of four random
# plies, each played with both colours, and all networks search like Baseline with 100 simulations a move. The ratings are Bayesian
# [Elo](elo.ipynb) {cite}`coulom2008whr`; the random player has Elo 0.

# %%
caption = "How strong the final networks are, by kind of run: Elo, with the random player at 0."
show(
    say(report.coverage_prose(there)),
    report.coverage_table(there),
    report.elo_figure(elos, asked.methods, caption),
)

# %% [markdown]
# Read the table by columns: where a kind has fewer than five runs in a game, nothing is decided about it there. In the figure, compare
# the distance between two means with the scatter of the marks around them. Where runs of one kind lie further apart than the means of
# two kinds, a single run says nothing about its method, and eight runs say little.

# %%
show(
    report.elo_table(elos, asked.methods, "How strong the final networks of each kind are."), report.pools_table(there)
)

# %% [markdown]
# The *score* is the share of points against the whole pool, so it says the same as Elo in plainer terms.
# Where games repeat each other, the number of *distinct* games counts, and not the number of games. Where most games are drawn, or are
# decided by the first move, little room is left for strength to show.
#
# ### Method against method

# %%
against.matrix_figure(there.pairs, asked.methods)

# %% [markdown]
# A row shows how one method does against each of the others. If strength were one number for each method, every row would have one
# shade from end to end, except in the random player's column. Patches are matches of styles, or chance.
#
# ### By the run, and by the game
#
# The thesis reports a binomial test at five percent (section 5.5.2), and does not say on which games. We take it to pool the games of
# all runs, as if each were independent evidence. Such a test [finds too much](rating.ipynb). Here it stands beside tests that take the
# run as the unit.

# %%
compared = against.against_baseline(there.pairs, elos, asked.methods)
overall = against.overall(there.pairs, asked.methods)
show(say(against.pooled_prose(compared)), against.against_baseline_table(compared), against.overall_table(overall))

# %% [markdown]
# Where *p of pooled games* is small and *p over runs* is not, a few lucky networks make the difference: their games agree with each
# other, but the runs of the method do not.
#
# ## Claims 3 and 4
#
# The training run is the unit, because games of one network are not independent evidence about the method that trained it. Each
# ordering is tested by permuting the runs' Elo, with {term}`Holm's correction` over all orderings of this experiment that the sources
# state. We read *among the best* as: no other kind is above it. That WRoRa is *the* best, above all others, is another sentence, which
# is judged with the other [verdicts](verdicts.ipynb).
#
# The first table says **what the design could detect**: a true difference smaller than the one named there goes unseen more than one
# time in five. The more orderings the thesis states, the harder each of them is to see.

# %%
show(
    design.detectable_table(elos, asked),
    claims.parts_table(parts_3, "Claim 3, one ordering a row: differences of mean Elo over runs."),
    claims.parts_table(parts_4, "Claim 4, one ordering a row: differences of mean Elo over runs."),
)

# %% [markdown]
# A claim as a whole is replicated when all its parts are. One part is enough to refute it, by an interval that is simultaneous over all
# parts. The page of the [verdicts](verdicts.ipynb) has the rules.
#
# ## Played and rated in other ways
#
# The verdicts above rest on our tournaments and our rating. The same networks also meet from the empty board, with fresh trees and
# [in the way of the published tournaments](published_tournaments.ipynb), and the games can be rated in [the author's setting](elo.ipynb).

# %%
say(ways.claims_prose(of_figure(asked)))

# %% [markdown]
# Our way decides, because games from openings, with both colours and fresh trees, tell most about the players. The page on the
# [published tournaments](published_tournaments.ipynb) has the verdicts under each way, side by side. And the end may be too late to
# see an effect that was there before: see the runs [on the way](on_the_way.ipynb).
#
# ## Limits
#
# Elo is relative to its pool: levels of different games, or of the final networks and those on their way, must not be compared. With
# fewer than five runs a side nothing is decided, whatever the figure looks like.
#
# The runs have the {term}`preset` `table`: every value of Table 5.2, but a compact network, where the author's earlier program has a
# large one. The [control](control.ipynb) shows what is lost with cheaper runs, of one epoch an iteration.
#
# ## Exercises
#
# 1. Rate the tournament in the author's setting for draws and for the first move. How far do the ratings move?
#
# <details><summary>A solution</summary>
#
# The chess values for draws and the first move do not fit these games, and the colours are lost: whoever is listed first is taken to
# have moved first, and the same results then look a little worse. [Elo](elo.ipynb) shows by how much.
#
# </details>
#
# 2. Repeat a part of this page with runs of your own (below, with `first_seed`). Which verdicts should be the same, and which may
#    well differ?
#
# <details><summary>A solution</summary>
#
# A verdict that stands should come out again with as many runs. An open one may fall either way where the runs that are there are
# nearly enough to decide. All others should stay open.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The network has 32 channels; the thesis does not print its own. One symmetry of each position is drawn, and not all are learned.
# 2. Games start from openings of four random plies, each with both colours, and with fresh trees. The chapters say nothing about this;
#    in the author's earlier code, games start from the empty board and trees are kept.
# 3. The rating estimates draws and the first move's advantage, and knows the colours. The chapters name Bayesian Elo and no settings;
#    the public logs of the author's earlier experiments have a chess program's defaults.
# 4. Tests and intervals are over runs, not over games.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/warmstart.py out.ipynb -p preset smoke
# wslib run warmstart --set preset=laptop --set boards=connect4 --set methods=baseline,wrora --set runs=5 --set first_seed=100
# papermill notebooks/warmstart.py out.ipynb -p preset laptop -p boards connect4 -p methods baseline,wrora -p runs 5 -p first_seed 100
# ```
#
# The first takes a minute and shows the machinery. The second repeats a part of this page with cheap runs of your own,
# of one epoch: five of either method with their tournaments, ten minutes on two cores (half an hour without `preset=laptop`). The third shows them as this page does,
# with verdicts. With `first_seed` left out and `runs=9` a ninth run of each is trained, meets the published networks of all
# others, and is rated here.
