"""How the sources did things, and whether we do so too, by the parameters of our experiments.

A design is no claim about an outcome: it is followed or not, whatever the results are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wslib.play import player
from wslib.study.claims.evidence import Evidence
from wslib.study.claims.specs import NO_DATA
from wslib.study.engine.store import thesis_table
from wslib.study.names import board_name, method_name

Answer = tuple[bool | None, str]
TABLE_5_2 = {
    "E": "episodes", "T'": "sampled_plies", "m": "simulations", "c": "c", "u": "threshold", "rs": "retrained",
    "ep": "epochs", "bs": "batch", "lr": "learning_rate", "d": "dropout", "n": "arena_games",
}  # fmt: skip
"""Symbols of Table 5.2 and our names for them."""


@dataclass(frozen=True)
class Design:
    """A sentence about how something was done: whether we did so, and how we did it."""

    id: str
    says: str
    page: str
    ours: Callable[[Evidence], Answer]
    """None where the sentence announces something and claims no outcome."""


def _runs_there(evidence: Evidence, experiment: str) -> str:
    asked = evidence.asked[experiment]
    there = len(evidence.frame(experiment, "run"))
    return f"{there} of {len(asked.run_units())} runs are there"


def tournament(experiment: str, entrants: int) -> Callable[[Evidence], Answer]:
    """A round robin of the final networks: entrants and games a pair, those that are there yet."""

    def ours(evidence: Evidence) -> Answer:
        asked, elos = evidence.asked[experiment], evidence.elos.get(experiment)
        rated = {board: 0 if elos is None else int((elos["board"] == board).sum()) for board in asked.boards}
        there = ", ".join(f"{number} in {board_name(board)}" for board, number in rated.items())
        followed = set(rated.values()) == {entrants} and (asked.games, asked.iterations) == (20, 100)
        return followed, (
            f"of {entrants} entrants so far {there}; {asked.games} games a pair; networks after {asked.iterations} "
            f"iterations, preset {asked.preset}"
        )

    return ours


def warmstart_scale(evidence: Evidence) -> Answer:
    """The runs of chapter 5, and where their settings leave Table 5.2."""
    asked = evidence.asked["warmstart"]
    found = (asked.warm_iterations, asked.iterations, asked.runs)
    run = asked.run(asked.boards[0], asked.methods[-1], 0)
    changed = _unlike_table_5_2(run)
    text = f"I' = {found[0]}, {found[1]} iterations, {found[2]} runs; " + _runs_there(evidence, "warmstart")
    return found == (5, 100, 8) and not changed, f"{text}; preset {asked.preset}: {changed or 'all of Table 5.2'}"


def _unlike_table_5_2(run: Any) -> str:
    """Where a run's settings are not those of Table 5.2."""
    theirs = thesis_table("table_5_2").set_index("symbol")["value"].astype(float)
    values = {symbol: float(getattr(run, name)) for symbol, name in TABLE_5_2.items()}
    return ", ".join(f"{s} = {v:g} instead of {theirs[s]:g}" for s, v in values.items() if v != theirs[s])


def adaptive_values(evidence: Evidence) -> Answer:
    """The values of chapter 6."""
    asked = evidence.asked["adaptive_vs_fixed"]
    until, whole = evidence.asked["adaptive"].asked()[0][0].run, asked.run(asked.boards[0], asked.methods[0], 0)
    texts = [
        f"{which}: {_unlike_table_5_2(run) or 'all of Table 5.2'}"
        for which, run in (("runs up to their switch", until), ("rated runs", whole))
    ]
    followed = not _unlike_table_5_2(until) and not _unlike_table_5_2(whole)
    return followed, f"weights 1/i, each colour in half of the games; {'; '.join(texts)}"


def rhea_design(evidence: Evidence) -> Answer:
    """RHEA's parameters."""
    rhea: Any = player("rhea", rollouts=100)
    individuals = rhea.rollouts // rhea.rollouts_per_individual
    found = (rhea.horizon, rhea.population, rhea.mutation, rhea.rollouts_per_individual, individuals)
    text = "horizon {}, population {}, mutation {}, n = {}, {} individuals".format(*found)
    return found == (10, 10, 0.2, 2, 50), text


def gobang_simulations(evidence: Evidence) -> Answer:
    """Simulations a move in the adaptive runs of Gobang."""
    budgets = evidence.asked["adaptive"].budgets("gobang")
    return 200 in budgets, "Gobang with m = " + " and ".join(map(str, budgets))


def no_gobang(evidence: Evidence) -> Answer:
    """Games with a tournament of adaptive runs."""
    boards = evidence.asked["adaptive_vs_fixed"].boards
    return "gobang" not in boards, "a tournament in " + ", ".join(boards)


def each_other(evidence: Evidence) -> Answer:
    """All six searches against each other, which no table of the sources shows."""
    frame = evidence.frame("untrained", "matrix")
    if frame.empty:
        return None, NO_DATA
    points: dict[str, list[float]] = {}
    for r in frame.itertuples():
        won = (r.wins_first + r.wins_second + (r.draws_first + r.draws_second) / 2) / r.games
        points.setdefault(r.a, []).append(won)
        points.setdefault(r.b, []).append(1 - won)
    means = sorted(((sum(v) / len(v), m) for m, v in points.items()), reverse=True)
    listed = ", ".join(f"{method_name(m)} {100 * v:.0f} %" for v, m in means)
    return None, f"untrained, mean win rates against all others: {listed}"
