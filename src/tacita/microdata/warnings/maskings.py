"""Where a release without groups of k records is thinner than it looks, each weakness with a count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tacita.core import Caution, Floats, Ints
from tacita.microdata.protection.protect import Protected
from tacita.microdata.statistics.sample_uniqueness import FEW
from tacita.microdata.statistics.unit_counts import Company

from .finders import of_maskings


@of_maskings
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


@of_maskings
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


@of_maskings
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


_LIKELY = 0.95


@of_maskings
def rare_categories(protected: Protected) -> Iterator[Caution]:
    """Categories drawn by chance that hardly anybody has, before or after."""
    if "drawn-from-matrix" not in protected.claim.guarantees:
        return
    for j, name in enumerate(protected.claim.original.quasi):
        before, after = protected.original[:, j], protected.released[:, j]
        rare = np.union1d(
            *(_rare(codes, protected.strata, protected.company) for codes in (before, after))
        ).size
        if rare:
            yield Caution(
                "rare-categories",
                f"Categories of column {name} that fewer than {FEW} {protected.company.what} of a stratum "
                "have, in the "
                "originals or in the release: whoever has one is likely to be one of them.",
                rare,
                "Recode rare categories into larger ones first.",
            )


def _rare(codes: Floats, strata: Ints, company: Company) -> Ints:
    """Stratum and category, in one number, of those that few have."""
    known = ~np.isnan(codes)
    width = int(codes[known].max(initial=0)) + 1
    counts = company.taken(np.flatnonzero(known)).sizes(strata[known] * width + codes[known].astype(np.int64))
    return np.flatnonzero((counts > 0) & (counts < FEW))


@of_maskings
def likely_unchanged(protected: Protected) -> Iterator[Caution]:
    """Records whose category is next to certain to be the true one."""
    claim = protected.claim
    if "drawn-from-matrix" not in claim.guarantees or claim.labels is None:
        return
    found = dict.fromkeys(claim.original.quasi, 0)
    # a claim has its rows in the order of the release
    labels = claim.labels[np.argsort(claim.rows)]
    for number, blocks in enumerate(claim.terms["transitions"]):
        rows = np.flatnonzero(labels == number)
        for block in blocks:
            stays = dict(zip(block.categories, np.diag(block.matrix).tolist(), strict=True))
            for each, count in _combinations(protected, rows, block.columns).items():
                if stays.get(each, 0.0) >= _LIKELY:
                    found |= {name: found[name] + count for name in block.columns}
    for name, count in found.items():
        if count:
            yield Caution(
                "likely-unchanged",
                f"Column {name}: the category of these records stays with a probability of at least "
                f"{_LIKELY:g}. What is published of them is next to certain.",
                count,
                "Lower pd and raise alpha, or give a matrix with a smaller diagonal.",
            )


def _combinations(
    protected: Protected, rows: Ints, columns: Sequence[str]
) -> dict[tuple[str | None, ...], int]:
    """How many of some records have each combination of categories, by their names."""
    original = protected.claim.original
    places = [original.quasi.index(name) for name in columns]
    texts = [original.levels(name).names for name in columns]
    cells = np.nan_to_num(protected.original[rows][:, places], nan=-1.0).astype(np.int64)
    # one column is sorted far faster than rows
    along = None if len(places) == 1 else 0
    found, counts = np.unique(cells, axis=along, return_counts=True)
    named = (
        tuple(None if code < 0 else names[code] for code, names in zip(row, texts, strict=True))
        for row in found.reshape(-1, len(places)).tolist()
    )
    return dict(zip(named, counts.tolist(), strict=True))


@of_maskings
def not_swapped(protected: Protected) -> Iterator[Caution]:
    """Units at risk that found no partner, and units that the rate lacks."""
    terms = protected.claim.terms
    if "swapped-as-stated" not in protected.claim.guarantees:
        return
    if left := sum(terms["not_swapped"]):
        yield Caution(
            "not-swapped",
            "Units at risk in their area that stayed in it: no other unit of the same profile was left in "
            "another area.",
            left,
            "Name a further list of fewer similar columns, or recode risk columns into larger classes.",
        )
    if short := sum(terms["too_few"]):
        yield Caution(
            "swap-rate-not-met",
            "Units that should have changed places by the rate, and found no partner.",
            short,
            "Name a further list of fewer similar columns, or merge strata.",
        )
