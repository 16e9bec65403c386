"""The boards of JupyterLab without a browser: what the page would say is said here, and what it would show is read."""

import json
import sys
from pathlib import Path
from types import ModuleType

import jupytext
import pytest
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from jupytext.sync_contentsmanager import build_sync_jupytext_contents_manager_class

import wslib as ws
from wslib.parameters import ParameterError
from wslib.search import GUIDED
from wslib.study.lab.board import Board, module

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path / "store"))


def says(board: Board, do: str, number: int | None = None) -> None:
    """What the page says when the reader has done something."""
    board._handle_custom_msg({"do": do, "number": number}, [])


def layer(board: Board, key: str) -> dict[int, float]:
    """The numbers of a layer, as the page gets them."""
    (found,) = [one for one in board.state["layers"] if one["key"] == key]
    return dict(found["values"])


# --- notebooks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_that_jupyterlab_saves_stays_as_it_was(path: Path, tmp_path: Path):
    (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    manager = build_sync_jupytext_contents_manager_class(LargeFileManager)(root_dir=str(tmp_path))
    notebook = manager.get(path.name, type="notebook")["content"]
    # What JupyterLab adds once a kernel runs and something was shown.
    notebook["metadata"]["kernelspec"] = {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    }
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.11.0", "file_extension": ".py"}
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}
    manager.save({"type": "notebook", "content": notebook, "format": "json"}, path.name)
    assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_the_tour_begins_with_a_board():
    first = [cell for cell in jupytext.read(ROOT / "notebooks" / "start.py").cells if cell.cell_type == "code"][1]
    assert "ws.board(" in first.source


# --- playing ----------------------------------------------------------------------------------------------------------


def test_a_click_is_a_move_and_the_search_answers_it():
    table = ws.board("connect4", against="mcts", simulations=50)
    says(table.board, "move", 3)
    assert table.position.move_list.startswith("4 ") and len(table.position.history) == 2
    assert table.board.state["message"].startswith("You played 4. It plays ")
    assert table.board.state["playable"]
    assert sum(layer(table.inside, "visits").values()) == 49
    assert table.moves.value == table.position.move_list


@pytest.mark.parametrize("against", ["random", "mcts", "rave", "rhea", "person"])
@pytest.mark.parametrize("name", ["connect4", "othello-4x4", "gobang-5x7", "tictactoe"])
def test_every_game_is_played_to_its_end_against_every_player(name: str, against: str):
    table = ws.board(name, against=against, simulations=10)
    while not table.position.is_over:
        says(table.board, "move", table.position.legal[0])
    assert not table.board.state["playable"]
    ended = "You have won", "You have lost", "The game is drawn", "has won"
    assert any(words in table.board.state["message"] for words in ended)


@pytest.mark.parametrize("method", GUIDED)
def test_a_network_plays_by_any_method_and_shows_what_it_thinks(network, method: str):
    table = ws.board("connect4", against=network, simulations=20, you="O")
    table.method.value = method
    table.new_game()
    assert len(table.position.history) == 1 and table.thought.settings.method == method
    keys = [one["key"] for one in table.inside.state["layers"]]
    assert keys == ["visits", "q", "u", "p", "v", *(["rave", "score"] if GUIDED[method].rave else [])]
    said = network.look(table.thought.position.play("1"))
    assert layer(table.inside, "v")[0] == pytest.approx(-said.value)


def test_the_same_seed_plays_the_same_game():
    games = []
    for _ in range(2):
        table = ws.board("gobang", simulations=20, seed=3)
        for action in (0, 7, 14):
            says(table.board, "move", action)
        games.append(table.position.move_list)
    assert games[0] == games[1]


def test_moves_are_taken_back_to_the_readers_last_choice():
    table = ws.board("connect4", simulations=10)
    says(table.board, "move", 2)
    says(table.board, "move", 2)
    says(table.board, "undo")
    assert len(table.position.history) == 2 and table.yours
    says(table.board, "undo")
    says(table.board, "undo")
    assert table.position == ws.game("connect4").start()


def test_a_player_without_a_move_passes():
    stuck = ws.game("othello-4x4").position("b1 c1 d4 c4 d1 a3 b4 a1 d3 d2")
    table = ws.board(stuck, against="person")
    assert "X (black) has no move here and must pass." in table.board.state["message"]
    says(table.board, "move", 16)
    assert "X played pass." in table.board.state["message"]


def test_a_hint_shades_the_board_by_what_the_opponent_would_search(network):
    table = ws.board("connect4", against=network, simulations=30)
    table.hint_button.click()
    assert table.board.state["message"].startswith("Hint: ")
    assert sum(layer(table.board, "visits").values()) == 29 and table.board.layer == "visits"


def test_the_solver_tells_the_truth_where_it_can():
    table = ws.board(ws.game("tictactoe").position("a1 b1"), against="person")
    table.solver.value = True
    table.hint()
    solved = ws.solve(table.position).values
    assert layer(table.board, "truth") == {table.position.game.action_number(m): v for m, v in solved.items()}


# --- other positions --------------------------------------------------------------------------------------------------


def test_a_game_is_read_and_written_as_text():
    table = ws.board("othello", against="person")
    table.moves.value = "c2 b2 b3"
    assert table.position == ws.game("othello").position("c2 b2 b3")
    table.moves.value = "c2 z9"
    assert "a move list of Othello 6×6 looks like" in table.board.state["message"]
    assert table.moves.value == "c2 b2 b3"


def test_a_position_is_set_up_by_hand_and_played_on():
    table = ws.board("tictactoe", against="person")
    table.setup.value = True
    for cell, times in ((0, 1), (4, 2), (8, 1)):
        for _ in range(times):
            says(table.board, "place", cell)
    assert table.board.state["board"] == [1, 0, 0, 0, -1, 0, 0, 0, 1] and table.board.state["setup"]
    table.turn.value = 1
    table.setup.value = False
    assert table.position == ws.game("tictactoe").parse("X . . / . O . / . . X / O to move")
    assert table.moves.value == "X.. / .O. / ..X / O to move"
    says(table.board, "move", 1)
    assert table.position.move_list == "b1"
    other = ws.board("tictactoe", against="person")
    other.moves.value = table.moves.value
    assert other.position == table.position


def test_a_position_that_cannot_be_gets_a_sentence_and_is_still_set_up():
    table = ws.board("connect4", against="person")
    table.setup.value = True
    says(table.board, "place", 0)
    table.setup.value = False
    assert table.setup.value
    assert table.board.state["message"].startswith("This cannot be: ")


def test_another_game_is_chosen_by_its_name_and_size():
    table = ws.board("connect4", simulations=10)
    table.game.value = "gobang-8x8-k5"
    assert table.position == ws.game("gobang", 8, k=5).start()
    table.game.value = "chess"
    assert "there is no game 'chess'" in table.board.state["message"]


def test_what_is_no_opponent_or_no_colour_gets_a_sentence():
    with pytest.raises(ParameterError, match="there is no player 'alphazero'"):
        ws.board("connect4", against="alphazero")
    with pytest.raises(ParameterError, match="you = 'Y' is not allowed"):
        ws.board("connect4", you="Y")
    with pytest.raises(ParameterError, match=r"simulations = 1000000000 is not allowed: .* from 2 to 100000"):
        ws.board("connect4", simulations=10**9)


def test_the_second_board_appears_with_the_first_thought():
    table = ws.board("connect4", simulations=10)
    assert table.inside.layout.display == "none"
    says(table.board, "move", 3)
    assert table.inside.layout.display == ""
    table.new_game()
    assert table.inside.layout.display == "none"


def test_a_bar_in_a_notebook_is_not_drawn_where_it_would_be_red(monkeypatch: pytest.MonkeyPatch):
    from wslib._bar import BY_PAPERMILL, terminal

    monkeypatch.delenv(BY_PAPERMILL, raising=False)
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    assert terminal() is sys.stdout
    monkeypatch.delitem(sys.modules, "ipykernel")
    assert terminal() is sys.stderr


def test_a_network_of_the_menu_is_that_of_its_iteration():
    from wslib.study.lab.table import _trained

    listed = ws.trained("connect4")
    assert listed["run"].duplicated().any(), "of some runs several networks are published"
    offered = list(_trained(ws.game("connect4")).values())
    assert [one.network().iteration for one in offered] == [one.iteration for one in offered]
    assert {(one.run, one.iteration) for one in offered} == set(zip(listed["run"], listed["iteration"], strict=True))


def test_a_method_names_the_network_that_was_trained_by_it():
    table = ws.board("connect4", "wrora", simulations=10)
    assert table.player.network.run.settings.method == "wrora" and "wrora" in table.opponent.value


def test_a_game_whose_rules_the_page_does_not_know_gets_a_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("wslib.study.lab.board.IN_THE_PAGE", ("othello",))
    with pytest.raises(ParameterError, match=r"has no board to click on.*othello have one"):
        ws.board("connect4")


def test_what_a_page_should_not_say_changes_nothing():
    table = ws.board("connect4", simulations=10)
    before = json.dumps(table.board.state)
    for do, number in (("move", 99), ("move", None), ("erase", 1), ("place", 3)):
        says(table.board, do, number)
    assert table.position == ws.game("connect4").start()
    assert json.loads(before)["board"] == table.board.state["board"]


def test_the_board_is_the_books():
    script = module("board.js", "rules", "board")
    assert (ROOT / "book" / "_static" / "play" / "board.js").read_text(encoding="utf-8") in script
    assert "http" not in script.replace("http://www.w3.org/2000/svg", "")
