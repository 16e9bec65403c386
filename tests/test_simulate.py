"""Simulated tournaments: a true null, tests that keep their level and tests that do not, and many tests at once."""

from pathlib import Path

import numpy as np
import pytest

from wslib.parameters import ParameterError
from wslib.study.statistics.rating import S
from wslib.study.statistics.simulate import TESTS, CoverageUnit, FalseAlarms, FalseAlarmUnit
from wslib.study.statistics.stats import permutation_p


@pytest.fixture(scope="module")
def alarms() -> dict[tuple[float, int], dict[str, float]]:
    """A sample of the published simulation; the whole is `tests/bench/rating.py --alarms`."""
    return {
        (spread, distinct): FalseAlarmUnit(spread=spread, distinct=distinct, repetitions=400).compute_in(Path()).summary
        for spread, distinct in ((0, 20), (50, 20), (0, 2))
    }


def test_tests_on_runs_keep_their_level_whatever_the_spread_and_however_games_repeat(alarms):
    for found in alarms.values():
        assert 0.02 <= found["permutation"] <= 0.085
        assert 0.02 <= found["welch"] <= 0.085


def test_tests_on_games_keep_it_only_where_games_are_all_that_varies(alarms):
    for test in ("binomial", "elo"):
        assert alarms[0, 20][test] <= 0.085
        assert alarms[50, 20][test] > 0.3
        assert alarms[0, 2][test] > 0.3
    assert set(TESTS) == set(alarms[0, 20])


def test_a_true_difference_is_found_by_the_test_on_runs():
    # The null is simulated by drawing both sides alike; here the second side's ratings are moved.
    rng = np.random.default_rng(0)
    first, second = rng.normal(75, 50, (500, 8)), rng.normal(0, 50, (500, 8))
    assert 0.7 <= np.mean(permutation_p(first, second) < 0.05) <= 0.9


def test_intervals_of_ratings_hold_the_truth_unless_games_repeat():
    honest = CoverageUnit(repetitions=60).compute_in(Path()).summary
    repeated = CoverageUnit(distinct=2, repetitions=60).compute_in(Path()).summary
    for kind in ("covariance", "exact", "differences"):
        assert 0.92 <= honest[kind] <= 0.98
        assert 0.3 <= repeated[kind] <= 0.6


def test_games_follow_the_rating_model():
    unit = CoverageUnit(games=2000, distinct=2000, players=3)
    elo = np.array([100.0, 0.0, -50.0])
    wins, draws, losses = unit._played(elo, np.random.default_rng(0))
    z = elo[0] - elo[1] + unit.advantage
    assert wins[0, 1] / 1000 == pytest.approx(1 / (1 + np.exp(-S * (z - unit.drawelo))), abs=0.05)
    assert losses[0, 1] / 1000 == pytest.approx(1 / (1 + np.exp(-S * (-z - unit.drawelo))), abs=0.05)
    assert (wins + draws + losses == 1000 * (1 - np.eye(3))).all()
    repeated = CoverageUnit(games=20, distinct=2, players=3)._played(elo, np.random.default_rng(0))
    assert {int(n) for counts in repeated for n in counts.ravel()} == {0, 10}


def test_the_same_unit_gives_the_same_numbers_and_another_seed_others():
    unit = FalseAlarmUnit(repetitions=30)
    assert unit.compute_in(Path()).summary == unit.compute_in(Path()).summary
    ours, others = (CoverageUnit(repetitions=3, seed=s).compute_in(Path()).summary for s in (0, 1))
    assert ours != others


def test_the_experiment_asks_for_every_spread_with_new_and_with_repeated_games():
    asked = FalseAlarms()
    labels = asked.labels()
    assert len(asked.units()) == len({u.id for u in asked.units()}) == 10
    for part, group in labels.groupby("part"):
        assert set(group["distinct"]) == {20, 2}, part
    assert list(labels.query("part == 'false alarms' and distinct == 2")["spread"]) == [0, 25, 50, 100]
    assert {u.repetitions for u in asked.units()} == {4000, 1000}
    assert max(u.repetitions for u in FalseAlarms(preset="smoke").units()) == 20
    assert FalseAlarms(spreads="10, 20.5").spreads == (10, 20.5)
    assert [u.id for u in FalseAlarms(spreads="0,25,50,100").units()] == [u.id for u in asked.units()]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"spreads": "10, wide"}, r"spreads\[1\] = 'wide' is not allowed: it should be a number"),
        ({"spreads": (-1,)}, "is not allowed"),
        ({"spreads": [10**400]}, "is not allowed: it should be a number"),
        ({"games": 7}, "games = 7 is not allowed: it should be an even number"),
        ({"repetitions": 0}, "repetitions = 0 is not allowed"),
        ({"runs": 1}, "runs = 1 is not allowed"),
    ],
)
def test_what_cannot_be_simulated_is_refused_before_any_work(values: dict, sentence: str):
    with pytest.raises(ParameterError, match=sentence):
        FalseAlarms(**values).units()


def test_repeated_games_must_come_out_even():
    with pytest.raises(ParameterError, match="distinct = 6 is not allowed: it should divide games = 20"):
        FalseAlarmUnit(distinct=6)
