"""What a command does before the slow imports: Ctrl-C is one line from then on, and standard error is there.

Importing this is enough; only the command line does.
"""

import os
import sys
from typing import Any

_before = sys.excepthook


def _tell(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("\nstopped", file=sys.stderr)
    else:
        _before(kind, error, trace)


sys.excepthook = _tell
if sys.stderr is None:  # closed by whoever started this: the next file that is opened should not take its place
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
