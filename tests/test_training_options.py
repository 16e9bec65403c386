"""Options of a training run: ids that stay, what each option changes, and the sentence where one cannot act."""

import json
from functools import partial

import learners
import numpy as np
import pytest
import torch

from wslib.games import game
from wslib.network.model import Network
from wslib.parameters import NETWORK_RESULTS_VERSION, RESULTS_VERSION, ParameterError, Parameters, digest
from wslib.play.matches import Table
from wslib.play.players import GuidedSeat
from wslib.prompt.network_file import to_bytes
from wslib.rhea import RheaSettings
from wslib.search import GuidedSettings, SearchSettings
from wslib.study.engine.runs import RunUnit, StrengthUnit
from wslib.study.presets import PRESETS, preset
from wslib.training import loop as training
from wslib.training.loop import advance, compete, self_play, start
from wslib.training.settings import RAVE_OPTIONS, RHEA_OPTIONS, RunSettings, weight_of, weights_of

small = partial(learners.small, simulations=12)
ENHANCED = ("rollout", "rave", "rora", "wro", "wrora", "rhea")
MIXTURE = RunSettings(game="connect4", method="wro")
KNOWN_IDS = [
    (RunSettings(game="connect4"), "77c3619d8a36a8053ee9"),
    (RunSettings(game="othello", method="wrora"), "43df3b635cf11c595222"),
    (RunSettings(game="gobang", method="rave", switch="adaptive", policy="q_rave"), "cc4b3f3eb7bdfb77e89b"),
    (RunSettings(game="connect4", method="wro", weight="half", warm_iterations=3), "c7dbf8c5ec22a905c438"),
    (RunSettings(game="othello", method="rhea", simulations=8), "ad227e02103032100108"),
    (RunSettings(game="connect4", method="rora", gating=False, noise=0.25), "6c1469deae95643e011a"),
    (RunSettings(game="othello", shape="residual", hidden=(), optimiser="carried"), "6651c1ad978dbe5c666f"),
    (RunSettings(game="connect4", method="wro", weight="shifted", undecided="accept", arena_plies=0),
     "089ff022102e59d8fe07"),
    (preset("smoke", game="connect4", method="rollout"), "89c64673bb0b1f641749"),
    (preset("laptop", game="connect4", method="rollout"), "d17d0b8fc58482c12638"),
    (preset("table", game="connect4", method="rollout"), "c54aadb1a23de98ea8ed"),
    (preset("paper", game="connect4", method="rollout"), "56b51d1ddd02195c1003"),
    (preset("letter", game="connect4", method="wrora"), "425292659b70d76c6154"),
    (GuidedSettings(), "45eeaf599dbd0e7cd9b2"),
    (GuidedSettings(method="wrora", simulations=400), "81fa66018679fada8bd7"),
    (GuidedSettings(method="rave", policy="q_rave", amaf_players="both"), "eb0847e20803b7a86b75"),
    (GuidedSettings(noise=0.25, cache=False, tree="fresh"), "b84f7fd5a4ef417a117f"),
    (SearchSettings(), "b597a735b7664ab4a6ed"),
    (SearchSettings(method="rave", tree="kept"), "19554a50e45a6168a66d"),
    (RheaSettings(), "79da6f8ffb5ba748774a"),
    (RunUnit(run=MIXTURE, iterations=3), "bcb60ed78b2d9e65a163"),
    (StrengthUnit(run=MIXTURE, iteration=3, opponent=SearchSettings()), "dff39409c4e9032c2d3f"),
]  # fmt: skip


def ids(*options: dict) -> int:
    """How many different runs these are."""
    return len({RunSettings(**{"game": "connect4", **changes}).id for changes in options})


# --- ids --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("settings", "known"), KNOWN_IDS, ids=lambda value: value if isinstance(value, str) else "")
def test_what_an_id_is_made_of_has_not_moved(settings: Parameters, known: str):
    assert digest(settings.canonical(), 1) == known, "the first version's ids, of which only the version has changed"
    assert settings.id == digest(settings.canonical(), NETWORK_RESULTS_VERSION if settings.learns else RESULTS_VERSION)


def test_an_option_with_its_usual_value_does_not_change_the_id():
    usual = {
        "device": "cpu", "precision": "float32", "runtime": "compiled", "tree": "kept", "ties": "random", "cache": True,
        "default_policy": "visits", "targets": "distribution", "gate": "decided", "arena_trees": "game",
    }  # fmt: skip
    assert ids({}, *({name: value} for name, value in usual.items())) == 1
    rave = {"amaf": "path", "amaf_players": "own", "beta": "state", "equivalence": 100}
    assert ids({"method": "rora"}, *({"method": "rora", name: value} for name, value in rave.items())) == 1
    rhea = {name: RheaSettings.model_fields[name].default for name in RHEA_OPTIONS}
    assert ids({"method": "rhea"}, *({"method": "rhea", name: value} for name, value in rhea.items())) == 1
    assert not (usual.keys() | rave.keys() | rhea.keys()) & RunSettings(game="connect4").canonical().keys()


CHANGED: list[dict] = [
    {"device": "cuda"}, {"precision": "bfloat16"}, {"runtime": "torch"}, {"tree": "fresh"}, {"cache": False},
    {"ties": "first"}, {"method": "rora", "amaf_players": "first"},
    {"noise": 0.2}, {"noise": 0.2, "noise_alpha": 0.3}, {"default_policy": "q"}, {"targets": "late"},
    {"targets": "move"}, {"gate": "all"}, {"arena_trees": "match"},
    {"method": "rora"}, {"method": "rora", "amaf": "path+rollout"}, {"method": "rora", "amaf_players": "both"},
    {"method": "rora", "beta": "action"}, {"method": "rora", "equivalence": 50},
    {"method": "rhea"}, {"method": "rhea", "horizon": 5}, {"method": "rhea", "population": 5},
    {"method": "rhea", "mutation": 0.5}, {"method": "rhea", "rollouts_per_individual": 1},
    {"method": "rhea", "illegal": "random"},
    {"method": "wro"}, {"method": "wro", "weight": 0.3}, {"method": "wro", "weight": "inverse"},
    {"method": "wro", "weight": "linear", "weight_iterations": 3}, {"method": "wro", "weights": (1, 0.7)},
]  # fmt: skip


def test_every_option_is_part_of_the_id_and_can_be_read_back_from_the_canonical_form():
    assert ids({}, *CHANGED) == len(CHANGED) + 1
    for options in CHANGED:
        run = RunSettings(game="connect4", **options)
        values = json.loads(json.dumps(run.canonical()))
        again = RunSettings(**{name: value for name, value in values.items() if value is not None})
        assert again.id == run.id and again == run


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"noise_alpha": 0.3}),
        ({"gating": False}, {"gating": False, "gate": "all", "arena_trees": "match"}),
        ({"method": "wro", "weight": "half"}, {"method": "wro", "weight": 0.5}),
        ({"method": "wro"}, {"method": "wro", "weight": "linear", "weight_iterations": 5}),
        ({"method": "wro", "weights": (1, 0.5)}, {"method": "wro", "weights": (1, 0.5, 0.5, 0.5)}),
        (
            {"method": "wro", "weights": (1, 0.4), "warm_iterations": 2},
            {"method": "wro", "weights": (1, 0.4, 0.3), "warm_iterations": 2},
        ),
        ({"method": "rora", "simulations": 50}, {"method": "rora", "simulations": 50, "equivalence": 50}),
        ({"method": "rhea", "simulations": 8}, {"method": "rhea", "simulations": 8, "population": 90, "mutation": 0.9}),
    ],
    ids=str,
)  # fmt: skip
def test_equal_computations_have_equal_ids(one: dict, other: dict):
    assert ids(one, other) == 1


# --- weights ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "weights"),
    [
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
def test_a_weight_may_be_a_number_a_decay_or_a_function(options, weights):
    run = RunSettings(game="connect4", method="wrora", **options)
    assert [weight_of(run, i + 1) for i in range(len(weights))] == pytest.approx(weights)
    assert [run.warm_search(i + 1).weight for i in range(len(weights))] == pytest.approx(weights)


def test_a_function_s_weights_are_those_of_the_iterations_counted_from_1():
    assert weights_of(lambda i: 1 / i, 4) == (1.0, 1 / 2, 1 / 3, 1 / 4)
    with pytest.raises(ParameterError, match="iterations = 0 is not allowed"):
        weights_of(lambda i: 1 / i, 0)


# --- what the searches are told ---------------------------------------------------------------------------------------


def searches(run: RunSettings, monkeypatch: pytest.MonkeyPatch) -> list[GuidedSettings]:
    """The searches that an iteration of self-play and an arena make, in order."""
    made, original = [], training.GuidedSearch

    def watched(board, settings, *more):
        made.append(settings)
        return original(board, settings, *more)

    monkeypatch.setattr(training, "GuidedSearch", watched)
    state = start(run)
    self_play(run, state)
    compete(run, state.network, state.network, 1)
    return made


def test_rave_s_options_reach_the_warm_start_and_nobody_else(monkeypatch):
    options = dict(zip(RAVE_OPTIONS, ("path+rollout", "first", "action", 30.0), strict=True))
    warm, default, new, old = searches(
        small(method="rora", switch="adaptive", tree="fresh", cache=False, noise=0.1, noise_alpha=0.4, ties="first",
              default_policy="q", policy="q_rave", **options), monkeypatch
    )  # fmt: skip
    common = {"simulations": 12, "tree": "fresh", "ties": "first", "cache": False, "noise": 0.1, "noise_alpha": 0.4}
    assert warm == GuidedSettings(method="rora", policy="q_rave", **options, **common)
    assert default == GuidedSettings(policy="q", **common)
    arena = GuidedSettings(simulations=12, policy="q", ties="first", cache=False)
    assert new == old == arena, "no noise, a tree for the whole game"


def test_rhea_s_options_reach_the_evolution(monkeypatch):
    options = dict(zip(RHEA_OPTIONS, (4, 3, 0.5, 1, "random"), strict=True))
    sat, original = [], training.sit
    monkeypatch.setattr(training, "sit", lambda player, *more: [sat.append(player), original(player, *more)][1])
    run = small(method="rhea", **options)
    self_play(run, start(run))
    assert sat == [RheaSettings(rollouts=12, **options)]


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


# --- the text to the letter -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("switch", ["fixed", "adaptive"])
@pytest.mark.parametrize("method", ["baseline", *ENHANCED])
def test_by_the_letter_every_method_keeps_of_the_text_what_can_act_in_it(method: str, switch: str):
    run = preset("letter", game="othello", method=method, **({"switch": switch} if method != "baseline" else {}))
    assert (run.gate, run.default_policy, run.arena_plies, run.arena_trees) == ("all", "q", 0, "match")
    assert run.policy == ("visits" if method in ("baseline", "rhea") else "q")
    assert run.amaf_players == ("first" if method in ("rave", "rora", "wrora") else None)
    table = preset("table", game="othello", method=method, switch=run.switch)
    same = {"gate": "decided", "default_policy": "visits", "arena_plies": 4, "arena_trees": "game", "policy": "visits",
            "amaf_players": table.amaf_players}  # fmt: skip
    assert run.model_copy(update=same) == table and run.id != table.id


@pytest.mark.parametrize("method", ["baseline", "wrora"])
def test_a_run_by_the_letter_plays_learns_and_meets_its_predecessor(method: str, monkeypatch):
    sizes = {**PRESETS["smoke"], "sampled_plies": 6, "threshold": 0.0}
    run = preset("letter", game="connect4", method=method, **sizes)
    tables = []
    monkeypatch.setattr(training, "Table", lambda *given: [tables.append(given), Table(*given)][1])
    for told in learners.after(run, 2)[1]:
        assert told["accepted"] == (told["arena_wins"] > 0)
        assert told["arena_wins"] + told["arena_draws"] + told["arena_losses"] == 4
    board = game("connect4")
    # Of each iteration the games of self-play at one table, then the arena's one by one, all from the empty board.
    assert [len(positions) for _, positions in tables] == [4, 1, 1, 1, 1] * 2
    assert all(position == board.start() for _, positions in tables for position in positions)


# --- targets ----------------------------------------------------------------------------------------------------------


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


# --- the arena --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threshold", "wins", "draws", "losses", "accepted"),
    [
        (0.6, 12, 0, 8, False),
        (0.6, 13, 0, 7, True),
        (0.6, 6, 12, 2, False),
        (0.56, 14, 1, 11, False),
        (0.56, 14, 0, 11, False),
        (0.56, 15, 0, 10, True),
        (0.0, 0, 20, 0, False),
        (0.0, 1, 19, 0, True),
    ],
)
def test_by_the_letter_a_candidate_must_win_more_than_its_share_of_all_games(threshold, wins, draws, losses, accepted):
    run = small(gating=True, gate="all", threshold=threshold).model_copy(update={"arena_games": wins + draws + losses})
    assert training._is_better(run, wins, losses) is accepted


class Arena:
    """An arena that was watched: the tables, with the trees that each player had at the first move of a table."""

    def __init__(self, run: RunSettings, new: Network, old: Network, monkeypatch: pytest.MonkeyPatch):
        self.tables: list[training.Table] = []
        self.nodes: list[dict[int, int]] = []
        watching, choose = self, GuidedSeat.choose

        class Watched(training.Table):
            def __init__(self, *arguments):
                super().__init__(*arguments)
                watching.tables.append(self)
                watching.nodes.append({})

        def choose_and_look(seat, games, own, opp):
            watching.nodes[-1].setdefault(id(seat), int(seat.search.forest.used[:, 0].max()))
            return choose(seat, games, own, opp)

        with monkeypatch.context() as patch:
            patch.setattr(training, "Table", Watched)
            patch.setattr(GuidedSeat, "choose", choose_and_look)
            self.accepted, self.told = compete(run, new, old, 3)


def test_trees_kept_over_the_match_grow_from_game_to_game_which_are_played_one_after_the_other(monkeypatch):
    run = small(gating=True, arena_trees="match", arena_games=6, arena_plies=0, simulations=30)
    new, old = Network(run.network, seed=1), Network(run.network, seed=2)
    arena = Arena(run, new, old, monkeypatch)
    assert [len(table.own) for table in arena.tables] == [1] * 6
    grown = np.array([list(nodes.values()) for nodes in arena.nodes])
    assert sorted(grown[0]) == [0, 0] and np.all(np.diff(np.sort(grown, axis=1), axis=0) > 0)
    assert compete(run, new, old, 3) == (arena.accepted, arena.told)
    # The same player begins the first half of the games, the other one the second.
    begins = [next(iter(nodes)) for nodes in arena.nodes]
    assert begins[0] == begins[1] == begins[2] != begins[3] == begins[4] == begins[5]
    assert sum(arena.told.values()) == 6
    usual = Arena(run.model_copy(update={"arena_trees": "game"}), new, old, monkeypatch)
    assert [len(table.own) for table in usual.tables] == [6] and set(usual.nodes[0].values()) == {0}


def test_results_of_a_match_with_kept_trees_are_counted_for_the_new_network(monkeypatch):
    run = small(gating=True, arena_trees="match", arena_games=4)
    beginners_win = property(lambda table: np.array([1]))
    monkeypatch.setattr(training.Table, "first_player_result", beginners_win)
    network = start(run).network
    assert compete(run, network, network, 1)[1] == {"arena_wins": 2, "arena_draws": 0, "arena_losses": 2}


@pytest.mark.parametrize("options", [{"arena_trees": "match", "gate": "all", "threshold": 0.5}, {"arena_plies": 0}])
def test_an_arena_of_another_kind_is_the_same_twice(options: dict):
    run = small(gating=True, **options)
    (one, log), (other, again) = (learners.after(run, 2) for _ in range(2))
    assert to_bytes(one.network) == to_bytes(other.network) and log == again


def test_a_run_on_a_device_that_is_not_here_does_not_begin():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    run = small(device="cuda")  # but its results can be read
    with pytest.raises(ParameterError, match="device = 'cuda' is not here: torch finds no GPU"):
        start(run)
    with pytest.raises(ParameterError, match="device = 'cuda' is not here"):
        advance(run, start(small()))


def test_a_changed_copy_has_an_id_of_its_own():
    run = preset("laptop", game="othello")
    assert run.id != run.model_copy(update={"seed": 1}).id == preset("laptop", game="othello", seed=1).id
