"""Table 5.1: ours beside the thesis', claim 1 with its verdict, RHEA's parameters, and the readings of the formulas.

All functions take tidy frames: a row per match with its labels (``board``, ``a``, ``b``) and the counts of player A
(``wins_first`` ... ``losses_second``).
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy
from matplotlib.figure import Figure

from wslib.study.claims.orientation import HALF
from wslib.study.report.look import (
    Html,
    board_name,
    method_name,
    p_value,
    percent,
    percent_map,
    show_figure,
    show_table,
)
from wslib.study.statistics import decide, stats
from wslib.study.statistics.pairings import scored

THESIS_GAMES = 500
"""Repetitions that the caption of Table 5.1 names."""
RHEA_GAMES = 100
"""Repetitions that its cells with RHEA, all of them whole percentages, point to."""


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
    shown = pd.DataFrame(
        {
            "game": compared["board"].map(board_name),
            "match": [
                f"{method_name(a)} – {method_name(b)}" for a, b in zip(compared["a"], compared["b"], strict=True)
            ],
            "thesis %": ["–" if np.isnan(t) else percent(t) for t in compared["thesis"]],
            "ours %": compared["score"],
            "95 % interval": [
                f"{percent(lo)} to {percent(hi)}" for lo, hi in zip(compared["low"], compared["high"], strict=True)
            ],
            "ours − thesis %": [_points(d) for d in compared["difference"]],
            "chance?": ["≠" if d else "" for d in compared["differs"]],
        }
    )
    return show_table(
        shown,
        "Win rate of the first-named player, (wins + draws/2) / games. ≠: the two win rates differ by more than chance "
        "(Fisher's exact test at 5 %, not corrected for the number of pairs; of the thesis "
        f"{THESIS_GAMES} games, with RHEA the {RHEA_GAMES} that its whole percentages point to).",
        {"ours %": percent},
        compared,
    )


def diversity_table(compared: pd.DataFrame) -> Html:
    """What the games were like: draws, wins of the first mover, lengths, and how many games differ from all others."""
    shown = pd.DataFrame(
        {
            "game": compared["board"].map(board_name),
            "match": [f"{method_name(r.a)} – {method_name(r.b)}" for r in compared.itertuples()],
            "draws %": compared["drawn"],
            "first mover wins %": compared["first_mover"],
            "plies": compared["plies_mean"],
            "games": compared["games"],
            "distinct": compared["distinct"],
        }
    )
    formats = {"draws %": percent, "first mover wins %": percent, "plies": "{:.1f}"}
    return show_table(shown, "Draws, wins of whoever moved first, mean length, and distinct games.", formats, compared)


def _points(difference: float) -> str:
    return "–" if np.isnan(difference) else f"{100 * difference:+.1f}"


def heat_maps(compared: pd.DataFrame, players: Sequence[str]) -> Html:
    """The matrices of Table 5.1, ours above the thesis'; a column's player against a row's."""
    boards = list(dict.fromkeys(compared["board"]))
    names = [method_name(p) for p in players]

    def draw() -> Figure:
        figure, axes = plt.subplots(2, len(boards), figsize=(2.5 * len(boards) + 0.4, 5), squeeze=False)
        for column, board in enumerate(boards):
            for row, (source, title) in enumerate((("score", "ours"), ("thesis", "thesis"))):
                back = {"score": lambda m: 1 - m.score, "thesis": lambda m: m.thesis_back}[source]
                matrix = pd.DataFrame(np.nan, index=players, columns=players)
                for match in compared[compared["board"] == board].itertuples():
                    matrix.loc[match.b, match.a] = 100 * getattr(match, source)
                    matrix.loc[match.a, match.b] = 100 * back(match)
                axis = axes[row][column]
                matrix.index, matrix.columns = names, names
                percent_map(axis, matrix, decimals=1, size=8)
                axis.set_title(f"{board_name(board)}, {title}")
                axis.tick_params(rotation=0)
        figure.tight_layout()
        return figure

    described = "; ".join(
        f"{board_name(m.board)} {method_name(m.a)} against {method_name(m.b)} {percent(m.score)} %"
        for m in compared.itertuples()
    )
    return show_figure(
        draw,
        f"Heat maps of win rates in percent, ours above and the thesis' below. Ours: {described}.",
        "Win rates in percent of the column's player against the row's: ours (above) and Table 5.1 (below).",
        compared,
    )


def claim_1_table(claim: pd.DataFrame) -> Html:
    """The orderings with their verdicts."""
    shown = pd.DataFrame(
        {
            "game": claim["board"].map(board_name),
            "claimed": [
                f"{method_name(r.strong)} {'not above' if r.exception else '>'} {method_name(r.weak)}"
                for r in claim.itertuples()
            ],
            "ours %": claim["score"],
            "95 % interval": [f"{percent(i.low)} to {percent(i.high)}" for i in claim["interval"]],
            "p (Holm)": claim["p_holm"],
            "games": claim["games"],
            "verdict": claim["verdict"],
        }
    )
    caption = "Claim 1, one ordering a row. p: sign test on the decided games, corrected by Holm for all rows."
    if (claim["verdict"] == decide.UNDECIDED).any():
        shown["would decide"] = [_would_decide(r, len(claim)) for r in claim.itertuples()]
        caption += " Would decide: games after which a difference of the observed size shows with 80 % power."
    return show_table(
        shown,
        caption,
        {"ours %": percent, "p (Holm)": p_value},
        claim,
    )


def _would_decide(row, tests: int) -> str:
    if row.verdict != decide.UNDECIDED:
        return ""
    wins, draws, losses = row.counts
    games = stats.games_to_decide(wins, draws, losses, tests=tests)
    return "no number can be named" if games is None else f"{games:,} games"


def rhea_table(changed: pd.DataFrame) -> Html:
    """The changes of RHEA's parameters."""
    shown = pd.DataFrame(
        {
            "changed": changed["changed"],
            "game": changed["board"].map(board_name),
            "against RHEA %": changed["score"],
            "95 % interval": [f"{percent(r.low)} to {percent(r.high)}" for r in changed.itertuples()],
            "p (Holm)": changed["p_holm"],
            "against MCTS %": changed["against_mcts"],
            "unchanged %": changed["unchanged"],
        }
    )
    return show_table(
        shown,
        "RHEA with one parameter changed at a time: win rates against RHEA with the thesis' parameters (p: sign test, "
        "corrected by Holm for all rows) and against MCTS, and what the unchanged RHEA scores there.",
        {
            "against RHEA %": percent,
            "against MCTS %": percent,
            "unchanged %": lambda v: "–" if np.isnan(v) else percent(v),
            "p (Holm)": p_value,
        },
        changed,
    )


def rhea_prose(changed: pd.DataFrame) -> str:
    """What section 5.4 says of RHEA's parameters, and what these matches say."""
    weaker = changed[(changed["p_holm"] < stats.ALPHA) & (changed["score"] < 0.5)]
    stronger = changed[(changed["p_holm"] < stats.ALPHA) & (changed["score"] > 0.5)]

    def listed(rows: pd.DataFrame) -> str:
        return "; ".join(f"{r.changed} in {board_name(r.board)} ({percent(r.score)} %)" for r in rows.itertuples())

    half = changed[changed["changed"] == HALF]
    lost = half["changed"].index.isin(weaker.index).sum()
    other = len(weaker) + len(stronger) - lost
    return (
        f"Half the rollouts are weaker in {lost} of {len(half)} games. Of the {len(changed) - len(half)} other changes "
        f"{other} make a difference by the same test. Weaker: {listed(weaker) or 'none'}. "
        f"Stronger: {listed(stronger) or 'none'}."
    )


def printed_prose(checks: pd.DataFrame) -> str:
    """Cells of the printed table that do not differ from one half after Holm's correction."""
    same = [
        f"{method_name(r.column_player)} against {method_name(r.row_player)} in {board_name(r.game)} "
        f"({r.win_pct:g} %, p {p_value(r.binom_p_two_sided)} before the correction)"
        for r in checks.itertuples()
        if r.holm_p >= stats.ALPHA
    ]
    return (
        f"Of its {len(checks)} printed win rates {len(same)} do not differ from one half by the binomial test with "
        f"Holm's correction, taking the caption's number of games: {'; '.join(same)}."
    )
