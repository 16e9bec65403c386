"""Where progress is shown: where somebody looks, in a terminal or a notebook, and not in a log."""

import os
import sys
from typing import TextIO

BY_PAPERMILL = "WSLIB_BY_PAPERMILL"
"""Set for kernels that papermill has started: whoever waits for those sits at papermill's terminal."""


def nobody_looks() -> bool:
    """Whether standard error is a file, a pipe, or closed, and no notebook shows it."""
    if in_papermill():
        return not os.isatty(sys.stderr.fileno())
    return "ipykernel" not in sys.modules and not (sys.stderr and sys.stderr.isatty())


def in_papermill() -> bool:
    """Whether this is a kernel that papermill has started, whose output nobody sees before it has ended."""
    if "ipykernel" not in sys.modules or not os.environ.get(BY_PAPERMILL):
        return False
    try:
        return sys.stderr.fileno() >= 0
    except (AttributeError, OSError):  # a kernel that watches no files, as in tests, leads nowhere
        return False


def terminal() -> TextIO:
    """Where a bar is drawn: on standard error; in a notebook, which shows that in red, on standard output.

    In a kernel of papermill it is papermill's standard error, which is what a kernel's file number leads to.
    """
    if not in_papermill():
        return sys.stdout if "ipykernel" in sys.modules else sys.stderr
    return open(sys.stderr.fileno(), "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)


def tell(line: str) -> None:
    """A line about what is being done; in papermill both for its terminal and for the notebook that it writes."""
    # A notebook shows standard error in red, like a warning.
    print(line, file=sys.stdout if "ipykernel" in sys.modules else sys.stderr, flush=True)
    if in_papermill():
        beginning = "\r\x1b[K" if os.isatty(sys.stderr.fileno()) else ""  # papermill's own bar makes room
        print(f"{beginning}{line}", file=terminal(), flush=True)
