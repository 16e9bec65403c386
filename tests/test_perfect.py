"""Position sets, measures against perfect play, their units and experiment, the long computation."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from reference_solver import plain

from wslib.files import published_root
from wslib.games import STONES, game
from wslib.network.model import Network, NetworkSettings
from wslib.network.runtime import CompiledNetwork
from wslib.parameters import ParameterError
from wslib.perfect.measures import measure, summary
from wslib.perfect.positions import (
    BOARDS,
    PHASES,
    SETS,
    UNKNOWN,
    Draws,
    file_name,
    load,
    make,
    rebuild,
    rebuilt_as_published,
    text_of,
)
from wslib.perfect.solver import Solver
from wslib.perfect.start import solve_start
from wslib.play import NetworkPlayer, player
from wslib.search import GuidedSettings
from wslib.study.engine import units as study
from wslib.study.engine.states import train
from wslib.study.pages.perfect_play import OpeningUnit, PerfectPlay, PerfectUnit, RunPerfectUnit, opening_boards
from wslib.study.presets import preset
from wslib.training.settings import RunSettings

EVERY = [(board, which) for board in BOARDS for which in SETS]


def test_the_draws_of_positions_are_numpys_whatever_numpy_makes_of_them_later():
    ours, theirs = Draws(7), np.random.Generator(np.random.PCG64(7))
    sizes = [1, 2, 3, 7, 36, 1 << 30, 3 << 30, (1 << 32) - 1]
    for n in [sizes[i * i % len(sizes)] for i in range(400)]:
        assert ours.integers(5, 5 + n) == int(theirs.integers(5, 5 + n))
        assert ours.random() == theirs.random()
    again = Draws(7)
    assert [again.integers(0, 1000) for _ in range(6)] == [944, 625, 684, 897, 578, 775]


@pytest.mark.parametrize(("board", "which"), EVERY)
def test_a_set_holds_at_least_500_different_positions_where_the_choice_matters(board: str, which: str):
    positions = load(board, which)
    images = {
        min((s.stones(p.own), s.stones(p.opp)) for s in p.game.symmetries)
        for p in (positions[i] for i in range(len(positions)))
    }
    assert len(images) == len(positions) >= 500
    for values in positions.values:
        assert len(set(values) - {UNKNOWN}) >= 2
    assert positions.labels["phase"].value_counts().to_dict() == dict.fromkeys(PHASES, len(positions) // 3)


@pytest.mark.parametrize(("board", "which"), EVERY)
def test_the_moves_of_a_position_lead_to_it_and_its_values_are_those_of_its_legal_moves(board: str, which: str):
    the_game, positions = game(board), load(board, which)
    table = pd.read_csv(published_root() / "positions" / file_name(the_game, which), dtype=str, keep_default_na=False)
    for i, row in enumerate(table.itertuples()):
        position = the_game.position(row.moves)
        assert position == positions[i] and len(position.history) == int(row.ply)
        assert STONES[position.to_move] == row.to_move
        assert set(np.flatnonzero(positions.values[i] != UNKNOWN)) == set(position.legal)
        assert int(row.value) == positions.value[i]
        if board == "othello":
            assert the_game.cells - (position.own | position.opp).bit_count() <= 18
            assert np.array_equal(
                np.sign(positions.discs[i]), np.where(positions.values[i] == UNKNOWN, 0, positions.values[i])
            )


@pytest.mark.parametrize(("board", "which"), EVERY)
def test_late_positions_of_a_set_have_the_values_that_plain_alpha_beta_gives(board: str, which: str):
    positions, seen = load(board, which), 0
    rules = positions.game.rules
    # Gobang's strong games end early, so that few of its cells are empty nowhere: three positions take seconds each.
    most, enough = {"gobang": (11, 40) if which == "broad" else (13, 3), "connect4": (13, 40), "othello": (9, 40)}[
        board
    ]
    for i in np.flatnonzero(positions.labels["phase"] == "late"):
        position = positions[i]
        if position.game.cells - (position.own | position.opp).bit_count() > most:
            continue
        for action in position.legal:
            truth = -plain(rules, *position.act(action).words, -99, 99)
            assert positions.values[i, action] == np.sign(truth)
            if positions.discs is not None:
                assert positions.discs[i, action] == truth
        seen += 1
        if seen == enough:
            break
    assert seen >= min(enough, 35)


def test_the_same_seed_makes_the_same_bytes_and_another_one_others(tmp_path: Path):
    first, second = (rebuild(tmp_path / name, "gobang", "broad", size=9) for name in "ab")
    assert first == second != rebuild(tmp_path / "c", "gobang", "broad", seed=1, size=9)
    assert (tmp_path / "a" / "gobang-6x6-k4-broad.csv").read_bytes() == text_of(make("gobang", "broad", size=9))
    assert len(load("gobang", "broad", tmp_path / "a")) == 9


def test_positions_made_anew_are_the_published_ones():
    for board in BOARDS:
        assert "6 of 6 positions" in rebuilt_as_published(board, "broad", 0, 6)


def test_unknown_sets_and_games_without_positions_are_refused_in_one_sentence(tmp_path: Path):
    with pytest.raises(ParameterError, match="there is no set 'deep': the sets are broad, path"):
        load("gobang", "deep")
    with pytest.raises(ParameterError, match="there are no positions of Othello 8×8"):
        load("othello-8x8")
    with pytest.raises(ParameterError, match="position sets are made of the 6×6 games"):
        make("connect4-6x7", "broad")
    with pytest.raises(ParameterError, match="size = 2 is not allowed"):
        make("connect4", "broad", size=2)


def by_the_solver(which):
    """A player of the best of all moves (``max``: it never errs), or of the worst (``min``)."""

    def play(position) -> int:
        found = Solver(position.game, table_bits=16).moves(position)
        return which(found, key=lambda a: (found[a][0], found[a][1] or 0))

    return play


@pytest.mark.parametrize("board", BOARDS)
def test_a_perfect_player_has_no_regret_and_the_worst_one_only_regret(board: str):
    positions = load(board, "broad").sample(30)
    best, bad = (measure(by_the_solver(which), positions) for which in (max, min))
    assert best["optimal"].eq(1).all() and best["regret"].eq(0).all()
    assert bad["optimal"].eq(0).all() and bad["regret"].ge(1).all()
    if board == "othello":
        assert best["discs_lost"].eq(0).all() and bad["discs_lost"].gt(0).all()
    assert best["value_error"].isna().all()


def test_a_random_player_is_measured_by_what_its_moves_give_on_average():
    positions = load("connect4", "broad").sample(20)
    frame = measure(player("random"), positions)
    drawn = [measure(lambda p, k=k: p.legal[k % len(p.legal)], positions) for k in range(60)]  # 60 = lcm of 2 to 6
    assert np.allclose(np.mean([d["optimal"] for d in drawn], axis=0), frame["optimal"])
    assert np.allclose(np.mean([d["regret"] for d in drawn], axis=0), frame["regret"])
    assert np.allclose(frame["optimal"], positions.chance)


class Oracle:
    """A network that knows the truth of some positions, or says the opposite."""

    def __init__(self, positions, sign: int = 1):
        planes = positions.game.planes(positions.own, positions.opp)
        self.known = {p.tobytes(): i for i, p in enumerate(planes)}
        self.positions, self.sign = positions, sign

    def evaluate(self, planes):
        rows = [self.known[p.tobytes()] for p in planes]
        priors = np.exp(self.sign * self.positions.values[rows].astype(np.float32))
        return priors / priors.sum(axis=1, keepdims=True), self.sign * self.positions.value[rows].astype(np.float32)


def test_a_network_is_measured_by_its_most_probable_legal_move_and_its_value():
    positions = load("gobang", "path").sample(40)
    right, wrong = measure(Oracle(positions), positions), measure(Oracle(positions, -1), positions)
    assert summary(right)["optimal"] == 1 and summary(right)["value_error"] == 0
    # An illegal move has the largest probability here, and is not taken.
    assert summary(wrong)["optimal"] == 0
    assert np.allclose(wrong["value_error"], 2 * np.abs(positions.value))


def test_a_search_has_the_value_of_its_root_and_finds_wins_in_one():
    positions = load("connect4", "broad")
    won = np.flatnonzero([any(positions[i].act(a).is_over for a in positions[i].legal) for i in range(len(positions))])
    assert len(won) >= 5
    some = positions.take(won)
    for who in ("mcts", "rave"):
        found = measure(player(who, simulations=400), some)
        assert found["optimal"].mean() > 0.95 and found["value_error"].mean() < 0.3


def test_a_guided_search_and_more_simulations_come_closer_to_the_truth_than_a_random_network():
    positions = load("connect4").sample(120)
    network = CompiledNetwork(Network(NetworkSettings(game="connect4", channels=4)))
    raw = measure(network, positions)
    searched = measure(NetworkPlayer(network, GuidedSettings(method="rollout", simulations=100)), positions)
    assert searched["optimal"].mean() > raw["optimal"].mean() + 0.1
    assert searched["value_error"].mean() < raw["value_error"].mean()


def test_a_measurement_depends_on_its_seed_alone_and_not_on_its_company():
    positions = load("gobang", "broad")
    for who in (player("mcts", simulations=20), player("rave", simulations=20), player("rhea", rollouts=20)):
        whole, again = measure(who, positions, seed=3), measure(who, positions, seed=3)
        assert whole.equals(again)
        part = measure(who, positions.take(np.arange(100, 150)), seed=3)
        assert np.array_equal(part["regret"], whole["regret"][100:150])


def test_a_raw_network_is_measured_on_500_positions_within_a_tenth_of_a_second():
    positions = load("othello").sample(500)
    network = CompiledNetwork(Network(NetworkSettings(game="othello")))
    measure(network, positions)
    took = []
    for _ in range(5):
        begin = time.perf_counter()
        measure(network, positions)
        took.append(time.perf_counter() - begin)
    assert min(took) < 0.1


def test_an_illegal_move_of_a_player_is_an_error_that_shows_the_position():
    positions = load("connect4", "path")
    full = next(i for i in range(len(positions)) if len(positions[i].legal) < 6)
    missing = next(a for a in range(6) if a not in positions[full].legal)
    with pytest.raises(ValueError, match="not legal"):
        measure(lambda position: missing, positions.take(np.array([full])))


def test_a_sample_is_spread_over_sets_and_phases():
    counts = load("othello").sample(60).labels.groupby(["set", "phase"]).size()
    assert len(counts) == 6 and counts.eq(10).all()


def test_readings_of_one_search_are_those_of_players_who_choose_so():
    common = {"game": "gobang", "positions": 60}
    both = PerfectUnit(player=player("rave", simulations=60), readings=("visits", "q", "q_rave"), **common)
    table = both.compute_in(Path()).tables["phases"]
    assert list(table["reading"].unique()) == ["visits", "q", "q_rave"]
    positions = both.taken()
    for reading in ("q", "q_rave"):
        alone = measure(player("rave", simulations=60, policy=reading), positions)
        rows = table[table["reading"] == reading]
        assert abs((rows["optimal"] * rows["positions"]).sum() / 60 - alone["optimal"].mean()) < 0.1


def test_a_unit_refuses_a_reading_that_its_player_does_not_have():
    with pytest.raises(ParameterError, match="'mcts' has no reading 'q_rave': it has visits, q"):
        PerfectUnit(game="gobang", player=player("mcts"), readings=("q_rave",))
    with pytest.raises(ParameterError, match="'rhea' has no reading 'q'"):
        PerfectUnit(game="gobang", player=player("rhea"), readings=("q",))


def test_other_positions_are_another_unit(monkeypatch: pytest.MonkeyPatch):
    unit = PerfectUnit(game="gobang", player=player("mcts"))
    before = unit.id
    monkeypatch.setattr("wslib.study.pages.perfect_play._digest", lambda board, which: "other")
    assert PerfectUnit(game="gobang", player=player("mcts")).id != before


def test_a_network_of_a_run_is_measured_raw_or_with_a_search(tmp_path: Path):
    run = preset("smoke", game="connect4")
    raw = RunPerfectUnit(run=run, iteration=1, positions=30)
    searched = RunPerfectUnit(run=run, iteration=1, positions=30, search=GuidedSettings(simulations=10))
    assert raw.game == "connect4-6x6-k4" and raw.id != searched.id
    train(run, 1, tmp_path)
    for unit in (raw, searched):
        told = unit.compute_in(tmp_path)
        assert told.summary["positions"] == 30 and 0 <= told.summary["optimal"] <= 1
        assert told.summary["value_error"] is not None
        assert list(told.tables["phases"]["phase"]) == list(PHASES)
    with pytest.raises(ParameterError, match="it should be the run's"):
        RunPerfectUnit(run=RunSettings(game="othello"), game="gobang")


def test_the_experiment_stores_players_and_openings_and_reads_them_back(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path))
    asked = PerfectPlay(preset="smoke", boards="connect4")
    frame = study.results(asked.units(), asked.name, 1, progress=False)
    assert len(frame) == len(asked.units()) == 2 * (1 + 2 * 4) + 2
    openings = [unit for unit in asked.units() if isinstance(unit, OpeningUnit)]
    gobang, drop = opening_boards(openings, asked.name)
    assert (gobang.value, drop.value) == (0, 0) and gobang.complete
    assert set(drop.values) == {"1", "2", "3", "4"}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"boards": "tictactoe"}, "there are no positions of 'gobang-3x3-k3'"),
        ({"simulations": "100,100"}, "simulations names 100 twice"),
        ({"simulations": "0"}, r"simulations\[0\] = '0' is not allowed: it should be"),
    ],
)
def test_the_experiment_refuses_what_it_cannot_do(values: dict, words: str):
    with pytest.raises(ParameterError, match=words):
        PerfectPlay(**values)


@pytest.mark.parametrize(
    ("name", "plies", "value"), [("othello-4x4", 5, -8), ("connect4-4x5", 4, 0), ("gobang-3x4-k3", 2, 1)]
)
def test_a_start_is_solved_in_parts_that_are_kept(name: str, plies: int, value: int, tmp_path: Path, monkeypatch):
    solved, original = [], Solver.allow
    monkeypatch.setattr(Solver, "allow", lambda self, nodes: (solved.append(1), original(self, nodes))[1])
    assert solve_start(name, tmp_path, plies=plies, table_bits=12, progress=False) == value
    parts, searches = sorted(tmp_path.rglob("*.json")), len(solved)
    assert parts and searches >= len(parts)
    solved.clear()
    assert solve_start(name, tmp_path, plies=plies, table_bits=12, progress=False) == value
    assert not solved
    # Half of it is lost, as when it was stopped on the way: the rest is not solved again.
    for path in parts[::2]:
        path.unlink()
    assert solve_start(name, tmp_path, plies=plies, table_bits=12, progress=False) == value
    assert 0 < len(solved) < searches or len(parts) == 1


def test_a_start_split_too_deep_is_refused():
    with pytest.raises(ParameterError, match="plies = 16 is not allowed"):
        solve_start("othello-4x4", "unused", plies=16)


def test_the_bench_runs_and_solves_some_positions_of_every_phase_anew_with_the_same_values():
    told = subprocess.run([sys.executable, "tests/bench/solver.py", "15"], capture_output=True, text=True,
                          cwd=Path(__file__).parents[1])  # fmt: skip
    assert told.returncode == 0, told.stderr[-400:]
    assert told.stdout.count("\n") == 1 + len(EVERY) * len(PHASES)
