"""The networks that others play with: float16 files, published or kept, the same wherever they come from."""

import json
import os
import shutil
import zipfile
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch

from wslib.games import game
from wslib.network.model import Network, NetworkSettings
from wslib.parameters import ParameterError
from wslib.play import player
from wslib.prompt.network_file import from_bytes, to_bytes
from wslib.study.engine import networks, states
from wslib.study.engine import store as storing
from wslib.study.engine import units as study
from wslib.study.engine.jobs import Job, Queue
from wslib.study.engine.networks import NotAtHand, is_there, network_file, published_network, write_archive
from wslib.study.engine.publishing import publish_experiment
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.states import RunFolder, train
from wslib.study.engine.store import MANIFEST, LocalStore
from wslib.study.engine.tournament import NetworkEntrant, pair
from wslib.study.presets import preset
from wslib.training.settings import RunSettings

pytestmark = pytest.mark.usefixtures("data")
UNITS = [RunUnit(run=preset("smoke", game="connect4", seed=seed), iterations=2) for seed in range(3)]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which the three runs are trained."""
    root = tmp_path_factory.mktemp("trained")
    for unit in UNITS:
        study.compute_unit(unit, root)
    return root


@pytest.fixture
def trained(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "trained"))


def publish(root: Path, units: list[RunUnit] = UNITS, experiment: str = "trial") -> tuple[str, ...]:
    """Publish runs; what was left out."""
    return publish_experiment(experiment, units, ("iterations",), uncommitted=True, local=LocalStore(root)).left_out


def run() -> RunSettings:
    return UNITS[0].run


def folder_of(unit: RunUnit, data: Path) -> Path:
    return data / "trial" / "networks" / f"{unit.run.id}-{unit.iterations:04d}"


def answers(network) -> list[np.ndarray]:
    planes = np.random.default_rng(0).integers(-1, 2, (8, 1, 6, 6)).astype(np.float32)
    return list(network.evaluate(planes))


def test_the_file_holds_the_weights_rounded_to_float16_and_they_are_computed_in_float32(trained: Path):
    network = from_bytes(network_file(run(), 2, trained))
    whole = RunFolder(run(), trained).network(2)
    for (name, rounded), exact in zip(network.state_dict().items(), whole.state_dict().values(), strict=True):
        assert rounded.dtype == exact.dtype != torch.float16
        wanted = exact.half().float() if exact.is_floating_point() else exact
        assert torch.equal(rounded, wanted), name
    assert any(not torch.equal(a, b) for a, b in zip(network.parameters(), whole.parameters(), strict=True))
    header = int.from_bytes(to_bytes(whole)[:8], "little") + 8
    assert len(network_file(run(), 2, trained)) - header < 0.6 * (len(to_bytes(whole)) - header)


def test_published_archived_and_kept_networks_are_the_same_file(trained: Path, tmp_path: Path):
    kept = network_file(run(), 2, trained)
    assert write_archive(tmp_path / "networks.zip", UNITS, trained) == 6, "all, as none is published"
    publish(trained)
    assert write_archive(tmp_path / "networks.zip", UNITS, trained) == 3, "all but the last of each run"
    assert network_file(run(), 2, tmp_path / "no store") == kept
    with zipfile.ZipFile(tmp_path / "networks.zip") as packed:
        packed.extractall(tmp_path / "unpacked")
    for unit in UNITS:
        assert network_file(unit.run, 1, tmp_path / "unpacked") == network_file(unit.run, 1, trained)


def test_what_plays_is_the_rounded_network(trained: Path):
    plays = answers(published_network(run(), 2, trained))
    rounded = answers(from_bytes(network_file(run(), 2, trained)))
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(plays, rounded, strict=True))


def test_the_last_network_of_every_run_is_published_with_what_it_is_and_never_written_again(trained: Path, data: Path):
    assert publish(trained, UNITS[:2]) == ()
    folder = folder_of(UNITS[0], data)
    manifest = storing.read_manifest(folder)
    assert sorted(manifest["files"]) == ["network.safetensors"]
    assert (manifest["run"], manifest["iteration"]) == (json.loads(json.dumps(run().canonical())), 2)
    for path in data.rglob("*"):
        os.utime(path, (1, 1))
    assert publish(trained) == ()
    assert {path.parent.name for path in data.glob("trial/networks/*/network.safetensors")} == {
        f"{unit.run.id}-0002" for unit in UNITS
    }
    assert {path.stat().st_mtime for path in folder.iterdir()} == {1.0}


def test_a_network_that_another_experiment_has_published_is_not_published_twice(trained: Path, data: Path):
    publish(trained)
    publish(trained, UNITS, "other")
    assert not list(data.glob("other/networks/*"))
    # It stays where it is as long as somebody needs it.
    publish(trained, UNITS[:1])
    assert len(list(data.glob("trial/networks/*"))) == 3
    shutil.rmtree(data / "other")
    publish(trained, UNITS[:1])
    assert [path.name for path in data.glob("trial/networks/*")] == [f"{run().id}-0002"]


def test_publishing_again_from_another_machine_keeps_the_published_files(trained: Path, data: Path, tmp_path: Path):
    publish(trained)
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    assert publish(tmp_path / "empty") == ()
    assert {path: path.read_bytes() for path in data.rglob("*") if path.is_file()} == before


def test_a_run_whose_network_is_not_at_hand_is_not_published_and_the_printed_remedy_works(trained: Path, data: Path):
    shutil.rmtree(trained / "state" / run().id)
    (sentence,) = publish(trained)
    assert f"1 runs are left out because their networks are not at hand, unit {UNITS[0].id} for one" in sentence
    assert f"--unit {UNITS[0].id} --again'" in sentence
    published = networks.shelf("trial")
    assert published.units() == [unit.id for unit in UNITS[1:]]
    study.compute_unit(UNITS[0], trained)
    assert publish(trained) == ()
    assert folder_of(UNITS[0], data).exists()


def test_a_longer_run_that_has_left_the_last_network_behind_is_trained_again_for_it(tmp_path: Path, data: Path):
    ends_at_3 = RunUnit(run=run(), iterations=3)
    train(run(), 4, tmp_path)
    assert not is_there(run(), 3, tmp_path)
    study.compute_unit(ends_at_3, tmp_path)
    assert publish(tmp_path, [ends_at_3]) == ()


# --- damage -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at_hand", [True, False], ids=["in the store", "trained again"])
def test_a_damaged_published_network_is_not_used_and_the_right_one_is(
    at_hand: bool, trained: Path, data: Path, tmp_path: Path
):
    publish(trained)
    wanted = network_file(run(), 2)
    path = folder_of(UNITS[0], data) / "network.safetensors"
    content = bytearray(path.read_bytes())
    content[-5] ^= 4
    path.write_bytes(content)
    if at_hand:
        assert network_file(run(), 2, trained) == wanted
    else:
        with pytest.raises(NotAtHand, match=r"has been changed; 'git restore data/trial/networks/.*' brings back"):
            network_file(run(), 2, tmp_path / "empty")
        assert all(
            np.array_equal(a, b)
            for a, b in zip(
                answers(published_network(run(), 2, tmp_path / "empty")),
                answers(published_network(run(), 2, trained)),
                strict=True,
            )
        )


def swap(one: Path, two: Path) -> None:
    shutil.rmtree(one)
    shutil.copytree(two, one)


def test_the_whole_network_of_another_run_or_iteration_is_refused(trained: Path, data: Path, tmp_path: Path):
    publish(trained)
    swap(folder_of(UNITS[0], data), folder_of(UNITS[1], data))
    with pytest.raises(NotAtHand, match="another network than its name says"):
        network_file(run(), 2, tmp_path / "empty")
    archived = tmp_path / "unpacked" / "networks" / f"{run().id}-0002"
    shutil.copytree(folder_of(UNITS[1], data), archived)
    with (
        pytest.warns(UserWarning, match="another network than its name says; it was set aside"),
        pytest.raises(NotAtHand),
    ):
        network_file(run(), 2, tmp_path / "unpacked")
    assert not archived.exists()


def test_a_network_in_the_store_that_is_not_the_published_one_is_set_aside(trained: Path, data: Path):
    publish(trained)
    (folder_of(UNITS[0], data) / "network.safetensors").unlink()
    other = RunFolder(UNITS[1].run, trained).network(2)
    folder = RunFolder(run(), trained)
    files = storing.read_folder(folder.state(2))[1]
    facts = {"run": run().canonical(), "iteration": 2, "switched": False}
    storing.write_folder(folder.state(2), {**files, "network.safetensors": to_bytes(other)}, facts)
    with (
        pytest.warns(UserWarning, match="another network than was published; it was set aside"),
        pytest.raises(NotAtHand),
    ):
        network_file(run(), 2, trained)


# --- what is not at hand ------------------------------------------------------------------------------------------


def test_a_network_that_is_nowhere_is_one_sentence_that_says_how_to_get_it(trained: Path, tmp_path: Path):
    for iteration, root in ((2, tmp_path), (7, trained)):
        with pytest.raises(NotAtHand, match=f"iteration {iteration} is neither published nor in .*: unpack") as told:
            network_file(run(), iteration, root)
        assert "\n" not in str(told.value)
    assert not (tmp_path / "state").exists(), "nothing was trained"


def games(unit: RunUnit, iteration: int = 2):
    entrant = NetworkEntrant(run=unit.run, iteration=iteration)
    return pair("connect4", entrant, player("random"), games=2)


def trained_for(units: list, root: Path) -> list[tuple[str, int]]:
    """The runs that are trained for networks only: their ids and iterations."""
    return [
        (job.unit.run.id, job.unit.iterations) for job in Queue([Job(unit) for unit in units], root).jobs if job.again
    ]


def test_a_published_run_is_trained_again_for_a_network_that_is_not_at_hand(trained: Path, tmp_path: Path):
    publish(trained)
    at_hand, on_the_way = games(UNITS[0]), games(UNITS[0], 1)
    assert trained_for([at_hand], tmp_path) == []
    assert trained_for([at_hand, on_the_way], tmp_path) == [(run().id, 1)]
    store = LocalStore(tmp_path / "store")
    frame = study.results([on_the_way], "trial", 1, store, progress=False)
    assert frame["games"].tolist() == [2]
    assert network_file(run(), 1, store.root) == network_file(run(), 1, trained)


def test_no_network_is_trained_apart_that_a_missing_run_brings_along(tmp_path: Path):
    assert trained_for([UNITS[0], games(UNITS[0]), games(UNITS[0], 1)], tmp_path) == []


@pytest.mark.parametrize("what", ["the weights", "a loss on the way"])
def test_a_published_run_that_comes_out_otherwise_is_one_sentence_and_never_plays(
    what: str, trained: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    publish(trained)
    shutil.rmtree(trained)
    (folder_of(UNITS[0], data) / "network.safetensors").unlink()
    real = states.advance

    def advance(run, state, clock):
        state, news = real(run, state, clock)
        if what == "the weights" and state.iteration == 2:
            state.network.policy.bias.data[0] += 1
        elif what != "the weights":
            news["fresh_value_loss"] += 1e-3
        return state, news

    monkeypatch.setattr(states, "advance", advance)
    store = LocalStore(tmp_path / "store")
    with pytest.warns(UserWarning, match="set aside"), pytest.raises(study.UnitsFailed) as told:
        study.results([games(UNITS[0])], "trial", 1, store, progress=False)
    first, second, _ = str(told.value).splitlines()
    problem = "its network has another digest" if what == "the weights" else "differs in its column 'fresh_value_loss'"
    assert "trained again up to iteration 2, is not the published one" in first and problem in first
    assert second.startswith(f"1 units (pair), {games(UNITS[0]).id} for one, were not computed because unit ")
    assert not is_there(run(), 2, store.root), "the next attempt begins anew"


def test_a_pool_grows_by_a_run_at_any_time_and_nothing_published_is_trained_again(
    trained: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    publish(trained)
    clone = tmp_path / "clone"
    shutil.copytree(data, clone / "data")
    monkeypatch.setattr(storing, "published_root", lambda: clone / "data")
    ninth = RunUnit(run=preset("smoke", game="connect4", seed=8), iterations=2)
    entrants = [NetworkEntrant(run=unit.run, iteration=2) for unit in (*UNITS, ninth)]
    pairs = [pair("connect4", old, entrants[-1], games=2) for old in entrants[:-1]]
    real, runs = states.train, []
    monkeypatch.setattr(states, "train", lambda run, *more, **other: (runs.append(run), real(run, *more, **other))[1])
    store = LocalStore(clone / "store")
    frame = study.results([ninth, *pairs], "trial", 1, store, progress=False)
    assert len(frame) == 4
    assert [run.id for run in runs] == [ninth.run.id]
    publish(store.root, [*UNITS, ninth])
    assert networks.shelf("trial").units() == [unit.id for unit in (*UNITS, ninth)]


def test_networks_of_long_ago_that_lie_side_by_side_are_cleared_away(trained: Path, data: Path):
    folder = data / "trial" / "networks"
    storing.write_folder(folder, {"0123-0002.safetensors": b"old"}, {"networks": {}})
    publish(trained)
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{unit.run.id}-0002" for unit in UNITS)


def test_numbers_too_large_for_float16_are_refused():
    network = Network(NetworkSettings(game="connect4", channels=4, hidden=(8,)))
    network.policy.bias.data[0] = 1e5
    with pytest.raises(ParameterError, match="beyond 65504"):
        to_bytes(network, half=True)
    assert from_bytes(to_bytes(network), game("connect4")).policy.bias[0] == 1e5


# --- archives ------------------------------------------------------------------------------------------------------


def test_an_archive_is_replaced_when_the_new_one_is_whole(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    target = tmp_path / "networks.zip"
    write_archive(target, UNITS, template)
    before = target.read_bytes()

    def stopped(units, root):
        yield from islice(archive(units, root), 3)
        raise KeyboardInterrupt

    archive = networks.archive
    monkeypatch.setattr(networks, "archive", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_archive(target, UNITS, template)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_packing_left_goes_with_the_next_one_and_nothing_else(template: Path, tmp_path: Path):
    left, others = (
        tmp_path / ".networks.zip.12.0a1b2c3d.tmp",
        [tmp_path / ".mine.zip.tmp", tmp_path / ".networks.zip.tmp"],
    )
    for path in (left, *others):
        path.write_bytes(b"half")
        os.utime(path, (0, 0))
    write_archive(tmp_path / "networks.zip", UNITS, template)
    assert {*tmp_path.iterdir()} == {tmp_path / "networks.zip", *others}


def test_an_archive_that_cannot_be_written_names_its_path(template: Path, tmp_path: Path):
    with pytest.raises(ParameterError, match=f"{tmp_path} is a folder: it should be the name of a zip file"):
        write_archive(tmp_path, UNITS, template)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=str(tmp_path / "file")):
        write_archive(tmp_path / "file" / "networks.zip", UNITS, template)


def test_an_archive_is_the_same_whenever_it_is_packed(template: Path, tmp_path: Path):
    for name in ("one", "two"):
        write_archive(tmp_path / f"{name}.zip", UNITS, template)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as packed:
        assert sum(name.endswith(MANIFEST) for name in packed.namelist()) == 6
