"""Readable faults of validated data: each names the field, the value and the cure."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

# What to do about each kind of fault, by pydantic's stable error type. {…} is the error's context.
_CURES: Final[Mapping[str, str]] = {
    "int_type": "give a whole number",
    "int_from_float": "give a whole number",
    "bool_type": "give true or false, without quotes",
    "string_type": 'give a text in "quotes"',
    "string_too_short": "give a text that is not empty",
    "greater_than": "give more than {gt}",
    "greater_than_equal": "give {ge} or more",
    "less_than_equal": "give {le} or less",
    "literal_error": "give {expected}",
    "enum": "give {expected}",
    "too_short": "give at least {min_length}",
    "model_type": "give a table of keys",
    "dict_type": "give a table of keys",
    "tuple_type": "give a list",
    "list_type": "give a list",
}


def faults_of(
    error: ValidationError,
    model: type[BaseModel],
    name_of: Callable[[Sequence[str | int]], str] | None = None,
) -> list[str]:
    """Return one line per fault of ``error``, raised by validating ``model``.

    ``name_of`` turns a location into the words of the file; dots by default:
    ``fortune.pay_table.3.pays``.
    """
    named = name_of or dotted
    return [
        fault
        for detail in error.errors(include_url=False)
        for fault in _faults(detail, model, named)
    ]


def dotted(location: Sequence[str | int]) -> str:
    """Return a location as the file's path of keys: ``fortune.pay_table.3.pays``."""
    return ".".join(str(part) for part in location)


def _faults(
    detail: ErrorDetails,
    model: type[BaseModel],
    name_of: Callable[[Sequence[str | int]], str],
) -> list[str]:
    location = detail["loc"]
    name = name_of(location)
    kind, message = detail["type"], detail["msg"]
    if kind == "value_error":
        # Our own validators say value and cure themselves, a line for each fault they find.
        texts = message.removeprefix("Value error, ").split("\n")
        return [f"{name}: {text}" if name else text for text in texts]
    if kind == "missing":
        return [f"{name} is missing; add it"]
    if kind == "extra_forbidden":
        return [f"{name} is no known key; {_near(location, model)}"]
    cure = _CURES.get(kind)
    wrong = f"{name} = {detail['input']!r}"
    if cure is None:
        return [f"{wrong}: {message}"]
    return [f"{wrong} is not valid; {cure.format(**detail.get('ctx', {}))}"]


def _near(location: Sequence[str | int], model: type[BaseModel]) -> str:
    known = _known_keys(location[:-1], model)
    near = difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"did you mean {near[0]}?" if near else f"remove it, or use {', '.join(known)}"


def _known_keys(path: Sequence[str | int], model: type[BaseModel]) -> list[str]:
    """Return the keys that the table at ``path`` may hold."""
    for part in path:
        if isinstance(part, str):
            inner = _model_in(model.model_fields[part].annotation)
            if inner is None:
                return []
            model = inner
    return list(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model inside an annotation such as ``tuple[PostedLine, ...] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_in(argument)
        if found is not None:
            return found
    return None
