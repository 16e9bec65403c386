"""Independent tasks in worker processes: one single-threaded process per core, results as they come.

A worker that is killed costs the attempt at its task and nothing else: another takes its place, and the task is tried
again. A task whose workers always die, or that raises, does not stop the others.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection, wait
from typing import Any

from wslib._stopping import postponed

RESTARTS = 3
"""How often a task that lost its worker is tried again."""
SECONDS_TO_END = 5.0
"""How long workers have to end when they are told to."""
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
Failed = Callable[[int, Exception], object]
More = Callable[[], tuple | None]
"""Gives the next task; None while none is ready (or for ever)."""


class WorkerLost(BrokenProcessPool):
    """A task whose workers were killed, time and again."""


def default_workers() -> int:
    """One worker per core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_processes(function: Callable[..., Any], tasks: Sequence[tuple], workers: int = 1,
                 failed: Failed | None = None) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """Yield ``(index, function(*tasks[index]))`` as results come; one worker means: here, in order.

    An error in a task is raised here; or, where ``failed`` is given, it is told and the other tasks go on.
    """
    waiting = iter(tasks)
    return as_ready(function, lambda: next(waiting, None), min(workers, len(tasks)), failed)


def as_ready(function: Callable[..., Any], more: More, workers: int = 1,
             failed: Failed | None = None) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """Yield ``(index, function(*task))`` for tasks that are asked for one by one, whenever a worker is free.

    ``index`` counts the tasks. It ends when nobody is at work and no task is ready.
    """
    failed = failed or _raise
    if workers > 1:
        yield from _Pool(function, more, workers, failed).results()
        return
    index = 0
    while (task := more()) is not None:
        try:
            result = function(*task)
        except Exception as error:
            failed(index, error)
        else:
            yield index, result
        index += 1


def _raise(index: int, error: Exception) -> None:
    raise error


class _Pool:
    """Worker processes, each with a connection over which it gets a task and gives its answer."""

    def __init__(self, function: Callable[..., Any], more: More, workers: int, failed: Failed):
        self.function, self.more, self.workers, self.failed = function, more, workers, failed
        self.tasks: list[tuple] = []
        self.attempts: list[int] = []
        self.waiting: deque[int] = deque()
        """Tasks that have lost their worker."""
        self.at_work: dict[Connection, tuple[Any, int]] = {}
        """Each busy worker's connection: its process and the number of its task."""
        self.idle: list[tuple[Connection, Any]] = []

    def results(self) -> Iterator[tuple[int, Any]]:
        """What the tasks give, as it comes."""
        try:
            while True:
                while len(self.at_work) < self.workers and (index := self._next()) is not None:
                    self._give(index)
                if not self.at_work:
                    return
                for connection in wait(list(self.at_work)):
                    yield from self._answer(connection)
        finally:
            self._end()

    def _next(self) -> int | None:
        """The number of a task to give: one that has lost its worker, or a new one."""
        if self.waiting:
            return self.waiting.popleft()
        task = self.more()
        if task is None:
            return None
        self.tasks.append(task)
        self.attempts.append(0)
        return len(self.tasks) - 1

    def _give(self, index: int) -> None:
        """Hand a task to an idle worker, or to a new one."""
        connection, process = self.idle.pop() if self.idle else self._hired()
        self.at_work[connection] = process, index
        # A worker that has just died is noticed when its answer is read.
        with contextlib.suppress(OSError):
            connection.send(self.tasks[index])

    def _hired(self) -> tuple[Connection, Any]:
        """A new worker, which has been sent the function: its connection and its process."""
        # Not "fork": a notebook's kernel has threads, and forked locks stay locked.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs,))
        # Ctrl-C reaches every process of a terminal; it is the parent who stops its workers, also while they begin.
        with postponed(signal.SIGINT):
            process.start()
        theirs.close()  # so that the end of the process is the end of the connection
        with contextlib.suppress(OSError):
            ours.send(self.function)
        return ours, process

    def _answer(self, connection: Any) -> Iterator[tuple[int, Any]]:
        """Read what a worker has to say: a result, an error, or that it is gone."""
        process, index = self.at_work.pop(connection)
        try:
            done, answer = connection.recv()
        except (EOFError, OSError):
            self._lost(connection, process, index)
            return
        except Exception as error:  # an answer that cannot be read here
            done, answer = False, error
        self.idle.append((connection, process))
        if done:
            yield index, answer
        else:
            self.failed(index, answer)

    def _lost(self, connection: Connection, process: Any, index: int) -> None:
        """Let the task of a worker that has ended wait for another, unless it has lost too many."""
        connection.close()
        process.join()
        self.attempts[index] += 1
        if self.attempts[index] <= RESTARTS:
            self.waiting.append(index)
            return
        how = f"signal {-process.exitcode}" if process.exitcode < 0 else f"exit code {process.exitcode}"
        self.failed(index, WorkerLost(f"the process that worked on it ended {self.attempts[index]} times ({how})"))

    def _end(self) -> None:
        """See idle workers off, and stop those that are still at work: what matters they have stored.

        However often this is interrupted, none is left behind; one that does not end, as it is halted, is killed.
        """
        with postponed(signal.SIGINT, signal.SIGTERM):
            for process, _ in self.at_work.values():
                process.terminate()
            for connection in [*self.at_work, *(connection for connection, _ in self.idle)]:
                connection.close()
            last = time.monotonic() + SECONDS_TO_END
            for process in [*(process for process, _ in self.at_work.values()), *(process for _, process in self.idle)]:
                process.join(max(0.0, last - time.monotonic()))
                if process.is_alive():
                    process.kill()
                    process.join()


def _work(connection: Connection) -> None:
    """The life of a worker: the function, which brings its libraries along, and tasks until the connection ends."""
    for name in _ONE_THREAD:
        os.environ[name] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        function = connection.recv()
        while True:
            task = connection.recv()
            try:
                answer: tuple[bool, Any] = True, function(*task)
            except Exception as error:
                error.add_note(traceback.format_exc())
                answer = False, error
            try:
                connection.send(answer)
            except OSError:
                raise
            except Exception:  # neither every result nor every error can be sent
                connection.send((False, RuntimeError(f"{type(answer[1]).__name__}: {answer[1]}")))


def _end_with_parent() -> None:
    """A parent that is killed cannot stop its workers, and they would work on."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
