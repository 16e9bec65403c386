"""Archives of networks: whole or not there, and never in the way of the one before."""

import os
from itertools import islice
from pathlib import Path

import pytest

from wslib.parameters import ParameterError
from wslib.study.engine import networks
from wslib.study.engine import store as storing
from wslib.study.engine.networks import write_archive
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.states import train
from wslib.study.presets import preset

UNITS = [RunUnit(run=preset("smoke", game="connect4"), iterations=2)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which the run is trained."""
    root = tmp_path_factory.mktemp("trained")
    train(UNITS[0].run, 2, root)
    return root


@pytest.fixture(autouse=True)
def nothing_published(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path_factory.mktemp("data")
    monkeypatch.setattr(storing, "published_root", lambda: data)


def test_an_archive_is_replaced_when_the_new_one_is_whole(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    target = tmp_path / "networks.zip"
    write_archive(target, UNITS, trained)
    before = target.read_bytes()

    def stopped(units, root):
        yield from islice(archive(units, root), 3)
        raise KeyboardInterrupt

    archive = networks.archive
    monkeypatch.setattr(networks, "archive", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_archive(target, UNITS, trained)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_packing_left_goes_with_the_next_one_and_nothing_else(trained: Path, tmp_path: Path):
    left, others = (
        tmp_path / ".networks.zip.12.0a1b2c3d.tmp",
        [tmp_path / ".mine.zip.tmp", tmp_path / ".networks.zip.tmp"],
    )
    for path in (left, *others):
        path.write_bytes(b"half")
        os.utime(path, (0, 0))
    write_archive(tmp_path / "networks.zip", UNITS, trained)
    assert {*tmp_path.iterdir()} == {tmp_path / "networks.zip", *others}


def test_an_archive_that_cannot_be_written_names_its_path(trained: Path, tmp_path: Path):
    with pytest.raises(ParameterError, match=f"{tmp_path} is a folder: it should be the name of a zip file"):
        write_archive(tmp_path, UNITS, trained)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=str(tmp_path / "file")):
        write_archive(tmp_path / "file" / "networks.zip", UNITS, trained)
