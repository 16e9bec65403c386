"""One look for tables and figures, in JupyterLab and in the book, on light and on dark pages.

A figure is inline SVG whose text and axes take the page's colour; a table is plain HTML. Both carry a caption, which
can offer the data behind them, and a figure also a text for those who cannot see it. A method has the same colour, mark
and place everywhere; the colours are Okabe and Ito's, which stay apart for colour-blind readers.
"""

import base64
import io
import re
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from html import escape
from typing import Any, ParamSpec, TypeVar

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wslib.study.names import BOARDS as BOARDS
from wslib.study.names import METHODS as METHODS
from wslib.study.names import board_name as board_name
from wslib.study.names import kind_name as kind_name
from wslib.study.names import method_name as method_name
from wslib.study.names import method_of as method_of
from wslib.study.names import p_value as p_value
from wslib.study.names import percent as percent

THESIS, OURS = "#D55E00", "#009E73"
LONGEST_UNWRAPPED = 24
"""Characters of a table's cell that stay on one line."""
WIDEST = 9.0
"""Inches of a figure that a page shows without making its text too small to read."""
SMALLEST_WIDTH = 560
"""Pixels below which a figure scrolls in its box: smaller, its text could not be read."""
LEFT_OUT = ("moves", "a_game")
"""Columns that the CSV behind a figure does without: they are long, and `data/` has them."""
P = ParamSpec("P")
T = TypeVar("T", "Html", str)
INK = "#010203"
"""Stands for the page's own text colour while a figure is drawn."""


def plain_zeros(text: str) -> str:
    """Zeros without a sign: what is rounded to nothing is neither above nor below.

    >>> plain_zeros("-0 Elo (-0.4 to +0.0), wro-0")
    '0 Elo (-0.4 to 0.0), wro-0'
    """
    return re.sub(r"(?<![\w.])[+-](0(?:\.0+)?)(?![\d.]*\d)", r"\1", text)


def look_of(kind: str) -> tuple[str, str]:
    """Colour and mark of a kind of run: those of its method, where black gives way to the page's ink.

    >>> look_of("wrora adaptive") == look_of("wrora") != look_of("baseline")
    True
    """
    _, colour, mark = METHODS.get(method_of(kind), ("", "#999999", "o"))
    return (INK if colour == "#000000" else colour, mark)


@dataclass(frozen=True)
class Html:
    """Something that shows itself in a notebook and in the book."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def not_there(what: str) -> Html:
    """What stands in the place of a table or a figure whose results are missing: one sentence."""
    sentence = f"No result is there yet for this: {what}"
    return Html(f"<p><em>{escape(sentence)}</em></p>", sentence)


def once_there(what: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate what shows results, a frame or a list that comes first: while it is empty, one sentence stands there.

    >>> @once_there("how many runs there are.")
    ... def count(runs: list[int]) -> str:
    ...     return f"{len(runs)} runs"
    >>> count([])
    'No result is there yet for this: how many runs there are.'
    """

    def decorated(show: Callable[P, T]) -> Callable[P, T]:
        @wraps(show)
        def shown(*given: P.args, **named: P.kwargs) -> T:
            results: Any = given[0]
            if len(results):
                return show(*given, **named)
            missing: Any = not_there(what)
            return missing.text if show.__annotations__["return"] is str else missing

        return shown

    return decorated


@contextmanager
def drawing_style():
    """Matplotlib settings for figures that sit in a page of either theme."""
    ink: dict[Any, Any] = {
        name: INK for name in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    }
    with mpl.rc_context(
        {
            **ink, "svg.fonttype": "none", "svg.hashsalt": "warm-start", "font.family": "sans-serif", "font.size": 10,
            "axes.spines.top": False, "axes.spines.right": False, "figure.facecolor": "none", "axes.facecolor": "none",
            "savefig.facecolor": "none", "legend.frameon": False, "grid.color": "#808080", "grid.alpha": 0.3,
        }
    ):  # fmt: skip
        yield


def panel_axes(count: int, width: float, height: float, label: str = "", **more: Any) -> tuple[Figure, list[Any]]:
    """A figure of so many panels (inches each), in as many rows as keep their text legible; ``label`` is for y."""
    rows = -(-count // max(1, int(WIDEST // width)))
    columns = -(-count // rows)
    figure, axes = plt.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False, **more)
    for axis in axes.flat[count:]:
        axis.remove()
    for axis in axes[:, 0]:
        axis.set_ylabel(label)
    return figure, list(axes.flat[:count])


def percent_map(axis: Axes, matrix: pd.DataFrame, decimals: int, size: int) -> None:
    """A matrix of percentages as a heat map that says each; ``size`` is that of its text."""
    import seaborn as sns  # takes a second to import, and most pages have no matrix

    look = {"vmin": 0, "vmax": 100, "cmap": "PuOr_r", "cbar": False, "square": True}
    sns.heatmap(matrix, ax=axis, annot=True, fmt=f".{decimals}f", annot_kws={"size": size}, **look)
    axis.tick_params(length=0, labelsize=size)


def show_figure(draw: Callable[[], Figure], alt: str, caption: str, data: pd.DataFrame | None = None) -> Html:
    """Draw a figure in the common style and wrap it with its caption, the text that stands for it, and its data."""
    with drawing_style():
        figure = draw()
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
        plt.close(figure)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    width = re.search(r'width="([\d.]+)pt"', svg)
    most = f"{float(width[1]) * 4 / 3:.0f}px" if width else "100%"
    size = f"width:100%;height:auto;max-width:{most};min-width:min({most},{SMALLEST_WIDTH}px)"
    head = f'<svg role="img" aria-label="{escape(alt, quote=True)}" style="{size}" '
    svg = re.sub(r'(width|height)="[\d.]+pt" ', "", svg.replace("<svg ", head, 1), count=2)
    body = (
        '<figure class="ws-figure" style="margin:1em 0;text-align:center">'
        f'<div class="ws-scroll" style="overflow-x:auto">{svg}</div>'
        f"<figcaption>{escape(caption)}{data_link(data, caption)}</figcaption></figure>"
    )
    return Html(body, alt)


def show_table(
    frame: pd.DataFrame, caption: str, formats: Mapping[str, Any] | None = None, data: pd.DataFrame | None = None
) -> Html:
    """A table with a caption; ``formats`` gives a column's format string, without which a gap is a dash, or function.

    Cells that are :class:`Html` (as links) are shown as they are, all others as text. ``data`` is offered for download.
    In place of a table without rows stands a sentence.
    """
    if frame.empty:
        return not_there(caption)
    formats = dict(formats or {})
    cells = frame.copy()
    for column in cells:
        how = formats.get(str(column))
        if how is not None:
            cells[column] = [how(v) if callable(how) else "–" if pd.isna(v) else how.format(v) for v in frame[column]]
    numeric = {c for c in frame if pd.api.types.is_numeric_dtype(frame[c]) or str(c) in formats or str(c).endswith("%")}

    def cell(tag: str, value: Any, right: bool) -> str:
        text = str(value)
        made = isinstance(value, Html)
        wrap = "normal" if tag == "th" or made or len(text) > LONGEST_UNWRAPPED else "nowrap"
        shown = plain_zeros(value.html if made else escape(text))
        return f'<{tag} style="text-align:{"right" if right else "left"};white-space:{wrap}">{shown}</{tag}>'

    head = "".join(cell("th", c, c in numeric) for c in frame)
    rows = [
        "".join(cell("td", value, c in numeric) for c, value in zip(frame, row, strict=True))
        for row in cells.itertuples(index=False)
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    html = (
        f'<figure class="ws-table" style="margin:1em 0"><figcaption>{escape(caption)}{data_link(data, caption)}'
        f'</figcaption><div class="ws-scroll" style="overflow-x:auto"><table class="dataframe"><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div></figure>"
    )
    return Html(html, f"{caption}\n{cells.to_string(index=False)}")


def link(text: str, target: str) -> Html:
    """A cell of a table that leads to another page."""
    return Html(f'<a href="{escape(target, quote=True)}">{escape(text)}</a>', text)


def data_link(data: pd.DataFrame | None, name: str) -> str:
    """A link that holds a frame as CSV, so that it works in Lab, in the book and from a file alike; "" without one."""
    if data is None or data.empty:
        return ""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-")
    return (
        f' <a class="ws-data" download="{plain}.csv" aria-label="Download the data behind this as CSV: {plain}" '
        f'href="data:text/csv;charset=utf-8;base64,{base64.b64encode(as_csv(data).encode()).decode()}">data (CSV)</a>'
    )


def as_csv(data: pd.DataFrame) -> str:
    """A frame as the text that is offered: unit ids first, numbers with six digits, games' moves left out.

    >>> as_csv(pd.DataFrame({"elo": [1 / 3], "unit": ["a1"], "moves": ["1 2 3"]}))
    'unit,elo\\na1,0.333333\\n'
    """
    columns = [c for c in data if c not in LEFT_OUT]
    columns.sort(key=lambda name: name not in ("unit", "units"))
    return data[columns].to_csv(index=False, float_format="%.6g", lineterminator="\n")


def parameter_table(settings: Any, caption: str) -> Html:
    """The fields of a parameter object: name, value, meaning, as its documentation says them."""
    fields = type(settings).model_fields
    rows = [{"parameter": n, "value": str(getattr(settings, n)), "meaning": f.description} for n, f in fields.items()]
    return show_table(pd.DataFrame(rows), caption)
