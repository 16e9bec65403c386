"""Self-play: what is stored of its games, who moves in them, what its searches are told, both switches."""

from dataclasses import replace

import numpy as np
import pytest
from learners import after, replayed, small, three_games, watched

from wslib.games import FIRST, Position, game
from wslib.network.model import Network
from wslib.parameters import ParameterError
from wslib.rhea import RheaSettings
from wslib.search import GuidedSettings
from wslib.study.presets import preset
from wslib.training import loop as training
from wslib.training.loop import advance, compete, is_warm, self_play, start
from wslib.training.settings import RAVE_OPTIONS, RHEA_OPTIONS, RunSettings, weight_of, weights_of


def outcome_for(position: Position, end: Position) -> int:
    """The result of a game for whoever is to move in a position of it."""
    return 0 if end.winner is None else 1 if end.winner == position.to_move else -1


# --- weights ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({"warm_iterations": 5}, [1.0, 0.8, 0.6, 0.4, 0.2]),
        ({"warm_iterations": 1}, [1.0]),
        ({"warm_iterations": 4, "weight": "shifted"}, [0.75, 0.5, 0.25, 0.0]),
        ({"warm_iterations": 3, "weight": "half"}, [0.5, 0.5, 0.5]),
        ({"switch": "adaptive"}, [1.0, 1 / 2, 1 / 3, 1 / 4, 1 / 5]),
        ({"switch": "adaptive", "weight": "half"}, [0.5, 0.5]),
        ({"weight": 0.3}, [0.3, 0.3, 0.3]),
        ({"weight": 0}, [0.0, 0.0]),
        ({"weight": "inverse"}, [1.0, 1 / 2, 1 / 3, 1 / 4]),
        ({"weight": "linear", "weight_iterations": 2}, [1.0, 0.5, 0.0, 0.0]),
        ({"weight": "linear", "weight_iterations": 4, "switch": "adaptive"}, [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]),
        ({"weights": (1, 0.7, 0.1)}, [1.0, 0.7, 0.1, 0.1, 0.1]),
        ({"weights": weights_of(lambda i: i**-2.0, 3), "switch": "adaptive"}, [1.0, 1 / 4, 1 / 9, 1 / 9]),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["wro", "wrora"])
def test_the_weight_of_playouts_falls_by_its_schedule_which_may_be_a_number_a_decay_or_a_function(
    method, options, weights
):
    run = RunSettings(game="connect4", method=method, **options)
    assert [weight_of(run, i + 1) for i in range(len(weights))] == pytest.approx(weights)
    assert [run.warm_search(i + 1).weight for i in range(len(weights))] == pytest.approx(weights)


def test_a_function_s_weights_are_those_of_the_iterations_counted_from_1():
    assert weights_of(lambda i: 1 / i, 4) == (1.0, 1 / 2, 1 / 3, 1 / 4)
    with pytest.raises(ParameterError, match="iterations = 0 is not allowed"):
        weights_of(lambda i: 1 / i, 0)


@pytest.mark.parametrize("method", ["rollout", "rave", "rora", "rhea", "baseline"])
def test_a_method_that_mixes_nothing_has_no_weight(method):
    assert weight_of(RunSettings(game="connect4", method=method), 1) is None


# --- what the searches are told ---------------------------------------------------------------------------------------


def test_the_weight_of_an_iteration_is_what_its_self_play_searches_with(monkeypatch):
    searches = watched(monkeypatch, "GuidedSearch")
    _, log = after(small(method="wro", warm_iterations=2, simulations=2, episodes=2), 3)
    told = [(settings.method, settings.weight) for (_, settings, *_), _ in searches]
    assert told == [("wro", 1.0), ("wro", 0.5), ("baseline", None)]
    assert [(told["phase"], told["weight"]) for told in log] == told


def test_rave_s_options_reach_the_warm_start_and_nobody_else(monkeypatch):
    rave = dict(zip(RAVE_OPTIONS, ("path+rollout", "first", "action", 30.0), strict=True))
    run = small(method="rora", switch="adaptive", tree="fresh", cache=False, noise=0.1, noise_alpha=0.4, ties="first",
                default_policy="q", policy="q_rave", simulations=12, **rave)  # fmt: skip
    searches, state = watched(monkeypatch, "GuidedSearch"), start(run)
    self_play(run, state)
    compete(run, state.network, state.network, 1)
    warm, default, new, old = (settings for (_, settings, *_), _ in searches)
    common = {"simulations": 12, "tree": "fresh", "ties": "first", "cache": False, "noise": 0.1, "noise_alpha": 0.4}
    assert warm == GuidedSettings(method="rora", policy="q_rave", **rave, **common)
    assert default == GuidedSettings(policy="q", **common)
    arena = GuidedSettings(simulations=12, policy="q", ties="first", cache=False)
    assert new == old == arena, "no noise, a tree for the whole game"


def test_rhea_s_options_reach_the_evolution(monkeypatch):
    options = dict(zip(RHEA_OPTIONS, (4, 3, 0.5, 1, "random"), strict=True))
    sat, run = watched(monkeypatch, "sit"), small(method="rhea", simulations=12, **options)
    self_play(run, start(run))
    assert [player for (player, *_), _ in sat] == [RheaSettings(rollouts=12, **options)]


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("baseline", {"tree": "fresh"}), ("baseline", {"default_policy": "q"}), ("wro", {"weight": 0.1}),
        ("wro", {"weights": (0.2,)}), ("rora", {"amaf": "path+rollout"}), ("rora", {"amaf_players": "both"}),
        ("rora", {"amaf_players": "first"}),
        ("rora", {"beta": "action"}), ("rora", {"equivalence": 2}), ("rhea", {"horizon": 2}),
        ("rhea", {"population": 2}),
        ("rhea", {"mutation": 0.9}), ("rhea", {"rollouts_per_individual": 1}), ("rhea", {"illegal": "random"}),
    ],
    ids=str,
)  # fmt: skip
def test_an_option_of_self_play_changes_its_games(method: str, options: dict):
    usual = small(method=method, simulations=40, c=0.5)
    other = RunSettings(**{**usual.model_dump(), **options, "weight": options.get("weight")})
    state = start(usual)
    assert self_play(usual, state).moves != self_play(other, state).moves


def test_where_the_first_of_equal_moves_is_taken_other_games_are_played():
    usual, first = (small(simulations=6, sampled_plies=0, ties=ties) for ties in ("random", "first"))
    state = start(usual)
    assert self_play(usual, state).moves != self_play(first, state).moves
    assert len(set(self_play(first, state).moves)) == 1, "without any chance all games are one"


def test_without_the_cache_the_same_games_take_more_evaluations():
    with_it, without = (self_play(small(cache=cache), start(small())) for cache in (True, False))
    assert with_it.moves == without.moves
    assert with_it.told["evaluations"] < without.told["evaluations"] == without.told["leaves"]


def test_noise_at_the_roots_is_for_self_play():
    quiet, noisy = (small(noise=share, gating=True) for share in (0.0, 0.5))
    assert self_play(quiet, start(quiet)).moves != self_play(noisy, start(noisy)).moves
    new, old = Network(quiet.network, seed=1), Network(quiet.network, seed=2)
    assert compete(quiet, new, old, 1) == compete(noisy, new, old, 1)


@pytest.mark.parametrize("switch", ["fixed", "adaptive"])
@pytest.mark.parametrize("method", ["baseline", "rollout", "rave", "rora", "wro", "wrora", "rhea"])
def test_by_the_letter_every_method_keeps_of_the_text_what_can_act_in_it(method: str, switch: str):
    run = preset("letter", game="othello", method=method, **({"switch": switch} if method != "baseline" else {}))
    assert (run.gate, run.default_policy, run.arena_plies, run.arena_trees) == ("all", "q", 0, "match")
    assert run.policy == ("visits" if method in ("baseline", "rhea") else "q")
    assert run.amaf_players == ("first" if method in ("rave", "rora", "wrora") else None)
    table = preset("table", game="othello", method=method, switch=run.switch)
    same = {"gate": "decided", "default_policy": "visits", "arena_plies": 4, "arena_trees": "game", "policy": "visits",
            "amaf_players": table.amaf_players}  # fmt: skip
    assert run.model_copy(update=same) == table and run.id != table.id


# --- what is stored ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["baseline", "wrora", "rhea"])
@three_games
def test_every_position_is_stored_with_its_state_its_policy_and_the_outcome_for_its_mover(name, method):
    run = small(name, method=method, switch="adaptive" if method != "baseline" else None, episodes=16)
    played = self_play(run, start(run))
    found, told = played.examples, played.told
    games = replayed(name, played.moves)
    where = [(g, ply) for g, line in enumerate(games) for ply in range(len(line) - 1)]
    assert list(zip(found.game.tolist(), found.ply.tolist(), strict=True)) == where
    for i, (g, ply) in enumerate(where):
        position, end = games[g][ply], games[g][-1]
        assert (int(found.own[i]), int(found.opp[i])) == (position.own, position.opp)
        assert found.z[i] == outcome_for(position, end)
        policy = found.policy[i]
        assert policy.sum() == pytest.approx(1.0, abs=1e-5) and policy.min() >= 0
        assert set(np.flatnonzero(policy)) <= set(position.legal)
        assert policy[end.history[ply]] > 0
    ends = [line[-1] for line in games]
    assert {1, -1} <= set(found.z.tolist()) and {0, 1} <= {end.winner for end in ends}, "both players win some games"
    if name == "othello":
        assert any("pass" in moves for moves in played.moves), "a pass is among them"
    counts = [sum(end.winner == w for end in ends) for w in (FIRST, None, 1 - FIRST)]
    assert [told["first_wins"], told["draws"], told["first_losses"]] == counts
    assert told["examples"] == len(where) and told["distinct"] == len(set(played.moves))
    assert told["plies_mean"] == pytest.approx(np.mean([len(line) - 1 for line in games]))


@pytest.mark.parametrize("sampled", [0, 5, 100])
@three_games
def test_moves_are_drawn_from_the_policy_in_the_first_plies_and_the_best_after_them(name, sampled):
    run = small(name, episodes=50, sampled_plies=sampled, simulations=60, c=0.3)
    played = self_play(run, start(run))
    moves = [line[-1].history for line in replayed(name, played.moves)]
    found = played.examples
    chosen = np.array([moves[g][ply] for g, ply in zip(found.game, found.ply, strict=True)])
    share, best = found.policy[np.arange(len(chosen)), chosen], found.policy.max(axis=1)
    late = found.ply >= sampled
    assert np.all(share[late] == best[late])
    for ply in range(min(sampled, 5)):
        assert np.any(share[found.ply == ply] < best[found.ply == ply]), f"ply {ply} is drawn, too"
    if sampled:
        # Drawn from p, the chosen share is sum p² on average.
        early = found.policy[~late].astype(float)
        wanted, second = (early**2).sum(axis=1), (early**3).sum(axis=1)
        error = np.sqrt((second - wanted**2).sum())
        assert abs(share[~late].sum() - wanted.sum()) < 4 * error
        assert best[~late].sum() - share[~late].sum() > 5 * error, "taking the best would show"


@pytest.mark.parametrize(("targets", "first"), [("distribution", 99), ("late", 6), ("move", 0)])
def test_the_policy_learns_the_distribution_or_the_move_that_was_played(targets: str, first: int):
    usual, run = small(), small(targets=targets)
    state = start(run)
    wanted, played = self_play(usual, state), self_play(run, state)
    assert played.moves == wanted.moves
    assert {k: v for k, v in played.told.items()} == wanted.told, "what is told is of the search's policies"
    found = played.examples
    moves = [game("connect4").position(text).history for text in played.moves]
    for i, (number, ply) in enumerate(zip(found.game, found.ply, strict=True)):
        if ply < first:
            assert np.array_equal(found.policy[i], wanted.examples.policy[i])
        else:
            assert found.policy[i].dtype == np.float32
            assert np.flatnonzero(found.policy[i]).tolist() == [moves[number][ply]] and found.policy[i].sum() == 1
    assert wanted.examples.policy.max(axis=1).min() < 0.5
    for name in ("own", "opp", "z", "game", "ply"):
        assert np.array_equal(getattr(found, name), getattr(wanted.examples, name))


@pytest.mark.parametrize("switch", ["fixed", "adaptive"])
def test_the_policy_of_a_rhea_warm_start_is_its_move_for_certain(switch):
    run = small(method="rhea", switch=switch, warm_iterations=1 if switch == "fixed" else None, simulations=12)
    state, (told,) = after(run, 1)
    played = self_play(run, start(run))
    certain = played.examples.policy.max(axis=1) == 1.0
    moves = [line[-1].history for line in replayed("connect4", played.moves)]
    for i in np.flatnonzero(certain):
        chosen = moves[played.examples.game[i]][played.examples.ply[i]]
        assert played.examples.policy[i, chosen] == 1.0
    openings = certain[played.examples.ply == 0]  # only RHEA is certain of a first move
    assert openings.sum() == (8 if switch == "fixed" else 4)
    assert told["phase"] == "rhea"
    later = self_play(run, replace(state, switched=True))
    assert later.told["phase"] == "baseline" and later.examples.policy.max(axis=1).mean() < 0.9


# --- the switches -----------------------------------------------------------------------------------------------------


def test_a_fixed_warm_start_lasts_its_iterations_and_an_adaptive_one_until_its_switch():
    state = start(small())

    def warm(run: RunSettings, **changes) -> bool:
        return is_warm(run, replace(state, **changes))

    fixed, adaptive = small(method="rave", warm_iterations=3), small(method="rave", switch="adaptive")
    assert [warm(fixed, iteration=i) for i in range(5)] == [True, True, True, False, False]
    assert [warm(adaptive, iteration=i) for i in (0, 50)] == [True, True]
    assert [warm(adaptive, iteration=i, switched=True) for i in (1, 50)] == [False, False]
    assert not any(warm(small(), iteration=i) for i in range(3))


def movers(monkeypatch) -> dict[int, list[tuple[int, str]]]:
    """Who is asked for a move, per game: (ply, "warm" or "default")."""
    asked: dict[int, list[tuple[int, str]]] = {}
    original = training._seat

    def watched(settings, name, *more):
        seat = original(settings, name, *more)
        choose, seat.plies = seat.choose, np.empty(0, int)  # the table keeps them

        def choose_and_tell(games, own, opp):
            for i in games:
                asked.setdefault(int(i), []).append((int(seat.plies[i]), name))
            return choose(games, own, opp)

        seat.choose = choose_and_tell
        return seat

    monkeypatch.setattr(training, "_seat", watched)
    return asked


@pytest.mark.parametrize("method", ["rollout", "wrora", "rhea"])
@three_games
def test_until_an_adaptive_switch_each_side_moves_first_in_half_the_games_and_the_balance_is_the_default_s(
    name, method, monkeypatch
):
    asked = movers(monkeypatch)
    run = small(name, method=method, switch="adaptive", episodes=20, simulations=12, seed=2)
    played = self_play(run, start(run))
    first, balance = [], 0
    for g, line in enumerate(replayed(name, played.moves)):
        turns = dict(asked[g])
        assert len(turns) == len(line) - 1
        first.append(turns[0])
        for ply, side in turns.items():  # a search is bound to its colour, passes included
            assert side == first[-1] if line[ply].to_move == line[0].to_move else side != first[-1]
        default_colour = FIRST if first[-1] == "default" else 1 - FIRST
        if line[-1].winner is not None:
            balance += 1 if line[-1].winner == default_colour else -1
    assert first.count("warm") == first.count("default") == 10
    assert played.told["balance"] == balance != 0
    assert played.told["switch"] == (balance > 0)
    assert played.told["phase"] == method


@pytest.mark.parametrize("switch", ["fixed", None])
def test_without_an_adaptive_switch_one_search_plays_both_sides(switch, monkeypatch):
    asked = movers(monkeypatch)
    run = small(method="rave" if switch else "baseline", switch=switch)
    told = self_play(run, start(run)).told
    assert {side for turns in asked.values() for _, side in turns} == {"warm" if switch else "default"}
    assert told["balance"] is None and told["switch"] is False


def test_the_first_balance_above_zero_ends_the_warm_start_for_good_from_the_next_iteration():
    switched_after = set()
    for seed in range(6):
        run = small(method="rave", switch="adaptive", seed=seed, simulations=4, episodes=4)
        _, log = after(run, 5)
        warm = True
        for told in log:
            assert told["phase"] == ("rave" if warm else "baseline")
            assert (told["balance"] is not None) == warm
            assert told["switch"] == (warm and told["balance"] > 0)
            if told["switch"]:
                switched_after.add(told["iteration"])
                warm = False
    assert 1 in switched_after and max(switched_after) > 1, "in some runs at once, in others later"


@pytest.mark.parametrize(("balance", "switches"), [(-3, False), (0, False), (1, True)])
def test_a_balance_of_zero_does_not_switch(balance, switches, monkeypatch):
    run = small(method="rave", switch="adaptive", episodes=4, simulations=4)
    results = {-3: [1, 1, -1, 0], 0: [1, 0, 1, 0], 1: [0, 0, 1, 0]}[balance]  # warm begins two games, then default two
    monkeypatch.setattr(training.Table, "first_player_result", property(lambda table: np.array(results)))
    state, told = advance(run, start(run))
    assert told["balance"] == balance and told["switch"] is state.switched is switches
