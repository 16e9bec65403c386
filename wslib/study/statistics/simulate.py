"""Simulated tournaments: how often tests raise a false alarm, and how often intervals hold the truth.

Runs of two methods that are equally good on average play a round robin. Each run's true strength is drawn with some
spread, each game from the rating model; ``distinct`` games are independent, and each is counted ``games / distinct``
times, as deterministic players repeat theirs. No network and no board is involved, so thousands of tournaments take
seconds.
"""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy
from pydantic import Field, model_validator
from scipy.special import expit

from wslib._compiled import stream
from wslib.parameters import canonical_json
from wslib.study.engine.units import Computed, Unit
from wslib.study.pages.base import Asked, Experiment
from wslib.study.statistics.rating import RatingSettings, S, covariance_of, exact_bounds, fit, information
from wslib.study.statistics.stats import ALPHA, permutation_p

TESTS = {
    "binomial": "pooled binomial test on games",
    "elo": "interval of the rating difference",
    "permutation": "permutation test on runs (ours)",
    "welch": "Welch's t test on runs",
}
INTERVALS = ("covariance", "variance", "exact", "differences")


class _Tournament(Unit):
    """What simulated tournaments have in common: a round robin, half of each pair's games with each colour."""

    games: int = Field(20, ge=2, multiple_of=2, le=10_000, description="games a pair, half with each colour")
    distinct: int = Field(
        20, ge=2, multiple_of=2, description="independent ones among them, each repeated equally often"
    )
    advantage: float = Field(30.0, description="true advantage of the first move, in Elo")
    drawelo: float = Field(60.0, gt=0, description="true drawelo")
    repetitions: int = Field(4000, ge=1, le=1_000_000, description="tournaments simulated")
    seed: int = Field(0, ge=0, description="seed of all random streams")

    @model_validator(mode="after")
    def _repeats_evenly(self) -> Self:
        if self.games % self.distinct:
            raise ValueError(f"distinct = {self.distinct} is not allowed: it should divide games = {self.games}")
        return self

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(int(stream(self.seed, self.kind, canonical_json(self.canonical()))))

    def _played(self, elo: np.ndarray, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Wins, draws and losses of a round robin, the first player in the row."""
        z = elo[:, None] - elo[None, :] + self.advantage
        win, loss = expit(S * (z - self.drawelo)), expit(S * (-z - self.drawelo))
        chances = np.stack([win, 1 - win - loss, loss], axis=-1)
        results = draw.multinomial(self.distinct // 2, chances) * (self.games // self.distinct)
        results[np.arange(len(elo)), np.arange(len(elo))] = 0
        return results[..., 0], results[..., 1], results[..., 2]


class FalseAlarmUnit(_Tournament):
    """Two methods without a true difference: how often each test finds one at 5 %."""

    kind: ClassVar[str] = "false_alarms"

    runs: int = Field(8, ge=2, le=100, description="runs of each method")
    spread: float = Field(50.0, ge=0, description="standard deviation of runs, in Elo")

    def compute_in(self, root: Path) -> Computed:
        draw, n, settings = self._generator(), self.runs, RatingSettings()
        ratings = np.empty((self.repetitions, 2 * n))
        p = {name: np.empty(self.repetitions) for name in TESTS}
        sides = np.repeat([1 / n, -1 / n], n)
        for k in range(self.repetitions):
            wins, draws, losses = self._played(draw.normal(0, self.spread, 2 * n), draw)
            found = fit(wins, draws, losses, settings)
            ratings[k] = found.ratings
            variance = sides @ covariance_of(information(found, wins, draws, losses, settings.prior)) @ sides
            p["elo"][k] = 2 * scipy.stats.norm.sf(abs(sides @ found.ratings) / np.sqrt(variance))
            won = wins[:n, n:].sum() + losses[n:, :n].sum()
            lost = losses[:n, n:].sum() + wins[n:, :n].sum()
            p["binomial"][k] = scipy.stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
        first, second = ratings[:, :n], ratings[:, n:]
        p["permutation"] = permutation_p(first, second, seed=self.seed)
        p["welch"] = scipy.stats.ttest_ind(first, second, axis=1, equal_var=False).pvalue
        return Computed({name: float(np.mean(values < ALPHA)) for name, values in p.items()}, {})


class CoverageUnit(_Tournament):
    """Players of known strength: how often the 95 % intervals of their ratings hold it."""

    kind: ClassVar[str] = "coverage"

    players: int = Field(16, ge=3, le=200, description="players")
    spread: float = Field(150.0, ge=0, description="standard deviation of their strengths, in Elo")

    def compute_in(self, root: Path) -> Computed:
        draw, half = self._generator(), scipy.stats.norm.ppf(1 - ALPHA / 2)
        settings = RatingSettings(scaled=False)
        inside: dict[str, list[float]] = {name: [] for name in INTERVALS}
        pairs = np.array(list(combinations(range(self.players), 2))).T
        for _ in range(self.repetitions):
            true = draw.normal(0, self.spread, self.players)
            true -= true.mean()
            counts = self._played(true, draw)
            found = fit(*counts, settings)
            about = information(found, *counts, settings.prior)
            covariance, off = covariance_of(about), np.abs(found.ratings - true)
            inside["covariance"].append(float(np.mean(off <= half * np.sqrt(np.diag(covariance)))))
            inside["variance"].append(float(np.mean(off <= half / np.sqrt(about.sum(axis=1)))))
            low, high = exact_bounds(found, *counts, settings).T
            inside["exact"].append(float(np.mean((low <= true) & (true <= high))))
            a, b = pairs
            error = found.ratings[a] - found.ratings[b] - (true[a] - true[b])
            variance = covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
            inside["differences"].append(float(np.mean(np.abs(error) <= half * np.sqrt(variance))))
        return Computed({name: float(np.mean(values)) for name, values in inside.items()}, {})


class FalseAlarms(Experiment):
    """The chapter on ratings and statistics: false alarms for several spreads of runs, and coverage of intervals."""

    name: ClassVar[str] = "rating"
    SMALL: ClassVar[Mapping[str, Any]] = {"repetitions": 20}

    runs: int = Field(8, ge=2, le=100, description="runs of each method")
    games: int = Field(20, ge=4, le=10_000, multiple_of=2, description="games a pair, half with each colour")
    spreads: tuple[float, ...] = Field(
        (0.0, 25.0, 50.0, 100.0), min_length=1, description="standard deviations of runs, in Elo"
    )
    repetitions: int = Field(4000, ge=1, le=1_000_000, description="tournaments simulated (smoke: 20)")
    seed: int = Field(0, ge=0, description="seed of all random streams")

    def asked(self) -> Asked:
        """Each spread, with every game new and with two games a pair repeated; then the coverage, likewise."""
        common = {"games": self.games, "seed": self.seed}
        asked: Asked = []
        for distinct in (self.games, 2):
            for spread in self.spreads:
                unit = FalseAlarmUnit(
                    runs=self.runs, spread=spread, distinct=distinct, repetitions=self.repetitions, **common
                )
                asked.append((unit, {"part": "false alarms", "spread": spread, "distinct": distinct}))
            coverage = CoverageUnit(distinct=distinct, repetitions=max(self.repetitions // 4, 1), **common)
            asked.append((coverage, {"part": "coverage", "spread": coverage.spread, "distinct": distinct}))
        return asked
