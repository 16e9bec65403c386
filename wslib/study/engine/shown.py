"""Results at the command line: what was computed where, one of them looked into, and what may come next."""

import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pandas as pd

from wslib.parameters import NETWORK_RESULTS_VERSION, ParameterError, digest
from wslib.study.engine.everything import Found, published, stored
from wslib.study.engine.store import LocalStore, Stored
from wslib.study.presets import nearest

ROWS = 12
"""Of a table that is shown."""


def look_into(name: str, local: LocalStore) -> str:
    """What is known of a result, named by the beginning of its id or, a training run, of its run's."""
    found = list({one.unit: one for one in _matching(name.lower(), local)}.values()) if name else []
    if not found:
        raise ParameterError(
            f"there is no result {name[:40]!r}, published or in {local.root}: 'wslib runs' lists the training runs"
        )
    exact = [one for one in found if name == one.unit] or _longest(
        [one for one in found if name == _run_id(one.parameters)]
    )
    if len(exact or found) > 1:
        listed = ", ".join(f"{one.unit} ({one.kind})" for one in found[:4])
        raise ParameterError(
            f"{len(found)} results begin with {name[:40]!r}, {listed} among them: more letters tell which"
        )
    one = (exact or found)[0]
    result = one.read()
    if result is None:
        raise ParameterError(f"{one.place} was damaged: 'wslib run' computes it again")
    return "\n".join(_told(one, result))


def _longest(of_a_run: list[Found]) -> list[Found]:
    """Of the results of one run, the one that today's code would compute and that has the most iterations."""
    todays = [one for one in of_a_run if one.kind == "run" and one.todays]
    return sorted(todays, key=lambda one: -int(one.parameters["iterations"]))[:1] or of_a_run


def _matching(name: str, local: LocalStore) -> Iterator[Found]:
    """Results whose id, or whose run's id, begins so: the published ones first."""
    for one in (*published(), *stored(local)):
        if one.unit.startswith(name) or _run_id(one.parameters).startswith(name):
            yield one


def _run_id(parameters: Mapping[str, Any]) -> str:
    """The id of the run of a unit that trains one."""
    run = parameters.get("run")
    return digest(run, NETWORK_RESULTS_VERSION) if isinstance(run, dict) and "opponent" not in parameters else ""


def _told(found: Found, result: Stored) -> Iterator[str]:
    where = f"{found.results} in" if found.experiment else f"{found.results}, in"
    yield f"{found.kind} {found.unit}, {where} {found.place}"
    yield f"asked for: {_plainly(found.parameters)}"
    yield f"numbers: {numbers(result.summary)}"
    made = {n: v for n, v in result.provenance.items() if n in ("date", "code", "processor", "gpu", "cpu_seconds")}
    yield f"made: {_plainly(made) or 'it is not known how'}"
    for name, table in result.tables.items():
        if len(table):
            yield f"\n{name}, {len(table)} rows:\n{table.to_string(index=False, max_rows=ROWS, max_cols=14)}"
    if found.kind == "run":
        yield f"\nas a page: {one_run_line(found.parameters)}"
        if found.todays:
            last = found.parameters["iterations"]
            yield f'at a prompt: ws.trained(run="{_run_id(found.parameters)}", iteration={last})'
        else:
            yield f'at a prompt: ws.run("{found.unit}"), without its network'


def numbers(summary: Mapping[str, Any]) -> str:
    """The numbers of a result in a line.

    >>> numbers({"wins": 3, "score": 0.61234567})
    'wins 3, score 0.612'
    """
    return ", ".join(f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
                     for name, value in summary.items())  # fmt: skip


def _plainly(values: Mapping[str, Any]) -> str:
    """Parameters in a line, those within others in brackets, without what cannot act."""
    told = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            told.append(f"{name} ({_plainly(value)})")
        elif value is not None and value == value:
            told.append(f"{name} = {value}")
    return ", ".join(told)


def one_run_line(parameters: Mapping[str, Any]) -> str:
    """The line that shows a run, a unit by its canonical parameters, as a page."""
    run = parameters["run"]
    name, differing = nearest(run)
    own = {"iterations": parameters["iterations"], "preset": name, "board": run["game"]}
    own |= {n: run[n] for n in ("method", "seed", "switch") if run.get(n) is not None}
    own |= {"warm_iterations": run["warm_iterations"]} if run.get("warm_iterations") not in (None, 5) else {}
    return page_line("one_run", own | {n: value for n, value in differing.items() if value is not None})


def page_line(name: str, values: Mapping[str, Any]) -> str:
    """The line that runs a notebook with these parameters.

    >>> page_line("games", {"games": 20})
    'papermill notebooks/games.py out.ipynb -p games 20'
    """
    told = {n: ",".join(map(str, v)) if isinstance(v, list | tuple) else str(v) for n, v in values.items()}
    given = "".join(f" -p {n} {shlex.quote(value)}" for n, value in told.items())
    return f"papermill notebooks/{name}.py out.ipynb{given}"


def own_units(local: LocalStore, asked: Collection[str]) -> pd.Series:
    """How many stored results of each kind nobody asks for by default: those of one's own parameters."""
    counts = {kind: sum(unit not in asked for unit in local.latest(kind)) for kind in local.kinds()}
    return pd.Series({kind: number for kind, number in counts.items() if number}, dtype=int)
