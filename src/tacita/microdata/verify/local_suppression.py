"""Promises about files in which single cells are suppressed and all others are as they were.

Equal records are counted by the combinations in the file, compatible ones by pairs, joined column by column,
so that nothing rests on sums or hashes of keys.
"""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pyarrow as pa

from tacita.core import Ints, Mask, Microdata

from .cells import as_array, identical, same_text
from .evidence import Evidence, distinct, gaps, no_category, sizes
from .generalisation import combinations_of

# So many originals are joined with all released records at a time.
_BLOCK = 2048


def only_suppressed(evidence: Evidence) -> str | None:
    """Every cell is the original or empty; what is empty was so or is claimed; nobody can tell which."""
    claim = evidence.claim
    if claim.suppressed is None:
        return "the claim does not say which cells were suppressed"
    wrong: dict[str, list[str]] = {}
    for j, name in enumerate(claim.original.quasi):
        before, empty = gaps(claim.original, name)[claim.rows], _empty(evidence, name)
        if (before & claim.suppressed[:, j]).any():
            wrong.setdefault("declare cells suppressed that had no value", []).append(name)
        elif not np.array_equal(empty, before | claim.suppressed[:, j] | evidence.emptied(name)):
            wrong.setdefault("miss other values than the claim says", []).append(name)
        elif not _shown_as_before(evidence, name, ~empty):
            wrong.setdefault("show values that are not the originals", []).append(name)
        elif np.unique(evidence.spelling(name)[empty]).size > 1:
            wrong.setdefault("spell suppressed cells differently from missing ones", []).append(name)
    faults = [f"{len(names)} columns {what}: {', '.join(names)}" for what, names in wrong.items()]
    return "; ".join(faults) or None


def k_anonymous_to_all(evidence: Evidence) -> str | None:
    """Each original combination is compatible with k released records, each of these with k originals."""
    k = evidence.claim.k
    if k is None or k < 2:
        return f"k={k} promises nothing"
    units = _units(evidence)
    if isinstance(units, str):
        return units
    strata = _strata(evidence)
    numbers = np.arange(strata.size) if units is None else distinct(units)
    names = evidence.claim.original.quasi
    both = [_numbered(evidence, name) for name in names]
    before, after = (np.column_stack(side) for side in zip(*both, strict=True))
    for chosen in combinations_of(evidence):
        at = np.array([names.index(name) for name in chosen])
        for stratum in range(int(strata.max()) + 1):
            rows = np.flatnonzero(strata == stratum)
            if fault := _fault(before[rows][:, at], after[rows][:, at], numbers[rows], k):
                return f"{fault} (by {', '.join(chosen)})"
    return None


def _fault(before: Ints, after: Ints, units: Ints, k: int) -> str | None:
    """What is wrong in one stratum: too few records for an original, or too few originals for a record."""
    for keys, others, what in (
        (before, after, "original combinations are compatible with fewer than k={} released records"),
        (after, before, "released combinations are compatible with fewer than k={} original records"),
    ):
        counts = compatible(keys, others, units)
        if short := int((counts < k).sum()):
            return f"{short} of {counts.size} {what.format(k)}, or units (fewest: {int(counts.min())})"
    return None


def compatible(keys: Ints, others: Ints, units: Ints) -> Ints:
    """For each distinct row of `keys` of how many units there is a row of `others` that agrees with it.

    Rows agree where neither has a gap (-1). Pairs are joined column by column: O(pairs of prefixes).

    >>> rows = np.array([[0, 1], [0, -1], [2, 1]])
    >>> compatible(rows[:1], rows, np.arange(3)).tolist()
    [2]
    """
    wanted = np.unique(keys, axis=0)
    counts = np.empty(len(wanted), dtype=np.int64)
    for start in range(0, len(wanted), _BLOCK):
        part = wanted[start : start + _BLOCK]
        left, right = _joined(part, others)
        pairs = np.unique(left * (int(units.max()) + 1) + units[right])
        counts[start : start + _BLOCK] = np.bincount(pairs // (int(units.max()) + 1), minlength=len(part))
    return counts


def _joined(wanted: Ints, others: Ints) -> tuple[Ints, Ints]:
    """Pairs of a distinct wanted row and another row that agree, both sorted by prefix on the way."""
    # rows of `wanted` are sorted, so that those of one prefix stand together
    prefix = np.zeros(len(wanted), dtype=np.int64)
    node, row = np.zeros(len(others), dtype=np.int64), np.arange(len(others))
    for j in range(wanted.shape[1]):
        ends = np.column_stack([prefix, wanted[:, j]])
        fresh = np.ones(len(wanted), dtype=bool)
        fresh[1:] = (ends[1:] != ends[:-1]).any(axis=1)
        first = np.flatnonzero(fresh)
        parents, values = prefix[first], wanted[first, j]
        prefix = np.cumsum(fresh) - 1
        begins = np.searchsorted(parents, np.arange(int(parents.max()) + 2))
        node, row = _descended(node, row, others[row, j], begins, values)
    return node, row


def _descended(node: Ints, row: Ints, cell: Ints, begins: Ints, values: Ints) -> tuple[Ints, Ints]:
    """Pairs go on to the children that agree with the next cell: all of them, or its value and the gap."""
    everywhere = cell < 0
    counts = np.where(everywhere, begins[node + 1] - begins[node], 0)
    spread = np.repeat(np.arange(node.size), counts)
    offset = np.arange(spread.size) - np.repeat(np.cumsum(counts) - counts, counts)
    nodes, rows = [begins[node[spread]] + offset], [row[spread]]
    width = int(max(values.max(), cell.max())) + 2
    child = np.repeat(np.arange(begins.size - 1), np.diff(begins)) * width + values + 1
    some = np.flatnonzero(~everywhere)
    for value in (cell[some], np.full(some.size, -1)):
        sought = node[some] * width + value + 1
        at = np.minimum(np.searchsorted(child, sought), child.size - 1)
        hit = child[at] == sought
        nodes.append(at[hit])
        rows.append(row[some[hit]])
    return np.concatenate(nodes), np.concatenate(rows)


def _strata(evidence: Evidence) -> Ints:
    """The named strata alone: records that miss values stand among the others."""
    original, rows = evidence.claim.original, evidence.claim.rows
    names = original.roles.strata if original.roles else ()
    return distinct(np.zeros(rows.size, dtype=np.int64), *(original.codes([name])[rows] for name in names))


def _units(evidence: Evidence) -> Ints | str | None:
    """The unit behind each row, None where records are counted, or why it is not known."""
    roles = evidence.claim.original.roles
    return None if roles is None or roles.unit is None else evidence.units


def _empty(evidence: Evidence, name: str) -> Mask:
    """Cells of the release that show nothing."""
    cells = evidence.released.frame.select(name).to_native()
    # a typed file of text spells what is missing as its source did
    dialect = evidence.released.dialect or evidence.claim.original.dialect
    return no_category(Microdata.of(cells, dialect=dialect), name)


def _shown_as_before(evidence: Evidence, name: str, shown: Mask) -> bool:
    if not shown.any():
        # objects of a frame that are all missing have no type any more
        return True
    before, after = evidence.claim.original.column(name), evidence.released.column(name)
    old = as_array(before).take(pa.array(evidence.claim.rows[shown]))
    new = as_array(after).filter(pa.array(shown))
    dialect = evidence.released.dialect
    if dialect is not None and after.dtype == nw.String:
        return same_text(old, new, dialect)
    return identical(old, new)


def _numbered(evidence: Evidence, name: str) -> tuple[Ints, Ints]:
    """A number for what each released row had in a column and for what it shows; -1 where that is nothing."""
    rows = evidence.claim.rows
    before = evidence.claim.original.codes([name])[rows]
    absent = gaps(evidence.claim.original, name)[rows]
    # what is shown is the original, which another promise says; here it counts whether it is
    return np.where(absent, -1, before), np.where(_empty(evidence, name), -1, before)


def suppressed_cells(evidence: Evidence) -> str | None:
    """Gaps are those of the originals or declared; none is needless; k records miss the same columns."""
    claim = evidence.claim
    if claim.suppressed is None or claim.k is None:
        return "the claim does not say which cells were suppressed"
    names = claim.original.quasi
    before = np.column_stack([gaps(claim.original, name)[claim.rows] for name in names])
    if empty := int((before & claim.suppressed).sum()):
        return f"{empty} cells are declared suppressed that had no value"
    absent = before | claim.suppressed
    shown = np.column_stack([evidence.gaps_shown(name) for name in names])
    wrong = [name for name, differs in zip(names, (absent != shown).any(axis=0), strict=True) if differs]
    if wrong:
        return f"{len(wrong)} columns have other missing values than the claim: {', '.join(wrong)}"
    if needless := _needless(evidence, before):
        return f"{needless} values are suppressed that no record of the same missing columns misses itself"
    units = None if isinstance(evidence.units, str) else evidence.units
    for counted in (None, units):
        counts = sizes(evidence.strata, counted)
        if short := int((counts < claim.k).sum()):
            return f"{short} of {counts.size} combinations of missing columns have fewer than k={claim.k}"
    if emptied := _emptied(evidence, before, claim.k):
        return f"{emptied} records lost all their values, next to fewer than k={claim.k} that never had any"
    return None


def _needless(evidence: Evidence, before: Mask) -> int:
    """Suppressed cells of a column that no original of their stratum misses."""
    suppressed = evidence.claim.suppressed
    assert suppressed is not None
    missed = np.zeros((int(evidence.strata.max()) + 1, before.shape[1]), dtype=bool)
    np.logical_or.at(missed, evidence.strata, before)
    return int((suppressed & ~missed[evidence.strata]).sum())


def _emptied(evidence: Evidence, before: Mask, k: int) -> int:
    """Records that lost all they had in a stratum where fewer than k had nothing."""
    absent = np.column_stack([evidence.absent(name) for name in evidence.claim.original.quasi])
    empty = before.all(axis=1)
    units = np.arange(empty.size) if isinstance(evidence.units, str) else evidence.units
    emptied = absent.all(axis=1) & ~empty
    return sum(
        int((emptied & (evidence.strata == stratum)).sum())
        for stratum in np.unique(evidence.strata[emptied]).tolist()
        if np.unique(units[empty & (evidence.strata == stratum)]).size < k
    )
