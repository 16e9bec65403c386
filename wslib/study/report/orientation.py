"""Table 5.1: ours beside the thesis', claim 1 with its verdict, RHEA's parameters, and the readings of the formulas.

All functions take tidy frames: a row per match with its labels (``board``, ``a``, ``b``) and the counts of player A
(``wins_first`` ... ``losses_second``).
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy

from wslib.study.claims.orientation import HALF
from wslib.study.names import board_name, method_name, p_value, percent
from wslib.study.report.charts import finding, in_percent, matrix, show_panels
from wslib.study.report.look import Html, between, table
from wslib.study.statistics import decide, stats
from wslib.study.statistics.pairings import scored

THESIS_GAMES = 500
"""Repetitions that the caption of Table 5.1 names."""
RHEA_GAMES = 100
"""Repetitions that its cells with RHEA, all of them whole percentages, point to."""

MATCH = {
    "game": ("board", board_name),
    "match": lambda row: f"{method_name(row.a)} – {method_name(row.b)}",
}
"""The first columns of a table of matches."""


def beside_thesis(matches: pd.DataFrame, thesis: pd.DataFrame) -> pd.DataFrame:
    """Our matches with the printed win rate, the difference, and whether it is more than chance."""
    frame = scored(matches)
    printed = thesis.set_index(["game", "column_player", "row_player"])["column_win_pct_vs_row"] / 100
    keys = list(zip(frame["board"], frame["a"], frame["b"], strict=True))
    frame["thesis"] = [printed.get(key, np.nan) for key in keys]
    frame["thesis_back"] = [printed.get((board, b, a), np.nan) for board, a, b in keys]
    frame["difference"] = frame["score"] - frame["thesis"]
    frame["thesis_games"] = [RHEA_GAMES if "rhea" in (a, b) else THESIS_GAMES for _, a, b in keys]
    frame["p_same"] = [_p_same(r.thesis, r.thesis_games, r.score, r.games) for r in frame.itertuples()]
    frame["differs"] = frame["p_same"] < stats.ALPHA
    return frame


def _p_same(thesis: float, their_games: int, ours: float, games: int) -> float:
    """Fisher's exact test that both win rates are one, with draws as half wins and whole counts."""
    if np.isnan(thesis):
        return np.nan
    theirs, wins = round(thesis * their_games), round(ours * games)
    return float(scipy.stats.fisher_exact([[theirs, their_games - theirs], [wins, games - wins]]).pvalue)


def comparison_table(compared: pd.DataFrame) -> Html:
    """Every pair: the thesis' win rate, ours with its interval, and the difference."""
    return table(
        compared,
        "The thesis' win rates beside ours, of the first-named player: (wins + draws/2) / games. ≠ marks a difference "
        "that is more than chance (Fisher's exact test at 5 %, not corrected for the number of pairs). The thesis' "
        f"rates count as {THESIS_GAMES} games, with RHEA as the {RHEA_GAMES} that its whole percentages point to.",
        MATCH
        | {
            "thesis %": ("thesis", percent),
            "ours %": ("score", percent),
            "95 % interval": between,
            "ours − thesis %": ("difference", lambda share: f"{100 * share:+.1f}"),
            "differs": ("differs", lambda differs: "≠" if differs else ""),
        },
    )


def diversity_table(compared: pd.DataFrame) -> Html:
    """What the games were like: draws, wins of the first mover, lengths, and how many games differ from all others."""
    return table(
        compared,
        "What the games of each pair were like: draws, wins of whoever moved first, mean length, and distinct games.",
        MATCH
        | {
            "draws %": ("drawn", percent),
            "first mover wins %": ("first_mover", percent),
            "plies": ("plies_mean", "{:.1f}"),
            "games": "games",
            "distinct": "distinct",
        },
    )


def shares(rows: pd.DataFrame, players: Sequence[str], forth: str = "score", back: str | None = None) -> pd.DataFrame:
    """Win rates in percent of one game, the row's player against the column's; none against oneself.

    Column ``forth`` has A's against B, ``back`` B's against A, which without it is the rest.
    """
    values = pd.DataFrame(np.nan, list(players), list(players))
    for row in rows.to_dict("records"):
        values.loc[row["a"], row["b"]] = 100 * row[forth]
        values.loc[row["b"], row["a"]] = 100 * (row[back] if back else 1 - row[forth])
    return values.rename(index=method_name, columns=method_name)


def against_others(rows: pd.DataFrame) -> str:
    """Who has the highest mean win rate against the others, and who the lowest, game by game."""
    turned = rows.assign(a=rows["b"], score=1 - rows["score"])
    return finding(in_percent(pd.concat([rows, turned])), "score", "{:.0f}", name="a")


def heat_maps(compared: pd.DataFrame, players: Sequence[str]) -> Html:
    """The matrices of Table 5.1, ours above the thesis'; a column's player against a row's."""
    panels = {}
    for title, forth, back in (("ours", "score", None), ("thesis", "thesis", "thesis_back")):
        for board, rows in compared.groupby("board", sort=False):
            values = shares(rows, players, forth, back).T
            panels[f"{board_name(str(board))}, {title}"] = partial(matrix, values=values, decimals=1)
    return show_panels(
        panels,
        f"Mean win rates against the others, ours, in %. {against_others(compared)}",
        "How our players compare with the thesis': win rates in percent of the column's player against the row's, ours "
        "above and those of Table 5.1 below.",
        compared,
        height=2.3,
    )


def claim_1_table(claim: pd.DataFrame) -> Html:
    """The orderings with their verdicts."""
    columns: dict[str, Any] = {
        "game": ("board", board_name),
        "claimed": lambda r: f"{method_name(r.strong)} {'not above' if r.exception else '>'} {method_name(r.weak)}",
        "ours %": ("score", percent),
        "95 % interval": lambda row: between(row.interval),
        "p (Holm)": ("p_holm", p_value),
        "games": "games",
        "verdict": "verdict",
    }
    caption = "Claim 1, one ordering a row. p is of a sign test on the decided games, corrected by Holm over all rows."
    if (claim["verdict"] == decide.UNDECIDED).any():
        columns["would decide"] = lambda row: _would_decide(row, len(claim))
        caption += " Would decide: games after which a difference of the observed size shows with 80 % power."
    return table(claim, caption, columns)


def _would_decide(row, tests: int) -> str:
    if row.verdict != decide.UNDECIDED:
        return ""
    wins, draws, losses = row.counts
    games = stats.games_to_decide(wins, draws, losses, tests=tests)
    return "no number can be named" if games is None else f"{games:,} games"


def rhea_table(changed: pd.DataFrame) -> Html:
    """The changes of RHEA's parameters."""
    return table(
        changed,
        "What each parameter of RHEA changes: win rates against RHEA with the thesis' parameters and against MCTS, and "
        "what the unchanged RHEA scores against MCTS. p is from a sign test, with Holm's correction over all rows.",
        {
            "changed": "changed",
            "game": ("board", board_name),
            "against RHEA %": ("score", percent),
            "95 % interval": between,
            "p (Holm)": ("p_holm", p_value),
            "against MCTS %": ("against_mcts", percent),
            "unchanged %": ("unchanged", percent),
        },
    )


def rhea_prose(changed: pd.DataFrame) -> str:
    """What section 5.4 says of RHEA's parameters, and what these matches say."""
    weaker = changed[(changed["p_holm"] < stats.ALPHA) & (changed["score"] < 0.5)]
    stronger = changed[(changed["p_holm"] < stats.ALPHA) & (changed["score"] > 0.5)]

    def listed(rows: pd.DataFrame) -> str:
        return ", ".join(f"{r.changed} in {board_name(r.board)}" for r in rows.itertuples())

    half = changed[changed["changed"] == HALF]
    lost = half["changed"].index.isin(weaker.index).sum()
    other = len(weaker) + len(stronger) - lost
    return (
        f"With half the rollouts RHEA is weaker in {lost} of {len(half)} games. Of the {len(changed) - len(half)} "
        f"other changes {other} make a difference by the same test. "
        f"Changes that make it weaker: {listed(weaker) or 'none'}; that make it stronger: {listed(stronger) or 'none'}."
    )


def printed_prose(checks: pd.DataFrame) -> str:
    """Cells of the printed table that do not differ from one half after Holm's correction."""
    same = [
        f"{method_name(r.column_player)} against {method_name(r.row_player)} in {board_name(r.game)} ({r.win_pct:g} %)"
        for r in checks.itertuples()
        if r.holm_p >= stats.ALPHA
    ]
    return (
        f"By the binomial test with Holm's correction, and with the caption's number of games, {len(same)} of the "
        f"{len(checks)} printed win rates do not differ from one half: {'; '.join(same)}."
    )
