"""Context of a method: columns that it reads and does not change, and tables of the population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacita import io
from tacita.core import DataError, Floats, Ints, Microdata, ParameterError, Partition, RecordMethod
from tacita.core.data.levels import category_cells, nominal_levels
from tacita.core.data.microdata import join_names
from tacita.microdata.methods.dropping.dropping_method import Cells, Dropping

Categories = tuple[Ints, tuple[str, ...]]


def categories_of(data: Microdata, name: str, rows: Ints) -> Categories:
    """Codes and texts of the categories of some rows; missing cells are a category with an empty text."""
    cells, _ = category_cells(data.column(name), f"{data.source}: column {name}")
    levels = nominal_levels(cells, data.missing(name) | np.asarray(cells.is_null()))
    codes = np.where(np.isnan(levels.codes), len(levels.keys), levels.codes)[rows].astype(np.int64)
    names = np.array([*levels.names, ""], dtype=object)
    present, codes = np.unique(codes, return_inverse=True)
    return codes.reshape(-1).astype(np.int64), tuple(names[present].tolist())


def condition_cells(data: Microdata, method: RecordMethod) -> dict[str, Cells]:
    """Cells of the columns that the condition of a drop reads: numbers, or texts."""
    if not isinstance(method, Dropping):
        return {}
    data.require((*method.columns, *method.asks))
    if set(data.columns) <= {*method.columns, *(data.roles.identifiers if data.roles else ())}:
        raise ParameterError(f"{method.display_name()}: no column would be left. Drop fewer.")
    return {name: numbers_or_texts(data, name) for name in method.asks}


def numbers_or_texts(data: Microdata, name: str) -> Cells:
    """A column of a condition as numbers, or else as texts; NaN or None where missing. O(n)."""
    if data.kind(name) == "numeric":
        return data.numbers(name)
    cells, _ = category_cells(data.column(name), f"{data.source}: column {name}")
    texts = np.array(cells.cast(pa.large_string()).to_pylist(), dtype=object)
    texts[data.missing(name)] = None
    return texts


@dataclass(frozen=True, repr=False)
class ReadColumn:
    """A column that a method reads and does not change: some rows of a file."""

    data: Microdata
    name: str
    rows: Ints

    @cached_property
    def codes(self) -> Ints:
        """Integer codes; equal values have equal codes."""
        return self.data.codes([self.name])[self.rows]

    @cached_property
    def categories(self) -> Categories:
        """Codes from 0 of the values that occur, and their texts."""
        return categories_of(self.data, self.name, self.rows)

    @cached_property
    def numbers(self) -> Floats:
        """Numbers, NaN where missing. Raises if the column is not numeric."""
        return self.data.numbers(self.name)[self.rows]


def columns_read(data: Microdata, method: RecordMethod, kept: Ints) -> dict[str, ReadColumn]:
    """The columns that a method reads. Raises if one does not exist or is to be changed."""
    data.require(method.reads)
    changed = [name for name in method.reads if name in data.quasi]
    if changed:
        raise ParameterError(
            f"{method.display_name()}: column {join_names(changed)} is to be changed, so the method cannot "
            "read its original values. Remove it from quasi."
        )
    return {name: ReadColumn(data, name, kept) for name in method.reads}


def groups_named(method: RecordMethod, read: Mapping[str, ReadColumn], rows: Ints) -> Partition:
    """Groups of some records by a column that names them, for a method that starts from these."""
    (column,) = (read[name] for name in method.reads)
    if absent := int(column.data.missing(column.name)[column.rows].sum()):
        raise DataError(
            f"{method.display_name()}: column {join_names([column.name])}, which names the groups, is "
            f"missing in {absent} records. Complete it, or leave it out."
        )
    partition = Partition(np.unique(column.codes[rows], return_inverse=True)[1].reshape(-1), 1)
    wanted = method.group_size or 1
    if (smallest := int(partition.sizes.min())) < wanted:
        raise DataError(
            f"{method.display_name()}: wanted {wanted} or more records in every group that column "
            f"{join_names([column.name])} names, within a stratum and among records that miss the same "
            f"columns, got a group of {smallest}. Merge groups, or lower k."
        )
    return partition


def context_numbers(data: Microdata, names: Sequence[str], kept: Ints) -> Floats:
    """Unmasked columns that a method reads, as numbers without missing values."""
    if not names:
        return np.empty((kept.size, 0))
    unknown = [name for name in names if name not in data.columns]
    if unknown:
        raise ParameterError(
            f"{data.source}: there is no column {join_names(unknown)} to use as context. Name others."
        )
    masked = [name for name in names if name in data.quasi]
    if masked:
        raise ParameterError(
            f"{data.source}: column {join_names(masked)} is to be masked and cannot be a context column. "
            "Name columns that are released unchanged."
        )
    values = data.matrix(names)[kept]
    gaps = int(np.isnan(values).any(axis=1).sum())
    if gaps:
        raise DataError(
            f"{data.source}: context columns have missing values in {gaps} records. Complete them, or name "
            "others."
        )
    return values


def population_of(
    path: Path, data: Microdata, kept: Ints, strata: Ints
) -> tuple[dict[str, Categories], Ints]:
    """Keys of a population and the stratum of each person.

    Persons of strata that the file does not have get one number beyond those of the file.
    """
    people = io.read(path)
    names = data.roles.strata if data.roles else ()
    if lacking := [name for name in (*data.quasi, *names) if name not in people.columns]:
        raise DataError(
            f"{people.source}: the population has no column {join_names(lacking)}. It needs all keys and "
            "strata of the file, by the same names."
        )
    all_rows = np.arange(people.n)
    known: dict[tuple[str, ...], int] = dict(zip(_texts(data, names, kept), strata.tolist(), strict=True))
    other = int(strata.max(initial=0)) + 1
    stratum_of = [known.get(labels, other) for labels in _texts(people, names, all_rows)]
    keys = {name: categories_of(people, name, all_rows) for name in data.quasi}
    return keys, np.array(stratum_of, dtype=np.int64)


def _texts(data: Microdata, names: Sequence[str], rows: Ints) -> list[tuple[str, ...]]:
    """Texts of some columns, row by row."""
    columns = [
        np.array(texts, dtype=object)[codes].tolist()
        for codes, texts in (categories_of(data, name, rows) for name in names)
    ]
    return list(zip(*columns, strict=True)) if columns else [()] * rows.size
