"""Searches of one position, to be looked into and gone on with: by one method, or by several side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import pandas as pd

from wslib import draw
from wslib._compiled import stream
from wslib.games import Game, Position, position_of
from wslib.parameters import ParameterError, brief, takes, whole
from wslib.prompt.result import SearchResult, searched
from wslib.search.guided import Evaluator, GuidedSearch, check_network
from wslib.search.methods import GUIDED, method_name
from wslib.search.settings import GuidedSettings, SearchSettings
from wslib.search.unguided import UnguidedSearch

WITHOUT_NETWORK = ("mcts", "rave")
"""Methods that need no network; with one, ``rave`` is the thesis' search of this name."""


@dataclass(frozen=True)
class Searches(Mapping[str, SearchResult]):
    """Searches of one position by several methods, side by side. Prints and draws itself.

    ``searches["wrora"]`` is what one of them found.
    """

    position: Position
    results: dict[str, SearchResult]

    def __getitem__(self, method: str) -> SearchResult:
        if method not in self.results:
            raise ParameterError(f"{brief(method)} has not searched here: {', '.join(self.results)} have")
        return self.results[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def more(self, simulations: int = 100) -> "Searches":
        """All of them with so many simulations more."""
        return Searches(self.position, {method: result.more(simulations) for method, result in self.items()})

    def table(self) -> pd.DataFrame:
        """The policies: a row per legal move, a column per method."""
        policies = {method: result.policy for method, result in self.items()}
        moves = pd.Index(self.position.moves, name="move")
        return pd.DataFrame({m: p[list(self.position.legal)] for m, p in policies.items()}, index=moves)

    def summary(self) -> pd.DataFrame:
        """A row per method: its move, its value for the player to move, and the line that it expects."""
        rows = [
            {"method": method_name(m), "visits": int(r.visits.sum()), "move": r.best, "value": r.value,
             "line": " ".join(r.principal_variation)}
            for m, r in self.items()
        ]  # fmt: skip
        return pd.DataFrame(rows).set_index("method")

    def plot(self) -> draw.Drawings:
        """The policies as heat maps, one board per method."""
        return draw.boards([result.plot() for result in self.values()])

    def __repr__(self) -> str:
        return f"{self.summary().round(3).to_string()}\n\n{self.table().round(3).to_string()}"

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_() + self.summary().round(3).reset_index().to_html(border=0, index=False)


@overload
def search(position: Position | Game | str, network: Evaluator | None = None, *, methods: None = None,
           method: str | None = None, simulations: int = 100, seed: int = 0,
           **options: Any) -> SearchResult: ...  # fmt: skip


@overload
def search(position: Position | Game | str, network: Evaluator | None = None, *, methods: str | Sequence[str],
           method: None = None, simulations: int = 100, seed: int = 0, **options: Any) -> Searches: ...  # fmt: skip


@takes(SearchSettings, GuidedSettings)
def search(position: Position | Game | str, network: Evaluator | None = None, *, method: str | None = None,
           methods: str | Sequence[str] | None = None, simulations: int = 100, seed: int = 0,
           **options: Any) -> SearchResult | Searches:  # fmt: skip
    """Search a position (of a game: its start) and look into what was found.

    Without a network the method is ``mcts`` (default) or ``rave``; with one it is one of those in ``GUIDED``,
    ``baseline`` (default) to ``wrora``. ``methods`` are several side by side (``"wro,wrora"`` or a list), or ``"all"``.
    What is found can go on: ``more(100)``.

    >>> from wslib.games import game
    >>> search(game("tictactoe").position("a1 b1 b2 c1"), simulations=200).best
    'c3'
    """
    position = position_of(position)
    if position.is_over:
        raise ValueError(f"there is nothing to search: the game is over ({position.caption})")
    if isinstance(network, str):
        raise ParameterError(f"{network!r} is no network: name a method as in search(position, method={network!r})")
    if network is not None:
        check_network(network, position.game)
    options = {"simulations": simulations, **options}
    if methods is None:
        return _search(position, network, method, seed, options)
    names = _several(methods, method, network)
    return Searches(position, {name: _search(position, network, name, seed, options) for name in names})


def _several(methods: str | Sequence[str], method: str | None, network: Evaluator | None) -> list[str]:
    """The methods that are asked for, each once."""
    if method is not None:
        raise ParameterError("method names one search and methods several: give one of the two")
    if methods == "all":
        return list(WITHOUT_NETWORK if network is None else GUIDED)
    if isinstance(methods, str):
        methods = [name.strip() for name in methods.split(",")]
    if not isinstance(methods, Sequence) or not methods:
        raise ParameterError(f"methods = {brief(methods)} is not allowed: it should be a list of methods, or 'all'")
    return list(dict.fromkeys(methods))


def _search(position: Position, network: Evaluator | None, method: str | None, seed: int,
            options: dict[str, Any]) -> SearchResult:  # fmt: skip
    """One search, with the random stream that every search of this seed draws from, so that methods can be compared."""
    streams = np.array([stream(whole("seed", seed, 0), "search")])
    if network is not None and method != "mcts":
        guided = GuidedSettings(method="baseline" if method is None else method, **options)
        return searched(position, guided, GuidedSearch(position.game, guided, network, streams))
    if network is None and method in tuple(GUIDED) and method not in WITHOUT_NETWORK:
        raise ParameterError(f"method {method!r} needs a network: search(position, network, method={method!r})")
    plain = SearchSettings(method="mcts" if method is None else method, **options)
    return searched(position, plain, UnguidedSearch(position.game, plain, streams))
