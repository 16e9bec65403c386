"""The record of what a run's network saw: what is in data is what today's code computes."""

import pandas as pd
import pytest

from wslib.files import published_root
from wslib.games import game
from wslib.study.engine.networks import published_network
from wslib.study.engine.sights import POSITIONS, sights
from wslib.study.pages.learning import OneRun
from wslib.study.presets import preset
from wslib.study.report.play import what_it_saw


def recorded() -> pd.DataFrame:
    return pd.read_csv(published_root() / "sights" / "sights.csv", keep_default_na=False, dtype={"move": str})


def test_the_record_is_that_of_the_run_on_the_page():
    table = recorded()
    assert set(table["run"]) == {OneRun().run.id}
    assert set(table["iteration"]) == set(range(OneRun().iterations + 1))
    sums = table.groupby(["iteration", "position"])["p"].sum()
    assert sums.between(0.999, 1.001).all()


def test_the_first_iterations_are_computed_anew_alike():
    table = recorded()
    first = table[table["iteration"] <= 1].reset_index(drop=True)
    pd.testing.assert_frame_equal(sights(OneRun().run, 1), first)


def test_in_every_position_there_is_something_to_see():
    for name, (start, key) in POSITIONS.items():
        board = game(name)
        assert not board.position(start).history and not board.position(key).is_over
        wins = [a for a in board.position(key).legal if board.position(key).act(a).winner is not None]
        assert wins or 0 in board.position(key).legal, "a move that wins at once, or a corner"


def test_a_run_without_a_record_gets_a_sentence():
    assert "Not computed yet" in what_it_saw(preset("smoke", game="othello", method="rave", seed=9)).text


def test_the_last_network_of_the_record_is_the_published_one():
    run, table = OneRun().run, recorded()
    board, network = game(run.game), published_network(run, OneRun().iterations)
    for moves, rows in table[table["iteration"] == OneRun().iterations].groupby("position"):
        position = board.position(moves)
        policy, value = network.evaluate(position.planes[None])
        legal = policy[0, list(position.legal)] / policy[0, list(position.legal)].sum()
        # The published weights are rounded to float16.
        assert rows["p"].to_numpy() == pytest.approx(legal, abs=0.01)
        assert rows["value"].iloc[0] == pytest.approx(float(value[0]), abs=0.01)
