"""Every notebook runs from an empty store at a scale of seconds."""

import re
from pathlib import Path
from typing import Any

import jupytext
import papermill as pm
import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.py"))

# What makes a notebook quick; one that is not named here runs with its own parameters.
SMOKE: dict[str, dict[str, Any]] = {
    "warmstart": {"preset": "smoke"},
    "iprime": {"preset": "smoke"},
    "beyond": {"preset": "smoke"},
    "control": {"preset": "smoke"},
    "adaptive_vs_fixed": {"preset": "smoke"},
    "adaptive": {"preset": "smoke"},
    "games": {"games": 20},
    "it_learns": {"preset": "smoke"},
    "learning": {"simulations": 20},
    "network_choice": {"preset": "smoke"},
    "one_run": {"preset": "smoke"},
    "orientation": {"preset": "smoke"},
    "perfect_play": {"preset": "smoke"},
    "positions": {"rebuilt": 2},
    "protocol": {"preset": "smoke"},
    "rating": {"preset": "smoke"},
    "published_tournaments": {"preset": "smoke"},
    "readings": {"preset": "smoke"},
    "rhea": {"evolutions": 20, "games": 20},
    "searches": {"simulations": 20},
    "untrained": {"preset": "smoke"},
    "verdicts": {"preset": "smoke"},
    "explorer": {"preset": "smoke"},
}


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


@pytest.mark.notebooks
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_an_empty_store(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path / "store"))
    output = tmp_path / f"{path.stem}.ipynb"
    # Through papermill's own reader, as typed by a reader: `papermill notebooks/x.py out.ipynb -p …`.
    monkeypatch.chdir(ROOT)
    pm.execute_notebook(
        path.relative_to(ROOT).as_posix(), str(output), parameters=SMOKE.get(path.stem, {}), progress_bar=False
    )
    executed = jupytext.read(output)
    assert all(cell.execution_count for cell in executed.cells if cell.cell_type == "code" and cell.source.strip())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_every_parameter_its_smoke_run_sets(path: Path):
    # papermill only logs a name it does not know, and the run would silently be a full one.
    assert set(SMOKE.get(path.stem, {})) <= set(parameters(path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_names_its_kernel_and_explains_its_parameters(path: Path):
    notebook = jupytext.read(path)
    kernel = notebook.metadata.get("kernelspec", {}).get("name")
    assert kernel == "python3", "papermill needs the kernel's name in the header"
    mute = [name for name, line in parameters(path).items() if "#" not in line]
    assert not mute, f"without a comment, which `papermill --help-notebook` shows: {mute}"
