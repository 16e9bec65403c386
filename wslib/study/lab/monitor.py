"""A monitor of training runs: how far one is, how its curves go, what it plays; live while it trains.

It reads what a run stores after each iteration, and nothing else: whoever trains, in whichever process, notices
nothing of it, and a run that was resumed is shown like any other.
"""

import json
import math
import threading
import time
from contextlib import suppress
from itertools import pairwise
from numbers import Real
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import ipywidgets as widgets

from wslib import draw
from wslib.files import default_root
from wslib.games import game as game_of
from wslib.parameters import ParameterError, brief
from wslib.study.engine.networks import runs_in
from wslib.study.engine.run_files import RunFiles
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import MANIFEST
from wslib.study.engine.times import duration
from wslib.study.prompt import Run
from wslib.training.settings import RunSettings

EVERY = 2.0
"""Seconds between two looks."""
QUIET = 4.0
"""A run whose last iteration ended so many iterations' times ago does not run any more."""
USUAL = 100
"""Iterations of a run, where it is not said how many it is to have."""
CURVES = {
    "policy loss": ("policy_loss",), "value loss": ("value_loss", "fresh_value_loss"), "balance": ("balance",),
    "optimal moves": (),
}  # fmt: skip
"""Panels of the monitor: of the last one, the columns are those that were measured against perfect play."""
WIDTH, HEIGHT = 250, 110
SHOWN = 6
"""Positions of a game that are shown."""


class Progress(NamedTuple):
    """Where a run stands."""

    done: int
    of: int
    seconds: float
    """Of an iteration, the median of the last ones; not a number while there are none."""
    running: bool
    log: list[dict[str, Any]]
    """What each iteration told."""


NOT_SEEN = Progress(-1, 1, math.nan, False, [])


def progress(run: RunSettings, of: int, root: Path | None = None) -> Progress:
    """Where a run stands by the files that it has stored; these are only read."""
    files = RunFiles(run, root or default_root())
    log: list[dict[str, Any]] = []
    for iteration in files.iterations():
        with suppress(OSError, ValueError):  # a run removes the states that it has left behind
            log = json.loads((files.state(iteration) / "log.json").read_bytes())
            break
    ended = sorted(_times(files))
    between = [after - before for before, after in pairwise(ended)]
    seconds = median(between) if between else math.nan
    running = bool(ended) and len(log) < of and time.time() - ended[-1] < max(10.0, QUIET * (seconds or 0))
    return Progress(len(log), max(of, len(log)), seconds, running, log)


def _times(files: RunFiles) -> list[float]:
    """When the examples of iterations were stored: of those that are still kept."""
    found = []
    for path in files.examples.glob(f"*/{MANIFEST}"):
        with suppress(OSError):
            found.append(path.stat().st_mtime)
    return found


def sentence(now: Progress) -> str:
    """Where a run stands, in words."""
    if not now.done:
        return "Nothing is stored yet: the first iteration has not ended."
    last, words = now.log[-1], [f"iteration {now.done} of {now.of}"]
    if now.done >= now.of:
        words.append("finished")
    elif now.running:
        left = (now.of - now.done) * now.seconds
        words.append(f"about {duration(left)} left" if left == left else "running")
    else:
        words.append("not running at the moment")
    switched = next((news["iteration"] for news in now.log if news["switch"]), None)
    words.append(f"phase {last['phase']}" + (f", switched after iteration {switched}" if switched else ""))
    if _is_number(last["balance"]):
        words.append(f"balance {last['balance']:+.0f}")
    won, drawn, lost = last["first_wins"], last["draws"], last["first_losses"]
    words.append(f"its {won + drawn + lost} games: {won} won by X, {drawn} drawn, {last['distinct']} distinct")
    return "; ".join(words) + "."


def _is_number(what: Any) -> bool:
    """Whether an iteration told this: what it did not tell is null in a run's log, and empty in a stored table."""
    return isinstance(what, Real) and what == what


def panels(now: Progress) -> str:
    """The curves over iterations, as SVG that takes the page's colours."""
    parts = []
    for title, columns in CURVES.items():
        names = columns or tuple(sorted({key for news in now.log for key in news if key.endswith("_optimal")}))
        lines = {name: [(n["iteration"], n[name]) for n in now.log if _is_number(n.get(name))] for name in names}
        if drawn := {name: points for name, points in lines.items() if points}:
            parts.append(_panel(title, drawn, now.of))
    return f'<div style="display:flex;flex-wrap:wrap;gap:.5rem 1rem">{"".join(parts)}</div>'


def _panel(title: str, lines: dict[str, list[tuple[int, float]]], of: int) -> str:
    """One panel: a line for each name, its last value beside its name."""
    values = [value for points in lines.values() for _, value in points]
    low, high = min(values), max(values)
    room = (high - low) or 1.0

    def place(iteration: int, value: float) -> str:
        x = 8 + (iteration - 1) * (WIDTH - 16) / max(1, of - 1)
        return f"{x:.1f},{HEIGHT - 10 - (value - low) / room * (HEIGHT - 40):.1f}"

    drawn, words = [], []
    for number, (name, points) in enumerate(lines.items()):
        dash = ' stroke-dasharray="4 3"' if number else ""
        ends = " ".join(place(*point) for point in points)
        drawn.append(f'<polyline points="{ends}" fill="none" stroke="currentColor" stroke-width="1.6"{dash}/>')
        x, y = place(*points[-1]).split(",")
        drawn.append(f'<circle cx="{x}" cy="{y}" r="2.6" fill="currentColor"/>')
        words.append(f"{name.replace('_', ' ')} {points[-1][1]:.2f}" + (" (dashed)" if number else ""))
    told = f"{title}: {', '.join(words)}; from {low:.2f} to {high:.2f}"
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{told}" '
        f'font-family="system-ui, sans-serif" fill="currentColor"><title>{told}</title>'
        f'<text x="8" y="12" font-size="11" font-weight="bold">{title}</text>'
        f'<text x="8" y="25" font-size="10">{", ".join(words)}</text>{"".join(drawn)}</svg>'
    )


class RunView(widgets.VBox):
    """The curves of a run, and a game of each of its iterations."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.curves, self.games = widgets.HTML(), widgets.HTML()
        wide = {"style": {"description_width": "initial"}, "layout": {"width": "100%", "max_width": "30rem"}}
        self.iteration = widgets.IntSlider(min=1, max=1, description="A game of iteration", **wide)
        self.iteration.observe(lambda change: self._show_game(), "value")
        super().__init__([self.curves, self.iteration, self.games])

    def show(self, game: str, now: Progress) -> None:
        """Show what a run in this game has told; the slider goes along while it stands at the newest iteration."""
        self.game, self.told, self.curves.value = game, now.log, panels(now)
        newest = self.iteration.value >= self.iteration.max
        self.iteration.max = max(1, now.done)
        if newest:
            self.iteration.value = self.iteration.max
        self._show_game()

    def _show_game(self) -> None:
        """A game of the chosen iteration, as positions on its way."""
        if not 1 <= self.iteration.value <= len(self.told):
            self.games.value = ""
            return
        position = game_of(self.game).position(str(self.told[self.iteration.value - 1]["a_game"]))
        every = max(1, math.ceil(len(position.history) / SHOWN))
        self.games.value = draw.filmstrip(position, every=every)._repr_html_()


class Monitor(widgets.VBox):
    """Where runs stand. It looks by itself while a run goes on; ``look()`` does so at once."""

    def __init__(self, chosen: Run | None, every: float):
        self.stopped, self.one_at_a_time = threading.Event(), threading.RLock()
        self.given, self.every = chosen, every
        self.run = widgets.Dropdown(description="Run", layout={"width": "100%", "max_width": "50rem"})
        self.of = widgets.BoundedIntText(value=chosen.iterations if chosen else USUAL, min=1, max=10_000,
                                         description="of", tooltip="how many iterations it is to have")  # fmt: skip
        self.bar = widgets.IntProgress(layout={"width": "100%", "max_width": "50rem"})
        self.text, self.view = widgets.HTML(), RunView()
        self.seen = NOT_SEEN
        super().__init__([self.run, self.of, self.bar, self.text, self.view])
        self.run.observe(lambda change: self._begin(), "value")
        self.of.observe(lambda change: self.look(), "value")
        self.look()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        """Look again and again, until the monitor is closed."""
        while not self.stopped.wait(self.every):
            with suppress(OSError):
                self.look()

    def close(self) -> None:
        """Look no more."""
        self.stopped.set()
        super().close()

    def _offer(self) -> None:
        """The runs of the store, those whose files changed last first, and the one that was given."""
        found = [self.given.settings] if self.given else []
        found += [run for run in runs_in(default_root()) if not found or run.id != found[0].id]
        if [run.id for _, run in self.run.options] != [run.id for run in found]:
            chosen = self.run.value
            self.run.options = [(_called(run), run) for run in found]
            self.run.value = chosen if chosen in found else (found[0] if found else None)

    def _begin(self) -> None:
        self.seen = NOT_SEEN
        self.look()

    def look(self) -> None:
        """Read what is stored, and show what is new."""
        with self.one_at_a_time:  # the reader may turn to another run while the thread looks
            self._look()

    def _look(self) -> None:
        self._offer()
        run = self.run.value
        if run is None:
            self.text.value = "No run is stored here yet: train(…) makes one."
            return
        now = progress(run, self._asked(run))
        changed = (now.done, now.of) != (self.seen.done, self.seen.of)
        self.seen, self.text.value = now, sentence(now)
        if changed:
            self.bar.max, self.bar.value = now.of, now.done
            self.view.show(run.game, now)

    def _asked(self, run: RunSettings) -> int:
        """How many iterations it is to have: one that was stored as a whole has ended, unless somebody knows better."""
        done = next(iter(RunFiles(run, default_root()).iterations()), 0)
        if done and self.of.value == USUAL:
            unit = RunUnit(run=run, iterations=done)
            if (default_root() / unit.kind / unit.id / MANIFEST).exists():
                return done
        return self.of.value

    def __repr__(self) -> str:
        return f"{self.run.label}: {self.text.value}" if self.run.value else self.text.value


def _called(run: RunSettings) -> str:
    return f"{run.method} in {game_of(run.game).title}, seed {run.seed}, {run.id[:8]}"


def monitor(run: Run | str | None = None, *, every: float = EVERY) -> Monitor:
    """Watch training runs in JupyterLab, running or ended: one run, by itself or its id, or all of them.

    It reads what runs store and slows none of them; ``every`` is the time between two looks in seconds.
    """
    if isinstance(run, str):
        found = [one for one in runs_in(default_root()) if run and one.id.startswith(run)]
        if not found:
            raise ParameterError(f"there is no run {brief(run)} in the store; trained() lists those that are there")
        run = Run(found[0], USUAL)
    if not isinstance(run, Run | None):
        raise ParameterError(f"{brief(run)} is no run: give one as train(…) returns it, its id, or nothing for all")
    if not isinstance(every, int | float) or not every > 0:
        raise ParameterError(f"every = {brief(every)} is not allowed: it should be seconds, above 0")
    return Monitor(run, every)
