"""Networks at a prompt: make one, read one from a file, ask one about a position.

Torch is imported where a network is made: it takes longer than all the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from wslib import draw
from wslib._compiled import stream
from wslib.games import Game, Position, position_of
from wslib.games import game as game_of
from wslib.network.settings import NetworkSettings
from wslib.parameters import ParameterError, brief, takes, whole
from wslib.search.guided import check_network

if TYPE_CHECKING:
    from wslib.network.model import Network
    from wslib.network.runtime import CompiledNetwork


@dataclass(frozen=True)
class Look:
    """What a network says of a position, without any search. Prints and draws itself."""

    position: Position
    policy: np.ndarray
    """(actions,): the probabilities of the legal actions, which sum up to 1 as a search takes them; 0 elsewhere."""
    value: float
    """In [-1, 1], for the player to move."""

    @property
    def best(self) -> str:
        """The most probable legal move."""
        return self.position.game.action_name(int(self.policy.argmax()))

    def table(self) -> pd.DataFrame:
        """A row per legal move, the most probable first."""
        frame = pd.DataFrame({"move": self.position.moves, "P": self.policy[list(self.position.legal)]})
        return frame.sort_values("P", ascending=False, kind="stable").set_index("move")

    def plot(self) -> draw.Drawing:
        """The policy as a heat map on the board."""
        return draw.board(self.position, heat=self.policy, caption=self._headline)

    @property
    def _headline(self) -> str:
        """The move and the value in a line."""
        return f"the network: {self.best}, value {self.value:+.2f} for the player to move"

    def __repr__(self) -> str:
        return f"{self.position}\n{self._headline}\n{self.table().round(3).to_string()}"

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()


LARGEST_FILE = 1 << 30
"""Bytes of a network's file."""


class PlayingNetwork:
    """A network that plays and can be asked: compiled for play, with its settings and, where it has one, its origin."""

    def __init__(self, network: Network, origin: str = ""):
        self.settings, self.origin, self._network = network.settings, origin, network
        self.game = game_of(network.settings.game)

    @cached_property
    def _compiled(self) -> CompiledNetwork:
        """Compiled when it is first asked, because that imports torch."""
        from wslib.network.runtime import CompiledNetwork

        return CompiledNetwork(self._network)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities (n, actions) and values (n,) of a batch of planes (n, 1, rows, cols)."""
        board, shape = (1, self.game.rows, self.game.cols), np.shape(planes)
        if shape[1:] != board or not len(planes):
            raise ParameterError(
                f"planes of shape {shape} are no positions of {self.game.title}: they should be (n, {board[0]}, "
                f"{board[1]}, {board[2]}), as position.planes[None] is with n = 1"
            )
        return self._compiled.evaluate(planes)

    def look(self, position: Position | Game | str | None = None) -> Look:
        """Policy and value of a position (of a game, or where none is given: its start), drawn on the board."""
        position = position_of(self.game if position is None else position)
        check_network(self, position.game)
        if position.is_over:
            raise ValueError(f"there is nothing to ask: the game is over ({position.caption})")
        priors, values = self.evaluate(position.planes[None])
        policy = np.zeros(position.game.actions)
        policy[list(position.legal)] = priors[0, list(position.legal)]
        return Look(position, policy / policy.sum(), float(values[0]))

    def save(self, path: Path | str) -> Path:
        """Write it to a safetensors file, which :func:`load` reads."""
        from wslib.prompt.network_file import to_bytes

        if not isinstance(path, Path | str):
            raise ParameterError(f"{brief(path)} is no path: save(path) writes a network's .safetensors file")
        content = to_bytes(self._network)
        try:
            Path(path).write_bytes(content)
        except OSError as error:
            raise ParameterError(f"{path} cannot be written: {error.strerror}") from None
        return Path(path)

    def __reduce__(self) -> tuple[Any, ...]:
        """As the bytes of its file, for a worker process."""
        from wslib.prompt.network_file import to_bytes

        return _from_bytes, (to_bytes(self._network), self.origin)

    def __repr__(self) -> str:
        s = self.settings
        size = {"author": f"{s.channels} channels", "residual": f"{s.channels} channels, {s.blocks} blocks"}
        shape = f"{s.shape}, {size.get(s.shape, f'width {s.channels}, {s.blocks} blocks')}, hidden {s.hidden}"
        return f"a network for {self.game.title}: {shape}; {self.origin or 'untrained'}"

    def _repr_html_(self) -> str:
        look = self.look(self.game)
        return draw.board(look.position, heat=look.policy, caption=f"{self!r}; {look._headline}")._repr_html_()


@takes(NetworkSettings, without=("game",))
def network(game: Game | str, *, seed: int = 0, **options: Any) -> PlayingNetwork:
    """A network with random weights: the one that a training run of this seed begins with.

    >>> network("connect4", channels=8, seed=3).look("connect4").policy.shape
    (6,)
    """
    from wslib.network.model import Network

    settings = NetworkSettings(game=game_of(game).id, **options)
    return PlayingNetwork(Network(settings, seed=int(stream(whole("seed", seed, 0), "weights")) >> 1))


def load(path: Path | str) -> PlayingNetwork:
    """The network in a file that :meth:`PlayingNetwork.save` or ``wslib publish`` has written."""
    if not isinstance(path, Path | str) or not Path(path).is_file():
        raise ParameterError(f"there is no file {brief(str(path))}: load(path) reads a network's .safetensors file")
    if Path(path).stat().st_size > LARGEST_FILE:
        raise ParameterError(f"{path} is no network: it has more than {LARGEST_FILE >> 20:,} megabytes")
    return _from_bytes(Path(path).read_bytes(), Path(path).name)


def _from_bytes(content: bytes, origin: str) -> PlayingNetwork:
    from wslib.prompt.network_file import from_bytes

    return PlayingNetwork(from_bytes(content), origin)
