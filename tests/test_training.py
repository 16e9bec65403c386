"""The training loop: settings and ids, self-play and its outcomes, both switches, the arena, symmetries, resuming."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import torch
from learners import after, learned, made_up_examples, small

from wslib._compiled import stream
from wslib.games import FIRST, Position, game
from wslib.network.fit import FitSettings, _gathered, _shuffled, _turned, fit
from wslib.network.model import Network, NetworkSettings
from wslib.network.runtime import CompiledNetwork
from wslib.parameters import ParameterError
from wslib.play.players import GuidedSeat
from wslib.prompt.network_file import from_bytes, to_bytes
from wslib.search import GuidedSettings
from wslib.study.engine.runs import RunUnit
from wslib.study.presets import PRESETS, preset
from wslib.training import loop as training
from wslib.training.loop import Examples, RunState, advance, compete, is_warm, self_play, start
from wslib.training.settings import RunSettings, weight_of

THREE = ("connect4", "gobang", "othello")
three_games = pytest.mark.parametrize("name", THREE)


def examples_as_bytes(state: RunState) -> list[list[bytes]]:
    return [[getattr(e, name).tobytes() for name in Examples.FIELDS] for e in state.examples]


def lines(name: str, moves: tuple[str, ...]) -> list[list[Position]]:
    """Every position of each game, found by replaying its moves."""
    return [list(game(name).position(text).line()) for text in moves]


def outcome_for(position: Position, end: Position) -> int:
    """The result of a game for whoever is to move in a position of it."""
    return 0 if end.winner is None else 1 if end.winner == position.to_move else -1


# --- settings ---------------------------------------------------------------------------------------------------------


def test_the_defaults_are_the_values_of_table_5_2():
    run, table = RunSettings(game="connect4", method="wrora"), Path("data/thesis/table_5_2.csv")
    ours = {
        "I": RunUnit.model_fields["iterations"].default, "I'": run.warm_iterations, "E": run.episodes,
        "T'": run.sampled_plies, "m": run.simulations, "c": run.c, "u": run.threshold, "rs": run.retrained,
        "ep": run.epochs, "bs": run.batch, "lr": run.learning_rate, "d": run.dropout, "n": run.arena_games,
    }  # fmt: skip
    with (Path(__file__).parent.parent / table).open() as file:
        theirs = {row["symbol"]: float(row["value"]) for row in csv.DictReader(file)}
    assert len(theirs) == 13 and ours == theirs
    assert run == preset("table", game="connect4", method="wrora")
    assert run.gating and run.noise == 0 and run.policy == "visits" and run.optimiser == "fresh"


def test_each_preset_changes_what_it_says():
    table = preset("table", game="othello").model_dump()

    def changes(name: str) -> dict:
        return {k: v for k, v in preset(name, game="othello").model_dump().items() if v != table[k]}

    assert changes("laptop") == {"epochs": 1}
    assert changes("paper") == {"channels": 256, "hidden": (1024, 512), "symmetries": "all"}
    assert set(changes("smoke")) == set(PRESETS["smoke"])
    assert preset("laptop", game="othello", epochs=3).epochs == 3
    with pytest.raises(ParameterError, match=r"no preset 'fast': the presets are smoke, laptop, table, paper, letter"):
        preset("fast", game="othello")


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({"warm_iterations": 5}, [1.0, 0.8, 0.6, 0.4, 0.2]),
        ({"warm_iterations": 1}, [1.0]),
        ({"warm_iterations": 4, "weight": "shifted"}, [0.75, 0.5, 0.25, 0.0]),
        ({"warm_iterations": 3, "weight": "half"}, [0.5, 0.5, 0.5]),
        ({"switch": "adaptive"}, [1.0, 1 / 2, 1 / 3, 1 / 4, 1 / 5]),
        ({"switch": "adaptive", "weight": "half"}, [0.5, 0.5]),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["wro", "wrora"])
def test_the_weight_of_playouts_falls_by_its_schedule(method, options, weights):
    run = RunSettings(game="connect4", method=method, **options)
    assert [weight_of(run, i + 1) for i in range(len(weights))] == pytest.approx(weights)


def test_the_weight_of_an_iteration_is_what_its_self_play_searches_with(monkeypatch):
    searched = []
    original = training.GuidedSearch

    def watched(board, search: GuidedSettings, *more):
        searched.append((search.method, search.weight))
        return original(board, search, *more)

    monkeypatch.setattr(training, "GuidedSearch", watched)
    _, log = after(small(method="wro", warm_iterations=2, simulations=2, episodes=2), 3)
    assert searched == [("wro", 1.0), ("wro", 0.5), ("baseline", None)]
    assert [told["weight"] for told in log] == [1.0, 0.5, None]
    assert [told["phase"] for told in log] == ["wro", "wro", "baseline"]


@pytest.mark.parametrize("method", ["rollout", "rave", "rora", "rhea", "baseline"])
def test_a_method_that_mixes_nothing_has_no_weight(method):
    assert weight_of(RunSettings(game="connect4", method=method), 1) is None


def test_a_fixed_warm_start_lasts_its_iterations_and_an_adaptive_one_until_its_switch():
    state = start(small())

    def warm(run: RunSettings, **changes) -> bool:
        return is_warm(run, replace(state, **changes))

    fixed, adaptive = small(method="rave", warm_iterations=3), small(method="rave", switch="adaptive")
    assert [warm(fixed, iteration=i) for i in range(5)] == [True, True, True, False, False]
    assert [warm(adaptive, iteration=i) for i in (0, 50)] == [True, True]
    assert [warm(adaptive, iteration=i, switched=True) for i in (1, 50)] == [False, False]
    assert not any(warm(small(), iteration=i) for i in range(3))


def test_what_cannot_act_is_null_in_the_canonical_form():
    def nulls(**options) -> set[str]:
        return {k for k, v in RunSettings(game="connect4", **options).canonical().items() if v is None}

    assert nulls() == {"switch", "warm_iterations", "weight", "blocks", "policy"}
    assert nulls(method="rave") == {"weight", "blocks"}
    assert nulls(method="rhea") == {"weight", "blocks", "policy"}
    assert nulls(method="wro") == {"blocks"}
    assert nulls(method="wro", switch="adaptive") == {"blocks", "warm_iterations"}
    assert nulls(method="wro", shape="residual", hidden=()) == {"dropout"}
    arena = {"threshold", "undecided", "arena_games", "arena_plies"}
    assert nulls(method="wro", gating=False) == {"blocks"} | arena


def test_equal_runs_have_equal_ids_and_different_ones_do_not():
    def ids(*options) -> int:
        return len({RunSettings(**{"game": "connect4", **changes}).id for changes in options})

    assert ids({}, {"game": "connect4-6x6-k4"}, {"method": "baseline"}, {"blocks": 3}) == 1
    assert ids({"gating": False}, {"gating": False, "threshold": 0.9, "arena_games": 2}) == 1
    rave = {"method": "rave"}
    assert ids(rave, {**rave, "switch": "fixed"}, {**rave, "warm_iterations": 5}) == 1
    assert (
        ids(
            {}, rave, {"seed": 1}, {"game": "othello"}, {"epochs": 1}, {"noise": 0.1}, {"channels": 16},
            {"shape": "residual"}, {"shape": "residual", "blocks": 3}, {**rave, "warm_iterations": 3},
            {**rave, "switch": "adaptive"}, {**rave, "policy": "q_rave"}, {"method": "wro"},
            {"method": "wro", "weight": "half"}, {"gating": False}, {"undecided": "accept"}, {"optimiser": "carried"},
        )
        == 17
    )  # fmt: skip


def test_the_number_of_iterations_is_no_part_of_a_run():
    assert not {name for name in RunSettings.model_fields if name in ("iterations", "I")}


# --- self-play --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["baseline", "wrora", "rhea"])
@three_games
def test_every_position_is_stored_with_its_state_its_policy_and_the_outcome_for_its_mover(name, method):
    run = small(name, method=method, switch="adaptive" if method != "baseline" else None, episodes=16)
    played = self_play(run, start(run))
    found, told = played.examples, played.told
    games = lines(name, played.moves)
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
    moves = [line[-1].history for line in lines(name, played.moves)]
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
    for g, line in enumerate(lines(name, played.moves)):
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


@pytest.mark.parametrize("switch", ["fixed", "adaptive"])
def test_the_policy_of_a_rhea_warm_start_is_its_move_for_certain(switch):
    run = small(method="rhea", switch=switch, warm_iterations=1 if switch == "fixed" else None, simulations=12)
    state, (told,) = after(run, 1)
    played = self_play(run, start(run))
    certain = played.examples.policy.max(axis=1) == 1.0
    moves = [line[-1].history for line in lines("connect4", played.moves)]
    for i in np.flatnonzero(certain):
        chosen = moves[played.examples.game[i]][played.examples.ply[i]]
        assert played.examples.policy[i, chosen] == 1.0
    openings = certain[played.examples.ply == 0]  # only RHEA is certain of a first move
    assert openings.sum() == (8 if switch == "fixed" else 4)
    assert told["phase"] == "rhea"
    later = self_play(run, replace(state, switched=True))
    assert later.told["phase"] == "baseline" and later.examples.policy.max(axis=1).mean() < 0.9


def test_noise_at_the_roots_is_for_self_play():
    quiet, noisy = (small(noise=share, gating=True) for share in (0.0, 0.5))
    assert self_play(quiet, start(quiet)).moves != self_play(noisy, start(noisy)).moves
    new, old = Network(quiet.network, seed=1), Network(quiet.network, seed=2)
    assert compete(quiet, new, old, 1) == compete(noisy, new, old, 1)


# --- one iteration ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimiser", ["fresh", "carried"])
def test_a_rejected_candidate_leaves_the_network_as_it_was_and_its_examples(optimiser, monkeypatch):
    run = small(gating=True, optimiser=optimiser, simulations=4)
    monkeypatch.setattr(training, "compete", lambda *_: (True, {}))
    state, _ = advance(run, start(run))
    network, memory = to_bytes(state.network), {k: v.copy() for k, v in state.optimiser.items()}
    seen = {}

    def reject(settings, new, old, iteration):
        seen.update(new=new.state_dict(), old=old.state_dict())
        return False, {}

    monkeypatch.setattr(training, "compete", reject)
    rejected, told = advance(run, state)
    moved = {name for name in seen["new"] if not torch.equal(seen["new"][name], seen["old"][name])}
    assert {n for n in seen["new"] if "running_mean" in n or "running_var" in n or "weight" in n} <= moved
    assert told["accepted"] is False and rejected.iteration == 2
    assert to_bytes(rejected.network) == to_bytes(state.network) == network
    assert len(rejected.examples) == 2 and rejected.examples[0] is state.examples[0]
    for of in (state, rejected):
        assert of.optimiser.keys() == memory.keys() and bool(memory) == (optimiser == "carried")
        assert all(np.array_equal(of.optimiser[name], memory[name]) for name in memory)


def test_an_accepted_candidate_is_the_next_network_and_the_state_before_is_not_touched():
    run = small(optimiser="carried")
    state, _ = after(run, 1)
    before = to_bytes(state.network), examples_as_bytes(state), {k: v.copy() for k, v in state.optimiser.items()}
    one, told = advance(run, state)
    assert told["accepted"] is True and to_bytes(one.network) != before[0]
    assert (to_bytes(state.network), examples_as_bytes(state)) == before[:2]
    assert all(np.array_equal(state.optimiser[name], moment) for name, moment in before[2].items())


def test_the_network_is_trained_on_the_examples_of_the_latest_iterations():
    run = small(retrained=3, simulations=2, episodes=2)
    state, counts = start(run), []
    for iteration in range(1, 6):
        before = state.examples
        state, told = advance(run, state)
        counts.append(told["examples"])
        assert len(state.examples) == min(iteration, 3)
        assert told["positions"] == sum(counts[-3:]) == sum(len(e) for e in state.examples)
        assert all(kept is old for kept, old in zip(state.examples[:-1], before[-2:], strict=True))


def test_an_iteration_tells_what_happened_in_it_and_when_its_stages_ended():
    run, stages = small(gating=True), []
    _, told = advance(run, start(run), stages.append)
    assert stages == ["self-play", "training", "arena"]
    assert set(told) >= {
        "iteration", "phase", "weight", "balance", "switch", "examples", "plies_mean", "first_wins", "draws",
        "first_losses", "distinct", "policy_entropy", "fresh_value_loss", "fresh_policy_loss", "evaluations", "leaves",
        "policy_loss", "value_loss", "positions", "arena_wins", "arena_draws", "arena_losses", "accepted",
    }  # fmt: skip
    assert told["evaluations"] <= told["leaves"] <= told["examples"] * run.simulations
    assert 0 < told["policy_entropy"] < np.log(6) and told["fresh_value_loss"] > 0


# --- the arena --------------------------------------------------------------------------------------------------------


class Labelled:
    """A compiled network that remembers which network it is."""

    def __init__(self, network: Network):
        self.of, self.compiled = network, CompiledNetwork(network)

    def evaluate(self, planes):
        return self.compiled.evaluate(planes)


@three_games
def test_arena_games_come_in_pairs_of_one_opening_with_both_colours(name, monkeypatch):
    run = small(name, arena_games=12, gating=True)
    new, old = Network(run.network, seed=1), Network(run.network, seed=2)
    tables, moved = [], {}
    choose = GuidedSeat.choose

    def choose_and_tell(seat, games, own, opp):
        for i in games:
            moved[int(i), int(seat.plies[i])] = "new" if seat.search.network.of is new else "old"
        return choose(seat, games, own, opp)

    class Watched(training.Table):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            tables.append(self)

    monkeypatch.setattr(training, "CompiledNetwork", Labelled)
    monkeypatch.setattr(GuidedSeat, "choose", choose_and_tell)
    monkeypatch.setattr(training, "Table", Watched)
    accepted, told = compete(run, new, old, 7)
    moves = tables[0].move_lists()
    openings = [line[4].history for line in lines(name, moves)]
    assert openings[0::2] == openings[1::2] and len(set(openings)) > 3
    counts = {1: 0, 0: 0, -1: 0}
    for g, line in enumerate(lines(name, moves)):
        new_colour = g % 2
        for ply in range(4, len(line) - 1):
            assert moved[g, ply] == ("new" if line[ply].to_move == new_colour else "old")
        end = line[-1]
        counts[0 if end.winner is None else 1 if end.winner == new_colour else -1] += 1
    assert [told["arena_wins"], told["arena_draws"], told["arena_losses"]] == [counts[1], counts[0], counts[-1]]
    assert counts[1] != counts[-1] and accepted == (counts[1] >= 0.6 * (counts[1] + counts[-1]))
    monkeypatch.undo()
    assert compete(run, new, old, 7) == (accepted, told)
    swapped = compete(run, old, new, 7)[1]
    assert set(told) == set(swapped) == {"arena_wins", "arena_draws", "arena_losses"}


def test_arenas_of_other_iterations_have_other_openings():
    run, openings = small(arena_games=20, gating=True), []

    class Watched(training.Table):
        def __init__(self, board, positions):
            super().__init__(board, positions)
            openings.append({p.history for p in positions})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "Table", Watched)
        for iteration in (1, 1, 2):
            compete(run, start(run).network, start(run).network, iteration)
    assert openings[0] == openings[1] != openings[2]
    assert len(openings[0]) > 5 and all(len(opening) == 4 for opening in openings[0])


@pytest.mark.parametrize(
    ("threshold", "undecided", "wins", "draws", "losses", "accepted"),
    [
        (0.6, "reject", 6, 10, 4, True),
        (0.6, "reject", 11, 0, 9, False),
        (0.6, "reject", 12, 0, 8, True),
        (0.6, "reject", 0, 20, 0, False),
        (0.6, "accept", 0, 20, 0, True),
        (0.6, "accept", 1, 17, 2, False),
        (0.6, "reject", 3, 15, 2, True),
        (0.55, "reject", 11, 0, 9, True),
        (0.56, "reject", 14, 1, 11, True),
        (0.0, "reject", 0, 0, 20, True),
        (1.0, "reject", 19, 0, 1, False),
    ],
)
def test_a_candidate_needs_its_share_of_the_decided_games(
    threshold, undecided, wins, draws, losses, accepted, monkeypatch
):
    run = small(gating=True, arena_games=wins + draws + losses, threshold=threshold, undecided=undecided, simulations=2)
    for_new = np.array([1] * wins + [0] * draws + [-1] * losses)
    new_is_first = np.arange(len(for_new)) % 2 == 0
    results = np.where(new_is_first, for_new, -for_new)
    monkeypatch.setattr(training.Table, "first_player_result", property(lambda table: results))
    network = start(run).network
    told = {"arena_wins": wins, "arena_draws": draws, "arena_losses": losses}
    assert compete(run, network, network, 1) == (accepted, told)


def test_without_gating_every_candidate_is_kept_and_no_arena_is_held(monkeypatch):
    monkeypatch.setattr(training, "compete", None)
    _, log = after(small(), 2)
    assert [told["accepted"] for told in log] == [True, True] and "arena_wins" not in log[0]


# --- fitting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("symmetries", ["one", "all", "none"])
@pytest.mark.parametrize(("name", "number"), [("connect4", 2), ("gobang", 8), ("othello", 8), ("connect4-6x7", 2)])
def test_examples_are_turned_with_their_policies(name, number, symmetries):
    board = game(name)
    made, count = made_up_examples(board, 40), 40
    made.z = np.arange(count, dtype=np.float32)  # to know an example again
    settings = FitSettings(symmetries=symmetries)
    shown = _gathered(board, settings, [made])
    _shuffled(settings, shown, np.array([stream(1, "test")]))
    x, pi, z = (part.numpy() for part in _turned(shown))
    used = []
    for row, mark in enumerate(z.astype(int)):
        position = Position(board, int(made.own[mark]), int(made.opp[mark]), FIRST)
        fits = [
            k for k, s in enumerate(board.symmetries)
            if np.array_equal(s.position(position).planes.ravel(), x[row])
            and np.allclose(made.policy[mark], pi[row][list(s.actions)])
        ]  # fmt: skip
        assert len(fits) == 1, "the board and its policy are turned by one and the same symmetry"
        used.append((int(mark), fits[0]))
    assert len(board.symmetries) == number
    if symmetries == "all":
        assert sorted(used) == [(mark, k) for mark in range(count) for k in range(number)]
    else:
        assert sorted(mark for mark, _ in used) == list(range(count))
        assert {k for _, k in used} == (set(range(number)) if symmetries == "one" else {0})
    assert used != sorted(used), "and shuffled"


def test_symmetries_are_drawn_anew_in_every_epoch():
    settings, streams, turns = FitSettings(), np.array([stream(1, "test")]), []
    shown = _gathered(game("gobang"), settings, [made_up_examples(game("gobang"), 40)])
    for _ in range(2):
        _shuffled(settings, shown, streams)
        turns.append(dict(shown.order.tolist()))
    assert turns[0] != turns[1] and turns[0].keys() == turns[1].keys()


def test_the_loss_is_the_cross_entropy_of_the_policy_and_the_squared_error_of_the_outcome():
    board = game("connect4")
    network = Network(NetworkSettings(game="connect4", channels=4, hidden=(8,), dropout=0.0), seed=3)
    made = made_up_examples(board, 50)
    with torch.no_grad():
        logs, values = network.train()(torch.from_numpy(board.planes(made.own, made.opp)))
    settings = FitSettings(epochs=1, batch=50, symmetries="none", learning_rate=1e-9)
    told = fit(network, settings, [made], (0, "test"), {}).told
    assert told["policy_loss"] == pytest.approx(float(-(made.policy * logs.numpy()).sum(axis=1).mean()), rel=1e-5)
    assert told["value_loss"] == pytest.approx(float(((values.numpy() - made.z) ** 2).mean()), rel=1e-5)
    assert told["positions"] == 50


def test_fitting_learns_what_it_is_shown():
    _, right, error = learned(FitSettings(epochs=40, symmetries="none", batch=16))
    assert right > 0.9 and error < 0.3


# --- the same bytes ---------------------------------------------------------------------------------------------------


def through_files(state: RunState) -> RunState:
    """A state as it is after it was written and read again."""
    optimiser = safetensors.numpy.load(safetensors.numpy.save(state.optimiser)) if state.optimiser else {}
    examples = tuple(Examples(*(getattr(e, name).copy() for name in Examples.FIELDS)) for e in state.examples)
    return RunState(from_bytes(to_bytes(state.network)), state.iteration, state.switched, examples, optimiser)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"optimiser": "carried"}, {"optimiser": "carried", "gating": True, "threshold": 0.5, "seed": 2},
        {"gating": True, "noise": 0.25},
        {"shape": "residual", "channels": 8, "hidden": (), "optimiser": "carried"}, {"shape": "dense", "channels": 16},
        {"game": "othello", "method": "wrora", "switch": "adaptive"}, {"method": "rhea", "warm_iterations": 2},
        {"game": "gobang", "symmetries": "all", "episodes": 2},
    ],
    ids=str,
)  # fmt: skip
def test_a_run_gives_the_same_bytes_twice_and_when_it_was_interrupted_after_every_iteration(options):
    run = small(**{"name": options.get("game", "connect4"), **{k: v for k, v in options.items() if k != "game"}},
                epochs=2, batch=16)  # fmt: skip
    state, log = after(run, 4)
    wanted = to_bytes(state.network), examples_as_bytes(state), log
    again, log = after(run, 4)
    assert (to_bytes(again.network), examples_as_bytes(again), log) == wanted
    resumed, log = start(run), []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)  # of a generator that nobody may draw from
        for _ in range(4):
            resumed, told = advance(run, through_files(resumed))
            log.append(told)
    assert (to_bytes(resumed.network), examples_as_bytes(resumed), log) == wanted
    for name in state.optimiser:
        assert np.array_equal(state.optimiser[name], resumed.optimiser[name])
    if run.gating:
        assert {told["accepted"] for told in log} == {True, False}, "with rejected candidates among them"


def test_another_seed_is_another_run():
    one, other = small(), small(seed=1)
    assert to_bytes(start(one).network) != to_bytes(start(other).network)
    assert self_play(one, start(one)).moves != self_play(other, replace(start(one))).moves


# --- it learns --------------------------------------------------------------------------------------------------------


DENSE = {"shape": "dense", "channels": 128, "blocks": 1, "hidden": (64,), "dropout": 0.0}
CONVOLUTIONS = {"channels": 16, "hidden": (64, 32), "dropout": 0.0}
WIDE = {"gating": False, "sampled_plies": 40}
"""Games that differ: all moves are drawn; with a large c from nearly even policies, so that either side wins many."""
PLAIN = {
    "connect4": {
        "episodes": 300, "simulations": 18, "c": 5.0, "epochs": 2, "learning_rate": 0.0005, "seed": 1, **DENSE,
    },
    "othello": {
        "episodes": 100, "simulations": 16, "epochs": 1, "learning_rate": 0.003, "retrained": 5, **CONVOLUTIONS,
    },
    "gobang": {
        "episodes": 100, "simulations": 36, "c": 100.0, "epochs": 1, "learning_rate": 0.001, "retrained": 10, **DENSE,
    },
}  # fmt: skip
ROLLOUT = {
    "gobang": {
        "method": "rollout", "warm_iterations": 21, "episodes": 150, "simulations": 8, "c": 2.0, "epochs": 2,
        "learning_rate": 0.003, "retrained": 5, **CONVOLUTIONS,
    },
}  # fmt: skip


def mean_values(run: RunSettings, games: int) -> dict[tuple[int, int], np.ndarray]:
    """After 20 iterations, the mean value of each fresh game's positions, by the first player's result and the mover's.

    Positions of one game belong together: the game is the unit.
    """
    state, _ = after(run, 20)
    fresh = self_play(run.model_copy(update={"episodes": games}), state).examples
    _, values = CompiledNetwork(state.network).evaluate(game(run.game).planes(fresh.own, fresh.opp))
    first_won = np.array([fresh.z[(fresh.game == g) & (fresh.ply == 0)][0] for g in range(games)])
    means = {
        (won, z): np.array(
            [values[(fresh.game == g) & (fresh.z == z)].mean() for g in np.flatnonzero(first_won == won)]
        )
        for won in (1, -1)
        for z in (1, -1)
    }
    assert all(len(of) > 100 for of in means.values())
    return means


def squared_error(means: np.ndarray) -> float:
    """Of the mean of these."""
    return means.var(ddof=1) / len(means)


@pytest.mark.parametrize(
    ("name", "options"),
    [("othello", PLAIN["othello"]), ("gobang", ROLLOUT["gobang"])],
    ids=["othello", "gobang by rollouts"],
)
def test_after_training_the_value_is_positive_in_won_and_negative_in_lost_positions(name, options):
    """Gobang's first player wins so often that Baseline's first networks favour him even in the games that he loses."""
    for (won, z), means in mean_values(RunSettings(game=name, **WIDE, **options), 2000).items():
        error = squared_error(means) ** 0.5
        assert z * means.mean() > 2 * error, f"first player {won}, mover {z}: {means.mean():+.3f} ± {error:.3f}"


def test_in_connect_four_the_value_is_so_on_average_over_both_players_games():
    """Whoever moves first wins more of these games, and that alone decides the sign in those that he loses."""
    found = mean_values(RunSettings(game="connect4", **WIDE, **PLAIN["connect4"]), 2000)
    for z in (1, -1):
        parts = found[1, z], found[-1, z]
        mean, error = sum(part.mean() for part in parts) / 2, sum(map(squared_error, parts)) ** 0.5 / 2
        assert z * mean > 2 * error, f"mover {z}: {mean:+.3f} ± {error:.3f}"


def test_in_gobang_too_each_player_s_positions_are_valued_higher_in_games_that_he_wins():
    found = mean_values(RunSettings(game="gobang", **WIDE, **PLAIN["gobang"]), 600)
    for player in (1, -1):
        won, lost = found[player, 1], found[-player, -1]
        error = (squared_error(won) + squared_error(lost)) ** 0.5
        assert won.mean() - lost.mean() > 2 * error, f"player {player}: {won.mean():+.3f}, {lost.mean():+.3f} ± {error}"
