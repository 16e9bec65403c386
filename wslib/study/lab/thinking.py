"""What a search, a network and the solver say of the moves of a position, as layers to shade a board by.

All numbers are seen by the player to move, those of positions after a move included.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wslib.games import Position
from wslib.perfect.solver import solve
from wslib.play import NetworkPlayer
from wslib.prompt.networks import Look
from wslib.prompt.result import SearchResult
from wslib.prompt.searches import search
from wslib.search import SearchSettings
from wslib.search.guided import Evaluator
from wslib.search.methods import method_name
from wslib.study.lab.board import Form, Layer

LAYERS: dict[str, tuple[str, Form]] = {
    "visits": ("visits", "count"), "q": ("Q", "value"), "u": ("U", "value"), "p": ("network's P", "share"),
    "v": ("network's V", "value"), "rave": ("RAVE's Q", "value"), "score": ("score with RAVE", "value"),
    "truth": ("perfect value", "value"),
}  # fmt: skip
"""What a board can be shaded by: the label of each layer, and how its numbers are written."""
NODES = 200_000
"""Budget of the solver for one position: a fraction of a second; what it does not find stays open."""


def layer(key: str, values: Mapping[int, float]) -> Layer:
    """A layer of :data:`LAYERS`, with a number per action."""
    return Layer(key, *LAYERS[key], values)


def found_by(player: Any, position: Position, seed: int) -> SearchResult | None:
    """The search that a player would make of a position; None for one that does not search."""
    if isinstance(player, NetworkPlayer):
        return search(position, player.network, seed=seed, **player.settings.model_dump(exclude_none=True))
    if isinstance(player, SearchSettings):
        return search(position, seed=seed, **player.model_dump(exclude_none=True))
    return None


def network_of(player: Any) -> Evaluator | None:
    """The network that a player has."""
    return player.network if isinstance(player, NetworkPlayer) else None


def layers_of(found: SearchResult, network: Evaluator | None = None) -> list[Layer]:
    """What a search found, and what its network says without it."""
    table = found.table().reset_index()
    actions = [found.position.game.action_number(move) for move in table["move"]]
    visited = table["N"].to_numpy() > 0

    def column(name: str, only: Sequence[bool] | np.ndarray | None = None) -> dict[int, float]:
        shown = np.ones(len(actions), bool) if only is None else only
        return {a: float(v) for a, v, there in zip(actions, table[name], shown, strict=True) if there}

    layers: dict[str, Mapping[int, float]] = {
        "visits": {a: int(n) for a, n in column("N").items()},
        "q": column("Q", visited),
        "u": column("U"),
    }
    if network is not None:
        layers |= {"p": column("P"), "v": values_after(network, found.position)}
    if "Q_rave" in table:
        layers |= {"rave": column("Q_rave", table["N_rave"].to_numpy() > 0), "score": column("score")}
    return [layer(key, values) for key, values in layers.items()]


def layers_of_look(look: Look, network: Evaluator) -> list[Layer]:
    """What a network says of a position without any search."""
    said = {a: float(look.policy[a]) for a in look.position.legal}
    return [layer("p", said), layer("v", values_after(network, look.position))]


def values_after(network: Evaluator, position: Position) -> dict[int, float]:
    """The network's value of the position after each move; the true result where the game is over."""
    after = {action: position.act(action) for action in position.legal}
    values = {action: -float(end.result) for action, end in after.items() if end.result is not None}
    open_ones = [action for action in after if action not in values]
    if open_ones:
        said = network.evaluate(np.stack([after[action].planes for action in open_ones]))[1]
        values |= {action: -float(value) for action, value in zip(open_ones, said, strict=True)}
    return values


def truth(position: Position) -> Layer | None:
    """The value of each move under perfect play, where the solver finds it within its budget."""
    solution = solve(position, nodes=NODES, table_bits=18, exact=False)
    values = {position.game.action_number(move): v for move, v in solution.values.items() if v is not None}
    return layer("truth", values) if values else None


def summary(found: SearchResult) -> str:
    """What a search found, in a sentence."""
    visits, best = found.visits, found.best
    chosen = visits[list(found.actions).index(found.position.game.action_number(best))]
    return (
        f"{best} with {chosen} of {visits.sum()} visits, value {found.value:+.2f} for the player to move "
        f"({method_name(found.settings.method)})"
    )
