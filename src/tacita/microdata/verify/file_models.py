"""What a whole file, and the population that it is of, must satisfy: counted plainly, class by class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tacita import io
from tacita.core import DataError, Floats, Hierarchy, Ints, Mask, Microdata

from .classes import settings_of
from .evidence import distinct
from .recoding import shown_at
from .uniques import uniques

Labels = Sequence[str | None]
Reader = Callable[[Microdata, str], Labels]
# what arithmetic on shares may lose
_SLACK = 1e-9
_OF_THE_FILE = ("average_risk", "sample_uniqueness", "population_uniqueness")
_OF_A_TABLE = ("k_map", "delta_presence")


def of_the_file(terms: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The models that speak of the whole file."""
    return [(name, each) for name, each in settings_of(terms) if name in _OF_THE_FILE]


def of_a_table(terms: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The models that speak of a table of the population."""
    found = [(name, each) for name, each in settings_of(terms) if name in _OF_A_TABLE]
    return [(name, each) for name, each in found if each.get("population") is not None]


def whole_fault(name: str, each: Mapping[str, Any], class_sizes: Ints, n: int) -> str | None:
    """By how much a file with classes of these sizes, out of n records of the input, breaks a model."""
    size = float(class_sizes.sum())
    alone = int((class_sizes == 1).sum())
    if name == "average_risk":
        risk = class_sizes.size / max(size, 1.0)
        return f"the average risk is {risk:.4g}" if risk > each["risk"] + _SLACK else None
    if name == "sample_uniqueness":
        share = alone / max(size, 1.0)
        return f"{alone} records stand alone" if share > each["share"] + _SLACK else None
    if not alone:
        return None
    persons = n / each["fraction"]
    share = uniques(each.get("estimator", "decision"), class_sizes, persons) / persons
    if 0 < share <= each["share"] * (1 + _SLACK):
        return None
    return f"{100 * share:.4g} % of the population are estimated to stand alone"


def least_kept(terms: Mapping[str, Any], class_sizes: Ints, n: int) -> int:
    """The size from which on classes may stay, all smaller ones gone; one more than the largest if none."""
    models = of_the_file(terms)
    for least in sorted(set(class_sizes.tolist())) if models else ():
        kept = class_sizes[class_sizes >= least]
        if not any(whole_fault(name, each, kept, n) for name, each in models):
            return int(least)
    return int(class_sizes.max(initial=0)) + 1 if models else 0


def too_few_behind(name: str, each: Mapping[str, Any], records: Ints, persons: Ints) -> Mask:
    """Which classes of so many records and persons break a model of a table of the population."""
    if name == "k_map":
        return np.asarray(persons < each["k"])
    share = np.where(persons > 0, records / np.maximum(persons, 1), np.inf)
    return np.asarray((share < each.get("least", 0.0) - _SLACK) | (share > each["most"] + _SLACK))


class People:
    """The table of a population beside some records: what each shows of each key at each level."""

    def __init__(self, path: str, names: Sequence[str], strata: Sequence[str], read: Reader) -> None:
        people = io.read(path)
        if any(name not in people.columns for name in (*names, *strata)):
            raise DataError("the population lacks a column")
        self.n, self.names = people.n, tuple(names)
        self.strata: list[Labels] = [read(people, name) for name in strata]
        self.cells: list[Labels] = [read(people, name) for name in names]

    def shows(self, j: int, hierarchy: Hierarchy, level: int) -> list[str | None]:
        """What persons show of a key at a level: a value that its hierarchy lacks, itself until the top."""
        known = shown_at(hierarchy, level)
        top = hierarchy.labels[hierarchy.top]
        if level and level == hierarchy.height:
            return [top] * self.n
        return [None if cell is None else known.get(cell, cell) for cell in self.cells[j]]


def codes_together(one: Labels, other: Labels) -> Ints:
    """Numbers that equal texts of two lists share, those of the first list first."""
    known: dict[str | None, int] = {}
    return np.array([known.setdefault(text, len(known)) for text in (*one, *other)], dtype=np.int64)


def behind(together: Sequence[Ints], n: int) -> tuple[Ints, bool]:
    """Persons behind each of n records, and whether a person is behind none; codes of records come first."""
    of = distinct(*together)
    persons = np.bincount(of[n:], minlength=int(of.max(initial=0)) + 1)
    records = np.bincount(of[:n], minlength=persons.size)
    return persons[of[:n]], bool(((persons > 0) & (records == 0)).any())


def persons_by_weight(data: Microdata, each: Mapping[str, Any], classes: Ints, rows: Ints) -> Mask:
    """Which classes of some rows stand, by their weights, for too few persons."""
    weights: Floats = data.numbers(each["weight"])[rows]
    found = np.bincount(classes, weights)
    return np.asarray(~(found >= each["k"] * (1 - _SLACK)))
