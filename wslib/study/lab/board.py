"""A board to look at and to click on, as a widget: the book's board, told what to show by Python.

It knows a position and numbers about its moves, and nothing of players or searches.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import anywidget
import traitlets

from wslib.files import HOME
from wslib.games import Position
from wslib.parameters import ParameterError

SCRIPTS = HOME / "book" / "_static" / "play"
"""The scripts and the style sheet of the book's boards."""
HERE = Path(__file__).parent
IN_THE_PAGE = ("connect4", "othello", "gobang")
"""Games whose rules the page knows."""
Form = Literal["share", "count", "value"]


@dataclass(frozen=True)
class Layer:
    """A number for each of some actions, to shade the board by."""

    key: str
    label: str
    form: Form
    """How a number is written: in per cent, as a count, or with its sign."""
    values: Mapping[int, float]
    """By action. Values are those of the player to move."""

    def plain(self) -> dict[str, Any]:
        """As the page takes it."""
        return {"key": self.key, "label": self.label, "form": self.form, "values": [*map(list, self.values.items())]}


def module(own: str, *scripts: str) -> str:
    """A module for a page: scripts of the book with a global name of their own, and below them one of this folder."""
    below = "\n".join((HERE / name).read_text(encoding="utf-8") for name in ("position.js", own))
    texts = "\n".join((SCRIPTS / f"{name}.js").read_text(encoding="utf-8") for name in scripts)
    return (
        "const scope = { WarmStart: { whenReady() {} } };\n"
        f"(function (globalThis) {{\n{texts}\n}})(scope);\n"
        f"const {{ WarmStart }} = scope;\n{below}"
    )


def style() -> str:
    """The book's style sheet for boards, in the colours of JupyterLab."""
    return "\n".join(path.read_text(encoding="utf-8") for path in (SCRIPTS / "board.css", HERE / "lab.css"))


def plain(position: Position) -> dict[str, Any]:
    """A position as the page takes it, be it reached by moves or set up by hand."""
    return {
        "game": position.game.id, "board": position.board.ravel().tolist(), "to_move": position.to_move,
        "history": list(position.history),
    }  # fmt: skip


class Board(anywidget.AnyWidget):
    """A position on a board. ``heard`` names what is called when the reader does something.

    ``heard["move"]`` gets the number of an action, ``heard["place"]`` that of a cell, ``heard["undo"]`` nothing.
    """

    _esm = module("board.js", "rules", "board")
    _css = style()

    state = traitlets.Dict().tag(sync=True)
    layer = traitlets.Unicode(help="the key of the layer that shades the board; empty for none").tag(sync=True)
    alive = traitlets.Bool(True, help="whether one can play on it, or only look").tag(sync=True)
    bare = traitlets.Bool(False, help="whether it does without a bar of its own below it").tag(sync=True)

    def __init__(self, position: Position, *, alive: bool = True, bare: bool = False, layer: str = ""):
        if position.game.name not in IN_THE_PAGE:
            raise ParameterError(
                f"{position.game.title} has no board to click on, because book/_static/play/rules.js does not know its "
                f"rules: {', '.join(IN_THE_PAGE)} have one, and play is for all games"
            )
        super().__init__(alive=alive, bare=bare, layer=layer)
        self.position, self.layers, self.message = position, tuple[Layer, ...](), ""
        self.heard: dict[str, Callable[..., None]] = {}
        self.on_msg(self._hear)
        self.show(position)

    def show(self, position: Position, *, layers: Sequence[Layer] = (), message: str = "", playable: bool = False,
             busy: bool = False, setup: bool = False) -> None:  # fmt: skip
        """Show a position, with numbers about its moves and a sentence below it (or else whose turn it is)."""
        self.position, self.layers, self.message = position, tuple(layers), message
        self.state = {
            **plain(position), "layers": [layer.plain() for layer in layers], "message": message,
            "playable": playable and self.alive, "busy": busy, "setup": setup,
        }  # fmt: skip

    def _hear(self, widget: Any, content: Any, buffers: Any) -> None:
        """Something that the page says: what is not expected is passed over."""
        if not isinstance(content, dict) or content.get("do") not in self.heard:
            return
        number = content.get("number")
        if content["do"] == "undo":
            self.heard["undo"]()
        elif isinstance(number, int):
            self.heard[content["do"]](number)

    def __repr__(self) -> str:
        return f"{self.position}\n{self.message}".strip()
