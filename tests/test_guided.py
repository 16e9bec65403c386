"""Guided searches: equal to the plain search after every simulation, games and evaluations shared without a trace."""

from itertools import product
from random import Random

import numpy as np
import pytest
from drivers import Guided, MadeUpNetwork
from test_search_reference import POSITIONS, assert_same, states, with_playouts

from wslib._compiled import stream
from wslib.games import Game, Position, game
from wslib.network.model import Network, NetworkSettings
from wslib.network.runtime import CompiledNetwork
from wslib.parameters import ParameterError
from wslib.play import NetworkPlayer, match, sit
from wslib.play.matches import Table
from wslib.prompt.searches import search
from wslib.search import GUIDED, THESIS, GuidedSettings, guided
from wslib.search import plain as reference
from wslib.search.guided import GuidedSearch, empty_memory

RAVE = {"rave", "rora", "wrora"}
MIXED = {"wro", "wrora"}
GAMES = ("othello", "connect4", "gobang", "tictactoe", "othello-4x4")


LEAVES = {
    "baseline": ("network", False), "rollout": ("playout", False), "rave": ("network", True),
    "rora": ("playout", True), "wro": ("mixture", False), "wrora": ("mixture", True),
}  # fmt: skip
"""How each method of the thesis evaluates its leaves, and whether RAVE steers it (section 5.3.3)."""


def all_settings() -> list[GuidedSettings]:
    """Every method with every combination of RAVE's options; weights, policies and rules vary along."""
    random, found = Random(8), []
    for method in GUIDED:
        options = product(["path", "path+rollout"], ["own", "both", "first"], ["state", "action"])
        for amaf, players, beta in options if method in RAVE else [(None, None, None)] * 6:
            found.append(
                GuidedSettings(
                    method=method, simulations=1, tree="kept",
                    c=random.choice([0.3, 1.0, 1.0, 2.5]), rule=random.choice(["puct"] * 5 + ["ucb1"]),
                    policy=random.choice(["visits", "q", "q_rave"] if method in RAVE else ["visits", "q"]),
                    weight=random.choice([0.2, 0.5, 0.85]) if method in MIXED else None,
                    amaf=amaf, amaf_players=players, beta=beta,
                    equivalence=random.choice([1.0, 20.0, 100.0]) if method in RAVE else None,
                    ties="random" if len(found) % 3 else "first",
                )
            )  # fmt: skip
    return found


def label(settings: GuidedSettings) -> str:
    canonical = settings.canonical()
    names = ("method", "weight", "policy", "c", "rule", "amaf", "amaf_players", "beta", "equivalence", "ties")
    return " ".join(str(canonical[name]) for name in names if canonical.get(name) is not None)


def plain_search(settings: GuidedSettings, network: MadeUpNetwork, state: np.uint64) -> reference.Search:
    """The plain search with these settings, drawing from the same stream."""
    leaf, rave = LEAVES[settings.method]

    def answer(position: Position) -> tuple[dict[int, float], float]:
        priors, values = network.evaluate(position.planes[None])
        total = sum(float(priors[0, action]) for action in position.legal)
        uniform = 1 / len(position.legal)
        return {a: float(priors[0, a]) / total if total else uniform for a in position.legal}, float(values[0])

    assert settings.rave == rave and settings.plays_out == (leaf != "network" and settings.weight != 0)
    plain = reference.Search(np.array([state]), settings, leaf, settings.weight or 0.0, answer)
    return with_playouts(plain)


def streams(count: int, seed: int = 0) -> np.ndarray:
    return np.array([stream(seed, "test", number) for number in range(count)])


def words(positions: list[Position]) -> tuple[np.ndarray, np.ndarray]:
    own, opp = zip(*(position.words for position in positions), strict=True)
    return np.array(own), np.array(opp)


def some_positions(name: str) -> list[Position]:
    """Five positions of a game, two of them the same, one of them late in it."""
    random, late = Random(name), game(name).start()
    while len(late.history) < late.game.cells // 2 and not late.is_over:
        later = late.act(random.choice(late.legal))
        if later.is_over:
            break
        late = later
    start = game(name).start()
    other = start.act(start.legal[-1])
    return [start, other, late, start, other.act(other.legal[0])]


# --- the plain search -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", all_settings(), ids=label)
@pytest.mark.parametrize("name", POSITIONS)
def test_each_simulation_leaves_the_tree_that_the_plain_search_leaves(name, settings):
    root = POSITIONS[name]
    network = MadeUpNetwork(root.game)
    searching = GuidedSearch(root.game, settings, network, streams(1, seed=3))
    fast, plain = Guided(searching, 0), plain_search(settings, network, searching.streams[0])
    for simulation in range(30):
        path = plain.simulate(root)
        searching.run(np.zeros(1, int), *words([root]))
        assert fast.path(len(path)) == states(path), f"simulation {simulation} takes another path"
        assert_same(fast, plain)


@pytest.mark.parametrize("tree", ["kept", "fresh"])
@pytest.mark.parametrize("method", GUIDED)
@pytest.mark.parametrize("name", GAMES)
def test_games_side_by_side_with_moves_and_policies_are_those_of_plain_searches(name, method, tree):
    positions, network = some_positions(name), MadeUpNetwork(game(name))
    random = Random(method + name)
    settings = GuidedSettings(
        method=method, simulations=12, tree=tree, weight=0.3 if method in MIXED else None,
        amaf=random.choice(["path", "path+rollout"]) if method in RAVE else None, policy=random.choice(["visits", "q"]),
    )  # fmt: skip
    searching = GuidedSearch(game(name), settings, network, streams(5))
    plain = [plain_search(settings, network, state) for state in searching.streams]
    for _ in range(6):
        # Any of the games, in any order, as at a table where some have ended.
        games = np.array([i for i in random.sample(range(5), 5) if not positions[i].is_over and random.random() < 0.8])
        if not len(games):
            continue
        here, sampled = [positions[i] for i in games], np.array([random.random() < 0.5 for _ in games])
        searching.run(games, *words(here))
        actions, policies = searching.decide(games, *words(here), sampled)
        for index, i in enumerate(games):
            if tree == "fresh":
                plain[i].tree = {}
            for _ in range(12):
                plain[i].simulate(here[index])
            weights = plain[i].weights(here[index])
            if not sum(weights.values()):  # by Q, where all that was tried loses
                weights = dict.fromkeys(weights, 1.0)
            wanted = [weights.get(a, 0.0) / sum(weights.values()) for a in range(game(name).actions)]
            assert list(policies[index]) == pytest.approx(wanted, abs=1e-12)
            assert actions[index] == (plain[i].drawn_move if sampled[index] else plain[i].move)(here[index])
            assert_same(Guided(searching, i), plain[i])
            positions[i] = here[index].act(int(actions[index]))


# --- games side by side, and what they share --------------------------------------------------------------------------


def played(board: Game, network, settings: GuidedSettings, games: int = 6) -> tuple[tuple[str, ...], GuidedSearch]:
    """Games of a player with itself, one tree for both colours; and its search as it is after them."""
    seat = sit(NetworkPlayer(network, settings), board, streams(games, seed=5), np.zeros(games, int))
    openings = [board.position(p.move_list) for p in (*some_positions(board.id), board.start())][:games]
    table = Table(board, openings)
    table.play([seat, seat], np.zeros(games, int))
    return table.move_lists(), seat.search


@pytest.mark.parametrize("kind", ["made up", "real"])
@pytest.mark.parametrize("method", GUIDED)
@pytest.mark.parametrize("name", ["othello", "connect4", "gobang"])
def test_shared_evaluations_change_no_game(name, method, kind):
    board = game(name)
    network = MadeUpNetwork(board)
    if kind == "real":
        network = CompiledNetwork(Network(NetworkSettings(game=name, channels=8, hidden=(16,)), seed=4))
    records, searches = zip(
        *(played(board, network, GuidedSettings(method=method, simulations=16, cache=c)) for c in (True, False)),
        strict=True,
    )
    assert records[0] == records[1]
    assert np.array_equal(searches[0].streams, searches[1].streams)
    assert [Guided(searches[0], i).tree() for i in range(6)] == [Guided(searches[1], i).tree() for i in range(6)]
    assert searches[0].leaves == searches[1].leaves == searches[1].evaluations > searches[0].evaluations


@pytest.mark.parametrize("tree", ["kept", "fresh"])
@pytest.mark.parametrize("name", ["othello", "connect4", "gobang"])
def test_with_shared_evaluations_no_state_is_evaluated_twice(name, tree):
    counts = {}
    for cache in (True, False):
        network = MadeUpNetwork(game(name))
        _, searching = played(game(name), network, GuidedSettings(simulations=20, cache=cache, tree=tree))
        asked = [state for batch in network.asked for state in batch]
        counts[cache] = len(asked), len(set(asked))
        assert searching.evaluations == len(asked)
        assert max(len(batch) for batch in network.asked) <= 6, "a batch has one leaf per game at most"
    assert counts[True][0] == counts[True][1] == counts[False][1], "each state once"
    assert counts[False][0] > 1.03 * counts[False][1]


@pytest.mark.parametrize("room", [1, 2, 7])
@pytest.mark.parametrize("cache", [True, False])
def test_a_memory_of_evaluations_that_grows_changes_no_result(room, cache, monkeypatch):
    board, settings = game("connect4"), GuidedSettings(method="wrora", simulations=20, cache=cache)
    wanted, roomy = played(board, MadeUpNetwork(board), settings)
    rooms = []

    def small(actions: int, size: int = room):
        rooms.append(size)
        return empty_memory(actions, size)

    monkeypatch.setattr(guided, "empty_memory", small)
    found, tight = played(board, MadeUpNetwork(board), settings)
    assert found == wanted and np.array_equal(roomy.streams, tight.streams)
    assert [Guided(roomy, i).tree() for i in range(6)] == [Guided(tight, i).tree() for i in range(6)]
    assert len(rooms) > 5 if cache else len(rooms) <= 3
    assert tight.evaluations == roomy.evaluations
    assert roomy.memory.value.shape == (guided.FIRST_ROOM,)


def test_what_is_remembered_of_a_state_is_what_the_network_says_of_it():
    board = game("othello")
    network = MadeUpNetwork(board)
    _, searching = played(board, network, GuidedSettings(simulations=40))
    used = int(searching.memory.used[0])
    memory = searching.memory
    priors, values = network.evaluate(board.planes(memory.states["own"][:used], memory.states["opp"][:used]))
    assert used > 1000
    assert np.array_equal(memory.prior[:used], priors) and np.array_equal(memory.value[:used], values)


# --- priors -----------------------------------------------------------------------------------------------------------


class FixedNetwork:
    """The same priors and value for every state."""

    def __init__(self, priors: list[float], value: float = 0.0):
        self.priors, self.value = priors, value

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.array([self.priors] * len(planes), np.float32), np.full(len(planes), self.value, np.float32)


FULL = game("connect4").position("1 1 1 1 1 1 3")
"""The first column takes no more stones."""


@pytest.mark.parametrize(
    ("position", "said", "priors"),
    [
        (FULL, [0.5, 0.25, 0.0, 0.125, 0.0625, 0.0625], {"2": 0.5, "3": 0.0, "4": 0.25, "5": 0.125, "6": 0.125}),
        (FULL, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], dict.fromkeys("23456", 0.2)),
        (POSITIONS["Othello, must pass"], [0.5, 0.5] + [0.0] * 35, {"pass": 1.0}),
    ],
    ids=["in proportion", "evenly where only illegal moves have mass", "to a pass"],
)
def test_the_mass_on_illegal_moves_goes_to_the_legal_ones(position, said, priors):
    found = search(position, FixedNetwork(said), simulations=5)
    assert found.table()["P"].to_dict() == pytest.approx(priors)


def test_without_visits_but_the_root_s_the_policy_is_uniform():
    board = game("connect4")
    searching = GuidedSearch(board, GuidedSettings(simulations=1), MadeUpNetwork(board), streams(1))
    searching.run(np.zeros(1, int), *words([board.start()]))
    _, policies = searching.decide(np.zeros(1, int), *words([board.start()]), np.array([False]))
    assert list(policies[0]) == pytest.approx([1 / 6] * 6)


def test_the_value_of_a_leaf_is_that_of_the_player_to_move_there():
    start = game("connect4").start()
    found = search(start, FixedNetwork([1 / 6] * 6, value=0.7), simulations=7, c=100)
    assert list(found.visits) == [1] * 6
    assert list(found.q) == pytest.approx([-0.7] * 6), "what is good for the opponent is bad for whoever moves"


# --- noise ------------------------------------------------------------------------------------------------------------


def noisy(name: str, positions: list[Position], share: float, alpha: float = 1.0, moves: int = 1) -> GuidedSearch:
    """A search with noise at its roots after ``moves`` rounds of searches in the same positions."""
    settings = GuidedSettings(simulations=25, noise=share, noise_alpha=alpha)
    searching = GuidedSearch(game(name), settings, MadeUpNetwork(game(name)), streams(len(positions), seed=2))
    for _ in range(moves):
        searching.run(np.arange(len(positions)), *words(positions))
    return searching


def priors_of(searching: GuidedSearch, i: int) -> dict[reference.State, np.ndarray]:
    return {s: np.array([e[0] for e in edges.values()]) for s, edges in Guided(searching, i).tree().items()}


@pytest.mark.parametrize("share", [0.25, 1.0])
@pytest.mark.parametrize("name", ["othello", "connect4", "gobang"])
def test_noise_changes_the_priors_of_roots_and_no_others(name, share):
    positions = some_positions(name)
    searching, network = noisy(name, positions, share), MadeUpNetwork(game(name))
    root_noise = []
    for i, position in enumerate(positions):
        plain = plain_search(GuidedSettings(), network, stream(0))
        root = reference.state_of(position)
        for state, priors in priors_of(searching, i).items():
            if not len(priors):
                continue
            wanted = np.array(list(plain.network(Position(position.game, *state, 0))[0].values()))
            assert priors.sum() == pytest.approx(1.0)
            if state != root:
                assert list(priors) == list(wanted)
                continue
            noise = (priors - (1 - share) * wanted) / share
            assert noise.min() > -1e-9 and noise.sum() == pytest.approx(1.0)
            assert np.abs(noise - wanted).max() > 0.01
            root_noise.append(noise.round(6).tolist())
    assert len({tuple(noise) for noise in root_noise}) == 5, "every game has noise of its own"


def test_in_a_kept_tree_noise_comes_to_the_state_that_has_become_the_root():
    start = game("connect4").start()
    searching = noisy("connect4", [start], 0.25)
    before = priors_of(searching, 0)
    later = start.act(int(searching.decide(np.zeros(1, int), *words([start]), np.array([False]))[0][0]))
    searching.run(np.zeros(1, int), *words([later]))
    after = priors_of(searching, 0)
    changed = {state for state in before if list(before[state]) != list(after[state])}
    assert changed == {reference.state_of(later)} and len(after) > len(before) > 20


def test_noise_is_as_even_as_its_parameter_says_and_comes_from_the_game_s_stream():
    start = game("gobang").start()

    def spread(alpha: float) -> float:
        searching = noisy("gobang", [start] * 20, 1.0, alpha)
        return float(np.mean([priors_of(searching, i)[0, 0].var() for i in range(20)]))

    k = 36
    for alpha in (0.1, 1.0, 10.0):
        assert spread(alpha) == pytest.approx((k - 1) / k**2 / (k * alpha + 1), rel=0.4), "a Dirichlet's variance"
    one, again = (noisy("gobang", [start] * 2, 0.25) for _ in range(2))
    assert Guided(one, 1).tree() == Guided(again, 1).tree() != Guided(one, 0).tree()


def test_without_noise_no_random_number_is_spent_on_it():
    searching = noisy("connect4", [game("connect4").start()], 0.0)
    assert searching.settings.canonical()["noise_alpha"] is None
    assert GuidedSettings().id == GuidedSettings(noise_alpha=0.3).id != GuidedSettings(noise=0.1).id


# --- the six methods are one ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mixed", "weight", "pure"),
    [("wro", 0.0, "baseline"), ("wro", 1.0, "rollout"), ("wrora", 0.0, "rave"), ("wrora", 1.0, "rora")],
)
@pytest.mark.parametrize("name", ["othello", "connect4", "gobang"])
def test_at_the_ends_of_its_weight_a_mixture_is_a_pure_method(name, mixed, weight, pure):
    board = game(name)
    of = [GuidedSettings(method=mixed, weight=weight, simulations=16), GuidedSettings(method=pure, simulations=16)]
    (games, searching), (pure_games, pure_searching) = (played(board, MadeUpNetwork(board), s) for s in of)
    assert games == pure_games
    assert np.array_equal(searching.streams, pure_searching.streams)
    for i in range(6):
        assert Guided(searching, i).tree() == Guided(pure_searching, i).tree()


def test_the_six_methods_play_six_different_ways():
    board = game("connect4")
    assert len({played(board, MadeUpNetwork(board), GuidedSettings(method=m, simulations=16))[0] for m in GUIDED}) == 6


def test_a_match_of_networks_is_the_same_twice_and_another_with_another_seed():
    board = game("connect4")
    a, b = (
        NetworkPlayer(MadeUpNetwork(board), GuidedSettings(method=m, simulations=10)) for m in ("wrora", "baseline")
    )
    first, again, other = (match(board, a, b, games=8, seed=seed, opening_plies=2).moves for seed in (1, 1, 2))
    assert first == again != other


# --- at a prompt ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["baseline", "rollout", "rora", "wro", "wrora"])
def test_a_method_that_needs_a_network_says_so(method):
    with pytest.raises(ParameterError) as error:
        search(game("connect4").start(), method=method)
    assert str(error.value) == f"method {method!r} needs a network: search(position, network, method={method!r})"


def test_the_methods_differ_in_their_leaf_and_in_rave_and_in_nothing_else():
    assert {name: (m.leaf.__name__, m.rave) for name, m in GUIDED.items()} == LEAVES
    assert tuple(LEAVES) == THESIS
    for method in GUIDED:
        assert GuidedSettings(method=method).weight == (0.5 if method in MIXED else None)
