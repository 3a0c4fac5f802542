"""Several tables of the same records as one: cells they share are one cell, and all sums hold at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.core import CellKeys, Contributors, DataError, Hierarchy, ParameterError, Relations, Table
from tacita.core.arrays import Floats, Ints
from tacita.tables.verify.published_tables import Part


def link_tables(tables: Sequence[Table]) -> Table:
    """Link several tables of the same records: cells that they share are one cell, and all sums hold.

    A dimension that a table does not have stands at its total. A cell that is sensitive or must be
    published in one table is so in the link; levels and costs are the largest, bounds the narrowest.
    Contributors that lists number on their own are taken for different ones. O(cells log cells + entries of
    M).

    Parameters
    ----------
    tables : list of Table
        Tables that sum the same column.

    Returns
    -------
    Table
        All cells of the tables.

    Raises
    ------
    DataError
        If shared cells have different values, or the tables sum different columns.
    ParameterError
        If there is no table.

    See Also
    --------
    save_tables : Write linked tables by the pattern of their link.

    Examples
    --------
    >>> one = Table.from_array([[5, 3], [2, 4]], names=["region", "size"], labels=[["n", "s"], ["a", "b"]])
    >>> two = Table.from_array([[1, 7], [4, 2]], names=["region", "sex"], labels=[["n", "s"], ["f", "m"]])
    >>> both = link_tables([one, two])
    >>> both.n, len(both.relations)
    (15, 12)
    """
    if not tables:
        raise ParameterError("link: wanted at least one table.")
    if len({table.response for table in tables}) > 1:
        raise DataError("link: the tables sum up different columns. Link tables of one column only.")
    dimensions = _shared_dimensions(tables)
    codes = np.concatenate([_in_common(table, dimensions) for table in tables])
    distinct, first, place = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    n = len(distinct)

    def joined(name: str) -> Floats:
        return np.concatenate([getattr(table, name) for table in tables])

    values = joined("values")[first]
    wrong = np.abs(joined("values") - values[place]) > 1e-9 * np.abs(values[place])
    if wrong.any():
        raise DataError(
            f"link: {int(wrong.sum())} shared cells have different values. Are the records the same?"
        )

    def widest(name: str, how: np.ufunc, start: float) -> Floats:
        out = np.full(n, start)
        how.at(out, place, joined(name).astype(np.float64))
        return out

    primary = widest("primary", np.maximum, 0.0) > 0
    return Table(
        dimensions=tuple(dimensions),
        codes=distinct,
        values=values,
        relations=_all_relations(tables, place),
        primary=primary,
        lower=widest("lower", np.maximum, 0.0),
        upper=widest("upper", np.maximum, 0.0),
        sliding=widest("sliding", np.maximum, 0.0),
        cost=widest("cost", np.maximum, 0.0),
        # what one table must publish another may find sensitive
        forced=(widest("forced", np.maximum, 0.0) > 0) & ~primary,
        low=widest("low", np.maximum, -np.inf),
        high=widest("high", np.minimum, np.inf),
        contributors=_contributors(tables, first),
        rules=tuple(dict.fromkeys(rule for table in tables for rule in table.rules)),
        frequency=all(table.frequency for table in tables),
        response=tables[0].response,
        keys=_keys(tables, first, place),
        smallest_unit=min(table.smallest_unit for table in tables),
        # in a table without rules and marks, any cell may be sensitive
        judged=all(table.judged for table in tables),
    )


def parts_of(linked: Table, tables: Sequence[Table]) -> tuple[Part, ...]:
    """The tables that were linked, each with the places of its cells."""
    return tuple(Part(table, places(linked, table)) for table in tables)


def places(linked: Table, table: Table) -> Ints:
    """Where the cells of one of the tables stand in what they were linked to. O(cells log cells).

    >>> one = Table.from_array([[5, 3], [2, 4]], names=["region", "size"])
    >>> two = Table.from_array([8, 6], names=["region"])
    >>> places(link_tables([one, two]), two).tolist()
    [2, 5, 8]
    """
    shape = linked.shape
    # as `link` leaves them: each once, in order
    known = np.ravel_multi_index(tuple(linked.codes.T), shape)
    own = np.ravel_multi_index(tuple(_in_common(table, linked.dimensions).T), shape)
    return np.asarray(np.searchsorted(known, own), dtype=np.int64)


def _shared_dimensions(tables: Sequence[Table]) -> list[Hierarchy]:
    dimensions: dict[str, Hierarchy] = {}
    for table in tables:
        for dimension in table.dimensions:
            if dimensions.setdefault(dimension.name, dimension) != dimension:
                raise DataError(
                    f"link: the dimension {dimension.name} has other labels or parents in another table. "
                    "Use one hierarchy for both."
                )
    return list(dimensions.values())


def _in_common(table: Table, dimensions: Sequence[Hierarchy]) -> Ints:
    own = {dimension.name: at for at, dimension in enumerate(table.dimensions)}
    columns = [
        table.codes[:, own[dimension.name]] if dimension.name in own else np.full(table.n, dimension.top)
        for dimension in dimensions
    ]
    return np.column_stack(columns)


def _all_relations(tables: Sequence[Table], place: Ints) -> Relations:
    starts, cells, signs, basis, before, end = [np.zeros(1, dtype=np.int64)], [], [], [], 0, 0
    for table in tables:
        relations = table.relations
        starts.append(relations.starts[1:] + end)
        cells.append(place[before + relations.cells])
        signs.append(relations.signs)
        basis.append(relations.basis)
        before, end = before + table.n, end + relations.cells.size
    return Relations(*map(np.concatenate, (starts, cells, signs, basis)))  # type: ignore[arg-type]


def _keys(tables: Sequence[Table], first: Ints, place: Ints) -> CellKeys | None:
    known = [table.keys for table in tables if table.keys is not None]
    if len(known) < len(tables):
        return None
    names = ("key", "count", "largest")
    of_all = {name: np.concatenate([getattr(keys, name) for keys in known]) for name in names}
    if torn := int((of_all["key"] != of_all["key"][first][place]).sum()):
        raise DataError(
            f"link: {torn} shared cells have different keys, and would have different noise. Are the records "
            "the same, and their keys?"
        )
    return CellKeys(*(of_all[name][first] for name in names))


def _contributors(tables: Sequence[Table], first: Ints) -> Contributors | None:
    known = [table.contributors for table in tables if table.contributors is not None]
    if len(known) < len(tables):
        return None
    depth = min(contributors.depth for contributors in known)
    # the same number in two lists need not be the same holding
    apart = len(known) > 1 and any(contributors.listed for contributors in known)
    whose, before = list[Ints](), 0
    for contributors in known:
        whose.append(np.where(contributors.holders < 0, -1, contributors.holders + before)[:, :depth])
        before = int(whose[-1].max(initial=before - 1)) + 1 if apart else 0
    names = ("total", "count", "frequency", "requested", "open")
    figures = {
        name: np.concatenate([getattr(contributors, name) for contributors in known])[first] for name in names
    }
    return Contributors(
        **figures,
        largest=np.concatenate([contributors.largest[:, :depth] for contributors in known])[first],
        holders=np.concatenate(whose)[first],
        respelled=max(contributors.respelled for contributors in known),
        listed=apart,
        apart=apart,
    )
