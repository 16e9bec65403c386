"""What the published way of playing tournaments does: how often games repeat, and what becomes of the ratings.

``pairs`` has a row per pairing and way (``board``, ``way``, ``a``, ``b``, the counts of player A by colour,
``distinct``); networks are called ``<kind>-<seed>``. Ratings are Elo; those of different games or ways are pools of
their own, whose random player has 0.
"""

import numpy as np
import pandas as pd
import scipy
from matplotlib.axes import Axes

from wslib.study.claims.ways import ANCHOR, POOL, between_networks
from wslib.study.names import METHODS, board_name, kind_name, percent
from wslib.study.report.charts import Draw, looks_of, show_panels
from wslib.study.report.look import GREY, Html, once_there, table
from wslib.study.report.verdicts import MARKS, wrapping
from wslib.study.statistics.rating import Rating

NAMES = {
    "ours": "openings, fresh trees (ours)",
    "trees kept": "openings, trees kept",
    "empty board": "empty board, fresh trees",
    "old": "empty board, trees kept (the old way)",
}
RATED = {"ours": "our setting", "thesis": "thesis' setting"}
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
    rows = []
    for (board, way), games in between_networks(records).groupby(["board", "way"], sort=False):
        same, chance, steps = 0.0, 0.0, 0
        for _, part in games.groupby(["a", "b", "a_first"], sort=False):
            results, n = part["result_a"].to_numpy(), len(part)
            if n < 2:
                continue
            counts = np.unique(results, return_counts=True)[1]
            same += int(np.sum(results[1:] == results[:-1]))
            chance += (n - 1) * float(np.sum(counts * (counts - 1)) / (n * (n - 1)))
            steps += n - 1
        if steps:
            rows.append({"board": board, "way": way, "same": same / steps, "chance": chance / steps})
    return pd.DataFrame(rows, columns=["board", "way", "same", "chance"])


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


def elos(found: dict[tuple[str, str, str], Rating]) -> pd.DataFrame:
    """A row per game and network, a column per way and setting."""
    columns: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for (board, way, setting), rating in found.items():
        for player in rating.players:
            columns.setdefault((way, setting), {})[board, player] = rating[player]
    frame = pd.DataFrame(columns)
    return frame.rename_axis(["board", "player"]) if columns else frame


@once_there("Elo by way of playing.")
def ratings_table(frame: pd.DataFrame) -> Html:
    """Every entrant's Elo under both ways and both settings."""
    shown = frame.sort_values(("ours", "ours"), ascending=False)
    shown = shown.sort_index(level="board", sort_remaining=False, kind="stable")
    shown.columns = [f"{way} {setting}" for way, setting in frame.columns]
    return table(
        shown.reset_index(),
        "Elo of the same networks, in two ways of playing and two settings of the rating. The random player has 0.",
        {
            "game": ("board", board_name),
            "player": ("player", _player_name),
            "ours": ("ours ours", "{:.0f}"),
            "ours, thesis' setting": ("ours thesis", "{:.0f}"),
            "old way, our setting": ("old ours", "{:.0f}"),
            "old way, thesis' setting": ("old thesis", "{:.0f}"),
        },
    )


def _player_name(player: str) -> str:
    kind, _, seed = player.rpartition("-")
    return f"{kind_name(kind)}, seed {seed}" if kind else kind_name(player)


def correlations(frame: pd.DataFrame) -> pd.DataFrame:
    """Agreement of every way and setting with ours: Kendall's tau over the networks, and the mean move in Elo."""
    rows = []
    for board, group in frame.groupby(level="board", sort=False) if len(frame) else ():
        networks = group[group.index.get_level_values("player") != ANCHOR]
        usual = networks[("ours", "ours")]
        for way, setting in frame.columns:
            other = networks[(way, setting)]
            tau = scipy.stats.kendalltau(usual, other).statistic if len(networks) > 1 else np.nan
            moved = (other - other.mean()) - (usual - usual.mean())
            rows.append({"board": board, "way": way, "setting": setting, "tau": tau, "moved": moved.abs().mean(),
                         "best": other.idxmax()[1]})  # fmt: skip
    return pd.DataFrame(rows)


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
def elo_figure(frame: pd.DataFrame, pairs: pd.DataFrame) -> Html:
    """Elo in the old way, as the thesis rates, against Elo in ours: a mark per network."""
    one, two = ("ours", "ours"), ("old", "thesis")
    networks = frame.drop(index=ANCHOR, level="player", errors="ignore")
    kinds = networks.index.get_level_values("player").str.rsplit("-", n=1).str[0]
    looks = looks_of(sorted(set(kinds), key=list(METHODS).index), line="")

    def drawn(board: str) -> Draw:
        def draw(axis: Axes) -> None:
            rows = networks.loc[board]
            for kind, look in looks.items():
                group = rows[rows.index.str.startswith(f"{kind}-")]
                axis.plot(group[one], group[two], **look.plot)
            axis.axline((rows[one].iloc[0], rows[one].iloc[0]), slope=1, color=GREY, linewidth=0.9)
            axis.grid()

        return draw

    ranks = networks.groupby(level="board", sort=False)[[one, two]].rank()
    apart = (ranks[one] - ranks[two]).abs().groupby(level="board", sort=False).max()
    moved = "; ".join(f"in {board_name(str(board))} by up to {places:.0f} places" for board, places in apart.items())
    return show_panels(
        {board_name(board): drawn(board) for board in dict.fromkeys(frame.index.get_level_values("board"))},
        f"The old way puts the same networks in another order: {moved}.",
        "Each mark is a network, played and rated in our way (across) and in the old way (up). On the line both agree.",
        _flat(frame, pairs),
        key={kind_name(kind): look for kind, look in looks.items()},
        across="Elo, our way and setting",
        up="Elo, old way and setting",
    )


def _flat(frame: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """The ratings with a column per way and setting, and the matches that they come from."""
    flat = frame.copy()
    flat.columns = [f"{way}, {setting} setting" for way, setting in frame.columns]
    flat = flat.reset_index()
    flat["units"] = [
        " ".join(pairs.loc[(pairs["board"] == r.board) & ((pairs["a"] == r.player) | (pairs["b"] == r.player)), "unit"])
        for r in flat.itertuples()
    ]
    return flat


def boards_prose(pairs: pd.DataFrame) -> str:
    """The games that the matches are of."""
    return " and ".join(map(board_name, dict.fromkeys(pairs["board"]))) or "no game"


def order_prose(found: pd.DataFrame) -> str:
    """Whether the order of the networks survives the old way of playing and rating; nothing while nothing is there."""
    usual = found[(found["way"] == "old") & (found["setting"] == "thesis")] if len(found) else found
    known = usual.dropna(subset="tau") if len(usual) else usual
    if known.empty:
        return ""
    listed = " and ".join(f"{r.tau:.2f} in {board_name(r.board)}" for r in known.itertuples())
    same = known["tau"].min() > 0.8
    return (
        f"The two ways put the same networks in {'nearly the same order' if same else 'different orders'}: Kendall's "
        f"tau is {listed}, where one would be the same order."
    )


# --- whole pools --------------------------------------------------------------------------------------------------


def pools_table(found: pd.DataFrame) -> Html:
    """How far every pool's ratings by another way of playing or rating are from ours."""
    found = found.assign(board=[_pool_name(*key) for key in zip(*(found[name] for name in POOL), strict=True)])
    wide = found.pivot(index=["board", "player"], columns=["way", "setting"], values="elo") if len(found) else found
    kinds = found.groupby(["board", "way", "setting", "kind"])["elo"].mean()
    agreed = correlations(wide)
    best = [kinds.loc[row.board, row.way, row.setting].idxmax() for row in agreed.itertuples()]
    sizes = found.groupby("board")["player"].nunique() - 1
    return table(
        agreed.assign(kind=best, networks=[sizes[row.board] for row in agreed.itertuples()]),
        "How far whole pools, played in three ways and rated in two, agree with our way and setting; and the kind of "
        "run with the highest mean.",
        {"pool": "board", "networks": "networks", **AGREEMENT, "best kind": ("kind", kind_name)},
    )


@once_there("the claims under each way of playing and of rating.")
def claims_table(found: pd.DataFrame) -> Html:
    """The claims about trained players under each way (:func:`wslib.study.claims.ways.under_each_way`)."""
    return table(
        found,
        "The claims under each way of playing and of rating. The first row of each claim is ours and decides. Only "
        "networks that have met all others in all three ways are counted; the effect is that of the part that "
        "decides the verdict.",
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
        others = rows[rows["verdict"] != ours]
        if others.empty:
            kept.append(str(claim))
        ways = [f"*{r.verdict}* by {NAMES[r.way]}, {RATED[r.setting]}" for r in others.itertuples()]
        texts += [f"Claim {claim} is *{ours}* by our way and setting, but {'; '.join(ways)}."] if ways else []
    if kept:
        several = f"Claims {', '.join(kept[:-1])} and {kept[-1]} have" if len(kept) > 1 else f"Claim {kept[0]} has"
        texts.append(f"{several} the same verdict under all ways of playing and rating.")
    follows = "A verdict that changes says as much about how networks are compared as about how they were trained."
    return " ".join([*texts, follows] if len(kept) < found["id"].nunique() else texts)


def _pool_name(figure: str, board: str, name: str) -> str:
    return f"{board_name(board)}: {figure}" + (f", {kind_name(name)}" if figure == "iprime" else "")
