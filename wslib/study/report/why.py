"""What may explain a difference from the thesis: a figure and a reading for each candidate.

Frames are those of the pages that measured each; Elo of different pools is on different scales. Every sentence is
chosen by the data, and says so where there are none yet.
"""

from collections.abc import Sequence
from math import comb, sqrt
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
import scipy

from wslib.study.claims.adaptive import printed
from wslib.study.claims.ways import between_networks
from wslib.study.names import board_name, listed, p_value, percent
from wslib.study.report import adaptive
from wslib.study.report.charts import SLIM, Look, finding, forests, in_percent, show_panels, ticks_at
from wslib.study.report.look import OURS, THESIS, Html, look_of, once_there, show_table, table
from wslib.study.report.oldway import NAMES
from wslib.study.report.orientation import beside_thesis
from wslib.study.report.warm import differences
from wslib.study.statistics import decide, stats

WEIGHTED = ("wro", "wrora")
NEEDS = {
    decide.REPLICATED: "more runs that take p back above 5 %",
    decide.OPPOSITE: "more runs or games that together no longer contradict it",
    decide.SMALL: "more runs that move the interval's upper end above the margin",
    decide.UNDECIDABLE: "an experiment of another design",
}
"""What would turn a verdict."""


# --- how tournaments were played ----------------------------------------------------------------------------------


@once_there("how many games of a pairing are different.")
def variety_figure(pairs: pd.DataFrame) -> Html:
    """Distinct games of a pairing of two networks, by the way of playing: the mean, and from the fewest to the most."""
    networks = between_networks(pairs)
    spread = networks.groupby(["board", "way"], sort=False)["distinct"].agg(["mean", "min", "max"]).reset_index()
    spread = spread.rename(columns={"mean": "games", "min": "low", "max": "high"})
    means, most = networks.groupby("way", sort=False)["distinct"].mean(), networks["games"].max()
    names = {way: fill(name, 18) for way, name in NAMES.items()}
    return show_panels(
        forests(spread, "games", names, key="way", look=lambda way: Look(OURS if way == "ours" else THESIS)),
        f"Of {most:.0f} games of a pairing {means['ours']:.1f} are different in our way of playing, {means['old']:.1f} "
        "in the old way.",
        f"Of {most:.0f} games between the same two networks, {means['ours']:.1f} differ in our way of playing and "
        f"{means['old']:.1f} in the old way. Marks are means over pairings, lines reach from the fewest to the most.",
        networks,
        across=f"different games of {most:.0f}",
    )


def variety_prose(pairs: pd.DataFrame) -> str:
    """What the old way leaves of the games, and what the reader should make of it; nothing while nothing is there."""
    if pairs.empty:
        return ""
    means = between_networks(pairs).groupby("way")[["distinct", "repeats"]].mean()
    old, ours, most = means.loc["old"], means.loc["ours"], pairs["games"].max()
    alike = f"{percent(old['repeats'])} %" if old["repeats"] else "none"
    fewer = old["distinct"] < ours["distinct"] / 2
    return (
        f"When games start from random openings with fresh trees, {ours['distinct']:.1f} of {most:.0f} are different. "
        f"In the old way {old['distinct']:.1f} are, and in {alike} of the pairings all games with the same colours end "
        "alike. "
        + (
            "So a pairing of the old kind says far less about its two players than its number of games suggests."
            if fewer
            else "So the old way repeats fewer games than one would fear, at least between these networks."
        )
    )


# --- testing games instead of runs --------------------------------------------------------------------------------


def tests_prose(simulated: pd.DataFrame, compared: pd.DataFrame | None) -> str:
    """False alarms of both tests where nothing is to be found, and what both say of our own runs (``compared``)."""
    spread = simulated[(simulated["part"] == "false alarms") & (simulated["spread"] == 50)]
    text = ""
    if len(spread):
        alarm = spread.sort_values("distinct", ascending=False).iloc[0]
        text = (
            "Suppose that two methods are equally good, and that runs of one method differ by 50 Elo. A test that "
            f"counts games, as the thesis' does, finds a difference in {percent(alarm['binomial'])} % of simulated "
            f"tournaments, and one that counts runs in {percent(alarm['permutation'])} %. Both promise 5 %. "
        )
    if compared is None or compared.empty:
        return text + "No two methods of our own runs can be compared yet."
    by_games, by_runs = (int((compared[name] < stats.ALPHA).sum()) for name in ("pooled_p", "p"))
    return text + (
        f"In our own tournaments the thesis' test calls {by_games} of {len(compared)} differences from Baseline "
        f"significant, and the test over runs {by_runs or 'none'} of them (neither is corrected for the number of "
        "tests)."
    )


# --- epochs and the letter of the text ----------------------------------------------------------------------------


def gains(elos: pd.DataFrame, scales: Sequence[str]) -> pd.DataFrame:
    """WRoRa minus Baseline by game and preset (``scale``), of runs in one tournament, as :func:`differences` has it."""
    found = differences(elos, [(f"wrora {scale}", f"baseline {scale}") for scale in scales])
    runs = found["runs"].map("{0[0]} and {0[1]}".format)
    return found.assign(scale=found["kind"].str.removeprefix("wrora "), runs=runs).drop(columns=["kind", "other", "sd"])


@once_there("how much WRoRa gains with one epoch and with ten.")
def gains_figure(found: pd.DataFrame) -> Html:
    """How far WRoRa ends above Baseline, by the preset of the runs."""
    panels = forests(found, "effect", key="scale", look=lambda scale: look_of("wrora"))
    return show_panels(
        panels,
        f"WRoRa minus Baseline, in Elo, by preset. {finding(found, 'effect', name='scale')}",
        "How far WRoRa ends above Baseline with one epoch (laptop), with ten (table), and by the letter of the text. "
        "Marks are differences in mean Elo in one tournament; lines are 95 % intervals over runs, where there are "
        "three a side.",
        found,
        across="Elo, WRoRa over Baseline",
        width=SLIM if len(panels) == 1 else None,
    )


def gains_prose(found: pd.DataFrame) -> str:
    """Whether one preset can be told from another; nothing while nothing is there."""
    if found.empty:
        return ""
    wide = found.pivot(index="board", columns="scale", values="effect")
    both = wide.reindex(columns=["laptop", "table"]).dropna()
    if both.empty:
        return "In no game have runs with one epoch and runs with ten met yet, so they cannot be compared."
    listed = "; ".join(
        f"{board_name(str(board))} {row['laptop']:+.0f} with one epoch and {row['table']:+.0f} with ten"
        for board, row in both.iterrows()
    )
    apart = any(
        one.low > other.high
        for _, here in found.groupby("board")
        for one in here.itertuples()
        for other in here.itertuples()
    )
    return f"WRoRa over Baseline, in Elo: {listed}. " + (
        "Some of these intervals do not overlap: how long a run learns changes what a warm start gives."
        if apart
        else "All of these intervals overlap; but with so few runs only a large difference could show."
    )


# --- the weights' schedule ----------------------------------------------------------------------------------------


def schedules_table(iterations: int = 8) -> Html:
    """The playout's weight in a mixture by iteration: fixed, adaptive, and what a division of whole numbers makes."""
    steps = range(1, iterations + 1)
    shown = pd.DataFrame({
        "iteration": list(steps),
        "fixed switch, I′ = 5 (equation 5.7)": [f"{max(1 - (i - 1) / 5, 0):.2f}" if i <= 5 else "–" for i in steps],
        "adaptive switch, 1/i (section 6.3.3)": [f"{1 / i:.2f}" for i in steps],
        "1/i with whole numbers": [str(1 // i) for i in steps],
    })  # fmt: skip
    return show_table(shown, "How much a mixture trusts the playout, by iteration. The last column is our guess.")


def switch_ratios(switches: pd.DataFrame, thesis: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Our mean switch iteration over the printed one, for every cell of Table 6.2 that has runs here."""
    if switches.empty:
        return switches
    cells = adaptive.cells(switches, thesis)
    here = cells[(cells["scale"] == scale) & cells["their_mean"].notna() & cells["mean"].notna()]
    here = here[[m == printed(board) for board, m in zip(here["board"], here["simulations"], strict=True)]]
    if here.empty:
        return here
    tested = here["p"].notna()
    corrected = pd.Series(np.nan, here.index)
    corrected[tested] = stats.holm(here.loc[tested, "p"].tolist())
    return here.assign(ratio=here["mean"] / here["their_mean"], weighted=here["kind"].isin(WEIGHTED),
                       differs=corrected < stats.ALPHA).reset_index(drop=True)  # fmt: skip


@once_there("when adaptive warm starts end, beside the printed iterations.")
def ratios_figure(ratios: pd.DataFrame) -> Html:
    """Our switch iterations as multiples of the printed ones, with and without a weight."""
    return show_panels(
        forests(
            ratios.assign(low=np.nan, high=np.nan),
            "ratio",
            look=lambda kind: look_of(kind)._replace(filled=kind in WEIGHTED),
            zero=1,
            also=lambda axis: ticks_at(axis, [0.5, 1, 2, 4], log=True),
        ),
        f"Our mean switch iteration divided by the printed one. {finding(ratios, 'ratio', '{:.1f}')}",
        "When our adaptive warm starts end, as multiples of Table 6.2: on the line both studies agree. Filled marks "
        "are the mixtures, whose weight is 1/i; open marks have no weight.",
        ratios.drop(columns="switches"),
        across="times as late as printed",
    )


@once_there("when adaptive warm starts end, beside the printed iterations.")
def ratios_table(ratios: pd.DataFrame) -> Html:
    """How far the cells with and without a weight are from the printed ones, game by game."""
    groups = ratios.groupby(["board", "weighted"], sort=False)
    cells = groups["differs"].agg(["sum", "size"]).assign(ratio=groups[["ratio"]].apply(_middle))
    return table(
        cells.reset_index(),
        "Our switch iterations beside the printed ones, with and without a weight: how many cells differ by more than "
        "chance (Welch's test with Holm's correction), and the geometric mean of the ratios.",
        {
            "game": ("board", board_name),
            "the playout's value": ("weighted", lambda mixed: "mixed in, with weight 1/i" if mixed else "not mixed"),
            "cells that differ": lambda row: f"{row.sum} of {row.size}",
            "times as late as printed": ("ratio", "{:.1f}"),
        },
    )


def _middle(ratios: pd.DataFrame) -> float:
    return float(np.exp(np.log(ratios["ratio"]).mean()))


def ratios_prose(ratios: pd.DataFrame) -> str:
    """Whether the methods with a weight are further from the print than those without, Gobang aside."""
    here = ratios[ratios["board"] != "gobang"] if len(ratios) else ratios
    if here.empty or here["weighted"].nunique() < 2:
        return ""
    plain, mixed = here[~here["weighted"]], here[here["weighted"]]
    if _middle(mixed) > 1.5 * _middle(plain) and mixed["differs"].mean() > plain["differs"].mean():
        return (
            f"In {_where(here)}, {int(plain['differs'].sum())} of {len(plain)} cells without a weight differ from the "
            f"print by more than chance, and {int(mixed['differs'].sum())} of {len(mixed)} cells with one. The "
            f"mixtures switch {_middle(mixed):.1f} times as late as printed, the others {_middle(plain):.1f} times. So "
            "the schedule of the weight is the suspect."
        )
    return (
        f"In {_where(here)} the mixtures are not clearly further from the print than the enhancements without a "
        "weight, so the schedule of the weight explains little here."
    )


def _where(ratios: pd.DataFrame) -> str:
    return listed(map(board_name, dict.fromkeys(ratios["board"])))


def coin(games: int, drawn: float = 0.0) -> tuple[float, float]:
    """Mean and sd of the switch iteration if, from the second iteration on, both searches are the same.

    Each iteration then ends the warm start when one of two equal players wins more of the decided games.

    >>> [round(number, 2) for number in coin(50)]
    [3.25, 1.68]
    """
    decided = round(games * (1 - drawn))
    tie = comb(decided, decided // 2) / 2**decided if decided % 2 == 0 else 0.0
    chance = (1 - tie) / 2
    return 1 + 1 / chance, sqrt(1 - chance) / chance


def coin_table(ratios: pd.DataFrame, thesis: pd.DataFrame, games: int) -> Html:
    """The mixtures' switch iterations: printed, ours as far as they are there, and by a coin from the second one on."""
    ours = {(r.board, r.kind): f"{r.mean:.2f} ± {r.sd:.2f}" for r in ratios.itertuples()}
    mean, sd = coin(games)
    rows = [
        {"game": board_name(r.game), "mixture": r.enhancement, "thesis": f"{r.mean_switch_iteration:.2f} ± {r.sd:.2f}",
         "ours": ours.get((r.game, r.enhancement.lower()), "–"), "a coin": f"{mean:.2f} ± {sd:.2f}"}
        for r in thesis.itertuples() if r.enhancement.lower() in WEIGHTED and r.game != "gobang"
    ]  # fmt: skip
    return show_table(
        pd.DataFrame(rows),
        "Iteration of the switch, mean ± sd over runs: as printed, in our runs, and as a fair coin would have it from "
        "the second iteration on.",
    )


def coin_prose(ratios: pd.DataFrame, thesis: pd.DataFrame, games: int) -> str:
    """Where the printed iterations of WRo lie: beside a coin's, and beside ours."""
    printed_cells = thesis[(thesis["enhancement"].str.lower() == "wro") & (thesis["game"] != "gobang")]
    theirs, runs = float(printed_cells["mean_switch_iteration"].mean()), int(printed_cells["runs"].sum())
    mean, sd = coin(games)
    p = float(2 * scipy.stats.norm.sf(abs(theirs - mean) * sqrt(runs) / sd))
    side = "later" if theirs > mean else "sooner"
    text = f"A coin would end WRo's warm start in iteration {mean:.1f} on average; in print its {runs} runs end it in "
    text += f"{theirs:.1f}, {side} than a coin by more than chance (p {p_value(p)})." if p < stats.ALPHA else (
        f"{theirs:.1f}, which a coin might do (p {p_value(p)})."
    )  # fmt: skip
    own = ratios[(ratios["kind"] == "wro") & (ratios["board"] != "gobang")] if len(ratios) else ratios
    if own.empty:
        return text
    ours = float(own["mean"].mean())
    between = mean < theirs < ours and p < stats.ALPHA
    return f"{text} Ours end in {ours:.1f}. " + (
        "The print lies between the two, as a weight would have it that falls faster than 1/i, but not to zero at once."
        if between
        else "So a vanishing weight is not what sets the two studies apart."
        if p < stats.ALPHA
        else "So a weight that vanishes would explain the print."
    )


# --- readings of RHEA ---------------------------------------------------------------------------------------------


def rhea_readings(matches: pd.DataFrame, thesis: pd.DataFrame, board: str = "othello") -> pd.DataFrame:
    """RHEA against random play in one game beside the printed win rate, in each reading that changes that match."""
    here = matches[(matches["a"] == "rhea") & (matches["b"] == "random") & (matches["board"] == board)]
    return beside_thesis(here.drop_duplicates("unit"), thesis).reset_index(drop=True) if len(here) else here


@once_there("RHEA against random play.")
def rhea_figure(found: pd.DataFrame) -> Html:
    """RHEA's score against random play in Othello, reading by reading, beside the printed one."""
    shown, theirs = in_percent(found.assign(board="")), 100 * found["thesis"].iloc[0]
    points = shown.set_index("reading")["score"]
    return show_panels(
        forests(
            shown,
            "score",
            key="reading",
            look=lambda reading: Look(OURS),
            zero=50,
            also=lambda axis: axis.axvline(theirs, color=THESIS, linestyle="--"),
        ),
        f"RHEA's score against random play in Othello reaches from {points.min():.0f} % ({points.idxmin()}) to "
        f"{points.max():.0f} % ({points.idxmax()}), by reading; printed is {theirs:.0f} %.",
        "How well RHEA does against random play in Othello, reading by reading: score with its 95 % interval over "
        "games. The dashed line is the printed win rate.",
        found,
        across="score against random play, %",
    )


def rhea_prose(found: pd.DataFrame) -> str:
    """Which reading makes RHEA as weak as the source has it; nothing while nothing is there."""
    if found.empty:
        return ""
    nearest = found.loc[found["difference"].abs().idxmin()]
    default = found[found["reading"] == "default"].iloc[0]
    return (
        f"The thesis prints {percent(nearest['thesis'])} %, and our default scores {percent(default['score'])} %. The "
        f"nearest reading, *{nearest['reading']}*, scores {percent(nearest['score'])} %, "
        + ("which also differs by more than chance" if nearest["differs"] else "a difference that may be chance")
        + f" (Fisher's exact test, with the {nearest['thesis_games']} games a pair that whole percentages point to)."
    )


# --- what would change our mind -----------------------------------------------------------------------------------


def turns_table(effects: pd.DataFrame, rows: pd.DataFrame) -> Html:
    """For the pooled effect in each game, and for every claim: the verdict, and what would turn it."""
    records = [
        {
            "statement": f"{r.game}: runs with a warm start end stronger",
            "now": r.verdict,
            "what would turn it": _turn(r),
        }
        for r in effects.itertuples()
    ]
    for row in rows[rows["id"].isin(list("1234567"))].to_dict("records"):
        turn = _needs(row["would decide"]) if row["verdict"] == decide.UNDECIDED else NEEDS[row["verdict"]]
        records.append({"statement": f"Claim {row['id']}", "now": row["verdict"], "what would turn it": turn})
    return show_table(pd.DataFrame(records), "How each statement stands now, and what would turn its verdict.")


def _turn(row: Any) -> str:
    if row.verdict != decide.UNDECIDED:
        return NEEDS[row.verdict]
    return _needs(row.shown.partition("(")[2].rstrip(")"))


def _needs(text: str) -> str:
    return text.replace(" would decide", ", at the effect and spread seen now") if text else "its first runs"
