"""The benchmark's clock, the same for both programs; standard library only, as OpenSpiel's environment lacks ours."""

import time
from collections.abc import Callable
from typing import Any


def repeat(work: Callable[[int], Any], seconds: float) -> tuple[list[Any], dict[str, float]]:
    """Call ``work(0)``, ``work(1)``, … until this much CPU time is used up; the results, and the time that it took."""
    done = []
    wall, cpu = time.perf_counter(), time.process_time()
    while time.process_time() - cpu < seconds:
        done.append(work(len(done)))
    return done, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
