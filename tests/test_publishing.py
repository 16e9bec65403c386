"""Publishing: files that grow, one publisher at a time, readers that only read, and kills at any moment."""

import gzip
import os
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from study_tasks import contents, ended, example, examples_of, publish_often, started

from wslib.study.engine import published
from wslib.study.engine.published import STAGING, Published, alone, pack_in_parts, publish
from wslib.study.engine.store import MANIFEST, manifest_of, unpack_table, write_folder


def is_whole(data: Path, least: int = 1) -> bool:
    """Whether readers find at least so many of the examples, each with its own numbers and table."""
    there = Published("trial", data)
    found = {unit: there.read("match", unit) for unit in there.units()}
    return len(found) >= least and all(
        stored.summary == example(int(unit, 16))["summary"]
        and stored.tables["games"].equals(example(int(unit, 16))["tables"]["games"])
        for unit, stored in found.items()
    )


# --- files that grow ----------------------------------------------------------------------------------------------


def test_rows_that_are_published_keep_their_place_and_all_but_the_last_part_its_bytes(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(published, "PART", 12)  # the games of two units
    found = examples_of(range(9), tmp_path / "store")
    publish("trial", {unit: found[unit] for unit in list(found)[4:]}, ("games",), data)
    before = contents(data / "trial")
    publish("trial", found, ("games",), data)
    after = contents(data / "trial")
    assert Published("trial", data).units() == [*list(found)[4:], *list(found)[:4]]
    assert is_whole(data, 9)
    name = "games.csv.gz"
    *parts, _ = before[name].split(b"\x1f\x8b")
    assert len(parts) == 1 + 2, "of five units two parts and a last one"
    assert after[name].startswith(b"\x1f\x8b".join(parts))
    assert gzip.decompress(after[name]).startswith(gzip.decompress(before[name]))


def test_a_table_in_parts_is_read_as_one_by_everything_that_reads_gzip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(published, "PART", 3)
    table = pd.DataFrame({"unit": ["a"] * 5 + ["b"] * 2 + ["c"] * 4, "number": range(11), "moves": "4 4"})
    path = tmp_path / "table.csv.gz"
    path.write_bytes(pack_in_parts(table))
    assert path.read_bytes().count(b"\x1f\x8b\x08\x00\x00\x00\x00\x00") == 2, "two parts, of no date"
    pd.testing.assert_frame_equal(unpack_table(path.read_bytes()), table)
    pd.testing.assert_frame_equal(pd.read_csv(path), table)
    told = subprocess.run(["gzip", "-dc", path], capture_output=True, check=True).stdout
    assert told == table.to_csv(index=False).encode()


def test_what_has_not_changed_is_not_written_again(tmp_path: Path, data: Path):
    found = examples_of(range(2), tmp_path / "store")
    publish("trial", found, ("games",), data)
    for path in (data / "trial").iterdir():
        os.utime(path, (1, 1))
    publish("trial", found, ("games",), data)
    assert {path.stat().st_mtime for path in (data / "trial").iterdir()} == {1.0}


def test_a_table_that_no_result_has_yet_is_left_out(tmp_path: Path, data: Path):
    publish("trial", examples_of([1], tmp_path / "store"), ("games", "pairs"), data)
    assert sorted(contents(data / "trial")) == ["games.csv.gz", MANIFEST, "provenance.csv.gz", "units.csv.gz"]


def test_results_that_nobody_asks_for_any_more_go_when_the_experiment_is_published_anew(tmp_path: Path, data: Path):
    publish("trial", examples_of(range(4), tmp_path / "store"), ("games",), data)
    publish("trial", examples_of([2, 5], tmp_path / "store"), ("games",), data)
    assert Published("trial", data).units() == ["0002", "0005"]
    assert is_whole(data, 2)


def test_tables_that_were_published_without_compression_are_read_and_replaced(tmp_path: Path, data: Path):
    found = examples_of(range(3), tmp_path / "store")
    publish("trial", found, ("games",), data)
    files = {name: content for name, content in contents(data / "trial").items() if name != MANIFEST}
    plain = {
        name.removesuffix(".gz"): gzip.decompress(files.pop(name)) for name in ("units.csv.gz", "provenance.csv.gz")
    }
    shutil.rmtree(data)
    write_folder(data / "trial", {**files, **plain}, {"experiment": "trial"})
    assert is_whole(data, 3)
    assert all(Published("trial", data).read("match", unit).provenance["unit"] == unit for unit in found)
    publish("trial", found, ("games",), data)
    assert sorted(contents(data / "trial")) == ["games.csv.gz", MANIFEST, "provenance.csv.gz", "units.csv.gz"]
    assert is_whole(data, 3)


# --- kills and company --------------------------------------------------------------------------------------------


def test_readers_move_nothing_and_read_what_a_killed_publisher_has_written_whole(tmp_path: Path, data: Path):
    publish("trial", examples_of([1], tmp_path / "store"), ("games",), data)
    publish("trial", examples_of([1, 2], tmp_path / "store"), ("games",), tmp_path / "new")
    new = {name: content for name, content in contents(tmp_path / "new" / "trial").items() if name != MANIFEST}
    staging = data / "trial" / f"{STAGING}1-ab"
    write_folder(staging, new, {"experiment": "trial"})
    assert Published("trial", data).units() == ["0001"]
    for name, content in new.items():  # one after the other, as the publisher does
        (data / "trial" / name).write_bytes(content)
        before = contents(data)
        assert Published("trial", data).units() == ["0001", "0002"]
        assert is_whole(data, 2)
        assert contents(data) == before
    publish("trial", examples_of([1, 2, 3], tmp_path / "store"), ("games",), data)
    assert is_whole(data, 3)
    assert not staging.exists()


def test_what_killed_publishers_left_is_cleared_away_by_the_next(tmp_path: Path, data: Path):
    found = examples_of([1], tmp_path / "store")
    publish("trial", found, ("games",), data)
    whole = contents(data)
    for left in (f"{STAGING}7-ab/units.csv.gz", ".units.csv.gz.7.ab01cd23.tmp"):
        path = data / "trial" / left
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"half")
    publish("trial", found, ("games",), data)
    assert contents(data) == whole


def test_two_publishers_and_a_reader_at_once_leave_the_results_of_one_whole(tmp_path: Path, data: Path):
    publish("trial", examples_of([0], tmp_path / "store"), ("games",), data)
    writers = [started(publish_often, str(tmp_path / f"{n}"), str(data), 12, [0, n, 3]) for n in (1, 2)]
    seen = []
    while any(writer.is_alive() for writer in writers):
        seen.append(is_whole(data))
    assert ended(writers) == [0, 0]
    assert all(seen) and len(seen) > 3
    assert is_whole(data)
    assert sorted(contents(data / "trial")) == ["games.csv.gz", MANIFEST, "provenance.csv.gz", "units.csv.gz"]


def test_a_publisher_waits_for_another_and_then_says_so(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(published, "PATIENCE", 0.2)
    found = examples_of([1], tmp_path / "store")
    publish("trial", found, ("games",), data)
    with alone(data / "trial"):
        monkeypatch.setattr(published, "_ours", set())  # as in another process
        with pytest.raises(OSError, match="somebody else has been publishing there for minutes: try again later"):
            publish("trial", found, ("games",), data)
    publish("trial", found, ("games",), data)


def test_without_locks_two_publishers_leave_something_whole_all_the_same(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(published.fcntl, "flock", lambda *_: (_ for _ in ()).throw(OSError(95, "not supported")))
    one, two = examples_of([1], tmp_path / "store"), examples_of([1, 2], tmp_path / "store")
    real, calls = published.write_atomically, []

    def disturbed(path: Path, content: bytes) -> None:
        real(path, content)
        calls.append(path.name)
        if len(calls) == 2:  # another publisher comes and goes meanwhile
            monkeypatch.setattr(published, "_ours", set())
            publish("trial", two, ("games",), data)

    monkeypatch.setattr(published, "write_atomically", disturbed)
    publish("trial", one, ("games",), data)
    assert is_whole(data)


def test_damage_that_stays_is_told_with_what_brings_the_results_back(tmp_path: Path, data: Path):
    publish("trial", examples_of([1], tmp_path / "store"), ("games",), data)
    (data / "trial" / "units.csv.gz").write_bytes(b"x")
    there = Published("trial", data)
    for _ in range(2):
        with pytest.raises(published.DamagedResult, match="'git restore data/trial' brings back what was committed"):
            there.units()


def test_a_manifest_in_a_staging_folder_cannot_name_files_elsewhere(tmp_path: Path, data: Path):
    publish("trial", examples_of([1], tmp_path / "store"), ("games",), data)
    (data / "trial" / "units.csv.gz").write_bytes(b"x")
    staging = data / "trial" / f"{STAGING}1-ab"
    staging.mkdir()
    (staging / MANIFEST).write_bytes(manifest_of({"../manifest.json": b"x"}, {}))
    with pytest.raises(published.DamagedResult):
        Published("trial", data).units()
