"""No false alarms: correct releases of awkward data pass in memory and in both kinds of file."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita
from planting import FRAMES, encoded, native

N = 12
X = [0.5, 1.25, 1.75, 2.5, 8.0, 8.5, 9.125, 9.75, 20.1, 20.2, 20.3, 29.9]
GAPS = [None] * 4 + [3, 5, 8, 13, 21, 34, 55, 89]


def _passes(frame: object, forms: tuple[str, ...] = ("csv", "parquet"), **options: object) -> tacita.Release:
    made = tacita.protect(frame, **{"quasi": ["x"], "k": 3, "measures": ["IL1"], **options})
    for form in forms:
        content, how = encoded(tacita.core.Microdata.of(made.data, dialect=made.claim.original.dialect), form)
        tacita.microdata.verify.require_passed(
            tacita.microdata.verify.verify_file(tacita.microdata.verify.WrittenFile(content, how), made.claim)
        )
    return made


COLUMNS = {
    "all alike in two heaps": {"x": [0.1] * 6 + [0.3] * 6},
    "groups with one mean": {"x": [1.0, 2.0, 3.0] * 4},
    "zeros of both signs": {"x": [-0.0, 0.0] * 3 + [1.0] * 6},
    "huge and tiny": {"x": [1e149, -1e149, 1e-300, *map(float, range(9))]},
    "cancelling": {"x": [1e100, 1.0, -1e100] * 4},
    "whole numbers beyond 2**53": {"x": [float(2**53 + 2 * i) for i in range(N)]},
    "small floats": {"x": [1e-150 * i for i in range(N)]},
}


@pytest.mark.each_once
@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("what", COLUMNS)
def test_awkward_numbers_pass(what, kind):
    _passes(native(pa.table(COLUMNS[what]), kind))


@pytest.mark.parametrize("kind", FRAMES)
def test_small_whole_numbers_whose_rounded_means_coincide_pass(kind):
    table = pa.table({"x": [0, 1, 1, 0, 2, 1, 0, 0, 1, 1, 2, 3], "y": [0, 0, 1] * 4})
    _passes(native(table, kind), quasi=["x", "y"], round_integers=True)


@pytest.mark.parametrize("policy", ["drop", "stratum"])
@pytest.mark.parametrize("kind", [*FRAMES, "pandas Int64", "pandas pyarrow"])
def test_rounded_columns_with_gaps_pass(kind, policy):
    table = pa.table({"x": GAPS, "y": X})
    if kind.startswith("pandas "):
        backend = "pyarrow" if kind.endswith("pyarrow") else "numpy_nullable"
        frame = table.to_pandas().convert_dtypes(dtype_backend=backend)
    else:
        frame = native(table, kind)
    _passes(frame, quasi=["x", "y"], missing=policy, round_integers=True)


OTHERS = {
    "seconds": pa.array(range(N), pa.timestamp("s")),
    "seconds with a zone": pa.array(range(N), pa.timestamp("s", "Europe/Paris")),
    "nanoseconds": pa.array(range(N), pa.timestamp("ns")),
    "time of day": pa.array(range(N), pa.time32("s")),
    "dates in milliseconds": pa.array([dt.date(2020, 1, 1)] * N, pa.date64()),
    "durations": pa.array(range(N), pa.duration("s")),
    "decimals": pa.array([decimal.Decimal("1.50")] * N),
    "booleans with gaps": pa.array([True, False, None] * 4),
    "nothing at all": pa.nulls(N),
    "half floats": pa.array(np.linspace(0, 1, N, dtype=np.float16)),
    "NaN beside null": pa.array([float("nan"), None, 1.0] * 4),
    "text views": pa.array(["a", "", None] * 4, pa.string_view()),
    "large text": pa.array(["a", "", None] * 4, pa.large_string()),
    "categories of numbers": pa.array([3, 1, None] * 4).dictionary_encode(),
    "categories of large text": pa.array(["b", "a", None] * 4, pa.large_string()).dictionary_encode(),
}
NESTED = {
    "lists with NaN": pa.array([[1.0, float("nan")], [], None] * 4),
    "lists of categories": pa.array(
        [["a"], ["b", None], []] * 4, pa.list_(pa.dictionary(pa.int8(), pa.string()))
    ),
    "records": pa.array([{"a": -0.0, "b": "t"}, None] * 6),
    "fixed lists": pa.array([[1.0, 2.0]] * N, pa.list_(pa.float64(), 2)),
}


@pytest.mark.parametrize("what", [*OTHERS, *NESTED])
def test_untouched_columns_of_every_type_pass(what):
    forms = ("csv", "parquet") if what in OTHERS else ("parquet",)
    # Arrow cannot gather views yet
    for shuffle in (False, True)[: 1 if what == "text views" else 2]:
        _passes(pa.table({"x": X, "o": {**OTHERS, **NESTED}[what]}), forms, shuffle=shuffle)


PANDAS = {
    "Categorical of numbers": lambda: pd.Categorical([3, 1, 2] * 4),
    "intervals": lambda: pd.cut(X, 4),
    "periods": lambda: pd.period_range("2020-01", periods=N, freq="M"),
    "a time zone": lambda: pd.date_range("2020", periods=N, tz="Europe/Paris"),
    "mixed objects": lambda: [1, "a", -0.0, float("nan"), None, (1,)] * 2,
}


@pytest.mark.parametrize("what", PANDAS)
def test_pandas_columns_of_its_own_kinds_pass(what):
    forms = () if what in ("mixed objects", "intervals") else ("csv", "parquet")
    _passes(pd.DataFrame({"x": X, "o": PANDAS[what]()}), forms)


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["z", "c", "b", "a"]), pl.List(pl.Categorical)])
def test_polars_categories_pass(kind):
    values = [["a"], ["b"], None] * 4 if kind == pl.List else ["a", "b", None] * 4
    forms = ("parquet",) if kind == pl.List else ("csv", "parquet")
    _passes(pl.DataFrame({"x": X, "o": pl.Series(values, dtype=kind)}), forms, shuffle=True)


TEXTS = {
    "own sign for missing": (
        "x,y\n" + "\n".join(f"{-9 if i < 4 else i},{i * i % 7}" for i in range(N)),
        {"missing_values": ("-9",)},
    ),
    "one column with gaps": ("x\n" + "\n".join('""' if i < 4 else str(i) for i in range(N)), {}),
    "decimal commas and quotes": (
        "x;t\r\n" + "\r\n".join(f'{i},5;"a;""b\n\r {i}"' for i in range(N)) + "\r\n",
        {"decimal": ","},
    ),
    "a byte order mark": ("\ufeffx,t\n" + "\n".join(f'{i},"q"' for i in range(N)), {}),
    "whole numbers beyond 64 bits": ("x\n" + "\n".join(f"{i}{'0' * 25}" for i in range(1, N)), {}),
}


@pytest.mark.parametrize("what", TEXTS)
def test_csv_files_of_other_dialects_pass(what, tmp_path):
    text, options = TEXTS[what]
    (tmp_path / "in.csv").write_bytes(text.encode())
    data = tacita.read(tmp_path / "in.csv", **options)
    _passes(data, missing="stratum", round_integers=what != "decimal commas and quotes")
