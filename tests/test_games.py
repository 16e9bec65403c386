"""The rules: known counts, the compiled code against a plain one, what holds in every game, and errors that speak."""

import math
from collections import Counter
from functools import cache, cached_property
from itertools import pairwise
from random import Random

import numpy as np
import pytest
import reference_games as reference
from drivers import lines_of_play, playout, random_line
from hypothesis import given, settings
from hypothesis import strategies as st

from wslib._compiled import stream
from wslib.check import check_game
from wslib.games import FIRST, SECOND, Game, IllegalMove, Position, Symmetry, game
from wslib.games import rules as R
from wslib.games.connect4 import ConnectFour
from wslib.games.gobang import Gobang
from wslib.games.othello import Othello

# The study's games, the sizes readers ask for, and odd ones: narrow, flat, with the shortest and the longest lines.
IDS = (
    "othello-4x4", "othello-6x6", "othello-8x8", "othello-4x8", "othello-8x6",
    "connect4-6x6-k4", "connect4-6x7-k4", "connect4-8x8-k5", "connect4-4x4-k3", "connect4-5x3-k3",
    "gobang-6x6-k4", "gobang-8x8-k5", "gobang-8x8-k8", "gobang-3x3-k3", "gobang-5x7-k4", "gobang-2x8-k6",
)  # fmt: skip
any_game = st.sampled_from(IDS).map(game)
any_seed = st.integers(0, 2**32 - 1)
thorough = settings(deadline=None, max_examples=80)


def reference_start(of: Game) -> reference.State:
    return reference.start(of.name, of.rows, of.cols, of.k)


def as_reference(position: Position) -> reference.State:
    of = position.game
    cells = tuple(".XO"[int(value)] for value in position.board.ravel())
    return reference.State(of.name, of.rows, of.cols, of.k, cells, "XO"[position.to_move])


def late_position(of: Game, seed: int, empty: int) -> Position:
    """A running position with so few empty cells that all that can follow can be listed.

    Its game is random, but nobody ends it who could as well do something else.
    """
    for attempt in range(1000):
        random, position = Random(f"{seed}/{attempt}"), of.start()
        while not position.is_over:
            if (position.own | position.opp).bit_count() >= of.cells - empty:
                return position
            after = [position.act(move) for move in random.sample(position.legal, min(4, len(position.legal)))]
            position = next((p for p in after if not p.is_over), after[0])
    raise AssertionError(f"no game of {of} comes down to {empty} empty cells")


def perft(position: Position, depth: int) -> int:
    return lines_of_play(position.game.rules, *position.words, depth)


# --- known counts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("othello-8x8", [4, 12, 56, 244, 1396, 8200, 55092, 390216]),
        ("connect4-6x7", [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]),
        # Nine cells; the lines of length 9 are the games that fill the board.
        ("tictactoe", [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]),
    ],
)
def test_the_number_of_lines_of_play_is_the_published_one(name, counts):
    assert [perft(game(name).start(), depth) for depth in range(1, len(counts) + 1)] == counts


@thorough
@given(any_game, any_seed)
def test_near_the_end_of_a_game_the_lines_of_play_are_those_of_the_plain_rules(of, seed):
    position = late_position(of, seed, empty=4)
    for depth in range(6):
        assert perft(position, depth) == reference.perft(as_reference(position), depth)


def test_tic_tac_toe_has_the_known_number_of_games():
    @cache
    def games(position: Position) -> Counter:
        if position.is_over:
            return Counter({position.winner: 1})
        return sum((games(position.act(move)) for move in position.legal), Counter())

    assert games(game("tictactoe").start()) == {FIRST: 131184, SECOND: 77904, None: 46080}


# --- every position of random games -------------------------------------------------------------------------------


@settings(deadline=None, max_examples=120)
@given(any_game, any_seed)
def test_a_random_game_is_the_same_under_the_plain_rules(of, seed):
    plain = reference_start(of)
    line = random_line(of, seed)
    for before, after in pairwise(line):
        assert as_reference(before) == plain
        assert sorted(before.moves) == sorted(reference.moves(plain))
        assert before.result is None and reference.result(plain) is None
        plain = reference.play(plain, of.action_name(after.history[-1]))
    assert as_reference(line[-1]) == plain
    assert line[-1].moves == () and reference.moves(plain) == []
    assert line[-1].result == reference.result(plain)
    if of.k:
        lines = [reference.has_line(plain, player) for player in "XO"]
        assert line[-1].winner == (lines.index(True) if any(lines) else None)


@thorough
@given(any_game.filter(lambda of: of.name == "othello"), any_seed, st.floats(0.1, 1.0))
def test_on_any_board_of_discs_othello_is_played_as_under_the_plain_rules(of, seed, filled):
    # Not only boards that arise in games: runs and edges in every combination.
    random = Random(seed)
    cells = [random.choice("XO") if random.random() < filled else "." for _ in range(of.cells)]
    rows = "/".join("".join(cells[r * of.cols : (r + 1) * of.cols]) for r in range(of.rows))
    position = of.parse(f"{rows}/{random.choice('XO')} to move")
    plain = as_reference(position)
    assert position.result == reference.result(plain)
    assert sorted(position.moves) == sorted(reference.moves(plain))
    for move in position.moves:
        assert as_reference(position.play(move)) == reference.play(plain, move)


@thorough
@given(any_game, any_seed)
def test_turning_the_board_and_playing_commute(of, seed):
    for position in random_line(of, seed)[seed % 5 :: 5]:
        for symmetry in of.symmetries:
            image = symmetry.position(position)
            assert image.result == position.result
            assert set(image.legal) == {symmetry.actions[action] for action in position.legal}
            for action in position.legal:
                assert image.act(symmetry.actions[action]) == symmetry.position(position.act(action))


def turned(symmetry: Symmetry, policy: np.ndarray) -> np.ndarray:
    """The image of a vector over actions."""
    image = np.empty(len(policy))
    image[list(symmetry.actions)] = policy
    return image


@thorough
@given(any_game, any_seed)
def test_the_symmetries_are_the_turns_and_reflections_of_the_board(of, seed):
    """Each once, the identity first; and a policy is turned exactly as its board."""
    board = np.random.default_rng(seed).permutation(of.cells).reshape(of.rows, of.cols).astype(float)
    if of.name == "connect4":
        expected, policy = [board, board[:, ::-1]], board[0]
    else:
        expected = [board, board[::-1], board[:, ::-1], board[::-1, ::-1]]
        expected += [view.T for view in expected] if of.rows == of.cols else []
        policy = np.append(board.ravel(), -1.0) if of.name == "othello" else board.ravel()
    images = [turned(symmetry, policy) for symmetry in of.symmetries]
    if of.name == "connect4":
        wanted = [view[0] for view in expected]
    else:
        wanted = [np.append(view.ravel(), policy[of.cells :]) for view in expected]
    assert sorted(map(tuple, images)) == sorted(map(tuple, wanted))
    assert np.array_equal(images[0], policy)


@thorough
@given(any_game, any_seed)
def test_a_symmetry_moves_stones_as_it_moves_numbers_on_cells(of, seed):
    position = Random(seed).choice(random_line(of, seed))
    for symmetry in of.symmetries:
        moved = np.empty(of.cells, int)
        moved[list(symmetry.cells)] = position.board.ravel()
        image = symmetry.position(position)
        assert np.array_equal(image.board.ravel(), moved)
        assert image.to_move == position.to_move


@thorough
@given(any_game, any_seed)
def test_the_image_of_a_game_is_a_game_wherever_it_keeps_its_moves(of, seed):
    position = random_line(of, seed)[-1]
    kept = 0
    for symmetry in of.symmetries:
        image = symmetry.position(position)
        if image.history:
            kept += 1
            assert of.position(image.move_list) == image
    # Half of the symmetries exchange the colours of Othello's four discs in the middle.
    assert kept == len(of.symmetries) // (2 if of.name == "othello" else 1)


@thorough
@given(any_game, any_seed)
def test_a_printed_position_reads_back_as_itself(of, seed):
    for position in random_line(of, seed):
        assert of.parse(str(position)) == position
        bare = "/".join("".join(".XO"[int(v)] for v in row) for row in position.board)
        assert of.parse(f"{bare} / {'XO'[position.to_move]} to move") == position


@thorough
@given(any_game, any_seed, st.sampled_from(["", " ", ", ", "\n"]), st.booleans())
def test_a_move_list_reads_back_as_its_game(of, seed, separator, capitals):
    final = random_line(of, seed)[-1]
    text = separator.join(final.move_list.split())
    read = of.position(text.upper() if capitals else text)
    assert read == final and read.history == final.history


@thorough
@given(any_game, any_seed)
def test_the_planes_show_own_stones_as_one_and_the_opponents_as_minus_one(of, seed):
    line = random_line(of, seed)
    own, opp = np.array([position.words for position in line]).T
    assert np.array_equal(of.planes(own, opp), np.stack([position.planes for position in line]))
    for position in line:
        plain = as_reference(position)
        own = [[plain.at(r, c) == plain.mover for c in range(of.cols)] for r in range(of.rows)]
        opp = [[plain.at(r, c) == reference.other(plain.mover) for c in range(of.cols)] for r in range(of.rows)]
        assert position.planes.dtype == np.float32
        assert np.array_equal(position.planes, np.array([own], int) - np.array([opp], int))


@thorough
@given(any_game, any_seed)
def test_the_line_of_a_position_is_the_game_that_led_to_it(of, seed):
    line = random_line(of, seed)
    assert list(line[-1].line()) == line
    assert len(line) - 1 <= of.max_plies


def test_the_line_of_a_position_with_unknown_moves_is_an_error_and_no_other_game():
    of = game("tictactoe")
    drawn = of.parse("X . . / . O . / . . .")
    for position in (drawn, drawn.play("a2"), drawn.play("a2").play("b1")):
        with pytest.raises(ValueError, match="not known"):
            list(position.line())


def test_sizes_are_given_in_the_name_or_as_numbers():
    assert [game(name).id for name in IDS] == list(IDS) and all(game(game(name).id) == game(name) for name in IDS)
    assert game("othello") == game("othello", 6) == game("othello-6x6") == game("othello", rows=6, cols=6)
    assert game("connect4", rows=6, cols=7) == game("connect4-6x7") == game("connect4-6x7-k4")
    assert game("gobang", 8, k=5) == game("gobang-8x8-k5")
    assert game("tictactoe") == game("gobang", 3, k=3)


# --- ends of games ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "moves", "winner"),
    [
        ("gobang", "a1 a2 b1 b2 c1 c2 d1", FIRST),
        ("gobang", "f6 a2 a1 b2 b1 c2 c1 d2", SECOND),
        ("connect4", "1 2 1 2 1 2 1", FIRST),
        ("connect4", "6 2 1 2 1 2 1 2", SECOND),
        ("tictactoe", "a1 b1 a2 b2 a3", FIRST),
        ("tictactoe", "c3 b1 a2 b2 a3 c1 a1", FIRST),
        ("tictactoe", "a1 b1 a2 b2 c3 b3", SECOND),
        ("gobang", "a1 a6 b1 b6 d1 d6 e1 e6 c1", FIRST),  # longer than needed
        # On the last empty cell, which makes no draw.
        ("tictactoe", "a1 b1 c1 a2 b2 c2 b3 a3 c3", FIRST),
        ("connect4-4x4", "4232442234311311", SECOND),
        ("connect4-3x3-k3", "133221213", FIRST),
        ("gobang-4x4-k4", "b4b3a2c1a1a4b1d2d4b2c4d3d1a3c2c3", SECOND),
    ],
)
def test_a_line_wins_for_whoever_made_it_and_every_value_has_the_sign_of_its_mover(name, moves, winner):
    final = game(name).position(moves)
    assert final.is_over and final.winner == winner
    # The loser is to move, whoever that is; the winner's colour alone does not decide the sign.
    assert final.to_move == 1 - winner and final.result == -1
    assert not any(position.is_over for position in list(final.line())[:-1])


def test_a_full_board_without_a_line_is_a_draw_for_both():
    final = game("tictactoe").position("a1 b2 c3 b1 b3 a3 c1 c2 a2")
    assert final.result == 0 and final.winner is None and final.caption == "drawn"


@pytest.mark.parametrize("mover", "XO")
@pytest.mark.parametrize(
    "board",
    ["XXXX/XXXX/OOOO/OOOO", "XOXO/OXOX/XOXO/OXOX", "XX../XX../..../..OO", ".O../..../..../X..."],
    ids=["full", "chequered", "unequal", "stuck"],
)
def test_an_othello_game_is_a_draw_for_both_exactly_when_the_discs_are_equal(board, mover):
    final = game("othello", 4).parse(f"{board}/{mover} to move")
    assert final.is_over
    first, second = board.count("X"), board.count("O")
    if first == second:
        assert final.result == 0 and final.winner is None
    else:
        assert final.winner == FIRST and final.result == (1 if mover == "X" else -1)


def test_an_othello_player_without_a_move_passes_and_the_pass_is_a_ply():
    before = game("othello", 4).parse("OX../..../..../..../X to move")
    assert before.moves == ("pass",) and not before.is_over
    after = before.play("pass")
    assert np.array_equal(after.board, before.board)
    assert after.to_move == SECOND and len(after.history) == 1 and after.moves == ("c1",)
    assert perft(before, 1) == 1 and perft(before, 2) == 1
    assert after.play("c1").result == -1  # X has no disc left
    with pytest.raises(IllegalMove, match="pass is not legal"):
        after.play("pass")


def test_othello_ends_before_the_board_is_full_when_neither_can_move():
    of = game("othello", 4)
    for text, winner in [("XX../X.../..../...O", FIRST), ("OOO./..../..../..X.", SECOND)]:
        for mover in "XO":
            final = of.parse(f"{text}/{mover} to move")
            assert final.is_over and final.legal == () and final.winner == winner
            with pytest.raises(IllegalMove, match="the game is over"):
                final.play("pass")


def test_a_full_connect_four_column_takes_no_more_stones():
    full = game("connect4").position("111111")
    assert full.moves == ("2", "3", "4", "5", "6")


# --- lines --------------------------------------------------------------------------------------------------------


@cache
def true_lines(rows: int, cols: int, k: int) -> frozenset[int]:
    """All lines of k cells of a board, as words."""
    found = set()
    for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]:
        for row in range(rows):
            for col in range(cols):
                places = [(row + i * down, col + i * right) for i in range(k)]
                if all(0 <= r < rows and 0 <= c < cols for r, c in places):
                    found.add(sum(1 << (r * cols + c) for r, c in places))
    return frozenset(found)


@pytest.mark.parametrize("k", range(3, 9))
def test_cells_at_equal_distances_are_a_line_only_if_they_do_not_go_around_an_edge(k):
    """On every board up to 8×8: each row of k bits at the four distances that the shifts of the compiled code take."""
    around = 0
    for rows in range(1, 9):
        for cols in range(1, 9):
            if max(rows, cols) < k:
                continue
            of = game("gobang", rows=rows, cols=cols, k=k)
            lines = true_lines(rows, cols, k)
            for step in {1, cols - 1, cols, cols + 1} - {0}:
                for first in range(of.cells - (k - 1) * step):
                    word = sum(1 << (first + i * step) for i in range(k))
                    assert R.has_line(of.rules, np.uint64(word)) == (word in lines), (of.id, bin(word))
                    around += word not in lines
    assert around > 100


@pytest.mark.parametrize("k", range(3, 9))
def test_every_line_wins_a_longer_one_too_and_one_with_a_gap_does_not(k):
    of = game("gobang", 8, k=k)
    for word in true_lines(8, 8, k):
        assert R.has_line(of.rules, np.uint64(word))
        for cell in range(64):
            if word >> cell & 1:
                assert not R.has_line(of.rules, np.uint64(word ^ 1 << cell))
    for longer in range(k + 1, 9):
        assert all(R.has_line(of.rules, np.uint64(word)) for word in true_lines(8, 8, longer))


@thorough
@given(st.integers(1, 8), st.integers(1, 8), st.integers(3, 8), any_seed, st.floats(0.3, 0.95))
def test_on_any_board_of_stones_a_line_is_found_exactly_where_there_is_one(rows, cols, k, seed, filled):
    k = min(k, max(rows, cols))
    if k < 2:
        return
    of = game("gobang", rows=rows, cols=cols, k=k)
    random = Random(seed)
    word = sum(1 << cell for cell in range(of.cells) if random.random() < filled)
    assert R.has_line(of.rules, np.uint64(word)) == any(word & line == line for line in true_lines(rows, cols, k))


# --- playouts -----------------------------------------------------------------------------------------------------


def playouts(position: Position, count: int, seed: int = 0) -> list[tuple[int, int, int, int]]:
    """Value, plies, and the actions of the player to move and of the other, as words."""
    streams, found = np.array([stream(seed, "tests")]), []
    for _ in range(count):
        value, plies, *filled = playout(streams, position)
        found.append((value, plies, *map(int, R.actions_of(position.game.rules, *position.words, *filled, False))))
    return found


def action_word(of: Game, moves) -> int:
    return sum(1 << of.action_number(move) for move in moves)


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("empty", [1, 2, 4])
def test_late_playouts_end_in_all_possible_ways_as_often_as_they_should(name, empty):
    """Value, plies and the moves of both players, together; no other end occurs, and the moves are uniformly random."""
    of = game(name)
    position = late_position(of, 0, empty)
    chances: Counter = Counter()
    for (value, plies, ours, theirs), chance in reference.playout_chances(as_reference(position)).items():
        chances[value, plies, action_word(of, ours), action_word(of, theirs)] += chance
    count = 4000
    seen = Counter(playouts(position, count))
    assert set(seen) <= set(chances)
    for end, chance in chances.items():
        tolerance = 5 * math.sqrt(count * chance * (1 - chance)) + 1
        assert abs(seen[end] - count * chance) <= tolerance, (str(position), end)


@pytest.mark.parametrize("name", IDS)
def test_playouts_from_the_start_have_the_values_and_lengths_of_plain_ones(name):
    of, random = game(name), Random(1)
    plain = np.array([reference.playout(reference_start(of), random) for _ in range(40 if of.cells > 36 else 120)])
    fast = np.array(playouts(of.start(), 4000))[:, :2].astype(float)
    spread = np.sqrt(plain.var(axis=0) / len(plain) + fast.var(axis=0) / len(fast))
    assert (np.abs(plain.mean(axis=0) - fast.mean(axis=0)) <= 4 * spread).all()


@pytest.mark.parametrize("name", IDS)
def test_the_moves_that_a_playout_reports_are_those_of_both_players(name):
    """Without replaying, what the two sets must add up to."""
    of = game(name)
    position = random_line(of, 3)[2]
    for value, plies, mine, theirs in playouts(position, 200):
        assert value in (-1, 0, 1)
        assert mine and mine < 1 << of.actions and theirs < 1 << of.actions
        if of.name == "gobang":
            assert not mine & theirs and not (mine | theirs) & (position.own | position.opp)
            assert mine.bit_count() == (plies + 1) // 2 and theirs.bit_count() == plies // 2
            # Whoever wins makes the last move: the sign belongs to the player to move where the playout began.
            assert value == 0 or (value == 1) == (plies % 2 == 1)
            assert bool(R.has_line(of.rules, np.uint64(position.own | mine))) == (value == 1)
            assert bool(R.has_line(of.rules, np.uint64(position.opp | theirs))) == (value == -1)
        if of.name == "othello":
            assert not mine & theirs and not (mine | theirs) & (position.own | position.opp)
            assert (mine | theirs).bit_count() <= plies


def test_a_playout_draws_from_its_own_stream_only():
    position, cells = game("othello").start(), np.zeros(64, np.uint64)
    streams = np.array([stream(1, name) for name in "abc"])
    before = streams.copy()
    R.playout(position.game.rules, *position.words, streams, 1, cells)
    assert (streams != before).tolist() == [False, True, False]
    assert playouts(position, 5, seed=1) == playouts(position, 5, seed=1) != playouts(position, 5, seed=2)


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: game("chess"), "the games are othello, connect4, gobang, tictactoe"),
        (lambda: game("Otello"), "the games are othello"),
        (lambda: game("othello-6"), "there is no game 'othello-6'"),
        (lambda: game("othello", 5), "4, 6 or 8 rows and columns, not 5×5"),
        (lambda: game("othello", 10), "not 10×10"),
        (lambda: game("othello", k=4), "Othello has no lines"),
        (lambda: game("connect4", rows=9, cols=7), "1 to 8 rows and columns, not 9×7"),
        (lambda: game("connect4", rows=0), "1 to 8 rows and columns, not 0×6"),
        (lambda: game("connect4-0x7"), "1 to 8 rows and columns, not 0×7"),
        (lambda: game("gobang", -1), "1 to 8 rows and columns"),
        (lambda: game("gobang", 6, k=7), "2 ≤ k ≤ 6, not 7"),
        (lambda: game("gobang", 6, k=1), "2 ≤ k ≤ 6, not 1"),
        (lambda: game("gobang", 3), "2 ≤ k ≤ 3, not 4"),
    ],
)
def test_a_game_that_does_not_exist_is_refused_with_what_is_allowed(make, says):
    with pytest.raises(ValueError, match=says) as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "moves", "says"),
    [
        ("othello", ["a1"], "a1 is not legal here; legal: c2 b3 e4 d5"),
        ("othello", ["pass"], "pass is not legal here"),
        ("othello", ["g1"], "its moves are a1 to f6 and pass"),
        ("othello", "d3 i9", "what is 'i9'"),
        ("othello", 37, "moves are a text, as 'c2 b2 b3', or a list of names, not 37"),
        ("connect4", [4], r"named by a text, as play\('1'\), not by 4: an action is played by its number with act"),
        ("connect4", "7", "its moves are 1 to 6"),
        ("connect4", "0", "its moves are 1 to 6"),
        ("connect4", "1111111", "1 is not legal here; legal: 2 3 4 5 6"),
        ("connect4", "a1", "what is 'a'"),
        ("connect4", "1 2 1 2 1 2 1 2", "2 cannot be played: the game is over"),
        ("gobang", ["g1"], "its moves are a1 to f6$"),
        ("gobang", "a1 a1", "a1 is not legal here; legal: b1"),
        ("gobang", ["pass"], "'pass' is no move"),
        ("tictactoe", ["x"], "its moves are a1 to c3"),
        ("tictactoe", "a1 b1 a2 b2 a3 b3", "the game is over"),
    ],
)
def test_a_move_that_cannot_be_played_is_refused_with_what_is_allowed(name, moves, says):
    with pytest.raises(IllegalMove, match=says) as caught:
        game(name).position(moves)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("tictactoe", "...", "has 3 rows of 3 cells; these rows have: 3"),
        ("tictactoe", "", "has 3 rows of 3 cells; these rows have: none"),
        ("tictactoe", ".../..../...", "these rows have: 3 4 3"),
        ("tictactoe", ".../.../.../...", "these rows have: 3 3 3 3"),
        ("tictactoe", ".../.Q./...", "with '.', 'X' and 'O' only: what is '.Q.'"),
        ("tictactoe", "x../.../...", "'X' and 'O' only"),
        ("tictactoe", "XX./.../...", "2 X and 0 O cannot be"),
        ("tictactoe", "O../.../...", "0 X and 1 O cannot be"),
        ("tictactoe", "X../.../.../X to move", "it is O's move"),
        ("tictactoe", "XXX/OOO/...", "X is to move but already has 3 in a row"),
        ("tictactoe", "XXX/OOO/X..", "O is to move but already has 3 in a row"),
        ("tictactoe", "XXX/OO./O..", "X is to move but already has 3 in a row"),
        ("connect4-3x3-k3", ".../X../...", "a stone hangs in the air"),
        ("connect4-3x3-k3", "..X/.../..O", "a stone hangs in the air"),
        ("othello-4x4", "..../.OX./.XO./....", "needs a last line 'X to move' or 'O to move'"),
    ],
)
def test_a_board_that_cannot_be_is_refused_with_the_reason(name, text, says):
    with pytest.raises(ValueError, match=says) as caught:
        game(name).parse(text)
    assert "\n" not in str(caught.value)


# --- the check for whoever adds a game ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", IDS)
def test_every_game_passes_the_check(name):
    assert check_game(game(name), games=2) > 2


class TurnedAroundGravity(ConnectFour):
    @cached_property
    def symmetries(self):
        upside_down = tuple(range(self.cells))[::-1]
        return (Symmetry(upside_down, tuple(range(self.cols))[::-1]),)


class MovesNotTurned(Othello):
    @cached_property
    def symmetries(self):
        return tuple(Symmetry(s.cells, tuple(range(self.actions))) for s in super().symmetries)


class ForgetsTheMover(Othello):
    def parse(self, text):
        return super().parse(text.replace("O to move", "X to move"))


class PlanesOfTheFirstPlayer(Gobang):
    def planes(self, own, opp):
        swapped = np.array([int(word).bit_count() for word in own]) < [int(word).bit_count() for word in opp]
        return super().planes(own, opp) * np.where(swapped, -1, 1)[:, None, None, None]


class ForgetsLongGames(ConnectFour):
    max_plies = 5


class NamesColumnsOnly(Gobang):
    def action_name(self, action):
        return super().action_name(action % self.cols)


class StonesOfOneColour(Gobang):
    look = Gobang.look._replace(stones=("#ffffff", "#ffffff"), rims=("#000000", "#000000"))


class StartsElsewhere(Gobang):
    def position(self, moves=()):
        return super().position([*(moves.split() if isinstance(moves, str) else moves)][:3])


@pytest.mark.parametrize(
    ("broken", "promise"),
    [
        (TurnedAroundGravity(6, 6, 4), "to play and then turn the board"),
        (MovesNotTurned(6, 6), "to the legal actions"),
        (ForgetsTheMover(6, 6), "the printed board parses"),
        (PlanesOfTheFirstPlayer(6, 6, 4), "the mover's stones as"),
        (ForgetsLongGames(6, 6, 4), "no game is longer"),
        (NamesColumnsOnly(6, 6, 4), "a move's name leads back"),
        (StonesOfOneColour(6, 6, 4), "every stone is drawn"),
        (StartsElsewhere(6, 6, 4), "the move list leads to the same position"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Game) else "",
)
def test_a_broken_game_fails_the_check_and_the_promise_is_named(broken, promise):
    with pytest.raises(AssertionError, match=promise):
        check_game(broken, games=5)
