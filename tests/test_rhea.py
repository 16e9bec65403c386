"""Rolling horizon evolution: against the plain one, its counts, its fitness, what it finds, and errors that speak."""

from itertools import product
from random import Random

import numpy as np
import pytest
from drivers import playout_plies
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_rhea import Rhea
from reference_search import Stream

from wslib import rhea
from wslib._compiled import stream
from wslib.games import Position, game
from wslib.parameters import ParameterError
from wslib.rhea import RheaSettings

POSITIONS = {
    "tic-tac-toe": game("tictactoe").start(),
    "Othello": game("othello").start(),
    "Othello, late": game("othello").position(
        "c2 b2 a2 d2 e2 b4 e5 f1 a4 d5 e3 a1 c5 a3 f2 d6 c6 f4 f6 b6 a5 c1 b5 e1 b3 e6"
    ),
    "Othello 8x8": game("othello", 8).start(),
    "Othello 4x4, must pass": game("othello", 4).position("a2 a3 b4 c1 a4"),
    "Othello 4x4, two passes ahead": game("othello", 4).position("c4 b4 a3 d4 c1 a2 a4 d2"),
    "Connect Four": game("connect4").start(),
    "Connect Four 6x7, O to move": game("connect4-6x7").position("4 4 4 4 4 3 3"),
    "Gobang": game("gobang").start(),
    "Gobang, O to move": game("gobang").position("a1 a3 b1 b3 c1"),
}
ILLEGAL = ["repair", "random"]


def evolve(root: Position, of: RheaSettings, seed: int = 0) -> tuple[int, rhea.Population, int]:
    """The compiled evolution for one move: the move, the population after it, and its random stream."""
    population, streams, move = rhea.empty_population(of), np.array([stream(seed, "test")]), np.empty(1, int)
    own, opp = (np.array([word]) for word in root.words)
    rhea.evolve_moves(root.game.rules, rhea.make_plan(of), population, own, opp, streams, np.zeros(1, int), move)
    return int(move[0]), population, int(streams[0])


def plain_rhea(of: RheaSettings, seed: int = 0) -> Rhea:
    """The plain evolution with these settings and the same random stream."""
    own_stream = Stream(int(stream(seed, "test")))

    def playout(position: Position) -> tuple[int, int]:
        own_stream.state, value, plies = playout_plies(own_stream.state, position)
        return value, plies

    options = of.model_dump()
    del options["method"]
    return Rhea(own_stream, playout, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"illegal": illegal, "rollouts_per_individual": n, "horizon": horizon}
        for illegal, n, horizon in product(ILLEGAL, [1, 2], [1, 3, 10])
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)
@pytest.mark.parametrize("name", POSITIONS)
def test_every_individual_is_that_of_the_plain_evolution(name, options):
    root, n = POSITIONS[name], options["rollouts_per_individual"]
    plain = plain_rhea(RheaSettings(rollouts=16 * n, population=5, mutation=0.3, **options))
    plain.move(root)
    for count in range(1, 17):
        # From the same stream, an evolution of fewer individuals is the beginning of a longer one.
        of = RheaSettings(rollouts=count * n, population=5, mutation=0.3, **options)
        shorter = plain_rhea(of)
        move = shorter.move(root)
        fast_move, population, state = evolve(root, of)
        assert move == fast_move and shorter.stream.state == state
        assert shorter.individuals == plain.individuals[:count]
        # The last place is that of the newest, once the population is full.
        newest = population.genes[-1 if count > 5 else count - 1], population.fitness[-1 if count > 5 else count - 1]
        assert newest[0].tolist() == plain.individuals[count - 1][0]
        assert newest[1] == pytest.approx(plain.individuals[count - 1][1], abs=1e-12)
        genes = [survivor for survivor, _ in shorter.survivors]
        assert population.genes[: len(genes)].tolist() == genes
        fitness = [value for _, value in shorter.survivors]
        assert population.fitness[: len(genes)].tolist() == pytest.approx(fitness, abs=1e-12)


@pytest.mark.parametrize("illegal", ILLEGAL)
@pytest.mark.parametrize("name", POSITIONS)
def test_the_move_of_the_study_is_that_of_the_plain_evolution(name, illegal):
    of = RheaSettings(illegal=illegal)
    for seed in range(3):
        plain = plain_rhea(of, seed)
        move, _, state = evolve(POSITIONS[name], of, seed)
        assert move == plain.move(POSITIONS[name])
        assert state == plain.stream.state
        assert len(plain.individuals) == 50 and len(plain.survivors) == 10


@pytest.mark.parametrize(
    ("options", "individuals", "survivors"),
    [
        ({}, 50, 10),  # 10 at first, then 40 copies
        ({"rollouts": 101}, 50, 10),
        ({"rollouts_per_individual": 1}, 100, 10),
        ({"rollouts": 12}, 6, 6),
        ({"rollouts": 20}, 10, 10),
        ({"rollouts": 22}, 11, 10),
    ],
)
def test_the_rollouts_are_shared_out_among_the_individuals(options, individuals, survivors):
    of = RheaSettings(**options)
    assert of.individuals == individuals
    assert rhea.make_plan(of).individuals == individuals and rhea.make_plan(of).population == survivors
    plain = plain_rhea(of)
    plain.move(game("tictactoe").start())
    assert len(plain.individuals) == individuals and len(plain.survivors) == survivors


# --- fitness ----------------------------------------------------------------------------------------------------------


def only_fitness(root: Position, **options) -> float:
    """The fitness of a population of one sequence."""
    of = RheaSettings(**{"rollouts": 1, "rollouts_per_individual": 1, **options})
    _, population, _ = evolve(root, of)
    return float(population.fitness[0])


@pytest.mark.parametrize(
    ("name", "moves", "fitness"),
    [
        ("tictactoe", "a1 a2 b1 b2 a3 c3 b3 c1", 0),  # c2 fills the board: a draw
        ("connect4-2x4-k2", "1 2 1", 1),  # O to move: whatever O plays stands next to O's stone
        ("gobang-2x2-k2", "a1", None),
        ("othello-4x4", "a2 a3 b4 c1 d3 a4 d2 c4 d4 b1 a1 pass", None),
    ],
)
def test_placeholder(name, moves, fitness):
    pass
