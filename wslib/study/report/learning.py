"""Learning runs: curves over iterations, strength on the way, what it costs, and what a few runs can tell.

``strengths`` have a row per measured network (``board``, ``kind``, ``seed``, ``iteration`` and the counts of a match);
``iterations`` have a row per iteration of a run, with what the training loop tells.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from IPython.display import DisplayHandle, display
from scipy.special import stdtrit

from wslib.study.report.charts import Look, curves, finding, show_panels
from wslib.study.report.look import (
    INK,
    METHODS,
    NAMES,
    OURS,
    Html,
    between,
    board_name,
    kind_name,
    look_of,
    method_of,
    once_there,
    percent,
    show_table,
    table,
)
from wslib.study.statistics import stats
from wslib.study.statistics.pairings import scored

_COLOURS = (INK, "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#CC79A7", "#0072B2", "#999999")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES = ("-", "--", "-.", ":")
KEYS = ["board", "kind"]


def _looks(kinds: Sequence[str]) -> dict[str, Look]:
    """Each kind's look: a method's own where all are methods, else in their order."""
    own = all(method_of(kind) in METHODS for kind in kinds)
    chosen = [look_of(kind) if own else (_COLOURS[i % 8], _MARKS[i % 8]) for i, kind in enumerate(kinds)]
    return {kind: Look(*look, _LINES[i % 4]) for i, (kind, look) in enumerate(zip(kinds, chosen, strict=True))}


def _named(looks: Mapping[str, Look]) -> dict[str, Look]:
    return {kind_name(kind): look for kind, look in looks.items()}


def _last(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["iteration"] == frame["iteration"].max()]


@once_there("strength on the way.")
def strength_figure(strengths: pd.DataFrame, opponent: str) -> Html:
    """Score of the networks on their way: every run a thin line, a thick one through the means."""
    frame = scored(strengths).assign(points=lambda f: 100 * f["score"])
    looks = _looks(list(dict.fromkeys(frame["kind"])))
    means = _last(frame).groupby(KEYS, sort=False)["points"].mean()
    return show_panels(
        curves(frame, "iteration", "points", looks, level=50, runs_too=True),
        f"Score against {opponent} after {frame['iteration'].max()} iterations, in %. {finding(means, '{:.0f}')}",
        f"Strength on the way: score against {opponent} in games from random openings. Thin lines are "
        "runs, thick ones their means; at 50 % both players are equal.",
        frame.dropna(axis="columns", how="all"),
        key=_named(looks),
        across="iteration",
        up=f"score against {opponent}, %",
        same_up=True,
    )


@once_there("learning curves.")
def curves_figure(iterations: pd.DataFrame, measures: Mapping[str, str], caption: str) -> Html:
    """What the loop tells, iteration by iteration: a panel per measure and game, a line per kind (mean of its runs)."""
    looks = {kind: look._replace(mark="") for kind, look in _looks(list(dict.fromkeys(iterations["kind"]))).items()}
    panels, single = {}, iterations["board"].nunique() == 1
    for column, label in measures.items():
        for board, draw in curves(iterations, "iteration", column, looks).items():
            panels[label if single else f"{board}: {label}"] = draw
    behind = [c for c in ("unit", *KEYS, "seed", "iteration", *measures) if c in iterations]
    return show_panels(
        panels,
        _curves_finding(iterations, measures),
        caption,
        iterations[behind],
        key=_named(looks),
        across="iteration",
        height=2.0,
    )


def _curves_finding(iterations: pd.DataFrame, measures: Mapping[str, str]) -> str:
    """What curves show, in words: of one kind in one game how each goes, of more the first one's highest and lowest."""
    if iterations.groupby(KEYS).ngroups == 1:
        ends = iterations.groupby("iteration")[list(measures)].mean().iloc[[0, -1]]
        ways = [f"{label} from {ends[c].iloc[0]:.2f} to {ends[c].iloc[-1]:.2f}" for c, label in measures.items()]
        return f"From the first to the last of {iterations['iteration'].max()} iterations: {'; '.join(ways)}."
    column, label = next(iter(measures.items()))
    means = _last(iterations).groupby(KEYS, sort=False)[column].mean()
    return f"At the last iteration, {label}. {finding(means, '{:.2f}')}"


@once_there("what became of this run.")
def run_prose(log: pd.DataFrame) -> str:
    """One run in three sentences: how long its warm start was, what its network learned, what the gate let pass."""
    board, kind = board_name(log["board"].iloc[0]), kind_name(log["kind"].iloc[0])
    width = max(1, min(10, len(log) // 2))
    means = log[["fresh_policy_loss", "fresh_value_loss"]].rolling(width).mean().set_index(log["iteration"]).dropna()
    (policy, value), (policy_last, value_last) = means.iloc[0], means.iloc[-1]
    best = means["fresh_value_loss"].idxmin()
    warm = int((log["phase"] != "baseline").sum())
    start = f"the first {warm} of them with {kind}" if warm else "none of them with a warm start"
    learned = "easier" if policy_last < policy else "no easier"
    text = (
        f"This run of {board} made {len(log)} iterations, {start}. Its search became {learned} to foretell: on games "
        f"that the network had not seen, its policy loss went from {policy:.2f} to {policy_last:.2f} (means of {width} "
        f"iterations). Its error about who would win them went from {value:.2f} to {value_last:.2f}"
    )
    if best != means.index[-1] and means["fresh_value_loss"][best] < 0.9 * value_last:
        lowest = means["fresh_value_loss"][best]
        text += f", after {lowest:.2f} in iterations {best - width + 1} to {best}: learning is no straight line"
    early = log["accepted"][: len(log) // 2].sum()
    return f"{text}. The gate let {log['accepted'].sum()} new networks pass, {early} of them in the first half."


def cost_prose(log: pd.DataFrame, costs: pd.DataFrame) -> str:
    """What playing takes of a run's time, and how often searches asked for what was remembered."""
    stages = costs[["cpu_self-play", "cpu_arena", "cpu_training", "cpu_storing"]].sum()
    remembered = 1 - log["evaluations"].sum() / log["leaves"].sum()
    return (
        f"Playing, in self-play and arena, takes {100 * stages.iloc[:2].sum() / stages.sum():.0f} % of the time. Of "
        f"the positions that searches asked about, {100 * remembered:.0f} % had been evaluated before and were "
        "remembered."
    )


@once_there("the score of each run.")
def runs_table(strengths: pd.DataFrame, costs: pd.DataFrame, opponent: str) -> Html:
    """Each kind at its last iteration: the score of every run, their mean, and the processor time of a run."""
    frame = scored(_last(strengths))
    minutes = _minutes(costs, KEYS)
    cells = frame.groupby(KEYS, sort=False)["score"].agg([list, "mean"])
    return table(
        cells.assign(minutes=minutes.reindex(cells.index)).reset_index(),
        f"Score against {opponent} after {frame['iteration'].max()} iterations, and processor minutes of a run "
        "(one core; measured while other runs shared the machine).",
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


def resolution(strengths: pd.DataFrame) -> tuple[float, float, int]:
    """What the seeds can tell: sd between runs of one kind, the smallest difference of means they show, runs a kind."""
    last = scored(_last(strengths))
    groups = [g["score"].to_numpy() for _, g in last.groupby(KEYS)]
    runs = min(len(g) for g in groups)
    freedom = sum(len(g) - 1 for g in groups)
    if not freedom:
        return float("nan"), float("nan"), runs
    spread = float(np.sqrt(sum(((g - g.mean()) ** 2).sum() for g in groups) / freedom))
    smallest = float(stdtrit(freedom, 1 - stats.ALPHA / 2)) * spread * (2 / runs) ** 0.5
    return spread, smallest, runs


@once_there("how much runs differ by chance.")
def resolution_prose(strengths: pd.DataFrame) -> str:
    """How far runs of one kind differ by chance, and how far apart two kinds must be to be told from each other."""
    spread, smallest, runs = resolution(strengths)
    if np.isnan(spread):
        return "With one run of each kind nothing can be said about how much runs differ by chance."
    return (
        f"Runs of one kind differ by {100 * spread:.1f} points (standard deviation over seeds, pooled over kinds and "
        f"games). With {runs} runs a kind, two kinds must differ by {100 * smallest:.1f} points before chance is "
        "an unlikely explanation (t test at 5 %, for one comparison planned beforehand). Smaller differences in the "
        "table are not evidence."
    )


@once_there("which kinds differ.")
def changes_table(strengths: pd.DataFrame) -> Html:
    """How far every kind is from the first one, game by game, and whether that is more than the seeds can explain."""
    last = scored(_last(strengths))
    means = last.groupby(KEYS, sort=False)["score"].mean()
    usual, smallest = last["kind"].iloc[0], resolution(strengths)[1]
    gaps = {(b, k): v - means[b, usual] for (b, k), v in means.items() if k != usual and (b, usual) in means}
    rows = [
        {"changed": kind, "game": board_name(board), "points": f"{100 * gap:+.1f}",
         "more than chance": "–" if np.isnan(smallest) else "yes" if abs(gap) > smallest else "no"}
        for (board, kind), gap in gaps.items()
    ]  # fmt: skip
    return show_table(
        pd.DataFrame(rows), f"Score after the last iteration, minus that of *{usual}*, in percentage points."
    )


@once_there("where the time goes.")
def stages_table(costs: pd.DataFrame) -> Html:
    """Where the time goes, per kind of run."""
    stages = ("self-play", "training", "arena", "storing")
    means = costs.groupby(KEYS, sort=False)[[f"cpu_{stage}" for stage in stages]].mean().reset_index()
    seconds = {f"{stage} s": (f"cpu_{stage}", "{:.0f}") for stage in stages}
    return table(means, "Processor seconds of a run by stage.", NAMES | seconds)


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
def variety_prose(iterations: pd.DataFrame, last: int = 5) -> str:
    """How far the value's error on fresh games is above that on the examples, the least variety, the most draws."""
    late = iterations[iterations["iteration"] > iterations["iteration"].max() - last]
    gap = late.assign(gap=late["fresh_value_loss"] - late["value_loss"]).groupby("kind", sort=False)["gap"].mean()
    few = late.groupby(KEYS, sort=False)["distinct_share"].mean()
    drawn = late.groupby(KEYS, sort=False)["draw_share"].mean()
    return (
        f"In the last {last} iterations the value's error on fresh games exceeds that on the examples by "
        f"{gap.max():.2f} with *{gap.idxmax()}* and by {gap.min():.2f} with *{gap.idxmin()}*. The least variety is in "
        f"*{few.idxmin()[1]}* ({board_name(few.idxmin()[0])}): {100 * few.min():.0f} % of its games are distinct; most "
        f"draws are in *{drawn.idxmax()[1]}* ({board_name(drawn.idxmax()[0])}): {100 * drawn.max():.0f} %."
    )


@once_there("means over the last iterations.")
def ends_table(iterations: pd.DataFrame, measures: Mapping[str, str], last: int = 5) -> Html:
    """Means over the last iterations of the runs of each kind."""
    late = iterations[iterations["iteration"] > iterations["iteration"].max() - last]
    means = late.groupby(KEYS, sort=False)[list(measures)].mean().reset_index()
    caption = f"Means over the last {last} iterations and the runs of each kind."
    return table(means, caption, NAMES | {label: (column, "{:.2f}") for column, label in measures.items()})


@once_there("which kind is worth its price.")
def choice_table(strengths: pd.DataFrame, costs: pd.DataFrame, winner: str) -> Html:
    """Every kind beside the winner: what it gains, at what price, and whether these runs can tell it apart."""
    last = scored(_last(strengths))
    scores = last.groupby("kind", sort=False)["score"].mean()
    minutes, smallest = _minutes(costs, ["kind"]), resolution(strengths)[1]
    there = scores.index.intersection(minutes.index)
    rows = [
        {"candidate": kind, "points": f"{100 * (scores[kind] - scores[winner]):+.1f}",
         "time": f"{minutes[kind] / minutes[winner]:.1f} ×".replace("nan ×", "–"),
         "told apart": "yes" if abs(scores[kind] - scores[winner]) > smallest else "no"}
        for kind in there if kind != winner and winner in there
    ]  # fmt: skip
    return show_table(
        pd.DataFrame(rows),
        f"Each candidate against {winner}: percentage points over games and runs, and processor time. Told apart: by "
        "more than chance, not corrected for the number of comparisons.",
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
        "Score of the last network of each run, with 100 simulations a move, against MCTS without a network; interval "
        "over openings.",
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
    """Whether the networks beat search with as many simulations, and with how many more they cope, game by game."""
    easiest = matches[matches["opponent"] == matches["opponent"].min()]
    means = matches.groupby(["board", "opponent"], sort=False)["score"].mean()
    coped = {
        str(board): max((m for (b, m), score in means.items() if b == board and score > 0.5), default=0)
        for board in dict.fromkeys(matches["board"])
    }
    listed = ", ".join(f"{number or 'none'} in {board_name(board)}" for board, number in coped.items())
    return (
        f"Against search with as many simulations, {int((easiest['low'] > 0.5).sum())} of {len(easiest)} runs score "
        f"clearly more than one half. On average they score more than one half against as many as {listed}."
    )


@once_there("the last networks against search without one.")
def learned_figure(matches: pd.DataFrame) -> Html:
    """The score of every run's last network by the number of simulations of its opponent, a panel per game."""
    points = matches.assign(kind="baseline", points=lambda frame: 100 * frame["score"])
    means = points.groupby(["board", "opponent"], sort=False)["points"].mean()
    return show_panels(
        curves(points, "opponent", "points", {"baseline": Look(OURS)}, level=50, log=True, runs_too=True),
        f"Mean scores of the last networks, by the simulations of their opponent. {finding(means, '{:.0f} %')}",
        "Score of the last networks, with 100 simulations a move, against MCTS without a network: thin lines are runs, "
        "thick ones their means.",
        matches.dropna(axis="columns", how="all"),
        across="simulations of MCTS",
        up="score, %",
        same_up=True,
    )


class LiveCurves:
    """Curves that are drawn anew while a run trains; call it with what there is to tell of each iteration."""

    def __init__(self, board: str, kind: str, every: int = 5):
        self.labels, self.every = {"board": board, "kind": kind}, every
        self.rows: list[dict[str, object]] = []
        self.handle: DisplayHandle | None = None

    def __call__(self, told: dict[str, object]) -> None:
        self.rows.append({**told, **self.labels})
        if len(self.rows) % self.every:
            return
        measures = {"value_loss": "value loss", "fresh_value_loss": "value error, fresh", "draws": "draws"}
        figure = curves_figure(pd.DataFrame(self.rows), measures, f"Iteration {told['iteration']}.")
        if self.handle is None:
            self.handle = display(figure, display_id=True)
        else:
            self.handle.update(figure)
