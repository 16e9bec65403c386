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
# **The question.** In the first iteration the network knows nothing. How much better does a search play then if it takes the value of
# a position from a random {term}`playout`, or mixes both, or adds {term}`RAVE`? In Table 6.1 of the thesis (section 6.6.1) each
# {term}`enhancement` meets {term}`Baseline` with a random network. The mixtures have weight 1/2, and all players play their best move.
#
# **Claim 2.** *Every enhancement but RAVE beats Baseline. RAVE is the weakest everywhere, although it is above one half in Othello.
# {term}`WRoRa` is the strongest in Connect Four and {term}`RoRa` in Gobang. Win rates are highest in Othello, and lower in Gobang than
# in the other games.*

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
    say(f"{report.in_short(cells)} **Claim 2 as a whole: {verdict}.** Of its {len(claim)} orderings {held} hold."),
    report.cells_figure(cells),
)

# %% [markdown]
# A mark whose interval lies to the right of the line is an enhancement that beats plain search while the network knows nothing. This is
# why a warm start seems worth trying: what plays better should also teach better. Whether it does is
# [another question](warmstart.ipynb).
#
# ## Table 6.1, ours and the thesis'
#
# A network with random weights is one sample of many. Two players without chance and with one network would play only two different
# games. So every game here has a new network, which both players share.

# %%
printed = say(report.printed_prose(thesis_table("checks_table_6_1")))
show(report.cells_table(cells), report.final_move_table(cells), printed)

# %% [markdown]
# In the first table, compare the two columns of percentages, and see whether the thesis' number lies within our interval. *By Q_rave* is
# the letter of section 5.3.3: RAVE's final move goes by its AMAF values, which RoRa and WRoRa would inherit. In the second, look at the
# last column. One program has one reading for all three enhancements. So where the rows disagree, neither reading alone explains the
# print.
#
# ## Other readings
#
# Four options stand beside the default. The first of equally good moves is taken instead of any of them; RAVE counts an action for
# whoever used it first; RAVE keeps its weight for longer than the text says; and the latter two together. The page on
# [readings](readings.ipynb) says more about them. In the last column both players draw the first moves of a game from their
# policies, as they do in self-play.

# %%
readings = report.in_readings(matches, thesis_table("table_6_1"))
names = [name for name in asked.READINGS if name != SAMPLED]
show(report.in_readings_table(readings, cells), say(report.in_readings_prose(readings, names)))

# %% [markdown]
# Look for cells in which the default is far from the thesis and another column is near. A reading that explains the print should do so
# in every game.
#
# In Gobang taking the first move is no neutral choice. A hundred simulations leave many moves with equally many visits. Cells are
# numbered along the rows, so a player who takes the first of them fills the first row from its corner. That is a line, and even a
# search that knows nothing can win by it.

# %%
report.sampling_table(readings)

# %% [markdown]
# This matters for the [adaptive switch](adaptive.ipynb): there the same two players meet, with their first moves drawn, and
# the enhancement stays only as long as it does not lose.
#
# ## Claim 2

# %%
show(report.claim_2_counts(claim), report.claim_2_table(claim))

# %% [markdown]
# The page of the [verdicts](verdicts.ipynb) says how orderings are judged, alone and together; how the claim is cut into them is our
# reading. *Lower in Gobang* is tested on the mean of all five against Connect Four's, because cell by cell the printed table itself
# says otherwise. All five play with the same networks, so they count as one match.
#
# ## The enhancements against each other
#
# Section 6.5 announces that all six play each other, but the thesis shows only the results against Baseline. Here are all of them:

# %%
report.matrix_figure(matches, list(THESIS))

# %% [markdown]
# A row shows how one search does against each of the others. If the searches stood in one line from weak to strong, the colours would
# change evenly from corner to corner.
#
# ## Why one network misleads

# %%
fewest = cells.loc[cells["one_distinct"].idxmin()]
show(
    report.one_network_table(cells),
    say(
        f"With one network, only {fewest['one_distinct']:.0f} of {fewest['games']} games are different in the most repetitive match "
        f"({method_name(fewest['a'])} in {board_name(fewest['board'])}). The win rates differ from those over many networks by "
        f"{100 * (cells['one_network'] - cells['score']).abs().mean():.0f} points on average. Such a table is about the network that "
        "happened to be drawn."
    ),
)

# %% [markdown]
# ## Limits
#
# The thesis does not say how its random networks were drawn, nor whether both players shared one. Networks of another shape give other
# random values; the number of channels is a parameter here. The matches of different methods use the same networks, game by game,
# which makes their comparison sharper than the tests assume.
#
# ## Exercises
#
# 1. Does more search help a random network? Run with `-p simulations 400` and look at Baseline's column.
#
# <details><summary>A solution</summary>
#
# Hardly. Baseline finds forced wins by reaching them, and little else, whereas playouts gain with every simulation.
#
# </details>
#
# 2. Mix with a larger share of playouts, or compare narrow and wide networks (`-p channels 8`, `-p channels 64`). What changes?
#
# <details><summary>A solution</summary>
#
# A random network's value is nearly the same everywhere, whatever its size. Mixing it in mainly shrinks the playout's values, and with
# them their part in the score, so that curiosity counts for more.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Every game has a new random network, shared by both players, and intervals are over networks.
# 2. RAVE's final move goes by visits; the results by Q_rave are shown beside it.
# 3. Draws count as half a win, and the orderings are corrected for their number.
# 4. All six searches meet each other.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/untrained.py out.ipynb -p games 20
# ```
#
# takes about two minutes.
