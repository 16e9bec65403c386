"""Learning runs: curves over iterations, strength on the way, what it costs, and what a few runs can tell.

``strengths`` have a row per measured network (``board``, ``kind``, ``seed``, ``iteration`` and the counts of a match);
``iterations`` have a row per iteration of a run, with what the training loop tells.
"""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import DisplayHandle, display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import stdtrit

from wslib.study.report.look import (
    INK,
    METHODS,
    WIDEST,
    Html,
    board_name,
    kind_name,
    look_of,
    method_of,
    once_there,
    panel_axes,
    percent,
    show_figure,
    show_table,
)
from wslib.study.statistics import stats
from wslib.study.statistics.pairings import scored

_COLOURS = (INK, "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#CC79A7", "#0072B2", "#999999")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES = ("-", "--", "-.", ":")


def _looks(kinds: Sequence[str]) -> dict[str, dict[str, object]]:
    """Colour, mark and line of each kind: a method's own where all are methods, else in their order."""
    own = all(method_of(kind) in METHODS for kind in kinds)
    chosen = [look_of(kind) if own else (_COLOURS[i % 8], _MARKS[i % 8]) for i, kind in enumerate(kinds)]
    return {
        kind: {"color": colour, "marker": mark, "linestyle": _LINES[i % 4]}
        for i, (kind, (colour, mark)) in enumerate(zip(kinds, chosen, strict=True))
    }


@once_there("strength on the way.")
def strength_figure(strengths: pd.DataFrame, opponent: str) -> Html:
    """Score of the networks on their way: every run a mark, a line through the means."""
    frame = scored(strengths)
    boards, kinds = list(dict.fromkeys(frame["board"])), list(dict.fromkeys(frame["kind"]))
    looks = _looks(kinds)

    def draw() -> Figure:
        figure, axes = panel_axes(len(boards), 4.1, 3.6, f"score against {opponent}, %", sharey=True)
        for axis, board in zip(axes, boards, strict=True):
            for shift, kind in enumerate(kinds):
                rows = frame[(frame["board"] == board) & (frame["kind"] == kind)]
                moved = rows["iteration"] + 0.3 * (shift - len(kinds) / 2)  # so that marks do not hide each other
                look = looks[kind]
                axis.scatter(moved, 100 * rows["score"], s=16, color=look["color"], marker=look["marker"], alpha=0.7)
                means = rows.groupby("iteration")["score"].mean()
                axis.plot(means.index, 100 * means, label=kind_name(kind), markersize=4, linewidth=1.3, **look)
            axis.axhline(50, color="#808080", linewidth=0.8)
            axis.set_title(board_name(board))
            axis.set_xlabel("iteration")
        _legend(figure, axes[0])
        return figure

    last = frame[frame["iteration"] == frame["iteration"].max()].groupby(["board", "kind"], sort=False)["score"].mean()
    listed = "; ".join(f"{board_name(b)}, {kind_name(k)}: {percent(v)} %" for (b, k), v in last.items())
    return show_figure(
        draw,
        f"Score against {opponent} by iteration. At the last iteration, means of the runs: {listed}.",
        f"Strength on the way: score against {opponent} in games from random openings. Every run is a mark, the lines "
        "join the means.",
        frame.dropna(axis="columns", how="all"),
    )


def _legend(figure: Figure, axis: Axes) -> None:
    handles, names = axis.get_legend_handles_labels()
    figure.tight_layout()
    figure.subplots_adjust(bottom=0.27 if len(names) > 3 else 0.22)
    figure.legend(handles, names, loc="lower center", ncols=3, fontsize=8)


@once_there("learning curves.")
def curves_figure(iterations: pd.DataFrame, measures: Mapping[str, str], caption: str) -> Html:
    """What the loop tells, iteration by iteration: a row of panels per measure, a line per kind (mean of its runs)."""
    boards, kinds = list(dict.fromkeys(iterations["board"])), list(dict.fromkeys(iterations["kind"]))
    looks = _looks(kinds)

    def draw() -> Figure:
        size = (min(4.1 * len(boards), WIDEST), 2.1 * len(measures) + 0.8)
        figure, axes = plt.subplots(len(measures), len(boards), figsize=size, squeeze=False, sharex=True)
        for row, (column, label) in enumerate(measures.items()):
            for axis, board in zip(axes[row], boards, strict=True):
                for kind in kinds:
                    rows = iterations[(iterations["board"] == board) & (iterations["kind"] == kind)]
                    means = rows.groupby("iteration")[column].mean()
                    look = {k: v for k, v in looks[kind].items() if k != "marker"}
                    axis.plot(means.index, means, label=kind_name(kind), linewidth=1.3, **look)
                if row == 0:
                    axis.set_title(board_name(board))
                if row == len(measures) - 1:
                    axis.set_xlabel("iteration")
            axes[row][0].set_ylabel(label, fontsize=8)
        handles, names = axes[0][0].get_legend_handles_labels()
        figure.tight_layout(rect=(0, 0.5 * (1 + (len(names) - 1) // 3) / size[1], 1, 1))
        figure.legend(handles, names, loc="lower center", ncols=3, fontsize=8)
        return figure

    last = iterations[iterations["iteration"] == iterations["iteration"].max()]
    ends = last.groupby(["board", "kind"], sort=False)[list(measures)].mean()
    listed = "; ".join(
        f"{board_name(b)}, {kind_name(k)}: " + ", ".join(f"{measures[m]} {v:.2f}" for m, v in row.items())
        for (b, k), row in ends.iterrows()
    )
    behind = [c for c in ("unit", "board", "kind", "seed", "iteration", *measures) if c in iterations]
    return show_figure(draw, f"Curves over iterations. At the last one: {listed}.", caption, iterations[behind])


@once_there("the score of each run.")
def runs_table(strengths: pd.DataFrame, costs: pd.DataFrame, opponent: str) -> Html:
    """Each kind at its last iteration: the score of every run, their mean, and the processor time of a run."""
    frame = scored(strengths[strengths["iteration"] == strengths["iteration"].max()])
    minutes = _minutes(costs, ["board", "kind"])
    rows = [
        {
            "game": board_name(board),
            "kind": kind_name(kind),
            "runs": len(group),
            "score of each run %": ", ".join(percent(s) for s in group["score"]),
            "mean %": group["score"].mean(),
            "minutes a run": minutes.get((board, kind), np.nan),
        }
        for (board, kind), group in frame.groupby(["board", "kind"], sort=False)
    ]
    shown = pd.DataFrame(rows)
    return show_table(
        shown,
        f"Score against {opponent} after {frame['iteration'].max()} iterations, and processor minutes of a run "
        "(one core; measured while other runs shared the machine).",
        {"mean %": percent, "minutes a run": "{:.1f}"},
        frame.dropna(axis="columns", how="all"),
    )


def _minutes(costs: pd.DataFrame, by: list[str]) -> pd.Series:
    """Mean processor minutes of the runs by these columns; nothing while there are none."""
    if "cpu_seconds" not in costs:
        return pd.Series(dtype=float)
    return costs.groupby(by[0] if len(by) == 1 else by)["cpu_seconds"].mean() / 60


def resolution(strengths: pd.DataFrame) -> tuple[float, float, int]:
    """What the seeds can tell: sd between runs of one kind, the smallest difference of means they show, runs a kind."""
    last = scored(strengths[strengths["iteration"] == strengths["iteration"].max()])
    groups = [g["score"].to_numpy() for _, g in last.groupby(["board", "kind"])]
    runs = min(len(g) for g in groups)
    freedom = sum(len(g) - 1 for g in groups)
    if not freedom:
        return float("nan"), float("nan"), runs
    spread = float(np.sqrt(sum(((g - g.mean()) ** 2).sum() for g in groups) / freedom))
    smallest = float(stdtrit(freedom, 1 - stats.ALPHA / 2)) * spread * (2 / runs) ** 0.5
    return spread, smallest, runs


@once_there("how much runs differ by chance.")
def resolution_prose(strengths: pd.DataFrame) -> str:
    """The same as a paragraph."""
    spread, smallest, runs = resolution(strengths)
    if np.isnan(spread):
        return "With one run of each kind nothing can be said about how much runs differ by chance."
    return (
        f"Runs of one kind differ by {100 * spread:.1f} points (standard deviation over seeds, pooled over kinds and "
        f"games). With {runs} runs a kind, two kinds must differ by about {100 * smallest:.0f} points before chance is "
        "an unlikely explanation (t test at 5 %, for one comparison planned beforehand). Smaller differences in the "
        "table are not evidence."
    )


@once_there("which kinds differ.")
def changes_prose(strengths: pd.DataFrame) -> str:
    """Which kinds differ from the first one by more than the seeds can explain, game by game."""
    last = scored(strengths[strengths["iteration"] == strengths["iteration"].max()])
    means = last.groupby(["board", "kind"], sort=False)["score"].mean()
    usual, smallest = last["kind"].iloc[0], resolution(strengths)[1]
    if np.isnan(smallest):
        return ""
    gains = {(b, k): v - means[b, usual] for (b, k), v in means.items() if k != usual and (b, usual) in means}
    seen = [f"*{k}* in {board_name(b)} ({100 * g:+.1f})" for (b, k), g in gains.items() if abs(g) > smallest]
    rest = len(gains) - len(seen)
    return (
        f"More than that from *{usual}* are {', '.join(seen) or 'none'}; the other {rest} are not told apart from it."
    )


@once_there("where the time goes.")
def stages_table(costs: pd.DataFrame) -> Html:
    """Where the time goes, per kind of run."""
    stages = ["cpu_self-play", "cpu_training", "cpu_arena", "cpu_storing"]
    means = costs.groupby(["board", "kind"], sort=False)[stages].mean().reset_index()
    shown = means.rename(columns={s: s.removeprefix("cpu_") + " s" for s in stages})
    shown["board"], shown["kind"] = shown["board"].map(board_name), shown["kind"].map(kind_name)
    return show_table(
        shown.rename(columns={"board": "game"}),
        "Processor seconds of a run by stage.",
        {s.removeprefix("cpu_") + " s": "{:.0f}" for s in stages},
        costs[[c for c in ("unit", "board", "kind", "seed", *stages) if c in costs]],
    )


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
    few = late.groupby(["board", "kind"], sort=False)["distinct_share"].mean()
    drawn = late.groupby(["board", "kind"], sort=False)["draw_share"].mean()
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
    means = late.groupby(["board", "kind"], sort=False)[list(measures)].mean().reset_index()
    means["board"], means["kind"] = means["board"].map(board_name), means["kind"].map(kind_name)
    shown = means.rename(columns={"board": "game", **measures})
    return show_table(
        shown,
        f"Means over the last {last} iterations and the runs of each kind.",
        dict.fromkeys(measures.values(), "{:.2f}"),
    )


@once_there("which kind is worth its price.")
def choice_prose(strengths: pd.DataFrame, costs: pd.DataFrame, winner: str) -> str:
    """Whether any kind is better than the winner for its price, by the resolution of these runs."""
    last = scored(strengths[strengths["iteration"] == strengths["iteration"].max()])
    scores = last.groupby("kind", sort=False)["score"].mean()
    minutes = _minutes(costs, ["kind"])
    smallest = resolution(strengths)[1]
    parts = []
    if winner not in scores.index.intersection(minutes.index):
        return f"There is no run of {winner} yet to compare the others with."
    for kind in (k for k in scores.index.intersection(minutes.index) if k != winner):
        gain, price = scores[kind] - scores[winner], minutes[kind] / minutes[winner]
        seen = "more than chance" if abs(gain) > smallest else "not told apart from chance"
        parts.append(f"{kind}: {100 * gain:+.1f} points ({seen}) at {price:.1f} times the time")
    caution = "These are several comparisons, not corrected for their number."
    return f"Against {winner}, means over games and runs: {'; '.join(parts)}. {caution}"


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
    rows = [
        {
            "game": board_name(row.board),
            "simulations of MCTS": row.opponent,
            "seed": row.seed,
            "score %": row.score,
            "95 % interval": f"{percent(row.low)} to {percent(row.high)}",
            "draws %": row.drawn,
            "decided by colour %": row.by_colour,
            "distinct games": f"{row.distinct} of {row.games}",
        }
        for row in matches.sort_values(["board", "opponent", "seed"], kind="stable").itertuples()
    ]
    return show_table(
        pd.DataFrame(rows),
        "Score of the last network of each run, with 100 simulations a move, against MCTS without a network; interval "
        "over openings.",
        dict.fromkeys(("score %", "draws %", "decided by colour %"), percent),
        matches.dropna(axis="columns", how="all"),
    )


def learned_means(matches: pd.DataFrame, boards: Sequence[str]) -> dict[str, str]:
    """Mean score of each game's runs against the weakest MCTS in percent, as it is written; "?" while none is there."""
    means = dict.fromkeys(boards, "?")
    if len(matches):
        easiest = matches[matches["opponent"] == matches["opponent"].min()]
        means |= {str(board): f"{100 * s:.0f}" for board, s in easiest.groupby("board")["score"].mean().items()}
    return means


@once_there("the last networks against search without one.")
def learned_prose(matches: pd.DataFrame) -> str:
    """The means per game and opponent, and how the runs' intervals lie."""
    parts = []
    for board, group in matches.groupby("board", sort=False):
        means = group.groupby("opponent")["score"].mean()
        listed = ", ".join(f"{100 * score:.0f} % against {m}" for m, score in means.items())
        easiest = group[group["opponent"] == group["opponent"].min()]
        above = int((easiest["low"] > 0.5).sum())
        parts.append(
            f"**{board_name(str(board))}**: {listed} simulations, means of {easiest['seed'].nunique()} runs; "
            f"against the weakest, {above} of {len(easiest)} runs have an interval above 50 %, and colour decided "
            f"{100 * easiest['by_colour'].mean():.0f} % of the openings."
        )
    return " ".join(parts)


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
