"""Tasks for the tests of `wslib.workers`, in a module of their own so that workers start quickly."""

import os
import signal
from pathlib import Path


def square(number: int) -> int:
    return number * number


def square_after_dying_once(number: int, unlucky: int, marker: str) -> int:
    """The square; but the first process that comes to the unlucky number is killed in the middle of it."""
    if number == unlucky:
        try:
            Path(marker).touch(exist_ok=False)
        except FileExistsError:
            return number * number
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuse(number: int) -> int:
    raise LookupError(f"no square of {number}")


def process_id(_: int) -> int:
    return os.getpid()
