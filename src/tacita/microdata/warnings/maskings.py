"""Warnings about maskings, which form no groups of k records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tacita.core import DisclosureWarning, Floats, Ints
from tacita.microdata.protection.protect import ProtectedStep
from tacita.microdata.statistics.sample_uniqueness import FEW
from tacita.microdata.statistics.unit_counts import Company

from .finders import of_maskings


@of_maskings
def singled_out(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Records whose combination of masked values is rare."""
    if protected.partition is not None:
        return
    k = protected.claim.k or FEW
    cells = np.column_stack([protected.strata, np.nan_to_num(protected.released, nan=np.inf)])
    combination = np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1)
    few = int((protected.company.sharing(combination) < k).sum())
    if few:
        yield DisclosureWarning(
            "not-k-anonymous",
            f"The combination of masked values of these records {_rare_in(protected, k)} in their stratum. "
            "This release is not k-anonymous: anyone who knows several columns may find a record by them.",
            few,
            "If records must be indistinguishable, use a method that groups them, such as mdav.",
        )


def _rare_in(protected: ProtectedStep, k: int) -> str:
    if protected.company.units is None:
        return f"occurs fewer than {k} times"
    return f"occurs in fewer than {k} units"


@of_maskings
def cells_kept(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Masked columns that publish true values of records."""
    if protected.partition is not None:
        return
    same = protected.original == protected.released
    for j, name in enumerate(protected.claim.original.quasi):
        column = protected.original[:, j]
        if same[:, j].any() and np.unique(column[~np.isnan(column)]).size > 1:
            yield DisclosureWarning(
                "value-unchanged",
                f"Column {name} is published with the true value of the record in these records.",
                int(same[:, j].sum()),
                "Acceptable if many records share the value, such as zero; otherwise mask more strongly.",
            )


@of_maskings
def extremes_reproduced(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Columns whose largest and smallest true values are released, on any record."""
    if "marginals-preserved" not in protected.claim.guarantees:
        return
    varying = sum(np.unique(column[~np.isnan(column)]).size > 1 for column in protected.original.T)
    yield DisclosureWarning(
        "extremes-reproduced",
        "In these columns every true value is released, including the largest and the smallest, though on "
        "other records. A published value shows that a person in the file has it.",
        varying,
        "If a value itself identifies its owner, top-code or round extreme values first.",
    )


# A category that stays with this probability is as good as published.
_LIKELY = 0.95


@of_maskings
def rare_categories(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Categories of a random redraw that are rare in the originals or in the release."""
    if "drawn-from-matrix" not in protected.claim.guarantees:
        return
    for j, name in enumerate(protected.claim.original.quasi):
        before, after = protected.original[:, j], protected.released[:, j]
        rare = np.union1d(
            *(_rare(codes, protected.strata, protected.company) for codes in (before, after))
        ).size
        if rare:
            yield DisclosureWarning(
                "rare-categories",
                f"Fewer than {FEW} {protected.company.what} of a stratum have these categories of column "
                f"{name}, in the originals or in the release: a record with one is likely to be one of them.",
                rare,
                "Recode rare categories into larger ones first.",
            )


def _rare(codes: Floats, strata: Ints, company: Company) -> Ints:
    """Rare categories; stratum and category are coded as one number."""
    known = ~np.isnan(codes)
    width = int(codes[known].max(initial=0)) + 1
    counts = company.taken(np.flatnonzero(known)).sizes(strata[known] * width + codes[known].astype(np.int64))
    return np.flatnonzero((counts > 0) & (counts < FEW))


@of_maskings
def likely_unchanged(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Records whose published category is almost certainly the true one."""
    claim = protected.claim
    if "drawn-from-matrix" not in claim.guarantees or claim.labels is None:
        return
    likely = dict.fromkeys(claim.original.quasi, 0)
    # a claim has its rows in the order of the release
    labels = claim.labels[np.argsort(claim.rows)]
    for number, blocks in enumerate(claim.terms["transitions"]):
        rows = np.flatnonzero(labels == number)
        for block in blocks:
            stays = dict(zip(block.categories, np.diag(block.matrix).tolist(), strict=True))
            for combination, count in _combinations(protected, rows, block.columns).items():
                if stays.get(combination, 0.0) >= _LIKELY:
                    likely |= {name: likely[name] + count for name in block.columns}
    for name, count in likely.items():
        if count:
            yield DisclosureWarning(
                "likely-unchanged",
                f"Column {name}: the category of these records is kept with a probability of at least "
                f"{_LIKELY:g}, so the published category is almost certainly the true one.",
                count,
                "Lower pd and raise alpha, or use a matrix with a smaller diagonal.",
            )


def _combinations(
    protected: ProtectedStep, rows: Ints, columns: Sequence[str]
) -> dict[tuple[str | None, ...], int]:
    """Number of these records by combination of categories, given by their labels."""
    original = protected.claim.original
    positions = [original.quasi.index(name) for name in columns]
    labels = [original.levels(name).names for name in columns]
    cells = np.nan_to_num(protected.original[rows][:, positions], nan=-1.0).astype(np.int64)
    # sorting one column is far faster than sorting rows
    axis = None if len(positions) == 1 else 0
    combinations, counts = np.unique(cells, axis=axis, return_counts=True)
    labelled = (
        tuple(None if code < 0 else names[code] for code, names in zip(row, labels, strict=True))
        for row in combinations.reshape(-1, len(positions)).tolist()
    )
    return dict(zip(labelled, counts.tolist(), strict=True))


@of_maskings
def not_swapped(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Units at risk without a partner, and units that are missing from the swap rate."""
    terms = protected.claim.terms
    if "swapped-as-stated" not in protected.claim.guarantees:
        return
    if left := sum(terms["not_swapped"]):
        yield DisclosureWarning(
            "not-swapped",
            "These units are at risk in their area but were not swapped: no other unit with the same profile "
            "was left in another area.",
            left,
            "Add a list with fewer similar columns, or recode risk columns into larger classes.",
        )
    if short := sum(terms["too_few"]):
        yield DisclosureWarning(
            "swap-rate-not-met",
            "The swap rate was not reached: so many units had no partner.",
            short,
            "Add a list with fewer similar columns, or merge strata.",
        )
