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
# # RHEA: a plan that evolves
#
# Tree search asks of every position what to do next. Rolling horizon evolution {cite}`perez2013rhea` asks for a whole plan at once, a sequence of
# own actions, and improves it the way breeders do: copy what is good, change a little, keep what is better.
# [The searches](searches.ipynb) say in two paragraphs how RHEA works, and [the orientation](orientation.ipynb) how strong it
# is. This page takes it apart. The thesis puts RHEA aside after its first experiment; as a warm start it remains untried.
#
# At the end you can judge one sentence of the thesis (section 5.4): that in Othello, RHEA does not convincingly beat random play. Whether
# that is a weakness of evolution or of how its plans are written down, the section *Repaired, or replaced at random* measures.

# %% tags=["parameters"]
preset: str = "full"  # full: as in the book; smoke: seconds
evolutions: int = 200  # evolutions that are averaged over
games: int = 100  # games a match, half with each colour
seed: int = 0  # seed of their random streams

# %%
import numpy as np
import pandas as pd

from wslib import draw, game, match, player
from wslib._compiled import stream
from wslib.rhea import RheaSettings, empty_population, evolve_moves, make_plan
from wslib.study.engine.notebook import read_parameters, say
from wslib.study.pages.base import Evolution
from wslib.study.report.charts import Look, show_panels
from wslib.study.report.look import board_name, percent, show_table

asked = read_parameters(Evolution, globals())

# %% [markdown]
# ## Individuals
#
# An individual is a sequence of genes, one for each of the player's next actions; the opponent's replies are not planned but
# drawn at random. The following function lets a population evolve and returns what is left of it: the genes, their fitness,
# and the move that would be played. It is the compiled code that plays the matches, called for a single position.


# %%
def evolved(position, individuals=50, number=0, **changes):
    """Genes and fitness of the survivors, and the move, after so many individuals."""
    settings = RheaSettings(rollouts=2 * individuals, **changes)
    population, action = empty_population(settings), np.empty(1, np.int64)
    own, opp = (np.array([word]) for word in position.words)
    streams = np.array([stream(asked.seed, "evolution", number)])
    plan, first = make_plan(settings), np.zeros(1, np.int64)
    evolve_moves(position.game.rules, plan, population, own, opp, streams, first, action)
    alive = slice(plan.population)
    return population.genes[alive], population.fitness[alive], position.game.action_name(int(action[0]))


# %% [markdown]
# X, to move, has three in a row and can complete the line:

# %%
threat = game("connect4").position("3 1 4 1 2 6")
draw.board(threat, size=220)

# %% [markdown]
# A gene is a large random number. By the default, *repair*, it is divided by the number of legal moves, and the remainder
# says which of them it stands for. The first genes of a population as it was drawn, and of what evolution made of it:


# %%
def first_moves(genes, position):
    return [position.moves[gene % len(position.moves)] for gene in genes[:, 0]]


(drawn, _, _), (bred, _, _) = evolved(threat, 10), evolved(threat)
counts = {name: pd.Series(first_moves(g, threat)).value_counts() for name, g in (("drawn", drawn), ("evolved", bred))}
show_table(
    pd.DataFrame(counts)
    .reindex(threat.moves, fill_value=0)
    .fillna(0)
    .astype(int)
    .rename_axis("first move")
    .reset_index(),
    "How many individuals of one population begin with each move, before and after the evolution.",
)

# %% [markdown]
# ## Fitness
#
# With $Q_i$ the result of the $i$-th of $n$ rollouts and $h_i$ the plies from the present position to its end, section 5.4
# defines
#
# $$F = \frac{1}{n}\sum_{i=1}^{n} \frac{Q_i}{h_i}.$$
#
# Dividing by the length has a purpose, to prefer quick wins, and a price: whatever happens late hardly counts.

# %%
lengths = (1, 3, 9, 19, 33)
show_table(
    pd.DataFrame({"plies": lengths, "a win counts": [f"{1 / h:.3f}" for h in lengths]}),
    "What a won rollout adds, by the plies it took.",
)

# %% tags=["hide-input"]
played = {
    name: match(game(name), player("random"), player("random"), asked.games, asked.seed).frame()
    for name in ("connect4", "othello")
}
shortest = {name: frame["plies"].min() for name, frame in played.items()}
say(
    f"Random games of Othello never end before ply {shortest['othello']} here: from the start, all wins count about the "
    f"same, and little; the noise of two rollouts is large beside any difference between plans. In Connect Four the shortest of "
    f"{asked.games} random games took {shortest['connect4']} plies."
)

# %% [markdown]
# ## Mutation and selection
#
# One individual after the other is made by copying a parent drawn at random and changing each of its genes with a certain
# chance. It takes the place of the least fit of all, itself included. There is no crossover.

# %% tags=["hide-input"]
usual = RheaSettings()
unchanged = (1 - usual.mutation) ** usual.horizon
say(
    f"With {usual.horizon} genes and a chance of {usual.mutation} for each, {usual.horizon * usual.mutation:.0f} genes change "
    f"on average, {percent(unchanged)} % of the copies are their parents' equals, and {percent(1 - usual.mutation)} % begin with the "
    "same gene."
)

# %% [markdown]
# The fitness of a population rises because better plans are found, and also because the lucky ones are kept: an individual is
# evaluated once, and whoever had a good day stays. In this position luck cannot imitate skill, because nothing but the winning
# move has a fitness of one; in a quiet position it can. More individuals with the same seed continue the same evolution, so
# that each curve follows the same evolutions through time.

# %%
budgets = (10, 15, 20, 30, 50, 100)
rows = []
for rule in ("repair", "random"):
    for individuals in budgets:
        runs = [evolved(threat, individuals, i, illegal=rule) for i in range(asked.evolutions)]
        best, mean = np.mean([f.max() for _, f, _ in runs]), np.mean([f.mean() for _, f, _ in runs])
        wins = np.mean([move == "5" for _, _, move in runs])
        rows.append({"rule": rule, "individuals": individuals, "fittest": best, "mean": mean, "wins": wins})
curve = pd.DataFrame(rows)


# %% tags=["hide-input"]
rules = {"repair": Look("#0072B2", "o"), "random": Look("#D55E00", "s")}


def fitness(axis):
    for rule, look in rules.items():
        part = curve[curve["rule"] == rule]
        axis.plot(part["individuals"], part["fittest"], **look.plot)
        axis.plot(part["individuals"], part["mean"], **look._replace(line="--").plot)


def won(axis):
    for rule, look in rules.items():
        part = curve[curve["rule"] == rule]
        axis.plot(part["individuals"], 100 * part["wins"], **look.plot)
    axis.set_ylim(0, 105)


last = curve[curve["individuals"] == 50].set_index("rule")
show_panels(
    {"fitness": fitness, "winning move played, %": won},
    f"After 50 individuals the fittest has {last['fittest']['repair']:.2f} (repair) and {last['fittest']['random']:.2f} (random).",
    f"Connect Four, the position above: fitness in the population, and how often the win is played; means of {asked.evolutions} evolutions. "
    "Full lines are the fittest, dashed ones the population's mean.",
    curve,
    key=rules,
    across="individuals",
)

# %% [markdown]
# Here both rules do the same: a column is full only late in the game, so that nearly every gene is legal.
#
# ## Repaired, or replaced at random
#
# What the source does with an action that has become illegal is not said. The obvious alternative to repairing is to let
# chance replace it: a gene then names one of the game's actions, and where it cannot be played, a random move is. How often
# would a gene drawn at random be legal?

# %%
shares = []
for name in ("gobang", "connect4", "othello"):
    games_played = match(game(name), player("random"), player("random"), 20, asked.seed)
    line = [p for i in range(20) for p in games_played[i].line() if not p.is_over]
    legal = np.array([len(p.moves) for p in line]) / game(name).actions
    shares.append({"game": board_name(name), "actions": game(name).actions, "legal %": percent(legal.mean())})
show_table(pd.DataFrame(shares), "Legal moves in random games, as a share of the game's actions.")

# %% [markdown]
# In Othello a random gene is almost always illegal. The individual's fitness then is that of random moves, whatever its genes
# say, and it is inherited with nothing behind it. Worse, the final move is the fittest individual's *first* gene, and where
# that is illegal, the move played is a random one.

# %%
opening = game("othello").start()


def legal_first(rule, number):
    """Whether the fittest individual's first gene says what is played, at the start of Othello."""
    genes, fitness, _ = evolved(opening, 50, number, illegal=rule)
    gene = int(genes[np.argmax(fitness), 0])
    return rule == "repair" or (gene < 64 and opening.game.action_name(gene) in opening.moves)


chosen = {rule: np.mean([legal_first(rule, i) for i in range(asked.evolutions)]) for rule in ("repair", "random")}
matches = {
    rule: match(game("othello"), player("rhea", illegal=rule), player("random"), asked.games, asked.seed)
    for rule in chosen
}
show_table(
    pd.DataFrame({
        "illegal actions": list(chosen),
        "first gene of the fittest is legal %": [percent(v) for v in chosen.values()],
        "score against random %": [percent(m.win_rate) for m in matches.values()],
    }),
    f"Othello: evolutions at the start of the game ({asked.evolutions} each), and {asked.games} games against random play.",
)  # fmt: skip

# %% tags=["hide-input"]
say(
    f"Replaced at random, the fittest plan decides the move in {percent(chosen['random'])} % of the evolutions; all others play "
    f"a random move, and RHEA scores {percent(matches['random'].win_rate)} % against random play. Repaired, it scores "
    f"{percent(matches['repair'].win_rate)} %. What looked like a weakness of evolution is likely one of its encoding. "
    "[The readings](readings.html) say how well each fits the published table."
)

# %% [markdown]
# ## As a warm start
#
# A training run with `method="rhea"` lets RHEA play both sides of the first iterations. It has no visits to make a policy of:
# the policy to be learned is all weight on the move that was played.
#
# ## Limits
#
# One position and one opponent are shown. That the source replaced illegal actions at random is an inference from its
# results.
#
# ## Exercises
#
# 1. Give each individual ten rollouts and the same total (`RheaSettings(rollouts=100, rollouts_per_individual=10)`). Is the winning
#    move found more often?
#
# <details><summary>A solution</summary>
#
# No evolution is left: a hundred rollouts then judge ten individuals, which are the ones drawn at the start. The winning move
# is in such a population in most cases (one of six moves, ten individuals), and its fitness of one cannot be missed. In a
# position without an immediate win, the exchange of breadth for certainty is a real one.
#
# </details>
#
# 2. Let the fitness be the mean of $Q_i$, without $h_i$. Which of two winning plans is then preferred, and what happens in a won
#    position?
#
# <details><summary>A solution</summary>
#
# None of them. A program that does not care when it wins may put off the win for ever, as long as its rollouts go on winning
# anyhow; with random opponents they mostly do.
#
# </details>
#
# ## Differences from the thesis
#
# 1. Illegal actions are repaired by default; what the source does is not said.
# 2. Ties between individuals are broken at random from the game's own stream.
# 3. Nothing is carried over from one move to the next; rolling-horizon programs often shift the last plan by one action.
#
# ## Run it yourself
#
# ```bash
# source .venv/bin/activate
# papermill notebooks/rhea.py out.ipynb -p evolutions 1000
# ```
#
# takes some seconds.
