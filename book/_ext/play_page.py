"""Boards that are alive: the scripts for the pages that have one, and the published networks as scripts beside them.

A page opened from a file may load scripts but fetch nothing, and only a page with a board should load them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ALIVE = ('class="ws-play"', 'class="ws-replay"', 'class="ws-walk"', 'class="ws-sights"')
SCRIPTS = ("rules", "search", "network", "board", "play", "replay", "walk", "sights")
"""In the order in which they need each other."""


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_networks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_scripts(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Added while a page is written, a script belongs to that page alone."""
    if any(mark in context.get("body", "") for mark in ALIVE):
        app.add_css_file("play/board.css")
        for name in SCRIPTS:
            app.add_js_file(f"play/{name}.js", loading_method="defer")


def write_networks(app: Sphinx, exception: Exception | None) -> None:
    """The networks that the page offers."""
    from wslib.study.report.play import opponents

    if exception is None:
        for opponent in opponents():
            file = Path(app.outdir) / "_static" / "play" / opponent.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(opponent.script, encoding="utf-8")
