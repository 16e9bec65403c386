"""How long a round robin of 89 players takes: measured on pairs of published networks, one process.

``python tests/bench/tournament.py`` prints processor seconds per pair (20 games, 100 simulations a
move) and what that makes for the 88 networks of the thesis and a random player, game by game.
"""

import statistics
import time
from pathlib import Path

from wslib.files import default_root
from wslib.parameters import ParameterError
from wslib.study.engine.networks import network_file
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.tournament import NetworkEntrant, pair
from wslib.study.pages.learning import ItLearns

PLAYERS, GAMES, REPEATS = 89, 20, 5


def entrants() -> dict[str, list[NetworkEntrant]]:
    """The networks at hand, by game."""
    found: dict[str, list[NetworkEntrant]] = {}
    for unit in ItLearns().units():
        if not isinstance(unit, RunUnit):
            continue
        try:
            network_file(unit.run, unit.iterations)
        except ParameterError:
            continue
        found.setdefault(unit.run.game, []).append(NetworkEntrant(run=unit.run, iteration=unit.iterations))
    return found


def main() -> None:
    """Measure and print."""
    pairs = PLAYERS * (PLAYERS - 1) // 2
    print(f"{'game':18}{'CPU s a pair':>14}{'CPU/wall':>10}{f'  hours for {pairs} pairs, one core':>34}")
    for game, networks in entrants().items():
        seconds, shares = [], []
        for seed in range(REPEATS + 1):
            unit = pair(game, networks[0], networks[1], games=GAMES, seed=1000 + seed)
            wall, cpu = time.perf_counter(), time.process_time()
            unit.compute_in(Path(default_root()))
            seconds.append(time.process_time() - cpu)
            shares.append(seconds[-1] / (time.perf_counter() - wall))
        middle = statistics.median(seconds[1:])  # the first also loads the networks
        print(f"{game:18}{middle:14.2f}{statistics.median(shares[1:]):10.2f}{middle * pairs / 3600:34.2f}")


if __name__ == "__main__":
    main()
