"""The promise that what was hidden does not follow from what is released beside it.

Three attacks on the finished file: values learnt from records that still show them, recodings undone by a
column that has them finer, and sums. What follows is filled in, and records that then stand with fewer than k
are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Floats, Ints, Mask
from tacita.core.inference import Determined
from tacita.core.text import UNTYPED
from tacita.core.verify import Verdict

from .cells import as_array
from .dependence import Dependence, Known, Target, dependences
from .evidence import Evidence, distinct, gaps, sizes
from .linear import relation

NAME = "withstands-inference"
# By this name it is recorded that a release gives back what it hid.
ACCEPTED = "keys-determined"
# What may be exposed where k is promised, of the records whose keys were changed, and a few in any case.
_EXPOSED, _A_FEW = 0.01, 2
# What may be given back of the changed cells of a column where no k is promised.
_MOST_OF_A_COLUMN = 0.5
# Records of a group that must agree where the attacker knows the relation and no record shows it.
_STRUCTURE = 4
# What stands in for the order of the records where it is that of the source.
ROW_ORDER = "the order of the records"
# Fewer determined cells are not worth a word where no k is promised.
_WORTH = 3
# Sets of columns that are named, those that give back most.
_NAMED = 3
_OF_K = frozenset(("k-anonymous", "k-anonymous-to-all"))
# Kinds that draw values anew, or only leave something out: there is nothing to undo.
_NOTHING_TO_UNDO = frozenset(("synthetic-cells", "values-redrawn", "dropped"))
_DATES = (
    r"^\s*(?P<y>\d{4})\s*[-/. ]\s*(?P<m>\d{1,2})\s*[-/. ]\s*(?P<d>\d{1,2})\b.*$",
    r"^\s*(?P<d>\d{1,2})\s*[-/. ]\s*(?P<m>\d{1,2})\s*[-/. ]\s*(?P<y>\d{4})\s*$",
)


def speaks_of(guarantees: Sequence[str]) -> bool:
    """Whether a step hides cells that could be given back."""
    return bool(guarantees) and not _NOTHING_TO_UNDO & set(guarantees)


@dataclass(frozen=True, repr=False)
class _Column:
    """A protected column: what each record had and shows, as numbers, and in what way it is hidden.

    `labels` are numbers of what is shown, `of_value[v]` the one that records with the original v show, or -1;
    `plain` says that it depends on v alone.
    """

    name: str
    originals: Ints
    labels: Ints
    of_value: Ints
    plain: bool
    suppressed: Mask
    changed: Mask


def withstands_inference(evidence: Evidence) -> str | None:
    """What follows from other columns, where it is more than may; what hides nothing withstands all."""
    refused = [each for each in inferred(evidence) if each.refused]
    if not refused:
        return None
    told = "; ".join(each.text for each in refused)
    exposed = max((each.exposed or 0) for each in refused)
    k = evidence.claim.k
    return f"{told}; filled in, {exposed} records stand with fewer than k={k}" if exposed else told


def inferred(evidence: Evidence) -> tuple[Determined, ...]:
    """What follows of each protected column, looked for once."""
    if not evidence.inferred:
        evidence.inferred.append(_inferred(evidence))
    return evidence.inferred[0]


def advice(failed: Sequence[Verdict]) -> str:
    """What can be done where verdicts on inference failed.

    >>> found = Determined("region", (("weight",),), "suppressed", 14, 14, 7, True)
    >>> advice([Verdict(NAME, "", False, "", inferred=(found,))])
    'Leave out weight or make it coarser (a weight: calibrate it anew), or protect it together with region.'
    """
    refused = [each for verdict in failed for each in verdict.inferred if each.refused]
    return way_out(refused)


def way_out(found: Sequence[Determined]) -> str:
    """What can be done about cells that other columns give back."""
    by = list(dict.fromkeys(name for each in found for names in each.columns for name in names))
    hidden = list(dict.fromkeys(each.column for each in found))
    others = [name for name in by if name != ROW_ORDER]
    told = []
    if others:
        it = "it" if len(others) == 1 else "them"
        told.append(
            f"Leave out {_listed(others, 'or')} or make {it} coarser (a weight: calibrate it anew), or "
            f"protect {it} together with {_listed(hidden, 'and')}."
        )
    if ROW_ORDER in by:
        told.append("Shuffle the records (--shuffle).")
    return " ".join(told)


def _listed(names: Sequence[str], word: str) -> str:
    return f" {word} ".join([part for part in (", ".join(names[:-1]), *names[-1:]) if part])


def _inferred(evidence: Evidence) -> tuple[Determined, ...]:
    claim = evidence.claim
    if not speaks_of(claim.guarantees) or not claim.rows.size:
        return ()
    columns = [_column(evidence, name) for name in claim.original.quasi if name in evidence.released.columns]
    targets = [
        target for column in columns for target in _targets(column, masked=column.name in evidence.masked)
    ]
    found = dependences(targets, _known(evidence, columns)) if targets else []
    numbers = _relations(evidence, columns)
    of_k = bool(_OF_K & set(claim.guarantees)) and (claim.k or 0) > 1
    exposed = _exposed(evidence, columns, targets, found) if of_k and targets else None
    hidden = np.zeros(claim.rows.size, dtype=bool)
    for column in columns:
        hidden |= column.suppressed | column.changed
    most = max(_A_FEW, int(_EXPOSED * hidden.sum()))
    told = []
    for target, by in zip(targets, found, strict=True):
        if by:
            told.append(_told(target, by, exposed, most))
    told += [each for each in numbers if each.column not in {other.column for other in told}]
    return tuple(each for each in told if _worth_a_word(each))


def _worth_a_word(found: Determined) -> bool:
    """Of what leaves everybody with k there is nothing to say, nor of single cells that chance gives back."""
    if found.exposed is None:
        return found.cells >= _WORTH
    return found.exposed > _A_FEW or (found.exposed > 0 and 2 * found.cells >= found.of)


def _told(target: Target, by: Sequence[Dependence], exposed: Mask | None, most: int) -> Determined:
    every = np.logical_or.reduce([each.found for each in by])
    cells, of = int(every.sum()), int(target.hidden.sum())
    hidden = "changed" if target.self_taught else "suppressed"
    count = None if exposed is None else int((exposed & every).sum())
    if exposed is None:
        refused = cells > _MOST_OF_A_COLUMN * of and cells >= _WORTH
    else:
        refused = int(exposed.sum()) > most and bool(count)
    return Determined(
        target.column,
        _telling(by),
        hidden,
        cells,
        of,
        count,
        refused,
    )


def _telling(by: Sequence[Dependence]) -> tuple[tuple[str, ...], ...]:
    """The columns that give back most, then those that add most to them; each once, whichever way it does."""
    named: list[tuple[str, ...]] = []
    left = np.logical_or.reduce([each.found for each in by])
    while left.any() and len(named) < _NAMED:
        # of columns that do the same, that with fewest values stands last
        added = [int((each.found & left).sum()) for each in by]
        best = by[len(by) - 1 - int(np.argmax(added[::-1]))]
        left &= ~best.found
        named.append(best.columns)
    return tuple(dict.fromkeys(named))


def _column(evidence: Evidence, name: str) -> _Column:
    claim = evidence.claim
    original, rows = claim.original, claim.rows
    absent, empty = gaps(original, name)[rows], evidence.gaps_shown(name)
    labels = evidence.spelling(name)
    if original.scale(name) == "numeric":
        was = original.numbers(name)[rows]
        now = _numbers_shown(evidence, name)
        empty = np.isnan(now)
        codes = np.unique(was, return_inverse=True)[1].reshape(-1).astype(np.int64)
        labels = np.unique(now, return_inverse=True)[1].reshape(-1).astype(np.int64)
        # of masked numbers no two need be alike: what a sum gives back is looked for by itself
        differs = was != now if "coded" in claim.guarantees else None
    else:
        codes = original.codes([name])[rows]
        differs = None if "only-withheld" in claim.guarantees else _differs(evidence, name)
    codes = np.where(absent, -1, codes)
    labels = np.where(empty, -1, labels)
    shown = (codes >= 0) & (labels >= 0)
    of_value, pairs = _majority(codes[shown], labels[shown], int(codes.max(initial=-1)) + 1)
    # a label that stands for one value alone hides nothing, however it is spelled
    values_of = np.bincount(pairs[:, 1], minlength=int(labels.max(initial=-1)) + 1)
    many = np.zeros(codes.size, dtype=bool)
    many[shown] = values_of[labels[shown]] > 1
    taken = claim.suppressed is not None or claim.terms.get("outliers") == "withhold"
    gone = (codes >= 0) & empty & taken & (original.scale(name) != "numeric")
    return _Column(
        name,
        codes,
        labels,
        of_value,
        bool(pairs.shape[0] == np.unique(pairs[:, 0]).size),
        gone,
        np.zeros(codes.size, dtype=bool) if differs is None else many & differs,
    )


def _majority(values: Ints, labels: Ints, count: int) -> tuple[Ints, Ints]:
    """For each value the label that most of its records show (-1: none), and all pairs of both."""
    width = int(labels.max(initial=0)) + 1
    both, times = np.unique(values * width + labels, return_counts=True)
    order = np.argsort(times, kind="stable")
    found = np.full(count, -1, dtype=np.int64)
    # the last that is written is the most frequent
    found[both[order] // width] = both[order] % width
    return found, np.column_stack([both // width, both % width])


def _differs(evidence: Evidence, name: str) -> Mask:
    """Where a released cell reads otherwise than the original."""
    try:
        old = as_array(evidence.claim.original.column(name)).take(pa.array(evidence.claim.rows))
        new = as_array(evidence.released.column(name))
        same = pc.fill_null(pc.equal(_text(old), _text(new)), False)
    except UNTYPED:
        return np.ones(evidence.claim.rows.size, dtype=bool)
    return ~np.asarray(same)


def _text(cells: pa.Array) -> pa.Array:
    plain = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    return plain.cast(pa.large_string())


def _targets(column: _Column, *, masked: bool) -> list[Target]:
    """Suppressed cells, learnt from those that are shown; changed ones, where the relation is known.

    What an earlier step had `masked` already, nobody knows by a relation.
    """
    found = []
    if column.suppressed.any():
        shown = column.labels >= 0
        values = np.where(
            shown, column.labels, np.where(column.originals < 0, -1, column.of_value[column.originals])
        )
        counts = np.bincount(values[shown], minlength=int(values.max(initial=0)) + 1)
        if np.count_nonzero(counts) > 1:
            share = counts / counts.sum()
            found.append(
                Target(column.name, values, shown & (column.originals >= 0), column.suppressed, share, 1)
            )
    if column.changed.any() and not masked:
        known = column.originals >= 0
        counts = np.bincount(column.originals[known])
        label = np.maximum(column.of_value, 0)
        alike = np.bincount(label, weights=counts, minlength=int(label.max(initial=0)) + 1)
        share = counts / np.maximum(1, alike[label])
        found.append(Target(column.name, column.originals, known, column.changed, share, _STRUCTURE))
    return found


def _known(evidence: Evidence, columns: Sequence[_Column]) -> Known:
    """Every released column, and the protected ones as they are shown."""
    shown = {column.name: column.labels for column in columns}
    codes = {
        name: shown[name] if name in shown else evidence.spelling(name) for name in evidence.released.columns
    }
    ranks = {}
    for name in evidence.released.columns:
        if name not in shown and (rank := _ranks(evidence, name)) is not None:
            ranks[name] = rank
    if not evidence.claim.shuffled and any(column.suppressed.any() for column in columns):
        ranks[ROW_ORDER] = np.argsort(np.argsort(evidence.claim.rows, kind="stable"), kind="stable")
    return Known(codes, {column.name: _shown_as(column) for column in columns}, ranks)


def _ranks(evidence: Evidence, name: str) -> Ints | None:
    """The place of each cell in the order of its column: numbers, dates or text; None where it has none."""
    cells = _plain(evidence, name)
    if cells is None:
        return None
    if pa.types.is_boolean(cells.type) or pa.types.is_null(cells.type):
        return None
    numbers = figures(evidence, name)
    if numbers is None:
        return _ordered_text(cells)
    ranks = np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.where(np.isnan(numbers), -1, ranks)


def _ordered_text(cells: pa.Array) -> Ints | None:
    """Ranks of dates that are written as text, or of text by its letters."""
    if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
        return None
    for pattern in _DATES:
        matched = pc.fill_null(pc.match_substring_regex(cells, pattern), False)
        if (pc.sum(matched).as_py() or 0) >= 0.95 * len(cells) > 0:
            parts = pc.extract_regex(cells, pattern)
            year, month, day = (
                np.asarray(pc.fill_null(pc.cast(pc.struct_field(parts, part), pa.int64()), -1))
                for part in "ymd"
            )
            # day and month may change places, and then the larger is the day
            if day.size and month.max() > 12:
                month, day = day, month
            together = (year * 100 + month) * 100 + day
            ranks = np.unique(together, return_inverse=True)[1].reshape(-1).astype(np.int64)
            return np.where(year < 0, -1, ranks)
    encoded = cells.dictionary_encode()
    places = np.empty(len(encoded.dictionary), dtype=np.int64)
    places[np.asarray(pc.array_sort_indices(encoded.dictionary))] = np.arange(places.size)
    codes = np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)
    return np.where(codes < 0, -1, places[codes]) if places.size else None


def _plain(evidence: Evidence, name: str) -> pa.Array | None:
    """The cells of a released column, not as a dictionary; None of types that Arrow does not know."""
    try:
        cells = as_array(evidence.released.column(name))
        return cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    except UNTYPED:
        return None


def figures(evidence: Evidence, name: str) -> Floats | None:
    """The numbers of a released column, NaN where there is none; None where it is no column of numbers."""
    cells = _plain(evidence, name)
    if cells is None:
        return None
    kind = cells.type
    try:
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            dialect = evidence.released.dialect or evidence.claim.original.dialect
            if dialect is not None:
                trimmed = pc.utf8_trim_whitespace(cells)
                gone = pc.is_in(trimmed, value_set=pa.array(list(dialect.missing_values), trimmed.type))
                cells = pc.if_else(gone, pa.scalar(None, trimmed.type), trimmed)
                if dialect.decimal == ",":
                    cells = pc.replace_substring(cells, ",", ".")
            if cells.null_count == len(cells):
                return None
        elif pa.types.is_temporal(kind):
            cells = cells.cast(
                pa.int32() if pa.types.is_date32(kind) or pa.types.is_time32(kind) else pa.int64()
            )
        elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
            return None
        numbers = np.asarray(cells.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _numbers_shown(evidence: Evidence, name: str) -> Floats:
    """The numbers of a protected column, NaN where a later step made text of them."""
    numbers = figures(evidence, name)
    return np.full(evidence.claim.rows.size, np.nan) if numbers is None else numbers


def _relations(evidence: Evidence, columns: Sequence[_Column]) -> list[Determined]:
    """Columns of numbers that are computed from released ones."""
    original, rows = evidence.claim.original, evidence.claim.rows
    protected = {column.name for column in columns}
    # what an earlier step gave other values has no originals to be computed
    wanted = [
        column
        for column in columns
        if original.scale(column.name) == "numeric" and column.name not in evidence.masked
    ]
    if not wanted:
        return []
    beside = {name: figures(evidence, name) for name in evidence.released.columns if name not in protected}
    numbers = {name: column for name, column in beside.items() if column is not None}
    found = []
    for column in wanted:
        was = original.numbers(column.name)[rows]
        now = _numbers_shown(evidence, column.name)
        hidden = np.isfinite(was) & (was != now)
        if not hidden.any() or not numbers:
            continue
        told = relation(was, hidden, numbers)
        if told is not None and (cells := int(told.found.sum())) >= _WORTH:
            of = int(hidden.sum())
            refused = cells > _MOST_OF_A_COLUMN * of
            found.append(Determined(column.name, (told.columns,), "changed", cells, of, None, refused))
    return found


def _shown_as(column: _Column) -> Ints:
    """What the original of each record is shown as; where that is not plain, what the record itself shows."""
    usual = np.where(column.originals < 0, -1, column.of_value[column.originals])
    return np.where(column.labels < 0, usual, column.labels) if not column.plain else usual


def _exposed(
    evidence: Evidence,
    columns: Sequence[_Column],
    targets: Sequence[Target],
    found: Sequence[Sequence[Dependence]],
) -> Mask:
    """Records that stand with fewer than k originals once all that follows is filled in."""
    n, k = evidence.claim.rows.size, evidence.claim.k or 0
    # 0: nothing is known of the cell, 1: what it is shown as, 2: the original
    level = np.column_stack([np.where(column.labels >= 0, 1, 0) for column in columns]).astype(np.int64)
    filled = np.zeros_like(level, dtype=bool)
    place = {column.name: at for at, column in enumerate(columns)}
    for target, by in zip(targets, found, strict=True):
        for each in by:
            at = place[target.column]
            level[each.found, at] = 2 if target.self_taught else 1
            filled[each.found, at] = True
    exposed = np.zeros(n, dtype=bool)
    if not filled.any():
        return exposed
    original = evidence.claim.original
    named = [
        original.codes([name])[evidence.claim.rows]
        for name in (original.roles.strata if original.roles else ())
    ]
    strata = distinct(np.zeros(n, dtype=np.int64), *named)
    units = None
    if original.roles is not None and original.roles.unit is not None and not isinstance(evidence.units, str):
        units = evidence.units
    labels = [_shown_as(column) for column in columns]
    m = evidence.claim.terms.get("m")
    for chosen in combinations(range(len(columns)), len(columns) if m is None else m):
        keys_here = list(chosen)
        rows = np.flatnonzero(filled[:, keys_here].any(axis=1) & ~exposed)
        if not rows.size:
            continue
        patterns, which = np.unique(level[rows][:, keys_here], axis=0, return_inverse=True)
        which = which.reshape(-1)
        for number, pattern in enumerate(patterns.tolist()):
            keys = [
                columns[j].originals if how == 2 else labels[j]
                for j, how in zip(chosen, pattern, strict=True)
                if how
            ]
            alike = distinct(strata, *(key + 1 for key in keys))
            mine = rows[which == number]
            exposed[mine] |= sizes(alike, units)[alike[mine]] < k
    return exposed
