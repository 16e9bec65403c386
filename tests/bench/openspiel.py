"""OpenSpiel's side of the benchmark: its C++ MCTS bot plays whole games against itself.

Runs in the environment `.venv-bench` and answers requests, a line of JSON each: `{"game", "simulations", "seconds",
"seed"}` in, `{"work", "games", "plies", "cpu", "wall"}` out. Between requests it sleeps.
"""

import json
import sys

import pyspiel
from timing import repeat

UCT_C = 2.0  # as in OpenSpiel's own examples; hardly matters for the speed
MEMORY_MB = 1000  # far more than a tree of some hundred simulations takes


def play_game(game: pyspiel.Game, bot: pyspiel.MCTSBot) -> tuple[int, int]:
    """One game of the bot against itself, a new tree for every move: (simulations, plies).

    Simulations are counted, because the bot does not search where there is only one move.
    """
    state, simulations, plies = game.new_initial_state(), 0, 0
    while not state.is_terminal():
        root = bot.mcts_search(state)
        simulations += root.explore_count
        state.apply_action(root.best_child().action)
        plies += 1
    return simulations, plies


def measure(game: str, simulations: int, seconds: float, seed: int) -> dict[str, float]:
    of = pyspiel.load_game(game)
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)  # one rollout per leaf
    bot = pyspiel.MCTSBot(of, evaluator, UCT_C, simulations, MEMORY_MB, False, seed, False)  # unsolved, silent
    games, time = repeat(lambda _: play_game(of, bot), seconds)
    return {"work": sum(s for s, _ in games), "games": len(games), "plies": sum(p for _, p in games), **time}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(measure(**json.loads(line))), flush=True)
