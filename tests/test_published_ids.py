"""Published results stay known: today's code still asks for every unit that was published under today's version."""

import csv
import gzip
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from wslib.parameters import NETWORK_RESULTS_VERSION, RESULTS_VERSION
from wslib.study.engine.networks import network_file, published_runs
from wslib.study.engine.tournament import PairUnit
from wslib.study.engine.units import Unit
from wslib.study.pages.catalogue import EXPERIMENTS

DATA = Path(__file__).resolve().parent.parent / "data"
FOLDERS = sorted({path.parent for pattern in ("*/units.csv", "*/units.csv.gz") for path in DATA.glob(pattern)})


def rows_of(folder: Path, table: str) -> list[dict[str, str]]:
    csv.field_size_limit(1 << 30)
    (path,) = (folder / name for name in (f"{table}.csv", f"{table}.csv.gz") if (folder / name).exists())
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def kinds_with_networks(of: type[Unit] = Unit) -> Iterator[str]:
    """Kinds of units whose results have a network in them, or may have."""
    for kind in of.__subclasses__():
        if kind.learns or issubclass(kind, PairUnit):
            yield kind.kind
        yield from kinds_with_networks(kind)


def published_today(folder: Path) -> set[str]:
    """Units of a folder that were computed under today's version of the results; older ones await their successors."""
    made = {row["unit"]: int(float(row["results_version"])) for row in rows_of(folder, "provenance")}
    learned, ids = set(kinds_with_networks()), set()
    for row in rows_of(folder, "units"):
        outdated = row["kind"] in learned and made[row["unit"]] < NETWORK_RESULTS_VERSION
        if not outdated:
            assert made[row["unit"]] in (RESULTS_VERSION, NETWORK_RESULTS_VERSION)
            ids.add(row["unit"])
    return ids


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
    """The ids of all units that an experiment of the catalogue asks for, at the scale it has grown to."""
    ids: set[str] = set()
    for kind in EXPERIMENTS.values():
        experiment = kind()
        experiment = experiment.grown() if hasattr(experiment, "grown") else experiment
        ids |= {unit.id for unit in experiment.units()}
    return ids


def test_every_folder_of_published_units_belongs_to_an_experiment():
    assert {folder.name for folder in FOLDERS} <= EXPERIMENTS.keys()
    assert len(FOLDERS) >= 16, "folders with units have gone from data/"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_published_id_is_still_asked_for(folder, asked):
    problems = complaints({folder.name: published_today(folder)}, asked)
    assert not problems, "; ".join(problems)


def test_every_published_run_has_its_last_network_in_data(tmp_path):
    for folder in FOLDERS:
        for unit in published_runs(folder.name):
            assert network_file(unit.run, unit.iterations, tmp_path), f"{folder.name}: {unit.id}"


def test_results_without_networks_are_all_of_today_s_version():
    counts = {folder.name: len(published_today(folder)) for folder in FOLDERS}
    assert counts["orientation"] == len(rows_of(DATA / "orientation", "units")) > 0
    assert counts["perfect_play"] > 0 and counts["readings"] > 0


def test_an_id_that_nobody_asks_for_is_missed_by_folder_and_count():
    (problem,) = complaints({"here": {"a", "b", "c"}, "there": {"a"}}, {"a", "c"})
    assert problem.startswith("data/here: 1 of 3 ") and problem.endswith("such as b")
