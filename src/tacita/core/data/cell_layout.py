"""Arrays of users, of inner cells or of all cells, laid out as one figure per cell of a cross."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.core.arrays import Floats, Mask, decimal_step
from tacita.core.errors import DataError, ParameterError

from .contributors import Contributors
from .hierarchy import Hierarchy
from .percent import percent_of


def as_numbers(values: npt.ArrayLike, subject: str) -> Floats:
    """Finite real numbers of any shape; raise for anything else."""
    try:
        plain = np.asarray(values)
        if plain.dtype.kind not in "iufb":
            raise TypeError
    except (TypeError, ValueError):
        raise DataError(f"Table: wanted {subject} as an array of real numbers.") from None
    array = plain.astype(np.float64)
    if subject == "values" and (bad := int((~np.isfinite(array)).sum())):
        raise DataError(f"Table: {bad} values are missing or infinite. Complete them first; 0 is a value.")
    return array


def costs(cost: str, values: Floats, contributors: Contributors | None) -> Floats:
    """The cost of suppressing each cell, by a named rule."""
    if cost == "value":
        return np.abs(values)
    if cost == "count":
        return np.ones(values.size)
    if cost == "log":
        return np.log1p(np.abs(values))
    if cost == "contributors":
        if contributors is None:
            raise ParameterError("Table: cost by contributors needs their numbers; this table has none.")
        return contributors.count.astype(np.float64)
    raise ParameterError(f"Table: cost must be value, count, contributors, log or figures, got {cost!r}.")


def unit_of(values: Floats) -> float:
    """The unit, at most 1, of which all values are multiples; 0 if there is none or values are negative.

    >>> [unit_of(np.array(values)) for values in ([3.0, 200.0], [1.5, 2.25], [1 / 3], [-1.0])]
    [1.0, 0.01, 0.0, 0.0]
    """
    return 0.0 if (values < 0).any() else min(decimal_step(values), 1.0)


def sums_of_leaves(dimensions: Sequence[Hierarchy], inner: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """All cells of a cross from its inner ones. O(cells times the depth of a hierarchy)."""
    full = inner
    for axis, dimension in enumerate(dimensions):
        parts = np.moveaxis(full, axis, 0)
        sums = np.zeros((len(dimension), *parts.shape[1:]), dtype=parts.dtype)
        for above in dimension.ancestors()[dimension.leaves].T:
            np.add.at(sums, above[above >= 0], parts[above >= 0])
        full = np.moveaxis(sums, 0, axis)
    return np.ascontiguousarray(full)


def all_cells(dimensions: Sequence[Hierarchy], inner: Floats) -> Floats:
    """All cells of a cross; sums are computed if only the inner cells are given."""
    if inner.shape == tuple(len(d) for d in dimensions):
        return inner
    check_shape(dimensions, inner.shape, "values")
    return sums_of_leaves(dimensions, inner)


def check_shape(dimensions: Sequence[Hierarchy], shape: tuple[int, ...], subject: str) -> None:
    """Raise where an array covers neither the inner cells nor all."""
    leaves = tuple(d.leaves.size for d in dimensions)
    if shape != leaves:
        full = tuple(len(d) for d in dimensions)
        raise DataError(f"Table: wanted {subject} of shape {leaves}, or {full} with sums, got {shape}.")


def inner_cells(dimensions: Sequence[Hierarchy]) -> Mask:
    """A mask of the inner cells of a cross, in C order."""
    mask = np.ones((1,) * len(dimensions), dtype=bool)
    for axis, dimension in enumerate(dimensions):
        mask = mask & np.expand_dims(dimension.is_leaf, tuple(a for a in range(len(dimensions)) if a != axis))
    return mask.reshape(-1)


def placed(
    values: npt.ArrayLike | None, dimensions: Sequence[Hierarchy], subject: str, kind: type
) -> npt.NDArray[Any]:
    """One figure per cell in C order; sums get zero if only inner cells are given."""
    full = tuple(len(d) for d in dimensions)
    size = int(np.prod(full))
    if values is None:
        return np.zeros(size, dtype=kind)
    array = np.asarray(values)
    if array.shape in (full, (size,)):
        return array.astype(kind).reshape(-1)
    check_shape(dimensions, array.shape, subject)
    everywhere: npt.NDArray[Any] = np.zeros(full, dtype=kind)
    everywhere[np.ix_(*(d.leaves for d in dimensions))] = array
    return everywhere.reshape(-1)


def level_of(level: npt.ArrayLike, values: Floats, dimensions: Sequence[Hierarchy]) -> Floats:
    """Protection levels: one number is in percent of the value, an array is absolute."""
    if np.ndim(level) == 0:
        return percent_of(float(np.asarray(level)), values, "Table")
    return placed(level, dimensions, "protection levels", float)


def bound_of(bound: npt.ArrayLike, dimensions: Sequence[Hierarchy], outside: float) -> Floats:
    """One side of the attacker's bounds; sums are unbounded if only inner cells are given."""
    size = int(np.prod([len(d) for d in dimensions]))
    if np.ndim(bound) == 0:
        return np.full(size, float(np.asarray(bound)))
    array = np.asarray(bound, dtype=np.float64)
    everywhere = placed(array, dimensions, "bounds", float)
    if array.size != size:
        # the sums are unbounded
        everywhere[~inner_cells(dimensions)] = outside
    return everywhere
