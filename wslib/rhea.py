"""Rolling horizon evolution as in section 5.4 of the thesis (Alg. 15): evolve a sequence of actions, play its first.

An individual is a sequence of own actions; the opponent moves uniformly at random in between, and after the last
action both do, to the end of the game. Its fitness is the mean of ``Q_i / h_i`` over a few such rollouts: the result
(1, 0 or -1 for the player who searches) over the number of plies it took: quick wins are good, slow losses less bad.
"""

from typing import Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from wslib._compiled import GAMMA, ONE, ZERO, below, inlined, kernel, lowest_bit, nth_bit, popcount, scramble, uniform
from wslib.games.rules import RUNNING, legal_actions, play, playout, random_action, status
from wslib.parameters import Parameters

GENES = 1 << 16
"""A gene of a repaired sequence is one of this many numbers; modulo the legal moves it favours none noticeably."""


class RheaSettings(Parameters):
    """Rolling horizon evolution with random rollouts.

    >>> RheaSettings(rollouts=100, rollouts_per_individual=2).individuals
    50
    """

    method: Literal["rhea"] = Field("rhea", description="rolling horizon evolution")
    rollouts: int = Field(100, ge=1, le=1_000_000, description="rollouts per move")
    rollouts_per_individual: int = Field(2, ge=1, description="n: rollouts that make up an individual's fitness")
    horizon: int = Field(10, ge=1, le=64, description="own actions in a sequence")
    population: int = Field(10, ge=1, le=1000, description="sequences kept; one more is made and the worst goes")
    mutation: float = Field(0.2, ge=0, le=1, description="chance of each action of a copy to be drawn anew")
    illegal: Literal["repair", "random"] = Field(
        "repair", description="genes count among the legal moves, or are moves that chance replaces where illegal"
    )

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.rollouts < self.rollouts_per_individual:
            raise ValueError(
                f"rollouts = {self.rollouts} do not suffice for one individual "
                f"of rollouts_per_individual = {self.rollouts_per_individual}"
            )
        return self

    @property
    def individuals(self) -> int:
        """How many sequences are evaluated per move."""
        return self.rollouts // self.rollouts_per_individual

    def canonical(self) -> dict[str, Any]:
        """Rollouts that make up no individual, and places that none would fill, are left out."""
        values = super().canonical()
        values["rollouts"] = self.individuals * self.rollouts_per_individual
        if self.individuals <= self.population:  # no copies are made
            values.update(population=self.individuals, mutation=None)
        return values


class RheaPlan(NamedTuple):
    """The settings as the compiled code takes them."""

    individuals: int
    rollouts_per_individual: int
    horizon: int
    population: int
    mutation: float
    repair: bool


def make_plan(settings: RheaSettings) -> RheaPlan:
    """The compiled form of RHEA settings."""
    return RheaPlan(
        settings.individuals,
        settings.rollouts_per_individual,
        settings.horizon,
        min(settings.population, settings.individuals),
        settings.mutation,
        settings.illegal == "repair",
    )


class Population(NamedTuple):
    """The sequences and their fitness; the last place is that of the newcomer."""

    genes: np.ndarray
    """(places, horizon), int64: a sequence in each place; what a gene stands for depends on the state."""
    fitness: np.ndarray
    """(places,), float64 in [-1, 1]: for the player who searches."""
    cells: np.ndarray
    """(64,), uint64: scratch for playouts."""


def empty_population(settings: RheaSettings) -> Population:
    """Room for a population and one newcomer."""
    plan = make_plan(settings)
    return Population(
        np.zeros((plan.population + 1, plan.horizon), np.int64),
        np.zeros(plan.population + 1),
        np.empty(64, np.uint64),
    )


@inlined
def _new_gene(rules, plan, streams, i):
    """A gene drawn uniformly: a number to be repaired, or an action, legal or not."""
    return below(streams, i, GENES if plan.repair else rules.actions)


@inlined
def _intended(rules, plan, own, opp, legal, gene, streams, i):
    """The action that a gene stands for in a state: always a legal one.

    Repaired, it counts among the legal actions, modulo their number; else it is an action itself, and where that is not
    legal chance takes its place.
    """
    if legal == ZERO:
        return rules.rows * rules.cols
    if plan.repair:
        count = np.int64(popcount(legal))
        return np.int64(lowest_bit(nth_bit(legal, np.int64(np.uint64(gene) % np.uint64(count)), count)))
    if gene < 64 and (legal >> np.uint64(gene)) & ONE != ZERO:
        return gene
    streams[i] += GAMMA
    return random_action(rules, own, opp, legal, scramble(streams[i]))


@inlined
def _fitness(rules, plan, population, place, own, opp, streams, i):
    """Mean of Q_i / h_i of a sequence (section 5.4)."""
    total = 0.0
    for _ in range(plan.rollouts_per_individual):
        mine, theirs = own, opp
        plies, position = 0, 0
        ours = True  # whether the player who searches is to move, and ``mine`` are that player's stones
        while True:
            legal = legal_actions(rules, mine, theirs)
            outcome = np.int64(status(rules, mine, theirs, legal))
            if outcome != RUNNING:
                break
            if position == plan.horizon:
                outcome, more, _, _ = playout(rules, mine, theirs, streams, i, population.cells)
                plies += more
                break
            if ours:
                gene = population.genes[place, position]
                action = _intended(rules, plan, mine, theirs, legal, gene, streams, i)
                position += 1
            else:
                streams[i] += GAMMA
                action = random_action(rules, mine, theirs, legal, scramble(streams[i]))
            mine, theirs = play(rules, mine, theirs, action)
            ours = not ours
            plies += 1
        total += (outcome if ours else -outcome) / plies
    return total / plan.rollouts_per_individual


@inlined
def _extreme(fitness, count, sign, streams, i):
    """Place of the fittest (sign 1) or least fit (sign -1) of the first ``count``; ties are broken at random."""
    best, ties, chosen = -np.inf, 0, 0
    for place in range(count):
        value = sign * fitness[place]
        if value > best:
            best, ties, chosen = value, 1, place
        elif value == best:
            ties += 1
            if below(streams, i, ties) == 0:
                chosen = place
    return chosen


@inlined
def evolve(rules, plan, population, own, opp, streams, i):
    """Run the evolution for one move; afterwards the first places of the population hold the survivors."""
    for place in range(plan.population):
        for position in range(plan.horizon):
            population.genes[place, position] = _new_gene(rules, plan, streams, i)
        population.fitness[place] = _fitness(rules, plan, population, place, own, opp, streams, i)
    newcomer = plan.population
    for _ in range(plan.individuals - plan.population):
        parent = below(streams, i, plan.population)
        for position in range(plan.horizon):
            fresh = uniform(streams, i) < plan.mutation
            gene = population.genes[parent, position]
            population.genes[newcomer, position] = _new_gene(rules, plan, streams, i) if fresh else gene
        population.fitness[newcomer] = _fitness(rules, plan, population, newcomer, own, opp, streams, i)
        worst = _extreme(population.fitness, newcomer + 1, -1.0, streams, i)
        population.fitness[worst] = population.fitness[newcomer]
        for position in range(plan.horizon):
            population.genes[worst, position] = population.genes[newcomer, position]


@kernel
def evolve_moves(rules, plan, population, own, opp, streams, games, actions):
    """A move for each of several games, one after the other, each with its own random stream."""
    for index in range(len(own)):
        i = games[index]
        evolve(rules, plan, population, own[index], opp[index], streams, i)
        fittest = _extreme(population.fitness, plan.population, 1.0, streams, i)
        legal = legal_actions(rules, own[index], opp[index])
        gene = population.genes[fittest, 0]
        actions[index] = _intended(rules, plan, own[index], opp[index], legal, gene, streams, i)
