"""``make book`` twice in one folder at once: one builds, and the other waits, or goes on where the first was killed."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from harness import PATIENCE, Outcome, clock

from wslib.files import HOME

PAGE = "# A book of two pages\n\nThe other one is {doc}`/book/runs/two`.\n"
CONTENTS = "format: jb-book\nroot: book/intro\nchapters:\n  - file: book/runs/two\n"
NOTEBOOK = """\
# ---
# jupyter:
#   kernelspec:
#     name: python3
#     display_name: Python 3
# ---

# %% [markdown]
# # The second page

# %% tags=["parameters"]
word: str = "written"

# %%
print(word)
"""


def project(folder: Path) -> None:
    """A copy of the project with this Makefile and environment, and a book of two pages."""
    for name in ("Makefile", "_config.yml", "pyproject.toml", "requirements.lock"):
        shutil.copy(HOME / name, folder)
        os.utime(folder / name, (0, 0))  # older than the environment, so that nothing is installed
    (folder / "wslib").symlink_to(HOME / "wslib")
    environment = folder / ".venv"
    environment.mkdir()
    for entry in Path(sys.prefix).iterdir():
        (environment / entry.name).symlink_to(entry)
    if not (environment / ".ok").exists():
        (environment / ".ok").touch()
    for name in ("_static", "_ext", "references.bib"):
        (folder / "book").mkdir(exist_ok=True)
        source = HOME / "book" / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / "book" / name)
    (folder / "book" / "intro.md").write_text(PAGE)
    (folder / "book" / "_toc.yml").write_text(CONTENTS)
    (folder / "notebooks").mkdir()
    (folder / "notebooks" / "two.py").write_text(NOTEBOOK)
    (folder / "data").mkdir()


def start(folder: Path, name: str) -> subprocess.Popen:
    """One ``make book``, in a session of its own as in a terminal; what it says goes to a file."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    with (folder / name).open("w") as said:
        return subprocess.Popen(["make", "book"], cwd=folder, env=environment, stdout=said, stderr=said,
                                start_new_session=True)  # fmt: skip


def missing(folder: Path) -> str:
    """What a whole book has and this one has not."""
    html = folder / "_build" / "html"
    pages = {"book/intro.html": "The second page", "book/runs/two.html": "written"}
    for page, words in pages.items():
        text = (html / page).read_text() if (html / page).exists() else ""
        if words not in re.sub("<[^>]*>", "", text) or "</html>" not in text:
            return f"{page} is not whole"
    return "" if (html / "index.html").exists() and not (folder / "_build" / "next").exists() else "left-overs"


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Build a small book so many times by two at once; the first of every third pair is killed."""
    outcome = Outcome("two builds", "pairs of “make book” in one folder at once")
    draw, seconds = random.Random(seed), 0.0
    project(folder)
    while outcome.wants(number):
        for left in (folder / "_build", folder / "book" / "runs"):
            shutil.rmtree(left, ignore_errors=True)
        killed, time_gone = outcome.trials % 3 == 2, clock()
        first = start(folder, "first")
        wait(first, draw.uniform(0, 0.9) * seconds)
        second = start(folder, "second")
        if killed:
            wait(first, draw.uniform(0, 0.5) * seconds)
            if killed := first.poll() is None:
                os.killpg(first.pid, signal.SIGKILL)
        ends = (first.wait(PATIENCE), second.wait(PATIENCE))
        seconds = seconds or time_gone()
        told = (folder / "second").read_text()
        waited = "waiting for it" in told
        outcome.count("the second waited", waited)
        outcome.count("the first was killed", killed)
        wrong = missing(folder) or ("" if (ends[0] == 0 or killed) and ends[1] == 0 else f"exit codes {ends}")
        outcome.expect(not wrong, f"{wrong}: {told[-200:]!r}")
    return outcome


def wait(process: subprocess.Popen, seconds: float) -> None:
    """Wait for its end, at most so long."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
