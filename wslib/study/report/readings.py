"""The readings of the formulas: how far each is from Table 5.1, what moves RAVE, and what the table itself cannot be.

Frames have a row per match and reading, as :func:`wslib.study.report.orientation.beside_thesis` makes them.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wslib.study.claims.orientation import claim_1_verdict
from wslib.study.names import board_name, method_name, percent
from wslib.study.report.charts import Look, name_rows, show_panels
from wslib.study.report.look import GREY, OURS, THESIS, Html, show_table, table
from wslib.study.report.orientation import THESIS_GAMES
from wslib.study.statistics import decide


def distances(compared: pd.DataFrame) -> pd.DataFrame:
    """Per reading: root mean square distance to the published cells in percentage points, and the cells that differ."""
    grouped = compared.groupby("reading", sort=False)
    frame = pd.DataFrame(
        {
            "rms": grouped["difference"].apply(lambda d: 100 * float(np.sqrt(np.mean(d**2)))),
            "cells": grouped["differs"].sum().astype(int),
            "of": grouped["differs"].size(),
        }
    )
    if "unit" in compared:
        frame["units"] = grouped["unit"].agg(" ".join)
    for board in dict.fromkeys(compared["board"]):
        of_board = compared[compared["board"] == board].groupby("reading", sort=False)["difference"]
        frame[board] = of_board.apply(lambda d: 100 * float(np.sqrt(np.mean(d**2))))
    return frame.sort_values("rms", kind="stable")


def noise_floor(compared: pd.DataFrame) -> float:
    """Distance in points that chance alone would leave if the printed win rates were the true ones."""
    one = compared.drop_duplicates(["board", "a", "b"])
    variance = one["thesis"] * (1 - one["thesis"]) * (1 / one["games"] + 1 / one["thesis_games"])
    return 100 * float(np.sqrt(variance.mean()))


def distance_table(distance: pd.DataFrame) -> Html:
    """The readings, the closest first."""
    numbers = {"all games": "rms"} | {board_name(board): board for board in _boards(distance)}
    return table(
        distance.reset_index(),
        "How far each reading is from Table 5.1, in percentage points (root mean square over its pairs), and how many "
        "cells differ by more than chance (Fisher's exact test at 5 %).",
        {"reading": "reading"}
        | {head: (column, "{:.1f}") for head, column in numbers.items()}
        | {"cells that differ": lambda row: f"{row.cells} of {row.of}"},
    )


def _boards(distance: pd.DataFrame) -> list[str]:
    return [column for column in distance if column not in ("rms", "cells", "of", "units")]


def distance_figure(distance: pd.DataFrame, floor: float) -> Html:
    """The readings by their distance to Table 5.1."""
    marks = zip(("#0072B2", "#E69F00", "#CC79A7", "#56B4E9", GREY), "os^Dv", strict=True)
    looks = {board: Look(colour, mark, "") for board, (colour, mark) in zip(_boards(distance), marks, strict=False)}
    looks["rms"] = Look(OURS, "|", "")

    def draw(axis: Axes) -> None:
        name_rows(axis, list(distance.index))
        for column, look in looks.items():
            axis.plot(distance[column], -np.arange(len(distance)), markersize=9 if look.mark == "|" else 5,
                      markeredgewidth=2.5 if look.mark == "|" else 1, **look.plot)  # fmt: skip
        axis.axvline(floor, color=THESIS, linestyle="--", linewidth=1)
        axis.set_xlim(left=0)

    nearest, farthest = distance.index[0], distance.index[-1]
    return show_panels(
        {"": draw},
        f"“{nearest}” is nearest to Table 5.1, at {distance['rms'].iloc[0]:.1f} percentage points over all games, "
        f"“{farthest}” farthest, at {distance['rms'].iloc[-1]:.1f}; chance alone leaves {floor:.1f}.",
        f"Of all readings of the formulas, “{nearest}” comes closest to Table 5.1. The dashed line is the distance "
        "that chance alone would leave between two samples of these sizes.",
        distance.reset_index(),
        key={"all games" if name == "rms" else board_name(name): look for name, look in looks.items()}
        | {"chance alone": Look(THESIS, "", "--")},
        across="distance to Table 5.1 (percentage points)",
    )


def impossible_cells(thesis: pd.DataFrame) -> dict[str, object]:
    """What the printed table cannot be: shares that are no count of 500 games, complements that do not add up."""
    rhea = thesis[thesis["column_player"] == "rhea"]["column_win_pct_vs_row"]
    printed = thesis.set_index(["game", "column_player", "row_player"])["column_win_pct_vs_row"]
    odd = [
        f"{board_name(game)}, {method_name(a)} against {method_name(b)}: {value} and {printed[game, b, a]}"
        for (game, a, b), value in printed.items()
        if a > b and abs(value + printed[game, b, a] - 100) > 0.001
    ]
    wins = thesis["column_win_pct_vs_row"] * THESIS_GAMES / 100
    return {
        "rhea pairs": len(rhea),
        "of them whole": int((rhea % 1 == 0).sum()),
        "chance of that": (100 / THESIS_GAMES) ** len(rhea),
        "not adding up": odd,
        "no count of games": int((np.abs(wins - wins.round()) > 0.001).sum()),
    }


def readings_table(claims: dict[str, pd.DataFrame]) -> Html:
    """Claim 1 under each reading: its verdict, the orderings that hold, and the exception."""
    rows = []
    for reading, claim in claims.items():
        orderings, exception = claim[~claim["exception"]], claim[claim["exception"]]
        held = (orderings["verdict"] == decide.REPLICATED).sum()
        row = {"reading": reading, "claim 1": claim_1_verdict(claim), "orderings": f"{held} of {len(orderings)}"}
        for r in exception.itertuples():
            row[f"RHEA against random, {board_name(r.board)} %"] = percent(r.score)
            row["“does not beat it”"] = r.verdict
        rows.append(row)
    return show_table(pd.DataFrame(rows), "What becomes of claim 1 under each reading of the formulas.")


def in_readings(compared: pd.DataFrame, a: str, b: str) -> pd.DataFrame:
    """The match of two players in each reading that changes it: win rates by game, and the distance to the thesis.

    ``rms`` is the root mean square distance over the games, in percentage points; the first row is the default.
    """
    match = compared[(compared["a"] == a) & (compared["b"] == b)]
    first = match.drop_duplicates("unit")  # a reading that changes neither player has the default's matches
    kept = first.groupby("reading", sort=False)["board"].transform("size") == match["board"].nunique()
    wide = first[kept].pivot(index="reading", columns="board", values="score")
    wide = wide.reindex(index=first[kept]["reading"].unique(), columns=match["board"].unique())
    printed = match.drop_duplicates("board").set_index("board")["thesis"]
    wide["rms"] = 100 * ((wide - printed) ** 2).mean(axis=1) ** 0.5
    wide.attrs["thesis"] = printed.to_dict()
    return wide


def in_readings_prose(wide: pd.DataFrame, a: str, b: str) -> str:
    """Which reading of a match comes nearest to the printed win rates, over all games."""
    if wide["rms"].isna().all():
        return "The thesis prints no win rates for these games."
    best, default = wide["rms"].idxmin(), wide.loc["default", "rms"]
    return (
        f"For {method_name(a)} against {method_name(b)}, **{best}** comes nearest to the printed win rates over all "
        f"games, at {wide.loc[best, 'rms']:.1f} points; the default is at {default:.1f}."
    )


def in_readings_table(wide: pd.DataFrame, a: str, b: str) -> Html:
    """A match in several readings, beside the printed win rates."""
    printed = pd.DataFrame([{"reading": "thesis"} | wide.attrs["thesis"]])
    return table(
        pd.concat([printed, wide.reset_index()], ignore_index=True),
        f"What each reading does to {method_name(a)} against {method_name(b)}: win rates in %, and the distance to the "
        "thesis over the games (root mean square, in percentage points).",
        {"reading": "reading"}
        | {board_name(board): (board, percent) for board in wide.attrs["thesis"]}
        | {"distance": ("rms", "{:.1f}")},
    )
