"""Papermill and notebooks that are Python files: reading, writing, and the command line as a reader types it."""

import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from papermill.iorw import papermill_io

from wslib.study.engine import papermill as pmio

NOTEBOOK = """\
# ---
# jupyter:
#   kernelspec:
#     name: python3
#     display_name: Python 3
# ---

# %% tags=["parameters"]
games: int = 5  # games per pair

# %%
print(games)
"""


def test_a_python_file_is_read_as_a_notebook_with_its_tags_and_kernel(tmp_path: Path):
    (tmp_path / "x.py").write_text(NOTEBOOK)
    notebook = json.loads(pmio.handler.read(f"jupytext:{tmp_path / 'x.py'}"))
    assert notebook["cells"][0]["metadata"]["tags"] == ["parameters"]
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


def test_papermill_finds_the_handler_by_the_path_as_typed(tmp_path: Path):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "x.py").write_text(NOTEBOOK)
    for path in ("notebooks/x.py", "./notebooks/x.py", f"jupytext:{tmp_path}/notebooks/x.py"):
        command = [sys.executable, "-m", "papermill", "--help-notebook", path]
        manual = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "games: int (default 5)" in manual.stdout, manual.stdout + manual.stderr
        assert "games per pair" in manual.stdout


def test_a_text_notebook_is_read_whatever_its_path_begins_with(tmp_path: Path):
    (tmp_path / "a.py").write_text("# %%\n1 + 1\n")
    notebook = nbformat.reads(papermill_io.read(str(tmp_path / "a.py")), as_version=4)
    assert [cell.source for cell in notebook.cells] == ["1 + 1"]
    papermill_io.write(nbformat.writes(notebook), str(tmp_path / "b.ipynb"))
    assert nbformat.reads(papermill_io.read(str(tmp_path / "b.ipynb")), as_version=4).cells == notebook.cells


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "out.ipynb"
    pmio.handler.write("old", str(target))

    def full(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        pmio.handler.write("new", str(target))
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.ipynb"]


def test_papermill_writes_any_local_output_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "out.ipynb"
    papermill_io.write("old", str(target))
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("no space left")))
    with pytest.raises(OSError, match="no space"):
        papermill_io.write("new", str(target))
    assert target.read_text() == "old"
    with pytest.raises(FileNotFoundError, match="output folder"):
        papermill_io.write("new", str(tmp_path / "none" / "out.ipynb"))


@pytest.mark.parametrize("path", ["notebooks/../secret.py", "jupytext:../x.py", "./notebooks/a/../../x.py"])
def test_a_notebook_outside_by_way_of_dots_is_refused_in_one_sentence(path: str):
    with pytest.raises(ValueError, match=r"is not allowed: the path of a notebook should not contain '\.\.'"):
        papermill_io.read(path)


def test_a_written_notebook_has_the_permissions_of_any_new_file(tmp_path: Path):
    pmio.handler.write("text", str(tmp_path / "a"))
    (tmp_path / "b").write_text("text")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == stat.S_IMODE((tmp_path / "b").stat().st_mode)


@pytest.mark.parametrize(("folder", "transport"), [("r", "ipc"), ("r" * 90, "tcp")])
def test_kernels_open_no_port_where_files_can_be_sockets(folder: str, transport: str, tmp_path: Path):
    (tmp_path / "a.py").write_text(
        "# %%\nimport json\nfrom ipykernel.connect import get_connection_file\n"
        "print(json.load(open(get_connection_file()))['transport'])\n"
    )
    with tempfile.TemporaryDirectory(prefix="ws-") as short:
        done = subprocess.run(
            [sys.executable, "-m", "papermill", "a.py", "b.ipynb"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
            env=os.environ | {"JUPYTER_RUNTIME_DIR": f"{short}/{folder}"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert not list((Path(short) / folder).iterdir()), "nothing is left behind"
    assert f"{transport}\\n" in (tmp_path / "b.ipynb").read_text()
