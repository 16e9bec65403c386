"""``make faults``: break what can break, many times, and add the figures to data/reliability/faults.csv.

python tests/faults/run.py                                 # all, at full length (an hour or two)
python tests/faults/run.py training_kills --number 100     # one of them, shorter
"""

import argparse
import importlib
import math
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import harness
from harness import clock, record

LONG = {
    "training_kills": 500,
    "crash_points": 1000,
    "damaged_files": 10_000,
    "many_writers": 5000,
    "full_disk": 24,
    "dask_kills": 400,
    "notebook_kills": 40,
    "hostile_input": 10_000,
    "kernel_cache": 70,
    "packing_kills": 100,
    "publish_kills": 100,
    "signals": 309,
    "images": 100,
    "two_builds": 12,
    "dask_lines": 4,
}
"""The faults, and how many trials the long version asks for."""


def main() -> int:
    """Run the faults that are asked for; exit code 1 when anything went wrong."""
    parser = argparse.ArgumentParser(description="Break what can break, and record how often that went well.")
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=f"{', '.join(LONG)} (default: all)")
    parser.add_argument("--number", type=int, help="trials of each, instead of the long version's")
    parser.add_argument("--minutes", type=float, default=math.inf, help="where that is possible, begin no trial later")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-record", action="store_true", help="do not add to data/reliability/faults.csv")
    asked = parser.parse_args()
    if unknown := set(asked.faults) - set(LONG):
        parser.error(f"there is no fault {sorted(unknown)[0]!r}: the faults are {', '.join(LONG)}")
    wrong = False
    for name in asked.faults or LONG:
        time_gone = clock()
        harness.LAST = time.monotonic() + 60 * asked.minutes
        with tempfile.TemporaryDirectory(prefix="wslib-faults-") as folder:
            outcome = importlib.import_module(name).run(asked.number or LONG[name], asked.seed, Path(folder))
        print(f"{outcome} in {time_gone():.0f} s", flush=True)
        if outcome.trials and not asked.no_record and not outcome.left_out:
            record(outcome, time_gone(), asked.seed)
        wrong |= bool(outcome.failures)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
