"""The training loop: what one iteration hands on to the next, fitting, resuming, and that it learns."""

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
from wslib.prompt.network_file import from_bytes, to_bytes
from wslib.study.engine.runs import RunUnit
from wslib.study.presets import PRESETS, preset
from wslib.training import loop as training
from wslib.training.loop import Examples, RunState, advance, self_play, start
from wslib.training.settings import RunSettings


def examples_as_bytes(state: RunState) -> list[list[bytes]]:
    return [[getattr(e, name).tobytes() for name in Examples.FIELDS] for e in state.examples]


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


def test_without_gating_every_candidate_is_kept_and_no_arena_is_held(monkeypatch):
    monkeypatch.setattr(training, "compete", None)
    _, log = after(small(), 2)
    assert [told["accepted"] for told in log] == [True, True] and "arena_wins" not in log[0]


def test_a_run_on_a_device_that_is_not_here_does_not_begin():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    run = small(device="cuda")  # but its results can be read
    with pytest.raises(ParameterError, match="device = 'cuda' is not here: torch finds no GPU"):
        start(run)
    with pytest.raises(ParameterError, match="device = 'cuda' is not here"):
        advance(run, start(small()))


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
        {"gating": True, "arena_trees": "match", "gate": "all", "threshold": 0.5},
        {"gating": True, "arena_plies": 0, "seed": 1}, {"gating": True, "runtime": "torch", "seed": 1},
        {"runtime": "torch", "precision": "bfloat16", "optimiser": "carried"},
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
LEARNING: dict[str, dict] = {
    "connect4": {
        "episodes": 300, "simulations": 18, "c": 5.0, "epochs": 2, "learning_rate": 0.0005, "seed": 1, **DENSE,
    },
    "othello": {
        "episodes": 100, "simulations": 16, "epochs": 1, "learning_rate": 0.003, "retrained": 5, **CONVOLUTIONS,
    },
    "gobang": {
        "episodes": 100, "simulations": 36, "c": 100.0, "epochs": 1, "learning_rate": 0.001, "retrained": 10, **DENSE,
    },
    "gobang by rollouts": {
        "method": "rollout", "warm_iterations": 21, "episodes": 150, "simulations": 8, "c": 2.0, "epochs": 2,
        "learning_rate": 0.003, "retrained": 5, **CONVOLUTIONS,
    },
}  # fmt: skip
BY_RESULT = [{(won, z): z} for won in (1, -1) for z in (1, -1)]
"""The value is positive in won and negative in lost positions, whoever wins the game: (first player, mover) -> sign."""
ON_AVERAGE = [{(1, z): z / 2, (-1, z): z / 2} for z in (1, -1)]
"""It is so on average over both players' games: whoever moves first wins more, and that alone decides the sign where he
loses."""
BY_GAME = [{(player, 1): 1, (-player, -1): -1} for player in (1, -1)]
"""Each player's positions are valued higher in games that he wins: Gobang's first player wins so often that Baseline's
first networks favour him even in the games that he loses."""


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


@pytest.mark.parametrize(
    ("name", "games", "expected"),
    [
        ("othello", 2000, BY_RESULT), ("gobang by rollouts", 2000, BY_RESULT), ("connect4", 2000, ON_AVERAGE),
        ("gobang", 600, BY_GAME),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_after_training_values_go_by_the_results_of_games(name, games, expected):
    means = mean_values(RunSettings(game=name.split()[0], **WIDE, **LEARNING[name]), games)
    for signs in expected:
        mean = sum(sign * means[part].mean() for part, sign in signs.items())
        error = sum(sign**2 * means[part].var(ddof=1) / len(means[part]) for part, sign in signs.items()) ** 0.5
        assert mean > 2 * error, f"{signs}: {mean:+.3f} ± {error:.3f}"
