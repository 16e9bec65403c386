"""What the book needs beyond Jupyter Book: one repair, two tables, and download links.

* The theme's live-code script (thebe) is dropped: it would come from the network, and it is emitted twice,
  which is an error in the console of every page.
* ``{run-status}`` is a table of the executed notebooks in ``book/runs``; ``{run-environment}`` names the versions
  and the machine.
* Every page made from a notebook begins with links to its executed notebook, its source and its data.
"""

from __future__ import annotations

import ast
import json
import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

RUNS = "book/runs"
PACKAGES = ["numpy", "numba", "scipy", "pandas", "torch", "matplotlib", "seaborn"]
PACKAGES += ["jupyterlab", "jupytext", "papermill", "jupyter-book"]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("run-status", RunStatus)
    app.add_directive("run-environment", RunEnvironment)
    # Before Sphinx collects the downloads of a page (500).
    app.connect("doctree-read", add_downloads, priority=400)
    # After the extensions that add the scripts.
    app.connect("html-page-context", drop_thebe, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def drop_thebe(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    def is_thebe(script: Any) -> bool:
        body = getattr(script, "attributes", {}).get("body") or ""
        return "thebe" in f"{getattr(script, 'filename', script)}{body}".lower()

    context["script_files"] = [script for script in context.get("script_files", []) if not is_thebe(script)]


def add_downloads(app: Sphinx, doctree: nodes.document) -> None:
    page = app.env.docname
    if not page.startswith(f"{RUNS}/"):
        return
    name, root = page.removeprefix(f"{RUNS}/"), Path(app.srcdir)
    files = [("executed notebook", f"{page}.ipynb"), ("source", f"notebooks/{name}.py")]
    files += [(path.name, path.relative_to(root).as_posix()) for path in sorted((root / "data" / name).rglob("*.csv"))]
    line = nodes.paragraph(classes=["ws-downloads"])
    for text, path in files:
        if (root / path).is_file():
            line += nodes.Text(" · " if len(line) else "Download: ")
            link = addnodes.download_reference("", "", reftarget=f"/{path}", refdoc=page)
            link += nodes.Text(text)
            line += link
    title = next(iter(doctree.findall(nodes.title)), None)
    if title is not None and len(line):
        title.parent.insert(title.parent.index(title) + 1, line)


class RunStatus(SphinxDirective):
    """A table of every executed notebook: date, duration, parameters that were set, where its results come from."""

    def run(self) -> list[nodes.Node]:
        rows: list[list[nodes.Node | str]] = []
        for path in sorted((Path(self.env.srcdir) / RUNS).glob("*.ipynb")):
            self.env.note_dependency(str(path))
            notebook = json.loads(path.read_text(encoding="utf-8"))
            papermill = notebook["metadata"].get("papermill", {})
            set_by_hand = papermill.get("parameters") or {}
            rows.append(
                [
                    self._link(path.stem, _title(notebook) or path.stem),
                    _date(papermill.get("start_time")),
                    _duration(papermill.get("duration")),
                    ", ".join(f"{name} = {value}" for name, value in set_by_hand.items()) or "as in the source",
                    str(_recorded(notebook).get("results", "none used")),
                ]
            )
        if not rows:
            return [nodes.paragraph(text="No notebook has been executed yet.")]
        return [_table(["Page", "Run on", "Duration", "Parameters", "Results"], rows)]

    def _link(self, name: str, title: str) -> nodes.Node:
        page = f"{RUNS}/{name}"
        if page not in self.env.found_docs:
            return nodes.Text(title)
        target = {"refdomain": "std", "reftype": "doc", "reftarget": f"/{page}"}
        link = addnodes.pending_xref("", refdoc=self.env.docname, refexplicit=True, refwarn=True, **target)
        link += nodes.inline("", title)
        return link


class RunEnvironment(SphinxDirective):
    """A table of the versions and the machine this copy of the book was made with."""

    def run(self) -> list[nodes.Node]:
        rows: list[list[nodes.Node | str]] = [
            ["Python", platform.python_version()],
            ["System", f"{platform.system()} {platform.machine()}"],
            ["Processor", f"{_processor()}, {os.cpu_count()} cores"],
        ]
        rows += [[package, metadata.version(package)] for package in PACKAGES]
        return [_table(["What", "Version"], rows)]


def _table(head: list[str], rows: list[list[nodes.Node | str]]) -> nodes.table:
    def row(cells: list[Any]) -> nodes.row:
        result = nodes.row()
        for cell in cells:
            text = nodes.paragraph()
            text += nodes.Text(cell) if isinstance(cell, str) else cell
            entry = nodes.entry()
            entry += text
            result += entry
        return result

    table, group = nodes.table(), nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    top, body = nodes.thead(), nodes.tbody()
    top += row(head)
    body += [row(cells) for cells in rows]
    group += [top, body]
    table += group
    return table


def _title(notebook: dict[str, Any]) -> str | None:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for line in "".join(cell["source"]).splitlines():
                if line.startswith("# "):
                    return line.removeprefix("# ").strip()
    return None


def _recorded(notebook: dict[str, Any]) -> dict[str, Any]:
    """What a run says of itself: the notebook's `wslib` metadata, and every value glued as `run_…`."""
    record = dict(notebook["metadata"].get("wslib", {}))
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name", "")
            for mime, value in output.get("data", {}).items():
                if name.startswith("run_") and mime.endswith("text/plain"):
                    record[name.removeprefix("run_")] = ast.literal_eval("".join(value))
    return record


def _date(start: str | None) -> str:
    if not start:
        return "unknown"
    moment = datetime.fromisoformat(start)
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.strftime("%Y-%m-%d %H:%M UTC")


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)} min {int(seconds % 60)} s"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine()
