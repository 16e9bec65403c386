"""The rooms of the house: a module knows only what stands above it, the bodies of its functions included."""

import ast
import re
from pathlib import Path

import wslib

HOUSE = Path(wslib.__file__).parent
GROUND = ("_bar", "_kernel_cache", "_compiled", "_numbers", "parameters", "files", "_stopping", "workers")
"""What every room stands on: it knows of no room."""
CORE = ("games", "draw", "search", "rhea", "play", "network", "training", "perfect", "check")
ROOMS = (*GROUND, *CORE, "prompt", "study")
"""From the top down."""


def imported(source: str) -> set[str]:
    """The rooms that a module imports from, anywhere in it."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "rooms are named in full"
            inside = [alias.name for alias in node.names] if node.module == "wslib" else [""]
            names += [f"{node.module}.{name}" for name in inside]
    return {name.split(".")[1] for name in names if name.startswith("wslib.")}


def modules() -> list[tuple[str, Path]]:
    """Each module of the house with its room; the front door, which leads everywhere, is left out."""
    paths = [path for path in sorted(HOUSE.rglob("*.py")) if path != HOUSE / "__init__.py"]
    return [(path.relative_to(HOUSE).parts[0].removesuffix(".py"), path) for path in paths]


def test_every_module_is_in_a_room_that_has_its_place():
    assert {room for room, _ in modules()} == set(ROOMS)


def test_a_module_imports_only_from_its_room_and_those_above():
    wrong = [
        f"{path.relative_to(HOUSE)} imports from {other}"
        for room, path in modules()
        for other in sorted(imported(path.read_text(encoding="utf-8")))
        if other not in ROOMS[: ROOMS.index(room) + 1]
    ]
    assert not wrong


def test_what_is_found_knows_nothing_of_how_it_is_shown():
    below = {"statistics": ("claims", "report"), "claims": ("report",)}
    wrong = [
        f"{path.relative_to(HOUSE)} imports from {other}"
        for room, others in below.items()
        for path in sorted((HOUSE / "study" / room).glob("*.py"))
        for other in others
        if f"wslib.study.{other}" in path.read_text(encoding="utf-8")
    ]
    assert not wrong


def test_pages_do_without_the_widgets_of_jupyterlab():
    inside = [path for path in (HOUSE / "study").rglob("*.py") if path.parent.name != "lab"]
    pages = [path for path in (HOUSE.parent / "notebooks").glob("*.py") if path.stem != "start"]
    wrong = [
        path.name for path in inside + pages if re.search(r"study\.lab|anywidget", path.read_text(encoding="utf-8"))
    ]
    assert inside and pages and not wrong


def test_an_import_in_the_body_of_a_function_is_seen():
    assert imported("def f():\n    from wslib import draw\n    import wslib.play.matches") == {"draw", "play"}
