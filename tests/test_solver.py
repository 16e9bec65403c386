"""The solver against plain alpha-beta, known truths, symmetries, budgets, errors."""

import os
import subprocess
import sys
from itertools import islice, repeat
from pathlib import Path
from random import Random

import numpy as np
import pytest
from drivers import few_left
from reference_solver import plain

from wslib.games import Position, game
from wslib.parameters import ParameterError
from wslib.perfect.solver import Solver, solve

ROOT = Path(__file__).parents[1]
BIG = 50_000_000


def some_positions(board, least_empty: int, most_empty: int, count: int, seed: int) -> list[Position]:
    """Running positions of random games with so many empty cells."""
    random = Random(seed)
    drawn = (few_left(board, random.getrandbits(32), random.randint(least_empty, most_empty)) for _ in repeat(None))
    return list(islice(filter(None, drawn), count))


def disagreements(name: str, least: int, most: int, count: int, seed: int = 0) -> list[Position]:
    """Positions in which a move's value, or Othello's difference of discs, is not what plain alpha-beta says."""
    board = game(name)
    solver, wrong = Solver(board, table_bits=12), []  # a small table, so that entries get displaced
    for position in some_positions(board, least, most, count, seed):
        solver.allow(BIG)
        truth = {a: -plain(board.rules, *position.act(a).words, -99, 99) for a in position.legal}
        found = solver.moves(position)
        right = all(v == np.sign(truth[a]) and d in (None, truth[a]) for a, (v, d) in found.items())
        right &= solver.value(position) == np.sign(max(truth.values()))
        if board.name == "othello":
            right &= solver.difference(position) == max(truth.values())
            right &= {a: v for a, (v, _) in solver.moves(position, exact=False).items()} == {
                a: np.sign(t) for a, t in truth.items()
            }
        if not right:
            wrong.append(position)
    return wrong


@pytest.mark.parametrize(
    ("name", "least", "most", "count"),
    [
        ("connect4", 2, 9, 1000),
        ("gobang", 2, 8, 1000),
        ("othello", 1, 7, 1000),
        ("tictactoe", 1, 9, 300),
        ("connect4-6x7", 3, 11, 100),
        ("connect4-8x8-k5", 3, 10, 100),
        ("connect4-5x4-k3", 3, 14, 100),
        ("connect4-7x2-k2", 2, 14, 100),
        ("gobang-8x8-k5", 2, 7, 100),
        ("gobang-4x5-k3", 3, 9, 100),
        ("gobang-2x7-k5", 1, 8, 100),
        ("gobang-1x8-k2", 1, 8, 50),
        ("othello-8x8", 1, 8, 100),
        ("othello-4x6", 1, 8, 100),
        ("othello-4x4", 1, 10, 200),
    ],
)
def test_every_move_has_the_value_that_plain_alpha_beta_gives_it(name: str, least: int, most: int, count: int):
    wrong = disagreements(name, least, most, count)
    assert not wrong, f"{len(wrong)} of {count} differ, the first is\n{wrong[0]}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tictactoe", 0),
        ("gobang", 1),
        ("gobang-5x5", 0),
        ("gobang-4x4", 0),
        ("gobang-3x4-k3", 1),
        ("connect4-4x4", 0),
        ("connect4-4x5", 0),
        ("connect4-5x4", 0),
        ("connect4-5x5", 0),
        ("connect4-6x4", 0),
        ("connect4-6x5", 0),
    ],
)
def test_a_board_whose_truth_is_known_is_solved_from_the_start(name: str, value: int):
    solver = Solver(game(name))
    solver.allow(BIG)
    assert solver.value(game(name).start()) == value


def test_the_second_player_wins_othello_4x4_by_eight_discs():
    solution = solve(game("othello-4x4").start())
    assert (solution.value, solution.discs, set(solution.move_discs.values())) == (-1, -8, {-8})


@pytest.mark.skipif(not os.environ.get("WSLIB_TEST_LONG"), reason="a minute or two; WSLIB_TEST_LONG=1 runs it")
def test_the_second_player_wins_connect_four_6x6():
    solution = solve(game("connect4").start(), nodes=1_000_000_000)
    assert set(solution.values.values()) == {-1}


@pytest.mark.parametrize(("name", "empty"), [("connect4", 22), ("gobang", 24), ("othello", 11)])
def test_the_images_of_a_position_have_the_images_of_its_values(name: str, empty: int):
    board = game(name)
    for position in some_positions(board, empty, empty, 10, seed=3):
        solver = Solver(board)
        solver.allow(BIG)
        found = solver.moves(position)
        for symmetry in board.symmetries[1:]:
            image = Solver(board)
            image.allow(BIG)
            assert image.moves(symmetry.position(position)) == {symmetry.actions[a]: v for a, v in found.items()}


@pytest.mark.parametrize(("name", "empty"), [("connect4", 23), ("gobang", 26), ("othello", 11)])
def test_a_budget_gives_the_truth_or_nothing(name: str, empty: int):
    board, undecided, decided = game(name), 0, 0
    for position in some_positions(board, empty, empty, 12, seed=5):
        truth = solve(position)
        assert truth.complete
        for nodes in (1, 30, 1000, 30_000):
            short = solve(position, nodes=nodes, table_bits=10)
            assert short.value in (None, truth.value)
            assert all(v in (None, truth.values[move]) for move, v in short.values.items())
            assert all(d in (None, truth.move_discs[move]) for move, d in short.move_discs.items())
            assert short.nodes <= nodes + 500  # the last few cells are searched to the end
            undecided += not short.complete
            decided += short.complete
    assert undecided and decided


def test_one_winning_move_settles_a_position_whose_other_moves_are_not_solved():
    position = game("gobang").position("a1 a2 b1 b2 c1 d4")
    solution = solve(position, nodes=5)
    assert solution.solved and not solution.complete
    assert solution.values["d1"] == 1


def test_a_position_out_of_reach_says_that_it_is_not_solved():
    for name in ("othello-8x8", "connect4-8x8", "gobang-8x8-k5"):
        solution = solve(game(name).start(), nodes=10_000)
        assert not solution.solved and solution.best == ()
        assert "not solved" in repr(solution) and "not solved" in solution._repr_html_()


def test_seconds_end_a_search_that_nodes_do_not():
    solution = solve(game("connect4-8x8").start(), nodes=10**12, seconds=0.2, table_bits=16)
    assert not solution.solved


def test_a_solution_shows_every_moves_value_on_the_board():
    solution = solve(game("tictactoe").position("a1 b1"))
    assert set(solution.best) == {"a2", "b2", "a3"}
    picture = solution._repr_html_()
    assert (picture.count(">win<"), picture.count(">draw<"), picture.count(">loss<")) == (3, 4, 0)
    assert "X to move wins" in picture and "X to move wins" in repr(solution)


def test_an_othello_solution_names_its_discs():
    solution = solve(game("othello-4x4").start())
    assert ">\N{MINUS SIGN}8<" in solution._repr_html_()
    assert "by 8 discs" in repr(solution)
    assert solve(game("othello-4x4").start(), exact=False).discs is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"nodes": 0}, "nodes = 0 is not allowed"),
        ({"seconds": 0}, "seconds = 0 is not allowed"),
        ({"seconds": float("nan")}, "seconds = nan is not allowed"),
        ({"table_bits": 60}, "table_bits = 60 is not allowed"),
    ],
)
def test_a_budget_that_is_none_is_refused(options: dict, words: str):
    with pytest.raises(ParameterError, match=words):
        solve(game("tictactoe").start(), **options)


def test_a_position_that_breaks_the_rules_is_refused_in_one_sentence():
    gobang, drop, othello = game("gobang"), game("connect4"), game("othello")
    broken = {
        "stones of both players": Position(gobang, 1, 1, 0),
        "outside the board": Position(gobang, 1 << 40, 1, 0),
        "the players alternate": Position(gobang, 1, 14, 0),
        "it is X's move": Position(gobang, 1, 2, 1),
        "already has 4 in a row": Position(gobang, 15, 15 << 12, 0),
        "hangs in the air": Position(drop, 1, 2, 0),
        "never empty": Position(othello, 1, 2, 0),
        "the game is over": gobang.position("a1 a2 b1 b2 c1 c2 d1"),
    }
    for words, position in broken.items():
        with pytest.raises(ValueError, match=words) as caught:
            solve(position)
        assert "\n" not in str(caught.value)


def test_compiled_searches_read_back_from_disk_give_the_same(tmp_path: Path):
    # numba's cache does not keep every recursive function whole: each kernel is run from it once.
    script = (
        "from wslib.games import game; from wslib.perfect.solver import solve; "
        "print([solve(game(n).start(), nodes=20_000).values for n in ('tictactoe', 'othello-4x4', 'connect4-4x4')])"
    )
    told = [subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True) for _ in range(2)]
    assert [r.returncode for r in told] == [0, 0], told[1].stderr[-500:]
    assert told[0].stdout == told[1].stdout
