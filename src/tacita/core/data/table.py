"""Tables: cells with linear relations, the attacker's bounds, and protection levels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.display.repr_html import Section, page
from tacita.core.errors import DataError, ParameterError
from tacita.core.spec.method import Method

from .cell_keys import CellKeys
from .cell_layout import all_cells, as_numbers, bound_of, costs, inner_cells, level_of, placed, unit_of
from .contributors import Contributors
from .dataframes import Column, Framed
from .hierarchy import Hierarchy
from .percent import percent_of
from .relations import Relations
from .saving import writer
from .twoway import two_way_layout

Cost = Literal["value", "count", "contributors", "log"]
# The number of cells that an error lists.
MOST_PLACES = 1000
# The name of the response where records are counted.
COUNTED = "count"


@dataclass(frozen=True, eq=False, repr=False)
class Table(Framed):
    """Cell values with the sums that tie them, in any number of hierarchical dimensions. Confidential.

    The values a satisfy sparse relations M a = 0. An attacker knows that `low <= a <= high` for every cell.
    A suppressed sensitive cell is safe if what can be computed of it reaches down to a - `lower`, up to a +
    `upper`, and is at least `sliding` wide. Arrays have one entry for each cell and are never changed: the
    `with_` methods return new tables.

    Attributes
    ----------
    dimensions : tuple of Hierarchy
        The labels of each dimension.
    codes : array of int, cells x dimensions
        Number of the label of each cell in each dimension; a full cross lists its cells in C order.
    values : array of float
        The true values.
    relations : Relations
        The sums.
    primary : array of bool
        The sensitive cells.
    lower, upper, sliding : array of float
        Protection levels of each cell.
    low, high : array of float
        What an attacker knows of each cell.
    cost : array of float
        What suppressing a cell loses.
    forced : array of bool
        Cells that must be published.
    contributors : Contributors, optional
        The largest contributions to each cell.
    rules : tuple of rules
        The rules that made cells sensitive.
    frequency : bool
        Whether the values count records.
    response : str
        Name of the values.
    title : str
        Heading where the table is published; by default made of response and dimensions.
    keys : CellKeys, optional
        Keys of the records behind each cell, for the method `cell-key`.
    smallest_unit : float
        Least value of a cell that is not zero: 1 for counts, 0 where it is not known.
    judged : bool, optional
        Whether rules, a status or marks say which cells are sensitive.

    See Also
    --------
    tabulate : Make a table from records.
    read_table : Read a table from a file.

    Examples
    --------
    >>> table = Table.from_array([[5, 3], [2, 4]], primary=[[True, False], [False, False]])
    >>> table.shape, table.values.tolist()
    ((3, 3), [5.0, 3.0, 8.0, 2.0, 4.0, 6.0, 7.0, 7.0, 14.0])
    >>> table.label(0), table.label(8)
    (('1', '1'), ('Total', 'Total'))
    """

    dimensions: tuple[Hierarchy, ...]
    codes: Ints
    values: Floats
    relations: Relations
    primary: Mask
    lower: Floats
    upper: Floats
    sliding: Floats
    low: Floats
    high: Floats
    cost: Floats
    forced: Mask
    contributors: Contributors | None = None
    rules: tuple[Method, ...] = ()
    frequency: bool = False
    response: str = field(default="value")
    title: str = ""
    keys: CellKeys | None = None
    smallest_unit: float = 0.0
    judged: bool | None = None

    def __post_init__(self) -> None:
        if self.judged is None:
            object.__setattr__(self, "judged", bool(self.rules) or bool(self.primary.any()))
        n = self.values.size
        for name in ["values", "primary", "lower", "upper", "sliding", "low", "high", "cost", "forced"]:
            array = getattr(self, name)
            if array.shape != (n,):
                raise DataError(f"Table: wanted {n} figures for {name}, one per cell, got {array.shape}.")
            array.setflags(write=False)
        if self.codes.shape != (n, len(self.dimensions)):
            raise DataError("Table: wanted one label per cell and dimension.")
        self._check_numbers()
        if (wrong := self.relations.wrong(self.values)).size:
            sums = [self.relations.sum_of(relation) for relation in wrong[:MOST_PLACES].tolist()]
            raise DataError(
                f"Table: {wrong.size} of {len(self.relations)} sums do not add up. Compute the margins from "
                "the inner cells.",
                places=[*dict.fromkeys(self.label(cell) for cell in sums if cell is not None)],
            )
        if self.contributors is not None and self.contributors.total.size != n:
            raise DataError(f"Table: wanted contributors of {n} cells, got {self.contributors.total.size}.")
        if self.keys is not None and self.keys.key.size != n:
            raise DataError(f"Table: wanted keys of {n} cells, got {self.keys.key.size}.")

    def _check_numbers(self) -> None:
        finite = {"values": self.values, "cost": self.cost, "lower": self.lower, "upper": self.upper}
        for name, array in {**finite, "sliding": self.sliding}.items():
            if bad := int((~np.isfinite(array)).sum()):
                raise DataError(f"Table: {name} has {bad} missing or infinite figures. Complete them first.")
            if name != "values" and (bad := int((array < 0).sum())):
                raise DataError(f"Table: {name} must be at least 0, got {bad} figures below.")
        outside = int((~((self.low <= self.values) & (self.values <= self.high))).sum())
        if outside:
            raise DataError(
                f"Table: {outside} cells lie outside the bounds that the attacker is assumed to know. "
                "Widen the bounds, for example bounds=(-inf, inf) where values may be negative."
            )
        if both := int((self.primary & self.forced).sum()):
            raise ParameterError(
                f"Table: {both} sensitive cells are to be published at any cost. Choose one."
            )

    @classmethod
    def cross(
        cls,
        dimensions: Sequence[Hierarchy],
        values: npt.ArrayLike,
        *,
        primary: npt.ArrayLike | None = None,
        lower: npt.ArrayLike = 0.0,
        upper: npt.ArrayLike = 0.0,
        sliding: npt.ArrayLike = 0.0,
        cost: Cost | npt.ArrayLike = "value",
        bounds: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        margins: bool = False,
        forced: npt.ArrayLike | None = None,
        contributors: Contributors | None = None,
        frequency: bool = False,
        response: str = "value",
        title: str = "",
        keys: CellKeys | None = None,
        smallest_unit: float | None = None,
    ) -> Table:
        """Make the full cross of some dimensions, from its inner cells or from all cells with sums.

        Arrays have the shape of the inner cells or of all cells. Sums of inner cells are computed; other
        entries are zero there. Sums are published unless they are sensitive, or `margins` is true.

        Parameters
        ----------
        dimensions : list of Hierarchy
            The dimensions.
        values : array of float
            The values.
        primary : array of bool, optional
            The sensitive cells.
        lower, upper, sliding : float or array of float
            Protection levels: one number is in percent of the value, an array is absolute.
        cost : {"value", "count", "contributors", "log"} or array of float
            What suppressing a cell loses.
        bounds : tuple of two arrays, optional
            What the attacker knows. By default [0, inf) where no value is negative, and nothing otherwise.
        margins : bool, default=False
            Whether sums may be suppressed.
        forced : array of bool, optional
            Cells that must be published.
        contributors : Contributors, optional
            The largest contributions to each cell.
        frequency : bool, default=False
            Whether the values count records.
        response : str, default="value"
            Name of the values.
        title : str
            Heading where the table is published.
        keys : CellKeys, optional
            Keys of the records behind each cell.
        smallest_unit : float, optional
            Least value of a cell that is not zero. By default read off the values where they are counts or
            have contributors.

        Returns
        -------
        Table
            The table.
        """
        shape = tuple(len(dimension) for dimension in dimensions)
        full = all_cells(dimensions, as_numbers(values, "values"))
        flat = full.reshape(-1)
        if smallest_unit is None:
            smallest_unit = unit_of(flat) if frequency or contributors is not None else 0.0
        if bounds is None:
            bounds = (0.0, np.inf) if (flat >= 0).all() else (-np.inf, np.inf)
        must = placed(forced, dimensions, "forced", bool)
        secret = placed(primary, dimensions, "primary", bool)
        codes = np.stack(np.unravel_index(np.arange(flat.size), shape), axis=1).astype(np.int64)
        low, high = bounds
        return cls(
            dimensions=tuple(dimensions),
            codes=codes,
            values=flat,
            relations=Relations.cross(dimensions),
            primary=secret,
            lower=level_of(lower, flat, dimensions),
            upper=level_of(upper, flat, dimensions),
            sliding=level_of(sliding, flat, dimensions),
            low=bound_of(low, dimensions, -np.inf),
            high=bound_of(high, dimensions, np.inf),
            cost=costs(cost, flat, contributors)
            if isinstance(cost, str)
            else placed(cost, dimensions, "cost", float),
            forced=must if margins else must | (~inner_cells(dimensions) & ~secret),
            contributors=contributors,
            frequency=frequency,
            response=response,
            title=title,
            keys=keys,
            smallest_unit=smallest_unit,
            judged=None if primary is None else True,
        )

    @classmethod
    def from_array(
        cls,
        values: npt.ArrayLike,
        *,
        labels: Sequence[Sequence[str]] | None = None,
        names: Sequence[str] | None = None,
        total: str = "Total",
        **fields: Any,
    ) -> Table:
        """Make a table of flat dimensions from its inner cells; sums are computed.

        Parameters
        ----------
        values : array of float
            The inner cells, one axis for each dimension.
        labels : list of lists of str, optional
            The labels of each dimension; by default numbers from 1 on.
        names : list of str, optional
            Names of the dimensions; by default row and column, or dimension1, dimension2 and so on.
        total : str, default="Total"
            Label of the sums.
        **fields
            Other arguments of `cross`: primary, lower, upper, sliding, cost, bounds, margins and so on.

        Returns
        -------
        Table
            The table.
        """
        inner = as_numbers(values, "values")
        if inner.ndim < 1 or 0 in inner.shape:
            raise DataError(f"Table: wanted an array of at least one cell, got shape {inner.shape}.")
        inner_labels = labels or [[str(position + 1) for position in range(size)] for size in inner.shape]
        if [len(column) for column in inner_labels] != list(inner.shape):
            raise DataError(f"Table: wanted labels for {inner.shape} cells, got other numbers.")
        if names is None:
            names = (
                ("row", "column") if inner.ndim == 2 else [f"dimension{at + 1}" for at in range(inner.ndim)]
            )
        dimensions = [
            Hierarchy.flat(name, list(column), total)
            for name, column in zip(names, inner_labels, strict=True)
        ]
        return cls.cross(dimensions, inner, **fields)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the table with its true values, as a list of cells or for tau-ARGUS; confidential.

        Parameters
        ----------
        path : path
            The file, ending in .csv, .tab or .jj.
        force : bool, default=False
            Overwrite files.
        """
        writer("cells")(self, path, force=force)

    def _columns(self) -> Iterable[Column]:
        labels = [self.label(cell) for cell in range(self.n)]
        for at, dimension in enumerate(self.dimensions):
            yield Column(dimension.name, str, [label[at] for label in labels], ours=False)
        yield Column("value", float, self.values.tolist())
        yield Column("state", str, self.states)

    def __repr__(self) -> str:
        parts = " x ".join(str(len(dimension)) for dimension in self.dimensions)
        return f"<Table of {self.n} cells ({parts}), {int(self.primary.sum())} of them sensitive>"

    def _repr_html_(self) -> str:
        counts = (
            *((f"Labels of {dimension.name}", len(dimension)) for dimension in self.dimensions),
            ("Cells", self.n),
            ("Sensitive cells", int(self.primary.sum())),
        )
        return page(f"Table of {self.n} cells", [Section((), counts)])

    @property
    def n(self) -> int:
        """Number of cells."""
        return int(self.values.size)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of labels of each dimension, sums included."""
        return tuple(len(dimension) for dimension in self.dimensions)

    @property
    def inner(self) -> Mask:
        """Cells that are no sum, as an array of bool; of linked tables, a sum in none of them."""
        if len(self.dimensions) > 1 and self.n != np.prod(self.shape):
            return ~np.isin(np.arange(self.n), self.relations.cells[self.relations.signs < 0])
        leaf = np.stack([d.is_leaf[self.codes[:, at]] for at, d in enumerate(self.dimensions)], axis=1)
        return np.asarray(leaf.all(axis=1), dtype=bool)

    @property
    def nonnegative(self) -> bool:
        """Whether an attacker knows that no cell is negative."""
        return bool((self.low >= 0).all())

    @property
    def states(self) -> list[str]:
        """The state of each cell: primary, forced or open."""
        names = np.array(["open", "forced", "primary"])
        return list(names[np.maximum(self.forced * 1, self.primary * 2)])

    def label(self, cell: int) -> tuple[str, ...]:
        """Look up the labels of one cell.

        Parameters
        ----------
        cell : int
            Index of the cell.

        Returns
        -------
        tuple of str
            One label for each dimension.
        """
        return tuple(d.labels[int(self.codes[cell, at])] for at, d in enumerate(self.dimensions))

    def cell(self, *labels: str) -> int:
        """Look up the index of the cell with some labels.

        Parameters
        ----------
        *labels : str
            One label for each dimension.

        Returns
        -------
        int
            Index of the cell.

        Raises
        ------
        ParameterError
            If there is no such cell.

        Examples
        --------
        >>> Table.from_array([[5, 3], [2, 4]]).cell("2", "Total")
        5
        """
        try:
            wanted = [d.labels.index(label) for d, label in zip(self.dimensions, labels, strict=True)]
        except ValueError:
            raise ParameterError("Table: there is no cell with these labels.") from None
        matches = np.flatnonzero((self.codes == wanted).all(axis=1))
        if not matches.size:
            raise ParameterError("Table: there is no cell of these labels.")
        return int(matches[0])

    def with_primary(
        self,
        primary: npt.ArrayLike,
        lower: npt.ArrayLike = 0.0,
        upper: npt.ArrayLike = 0.0,
        sliding: npt.ArrayLike = 0.0,
        rules: tuple[Method, ...] = (),
    ) -> Table:
        """Mark more cells as sensitive; these must no longer be published.

        Each level becomes the larger of the old and the new.

        Parameters
        ----------
        primary : array of bool
            The sensitive cells.
        lower, upper, sliding : float or array of float
            Protection levels: one number is in percent of the value, an array is absolute.
        rules : tuple of rules
            The rules that made them sensitive.

        Returns
        -------
        Table
            A new table.
        """
        mask = np.array(primary, dtype=bool).reshape(-1)
        levels = {}
        for name, values in {"lower": lower, "upper": upper, "sliding": sliding}.items():
            old = getattr(self, name)
            one = np.ndim(values) == 0
            new = percent_of(float(np.asarray(values)), self.values, "Table") if one else np.ravel(values)
            levels[name] = np.where(mask, np.maximum(old, np.broadcast_to(new, (self.n,))), old)
        return replace(
            self,
            primary=self.primary | mask,
            forced=self.forced & ~mask,
            rules=(*self.rules, *rules),
            judged=True,
            **levels,
        )

    def with_cost(self, cost: Cost | npt.ArrayLike) -> Table:
        """Change what suppressing a cell loses.

        Parameters
        ----------
        cost : {"value", "count", "contributors", "log"} or array of float
            The cost: the value, 1 for each cell, the number of contributors, the logarithm of the value, or
            figures.

        Returns
        -------
        Table
            A new table.
        """
        if isinstance(cost, str):
            return replace(self, cost=costs(cost, self.values, self.contributors))
        if np.size(cost) == self.n != np.prod(self.shape):
            # cells that are no full cross are priced one by one
            return replace(self, cost=np.array(cost, dtype=np.float64).reshape(-1))
        return replace(self, cost=placed(cost, self.dimensions, "cost", float))

    def with_zeros(self, treatment: Literal["publish", "withhold"]) -> Table:
        """Require that zeros that are not sensitive are published, or let them be suppressed at cost 1.

        Where every zero is published, a suppressed cell is known not to be one: it is at least the smallest
        unit. Sensitive zeros are suppressed, and then any suppressed cell may be one.

        Parameters
        ----------
        treatment : {"publish", "withhold"}
            What happens to zeros.

        Returns
        -------
        Table
            A new table.

        Examples
        --------
        >>> table = Table.from_array([4, 0, 3], frequency=True).with_zeros("publish")
        >>> table.low.tolist(), table.forced.tolist()
        ([1.0, 0.0, 1.0, 1.0], [False, True, False, True])
        """
        zero = (self.values == 0) & ~self.primary
        if treatment == "publish":
            low = self.low
            if not (self.primary & (self.values == 0)).any():
                low = np.where(low >= 0, np.maximum(low, np.minimum(self.smallest_unit, self.values)), low)
            return replace(self, forced=self.forced | zero, low=low)
        if treatment == "withhold":
            return replace(self, cost=np.where(zero, 1.0, self.cost))
        raise ParameterError("Table: zeros must be 'publish' or 'withhold'.")

    def with_published_unit(self) -> Table:
        """Assume an attacker who takes published values for multiples of one unit.

        For bare lists, which say neither that values are counts nor who contributes to them.

        Returns
        -------
        Table
            A new table with that unit; the same table where the unit is known.

        Examples
        --------
        >>> Table.from_array([4.5, 3.0]).with_published_unit().smallest_unit
        0.1
        """
        return self if self.smallest_unit else replace(self, smallest_unit=unit_of(self.values))

    def with_margins(self, may_be_withheld: bool) -> Table:
        """Let sums be suppressed at their cost, or require that they are published.

        Sensitive sums stay as they are.

        Parameters
        ----------
        may_be_withheld : bool
            Whether sums may be suppressed.

        Returns
        -------
        Table
            A new table.
        """
        sums = ~self.inner & ~self.primary
        return replace(self, forced=self.forced & ~sums if may_be_withheld else self.forced | sums)

    def with_bounds(self, low: npt.ArrayLike, high: npt.ArrayLike) -> Table:
        """Assume an attacker who knows other bounds.

        Parameters
        ----------
        low, high : float or array of float
            Bounds of each cell.

        Returns
        -------
        Table
            A new table.
        """
        sides = (
            np.broadcast_to(np.ravel(np.asarray(side, dtype=np.float64)), (self.n,)) for side in (low, high)
        )
        return replace(self, low=next(sides).copy(), high=next(sides).copy())

    def needed(self) -> tuple[Floats, Floats, Floats]:
        """Compute how far the attacker's range of each sensitive cell must reach, and how wide it must be.

        A level beyond the attacker's own bounds asks no more than those bounds: nobody can be kept from
        knowing that a count is not negative.

        Returns
        -------
        down : array of float
            The range must reach down to here.
        up : array of float
            The range must reach up to here.
        width : array of float
            The range must be so wide.
        """
        down, up = (
            np.maximum(self.values - self.lower, self.low),
            np.minimum(self.values + self.upper, self.high),
        )
        return down, up, np.minimum(self.sliding, self.high - self.low)

    def grid(self, figures: npt.ArrayLike) -> npt.NDArray[Any]:
        """Lay out one figure per cell by dimension. For full crosses only.

        Parameters
        ----------
        figures : array
            One figure for each cell.

        Returns
        -------
        array
            The figures, one axis for each dimension.
        """
        return np.asarray(figures).reshape(self.shape)

    @cached_property
    def _rows_and_columns(self) -> Ints | None:
        flat = all(d.is_flat for d in self.dimensions)
        if len(self.dimensions) == 1 and flat:
            # cells without labels, as a JJ file has them
            return two_way_layout(self.relations, self.n)
        if len(self.dimensions) != 2 or not flat or self.n != np.prod(self.shape):
            return None
        return self.leaves_and_tops()

    @property
    def is_two_way(self) -> bool:
        """Whether this is a plain two-way table; by its relations, where cells have no labels."""
        return self._rows_and_columns is not None

    def two_way(self) -> Ints:
        """Lay out the cells of a plain two-way table, with sums in the last row and column.

        Returns
        -------
        array of int, (m + 1) x (n + 1)
            Indices of the cells.

        Raises
        ------
        ParameterError
            If the table is no plain two-way table.

        Examples
        --------
        >>> Table.from_array([[5, 3], [2, 4]]).two_way().tolist()
        [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
        """
        if self._rows_and_columns is None:
            raise ParameterError(
                "Table: wanted two dimensions without hierarchy; this table has others. Write it as a list."
            )
        return self._rows_and_columns

    def leaves_and_tops(self) -> Ints:
        """Lay out the cells of a full cross of flat dimensions, with the total last in each.

        Returns
        -------
        array of int
            Indices of the cells, by their labels in order.
        """
        places = np.arange(self.n).reshape(self.shape)
        chosen: Ints = places[np.ix_(*(np.append(d.leaves, d.top) for d in self.dimensions))]
        return chosen
