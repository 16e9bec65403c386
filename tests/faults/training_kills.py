"""SIGKILL at random moments of training runs: what they end with is what an undisturbed run ends with."""

import random
import shutil
import time
from pathlib import Path

from fault_tasks import train, training
from harness import PATIENCE, Outcome, clock, kill, results_below, started

from wslib.study.engine.store import MANIFEST

CASES = [(game, switch) for game in ("connect4", "othello", "gobang") for switch in ("fixed", "adaptive")]


def whole(root: Path) -> dict[str, bytes]:
    """The files of results and states that exist, which is: whose manifest does."""
    files = results_below(root)
    return {name: content for name, content in files.items() if f"{name.rpartition('/')[0]}/{MANIFEST}" in files}


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Kill so many processes, over all games and both switches, a third of them beside a second one."""
    outcome = Outcome("training killed", "SIGKILLs of a process that was training")
    draw = random.Random(seed)
    cases = CASES[:number]
    for place, (game, switch) in enumerate(cases):
        unit = training(game, switch)
        calm = folder / f"calm-{place}"
        seconds = 0.0
        for _ in range(2):  # the first loads the compiled functions
            shutil.rmtree(calm, ignore_errors=True)
            time_gone = clock()
            only = started(train, unit, str(calm))
            only.join(PATIENCE)
            seconds = time_gone()
        wanted, kills = whole(calm), 0
        while kills < number // len(cases) + (place < number % len(cases)):
            root = folder / f"root-{place}-{kills}"
            kills += _one_run(unit, root, wanted, draw, seconds, outcome)
            shutil.rmtree(root, ignore_errors=True)
    return outcome


def _one_run(unit, root: Path, wanted: dict[str, bytes], draw: random.Random, seconds: float, outcome: Outcome) -> int:
    """Kill and resume one run until it is through; how many kills that took."""
    kills, processes = 0, []
    company = draw.random() < 1 / 3
    while True:
        processes = [started(train, unit, str(root)) for _ in range(1 + company)]
        until = time.monotonic() + draw.uniform(0, 0.6 * seconds)
        while time.monotonic() < until and any(process.is_alive() for process in processes):
            time.sleep(0.002)
        killed = [kill(process) for process in processes]
        kills += sum(killed)
        if not all(killed) or draw.random() < 0.1:
            break
    last = started(train, unit, str(root))
    last.join(PATIENCE)
    outcome.count("runs ended" + (" of two processes at once" if company else ""))
    found = whole(root)
    different = sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))
    # A folder of an earlier iteration that a kill kept from being removed is what it was when it was committed.
    different = [name for name in different if name in wanted or not name.startswith(("state", "examples"))]
    outcome.trials += kills
    if last.exitcode != 0 or different:
        outcome.failures.append(f"{unit.run.game} {unit.run.switch}: exit code {last.exitcode}, {different[:3]}")
    return max(kills, 1)
