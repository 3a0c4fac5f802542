"""Where a release without groups of k records is thinner than it looks, each weakness with a count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import Caution
from tacita.microdata.protection.protect import Protected
from tacita.microdata.statistics.sample_uniqueness import FEW


def singled_out(protected: Protected) -> Iterator[Caution]:
    """Records whose masked values, taken together, few others share."""
    if protected.partition is not None:
        return
    k = protected.claim.k or FEW
    cells = np.column_stack([protected.strata, np.nan_to_num(protected.released, nan=np.inf)])
    combination = np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1)
    few = int((protected.company.sharing(combination) < k).sum())
    if few:
        yield Caution(
            "not-k-anonymous",
            f"Records whose combination of masked values {_stands(protected, k)} in their stratum: this "
            "release is not k-anonymous, and whoever knows several columns may find a record by them.",
            few,
            "Where records must not be told apart, use a method that groups them, such as mdav.",
        )


def _stands(protected: Protected, k: int) -> str:
    if protected.company.units is None:
        return f"stands fewer than {k} times"
    return f"is that of fewer than {k} units"


def cells_kept(protected: Protected) -> Iterator[Caution]:
    """Masked columns that publish true values."""
    if protected.partition is not None:
        return
    same = protected.original == protected.released
    for j, name in enumerate(protected.claim.original.quasi):
        column = protected.original[:, j]
        if same[:, j].any() and np.unique(column[~np.isnan(column)]).size > 1:
            yield Caution(
                "value-unchanged",
                f"Column {name} is published with the record's true value in these records.",
                int(same[:, j].sum()),
                "Acceptable where many records share the value, such as zero; otherwise mask more strongly.",
            )


def extremes_reproduced(protected: Protected) -> Iterator[Caution]:
    """Columns whose largest and smallest true values stand in the release, on whatever record."""
    if "marginals-preserved" not in protected.claim.guarantees:
        return
    varying = sum(np.unique(column[~np.isnan(column)]).size > 1 for column in protected.original.T)
    yield Caution(
        "extremes-reproduced",
        "In these columns every true value stands in the release, the largest and smallest too, on other "
        "records: that a value is there is a fact about somebody.",
        varying,
        "Cut off or round extreme values first where a value alone tells whose it is.",
    )


def unit_unused(protected: Protected) -> Iterator[Caution]:
    """Units named for a masking that cannot count them."""
    roles = protected.claim.original.roles
    labels = protected.claim.labels
    by_groups = labels is not None and (protected.partition is not None or labels.ndim == 2)
    if roles is None or roles.unit is None or by_groups or protected.method.unit_aware:
        return
    rows = protected.claim.rows
    several = int((np.bincount(protected.claim.original.alike(roles.unit).codes[rows]) > 1).sum())
    if not several:
        return
    yield Caution(
        "unit-unused",
        f"This method treats each record by itself. Unit column {roles.unit} plays no part, and over the "
        "records of one unit chance averages out: these units have several.",
        several,
        "Release one record a unit, or use a method that groups records of k units.",
    )
