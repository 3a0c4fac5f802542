"""Promises about columns whose values became coarser, numbers or labels, or that agree within a unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

import numpy as np
import pyarrow as pa

from tacita.core import Floats, Hierarchy, Microdata
from tacita.io.hierarchies import as_hierarchy

from .cells import as_array
from .evidence import Evidence, distinct, gaps, publishes


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
        return f"{len(moved)} columns have other missing values than the originals: {', '.join(moved)}"
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
        declared = claim.terms["level"]
        level = declared[name] if isinstance(declared, Mapping) else declared
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
    declared = evidence.claim.terms["breaks"]
    wrong = []
    for name in evidence.claim.original.quasi:
        breaks = declared[name] if isinstance(declared, Mapping) else declared
        old, missing = _before(evidence, name)
        present = {a for a, gap in zip(old, missing, strict=True) if a is not None and not gap}
        numbers = {a: float(a.replace(",", ".")) for a in present}
        whole = all(float(number).is_integer() for number in (*breaks, *numbers.values()))
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
    above = [limit for limit in breaks if limit > number]
    below = [limit for limit in breaks if limit <= number]
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


def top_coded(evidence: Evidence) -> str | None:
    """Numbers up to the limit are the originals, those above it one number."""
    return _coded(evidence, 1)


def bottom_coded(evidence: Evidence) -> str | None:
    """Numbers down to the limit are the originals, those below it one number."""
    return _coded(evidence, -1)


def _coded(evidence: Evidence, sign: int) -> str | None:
    wrong = [
        name
        for name in evidence.claim.original.quasi
        if not publishes(
            evidence, name, np.where(evidence.emptied(name), np.nan, _expected(evidence, name, sign))
        )
    ]
    if wrong:
        return f"{len(wrong)} columns hold numbers that are not coded as declared: {', '.join(wrong)}"
    return None


def _expected(evidence: Evidence, name: str, sign: int) -> Floats:
    terms, old = evidence.claim.terms, evidence.originals(name)
    # records that left in a later step were still among those that were coded
    later = evidence.claim.original.numbers(name)[evidence.claim.dropped_later]
    present = [value for value in (*old.tolist(), *later.tolist()) if value == value]
    if not present:
        return old
    declared = terms.get("limit")
    if declared is not None:
        limit = float(declared[name] if isinstance(declared, Mapping) else declared)
    else:
        most = terms["count"] if terms.get("count") is not None else int(terms["share"] * len(present))
        from_the_end = sorted(present, reverse=sign > 0)
        limit = from_the_end[min(most, len(present) - 1)]
    coded = [value for value in present if sign * value > sign * limit]
    if not coded:
        return old
    middle = {"limit": limit, "mean": fsum(coded) / len(coded), "median": float(np.median(coded))}
    return np.where(sign * old > sign * limit, middle[terms["by"]], old)


def rounded_to_base(evidence: Evidence) -> str | None:
    """Each number is a multiple of the base: next to the original, or the nearest one."""
    base, by_chance = float(evidence.claim.terms["base"]), bool(evidence.claim.terms["random"])
    off, far = [], []
    for name in evidence.claim.original.quasi:
        old, new = evidence.originals(name), evidence.released.numbers(name)
        if (evidence.emptied(name) & ~np.isnan(new)).any():
            off.append(name)
            continue
        known = ~np.isnan(old) & ~evidence.emptied(name)
        times = np.rint(new[known] / base)
        whole = name in evidence.claim.rounded
        if not np.array_equal(np.rint(times * base) if whole else times * base, new[known]):
            off.append(name)
            continue
        apart = np.abs(times - old[known] / base)
        most = 1.0 if by_chance else 0.5
        if (apart > most * (1 + 1e-9) + 1e-12 * np.abs(times)).any():
            far.append(name)
    if off:
        return f"{len(off)} columns hold numbers that are no multiples of the base: {', '.join(off)}"
    if far:
        return f"{len(far)} columns hold multiples that are not the next to the originals: {', '.join(far)}"
    return None
