"""Runs one method on a file: prepares, masks, and makes the released frame and its claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np

from tacita.core import DataError, Floats, Ints, Microdata, Partition, RecordMethod, RunContext
from tacita.core.results.release import Claim
from tacita.core.spec.release_options import Missing
from tacita.microdata.statistics.unit_counts import Company, unit_codes

from . import checks
from .apply import MaskedValues, apply_method
from .membership import Membership
from .prepare import PreparedRecords, prepare


@dataclass(frozen=True, repr=False)
class ProtectedStep:
    """The released frame, its groups if any, the method as it ran, and the claim to verify.

    original    protected columns in the order of the source, as numbers or codes of categories
    released    the same columns after protection
    texts       new categories by column
    search      summary of the search, for the record
    left        number of records that the method removed
    undecided   number of records for which a missing value left the condition of a drop open
    membership  result of the membership test of a synthesis
    """

    data: Microdata
    partition: Partition | None
    method: RecordMethod
    claim: Claim
    original: Floats
    released: Floats
    strata: Ints
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    search: Mapping[str, Any] = field(default_factory=dict)
    left: int = 0
    undecided: int = 0
    membership: Membership | None = None

    @cached_property
    def company(self) -> Company:
        """Units of the records in the order of the source; every record is one if none are named."""
        return Company(unit_codes(self.claim.original, np.sort(self.claim.rows)))


def protect(
    data: Microdata,
    method: RecordMethod,
    run: RunContext,
    *,
    missing: Missing = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
) -> ProtectedStep:
    """Protect the quasi-identifiers by a method; remove identifiers."""
    records = prepare(data, method, run, missing=missing, round_integers=round_integers)
    masked = apply_method(method, records, run)
    checks.check_missing_words(data, masked.texts, method)
    left = 0 if masked.dropped_rows is None else int(masked.dropped_rows.sum())
    records, masked = _without_leaving(records, masked, method)
    n = records.rows.size
    order = run.protective_generator().permutation(n) if shuffle else np.arange(n)
    claim = _claim(records, masked, method, order, missing, shuffled=shuffle)
    return ProtectedStep(
        data=_released_frame(masked.values[order], claim, masked.texts, method),
        partition=masked.partition,
        method=masked.method,
        claim=claim,
        original=records.x if masked.before is None else masked.before,
        released=masked.values,
        strata=records.strata,
        texts=masked.texts,
        search=masked.search,
        left=left,
        undecided=masked.undecided,
        membership=masked.membership,
    )


def _without_leaving(
    records: PreparedRecords, masked: MaskedValues, method: RecordMethod
) -> tuple[PreparedRecords, MaskedValues]:
    """Removes the records that the method marks."""
    if masked.dropped_rows is not None and masked.dropped_rows.any():
        stays = ~masked.dropped_rows
        if not stays.any():
            drops = method.kind == "dropping"
            advice = "Name a narrower condition" if drops else "Lower the suppression limit, or k"
            raise DataError(f"{records.data.source}: no record is left. {advice}.")
        before = records.x if masked.before is None else masked.before
        records = replace(records, rows=records.rows[stays], strata=records.strata[stays])
        masked = replace(masked, values=masked.values[stays], before=before[stays])
    if method.kind == "dropping":
        checks.check_weights(records.data, records.rows)
    return records, masked


def _claim(
    records: PreparedRecords,
    masked: MaskedValues,
    method: RecordMethod,
    order: Ints,
    missing: Missing,
    *,
    shuffled: bool,
) -> Claim:
    """The claim about the records, in the order in which they are published."""
    data = records.data
    suppressed = records.suppressed if masked.suppressed is None else masked.suppressed
    accounted = () if records.suppressed is None else ("suppressed-cells",)
    return Claim(
        original=data,
        rows=records.rows[order],
        labels=None if masked.labels is None else masked.labels[order],
        # the method as it ran has the k that a search chose
        k=masked.method.group_size,
        # a plug-in may promise more than its kind, never less
        guarantees=tuple(dict.fromkeys((*masked.guarantees, *method.promised(), *accounted))),
        rounded=frozenset(
            name for name, rounds in zip(data.quasi, records.columns.integer, strict=True) if rounds
        ),
        left_out=data.used if missing == "drop" else (),
        suppressed=None if suppressed is None else suppressed[order],
        dropped_rows=np.setdiff1d(np.arange(data.n), records.rows),
        terms={**masked.method.own_parameters(), **masked.witness},
        missing_drawn=missing == "level",
        shuffled=shuffled,
    )


def without_identifiers(
    data: Microdata, rows: Ints, shuffled: bool, dropped: Sequence[str] = ()
) -> nw.DataFrame[Any]:
    """The frame of some rows, in that order, without identifiers and dropped columns."""
    from tacita.io.frames import gathered

    removed = {*dropped, *(data.roles.identifiers if data.roles else ())}
    frame = data.frame.select([name for name in data.columns if name not in removed])
    if not np.array_equal(rows, np.arange(data.n)):
        frame = gathered(frame, rows)
    # an index that travels with its rows would undo the shuffling
    return nw.maybe_reset_index(frame) if shuffled else frame


def _released_frame(
    released: Floats, claim: Claim, texts: Mapping[str, tuple[str, ...]], method: RecordMethod
) -> Microdata:
    """The records as a frame; unchanged cells are those of the source."""
    from tacita.io.frames import emptied, regathered, replace_columns, replace_text, without_memory

    data = claim.original
    frame = without_identifiers(data, claim.rows, claim.shuffled, method.dropped_columns)
    published = dict(zip(data.quasi, released.T, strict=True))
    numeric = [name for name in data.quasi if data.scale(name) == "numeric"]
    frame = replace_columns(frame, {name: (published[name], name in claim.rounded) for name in numeric})
    # categories are copied from cells of the source, which keeps type and spelling
    categories = {
        name: data.levels(name).source_rows(codes)
        for name, codes in published.items()
        if name not in numeric and name not in texts
    }
    frame = regathered(frame, data.frame, categories)
    # a column without missing cells has none to copy
    frame = emptied(frame, {name: rows < 0 for name, rows in categories.items()}, data.dialect)
    labelled = {name: (published[name], labels) for name, labels in texts.items()}
    frame = replace_text(frame, labelled, data.dialect, alike=method.reads_missing)
    frame = nw.from_native(without_memory(frame.to_native()), eager_only=True)
    return Microdata(frame=frame, dialect=data.dialect, source=data.source, whole=data.whole)
