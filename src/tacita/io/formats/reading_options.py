"""Options of reading, by the formats that use them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tacita.core import MISSING_TEXT, Parameters
from tacita.core.spec.docstrings import documented


class TextOptions(Parameters):
    """How to read a text file."""

    delimiter: str | None = Field(
        default=None,
        min_length=1,
        max_length=1,
        description="column separator; found from the header if not given",
    )
    decimal: Literal[".", ","] = Field(default=".", description="decimal sign, . or ,")
    encoding: str = Field(default="utf-8", description="text encoding, such as utf-8 or latin-1")
    missing_values: tuple[str, ...] = Field(
        default=MISSING_TEXT, description="cell texts that mean: no value"
    )


class LabelOptions(Parameters):
    """How to read a file of a statistical package."""

    value_labels: bool = Field(
        default=False, description="read coded columns as the texts of their value labels"
    )


class SheetOptions(Parameters):
    """How to read a workbook."""

    sheet: str | None = Field(
        default=None,
        min_length=1,
        description="sheet of a workbook, by name or number; the first if not given",
    )


@documented
class InputOptions(TextOptions, LabelOptions, SheetOptions):
    """How to read a file of any kind; a format uses the options that apply to it.

    >>> InputOptions(delimiter=";", decimal=",").decimal
    ','
    """
