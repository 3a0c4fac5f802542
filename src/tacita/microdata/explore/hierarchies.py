"""Builds hierarchies from the values of a column, and checks how they cover it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from tacita.core import CsvDialect, DataError, Hierarchy, Microdata, ParameterError, Roles
from tacita.core.data.number_parsing import parse_numbers
from tacita.io import as_microdata
from tacita.io.hierarchies import as_hierarchy, from_dates, from_intervals, from_prefixes


@dataclass(frozen=True)
class HierarchyLook:
    """How a hierarchy covers its column.

    labels      number of labels of each level, from the values to the top
    values      number of values of the column
    unknown     number of these that the hierarchy does not have
    names       labels of each level above the values
    """

    labels: tuple[int, ...]
    values: int
    unknown: int
    names: tuple[tuple[str, ...], ...] = field(default=(), repr=False)


def build_hierarchy(
    data: Any,
    column: str,
    *,
    widths: Sequence[float] | None = None,
    start: float = 0.0,
    bottom: float | None = None,
    top: float | None = None,
    lengths: Sequence[int] | None = None,
    periods: Sequence[str] | None = None,
) -> Hierarchy:
    """Build a hierarchy from the values of a column. Confidential: it names them.

    O(n log n).

    Parameters
    ----------
    data : data frame, path, or what `read` returned
        The records.
    column : str
        The column. Labels are spelled as its values are.
    widths : list of float, optional
        Numbers become intervals of these widths, one level for each.
    start : float, default=0.0
        Where intervals start.
    bottom, top : float, optional
        One interval for all numbers below `bottom`, and one from `top` on.
    lengths : list of int, optional
        Codes keep so many first characters on each level. An empty list takes one character less each time.
    periods : list of {"month", "quarter", "year", "decade"}, optional
        Dates become periods, one level for each.

    Returns
    -------
    Hierarchy
        The hierarchy, for `hierarchy` of `protect`.

    Raises
    ------
    ParameterError
        If not exactly one of `widths`, `lengths` and `periods` is there.
    DataError
        If values are no numbers or dates.

    See Also
    --------
    hierarchy_coverage : Compare a hierarchy with the values of a column.
    save_hierarchy : Write a hierarchy.

    Examples
    --------
    >>> import pyarrow as pa
    >>> data = pa.table({"age": [17, 23, 41, 88], "zip": ["4000", "4050", "1000", "1000"]})
    >>> build_hierarchy(data, "age", widths=[10, 20], top=65).relabelled(1)
    {'17': '10-19', '23': '20-29', '41': '40-49', '88': '65 or more'}
    >>> build_hierarchy(data, "zip", lengths=[2]).relabelled(1)
    {'1000': '10**', '4000': '40**', '4050': '40**'}
    """
    options = {"widths": widths, "lengths": lengths, "periods": periods}
    if (count := sum(option is not None for option in options.values())) != 1:
        raise ParameterError(f"Hierarchy {column}: wanted one of {', '.join(options)}, got {count}.")
    data = as_microdata(data)
    texts = _values(data, column)
    if lengths is not None:
        return from_prefixes(column, texts, list(lengths) or None)
    if periods is not None:
        return from_dates(column, texts, list(periods))
    decimal = (data.dialect or CsvDialect()).decimal
    parsed = parse_numbers(pa.chunked_array([pa.array(texts, pa.string())]), decimal, ())
    if parsed.bad:
        raise DataError(
            f"Hierarchy {column}: {parsed.bad} of {len(texts)} values are not numeric, but widths needs "
            "numbers. Use lengths, or a file."
        )
    return from_intervals(
        column, parsed.values.tolist(), widths or (), start=start, bottom=bottom, top=top, texts=texts
    )


def hierarchy_coverage(data: Any, column: str, spec: Any) -> HierarchyLook:
    """Count the labels of a hierarchy on each level, and the values of a column that it lacks.

    O(n log n + levels leaves).

    Parameters
    ----------
    data : data frame, path, or what `read` returned
        The records.
    column : str
        The column.
    spec : path, nested labels or Hierarchy
        The hierarchy, as among the roles.

    Returns
    -------
    HierarchyLook
        `labels` of each level, `values` of the column, and how many of these are `unknown` to the hierarchy.

    Raises
    ------
    ParameterError
        If the column or the file is missing.
    DataError
        If the hierarchy is broken.

    Examples
    --------
    >>> import pyarrow as pa
    >>> town = {"North": ["Porto", "Braga"], "South": ["Faro"]}
    >>> coverage = hierarchy_coverage(pa.table({"town": ["Faro", "Porto", "Beja"]}), "town", town)
    >>> coverage.labels, coverage.values, coverage.unknown, coverage.names
    ((3, 2, 1), 3, 1, (('North', 'South'), ('Total',)))
    """
    texts, hierarchy = _values(as_microdata(data), column), as_hierarchy(column, spec)
    shown = [list(dict.fromkeys(level)) for level in hierarchy.levels.tolist()]
    known = {hierarchy.labels[leaf] for leaf in hierarchy.leaves.tolist()}
    return HierarchyLook(
        tuple(map(len, shown)),
        len(texts),
        sum(text not in known for text in texts),
        tuple(tuple(hierarchy.labels[place] for place in level) for level in shown[1:]),
    )


def _values(data: Microdata, column: str) -> tuple[str, ...]:
    """The values of a column as generalisations and recodings read them."""
    return data.with_roles(Roles(quasi=[column], nominal=[column])).levels(column).names
