"""Whatever is wrong with a value of any settings is said in our words, never in those of the library that finds it."""

import importlib
import inspect
import pkgutil
import re
from typing import Any

import pytest

import wslib
from wslib.parameters import ParameterError, Parameters
from wslib.play import RandomSettings
from wslib.training.settings import RunSettings

THEIRS = re.compile(
    r"Input|greater than|less than|valid |validation|instance|finite$|dictionary|tag |Error|\bgt\b|\bge\b"
    r"|at least \d+ item|of another kind$"
)
"""What pydantic says, and what we would say of a kind of problem that we had not thought of."""
VALUES: tuple[Any, ...] = (
    None, "x", "", 0, -1, 3, 7, 0.5, -0.5, 1e300, 10**30, float("nan"), True, [], (), ("x",), (-1,), (1.5,), [2.5, "x"],
    (1,) * 9, {}, {"method": "x"}, {"method": 3}, {"methods": "mcts"}, object(), b"x", "1.5", "nan", "1e400", [[1]],
)  # fmt: skip

BESIDE = {
    "game": "connect4", "run": RunSettings(game="connect4"), "a": RandomSettings(), "b": RandomSettings(),
    "opponent": RandomSettings(), "player": RandomSettings(),
}  # fmt: skip
"""What a class needs beside the field that is wrong."""


def settings() -> list[type[Parameters]]:
    """All classes of parameters of the package."""
    for module in pkgutil.walk_packages(wslib.__path__, "wslib."):
        importlib.import_module(module.name)
    found, waiting = [], [Parameters]
    while waiting:
        subclasses = waiting.pop().__subclasses__()
        found += [kind for kind in subclasses if kind.__module__.startswith("wslib.") and not inspect.isabstract(kind)]
        waiting += subclasses
    return sorted(found, key=lambda kind: kind.__qualname__)


@pytest.mark.parametrize("kind", settings(), ids=lambda kind: kind.__name__)
def test_a_value_that_cannot_be_is_refused_in_our_words(kind: type[Parameters]):
    said = set()
    beside = {name: value for name, value in BESIDE.items() if name in kind.model_fields}
    if kind.__name__ == "UntrainedUnit":
        beside |= {"a": "baseline", "b": "rollout"}
    for name in kind.model_fields:
        for value in VALUES:
            try:
                kind(**beside | {name: value})
            except ParameterError as refusal:
                said.add(str(refusal))
            except (TypeError, ValueError) as other:
                said.add(f"{name} = {value!r}: {type(other).__name__} {other}")
    assert not [sentence for sentence in said if THEIRS.search(sentence) or "\n" in sentence]
