"""Two builds in one folder: one after the other."""

import functools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def alone(folder: Path, *command: str) -> list[str]:
    """The line that runs a command which only one process at a time runs in this folder."""
    return [sys.executable, "-m", "wslib.study.engine.alone", str(folder / "_build" / "lock"), "make it", *command]


def begun(log: Path) -> None:
    """Wait until a command has written to its log."""
    while not log.exists():
        time.sleep(0.01)


def test_of_two_commands_in_one_folder_the_second_says_that_it_waits_and_then_runs(tmp_path: Path):
    log = tmp_path / "log"
    line = alone(tmp_path, "sh", "-c", f"echo begin >> {log}; sleep 1; echo end >> {log}; exit 3")
    first = subprocess.Popen(line)
    begun(log)
    second = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (first.wait(), second.returncode) == (3, 3)
    assert log.read_text().split() == ["begin", "end"] * 2
    assert second.stderr == "another 'make it' works in this folder: waiting for it\n"


def test_a_lock_ends_with_the_last_that_works_under_it(tmp_path: Path):
    log = tmp_path / "log"
    work = f"echo begin >> {log}; sleep 1; echo end >> {log}"
    with subprocess.Popen(alone(tmp_path, "sh", "-c", work)) as first:
        begun(log)
        first.kill()  # and the shell goes on
    subprocess.run(alone(tmp_path, "sh", "-c", f"echo next >> {log}"), timeout=30, check=True)
    assert log.read_text().split() == ["begin", "end", "next"]


def test_an_interrupt_ends_who_works_and_who_waits_without_a_traceback(tmp_path: Path):
    log = tmp_path / "log"
    # A shell lets what it starts in the background ignore an interrupt, and its children with it.
    listens = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    how = {"stderr": subprocess.PIPE, "text": True, "start_new_session": True, "preexec_fn": listens}
    with (
        subprocess.Popen(alone(tmp_path, "sh", "-c", f"echo begin >> {log}; exec sleep 60"), **how) as first,
    ):
        begun(log)
        with subprocess.Popen(alone(tmp_path, "true"), **how) as second:
            assert "waiting" in second.stderr.readline()
            os.killpg(second.pid, signal.SIGINT)
            assert (second.wait(30), second.stderr.read()) == (130, "")
        os.killpg(first.pid, signal.SIGINT)
        assert (first.wait(30) != 0, first.stderr.read()) == (True, "")
