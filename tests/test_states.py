"""The states of a training run: what they may hold, and what becomes of damaged ones."""

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from study_tasks import sealed

from wslib.parameters import ParameterError
from wslib.play import player
from wslib.study.engine import states
from wslib.study.engine import store as storing
from wslib.study.engine import units as study
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.states import RunFolder, train
from wslib.study.engine.store import LocalStore
from wslib.study.engine.tournament import NetworkEntrant, pair
from wslib.study.presets import preset

RUN = preset("smoke", game="connect4", method="wrora", retrained=2)
OTHER = preset("smoke", game="connect4", method="wrora", retrained=2, seed=1)


# --- divergence ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["weights", "loss"])
def test_a_run_that_diverges_is_refused_with_its_name_and_iteration_and_its_last_good_state_stays(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    real = states.advance

    def advance(run, state, clock):
        state, news = real(run, state, clock)
        if state.iteration == 3 and what == "weights":
            state.network.policy.bias.data[0] = float("nan")
        elif state.iteration == 3:  # of a candidate that the gate has refused
            news["policy_loss"] = float("inf")
        return state, news

    monkeypatch.setattr(states, "advance", advance)
    unit = RunUnit(run=RUN, iterations=4)
    with pytest.raises(study.UnitsFailed) as told:
        study.results([unit], "trial", 1, LocalStore(tmp_path), progress=False)
    sentence = str(told.value).splitlines()[0]
    assert f"run {RUN.id} (wrora, connect4-6x6-k4, seed 0) diverged in iteration 3 and is not stored" in sentence
    assert ("policy.bias" if what == "weights" else "policy_loss is inf") in sentence
    assert "a learning_rate below 0.005 would be right" in sentence
    assert RunFolder(RUN, tmp_path).iterations() == [2, 1]
    assert LocalStore(tmp_path).read("run", unit.id) is None


# --- damage, and states of others ---------------------------------------------------------------------------------


ITERATIONS = 4


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two runs of another seed each."""
    root = tmp_path_factory.mktemp("trained")
    for run in (RUN, OTHER):
        study.compute_unit(RunUnit(run=run, iterations=ITERATIONS), root)
    return root


@pytest.fixture
def root(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "store"))


def whole_states(root: Path) -> dict[str, bytes]:
    """The states and examples of the run."""
    folder = RunFolder(RUN, root)
    return {
        f"{part.name}/{path.relative_to(part)}": path.read_bytes()
        for part in (folder.states, folder.examples)
        for path in sorted(part.rglob("*"))
        if path.is_file()
    }


def flipped(folder: RunFolder) -> None:
    path = folder.state(ITERATIONS) / "network.safetensors"
    content = bytearray(path.read_bytes())
    content[-9] ^= 2
    path.write_bytes(content)


def replaced(folder: Path, by: Path) -> None:
    shutil.rmtree(folder)
    shutil.copytree(by, folder)


DAMAGES: dict[str, Callable[[RunFolder, RunFolder], None]] = {
    "network.safetensors has been changed": lambda folder, _: flipped(folder),
    "0004 belongs to another run": lambda folder, other: replaced(folder.state(4), other.state(4)),
    "0004 belongs to another iteration": lambda folder, _: replaced(folder.state(4), folder.state(2)),
    "examples/.* belongs to another run": lambda folder, other: replaced(folder.examples_of(4), other.examples_of(4)),
    "its log is not that of all iterations up to it": lambda folder, _: sealed(
        folder.state(4), "log.json", b'[{"iteration": 1}]'
    ),
    "this is not a safetensors file": lambda folder, _: sealed(folder.state(4), "network.safetensors", b"no network"),
    "it does not hold examples": lambda folder, _: sealed(folder.examples_of(4), "examples.safetensors", b"none"),
}
"""By what is told of it: damage to the last of the run's four states, or to the examples of that iteration."""


@pytest.mark.parametrize("told", DAMAGES)
def test_a_state_that_is_damaged_or_of_another_run_or_iteration_is_set_aside_and_trained_again_to_the_same_bytes(
    told: str, root: Path, template: Path
):
    folder = RunFolder(RUN, root)
    DAMAGES[told](folder, RunFolder(OTHER, root))
    with pytest.warns(UserWarning, match=f"{told}.*; it was set aside in .* and will be computed again"):
        assert folder.read(ITERATIONS) is None
    assert len(list((root / "damaged").iterdir())) == 1
    state, log, notes = train(RUN, ITERATIONS, root)
    assert notes["resumed_after"] < ITERATIONS
    found, wanted = whole_states(root), whole_states(template)
    assert all(found[name] == content for name, content in wanted.items())
    assert len(log) == state.iteration == ITERATIONS


def test_a_damaged_network_is_trained_again_by_the_command_that_needs_it(root: Path, template: Path):
    flipped(RunFolder(RUN, root))
    unit = pair("connect4", NetworkEntrant(run=RUN, iteration=ITERATIONS), player("random"), games=2)
    with pytest.warns(UserWarning, match="has been changed; it was set aside"):
        frame = study.results([unit], "trial", 1, LocalStore(root), progress=False)
    assert frame["games"].tolist() == [2]
    assert RunFolder(RUN, root).read(ITERATIONS) is not None
    assert whole_states(root) == whole_states(template)


def test_a_state_that_another_process_removes_meanwhile_is_no_damage(root: Path, monkeypatch: pytest.MonkeyPatch):
    folder = RunFolder(RUN, root)
    real = storing.read_part

    def removed(*arguments):
        folder.remove(folder.state(ITERATIONS))
        return real(*arguments)

    monkeypatch.setattr(storing, "read_part", removed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert folder.read(ITERATIONS) is None
    assert not (root / "damaged").exists()


def test_a_network_that_is_there_is_played_with_though_its_run_fails_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    train(RUN, 2, tmp_path)
    monkeypatch.setattr(states, "advance", lambda *_: (_ for _ in ()).throw(ParameterError("it has diverged")))
    early = pair("connect4", NetworkEntrant(run=RUN, iteration=2), player("random"), games=2)
    with pytest.raises(study.UnitsFailed) as told:
        study.results([RunUnit(run=RUN, iterations=4), early], "trial", 1, LocalStore(tmp_path), progress=False)
    assert len(str(told.value).splitlines()) == 2
    assert LocalStore(tmp_path).read("pair", early.id)
