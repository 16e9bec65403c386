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
# **The question.** Five iterations with an enhancement, then ninety-five without: is the network stronger in the end? The thesis
# (section 5.5.2, Figures 5.1 and 5.2) trains eight networks with each of five enhancements and eight without, and lets all of
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
from IPython.display import display

from wslib.study.claims.table import on_page, pooled, singly
from wslib.study.claims.ways import of_figure
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.pages.warm import Warmstart
from wslib.study.report import answer, design
from wslib.study.report import methods as against
from wslib.study.report import oldway as ways
from wslib.study.report import verdicts as claims
from wslib.study.report import warm as report
from wslib.study.statistics import pools

asked = read_parameters(Warmstart, globals())

# %% tags=["remove-stderr"]
units, found = results_of(asked)
runs_found = found[found["part"] == "run"]
runs_asked = asked.labels().query("part == 'run'")
pairs = pools.round_robin(found[found["part"] == "pool"])
way = found[found["part"] == "anchored"]
perfect = report.of_whole_runs(found[found["part"] == "perfect"], runs_found)
ratings = pools.pool_ratings(pairs, anchor="random")
elos = pools.run_elos(ratings, runs_found)
effects = pooled(elos, asked)
claim_3, parts_3 = on_page("3", elos, asked)
claim_4, parts_4 = on_page("4", elos, asked)
origin(found, asked.name)

# %% [markdown]
# ## In short

# %%
show(
    say(f"{answer.together_prose(effects)} {claims.verdict_prose(claim_3)} {claims.verdict_prose(claim_4)}"),
    answer.forest_figure(effects, singly(elos, asked), asked),
)

# %% [markdown]
# Every mark is a difference of two means, so look at its line before its place. Lines that cross zero are what
# chance alone would draw. Where the lowest row is short and close to zero, all five warm starts together made no
# difference worth having.
#
# ## What is there

# %%
show(
    say(report.coverage_prose(runs_found, runs_asked, asked.preset, asked.iterations, pairs)),
    report.coverage_table(runs_found, runs_asked, asked.preset),
)

# %% [markdown]
# Read it by columns: in a game with fewer than five runs of a kind, nothing about that kind is decided.
#
# ## The final networks
#
# All final networks of a game and one random player meet in a round robin. Every pair begins from openings of four random
# plies, each played with both colours, and both sides search like Baseline with 100 simulations a move. The ratings are Bayesian
# Elo {cite}`coulom2008whr`; the random player has Elo 0.

# %%
report.elo_figure(
    elos,
    asked.methods,
    "Elo of the final networks by kind of run; the random player has 0.",
)

# %% [markdown]
# Compare the distance between two means with the scatter of the marks around each. Where runs of one kind lie further apart than
# the means of two kinds, a single run says nothing about its method, and eight say little.

# %%
report.elo_table(
    elos,
    asked.methods,
    "Final networks: the runs of each kind.",
)

# %% [markdown]
# The *score* is the share of points against the whole pool, so it says the same as Elo in plainer terms. What every pool
# rests on:

# %%
report.pools_table(pairs, ratings)

# %% [markdown]
# Deterministic players repeat their games, so *distinct* matters more than the number of games. A large share of draws, or an
# advantage of the first move that decides most games, leaves little for the players' strength to show.
#
# ### Method against method

# %%
against.matrix_figure(pairs, asked.methods)

# %% [markdown]
# A row is the method whose score is shown. If strength were one number per method, every row would be bright or dark from end to
# end, all but the random player's column; patches are styles that meet, or chance.
#
# ### All warm starts together
#
# Before any method is told from another: do runs with a warm start end higher than Baseline's?

# %%
claims.pooled_table(effects)

# %% [markdown]
# This is the test with the most runs on one side, and so the one most able to see anything. It belongs to no claim of the
# thesis, which judges each enhancement by itself.
#
# ### By the run, and by the game
#
# The thesis pools the games of all runs and tests them as if each were independent evidence (section 5.5.2); [this finds too
# much](rating.ipynb). Here is that test, labelled, beside the ones that take the run for the unit.

# %% tags=["hide-input"]
compared = against.against_baseline(pairs, elos, asked.methods)
say(against.pooled_prose(compared) if len(compared) else "No kind has two runs, and Baseline two to compare them with.")

# %%
if len(compared):
    display(against.against_baseline_table(compared), against.overall_table(against.overall(pairs, asked.methods)))

# %% [markdown]
# Where *p of pooled games* is small and *p over runs* is not, the games agree with each other and the runs do not: a few lucky
# networks carry the difference.
#
# ## What the design could detect

# %%
design.detectable_table(elos, asked)

# %% [markdown]
# Read the verdicts below with this table beside them. A true difference smaller than the one named here goes unseen more often than
# one time in five, and the many orderings that the thesis states make each of them harder to see.
#
# ## Claims 3 and 4
#
# The training run is the unit: games of one network are not independent evidence about the method that trained it. Each
# ordering is a permutation test on the runs' Elo, corrected by {term}`Holm's correction` over all orderings of this
# experiment that the sources speak of. *Among the best* is read as: no other kind is above it. That WRoRa is *the* best, above
# all others, is another sentence of the [verdicts](verdicts.ipynb).

# %%
show(
    claims.parts_table(parts_3, "Claim 3 by its orderings: difference of mean Elo over runs."),
    claims.parts_table(parts_4, "Claim 4 by its orderings: difference of mean Elo over runs."),
)

# %% [markdown]
# A claim as a whole is replicated when every part is. One part refutes it, with an interval that is simultaneous over all parts;
# the page of the [verdicts](verdicts.ipynb) has the rules.
#
# ## Played and rated in other ways
#
# The verdicts above rest on our tournaments and our rating. The same networks have also met from the empty board, with fresh trees and
# [in the way of the published tournaments](published_tournaments.ipynb), and the games can be rated with the thesis' settings.

# %%
by_way = of_figure(asked)
show(say(ways.claims_prose(by_way)), ways.claims_table(by_way))

# %% [markdown]
# Ours decides: openings with both colours and fresh trees make games that tell most about the players. Where another row says
# something else, a reader of the thesis should ask which of the two its figure shows.
#
# ## On the way
#
# The end may come too late to see an effect that was there before. Here the networks of earlier iterations meet four players
# without a network, and the networks of the same age and seed, in a pool of its own.

# %% tags=["hide-input"]
if len(way):
    way_ratings = pools.pool_ratings(way, anchor="random")
    aged = pools.run_elos(way_ratings, runs_found).dropna(subset="iteration").astype({"iteration": int})
    aged = report.of_whole_runs(aged, runs_found)
    display(
        report.way_figure(
            aged,
            "elo",
            "Elo (random: 0)",
            asked.methods,
            "Elo of the networks on their way, in the anchored pool; thin lines are runs.",
        ),
        report.gains_figure(aged, asked.methods),
        report.way_table(aged),
    )
else:
    say("No network on the way has been rated yet.")

# %% [markdown]
# If a warm start gives a head start that is later caught up, the differences are largest in the first iterations and shrink
# to the right. If it leads to another place, they last. No test is made here: the same runs are looked at many times.
#
# ## Against perfect play
#
# Elo depends on who is in the pool; the truth does not. A move is *optimal* when it keeps the value that the position has with
# perfect play. The positions are of [two kinds](positions.ipynb): *broad*, from half-random play, and *path*, from games between
# strong players.

# %% tags=["hide-input"]
searched = perfect[perfect["way"] == "search"] if len(perfect) else perfect
for which in ("broad", "path"):
    rows = (
        searched[searched["set"] == which].assign(percent=lambda frame: 100 * frame["optimal"])
        if len(searched)
        else searched
    )
    if len(rows):
        display(
            report.way_figure(
                rows,
                "percent",
                "optimal moves, %",
                asked.methods,
                f"Optimal moves on the set {which}, by iteration; thin lines are runs.",
            )
        )

# %%
report.perfect_table(perfect) if len(perfect) else say("No network has been measured against perfect play yet.")

# %% [markdown]
# A network that is strong only against its own kind would climb in Elo and stand still here. Do the runs that are strongest in the
# tournament also play best, and does strength cost time?

# %%
provenance = study.provenance([unit for unit in units if unit.kind == "run"], asked.name)
show(
    report.beside_figure(
        elos,
        report.last_optimal(perfect),
        "optimal",
        "optimal moves, %",
        "Every mark is a run: its Elo in the tournament, and how often its last network plays a move that perfect play allows.",
    ),
    report.beside_figure(
        elos,
        report.minutes_of(runs_found, provenance),
        "minutes",
        "processor minutes of the run",
        "Every mark is a run: its Elo in the tournament, and the processor time of its training.",
    ),
)

# %% [markdown]
# ## Limits
#
# Elo is relative to its pool: levels of different games, or of the final and the anchored pool, are not comparable. Where
# fewer than five runs a side are there, nothing is decided, whatever the figure looks like.
#
# The runs have the {term}`preset` `table`: every value of Table 5.2, with a compact network, where the author's earlier
# code has a large one. The [control](control.ipynb) shows what is lost where runs are made cheaper still, with one epoch an iteration.
#
# ## Exercises
#
# 1. Rate the tournament with the thesis' settings, for draws and the first move. How far do the ratings move?
#
# <details><summary>A solution</summary>
#
# The chess values for draws and the first move do not fit these games, and colours are lost: whoever is listed first is taken for
# the one who moved first, and the same results then look a little worse. [How players are rated](rating.ipynb) shows by how much.
#
# </details>
#
# 2. Repeat a part of this page with runs of your own (below, with `first_seed`). Which verdicts should be the same, and which may
#    well differ?
#
# <details><summary>A solution</summary>
#
# Look at the verdicts: one that stands should come out again with as many runs; an open one whose number of runs that would
# decide is close to those that are there may fall either way; all others should stay open.
#
# </details>
#
# ## Differences from the thesis
#
# 1. A network of 32 channels (the thesis does not print its own); one symmetry of each position is drawn instead of all being learned.
# 2. Openings of four random plies, each with both colours, and fresh trees for every game. The chapters say nothing of this;
#    in the author's earlier code, games start from the empty board, and trees are kept.
# 3. Draws, advantage and colours enter the rating as they were. The chapters name Bayesian Elo and no settings; the public
#    logs of the author's earlier experiments have a chess program's defaults.
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
