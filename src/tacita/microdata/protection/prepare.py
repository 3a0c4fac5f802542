"""Prepares the arrays for a method: the only place where columns of a file become arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacita.core import (
    DataError,
    Floats,
    Hierarchy,
    Ints,
    Labels,
    Mask,
    Matrix,
    Microdata,
    RecordMethod,
    RunContext,
)
from tacita.core.spec.release_options import Missing
from tacita.core.spec.roles import Kind
from tacita.io.hierarchies import as_hierarchy
from tacita.microdata.methods.dropping.dropping_method import Cells
from tacita.microdata.methods.synthesis.column_margins import Columns
from tacita.microdata.statistics.sample_uniqueness import combined

from . import checks
from .context_columns import (
    Categories,
    ReadColumn,
    columns_read,
    condition_cells,
    context_numbers,
    population_of,
)
from .missing_patterns import suppressed_cells


@dataclass(frozen=True, repr=False)
class ProtectedColumns:
    """Properties of the columns to protect, followed by the independent columns of a synthesis.

    names        of the columns, in the order of the arrays
    kinds        scale of each column; empty if all are numeric
    texts        categories of each column of categories, in the order of their codes
    hierarchies  hierarchies of columns of categories
    integer      columns to protect that are published rounded
    """

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    texts: Mapping[str, tuple[str, ...]]
    hierarchies: Mapping[str, Hierarchy]
    integer: Mask

    @property
    def of_synthesis(self) -> Columns:
        """The columns as a synthesis of mixed data reads them."""
        numbers: list[Kind] = ["numeric"] * len(self.names)
        return Columns(self.names, self.kinds or tuple(numbers), self.texts)


@dataclass(frozen=True, repr=False)
class ReferenceColumns:
    """What a method reads and does not change.

    context      numbers released unchanged: independent columns of a synthesis, or those that a method names
    read         columns that the method and its promises read
    deciding     cells by which a drop decides which records to remove
    populations  codes and categories of the keys in tables of the population, and the stratum of each person
    """

    context: Matrix
    read: Mapping[str, ReadColumn]
    deciding: Mapping[str, Cells]
    populations: Mapping[Path, tuple[Mapping[str, Categories], Labels]]


@dataclass(frozen=True, repr=False)
class PreparedRecords:
    """The records that a method sees, as arrays.

    data        the file that they come from, with roles
    rows        the row of each in the file
    x           the columns to protect, as numbers or codes of categories; NaN where missing
    strata      number of the stratum; records with other missing columns have another one
    units       number of the unit (household, firm), if a unit column is named
    suppressed  values suppressed so that k records miss the same columns; None unless requested
    scale       mean and standard deviation of the columns, if these records are a part of a file
    """

    data: Microdata
    rows: Ints
    x: Matrix
    strata: Labels
    units: Labels | None
    columns: ProtectedColumns
    reference: ReferenceColumns
    suppressed: Mask | None
    scale: tuple[Matrix, Matrix] | None

    def parts(self) -> Iterator[tuple[Labels, Mask]]:
        """The rows of each stratum, and the columns in which they have values."""
        order = np.argsort(self.strata, kind="stable")
        for rows in np.split(order, np.cumsum(np.bincount(self.strata))[:-1]):
            yield rows, ~np.isnan(self.x[rows[0]])

    def units_of(self, rows: Labels) -> Labels | None:
        """The units of some rows, if a unit column is named."""
        return None if self.units is None else self.units[rows]


def prepare(
    data: Microdata, method: RecordMethod, run: RunContext, *, missing: Missing, round_integers: bool
) -> PreparedRecords:
    """The records of a file with roles as a method sees them; raises if it cannot protect them."""
    kinds = checks.kinds_read(data, method)
    checks.check_categorical(data, method)
    x, independent = data.coded(data.quasi), _independent(data)
    rows = _rows_to_keep(data, np.column_stack([x, independent]), missing, method.draws_missing)
    x = x[rows]
    # a drop may be meant to remove records without unit or weight
    drops = method.kind == "dropping"
    units = None if drops else _units(data, rows)
    suppressed = _gaps_to_merge(data, method, x, rows, units, run) if missing == "merge" else None
    x = x if suppressed is None else np.where(suppressed, np.nan, x)
    # if missing values are a level, records with different ones stay in one stratum
    together = method.reads_missing or missing == "level"
    strata = _named_strata(data, rows) if together else _strata(data, x, rows)
    if not drops:
        checks.check_weights(data, rows)
    if method.whole_units:
        checks.check_units_in_strata(data, method, strata, units)
    checks.check_group_counts(data, x, strata, units, method.group_size, missing)
    return PreparedRecords(
        data=data,
        rows=rows,
        x=x,
        strata=strata,
        units=units,
        columns=_columns(data, kinds, round_integers=round_integers),
        reference=_reference(data, method, independent, rows, strata),
        suppressed=suppressed,
        scale=None if data.whole is None else data.whole.scale_of(data.quasi),
    )


def _columns(data: Microdata, kinds: tuple[Kind, ...], *, round_integers: bool) -> ProtectedColumns:
    numeric = [data.scale(name) == "numeric" for name in data.quasi]
    hierarchies = data.roles.hierarchy if data.roles else {}
    return ProtectedColumns(
        names=data.used,
        kinds=kinds,
        texts={name: data.levels(name).names for name in data.used if data.scale(name) != "numeric"},
        hierarchies={name: as_hierarchy(name, hierarchy) for name, hierarchy in hierarchies.items()},
        integer=np.array(
            [
                round_integers and is_numeric and data.is_integer(name)
                for name, is_numeric in zip(data.quasi, numeric, strict=True)
            ]
        ),
    )


def _reference(
    data: Microdata, method: RecordMethod, independent: Floats, rows: Ints, strata: Ints
) -> ReferenceColumns:
    context = independent[rows] if independent.size else context_numbers(data, method.context_columns, rows)
    return ReferenceColumns(
        context=context,
        read=columns_read(data, method, rows),
        deciding={name: cells[rows] for name, cells in condition_cells(data, method).items()},
        populations={path: population_of(path, data, rows, strata) for path in method.populations},
    )


def _gaps_to_merge(
    data: Microdata, method: RecordMethod, x: Floats, rows: Ints, units: Ints | None, run: RunContext
) -> Mask | None:
    """The values to suppress so that k records miss the same columns; None if the method has no k."""
    k = method.group_size
    if k is None or method.reads_missing:
        return None
    return suppressed_cells(x, _named_strata(data, rows), units, k, data.scales, run)


def complete_rows(data: Microdata, columns: Sequence[str]) -> Ints:
    """Rows without missing values in some columns; raises if there are none."""
    gaps = np.zeros(data.n, dtype=bool)
    for name in columns:
        gaps |= data.missing(name)
    if gaps.all():
        raise DataError(f"{data.source}: every record misses a value to protect. No record is left.")
    return np.flatnonzero(~gaps)


def _independent(data: Microdata) -> Floats:
    """Independent columns, as numbers or codes."""
    names = data.used[len(data.quasi) :]
    return data.coded(names) if names else np.empty((data.n, 0))


def _rows_to_keep(data: Microdata, used: Floats, policy: Missing, drawing: bool) -> Ints:
    gaps = np.isnan(used)
    drawn = bool(data.roles and data.roles.dependent)
    if policy == "refuse" and gaps.any():
        counts = dict(zip(data.used, gaps.sum(axis=0).tolist(), strict=True))
        checks.check_missing_values(
            data.source, counts, int(gaps.any(axis=1).sum()), drawn=drawn, drawing=drawing
        )
    kept = np.flatnonzero(~gaps.any(axis=1)) if policy == "drop" else np.arange(data.n)
    if kept.size == 0:
        what = "dependent or independent value" if drawn else "quasi-identifier"
        raise DataError(f"{data.source}: every record misses a {what}. No record is left.")
    return kept


def _strata(data: Microdata, x: Floats, kept: Ints) -> Ints:
    """Number the strata of the kept records; records with different missing columns are kept apart."""
    return combined((_named_strata(data, kept), *np.isnan(x).T.astype(np.int64)), kept.size)


def _named_strata(data: Microdata, kept: Ints) -> Ints:
    return data.codes(data.roles.strata if data.roles else ())[kept]


def _units(data: Microdata, kept: Ints) -> Ints | None:
    unit = data.roles.unit if data.roles else None
    if unit is None:
        return None
    absent = int(data.missing(unit)[kept].sum())
    if absent:
        raise DataError(
            f"{data.source}: unit column {unit} is missing in {absent} records, so distinct units cannot be "
            "counted. Complete it or drop those records."
        )
    return data.alike(unit).codes[kept]
