"""Options out of fields: no option is declared here that a model declares already.

Names, types, defaults and help come from the fields of the Plan's sections and of the chosen method.
"""

from __future__ import annotations

import csv
import inspect
import io
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

from cyclopts import Group, Parameter, Token
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from tacita.core.errors import ParameterError
from tacita.core.params import shown

Fields = Mapping[str, FieldInfo]

FORCE = "overwrite files that are there already; never what is read"


def _fields(model: type[BaseModel] | Fields) -> Fields:
    return model if isinstance(model, Mapping) else model.model_fields


def options(
    model: type[BaseModel] | Fields,
    group: Group,
    renamed: dict[str, str] | None = None,
    skip: Sequence[str] = (),
    required: Sequence[str] = (),
) -> list[inspect.Parameter]:
    """One keyword option per field of a model; not given means: leave it to the model, unless required."""
    return [
        option((renamed or {}).get(name, name), field, group, required=name in required)
        for name, field in _fields(model).items()
        if name not in skip
    ]


def option(name: str, field: FieldInfo, group: Group, *, required: bool = False) -> inspect.Parameter:
    """One option out of one field; its help ends with the model's default."""
    kind, words = _typed_as(field.annotation), field.description or ""
    if required or field.is_required():
        return _keyword(name, kind, words, group, inspect.Parameter.empty)
    if field.default not in (None, PydanticUndefined, (), False):
        words += f" (default: {_shown_default(field.default)})"
    return _keyword(name, kind | None, words, group, None)


def path_option(name: str, words: str, group: Group) -> inspect.Parameter:
    """An optional path that belongs to no model."""
    return _keyword(name, Path | None, words, group, None)


def required_path(name: str, words: str, group: Group) -> inspect.Parameter:
    """A path that must be given and belongs to no model."""
    return _keyword(name, Path, words, group, inspect.Parameter.empty)


def flag(name: str, words: str, group: Group) -> inspect.Parameter:
    """A switch that belongs to no model."""
    return _keyword(name, bool, words, group, False)


def positional(name: str, words: str) -> inspect.Parameter:
    """A path by position."""
    hint = Annotated[Path, Parameter(help=words)]
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY, annotation=hint)


def _keyword(name: str, kind: Any, words: str, group: Group, default: Any) -> inspect.Parameter:
    spelled = "--" + name.replace("_", "-")
    whole = int in (kind, *get_args(kind))
    hint = Annotated[
        kind,
        Parameter(
            name=spelled,
            help=words,
            group=group,
            negative="",
            show_default=False,
            converter=_whole_number(spelled) if whole else None,
        ),
    ]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _whole_number(option: str) -> Callable[[Any, Sequence[Token]], int]:
    """Reads a whole number and refuses 3.5, which cyclopts would round."""

    def convert(_: Any, tokens: Sequence[Token]) -> int:
        try:
            return int(tokens[0].value)
        except ValueError:
            raise ParameterError(f"{option} must be a whole number, got {shown(tokens[0].value)}.") from None

    return convert


def _typed_as(annotation: Any) -> Any:
    """What a field looks like on a command line: a list of names is one comma-separated word."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _typed_as(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        inner = [part for part in get_args(annotation) if part is not type(None)]
        return _typed_as(inner[0]) if len(inner) == 1 else str
    return str if origin in (tuple, list, dict) else annotation


def _shown_default(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(part) or "empty" for part in value)
    return str(value)


def given(
    model: type[BaseModel] | Fields, values: dict[str, Any], renamed: dict[str, str] | None = None
) -> dict[str, Any]:
    """The options that were given, under the names and shapes of the model's fields."""
    found = {}
    for name, field in _fields(model).items():
        value = values.get((renamed or {}).get(name, name))
        if value is None:
            continue
        found[field.alias or name] = _names(value) if _is_list(field.annotation) else value
    return found


def _is_list(annotation: Any) -> bool:
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType, Annotated):
        return any(_is_list(part) for part in get_args(annotation))
    return origin in (tuple, list, dict)


def _names(text: str) -> tuple[str, ...] | str:
    """A,B,C as names; quotes protect a comma or a line break inside a name. The word numeric stays a word."""
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


def command(
    name: str, help_text: str, parameters: list[inspect.Parameter], body: Callable[..., None]
) -> Callable[..., None]:
    """A function with a signature made of parameters, as cyclopts wants it."""

    signature = inspect.Signature(parameters)

    def called(*args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        body(*bound.args, **bound.kwargs)

    called.__name__ = name
    called.__doc__ = help_text
    called.__signature__ = signature  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called
