"""A fingerprint of what a data frame holds."""

from __future__ import annotations

from tacita.core import DataError, Microdata
from tacita.io import fingerprint_of
from tacita.io.formats.parquet import Parquet


def fingerprint_of_frame(data: Microdata) -> str | None:
    """SHA-256 of a frame's content, None where it has no canonical form."""
    try:
        return fingerprint_of(Parquet().encode(data))
    except DataError:
        return None
