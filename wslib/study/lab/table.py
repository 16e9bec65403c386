"""A board to play at: against a person, a search, or a trained network, whose thinking can be looked into.

The game goes on in Python; what the page has is a board and the controls around it.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import ipywidgets as widgets
import numpy as np

from wslib._compiled import stream
from wslib.games import STONES, Game, Position, position_of
from wslib.games import game as game_of
from wslib.parameters import ParameterError, whole
from wslib.play.players import METHODS, NetworkPlayer, move, player_of
from wslib.prompt.result import SearchResult
from wslib.search import GUIDED, GuidedSettings, SearchSettings
from wslib.study.lab.board import IN_THE_PAGE, Board, Layer
from wslib.study.lab.thinking import found_by, layers_of, network_of, summary, truth
from wslib.study.names import method_name

PERSON = "somebody beside you"
MOST = 100_000
"""Simulations a move that one can ask for: seconds."""
NOTHING_YET = "What it thinks is shown here after its first move."
COLOURS = {"connect4": ("red", "yellow")}


def _answered(act: Callable[..., None]) -> Callable[..., None]:
    """What is wrong is said below the board in a sentence, because nobody sees an error of a callback."""

    @wraps(act)
    def answered(self: "Table", *given: Any) -> None:
        try:
            act(self, *given)
        except ValueError as error:
            self._show(str(error))

    return answered


class Table(widgets.VBox):
    """A game at a board. ``position`` is where it stands, ``thought`` the opponent's last search."""

    def __init__(self, position: Position, against: Any, you: str, simulations: int, seed: int):
        self.line, self.seed, self.number = [position], seed, 0
        self.thought: SearchResult | None = None
        self.given: dict[str, Any] = {}
        self.board, self.inside = Board(position), Board(position, alive=False, layer="visits")
        self.board.heard = {"move": self.play, "undo": self.undo, "place": self.place}
        self._make_controls(you, simulations)
        self._offer(against)
        super().__init__(self._laid_out())
        self._listen()
        self._go_on("")

    # --- controls ---

    def _make_controls(self, you: str, simulations: int) -> None:
        wide = {"style": {"description_width": "initial"}}
        games = [game_of(name).id for name in (*IN_THE_PAGE, "tictactoe")]
        self.game = widgets.Combobox(value=self.position.game.id, options=games,
                                     description="Game", continuous_update=False, **wide)  # fmt: skip
        self.opponent = widgets.Dropdown(description="against", **wide)
        methods = [(method_name(name), name) for name in GUIDED]
        self.method = widgets.Dropdown(options=methods, description="searching as", **wide)
        self.simulations = widgets.BoundedIntText(value=simulations, min=2, max=MOST, description="simulations", **wide)
        self.side = widgets.Dropdown(options=[("X, who begins", 0), ("O", 1)], value=STONES.index(you),
                                     description="You are", **wide)  # fmt: skip
        self.new = widgets.Button(description="New game")
        self.hint_button = widgets.Button(description="Hint", tooltip="let the opponent search in your place")
        self.solver = widgets.Checkbox(description="ask the solver, too", indent=False)
        self.setup = widgets.ToggleButton(description="Set up by hand", tooltip="click on cells to place stones")
        self.turn = widgets.Dropdown(options=[("X to move", 0), ("O to move", 1)], layout={"display": "none"})
        self.moves = widgets.Text(description="Moves so far", continuous_update=False, layout={"width": "100%"}, **wide)
        self.heading = widgets.HTML(NOTHING_YET)

    def _laid_out(self) -> list[widgets.Widget]:
        row = {"flex_flow": "row wrap", "align_items": "center"}
        self.inside.layout.display = "none"
        beside = widgets.VBox([self.inside, self.heading], layout={"flex": "1 1 17rem", "max_width": "25rem"})
        self.beside = beside
        return [
            widgets.HBox([self.game, self.opponent, self.method, self.simulations, self.side], layout=row),
            widgets.HBox([self.new, self.hint_button, self.setup, self.turn, self.solver], layout=row),
            widgets.HBox([widgets.VBox([self.board], layout={"flex": "1 1 17rem", "max_width": "25rem"}), beside],
                         layout={"flex_flow": "row wrap"}),
            self.moves,
        ]  # fmt: skip

    def _listen(self) -> None:
        self.game.observe(lambda change: self._other_game(change["new"]), "value")
        for control in (self.opponent, self.method, self.simulations, self.side):
            control.observe(lambda change: self._other_player(), "value")
        self.new.on_click(lambda button: self.new_game())
        self.hint_button.on_click(lambda button: self.hint())
        self.setup.observe(lambda change: self._set_up(change["new"]), "value")
        self.turn.observe(lambda change: self._other_turn(change["new"]), "value")
        self.moves.observe(lambda change: self.go_to(change["new"]), "value")

    def _offer(self, against: Any = None) -> None:
        """The opponents of this game: what was given, the players without a network, the trained networks."""
        self.choices: dict[str, Any] = {PERSON: None, **{method_name(name): name for name in METHODS}}
        self.choices |= self.given | _trained(self.position.game)
        if against is not None and not isinstance(against, str):
            self.given = {_called(against): against}
            self.choices = self.given | self.choices
        named = [label for label, what in self.choices.items() if what == against] if isinstance(against, str) else []
        if isinstance(against, str) and not named and against != "person":
            player_of(against)  # says what is allowed
        chosen = named or list(self.given) or ([PERSON] if against == "person" else [])
        with self.hold_trait_notifications():
            self.opponent.options = list(self.choices)
            self.opponent.value = chosen[0] if chosen else method_name("mcts")
        self._show_controls()

    def _show_controls(self) -> None:
        """Only the controls that mean something for this opponent."""
        player = self.choices[self.opponent.value]
        guided = _is_network(player)
        searches = guided or player in ("mcts", "rave") or isinstance(player, SearchSettings)
        for control, shown in ((self.method, guided), (self.simulations, searches), (self.side, player is not None)):
            control.layout.display = "" if shown else "none"

    @property
    def player(self) -> Any:
        """The opponent with the settings chosen; None for a person."""
        chosen = self.choices[self.opponent.value]
        if isinstance(chosen, _Trained):
            chosen = chosen.network()
        if _is_network(chosen):
            network = chosen.network if isinstance(chosen, NetworkPlayer) else chosen
            kept = chosen.settings.model_dump() if isinstance(chosen, NetworkPlayer) else {}
            return NetworkPlayer(network, _settings(kept, self.method.value, self.simulations.value))
        if chosen in ("mcts", "rave"):
            return SearchSettings(method=chosen, simulations=self.simulations.value)
        if isinstance(chosen, SearchSettings):
            return SearchSettings(**chosen.model_dump() | {"simulations": self.simulations.value})
        return None if chosen is None else player_of(chosen)

    # --- the game ---

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.line[-1]

    @property
    def yours(self) -> bool:
        """Whether the reader is to move."""
        return self.choices[self.opponent.value] is None or self.position.to_move == self.side.value

    @_answered
    def new_game(self) -> None:
        """Start again with what is chosen."""
        self.line, self.number = [self.position.game.start()], self.number + 1
        self._forget()
        self._go_on("")

    @_answered
    def play(self, action: int) -> None:
        """A move of the reader's, given by the number of its action."""
        if not self.yours or self.setup.value:
            return
        mover = STONES[self.position.to_move]
        self.line.append(self.position.act(action))
        name = self.position.game.action_name(action)
        self._go_on(f"{mover} played {name}." if self.player is None else f"You played {name}.")

    @_answered
    def undo(self) -> None:
        """Back to the reader's last choice."""
        if len(self.line) > 1:
            self.line.pop()
        while len(self.line) > 1 and not self.yours:
            self.line.pop()
        self._go_on("Taken back.")

    @_answered
    def go_to(self, text: str) -> None:
        """Go to the position after these moves, or to the one that a text draws (rows of ``.XO`` parted by ``/``)."""
        if text == self._text():
            return
        game = self.position.game
        drawn = "." in text or "/" in text
        self.line = [game.parse(text)] if drawn else list(game.position(text).line())
        self._go_on("")

    def _go_on(self, said: str) -> None:
        """Show where the game is, and let the opponent move while it is its turn."""
        while not self.position.is_over and not self.yours:
            self._show(f"{said} It is thinking.", busy=True)
            reply = self._reply()
            said = f"{said} It plays {reply}.".strip()
            self.line.append(self.position.play(reply))
        self._show(f"{said} {self._where()}")

    def _reply(self) -> str:
        seed = int(stream(self.seed, "board", self.number, len(self.position.history))) >> 1
        player = self.player
        found = found_by(player, self.position, seed)
        if found is None:
            return move(player, self.position, seed)
        self.thought = found
        self.heading.value = f"What it thought before its last move: {summary(found)}."
        self.inside.show(self.position, layers=self._layers(found), message=" ")
        self.inside.layout.display = ""
        return found.best

    def _layers(self, found: SearchResult) -> list[Layer]:
        known = truth(found.position) if self.solver.value else None
        return layers_of(found, network_of(self.player)) + ([known] if known else [])

    def _where(self) -> str:
        position = self.position
        if position.is_over:
            if position.winner is None:
                return "The game is drawn."
            if self.player is None:
                return f"{STONES[position.winner]} has won."
            return "You have won." if position.winner == self.side.value else "You have lost."
        colour = COLOURS.get(position.game.name, ("black", "white"))[position.to_move]
        stone = f"{STONES[position.to_move]} ({colour})"
        if position.legal == (position.game.cells,):
            return f"{stone} has no move here and must pass."
        return f"{stone} is to move." if self.player is None else f"Your move, you are {stone}."

    @_answered
    def hint(self) -> None:
        """Search the reader's position as the opponent would, and shade the board by what is found."""
        if self.position.is_over or not self.yours:
            return
        player, seed = self.player, int(stream(self.seed, "hint", len(self.position.history))) >> 1
        plain = SearchSettings(simulations=self.simulations.value)
        found = found_by(player, self.position, seed) or found_by(plain, self.position, seed)
        assert found is not None
        self.board.layer = self.board.layer or "visits"
        self._show(f"Hint: {summary(found)}.", self._layers(found))

    # --- other settings ---

    @_answered
    def _other_game(self, name: str) -> None:
        self.line, self.number = [game_of(name).start()], self.number + 1
        self.given = {label: what for label, what in self.given.items() if not hasattr(what, "game")}
        self._forget()
        self._offer("mcts")
        self._go_on("")

    @_answered
    def _other_player(self) -> None:
        self._show_controls()
        if not self.setup.value:
            self._go_on("")

    def _forget(self) -> None:
        self.thought, self.heading.value, self.inside.layout.display = None, NOTHING_YET, "none"

    @_answered
    def _set_up(self, begun: bool) -> None:
        """Begin to place stones by hand, or end it: then the position must be one that the rules allow."""
        self.turn.layout.display = "" if begun else "none"
        if begun:
            self._placed, self.turn.value = self.position.board.ravel().copy(), self.position.to_move
            return self._show_setup("Click on a cell for X, O or nothing; press the button again to play on.")
        try:
            position = self.position.game.parse(_drawn(self._placed, self.position.game, self.turn.value))
        except ValueError as error:
            self.setup.value = True
            return self._show_setup(f"This cannot be: {error}.")
        self.line = [position]
        self._forget()
        self._go_on("")

    def place(self, cell: int) -> None:
        """While a position is set up: the next of X, O and nothing on a cell."""
        if self.setup.value and 0 <= cell < self.position.game.cells:
            self._placed[cell] = {0: 1, 1: -1, -1: 0}[int(self._placed[cell])]
            self._show_setup("")

    def _other_turn(self, mover: int) -> None:
        if self.setup.value:
            self._show_setup("")

    def _show_setup(self, message: str) -> None:
        own, opp = (_word(self._placed == sign) for sign in ((1, -1) if self.turn.value == 0 else (-1, 1)))
        shown = Position(self.position.game, own, opp, self.turn.value)
        self.board.show(shown, setup=True, message=message or self.turn.label)

    # --- showing ---

    def _show(self, message: str, layers: list[Layer] | None = None, busy: bool = False) -> None:
        playable = not self.position.is_over and self.yours and not busy
        self.board.show(self.position, layers=layers or (), message=message.strip(), playable=playable, busy=busy)
        self.moves.value = self._text()
        self.beside.layout.display = "none" if self.choices[self.opponent.value] is None else ""

    def _text(self) -> str:
        """The moves so far; of a position that was set up, the rows of its board."""
        if self.line[0] == self.position.game.start():
            return self.position.move_list
        return _drawn(self.position.board.ravel(), self.position.game, self.position.to_move)

    def __repr__(self) -> str:
        return repr(self.board)


class _Trained:
    """A trained network that is read when somebody wants to play against it."""

    def __init__(self, run: str, iteration: int):
        self.run, self.iteration = run, iteration

    def network(self) -> Any:
        """The network, ready to play."""
        from wslib.study.prompt import trained

        return trained(run=self.run, iteration=self.iteration)


def _trained(game: Game) -> dict[str, _Trained]:
    """The trained networks of a game, by what tells them apart."""
    from wslib.study.prompt import trained

    found: dict[str, _Trained] = {}
    for row in trained(game).to_dict("records"):
        warm = "" if row["warm start"] == "none" else f" (warm start: {row['warm start']})"
        learned = f"{method_name(row['method'])}'s network, seed {row['seed']}, {row['iteration']} iterations"
        label = f"{learned}{warm}, {row['preset']}"[:90]
        label = f"{label[:80]} {row['run'][:8]}" if label in found else label
        found[label] = _Trained(row["run"], row["iteration"])
    return found


def _is_network(player: Any) -> bool:
    return isinstance(player, NetworkPlayer | _Trained) or hasattr(player, "evaluate")


def _settings(kept: dict[str, Any], method: str, simulations: int) -> GuidedSettings:
    """Settings of a guided search: those that a player brought along, as far as this method has them."""
    if kept.get("method") != method:
        kept = {}
    return GuidedSettings(**kept | {"method": method, "simulations": simulations})


def _called(player: Any) -> str:
    """What a player that was given is called in the menu."""
    if isinstance(player, NetworkPlayer):
        return f"{method_name(player.settings.method)} with a network of yours"
    origin = getattr(player, "origin", "")
    if hasattr(player, "evaluate"):
        return f"a network: {origin or 'untrained'}"
    return f"{method_name(player.method)} of yours" if hasattr(player, "method") else "a player of yours"


def _word(stones: np.ndarray) -> int:
    return sum(1 << int(cell) for cell in np.flatnonzero(stones))


def _drawn(board: np.ndarray, game: Game, mover: int) -> str:
    """A board as one line of text, which :meth:`Game.parse` reads."""
    rows = ["".join(".XO"[int(stone)] for stone in row) for row in board.reshape(game.rows, game.cols)]
    return f"{' / '.join(rows)} / {STONES[mover]} to move"


def board(game: Game | Position | str = "connect4", against: Any = "mcts", *, you: str = "X", simulations: int = 100,
          seed: int = 0) -> Table:  # fmt: skip
    """A board to play on by mouse in JupyterLab: any game, size and opponent, with what the opponent thinks.

    ``against`` is ``"person"``, a player's name, settings or function, or a network; the menu has the trained ones,
    and ``"wrora"`` is the trained network of that method.
    ``you`` is ``"X"`` to move first or ``"O"``. Where a position is given, the game goes on from there.
    """
    if not isinstance(you, str) or you not in tuple(STONES):
        raise ParameterError(f"you = {you!r} is not allowed: it should be 'X' (you move first) or 'O'")
    position = position_of(game)
    if isinstance(against, str) and against in GUIDED.keys() - METHODS.keys():
        from wslib.study.prompt import trained

        against = trained(position.game, against)
    if not (isinstance(against, str) and against == "person"):
        player_of(against)
    return Table(position, against, you, whole("simulations", simulations, 2, MOST), whole("seed", seed, 0))
