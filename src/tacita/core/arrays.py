"""Numbers as every method wants them, or a clear refusal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import DataError

# One figure, place or yes-or-no each, of any shape.
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
# One row per record, one column per attribute; the group of each record.
Matrix = Floats
Labels = Ints

# Squares and sums of larger values leave the range of a double, squares of smaller differences vanish.
LARGEST = 1e150
SMALLEST_SPREAD = 1e-150

# Steps of written numbers that are looked for, as powers of ten.
_COARSEST = 9
_FINEST = 15


def as_matrix(x: npt.ArrayLike, who: str) -> Matrix:
    """An (n, d) float array in C order, finite, with at least one record and one column.

    >>> as_matrix([[1, 2]], "MDAV").dtype
    dtype('float64')
    >>> as_matrix([[]], "MDAV")
    Traceback (most recent call last):
    tacita.core.errors.DataError: MDAV: wanted at least one record and one column, got (1, 0).
    """
    try:
        array: np.ma.MaskedArray[Any, Any] = np.ma.asanyarray(x)
    except (TypeError, ValueError):
        raise DataError(f"{who}: wanted an (n, d) array of numbers, got rows of unlike length.") from None
    if array.ndim != 2:
        raise DataError(
            f"{who}: wanted an (n, d) array of numbers, got {array.ndim} dimension(s). "
            "Use x.reshape(-1, 1) for one column."
        )
    if array.size == 0:
        raise DataError(f"{who}: wanted at least one record and one column, got {array.shape}.")
    # numpy would also turn text, dates and the real part of complex numbers into floats
    if array.dtype.kind not in "iufb":
        raise DataError(f"{who}: wanted real numbers, got an array of type {array.dtype}. Convert it first.")
    with np.errstate(over="ignore"):  # what is too large for a double becomes infinite, and is refused
        matrix = np.ascontiguousarray(array.data, dtype=np.float64)
    bad = int((~np.isfinite(matrix) | np.ma.getmaskarray(array)).sum())
    if bad:
        raise DataError(f"{who}: {bad} values are missing or infinite. Drop or complete them first.")
    for column in matrix.T:
        Extent.of(column).refuse(who)
    return matrix


@dataclass(frozen=True)
class Extent:
    """How far values go, of all records or of a part of them: how many cannot be computed with, and the ends.

    >>> (Extent.of(np.array([1.0, np.inf])) + Extent.of(np.array([np.nan, 7.0]))).high
    7.0
    """

    infinite: int
    huge: int
    low: float
    high: float

    @classmethod
    def of(cls, values: Floats) -> Extent:
        """Of a column, missing values aside. O(n)."""
        finite = values[np.isfinite(values)]
        huge = int((np.abs(finite) > LARGEST).sum())
        ends = (float(finite.min()), float(finite.max())) if finite.size else (np.inf, -np.inf)
        return cls(int(np.isinf(values).sum()), huge, *ends)

    def __add__(self, other: Extent) -> Extent:
        """Of both."""
        return Extent(
            self.infinite + other.infinite,
            self.huge + other.huge,
            min(self.low, other.low),
            max(self.high, other.high),
        )

    def refuse(self, who: str) -> None:
        """Raise where a value is infinite, squares or sums would overflow, or the variance underflow."""
        if self.infinite:
            raise DataError(f"{who}: {self.infinite} values are infinite. Correct or drop those records.")
        if self.huge:
            raise DataError(
                f"{who}: {self.huge} values lie beyond {LARGEST:g}. Use a larger unit of measurement."
            )
        if self.low < self.high and self.high - self.low < SMALLEST_SPREAD:
            raise DataError(
                f"{who}: all values lie within {SMALLEST_SPREAD:g} of each other. "
                "Use a smaller unit of measurement."
            )


def numbered(keys: Ints) -> Ints:
    """Number distinct whole numbers 0, 1, 2, ... in their order. O(n) where they lie close, else O(n log n).

    >>> numbered(np.array([7, -2, 7, 10**15])).tolist()
    [1, 0, 1, 2]
    """
    low, high = (int(keys.min()), int(keys.max())) if keys.size else (0, 0)
    # where a table of all between would be larger than what is sorted
    if high - low > 4 * keys.size + 1024:
        return np.asarray(np.unique(keys, return_inverse=True)[1].reshape(-1), dtype=np.int64)
    places = keys - low if low else keys
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[places] = True
    return np.asarray((np.cumsum(seen, dtype=np.int64) - 1)[places], dtype=np.int64)


def first_places(codes: Ints, count: int) -> Ints:
    """Where each of the numbers 0 to count - 1 stands first, -1 where it does not. O(n).

    >>> first_places(np.array([2, 0, 2]), 4).tolist()
    [1, -1, 0, -1]
    """
    firsts = np.full(count, -1, dtype=np.int64)
    # of several places of a number the one that is written last stays
    firsts[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
    return firsts


def decimals(values: Floats) -> int | None:
    """How many decimals some values are written with, negative for whole tens; None where there is no end.

    >>> [decimals(np.array(values)) for values in ([1.5, 2.25], [300.0, 1200.0], [1 / 3])]
    [2, -2, None]
    """
    some = values[:100]
    for digits in range(-_COARSEST, _FINEST + 1):
        if all(np.array_equal(np.round(part, digits), part) for part in (some, values)):
            return digits
    return None


def decimal_step(values: Floats) -> float:
    """The largest power of ten that all values are multiples of, 0 where there is none.

    >>> [decimal_step(np.array(values)) for values in ([1.5, 2.25], [300.0, 1200.0], [1 / 3])]
    [0.01, 100.0, 0.0]
    """
    digits = decimals(values)
    return 0.0 if digits is None else float(10.0**-digits)
