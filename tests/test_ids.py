"""Ids of settings: equal computations have equal ones, different ones do not, and what is known has not moved."""

import json
from typing import Any

import pytest
from drivers import all_settings

from wslib.parameters import NETWORK_RESULTS_VERSION, RESULTS_VERSION, Parameters, digest
from wslib.rhea import RheaSettings
from wslib.search import GuidedSettings, SearchSettings
from wslib.study.engine.runs import RunUnit, StrengthUnit
from wslib.study.presets import preset
from wslib.training.settings import RHEA_OPTIONS, RunSettings

Options = dict[str, Any]
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


@pytest.mark.parametrize(("settings", "known"), KNOWN_IDS, ids=lambda value: value if isinstance(value, str) else "")
def test_what_an_id_is_made_of_has_not_moved(settings: Parameters, known: str):
    assert digest(settings.canonical(), 1) == known, "the first version's ids, of which only the version has changed"
    version = NETWORK_RESULTS_VERSION if settings.learns else RESULTS_VERSION
    assert settings.id == digest(settings.canonical(), version) != digest(settings.canonical(), version + 1)


def made(kind: type[Parameters], options: Options) -> Parameters:
    return kind(**({"game": "connect4", **options} if kind is RunSettings else options))


def test_settings_cannot_be_changed_and_a_changed_copy_has_an_id_of_its_own():
    with pytest.raises(ValueError, match="frozen"):
        SearchSettings().c = 2
    run = preset("laptop", game="othello")
    assert run.id != run.model_copy(update={"seed": 1}).id == preset("laptop", game="othello", seed=1).id


# --- equal ------------------------------------------------------------------------------------------------------------

USUAL = {
    "device": "cpu", "precision": "float32", "runtime": "compiled", "tree": "kept", "ties": "random", "cache": True,
    "default_policy": "visits", "targets": "distribution", "gate": "decided", "arena_trees": "game",
}  # fmt: skip
RAVE = {"amaf": "path", "amaf_players": "own", "beta": "state", "equivalence": 100}
RHEA = {name: RheaSettings.model_fields[name].default for name in RHEA_OPTIONS}
"""Options with the values that they have anyway."""

ALIKE: list[tuple[type[Parameters], Options, list[Options]]] = [
    (SearchSettings, {}, [{"method": "mcts", "simulations": 100, "c": 1, "amaf": None}]),
    (SearchSettings, {"method": "rave", "simulations": 200},
     [{"equivalence": None},
      {"amaf": "path+rollout", "amaf_players": "own", "beta": "state", "equivalence": 200, "c": 1}]),
    (GuidedSettings, {}, [{"noise_alpha": 0.3}]),
    (RheaSettings, {}, [{"method": "rhea", "rollouts": 100, "mutation": 0.2}, {"rollouts": 101}]),
    (RheaSettings, {"rollouts": 12}, [{"population": 6}, {"population": 10}]),
    (RheaSettings, {"rollouts": 20}, [{"mutation": 0.2}, {"mutation": 0.5}]),
    (RunSettings, {}, [{"game": "connect4-6x6-k4"}, {"method": "baseline"}, {"blocks": 3}, {"noise_alpha": 0.3},
                       *({name: value} for name, value in USUAL.items())]),
    (RunSettings, {"gating": False}, [{"threshold": 0.9, "arena_games": 2}, {"gate": "all", "arena_trees": "match"}]),
    (RunSettings, {"method": "rave"}, [{"switch": "fixed"}, {"warm_iterations": 5}]),
    (RunSettings, {"method": "rora"}, [{name: value} for name, value in RAVE.items()]),
    (RunSettings, {"method": "rora", "simulations": 50}, [{"equivalence": 50}]),
    (RunSettings, {"method": "rhea"}, [{name: value} for name, value in RHEA.items()]),
    (RunSettings, {"method": "rhea", "simulations": 8}, [{"population": 90, "mutation": 0.9}]),
    (RunSettings, {"method": "wro"}, [{"weight": "linear", "weight_iterations": 5}]),
    (RunSettings, {"method": "wro", "weight": "half"}, [{"weight": 0.5}]),
    (RunSettings, {"method": "wro", "weights": (1, 0.5)}, [{"weights": (1, 0.5, 0.5, 0.5)}]),
    (RunSettings, {"method": "wro", "weights": (1, 0.4), "warm_iterations": 2}, [{"weights": (1, 0.4, 0.3)}]),
]  # fmt: skip
"""Settings, and what may be added to them without another computation coming of it."""


@pytest.mark.parametrize(("kind", "options", "more"), ALIKE, ids=str)
def test_equal_computations_have_equal_ids(kind: type[Parameters], options: Options, more: list[Options]):
    assert {made(kind, options | added).id for added in more} == {made(kind, options).id}


def test_what_came_later_is_named_in_an_id_only_where_it_is_not_as_usual():
    assert not (USUAL.keys() | RAVE.keys() | RHEA.keys()) & RunSettings(game="connect4").canonical().keys()
    assert not {name for name in RunSettings.model_fields if name in ("iterations", "I")}, "a run can be continued"


# --- different --------------------------------------------------------------------------------------------------------

DIFFERENT: dict[type[Parameters], list[Options]] = {
    SearchSettings: [{}] + [
        {"method": "rave", **change} for change in (
            {}, {"simulations": 101}, {"c": 1.5}, {"rule": "ucb1"}, {"policy": "q"}, {"policy": "q_rave"},
            {"tree": "kept"}, {"ties": "first"}, {"amaf": "path"}, {"amaf_players": "both"},
            {"amaf_players": "first"}, {"beta": "action"}, {"equivalence": 99},
        )
    ],
    GuidedSettings: [{}, {"noise": 0.1}, {"noise": 0.1, "noise_alpha": 0.3}],
    RheaSettings: [
        {}, {"rollouts": 102}, {"rollouts_per_individual": 1}, {"horizon": 9}, {"population": 9}, {"mutation": 0.3},
        {"illegal": "random"},
    ],
    RunSettings: [
        {}, {"seed": 1}, {"game": "othello"}, {"epochs": 1}, {"channels": 16}, {"shape": "residual"},
        {"shape": "residual", "blocks": 3}, {"gating": False}, {"undecided": "accept"}, {"optimiser": "carried"},
        {"device": "cuda"}, {"precision": "bfloat16"}, {"runtime": "torch"}, {"tree": "fresh"}, {"cache": False},
        {"ties": "first"}, {"noise": 0.2}, {"noise": 0.2, "noise_alpha": 0.3}, {"default_policy": "q"},
        {"targets": "late"}, {"targets": "move"}, {"gate": "all"}, {"arena_trees": "match"},
        {"method": "rave"}, {"method": "rave", "warm_iterations": 3}, {"method": "rave", "switch": "adaptive"},
        {"method": "rave", "policy": "q_rave"},
        {"method": "rora"}, {"method": "rora", "amaf": "path+rollout"}, {"method": "rora", "amaf_players": "both"},
        {"method": "rora", "amaf_players": "first"}, {"method": "rora", "beta": "action"},
        {"method": "rora", "equivalence": 50},
        {"method": "rhea"}, {"method": "rhea", "horizon": 5}, {"method": "rhea", "population": 5},
        {"method": "rhea", "mutation": 0.5}, {"method": "rhea", "rollouts_per_individual": 1},
        {"method": "rhea", "illegal": "random"},
        {"method": "wro"}, {"method": "wro", "weight": "half"}, {"method": "wro", "weight": 0.3},
        {"method": "wro", "weight": "inverse"}, {"method": "wro", "weight": "linear", "weight_iterations": 3},
        {"method": "wro", "weights": (1, 0.7)},
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", DIFFERENT)
def test_different_computations_have_different_ids_and_can_be_made_again_from_their_canonical_form(kind):
    settings = [made(kind, options) for options in DIFFERENT[kind]]
    assert len({one.id for one in settings}) == len(settings)
    for one in [*settings, *(all_settings() if kind is SearchSettings else [])]:
        values = json.loads(json.dumps(one.canonical()))
        again = kind(**{name: value for name, value in values.items() if value is not None})
        assert again.id == one.id and again == one


ARENA = {"threshold", "undecided", "arena_games", "arena_plies"}


@pytest.mark.parametrize(
    ("kind", "options", "nulls"),
    [
        (SearchSettings, {}, {"amaf", "amaf_players", "beta", "equivalence"}),
        (GuidedSettings, {}, {"weight", "amaf", "amaf_players", "beta", "equivalence", "noise_alpha"}),
        (RunSettings, {}, {"switch", "warm_iterations", "weight", "blocks", "policy"}),
        (RunSettings, {"method": "rave"}, {"weight", "blocks"}),
        (RunSettings, {"method": "rhea"}, {"weight", "blocks", "policy"}),
        (RunSettings, {"method": "wro"}, {"blocks"}),
        (RunSettings, {"method": "wro", "switch": "adaptive"}, {"blocks", "warm_iterations"}),
        (RunSettings, {"method": "wro", "shape": "residual", "hidden": ()}, {"dropout"}),
        (RunSettings, {"method": "wro", "gating": False}, {"blocks"} | ARENA),
    ],
    ids=lambda value: None if isinstance(value, set) else str(value),
)
def test_what_cannot_act_is_null_in_the_canonical_form(kind: type[Parameters], options: Options, nulls: set[str]):
    assert {name for name, value in made(kind, options).canonical().items() if value is None} == nulls
