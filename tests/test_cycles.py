"""Cycles: known games, what chance alone shows, and equilibria."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from wslib.parameters import ParameterError
from wslib.study.statistics.cycles import cycles, log_odds, nash_average, unexplained
from wslib.study.statistics.pairings import score_matrix
from wslib.study.statistics.rating import rate

ROCK = np.array([[0, 18, 2], [2, 0, 18], [18, 2, 0]])


def played(odds: np.ndarray, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and games of a round robin with these log-odds."""
    n = len(odds)
    number = games * (1 - np.eye(n))
    points = np.triu(np.random.default_rng(seed).binomial(games, expit(odds)), 1).astype(float)
    return points + np.tril(number - points.T, -1), number


def test_ratings_do_not_see_rock_paper_scissors_and_cycles_do():
    rows = [(str(i), str(j), ROCK[i, j] / 2, 0, ROCK[j, i] / 2) for i in range(3) for j in range(3) if i != j]
    results = pd.DataFrame(rows, columns=["first", "second", "wins", "draws", "losses"])
    assert rate(results).elo == pytest.approx(0, abs=1e-6)
    names, points, games = score_matrix(results)
    found = cycles(points, games)
    assert names == ["0", "1", "2"]
    assert found.share == pytest.approx(1)
    assert found.share > found.by_chance_most
    assert (found.cyclic, found.triples) == (1, 1)
    assert found.nash == pytest.approx([1 / 3] * 3, abs=1e-3)


def test_an_order_shows_no_more_cycles_than_chance():
    strength = np.linspace(1.5, -1.5, 7)
    odds = strength[:, None] - strength[None, :]
    for seed in range(3):
        found = cycles(*played(odds, 2000, seed))
        assert found.share < 0.02
        assert found.cyclic == 0
        assert found.nash[0] == pytest.approx(1, abs=1e-3)


def test_few_games_look_cyclic_and_the_simulation_says_how_much():
    strength = np.random.default_rng(0).normal(0, 0.5, 20)
    odds = strength[:, None] - strength[None, :]
    found = [cycles(*played(odds, 10, seed)) for seed in range(5)]
    assert all(f.share > 0.2 for f in found)
    assert sum(f.share > f.by_chance_most for f in found) <= 1
    assert np.mean([f.share for f in found]) == pytest.approx(np.mean([f.by_chance for f in found]), abs=0.1)


def test_a_matrix_of_differences_is_explained_and_what_is_added_is_not():
    strength = np.array([2.0, 0.5, -1.0, -1.5])
    odds, met = strength[:, None] - strength[None, :], ~np.eye(4, dtype=bool)
    share, ratings = unexplained(odds, met)
    assert share == pytest.approx(0, abs=1e-12)
    assert ratings - ratings.mean() == pytest.approx(strength - strength.mean())
    circle = np.array([[0, 1, 0, -1], [-1, 0, 1, 0], [0, -1, 0, 1], [1, 0, -1, 0.0]])
    share, ratings = unexplained(odds + circle, met)
    assert share == pytest.approx(np.sum(circle**2) / np.sum((odds + circle) ** 2))
    assert ratings - ratings.mean() == pytest.approx(strength - strength.mean())


def test_pairs_that_never_met_say_nothing():
    points, games = np.array([[0, 7, 0], [3, 0, 6], [0, 4, 0]]), np.array([[0, 10, 0], [10, 0, 10], [0, 10, 0]])
    found = cycles(points, games)
    assert found.share == pytest.approx(0, abs=1e-12)
    assert found.triples == 0
    assert log_odds(points, games)[0, 2] == 0


@pytest.mark.parametrize(
    ("odds", "mixture"),
    [
        (np.zeros((4, 4)), [0.25] * 4),
        ([[0, 1], [-1, 0]], [1, 0]),
        ([[0, 1, -2], [-1, 0, 3], [2, -3, 0]], [3 / 6, 2 / 6, 1 / 6]),
        # A twin of rock shares its part with it: of all equilibria the most mixed.
        ([[0, 0, 1, -1], [0, 0, 1, -1], [-1, -1, 0, 1], [1, 1, -1, 0]], [1 / 6, 1 / 6, 1 / 3, 1 / 3]),
    ],
)
def test_known_equilibria(odds, mixture: list[float]):
    found = nash_average(odds)
    assert found == pytest.approx(mixture, abs=2e-3)
    assert (found @ np.asarray(odds, float)).min() >= -1e-3, "nobody gains against it"


def test_nobody_gains_against_a_nash_average_of_many_players():
    a = np.random.default_rng(2).normal(size=(30, 30))
    odds = a - a.T
    found = nash_average(odds)
    assert found.sum() == pytest.approx(1)
    assert (found @ odds).min() >= -1e-6


@pytest.mark.parametrize(
    ("points", "games", "sentence"),
    [
        (np.zeros((2, 2)), np.zeros((2, 2)), "3 or more players"),
        (np.zeros((3, 4)), np.zeros((3, 4)), "square matrices"),
        (ROCK, ROCK, "should add up to its games"),
    ],
)
def test_what_are_no_results_is_refused(points: np.ndarray, games: np.ndarray, sentence: str):
    with pytest.raises(ParameterError, match=sentence):
        cycles(points, games)
