"""Published results stay known: today's code still asks for every unit whose id is in data/."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from wslib.study.pages.catalogue import EXPERIMENTS
from wslib.study.pages.old_way import PublishedTournaments
from wslib.study.pages.warm import Adaptive, AdaptiveVsFixed, IPrime, Warmstart

DATA = Path(__file__).resolve().parent.parent / "data"
SMALLER = (
    Warmstart(preset="laptop"), IPrime(preset="laptop", iterations=30), AdaptiveVsFixed(preset="laptop", iterations=30),
    Adaptive(presets="laptop"), PublishedTournaments(preset="laptop"),
)  # fmt: skip
"""At these scales results were published before there were any at the sources' own."""
PUBLISHED = {path.parent.name: path for path in sorted(DATA.glob("*/units.csv"))}


def published_ids(path: Path) -> set[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return {row["unit"] for row in csv.DictReader(file)}


def complaints(published: Mapping[str, set[str]], asked: set[str]) -> list[str]:
    """A sentence for each folder that holds ids which nobody asks for any more."""
    return [
        f"data/{name}: {len(ids - asked)} of {len(ids)} published ids are asked for by no experiment any more, "
        f"such as {min(ids - asked)}"
        for name, ids in published.items()
        if ids - asked
    ]


@pytest.fixture(scope="module")
def asked() -> set[str]:
    """The ids of all units that an experiment asks for, at the scale it has grown to or at a smaller one."""
    ids: set[str] = set()
    for experiment in (*(kind() for kind in EXPERIMENTS.values()), *SMALLER):
        experiment = experiment.grown() if hasattr(experiment, "grown") else experiment
        ids |= {unit.id for unit in experiment.units()}
    return ids


def test_every_folder_of_published_units_belongs_to_an_experiment():
    assert PUBLISHED.keys() <= EXPERIMENTS.keys()
    assert len(PUBLISHED) >= 16, "folders with units.csv have gone from data/"


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_id_is_still_asked_for(name, asked):
    ids = published_ids(PUBLISHED[name])
    assert ids
    problems = complaints({name: ids}, asked)
    assert not problems, "; ".join(problems)


def test_an_id_that_nobody_asks_for_is_missed_by_folder_and_count():
    (problem,) = complaints({"here": {"a", "b", "c"}, "there": {"a"}}, {"a", "c"})
    assert problem.startswith("data/here: 1 of 3 ") and problem.endswith("such as b")
