"""Papermill and notebooks that are Python files: reading, writing, and the command line as a reader types it."""

import errno
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


def test_papermill_writes_any_local_output_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "out.ipynb"
    papermill_io.write("old", str(target))
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "no space left")))
    for write in (papermill_io.write, pmio.handler.write):
        with pytest.raises(OSError, match="no space"):
            write("new", str(target))
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["out.ipynb"]
    with pytest.raises(ValueError, match=r"there is no folder .*none for the output"):
        papermill_io.write("new", str(tmp_path / "none" / "out.ipynb"))


@pytest.mark.parametrize(
    "path", ["notebooks/../a.py", "jupytext:none/../a.py", "./notebooks/x/../../a.py", "../HERE/a.py"]
)
def test_a_notebook_is_found_by_way_of_dots(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for folder in ("notebooks/x", "none"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "a.py").write_text("# %%\n1 + 1\n")
    monkeypatch.chdir(tmp_path)
    text = papermill_io.read(path.replace("HERE", tmp_path.name))
    assert "1 + 1" in text


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("notebooks/none.py out.ipynb", "there is no notebook notebooks/none.py: notebooks has x"),
        ("../HERE/none.ipynb out.ipynb", "none.ipynb: "),
        ("Makefile out.ipynb", "is no notebook: its name should end with .py, .md or .ipynb"),
        ("notebooks/x.py notebooks", "the output notebooks is a folder: it should be the name of a file"),
        ("notebooks/x.py notebooks/x.py", "the output notebooks/x.py would replace a notebook's text"),
        ("notebooks/x.py ./notebooks/../notebooks/x.py", "would replace a notebook's text"),
        ("notebooks/x.py link.ipynb", "the output link.ipynb would replace a notebook's text"),
        ("link.ipynb out.ipynb", "link.ipynb holds no notebook: one that is kept as text should end with .py or .md"),
        ("run.ipynb notebooks/../run.ipynb", "the output notebooks/../run.ipynb is the notebook that is read"),
        ("notebooks/x.py none/out.ipynb", "there is no folder none for the output"),
    ],
)
def test_what_papermill_cannot_do_is_one_sentence_and_harms_nothing(line: str, sentence: str, tmp_path: Path):
    (tmp_path / "notebooks").mkdir()
    source = tmp_path / "notebooks" / "x.py"
    source.write_text(NOTEBOOK)
    (tmp_path / "link.ipynb").symlink_to(source)
    (tmp_path / "run.ipynb").write_text(papermill_io.read(str(source)))
    before = (tmp_path / "run.ipynb").read_bytes()
    done = papermill(line.replace("HERE", tmp_path.name), tmp_path)
    told = done.stderr.splitlines()
    assert (
        done.returncode == 1 and told[-1].startswith("papermill: ") and sentence in told[-1].replace(f"{tmp_path}/", "")
    )
    assert "Traceback" not in done.stderr
    assert source.read_text() == NOTEBOOK and (tmp_path / "run.ipynb").read_bytes() == before


def test_parameters_may_come_from_a_file(tmp_path: Path):
    (tmp_path / "x.py").write_text(NOTEBOOK)
    (tmp_path / "given.yaml").write_text("games: 41\n")
    assert papermill("x.py out.ipynb -f given.yaml", tmp_path).returncode == 0
    assert "games = 41" in (tmp_path / "out.ipynb").read_text()


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        ("from wslib.parameters import ParameterError\nraise ParameterError('games = 3')", "papermill: games = 3"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGINT)", "papermill: stopped; what was finished is stored"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_an_error_of_ours_in_a_notebook_is_one_sentence_and_any_other_has_its_traceback(
    error: str, sentence: str, tmp_path: Path
):
    (tmp_path / "x.py").write_text(f"# %%\n{error}\n")
    done = papermill("x.py out.ipynb", tmp_path)
    assert done.returncode == 1 and sentence in done.stderr
    assert ("PapermillExecutionError" in done.stderr) == ("Zero" in sentence), done.stderr


def papermill(line: str, folder: Path) -> subprocess.CompletedProcess:
    """A line as typed in a folder."""
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", *line.split()]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


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
