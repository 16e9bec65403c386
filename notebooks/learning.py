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
# # The network and the loop
#
# A network guides a search, the search plays better than the network alone, and the network learns from its games: in this circle a
# program teaches itself a game. This page explains it to readers who know [the searches](searches.ipynb) but not AlphaZero. At its end
# you can read every line of a training run's log.
#
# **A network that looks.** Show a position to a neural network, and it answers twice: with a {term}`policy`, a probability for
# each move, and with a *value*, one number between minus one (lost) and one (won) for the player to move. A trained network
# sees at a glance what would take long to calculate, and is often wrong in detail.
#
# **A search that thinks.** A tree search calculates. Each simulation walks down a tree of positions, adds one at the end, asks for
# its value, and carries the value back up. After a hundred simulations most of them have gone into a few good moves. How they are
# spread is a better policy than the one they started from.
#
# **Self-play, a circle.** So the search is a teacher. Let it play games against itself; for every position, write down what the
# search preferred and who won in the end; train the network to predict both. The better network guides a better search, which
# plays games worth learning from, and so on. {cite:t}`silver2017zero` learned Go in this way without a single human game, and
# {cite:t}`silver2018alphazero` learned chess and shogi with the same program.
#
# **The cold start.** The first time round the circle, the network's weights are random: its policy favours moves for no reason, and its
# values mean nothing. The first games are little better than chance, and so is what is learned from them. The thesis warms the circle
# up by letting other searches play the first iterations; the chapter on the {doc}`warm start </book/warm_start>` says how.

# %% tags=["parameters"]
preset: str = "full"  # full: as in the book; smoke: seconds
board: str = "connect4"  # the game of the examples on this page
simulations: int = 100  # simulations of the searches that are shown
seed: int = 0  # seed of the network and the searches

# %%
import pandas as pd

from wslib import game, search
from wslib.network.model import Network, NetworkSettings
from wslib.network.runtime import CompiledNetwork
from wslib.search import GUIDED
from wslib.study import presets
from wslib.study.engine.notebook import read_parameters, show
from wslib.study.engine.store import thesis_table
from wslib.study.pages.learning import Loop
from wslib.study.presets import PRESETS
from wslib.study.report import pictures
from wslib.study.report.look import parameter_table, pictured, show_table
from wslib.training.settings import weight_of, weights_of

asked = read_parameters(Loop, globals())

# %% [markdown]
# ## The network
#
# The network sees the board as one plane, with +1 for each stone of the player to move and −1 for each of the opponent's. It returns
# a probability for each action, and a value in [−1, 1] for the player to move. The thesis does not print its network; the author's
# earlier program has four 3×3 convolutions, the first two of which keep the size of the board, and two fully connected layers. Each
# has batch norm and ReLU, and the fully connected ones have dropout. All presets have this shape, in three sizes:

# %%
rows = []
for name in PRESETS:
    shape = presets.preset(name, game=asked.board).network
    size = sum(p.numel() for p in Network(shape).parameters())
    rows.append(
        {
            "preset": name,
            "channels": shape.channels,
            "fully connected": ", ".join(map(str, shape.hidden)),
            "weights": f"{size:,}",
        }
    )
show_table(pd.DataFrame(rows), "The network of each preset, and how many weights it has.")

# %% [markdown]
# Only `paper` has the author's size, and `smoke` is for tests. The others have a compact network, which a laptop can train hundreds of
# times; [another page](network_choice.ipynb) says how it was chosen. For play the network is compiled, so that a position gets the same
# value to the last bit, whatever else is evaluated with it. That makes every game of this book repeatable.
#
# ## Six searches in one table
#
# A guided search is the search of [the earlier chapter](searches.ipynb) with the network's probabilities as its {term}`prior`. The
# enhancements differ from {term}`Baseline` in only two things: where the value of a {term}`leaf` comes from, and whether {term}`RAVE`
# steers the walk.

# %%
table = [
    {"search": m.name, "value of a leaf": m.leaf.__name__, "RAVE": "yes" if m.rave else "no"} for m in GUIDED.values()
]
show_table(
    pd.DataFrame(table),
    "Two choices make the six searches of sections 5.3.2 and 5.3.3; a mixture is (1 − w) · network + w · playout (eq. 5.5, 5.6).",
)

# %% [markdown]
# Each row of the table is a search. Here are two of them with the same untrained network:

# %%
network = CompiledNetwork(Network(NetworkSettings(game=asked.board), asked.seed))
position = game(asked.board).start()
shown = {"simulations": asked.simulations, "seed": asked.seed}
baseline = search(position, network, method="baseline", **shown)
wrora = search(position, network, method="wrora", **shown)
show(
    pictured(
        baseline,
        "Baseline, guided by an untrained network, spreads its visits by the accidents of random weights.",
    ),
    pictured(wrora, "WRoRa, with the same network in the same position, has a reason to prefer a move: its playouts."),
)

# %% [markdown]
# Compare the visits *N* and the values *Q* of the two. Baseline's values hardly differ from move to move, because a random network says
# about the same of every position. The playouts of WRoRa already see something of the game.
#
# ## The loop
#
# An iteration (thesis, Algorithms 3 and 5) has three stages.

# %%
pictures.loop()

# %% [markdown]
# 1. **Self-play.** The search plays fifty games against itself. In the first fifteen plies it draws its move from its policy, later
#    it plays the best one. Every position is kept as an example, with the policy and with the game's outcome for the player to move.
# 2. **Training.** The network learns from the examples of the last twenty iterations, in batches, with Adam. The loss is the
#    cross-entropy of the policy plus the squared error of the value. Each example is turned or mirrored by a symmetry of the board.
# 3. **Arena.** The new network plays forty games against the old one, from random openings, each with both colours. It is kept if it
#    wins at least three in five of the decided games. Else the old weights come back, and the examples stay.
#
# **Warm start, fixed switch (chapter 5).** In the first $I'$ iterations the enhancement plays both sides of the self-play;
# afterwards Baseline does. The mixtures fade: $w = 1 - i/I'$.
#
# **Warm start, adaptive switch (chapter 6, Algorithm 6).** Each iteration's fifty games are a *match* between the enhancement
# and the default search. Both use the same network, each has its own tree, and each moves first in half of the games. The games are
# training data like any others. As soon as the default search wins more than it loses in an iteration, the warm start ends for good.
# The mixtures have $w = 1/i$.

# %%
schedules = {
    "fixed, I' = 5": {}, "fixed, I' = 5, i from 1": {"weight": "shifted"}, "fixed, I' = 1": {"warm_iterations": 1},
    "adaptive": {"switch": "adaptive"}, "a function": {"weights": weights_of(lambda i: 1 / 2 ** (i - 1), 5)},
}  # fmt: skip
weights = pd.DataFrame({"iteration": range(1, 9)})
for name, changes in schedules.items():
    run = presets.preset("table", game=asked.board, method="wro", **changes)
    weights[name] = [weight_of(run, i) for i in weights["iteration"]]
show_table(
    weights,
    "The playout's weight w by iteration, in five schedules. The first and the fourth are the thesis', and the last one halves.",
    dict.fromkeys(schedules, "{:.2f}"),
)

# %% [markdown]
# The columns *fixed, I' = 5* and *adaptive* differ most in the second iteration. With $I' = 1$ the weight is one in the only iteration
# of the warm start, so the weighted methods equal the pure ones. Further schedules are a constant (`weight=0.3`), $1/i$ with either
# switch (`weight="inverse"`), and a straight line to zero (`weight="linear"`); the last column is a function of one's own.
#
# ## The parameters

# %%
names = {"I": None, "I'": "warm_iterations", "E": "episodes", "T'": "sampled_plies", "m": "simulations", "c": "c", "u": "threshold",
         "rs": "retrained", "ep": "epochs", "bs": "batch", "lr": "learning_rate", "d": "dropout", "n": "arena_games"}  # fmt: skip
printed = thesis_table("table_5_2")
runs = {name: presets.preset(name, game=asked.board, method="wro") for name in PRESETS}
rows = [
    {"symbol": r.symbol, "meaning": r.description, "Table 5.2": f"{r.value:g}"}
    | {name: str(getattr(run, names[r.symbol])) if names[r.symbol] else "–" for name, run in runs.items()}
    for r in printed.itertuples()
]
show_table(
    pd.DataFrame(rows), "Table 5.2 of the thesis beside our presets. The number of iterations is not part of a preset."
)

# %% [markdown]
# The preset `table`, which the study is made with, agrees with the thesis in every row that a preset has.
#
# Where the thesis, its pseudo-code and the author's earlier code can be read in more than one way, our reading is the default
# and the others are parameters.
#
# | reading | default | instead |
# | --- | --- | --- |
# | moves that count for RAVE | `amaf="path"`, `amaf_players="own"` | `"path+rollout"`; `"both"` players', or by `"first"` use |
# | which of equally good actions is taken | `ties="random"` | `"first"`: the one with the lowest number |
# | what β counts (eq. 5.4) | `beta="state"` | `"action"` |
# | what the policy goes by | `policy`, `default_policy="visits"` | `"q"`; with RAVE `policy="q_rave"` |
# | what the network's policy learns | `targets="distribution"` | `"late"`: after $T'$ plies the move that was played; `"move"`: always |
# | trees of self-play | `tree="kept"` for a game | `"fresh"` for every move |
# | the gate | `gate="decided"`: wins/(wins + losses) ≥ u | `"all"`: wins > u n, to the letter |
# | the arena | `arena_plies=4`, `arena_trees="game"` | `0`, `"match"`: from the empty board, trees kept over all games |
# | Adam's memory | `optimiser="fresh"` | `"carried"` from iteration to iteration |
# | RHEA | `horizon`, `population`, `mutation`, `rollouts_per_individual` | `illegal="random"` instead of `"repair"` |
#
# The preset `letter` takes from the last column what the text says word for word: policies by Q, the gate to the letter, and RAVE by
# first use. Where the text is silent about the arena, it follows the author's earlier program: from the empty board, with trees kept.
# It leaves out policies by `q_rave`, because Table 6.1 speaks against them where RAVE is combined with playouts.
#
# By default the network is trained and evaluated by compiled code of our own, with the same bits on every processor
# ({doc}`/book/reproducibility`). With `trainer="torch"` and `runtime="torch"` torch does this, which a graphics card needs
# (`device="cuda"`, `precision="bfloat16"`). These options change the last bits, so they are part of what a run is, like everything
# above.

# %%
parameter_table(runs["laptop"], "Every parameter of a run, with the values of the preset laptop and WRo.")

# %% [markdown]
# *None* stands where a parameter has no effect: there is no {term}`equivalence` without RAVE, and no horizon without RHEA.
#
# ## Exercises
#
# 1. How sure is an untrained network of its values? Evaluate a hundred random positions with `network.evaluate(planes)`.
#
# <details><summary>A solution</summary>
#
# It gives nearly the same value everywhere. What a random network lacks is any difference between positions.
#
# </details>
#
# 2. In Algorithm 6 the colours are given by the parity of t. What can go wrong with that in Othello?
#
# <details><summary>A solution</summary>
#
# Nothing as long as a pass counts as a step. A program that skips it changes whose turn "odd" stands for. Here each search keeps its
# colour.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The network's size is a parameter; the presets' compact one has 32 channels.
# 2. The arena counts decided games. When there is none, the old network stays; the author's code takes the new one.
# 3. The arena starts from seeded random openings with both colours; the author's starts from the empty board.
# 4. When a network is rejected, its batch-norm statistics are undone with its weights.
# 5. In an adaptive iteration each search keeps its colour; the pseudo-code goes by the parity of the ply.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/learning.py out.ipynb -p board othello
# ```
#
# takes a few seconds; [one run](one_run.ipynb) is a training run to look into.
