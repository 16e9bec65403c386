"""The recipes of CONTRIBUTING: their code is run as it stands there, and what it adds is used."""

import re
import sys
from pathlib import Path
from random import Random
from textwrap import dedent

import numpy as np
import pytest
import test_guided
from drivers import Fast, Guided, MadeUpNetwork
from test_search_reference import POSITIONS, assert_same, states

from wslib import draw
from wslib.check import check_game
from wslib.games import GAMES, Position, game, rules
from wslib.parameters import ParameterError
from wslib.perfect.solver.solution import solve
from wslib.play import match, player
from wslib.prompt.searches import search
from wslib.search import GUIDED, GuidedSettings, SearchSettings, methods, plain
from wslib.search.guided import GuidedSearch
from wslib.study.pages.catalogue import EXPERIMENTS
from wslib.study.presets import preset
from wslib.training import loop, settings

CONTRIBUTING = Path(__file__).resolve().parent.parent / "CONTRIBUTING.md"


def code_of(recipe: str) -> list[str]:
    """The pieces of code under a heading of CONTRIBUTING."""
    section = CONTRIBUTING.read_text(encoding="utf-8").split(f"## {recipe}\n")[1].split("\n## ")[0]
    return [dedent(code) for code in re.findall(r"^ *```python\n(.*?)^ *```", section, re.DOTALL | re.MULTILINE)]


# --- an enhancement ---------------------------------------------------------------------------------------------------


@pytest.fixture
def larger(monkeypatch):
    """The enhancement of the recipe, added to the fast search and to the plain one for the time of a test."""
    for table in (GUIDED, plain.LEAVES, vars(methods)):
        monkeypatch.setitem(table, "larger", None)  # so that it is gone afterwards
    fast, slow = code_of("Add an enhancement")
    exec(fast, vars(methods))
    exec(slow, vars(plain))
    return "larger"


@pytest.mark.parametrize("rave", [False, True])
@pytest.mark.parametrize("name", ["tic-tac-toe", "Othello, middle", "Connect Four 6x7", "Gobang"])
def test_a_new_enhancement_is_the_plain_search_s_simulation_by_simulation(larger, name, rave, monkeypatch):
    monkeypatch.setitem(GUIDED, larger, GUIDED[larger]._replace(rave=rave))
    monkeypatch.setitem(test_guided.LEAVES, larger, (larger, rave))
    monkeypatch.setattr(test_guided, "RAVE", {larger} if rave else set())
    root, options = POSITIONS[name], GuidedSettings(method=larger, simulations=1)
    network = MadeUpNetwork(root.game)
    searching = GuidedSearch(root.game, options, network, test_guided.streams(1))
    fast, slow = Guided(searching, 0), test_guided.plain_search(options, network, searching.streams[0])
    for _ in range(40):
        path = slow.simulate(root)
        searching.run(np.zeros(1, int), *test_guided.words([root]))
        assert fast.path(len(path)) == states(path)
        assert_same(fast, slow)


def test_a_new_enhancement_searches_plays_and_learns_like_the_others(larger):
    board = game("connect4")
    found = search(board, MadeUpNetwork(board), methods="all", simulations=20)
    assert list(found)[-1] == larger and "Larger" in repr(found)
    trees = {tuple(found[method].visits) for method in ("baseline", "rollout", larger)}
    assert len(trees) == 3, "it is neither of the two that it is made of"
    assert len(match(board, player(larger, MadeUpNetwork(board), simulations=8), "random", games=2)) == 2
    run = preset("smoke", game="connect4", method=larger, warm_iterations=1)
    state, phases = loop.start(run), []
    for _ in range(2):
        state, told = loop.advance(run, state)
        phases.append(told["phase"])
    assert phases == [larger, "baseline"]


def test_a_new_enhancement_is_named_where_methods_are_listed(larger):
    for make in (GuidedSettings, lambda method: settings.RunSettings(game="connect4", method=method)):
        with pytest.raises(ParameterError, match=r"'wrora'(,| or) 'larger'"):
            make(method="largest")
    with pytest.raises(ParameterError, match=r"weight acts in 'wro' and 'wrora' only, not in 'larger'"):
        GuidedSettings(method=larger, weight=0.5)


def test_a_new_enhancement_changes_nothing_that_the_study_asks_for(monkeypatch):
    asked = {name: [unit.id for unit in EXPERIMENTS[name]().units()] for name in ("untrained", "warmstart")}
    monkeypatch.setitem(GUIDED, "larger", methods.Method(methods.mixture, True, "Larger"))
    assert asked == {name: [unit.id for unit in EXPERIMENTS[name]().units()] for name in asked}


# --- a game -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hex_board():
    """The game of the recipe, 4×4."""
    names = dict(vars(rules)) | vars(sys.modules["wslib.games.position"])
    (code,) = code_of("Add a game")
    exec(code, names)
    yield game("hex")
    del GAMES["hex"]


def joined(position: Position, player: int) -> bool:
    """Whether a player's stones join their two sides, found cell by cell."""
    rows, cols = np.nonzero(position.board == (1, -1)[player])
    stones, last = set(zip(rows, cols, strict=True)), (position.game.rows, position.game.cols)[player] - 1
    reached = {stone for stone in stones if stone[player] == 0}
    while True:
        near = {(r + down, c + right) for r, c in reached for down, right in ((0, 1), (1, 0), (1, -1))}
        near |= {(r - down, c - right) for r, c in reached for down, right in ((0, 1), (1, 0), (1, -1))}
        if near & stones <= reached:
            return any(stone[player] == last for stone in reached)
        reached |= near & stones


def test_a_new_game_keeps_all_promises_and_is_won_by_whom_its_rules_say(hex_board):
    assert hex_board.title == "Hex 4×4" and hex_board.id == "hex-4x4" and game("hex-4x4") == hex_board
    assert check_game("hex", games=10) > 60
    random = Random(4)
    for _ in range(30):
        position = hex_board.start()
        while not position.is_over:
            assert not joined(position, 0) and not joined(position, 1)
            position = position.act(random.choice(position.legal))
        assert joined(position, position.winner), "Hex has no draws"


def test_a_new_game_draws_itself_and_reads_what_it_prints(hex_board):
    position = hex_board.position("a1 b2 c3")
    assert hex_board.parse(str(position)) == position
    assert "Hex 4×4, O to move; X: a1 c3; O: b2" in draw.board(position).svg
    assert len(position.game.symmetries) == 2


def test_a_new_game_is_refused_by_the_solver_that_does_not_know_it(hex_board):
    with pytest.raises(ParameterError, match="Hex 'hex' cannot be solved: othello, connect4, gobang can"):
        solve(hex_board)


def test_a_new_game_is_played_by_every_player(hex_board):
    assert search(hex_board.position("b1 a1 b2 a2 b3 a3"), simulations=200).best in ("b4", "a4")
    for name in ("mcts", "rave", "rhea"):
        assert match(hex_board, player(name), "random", games=20).win_rate > 0.7
    found = search(hex_board, MadeUpNetwork(hex_board), methods="all", simulations=30)
    assert all(result.visits.sum() == 29 for result in found.values())


@pytest.mark.parametrize("method", ["mcts", "rave"])
def test_a_new_game_is_searched_as_the_plain_search_does(hex_board, method):
    root = hex_board.start()
    fast = Fast(root, SearchSettings(method=method), seed=1)
    slow = plain.Search(fast.streams.copy(), fast.settings)
    for _ in range(60):
        slow.simulate(root)
        fast.simulate(root)
        assert_same(fast, slow)


def test_a_new_game_is_learned(hex_board):
    run = preset("smoke", game="hex", method="wrora", warm_iterations=1, shape="dense")
    state = loop.start(run)
    for _ in range(2):
        state, told = loop.advance(run, state)
    assert told["iteration"] == 2 and told["plies_mean"] <= 16 and state.network.settings.game == "hex-4x4"


# --- a weight schedule ------------------------------------------------------------------------------------------------


def test_a_weight_schedule_is_a_function_of_the_iteration():
    names = dict(vars(settings))
    (code,) = code_of("Add a weight schedule")
    exec(code, names)
    run = names["settings"]
    assert [run.warm_search(i).weight for i in range(1, 8)] == [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16, 1 / 16]
