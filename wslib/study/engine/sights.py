"""What the network of a run sees in a few positions, iteration by iteration: ``python -m wslib.study.engine.sights``.

A run keeps the networks of a few iterations only, so it is trained once more, and every network on its way is asked.
The record lies in ``data/sights``. Values are seen by the player to move.
"""

import pandas as pd
from tqdm import tqdm

from wslib.files import published_root, write_atomically
from wslib.games import game
from wslib.prompt.networks import PlayingNetwork
from wslib.study.pages.learning import OneRun
from wslib.training.loop import advance, start
from wslib.training.settings import RunSettings

POSITIONS = {"connect4-6x6-k4": ("", "4 1 4 1 4 2"), "gobang-6x6-k4": ("", "c3 a1 d3 a6 e3 f6"),
             "othello-6x6": ("", "c2 b2 a2")}  # fmt: skip
"""By game: the start, and a position in which one move stands out: it wins at once, or takes a corner."""
DIGITS = 4


def sights(run: RunSettings, iterations: int, progress: bool = False) -> pd.DataFrame:
    """A row per iteration (0: before the first), position and legal move: its probability, and the position's value."""
    board, state, rows = game(run.game), start(run), []
    for iteration in tqdm(range(iterations + 1), disable=not progress):
        if iteration:
            state, _ = advance(run, state)
        network = PlayingNetwork(state.network)
        for moves in POSITIONS[run.game]:
            look = network.look(board.position(moves))
            rows += [
                {"run": run.id, "iteration": iteration, "position": moves, "move": board.action_name(action),
                 "p": round(float(look.policy[action]), DIGITS), "value": round(look.value, DIGITS)}
                for action in look.position.legal
            ]  # fmt: skip
    return pd.DataFrame(rows)


def main() -> None:
    """Record the run of the page *One training run to look into*."""
    asked = OneRun()
    table = sights(asked.run, asked.iterations, progress=True)
    content = table.to_csv(index=False, lineterminator="\n").encode()
    write_atomically(published_root() / "sights" / "sights.csv", content)


if __name__ == "__main__":
    main()
