"""Compiled kernels on disk: whatever happens to the files, a kernel computes the same, and nobody else's code runs."""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from wslib import _kernel_cache

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = """
import numpy as np
from wslib import _compiled as c
state = np.array([7], np.uint64)
told = [int(c.scramble(np.uint64(7))), int(c.below(state, 0, 100)), float(c.uniform(state, 0))]
print(told, sum(sum(f.stats.cache_hits.values()) for f in (c.scramble, c.below, c.uniform)))
"""
"""Calls four kernels, one of them from two others; says what they computed and how many were read from disk."""
KERNELS = ("below", "scaled", "scramble", "uniform")


def environment(home: Path, **more: str) -> dict[str, str]:
    """That of a process whose kernels are kept in this folder."""
    rest = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return rest | {"XDG_CACHE_HOME": str(home), "PYTHONPATH": str(ROOT)} | more


def run(home: Path, script: str = SCRIPT, limit: int | None = None, **more: str) -> tuple[str, int, str]:
    """What the kernels computed, how many were read from disk, and what was said on standard error."""

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    ended = subprocess.run(
        [sys.executable, "-c", script], env=environment(home, **more), capture_output=True, text=True, timeout=120,
        preexec_fn=limited,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-1000:]
    told, _, hits = ended.stdout.strip().rpartition(" ")
    return told, int(hits), ended.stderr


def kernels(home: Path) -> list[Path]:
    return sorted((home / "wslib").glob("kernels-*/*.kernel"))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the four kernels."""
    home = tmp_path_factory.mktemp("template")
    assert run(home)[1] == 0
    return home


@pytest.fixture
def home(template: Path, tmp_path: Path) -> Path:
    return shutil.copytree(template, tmp_path / "home")


@pytest.fixture
def nowhere(tmp_path: Path) -> Path:
    """A home that cannot be: it would lie below a file."""
    (tmp_path / "file").write_text("")
    return tmp_path / "file" / "home"


@pytest.fixture(scope="module")
def wanted(template: Path) -> str:
    return run(template)[0]


def test_kernels_are_compiled_once_and_then_read(home: Path, wanted: str):
    assert run(home) == (wanted, 3, "")
    assert [path.name.split("-")[0] for path in kernels(home)] == [f"wslib._compiled.{name}" for name in KERNELS]
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in kernels(home))
    assert kernels(home)[0].parent.stat().st_mode & 0o777 == 0o700


def swap(path: Path) -> None:
    there = kernels(path.parents[2])
    path.write_bytes(there[(there.index(path) + 1) % len(there)].read_bytes())


DAMAGES = {
    "emptied": lambda path: os.truncate(path, 0),
    "cut in its digest": lambda path: os.truncate(path, 20),
    "cut by a byte": lambda path: os.truncate(path, path.stat().st_size - 1),
    "flipped": lambda path: path.write_bytes(path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1])),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "another's": swap,
    "writable for others": lambda path: path.chmod(0o622),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path, 0o600)),
    "a link": lambda path: path.symlink_to(path.rename(path.with_suffix(".moved"))),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_kernel_is_not_there(damage: Callable[[Path], None], home: Path):
    for path in kernels(home):
        assert _kernel_cache._read(path)
        damage(path)
        assert _kernel_cache._read(path) is None


@pytest.mark.parametrize("first", range(0, len(DAMAGES) - 1, len(KERNELS)))
def test_a_damaged_kernel_is_compiled_anew_and_replaced(first: int, home: Path, wanted: str):
    for path, damage in zip(kernels(home), [*DAMAGES.values()][first:-1], strict=False):
        damage(path)
    told, hits, said = run(home)
    assert (told, said) == (wanted, "")
    assert hits < 3
    assert run(home) == (wanted, 3, "")


def test_what_cannot_be_replaced_is_told_of_and_stops_nobody(home: Path, wanted: str):
    for path in kernels(home):
        DAMAGES["a folder"](path)
    told, hits, said = run(home)
    assert (told, hits) == (wanted, 0)
    assert said.count("compiled kernels cannot be kept in") == 1


def test_a_pickle_that_somebody_else_put_there_is_not_executed(home: Path, wanted: str, tmp_path: Path):
    for path in kernels(home):
        trap = b"cposix\nmkdir\n(S'%s'\ntR." % str(tmp_path / "sprung").encode()
        path.write_bytes(_kernel_cache._seal(path, trap) + trap)
        path.chmod(0o666)
    assert run(home)[:2] == (wanted, 0)
    assert not (tmp_path / "sprung").exists()


SHOW = SCRIPT + "import os, wslib._kernel_cache as k; print(k.FOLDER, oct(k.FOLDER.stat().st_mode), 0)"


@pytest.mark.parametrize("spoiled", ["open to others", "given away"])
def test_a_folder_that_is_not_ours_alone_is_neither_read_nor_written(
    spoiled: str, home: Path, wanted: str, tmp_path: Path
):
    folder = kernels(home)[0].parent
    if spoiled == "given away":
        if os.geteuid():
            pytest.skip("only root can give a folder away")
        os.chown(folder, 12345, -1)
    else:
        folder.chmod(0o777)
    for path in kernels(home):
        path.unlink()
    (shared := tmp_path / "shared").mkdir()
    told, _, said = run(home, SHOW, TMPDIR=str(shared))
    assert told.startswith(f"{wanted} 0\n{shared}/wslib-kernels-")
    assert told.endswith(" 0o40700")
    assert said.count("compiled kernels cannot be kept") == 1
    assert f"{folder} (it belongs to another user, or others may write to it)" in said
    assert not kernels(home)
    assert not list(shared.iterdir()), "a private folder ends with its process"


def test_where_no_folder_can_be_made_the_shared_one_holds_nothing_that_can_be_guessed(
    nowhere: Path, tmp_path: Path, wanted: str
):
    (shared := tmp_path / "shared").mkdir()
    names = set()
    for _ in range(2):
        told, _, said = run(nowhere, SHOW, TMPDIR=str(shared))
        assert told.startswith(wanted)
        assert f"compiled kernels cannot be kept in {nowhere.parent}" in said
        names.add(re.search(r"wslib-kernels-(\w{8})/", told)[1])
    assert len(names) == 2
    assert not list(shared.iterdir())


def test_without_any_folder_kernels_are_compiled_and_not_kept(nowhere: Path, wanted: str):
    script = "import tempfile\ntempfile.mkdtemp = lambda **_: open('/nowhere/at/all')\n" + SCRIPT
    told, hits, _ = run(nowhere, script)
    assert (told, hits) == (wanted, 0)


def test_children_share_the_private_folder_of_the_process_that_made_it(nowhere: Path, tmp_path: Path):
    child = "import subprocess, sys\n" + SCRIPT + f"\nsubprocess.run([sys.executable, '-c', {SCRIPT!r}], check=True)"
    _, hits, said = run(nowhere, child, TMPDIR=str(tmp_path))
    assert hits == 3
    assert said.count("compiled kernels cannot be kept") == 1
    assert list(tmp_path.iterdir()) == [nowhere.parent]


def test_a_folder_that_the_user_names_is_used(tmp_path: Path, wanted: str):
    for hits in (0, 3):
        assert run(tmp_path / "other", NUMBA_CACHE_DIR=str(tmp_path / "named")) == (wanted, hits, "")
    assert len(kernels(tmp_path / "named")) == len(KERNELS)
    assert not (tmp_path / "other").exists()


def test_a_full_disk_is_told_of_once_with_the_folder_and_stops_nobody(home: Path, wanted: str):
    for path in kernels(home):
        path.unlink()
    folder = next((home / "wslib").iterdir())
    told, hits, said = run(home, limit=1000)
    assert (told, hits) == (wanted, 0)
    assert said.count("compiled kernels cannot be kept") == 1
    assert f"cannot be kept in {folder} (File too large)" in said
    assert not list(folder.iterdir())


def test_many_processes_that_start_at_once_leave_every_kernel_whole(tmp_path: Path, wanted: str):
    running = [
        subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment(tmp_path), stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    told = [process.communicate(timeout=240)[0].rpartition(" ")[0] for process in running]
    assert told == [wanted] * 6
    assert len(kernels(tmp_path)) == len(KERNELS)
    assert all(_kernel_cache._read(path) for path in kernels(tmp_path))
    assert len(os.listdir(kernels(tmp_path)[0].parent)) == len(KERNELS), "nothing else is left"


def test_old_versions_are_removed_and_nothing_else(tmp_path: Path):
    (elsewhere := tmp_path / "elsewhere" / "kernels-0000000000000000").mkdir(parents=True)
    (parent := tmp_path / "wslib").mkdir()
    for name in ("kernels-0123456789abcdef", "kernels-fedcba9876543210", "kernels-of-mine", "notes"):
        (parent / name).mkdir()
        (parent / name / "file").write_text("")
    (parent / "kernels-1111111111111111").write_text("a file")
    (parent / "kernels-2222222222222222").symlink_to(elsewhere)
    ago = time.time() - _kernel_cache.OLD - 60
    for path in [*parent.iterdir(), elsewhere]:
        os.utime(path, (ago, ago), follow_symlinks=False)
    os.utime(parent / "kernels-fedcba9876543210")
    folder = _kernel_cache._kept_folder(tmp_path)
    assert {path.name for path in parent.iterdir()} == {
        folder.name, "kernels-fedcba9876543210", "kernels-of-mine", "notes", "kernels-1111111111111111",
        "kernels-2222222222222222",
    }  # fmt: skip
    assert elsewhere.exists()


def test_a_version_that_is_in_use_stays_young(tmp_path: Path):
    folder = _kernel_cache._kept_folder(tmp_path)
    ago = time.time() - _kernel_cache.OLD - 60
    os.utime(folder, (ago, ago))
    assert _kernel_cache._kept_folder(tmp_path) == folder
    assert time.time() - folder.stat().st_mtime < _kernel_cache.DAY


def test_every_kernel_reaches_the_disk_and_so_do_the_folders(home: Path, monkeypatch: pytest.MonkeyPatch):
    synced, real = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (real(handle), synced.append(os.fstat(handle).st_ino)))
    folder = kernels(home)[0].parent
    monkeypatch.setattr(_kernel_cache, "FOLDER", folder)
    _kernel_cache.sync()
    assert {*synced} == {path.stat().st_ino for path in (*kernels(home), folder, folder.parent, home)}


def test_a_change_of_any_module_that_kernels_are_made_of_gives_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    package = shutil.copytree(ROOT / "wslib", tmp_path / "wslib", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(_kernel_cache, "PACKAGE", package)
    versions = {_kernel_cache._version()}
    with (package / "study" / "pages" / "base.py").open("a") as file:
        file.write("# longer\n")
    assert _kernel_cache._version() in versions, "a change of the study compiles nothing"
    made_of = re.compile(r"^@(kernel|inlined|intrinsic)\b|^(from|import) (numba|llvmlite)\b", re.M)
    modules = [path for path in sorted(package.rglob("*.py")) if made_of.search(path.read_text())]
    assert len(modules) > 10
    for number, path in enumerate(modules, 2):
        with path.open("a") as file:
            file.write("# longer\n")
        versions.add(_kernel_cache._version())
        assert len(versions) == number, path
