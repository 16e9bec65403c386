"""Our side of the benchmark: players against themselves, playouts, perft, and whole tables by one and two workers."""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from timing import repeat

from wslib._compiled import kernel, stream
from wslib.games import game
from wslib.games.rules import playout
from wslib.play import PlayerSettings, match, player
from wslib.workers import in_processes

sys.path.append(str(Path(__file__).resolve().parent.parent))
from drivers import lines_of_play

SIMULATIONS = 100
GAMES_PER_MATCH = 100
PLAYOUTS = 10_000
PERFT_DEPTH = {"connect4-6x6": 8, "gobang-6x6": 4, "othello-6x6": 8, "connect4-6x7": 7, "othello-8x8": 7}

TABLE_GAMES = ("gobang-6x6", "connect4-6x6", "othello-6x6")
TABLE_PLAYERS = ("random", "mcts", "rave", "rhea")


BUDGET: dict[str, dict[str, int]] = {
    "random": {},
    "mcts": {"simulations": SIMULATIONS},
    "rave": {"simulations": SIMULATIONS},
    "rhea": {"rollouts": SIMULATIONS},
}


def _player(method: str) -> PlayerSettings:
    return player(method, **BUDGET[method])


def games(name: str, method: str, seconds: float, seed: int) -> dict[str, float]:
    """Whole games of a player against itself; the work is simulations, or rollouts for RHEA."""
    of, who = game(name), _player(method)
    played, time = repeat(lambda turn: match(of, who, who, games=GAMES_PER_MATCH, seed=seed + turn), seconds)
    plies = sum(int(m.frame()["plies"].sum()) for m in played)
    return {"work": SIMULATIONS * plies, "games": GAMES_PER_MATCH * len(played), "plies": plies, **time}


@kernel
def _playouts(rules, own, opp, count, streams, cells):
    plies = 0
    for _ in range(count):
        plies += playout(rules, own, opp, streams, 0, cells)[1]
    return plies


def playouts(name: str, seconds: float, seed: int) -> dict[str, float]:
    """Random games from the start; the work is whole games."""
    start, streams, cells = game(name).start(), np.array([stream(seed, "bench")]), np.empty(64, np.uint64)
    plies, time = repeat(lambda _: _playouts(start.game.rules, *start.words, PLAYOUTS, streams, cells), seconds)
    return {"work": PLAYOUTS * len(plies), "games": PLAYOUTS * len(plies), "plies": sum(plies), **time}


def lines(name: str, seconds: float, seed: int) -> dict[str, float]:
    """Perft from the start; the work is lines of play."""
    start = game(name).start()
    counts, time = repeat(lambda _: lines_of_play(start.game.rules, *start.words, PERFT_DEPTH[name]), seconds)
    return {"work": sum(counts), **time}


def _pair(name: str, a: str, b: str, count: int, workers: int = 1) -> float:
    return match(game(name), _player(a), _player(b), games=count, workers=workers).win_rate


def whole_tables(count: int, tell: Callable[[str], object]) -> Iterator[dict[str, float | str]]:
    """Wall time by one worker and by two, a row each.

    Of Table 5.1, whose matches are shared out as the study does it, and of a match ten times as long, whose games are.
    """
    tasks = [(name, a, b, count) for name in TABLE_GAMES for a, b in combinations(TABLE_PLAYERS, 2)]
    list(in_processes(_pair, [(*task[:3], 2) for task in tasks], 2))  # so that what they need has been compiled

    def table(workers: int) -> int:
        return len(list(in_processes(_pair, tasks, workers)))

    def long_match(workers: int) -> float:
        return _pair("othello-6x6", "mcts", "rave", 10 * count, workers)

    for what, played, total in (("Table 5.1", table, count * len(tasks)), ("one long match", long_match, 10 * count)):
        for workers in (1, 2):
            tell(f"{what}, {total} games, workers = {workers}")
            began = time.perf_counter()
            played(workers)
            yield {"what": what, "workers": workers, "games": total, "wall_s": time.perf_counter() - began}
