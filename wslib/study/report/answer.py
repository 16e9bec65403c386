"""The first page: the answer in three sentences, one figure, and the seven claims, whatever is there of the results.

``rows`` and ``parts`` are the frames of :func:`wslib.study.claims.table.judge`; ``effects`` and ``singles`` are those
of ``pooled`` and ``singly`` there: differences of mean Elo from Baseline, positive where the warm start ends stronger.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd

from wslib.study.claims.evidence import Evidence
from wslib.study.claims.specs import NO_DATA
from wslib.study.names import kind_name, listed
from wslib.study.report.charts import SLIM, Look, finding, forests, show_panels
from wslib.study.report.look import GREY, INK, Html, in_print, link, look_of, not_there, table
from wslib.study.report.verdicts import MARKS, PHRASES, counts, seven, wrapping
from wslib.study.statistics import decide

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
    claims = f"{claims_prose(rows)} {progress_prose(evidence)}".strip()
    return paragraphs([start_prose(parts), end_prose(effects, evidence), claims])


def paragraphs(texts: Sequence[str]) -> Html:
    """Sentences that another page shows, too: a paragraph each, with **bold** words."""
    bold = (re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escape(in_print(text))) for text in texts)
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
        f"plain search in {f'{won} of' if won < total else 'all'} {total} matches: four such searches in "
        f"{_number(total // 4)} game{'' if total // 4 == 1 else 's'}."
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
            f"{'is' if there < 2 else 'are'} there"
            + (", and too few of them have met in a tournament to compare any." if there else ".")
        )
    words = set(effects["verdict"])
    if words <= {decide.UNDECIDED, decide.UNDECIDABLE}:
        short = SHORT[decide.UNDECIDED] if rated < total else "so many runs cannot tell"
    elif len(words) == 1:
        short = SHORT[words.pop()]
    else:
        short = "it depends on the game" if decide.UNDECIDED not in words else "we can say for some games"
    so_far = f"So far {rated} of {total} runs are rated." if rated < total else f"All {total} runs are rated."
    return f"**{lead}: {short}.** {so_far} {together_prose(effects)}"


def together_prose(effects: pd.DataFrame) -> str:
    """What all warm starts together do in which games, each with its effect."""
    known = effects.dropna(subset="text")
    texts = _by_verdict(
        known.assign(game=[f"{r.game} ({_between(r.text)})" for r in known.itertuples()]),
        {
            decide.REPLICATED: "end stronger than Baseline in {}",
            decide.SMALL: "are less than 20 Elo above Baseline, if at all, in {}",
            decide.OPPOSITE: "end weaker than Baseline in {}",
            decide.UNDECIDED: "differ from Baseline by no more than chance could explain in {}",
            decide.UNDECIDABLE: "cannot be told from Baseline in {}",
        },
    )
    missing = list(effects.loc[effects["text"].isna(), "game"])
    said = [f"Taken together (with 95 % intervals), runs with a warm start {'; they '.join(texts)}."] if texts else []
    return " ".join([*said, *([f"Nothing is known yet about {listed(missing)}."] if missing else [])])


def _by_verdict(effects: pd.DataFrame, phrases: Mapping[str, str]) -> list[str]:
    """For each verdict that there is its phrase, with the games that have it."""
    games = {word: list(effects.loc[effects["verdict"] == word, "game"]) for word in phrases}
    return [phrase.format(listed(games[word])) for word, phrase in phrases.items() if games[word]]


def _between(text: str) -> str:
    """An effect's interval, for inside a bracket, or the effect itself where there is none.

    >>> _between("+32 Elo (+3 to +61)"), _between("-14 Elo")
    ('+3 to +61 Elo', '-14 Elo, too few runs for an interval')
    """
    interval = text.partition("(")[2].rstrip(")")
    return f"{interval} Elo" if interval else f"{text}, too few runs for an interval"


def claims_prose(rows: pd.DataFrame) -> str:
    """How the seven claims stand, in one sentence."""
    found = {word: number for word, number in counts(seven(rows)).items() if number}
    texts = [f"{_number(number)} {PHRASES[word][number != 1]}" for word, number in found.items()]
    stand = found.get(decide.REPLICATED, 0)
    if set(found) == {decide.REPLICATED}:
        return "**All of the thesis' seven claims stand.**"
    if stand:
        lead = f"Of the thesis' seven claims, {_number(stand)} {'stands' if stand == 1 else 'stand'}"
    else:
        lead = "None of the thesis' seven claims stands" + (" yet" if decide.UNDECIDED in found else "")
    return f"**{lead}**: {listed(texts)}."


def _number(number: int) -> str:
    """A small number as a word."""
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return words[number] if number < len(words) else str(number)


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
        return f"None of the {len(asked)} training runs that the claims are about has been computed yet."
    if there == asked:
        return f"All {len(asked)} training runs that the claims are about have been computed."
    return (
        f"So far {len(there)} of the {len(asked)} training runs that the claims are about have been computed. Whatever "
        "depends on the rest is called open."
    )


# --- the figure ---------------------------------------------------------------------------------------------------


def forest_figure(effects: pd.DataFrame, singles: pd.DataFrame, asked: Any) -> Html:
    """Every enhancement, and all five together, against Baseline in each game: mean difference and its interval."""
    every = pd.concat([singles, effects.assign(kind=TOGETHER)], ignore_index=True)
    known = every[every["effect"].notna()]
    if known.empty:
        return not_there(f"how far each warm start is above Baseline after {asked.iterations} iterations.")
    names = {kind: kind_name(kind) for kind in dict.fromkeys(every["kind"])}
    small = lambda axis: axis.axvspan(0, 20, color=GREY, alpha=0.15, linewidth=0)  # noqa: E731
    panels = forests(known, "effect", names, look=_look, also=small)
    rated, total = int(effects[["warm", "baseline"]].to_numpy().sum()), len(asked.run_units())
    says = _finding(effects, rated < total)
    return show_panels(
        panels,
        f"{says} Elo above Baseline, each alone. {finding(singles, 'effect')}",
        f"{says} Each mark is the difference in mean Elo between runs with that warm start and runs of "
        f"Baseline after {asked.iterations} iterations. Lines are 95 % intervals over runs; a mark without a line "
        "rests on fewer than three runs a side. In the grey band an advantage is too small to matter, less than 20 "
        f"Elo. Rated so far: {rated} of {total} runs.",
        known,
        across="Elo above Baseline",
        width=SLIM if len(panels) == 1 else None,
    )


def _look(kind: str) -> Look:
    return Look(INK, "D") if kind == TOGETHER else look_of(kind)


def _finding(effects: pd.DataFrame, more: bool) -> str:
    """What the figure shows, in a sentence for its caption; ``more`` runs may be to come."""
    texts = _by_verdict(
        effects,
        {
            decide.REPLICATED: "Taken together, the five warm starts end above Baseline in {}.",
            decide.OPPOSITE: "Taken together, the five warm starts end below Baseline in {}.",
            decide.SMALL: "In {} the five warm starts together are less than 20 Elo above Baseline, if at all.",
        },
    )
    none = f"In no game can the five warm starts together be told from Baseline{' yet' if more else ''}."
    return " ".join(texts) or none


# --- the seven claims ---------------------------------------------------------------------------------------------


def strip(rows: pd.DataFrame, pages: Collection[str], root: str = "") -> Html:
    """The seven claims: what the thesis said, what we found, how sure that is. ``root`` leads to the pages."""
    return table(
        seven(rows).rename(columns={"would decide": "needed"}),
        "The seven claims. The number leads to the page with the evidence.",
        {
            "": lambda row: link(row.id, f"{root}{row.page}.html") if row.page in pages else row.id,
            "the thesis said": lambda row: wrapping(row.says, 14),
            "we found": lambda row: wrapping(_found(row), 9),
            "how sure": lambda row: wrapping(_how_sure(row), 8),
        },
    )


def _found(row: Any) -> str:
    """A verdict with what it says of the claim's parts."""
    ours = "" if row.ours in (NO_DATA, "open", "so it is here, too", "not so here") else f": {row.ours}"
    word = "contradicted" if row.verdict == decide.OPPOSITE else row.verdict
    return f"{MARKS.get(row.verdict, '')}{word}{ours}"


def _how_sure(row: Any) -> str:
    """What a verdict rests on, or what would decide."""
    if row.verdict == decide.UNDECIDABLE:
        return "no number of runs could tell: " + row.effect.rpartition(": ")[2]
    if row.runs in ("0", "–"):
        return "nothing to judge by yet"
    if row.verdict == decide.UNDECIDED:
        return f"{row.runs} so far; " + row.needed.replace("about", "it would take about", 1)
    return f"rests on {row.runs}" + (f", power {row.power}" if row.power not in ("–", "") else "")
