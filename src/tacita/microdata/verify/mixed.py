"""Promises about drawn columns of all kinds, counted from the cells themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import fsum, sqrt

import numpy as np
import pyarrow as pa

from tacita.core import Floats, Ints, Microdata
from tacita.core.spec.conditions import rule_of
from tacita.io.formats.csv import cells_as_text

from .categories import holds, sorting_keys
from .cells import as_array
from .evidence import Evidence, publishes

# A value so near, in standard deviations of its column, is the same. A hair under what methods go by.
_NEAR = 0.999e-3
# A hair over the shares that methods go by, whose last digit may round to the other side.
_HAIR = 1e-3
_MOST_RECORDS = 0.2
_FEW = 3
# What the last digits of a mean may be off, as a share of the largest value.
_LAST_DIGITS = 1e-12
# Stands for a category that no original has.
UNKNOWN = object()


def published_keys(evidence: Evidence, name: str) -> list[object]:
    """The sorting key of each published category: None where missing, UNKNOWN where no original has it."""
    original, series = evidence.claim.original, evidence.released.column(name)
    published, dialect = as_array(series), evidence.released.dialect
    source = as_array(original.column(name))
    if dialect is not None and pa.types.is_string(published.type):
        source = as_array(cells_as_text(source, dialect))
    known = dict(zip(words_of(source), sorting_keys(original, name), strict=True))
    gaps = evidence.gaps_shown(name).tolist()
    return [
        None if gap else known.get(word, UNKNOWN) for word, gap in zip(words_of(published), gaps, strict=True)
    ]


def words_of(cells: pa.Array) -> list[object]:
    plain = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    words: list[object] = plain.cast(pa.large_string()).to_pylist()
    return words


def published_numbers(evidence: Evidence, name: str) -> Floats:
    """The numbers of a column that was drawn or is unchanged, NaN where missing."""
    if name in evidence.claim.original.quasi:
        return evidence.released.numbers(name)
    return evidence.unchanged_numbers(name)


def is_numeric(data: Microdata, name: str) -> bool:
    """Whether a column was drawn as numbers."""
    return data.scale(name) == "numeric"


def _strata(evidence: Evidence) -> Iterator[Ints]:
    order: Ints = np.argsort(evidence.strata, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(evidence.strata))[:-1])


def mixed_cells(evidence: Evidence) -> str | None:
    """Numbers, or categories that some original has, typed and spelled as there; gaps only if declared."""
    claim = evidence.claim
    odd: list[str] = []
    unknown = empty = 0
    for name in claim.original.quasi:
        if is_numeric(claim.original, name):
            numbers = evidence.released.numbers(name)
            empty += int(np.isnan(numbers).sum())
            odd += [] if publishes(evidence, name, numbers) else [name]
            continue
        keys = published_keys(evidence, name)
        empty += keys.count(None)
        strange = keys.count(UNKNOWN)
        unknown += strange
        odd += [] if strange or holds(evidence, name, keys) else [name]
    if unknown:
        return f"{unknown} cells hold a category that no original has"
    if empty and not claim.missing_drawn:
        return f"{empty} dependent values are missing"
    return f"{len(odd)} columns hold cells of another type or spelling: {', '.join(odd)}" if odd else None


def values_redrawn(evidence: Evidence) -> str | None:
    """Of each column and stratum, what comes back beyond chance; and records that come back whole."""
    limit = evidence.claim.terms.get("max_unchanged")
    if limit is None:
        return "the claim does not say how many values may come out unchanged"
    names = evidence.claim.original.quasi
    columns = [_both(evidence, name) for name in names]
    wrong: set[str] = set()
    whole = 0
    for rows in _strata(evidence):
        back = np.ones(rows.size, dtype=bool)
        for name, (before, after, numeric) in zip(names, columns, strict=True):
            same, chance = _returned(before[rows], after[rows], numeric)
            back &= same
            open_ones, beyond = rows.size - chance, int(same.sum()) - chance
            if open_ones > 0 and beyond > 2 * sqrt(chance + 1) and beyond / open_ones > limit + _HAIR:
                wrong.add(name)
        records = [tuple(before[row] for before, _, _ in columns) for row in rows.tolist()]
        shared = Counter(records)
        whole += sum(shared[records[at]] < _FEW for at in np.flatnonzero(back).tolist())
    if wrong:
        return f"{len(wrong)} columns come out unchanged more often than stated: {', '.join(sorted(wrong))}"
    if len(names) > 1 and limit < 1 and whole > (_MOST_RECORDS + _HAIR) * evidence.released.n:
        return f"{whole} records come out as they were on all dependent columns"
    return None


def _both(evidence: Evidence, name: str) -> tuple[Floats, Floats, bool]:
    """A column before and after: numbers, or numbers that stand for categories; infinity for missing ones."""
    claim = evidence.claim
    if is_numeric(claim.original, name):
        before, after = claim.original.numbers(name)[claim.rows], evidence.released.numbers(name)
        return np.nan_to_num(before, nan=np.inf), np.nan_to_num(after, nan=np.inf), True
    keys = sorting_keys(claim.original, name)
    place: dict[object, float] = {None: np.inf, UNKNOWN: -1.0}
    for key in keys:
        place.setdefault(key, float(len(place)))
    before = np.array([place[key] for key in keys])[claim.rows]
    return before, np.array([place[key] for key in published_keys(evidence, name)]), False


def _returned(before: Floats, after: Floats, numeric: bool) -> tuple[np.ndarray, float]:
    """Which values come back, and how many would if the records were dealt out anew. O(n log n)."""
    present = before[np.isfinite(before)]
    room = _NEAR * float(present.std()) if numeric and present.size else 0.0
    with np.errstate(invalid="ignore"):
        same = (np.abs(before - after) <= room) | (before == after)
    published = np.sort(after)
    reach = np.searchsorted(published, before + room, "right") - np.searchsorted(published, before - room)
    return same, float(reach.sum()) / before.size


def _exempt_values(evidence: Evidence, name: str) -> set[object]:
    """What declared rules give a column: numbers, labels, None for missing."""
    rules = [rule_of(text, "Rules") for text in evidence.claim.terms.get("rules", ())]
    return {
        clause.value for rule in rules for clause in rule.then if clause.column == name and clause.sign == "="
    }


def _nothing_promised(evidence: Evidence) -> str | None:
    """Why values of k originals cannot be counted: k says nothing, or nobody can tell the named units."""
    k, units, roles = evidence.claim.k, evidence.units, evidence.claim.original.roles
    if k is None or k < 2:
        return f"k={k} promises nothing"
    return units if isinstance(units, str) and roles is not None and roles.unit is not None else None


def extremes_hidden(evidence: Evidence) -> str | None:
    """No number beyond the means of the k outermost originals of its stratum, of k units where named."""
    claim, k, units = evidence.claim, evidence.claim.k, evidence.units
    if fault := _nothing_promised(evidence):
        return fault
    assert k is not None
    beyond, few = 0, 0
    for name in claim.original.quasi:
        if not is_numeric(claim.original, name):
            continue
        before, after = claim.original.numbers(name)[claim.rows], evidence.released.numbers(name)
        exempt = [value for value in _exempt_values(evidence, name) if isinstance(value, float)]
        for rows in _strata(evidence):
            here = rows[~np.isnan(before[rows])]
            owners = here if isinstance(units, str) else units[here]
            least, most = _outermost(before[here], owners)
            drawn = after[rows][~np.isnan(after[rows]) & ~np.isin(after[rows], exempt)]
            if len(least) < k:
                few += drawn.size
                continue
            room = _LAST_DIGITS * max(abs(least[0]), abs(most[0]))
            low, high = fsum(least[:k]) / k - room, fsum(most[:k]) / k + room
            beyond += int(((drawn < low) | (drawn > high)).sum())
    if few:
        return f"{few} numbers were drawn from fewer than k={k} values"
    return f"{beyond} numbers lie beyond the means of the k={k} outermost originals" if beyond else None


def _outermost(values: Floats, owners: Ints) -> tuple[list[float], list[float]]:
    """The smallest value of each owner, ascending, and the largest of each, descending."""
    rising = np.lexsort((values, owners))
    ends = np.flatnonzero(np.diff(owners[rising], append=-1))
    begins = np.concatenate([[0], ends[:-1] + 1]) if ends.size else ends
    return sorted(values[rising][begins].tolist()), sorted(values[rising][ends].tolist(), reverse=True)


def labels_shared(evidence: Evidence) -> str | None:
    """Categories and gaps of each stratum, counted among its originals, by unit where units are named."""
    claim, k, units = evidence.claim, evidence.claim.k, evidence.units
    if fault := _nothing_promised(evidence):
        return fault
    assert k is not None
    owners: list[int] = (np.arange(claim.rows.size) if isinstance(units, str) else units).tolist()
    rare = 0
    for name in claim.original.quasi:
        if is_numeric(claim.original, name):
            before: list[object] = np.isnan(claim.original.numbers(name))[claim.rows].tolist()
            after: list[object] = np.isnan(evidence.released.numbers(name)).tolist()
            # of numbers only what is missing is a level
            exempt: set[object] = {False} | ({True} if None in _exempt_values(evidence, name) else set())
        else:
            keys = sorting_keys(claim.original, name)
            before, after = [keys[row] for row in claim.rows.tolist()], published_keys(evidence, name)
            exempt = _exempt_keys(evidence, name)
        for rows in _strata(evidence):
            held = {(before[row], owners[row]) for row in rows.tolist()}
            shared = Counter(key for key, _ in held)
            shown = Counter(after[row] for row in rows.tolist())
            rare += sum(count for key, count in shown.items() if key not in exempt and shared[key] < k)
    return f"{rare} cells hold what fewer than k={k} originals of their stratum have" if rare else None


def _exempt_keys(evidence: Evidence, name: str) -> set[object]:
    exempt = _exempt_values(evidence, name)
    labels = {value if isinstance(value, str) else f"{value:.15g}" for value in exempt if value is not None}
    original = evidence.claim.original
    words = words_of(as_array(original.column(name)))
    keys = sorting_keys(original, name)
    keys_exempt: set[object] = {key for key, word in zip(keys, words, strict=True) if str(word) in labels}
    return keys_exempt | ({None} if None in exempt else set())
