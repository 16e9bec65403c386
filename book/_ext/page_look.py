"""How a page made from a notebook looks in the book, so that the notebook itself need not care.

* Code is folded; ``book.js`` gives every page a switch that shows all of it. A cell tagged ``show-input`` stays open.
* Figures and tables are numbered from the top of their page.
* The CSV behind a figure or table, which a notebook holds within itself, becomes a file beside the page; so do the
  rows of a long table (``ws-beside``) but for the first, which a script puts back where they belong.
* ``{picture}`` draws one of :mod:`wslib.study.report.pictures`, which need no results.
* The theme's notes to its own developers are left out of the browser's console.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

NAMES = {"ws-figure": "Figure", "ws-table": "Table"}
CAPTIONS = re.compile(r'<figure class="(ws-figure|ws-table)"([^>]*)>(.*?)<figcaption>', re.DOTALL)
PACKED = re.compile(r'href="data:text/csv;charset=utf-8;base64,([^"]*)"')
BESIDE = re.compile(r'(<tbody class="ws-beside">)(.*?)(</tbody></table>)', re.DOTALL)
FIRST_ROWS = 50
"""Rows of such a table that are in the page itself, for readers without scripts."""
PUT_BACK = 'document.currentScript.previousElementSibling.tBodies[0].insertAdjacentHTML("beforeend", {});\n'
THEME_SCRIPTS = ("scripts/pydata-sphinx-theme.js", "togglebutton.js")
NOTES = re.compile(r"console\.(?:log|info|debug)\((?!\))")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("picture", Picture)
    app.connect("doctree-read", fold_code)
    app.connect("html-page-context", number_and_unpack)
    app.connect("build-finished", quiet_theme)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def fold_code(app: Sphinx, doctree: nodes.document) -> None:
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") == "cell_code" and "tag_show-input" not in cell["classes"]:
            cell.setdefault("hide_mode", "input")
            cell["prompt_show"] = cell["prompt_hide"] = "Code"


def number_and_unpack(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Number what has a caption, and write the CSV that hangs on it, as ``data/<page>-table-<number>.csv``."""
    page = pagename.rsplit("/", 1)[-1]
    counted = dict.fromkeys(NAMES, 0)

    def numbered(found: re.Match[str]) -> str:
        kind, attributes, before = found.groups()
        counted[kind] += 1
        name = f"{NAMES[kind]} {counted[kind]}"
        head = f'<figure class="{kind}" id="{name.lower().replace(" ", "-")}"{attributes}>'
        return f'{head}{before}<figcaption><b class="ws-number">{name}.</b> '

    context["body"] = CAPTIONS.sub(numbered, context.get("body", ""))
    # Split at the figures: a link belongs to the number before it, or, where there is none, to the page.
    parts = re.split(r'(?=<figure class="ws-)', context["body"])
    folder = Path(app.outdir) / "data"
    up = "../" * pagename.count("/")
    for place, part in enumerate(parts):
        own = re.match(r'<figure class="ws-[a-z]+" id="([a-z]+-\d+)"', part)
        file = f"{page}-{own[1]}.csv" if own else f"{page}.csv"

        def unpacked(found: re.Match[str], file: str = file) -> str:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(base64.b64decode(found[1]))
            return f'href="{up}data/{file}"'

        parts[place] = PACKED.sub(unpacked, part)

    def shortened(found: re.Match[str]) -> str:
        head, body, end = found.groups()
        rows = re.findall(r"<tr>.*?</tr>", body, re.DOTALL)
        if len(rows) <= FIRST_ROWS:
            return found[0]
        folder.mkdir(parents=True, exist_ok=True)
        script = PUT_BACK.format(json.dumps("".join(rows[FIRST_ROWS:])))
        (folder / f"{page}-rows.js").write_text(script, encoding="utf-8")
        return f'{head}{"".join(rows[:FIRST_ROWS])}{end}<script src="{up}data/{page}-rows.js"></script>'

    context["body"] = BESIDE.sub(shortened, "".join(parts))


class Picture(SphinxDirective):
    """``{picture} name``: a drawing that follows the page's colours, with its caption."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        from wslib.study.report import pictures

        name = self.arguments[0]
        if name not in pictures.PICTURES:
            raise self.error(f"there is no picture {name!r}: the pictures are {', '.join(pictures.PICTURES)}")
        self.env.note_dependency(pictures.__file__)
        return [nodes.raw("", pictures.PICTURES[name]().html, format="html")]


def quiet_theme(app: Sphinx, exception: Exception | None) -> None:
    for name in THEME_SCRIPTS:
        script = Path(app.outdir) / "_static" / name
        if exception is None and script.is_file():
            script.write_text(NOTES.sub("void (", script.read_text(encoding="utf-8")), encoding="utf-8")
