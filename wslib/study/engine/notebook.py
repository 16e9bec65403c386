"""The thin layer between a notebook and the study: parameters checked before work starts, numbers for the prose.

Papermill only logs a parameter that the notebook does not know, and passes a value of the wrong type on as it is; here
both are one sentence. Experiments are parameter classes whose fields have the names of the notebook's parameters cell.
"""

import ast
import os
from collections.abc import Mapping
from typing import Any, TypeVar

import pandas as pd
from IPython.display import Markdown, display
from myst_nb import glue

from wslib.parameters import ParameterError, Parameters
from wslib.study.engine import units as study
from wslib.study.pages.base import refuse_idle
from wslib.study.report.look import in_print

P = TypeVar("P", bound=Parameters)
AS_IT_IS = "WSLIB_AS_IT_IS"
"""Set where the book is built: its pages show what is there, and a run of days would keep the others waiting."""


def read_parameters(model: type[P], namespace: Mapping[str, Any]) -> P:
    """The experiment's parameters from a notebook's variables, as in ``read_parameters(Orientation, globals())``.

    Where more runs are there than an experiment asks for by default, they are asked for.
    """
    known, further = set(model.model_fields), set(getattr(model, "further", ()))
    given = _injected(namespace.get("In", []))
    unknown = sorted(given - known - further)
    if unknown:
        raise ParameterError(
            f"there is no parameter {unknown[0]!r} here: the parameters are {', '.join(model.model_fields)}"
        )
    known -= set(getattr(model, "beside_the_cell", ()))
    missing = sorted(known - set(namespace))
    if missing:
        raise ParameterError(f"run the parameters cell first: {missing[0]!r} has no value yet")
    asked = model(**{name: namespace[name] for name in known | (given & further)})
    refuse_idle(asked, {name: namespace[name] for name in given})
    return asked.grown() if hasattr(asked, "grown") else asked


def _injected(cells: list[str]) -> set[str]:
    """Names that the cell injected by papermill assigns."""
    names: set[str] = set()
    for cell in cells:
        if cell.startswith("# Parameters\n"):
            targets = (t for node in ast.parse(cell).body if isinstance(node, ast.Assign) for t in node.targets)
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def origin(frame: pd.DataFrame, experiment: str) -> None:
    """Tell the status page where results come from (as ``run_results``), and the reader where it is not ``data/``."""
    frame = frame.drop_duplicates("unit")
    if frame.empty:
        glue("run_results", "nothing yet", display=False)
        display(Markdown(f"Nothing on this page is computed yet; `wslib study --only {experiment}` computes it."))
        return
    counts = frame["origin"].value_counts().to_dict()
    published, fresh = counts.get("published", 0), counts.get("computed here", 0)
    glue("run_results", "published" if not fresh else f"{fresh} of {len(frame)} computed here", display=False)
    if fresh:
        rest = f"; {published:,} are published in `data/`." if published else ", and none is published."
        display(Markdown(f"{fresh:,} of {len(frame):,} results shown here were computed on this machine{rest}"))


def say(text: str) -> Markdown | None:
    """A paragraph of prose with computed numbers; nothing where there is nothing to say."""
    return Markdown(in_print(text)) if text.strip() else None


def show(*parts: Any) -> None:
    """Sentences, figures and tables below each other; what is not there is passed over, and said once."""
    said = set()
    for part in parts:
        if part is not None and getattr(part, "text", part) not in said:
            display(part)
            said.add(getattr(part, "text", ""))


def numbers(**values: str) -> None:
    """Numbers, already formatted, that other pages of the book quote by name."""
    for name, value in values.items():
        glue(name, in_print(value), display=False)


def show_elsewhere(**shown: Any) -> None:
    """Figures and tables that other pages of the book show by name."""
    for name, what in shown.items():
        glue(name, what, display=False)


def results_of(asked: Any) -> tuple[list[Any], pd.DataFrame]:
    """The units of an experiment with runs that are there, and their labels joined with their results.

    What is missing is computed first, or left out where the experiment says so (``compute``) or the book is built.
    """
    units = asked.units()
    found = study.results(units, asked.name, asked.workers, compute=asked.compute and not os.environ.get(AS_IT_IS))
    return [units[place] for place in found.index], asked.labels().join(found, how="inner").reset_index(drop=True)
