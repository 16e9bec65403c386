"""Matches of untrained networks in other readings, and with their first moves drawn from the policy."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drivers import MadeUpNetwork

from wslib.games import game
from wslib.parameters import ParameterError
from wslib.play import NetworkPlayer, match
from wslib.play.players import move
from wslib.search import GuidedSettings
from wslib.search.guided import GuidedSearch
from wslib.study.claims.untrained import against_baseline
from wslib.study.engine.runs import UntrainedUnit
from wslib.study.pages.learning import SAMPLED, Untrained
from wslib.study.report import untrained as report

SMALL = {"game": "connect4-5x5", "a": "rave", "b": "baseline", "games": 4, "simulations": 8, "channels": 4}
OPTIONS = {"amaf_players": "first", "equivalence": 30.0, "ties": "first", "sampled_plies": 5}


def test_options_that_are_as_usual_move_no_id_and_others_each_make_another():
    usual = UntrainedUnit(game="connect4", a="rollout", b="baseline")
    assert usual.id == "726f42cdea6653e3d43b"
    assert not usual.canonical().keys() & OPTIONS.keys()
    rave = UntrainedUnit(**SMALL)
    assert rave.id == UntrainedUnit(**SMALL, amaf_players="own", equivalence=8, ties="random", sampled_plies=0).id
    assert len({rave.id, *(UntrainedUnit(**SMALL, **{n: v}).id for n, v in OPTIONS.items())}) == 5


def test_both_players_play_by_the_reading_and_draw_as_many_plies():
    unit = UntrainedUnit(**SMALL, **OPTIONS)
    rave, baseline = (unit._player("a network", method, "visits") for method in ("rave", "baseline"))
    assert rave.settings == GuidedSettings(
        method="rave", simulations=8, amaf_players="first", equivalence=30, ties="first"
    )
    assert baseline.settings == GuidedSettings(simulations=8, ties="first")
    assert rave.sampled_plies == baseline.sampled_plies == 5


@pytest.mark.parametrize("option", ["amaf_players", "equivalence"])
def test_an_option_of_rave_where_nobody_has_rave_is_refused(option: str):
    with pytest.raises(ParameterError, match=f"{option} belongs to methods with RAVE: neither 'wro' nor 'baseline' is"):
        UntrainedUnit(**{**SMALL, "a": "wro", option: OPTIONS[option]})


def test_without_any_chance_one_network_plays_one_game_and_drawn_moves_make_many(tmp_path: Path):
    same = {**SMALL, "a": "baseline", "networks": "one", "ties": "first", "games": 10}
    assert UntrainedUnit(**same).compute_in(tmp_path).summary["distinct"] == 1
    assert UntrainedUnit(**same, sampled_plies=4).compute_in(tmp_path).summary["distinct"] > 5


@pytest.mark.parametrize("opening_plies", [0, 3])
def test_the_plies_of_a_game_in_which_a_player_draws_are_counted_from_its_start(opening_plies: int, monkeypatch):
    board, decide = game("othello"), GuidedSearch.decide
    drawn: dict[int, list[bool]] = {}  # by ply: no pass is possible in the first plies, so that stones count them

    def watched(search, games, own, opp, sampled):
        for ply, is_drawn in zip(np.bitwise_count(own | opp) - 4, sampled, strict=True):
            drawn.setdefault(int(ply), []).append(bool(is_drawn))
        return decide(search, games, own, opp, sampled)

    monkeypatch.setattr(GuidedSearch, "decide", watched)
    player = NetworkPlayer(MadeUpNetwork(board), GuidedSettings(simulations=4), sampled_plies=5)
    match(board, player, player, games=2, opening_plies=opening_plies)
    assert min(drawn) == opening_plies and max(drawn) > 20
    for ply, sampled in drawn.items():
        assert sampled == [ply < 5] * len(sampled)


def test_a_single_move_is_never_drawn():
    board = game("connect4")
    settings = GuidedSettings(simulations=30)
    players = [NetworkPlayer(MadeUpNetwork(board), settings, sampled_plies=plies) for plies in (0, 15)]
    for seed in range(8):
        assert len({move(player, board.start(), seed) for player in players}) == 1


# --- the page -----------------------------------------------------------------------------------------------------


def test_the_page_asks_for_each_reading_where_it_changes_something():
    labels = Untrained().labels().query("part == 'reading'")
    assert set(labels["b"]) == {"baseline"}
    for reading, changes in Untrained.READINGS.items():
        acts = {"rave", "rora", "wrora"} if {"amaf_players", "equivalence"} & changes.keys() else {"rollout", "wro"}
        asked = set(labels.loc[labels["reading"] == reading, "a"])
        assert acts <= asked and (acts == asked) == ("rave" in acts)
    units = [unit for unit, labels in Untrained().asked() if labels.get("reading") == SAMPLED]
    assert {unit.sampled_plies for unit in units} == {15} and len(units) == 15


def matches(rows: list[tuple[str, str, str, int]]) -> pd.DataFrame:
    """Matches of a hundred games against Baseline: reading, game, enhancement, games won (the others lost)."""
    frame = pd.DataFrame(rows, columns=["reading", "board", "a", "wins_first"])
    counts = dict.fromkeys(("draws_first", "losses_first", "wins_second", "draws_second"), 0)
    frame = frame.assign(b="baseline", games=100, distinct=100, unit=[str(i) for i in range(len(rows))], **counts)
    frame["losses_second"] = 100 - frame["wins_first"]
    return frame.assign(part=frame["reading"].map({"": "matrix"}).fillna("reading"))


def test_a_reading_is_compared_with_the_default_and_with_the_print():
    thesis = pd.DataFrame({"game": "gobang", "enhancement": ["Rollout", "Rave"], "win_pct": [65.0, 43.0]})
    played = matches([("", "gobang", "rollout", 80), ("", "gobang", "rave", 50), ("near", "gobang", "rave", 44),
                      ("far", "gobang", "rollout", 95), (SAMPLED, "gobang", "rollout", 40),
                      (SAMPLED, "gobang", "rave", 51)])  # fmt: skip
    found = report.in_readings(played, thesis)
    assert found["change"].tolist() == pytest.approx([-0.06, 0.15, -0.40, 0.01])
    assert [r.low < r.change < r.high for r in found.itertuples()] == [True] * 4
    text = report.in_readings_prose(found, ["near", "far"])
    assert text == (
        "In Gobang *near* comes nearer to the printed win rates than the default: it is 1.0 points from them on "
        "average, the default 7.0 in the same cells."
    )
    assert report.in_readings_prose(found, ["far"]).startswith("In Gobang none comes nearer")
    sampled = report.sampling_table(found).text.splitlines()[-1]
    assert sampled.split() == ["Gobang", "65.0", "45.5", "1", "of", "2", "Rollout"]
    cells = against_baseline(played, thesis)
    assert "44.0" in report.in_readings_table(found, cells).html
