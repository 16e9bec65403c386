"""Terms of the glossary are links where a page first uses them, and only there.

Terms that are no words of everyday English (:data:`PLAIN`) are found in the prose, also in computed sentences; what an
author marks as ``{term}`` is a link as long as it is the page's first. Headings, code, formulas and captions are left
alone.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

GLOSSARY = "book/glossary"
WITHOUT = (GLOSSARY, "book/bibliography")
PLAIN = {
    "AMAF": "AMAF", "Baseline": "Baseline", "Elo": "Elo", "MCTS": "MCTS", "P-UCT": "P-UCT", "RAVE": "RAVE",
    "RHEA": "RHEA", "RoRa": "RoRa", "Rollout": "Rollout", "UCB1": "UCB1", "WRo": "WRo", "WRoRa": "WRoRa",
    "arena": "arena", "drawelo": "drawelo", "enhancement": "enhancements?", "epoch": "epochs?",
    "false alarm": "false alarms?", "iteration": "iterations?", "ordering": "orderings?", "playout": "playouts?",
    "ply": "ply|plies", "preset": "presets?", "self-play": "self-play", "simulation": "simulations?",
    "warm start": "warm starts?",
}  # fmt: skip
"""By term of the glossary, what it looks like in a sentence."""
WORDS = {term: re.compile(rf"(?<![\w’'-])(?:{pattern})(?![\w-])") for term, pattern in PLAIN.items()}
CLOSED = (nodes.reference, nodes.title, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.caption,
          nodes.raw, nodes.comment, nodes.target)  # fmt: skip
"""Where no term is looked for."""


def setup(app: Sphinx) -> dict[str, Any]:
    # After the references of the page have been resolved (which has no number of its own: 500).
    app.connect("doctree-resolved", link_first_uses, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def link_first_uses(app: Sphinx, doctree: nodes.document, page: str) -> None:
    known = {name: place for (kind, name), place in app.env.get_domain("std").objects.items() if kind == "term"}
    if page in WITHOUT or not known:
        return
    places = {term: f"{app.builder.get_relative_uri(page, known[term][0])}#{known[term][1]}" for term in known}
    terms = {target: term for term, target in places.items()}
    seen: set[str] = set()
    for node in list(doctree.findall(lambda node: isinstance(node, nodes.reference | nodes.Text))):
        if isinstance(node, nodes.reference):
            term = terms.get(node.get("refuri", ""))
            if term in seen:
                node.replace_self(nodes.Text(node.astext()))
            elif term:
                seen.add(term)
        elif not _closed(node):
            _link_words(node, places, seen)


def _closed(node: nodes.Node) -> bool:
    while node is not None:
        if isinstance(node, CLOSED):
            return True
        node = node.parent
    return False


def _link_words(text: nodes.Text, places: dict[str, str], seen: set[str]) -> None:
    """Replace the first uses in one piece of text by links."""
    rest, made = str(text), []
    while True:
        found = [
            (m.start(), -m.end(), term, m) for term in WORDS if term not in seen and (m := WORDS[term].search(rest))
        ]
        if not found:
            break
        _, _, term, match = min(found)
        seen.add(term)
        link = nodes.reference("", "", internal=True, refuri=places[term])
        link += nodes.inline(match[0], match[0], classes=["xref", "std", "std-term"])
        made += [nodes.Text(rest[: match.start()]), link]
        rest = rest[match.end() :]
    if made:
        text.parent.replace(text, [*(part for part in made if part.astext()), *([nodes.Text(rest)] if rest else [])])
