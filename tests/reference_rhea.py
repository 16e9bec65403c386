"""Rolling horizon evolution once more, written to be read, in plain Python (thesis section 5.4).

A sequence is a list of genes; the player who searches follows it, the opponent plays at random, and after its last
gene so do both. Its fitness is the mean of result / plies over its rollouts.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from wslib._compiled import below, uniform
from wslib.games import Position

Playout = Callable[[Position], tuple[int, int]]
"""Random moves to the end: the result for the player to move, and the number of plies."""


@dataclass
class Rhea:
    """One evolution for one move; ``individuals`` keeps every sequence that was evaluated, with its fitness."""

    streams: np.ndarray
    """(1,): the state from which all draws are made."""
    playout: Playout
    rollouts: int = 100
    rollouts_per_individual: int = 2
    horizon: int = 10
    population: int = 10
    mutation: float = 0.2
    illegal: str = "repair"
    individuals: list[tuple[list[int], float]] = field(default_factory=list)
    survivors: list[tuple[list[int], float]] = field(default_factory=list)

    def move(self, root: Position) -> int:
        for number in range(self.rollouts // self.rollouts_per_individual):
            if number < self.population:
                genes = [self.new_gene(root) for _ in range(self.horizon)]
            else:
                parent, _ = self.survivors[below(self.streams, 0, self.population)]
                genes = [self.new_gene(root) if uniform(self.streams, 0) < self.mutation else gene for gene in parent]
            individual = genes, self.fitness(root, genes)
            self.individuals.append(individual)
            if number < self.population:
                self.survivors.append(individual)
            else:
                worst = self.largest([-fitness for _, fitness in [*self.survivors, individual]])
                if worst < self.population:
                    self.survivors[worst] = individual
        best = self.largest([fitness for _, fitness in self.survivors])
        return self.action(root, self.survivors[best][0][0])

    def new_gene(self, root: Position) -> int:
        return below(self.streams, 0, 2**16 if self.illegal == "repair" else root.game.actions)

    def largest(self, values: list[float]) -> int:
        """The place of the largest value; the n-th of equal ones takes over with chance 1/n."""
        chosen, ties = 0, 1
        for place, value in enumerate(values[1:], start=1):
            if value > values[chosen]:
                chosen, ties = place, 1
            elif value == values[chosen]:
                ties += 1
                if below(self.streams, 0, ties) == 0:
                    chosen = place
        return chosen

    def action(self, position: Position, gene: int) -> int:
        """What a gene means in a position."""
        if position.moves == ("pass",):
            return position.legal[0]
        if self.illegal == "repair":
            return position.legal[gene % len(position.legal)]
        return gene if gene in position.legal else self.random_action(position)

    def random_action(self, position: Position) -> int:
        return position.legal[below(self.streams, 0, len(position.legal))]

    def fitness(self, root: Position, genes: list[int]) -> float:
        scores = [self.rollout(root, genes) for _ in range(self.rollouts_per_individual)]
        return sum(scores) / len(scores)

    def rollout(self, root: Position, genes: list[int]) -> float:
        """Result for the player to move at the root over the number of plies; a pass takes a gene and is a ply."""
        position, plies, ahead = root, 0, list(genes)
        while ahead and not position.is_over:
            ours = position.to_move == root.to_move
            action = self.action(position, ahead.pop(0)) if ours else self.random_action(position)
            position, plies = position.act(action), plies + 1
        result, more = (position.result, 0) if position.is_over else self.playout(position)
        return (result if position.to_move == root.to_move else -result) / (plies + more)
