"""Claim 6 in parts: when adaptive warm starts end.

``switches`` have a row per run: ``board``, ``kind``, ``method``, ``simulations``, ``scale`` (the preset), ``seed``, and
``switch_iteration``, which is missing where a run never switched.
"""

from typing import Any

import numpy as np
import pandas as pd
import scipy

from wslib.study.claims.specs import NO_DATA
from wslib.study.names import board_name, p_value
from wslib.study.statistics import decide, stats

PARTS = 6
"""Parts of claim 6: Connect Four, Othello, Gobang with either number of simulations, and that games and runs differ."""
GROUPS = (("gobang", 100), ("gobang", 200), ("connect4", 100), ("othello", 100))
"""Games and simulations a move that the claim is about."""
MISSING = {"found": NO_DATA, "verdict": decide.UNDECIDED}
EARLY = 10
"""Iterations out of a hundred that we call early."""
PRINTED_SIMULATIONS = {"gobang": 200}
"""Table 6.2's Gobang column was made with 200 simulations a move; the others with 100."""


def printed(board: str) -> int:
    """Simulations a move of the game's column in Table 6.2."""
    return PRINTED_SIMULATIONS.get(board, 100)


def claimed(switches: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The runs that claim 6 is about: of one preset, other readings aside."""
    return switches[(switches["scale"] == scale) & (switches["kind"] == switches["method"])]


def claim_6(switches: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Claim 6 in parts that runs can answer, those without runs included; empty while no run is there.

    How it is cut, and what is called early, is our choice.
    """
    here = claimed(switches, scale)
    if here.empty:
        return pd.DataFrame(columns=["claim", "found", "verdict", "runs"])
    at = here.assign(at=here["switch_iteration"].fillna(np.inf))
    there = zip(here["board"], here["simulations"], strict=True)
    rows = [_early(board, m, at) for board, m in dict.fromkeys([*there, *GROUPS])]
    games = [g["at"].to_numpy() for (b, m), g in at.groupby(["board", "simulations"], sort=False) if m == printed(b)]
    row = {"claim": "games switch at different iterations", **MISSING, "runs": sum(map(len, games))}
    row |= {"found": "too few runs to test"} if games else {}
    if len(games) > 1 and min(map(len, games)) >= decide.FEWEST_RUNS:
        p = float(scipy.stats.kruskal(*games).pvalue)
        word = decide.REPLICATED if p < stats.ALPHA else decide.UNDECIDED
        row |= {"found": f"Kruskal-Wallis p {p_value(p)}", "verdict": word}
    rows.append(row)
    kinds = [g["at"] for (b, m, _), g in at.groupby(["board", "simulations", "kind"]) if m == printed(b)]
    enough = [kind for kind in kinds if len(kind) >= decide.FEWEST_RUNS]
    differ = sum(kind.nunique() > 1 for kind in enough)
    word = decide.UNDECIDED if not enough else decide.REPLICATED if differ else decide.OPPOSITE
    row = {"claim": "runs of one kind switch at different iterations", "found": f"in {differ} of {len(enough)} kinds"}
    rows.append({**row, "verdict": word, "runs": sum(map(len, enough))})
    return pd.DataFrame(rows)


def _early(board: str, m: int, at: pd.DataFrame) -> dict[str, Any]:
    """Most runs of a game (in Gobang at m = 100: every run) switch early: by the interval of their share."""
    limit, text = EARLY, f"runs switch within {EARLY} iterations"
    if board == "gobang":
        limit = 1 if m == 100 else 2
        text = "every run switches in the first iteration" if limit == 1 else "runs switch in the first two iterations"
    group = at[(at["board"] == board) & (at["simulations"] == m)]
    row = {"claim": f"{board_name(board)}, m = {m}: {text}", **MISSING, "runs": len(group)}
    if group.empty:
        return row
    hits, runs = int((group["at"] <= limit).sum()), len(group)
    low, high = (decide.bound_text(100 * bound, [50]) for bound in stats.wilson(hits, 0, runs - hits))
    row["found"] = f"{hits} of {runs} runs (95 % interval {low} to {high} %)"
    if not (np.isinf(group["at"]) & (group["iterations"] < limit)).any():  # none was given up too early to say
        row["verdict"] = decide.every(hits, runs) if limit == 1 else decide.most(hits, runs, PARTS)
    return row


def whole_claim(claim: pd.DataFrame, complete: bool = True) -> str:
    """Replicated when every part is; it is not ``complete`` where a game or an enhancement was left out."""
    return decide.whole([*claim["verdict"], *([] if complete else [decide.UNDECIDED])])
