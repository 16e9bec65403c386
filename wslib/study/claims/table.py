"""The table of claims: every sentence of the sources, quoted, with its verdict, computed anew with the results.

The rules are in :mod:`wslib.study.statistics.decide`; what a claim consists of is in
:mod:`wslib.study.claims.sentences`. A positive effect means that the first group of a part is stronger.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from wslib.files import HOME
from wslib.study.claims.designs import Design
from wslib.study.claims.evidence import Evidence
from wslib.study.claims.sentences import CLAIMS, POOLED, Claim, family
from wslib.study.claims.specs import NO_DATA, Judged, Ordering, Part, planned_runs
from wslib.study.engine.store import thesis_table
from wslib.study.names import board_name, listed
from wslib.study.pages.warm import ENHANCEMENTS
from wslib.study.statistics import decide
from wslib.study.statistics.decide import FEWEST_RUNS, UNDECIDED

COUNTED = {
    decide.REPLICATED: ("holds", "hold"), decide.OPPOSITE: ("shows the opposite", "show the opposite"),
    decide.SMALL: ("is too small", "are too small"), UNDECIDED: ("is open", "are open"),
    decide.UNDECIDABLE: ("is beyond this design", "are beyond this design"),
    "": ("has no runs yet", "have no runs yet"),
}  # fmt: skip
"""What is said of one part with this verdict, and of several; "" is for those without data."""
FOLLOWED, DIFFERS, NOT_CLAIMED = "design: followed", "design: differs", "no outcome claimed"
WORDS = (*decide.WORDS, FOLLOWED, DIFFERS, NOT_CLAIMED)


def judge(evidence: Evidence) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row per claim with its verdict, and a row per part of every claim."""
    names = {spec.experiment for claim in CLAIMS if isinstance(claim, Claim) for spec in claim.orderings}
    judged = {name: judged_on(name, evidence.elos.get(name), evidence.asked.get(name)) for name in names}
    rows, details = [], []
    for claim in CLAIMS:
        if isinstance(claim, Design):
            followed, text = claim.ours(evidence)
            word = NOT_CLAIMED if followed is None else FOLLOWED if followed else DIFFERS
            rows.append(_row(claim, {"verdict": word, "shown": word, "ours": text}))
            continue
        parts, word = _judged(claim, judged, evidence)
        rows.append(_row(claim, _summary(parts, word)))
        details += [_detail(claim, part) for part in parts]
    quoted = quotations()
    return pd.DataFrame(rows).join(quoted, on="id"), pd.DataFrame(details)


def judged_on(experiment: str, elos: pd.DataFrame | None, asked: Any = None) -> Judged:
    """All claims about an experiment's rated runs, tested together; ``asked`` is the experiment as it is designed."""
    return Judged(family(experiment), elos, None if asked is None else planned_runs(asked))


def _judged(claim: Claim, judged: Mapping[str, Judged], evidence: Evidence) -> tuple[list[Part], str]:
    """All parts of a claim, and the verdict on it."""
    specs = [*claim.orderings, *(claim.check(evidence) if claim.check else ())]
    besides = list(claim.besides(evidence)) if claim.besides else []
    number = len(specs) + len(besides)
    found, also = (
        [spec.of_claim(judged.get(getattr(spec, "experiment", "")), number) for spec in some]  # type: ignore[arg-type]
        for some in (specs, besides)
    )
    word = decide.whole([part.word for part in found], claim.enough)
    return [*found, *also], decide.whole([word, *(part.word for part in also)])


def on_page(claim: str, elos: pd.DataFrame, asked: Any) -> tuple[dict[str, Any], pd.DataFrame]:
    """A claim about the rated runs of one experiment, as this table has it: its row, and its parts.

    For the experiments' own pages, so that they and the table say the same.
    """
    return row_and_parts(claim, {asked.name: judged_on(asked.name, elos, asked)})


def row_and_parts(claim: str, judged: Mapping[str, Judged]) -> tuple[dict[str, Any], pd.DataFrame]:
    """A claim about rated runs, by what is judged of each experiment: its row, and its parts."""
    said = next(c for c in CLAIMS if c.id == claim and isinstance(c, Claim))
    parts, word = _judged(said, judged, Evidence({}, {}))
    return _row(said, _summary(parts, word)), pd.DataFrame([_detail(said, part) for part in parts])


def pooled(elos: pd.DataFrame, asked: Any = None) -> pd.DataFrame:
    """The effect of a warm start, all five enhancements together: their runs against Baseline's, a row per game.

    ``effect`` is the difference of mean Elo with its 95 % interval ``low`` to ``high`` (missing with fewer than three
    runs a side), ``p`` the permutation test's, corrected over the games, and ``runs`` are those of either side. The
    unit is the run. The verdict is on "higher"; no claim contains it, so that it is in no other family of tests.
    """
    return _effects(POOLED, Judged(POOLED, elos, None if asked is None else planned_runs(asked)))


def singly(elos: pd.DataFrame, asked: Any) -> pd.DataFrame:
    """Each enhancement alone against Baseline, a row per game and enhancement; p is corrected over the experiment."""
    specs = [Ordering(asked.name, spec.board, method, "baseline") for spec in POOLED for method in ENHANCEMENTS]
    return _effects(specs, judged_on(asked.name, elos, asked))


def _effects(specs: Sequence[Ordering], judged: Judged) -> pd.DataFrame:
    """A row per ordering: its two sides, the effect, and the verdict."""
    rows = []
    for spec in specs:
        answer = judged.verdict(spec)
        row: dict[str, Any] = {"board": spec.board, "game": board_name(spec.board), "kind": spec.first, "warm": 0,
                               "baseline": 0}  # fmt: skip
        if answer is None:
            row |= {"verdict": judged.without_data(spec).word, "shown": judged.without_data(spec).word}
        else:
            part = spec.of_claim(judged)
            low, high = answer.interval or (None, None)
            row |= {"warm": answer.runs[0], "baseline": answer.runs[1], "effect": answer.effect, "low": low,
                    "high": high, "text": part.effect, "p": answer.p, "power": answer.power, "verdict": answer.word,
                    "shown": shown_word(part), "units": " ".join(part.units)}  # fmt: skip
        rows.append(row)
    columns = ["board", "game", "kind", "warm", "baseline", "effect", "low", "high", "text", "p", "power", "verdict",
               "shown", "units"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def quotations() -> pd.DataFrame:
    """What the sources say word for word, and where, by the claim's id."""
    found = thesis_table("statements")
    thesis = found["documents"].str.contains("thesis")
    where = found["documents"].str.split("; ").str[0].where(~thesis, "thesis") + ", " + found["section"]
    return pd.DataFrame({"quote": found["quote"], "where": where}).set_index(found["id"].astype(str))


def pages() -> set[str]:
    """Pages of the book that are made from a notebook, by name."""
    return {path.stem for path in (HOME / "notebooks").glob("*.py")}


# --- rows -----------------------------------------------------------------------------------------------------------


def _row(claim: Claim | Design, found: Mapping[str, str]) -> dict[str, str]:
    usual = {"ours": "", "effect": "–", "runs": "–", "verdict": "", "shown": "", "would decide": "–", "power": "–"}
    return {"id": claim.id, "says": claim.says, **usual, **found, "page": claim.page}


def _summary(parts: Sequence[Part], word: str) -> dict[str, str]:
    shown = _weakest(parts, word)
    needed = _needed(parts, word)
    return {
        "ours": _ours(parts),
        "effect": f"{shown.name}: {shown.effect}" if len(parts) > 1 and any(p.runs for p in parts) else shown.effect,
        "runs": _runs(parts),
        "verdict": word,
        "shown": _shown(parts, word, shown, needed),
        "would decide": needed,
        "power": percent_of(shown.power),
    }


def _shown(parts: Sequence[Part], word: str, shown: Part, needed: str) -> str:
    """The verdict as it is written: with the margin, with what would decide, and in how many of several parts."""
    some = sum(part.word == word for part in parts)
    several = f"in {some} of {len(parts)} parts" if word in decide.REFUTING and len(parts) > 1 else ""
    details = {
        decide.SMALL: shown.margin,
        UNDECIDED: f"{needed} would decide" if needed.startswith("about") else needed,
    }
    inside = ", ".join(filter(None, (details.get(word, ""), several)))
    return f"{word} ({inside})" if inside else word


def shown_word(part: Part) -> str:
    """The verdict on one part as it is written."""
    return _shown([part], part.word, part, _needed([part], part.word))


def _weakest(parts: Sequence[Part], word: str) -> Part:
    """The part that decides the verdict: of those with its word the weakest, with data where it needs some."""
    there = [p for p in parts if p.runs or word == decide.UNDECIDABLE]
    alike = [p for p in there if p.word == word] or there or list(parts)
    return min(alike, key=lambda part: part.strength)


def _ours(parts: Sequence[Part]) -> str:
    there = [part for part in parts if part.runs]
    if not there:
        return parts[0].effect if len({part.effect for part in parts}) == 1 else NO_DATA
    if len(parts) == 1:
        said = {
            decide.REPLICATED: "so it is here, too",
            decide.OPPOSITE: "not so here",
            decide.SMALL: "too little here",
        }
        return said.get(there[0].word, "open")
    words = [part.word if part.runs or part.word == decide.UNDECIDABLE else "" for part in parts]
    texts = [f"{words.count(word)} {said[words.count(word) > 1]}" for word, said in COUNTED.items() if word in words]
    return f"of {len(parts)} parts " + listed(texts)


def _runs(parts: Sequence[Part]) -> str:
    """Runs (or games) a side: the fewest and the most."""
    texts = []
    for of in dict.fromkeys(part.of for part in parts):
        numbers = [number for part in parts if part.of == of for number in part.runs]
        if numbers:
            low, high = min(numbers), max(numbers)
            texts.append(f"{low:,} {of}" if low == high else f"{low:,} to {high:,} {of}")
    return ", ".join(texts) or "0"


def _needed(parts: Sequence[Part], word: str) -> str:
    if word != UNDECIDED:
        return "–"
    open_ = [part for part in parts if part.word == UNDECIDED]
    least = f"at least {FEWEST_RUNS} runs a side are needed"
    if any(not part.runs for part in open_):
        return least if any(part.of == "runs" for part in open_) else "its matches are not played yet"
    if any(part.needed is None for part in open_):
        few = all(part.of == "runs" and min(part.runs) < FEWEST_RUNS for part in open_)
        return least if few else "no number can be named"
    most = max(open_, key=lambda part: part.needed or 0)
    number = float(f"{most.needed:.2g}")  # an estimate from estimates: two digits are as many as it has
    return f"about {number:,.0f} {most.of}" + (" a side" if most.of == "runs" else "")


def percent_of(share: float | None) -> str:
    """A chance in whole percent."""
    return "–" if share is None or pd.isna(share) else f"{100 * share:.0f} %"


def _detail(claim: Claim, part: Part) -> dict[str, Any]:
    return {
        "claim": claim.id,
        "part": part.name,
        "effect": part.effect,
        "simultaneous": part.together,
        "p": part.p,
        "runs": " and ".join(map(str, part.runs)),
        "of": part.of,
        "verdict": part.word,
        "shown": shown_word(part),
        "would decide": part.needed if part.needed and part.word == UNDECIDED else "",
        "power": part.power,
        **dict(zip(("value", "low", "high"), part.bounds, strict=True)),
        "unit": part.unit,
        "units": " ".join(part.units),
    }
