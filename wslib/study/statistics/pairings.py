"""Results of games between players: the forms they come in, who is connected to whom, and how varied the games are.

Results count from the side of ``first``, who moves first; the other forms count from the side of player A.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from wslib.parameters import ParameterError, brief
from wslib.study.statistics import stats

COUNTS = ["wins", "draws", "losses"]


def ordered_pairs(results: pd.DataFrame) -> pd.DataFrame:
    """Results as rows ``first, second, wins, draws, losses``, whichever of three forms they come in.

    These rows themselves; games (``a, b, a_first, result_a``, as :meth:`wslib.play.Games.frame` has them); or matches
    (``a, b, wins_first`` … ``losses_second``, counts of A by A's colour).

    >>> match = {"a": "rave", "b": "mcts", "wins_first": 3, "draws_first": 1, "losses_first": 0,
    ...          "wins_second": 2, "draws_second": 0, "losses_second": 2}
    >>> print(ordered_pairs(pd.DataFrame([match])).to_string(index=False))
    first second  wins  draws  losses
     rave   mcts     3      1       0
     mcts   rave     2      0       2
    """
    if not isinstance(results, pd.DataFrame):
        raise ParameterError(f"{brief(results)} is no match and no table of results: tournament(…) rates players")
    if {"first", "second", *COUNTS} <= set(results):
        pairs = results[["first", "second", *COUNTS]]
    elif {"a", "b", "a_first", "result_a"} <= set(results):
        _check_games(results)
        a_first = results["a_first"].to_numpy(bool)
        result = np.where(a_first, results["result_a"], -results["result_a"])
        pairs = pd.DataFrame(
            {
                "first": np.where(a_first, results["a"], results["b"]),
                "second": np.where(a_first, results["b"], results["a"]),
                **{name: (result == value).astype(int) for name, value in zip(COUNTS, (1, 0, -1), strict=True)},
            }
        )
    elif {"a", "b", *(f"{name}_{colour}" for name in COUNTS for colour in ("first", "second"))} <= set(results):
        ahead = {"a": "first", "b": "second", **{f"{name}_first": name for name in COUNTS}}
        behind = {"b": "first", "a": "second", "losses_second": "wins", "draws_second": "draws"}
        behind["wins_second"] = "losses"
        parts = [results[list(names)].rename(columns=names) for names in (ahead, behind)]
        pairs = pd.concat(parts, ignore_index=True)
    else:
        raise ParameterError(
            f"results with the columns {', '.join(map(str, results))} cannot be rated: they should have "
            "first, second, wins, draws, losses; or a, b, a_first, result_a"
        )
    _check(pairs)
    return pairs.groupby(["first", "second"], sort=False, as_index=False)[COUNTS].sum()


def _check_games(results: pd.DataFrame) -> None:
    for name, known, meaning in (
        ("a_first", (0, 1), "whether A moved first, True or False"),
        ("result_a", (1, 0, -1), "1 where A won, 0 for a draw, -1 where A lost"),
    ):
        wrong = results.loc[~results[name].map(lambda value, known=known: value in known), name]
        if len(wrong):
            raise ParameterError(f"{name} = {brief(wrong.tolist()[0])} is not allowed: it should be {meaning}")


def _check(pairs: pd.DataFrame) -> None:
    if pairs.empty:
        raise ParameterError("there are no results to rate: there should be one row at least")
    if pairs[["first", "second"]].isna().any(axis=None):
        raise ParameterError("a player has no name: every row should name the first and the second player")
    with_itself = pairs.loc[pairs["first"] == pairs["second"], "first"]
    if len(with_itself):
        raise ParameterError(f"{with_itself.iloc[0]!r} meets itself: each row should name two different players")
    counts = pairs[COUNTS].select_dtypes("number").reindex(columns=COUNTS).to_numpy(float)  # a text is no count
    wrong = ~(np.isfinite(counts) & (counts >= 0)).all(axis=1)
    if wrong.any():
        row = pairs[wrong].iloc[0]
        shown = ", ".join(f"{row[name]} {name}" for name in COUNTS)
        raise ParameterError(f"{row['first']} against {row['second']} has {shown}: counts should be 0 or more")


def first_listed(pairs: pd.DataFrame) -> pd.DataFrame:
    """Both colours of a pair in one row, in the order in which the pair is listed first: colours are lost."""
    keys = list(zip(pairs["first"], pairs["second"], strict=True))
    place: dict[tuple, int] = {}
    for number, key in enumerate(keys):
        place.setdefault(key, number)
    turned = np.array([place.get(key[::-1], len(keys)) < place[key] for key in keys])
    other = pairs.rename(columns={"first": "second", "second": "first", "wins": "losses", "losses": "wins"})
    joined = pd.concat([pairs[~turned], other.loc[turned, list(pairs)]]).sort_index()
    return joined.groupby(["first", "second"], sort=False, as_index=False)[COUNTS].sum()


def components(pairs: pd.DataFrame, players: Sequence[str] = ()) -> list[list[str]]:
    """Groups of players that games connect, the largest first; ratings of different groups cannot be compared.

    >>> games = pd.DataFrame([("a", "b", 1, 0, 1), ("c", "d", 2, 0, 0)], columns=["first", "second", *COUNTS])
    >>> components(games, players=["e"])
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    names = player_names(pairs, players)
    met = sum(matrices(pairs, names))
    number, label = connected_components(met, directed=False)
    groups = [[name for name, one in zip(names, label, strict=True) if one == k] for k in range(number)]
    return sorted(groups, key=len, reverse=True)


def player_names(pairs: pd.DataFrame, players: Sequence[str]) -> list[str]:
    """All players, in the order of their first appearance in the rows."""
    return list(dict.fromkeys([*pairs[["first", "second"]].to_numpy().ravel(), *players]))


def matrices(pairs: pd.DataFrame, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wins, draws and losses, with the first player in the row and the second in the column."""
    index = {name: i for i, name in enumerate(names)}
    where = pairs["first"].map(index).to_numpy(), pairs["second"].map(index).to_numpy()
    found = []
    for name in COUNTS:
        matrix = np.zeros((len(names), len(names)))
        np.add.at(matrix, where, pairs[name].to_numpy(float))
        found.append(matrix)
    return found[0], found[1], found[2]


def variety(games: pd.DataFrame) -> pd.DataFrame:
    """What ratings rest on, from game records (``a, b, a_first, result_a, moves``): a row per player, then one for all.

    ``distinct`` counts different move lists, within each pairing; ``first_mover`` is the score of whoever moved first.
    """
    records = games[["a", "b", "moves"]].copy()
    records["draw"] = (games["result_a"] == 0).to_numpy()
    first = games["result_a"].where(games["a_first"].astype(bool), -games["result_a"])
    records["first_mover"] = (first + 1) / 2
    records["pair"] = ["\n".join(sorted(pair)) for pair in zip(games["a"].map(str), games["b"].map(str), strict=True)]
    rows = []
    for player in [*dict.fromkeys([*games["a"], *games["b"]]), None]:
        part = records if player is None else records[(records["a"] == player) | (records["b"] == player)]
        row = {
            "player": "all" if player is None else player,
            "games": len(part),
            "distinct": len(part[["pair", "moves"]].drop_duplicates()),
            "draws": part["draw"].mean(),
            "first_mover": part["first_mover"].mean(),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def score_matrix(results: pd.DataFrame, groups: Mapping[str, str] | None = None):
    """Players, points (row against column, a draw is half) and games of every pair, both colours together.

    With ``groups`` (player to group) the groups stand in for their players; games within a group are left out.
    """
    pairs = ordered_pairs(results)
    if groups is not None:
        unknown = [name for name in player_names(pairs, ()) if name not in groups]
        if unknown:
            raise ParameterError(f"groups leaves out {unknown[0]!r}: it should name every player's group")
        pairs = pairs.assign(first=pairs["first"].map(groups), second=pairs["second"].map(groups))
        pairs = pairs[pairs["first"] != pairs["second"]]
    names = player_names(pairs, ())
    wins, draws, losses = matrices(pairs, names)
    games = wins + draws + losses
    return names, wins + losses.T + (draws + draws.T) / 2, games + games.T


def scored(matches: pd.DataFrame) -> pd.DataFrame:
    """Add what is derived from the counts: wins, draws, losses, score, interval, shares."""
    frame = matches.copy()
    # Beside units of other kinds, whose rows lack them, counts have become floats.
    counted = ["games", "distinct", *(f"{n}_{c}" for n in ("wins", "draws", "losses") for c in ("first", "second"))]
    frame[counted] = frame[counted].astype(int)
    for name in ("wins", "draws", "losses"):
        frame[name] = frame[f"{name}_first"] + frame[f"{name}_second"]
    counts = list(zip(frame["wins"], frame["draws"], frame["losses"], strict=True))
    frame["score"] = [stats.score(*c) for c in counts]
    frame["low"], frame["high"] = zip(*(stats.wilson(*c) for c in counts), strict=True)
    frame["p"] = [stats.sign_test(wins, losses) for wins, _, losses in counts]
    frame["drawn"] = frame["draws"] / frame["games"]
    frame["first_mover"] = (frame["wins_first"] + frame["losses_second"]) / frame["games"]
    return frame
