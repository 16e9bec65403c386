"""Claim 6 in parts: when adaptive warm starts end.

``switches`` have a row per run: ``board``, ``kind``, ``method``, ``simulations``, ``scale`` (the preset), ``seed``, and
``switch_iteration``, which is missing where a run never switched.
"""

from typing import Any

import numpy as np
import pandas as pd
import scipy

from wslib.study.names import board_name, p_value
from wslib.study.statistics import decide, stats

PARTS = 6
"""Parts of claim 6: Connect Four, Othello, Gobang with either number of simulations, and that games and runs differ."""
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
    """Claim 6 in parts that runs can answer; how it is cut, and what is called early, is our choice."""
    here = claimed(switches, scale)
    if here.empty:
        return pd.DataFrame(columns=["claim", "found", "verdict", "runs"])
    at = here.assign(at=here["switch_iteration"].fillna(np.inf))
    rows = []
    for board, m in dict.fromkeys(zip(here["board"], here["simulations"], strict=True)):
        group = at[(at["board"] == board) & (at["simulations"] == m)]
        runs = group["at"]
        name = f"{board_name(board)}, m = {m}"
        if board == "gobang":
            limit = 1 if m == 100 else 2
            text = (
                "every run switches in the first iteration" if limit == 1 else "runs switch in the first two iterations"
            )
        else:
            limit, text = EARLY, f"runs switch within {EARLY} iterations"
        row = _share(f"{name}: {text}", int((runs <= limit).sum()), len(runs), everyone=limit == 1)
        if (np.isinf(runs) & (group["iterations"] < limit)).any():  # given up too early to say
            row["verdict"] = decide.UNDECIDED
        rows.append(row)
    others = [g["at"].to_numpy() for (b, m), g in at.groupby(["board", "simulations"], sort=False) if m == printed(b)]
    if len(others) > 1 and min(map(len, others)) >= decide.FEWEST_RUNS:
        p = float(scipy.stats.kruskal(*others).pvalue)
        word = decide.REPLICATED if p < stats.ALPHA else decide.UNDECIDED
        found = {"found": f"Kruskal-Wallis p {p_value(p)}", "verdict": word, "runs": sum(map(len, others))}
        rows.append({"claim": "games switch at different iterations", **found})
    kinds = [g["at"] for (b, m, _), g in at.groupby(["board", "simulations", "kind"]) if m == printed(b)]
    enough = [kind for kind in kinds if len(kind) >= decide.FEWEST_RUNS]
    differ = sum(kind.nunique() > 1 for kind in enough)
    word = decide.UNDECIDED if not enough else decide.REPLICATED if differ else decide.OPPOSITE
    found = {"found": f"in {differ} of {len(enough)} kinds", "verdict": word, "runs": sum(map(len, enough))}
    if kinds:
        rows.append({"claim": "runs of one kind switch at different iterations", **found})
    return pd.DataFrame(rows)


def _share(claim: str, hits: int, runs: int, everyone: bool) -> dict[str, Any]:
    """Most runs (or every run) do something: by the interval of their share."""
    low, high = stats.wilson(hits, 0, runs - hits)
    word = decide.every(hits, runs) if everyone else decide.most(hits, runs, PARTS)
    between = f"{100 * low:.0f} to {100 * high:.0f} %"
    return {"claim": claim, "found": f"{hits} of {runs} runs (95 % interval {between})", "verdict": word, "runs": runs}


def whole_claim(claim: pd.DataFrame, complete: bool = True) -> str:
    """Replicated when every part is and none is missing.

    It is not ``complete`` where a game or an enhancement was left out.
    """
    missing = 0 if complete and len(claim) == PARTS else max(PARTS - len(claim), 1)
    return decide.whole([*claim["verdict"], *[decide.UNDECIDED] * missing])
