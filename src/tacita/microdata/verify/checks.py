"""One function per guarantee: what is wrong with a release, in counts, or None. Never a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import narwhals as nw
import numpy as np
import pyarrow as pa

from tacita.core import Ints

from .cells import as_array, same_column, same_text
from .evidence import Evidence, distinct, exact_means, publishes, too_few
from .pram import categories_masked

_NO_GROUPS = "the claim does not name one group for each record"
_NO_CELL_GROUPS = "the claim does not name a group for each cell"


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
    every = np.concatenate([claim.rows, claim.dropped_rows, claim.dropped_later])
    if not np.array_equal(np.sort(every), np.arange(claim.original.n)):
        return "released rows and those that left are not the source's rows, each once"
    if stayed := int(evidence.incomplete[claim.rows].sum()):
        return f"{stayed} records with missing values were not dropped"
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
        return f"{left} records were removed by no rule" if left and not ruled else None
    there = np.flatnonzero(~evidence.incomplete)
    for number, step in enumerate(claim.steps, 1):
        known = (
            step.original.n == there.size and _within(step.rows, there) and _within(step.dropped_rows, there)
        )
        if not known or not np.array_equal(there[step.rows], claim.rows):
            return f"step {number} names other records than those that remained"
        there = np.delete(there, step.dropped_rows)
    wrong = np.setxor1d(there, claim.rows).size
    return f"{wrong} records left, or stayed, by a rule of no step" if wrong else None


def _within(rows: Ints, there: Ints) -> bool:
    return bool(((rows >= 0) & (rows < there.size)).all())


def others_identical(evidence: Evidence) -> str | None:
    """Columns that no step masks."""
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


def groups_of_k(evidence: Evidence) -> str | None:
    """k records in each group, as published and as claimed, and no group across strata."""
    k, claimed, labels = evidence.claim.k, evidence.claimed_groups, evidence.claim.labels
    if k is None or k < 2:
        return f"k={k} promises nothing"
    if claimed is None or labels is None:
        return _NO_GROUPS
    return _group_fault(k, labels, evidence.published_groups, claimed, "distinct rows of quasi-identifiers")


def _group_fault(
    k: int, labels: Ints, published: Ints, claimed: Ints, rows: str, column: str = ""
) -> str | None:
    """Groups that mix strata or stand fewer than k times, published (`rows` says of what) or claimed."""
    mixed = int(claimed.max() - distinct(labels).max())
    if mixed:
        return f"{mixed} groups{column} mix records of different strata"
    for groups, what in ((published, rows), (claimed, "groups as claimed")):
        if few := too_few(groups, k):
            return (
                f"{few.short} of {few.of} {what}{column} occur fewer than k={k} times within their stratum "
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
    return _unit_fault(k, units, (evidence.published_groups, claimed), "groups have")


def _unit_fault(k: int, units: Ints, groupings: Iterable[Ints], what: str) -> str | None:
    for groups in groupings:
        if few := too_few(groups, k, units):
            return (
                f"{few.short} of {few.of} {what} records of fewer than k={k} distinct units "
                f"(fewest: {few.fewest})"
            )
    return None


def group_means(evidence: Evidence) -> str | None:
    """Published cells are the exact mean (fsum) of each claimed group's originals, typed and spelled so."""
    claim, groups = evidence.claim, evidence.claimed_groups
    if groups is None:
        return _NO_GROUPS
    numeric = [name for name in claim.original.quasi if claim.original.scale(name) == "numeric"]
    return _means_fault(evidence, dict.fromkeys(numeric, groups))


def _means_fault(evidence: Evidence, groups: Mapping[str, Ints]) -> str | None:
    """Columns whose cells are not the means of their groups, typed and spelled so."""
    wrong = [
        name
        for name, own in groups.items()
        if not publishes(evidence, name, exact_means(evidence.originals(name), own)[own])
    ]
    if wrong:
        return f"{len(wrong)} columns hold values that are not the means of their groups: {', '.join(wrong)}"
    return None


def masked_cells(evidence: Evidence) -> str | None:
    """Numbers, typed and spelled as declared, missing exactly where the original is or was suppressed.

    Categories are cells of the source, and not all as they were.
    """
    claim = evidence.claim
    moved: list[str] = []
    odd: list[str] = []
    same: list[str] = []
    faults = {"moved": moved, "odd": odd, "same": same}
    for name in claim.original.quasi:
        if claim.original.scale(name) != "numeric":
            if (fault := categories_masked(evidence, name)) is not None:
                faults[fault].append(name)
            continue
        published = evidence.released.numbers(name)
        gaps = np.isnan(evidence.originals(name)) | evidence.emptied(name)
        if not np.array_equal(gaps, np.isnan(published)):
            moved.append(name)
        elif not publishes(evidence, name, published):
            odd.append(name)
    if moved:
        return f"{len(moved)} columns have other missing values than the originals: {', '.join(moved)}"
    if odd:
        return f"{len(odd)} columns hold cells of another type or spelling: {', '.join(odd)}"
    if len(same) == len(claim.original.quasi):
        return f"{len(same)} columns are unchanged in every record: {', '.join(same)}"
    return None


def column_groups(evidence: Evidence) -> str | None:
    """k records behind each value of a column, as published and as claimed, and no group across strata."""
    k = evidence.claim.k
    if k is None or k < 2:
        return f"k={k} promises nothing"
    labels = _labels(evidence)
    if labels is None:
        return _NO_CELL_GROUPS
    for j, name in enumerate(evidence.claim.original.quasi):
        claimed = distinct(evidence.strata, labels[:, j])
        column = f" of column {name}"
        if fault := _group_fault(k, labels[:, j], evidence.published_values(name), claimed, "values", column):
            return fault
    return None


def column_units(evidence: Evidence) -> str | None:
    """k distinct firms or households behind each value of a column, as published and as claimed."""
    k, labels = evidence.claim.k, _labels(evidence)
    if k is None or labels is None:
        return _NO_CELL_GROUPS
    units = evidence.units
    if isinstance(units, str):
        return units
    for j, name in enumerate(evidence.claim.original.quasi):
        groupings = (evidence.published_values(name), distinct(evidence.strata, labels[:, j]))
        if fault := _unit_fault(k, units, groupings, f"values of column {name} stand for"):
            return fault
    return None


def column_means(evidence: Evidence) -> str | None:
    """Published cells are the exact mean (fsum) of their column's claimed group, typed and spelled so."""
    claim, labels = evidence.claim, _labels(evidence)
    if labels is None:
        return _NO_CELL_GROUPS
    columns = enumerate(claim.original.quasi)
    return _means_fault(evidence, {name: distinct(evidence.strata, labels[:, j]) for j, name in columns})


def _labels(evidence: Evidence) -> Ints | None:
    labels = evidence.claim.labels
    return labels if labels is not None and labels.ndim == 2 else None
