"""Claim 2: orderings of Table 6.1, the enhancements against Baseline with networks that have learned nothing.

Frames have a row per match, as in :mod:`.orientation`. With a network per game, the game is the unit.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import scipy

from wslib.study.claims.orientation import around_half
from wslib.study.names import board_name, method_name
from wslib.study.statistics import decide, stats
from wslib.study.statistics.compare import GamesTested
from wslib.study.statistics.pairings import scored

ENHANCEMENTS = ("rollout", "rave", "rora", "wro", "wrora")
STRONGEST = {"connect4": "wrora", "gobang": "rora"}
"""Whom section 6.6.1 calls the strongest; of Othello it names none."""


def against_baseline(matches: pd.DataFrame, thesis: pd.DataFrame) -> pd.DataFrame:
    """Table 6.1's cells: ours by visits, by Q_rave where RAVE acts, with one network for all games; and the printed."""
    frame = scored(matches[matches["b"] == "baseline"])
    parts = {part: group.set_index(["board", "a"]) for part, group in frame.groupby("part")}
    cells = parts["matrix"].reset_index()
    printed = thesis.assign(a=thesis["enhancement"].str.lower()).set_index(["game", "a"])["win_pct"] / 100
    keys = list(zip(cells["board"], cells["a"], strict=True))
    cells["thesis"] = [printed.get(key, np.nan) for key in keys]
    by_q_rave = parts.get("by Q_rave", pd.DataFrame({"score": []}))["score"]
    cells["by_q_rave"] = [by_q_rave.get(key, np.nan) for key in keys]
    one = parts.get("one network")
    cells["one_network"] = [one["score"].get(key, np.nan) if one is not None else np.nan for key in keys]
    cells["one_distinct"] = [one["distinct"].get(key, 0) if one is not None else 0 for key in keys]
    return cells


def orderings(cells: pd.DataFrame) -> pd.DataFrame:
    """Every ordering that a sentence of the sources has; p corrected by Holm for all of them.

    ``about`` says which part of claim 2 it is, nothing where it belongs to another sentence.
    """
    by = {(r.board, r.a): r for r in cells.itertuples()}
    boards = list(dict.fromkeys(cells["board"]))
    rows = [row for board in boards for row in _orderings_of(board, by)]
    for board in (b for b in boards if b != "othello" and "othello" in boards):
        rows += [
            difference(f"{method_name(a)}: Othello > {board_name(board)}", "othello", "highest in Othello",
                        by["othello", a], by[board, a])
            for a in ENHANCEMENTS
        ]  # fmt: skip
    if {"connect4", "gobang"} <= set(boards):
        # Of all five together, as the source says it. They play with the same networks: they count as one match.
        means = [_together([by[board, a] for a in ENHANCEMENTS]) for board in ("connect4", "gobang")]
        rows.append(difference("all five: Connect Four > Gobang", "connect4", "lower in Gobang", *means))
    claim = pd.DataFrame(rows)
    claim["p_holm"] = stats.holm(claim["p"].tolist())
    claim["tests"] = len(claim)
    return claim


def tested(claim: pd.DataFrame) -> list[GamesTested]:
    """Orderings as they are judged, in the frame's order."""
    found = []
    for r in claim.to_dict("records"):
        alone = r["second"] is None
        interval = partial(around_half, r["first"]) if alone else partial(newcombe, r["first"], r["second"])
        found.append(GamesTested(
            f"untrained, {r['name']}", r["ours"] - r["other"], interval, r["p_holm"], r["games"], r["tests"],
            groups=1 if alone else 2,
        ))  # fmt: skip
    return found


def _orderings_of(board: str, by: Mapping[tuple[str, str], Any]) -> list[dict[str, Any]]:
    """The orderings within one game: who beats Baseline, who is weakest and who is strongest."""
    rows = []
    for a in ENHANCEMENTS:
        r = by[board, a]
        about = "beats Baseline" if a != "rave" else "RAVE is above 50 % in Othello" if board == "othello" else ""
        rows.append({
            "board": board, "name": f"{board_name(board)}: {method_name(a)} > Baseline", "about": about,
            "ours": r.score, "other": 0.5, "games": int(r.games), "p": r.p,
            "first": (int(r.wins), int(r.draws), int(r.losses)), "second": None,
        })  # fmt: skip
    best = STRONGEST.get(board)
    pairs = [(a, "rave", "RAVE is the weakest") for a in ENHANCEMENTS if a != "rave"]
    pairs += [(best, a, "the strongest") for a in ENHANCEMENTS if best and a not in (best, "rave")]
    for a, b, about in pairs:
        name = f"{board_name(board)}: {method_name(a)} > {method_name(b)}"
        rows.append(difference(name, board, about, by[board, a], by[board, b]))
    return rows


def claim_2(cells: pd.DataFrame) -> pd.DataFrame:
    """Claim 2 as orderings, each with its verdict."""
    found = orderings(cells)
    claim = found[found["about"] != ""].reset_index(drop=True)
    claim["verdict"] = [ordering.verdict(len(claim)).word for ordering in tested(claim)]
    return claim


def _together(cells: Sequence[Any]) -> Any:
    """Several cells as one of their mean counts: as if the games with one network were a single one."""
    counts = [float(np.mean([getattr(cell, name) for cell in cells])) for name in ("wins", "draws", "losses")]
    return SimpleNamespace(
        **dict(zip(("wins", "draws", "losses"), counts, strict=True)), score=stats.score(*counts), games=sum(counts)
    )


def difference(name: str, board: str, about: str, first: Any, second: Any) -> dict[str, Any]:
    """Two win rates against Baseline, from different games: Newcombe's interval and Fisher's exact p."""
    counts = [(r.wins, r.draws, r.losses) for r in (first, second)]
    wins = [round(r.score * r.games) for r in (first, second)]
    table = [[w, round(r.games) - w] for w, r in zip(wins, (first, second), strict=True)]
    return {
        "board": board, "name": name, "about": about, "ours": first.score, "other": second.score,
        "games": round(min(first.games, second.games)), "p": float(scipy.stats.fisher_exact(table).pvalue),
        "first": counts[0], "second": counts[1],
    }  # fmt: skip


def newcombe(
    first: tuple[float, float, float], second: tuple[float, float, float], confidence: float
) -> stats.Interval:
    """Newcombe's interval of a difference of two scores, made of two of Wilson's: honest where all games were won."""
    a, b = (stats.wilson(*counts, confidence=confidence) for counts in (first, second))
    scores = [stats.score(*counts) for counts in (first, second)]
    difference = scores[0] - scores[1]
    below = float(np.hypot(scores[0] - a.low, b.high - scores[1]))
    above = float(np.hypot(a.high - scores[0], scores[1] - b.low))
    return stats.Interval(difference - below, difference + above)


def claim_2_verdict(claim: pd.DataFrame) -> str:
    """The verdict on the whole claim."""
    return decide.whole(claim["verdict"].tolist())
