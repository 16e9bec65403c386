"""What counts as the same result: every number and every cell, whatever types a published table has."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from wslib.study.engine.cli import _made
from wslib.study.engine.provenance import kind_of_processor, other_kind
from wslib.study.engine.published import Published, publish
from wslib.study.engine.store import LocalStore, Stored, read_folder
from wslib.study.engine.verify import check, differing
from wslib.study.report.reliability import again_prose

ONE = pd.DataFrame({"number": [1, 2], "weight": [0.1, 0.2], "won": [True, False], "moves": ["4", "4 4"]})
OTHER = pd.DataFrame({"number": [1.5], "depth": [3], "moves": [""]})


def stored(table: pd.DataFrame, name: str = "games", **summary: object) -> Stored:
    return Stored("aa00", {"games": 2, **summary}, {name: table}, {})


@pytest.fixture
def published(tmp_path: Path) -> Published:
    """Two units whose tables have other columns and types, published as one table; and a table of only one of them."""
    store = LocalStore(tmp_path / "store")
    store.commit("match", "aa00", {}, {"games": 2}, {"games": ONE}, {})
    store.commit("run", "bb11", {}, {"games": 2}, {"games": OTHER, "iterations": OTHER}, {})
    found = {"aa00": ("match", {}, store.read("match", "aa00")), "bb11": ("run", {}, store.read("run", "bb11"))}
    publish("trial", found, ("games", "iterations"), tmp_path / "data")
    return Published("trial", tmp_path / "data")


def test_a_unit_published_beside_units_of_other_kinds_is_the_same(published: Published, tmp_path: Path):
    for kind, unit in (("match", "aa00"), ("run", "bb11")):
        assert list(differing(published.read(kind, unit), LocalStore(tmp_path / "store").read(kind, unit))) == []


def test_a_processor_that_was_not_noted_is_unknown_beside_one_that_was(tmp_path: Path):
    noted = {"processor": "AMD EPYC", "processor_family": "26", "processor_model": "2"}
    found = {
        unit: ("match", {}, Stored(unit, {"games": 2}, {"games": ONE}, made))
        for unit, made in (("aa00", noted), ("bb11", {"processor": "AMD EPYC"}))
    }
    publish("trial", found, ("games",), tmp_path / "data")
    made = [kind_of_processor(Published("trial", tmp_path / "data").read("match", unit).provenance) for unit in found]
    assert made == ["AMD EPYC (family 26, model 2)", "AMD EPYC"]


@pytest.mark.parametrize(
    ("column", "value"), [("number", 3), ("weight", 0.30000000000000004), ("won", True), ("moves", "4 5")]
)
def test_one_changed_cell_is_noticed_there_too(column: str, value: object, published: Published):
    changed = ONE.copy()
    changed.loc[1, column] = value
    now = stored(changed)
    assert list(differing(published.read("match", "aa00"), now)) == [
        f"the table 'games' differs in its column {column!r}"
    ]
    assert list(differing(stored(ONE), now)) == [f"the table 'games' differs in its column {column!r}"]


def test_the_last_bit_of_a_number_counts(published: Published):
    changed = ONE.assign(weight=[0.1, 0.2 + 2**-55])
    assert list(differing(stored(ONE), stored(changed))) == ["the table 'games' differs in its column 'weight'"]
    assert list(differing(stored(ONE, mean=0.1), stored(ONE, mean=0.1 + 2**-56))) == [
        f"mean is 0.1 in the store and {0.1 + 2**-56!r} now"
    ]


def test_rows_columns_and_tables_that_come_or_go_are_noticed():
    assert list(differing(stored(ONE), stored(ONE[:1]))) == ["the table 'games' has other rows now"]
    assert list(differing(stored(ONE), stored(ONE, name="more"))) == ["the table 'games' has other rows now"]
    for one, two in ((ONE, ONE.drop(columns="won")), (ONE.drop(columns="won"), ONE)):
        assert list(differing(stored(one), stored(two))) == ["the table 'games' differs in its column 'won'"]
    assert list(differing(stored(ONE, more=1), stored(ONE))) == ["more is 1 in the store and None now"]


def test_what_was_set_aside_earlier_is_not_counted_again(tmp_path: Path):
    store = LocalStore(tmp_path)
    store.commit("match", "aa00", {}, {"games": 2}, {"games": ONE}, {})
    (tmp_path / "match" / "aa00" / "summary.json").write_bytes(b"{}")
    checked = check(tmp_path)
    assert (checked.folders, len(checked.damaged)) == (1, 1)
    with pytest.warns(UserWarning, match="set aside"):
        store.read("match", "aa00")
    assert str(check(tmp_path)) == "0 results, 0 files, 0.0 MB: no damage"


def test_what_no_manifest_lists_is_checked_by_its_sums(tmp_path: Path):
    for name in ("thesis", "positions", "bench", "reliability"):
        shutil.copytree(Path(__file__).parent.parent / "data" / name, tmp_path / name)
    whole = check(tmp_path)
    assert (whole.folders, whole.damaged) == (4, ()), "renewed by: cd data/FOLDER && sha256sum *.csv > SHA256SUMS"
    table = tmp_path / "thesis" / "table_5_1.csv"
    table.write_bytes(table.read_bytes()[:-2] + b"7\n")
    (tmp_path / "bench" / "search.csv").unlink()
    (tmp_path / "positions" / "more.csv").write_text("a\n")
    assert [sentence.split(" is not what")[0] for sentence in check(tmp_path).damaged] == [
        str(tmp_path / name) for name in ("bench/search.csv", "positions/more.csv", "thesis/table_5_1.csv")
    ]


def test_a_published_folder_that_has_lost_its_manifest_is_damaged(published: Published):
    root = published.folder.parent
    assert not check(root).damaged
    (published.folder / "manifest.json").unlink()
    (sentence,) = check(root).damaged
    assert sentence.startswith(f"{published.folder} has neither manifest.json nor SHA256SUMS")


def test_a_state_that_a_run_removes_meanwhile_is_no_damage(
    published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def removed(folder: Path) -> object:
        if "bb11" in folder.parts:
            (folder / "manifest.json").unlink()
        return read_folder(folder)

    monkeypatch.setattr("wslib.study.engine.verify.read_folder", removed)
    checked = check(tmp_path / "store")
    assert (checked.folders, checked.damaged) == (1, ())


def test_an_empty_provenance_does_not_end_the_status():
    made = {"date": "2026-01-01T00:00", "code": "abc", "processor": "x", "cpu_seconds": 3600.0}
    assert _made("trial", pd.DataFrame([{}, made, {"date": 3}])) == [
        "trial: 1.00 processor hours, 2026-01-01 to 2026-01-01, code abc, on x"
    ]
    assert _made("trial", pd.DataFrame([{}])) == []


@pytest.mark.parametrize(
    ("made_on", "again_on", "other"),
    [
        ("AMD EPYC (family 26, model 2)", "AMD EPYC (family 25, model 17)", True),
        ("AMD EPYC (family 26, model 2)", "AMD EPYC (family 26, model 2)", False),
        ("AMD EPYC", "AMD EPYC (family 26, model 2)", False),
        ("AMD EPYC", "Intel(R) Xeon(R) Processor", True),
        ("", "AMD EPYC", False),
    ],
)
def test_only_a_processor_that_is_known_to_be_another_counts_as_one(made_on: str, again_on: str, other: bool):
    record = pd.DataFrame({"made_on": [made_on], "again_on": [again_on], "trains": [True], "same": [True]})
    assert other_kind(made_on, again_on) == other
    assert ("1 of 1 results came out the same" in again_prose(record)) == other
