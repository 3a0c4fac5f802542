"""Fingerprint of the content of a data frame."""

from __future__ import annotations

from tacita.core import DataError, Microdata
from tacita.io import fingerprint_of
from tacita.io.formats.parquet import Parquet


def fingerprint_of_frame(data: Microdata) -> str | None:
    """SHA-256 of the content of a frame; None if it has no canonical form."""
    try:
        return fingerprint_of(Parquet().encode(data))
    except DataError:
        return None
