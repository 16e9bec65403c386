"""A command that one process at a time runs in a folder: ``python -m wslib.study.engine.alone LOCK NAME COMMAND ...``.

The next one says that it waits, and for what. The lock is the system's, and what was started holds it too: it ends
when all that works under it has ended, however that ends.
"""

import fcntl
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended."""


def main(arguments: Sequence[str]) -> int:
    """Run the command when the lock is free; its exit code."""
    lock, name, *command = arguments
    Path(lock).parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "a") as file:
        try:
            _wait_for(file, name)
        except KeyboardInterrupt:
            return INTERRUPTED
        # Ctrl-C reaches the command as well, which ends in its own way (it would inherit that a signal is ignored).
        signal.signal(signal.SIGINT, lambda *_: None)
        return subprocess.call(command, pass_fds=[file.fileno()])


def _wait_for(file: IO[str], name: str) -> None:
    """Take the lock, or say who has it and wait."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print(f"another '{name}' works in this folder: waiting for it", file=sys.stderr)
        fcntl.flock(file, fcntl.LOCK_EX)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
