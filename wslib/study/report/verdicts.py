"""The page of verdicts: a row per claim, all its parts, and what the claims rest on.

``rows`` and ``parts`` are the frames of :func:`wslib.study.claims.table.judge`. A positive effect means that the
first-named is stronger.
"""

from collections.abc import Collection, Mapping
from functools import partial
from html import escape
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from wslib.study.claims.evidence import Evidence
from wslib.study.claims.table import percent_of
from wslib.study.names import p_value
from wslib.study.report.charts import Look, show_panels
from wslib.study.report.look import GREY, Html, columns_of, link, not_there, show_table, table
from wslib.study.statistics import decide
from wslib.study.statistics.decide import UNDECIDED

MARKS = dict(zip(decide.WORDS, ("✓ ", "✗ ", "≈ ", "? ", "∅ "), strict=True))
SEVEN = tuple("1234567")
VERDICTS = {
    decide.REPLICATED: Look("#009E73", "o"),
    decide.OPPOSITE: Look("#D55E00", "X"),
    decide.SMALL: Look("#E69F00", "s"),
    decide.UNDECIDED: Look(GREY, "o", filled=False),
    decide.UNDECIDABLE: Look(GREY, "x"),
}
"""How a part is drawn by its verdict."""
EXPLAINED = (
    " Only the simultaneous interval, which holds for all parts at once, can refute the claim. Power is the chance "
    "that the design, with all its runs, sees a difference of 50 Elo (7 points); where no difference is claimed, "
    "that it sees none."
)
PHRASES = {
    decide.REPLICATED: ("is replicated", "are replicated"),
    decide.OPPOSITE: ("is contradicted in at least one part", "are contradicted in at least one part each"),
    decide.SMALL: ("claims an advantage that is too small to matter",
                   "claim advantages that are too small to matter"),
    decide.UNDECIDED: ("is open", "are open"),
    decide.UNDECIDABLE: ("cannot be decided by this design", "cannot be decided by this design"),
}  # fmt: skip
"""Each verdict after one claim, and after several."""
TITLES = {
    "orientation": "Four players without a network", "untrained": "Untrained networks", "warmstart": "Five iterations",
    "iprime": "How long?", "adaptive_vs_fixed": "Adaptive against fixed", "adaptive": "When does it end?",
    "searches": "How the searches work",
}  # fmt: skip
"""How pages of experiments are called in tables."""
WIDTHS = {"the sources": 16, "verdict": 8, "ours": 8, "effect (95 % interval)": 10}
"""Least widths in em of the columns that wrap."""


def claim_table(rows: pd.DataFrame, caption: str, pages: Collection[str]) -> Html:
    """A row per claim; ``pages`` are those of the book, which the rows lead to."""
    columns: dict[str, Any] = {
        "claim": lambda row: _claim(row._asdict(), pages),
        "verdict": lambda row: MARKS.get(row.verdict, "") + row.shown,
        "the sources": lambda row: quoted(row._asdict()),
        "ours": "ours",
        "effect (95 % interval)": "effect",
        "runs": "runs",
        "power": "power",
    }
    if not rows["verdict"].isin(MARKS).any():
        columns = dict(list(columns.items())[:4])
    shown = columns_of(rows, columns)
    for name in set(WIDTHS) & set(shown):
        shown[name] = [wrapping(text, WIDTHS[name]) for text in shown[name]]
    return show_table(shown, caption)


def quoted(row: Mapping[str, str]) -> Html:
    """What a source says, word for word, with its place, and how we read it."""
    quote = f"“{row['quote']}”" if row.get("quote") else ""
    place = f" ({row['where']})" if row.get("where") else ""
    html = f"{escape(quote)}{escape(place)}<br><em>{escape(row['says'])}</em>"
    return Html(html, f"{quote}{place} {row['says']}")


def _claim(row: Mapping[str, str], pages: Collection[str]) -> Html:
    """A claim's id above the page that tells of it."""
    title = TITLES.get(row["page"], row["page"])
    page = link(title, f"{row['page']}.html").html if row["page"] in pages else f"<i>{escape(title)}</i>"
    return wrapping(Html(f"<b>{escape(row['id'])}</b><br>{page}", f"{row['id']} {title}"), 6)


def wrapping(cell: str | Html, width: int) -> Html:
    """A cell of a table that is at least so many em wide, and wraps."""
    html, text = (cell.html, cell.text) if isinstance(cell, Html) else (escape(cell), cell)
    return Html(f'<div style="min-width:{width}em">{html}</div>', text)


def seven(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the seven claims."""
    return rows[rows["id"].isin(SEVEN)]


def outcomes(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of all other sentences about an outcome."""
    return rows[~rows["id"].isin(SEVEN) & rows["verdict"].isin(MARKS)]


def designs(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows about how something was done."""
    return rows[~rows["verdict"].isin(MARKS)]


def parts_table(parts: pd.DataFrame, caption: str, explained: bool = True) -> Html:
    """All parts of a claim: effect with both intervals, p, verdict, and the power of the design.

    Whether its columns are ``explained`` below, as on a page that does not explain them elsewhere.
    """
    columns = {
        "part": lambda row: wrapping(row.part, 8),
        "effect (95 % interval)": lambda row: wrapping(row.effect, 6),
        "simultaneous interval": ("simultaneous", lambda text: text or "–"),
        "p (Holm)": ("p", p_value),
        "runs": lambda row: f"{row.runs} {row.of}" if row.runs else "0",
        "verdict": lambda row: wrapping(row.shown, 7),
        "power": ("power", percent_of),
    }
    if len(parts) < 2:
        del columns["simultaneous interval"]
    return table(parts, caption + (EXPLAINED if explained else ""), columns)


def claims_figure(parts: pd.DataFrame) -> Html:
    """All parts of the seven claims with their intervals, a panel per claim, coloured by their verdicts."""
    here = parts[parts["claim"].isin(SEVEN)]
    known = here.dropna(subset="value")
    if known.empty:
        return not_there("how large the effects are that the seven claims speak of.")

    def draw(axis: Axes, rows: pd.DataFrame) -> None:
        for place, row in enumerate(rows.sort_values("value").itertuples()):
            look = VERDICTS[row.verdict]
            axis.hlines(place, row.low, row.high, color=look.colour, linewidth=1.6)
            axis.plot(row.value, place, markersize=5, **look.plot)
        axis.axvline(0, color=GREY, linewidth=0.9)
        axis.set(yticks=[], ylim=(-0.8, max(len(rows), 4) - 0.2), xlabel=rows["unit"].iloc[0])
        axis.grid(axis="x")

    panels = {}
    for (claim, _), rows in known.groupby(["claim", "unit"], sort=False):
        all_of_it = int((here["claim"] == claim).sum())
        among = (f" of {all_of_it}" if len(rows) < all_of_it else "") + (" parts" if all_of_it > 1 else " part")
        panels[f"Claim {claim}: {len(rows)}{among}"] = partial(draw, rows=rows)
    counted = ", ".join(f"{number} {word}" for word, number in known["verdict"].value_counts().items())
    return show_panels(
        panels,
        f"Of {len(known)} parts of the seven claims with an interval: {counted}.",
        f"How the parts of the seven claims stand: of {len(known)} with an interval, {counted}. Each mark is the "
        "effect of a part, its line the 95 % interval, its colour the verdict; the smallest effect is at the bottom. "
        "To the right of zero the first-named is stronger. The tables below name the parts.",
        known.rename(columns={"unit": "measure"}),
        key={word: VERDICTS[word] for word in decide.WORDS if (known["verdict"] == word).any()},
        height=2.1,
        width=2.2,
    )


def verdict_prose(row: Mapping[str, str]) -> str:
    """The verdict on one claim, and what it comes from, for the experiment's own page."""
    missing = row["shown"].removeprefix(row["verdict"]).strip(" ()") if row["verdict"] == UNDECIDED else ""
    ours = "" if row["ours"] == UNDECIDED else row["ours"]
    why = "; ".join(filter(None, (ours, missing)))
    return f"**Claim {row['id']}: {row['verdict']}.**" + (f" {why[0].upper()}{why[1:]}." if why else "")


def pooled_table(effects: pd.DataFrame) -> Html:
    """The effect of all warm starts together, a row per game."""
    return table(
        effects,
        "How far all runs with a warm start, of the five enhancements together, are above Baseline's: differences of "
        "mean Elo of the final networks. The unit is the run.",
        {
            "game": "game",
            "runs, warm and Baseline": lambda row: f"{row.warm} and {row.baseline}",
            "Elo over Baseline (95 % interval)": ("text", str),
            "p (Holm)": ("p", p_value),
            "verdict": lambda row: wrapping(row.shown, 8),
            "power": ("power", percent_of),
        },
    )


def all_parts(parts: pd.DataFrame) -> Html:
    """The parts of every claim, each claim folded."""
    folded, texts = [], []
    for claim, here in parts.groupby("claim", sort=False):
        shown = parts_table(here, f"The parts of claim {claim}.", explained=False)
        number = f"{len(here)} part{'s' if len(here) > 1 else ''}"
        folded.append(f"<details><summary>Claim {claim}: {number}</summary>{shown.html}</details>")
        texts.append(shown.text)
    return Html("".join(folded), "\n".join(texts))


def counts(rows: pd.DataFrame) -> dict[str, int]:
    """How many claims about outcomes have which verdict."""
    return {word: int((rows["verdict"] == word).sum()) for word in MARKS}


def counts_table(rows: pd.DataFrame) -> Html:
    """How many of the seven claims, and of all other sentences about outcomes, have which verdict."""
    found = {"the seven claims": counts(seven(rows)), "all other sentences": counts(outcomes(rows))}
    shown = pd.DataFrame(found).T.rename_axis("of").reset_index()
    return show_table(shown, "How many sentences of the sources have which verdict.")


def scale_table(evidence: Evidence) -> Html:
    """How many of the sources' runs the verdicts on trained players rest on, of which length and preset."""
    rows = []
    for name, asked in evidence.asked.items():
        if hasattr(asked, "pools"):
            elos = evidence.elos.get(name)
            rated = 0 if elos is None else elos["unit"].nunique()
            rows.append({"experiment": link(TITLES.get(name, name), f"{name}.html"),
                         "runs": f"{rated} rated of {len(asked.run_units())}", "iterations": asked.iterations,
                         "preset": asked.preset})  # fmt: skip
    runs = evidence.frame("adaptive")
    counted = int(((runs["scale"] == evidence.scale) & (runs["kind"] == runs["method"])).sum()) if len(runs) else 0
    rows.append({"experiment": link(TITLES["adaptive"], "adaptive.html"), "runs": f"{counted} up to their switch",
                 "iterations": "–", "preset": evidence.scale})  # fmt: skip
    return show_table(pd.DataFrame(rows), "What the verdicts on trained players rest on, by experiment.")


def sources_table(frames: Mapping[str, pd.DataFrame], asked: Mapping[str, int]) -> Html:
    """What the verdicts rest on, experiment by experiment; ``asked`` says how many results each asks for."""
    rows = []
    for name, number in asked.items():
        frame = frames.get(name, pd.DataFrame({"unit": [], "origin": []})).drop_duplicates("unit")
        published = int((frame["origin"] == "published").sum())
        rows.append({"experiment": TITLES.get(name, name), "results there": len(frame), "asked for": number,
                     "published": published, "computed here": len(frame) - published})  # fmt: skip
    return show_table(pd.DataFrame(rows), "The results that the verdicts rest on: runs, and matches of two players.")


def origin_words(frames: Mapping[str, pd.DataFrame]) -> str:
    """Where the results come from, for the status page."""
    origins = [origin for frame in frames.values() for origin in frame.drop_duplicates("unit")["origin"]]
    fresh = len(origins) - origins.count("published")
    return f"{fresh} of {len(origins)} computed here" if fresh else "published"
