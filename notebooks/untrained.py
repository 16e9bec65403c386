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
# # Untrained: what an enhancement is worth before anything is learned
#
# **The question.** In the first iteration the network knows nothing. How much better does a search play then, if it takes the value of
# a position from a random {term}`playout`, or mixes both, or adds {term}`RAVE`? Table 6.1 of the thesis (section 6.6.1) lets each
# {term}`enhancement` meet {term}`Baseline` with a random network, with weight 1/2 in the mixtures, and always the best move.
#
# **Claim 2.** *Every enhancement but RAVE beats Baseline; RAVE is the weakest everywhere, in Othello above one half all the same;
# {term}`WRoRa` is the strongest in Connect Four and {term}`RoRa` in Gobang; win rates are highest in Othello, and lower in Gobang than
# in the others.*

# %% tags=["parameters"]
preset: str = "full"  # full: the published scale; smoke: seconds
games: int = 100  # games a pair, half with each colour
simulations: int = 100  # m: simulations a move
boards: str = "connect4,othello,gobang"  # games played
channels: int = 32  # C: channels of the random networks
seed: int = 0  # seed of all random streams
device: str = "preset"  # what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says
runtime: str = "preset"  # who computes: compiled (our kernels, on a processor), torch, or as the device needs
precision: str = "preset"  # in which torch multiplies matrices: float32, or with fewer bits bfloat16 or float16
workers: int = 0  # worker processes; 0 is one per core, or per GPU where one is used

# %%
from wslib.search import THESIS
from wslib.study.claims import untrained as claims
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, say, show
from wslib.study.engine.store import thesis_table
from wslib.study.names import board_name, method_name
from wslib.study.pages.learning import SAMPLED, Untrained
from wslib.study.report import untrained as report
from wslib.study.statistics import decide

asked = read_parameters(Untrained, globals())

# %% tags=["remove-stderr"]
results = study.results(asked.units(), asked.name, asked.workers)
matches = asked.labels().join(results)
cells = claims.against_baseline(matches, thesis_table("table_6_1"))
claim = claims.claim_2(cells)
verdict = claims.claim_2_verdict(claim)
origin(results, asked.name)

# %% [markdown]
# ## In short

# %%
held = (claim["verdict"] == decide.REPLICATED).sum()
show(
    say(
        f"{report.in_short(cells)} **Verdict on claim 2 as a whole: {verdict}.** {held} of its {len(claim)} orderings hold."
    ),
    report.cells_figure(cells),
)

# %% [markdown]
# To the right of the line an enhancement beats plain search while the network knows nothing. This
# is why a warm start seems worth trying: what plays better should also teach better. Whether it does is another question.
#
# ## Table 6.1, ours and the thesis'
#
# A network with random weights is one sample of many, and two deterministic players with one network would play only two
# different games (ours use chance to break ties, and in playouts). Here every game has a new network, which both players share.

# %%
report.cells_table(cells)

# %% [markdown]
# *By Q_rave* is the other reading of the text: RAVE's final move goes by its AMAF values. RoRa and WRoRa would inherit it.

# %%
report.final_move_table(cells)

# %% [markdown]
# Look at the last column. One program has one reading for all three, so where the rows disagree, neither reading explains the print.

# %% tags=["hide-input"]
say(report.printed_prose(thesis_table("checks_table_6_1")))

# %% [markdown]
# ## Other readings
#
# Four options that the sources leave open, one at a time: of equally good moves the first is taken instead of any; RAVE
# counts an action for whoever used it first; RAVE keeps its weight for longer than the text says; and the latter two
# together. [The readings](readings.ipynb) say more about them. In the last column both players draw the first moves of a
# game from their policies, as they do in self-play.

# %%
readings = report.in_readings(matches, thesis_table("table_6_1"))
report.in_readings_table(readings, cells)

# %% [markdown]
# One cell that a reading moves and all others leave alone tells more than a small move everywhere.

# %% tags=["hide-input"]
say(report.in_readings_prose(readings, [name for name in asked.READINGS if name != SAMPLED]))

# %% [markdown]
# In Gobang the first index is no neutral choice. A hundred simulations leave many moves with equally many visits; cells are
# numbered along the rows, and whoever takes the first of them fills the first row from its corner. That is a line, and
# even a search that knows nothing wins by it.

# %%
report.sampling_table(readings)

# %% [markdown]
# This matters for [the adaptive switch](adaptive.ipynb): there the same two players meet, with their first moves drawn, and
# the enhancement stays only as long as it does not lose.
#
# ## Claim 2

# %%
show(report.claim_2_counts(claim), report.claim_2_table(claim))

# %% [markdown]
# How orderings are judged, alone and together, is on the page of the [verdicts](verdicts.ipynb); how the claim is cut into them is our
# reading. That win rates are *lower in Gobang* is tested on the mean of all five against Connect Four's, because cell by cell the
# printed table itself says otherwise; as all five play with the same networks, they count as one match. That *the combinations are
# the strongest* no source says.
#
# ## The enhancements against each other
#
# Section 6.5 announces that all six play each other; the thesis shows only Baseline's column.

# %%
report.matrix_figure(matches, list(THESIS))

# %% [markdown]
# Read a row from left to right: how one search scores against each of the others. If the searches stood in one line from weak to strong,
# the colours would change evenly from corner to corner.
#
# ## Why one network misleads

# %%
fewest = cells.loc[cells["one_distinct"].idxmin()]
show(
    report.one_network_table(cells),
    say(
        f"With one network the match with the fewest different games has {fewest['one_distinct']:.0f} of {fewest['games']} "
        f"({method_name(fewest['a'])} in {board_name(fewest['board'])})"
        f", and the win rates differ from those over many networks by {100 * (cells['one_network'] - cells['score']).abs().mean():.0f} "
        "points on average. A table made so is about the network that happened to be drawn."
    ),
)

# %% [markdown]
# ## Limits
#
# The thesis does not say how its random networks were drawn, nor whether both players shared one. Other network shapes
# give other random values; the number of channels is a parameter here. The matches of different methods use the same
# networks, game by game, which makes their comparison sharper than the tests assume.
#
# ## Exercises
#
# 1. Does more search help a random network? Run with `-p simulations 400` and look at Baseline's column.
#
# <details><summary>A solution</summary>
#
# Baseline finds forced wins by reaching them, and little else; playouts gain with every simulation.
#
# </details>
#
# 2. Mix with a larger share of playouts, or compare narrow and wide networks (`-p channels 8`, `-p channels 64`). What changes?
#
# <details><summary>A solution</summary>
#
# A random network's value is nearly the same everywhere, whatever its size; mixing it in mainly shrinks the playout's
# values, and with them the part of the score that is not curiosity.
#
# </details>
#
# ## Differences from the thesis
#
# 1. A new random network for every game, shared by both players; intervals over networks.
# 2. RAVE's final move goes by visits; by Q_rave is shown beside it.
# 3. Draws count as half a win; the orderings are corrected for their number.
# 4. The full matrix of all six.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/untrained.py out.ipynb -p games 20
# ```
#
# takes about two minutes.
