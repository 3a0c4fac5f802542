"""Promises about masked columns one by one: well-formed cells, groups of k inside each column."""

from __future__ import annotations

import numpy as np

from tacita.core import Ints

from .evidence import Evidence, distinct, exact_means, publishes, too_few
from .pram import categories_masked


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
        return f"{len(moved)} columns miss other values than the originals do: {', '.join(moved)}"
    if odd:
        return f"{len(odd)} columns hold cells of another type or spelling: {', '.join(odd)}"
    if len(same) == len(claim.original.quasi):
        return f"{len(same)} columns are as they were in every record: {', '.join(same)}"
    return None


def column_groups(evidence: Evidence) -> str | None:
    """k records behind each value of a column, as published and as claimed, and no group across strata."""
    k = evidence.claim.k
    if k is None or k < 2:
        return f"k={k} promises nothing"
    labels = _labels(evidence)
    if labels is None:
        return "the claim does not name a group for each cell"
    for j, name in enumerate(evidence.claim.original.quasi):
        claimed = distinct(evidence.strata, labels[:, j])
        mixed = int(claimed.max() - distinct(labels[:, j]).max())
        if mixed:
            return f"{mixed} groups of column {name} mix records of different strata"
        for groups, what in ((evidence.published_values(name), "values"), (claimed, "groups as claimed")):
            if few := too_few(groups, k):
                return (
                    f"{few.short} of {few.of} {what} of column {name} stand fewer than k={k} times "
                    f"within their stratum (fewest: {few.fewest})"
                )
    return None


def column_units(evidence: Evidence) -> str | None:
    """k distinct firms or households behind each value of a column, as published and as claimed."""
    k, labels = evidence.claim.k, _labels(evidence)
    if k is None or labels is None:
        return "the claim does not name a group for each cell"
    units = evidence.units
    if isinstance(units, str):
        return units
    for j, name in enumerate(evidence.claim.original.quasi):
        for groups in (evidence.published_values(name), distinct(evidence.strata, labels[:, j])):
            if few := too_few(groups, k, units):
                return (
                    f"{few.short} of {few.of} values of column {name} stand for records of fewer "
                    f"than k={k} distinct units (fewest: {few.fewest})"
                )
    return None


def column_means(evidence: Evidence) -> str | None:
    """Published cells are the exact mean (fsum) of their column's claimed group, typed and spelled so."""
    claim, labels = evidence.claim, _labels(evidence)
    if labels is None:
        return "the claim does not name a group for each cell"
    wrong = []
    for j, name in enumerate(claim.original.quasi):
        groups = distinct(evidence.strata, labels[:, j])
        means = exact_means(evidence.originals(name), groups)
        if not publishes(evidence, name, means[groups]):
            wrong.append(name)
    if wrong:
        return f"{len(wrong)} columns hold values that are not the means of their groups: {', '.join(wrong)}"
    return None


def _labels(evidence: Evidence) -> Ints | None:
    labels = evidence.claim.labels
    return labels if labels is not None and labels.ndim == 2 else None
