"""A game against any player, at a prompt or in a notebook cell."""

from collections.abc import Callable
from typing import Any

from wslib.games import STONES, Game, IllegalMove, Position
from wslib.games import game as game_of
from wslib.parameters import whole
from wslib.play.players import move, player_of


def play(game: Game | str, against: Any = "mcts", you: str = "X", seed: int = 0, ask: Callable[[str], str] = input,
         show: Callable[[Position], object] | None = None) -> Position:  # fmt: skip
    """Play a game against a player (a name, settings, a network or a function); returns its final position.

    Type a move as the board's labels name it (``d3``, ``4``, ``pass``), ``moves`` for the legal ones, ``back`` to take
    your last move back, ``quit`` to stop. ``you`` is ``"X"`` to move first or ``"O"``.
    """
    game, against = game_of(game), player_of(against)
    if not isinstance(you, str) or you not in tuple(STONES):
        raise ValueError(f"you = {you!r} is not allowed: it should be 'X' (you move first) or 'O'")
    whole("seed", seed, 0)
    show = show or show_board
    yours = STONES.index(you)
    position = game.start()
    while not position.is_over:
        if position.to_move != yours:
            reply = move(against, position, seed)
            print(f"{STONES[position.to_move]} plays {reply}")
            position = position.play(reply)
            continue
        show(position)
        answer = ask(f"your move ({you}): ").strip().lower()
        if answer == "quit":
            return position
        if answer == "moves":
            print(" ".join(position.moves))
        elif answer == "back":
            position = _before_last_move(position, yours)
        else:
            try:
                position = position.play(answer)
            except IllegalMove as error:
                print(error)
    show(position)
    return position


def _before_last_move(position: Position, yours: int) -> Position:
    """The latest earlier position in which this player (0 moves first) was to move; the same one if there is none."""
    earlier = [p for p in position.line() if p.to_move == yours and p != position]
    if earlier:
        return earlier[-1]
    print("there is no move to take back")
    return position


def show_board(position: Position) -> None:
    """Show a position the way this place can: drawn in a notebook, as text at a prompt."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        print(position)
        return
    if type(get_ipython()).__name__ == "ZMQInteractiveShell":
        display(position)
    else:
        print(position)
