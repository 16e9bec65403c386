"""The parts of claims that are not orderings of rated runs: matches without training, switches, lengths, diversity.

For players without training the unit is the game, for all else the run. Each function answers with parts, without data
where there are none. A positive strength means that the claimed side is ahead.
"""

from collections.abc import Callable, Sequence
from itertools import product
from math import ceil

import numpy as np
import pandas as pd
from scipy.special import ndtri

from wslib.study.claims.evidence import Evidence, Ordering, Part, Spec, judged, part_of
from wslib.study.engine.store import thesis_table
from wslib.study.report import adaptive, orientation, untrained, warm
from wslib.study.report.look import board_name, method_name, percent
from wslib.study.statistics import stats
from wslib.study.statistics.verdicts import FEWEST_RUNS, Comparison, Verdict, verdict

NEARLY_ALWAYS = 0.9
"""Win rate that "nearly always wins" is taken to mean."""
POINTS = "{:.1f} % ({:.1f} to {:.1f})"
SEVEN_BEST = tuple(
    Ordering("iprime", "connect4", f"{method} 7", f"{method} {other}", pool=method)
    for method, other in product(("rave", "wrora"), (1, 3, 5, 9))
)
"""What the thesis says of the lengths: seven is better than the others, for two enhancements."""


# --- players without training: the game is the unit ---------------------------------------------------------------


def games_needed(
    effect: float, low: float, high: float, games: int, tests: int = 1, margin: float | None = None
) -> int | None:
    """Games after which a normal test sees such an effect with a power of 80 %, after Holm's strictest step.

    With a ``margin`` fewer are enough where the interval comes to lie below it sooner.

    >>> games_needed(effect=0.1, low=0.0, high=0.2, games=100)
    205
    >>> games_needed(effect=-0.01, low=-0.11, high=0.09, games=100, margin=0.03)
    1278
    """
    error = (high - low) / 2 / ndtri(1 - stats.ALPHA / 2)
    ways = [(effect, tests)] + ([(margin - effect, 1)] if margin is not None and effect < margin else [])
    known = [
        ceil(games * ((ndtri(1 - stats.ALPHA / 2 / number) + ndtri(0.8)) * error / distance) ** 2)
        for distance, number in ways
        if distance and error
    ]
    return min((number for number in known if number <= stats.MOST), default=None)


def _rate(low: float, score: float, high: float) -> str:
    return POINTS.format(*(100 * value for value in (score, low, high)))


def orientation_parts(evidence: Evidence, exception: bool) -> list[Part]:
    """Claim 1's orderings, or its exception."""
    table = evidence.frame("orientation", "table")
    if table.empty:
        return [Part("RHEA against random in Othello" if exception else "RAVE > MCTS > RHEA > random", of="games")]
    claim = orientation.claim_1(table)
    sign = "not above" if exception else ">"
    parts = []
    for r in claim[claim["exception"] == exception].itertuples():
        wins, draws, losses = r.counts
        parts.append(
            Part(
                f"{board_name(r.board)}: {method_name(r.strong)} {sign} {method_name(r.weak)}",
                r.verdict,
                _rate(r.interval.low, r.score, r.interval.high),
                (r.games,),
                "games",
                stats.games_to_decide(wins, draws, losses, tests=len(claim)),
                (0.5 - r.score) if exception else r.score - 0.5,
                (r.unit,),
            )
        )
    return parts


def rhea_parts(evidence: Evidence, changes: Callable[[str], bool], ordering: bool) -> list[Part]:
    """RHEA with some parameters changed: as the thesis has it, it is stronger (``ordering``), or no different."""
    matches = evidence.frame("orientation", "rhea")
    if matches.empty:
        return [Part("RHEA's parameters", of="games")]
    parts = []
    rows = orientation.rhea_changes(matches, evidence.frame("orientation", "table"))
    for r in rows.itertuples():
        if not changes(r.changed):
            continue
        # The matches are of the changed RHEA against the usual one; the claim is about the usual one.
        score, low, high = 1 - r.score, 1 - r.high, 1 - r.low
        if ordering:
            word, sign = stats.ordering_verdict(score, stats.Interval(low, high), r.p_holm), ">"
        else:
            word, sign = same_verdict(low - 0.5, high - 0.5), "as strong as with"
        strength = score - 0.5 if ordering else -abs(score - 0.5)
        far = score - 0.5 if ordering else stats.SAME - abs(score - 0.5)
        needed = games_needed(far, low, high, r.games, *((len(rows), stats.SAME) if ordering else ()))
        name = f"{board_name(r.board)}: RHEA {sign} {r.changed}"
        parts.append(Part(name, word, _rate(low, score, high), (r.games,), "games", needed, strength, (r.unit,)))
    return parts


def same_verdict(low: float, high: float) -> str:
    """The rule for "no difference" on win rates: the interval within ±3 points, or outside."""
    if abs(low) < stats.SAME and abs(high) < stats.SAME:
        return stats.REPLICATED
    return stats.NOT_REPLICATED if low > stats.SAME or high < -stats.SAME else stats.UNDECIDED


def untrained_orderings(evidence: Evidence) -> dict[tuple[str, str], Part]:
    """Claim 2's orderings and those that other sentences add, by game and name."""
    matches = evidence.frame("untrained")
    if matches.empty:
        return {}
    cells = untrained.against_baseline(matches, thesis_table("table_6_1"))
    found = untrained.orderings(cells)
    games, units = int(cells["games"].min()), cells.groupby("board")["unit"].agg(tuple)
    parts = {}
    for r in found.itertuples():
        low, high = r.interval
        needed = games_needed(r.ours - r.other, low, high, games, len(found), stats.SAME)
        effect = "{:+.1f} points ({:+.1f} to {:+.1f})".format(
            *(100 * (v - 0.5) for v in (0.5 + r.ours - r.other, *r.interval))
        )
        about = f"{board_name(r.board)}: {r.claimed}" if ":" not in r.claimed else r.claimed
        parts[r.board, r.claimed] = Part(
            f"untrained, {about}", r.verdict, effect, (games,), "games", needed, r.ours - r.other, units[r.board]
        )
    return parts


def nearly_always(evidence: Evidence, board: str, methods: Sequence[str]) -> list[Part]:
    """Untrained, these win nearly all games against Baseline: the interval lies above 90 %."""
    parts = []
    matches = evidence.frame("untrained")
    cells = untrained.against_baseline(matches, thesis_table("table_6_1")) if len(matches) else matches
    for method in methods:
        name = f"untrained, {board_name(board)}: {method_name(method)} wins nearly always"
        found = cells[(cells["board"] == board) & (cells["a"] == method)] if len(cells) else cells
        if found.empty:
            parts.append(Part(name, of="games"))
            continue
        r = next(found.itertuples())
        word = stats.REPLICATED if r.low > NEARLY_ALWAYS else stats.UNDECIDED
        word = stats.NOT_REPLICATED if r.high < NEARLY_ALWAYS else word
        needed = games_needed(r.score - NEARLY_ALWAYS, r.low, r.high, int(r.games))
        parts.append(Part(name, word, _rate(r.low, r.score, r.high), (int(r.games),), "games", needed,
                          r.score - NEARLY_ALWAYS, (r.unit,)))  # fmt: skip
    return parts


# --- the adaptive switch ------------------------------------------------------------------------------------------


def switch_parts(evidence: Evidence, only: str = "") -> list[Part]:
    """Claim 6 in the parts of its page; ``only`` those whose name begins so."""
    frame = evidence.frame("adaptive")
    frame = frame[frame["scale"] == evidence.scale] if len(frame) else frame
    if frame.empty:
        return [Part(only or "warm starts end early")]
    claim = adaptive.claim_6(frame, evidence.scale)
    units, found = tuple(frame["unit"]), []
    for row in claim[claim["claim"].str.startswith(only)].to_dict("records"):
        word = row["verdict"] if row["runs"] >= FEWEST_RUNS else stats.UNDECIDED
        found.append(Part(row["claim"], word, row["found"], (row["runs"],), units=units))
    return found or [Part(only)]


def sooner_parts(evidence: Evidence, methods: Sequence[str], length: int) -> list[Part]:
    """Adaptive warm starts are shorter than the tuned fixed one: most runs switch before its length."""
    frame, parts = evidence.frame("adaptive"), []
    for method in methods:
        name = f"Connect Four: {method_name(method)} switches before iteration {length}"
        runs = frame[(frame["board"] == "connect4") & (frame["kind"] == method) & (frame["scale"] == evidence.scale)
                     ] if len(frame) else frame  # fmt: skip
        if runs.empty:
            parts.append(Part(name))
            continue
        hits = int((runs["switch_iteration"] < length).sum())
        low, high = stats.wilson(hits, 0, len(runs) - hits)
        word = stats.REPLICATED if low > 0.5 else stats.NOT_REPLICATED if high < 0.5 else stats.UNDECIDED
        word = word if len(runs) >= FEWEST_RUNS else stats.UNDECIDED
        effect = f"{hits} of {len(runs)} runs ({100 * low:.0f} to {100 * high:.0f} %)"
        parts.append(Part(name, word, effect, (len(runs),), strength=hits / len(runs), units=tuple(runs["unit"])))
    return parts


def rising_part(evidence: Evidence, board: str) -> Part:
    """The default search gains on the enhancement: its score in the later half before the switch, minus the earlier.

    The iteration of the switch itself is left out: its balance is positive because it is the switch.
    """
    name = f"{board_name(board)}: the default search's score rises before the switch"
    table = evidence.tables.get("adaptive", pd.DataFrame())
    if table.empty:
        return Part(name)
    here = table[(table["board"] == board) & (table["scale"] == evidence.scale) & ~(table["balance"] > 0)]
    gains, units = [], []
    for unit, run in here.sort_values("iteration").groupby("unit", sort=False):
        games = run[["first_wins", "draws", "first_losses"]].sum(axis=1)
        scores, half = 0.5 + (run["balance"] / games / 2).to_numpy(), len(run) // 2
        if half:
            gains.append(float(np.mean(scores[-half:]) - np.mean(scores[:half])))
            units.append(str(unit))
    if not gains:
        return Part(name)
    return part_of(name, verdict(Comparison(name, np.array(gains) + 0.5, scale="score")), "score", tuple(units))


def diversity_part(evidence: Evidence) -> Part:
    """Two different players make more different games: distinct games of the first iteration, adaptive minus fixed."""
    name = "distinct games of iteration 1: a match of two searches > self-play of one"
    table = evidence.tables.get("adaptive_vs_fixed", pd.DataFrame())
    if table.empty:
        return Part(name)
    # The kind names how the warm start ends, as in "rora adaptive"; the table's own column `switch` is another thing.
    how = table["kind"].str.rsplit(" ", n=1).str[-1]
    first = table.assign(how=how)[(table["iteration"] == 1) & how.isin(["fixed", "adaptive"])]
    share = first["distinct"] / first[["first_wins", "draws", "first_losses"]].sum(axis=1)
    wide = first.assign(share=share).pivot_table(index=["board", "method", "seed"], columns="how", values="share")
    wide = wide.reindex(columns=["adaptive", "fixed"]).dropna()
    if wide.empty:
        return Part(name)
    units = tuple(first["unit"].unique())
    if (wide == 1).all(axis=None):
        saturated = "all games are distinct on both sides, so this measure cannot tell"
        return Part(name, effect=saturated, runs=(len(wide), len(wide)), units=units)
    comparison = Comparison(name, wide["adaptive"], wide["fixed"], scale="score", paired=True)
    return part_of(name, verdict(comparison), "score", units)


def length_part(evidence: Evidence, methods: Sequence[str], lengths: Sequence[int]) -> Part:
    """Claim 5, as its page has it: enhancements differ in their best length."""
    name = "the best lengths differ between enhancements"
    elos = evidence.elos.get("iprime")
    if elos is None:
        return Part(name)
    present = [m for m in methods if warm.best_length(elos, m)]
    if not present:
        return Part(name)
    found = list(lengths_judged(elos, methods, lengths).values())
    best = ", ".join(f"{method_name(m)} {str(warm.best_length(elos, m)).split()[1]}" for m in present)
    fewest = min((min(v.runs) for v in found), default=0)
    units = tuple(elos["unit"].dropna().unique()) if "unit" in elos else ()
    needed = max((v.needed for v in found if v.needed), default=None)
    return Part(name, warm.length_verdict(elos, found, methods), f"best observed: {best}", (fewest,), "runs", needed,
                units=units)  # fmt: skip


def lengths_compared(elos: pd.DataFrame, methods: Sequence[str], lengths: Sequence[int]) -> list[Ordering]:
    """The best observed length of every enhancement against its other lengths, each in its own pool."""
    return [
        Ordering("iprime", board, best, f"{method} {length}", pool=method)
        for board in dict.fromkeys(elos["board"])
        for method in methods
        if (best := warm.best_length(elos, method))
        for length in lengths
        if best != f"{method} {length}"
    ]


def lengths_judged(elos: pd.DataFrame, methods: Sequence[str], lengths: Sequence[int]) -> dict[Spec, Verdict]:
    """Verdicts on these, corrected together with the lengths that the thesis calls best."""
    compared = lengths_compared(elos, methods, lengths)
    found = judged([*SEVEN_BEST, *compared], elos)
    return {spec: found[spec] for spec in compared if spec in found}


def plies_part(evidence: Evidence, board: str, claimed: int) -> Part:
    """A game needs so many plies: the most frequent length in our matches."""
    name = f"{board_name(board)} needs {claimed} plies"
    table = evidence.tables.get("orientation", pd.DataFrame())
    here = table[(table["board"] == board) & (table["part"] == "table")] if len(table) else table
    if here.empty:
        return Part(name, of="games")
    usual, mean = int(here["plies"].mode().iloc[0]), here["plies"].mean()
    share = (here["plies"] == usual).mean()
    word = stats.REPLICATED if usual == claimed else stats.NOT_REPLICATED
    effect = f"most often {usual} ({percent(share)} % of the games), mean {mean:.1f}; passes are plies"
    return Part(name, word, effect, (len(here),), "games", units=tuple(here["unit"].unique()))
