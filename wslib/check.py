"""A conformance check for whoever adds a game: random games, and what must hold at every position of them."""

import numpy as np

from wslib import draw
from wslib.games import Game, Position
from wslib.games import game as game_of
from wslib.parameters import ParameterError, whole
from wslib.perfect.solver.solution import SOLVED, solve

FEW = 4
"""So many empty cells are played out in every way, to compare with the solver."""


def check_game(game: Game | str, games: int = 50, seed: int = 0) -> int:
    """Play random games and check every promise a game makes; returns the number of positions seen.

    Raises an AssertionError that names the broken promise and shows the position.

    >>> check_game("tictactoe", games=5) > 0
    True
    """
    game, rng = game_of(game), np.random.default_rng(whole("seed", seed, 0))
    seen = 0
    for _ in range(whole("games", games, 1)):
        position = game.start()
        while not position.is_over:
            _check_position(position)
            seen += 1
            last, position = position, position.act(int(rng.choice(position.legal)))
            _check_step(last, position)
        _check_position(position)
        _check_drawing(position)
        _check_solver(last)
        seen += 1
        _require(len(position.history) <= game.max_plies, "no game is longer than max_plies", position)
        _require(game.position(position.move_list) == position, "the move list leads to the same position", position)
    return seen


def _check_position(position: Position) -> None:
    """What holds in every position: its text, its planes, its moves' names, and its images under all symmetries."""
    game = position.game
    _require(not position.own & position.opp, "no cell holds stones of both players", position)
    _require(position.is_over != bool(position.legal), "a running game has a legal action, a finished none", position)
    _require(game.parse(str(position)) == position, "the printed board parses to the same position", position)
    planes = position.planes
    _require(planes.shape == (1, game.rows, game.cols), "the planes have the shape of the board", position)
    sign = 1 if position.to_move == 0 else -1
    _require(np.array_equal(planes[0] * sign, position.board), "the planes show the mover's stones as +1", position)
    for action in position.legal:
        _require(game.action_number(game.action_name(action)) == action, "a move's name leads back to it", position)
    for symmetry in game.symmetries:
        image = symmetry.position(position)
        _require(image.result == position.result, "a symmetry keeps the result", position)
        _require(
            sorted(symmetry.actions[a] for a in position.legal) == list(image.legal),
            "a symmetry maps the legal actions to the legal actions",
            position,
        )
        for action in position.legal:
            _require(
                image.act(symmetry.actions[action]) == symmetry.position(position.act(action)),
                "to play and then turn the board is to turn the board and then play",
                position,
            )


def _check_step(before: Position, after: Position) -> None:
    """What a move may do: put stones down and turn some over, and give the turn to the opponent."""
    _require(after.to_move == 1 - before.to_move, "the players alternate", before)
    _require(before.own & ~after.opp == 0, "own and opponent change places", before)
    _require((before.own | before.opp) & ~(after.own | after.opp) == 0, "no stone leaves the board", before)


def _check_drawing(position: Position) -> None:
    """That all stones of a finished game are there, in the colour of their player."""
    look, svg = position.game.look, draw.board(position).svg
    for value, stone, rim in zip((1, -1), look.stones, look.rims, strict=True):
        drawn = svg.count(f'fill="{stone}" stroke="{rim}"')
        _require(drawn == (position.board == value).sum(), "every stone is drawn in its player's colour", position)


def _check_solver(position: Position) -> None:
    """That the solver knows the value of a late position, or says that it does not know the game."""
    if type(position.game) not in SOLVED:
        try:
            solve(position)
        except ParameterError:
            return
        _require(False, "a game whose rules the solver does not know is not solved", position)
    if (position.own | position.opp).bit_count() >= position.game.cells - FEW:
        value = solve(position, table_bits=8).value
        _require(value == _value(position), "the solver finds what playing out in every way finds", position)


def _value(position: Position) -> int:
    """The value of a position for its player to move, by playing out every line."""
    if position.result is not None:
        return position.result
    return max(-_value(position.act(action)) for action in position.legal)


def _require(holds: bool, promise: str, position: Position) -> None:
    """An error that names the promise and shows the position, where it does not hold."""
    if not holds:
        raise AssertionError(f"{position.game.title} breaks a promise: {promise}.\n{position}")
