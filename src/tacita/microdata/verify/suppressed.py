"""The promise about values that were taken away so that k records miss the same columns."""

from __future__ import annotations

import numpy as np

from tacita.core import Mask, Microdata

from .evidence import Evidence, gaps, no_category, sizes


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
    shown = np.column_stack([gaps_shown(evidence, name) for name in names])
    wrong = [name for name, differs in zip(names, (absent != shown).any(axis=0), strict=True) if differs]
    if wrong:
        return f"{len(wrong)} columns miss other values than the claim says: {', '.join(wrong)}"
    if needless := _needless(evidence, before):
        return f"{needless} values are suppressed that no record of the same missing columns misses itself"
    units = None if isinstance(evidence.units, str) else evidence.units
    for counted in (None, units):
        counts = sizes(evidence.strata, counted)
        if short := int((counts < claim.k).sum()):
            return f"{short} of {counts.size} combinations of missing columns have fewer than k={claim.k}"
    if emptied := _emptied(evidence, before, claim.k):
        return f"{emptied} records lost all their values, beside fewer than k={claim.k} that never had any"
    return None


def gaps_shown(evidence: Evidence, name: str) -> Mask:
    """Cells of the release that show nothing."""
    cells = evidence.released.frame.select(name).to_native()
    # a typed file of text spells what is missing as its source did
    dialect = evidence.released.dialect or evidence.claim.original.dialect
    return no_category(Microdata.of(cells, dialect=dialect), name)


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
