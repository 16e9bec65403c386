"""The inspector, the monitor and the list of runs of JupyterLab, without a browser."""

import json
import re
import time
from pathlib import Path

import pytest

import wslib as ws
from wslib.parameters import ParameterError
from wslib.search import GUIDED
from wslib.study.engine.run_files import RunFiles
from wslib.study.lab.inspector import MOST_NODES


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory):
    """A store with a run of three iterations."""
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("store")
        patch.setenv("WSLIB_STORE", str(place))
        ws.train("connect4", "wrora", 3, preset="smoke", progress=False)
        yield place


@pytest.fixture
def monitor(root: Path):
    watching = ws.monitor(every=3600)
    yield watching
    watching.close()


# --- the inspector ----------------------------------------------------------------------------------------------------


def test_the_network_and_six_searches_stand_side_by_side_with_their_own_numbers(network):
    position = ws.game("connect4").position("4 4 3")
    seen = ws.inspect(position, network, simulations=30)
    assert list(seen.boards) == ["network", *GUIDED]
    alone = ws.search(position, network, method="rora", simulations=30)
    (visits,) = [layer.values for layer in seen.boards["rora"].layers if layer.key == "visits"]
    assert visits == dict(zip(alone.actions.tolist(), alone.visits.tolist(), strict=True))
    (said,) = [layer.values for layer in seen.boards["network"].layers if layer.key == "p"]
    assert list(said.values()) == pytest.approx(network.look(position).policy[list(position.legal)])


def test_one_menu_shades_all_boards_where_they_have_such_numbers(network):
    seen = ws.inspect("connect4", network, simulations=20)
    seen.shade.value = "rave"
    shaded = {name: board.layer for name, board in seen.boards.items()}
    rave = {name for name in GUIDED if GUIDED[name].rave}
    assert {name for name, key in shaded.items() if key == "rave"} == rave
    assert shaded["network"] == "p" and shaded["baseline"] == "visits"


def test_more_simulations_go_on_with_the_same_trees():
    seen = ws.inspect("tictactoe", simulations=50)
    seen.more_button.click()
    assert seen.searches["mcts"].visits.sum() == 99


def test_a_click_looks_behind_a_move_and_undo_comes_back(network):
    seen = ws.inspect("connect4", network, simulations=20)
    seen.board._handle_custom_msg({"do": "move", "number": 3}, [])
    assert seen.position.move_list == "4" and seen.searches.position == seen.position
    seen.board._handle_custom_msg({"do": "undo"}, [])
    assert seen.position == ws.game("connect4").start()


def test_a_games_end_is_reached_and_left_again():
    seen = ws.inspect(ws.game("tictactoe").position("a1 b1 a2 b2"), simulations=20)
    seen.play(6)
    assert seen.position.is_over and seen.board.state["message"].startswith("X has won")
    seen.undo()
    assert seen.searches["mcts"].best == "a3"


def test_the_tree_unfolds_to_every_move_that_was_visited():
    seen = ws.inspect("tictactoe", methods=["mcts"], simulations=60)
    found = seen.searches["mcts"]
    assert seen.tree.value.count("<b>") <= MOST_NODES
    top = re.findall(r"<b>(\w\d)</b>: N (\d+), Q", seen.tree.value)
    counts = dict(zip(found.table().index, found.table()["N"], strict=True))
    assert top[0] == (max(counts, key=counts.get), str(max(counts.values())))
    assert seen.tree.value.count("<details>") == seen.tree.value.count("</details>") > 5


def test_the_walk_gets_the_position_the_network_and_the_stream_of_the_search(network):
    position = ws.game("connect4").parse(str(ws.game("connect4").position("4 4 3")))
    seen = ws.inspect(position, network, simulations=20, seed=5)
    given = seen.walk.state
    assert given["board"] == position.board.ravel().tolist() and given["to_move"] == 1
    assert given["simulations"] == 20 and given["method"] == "wrora" and len(given["network"]) > 100
    json.dumps(given)


def test_what_cannot_be_inspected_gets_a_sentence(network):
    with pytest.raises(ParameterError, match="without a network they are mcts, rave"):
        ws.inspect("connect4", methods=["wrora"])
    with pytest.raises(ValueError, match="the game is over"):
        ws.inspect(ws.game("tictactoe").position("a1 b1 a2 b2 a3"))
    with pytest.raises(ParameterError, match="'wrora' is no network: network"):
        ws.inspect("connect4", "wrora")
    with pytest.raises(ParameterError, match="methods = 3 is not allowed: without a network they are mcts, rave"):
        ws.inspect("connect4", methods=3)
    assert list(ws.inspect("tictactoe", methods="rave, mcts", simulations=10).searches) == ["rave", "mcts"]


# --- the monitor ------------------------------------------------------------------------------------------------------


def test_the_monitor_tells_how_far_a_run_is(monitor):
    assert monitor.bar.value == 3 and monitor.bar.max == 3
    assert monitor.text.value.startswith("iteration 3 of 3; finished"), "its result is stored: nobody asked for more"
    monitor.of.value = 50
    assert monitor.bar.max == 50 and "iteration 3 of 50; " in monitor.text.value
    for panel in ("policy loss", "value loss"):
        assert f'aria-label="{panel}: ' in monitor.view.curves.value


def test_the_monitor_goes_along_with_a_run_that_is_resumed(monitor, root: Path):
    ws.train("connect4", "wrora", 4, preset="smoke", progress=False)
    monitor.of.value = 50
    assert monitor.bar.value == 4 and monitor.view.iteration.value == 4
    assert "of 50; about " in monitor.text.value, "it ran a moment ago, and how long an iteration takes is known"
    played = ws.monitor(every=3600)
    assert played.view.told[-1]["a_game"] == RunFiles(monitor.run.value, root).log(4)[-1]["a_game"]
    monitor.view.iteration.value = 1
    first = monitor.view.games.value
    monitor.look()
    assert monitor.view.games.value == first, "whoever looks at an old game is not taken away from it"


def test_the_monitor_changes_no_file(monitor, root: Path):
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    damaged = next((root / "state").glob("*/*/log.json"))
    whole = damaged.read_bytes()
    damaged.write_bytes(b"[")
    monitor.look()
    damaged.write_bytes(whole)
    assert before.keys() == {path: 0 for path in root.rglob("*")}.keys()


def test_strength_balance_and_switch_are_shown_where_the_run_has_them(root: Path):
    run = ws.train("connect4", "rave", 3, preset="smoke", switch="adaptive", measure_every=1, progress=False)
    watching = ws.monitor(run, every=3600)
    watching.close()
    assert watching.bar.max == 3
    assert 'aria-label="optimal moves: ' in watching.view.curves.value
    assert 'aria-label="balance: ' in watching.view.curves.value


def test_a_run_that_trains_elsewhere_is_watched(root: Path):
    run = ws.train("gobang", "baseline", 2, preset="smoke", wait=False)
    watching = ws.monitor(run, every=0.2)
    until = time.monotonic() + 120
    while "finished" not in watching.text.value and time.monotonic() < until:
        time.sleep(0.2)
    watching.close()
    assert watching.text.value.startswith("iteration 2 of 2; finished")
    assert run.network.look("gobang").policy.sum() == pytest.approx(1)


def test_a_run_whose_own_process_fails_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path))
    (tmp_path / "state").touch()
    run = ws.train("gobang", "baseline", 2, preset="smoke", wait=False)
    assert repr(run).endswith("of which none ended so far; monitor(run) watches it")
    until = time.monotonic() + 120
    while "stopped" not in repr(run) and time.monotonic() < until:
        time.sleep(0.2)
    assert re.search(r"its process has stopped: .*state", repr(run))


def test_without_runs_the_monitor_says_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path))
    watching = ws.monitor(every=3600)
    watching.close()
    assert watching.text.value == "No run is stored here yet: train(…) makes one."
    with pytest.raises(ParameterError, match="there is no run 'nothing' in the store"):
        ws.monitor("nothing")
    with pytest.raises(ParameterError, match="every = 'often' is not allowed: it should be seconds"):
        ws.monitor(every="often")


# --- the list of runs -------------------------------------------------------------------------------------------------


def test_a_row_of_the_list_leads_to_its_network_games_and_curves(root: Path):
    listed = ws.browse()
    everything = len(listed.list.options)
    listed.word.value = "smoke"
    assert 0 < len(listed.list.options) < everything
    listed.list.index = 0
    assert listed.chosen.log["a_game"].notna().all()
    assert "<polyline" in listed.view.curves.value and "<svg" in listed.view.games.value
    board, buttons, below = listed.network.children
    assert sum(board.layers[0].values.values()) == pytest.approx(1)
    buttons.children[0].click()
    assert below.children[0].player.network is listed.chosen.network


def test_every_published_run_of_the_list_can_be_opened(root: Path):
    runs = ws.runs()
    published = runs[(runs["results"] == "published") & runs["accepted"].notna()]
    for unit in published["unit"].iloc[[0, len(published) // 2, -1]]:
        assert len(ws.run(unit).log) == published.set_index("unit").loc[unit, "iterations"]


def test_a_run_that_is_not_there_gets_a_sentence(root: Path):
    with pytest.raises(ParameterError, match="there is no run 'zzz'"):
        ws.run("zzz")
