"""The few forms that all figures have: panels beside each other, rows of runs, intervals, curves, matrices.

A figure is a mapping from the titles of its panels to functions that draw on an axis; each panel is a picture of its
own, so that a narrow page shows them below each other. Names of series stand in a key above the panels, in the page's
own type, and in none where there is one series. Frames are tidy: a row per run, game or network. Games, methods and
kinds of runs come as the frames call them, and are written here.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from textwrap import fill
from typing import Any, cast

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wslib.draw.boards import ink_on
from wslib.study.names import board_name, kind_name
from wslib.study.report.look import GREY, INK, THEMED, Html, Look, as_svg, drawing_style, framed, look_of, plain_zeros
from wslib.study.statistics import stats
from wslib.study.statistics.decide import FEWEST_RUNS

Draw = Callable[[Axes], None]
NARROW, WIDE = 2.2, 3.2
LETTERS = 10
"""Of a panel's title on an inch of its width: what is longer takes a second line."""
WIDTHS = {1: 6.2, 2: WIDE, 4: WIDE}
"""Inches of a panel by their number: two, or else three, stand side by side in a page."""
SLIM = 3.6
"""Inches of a panel with short names that stands alone: a phone has room for it."""
_DIAMOND, _STAR = "M0-5.5 5.5 0 0 5.5-5.5 0z", "M0-6 1.6-2 6-2 2.5.8 3.7 5 0 2.5-3.7 5-2.5.8-6-2-1.6-2z"
_PLUS = "M-1.7-5h3.4v3.3H5v3.4H1.7V5h-3.4V1.7H-5v-3.4h3.3z"
_CROSS = "M-4-2.2-2.2-4 0-1.8 2.2-4 4-2.2 1.8 0 4 2.2 2.2 4 0 1.8-2.2 4-4 2.2-1.8 0z"
MARKS = {
    "o": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "s": "M-4-4h8v8h-8z", "^": "M0-5 5 4H-5z", "v": "M0 5 5-4H-5z",
    "D": _DIAMOND, "P": _PLUS, "X": _CROSS, "x": _CROSS, "*": _STAR, "|": "M-1.5-6h3v12h-3z", "": "",
}  # fmt: skip
"""The marks of Matplotlib that we use, as SVG paths for the key."""
DASHES = {"-": "none", "--": "6 3", ":": "2 3", "-.": "6 2 2 2", "": "0 99"}


def looks_of(kinds: Sequence[str], line: str = "-") -> dict[str, Look]:
    """Each kind of run with its method's look."""
    return {kind: look_of(kind)._replace(line=line) for kind in kinds}


def show_panels(
    panels: Mapping[str, Draw],
    alt: str,
    caption: str,
    data: pd.DataFrame | None = None,
    *,
    key: Mapping[str, Look] | None = None,
    across: str = "",
    up: str = "",
    height: float = 2.7,
    width: float | None = None,
    same_up: bool = False,
) -> Html:
    """A figure of panels by their titles; ``alt`` says what it shows.

    ``key`` names the series; ``across`` and ``up`` the axes; ``height`` and ``width`` are a panel's in inches; panels
    of rows (:func:`name_rows`) are as high as the longest of them needs. With ``same_up`` all panels share the range of
    the upright axis.
    """
    width = width or WIDTHS.get(len(panels), NARROW)
    with drawing_style():
        made = [plt.subplots(figsize=(width, height)) for _ in panels]
        titles = ["\n".join(fill(line, round(LETTERS * width)) for line in title.split("\n")) for title in panels]
        most = max((title.count("\n") for title in titles), default=0)
        for (_, axis), title, draw in zip(made, titles, panels.values(), strict=True):
            # As many lines everywhere, so that panels stand level.
            axis.set(title="\n" * (most - title.count("\n")) + title, xlabel=across, ylabel=up)
            draw(axis)
        highest = max((figure.get_figheight() for figure, _ in made), default=height)
        for figure, _ in made:
            figure.set_figheight(highest)
        if same_up:
            ends = np.array([axis.get_ylim() for _, axis in made])
            for _, axis in made:
                axis.set_ylim(ends[:, 0].min(), ends[:, 1].max())
        svgs = [as_svg(figure) for figure, _ in made]
    return framed(svgs, alt, caption, data, key_of(key or {}))


def key_of(series: Mapping[str, Look]) -> str:
    """The names of series beside their lines and marks; nothing for a single one, which needs no telling apart."""
    if len(series) < 2:
        return ""
    items = "".join(
        f'<li style="margin:0">{_swatch(look)} {escape(kind_name(name))}</li>' for name, look in series.items()
    )
    row = "display:flex;flex-wrap:wrap;gap:.1em 1.1em;justify-content:center;list-style:none;padding:0;margin:0 0 .3em"
    return f'<ul class="ws-key" style="{row};font-size:.85em">{items}</ul>'


def _swatch(look: Look) -> str:
    light, dark = THEMED.get(look.colour.lower(), (look.colour, look.colour))
    colour = "currentColor" if look.colour == INK else f"light-dark({light}, {dark})"
    pen = f"stroke:{colour};stroke-width:1.6;stroke-dasharray"
    line = f'<path d="M-14 0H14" style="fill:none;{pen}:{DASHES[look.line]}"/>'
    mark = f'<path d="{MARKS[look.mark]}" style="fill:{colour if look.filled else "none"};{pen}:none"/>'
    return f'<svg aria-hidden="true" viewBox="-14 -7 28 14" width="28" height="14">{line}{mark}</svg>'


def finding(frame: pd.DataFrame, value: str, write: str = "{:+.0f}", panel: str = "board", name: str = "kind") -> str:
    """What a figure shows as a sentence: panel by panel the name with the highest mean of ``value``, and the lowest.

    >>> frame = pd.DataFrame({"board": ["othello"] * 3 + ["gobang"], "kind": ["rave", "rave", "wro", "wro"]})
    >>> finding(frame.assign(elo=[10, 30, -3, 0.2]), "elo")
    'Othello: RAVE is highest with +20, WRo lowest with -3. Gobang: WRo has 0.'
    """
    parts = []
    for title, rows in frame.groupby(panel, sort=False):
        here = rows.groupby(name, sort=False)[value].mean().dropna().rename(lambda of: kind_name(str(of)))
        if here.empty:
            continue
        (best, most), (worst, least) = ((end, write.format(here[end])) for end in (here.idxmax(), here.idxmin()))
        said = f"{best} has {most}" if len(here) == 1 else f"{best} is highest with {most}, {worst} lowest with {least}"
        parts.append(f"{_title(title)}: {said}.")
    return plain_zeros(" ".join(parts))


def _title(value: object) -> str:
    """A game, a method or a kind of run, as a panel's title."""
    return kind_name(board_name(str(value)))


def by_panel(frame: pd.DataFrame, draw: Callable[..., None], by: str = "board") -> dict[str, Draw]:
    """A panel for each value of a column, in which ``draw(axis, rows=...)`` draws its rows."""
    return {_title(value): partial(draw, rows=rows) for value, rows in frame.groupby(by, sort=False)}


def in_percent(frame: pd.DataFrame) -> pd.DataFrame:
    """With the shares ``score``, ``low`` and ``high`` in percent."""
    return frame.assign(**{name: 100 * frame[name] for name in ("score", "low", "high")})


# --- rows: a name a line ------------------------------------------------------------------------------------------


def name_rows(axis: Axes, names: Sequence[str]) -> None:
    """Names down the side, the first on top, at heights 0, -1, ...; the picture gets the height that they need."""
    axis.set_yticks([-place for place in range(len(names))], names)
    axis.set_ylim(-len(names) + 0.4, 0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")
    cast(Figure, axis.figure).set_figheight(0.27 * len(names) + 0.95)


def strips(frame: pd.DataFrame, value: str, kinds: Sequence[str], by: str = "board") -> dict[str, Draw]:
    """A panel per game (or other column ``by``) with a row per kind that has runs there.

    Every run is a mark, their mean a bar, its 95 % interval a line where runs suffice to decide.
    """

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        groups = {kind: group.to_numpy() for kind, group in rows.groupby("kind")[value] if kind in kinds}
        there = [kind for kind in kinds if kind in groups]
        name_rows(axis, [kind_name(kind) for kind in there])
        for place, kind in enumerate(there):
            values, (colour, mark, *_) = groups[kind], look_of(kind)
            shifts = np.linspace(-0.2, 0.2, len(values)) if len(values) > 1 else np.zeros(1)
            axis.scatter(values, -place + shifts, s=14, color=colour, marker=mark, zorder=3)
            axis.vlines(np.mean(values), -place - 0.35, -place + 0.35, color=colour, linewidth=2, zorder=2)
            if len(values) >= FEWEST_RUNS:
                axis.hlines(-place, *stats.mean_interval(values), color=colour, linewidth=1, zorder=1)

    return by_panel(frame, draw, by)


def forests(
    frame: pd.DataFrame,
    value: str,
    names: Mapping[str, str] | None = None,
    *,
    key: str = "kind",
    look: Callable[[str], Look] = look_of,
    zero: float = 0.0,
    also: Callable[[Axes], Any] = lambda axis: None,
) -> dict[str, Draw]:
    """A panel per game with a row per value of column ``key``: an effect, and a line from ``low`` to ``high``.

    ``names`` says how the values are written; one without an effect keeps its row, so that panels can be read across.
    ``zero`` is a line down, and ``also`` draws what else belongs to every panel.
    """
    names = names or {name: kind_name(name) for name in dict.fromkeys(frame[key])}
    ends = [zero, *frame[[value, "low", "high"]].stack().dropna()]
    margin = 0.05 * (max(ends) - min(ends)) or 1.0

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        name_rows(axis, list(names.values()))
        axis.axvline(zero, color=GREY, linewidth=0.9)
        found = rows.set_index(key).reindex(list(names))
        for place, (name, low, high, middle) in enumerate(found[["low", "high", value]].itertuples()):
            axis.hlines(-place, low, high, color=look(name).colour, linewidth=2)
            axis.plot(middle, -place, markersize=7, **look(name).plot)
        also(axis)
        axis.set_xlim(min(ends) - margin, max(ends) + margin)  # one scale, so that panels can be compared

    return by_panel(frame, draw)


# --- curves -------------------------------------------------------------------------------------------------------


def curve(axis: Axes, runs: pd.DataFrame, x: str, y: str, look: Look, runs_too: bool = False) -> None:
    """The mean over runs (``seed``) by ``x``, with ``runs_too`` above every run as a thin line."""
    if runs_too:
        for _, one in runs.groupby("seed"):
            axis.plot(one[x], one[y], color=look.colour, linewidth=0.5, alpha=0.45)
    means = runs.groupby(x)[y].mean()
    axis.plot(means.index, means, linewidth=1.6, **look.plot)


def curves(
    frame: pd.DataFrame,
    x: str,
    y: str,
    looks: Mapping[str, Look],
    *,
    by: str = "board",
    level: float | None = None,
    log: bool = False,
    runs_too: bool = False,
) -> dict[str, Draw]:
    """A panel per game (or other column ``by``) with a curve per kind; ``level`` is a grey line across."""

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        if level is not None:
            axis.axhline(level, color=GREY, linewidth=0.9)
        for kind, look in looks.items():
            curve(axis, rows[rows["kind"] == kind], x, y, look, runs_too)
        if log:
            ticks_at(axis, list(set(frame[x])), log=True)
        axis.grid(axis="y")

    return by_panel(frame, draw, by)


def lines(
    axis: Axes, rows: pd.DataFrame, x: str, y: str, looks: Mapping[str, Look], by: str = "kind", **pen: Any
) -> None:
    """Of each kind its rows as they come, joined by a line or marks alone, as its look has it."""
    for kind, here in rows.groupby(by, sort=False):
        axis.plot(here[x], here[y], **looks[str(kind)].plot, **pen)


def ticks_at(axis: Axes, values: Sequence[float], *, log: bool = False) -> None:
    """Ticks at these places alone; of many on a logarithmic axis, only those with room for it have a number."""
    places = sorted(values)
    shown = places
    if log:
        axis.set_xscale("log")
    if log and len(places) > 5:
        shown = []
        for place in reversed(places):
            if not shown or 2.4 * place <= shown[-1]:
                shown.append(place)
    axis.set_xticks(places, [f"{place:g}" if place in shown else "" for place in places])
    axis.minorticks_off()


# --- matrices -----------------------------------------------------------------------------------------------------


def matrix(axis: Axes, values: pd.DataFrame, decimals: int = 0) -> None:
    """Percentages, the row's player against the column's, each shaded and written; nobody meets himself."""
    import seaborn as sns  # takes a second to import, and most pages have no matrix

    shades = plt.get_cmap("PuOr_r")
    sns.heatmap(values, ax=axis, vmin=0, vmax=100, cmap=shades, cbar=False, square=True)
    for (row, column), value in np.ndenumerate(values.to_numpy(float)):
        ground = "#{:02x}{:02x}{:02x}".format(*shades(value / 100, bytes=True)[:3]) if np.isfinite(value) else ""
        text, ink = (f"{value:.{decimals}f}", ink_on(ground)) if ground else ("·", INK)
        axis.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=ink)
    axis.tick_params(length=0)
    axis.tick_params(axis="x", rotation=45 if len(values) > 3 else 0)
    axis.tick_params(axis="y", rotation=0)
    axis.set(xlabel="", ylabel="")
