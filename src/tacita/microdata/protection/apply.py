"""Runs a method on prepared records: group means, recoded, masked or synthetic values.

A kind of method is one line of `VERBS`: a function from a method and records to the values to publish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

import numpy as np

from tacita.core import (
    DataError,
    Labels,
    Mask,
    Matrix,
    ParameterError,
    Partition,
    RecordMethod,
    RunContext,
    VerificationError,
)
from tacita.core.spec.roles import Kind
from tacita.microdata.methods.coding.coding_method import Coding
from tacita.microdata.methods.dropping.dropping_method import Dropping
from tacita.microdata.methods.generalisation.generalisation_method import Generalisation
from tacita.microdata.methods.generalisation.key_hierarchies import Keys, ladders_of
from tacita.microdata.methods.local_suppression.local_suppression_method import (
    CellSuppression,
    SuppressionSummary,
)
from tacita.microdata.methods.masking.masking_method import CategoryMasking, Coded, Masking, held
from tacita.microdata.methods.microaggregation.microaggregation_method import Given, Microaggregation
from tacita.microdata.methods.recoding.recoding_method import Recoding
from tacita.microdata.methods.synthesis.mixed import MixedSynthesis, repeated
from tacita.microdata.methods.synthesis.synthesis_method import BaseSynthesis, Synthesis, check_whole_numbers
from tacita.microdata.statistics.group_statistics import lower_medians, modes, published_means
from tacita.microdata.statistics.standardise import standardise, to_unit_range

from .context_columns import groups_named
from .group_representatives import spare_records
from .membership import Membership, settled
from .prepare import PreparedRecords


@dataclass(frozen=True, repr=False)
class MaskedValues:
    """Values to publish in place of the originals, with promises and, if any, groups.

    method        as it ran, with the parameters that repeat the result (instead of a time limit)
    labels        as in a Claim: one per record, one per cell, or None
    texts         new categories by column, in the order of their codes
    before        the originals in the same codes
    witness       evidence of a Claim in addition to the parameters
    dropped_rows  records that are not published
    suppressed    cells that are suppressed
    search        summary of the search, for the record
    undecided     number of records for which a missing value left the condition of a drop open
    membership    result of the membership test of a synthesis
    """

    method: RecordMethod
    values: Matrix
    guarantees: tuple[str, ...]
    labels: Labels | None = None
    partition: Partition | None = None
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    before: Matrix | None = None
    witness: Mapping[str, Any] = field(default_factory=dict)
    dropped_rows: Mask | None = None
    suppressed: Mask | None = None
    search: Mapping[str, Any] = field(default_factory=dict)
    undecided: int = 0
    membership: Membership | None = None


def apply_method(method: RecordMethod, records: PreparedRecords, run: RunContext) -> MaskedValues:
    """RunContext a method by the function of its kind."""
    doing, verb = VERBS[method.kind]
    run.report(doing, 0, 1)
    return verb(method, records, run)


def _grouped(method: Microaggregation, records: PreparedRecords, run: RunContext) -> MaskedValues:
    """Groups within strata, published as means (medians, modes). Columns are scaled over all strata."""
    mixed = method.takes != ("numeric",)
    z = to_unit_range(records.x, records.columns.kinds) if mixed else standardise(records.x, records.scale)
    labels = np.empty(z.shape[0], dtype=np.int64)
    parts = list(records.parts())
    method = method.sized(_largest(z, parts), run)
    bounds: list[float | None] = []
    if isinstance(method, Given):
        labels = method.labels
    elif len(parts) == 1 and parts[0][1].all():
        groups_of_all = _partition(method, z, records, *parts[0], run)
        labels, bounds = groups_of_all.labels, [_bound_of(groups_of_all)]
    else:
        groups = 0
        for done, (rows, present) in enumerate(parts):
            run.report("grouping strata", done, len(parts))
            # the same search in every stratum: only protective randomness must differ
            inner = run.within("grouping strata", done, len(parts))
            if present.any():
                part = _partition(method, z[np.ix_(rows, present)], records, rows, present, inner)
                labels[rows] = groups + part.labels
                groups += len(part)
                bounds.append(_bound_of(part))
            else:
                # records without any value are one group
                labels[rows] = groups
                groups += 1
        run.report("grouping strata", len(parts), len(parts))
    partition = Partition(labels, method.k, records.units)
    known = [bound for bound in bounds if bound is not None]
    if known and len(known) == len(parts):
        partition = partition.bounded(np.nan_to_num(z), fsum(known))
    values = published_values(records.x, partition.labels, records.columns.integer, records.columns.kinds)
    values = spare_records(
        records.x, values, partition.labels, records.strata, records.columns.kinds, method.k, records.units
    )
    return MaskedValues(
        method=method,
        values=values,
        guarantees=Microaggregation.guarantees,
        labels=partition.labels,
        partition=partition,
    )


def _bound_of(partition: Partition) -> float | None:
    # a plug-in may return an object that only resembles a Partition; `Partition(...)` checks it afterwards
    bound: float | None = getattr(partition, "lower_bound", None)
    return bound


def _largest(z: Matrix, parts: Sequence[tuple[Labels, Mask]]) -> Matrix:
    """Records of the largest part, in the columns in which they have values."""
    rows, present = max(parts, key=lambda part: part[0].size)
    return np.ascontiguousarray(z[np.ix_(rows, present)])


def published_values(x: Matrix, labels: Labels, integer: Mask, kinds: Sequence[Kind] = ()) -> Matrix:
    """Rows replaced by the values of their group: means, lower medians of ordinal codes, modes.

    >>> x = np.array([[1.0, 0.0, 2.0], [2.0, 1.0, 2.0], [6.0, 1.0, 0.0]])
    >>> whole = np.zeros(3, dtype=bool)
    >>> published_values(x, np.zeros(3, dtype=int), whole, ["numeric", "ordinal", "nominal"])[0].tolist()
    [3.0, 1.0, 2.0]
    """
    values = np.empty_like(x)
    numeric = np.array([kind == "numeric" for kind in kinds] or [True] * x.shape[1])
    values[:, numeric] = published_means(x[:, numeric], labels, integer[numeric])
    for j in np.flatnonzero(~numeric).tolist():
        middle = lower_medians if kinds[j] == "ordinal" else modes
        values[:, j] = middle(x[:, j], labels)[labels]
    return values


def _partition(
    method: Microaggregation,
    z: Matrix,
    records: PreparedRecords,
    rows: Labels,
    present: Mask,
    run: RunContext,
) -> Partition:
    """Groups of some records by z, the columns in which they have values."""
    units, kinds = records.units_of(rows), records.columns.kinds
    if method.takes == ("numeric",):
        if not method.reads:
            return method.partition(z, run, units=units)
        return method.partition(z, run, units=units, start=groups_named(method, records.reference.read, rows))
    here = [kind for kind, has in zip(kinds, present, strict=True) if has] if kinds else None
    return method.among(present).partition(z, run, units=units, kinds=here)


def _masked(method: Masking, records: PreparedRecords, run: RunContext) -> MaskedValues:
    """Masks each stratum separately, on the original scale, with its own random stream."""
    if isinstance(method, CategoryMasking):
        return _redrawn(method, records, run)
    if not method.roundable:
        _check_not_rounded(method, records, ", or use another method, such as rank-swap")
    values = np.full_like(records.x, np.nan)
    labels = np.empty(records.x.shape, dtype=np.int64)
    groups, grouped = 0, False
    parts = list(records.parts())
    for done, (rows, present) in enumerate(parts):
        # one label for columns missing in the whole stratum, then those of its groups
        labels[rows] = groups
        if present.any():
            cells = np.ix_(rows, present)
            masked = method.masked(
                records.x[cells],
                run.branch(done),
                units=records.units_of(rows),
                beside=records.reference.context[rows],
            )
            values[cells] = masked.values
            if masked.labels is not None:
                grouped = True
                labels[cells] += 1 + masked.labels
        groups = int(labels[rows].max()) + 1
        run.report("masking strata", done + 1, len(parts))
    values[:, records.columns.integer] = np.rint(values[:, records.columns.integer])
    # plus zero: -0.0 and 0.0 would be two published values
    return MaskedValues(
        method=method, values=values + 0.0, guarantees=Masking.guarantees, labels=labels if grouped else None
    )


def _redrawn(method: CategoryMasking, records: PreparedRecords, run: RunContext) -> MaskedValues:
    """Redraws the categories of each stratum separately, with its own random stream."""
    values = np.empty_like(records.x)
    labels = np.zeros(values.shape[0], dtype=np.int64)
    n_labels = 0
    witness: dict[str, tuple[Any, ...]] = {}
    parts = list(records.parts())
    names, texts = tuple(records.columns.texts), tuple(records.columns.texts.values())
    present = tuple(held(column, len(labels)) for column, labels in zip(records.x.T, texts, strict=True))
    for done, (rows, _) in enumerate(parts):
        read = {name: column.codes[rows] for name, column in records.reference.read.items()}
        coded = Coded(
            codes=records.x[rows],
            names=names,
            texts=texts,
            units=records.units_of(rows),
            read=read,
            present=present,
        )
        redrawn = method.redrawn(coded, run.branch(done))
        values[rows] = redrawn.values
        if redrawn.labels is not None:
            labels[rows] = n_labels + redrawn.labels
            n_labels = int(labels[rows].max()) + 1
        witness = {name: witness.get(name, ()) + entries for name, entries in redrawn.witness.items()}
        run.report("masking strata", done + 1, len(parts))
    _check_changed(method, records.x, values)
    return MaskedValues(
        method=method,
        values=values,
        guarantees=Masking.guarantees,
        labels=labels if n_labels else None,
        witness=witness,
    )


def _check_changed(method: RecordMethod, before: Matrix, after: Matrix) -> None:
    if np.array_equal(before, after, equal_nan=True):
        raise DataError(
            f"{method.display_name()}: none of {len(before)} records got another category, so nothing would "
            "be protected. Change more, or use fewer and larger strata."
        )


def _synthesized(method: BaseSynthesis, records: PreparedRecords, run: RunContext) -> MaskedValues:
    """Draws the dependent columns of each stratum separately, conditional on the independent ones."""
    if not method.roundable:
        _check_not_rounded(method, records, "")
    family = next(base for base in (Synthesis, MixedSynthesis, BaseSynthesis) if isinstance(method, base))
    arguments: dict[str, Any] = {}
    units = repeated(records.units)
    membership = None
    if isinstance(method, MixedSynthesis):
        columns = records.columns.of_synthesis
        x, arguments = np.hstack([records.x, records.reference.context]), {"columns": columns}
        p, strata = records.x.shape[1], records.strata
        method, membership = settled(method, x, p, strata, columns, run, units=units)
    values = np.empty_like(records.x)
    searches: list[dict[str, Any]] = []
    parts = list(records.parts())
    for done, (rows, _) in enumerate(parts):
        inner = run.branch(done)
        if len(parts) == 1:
            inner = replace(inner, on_progress=run.on_progress, on_iteration=run.on_iteration)
        if arguments and units is not None:
            arguments["units"] = units[rows]
        try:
            values[rows], fits = method.searched(
                records.x[rows], records.reference.context[rows], inner, **arguments
            )
        except DataError as error:
            if len(parts) == 1:
                raise
            raise DataError(f"{error} (In a stratum of {rows.size} records.)") from None
        for fit in fits:
            column = {"column": records.columns.names[fit["column"]]} if "column" in fit else {}
            searches.append({**({"stratum": done + 1} if len(parts) > 1 else {}), **fit, **column})
        run.report("drawing values", done + 1, len(parts))
    check_whole_numbers(method.display_name(), values[:, records.columns.integer])
    search = {"fits": searches} if searches else {}
    # plus zero: -0.0 and 0.0 would be two published values
    drawn = MaskedValues(
        method=method, values=values + 0.0, guarantees=family.guarantees, membership=membership, search=search
    )
    if membership is None:
        return drawn
    return replace(
        drawn,
        guarantees=(*drawn.guarantees, *membership.promised()),
        witness=membership.witness(),
        search={"membership": membership.as_dict()},
    )


def _recoded(method: Recoding, records: PreparedRecords, run: RunContext) -> MaskedValues:
    """Recodes every value by the map of its column, once per distinct value. O(n) a column."""
    before, after = np.full_like(records.x, np.nan), np.full_like(records.x, np.nan)
    texts: dict[str, tuple[str, ...]] = {}
    for j, (name, old) in enumerate(records.columns.texts.items()):
        new = [str(label) for label in method.within(records.columns.hierarchies).relabel(name, old)]
        if len(new) != len(old):
            raise VerificationError(
                f"{method.display_name()}: wanted a new value for each of {len(old)} of column {name}, got "
                f"{len(new)}. This is a fault of the method."
            )
        texts[name] = tuple(sorted({*old, *new}))
        code_of = {label: float(i) for i, label in enumerate(texts[name])}
        known = ~np.isnan(records.x[:, j])
        codes = records.x[known, j].astype(np.int64)
        for column, labels in ((before, old), (after, new)):
            column[known, j] = np.array([code_of[label] for label in labels])[codes]
        run.report("recoding", j + 1, len(records.columns.texts))
    return MaskedValues(
        method=method, values=after, guarantees=Recoding.guarantees, texts=texts, before=before
    )


def _generalised(method: Generalisation, records: PreparedRecords, run: RunContext) -> MaskedValues:
    """Coarser keys for all records; outliers are removed, or their keys are suppressed."""
    columns, reference = records.columns, records.reference
    if unread := [name for name in columns.names if name not in columns.texts]:
        raise ParameterError(
            f"{method.display_name()}: {len(unread)} columns are not read as categories. Name the columns "
            "under quasi."
        )
    ladders, leaves = ladders_of(
        columns.names,
        columns.texts,
        records.x,
        columns.hierarchies,
        method.display_name(),
    )
    confidential = {name: reference.read[name].categories for name in method.confidential}
    values = {name: texts for name, (_, texts) in confidential.items()}
    keys = Keys(
        ladders=ladders,
        leaves=leaves,
        strata=records.strata,
        units=records.units,
        confidential={name: codes for name, (codes, _) in confidential.items()},
        orders=method.orders_of(values),
        trees=method.trees_of(values, columns.hierarchies),
        weighing=method.weighing_of(
            {name: reference.read[name].numbers for name in method.weights}, records.units
        ),
    )
    keys = replace(keys, populations=method.populations_of(keys, reference.populations))
    result = method.generalise(keys, run)
    before, after = np.full_like(records.x, np.nan), np.full_like(records.x, np.nan)
    texts: dict[str, tuple[str, ...]] = {}
    for j, (name, labels) in enumerate(zip(columns.names, result.labels, strict=True)):
        shown = np.unique(result.shown[j])
        new = {label for label in (labels[node] for node in shown.tolist()) if label is not None}
        texts[name] = tuple(sorted({*columns.texts[name], *new}))
        code_of = {label: float(i) for i, label in enumerate(texts[name])}
        known = ~np.isnan(records.x[:, j])
        codes = np.array([code_of[label] for label in columns.texts[name]] or [0.0])
        before[known, j] = codes[records.x[known, j].astype(np.int64)]
        after[:, j] = np.array([np.nan if label is None else code_of.get(label, np.nan) for label in labels])[
            result.shown[j]
        ]
    suppresses = method.outliers == "withhold"
    after[result.gone & suppresses] = np.nan
    return MaskedValues(
        method=method,
        values=after,
        guarantees=method.kept_promises((*Generalisation.guarantees, *result.promised)),
        texts=texts,
        before=before,
        dropped_rows=None if suppresses else result.gone,
        search={**result.summary, "withheld": int(result.gone.sum())} if suppresses else result.summary,
        witness=result.terms,
    )


def _coded(method: Coding, records: PreparedRecords, run: RunContext) -> MaskedValues:
    """Codes each numeric column separately, all strata together. The cost of the method."""
    after = np.full_like(records.x, np.nan)
    names = records.columns.names[: records.x.shape[1]]
    for j, name in enumerate(names):
        known = ~np.isnan(records.x[:, j])
        if known.any():
            after[known, j] = method.renumber(name, records.x[known, j], run.branch(j))
        run.report("coding numbers", j + 1, len(names))
    after[:, records.columns.integer] = np.rint(after[:, records.columns.integer])
    # plus zero: -0.0 and 0.0 would be two published values
    return MaskedValues(method=method, values=after + 0.0, guarantees=Coding.guarantees)


def _suppressed(method: CellSuppression, records: PreparedRecords, run: RunContext) -> MaskedValues:
    """Suppresses cells in each stratum separately; adds up their costs and bounds."""
    weights = method.weights(records.columns.names)
    known = ~np.isnan(records.x)
    codes = np.where(known, records.x, -1.0).astype(np.int64)
    cells, bounds, states = np.zeros(codes.shape, dtype=bool), [], []
    parts = [rows for rows, _ in records.parts()]
    for done, rows in enumerate(parts):
        inner = run if len(parts) == 1 else run.silent()
        pattern = method.suppress(codes[rows], weights, inner, units=records.units_of(rows))
        cells[rows] = pattern.cells
        bounds.append(pattern.lower_bound)
        states.append(pattern.status)
        run.report("suppressing cells", done + 1, len(parts))
    search = SuppressionSummary(
        dict(zip(records.columns.names, cells.sum(axis=0).tolist(), strict=True)),
        dict(zip(records.columns.names, known.sum(axis=0).tolist(), strict=True)),
        fsum((cells @ weights).tolist()),
        fsum(bounds),
        next((state for state in states if state != "optimal"), "optimal"),
    )
    values = np.where(cells, np.nan, records.x)
    return MaskedValues(
        method=method,
        values=values,
        guarantees=CellSuppression.guarantees,
        suppressed=cells,
        search=search.as_dict(),
    )


def _dropped(method: Dropping, records: PreparedRecords, run: RunContext) -> MaskedValues:
    """Changes no value; marks the records to remove. The cost of the method."""
    n = len(records.x)
    dropped = np.asarray(method.dropped_rows(records.reference.deciding, n), dtype=bool)
    run.report("dropping", 1, 1)
    undecided = method.undecided(records.reference.deciding, n)
    return MaskedValues(
        method=method,
        values=records.x,
        guarantees=Dropping.guarantees,
        dropped_rows=dropped,
        undecided=undecided,
    )


def _check_not_rounded(method: RecordMethod, records: PreparedRecords, instead: str) -> None:
    if records.columns.integer.any():
        raise ParameterError(
            f"{method.display_name()}: values are published to the last digit, and rounding would break the "
            f"promises. Leave out round-integers{instead}."
        )


VERBS: dict[str, tuple[str, Callable[[Any, PreparedRecords, RunContext], MaskedValues]]] = {
    "microaggregation": ("grouping records", _grouped),
    "recoding": ("recoding", _recoded),
    "generalisation": ("generalising", _generalised),
    "coding": ("coding numbers", _coded),
    "withholding": ("suppressing cells", _suppressed),
    "dropping": ("dropping", _dropped),
    "masking": ("masking records", _masked),
    "synthesis": ("drawing values", _synthesized),
}
