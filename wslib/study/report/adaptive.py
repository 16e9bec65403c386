"""When adaptive warm starts end (Table 6.2), and the balances until then (Fig. 6.2).

``switches`` have a row per run: ``board``, ``kind``, ``method``, ``simulations``, ``scale`` (the preset), ``seed``, and
``switch_iteration``, which is missing where a run never switched. A balance counts wins of the default search minus its
losses; the first one above 0 ends the warm start.
"""

from typing import Any

import numpy as np
import pandas as pd
import scipy
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from wslib.study.claims.adaptive import claimed, printed
from wslib.study.names import board_name, kind_name, p_value
from wslib.study.report.charts import (
    WIDE,
    by_panel,
    finding,
    lines,
    looks_of,
    show_panels,
    strips,
    ticks_at,
)
from wslib.study.report.look import GREY, Html, once_there, show_table, table
from wslib.study.statistics import stats


def cells(switches: pd.DataFrame, thesis: pd.DataFrame) -> pd.DataFrame:
    """A row per kind of run: its switches, and the thesis' cell where there is one."""
    theirs = {(row.game, row.enhancement.lower()): row for row in thesis.itertuples()}
    keys = ["scale", "board", "simulations", "kind"]
    rows = []
    for (scale, board, m, kind), group in switches.groupby(keys, sort=False):
        at = group["switch_iteration"].dropna().astype(int)
        row = dict(zip(keys, (scale, board, m, kind), strict=True)) | {"units": " ".join(group["unit"])}
        row |= {"runs": len(group), "never": len(group) - len(at), "switches": sorted(at), "mean": at.mean(),
                "sd": at.std(ddof=0) if len(at) else np.nan, "given_up": group["iterations"].max()}  # fmt: skip
        cell = theirs.get((board, kind)) if m == printed(board) else None
        row |= {"their_mean": np.nan, "their_sd": np.nan, "p": np.nan}
        if cell is not None:
            row |= {"their_mean": cell.mean_switch_iteration, "their_sd": cell.sd}
            row["p"] = _welch(at.to_numpy(), cell.mean_switch_iteration, cell.sd, cell.runs)
        rows.append(row)
    return pd.DataFrame(rows)


def _welch(ours: np.ndarray, mean: float, population_sd: float, runs: int) -> float:
    """Two-sided p of our mean against the printed one."""
    if len(ours) < 2 or (not np.ptp(ours) and not population_sd):
        return np.nan
    sample = population_sd * (runs / (runs - 1)) ** 0.5
    return float(scipy.stats.ttest_ind_from_stats(
        ours.mean(), ours.std(ddof=1), len(ours), mean, sample, runs, equal_var=False).pvalue)  # fmt: skip


@once_there("the iterations of the switch.")
def cells_table(frame: pd.DataFrame, scale: str) -> Html:
    """Table 6.2: ours beside the thesis'."""
    here = frame[frame["scale"] == scale]
    columns: dict[str, Any] = {
        "game": ("board", board_name),
        "m": "simulations",
        "enhancement": ("kind", kind_name),
        "mean ± sd": lambda row: _both(row.mean, row.sd),
        "thesis": lambda row: _both(row.their_mean, row.their_sd),
        "p": ("p", p_value),
        "runs": "runs",
        "never": lambda row: f"{row.never} (in {row.given_up})" if row.never else "0",
        "switches after iteration": ("switches", lambda at: ", ".join(map(str, at)) or "–"),
    }
    # What is the same in all rows stands above them.
    same = ""
    if here["runs"].nunique() == 1:
        del columns["runs"]
        same = f" {here['runs'].iloc[0]} runs in every cell."
    if len(here) and not here["never"].any():
        del columns["never"]
        same += " All runs switched."
    return table(
        here,
        f"When warm starts end, with the preset {scale}, beside Table 6.2: the first iteration with a balance above 0. "
        "Mean ± population sd, as in the thesis, which has 8 runs a cell; p is of Welch's test of the two means, not "
        f"corrected.{same}",
        columns,
    )


def _both(mean: float, sd: float) -> str:
    return "–" if np.isnan(mean) else f"{mean:.2f} ± {sd:.2f}"


@once_there("the iterations of the switch.")
def switches_figure(switches: pd.DataFrame, frame: pd.DataFrame, scale: str) -> Html:
    """Every run a mark, the thesis' mean a grey bar; a panel per game and number of simulations."""
    here, theirs = (part[part["scale"] == scale] for part in (switches, frame))
    here, theirs = (part.assign(panel=_panel_names(part)) for part in (here, theirs))
    strip = strips(here.dropna(subset="switch_iteration"), "switch_iteration", list(here["kind"].unique()), "panel")

    def beside(axis: Axes, rows: pd.DataFrame) -> None:
        strip[rows["panel"].iloc[0]](axis)
        means = dict(zip(rows["kind"].map(kind_name), rows["their_mean"], strict=True))
        for place, label in zip(axis.get_yticks(), axis.get_yticklabels(), strict=True):
            axis.vlines(means.get(label.get_text(), np.nan), place - 0.4, place + 0.4, color=GREY, linewidth=3)
        axis.set_xscale("log", base=2)
        ticks_at(axis, [2**power for power in range(7)])
        axis.set_xlim(0.8, max(64, here["switch_iteration"].max() * 1.2))

    return show_panels(
        by_panel(theirs[theirs["panel"].isin(strip)], beside, "panel"),
        f"Mean iteration of the switch. {finding(here, 'switch_iteration', '{:.1f}', panel='panel')}",
        f"When warm starts end, with the preset {scale}. Marks are runs, coloured bars their means, and grey bars the "
        "thesis' means.",
        here.dropna(axis="columns", how="all"),
        across="iteration of the switch",
        width=WIDE,
    )


def _panel_names(frame: pd.DataFrame) -> list[str]:
    return [f"{board_name(board)}, m = {m}" for board, m in zip(frame["board"], frame["simulations"], strict=True)]


@once_there("balances until the switch.")
def balances_figure(here: pd.DataFrame) -> Html:
    """Fig. 6.2: wins of the default search minus its losses in one game, iteration by iteration until the switch."""
    looks = looks_of(list(here["kind"].unique()))

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        for _, run in rows.groupby("seed"):
            lines(axis, run, "iteration", "balance", looks, linewidth=0.9)
        axis.axhline(0, color=GREY, linewidth=0.9)
        axis.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))

    first = finding(here[here["iteration"] == 1], "balance")
    return show_panels(
        by_panel(here, draw, "kind"),
        f"Mean balance of the default search in the first iteration. {first}",
        f"How the default search catches up in {board_name(here['board'].iloc[0])}: a line for the balances of each "
        "run, up to the first above 0.",
        here,
        across="iteration",
        up="balance",
        height=2.2,
        same_up=True,
    )


def claim_table(claim: pd.DataFrame) -> Html:
    """Claim 6 part by part."""
    return show_table(
        claim.drop(columns="runs"),
        "Claim 6, part by part. A part about runs is replicated when most of them do so, that is when the interval of "
        "their share lies above one half; a part about every run is replicated when all do.",
    )


def halves_prose(switches: pd.DataFrame, scale: str) -> str:
    """By which iteration half of the runs have switched, game by game."""
    here = claimed(switches, scale)
    texts = []
    for (board, m), group in here.groupby(["board", "simulations"], sort=False):
        at = np.sort(group["switch_iteration"].fillna(np.inf).to_numpy(float))
        half = at[(len(at) - 1) // 2]
        when = f"by iteration {half:.0f}" if np.isfinite(half) else "not within the run"
        texts.append(f"in {board_name(str(board))} with m = {m} {when} ({len(at)} runs)")
    return f"Half of the runs have switched: {'; '.join(texts)}." if texts else "No run has been trained yet."


@once_there("the earliest and the latest switches.")
def ends_table(frame: pd.DataFrame) -> Html:
    """The earliest and the latest kinds, runs that never switched, and cells that differ from the print."""
    frame = frame.assign(differs=pd.Series(stats.holm(frame["p"].dropna().tolist()), frame.index[frame["p"].notna()]))
    rows = []
    for (board, m), here in frame.dropna(subset="mean").groupby(["board", "simulations"], sort=False):
        early, late = (here.loc[here["mean"].agg(end)] for end in ("idxmin", "idxmax"))
        compared = here["differs"].dropna()
        rows.append({
            "game": board_name(str(board)), "m": m,
            "earliest": f"{kind_name(early['kind'])}, {early['mean']:.1f}",
            "latest": f"{kind_name(late['kind'])}, {late['mean']:.1f}", "never": int(here["never"].sum()),
            "differ from the print": f"{sum(compared < stats.ALPHA)} of {len(compared)}" if len(compared) else "–",
        })  # fmt: skip
    return show_table(
        pd.DataFrame(rows),
        "The earliest and the latest kind, by the mean iteration of their switch; the runs that never switched; and "
        "the cells whose mean differs from the printed one by more than chance (Welch's test, Holm over all cells).",
    )


def last_board(balances: pd.DataFrame) -> pd.DataFrame:
    """The balances of Othello, which Fig. 6.2 shows, else of another game, with the fewest simulations."""
    boards = list(dict.fromkeys(balances["board"]))
    here = balances[balances["board"] == ("othello" if "othello" in boards or not boards else boards[-1])]
    return here[here["simulations"] == here["simulations"].min()]
