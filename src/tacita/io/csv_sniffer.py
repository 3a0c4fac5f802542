"""Guess the encoding, delimiter and decimal sign of a text file; a person should confirm them."""

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
from .formats.reading_options import TextOptions

# Characters from which the decimal sign is guessed.
_SAMPLE = 1_000_000
_BLOCK = 2**20
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_WITH_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
_WITH_POINT = re.compile(r"\s*[+-]?\d+\.\d+\s*")


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
    source = Path(path)
    if source.suffix.lower() not in CSV.endings:
        return TextOptions()
    encoding = _encoding(source)
    with opened(source) as file:
        text = file.read(_SAMPLE).decode(encoding, errors="replace").lstrip("\ufeff")
    header, _, _ = text.partition("\n")
    # on a tie the earlier delimiter wins, so a comma comes last
    delimiter = max(";\t|,", key=re.sub(r'"[^"]*"', "", header).count)
    decimal: Literal[".", ","] = "." if delimiter == "," else _decimal(text, delimiter)
    try:
        return TextOptions(encoding=encoding, delimiter=delimiter, decimal=decimal)
    except ParameterError:
        raise DataError(f"{source.name}: the header line cannot be read.") from None


def _encoding(path: Path) -> str:
    with opened(path) as file:
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
