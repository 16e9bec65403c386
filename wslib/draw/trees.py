"""Small search trees as SVG."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wslib.draw.boards import CELL, EDGE, Drawing, field_of, svg_of, text_at
from wslib.games import Position

LINE, GAP, LEVEL, MINI = 17, 16, 46, 96
HIGHLIGHT = "#d9730d"
LEAST = 0.87
"""Share of a tree's own width below which it scrolls: smaller, its text could not be read."""


@dataclass
class _Node:
    """A node on its way to the page: what it shows, what hangs on it, and where it comes to stand."""

    lines: list[str]
    edge: str
    highlight: bool
    position: Position | None
    depth: int
    children: list["_Node"] = field(default_factory=list)
    x: float = 0.0
    """The middle of its box, as of its branch."""

    @property
    def mini(self) -> float:
        """The height of its small board."""
        return MINI * self.position.game.rows / self.position.game.cols if self.position else 0

    @property
    def width(self) -> float:
        words = max((len(line) for line in self.lines), default=0) * 7.4 + 14
        return max(words, MINI + 12 if self.position else 28)

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + 10 + (self.mini + 6 if self.position else 0)

    @property
    def room(self) -> float:
        """The width it needs among its siblings; the text of its branch stands to the right of the middle."""
        return max(self.width, 2 * (len(self.edge) * 7 + 10)) + GAP


def tree(nodes: Sequence[Mapping[str, Any]], caption: str | None = None) -> Drawing:
    """Draw a tree from its root downwards.

    Each node is a mapping with ``id``; ``parent``, the id of a node before it in the list (missing or None: the root);
    ``lines``, the texts in it; ``edge``, the text at the branch that leads to it; ``highlight``; ``position``, drawn
    as a small board. All but ``id`` may be missing.
    """
    layers = _layers(nodes)
    root = layers[0][0]
    width = _place(root, EDGE) + EDGE - GAP
    tops, bottom = [], float(EDGE)
    for layer in layers:
        tops.append(bottom)
        bottom += max(node.height for node in layer) + LEVEL
    parts = []
    # Highlighted branches come last, so that they are seen where branches meet.
    pairs = [(node, child) for layer in layers for node in layer for child in node.children]
    for node, child in sorted(pairs, key=lambda pair: pair[1].highlight):
        parts.append(_branch(node, child, tops[node.depth] + node.height, tops[child.depth]))
    parts += [_box(node, tops[node.depth]) for layer in layers for node in layer]
    sentence = f"A tree of {sum(map(len, layers))} nodes. " + "; ".join(
        " ".join(filter(None, (node.edge, *node.lines))) for layer in layers[:2] for node in layer
    )
    style = f"width:{width:g}px;min-width:{round(LEAST * width)}px;max-width:100%;height:auto"
    return Drawing(svg_of(width, bottom - LEVEL + EDGE, parts, sentence, style), caption, int(width))


def _layers(nodes: Sequence[Mapping[str, Any]]) -> list[list[_Node]]:
    """The nodes of a tree, linked, by their distance from the root."""
    found: dict[Any, _Node] = {}
    layers: list[list[_Node]] = []
    for given in nodes:
        allowed = {"id", "parent", "lines", "edge", "highlight", "position"}
        if not {"id"} <= set(given) <= allowed or given["id"] in found:
            raise ValueError(f"a node has an id of its own and may have {', '.join(sorted(allowed))}; not {given}")
        parent = given.get("parent")
        if (parent not in found) if found else (parent is not None):
            raise ValueError(f"node {given['id']!r}: only the first node is the root, others follow their parent")
        above = found.get(parent)
        node = _Node(
            [str(line) for line in given.get("lines", ())],
            str(given.get("edge") or ""),
            bool(given.get("highlight")),
            given.get("position"),
            above.depth + 1 if above else 0,
        )
        found[given["id"]] = node
        if above:
            above.children.append(node)
        if node.depth == len(layers):
            layers.append([])
        layers[node.depth].append(node)
    if not layers:
        raise ValueError("a tree has at least one node")
    return layers


def _place(node: _Node, left: float) -> float:
    """Give a node and all below it their places, from this edge to the right; returns where the next may begin."""
    right = left
    for child in node.children:
        right = _place(child, right)
    if right - left < node.room:  # a parent wider than its children: these move to its middle
        _shift(node.children, (node.room - (right - left)) / 2)
        right = left + node.room
    ends = [child.x for child in (node.children[:1] + node.children[-1:])]
    node.x = sum(ends) / 2 if ends else (left + right - GAP) / 2
    return right


def _shift(nodes: Iterable[_Node], by: float) -> None:
    """Move nodes, and all below them, to the right."""
    for node in nodes:
        node.x += by
        _shift(node.children, by)


def _branch(node: _Node, child: _Node, start: float, end: float) -> str:
    """The branch from a node to its child, along right angles, and its text beside the last piece."""
    bend = end - LEVEL * 0.6
    pen = f'stroke="{HIGHLIGHT}" stroke-width="3"' if child.highlight else 'stroke="currentColor" stroke-width="1.2"'
    line = f'<path d="M{node.x:g} {start:g}V{bend:g}H{child.x:g}V{end:g}" fill="none" {pen}/>'
    return line + (text_at(child.x + 6, (bend + end) / 2 + 1, child.edge, 13, anchor="start") if child.edge else "")


def _box(node: _Node, top: float) -> str:
    """A node with its small board and its lines."""
    pen = f'stroke="{HIGHLIGHT}" stroke-width="3"' if node.highlight else 'stroke="currentColor" stroke-width="1.2"'
    left = node.x - node.width / 2
    parts = [
        f'<rect x="{left:g}" y="{top:g}" width="{node.width:g}" height="{node.height:g}" rx="6" fill="none" {pen}/>'
    ]
    if node.position:
        game = node.position.game
        place = f'x="{node.x - MINI / 2:g}" y="{top + 6:g}" width="{MINI}" height="{node.mini:g}"'
        view = f'viewBox="-2 -2 {game.cols * CELL + 4} {game.rows * CELL + 4}"'
        parts += [f"<svg {place} {view}>", *field_of(node.position, {}, {}, last=True), "</svg>"]
    first = top + node.height - len(node.lines) * LINE - 5 + LINE / 2
    parts += [text_at(node.x, first + i * LINE, line, 13) for i, line in enumerate(node.lines)]
    return "".join(parts)
