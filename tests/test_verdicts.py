"""Verdicts on trained players: the rules, case by case, and what they do to simulated experiments."""

import numpy as np
import pytest
from scipy.special import ndtr

from wslib.parameters import ParameterError
from wslib.study.statistics import decide
from wslib.study.statistics.compare import Comparison, Corrected, Verdict, corrected, smallest_p, verdicts
from wslib.study.statistics.decide import FEWEST_RUNS, MEASURES, OPPOSITE, REPLICATED, SMALL, UNDECIDABLE, UNDECIDED
from wslib.study.statistics.stats import Interval, holm, permutation_test


def around(mean: float, sd: float, runs: int = 8) -> list[float]:
    """Runs with exactly this mean and sample standard deviation."""
    if runs == 1:
        return [mean]
    x = np.arange(runs) - (runs - 1) / 2
    return list(mean + sd * x / x.std(ddof=1))


def verdict(comparison: Comparison) -> Verdict:
    """The verdict on one claim by itself."""
    (found,) = verdicts([comparison])
    return found


@pytest.mark.parametrize(
    ("first", "second", "claim", "word"),
    [
        (around(100, 30), around(0, 30), "higher", REPLICATED),
        (around(0, 30), around(100, 30), "higher", OPPOSITE),
        (around(0, 5), around(0, 5), "higher", SMALL),
        (around(10, 5), around(0, 5), "higher", REPLICATED),  # small, but there
        (around(-8, 25), around(0, 25), "higher", SMALL),
        (around(0, 24), around(0, 24), "higher", UNDECIDED),  # the interval reaches the margin
        (around(30, 50), around(0, 50), "higher", UNDECIDED),
        (around(0, 20), around(0, 20), "same", REPLICATED),
        (around(15, 10), around(0, 10), "same", REPLICATED),  # significant, yet too small to matter
        (around(100, 20), around(0, 20), "same", OPPOSITE),
        (around(-100, 20), around(0, 20), "same", OPPOSITE),
        (around(20, 20), around(0, 20), "same", UNDECIDED),
        (around(0, 100), around(0, 100), "same", UNDECIDED),
    ],
)
def test_a_verdict_follows_the_rules(first: list, second: list, claim: str, word: str):
    found = verdict(Comparison("x", first, second, claim=claim))
    assert found.word == word
    assert found.runs == (8, 8)
    assert (found.needed is not None) == (word == UNDECIDED)
    assert found.interval.low <= found.effect <= found.interval.high


def test_an_open_verdict_says_how_many_runs_would_decide():
    assert verdict(Comparison("x", around(30, 50), around(0, 50))).needed == 45


@pytest.mark.parametrize("runs", range(1, FEWEST_RUNS))
@pytest.mark.parametrize("claim", ["higher", "same"])
def test_fewer_than_five_runs_a_side_decide_nothing(runs: int, claim: str):
    for first, second in ((around(500, 1, 8), around(0, 1, runs)), (around(0, 1, runs), around(0, 1, 8))):
        found = verdict(Comparison("x", first, second, claim=claim))
        assert found.word == UNDECIDED
        assert found.needed is None or found.needed >= FEWEST_RUNS
    assert verdict(Comparison("x", around(500, 1, 5), around(0, 1, 5))).word == REPLICATED


def test_two_runs_have_no_interval():
    assert verdict(Comparison("x", around(50, 5, 2), around(0, 5, 8))).interval is None
    assert verdict(Comparison("x", around(50, 5, 3), around(0, 5, 8))).interval is not None


# --- the two corrections ------------------------------------------------------------------------------------------


def test_a_part_refutes_a_claim_of_several_only_by_a_simultaneous_interval():
    one = corrected([Comparison("x", around(-8, 25), around(0, 25))])[0]
    assert [one.verdict(parts).word for parts in (1, 15)] == [SMALL, UNDECIDED]
    wide, narrow = one.verdict(15).together, one.verdict(15).interval
    assert wide.high > MEASURES["elo"].small > narrow.high
    apart = corrected([Comparison("x", around(55, 20), around(0, 20), claim="same")])[0]
    assert [apart.verdict(parts).word for parts in (1, 15)] == [OPPOSITE, UNDECIDED]


def test_that_parts_hold_needs_no_correction():
    same = corrected([Comparison("x", around(0, 25), around(0, 25), claim="same")])[0]
    assert [same.verdict(parts).word for parts in (1, 15)] == [REPLICATED, REPLICATED]


def test_a_true_claim_of_many_parts_is_rarely_refuted_in_some_part():
    rng = np.random.default_rng(5)
    refuted = {1: 0, 15: 0}
    for _ in range(150):
        pairs = [(rng.normal(20, 40, 8), rng.normal(0, 40, 8)) for _ in range(15)]
        found = corrected([Comparison(str(k), *pair) for k, pair in enumerate(pairs)])
        for parts in refuted:
            refuted[parts] += any(one.verdict(parts).word in decide.REFUTING for one in found)
    assert refuted[15] <= 0.06 * 150 < 0.15 * 150 <= refuted[1]


def test_runs_that_lie_closer_together_than_their_games_allow_prove_nothing():
    close, far = Comparison("x", around(15, 1), around(0, 1)), Comparison("x", around(150, 1), around(0, 1))
    noisy = [Comparison("x", c.first, c.second, noise=(30.0, 30.0)) for c in (close, far)]
    assert [verdict(c).word for c in (close, *noisy)] == [REPLICATED, UNDECIDED, REPLICATED]
    found = verdict(noisy[0])
    # Welch's interval with a standard deviation of 30 in place of 1.
    assert found.interval == pytest.approx(verdict(Comparison("x", around(15, 30), around(0, 30))).interval)
    assert found.p == pytest.approx(2 * float(ndtr(-15 / (30 * np.sqrt(2 / 8)))))


def test_noise_that_is_smaller_than_the_spread_of_runs_changes_no_interval():
    plain, noisy = (verdict(Comparison("x", around(30, 50), around(0, 50), noise=(n, n))) for n in (0.0, 20.0))
    assert plain.interval == noisy.interval and plain.word == noisy.word


# --- what a design can decide -------------------------------------------------------------------------------------


def test_the_smallest_p_is_that_of_two_groups_that_do_not_overlap():
    for runs in ((5, 5), (4, 7), (8, 8)):
        first, second = np.arange(runs[0]) + 100, np.arange(runs[1])
        assert smallest_p(runs) == pytest.approx(permutation_test(first, second))
    assert smallest_p((6,)) == pytest.approx(permutation_test(np.arange(1, 7), np.zeros(6), paired=True))


def test_what_no_data_of_the_design_could_show_could_not_be_decided():
    far = Comparison("x", around(500, 10, 5), around(0, 10, 5), planned=(5, 5))
    (alone,), many = corrected([far]), corrected([far], designed=7)
    assert alone.verdict().word == REPLICATED
    open_ = Comparison("x", around(30, 60, 5), around(0, 60, 5), planned=(5, 5))
    assert corrected([open_], designed=6)[0].verdict().word == UNDECIDED
    assert corrected([open_], designed=7)[0].verdict().word == UNDECIDABLE  # 7 times 2 in 252 is above 5 %
    assert many[0].verdict().word == REPLICATED, "fewer tests were made than designed: what is seen counts"
    few = Comparison("x", around(30, 60, 3), around(0, 60, 3), planned=(3, 3))
    assert verdict(few).word == UNDECIDABLE
    assert verdict(Comparison("x", few.first, few.second, planned=(8, 8))).word == UNDECIDED, "more runs are to come"


def test_power_grows_with_runs_and_shrinks_with_tests_and_spread():
    def power(sd: float, runs: int, tests: int) -> float:
        return Corrected(Comparison("x", around(0, sd, runs), around(0, sd, runs)), None, tests).verdict().power

    assert power(50, 8, 1) == pytest.approx(0.46, abs=0.02)
    assert power(50, 20, 1) > power(50, 8, 1) > power(50, 8, 20) and power(25, 8, 1) > power(50, 8, 1)


# --- how bounds are shown -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [(19.2, "+19"), (19.7, "+19.7"), (19.97, "+19.97"), (20.0, "+20"), (20.3, "+20.3"), (-29.6, "-29.6"), (4.4, "+4")],
)
def test_rounding_does_not_carry_a_bound_over_a_margin(value: float, shown: str):
    assert MEASURES["elo"].bound(value) == shown


def test_bounds_of_rates_and_levels_keep_their_side_too():
    assert MEASURES["score"].bound(0.0296) == "+2.96" and MEASURES["score"].bound(0.0296, 0.5) == "+52.96"
    assert MEASURES["score"].bound(0.021, 0.5) == "+52.1"
    assert MEASURES["elo"].bound(29.8, -100) == "-70.2"
    assert decide.bound_text(49.7, [50]) == "49.7" and decide.bound_text(50.0, [50]) == "50", "shares of runs"
    assert decide.bound_text(89.96, [90], 1) == "89.96" and decide.bound_text(-0.04, [0], 1, "+") == "-0.04"


def test_bounds_are_compared_unrounded():
    just = Interval(-5.0, 19.999)
    assert decide.ordering(5.0, just, 0.5, 20.0) == SMALL
    assert decide.ordering(5.0, Interval(-5.0, 20.0), 0.5, 20.0) == UNDECIDED


# --- claims of several parts --------------------------------------------------------------------------------------


def test_one_thing_at_least_is_refuted_only_when_all_are():
    assert decide.at_least_one([OPPOSITE, SMALL, REPLICATED]) == REPLICATED
    assert decide.at_least_one([OPPOSITE, SMALL]) == SMALL
    assert decide.at_least_one([OPPOSITE, UNDECIDED, UNDECIDABLE]) == UNDECIDED
    assert decide.at_least_one([]) == UNDECIDED


def test_a_claim_that_needs_what_the_design_cannot_decide_is_not_called_open():
    assert decide.whole([REPLICATED, UNDECIDED, UNDECIDABLE]) == UNDECIDABLE
    assert decide.whole([REPLICATED, OPPOSITE, UNDECIDABLE]) == OPPOSITE
    assert decide.whole([REPLICATED, REPLICATED, UNDECIDABLE], enough=0.5) == REPLICATED


# --- families of tests --------------------------------------------------------------------------------------------


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
        (around(0.4, 0.05), "higher", OPPOSITE),
        (around(0.5, 0.02), "higher", SMALL),
        (around(0.5, 0.02), "same", REPLICATED),
        (around(0.5, 0.2), "same", UNDECIDED),
        (around(0.52, 0.09), "higher", UNDECIDED),
    ],
)
def test_scores_of_runs_are_compared_with_one_half(scores: list, claim: str, word: str):
    found = verdict(Comparison("x", scores, claim=claim, scale="score"))
    assert found.word == word
    assert found.effect == pytest.approx(np.mean(scores) - 0.5)
    assert MEASURES[found.scale].unit == "points"


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
