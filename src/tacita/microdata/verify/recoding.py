"""Promises about columns whose values became coarser, and about columns that agree within a unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from tacita.core import Hierarchy, Microdata
from tacita.io.hierarchies import as_hierarchy

from .cells import as_array
from .evidence import Evidence, distinct, gaps


def _texts(data: Microdata, name: str) -> list[str | None]:
    """The cells of a column as they read."""
    cells = as_array(data.column(name))
    plain = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    texts: list[str | None] = plain.cast(pa.large_string()).to_pylist()
    return texts


def _before(evidence: Evidence, name: str) -> tuple[list[str | None], list[bool]]:
    """The original cells of the released rows, and which of them are missing."""
    original, rows = evidence.claim.original, evidence.claim.rows
    texts = _texts(original, name)
    return [texts[row] for row in rows.tolist()], gaps(original, name)[rows].tolist()


def _after(evidence: Evidence, name: str) -> list[str | None]:
    """The released cells as they read; a text file of a typed source has a word for what is missing there."""
    texts = _texts(evidence.released, name)
    dialect = evidence.released.dialect
    if dialect is None or evidence.claim.original.dialect is not None:
        return texts
    return [None if text == dialect.missing_word else text for text in texts]


def _reads(evidence: Evidence, name: str, wanted: list[str | None]) -> bool:
    """Whether the released cells read so, those that a later step left empty apart, which show nothing."""
    emptied = evidence.emptied(name)
    if (emptied & ~evidence.gaps_shown(name)).any():
        return False
    shown = zip(wanted, _after(evidence, name), emptied.tolist(), strict=True)
    return all(empty or a == b for a, b, empty in shown)


def recoded(evidence: Evidence) -> str | None:
    """Equal values became equal values, and what was missing reads as it did."""
    moved, split = [], []
    for name in evidence.claim.original.quasi:
        old, missing = _before(evidence, name)
        new = _after(evidence, name)
        gone, emptied = evidence.gaps_shown(name).tolist(), evidence.emptied(name).tolist()
        wanted = [gap or empty for gap, empty in zip(missing, emptied, strict=True)]
        there = [(a, b) for a, b, empty in zip(old, new, emptied, strict=True) if not empty]
        kept = [gap for gap, empty in zip(missing, emptied, strict=True) if not empty]
        if wanted != gone or any(a != b for (a, b), gap in zip(there, kept, strict=True) if gap):
            moved.append(name)
        elif len({*there}) != len({a for a, _ in there}):
            split.append(name)
    if moved:
        return f"{len(moved)} columns miss other values than the originals do: {', '.join(moved)}"
    if split:
        return f"{len(split)} columns give records of one value several: {', '.join(split)}"
    return None


def recoded_by_map(evidence: Evidence) -> str | None:
    """Every cell is what the declared map makes of the original."""
    terms = evidence.claim.terms
    wrong = []
    for name in evidence.claim.original.quasi:
        own = terms["map"].get(name)
        declared: Mapping[str, str] = own if isinstance(own, Mapping) else terms["map"]
        old, missing = _before(evidence, name)
        rest = terms.get("others")
        wanted = [
            a if gap or a is None else declared.get(a, a if rest is None else rest)
            for a, gap in zip(old, missing, strict=True)
        ]
        if not _reads(evidence, name, wanted):
            wrong.append(name)
    return (
        f"{len(wrong)} columns hold values that the map does not make: {', '.join(wrong)}" if wrong else None
    )


def recoded_by_level(evidence: Evidence) -> str | None:
    """Every cell is the label that the hierarchy shows for the original, going up step by step."""
    claim = evidence.claim
    known = claim.original.roles.hierarchy if claim.original.roles else {}
    wrong = []
    for name in claim.original.quasi:
        told = claim.terms["level"]
        level = told[name] if isinstance(told, Mapping) else told
        shown = shown_at(as_hierarchy(name, known[name]), level)
        old, missing = _before(evidence, name)
        wanted = [a if gap or a is None else shown.get(a) for a, gap in zip(old, missing, strict=True)]
        if not _reads(evidence, name, wanted):
            wrong.append(name)
    return (
        f"{len(wrong)} columns hold values that are not those of their level: {', '.join(wrong)}"
        if wrong
        else None
    )


def shown_at(hierarchy: Hierarchy, level: int) -> dict[str, str]:
    """What each leaf is called at a level, found by going up from it."""
    inner = {parent for parent in hierarchy.parents if parent >= 0}
    below = dict(enumerate(hierarchy.parents))
    heights: dict[int, int] = {}

    def height(place: int) -> int:
        if place not in heights:
            under = [child for child, parent in below.items() if parent == place]
            heights[place] = 1 + max(map(height, under)) if under else 0
        return heights[place]

    shown = {}
    for leaf, label in enumerate(hierarchy.labels):
        if leaf in inner:
            continue
        at = leaf
        while (parent := hierarchy.parents[at]) >= 0:
            if (hierarchy.replaced_from[at] if hierarchy.replaced_from else height(parent)) > level:
                break
            at = parent
        shown[label] = hierarchy.labels[at]
    return shown


def recoded_by_breaks(evidence: Evidence) -> str | None:
    """Every cell names the interval that the original number lies in."""
    told = evidence.claim.terms["breaks"]
    wrong = []
    for name in evidence.claim.original.quasi:
        breaks = told[name] if isinstance(told, Mapping) else told
        old, missing = _before(evidence, name)
        present = {a for a, gap in zip(old, missing, strict=True) if a is not None and not gap}
        numbers = {a: float(a.replace(",", ".")) for a in present}
        whole = all(float(each).is_integer() for each in (*breaks, *numbers.values()))
        wanted = [
            a if gap or a is None else _interval(numbers[a], breaks, whole)
            for a, gap in zip(old, missing, strict=True)
        ]
        if not _reads(evidence, name, wanted):
            wrong.append(name)
    return (
        f"{len(wrong)} columns hold intervals that the originals do not lie in: {', '.join(wrong)}"
        if wrong
        else None
    )


def _interval(number: float, breaks: Sequence[float], whole: bool) -> str:
    above = [each for each in breaks if each > number]
    below = [each for each in breaks if each <= number]
    if not below:
        return f"under {above[0]:.15g}"
    if not above:
        return f"{below[-1]:.15g} or more"
    if not whole:
        return f"{below[-1]:.15g} to under {above[0]:.15g}"
    last = above[0] - 1
    return f"{below[-1]:.15g}" if last == below[-1] else f"{below[-1]:.15g}-{last:.15g}"


def units_agree(evidence: Evidence) -> str | None:
    """All records of a unit show the same in the columns that were protected by unit."""
    units = evidence.units
    if isinstance(units, str):
        return units
    for name in evidence.claim.original.quasi:
        shown = evidence.spelling(name)
        apart = np.bincount(np.unique(np.column_stack([units, shown]), axis=0)[:, 0]) > 1
        if apart.any():
            return f"{int(apart.sum())} of {int(distinct(units).max()) + 1} units differ within column {name}"
    return None
