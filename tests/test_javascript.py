"""The book's JavaScript against the library: the same rules, the same network outputs, the same searches.

The pages on which one plays compute everything themselves. Node runs their scripts here: the one that comes with
playwright, or the system's; without either these tests are skipped with a word.
"""

import base64
import csv
import json
import shutil
import subprocess
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import playwright
import pytest
import torch
from drivers import random_line

from wslib._compiled import below, stream
from wslib.games import Position, game
from wslib.network.model import Network
from wslib.network.runtime import CompiledNetwork
from wslib.network.settings import NetworkSettings
from wslib.prompt.network_file import from_bytes, to_bytes
from wslib.prompt.result import SearchResult, find
from wslib.search import GuidedSettings
from wslib.search.guided import GuidedSearch
from wslib.search.methods import THESIS
from wslib.search.settings import SearchSettings
from wslib.search.unguided import UnguidedSearch

ROOT = Path(__file__).resolve().parent.parent
DRIVER = ROOT / "tests" / "javascript" / "driver.js"
WITH_PLAYWRIGHT = Path(playwright.__file__).parent / "driver" / "node"
NODE = WITH_PLAYWRIGHT if WITH_PLAYWRIGHT.is_file() else shutil.which("node") or shutil.which("nodejs")
BOARDS = ("othello-6x6", "connect4-6x6-k4", "gobang-6x6-k4")
OTHER_BOARDS = ("othello-4x4", "othello-8x8", "othello-6x8", "connect4-6x7", "connect4-8x5-k3", "connect4-4x8-k5",
                "gobang-8x8-k5", "gobang-3x3-k3", "gobang-2x7-k3", "gobang-1x4-k2")  # fmt: skip

pytestmark = pytest.mark.skipif(NODE is None, reason="no node here: the book's JavaScript was not compared")


def ask(task: str, **question: Any) -> Any:
    """What the scripts answer."""
    words = json.dumps({"task": task, **question})
    done = subprocess.run([str(NODE), str(DRIVER)], input=words, capture_output=True, text=True, timeout=600)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


@cache
def recorded(name: str) -> list[Position]:
    """The recorded positions of a game, more than a thousand."""
    board, found = game(name), []
    for file in sorted((ROOT / "data" / "positions").glob(f"{board.id}-*.csv")):
        with file.open(encoding="utf-8") as lines:
            found += [board.position(row["moves"]) for row in csv.DictReader(lines)]
    assert len(found) >= 1000
    return found


@cache
def network_of(name: str, shape: str = "author", channels: int = 32, hidden: tuple[int, ...] = (256, 128)) -> Network:
    """A network whose batch norms have seen something, as after training."""
    network = Network(NetworkSettings(game=name, shape=shape, channels=channels, hidden=hidden, blocks=2), seed=3)
    rng = np.random.default_rng(5)
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm1d | torch.nn.BatchNorm2d):
            size = module.num_features
            module.weight.data = torch.from_numpy(rng.uniform(0.5, 2, size).astype(np.float32))
            module.bias.data = torch.from_numpy(rng.normal(0, 0.3, size).astype(np.float32))
            module.running_mean = torch.from_numpy(rng.normal(0, 0.2, size).astype(np.float32))
            module.running_var = torch.from_numpy(rng.uniform(0.1, 1, size).astype(np.float32))
    return network


def published(network: Network) -> tuple[str, CompiledNetwork]:
    """The float16 file of a network in base64, and the network as it plays from that file."""
    content = to_bytes(network, half=True)
    return base64.b64encode(content).decode(), CompiledNetwork(from_bytes(content))


def seen(position: Position) -> dict[str, Any]:
    """A position as the driver describes it."""
    return {
        "board": position.board.ravel().tolist(), "moves": list(position.moves), "legal": list(position.legal),
        "mover": position.to_move, "result": position.result, "winner": position.winner, "caption": position.caption,
    }  # fmt: skip


@pytest.mark.parametrize("name", [*BOARDS, *OTHER_BOARDS])
def test_the_rules_agree_at_every_position_of_recorded_games(name: str):
    ends = [random_line(game(name), seed)[-1] for seed in range(30)] + (recorded(name) if name in BOARDS else [])
    answers = ask("rules", lines=[{"name": name, "moves": end.move_list} for end in ends])
    for end, answer in zip(ends, answers, strict=True):
        assert (answer["id"], answer["title"]) == (end.game.id, end.game.title)
        assert answer["list"] == end.move_list
        assert answer["seen"] == [seen(position) for position in end.line()]


def test_what_is_no_game_or_no_move_gets_the_same_sentence():
    wrong: list[tuple[str, list[int | str]]] = [
        ("connect4", ["7"]), ("connect4", ["4"] * 7), ("gobang", ["c2", "c2"]), ("othello", ["a1"]),
        ("othello", ["pass"]), ("chess", []), ("othello-5x5", []), ("gobang-9x9", []), ("gobang-3x3-k4", []),
        ("connect4-6x6-k4", [9]), ("tictactoe", ["a1", "b1", "a2", "b2", "a3", "b3"]),
    ]  # fmt: skip
    answers = ask("says", calls=[{"name": name, "moves": moves} for name, moves in wrong])
    for (name, moves), answer in zip(wrong, answers, strict=True):
        with pytest.raises(ValueError) as refused:
            game(name).position(moves)
        assert answer.replace('"', "'") == f"Error: {refused.value}".replace('"', "'")


def test_a_stream_gives_the_same_numbers():
    for seed in range(5):
        streams = np.array([stream(seed, "javascript")])
        answer = ask("stream", state=str(streams[0]), count=200)
        assert answer == [below(streams, 0, (n + 1) ** 4) for n in range(200)]


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("shape", ["author", "residual", "dense"])
def test_a_network_says_the_same_of_recorded_positions(name: str, shape: str):
    file, network = published(network_of(name, shape))
    positions = recorded(name) if shape == "author" else recorded(name)[::20]
    policies, values = network.evaluate(np.stack([position.planes for position in positions]))
    answers = ask("network", file=file, positions=[position.move_list for position in positions])
    # Float32 sums in the same order: but for a rare last bit the numbers are identical, not only close.
    np.testing.assert_allclose([answer["policy"] for answer in answers], policies, atol=1e-6, rtol=0)
    np.testing.assert_allclose([answer["value"] for answer in answers], values, atol=1e-6, rtol=0)
    assert np.ptp(values) > 0.05, "a network that says the same of every position shows nothing"


def test_a_network_of_another_size_says_the_same():
    for name in ("othello-8x8", "connect4-6x7", "gobang-5x6-k4"):
        file, network = published(network_of(name, channels=20, hidden=(40,)))
        ends = [random_line(game(name), seed)[-1] for seed in range(10)]
        policies, values = network.evaluate(np.stack([position.planes for position in ends]))
        answers = ask("network", file=file, positions=[position.move_list for position in ends])
        np.testing.assert_allclose([answer["policy"] for answer in answers], policies, atol=1e-6)
        np.testing.assert_allclose([answer["value"] for answer in answers], values, atol=1e-6)


def test_a_file_that_is_no_network_of_ours_is_refused():
    content = to_bytes(network_of("connect4", channels=2, hidden=(2,))).replace(b"network 2", b"network 0")
    with pytest.raises(AssertionError, match="does not hold a network of this project"):
        ask("network", file=base64.b64encode(content).decode(), positions=[])


COLUMNS = {"visits": "n", "q": "q", "visitsRave": "n_rave", "qRave": "q_rave"}
"""What the driver tells of each move that a search has tried, and what the library calls it."""


def searched(position: Position, settings: GuidedSettings | SearchSettings, network: CompiledNetwork,
             state: np.uint64, plies: int) -> list[dict[str, Any]]:  # fmt: skip
    """What the library's search finds in a position and in those after it."""
    board, streams, found, first = position.game, np.array([state]), [], np.zeros(1, np.int64)
    searching: GuidedSearch | UnguidedSearch
    if isinstance(settings, GuidedSettings):
        searching = GuidedSearch(board, settings, network, streams)
    else:
        searching = UnguidedSearch(board, settings, streams)
    while len(found) < plies and not position.is_over:
        own, opp = (np.array([word]) for word in position.words)
        if isinstance(searching, GuidedSearch):
            searching.run(first, own, opp)
            action = int(searching.decide(first, own, opp, np.zeros(1, bool))[0][0])
        else:
            action = int(searching.choose(first, own, opp)[0])
        table = SearchResult(position, settings, searching, int(find(searching.forest, 0, own[0], opp[0])))._table
        found.append({**{name: table[column].tolist() for name, column in COLUMNS.items()}, "action": action})
        position = position.act(action)
    return found


METHODS = [("guided", method) for method in THESIS] + [("alone", "mcts"), ("alone", "rave")]


def compare(positions: list[Position], network: Network, simulations: int = 100, plies: int = 1) -> None:
    """Search positions by all methods in turn, in both languages."""
    file, compiled = published(network)
    tasks, expected = [], []
    for number, (position, (kind, method)) in enumerate(zip(positions, cycle(METHODS), strict=False)):
        options: dict[str, Any] = {"method": method, "simulations": simulations}
        if method in ("wro", "wrora"):
            options["weight"] = 0.4
        state, kept = stream(number, "javascript"), kind == "guided" and plies > 1
        settings: GuidedSettings | SearchSettings = (
            GuidedSettings(**options, tree="kept" if kept else "fresh")
            if kind == "guided"
            else SearchSettings(**options)
        )
        expected.append(searched(position, settings, compiled, state, plies))
        options |= {"guided": kind == "guided", "kept": kept}
        tasks.append({"name": position.game.id, "moves": position.move_list, "options": options, "state": str(state),
                      "plies": plies})  # fmt: skip
    answers = ask("searches", file=file, tasks=tasks)
    for task, answer, known in zip(tasks, answers, expected, strict=True):
        assert len(answer) == len(known)
        for found, there in zip(answer, known, strict=True):
            for name in ("visits", "visitsRave", "action"):
                assert found[name] == there[name], (task, name)
            for name in ("q", "qRave"):
                np.testing.assert_allclose(found[name], there[name], atol=1e-5, err_msg=str(task))


@pytest.mark.parametrize("name", BOARDS)
def test_a_search_with_the_same_stream_makes_the_same_visits(name: str):
    compare(recorded(name), network_of(name, channels=8, hidden=(32,)))


@pytest.mark.parametrize("name", [*BOARDS, "connect4-6x7", "othello-8x8"])
def test_a_whole_game_with_a_kept_tree_is_the_same_game(name: str):
    compare([game(name).start()] * len(METHODS), network_of(name, channels=4, hidden=(16,)), 30, plies=100)


def test_a_hundred_simulations_take_less_than_half_a_second():
    file, _ = published(network_of("othello"))
    times = ask("time", file=file, options={"method": "wrora", "simulations": 100})
    assert min(times) < 500, times
