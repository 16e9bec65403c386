"""A second path from the published tables to verdicts: plain pandas, numpy and scipy, and nothing of the package.

How runs are found, players are rated and compared, and an ordering is judged, is written here a second time, as
plainly as it can be; the claims themselves are in :mod:`second_claims`. Runs are those at the settings of Table 5.2,
computed under today's version of the results. A verdict is one of five words, as on the page of the verdicts.
"""

import hashlib
import io
import json
from collections.abc import Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy
from published_tables import experiments, table_text
from scipy.special import expit

YES, OPPOSITE, SMALL, OPEN = "replicated", "the opposite holds", "smaller than the margin", "open"
NEVER = "could not be decided by this design"
GAMES = {"gobang": "gobang-6x6-k4", "connect4": "connect4-6x6-k4", "othello": "othello-6x6"}
METHODS = ("rollout", "rave", "rora", "wro", "wrora")
KIND = tuple[str, str, int | None]
"""Method, how its warm start ends ("none", "fixed", "adaptive"), and after how many iterations."""
SETTINGS = {
    "epochs": 10, "batch": 64, "learning_rate": 0.005, "symmetries": "one", "optimiser": "fresh", "shape": "author",
    "channels": 32, "hidden": [256, 128], "blocks": None, "dropout": 0.3, "episodes": 50, "sampled_plies": 15,
    "c": 1.0, "noise": 0.0, "retrained": 20, "gating": True, "threshold": 0.6, "undecided": "reject",
    "arena_games": 40, "arena_plies": 4,
}  # fmt: skip
"""Table 5.2, and our readings of what it leaves open."""
FREE = {"game", "method", "seed", "switch", "warm_iterations", "simulations", "policy", "weight"}


# --- the published tables -------------------------------------------------------------------------------------------


def published(data: Path, version: int) -> pd.DataFrame:
    """All published units once: ``unit``, ``kind``, ``asked`` (its parameters) and its numbers; networks' of today."""
    frames = []
    for name in experiments(data):
        units, made = (pd.read_csv(_text(name, table, data), low_memory=False) for table in ("units", "provenance"))
        frames.append(units.merge(made[["unit", "results_version"]], on="unit", validate="one_to_one"))
    whole = pd.concat(frames, ignore_index=True).drop_duplicates("unit")
    whole["asked"] = [json.loads(text) for text in whole["parameters"]]
    learns = [
        row.kind in ("run", "switch", "untrained") or any(_network(row.asked.get(side)) for side in "ab")
        for row in whole.itertuples()
    ]
    return whole[~np.array(learns) | (whole["results_version"] == version)].reset_index(drop=True)


def _text(name: str, table: str, data: Path) -> io.StringIO:
    return io.StringIO(table_text(name, table, data))


def _network(player: Any) -> bool:
    return isinstance(player, dict) and player.get("method") == "network"


def runs_of(units: pd.DataFrame, kind: str, length: tuple[str, int]) -> pd.DataFrame:
    """Runs at the settings of Table 5.2: ``board``, ``name`` (their kind), ``seed``, ``m`` and their numbers."""
    rows = []
    boards = {game: board for board, game in GAMES.items()}
    for row in units[units["kind"] == kind].to_dict("records"):
        run = row["asked"]["run"]
        others = {key: value for key, value in run.items() if key not in FREE}
        mixed = run["weight"] == ("published" if run["method"] in ("wro", "wrora") else None)
        plain = run["policy"] == (None if run["method"] == "baseline" else "visits")
        if others != SETTINGS or row["asked"][length[0]] != length[1] or not mixed or not plain:
            continue
        if run["game"] in boards and run["method"] in ("baseline", *METHODS):
            name = (run["method"], run["switch"] or "none", run["warm_iterations"])
            rows.append({"board": boards[run["game"]], "name": name, "seed": run["seed"], "m": run["simulations"],
                         "digests": [_digest(run, version) for version in (1, 2, 3)], **row})  # fmt: skip
    return pd.DataFrame(rows)


def _digest(run: dict[str, Any], version: int) -> str:
    """The name that tables of games have for a run."""
    text = json.dumps({"parameters": run, "results_version": version}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def counts_of(row: dict[str, Any]) -> tuple[int, int, int]:
    """Wins, draws and losses of player A, over both colours."""
    wins, draws, losses = (int(row[f"{n}_first"] + row[f"{n}_second"]) for n in ("wins", "draws", "losses"))
    return wins, draws, losses


# --- ratings --------------------------------------------------------------------------------------------------------


def pool(units: pd.DataFrame, runs: pd.DataFrame, board: str, kinds: Sequence[KIND], seeds: range) -> pd.DataFrame:
    """The rated runs of a round robin with one random player: ``name``, ``elo``, ``noise``, ``seed``."""
    entrants: dict[str, tuple[KIND, int]] = {}
    chosen = runs[(runs["board"] == board) & runs["name"].isin(kinds) & (runs["m"] == 100)] if len(runs) else runs
    for row in chosen.to_dict("records"):
        if row["seed"] in seeds:
            entrants |= dict.fromkeys(row["digests"], (row["name"], row["seed"]))

    def who(player: dict[str, Any]) -> Any:
        if player == {"method": "random"}:
            return "random"
        usual = player.get("iteration") == 100 and player["search"] == SEARCH
        return entrants.get(player["run"]) if _network(player) and usual else None

    met = {}
    for row in units[units["kind"] == "pair"].to_dict("records"):
        asked = row["asked"]
        usual = asked["game"] == GAMES[board] and asked["games"] == 20 and asked["opening_plies"] == 4
        if usual and asked["seed"] == 0 and set(asked) == {"a", "b", "game", "games", "opening_plies", "seed"}:
            a, b = who(asked["a"]), who(asked["b"])
            if a and b and a != b:
                met[a, b] = row
    return _rated(_those_who_met_all(met))


SEARCH = {"simulations": 100, "c": 1.0, "rule": "puct", "policy": "visits", "tree": "kept", "amaf": None,
          "amaf_players": None, "beta": None, "equivalence": None, "method": "baseline", "weight": None, "noise": 0.0,
          "noise_alpha": None, "cache": True}  # fmt: skip
"""How a network plays: with Baseline's search."""


def _those_who_met_all(met: dict[Any, Any]) -> dict[Any, Any]:
    """The games of those entrants who have met all others; whoever met fewest goes first."""
    while met:
        number = pd.Series([name for pair in met for name in pair]).value_counts()
        if number.min() == len(number) - 1:
            break
        last = number.index[-1]
        met = {pair: row for pair, row in met.items() if last not in pair}
    return met


def _rated(met: dict[Any, Any]) -> pd.DataFrame:
    names = list(dict.fromkeys(name for pair in met for name in pair))
    columns = ["name", "seed", "elo", "noise"]
    if len(names) < 2:
        return pd.DataFrame(columns=columns)
    place, size = {name: k for k, name in enumerate(names)}, len(names)
    results = np.zeros((3, size, size))  # wins, draws, losses of whoever moved first, in the row
    for (a, b), row in met.items():
        for k, (same, turned) in enumerate((("wins", "losses"), ("draws", "draws"), ("losses", "wins"))):
            results[k, place[a], place[b]] += row[f"{same}_first"]
            results[k, place[b], place[a]] += row[f"{turned}_second"]
    elo, noise = bayesian_elo(results)
    rows = [(*name, elo[k], noise[k]) for name, k in place.items() if name != "random"]
    return pd.DataFrame(rows, columns=columns)


def bayesian_elo(results: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ratings with the mean 0, and the standard deviation that the chance of the games gives each of them.

    Rao and Kupper's model with an advantage for the first move, all estimated; two virtual draws a player as a prior.
    """
    size, s = results.shape[1], np.log(10) / 400
    between = results.sum(axis=0) + results.sum(axis=0).T
    share = between / between.sum(axis=1, keepdims=True)
    wins, draws, losses = results[0], results[1] + 2 / 4 * (share + share.T), results[2]

    def slopes(point: np.ndarray) -> tuple[float, np.ndarray]:
        """Minus the log-likelihood, and its gradient, in natural units."""
        rating, advantage, drawn = point[:size], point[size], np.exp(point[size + 1])
        z = rating[:, None] - rating[None, :] + advantage
        win, loss = expit(z - drawn), expit(-z - drawn)
        logs = (wins + draws) * np.log(win) + (losses + draws) * np.log(loss)
        value = -logs.sum() - draws.sum() * np.log(np.expm1(2 * drawn)) + rating.mean() ** 2
        up, down = (wins + draws) * (1 - win), (losses + draws) * (1 - loss)
        lead = up - down
        by_drawn = (up + down).sum() - draws.sum() * 2 / -np.expm1(-2 * drawn)
        by_rating = lead.sum(axis=0) - lead.sum(axis=1) + 2 * rating.mean() / size
        return value, np.array([*by_rating, -lead.sum(), by_drawn * drawn])

    start = np.zeros(size + 2)
    start[-1] = np.log(100 * s)
    found = scipy.optimize.minimize(slopes, start, jac=True, method="BFGS", options={"gtol": 1e-7, "maxiter": 5000}).x
    drawn = float(np.exp(found[-1]))
    steep = 1 / np.cosh(drawn / 2) ** 2  # so that equal players' expected score is as steep as on Elo's curve
    # What the games say of the ratings, advantage and draws held fixed: the gradient's own slope.
    bend = np.empty((size, size))
    for k in range(size):
        step = np.zeros(size + 2)
        step[k] = 1e-5
        bend[k] = (slopes(found + step)[1] - slopes(found - step)[1])[:size] / 2e-5
    bend -= 2 / size**2  # what held the mean at 0
    spread = np.diag(np.linalg.pinv((bend + bend.T) / 2, rcond=1e-9, hermitian=True)) * size / (size - 1)
    return steep * found[:size] / s, steep * np.sqrt(spread) / s


# --- tests and intervals --------------------------------------------------------------------------------------------


def permutation_p(x: np.ndarray, y: np.ndarray) -> float:
    """Two-sided p of a difference of means: all regroupings where they are few, else a seeded sample."""
    both, n = np.concatenate([x, y]), len(x)
    observed = x.sum()
    if comb(len(both), n) <= 200_000:
        sums = both[np.array(list(combinations(range(len(both)), n)))].sum(axis=1)
    else:
        rng = np.random.default_rng(1)
        sums = np.array([rng.permutation(both)[:n].sum() for _ in range(20_000)])
        sums = np.append(sums, observed)
    slack = 1e-9 * np.ptp(both) * len(both)
    return min(1.0, 2 * min(np.mean(sums <= observed + slack), np.mean(sums >= observed - slack)))


def holm(p: dict[Any, float]) -> dict[Any, float]:
    """Holm's correction, by hand."""
    corrected, largest = {}, 0.0
    for rank, key in enumerate(sorted(p, key=lambda key: p[key])):
        largest = max(largest, min(1.0, p[key] * (len(p) - rank)))
        corrected[key] = largest
    return corrected


class Group:
    """Numbers of several runs, one each, and the noise that their games' chance gives each."""

    def __init__(self, values: Any, noise: float) -> None:
        self.values, self.noise = np.asarray(values, float), noise

    @property
    def variance(self) -> float:
        """Of a single run: of the sample, and that of the games' noise at least."""
        return max(float(self.values.var(ddof=1)), self.noise**2)


def p_of(a: Group, b: Group) -> float:
    """The larger one of the permutation test's p, and of a normal test whose only spread is the games' noise."""
    error = np.sqrt(a.noise**2 / len(a.values) + b.noise**2 / len(b.values))
    tested = permutation_p(a.values, b.values)
    lead = abs(a.values.mean() - b.values.mean())
    return max(tested, 2 * scipy.stats.norm.sf(lead / error)) if error else tested


def welch(a: Group, b: Group, confidence: float) -> tuple[float, float]:
    """Welch's interval of the difference of two means."""
    parts = [group.variance / len(group.values) for group in (a, b)]
    freedom = sum(parts) ** 2 / sum(v**2 / (len(g.values) - 1) for v, g in zip(parts, (a, b), strict=True))
    half = scipy.stats.t.ppf((1 + confidence) / 2, freedom) * np.sqrt(sum(parts))
    lead = a.values.mean() - b.values.mean()
    return lead - half, lead + half


def wilson(wins: float, draws: float, losses: float, confidence: float) -> tuple[float, float]:
    """Wilson's interval, a draw for half a win."""
    n = wins + draws + losses
    rate, z = (wins + draws / 2) / n, scipy.stats.norm.ppf((1 + confidence) / 2)
    roots = np.roots([1 + z**2 / n, -(2 * rate + z**2 / n), rate**2])
    return float(min(roots.real)), float(max(roots.real))


# --- rules ----------------------------------------------------------------------------------------------------------


def ordering_word(lead: float, high: float, p: float, margin: float) -> str:
    """Whether the first is stronger; ``high`` is the upper bound of its lead."""
    if p < 0.05:
        return YES if lead > 0 else OPPOSITE
    return SMALL if high < margin else OPEN


def turned(word: str) -> str:
    """Whether it is not stronger."""
    return {YES: OPPOSITE, OPPOSITE: YES, SMALL: YES}.get(word, word)


def all_of(words: Sequence[str], share: float = 1.0) -> str:
    """Whether all of it holds, or this share of it."""
    needed = share * len(words)
    refuted = words.count(OPPOSITE) + words.count(SMALL)
    if words.count(YES) >= needed:
        return YES
    if len(words) - refuted < needed:
        return OPPOSITE if OPPOSITE in words else SMALL
    return NEVER if len(words) - refuted - words.count(NEVER) < needed else OPEN


class Family:
    """Groups of runs of one experiment, compared in pairs; all pairs that the sentences name are corrected together."""

    def __init__(self, groups: dict[Any, Group], named: Sequence[tuple[Any, Any]], others: dict[Any, float]) -> None:
        self.groups = {key: group for key, group in groups.items() if len(group.values)}
        tests = {
            frozenset(pair): p_of(*(self.groups[key] for key in pair))
            for pair in named
            if all(key in self.groups and len(self.groups[key].values) >= 5 for key in pair)
        }
        self.p = holm({**tests, **others})

    def word(self, first: Any, second: Any, parts: int, same: bool = False) -> str:
        """Whether the first group is stronger, or ("same") as strong; one of so many parts of a claim."""
        found = [self.groups.get(key) for key in (first, second)]
        if any(group is None or len(group.values) < 5 for group in found):
            return OPEN
        a, b = found
        low, high = welch(a, b, 0.95)
        wide = welch(a, b, 1 - 0.05 / parts)
        if same:
            return YES if low > -30 and high < 30 else OPPOSITE if wide[0] > 30 or wide[1] < -30 else OPEN
        return ordering_word(a.values.mean() - b.values.mean(), wide[1], self.p[frozenset((first, second))], 20)


def group_of(rated: pd.DataFrame, kinds: Sequence[KIND]) -> Group:
    """The runs of these kinds together."""
    here = rated[rated["name"].isin(kinds)]
    return Group(here["elo"], float(np.sqrt((here["noise"].astype(float) ** 2).mean())) if len(here) else 0.0)
