"""Pictures that need no results: the loop, the two switches, and what a simulation credits with RAVE.

They are drawn by hand in SVG, in the page's own colours; numbers in them come from the settings of a run.
"""

from collections.abc import Callable, Sequence
from html import escape

import numpy as np
from matplotlib.axes import Axes

from wslib.study.presets import preset
from wslib.study.report.charts import WIDE, show_panels
from wslib.study.report.look import OURS, THEMED, THESIS, Html, framed
from wslib.training.settings import weight_of

LINE = 18
"""Pixels from a line of text to the next."""
LONGEST = 10
"""Iterations that the picture of the switches shows."""
PATH = ("c", "d", "a")
PLAYOUT = ("b", "e", "f")
"""The moves of the picture of a simulation: down the tree, and on to the end of the game."""


def _themed(colour: str) -> str:
    return "light-dark({}, {})".format(*THEMED[colour.lower()])


def _text(x: float, y: float, words: str, *, bold: bool = False, anchor: str = "middle", ink: str = "") -> str:
    weight = ' font-weight="bold"' if bold else ""
    colour = f' style="fill:{ink}"' if ink else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{weight}{colour}>{escape(words)}</text>'


def _box(x: float, y: float, width: float, title: str, lines: Sequence[str]) -> str:
    """A box with a title and lines of text below it."""
    height = LINE * (len(lines) + 1) + 16
    texts = [_text(x + width / 2, y + 22, title, bold=True)]
    texts += [_text(x + width / 2, y + 22 + LINE * (place + 1), line) for place, line in enumerate(lines)]
    look = 'rx="7" fill="currentColor" fill-opacity="0.06" stroke="currentColor"'
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {look}/>{"".join(texts)}'


def _arrow(path: str) -> str:
    return f'<path d="{path}" fill="none" stroke="currentColor" stroke-width="1.5" marker-end="url(#ws-arrow)"/>'


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    head = '<marker id="ws-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    head += '<path d="M0 0 8 4 0 8z" fill="currentColor"/></marker>'
    style = f"flex:1 1 {width}px;max-width:{round(1.2 * width)}px;min-width:{round(0.92 * width)}px;height:auto"
    return (
        f'<svg aria-hidden="true" viewBox="0 0 {width} {height}" style="{style}" font-size="13" '
        f'font-family="sans-serif" fill="currentColor"><defs>{head}</defs>{"".join(parts)}</svg>'
    )


def loop() -> Html:
    """Self-play, training and the arena, and what goes from each to the next."""
    run = preset("table", game="connect4")
    playing = [f"{run.episodes} games against itself,", f"{run.simulations} simulations a move,"]
    fitting = [f"{run.epochs} passes over the games", f"of the last {run.retrained} iterations:"]
    judging = [f"{run.arena_games} games, new against old;", f"at least {100 * run.threshold:.0f} % of those"]
    parts = [
        _box(4, 34, 190, "Self-play", [*playing, "led by the network"]),
        _box(258, 34, 190, "Training", [*fitting, "policies and results"]),
        _box(512, 34, 190, "Arena", [*judging, "decided must be won"]),
        _arrow("M194 78H256"), _text(225, 68, "examples"), _arrow("M448 78H510"), _text(479, 68, "weights"),
        _arrow("M607 122V168H99V126"),
        _text(353, 160, "the new network if it won often enough, else the old one"),
        _text(4, 20, "a network of random weights", anchor="start"), _arrow("M99 24V32"),
    ]  # fmt: skip
    return framed(
        [_svg(706, 178, parts)],
        "Each iteration goes round a circle: the network leads self-play, its games train a copy of it, and the copy "
        "takes its place only if it wins in the arena.",
        "In the first round of the loop the network knows nothing, so its games teach it little: that is the cold "
        "start. A warm start changes who plays the games of the first rounds, and nothing else.",
    )


def switches() -> Html:
    """How much a mixture trusts the playout, iteration by iteration, with a fixed and with an adaptive switch."""
    panels, steps = {}, range(1, LONGEST + 1)
    length = preset("table", game="connect4", method="wro").warm_iterations or 0
    for switch, after in (("fixed", "then plain search"), ("adaptive", "until plain search wins")):
        run = preset("table", game="connect4", method="wro", switch=switch)
        weights = [weight_of(run, i) if switch == "adaptive" or i <= length else 0.0 for i in steps]
        panels[f"{switch} switch"] = _weights(weights, after)
    return show_panels(
        panels,
        f"With a fixed switch the weight of the playout falls in equal steps and is gone after {length} "
        "iterations; with an adaptive switch it halves at once, and then fades slowly.",
        f"A fixed switch ends the warm start after I' = {length} iterations, an adaptive one as soon as plain search "
        "wins more games than the enhancement. Bars are w(i), how much WRo and WRoRa trust the playout in iteration "
        "i; Rollout and RoRa trust nothing but the playout until the switch.",
        across="iteration i",
        up="weight w(i)",
        height=2.4,
        width=WIDE,
        same_up=True,
    )


def _weights(weights: Sequence[float | None], words: str) -> Callable[[Axes], None]:
    def draw(axis: Axes) -> None:
        steps = np.arange(1, len(weights) + 1)
        axis.bar(steps, [weight or 0 for weight in weights], color=OURS, width=0.7)
        axis.set_xticks(steps)
        axis.set_ylim(0, 1.05)
        axis.text(len(weights) + 0.4, 0.75, words, ha="right")

    return draw


def two_runs() -> Html:
    """Two training runs side by side: the same loop, but for who plays the first games."""
    words = [
        (100, 14, "iteration"), (0, 49, "cold start"), (0, 123, "warm start"), (100, 160, "an enhanced search plays"),
        (320, 160, "then plain search plays in both"), (556, 80, "Which network"), (556, 98, "is stronger?"),
    ]  # fmt: skip
    parts = [_text(x, y, text, anchor="start") for x, y, text in words]
    parts.append('<path d="M538 44 L554 70 M538 118 L554 92" stroke="currentColor"/>')
    for place, label in enumerate([*map(str, range(1, 9)), "…", "100"]):
        for top, helped in ((24, False), (98, place < 5)):
            ink = _themed("#e69f00") if helped else "currentColor"
            look = f'style="fill:{ink}" fill-opacity="{0.5 if helped else 0.08}" stroke="currentColor"'
            parts.append(f'<rect x="{100 + 44 * place}" y="{top}" width="39" height="40" rx="5" {look}/>')
            parts.append(_text(119.5 + 44 * place, top + 25, label))
    return framed(
        [_svg(670, 172, parts)],
        "Two runs of a hundred iterations each. In the cold one plain search, guided by the network, plays from the "
        "first iteration on. In the warm one an enhanced search plays the first five. At the end their networks meet.",
        "A cold and a warm start differ in one thing only: who plays the first games.",
    )


def walk_with_rave() -> Html:
    """One simulation, and the moves that every state on its path gives credit to, with and without RAVE."""
    moves, first = PATH + PLAYOUT, 150
    at: list[float] = [first + 82.0 * place for place in range(len(moves) + 1)]
    parts = [_text(4, 44, "the walk", bold=True, anchor="start")]
    for place, move in enumerate(moves):
        tree = place < len(PATH)
        dash = "" if tree else ' stroke-dasharray="4 4"'
        line = f'<path d="M{at[place] + 13} 40H{at[place + 1] - 13}" stroke="currentColor" stroke-width="1.5"{dash}/>'
        parts += [line, _text((at[place] + at[place + 1]) / 2, 30, f"{'XO'[place % 2]}: {move}")]
    for place, x in enumerate(at):
        tree = place <= len(PATH)
        name = f"s{place}" if place < len(PATH) else "leaf" if place == len(PATH) else ""
        radius, dash = (13, "") if tree else (5, ' stroke-dasharray="3 3"')
        parts += [
            f'<circle cx="{x:g}" cy="40" r="{radius}" fill="none" stroke="currentColor"{dash}/>',
            _text(x, 68, name),
        ]
    parts.append(_text(at[-1], 68, "result"))
    for row, state in enumerate(range(len(PATH))):
        y = 104 + 30 * row
        parts.append(_text(4, y + 5, f"s{state}, {'XO'[state % 2]} to move", anchor="start"))
        for place in range(state, len(moves)):
            if (place - state) % 2:
                continue  # a move of the other player
            own, middle = place == state, (at[place] + at[place + 1]) / 2
            colour = _themed(OURS if own else THESIS)
            look = f"fill:{colour}" if own else f"fill:none;stroke:{colour};stroke-width:2.5"
            parts.append(f'<circle cx="{middle:g}" cy="{y}" r="7" style="{look}"/>')
    parts += [
        f'<circle cx="166" cy="200" r="7" style="fill:{_themed(OURS)}"/>', _text(180, 205, "Q and N", anchor="start"),
        f'<circle cx="266" cy="200" r="7" style="fill:none;stroke:{_themed(THESIS)};stroke-width:2.5"/>',
        _text(280, 205, "RAVE alone: Q_rave and N_rave, if the move was legal here", anchor="start"),
    ]  # fmt: skip
    return framed(
        [_svg(664, 214, parts)],
        "Without RAVE a search learns of one move in each state of a simulation's path; RAVE learns of every later "
        "move of the same player as well, those of the playout included.",
        "With RAVE one simulation says something about many moves, if less certainly. Here it makes "
        f"{len(moves)} moves: {len(PATH)} down the tree to a leaf, the rest in its playout (dashed). Each row is a "
        "state of the path. Without RAVE the move that was taken there is credited; RAVE also credits every later move "
        "of the same player, once, as if it had been played right there.",
    )


PICTURES: dict[str, Callable[[], Html]] = {
    "loop": loop, "switches": switches, "two_runs": two_runs, "walk_with_rave": walk_with_rave,
}  # fmt: skip
"""By the names under which the book's pages ask for them."""
