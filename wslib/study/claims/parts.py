"""The parts of claims that are not orderings of rated runs: matches without training, switches, lengths, diversity.

For players without training the unit is the game, for all else the run. Each function answers with parts, without data
where there are none. A positive strength means that the claimed side is ahead.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from wslib.study.claims import adaptive, orientation, untrained
from wslib.study.claims.evidence import Evidence
from wslib.study.claims.specs import Part, part_of
from wslib.study.engine.store import thesis_table
from wslib.study.names import board_name, method_name, percent
from wslib.study.statistics import decide, stats
from wslib.study.statistics.compare import Comparison, GamesTested, games_needed, verdicts
from wslib.study.statistics.decide import MEASURES

BOARDS = ("connect4", "othello", "gobang")
FIRST = 10
"""Iterations at a run's beginning, or at its end, that claims about learning are measured in."""


# --- players without training: the game is the unit ---------------------------------------------------------------


@dataclass(frozen=True)
class OfGames:
    """Something that a claim says of players without training; it becomes a part by the number of parts."""

    tested: GamesTested
    units: tuple[str, ...]
    rate: bool = False
    """Whether a win rate is shown, and not a difference of two."""

    @property
    def name(self) -> str:
        return self.tested.name

    def of_claim(self, judged: object, parts: int = 1) -> Part:
        """This as one of so many parts of a claim."""
        answer = self.tested.verdict(parts)
        part = part_of(answer, self.tested.claim == "same", 0.5 if self.rate else 0.0, "games", self.units)
        if self.rate:
            low, high = (MEASURES["score"].bound(bound, 0.5).lstrip("+") for bound in answer.interval or (0, 0))
            part = part._replace(effect=f"{100 * (0.5 + answer.effect):.1f} % ({low} to {high})",
                                 together=part.together.replace("+", ""))  # fmt: skip
        return part._replace(strength=-answer.effect) if self.tested.claim == "not higher" else part


Found = list[Part | OfGames]


def orientation_parts(evidence: Evidence, exception: bool) -> Found:
    """Claim 1's orderings, or its exception."""
    table = evidence.frame("orientation", "table")
    if table.empty:
        return [Part("RHEA against random in Othello" if exception else "RAVE > MCTS > RHEA > random", of="games")]
    claim = orientation.claim_1(table)
    orderings = zip(claim["exception"], orientation.tested(claim), claim["unit"], strict=True)
    found: Found = [OfGames(tested, (unit,), rate=True) for which, tested, unit in orderings if which == exception]
    wanted = 1 if exception else len(BOARDS) * len(orientation.CLAIMED) - 1
    return found + [Part("a match of Table 5.1", of="games")] * (wanted - len(found))


def rhea_parts(evidence: Evidence, changes: Callable[[str], bool], ordering: bool) -> Found:
    """RHEA with some parameters changed: as the thesis has it, it is stronger (``ordering``), or no different."""
    matches = evidence.frame("orientation", "rhea")
    if matches.empty:
        return [Part("RHEA's parameters", of="games")]
    rows = orientation.rhea_changes(matches, evidence.frame("orientation", "table"))
    parts: Found = []
    for r in (row for row in rows.itertuples() if changes(row.changed)):
        # The matches are of the changed RHEA against the usual one; the claim is about the usual one.
        name = f"{board_name(r.board)}: RHEA {'>' if ordering else 'as strong as with'} {r.changed}"
        interval = partial(orientation.around_half, (r.losses, r.draws, r.wins))
        tested = GamesTested(name, 0.5 - r.score, interval, r.p_holm, r.games, len(rows),
                             "higher" if ordering else "same")  # fmt: skip
        parts.append(OfGames(tested, (r.unit,), rate=True))
    return parts


def untrained_orderings(evidence: Evidence, names: Sequence[str] | None = None, negated: bool = False) -> Found:
    """Orderings of Table 6.1 by name, all of claim 2's without one; ``negated``: "not above" is claimed."""
    cells, units = _table_6_1(evidence)
    claim = untrained.orderings(cells) if len(cells) else pd.DataFrame({"name": []})
    parts: Found = []
    for r, tested in zip(claim.itertuples(), untrained.tested(claim), strict=True):
        if r.name in names if names is not None else r.about:
            if negated:
                tested = replace(tested, name=tested.name.replace(">", "not above"), claim="not higher")
            parts.append(OfGames(tested, units[r.board], rate=r.second is None))
    if names is None and len(units) < len(BOARDS):
        names = [f"Table 6.1 in {board_name(board)}" for board in BOARDS if board not in units]
    return parts + [Part(f"untrained, {name}", of="games") for name in names or () if name not in set(claim["name"])]


def _table_6_1(evidence: Evidence) -> tuple[pd.DataFrame, dict[str, tuple[str, ...]]]:
    """The cells of Table 6.1 in those games in which all are there, and their units by game."""
    matches = evidence.frame("untrained")
    if matches.empty or not (matches["part"] == "matrix").any():
        return pd.DataFrame(), {}
    cells = untrained.against_baseline(matches, thesis_table("table_6_1"))
    whole = cells.groupby("board")["a"].transform("nunique") == len(untrained.ENHANCEMENTS)
    cells = cells[whole].reset_index(drop=True)
    return cells, {str(board): tuple(group["unit"]) for board, group in cells.groupby("board")}


@dataclass(frozen=True)
class NearlyAlways:
    """A player wins nearly all games: the interval lies above 90 %."""

    name: str
    counts: tuple[int, int, int]
    units: tuple[str, ...]

    def of_claim(self, judged: object, parts: int = 1) -> Part:
        """This as one of so many parts of a claim."""
        games, score, limit = sum(self.counts), stats.score(*self.counts), decide.NEARLY_ALL
        interval, together = (stats.wilson(*self.counts, confidence=1 - stats.ALPHA / n) for n in (1, parts))
        needed = games_needed(score - limit, *interval, games)
        shown, wide = (
            " to ".join(decide.bound_text(100 * bound, [100 * limit], 1) for bound in both)
            for both in (interval, together)
        )
        effect = f"{percent(score)} % ({shown})"
        word = decide.above(interval, limit, together)
        return Part(self.name, word, effect, (games,), "games", needed, score - limit, self.units, wide)


def nearly_always(evidence: Evidence, board: str, methods: Sequence[str]) -> "list[Part | NearlyAlways]":
    """Untrained, these win nearly all games against Baseline."""
    cells, _ = _table_6_1(evidence)
    here = {r.a: r for r in cells[cells["board"] == board].itertuples()} if len(cells) else {}
    names = {method: f"untrained, {board_name(board)}: {method_name(method)} wins nearly always" for method in methods}
    return [
        NearlyAlways(name, (here[m].wins, here[m].draws, here[m].losses), (here[m].unit,))
        if m in here
        else Part(name, of="games")
        for m, name in names.items()
    ]


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
        runs = (row["runs"],) if row["runs"] else ()
        found.append(Part(row["claim"], row["verdict"], row["found"], runs, units=units if runs else ()))
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
        hits, number = int((runs["switch_iteration"] < length).sum()), len(runs)
        low, high = (decide.bound_text(100 * bound, [50]) for bound in stats.wilson(hits, 0, number - hits))
        effect = f"{hits} of {number} runs ({low} to {high} %)"
        word = decide.most(hits, number, len(methods))
        parts.append(Part(name, word, effect, (number,), strength=hits / number, units=tuple(runs["unit"])))
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
    return _alone(Comparison(name, np.array(gains) + 0.5, scale="score"), tuple(units))


def _alone(comparison: Comparison, units: tuple[str, ...]) -> Part:
    """A part that is tested by itself, in no family."""
    (answer,) = verdicts([comparison])
    return part_of(answer, units=units)


def diversity_part(evidence: Evidence) -> Part:
    """Two different players make more different games: distinct games of the first iteration, adaptive minus fixed."""
    name = "distinct games of iteration 1: a match of two searches > self-play of one"
    games = ["first_wins", "draws", "first_losses"]
    return _adaptive_minus_fixed(evidence, name, 1, lambda table: table["distinct"] / table[games].sum(axis=1))


def quicker_part(evidence: Evidence) -> Part:
    """With two players the network improves more quickly: accepted networks, adaptive minus fixed."""
    name = f"accepted of the first {FIRST} networks: a match of two searches > self-play of one"
    return _adaptive_minus_fixed(evidence, name, FIRST, lambda table: table["accepted"].astype(float))


def _adaptive_minus_fixed(
    evidence: Evidence, name: str, last: int, measure: Callable[[pd.DataFrame], pd.Series]
) -> Part:
    """A share in the iterations up to ``last``, their mean, of the runs of Fig. 6.3 that have both ends.

    A pair of runs by game, enhancement and seed.
    """
    table = evidence.tables.get("adaptive_vs_fixed", pd.DataFrame())
    if table.empty:
        return Part(name)
    first = table[(table["iteration"] <= last) & table["ends"].isin(["fixed", "adaptive"])]
    keys = ["board", "method", "seed"]
    wide = first.assign(value=measure(first)).pivot_table(index=keys, columns="ends", values="value")
    wide, units = wide.reindex(columns=["adaptive", "fixed"]).dropna(), tuple(first["unit"].unique())
    if wide.empty:
        return Part(name)
    if (wide == 1).all(axis=None):
        saturated = "the share is 100 % on both sides everywhere, so that this measure cannot tell"
        return Part(name, effect=saturated, runs=(len(wide), len(wide)), units=units)
    return _alone(Comparison(name, wide["adaptive"], wide["fixed"], scale="score", paired=True), units)


def longer_part(evidence: Evidence, board: str) -> Part:
    """Games get longer as the network learns: mean plies of the last ten iterations minus those of the first ten."""
    name = f"{board_name(board)}: games get longer"
    table = evidence.tables.get("warmstart", pd.DataFrame())
    here = table[(table["board"] == board) & (table["part"] == "run")] if len(table) else table
    here = here[here.groupby("unit")["iteration"].transform("max") >= 2 * FIRST] if len(here) else here
    if here.empty:
        return Part(name)
    last = here.groupby("unit")["iteration"].transform("max") - FIRST
    gains = (here[here["iteration"] > last].groupby("unit")["plies_mean"].mean()
             - here[here["iteration"] <= FIRST].groupby("unit")["plies_mean"].mean())  # fmt: skip
    low, high = stats.mean_interval(gains) if len(gains) >= decide.FEWEST_SHOWN else (-np.inf, np.inf)
    word = decide.above(stats.Interval(low, high), 0.0) if len(gains) >= decide.FEWEST_RUNS else decide.UNDECIDED
    shown = " ({} to {})".format(*(decide.bound_text(bound, [0], 1, "+") for bound in (low, high)))
    shown = shown if np.isfinite(low) else ""
    return Part(name, word, f"{gains.mean():+.1f} plies{shown}", (len(gains),), strength=float(gains.mean()),
                units=tuple(gains.index))  # fmt: skip


def plies_part(evidence: Evidence, board: str, claimed: int) -> Part:
    """A game needs so many plies: the most frequent length in our matches."""
    name = f"{board_name(board)} needs {claimed} plies"
    table = evidence.tables.get("orientation", pd.DataFrame())
    here = table[(table["board"] == board) & (table["part"] == "table")] if len(table) else table
    if here.empty:
        return Part(name, of="games")
    usual, mean = int(here["plies"].mode().iloc[0]), here["plies"].mean()
    share = (here["plies"] == usual).mean()
    word = decide.REPLICATED if usual == claimed else decide.OPPOSITE
    effect = f"most often {usual} ({percent(share)} % of the games), mean {mean:.1f}; passes are plies"
    return Part(name, word, effect, (len(here),), "games", units=tuple(here["unit"].unique()))
