"""The store: a result is there whole or not at all, and what is damaged is never taken for a result."""

import ast
import gzip
import json
import os
import random
import resource
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from study_tasks import (
    DAMAGES,
    FileOperations,
    commit_and_die,
    contents,
    damage,
    example,
    forge,
    sealed,
    started,
    store_example,
    without_left_overs,
)

import wslib
from wslib.files import default_root, replacing, write_atomically
from wslib.parameters import ParameterError
from wslib.study.engine.published import Published, other_shelves, publish, shelf
from wslib.study.engine.store import (
    MANIFEST,
    PROVENANCE,
    DamagedResult,
    LocalStore,
    Stored,
    pack_table,
    sweep,
    unpack_table,
)

UNIT, OTHER = "aa00", "bb11"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two results, to be copied."""
    root = tmp_path_factory.mktemp("template")
    store_example(root, UNIT, seed=0)
    store_example(root, OTHER, seed=1)
    return root


@pytest.fixture
def root(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "store"))


@pytest.fixture(autouse=True)
def _warnings_are_noticed() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def is_example(stored: Stored | None, seed: int = 0) -> bool:
    wanted = example(seed)
    return (
        stored is not None
        and stored.summary == wanted["summary"]
        and list(stored.tables) == sorted(wanted["tables"])
        and all(stored.tables[name].equals(table) for name, table in wanted["tables"].items())
    )


# --- committing ---------------------------------------------------------------------------------------------------


def test_a_result_is_read_as_it_was_stored(root: Path):
    stored = LocalStore(root).read("match", UNIT)
    assert is_example(stored)
    assert {name: type(value) for name, value in stored.summary.items()} == {
        "games": int, "plies_mean": float, "wins_first": int, "note": str,
    }  # fmt: skip
    assert is_example(LocalStore(root).read("match", OTHER), seed=1)
    assert len(LocalStore(root).latest("match")) == 2


def test_a_result_exists_exactly_when_its_manifest_does(root: Path):
    store, manifest = LocalStore(root), root / "match" / UNIT / MANIFEST
    hidden = manifest.rename(root / "elsewhere")
    assert store.read("match", UNIT) is None
    assert len(store.latest("match")) == 1
    assert not (root / "damaged").exists(), "an unfinished result is no damaged one"
    hidden.rename(manifest)
    assert is_example(store.read("match", UNIT))


def test_a_store_that_is_not_there_yet_holds_nothing(tmp_path: Path):
    store = LocalStore(tmp_path / "none")
    assert store.read("match", UNIT) is None
    assert len(store.latest("match")) == 0
    assert not store.root.exists(), "reading makes no folders"


def test_the_manifest_is_written_last_and_everything_reaches_the_disk_before_it(tmp_path: Path):
    calls = []
    with FileOperations().watched() as operations:
        real = os.replace
        os.replace = lambda source, target: (calls.append(Path(target).name), real(source, target))
        store_example(tmp_path)
    assert calls[-1] == MANIFEST
    assert sorted(calls[:-1]) == ["games.csv.gz", "numbers.csv.gz", PROVENANCE, "summary.json"]
    made = ["open folder", "fsync"] * 2
    assert operations.names == made + ["open", "write", "fsync", "replace", "open folder", "fsync"] * 5


def test_a_new_folder_reaches_the_disk_with_its_name_in_the_one_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    synced, real = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (real(handle), synced.append(os.fstat(handle).st_ino)))
    write_atomically(tmp_path / "a" / "b" / "c" / "file", b"")
    folders = [tmp_path, tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"]
    file = folders[-1] / "file"
    assert synced == [path.stat().st_ino for path in (*folders[:3], file, folders[-1])]


def operations_of_a_commit(folder: Path) -> int:
    with FileOperations().watched() as operations:
        store_example(folder / "counted")
    return len(operations.names)


def interrupted() -> None:
    raise KeyboardInterrupt


def test_a_kill_at_any_file_operation_leaves_nothing_or_everything(tmp_path: Path, template: Path):
    whole = {name: c for name, c in contents(template).items() if UNIT in name}
    cases = [(at, after) for at in range(operations_of_a_commit(tmp_path)) for after in (False, True)]
    running = []
    for at, after in cases:
        running.append(started(commit_and_die, str(tmp_path / f"{at}{after}"), at, after))
        running[-1].join()
    for process in running:
        assert process.exitcode == -9
    found = [LocalStore(tmp_path / f"{at}{after}").read("match", UNIT) for at, after in cases]
    assert all(stored is None or is_example(stored) for stored in found)
    assert found[0] is None
    assert found[-1] is not None
    for at, after in cases:
        store_example(tmp_path / f"{at}{after}")
        assert without_left_overs(contents(tmp_path / f"{at}{after}")) == whole


def test_a_real_limit_of_the_system_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    target = tmp_path / "part.bin"
    write_atomically(target, b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        with pytest.raises(OSError, match="60000 bytes could not be written"):
            write_atomically(target, b"x" * 60_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["part.bin"]


@pytest.mark.parametrize("times", [1, 3])
def test_a_folder_that_another_process_removes_meanwhile_is_made_again(
    times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    real, removed = os.fsync, []

    def fsync(handle: int) -> None:
        real(handle)
        if len(removed) < times:
            removed.append(shutil.rmtree(tmp_path / "folder"))

    monkeypatch.setattr(os, "fsync", fsync)
    if times == 1:
        write_atomically(tmp_path / "folder" / "part.bin", b"new")
        assert (tmp_path / "folder" / "part.bin").read_bytes() == b"new"
    else:
        with pytest.raises(FileNotFoundError, match="3 bytes could not be written"):
            write_atomically(tmp_path / "folder" / "part.bin", b"new")


def test_a_store_that_cannot_be_written_names_the_path(tmp_path: Path):
    (tmp_path / "match").write_text("a file where a folder should be")
    with pytest.raises(OSError, match=str(tmp_path / "match")):
        store_example(tmp_path)


def test_where_and_when_is_outside_the_result(root: Path):
    folder = root / "match" / UNIT
    before = contents(folder)
    store_example(root, UNIT, date="2030-01-01", host="another")
    assert contents(folder) == before
    assert LocalStore(root).read("match", UNIT).provenance == {"date": "2030-01-01", "host": "another"}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b"null", b"\xff\xfe\x00", b"[" * 200_000, None], ids=lambda c: repr(c)[:12]
)
def test_a_lost_or_broken_provenance_costs_no_result(content: bytes | None, root: Path):
    path = root / "match" / UNIT / PROVENANCE
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    stored = LocalStore(root).read("match", UNIT)
    assert is_example(stored)
    assert stored.provenance == {}


def test_the_store_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path / "mine"))
    assert LocalStore().root == tmp_path / "mine"
    monkeypatch.setenv("WSLIB_STORE", "~/mine")
    assert default_root() == Path.home() / "mine"
    monkeypatch.delenv("WSLIB_STORE")
    assert default_root().name == ".wslib-store"


# --- damage -------------------------------------------------------------------------------------------------------


def is_refused(root: Path, unit: str = UNIT) -> bool:
    """Whether a unit's result counts as missing, was reported and lies aside, whole as it was."""
    folder, store = root / "match" / unit, LocalStore(root)
    names = sorted(os.listdir(folder))
    with pytest.warns(UserWarning, match=r"it was set aside in .* and will be computed again") as told:
        assert store.read("match", unit) is None
    aside = list((root / "damaged").iterdir())
    assert len(aside) == len(told) == 1
    assert str(aside[0]) in str(told[0].message)
    assert sorted(os.listdir(aside[0])) == names
    assert not folder.exists()
    return store.read("match", unit) is None and len(list((root / "damaged").iterdir())) == 1


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", DAMAGES)
def test_no_damaged_file_is_taken_for_a_result(kind: str, seed: int, root: Path):
    """The faults' ``damaged_files`` does so ten thousand times, to states and published results too."""
    draw = random.Random(seed)
    name = draw.choice(["games.csv.gz", "numbers.csv.gz", "summary.json", *([MANIFEST] * (kind != "missing"))])
    damage(root / "match" / UNIT / name, root / "match" / OTHER / name, kind, draw)
    assert is_refused(root)
    assert is_example(LocalStore(root).read("match", OTHER), seed=1), "the neighbour is not touched"


def test_the_whole_result_of_another_unit_or_kind_is_noticed(root: Path):
    shutil.copytree(root / "match" / OTHER, root / "training" / OTHER)
    with pytest.warns(UserWarning, match="another unit"):
        assert LocalStore(root).read("training", OTHER) is None
    shutil.rmtree(root / "damaged")
    shutil.rmtree(root / "match" / UNIT)
    (root / "match" / OTHER).rename(root / "match" / UNIT)
    assert is_refused(root)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.update(files=["summary.json"]),
        lambda m: m.update(files=None),
        lambda m: m.update(files={}),
        lambda m: m.pop("files"),
        lambda m: m["files"].update({"summary.json": "text"}),
        lambda m: m["files"].update({"summary.json": {}}),
        lambda m: m["files"]["summary.json"].update(bytes="many"),
        lambda m: m["files"]["summary.json"].update(bytes=-1),
        lambda m: m["files"]["summary.json"].update(sha256=7),
        lambda m: m["files"].pop("summary.json"),
        lambda m: m.update(unit=OTHER),
        lambda m: m.pop("unit"),
        lambda m: m.update(kind="training"),
    ],
)
def test_a_sealed_manifest_of_the_wrong_form_is_refused(change: Callable, root: Path):
    forge(root / "match" / UNIT, change)
    assert is_refused(root)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"null", b"[]", b'"text"', b"3", b"\xff\xfe", b"NaN", b'{"sha256": "x"}', b'{"files": {}, "sha256": NaN}',
        b'{"files": {}, "x": NaN, "sha256": "x"}', b'{"files": {}, "x": ' + b"9" * 5000 + b', "sha256": "x"}',
        b"[" * 500_000, b'{"a":' * 100_000,
        *(b'{"files": {}, "sha256": "x", "a": ' + b"[" * n + b"]" * n + b"}" for n in (300, 500, 950, 990, 2000)),
    ],
    ids=lambda content: repr(content)[:30],
)  # fmt: skip
def test_what_is_no_manifest_is_refused(content: bytes, root: Path):
    (root / "match" / UNIT / MANIFEST).write_bytes(content)
    assert is_refused(root)


def test_a_damaged_result_can_be_stored_again_beside_what_was_set_aside(root: Path, template: Path):
    for times in (1, 2):
        damage(root / "match" / UNIT / "summary.json", Path(), "bit flip", random.Random(times))
        with pytest.warns(UserWarning, match="set aside"):
            LocalStore(root).read("match", UNIT)
        store_example(root, UNIT)
        assert len(list((root / "damaged").iterdir())) == times
        assert contents(root / "match" / UNIT) == contents(template / "match" / UNIT)


RUN = "0123456789abcdef0123"
"""An id as units and runs have them."""


def test_left_over_temporary_files_are_swept_once_they_are_nobodys(root: Path):
    folders = [
        f"match/{RUN}",
        f"run perfect/{RUN}",
        f"state/{RUN}/0003",
        f"examples/{RUN}/0003",
        f"networks/{RUN}-0003",
    ]
    young, old = ([root / folder / f".{name}.csv.gz.123.0a1b2c3d.tmp" for folder in folders] for name in ("new", "old"))
    for path in (*young, *old):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    for path in old:
        os.utime(path, (0, 0))
    before = contents(root)
    assert sweep(root) == len(folders)
    assert set(before) - set(contents(root)) == {str(path.relative_to(root)) for path in old}
    assert sweep(root / "none") == 0


def test_hidden_files_of_others_stay(root: Path):
    (mine := root / "match" / RUN).mkdir()
    (root / "photos").mkdir()
    ours = ".summary.json.123.0a1b2c3d.tmp"
    names = [".tmp", ".draft.tmp", ".a.b.c.tmp", ".summary.json.123.0a1b2c3.tmp", ".summary.json.x.0a1b2c3d.tmp"]
    others = [root / ours, root / "photos" / ours, *(mine / name for name in names)]
    for path in others:
        path.write_bytes(b"somebody's")
        os.utime(path, (0, 0))
    assert sweep(root) == 0
    assert all(path.exists() for path in others)


def test_a_file_that_is_being_replaced_stays_whole_until_the_new_one_is(tmp_path: Path):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing(target) as file:
        file.write(b"ne")
        raise KeyboardInterrupt
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]
    with replacing(target) as file:
        file.write(b"new")
    assert target.read_bytes() == b"new"


# --- tables -------------------------------------------------------------------------------------------------------

tables = st.builds(
    lambda rows: pd.DataFrame(rows, columns=["number", "weight", "moves"]),
    st.lists(
        st.tuples(
            st.integers(-(2**62), 2**62),
            st.floats(allow_nan=False, allow_infinity=False),
            st.sampled_from(["4 4 3", "", "pass", "4", "04", "1e5", "NA", "nan", "d3 pass pass", "True", 'a "b", c']),
        ),
        min_size=1,
        max_size=8,
    ),
)


@given(tables)
@settings(max_examples=150, deadline=None)
def test_a_table_survives_packing_to_the_last_bit_and_its_moves_stay_text(table: pd.DataFrame):
    packed = pack_table(table)
    pd.testing.assert_frame_equal(unpack_table(packed), table, check_exact=True, check_dtype=True)
    assert pack_table(unpack_table(packed)) == packed


def test_a_table_can_be_read_without_this_code():
    text = gzip.decompress(pack_table(example()["tables"]["games"])).decode()
    assert text.splitlines()[0] == "number,weight,moves"
    assert text.splitlines()[1].endswith(",4 4 3")
    assert "\r" not in text


# --- published results --------------------------------------------------------------------------------------------


@pytest.fixture
def published(root: Path, tmp_path: Path) -> Path:
    """A folder in which the results of the local store are published as an experiment of this name."""
    store = LocalStore(root)
    store_example(root, "1234567890e1", seed=2, seconds=0.1)
    found = {
        unit: ("match", example(seed)["parameters"], store.read("match", unit))
        for seed, unit in enumerate((UNIT, OTHER, "1234567890e1"))
    }
    publish("trial", found, ("games",), tmp_path / "data")
    return tmp_path / "data"


@pytest.mark.parametrize(("seed", "unit"), list(enumerate((UNIT, OTHER, "1234567890e1"))))
def test_a_published_result_is_what_the_local_store_holds(seed: int, unit: str, published: Path, root: Path):
    local, public = LocalStore(root).read("match", unit), Published("trial", published).read("match", unit)
    assert public.unit == unit
    assert public.summary == local.summary
    assert {n: type(v) for n, v in public.summary.items()} == {n: type(v) for n, v in local.summary.items()}
    assert list(public.tables) == ["games"]
    pd.testing.assert_frame_equal(public.tables["games"], local.tables["games"], check_exact=True)


@pytest.mark.parametrize("unit", ["11112222333344445555", "1234e567890123456789", "00000000000000000001"])
def test_a_unit_whose_id_looks_like_a_number_can_be_published_alone(unit: str, tmp_path: Path):
    store_example(tmp_path, unit, code="123456789012", seconds=0.5)
    found = LocalStore(tmp_path).read("match", unit)
    publish("trial", {unit: ("match", {}, found)}, ("games",), tmp_path / "data")
    again = Published("trial", tmp_path / "data").read("match", unit)
    assert is_example(Stored(unit, again.summary, found.tables, {}))
    assert len(again.tables["games"]) == 6
    assert again.provenance["code"] == "123456789012"


def test_publishing_what_was_read_from_the_published_gives_the_same_bytes(published: Path, tmp_path: Path):
    units = {unit: example(seed)["parameters"] for seed, unit in enumerate((UNIT, OTHER, "1234567890e1"))}
    public = Published("trial", published)
    publish("trial", {u: ("match", p, public.read("match", u)) for u, p in units.items()}, ("games",), tmp_path / "b")
    assert contents(tmp_path / "b") == contents(published)


def test_only_the_unit_and_kind_that_were_asked_for_are_found(published: Path):
    public = Published("trial", published)
    assert len(public) == 3
    assert public.read("match", "cc22") is None
    assert public.read("training", UNIT) is None
    assert Published("never", published).read("match", UNIT) is None
    assert len(Published("never", published)) == 0


def test_the_published_summaries_are_plain_numbers_in_a_plain_table(published: Path):
    frame = pd.read_csv(published / "trial" / "units.csv.gz", dtype={"unit": str})
    assert frame["unit"].tolist() == [UNIT, OTHER, "1234567890e1"]
    assert frame["games"].tolist() == [6, 6, 6]
    assert json.loads(frame["parameters"][0]) == example()["parameters"]


def test_publishing_nothing_is_one_sentence_and_writes_nothing(tmp_path: Path, root: Path):
    with pytest.raises(ParameterError, match="there is nothing to publish: 'trial' asks for no units"):
        publish("trial", {}, ("games",), tmp_path / "data")
    found = {UNIT: ("match", {}, LocalStore(root).read("match", UNIT))}
    with pytest.raises(ParameterError, match="there is nothing to publish as 'plies'"):
        publish("trial", found, ("plies",), tmp_path / "data")
    assert not list((tmp_path / "data").rglob("*"))


@pytest.mark.parametrize("after", [False, True], ids=["instead of the call", "after the call"])
def test_publishing_that_is_interrupted_anywhere_leaves_the_old_or_the_new(after: bool, root: Path, tmp_path: Path):
    store_example(root, "cc22", seed=2)
    store = LocalStore(root)
    old, new = ({u: ("match", {}, store.read("match", u)) for u in names} for names in ((UNIT,), (UNIT, OTHER, "cc22")))
    publish("trial", new, ("games",), tmp_path / "whole")
    publish("trial", old, ("games",), tmp_path / "counted")
    with FileOperations().watched() as operations:
        publish("trial", new, ("games",), tmp_path / "counted")
    outcomes = []
    for at in range(len(operations.names)):
        data = tmp_path / str(at)
        publish("trial", old, ("games",), data)
        with FileOperations(interrupted, at, after).watched(), pytest.raises(KeyboardInterrupt):
            publish("trial", new, ("games",), data)
        outcomes.append(len(Published("trial", data)))
        tables = [Published("trial", data).read("match", UNIT).tables["games"] for _ in range(2)]
        assert all(table.equals(example()["tables"]["games"]) for table in tables)
        publish("trial", new, ("games",), data)
        assert without_left_overs(contents(data)) == contents(tmp_path / "whole")
    assert outcomes == sorted(outcomes)
    assert {outcomes[0], outcomes[-1]} == {1, 3}


def test_a_unit_is_found_under_whatever_experiment_it_was_published(published: Path):
    found = [one.read("match", OTHER) for one in (shelf("another", published), *other_shelves("another", published))]
    assert [stored is not None for stored in found] == [False, True]
    assert found[1].summary == example(1)["summary"]
    assert found[1].tables["games"].equals(example(1)["tables"]["games"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("units.csv.gz", b"no gzip"),
        ("units.csv.gz", gzip.compress(b"\xff\xfe", mtime=0)),
        ("units.csv.gz", gzip.compress(b"unit,kind,games\naa00,match,{\n", mtime=0)),
        ("units.csv.gz", gzip.compress(b"kind\nmatch\n", mtime=0)),
        ("games.csv.gz", b"no gzip"),
        ("games.csv.gz", gzip.compress(b"number\n1\n", mtime=0)),
        ("provenance.csv.gz", gzip.compress(b"date\n1\n", mtime=0)),
    ],
)
def test_sealed_published_files_that_hold_no_results_are_refused(name: str, content: bytes, published: Path):
    sealed(published / "trial", name, content)
    with pytest.raises(DamagedResult, match="does not hold published results"):
        found = Published("trial", published).read("match", UNIT)
        _ = dict(found.tables), dict(found.provenance)  # read when they are looked at


def test_damage_elsewhere_is_told_and_costs_only_what_is_there(published: Path):
    with (published / "trial" / "units.csv.gz").open("ab") as file:
        file.write(b"\n")
    with pytest.warns(UserWarning, match="units.csv.gz has .* meanwhile nothing is read from there"):
        assert other_shelves("another", published) == []
    with pytest.raises(DamagedResult, match="'git restore data/trial' brings back"):
        shelf("trial", published).read("match", UNIT)


def test_published_results_that_changed_are_read_again(published: Path, root: Path):
    assert len(shelf("trial", published)) == 3
    publish("trial", {UNIT: ("match", {}, LocalStore(root).read("match", UNIT))}, ("games",), published)
    assert len(shelf("trial", published)) == 1


# --- what must not be in the code ---------------------------------------------------------------------------------


def test_nothing_in_the_package_unpickles_or_evaluates():
    # Numba keeps compiled code as pickles; those are read from files that are checked to be this user's own and whole.
    allowed = {("_kernel_cache.py", "pickle")}
    unsafe = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "jsonpickle"}
    found = []
    for path in sorted(Path(wslib.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: set[str] = set()
            if isinstance(node, ast.Import):
                names = {alias.name.split(".")[0] for alias in node.names} & unsafe
            elif isinstance(node, ast.ImportFrom):
                names = {(node.module or "").split(".")[0]} & unsafe
            elif isinstance(node, ast.Call):
                call = ast.unparse(node.func)
                names = {call} & {"eval", "exec", "torch.load", "pd.read_pickle", "pandas.read_pickle"}
                if any(k.arg == "allow_pickle" and ast.unparse(k.value) != "False" for k in node.keywords):
                    names = {f"{call}(allow_pickle)"}
                if call.endswith(".to_pickle"):
                    names = {call}
            found += [(path.name, name) for name in names]
    assert {*found} == allowed


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_no_result(value: float, tmp_path: Path):
    with pytest.raises(ParameterError, match=f"regret is {value}, which is no result"):
        LocalStore(tmp_path).commit("match", UNIT, {}, {"games": 4, "regret": value}, {}, {})
    assert not contents(tmp_path)


def test_numbers_of_numpy_are_refused_rather_than_stored_as_text(tmp_path: Path):
    with pytest.raises(TypeError):
        LocalStore(tmp_path).commit("match", UNIT, {}, {"games": np.int64(4)}, {}, {})
    assert LocalStore(tmp_path).read("match", UNIT) is None
