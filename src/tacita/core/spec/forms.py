"""What a model asks of a person, field by field: the one source of options and of web forms."""

from __future__ import annotations

import csv
import io
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tacita.core.errors import ParameterError

from .params import shown

Fields = Mapping[str, FieldInfo]
Shape = Literal["switch", "whole", "number", "path", "choice", "names", "text"]

_SHAPES: dict[Any, Shape] = {bool: "switch", int: "whole", float: "number", Path: "path"}


@dataclass(frozen=True)
class Entry:
    """One field as a person fills it in: names are one text with commas between; `default` as it is read."""

    name: str
    shape: Shape
    words: str
    default: str | None
    required: bool
    choices: tuple[str, ...] = ()


def fields_of(model: type[BaseModel] | Fields) -> Fields:
    """The fields of a model, or some fields as they are."""
    return model if isinstance(model, Mapping) else model.model_fields


def entries(
    model: type[BaseModel] | Fields, *, skip: Sequence[str] = (), required: Sequence[str] = ()
) -> list[Entry]:
    """One entry for each field.

    >>> from tacita.core.spec import registry
    >>> entries(registry.lookup("gsms"))
    [Entry(name='k', shape='whole', words='smallest group size', default='3', required=False, choices=())]
    """
    fields = {name: field for name, field in fields_of(model).items() if name not in skip}
    return [entry(name, field, required=name in required) for name, field in fields.items()]


def entry(name: str, field: FieldInfo, *, required: bool = False) -> Entry:
    """One field as a person fills it in."""
    shape, choices = _shape_of(field.annotation)
    unsaid = field.is_required() or field.default_factory is not None or field.default in (None, (), False)
    default = None if unsaid else _shown_default(field.default)
    return Entry(
        name=name,
        shape=shape,
        words=field.description or "",
        default=default,
        required=required or field.is_required(),
        choices=choices,
    )


def _shape_of(annotation: Any) -> tuple[Shape, tuple[str, ...]]:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _shape_of(get_args(annotation)[0])
    if origin is Literal:
        return "choice", tuple(map(str, get_args(annotation)))
    if origin in (Union, types.UnionType):
        inner = [part for part in get_args(annotation) if part is not type(None)]
        if len(inner) == 1:
            return _shape_of(inner[0])
        return ("names" if _is_list(annotation) else "text"), ()
    if origin in (tuple, list, dict):
        return "names", ()
    return _SHAPES.get(annotation, "text"), ()


def _shown_default(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(part) or "empty" for part in value)
    return str(value)


def filled_in(
    model: type[BaseModel] | Fields, values: Mapping[str, Any], renamed: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What was filled in, under the names and shapes of the model's fields; the rest is left to the model."""
    filled = {}
    for name, field in fields_of(model).items():
        value = values.get((renamed or {}).get(name, name))
        if value is not None:
            filled[field.alias or name] = _names(value) if _is_list(field.annotation) else value
    return filled


def _names(value: str | Sequence[str]) -> tuple[str, ...] | str:
    """Names of one text, or of several where an option was given more than once."""
    texts = [value] if isinstance(value, str) else value
    if len(texts) == 1:
        # a section written as JSON is for its own field to read
        return texts[0] if texts[0].lstrip().startswith("{") else names_in(texts[0])
    return tuple(name for text in texts for name in names_in(text or ""))


def _is_list(annotation: Any) -> bool:
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType, Annotated):
        return any(_is_list(part) for part in get_args(annotation))
    return origin in (tuple, list, dict)


def names_in(text: str) -> tuple[str, ...] | str:
    """A,B,C as names; quotes protect a comma or a line break inside a name. The word numeric stays a word.

    >>> names_in('turnover,"wages, gross"')
    ('turnover', 'wages, gross')
    """
    if text in ("numeric", ""):
        return text or ()
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True))
    except csv.Error:
        rows = []
    if len(rows) != 1:
        raise ParameterError(
            f"{shown(text)}: wanted names with commas between. Put a name that holds a comma, a quote or a "
            "line break in double quotes."
        )
    return tuple(rows[0])
