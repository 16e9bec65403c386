"""Table 6.1 and claim 2: the enhancements against Baseline with networks that have learned nothing.

Frames have a row per match, as in :mod:`.orientation`. With a network per game, the game is the unit.
"""

from collections.abc import Collection

import pandas as pd

from wslib.study.claims.untrained import against_baseline, difference, newcombe
from wslib.study.names import board_name, method_name, p_value, percent
from wslib.study.pages.learning import SAMPLED
from wslib.study.report.charts import WIDE, by_panel, finding, forests, in_percent, matrix, show_panels
from wslib.study.report.look import Html, between, show_table, table
from wslib.study.report.orientation import against_others, shares
from wslib.study.statistics import decide, stats
from wslib.study.statistics.pairings import scored

ENHANCEMENT = {"game": ("board", board_name), "enhancement": ("a", method_name)}
"""The first columns of most tables."""


def cells_figure(cells: pd.DataFrame) -> Html:
    """Every enhancement's win rate against Baseline with its interval, a panel per game."""
    points = in_percent(cells)
    return show_panels(
        forests(points, "score", key="a", zero=50),
        f"Win rates against Baseline with untrained networks. {finding(points, 'score', '{:.0f} %', name='a')}",
        "How each enhancement does against Baseline with networks that have learned nothing: win rate with its 95 % "
        "interval over networks. To the right of the line the enhancement is the better player.",
        cells,
        across="against Baseline, %",
    )


def cells_table(cells: pd.DataFrame) -> Html:
    """Table 6.1, ours beside the thesis'."""
    return table(
        cells,
        "The thesis' win rates against Baseline beside ours. Every game has a new random network, shared by both "
        "players, so the interval is over networks. By Q_rave: the final move goes by Q_rave instead of visits.",
        ENHANCEMENT
        | {
            "thesis %": ("thesis", percent),
            "ours %": ("score", percent),
            "95 % interval": between,
            "by Q_rave %": ("by_q_rave", percent),
            "networks": "games",
            "distinct games": "distinct",
        },
    )


def one_network_table(cells: pd.DataFrame) -> Html:
    """What a single network for all games would have shown."""
    return table(
        cells,
        "The same matches with a new network for every game, and with one network for all games. Playouts make games "
        "differ; Baseline and RAVE use chance only to break ties.",
        ENHANCEMENT
        | {
            "a network per game %": ("score", percent),
            "one network %": ("one_network", percent),
            "distinct games": "one_distinct",
            "of": "games",
        },
    )


def in_short(cells: pd.DataFrame) -> str:
    """In how many matches an enhancement beats Baseline clearly: those with playouts, and RAVE alone."""
    clear, alone = cells["low"] > 0.5, cells["a"] == "rave"
    return (
        f"While the network knows nothing, enhancements with playouts beat Baseline in {(clear & ~alone).sum()} of "
        f"{(~alone).sum()} matches, and RAVE alone does in {(clear & alone).sum()} of {alone.sum()}."
    )


def final_move_table(cells: pd.DataFrame) -> Html:
    """How far each reading of the final move is from the printed cells, per enhancement with RAVE."""
    both = cells[~cells["by_q_rave"].isna() & ~cells["thesis"].isna()]
    apart = both.assign(**{name: 100 * (both[name] - both["thesis"]).abs() for name in ("score", "by_q_rave")})
    return table(
        apart.groupby("a", sort=False)[["score", "by_q_rave"]].mean().reset_index(),
        "Which final move comes closer to the printed cells: mean distance in percentage points.",
        {
            "enhancement": ("a", method_name),
            "visits": ("score", "{:.1f}"),
            "Q_rave": ("by_q_rave", "{:.1f}"),
            "closer": lambda row: "visits" if row.score < row.by_q_rave else "Q_rave",
        },
    )


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
    return table(
        shown.reset_index(),
        "Win rates against Baseline in %, in other readings; –: the reading changes nothing there. In the last column "
        "both players draw their first moves from their policies, for as many plies as in self-play (T').",
        ENHANCEMENT | {str(name): (name, percent) for name in shown},
    )


def in_readings_prose(found: pd.DataFrame, readings: Collection[str]) -> str:
    """Which of these readings gains most on the default in coming near the printed win rates, game by game."""
    parts = []
    for board, here in found[found["reading"].isin(readings)].dropna(subset="thesis").groupby("board", sort=False):
        apart = here.assign(**{n: 100 * (here[n] - here["thesis"]).abs() for n in ("score", "usual")})
        means = apart.groupby("reading", sort=False)[["score", "usual"]].mean()
        best = means.loc[(means["usual"] - means["score"]).idxmax()]
        parts.append(
            f"In {board_name(board)} *{best.name}* comes nearer to the printed win rates than the default: it is "
            f"{best['score']:.1f} points from them on average, the default {best['usual']:.1f} in the same cells."
            if best["score"] < best["usual"]
            else f"In {board_name(board)} none comes nearer to the printed win rates than the default."
        )
    return " ".join(parts)


def sampling_table(found: pd.DataFrame) -> Html:
    """What becomes of the enhancements' win rates when both players draw their first moves, game by game."""
    rows = []
    for board, group in found[found["reading"] == SAMPLED].groupby("board", sort=False):
        behind = [method_name(r.a) for r in group.itertuples() if r.score < 0.5]
        fewer = sum(r.high < 0 for r in group.itertuples())
        rows.append({
            "game": board_name(board), "best moves %": percent(group["usual"].mean()),
            "first moves drawn %": percent(group["score"].mean()),
            "lower by more than chance": f"{fewer} of {len(group)}", "behind Baseline": ", ".join(behind) or "none",
        })  # fmt: skip
    return show_table(
        pd.DataFrame(rows),
        "What drawing the first moves does to the enhancements: their mean win rate against Baseline, when both always "
        "play their best move and when both draw their first moves.",
    )


def printed_prose(checks: pd.DataFrame) -> str:
    """Cells of the printed table that do not differ from one half after Holm's correction."""
    same = checks[checks["holm_p"] >= stats.ALPHA]
    cells = [
        f"{method_name(r.enhancement.lower())} in {board_name(r.game)} ({r.win_pct:g} %)" for r in same.itertuples()
    ]
    return (
        f"After correction for their number, {len(same)} of the thesis' {len(checks)} printed cells do not differ from "
        f"one half: {', '.join(cells)}."
    )


def matrix_figure(matches: pd.DataFrame, methods: list[str]) -> Html:
    """The enhancements against each other (section 6.5 announces it; no table of the thesis shows it)."""
    frame = scored(matches[matches["part"] == "matrix"])
    return show_panels(
        by_panel(frame, lambda axis, rows: matrix(axis, shares(rows, methods))),
        f"Mean win rates against the others, in %. {against_others(frame)}",
        "How the searches do against each other with untrained networks, a new one for every game: win rates in "
        "percent of the row's player against the column's.",
        frame.drop(columns="origin", errors="ignore"),
        height=3.2,
        width=WIDE,
    )


def claim_2_table(claim: pd.DataFrame) -> Html:
    """The orderings of claim 2."""
    return table(
        claim,
        "Claim 2 as orderings of win rates against Baseline. p is from a sign test against one half, or from Fisher's "
        "exact test between two enhancements or games. Holm's correction is over these rows and the orderings that "
        "other sentences of the sources add.",
        {
            "claimed": "name",
            "part": "about",
            "ours %": lambda row: f"{percent(row.ours)} : {percent(row.other)}",
            "p (Holm)": ("p_holm", p_value),
            "verdict": "verdict",
        },
    )


def claim_2_counts(claim: pd.DataFrame) -> Html:
    """How many orderings of each part of the claim have which verdict."""
    counts = pd.crosstab(claim["about"], claim["verdict"]).reindex(list(dict.fromkeys(claim["about"])))
    shown = counts.reindex(columns=[word for word in decide.WORDS if word in counts]).reset_index()
    return show_table(shown.rename(columns={"about": "part of claim 2"}), "Claim 2 by its parts: orderings by verdict.")
