"""When adaptive warm starts end (Table 6.2), and the balances until then (Fig. 6.2).

``switches`` have a row per run: ``board``, ``kind``, ``method``, ``simulations``, ``scale`` (the preset), ``seed``, and
``switch_iteration``, which is missing where a run never switched. A balance counts wins of the default search minus its
losses; the first one above 0 ends the warm start.
"""

from itertools import product

import numpy as np
import pandas as pd
import scipy
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from wslib.study.claims.adaptive import printed
from wslib.study.report.look import (
    Html,
    board_name,
    kind_name,
    look_of,
    once_there,
    p_value,
    panel_axes,
    show_figure,
    show_table,
)
from wslib.study.statistics import stats


def cells(switches: pd.DataFrame, thesis: pd.DataFrame) -> pd.DataFrame:
    """A row per kind of run: its switches, and the thesis' cell where there is one."""
    theirs = {(row.game, row.enhancement.lower()): row for row in thesis.itertuples()}
    keys = ["scale", "board", "simulations", "kind"]
    rows = []
    for (scale, board, m, kind), group in switches.groupby(keys, sort=False):
        at = group["switch_iteration"].dropna().astype(int)
        row = dict(zip(keys, (scale, board, m, kind), strict=True))
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
    rows = [
        {
            "game": board_name(row.board),
            "m": row.simulations,
            "enhancement": kind_name(row.kind),
            "mean ± sd": _both(row.mean, row.sd),
            "thesis": _both(row.their_mean, row.their_sd),
            "p": "–" if np.isnan(row.p) else p_value(row.p),
            "runs": row.runs,
            "never": f"{row.never} (in {row.given_up})" if row.never else "0",
            "switches after iteration": ", ".join(map(str, row.switches)) or "–",
        }
        for row in here.itertuples()
    ]
    shown = pd.DataFrame(rows)
    # What is the same in all rows stands above them.
    same = ""
    if here["runs"].nunique() == 1:
        shown, same = shown.drop(columns="runs"), f" {here['runs'].iloc[0]} runs in every cell."
    if len(here) and not here["never"].any():
        shown, same = shown.drop(columns="never"), f"{same} All runs switched."
    return show_table(
        shown,
        f"Preset {scale}: the first iteration whose balance is above 0. Mean ± population sd (as the thesis "
        "prints it), the thesis' cell (8 runs), p of Welch's test of the two means (not corrected), how many runs "
        f"there are and how many never switched where that differs, and every run.{same}",
        data=here,
    )


def _both(mean: float, sd: float) -> str:
    return "–" if np.isnan(mean) else f"{mean:.2f} ± {sd:.2f}"


@once_there("the iterations of the switch.")
def switches_figure(switches: pd.DataFrame, frame: pd.DataFrame, scale: str) -> Html:
    """Every run a mark, the thesis' mean a cross."""
    switches = switches[switches["scale"] == scale]
    columns = list(dict.fromkeys(zip(switches["board"], switches["simulations"], strict=True)))
    kinds = list(dict.fromkeys(switches["kind"]))

    def draw() -> Figure:
        figure, axes = panel_axes(len(columns), 3.6, 3.2, "iteration of the switch", sharey=True)
        for axis, (board, m) in zip(axes, columns, strict=True):
            here = switches[(switches["board"] == board) & (switches["simulations"] == m)]
            for place, kind in enumerate(kinds):
                at = here.loc[here["kind"] == kind, "switch_iteration"].dropna().to_numpy(float)
                colour, mark = look_of(kind)
                shifts = np.linspace(-0.2, 0.2, len(at)) if len(at) > 1 else np.zeros(len(at))
                axis.scatter(place + shifts, at, s=16, color=colour, marker=mark, alpha=0.75)
                cell = frame[(frame["scale"] == scale) & (frame["board"] == board) & (frame["simulations"] == m)
                             & (frame["kind"] == kind)]  # fmt: skip
                axis.scatter([place] * len(cell), cell["their_mean"], s=60, color="#808080", marker="_", linewidths=2)
            axis.set_xticks(range(len(kinds)), [kind_name(k) for k in kinds], rotation=40, ha="right", fontsize=8)
            axis.set_title(f"{board_name(board)}, m = {m}", fontsize=10)
            axis.set_yscale("log", base=2)
            axis.set_yticks([1, 2, 4, 8, 16, 32, 64], ["1", "2", "4", "8", "16", "32", "64"])
            axis.set_ylim(bottom=0.8, top=None if here["switch_iteration"].notna().any() else 64)
            axis.grid(axis="y")
        figure.tight_layout()
        return figure

    listed = "; ".join(f"{board_name(r.board)}, m = {r.simulations}, {kind_name(r.kind)}: "
                       + ("no switch" if np.isnan(r.mean) else f"mean {r.mean:.1f}")
                       for r in frame[frame["scale"] == scale].itertuples())  # fmt: skip
    return show_figure(
        draw,
        f"Switch iterations. {listed}.",
        f"When warm starts ended, preset {scale}: a mark per run, grey bars are the thesis' means.",
        switches.dropna(axis="columns", how="all"),
    )


@once_there("balances until the switch.")
def balances_figure(here: pd.DataFrame) -> Html:
    """Fig. 6.2: wins of the default search minus its losses in one game, iteration by iteration until the switch."""
    board = here["board"].iloc[0]
    kinds = list(dict.fromkeys(here["kind"]))

    def draw() -> Figure:
        figure, axes = panel_axes(len(kinds), 2.9, 2.6, "balance of the default search", sharey=True)
        for axis, kind in zip(axes, kinds, strict=True):
            colour, mark = look_of(kind)
            for _, run in here[here["kind"] == kind].groupby("seed"):
                axis.plot(
                    run["iteration"], run["balance"], color=colour, marker=mark, markersize=3, linewidth=0.9, alpha=0.8
                )
            axis.axhline(0, color="#808080", linewidth=0.8)
            axis.set_title(kind_name(kind), fontsize=9)
            axis.set_xlabel("iteration", fontsize=8)
            axis.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
        figure.tight_layout()
        return figure

    first = here[here["iteration"] == 1].groupby("kind", sort=False)["balance"].mean()
    listed = "; ".join(f"{kind_name(str(k))}: {v:+.0f}" for k, v in first.items())
    return show_figure(
        draw,
        f"Balances until the switch in {board_name(board)}. Mean balance of the first iteration: {listed}.",
        f"Reward balances in {board_name(board)} until the switch: a line per run, to its first value above 0.",
        here,
    )


def claim_table(claim: pd.DataFrame) -> Html:
    """Claim 6 part by part."""
    return show_table(
        claim.drop(columns="runs"),
        "Claim 6 in parts. A part about runs is replicated when most of them do so (the "
        "interval of their share lies above one half), about every run when all do.",
    )


@once_there("the earliest and the latest switches.")
def sizes_prose(frame: pd.DataFrame) -> str:
    """The earliest and the latest kinds, runs that never switched, cells that differ from the print."""
    parts = []
    for scale, board in product(dict.fromkeys(frame["scale"]), dict.fromkeys(frame["board"])):
        here = frame[(frame["scale"] == scale) & (frame["board"] == board) & (frame["simulations"] == printed(board))]
        here = here.dropna(subset="mean")
        if here.empty:
            continue
        early, late = here.loc[here["mean"].idxmin()], here.loc[here["mean"].idxmax()]
        never = int(here["never"].sum())
        parts.append(
            f"{board_name(board)}, preset {scale}: from {early['mean']:.1f} ({kind_name(early['kind'])}) to "
            f"{late['mean']:.1f} ({kind_name(late['kind'])})" + (f", {never} runs never" if never else "")
        )
    apart = []
    for scale, compared in frame.dropna(subset="p").groupby("scale", sort=False):
        differ = sum(p < stats.ALPHA for p in stats.holm(list(compared["p"])))
        apart.append(f"{differ} of {len(compared)} with the preset {scale}")
    differences = (
        f" Cells that differ from the printed means by more than chance (Welch's test, Holm): {', '.join(apart)}."
    )
    if not parts:
        return "No run has switched."
    return f"Mean switch iterations: {'; '.join(parts)}." + (differences if apart else "")


def last_board(balances: pd.DataFrame) -> pd.DataFrame:
    """The balances of Othello, which Fig. 6.2 shows, else of another game, with the fewest simulations."""
    boards = list(dict.fromkeys(balances["board"]))
    here = balances[balances["board"] == ("othello" if "othello" in boards or not boards else boards[-1])]
    return here[here["simulations"] == here["simulations"].min()]
