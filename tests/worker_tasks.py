"""Tasks for the tests of `wslib.workers`, in a module of their own so that workers start quickly."""

import os
import signal
import time
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


def card_beside_others(number: int, cards: int, folder: Path, others: int) -> int:
    """The GPU that this process takes where there are so many; it ends when as many processes have taken one."""
    from wslib.study.engine import provenance

    provenance.gpus_here = lambda: cards
    taken = provenance.own_card()
    folder.mkdir(exist_ok=True)
    (folder / str(number)).touch()
    while len(list(folder.iterdir())) < others:
        time.sleep(0.01)
    return taken
