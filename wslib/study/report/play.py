"""Boards that are alive in the book: what its scripts need to know, as JSON inside the page, and networks as scripts.

A page opened from a file may not fetch anything, but it may load a script: a published network becomes one, in base64,
which is loaded when somebody wants to play against it (see ``book/_static/play``).

Values are seen by the player to move.
"""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any

import pandas as pd

from wslib._compiled import stream
from wslib.files import published_root
from wslib.games import Game, Position, game
from wslib.parameters import ParameterError
from wslib.perfect.solver import solve
from wslib.prompt.searches import search
from wslib.search.guided import Evaluator
from wslib.study.engine.networks import FILE, published_networks
from wslib.study.engine.store import read_folder
from wslib.study.names import BOARDS, method_name
from wslib.study.report.look import Html, not_there
from wslib.training.settings import RunSettings

PLAYED = ("baseline", "wrora")
"""Methods whose networks one can play against: without a warm start, and with the one that the thesis calls best."""
FIRST_LOOK = "warmstart"
"""The experiment whose networks are taken before those of others."""
LARGEST = 400_000
"""Bytes of a network's file: as base64, two of them and the page itself are well below 1.5 MB."""
NODES = 200_000
"""Budget of the solver for a position of a replay: a fraction of a second; early positions stay open."""
NONE_YET = (
    "No trained network is published at the moment, because the study's results are being computed again; until then a "
    "search without a network plays here."
)
HERE = (
    "This board comes to life in the built book. In JupyterLab, import wslib as ws; ws.board('othello') is one to play "
    "on."
)


@dataclass(frozen=True)
class Opponent:
    """A published network to play against."""

    game: str
    method: str
    iteration: int
    content: bytes
    """Its safetensors file, float16."""

    @property
    def file(self) -> str:
        """Its script, beside those of the boards."""
        return f"networks/{self.game}-{self.method}.js"

    @property
    def name(self) -> str:
        """As the page offers it."""
        start = "no warm start" if self.method == "baseline" else "warm start"
        return f"{method_name(self.method)}'s network ({start}, {self.iteration} iterations)"

    @property
    def script(self) -> str:
        """What the book loads."""
        return f'WarmStart.receive("{self.file}", "{base64.b64encode(self.content).decode()}");\n'

    def network(self) -> Evaluator:
        """The network, ready to play."""
        from wslib.network.runtime import CompiledNetwork
        from wslib.prompt.network_file import from_bytes

        return CompiledNetwork(from_bytes(self.content))


def opponents() -> list[Opponent]:
    """Of each game and each of :data:`PLAYED` the published network of the lowest seed that can be read today."""
    found = []
    for board in BOARDS:
        for method in PLAYED:
            readable = (o for o in _candidates(game(board).id, method) if _can_be_read(o))
            found += list(islice(readable, 1))
    return found


def _candidates(board: str, method: str) -> Iterator[Opponent]:
    """Published networks of a game and method, the likeliest first; files are read one by one."""
    there = [(x != FIRST_LOOK, x, about["run"]["seed"], place, about) for x, place, about in published_networks()]
    for *_, place, about in sorted(there, key=lambda found: found[:4]):
        if (about["run"]["game"], about["run"]["method"]) == (board, method):
            yield Opponent(board, method, about["iteration"], read_folder(place)[1].get(FILE, b""))


def _can_be_read(opponent: Opponent) -> bool:
    """Whether the file is of today's format, and small enough for a page."""
    from wslib.prompt.network_file import from_bytes

    try:
        from_bytes(opponent.content)
    except ParameterError:
        return False
    return len(opponent.content) <= LARGEST


def table_to_play_at() -> Html:
    """The board against the published networks, or, while there are none, against searches without one."""
    there = opponents()
    listed = [{"game": o.game, "name": o.name, "file": o.file} for o in there]
    sentence = "" if there else f"<p><em>{escape(NONE_YET)}</em></p>"
    return _alive("ws-play", listed, HERE, before=sentence)


def replays(simulations: int, seed: int) -> Html:
    """A game of each kind to step through, with what the search of the player to move found at every ply."""
    games = [_recorded(game(board), simulations, seed) for board in BOARDS]
    return _alive("ws-replay", games, "\n".join(f"{each['title']}: {each['moves']}" for each in games))


def walked(position: Position, simulations: int, seed: int, network: bytes = b"") -> dict[str, Any]:
    """A search to be walked through, as its script takes it: of a network's file, or without one."""
    return {"game": position.game.id, "moves": position.move_list, "state": str(stream(seed, "search")),
            "simulations": simulations, "network": base64.b64encode(network).decode()}  # fmt: skip


def step_by_step(position: Position, simulations: int, seed: int, network: bytes = b"") -> Html:
    """A search of a position to be walked through simulation by simulation."""
    given = walked(position, simulations, seed, network)
    return _alive("ws-walk", given, f"In the built book the search of this position goes on step by step:\n{position}")


def what_it_saw(run: RunSettings) -> Html:
    """What a run's network saw iteration by iteration, where that is recorded: a slider over two positions."""
    file = published_root() / "sights" / "sights.csv"
    recorded = pd.read_csv(file, keep_default_na=False) if file.exists() else pd.DataFrame({"run": []})
    recorded = recorded[recorded["run"] == run.id]
    if recorded.empty:
        return not_there("what the network of this run saw in every iteration.")
    board, titles = game(run.game), ("The start.", "A move stands out.")
    positions: list[dict[str, Any]] = []
    for (moves, rows), title in zip(recorded.groupby("position", sort=False), titles, strict=True):
        frames = [
            {"value": float(seen["value"].iloc[0]),
             "p": {board.action_number(str(move)): float(p) for move, p in zip(seen["move"], seen["p"], strict=True)}}
            for _, seen in rows.groupby("iteration")
        ]  # fmt: skip
        positions.append({"moves": str(moves), "title": title, "frames": frames})
    last = int(recorded["iteration"].max())
    given = {"game": board.id, "title": f"The network of {method_name(run.method)}'s run in {board.title}.",
             "last": last, "positions": positions}  # fmt: skip
    ends = "; ".join(f"{p['title']} value {p['frames'][-1]['value']:+.2f}" for p in positions)
    return _alive("ws-sights", given, f"What the network saw after {last} iterations. {ends}.")


def _alive(kind: str, data: Any, otherwise: str, before: str = "") -> Html:
    """A place that a script of the book fills; without scripts it shows a text."""
    words = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    html = f'<div class="{kind}"><p>{escape(otherwise)}</p><script type="application/json">{words}</script></div>'
    return Html(before + html, otherwise)


def _recorded(board: Game, simulations: int, seed: int) -> dict[str, Any]:
    """A game between the two published networks, or between MCTS and RAVE, with a frame for each position."""
    players = _players(board)
    position = board.start()
    frames: list[dict[str, Any]] = []
    while not position.is_over:
        _, method, network = players[position.to_move]
        found = search(position, network, method=method, simulations=simulations, seed=1000 * seed + len(frames))
        visited = {
            int(a): round(float(q), 3) for a, q, n in zip(found.actions, found.q, found.visits, strict=True) if n
        }
        visits = {int(a): int(n) for a, n in zip(found.actions, found.visits, strict=True)}
        frames.append({"visits": visits, "q": visited, "value": round(found.value, 3), **_truth(position)})
        position = position.play(found.best)
    frames.append({"visits": {}, "q": {}, "value": position.result, **_truth(position)})
    names = [name for name, _, _ in players]
    return {"game": board.id, "title": f"{board.title}: {' against '.join(names)}", "players": names,
            "moves": position.move_list, "frames": frames}  # fmt: skip


def _players(board: Game) -> list[tuple[str, str, Evaluator | None]]:
    """Name, search and network of the two who play: X, then O."""
    there = [o for o in opponents() if o.game == board.id]
    if len(there) == len(PLAYED):
        return [(f"{method_name(o.method)}'s network", "baseline", o.network()) for o in reversed(there)]
    return [("RAVE", "rave", None), ("MCTS", "mcts", None)]


def _truth(position: Position) -> dict[str, Any]:
    """The value of a position and of its moves under perfect play, where the solver finds them within its budget."""
    if position.is_over:
        return {"perfect": position.result, "truth": {}}
    solution = solve(position, nodes=NODES, table_bits=18, exact=False)
    values = {position.game.action_number(move): value for move, value in solution.values.items() if value is not None}
    return {"perfect": solution.value, "truth": values}
