"""Changing columns of a frame of any kind, and forgetting what its categories remember."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt


def replace_columns(
    frame: nw.DataFrame[Any], columns: Mapping[str, tuple[npt.NDArray[np.float64], bool]]
) -> nw.DataFrame[Any]:
    """Put new values (and whether they are whole) in place of columns; order and index are kept."""
    return frame.with_columns(*[_series(frame, name, *new) for name, new in columns.items()])


def _series(
    frame: nw.DataFrame[Any], name: str, values: npt.NDArray[np.float64], whole: bool
) -> nw.Series[Any]:
    gaps = np.isnan(values)
    if whole and not gaps.any():
        series = nw.new_series(name, values.astype(np.int64), nw.Int64(), backend=frame.implementation)
    else:
        cells = [None if gap else value for value, gap in zip(values.tolist(), gaps.tolist(), strict=True)]
        series = nw.new_series(
            name, cells if gaps.any() else values, nw.Float64(), backend=frame.implementation
        )
        if whole:
            series = series.cast(nw.Int64())
    if frame.implementation.is_pandas():
        # pandas aligns by index; the new values belong to the rows as they stand
        native = series.to_native()
        native.index = frame.to_native().index
        series = nw.from_native(native, series_only=True)
    return series


def without_unused_categories(frame: Any) -> Any:
    """Rebuild categorical columns from their cells, whatever the kind of frame.

    A filtered pandas Categorical, a polars Enum and a sliced Arrow dictionary all keep the values of
    records that are gone, and write them into files.
    """
    kind = nw.from_native(frame, eager_only=True).implementation
    if kind.is_pandas():
        return _pandas(frame)
    if kind.is_polars():
        return _polars(frame)
    if kind.is_pyarrow():
        return _arrow(frame)
    return frame


def _pandas(frame: Any) -> Any:
    import pandas as pd

    stale = {
        name: frame[name].cat.remove_unused_categories()
        for name, dtype in frame.dtypes.items()
        if isinstance(dtype, pd.CategoricalDtype)
    }
    return frame.assign(**stale) if stale else frame


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


def _arrow(frame: Any) -> Any:
    import pyarrow as pa

    from .parquet import present_values_only

    columns = [present_values_only(column) for column in frame.columns]
    return pa.table(columns, schema=frame.schema)
