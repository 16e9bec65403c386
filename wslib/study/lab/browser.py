"""All training runs, published and stored here, to choose from: of each its curves, its games and its network."""

import math
from typing import Any

import ipywidgets as widgets
import pandas as pd

from wslib.parameters import ParameterError
from wslib.study.lab.board import Board
from wslib.study.lab.inspector import inspect
from wslib.study.lab.monitor import Progress, RunView, sentence
from wslib.study.lab.table import board
from wslib.study.lab.thinking import layers_of_look
from wslib.study.names import board_name, method_name
from wslib.study.prompt import Run, run, runs

EVERY = "all"


class Browser(widgets.VBox):
    """A list of runs with menus that narrow it, and below it the run that is chosen."""

    def __init__(self, listed: pd.DataFrame):
        # What was trained up to its switch only has no networks and no curves.
        self.listed = listed[listed["accepted"].notna()].drop_duplicates("unit", ignore_index=True)
        wide = {"style": {"description_width": "initial"}}
        self.game = widgets.Dropdown(options=self._values("game"), description="Game", **wide)
        self.method = widgets.Dropdown(options=self._values("method"), description="Method", **wide)
        self.word = widgets.Text(description="any word", continuous_update=False, **wide)
        self.list = widgets.Select(description="Runs", rows=10, layout={"width": "100%"}, **wide)
        self.text, self.view, self.network = widgets.HTML(), RunView(), widgets.VBox()
        self.view.layout.display = "none"
        self.chosen: Run | None = None
        super().__init__([widgets.HBox([self.game, self.method, self.word], layout={"flex_flow": "row wrap"}),
                          self.list, self.text, self.view, self.network])  # fmt: skip
        for control in (self.game, self.method, self.word):
            control.observe(lambda change: self._narrow(), "value")
        self.list.observe(lambda change: self._choose(change["new"]), "value")
        self._narrow()

    def _values(self, column: str) -> list[tuple[str, str]]:
        name = board_name if column == "game" else method_name
        return [(EVERY, ""), *((name(value), value) for value in dict.fromkeys(self.listed[column]))]

    def _narrow(self) -> None:
        """List the runs that the menus leave."""
        found = self.listed
        for column, control in (("game", self.game), ("method", self.method)):
            if control.value:
                found = found[found[column] == control.value]
        rows = [(_told(row), row["unit"]) for row in found.to_dict("records")]
        words = self.word.value.lower().split()
        rows = [(text, unit) for text, unit in rows if all(word in f"{text} {unit}".lower() for word in words)]
        self.list.options = rows
        self.list.description = f"{len(rows)} runs"

    def _choose(self, unit: str | None) -> None:
        """Show the run of a row."""
        if unit is None:
            return
        self.chosen = run(unit)
        log = self.chosen.log.to_dict("records")
        now = Progress(len(log), len(log), math.nan, False, log)
        self.text.value = f"{sentence(now)} At a prompt: <code>ws.run({unit!r})</code>."
        self.view.layout.display = ""
        self.view.show(self.chosen.settings.game, now)
        self.network.children = self._of_network(self.chosen)

    def _of_network(self, chosen: Run) -> list[widgets.Widget]:
        """What its network sees in the starting position, and the ways to play against it and to inspect it."""
        try:
            network = chosen.network
        except ParameterError as missing:
            return [widgets.HTML(f"Its network is not at hand: {missing}.")]
        look = network.look(network.game)
        shown = Board(look.position, alive=False, layer="p")
        shown.show(look.position, layers=layers_of_look(look, network),
                   message=f"Its network in the starting position: {look.best}, value {look.value:+.2f}.")  # fmt: skip
        play = widgets.Button(description="Play against it")
        open_up = widgets.Button(description="Inspect it")
        below = widgets.VBox()

        def put(what: Any) -> None:
            below.children = [what]

        play.on_click(lambda button: put(board(network.game, against=network)))
        open_up.on_click(lambda button: put(inspect(network.game, network)))
        return [shown, widgets.HBox([play, open_up]), below]

    def __repr__(self) -> str:
        return f"{len(self.list.options)} runs" + (f"; chosen: {self.chosen!r}" if self.chosen else "")


def _told(row: dict[str, Any]) -> str:
    """A run as a line of the list."""
    words = [row["experiment"], board_name(row["game"]), method_name(row["method"]), f"warm start {row['warm start']}",
             f"seed {row['seed']}", f"{int(row['iterations'])} iterations", row["preset"]]  # fmt: skip
    if row["optimal %"] is not None and row["optimal %"] == row["optimal %"]:
        words.append(f"{row['optimal %']:.1f} % optimal")
    return " · ".join(map(str, words))


def browse() -> Browser:
    """Choose from all training runs in JupyterLab, and see the curves, the games and the network of each."""
    return Browser(runs())
