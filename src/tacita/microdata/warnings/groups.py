"""What groups and their means give away, and columns that are no numbers although they look so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import Caution, Ints, Mask
from tacita.microdata.protection.protect import Protected

from .finders import of_steps

# So few different whole numbers, each in so many records, are more often codes than quantities.
_FEW_VALUES = 10
_RECORDS_PER_VALUE = 5


@of_steps
def zero_variance(protected: Protected) -> Iterator[Caution]:
    if protected.partition is None:
        return
    same = protected.original == protected.released
    labels, sizes = protected.partition.labels, protected.partition.sizes
    true_cells = sizes[:, None] == np.array([np.bincount(labels, weights=column) for column in same.T]).T
    whole = int(true_cells.all(axis=1).sum())
    if whole:
        yield Caution(
            "group-equals-members",
            "Groups whose members were already alike are published with their true values on all "
            "quasi-identifiers.",
            whole,
            "They hide in the number, not in the values; raise k if that is too thin.",
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
                yield Caution(
                    "mean-at-bound",
                    f"Column {name} is never negative, so a published 0 tells that all of the group are 0.",
                    zeros,
                    "Acceptable where a zero is not sensitive; otherwise raise k.",
                )


def _group_is_zero(protected: Protected, labels: Ints, j: int) -> Mask:
    zero = np.zeros(int(labels.max()) + 1, dtype=bool)
    zero[labels] = protected.released[:, j] == 0
    return zero


@of_steps
def constant_columns(protected: Protected) -> Iterator[Caution]:
    for j, name in enumerate(protected.claim.original.quasi):
        column = protected.original[:, j]
        if np.unique(column[~np.isnan(column)]).size <= 1:
            yield Caution(
                "constant-column",
                f"Column {name} has one single value and plays no part in the grouping.",
                protected.data.n,
                "Leave it out of the quasi-identifiers, or out of the release.",
            )


@of_steps
def codes_averaged(protected: Protected) -> Iterator[Caution]:
    """Numbers that look like codes, published as values that are none."""
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
            yield Caution(
                "codes-averaged",
                f"Column {name} holds {values.size} different whole numbers, as codes do, and is published "
                "with values that are none of them in these records.",
                odd,
                "Declare it nominal or ordinal and use gower; or numeric, if it counts something.",
            )


@of_steps
def unrounded_integers(protected: Protected) -> Iterator[Caution]:
    data = protected.claim.original
    if protected.claim.labels is None:
        # without groups nothing published is a mean
        return
    numeric = [name for name in data.quasi if data.scale(name) == "numeric"]
    plain = [name for name in numeric if name not in protected.claim.rounded and data.is_integer(name)]
    if plain:
        yield Caution(
            "unrounded-integers",
            f"Whole numbers are published as exact means ({', '.join(plain)}): mean times group size is the "
            "group's exact total.",
            len(plain),
            "Release with round-integers to publish whole numbers.",
        )


@of_steps
def homogeneous(protected: Protected) -> Iterator[Caution]:
    if protected.partition is None:
        return
    data, labels = protected.claim.original, protected.partition.labels
    # labels follow the kept rows in source order, rows the released order
    kept = np.sort(protected.claim.rows)
    for name in data.roles.confidential if data.roles else ():
        # "Cancer" and "cancer " are one value to whoever reads them
        values = data.alike(name).codes[kept]
        alike = _homogeneous(protected, labels, values)
        if alike:
            yield Caution(
                "homogeneous-confidential",
                f"In these groups all {protected.company.members} share one value of the confidential column "
                f"{name}: finding the group is finding the value.",
                alike,
                "Raise k, or mask the confidential column as well.",
            )


def _homogeneous(protected: Protected, labels: Ints, values: Ints) -> int:
    """Groups with a value that all members have; all units, where a unit may have others beside."""
    pairs, of = np.unique(np.column_stack([labels, values]), axis=0, return_inverse=True)
    sizes, having = protected.company.sizes(labels), protected.company.sizes(of.reshape(-1))
    return int(np.unique(pairs[having == sizes[pairs[:, 0]], 0]).size)


@of_steps
def thin_strata(protected: Protected) -> Iterator[Caution]:
    counts = protected.company.sizes(protected.strata)
    thin = int((counts < 2 * (protected.claim.k or 0)).sum())
    if thin:
        yield Caution(
            "thin-strata",
            f"Strata with fewer than 2k {protected.company.what} are one group: their mean is published.",
            thin,
            "Merge small strata.",
        )
