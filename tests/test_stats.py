"""Intervals, tests and verdicts: against scipy, by hand, and by what they do to simulated matches."""

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from wslib.parameters import ParameterError
from wslib.study.statistics import decide
from wslib.study.statistics.decide import OPPOSITE, REPLICATED, SMALL, UNDECIDED, negated
from wslib.study.statistics.stats import (
    ALPHA,
    EXACT,
    SAME,
    Interval,
    bootstrap_interval,
    difference_interval,
    games_to_decide,
    holm,
    improvement,
    interquartile_mean,
    mean_interval,
    permutation_p,
    permutation_test,
    pooled_binomial_test,
    power_of_t,
    runs_to_decide,
    score,
    sign_test,
    wilson,
)

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)
known_sign_test = cache(sign_test)


def test_a_draw_is_half_a_win():
    assert score(3, 2, 5) == 0.4
    assert score(0, 7, 0) == 0.5


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_interval_of_a_score_without_draws_is_wilsons(confidence: float):
    for n in (1, 2, 7, 20, 100, 500):
        for wins in sorted({0, 1, n // 3, n // 2, n - 1, n}):
            known = scipy_stats.binomtest(wins, n).proportion_ci(confidence, method="wilson")
            assert wilson(wins, 0, n - wins, confidence) == pytest.approx((known.low, known.high), abs=1e-12)


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
def test_an_interval_holds_its_score_and_mirrors_when_the_players_change_places(wins: int, draws: int, losses: int):
    if wins + draws + losses == 0:
        return
    low, high = wilson(wins, draws, losses)
    assert 0 <= low <= score(wins, draws, losses) + 1e-12
    assert 1 >= high >= score(wins, draws, losses) - 1e-12
    assert wilson(losses, draws, wins) == pytest.approx((1 - high, 1 - low), abs=1e-12)
    assert high - low > 0


def test_two_draws_count_like_a_win_and_a_loss():
    assert wilson(10, 4, 6) == pytest.approx(wilson(12, 0, 8))


def test_the_interval_covers_the_true_score_about_as_often_as_it_says():
    draw = np.random.default_rng(1)
    for p in (0.1, 0.5, 0.8):
        wins = draw.binomial(100, p, 2000)
        bounds = [wilson(int(w), 0, int(100 - w)) for w in wins]
        assert 0.925 <= np.mean([low <= p <= high for low, high in bounds]) <= 0.975


def test_draws_make_the_interval_cover_more_not_less():
    games = np.random.default_rng(2).multinomial(100, [0.3, 0.5, 0.2], 2000)
    covered = [low <= 0.55 <= high for low, high in (wilson(*map(int, counts)) for counts in games)]
    assert np.mean(covered) >= 0.97


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(5, 0, 1 / 16), (0, 5, 1 / 16), (6, 0, 1 / 32), (8, 2, 112 / 1024), (5, 5, 1), (1, 0, 1), (0, 0, 1)],
)
def test_the_sign_test_is_two_sided_and_exact(wins: int, losses: int, p: float):
    assert sign_test(wins, losses) == pytest.approx(p)


def test_holms_correction_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.001, 0.01, 0.02, 0.9]) == pytest.approx([0.004, 0.03, 0.04, 0.9])
    assert holm([0.5, 0.6]) == pytest.approx([1.0, 1.0])
    assert holm([0.02]) == pytest.approx([0.02])
    assert holm([]) == []


@given(p_values)
def test_corrected_values_are_no_smaller_than_p_and_keep_its_order(p: list[float]):
    corrected = holm(p)
    assert all(a >= b for a, b in zip(corrected, p, strict=True))
    assert all(c <= 1 for c in corrected)
    in_order = [c for _, c in sorted(zip(p, corrected, strict=True))]
    assert in_order == sorted(corrected)
    assert min(corrected) <= min(min(p) * len(p), 1) + 1e-12


@given(p_values, st.randoms())
def test_a_correction_does_not_depend_on_the_order_of_the_tests(p: list[float], shuffle):
    order = list(range(len(p)))
    shuffle.shuffle(order)
    before = holm(p)
    assert holm([p[i] for i in order]) == [before[i] for i in order]


# --- verdicts -----------------------------------------------------------------------------------------------------


def ordering_verdict(observed: float, interval: Interval, p: float) -> str:
    """The verdict on a win rate: as its distance from one half."""
    return decide.ordering(observed - 0.5, Interval(interval.low - 0.5, interval.high - 0.5), p, SAME)


WIDE, BELOW, ABOVE = Interval(0.3, 0.7), Interval(0.4, 0.5299), Interval(0.48, 0.6)
EDGE = Interval(0.4, 0.5 + math.nextafter(SAME, 1))
JUST = math.nextafter(ALPHA, 0)


@pytest.mark.parametrize(
    ("observed", "interval", "p", "ordering", "no_advantage"),
    [
        (0.60, ABOVE, JUST, REPLICATED, OPPOSITE),
        (0.40, Interval(0.3, 0.45), JUST, OPPOSITE, REPLICATED),
        (0.60, ABOVE, ALPHA, UNDECIDED, UNDECIDED),  # 5 % itself is not below 5 %
        (0.40, WIDE, ALPHA, UNDECIDED, UNDECIDED),
        (0.50, BELOW, 1.0, SMALL, REPLICATED),
        (0.48, BELOW, 0.2, SMALL, REPLICATED),
        (0.52, BELOW, 0.2, SMALL, REPLICATED),
        (0.50, EDGE, 1.0, UNDECIDED, UNDECIDED),  # 53 % itself is not below 53 %
        (0.50, WIDE, 1.0, UNDECIDED, UNDECIDED),
        (0.51, Interval(0.502, 0.518), 0.01, REPLICATED, OPPOSITE),  # small, but there
    ],
)
def test_a_verdict_goes_by_the_sign_then_by_an_interval_below_53_percent(
    observed: float, interval: Interval, p: float, ordering: str, no_advantage: str
):
    word = ordering_verdict(observed, interval, p)
    assert (word, negated(word)) == (ordering, no_advantage)


@pytest.mark.parametrize(
    ("wins", "draws", "losses", "verdict"),
    [
        (300, 0, 200, REPLICATED),
        (200, 0, 300, OPPOSITE),
        (260, 0, 240, UNDECIDED),
        (5000, 0, 5000, SMALL),
        (0, 500, 0, UNDECIDED),
        (4, 0, 0, UNDECIDED),
        (6, 0, 0, REPLICATED),
    ],
)
def test_verdicts_on_counts(wins: int, draws: int, losses: int, verdict: str):
    counts = (wins, draws, losses)
    assert ordering_verdict(score(*counts), wilson(*counts), sign_test(wins, losses)) == verdict


def family(counts: np.ndarray) -> list[str]:
    """The verdicts on the orderings of one experiment."""
    rows = [tuple(map(int, row)) for row in counts]
    p = holm([known_sign_test(wins, losses) for wins, _, losses in rows])
    return [ordering_verdict(score(*row), wilson(*row), q) for row, q in zip(rows, p, strict=True)]


def test_equal_players_are_called_different_in_about_one_of_twenty_tests():
    draw = np.random.default_rng(3)
    wins = draw.binomial(500, 0.5, 4000)
    counts = [(int(w), 0, int(500 - w)) for w in wins]
    verdicts = [ordering_verdict(score(*c), wilson(*c), known_sign_test(c[0], c[2])) for c in counts]
    significant = np.mean([known_sign_test(c[0], c[2]) < ALPHA for c in counts])
    assert 0.03 <= significant <= 0.06
    assert 0.01 <= np.mean([v == REPLICATED for v in verdicts]) <= 0.035


@pytest.mark.parametrize("probabilities", [[0.5, 0, 0.5], [0.35, 0.3, 0.35]])
def test_an_experiment_of_equal_players_raises_a_false_alarm_in_at_most_one_of_twenty(probabilities: list[float]):
    draw = np.random.default_rng(4)
    alarms = [REPLICATED in family(draw.multinomial(200, probabilities, 17)) for _ in range(1000)]
    assert 0.002 <= np.mean(alarms) <= 0.05


# --- how many games would decide ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "counts", [(55, 0, 45), (60, 0, 40), (40, 0, 60), (35, 40, 25), (11, 80, 9), (52, 0, 48), (9, 0, 1), (15, 5, 4)]
)
def test_the_games_said_to_decide_do_so_in_about_four_of_five_matches(counts: tuple[int, int, int]):
    games, draw = games_to_decide(*counts), np.random.default_rng(5)

    def decided(games: int) -> float:
        played = draw.multinomial(games, np.array(counts) / sum(counts), 1500).tolist()
        return np.mean(
            [known_sign_test(w, lost) < ALPHA or wilson(w, d, lost).high < 0.5 + SAME for w, d, lost in played]
        )

    assert decided(games // 4) < 0.70 <= decided(games)


def test_the_number_for_several_tests_decides_after_the_strictest_correction():
    games, tests = games_to_decide(60, 0, 40, tests=17), 17
    wins = np.random.default_rng(6).binomial(games, 0.6, 1500)
    share = np.mean([known_sign_test(int(w), int(games - w)) < ALPHA / tests for w in wins])
    assert 0.75 <= share <= 0.85


@pytest.mark.parametrize("wins", range(1, 6))
def test_so_few_games_that_nothing_can_decide_are_never_said_to(wins: int):
    assert games_to_decide(wins, 0, 0) == games_to_decide(0, 0, wins) == 6
    assert sign_test(6, 0) < ALPHA <= sign_test(5, 0)


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 200))
@settings(max_examples=300)
def test_what_is_not_significant_needs_more_games_than_were_played(wins: int, draws: int, losses: int):
    games = games_to_decide(wins, draws, losses)
    if wins + losses == 0:
        assert games is None
    elif sign_test(wins, losses) >= ALPHA:
        assert games is None or games > wins + draws + losses


def test_a_tie_is_decided_by_an_interval_that_leaves_no_room_for_an_advantage():
    games = games_to_decide(50, 0, 50)
    assert wilson(games // 2, 0, games // 2).high < 0.5 + SAME


# --- the run as unit ----------------------------------------------------------------------------------------------

SAMPLE = [12.0, -30.0, 55.0, 41.0, 8.0, 77.0, -5.0, 20.0]
OTHER = [-60.0, -11.0, 9.0, -42.0, 30.0, -25.0, 2.0]


def test_the_interval_of_a_mean_is_students():
    known = scipy_stats.ttest_1samp(SAMPLE, 0).confidence_interval()
    assert mean_interval(SAMPLE) == pytest.approx((known.low, known.high))
    assert mean_interval(SAMPLE, least=10.0) == mean_interval(SAMPLE), "the sample spreads more than that"
    low, high = mean_interval(SAMPLE, least=100.0)
    assert high - low == pytest.approx(2 * scipy_stats.t.ppf(0.975, 7) * 100 / math.sqrt(8))


def test_a_bootstrap_is_the_same_with_the_same_seed():
    found = bootstrap_interval([SAMPLE], np.mean)
    assert found.low < np.mean(SAMPLE) < found.high
    assert found == bootstrap_interval([SAMPLE], np.mean) != bootstrap_interval([SAMPLE], np.mean, seed=1)


def test_the_interval_of_a_difference_is_welchs():
    known = scipy_stats.ttest_ind(SAMPLE, OTHER, equal_var=False).confidence_interval()
    assert difference_interval(SAMPLE, OTHER) == pytest.approx((known.low, known.high))
    low, high = difference_interval(OTHER, SAMPLE)
    assert (-high, -low) == pytest.approx(difference_interval(SAMPLE, OTHER))


def test_runs_that_are_all_alike_have_an_interval_of_one_point():
    assert mean_interval([3.0] * 5) == (3, 3)
    assert difference_interval([3.0] * 5, [1.0] * 6) == (2, 2)


def test_a_bootstrap_interval_covers_a_mean_about_as_often_as_it_says():
    draw = np.random.default_rng(8)
    bounds = [bootstrap_interval([draw.normal(5, 3, 30)], np.mean) for _ in range(200)]
    assert 0.88 <= np.mean([low <= 5 <= high for low, high in bounds]) <= 0.985


def test_the_exact_permutation_test_is_that_of_scipy():
    random = np.random.default_rng(3)
    for first, second, digits in [(2, 3, 0), (5, 5, 1), (8, 8, 3), (3, 8, 0), (7, 4, 2)]:
        x, y = random.normal(0, 3, first).round(digits), random.normal(2, 3, second).round(digits)

        def lead(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
            return np.round(a.mean(axis) - b.mean(axis), 9)

        theirs = scipy_stats.permutation_test((x, y), lead, vectorized=True, n_resamples=np.inf)
        assert permutation_test(x, y) == pytest.approx(theirs.pvalue, rel=1e-12)
        several = permutation_p(np.array([x, y[0] - x, x + 2000]), np.array([y, y[0] - y, y + 2000]))
        assert several == pytest.approx([theirs.pvalue] * 3), "many at once, turned round, and far from 0"


@pytest.mark.parametrize(
    ("first", "second", "paired", "p"),
    [
        ([11, 12, 13, 14, 15], [1, 2, 3, 4, 5], False, 2 / 252),
        ([1, 2, 3, 4, 5], [11, 12, 13, 14, 15], False, 2 / 252),
        ([4, 5, 6, 7], [0, 1, 2, 3], False, 2 / 70),
        ([1, 2, 3], [1, 2, 3], False, 1),
        ([5, 5, 5], [5, 5, 5], False, 1),
        ([2, 3, 4, 5, 6, 7], [1, 1, 1, 1, 1, 1], True, 2 / 64),
        ([1, 2], [0, 0], True, 2 / 4),
    ],
)
def test_a_permutation_test_of_few_runs_is_exact(first: list, second: list, paired: bool, p: float):
    assert permutation_test(first, second, paired) == pytest.approx(p)
    shifted = [x + 1500 for x in first], [x + 1500 for x in second]
    assert permutation_test(*shifted, paired) == pytest.approx(p), "ties stay ties far from 0"


def test_equally_extreme_regroupings_count_whatever_the_last_bits_say():
    tenths = [7, 5, 4, 2, 2], [0, 0, 0, 1, 7]
    p = permutation_test(*tenths)
    sums = [sum(group) for group in combinations([*tenths[0], *tenths[1]], 5)]
    more, less = sum(s >= 20 for s in sums), sum(s <= 20 for s in sums)
    assert p == pytest.approx(2 * min(more, less) / 252)
    for shift in (0.0, 0.3, 1500.7):
        moved = [[x / 10 + shift for x in side] for side in tenths]
        assert permutation_test(*moved) == pytest.approx(p)


def test_pairing_finds_a_small_gain_that_large_spreads_hide():
    base = [0, 100, 200, 300, 400, 500, 600, 700]
    gained = [x + 5 + k for k, x in enumerate(base)]
    assert permutation_test(gained, base, paired=True) == pytest.approx(2 / 256)
    assert permutation_test(gained, base) > 0.8


def test_many_runs_are_regrouped_at_random_with_the_same_result_for_the_same_seed():
    draw = np.random.default_rng(9)
    x, y = draw.normal(0.7, 1, 15), draw.normal(0, 1, 15)
    assert math.comb(30, 15) > EXACT
    p = permutation_test(x, y)
    assert p == permutation_test(x, y)
    assert p == pytest.approx(scipy_stats.ttest_ind(x, y).pvalue, abs=0.01)


def test_the_probability_of_improvement_counts_pairs_and_halves_ties():
    assert improvement([1, 2], [1, 2]).value == 0.5
    assert improvement([5, 6, 7], [1, 2, 3]) == (1.0, None), "resampling cannot show what was never seen"
    assert improvement([5, 1], [2, 3]).interval is bootstrap_interval([[1.0]], np.mean) is None, "nor do two runs"
    found = improvement(SAMPLE, OTHER)
    ahead = np.mean([x > y for x in SAMPLE for y in OTHER])
    assert found.value == ahead
    assert found.interval.low < ahead < found.interval.high
    back = improvement(OTHER, SAMPLE)
    assert back.value == pytest.approx(1 - ahead)


def test_the_interquartile_mean_leaves_out_the_lowest_and_the_highest_quarter_of_all_games():
    scores = {"othello": [0.0, 0.5, 0.6, 0.99], "gobang": [0.4, 0.5, 0.6, 1.0]}
    found = interquartile_mean(scores)
    assert found.value == pytest.approx((0.5 + 0.5 + 0.6 + 0.6) / 4)
    spoilt = interquartile_mean({**scores, "othello": [-50.0, 0.5, 0.6, 0.99]})
    assert spoilt.value == pytest.approx(found.value)
    assert found.interval.low < found.value < found.interval.high


def test_resampling_keeps_to_a_game():
    # All spread is between the games: runs of one game are alike, so resampling inside it changes nothing.
    assert interquartile_mean({"easy": [0.9] * 4, "hard": [0.1] * 4}) == (0.5, None), "and there is no interval"


def test_the_pooled_test_takes_all_games_for_independent():
    assert pooled_binomial_test(600, 500) == pytest.approx(scipy_stats.binomtest(600, 1100).pvalue)


@pytest.mark.parametrize(
    ("effect", "paired", "tests"), [(40, False, 1), (75, False, 1), (75, False, 5), (60, True, 1), (-75, False, 1)]
)
def test_the_runs_said_to_decide_do_so_in_four_of_five_experiments(effect: float, paired: bool, tests: int):
    runs = runs_to_decide(effect, sd=50, tests=tests, paired=paired)
    draw = np.random.default_rng(10)
    x, y = draw.normal(effect, 50, (3000, runs)), draw.normal(0, 50, (3000, runs))
    test = scipy_stats.ttest_1samp(x, 0, axis=1) if paired else scipy_stats.ttest_ind(x, y, axis=1)
    assert 0.78 <= np.mean(test.pvalue < ALPHA / tests) <= 0.88
    assert power_of_t(effect, 50, runs - 1, ALPHA / tests, paired) < 0.8


def test_so_few_runs_that_no_permutation_is_significant_are_never_said_to_decide():
    assert runs_to_decide(1000, sd=1) == 4  # 2 of 70
    assert runs_to_decide(1000, sd=1, tests=5) == 5  # 2 of 252
    assert runs_to_decide(1000, sd=1, paired=True) == 6  # 2 of 64
    assert runs_to_decide(1000, sd=0) == 4
    assert runs_to_decide(0, sd=50) is None
    assert runs_to_decide(1e-6, sd=50) is None


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: mean_interval([1.0]), "there are 1 runs: 2 should be there at least"),
        (lambda: mean_interval([1.0, math.nan]), "a run has the value nan: every run should have a number"),
        (lambda: permutation_test([1, 2], [1, 2, 3], paired=True), "2 runs cannot be paired with 3"),
        (lambda: improvement([1.0], [2.0]), "there are 1 runs"),
        (lambda: interquartile_mean({}), "there are no games"),
    ],
)
def test_too_few_or_missing_runs_are_refused_in_one_sentence(ask, sentence: str):
    with pytest.raises(ParameterError, match=sentence):
        ask()
