"""Build command options from the fields of models, so that no option is declared twice."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter, Token
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tacita.core.errors import ParameterError
from tacita.core.spec import forms
from tacita.core.spec.forms import Fields, Shape
from tacita.core.spec.forms import filled_in as given
from tacita.core.spec.params import shown

__all__ = [
    "FORCE",
    "Fields",
    "command",
    "flag",
    "given",
    "option",
    "options",
    "path_option",
    "positional",
    "required_path",
]

FORCE = "overwrite existing files; never the input"

_TYPES: dict[Shape, Any] = {"switch": bool, "whole": int, "number": float, "path": Path, "names": list[str]}


def options(
    model: type[BaseModel] | Fields,
    group: Group,
    renamed: dict[str, str] | None = None,
    skip: Sequence[str] = (),
    required: Sequence[str] = (),
) -> list[inspect.Parameter]:
    """One keyword option per field of a model; an absent option leaves the model's default."""
    return [
        _of_entry((renamed or {}).get(entry.name, entry.name), entry, group)
        for entry in forms.entries(model, skip=skip, required=required)
    ]


def option(name: str, field: FieldInfo, group: Group, *, required: bool = False) -> inspect.Parameter:
    """One option from one field; its help ends with the model's default."""
    return _of_entry(name, forms.entry(name, field, required=required), group)


def _of_entry(name: str, entry: forms.Entry, group: Group) -> inspect.Parameter:
    kind = Literal[entry.choices] if entry.choices else _TYPES.get(entry.shape, str)
    if entry.required:
        return _keyword(name, kind, entry.words, group, inspect.Parameter.empty)
    words = entry.words if entry.default is None else f"{entry.words} (default: {entry.default})"
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


def positional(name: str, words: str, *, required: bool = True) -> inspect.Parameter:
    """A path by position."""
    kind: Any = Path if required else Path | None
    default = inspect.Parameter.empty if required else None
    hint = Annotated[kind, Parameter(help=words, show_default=False)]
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY, default=default, annotation=hint)


def _keyword(name: str, kind: Any, words: str, group: Group, default: Any) -> inspect.Parameter:
    spelled = "--" + name.replace("_", "-")
    is_integer = kind in (int, int | None)
    hint = Annotated[
        kind,
        Parameter(
            name=spelled,
            help=words,
            group=group,
            negative="",
            show_default=False,
            converter=_integer_converter(spelled) if is_integer else None,
        ),
    ]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _integer_converter(option: str) -> Callable[[Any, Sequence[Token]], int]:
    """A converter that refuses 3.5, which cyclopts would round."""

    def convert(_: Any, tokens: Sequence[Token]) -> int:
        try:
            return int(tokens[0].value)
        except ValueError:
            raise ParameterError(f"{option} must be a whole number, got {shown(tokens[0].value)}.") from None

    return convert


def command(
    name: str, help_text: str, parameters: list[inspect.Parameter], body: Callable[..., None]
) -> Callable[..., None]:
    """A function with these parameters as its signature, as cyclopts needs it."""

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
