"""Document 000: Araujo & Aloise, derivative-free search for microaggregation (in Portuguese)."""

from __future__ import annotations

from typing import NamedTuple

from .document import Source


class Search(NamedTuple):
    """One cell: IL in percent, improvement over the start in percent, mean seconds."""

    loss: float
    improvement: float
    seconds: float


STEPS = (10, 20, 30)
# k (the document's g) -> label of its table
LABELS = {3: "Table 1", 5: "Table 2", 10: "Table 3"}

_Steps = tuple[Search, Search, Search]


def _steps(*nine: float) -> _Steps:
    first, second, third = (Search(*nine[i : i + 3]) for i in (0, 3, 6))
    return first, second, third


# k -> where the search started -> file -> a cell for each first step (the document's gamma_0)
TABLES: dict[int, dict[str, dict[str, _Steps]]] = {
    3: {
        "mdav": {
            "tarragona": _steps(16.11, 4.84, 5.77, 16.11, 4.84, 5.99, 15.44, 8.79, 5.94),
            "census": _steps(5.69, 0.00, 6.71, 5.69, 0.00, 8.57, 5.69, 0.00, 8.46),
            "eia": _steps(0.48, 0.00, 278.13, 0.48, 0.00, 348.39, 0.48, 0.00, 355.15),
        },
        "gsms-t2": {
            "tarragona": _steps(16.36, 0.00, 8.69, 16.36, 0.00, 8.85, 16.36, 0.00, 7.55),
            "census": _steps(5.54, 0.00, 12.08, 5.54, 0.00, 13.08, 5.54, 0.00, 13.33),
            "eia": _steps(0.41, 0.00, 690.10, 0.41, 0.00, 701.35, 0.41, 0.00, 714.67),
        },
    },
    5: {
        "mdav": {
            "tarragona": _steps(21.19, 5.64, 0.71, 20.93, 6.80, 3.54, 21.07, 6.15, 2.35),
            "census": _steps(9.08, 0.00, 1.80, 8.56, 5.80, 3.42, 8.78, 3.33, 2.76),
            "eia": _steps(1.66, 0.00, 206.45, 1.24, 25.33, 257.60, 1.51, 8.83, 330.68),
        },
        "gsms-t2": {
            "tarragona": _steps(22.70, 18.02, 7.30, 21.19, 23.46, 7.22, 21.66, 21.76, 5.40),
            "census": _steps(8.56, 0.00, 9.67, 8.56, 0.00, 10.81, 8.56, 0.00, 10.80),
            "eia": _steps(0.86, 24.49, 654.02, 0.89, 21.79, 662.77, 0.79, 29.82, 690.35),
        },
    },
    10: {
        "mdav": {
            "tarragona": _steps(33.19, 0.00, 1.08, 33.19, 0.00, 1.52, 33.19, 0.00, 2.83),
            "census": _steps(14.15, 0.00, 1.60, 13.27, 6.19, 3.07, 14.15, 0.00, 2.55),
            "eia": _steps(2.17, 43.55, 104.96, 2.52, 34.33, 113.67, 2.11, 45.00, 132.63),
        },
        "gsms-t2": {
            "tarragona": _steps(39.03, 0.00, 3.86, 39.03, 0.00, 4.41, 39.03, 0.00, 4.58),
            "census": _steps(13.36, 0.00, 8.03, 13.19, 1.30, 8.79, 13.16, 1.53, 9.24),
            "eia": _steps(3.02, 8.02, 481.34, 2.05, 37.37, 502.44, 2.05, 37.43, 515.37),
        },
    },
}

# Section 4, "Os resultados nas Tabelas 1, 2 e 3 revelam que", iii: cells in which the search improves its
# start, of how many, and between which improvements in percent.
IMPROVED, CELLS = 25, 54
IMPROVEMENT_RANGE = (1, 45)
# Section 4: the share of starts, in percent, in which HM before KM is the better order ("quase 60%").
HM_FIRST = 60


def implied_start(cell: Search) -> float:
    """The loss that the search started from, by the printed loss and improvement.

    >>> round(implied_start(Search(22.70, 18.02, 7.30)), 2)
    27.69
    """
    return cell.loss / (1 - cell.improvement / 100)


def count(k: int) -> int:
    """How many printed figures the table of one k has."""
    return sum(len(cell) for files in TABLES[k].values() for steps in files.values() for cell in steps)


SOURCE = Source(
    "000",
    "Um algoritmo de otimização livre de derivadas para a proteção de dados individuais",
    "A. N. B. de Araújo and D. Aloise, Universidade Federal do Rio Grande do Norte",
    "Portuguese",
    {label: f"IL, improvement and time of the search, g = {k}" for k, label in LABELS.items()},
    {},
    {label: count(k) for k, label in LABELS.items()},
)
