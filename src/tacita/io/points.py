"""Plain text with a point a line: numbers with spaces, commas or semicolons between, as people write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import pyarrow as pa

from tacita.core import DataError, Microdata
from tacita.core.data.microdata import refuse_repeated_names

# More points than this are no picture, and take long to attack.
MOST_POINTS = 2000
_MOST_COLUMNS = 100


def read_points(
    path: str | Path, *, names: Sequence[str] | None = None, shown_as: str | None = None
) -> Microdata:
    """Points of a text file: a line each, two numbers or more, with spaces, commas or semicolons between.

    Beside semicolons or spaces a comma is a decimal sign. A first line that is not of numbers names the
    columns; otherwise they are column_1, column_2 and so on, unless `names` are given. At most 2000 points.
    """
    path = Path(path)
    who = shown_as or path.name
    lines = [(at, line.strip()) for at, line in enumerate(_decoded(path).splitlines(), 1) if line.strip()]
    if not lines:
        raise DataError(f"{who}: there is no point in the file. Wanted a line for each, as in: 1.5 2.0")
    split = _splitter([line for _, line in lines])
    first = split(lines[0][1])
    header = None if any(_number(cell) is not None for cell in first) else first
    rows = [_point(who, at, split(line), len(first)) for at, line in lines[header is not None :]]
    if not 2 <= len(first) <= _MOST_COLUMNS:
        raise DataError(f"{who}: wanted 2 to {_MOST_COLUMNS} numbers a line, got {len(first)}.")
    if len(rows) > MOST_POINTS:
        raise DataError(
            f"{who}: wanted at most {MOST_POINTS} points, got {len(rows)}. Take some of them, or synthesize "
            "the file under Microdata."
        )
    columns = list(names or header or [f"column_{j + 1}" for j in range(len(first))])
    if len(columns) != len(first) or not all(columns):
        raise DataError(f"{who}: wanted a name for each of {len(first)} columns. Name all or none.")
    refuse_repeated_names(columns)
    values = [[row[j] for row in rows] for j in range(len(first))]
    frame = pa.table([pa.array(each, pa.float64()) for each in values], names=columns)
    return Microdata.of(frame, source=who)


def points_text(data: Microdata, columns: Sequence[str]) -> str:
    """Some columns as such a file, to the last bit.

    >>> points_text(Microdata.of(pa.table({"a": [1.5], "b": [2.0]})), ["b", "a"])
    '2.0 1.5\\n'
    """
    values = data.matrix(columns).tolist()
    return "".join(" ".join(repr(each) for each in row) + "\n" for row in values)


def _decoded(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # every byte is a letter there
        return content.decode("latin-1")


class _Splitter:
    """Cells of a line, by what stands between them in the whole file."""

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


def _point(who: str, line: int, cells: Sequence[str], wanted: int) -> list[float]:
    numbers = [number for cell in cells if (number := _number(cell)) is not None and isfinite(number)]
    if len(cells) != wanted or len(numbers) != wanted:
        raise DataError(
            f"{who}: wanted {wanted} finite numbers in each line, got {len(numbers)} among {len(cells)} "
            f"values in line {line}. Write a point a line, with spaces, commas or semicolons between."
        )
    return numbers
