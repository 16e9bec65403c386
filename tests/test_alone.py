"""Two builds in one folder: one after the other."""

import subprocess
import sys
import time
from pathlib import Path


def test_of_two_commands_in_one_folder_the_second_says_that_it_waits_and_then_runs(tmp_path: Path):
    log, lock = tmp_path / "log", tmp_path / "_build" / "lock"
    command = ["sh", "-c", f"echo begin >> {log}; sleep 2; echo end >> {log}; exit 3"]
    line = [sys.executable, "-m", "wslib.study.engine.alone", str(lock), *command]
    first = subprocess.Popen(line)
    while not log.exists():
        time.sleep(0.01)
    second = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (first.wait(), second.returncode) == (3, 3)
    assert log.read_text().split() == ["begin", "end"] * 2
    assert second.stderr.endswith("works in this folder: waiting for it\n")


def test_a_lock_ends_with_its_owner(tmp_path: Path):
    line = [sys.executable, "-m", "wslib.study.engine.alone", str(tmp_path / "lock")]
    with subprocess.Popen([*line, "sleep", "60"]) as first:
        time.sleep(1)
        first.kill()
    assert subprocess.run([*line, "true"], timeout=30, check=False).returncode == 0
