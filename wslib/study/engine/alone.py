"""A command that only one process at a time runs in a folder: ``python -m wslib.study.engine.alone LOCK COMMAND ...``.

The next one says that it waits, and for what. The lock is the system's, so it ends with its owner, however that ends.
"""

import fcntl
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str]) -> int:
    """Run the command when the lock is free; its exit code."""
    lock, *command = arguments
    Path(lock).parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print(f"another '{' '.join(command[-2:])}' works in this folder: waiting for it", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
