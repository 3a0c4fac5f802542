"""The public benchmark files of the field: what they are, where they lie, and the proof that they are those.

They are never part of tacita. A file is read from the folder in the variable TACITA_DATA,
else from the cache; it is fetched only when the caller says so.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.core.errors import DataError

from .description import Dataset

if TYPE_CHECKING:
    import pyarrow as pa

UPSTREAM = "https://raw.githubusercontent.com/sdcTools/sdcMicro/cf3251017482bb215f0a9abf4a930f502399fb72"

_CASC = (
    "CASC project: Brand, Domingo-Ferrer & Mateo-Sanz (2002), "
    "as distributed with the R package sdcMicro (GPL-2), github.com/sdcTools/sdcMicro"
)


@dataclass(frozen=True, kw_only=True)
class Reference(Dataset):
    """A public file, pinned twice: as published (.rda) and as the CSV that tacita reads.

    >>> len(REFERENCES["census"].quasi), REFERENCES["eia"].csv_name
    (13, 'eia.csv')
    """

    rda_path: str
    rda_sha256: str
    csv_sha256: str

    @property
    def csv_name(self) -> str:
        """Name of the file in TACITA_DATA and in the cache."""
        return f"{self.name}.csv"


_ALL = (
    Reference(
        name="census",
        title="U.S. Current Population Survey 1995, 13 numeric attributes of persons.",
        source=_CASC,
        rows=1080,
        columns=13,
        quasi=(
            "AFNLWGT",
            "AGI",
            "EMCONTRB",
            "FEDTAX",
            "PTOTVAL",
            "STATETAX",
            "TAXINC",
            "POTHVAL",
            "INTVAL",
            "PEARNVAL",
            "FICA",
            "WSALVAL",
            "ERNVAL",
        ),
        rda_path="data/CASCrefmicrodata.rda",
        rda_sha256="147d0d7fa823a384e36c2297174560e32cdbe6e39803f22f797610fb1a2993d6",
        csv_sha256="40fb91564d4379274610e941161fd38729adb471bddb9c71d7c01ef142fd0f5b",
    ),
    Reference(
        name="tarragona",
        title="Companies of the Tarragona area in 1995, 13 items of their accounts.",
        source=_CASC,
        rows=834,
        columns=13,
        quasi=(
            "FIXED.ASSETS",
            "CURRENT.ASSETS",
            "TREASURY",
            "UNCOMMITTED.FUNDS",
            "PAID.UP.CAPITAL",
            "SHORT.TERM.DEBT",
            "SALES",
            "LABOR.COSTS",
            "DEPRECIATION",
            "OPERATING.PROFIT",
            "FINANCIAL.OUTCOME",
            "GROSS.PROFIT",
            "NET.PROFIT",
        ),
        rda_path="data/Tarragona.rda",
        rda_sha256="e83def0648be5e47eaf202b4dd60dd6981591d0858fd249817b9a2cc97cf2aef",
        csv_sha256="d5f719a134a3476b2157d9675d1a2b211dbc06ad6109685ad1e4b7847cfa45a4",
    ),
    Reference(
        name="eia",
        title="U.S. energy utilities in 1996, revenue and sales by kind of customer and month.",
        source=_CASC,
        rows=4092,
        columns=15,
        identifiers=("UTILNAME",),
        # The number of the utility is no measurement, but the published figures count it as one.
        quasi=(
            "UTILITYID",
            "RESREVENUE",
            "RESSALES",
            "COMREVENUE",
            "COMSALES",
            "INDREVENUE",
            "INDSALES",
            "OTHREVENUE",
            "OTHRSALES",
            "TOTREVENUE",
            "TOTSALES",
        ),
        rda_path="data/EIA.rda",
        rda_sha256="8b61ceb0d1fa01d024bd62171655601abed62ff70a5e9e6fd550c43a1f76695e",
        csv_sha256="4df54e21b3451e3c0b6081fa1c9ef5dbd8f09d484925ed2ade759b78b4869d1b",
    ),
)
REFERENCES: dict[str, Reference] = {reference.name: reference for reference in _ALL}


def read_reference(reference: Reference, *, fetch: bool = False, base_url: str = UPSTREAM) -> pa.Table:
    """Read a benchmark file from TACITA_DATA or the cache; download it first only if `fetch` is true.

    The bytes that are parsed are the bytes whose SHA-256 was checked.

    >>> from dataclasses import replace
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


def sha256(content: bytes) -> str:
    """The fingerprint by which a file is known.

    >>> sha256(b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(content).hexdigest()


def _local_content(reference: Reference, *, refetch: bool) -> bytes | None:
    """The checked bytes of the file nearest at hand, or None if there is no file."""
    if chosen := os.environ.get("TACITA_DATA"):
        content = _read_if_there(Path(chosen) / reference.csv_name)
        if content is not None:
            _check_csv(reference, content, "in TACITA_DATA", "Put the right file there or unset TACITA_DATA.")
            return content
    content = _read_if_there(cache_folder() / reference.csv_name)
    if content is not None and refetch and sha256(content) != reference.csv_sha256:
        return None  # damaged, and the caller allows us to replace it
    if content is not None:
        _check_csv(reference, content, "in the cache", "Delete it or replace it with fetch=True.")
    return content


def _read_if_there(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        raise DataError(
            f"{path} cannot be read: {problem.strerror}. Check that it is a file you may read."
        ) from None


def _check_csv(reference: Reference, content: bytes, where: str, remedy: str) -> None:
    found = sha256(content)
    if found != reference.csv_sha256:
        raise DataError(
            f"{reference.name}: {reference.csv_name} {where} is not the benchmark file: its SHA-256 must be "
            f"{reference.csv_sha256}, got {found}. {remedy}"
        )
