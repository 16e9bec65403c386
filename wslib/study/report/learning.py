"""Learning runs: curves over iterations, strength on the way, what it costs, and what a few runs can tell.

``strengths`` have a row per measured network (``board``, ``kind``, ``seed``, ``iteration`` and the counts of a match);
``iterations`` have a row per iteration of a run, with what the training loop tells.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from wslib.study.names import METHODS, board_name, listed, method_of, percent
from wslib.study.report.charts import WIDE, Look, curves, finding, show_panels
from wslib.study.report.look import INK, NAMES, OURS, Html, between, look_of, once_there, show_table, table
from wslib.study.statistics import stats
from wslib.study.statistics.pairings import scored

_COLOURS = (INK, "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#CC79A7", "#0072B2", "#999999")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES = ("-", "--", "-.", ":")
KEYS = ["board", "kind"]


def _looks(kinds: Sequence[str]) -> dict[str, Look]:
    """Each kind's look: a method's own where all are methods, else in their order."""
    own = all(method_of(kind) in METHODS for kind in kinds)
    chosen = [look_of(kind) if own else Look(_COLOURS[i % 8], _MARKS[i % 8]) for i, kind in enumerate(kinds)]
    return {kind: look._replace(line=_LINES[i % 4]) for i, (kind, look) in enumerate(zip(kinds, chosen, strict=True))}


def _last(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["iteration"] == frame["iteration"].max()]


def _ends(strengths: pd.DataFrame) -> pd.DataFrame:
    """The matches of the last networks, with their scores."""
    return scored(_last(strengths))


@once_there("strength on the way.")
def strength_figure(strengths: pd.DataFrame, opponent: str) -> Html:
    """Score of the networks on their way: every run a thin line, a thick one through the means."""
    frame = scored(strengths).assign(points=lambda f: 100 * f["score"])
    looks = _looks(list(dict.fromkeys(frame["kind"])))
    last = finding(_last(frame), "points", "{:.0f}")
    return show_panels(
        curves(frame, "iteration", "points", looks, level=50, runs_too=True),
        f"Score against {opponent} after {frame['iteration'].max()} iterations, in %. {last}",
        f"How strength grows with training: score against {opponent} in games from random openings. Thin lines are "
        "runs, thick ones their means; at 50 % both players are equally strong.",
        frame.dropna(axis="columns", how="all"),
        key=looks,
        across="iteration",
        up="score, %",
        same_up=True,
    )


@once_there("learning curves.")
def curves_figure(iterations: pd.DataFrame, measures: Mapping[str, str], caption: str) -> Html:
    """What the loop tells, iteration by iteration: a panel per measure and game, a line per kind (mean of its runs)."""
    looks = {kind: look._replace(mark="") for kind, look in _looks(list(dict.fromkeys(iterations["kind"]))).items()}
    panels, boards = {}, iterations["board"].nunique()
    for column, label in measures.items():
        for board, draw in curves(iterations, "iteration", column, looks).items():
            panels[label if boards == 1 else f"{board}: {label}"] = draw
    behind = [c for c in ("unit", *KEYS, "seed", "iteration", *measures) if c in iterations]
    return show_panels(
        panels,
        _curves_finding(iterations, measures),
        caption,
        iterations[behind],
        key=looks,
        across="iteration",
        height=2.0,
        width=WIDE if boards in (2, 4) else None,  # so that a measure has a row
    )


def _curves_finding(iterations: pd.DataFrame, measures: Mapping[str, str]) -> str:
    """What curves show, in words: of one kind in one game how each goes, of more the first one's highest and lowest."""
    if iterations.groupby(KEYS).ngroups == 1:
        ends = iterations.groupby("iteration")[list(measures)].mean().iloc[[0, -1]]
        ways = [f"{label} from {ends[c].iloc[0]:.2f} to {ends[c].iloc[-1]:.2f}" for c, label in measures.items()]
        return f"From the first to the last of {iterations['iteration'].max()} iterations: {'; '.join(ways)}."
    column, label = next(iter(measures.items()))
    return f"At the last iteration, {label}. {finding(_last(iterations), column, '{:.2f}')}"


@once_there("the score of each run.")
def runs_table(strengths: pd.DataFrame, costs: pd.DataFrame, opponent: str) -> Html:
    """Each kind at its last iteration: the score of every run, their mean, and the processor time of a run."""
    frame = _ends(strengths)
    minutes = _minutes(costs, KEYS)
    cells = frame.groupby(KEYS, sort=False)["score"].agg([list, "mean"])
    return table(
        cells.assign(minutes=minutes.reindex(cells.index)).reset_index(),
        f"Score against {opponent} after {frame['iteration'].max()} iterations, and what a run costs in minutes of one "
        f"core (measured while other runs shared the machine).{_untimed(minutes.reindex(cells.index))}",
        NAMES
        | {
            "runs": ("list", len),
            "score of each run %": ("list", lambda scores: ", ".join(map(percent, scores))),
            "mean %": ("mean", percent),
            "minutes a run": ("minutes", "{:.1f}"),
        },
    )


def _minutes(costs: pd.DataFrame, by: list[str]) -> pd.Series:
    """Mean processor minutes of the runs by these columns; nothing while there are none."""
    if "cpu_seconds" not in costs:
        return pd.Series(dtype=float)
    return costs.groupby(by[0] if len(by) == 1 else by)["cpu_seconds"].mean() / 60


def _untimed(times: Any) -> str:
    """What a dash among times means, for a caption; nothing where there is none."""
    return " –: not timed, because these runs continue others." if pd.isna(np.asarray(times, float)).any() else ""


def resolution(strengths: pd.DataFrame) -> tuple[float, float, int]:
    """What the seeds can tell: sd between runs of one kind, the smallest difference of means they show, runs a kind."""
    groups = [scores.to_numpy() for _, scores in _ends(strengths).groupby(KEYS)["score"]]
    runs, (spread, freedom) = min(map(len, groups)), stats.pooled_sd(groups)
    smallest = float(stdtrit(freedom, 1 - stats.ALPHA / 2)) * spread * (2 / runs) ** 0.5 if freedom else spread
    return spread, smallest, runs


@once_there("how much runs differ by chance.")
def resolution_prose(strengths: pd.DataFrame) -> str:
    """How far runs of one kind differ by chance, and how far apart two kinds must be to be told from each other."""
    spread, smallest, runs = resolution(strengths)
    if np.isnan(spread):
        return "One run of each kind cannot show how much runs differ by chance."
    return (
        f"Runs of one kind differ by {100 * spread:.1f} points (standard deviation over seeds, pooled over kinds and "
        f"games). With {runs} {'run' if runs == 1 else 'runs'} a kind, chance is an unlikely explanation only where "
        f"two kinds differ by {100 * smallest:.1f} points or more (t test at 5 %, for one comparison planned "
        "beforehand). Smaller differences in the table are not evidence."
    )


def changes(strengths: pd.DataFrame) -> pd.DataFrame:
    """How far every kind is from the first one, game by game.

    A row per ``board`` and ``kind``: ``usual`` is the first kind, ``points`` the difference of mean scores after the
    last iteration in percentage points, ``told`` whether seeds can tell it from chance (None where they cannot say).
    """
    last = _ends(strengths)
    means = last.groupby(KEYS, sort=False)["score"].mean().reset_index()
    usual, smallest = last["kind"].iloc[0], resolution(strengths)[1]
    base = means[means["kind"] == usual].set_index("board")["score"]
    found = means[(means["kind"] != usual) & means["board"].isin(base.index)]
    points = 100 * (found["score"] - found["board"].map(base))
    told = [None if np.isnan(smallest) else bool(abs(gap) > 100 * smallest) for gap in points]
    return found.drop(columns="score").assign(usual=usual, points=points, told=told)


@once_there("which kinds differ.")
def changes_prose(strengths: pd.DataFrame) -> str:
    """What each change does to strength, game by game, where it is more than chance; and whether games agree."""
    found = changes(strengths)
    if found.empty or found["told"].isna().all():
        return "There are too few runs to say what any change does."
    texts = []
    for board, rows in found.groupby("board", sort=False):
        told = rows[rows["told"].astype(bool)]
        parts = [
            _most(side, word)
            for side, word in ((told[told["points"] > 0], "stronger"), (told[told["points"] < 0], "weaker"))
            if len(side)
        ]
        nothing = "no change makes a difference that chance could not explain"
        texts.append(f"in {board_name(str(board))}, {listed(parts) or nothing}")
    signs = found[found["told"].astype(bool)].groupby("kind")["points"].agg(lambda p: p.min() < 0 < p.max())
    both = ". What helps in one game harms in another." if signs.any() else "."
    return f"Compared with *{found['usual'].iloc[0]}*: {'; '.join(texts)}{both}"


def _most(rows: pd.DataFrame, word: str) -> str:
    """Which kinds make runs stronger or weaker, and how far the farthest goes."""
    names, farthest = list(rows["kind"]), rows.loc[rows["points"].abs().idxmax()]
    points = f"{abs(farthest['points']):.1f} points"
    how = f"by {points}" if len(names) == 1 else f"{farthest['kind']} most, by {points}"
    return f"{listed(names)} {'makes' if len(names) == 1 else 'make'} runs {word} ({how})"


@once_there("which kinds differ.")
def changes_table(strengths: pd.DataFrame) -> Html:
    """The frame of :func:`changes`."""
    found = changes(strengths)
    usual = "" if found.empty else found["usual"].iloc[0]
    return table(
        found,
        f"What each change does to the score after the last iteration: percentage points above {usual}.",
        {
            "changed": "kind",
            "game": ("board", board_name),
            "points": ("points", "{:+.1f}"),
            "more than chance": ("told", lambda told: "yes" if told else "no"),
        },
    )


@once_there("where the time goes.")
def stages_table(costs: pd.DataFrame) -> Html:
    """Where the time goes, per kind of run."""
    stages = ("self-play", "training", "arena", "storing")
    means = costs.groupby(KEYS, sort=False)[[f"cpu_{stage}" for stage in stages]].mean().reset_index()
    seconds = {f"{stage} s": (f"cpu_{stage}", "{:.0f}") for stage in stages}
    caption = f"Where a run's processor seconds go, stage by stage.{_untimed(means['cpu_training'])}"
    return table(means, caption, NAMES | seconds)


def runs_found(found: pd.DataFrame) -> pd.DataFrame:
    """The labels of the runs among an experiment's results, a row each, numbered from 0."""
    return found.loc[found["part"] == "run", ["unit", "board", "kind", "seed"]].reset_index(drop=True)


def shares(iterations: pd.DataFrame) -> pd.DataFrame:
    """With ``distinct_share`` and ``draw_share``: of an iteration's games, those unlike all others, and those drawn."""
    if iterations.empty:
        return iterations
    games = iterations[["first_wins", "draws", "first_losses"]].sum(axis=1)
    return iterations.assign(distinct_share=iterations["distinct"] / games, draw_share=iterations["draws"] / games)


@once_there("variety and errors of the last iterations.")
def extremes_table(iterations: pd.DataFrame, last: int = 5) -> Html:
    """The kinds with the largest and smallest gap between fresh games and examples, least variety and most draws."""
    late = iterations[iterations["iteration"] > iterations["iteration"].max() - last]
    late = late.assign(gap=late["fresh_value_loss"] - late["value_loss"])
    means = late.groupby(KEYS, sort=False)[["gap", "distinct_share", "draw_share"]].mean()
    asked = {
        "knows its games best by heart": ("gap", "idxmax", "value error, fresh minus trained", "{:+.2f}"),
        "knows its games least by heart": ("gap", "idxmin", "value error, fresh minus trained", "{:+.2f}"),
        "repeats itself most": ("distinct_share", "idxmin", "distinct games", "{:.0%}"),
        "draws most": ("draw_share", "idxmax", "draws", "{:.0%}"),
    }
    rows = []
    for what, (column, end, measure, write) in asked.items():
        board, kind = getattr(means[column], end)()
        value = write.format(means.loc[(board, kind), column]).replace("%", " %")
        rows.append({"who": what, "game": board_name(board), "kind": kind, "measure": measure, "value": value})
    return show_table(pd.DataFrame(rows), f"Which runs stand out in the last {last} iterations.")


@once_there("means over the last iterations.")
def ends_table(iterations: pd.DataFrame, measures: Mapping[str, str], last: int = 5) -> Html:
    """Means over the last iterations of the runs of each kind."""
    late = iterations[iterations["iteration"] > iterations["iteration"].max() - last]
    means = late.groupby(KEYS, sort=False)[list(measures)].mean().reset_index()
    caption = f"Variety and knowledge at the end: means over the last {last} iterations and the runs of each kind."
    return table(means, caption, NAMES | {label: (column, "{:.2f}") for column, label in measures.items()})


@once_there("which kind is worth its price.")
def choice_prose(strengths: pd.DataFrame, winner: str) -> str:
    """Which candidates these runs can tell from the winner, on average over the games, and which scores most."""
    scores = _ends(strengths).groupby("kind", sort=False)["score"].mean()
    smallest, best = resolution(strengths)[1], scores.idxmax()
    if winner not in scores or np.isnan(smallest):
        return "There are too few runs to say which candidate is the strongest."
    if best == winner:
        lead = f"On average over the games {winner} is the strongest."
    else:
        gap = scores[best] - scores[winner]
        chance = "more than" if gap > smallest else "no more than"
        lead = f"On average over the games {best} is the strongest, {100 * gap:.1f} points above {winner}"
        lead += f": that is {chance} chance would explain."
    return f"{lead} So few runs cannot show differences below {100 * smallest:.1f} points."


@once_there("which kind is worth its price.")
def choice_table(strengths: pd.DataFrame, costs: pd.DataFrame, winner: str) -> Html:
    """Every kind beside the winner: what it gains, at what price, and whether these runs can tell it apart."""
    scores = _ends(strengths).groupby("kind", sort=False)["score"].mean()
    minutes, smallest = _minutes(costs, ["kind"]), resolution(strengths)[1]
    there = scores.index.intersection(minutes.index)
    found = pd.DataFrame({"kind": there, "score": scores[there], "minutes": minutes[there]})

    def told(row: Any) -> str:
        return "–" if row.kind == winner else "yes" if abs(row.score - scores[winner]) > smallest else "no"

    return table(
        found if winner in there else found.head(0),
        f"Each candidate beside {winner}: the difference in percentage points, over games and runs, and the processor "
        "minutes. Told apart: by more than chance, without correction for the number of comparisons."
        f"{_untimed(minutes[there])}",
        {
            "candidate": "kind",
            "points": lambda row: f"{100 * (row.score - scores[winner]):+.1f}",
            "minutes a run": ("minutes", "{:.1f}"),
            "told apart": told,
        },
    )


def with_openings(matches: pd.DataFrame, games: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Matches with what their openings say: an interval over openings, and the share that colour decided.

    ``games`` has every match's games by its unit.
    """
    if matches.empty:
        return matches
    frame = scored(matches).reset_index(drop=True)
    rows = [_openings(games[unit]) for unit in frame["unit"]]
    return frame.drop(columns=["low", "high"]).join(pd.DataFrame(rows))


def _openings(games: pd.DataFrame) -> dict[str, float]:
    """Both games of an opening together: mean score of A with its t interval, and the share that colour decided."""
    pairs = games.assign(opening=games["number"] // 2).pivot(index="opening", columns="a_first", values="result_a")
    scores = (pairs.sum(axis=1) + 2) / 4
    half = stdtrit(len(scores) - 1, 1 - stats.ALPHA / 2) * scores.sem()
    by_colour = float(np.mean((pairs[0] == -pairs[1]) & (pairs[0] != 0)))
    return {"low": scores.mean() - half, "high": scores.mean() + half, "by_colour": by_colour}


@once_there("the last networks against search without one.")
def learned_table(matches: pd.DataFrame) -> Html:
    """Every run's last network against MCTS with ever more simulations."""
    return table(
        matches.sort_values(["board", "opponent", "seed"], kind="stable"),
        "How the last network of each run does, with 100 simulations a move, against MCTS without a network. The "
        "interval is over openings.",
        {
            "game": ("board", board_name),
            "simulations of MCTS": "opponent",
            "seed": "seed",
            "score %": ("score", percent),
            "95 % interval": between,
            "draws %": ("drawn", percent),
            "decided by colour %": ("by_colour", percent),
            "distinct games": lambda row: f"{row.distinct} of {row.games}",
        },
    )


@once_there("the last networks against search without one.")
def learned_prose(matches: pd.DataFrame) -> str:
    """Whether the networks pass the bar of the page, and with how many more simulations they cope, game by game."""
    easiest = matches[matches["opponent"] == matches["opponent"].min()]
    passed = (easiest["low"] > 0.5) & ((easiest["score"] > 0.6) | (easiest["board"] == "gobang"))
    means = matches.groupby(["board", "opponent"], sort=False)["score"].mean()
    coped = {
        str(board): max((m for (b, m), score in means.items() if b == board and score > 0.5), default=0)
        for board in dict.fromkeys(matches["board"])
    }
    most = "; ".join(
        f"in {board_name(board)} " + (f"up to {number:,} simulations" if number else "none of them")
        for board, number in coped.items()
    )
    return (
        f"**{'It learns' if passed.all() else 'Not every run has learned'}.** {int(passed.sum())} of {len(easiest)} "
        f"runs pass the bar that was set beforehand. The searches that the networks beat on average: {most}."
    )


@once_there("the last networks against search without one.")
def learned_figure(matches: pd.DataFrame) -> Html:
    """The score of every run's last network by the number of simulations of its opponent, a panel per game."""
    points = matches.assign(kind="baseline", points=lambda frame: 100 * frame["score"])
    return show_panels(
        curves(points, "opponent", "points", {"baseline": Look(OURS)}, level=50, log=True, runs_too=True),
        "Mean scores of the last networks, by the simulations of their opponent. "
        + finding(points, "points", "{:.0f} %", name="opponent"),
        "How the last networks do, with 100 simulations a move, against MCTS without a network. Thin lines are runs, "
        "thick ones their means; above the grey line the network is the stronger player.",
        matches.dropna(axis="columns", how="all"),
        across="simulations of MCTS",
        up="score, %",
        same_up=True,
    )
