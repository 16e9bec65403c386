"""Boards, heat maps and games as SVG."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from typing import Any

import numpy as np

from wslib.games import FIRST, SECOND, STONES, Game, Position, position_of
from wslib.parameters import ParameterError, brief, whole

CELL, RADIUS = 40, 16
TYPE, LEAST_TYPE = 13, 11.2
"""Size of letters on a board of its usual width, and the least in pixels that they have on a smaller one."""
TOP, BOTTOM, EDGE = 22, 30, 3
Heat = Mapping[Any, float] | Sequence[float] | np.ndarray


@dataclass(frozen=True)
class Drawing:
    """One picture: its SVG, which stands alone, and a caption below it."""

    svg: str
    caption: str | None = None
    width: int = 0

    def __repr__(self) -> str:
        """The picture in words."""
        words = unescape(self.svg.partition("<title>")[2].partition("</title>")[0])
        return " ".join(filter(None, (words, self.caption)))

    def _repr_html_(self) -> str:
        return _figure(self, "max-width:100%;overflow-x:auto", scrolls=True)


@dataclass(frozen=True)
class Drawings:
    """Several pictures in a row that wraps, or, as a film strip, in one that scrolls."""

    items: tuple[Drawing, ...]
    columns: int | None = None
    strip: str | None = None
    """What the film strip shows, for those who cannot see it."""

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.items))

    def _repr_html_(self) -> str:
        if self.strip is not None:
            # With tabindex, the arrow keys scroll it too.
            head = '<div class="ws-scroll" role="group" tabindex="0" '
            head += f'aria-label="{escape(self.strip)}" style="display:flex;gap:14px;'
            head += 'overflow-x:auto;max-width:100%;padding-bottom:8px">'
            return head + "".join(_figure(item, "flex:none") for item in self.items) + "</div>"
        widest = max((item.width for item in self.items), default=0)
        limit = f"max-width:{self.columns * (widest + 18)}px;" if self.columns else ""
        head = f'<div style="display:flex;flex-wrap:wrap;gap:14px 18px;align-items:flex-start;{limit}">'
        return head + "".join(_figure(item, "max-width:100%") for item in self.items) + "</div>"


def _figure(drawing: Drawing, style: str, scrolls: bool = False) -> str:
    """A drawing with its caption below it, as HTML."""
    words = ""
    if drawing.caption:
        limit = f"max-width:{max(drawing.width, 160)}px;" if drawing.width < 500 else ""
        words = f'<figcaption style="{limit}margin:2px 0 0;font-size:90%">'
        words += escape(drawing.caption) + "</figcaption>"
    marked = ' class="ws-scroll"' if scrolls else ""
    return f'<figure{marked} style="margin:0;{style}">{drawing.svg}{words}</figure>'


def board(
    position: Position | Game | str,
    heat: Heat | None = None,
    labels: Mapping[Any, str] | None = None,
    last: bool = True,
    caption: str | None = None,
    size: int | None = None,
) -> Drawing:
    """Draw a position (of a game: its start).

    ``heat`` is a number per action (a vector over all actions, or a mapping from moves by name or number): the larger
    it is, the stronger the shading of the action's cell, in Connect Four the one where the stone would land; negative
    numbers are shaded in another hue. ``labels`` are short texts per action; without them a distribution is labelled
    in per cent, other numbers with their value. ``last`` outlines the last move. ``size`` is the width in pixels.

    >>> board("tictactoe", heat={"b2": 1.0}).svg.count(">100%<")
    1
    """
    position = position_of(position)
    game = position.game
    if labels is not None and not isinstance(labels, Mapping):
        raise ParameterError(
            f"labels = {brief(labels)} is not allowed: it should be texts by move: {{'{game.action_name(0)}': 'here'}}"
        )
    numbers = _per_action(position, heat)
    texts = _default_labels(position, numbers) if labels is None else {}
    texts |= {game.action_number(move): str(text) for move, text in (labels or {}).items()}
    left = EDGE if game.drops else TOP
    width, height = left + game.cols * CELL + EDGE, TOP + game.rows * CELL + BOTTOM
    drawn = size or width
    letters = max(TYPE, LEAST_TYPE * width / drawn)
    parts = _coordinates(position, left, letters)
    parts += [f'<g transform="translate({left} {TOP})">', *field_of(position, numbers, texts, last, letters), "</g>"]
    parts += _status_line(position, texts, left, height, letters)
    style = f"width:{drawn}px;max-width:100%;height:auto"
    return Drawing(svg_of(width, height, parts, _sentence(position, numbers, texts), style), caption, drawn)


def boards(
    items: Iterable[Position | Drawing], captions: Sequence[str] | None = None, columns: int | None = None
) -> Drawings:
    """Several positions or drawings beside each other, at most ``columns`` in a row and fewer on a narrow screen."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise ParameterError(f"items = {brief(items)} is not allowed: it should be a list of positions or drawings")
    drawings = [item if isinstance(item, Drawing) else board(item) for item in items]
    if captions is not None:
        if len(captions) != len(drawings):
            raise ValueError(f"{len(drawings)} boards need as many captions, not {len(captions)}")
        drawings = [replace(item, caption=words) for item, words in zip(drawings, captions, strict=True)]
    return Drawings(tuple(drawings), columns)


def filmstrip(position: Position | Game | str, every: int = 1, size: int = 190) -> Drawings:
    """The game that led to a position as a row of boards to scroll through: every ``every``-th ply, and the last."""
    whole("every", every, 1)
    position = position_of(position)
    line = list(position.line())
    shown = [p for ply, p in enumerate(line) if ply % every == 0 or ply == len(line) - 1]
    items = []
    for p in shown:
        move = f"ply {len(p.history)}: {p.game.action_name(p.history[-1])}" if p.history else "start"
        items.append(board(p, caption=move, size=size))
    return Drawings(tuple(items), strip=f"A game of {position.game.title} in {len(line) - 1} plies")


def _cell(position: Position, action: int) -> int | None:
    """The cell that shows an action: where its stone goes; none for a pass or a full column."""
    game = position.game
    if not game.drops:
        return action if action < game.cells else None
    empty = [cell for cell in range(action, game.cells, game.cols) if not position.board.flat[cell]]
    return empty[-1] if empty else None


def _last_cell(position: Position) -> int | None:
    """The cell of the last stone, where the last move is known and was no pass."""
    if not position.history:
        return None
    game, action = position.game, position.history[-1]
    if not game.drops:
        return action if action < game.cells else None
    return next(cell for cell in range(action, game.cells, game.cols) if position.board.flat[cell])


def _per_action(position: Position, heat: Heat | None) -> dict[int, float]:
    """The numbers to show, by action: all of a mapping; of a vector those of legal actions and all that are not 0."""
    game = position.game
    if heat is None:
        return {}
    if isinstance(heat, Mapping):
        return {game.action_number(move): float(v) for move, v in heat.items() if np.isfinite(v)}
    vector = np.asarray(heat, float).ravel()
    if len(vector) != game.actions:
        raise ValueError(
            f"a heat map of {game.title} has a number for each of {game.actions} actions, not {len(vector)}"
        )
    legal = set(position.legal)
    return {a: float(v) for a, v in enumerate(vector) if np.isfinite(v) and (v or a in legal)}


def _default_labels(position: Position, numbers: dict[int, float]) -> dict[int, str]:
    """What a heat map says: shares in per cent (none below 1 %), counts as they are, other numbers with their sign."""
    legal = set(position.legal)
    numbers = {a: number for a, number in numbers.items() if a in legal}
    values = list(numbers.values())
    if values and min(values) >= 0 and abs(sum(values) - 1) < 0.01:
        return {a: f"{number:.0%}" for a, number in numbers.items() if number >= 0.01}
    if all(number == int(number) >= 0 for number in values):
        return {a: f"{number:.0f}" for a, number in numbers.items()}
    return {a: f"{number:+.2f}".replace("-", "\N{MINUS SIGN}") for a, number in numbers.items()}


def field_of(
    position: Position, numbers: dict[int, float], texts: dict[int, str], last: bool, letters: float = TYPE
) -> list[str]:
    """The board itself with its top left corner at the origin: cells with their shading, stones, mark, labels."""
    game, look = position.game, position.game.look
    strongest = max((abs(number) for number in numbers.values()), default=0) or 1
    shades = {_cell(position, action): number / strongest for action, number in numbers.items()}
    labels = {_cell(position, action): text for action, text in texts.items()}
    marked = _last_cell(position) if last else None
    size = f'width="{game.cols * CELL}" height="{game.rows * CELL}"'
    parts = [f'<rect {size} rx="3" fill="{look.board}" stroke="{look.line}" stroke-width="3"/>']
    for cell, value in enumerate(position.board.ravel()):
        x, y = cell % game.cols * CELL, cell // game.cols * CELL
        shade = shades.get(cell, 0.0)
        ground = _mix(look.empty, look.hot if shade > 0 else look.cold, abs(shade))
        parts.append(_ground(position, x, y, ground))
        if value:
            player = FIRST if value > 0 else SECOND
            parts.append(_stone(position, player, x + CELL / 2, y + CELL / 2, RADIUS))
            ground = look.stones[player]
        if cell == marked:
            corner = f'x="{x + 2}" y="{y + 2}" width="{CELL - 4}" height="{CELL - 4}" rx="5"'
            parts.append(f'<rect class="last" {corner} fill="none" stroke="{look.mark}" stroke-width="3"/>')
        if cell in labels:
            parts.append(text_at(x + CELL / 2, y + CELL / 2, labels[cell], letters, fill=ink_on(ground)))
    return parts


def _coordinates(position: Position, left: int, letters: float) -> list[str]:
    """The names of columns and rows, as in ``print(position)``."""
    game = position.game
    first_row = [game.action_name(column) for column in range(game.cols)]
    heads = [name if game.drops else name[0] for name in first_row]
    parts = [text_at(left + (c + 0.5) * CELL, TOP / 2, head, letters) for c, head in enumerate(heads)]
    if not game.drops:
        parts += [text_at(left / 2, TOP + (r + 0.5) * CELL, str(r + 1), letters) for r in range(game.rows)]
    return parts


def _ground(position: Position, x: float, y: float, fill: str) -> str:
    """An empty cell: a hole in the Connect Four frame, a square elsewhere."""
    look = position.game.look
    if position.game.drops:
        middle = f'cx="{x + CELL / 2:g}" cy="{y + CELL / 2:g}"'
        return f'<circle {middle} r="{RADIUS}" fill="{fill}" stroke="{look.line}"/>'
    return f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="{look.line}"/>'


def _stone(position: Position, player: int, x: float, y: float, radius: float, rim: str | None = None) -> str:
    """A stone; in Connect Four with the letter that the player has in print, X or O, as a mark."""
    look = position.game.look
    rim = rim or look.rims[player]
    disc = f'<circle class="stone" cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{look.stones[player]}" stroke="{rim}"/>'
    if not position.game.drops:
        return disc
    d, pen = radius * 0.38, f'fill="none" stroke="{ink_on(look.stones[player])}" stroke-width="{radius / 7:.2g}"'
    if player == FIRST:
        return disc + f'<path d="M{x - d:g} {y - d:g}l{2 * d:g} {2 * d:g}m0 {-2 * d:g}l{-2 * d:g} {2 * d:g}" {pen}/>'
    return disc + f'<circle cx="{x:g}" cy="{y:g}" r="{d * 1.15:g}" {pen}/>'


def _status_line(position: Position, texts: dict[int, str], left: int, height: int, letters: float) -> list[str]:
    """Below the board: the stone of the player to move or of the winner, in words too, and what a pass is labelled."""
    words = position.caption
    passing = texts.get(position.game.cells) if position.game.passes else None
    if passing is not None:
        words += f", pass {passing}"
    y = height - BOTTOM / 2 + 1
    player = position.winner if position.is_over else position.to_move
    parts = [] if player is None else [_stone(position, player, left + 9, y, 7.5, rim="currentColor")]
    return [*parts, text_at(left + (0 if player is None else 22), y, words, letters + 1, anchor="start")]


def _sentence(position: Position, numbers: dict[int, float], texts: dict[int, str]) -> str:
    """The position in words, for those who cannot see the picture."""
    game = position.game
    words = [f"{game.title}, {position.caption}"]
    if game.drops:
        for c in range(game.cols):
            stones = [STONES[0 if v > 0 else 1] for v in position.board[::-1, c] if v]
            words += [f"column {c + 1} from below: {' '.join(stones)}"] if stones else []
    else:
        for letter, sign in zip(STONES, (1, -1), strict=True):
            cells = [game.action_name(int(cell)) for cell in np.flatnonzero(position.board == sign)]
            words += [f"{letter}: {' '.join(cells)}"] if cells else []
    if position.history:
        words.append(f"last move {game.action_name(position.history[-1])}")
    strongest = sorted(numbers, key=lambda a: (-numbers[a], a))[:3]
    if strongest:
        named = [f"{game.action_name(a)} {texts.get(a, format(numbers[a], '.2g'))}" for a in strongest]
        words.append(f"highest: {', '.join(named)}")
    return "; ".join(words) + "."


def svg_of(width: float, height: float, parts: Iterable[str], sentence: str, style: str) -> str:
    """A whole SVG of these parts, with what it shows in a sentence for those who cannot see it."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
    head += f'height="{height:g}" style="{style}" role="img" aria-label="{escape(sentence)}">'
    return f"{head}<title>{escape(sentence)}</title>{''.join(parts)}</svg>"


def text_at(x: float, y: float, words: str, size: float, fill: str = "currentColor", anchor: str = "middle") -> str:
    """A line of text; on a board, long ones are set smaller so that they stay within their cell."""
    if anchor == "middle":
        size = min(size, 1.65 * CELL / max(len(words), 1)) if fill != "currentColor" else size
    return (
        f'<text x="{x:g}" y="{y:g}" font-family="system-ui, sans-serif" font-size="{size:g}" text-anchor="{anchor}" '
        f'dominant-baseline="central" fill="{fill}">{escape(words)}</text>'
    )


def _rgb(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def _mix(colour: str, other: str, share: float) -> str:
    """A colour on the way from one to another: plain colours, because text on it must know what it stands on."""
    mixed = (round(a + (b - a) * share) for a, b in zip(_rgb(colour), _rgb(other), strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def ink_on(ground: str) -> str:
    """Black or white, whichever stands out more on this colour (relative luminance as in WCAG)."""
    linear = [((c / 255 + 0.055) / 1.055) ** 2.4 if c > 10 else c / 3295 for c in _rgb(ground)]
    luminance = float(np.dot((0.2126, 0.7152, 0.0722), linear))
    return "#000000" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "#ffffff"


def _draw_itself(position: Position) -> str:
    return board(position)._repr_html_()


Position._repr_html_ = _draw_itself  # type: ignore[attr-defined]
