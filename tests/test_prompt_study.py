"""The study at a prompt: runs, trained networks and tournaments in a line or two, the same results as everywhere."""

import io
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import wslib as ws
from wslib.parameters import ParameterError
from wslib.study.engine import units as study
from wslib.study.engine.cli import main
from wslib.study.engine.networks import network_file
from wslib.study.engine.runs import RunUnit, SwitchUnit
from wslib.study.engine.store import LocalStore
from wslib.study.engine.tournament import NetworkEntrant, pair
from wslib.study.presets import preset
from wslib.study.prompt import Run
from wslib.training.settings import RunSettings

BOARD = "connect4-5x5-k4"
"""A game of which nothing is published."""
TINY = {"preset": "smoke", "progress": False}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("store")
        patch.setenv("WSLIB_STORE", str(folder))
        yield folder


@pytest.fixture(scope="module")
def run(store):
    return ws.train(BOARD, method="wrora", iterations=3, **TINY)


# --- what is natural to type ------------------------------------------------------------------------------------------


NATURAL = {
    "set up a position": "p = ws.game('connect4').position('4 4 3')\np",
    "play a move": "p.play('4')",
    "search a position": "ws.search(p)",
    "search on": "ws.search(p, method='rave').more(100)",
    "look into the tree": "ws.search(p).tree()",
    "make a network": "ws.network('connect4')",
    "ask a network about a position": "ws.network('connect4').look(p)",
    "search with all six methods": "ws.search(p, ws.network('connect4'), methods='all')",
    "let two players meet": "ws.match('connect4', 'mcts', 'random', games=4)",
    "let a function play": "ws.match('connect4', lambda position: position.moves[0], 'random', games=4)",
    "solve a position": "ws.solve(ws.game('tictactoe').position('a1 b1'))",
    "train three iterations": "run = ws.train('connect4', method='wrora', iterations=3, preset='smoke')\nrun",
    "draw its curves": "run.curves()",
    "look at its games": "ws.draw.boards(run.games)",
    "search with its network": "ws.search(p, run.network, method='wrora')",
    "load a trained network": "ws.trained('connect4', 'wrora', seed=0)",
    "rate a tournament": "ws.tournament({'trained': run.network, 'plain': 'mcts'}, games=2)",
    "list all runs": "ws.runs()",
}


@pytest.fixture(scope="module")
def prompt(store):
    run = ws.train("connect4", method="wrora", iterations=3, **TINY)
    return {"ws": ws, "p": ws.game("connect4").position("4 4"), "run": run}


@pytest.mark.parametrize("what", NATURAL)
def test_what_is_natural_takes_two_lines_at_most_and_prints_and_draws_itself(what, prompt):
    *before, last = NATURAL[what].splitlines()
    assert len(before) < 2
    exec("\n".join(before), prompt)
    shown = eval(last, prompt)
    assert len(repr(shown)) > 20 and " object at " not in repr(shown)
    assert shown._repr_html_().startswith("<")


# --- runs -------------------------------------------------------------------------------------------------------------


def test_three_iterations_are_trained_and_can_be_looked_into(run):
    assert list(run.log["iteration"]) == [1, 2, 3]
    assert len(run.games) == 3 and all(end.is_over for end in run.games)
    assert "3 iterations" in repr(run) and "<svg" in run._repr_html_() and "value loss" in run.curves().text
    assert run.network.look(BOARD).policy.shape == (5,)


def test_whoever_looks_at_a_run_that_still_trains_sees_how_far_it_is_and_trains_nothing(run, monkeypatch):
    for computes in ("compute_unit", "table"):
        monkeypatch.setattr(study, computes, lambda *_, **__: pytest.fail("to look at a run trained it"))
    further, begun = replace(run, iterations=9), replace(run, settings=run.settings.model_copy(update={"seed": 77}))
    assert f": 9 iterations, of which {len(run.log)} ended so far; monitor(run) watches it\n" in repr(further)
    assert len(further.games) == len(run.log) and "so far" in further._repr_html_()
    assert repr(begun).endswith("of which none ended so far; monitor(run) watches it") and begun.games == ()
    assert "so far" in begun._repr_html_()
    with pytest.raises(ParameterError, match="there are no curves yet"):
        begun.curves()


def test_the_first_iterations_of_a_published_run_are_read_from_the_whole_run(monkeypatch):
    published = ws.trained("connect4", "wrora").run
    monkeypatch.setattr(study, "compute_unit", lambda *_, **__: pytest.fail("to look at a run trained it"))
    begun = replace(published, iterations=7)
    assert begun.log.equals(published.log.head(7)) and ": 7 iterations\n" in repr(begun)
    assert ws.run(published.id).log.equals(published.log), "and not the log of an earlier version of the results"


def test_every_run_that_is_listed_opens_and_one_without_a_network_says_so():
    listed = ws.runs().drop_duplicates("results", keep="first")
    listed = pd.concat([listed, ws.runs().query("game == 'Gobang' and preset == 'table'").head(1)])
    assert {"published", "first edition"} <= set(listed["results"])
    for unit, results in zip(listed["unit"], listed["results"], strict=True):
        opened = ws.run(unit)
        assert len(opened.log) == opened.iterations and opened._repr_html_()
        if results == "first edition":
            assert "(of an earlier version)" in repr(opened) and opened != replace(opened, apart="")
            with pytest.raises(ParameterError, match=r"this run has no network \(of an earlier version\); trained"):
                _ = opened.network


def test_of_published_results_none_is_listed_as_ones_own_and_a_runs_whole_id_shows_it(run, capsys):
    assert main(["runs", "--own"]) == 0
    assert all(line.endswith("computed here") for line in capsys.readouterr().out.splitlines()[1:])
    for unit, known in (("7a09f5f1528fb15303ec", 'ws.trained(run="7a09f5f1528fb15303ec", iteration=100)'),
                        ("fef27f0440cf0cf235a5", 'ws.run("fef27f0440cf0cf235a5"), without its network')):  # fmt: skip
        assert main(["show", unit]) == 0
        assert capsys.readouterr().out.endswith(f"\nat a prompt: {known}\n")


def test_a_run_that_ended_at_its_switch_shows_its_balances(store):
    study.compute_unit(SwitchUnit(run=preset("smoke", game=BOARD, method="rave", switch="adaptive"), most=2), store)
    (unit,) = LocalStore(store).latest("switch")
    run = ws.run(unit)
    assert "(computed up to its switch)" in repr(run) and "balance" in run.log and run.games == ()
    for ask in (lambda: run.network, run.curves):
        with pytest.raises(ParameterError, match="computed up to its switch"):
            ask()


def test_a_run_of_the_prompt_is_the_run_of_the_study_with_these_settings(run, store):
    settings = preset("smoke", game=BOARD, method="wrora")
    assert run.id == settings.id
    assert LocalStore(store).read("run", RunUnit(run=settings, iterations=3).id).summary["iterations"] == 3
    assert run.network.save(store / "a").read_bytes() != b"" and network_file(settings, 3)


def test_what_has_been_trained_is_read_and_gone_on_with(run, monkeypatch):
    longer = ws.train(BOARD, method="wrora", iterations=4, **TINY)
    assert longer.log[:3].equals(run.log)
    monkeypatch.setattr(study, "compute_unit", lambda *_, **__: pytest.fail("it was trained again"))
    assert ws.train(BOARD, method="wrora", iterations=4, **TINY).log.equals(longer.log)


def test_all_runs_are_one_frame_with_the_own_ones_in_it(run):
    frame = ws.runs()
    own = frame[frame["experiment"] == "own"]
    assert {"game", "method", "seed", "preset", "iterations", "results"} <= set(frame)
    assert "published" in set(frame["results"])
    assert BOARD in set(own["game"]) and set(own["preset"]) == {"smoke"}


# --- networks ---------------------------------------------------------------------------------------------------------


def test_a_row_of_the_list_of_runs_stays_on_a_line(store, capsys):
    ws.train(BOARD, method="rave", iterations=2, policy="q_rave", amaf_players="first", **TINY)
    ws.train(BOARD, method="rave", iterations=2, policy="q_rave", **TINY)
    assert main(["runs"]) == 0
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) < 150
    assert "smoke, policy = q_rave " in printed and "smoke, amaf_players = f… " in printed


def test_runs_that_differ_in_how_their_warm_start_ends_look_different(store):
    made = [RunSettings(game=BOARD, method="wrora"), RunSettings(game=BOARD, method="wrora", switch="adaptive"),
            RunSettings(game=BOARD, method="wrora", warm_iterations=1), RunSettings(game=BOARD)]  # fmt: skip
    told = [repr(Run(run, 3)).split(" in ")[0] for run in made]
    kinds = ("warm start: 5 iterations", "warm start: adaptive", "warm start: 1 iteration")
    assert told == [*(f"wrora ({kind})" for kind in kinds), "baseline"]


def test_networks_that_there_are_are_listed_and_taken_by_game_and_method(run):
    listed = ws.trained(BOARD)
    assert {"game", "method", "seed", "iteration", "results", "run"} <= set(listed) and run.id in set(listed["run"])
    network = ws.trained(BOARD, "wrora", seed=0, iteration=2)
    assert "wrora (warm start: 5 iterations), seed 0, after 2 iterations" in repr(network)
    again = ws.trained(run=run.id[:8], iteration=2)
    planes = ws.game(BOARD).start().planes[None]
    assert np.array_equal(network.evaluate(planes)[0], again.evaluate(planes)[0])
    assert network.run.log.equals(run.log[:2])


def test_the_list_of_networks_keeps_to_what_is_asked_for(run):
    assert set(ws.trained("connect4", switch="adaptive")["warm start"]) == {"adaptive"}
    assert set(ws.trained("connect4", seed=3)["seed"]) == {3}
    assert len(ws.trained(BOARD, iteration=10_000)) == 0 < len(ws.trained(BOARD, iteration=2))


def test_of_several_runs_the_one_nearest_to_table_5_2_is_taken(run):
    nearer = ws.train(BOARD, "wrora", 1, channels=32, **TINY)
    assert ws.trained(BOARD, "wrora").run.id == nearer.id


# --- tournaments ------------------------------------------------------------------------------------------------------


def test_a_tournament_rates_itself_and_knows_the_game_from_its_networks(run):
    met = ws.tournament({"trained": run.network, "cold": ws.network(BOARD, channels=4), "b": "random"}, games=2)
    assert set(met.table()["player"]) == {"trained", "cold", "b"} and len(met.results) == 3
    assert "3 players, 6 games" in repr(met) and "<table" in met._repr_html_()


def test_a_tournament_has_the_games_that_the_study_would_have(run, store):
    mcts, kept = ws.player("mcts", simulations=10), ws.trained(run=run.id, iteration=2)
    met = ws.tournament({"trained": kept, "mcts": mcts}, games=4, progress=False)
    unit = pair(BOARD, NetworkEntrant(run=run.settings, iteration=2), mcts, games=4)
    assert met.results["unit"].tolist() == [unit.id]
    assert LocalStore(store).read("pair", unit.id).summary["distinct"] == met.results["distinct"].iloc[0]


def test_the_order_in_which_players_are_named_changes_nothing():
    players = {"first": lambda position: position.moves[0], "random": "random"}
    one = ws.tournament(players, "tictactoe", games=6)
    other = ws.tournament(dict(reversed(players.items())), "tictactoe", games=6)
    assert one.table().equals(other.table())


def test_a_match_is_rated_too():
    rating = ws.rate(ws.match("tictactoe", ws.player("mcts", simulations=200), "random", games=20))
    assert rating["A"] > rating["B"]


def test_few_games_are_rated_with_given_values_of_draws_and_the_first_move():
    met = ws.tournament({"strong": ws.player("mcts", simulations=300), "weak": "random"}, "connect4", games=2)
    assert met.rating["strong"] > met.rating["weak"] and "given" in repr(met)


# --- at the command line ----------------------------------------------------------------------------------------------


def test_one_plays_against_what_was_trained_at_the_command_line(run, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("3\nquit\n"))
    assert main(["play", BOARD, "--against", "wrora", "--simulations", "10"]) == 0
    assert "O plays" in capsys.readouterr().out
    assert main(["play", "connect4-6x7", "--against", "wro"]) == 2
    assert "there is no network of 'wro' in connect4-6x7, seed 0" in capsys.readouterr().err


# --- what is wrong ----------------------------------------------------------------------------------------------------


TABLE = pd.DataFrame({"first": ["a"], "second": ["b"], "wins": [1], "draws": [0]})
WRONG = {
    "no such network": (lambda: ws.trained("gobang", "wro", seed=70), "there is no network of 'wro' in gobang"),
    "no such method": (
        lambda: ws.trained(BOARD, "wroar"),
        f"'wroar' in {BOARD}, seed 0: there are those with method",
    ),
    "no such seed": (lambda: ws.trained(BOARD, "wrora", seed=99), "seed 99: there are those with seed 0"),
    "no game for a method": (lambda: ws.trained(method="wrora"), "name it, as in trained('connect4', 'wrora')"),
    "no settings of a rating": (
        lambda: ws.rate(ws.match("tictactoe", "mcts", "rave", 2), 3),
        "rating = 3 is not allow",
    ),
    "no device": (lambda: ws.train("connect4", device="gpu"), "device = 'gpu' is not allowed: it should be 'auto', 'c"),
    "not kept": (lambda: ws.trained(BOARD, "wrora", iteration=9), "iteration 9: it should be one of 1, 2"),
    "no run": (lambda: ws.trained(run="zzz"), "there is no network of run 'zzz'"),
    "no method": (lambda: ws.train("connect4", "best"), "method = 'best' is not allowed: it should be 'baseline', "),
    "no preset": (lambda: ws.train("connect4", preset="huge"), "there is no preset 'huge': the presets are smoke, la"),
    "an option": (
        lambda: ws.train("connect4", lr=1),
        "no parameter 'lr' here (did you mean 'learning_rate'?): the parameters are ",
    ),
    "iterations": (lambda: ws.train("connect4", iterations="few"), "iterations = 'few' is not allowed"),
    "a list for a method": (
        lambda: ws.train("connect4", ["wro"]),
        "method = ['wro'] is not allowed: it should be b",
    ),
    "layers": (lambda: ws.train("connect4", hidden=3), "hidden = 3 is not allowed: it should be a list"),
    "too few": (
        lambda: ws.train("connect4", "wro", weights=[]),
        "weights = [] is not allowed: it should be a list of 1",
    ),
    "rated games": (lambda: ws.rate(3), "3 is no match and no table of results: tournament"),
    "no rating": (
        lambda: ws.tournament(["mcts", "rave"], "gobang", rating=3),
        "rating = 3 is not allowed: it should",
    ),
    "no players": (lambda: ws.tournament("mcts"), "'mcts' are no players: give them by name"),
    "a player twice": (
        lambda: ws.tournament(["mcts", "mcts"], "gobang"),
        "'mcts' is there twice: name the players, as {",
    ),
    "no numbers": (
        lambda: ws.rate(TABLE.assign(losses="x")),
        "a against b has 1 wins, 0 draws, x losses: counts should",
    ),
    "one player": (lambda: ws.tournament({"a": "mcts"}), "a tournament has 2 players or more, not 1"),
    "no game": (lambda: ws.tournament(["mcts", "rave"]), "name it, as game='connect4'"),
    "no player": (lambda: ws.tournament({"a": 3, "b": "mcts"}, "gobang"), "3 is no player: give a name"),
    "odd games": (lambda: ws.tournament(["mcts", "rave"], "gobang", games=3), "games = 3 is not allowed"),
}


@pytest.mark.parametrize("which", WRONG)
def test_what_is_wrong_is_answered_by_one_sentence_that_says_what_is_right(which, run):
    typed, sentence = WRONG[which]
    with pytest.raises(ParameterError, match=re.escape(sentence)) as error:
        typed()
    assert "\n" not in str(error.value)


def test_a_network_of_another_game_meets_nobody(run):
    with pytest.raises(ParameterError, match=r"a network of connect4-5x5-k4 cannot play othello-6x6"):
        ws.tournament({"a": ws.trained(run=run.id), "b": "mcts"}, "othello")


# --- the README -------------------------------------------------------------------------------------------------------


def test_the_lines_of_the_readme_run_as_typed(store, capsys):
    text = Path(ws.__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    space: dict = {}
    for line in filter(None, block.splitlines()):
        exec(compile(line, "README.md", "single"), space)
    assert {"ws", "position", "run"} <= set(space)
    shown = capsys.readouterr().out
    assert "WRoRa" in shown and "3 players, 60 games" in shown and "wrora" in shown
