"""Descriptions of data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict


class Roles(TypedDict):
    """The `[roles]` section of a plan: the columns of each role."""

    identifiers: list[str]
    quasi: list[str]
    confidential: list[str]
    strata: list[str]
    unit: str | None
    weight: str | None


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Name, size, origin and customary roles of one data set.

    `rows` is None where the caller chooses how many there are and nothing is customary.

    >>> tiny = Dataset(name="tiny", title="Two firms.", source="made up", rows=2, columns=1, quasi=("sales",))
    >>> tiny.roles["quasi"], tiny.roles["unit"]
    (['sales'], None)
    """

    name: str
    title: str
    source: str
    rows: int | None = None
    columns: int | None = None
    identifiers: tuple[str, ...] = ()
    quasi: tuple[str, ...] = ()
    confidential: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    unit: str | None = None
    weight: str | None = None

    @property
    def roles(self) -> Roles:
        """A fresh dictionary each time, so that a caller may change it."""
        return {
            "identifiers": list(self.identifiers),
            "quasi": list(self.quasi),
            "confidential": list(self.confidential),
            "strata": list(self.strata),
            "unit": self.unit,
            "weight": self.weight,
        }
