"""One function per guarantee: what is wrong with a release, in counts, or None. Never a value."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from tacita.core import Ints

from .cells import as_array, same_column, same_text
from .evidence import Evidence, distinct, exact_means, publishes, too_few
from .hidden_content import faults

_NO_GROUPS = "the claim does not name one group for each record"


def columns_kept(evidence: Evidence) -> str | None:
    """Identifiers gone, all else there in order."""
    columns = evidence.released.columns
    left = [name for name in columns if name in evidence.gone]
    if left:
        return f"{len(left)} identifier columns are still there: {', '.join(left)}"
    wanted = [name for name in evidence.claim.original.columns if name not in evidence.gone]
    if columns != wanted:
        return f"wanted {len(wanted)} columns in the order of the source, got others"
    return None


def rows_complete(evidence: Evidence) -> str | None:
    """Each source row is in the file once, or left once: by a rule that the claim names."""
    claim = evidence.claim
    if evidence.released.n != claim.rows.size:
        return f"wanted {claim.rows.size} records, got {evidence.released.n}"
    every = np.concatenate([claim.rows, claim.leaving, claim.leaving_later])
    if not np.array_equal(np.sort(every), np.arange(claim.original.n)):
        return "released rows and those that left are not the source's rows, each once"
    if stayed := int(evidence.incomplete[claim.rows].sum()):
        return f"{stayed} records that miss a value were to leave and are there"
    if fault := _left_by_no_rule(evidence):
        return fault
    shapes = (claim.rows.shape, (claim.rows.size, len(claim.original.quasi)))
    if claim.labels is not None and np.shape(claim.labels) not in shapes:
        return _NO_GROUPS
    if claim.suppressed is not None and np.shape(claim.suppressed) != shapes[1]:
        return "the claim does not say of each cell whether it was suppressed"
    if claim.emptied is not None and np.shape(claim.emptied) != shapes[1]:
        return "the claim does not say of each cell whether a later step left it empty"
    return None


def _left_by_no_rule(evidence: Evidence) -> str | None:
    """Records that left by no rule; of several steps, by a rule of none of them, one after the other."""
    claim = evidence.claim
    left = evidence.seen.size - claim.rows.size
    if not claim.steps:
        ruled = "dropped" in claim.guarantees or claim.terms.get("outliers") == "drop"
        return f"{left} records left by no rule" if left and not ruled else None
    there = np.flatnonzero(~evidence.incomplete)
    for number, step in enumerate(claim.steps, 1):
        known = step.original.n == there.size and _within(step.rows, there) and _within(step.leaving, there)
        if not known or not np.array_equal(there[step.rows], claim.rows):
            return f"step {number} speaks of other records than those that were left"
        there = np.delete(there, step.leaving)
    wrong = np.setxor1d(there, claim.rows).size
    return f"{wrong} records left, or stayed, by a rule of no step" if wrong else None


def _within(rows: Ints, there: Ints) -> bool:
    return bool(((rows >= 0) & (rows < there.size)).all())


def others_identical(evidence: Evidence) -> str | None:
    """Columns that no one asked to mask."""
    touched = evidence.gone | evidence.claim.touched | set(evidence.claim.original.quasi)
    untouched = [name for name in evidence.claim.original.columns if name not in touched]
    changed = [name for name in untouched if not _same(evidence, name)]
    if changed:
        return f"{len(changed)} columns that should be unchanged differ: {', '.join(changed)}"
    return None


def _same(evidence: Evidence, name: str) -> bool:
    before, after = evidence.claim.original.column(name), evidence.released.column(name)
    dialect = evidence.released.dialect
    if dialect is None or after.dtype != nw.String:
        return same_column(before, after, evidence.claim.rows)
    old = as_array(before).take(pa.array(evidence.claim.rows))
    return same_text(old, as_array(after), dialect)


def no_leftovers(evidence: Evidence) -> str | None:
    """Columns store only what their cells show; frames carry no notes."""
    wrong: dict[str, list[str]] = {}
    for name in evidence.released.columns:
        for fault in faults(evidence.released.column(name), evidence.content is None):
            wrong.setdefault(fault, []).append(name)
    if wrong:
        return "; ".join(
            f"{len(names)} columns {fault}: {', '.join(names)}" for fault, names in wrong.items()
        )
    native = evidence.released.native
    if isinstance(native, pa.Table) and speaks(native.schema):
        return "the schema carries metadata"
    if getattr(native, "attrs", None):
        return "the frame carries attributes (attrs)"
    if any(_index_remembers(getattr(native, side, None)) for side in ("index", "columns")):
        return "the index remembers values that no record or column has"
    return None


def _index_remembers(index: Any) -> bool:
    """Whether a pandas index has levels or categories out of use."""
    for level, codes in zip(getattr(index, "levels", ()), getattr(index, "codes", ()), strict=False):
        if np.unique(codes[codes >= 0]).size != len(level) or _index_remembers(level):
            return True
    categories = getattr(index, "categories", None)
    return categories is not None and len(index.unique().dropna()) != len(categories)


def speaks(schema: pa.Schema) -> bool:
    """Whether a schema or one of its fields, at any depth, carries metadata."""
    return bool(schema.metadata) or any(_field_speaks(field) for field in schema)


def _field_speaks(field: pa.Field) -> bool:
    inner = [field.type.field(i) for i in range(field.type.num_fields)]
    return bool(field.metadata) or any(_field_speaks(child) for child in inner)


def groups_of_k(evidence: Evidence) -> str | None:
    """k records in each group, as published and as claimed, and no group across strata."""
    k, claimed, labels = evidence.claim.k, evidence.claimed_groups, evidence.claim.labels
    if k is None or k < 2:
        return f"k={k} promises nothing"
    if claimed is None or labels is None:
        return _NO_GROUPS
    mixed = int(claimed.max() - distinct(labels).max())
    if mixed:
        return f"{mixed} groups mix records of different strata"
    for groups, what in (
        (evidence.published_groups, "distinct rows of quasi-identifiers stand"),
        (claimed, "groups as claimed stand"),
    ):
        if few := too_few(groups, k):
            return (
                f"{few.short} of {few.of} {what} fewer than k={k} times within their stratum "
                f"(fewest: {few.fewest})"
            )
    return None


def k_units(evidence: Evidence) -> str | None:
    """k distinct firms or households in each group, as published and as claimed."""
    k, units, claimed = evidence.claim.k, evidence.units, evidence.claimed_groups
    if isinstance(units, str):
        return units
    if k is None or claimed is None:
        return _NO_GROUPS
    for groups in (evidence.published_groups, claimed):
        if few := too_few(groups, k, units):
            return (
                f"{few.short} of {few.of} groups have records of fewer than k={k} distinct units "
                f"(fewest: {few.fewest})"
            )
    return None


def group_means(evidence: Evidence) -> str | None:
    """Published cells are the exact mean (fsum) of each claimed group's originals, typed and spelled so."""
    claim, groups = evidence.claim, evidence.claimed_groups
    if groups is None:
        return _NO_GROUPS
    wrong = []
    for name in claim.original.quasi:
        if claim.original.scale(name) != "numeric":
            continue
        means = exact_means(evidence.originals(name), groups)
        if not publishes(evidence, name, means[groups]):
            wrong.append(name)
    if wrong:
        return f"{len(wrong)} columns hold values that are not the means of their groups: {', '.join(wrong)}"
    return None
