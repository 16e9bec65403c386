"""Intervals, tests and verdicts: against scipy, by hand, and by what they do to simulated matches."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from wslib.stats import (
    ALPHA,
    NOT_REPLICATED,
    REPLICATED,
    SAME,
    UNDECIDED,
    Interval,
    games_to_decide,
    holm,
    no_advantage_verdict,
    ordering_verdict,
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

WIDE, BELOW, ABOVE = Interval(0.3, 0.7), Interval(0.4, 0.5299), Interval(0.48, 0.6)
EDGE = Interval(0.4, 0.5 + SAME)
JUST = math.nextafter(ALPHA, 0)


@pytest.mark.parametrize(
    ("observed", "interval", "p", "ordering", "no_advantage"),
    [
        (0.60, ABOVE, JUST, REPLICATED, NOT_REPLICATED),
        (0.40, Interval(0.3, 0.45), JUST, NOT_REPLICATED, REPLICATED),
        (0.60, ABOVE, ALPHA, UNDECIDED, UNDECIDED),  # 5 % itself is not below 5 %
        (0.40, WIDE, ALPHA, UNDECIDED, UNDECIDED),
        (0.50, BELOW, 1.0, NOT_REPLICATED, REPLICATED),
        (0.48, BELOW, 0.2, NOT_REPLICATED, REPLICATED),
        (0.52, BELOW, 0.2, NOT_REPLICATED, REPLICATED),
        (0.50, EDGE, 1.0, UNDECIDED, UNDECIDED),  # 53 % itself is not below 53 %
        (0.50, WIDE, 1.0, UNDECIDED, UNDECIDED),
        (0.51, Interval(0.502, 0.518), 0.01, REPLICATED, NOT_REPLICATED),  # small, but there
    ],
)
def test_a_verdict_goes_by_the_sign_then_by_an_interval_below_53_percent(
    observed: float, interval: Interval, p: float, ordering: str, no_advantage: str
):
    assert ordering_verdict(observed, interval, p) == ordering
    assert no_advantage_verdict(observed, interval, p) == no_advantage


@pytest.mark.parametrize(
    ("wins", "draws", "losses", "verdict"),
    [
        (300, 0, 200, REPLICATED),
        (200, 0, 300, NOT_REPLICATED),
        (260, 0, 240, UNDECIDED),
        (5000, 0, 5000, NOT_REPLICATED),
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
    games = games_to_decide(*counts)
    played = np.random.default_rng(5).multinomial(games, np.array(counts) / sum(counts), 1500)
    share = np.mean([known_sign_test(int(wins), int(losses)) < ALPHA for wins, _, losses in played])
    assert 0.70 <= share <= 0.90


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
    if wins == losses:
        assert games is None
    elif sign_test(wins, losses) >= ALPHA:
        assert games > wins + draws + losses
