"""What a command does before the slow imports: Ctrl-C and our warnings are one line each, and standard error is there.

Importing this is enough; only the command line does.
"""

import os
import sys
import warnings
from typing import Any

_before, _formatted = sys.excepthook, warnings.formatwarning


def _tell(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("\nstopped", file=sys.stderr)
    else:
        _before(kind, error, trace)


def _line(message: Warning | str, kind: type[Warning], *place: Any) -> str:
    """A sentence for the user, as that damage was set aside, without the place in the code that says it."""
    return f"{message}\n" if kind is UserWarning else _formatted(message, kind, *place)


sys.excepthook = _tell
warnings.formatwarning = _line  # type: ignore[assignment]
if sys.stderr is None:  # closed by whoever started this: the next file that is opened should not take its place
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
