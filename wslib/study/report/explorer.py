"""The explorer: one table of all runs that can be sorted, filtered and downloaded, without a network or a server.

The table is plain HTML and whole by itself; the script beside this file makes its heads into buttons, and the book
keeps most of its rows in a file beside the page (``ws-beside``). Colours are the
page's own, in light and dark. A row is a run, as :func:`wslib.study.claims.listing.all_runs` gives it.
"""

from html import escape
from pathlib import Path

import pandas as pd

from wslib.study.names import board_name, method_name
from wslib.study.report.look import Html, data_link, in_print

CHOICES = ("experiment", "game", "method", "warm start", "preset", "results")
"""Columns with a menu of their values."""
DIGITS = {"Elo": "{:+.0f}", "optimal %": "{:.1f}", "CPU minutes": "{:.1f}"}
NUMBERS = ("seed", "iterations", "accepted", "switch", *DIGITS)
LONG = 24
"""Characters beyond which a text is wrapped."""
STYLE = """
.ws-explorer{margin:1em 0;text-align:left}
.ws-explorer-controls{display:flex;flex-wrap:wrap;gap:.5em 1em;align-items:end;margin-bottom:.6em}
.ws-explorer-controls[hidden]{display:none}
.ws-explorer label{display:flex;flex-direction:column;font-size:.8em}
.ws-explorer button[type=reset]{font-size:.8em}
.ws-explorer :is(input,select,button[type=reset]){font-family:inherit;padding:.2em .4em;max-width:13em;color:inherit;
background:var(--pst-color-surface,transparent);border:1px solid currentColor;border-radius:4px}
.ws-explorer option{color:#000;background:#fff}
.ws-explorer-scroll{overflow:auto;max-height:75vh}
.ws-explorer table{border-collapse:collapse;font-size:.85em;font-variant-numeric:tabular-nums;margin:0}
.ws-explorer :is(th,td){padding:.15em .6em;text-align:left;white-space:nowrap;border-bottom:1px solid #80808055}
.ws-explorer td.long{white-space:normal;min-width:12em}
.ws-explorer .number{text-align:right}
.ws-explorer th{position:sticky;top:0;background:var(--pst-color-background,Canvas)}
.ws-explorer th button{all:unset;cursor:pointer;font-weight:bold}
.ws-explorer :is(th button,input,select,button,a):focus-visible{outline:2px solid #0072B2;outline-offset:2px}
.ws-explorer th[aria-sort=ascending] button::after{content:" ▲"}
.ws-explorer th[aria-sort=descending] button::after{content:" ▼"}
"""


def explorer(runs: pd.DataFrame) -> Html:
    """The table with its controls."""
    shown = runs.assign(game=runs["game"].map(board_name), method=runs["method"].map(method_name))
    script = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    html = (
        f'<div class="ws-explorer"><style>{STYLE}</style>{_controls(shown)}'
        f'<p><span role="status">{len(shown)} rows</span>{data_link(shown, "runs")}</p>'
        '<div class="ws-explorer-scroll" tabindex="0" role="region" aria-label="Table of all runs">'
        f"<table><thead><tr>{''.join(_head(str(name)) for name in shown)}</tr></thead>"
        '<tbody class="ws-beside">'
        f"{''.join(_row(shown, row) for row in shown.itertuples(index=False))}</tbody></table></div>"
        f"<script>{script}</script></div>"
    )
    return Html(html, shown.to_string(index=False))


def _controls(shown: pd.DataFrame) -> str:
    """A search field and a menu per column of :data:`CHOICES`; they appear once the script runs."""
    menus = []
    for name in CHOICES:
        values = sorted({str(value) for value in shown[name]} - {""})
        options = "".join(f"<option>{escape(value)}</option>" for value in values)
        place = list(shown).index(name)
        menus.append(
            f'<label>{name}<select data-column="{place}"><option value="">all</option>{options}</select></label>'
        )
    search = '<label>any word<input type="search" placeholder="e.g. wrora 2f01"></label>'
    return (
        f'<div class="ws-explorer-controls" hidden>{search}{"".join(menus)}<button type="reset">show all</button></div>'
    )


def _head(name: str) -> str:
    kind = "number" if name in NUMBERS else "text"
    return f'<th scope="col" class="{kind}" data-kind="{kind}"><button type="button">{escape(name)}</button></th>'


def _row(shown: pd.DataFrame, row: tuple) -> str:
    return "<tr>" + "".join(_cell(str(name), value) for name, value in zip(shown, row, strict=True)) + "</tr>"


def _cell(name: str, value: object) -> str:
    """What a column sorts by stands in ``data-value`` where it is not what is seen."""
    if value is None or value != value:
        return '<td data-value=""></td>' if name in NUMBERS else "<td></td>"
    if name in NUMBERS:
        number = float(str(value))
        text = in_print(DIGITS.get(name, "{:.0f}").format(number))
        return f'<td class="number" data-value="{number:.6g}">{text}</td>'
    long = ' class="long"' if len(str(value)) > LONG else ""
    return f"<td{long}>{escape(str(value))}</td>"


def summary_prose(runs: pd.DataFrame) -> str:
    """How many runs there are, of how many experiments, and what they cost."""
    once = runs.drop_duplicates("unit")
    hours = once["CPU minutes"].astype(float).sum() / 60
    fresh, old = (int((once["results"] == place).sum()) for place in ("computed here", "first edition"))
    experiments = runs.loc[runs["experiment"] != "", "experiment"].nunique()
    text = f"{len(once)} training runs of {experiments} experiments, {hours:.1f} processor hours (those timed whole)."
    if old:
        text += f" Torch trained {old} of them for the first edition; no verdict rests on these."
    if fresh:
        text += f" {fresh} of them {'is' if fresh == 1 else 'are'} not published, but computed here."
    return text if fresh else f"{text} All are published."
