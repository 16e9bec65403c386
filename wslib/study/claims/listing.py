"""A list of all training runs that are published or stored, whatever experiment asked for them: a row per run and pool.

It reads the plain files of ``data/`` and the store, so that it needs no experiment to know of a run. Elo values are on
the scale of their pool; a run that is in several pools has a row in each.
"""

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from wslib.parameters import digest
from wslib.study.claims.evidence import Evidence
from wslib.study.engine.everything import RUNS, Found, published, stored
from wslib.study.engine.store import LocalStore, Stored
from wslib.study.presets import nearest

MEASURED = "run perfect"
"""Kind of units that hold the network of a run against perfect play."""
COLUMNS = ("experiment", "game", "method", "warm start", "preset", "seed", "iterations", "accepted", "switch", "Elo",
           "pool", "optimal %", "CPU minutes", "code", "results", "unit")  # fmt: skip
NAMES = {"gobang-6x6-k4": "gobang", "connect4-6x6-k4": "connect4", "othello-6x6": "othello",
         "connect4-6x7-k4": "connect4-6x7"}  # fmt: skip


def understood(found: Iterable[Found]) -> Iterator[tuple[Found, dict[str, Any]]]:
    """Those that say what a run, or a measurement of one, says, with their rows; others are left out with a warning.

    Digests tell what has been changed by accident, and not what somebody wrote with a digest of its own.
    """
    for one in found:
        try:
            if (result := one.read()) is not None:
                yield one, _row(one, result) if one.kind in RUNS else _measured(one, result)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
            warnings.warn(
                f"{one.kind} {one.unit} ({one.experiment or one.results}) is left out: it does not say what a result "
                f"of this kind says ({type(error).__name__}: {str(error)[:100]})",
                stacklevel=2,
            )


def all_runs(evidence: Evidence, root: Path | None = None, store: LocalStore | None = None) -> pd.DataFrame:
    """A row per training run and experiment (and pool, where it is rated in several)."""
    kinds = (*RUNS, MEASURED)
    found = list(understood(published(*kinds, root=root)))
    known = {one.unit for one, _ in found}
    found += understood(one for one in stored(store or LocalStore(), *kinds) if one.unit not in known)
    asked_by = _asked_by(evidence)
    optimal = _optimal([row for one, row in found if one.kind == MEASURED])
    elos = _elos(evidence)
    rows = []
    for one, row in found:
        if one.kind not in RUNS:
            continue
        row["optimal %"] = optimal.get(digest(one.parameters["run"]))
        # A run published by one experiment may be asked for, and rated, by another.
        names = [name for name in (one.experiment, *asked_by.get(one.unit, [])) if name]
        for experiment in dict.fromkeys(names or [""]):
            rated = elos.get((experiment, one.unit), [("", None)])
            rows += [{**row, "experiment": experiment, "pool": pool, "Elo": elo} for pool, elo in rated]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).drop_duplicates(["experiment", "unit", "pool"])
    # Runs that belong to no experiment, or to the first edition alone, come last.
    order = ["experiment", "game", "method", "warm start", "preset", "seed", "pool"]
    last = (frame["experiment"] == "") | (frame["results"] == "first edition")
    return frame.assign(last=last).sort_values(["last", *order], kind="stable", ignore_index=True).drop(columns="last")


def _row(one: Found, result: Stored) -> dict[str, Any]:
    run = one.parameters["run"]
    made = result.provenance
    stages = [made[name] for name in made if name.startswith("cpu_") and name != "cpu_seconds"]
    resumed = pd.to_numeric(made.get("resumed_after", 0), errors="coerce") > 0  # the times are those of a part
    seconds = pd.to_numeric(pd.Series(stages or [made.get("cpu_seconds")]), errors="coerce").sum(min_count=1)
    row = {
        "game": NAMES.get(run["game"], run["game"]),
        "method": run["method"],
        "warm start": warm_start(run),
        "preset": preset_of(run),
        "seed": run["seed"],
        "iterations": result.summary.get("iterations"),
        "accepted": result.summary.get("accepted"),
        "switch": result.summary.get("switch_iteration"),
        "CPU minutes": None if resumed else seconds / 60,
        "code": made.get("code", ""),
        "results": one.results,
        "unit": one.unit,
    }
    for name in ("seed", "iterations", "accepted", "switch"):
        if row[name] is not None and not isinstance(row[name], int | float):
            raise TypeError(f"{name} is {row[name]!r:.40}, and should be a number")
    for name in ("game", "method"):
        if not isinstance(row[name], str):
            raise TypeError(f"{name} is {row[name]!r:.40}, and should be a name")
    return row


def _measured(one: Found, result: Stored) -> dict[str, Any]:
    """Whose network was measured when, and its share of optimal moves (none where it did not play by itself)."""
    share = None if one.parameters.get("search") else result.summary.get("optimal")
    return {
        "run": digest(one.parameters["run"]),
        "iteration": int(one.parameters["iteration"]),
        "optimal": None if share is None else float(share),
    }


def warm_start(run: dict[str, Any]) -> str:
    """How a run's warm start ends, in words.

    >>> warm_start({"method": "wrora", "switch": "fixed", "warm_iterations": 5})
    '5 iterations'
    """
    if run["method"] == "baseline":
        return "none"
    if run["switch"] == "adaptive":
        return "adaptive"
    return f"{run['warm_iterations']} iteration{'s' if run['warm_iterations'] != 1 else ''}"


def preset_of(run: dict[str, Any]) -> str:
    """The preset that a run's settings come closest to, and what differs from it.

    >>> from wslib.study.presets import preset
    >>> run = preset("laptop", game="othello", method="wro", c=2.0)
    >>> preset_of(run.canonical())
    'laptop, c = 2.0'
    """
    name, differences = nearest(run)
    # What another difference leaves without effect is no difference of its own.
    acting = {option: value for option, value in differences.items() if value is not None}
    return ", ".join([name, *(f"{option} = {value}" for option, value in (acting or differences).items())])


def _asked_by(evidence: Evidence) -> dict[str, list[str]]:
    """Experiments by unit."""
    names: dict[str, list[str]] = {}
    for experiment, frame in evidence.frames.items():
        for unit in dict.fromkeys(frame["unit"]):
            names.setdefault(unit, []).append(experiment)
    return names


def _elos(evidence: Evidence) -> dict[tuple[str, str], list[tuple[str, float]]]:
    """Pools and ratings by experiment and unit."""
    found: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for experiment, elos in evidence.elos.items():
        for row in elos.dropna(subset="unit").itertuples():
            found.setdefault((experiment, row.unit), []).append((row.pool, row.elo))
    return found


def _optimal(measured: list[dict[str, Any]]) -> dict[str, float]:
    """Percent of optimal moves by run: of its latest measured network by itself, mean over sets of positions."""
    frame = pd.DataFrame(measured, columns=["run", "iteration", "optimal"]).dropna()
    latest = frame[frame["iteration"] == frame.groupby("run")["iteration"].transform("max")]
    return {str(run): 100 * float(share) for run, share in latest.groupby("run")["optimal"].mean().items()}
