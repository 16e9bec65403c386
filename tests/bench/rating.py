"""Measure how long ratings take: 89 players who all meet in 20 games, with covariance and with exact intervals.

    python tests/bench/rating.py

Shown are the median, the lowest and the highest of several repetitions in seconds of wall and of CPU time; the largest
distance to the reference ratings in `tests/data/elo`, for its sets, settings and kinds of intervals; and how often the
tests of the study raise a false alarm (`--alarms`, a minute more). The exit status is 1 when a bar is missed.
"""

import argparse
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from wslib.study.statistics.rating import RatingSettings, rate
from wslib.study.statistics.simulate import FalseAlarms

DATA = Path(__file__).resolve().parent.parent / "data" / "elo"
SECONDS = {"covariance": 0.5, "variance": 0.5, "exact": 2.0}
CONVERGED, PRINTED = 0.05, 1.0
LEAST, MOST = 0.04, 0.06


def tournament(players: int = 89, games: int = 20, seed: int = 0) -> pd.DataFrame:
    """A round robin of players of different strength, half of the games with each colour."""
    draw = np.random.default_rng(seed)
    elo = draw.normal(0, 150, players)
    rows = []
    for i in range(players):
        for j in range(players):
            if i != j:
                lead = (elo[i] - elo[j] + 30) * np.log(10) / 400
                win, loss = 1 / (1 + np.exp(0.3 - lead)), 1 / (1 + np.exp(0.3 + lead))
                rows.append((f"p{i}", f"p{j}", *draw.multinomial(games // 2, [win, 1 - win - loss, loss])))
    return pd.DataFrame(rows, columns=["first", "second", "wins", "draws", "losses"])


def timed(results: pd.DataFrame, settings: RatingSettings, repetitions: int) -> dict[str, list[float]]:
    """Wall and CPU seconds of each repetition, frames and all."""
    taken: dict[str, list[float]] = {"wall": [], "cpu": []}
    for _ in range(repetitions):
        wall, cpu = time.perf_counter(), time.process_time()
        rate(results, settings).frame()
        taken["wall"].append(time.perf_counter() - wall)
        taken["cpu"].append(time.process_time() - cpu)
    return taken


def reference(folder: Path):
    """Results, then every setting of a reference set with its ratings."""
    results = pd.read_csv(folder / "results.csv").rename(columns={"player_white": "first", "player_black": "second"})
    ratings = pd.read_csv(folder / "ratings.csv")
    for row in pd.read_csv(folder / "settings.csv").itertuples():
        published = row.setting == "published_by_author"
        settings = RatingSettings(
            advantage=32.8 if published else None if row.advantage_estimated else row.advantage,
            drawelo=97.3 if published else None if row.drawelo_estimated else row.drawelo,
            prior=2.0 if published else row.prior,
            interval="exact" if published else {"exactdist": "exact"}.get(row.interval, row.interval),
        )
        expected = ratings[ratings["setting"] == row.setting].set_index("player")
        yield results, row, settings, expected


def distances(expected: pd.DataFrame, ours: pd.DataFrame) -> dict[str, float]:
    """The largest distance of rating, + and -, to the converged and to the printed figures."""
    ours = ours.set_index("player").loc[expected.index]
    columns = {"elo": ours["elo"], "plus": ours["high"] - ours["elo"], "minus": ours["elo"] - ours["low"]}
    return {
        kind: max(float((value - expected[name + suffix]).abs().max()) for name, value in columns.items())
        for kind, suffix in (("converged", "_converged"), ("printed", ""))
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5, help="measurements of each kind (5)")
    parser.add_argument("--alarms", action="store_true", help="also simulate false alarms at full scale")
    options = parser.parse_args()
    missed, results = 0, tournament()
    for interval, bar in SECONDS.items():
        taken = timed(results, RatingSettings(interval=interval), options.repetitions)
        shown = "; ".join(
            f"{name} {median(s):.3f} s ({min(s):.3f} to {max(s):.3f})" for name, s in sorted(taken.items())
        )
        print(f"89 players, 78,320 games, {interval}: {shown}; bar {bar} s")
        missed += median(taken["wall"]) >= bar
    for folder in sorted(path for path in DATA.iterdir() if path.is_dir()):
        found = []
        for games, row, settings, expected in reference(folder):
            found.append({"setting": row.setting, **distances(expected, rate(games, settings).frame())})
        worst = pd.DataFrame(found)[["converged", "printed"]].max()
        print(f"{folder.name}: {len(found)} settings, to converged {worst.iloc[0]:.4f}, to printed {worst.iloc[1]:.3f}")
        missed += worst.iloc[0] > CONVERGED or worst.iloc[1] > PRINTED
    if options.alarms:
        asked = FalseAlarms()
        for unit, labels in asked.asked():
            if labels["part"] == "false alarms":
                alarms = unit.compute_in(Path()).summary
                print(f"spread {labels['spread']:.0f}, {labels['distinct']} distinct: {alarms}")
                missed += not LEAST <= alarms["permutation"] <= MOST
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
