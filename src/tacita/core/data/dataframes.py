"""Results as data frames of pandas or polars, which are imported only where somebody asks for them."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from tacita.core.display.number_format import setting
from tacita.core.errors import ParameterError

_TYPES = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}


class Column(NamedTuple):
    """A column of a result: its name, the type of its cells, and these; None where there is nothing.

    A name that is not `ours` comes from the data or from a method, and gives way to one that is.
    """

    name: str
    type: type
    cells: Sequence[Any]
    ours: bool = True

    @classmethod
    def of(cls, name: str, cells: Sequence[Any]) -> Column:
        """What others named, with cells of any types: in words, unless all are numbers or all are words.

        >>> Column.of("k", [3, 4.5, None]).type, Column.of("k", [3, "all"]).cells
        (<class 'float'>, ['3', 'all'])
        """
        types = {type(cell) for cell in cells if cell is not None}
        for fitting in ({bool}, {int}, {int, float}, {str}):
            if types <= fitting:
                return cls(name, float if float in fitting else next(iter(fitting)), cells, False)
        return cls(name, str, [None if cell is None else setting(cell) for cell in cells], False)


class Framed(ABC):
    """A result that can be a data frame, one row for each thing it holds."""

    @abstractmethod
    def _columns(self) -> Iterable[Column]:
        """The columns of the frame. Where two have one name, that of others gets a _ behind it."""

    def to_pandas(self) -> Any:
        """Convert the result to a data frame of pandas. Confidential, as the result is.

        Returns
        -------
        pandas.DataFrame
            One row for each thing that the result holds.
        """
        try:
            import pandas as pd
        except ModuleNotFoundError:
            raise self._without("pandas") from None
        frame: pd.DataFrame = self._arrow().to_pandas()
        return frame

    def to_polars(self) -> Any:
        """Convert the result to a data frame of polars. Confidential, as the result is.

        Returns
        -------
        polars.DataFrame
            One row for each thing that the result holds.
        """
        try:
            import polars as pl
        except ModuleNotFoundError:
            raise self._without("polars") from None
        return pl.from_arrow(self._arrow())

    def to_arrow(self) -> pa.Table:
        """Convert the result to a table of Arrow. Confidential, as the result is.

        Returns
        -------
        pyarrow.Table
            One row for each thing that the result holds.
        """
        return self._arrow()

    def frame(self) -> pa.Table:
        """Convert the result to a table of Arrow, under the former name of `to_arrow`.

        Returns
        -------
        pyarrow.Table
            As `to_arrow` returns it.
        """
        warnings.warn(f"{type(self).__name__}.frame() is to_arrow() now.", DeprecationWarning, stacklevel=2)
        return self._arrow()

    def _without(self, package: str) -> ParameterError:
        return ParameterError(
            f"{type(self).__name__}: wanted the package {package}, which is not installed. Install it, or go "
            "through the values one by one."
        )

    def _arrow(self) -> pa.Table:
        columns = list(self._columns())
        ours = {column.name for column in columns if column.ours}
        arrays: dict[str, pa.Array] = {}
        for column in columns:
            name = column.name
            while not column.ours and (name in ours or name in arrays):
                name += "_"
            arrays[name] = pa.array(column.cells, _TYPES[column.type])
        return pa.table(arrays)
