"""Warnings about groups and their means, and about codes that were averaged as numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import DisclosureWarning, Ints, Mask
from tacita.microdata.protection.protect import ProtectedStep

from .finders import of_steps

# So few different whole numbers, each in so many records, are more often codes than quantities.
_FEW_VALUES = 10
_RECORDS_PER_VALUE = 5


@of_steps
def zero_variance(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    if protected.partition is None:
        return
    same = protected.original == protected.released
    labels, sizes = protected.partition.labels, protected.partition.sizes
    true_cells = sizes[:, None] == np.array([np.bincount(labels, weights=column) for column in same.T]).T
    all_equal = int(true_cells.all(axis=1).sum())
    if all_equal:
        yield DisclosureWarning(
            "group-equals-members",
            "All members of these groups have the same values, so the groups are published with their true "
            "values on all quasi-identifiers.",
            all_equal,
            "Only the size of the group protects them; raise k if that is too little.",
        )
    for j, name in enumerate(protected.claim.original.quasi):
        column = protected.original[:, j]
        present = column[~np.isnan(column)]
        if (
            protected.claim.original.scale(name) == "numeric"
            and present.size
            and present.min() == 0
            and present.max() > 0
        ):
            zeros = int((true_cells[:, j] & _group_is_zero(protected, labels, j)).sum())
            if zeros:
                yield DisclosureWarning(
                    "mean-at-bound",
                    f"In these groups every value of {name} is 0, so the published mean 0 reveals it.",
                    zeros,
                    "If zeros are sensitive, raise k.",
                )


def _group_is_zero(protected: ProtectedStep, labels: Ints, j: int) -> Mask:
    zero = np.zeros(int(labels.max()) + 1, dtype=bool)
    zero[labels] = protected.released[:, j] == 0
    return zero


@of_steps
def constant_columns(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    for j, name in enumerate(protected.claim.original.quasi):
        column = protected.original[:, j]
        if np.unique(column[~np.isnan(column)]).size <= 1:
            yield DisclosureWarning(
                "constant-column",
                f"Column {name} has the same value in all records and does not affect the grouping.",
                protected.data.n,
                "Remove it from the quasi-identifiers or from the release.",
            )


@of_steps
def codes_averaged(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Columns that look like codes, published with values between the codes."""
    data, roles = protected.claim.original, protected.claim.original.roles
    declared = roles.numeric if roles is not None else ()
    for j, name in enumerate(data.quasi):
        if name in declared or data.scale(name) != "numeric" or not data.is_integer(name):
            continue
        column, after = protected.original[:, j], protected.released[:, j]
        values = np.unique(column[~np.isnan(column)])
        if values.size > _FEW_VALUES or _RECORDS_PER_VALUE * values.size > column.size:
            continue
        odd = int((~np.isnan(after) & ~np.isin(after, values)).sum())
        if odd:
            yield DisclosureWarning(
                "codes-averaged",
                f"Column {name} has only {values.size} different whole numbers, which look like codes. In "
                "these records it is published with a value that is none of them.",
                odd,
                "Declare it nominal or ordinal and use gower; or numeric, if it is a count.",
            )


@of_steps
def unrounded_integers(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    data = protected.claim.original
    if protected.claim.labels is None:
        # without groups nothing published is a mean
        return
    numeric = [name for name in data.quasi if data.scale(name) == "numeric"]
    plain = [name for name in numeric if name not in protected.claim.rounded and data.is_integer(name)]
    if plain:
        yield DisclosureWarning(
            "unrounded-integers",
            f"Whole numbers are published as exact means ({', '.join(plain)}): the mean times the group size "
            "is the exact total of the group.",
            len(plain),
            "Release with round-integers to publish whole numbers.",
        )


@of_steps
def homogeneous(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    if protected.partition is None:
        return
    data, labels = protected.claim.original, protected.partition.labels
    # labels follow the kept rows in source order, rows the released order
    kept = np.sort(protected.claim.rows)
    for name in data.roles.confidential if data.roles else ():
        # "Cancer" and "cancer " are one value to a reader
        values = data.alike(name).codes[kept]
        alike = _homogeneous(protected, labels, values)
        if alike:
            yield DisclosureWarning(
                "homogeneous-confidential",
                f"In these groups all {protected.company.members} have the same value of the confidential "
                f"column {name}: anyone who finds the group learns the value.",
                alike,
                "Raise k, or mask the confidential column as well.",
            )


def _homogeneous(protected: ProtectedStep, labels: Ints, values: Ints) -> int:
    """Number of groups with a value that all members have.

    With units: a value that every unit has, even if some of its records have another.
    """
    pairs, pair_of_row = np.unique(np.column_stack([labels, values]), axis=0, return_inverse=True)
    sizes, having = protected.company.sizes(labels), protected.company.sizes(pair_of_row.reshape(-1))
    return int(np.unique(pairs[having == sizes[pairs[:, 0]], 0]).size)


@of_steps
def thin_strata(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    counts = protected.company.sizes(protected.strata)
    thin = int((counts < 2 * (protected.claim.k or 0)).sum())
    if thin:
        yield DisclosureWarning(
            "thin-strata",
            f"Strata with fewer than 2k {protected.company.what} form one group: the mean of the stratum is "
            "published.",
            thin,
            "Merge small strata.",
        )
