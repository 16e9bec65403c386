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

KINDS = ("HUP", "INT", "QUIT", "KILL", "USR1", "USR2", "PIPE", "ALRM", "TERM", "XCPU", "STOP")
COMMAND = (
    sys.executable,
    "-c",
    "from wslib.study.engine.cli import main; raise SystemExit(main())",
    "run",
    "it_learns",
    "--workers",
    "2",
    "--set",
    "preset=smoke",
    "--set",
    "boards=connect4,gobang",
)
MOMENTS = 30.0
"""Seconds within which such a command ends, and then all that it has started, on a machine with nothing else to do."""


def start(store: Path, said: Path) -> subprocess.Popen:
    """The command, in a session of its own."""
    with said.open("w") as file:
        return subprocess.Popen(COMMAND, env={**os.environ, "WSLIB_STORE": str(store)}, stdout=file, stderr=file,
                                start_new_session=True)  # fmt: skip


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


def _trial(kind: str, store: Path, said: Path, after: float, patience: float) -> str | None:
    """What went wrong when the command got this signal so many seconds after it began; None where it had ended."""
    running = start(store, said)
    try:
        running.wait(after)
        return None
    except subprocess.TimeoutExpired:
        os.kill(running.pid, signal.Signals[f"SIG{kind}"])
    wrong = []
    if kind == "STOP":
        time.sleep(0.2)
        os.kill(running.pid, signal.SIGCONT)
        running.wait(PATIENCE)
        wrong += [] if running.returncode == 0 else [f"exit code {running.returncode} after a pause"]
    else:
        try:
            running.wait(patience)
        except subprocess.TimeoutExpired:
            wrong.append("did not end")
    if not wrong and not ended(running.pid, patience):
        wrong.append("left workers behind")
    for left in session(running.pid):
        os.kill(left, signal.SIGKILL)
    running.wait()
    if "Traceback" in said.read_text():
        wrong.append("a traceback")
    return ", ".join(wrong)


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Send so many signals, of all kinds in turn; each store is gone on with until it is whole, and compared."""
    outcome = Outcome("signals", f"signals of {len(KINDS)} kinds to the command line")
    draw, said, calm, store = random.Random(seed), folder / "said", folder / "calm", folder / "store"
    for _ in range(2):  # the first compiles
        shutil.rmtree(calm, ignore_errors=True)
        time_gone = clock()
        assert start(calm, said).wait(3 * PATIENCE) == 0, said.read_text()
        seconds = time_gone()
    wanted = results_below(calm / "run")
    assert wanted, "nothing was computed"
    while outcome.trials < number:
        kind = KINDS[outcome.trials % len(KINDS)]
        wrong = _trial(kind, store, said, draw.uniform(0.05, 1) * seconds, max(MOMENTS, 3 * seconds))
        if wrong is not None:
            outcome.expect(not wrong, f"SIG{kind}: {wrong}")
            if outcome.trials % 3:  # two more interrupt what goes on from here
                continue
        finished = start(store, said)
        found = results_below(store / "run") if finished.wait(PATIENCE) == 0 else {}
        outcome.count("results compared", len(found))
        if found != wanted:
            outcome.failures.append(f"after SIG{kind} other results: exit code {finished.returncode}")
        shutil.rmtree(store, ignore_errors=True)
    return outcome
