"""When a progress bar is shown: where somebody looks, in a terminal or a notebook, and not in a log."""

import sys


def nobody_looks() -> bool:
    """Whether standard error is a file, a pipe, or closed, and no notebook shows it."""
    return "ipykernel" not in sys.modules and not (sys.stderr and sys.stderr.isatty())
