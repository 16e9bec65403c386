"""What a command does before the slow imports: Ctrl-C and our warnings are one line each, and standard error is there.

Importing this is enough; only the command line does.
"""

import os
import signal
import sys
import threading
import warnings
from typing import Any

_before, _swallowed, _formatted = sys.excepthook, sys.unraisablehook, warnings.formatwarning
AGAIN = 0.1
"""Seconds after which Ctrl-C comes again where Python could not pass it on."""


def _tell(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("\nstopped", file=sys.stderr)
    else:
        _before(kind, error, trace)


def _again(unraisable: Any) -> None:
    """Interrupt again in a moment: Python drops an exception that is raised in a finalizer or a callback."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        kind = signal.SIGTERM if callable(signal.getsignal(signal.SIGTERM)) else signal.SIGINT
        threading.Timer(AGAIN, signal.pthread_kill, (threading.main_thread().ident, kind)).start()
    else:
        _swallowed(unraisable)


def _line(message: Warning | str, kind: type[Warning], *place: Any) -> str:
    """A sentence for the user, as that damage was set aside, without the place in the code that says it."""
    return f"{message}\n" if kind is UserWarning else _formatted(message, kind, *place)


sys.excepthook, sys.unraisablehook = _tell, _again
warnings.formatwarning = _line  # type: ignore[assignment]
if sys.stderr is None:  # closed by whoever started this: the next file that is opened should not take its place
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
