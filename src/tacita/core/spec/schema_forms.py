"""Forms made from JSON schemas: a field for each parameter, and what was typed as values of a plan.

Nothing is validated here: what cannot be a value stays the text that was typed, and the caller that builds
the plan shows the fault next to its field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .size_limits import values_of_json

Kind = Literal["integer", "number", "enum", "boolean", "list", "each", "text", "free"]
_WHOLE = re.compile(r"[+-]?\d+")
# Up to here a whole number is the same as a float and as digits.
_MOST_EXACT = 2.0**53
_SCALARS = ("integer", "number", "string")


@dataclass(frozen=True)
class Field:
    """One parameter as a form shows it: `automatic` where it may be left to the method.

    A parameter that may be set column by column has the texts of `by_column`; `for_all` where one text may
    hold for all columns.
    """

    name: str
    kind: Kind
    text: str
    default: str
    automatic: bool
    choices: tuple[str, ...]
    hint: str
    by_column: Mapping[str, str]
    for_all: bool

    @property
    def on(self) -> bool:
        """Whether a box is ticked."""
        return self.text == "true"


def kind_of(schema: Mapping[str, Any]) -> Kind:
    """What a value of a schema looks like in a form.

    >>> kind_of({"type": "integer"}), kind_of({"anyOf": [{"type": "number"}, {"type": "null"}]})
    ('integer', 'number')
    >>> kind_of({"type": "array", "items": {"type": "string"}}), kind_of({"type": "object"})
    ('list', 'free')
    >>> kind_of({"type": "object", "additionalProperties": {"type": "integer"}})
    'each'
    """
    if each_of(schema) is not None:
        return "each"
    options = _options(schema)
    if len(options) != 1:
        return "free"
    option = options[0]
    if "enum" in option:
        return "enum"
    if option.get("type") == "array":
        return "list" if option.get("items", {}).get("type") in _SCALARS else "free"
    plain: dict[str, Kind] = {"integer": "integer", "number": "number", "boolean": "boolean"}
    return plain.get(option.get("type", ""), "text" if option.get("type") == "string" else "free")


def _options(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [option for option in schema.get("anyOf", [schema]) if option.get("type") != "null"]


def each_of(schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any] | None] | None:
    """The schema of one column of a parameter by column, and that of one value for all if it is allowed."""
    options = _options(schema)
    named = [option["additionalProperties"] for option in options if option.get("additionalProperties")]
    plain = [option for option in options if "additionalProperties" not in option]
    one = len(named) == 1 and len(plain) <= 1 and isinstance(named[0], Mapping)
    if not one or kind_of(named[0]) not in ("integer", "number", "list"):
        return None
    return named[0], plain[0] if plain else None


def _choices(schema: Mapping[str, Any]) -> tuple[str, ...]:
    options = [option for option in schema.get("anyOf", [schema]) if "enum" in option]
    return tuple(str(value) for option in options for value in option["enum"])


def _automatic(schema: Mapping[str, Any]) -> bool:
    return any(option.get("type") == "null" for option in schema.get("anyOf", ()))


def text_of(value: Any) -> str:
    """A value as it is typed.

    >>> text_of(None), text_of(True), text_of(["a", "b"]), text_of({"a": 1}), text_of(0.3), text_of(75.0)
    ('', 'true', 'a, b', '{"a": 1}', '0.3', '75')
    """
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < _MOST_EXACT:
        return str(int(value))
    if isinstance(value, list | tuple) and all(isinstance(entry, str | int | float) for entry in value):
        texts = [entry if isinstance(entry, str) else text_of(entry) for entry in value]
        return ", ".join(texts) if not any("," in entry for entry in texts) else json.dumps(list(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def fields_of(properties: Mapping[str, Mapping[str, Any]], values: Mapping[str, Any]) -> list[Field]:
    """The fields of a form, filled in with values or with what holds without them."""
    return [
        Field(
            name=name,
            kind=kind_of(schema),
            text=text_of(values.get(name, schema.get("default"))),
            default=text_of(schema.get("default")),
            automatic=_automatic(schema),
            choices=_choices(schema),
            hint=schema.get("description", ""),
            by_column=_texts_by_column(values.get(name)),
            for_all=(each_of(schema) or (None, None))[1] is not None,
        )
        for name, schema in properties.items()
    ]


def _texts_by_column(value: Any) -> dict[str, str]:
    return {column: text_of(typed) for column, typed in value.items()} if isinstance(value, dict) else {}


def of_columns(schema: Mapping[str, Any], for_all: str, typed: Mapping[str, str]) -> Any:
    """What was typed column by column, as a plan has it: a column without a text takes the value for all.

    >>> whole = {"type": "integer"}
    >>> level = {"anyOf": [whole, {"additionalProperties": whole, "type": "object"}]}
    >>> of_columns(level, "1", {"age": "2", "town": ""}), of_columns(level, "", {"age": "2", "town": ""})
    ({'age': 2, 'town': 1}, {'age': 2})
    >>> of_columns(level, "1", {"age": "", "town": ""}), of_columns(level, "", {"age": ""})
    (1, None)
    """
    schemas = each_of(schema)
    assert schemas is not None, "the parameter is not set by column"
    texts = {column: text.strip() for column, text in typed.items()}
    if not any(texts.values()):
        return value_of(schemas[1] or schema, for_all) if for_all.strip() else None
    filled = {column: text or for_all.strip() for column, text in texts.items()}
    return {column: value_of(schemas[0], text) for column, text in filled.items() if text}


def _number(text: str) -> Any:
    """A number where it is one; a decimal comma is one too.

    >>> _number("5"), _number("0,3"), _number("many")
    (5, 0.3, 'many')
    """
    if _WHOLE.fullmatch(text):
        return int(text) if len(text) < 300 else text
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def _parsed(text: str) -> Any:
    try:
        return values_of_json(text, "Form")
    except ValueError:
        return text


def listed(text: str, numbers: bool) -> list[Any]:
    """Several values: semicolons part them, or else commas; in brackets, as JSON has them; by column, one.

    >>> listed("3, 5,10", True), listed("0,3; 1", True), listed("north, south", False)
    ([3, 5, 10], [0.3, 1], ['north', 'south'])
    """
    if text.lstrip().startswith(("[", "{")):
        parsed = _parsed(text)
        return parsed if isinstance(parsed, list) else [parsed]
    parts = [part.strip() for part in text.split(";" if ";" in text else ",")]
    return [_number(part) if numbers else part for part in parts if part]


def value_of(schema: Mapping[str, Any], text: str) -> Any:
    """What was typed, as a plan has it."""
    text, kind = text.strip(), kind_of(schema)
    if kind in ("integer", "number"):
        return _number(text)
    if kind == "list":
        return listed(text, _of_numbers(schema))
    if kind in ("free", "each"):
        number = _number(text)
        return number if not isinstance(number, str) else _free(text)
    if kind == "enum":
        return _number(text) if text not in _strings(schema) else text
    return text


def _strings(schema: Mapping[str, Any]) -> Sequence[Any]:
    options = [option for option in schema.get("anyOf", [schema]) if "enum" in option]
    return [value for option in options for value in option["enum"] if isinstance(value, str)]


def _of_numbers(schema: Mapping[str, Any]) -> bool:
    options = [option for option in schema.get("anyOf", [schema]) if option.get("type") == "array"]
    return any(option["items"]["type"] != "string" for option in options)


def _free(text: str) -> Any:
    parsed = _parsed(text)
    return listed(text, True) if isinstance(parsed, str) and ("," in text or ";" in text) else parsed


def values_of(
    properties: Mapping[str, Mapping[str, Any]],
    typed: Mapping[str, str],
    shown: Sequence[str],
    *,
    always: Sequence[str] = (),
) -> dict[str, Any]:
    """The values of a form that differ from what holds without them, and some in any case.

    `shown` are the fields that the form had: of others nothing is known, a box without a tick included.

    >>> schema = {"k": {"type": "integer", "default": 3}, "fast": {"type": "boolean", "default": True}}
    >>> values_of(schema, {"k": "5"}, ["k", "fast"])
    {'k': 5, 'fast': False}
    """
    values: dict[str, Any] = {}
    for name, schema in properties.items():
        default = schema.get("default")
        if name not in shown:
            value = default
        elif kind_of(schema) == "boolean":
            value = name in typed
        else:
            text = typed.get(name, "").strip()
            value = value_of(schema, text) if text else default
        if value is not None and (value != default or name in always):
            values[name] = value
    return values
