"""The protected columns of a release: what each record had, what it shows, and what is hidden."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Floats, Ints, Mask
from tacita.core.data.number_parsing import UNTYPED
from tacita.core.results.inferred_cells import ROW_ORDER

from .cells import as_array
from .evidence import Evidence, gaps
from .learning import Known, Target
from .ranks import figures, ranks_of

# Records of a group that must agree where the attacker knows the relation and no record shows it.
_STRUCTURE = 4
# Masked numbers that so many records have may be in common to a group; where fewer do, nothing is looked for.
_IN_COMMON = 3
_OF_NUMBERS = 0.1


@dataclass(frozen=True, repr=False)
class HiddenColumn:
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


def hides_categories(evidence: Evidence, names: Sequence[str]) -> bool:
    """Whether cells of some columns were taken away, or show what others show: all but masked numbers."""
    claim = evidence.claim
    taken = claim.suppressed is not None or claim.terms.get("outliers") == "withhold"
    return (
        taken or "coded" in claim.guarantees or any(claim.original.scale(name) != "numeric" for name in names)
    )


def column_of(evidence: Evidence, name: str) -> HiddenColumn:
    claim = evidence.claim
    original, rows = claim.original, claim.rows
    absent, empty = gaps(original, name)[rows], evidence.gaps_shown(name)
    labels = evidence.spelling(name)
    if original.scale(name) == "numeric":
        was = original.numbers(name)[rows]
        now = numbers_shown(evidence, name)
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
    return HiddenColumn(
        name=name,
        originals=codes,
        labels=labels,
        of_value=of_value,
        plain=bool(pairs.shape[0] == np.unique(pairs[:, 0]).size),
        suppressed=gone,
        changed=np.zeros(codes.size, dtype=bool) if differs is None else many & differs,
    )


def _majority(values: Ints, labels: Ints, count: int) -> tuple[Ints, Ints]:
    """For each value the label that most of its records show (-1: none), and all pairs of both."""
    width = int(labels.max(initial=0)) + 1
    both, times = np.unique(values * width + labels, return_counts=True)
    order = np.argsort(times, kind="stable")
    # one place at least: a column without any value has no label either
    majority = np.full(max(count, 1), -1, dtype=np.int64)
    # the last that is written is the most frequent
    majority[both[order] // width] = both[order] % width
    return majority, np.column_stack([both // width, both % width])


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


def numbers_shown(evidence: Evidence, name: str) -> Floats:
    """The numbers of a protected column, NaN where a later step made text of them."""
    numbers = figures(evidence, name)
    return np.full(evidence.claim.rows.size, np.nan) if numbers is None else numbers


def shown_as(column: HiddenColumn) -> Ints:
    """What the original of each record is shown as; where that is not plain, what the record itself shows."""
    usual = np.where(column.originals < 0, -1, column.of_value[column.originals])
    return np.where(column.labels < 0, usual, column.labels) if not column.plain else usual


def targets_of(column: HiddenColumn, *, masked: bool, most: int = 1) -> list[Target]:
    """Suppressed cells, learnt from those that are shown; changed ones, where the relation is known.

    What an earlier step had `masked` already, nobody knows by a relation. Up to `most` values may be left.
    """
    targets = []
    if column.suppressed.any():
        shown = column.labels >= 0
        values = np.where(
            shown, column.labels, np.where(column.originals < 0, -1, column.of_value[column.originals])
        )
        if np.unique(values[shown]).size > 1:
            # as frequent as it is: suppression takes rare values away, and what is left in view misleads
            counts = np.bincount(values[values >= 0])
            share = counts / counts.sum()
            targets.append(
                Target(
                    column=column.name,
                    values=values,
                    taught=shown & (column.originals >= 0),
                    hidden=column.suppressed,
                    share=share,
                    fewest=1,
                    most=most,
                )
            )
    if column.changed.any() and not masked:
        known = column.originals >= 0
        share, alike = _guessed(column)
        targets.append(
            Target(
                column=column.name,
                values=column.originals,
                taught=known,
                hidden=column.changed,
                share=share,
                fewest=_STRUCTURE,
                most=most,
                alike=alike,
            )
        )
    return targets


def number_of(evidence: Evidence, name: str) -> Target | None:
    """The masked numbers of a column, which groups of records may have in common; None where hardly any do.

    A zero follows from many columns, as the wage of a child does: it is no secret.
    """
    original, rows = evidence.claim.original, evidence.claim.rows
    was = original.numbers(name)[rows]
    known = np.isfinite(was)
    hidden = known & (was != numbers_shown(evidence, name)) & (was != 0)
    values = np.full(was.size, -1, dtype=np.int64)
    values[known] = np.unique(was[known], return_inverse=True)[1].reshape(-1)
    counts = np.bincount(values[known], minlength=1)
    # what fewer records have is in common to no other record than the one in question
    if not hidden.any() or (counts[values[hidden]] >= _IN_COMMON).mean() < _OF_NUMBERS:
        return None
    return Target(
        column=name, values=values, taught=known, hidden=hidden, share=counts / known.sum(), fewest=_STRUCTURE
    )


def _guessed(column: HiddenColumn) -> tuple[Floats, Ints | None]:
    """How often a guess of each value is right, by what its changed cells show; which values are shown alike.

    Where a value may be shown as several labels, each of its changed cells is guessed by its own.
    """
    counts = np.bincount(column.originals[column.originals >= 0])
    label = np.maximum(column.of_value, 0)
    if column.plain:
        of_label = np.bincount(label, weights=counts, minlength=int(label.max(initial=0)) + 1)
        return counts / np.maximum(1, of_label[label]), label
    shown = np.flatnonzero((column.originals >= 0) & (column.labels >= 0))
    width = int(column.labels.max(initial=0)) + 1
    pairs, which, times = np.unique(
        column.originals[shown] * width + column.labels[shown], return_inverse=True, return_counts=True
    )
    of_pair = times / np.bincount(column.labels[shown], minlength=width)[pairs % width]
    right = of_pair[which.reshape(-1)]
    changed = column.changed[shown]
    values = column.originals[shown]
    cells = np.bincount(values[changed], minlength=counts.size)
    sums = np.bincount(values[changed], right[changed], minlength=counts.size)
    # values of which no cell was changed are guessed as they are shown
    every = np.bincount(values, right, minlength=counts.size) / np.maximum(1, counts)
    return np.where(cells > 0, sums / np.maximum(1, cells), every), None


def known_of(evidence: Evidence, columns: Sequence[HiddenColumn], without: Collection[str] = ()) -> Known:
    """Every released column but some, the protected ones as they are shown."""
    shown = {column.name: column.labels for column in columns}
    names = [name for name in evidence.released.columns if name not in without]
    codes = {name: shown[name] if name in shown else evidence.spelling(name) for name in names}
    ranks = {}
    for name in names:
        if name not in shown and (rank := ranks_of(evidence, name)) is not None:
            ranks[name] = rank
    if not evidence.claim.shuffled and any(column.suppressed.any() for column in columns):
        ranks[ROW_ORDER] = np.argsort(np.argsort(evidence.claim.rows, kind="stable"), kind="stable")
    return Known(codes, {column.name: shown_as(column) for column in columns}, ranks)
