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
# # How the published tournaments were played, and what that does
#
# **The question.** The thesis rates its finished networks in tournaments (section 5.5.2). As far as the author's public programs show,
# every game there starts from the empty board, both players always make their best move, and each keeps its search tree from game to
# game. Elsewhere in this book games start from random openings, each played with both colours, and every game has trees of its own. Do
# the same networks get the same ratings both ways?
#
# The thesis claims nothing about this. But all its claims about trained players rest on such ratings, and below they are judged under
# each way of playing and of rating.

# %% tags=["parameters"]
preset: str = "table"  # scale of the runs whose networks play: smoke, laptop, table, paper or letter
boards: str = "connect4,othello,gobang"  # games learned
methods: str = "baseline,rollout,rave,rora,wro,wrora"  # whose runs' networks play
figures: str = "warmstart,iprime,adaptive_vs_fixed"  # whose pools are played
runs: int = 8  # runs of each kind (seeds 0, 1, ...)
first_seed: int = 0  # seed of the first run of each kind; another one than 0 asks for runs of your own
iterations: int = 100  # I: iterations of a run
games: int = 20  # games a pair, half with each colour
compute: bool = True  # compute what is missing, after a sentence that says how long it takes; False: show what there is
device: str = "preset"  # what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says
runtime: str = "preset"  # who computes: compiled (our kernels, on a processor), torch, or as the device needs
precision: str = "preset"  # in which torch multiplies matrices: float32, or with fewer bits bfloat16 or float16
workers: int = 0  # worker processes; 0 is one per core, or per GPU where one is used

# %%
from wslib.study.claims.ways import ANCHOR, complete, ratings, runs_by_way, under_each_way
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.pages.old_way import PublishedTournaments
from wslib.study.report import oldway as report
from wslib.study.report import why

asked = read_parameters(PublishedTournaments, globals())

# %% tags=["remove-stderr"]
units, found = results_of(asked)
pool = found[found["part"] == "habits"]
pairs = complete(pool)
whole = pool[pool["unit"].isin(pairs["unit"])].reset_index(drop=True)
matches = [unit for unit in units if unit.id in set(whole["unit"])]
records = study.tables(matches, whole[["board", "way", "a", "b"]], "games", asked.name)
streaks = report.streaks(records)
elos = report.elos(ratings(pairs))
correlations = report.correlations(elos)
origin(found, asked.name)

# %% [markdown]
# ## In short

# %%
prose = f"{why.variety_prose(pairs)} {report.order_prose(correlations)}".strip()
entrants = sorted({name for name in (*pairs["a"], *pairs["b"]) if name != ANCHOR})
there = f" They are about {report.boards_prose(pairs)}, with {len(entrants)} networks." if entrants else ""
show(
    say(prose or "No two networks have met in all four ways of playing yet, so the question is open."),
    why.variety_figure(pairs),
    say(
        f"{len(pairs) or 'None'} of {len(asked.habit_units())} matches, of {asked.games} games each, "
        f"{'has' if len(pairs) < 2 else 'have'} been played in all four ways.{there} The networks are the final ones of "
        f"[the runs with a warm start of five iterations](warmstart.html), and Baseline's, with the preset `{asked.preset}`; a random player meets them all."
    ),
)

# %% [markdown]
# The further left a mark lies, the more often the same game is counted again. Two is the least that two players without chance can
# show: one game with either colour.
#
# ## Two habits
#
# The old way has two habits, and each can be kept without the other:
#
# 1. **The empty board.** Two players without chance who begin from the same board play the same game again. With both colours that
#    makes two different games, however many are played.
# 2. **Trees kept over all games.** A tree that has been searched before is not empty when the next game begins: the player
#    knows more, and sooner or later prefers another move. So games differ, but they are not independent. The players of the tenth game
#    have searched more than those of the first, and have met each other before.
#
# In the author's program trees are even kept from match to match. Here they are kept within a match, from the first game of a pairing
# to its last.

# %%
report.ways_table(pairs)

# %% [markdown]
# *One outcome per colour* is the share of pairings in which all games with the same colours end alike. Two of their twenty games tell all
# there is to know.
#
# Games that differ need not be independent. If they were, the order of the results would not matter. But a player who keeps its tree can
# win the same line again and again, until one of the two has searched enough to leave it:

# %%
report.streaks_table(streaks)

# %% [markdown]
# Where the first number is well above the second, results come in streaks: the next game depends on the last one.
#
# The author has published the logs of an earlier tournament, with the totals of each pairing. Most pairings in them look as if one
# outcome per colour explained them; our column *looks so in the totals* is there for comparison. In that tournament, moreover, all eight
# "runs" of a group turn out to be one network: the program makes its players in a loop, and each looks up the name of its network only
# when it plays, after the loop has ended. We do not know whether the tournaments of chapters 5 and 6 share this. Here a test checks that
# eight entrants are eight networks with eight trees.
#
# ## Ratings

# %%
report.elo_figure(elos, pairs)

# %% [markdown]
# If the way of playing did not matter, all marks would lie near the line. A mark far from it is a network that looks strong in one way
# of playing and not in the other.

# %%
show(report.ratings_table(elos), report.correlations_table(correlations))

# %% [markdown]
# Kendall's tau compares the *order* of the networks: one is the same order, zero is no relation, and minus one is the reverse order.
# Compare the rows that change only the setting of the rating with those that change the way of playing: which matters more?
#
# ## Whole pools
#
# The same can be asked about the pools of the thesis' figures, with all their networks: our way, fresh trees from the empty board, and
# the old way. The last column is what a reader of such a figure would remember, namely the kind of run that looks best.

# %%
by_way = runs_by_way(found[found["part"] == "pool"])
report.pools_table(by_way)

# %% [markdown]
# ## The claims under each way
#
# What would the thesis' claims about trained players come to, had we played or rated as it may have done? Every row is judged by the
# same rules, with the same networks.

# %%
claims = under_each_way(by_way, {source.name: source for source in asked.sources})
show(say(report.claims_prose(claims)), report.claims_table(claims))

# %% [markdown]
# The rows differ in how games begin, in what a player remembers, and in what a draw and the first move are worth. Intervals take the games
# for independent, which in the two ways from the empty board they are not: there the runs look further apart than they are.
#
# ## Limits
#
# A handful of networks in each game is enough to see what repeats, but not enough to say by how many Elo the old way is off on average.
# How the author's final tournaments were played is inferred from his public programs for earlier chapters. Part of the difference
# between two ways is chance: our own way, played again with another seed, would also give somewhat different ratings.
#
# ## Exercises
#
# 1. Play the old way with more games a pair (`-p games 100`). Does the number of different games go on growing?
#
# <details><summary>A solution</summary>
#
# With fresh trees it stays at about two. With kept trees new games went on turning up, even late, in the pairings that we tried. Yet
# the results came in long streaks, won by one side and then by the other. So the number of different games does not say how much a
# pairing tells about its players.
#
# </details>
#
# 2. Which of the two habits would you keep, if you could keep one?
#
# <details><summary>A solution</summary>
#
# Compare the rows *openings, trees kept* and *empty board, fresh trees*. Kept trees cost independence; the empty board costs all games
# but two. With openings kept trees should do less harm, because the next game leads elsewhere.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Trees are kept within a match. The author's are kept over a whole tournament, so play also depends on the schedule.
# 2. Ties between moves are broken by chance, from a seeded stream. In the author's older program the first move wins the tie.
# 3. Both settings of the rating are shown; the thesis has one.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/published_tournaments.py out.ipynb -p preset smoke
# ```
#
# takes about half a minute; the whole scale takes some hours on two cores.
