"""Executions of a notebook that are killed at random moments: where a good one was, one that can be read is."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import nbformat
from harness import Outcome, clock

NOTEBOOK = """\
# ---
# jupyter:
#   kernelspec:
#     name: python3
#     display_name: Python 3
# ---

# %% tags=["parameters"]
lines: int = 8_000  # lines of output in a cell
"""
CELL = '\n# %%\nprint("\\n".join(str(n) * 8 for n in range(lines)))\n'


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Execute a notebook with megabytes of output so many times over the same good one, and kill most of them."""
    outcome = Outcome("notebooks", "executions that were killed")
    draw = random.Random(seed)
    (folder / "notebooks").mkdir()
    (folder / "notebooks" / "x.py").write_text(NOTEBOOK + CELL * 12)
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", "--log-level", "ERROR", "notebooks/x.py",
               "out.ipynb"]  # fmt: skip
    time_gone = clock()
    subprocess.run(command, cwd=folder, check=True)
    seconds, output = time_gone(), folder / "out.ipynb"
    outcome.details["bytes of the notebook"] = output.stat().st_size
    while outcome.wants(number):
        # Its kernel goes with it: the same session.
        running = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True)
        # Nothing is written while the kernel starts.
        time.sleep(draw.uniform(0.3, 1.05) * seconds)
        killed = running.poll() is None
        running.kill()
        running.wait()
        if not killed:
            outcome.count("ended before")
            continue
        try:
            cells = nbformat.validate(json.loads(output.read_text())) or len(json.loads(output.read_text())["cells"])
        except (ValueError, OSError, nbformat.ValidationError):
            cells = 0
        outcome.expect(cells >= 13, "the notebook cannot be read any more")
    outcome.details["temporary files left"] = len(list(folder.glob(".*.tmp")))
    return outcome
