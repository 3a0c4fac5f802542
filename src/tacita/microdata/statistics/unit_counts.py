"""How many records, or distinct units, share what they show: a unit is no company for itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import Ints, Microdata


def unit_codes(data: Microdata, rows: Ints) -> Ints | None:
    """The unit behind some rows, where a column of units is named; one that is missing is its own.

    >>> import pyarrow as pa
    >>> from tacita.core import Roles
    >>> visits = Microdata.of(pa.table({"who": ["a", "b", None, "A", None], "age": [1, 2, 3, 1, 5]}))
    >>> unit_codes(visits.with_roles(Roles(quasi="age", unit="who")), np.array([0, 2, 3, 4])).tolist()
    [0, 2, 0, 3]
    """
    unit = data.roles.unit if data.roles else None
    return None if unit is None or unit not in data.columns else units_named(data, unit)[rows]


def units_named(data: Microdata, unit: str) -> Ints:
    """The unit behind every record by a column, numbered from 0; a missing one is its own. O(n log n)."""
    units = data.alike(unit).codes.astype(np.int64)
    missing = np.flatnonzero(data.missing(unit))
    units[missing] = int(units.max(initial=-1)) + 1 + np.arange(missing.size)
    return np.unique(units, return_inverse=True)[1].reshape(-1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Company:
    """The units of records, or nothing where records are counted.

    >>> codes = np.array([0, 0, 1, 1])
    >>> Company(None).sizes(codes).tolist(), Company(np.array([7, 7, 7, 8])).sizes(codes).tolist()
    ([2, 2], [1, 2])
    """

    units: Ints | None

    @property
    def what(self) -> str:
        """What is counted."""
        return "records" if self.units is None else "units"

    @property
    def members(self) -> str:
        """Who is in a group."""
        return "members" if self.units is None else "units"

    def taken(self, rows: Ints | slice) -> Company:
        """Of some of the records."""
        return self if self.units is None else Company(self.units[rows])

    def sizes(self, codes: Ints) -> Ints:
        """How many records, or distinct units, each class has. O(n), or O(n log n) where units are mixed."""
        if self.units is None:
            return np.bincount(codes)
        from tacita.kernels.records.classes import units_of

        if (np.diff(self.units) < 0).any():
            order = np.argsort(self.units, kind="stable")
            codes, units = codes[order], self.units[order]
        else:
            # the kernel is compiled for arrays that may be written to, and labels of a partition may not
            codes, units = np.array(codes), np.array(self.units)
        return np.asarray(units_of(codes, units, int(codes.max(initial=-1)) + 1))

    def sharing(self, codes: Ints) -> Ints:
        """Of each record how many records, or distinct units, are in its class."""
        return self.sizes(codes)[codes]
