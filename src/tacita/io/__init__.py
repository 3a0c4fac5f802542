"""Files in and out: what a path's ending means, and how bytes become records and back.

A file is read once, into memory; a release is encoded in memory, so that it can be checked before
anything touches the disk.
"""

from __future__ import annotations

import hashlib
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
from pydantic import Field

from tacita.core import MISSING_TEXT, CsvDialect, DataError, Microdata, ParameterError, Parameters
from tacita.core.microdata import refuse_values_as_names
from tacita.core.text import UNTYPED

from . import csv, parquet
from .atomic import refuse_bad_targets, write_all

FORMATS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}

__all__ = [
    "FORMATS",
    "InputOptions",
    "InputSection",
    "content_of",
    "decode",
    "encode",
    "fingerprint_of",
    "format_of",
    "read",
    "taken_in",
    "write_all",
    "write_frame",
]


class InputOptions(Parameters):
    """How to read a text file; a Parquet file needs none of it."""

    delimiter: str | None = Field(
        None, min_length=1, max_length=1, description="column separator; found from the header if not given"
    )
    decimal: Literal[".", ","] = Field(".", description="decimal sign, . or ,")
    encoding: str = Field("utf-8", description="text encoding, such as utf-8 or latin-1")
    missing_values: tuple[str, ...] = Field(MISSING_TEXT, description="cell texts that mean: no value")


class InputSection(InputOptions):
    """[input]: the file and how to read it."""

    path: Path = Field(description="file of records: CSV or Parquet")


def format_of(path: Path) -> str:
    """What kind of file a path names, by its ending.

    >>> format_of(Path("survey.csv"))
    'csv'
    """
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise ParameterError(
            f"{path.name or path}: wanted a file name ending in {', '.join(FORMATS)}, "
            f"got {path.suffix or 'no ending'}."
        )
    return found


def read(path: str | Path, options: InputOptions | None = None) -> Microdata:
    """Read a file of records. Its SHA-256 becomes the fingerprint."""
    path = Path(path)
    form = format_of(path)
    content = content_of(path)
    if not content:
        raise DataError(f"{path.name}: the file is empty.")
    data = decode(content, form, options or InputOptions(), path.name)
    if form == "csv":
        refuse_values_as_names(data.columns, path.name)
    return replace(data, path=path.absolute())


def taken_in(data: Any) -> Microdata:
    """What a caller hands over: a frame, a path, or what was read already."""
    if isinstance(data, Microdata):
        return data
    return read(data) if isinstance(data, str | Path) else Microdata.of(data)


def content_of(path: Path) -> bytes:
    """The bytes of a plain file; a pipe or a device is not waited for."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise ParameterError(f"{path.name}: wanted a file, got a folder.")
        if not stat.S_ISREG(mode):
            raise ParameterError(f"{path.name}: wanted a plain file, got a device or pipe. Save it first.")
        return path.read_bytes()
    except FileNotFoundError:
        raise ParameterError(
            f"{path.name}: cannot be read (there is no such file). Check the path."
        ) from None
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise ParameterError(f"{path.name}: cannot be read ({reason}).") from None


def decode(content: bytes, form: str, options: InputOptions, source: str) -> Microdata:
    """Records out of the bytes of a file."""
    fingerprint = fingerprint_of(content)
    if form == "parquet":
        return Microdata.of(parquet.decode(content, source), source=source, fingerprint=fingerprint)
    table, dialect = csv.decode(
        content, source, options.delimiter, options.decimal, options.encoding, options.missing_values
    )
    return Microdata.of(table, dialect=dialect, source=source, fingerprint=fingerprint)


def fingerprint_of(content: bytes) -> str:
    """The SHA-256 by which a record knows a file.

    >>> fingerprint_of(b"")[:12]
    'e3b0c44298fc'
    """
    return hashlib.sha256(content).hexdigest()


def encode(data: Microdata, form: str) -> tuple[bytes, InputOptions]:
    """The bytes of a file, and the options with which to read it again."""
    table = to_arrow(data)
    if form == "parquet":
        return parquet.encode(table), InputOptions()
    dialect = data.dialect or CsvDialect()
    options = InputOptions(
        delimiter=dialect.delimiter,
        decimal=dialect.decimal,
        encoding=dialect.encoding,
        missing_values=dialect.missing_values,
    )
    return csv.encode(table, dialect), options


def write_frame(frame: Any, path: str | Path, *, force: bool = False) -> None:
    """Write a frame as it is, unprotected, as CSV or Parquet by the path's ending."""
    target = Path(path)
    form = format_of(target)
    refuse_bad_targets({"output": target}, {}, force=force)
    content, _ = encode(Microdata.of(frame, source=target.name), form)
    write_all({target: content}, public=[target], force=force)


def to_arrow(data: Microdata) -> Any:
    """The frame as an Arrow table; a column of mixed Python objects has no file format."""
    try:
        # a pandas index is no column of the file
        return nw.maybe_reset_index(data.frame).to_arrow()
    except UNTYPED:
        raise DataError(
            f"{data.source}: a column holds Python objects of mixed types, which no file format can keep. "
            "Convert such columns to text first."
        ) from None
