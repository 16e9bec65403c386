"""What the processes do that the fault commands kill; imported once, then forked from."""

import random
import time
from pathlib import Path
from typing import ClassVar
from unittest import mock

import numpy as np
import pandas as pd
import torch

from wslib.study.engine import store as storing
from wslib.study.engine.networks import write_archive
from wslib.study.engine.publishing import publish_experiment
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import LocalStore
from wslib.study.engine.units import Computed, Unit, compute_unit
from wslib.study.presets import preset

torch.set_num_threads(1)


class TinyUnit(Unit):
    """A unit of a millisecond whose result depends on its number; it counts its attempts in a file."""

    kind: ClassVar[str] = "tiny"
    number: int
    milliseconds: int = 1
    attempts: str = ""

    def compute_in(self, root: Path) -> Computed:
        if self.attempts:
            with open(self.attempts, "a") as file:  # one short line: appended whole
                file.write(f"{self.number}\n")
        time.sleep(self.milliseconds / 1000)
        draw = np.random.default_rng(self.number)
        rows = pd.DataFrame({"place": range(20), "value": draw.random(20), "moves": "4 4 3"})
        return Computed({"number": self.number, "mean": float(rows["value"].mean())}, {"rows": rows})


CARRIED = {"fixed": {}, "adaptive": {"optimiser": "carried", "noise": 0.25}}
"""By switch: what a state of a run keeps beside its network, and what draws more of its random numbers."""


def training(game: str, switch: str, seed: int = 0) -> RunUnit:
    """A training run of a few seconds."""
    run = preset("smoke", game=game, method="wrora", switch=switch, retrained=2, seed=seed, **CARRIED[switch])
    return RunUnit(run=run, iterations=4)


def train(unit: RunUnit, root: str) -> None:
    """Compute a run, from wherever it stands."""
    compute_unit(unit, Path(root))


def pack(units: list[RunUnit], root: str, target: str) -> None:
    """Pack the networks of these runs."""
    write_archive(Path(target), units, Path(root))


def write_units(root: str, units: list[TinyUnit], seed: int) -> None:
    """Compute what is missing of these units, in an order of one's own."""
    store, order = LocalStore(root), list(units)
    random.Random(seed).shuffle(order)
    for unit in order:
        if store.read(unit.kind, unit.id) is None:
            compute_unit(unit, store.root)


def publish_units(store: str, data: str, units: list[Unit]) -> None:
    """Publish what is stored of these units below another folder than the project's."""
    with mock.patch.object(storing, "published_root", lambda: Path(data)):
        publish_experiment("trial", units, ("rows", "iterations"), uncommitted=True, local=LocalStore(store))
