"""Plain text with one point per line: numbers separated by spaces, commas or semicolons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import pyarrow as pa

from tacita.core import DataError, Microdata
from tacita.core.data.microdata import check_unique_names

# More points than this cannot be plotted, and take long to attack.
MOST_POINTS = 2000
_MOST_COLUMNS = 100


def read_points(
    path: str | Path, *, names: Sequence[str] | None = None, shown_as: str | None = None
) -> Microdata:
    """Read points from a text file: one per line, two or more numbers.

    Spaces, commas or semicolons separate the numbers. Where semicolons or spaces separate, a comma is a
    decimal sign. A first line without numbers names the columns; otherwise they are `names`, or column_1,
    column_2 and so on. At most 2000 points.
    """
    path = Path(path)
    name = shown_as or path.name
    lines = [(at, line.strip()) for at, line in enumerate(_decoded(path).splitlines(), 1) if line.strip()]
    if not lines:
        raise DataError(f"{name}: the file has no points. Wanted one per line, such as: 1.5 2.0")
    split = _splitter([line for _, line in lines])
    first = split(lines[0][1])
    header = None if any(_number(cell) is not None for cell in first) else first
    rows = [_point(name, at, split(line), len(first)) for at, line in lines[header is not None :]]
    if not 2 <= len(first) <= _MOST_COLUMNS:
        raise DataError(f"{name}: wanted 2 to {_MOST_COLUMNS} numbers a line, got {len(first)}.")
    if len(rows) > MOST_POINTS:
        raise DataError(
            f"{name}: wanted at most {MOST_POINTS} points, got {len(rows)}. Use fewer, or synthesize "
            "the file under Microdata."
        )
    columns = list(names or header or [f"column_{j + 1}" for j in range(len(first))])
    if len(columns) != len(first) or not all(columns):
        raise DataError(f"{name}: wanted a name for each of {len(first)} columns. Name all or none.")
    check_unique_names(columns)
    values = [[row[j] for row in rows] for j in range(len(first))]
    frame = pa.table([pa.array(column, pa.float64()) for column in values], names=columns)
    return Microdata.of(frame, source=name)


def points_text(data: Microdata, columns: Sequence[str]) -> str:
    """Some columns in this format, without loss of digits.

    >>> points_text(Microdata.of(pa.table({"a": [1.5], "b": [2.0]})), ["b", "a"])
    '2.0 1.5\\n'
    """
    values = data.matrix(columns).tolist()
    return "".join(" ".join(repr(value) for value in row) + "\n" for row in values)


def _decoded(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # every byte is a character in latin-1
        return content.decode("latin-1")


class _Splitter:
    """Splits lines at the separator of the file."""

    def __init__(self, between: str, *, decimal_comma: bool) -> None:
        self._between, self._decimal_comma = re.compile(between), decimal_comma

    def __call__(self, line: str) -> list[str]:
        cells = [cell.strip().strip('"') for cell in self._between.split(line)]
        return [cell.replace(",", ".") for cell in cells] if self._decimal_comma else cells


def _splitter(lines: Sequence[str]) -> _Splitter:
    if any(";" in line for line in lines):
        return _Splitter(";", decimal_comma=True)
    # "1,5 2,5" has a comma inside each number, "1.5, 2.5" one between them
    if all(re.search(r"\S\s+\S", line) and not re.search(r",\s|\s,", line) for line in lines):
        return _Splitter(r"\s+", decimal_comma=True)
    return _Splitter(r"\s*,\s*|\s+", decimal_comma=False)


def _number(cell: str) -> float | None:
    try:
        return float(cell) if "_" not in cell else None
    except ValueError:
        return None


def _point(source: str, line: int, cells: Sequence[str], wanted: int) -> list[float]:
    numbers = [number for cell in cells if (number := _number(cell)) is not None and isfinite(number)]
    if len(cells) != wanted or len(numbers) != wanted:
        raise DataError(
            f"{source}: wanted {wanted} finite numbers in each line, got {len(numbers)} among {len(cells)} "
            f"values in line {line}. Write one point per line, separated by spaces, commas or semicolons."
        )
    return numbers
