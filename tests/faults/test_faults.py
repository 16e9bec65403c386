"""A small sample of every fault command; `make faults` runs them at length."""

import csv
import importlib
from pathlib import Path

import pytest
from harness import COLUMNS, Outcome, record
from run import LONG

SAMPLE = {
    "training_kills": 2,
    "crash_points": 4,
    "damaged_files": 60,
    "many_writers": 60,
    "full_disk": 8,
    "dask_kills": 24,
    "notebook_kills": 2,
    "hostile_input": 5,
    "kernel_cache": 4,
    "packing_kills": 6,
    "publish_kills": 3,
    "signals": 3,
    "images": 3,
    "two_builds": 1,
    "dask_lines": 3,
}


def test_there_is_a_sample_of_every_fault_command():
    assert set(SAMPLE) == set(LONG)


@pytest.mark.parametrize("name", SAMPLE)
def test_nothing_goes_wrong_when_something_breaks(name: str, tmp_path: Path):
    outcome = importlib.import_module(name).run(SAMPLE[name], 1, tmp_path)
    if outcome.left_out:
        pytest.skip(outcome.left_out)
    assert not outcome.failures
    # Both switches, crafted attacks, every call of a commit, units: never fewer than asked for.
    assert outcome.trials >= SAMPLE[name]


def test_a_record_says_what_was_done_when_and_by_which_command(tmp_path: Path):
    outcome = Outcome("trial", "things that broke")
    for fine in (True, False, True):
        outcome.expect(fine, "it stayed broken")
    outcome.count("kills", 2)
    record(outcome, 1.25, 7, tmp_path / "faults.csv")
    record(outcome, 2, 8, tmp_path / "faults.csv")
    with (tmp_path / "faults.csv").open() as file:
        first, second = csv.DictReader(file)
    assert tuple(first) == COLUMNS
    assert (first["fault"], first["trials"], first["failures"], first["seed"]) == ("trial", "3", "1", "7")
    assert first["details"] == '{"kills": 2}'
    assert second["seconds"] == "2"
    assert "1 FAILURES: it stayed broken" in str(outcome)
