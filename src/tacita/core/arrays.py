"""Numbers as every method wants them, or a clear refusal."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .errors import DataError

# Squares and sums of larger values leave the range of a double.
LARGEST = 1e150


def as_matrix(x: npt.ArrayLike, who: str) -> npt.NDArray[np.float64]:
    """An (n, d) float array in C order, finite, with at least one record and one column.

    >>> as_matrix([[1, 2]], "MDAV").dtype
    dtype('float64')
    >>> as_matrix([[]], "MDAV")
    Traceback (most recent call last):
    tacita.core.errors.DataError: MDAV: wanted at least one record and one column, got (1, 0).
    """
    try:
        matrix = np.ascontiguousarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{who}: wanted an (n, d) array of numbers, got something else.") from None
    if np.ndim(x) != 2:
        raise DataError(
            f"{who}: wanted an (n, d) array of numbers, got {np.ndim(x)} dimension(s). "
            "Use x.reshape(-1, 1) for one column."
        )
    if matrix.size == 0:
        raise DataError(f"{who}: wanted at least one record and one column, got {matrix.shape}.")
    if np.iscomplexobj(x):
        raise DataError(f"{who}: wanted real numbers, got complex ones.")
    bad = int((~np.isfinite(matrix)).sum())
    if bad:
        raise DataError(f"{who}: {bad} values are missing or infinite. Drop or complete them first.")
    refuse_huge(matrix, who)
    return matrix


def refuse_huge(values: npt.NDArray[np.float64], who: str) -> None:
    """Raise where squares or sums would overflow."""
    huge = int((np.abs(values) > LARGEST).sum())
    if huge:
        raise DataError(f"{who}: {huge} values lie beyond {LARGEST:g}. Use a larger unit of measurement.")
