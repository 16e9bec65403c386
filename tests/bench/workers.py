"""Throughput of two workers against one: equal units, computed by one process and by two.

    python tests/bench/workers.py          # some minutes, on a machine that has nothing else to do

Exit code 1 where two workers do less than 1.75 times what one does.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from wslib.play import player
from wslib.study.engine import units as study
from wslib.study.engine.store import LocalStore
from wslib.study.engine.units import MatchUnit

BAR = 1.75


def seconds(units: list[MatchUnit], workers: int) -> float:
    """Wall time of computing these units from nothing, the start of the processes included."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        study.results(units, "no-such-experiment", workers, LocalStore(Path(folder)), progress=False)
        return time.perf_counter() - begun


def main() -> int:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description="Throughput of two workers against one.")
    parser.add_argument("--units", type=int, default=24)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    mcts, rave = player("mcts"), player("rave")
    units = [MatchUnit(game="connect4", a=mcts, b=rave, games=asked.games, seed=seed) for seed in range(asked.units)]
    seconds(units[:2], 2)  # so that everything has been compiled
    best = 0.0
    for _ in range(asked.repeats):
        one, two = seconds(units, 1), seconds(units, 2)
        best = max(best, one / two)
        print(
            f"{asked.units} units: {one:.1f} s with one worker, {two:.1f} s with two: {one / two:.2f} times", flush=True
        )
    print(f"the best of {asked.repeats}: {best:.2f} times; the bar is {BAR}")
    return int(best < BAR)


if __name__ == "__main__":
    sys.exit(main())
