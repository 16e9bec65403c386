"""Players held against perfect play: share of optimal moves by budget, by reading and by phase; what converges.

``rows`` have a row per player, reading of its final move, budget (``simulations``), ``board``, ``set`` and ``phase``,
with the number of ``positions`` and the means of the measures. Shares are of positions, a standard error comes from
their number.
"""

import pandas as pd
from matplotlib.axes import Axes

from wslib.study.names import board_name, percent
from wslib.study.report.charts import Look, by_panel, finding, lines, show_panels, ticks_at
from wslib.study.report.look import Html, look_of, table

MEASURES = ("optimal", "regret", "discs_lost", "value_error")
READINGS = {"visits": "visits", "q": "Q", "q_rave": "Q_rave"}
_LINES = {"visits": "-", "q": "--", "q_rave": ":"}
_LOOKS = {"RAVE, path only": Look("#B07D2B", "D")}
"""Of players that are not simply a method."""
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
    groups = rows.assign(**{name: rows[name] * rows["positions"] for name in MEASURES}).groupby(
        ["board", "set", "player", "reading", "simulations"], sort=False
    )
    positions, sums = groups["positions"].sum(), groups[list(MEASURES)].sum(min_count=1)
    found = positions.to_frame().join(sums.div(positions, axis=0))
    if "unit" in rows:
        found["units"] = groups["unit"].agg(lambda units: " ".join(dict.fromkeys(units)))
    return found.reset_index()


def name_of(player: str, reading: str) -> str:
    """A player with the reading of its final move, where it has a choice."""
    return player if reading == "visits" else f"{player}, by {READINGS[reading]}"


def optimal_figure(rows: pd.DataFrame) -> Html:
    """Share of optimal moves by budget: a panel per game and set, a line per player and reading."""
    frame = overall(rows).assign(percent=lambda f: 100 * f["optimal"])
    frame["name"] = [name_of(*key) for key in zip(frame["player"], frame["reading"], strict=True)]
    frame["panel"] = frame["board"].map(board_name) + ", " + frame["set"]
    players = frame.drop_duplicates("name").set_index("name")
    looks = {
        name: _LOOKS.get(row.player, look_of(row.player))._replace(line=_LINES[row.reading])
        for name, row in players.iterrows()
    }
    if "Random" in looks:
        looks["Random"] = looks["Random"]._replace(mark="")

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        for level in rows.loc[rows["name"] == "Random", "percent"]:
            axis.axhline(level, color=looks["Random"].colour, linewidth=1)
        lines(axis, rows[rows["name"] != "Random"], "simulations", "percent", looks, "name")
        ticks_at(axis, list(set(frame["simulations"]) - {0}), log=True)
        axis.set_ylim(None, 101)
        axis.grid(axis="y")

    most = frame[frame["simulations"] == frame["simulations"].max()]
    return show_panels(
        by_panel(pd.concat(part for _, part in frame.groupby("set", sort=False)), draw, "panel"),
        f"Optimal moves with {frame['simulations'].max()} simulations, in %, both sets. "
        + finding(most, "percent", "{:.0f}", name="name"),
        "How often each player makes a move that keeps the value of the position, by budget. Dashed: the final move "
        "goes by Q; dotted: by Q_rave. The line across is what a random player can expect.",
        frame.drop(columns=["name", "percent", "panel"]),
        key=looks,
        across="simulations a move",
        up="optimal moves, %",
    )


def budget_table(rows: pd.DataFrame, board: str) -> Html:
    """One game: optimal moves at every budget on both sets, regret and value error at the largest."""
    frame = overall(rows)
    frame = frame[frame["board"] == board]
    budgets = sorted(set(frame["simulations"]) - {0})
    keys = ["set", "player", "reading"]
    wide = frame.pivot_table(index=keys, columns="simulations", values="optimal", sort=False)
    # The random player has no budget: its share stands in every column.
    wide = wide[budgets].apply(lambda share: share.fillna(wide[0]) if 0 in wide else share)
    last = frame.groupby(keys, sort=False)[list(MEASURES[1:])].last()
    measures = ("regret", "value_error", *(("discs_lost",) if board == "othello" else ()))
    return table(
        wide.join(last).reset_index(),
        f"How close each player comes to perfect play in {board_name(board)}: optimal moves by simulations a move, and "
        "regret (value lost a move; from a win to a loss is 2) and value error at the largest budget. By Q and by "
        "Q_rave are other readings of the same searches.",
        {"set": "set", "player": lambda row: name_of(row.player, row.reading)}
        | {f"{budget} %": (budget, percent) for budget in budgets}
        | {measure.replace("_", " "): (measure, "{:.2f}") for measure in measures},
    )


def phase_table(rows: pd.DataFrame) -> Html:
    """Optimal moves by phase at the largest budget, final move by visits."""
    most = rows[(rows["simulations"] == rows["simulations"].max()) & (rows["reading"] == "visits")]
    wide = most.pivot_table(
        index=["board", "set", "player"], columns="phase", values="optimal", sort=False
    ).reset_index()  # fmt: skip
    return table(
        wide,
        f"How often players move optimally early, in the middle and late in a game: with {most['simulations'].max()} "
        "simulations a move, and the final move by visits.",
        {"game": ("board", board_name), "set": "set", "player": "player"}
        | {f"{phase} %": (phase, percent) for phase in ("early", "middle", "late") if phase in wide},
    )


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
    return table(
        found,
        "What the last step of the budget does to the errors, the moves that are not optimal, in both sets together. "
        f"Nearly perfect: at most {100 * NEARLY:.0f} % are left; stalls: the step removed less than "
        f"{100 * STALLED:.0f} % of them.",
        {
            "game": ("board", board_name),
            "player": "player",
            f"errors at {budgets[0]} %": ("before", percent),
            f"errors at {budgets[1]} %": ("after", percent),
            "removed %": ("removed", percent),
            "verdict": "verdict",
        },
    )


def convergence_prose(found: pd.DataFrame) -> str:
    """In how many cases more search goes on helping: final moves by visits, by Q and by Q_rave, and those of RHEA."""
    if found.empty:
        return "One budget says nothing about whether more search brings players closer to perfect play."
    groups = {
        "by visits": ~found["player"].str.contains(", by |RHEA"),
        "by the mean value Q": found["player"].str.endswith(", by Q"),
        "by Q_rave": found["player"].str.endswith(", by Q_rave"),
    }
    helped: dict[bool, list[str]] = {True: [], False: []}
    for how, those in groups.items():
        if those.any():
            number = int((found.loc[those, "verdict"] != "stalls").sum())
            helped[2 * number > those.sum()].append(f"{how} ({number} of {those.sum()} cases)")
    text = "**Does more search bring a player closer to perfect play?**"
    text += f" Yes, where the final move goes {' or '.join(helped[True])}." if helped[True] else ""
    text += f" Mostly not, where it goes {' or '.join(helped[False])}." if helped[False] else ""
    rhea = found.loc[found["player"].str.contains("RHEA"), "verdict"]
    text += f" RHEA gains in {(rhea != 'stalls').sum()} of {len(rhea)} games." if len(rhea) else ""
    best = found.loc[found.groupby("board", sort=False)["after"].idxmin()]
    least = ", ".join(f"{100 * r.after:.0f} % in {board_name(r.board)}" for r in best.itertuples())
    return (
        f"{text} With the largest budget, the best player still gives something away in so many of its moves: {least}."
    )
