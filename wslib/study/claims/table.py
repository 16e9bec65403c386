"""Every claim of the sources that results can answer, with its verdict, computed anew whenever results change.

A claim is made of parts. As a whole it is *replicated* when every part is and *not replicated* as soon as one part is
refuted, with one exception: where the source says "nearly always", nine parts in ten. These two rules are ours; those
for a single ordering were fixed before the data were seen (:mod:`wslib.study.statistics.verdicts`). Sentences about
how something was done are *designs* (:mod:`wslib.study.claims.designs`). A positive effect means that the first group
of a part is stronger.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd

from wslib.study.claims.designs import (
    Design,
    adaptive_values,
    each_other,
    gobang_simulations,
    no_gobang,
    rhea_design,
    tournament,
    warmstart_scale,
)
from wslib.study.claims.evidence import (
    NO_DATA,
    OPPOSITE,
    Evidence,
    LargerGain,
    Level,
    Ordering,
    Part,
    Spec,
    Spread,
    answer_to,
    judged,
    trained_part,
)
from wslib.study.claims.parts import (
    SEVEN_BEST,
    diversity_part,
    length_part,
    lengths_compared,
    nearly_always,
    orientation_parts,
    plies_part,
    rhea_parts,
    rising_part,
    sooner_parts,
    switch_parts,
    untrained_orderings,
)
from wslib.study.engine.store import HOME
from wslib.study.pages.warm import ENHANCEMENTS
from wslib.study.report.look import board_name
from wslib.study.report.orientation import HALF, NEARLY_ALL
from wslib.study.statistics import stats
from wslib.study.statistics.verdicts import FEWEST_RUNS, Verdict

FOLLOWED, DIFFERS, NOT_CLAIMED = "design: followed", "design: differs", "no outcome claimed"
WORDS = (stats.REPLICATED, stats.NOT_REPLICATED, stats.UNDECIDED, FOLLOWED, DIFFERS, NOT_CLAIMED)
LENGTHS = (1, 3, 5, 7, 9)
Check = Callable[[Evidence], Sequence[Part]]


@dataclass(frozen=True)
class Claim:
    """A sentence of the sources: in our words, and the parts that would make it true."""

    id: str
    says: str
    page: str
    orderings: tuple[Spec, ...] = ()
    """Parts about rated runs."""
    check: Check | None = None
    """All other parts."""
    nearly: bool = False
    """Nine parts in ten are enough."""


def above(
    experiment: str, boards: Sequence[str], firsts: Sequence[str], seconds: Sequence[str], claim: str = "higher"
) -> tuple[Spec, ...]:
    """Every one of the first kinds above every one of the second, in each of these games."""
    return tuple(Ordering(experiment, board, a, b, claim) for board, a, b in product(boards, firsts, seconds) if a != b)


def _ws(boards: str, firsts: str, seconds: str, claim: str = "higher") -> tuple[Spec, ...]:
    return above("warmstart", boards.split(), firsts.split(), seconds.split(), claim)


def _switching(boards: str, firsts: Sequence[str], seconds: Sequence[str]) -> tuple[Spec, ...]:
    return above("adaptive_vs_fixed", boards.split(), firsts, seconds)


ALL = " ".join(ENHANCEMENTS)
OTHERS = "baseline rollout rave rora wro"
ADAPTIVE = [f"{m} adaptive" for m in ENHANCEMENTS]
FIXED = [f"{m} fixed" for m in ENHANCEMENTS]
PAIRED = tuple(
    Ordering("adaptive_vs_fixed", board, f"{m} adaptive", f"{m} fixed")
    for board, m in product(("connect4", "othello"), ENHANCEMENTS)
)
WARM_BETTER = (
    *_ws("gobang connect4", ALL, "baseline"),
    *_ws("othello", "rave rora wro wrora", "baseline"),
    *_ws("othello", "rollout", "baseline", "same"),
)
WRORA_BEST = _ws("gobang connect4 othello", "wrora", OTHERS)
NONE_ABOVE_WRORA = _ws("gobang connect4 othello", OTHERS, "wrora", "not higher")


def _untrained(board: str, *names: str, tail: Check | None = None) -> Check:
    def check(evidence: Evidence) -> list[Part]:
        found = untrained_orderings(evidence)
        parts = [found.get((board, n), Part(f"untrained, {board_name(board)}: {n}", of="games")) for n in names]
        return parts + list(tail(evidence) if tail else ())

    return check


_BEAT = tuple(f"{m} > Baseline" for m in ("Rollout", "RoRa", "WRo", "WRoRa"))
_RAVE_LOWEST = tuple(f"{m} > RAVE" for m in ("Rollout", "RoRa", "WRo", "WRoRa"))


def _claim_2(evidence: Evidence) -> list[Part]:
    added = {"RAVE > Baseline", "WRoRa > RoRa", "WRoRa > WRo", "RoRa > WRo", "RoRa > WRoRa"}
    found = untrained_orderings(evidence)
    return [part for (_, name), part in found.items() if name not in added] or [Part("claim 2", of="games")]


def _rave_early(evidence: Evidence) -> list[Part]:
    """Untrained, RAVE does not beat Baseline, where the thesis says so."""
    parts = []
    for board in ("connect4", "gobang"):
        found = untrained_orderings(evidence).get((board, "RAVE > Baseline"))
        name = f"untrained, {board_name(board)}: RAVE not above Baseline"
        parts.append(
            found._replace(name=name, word=OPPOSITE.get(found.word, found.word), strength=-found.strength)
            if found
            else Part(name, of="games")
        )
    return parts


def _rhea_steady(evidence: Evidence) -> list[Part]:
    return [
        *rhea_parts(evidence, lambda changed: changed not in (HALF, "n = 1"), ordering=False),
        *rhea_parts(evidence, lambda changed: changed in (HALF, "n = 1"), ordering=True),
    ]


# --- the table ----------------------------------------------------------------------------------------------------

CLAIMS: tuple[Claim | Design, ...] = (
    Claim("1", "Without a network RAVE > MCTS > RHEA > random, nearly always", "orientation",
          check=lambda e: orientation_parts(e, False), nearly=True),
    Claim("2", "Untrained, all enhancements but RAVE beat Baseline; RAVE is weakest, combinations strongest, the "
          "effect largest in Othello", "untrained", check=_claim_2),
    Claim("3", "A warm start ends higher than Baseline in Gobang and Connect Four; in Othello all but Rollout do",
          "warmstart", WARM_BETTER),
    Claim("4", "WRoRa is the best, or among the best, in every game", "warmstart", NONE_ABOVE_WRORA),
    Claim("5", "The best fixed I' differs between enhancements", "iprime",
          check=lambda e: [length_part(e, ENHANCEMENTS, LENGTHS)]),
    Claim("6", "Adaptive switches come early, at different iterations per game and run; in Gobang at once (m = 100) or "
          "almost (m = 200)", "adaptive", check=switch_parts),
    Claim("7", "The adaptive switch beats I' = 5 for each enhancement", "adaptive_vs_fixed", PAIRED),
    Claim("S01", "Gobang: Baseline is at about −100 Elo", "warmstart",
          (Level("warmstart", "gobang", "baseline", -100),)),
    Claim("S02", "Gobang: enhancements but RAVE are at about 50 Elo", "warmstart",
          tuple(Level("warmstart", "gobang", m, 50) for m in ("rollout", "rora", "wro", "wrora"))),
    Claim("S03", "Gobang: every enhancement above Baseline", "warmstart", _ws("gobang", ALL, "baseline")),
    Claim("S04", "Gobang: RAVE's runs vary most", "warmstart", (Spread("warmstart", "gobang", "rave"),)),
    Claim("S05", "Gobang: Rollout and its combinations above RAVE", "warmstart",
          _ws("gobang", "rollout rora wro wrora", "rave")),
    Claim("S06", "Gobang: RoRa not clearly above Rollout, but above RAVE", "warmstart",
          (*_ws("gobang", "rora", "rollout", "not higher"), *_ws("gobang", "rora", "rave"))),
    Claim("S07", "Connect Four: every enhancement above Baseline", "warmstart", _ws("connect4", ALL, "baseline")),
    Claim("S08", "Connect Four: WRo above Rollout", "warmstart", _ws("connect4", "wro", "rollout")),
    Claim("S09", "Connect Four: WRoRa above RAVE", "warmstart", _ws("connect4", "wrora", "rave")),
    Claim("S10", "Connect Four: RoRa above both its parts, WRoRa not above WRo", "warmstart",
          (*_ws("connect4", "rora", "rollout rave"), *_ws("connect4", "wrora", "wro", "not higher"))),
    Claim("S11", "Othello: Rollout about equal to Baseline", "warmstart",
          _ws("othello", "rollout", "baseline", "same")),
    Claim("S12", "Othello: all other enhancements above Baseline", "warmstart",
          _ws("othello", "rave rora wro wrora", "baseline")),
    Claim("S13", "Othello: WRoRa above all others", "warmstart", _ws("othello", "wrora", OTHERS)),
    Claim("S14", "At least WRoRa is significantly best (pooled binomial test)", "warmstart", WRORA_BEST),
    Claim("S15", "A weighted combination of rollout, RAVE and network is always better", "warmstart",
          _ws("gobang connect4 othello", "wrora", "baseline")),
    Claim("S16", "RAVE > MCTS > RHEA > random by binomial tests at 5 %", "orientation",
          check=lambda e: orientation_parts(e, exception=False), nearly=True),
    Claim("S17", "Othello: RHEA does not convincingly beat random play", "orientation",
          check=lambda e: orientation_parts(e, exception=True)),
    Design("S18", "49 entrants, full round robin, 20 games a pair", "warmstart", tournament("warmstart", 49)),
    Design("S19", "I' = 5, 100 iterations, 8 runs, Table 5.2", "warmstart", warmstart_scale),
    Claim("S20", "6×6 Othello needs 32 plies", "orientation", check=lambda e: [plies_part(e, "othello", 32)]),
    Design("S21", "RHEA: horizon 10, population 10, mutation 0.2, n = 2, 50 individuals", "searches", rhea_design),
    Claim("S22", "RHEA with 50 rollouts is weaker than with 100", "orientation",
          check=lambda e: rhea_parts(e, lambda changed: changed == HALF, ordering=True)),
    Claim("S30", "Untrained, Connect Four: WRoRa highest, RAVE lowest, all but RAVE above 50 %", "untrained",
          check=_untrained("connect4", *_BEAT, *_RAVE_LOWEST, "WRoRa > Rollout", "WRoRa > RoRa", "WRoRa > WRo")),
    Claim("S31", "Untrained, Gobang: RoRa highest, RAVE lowest, all but RAVE above 50 %", "untrained",
          check=_untrained("gobang", *_BEAT, *_RAVE_LOWEST, "RoRa > Rollout", "RoRa > WRo", "RoRa > WRoRa")),
    Claim("S32", "Untrained, Othello: all above 50 %, RAVE lowest, the others nearly 100 %", "untrained",
          check=_untrained("othello", *_BEAT, "RAVE > Baseline", *_RAVE_LOWEST, tail=lambda e: nearly_always(
              e, "othello", ("rollout", "rora", "wro", "wrora")))),
    Claim("S33", "Connect Four: I' = 7 is best for RAVE and WRoRa", "iprime", SEVEN_BEST),
    Claim("S34", "Connect Four: every fixed and adaptive player above Baseline", "adaptive_vs_fixed",
          _switching("connect4", FIXED + ADAPTIVE, ["baseline"])),
    Claim("S35", "Othello: every fixed and adaptive player above Baseline", "adaptive_vs_fixed",
          _switching("othello", FIXED + ADAPTIVE, ["baseline"])),
    Claim("S36", "Adaptive above fixed I' = 5, each enhancement, both games", "adaptive_vs_fixed", PAIRED),
    Claim("S37", "Connect Four: adaptive WRo and RoRa are the top two", "adaptive_vs_fixed", _switching(
        "connect4", ["wro adaptive", "rora adaptive"], ["rollout adaptive", "rave adaptive", "wrora adaptive"])),
    Claim("S38", "Othello: adaptive WRoRa is best", "adaptive_vs_fixed",
          _switching("othello", ["wrora adaptive"], ADAPTIVE)),
    Claim("S39", "Gobang, m = 100: every run switches at the first iteration", "adaptive",
          check=lambda e: switch_parts(e, "Gobang, m = 100")),
    Design("S40", "Table 6.2's Gobang is with m = 200", "adaptive", gobang_simulations),
    Claim("S41", "Othello: the default search's reward balance rises until the switch", "adaptive",
          check=lambda e: [rising_part(e, "othello")]),
    Claim("S42", "Connect Four: adaptive warm starts are shorter than the best fixed one (I' = 7)", "adaptive",
          check=lambda e: sooner_parts(e, ("rave", "wrora"), 7)),
    Design("S43", "Adaptive: weights 1/i, half of the games with each colour, Table 5.2", "adaptive", adaptive_values),
    Design("S44", "88 entrants (we add a random player), 20 games a pair", "adaptive_vs_fixed",
           tournament("adaptive_vs_fixed", 89)),
    Design("S45", "No Gobang tournament for adaptive runs", "adaptive_vs_fixed", no_gobang),
    Claim("T1", "Deeper games gain more from a warm start", "warmstart",
          (LargerGain("warmstart", "othello", "gobang"), LargerGain("warmstart", "connect4", "gobang"))),
    Claim("T2", "Two different players give more diverse training data", "adaptive_vs_fixed",
          check=lambda e: [diversity_part(e)]),
    Claim("T3", "RAVE helps only after some iterations", "untrained", _ws("connect4 gobang", "rave", "baseline"),
          _rave_early),
    Claim("T4", "RHEA's parameters hardly matter, but rollouts do; n = 2 is steadier", "orientation",
          check=_rhea_steady),
    Design("T5", "The enhancements against each other (announced, not shown)", "untrained", each_other),
)  # fmt: skip
"""The seven claims, the sentences of ``data/thesis/statements.csv`` (S…), and five more (T…)."""


# --- verdicts -----------------------------------------------------------------------------------------------------


def family(experiment: str, elos: pd.DataFrame | None = None) -> list[Spec]:
    """Everything that claims say about the rated runs of an experiment: what Holm's correction runs over.

    Which lengths of a warm start are compared depends on the ratings: the best observed ones with all others.
    """
    said = dict.fromkeys(
        spec for claim in CLAIMS if isinstance(claim, Claim) for spec in claim.orderings
        if spec.experiment == experiment
    )  # fmt: skip
    return [*said, *(
        lengths_compared(elos, ENHANCEMENTS, LENGTHS) if experiment == "iprime" and elos is not None else ()
    )]  # fmt: skip


def verdicts_on(claim: str, elos: pd.DataFrame) -> tuple[list[Verdict], int]:
    """The verdicts on one claim's orderings that have runs, as this table has them, and how many it consists of.

    For the experiments' own pages, so that they and the table say the same.
    """
    said = next(c for c in CLAIMS if c.id == claim and isinstance(c, Claim))
    found: dict[Spec, Verdict] = {}
    for experiment in {spec.experiment for spec in said.orderings}:
        found |= judged(family(experiment, elos), elos)
    answers = [answer_to(spec, found) for spec in said.orderings]
    return [answer for answer in answers if answer is not None], len(said.orderings)


def judge(evidence: Evidence) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row per claim with its verdict, and a row per part of every claim."""
    found = {name: judged(family(name, elos), elos) for name, elos in evidence.elos.items()}
    rows, details = [], []
    for claim in CLAIMS:
        if isinstance(claim, Design):
            followed, text = claim.ours(evidence)
            word = NOT_CLAIMED if followed is None else FOLLOWED if followed else DIFFERS
            rows.append(_row(claim, text, "–", "–", word, "–"))
            continue
        nothing = pd.DataFrame()
        parts = [
            trained_part(spec, found.get(spec.experiment, {}), evidence.elos.get(spec.experiment, nothing))
            for spec in claim.orderings
        ]
        parts += claim.check(evidence) if claim.check else []
        word = combined([part.word for part in parts], claim.nearly)
        shown = _weakest(parts, word)
        effect = f"{shown.name}: {shown.effect}" if len(parts) > 1 and shown.runs else shown.effect
        rows.append(_row(claim, _ours(parts), effect, _runs(parts), word, _needed(parts, word)))
        details += [_detail(claim, part) for part in parts]
    return pd.DataFrame(rows), pd.DataFrame(details)


def combined(words: Sequence[str], nearly: bool = False) -> str:
    """The verdict on a claim from those on its parts.

    >>> combined(["replicated", "replicated", "not decided by these data"])
    'not decided by these data'
    """
    if not words:
        return stats.UNDECIDED
    enough = NEARLY_ALL if nearly else 1.0
    if words.count(stats.REPLICATED) >= enough * len(words):
        return stats.REPLICATED
    left = len(words) - words.count(stats.NOT_REPLICATED)
    return stats.UNDECIDED if left >= enough * len(words) else stats.NOT_REPLICATED


def pages() -> set[str]:
    """Pages of the book that are made from a notebook, by name."""
    return {path.stem for path in (HOME / "notebooks").glob("*.py")}


def _row(claim: Claim | Design, ours: str, effect: str, runs: str, word: str, needed: str) -> dict[str, str]:
    return {"id": claim.id, "says": claim.says, "ours": ours, "effect": effect, "runs": runs, "verdict": word,
            "would decide": needed, "page": claim.page}  # fmt: skip


def _weakest(parts: Sequence[Part], word: str) -> Part:
    """The part that the verdict hangs on: of those with its word the weakest with data."""
    alike = [p for p in parts if p.word == word and p.runs] or [p for p in parts if p.runs] or list(parts)
    return min(alike, key=lambda part: part.strength)


def _ours(parts: Sequence[Part]) -> str:
    there = [part for part in parts if part.runs]
    if not there:
        return NO_DATA
    if len(parts) == 1:
        return {stats.REPLICATED: "so it is here too", stats.NOT_REPLICATED: "not so here"}.get(there[0].word, "open")
    words = [part.word for part in there]
    counts = {"hold": stats.REPLICATED, "refuted": stats.NOT_REPLICATED, "open": stats.UNDECIDED}
    texts = [f"{words.count(word)} {what}" for what, word in counts.items() if word in words]
    texts = ["1 holds" if text == "1 hold" else text for text in texts]
    texts += [f"{len(parts) - len(there)} without runs"] if len(there) < len(parts) else []
    return f"of {len(parts)} parts " + ", ".join(texts)


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
    if word != stats.UNDECIDED:
        return "–"
    open_ = [part for part in parts if part.word == stats.UNDECIDED]
    least = f"{FEWEST_RUNS} runs or more a side"
    if any(not part.runs for part in open_):
        return least if any(part.of == "runs" for part in open_) else "the matches"
    if any(part.needed is None for part in open_):
        few = all(part.of == "runs" and min(part.runs) < FEWEST_RUNS for part in open_)
        return least if few else "no number can be named"
    most = max(open_, key=lambda part: part.needed or 0)
    number = float(f"{most.needed:.2g}")  # an estimate from estimates: two digits are as many as it has
    return f"about {number:,.0f} {most.of}" + (" a side" if most.of == "runs" else "")


def _detail(claim: Claim, part: Part) -> dict[str, Any]:
    return {
        "claim": claim.id,
        "part": part.name,
        "effect": part.effect,
        "runs": " and ".join(map(str, part.runs)),
        "of": part.of,
        "verdict": part.word,
        "would decide": part.needed if part.needed and part.word == stats.UNDECIDED else "",
        "units": " ".join(part.units),
    }
