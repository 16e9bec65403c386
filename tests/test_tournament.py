"""Tournaments: every pair is one unit whoever is named first, from openings played with both colours."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wslib.network.runtime import TorchNetwork
from wslib.parameters import ParameterError
from wslib.play import player
from wslib.study.engine.states import train
from wslib.study.engine.store import LocalStore
from wslib.study.engine.tournament import NetworkEntrant, PairBlock, PairUnit, joined, pair, round_robin
from wslib.study.engine.units import results
from wslib.study.presets import preset
from wslib.study.statistics.pairings import ordered_pairs
from wslib.study.statistics.rating import rate

BOARD = "connect4-5x5"


def network(seed: int = 0, iteration: int = 1, **changes) -> NetworkEntrant:
    return NetworkEntrant(run=preset("smoke", game=BOARD, seed=seed, **changes), iteration=iteration)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("store")
    for seed in (0, 1):
        train(network(seed).run, 2, root)
    return root


def test_a_pair_is_the_same_unit_whoever_is_named_first():
    x, y = network(0), player("mcts", simulations=8)
    assert pair(BOARD, x, y).id == pair(BOARD, y, x).id


def test_another_iteration_search_or_seed_is_another_unit():
    base, other = network(0), player("random")
    slow = NetworkEntrant(run=base.run, iteration=1, search={"simulations": 50})
    units = [pair(BOARD, entrant, other) for entrant in (base, network(0, iteration=2), network(1), slow)]
    units.append(pair(BOARD, base, other, seed=1))
    assert len({unit.id for unit in units}) == len(units)


def test_a_round_robin_has_every_pair_once_under_its_names():
    entrants = {"random": player("random"), "a": network(0), "b": network(1), "mcts": player("mcts")}
    units = round_robin(BOARD, entrants, games=2)
    assert sorted(tuple(sorted((n["a"], n["b"]))) for _, n in units) == sorted(
        tuple(sorted(p)) for p in combinations(entrants, 2)
    )
    assert all(entrants[names["a"]] == unit.a and entrants[names["b"]] == unit.b for unit, names in units)


def test_adding_a_player_adds_its_own_games_only():
    entrants = {f"n{seed}": network(seed) for seed in range(3)}
    before = {unit.id for unit, _ in round_robin(BOARD, entrants)}
    after = {unit.id for unit, _ in round_robin(BOARD, entrants | {"new": network(9)})}
    assert before < after and len(after - before) == 3


def test_every_opening_is_played_with_both_colours_and_pairs_have_openings_of_their_own(store: Path):
    entrants = {"a": network(0), "b": network(1), "mcts": player("mcts", simulations=8)}
    openings = {}
    for unit, names in round_robin(BOARD, entrants, games=8, opening_plies=3):
        games = unit.compute_in(store).tables["games"]
        assert list(games["opening"][0::2]) == list(games["opening"][1::2])
        assert list(games["a_first"]) == [1, 0] * 4
        assert all(len(opening.split()) == 3 for opening in games["opening"])
        openings[tuple(names.values())] = tuple(games["opening"])
    assert len(set(openings.values())) == 3


def test_a_block_gives_the_same_games_twice_and_its_records_add_up(store: Path):
    unit = pair(BOARD, network(0), network(1), games=6)
    first, second = unit.compute_in(store), unit.compute_in(store)
    games = first.tables["games"]
    assert first.summary == second.summary and games.equals(second.tables["games"])
    counted = {name: int(np.sum(games["result_a"] == r)) for name, r in (("wins", 1), ("draws", 0), ("losses", -1))}
    assert counted == {n: first.summary[f"{n}_first"] + first.summary[f"{n}_second"] for n in counted}
    assert games["moves_hash"].nunique() == first.summary["distinct"]


def test_networks_of_other_seeds_and_ages_are_other_networks(store: Path):
    from wslib.study.engine.networks import published_network

    weights = [
        published_network(network(seed).run, iteration, store).evaluate(
            np.ones((1, 1, 5, 5), np.float32) * np.arange(5, dtype=np.float32)
        )[0].tobytes()
        for seed in (0, 1) for iteration in (1, 2)
    ]  # fmt: skip
    accepted = [len(set(weights[k : k + 2])) for k in (0, 2)]
    assert len(set(weights)) == sum(accepted) and not set(weights[:2]) & set(weights[2:])


def test_what_was_played_can_be_rated(store: Path):
    entrants = {"random": player("random"), "a": network(0), "mcts": player("mcts", simulations=200)}
    rows = [{**names, **unit.compute_in(store).summary} for unit, names in round_robin(BOARD, entrants, games=20)]
    rating = rate(ordered_pairs(pd.DataFrame(rows)))
    assert rating["mcts"] > rating["random"]


def test_a_network_that_is_nowhere_is_trained_for_its_games(store: Path, tmp_path: Path):
    unit = pair(BOARD, network(1), player("random"), games=2)
    again, known = unit.compute_in(tmp_path), unit.compute_in(store)
    assert again.summary == known.summary and again.tables["games"].equals(known.tables["games"])


def test_a_network_plays_only_its_own_game():
    with pytest.raises(ParameterError, match="entrants are of one game"):
        PairUnit(game="othello", a=network(0), b=player("random"))


# --- many pairs at one table, as a GPU wants them -----------------------------------------------------------------


def test_pairs_at_one_table_play_the_games_that_they_play_by_themselves(store: Path):
    entrants = {"a": network(0), "b": network(1), "c": network(1, iteration=2), "random": player("random"),
                "mcts": player("mcts", simulations=8), "rhea": player("rhea", rollouts=8)}  # fmt: skip
    units = [unit for unit, _ in round_robin(BOARD, entrants, games=4, opening_plies=2)]
    block = PairBlock(tuple(units))
    for (unit, together), alone in zip(block.parts(store), units, strict=True):
        by_itself = alone.compute_in(store)
        assert unit is alone and together.summary == by_itself.summary
        assert together.tables["games"].equals(by_itself.tables["games"])


def test_what_torch_plays_is_computed_in_blocks_and_stored_pair_by_pair(store: Path, monkeypatch):
    monkeypatch.setenv("WSLIB_STORE", str(store))
    torchs = {str(seed): network(seed, runtime="torch") for seed in range(4)}
    for entrant in torchs.values():
        train(entrant.run, 1, store)
    units = [unit for unit, _ in round_robin(BOARD, {**torchs, "compiled": network(0)}, games=4)]
    (block,) = joined(units)
    assert set(block.members) == set(units), "a pair in which torch plays on one side too"
    assert joined([pair(BOARD, network(0), network(1))]) == [pair(BOARD, network(0), network(1))]

    batches = []
    evaluate = TorchNetwork.evaluate
    monkeypatch.setattr(TorchNetwork, "evaluate", lambda net, x: (batches.append(len(x)), evaluate(net, x))[1])
    found = results(units, "tried", 1, progress=False)
    assert list(found["unit"]) == [unit.id for unit in units] and set(found["origin"]) == {"computed here"}
    assert max(batches) > 4, "more positions at once than a pair has games"
    assert LocalStore(store).read("pair", units[0].id).provenance["seconds"] > 0
