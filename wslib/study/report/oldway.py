"""What the published way of playing tournaments does: how often games repeat, and what becomes of the ratings.

``pairs`` has a row per pairing and way (``board``, ``way``, ``a``, ``b``, the counts of player A by colour,
``distinct``); networks are called as :class:`.names.Entrant` says. Ratings are Elo; those of different games or
ways are pools of their own, whose random player has 0.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import scipy
from matplotlib.axes import Axes

from wslib.study.claims.ways import ANCHOR, between_networks
from wslib.study.names import METHODS, Entrant, board_name, kind_name, listed, percent
from wslib.study.report.charts import by_panel, lines, looks_of, show_panels
from wslib.study.report.look import GREY, Html, once_there, table
from wslib.study.report.verdicts import MARKS, wrapping
from wslib.study.statistics.rating import Rating

NAMES = {
    "ours": "openings, fresh trees (ours)",
    "trees kept": "openings, trees kept",
    "empty board": "empty board, fresh trees",
    "old": "empty board, trees kept (the old way)",
}
RATED = {"ours": "our setting", "thesis": "the author's setting"}
FIGURES = {"warmstart": "Figures 5.1 and 5.2", "iprime": "Figure 6.1", "adaptive_vs_fixed": "Figure 6.3"}
"""The thesis' figures whose pools are played in three ways, by the name of their experiment."""
AGREEMENT = {
    "played": ("way", NAMES.get),
    "rated": ("setting", RATED.get),
    "Kendall's tau": ("tau", "{:.2f}"),
    "Elo moved on average": ("moved", "{:.0f}"),
}
"""Columns of a table of :func:`correlations`."""


@once_there("how much games repeat.")
def ways_table(pairs: pd.DataFrame) -> Html:
    """How much the games of a pairing repeat each other, way by way."""
    networks = between_networks(pairs)
    networks = networks.assign(
        first=networks["wins_first"] + networks["losses_second"],
        drawn=networks["draws_first"] + networks["draws_second"],
    )
    groups = networks.groupby(["board", "way"], sort=False)
    cells = groups[["games", "first", "drawn"]].sum().join(groups[["repeats", "looks_repeated"]].mean())
    cells = cells.join(groups["distinct"].agg(["mean", "min", "max"]))
    return table(
        cells.reset_index(),
        f"How much games repeat in four ways of playing: {groups.size().max()} pairings of two networks in each game "
        f"and way, of {pairs['games'].max():.0f} games each. Distinct games: mean, fewest and most. One outcome per "
        "colour: all games with the same colours end alike. In the totals one only sees whether wins, draws and "
        "losses are none, half or all of the games.",
        {
            "game": ("board", board_name),
            "way": ("way", NAMES.get),
            "distinct games": lambda row: f"{row.mean:.1f} ({row.min:.0f} to {row.max:.0f})",
            "one outcome per colour %": ("repeats", percent),
            "looks so in the totals %": ("looks_repeated", percent),
            "first mover's score %": lambda row: percent((row.first + row.drawn / 2) / row.games),
            "draws %": lambda row: percent(row.drawn / row.games),
        },
    )


def streaks(records: pd.DataFrame) -> pd.DataFrame:
    """How often a game between networks ends like the one before it with the same colours, and how often by chance.

    ``records`` has a row per game in the order of play (``board``, ``way``, ``a``, ``b``, ``a_first``, ``result_a``).
    By chance means: if the same results had come in any other order.
    """
    if records.empty:
        return records
    keys = ["board", "way"]
    results = between_networks(records).groupby([*keys, "a", "b", "a_first"], sort=False)["result_a"]
    parts = results.agg(steps=lambda r: len(r) - 1, same=lambda r: r.eq(r.shift()).sum(), chance=_neighbours_alike)
    sums = parts.groupby(keys, sort=False).sum().query("steps > 0")
    return sums[["same", "chance"]].div(sums["steps"], axis=0).reset_index()


def _neighbours_alike(results: pd.Series) -> float:
    """How many neighbours are expected to be alike if any order of the results is as likely as any other."""
    counts = results.value_counts()
    return float((counts * (counts - 1)).sum() / len(results))


@once_there("how often a game ends like the one before it.")
def streaks_table(found: pd.DataFrame) -> Html:
    """:func:`streaks` as a table."""
    return table(
        found,
        "How often a game between two networks ends like the one before it with the same colours, and how often it "
        "would if the results came in any other order.",
        {
            "game": ("board", board_name),
            "way": ("way", NAMES.get),
            "ends like the last %": ("same", percent),
            "in any other order %": ("chance", percent),
        },
    )


def elos(found: Mapping[tuple[str, str, str], Rating]) -> pd.DataFrame:
    """A row per game, way, setting and ``player``, with its ``kind`` and ``elo``; of :func:`.ways.ratings`."""
    rows = [(*key, player, Entrant.named(player).kind, rating[player])
            for key, rating in found.items() for player in rating.players]  # fmt: skip
    return pd.DataFrame(rows, columns=["board", "way", "setting", "player", "kind", "elo"])


def _wide(found: pd.DataFrame) -> pd.DataFrame:
    """Elo with a row per entrant, and a column per way and setting, as in "old, thesis setting"."""
    named = found.assign(how=found["way"] + ", " + found["setting"] + " setting")
    wide = named.pivot_table(index=["board", "player", "kind"], columns="how", values="elo", sort=False)
    return wide.reset_index().rename_axis(columns=None)


@once_there("Elo by way of playing.")
def ratings_table(found: pd.DataFrame) -> Html:
    """Every entrant's Elo under both ways and both settings."""
    return table(
        _wide(found).sort_values("ours, ours setting", ascending=False).sort_values("board", kind="stable"),
        "Elo of the same networks, in two ways of playing and two settings of the rating. The random player has 0.",
        {
            "game": ("board", board_name),
            "player": ("player", _player_name),
            "ours": ("ours, ours setting", "{:.0f}"),
            "ours, author's setting": ("ours, thesis setting", "{:.0f}"),
            "old way, our setting": ("old, ours setting", "{:.0f}"),
            "old way, author's setting": ("old, thesis setting", "{:.0f}"),
        },
    )


def _player_name(player: str) -> str:
    kind, seed, _ = Entrant.named(player)
    return kind_name(kind) + (f", seed {seed}" if seed else "")


def correlations(found: pd.DataFrame) -> pd.DataFrame:
    """Agreement of every way and setting with ours: Kendall's tau over the networks, and the mean move in Elo.

    ``found`` is of :func:`elos`; a row per ``board``, ``way`` and ``setting``, with the ``best`` network.
    """
    rows = []
    for board, here in found[found["player"] != ANCHOR].groupby("board", sort=False):
        by_way = {key: group.set_index("player")["elo"] for key, group in here.groupby(["way", "setting"], sort=False)}
        usual = by_way["ours", "ours"]
        for (way, setting), elo in by_way.items():
            other = elo[usual.index]
            tau = scipy.stats.kendalltau(usual, other).statistic if len(usual) > 1 else np.nan
            moved = ((other - other.mean()) - (usual - usual.mean())).abs().mean()
            rows.append((board, way, setting, tau, moved, other.idxmax()))
    return pd.DataFrame(rows, columns=["board", "way", "setting", "tau", "moved", "best"])


@once_there("how far the ways agree.")
def correlations_table(found: pd.DataFrame) -> Html:
    """:func:`correlations` as a table."""
    return table(
        found,
        "How far each way of playing and rating agrees with ours, the first row of each game: in the order of the "
        "networks (1: the same), and in their distances once both means are made equal.",
        {"game": ("board", board_name), **AGREEMENT, "best network": ("best", _player_name)},
    )


@once_there("Elo in our way and in the old way.")
def elo_figure(found: pd.DataFrame, pairs: pd.DataFrame) -> Html:
    """Elo in the old way and the author's setting against Elo in ours: a mark per network."""
    one, two, wide = "ours, ours setting", "old, thesis setting", _wide(found)
    networks = wide[wide["player"] != ANCHOR]
    looks = looks_of(sorted(set(networks["kind"]), key=list(METHODS).index), line="")

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        lines(axis, rows, one, two, looks)
        axis.axline((rows[one].iloc[0], rows[one].iloc[0]), slope=1, color=GREY, linewidth=0.9)
        axis.grid()

    ranks = networks.groupby("board", sort=False)[[one, two]].rank()
    apart = (ranks[one] - ranks[two]).abs().groupby(networks["board"], sort=False).max()
    moved = "; ".join(f"in {board_name(str(board))} by up to {places:.0f} places" for board, places in apart.items())
    wide["units"] = [
        " ".join(pairs.loc[(pairs["board"] == r.board) & (pairs[["a", "b"]] == r.player).any(axis=1), "unit"])
        for r in wide.itertuples()
    ]
    return show_panels(
        by_panel(networks, draw),
        f"The old way puts the same networks in another order: {moved}.",
        "Each mark is a network, played and rated in our way (across) and in the old way (up). On the line both agree.",
        wide.drop(columns="kind"),
        key=looks,
        across="Elo, our way and setting",
        up="Elo, old way and setting",
    )


def boards_prose(pairs: pd.DataFrame) -> str:
    """The games that the matches are of."""
    return listed(map(board_name, dict.fromkeys(pairs["board"]))) or "no game"


def order_prose(found: pd.DataFrame) -> str:
    """Whether the order of the networks survives the old way of playing and rating; nothing while nothing is there."""
    known = found[(found["way"] == "old") & (found["setting"] == "thesis")].dropna(subset="tau")
    if known.empty:
        return ""
    taus = listed(f"{r.tau:.2f} in {board_name(r.board)}" for r in known.itertuples())
    same = known["tau"].min() > 0.8
    return (
        f"The two ways put the same networks in {'nearly the same order' if same else 'different orders'}: Kendall's "
        f"tau is {taus}, where one would be the same order."
    )


# --- whole pools --------------------------------------------------------------------------------------------------


def pools_table(found: pd.DataFrame) -> Html:
    """How far every pool's ratings by another way of playing or rating are from ours."""
    iprime = (", " + found["pool"].map(kind_name)).where(found["figure"] == "iprime", "")
    found = found.assign(board=found["board"].map(board_name) + ", " + found["figure"].map(FIGURES) + iprime)
    kinds = found.groupby(["board", "way", "setting", "kind"])["elo"].mean()
    sizes = found[found["player"] != ANCHOR].groupby("board")["player"].nunique()
    return table(
        correlations(found),
        "How far whole pools, played in three ways and rated in two, agree with our way and setting; and the kind of "
        "run with the highest mean.",
        {"pool": "board", "networks": lambda row: str(sizes[row.board])}
        | AGREEMENT
        | {"best kind": lambda row: kind_name(kinds[row.board, row.way, row.setting].idxmax())},
    )


@once_there("the claims under each way of playing and of rating.")
def claims_table(found: pd.DataFrame) -> Html:
    """The claims about trained players under each way (:func:`wslib.study.claims.ways.under_each_way`)."""
    return table(
        found,
        "The claims under each way of playing and of rating. The first row of each claim is ours and decides. Only "
        "networks that have met all others in all three ways are counted; the effect is that of the part that "
        "decides the verdict. S and a number: another sentence of the sources, quoted on the page of the verdicts.",
        {
            "claim": ("id", str),
            "played": AGREEMENT["played"],
            "rated": AGREEMENT["rated"],
            "verdict": lambda row: wrapping(MARKS[row.verdict] + row.shown, 8),
            "parts": ("ours", str),
            "effect (95 % interval)": lambda row: wrapping(row.effect, 8),
            "runs": ("runs", str),
        },
    )


@once_there("whether the claims hang on how networks play and are rated.")
def claims_prose(found: pd.DataFrame) -> str:
    """Which claims another way of playing or rating would have given another verdict, and what follows."""
    texts, kept = [], []
    for claim, rows in found.groupby("id", sort=False):
        ours = rows[(rows["way"] == "ours") & (rows["setting"] == "ours")]["verdict"].iloc[0]
        counts = rows.loc[rows["verdict"] != ours, "verdict"].value_counts()
        if counts.empty:
            kept.append(str(claim))
            continue
        said = listed(f"{number} come to *{verdict}*" for verdict, number in counts.items())
        texts.append(
            f"The verdict on claim {claim} is *{ours}* by our way and setting; "
            f"of the {len(rows) - 1} other ways to play and rate, {said}."
        )
    if kept:
        several = f"Claims {listed(kept)} have" if len(kept) > 1 else f"Claim {kept[0]} has"
        texts.append(f"{several} the same verdict under all ways of playing and rating.")
    follows = "A verdict that changes says as much about how networks are compared as about how they were trained."
    return " ".join([*texts, follows] if len(kept) < found["id"].nunique() else texts)
