"""The experiments of chapters 5 and 6: their scale, and what pages make of results that are not all there."""

import subprocess
import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from wslib.parameters import ParameterError
from wslib.study.claims import adaptive as claims
from wslib.study.claims.specs import Judged, Ordering
from wslib.study.engine.runs import RunUnit, SwitchUnit
from wslib.study.engine.states import train
from wslib.study.engine.store import thesis_table
from wslib.study.pages.warm import (
    ANCHORS,
    ENHANCEMENTS,
    Adaptive,
    AdaptiveVsFixed,
    Beyond,
    Control,
    IPrime,
    Warmstart,
)
from wslib.study.presets import preset
from wslib.study.report import adaptive as adaptive_report
from wslib.study.report import warm as report
from wslib.study.report.why import gains_prose
from wslib.study.statistics import pools


def runs_of(experiment) -> list[RunUnit]:
    return [unit for unit, labels in experiment.asked() if labels["part"] == "run"]


def test_the_scale_is_that_of_the_sources():
    assert len(runs_of(Warmstart())) == 144
    # I' = 5 and Baseline are runs of Warmstart at another length, so 160 are new.
    new = {unit.run.id for unit in runs_of(IPrime())} - {unit.run.id for unit in runs_of(Warmstart())}
    assert len(new) == 160
    adaptive = [labels for _, labels in Adaptive().asked() if labels["scale"] == "table" and "Q" not in labels["kind"]]
    assert len(adaptive) == 160
    pool = [labels for _, labels in Warmstart().asked() if labels["part"] == "pool" and labels["board"] == "gobang"]
    assert len(pool) == 1176, "49 players"
    assert len(runs_of(AdaptiveVsFixed(boards="connect4"))) == 88


@pytest.mark.parametrize("kind", [Warmstart, IPrime, AdaptiveVsFixed])
def test_what_answers_a_claim_has_the_sources_own_settings(kind: type):
    (length,) = {unit.iterations for unit in runs_of(kind())}
    assert length == 100 and kind().runs == 8
    assert all(unit.run.epochs == 10 and unit.run.episodes == 50 for unit in runs_of(kind()))


def test_experiments_share_their_runs():
    warm = {unit.run.id for unit in runs_of(Warmstart())}
    assert {unit.run.id for unit in runs_of(IPrime(lengths="5"))} < warm
    fixed = [u.run.id for u, x in AdaptiveVsFixed().asked() if x["part"] == "run" and x["ends"] != "adaptive"]
    assert set(fixed) < warm


def test_the_control_sets_runs_of_table_5_2_beside_those_of_warmstart():
    control = {unit.run.id: labels for unit, labels in Control().run_units()}
    table = {run for run, labels in control.items() if labels["scale"] == "table"}
    assert len(control) == 48 and len(table) == 18
    assert table < {unit.run.id for unit in runs_of(Warmstart())}
    assert all(unit.run.epochs == 1 for unit, labels in Control().run_units() if labels["scale"] == "laptop")
    letter = Counter(labels["board"] for _, labels in Control().run_units() if labels["scale"] == "letter")
    assert letter == {"connect4": 6, "othello": 6}


def test_every_pool_has_one_random_player_and_tells_its_entrants_apart():
    larger = Beyond(boards=(Beyond.LARGER,))
    assert len(larger.units()) == len({unit.id for unit in larger.units()})
    for experiment in (Warmstart(runs=2), IPrime(runs=2), AdaptiveVsFixed(runs=2), Beyond(), larger, Control()):
        for _, _, entrants in experiment.pools():
            assert entrants["random"] == ANCHORS["random"]
            networks = [e.canonical() for e in entrants.values() if e not in ANCHORS.values()]
            assert len({str(n) for n in networks}) == len(networks) > 0


def test_gobang_is_run_with_both_numbers_of_simulations_and_rave_with_both_readings():
    labels = Adaptive(runs=1, presets="table").labels()
    assert set(labels.query("board == 'gobang'")["simulations"]) == {100, 200}
    assert set(labels.query("board == 'othello'")["simulations"]) == {100}
    assert set(labels["kind"]) == {*ENHANCEMENTS, "rave by Q_rave"}


def test_smoke_is_small_and_computes():
    for experiment in (Warmstart, IPrime, AdaptiveVsFixed, Beyond, Control, Adaptive):
        smoke = experiment(preset="smoke")
        assert smoke.compute and len(smoke.asked()) < 300


@pytest.mark.parametrize(
    ("values", "sentence"),
    [({"methods": "baseline,sarsa"}, "there is no enhancement 'sarsa'"), ({"boards": "chess"}, "chess")],
)
def test_a_wrong_name_is_one_sentence(values, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Warmstart(**values)


def test_only_an_adaptive_run_has_a_switch_to_find():
    with pytest.raises(ParameterError, match="only an 'adaptive' run"):
        SwitchUnit(run=preset("smoke", game="connect4-5x5", method="rave"))


def test_a_run_ends_at_its_switch_and_tells_the_balances_until_then(tmp_path, monkeypatch):
    run = preset("smoke", game="connect4-5x5", method="rave", switch="adaptive", seed=1)
    computed = SwitchUnit(run=run, most=12).compute_in(tmp_path)
    balances = computed.tables["balances"]
    at = computed.summary["switch_iteration"]
    assert at is not None and len(balances) == at == computed.summary["iterations"]
    assert (balances["balance"][:-1] <= 0).all() and balances["balance"].iloc[-1] > 0
    # A run that has gone on past its switch tells the same.
    train(run, at + 2, tmp_path)
    again = SwitchUnit(run=run, most=12).compute_in(tmp_path)
    assert again.summary == computed.summary and again.tables["balances"].equals(balances)


def test_a_shorter_run_is_read_from_a_longer_one(tmp_path):
    run = preset("smoke", game="connect4-5x5")
    short = RunUnit(run=run, iterations=2).compute_in(tmp_path)
    long = RunUnit(run=run, iterations=4).compute_in(tmp_path)
    again = RunUnit(run=run, iterations=2).compute_in(tmp_path)
    assert again.summary == short.summary and again.tables["iterations"].equals(short.tables["iterations"])
    assert long.tables["iterations"].head(2).equals(short.tables["iterations"])


# --- reports ------------------------------------------------------------------------------------------------------


def pool(elos: dict[str, float], games: int = 400) -> pd.DataFrame:
    """Results of players with these strengths, half of the games with each colour."""
    names = list(elos)
    rows = []
    for i, a in enumerate(names):
        for b in names[:i]:
            wins = round(games / 2 / (1 + 10 ** ((elos[b] - elos[a]) / 400)))
            row = {"board": "connect4", "pool": "final", "a": a, "b": b, "games": games, "distinct": games}
            for colour in ("first", "second"):
                row |= {f"wins_{colour}": wins, f"draws_{colour}": 0, f"losses_{colour}": games // 2 - wins}
            rows.append(row)
    return pd.DataFrame(rows)


def pool_of(kinds: dict[str, list[float]]) -> pd.DataFrame:
    return pool({"random": 0.0, **{f"{k}-{s}": e for k, v in kinds.items() for s, e in enumerate(v)}})


def test_runs_are_rated_relative_to_the_random_player():
    ratings = pools.pool_ratings(pool_of({"baseline": [200, 220], "rora": [300, 310]}), anchor="random")
    elos = pools.run_elos(ratings)
    runs = elos.dropna(subset="kind").set_index(["kind", "seed"])["elo"]
    assert runs["baseline", "0"] == pytest.approx(200, abs=12) and runs["rora", "1"] == pytest.approx(310, abs=12)
    assert elos.loc[elos["player"] == "random", "elo"].iloc[0] == 0


def test_a_kind_with_a_single_run_has_no_interval_and_no_spread():
    elos = pools.run_elos(pools.pool_ratings(pool_of({"baseline": [200.0, 220], "wro": [300.0]}), anchor="random"))
    last = repr(report.elo_table(elos, ["baseline", "wro"], "Runs.")).splitlines()[-1]
    assert last.split()[3:7] == ["1", "+300", "–", "–"]


def test_more_runs_change_a_verdict_without_an_edit():
    few = {"baseline": [200.0, 210, 190, 205], "wrora": [300.0, 310, 320, 305]}
    more = {kind: [*elos, elos[0] + 7, elos[1] - 3] for kind, elos in few.items()}
    ordering, words = Ordering("warmstart", "connect4", "wrora", "baseline"), []
    for kinds in (few, more):
        elos = pools.run_elos(pools.pool_ratings(pool_of(kinds), anchor="random"))
        words.append(ordering.of_claim(Judged([ordering], elos)).word)
    assert words == ["open", "replicated"]


def test_a_rated_run_has_the_noise_of_its_games():
    few, many = (
        pools.run_elos(pools.pool_ratings(pool({"random": 0.0, "wro-0": 100.0, "wro-1": 110.0}, games=games)))
        for games in (40, 4000)
    )
    noise = [frame.set_index("player")["noise"]["wro-0"] for frame in (few, many)]
    # A hundred times the games: a tenth of the noise, but for the two virtual draws of the prior.
    assert 8 < noise[0] / noise[1] < 10.2
    rating = next(iter(pools.pool_ratings(pool({"a-0": 0.0, "b-0": 50.0, "c-0": 100.0})).values()))
    low, high = rating.difference("a-0", "b-0")[1:3]
    both = np.hypot(*rating.noise()[[rating.players.index("a-0"), rating.players.index("b-0")]])
    assert both == pytest.approx((high - low) / 2 / 1.96, rel=0.05)


def test_entrants_that_nobody_has_met_are_left_out_of_the_rating():
    games = pd.concat([pool_of({"baseline": [200.0, 220]}), pool({"wro-0": 0.0, "wro-1": 10.0})])
    ratings = pools.pool_ratings(games)
    assert set(ratings["connect4", "final"].players) == {"random", "baseline-0", "baseline-1"}


def test_networks_of_unfinished_runs_are_left_out_on_the_way():
    way = pd.DataFrame({"board": "connect4", "kind": "wro", "seed": ["0", "1", "1"], "iteration": [10, 10, 100]})
    runs = pd.DataFrame({"board": ["connect4", "othello"], "kind": "wro", "seed": [1.0, 0.0]})
    assert list(report.of_whole_runs(way, runs)["iteration"]) == [10, 100]


def test_who_has_not_met_all_others_is_not_in_the_pool():
    whole = pool_of({"baseline": [200.0, 220], "wro": [240.0, 260]})
    stray = pool({"wro-7": 0.0, "baseline-0": 10.0}).head(1)
    kept = pools.round_robin(pd.concat([whole, stray]))
    assert kept.equals(whole)
    unfinished = whole[(whole["a"] != "wro-1") | (whole["b"] != "random")]
    assert {*pools.round_robin(unfinished)["a"], *pools.round_robin(unfinished)["b"]} in (
        {"baseline-0", "baseline-1", "wro-0", "random"},
        {"baseline-0", "baseline-1", "wro-0", "wro-1"},
    )


def test_a_pool_in_which_only_players_without_a_network_have_met_is_rated_and_names_no_runs():
    elos = pools.elos_of(pool({"random": 0.0, "MCTS 100": 50.0}).assign(part="pool"))
    assert len(elos) == 2 and elos["unit"].isna().all() and elos["kind"].isna().all()


def switches(values: dict[str, list[float]], board: str = "othello", m: int = 100) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"scale": "table", "board": board, "simulations": m, "kind": k, "method": k, "seed": s,
             "unit": f"{k}{s}", "switch_iteration": v, "iterations": 100 if np.isnan(v) else int(v)}
            for k, row in values.items() for s, v in enumerate(row)
        ]
    )  # fmt: skip


def test_a_run_that_never_switches_is_counted_and_not_averaged_in():
    frame = adaptive_report.cells(switches({"wro": [3, 5, np.nan]}), thesis_table("table_6_2"))
    cell = frame.iloc[0]
    assert (cell["mean"], cell["never"], cell["switches"]) == (4.0, 1, [3, 5])
    assert cell["sd"] == 1.0, "population sd, as the thesis prints it"
    assert "1 (in 100)" in repr(adaptive_report.cells_table(frame, "table"))


def test_columns_that_say_the_same_in_every_row_are_said_once():
    thesis = thesis_table("table_6_2")

    def table(scale: str = "table", **values: list[float]) -> str:
        return repr(adaptive_report.cells_table(adaptive_report.cells(switches(values), thesis), scale))

    same = table(wro=[3, 5], rave=[1, 2])
    assert "2 runs in every cell. All runs switched." in same and " never " not in same.splitlines()[1]
    differing = table(wro=[3, 5, np.nan], rave=[1, 2])
    assert "in every cell" not in differing and "All runs" not in differing and " never " in differing.splitlines()[1]
    assert "All runs" not in table("laptop", wro=[3, 5]), "there are none"


def test_the_thesis_cell_is_compared_only_at_its_own_number_of_simulations():
    thesis = thesis_table("table_6_2")
    at_100 = adaptive_report.cells(switches({"wro": [1, 2, 1]}, "gobang", 100), thesis).iloc[0]
    at_200 = adaptive_report.cells(switches({"wro": [1, 2, 1]}, "gobang", 200), thesis).iloc[0]
    assert np.isnan(at_100["their_mean"]) and at_200["their_mean"] == 1.125


def test_claim_6_is_refuted_by_runs_that_switch_late():
    early = switches({"wro": [2, 3, 4, 5, 3, 2, 4, 6]})
    late = switches({"wro": [40, 30, 22, 50, 31, 20, 40, 60]})
    words = []
    for frame in (early, late):
        claim = claims.claim_6(frame, "table")
        words.append((claim["verdict"].iloc[0], claims.whole_claim(claim)))
        assert len(claim) == claims.PARTS and (claim["runs"] == 0).sum() == 3, "parts without runs are there, and open"
    # A single game cannot replicate the whole claim, but it can refute it.
    assert words == [("replicated", "open"), ("the opposite holds", "the opposite holds")]


def test_claim_6_is_replicated_by_all_of_its_parts_and_by_no_subset():
    early = [1, 2, 1, 1, 2, 1, 1, 1]
    parts = [
        switches({"wro": numbers}).assign(board=board, simulations=m)
        for board, m, numbers in (
            ("connect4", 100, [4, 5, 6, 7, 5, 4, 6, 5]), ("othello", 100, [3, 4, 5, 3, 4, 5, 4, 3]),
            ("gobang", 100, [1] * 8), ("gobang", 200, early),
        )
    ]  # fmt: skip
    claim = claims.claim_6(pd.concat(parts), "table")
    assert claims.whole_claim(claim) == "replicated"
    assert claims.whole_claim(claim, complete=False) == "open"
    assert claims.whole_claim(claims.claim_6(pd.concat(parts[1:]), "table")) == "open"


def test_runs_that_were_given_up_early_say_nothing_of_late_switches():
    never = switches({"wro": [2.0] * 8}).assign(switch_iteration=np.nan, iterations=2)
    assert claims.claim_6(never, "table")["verdict"].iloc[0] == "open"


def test_a_smoke_run_keeps_what_is_given_and_refuses_what_cannot_be():
    assert Warmstart(preset="smoke").runs == 2
    assert Warmstart(preset="smoke", runs=3, boards="othello").runs == 3
    assert IPrime(preset="smoke", lengths="1,3,5,7,9").lengths == (1, 2), "the usual ones are not given ones"
    assert IPrime(preset="smoke", lengths=3).lengths == (3,)
    for wrong in ({"runs": "abc"}, {"boards": "connect4,connect4"}, {"methods": "wro,wro"}):
        with pytest.raises(ParameterError):
            Warmstart(preset="smoke", **wrong)


def test_a_run_is_measured_against_perfect_play_as_often_as_it_is_told_and_learns_the_same(tmp_path):
    plain = preset("smoke", game="connect4", seed=3)
    watched = preset("smoke", game="connect4", seed=3, measure_every=2, measure_positions=60)
    assert plain.id != watched.id
    state, log, notes = train(watched, 4, tmp_path)
    measured = [k for k, news in enumerate(log, 1) if "broad_optimal" in news]
    assert measured == [2, 4] and notes["cpu_measuring"] > 0 and notes["resumed_after"] == 0
    assert all(0 <= log[1][f"{which}_optimal"] <= 1 for which in ("broad", "path"))
    assert state.network.state_dict()["policy.weight"].equal(
        train(plain, 4, tmp_path)[0].network.state_dict()["policy.weight"]
    )


def test_on_the_way_the_enhancements_are_compared_with_baseline_at_every_age():
    aged = pd.DataFrame(
        {"board": "othello", "unit": "a run", "kind": ["baseline", "baseline", "wro", "wro", "rave", "rave"],
         "iteration": [1, 100] * 3, "elo": [100, 300, 160, 290, 140, 310]}
    )  # fmt: skip
    assert "after 1 after 100\nOthello     +50         0" in report.way_table(report.ahead_on_the_way(aged)).text


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [([50, 40], [10, -5], "is left in Othello and Gobang."), ([50, 40], [30, 45], "after 100, by +30 in Othello"),
     ([50, 40], [30, 5], "head start is left in Gobang."), ([50, -40], [0, -90], "head start is left in Othello.")],
)  # fmt: skip
def test_what_is_left_of_a_head_start_is_said_as_it_came_out(first: list[int], last: list[int], said: str):
    ahead = pd.DataFrame({1: first, 100: last}, index=["othello", "gobang"])
    text = report.head_start_prose(ahead)
    assert said in text and f"{first[0]:+d} in Othello" in text and "After 1 iteration," in text
    assert ("head start" in text) == ("head start" in said or "is left" in said), "only where there was one, and fell"
    assert "Not computed yet" in report.head_start_prose(ahead.head(0))
    assert "No game" in report.head_start_prose(ahead.assign(**{"100": None}).drop(columns=100).rename(columns=int))


@pytest.mark.parametrize("kind", [Warmstart, Control, IPrime, AdaptiveVsFixed, Beyond, Adaptive])
def test_runs_of_ones_own_begin_with_another_seed_and_share_none_with_the_published(kind: type):
    own, published = kind(runs=2, first_seed=100), kind(runs=2)
    assert {labels["seed"] for _, labels in own.run_units()} == {100, 101}
    assert not {unit.id for unit in own.units()} & {unit.id for unit, _ in published.run_units()}
    assert own.grown() == own, "more runs than asked for are shown of the published ones only"


def test_what_only_reads_results_does_without_torch():
    # Every page of results would wait for it.
    modules = "pages.catalogue", "claims.table", "claims.listing", "engine.notebook"
    imports = ", ".join(f"wslib.study.{module}" for module in modules)
    program = f"import sys, {imports}; print('torch' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


def test_presets_are_compared_only_in_games_where_both_have_runs():
    rows = [("connect4", "laptop"), ("othello", "table")]
    found = pd.DataFrame(rows, columns=["board", "scale"]).assign(effect=10.0, low=-5.0, high=25.0)
    assert gains_prose(found).startswith("In no game")
    assert "Connect Four +10 with one epoch and +10 with ten" in gains_prose(found.assign(board="connect4"))
