"""Every claim of the sources about an outcome, cut into parts, and every sentence about how something was done.

A claim is a sentence of ``data/thesis/statements.csv``, which has the quotation and its place; here is what would
make it true. How a claim is cut into parts is our reading. A positive effect means that the first group of a part is
stronger. Sentences about how something was done are *designs* (:mod:`wslib.study.claims.designs`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from wslib.study.claims.choices import AtLeastOne, BestDiffers, Field, Spec, Unclear
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
from wslib.study.claims.evidence import Evidence
from wslib.study.claims.orientation import HALF
from wslib.study.claims.parts import (
    diversity_part,
    longer_part,
    nearly_always,
    orientation_parts,
    plies_part,
    quicker_part,
    rhea_parts,
    rising_part,
    sooner_parts,
    switch_parts,
    untrained_orderings,
)
from wslib.study.claims.specs import NOT_DESIGNED, LargerGain, Level, Ordering, Part, Spread
from wslib.study.names import board_name, method_name
from wslib.study.pages.warm import ENHANCEMENTS
from wslib.study.statistics.decide import MOST, NEARLY_ALL, UNDECIDABLE

Check = Callable[[Evidence], Sequence[Any]]
"""Gives parts, or what becomes one by ``of_claim``."""


@dataclass(frozen=True)
class Claim:
    """A sentence of the sources about an outcome: how we read it, and the parts that would make it true."""

    id: str
    says: str
    page: str
    orderings: tuple[Spec, ...] = ()
    """Parts about rated runs."""
    check: Check | None = None
    """All other parts."""
    enough: float = 1.0
    """The share of its parts that has to hold."""
    besides: Check | None = None
    """Parts that have to hold whatever share of the others does."""


def above(
    experiment: str, boards: Sequence[str], firsts: Sequence[str], seconds: Sequence[str], claim: str = "higher"
) -> tuple[Ordering, ...]:
    """Every one of the first kinds above every one of the second, in each of these games."""
    return tuple(Ordering(experiment, board, a, b, claim) for board, a, b in product(boards, firsts, seconds) if a != b)


def _ws(boards: str, firsts: str, seconds: str, claim: str = "higher") -> tuple[Ordering, ...]:
    return above("warmstart", boards.split(), firsts.split(), seconds.split(), claim)


def _avf(boards: str, firsts: Sequence[str], seconds: Sequence[str]) -> tuple[Ordering, ...]:
    return above("adaptive_vs_fixed", boards.split(), firsts, seconds)


def _some_combination(experiment: str, boards: str, kind: str = "{}") -> tuple[AtLeastOne, ...]:
    """In each of these games one combination at least is above Baseline."""
    combined = [kind.format(method) for method in ("rora", "wro", "wrora")]
    return tuple(
        AtLeastOne(f"{board_name(b)}: a combination > Baseline", above(experiment, [b], combined, ["baseline"]))
        for b in boards.split()
    )


LENGTHS = (1, 3, 5, 7, 9)
GAMES = "gobang connect4 othello"
ALL = " ".join(ENHANCEMENTS)
TOGETHER = "+".join(ENHANCEMENTS)
OTHERS = "baseline rollout rave rora wro"
ADAPTIVE = [f"{m} adaptive" for m in ENHANCEMENTS]
FIXED = [f"{m} fixed" for m in ENHANCEMENTS]
PAIRED = tuple(
    Ordering("adaptive_vs_fixed", board, f"{m} adaptive", f"{m} fixed")
    for board, m in product(("connect4", "othello"), ENHANCEMENTS)
)
POOLED = tuple(Ordering("warmstart", board, TOGETHER, "baseline") for board in GAMES.split())
"""All runs with a warm start against Baseline's, game by game: in no claim, and so in no family of tests."""
WARM_BETTER = (
    *_ws("gobang connect4", ALL, "baseline"),
    *_ws("othello", "rave rora wro wrora", "baseline"),
    *_ws("othello", "rollout", "baseline", "same"),
)
WRORA_BEST = _ws(GAMES, "wrora", OTHERS)
NONE_ABOVE_WRORA = _ws(GAMES, OTHERS, "wrora", "not higher")
SEVEN_BEST = tuple(
    Ordering("iprime", "connect4", f"{method} 7", f"{method} {other}", pool=method)
    for method, other in product(("rave", "wrora"), (1, 3, 5, 9))
)
OTHERS_UNCLEAR = tuple(
    Unclear(
        f"{method_name(method)}: no length is clearly the best",
        Field("iprime", "connect4", tuple(f"{method} {length}" for length in LENGTHS), method),
    )
    for method in ("rollout", "rora", "wro")
)
DIFFERENT_BEST = BestDiffers(
    "the best enhancement differs from game to game",
    tuple(Field("warmstart", board, tuple(ENHANCEMENTS)) for board in GAMES.split()),
)


# --- parts without training -----------------------------------------------------------------------------------------

BEATING = ("Rollout", "RoRa", "WRo", "WRoRa")


def _untrained(board: str, *pairs: str) -> tuple[str, ...]:
    return tuple(f"{board_name(board)}: {pair}" for pair in pairs)


def _weakest_rave(board: str) -> tuple[str, ...]:
    """All but RAVE beat Baseline, and RAVE is the weakest."""
    return _untrained(board, *(f"{m} > Baseline" for m in BEATING), *(f"{m} > RAVE" for m in BEATING))


def _strongest(board: str, best: str) -> tuple[str, ...]:
    return _untrained(board, *(f"{best} > {m}" for m in BEATING if m != best))


def _named(*names: str, negated: bool = False) -> Check:
    return lambda evidence: untrained_orderings(evidence, names, negated)


def _othello_untrained(evidence: Evidence) -> list[Any]:
    highest = [f"{method_name(m)}: Othello > {game}" for game in ("Connect Four", "Gobang") for m in ENHANCEMENTS]
    names = (*_weakest_rave("othello"), *_untrained("othello", "RAVE > Baseline"), *highest)
    return [
        *untrained_orderings(evidence, names),
        *nearly_always(evidence, "othello", ("rollout", "rora", "wro", "wrora")),
    ]


def _rhea_steady(evidence: Evidence) -> list[Any]:
    return [
        *rhea_parts(evidence, lambda changed: changed not in (HALF, "n = 1"), ordering=False),
        *rhea_parts(evidence, lambda changed: changed in (HALF, "n = 1"), ordering=True),
    ]


def _not_designed(name: str, why: str) -> Check:
    """A part that none of our experiments has runs for, nor the sources'."""
    return lambda evidence: [Part(name, UNDECIDABLE, f"{NOT_DESIGNED}: {why}")]


# --- the sentences --------------------------------------------------------------------------------------------------

CLAIMS: tuple[Claim | Design, ...] = (
    Claim("1", "Without a network RAVE > MCTS > RHEA > random in nearly all cases; in Othello RHEA is not above random "
          "play", "orientation", check=lambda e: orientation_parts(e, False), enough=NEARLY_ALL,
          besides=lambda e: orientation_parts(e, True)),
    Claim("2", "Untrained, every enhancement but RAVE beats Baseline; RAVE is the weakest everywhere (though above "
          "half in Othello); WRoRa is the strongest in Connect Four, RoRa in Gobang; win rates are highest in Othello "
          "and lower in Gobang", "untrained", check=untrained_orderings),
    Claim("3", "A warm start ends higher than Baseline in Gobang and Connect Four; in Othello all but Rollout do",
          "warmstart", WARM_BETTER),
    Claim("4", "WRoRa is the best, or among the best, in every game", "warmstart", NONE_ABOVE_WRORA),
    Claim("5", "I' = 7 is the best fixed length for RAVE and WRoRa in Connect Four; for the others it is unclear; "
          "different games need different lengths", "iprime", (*SEVEN_BEST, *OTHERS_UNCLEAR),
          _not_designed("the best lengths differ between games", "lengths are varied in Connect Four alone")),
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
    Claim("S14", "WRoRa above all others in every game", "warmstart", WRORA_BEST),
    Claim("S15", "WRoRa above Baseline in every game", "warmstart", _ws(GAMES, "wrora", "baseline")),
    Claim("S16", "RAVE > MCTS > RHEA > random in nearly all cases", "orientation",
          check=lambda e: orientation_parts(e, exception=False), enough=NEARLY_ALL),
    Claim("S17", "Othello: RHEA not above random play", "orientation",
          check=lambda e: orientation_parts(e, exception=True)),
    Design("S18", "49 entrants, full round robin, 20 games a pair", "warmstart", tournament("warmstart", 49)),
    Design("S19", "I' = 5, 100 iterations, 8 runs, Table 5.2", "warmstart", warmstart_scale),
    Claim("S20", "6×6 Othello needs 32 plies", "orientation", check=lambda e: [plies_part(e, "othello", 32)]),
    Design("S21", "RHEA: horizon 10, population 10, mutation 0.2, n = 2, 50 individuals", "searches", rhea_design),
    Claim("S22", "RHEA with 50 rollouts is weaker than with 100", "orientation",
          check=lambda e: rhea_parts(e, lambda changed: changed == HALF, ordering=True)),
    Claim("S23", "In every game a combination above Baseline; which enhancement is the best depends on the game",
          "warmstart", (*_some_combination("warmstart", GAMES), DIFFERENT_BEST)),
    Claim("S24", "In half of the cases or more, Rollout or RAVE alone is not above Baseline", "warmstart",
          _ws(GAMES, "rollout rave", "baseline", "not higher"), enough=MOST),
    Claim("S25", "Those that work with the network's value, WRo and WRoRa, above the others in most games", "warmstart",
          _ws(GAMES, "wro+wrora", "rollout+rave+rora"), enough=2 / 3),
    Claim("S26", "Warm starts gain more in Connect Four and Gobang, which have good static openings, than in Othello",
          "warmstart", tuple(LargerGain("warmstart", board, "othello") for board in ("connect4", "gobang"))),
    Claim("S27", "Most enhancements above Baseline, over the three games", "warmstart", _ws(GAMES, ALL, "baseline"),
          enough=8 / 15),
    Claim("S28", "Variants with RAVE (RAVE, RoRa, WRoRa) above those without, in every game", "warmstart",
          _ws(GAMES, "rave+rora+wrora", "rollout+wro")),
    Claim("S29", "Othello: RoRa not above its parts", "warmstart",
          _ws("othello", "rora", "rollout rave", "not higher")),
    Claim("S30", "Untrained, Connect Four: WRoRa highest, RAVE lowest, all but RAVE above 50 %", "untrained",
          check=_named(*_weakest_rave("connect4"), *_strongest("connect4", "WRoRa"))),
    Claim("S31", "Untrained, Gobang: RoRa highest, RAVE lowest, all but RAVE above 50 %; lower than in Connect Four",
          "untrained", check=_named(*_weakest_rave("gobang"), *_strongest("gobang", "RoRa"),
                                    "all five: Connect Four > Gobang")),
    Claim("S32", "Untrained, Othello: all above 50 % and higher than elsewhere, RAVE lowest, the others nearly 100 %",
          "untrained", check=_othello_untrained),
    Claim("S33", "Connect Four: I' = 7 is best for RAVE and WRoRa, and unclear for the others", "iprime",
          (*SEVEN_BEST, *OTHERS_UNCLEAR)),
    Claim("S34", "Connect Four: every fixed and adaptive player above Baseline", "adaptive_vs_fixed",
          _avf("connect4", FIXED + ADAPTIVE, ["baseline"])),
    Claim("S35", "Othello: every fixed and adaptive player above Baseline", "adaptive_vs_fixed",
          _avf("othello", FIXED + ADAPTIVE, ["baseline"])),
    Claim("S36", "Adaptive above fixed I' = 5, each enhancement, both games", "adaptive_vs_fixed", PAIRED),
    Claim("S37", "Connect Four: adaptive WRo and RoRa are the top two", "adaptive_vs_fixed", _avf(
        "connect4", ["wro adaptive", "rora adaptive"], ["rollout adaptive", "rave adaptive", "wrora adaptive"])),
    Claim("S38", "Othello: adaptive WRoRa is best", "adaptive_vs_fixed", _avf("othello", ["wrora adaptive"], ADAPTIVE)),
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
    Claim("S46", "Adaptive warm starts last longer on larger boards", "adaptive", check=_not_designed(
        "larger boards: later switches", "all boards of the study have one size")),
    Claim("S47", "Adaptive over fixed gains more in Othello and Connect Four than in Gobang", "adaptive_vs_fixed",
          tuple(LargerGain("adaptive_vs_fixed", board, "gobang", "+".join(ADAPTIVE), "+".join(FIXED))
                for board in ("othello", "connect4"))),
    Claim("S48", "With two different players more networks are accepted early", "adaptive_vs_fixed",
          check=lambda e: [quicker_part(e)]),
    Claim("S49", "Gobang: games get longer as the network learns", "warmstart",
          check=lambda e: [longer_part(e, "gobang")]),
    Claim("S50", "With the adaptive switch, too, a combination above Baseline in each game", "adaptive_vs_fixed",
          _some_combination("adaptive_vs_fixed", "connect4 othello", "{} adaptive")),
    Claim("T1", "Warm starts gain more in Othello and Connect Four, the deeper games, than in Gobang", "warmstart",
          tuple(LargerGain("warmstart", board, "gobang") for board in ("othello", "connect4"))),
    Claim("T2", "Two different players give more diverse training data", "adaptive_vs_fixed",
          check=lambda e: [diversity_part(e)]),
    Claim("T3", "RAVE helps only after some iterations", "untrained", _ws("connect4 gobang", "rave", "baseline"),
          _named(*(f"{game}: RAVE > Baseline" for game in ("Connect Four", "Gobang")), negated=True)),
    Claim("T4", "RHEA's parameters hardly matter, but rollouts do; n = 2 is steadier", "orientation",
          check=_rhea_steady),
    Design("T5", "The enhancements against each other (announced, not shown)", "untrained", each_other),
)  # fmt: skip
"""The seven claims, the sentences with a number or an ordering (S…), and five more (T…)."""


def family(experiment: str) -> tuple[Spec, ...]:
    """Everything that claims say about the rated runs of an experiment: what Holm's correction runs over."""
    return tuple(dict.fromkeys(
        spec for claim in CLAIMS if isinstance(claim, Claim) for spec in claim.orderings
        if spec.experiment == experiment
    ))  # fmt: skip
