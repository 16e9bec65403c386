"""Claim 1 and RHEA's parameters: orderings of players without training, by the game.

Frames have a row per match with its labels (``board``, ``a``, ``b``) and the counts of player A (``wins_first`` ...
``losses_second``).
"""

from functools import partial
from itertools import combinations

import pandas as pd

from wslib.study.names import board_name, method_name
from wslib.study.statistics import decide, stats
from wslib.study.statistics.compare import GamesTested
from wslib.study.statistics.pairings import scored

CLAIMED = tuple(combinations(("rave", "mcts", "rhea", "random"), 2))
"""Claim 1 as orderings, the stronger first."""
EXCEPTION = ("othello", "rhea", "random")
HALF = "half the rollouts"


def claim_1(matches: pd.DataFrame) -> pd.DataFrame:
    """Claim 1, an ordering a row: RAVE > MCTS > RHEA > random, but for RHEA against random in Othello."""
    frame = scored(matches)
    pairs = {(r.board, r.a, r.b): r for r in frame.itertuples()}
    rows = []
    for board in dict.fromkeys(frame["board"]):
        for strong, weak in CLAIMED:
            if match := pairs.get((board, strong, weak)):
                counts = (match.wins, match.draws, match.losses)
            elif match := pairs.get((board, weak, strong)):
                counts = (match.losses, match.draws, match.wins)
            else:
                continue
            facts = {"counts": counts, "games": match.games, "unit": getattr(match, "unit", "")}
            rows.append({"board": board, "strong": strong, "weak": weak, **facts})
    claim = pd.DataFrame(rows)
    claim["score"] = [stats.score(*c) for c in claim["counts"]]
    claim["interval"] = [stats.wilson(*c) for c in claim["counts"]]
    claim["p_holm"] = stats.holm([stats.sign_test(c[0], c[2]) for c in claim["counts"]])
    claim["exception"] = [(r.board, r.strong, r.weak) == EXCEPTION for r in claim.itertuples()]
    claim["verdict"] = [ordering.verdict(len(claim)).word for ordering in tested(claim)]
    return claim


def tested(claim: pd.DataFrame) -> list[GamesTested]:
    """The orderings of claim 1 as they are judged, in the frame's order."""
    return [_tested(row, len(claim)) for row in claim.itertuples()]


def _tested(row, tests: int) -> GamesTested:
    """One ordering; of the exception, "not above" is claimed."""
    sign, (wins, draws, losses) = "not above" if row.exception else ">", row.counts
    name = f"{board_name(row.board)}: {method_name(row.strong)} {sign} {method_name(row.weak)}"
    return GamesTested(
        name, row.score - 0.5, partial(around_half, row.counts), row.p_holm, row.games, tests,
        "not higher" if row.exception else "higher", 1, stats.games_to_decide(wins, draws, losses, tests=tests),
    )  # fmt: skip


def around_half(counts: tuple[float, float, float], confidence: float) -> stats.Interval:
    """Wilson's interval of a score, as its distance from one half."""
    found = stats.wilson(*counts, confidence=confidence)
    return stats.Interval(found.low - 0.5, found.high - 0.5)


def claim_1_verdict(claim: pd.DataFrame) -> str:
    """One verdict on claim 1: nearly all of its orderings, and its exception."""
    orderings, exception = (claim.loc[claim["exception"] == which, "verdict"].tolist() for which in (False, True))
    return decide.whole([decide.whole(orderings, decide.NEARLY_ALL), *exception])


def rhea_changes(matches: pd.DataFrame, baseline: pd.DataFrame) -> pd.DataFrame:
    """RHEA with one parameter changed, a row per change and game: against RHEA as it is, and against MCTS."""
    frame = scored(matches)
    unchanged = scored(baseline).query("a == 'rhea' and b == 'mcts'").set_index("board")["score"]
    changed = frame[frame["b"] == "rhea"].rename(columns={"a": "changed"}).reset_index(drop=True)
    changed["p_holm"] = stats.holm(changed["p"].tolist())
    changed["against_mcts"] = frame[frame["b"] == "mcts"]["score"].to_numpy()
    changed["unchanged"] = changed["board"].map(unchanged)
    return changed
