"""Parameters as one frozen, validated object with a canonical form and an id.

Everything a result depends on is such an object. An unknown name or a value out of range is one sentence that says
what is allowed, before any work starts. The id of a unit of work is the digest of its canonical JSON together with the
version of the results; a field that cannot act is null in it, so that equal computations have equal ids.
"""

import hashlib
import inspect
import json
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar, Literal, Self, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo

F = TypeVar("F", bound=Callable[..., Any])
_KINDS = {"string": "a text", "bool": "True or False", "tuple": "a list", "list": "a list", "none": "None",
          "model": "the settings of a player"}  # fmt: skip
"""Kinds of values, by the beginning of the name of pydantic's error."""
RESULTS_VERSION = 1
"""The version of results without a network, to be raised when a change of the code changes results; a golden test
notices when that was forgotten."""
NETWORK_RESULTS_VERSION = 2
"""The version of all results that have a network in them; version 1 was trained by torch."""


class _Varies:
    """The default of an option where it depends on other options, as a signature shows it."""

    def __repr__(self) -> str:
        return "…"


VARIES = _Varies()


class ParameterError(ValueError):
    """A parameter that is unknown or out of range."""


class Parameters(BaseModel):
    """Base of all parameter objects: immutable, no unknown names, errors of one sentence."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    learns: ClassVar[bool] = False
    """Whether there is a network in the results that follow from these parameters."""
    later: ClassVar[dict[str, Any]] = {}
    """Fields that came after the first results, with the value under which all is as it was before them: with that
    value, or null, a field is left out of the canonical form. So new options move no id."""

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ParameterError(_sentence(type(self), error)) from None

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, values: Any) -> Any:
        # What is complete already is left as it is, and what is no mapping is refused by the field.
        return cls.completed(dict(values)) if isinstance(values, Mapping) else values

    @classmethod
    def completed(cls, values: dict[str, Any]) -> dict[str, Any]:
        """These values, before they are checked, with the defaults that depend on other values."""
        return values

    def canonical(self) -> dict[str, Any]:
        """What the result depends on, as plain values."""
        values = {
            name: value.canonical() if isinstance(value := getattr(self, name), Parameters) else value
            for name in type(self).model_fields
        }
        return {n: value for n, value in values.items() if n not in self.later or value not in (None, self.later[n])}

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some values changed, and an id of its own."""
        copied = super().model_copy(update=update, deep=deep)
        for name in copied.__dict__.keys() - type(self).model_fields.keys():  # what was worked out of the old values
            del copied.__dict__[name]
        return copied

    @cached_property
    def id(self) -> str:
        """Digest of the canonical form and the results version: the name under which a result is stored."""
        return digest(self.canonical(), self.results_version)

    @property
    def results_version(self) -> int:
        """The version of the results that follow from these parameters."""
        return NETWORK_RESULTS_VERSION if self.learns else RESULTS_VERSION


def takes(*models: type[Parameters], without: Collection[str] = (), varying: Collection[str] = ()) -> Callable[[F], F]:
    """Decorate a function whose ``**options`` go on to these parameter objects: its signature and its text name each.

    A field that several models have is named once, with "…" as its default where theirs differ, or where it is
    ``varying``. Parameters that the function has itself are its own.
    """

    def decorated(function: F) -> F:
        own = inspect.signature(function)
        named = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        left_out = {parameter.name for parameter in named} | set(without)
        texts: dict[str, str | None] = {}
        defaults: dict[str, list[Any]] = {}
        for name, field in (item for model in models for item in model.model_fields.items()):
            if name not in left_out:
                values = " or ".join(map(repr, get_args(field.annotation))) if _is_choice(field) else ""
                texts.setdefault(name, f"{field.description} ({values})" if values else field.description)
                defaults.setdefault(name, []).append(field.get_default())
        options = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=found[0] if one else VARIES)
            for name, found in defaults.items()
            for one in [len({*found}) == 1 and name not in varying]
        ]
        function.__signature__ = own.replace(parameters=[*named, *options])  # type: ignore[attr-defined]
        listed = "\n".join(f"    {name}: {text}" for name, text in texts.items())
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\nOptions:\n{listed}\n"
        return function

    return decorated


def _is_choice(field: FieldInfo) -> bool:
    """Whether a field takes one of a few texts."""
    return get_origin(field.annotation) is Literal


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number from a range, or a sentence that says which."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if is_whole and least <= value and (most is None or value <= most):
        return int(value)
    limits = f"of {least} or more" if most is None else f"from {least} to {most}"
    raise ParameterError(f"{name} = {brief(value)} is not allowed: it should be a whole number {limits}")


def brief(what: object) -> str:
    """A thing as a sentence about it can name it: the beginning of its first line."""
    return repr(what).partition("\n")[0][:60]


def canonical_json(values: Mapping[str, Any]) -> str:
    """One text for one set of parameters: sorted keys, no spaces."""
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=True)


def digest(values: Mapping[str, Any], results_version: int = RESULTS_VERSION) -> str:
    """The id that belongs to canonical parameters."""
    text = canonical_json({"parameters": values, "results_version": results_version})
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _sentence(model: type[Parameters], error: ValidationError) -> str:
    """The first problem, as a sentence that says what would be right."""
    problem = error.errors()[0]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"]).lstrip(".")
    if problem["type"] == "extra_forbidden":
        meant = f" (did you mean {near!r}?)" if (near := _nearest(name, model)) else ""
        return f"there is no parameter {name!r} here{meant}: the parameters are {', '.join(model.model_fields)}"
    if problem["type"] == "missing":
        return f"the parameter {name!r} is missing"
    if problem["type"] == "value_error":
        return problem["msg"].removeprefix("Value error, ")
    about = f"{name} = {brief(problem['input'])} is not allowed:"
    field = model.model_fields.get(str(problem["loc"][0]) if problem["loc"] else "")
    return f"{about} {_wish(problem['type'], problem.get('ctx', {}), field)}"


def _nearest(name: str, model: type[Parameters]) -> str | None:
    """The field that somebody may have meant: the one with this symbol in the thesis, or one spelled almost so."""
    for known, field in model.model_fields.items():
        if (field.description or "").startswith(f"{name}: "):
            return known
    return next(iter(get_close_matches(name, model.model_fields, 1)), None)


def _wish(problem: str, said: Mapping[str, Any], field: FieldInfo | None) -> str:
    """What a value should be instead, in our words."""
    kind = problem.split("_")[0]
    if kind in ("int", "float", "greater", "less", "multiple", "finite") and field is not None:
        return (
            f"it should be {_number(field).replace('a number', 'a finite number' if kind == 'finite' else 'a number')}"
        )
    if problem in ("too_short", "too_long"):
        least, most = said.get("min_length"), said.get("max_length")
        return f"it should be a list of {f'{least} or more' if problem == 'too_short' else f'at most {most}'}"
    if problem == "literal_error":
        return f"it should be {said['expected']}"
    if problem.startswith("union_tag"):
        tags = f": {said['expected_tags']}" if "expected_tags" in said else ""
        return f"it should be the settings of a player, with its {said['discriminator']}{tags}"
    return f"it should be {said.get('class_name') or _KINDS.get(kind, 'of another kind')}"


def _number(field: FieldInfo) -> str:
    """Which numbers a field takes, as 'an even number from 2 to 10'."""
    parts = [field.annotation, *field.metadata, *_parts_of(field.annotation)]
    parts += [rule for part in parts if isinstance(part, FieldInfo) for rule in part.metadata]
    rules = {name: getattr(part, name) for part in parts for name in _RULES if hasattr(part, name)}
    every = rules.get("multiple_of")
    noun = "a number" if float in parts else "a whole number"
    if every is not None:
        noun = "an even number" if every == 2 else f"a multiple of {every}"
    told = {name: f"{value:,}" for name, value in rules.items()}
    if "ge" in told and "le" in told:
        return f"{noun} from {told['ge']} to {told['le']}"
    words = {"ge": "of {} or more", "gt": "above {}", "le": "of {} or less", "lt": "below {}"}
    return " ".join(
        [noun, " and ".join(text.format(told[name]) for name, text in words.items() if name in told)]
    ).strip()


_RULES = ("ge", "gt", "le", "lt", "multiple_of")


def _parts_of(annotation: Any) -> list[Any]:
    """All that an annotation is made of: of ``tuple[Annotated[float, Field(ge=0)], ...] | None`` the float and its
    rules too."""
    return [part for given in get_args(annotation) for part in (given, *_parts_of(given))]
