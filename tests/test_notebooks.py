"""Every notebook runs from an empty store at a scale of seconds."""

import base64
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jupytext
import papermill as pm
import pytest
from bs4 import BeautifulSoup
from test_shown import WITHOUT_UNITS

ROOT = Path(__file__).resolve().parent.parent
# JupyterLab keeps what it last saved in a hidden folder beside a notebook.
NOTEBOOKS = sorted(p for p in (ROOT / "notebooks").rglob("*.py") if p.parent.name != ".ipynb_checkpoints")

SMOKE = {"preset": "smoke"}
"""What makes every notebook quick."""


def parameters(path: Path) -> dict[str, str]:
    """The names set in the notebook's `parameters` cell, each with its line."""
    for cell in jupytext.read(path).cells:
        if "parameters" in cell.metadata.get("tags", []):
            return {m[1]: m[0] for m in re.finditer(r"^(\w+)\s*(?::[^=\n]+)?=.*$", cell.source, re.MULTILINE)}
    return {}


def set_parameters(path: Path, values: dict[str, Any]) -> None:
    """Write `values` over the defaults in the notebook at `path`."""
    text, lines = path.read_text(encoding="utf-8"), parameters(path)
    for name, value in values.items():
        text = text.replace(lines[name], f"{name} = {value!r}", 1)
    path.write_text(text, encoding="utf-8")


def data_of_figures(executed: Any) -> Iterator[str]:
    """The table behind every figure of data, as the text that its caption offers."""
    for cell in executed.cells:
        for output in cell.get("outputs", []):
            shown = BeautifulSoup(output.get("data", {}).get("text/html", ""), "html.parser")
            # Drawings of boards and trees are no figures of data; those come from matplotlib, which names its groups.
            for link in shown.select("figure.ws-figure:has(#figure_1) figcaption a.ws-data"):
                yield base64.b64decode(str(link["href"]).partition("base64,")[2]).decode()


@pytest.mark.notebooks
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_an_empty_store(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path / "store"))
    output = tmp_path / f"{path.stem}.ipynb"
    # Through papermill's own reader, as typed by a reader: `papermill notebooks/x.py out.ipynb -p …`.
    monkeypatch.chdir(ROOT)
    pm.execute_notebook(path.relative_to(ROOT).as_posix(), str(output), parameters=SMOKE, progress_bar=False)
    executed = jupytext.read(output)
    assert all(cell.execution_count for cell in executed.cells if cell.cell_type == "code" and cell.source.strip())
    if path.stem not in WITHOUT_UNITS:
        mute = [data[:60] for data in data_of_figures(executed) if data.split(",")[0] not in ("unit", "units")]
        assert not mute, "figures whose data do not name their units"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_every_parameter_its_smoke_run_sets(path: Path):
    # papermill only logs a name it does not know, and the run would silently be a full one.
    assert set(SMOKE) <= set(parameters(path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_names_its_kernel_and_explains_its_parameters(path: Path):
    notebook = jupytext.read(path)
    kernel = notebook.metadata.get("kernelspec", {}).get("name")
    assert kernel == "python3", "papermill needs the kernel's name in the header"
    mute = [name for name, line in parameters(path).items() if "#" not in line]
    assert not mute, f"without a comment, which `papermill --help-notebook` shows: {mute}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_short_enough_to_be_read_at_a_sitting(path: Path):
    assert len(jupytext.read(path).cells) <= 20


@pytest.mark.notebooks
def test_a_run_that_fails_leaves_the_last_good_page_and_says_where_it_is(tmp_path: Path):
    for name in ("Makefile", "requirements.lock", "pyproject.toml", "wslib", ".venv"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "notebooks").mkdir()
    header = "# ---\n# jupyter:\n#   kernelspec:\n#     display_name: Python 3\n#     name: python3\n# ---\n"
    source, page = tmp_path / "notebooks" / "page.py", tmp_path / "book" / "runs" / "page.ipynb"
    # The environment is everybody's: whatever is younger than it, nothing is installed in it from here.
    command = ["make", "--no-print-directory", "--old-file=.venv/.ok", f"book/runs/{page.name}"]
    source.write_text(f"{header}\n# %%\nprint('good')\n", encoding="utf-8")
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    good = page.read_bytes()
    assert b"good" in good
    source.write_text(f"{header}\n# %%\nprint(1 / 0)\n", encoding="utf-8")
    os.utime(source, (page.stat().st_mtime + 10,) * 2)
    failed = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert failed.returncode != 0 and page.read_bytes() == good
    assert "_build/failed/page.ipynb; the last good page, if there is one, is untouched" in failed.stderr
    assert "ZeroDivisionError" in (tmp_path / "_build" / "failed" / "page.ipynb").read_text(encoding="utf-8")
