"""The public benchmark files of the field: what they are, where they lie, and the proof that they are those.

They are never part of tacita. A file is read from the folder in the variable TACITA_DATA,
else from the cache; it is fetched only when the caller says so.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.core.errors import DataError

from .pins import UPSTREAM, Reference, sha256

if TYPE_CHECKING:
    import pyarrow as pa


def read_reference(reference: Reference, *, fetch: bool = False, base_url: str = UPSTREAM) -> pa.Table:
    """Read a benchmark file from TACITA_DATA or the cache; download it first only if `fetch` is true.

    The bytes that are parsed are the bytes whose SHA-256 was checked.

    >>> from dataclasses import replace
    >>> from tacita.datasets.pins import REFERENCES
    >>> read_reference(replace(REFERENCES["census"], name="nowhere"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tacita.core.errors.DataError: nowhere: nowhere.csv is neither in the folder named by TACITA_DATA nor ...
    """
    import pyarrow.csv

    content = _local_content(reference, refetch=fetch)
    if content is None and fetch:
        from .fetch import fetch_csv, store

        content = fetch_csv(reference, base_url)
        store(cache_folder() / reference.csv_name, content)
    if content is None:
        raise DataError(
            f"{reference.name}: {reference.csv_name} is neither in the folder named by TACITA_DATA nor in "
            f"the cache ({cache_folder()}). Set TACITA_DATA to the folder that holds it, or download it with "
            f"fetch=True (on the command line: tacita datasets {reference.name} --fetch)."
        )
    return pyarrow.csv.read_csv(io.BytesIO(content))


def cache_folder() -> Path:
    """TACITA_CACHE, else the folder where this platform keeps what can be fetched again.

    >>> cache_folder().is_absolute() or "TACITA_CACHE" in os.environ
    True
    """
    if chosen := os.environ.get("TACITA_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "tacita" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tacita"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tacita"


def _local_content(reference: Reference, *, refetch: bool) -> bytes | None:
    """The verified bytes of the first local copy, or None if there is none."""
    if chosen := os.environ.get("TACITA_DATA"):
        content = _read_if_there(Path(chosen) / reference.csv_name)
        if content is not None:
            _check_csv(reference, content, "in TACITA_DATA", "Put the right file there or unset TACITA_DATA.")
            return content
    content = _read_if_there(cache_folder() / reference.csv_name)
    if content is not None and refetch and sha256(content) != reference.csv_sha256:
        return None  # damaged; the caller allows replacing it
    if content is not None:
        _check_csv(reference, content, "in the cache", "Delete it or replace it with fetch=True.")
    return content


def _read_if_there(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}. Check that it is a file you may read."
        ) from None


def _check_csv(reference: Reference, content: bytes, where: str, remedy: str) -> None:
    checksum = sha256(content)
    if checksum != reference.csv_sha256:
        raise DataError(
            f"{reference.name}: {reference.csv_name} {where} is not the benchmark file: its SHA-256 must be "
            f"{reference.csv_sha256}, got {checksum}. {remedy}"
        )
