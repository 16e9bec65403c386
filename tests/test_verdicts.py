"""Verdicts on trained players: the rules fixed beforehand, case by case, and what they do to simulated experiments."""

import re

import numpy as np
import pytest

from wslib.parameters import ParameterError
from wslib.study.statistics.stats import NOT_REPLICATED, REPLICATED, UNDECIDED, holm, permutation_test
from wslib.study.statistics.verdicts import FEWEST_RUNS, Comparison, verdict, verdicts


def around(mean: float, sd: float, runs: int = 8) -> list[float]:
    """Runs with exactly this mean and sample standard deviation."""
    if runs == 1:
        return [mean]
    x = np.arange(runs) - (runs - 1) / 2
    return list(mean + sd * x / x.std(ddof=1))


@pytest.mark.parametrize(
    ("first", "second", "claim", "word", "says"),
    [
        (around(100, 30), around(0, 30), "higher", REPLICATED, "as claimed"),
        (around(0, 30), around(100, 30), "higher", NOT_REPLICATED, "the opposite of the claim"),
        (around(0, 5), around(0, 5), "higher", NOT_REPLICATED, r"below \+20 Elo"),
        (around(10, 5), around(0, 5), "higher", REPLICATED, "as claimed"),  # small, but there
        (around(-8, 25), around(0, 25), "higher", NOT_REPLICATED, r"below \+20 Elo"),
        (around(0, 24), around(0, 24), "higher", UNDECIDED, r"the interval reaches \+20 Elo"),
        (around(30, 50), around(0, 50), "higher", UNDECIDED, "about 45 runs a side would decide"),
        (around(0, 20), around(0, 20), "same", REPLICATED, "within ±30 Elo"),
        (around(15, 10), around(0, 10), "same", REPLICATED, "within ±30 Elo"),  # significant, yet too small to matter
        (around(100, 20), around(0, 20), "same", NOT_REPLICATED, "outside ±30 Elo"),
        (around(-100, 20), around(0, 20), "same", NOT_REPLICATED, "outside ±30 Elo"),
        (around(20, 20), around(0, 20), "same", UNDECIDED, "reaches over ±30 Elo"),
        (around(0, 100), around(0, 100), "same", UNDECIDED, "runs a side would decide"),
    ],
)
def test_a_verdict_follows_the_rules(first: list, second: list, claim: str, word: str, says: str):
    found = verdict(Comparison("x", first, second, claim=claim))
    assert found.word == word
    assert re.search(says, found.reason), found.reason
    assert "8 and 8 runs" in found.reason
    assert (found.needed is not None) == (word == UNDECIDED)
    assert found.interval.low <= found.effect <= found.interval.high


@pytest.mark.parametrize("runs", range(1, FEWEST_RUNS))
@pytest.mark.parametrize("claim", ["higher", "same"])
def test_fewer_than_five_runs_a_side_decide_nothing(runs: int, claim: str):
    for first, second in ((around(500, 1, 8), around(0, 1, runs)), (around(0, 1, runs), around(0, 1, 8))):
        found = verdict(Comparison("x", first, second, claim=claim))
        assert found.word == UNDECIDED
        assert "fewer than 5 runs a side decide nothing" in found.reason
        assert found.needed is None or found.needed >= FEWEST_RUNS
    assert verdict(Comparison("x", around(500, 1, 5), around(0, 1, 5))).word == REPLICATED


def test_all_orderings_of_an_experiment_share_one_correction():
    rng = np.random.default_rng(0)
    pairs = [(rng.normal(m, 50, 8), rng.normal(0, 50, 8)) for m in (90, 70, 50, 0)]
    found = verdicts([Comparison(str(k), *pair) for k, pair in enumerate(pairs)])
    assert [v.p for v in found] == pytest.approx(holm([permutation_test(*pair) for pair in pairs]))
    alone = verdict(Comparison("0", *pairs[0]))
    assert alone.p < found[0].p


def test_claims_of_no_difference_and_too_few_runs_are_not_corrected_for():
    strong = Comparison("strong", around(100, 30), around(0, 30))
    few = Comparison("few", around(100, 30, 4), around(0, 30, 4))
    same = Comparison("same", around(0, 10), around(0, 10), claim="same")
    alone, together = verdicts([strong])[0], verdicts([few, same, strong])[2]
    assert together.p == alone.p == pytest.approx(permutation_test(strong.first, strong.second))


def test_more_claims_ask_for_more_runs():
    weak = [Comparison(str(k), around(35, 50), around(0, 50)) for k in range(6)]
    assert verdicts(weak)[0].needed > verdicts(weak[:1])[0].needed


def test_a_small_advantage_is_decided_sooner_by_its_interval():
    found = verdict(Comparison("x", around(2, 30), around(0, 30)))
    assert found.word == UNDECIDED
    assert found.needed < 60


def test_paired_runs_are_compared_within_their_pairs():
    base = around(0, 200)
    gained = [b + g for b, g in zip(base, around(40, 10), strict=True)]
    assert verdict(Comparison("x", gained, base)).word == UNDECIDED
    found = verdict(Comparison("x", gained, base, paired=True))
    assert (found.word, found.effect) == (REPLICATED, pytest.approx(40))
    assert found.p == pytest.approx(2 / 2**8)


@pytest.mark.parametrize(
    ("scores", "claim", "word"),
    [
        (around(0.6, 0.05), "higher", REPLICATED),
        (around(0.4, 0.05), "higher", NOT_REPLICATED),
        (around(0.5, 0.02), "higher", NOT_REPLICATED),
        (around(0.5, 0.02), "same", REPLICATED),
        (around(0.5, 0.2), "same", UNDECIDED),
        (around(0.52, 0.09), "higher", UNDECIDED),
    ],
)
def test_scores_of_runs_are_compared_with_one_half(scores: list, claim: str, word: str):
    found = verdict(Comparison("x", scores, claim=claim, scale="score"))
    assert found.word == word
    assert found.effect == pytest.approx(np.mean(scores) - 0.5)
    assert "%" in found.reason and "Elo" not in found.reason


def test_methods_without_a_difference_are_called_different_in_at_most_one_of_twenty_experiments():
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(200):
        baseline = rng.normal(0, 50, 5)
        claims = [Comparison(str(k), rng.normal(0, 50, 5), baseline) for k in range(5)]
        alarms += any(v.p < 0.05 for v in verdicts(claims))
    assert alarms <= 0.08 * 200


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"claim": "better"}, "'better' is not allowed here: it should be one of higher, same"),
        ({"scale": "points"}, "'points' is not allowed here: it should be one of elo, score"),
        ({"second": [1.0], "paired": True}, "2 runs cannot be paired with 1"),
        ({"first": [1.0, np.inf]}, "every run should have a number"),
        ({"second": []}, "there are 0 runs"),
    ],
)
def test_what_is_no_comparison_is_refused_in_one_sentence(values: dict, sentence: str):
    with pytest.raises(ParameterError, match=sentence):
        Comparison(**{"name": "x", "first": [1.0, 2.0], "second": [0.0, 1.0], **values})
