"""What there is to judge claims by: the results of the experiments that claims are about, as far as they are there.

What is not there yet makes a part without data, never an error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from typing import Any, Literal

import pandas as pd
from pydantic import Field

from wslib.parameters import Parameters
from wslib.study.engine import units as study
from wslib.study.pages.base import Orientation, Readings
from wslib.study.pages.learning import Untrained
from wslib.study.pages.old_way import PublishedTournaments
from wslib.study.pages.warm import Adaptive, AdaptiveVsFixed, Beyond, Control, IPrime, Warmstart
from wslib.study.statistics import pools
from wslib.study.statistics.simulate import FalseAlarms

TABLES = {
    "adaptive": ("switch", "balances"), "adaptive_vs_fixed": ("run", "iterations"), "orientation": ("match", "games"),
    "warmstart": ("run", "iterations"),
}  # fmt: skip
"""Kind of unit and name of the table that some claims need."""


# --- what is there ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evidence:
    """Labelled results by experiment, and the tables that some claims need; an experiment may be missing."""

    frames: Mapping[str, pd.DataFrame]
    tables: Mapping[str, pd.DataFrame]
    """By experiment, as ``TABLES`` has them."""
    scale: str = "table"
    """Preset of the adaptive runs that count."""
    asked: Mapping[str, Any] = field(default_factory=dict)
    """The experiments, by name: their parameters are what designs are compared with."""

    def frame(self, experiment: str, *parts: str) -> pd.DataFrame:
        """Rows of an experiment, of these parts only where given; empty while there are none."""
        frame = self.frames.get(experiment, pd.DataFrame())
        return frame[frame["part"].isin(parts)].reset_index(drop=True) if parts and len(frame) else frame

    def sizes(self) -> dict[str, int]:
        """How many results each experiment asks for that claims could need."""
        return {
            name: len(asked.run_units()) + sum(comb(len(entrants), 2) for _, _, entrants in asked.pools())
            if hasattr(asked, "pools")
            else len(asked.asked())
            for name, asked in self.asked.items()
        }

    @cached_property
    def elos(self) -> dict[str, pd.DataFrame]:
        """Rated runs by experiment."""
        found = {}
        for experiment in self.frames:
            elos = pools.elos_of(self.frame(experiment))
            if len(elos):
                found[experiment] = elos
        return found


class Page(Parameters):
    """What the pages ask for that look at all experiments together."""

    preset: Literal["full", "smoke"] = Field("full", description="full: what is published or stored; smoke: seconds")
    scale: Literal["laptop", "table", "paper"] = Field("table", description="preset of the runs that are rated")
    switches: Literal["table", "laptop", "paper"] = Field("table", description="preset of the runs up to their switch")
    workers: int = Field(0, ge=0, le=1024, description="worker processes; 0 is one per core")

    def experiments(self) -> list[Any]:
        """The experiments that claims are about."""
        scale = {"preset": self.preset, "workers": self.workers}
        rated = scale if self.preset == "smoke" else {**scale, "preset": self.scale}
        runs = [kind(**rated).grown() for kind in (Warmstart, IPrime, AdaptiveVsFixed)]
        until = scale if self.preset == "smoke" else {**scale, "presets": (self.switches,)}
        return [Orientation(**scale), Untrained(**scale), *runs, Adaptive(**until).grown()]

    def gather(self, more: bool = False) -> "Evidence":
        """What is there, with ``more`` also of experiments that no claim is about; at smoke all of it is computed."""
        smoke = self.preset == "smoke"
        others = [Beyond(workers=self.workers).grown()] if more and not smoke else []
        return gather([*self.experiments(), *others], smoke, "smoke" if smoke else self.switches)

    def explaining(self) -> dict[str, pd.DataFrame]:
        """What may explain a difference from the sources: labelled results by experiment, empty where there are none.

        Simulations and matches without a network are computed where they are missing; runs never are.
        """
        smoke: dict[str, Any] = {"preset": "smoke"} if self.preset == "smoke" else {}
        few = PublishedTournaments(workers=self.workers)
        control = Control(workers=self.workers).grown()
        (warm,) = (asked for asked in self.experiments() if asked.name == Warmstart.name)
        simulated, readings = FalseAlarms(**smoke, workers=self.workers), Readings(**smoke, workers=self.workers)
        wanted = [(few, few.habit_units(), False), (control, control.asked(), False),
                  (warm, warm.run_units() + warm.anchored_units(), False),
                  (simulated, simulated.asked(), True), (readings, readings.asked(), True)]  # fmt: skip
        return {asked.name: _labelled(asked, pairs, compute) for asked, pairs, compute in wanted}


def _labelled(asked: Any, pairs: Sequence[tuple[Any, dict[str, Any]]], compute: bool) -> pd.DataFrame:
    """The labels of these units with their results, of those that are there or are computed."""
    found = study.results([unit for unit, _ in pairs], asked.name, asked.workers, compute=compute)
    return pd.DataFrame([labels for _, labels in pairs]).join(found, how="inner").reset_index(drop=True)


def gather(experiments: Sequence[Any], compute: bool = False, scale: str = "table") -> Evidence:
    """What is published or stored of these experiments; with ``compute``, what is missing is computed first."""
    frames, tables = {}, {}
    for asked in experiments:
        pairs = _wanted(asked, compute)
        if not pairs:
            continue
        units = [unit for unit, _ in pairs]
        frames[asked.name] = _labelled(asked, pairs, True)
        kind, table = TABLES.get(asked.name, ("", ""))
        wanted = [place for place, unit in enumerate(units) if unit.kind == kind]
        if wanted:
            some = frames[asked.name].iloc[wanted].dropna(axis="columns", how="all")
            tables[asked.name] = study.tables([units[place] for place in wanted], some, table, asked.name)
    return Evidence(frames, tables, scale, {asked.name: asked for asked in experiments})


def _wanted(asked: Any, compute: bool) -> list[tuple[Any, dict[str, Any]]]:
    """The units that claims need, those that are there unless they are to be computed.

    Of tournaments, only pairs whose runs are there are looked for: thousands may be asked for, and few be there yet.
    """
    if not hasattr(asked, "pools"):
        return asked.asked() if compute else _there(asked, asked.asked())
    if compute:
        return asked.run_units() + asked.pool_units()
    runs = _there(asked, asked.run_units())
    present = {unit.run for unit, _ in runs}
    return runs + _there(asked, asked.pool_units_among(present))


def _there(asked: Any, pairs: list[tuple[Any, dict[str, Any]]]) -> list[tuple[Any, dict[str, Any]]]:
    where = study.origins([unit for unit, _ in pairs], asked.name)
    return [(unit, labels) for unit, labels in pairs if where[unit.id]]
