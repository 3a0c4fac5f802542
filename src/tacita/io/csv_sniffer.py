"""How a text file is likely to be written, guessed from the file: for a person to look at and to correct."""

from __future__ import annotations

import codecs
import csv
import io
import re
from pathlib import Path
from typing import Literal

from tacita.core import DataError, ParameterError

from .content import opened
from .formats.csv import CSV
from .formats.options import TextOptions

# So much of a file says what its decimal sign is.
_LOOKED_AT = 1_000_000
_BLOCK = 2**20
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_WITH_COMMA, _WITH_POINT = re.compile(r"\s*[+-]?\d+,\d+\s*"), re.compile(r"\s*[+-]?\d+\.\d+\s*")


def sniff_csv(path: str | Path) -> TextOptions:
    """Guess encoding, delimiter and decimal sign of a text file.

    The encoding is UTF-8 if all of the file is that, else the code page of western Europe. The decimal sign
    is a comma where more cells of the first part have a comma between digits than have a point. O(bytes),
    in blocks.

    Parameters
    ----------
    path : path
        The file. Of other formats than text, the defaults are returned.

    Returns
    -------
    TextOptions
        `encoding`, `delimiter` and `decimal`, for a person to check.

    Raises
    ------
    DataError
        If the header line cannot be read.
    ParameterError
        If the file cannot be read.

    See Also
    --------
    read : Read the file with these options.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder, "survey.csv")
    ...     _ = place.write_text("town;income\\nPorto;1200,50\\n")
    ...     found = sniff_csv(place)
    >>> found.delimiter, found.decimal, found.encoding
    (';', ',', 'utf-8')
    """
    place = Path(path)
    if place.suffix.lower() not in CSV.endings:
        return TextOptions()
    encoding = _encoding(place)
    with opened(place) as file:
        text = file.read(_LOOKED_AT).decode(encoding, errors="replace").lstrip("\ufeff")
    header, _, _ = text.partition("\n")
    # without a semicolon or tab before it, a comma is what parts the columns
    delimiter = max(";\t|,", key=re.sub(r'"[^"]*"', "", header).count)
    decimal: Literal[".", ","] = "." if delimiter == "," else _decimal(text, delimiter)
    try:
        return TextOptions(encoding=encoding, delimiter=delimiter, decimal=decimal)
    except ParameterError:
        raise DataError(f"{place.name}: the header line cannot be read.") from None


def _encoding(place: Path) -> str:
    with opened(place) as file:
        begins = file.read(_BLOCK)
        for mark, name in _MARKS.items():
            if begins.startswith(mark):
                return name
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            while begins:
                decoder.decode(begins)
                begins = file.read(_BLOCK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8"


def _decimal(text: str, delimiter: str) -> Literal[".", ","]:
    comma = point = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            comma += sum(_WITH_COMMA.fullmatch(cell) is not None for cell in row)
            point += sum(_WITH_POINT.fullmatch(cell) is not None for cell in row)
    except csv.Error:
        return "."
    return "," if comma > point else "."
