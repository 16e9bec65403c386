"""The results of searches as a reader sees them."""

import pytest
from drivers import MadeUpNetwork

from wslib.games import game
from wslib.prompt.searches import search
from wslib.search import GUIDED
from wslib.search.methods import method_name


@pytest.mark.parametrize(
    ("method", "guided"), [("mcts", False), ("rave", False), *((method, True) for method in (*GUIDED, None))]
)
@pytest.mark.parametrize("name", ["othello", "connect4", "gobang", "tictactoe"])
def test_a_result_prints_a_headline_a_table_and_a_line_that_can_be_played(name, method, guided):
    start = game(name).start()
    result = search(start, MadeUpNetwork(start.game) if guided else None, method=method, simulations=300, c=0.5)
    line = result.principal_variation
    assert len(line) >= 2 and line[0] == result.best
    start.game.position(line)  # legal, or an error
    text = repr(result)
    written = method_name(method or "baseline")
    assert text.startswith(f"{written}, 299 visits: {result.best}, value {result.value:+.2f} for the player to move\n")
    assert text.endswith("principal variation: " + " ".join(line))
    table = result.table()
    assert set(table.index) == set(start.moves)
    assert table.index[0] == result.best
    assert list(table["policy"]) == sorted(table["policy"], reverse=True)
    assert table["N"].sum() == 299 and ("Q_rave" in table) == (method in ("rave", "rora", "wrora"))
    html = result._repr_html_()
    assert "<svg" in html and "<table" in html and f"{result.value:+.2f}" in html


def test_the_search_can_be_looked_at_one_move_later():
    start = game("gobang").start()
    result = search(start, method="rave", simulations=300)
    later = result.after(result.best)
    assert later.position == start.play(result.best)
    assert later.position.history == start.play(result.best).history
    assert later.visits.sum() == result.table()["N"][result.best] - 1
    assert result.best not in later.table().index
    assert [result.best, *later.principal_variation] == result.principal_variation
    # Values are the opponent's now: what is good for one is bad for the other.
    n, q = result.table().loc[result.best, ["N", "Q"]]
    assert -q * n == pytest.approx(later.value * (n - 1), abs=1.01)


def test_the_value_of_a_result_is_the_mean_of_its_simulations():
    result = search(game("connect4").position("4 4"), simulations=200)
    assert result.value == pytest.approx(sum(result.q * result.visits) / 199)


def test_a_search_of_one_simulation_knows_nothing_and_says_so():
    result = search(game("tictactoe").start(), simulations=1)
    assert list(result.visits) == [0] * 9 and result.value == 0 and result.principal_variation == []
    assert result.policy == pytest.approx([1 / 9] * 9)
    assert "<svg" in result._repr_html_() and "MCTS, 0 visits" in repr(result)


def test_a_pass_is_shown_as_a_move():
    result = search(game("othello", 4).position("a2 a3 b4 c1 a4"), simulations=50)
    assert result.best == "pass" and list(result.table().index) == ["pass"] and result.policy[16] == 1
    assert "<svg" in result._repr_html_() and result.after("pass").position.moves


def test_what_cannot_be_looked_at_is_an_error_that_says_why():
    over = game("tictactoe").position("a1 a2 b1 b2 c1")
    with pytest.raises(ValueError, match=r"nothing to search: the game is over \(X has won\)"):
        search(over)
    result = search(game("tictactoe").position("a1 a2 b1 b2"), simulations=40, c=0.1)
    with pytest.raises(ValueError, match=r"'c1' ends the game \(X has won\)"):
        result.after("c1")
    with pytest.raises(ValueError, match="never tried 'c3' here"):
        search(game("tictactoe").start(), simulations=1).after("c3")
    with pytest.raises(ValueError, match="a1 is not legal here"):
        result.after("a1")
