"""The few forms that all figures have: panels beside each other, rows of runs, intervals, curves with bands, matrices.

A figure is a mapping from the titles of its panels to functions that draw on an axis; each panel is a picture of its
own, so that a narrow page shows them below each other. Names of series stand in a key above the panels, in the page's
own type, and in none where there is one series. Frames are tidy: a row per run, game or network.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from textwrap import fill
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wslib.draw.boards import ink_on
from wslib.study.names import board_name, kind_name, method_name
from wslib.study.report.look import GREY, INK, THEMED, Html, as_svg, drawing_style, framed, look_of, plain_zeros
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


class Look(NamedTuple):
    """How a series is drawn: colour, mark of its points (or none; filled or not), line that joins them (or none)."""

    colour: str = INK
    mark: str = "o"
    line: str = "-"
    filled: bool = True

    @property
    def plot(self) -> dict[str, Any]:
        """The arguments of ``Axes.plot`` that draw this look."""
        fill = "full" if self.filled else "none"
        return {"color": self.colour, "marker": self.mark or None, "linestyle": self.line or "none", "fillstyle": fill}


def looks_of(kinds: Sequence[str], line: str = "-") -> dict[str, Look]:
    """Each kind of run with its method's look."""
    return {kind: Look(*look_of(kind), line) for kind in kinds}


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

    ``key`` names the series; ``across`` and ``up`` the axes; ``height`` and ``width`` are a panel's in
    inches. With ``same_up`` all panels share the range of the upright axis.
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
    items = "".join(f'<li style="margin:0">{_swatch(look)} {escape(name)}</li>' for name, look in series.items())
    row = "display:flex;flex-wrap:wrap;gap:.1em 1.1em;justify-content:center;list-style:none;padding:0;margin:0 0 .3em"
    return f'<ul class="ws-key" style="{row};font-size:.85em">{items}</ul>'


def _swatch(look: Look) -> str:
    light, dark = THEMED.get(look.colour.lower(), (look.colour, look.colour))
    colour = "currentColor" if look.colour == INK else f"light-dark({light}, {dark})"
    pen = f"stroke:{colour};stroke-width:1.6;stroke-dasharray"
    line = f'<path d="M-14 0H14" style="fill:none;{pen}:{DASHES[look.line]}"/>'
    mark = f'<path d="{MARKS[look.mark]}" style="fill:{colour if look.filled else "none"};{pen}:none"/>'
    return f'<svg aria-hidden="true" viewBox="-14 -7 28 14" width="28" height="14">{line}{mark}</svg>'


def finding(values: pd.Series, write: str = "{:+.0f}") -> str:
    """The highest and the lowest, panel by panel, as a sentence: what a figure of them shows.

    ``values`` has two levels of index, the panel's (a game) and that of the name within it (a kind of run).

    >>> index = pd.MultiIndex.from_tuples([("othello", "rave"), ("othello", "wro"), ("gobang", "wro")])
    >>> finding(pd.Series([20.0, -3.0, 0.2], index))
    'Othello: RAVE is highest with +20, WRo lowest with -3. Gobang: WRo has 0.'
    """
    parts = []
    for panel, group in values.dropna().groupby(level=0, sort=False):
        here = group.droplevel(0)
        (best, most), (worst, least) = (
            (kind_name(str(i)), write.format(here[i])) for i in (here.idxmax(), here.idxmin())
        )
        said = f"{best} has {most}" if len(here) == 1 else f"{best} is highest with {most}, {worst} lowest with {least}"
        parts.append(f"{board_name(str(panel))}: {said}.")
    return plain_zeros(" ".join(parts))


# --- rows: a name a line ------------------------------------------------------------------------------------------


def name_rows(axis: Axes, names: Sequence[str]) -> None:
    """Names down the side, the first on top; their heights are 0, -1, ..."""
    axis.set_yticks([-place for place in range(len(names))], names)
    axis.set_ylim(-len(names) + 0.4, 0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")


def strips(frame: pd.DataFrame, value: str, kinds: Sequence[str], by: str = "board") -> tuple[dict[str, Draw], float]:
    """A panel per game (or other column ``by``) with a row per kind that has runs there, and the height they need."""
    panels: dict[str, Draw] = {}
    most = 0
    for panel, rows in frame.groupby(by, sort=False):
        groups = {k: rows.loc[rows["kind"] == k, value].to_numpy() for k in kinds if (rows["kind"] == k).any()}
        named = {kind_name(k): (values, Look(*look_of(k))) for k, values in groups.items()}
        panels[method_name(board_name(str(panel)))] = partial(strip, groups=named)
        most = max(most, len(named))
    return panels, rows_height(most)


def rows_height(rows: int) -> float:
    """Inches of a panel with so many rows."""
    return 0.27 * rows + 0.95


def strip(axis: Axes, groups: Mapping[str, tuple[np.ndarray, Look]]) -> None:
    """A row per group: every run a mark, their mean a bar, its 95 % interval a line where runs suffice to decide."""
    name_rows(axis, list(groups))
    for place, (values, look) in enumerate(groups.values()):
        shifts = np.linspace(-0.2, 0.2, len(values)) if len(values) > 1 else np.zeros(1)
        axis.scatter(values, -place + shifts, s=14, color=look.colour, marker=look.mark, zorder=3)
        axis.vlines(np.mean(values), -place - 0.35, -place + 0.35, color=look.colour, linewidth=2, zorder=2)
        if len(values) >= FEWEST_RUNS:
            axis.hlines(-place, *stats.mean_interval(values), color=look.colour, linewidth=1, zorder=1)


def forest(axis: Axes, rows: pd.DataFrame, zero: float, band: tuple[float, float] | None = None) -> None:
    """A row per effect: ``name``, ``value``, its interval ``low`` to ``high``, which may be missing, and ``look``.

    ``zero`` is a line down, ``band`` a grey stretch that counts as none.
    """
    name_rows(axis, list(rows["name"]))
    axis.axvline(zero, color=GREY, linewidth=0.9)
    if band:
        axis.axvspan(*band, color=GREY, alpha=0.15, linewidth=0)
    for place, row in enumerate(rows.itertuples()):
        axis.hlines(-place, row.low, row.high, color=row.look.colour, linewidth=2)
        axis.plot(row.value, -place, markersize=7, **row.look.plot)


def forests(
    frame: pd.DataFrame,
    value: str,
    names: Mapping[str, str],
    *,
    key: str = "kind",
    look: Callable[[str], Look] = lambda kind: Look(*look_of(kind)),
    zero: float = 0.0,
    band: tuple[float, float] | None = None,
) -> tuple[dict[str, Draw], float]:
    """A panel per game with a row per name (of column ``key``), and the height they need.

    ``low`` and ``high`` bound an effect; a name without one keeps its row, so that panels can be read across.
    """
    panels: dict[str, Draw] = {}
    for board, rows in frame.groupby("board", sort=False):
        found = rows.set_index(key).reindex(list(names)).reset_index()
        shown = found.assign(name=list(names.values()), value=found[value], look=[look(k) for k in names])
        panels[board_name(str(board))] = partial(forest, rows=shown, zero=zero, band=band)
    return panels, rows_height(len(names))


# --- curves -------------------------------------------------------------------------------------------------------


def curve(axis: Axes, runs: pd.DataFrame, x: str, y: str, look: Look, *, band: bool = False, runs_too: bool = False):
    """The mean over runs (``seed``) by ``x``, with a 95 % band where runs suffice, or with every run as a thin line."""
    if runs_too:
        for _, one in runs.groupby("seed"):
            axis.plot(one[x], one[y], color=look.colour, linewidth=0.5, alpha=0.45)
    groups = runs.groupby(x)[y]
    means = groups.mean()
    axis.plot(means.index, means, linewidth=1.6, **look.plot)
    enough = groups.count() >= FEWEST_RUNS
    if band and enough.any():
        bounds = {at: stats.mean_interval(values.dropna().to_numpy()) for at, values in groups if enough[at]}
        axis.fill_between(list(bounds), *zip(*bounds.values(), strict=True), color=look.colour, alpha=0.2, linewidth=0)


def curves(
    frame: pd.DataFrame,
    x: str,
    y: str,
    looks: Mapping[str, Look],
    *,
    by: str = "board",
    level: float | None = None,
    log: bool = False,
    **how: bool,
) -> dict[str, Draw]:
    """A panel per game (or other column ``by``) with a curve per kind; ``level`` is a grey line across."""

    def drawn(rows: pd.DataFrame) -> Draw:
        def draw(axis: Axes) -> None:
            if level is not None:
                axis.axhline(level, color=GREY, linewidth=0.9)
            for kind, look in looks.items():
                curve(axis, rows[rows["kind"] == kind], x, y, look, **how)
            if log:
                ticks_at(axis, list(set(rows[x])), log=True)
            axis.grid(axis="y")

        return draw

    return {board_name(str(panel)): drawn(rows) for panel, rows in frame.groupby(by, sort=False)}


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
