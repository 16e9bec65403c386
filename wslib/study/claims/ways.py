"""Claims about rated runs under each way of playing and of rating them: ours decides, the others show what hangs on it.

``pairs`` have a row per pairing of two entrants and way of playing (``figure``, ``board``, ``pool``, ``way``, ``a``,
``b``, the counts of player A by colour). Every way is judged like ours: all claims about an experiment's rated runs are
tested together, by the run, with Holm's correction over them. Only networks that have met in all ways are compared.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wslib.study.claims.sentences import CLAIMS, Claim
from wslib.study.claims.table import judged_on, row_and_parts
from wslib.study.engine import units as study
from wslib.study.names import Entrant
from wslib.study.pages.old_way import WAYS, WHOLE, PublishedTournaments
from wslib.study.statistics.pairings import COUNTS, ordered_pairs
from wslib.study.statistics.pools import rate_few, round_robin, run_elos
from wslib.study.statistics.rating import THESIS, Rating, RatingSettings

ANCHOR = "random"
SHOWN = ("3", "4", "5", "7", "S01", "S02")
"""The claims about trained players, and the sentences about levels."""
SETTINGS = {"ours": RatingSettings(), "thesis": THESIS}
"""How games are rated: our setting, and that of the thesis."""
POOL = ("figure", "board", "pool")
"""What tells one pool from another."""


def complete(pairs: pd.DataFrame, asked: Sequence[str] = WAYS) -> pd.DataFrame:
    """The pairings that were played in all ways, with what each tells: a comparison needs the same pairings.

    While no two networks are among them, there is nothing to compare.
    """
    if pairs.empty:
        return pairs
    pairs = pairs.copy()
    pairs["pair"] = ["\n".join(sorted(names)) for names in zip(pairs["a"], pairs["b"], strict=True)]
    ways = pairs.groupby(["board", "pair"])["way"].transform("nunique")
    pairs = pairs[ways == len(asked)].drop(columns="pair")
    half = pairs["games"] / 2
    by_colour = [pairs[[f"{name}_{colour}" for name in COUNTS]].max(axis=1) for colour in ("first", "second")]
    pairs["repeats"] = (by_colour[0] == half) & (by_colour[1] == half)
    totals = [pairs[f"{name}_first"] + pairs[f"{name}_second"] for name in COUNTS]
    pairs["looks_repeated"] = np.logical_and.reduce([total % half == 0 for total in totals])
    pairs["score"] = (totals[0] + totals[1] / 2) / pairs["games"]
    return pairs.reset_index(drop=True) if len(between_networks(pairs)) else pairs.iloc[:0]


def between_networks(pairs: pd.DataFrame) -> pd.DataFrame:
    """Without the random player, whose games are all different anyway."""
    return pairs[(pairs["a"] != ANCHOR) & (pairs["b"] != ANCHOR)]


def ratings(pairs: pd.DataFrame) -> dict[tuple[str, str, str], Rating]:
    """The ratings by game, way and setting (``ours`` or ``thesis``); the random player, where there is one, has 0."""
    order = {name: place for place, name in enumerate(_listed(pairs))}
    anchor = {"anchor": (ANCHOR, 0.0) if ANCHOR in order else None}
    found = {}
    for (board, way), group in pairs.groupby(["board", "way"], sort=False):
        results = ordered_pairs(group)
        # The author's lists name the earlier entrant first; where colours are lost, that decides who is given the move.
        later = results["first"].map(order) > results["second"].map(order)
        results = pd.concat([results[~later], results[later]])
        for name, settings in SETTINGS.items():
            found[str(board), str(way), name] = rate_few(results, settings.model_copy(update=anchor))
    return found


def _listed(pairs: pd.DataFrame) -> list[str]:
    """The entrants by kind and seed in the order in which they appear, the random player last."""
    names = list(dict.fromkeys(pairs[["a", "b"]].to_numpy().ravel()))
    kinds = list(dict.fromkeys(Entrant.named(name).kind for name in sorted(names)))
    return sorted(names, key=lambda name: (name == ANCHOR, kinds.index(Entrant.named(name).kind), name))


def runs_by_way(pairs: pd.DataFrame) -> pd.DataFrame:
    """A row per rated run, way and setting, as :func:`wslib.study.statistics.pools.run_elos` has them (random: Elo 0).

    Besides ``figure``, ``way`` and ``setting`` ("ours" or "thesis"); of each pool the networks that met in all ways.
    """
    parts = []
    for (figure, board, name), group in pairs.groupby(list(POOL), sort=False) if len(pairs) else ():
        ways = [round_robin(games) for _, games in complete(group, WHOLE).groupby("way", sort=False)]
        if not sum(map(len, ways)):
            continue
        for (_, way, setting), rating in ratings(pd.concat(ways)).items():
            elos = run_elos({(str(board), str(name)): rating})
            parts.append(elos.assign(figure=figure, way=way, setting=setting))
    columns = [*POOL, "way", "setting", "player", "kind", "seed", "elo", "noise"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def under_each_way(elos: pd.DataFrame, experiments: Mapping[str, Any]) -> pd.DataFrame:
    """The :data:`SHOWN` claims that have runs under each way and setting, as rows of the table of claims; ours first.

    ``elos`` are :func:`runs_by_way`; ``experiments`` are those of the figures, as they are designed, by name. Besides
    the columns of a row (``id``, ``verdict``, ``shown``, ``effect`` ...): ``way`` and ``setting``.
    """
    rows = []
    for (figure, way, setting), found in elos.groupby(["figure", "way", "setting"], sort=False):
        judged = {str(figure): judged_on(str(figure), found, experiments[str(figure)])}
        for claim in (c for c in CLAIMS if isinstance(c, Claim) and c.id in SHOWN and c.page == figure):
            row, _ = row_and_parts(claim.id, judged)
            rows += [{**row, "way": way, "setting": setting}] if row["runs"] != "0" else []
    columns = ["id", "says", "way", "setting", "verdict", "shown", "ours", "effect", "runs"]
    return pd.DataFrame(rows, columns=columns).sort_values("id", kind="stable", ignore_index=True)


def of_figure(asked: Any) -> pd.DataFrame:
    """The claims of an experiment under each way, from the tournaments that are published or stored."""
    names = ("preset", "runs", "first_seed", "iterations", "games", "device", "runtime", "precision", "workers")
    same = {name: getattr(asked, name) for name in names}
    ways = PublishedTournaments(figures=(asked.name,), boards=asked.boards, methods=asked.methods, **same)
    pairs = ways.pool_units()
    found = study.results([unit for unit, _ in pairs], ways.name, asked.workers, compute=False)
    labelled = pd.DataFrame([labels for _, labels in pairs]).join(found, how="inner")
    return under_each_way(runs_by_way(labelled), {asked.name: asked})
