"""Where synthetic values are nearer to the truth, or their records easier to find, than the word suggests."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from tacita.core import DisclosureWarning, Ints, Matrix
from tacita.microdata.methods.synthesis.mixed import MAX_ADVANTAGE
from tacita.microdata.protection.protect import ProtectedStep

from .finders import Finished, of_releases, of_synthesis

# A released extreme so near to the true one, in standard deviations, publishes it.
_NEAR_EXTREME = 0.01
# A value so near to the true one was hardly drawn anew.
_NEAR = 1e-3
# With fewer records for each attribute, exact moments say a lot about every one of them.
_RECORDS_PER_ATTRIBUTE = 10
# What halves of the file say of records and numbers that come back: whether that is chance.
_VERDICT = {True: "as chance has it", False: "and the difference is more than chance"}


def is_synthetic(protected: ProtectedStep) -> bool:
    """Whether columns were drawn anew."""
    roles = protected.claim.original.roles
    return roles is not None and bool(roles.dependent)


@of_releases
def unchanged_next_to_synthetic(release: Finished) -> Iterator[DisclosureWarning]:
    """Columns that are neither dependent nor independent, and that no other step has changed."""
    changed = {name for step in release.made.steps for name in step.columns}
    for step, naming in release.steps("synthesis"):
        yield from map(naming, _unchanged(step, changed))


def _unchanged(protected: ProtectedStep, changed: Collection[str]) -> Iterator[DisclosureWarning]:
    roles = protected.claim.original.roles
    if roles is None or not roles.dependent:
        return
    apart = [name for name in protected.data.columns if name not in {*roles.dependent, *roles.independent}]
    apart = [name for name in apart if name not in roles.strata and name not in changed]
    if apart:
        yield DisclosureWarning(
            "beside-synthetic",
            "Columns that are neither dependent nor independent are released as they were, next to synthetic "
            f"values ({', '.join(apart)}): a record can be found by them, and how they go with the dependent "
            "columns is lost.",
            len(apart),
            "Draw them anew as well, make them independent, or leave them out as identifiers.",
        )


def of_all_kinds(protected: ProtectedStep) -> bool:
    """Whether the columns drawn anew may be categories and have gaps: then other promises hold of them."""
    return "values-redrawn" in protected.claim.guarantees


@of_synthesis
def extremes_near(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Dependent columns whose largest or smallest value is all but the true one."""
    if not is_synthetic(protected) or of_all_kinds(protected):
        return
    before, after = protected.original, protected.released
    room = _NEAR_EXTREME * before.std(axis=0)
    near = (np.abs(before.max(axis=0) - after.max(axis=0)) <= room) | (
        np.abs(before.min(axis=0) - after.min(axis=0)) <= room
    )
    if near.any():
        names = [name for name, one in zip(protected.claim.original.quasi, near, strict=True) if one]
        yield DisclosureWarning(
            "extremes-reproduced",
            f"In these columns the largest or smallest synthetic value is all but the true one "
            f"({', '.join(names)}): that such a value is there is a fact about somebody.",
            len(names),
            "Top-code extreme values first, or use ipso-c, which does not restore distributions.",
        )


@of_synthesis
def values_near(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Synthetic values that are nearly the record's own."""
    if not is_synthetic(protected) or of_all_kinds(protected):
        return
    close = np.abs(protected.original - protected.released) <= _NEAR * protected.original.std(axis=0)
    for name, count in zip(protected.claim.original.quasi, close.sum(axis=0), strict=True):
        if count:
            yield DisclosureWarning(
                "value-unchanged",
                f"Column {name} comes out within a thousandth of its spread from the truth in these records.",
                int(count),
                "A few are chance; where there are many, the independent columns tell the value.",
            )


@of_synthesis
def exact_moments(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Moments published to the last digit, and too few records to hide behind them."""
    promised = protected.claim.guarantees
    if not is_synthetic(protected) or "means-preserved" not in promised:
        return
    dependent = len(protected.claim.original.quasi)
    beside = len(protected.claim.original.used) - dependent
    strata = int(protected.strata.max()) + 1
    figures = dependent * (1 + beside)
    if "covariances-preserved" in promised:
        figures += dependent * (dependent + 1) // 2
    yield DisclosureWarning(
        "exact-moments",
        "Means and other moments of the originals are published exactly. From a second release of nearly the "
        "same records, the difference gives away who joined or left.",
        figures * strata,
        "Release these records once; for a new wave use ipso-a or gadp, which keep moments on average only.",
    )
    small = int((np.bincount(protected.strata) < _RECORDS_PER_ATTRIBUTE * (dependent + beside + 1)).sum())
    if small:
        yield DisclosureWarning(
            "few-records",
            f"Strata, or whole files, with fewer than {_RECORDS_PER_ATTRIBUTE} records for each attribute: "
            "their exact moments leave little about them open.",
            small,
            "Merge strata, use fewer attributes, or a method without exact moments.",
        )


@of_synthesis
def copies(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Records drawn that are, or nearly are, an original which is the only one of its kind. O(n d log n)."""
    if not of_all_kinds(protected):
        return
    data, rows = protected.claim.original, np.sort(protected.claim.rows)
    before, after = protected.original, protected.released
    numeric = np.array([data.scale(name) == "numeric" for name in data.quasi])
    step = np.where(numeric, _NEAR_EXTREME * np.nan_to_num(np.nanstd(before, axis=0)), 0.0)
    step = np.where(step > 0, step, 1.0)
    # unchanged columns are related to both
    kept = data.coded(data.used)[rows][:, len(data.quasi) :]
    owners = protected.company.units
    exact = _replicas(before, after, protected.strata, kept, owners)
    if exact:
        yield DisclosureWarning(
            "replicated-uniques",
            "These records equal, on all dependent and independent columns, an original that is the only one "
            f"of its kind{'' if owners is None else ' or stands in one unit alone'}: "
            f"{_recall_rates(protected)}.",
            exact,
            "Say in the note that records are drawn; coarsen columns, or raise k, where there are many.",
        )
    if numeric.any():
        near = (
            _replicas(np.rint(before / step), np.rint(after / step), protected.strata, kept, owners) - exact
        )
        if near > 0:
            yield DisclosureWarning(
                "near-copies",
                "These records are within a hundredth of the spread of such an original in every number, and "
                "equal to it in every category.",
                near,
                "As for replicated uniques.",
            )


def _recall_rates(protected: ProtectedStep) -> str:
    """How often unique records come back, of those that a model saw and of others."""
    membership = protected.membership
    if membership is None:
        return "whether that is chance was not measured, since halves of the file are too small to be fitted"
    members, others = membership.shares().mean(axis=0).tolist()
    of_halves = (
        f"of a half of the file that a model was fitted on {members:.1f} % of such come back, of the other "
        f"half {others:.1f} %"
    )
    return f"{of_halves}, {_VERDICT[membership.by_chance]}"


@of_synthesis
def rare_values(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Numbers that one unit alone has, published to the digit. O(n log n) a column."""
    if not of_all_kinds(protected):
        return
    data, owners = protected.claim.original, protected.company.units
    shown = np.zeros(len(protected.released), dtype=bool)
    names = []
    for j, name in enumerate(data.quasi):
        if data.scale(name) != "numeric":
            continue
        before, after = _columns(protected, j)
        here = ~np.isnan(before)
        whose = np.flatnonzero(here) if owners is None else owners[here]
        pairs = np.unique(np.column_stack([before[here], whose.astype(np.float64)]), axis=0)
        values, counts = np.unique(pairs[:, 0], return_counts=True)
        back = np.isin(after, values[counts == 1])
        names += [name] if back.any() else []
        shown |= back
    if not shown.any():
        return
    membership = protected.membership
    shares = None if membership is None else membership.value_shares
    one = "record" if owners is None else "unit"
    if membership is None or shares is None:
        verdict = "whether that is chance was not measured"
    else:
        verdict = (
            f"of a half of the file that a model was fitted on {shares[0]:.1f} % of such numbers come back, "
            f"of the other half {shares[1]:.1f} %, "
            f"{_VERDICT[membership.values_by_chance]}"
        )
    yield DisclosureWarning(
        "rare-values",
        f"These records carry, in {', '.join(names)}, a number that one {one} alone has: {verdict}.",
        int(shown.sum()),
        "Round the columns, or raise k, where the difference is more than chance; else say in the note that "
        "numbers are drawn.",
    )


@of_synthesis
def membership_open(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """What the comparison of halves leaves open, or was accepted."""
    if not of_all_kinds(protected):
        return
    membership = protected.membership
    if membership is None:
        yield DisclosureWarning(
            "membership-not-measured",
            "Whether the release tells who was in the file could not be measured: halves of it, or of its "
            "strata, are too small to be fitted with this k.",
            protected.data.n,
            "Merge strata, or lower k, to have it measured; small files are remembered most easily.",
        )
        return
    low, high = membership.interval
    figures = (
        f"unique records of a half that was fitted come back {membership.advantage:.1f} points more often "
        f"than others (95 %: {low:.1f} to {high:.1f}), where {membership.limit:g} are allowed"
    )
    if membership.outcome == "undecided":
        yield DisclosureWarning(
            "membership-undecided",
            f"The file has too few unique records to tell whether the release remembers them: {figures}.",
            int(membership.unique.sum()),
            "Few persons are concerned; raise k where they must not be found.",
        )
    elif membership.outcome == "above" or high > MAX_ADVANTAGE:
        accepted = "was accepted" if membership.outcome == "above" else "keeps the limit that was set"
        yield DisclosureWarning(
            "membership",
            f"The release tells who was in the file, and {accepted}: {figures}.",
            int(membership.unique.sum()),
            "Raise k, leave it to be found, or take copula.",
        )


def _replicas(before: Matrix, after: Matrix, strata: Ints, kept: Matrix, owners: Ints | None) -> int:
    """How many rows of `after` stand in `before` once, or in one unit alone."""
    both = np.vstack([np.column_stack([strata, kept, before]), np.column_stack([strata, kept, after])])
    _, combination = np.unique(np.nan_to_num(both, nan=np.inf), axis=0, return_inverse=True)
    combination = combination.reshape(-1)
    mine = combination[: len(before)]
    if owners is not None:
        mine = np.unique(np.column_stack([mine, owners]), axis=0)[:, 0]
    holders = np.bincount(mine, minlength=int(combination.max()) + 1)
    return int((holders[combination[len(before) :]] == 1).sum())


@of_synthesis
def levels_lost(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Categories that too few originals have to be drawn from them."""
    if not of_all_kinds(protected):
        return
    for j, name in enumerate(protected.claim.original.quasi):
        if protected.claim.original.scale(name) == "numeric":
            continue
        before, after = (set(values[~np.isnan(values)]) for values in _columns(protected, j))
        if lost := len(before - after):
            yield DisclosureWarning(
                "levels-lost",
                f"Column {name} has these categories in the originals and not in the release: fewer than k "
                f"{protected.company.what} have them, or chance drew none.",
                lost,
                "Coarsen the column first (recode) where users need them.",
            )


def _columns(protected: ProtectedStep, j: int) -> tuple[Matrix, Matrix]:
    return protected.original[:, j], protected.released[:, j]
