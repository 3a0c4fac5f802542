"""Columns leave by their names, records by a condition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from tacita.core import DataError, Mask, ParameterError
from tacita.core.spec.conditions import Clause, Condition, condition_of
from tacita.core.spec.roles import Names

from .dropping_method import Cells, Dropping

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def _read(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        condition_of(text, "Drop")
    return texts


class Drop(Dropping):
    """Columns leave the file, or records that meet a condition, or both.

    Record i leaves where some condition holds: all of its clauses are true of the values that i has. A
    missing value is equal to nothing and unequal to nothing but to `missing` itself: a clause on it is
    neither true nor false (Kleene's logic), and a record of which no clause is false and one is open is
    treated as `unknown` says. Weights are not rescaled. O(n) a clause. Source: Hundepool et al. (2012),
    Statistical Disclosure Control, section 3.3 (removal of attributes and of records).

    >>> cells = {"age": np.array([40.0, 99.0, np.nan])}
    >>> Drop(records="age > 95", unknown="keep").dropped_rows(cells, 3).tolist()
    [False, True, False]
    >>> Drop(records="age = missing").dropped_rows(cells, 3).tolist()
    [False, False, True]
    """

    guarantees: ClassVar[tuple[str, ...]] = ("dropped", "dropped-by-condition")

    records: Annotated[Names, AfterValidator(_read)] = Field(
        default=(),
        description="condition of the records that leave, as \"age > 95 and sex = 'm'\"; or several",
    )
    unknown: Literal["refuse", "keep", "drop"] = Field(
        default="refuse", description="records that miss a value by which the condition is decided"
    )

    @model_validator(mode="after")
    def _something_leaves(self) -> Drop:
        if not self.columns and not self.records:
            raise ParameterError(
                "Drop: wanted columns to drop, or a condition of records to drop, got neither. Name columns, "
                'or write records = "age > 95".'
            )
        for name, values in (("columns", self.columns), ("records", self.records)):
            if len(set(values)) != len(values):
                raise ParameterError(f"Drop: {name} names one twice. Once is enough.")
        return self

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The parsed conditions."""
        return tuple(condition_of(text, "Drop") for text in self.records)

    @property
    def asks(self) -> tuple[str, ...]:
        """Columns that occur in the conditions."""
        return tuple(dict.fromkeys(clause.column for condition in self.conditions for clause in condition))

    def dropped_rows(self, cells: Mapping[str, Cells], records: int) -> Mask:
        """Records for which a condition is true, and open ones where `unknown` is 'drop'. O(n)."""
        meets, unknown = self._decided(cells, records)
        if self.unknown == "refuse" and (open_ones := int(unknown.sum())):
            raise DataError(
                f"Drop: {open_ones} records miss a value by which the condition is decided, so nobody can "
                "say whether they are to leave. Choose unknown 'keep' or 'drop', or ask for it: "
                '"age > 95 and age != missing".'
            )
        return meets | unknown if self.unknown == "drop" else meets

    def undecided(self, cells: Mapping[str, Cells], records: int) -> int:
        """Number of records that `unknown` decides. O(n)."""
        return int(self._decided(cells, records)[1].sum())

    def _decided(self, cells: Mapping[str, Cells], records: int) -> tuple[Mask, Mask]:
        """Of which records a condition is true, and of which none is but one may be."""
        meets, may = np.zeros(records, dtype=bool), np.zeros(records, dtype=bool)
        for condition in self.conditions:
            true, possible = np.ones(records, dtype=bool), np.ones(records, dtype=bool)
            for clause in condition:
                held, missing = _holds(clause, cells[clause.column])
                true &= held
                possible &= held | missing
            meets |= true
            may |= possible
        return meets, may & ~meets


def _holds(clause: Clause, cells: Cells) -> tuple[Mask, Mask]:
    """Where a clause is true, and where its value is missing and it is neither."""
    numeric = cells.dtype != object
    gaps = np.isnan(cells) if numeric else np.array([cell is None for cell in cells], dtype=bool)
    if clause.value is None:
        return (gaps if clause.sign == "=" else ~gaps), np.zeros(gaps.size, dtype=bool)
    if numeric != isinstance(clause.value, float):
        holds, write = ("numbers", "a number") if numeric else ("categories", "a label in quotes")
        raise ParameterError(f"Drop: column {clause.column} holds {holds}. Compare it with {write}.")
    if not numeric and clause.sign not in ("=", "!="):
        raise ParameterError(
            f"Drop: column {clause.column} holds categories, which are neither more nor less. Compare with = "
            "or !=; name several conditions where several labels are meant."
        )
    return ~gaps & np.asarray(_COMPARE[clause.sign](cells, clause.value), dtype=bool), gaps
