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
# # When does an adaptive warm start end?
#
# **The question.** In Algorithm 6 (thesis, section 6.4) the enhancement and the default search play each other with the same
# network, until the default search wins more games than it loses. When does that happen?
#
# **Claim 6.** *Adaptive switching happens early, at different iterations per game and run (Table 6.2); in Gobang in the
# first iteration with 100 simulations a move, or almost so with 200.*

# %% tags=["parameters"]
preset: str = "full"  # full: the source's scale; smoke: seconds
boards: str = "gobang,connect4,othello"  # games learned
methods: str = "rollout,rave,rora,wro,wrora"  # enhancements
runs: int = 8  # runs of each kind (seeds 0, 1, ...)
first_seed: int = 0  # seed of the first run of each kind; another one than 0 asks for runs of your own
most: int = 100  # I: iterations after which a run is given up
presets: str = "table"  # presets of the runs, with commas: table has all values of Table 5.2, laptop trains one epoch
compute: bool = True  # compute what is missing, after a sentence that says how long it takes; False: show what there is
device: str = "preset"  # what networks compute on: cpu, cuda, auto (a GPU where there is one), or as the preset says
runtime: str = "preset"  # who computes: compiled (our kernels, on a processor), torch, or as the device needs
precision: str = "preset"  # in which torch multiplies matrices: float32, or with fewer bits bfloat16 or float16
workers: int = 0  # worker processes; 0 is one per core, or per GPU where one is used

# %%
from wslib.study.claims import adaptive as claims
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.engine.store import thesis_table
from wslib.study.pages.base import BOARDS
from wslib.study.pages.warm import ENHANCEMENTS, Adaptive
from wslib.study.report import adaptive as report

asked = read_parameters(Adaptive, globals())

# %% tags=["remove-stderr"]
units, found = results_of(asked)
balances = study.tables(units, found[["board", "kind", "seed", "simulations", "scale"]], "balances", asked.name)
cells = report.cells(found, thesis_table("table_6_2"))
scale = asked.presets[0]
claim = claims.claim_6(found, scale)
everything = {*BOARDS, *ENHANCEMENTS} <= {*asked.boards, *asked.methods}
verdict = claims.whole_claim(claim, everything)
origin(found, asked.name)

# %% [markdown]
# ## In short

# %%
show(
    say(f"**Claim 6 as a whole: {verdict}.** All its parts must hold. {report.halves_prose(found, scale)}"),
    report.switches_figure(found, cells, scale),
)

# %% [markdown]
# Every mark is a run. Where marks sit on the grey bar, our switches come when the thesis' do; where they lie to the right of it, our
# enhancements hold out longer. Expect runs of one kind to scatter widely, because the balance of a single iteration depends on chance.
#
# ## Table 6.2, ours and the thesis'
#
# How soon plain search catches up depends on how fast the network learns. The {term}`preset` `table` therefore trains with all values of
# Table 5.2, including its ten epochs. *RAVE by Q_rave* is RAVE whose final move goes by its {term}`AMAF` values, the letter of section
# 5.3.3. Gobang stands here twice: with 100 simulations a move (*m*), like the other games, and with 200 simulations a move, as in the
# published column.

# %%
show(
    say(
        f"{len(found)} of {len(asked.units())} runs are there. A run ends at its switch. One that does not switch within "
        f"{asked.most} iterations is counted, but enters no average."
    ),
    report.cells_table(cells, scale),
)

# %% [markdown]
# Compare the two columns of means row by row. Then compare methods with a weight (WRo and WRoRa) with methods without one: they may
# behave differently. [What came out, and why](what_came_out.ipynb) takes this up.

# %%
report.ends_table(cells)

# %% [markdown]
# ## Balances until the switch
#
# The {term}`balance` of an iteration is the default search's wins minus its losses. Figure 6.2 of the thesis shows it for Othello, up to
# the switch, where it first comes above zero.

# %%
report.balances_figure(report.last_board(balances[balances["scale"] == scale]))

# %% [markdown]
# A line that starts far below zero is an enhancement that beats plain search clearly while the network is untrained. It climbs as the
# network learns, and ends where it first crosses zero. A flat line near zero is a coin that is tossed until it comes up heads.
#
# ## What the design could detect
#
# Eight runs of each of five kinds make forty runs in a game. So *most runs do so* can be told from *half of them do* when about three
# quarters do. *Every run does so* falls with a single run that does not.
#
# ## Claim 6

# %%
report.claim_table(claim)

# %% [markdown]
# ## Limits
#
# The balance of one iteration comes from fifty games. It is positive by chance now and then, and a switch cannot be taken back. So an
# early switch may have been luck.
#
# ## Exercises
#
# 1. Fifty games, no draws: how often is the balance above zero by chance although both sides are
#    equally strong? And in five iterations at least once?
#
# <details><summary>A solution</summary>
#
# The chance of more wins than losses is $q = (1 - P(25)) / 2$, where $P(25)$ is the chance of a tie. That is a little less than a half. In
# five iterations it happens at least once with a chance of $1 - (1 - q)^5$, which is nearly certain.
#
# </details>
#
# 2. Would you expect RAVE by Q_rave to switch sooner or later than RAVE by visits? Check in the table.
#
# <details><summary>A solution</summary>
#
# Sooner. Q_rave averages over moves that were played much later in the simulations, when they meant something else. Even with an
# [untrained network](untrained.ipynb) it tends to choose worse moves than visits do. So plain search may win the first iteration, and the
# warm start would be over almost before it has begun.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The network has 32 channels, and one symmetry is drawn for each example.
# 2. Each search keeps its colour for the whole game. By the parity of the step, a pass in Othello that is not counted would make them
#    change places.
# 3. RAVE's final move goes by visits; runs by the thesis' wording stand beside it.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/adaptive.py out.ipynb -p preset smoke
# papermill notebooks/adaptive.py out.ipynb -p boards connect4 -p methods rave -p presets laptop -p runs 2
# ```
#
# The first takes seconds. The second computes two runs of each kind with one epoch, and says before it begins how long it will take on
# this machine.
