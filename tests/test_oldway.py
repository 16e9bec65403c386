"""The old way of playing tournaments: who sits at the table, what is kept from game to game, and what is reported."""

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wslib.games import game
from wslib.parameters import ParameterError
from wslib.play import player
from wslib.play import players as seats
from wslib.search.guided import GuidedSearch
from wslib.study.claims import ways
from wslib.study.engine import store as storing
from wslib.study.engine.states import train
from wslib.study.engine.tournament import NetworkEntrant, PairUnit, pair
from wslib.study.pages.old_way import WAYS, WHOLE, OldWayUnit, PublishedTournaments, one_table, seated, way_unit
from wslib.study.pages.warm import Warmstart
from wslib.study.presets import preset
from wslib.study.report import oldway as report
from wslib.study.report.oldway import RATED
from wslib.study.statistics import decide

RUNS = 8


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which eight runs have learned for one iteration."""
    root = tmp_path_factory.mktemp("eight")
    for entrant in entrants().values():
        train(entrant.run, 1, root)
    return root


@pytest.fixture(autouse=True)
def nothing_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "published_root", lambda: tmp_path / "data")


def entrants() -> dict[str, NetworkEntrant]:
    runs = [preset("smoke", game="connect4", seed=seed) for seed in range(RUNS)]
    return {f"baseline-{run.seed}": NetworkEntrant(run=run, iteration=1) for run in runs}


def answers(network) -> bytes:
    planes = np.random.default_rng(0).integers(-1, 2, (4, 1, 6, 6)).astype(np.float32)
    return b"".join(answer.tobytes() for answer in network.evaluate(planes))


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[GuidedSearch]:
    """Every search that sits down, in order."""
    found: list[GuidedSearch] = []

    class Watched(GuidedSearch):
        def __init__(self, *given):
            super().__init__(*given)
            found.append(self)

    monkeypatch.setattr(seats, "GuidedSearch", Watched)
    return found


def test_eight_players_are_eight_networks_with_eight_trees(trained: Path, watched: list[GuidedSearch]):
    # The author's programs make their players in a loop; all of them turn out to be the last one, with one tree.
    named = entrants()
    own = {name: answers(seated(entrant, trained).network) for name, entrant in named.items()}
    assert len(set(own.values())) == RUNS
    for one, two in combinations(named, 2):
        watched.clear()
        unit = way_unit("old", "connect4", named[one], named[two], games=2)
        unit.compute_in(trained)
        assert len(watched) == 2, "each player sits down once for all games"
        names = [one, two] if unit.a == named[one] else [two, one]
        for name, search in zip(names, watched, strict=True):
            assert answers(search.network) == own[name]
        a, b = watched
        assert a.network is not b.network
        for field in ("nodes", "edges", "slots", "used"):
            assert not np.shares_memory(getattr(a.forest, field), getattr(b.forest, field))
        assert not np.shares_memory(a.memory.value, b.memory.value)


@pytest.mark.parametrize("way", WAYS)
def test_a_players_tree_outlives_a_game_exactly_where_trees_are_kept(
    way: str, trained: Path, watched: list[GuidedSearch]
):
    one, two, *_ = entrants().values()
    games = 4
    played = way_unit(way, "connect4", one, two, games).compute_in(trained)
    kept = way in ("trees kept", "old")
    for search in watched:
        assert len(search.forest.used) == (1 if kept else games)
    rows = played.tables["games"]
    assert len(rows) == games
    assert all(rows["opening"] == "") == (way in ("empty board", "old"))
    assert rows["a_first"].sum() == games / 2


def test_a_tree_grows_from_game_to_game():
    board = game("tictactoe")
    sizes = []

    def peeking(seat):
        choose = seat.choose

        def peek(*given):
            sizes.append(int(seat.forest.used[0, 0]))
            return choose(*given)

        seat.choose = peek
        return seat

    original = seats.sit.dispatch(type(player("mcts")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wslib.study.pages.old_way.sit", lambda *given: peeking(original(*given)))
        one_table(board, player("mcts", tree="kept"), player("mcts", tree="kept"), games=2, seed=0)
    assert sizes.count(0) == 2, "only before the first move of each player is its tree empty"


def test_at_one_table_each_player_begins_half_of_the_games_and_meets_every_opening_with_both_colours():
    played = one_table(game("connect4"), player("random"), player("random"), games=6, seed=3, opening_plies=4)
    assert played.first.tolist() == [1, 1, 1, 0, 0, 0]
    openings = [moves.split()[:4] for moves in played.moves]
    assert openings[:3] == openings[3:]
    assert len({tuple(moves) for moves in openings}) == 3
    for number in range(6):
        end = played[number]
        winner_is_first = {1: (len(end.history) % 2 == 0), -1: (len(end.history) % 2 == 1)}
        if end.result:
            a_won = winner_is_first[end.result] == bool(played.first[number])
            assert played.result[number] == (1 if a_won else -1)


def test_a_strong_player_wins_at_one_table_with_both_colours():
    strong, weak = player("mcts", simulations=200, tree="kept"), player("random")
    for a, b, sign in ((strong, weak, 1), (weak, strong, -1)):
        played = one_table(game("connect4"), a, b, games=8, seed=1)
        assert (sign * played.result).sum() >= 6


def test_without_chance_and_with_fresh_trees_two_games_are_all_there_are(trained: Path):
    one, two, *_ = entrants().values()
    untied = way_unit("empty board", "connect4", one, two, games=6).compute_in(trained)
    again = way_unit("empty board", "connect4", one, two, games=6).compute_in(trained)
    assert untied.tables["games"].equals(again.tables["games"])
    # Equal visits are decided by chance, so that a few more can come about.
    assert untied.summary["distinct"] < 6


def test_our_way_is_the_unit_of_the_other_tournaments_and_the_ways_have_ids_of_their_own():
    one, two, *_ = entrants().values()
    units = {way: way_unit(way, "connect4", one, two, games=20) for way in WAYS}
    assert units["ours"] == pair("connect4", one, two, games=20)
    assert type(units["ours"]) is PairUnit
    assert len({unit.id for unit in units.values()}) == 4
    assert {way_unit(way, "connect4", two, one, games=20).id for way in WAYS} == {unit.id for unit in units.values()}


def test_the_old_way_without_either_habit_is_refused():
    one, two, *_ = entrants().values()
    with pytest.raises(ParameterError, match="keep neither habit: trees should be 'match', or opening_plies 0"):
        OldWayUnit(game="connect4", a=one, b=two, trees="game", opening_plies=4)


# --- the experiment -----------------------------------------------------------------------------------------------


def test_every_pairing_of_a_few_networks_is_asked_for_in_all_four_ways_and_nothing_is_trained():
    asked = PublishedTournaments()
    habits = asked.habit_units()
    labels = pd.DataFrame([labels for _, labels in habits])
    assert len(labels) == 2 * 4 * (10 * 9 // 2)
    assert set(labels.groupby(["board", "way"]).size()) == {45}
    assert {unit.kind for unit in asked.units()} == {"pair", "oldway"}
    assert {unit.games for unit in asked.units()} == {20}
    runs = {e.run.id for unit, _ in habits for e in (unit.a, unit.b) if isinstance(e, NetworkEntrant)}
    assert len(runs) == 2 * 3 * 3 and runs < {run.id for _, run in asked.cells}


def test_every_pool_of_the_figures_is_asked_for_in_three_ways_ours_by_the_very_units_of_the_figures():
    asked = PublishedTournaments()
    labels = pd.DataFrame([labels for _, labels in asked.pool_units()])
    sizes = labels.groupby(["figure", "board", "pool", "way"]).size()
    assert sizes["warmstart"].to_dict() == {(b, "final", w): 1176 for b in asked.boards for w in WHOLE}, "49 entrants"
    assert set(sizes["iprime"]) == {1176} and len(sizes["iprime"]) == 5 * 3
    assert set(sizes["adaptive_vs_fixed"]) == {89 * 88 // 2} and len(sizes["adaptive_vs_fixed"]) == 2 * 3
    ours = {unit.id for unit, labels in asked.pool_units() if labels["way"] == "ours"}
    assert ours == {unit.id for kind in PublishedTournaments.FIGURES.values() for unit, _ in kind().pool_units()}


def test_the_games_in_our_way_are_left_to_the_folders_of_the_figures():
    asked = PublishedTournaments(figures="warmstart", boards="connect4", runs=2)
    own = {unit.id for unit in asked.published_units()}
    assert own == {unit.id for unit, labels in asked.asked() if labels["way"] != "ours"}


def test_a_pool_grows_by_the_pairings_of_a_new_run_only():
    eight, nine = (PublishedTournaments(figures="warmstart", boards="gobang", runs=runs) for runs in (8, 9))
    before, after = ({unit.id for unit, _ in asked.pool_units()} for asked in (eight, nine))
    assert before < after
    assert len(after - before) == 3 * (6 * 49 + 15), "six new networks, each against all others"


def test_its_runs_are_those_of_the_warm_start():
    few = PublishedTournaments(figures="warmstart")
    assert {run.id for _, run in few.cells} == {run.id for _, run in Warmstart().cells}


def test_smoke_trains_its_runs_first():
    asked = PublishedTournaments(preset="smoke")
    assert asked.compute
    assert {unit.kind for unit in asked.units()} == {"run", "pair", "oldway"}
    with pytest.raises(ParameterError, match="'control' has no pool of a figure: there are warmstart, iprime"):
        PublishedTournaments(figures="control")


# --- the report ---------------------------------------------------------------------------------------------------


def rows(**ways: tuple[int, ...]) -> pd.DataFrame:
    """Pairings of x-0 and y-0 by way: wins, draws, losses as first, and as second."""
    columns = [f"{name}_{colour}" for colour in ("first", "second") for name in ("wins", "draws", "losses")]
    names = {"ours": "ours", "kept": "trees kept", "empty": "empty board", "old": "old"}
    found = [
        {"board": "connect4", "pool": "final", "way": names[way], "a": "x-0", "b": "y-0", "games": 20, "distinct": 9}
        | dict(zip(columns, counts, strict=True))
        for way, counts in ways.items()
    ]
    return pd.DataFrame(found)


def test_one_outcome_per_colour_is_told_from_totals_that_only_look_like_it():
    pool = rows(ours=(4, 2, 4, 10, 0, 0), kept=(5, 0, 5, 5, 0, 5), empty=(10, 0, 0, 0, 0, 10), old=(0, 10, 0, 9, 0, 1))
    found = ways.complete(pool).set_index("way")
    assert found["repeats"].to_dict() == {"ours": False, "trees kept": False, "empty board": True, "old": False}
    assert found["looks_repeated"].to_dict() == {"ours": False, "trees kept": True, "empty board": True, "old": False}
    assert found.loc["ours", "score"] == pytest.approx(15 / 20)


def test_a_pairing_that_was_not_played_in_every_way_is_left_out():
    assert ways.complete(rows(ours=(4, 2, 4, 6, 2, 2), old=(4, 2, 4, 6, 2, 2))).empty


def test_equal_results_in_all_ways_give_equal_ratings_and_opposite_ones_turn_the_order():
    def pool(turned: bool) -> pd.DataFrame:
        parts = []
        for way in WAYS:
            # x wins against y, y against z; in the old way, if turned, the other way round.
            counts = (7, 1, 2, 5, 2, 3)
            lost = (2, 1, 7, 3, 2, 5)
            for a, b in (("x-0", "y-0"), ("y-0", "z-0"), ("x-0", "z-0"), ("x-0", "random"), ("z-0", "random")):
                shown = lost if turned and way == "old" and b != "random" else counts
                part = rows(ours=shown).assign(way=way, a=a, b=b)
                parts.append(part)
        return ways.complete(pd.concat(parts, ignore_index=True))

    for turned, tau in ((False, 1.0), (True, -1.0)):
        found = report.correlations(report.elos(ways.ratings(pool(turned)))).set_index(["way", "setting"])
        assert found.loc[("ours", "ours"), "moved"] == 0
        assert found.loc[("old", "ours"), "tau"] == pytest.approx(tau)
        assert found.loc[("old", "ours"), "best"] == ("z-0" if turned else "x-0")
        assert found.loc[("trees kept", "ours"), "moved"] == pytest.approx(0, abs=1e-6)


def test_whole_pools_are_rated_by_way_and_setting_with_those_who_met_all_others_in_every_way():
    parts = []
    for way in WHOLE:
        turned = way == "old"
        pairings = [("x-0", "y-0"), ("random", "x-0"), ("random", "y-0")]
        for a, b in pairings + ([("x-0", "z-0")] if way == "ours" else []):
            won = (2, 1, 7, 3, 2, 5) if a == "random" or turned else (7, 1, 2, 5, 2, 3)
            parts.append(rows(ours=won).assign(way=way, a=a, b=b, figure="warmstart", unit=f"{way} {a} {b}"))
    found = ways.runs_by_way(pd.concat(parts, ignore_index=True))
    assert set(found["player"]) == {"x-0", "y-0", "random"}, "z-0 has met only one of them, and only in our way"
    assert set(zip(found["way"], found["setting"], strict=True)) == set(product(WHOLE, ways.SETTINGS))
    assert (found.loc[found["player"] == "random", "elo"] == 0).all()
    elo = found.set_index(["way", "setting", "player"])["elo"]
    for setting in ways.SETTINGS:
        assert elo["ours", setting, "x-0"] > elo["ours", setting, "y-0"]
        assert elo["old", setting, "x-0"] < elo["old", setting, "y-0"]
    table = repr(report.pools_table(found))
    assert "1.00" in table and "-1.00" in table
    assert ways.runs_by_way(pd.concat(parts).iloc[:0]).empty


def test_claims_are_judged_under_each_way_and_ours_decides():
    runs = [f"{kind}-{seed}" for kind in ("baseline", "wrora") for seed in range(8)]
    parts = []
    for way, (a, b) in product(WHOLE, combinations(["random", *runs], 2)):
        # Where trees are kept, WRoRa's runs lose to Baseline's; by the two other ways they win.
        better, worse = ((8, 0, 2, 8, 0, 2), (2, 0, 8, 2, 0, 8))
        ahead = {"random": 0, "baseline": 2, "wrora": 1 if way == "old" else 3}
        gap = ahead[a.split("-")[0]] - ahead[b.split("-")[0]]
        counts = (5, 1, 4, 4, 1, 5) if not gap else better if gap > 0 else worse
        parts.append(rows(ours=counts).assign(way=way, a=a, b=b, figure="warmstart", unit=f"{way} {a} {b}"))
    by_way = ways.runs_by_way(pd.concat(parts, ignore_index=True))
    assert (by_way["noise"] > 0).all()
    found = ways.under_each_way(by_way, {"warmstart": Warmstart()})
    assert len(found) == 2 * len(WHOLE) * 2 and list(dict.fromkeys(found["id"])) == ["3", "4"], "not levels in Gobang"
    assert found.groupby("id").head(1)[["way", "setting"]].eq("ours").all(axis=None), "ours first"
    words = found[found["id"] == "4"].set_index(["way", "setting"])["verdict"].to_dict()
    assert words == {(way, s): decide.OPPOSITE if way == "old" else decide.UNDECIDED for way in WHOLE for s in RATED}
    text = report.claims_prose(found)
    assert (
        "4 is *open* by our way and setting; of the 5 other ways to play and rate, 2 come to *the opposite holds*."
        in text
    )
    assert repr(report.claims_table(found)).count("the opposite holds") >= 2
    none = ways.under_each_way(by_way.iloc[:0], {})
    assert none.empty and "whether the claims hang" in report.claims_prose(none)


def test_results_in_streaks_are_told_from_the_same_results_in_mixed_order():
    def records(results: list[int]) -> pd.DataFrame:
        half = len(results) // 2
        columns = {"board": "connect4", "way": "old", "a": "x-0", "b": "y-0", "result_a": results}
        return pd.DataFrame(columns).assign(a_first=[1] * half + [0] * half)

    streak, mixed = [1, 1, 1, -1, -1, -1] * 2, [1, -1, 1, -1, 1, -1] * 2
    for results, same in ((streak, 4 / 5), (mixed, 0.0)):
        (row,) = report.streaks(records(results)).itertuples()
        assert row.same == pytest.approx(same)
        assert row.chance == pytest.approx(2 / 5), "three of each kind: any neighbour is alike two times in five"
    # With each colour one outcome: a change of colours is no change of results.
    (row,) = report.streaks(records([1] * 4 + [-1] * 4)).itertuples()
    assert (row.same, row.chance) == (1, 1)
    assert report.streaks(records([1, -1])).empty
    assert report.streaks(records(streak).assign(b="random")).empty


def test_in_the_thesis_setting_the_first_move_is_given_to_whoever_is_listed_first_however_a_pair_is_stored():
    even = (5, 0, 5, 5, 0, 5)
    for a, b in (("x-0", "y-0"), ("y-0", "x-0")):
        parts = [rows(ours=even).assign(way=way, a=a, b=b) for way in WAYS]
        parts += [rows(ours=even).assign(way=way, a="random", b=b) for way in WAYS for b in ("x-0", "y-0")]
        rated = report.elos(ways.ratings(ways.complete(pd.concat(parts, ignore_index=True)))).query("way == 'ours'")
        assert rated.loc[rated["setting"] == "ours", "elo"].abs().max() < 1e-6
        thesis = rated[rated["setting"] == "thesis"].set_index("player")["elo"]
        # Equal results with the move are worth less than without it.
        assert thesis["x-0"] < thesis["y-0"] < thesis["random"] == 0


def test_the_random_player_is_listed_last_and_has_no_elo():
    names = pd.DataFrame({"a": ["random", "b-0"], "b": ["b-1", "a-0"]})
    assert ways._listed(names) == ["a-0", "b-0", "b-1", "random"]
