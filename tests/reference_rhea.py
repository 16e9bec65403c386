"""Rolling horizon evolution once more, written to be read, in plain Python (thesis section 5.4).

A sequence is a list of genes; the player who searches follows it, the opponent plays at random, and after its last
gene so do both. Its fitness is the mean of result / plies over its rollouts.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from wslib.games import Position

MASK = (1 << 64) - 1

Playout = Callable[[Position], tuple[int, int]]
"""Random moves to the end: the result for the player to move, and the number of plies."""


@dataclass
class Stream:
    """SplitMix64, from which all searches draw."""

    state: int

    def word(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31

    def below(self, n: int) -> int:
        return (self.word() >> 32) * n >> 32

    def uniform(self) -> float:
        return (self.word() >> 11) / 2**53


@dataclass
class Rhea:
    """One evolution for one move; ``individuals`` keeps every sequence that was evaluated, with its fitness."""

    stream: Stream
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
                parent, _ = self.survivors[self.stream.below(self.population)]
                genes = [self.new_gene(root) if self.stream.uniform() < self.mutation else gene for gene in parent]
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
        return self.stream.below(2**16 if self.illegal == "repair" else root.game.actions)

    def largest(self, values: list[float]) -> int:
        """The place of the largest value; the n-th of equal ones takes over with chance 1/n."""
        chosen, ties = 0, 1
        for place, value in enumerate(values[1:], start=1):
            if value > values[chosen]:
                chosen, ties = place, 1
            elif value == values[chosen]:
                ties += 1
                if self.stream.below(ties) == 0:
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
        return position.legal[self.stream.below(len(position.legal))]

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
