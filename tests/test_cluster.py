"""Units on a Dask cluster: the same bytes, ids instead of results, and addresses that nobody else reaches."""

import re
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from study_tasks import FailingUnit, contents

from wslib.parameters import ParameterError
from wslib.play import RandomSettings
from wslib.study.engine import units as study
from wslib.study.engine.cli import main
from wslib.study.engine.dask import as_ready_on, check_address, needs_gpu
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import LocalStore
from wslib.study.engine.units import MatchUnit, stored_unit
from wslib.study.pages.base import Orientation
from wslib.study.presets import preset

distributed = pytest.importorskip("distributed")
ROOT = Path(__file__).resolve().parent.parent
UNITS = [MatchUnit(game="tictactoe", a=RandomSettings(), b=RandomSettings(), games=4, seed=seed) for seed in range(5)]


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and two workers in this process: what is tested is ours, not Dask."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp", host="127.0.0.1"
    ) as found:
        yield found


def ask(units: list, root: Path, on: object):
    return study.results(units, "trial", store=LocalStore(root), progress=False, on=on)


def test_a_cluster_a_client_and_an_address_give_the_bytes_of_a_local_run(cluster, tmp_path: Path):
    ask(UNITS, tmp_path / "here", None)
    with distributed.Client(cluster) as client:
        for name, on in (("cluster", cluster), ("client", client), ("address", cluster.scheduler_address)):
            frame = ask(UNITS, tmp_path / name, on)
            assert frame["unit"].tolist() == [unit.id for unit in UNITS]
            assert contents(tmp_path / name) == contents(tmp_path / "here")
        assert client.status == "running", "whose client it is closes it"


def test_workers_return_ids_and_nothing_else(cluster, tmp_path: Path):
    tasks = iter([(unit, tmp_path, False) for unit in UNITS])
    told = sorted(as_ready_on(lambda: next(tasks, None), cluster, lambda *_: pytest.fail("a unit failed")))
    assert told == [(index, unit.id) for index, unit in enumerate(UNITS)]


def test_a_unit_that_is_stored_is_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert stored_unit(UNITS[0], tmp_path) == UNITS[0].id
    monkeypatch.setattr(MatchUnit, "compute_in", lambda *_: pytest.fail("it was computed again"))
    assert stored_unit(UNITS[0], tmp_path) == UNITS[0].id


def test_a_unit_that_fails_on_a_cluster_does_not_stop_the_others(cluster, tmp_path: Path):
    with pytest.raises(study.UnitsFailed, match=r"\(failing\) failed: LookupError: nothing known of 1"):
        ask([*UNITS, FailingUnit(number=1)], tmp_path, cluster)
    assert len(LocalStore(tmp_path).latest("match")) == 5


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://localhost:1", "tcp://[::1]:8786", "tls://10.1.2.3:1",
                                     "inproc://127.0.0.1/1/1"])  # fmt: skip
def test_loopback_and_tls_are_allowed(address: str):
    check_address(address)


@pytest.mark.parametrize("address", ["tcp://10.0.0.5:8786", "tcp://0.0.0.0:8786", "tcp://:8786", "tcp://node7:8786",
                                     "tcp://127.0.0.1.example.org:8786", "tcp://[2001:db8::1]:8786"])  # fmt: skip
def test_an_address_that_others_reach_is_refused_without_tls(address: str, tmp_path: Path):
    for on in (address, SimpleNamespace(scheduler_address=address)):
        with pytest.raises(ParameterError, match="runs the code of anybody who reaches it") as told:
            ask(UNITS, tmp_path, on)
        assert "tls://" in str(told.value)
    assert not (tmp_path / "match").exists()


@pytest.mark.parametrize(
    ("on", "sentence"),
    [
        ("8786", "is not a scheduler's address"),
        ("http://127.0.0.1:1", "is not a scheduler's address"),
        ("", "is not a scheduler's address"),
        ("tcp://127.0.0.1", "is not a scheduler's address"),
        ("tls://10.1.2.3", "is not a scheduler's address"),
        ("tls://10.1.2.3:8786", "needs certificates: Dask's configuration"),
        (8786, "should be an address, a"),
    ],
)
def test_what_is_no_cluster_is_refused_in_one_sentence(on: object, sentence: str, tmp_path: Path):
    with pytest.raises(ParameterError, match=sentence):
        ask(UNITS, tmp_path, on)


def test_an_empty_address_is_refused_by_every_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path))
    for command in (["run", "orientation"], ["study", "--plan"]):
        assert main([*command, "--on", ""]) == 2
        assert capsys.readouterr().err == (
            f"wslib {command[0]}: '' is not a scheduler's address: it should be like tcp://127.0.0.1:8786 or "
            "tls://host:8786\n"
        )


def terminals(text: str) -> list[str]:
    """The book's commands for a scheduler and a worker."""
    return re.findall(r"^dask (?:scheduler|worker tcp).*?(?=  #|$)", text, re.MULTILINE)


@contextmanager
def typed(lines: list[str], *changed: tuple[str, str]):
    """Run these commands, with a free port and what else is changed; the scheduler's address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    started = []
    try:
        for line in lines:
            for old, new in (*changed, ("8786", port), ("8787", "0")):
                line = line.replace(old, new)
            command = [sys.executable, "-m", "distributed.cli.dask_" + line.split()[1], *line.split()[2:]]
            started.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        address = f"tcp://127.0.0.1:{port}"
        with distributed.Client(address, timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(30)


def test_a_worker_that_listens_to_everybody_is_refused_and_an_open_dashboard_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    lines = terminals((ROOT / "book" / "scaling.md").read_text(encoding="utf-8"))
    bare = [("--dashboard-address 127.0.0.1:8787", "--dashboard-address :0")]
    with typed(lines, *bare) as address:
        ask(UNITS[:1], tmp_path, address)
        assert "A dashboard of Dask listens at 0.0.0.0, where others may look" in capsys.readouterr().err
    lines = [lines[0], lines[1].replace("--host 127.0.0.1", "")]
    with (
        typed(lines) as address,
        pytest.raises(ParameterError, match=r"listens at tcp://0\.0\.0\.0:\d+, and runs"),
    ):
        ask(UNITS[1:2], tmp_path, address)


def test_the_job_array_of_the_book_has_a_job_for_each_unit():
    text = (ROOT / "book" / "scaling.md").read_text(encoding="utf-8")
    assert f"--array=0-{len(Orientation().units()) - 1} " in text


def test_workers_with_several_threads_are_refused(tmp_path: Path):
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=3, processes=False, dashboard_address=None, protocol="tcp", host="127.0.0.1"
        ) as cluster,
        pytest.raises(ParameterError, match="these workers have 3 threads each: they should have one"),
    ):
        ask(UNITS, tmp_path, cluster)


def test_a_unit_that_trains_on_a_gpu_asks_for_a_worker_with_one():
    run = preset("smoke", game="connect4")
    assert not needs_gpu(RunUnit(run=run, iterations=2))
    assert needs_gpu(SimpleNamespace(run=SimpleNamespace(device="cuda")))
    assert not needs_gpu(UNITS[0])


def test_the_library_does_without_dask_until_a_cluster_is_asked_for(tmp_path: Path):
    script = (
        "import sys; sys.modules['distributed'] = None\n"
        "from wslib.study.engine.cli import main\n"
        "sys.exit(main(['run', 'orientation', '--set', 'games=2', '--on', 'tcp://127.0.0.1:1']))"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False,
        env={"WSLIB_STORE": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert told.returncode == 2
    assert told.stderr.splitlines()[-1].startswith("wslib run: computing on a cluster needs Dask: ")
