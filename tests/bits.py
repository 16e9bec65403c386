"""The bits of a small study on kinds of processors: three games, self-play, training, arena, both switches.

`python tests/bits.py` prints the digest of a few small runs, computed by the kernels as they are compiled here;
`python tests/bits.py --all` computes it in processes of their own for every kind of processor of ``TARGETS``, every
tile of ``TILES``, and with two worker processes, and says whether all are the same. A target has its own cache of
compiled kernels, so the first time takes minutes. The digest stands in ``tests/test_bits.py``.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ("skylake-avx512", "haswell", "znver2", "x86-64")
"""Kinds of processor as LLVM names them; the last one has no fused multiply-add."""
TILES = ((8, 2), (8, 1), (6, 2), (4, 2), (4, 1), (2, 1))
SMALL = {"episodes": 4, "simulations": 10, "sampled_plies": 6, "epochs": 2, "batch": 24, "channels": 12,
         "hidden": (20,), "arena_games": 4, "retrained": 2}  # fmt: skip
RUNS = (
    {"game": "connect4", "method": "wrora", "warm_iterations": 1, "measure_every": 2, "measure_positions": 20},
    {"game": "othello", "method": "rave", "switch": "adaptive", "noise": 0.25, "optimiser": "carried"},
    {"game": "gobang", "method": "rhea", "warm_iterations": 1, "symmetries": "all", "shape": "residual", "blocks": 1},
    {"game": "connect4", "method": "rollout", "shape": "dense", "hidden": (), "gating": False},
)
ITERATIONS = 2


def digest(workers: int = 1) -> str:
    """Of weights, statistics, moments, examples and logs of all runs, each computed in a worker process or here."""
    from wslib.study.engine.store import LocalStore
    from wslib.study.engine.units import results

    units = run_units()
    found = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        if workers > 1:
            results(units, "bits", workers, LocalStore(folder), progress=False)
        for unit in units:
            found.update(state_of(unit, Path(folder)))
    return found.hexdigest()[:20]


def run_units() -> list:
    """The runs as units of the study."""
    from wslib.study.engine.runs import RunUnit
    from wslib.training.settings import RunSettings

    return [RunUnit(run=RunSettings(**{**SMALL, **options}), iterations=ITERATIONS) for options in RUNS]


def state_of(unit, folder: Path) -> bytes:
    """All that a run leaves: it is computed if it is not there."""
    from wslib.prompt.network_file import to_bytes
    from wslib.study.engine.states import train
    from wslib.training.loop import Examples

    state, log, _ = train(unit.run, ITERATIONS, folder)
    moments = [state.optimiser[name].tobytes() for name in sorted(state.optimiser)]
    examples = [getattr(e, name).tobytes() for e in state.examples for name in Examples.FIELDS]
    return b"".join([to_bytes(state.network), *moments, *examples, json.dumps(log).encode()])


def elsewhere(name: str, target: str | None = None, tile: tuple[int, int] | None = None, workers: int = 1) -> str:
    """The digest in a process of its own, compiled for a kind of processor or with a tile."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wslib-bits"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(base / name.replace(" ", "-")), "PYTHONPATH": str(ROOT)}
    if target:
        environment |= {"NUMBA_CPU_NAME": target, "NUMBA_CPU_FEATURES": ""}
        if target == "x86-64":  # numpy's own loops then do without wide registers too
            environment |= {"NPY_DISABLE_CPU_FEATURES": "X86_V4 X86_V3 AVX512F AVX512_SKX AVX2 FMA3"}
    command = [sys.executable, __file__, "--workers", str(workers)]
    command += ["--tile", *map(str, tile)] if tile else []
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout.strip()


def main() -> None:
    """Print one digest, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every kind of processor, every tile, two workers")
    parser.add_argument("--publish", action="store_true", help="with --all: write data/reliability/bits.csv")
    parser.add_argument("--tile", nargs=2, type=int, metavar=("ROWS", "VECTORS"), help="the tile of the products")
    parser.add_argument("--workers", type=int, default=1, help="worker processes (default: 1, in this process)")
    asked = parser.parse_args()
    if not asked.all:
        if asked.tile:
            from wslib.network import lanes

            lanes.ROWS, lanes.VECTORS = asked.tile
        print(digest(asked.workers))
        return
    kinds: list[dict] = [
        {"part": "processor", "name": "this processor"},
        {"part": "workers", "name": "two workers", "workers": 2},
    ]
    kinds += [{"part": "processor", "name": target, "target": target} for target in TARGETS]
    kinds += [
        {"part": "tile", "name": f"{rows} rows of {16 * vectors}", "tile": (rows, vectors)} for rows, vectors in TILES
    ]
    rows = []
    for kind in kinds:
        started, part = time.perf_counter(), kind.pop("part")
        answer = elsewhere(**kind)
        seconds = round(time.perf_counter() - started, 1)
        rows.append({"part": part, "kind": kind["name"], "digest": answer, "runs": len(RUNS), "seconds": seconds})
        print(f"{kind['name']:20} {answer}  {seconds:6.1f} s", flush=True)
    found = {row["digest"] for row in rows}
    print("all the same" if len(found) == 1 else f"DIFFERENT: {len(found)} digests")
    if asked.publish:
        write(rows)
    sys.exit(len(found) != 1)


def write(rows: list[dict]) -> None:
    """Keep the record for the book."""
    from datetime import UTC, datetime

    import pandas as pd

    from wslib.study.engine.provenance import kind_of_processor, machine

    made = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "code": machine()["code"],
            "processor": kind_of_processor(machine())}  # fmt: skip
    frame = pd.DataFrame([row | made for row in rows])
    frame.to_csv(ROOT / "data" / "reliability" / "bits.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
