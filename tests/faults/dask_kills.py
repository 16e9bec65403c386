"""Dask with a scheduler and two workers as separate processes: workers killed repeatedly, then the scheduler.

Nothing is lost, the bytes are those of a local run, and no more units are computed twice than processes were killed.
"""

import os
import random
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from fault_tasks import TinyUnit
from harness import HERE, PATIENCE, Outcome, results_below

from wslib.study.engine import units as study
from wslib.study.engine.dask import SchedulerLost
from wslib.study.engine.store import LocalStore

WORKERS = 2


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Cluster:
    """A scheduler and workers, each a process of its own as somebody would start them at prompts."""

    def __init__(self, folder: Path):
        self.folder, self.processes = folder, {}
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.log = (folder / "dask.log").open("ab")

    def start(self, name: str) -> None:
        """Start "scheduler", or a worker under any other name."""
        port = self.address.rpartition(":")[2]
        here = ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
        scheduler = ["scheduler", *here, "--port", port, "--no-show"]
        worker = ["worker", self.address, *here, "--nthreads", "1", "--no-nanny"]
        worker += ["--local-directory", str(self.folder / name)]
        command = [sys.executable, "-m", "dask", *(scheduler if name == "scheduler" else worker)]
        self.processes[name] = subprocess.Popen(
            command, env={**os.environ, "PYTHONPATH": HERE}, stdout=self.log, stderr=self.log
        )

    def kill(self, name: str) -> None:
        """SIGKILL."""
        self.processes[name].kill()
        self.processes[name].wait(PATIENCE)

    def end(self) -> None:
        """Nothing stays."""
        for name in self.processes:
            self.kill(name)
        self.log.close()


def run(number: int, seed: int, folder: Path) -> Outcome:
    """So many units, a worker killed about every second; the scheduler killed once when half of them are there."""
    outcome = Outcome("Dask", "units computed through a scheduler and 2 workers")
    attempts, root, draw = folder / "attempts", folder / "store", random.Random(seed)
    attempts.touch()
    units = [TinyUnit(number=n, milliseconds=50, attempts=str(attempts)) for n in range(number)]
    cluster, done = Cluster(folder), threading.Event()
    cluster.start("scheduler")
    for n in range(WORKERS):
        cluster.start(f"worker-{n}")

    def stored() -> int:
        return len(LocalStore(root).latest("tiny"))

    def trouble() -> None:
        kills, half = 0, True
        while not done.wait(draw.uniform(1, 2)):
            if half and stored() >= number / 2:
                cluster.kill("scheduler")
                outcome.count("scheduler kills")
                half = False
                cluster.start("scheduler")
                for n in range(WORKERS):  # they leave with their scheduler
                    outcome.count("worker kills")
                    cluster.kill(f"worker-{n}")
                    cluster.start(f"worker-{n}")
            elif 0 < stored() < number - WORKERS and kills < number / 20:
                name = f"worker-{draw.randrange(WORKERS)}"
                cluster.kill(name)
                outcome.count("worker kills")
                kills += 1
                cluster.start(name)

    thread = threading.Thread(target=trouble, daemon=True)
    thread.start()
    try:
        for _ in range(5):
            try:
                study.results(units, "trial", store=LocalStore(root), progress=False, on=cluster.address)
                break
            except SchedulerLost:
                outcome.count("calls that lost their scheduler")
                time.sleep(1)
    finally:
        done.set()
        thread.join(PATIENCE)
        cluster.end()
    _judge(outcome, units, folder, len(attempts.read_text().split()))
    return outcome


def _judge(outcome: Outcome, units: list[TinyUnit], folder: Path, attempts: int) -> None:
    kills = outcome.details.get("worker kills", 0) + outcome.details.get("scheduler kills", 0)
    outcome.details["computed more than once"] = attempts - len(units)
    if attempts - len(units) > kills:
        outcome.failures.append(f"{attempts - len(units)} re-executions after {kills} kills")
    study.results(units, "trial", 1, LocalStore(folder / "alone"), progress=False)
    wanted, found = results_below(folder / "alone"), results_below(folder / "store")
    for unit in units:
        mine = [name for name in wanted if unit.id in name]
        outcome.expect(all(found.get(name) == wanted[name] for name in mine), f"unit {unit.id} is lost or another")
