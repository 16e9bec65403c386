"""The compiled search against the plain one: equal after every simulation, with every option, in every game."""

import numpy as np
import pytest
from drivers import Fast, all_settings, playout_from

from wslib._compiled import stream
from wslib.games import Position, game
from wslib.prompt.result import edge_table, find
from wslib.prompt.searches import search
from wslib.search import SearchSettings, kernels
from wslib.search import plain as reference
from wslib.search.tree import grown, plant

POSITIONS = {
    "tic-tac-toe": game("tictactoe").position(),
    "tic-tac-toe, X wins with c1": game("tictactoe").position("a1 a3 b1 b3"),
    "Othello": game("othello").position(),
    "Othello, middle": game("othello").position("b3 b4 a5 c2 b1 e2 c5 b5 e5 a3 b2 e4"),
    "Othello, must pass": game("othello").position(
        "e4 e3 b2 e5 f2 f3 f6 c5 b6 e2 f1 c2 d2 b1 c1 b5 a5 d1 e1 a3 f4 a6 a1 c6 d5 b4 b3 a4"
    ),
    "Othello 4x4": game("othello", 4).position(),
    "Othello 4x4, must pass": game("othello", 4).position("a2 a3 b4 c1 a4"),
    "Othello 4x4, two passes ahead": game("othello", 4).position("c4 b4 a3 d4 c1 a2 a4 d2"),
    "Connect Four": game("connect4").position(),
    "Connect Four, two columns left": game("connect4").position(
        "2 1 6 1 5 3 1 5 5 4 2 5 1 2 1 1 2 3 3 2 3 5 6 5 2 4 4 3 3 4"
    ),
    "Connect Four 6x7": game("connect4-6x7").position("4 4 4 4 4 3 3"),
    "Gobang": game("gobang").position(),
    "Gobang, X wins with d1": game("gobang").position("a1 a3 b1 b3 c1 e6"),
    "Gobang 4x4, late": game("gobang", 4).position("a4 b4 c2 a1 b2 d3 c3 b3 d2 a2"),
}
FIRST_OF_EACH = ["tic-tac-toe", "Othello 4x4, must pass", "Connect Four 6x7", "Gobang"]


def label(settings: SearchSettings) -> str:
    given = settings.canonical()
    for name in ("simulations", "tree"):
        del given[name]
    return " ".join(str(value) for value in given.values() if value is not None)


every_setting = pytest.mark.parametrize("settings", all_settings(), ids=label)


def plain_search(settings: SearchSettings, seed: int, label: str = "test") -> reference.Search:
    """The plain search with these settings, drawing from the same stream as :class:`Fast`."""
    return with_playouts(reference.Search(np.array([stream(seed, label)]), settings))


def with_playouts(plain: reference.Search) -> reference.Search:
    """A plain search with compiled playouts: what was played in them is worked out by the tests."""
    plain.playout = lambda position: playout_from(plain.stream, position, plain.options.amaf_players == "first")
    return plain


def assert_same(fast: Fast, plain: reference.Search) -> None:
    """Trees and random streams agree: counts exactly, values within 1e-12."""
    assert fast.streams[0] == plain.stream[0], "the random streams have come apart"
    got = fast.tree()
    wanted = {
        state: {action: (edge.prior, edge.n, edge.q, edge.n_rave, edge.q_rave) for action, edge in edges.items()}
        for state, edges in plain.tree.items()
    }
    if got == wanted:
        return
    assert got.keys() == wanted.keys()
    for state, edges in wanted.items():
        assert got[state].keys() == edges.keys()
        for action, edge in edges.items():
            assert got[state][action][1::2] == edge[1::2], "counts differ"
            assert got[state][action] == pytest.approx(edge, abs=1e-12, rel=0), "values differ"


def states(path: list[tuple[Position, int]]) -> list[tuple[tuple[int, int], int]]:
    return [(reference.state_of(position), action) for position, action in path]


@every_setting
@pytest.mark.parametrize("name", POSITIONS)
def test_each_simulation_leaves_the_tree_that_the_plain_search_leaves(name, settings):
    root = POSITIONS[name]
    fast, plain = Fast(root, settings, seed=3), plain_search(settings, seed=3)
    for simulation in range(40):
        path = plain.simulate(root)
        fast.simulate(root)
        assert fast.path(len(path)) == states(path), f"simulation {simulation} takes another path"
        assert_same(fast, plain)
    for node in fast.forest.nodes[0, : fast.forest.used[0, 0]]:
        edges = plain.tree[int(node["own"]), int(node["opp"])].values()
        assert node["n"] == sum(edge.n for edge in edges)
        assert node["n_rave"] == sum(edge.n_rave for edge in edges)
    assert fast.search(root, 0) == plain.move(root)
    assert fast.streams[0] == plain.stream[0]


@every_setting
@pytest.mark.parametrize(
    ("name", "opening"),
    [("othello-4x4", "a2 a3 b4"), ("othello-6x6", ""), ("connect4-6x6", ""), ("gobang-4x4-k3", ""), ("tictactoe", "")],
)
def test_a_kept_tree_grows_through_a_game_as_in_the_plain_search(name, opening, settings):
    position = game(name).position(opening)
    fast, plain = Fast(position, settings, seed=5), plain_search(settings, seed=5)
    kept = []
    while len(kept) < 5 and not position.is_over:
        kept.append(sum(edge.n for edge in plain.tree.get(reference.state_of(position), {}).values()))
        for _ in range(20):
            plain.simulate(position)
        assert fast.search(position, 20) == plain.move(position)
        assert_same(fast, plain)
        # The game goes on where both have looked before, so that the tree is of use.
        edges = plain.tree[reference.state_of(position)]
        position = position.act(max(edges, key=lambda action: edges[action].n))
    assert len(kept) > 2 and kept[1] > 0 and kept[2] > 0


@pytest.mark.parametrize("method", ["mcts", "rave"])
@pytest.mark.parametrize("name", FIRST_OF_EACH)
def test_the_search_of_a_reader_is_the_plain_search(name, method):
    root = POSITIONS[name]
    found = search(root, method=method, simulations=60, seed=9)
    plain = plain_search(found.settings, seed=9, label="search")
    for _ in range(60):
        plain.simulate(root)
    edges = plain.tree[reference.state_of(root)]
    assert list(found.actions) == sorted(edges)
    assert list(found.visits) == [edges[action].n for action in sorted(edges)]
    assert list(found.q) == pytest.approx([edges[action].q for action in sorted(edges)])
    assert sum(plain.weights(root).values()) * found.policy == pytest.approx(
        [plain.weights(root).get(action, 0.0) for action in range(root.game.actions)]
    )


@pytest.mark.parametrize("method", ["mcts", "rave"])
@pytest.mark.parametrize("name", ["othello", "connect4", "gobang"])
@pytest.mark.parametrize("fresh", [True, False])
def test_games_searched_side_by_side_do_not_touch_each_other(name, method, fresh):
    settings = SearchSettings(method=method)
    roots = [game(name).position()]
    for _ in range(4):
        roots.append(roots[-1].act(roots[-1].legal[-1]))
    rules, plan = roots[0].game.rules, kernels.make_plan(settings)
    forest = plant(rules, 5, 200, settings.rave)
    streams = np.array([stream(seed, "test") for seed in range(5)])
    trees, games, moves = np.array([3, 0, 4, 1, 2]), np.array([1, 4, 0, 2, 3]), np.empty(5, int)
    own, opp = (np.array(words) for words in zip(*(root.words for root in roots), strict=True))
    for _ in range(2):
        kernels.search_moves(rules, plan, forest, trees, own, opp, streams, games, 30, fresh, moves)
    for index, root in enumerate(roots):
        alone = Fast(root, settings, seed=int(games[index]))
        for _ in range(2):
            if fresh:
                alone.forest = plant(rules, 1, 200, settings.rave)
            move = alone.search(root, 30)
        assert moves[index] == move
        assert streams[games[index]] == alone.streams[0]
        table, single = np.zeros((rules.actions, 10)), np.zeros((rules.actions, 10))
        edge_table(rules, plan, forest, trees[index], find(forest, trees[index], *root.words), table)
        edge_table(rules, plan, alone.forest, 0, alone.node(root), single)
        assert np.array_equal(table, single)


@pytest.mark.parametrize("method", ["mcts", "rave"])
@pytest.mark.parametrize("name", ["othello", "connect4", "gobang"])
def test_a_forest_that_grows_under_a_search_changes_nothing(name, method):
    root, settings = game(name).start(), SearchSettings(method=method)
    roomy, tight = Fast(root, settings, seed=6, nodes=400), Fast(root, settings, seed=6, nodes=5)
    small, grew = tight.forest, 0
    for _ in range(40):
        before = tight.forest
        tight.forest = grown(root.game.rules, before, 5)
        grew += tight.forest is not before
        assert tight.forest.nodes.shape[1] >= tight.forest.used[0, 0] + 5
        assert tight.search(root, 5) == roomy.search(root, 5)
        assert tight.tree() == roomy.tree()
    assert 3 <= grew < 20, "it grows when it must, and then by more than asked for"
    assert small.nodes.shape[1] == 5 and tight.streams[0] == roomy.streams[0]
