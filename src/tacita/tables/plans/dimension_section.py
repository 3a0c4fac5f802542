"""The dimensions of a table and the division of their labels, for every [table] of a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from tacita.core.errors import ParameterError
from tacita.core.spec.params import Parameters
from tacita.core.spec.roles import Names


def _pairs(value: object, wanted: str) -> object:
    """A mapping from several COLUMN=SOMETHING; a mapping is returned as it is."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",")]
    if not isinstance(value, list | tuple):
        return value
    parted = [str(pair).partition("=") for pair in value]
    if any(not sign or not column or not text for column, sign, text in parted):
        raise ParameterError(f"Table: wanted {wanted}.")
    if len({column for column, _, _ in parted}) < len(parted):
        raise ParameterError(f"Table: wanted {wanted}, each column once.")
    return {column: text for column, _, text in parted}


def _as_hierarchies(value: object) -> object:
    pairs = _pairs(value, "a hierarchy as COLUMN=FILE.hrc")
    if not isinstance(pairs, dict):
        return pairs
    return {
        column: Path(hierarchy) if isinstance(hierarchy, str) else hierarchy
        for column, hierarchy in pairs.items()
    }


def _as_lengths(value: object) -> object:
    """How many first characters, as COLUMN=1:3 or a mapping from columns to such numbers."""
    pairs = _pairs(value, "prefixes as COLUMN=1:3, so many first characters")
    if not isinstance(pairs, dict):
        return pairs
    return {
        column: lengths.split(":") if isinstance(lengths, str) else lengths
        for column, lengths in pairs.items()
    }


def _as_columns(value: object) -> object:
    return _pairs(value, "parents as COLUMN=OTHER COLUMN")


def _as_totals(value: object) -> object:
    """One label, or COLUMN=LABEL of some."""
    if isinstance(value, list | tuple) and len(value) == 1 and "=" not in str(value[0]):
        return value[0]
    if isinstance(value, str) and "=" not in value:
        return value
    return _pairs(value, "a total as LABEL, or as COLUMN=LABEL")


class DivisionSection(Parameters):
    """The keys of every [table]: its dimensions, and the division of their labels."""

    dimensions: Names = Field(
        default=(),
        description="columns whose labels span the table, of any number; in place of rows and columns",
    )
    rows: str | None = Field(
        default=None, description="the first of two dimensions, whose labels become rows"
    )
    columns: str | None = Field(
        default=None, description="the second of two dimensions, whose labels become columns"
    )
    hierarchy: Annotated[dict[str, Any], BeforeValidator(_as_hierarchies)] = Field(
        default_factory=dict,
        description="COLUMN=FILE of a hierarchy, .hrc or .csv, commas between; its groups are subtotals",
    )
    prefixes: Annotated[dict[str, tuple[int, ...]], BeforeValidator(_as_lengths)] = Field(
        default_factory=dict,
        description="COLUMN=1:3 of codes whose first characters (1, then 3) name what they are part of",
    )
    parents: Annotated[dict[str, str], BeforeValidator(_as_columns)] = Field(
        default_factory=dict, description="COLUMN=OTHER, a column that has the label above each"
    )
    total: Annotated[str | dict[str, str] | None, BeforeValidator(_as_totals)] = Field(
        default=None,
        description="label of the sum of all, Total if not given; or COLUMN=LABEL, commas between",
    )

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        if self.dimensions and (self.rows or self.columns):
            raise ParameterError(
                "Table: dimensions are named twice. Use --dimensions, or --rows and --columns."
            )
        return self

    @property
    def spanning(self) -> tuple[str, ...]:
        """The dimensions, by `dimensions` or by `rows` and `columns`."""
        return self.dimensions or tuple(name for name in (self.rows, self.columns) if name is not None)

    @property
    def divided(self) -> dict[str, Any]:
        """The options that divide labels, as arguments."""
        options = {name: getattr(self, name) for name in DIVIDING}
        return {name: option for name, option in options.items() if option}


DIVIDING = ("hierarchy", "prefixes", "parents", "total")
