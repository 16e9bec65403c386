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
# # On the way: a head start, and perfect play
#
# **The question.** A warm start should help most while the network knows nothing. Does it, and how long does that last? Whoever looks at the end alone
# ([five iterations](warmstart.ipynb)) may come too late to see it. And do networks that win more games also play better?
#
# No claim of the thesis is tested here. The runs are those with a warm start of five iterations, and Baseline's, seen along their hundred iterations.

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
from wslib.study.engine import units as study
from wslib.study.engine.notebook import origin, read_parameters, results_of, say, show
from wslib.study.pages.warm import Warmstart
from wslib.study.report import warm as report

asked = read_parameters(Warmstart, globals())

# %% tags=["remove-stderr"]
there = report.Tournament(asked, *results_of(asked))
aged = report.on_the_way(there)
ahead = report.ahead_on_the_way(aged)
perfect = report.against_perfect_play(there)
searched = perfect[perfect["way"] == "search"].assign(percent=lambda rows: 100 * rows["optimal"])
origin(there.found, asked.name)

# %% [markdown]
# ## In short

# %%
show(say(report.head_start_prose(ahead)), report.gains_figure(aged, asked.methods))

# %% [markdown]
# Follow a curve from left to right. Where it starts high and comes down to the line, the warm start was a head start that runs
# without one made up. Where it stays above the line, it led somewhere else. Where the band contains the line, neither is sure.
#
# ## Elo by iteration
#
# Networks of earlier iterations meet four players without a network, and the networks of the same age and seed, in a pool of their own.

# %%
caption = (
    "How strong the networks are on their way: Elo in a pool of their own. Thin lines are runs, thick ones their means."
)
show(report.way_figure(aged, "elo", "Elo (random: 0)", asked.methods, caption), report.way_table(ahead))

# %% [markdown]
# In the figure, look at how early the curves of all kinds come together; in the table, at the first column in which no game is far from
# zero. Nothing is tested here, because the same runs are looked at many times.
#
# ## Against perfect play
#
# {term}`Elo` depends on who is in the pool; the truth does not. A move is *optimal* if it keeps the value that the position has with
# perfect play. There are [two sets of positions](positions.ipynb): *broad*, from half-random play, and *path*, from games between
# strong players.

# %%
caption = "How often the networks with their search move optimally in the set {}. Thin lines are runs, thick ones their means."
show(
    *(
        report.way_figure(rows, "percent", "optimal moves, %", asked.methods, caption.format(which))
        for which, rows in searched.groupby("set", sort=False)
    ),
    report.perfect_table(perfect),
)

# %% [markdown]
# A network that is strong only against its own kind would climb in Elo and stand still here. In the table, see how much of a player is
# its network, and how much its {term}`search <MCTS>`.
#
# ## Strength, perfect play and time
#
# Two questions for every run: do the strongest in the tournament also play best, and did strength cost them time?

# %%
minutes = report.minutes_of(there.runs, study.provenance([u for u in there.units if u.kind == "run"], asked.name))
truth = "How Elo and perfect play agree: every mark is a run, with its Elo and how often its last network plays an optimal move."
cost = "How Elo and cost go together: every mark is a run, with its Elo and the processor time of its training."
show(
    report.beside_figure(there.elos, report.last_optimal(perfect), "optimal", "optimal moves, %", truth),
    report.beside_figure(there.elos, minutes, "minutes", "processor minutes of the run", cost),
)

# %% [markdown]
# Marks along a rising line mean that the tournament and the truth rank the runs alike; a cloud means that Elo measures something else,
# or that the runs are too alike to rank. If the runs of one kind lay to the right in the second figure, its strength would have its price.
#
# ## Limits
#
# Elo on the way and Elo at the end are of different pools, and must not be compared. The sets of positions hold only those that can be
# solved cheaply, and in Othello none from the opening. Times were taken while other work shared the machine.
#
# ## Exercises
#
# 1. After how many iterations is Baseline as strong as the warm starts were after the first one? Read it off the figure of Elo.
#
# <details><summary>A solution</summary>
#
# Draw a level line from the first marks of the warm starts to the curve of Baseline. Where they meet is what the head start is worth, in
# iterations. Hold it against the five iterations with an enhancement, which take longer than five of Baseline's.
#
# </details>
#
# 2. Why may the networks alone be far worse than with their search, and yet good enough to guide it?
#
# <details><summary>A solution</summary>
#
# A search needs to be told where to look and roughly how things stand; the rest it finds out by looking. A network that is often
# wrong about single moves is still a good guide if the right move is among those that it does not rule out.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The thesis rates final networks only, and measures nothing against perfect play.
# 2. The network has 32 channels, and one symmetry of each position is drawn.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/on_the_way.py out.ipynb -p preset smoke
# ```
#
# takes a minute and shows the machinery. The parameters are those of [five iterations](warmstart.ipynb), and so are the results.
