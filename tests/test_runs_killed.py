"""A training run in a process of its own, killed without warning and gone on with: the bytes of an undisturbed one."""

import os
import signal
import time
from multiprocessing import get_context
from pathlib import Path
from random import Random

import pytest

from wslib.study.engine.run_files import KEPT
from wslib.study.engine.states import RunFolder, train
from wslib.study.engine.store import sweep
from wslib.study.presets import preset
from wslib.training.settings import RunSettings

ITERATIONS = 16
RUN = preset("smoke", game="othello", method="wrora", switch="adaptive", retrained=3, optimiser="carried", noise=0.25)
OTHER = preset("smoke", game="connect4", method="rave", warm_iterations=6, retrained=3, arena_trees="match")
PATIENCE = 600.0
FRESH = get_context("forkserver")
# The imports, of which no run is part, once for all processes.
FRESH.set_forkserver_preload(["wslib.study.engine.states"])


def train_here(run: RunSettings, root: str) -> None:
    train(run, ITERATIONS, Path(root))


def begin(run: RunSettings, root: Path):
    process = FRESH.Process(target=train_here, args=(run, str(root)))
    process.start()
    return process


def result(run: RunSettings, root: Path) -> dict[str, bytes]:
    """Weights, log, optimiser and examples of the last state, and the networks that are kept on the way."""
    folder, found = RunFolder(run, root), {}
    for k in (*(k for k in KEPT if k < ITERATIONS), ITERATIONS):
        found |= {f"{k} {path.name}": path.read_bytes() for path in (folder.states / f"{k:04d}").iterdir()}
    for k in range(ITERATIONS - run.retrained + 1, ITERATIONS + 1):
        found |= {f"{k} {path.name}": path.read_bytes() for path in (folder.examples / f"{k:04d}").iterdir()}
    return found


def wait_for_state(run: RunSettings, root: Path, iteration: int, process) -> None:
    """Until the state of an iteration is there; the process must not have ended before."""
    begun = time.monotonic()
    while not (RunFolder(run, root).iterations() or [0])[0] >= iteration:
        assert process.exitcode is None and time.monotonic() < begun + PATIENCE, f"iteration {iteration} never came"
        time.sleep(0.001)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the run gives when nobody disturbs it."""
    root = tmp_path_factory.mktemp("undisturbed")
    train_here(RUN, str(root))
    return result(RUN, root)


@pytest.mark.parametrize("company", [False, True], ids=["alone", "beside another run"])
def test_a_run_that_is_killed_again_and_again_ends_with_the_bytes_of_an_undisturbed_one(company, undisturbed, tmp_path):
    random, killed_at = Random(company), []
    other = begin(OTHER, tmp_path) if company else None
    try:
        while (stands := (RunFolder(RUN, tmp_path).iterations() or [0])[0]) < ITERATIONS - 6:
            process = begin(RUN, tmp_path)
            wait_for_state(RUN, tmp_path, stands + random.randint(1, 3), process)
            time.sleep(random.uniform(0, 0.05))  # somewhere in the next iteration
            os.kill(process.pid, signal.SIGKILL)
            process.join(PATIENCE)
            assert process.exitcode == -signal.SIGKILL, "it was at work"
            killed_at.append((RunFolder(RUN, tmp_path).iterations() or [0])[0])
        last = begin(RUN, tmp_path)
        last.join(PATIENCE)
        assert last.exitcode == 0
    finally:
        if other is not None:
            other.join(PATIENCE)
    assert len(killed_at) >= 2 and killed_at[0] < ITERATIONS
    sweep(tmp_path, older_than=-1)  # who is killed while writing leaves a temporary file
    assert result(RUN, tmp_path) == undisturbed
    if other is not None:
        assert other.exitcode == 0
        train_here(OTHER, str(tmp_path / "alone"))
        assert result(OTHER, tmp_path) == result(OTHER, tmp_path / "alone")


def test_the_bytes_would_show_another_run(undisturbed, tmp_path):
    changed = RUN.model_copy(update={"seed": 1})
    train_here(changed, str(tmp_path))
    network, log = (f"{ITERATIONS} {name}" for name in ("network.safetensors", "log.json"))
    assert all(result(changed, tmp_path)[name] != undisturbed[name] for name in (network, log))
