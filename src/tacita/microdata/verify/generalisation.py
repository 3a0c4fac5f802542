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
from .classes import (
    allowed,
    broken,
    by_one_value,
    by_share,
    counted,
    fewest,
    settings_of,
    shares_by_unit,
)
from .evidence import Evidence, distinct, no_category, sizes, too_few, unit_of_rows
from .file_models import (
    People,
    behind,
    codes_together,
    of_a_table,
    of_the_file,
    persons_by_weight,
    too_few_behind,
    whole_fault,
)
from .recoding import shown_at

Cells = list[str | None]
_SIGNS = frozenset("0123456789+-.,eE")
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
    declared = original.roles.hierarchy.get(name) if original.roles else None
    if declared is not None:
        return as_hierarchy(name, declared)
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
    units = units_named(evidence)
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


def _suppressed(evidence: Evidence) -> Mask:
    """Released records that show no key although they have one."""
    names = evidence.claim.original.quasi
    empty = np.all([[cell is None for cell in shown(evidence, name)] for name in names], axis=0)
    before = np.array([no_category(evidence.claim.original, name)[evidence.claim.rows] for name in names])
    # whom a later step left without a key had one after this
    later = np.any([evidence.emptied(name) for name in names], axis=0)
    return empty & ~before.all(axis=0) & ~later


def generalised(evidence: Evidence) -> str | None:
    """Every shown value is the original, one above it in the hierarchy, or a range that it lies in."""
    claim = evidence.claim
    suppressed = _suppressed(evidence)
    if suppressed.any() and claim.terms.get("outliers") != "withhold":
        return f"{int(suppressed.sum())} records show none of their keys"
    wrong = []
    for name in claim.original.quasi:
        texts, new = cells_of(claim.original, name), shown(evidence, name)
        old = [texts[row] for row in claim.rows.tolist()]
        emptied = evidence.emptied(name)
        if any(cell is not None for cell, gone in zip(new, emptied.tolist(), strict=True) if gone):
            wrong.append(name)
            continue
        apart = (suppressed | emptied).tolist()
        pairs = {(a, b) for a, b, gone in zip(old, new, apart, strict=True) if not gone}
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
    """Whether a number lies between the two that are shown, both of them included; or is the one shown."""
    if old is None or new is None:
        return old is None and new in (None, TOP)
    if old == new or new == TOP:
        return True
    low, sign, high = new.partition(" to ")
    number, ends = _number(old), (_number(low), _number(high if sign else low))
    if number is None or ends[0] is None or ends[1] is None:
        return False
    return ends[0] <= number <= ends[1]


def _number(text: str) -> float | None:
    """The number that a text spells, with a point or a comma; none where Python alone reads one (1_0)."""
    try:
        return float(text.strip().replace(",", ".")) if set(text.strip()) <= _SIGNS else None
    except ValueError:
        return None


def few_suppressed(evidence: Evidence) -> str | None:
    """No more records left, or show none of their keys, than the limit allows."""
    claim = evidence.claim
    left = evidence.seen.size - claim.rows.size
    gone, n = left + int(_suppressed(evidence).sum()), evidence.seen.size + claim.dropped_later.size
    most = allowed(claim.terms, n)
    return f"{gone} of {n} records are suppressed, at most {most} may be" if gone > most else None


def models_hold(evidence: Evidence) -> str | None:
    """Every class satisfies every model of classes, and the file those of the whole and of its population."""
    classes, units = classes_of(evidence), units_named(evidence)
    if isinstance(units, str):
        return units
    for name, settings, wrong in broken_by(evidence, classes, evidence.claim.rows, units):
        if wrong.any():
            column = settings.get("column", settings.get("weight"))
            return f"{int(wrong.sum())} of {wrong.size} classes break {name} of column {column}"
    whole = unit_of_rows(evidence, evidence.seen)
    n = evidence.seen.size if whole is None else np.unique(whole).size
    for name, settings in of_the_file(evidence.claim.terms):
        if fault := whole_fault(name, settings, sizes(classes, units), n):
            return f"{fault}, more than {name} allows"
    return _populations_fault(evidence, classes)


def units_named(evidence: Evidence) -> Ints | str | None:
    """The units behind released rows, or why they are not known; none where none are named."""
    roles = evidence.claim.original.roles
    return evidence.units if roles is not None and roles.unit is not None else None


def broken_by(
    evidence: Evidence, classes: Ints, rows: Ints, units: Ints | None
) -> Iterator[tuple[str, Mapping[str, Any], Mask]]:
    """For each model of single classes, which classes of some rows break it; units in place of records."""
    for name, settings in settings_of(evidence.claim.terms):
        if "column" in settings:
            table, of, before, texts, hierarchy = values_by_class(
                evidence, name, settings, classes, rows, units
            )
            wrong = np.zeros(int(classes.max(initial=-1)) + 1, dtype=bool)
            wrong[of[broken(name, settings, table, before, texts, hierarchy)]] = True
            yield name, settings, wrong
        elif settings.get("weight") is not None:
            yield name, settings, persons_by_weight(evidence.claim.original, settings, classes, rows)


def people_of(evidence: Evidence, settings: Mapping[str, Any]) -> People:
    """The table of the population that a model names."""
    original = evidence.claim.original
    strata = original.roles.strata if original.roles else ()
    return People(settings["population"], original.quasi, strata, cells_of)


def _populations_fault(evidence: Evidence, classes: Ints) -> str | None:
    """By what the file, as it is shown, breaks a model of a table of the population."""
    claim = evidence.claim
    for name, settings in of_a_table(claim.terms):
        levels = claim.terms.get("levels", {})
        if sorted(levels) != sorted(claim.original.quasi):
            return f"{name} speaks of a population, and the claim names no level for each column"
        people = people_of(evidence, settings)
        written = {column: shown(evidence, column) for column in levels}
        persons = np.zeros(int(classes.max(initial=-1)) + 1, dtype=np.int64)
        persons[classes] = behind(
            _codes_with_persons(evidence, people, written, claim.rows), claim.rows.size
        )[0]
        wrong = too_few_behind(name, settings, sizes(classes), persons)
        if wrong.any():
            return f"{int(wrong.sum())} of {wrong.size} classes break {name}"
        if settings.get("least", 0.0) > 0:
            # a record that left was in the input: only persons who were not in it are known to be absent
            rows = evidence.seen
            if behind(_codes_with_persons(evidence, people, _at_levels(evidence, rows), rows), rows.size)[1]:
                return f"some of the population are known to be absent, which {name} forbids"
    return None


def _at_levels(evidence: Evidence, rows: Ints) -> dict[str, Cells]:
    """The labels of some original rows for each key at its declared level."""
    labels_at = {}
    for column, level in evidence.claim.terms["levels"].items():
        hierarchy, cells = hierarchy_of(evidence, column), cells_of(evidence.claim.original, column)
        top = hierarchy.labels[hierarchy.top] if level and level == hierarchy.height else None
        known: dict[str | None, str | None] = {None: top}
        known.update(shown_at(hierarchy, int(level)))
        labels_at[column] = [known.get(cells[row]) for row in rows.tolist()]
    return labels_at


def _codes_with_persons(
    evidence: Evidence, people: People, labels: Mapping[str, Cells], rows: Ints
) -> list[Ints]:
    """Codes of strata and keys of some rows, with those of persons after them."""
    original, levels = evidence.claim.original, evidence.claim.terms["levels"]
    codes = []
    for stratum, theirs in zip(original.roles.strata if original.roles else (), people.strata, strict=True):
        cells = cells_of(original, stratum)
        codes.append(codes_together([cells[row] for row in rows.tolist()], theirs))
    for j, column in enumerate(original.quasi):
        shows = people.shows(j, hierarchy_of(evidence, column), int(levels[column]))
        codes.append(codes_together(labels[column], shows))
    return codes


def values_by_class(
    evidence: Evidence, name: str, settings: Mapping[str, Any], classes: Ints, rows: Ints, units: Ints | None
) -> tuple[Floats, Ints, Floats, list[str], Hierarchy | None]:
    """Counts of a confidential column in classes of some rows, a row each, and the class of each row.

    Also its shares in the input, its values, and its hierarchy.
    """
    original, column = evidence.claim.original, settings["column"]
    cells = ["" if cell is None else cell for cell in cells_of(original, column)]
    texts, codes = np.unique([cells[row] for row in evidence.seen.tolist()], return_inverse=True)
    before = np.bincount(codes.reshape(-1)) / codes.size
    place = {text: at for at, text in enumerate(texts.tolist())}
    own = np.array([place[cells[row]] for row in rows.tolist()], dtype=np.int64)
    of = np.arange(int(classes.max(initial=-1)) + 1)
    if units is None:
        table = np.zeros((of.size, len(place)))
        counts = counted(classes, own)
        table[:, : counts.shape[1]] = counts
    elif name == "l_diversity":
        table = by_one_value(classes, own, units, len(place))
    else:
        whole = unit_of_rows(evidence, evidence.seen)
        assert whole is not None
        before = shares_by_unit(codes.reshape(-1), whole)
        table, of = by_share(classes, own, units, len(place))
    declared = original.roles.hierarchy.get(column) if original.roles else None
    return table, of, before, list(place), None if declared is None else as_hierarchy(column, declared)


def failing(evidence: Evidence, classes: Ints, rows: Ints, units: Ints | None) -> Mask:
    """Which classes of some rows may not stand: too few records or units, or a model that is broken."""
    terms = evidence.claim.terms
    wrong = sizes(classes) < fewest(terms)
    if units is not None:
        wrong |= sizes(classes, units) < fewest(terms)
    for _, _, broke in broken_by(evidence, classes, rows, units):
        wrong |= broke
    return wrong
