"""Results that must not move unnoticed: small search trees to read, and digests of searches and evolutions.

`python tests/golden.py` writes them anew. It refuses where results have moved under the same RESULTS_VERSION.
Counts, moves and random streams only, and no logarithms: these are the same on every machine.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from drivers import Fast, evolve

from wslib import rhea
from wslib._compiled import stream
from wslib.games import game
from wslib.parameters import RESULTS_VERSION
from wslib.search import SearchSettings

FOLDER = Path(__file__).parent / "golden"
RESULTS = FOLDER / "results.json"
GAMES = ("othello", "connect4", "gobang")
SEARCHES = {
    "mcts": SearchSettings(),
    "mcts q": SearchSettings(policy="q", c=0.5),
    "rave": SearchSettings(method="rave"),
    "rave path both action": SearchSettings(method="rave", amaf="path", amaf_players="both", beta="action"),
    "rave both q_rave": SearchSettings(method="rave", amaf_players="both", policy="q_rave", equivalence=30),
    "rave first ties first": SearchSettings(method="rave", amaf_players="first", ties="first", equivalence=1000),
}
EVOLUTIONS = {
    "rhea repair": rhea.RheaSettings(),
    "rhea random": rhea.RheaSettings(illegal="random"),
}
MOVED = (
    "The results have moved ({names}), but RESULTS_VERSION is still {version}. If that is not intended, it is a bug. "
    "If it is: raise RESULTS_VERSION in wslib/parameters.py, say so in CHANGELOG.md (results change: yes), and run "
    "`python tests/golden.py`."
)
RAISED = (
    "tests/golden/results.json is of results version {old}, the code of version {version}: "
    "run `python tests/golden.py`."
)


def tree_text(name: str, method: str) -> str:
    """A small search tree: each action taken with N and Q, in RAVE also N_rave and Q_rave."""
    root, settings = game(name).start(), SearchSettings(method=method, c=0.3)
    fast, simulations = Fast(root, settings, seed=1), 20
    fast.search(root, simulations)
    lines = [f"{root.game.title}: {method.upper()} after {simulations} simulations, c = {settings.c}", str(root), ""]
    lines.append(f"{'':16}   N       Q" + ("  N_rave  Q_rave" if settings.rave else ""))

    def grow(position, depth: int) -> None:
        for action, (_, n, q, n_rave, q_rave) in fast.edges(fast.node(position)).items():
            if n or (n_rave and depth == 0):
                move = "  " * depth + root.game.action_name(action)
                lines.append(
                    f"{move:16}{n:4.0f}  {q:+.3f}" + (f"  {n_rave:6.0f}  {q_rave:+.3f}" if settings.rave else "")
                )
            if n:
                grow(position.act(action), depth + 1)

    grow(root, 0)
    return "\n".join(lines) + "\n"


def searched_game(name: str, settings: SearchSettings) -> dict[str, str]:
    """The first moves of a game in which one tree is kept, and a digest of all that its searches counted."""
    position, seen = game(name).start(), []
    fast = Fast(position, settings, seed=2)
    while len(seen) < 8 and not position.is_over:
        move = fast.search(position, 60)
        counts = [(a, int(n), int(n_rave)) for a, (_, n, _, n_rave, _) in fast.edges(fast.node(position)).items()]
        seen.append((move, counts, int(fast.streams[0])))
        position = position.act(move)
    return {"moves": position.move_list, "digest": _digest(seen)}


def evolved_game(name: str, settings: rhea.RheaSettings) -> dict[str, str]:
    """The same for RHEA, with its survivors."""
    position, seen = game(name).start(), []
    streams = np.array([stream(2, "test")])
    while len(seen) < 8 and not position.is_over:
        move, population = evolve(position, settings, streams)
        seen.append((move, population.genes.tolist(), int(streams[0])))
        position = position.act(move)
    return {"moves": position.move_list, "digest": _digest(seen)}


def _digest(seen: object) -> str:
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:16]


def results() -> dict[str, dict[str, str]]:
    """All that has a digest."""
    found = {}
    for name in GAMES:
        found |= {f"{name} {label}": searched_game(name, settings) for label, settings in SEARCHES.items()}
        found |= {f"{name} {label}": evolved_game(name, settings) for label, settings in EVOLUTIONS.items()}
    return found


def complaint(known: dict, fresh: dict[str, dict[str, str]], version: int) -> str | None:
    """What is wrong with the stored results, seen from the fresh ones; None if nothing is."""
    names = [name for name in known["results"] if known["results"][name] != fresh.get(name)]
    if known["results_version"] != version:
        return RAISED.format(old=known["results_version"], version=version)
    if names:
        return MOVED.format(names=", ".join(names), version=version)
    if fresh.keys() != known["results"].keys():
        return "New results are not in tests/golden/results.json yet: run `python tests/golden.py`."
    return None


def trees() -> dict[Path, str]:
    """The small trees, by file."""
    return {
        FOLDER / f"search-{name}-{method}.txt": tree_text(name, method) for name in GAMES for method in ("mcts", "rave")
    }


def write_results(path: Path, fresh: dict) -> None:
    """Write results to a file, unless those that are in it have moved without a new version."""
    if path.exists():
        problem = complaint(json.loads(path.read_text()), fresh, RESULTS_VERSION)
        if problem and problem.startswith("The results have moved"):
            sys.exit(problem)
    path.write_text(json.dumps({"results_version": RESULTS_VERSION, "results": fresh}, indent=1) + "\n")
    print(f"written: {len(fresh)} results in {path}")


def write() -> None:
    """Write all files."""
    write_results(RESULTS, results())
    for path, text in trees().items():
        path.write_text(text)


if __name__ == "__main__":
    write()
