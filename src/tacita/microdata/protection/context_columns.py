"""What methods look at beside the columns that they change: other columns, and tables of the population."""

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
from tacita.core.data.microdata import speakable
from tacita.microdata.methods.dropping.dropping_method import Cells, Dropping

Categories = tuple[Ints, tuple[str, ...]]


def categories_of(data: Microdata, name: str, rows: Ints) -> Categories:
    """Codes and texts of the categories of some rows; a missing cell is one of its own, without a text."""
    cells, _ = category_cells(data.column(name), f"{data.source}: column {name}")
    levels = nominal_levels(cells, data.missing(name) | np.asarray(cells.is_null()))
    codes = np.where(np.isnan(levels.codes), len(levels.keys), levels.codes)[rows].astype(np.int64)
    names = np.array([*levels.names, ""], dtype=object)
    present, codes = np.unique(codes, return_inverse=True)
    return codes.reshape(-1).astype(np.int64), tuple(names[present].tolist())


def asked_by(data: Microdata, method: RecordMethod) -> dict[str, Cells]:
    """The cells of the columns by which a method decides who leaves: numbers, or texts."""
    if not isinstance(method, Dropping):
        return {}
    data.require((*method.columns, *method.asks))
    if set(data.columns) <= {*method.columns, *(data.roles.identifiers if data.roles else ())}:
        raise ParameterError(f"{method.spoken_name()}: no column would be left. Drop fewer.")
    return {name: numbers_or_texts(data, name) for name in method.asks}


def numbers_or_texts(data: Microdata, name: str) -> Cells:
    """A column by which it is decided who leaves: numbers, or else texts; NaN or None where missing. O(n)."""
    if data.kind(name) == "numeric":
        return data.numbers(name)
    cells, _ = category_cells(data.column(name), f"{data.source}: column {name}")
    texts = np.array(cells.cast(pa.large_string()).to_pylist(), dtype=object)
    texts[data.missing(name)] = None
    return texts


@dataclass(frozen=True, repr=False)
class ReadColumn:
    """A column that stays as it is, as a method may look at it: some rows of a file."""

    data: Microdata
    name: str
    rows: Ints

    @cached_property
    def codes(self) -> Ints:
        """A number for each value, equal ones alike."""
        return self.data.codes([self.name])[self.rows]

    @cached_property
    def categories(self) -> Categories:
        """Codes from 0 of the values that there are, and how these read."""
        return categories_of(self.data, self.name, self.rows)

    @cached_property
    def numbers(self) -> Floats:
        """Numbers, NaN where missing. Raises where it holds others."""
        return self.data.numbers(self.name)[self.rows]


def columns_read(data: Microdata, method: RecordMethod, kept: Ints) -> dict[str, ReadColumn]:
    """The columns that a method looks at. Raises where one is not there, or is to be changed."""
    data.require(method.reads)
    changed = [name for name in method.reads if name in data.quasi]
    if changed:
        raise ParameterError(
            f"{method.spoken_name()}: column {speakable(changed)} is to be changed, and what is asked of its "
            "values would not be about those of the file. Take it out of quasi."
        )
    return {name: ReadColumn(data, name, kept) for name in method.reads}


def groups_named(method: RecordMethod, read: Mapping[str, ReadColumn], rows: Ints) -> Partition:
    """The groups of some records that a column names, for a method that starts from them."""
    (column,) = (read[name] for name in method.reads)
    if absent := int(column.data.missing(column.name)[column.rows].sum()):
        raise DataError(
            f"{method.spoken_name()}: column {speakable([column.name])}, which names the groups, is missing "
            f"in {absent} records. Complete it, or leave it out."
        )
    found = Partition(np.unique(column.codes[rows], return_inverse=True)[1].reshape(-1), 1)
    wanted = method.group_size or 1
    if (smallest := int(found.sizes.min())) < wanted:
        raise DataError(
            f"{method.spoken_name()}: wanted {wanted} or more records in every group that column "
            f"{speakable([column.name])} names, within a stratum and among records that miss the same "
            f"columns, got a group of {smallest}. Merge groups, or lower k."
        )
    return found


def numbers_beside(data: Microdata, names: Sequence[str], kept: Ints) -> Floats:
    """Unmasked columns that a method looks at, as numbers without gaps."""
    if not names:
        return np.empty((kept.size, 0))
    unknown = [name for name in names if name not in data.columns]
    if unknown:
        raise ParameterError(
            f"{data.source}: there is no column {speakable(unknown)} to look at beside the masked ones."
        )
    masked = [name for name in names if name in data.quasi]
    if masked:
        raise ParameterError(
            f"{data.source}: column {speakable(masked)} is to be masked and cannot stand beside. "
            "Name columns that are released as they are."
        )
    values = data.matrix(names)[kept]
    gaps = int(np.isnan(values).any(axis=1).sum())
    if gaps:
        raise DataError(
            f"{data.source}: columns beside the masked ones have missing values in {gaps} records. "
            "Complete them, or name others."
        )
    return values


def population_of(
    path: Path, data: Microdata, kept: Ints, strata: Ints
) -> tuple[dict[str, Categories], Ints]:
    """The keys of a population, and the stratum of each person; one number beyond those of the file else."""
    people = io.read(path)
    named = data.roles.strata if data.roles else ()
    if lacking := [name for name in (*data.quasi, *named) if name not in people.columns]:
        raise DataError(
            f"{people.source}: the population has no column {speakable(lacking)}. It needs all keys and "
            "strata of the file, by the same names."
        )
    every = np.arange(people.n)
    known: dict[tuple[str, ...], int] = dict(zip(_texts(data, named, kept), strata.tolist(), strict=True))
    beyond = int(strata.max(initial=0)) + 1
    own = [known.get(each, beyond) for each in _texts(people, named, every)]
    keys = {name: categories_of(people, name, every) for name in data.quasi}
    return keys, np.array(own, dtype=np.int64)


def _texts(data: Microdata, names: Sequence[str], rows: Ints) -> list[tuple[str, ...]]:
    """How some columns read, row by row."""
    columns = [
        np.array(texts, dtype=object)[codes].tolist()
        for codes, texts in (categories_of(data, name, rows) for name in names)
    ]
    return list(zip(*columns, strict=True)) if columns else [()] * rows.size
