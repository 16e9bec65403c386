"""Independent tasks in worker processes: one single-threaded process per core, results as they come."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any

RESTARTS = 3
"""How often a pool that lost a worker is set up again."""
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def default_workers() -> int:
    """One worker per core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start_worker() -> None:
    for name in _ONE_THREAD:
        os.environ[name] = "1"
    # Ctrl-C reaches every process of a terminal; it is the parent who stops, and a worker ends what it has begun.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that is killed cannot stop its workers, and they would wait for tasks forever."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def in_processes(function: Callable[..., Any], tasks: Sequence[tuple], workers: int = 1) -> Iterator[tuple[int, Any]]:
    """Yield ``(index, function(*tasks[index]))`` as results come; one worker means: here, in order.

    A worker that dies takes no result with it: its task is done again by another. An error in a task is raised here.
    """
    if workers <= 1 or len(tasks) <= 1:
        for index, task in enumerate(tasks):
            yield index, function(*task)
        return
    left = set(range(len(tasks)))
    for attempt in range(RESTARTS + 1):
        # Not "fork": a notebook's kernel has threads, and forked locks stay locked.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(min(workers, len(left)), mp_context=context, initializer=_start_worker)
        futures: dict[Future, int] = {}
        done = False
        try:
            for index in sorted(left):
                futures[pool.submit(function, *tasks[index])] = index
            for future in as_completed(futures):
                result = future.result()
                left.discard(futures[future])
                yield futures[future], result
            done = True
            return
        except BrokenProcessPool:
            if attempt == RESTARTS:
                raise
        finally:
            # The pool's own cancel_futures is forgotten when the pool is, as after an interruption, where nobody waits.
            for future in futures:
                future.cancel()
            # Otherwise idle workers are seen off: a process that was itself started by multiprocessing closes their
            # queue when it ends, and would wait for them forever.
            pool.shutdown(wait=done)
