"""Table 6.1 and claim 2: the enhancements against Baseline with networks that have learned nothing.

Frames have a row per match, as in :mod:`.orientation`. With a network per game, the game is the unit.
"""

from collections.abc import Collection

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from wslib.study.claims.untrained import against_baseline, difference, newcombe
from wslib.study.pages.learning import SAMPLED
from wslib.study.report.look import (
    Html,
    board_name,
    method_name,
    p_value,
    panel_axes,
    percent,
    percent_map,
    show_figure,
    show_table,
)
from wslib.study.statistics import decide, stats
from wslib.study.statistics.pairings import scored


def _or_dash(value: float) -> str:
    return "–" if np.isnan(value) else percent(value)


def cells_table(cells: pd.DataFrame) -> Html:
    """Table 6.1, ours beside the thesis'."""
    shown = pd.DataFrame(
        {
            "game": cells["board"].map(board_name),
            "enhancement": cells["a"].map(method_name),
            "thesis %": cells["thesis"],
            "ours %": cells["score"],
            "95 % interval": [f"{percent(r.low)} to {percent(r.high)}" for r in cells.itertuples()],
            "by Q_rave %": cells["by_q_rave"],
            "networks": cells["games"],
            "distinct games": cells["distinct"],
        }
    )
    return show_table(
        shown,
        "Win rate of each enhancement against Baseline. Every game has a new random network, shared by both players: "
        "the interval is one over networks. By Q_rave: the enhancement's final move goes by Q_rave instead of visits.",
        {"thesis %": _or_dash, "ours %": percent, "by Q_rave %": _or_dash},
        cells,
    )


def one_network_table(cells: pd.DataFrame) -> Html:
    """What a single network for all games would have shown."""
    shown = pd.DataFrame(
        {
            "game": cells["board"].map(board_name),
            "enhancement": cells["a"].map(method_name),
            "a network per game %": cells["score"],
            "one network %": cells["one_network"],
            "distinct games": cells["one_distinct"],
            "of": cells["games"],
        }
    )
    return show_table(
        shown,
        "The same matches with one fixed network for all games. Playouts make games differ; Baseline and RAVE use "
        "chance only to break ties. Every win rate in this column is about that one network.",
        {"a network per game %": percent, "one network %": _or_dash},
        cells,
    )


def readings_prose(cells: pd.DataFrame) -> str:
    """Which reading of the final move is closer to the printed cells, per enhancement with RAVE."""
    parts = []
    for a, group in cells[~cells["by_q_rave"].isna() & ~cells["thesis"].isna()].groupby("a", sort=False):
        visits, by_q_rave = (100 * (group[n] - group["thesis"]).abs().mean() for n in ("score", "by_q_rave"))
        closer = "visits" if visits < by_q_rave else "Q_rave"
        parts.append(f"{method_name(a)}: {visits:.1f} points by visits, {by_q_rave:.1f} by Q_rave (closer: {closer})")
    return "Mean distance to the printed cells, by the two readings of the final move. " + "; ".join(parts) + "."


def in_readings(matches: pd.DataFrame, thesis: pd.DataFrame) -> pd.DataFrame:
    """Table 6.1's matches in every reading: a row per match, with its win rate beside the default's and the printed.

    Columns ``change`` and ``low``, ``high``: the difference to the default and its 95 % interval (Newcombe's); ``p`` by
    Fisher's exact test, not corrected.
    """
    cells = against_baseline(matches, thesis).set_index(["board", "a"])
    rows = []
    for other in scored(matches[matches["part"] == "reading"]).itertuples():
        usual = cells.loc[(other.board, other.a)]
        found = difference("", other.board, "", other, usual)
        low, high = newcombe(found["first"], found["second"], 1 - stats.ALPHA)
        facts = {"reading": other.reading, "board": other.board, "a": other.a, "score": other.score}
        facts |= {"usual": usual["score"], "thesis": usual["thesis"], "change": other.score - usual["score"]}
        rows.append({**facts, "low": low, "high": high, "p": found["p"], "unit": other.unit})
    return pd.DataFrame(rows)


def in_readings_table(found: pd.DataFrame, cells: pd.DataFrame) -> Html:
    """Table 6.1 under each reading, beside the printed win rates."""
    wide = found.pivot(index=["board", "a"], columns="reading", values="score")[list(found["reading"].unique())]
    shown = cells.set_index(["board", "a"])[["thesis", "score"]].rename(columns={"score": "default"}).join(wide)
    names = pd.DataFrame({"game": [board_name(b) for b, _ in shown.index],
                          "enhancement": [method_name(a) for _, a in shown.index]}, index=shown.index)  # fmt: skip
    return show_table(
        names.join(shown),
        "Win rates against Baseline in %, in other readings; –: the reading changes nothing there. In the last column "
        "both players draw their moves from their policies in the plies in which self-play does (T').",
        dict.fromkeys(shown.columns, _or_dash),
        shown.reset_index(),
    )


def in_readings_prose(found: pd.DataFrame, readings: Collection[str]) -> str:
    """Which of these readings gains most on the default in coming near the printed win rates, game by game."""
    parts = []
    for board, here in found[found["reading"].isin(readings)].dropna(subset="thesis").groupby("board", sort=False):
        apart = here.assign(**{n: 100 * (here[n] - here["thesis"]).abs() for n in ("score", "usual")})
        means = apart.groupby("reading", sort=False)[["score", "usual"]].mean()
        best = means.loc[(means["usual"] - means["score"]).idxmax()]
        parts.append(
            f"In {board_name(board)} *{best.name}* gains most on the default: it is {best['score']:.1f} points from "
            f"the printed win rates on average, the default {best['usual']:.1f} in the same cells."
            if best["score"] < best["usual"]
            else f"In {board_name(board)} none is nearer to the printed win rates than the default."
        )
    return " ".join(parts)


def sampling_prose(found: pd.DataFrame) -> str:
    """What becomes of the enhancements' win rates when both players draw their first moves, game by game."""
    parts = []
    for board, group in found[found["reading"] == SAMPLED].groupby("board", sort=False):
        behind = [method_name(r.a) for r in group.itertuples() if r.score < 0.5]
        fewer = sum(r.high < 0 for r in group.itertuples())
        parts.append(
            f"{board_name(board)}: from {percent(group['usual'].mean())} to {percent(group['score'].mean())} % on "
            f"average, in {fewer} of {len(group)} matches lower by more than chance; "
            f"behind Baseline {'are ' + ', '.join(behind) if behind else 'is none'}"
        )
    return f"With the first moves drawn the enhancements' win rates go, in {'; in '.join(parts)}."


def printed_prose(checks: pd.DataFrame) -> str:
    """Cells of the printed table that do not differ from one half after Holm's correction."""
    same = [
        f"{method_name(r.enhancement.lower())} in {board_name(r.game)} ({r.win_pct:g} %)"
        for r in checks.itertuples()
        if r.holm_p >= stats.ALPHA
    ]
    return (
        f"Of the thesis' {len(checks)} printed cells, {len(same)} do not differ from one half after correction for "
        f"their number: {', '.join(same)}."
    )


def matrix_figure(matches: pd.DataFrame, methods: list[str]) -> Html:
    """The enhancements against each other (section 6.5 announces it; no table of the thesis shows it)."""
    frame = scored(matches[matches["part"] == "matrix"])
    boards = list(dict.fromkeys(frame["board"]))
    names = [method_name(m) for m in methods]

    def draw() -> Figure:
        figure, axes = panel_axes(len(boards), 4.2, 3.9)
        for axis, board in zip(axes, boards, strict=True):
            matrix = pd.DataFrame(np.nan, index=methods, columns=methods)
            for r in frame[frame["board"] == board].itertuples():
                matrix.loc[r.a, r.b], matrix.loc[r.b, r.a] = 100 * r.score, 100 * (1 - r.score)
            matrix.index, matrix.columns = names, names
            percent_map(axis, matrix, decimals=0, size=9)
            axis.set_title(board_name(board))
            axis.tick_params(axis="x", rotation=45)
            axis.tick_params(axis="y", rotation=0)
        figure.tight_layout()
        return figure

    listed = "; ".join(
        f"{board_name(r.board)} {method_name(r.a)} against {method_name(r.b)} {percent(r.score)} %"
        for r in frame.itertuples()
    )
    return show_figure(
        draw,
        f"Heat maps of win rates with untrained networks, the row's player against the column's: {listed}.",
        "Win rates in percent of the row's player against the column's, untrained networks, one per game.",
        frame.drop(columns="origin", errors="ignore"),
    )


def claim_2_table(claim: pd.DataFrame) -> Html:
    """The orderings of claim 2."""
    shown = pd.DataFrame(
        {
            "claimed": claim["name"],
            "part": claim["about"],
            "ours %": [f"{percent(r.ours)} : {percent(r.other)}" for r in claim.itertuples()],
            "p (Holm)": claim["p_holm"],
            "verdict": claim["verdict"],
        }
    )
    return show_table(
        shown,
        "Claim 2 as orderings of win rates against Baseline (sign test against one half; Fisher's exact test between "
        "two enhancements or games), corrected by Holm for these rows and for the orderings that other sentences of "
        "the sources add.",
        {"p (Holm)": p_value},
        claim,
    )


def claim_2_prose(claim: pd.DataFrame) -> str:
    """How many orderings of each part of the claim hold."""
    parts = []
    for about, group in claim.groupby("about", sort=False):
        counts = group["verdict"].value_counts()
        listed = ", ".join(f"{counts[word]} {word}" for word in decide.WORDS if word in counts)
        parts.append(f"{about} ({len(group)} ordering{'s' if len(group) > 1 else ''}): {listed}")
    return "; ".join(parts) + "."
