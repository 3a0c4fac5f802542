"""Promises about coarser keys: k records behind each combination, values that cover the originals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import Floats, Hierarchy, Ints, Mask, Microdata
from tacita.io.hierarchies import as_hierarchy

from .cells import as_array
from .classes import allowed, broken, counted, fewest, settings_of
from .evidence import Evidence, distinct, no_category, sizes, too_few

Cells = list[str | None]
TOP = "*"


def cells_of(data: Microdata, name: str) -> Cells:
    """The cells of a column as they read; None where one is missing."""
    cells = as_array(data.column(name))
    plain = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    gone = no_category(data, name).tolist()
    texts = plain.cast(pa.large_string()).to_pylist()
    return [None if gap else text for text, gap in zip(texts, gone, strict=True)]


def shown(evidence: Evidence, name: str) -> Cells:
    """The released cells of a column; None where one is missing."""
    # a typed file of text spells what is missing as its source did
    dialect = evidence.released.dialect or evidence.claim.original.dialect
    cells = Microdata.of(evidence.released.frame.select(name).to_native(), dialect=dialect)
    return cells_of(cells, name)


def hierarchy_of(evidence: Evidence, name: str) -> Hierarchy:
    """The declared hierarchy of a column, or the one of values that are shown or not."""
    original = evidence.claim.original
    given = original.roles.hierarchy.get(name) if original.roles else None
    if given is not None:
        return as_hierarchy(name, given)
    texts = cells_of(original, name)
    known = sorted({text for text in (texts[row] for row in evidence.seen.tolist()) if text is not None})
    return Hierarchy.flat(name, known or ["-"], TOP)


def strata_of(evidence: Evidence, rows: Ints) -> list[Ints]:
    """The named strata of some original rows."""
    original = evidence.claim.original
    return [original.codes([name])[rows] for name in (original.roles.strata if original.roles else ())]


def classes_of(evidence: Evidence, names: Sequence[str] | None = None) -> Ints:
    """Records of a stratum that show the same in some keys, or in all, to the last letter."""
    keys = [evidence.spelling(name) for name in names or evidence.claim.original.quasi]
    return distinct(*strata_of(evidence, evidence.claim.rows), *keys)


def combinations_of(evidence: Evidence) -> Iterator[Sequence[str]]:
    """All keys together, or every combination of as many as were declared."""
    names, m = evidence.claim.original.quasi, evidence.claim.terms.get("m")
    return combinations(names, len(names) if m is None else m)


def k_anonymous(evidence: Evidence) -> str | None:
    """Every combination of keys stands for k records, and for k units where they are named."""
    k = evidence.claim.k
    if k is None or k < 2:
        return f"k={k} promises nothing"
    original = evidence.claim.original
    named = original.roles is not None and original.roles.unit is not None
    units = evidence.units if named else None
    if isinstance(units, str):
        return units
    for names in combinations_of(evidence):
        classes = classes_of(evidence, names)
        for few, what in (
            (too_few(classes, k), "records"),
            (too_few(classes, k, units), "distinct units"),
        ):
            if few:
                return (
                    f"{few.short} of {few.of} combinations of {', '.join(names)} stand for fewer than "
                    f"k={k} {what} (fewest: {few.fewest})"
                )
    return None


def _withheld(evidence: Evidence) -> Mask:
    """Released records that show no key although they have one."""
    names = evidence.claim.original.quasi
    empty = np.all([[cell is None for cell in shown(evidence, name)] for name in names], axis=0)
    before = np.array([no_category(evidence.claim.original, name)[evidence.claim.rows] for name in names])
    return empty & ~before.all(axis=0)


def generalised(evidence: Evidence) -> str | None:
    """Every shown value is the original, one above it in the hierarchy, or a range that it lies in."""
    claim = evidence.claim
    withheld = _withheld(evidence)
    if withheld.any() and claim.terms.get("outliers") != "withhold":
        return f"{int(withheld.sum())} records show none of their keys"
    wrong = []
    for name in claim.original.quasi:
        texts, new = cells_of(claim.original, name), shown(evidence, name)
        old = [texts[row] for row in claim.rows.tolist()]
        pairs = {(a, b) for a, b, gone in zip(old, new, withheld.tolist(), strict=True) if not gone}
        if name in claim.terms.get("ranges", ()):
            fits = all(_in_range(a, b) for a, b in pairs)
        else:
            fits = _above(hierarchy_of(evidence, name), pairs)
        if not fits:
            wrong.append(name)
    if wrong:
        return f"{len(wrong)} columns hold values that do not cover the originals: {', '.join(wrong)}"
    return None


def _above(hierarchy: Hierarchy, pairs: set[tuple[str | None, str | None]]) -> bool:
    place = {label: at for at, label in enumerate(hierarchy.labels)}
    for old, new in pairs:
        if old is None or new is None:
            if not (old is None and new in (None, hierarchy.labels[hierarchy.top])):
                return False
            continue
        at = place.get(old, -1)
        while at >= 0 and hierarchy.labels[at] != new:
            at = hierarchy.parents[at]
        if at < 0:
            return False
    return True


def _in_range(old: str | None, new: str | None) -> bool:
    """Whether a number lies between the two that are shown, both of them included."""
    if old is None or new is None:
        return old is None and new in (None, TOP)
    if old == new or new == TOP:
        return True
    low, sign, high = new.partition(" to ")
    try:
        number = float(old.replace(",", "."))
        return bool(sign) and float(low) <= number <= float(high)
    except ValueError:
        return False


def few_suppressed(evidence: Evidence) -> str | None:
    """No more records left, or show none of their keys, than the limit allows."""
    claim = evidence.claim
    left = evidence.seen.size - claim.rows.size
    gone, n = left + int(_withheld(evidence).sum()), evidence.seen.size + claim.leaving_later.size
    most = allowed(claim.terms, n)
    return f"{gone} of {n} records are suppressed, at most {most} may be" if gone > most else None


def models_hold(evidence: Evidence) -> str | None:
    """Every class of the file satisfies every model, by the shares that values had in the input."""
    classes = classes_of(evidence)
    for name, each in settings_of(evidence.claim.terms):
        table, before, texts, hierarchy = values_by_class(evidence, each, classes, evidence.claim.rows)
        if (wrong := broken(name, each, table, before, texts, hierarchy)).any():
            return f"{int(wrong.sum())} of {wrong.size} classes break {name} of column {each['column']}"
    return None


def values_by_class(
    evidence: Evidence, each: Mapping[str, Any], classes: Ints, rows: Ints
) -> tuple[Floats, Floats, list[str], Hierarchy | None]:
    """Counts of a confidential column in classes of some rows, its shares in the input, its values."""
    original, column = evidence.claim.original, each["column"]
    cells = ["" if cell is None else cell for cell in cells_of(original, column)]
    texts, codes = np.unique([cells[row] for row in evidence.seen.tolist()], return_inverse=True)
    before = np.bincount(codes.reshape(-1)) / codes.size
    place = {text: at for at, text in enumerate(texts.tolist())}
    own = np.array([place[cells[row]] for row in rows.tolist()], dtype=np.int64)
    table = np.zeros((int(classes.max(initial=-1)) + 1, len(place)))
    found = counted(classes, own)
    table[:, : found.shape[1]] = found
    given = original.roles.hierarchy.get(column) if original.roles else None
    return table, before, list(place), None if given is None else as_hierarchy(column, given)


def failing(evidence: Evidence, classes: Ints, rows: Ints, units: Ints | None) -> Mask:
    """Which classes of some rows may not stand: too few records or units, or a model that is broken."""
    terms = evidence.claim.terms
    wrong = sizes(classes) < fewest(terms)
    if units is not None:
        wrong |= sizes(classes, units) < fewest(terms)
    for name, each in settings_of(terms):
        wrong |= broken(name, each, *values_by_class(evidence, each, classes, rows))
    return wrong
