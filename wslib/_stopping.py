"""Signals that wait while workers begin and end, so that none is left behind and none tells of it at length."""

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def postponed(*signals: signal.Signals) -> Iterator[None]:
    """Let these signals wait until the block has ended; a process that is started in it begins deaf to them."""
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []
    # The mask is for the processes, which inherit it; here, where other threads may take the signal, a note is made.
    handlers = {name: signal.signal(name, lambda number, _: noted.append(number)) for name in signals}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for name, handler in handlers.items():
            signal.signal(name, handler)
        if noted:
            signal.raise_signal(noted[0])
