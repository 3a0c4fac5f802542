"""Change columns of a data frame of any library, and remove values that no cell shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from tacita.core import CsvDialect, DataError, Floats, Ints, Mask, ParameterError
from tacita.core.data.number_parsing import UNTYPED

from . import canonical_arrow
from .canonical_arrow import not_rebuilt, rebuilt


def replace_columns(
    frame: nw.DataFrame[Any], columns: Mapping[str, tuple[Floats, bool]]
) -> nw.DataFrame[Any]:
    """Replace columns by new values, with a flag for whole numbers; order and index are kept."""
    return frame.with_columns(*[_series(frame, name, *new) for name, new in columns.items()])


def _series(frame: nw.DataFrame[Any], name: str, values: Floats, is_integer: bool) -> nw.Series[Any]:
    gaps = np.isnan(values)
    is_integer = is_integer and bool((np.abs(values[~gaps]) < 2.0**63).all())
    cells: Any = np.where(gaps, 0.0, values).astype(np.int64) if is_integer else values
    if gaps.any():
        cells = [None if gap else cell for cell, gap in zip(cells.tolist(), gaps.tolist(), strict=True)]
    pandas = frame.implementation.is_pandas()
    if pandas and is_integer and gaps.any():
        import pandas as pd

        # plain pandas integers have no missing value
        series = nw.from_native(pd.Series(cells, dtype="Int64", name=name), series_only=True)
    else:
        kind = nw.Int64() if is_integer else nw.Float64()
        series = nw.new_series(name, cells, kind, backend=frame.implementation)
    return _with_index_of(frame, series)


def replace_text(
    frame: nw.DataFrame[Any],
    columns: Mapping[str, tuple[Floats, Sequence[str]]],
    dialect: CsvDialect | None = None,
    *,
    alike: bool = False,
) -> nw.DataFrame[Any]:
    """Replace columns by text: each cell by the label of its code.

    Where the code is missing (NaN), a text cell stays, since it is a word for missing values. If `alike`, all
    such cells get the first of the file's words for missing values.
    """
    gap = dialect.missing_values[0] if alike and dialect is not None and dialect.missing_values else None
    cleaned = []
    for name, (codes, labels) in columns.items():
        gaps = np.isnan(codes)
        named = np.asarray([*labels, gap], dtype=object)[np.where(gaps, -1, codes).astype(np.int64)]
        if not alike and gaps.any() and frame[name].dtype == nw.String:
            named[gaps] = frame[name].filter(gaps.tolist()).to_list()
        series = nw.new_series(name, named.tolist(), nw.String(), backend=frame.implementation)
        cleaned.append(_with_index_of(frame, series))
    return frame.with_columns(*cleaned) if cleaned else frame


def _with_index_of(frame: nw.DataFrame[Any], series: nw.Series[Any]) -> nw.Series[Any]:
    """The series with the index of the frame: pandas aligns by index, and values belong to rows in order."""
    if not frame.implementation.is_pandas():
        return series
    native = series.to_native()
    native.index = frame.to_native().index
    return nw.from_native(native, series_only=True)


def gathered(frame: nw.DataFrame[Any], rows: Ints) -> nw.DataFrame[Any]:
    """Some rows of a frame, in that order. String views, from which Arrow cannot take, are rebuilt."""
    native = frame.to_native()
    if frame.implementation.is_pyarrow():
        return nw.from_native(canonical_arrow.without_memory(native, rows), eager_only=True)
    try:
        return frame[rows]
    except pa.ArrowException:
        raise _not_rebuilt_error(native) from None


def _not_rebuilt_error(native: Any) -> DataError:
    """The error for the first column of a pandas frame from which Arrow cannot take rows."""
    for name in native.columns:
        try:
            native[name].take([0])
        except pa.ArrowException:
            return not_rebuilt(str(name), native[name].dtype.pyarrow_dtype)
    return DataError("The rows of this frame cannot be reordered. Convert it to pyarrow first.")


def regathered(
    frame: nw.DataFrame[Any], source: nw.DataFrame[Any], rows: Mapping[str, Ints]
) -> nw.DataFrame[Any]:
    """Replace columns by cells of other rows of the source; types, order and index are kept."""
    if not rows:
        return frame
    return frame.with_columns(
        *[
            _with_index_of(frame, gathered(source.select(name), indices)[name])
            for name, indices in rows.items()
        ]
    )


_WITH_GAPS = {"bool": "boolean"} | {
    f"{sign}int{bits}": f"{sign.upper()}Int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}


def emptied(
    frame: nw.DataFrame[Any], columns: Mapping[str, Mask], dialect: CsvDialect | None
) -> nw.DataFrame[Any]:
    """Empty the marked cells: a missing value of their type, or in a text file the word for it."""
    marked = {name: where for name, where in columns.items() if where.any()}
    return frame.with_columns(*[_emptied(frame, *gap, dialect) for gap in marked.items()])


def _emptied(frame: nw.DataFrame[Any], name: str, where: Mask, dialect: CsvDialect | None) -> nw.Series[Any]:
    if dialect is not None and frame[name].dtype == nw.String:
        if not dialect.missing_values:
            raise ParameterError(
                f"Column {name}: cells are to be emptied, and the file has no word for missing values. Name "
                "one (missing_values)."
            )
        word = dialect.missing_word
        cells = [word if gone else cell for cell, gone in zip(frame[name].to_list(), where, strict=True)]
        return _with_index_of(frame, nw.new_series(name, cells, nw.String(), backend=frame.implementation))
    native = frame[name].to_native()
    if frame.implementation.is_pandas():
        # plain integers and truth values of pandas have no missing value
        plain = isinstance(native.dtype, np.dtype) and native.dtype.kind in "iub"
        masked = (native.astype(_WITH_GAPS[str(native.dtype)]) if plain else native).mask(where)
    else:
        # a missing index gives a missing value of any type
        places = pa.array([None if gone else row for row, gone in enumerate(where.tolist())], pa.int64())
        masked = _polars_gather(native, places) if frame.implementation.is_polars() else native.take(places)
    column: nw.Series[Any] = nw.from_native(masked, series_only=True).alias(name)
    return column


def _polars_gather(native: Any, places: pa.Array) -> Any:
    import polars as pl

    return native.gather(pl.Series(pl.from_arrow(places)))


def without_memory(frame: Any) -> Any:
    """The same cells without hidden contents: unused categories, hidden slots, metadata.

    A filtered pandas Categorical, a polars Enum and a sliced Arrow dictionary keep the values of removed
    records and write them into files. Schema metadata keep the names of removed columns.
    """
    kind = nw.from_native(frame, eager_only=True).implementation
    if kind.is_pandas():
        return _pandas(frame)
    return _polars(frame) if kind.is_polars() else canonical_arrow.without_memory(frame)


def _pandas(frame: Any) -> Any:
    import pandas as pd

    columns = {name: frame[name] for name in frame.columns}
    rebuilt_ones = {name: _pandas_column(series) for name, series in columns.items()}
    fresh = frame.assign(
        **{name: column for name, column in rebuilt_ones.items() if column is not columns[name]},
    )
    # a categorical index of names may keep the names of removed columns
    fresh.columns = pd.Index([str(name) for name in frame.columns])
    if isinstance(frame.index, pd.MultiIndex):
        levels = [
            _pandas_column(frame.index.get_level_values(i).to_series()) for i in range(frame.index.nlevels)
        ]
        fresh.index = pd.MultiIndex.from_arrays(levels, names=frame.index.names)
    elif isinstance(frame.index.dtype, pd.api.extensions.ExtensionDtype):
        fresh.index = pd.Index(_pandas_column(frame.index.to_series()), name=frame.index.name)
    fresh.attrs = {}
    return fresh


def _pandas_column(series: Any) -> Any:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _pandas_categories(series)
    if isinstance(dtype, pd.ArrowDtype) or (isinstance(dtype, pd.StringDtype) and dtype.storage == "pyarrow"):
        cells = rebuilt(pa.chunked_array([pa.array(series.array)]), str(series.name))
        return pd.Series(type(series.array)(cells), index=series.index, name=series.name, dtype=dtype)
    if isinstance(series.array, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray):
        # a slot that is marked as missing still holds a number
        gaps = series.isna()
        plain = series.fillna(dtype.type(0))
        plain[gaps] = pd.NA
        return plain
    known = (pd.DatetimeTZDtype, pd.PeriodDtype, pd.IntervalDtype, pd.StringDtype)
    extended = isinstance(dtype, pd.api.extensions.ExtensionDtype)
    # complex numbers and floats of more than 64 bits exist in numpy only
    if not (isinstance(dtype, known) if extended else dtype.kind in "biufMmO" and dtype.itemsize <= 8):
        raise DataError(
            f"Column {series.name}: its type, {dtype.name.split('[')[0]}, cannot be rebuilt from its cells. "
            "Convert the column to plain numbers, text or categories."
        )
    return series


def _pandas_categories(series: Any) -> Any:
    """Only the categories in use; those of mixed Python types are refused."""
    plain = series.cat.remove_unused_categories()
    try:
        pa.array(plain.cat.categories)
    except UNTYPED:
        raise DataError(
            f"Column {series.name}: its categories are Python objects of mixed types. Convert them to text "
            "first."
        ) from None
    return plain


def _polars(frame: Any) -> Any:
    return frame.select(_polars_column(frame[name]) for name in frame.columns)


def _polars_column(series: Any) -> Any:
    """The column converted to Arrow and back, with categories as text in between."""
    import polars as pl

    try:
        if series.dtype == pl.Object:
            raise pl.exceptions.InvalidOperationError
        cells = pa.chunked_array([series.cast(_type_with_used_categories(series.dtype)).to_arrow()])
    except (pa.ArrowException, pl.exceptions.PolarsError):
        raise DataError(
            f"Column {series.name}: its type, {type(series.dtype).__name__}, cannot be rebuilt from its "
            "cells. Convert the column to other numbers, or to text."
        ) from None
    text = pl.Series(series.name, pl.from_arrow(rebuilt(cells, series.name)))
    return text.cast(_type_with_used_categories(series.dtype, text))


def _type_with_used_categories(dtype: Any, text: Any = None) -> Any:
    """A polars type with only the categories that the cells `text` have, at any depth; text if None."""
    import polars as pl

    if text is None and isinstance(dtype, pl.Enum | pl.Categorical):
        return pl.String()
    if isinstance(dtype, pl.Enum):
        present = set(text.drop_nulls().unique().to_list())
        return pl.Enum([category for category in dtype.categories.to_list() if category in present])
    if isinstance(dtype, pl.List | pl.Array):
        inner = _type_with_used_categories(dtype.inner, None if text is None else text.explode())
        return pl.List(inner) if isinstance(dtype, pl.List) else pl.Array(inner, dtype.size)
    if isinstance(dtype, pl.Struct):
        return pl.Struct(
            {
                field.name: _type_with_used_categories(
                    field.dtype, None if text is None else text.struct.field(field.name)
                )
                for field in dtype.fields
            }
        )
    return dtype
