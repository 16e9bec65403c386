"""Players held against perfect play: share of optimal moves by budget, by reading and by phase; what converges.

``rows`` have a row per player, reading of its final move, budget (``simulations``), ``board``, ``set`` and ``phase``,
with the number of ``positions`` and the means of the measures. Shares are of positions, a standard error comes from
their number.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from wslib.study.report.look import INK, METHODS, WIDEST, Html, board_name, percent, show_figure, show_table

MEASURES = ("optimal", "regret", "discs_lost", "value_error")
READINGS = {"visits": "visits", "q": "Q", "q_rave": "Q_rave"}
_LINES = {"visits": "-", "q": "--", "q_rave": ":"}
_LOOKS = {
    "Random": METHODS["random"][1:],
    "MCTS": METHODS["mcts"][1:],
    "RAVE": METHODS["rave"][1:],
    "RAVE, path only": ("#B07D2B", "D"),
    "RHEA": METHODS["rhea"][1:],
}
STALLED, NEARLY = 0.1, 0.02
"""A reading stalls where the last budget removes less than this share of its errors, and more than so many are left."""


def cleaned(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows as they come from the store, with numbers as numbers."""
    frame = rows.copy()
    for name in MEASURES:
        frame[name] = pd.to_numeric(frame[name], errors="coerce")
    return frame.astype({"simulations": int})


def overall(rows: pd.DataFrame) -> pd.DataFrame:
    """The phases taken together, each position counting the same."""
    keys = ["board", "set", "player", "reading", "simulations"]
    found = []
    for key, group in rows.groupby(keys, sort=False):
        weights = group["positions"] / group["positions"].sum()
        means = {name: float((group[name] * weights).sum(min_count=1)) for name in MEASURES}
        units = {"units": " ".join(dict.fromkeys(group["unit"]))} if "unit" in group else {}
        found.append(
            {**dict(zip(keys, key, strict=True)), "positions": int(group["positions"].sum()), **means, **units}
        )
    return pd.DataFrame(found)


def name_of(player: str, reading: str) -> str:
    """A player with the reading of its final move, where it has a choice."""
    return player if reading == "visits" else f"{player}, by {READINGS[reading]}"


def optimal_figure(rows: pd.DataFrame) -> Html:
    """Share of optimal moves by budget: a panel per game and set, a line per player and reading."""
    frame = overall(rows)
    boards, sets = list(dict.fromkeys(frame["board"])), list(dict.fromkeys(frame["set"]))

    def draw() -> Figure:
        size = (min(3.4 * len(boards) + 0.4, WIDEST), 2.9 * len(sets) + 1.1)
        figure, axes = plt.subplots(len(sets), len(boards), figsize=size, squeeze=False, sharex=True)
        for axis, (which, board) in zip(axes.ravel(), [(s, b) for s in sets for b in boards], strict=True):
            part = frame[(frame["board"] == board) & (frame["set"] == which)]
            for (who, reading), line in part.groupby(["player", "reading"], sort=False):
                colour, mark = _LOOKS.get(str(who), (INK, "o"))
                if who == "Random":
                    axis.axhline(100 * line["optimal"].iloc[0], color=colour, linewidth=1, label=who)
                    continue
                look = {"color": colour, "marker": mark, "linestyle": _LINES[str(reading)]}
                axis.plot(line["simulations"], 100 * line["optimal"], markersize=4, label=name_of(who, reading), **look)
            axis.set_xscale("log")
            axis.set_xticks(
                sorted(set(frame["simulations"]) - {0}),
                labels=[str(m) for m in sorted(set(frame["simulations"]) - {0})],
                fontsize=9,
            )
            axis.minorticks_off()
            axis.set_ylim(None, 101)
            axis.set_title(f"{board_name(board)}, {which}", fontsize=10)
            axis.grid(axis="y")
        for axis in axes[-1]:
            axis.set_xlabel("simulations a move")
        for axis in axes[:, 0]:
            axis.set_ylabel("optimal moves, %")
        handles, names = axes[0][0].get_legend_handles_labels()
        figure.tight_layout()
        figure.subplots_adjust(bottom=0.24 if len(sets) > 1 else 0.36)
        figure.legend(handles, names, loc="lower center", ncols=3, fontsize=9)
        return figure

    most = frame[frame["simulations"] == frame["simulations"].max()]
    listed = "; ".join(
        f"{board_name(r.board)}, {r.set}, {name_of(r.player, r.reading)}: {percent(r.optimal)} %"
        for r in most.itertuples()
    )
    return show_figure(
        draw,
        f"Share of value-optimal moves by simulations a move. At the largest budget: {listed}.",
        "Share of moves that keep the value of the position, by budget. Dashed: the final move goes by Q; dotted: by "
        "Q_rave. The grey line is the random player, by expectation.",
        frame,
    )


def budget_table(rows: pd.DataFrame, board: str) -> Html:
    """One game: optimal moves at every budget on both sets, regret and value error at the largest."""
    frame = overall(rows)
    frame = frame[frame["board"] == board]
    budgets, shown = sorted(set(frame["simulations"]) - {0}), []
    for (which, who, reading), group in frame.groupby(["set", "player", "reading"], sort=False):
        by_budget, last = group.set_index("simulations"), group.iloc[-1]
        row = {"set": which, "player": name_of(str(who), str(reading))}
        row |= {f"{m} %": by_budget["optimal"].get(m, by_budget["optimal"].get(0)) for m in budgets}
        row |= {"regret": last["regret"], "value error": last["value_error"]}
        if board == "othello":
            row["discs lost"] = last["discs_lost"]
        shown.append(row)
    formats = {f"{m} %": percent for m in budgets} | dict.fromkeys(("regret", "value error", "discs lost"), _number)
    return show_table(
        pd.DataFrame(shown),
        f"{board_name(board)}: share of optimal moves by simulations a move; regret (value lost per move, "
        "from win to loss 2) and value error at the largest budget. By Q and by Q_rave: other readings of the same "
        "searches.",
        formats,
    )


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}"


def phase_table(rows: pd.DataFrame) -> Html:
    """Optimal moves by phase at the largest budget, final move by visits."""
    most = rows[(rows["simulations"] == rows["simulations"].max()) & (rows["reading"] == "visits")]
    wide = most.pivot_table(
        index=["board", "set", "player"], columns="phase", values="optimal", sort=False
    ).reset_index()  # fmt: skip
    phases = [phase for phase in ("early", "middle", "late") if phase in wide]
    shown = pd.DataFrame({"game": wide["board"].map(board_name), "set": wide["set"], "player": wide["player"]})
    for phase in phases:
        shown[f"{phase} %"] = wide[phase]
    caption = f"Share of optimal moves by phase, {most['simulations'].max()} simulations a move, final move by visits."
    return show_table(shown, caption, {f"{phase} %": percent for phase in phases})


def convergence(rows: pd.DataFrame) -> pd.DataFrame:
    """Per game, player and reading: the share of errors at the last two budgets, both sets together, and what it means.

    *stalls*: the last step removed less than a tenth of the errors though more than 2 % are left; *nearly perfect*: 2 %
    or less are left; *converges* else.
    """
    together = overall(rows.assign(set="both"))
    found = []
    for (board, who, reading), group in together.groupby(["board", "player", "reading"], sort=False):
        line = group.sort_values("simulations")
        if len(line) < 2:
            continue
        before, after = 1 - line["optimal"].iloc[-2], 1 - line["optimal"].iloc[-1]
        removed = (before - after) / before if before > 0 else 0.0
        verdict = "nearly perfect" if after <= NEARLY else "stalls" if removed < STALLED else "converges"
        found.append(
            {"board": board, "player": name_of(str(who), str(reading)), "before": before, "after": after,
             "removed": removed, "verdict": verdict}
        )  # fmt: skip
    return pd.DataFrame(found)


def convergence_table(found: pd.DataFrame, budgets: tuple[int, int]) -> Html:
    """What the last step of the budget does to the errors."""
    shown = found.assign(board=found["board"].map(board_name)).rename(
        columns={"board": "game", "before": f"errors at {budgets[0]} %", "after": f"errors at {budgets[1]} %",
                 "removed": "removed %"}
    )  # fmt: skip
    formats = {c: percent for c in shown if str(c).endswith("%")}
    return show_table(
        shown,
        f"Share of moves not optimal, both sets together. Nearly perfect: at most {100 * NEARLY:.0f} % are left; "
        f"stalls: the last step removed less than {100 * STALLED:.0f} % of the errors.",
        formats,
    )


def convergence_prose(found: pd.DataFrame) -> str:
    """What converges and what does not, in a paragraph."""
    parts = []
    for verdict, words in (
        ("nearly perfect", "nearly perfect"), ("converges", "still improving"), ("stalls", "stalling"),
    ):  # fmt: skip
        group = found[found["verdict"] == verdict]
        if len(group):
            listed = "; ".join(
                f"{who} ({', '.join(board_name(b) for b in part['board'])})"
                for who, part in group.groupby("player", sort=False)
            )
            parts.append(f"**{words.capitalize()}**: {listed}.")
    return " ".join(parts)


def sets_prose(rows: pd.DataFrame) -> str:
    """How the two sets differ, for plain MCTS and RAVE at the largest budget."""
    frame = overall(rows)
    most = frame[(frame["simulations"] == frame["simulations"].max()) & (frame["reading"] == "visits")]
    parts = []
    for (board, who), group in most[most["player"].isin(["MCTS", "RAVE"])].groupby(["board", "player"], sort=False):
        share = group.set_index("set")["optimal"]
        if {"broad", "path"} <= set(share.index):
            parts.append(
                f"{board_name(board)}, {who}: {percent(share['broad'])} % broad, {percent(share['path'])} % on the path"
            )
    return f"With {frame['simulations'].max()} simulations, by visits. " + "; ".join(parts) + "."
