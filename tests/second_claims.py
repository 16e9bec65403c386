"""The seven claims by the second path: what each consists of, and its verdict, from the published tables alone."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy
from second_path import (
    GAMES,
    KIND,
    METHODS,
    NEVER,
    OPEN,
    OPPOSITE,
    SMALL,
    YES,
    Family,
    Group,
    all_of,
    counts_of,
    group_of,
    holm,
    ordering_word,
    p_of,
    permutation_p,
    pool,
    published,
    runs_of,
    turned,
    wilson,
)

Found = tuple[str, list[str]]
"""The verdict on a claim, and those on its parts."""
BASELINE: KIND = ("baseline", "none", None)
MCTS = {"amaf": None, "amaf_players": None, "beta": None, "c": 1.0, "equivalence": None, "method": "mcts",
        "policy": "visits", "rule": "puct", "simulations": 100, "tree": "fresh"}  # fmt: skip
PLAYERS = {
    "random": {"method": "random"}, "mcts": MCTS,
    "rave": {**MCTS, "method": "rave", "amaf": "path+rollout", "amaf_players": "own", "beta": "state",
             "equivalence": 100.0},
    "rhea": {"horizon": 10, "illegal": "repair", "method": "rhea", "mutation": 0.2, "population": 10, "rollouts": 100,
             "rollouts_per_individual": 2},
}  # fmt: skip


def claim_1(units: pd.DataFrame) -> Found:
    """RAVE > MCTS > RHEA > random in nearly all cases, but not RHEA > random in Othello."""
    found = {}
    for row in units[units["kind"] == "match"].to_dict("records"):
        asked = row["asked"]
        if asked["games"] != 500 or asked["seed"] or asked["opening_plies"]:
            continue
        for board, game in GAMES.items():
            for a, b in combinations(("rave", "mcts", "rhea", "random"), 2):
                if asked["game"] == game and (asked["a"], asked["b"]) == (PLAYERS[a], PLAYERS[b]):
                    found[board, a, b] = counts_of(row)
                if asked["game"] == game and (asked["a"], asked["b"]) == (PLAYERS[b], PLAYERS[a]):
                    found[board, a, b] = counts_of(row)[::-1]
    if len(found) < 18:
        return OPEN, []
    p = holm({key: scipy.stats.binomtest(w, w + lost).pvalue for key, (w, _, lost) in found.items()})
    words = {}
    for key, counts in found.items():
        exception = key == ("othello", "rhea", "random")
        lead = (counts[0] - counts[2]) / 2 / sum(counts)
        high = wilson(*counts, 0.95 if exception else 1 - 0.05 / 18)[1] - 0.5
        word = ordering_word(lead, high, p[key], 0.03)
        words[key] = turned(word) if exception else word
    exception = words.pop(("othello", "rhea", "random"))
    parts = list(words.values())
    return all_of([all_of(parts, 0.9), exception]), [*parts, exception]


def claim_2(units: pd.DataFrame) -> Found:
    """Table 6.1: who beats Baseline untrained, who is weakest and strongest, and in which game most is won."""
    cells: dict[tuple[str, str], tuple[float, float, float]] = {}
    for row in units[units["kind"] == "untrained"].to_dict("records"):
        asked = row["asked"]
        usual = {"b": "baseline", "channels": 32, "games": 100, "networks": "per game", "policy": "visits", "seed": 0,
                 "simulations": 100}  # fmt: skip
        if {key: value for key, value in asked.items() if key not in ("a", "game")} == usual:
            for board, game in GAMES.items():
                if game == asked["game"]:
                    cells[board, asked["a"]] = counts_of(row)
    if len(cells) < 15:
        return OPEN, []
    for board in ("connect4", "gobang"):
        means = np.mean([cells[board, method] for method in METHODS], axis=0)
        cells[board, "all"] = (float(means[0]), float(means[1]), float(means[2]))
    beaten = [((board, method), None) for board in GAMES for method in METHODS]
    pairs: list[Any] = [((b, m), (b, "rave")) for b in GAMES for m in METHODS if m != "rave"]
    best = {"connect4": "wrora", "gobang": "rora"}
    pairs += [((b, best[b]), (b, m)) for b in best for m in METHODS if m not in (best[b], "rave")]
    pairs += [(("othello", m), (b, m)) for b in best for m in METHODS]
    pairs += [(("connect4", "all"), ("gobang", "all"))]
    p, leads, highs = {}, {}, {}
    parts = len(beaten) - 2 + len(pairs)  # RAVE above Baseline is claimed in Othello only
    for pair in beaten + pairs:
        (w, d, lost), other = cells[pair[0]], cells.get(pair[1])
        rate, upper = (w + d / 2) / (w + d + lost), wilson(w, d, lost, 1 - 0.05 / parts)[1]
        if other is None:
            p[pair] = scipy.stats.binomtest(int(w), int(w + lost)).pvalue
            leads[pair], highs[pair] = rate - 0.5, upper - 0.5
            continue
        theirs = (other[0] + other[1] / 2) / sum(other)
        won = [round((c[0] + c[1] / 2) / sum(c) * sum(c)) for c in ((w, d, lost), other)]
        p[pair] = scipy.stats.fisher_exact([[n, 100 - n] for n in won]).pvalue
        below = wilson(*other, 1 - 0.05 / parts)[0]
        leads[pair], highs[pair] = rate - theirs, rate - theirs + np.hypot(upper - rate, theirs - below)
    corrected = holm(p)
    claimed = [pair for pair in p if pair not in ((("connect4", "rave"), None), (("gobang", "rave"), None))]
    words = [ordering_word(leads[pair], highs[pair], corrected[pair], 0.03) for pair in claimed]
    return all_of(words), words


def warmstart(rated: dict[str, pd.DataFrame]) -> tuple[Family, Callable[[str, str], tuple[str, KIND]]]:
    """All tests that sentences make of Fig. 5.1 and 5.2."""

    def kind(board: str, method: str) -> tuple[str, KIND]:
        return board, BASELINE if method == "baseline" else (method, "fixed", 5)

    groups: dict[Any, Group] = {}
    named: list[tuple[Any, Any]] = []
    for board, elos in rated.items():
        for method in ("baseline", *METHODS):
            groups[kind(board, method)] = group_of(elos, [kind(board, method)[1]])
        named += [(kind(board, a), kind(board, b)) for a, b in combinations(("baseline", *METHODS), 2)]
        for one, other in (
            (("wro", "wrora"), ("rollout", "rave", "rora")),
            (("rave", "rora", "wrora"), ("rollout", "wro")),
        ):
            for several in (one, other):
                groups[board, several] = group_of(elos, [(method, "fixed", 5) for method in several])
            named.append(((board, one), (board, other)))
    return Family(groups, named, {**_spread(rated["gobang"]), **_gains(rated)}), kind


def _spread(elos: pd.DataFrame) -> dict[Any, float]:
    """RAVE's runs vary most: distances from the median of their kind."""
    far = (elos["elo"] - elos.groupby("name")["elo"].transform("median")).abs()
    own = elos["name"] == ("rave", "fixed", 5)
    if own.sum() < 5 or (~own).sum() < 5:
        return {}
    return {"spread": permutation_p(far[own].to_numpy(float), far[~own].to_numpy(float))}


def _gains(rated: dict[str, pd.DataFrame]) -> dict[Any, float]:
    """Gains over Baseline as scores, a number per seed, game against game."""
    groups = {}
    for board, elos in rated.items():
        warm, base = elos[elos["name"] != BASELINE], elos[elos["name"] == BASELINE]
        gain = (warm.groupby("seed")["elo"].mean() - base.set_index("seed")["elo"]).dropna().astype(float)
        score = 1 / (1 + 10 ** (-gain / 400))
        steep = np.log(10) / 400 * (score * (1 - score)).mean() if len(score) else 0.0
        warm_noise, base_noise = group_of(warm, list(warm["name"])).noise, group_of(base, [BASELINE]).noise
        noise = steep * np.sqrt(warm_noise**2 / max(warm["name"].nunique(), 1) + base_noise**2)
        groups[board] = Group(score, float(noise))
    return {
        ("gain", pair): p_of(groups[pair[0]], groups[pair[1]])
        for pair in combinations(groups, 2)
        if min(len(groups[board].values) for board in pair) >= 5
    }


def claims_3_and_4(rated: dict[str, pd.DataFrame]) -> tuple[Found, Found]:
    """A warm start ends higher than Baseline; nobody is above WRoRa."""
    family, kind = warmstart(rated)
    third = [
        family.word(kind(board, method), kind(board, "baseline"), 15, same=(board, method) == ("othello", "rollout"))
        for board in GAMES
        for method in METHODS
    ]
    fourth = [
        turned(family.word(kind(board, method), kind(board, "wrora"), 1))
        for board in GAMES
        for method in ("baseline", *METHODS)
        if method != "wrora"
    ]
    return (all_of(third), third), (all_of(fourth), fourth)


def claim_5(rated: dict[str, pd.DataFrame]) -> Found:
    """Seven is best for two enhancements, unclear for three; that games differ, no run can tell."""
    lengths = (1, 3, 5, 7, 9)
    groups = {(m, n): group_of(elos, [(m, "fixed", n)]) for m, elos in rated.items() for n in lengths}
    named = [((m, 7), (m, n)) for m in ("rave", "wrora") for n in lengths if n != 7]
    unclear = ("rollout", "rora", "wro")
    named += [((m, a), (m, b)) for m in unclear for a, b in combinations(lengths, 2)]
    family = Family(groups, named, {})
    words = [family.word(*pair, parts=12) for pair in named[:8]]
    for m in unclear:
        above = {(a, b): family.word((m, a), (m, b), 12) for a in lengths for b in lengths if a != b}
        if any(all(above[a, b] == YES for b in lengths if b != a) for a in lengths):
            words.append(OPPOSITE)
            continue
        means = {n: groups[m, n].values.mean() for n in lengths if len(groups[m, n].values)}
        best = max(means, key=lambda n: means[n], default=1)
        close = len(means) == len(lengths) and any(above[best, n] in (OPPOSITE, SMALL) for n in lengths if n != best)
        words.append(YES if close else OPEN)
    words.append(NEVER)
    return all_of(words), words


def claim_6(runs: pd.DataFrame) -> Found:
    """Adaptive switches come early, at different iterations; in Gobang at once, or with more simulations nearly so."""
    if runs.empty:
        return OPEN, []
    at = runs.assign(at=runs["switch_iteration"].fillna(np.inf))
    words = []
    for board, m, limit in (("connect4", 100, 10), ("othello", 100, 10), ("gobang", 100, 1), ("gobang", 200, 2)):
        here = at[(at["board"] == board) & (at["m"] == m)]
        hits, size = int((here["at"] <= limit).sum()), len(here)
        if size < 5 or ((here["at"] == np.inf) & (here["iterations"] < limit)).any():
            words.append(OPEN)
        elif limit == 1:
            words.append(YES if hits == size else OPPOSITE)
        else:
            low, high = wilson(hits, 0, size - hits, 0.95)[0], wilson(hits, 0, size - hits, 1 - 0.05 / 6)[1]
            words.append(YES if low > 0.5 else OPPOSITE if high < 0.5 else OPEN)
    printed = at[at["m"] == at["board"].map({"gobang": 200}).fillna(100)]
    games = [group["at"].to_numpy() for _, group in printed.groupby("board")]
    several = len(games) > 1 and min(map(len, games)) >= 5
    words.append(YES if several and scipy.stats.kruskal(*games).pvalue < 0.05 else OPEN)
    kinds = [group["at"] for _, group in printed.groupby(["board", "name"]) if len(group) >= 5]
    words.append(OPEN if not kinds else YES if any(kind.nunique() > 1 for kind in kinds) else OPPOSITE)
    return all_of(words), words


def claim_7(rated: dict[str, pd.DataFrame]) -> Found:
    """For each enhancement the adaptive switch is above the fixed one, in two games."""
    groups: dict[Any, Group] = {}
    named: list[tuple[Any, Any]] = []

    def kind(board: str, method: str, how: str) -> tuple[str, KIND]:
        return board, BASELINE if method == "baseline" else (method, how, 5 if how == "fixed" else None)

    for board, elos in rated.items():
        base = kind(board, "baseline", "")
        for method in METHODS:
            fixed, adaptive = (kind(board, method, how) for how in ("fixed", "adaptive"))
            named += [(fixed, base), (adaptive, base), (adaptive, fixed)]
        top = ("wro", "rora") if board == "connect4" else ("wrora",)
        named += [(kind(board, a, "adaptive"), kind(board, b, "adaptive")) for a in top for b in METHODS
                  if b not in top]  # fmt: skip
        for key in dict.fromkeys(key for pair in named for key in pair if key[0] == board):
            groups[key] = group_of(elos, [key[1]])
    family = Family(groups, named, {})
    words = [family.word(kind(board, m, "adaptive"), kind(board, m, "fixed"), 10) for board in rated for m in METHODS]
    return all_of(words), words


def verdicts(data: Path, version: int, seeds: range = range(8)) -> dict[str, Found]:
    """The verdicts on the seven claims, and on the parts of each."""
    units = published(data, version)
    runs = runs_of(units, "run", ("iterations", 100))
    fixed: list[KIND] = [BASELINE, *((m, "fixed", 5) for m in METHODS)]
    either: list[KIND] = [*fixed, *((m, "adaptive", None) for m in METHODS)]
    third, fourth = claims_3_and_4({board: pool(units, runs, board, fixed, seeds) for board in GAMES})
    panels = {
        m: pool(units, runs, "connect4", [BASELINE, *((m, "fixed", n) for n in (1, 3, 5, 7, 9))], seeds)
        for m in METHODS
    }
    figure_63 = {board: pool(units, runs, board, either, seeds) for board in ("connect4", "othello")}
    switches = runs_of(units, "switch", ("most", 100))
    return {
        "1": claim_1(units), "2": claim_2(units), "3": third, "4": fourth, "5": claim_5(panels),
        "6": claim_6(switches), "7": claim_7(figure_63),
    }  # fmt: skip
