"""Example data: synthetic surveys, and the public benchmark files of the field.

>>> from tacita import datasets
>>> [entry.name for entry in datasets.catalogue()]
['business', 'household', 'patients', 'census', 'tarragona', 'eia']
>>> datasets.load("business", n=50).num_rows
50
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.core.errors import ParameterError

from .clouds import five_clouds
from .description import Dataset, Roles
from .firms import BUSINESS, business
from .patients import PATIENTS, patients
from .persons import HOUSEHOLD, household
from .pins import REFERENCES, Reference
from .reference import read_reference

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

__all__ = [
    "Dataset",
    "Reference",
    "Roles",
    "attributes",
    "business",
    "catalogue",
    "describe",
    "five_clouds",
    "household",
    "load",
    "patients",
]

_SURVEYS = {
    BUSINESS.name: (BUSINESS, business),
    HOUSEHOLD.name: (HOUSEHOLD, household),
    PATIENTS.name: (PATIENTS, patients),
}
_SURVEY_OPTIONS = ("n", "seed", "missing")


def catalogue() -> tuple[Dataset, ...]:
    """Describe every data set that `load` knows, the made-up ones first.

    >>> [entry.rows for entry in catalogue()]
    [600, 900, 1200, 1080, 834, 4092]
    """
    return (*(description for description, _ in _SURVEYS.values()), *REFERENCES.values())


def describe(name: str) -> Dataset:
    """Describe a data set without generating or reading it.

    >>> describe("business").roles["unit"]
    'group_id'
    >>> describe("iris")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tacita.core.errors.ParameterError: datasets: there is none named 'iris'. Choose one of business, ...
    """
    known = {entry.name: entry for entry in catalogue()}
    if name not in known:
        raise ParameterError(f"datasets: there is none named {name!r}. Choose one of {', '.join(known)}.")
    return known[name]


def load(name: str, *, fetch: bool = False, **options: Any) -> pa.Table:
    """Make a survey (`options`: n, seed, missing) or read a benchmark file.

    Benchmark files are looked for in the folder named by TACITA_DATA, then in the cache
    (TACITA_CACHE or the one of the platform), and downloaded only if `fetch` is true.

    >>> load("household", n=20, missing=0.1)["wealth"].null_count
    2
    """
    describe(name)
    allowed = _SURVEY_OPTIONS if name in _SURVEYS else ()
    if unknown := [option for option in options if option not in allowed]:
        takes = f"its options are {', '.join(allowed)}" if allowed else "it has none, only fetch"
        raise ParameterError(f"datasets: {name} has no option {', '.join(unknown)}; {takes}.")
    if name in _SURVEYS:
        _, make = _SURVEYS[name]
        return make(**options)
    return read_reference(REFERENCES[name], fetch=fetch)


def attributes(name: str, *, standardised: bool = False) -> npt.NDArray[np.float64]:
    """Customary attributes that are numbers, as an array; standardised: zero mean, unit deviation (n - 1).

    >>> attributes("business").shape, bool(abs(attributes("business", standardised=True).mean()) < 1e-9)
    ((600, 6), True)
    """
    import numpy as np

    frame = load(name)
    columns = [frame[column].to_numpy() for column in describe(name).quasi]
    x = np.column_stack([column for column in columns if column.dtype.kind in "iuf"]).astype(np.float64)
    return np.ascontiguousarray((x - x.mean(axis=0)) / x.std(axis=0, ddof=1)) if standardised else x
