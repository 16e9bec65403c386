"""Do both trainers learn alike? Our kernels beside torch, on the same examples and in whole runs (`make trainers`).

1. Fits: the buffer of a Baseline run after some iterations is fitted again and again from the run's network, with other
   random streams each time, by either trainer. Shown are the losses on the games of the next iteration. Their means
   should not differ by more than chance has them differ between fits of one trainer: a permutation test over fits.
2. Runs: five by either trainer, thirty iterations of the preset `table`; the final networks meet each other. The mean
   difference should be within 30 Elo; its interval is over runs.

Whole runs by torch take five core-minutes each; all that is done is kept in `--store`, so an interrupted call goes on.
The exit status is 1 when a bar is missed.
"""

import argparse
import sys
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from wslib.games import game
from wslib.network.fit import fit
from wslib.network.kernels import cross_entropy, squared_error
from wslib.network.runtime import CompiledNetwork
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import LocalStore
from wslib.study.engine.tournament import NetworkEntrant, round_robin
from wslib.study.engine.units import results
from wslib.study.presets import preset
from wslib.study.statistics.rating import rate
from wslib.study.statistics.stats import Interval, difference_interval, permutation_test
from wslib.training.loop import advance, self_play, start

ROOT = Path(__file__).resolve().parents[2]
GAMES = ("connect4", "othello")
TRAINERS = ("compiled", "torch")
ITERATIONS_BEFORE, FITS = 8, 12
RUNS, ITERATIONS, GAMES_A_PAIR = 5, 30, 20
MARGIN = 30.0


def fits(name: str) -> list[dict[str, Any]]:
    """Losses on fresh games after fits of the same buffer by either trainer."""
    run = preset("table", game=name, seed=77)
    state = start(run)
    for _ in range(ITERATIONS_BEFORE):
        state, _ = advance(run, state)
    fresh = self_play(run, state).examples
    planes = game(name).planes(fresh.own, fresh.opp)
    rows = []
    for number in range(FITS):
        for trainer in TRAINERS:
            network, settings = deepcopy(state.network), preset("table", game=name, seed=77, trainer=trainer)
            fitted = fit(network, settings, state.examples, ("trainers", trainer, number), {})
            priors, values = CompiledNetwork(network).evaluate(planes)
            rows.append({
                "game": name, "trainer": trainer, "number": number,
                "policy_loss": cross_entropy(fresh.policy, priors), "value_loss": squared_error(values, fresh.z),
                "buffer_policy_loss": fitted.told["policy_loss"], "buffer_value_loss": fitted.told["value_loss"],
            })  # fmt: skip
            print(f"{name} fit {number + 1} of {FITS} by {trainer}", file=sys.stderr, flush=True)
    return rows


def compared(rows: list[dict[str, Any]], name: str, loss: str) -> dict[str, Any]:
    """Both trainers' mean loss, and how often another division of all fits has as large a difference."""
    ours, torch_s = ([r[loss] for r in rows if r["game"] == name and r["trainer"] == t] for t in TRAINERS)
    p = permutation_test(ours, torch_s)
    interval = difference_interval(ours, torch_s)
    return told("fits", name, loss, ours, torch_s, interval, p, p >= 0.05)


def whole_runs(name: str, store: LocalStore, workers: int) -> dict[str, Any]:
    """The difference in strength between runs by either trainer, in Elo, with its interval over runs."""
    runs = {
        f"{trainer} {seed}": preset("table", game=name, seed=seed, trainer=trainer)
        for seed in range(RUNS) for trainer in TRAINERS
    }  # fmt: skip
    results([RunUnit(run=run, iterations=ITERATIONS) for run in runs.values()], "trainers", workers, store)
    entrants = {who: NetworkEntrant(run=run, iteration=ITERATIONS) for who, run in runs.items()}
    units, names = zip(*round_robin(game(name).id, entrants, games=GAMES_A_PAIR), strict=True)
    found = results(units, "trainers", workers, store)
    elo = rate(found.join(pd.DataFrame(names)))
    ours, torch_s = ([elo[f"{trainer} {seed}"] for seed in range(RUNS)] for trainer in TRAINERS)
    interval = difference_interval(ours, torch_s)
    return told("runs", name, "Elo", ours, torch_s, interval, permutation_test(ours, torch_s),
                abs(np.mean(ours) - np.mean(torch_s)) <= MARGIN)  # fmt: skip


def told(part: str, name: str, what: str, ours: Sequence[float], torch_s: Sequence[float], interval: Interval, p: float,
         met: bool) -> dict[str, Any]:  # fmt: skip
    """A comparison as a row."""
    return {
        "part": part, "game": name, "what": what, "sides": len(ours), "compiled": float(np.mean(ours)),
        "torch": float(np.mean(torch_s)), "difference": float(np.mean(ours) - np.mean(torch_s)), "low": interval.low,
        "high": interval.high, "p": p, "verdict": "met" if met else "NOT MET",
    }  # fmt: skip


def publish(fresh: pd.DataFrame, path: Path) -> None:
    """Write these comparisons; those of other games, and of the other part, stay as they were published."""
    same = ["part", "game", "what"]
    kept = pd.read_csv(path) if path.exists() else fresh.head(0)
    whole = pd.concat([kept, fresh]).drop_duplicates(same, keep="last").sort_values(same)
    whole.to_csv(path, index=False, lineterminator="\n")


def main() -> int:
    """Compare, print, and keep where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=ROOT / ".wslib-store" / "trainers", help="where runs are kept")
    parser.add_argument("--workers", type=int, default=1, help="worker processes for whole runs (default: 1)")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=GAMES, help="which of the games (default: both)")
    parser.add_argument("--only", choices=("fits", "runs"), help="one of the two comparisons")
    parser.add_argument("--publish", action="store_true", help="write the figures to data/bench/trainers.csv")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    if asked.only != "runs":
        made = [row for name in asked.games for row in fits(name)]
        rows += [compared(made, name, loss) for name in asked.games for loss in ("policy_loss", "value_loss")]
        print(pd.DataFrame(rows).to_string(index=False), flush=True)
    if asked.only != "fits":
        rows += [whole_runs(name, LocalStore(asked.store), asked.workers) for name in asked.games]
    frame = pd.DataFrame(rows)
    print(frame.to_string(index=False))
    if asked.publish:
        publish(frame, ROOT / "data" / "bench" / "trainers.csv")
    return int((frame["verdict"] != "met").any())


if __name__ == "__main__":
    sys.exit(main())
