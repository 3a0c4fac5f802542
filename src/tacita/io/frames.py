"""Changing columns of a frame of any kind, and forgetting what its categories remember."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from . import parquet


def replace_columns(
    frame: nw.DataFrame[Any], columns: Mapping[str, tuple[npt.NDArray[np.float64], bool]]
) -> nw.DataFrame[Any]:
    """Put new values (and whether they are whole) in place of columns; order and index are kept."""
    return frame.with_columns(*[_series(frame, name, *new) for name, new in columns.items()])


def _series(
    frame: nw.DataFrame[Any], name: str, values: npt.NDArray[np.float64], whole: bool
) -> nw.Series[Any]:
    gaps = np.isnan(values)
    whole = whole and bool((np.abs(values[~gaps]) < 2.0**63).all())
    cells: Any = np.where(gaps, 0.0, values).astype(np.int64) if whole else values
    if gaps.any():
        cells = [None if gap else cell for cell, gap in zip(cells.tolist(), gaps.tolist(), strict=True)]
    pandas = frame.implementation.is_pandas()
    if pandas and whole and gaps.any():
        import pandas as pd

        # plain pandas integers have no missing value
        series = nw.from_native(pd.Series(cells, dtype="Int64", name=name), series_only=True)
    else:
        kind = nw.Int64() if whole else nw.Float64()
        series = nw.new_series(name, cells, kind, backend=frame.implementation)
    return _in_place(frame, series)


def _in_place(frame: nw.DataFrame[Any], series: nw.Series[Any]) -> nw.Series[Any]:
    """pandas aligns by index; the new values belong to the rows as they stand."""
    if not frame.implementation.is_pandas():
        return series
    native = series.to_native()
    native.index = frame.to_native().index
    return nw.from_native(native, series_only=True)


def regathered(
    frame: nw.DataFrame[Any], source: nw.DataFrame[Any], rows: Mapping[str, npt.NDArray[np.int64]]
) -> nw.DataFrame[Any]:
    """Put cells of other rows of the source in place of columns; types, order and index are kept."""
    if not rows:
        return frame
    return frame.with_columns(*[_in_place(frame, source[name][taken]) for name, taken in rows.items()])


def without_memory(frame: Any) -> Any:
    """The same cells, forgetting what is no longer there: unused categories, metadata, attributes.

    A filtered pandas Categorical, a polars Enum and a sliced Arrow dictionary all keep the values of
    records that are gone, and write them into files; so do schema metadata with the names of columns.
    """
    kind = nw.from_native(frame, eager_only=True).implementation
    if kind.is_pandas():
        return _pandas(frame)
    if kind.is_polars():
        return _polars(frame)
    if kind.is_pyarrow():
        return parquet.without_memory(frame)
    return frame


def _pandas(frame: Any) -> Any:
    import pandas as pd

    stale = {
        name: frame[name].cat.remove_unused_categories()
        for name, dtype in frame.dtypes.items()
        if isinstance(dtype, pd.CategoricalDtype)
    }
    fresh = frame.assign(**stale)
    fresh.attrs = {}
    return fresh


def _polars(frame: Any) -> Any:
    import polars as pl

    fresh = []
    for name, dtype in frame.schema.items():
        if isinstance(dtype, pl.Enum):
            present = set(frame[name].drop_nulls().cast(pl.String).unique().to_list())
            kept = [category for category in dtype.categories.to_list() if category in present]
            fresh.append(frame[name].cast(pl.String).cast(pl.Enum(kept)))
        elif dtype == pl.Categorical:
            fresh.append(frame[name].cast(pl.String).cast(pl.Categorical))
    return frame.with_columns(fresh) if fresh else frame
