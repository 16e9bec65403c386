"""One look for tables and figures, in JupyterLab and in the book, on light and on dark pages.

A figure is inline SVG whose text and axes take the page's colour; a table is plain HTML. Both carry a caption, which
can offer the data behind them, and a figure also a text for those who cannot see it. A method has the same colour, mark
and place everywhere; the colours are Okabe and Ito's, which stay apart for colour-blind readers.
"""

import base64
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from html import escape
from typing import Any, NamedTuple, ParamSpec, TypeVar

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from wslib.study.names import METHODS, board_name, kind_name, method_of, percent

THESIS, OURS = "#D55E00", "#009E73"
LONGEST_UNWRAPPED = 24
"""Characters of a table's cell that stay on one line."""
LEAST, MOST = 0.92, 1.15
"""Share of its own size below which a figure scrolls in its box: smaller, its text could not be read."""
LEFT_OUT = ("moves", "a_game")
"""Columns that the CSV behind a figure does without: they are long, and `data/` has them."""
P = ParamSpec("P")
T = TypeVar("T", "Html", str)
INK = "#010203"
"""Stands for the page's own text colour while a figure is drawn."""
GREY = "#808080"
THEMED = {
    "#0072b2": ("#0072b2", "#4aa3df"),
    "#e69f00": ("#b87a00", "#e69f00"),
    "#009e73": ("#008a65", "#12b886"),
    "#56b4e9": ("#2b8fcb", "#7cc8f5"),
    "#d55e00": ("#d55e00", "#f07f2e"),
    "#cc79a7": ("#b5608f", "#e091bc"),
    "#b07d2b": ("#8f6420", "#c79a55"),
    "#6f6f6f": ("#6f6f6f", "#a6a6a6"),
    GREY: ("#6f6f6f", "#a6a6a6"),
    "#999999": ("#767676", "#a6a6a6"),
}
"""What a colour becomes on a light and on a dark page: at least 3 : 1 there, and 4.5 : 1 here."""
NUMERIC = re.compile(r"[-+−±<≠ ]*[\d,.]+( ?%)?|–|")
"""A cell that is a number, a dash or nothing."""


def plain_zeros(text: str) -> str:
    """Zeros without a sign: what is rounded to nothing is neither above nor below.

    >>> plain_zeros("-0 Elo (-0.4 to +0.0), wro-0")
    '0 Elo (-0.4 to 0.0), wro-0'
    """
    return re.sub(r"(?<![\w.])[+-](0(?:\.0+)?)(?![\d.]*\d)", r"\1", text)


def in_print(text: str) -> str:
    """A text as a reader sees it: zeros without a sign, and the sign of other numbers no hyphen.

    >>> in_print("-0 Elo (-0.4 to +2, seed-3, 3-4)")
    '0 Elo (−0.4 to +2, seed-3, 3-4)'
    """
    return re.sub(r"(?<![^\s(>])-(?=\.?\d)", "\N{MINUS SIGN}", plain_zeros(text))


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


def look_of(kind: str) -> Look:
    """Colour and mark of a kind of run: those of its method, where black gives way to the page's ink.

    >>> look_of("wrora adaptive") == look_of("wrora") != look_of("baseline")
    True
    """
    _, colour, mark = METHODS.get(method_of(kind), ("", "#999999", "o"))
    return Look(INK if colour == "#000000" else colour, mark)


@dataclass(frozen=True)
class Html:
    """Something that shows itself in a notebook and in the book."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__


def not_there(what: str) -> Html:
    """What stands where the results of a table or a figure are missing: its name, the first sentence of ``what``."""
    sentence = f"Not computed yet: {re.split(r'(?<=[.]) (?=[A-Z])', what, maxsplit=1)[0]}"
    return Html(f"<p><em>{escape(sentence)}</em></p>", sentence)


def once_there(what: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate what shows results, a frame or a list that comes first: while it is empty, one sentence stands there.

    >>> @once_there("how many runs there are.")
    ... def count(runs: list[int]) -> str:
    ...     return f"{len(runs)} runs"
    >>> count([])
    'Not computed yet: how many runs there are.'
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
def drawing_style() -> Iterator[None]:
    """Matplotlib settings for figures that sit in a page of either theme; no text is set smaller than 9 points."""
    ink: dict[Any, Any] = {
        name: INK for name in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    }
    with mpl.rc_context(
        {
            **ink, "svg.fonttype": "none", "svg.hashsalt": "warm-start", "font.family": "sans-serif", "font.size": 9,
            "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False, "figure.facecolor": "none",
            "axes.facecolor": "none", "savefig.facecolor": "none", "legend.frameon": False, "grid.color": GREY,
            "grid.alpha": 0.3, "figure.constrained_layout.use": True, "lines.markersize": 4.5,
        }
    ):  # fmt: skip
        yield


def as_svg(figure: Figure, title: str = "") -> str:
    """A figure as inline SVG at about its own size; it follows the page's theme."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = buffer.getvalue().replace(INK, "currentColor")
    svg = re.sub("|".join(THEMED), lambda found: "light-dark({}, {})".format(*THEMED[found[0]]), svg)
    width = round(96 * figure.get_figwidth())
    size = f"flex:1 1 {width}px;width:100%;min-width:{round(LEAST * width)}px;max-width:{round(MOST * width)}px"
    svg = re.sub(r'(width|height)="[\d.]+pt" ', "", svg[svg.index("<svg") :], count=2)
    svg = re.sub(r">-(?=\d)", ">\N{MINUS SIGN}", svg)
    return svg.replace("<svg ", f'<svg aria-hidden="true" style="{size};height:auto" ', 1)


def framed(svgs: Sequence[str], alt: str, caption: str, data: pd.DataFrame | None = None, key: str = "") -> Html:
    """Pictures beside each other, as many in a row as there is room for, with what stands for them and a caption."""
    row = "display:flex;flex-wrap:wrap;gap:.4em;justify-content:safe center;overflow-x:auto"
    return Html(
        f'<figure class="ws-figure" style="margin:1em 0;text-align:center">{key}'
        f'<div class="ws-scroll" role="img" aria-label="{escape(in_print(alt), quote=True)}" style="{row}">'
        f"{''.join(svgs)}</div>"
        f"<figcaption>{escape(in_print(caption))}{data_link(data, caption)}</figcaption></figure>",
        alt,
    )


def pictured(drawn: Any, caption: str) -> Html:
    """Boards, a tree or a search, which draw themselves, as a figure; their own words say what they show."""
    return Html(
        f'<figure class="ws-figure" style="margin:1em 0"><div class="ws-own-ground">{drawn._repr_html_()}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>",
        f"{caption}\n{drawn!r}",
    )


def show_table(frame: pd.DataFrame, caption: str, formats: Mapping[str, Any] | None = None) -> Html:
    """A table with a caption, and itself as CSV; in place of one without rows stands a sentence.

    ``formats`` gives a column's format string or function; a gap is a dash. Cells that are :class:`Html` (as links) are
    shown as they are, all others as text. A column of numbers is set to the right.
    """
    if frame.empty:
        return not_there(caption)
    formats = formats or {}
    cells = pd.DataFrame({c: [_written(v, formats.get(str(c))) for v in frame[c]] for c in frame})
    right = {c for c in cells if all(NUMERIC.fullmatch(str(value)) for value in cells[c])}

    def cell(tag: str, value: Any, column: Any) -> str:
        made = isinstance(value, Html)
        wrap = "normal" if tag == "th" or made or len(str(value)) > LONGEST_UNWRAPPED else "nowrap"
        align = "right" if column in right else "left"
        shown = value.html if made else escape(in_print(value))
        return f'<{tag} style="text-align:{align};white-space:{wrap}">{shown}</{tag}>'

    head = "".join(cell("th", str(c), c) for c in cells)
    rows = [
        "".join(cell("td", value, c) for c, value in zip(cells, row, strict=True))
        for row in cells.itertuples(index=False)
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    html = (
        f'<figure class="ws-table" style="margin:1em 0"><figcaption>{escape(in_print(caption))}'
        f"{data_link(cells, caption, whole=True)}"
        f'</figcaption><div class="ws-scroll" style="overflow-x:auto"><table class="dataframe"><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div></figure>"
    )
    return Html(html, f"{caption}\n{cells.to_string(index=False)}")


def _written(value: Any, how: Any) -> Any:
    """A cell as it is shown: text, or what is Html already."""
    if isinstance(value, Html):
        return Html(in_print(value.html), plain_zeros(value.text))
    if how is not None:
        gap = pd.api.types.is_scalar(value) and pd.isna(value)
        value = "–" if gap else how(value) if callable(how) else how.format(value)
    return value if isinstance(value, Html) else plain_zeros(str(value))


NAMES = {"game": ("board", board_name), "kind": ("kind", kind_name)}
"""The first columns of many a table, in the words of :func:`columns_of`."""


def between(row: Any) -> str:
    """The interval of a row's share, ``low`` to ``high``, in percent; a dash where there is none."""
    return "–" if pd.isna(row.low) else f"{percent(row.low)} to {percent(row.high)}"


def columns_of(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """A table's cells from a list of its columns.

    By head: the name of a column of ``frame``; a pair of it and a format string or function, with a dash for a gap; or
    a function of a row.
    """
    shown = {}
    for head, how in columns.items():
        if callable(how):
            shown[head] = [how(row) for row in frame.itertuples()]
        else:
            name, write = (how, None) if isinstance(how, str) else how
            shown[head] = [_written(value, write) for value in frame[name]]
    return pd.DataFrame(shown)


def table(frame: pd.DataFrame, caption: str, columns: Mapping[str, Any]) -> Html:
    """A row of ``frame`` a row, with the columns of :func:`columns_of`; a sentence where ``frame`` has none."""
    return not_there(caption) if frame.empty else show_table(columns_of(frame, columns), caption)


def link(text: str, target: str) -> Html:
    """A cell of a table that leads to another page."""
    return Html(f'<a href="{escape(target, quote=True)}">{escape(text)}</a>', text)


def data_link(data: pd.DataFrame | None, name: str, whole: bool = False) -> str:
    """A link that holds a frame as CSV, so that it works in Lab, in the book and from a file alike; "" without one.

    Of a table it is the ``whole`` of what is shown, of a figure what :func:`as_csv` takes.
    """
    if data is None or data.empty:
        return ""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-")
    text = data.to_csv(index=False, lineterminator="\n") if whole else as_csv(data)
    return (
        f' <a class="ws-data" download="{plain}.csv" aria-label="Download the data behind this as CSV: {plain}" '
        f'href="data:text/csv;charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}">data (CSV)</a>'
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
