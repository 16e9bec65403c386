"""What is wrong in the settings of a search, an evolution, a network or a run is answered by one sentence."""

from typing import Any

import pytest
from drivers import MadeUpNetwork

from wslib.games import game
from wslib.network.settings import NetworkSettings
from wslib.parameters import ParameterError, Parameters
from wslib.prompt.searches import search
from wslib.rhea import RheaSettings
from wslib.search import GuidedSettings, SearchSettings
from wslib.training.settings import RunSettings

WRONG: dict[type[Parameters], list[tuple[dict[str, Any], str]]] = {
    SearchSettings: [
        ({"simulations": 0}, "simulations = 0 is not allowed: it should be a"),
        ({"simulations": 10**7}, "simulations = 10000000 is not allowed: it should be a"),
        ({"simulations": 1.5}, "simulations = 1.5 is not allowed: it should be a whole number"),
        ({"simulations": None}, "simulations = None is not allowed: it should be a whole number"),
        ({"method": "rave", "simulations": "few"}, "simulations = 'few' is not allowed: it should be a whole number"),
        ({"c": -1}, "c = -1 is not allowed: it should be a"),
        ({"c": float("nan")}, "c = nan is not allowed: it should be a finite number"),
        ({"c": float("inf")}, "c = inf is not allowed: it should be a finite number"),
        ({"method": "alphabeta"}, "method = 'alphabeta' is not allowed: it should be 'mcts' or 'rave'"),
        ({"rule": "uct"}, "rule = 'uct' is not allowed: it should be 'puct' or 'ucb1'"),
        ({"policy": "n"}, "policy = 'n' is not allowed: it should be 'visits', 'q' or 'q_rave'"),
        ({"policy": "q_rave"}, "policy 'q_rave' needs a method with RAVE; 'mcts' has 'visits' and 'q'"),
        ({"ties": "last"}, "ties = 'last' is not allowed: it should be 'random' or 'first'"),
        ({"tree": "old"}, "tree = 'old' is not allowed: it should be 'fresh' or 'kept'"),
        ({"amaf": "path"}, "amaf acts in methods with RAVE only, not in 'mcts'"),
        ({"beta": "state"}, "beta acts in methods with RAVE only, not in 'mcts'"),
        ({"equivalence": 3}, "equivalence acts in methods with RAVE only, not in 'mcts'"),
        ({"method": "rave", "amaf": "all"}, "amaf = 'all' is not allowed: it should be 'path' or 'path+rollout'"),
        ({"method": "rave", "amaf_players": "x"}, "amaf_players = 'x' is not allowed: it should be 'own', 'both' or"),
        ({"method": "rave", "beta": 1}, "beta = 1 is not allowed: it should be 'state' or 'action'"),
        ({"method": "rave", "equivalence": 0}, "equivalence = 0 is not allowed: it should be a"),
        ({"sims": 10}, "there is no parameter 'sims' here: the parameters are "),
    ],
    GuidedSettings: [
        ({"method": "baseline", "weight": 0.5}, "weight acts in 'wro' and 'wrora' only, not in 'baseline'"),
        ({"method": "rora", "weight": 1.0}, "weight acts in 'wro' and 'wrora' only, not in 'rora'"),
        ({"method": "wro", "weight": 1.5}, "weight = 1.5 is not allowed: it should be a"),
        ({"method": "wro", "amaf": "path"}, "amaf acts in methods with RAVE only, not in 'wro'"),
        ({"policy": "q_rave"}, "policy 'q_rave' needs a method with RAVE; 'baseline' has 'visits' and 'q'"),
        ({"noise": 2}, "noise = 2 is not allowed: it should be a"),
        ({"noise_alpha": 0}, "noise_alpha = 0 is not allowed: it should be a"),
        ({"method": "best"}, "method = 'best' is not allowed: it should be 'baseline', 'rollout', 'rave', 'rora', "),
    ],
    RheaSettings: [
        ({"rollouts": 0}, "rollouts = 0 is not allowed: it should be a"),
        ({"rollouts": 1}, "rollouts = 1 do not suffice for one individual of rollouts_per_individual = 2"),
        ({"rollouts_per_individual": 0}, "rollouts_per_individual = 0 is not allowed: it should be a"),
        ({"horizon": 0}, "horizon = 0 is not allowed: it should be a"),
        ({"horizon": 65}, "horizon = 65 is not allowed: it should be a whole number from 1 to 64"),
        ({"population": 0}, "population = 0 is not allowed: it should be a"),
        ({"population": 2.5}, "population = 2.5 is not allowed: it should be a whole number"),
        ({"mutation": 1.1}, "mutation = 1.1 is not allowed: it should be a number from 0 to 1"),
        ({"mutation": -0.1}, "mutation = -0.1 is not allowed: it should be a"),
        ({"illegal": "pass"}, "illegal = 'pass' is not allowed: it should be 'repair' or 'random'"),
        ({"method": "mcts"}, "method = 'mcts' is not allowed: it should be 'rhea'"),
        ({"c": 1}, "there is no parameter 'c' here: the parameters are method, rollouts, rollouts_per_individual,"),
    ],
    NetworkSettings: [
        ({"game": "tictactoe"}, "shape 'author' needs 5 or more rows and columns"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"game": "othello", "hidden": (0,)}, "hidden[0] = 0 is not allowed"),
        ({"game": "othello", "hidden": (8,) * 5}, "hidden = (8, 8, 8, 8, 8) is not allowed"),
        ({"game": "othello", "channels": 0}, "channels = 0 is not allowed"),
        ({"game": "othello", "dropout": 1.0}, "dropout = 1.0 is not allowed"),
    ],
    RunSettings: [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"iterations": 5}, "there is no parameter 'iterations' here"),
        ({"method": "mcts"}, "method = 'mcts' is not allowed: it should be 'baseline', 'rollout', "),
        ({"switch": "adaptive"}, "switch and warm_iterations belong to a warm start: method 'baseline' has none"),
        ({"warm_iterations": 3}, "switch and warm_iterations belong to a warm start"),
        ({"method": "rave", "switch": "adaptive", "warm_iterations": 3}, "warm_iterations (I') belongs to switch 'fi"),
        ({"method": "rave", "warm_iterations": 0}, "warm_iterations = 0 is not allowed"),
        ({"method": "rave", "weight": "half"}, "weight belongs to 'wro' and 'wrora': method 'rave' mixes nothing"),
        ({"method": "wro", "switch": "adaptive", "weight": "shifted"}, "weight 'shifted' belongs to switch 'fixed'"),
        ({"method": "wro", "policy": "q_rave"}, "policy 'q_rave' needs a method with RAVE, not 'wro'"),
        ({"policy": "q"}, "policy belongs to a warm start that searches a tree: 'baseline' does not"),
        ({"method": "rhea", "policy": "q"}, "policy belongs to a warm start that searches a tree: 'rhea' does not"),
        ({"episodes": 5}, "episodes = 5 is not allowed: it should be an even number"),
        ({"arena_games": 5}, "arena_games = 5 is not allowed: it should be an even number"),
        ({"arena_plies": 36}, "arena_plies = 36 is not allowed: Connect Four 6×6 has 0 to 35"),
        ({"simulations": 1}, "simulations = 1 is not allowed: it should be a"),
        ({"threshold": 60}, "threshold = 60 is not allowed: it should be a"),
        ({"learning_rate": 0}, "learning_rate = 0 is not allowed: it should be a number above 0"),
        ({"batch": 1}, "batch = 1 is not allowed: it should be a"),
        ({"game": "tictactoe"}, "shape 'author' needs 5 or more rows and columns"),
        ({"amaf": "path"}, "amaf belongs to methods with RAVE, not to 'baseline'"),
        ({"method": "wro", "beta": "action"}, "beta belongs to methods with RAVE, not to 'wro'"),
        ({"method": "rave", "amaf": "path+rollout"}, "amaf 'path+rollout' needs leaves that are played out: 'rave'"),
        ({"method": "rave", "equivalence": 0}, "equivalence = 0 is not allowed: it should be a"),
        ({"method": "rora", "horizon": 5}, "horizon belongs to 'rhea', not to 'rora'"),
        ({"method": "rhea", "horizon": 0}, "horizon = 0 is not allowed: it should be a"),
        ({"method": "rhea", "mutation": 2}, "mutation = 2"),
        ({"method": "rhea", "rollouts_per_individual": 101}, "rollouts = 100 do not suffice for one individual"),
        (
            {"method": "wro", "weight": "third"},
            "weight = 'third' is not allowed: it should be 'published', 'shifted', ",
        ),
        (
            {"method": "wro", "weight": 1.5},
            "weight = 1.5 is not allowed: it should be 'published', 'shifted', 'half', ",
        ),
        ({"method": "wro", "weight": True}, "weight = True is not allowed: it should be "),
        ({"weight": 0.3}, "weight belongs to 'wro' and 'wrora': method 'baseline' mixes nothing"),
        ({"method": "rora", "weights": (1,)}, "weights belongs to 'wro' and 'wrora': method 'rora' mixes nothing"),
        ({"method": "wro", "weights": (1,), "weight": 0.3}, "weights stand in place of weight: give one of the two"),
        ({"method": "wro", "weights": (1, 2)}, "weights[1] = 2 is not allowed: it should be a"),
        ({"method": "wro", "weights": ()}, "weights = () is not allowed: it should be a list of 1 or more"),
        ({"method": "wro", "weight": "linear"}, "weight 'linear' and weight_iterations belong together"),
        ({"method": "wro", "weight_iterations": 3}, "weight 'linear' and weight_iterations belong together"),
        ({"method": "wro", "switch": "adaptive", "weight": "inverse"}, "weight 'inverse' belongs to switch 'fixed'"),
        ({"gate": "all", "undecided": "accept"}, "undecided belongs to gate 'decided'"),
        ({"default_policy": "q_rave"}, "default_policy = 'q_rave' is not allowed: it should be 'visits' or 'q'"),
        ({"device": "gpu"}, "device = 'gpu' is not allowed: it should be 'auto', 'cpu' or 'cuda'"),
        ({"precision": "float16"}, "precision 'float16' belongs to device 'cuda': the processor takes 'bfloat16'"),
    ],
}
EACH = [(kind, wrong, sentence) for kind, rows in WRONG.items() for wrong, sentence in rows]


def refusal(make: Any, **options: Any) -> str:
    """The sentence with which these options are refused."""
    with pytest.raises(ParameterError) as error:
        make(**options)
    return str(error.value)


@pytest.mark.parametrize(("kind", "wrong", "sentence"), EACH, ids=str)
def test_a_wrong_setting_is_answered_by_one_sentence_that_says_what_is_allowed(kind, wrong, sentence):
    beside = {"game": "connect4"} if "game" in kind.model_fields else {}
    said = refusal(kind, **beside | wrong)
    assert said.startswith(sentence) and "\n" not in said


@pytest.mark.parametrize("kind", [RunSettings, NetworkSettings])
def test_a_game_must_be_named(kind):
    assert refusal(kind) == "the parameter 'game' is missing"


@pytest.mark.parametrize(("wrong", "sentence"), WRONG[SearchSettings], ids=str)
def test_a_search_refuses_what_its_settings_refuse(wrong, sentence):
    assert refusal(search, position=game("tictactoe"), **wrong).startswith(sentence)


@pytest.mark.parametrize(("wrong", "sentence"), WRONG[GuidedSettings], ids=str)
def test_a_guided_search_refuses_what_its_settings_refuse(wrong, sentence):
    board = game("connect4")
    assert refusal(search, position=board, network=MadeUpNetwork(board), **wrong).startswith(sentence)
