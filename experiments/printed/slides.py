"""Document 002: slides of F. D. de Carvalho on cell suppression (in Portuguese); nothing is numbered."""

from __future__ import annotations

from typing import NamedTuple

from tacita.core import Problem

from .document import Source


class Headline(NamedTuple):
    """What one slide says of one problem: how many tables, their sizes, and shares proven in percent.

    `proven` is by what was minimised: the value of the secondary cells, or their number.
    """

    tables: int
    smallest: tuple[int, int]
    largest: tuple[int, int]
    proven: dict[str, int]


# No slide says what kind of tables they were, nor on which machine.
HEADLINES: dict[Problem, Headline] = {
    "general": Headline(210, (20, 10), (200, 200), {"value": 98}),
    "exact": Headline(170, (50, 10), (100, 100), {"value": 95, "count": 70}),
    "interval": Headline(1410, (10, 10), (500, 500), {"value": 95}),
}
# Methods of the slides by their names here: a Lagrangean algorithm with a heuristic, and an exact algorithm
# of conditions on flow, pattern and volume.
_OWN = {"general": "lagrange", "exact": "lagrange", "interval": "three-phase"}
# Each slide: the mean time is below so many minutes.
MINUTES = 4

# The first example (Willenborg & de Waal 1996): the cell in row 2, column 2 is sensitive. Its best pattern
# withholds so many cells besides, of so much value.
EXAMPLE = ((11, 47, 58), (1, 15, 33), (2, 31, 20))
EXAMPLE_SENSITIVE = (1, 1)
EXAMPLE_SECONDARIES, EXAMPLE_VALUE = 3, 34


def own_method(problem: Problem) -> str:
    """The method whose shares the slides print of this problem, by its name here.

    >>> own_method("interval")
    'three-phase'
    """
    return _OWN[problem]


def count() -> int:
    """Figures of the headlines: tables, four sides, shares proven; and the minutes, said of each problem."""
    return sum(1 + 4 + len(each.proven) + 1 for each in HEADLINES.values())


SOURCE = Source(
    "002",
    "Modelos e Algoritmos de Optimização Combinatória no Controlo de Divulgação Estatística",
    "F. Duarte de Carvalho, ISEG, Universidade Técnica de Lisboa",
    "Portuguese",
    {},
    {},
    {"headlines": count(), "example": 2},
)
