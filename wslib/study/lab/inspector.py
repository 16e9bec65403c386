"""An inspector of positions: the network and several searches side by side, a tree to unfold, a search step by step."""

from collections.abc import Sequence
from html import escape
from typing import Any

import anywidget
import ipywidgets as widgets
import traitlets

from wslib.games import Game, Position, position_of
from wslib.parameters import ParameterError, brief, whole
from wslib.prompt.networks import PlayingNetwork
from wslib.prompt.result import SearchResult
from wslib.prompt.searches import WITHOUT_NETWORK, Searches, search
from wslib.search import GUIDED
from wslib.study.lab.board import Board, module, plain, style
from wslib.study.lab.thinking import LAYERS, layers_of, layers_of_look, truth
from wslib.study.names import method_name
from wslib.study.report.look import in_print
from wslib.study.report.play import walked

MOST_NODES = 600
"""Moves in an unfolded tree, beyond which the least visited ones are left out."""


class Walk(anywidget.AnyWidget):
    """A search step by step, as in the book: select, expand, evaluate, back up, with the numbers of each."""

    _esm = module("walk.js", "rules", "search", "network", "board", "walk")
    _css = style()

    state = traitlets.Dict().tag(sync=True)

    def begin(self, position: Position, network: Any, method: str, simulations: int, seed: int) -> None:
        """Start at a position; the page searches by itself, with the same rules, network and stream."""
        self.state = walked(position, simulations, seed, content(network)) | plain(position) | {"method": method}


def content(network: Any) -> bytes:
    """The file of a network; nothing without one."""
    if network is None:
        return b""
    from wslib.prompt.network_file import to_bytes

    return to_bytes(network._network)


class Inspector(widgets.VBox):
    """What a network and several searches make of a position. ``searches`` are the searches themselves."""

    def __init__(self, position: Position, network: PlayingNetwork | None, methods: Sequence[str], simulations: int,
                 seed: int):  # fmt: skip
        self.network, self.methods, self.asked, self.seed = network, list(methods), simulations, seed
        self.line, self.searches = [position], Searches(position, {})
        self.board = Board(position)
        self.board.heard = {"move": self.play, "undo": self.undo}
        self.shade = widgets.Dropdown(options=[(label, key) for key, (label, _) in LAYERS.items()],
                                     description="Shade by")  # fmt: skip
        self.number = widgets.BoundedIntText(value=simulations, min=2, max=100_000, description="simulations")
        self.more_button = widgets.Button(description="As many more", tooltip="go on with the same trees")
        self.solver = widgets.Checkbox(description="ask the solver, too", indent=False)
        self.boards = {name: Board(position, alive=False, bare=True) for name in [*self._alone, *self.methods]}
        self.heads = {name: widgets.HTML() for name in self.boards}
        self.unfold = widgets.Dropdown(options=[(method_name(m), m) for m in self.methods], description="Tree of")
        self.tree = widgets.HTML()
        self.walk = Walk()
        super().__init__(self._laid_out())
        self._listen()
        self._search()

    @property
    def _alone(self) -> list[str]:
        """The name under which the network stands beside the searches, if there is one."""
        return [] if self.network is None else ["network"]

    @property
    def position(self) -> Position:
        """What is inspected."""
        return self.line[-1]

    def _laid_out(self) -> list[widgets.Widget]:
        row = {"flex_flow": "row wrap", "align_items": "flex-start"}
        equal = {"grid_template_columns": "repeat(auto-fill, minmax(min(12rem, 100%), 1fr))", "grid_gap": "0 0.5rem"}
        columns = [widgets.VBox([self.heads[name], board]) for name, board in self.boards.items()]
        unfolded = widgets.VBox([self.unfold, self.tree])
        steps = widgets.Accordion([unfolded, self.walk], titles=("The tree, to unfold", "Simulation by simulation"))
        return [
            widgets.HBox([self.number, self.more_button, self.shade, self.solver], layout=row),
            widgets.HBox([widgets.VBox([self.board], layout={"flex": "1 1 14rem", "max_width": "20rem"})], layout=row),
            widgets.GridBox(columns, layout=equal),
            steps,
        ]

    def _listen(self) -> None:
        self.shade.observe(lambda change: self._shade(), "value")
        self.number.observe(lambda change: self._other_number(change["new"]), "value")
        self.more_button.on_click(lambda button: self.more())
        self.solver.observe(lambda change: self._show(), "value")
        self.unfold.observe(lambda change: self._show_tree(), "value")

    # --- what the reader does ---

    def play(self, action: int) -> None:
        """Go one move deeper."""
        if action in self.position.legal:
            self.line.append(self.position.act(action))
            self._search()

    def undo(self) -> None:
        """Go one move back."""
        if len(self.line) > 1:
            self.line.pop()
            self._search()

    def more(self) -> None:
        """Go on with the same trees."""
        if not self.position.is_over:
            self.searches = self.searches.more(self.number.value)
            self._show()

    def _other_number(self, simulations: int) -> None:
        self.asked = simulations
        self._search()

    # --- showing ---

    def _search(self) -> None:
        where = f"{self.position.caption}: click on a move to look behind it."
        self.board.show(self.position, message=where, playable=not self.position.is_over)
        if self.position.is_over:
            for board in self.boards.values():
                board.show(self.position, message=" ")
            self.tree.value = ""
            return
        self.searches = search(
            self.position, self.network, methods=self.methods, simulations=self.asked, seed=self.seed
        )
        first = "wrora" if "wrora" in self.methods else self.methods[-1]
        self.walk.begin(self.position, self.network, first, self.asked, self.seed)
        self._show()

    def _show(self) -> None:
        if self.position.is_over:
            return
        known = truth(self.position) if self.solver.value else None
        known_ones = [known] if known else []
        if self.network is not None:
            look = self.network.look(self.position)
            layers = layers_of_look(look, self.network)
            self.heads["network"].value = f"<b>Network alone</b>: {look.best}, value {look.value:+.2f}"
            self.boards["network"].show(self.position, layers=layers + known_ones, message=" ")
        for name, found in self.searches.items():
            self.heads[name].value = f"<b>{escape(method_name(name))}</b>: {found.best}, value {found.value:+.2f}"
            self.boards[name].show(self.position, layers=layers_of(found, self.network) + known_ones, message=" ")
        self._shade()
        self._show_tree()

    def _shade(self) -> None:
        for name, board in self.boards.items():
            keys = [layer.key for layer in board.layers]
            board.layer = self.shade.value if self.shade.value in keys else "p" if name == "network" else "visits"

    def _show_tree(self) -> None:
        if not self.position.is_over:
            self.tree.value = unfolded(self.searches[self.unfold.value])

    def __repr__(self) -> str:
        return repr(self.searches) if not self.position.is_over else repr(self.board)


def unfolded(found: SearchResult) -> str:
    """A search's tree as HTML to unfold: each move with its numbers, and below it the moves that answer it."""
    left = [MOST_NODES]
    moves = _below(found, left)
    return f'<div class="ws-unfolded"><p>{int(found.visits.sum())} visits in all</p>{moves}</div>'


def _below(here: SearchResult, left: list[int]) -> str:
    """The moves of a state that have been visited, the most visited first; ``left`` counts down how many are told."""
    parts = []
    for move, row in here.table().sort_values("N", ascending=False, kind="stable").iterrows():
        if not row["N"] or left[0] <= 0:
            break
        left[0] -= 1
        words = f"<b>{escape(str(move))}</b>: N {int(row['N'])}, Q {row['Q']:+.2f}, P {row['P']:.2f}, U {row['U']:+.2f}"
        if "Q_rave" in row:
            words += f", N_rave {int(row['N_rave'])}, Q_rave {row['Q_rave']:+.2f}, score {row['score']:+.2f}"
        words, deeper = in_print(words), here._at(str(move))
        below = "" if deeper is None or deeper.position.is_over else _below(deeper, left)
        parts.append(f"<details><summary>{words}</summary>{below}</details>" if below else f"<p>{words}</p>")
    return "".join(parts)


def inspect(position: Position | Game | str = "connect4", network: PlayingNetwork | None = None, *,
            methods: str | Sequence[str] = "all", simulations: int = 100, seed: int = 0) -> Inspector:  # fmt: skip
    """See in JupyterLab what a network and several searches make of a position, side by side.

    Click on a move to look behind it. Below the boards a tree is unfolded, and a search goes on step by step: select,
    expand, evaluate, back up, with the numbers of each. ``methods`` are several, or ``"all"``.
    """
    position = position_of(position)
    if position.is_over:
        raise ValueError(f"there is nothing to inspect: the game is over ({position.caption})")
    if network is not None and not isinstance(network, PlayingNetwork):
        ways = "network(game) makes one, trained(game, method) takes one, load(path) reads one"
        raise ParameterError(f"{brief(network)} is no network: {ways}")
    allowed = WITHOUT_NETWORK if network is None else tuple(GUIDED)
    given = methods.split(",") if isinstance(methods, str) else methods if isinstance(methods, Sequence) else ()
    names = list(allowed) if methods == "all" else [name.strip() if isinstance(name, str) else name for name in given]
    wrong = [name for name in names if name not in allowed]
    if wrong or not names:
        kind = "without a network" if network is None else "with a network"
        raise ParameterError(f"methods = {brief(methods)} is not allowed: {kind} they are {', '.join(allowed)}")
    return Inspector(position, network, names, whole("simulations", simulations, 2), whole("seed", seed, 0))
