"""Processor time per position of the published sets, by phase: the exact value of every move, one cold solver each.

    .venv/bin/python tests/bench/solver.py            # all positions, about two minutes
    .venv/bin/python tests/bench/solver.py 60         # so many of each set
    .venv/bin/python tests/bench/solver.py start      # Connect Four and Gobang from the empty 6×6 board

The bar is a median below 50 ms in each phase.
"""

import sys
import time

import numpy as np

from wslib.games import game
from wslib.perfect.positions import BOARDS, PHASES, SETS, Positions, load
from wslib.perfect.solver import Solver

BAR = 50.0
"""Milliseconds."""


def times(positions: Positions) -> np.ndarray:
    """Milliseconds of processor time for each position; nothing is remembered from one to the next."""
    found = []
    for i in range(len(positions)):
        solver = Solver(positions.game, table_bits=20)
        begin = time.process_time()
        values = solver.moves(positions[i])
        found.append(1000 * (time.process_time() - begin))
        assert all(v == positions.values[i, a] for a, (v, _) in values.items())
        assert positions.discs is None or all(d == positions.discs[i, a] for a, (_, d) in values.items())
    return np.array(found)


def phases(count: int) -> None:
    """A line per game, set and phase."""
    print(f"{'game':12}{'set':8}{'phase':8}{'n':>5}{'median ms':>11}{'p90 ms':>9}{'max ms':>9}")
    for board in BOARDS:
        Solver(game(board)).moves(load(board, "path")[0])  # compiled, or read back from disk
        for which in SETS:
            positions = load(board, which)
            for phase in PHASES:
                rows = np.flatnonzero(positions.labels["phase"] == phase)[:count]
                took = times(positions.take(rows))
                median, slow, most = np.median(took), np.quantile(took, 0.9), took.max()
                note = "" if median < BAR else "  above the bar"
                print(
                    f"{board:12}{which:8}{phase:8}{len(rows):5}{median:11.2f}{slow:9.1f}{most:9.1f}{note}", flush=True
                )


def starts() -> None:
    """The empty boards whose value is known."""
    for name in ("gobang", "connect4-5x5", "connect4-6x5", "connect4"):
        solver = Solver(game(name), table_bits=22)
        begin = time.process_time()
        value = solver.value(game(name).start())
        print(f"{name:14}{value:+d} {solver.nodes:>12,} nodes {time.process_time() - begin:8.1f} s", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["start"]:
        starts()
    else:
        phases(int(sys.argv[1]) // len(PHASES) if sys.argv[1:] else 10**6)
