"""The page of verdicts: a row per claim, all its parts, and what the claims rest on.

``rows`` and ``parts`` are the frames of :func:`wslib.study.claims.table.judge`. A positive effect means that the
first-named is stronger.
"""

from collections.abc import Collection, Mapping
from html import escape

import pandas as pd

from wslib.study.claims.evidence import Evidence
from wslib.study.report.look import Html, link, show_table
from wslib.study.statistics import stats

MARKS = {stats.REPLICATED: "✓ ", stats.NOT_REPLICATED: "✗ ", stats.UNDECIDED: "? "}
SEVEN = tuple("1234567")
WIDTHS = {"the thesis": 13, "verdict": 7, "ours": 8, "effect (95 % interval)": 10, "would decide": 6}
"""Least widths in em of the columns that wrap."""


def claim_table(rows: pd.DataFrame, caption: str, pages: Collection[str], parts: pd.DataFrame | None = None) -> Html:
    """A row per claim; ``pages`` are those of the book, which the rows lead to. ``parts`` are offered for download."""
    shown = pd.DataFrame(
        {
            "claim": [_claim(row, pages) for row in rows.to_dict("records")],
            "verdict": [MARKS.get(word, "") + word for word in rows["verdict"]],
            "the thesis": rows["says"],
            "ours": rows["ours"],
            "effect (95 % interval)": rows["effect"],
            "runs": rows["runs"],
            "would decide": rows["would decide"],
        }
    )
    for name, width in WIDTHS.items():
        shown[name] = [_wrapping(text, width) for text in shown[name]]
    if not rows["verdict"].isin(MARKS).any():
        shown = shown.drop(columns=["effect (95 % interval)", "runs", "would decide"])
    return show_table(shown, caption, data=rows if parts is None else parts)


def _claim(row: Mapping[str, str], pages: Collection[str]) -> Html:
    """A claim's id above the page that tells of it."""
    page = link(row["page"], f"{row['page']}.html").html if row["page"] in pages else f"<i>{escape(row['page'])}</i>"
    return Html(f"<b>{escape(row['id'])}</b><br>{page}", row["id"])


def _wrapping(text: str, width: int) -> Html:
    return Html(f'<div style="min-width:{width}em">{escape(text)}</div>', text)


def seven(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the seven claims."""
    return rows[rows["id"].isin(SEVEN)]


def outcomes(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of all other sentences about an outcome."""
    return rows[~rows["id"].isin(SEVEN) & rows["verdict"].isin(MARKS)]


def designs(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows about how something was done."""
    return rows[~rows["verdict"].isin(MARKS)]


def parts_table(parts: pd.DataFrame, claim: str) -> Html:
    """All parts of one claim, folded."""
    here = parts[parts["claim"] == claim]
    shown = here.drop(columns=["claim", "units"]).rename(columns={"effect": "effect (95 % interval)"})
    shown["runs"] = [f"{runs} {of}" if runs else "0" for runs, of in zip(here["runs"], shown.pop("of"), strict=True)]
    # A number that would decide says something only where nothing is decided.
    undecided = here["verdict"] == stats.UNDECIDED
    shown["would decide"] = [f"{n:,}" if n and open_ else "–" for n, open_ in
                             zip(here["would decide"], undecided, strict=True)]  # fmt: skip
    table = show_table(shown, f"The parts of claim {claim}.", data=here)
    summary = f"Claim {claim}: {len(here)} parts" if len(here) > 1 else f"Claim {claim}: 1 part"
    return Html(f"<details><summary>{summary}</summary>{table.html}</details>", table.text)


def all_parts(parts: pd.DataFrame) -> Html:
    """The parts of every claim, each claim folded."""
    tables = [parts_table(parts, claim) for claim in dict.fromkeys(parts["claim"])]
    return Html("".join(table.html for table in tables), "\n".join(table.text for table in tables))


def counts(rows: pd.DataFrame) -> dict[str, int]:
    """How many claims about outcomes have which verdict."""
    return {word: int((rows["verdict"] == word).sum()) for word in MARKS}


def count_prose(rows: pd.DataFrame) -> str:
    """The counts as a sentence, of the seven and of all others."""
    texts = []
    for name, some in (("Of the seven claims", seven(rows)), ("Of the other sentences", outcomes(rows))):
        listed = ", ".join(f"{number} {'is' if number == 1 else 'are'} {word}" for word, number in counts(some).items())
        texts.append(f"{name} {listed}.")
    return " ".join(texts)


def scale_prose(evidence: Evidence) -> str:
    """How many of the sources' runs the verdicts rest on, how long these are, and by which preset."""
    texts = []
    for name, asked in evidence.asked.items():
        if hasattr(asked, "pools"):
            elos = evidence.elos.get(name)
            rated = 0 if elos is None else elos["unit"].nunique()
            texts.append(
                f"[{name}]({name}.html) on {rated} rated runs of {len(asked.run_units())}, of {asked.iterations} "
                f"iterations, preset `{asked.preset}`"
            )
    runs = evidence.frame("adaptive")
    if len(runs):
        counted = len(runs[(runs["scale"] == evidence.scale) & (runs["kind"] == runs["method"])])
        texts.append(f"[adaptive](adaptive.html) on {counted} runs up to their switch, preset `{evidence.scale}`")
    return f"What is said of trained players rests, by experiment: {'; '.join(texts)}."


def sources_table(frames: Mapping[str, pd.DataFrame], asked: Mapping[str, int]) -> Html:
    """What the verdicts rest on, experiment by experiment; ``asked`` says how many results each asks for."""
    rows = []
    for name, number in asked.items():
        frame = frames.get(name, pd.DataFrame({"unit": [], "origin": []})).drop_duplicates("unit")
        published = int((frame["origin"] == "published").sum())
        rows.append({"experiment": name, "results there": len(frame), "asked for": number, "published": published,
                     "computed here": len(frame) - published})  # fmt: skip
    behind = [frame[["unit", "origin"]].assign(experiment=name) for name, frame in frames.items()]
    data = pd.concat(behind, ignore_index=True) if behind else None
    return show_table(
        pd.DataFrame(rows), "Results that the verdicts rest on: runs, and matches of two players.", data=data
    )


def origin_words(frames: Mapping[str, pd.DataFrame]) -> str:
    """Where the results come from, for the status page."""
    origins = [origin for frame in frames.values() for origin in frame.drop_duplicates("unit")["origin"]]
    fresh = len(origins) - origins.count("published")
    return f"{fresh} of {len(origins)} computed here" if fresh else "published"
