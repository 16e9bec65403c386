"""The table of claims: complete, computed from frames, and judged by the rules that were fixed beforehand."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from wslib.study.claims.designs import Design
from wslib.study.claims.evidence import (
    Evidence,
    LargerGain,
    Level,
    Ordering,
    Page,
    Spread,
    gather,
    judged,
    trained_part,
)
from wslib.study.claims.parts import games_needed, plies_part, rising_part
from wslib.study.claims.table import CLAIMS, DIFFERS, FOLLOWED, Claim, combined, family, judge, verdicts_on
from wslib.study.engine.store import LocalStore, thesis_table
from wslib.study.pages.base import Orientation
from wslib.study.pages.learning import Untrained
from wslib.study.report import orientation, untrained
from wslib.study.report import verdicts as report
from wslib.study.statistics import stats

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
    assert set(ids) == {*"1234567", *thesis_table("statements")["id"], *(f"T{n}" for n in range(1, 6))}


def test_sentences_that_claim_no_outcome_are_designs():
    kinds = thesis_table("statements").set_index("id")["kind"]
    for claim in CLAIMS:
        if claim.id in kinds:
            assert isinstance(claim, Design) == (kinds[claim.id] == "design"), claim.id


def test_without_results_every_claim_is_undecided_and_says_that_there_are_no_runs():
    rows, parts = judge(EMPTY)
    outcomes = rows[~rows["id"].isin([c.id for c in CLAIMS if isinstance(c, Design)])]
    assert set(outcomes["verdict"]) == {stats.UNDECIDED}
    assert set(outcomes["ours"]) == {"no results yet"}
    assert set(parts["effect"]) == {"no results yet"}
    assert not outcomes["would decide"].eq("–").any()


# --- rated runs ---------------------------------------------------------------------------------------------------


def test_claim_3_is_replicated_where_all_its_orderings_are_and_rollout_is_level_in_othello():
    row = verdict_on("3", Rated(warm_better(100)))
    assert row["verdict"] == stats.REPLICATED
    assert row["runs"] == "8 runs"


def test_claim_3_falls_with_a_single_refuted_ordering():
    found = warm_better(100)
    worse = (found["board"] == "gobang") & (found["kind"] == "wro")
    found.loc[worse, "elo"] -= 300
    row = verdict_on("3", Rated(found))
    assert row["verdict"] == stats.NOT_REPLICATED
    assert row["effect"].startswith("Gobang: WRo > Baseline: -200 Elo")


def test_four_runs_a_side_decide_nothing_and_the_row_says_how_many_would():
    row = verdict_on("3", Rated(warm_better(100, runs=4)))
    assert row["verdict"] == stats.UNDECIDED
    assert "about" in row["would decide"] and "runs a side" in row["would decide"]


def test_orderings_are_corrected_for_all_of_their_experiment_however_many_claims_name_them():
    one = Ordering("warmstart", "connect4", "wro", "rollout")
    found = elos({(b, m): 40 * (m in ("wro", "wrora")) for b in BOARDS for m in METHODS}, sd=25)
    alone = judged([one], found)[one].p
    together = judged(family("warmstart"), found)
    assert together[one].p > alone
    tested = {
        spec.comparison(found).test or spec: spec
        for spec in together
        if getattr(spec, "claim", "higher") == "higher" and not isinstance(spec, Level)
    }
    corrected = stats.holm([spec.comparison(found).p() for spec in tested.values()])
    assert [together[spec].p for spec in tested.values()] == pytest.approx(corrected)


def test_an_ordering_and_its_opposite_are_one_test():
    found = elos({("connect4", m): 60 * (m == "wro") for m in METHODS}, sd=25)
    one, other = Ordering("x", "connect4", "wro", "rave"), Ordering("x", "connect4", "rave", "wro")
    alone, both = judged([one], found), judged([one, other], found)
    assert alone[one].p == both[one].p == both[other].p
    assert (both[one].word, both[other].word) == (stats.REPLICATED, stats.NOT_REPLICATED)


def test_among_the_best_is_refuted_only_by_one_that_is_better():
    level = elos({(b, m): 0 for b in BOARDS for m in METHODS}, sd=5)
    words = {}
    for best in ("wrora", "rave"):
        found = level.assign(elo=level["elo"] + 60 * (level["kind"] == best))
        rows, _ = judge(Rated(found))
        words[best] = rows.set_index("id").loc["4", "verdict"]
    rows, _ = judge(Rated(level))
    assert rows.set_index("id").loc["4", "verdict"] == words["wrora"] == stats.REPLICATED
    assert words["rave"] == stats.NOT_REPLICATED


def test_an_experiments_own_page_gets_the_same_verdicts_as_the_table():
    found = warm_better(60)
    own, size = verdicts_on("4", found)
    assert size == 15
    _, parts = judge(Rated(found))
    table = parts[parts["claim"] == "4"].set_index("part")["verdict"]
    assert {v.name: v.word for v in own} == table.to_dict()


def test_no_stronger_is_refuted_by_what_makes_stronger_replicated():
    spec = Ordering("warmstart", "gobang", "rora", "rollout", "not higher")
    for gap, word in ((100, stats.NOT_REPLICATED), (-100, stats.REPLICATED), (0, stats.REPLICATED)):
        found = elos({("gobang", "rora"): gap, ("gobang", "rollout"): 0}, sd=10)
        assert trained_part(spec, judged([spec], found), found).word == word
    assert judged([spec], found).keys() == {spec.tested}


def test_a_level_is_on_the_scale_on_which_the_pool_has_mean_zero():
    found = elos({("gobang", "baseline"): 500, ("gobang", "rave"): 700}, sd=10)
    for level, word in ((-100, stats.REPLICATED), (500, stats.NOT_REPLICATED)):
        spec = Level("warmstart", "gobang", "baseline", level)
        assert judged([spec], found)[spec].word == word


def test_a_kind_that_varies_more_is_seen_to():
    calm, wild = elos({("gobang", m): 0 for m in METHODS[:2]}, sd=5), elos({("gobang", "rave"): 0}, sd=200, seed=1)
    found = pd.concat([calm, wild])
    words = {}
    for kind in ("rave", "rollout"):
        spec = Spread("warmstart", "gobang", kind)
        words[kind] = judged([spec], found)[spec].word
    assert words == {"rave": stats.REPLICATED, "rollout": stats.NOT_REPLICATED}


def test_a_larger_gain_in_a_deeper_game_is_a_number_per_seed():
    levels = {("othello", "baseline"): 0, ("othello", "wro"): 300, ("gobang", "baseline"): 0, ("gobang", "wro"): 50}
    spec = LargerGain("warmstart", "othello", "gobang")
    comparison = spec.comparison(elos(levels))
    assert comparison is not None and comparison.runs == (8, 8)
    assert comparison.effect == pytest.approx(1 / (1 + 10 ** (-300 / 400)) - 1 / (1 + 10 ** (-50 / 400)), abs=0.001)


def test_a_part_names_the_units_that_it_rests_on():
    _, parts = judge(Rated(warm_better(100)))
    units = parts.query("claim == 'S08'")["units"].iloc[0].split()
    assert sorted(units) == sorted(f"connect4{m}{n}" for m in ("rollout", "wro") for n in range(8))


# --- matches, switches --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """What is published of the experiments without training."""
    patch = pytest.MonkeyPatch()
    patch.setenv("WSLIB_STORE", str(tmp_path_factory.mktemp("store")))
    evidence = gather([Orientation(workers=1), Untrained(workers=1)])
    patch.undo()
    return Evidence(evidence.frames, evidence.tables, asked=EMPTY.asked)


def test_claims_1_and_2_are_judged_as_on_their_pages(published: Evidence):
    rows = judge(published)[0].set_index("id")["verdict"]
    assert rows["1"] == orientation.claim_1_verdict(orientation.claim_1(published.frame("orientation", "table")))
    cells = untrained.against_baseline(published.frame("untrained"), thesis_table("table_6_1"))
    assert rows["2"] == untrained.claim_2_verdict(untrained.claim_2(cells))


def test_orderings_that_other_sentences_add_do_not_change_claim_2(published: Evidence):
    _, parts = judge(published)
    cells = untrained.against_baseline(published.frame("untrained"), thesis_table("table_6_1"))
    assert len(parts[parts["claim"] == "2"]) == len(untrained.claim_2(cells))
    assert "untrained, Gobang: RoRa > WRo" in set(parts.query("claim == 'S31'")["part"])


def test_the_length_of_a_game_is_the_most_frequent_one(published: Evidence):
    assert plies_part(published, "othello", 32).word == stats.REPLICATED
    assert plies_part(published, "othello", 36).word == stats.NOT_REPLICATED


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
    assert rising.word == stats.REPLICATED
    # The last balance is above 0 because it ended the warm start; before it nothing rises here.
    flat = rising_part(
        Evidence({}, {"adaptive": balances([[-20, -30, -30 - n, -20, 50] for n in range(8)])}), "othello"
    )
    assert flat.word == stats.NOT_REPLICATED


def test_more_games_are_needed_for_a_smaller_effect():
    assert games_needed(0.05, 0.0, 0.1, 100) == pytest.approx(4 * games_needed(0.1, 0.05, 0.15, 100), rel=0.05)
    assert games_needed(0.0, -0.1, 0.1, 100) is None


# --- the whole ----------------------------------------------------------------------------------------------------


def test_a_claim_holds_with_all_its_parts_and_falls_with_one_unless_nearly_always_is_claimed():
    yes, no, open_ = stats.REPLICATED, stats.NOT_REPLICATED, stats.UNDECIDED
    assert combined([yes] * 9 + [no]) == no
    assert combined([yes] * 9 + [no], nearly=True) == yes
    assert combined([yes] * 8 + [no, open_], nearly=True) == open_
    assert combined([yes] * 8 + [no] * 2, nearly=True) == no
    assert combined([]) == open_


def test_designs_are_followed_or_not_by_our_parameters():
    rows = judge(EMPTY)[0].set_index("id")
    assert rows.loc["S21", "verdict"] == FOLLOWED
    assert rows.loc["S19", "verdict"] == FOLLOWED
    laptop = Evidence({}, {}, asked={a.name: a for a in Page(scale="laptop").experiments()})
    rows = judge(laptop)[0].set_index("id")
    assert rows.loc["S19", "verdict"] == DIFFERS, "the laptop preset trains one epoch"
    assert "ep = 1 instead of 10" in rows.loc["S19", "ours"]


def test_the_page_links_only_to_pages_that_are_there():
    rows, parts = judge(EMPTY)
    html = report.claim_table(report.seven(rows), "Seven.", {"orientation"}, parts).html
    assert 'href="orientation.html"' in html
    assert 'href="warmstart.html"' not in html and "warmstart" in html


def test_the_counts_are_those_of_the_rows():
    rows, _ = judge(Rated(warm_better(100)))
    counts = report.counts(rows)
    assert sum(counts.values()) == sum(isinstance(c, Claim) for c in CLAIMS)
    assert counts[stats.REPLICATED] == (rows["verdict"] == stats.REPLICATED).sum() > 3
    assert len(report.seven(rows)) + len(report.outcomes(rows)) + len(report.designs(rows)) == len(rows)


def test_orderings_name_runs_that_the_experiments_ask_for():
    for name, asked in EMPTY.asked.items():
        specs = family(name)
        if not specs:
            continue
        kinds = {(labels["board"], labels["kind"]) for labels, _ in asked.cells()}
        pools = {pool for _, pool, _ in asked.pools()}
        for spec in specs:
            assert all((spec.board, kind) in kinds for kind in spec.kinds()), spec
            assert getattr(spec, "pool", None) in {None, *pools}


def test_gathering_from_an_empty_store_finds_what_is_published_and_computes_nothing(
    tmp_path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path))
    evidence = gather([Orientation(games=2, rollouts=7, workers=1)])
    assert evidence.frames == {}
    assert LocalStore().count("match") == 0


def test_pairs_of_a_pool_are_looked_for_among_the_runs_that_are_there():
    assert EMPTY.sizes()["warmstart"] == 144 + 3 * len(list(combinations(range(49), 2)))


def test_a_level_is_shown_as_it_is_and_not_as_its_distance_from_the_claimed_one():
    found = elos({("gobang", m): 40 * (m != "baseline") for m in METHODS})
    _, parts = judge(Rated(found))
    shown = parts.set_index("part").loc["Gobang: Baseline at about -100", "effect"]
    level = found.loc[found["kind"] == "baseline", "elo"].mean() - found["elo"].mean()
    assert shown.startswith(f"{level:+.0f} Elo (")
