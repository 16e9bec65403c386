"""Bayesian Elo: against reference ratings, against an independent fit, by hand, and by what is refused."""

import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from wslib.games import game
from wslib.parameters import ParameterError
from wslib.play import match, player
from wslib.study.statistics.pairings import components, first_listed, ordered_pairs, score_matrix, variety
from wslib.study.statistics.rating import THESIS, RatingSettings, rate

sys.path.insert(0, str(Path(__file__).parent / "bench"))
from rating import CONVERGED, DATA, PRINTED, distances, reference, tournament

COLUMNS = ["first", "second", "wins", "draws", "losses"]
CASES = [
    (folder.name, *case) for folder in sorted(p for p in DATA.iterdir() if p.is_dir()) for case in reference(folder)
]


def frame(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS)


TRIO = frame(("a", "b", 5, 1, 2), ("b", "a", 3, 2, 3), ("b", "c", 6, 0, 2), ("c", "a", 1, 1, 6), ("a", "c", 4, 0, 0))


# --- against the reference ratings --------------------------------------------------------------------------------


def test_every_reference_set_setting_and_kind_of_interval_is_there():
    assert len(CASES) == 38
    assert {settings.interval for _, _, _, settings, _ in CASES} == {"covariance", "variance", "exact"}


@pytest.mark.parametrize(
    ("results", "row", "settings", "expected"), [c[1:] for c in CASES], ids=[f"{c[0]}-{c[2].setting}" for c in CASES]
)
def test_ratings_and_intervals_agree_with_the_reference(results, row, settings, expected):
    rating = rate(results, settings)
    ours = rating.frame()
    far = distances(expected, ours)
    assert far["printed"] <= PRINTED
    assert list(expected.index[:1]) == list(ours["player"][:1])
    ours = ours.set_index("player").loc[expected.index]
    assert (ours["games"] == expected["games"]).all()
    assert (100 * ours["score"] - expected["score_pct"]).abs().max() <= 0.51
    assert (100 * ours["draws"] - expected["draws_pct"]).abs().max() <= 0.51
    if row.setting != "published_by_author":
        assert far["converged"] <= CONVERGED
        assert (ours["opponents"] - expected["oppo_mean_elo"]).abs().max() <= PRINTED
        assert rating.log_likelihood == pytest.approx(row.loglik, rel=1e-5)
        assert rating.scale == pytest.approx(row.scale, rel=1e-4)  # printed before the last steps
        assert rating.advantage == pytest.approx(row.advantage_converged, abs=0.01)
        assert rating.drawelo == pytest.approx(row.drawelo_converged, abs=0.01)


# --- against other ways to compute the same -----------------------------------------------------------------------


def log_likelihood(point: np.ndarray, results: pd.DataFrame, names: list[str], prior: float) -> float:
    """Game by game from the three probabilities, the virtual draws written out pair by pair."""
    elo, advantage, drawelo = dict(zip(names, point, strict=False)), point[-2], point[-1]
    games, met = dict.fromkeys(names, 0.0), {}
    for row in results.itertuples():
        number = row.wins + row.draws + row.losses
        for one, other in ((row.first, row.second), (row.second, row.first)):
            games[one] += number
            met[one, other] = met.get((one, other), 0) + number
    total = 0.0
    for i, j in permutations(names, 2):
        z = elo[i] - elo[j] + advantage
        win, loss = 1 / (1 + 10 ** ((drawelo - z) / 400)), 1 / (1 + 10 ** ((drawelo + z) / 400))
        rows = results[(results["first"] == i) & (results["second"] == j)]
        virtual = prior / 4 * met.get((i, j), 0) * (1 / games[i] + 1 / games[j])
        total += rows["wins"].sum() * np.log(win) + rows["losses"].sum() * np.log(loss)
        if drawn := rows["draws"].sum() + virtual:
            total += drawn * np.log(1 - win - loss)
    return total


@pytest.mark.parametrize("prior", [0.5, 2.0, 10.0])
def test_ratings_advantage_and_drawelo_are_those_that_a_plain_optimiser_finds(prior: float):
    names = ["a", "b", "c"]
    found = minimize(
        lambda p: -log_likelihood(p, TRIO, names, prior), [0, 0, 0, 0, 100.0], method="Nelder-Mead",
        options={"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-6, "fatol": 1e-12},
    )  # fmt: skip
    ours = rate(TRIO, RatingSettings(prior=prior, scaled=False))
    assert [ours[n] for n in names] == pytest.approx(found.x[:3] - found.x[:3].mean(), abs=0.01)
    assert (ours.advantage, ours.drawelo) == pytest.approx(tuple(found.x[3:]), abs=0.01)
    assert ours.log_likelihood == pytest.approx(-found.fun, abs=1e-8)


@pytest.mark.parametrize(("wins", "elo"), [(1, 89.26), (2, 150.16), (3, 195.84), (4, 232.2), (5, 262.4)])
def test_two_virtual_draws_keep_a_player_who_won_everything_within_bounds(wins: int, elo: float):
    settings = RatingSettings(advantage=32.8, drawelo=97.3, scaled=False)
    assert rate(frame(("a", "b", wins, 0, 0)), settings).difference("a", "b").elo == pytest.approx(elo, abs=0.05)


def test_covariance_is_the_inverse_curvature_of_the_likelihood():
    settings = RatingSettings(advantage=20, drawelo=80, scaled=False)
    rating, names, step = rate(TRIO, settings), ["a", "b", "c"], 1.0
    assert rating.players == tuple(names)

    def at(*moves: tuple[int, float]) -> float:
        point = np.array([*rating.elo, 20.0, 80.0])
        for k, by in moves:
            point[k] += by
        return log_likelihood(point, TRIO, names, 2.0)

    def bend(i: int, j: int) -> float:
        corners = [sign * at((i, by), (j, sign * by)) for by in (step, -step) for sign in (1, -1)]
        return sum(corners) / (4 * step**2)

    curvature = np.array([[bend(i, j) for j in range(3)] for i in range(3)])
    assert rating.covariance == pytest.approx(np.linalg.pinv(-curvature, rcond=1e-6), rel=1e-3)
    assert rating.covariance.sum(axis=0) == pytest.approx(0, abs=1e-6)


def test_a_large_tournament_finds_the_true_strengths_within_its_intervals():
    true = np.random.default_rng(0).normal(0, 150, 89)
    rating = rate(tournament(), RatingSettings(scaled=False))
    table = rating.frame().set_index("player").loc[[f"p{i}" for i in range(89)]]
    inside = (table["low"] <= true - true.mean()) & (true - true.mean() <= table["high"])
    assert 0.88 <= inside.mean() <= 1
    assert rating.advantage == pytest.approx(30, abs=4)
    assert rating.drawelo == pytest.approx(0.3 * 400 / np.log(10), abs=4)


# --- what ratings mean --------------------------------------------------------------------------------------------


def test_the_order_of_rows_and_their_splitting_change_nothing():
    halves = pd.concat([TRIO.assign(wins=TRIO["wins"] - 1), TRIO.assign(wins=1, draws=0, losses=0)])
    shuffled = rate(halves.sample(frac=1, random_state=1))
    for name in "abc":
        assert shuffled[name] == pytest.approx(rate(TRIO)[name], abs=1e-6)


def test_exchanging_wins_and_losses_mirrors_ratings():
    mirrored = TRIO.rename(columns={"wins": "losses", "losses": "wins"})
    ours, theirs = rate(TRIO), rate(mirrored)
    assert [theirs[n] for n in "abc"] == pytest.approx([-ours[n] for n in "abc"], abs=1e-6)
    assert theirs.advantage == pytest.approx(-ours.advantage, abs=1e-6)


def test_a_difference_knows_that_ratings_vary_together():
    rating = rate(TRIO)
    d = rating.difference("a", "c")
    assert d.elo == pytest.approx(rating["a"] - rating["c"])
    a, c = (rating.players.index(n) for n in "ac")
    k = rating.covariance
    assert d.high - d.low == pytest.approx(2 * 1.959964 * np.sqrt(k[a, a] + k[c, c] - 2 * k[a, c]))
    assert rating.difference("c", "a") == pytest.approx((-d.elo, -d.high, -d.low, 1 - d.superiority))
    assert d.superiority > 0.5
    assert rating.difference("a", "a") == (0, 0, 0, 0.5)


def test_the_difference_of_groups_is_that_of_their_means():
    rating = rate(tournament(8))
    one, two = ["p0", "p1", "p2"], ["p5", "p6"]
    d = rating.group_difference(one, two)
    assert d.elo == pytest.approx(np.mean([rating[p] for p in one]) - np.mean([rating[p] for p in two]))
    alone = rating.difference("p0", "p5")
    assert d.high - d.low < alone.high - alone.low
    assert rating.group_difference(["p0"], ["p5"]) == alone


def test_an_anchor_moves_all_ratings_alike_and_no_difference():
    free, held = rate(TRIO), rate(TRIO, RatingSettings(anchor=("b", 1000)))
    moved = rate(TRIO, RatingSettings(offset=300))
    assert held["b"] == pytest.approx(1000)
    assert np.mean(moved.elo) == pytest.approx(300)
    for other in (held, moved):
        assert other.difference("a", "c") == pytest.approx(free.difference("a", "c"))
        assert other.high - other.low == pytest.approx(free.high - free.low)
        assert other.frame()["opponents"].iloc[0] != pytest.approx(free.frame()["opponents"].iloc[0])


def test_the_expected_outcome_of_equal_players_shows_advantage_and_draws():
    rating = rate(TRIO)
    for first, second in permutations("abc", 2):
        out = rating.expected(first, second)
        assert sum(out) == pytest.approx(1)
        assert min(out) > 0
    # Shown ratings are scaled, the model's are not.
    held = {"advantage": 32.8, "drawelo": 97.3}
    scaled, plain = rate(TRIO, RatingSettings(**held)), rate(TRIO, RatingSettings(**held, scaled=False))
    assert scaled["a"] == pytest.approx(0.925497 * plain["a"], rel=1e-5)
    assert scaled.expected("a", "c") == pytest.approx(plain.expected("a", "c"))
    win = 1 / (1 + 10 ** ((97.3 - plain["a"] + plain["c"] - 32.8) / 400))
    assert plain.expected("a", "c").win == pytest.approx(win)
    # On average the model expects what happened.
    weak = rate(TRIO, RatingSettings(prior=1e-6))
    expected = sum((r.wins + r.draws + r.losses) * weak.expected(r.first, r.second).score for r in TRIO.itertuples())
    assert expected == pytest.approx((TRIO["wins"] + TRIO["draws"] / 2).sum(), abs=0.5)


def test_an_interval_is_wider_with_fewer_games_and_with_more_confidence():
    for interval in ("covariance", "variance", "exact"):
        width = {}
        for games in (10, 40):
            for confidence in (0.8, 0.95):
                rating = rate(tournament(5, games), RatingSettings(interval=interval, confidence=confidence))
                width[games, confidence] = float(np.mean(rating.high - rating.low))
        assert width[10, 0.95] > width[10, 0.8] > width[40, 0.8]
        assert width[40, 0.95] > width[40, 0.8]


def test_the_thesis_setting_loses_colours_and_ours_keeps_them():
    equal = frame(("a", "b", 15, 0, 5), ("b", "a", 15, 0, 5))
    ours, thesis = rate(equal), rate(equal, THESIS)
    assert ours["a"] == pytest.approx(ours["b"], abs=1e-6)
    assert ours.advantage > 100
    assert thesis.advantage == 32.8
    # Whoever is listed first seems to have had the first move, and to have made nothing of it.
    assert thesis["a"] < thesis["b"] - 20
    assert rate(frame(*equal.to_records(index=False).tolist()[::-1]), THESIS)["a"] > thesis["b"] - 1


# --- results in other forms ---------------------------------------------------------------------------------------


def test_games_and_matches_give_the_same_ratings():
    played = match(game("tictactoe"), player("mcts", simulations=20), player("random"), games=40, seed=3)
    games = played.frame().assign(a="mcts", b="random")
    summary = pd.DataFrame([{"a": "mcts", "b": "random", **played.summary()}])
    one, two = ordered_pairs(games), ordered_pairs(summary)
    key = ["first", "second"]
    pd.testing.assert_frame_equal(
        one.sort_values(key, ignore_index=True), two.sort_values(key, ignore_index=True), check_dtype=False
    )
    assert rate(games)["mcts"] == pytest.approx(rate(summary)["mcts"])
    assert rate(games)["mcts"] > rate(games)["random"]
    by_hand = sum((g.result_a == 1) and (g.a_first == 1) for g in games.itertuples())
    assert one.set_index(key).loc[("mcts", "random"), "wins"] == by_hand


def test_summing_colours_keeps_points_and_the_order_of_listing():
    summed = first_listed(TRIO)
    assert list(zip(summed["first"], summed["second"], strict=True)) == [("a", "b"), ("b", "c"), ("c", "a")]
    assert summed[["wins", "draws", "losses"]].to_numpy().tolist() == [[8, 3, 5], [6, 0, 2], [1, 1, 10]]


def test_variety_counts_distinct_games_within_a_pairing():
    games = pd.DataFrame(
        [("x", "y", 1, 1, "c1"), ("y", "x", 1, 0, "c1"), ("x", "y", 0, -1, "c2"), ("x", "z", 1, -1, "c1")],
        columns=["a", "b", "a_first", "result_a", "moves"],
    )
    found = variety(games).set_index("player")
    assert found.loc["all"].to_dict() == {"games": 4, "distinct": 3, "draws": 0.25, "first_mover": 2.5 / 4}
    assert found.loc["x"].to_dict() == found.loc["all"].to_dict()
    assert found.loc["z"].to_dict() == {"games": 1, "distinct": 1, "draws": 0, "first_mover": 0}


def test_the_score_matrix_adds_both_colours_and_groups_leave_out_their_inner_games():
    names, points, games = score_matrix(TRIO)
    assert names == ["a", "b", "c"]
    assert points[0, 1] == 5 + 0.5 + 3 + 1
    assert (points + points.T == games).all()
    names, points, games = score_matrix(TRIO, {"a": "A", "b": "A", "c": "C"})
    assert names == ["A", "C"]
    assert games[0, 1] == 8 + 8 + 4
    assert points[0, 1] == 6 + 6.5 + 4


# --- what cannot be rated -----------------------------------------------------------------------------------------


def test_players_whom_no_games_connect_are_not_rated_together():
    apart = pd.concat([TRIO, frame(("d", "e", 1, 0, 1))])
    with pytest.raises(ParameterError, match=r"no games connect these 2 groups, .*: a, b, c; d, e; rate each"):
        rate(apart)
    with pytest.raises(ParameterError, match=r"no games connect .*: a, b, c; lonely"):
        rate(TRIO, players=["lonely"])
    assert [rate(apart[apart["first"].isin(part)]).players[0] for part in components(apart)] == ["a", "d"]


def test_a_row_without_games_connects_nobody():
    assert len(components(frame(("a", "b", 1, 0, 0), ("b", "c", 0, 0, 0)))) == 2


GAMES = pd.DataFrame({"a": "x", "b": "y", "a_first": [True, False, True], "result_a": [1, 0, -1]})


@pytest.mark.parametrize(
    ("results", "settings", "sentence"),
    [
        (frame(), {}, "there are no results"),
        (frame(("a", "a", 1, 0, 0)), {}, "'a' meets itself"),
        (frame(("a", "b", -1, 0, 3)), {}, "a against b has -1 wins.*counts should be 0 or more"),
        (frame(("a", "b", np.nan, 0, 3)), {}, "counts should be 0 or more"),
        (frame(("a", None, 1, 0, 3)), {}, "a player has no name"),
        (TRIO.drop(columns="draws"), {}, "cannot be rated: they should have first, second"),
        (frame(("a", "b", 0, 5, 0)), {}, "every game is a draw, so drawelo cannot be estimated"),
        (frame(("a", "b", 3, 0, 0), ("b", "c", 3, 0, 0)), {}, "whoever moves first never loses, so advantage and draw"),
        (frame(("a", "b", 0, 1, 3)), {}, "whoever moves first never wins"),
        (frame(("a", "b", 3, 0, 2)), {"prior": 0}, "every game is decided, so drawelo cannot be estimated"),
        (TRIO, {"anchor": ("z", 0)}, "the anchor 'z' is not among the players: a, b, c"),
        (frame(("a", "b", 3, 0, 0), ("b", "a", 0, 0, 3)), {"prior": 0, "drawelo": 97.3}, "without a prior [ab] cannot"),
        (
            frame(("a", "b", 3, 0, 0), ("b", "a", 3, 0, 0)),
            {"prior": 0, "drawelo": 97.3},
            "set the ratings no limit: give a prior above 0",
        ),
        *(
            (frame(("a", "b", n, 0, 0), ("b", "a", 0, 0, n)), {}, "set the ratings no limit: give drawelo, as 97.3")
            for n in (1, 2, 5, 9, 20, 200)  # Newton's method may believe to have arrived far out
        ),
        (GAMES.assign(result_a=[1, 0.5, 0]), {}, "result_a = 0.5 is not allowed: it should be 1 where A won, 0 for"),
        (GAMES.assign(result_a="win"), {}, "result_a = 'win' is not allowed"),
        (GAMES.assign(a_first=["1", "0", "1"]), {}, "a_first = '1' is not allowed: it should be whether A moved"),
    ],
)
def test_what_cannot_be_rated_is_refused_in_one_sentence(results: pd.DataFrame, settings: dict, sentence: str):
    with pytest.raises(ParameterError, match=sentence):
        rate(results, RatingSettings(**settings))


@pytest.mark.parametrize("wrong", [{"prior": -1}, {"drawelo": 0}, {"interval": "guess"}, {"confidence": 1}])
def test_settings_out_of_range_are_refused(wrong: dict):
    with pytest.raises(ParameterError, match="is not allowed"):
        RatingSettings(**wrong)


def test_a_player_who_is_not_there_has_no_rating():
    for ask in (lambda r: r["z"], lambda r: r.difference("a", "z"), lambda r: r.expected("z", "a")):
        with pytest.raises(ParameterError, match="'z' is not among the 3 rated players"):
            ask(rate(TRIO))
    with pytest.raises(ParameterError, match="a group has no players"):
        rate(TRIO).group_difference([], ["a"])


@pytest.mark.parametrize(
    "extreme",
    [
        frame(("a", "b", 1, 10_000, 1)),
        frame(("a", "b", 10_000, 0, 0), ("b", "a", 1, 0, 10_000)),
        frame(("a", "b", 0, 0, 10_000), ("b", "a", 1, 1, 1), ("c", "a", 1, 0, 0)),
        frame(("p0", "p1", 1, 0, 1), *((f"p{i}", f"p{i + 1}", 50, 0, 0) for i in range(20))),
    ],
)
def test_extreme_results_have_finite_ratings_at_the_top_of_the_likelihood(extreme: pd.DataFrame):
    rating = rate(extreme, RatingSettings(scaled=False))
    assert np.isfinite([*rating.elo, *rating.low, *rating.high, rating.advantage, rating.drawelo]).all()
    names = list(rating.players)
    best = np.array([*rating.elo, rating.advantage, rating.drawelo])
    top = log_likelihood(best, extreme, names, 2.0)
    for k in range(len(best)):
        for by in (-0.5, 0.5):
            moved = best.copy()
            moved[k] += by
            if moved[-1] > 0:
                assert log_likelihood(moved, extreme, names, 2.0) <= top + 1e-9 * abs(top)


def test_a_rating_shows_players_games_and_what_was_estimated():
    shown = repr(rate(TRIO, RatingSettings(advantage=32.8)))
    assert "3 players, 36 games, advantage 32.8 (given), drawelo" in shown
    assert "(estimated)" in shown
    assert [line.split()[0] for line in shown.splitlines()[2:]] == ["a", "b", "c"]
