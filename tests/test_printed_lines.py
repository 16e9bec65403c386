"""Every line for a shell that README and book print is taken as it is typed, from an empty store.

A line that would compute for long is followed up to where that begins: its parameters are accepted, and what is missing
is known. Pages without units of work are run to their end. Whole pages, in kernels of their own, are run by
:mod:`tests.test_notebooks`.
"""

import ast
import contextlib
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import papermill.engines
import pytest
from papermill.cli import papermill as papermill_line

from wslib.perfect import positions
from wslib.study.claims import evidence
from wslib.study.engine import agenda, cli, jobs, runs, verify, whole
from wslib.study.engine.cli import main
from wslib.study.engine.published import shelf
from wslib.study.pages.catalogue import EXPERIMENTS

mpl.use("Agg")
ROOT = Path(__file__).resolve().parent.parent
PRINTED = [ROOT / "README.md", *sorted((ROOT / "book").glob("*.md")), *sorted((ROOT / "notebooks").glob("*.py"))]
OURS = ("papermill", "wslib", "make", "python", "pytest")
ELSEWHERE = ("dask ", "export ", "for ", "(umask", "source ", ". .venv", "#SBATCH", ".venv/bin/python -")
"""Lines for which no test here stands: the environment, certificates, and Dask's own (see test_cluster)."""


def printed() -> list[tuple[str, str]]:
    """Where a line stands, and the line without its comment."""
    found: dict[str, str] = {}
    for path in PRINTED:
        text = re.sub(r"^# ?", "", path.read_text(), flags=re.MULTILINE) if path.suffix == ".py" else path.read_text()
        for block in re.findall(r"^```(?:sh|bash)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            for line in block.splitlines():
                if line := re.sub(r"(^|\s)#(?!SBATCH).*", "", line).strip():
                    found.setdefault(line, path.name)
        for line in re.findall(r"`((?:papermill|wslib) [^`\n]+)`", text):
            if not re.search(r"…|[A-Z]{4}|^wslib (run|show)$", line):  # placeholders, and commands only named
                found.setdefault(line, path.name)
    return [(where, line) for line, where in found.items()]


class Begins(Exception):
    """Here work of some length would begin."""


class Here(papermill.engines.Engine):
    """Runs a notebook's cells in this process, up to where work begins."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **_: Any) -> None:
        known: dict[str, Any] = {"In": [""]}
        for cell in (cell for cell in nb_man.nb.cells if cell.cell_type == "code"):
            known["In"].append(cell.source)
            tree = ast.parse(cell.source)
            try:
                exec(compile(tree, nb_man.nb.metadata.get("name", "notebook"), "exec"), known)
            except Begins:
                return


@pytest.fixture(autouse=True)
def without_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """An empty store; what would compute is noted instead."""
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(ROOT)
    begun: list[Any] = []

    def begins(asked: Any = None, *_: Any, **__: Any) -> Any:
        begun.append(asked)
        raise Begins

    monkeypatch.setattr(jobs, "compute_units", begins)
    monkeypatch.setattr(runs, "compute_unit", begins)
    monkeypatch.setattr(whole, "compute", begins)
    monkeypatch.setattr(evidence, "gather", begins)  # all results of the study: the book's build runs these pages
    monkeypatch.setattr(cli, "publish_experiment", begins)
    monkeypatch.setattr(positions, "rebuilt_as_published", begins)
    monkeypatch.setattr(verify, "recompute_some", begins)
    monkeypatch.setattr(verify, "check", lambda root: verify.Checked())
    monkeypatch.setattr(agenda, "PHASES", [p for p in agenda.PHASES if p.boards == ("gobang",)])
    monkeypatch.setitem(papermill.engines.papermill_engines._engines, None, Here)
    return begun


def ids(of: list[tuple[str, str]]) -> list[str]:
    return [f"{where}: {line}"[:90] for where, line in of]


LINES = [(where, line) for where, line in printed() if not line.startswith(ELSEWHERE)]
NOTEBOOKS = [(where, line) for where, line in LINES if line.startswith("papermill") and "--help-notebook" not in line]
COMMANDS = [(where, line) for where, line in LINES if line.startswith("wslib")]
OTHERS = [(where, line) for where, line in LINES if (where, line) not in [*NOTEBOOKS, *COMMANDS]]


def test_no_line_is_of_a_kind_that_nothing_tries():
    assert len(LINES) > 40
    assert [line for _, line in LINES if not line.startswith((*OURS, "#!/bin/sh"))] == []


@pytest.mark.parametrize(("where", "line"), NOTEBOOKS, ids=ids(NOTEBOOKS))
def test_a_line_that_runs_a_notebook_is_taken(where: str, line: str, tmp_path: Path, without_work: list[Any]):
    name = re.search(r"notebooks/(\w+)\.py", line)[1]
    typed = line.replace("out.ipynb", str(tmp_path / "out.ipynb"))
    papermill_line.main([*shlex.split(typed)[1:], "--no-progress-bar"], standalone_mode=False)
    assert (tmp_path / "out.ipynb").exists()
    usual = re.fullmatch(r"papermill \S+ out.ipynb", line) or "-p preset" not in line
    assert without_work or usual or name not in EXPERIMENTS, "something is computed"


@pytest.mark.parametrize(("where", "line"), COMMANDS, ids=ids(COMMANDS))
def test_a_command_is_taken(where: str, line: str, capsys: pytest.CaptureFixture[str]):
    some = shelf("orientation").units()[0]
    typed = re.sub(r"\bID\b", some, line).replace("$SLURM_ARRAY_TASK_ID", "3").replace("RUN", some)
    with contextlib.suppress(Begins):
        assert main(shlex.split(typed)[1:]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(("where", "line"), OTHERS, ids=ids(OTHERS))
def test_any_other_line_names_what_there_is(where: str, line: str):
    words = shlex.split(line)
    if words[0] == "make":
        targets = [word for word in words[1:] if "=" not in word and not word.startswith("-")]
        makefile = (ROOT / "Makefile").read_text()
        assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    elif words[0] == "python":
        assert (ROOT / words[1]).is_file()
        told = subprocess.run(
            [sys.executable, words[1], "--help"], capture_output=True, text=True, check=False, cwd=ROOT
        )
        assert all(word in told.stdout for word in words[2:] if word.startswith("--"))
    elif words[0] == "papermill":
        assert (ROOT / words[-1]).is_file()
