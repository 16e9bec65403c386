"""One training run to look into: its curves while it trains, and what became of it in sentences."""

import pandas as pd
from IPython.display import DisplayHandle, display

from wslib.study.names import board_name, kind_name
from wslib.study.report.learning import curves_figure
from wslib.study.report.look import once_there


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
    falls = "fell" if policy_last < policy else "rose"
    text = (
        f"This run of {board} made {len(log)} iterations, {start}. Its search became {learned} to predict: on games "
        f"that the network had not seen, its policy loss {falls} from {policy:.2f} to {policy_last:.2f} (means of "
        f"{width} iterations). Its error about who would win them went from {value:.2f} to {value_last:.2f}"
    )
    if best != means.index[-1] and means["fresh_value_loss"][best] < 0.9 * value_last:
        lowest = means["fresh_value_loss"][best]
        text += f", though it had been {lowest:.2f} in iterations {best - width + 1} to {best}: "
        text += "learning is no straight line"
    early = log["accepted"][: len(log) // 2].sum()
    return f"{text}. The arena accepted {log['accepted'].sum()} new networks, {early} of them in the first half."


def cost_prose(log: pd.DataFrame, costs: pd.DataFrame) -> str:
    """What playing takes of a run's time, and how often searches asked for what was remembered."""
    stages = costs[["cpu_self-play", "cpu_arena", "cpu_training", "cpu_storing"]].sum()
    remembered = 1 - log["evaluations"].sum() / log["leaves"].sum()
    return (
        f"Playing, in self-play and in the arena, takes {100 * stages.iloc[:2].sum() / stages.sum():.0f} % of the "
        f"time. Of the positions that searches asked about, {100 * remembered:.0f} % had been evaluated before and "
        "were remembered."
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
