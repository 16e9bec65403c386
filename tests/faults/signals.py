"""Signals of eleven kinds to the command line at random moments: it ends quietly, and what it leaves goes on."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from harness import PATIENCE, Outcome, clock, results_below

KINDS = ("INT", "TERM", "KILL", "HUP", "QUIT", "USR1", "USR2", "PIPE", "ALRM", "XCPU", "STOP")
SCRIPT = "from wslib.study.engine.cli import main; raise SystemExit(main())"
COMMAND = (sys.executable, "-c", SCRIPT, "run", "it_learns", "--set", "preset=smoke", "--set", "boards=connect4,gobang")
WORKERS = (1, 1, 1, 1, 1, 2)
"""Worker processes of the command, store by store: one computes in the command's own process."""
AT_ONCE = 2.0
"""Seconds within which a command may have come to its end before the signal did."""
FROM_A_TERMINAL = ("HUP", "INT", "QUIT")
"""A terminal sends these to all processes of a session."""
GOES_ON = ("PIPE", "STOP")
"""After these the command goes on to its end, a stopped one when it is continued."""
AS_CTRL_C = 130
"""The exit code of the command when SIGINT or SIGTERM has stopped it."""
MOMENTS = 30.0
"""Seconds within which such a command ends, and then all that it has started, on a machine with nothing else to do."""


def start(store: Path, said: Path, workers: int) -> subprocess.Popen:
    """The command, in a session of its own."""
    with said.open("w") as file:
        return subprocess.Popen((*COMMAND, "--workers", str(workers)), env={**os.environ, "WSLIB_STORE": str(store)},
                                stdout=file, stderr=file, start_new_session=True, preexec_fn=_listening)  # fmt: skip


def _listening() -> None:
    """A shell lets what it starts in the background ignore these."""
    for kind in FROM_A_TERMINAL:
        signal.signal(signal.Signals[f"SIG{kind}"], signal.SIG_DFL)


def session(leader: int) -> list[int]:
    """The processes of a session that are not dead."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, sid, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found += [int(folder.name)] if int(sid) == leader and state not in "ZX" else []
    return found


def ended(leader: int, patience: float) -> bool:
    """Whether nothing of a session is left, or will be in a moment."""
    time_gone = clock()
    while session(leader):
        if time_gone() > patience:
            return False
        time.sleep(0.05)
    return True


def _trial(kind: str, running: subprocess.Popen, said: Path, after: float, patience: float) -> str | None:
    """What went wrong when the command got this signal so many seconds after it began; None where it had ended."""
    try:
        running.wait(after)
        return None
    except subprocess.TimeoutExpired:
        send = os.killpg if kind in FROM_A_TERMINAL else os.kill
        send(running.pid, signal.Signals[f"SIG{kind}"])
    wrong, time_gone = [], clock()
    if kind in GOES_ON:
        time.sleep(0.2)
        os.kill(running.pid, signal.SIGCONT)
        running.wait(PATIENCE)
        wrong += [] if running.returncode == 0 else [f"exit code {running.returncode}"]
    else:
        try:
            running.wait(patience)
        except subprocess.TimeoutExpired:
            wrong.append("did not end")
        codes = {-signal.Signals[f"SIG{kind}"], *([AS_CTRL_C] if kind in ("INT", "TERM") else [])}
        if running.returncode == 0 and "units computed here" in said.read_text():
            wrong += ["went on to its end"] if time_gone() > AT_ONCE else []
        elif not wrong and running.returncode not in codes:
            wrong.append(f"exit code {running.returncode}")
    if not wrong and not ended(running.pid, patience):
        wrong.append("left workers behind")
    for left in session(running.pid):
        os.kill(left, signal.SIGKILL)
    running.wait()
    if "Traceback" in said.read_text():
        wrong.append("a traceback")
    return ", ".join(wrong)


def _seconds_of_a_calm_run(store: Path, said: Path, workers: int) -> float:
    """How long the command takes from an empty store when no signal comes."""
    shutil.rmtree(store, ignore_errors=True)
    time_gone = clock()
    assert start(store, said, workers).wait(3 * PATIENCE) == 0, said.read_text()
    return time_gone()


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Send so many signals, of all kinds in turn; each store is gone on with until it is whole, and compared."""
    outcome = Outcome("signals", f"signals of {len(KINDS)} kinds to the command line")
    draw, said, calm, store = random.Random(seed), folder / "said", folder / "calm", folder / "store"
    _seconds_of_a_calm_run(calm, said, 1)  # this one compiles
    wanted = results_below(calm / "run")
    assert wanted, "nothing was computed"
    seconds: dict[int, float] = {}
    stores = 0
    while outcome.wants(number):
        kind, workers = KINDS[outcome.trials % len(KINDS)], WORKERS[stores % len(WORKERS)]
        if workers not in seconds:
            seconds[workers] = _seconds_of_a_calm_run(calm, said, workers)
        after = draw.uniform(0.05, 1) * seconds[workers]
        wrong = _trial(kind, start(store, said, workers), said, after, max(MOMENTS, 3 * seconds[workers]))
        # Other things run beside this, now and then: moments follow how long the command takes.
        seconds[workers] *= 0.9 if wrong is None else 1.02
        if wrong is not None:
            outcome.expect(not wrong, f"SIG{kind}, {workers} workers: {wrong}")
            outcome.count("to commands with worker processes", workers > 1)
            if outcome.trials % 3:  # two more interrupt what goes on from here
                continue
        finished = start(store, said, workers)
        found = results_below(store / "run") if finished.wait(PATIENCE) == 0 else {}
        outcome.count("results compared", len(found))
        if found != wanted:
            outcome.failures.append(f"after SIG{kind} other results: exit code {finished.returncode}")
        shutil.rmtree(store, ignore_errors=True)
        stores += 1
    return outcome
