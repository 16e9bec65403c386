"""Pools of networks in a tournament: who has met whom, the rating of every pool, and a row per rated run.

Frames have a row per pair of entrants (``a``, ``b``, their counts), called as :class:`.names.Entrant` says. Elo
values of different pools are on different scales.
"""

from collections.abc import Mapping

import pandas as pd

from wslib.parameters import ParameterError
from wslib.study.names import Entrant
from wslib.study.statistics.pairings import components, ordered_pairs
from wslib.study.statistics.rating import THESIS, Rating, RatingSettings, rate


def round_robin(pairs: pd.DataFrame) -> pd.DataFrame:
    """Of every pool the part in which all have met all.

    Networks that have played only a few of the others, because a tournament is not finished or another experiment let
    them meet, would be rated from few games against few opponents.
    """
    parts = []
    for _, games in pairs.groupby(["board", "pool"], sort=False):
        while True:
            met = pd.concat([games["a"], games["b"]]).value_counts()
            if met.min() == len(met) - 1:
                break
            games = games[(games["a"] != met.index[-1]) & (games["b"] != met.index[-1])]
            if games.empty:
                break
        parts.append(games)
    return pd.concat(parts) if parts else pairs


def pool_ratings(pairs: pd.DataFrame, anchor: str | None = None) -> dict[tuple[str, str], Rating]:
    """The rating of every pool (board, name) whose games connect its entrants; none while no games are there."""
    found: dict[tuple[str, str], Rating] = {}
    if pairs.empty:
        return found
    for (board, pool), games in pairs.groupby(["board", "pool"], sort=False):
        largest = set(components(ordered_pairs(games))[0])
        games = games[games["a"].isin(largest) & games["b"].isin(largest)]
        anchored = (anchor, 0.0) if anchor in largest else None
        found[str(board), str(pool)] = rate_few(games, RatingSettings(anchor=anchored))
    return found


def rate_few(results: pd.DataFrame, settings: RatingSettings) -> Rating:
    """The rating; where so few games leave advantage and drawelo open, with chess values for both."""
    try:
        return rate(results, settings)
    except ParameterError:
        return rate(results, settings.model_copy(update={"advantage": THESIS.advantage, "drawelo": THESIS.drawelo}))


def run_elos(ratings: Mapping[tuple[str, str], Rating], runs: pd.DataFrame | None = None) -> pd.DataFrame:
    """A row per rated run: ``board``, ``pool``, ``kind``, ``seed``, ``elo`` and its interval; of ``runs`` the unit.

    ``noise`` is the standard deviation in Elo that chance in its games alone gives a run's rating.
    """
    parts = []
    for (board, pool), rating in ratings.items():
        frame = rating.frame().merge(pd.DataFrame({"player": rating.players, "noise": rating.noise()}), on="player")
        split = pd.DataFrame([Entrant.named(player) for player in frame["player"]], dtype=object)
        split["kind"] = split["kind"].where(split["seed"].notna())
        parts.append(frame.join(split).assign(board=board, pool=pool))
    if not parts:
        return pd.DataFrame(columns=["player", "elo", "kind", "seed", "iteration", "board", "pool", "noise", "unit"])
    elos = pd.concat(parts, ignore_index=True)
    if runs is None:
        return elos
    if runs.empty:  # as when players without a network have met, and no run is there yet
        return elos.assign(unit=None)
    units = runs.assign(seed=runs["seed"].astype(int).astype(str))[["board", "kind", "seed", "unit"]]
    return elos.merge(units.drop_duplicates(["board", "kind", "seed"]), how="left", on=["board", "kind", "seed"])


def elos_of(found: pd.DataFrame) -> pd.DataFrame:
    """A row per rated run of an experiment, from its labelled results (``run`` and ``pool``); random has Elo 0."""
    runs, pairs = (found[found["part"] == part] if "part" in found else found for part in ("run", "pool"))
    return run_elos(pool_ratings(round_robin(pairs), anchor="random") if len(pairs) else {}, runs)
