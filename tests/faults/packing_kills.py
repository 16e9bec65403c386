"""SIGKILL while networks are packed over a good archive: the old one stays until the new one is whole."""

import os
import random
import shutil
import zipfile
from pathlib import Path

from fault_tasks import pack, train, training
from harness import PATIENCE, Outcome, clock, kill, started


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Kill so many processes that were packing; then pack once more."""
    outcome = Outcome("packing", "SIGKILLs of a process that was packing networks over an archive")
    draw = random.Random(seed)
    units, store = [training("connect4", "fixed", seed=n) for n in range(2)], folder / "store"
    for unit in units:
        train(unit, str(store))
    old, new, target = folder / "old.zip", folder / "new.zip", folder / "trial" / "networks.zip"
    pack(units[:1], str(store), str(old))
    pack(units, str(store), str(new))
    whole = {path.read_bytes(): path.stem for path in (old, new)}
    target.parent.mkdir()
    for _ in range(2):  # the first loads what it takes
        time_gone = clock()
        started(pack, units, str(store), str(target)).join(PATIENCE)
        seconds = time_gone()
    while outcome.wants(number):
        shutil.rmtree(target.parent)
        target.parent.mkdir()
        shutil.copy(old, target)
        process = started(pack, units, str(store), str(target))
        process.join(draw.uniform(0.2, 1.1) * seconds)
        if not kill(process):
            continue
        found = whole.get(target.read_bytes(), "half an archive")
        outcome.count(f"left {found}")
        left = [path for path in target.parent.iterdir() if path != target]
        for path in left:
            os.utime(path, (0, 0))
        outcome.count("temporary files, swept later", len(left))
        pack(units, str(store), str(target))
        mended = target.read_bytes() == new.read_bytes() and list(target.parent.iterdir()) == [target]
        outcome.expect(found in ("old", "new") and mended, f"left {found}, mended: {mended}")
    with zipfile.ZipFile(target) as packed:
        assert packed.testzip() is None
    return outcome
