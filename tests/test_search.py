"""The search: numbers worked out by hand, what holds in every search, and moves that must be found."""

from random import Random

import numpy as np
import pytest
from drivers import Fast, all_settings, few_left, random_line
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_solver import plain

from wslib.games import Game, Position, game
from wslib.prompt.result import SearchResult
from wslib.prompt.searches import search
from wslib.search import SearchSettings

any_game = st.sampled_from(["othello", "othello-4x4", "connect4", "connect4-6x7", "gobang", "tictactoe"]).map(game)
any_seed = st.integers(0, 2**32 - 1)
some = settings(deadline=None, max_examples=60)


def random_position(of: Game, seed: int) -> Position:
    """A position of a random game that is not over."""
    return Random(seed).choice(random_line(of, seed)[:-1])


# --- numbers worked out by hand -------------------------------------------------------------------------------------


def narrow_node(**options) -> Fast:
    """The start of Connect Four with three columns, with made-up statistics of its three actions.

    | action |  P  | N |  Q   | N_rave | Q_rave |
    | ------ | --- | - | ---- | ------ | ------ |
    |   1    | 0.5 | 3 |  0.5 |   8    |  0.25  |
    |   2    | 0.3 | 1 | -1   |   0    |  0     |
    |   3    | 0.2 | 0 |  0   |   1    |  1     |

    So N(s,.) = 4 with root 2, and N_rave(s,.) = 9 with root 3.
    """
    start = game("connect4-6x3").start()
    fast = Fast(start, SearchSettings(**options), seed=0)
    fast.walk(start)
    tree, node = fast.forest, fast.forest.nodes[0]
    tree.edges["prior"][0, :3] = [0.5, 0.3, 0.2]
    tree.edges["n"][0, :3], tree.edges["q"][0, :3], node["n"][0] = [3, 1, 0], [0.5, -1, 0], 4
    if fast.settings.rave:
        tree.amaf["n"][0, :3], tree.amaf["q"][0, :3], node["n_rave"][0] = [8, 0, 1], [0.25, 0, 1], 9
    return fast


def table_of(fast: Fast):
    return SearchResult(fast.game.start(), fast.settings, fast, 0).table().sort_index()


def test_u_is_q_plus_the_prior_times_the_root_of_all_visits_over_one_more_than_the_own_visits():
    # c = 1: 0.5 + 0.5*2/4, -1 + 0.3*2/2, 0 + 0.2*2/1.
    assert list(table_of(narrow_node())["U"]) == pytest.approx([0.75, -0.7, 0.4], abs=1e-8)
    # c = 10: 0.5 + 2.5, -1 + 3, 0 + 4.
    assert list(table_of(narrow_node(c=10))["U"]) == pytest.approx([3.0, 2.0, 4.0], abs=1e-7)


# U_rave with c = 1: 0.25 + 0.5*3/9 = 5/12, 0 + 0.3*3/1 = 0.9, 1 + 0.2*3/2 = 1.3.
@pytest.mark.parametrize(
    ("beta", "equivalence", "scores"),
    [
        # beta = sqrt(4 / (3*4 + 4)) = 1/2 for all.
        ("state", 4, [(0.75 + 5 / 12) / 2, (-0.7 + 0.9) / 2, (0.4 + 1.3) / 2]),
        # N(s,a) = 3, 1, 0 and equivalence 1: sqrt(1/10), sqrt(1/4), 1.
        ("action", 1, [0.6837722 * 0.75 + 0.3162278 * 5 / 12, (-0.7 + 0.9) / 2, 1.3]),
    ],
)
def test_rave_mixes_u_and_u_rave_by_beta(beta, equivalence, scores):
    fast = narrow_node(method="rave", beta=beta, equivalence=equivalence)
    assert list(table_of(fast)["U"]) == pytest.approx([0.75, -0.7, 0.4], abs=1e-8)
    assert list(table_of(fast)["score"]) == pytest.approx(scores, abs=1e-6)


def test_ucb1_is_q_plus_the_root_of_the_logarithm_of_all_visits_over_the_own_visits():
    # ln 4 = 1.386294; / 3 = 0.462098, root 0.679778; / 1, root 1.177410; what was never tried comes first.
    expected = [0.5 + 0.679778, -1 + 1.177410, np.inf]
    assert list(table_of(narrow_node(rule="ucb1"))["U"]) == pytest.approx(expected, abs=1e-6)
    # RAVE, beta = 1/2; ln 9 = 2.197225; 0.25 + sqrt(ln 9 / 8) = 0.774072; action 2 by U alone, action 3 by U_rave
    # alone: 1 + sqrt(ln 9) = 2.482304.
    fast = narrow_node(method="rave", rule="ucb1", equivalence=4)
    expected = [(1.179778 + 0.774072) / 2, 0.177410, 2.482304]
    assert list(table_of(fast)["score"]) == pytest.approx(expected, abs=1e-6)


def test_with_ucb1_an_action_that_neither_statistic_has_seen_comes_first():
    fast = narrow_node(method="rave", rule="ucb1")
    fast.forest.amaf["n"][0, 2] = 0
    assert table_of(fast)["score"].iloc[2] == np.inf


def test_before_the_first_visit_beta_is_one_and_rave_decides():
    fast = narrow_node(method="rave", equivalence=1e-9)
    fast.forest.edges["n"][0, :3], fast.forest.nodes["n"][0, 0] = 0, 0
    assert list(table_of(fast)["score"]) == pytest.approx([5 / 12, 0.9, 1.3], abs=1e-8)


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        ("visits", [3 / 4, 1 / 4, 0]),
        ("q", [1, 0, 0]),  # (Q + 1) / 2 is 0.75 and 0; the third has not been visited
        ("q_rave", [0.625 / 1.625, 0, 1 / 1.625]),
    ],
)
def test_the_policy_is_the_visits_or_the_values_of_what_was_visited(policy, wanted):
    fast = narrow_node(method="rave", policy=policy)
    result = SearchResult(fast.game.start(), fast.settings, fast, 0)
    assert result.policy == pytest.approx(wanted)
    assert fast.search(fast.game.start(), 0) == int(np.argmax(wanted))


@pytest.mark.parametrize("method", ["mcts", "rave"])
def test_the_prior_decides_the_first_visit_of_a_node(method):
    for seed in range(20):
        start = game("connect4-6x3").start()
        fast = Fast(start, SearchSettings(method=method, amaf="path" if method == "rave" else None), seed)
        fast.back_up(*fast.walk(start), value=1)
        fast.forest.edges["prior"][0, :3] = [0.2, 0.45, 0.35]
        fast.walk(start)
        assert fast.path(1)[0][1] == 1


def test_equal_scores_are_decided_by_chance_each_as_often():
    start, counts = game("connect4-6x3").start(), [0, 0, 0]
    for seed in range(300):
        fast = Fast(start, SearchSettings(), seed, nodes=4)
        fast.simulate(start)
        fast.simulate(start)
        counts[fast.path(1)[0][1]] += 1
    assert min(counts) > 75 and sum(counts) == 300  # 100 each, six standard deviations at most 50


def test_where_the_first_of_equal_scores_is_taken_nothing_is_drawn():
    start = game("connect4-6x3").start()
    for seed in range(5):
        fast = Fast(start, SearchSettings(ties="first"), seed, nodes=4)
        before = fast.streams.copy()
        fast.walk(start)  # makes the root
        assert fast.walk(start)[1] == 1 and fast.path(1)[0][1] == 0
        assert fast.search(start, 0) == 0, "so it is with the move: no action has been visited"
        assert np.array_equal(fast.streams, before)


def test_a_value_changes_its_sign_at_every_ply_on_the_way_up():
    line = [game("tictactoe").position(moves) for moves in ("", "a1", "a1 b2")]
    fast = hand_made_path(line, SearchSettings(), value=0.25)  # X is to move at the leaf
    assert [fast.edges(node)[action][1:3] for node, action in ((0, 0), (1, 4))] == [(1, 0.25), (1, -0.25)]


# --- RAVE's counts on lines made by hand -----------------------------------------------------------------------------


def hand_made_path(line: list[Position], of: SearchSettings, value: float, mine=(), theirs=()) -> Fast:
    """A tree of these positions after one simulation that went through them and found this value at the last."""
    fast = Fast(line[0], of, seed=0)
    for depth, position in enumerate(line):
        assert fast.walk(position) == (depth, 0)  # its node is new, and the depth-th
    for depth, position in enumerate(line[1:]):
        fast.forest.path[0, depth] = depth, line[depth].legal.index(position.history[-1])
    of_rollout = (mine, theirs) if of.amaf == "path+rollout" else ()
    fast.back_up(len(line) - 1, len(line) - 1, value, *of_rollout)
    return fast


def amaf_of(fast: Fast, node: int) -> dict[str, tuple[float, float]]:
    """Name of the action -> (N_rave, Q_rave), where there is any."""
    return {fast.game.action_name(a): edge[3:] for a, edge in fast.edges(node).items() if edge[3]}


FOUR = [game("connect4").position("1 2 2 1 1"[: 2 * n]) for n in range(6)]
"""X plays 1, 2, 1 and O plays 2, 1; then O is to move at the leaf, whose value is 1: O is winning."""
ROLLOUT = {"mine": {2, 3}, "theirs": {3, 4}}
"""After it, O plays 3 and 4, and X plays 4 and 5 (the actions 2 and 3, 3 and 4)."""
ROLLOUT_BY_FIRST_USE = {"mine": {2, 3}, "theirs": {4}}


@pytest.mark.parametrize(
    ("amaf", "players", "root", "last", "leaf"),
    [
        # X's own moves 1 and 2, the second 1 not again; the value is X's loss. The last state has seen X's 1 only.
        ("path", "own", {"1": (1, -1), "2": (1, -1)}, {"1": (1, -1)}, {}),
        # O's moves 2 and 1 with the value negated: two observations of each, which cancel.
        ("path", "both", {"1": (2, 0), "2": (2, 0)}, {"1": (1, -1)}, {}),
        (
            "path+rollout",
            "own",
            {"1": (1, -1), "2": (1, -1), "4": (1, -1), "5": (1, -1)},
            {"1": (1, -1), "4": (1, -1), "5": (1, -1)},
            {"3": (1, 1), "4": (1, 1)},
        ),
        # X was the first to play 1, O the first to play 2; in the rollout O is the first to play 4.
        ("path", "first", {"1": (1, -1), "2": (1, 1)}, {"1": (1, -1)}, {}),
        (
            "path+rollout",
            "first",
            {"1": (1, -1), "2": (1, 1), "3": (1, 1), "4": (1, 1), "5": (1, -1)},
            {"1": (1, -1), "3": (1, 1), "4": (1, 1), "5": (1, -1)},
            {"3": (1, 1), "4": (1, 1), "5": (1, -1)},
        ),
        (
            "path+rollout",
            "both",
            {"1": (2, 0), "2": (2, 0), "3": (1, 1), "4": (2, 0), "5": (1, -1)},
            {"1": (1, -1), "3": (1, 1), "4": (2, 0), "5": (1, -1)},
            {"3": (1, 1), "4": (2, 0), "5": (1, -1)},
        ),
    ],
)
def test_rave_counts_what_was_played_in_a_state_and_after_it(amaf, players, root, last, leaf):
    of = SearchSettings(method="rave", amaf=amaf, amaf_players=players)
    fast = hand_made_path(FOUR, of, 1.0, **(ROLLOUT_BY_FIRST_USE if players == "first" else ROLLOUT))
    assert amaf_of(fast, 0) == root
    assert amaf_of(fast, 4) == last
    assert amaf_of(fast, 5) == leaf
    # O's own moves 2 and 1 in the second state, where the value is O's win.
    assert amaf_of(fast, 1)["1"][0] == (2 if players == "both" else 1)
    assert amaf_of(fast, 3)["1"] == ((2, 0) if players == "both" else (1, 1))
    assert list(fast.forest.nodes["n_rave"][0, :6]) == [
        sum(n for n, _ in amaf_of(fast, node).values()) for node in range(6)
    ]


def test_rave_counts_only_actions_that_are_legal_in_the_state():
    # X: a1, c1; O: b1, then a2. In the last state a1 to c1 are taken.
    line = [game("tictactoe").position("a1 b1 c1 a2"[: max(3 * n - 1, 0)]) for n in range(5)]
    of = SearchSettings(method="rave", amaf_players="both")
    fast = hand_made_path(line, of, 1.0, mine={0, 4}, theirs={1, 8})
    assert set(amaf_of(fast, 0)) == {"a1", "b1", "c1", "a2", "b2", "c3"}
    assert set(amaf_of(fast, 2)) == {"c1", "a2", "b2", "c3"}
    assert set(amaf_of(fast, 4)) == {"b2", "c3"}


@pytest.mark.parametrize("players", ["own", "both", "first"])
def test_rave_counts_a_pass_where_it_was_played(players):
    before = game("othello", 4).position("a2 a3 b4 c1")
    line = [before, before.play("a4"), before.play("a4").play("pass")]
    assert line[1].moves == ("pass",)
    of = SearchSettings(method="rave", amaf_players=players)
    fast = hand_made_path(line, of, 1.0, mine={0}, theirs={15})
    assert amaf_of(fast, 1) == {"pass": (1, -1)}
    assert fast.forest.nodes["n_rave"][0, 1] == 1
    # The leaf itself may be such a state: the playout from it begins with the pass.
    fast = hand_made_path(line[:2], of, 1.0, mine={0}, theirs={15})
    assert amaf_of(fast, 1) == {"pass": (1, 1)}


# --- what holds in every search --------------------------------------------------------------------------------------


@some
@given(any_game, any_seed, st.sampled_from(all_settings()), st.integers(1, 120))
def test_in_every_tree_the_visits_add_up_and_values_stay_in_range(of, seed, options, simulations):
    root = random_position(of, seed)
    fast = Fast(root, options, seed)
    move = fast.search(root, simulations)
    assert move in root.legal
    nodes = fast.forest.nodes[0, : fast.forest.used[0, 0]]
    assert nodes["n"][0] == simulations - 1  # the first simulation makes the root
    entered = np.zeros(len(nodes))
    for node, found in enumerate(nodes):
        span = slice(found["first"], found["first"] + found["count"])
        edges = fast.forest.edges[0, span]
        assert edges["n"].sum() == found["n"]
        assert np.all(np.abs(edges["q"]) <= 1)
        assert np.all(edges["q"][edges["n"] == 0] == 0)
        assert np.all((edges["child"] >= 0) == (edges["n"] > 0))
        np.add.at(entered, edges["child"][edges["child"] >= 0], edges["n"][edges["child"] >= 0])
        position = fast.position(node)
        assert found["count"] == len(position.legal)
        if options.rave:
            amaf = fast.forest.amaf[0, span]
            assert amaf["n"].sum() == found["n_rave"]
            assert np.all(amaf["n"] >= edges["n"]), "the chosen action counts too"
            assert np.all(np.abs(amaf["q"]) <= 1)
    for node, found in enumerate(nodes[1:], start=1):
        # Whoever comes into a state leaves it again, but for the simulation that found it, or where the game is over.
        assert found["n"] == (0 if fast.position(node).is_over else entered[node] - 1)


@some
@given(any_game, any_seed, st.sampled_from(all_settings()), st.integers(1, 60))
def test_a_policy_is_a_distribution_over_the_legal_moves_and_is_repeated_by_its_seed(of, seed, options, simulations):
    root = random_position(of, seed)
    given_options = {name: value for name, value in options.canonical().items() if name != "simulations"}
    result, again = (search(root, simulations=simulations, seed=seed, **given_options) for _ in range(2))
    assert np.array_equal(result.visits, again.visits) and result.table().equals(again.table())
    assert result.policy.sum() == pytest.approx(1)
    assert result.policy.min() >= 0
    assert not set(np.flatnonzero(result.policy)) - set(root.legal)
    assert -1 <= result.value <= 1


@pytest.mark.parametrize("name", ["othello", "connect4", "gobang"])
def test_without_weight_on_its_statistics_rave_is_plain_search(name):
    root = game(name).start()
    plain = search(root, method="mcts", simulations=150, seed=1)
    rave = search(root, method="rave", simulations=150, seed=1, equivalence=1e-60, amaf="path", beta="state")
    # beta is 1 at the first visit of a node; there, with AMAF of the path alone, RAVE knows nothing yet either.
    assert np.array_equal(plain.visits, rave.visits) and np.array_equal(plain.q, rave.q)


# --- moves that must be found ----------------------------------------------------------------------------------------

WINS = [
    ("tictactoe", "a1 a3 b1 b3", "c1"),
    ("connect4", "1 2 1 2 1 3", "1"),
    ("connect4", "3 3 4 4 5 2", "6"),
    ("gobang", "a1 a3 b1 b3 c1 e6", "d1"),
    ("othello", "c2 b2 a2 d2 e2 b4 e5 f1 a4 d5 e3 a1 c5 a3 f2 d6 c6 f4 f6 b6 a5 c1 b5 e1 b3 e6", "a6"),
    ("othello-4x4", "a2 a3 a4 c1 d1 a1", "b1"),
    ("othello-4x4", "b1 a1 a2 a3 b4 c4 d4", "c1"),
]
BLOCKS = [
    ("tictactoe", "a1 b2 b1", "c1"),
    ("connect4", "1 2 1 3 1", "1"),
    ("connect4-6x7", "1 7 2 7 3", "4"),
    ("gobang", "a1 e5 b1 f6 c1", "d1"),
]
LOST = [
    ("tictactoe", "a1 b1 a3 a2 c3"),
    ("connect4-6x7", "3 3 4 4 5"),
    ("gobang", "b2 f6 c2 f5 d2"),
    ("othello-4x4", "a2 a3 a4 c1 d1 a1 b1"),
]
every_search = pytest.mark.parametrize(
    "options",
    [{"method": method, "rule": rule} for method in ("mcts", "rave") for rule in ("puct", "ucb1")],
    ids=lambda options: " ".join(options.values()),
)


@every_search
@pytest.mark.parametrize(("name", "moves", "best"), WINS)
def test_a_win_is_found_and_its_value_is_positive_for_the_player_to_move(name, moves, best, options):
    result = search(game(name).position(moves), simulations=500, **options)
    assert result.best == best
    assert result.value > 0.3
    assert result.table()["Q"][best] > 0.6


@every_search
@pytest.mark.parametrize(("name", "moves", "best"), BLOCKS)
def test_a_threat_is_met(name, moves, best, options):
    assert search(game(name).position(moves), simulations=10_000, **options).best == best


@every_search
@pytest.mark.parametrize(("name", "moves"), LOST)
def test_a_lost_position_has_a_negative_value_for_the_player_to_move(name, moves, options):
    assert search(game(name).position(moves), simulations=1000, **options).value < -0.3


@every_search
@pytest.mark.parametrize("name", ["othello", "othello-4x4", "connect4-4x5", "gobang-4x4", "tictactoe"])
def test_near_the_end_the_move_found_is_one_of_perfect_play(name, options):
    of, tried = game(name), 0
    for position in filter(None, (few_left(of, seed, empty=5) for seed in range(200))):
        values = {a: -np.sign(plain(of.rules, *position.act(a).words, -99, 99)) for a in position.legal}
        if len({*values.values()}) > 1 and tried < 8:
            best = search(position, simulations=2000, **options).best
            assert values[of.action_number(best)] == max(values.values()), f"{best} in\n{position}"
            tried += 1
    assert tried == 8, "too few positions in which it matters what is played"
