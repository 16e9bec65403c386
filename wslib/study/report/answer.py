"""The first page: the answer in three sentences, one figure, and the seven claims, whatever is there of the results.

``rows`` and ``parts`` are the frames of :func:`wslib.study.claims.table.judge`; ``effects`` and ``singles`` are those
of ``pooled`` and ``singly`` there: differences of mean Elo from Baseline, positive where the warm start ends stronger.
"""

import re
from collections.abc import Collection, Sequence
from html import escape
from typing import Any

import pandas as pd

from wslib.study.claims.evidence import Evidence
from wslib.study.claims.specs import NO_DATA
from wslib.study.names import kind_name
from wslib.study.report.charts import SLIM, Look, finding, forests, show_panels
from wslib.study.report.look import INK, Html, framed, link, look_of, not_there, show_table
from wslib.study.report.verdicts import MARKS, PHRASES, counts, seven, wrapping
from wslib.study.statistics import decide

BEFORE = "Without training"
TOGETHER = "all five"
KEYS = ["board", "kind"]
SHORT = {
    decide.REPLICATED: "yes", decide.OPPOSITE: "no, it does harm", decide.SMALL: "hardly, if at all",
    decide.UNDECIDED: "we cannot say yet", decide.UNDECIDABLE: "we cannot say yet",
}  # fmt: skip
"""The answer where all games have this verdict."""


# --- three sentences ----------------------------------------------------------------------------------------------


def in_three(rows: pd.DataFrame, parts: pd.DataFrame, effects: pd.DataFrame, evidence: Evidence) -> Html:
    """The answer: before anything is learned, at the end, and how the claims stand; and how much of it is there."""
    texts = [start_prose(parts), end_prose(effects, evidence), claims_prose(rows), progress_prose(evidence)]
    bold = (re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escape(text)) for text in texts)
    return Html("".join(f"<p>{text}</p>" for text in bold), "\n".join(texts))


def start_prose(parts: pd.DataFrame) -> str:
    """Whether an enhancement with a playout beats plain search before anything is learned (claim 2)."""
    here = parts[(parts["claim"] == "2") & parts["part"].str.endswith("> Baseline")]
    here = here[(here["runs"] != "") & ~here["part"].str.contains("RAVE")]
    if here.empty:
        return "**Before anything is learned: we cannot say yet.** No match with an untrained network has been played."
    won, total = int((here["verdict"] == decide.REPLICATED).sum()), len(here)
    word = "yes" if won == total else "no" if not won else "mostly" if 2 * won > total else "sometimes"
    return (
        f"**Before anything is learned: {word}.** While the network knows nothing, searches with random playouts beat "
        f"plain search in {won if won < total else 'all'} of {total} matches, four searches in each of "
        f"{_number(total // 4)} games."
    )


def end_prose(effects: pd.DataFrame, evidence: Evidence) -> str:
    """Whether runs with a warm start end stronger than Baseline's, game by game, as far as they are there."""
    asked, elos = evidence.asked["warmstart"], evidence.elos.get("warmstart")
    rated, total = 0 if elos is None else int(elos["unit"].nunique()), len(asked.run_units())
    lead = f"After {asked.iterations} iterations"
    if effects["text"].isna().all():
        there = len(evidence.frame("warmstart", "run")) if len(evidence.frame("warmstart")) else 0
        how = f"{there} of the {total}" if there else f"none of the {total}"
        return (
            f"**{lead}: we cannot say yet.** So far {how} training runs that the thesis has for this question "
            f"{'is' if there < 2 else 'are'} there" + (", and too few are rated to compare any." if there else ".")
        )
    words = set(effects["verdict"])
    if words <= {decide.UNDECIDED, decide.UNDECIDABLE}:
        short = SHORT[decide.UNDECIDED]
    elif len(words) == 1:
        short = SHORT[words.pop()]
    else:
        short = "it depends on the game" if decide.UNDECIDED not in words else "we can say for some games"
    so_far = f", with {rated} of {total} runs rated so far" if rated < total else f", with all {total} runs rated"
    return f"**{lead}: {short}{so_far}.** {together_prose(effects)}"


def together_prose(effects: pd.DataFrame) -> str:
    """What all warm starts together do in which games, each with its effect."""
    texts = []
    phrases = {
        decide.REPLICATED: "they end stronger than Baseline in {}",
        decide.SMALL: "their advantage, if there is one, is less than 20 Elo in {}",
        decide.OPPOSITE: "they end weaker than Baseline in {}",
        decide.UNDECIDED: "the difference may be chance in {}",
        decide.UNDECIDABLE: "the difference cannot be told from chance in {}",
    }
    for word, phrase in phrases.items():
        here = effects[(effects["verdict"] == word) & effects["text"].notna()]
        if len(here):
            texts.append(phrase.format(_listed([f"{r.game} ({_between(r.text)})" for r in here.itertuples()])))
    missing = effects[effects["text"].isna()]
    if len(missing):
        texts.append(f"nothing is known yet of {_listed(list(missing['game']))}")
    return f"Of all five warm starts together: {'; '.join(texts)}."


def _between(text: str) -> str:
    """An effect with its interval, for inside a bracket.

    >>> _between("+32 Elo (+3 to +61)")
    '+32 Elo, between +3 and +61'
    """
    return text.replace(" (", ", between ").replace(" to ", " and ").rstrip(")")


def claims_prose(rows: pd.DataFrame) -> str:
    """How the seven claims stand, in one sentence."""
    found = {word: number for word, number in counts(seven(rows)).items() if number}
    texts = [f"{_number(number)} {PHRASES[word][number != 1]}" for word, number in found.items()]
    lead = "all stand" if set(found) == {decide.REPLICATED} else "none stands yet"
    if decide.REPLICATED in found and len(found) > 1:
        lead = f"{_number(found[decide.REPLICATED])} {'stands' if found[decide.REPLICATED] == 1 else 'stand'}"
    elif any(word in found for word in decide.REFUTING):
        lead = "none stands" if decide.UNDECIDED not in found else lead
    return f"**Of the thesis' seven claims {lead}**: {_listed(texts)}."


def _number(number: int) -> str:
    """A small number as a word."""
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return words[number] if number < len(words) else str(number)


def _listed(texts: Sequence[str]) -> str:
    """Several things as a sentence lists them."""
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1]))) if texts else ""


def progress_prose(evidence: Evidence) -> str:
    """How many of the training runs that all claims ask for are there, each counted once."""
    asked, there = set(), set()
    for name, experiment in evidence.asked.items():
        if hasattr(experiment, "run_units"):
            asked |= {unit.id for unit, _ in experiment.run_units()}
            frame = evidence.frame(name)
            there |= set(frame["unit"]) if "unit" in frame else set()
    there &= asked
    if not there:
        return f"None of the {len(asked)} training runs that the claims are about is there yet."
    if there == asked:
        return f"All {len(asked)} training runs that the claims are about are there."
    return (
        f"{len(there)} of the {len(asked)} training runs that the claims are about are there so far; what rests on the "
        "others is called open until they are."
    )


# --- the figure ---------------------------------------------------------------------------------------------------


def forest_figure(effects: pd.DataFrame, singles: pd.DataFrame, asked: Any) -> Html:
    """Every enhancement, and all five together, against Baseline in each game: mean difference and its interval."""
    every = pd.concat([singles, effects.assign(kind=TOGETHER)], ignore_index=True)
    known = every[every["effect"].notna()]
    if known.empty:
        return not_there(f"how far each warm start is above Baseline after {asked.iterations} iterations.")
    names = {kind: kind_name(kind) for kind in dict.fromkeys(every["kind"])}
    panels, height = forests(known, "effect", names, look=_look, band=(0, 20))
    rated = int(known.loc[known["kind"] == TOGETHER, ["warm", "baseline"]].to_numpy().sum())
    alone = singles.groupby(KEYS, sort=False)["effect"].mean()
    return show_panels(
        panels,
        f"{_finding(effects)} Elo above Baseline, each alone. {finding(alone)}",
        f"{_finding(effects)} Each mark is the difference of mean Elo between runs with that warm start and runs of "
        f"Baseline after {asked.iterations} iterations; lines are 95 % intervals over runs, where there are three a "
        f"side. In the grey band an advantage is smaller than 20 Elo. It rests on {rated} of "
        f"{len(asked.run_units())} runs.",
        known,
        across="Elo above Baseline",
        height=height,
        width=SLIM if len(panels) == 1 else None,
    )


def _look(kind: str) -> Look:
    return Look(INK, "D") if kind == TOGETHER else Look(*look_of(kind))


def _finding(effects: pd.DataFrame) -> str:
    """What the figure shows, in a sentence for its caption."""
    phrases = {
        decide.REPLICATED: "The five together end above Baseline in {}.",
        decide.OPPOSITE: "The five together end below Baseline in {}.",
        decide.SMALL: "In {} the five together are at most 20 Elo above Baseline.",
    }
    texts = [
        phrase.format(_listed(list(effects.loc[effects["verdict"] == word, "game"])))
        for word, phrase in phrases.items()
        if word in set(effects["verdict"])
    ]
    return " ".join(texts) or "In no game can the five together be told from Baseline yet."


# --- the seven claims ---------------------------------------------------------------------------------------------


def strip(rows: pd.DataFrame, pages: Collection[str], root: str = "") -> Html:
    """The seven claims: what the thesis said, what we found, how sure that is. ``root`` leads to the pages."""
    records = seven(rows).to_dict("records")
    shown = pd.DataFrame(
        {
            "": [link(row["id"], f"{root}{row['page']}.html") if row["page"] in pages else row["id"]
                 for row in records],
            "the thesis said": [wrapping(row["says"], 14) for row in records],
            "we found": [wrapping(_found(row), 9) for row in records],
            "how sure": [wrapping(_how_sure(row), 8) for row in records],
        }
    )  # fmt: skip
    return show_table(shown, "The seven claims; the number leads to the page with the evidence.")


def _found(row: dict[str, Any]) -> str:
    """A verdict with what it says of the claim's parts."""
    ours = "" if row["ours"] in (NO_DATA, "open", "so it is here too", "not so here") else f": {row['ours']}"
    return f"{MARKS.get(row['verdict'], '')}{row['verdict']}{ours}"


def _how_sure(row: dict[str, Any]) -> str:
    """What a verdict rests on, or what would decide."""
    if row["verdict"] == decide.UNDECIDABLE:
        return "no number of runs could tell: " + row["effect"].partition(": ")[2]
    if row["runs"] in ("0", "–"):
        return "nothing to judge by yet"
    if row["verdict"] == decide.UNDECIDED:
        return f"{row['runs']} so far; " + row["would decide"].replace("about", "it would take about", 1)
    return f"rests on {row['runs']}" + (f", power {row['power']}" if row["power"] not in ("–", "") else "")


# --- a picture ----------------------------------------------------------------------------------------------------

WARM, ENDS = 5, 100


def picture() -> Html:
    """Two training runs side by side: the same loop, but for who plays the first games."""
    boxes = []
    for place, label in enumerate([*map(str, range(1, 9)), "…", str(ENDS)]):
        left = 150 + 52 * place
        for top, warm in ((24, False), (98, True)):
            helped = warm and place < WARM
            look = (
                'style="fill:light-dark(#b87a00,#e69f00)" fill-opacity="0.5"'
                if helped
                else 'fill="currentColor" fill-opacity="0.08"'
            )
            boxes.append(
                f'<rect x="{left}" y="{top}" width="46" height="40" rx="5" stroke="currentColor" {look}/>'
                f'<text x="{left + 23}" y="{top + 25}" text-anchor="middle">{label}</text>'
            )
    words = [
        (0, 49, "cold start"), (0, 123, "warm start"), (150, 163, "an enhanced search plays"),
        (410, 163, "then plain search plays, in both runs"), (700, 92, "Which network"), (700, 110, "is stronger?"),
    ]  # fmt: skip
    texts = "".join(f'<text x="{x}" y="{y}">{text}</text>' for x, y, text in words)
    alt = (
        "Two runs of a hundred iterations each. In the cold one plain search, guided by the network, plays from the "
        "first iteration on. In the warm one an enhanced search plays the first five. At the end their networks meet."
    )
    svg = (
        '<svg aria-hidden="true" viewBox="0 0 810 175" style="flex:1 1 672px;max-width:810px;height:auto;'
        'min-width:640px" font-size="15" font-family="sans-serif" fill="currentColor"><text x="150" y="14">iteration'
        f'</text>{"".join(boxes)}{texts}<path d="M670 44 L692 80 M670 118 L692 104" stroke="currentColor"/></svg>'
    )
    return framed([svg], alt, "The two runs differ in nothing but who plays the first games.")
