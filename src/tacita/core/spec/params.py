"""Parameters declared once: a frozen model whose fields serve validation, plan, command line and web form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tacita.core.errors import ParameterError

from .suggestions import did_you_mean

GroupSize = Annotated[int, Field(ge=2, description="smallest group size")]


class Parameters(BaseModel):
    """A frozen set of named parameters that speaks in our own words when one is wrong.

    >>> class Example(Parameters):
    ...     k: GroupSize = 3
    >>> Example(k=1)
    Traceback (most recent call last):
    tacita.core.errors.ParameterError: Example: k must be at least 2, got 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    # hidden from type checkers, which then know the fields by name and type
    if not TYPE_CHECKING:

        def __init__(self, **values: Any) -> None:
            try:
                super().__init__(**values)
            except ValidationError as problem:
                # pydantic collects every ValueError of a validator; ours already says what is wrong
                if own := _own_error(problem):
                    raise own from None
                message = explain(self.display_name(), problem, type(self))
                raise ParameterError(
                    message, fields=by_field(self.display_name(), problem, type(self))
                ) from None

    @classmethod
    def display_name(cls) -> str:
        """How an error message calls this model."""
        return cls.__name__.removesuffix("Section").removesuffix("Options")


def _own_error(failed: ValidationError) -> ParameterError | None:
    """The first error among several that a validator of ours raised, if any."""
    raised = (error.get("ctx", {}).get("error") for error in failed.errors(include_url=False))
    return next((error for error in raised if isinstance(error, ParameterError)), None)


def explain(who: str, problem: ValidationError, model: type[BaseModel]) -> str:
    """Say the faults of a failed validation in one sentence each, the first few of them."""
    errors = problem.errors(include_url=False)
    sentences = [_sentence(who, dict(error), model) for error in errors[:_MOST_FAULTS]]
    if len(errors) > _MOST_FAULTS:
        sentences.append(f"And {len(errors) - _MOST_FAULTS} more.")
    return " ".join(sentences)


def by_field(who: str, problem: ValidationError, model: type[BaseModel]) -> dict[str, str]:
    """The first fault of every parameter that has one, each in a sentence: for a form."""
    messages: dict[str, str] = {}
    # no form has more fields, and a text made to be wrong may have a fault in every line
    for error in problem.errors(include_url=False)[:_MOST_FIELDS]:
        messages.setdefault(place(error), _sentence(who, dict(error), model))
    return messages


_MOST_FAULTS = 4
_MOST_FIELDS = 200
_LONGEST_NAME = 80

_WANTED = {
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "literal_error": "one of {expected}",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a section of its own",
    "model_type": "a section of its own",
    "path_type": "a path",
    "string_too_long": "at most {max_length} characters",
    "string_too_short": "at least {min_length} characters",
    "too_short": "at least {min_length} entries",
}


def place(error: Mapping[str, Any]) -> str:
    """The parameter that a fault is about, as a message names it."""
    named = ".".join(str(part) for part in error["loc"] if not _is_branch(part)) or "value"
    return named if len(named) <= _LONGEST_NAME else f"{named[: _LONGEST_NAME - 3]}..."


def _sentence(who: str, error: dict[str, Any], model: type[BaseModel]) -> str:
    where = place(error)
    if error["type"] == "missing":
        field = model.model_fields.get(where)
        return f"{who}: {where} is required{f': {field.description}' if field and field.description else ''}."
    if error["type"] == "extra_forbidden":
        known = [field.alias or name for name, field in model.model_fields.items()]
        near = did_you_mean([where], known)
        return f"{who}: there is no parameter {where}.{near} Known: {', '.join(known) or 'none'}."
    wanted = _WANTED.get(error["type"])
    if wanted is None:
        return f"{who}: {where}: {error['msg']}."
    # an entry of a list may be a cell of the data that was handed over by mistake
    in_list = any(isinstance(part, int) for part in error["loc"])
    got = type(error["input"]).__name__ if in_list else shown(error["input"])
    return f"{who}: {where} must be {wanted.format(**error.get('ctx', {}))}, got {got}."


def _is_branch(part: object) -> bool:
    # pydantic names the tried branch of a union in the location: noise to a user
    return isinstance(part, str) and ("[" in part or part in {"str", "int", "float", "bool"})


def shown(value: object) -> str:
    """A plain value, cut short; of anything larger only the type, for it may hold data.

    >>> shown("x"), shown(["x"])
    ("'x'", 'list')
    """
    if value is not None and not isinstance(value, str | int | float | Path):
        return type(value).__name__
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
