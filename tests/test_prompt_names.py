"""What a new user types at a prompt: ``import wslib as ws`` and one or two lines; wrong ones get one sentence."""

import inspect
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from conftest import SMALL_NETWORK
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import wslib as ws
from wslib.games import IllegalMove, Position
from wslib.games.gobang import Gobang
from wslib.parameters import ParameterError

FUNCTIONS = [name for name in ws.__all__ if name not in ("__version__", "draw")]


# --- the import and its names -----------------------------------------------------------------------------------------


def test_the_import_is_quick_and_brings_no_library_along():
    heavy = "{'torch', 'numba', 'numpy', 'pandas', 'pydantic'}"
    script = f"import sys, wslib as ws; assert not {heavy} & set(sys.modules), sorted(sys.modules); print(*dir(ws))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(ws.__all__) <= set(done.stdout.split())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_what_it_does_and_shows_all_its_options(name):
    function = getattr(ws, name)
    signature = inspect.signature(function)
    assert not [p for p in signature.parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD], signature
    assert len(function.__doc__.splitlines()[0]) > 30


def test_a_name_stays_a_function_when_the_room_of_this_name_is_imported():
    script = (
        "import wslib as ws, wslib.search.kernels, wslib.play.matches, wslib.network.settings\n"
        "from wslib.search import kernels\n"
        "from wslib import search\n"
        "assert callable(ws.search) and callable(ws.play) and callable(ws.network) and search is ws.search"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_name_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(AttributeError, match=r"no attribute 'serach': its names are .*search"):
        ws.serach  # noqa: B018


def test_the_version_is_that_of_the_package():
    assert ws.__version__.count(".") == 2


def test_tab_completion_finds_the_names_and_their_options():
    shell = InteractiveShell()
    shell.run_cell("import wslib as ws")
    shell.Completer.use_jedi = False
    with provisionalcompleter():
        found = {
            text: {one.text for one in shell.Completer.completions(text, len(text))}
            for text in ("ws.", "ws.player('mcts', sim", "ws.train('connect4', learn")
        }
    names, *options = found.values()
    assert names == {f".{name}" for name in ws.__all__ if name != "__version__"}
    assert options == [{"simulations="}, {"learning_rate="}]


# --- what is natural to type ------------------------------------------------------------------------------------------


def test_a_position_is_made_and_played_on_by_names_and_prints_as_a_board():
    p = ws.game("connect4").position("4 4 3").play("4")
    assert repr(p).endswith("X to move") and "O" in repr(p) and "<svg" in p._repr_html_()


@pytest.mark.parametrize(
    ("written", "known"),
    [("Connect Four", "connect4-6x6-k4"), ("CONNECT4", "connect4-6x6-k4"), ("connect 4", "connect4-6x6-k4"),
     ("Connect Four 6×7", "connect4-6x7-k4"), ("tic-tac-toe", "gobang-3x3-k3"), ("Othello-4x4", "othello-4x4")],
)  # fmt: skip
def test_a_game_is_found_by_its_name_as_titles_write_it(written, known):
    assert ws.game(written).id == known
    assert ws.search(written, simulations=4).position == ws.game(known).start()


def test_a_network_asked_about_nothing_looks_at_the_start(network):
    assert network.look().position == ws.game("connect4").start()


def test_one_method_or_several_are_named_in_a_text():
    assert list(ws.search("tictactoe", methods="mcts", simulations=4)) == ["mcts"]
    assert list(ws.search("tictactoe", methods="rave, mcts", simulations=4)) == ["rave", "mcts"]


def test_a_signature_shows_what_depends_on_other_options_and_the_values_of_a_choice():
    assert "Ellipsis" not in str(inspect.signature(ws.train)) and "epochs=…" in str(inspect.signature(ws.train))
    assert "rule: P-UCT (eq. 5.1), or classic UCB1 ('puct' or 'ucb1')" in ws.search.__doc__


def test_a_search_needs_a_position_or_just_a_game():
    result = ws.search(ws.game("tictactoe").position("a1 b1 b2 c1"), simulations=200)
    assert result.best == "c3"
    assert ws.search("tictactoe", simulations=20).position == ws.game("tictactoe").start()


def test_a_network_is_made_and_asked_about_a_position(network):
    look = network.look(ws.game("connect4").position("4 4"))
    assert look.policy.sum() == pytest.approx(1) and -1 <= look.value <= 1
    assert look.best in repr(look) and "<svg" in look._repr_html_()
    assert "Connect Four 6×6" in repr(network) and "<svg" in network._repr_html_()


def test_a_network_of_a_seed_is_the_one_that_a_run_of_this_seed_begins_with():
    from wslib.network.runtime import CompiledNetwork
    from wslib.training.loop import start
    from wslib.training.settings import RunSettings

    run = start(RunSettings(game="connect4", seed=5, **SMALL_NETWORK))
    planes = ws.game("connect4").start().planes[None]
    ours = ws.network("connect4", seed=5, **SMALL_NETWORK).evaluate(planes)
    assert np.array_equal(ours[0], CompiledNetwork(run.network).evaluate(planes)[0])


def test_all_six_methods_search_side_by_side(network):
    searches = ws.search("connect4", network, methods="all", simulations=20)
    assert list(searches) == ["baseline", "rollout", "rave", "rora", "wro", "wrora"]
    assert searches["wrora"].best == ws.search("connect4", network, method="wrora", simulations=20).best
    assert searches.table().sum().to_numpy() == pytest.approx(1)
    assert "WRoRa" in repr(searches) and searches._repr_html_().count("<svg") == 6


@pytest.mark.parametrize(
    ("guided", "options"),
    [
        (False, {}), (False, {"method": "rave", "equivalence": 50}), (False, {"tree": "kept"}),
        (False, {"policy": "q", "ties": "first"}), (True, {}), (True, {"method": "wrora", "equivalence": 50}),
        (True, {"tree": "fresh"}), (True, {"noise": 0.25}),
    ],
)  # fmt: skip
def test_more_simulations_are_those_that_would_have_come(guided, options, network):
    given = ws.game("connect4").position("4 4 3"), network if guided else None
    before = ws.search(*given, simulations=30, **options)
    seen = before.table()
    after = before.more(20).more(10)
    assert after.table().equals(ws.search(*given, simulations=60, **options).table())
    assert before.table().equals(seen)


def test_several_searches_go_on_together(network):
    searches = ws.search("connect4", network, methods=("mcts", "wrora"), simulations=10).more(5)
    assert [result.visits.sum() for result in searches.values()] == [14, 14]


def test_players_meet_by_their_names(network):
    played = ws.match("connect4", network, "random", games=4)
    assert len(played) == 4 and "wins" in repr(played)
    by_settings = ws.match(ws.game("connect4"), ws.player("baseline", network), ws.player("random"), games=4)
    assert by_settings.moves == played.moves


def test_a_player_takes_any_option_of_its_method(network):
    assert ws.player("rave", simulations=50, beta="action").beta == "action"
    assert ws.player("wrora", network, weight=0.25).settings.weight == 0.25


def test_one_plays_against_a_name_and_sees_the_board(capsys):
    end = ws.play("tictactoe", "random", ask=lambda question: "quit")
    assert isinstance(end, Position) and "X to move" in capsys.readouterr().out


def test_a_position_is_solved():
    assert ws.solve(ws.game("tictactoe").position("a1 b1")).best == ("a2", "b2", "a3")
    assert ws.solve("tictactoe").value == 0


def test_a_network_is_saved_and_loaded_and_sent_to_a_worker(network, tmp_path):
    planes = ws.game("connect4").start().planes[None]
    for again in (ws.load(network.save(tmp_path / "net.safetensors")), pickle.loads(pickle.dumps(network))):
        assert np.array_equal(again.evaluate(planes)[0], network.evaluate(planes)[0])


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    giant = tmp_path / "giant.safetensors"
    with giant.open("wb") as file:
        file.truncate(1 << 34)  # sparse: it takes no room on the disk, but 16 gigabytes of memory where it is read
    with pytest.raises(ParameterError, match="is no network: it has more than 1,024 megabytes"):
        ws.load(giant)


def test_one_draw_is_a_draw():
    games = ws.match("tictactoe", "random", "random", games=2)
    assert ": 1 win, 1 draw, 0 losses for A" in repr(replace(games, result=np.array([0, 1])))


def test_a_game_is_checked_by_its_promises():
    assert ws.check_game(ws.game("tictactoe"), games=2) > 0


class Hex(Gobang):
    """Stands for a game with rules of its own."""


# --- what is wrong, and what would be right ---------------------------------------------------------------------------


WRONG = {
    "a name for an action": (lambda net: ws.game("connect4").start().act("4"), "the actions 0 to 5, not '4'"),
    "a number for a game": (lambda net: ws.match(4, "mcts", "random"), "there is no game 4: the games are"),
    "a size that is a text": (lambda net: ws.game("gobang", "8"), "size = '8' is not allowed: it should be a whole"),
    "a network for a position": (lambda net: ws.search(net), r"a network for .* is no position: give one, as game\("),
    "a name for a network": (lambda net: ws.search("connect4", "rave"), "'rave' is no network: name a method as"),
    "another game": (lambda net: ws.search("othello", net), "this network plays Connect Four 6×6, not Othello 6×6"),
    "a look at another": (lambda net: net.look("gobang"), "this network plays Connect Four 6×6, not Gobang 6×6"),
    "a match in another": (lambda net: ws.match("othello", net, "mcts"), "this network plays Connect Four 6×6, not"),
    "no method": (lambda net: ws.search("connect4", net, method="best"), "method = 'best' is not allowed: it should"),
    "none for several": (lambda net: ws.search("connect4", net, methods=[]), r"methods = \[\] .* a list of methods"),
    "moves without a game": (lambda net: ws.search("4 4 3"), r"'4 4 3' is no game.*moves go with their game, as game"),
    "a misspelt option": (lambda net: ws.player("mcts", simulatons=4), r"did you mean 'simulations'\?"),
    "a symbol for an option": (lambda net: ws.network("connect4", C=4), r"did you mean 'channels'\?"),
    "a depth that is a text": (lambda net: ws.search("connect4").tree("deep"), "depth = 'deep' is not allowed: it"),
    "no branches": (lambda net: ws.search("connect4").tree(top=0), "top = 0 is not allowed: it should be a whole"),
    "no path": (lambda net: net.save(None), "None is no path: save"),
    "a folder that is not there": (lambda net: net.save("/no/where/net"), "cannot be written: No such file"),
    "both": (lambda net: ws.search("connect4", method="mcts", methods="all"), "give one of the two"),
    "a seed for a match": (lambda net: ws.match("connect4", "mcts", "random", seed="x"), "seed = 'x' is not allowed"),
    "a seed for a search": (lambda net: ws.search("connect4", seed=-1), "seed = -1 is not allowed: it should be"),
    "a seed for a move": (lambda net: ws.move("mcts", "connect4", seed=0.5), "seed = 0.5 is not allowed: it should be"),
    "a seed for a game": (lambda net: ws.play("connect4", seed="x"), "seed = 'x' is not allowed: it should be a whole"),
    "a bar for a match": (
        lambda net: ws.match("connect4", "mcts", "random", progress="x"),
        "progress = 'x' is not allowed: it should be a function",
    ),
    "labels as a number": (lambda net: ws.draw.board("gobang", labels=3), "labels = 3 .* be texts by move: {'a1': 'h"),
    "a name for boards": (lambda net: ws.draw.boards("gobang"), "items = 'gobang' .* a list of positions"),
    "a number for a film strip": (lambda net: ws.draw.filmstrip(3), "3 is no position: give one, as game"),
    "games of a check": (lambda net: ws.check_game("connect4", games="x"), "games = 'x' is not allowed: it should be"),
    "a player without its network": (lambda net: ws.player("wro"), r"'wro' needs a network: player\('wro', network\)"),
    "a list for a player": (lambda net: ws.player(["mcts"]), r"there is no player \['mcts'\]: the players are random"),
    "an unknown option": (lambda net: ws.player("mcts", sims=4), "no parameter 'sims' here: the parameters are sim"),
    "games as text": (
        lambda net: ws.match("connect4", "mcts", "random", games="4"),
        "games = '4' .* whole number of 2",
    ),
    "no side": (lambda net: ws.play("connect4", you=1), "you = 1 is not allowed: it should be 'X'"),
    "a game that is over": (lambda net: net.look(ws.game("tictactoe", 5).position()), "this network plays"),
    "nodes as text": (lambda net: ws.solve("connect4", nodes="many"), "nodes = 'many' .* a whole number of 1 or more"),
    "solve a number": (lambda net: ws.solve(4), "4 is no position: give one, as game"),
    "a game that no solver knows": (
        lambda net: ws.solve(Hex(6, 6, 4).start()),
        "Hex 'gobang' cannot be solved: othello, connect4, gobang can",
    ),
    "no text for a board": (lambda net: ws.game("gobang").parse(3), "a board is drawn with '.', 'X' and 'O', not by 3"),
    "no list of methods": (lambda net: ws.search("connect4", methods=3), "methods = 3 is not allowed: it should be a"),
    "no name among methods": (lambda net: ws.search("connect4", net, methods="wro,"), "method = '' is not allowed: it"),
    "a board for planes": (
        lambda net: net.evaluate(ws.game("connect4").start().board),
        r"planes of shape \(6, 6\) are no positions of Connect Four 6×6: they should be \(n, 1, 6, 6\)",
    ),
    "planes of another game": (lambda net: net.evaluate(np.zeros((2, 1, 8, 8))), r"planes of shape \(2, 1, 8, 8\) are"),
    "half a simulation": (
        lambda net: ws.player("mcts", simulations=1.5),
        "simulations = 1.5 .* be a whole number from 1 to 1,000,000$",
    ),
    "no file": (lambda net: ws.load("nowhere.safetensors"), "there is no file 'nowhere.safetensors'"),
    "a network's option": (lambda net: ws.network("connect4", layers=3), "there is no parameter 'layers' here"),
    "no more": (lambda net: ws.search("tictactoe", simulations=5).more(0), "simulations = 0 .* a whole number of 1"),
}


@pytest.mark.parametrize("which", WRONG)
def test_what_is_wrong_is_answered_by_one_sentence_that_says_what_is_right(which, network):
    typed, sentence = WRONG[which]
    with pytest.raises((ParameterError, IllegalMove, ValueError), match=sentence) as error:
        typed(network)
    assert "\n" not in str(error.value) and "pydantic" not in str(error.value)
