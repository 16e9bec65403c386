"""The networks that others play with: float16 files, published or kept, the same wherever they come from."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from wslib.games import game
from wslib.network.model import Network, NetworkSettings, from_bytes, to_bytes
from wslib.parameters import ParameterError
from wslib.study.engine import store as storing
from wslib.study.engine.networks import network_file, publish_networks, published_network, shown, write_archive
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.states import RunFolder, train
from wslib.study.engine.store import MANIFEST, DamagedResult
from wslib.training.loop import RunSettings, preset

UNITS = [RunUnit(run=preset("smoke", game="connect4", seed=seed), iterations=2) for seed in range(3)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which the three runs are trained."""
    root = tmp_path_factory.mktemp("trained")
    for unit in UNITS:
        train(unit.run, unit.iterations, root)
    return root


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(storing, "published_root", lambda: tmp_path / "data")
    return tmp_path / "data"


def run() -> RunSettings:
    return UNITS[0].run


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


def test_published_archived_and_kept_networks_are_the_same_file(trained: Path, data: Path, tmp_path: Path):
    kept = network_file(run(), 2, trained)
    assert write_archive(tmp_path / "networks.zip", UNITS, trained) == 6, "all, as none is published"
    publish_networks("trial", UNITS, trained)
    assert write_archive(tmp_path / "networks.zip", UNITS, trained) == 4, "all but the last of the two lowest seeds"
    assert network_file(run(), 2, tmp_path / "no store") == kept
    with zipfile.ZipFile(tmp_path / "networks.zip") as packed:
        packed.extractall(tmp_path / "unpacked")
    for unit, iteration in ((UNITS[0], 1), (UNITS[1], 1), (UNITS[2], 1), (UNITS[2], 2)):
        assert network_file(unit.run, iteration, tmp_path / "unpacked") == network_file(unit.run, iteration, trained)


def test_what_plays_is_the_rounded_network(trained: Path):
    plays = answers(published_network(run(), 2, trained))
    rounded = answers(from_bytes(network_file(run(), 2, trained)))
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(plays, rounded, strict=True))


def test_networks_of_two_runs_a_kind_are_published_with_what_they_are(trained: Path, data: Path):
    others = [RunUnit(run=preset("smoke", game="othello", seed=seed), iterations=2) for seed in (4, 3, 5)]
    published, rest = shown([*UNITS, *others])
    assert [unit.run.seed for unit in published] == [0, 1, 3, 4]
    assert [unit.run.seed for unit in rest] == [2, 5]
    missing = publish_networks("trial", [*UNITS, *others], trained)
    assert missing == [f"{unit.run.id}-0002" for unit in (others[1], others[0])]
    manifest = storing.read_manifest(data / "trial" / "networks")
    name = f"{run().id}-0002.safetensors"
    assert sorted(manifest["files"]) == sorted(f"{unit.run.id}-0002.safetensors" for unit in UNITS[:2])
    assert manifest["networks"][name] == {"run": json.loads(json.dumps(run().canonical())), "iteration": 2}


def test_fewer_networks_may_be_published_and_none_twice(trained: Path, data: Path):
    publish_networks("trial", UNITS, trained)
    publish_networks("other", UNITS, trained)
    assert not (data / "other").exists(), "another experiment has them"
    publish_networks("trial", UNITS, trained, most=1)
    assert [path.name for path in (data / "trial" / "networks").glob("*.safetensors")] == [
        f"{run().id}-0002.safetensors"
    ]
    assert network_file(UNITS[1].run, 2, trained), "from its run"


def test_publishing_again_from_another_machine_keeps_the_published_files(trained: Path, data: Path, tmp_path: Path):
    publish_networks("trial", UNITS, trained)
    before = {path.name: path.read_bytes() for path in (data / "trial" / "networks").iterdir()}
    assert publish_networks("trial", UNITS, tmp_path / "empty") == []
    assert {path.name: path.read_bytes() for path in (data / "trial" / "networks").iterdir()} == before


def test_a_damaged_published_network_is_refused(trained: Path, data: Path):
    publish_networks("trial", UNITS, trained)
    path = data / "trial" / "networks" / f"{run().id}-0002.safetensors"
    content = bytearray(path.read_bytes())
    content[-5] ^= 4
    path.write_bytes(content)
    with pytest.raises(DamagedResult, match="has been changed"):
        published_network(run(), 2, trained)


def test_a_network_that_is_nowhere_is_one_sentence_that_says_how_to_get_it(trained: Path, tmp_path: Path):
    for iteration, root in ((2, tmp_path), (7, trained)):
        with pytest.raises(
            ParameterError, match=f"iteration {iteration} is neither published nor in .*: unpack"
        ) as told:
            published_network(run(), iteration, root)
        assert "\n" not in str(told.value)
    assert not (tmp_path / "state").exists(), "nothing was trained"


def test_an_archive_is_the_same_whenever_it_is_packed(trained: Path, tmp_path: Path):
    for name in ("one", "two"):
        write_archive(tmp_path / f"{name}.zip", UNITS, trained)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as packed:
        assert sum(name.endswith(MANIFEST) for name in packed.namelist()) == 6


def test_numbers_too_large_for_float16_are_refused():
    network = Network(NetworkSettings(game="connect4", channels=4, hidden=(8,)))
    network.policy.bias.data[0] = 1e5
    with pytest.raises(ParameterError, match="beyond 65504"):
        to_bytes(network, half=True)
    assert from_bytes(to_bytes(network), game("connect4")).policy.bias[0] == 1e5
