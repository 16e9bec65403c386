"""How large the batches are in which torch is asked for evaluations, and how many calls that takes (`--publish`).

A GPU takes about as long for one position as for hundreds, so what bounds a run there is the number of calls. It does
not depend on the device: here it is counted with torch on the processor, with a small network, at the simulations,
games and pairs of Table 5.2. `data/bench/batches.csv` has a row per stage.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import torch

from wslib.network.runtime import TorchNetwork
from wslib.study.engine.states import train
from wslib.study.engine.tournament import NetworkEntrant, PairBlock, round_robin
from wslib.study.presets import preset
from wslib.training.loop import advance, start

ROOT = Path(__file__).resolve().parents[2]
BOARD = "connect4"
SMALL = {"game": BOARD, "channels": 4, "hidden": (8,), "epochs": 1, "runtime": "torch", "trainer": "torch"}
COLUMNS = ("stage", "games", "calls", "positions", "mean_batch", "largest_batch", "plies", "seconds",
           "seconds_in_calls")  # fmt: skip


class Counted(list):
    """Sizes of the batches of a stage, and the seconds that torch took for them."""

    seconds = 0.0


@contextmanager
def counted() -> Iterator[Counted]:
    """What is asked of torch meanwhile."""
    sizes, evaluate = Counted(), TorchNetwork.evaluate

    def watched(network, planes):
        begun = time.perf_counter()
        found = evaluate(network, planes)
        sizes.seconds += time.perf_counter() - begun
        sizes.append(len(planes))
        return found

    TorchNetwork.evaluate = watched
    try:
        yield sizes
    finally:
        TorchNetwork.evaluate = evaluate


def row(stage: str, games: int, plies: float, sizes: Counted, seconds: float) -> dict[str, object]:
    """A line of the table."""
    mean = round(sum(sizes) / len(sizes), 1)
    return dict(zip(COLUMNS, (stage, games, len(sizes), sum(sizes), mean, max(sizes), round(plies, 1),
                              round(seconds, 2), round(sizes.seconds, 2)), strict=True))  # fmt: skip


def iteration(episodes: int) -> Iterator[dict[str, object]]:
    """Self-play and arena of one iteration."""
    run = preset("table", **SMALL, episodes=episodes)
    begun, stages = time.perf_counter(), {}
    with counted() as sizes:

        def ended(stage: str) -> None:
            nonlocal begun
            stages[stage] = Counted(sizes), time.perf_counter() - begun
            stages[stage][0].seconds, sizes.seconds, begun = sizes.seconds, 0.0, time.perf_counter()
            sizes.clear()

        _, told = advance(run, start(run), ended)
    yield row(f"self-play of {episodes} games", episodes, told["plies_mean"], *stages["self-play"])
    yield row(f"arena of {run.arena_games} games", run.arena_games, 0, *stages["arena"])


def tournaments(networks: int) -> Iterator[dict[str, object]]:
    """Pairs one by one, and all of them at one table."""
    with tempfile.TemporaryDirectory() as folder:
        entrants = {}
        for seed in range(networks):
            run = preset("smoke", game=BOARD, seed=seed, runtime="torch")
            train(run, 1, Path(folder))
            entrants[str(seed)] = NetworkEntrant(run=run, iteration=1)
        units = [unit for unit, _ in round_robin(BOARD, entrants, games=20)]
        for name, some in (("one pair", units[:1]), (f"a block of {len(units)} pairs", units)):
            begun = time.perf_counter()
            with counted() as sizes:
                played = PairBlock(tuple(some)).parts(Path(folder))
            plies = sum(computed.summary["plies_mean"] for _, computed in played) / len(played)
            yield row(name, 20 * len(some), plies, sizes, time.perf_counter() - begun)


def main() -> None:
    """Count, show, and write the table where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=int, default=12, help="networks of the tournament (12)")
    parser.add_argument("--publish", action="store_true", help="also write the table to data/bench")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    rows = [*iteration(50), *iteration(200), *tournaments(asked.networks)]
    for found in rows:
        print(", ".join(f"{name} {value}" for name, value in found.items()))
    if asked.publish:
        pd.DataFrame(rows).to_csv(ROOT / "data" / "bench" / "batches.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
