"""A document whose figures stand in this package: what it is, and its numbered tables and figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """One of the five documents that this project began with.

    `tables` are the numbered tables with what each holds, `figures` the numbered figures. `counts` says how
    many printed figures of each table this package holds; tables of examples without results hold none.
    """

    number: str
    title: str
    authors: str
    language: str
    tables: dict[str, str]
    figures: dict[str, str]
    counts: dict[str, int]

    @property
    def numbered(self) -> tuple[str, ...]:
        """Every numbered table and figure, as the page "From the papers" names them."""
        return (*self.tables, *self.figures)
