"""The public benchmark files and their checksums."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from .description import Dataset

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
        # The number of the utility is not a measurement, but published results include it.
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


def sha256(content: bytes) -> str:
    """The checksum that identifies a file.

    >>> sha256(b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(content).hexdigest()
