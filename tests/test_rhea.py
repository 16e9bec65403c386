"""Rolling horizon evolution: against the plain one, its counts, its fitness, what it finds."""

from itertools import product

import drivers
import numpy as np
import pytest
from drivers import random_line
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_rhea import Rhea
from test_search_reference import POSITIONS as SHARED

from wslib import rhea
from wslib._compiled import stream
from wslib.games import Position, game
from wslib.play import match
from wslib.rhea import RheaSettings

POSITIONS = {
    **{name: SHARED[name] for name in ("tic-tac-toe", "Othello", "Othello 4x4, must pass", "Connect Four", "Gobang",
                                       "Othello 4x4, two passes ahead", "Connect Four 6x7")},
    "Othello, late": game("othello").position(
        "c2 b2 a2 d2 e2 b4 e5 f1 a4 d5 e3 a1 c5 a3 f2 d6 c6 f4 f6 b6 a5 c1 b5 e1 b3 e6"
    ),
    "Othello 8x8": game("othello", 8).start(),
    "Gobang, O to move": game("gobang").position("a1 a3 b1 b3 c1"),
}  # fmt: skip
ILLEGAL = ["repair", "random"]


def evolve(root: Position, of: RheaSettings, seed: int = 0) -> tuple[int, rhea.Population, int]:
    """The compiled evolution for one move: the move, the population after it, and its random stream."""
    streams = np.array([stream(seed, "test")])
    return *drivers.evolve(root, of, streams), int(streams[0])


def plain_rhea(of: RheaSettings, seed: int = 0) -> Rhea:
    """The plain evolution with these settings and the same random stream."""
    streams = np.array([stream(seed, "test")])
    return Rhea(streams, lambda position: drivers.playout(streams, position)[:2], **of.model_dump(exclude={"method"}))


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
        assert move == fast_move and shorter.streams[0] == state
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
def test_the_move_of_the_study_is_that_of_the_plain_evolution_whose_fittest_survive(name, illegal):
    of = RheaSettings(illegal=illegal)
    for seed in range(3):
        plain = plain_rhea(of, seed)
        move, population, state = evolve(POSITIONS[name], of, seed)
        assert move == plain.move(POSITIONS[name])
        assert state == plain.streams[0]
        assert len(plain.individuals) == 50 and len(plain.survivors) == 10
        fittest = sorted((fitness for _, fitness in plain.individuals), reverse=True)[:10]
        assert sorted(population.fitness[:10], reverse=True) == pytest.approx(fittest, abs=1e-12)


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


# Ends of games in which every move is forced, so that the result and the number of plies are certain.
FORCED = [
    ("d3 d4 b1 c1 d2 a1 b4 c4 d1 a2 a4", 1, 1),
    ("a2 c1 d1 a3 a4 d2 b1 a1 d3 d4 c4", -1, 1),
    ("b1 c1 d3 a1 pass d4 c4 d2 d1 a3 a4", 1, 2),
    ("d3 d4 a2 a1 c4 d2 d1 b1 c1 a3", -1, 2),
    ("a2 a3 a4 c1 d1 a1 d3 d4 c4 d2", 0, 2),
    ("c4 b4 a3 d4 d3 d2 b1 a2 a1", 1, 2),  # a pass, c1
    ("a2 a3 b4 c1 a4 pass b1 a1 d2 c4 d4", -1, 3),  # a pass, d1, d3
    ("c4 d4 d3 d2 b1 a4 b4 a2 d1", 1, 5),  # a3, a pass, c1, a pass, a1
    ("a2 a3 a4 c1 d3 c4 d1", -1, 6),  # a1, b1, a pass, d4, a pass, b4
]


@pytest.mark.parametrize("horizon", [1, 2, 3, 10])
@pytest.mark.parametrize("illegal", ILLEGAL)
@pytest.mark.parametrize(("moves", "result", "plies"), FORCED)
def test_fitness_is_the_result_for_the_player_who_searches_over_the_plies_to_the_end(
    moves, result, plies, illegal, horizon
):
    root = game("othello", 4).position(moves)
    move, population, _ = evolve(root, RheaSettings(rollouts=2, horizon=horizon, illegal=illegal))
    assert population.fitness[0] == pytest.approx(result / plies)
    assert move == root.legal[0]


WINS = [
    ("tictactoe", "a1 a3 b1 b3", "c1"),
    ("tictactoe", "a1 a3 b1 b3 c2", "c3"),
    ("connect4", "1 2 1 2 1 3", "1"),
    ("connect4-6x7", "1 2 1 2 3 2 3", "2"),
    ("gobang-4x4-k3", "a1 a3 b1 b3", "c1"),
]


@pytest.mark.parametrize("illegal", ILLEGAL)
@pytest.mark.parametrize(("name", "moves", "best"), WINS)
def test_a_quick_win_is_fitter_than_a_slow_one_and_is_played(name, moves, best, illegal):
    root = game(name).position(moves)
    of = RheaSettings(rollouts=1000, illegal=illegal)
    move, population, _ = evolve(root, of, seed=1)
    assert root.game.action_name(move) == best
    assert population.fitness[:10].max() == 1
    plain = plain_rhea(of, seed=1)
    plain.move(root)
    for genes, fitness in plain.individuals:
        if illegal == "repair" or genes[0] in root.legal:
            # The next chance to win is two plies later.
            assert (fitness == 1) if plain.action(root, genes[0]) == move else (-1 / 2 <= fitness <= 1 / 3)


@pytest.mark.parametrize("name", ["tic-tac-toe", "Othello", "Connect Four", "Gobang"])
def test_without_mutation_all_are_clones_of_the_first_ones(name):
    of = RheaSettings(mutation=0)
    _, first, _ = evolve(POSITIONS[name], RheaSettings(rollouts=20))
    _, last, _ = evolve(POSITIONS[name], of)
    founders = set(map(tuple, first.genes[:10].tolist()))
    assert len(founders) == 10
    assert set(map(tuple, last.genes.tolist())) < founders


def test_with_mutation_one_nothing_is_inherited():
    _, first, _ = evolve(POSITIONS["Gobang"], RheaSettings(rollouts=20))
    _, last, _ = evolve(POSITIONS["Gobang"], RheaSettings(rollouts=22, mutation=1))
    assert not set(last.genes[-1].tolist()) & set(first.genes[:10].ravel().tolist())


def test_a_copy_differs_from_its_parent_in_every_fifth_gene():
    changed = 0
    for seed in range(300):
        _, first, _ = evolve(POSITIONS["Gobang"], RheaSettings(rollouts=10, rollouts_per_individual=1), seed)
        of = RheaSettings(rollouts=11, rollouts_per_individual=1)
        _, last, _ = evolve(POSITIONS["Gobang"], of, seed)
        changed += int((first.genes[:10] != last.genes[-1]).sum(axis=1).min())
    assert 500 < changed < 700  # 600 of 3000, standard deviation 22


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["othello", "othello-4x4", "connect4", "gobang", "tictactoe"]),
    st.integers(0, 2**32 - 1),
    st.sampled_from(ILLEGAL),
    st.integers(1, 3),
    st.integers(1, 12),
)
def test_the_move_is_legal_and_fitness_lies_between_minus_one_and_one(name, seed, illegal, n, horizon):
    line = random_line(game(name), seed)
    of = RheaSettings(rollouts=20 * n, rollouts_per_individual=n, horizon=horizon, illegal=illegal)
    for position in line[:-1:4]:
        move, population, _ = evolve(position, of, seed)
        assert move in position.legal
        assert np.all(np.abs(population.fitness) <= 1)
        assert evolve(position, of, seed)[0] == move


@pytest.mark.parametrize("illegal", ILLEGAL)
def test_nothing_is_carried_over_from_move_to_move_or_from_game_to_game(illegal):
    of, roots = RheaSettings(illegal=illegal), [game("connect4").position("4 4 3 5 2"[: 2 * n]) for n in range(4)]
    population, streams = rhea.empty_population(of), np.array([stream(seed, "test") for seed in range(4)])
    own, opp = (np.array(words) for words in zip(*(root.words for root in roots), strict=True))
    moves, games = np.empty(4, int), np.array([2, 0, 3, 1])
    rhea.evolve_moves(roots[0].game.rules, rhea.make_plan(of), population, own, opp, streams, games, moves)
    for index, root in enumerate(roots):
        move, _, state = evolve(root, of, seed=int(games[index]))
        assert moves[index] == move and streams[games[index]] == state


def test_in_othello_sequences_are_worth_much_more_when_they_are_repaired():
    repaired, random = (match("othello", RheaSettings(illegal=i), "random", games=100).win_rate for i in ILLEGAL)
    assert repaired - random > 0.15 and random > 0.5


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ({}, {"method": "rhea", "rollouts": 100, "mutation": 0.2}),
        ({"rollouts": 100}, {"rollouts": 101}),
        ({"rollouts": 12, "population": 6}, {"rollouts": 12, "population": 10}),
        ({"rollouts": 20, "mutation": 0.2}, {"rollouts": 20, "mutation": 0.5}),
    ],
)
def test_equal_computations_have_equal_ids(one, same):
    assert RheaSettings(**one).id == RheaSettings(**same).id
    root = POSITIONS["Connect Four"]
    first, second = (evolve(root, RheaSettings(**options)) for options in (one, same))
    assert first[0] == second[0] and first[2] == second[2]
