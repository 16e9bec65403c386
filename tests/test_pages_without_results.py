"""Every page of trained players reads sensibly while none, some or all of its results are there."""

import ast
import shutil
from pathlib import Path
from typing import Any

import jupytext
import matplotlib as mpl
import pytest

from wslib.study.engine import store as storing
from wslib.study.engine import units as study
from wslib.study.engine.notebook import AS_IT_IS

mpl.use("Agg")
ROOT = Path(__file__).resolve().parent.parent
LEARNING = ("it_learns", "network_choice", "protocol")
WARM = ("warmstart", "on_the_way", "control", "iprime", "adaptive", "adaptive_vs_fixed", "beyond",
        "published_tournaments")  # fmt: skip
LISTS = ("verdicts", "explorer", "what_came_out")


@pytest.fixture(autouse=True)
def nothing_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty store, and of ``data/`` what is no result of ours."""
    for name in ("thesis", "positions"):
        shutil.copytree(ROOT / "data" / name, tmp_path / "data" / name)
    monkeypatch.setattr(storing, "published_root", lambda: tmp_path / "data")
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path / "store"))


def read(name: str, **parameters: Any) -> list[str]:
    """What a page shows, run here with these parameters: prose, and the texts of tables and figures."""
    known: dict[str, Any] = {}
    shown: list[str] = []

    def keep(*parts: Any) -> None:
        shown.extend(str(getattr(part, "text", getattr(part, "data", ""))) for part in parts if part is not None)

    for cell in jupytext.read(ROOT / "notebooks" / f"{name}.py").cells:
        if cell.cell_type != "code":
            continue
        tree = ast.parse(cell.source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{name}.py", "exec"), known)
        if "parameters" in cell.metadata.get("tags", []):
            known |= parameters
        if "show" in known:
            known["show"] = keep
        value = eval(compile(ast.Expression(last.value), f"{name}.py", "eval"), known) if last else None
        keep(value)
    return shown


@pytest.mark.parametrize("name", [*LEARNING, *WARM, *LISTS])
def test_a_page_of_which_nothing_is_there_says_so_where_the_book_is_built(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(AS_IT_IS, "1")
    shown = read(name)
    assert name in LISTS or sum("Not computed yet: " in text for text in shown) >= 2
    assert not any("nan" in text.lower().split() for text in shown)


@pytest.mark.parametrize("name", [*LEARNING, *WARM])
def test_a_page_of_which_a_part_is_there_shows_that_part(name: str, monkeypatch: pytest.MonkeyPatch):
    read(name, preset="smoke", workers=1)  # computes all of it
    known_results = study.known_results
    results = study.results

    def read_only(*given, compute=None, **more):  # what the page asks for is not computed any more
        return results(*given, **more) if compute is None else results(*given, **more, compute=False)

    monkeypatch.setattr(study, "results", read_only)
    parts = {f"a third, {rest}": lambda unit, rest=rest: int(unit.id, 16) % 3 == rest for rest in range(3)}
    parts |= {"runs": lambda unit: unit.stage == 0, "no runs": lambda unit: unit.stage > 0}
    for part, there in parts.items():

        def some(units, *given, there=there):
            return known_results([unit for unit in units if there(unit)], *given)

        monkeypatch.setattr(study, "known_results", some)
        assert read(name, preset="smoke"), part
