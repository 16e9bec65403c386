"""The whole study by one command: its order, what it says, what it publishes, and that it goes on after anything."""

import io
import re
import shutil
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import small_study
from small_study import SMALL, Beside, Warm
from study_tasks import contents, ended, started, without_left_overs

from wslib.parameters import ParameterError
from wslib.play import RandomSettings
from wslib.study.engine import jobs as engine_jobs
from wslib.study.engine import progress
from wslib.study.engine import units as study
from wslib.study.engine.agenda import PHASES, jobs
from wslib.study.engine.cli import main
from wslib.study.engine.jobs import Job, Queue
from wslib.study.engine.networks import is_there
from wslib.study.engine.progress import Progress
from wslib.study.engine.provenance import machine
from wslib.study.engine.published import Published, publish
from wslib.study.engine.runs import RunUnit, SwitchUnit
from wslib.study.engine.store import LocalStore
from wslib.study.engine.times import ASSUMED, ELSEWHERE, HERE, Times, assumed, work_of
from wslib.study.engine.tournament import NetworkEntrant, pair
from wslib.study.engine.units import MatchUnit, UnitsFailed, collect, compute_unit
from wslib.study.engine.whole import Study, compute, plan
from wslib.study.pages.catalogue import EXPERIMENTS
from wslib.study.presets import preset


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The local store of the small study."""
    monkeypatch.setenv("WSLIB_STORE", str(tmp_path / "store"))
    patches = small_study.patched(tmp_path / "data")
    for patch in patches:
        patch.start()
    yield tmp_path / "store"
    for patch in patches:
        patch.stop()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the small study when nobody disturbs it, and what it told."""
    home = tmp_path_factory.mktemp("undisturbed")
    assert ended([started(small_study.run, str(home / "store"), str(home / "data"))]) == [0]
    return home / "store"


def done(study: Study) -> list[str]:
    """Compute all of it here; the units in the order in which they were done."""
    order: list[str] = []
    ended = study.ended
    study.ended = lambda job, well: (order.append(job.unit.id), ended(job, well))[1]  # type: ignore[method-assign]
    compute(study, workers=1, tell=lambda line: None)
    return order


# --- the order ----------------------------------------------------------------------------------------------------


def test_every_experiment_has_its_phases_and_every_unit_is_one_job():
    assert {phase.experiment for phase in PHASES} == EXPERIMENTS.keys()
    found = [job.unit.id for job in jobs()]
    assert len(found) == len(set(found))
    asked = {unit.id for kind in EXPERIMENTS.values() for unit in kind().units()}
    assert set(found) == asked


def test_chapter_5_comes_game_by_game_and_seed_by_seed_with_all_six_methods_of_a_seed_before_the_next():
    runs = [job.unit.run for job in jobs(["warmstart"]) if job.unit.kind == "run"]
    assert [run.game.split("-")[0] for run in runs[::48]] == ["othello", "gobang", "connect4"]
    for place in range(0, 144, 6):
        some = runs[place : place + 6]
        assert len({run.method for run in some}) == 6
        assert {(run.game, run.seed) for run in some} == {(some[0].game, place % 48 // 6)}


def test_what_plays_with_networks_follows_the_runs_of_the_same_seed():
    trained: set[str] = set()
    for job in jobs(["warmstart", "iprime", "control"]):
        assert {run.id for run, _ in job.unit.plays_with()} <= trained
        trained |= {job.unit.run.id} if isinstance(job.unit, RunUnit) else set()


def test_a_unit_that_several_experiments_ask_for_is_a_job_of_the_first():
    both = {job.unit.id: job.experiment for job in jobs(["control", "warmstart"])}
    assert all(both[unit.id] == "warmstart" for unit, _ in EXPERIMENTS["warmstart"]().run_units())


def test_units_are_done_in_their_order(root: Path):
    study = Study()
    assert done(study) == [job.unit.id for job in study.jobs]


def test_a_pair_waits_for_both_runs_while_other_runs_go_on(root: Path):
    queue = Queue(Study(["warmstart"]).jobs, root)
    first, second = (queue.take() for _ in range(2))
    third = queue.take()
    assert [job.unit.kind for job in (first, second, third)] == ["run"] * 3, "two methods of seed 0, one of seed 1"
    assert (first.unit.run.seed, third.unit.run.seed) == (0, 1)
    compute_unit(first.unit, root)
    queue.done(first)
    assert queue.take().unit.plays_with() == [(first.unit.run, 2)], "its game against the random player"


def test_a_run_is_never_trained_by_two_at_a_time(root: Path):
    short, long = (RunUnit(run=preset("smoke", game="connect4"), iterations=i) for i in (1, 2))
    queue = Queue([Job(short, "a", "a"), Job(long, "b", "b")], root)
    first = queue.take()
    assert queue.take() is None
    queue.done(first)
    assert queue.take().unit == long


def test_a_network_of_a_longer_run_is_waited_for(root: Path):
    run = preset("smoke", game="connect4")
    short, long = (RunUnit(run=run, iterations=i) for i in (1, 2))
    game = next(unit for unit in Warm().units() if unit.kind == "pair" and unit.plays_with() == [(run, 2)])
    queue = Queue([Job(unit, "a", "a") for unit in (short, game, long)], root)
    queue.done(queue.take())
    assert queue.take().unit == long
    alone = Queue([Job(unit, "a", "a") for unit in (short, game)], root)
    assert [job.unit.iterations for job in alone.jobs if job.unit != game] == [1, 2], "nobody else trains it so far"


def test_a_run_up_to_its_switch_does_not_stand_for_the_whole_run(root: Path):
    run = preset("smoke", game="connect4", method="wrora", switch="adaptive")
    game = pair("connect4", NetworkEntrant(run=run, iteration=2), RandomSettings(), games=2)
    queue = Queue([Job(unit, "a", "a") for unit in (SwitchUnit(run=run, most=2), game)], root)
    assert [job.unit.kind for job in queue.jobs] == ["switch", "network", "pair"]


def test_an_adaptive_run_that_is_trained_anyway_is_not_also_trained_up_to_its_switch():
    both = jobs(["adaptive_vs_fixed", "adaptive"])
    queue = Queue(both, Path("nowhere"))
    switches = [job for job in queue.jobs if job.unit.kind == "switch"]
    waiting = [job for job in switches if job.missing]
    assert len(waiting) == 80 and {job.unit.run.game.split("-")[0] for job in waiting} == {"connect4", "othello"}


# --- what is missing ----------------------------------------------------------------------------------------------


def test_the_plan_counts_what_is_missing_and_computes_nothing(root: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["study", "--plan", "--workers", "2"]) == 0
    head, players, warm, beside, last = capsys.readouterr().out.splitlines()
    assert head.split()[-4:] == ["runs", "tournaments", "other", "hours"]
    assert players.split()[:2] == ["players", "–"] and "1 of 1" in players
    assert warm.startswith("warm ") and "4 of 4" in warm and "10 of 10" in warm
    assert "4 of 4" in beside, "the runs of two more seeds are its own"
    assert "with 2 workers on this machine" in last and "estimate" in last and f"100 % {ASSUMED}" in last
    assert not root.exists()


def test_when_all_is_there_nothing_is_missing(root: Path, undisturbed: Path, capsys: pytest.CaptureFixture[str]):
    shutil.copytree(undisturbed, root)
    assert main(["study", "--plan"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "nothing is missing"
    assert done(Study()) == []


def test_only_some_experiments_can_be_asked_for(root: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["study", "--only", "orientation", "--workers", "1"]) == 0
    assert [path.name for path in root.iterdir()] == ["match"]
    assert main(["study", "--only", "chess"]) == 2
    assert "there is no experiment 'chess': the experiments are adaptive, " in capsys.readouterr().err


def test_runs_whose_networks_are_gone_are_trained_again_before_what_needs_them(root: Path, undisturbed: Path):
    shutil.copytree(undisturbed, root)
    (unit, *_) = Warm().units()
    for folder in ("state", "networks"):
        shutil.rmtree(root / folder / unit.run.id, ignore_errors=True)
    pair = next(u for u in Warm().units() if u.kind == "pair" and unit.run.id in {r.id for r, _ in u.plays_with()})
    shutil.rmtree(root / "pair" / pair.id)
    study = Study()
    assert [job.again for job in study.queue.jobs] == [True, False]
    assert (study.queue.jobs[0].unit.run, study.queue.jobs[1].unit.id) == (unit.run, pair.id)
    assert "1 runs are trained for networks that are not at hand" in "\n".join(plan(study, 1))
    compute(study, workers=1, tell=lambda line: None)
    assert is_there(unit.run, 2, root) and Study().queue.left == 0
    assert contents(root / "pair") == contents(undisturbed / "pair")


# --- going on -----------------------------------------------------------------------------------------------------


def results(root: Path) -> dict[str, bytes]:
    """The bytes of all units; states of runs are not compared."""
    return {name: content for kind in ("match", "run", "pair") for name, content in
            {f"{kind}/{n}": c for n, c in without_left_overs(contents(root / kind)).items()}.items()}  # fmt: skip


def test_after_a_kill_it_goes_on_and_gives_the_same_bytes(tmp_path: Path, undisturbed: Path):
    store = tmp_path / "store"
    for units in (2, 5, 9, 30):
        process = started(small_study.run, str(store), str(tmp_path / "data"))
        while process.is_alive() and len(list(store.glob("*/*/manifest.json"))) < units:
            time.sleep(0.002)
        process.kill()
        process.join()
    assert ended([started(small_study.run, str(store), str(tmp_path / "data"))]) == [0]
    assert results(store) == results(undisturbed)


def test_workers_of_its_own_give_the_same_bytes(root: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    compute(Study(), workers=2, tell=lambda line: None)
    assert results(root) == results(undisturbed)


def test_a_dask_scheduler_gives_the_same_bytes(root: Path, undisturbed: Path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp", host="127.0.0.1"
    ) as cluster:
        compute(Study(), on=cluster, tell=lambda line: None)
    assert results(root) == results(undisturbed)


def test_a_unit_that_fails_stops_only_what_waits_for_it(root: Path, monkeypatch: pytest.MonkeyPatch):
    bad = Warm().units()[0]
    real = RunUnit.compute_in
    monkeypatch.setattr(RunUnit, "compute_in", lambda unit, *given: 1 / 0 if unit == bad else real(unit, *given))
    told: list[str] = []
    study = Study()
    with pytest.raises(UnitsFailed, match=rf"unit {bad.id} \(run\) failed: ZeroDivisionError") as failure:
        compute(study, workers=1, tell=told.append)
    assert any(line.startswith(f"unit {bad.id} (run) failed: ") for line in told)
    waiting = [job for job in study.jobs if bad.run.id in {run.id for run, _ in job.unit.plays_with()}]
    told_last = f"\n{len(waiting)} units (pair, run perfect), {waiting[0].unit.id} for one, were not computed"
    assert told_last in str(failure.value)
    assert {job.unit.id for job in Study().queue.jobs} == {bad.id, *(job.unit.id for job in waiting)}


def test_results_of_other_code_and_of_another_store_are_no_results(root: Path, monkeypatch: pytest.MonkeyPatch):
    for name, sentence in (("0" * 20, "another version of this code"), ("", "a folder that all workers share")):
        monkeypatch.setattr(engine_jobs, "stored_unit", lambda unit, *given, name=name: name or unit.id)
        with pytest.raises(UnitsFailed, match=sentence):
            compute(Study(["orientation"]), workers=1, tell=lambda line: None)


def test_every_run_has_a_line_with_the_time_that_is_left(root: Path):
    told: list[str] = []
    compute(Study(["warmstart"]), workers=1, tell=told.append)
    lines = [line for line in told if "  warm: run connect4-6x6-k4 " in line]
    assert len(lines) == 4 and all("left " in line and "about " in line for line in lines)
    assert " wrora fixed seed 1 in 0." in lines[-1]


# --- publishing ---------------------------------------------------------------------------------------------------


def test_it_publishes_while_more_is_to_be_done_and_at_the_end(root: Path):
    study, published = Study(), []

    def publish_now(name: str) -> None:
        published.append((name, study.queue.left))
        units = [unit for unit in SMALL[name]().units() if study.known(unit)]
        publish(name, collect(units, name), ())

    compute(study, workers=1, publish=publish_now, minutes=0, tell=lambda line: None)
    names = [name for name, _ in published]
    assert names[0] == "orientation" and {"warmstart", "control"} <= set(names)
    assert published[0][1] > 0 and published[-1][1] == 0
    assert study.publishable() == []
    assert len(Published("warmstart")) == len(Warm().units())


def test_what_an_earlier_call_has_left_is_published(root: Path, undisturbed: Path):
    shutil.copytree(undisturbed, root)
    published: list[str] = []
    compute(Study(), workers=1, publish=published.append, tell=lambda line: None)
    assert published == ["orientation", "warmstart", "control"]


def test_an_experiment_whose_page_computes_is_published_only_when_all_of_it_is_there(root: Path, undisturbed: Path):
    shutil.copytree(undisturbed, root)
    assert "control" in Study().publishable()
    (unit, *_) = [unit for unit in Beside().units() if unit.kind == "run" and unit.run.seed == 2]
    shutil.rmtree(root / "run" / unit.id)
    assert "control" in Study().publishable()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Beside, "waits", True)
        assert "control" not in Study().publishable()


def test_an_experiment_that_cannot_be_published_is_told_of_and_the_others_are(root: Path, undisturbed: Path):
    shutil.copytree(undisturbed, root)
    published, told = [], []

    def publish_now(name: str) -> None:
        if name == "warmstart":
            raise ParameterError("something is missing")
        published.append(name)

    compute(Study(), workers=1, publish=publish_now, tell=told.append)
    assert published == ["orientation", "control"]
    assert told == ["warmstart could not be published: something is missing"]


def test_the_command_publishes_with_the_networks(root: Path, undisturbed: Path, capsys: pytest.CaptureFixture[str]):
    shutil.copytree(undisturbed, root)
    assert main(["study", "--publish", "--uncommitted", "--workers", "1"]) == 0
    folder = root.parent / "data" / "warmstart"
    assert len(Published("warmstart")) == len(Warm().units())
    assert list((folder / "networks").glob("*/network.safetensors"))
    assert main(["pack", str(root.parent / "networks.zip")]) == 0
    assert re.search(r"\.zip: [1-9]\d* networks, each with its digest", capsys.readouterr().out), "those on the way"
    assert main(["study", "--publish", "-3"]) == 2


# --- how long -----------------------------------------------------------------------------------------------------


def run_unit(seed: int = 0, name: str = "table", **changes: Any) -> RunUnit:
    return RunUnit(run=preset(name, game="othello", seed=seed, **changes))


def test_before_anything_is_measured_times_are_assumed_by_game_epochs_and_length():
    minutes = {
        name: assumed(work_of(RunUnit(run=preset("table", game=name)))) / 60
        for name in ("connect4", "othello", "gobang")
    }
    assert minutes == pytest.approx({"connect4": 7.5, "othello": 8.5, "gobang": 4.0})
    thirty = RunUnit(run=preset("table", game="othello"), iterations=30)
    assert assumed(work_of(thirty)) == pytest.approx(0.3 * 60 * 8.5)
    assert assumed(work_of(run_unit(name="laptop"))) < assumed(work_of(run_unit())) / 2
    assert Times().of(work_of(run_unit()))[1] == ASSUMED


def test_measured_times_of_the_same_kind_stand_for_all_seeds():
    times = Times()
    made = machine()
    for seed, seconds in enumerate((400, 500, 900)):
        times.learn(work_of(run_unit(seed)), {**made, "cpu_seconds": seconds})
    assert times.of(work_of(run_unit(7))) == (500, HERE)
    assert times.of(work_of(run_unit(7, method="wrora"))) == (500, HERE), "another method has the same games and epochs"
    thirty = RunUnit(run=preset("table", game="othello"), iterations=30)
    assert times.of(work_of(thirty)) == (pytest.approx(150), HERE), "a shorter run takes its share"
    laptop = run_unit(7, name="laptop")
    slower = 500 / assumed(work_of(run_unit()))
    assert times.of(work_of(laptop)) == (pytest.approx(slower * assumed(work_of(laptop))), HERE), "as much as assumed"
    assert Times().of(work_of(laptop))[1] == ASSUMED
    times.learn(work_of(run_unit(3)), {**made, "cpu_seconds": 1.0, "resumed_after": 60})
    assert times.of(work_of(run_unit(7))) == (500, HERE), "the time of a part"


def test_times_of_another_processor_are_scaled_where_both_have_computed_the_same():
    times = Times()
    made = machine()
    times.learn(work_of(run_unit()), {"processor": "old", "cpu_seconds": 1000})
    assert times.of(work_of(run_unit())) == (1000, ELSEWHERE)
    laptop = run_unit(name="laptop")
    times.learn(work_of(laptop), {"processor": "old", "cpu_seconds": 300})
    times.learn(work_of(laptop), {**made, "cpu_seconds": 100})
    assert times.of(work_of(run_unit())) == (pytest.approx(1000 / 3), ELSEWHERE)


@pytest.mark.parametrize("notebook", [False, True])
def test_a_computation_begins_with_one_sentence_that_says_how_long_it_takes(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, notebook: bool
):
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))  # what else keeps this machine busy takes time too
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    if notebook:
        monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    units = [run_unit(), run_unit(1), RunUnit(run=preset("smoke", game="othello"), iterations=2)]
    with Progress(units, root, 2, shown=True):
        pass
    captured = capsys.readouterr()
    told = captured.out if notebook else captured.err  # what a notebook shows of the latter looks like a warning
    assert (re.match if notebook else re.fullmatch)(  # there a bar follows
        r"computing 3 training runs: about \d+ min on 2 cores \(as? ?\w+ ?\w*\); interrupt whenever .*\n", told
    )


def test_how_far_a_run_has_come_is_seen_in_the_store(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "nobody_looks", lambda: False)
    monkeypatch.setattr(progress, "terminal", io.StringIO)
    unit = RunUnit(run=preset("smoke", game="tictactoe", shape="dense", hidden=()), iterations=4)
    with Progress([unit], root, 1, shown=True) as shown:
        compute_unit(RunUnit(run=unit.run, iterations=3), root)
        shown._draw()
        assert "baseline seed 0: 3/4" in shown.bar.desc
        assert shown.bar.n == pytest.approx(0.75 * shown.bar.total)


@pytest.mark.parametrize(("given", "workers"), [(None, 1), (2, 2)])
def test_little_work_starts_no_processes_unless_told_to(given, workers, root: Path, monkeypatch: pytest.MonkeyPatch):
    real, asked = engine_jobs.as_ready, []
    monkeypatch.setattr(engine_jobs, "as_ready", lambda f, t, n, *more: (asked.append(n), real(f, t, 1, *more))[1])
    few = [MatchUnit(game="tictactoe", a=RandomSettings(), b=RandomSettings(), games=2, seed=k) for k in range(3)]
    study.results(few, "tried", given, LocalStore(root))
    assert asked == [workers]
