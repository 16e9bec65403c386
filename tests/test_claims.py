"""The table of claims: complete, computed from frames, and judged by the rules that were fixed beforehand."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from wslib.study.claims import orientation, untrained
from wslib.study.claims.choices import AtLeastOne, BestDiffers, Field
from wslib.study.claims.designs import Design
from wslib.study.claims.evidence import Evidence, Page, gather
from wslib.study.claims.parts import longer_part, plies_part, quicker_part, rising_part
from wslib.study.claims.sentences import CLAIMS, LENGTHS, SEVEN_BEST, Claim, family
from wslib.study.claims.specs import Judged, LargerGain, Level, Ordering, Part, Spread, planned_runs
from wslib.study.claims.table import DIFFERS, FOLLOWED, judge, judged_on, on_page, pooled, quotations
from wslib.study.engine.store import LocalStore, thesis_table
from wslib.study.pages.base import Orientation
from wslib.study.pages.warm import IPrime, Warmstart
from wslib.study.report import answer
from wslib.study.report import verdicts as report
from wslib.study.statistics import decide, stats
from wslib.study.statistics.compare import games_needed

BOARDS = ("gobang", "connect4", "othello")
METHODS = ("baseline", "rollout", "rave", "rora", "wro", "wrora")


def elos(levels: Mapping[tuple[str, str], float], runs: int = 8, sd: float = 20, seed: int = 0) -> pd.DataFrame:
    """Rated runs whose kinds have these mean Elo values."""
    rng = np.random.default_rng(seed)
    rows = []
    for (board, kind), level in levels.items():
        noise = rng.normal(size=runs)
        noise = sd * (noise - noise.mean()) / noise.std(ddof=1)
        rows += [
            {
                "board": board,
                "pool": "final",
                "kind": kind,
                "seed": str(n),
                "elo": level + x,
                "unit": f"{board}{kind}{n}",
            }
            for n, x in enumerate(noise)
        ]
    return pd.DataFrame(rows)


class Rated(Evidence):
    """Evidence whose ratings are given."""

    def __init__(self, found: pd.DataFrame, experiment: str = "warmstart"):
        super().__init__({}, {}, asked=EMPTY.asked)
        self.__dict__["elos"] = {experiment: found}


EMPTY = Evidence({}, {}, asked={asked.name: asked for asked in Page().experiments()})


def verdict_on(claim: str, evidence: Evidence) -> dict[str, str]:
    rows, _ = judge(evidence)
    return rows.set_index("id").loc[claim].to_dict()


def warm_better(margin: float, runs: int = 8) -> pd.DataFrame:
    """All enhancements above Baseline by a margin, but Rollout in Othello, which is as strong."""
    flat = {
        (b, m): 0 if m == "baseline" or (b, m) == ("othello", "rollout") else margin for b in BOARDS for m in METHODS
    }
    return elos(flat, runs)


# --- what is asked ------------------------------------------------------------------------------------------------


def test_every_statement_of_the_sources_and_the_named_sentences_have_one_row():
    ids = [claim.id for claim in CLAIMS]
    assert len(set(ids)) == len(ids)
    assert ids == list(thesis_table("statements")["id"]), "in the same order"
    assert {*"1234567", *(f"T{n}" for n in range(1, 6))} <= set(ids)


def test_every_sentence_is_quoted_word_for_word_with_its_place():
    rows, _ = judge(EMPTY)
    assert (rows["quote"].str.len() >= 20).all() and (rows["where"].str.len() > 8).all()
    assert rows["quote"].str.len().max() < 400, "briefly"
    told = rows.set_index("id")
    assert told.loc["4", "quote"].startswith("for all 3 tested games, at least WRoRa achieves the best performance")
    assert told.loc["4", "where"] == "thesis, 5.5.2 end" and told.loc["S27", "where"].startswith("paper of 2020, abs")
    html = report.claim_table(report.seven(rows), "Seven.", set()).html
    assert "“for all 3 tested games" in html and "<em>WRoRa is the best, or among the best" in html
    assert quotations().index.is_unique


def test_sentences_that_claim_no_outcome_are_designs():
    kinds = thesis_table("statements").set_index("id")["kind"]
    for claim in CLAIMS:
        if claim.id in kinds:
            assert isinstance(claim, Design) == (kinds[claim.id] == "design"), claim.id


def test_without_results_every_claim_is_open_but_those_that_the_design_cannot_decide():
    rows, parts = judge(EMPTY)
    outcomes = rows[~rows["id"].isin([c.id for c in CLAIMS if isinstance(c, Design)])].set_index("id")
    beyond = outcomes[outcomes["verdict"] == decide.UNDECIDABLE]
    assert set(beyond.index) == {"5", "S46", "S47"}, "lengths in one game, boards of one size, no tournament in Gobang"
    assert set(outcomes["verdict"]) == {decide.UNDECIDED, decide.UNDECIDABLE}
    assert set(outcomes.drop(index=["S46", "S47"])["ours"]) == {"no results yet"}
    assert parts["effect"].str.startswith(("no results yet", "the design has no such runs")).all()
    assert (outcomes["would decide"].eq("–") == outcomes["verdict"].eq(decide.UNDECIDABLE)).all()


# --- rated runs ---------------------------------------------------------------------------------------------------


def test_claim_3_is_replicated_where_all_its_orderings_are_and_rollout_is_level_in_othello():
    row = verdict_on("3", Rated(warm_better(100)))
    assert row["verdict"] == decide.REPLICATED
    assert row["runs"] == "8 runs"


def test_claim_3_falls_with_a_single_refuted_ordering():
    found = warm_better(100)
    worse = (found["board"] == "gobang") & (found["kind"] == "wro")
    found.loc[worse, "elo"] -= 300
    row = verdict_on("3", Rated(found))
    assert row["verdict"] == decide.OPPOSITE
    assert row["effect"].startswith("Gobang: WRo > Baseline: -200 Elo")
    assert row["shown"] == "the opposite holds (in 1 of 15 parts)"


def test_four_runs_a_side_decide_nothing_and_the_row_says_how_many_would():
    row = verdict_on("3", Rated(warm_better(100, runs=4)))
    assert row["verdict"] == decide.UNDECIDED
    assert "about" in row["would decide"] and "runs a side" in row["would decide"]


def test_orderings_are_corrected_for_all_of_their_experiment_however_many_claims_name_them():
    one = Ordering("warmstart", "connect4", "wro", "rollout")
    found = elos({(b, m): 40 * (m in ("wro", "wrora")) for b in BOARDS for m in METHODS}, sd=25)
    together = judged_on("warmstart", found)
    assert together.verdict(one).p > Judged([one], found).verdict(one).p
    tests = {}
    for spec in family("warmstart"):
        for member in spec.members:
            if member.test is not None:
                tests.setdefault(member.test, member.tested.comparison(found).p())
    assert together.tests == len(tests) > 40
    corrected = dict(zip(tests, stats.holm(list(tests.values())), strict=True))
    assert together.verdict(one).p == pytest.approx(corrected[one.test])


def test_an_ordering_and_its_opposite_are_one_test():
    found = elos({("connect4", m): 60 * (m == "wro") for m in METHODS}, sd=25)
    one, other = Ordering("x", "connect4", "wro", "rave"), Ordering("x", "connect4", "rave", "wro")
    alone, both = Judged([one], found), Judged([one, other], found)
    assert alone.tests == both.tests == 1
    for judged in (alone, both):
        assert judged.verdict(one).p == judged.verdict(other).p
        assert (judged.verdict(one).word, judged.verdict(other).word) == (decide.REPLICATED, decide.OPPOSITE)
        assert judged.verdict(other).effect == -judged.verdict(one).effect


def test_among_the_best_is_refuted_only_by_one_that_is_better():
    level = elos({(b, m): 0 for b in BOARDS for m in METHODS}, sd=5)
    words = {}
    for best in ("wrora", "rave"):
        found = level.assign(elo=level["elo"] + 60 * (level["kind"] == best))
        rows, _ = judge(Rated(found))
        words[best] = rows.set_index("id").loc["4", "verdict"]
    rows, _ = judge(Rated(level))
    assert rows.set_index("id").loc["4", "verdict"] == words["wrora"] == decide.REPLICATED
    assert words["rave"] == decide.OPPOSITE


def test_an_experiments_own_page_gets_the_same_verdicts_as_the_table():
    found = warm_better(60)
    rows, parts = judge(Rated(found))
    row, own = on_page("4", found, Warmstart())
    table = parts[parts["claim"] == "4"].reset_index(drop=True)
    assert len(own) == 15
    pd.testing.assert_frame_equal(own, table)
    assert row["shown"] == rows.set_index("id").loc["4", "shown"]


def word_of(spec, found: pd.DataFrame, parts: int = 1) -> str:
    """The verdict on a spec by itself."""
    return spec.of_claim(Judged([spec], found), parts).word


def test_no_stronger_is_refuted_by_what_makes_stronger_replicated():
    spec = Ordering("warmstart", "gobang", "rora", "rollout", "not higher")
    for gap, word in ((100, decide.OPPOSITE), (-100, decide.REPLICATED), (0, decide.REPLICATED)):
        found = elos({("gobang", "rora"): gap, ("gobang", "rollout"): 0}, sd=10)
        assert word_of(spec, found) == word


def test_a_level_is_on_the_scale_on_which_the_pool_has_mean_zero():
    found = elos({("gobang", "baseline"): 500, ("gobang", "rave"): 700}, sd=10)
    for level, word in ((-100, decide.REPLICATED), (500, decide.OPPOSITE)):
        assert word_of(Level("warmstart", "gobang", "baseline", level), found) == word


def test_a_kind_that_varies_more_is_seen_to():
    calm, wild = elos({("gobang", m): 0 for m in METHODS[:2]}, sd=5), elos({("gobang", "rave"): 0}, sd=200, seed=1)
    found = pd.concat([calm, wild])
    words = {kind: word_of(Spread("warmstart", "gobang", kind), found) for kind in ("rave", "rollout")}
    assert words == {"rave": decide.REPLICATED, "rollout": decide.OPPOSITE}


def test_several_kinds_together_are_one_group_of_runs():
    found = elos({("othello", m): 60 * (m in ("wro", "wrora")) for m in METHODS}, sd=40)
    spec = Ordering("warmstart", "othello", "wro+wrora", "rollout+rave+rora")
    part = spec.of_claim(Judged([spec], found))
    assert part.runs == (16, 24) and part.word == decide.REPLICATED and part.effect.startswith("+60 Elo")
    assert part.name == "Othello: WRo, WRoRa > Rollout, RAVE, RoRa"
    assert len(part.units) == 40


def test_of_several_combinations_one_is_enough():
    spec = AtLeastOne("some", tuple(Ordering("x", "othello", m, "baseline") for m in ("rora", "wro", "wrora")))
    for gains, word in (
        ({"rora": 80}, decide.REPLICATED), ({}, decide.SMALL),
        ({"rora": -80, "wro": -90, "wrora": -80}, decide.OPPOSITE),
    ):  # fmt: skip
        found = elos({("othello", m): gains.get(m, 0) for m in METHODS}, sd=6)
        assert word_of(spec, found) == word
    few = elos({("othello", m): 0 for m in METHODS}, runs=4, sd=6)
    assert word_of(spec, few) == decide.UNDECIDED


def best_of(best: dict[str, str], sd: float = 10) -> pd.DataFrame:
    return elos({(b, m): 80 * (best.get(b) == m) for b in BOARDS for m in METHODS}, sd=sd)


def test_that_the_best_differs_takes_two_games_with_another_clear_best():
    spec = BestDiffers("x", tuple(Field("warmstart", board, METHODS[1:]) for board in BOARDS))
    assert word_of(spec, best_of({"othello": "wro", "gobang": "rora"})) == decide.REPLICATED
    assert word_of(spec, best_of(dict.fromkeys(BOARDS, "wro"))) == decide.OPPOSITE
    assert word_of(spec, best_of({"othello": "wro"})) == decide.UNDECIDED
    assert word_of(spec, best_of({"othello": "wro", "gobang": "rora"}, sd=150)) == decide.UNDECIDED


def lengths(best: dict[str, int], sd: float = 10) -> pd.DataFrame:
    """Rated runs of all lengths, a pool per enhancement, the best 80 Elo above the others."""
    pools = []
    for seed, method in enumerate(METHODS[1:]):
        flat = {("connect4", f"{method} {n}"): 80 * (best.get(method) == n) for n in LENGTHS}
        pools.append(elos(flat, sd=sd, seed=seed).assign(pool=method))
    return pd.concat(pools, ignore_index=True)


def test_claim_5_is_seven_for_two_unclear_for_three_and_undecidable_for_other_games():
    row, parts = on_page("5", lengths({"rave": 7, "wrora": 7}), IPrime())
    words = parts.set_index("part")["verdict"]
    assert len(parts) == len(SEVEN_BEST) + 3 + 1
    assert set(words[:11]) == {decide.REPLICATED} and words.iloc[-1] == decide.UNDECIDABLE
    assert row["verdict"] == decide.UNDECIDABLE
    row, parts = on_page("5", lengths({"rave": 7, "wrora": 7, "rollout": 3}), IPrime())
    assert row["shown"] == "the opposite holds (in 1 of 12 parts)"
    assert parts.set_index("part").loc["Rollout: no length is clearly the best", "effect"] == "best observed: Rollout 3"
    found = lengths({"rave": 7, "wrora": 7})
    assert on_page("S33", found, IPrime())[0]["verdict"] == decide.REPLICATED
    row, parts = on_page("S33", found[found["kind"] != "wro 9"], IPrime())
    words = parts.set_index("part")["verdict"]
    assert words["WRo: no length is clearly the best"] == row["verdict"] == decide.UNDECIDED, "nine might be the best"


def test_all_warm_starts_together_are_compared_with_baseline_game_by_game():
    found = warm_better(60)
    effects = pooled(found, Warmstart()).set_index("board")
    gobang = effects.loc["gobang"]
    assert (gobang["warm"], gobang["baseline"], gobang["effect"]) == (40, 8, pytest.approx(60))
    here = found[found["board"] == "gobang"]
    groups = [here.loc[(here["kind"] == "baseline") == which, "elo"] for which in (False, True)]
    assert (gobang["low"], gobang["high"]) == pytest.approx(stats.difference_interval(*groups))
    assert gobang["verdict"] == decide.REPLICATED and 0 < gobang["power"] <= 1
    assert "end stronger than Baseline in Gobang (+" in answer.together_prose(pooled(found))
    none = pooled(pd.DataFrame(), Warmstart())
    assert set(none["verdict"]) == {decide.UNDECIDED} and "Nothing is known yet" in answer.together_prose(none)
    some = pooled(found[(found["board"] == "othello") & (found["seed"].astype(int) < 2)], Warmstart())
    assert some.set_index("board").loc["othello", "verdict"] == decide.UNDECIDED
    assert np.isnan(some.set_index("board").loc["othello", "low"]), "two runs of Baseline tell of no interval"


def test_a_design_with_five_runs_cannot_decide_as_much_as_one_with_eight():
    found = warm_better(30, runs=5)
    few = judged_on("warmstart", found, Warmstart(runs=5))
    ordering = Ordering("warmstart", "gobang", "wro", "baseline")
    assert few.tests * 2 / 252 > 0.05
    assert ordering.of_claim(few).word == decide.UNDECIDABLE
    assert ordering.of_claim(judged_on("warmstart", found, Warmstart())).word == decide.UNDECIDED
    # With two methods there is little to correct for, and the same runs decide.
    far = warm_better(100, runs=5)
    far = far[far["kind"].isin(["baseline", "wrora"])]
    two = judged_on("warmstart", far, Warmstart(runs=5, methods="baseline,wrora"))
    wrora = Ordering("warmstart", "gobang", "wrora", "baseline")
    assert two.tests < 8 and wrora.of_claim(two).word == decide.REPLICATED


def test_a_larger_gain_in_a_deeper_game_is_a_number_per_seed():
    levels = {("othello", "baseline"): 0, ("othello", "wro"): 300, ("gobang", "baseline"): 0, ("gobang", "wro"): 50}
    spec = LargerGain("warmstart", "othello", "gobang")
    comparison = spec.comparison(elos(levels).assign(noise=20.0))
    assert comparison is not None and comparison.runs == (8, 8)
    assert comparison.effect == pytest.approx(1 / (1 + 10 ** (-300 / 400)) - 1 / (1 + 10 ** (-50 / 400)), abs=0.001)
    # Two ratings of 20 Elo of noise each, where an Elo point is worth ln(10) / 400 * s (1 - s).
    share = 1 / (1 + 10 ** (-50 / 400))
    assert comparison.noise[1] == pytest.approx(np.log(10) / 400 * share * (1 - share) * 20 * np.sqrt(2), rel=0.01)
    assert spec.test == LargerGain("warmstart", "gobang", "othello").test, "the opposite claim is the same test"


def test_a_part_names_the_units_that_it_rests_on():
    _, parts = judge(Rated(warm_better(100)))
    units = parts.query("claim == 'S08'")["units"].iloc[0].split()
    assert sorted(units) == sorted(f"connect4{m}{n}" for m in ("rollout", "wro") for n in range(8))


# --- matches, switches --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """What is published of Table 5.1, and a made Table 6.1 whose win rates are the printed ones."""
    patch = pytest.MonkeyPatch()
    patch.setenv("WSLIB_STORE", str(tmp_path_factory.mktemp("store")))
    evidence = gather([Orientation(workers=1)])
    patch.undo()
    return Evidence({**evidence.frames, "untrained": table_6_1()}, evidence.tables, asked=EMPTY.asked)


def table_6_1(games: int = 2000) -> pd.DataFrame:
    """Matches of untrained players with the printed win rates, and many games."""
    rows = []
    for cell in thesis_table("table_6_1").itertuples():
        won = round(cell.win_pct / 100 * games / 2)
        counts = {f"{n}_{c}": v for c in ("first", "second") for n, v in
                  (("wins", won), ("draws", 0), ("losses", games // 2 - won))}  # fmt: skip
        labels = {"part": "matrix", "board": cell.game, "a": cell.enhancement.lower(), "b": "baseline"}
        rows.append({**labels, "games": games, "distinct": games, "unit": f"{cell.game}{cell.enhancement}", **counts})
    return pd.DataFrame(rows)


def test_claims_1_and_2_are_judged_as_on_their_pages(published: Evidence):
    rows = judge(published)[0].set_index("id")["verdict"]
    assert rows["1"] == orientation.claim_1_verdict(orientation.claim_1(published.frame("orientation", "table")))
    cells = untrained.against_baseline(published.frame("untrained"), thesis_table("table_6_1"))
    assert rows["2"] == untrained.claim_2_verdict(untrained.claim_2(cells))


def test_claim_1_has_its_exception_which_nearly_all_does_not_excuse(published: Evidence):
    rows, parts = judge(published)
    here = parts[parts["claim"] == "1"].set_index("part")["verdict"]
    assert len(here) == 18 and here["Othello: RHEA not above Random"] == decide.OPPOSITE
    assert rows.set_index("id").loc["S16", "verdict"] == decide.REPLICATED
    assert rows.set_index("id").loc["1", "shown"] == "the opposite holds (in 1 of 18 parts)"


def test_matches_that_are_not_played_leave_claim_1_open(published: Evidence):
    table = published.frame("orientation", "table")
    some = Evidence({"orientation": table[table["board"] == "gobang"]}, {}, asked=EMPTY.asked)
    rows, parts = judge(some)
    assert set(rows.set_index("id").loc[["1", "S16", "S17"], "verdict"]) == {decide.UNDECIDED}
    assert (parts[parts["claim"] == "1"]["effect"] == "no results yet").sum() == 12


def test_claim_2_holds_of_the_printed_table_if_it_came_from_many_games(published: Evidence):
    rows, parts = judge(published)
    told = rows.set_index("id")["verdict"]
    here = parts[parts["claim"] == "2"].set_index("part")["verdict"]
    # 12 beat Baseline, RAVE is weakest 12 times and above 50 % once, 3 + 3 strongest, 10 + 1 between games
    assert len(here) == 42
    close = {"untrained, Connect Four: WRoRa > WRo"}
    assert set(here[here != decide.REPLICATED].index) == close, "82.5 against 82 %"
    assert told["S31"] == decide.REPLICATED and told["T3"] == decide.UNDECIDED
    means = parts[parts["part"] == "untrained, all five: Connect Four > Gobang"].iloc[0]
    assert means["effect"].startswith("+7.0 points") and means["runs"] == "2000"


def test_of_table_6_1_what_is_whole_is_judged(published: Evidence):
    table = published.frame("untrained")
    some = table[(table["board"] != "gobang") | (table["a"] == "wro")]
    _, parts = judge(Evidence({"untrained": some}, {}, asked=EMPTY.asked))
    here = parts[parts["claim"] == "2"].set_index("part")
    assert here.loc["untrained, Table 6.1 in Gobang", "effect"] == "no results yet"
    assert here.loc["untrained, Othello: WRo > Baseline", "verdict"] == decide.REPLICATED
    assert set(parts[parts["claim"] == "S31"]["effect"]) == {"no results yet"}


def test_orderings_that_other_sentences_add_do_not_change_claim_2(published: Evidence):
    _, parts = judge(published)
    cells = untrained.against_baseline(published.frame("untrained"), thesis_table("table_6_1"))
    assert len(parts[parts["claim"] == "2"]) == len(untrained.claim_2(cells))
    assert "untrained, Gobang: RAVE not above Baseline" in set(parts.query("claim == 'T3'")["part"])


def test_the_length_of_a_game_is_the_most_frequent_one(published: Evidence):
    assert plies_part(published, "othello", 32).word == decide.REPLICATED
    assert plies_part(published, "othello", 36).word == decide.OPPOSITE


def balances(runs: list[list[int]]) -> pd.DataFrame:
    rows = [
        {"unit": f"u{n}", "board": "othello", "scale": "table", "iteration": k, "balance": b,
         "first_wins": 25, "draws": 0, "first_losses": 25}
        for n, run in enumerate(runs) for k, b in enumerate(run, 1)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_a_rising_balance_is_judged_without_the_iteration_of_the_switch():
    rising = rising_part(
        Evidence({}, {"adaptive": balances([[-40, -30, -20, -10 - n, 2] for n in range(8)])}), "othello"
    )
    assert rising.word == decide.REPLICATED
    # The last balance is above 0 because it ended the warm start; before it nothing rises here.
    flat = rising_part(
        Evidence({}, {"adaptive": balances([[-20, -30, -30 - n, -20, 50] for n in range(8)])}), "othello"
    )
    assert flat.word == decide.OPPOSITE


def iterations(accepted: Mapping[str, list[int]], plies: list[float]) -> pd.DataFrame:
    """The iterations of made-up runs of Connect Four: by kind, how many of a run's first ten networks were accepted."""
    rows = []
    for kind, numbers in accepted.items():
        for seed, number in enumerate(numbers):
            for k, length in enumerate(plies, 1):
                rows.append({"unit": f"{kind}{seed}", "board": "connect4", "kind": kind, "method": kind.split()[0],
                             "ends": kind.split()[-1],
                             "seed": seed, "part": "run", "iteration": k, "accepted": k <= number,
                             "plies_mean": length + seed})  # fmt: skip
    return pd.DataFrame(rows)


def test_a_network_improves_more_quickly_when_more_of_its_first_successors_are_accepted():
    quick, slow = [8, 7, 9, 8, 7, 8, 9, 8], [4, 3, 5, 4, 3, 5, 4, 5]
    table = iterations({"wro adaptive": quick, "wro fixed": slow}, [20.0] * 12)
    part = quicker_part(Evidence({}, {"adaptive_vs_fixed": table}))
    assert part.word == decide.REPLICATED and part.effect.startswith("+38.8 points") and part.runs == (8, 8)
    turned = quicker_part(Evidence({}, {"adaptive_vs_fixed": iterations({"wro adaptive": slow, "wro fixed": quick},
                                                                        [20.0] * 12)}))  # fmt: skip
    assert turned.word == decide.OPPOSITE
    assert quicker_part(EMPTY) == Part(part.name)


def test_games_get_longer_by_the_last_iterations_against_the_first():
    longer = iterations({"wro": [1] * 6}, [15.0] * 10 + [16.0] * 5 + [20.0] * 10)
    part = longer_part(Evidence({}, {"warmstart": longer}), "connect4")
    assert part.word == decide.REPLICATED and part.effect.startswith("+5.0 plies") and part.runs == (6,)
    shorter = longer.assign(plies_mean=-longer["plies_mean"])
    assert longer_part(Evidence({}, {"warmstart": shorter}), "connect4").word == decide.OPPOSITE
    few = longer[longer["unit"].isin(["wro0", "wro1"])]
    found = longer_part(Evidence({}, {"warmstart": few}), "connect4")
    assert found.word == decide.UNDECIDED and "(" not in found.effect, "two runs tell of no interval"


def test_more_games_are_needed_for_a_smaller_effect():
    assert games_needed(0.05, 0.0, 0.1, 100) == pytest.approx(4 * games_needed(0.1, 0.05, 0.15, 100), rel=0.05)
    assert games_needed(0.0, -0.1, 0.1, 100) is None


# --- the whole ----------------------------------------------------------------------------------------------------


def test_a_claim_holds_with_all_its_parts_and_falls_with_one_unless_nearly_always_is_claimed():
    yes, no, open_, nearly = decide.REPLICATED, decide.OPPOSITE, decide.UNDECIDED, decide.NEARLY_ALL
    assert decide.whole([yes] * 9 + [no]) == no
    assert decide.whole([yes] * 9 + [no], nearly) == yes
    assert decide.whole([yes] * 8 + [no, open_], nearly) == open_
    assert decide.whole([yes] * 8 + [no] * 2, nearly) == no
    assert decide.whole([]) == open_


def test_designs_are_followed_or_not_by_our_parameters():
    rows = judge(EMPTY)[0].set_index("id")
    assert rows.loc["S21", "verdict"] == FOLLOWED
    assert rows.loc["S19", "verdict"] == FOLLOWED
    laptop = Evidence({}, {}, asked={a.name: a for a in Page(scale="laptop").experiments()})
    rows = judge(laptop)[0].set_index("id")
    assert rows.loc["S19", "verdict"] == DIFFERS, "the laptop preset trains one epoch"
    assert "ep = 1 instead of 10" in rows.loc["S19", "ours"]


def test_the_page_links_only_to_pages_that_are_there():
    rows, _ = judge(EMPTY)
    html = report.claim_table(report.seven(rows), "Seven.", {"orientation"}).html
    assert 'href="orientation.html"' in html
    assert 'href="warmstart.html"' not in html and report.TITLES["warmstart"] in html


def test_the_counts_are_those_of_the_rows():
    rows, _ = judge(Rated(warm_better(100)))
    counts = report.counts(rows)
    assert sum(counts.values()) == sum(isinstance(c, Claim) for c in CLAIMS)
    assert counts[decide.REPLICATED] == (rows["verdict"] == decide.REPLICATED).sum() > 3
    assert len(report.seven(rows)) + len(report.outcomes(rows)) + len(report.designs(rows)) == len(rows)


def test_orderings_name_runs_that_the_experiments_ask_for():
    for name, asked in EMPTY.asked.items():
        planned, pools = planned_runs(asked) if hasattr(asked, "pools") else {}, set()
        if planned:
            pools = {pool for _, pool, _ in asked.pools()}
        for spec in dict.fromkeys(member for said in family(name) for member in said.members):
            if not (name == "adaptive_vs_fixed" and isinstance(spec, LargerGain)):  # of Gobang, which it has not
                assert min(spec.planned(planned)) > 0, spec
            assert getattr(spec, "pool", None) in {None, *pools}


def test_gathering_from_an_empty_store_finds_what_is_published_and_computes_nothing(
    tmp_path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path))
    evidence = gather([Orientation(games=2, rollouts=7, workers=1)])
    assert evidence.frames == {}
    assert not LocalStore().latest("match")


def test_pairs_of_a_pool_are_looked_for_among_the_runs_that_are_there():
    assert EMPTY.sizes()["warmstart"] == 144 + 3 * len(list(combinations(range(49), 2)))


def test_a_level_is_shown_as_it_is_and_not_as_its_distance_from_the_claimed_one():
    found = elos({("gobang", m): 40 * (m != "baseline") for m in METHODS})
    _, parts = judge(Rated(found))
    shown = parts.set_index("part").loc["Gobang: Baseline at about -100", "effect"]
    level = found.loc[found["kind"] == "baseline", "elo"].mean() - found["elo"].mean()
    assert shown.startswith(f"{level:+.0f} Elo (")
