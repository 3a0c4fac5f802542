"""Warnings about synthetic releases: values close to the originals, and records that can be found."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial

import numpy as np

from tacita.core import Caution, Ints, Matrix
from tacita.microdata.methods.synthesis.mixed import MAX_ADVANTAGE
from tacita.microdata.protection.protect import Protected

from .finders import Finished, of_releases, of_synthesis

# A released extreme within so many standard deviations of the true one discloses it.
_NEAR_EXTREME = 0.01
# A value within so many standard deviations of the true one counts as unchanged.
_NEAR = 1e-3
# With fewer records per attribute, exact moments disclose much about single records.
_RECORDS_PER_ATTRIBUTE = 10
# Whether the two halves of the file differ by more than chance.
_VERDICT = {True: "which chance explains", False: "and the difference is more than chance"}


def is_synthetic(protected: Protected) -> bool:
    """Whether columns were synthesised."""
    roles = protected.claim.original.roles
    return roles is not None and bool(roles.dependent)


@of_releases
def beside_synthetic(release: Finished) -> Iterator[Caution]:
    """Columns that are neither dependent nor independent, and that no other step has changed."""
    changed = {name for step in release.made.steps for name in step.columns}
    yield from release.by_step(partial(_outside_model, changed=changed), synthetic=True)


def _outside_model(protected: Protected, changed: Collection[str]) -> Iterator[Caution]:
    roles = protected.claim.original.roles
    if roles is None or not roles.dependent:
        return
    elsewhere = {*roles.dependent, *roles.independent, *roles.strata, *changed}
    outside_model = [name for name in protected.data.columns if name not in elsewhere]
    if outside_model:
        yield Caution(
            "beside-synthetic",
            "Columns that are neither dependent nor independent are released unchanged with synthetic values "
            f"({', '.join(outside_model)}). Records can be found by them, and their relations with the "
            "dependent columns are lost.",
            len(outside_model),
            "Synthesise them as well, make them independent, or remove them as identifiers.",
        )


def of_all_kinds(protected: Protected) -> bool:
    """Whether the method synthesises categories and missing values too; its promises then differ."""
    return "values-redrawn" in protected.claim.guarantees


@of_synthesis
def extremes_near(protected: Protected) -> Iterator[Caution]:
    """Dependent columns whose largest or smallest value is almost the true one."""
    if not is_synthetic(protected) or of_all_kinds(protected):
        return
    before, after = protected.original, protected.released
    tolerance = _NEAR_EXTREME * before.std(axis=0)
    near = (np.abs(before.max(axis=0) - after.max(axis=0)) <= tolerance) | (
        np.abs(before.min(axis=0) - after.min(axis=0)) <= tolerance
    )
    if near.any():
        names = [name for name, is_near in zip(protected.claim.original.quasi, near, strict=True) if is_near]
        yield Caution(
            "extremes-reproduced",
            f"In these columns the largest or smallest synthetic value is almost the true one "
            f"({', '.join(names)}). It shows that a person in the file has such a value.",
            len(names),
            "Top-code extreme values first, or use ipso-c, which does not restore distributions.",
        )


@of_synthesis
def values_near(protected: Protected) -> Iterator[Caution]:
    """Synthetic values that are almost the original value of the record."""
    if not is_synthetic(protected) or of_all_kinds(protected):
        return
    close = np.abs(protected.original - protected.released) <= _NEAR * protected.original.std(axis=0)
    for name, count in zip(protected.claim.original.quasi, close.sum(axis=0), strict=True):
        if count:
            yield Caution(
                "value-unchanged",
                f"Column {name} is within a thousandth of its spread of the true value in these records.",
                int(count),
                "A few are chance. If there are many, the independent columns determine the value.",
            )


@of_synthesis
def exact_moments(protected: Protected) -> Iterator[Caution]:
    """Moments that are preserved exactly, and strata with few records for so many moments."""
    promised = protected.claim.guarantees
    if not is_synthetic(protected) or "means-preserved" not in promised:
        return
    dependent = len(protected.claim.original.quasi)
    independent = len(protected.claim.original.used) - dependent
    strata = int(protected.strata.max()) + 1
    moments = dependent * (1 + independent)
    if "covariances-preserved" in promised:
        moments += dependent * (dependent + 1) // 2
    yield Caution(
        "exact-moments",
        "Means and other moments of the originals are published exactly. The difference to a second release "
        "of nearly the same records reveals who joined or left.",
        moments * strata,
        "Release these records once; for a new wave use ipso-a or gadp, which keep moments on average only.",
    )
    small = int(
        (np.bincount(protected.strata) < _RECORDS_PER_ATTRIBUTE * (dependent + independent + 1)).sum()
    )
    if small:
        yield Caution(
            "few-records",
            f"These strata, or the file, have fewer than {_RECORDS_PER_ATTRIBUTE} records per attribute: "
            "their exact moments disclose much about single records.",
            small,
            "Merge strata, use fewer attributes, or a method without exact moments.",
        )


@of_synthesis
def copies(protected: Protected) -> Iterator[Caution]:
    """Synthetic records that equal, or almost equal, a sample unique of the originals. O(n d log n)."""
    if not of_all_kinds(protected):
        return
    data, rows = protected.claim.original, np.sort(protected.claim.rows)
    before, after = protected.original, protected.released
    numeric = np.array([data.scale(name) == "numeric" for name in data.quasi])
    step = np.where(numeric, _NEAR_EXTREME * np.nan_to_num(np.nanstd(before, axis=0)), 0.0)
    step = np.where(step > 0, step, 1.0)
    # independent columns belong to both
    kept = data.coded(data.used)[rows][:, len(data.quasi) :]
    owners = protected.company.units
    exact = _replicas(before, after, protected.strata, kept, owners)
    if exact:
        yield Caution(
            "replicated-uniques",
            "These records equal a sample unique of the originals on all dependent and independent columns"
            f"{'' if owners is None else ' (unique: all such originals are of one unit)'}: "
            f"{_compared_with_chance(protected)}.",
            exact,
            "State in the note that records are synthetic. If there are many, coarsen columns or raise k.",
        )
    if numeric.any():
        near = (
            _replicas(np.rint(before / step), np.rint(after / step), protected.strata, kept, owners) - exact
        )
        if near > 0:
            yield Caution(
                "near-copies",
                "These records equal such an original in every category and are within a hundredth of the "
                "spread in every number.",
                near,
                "As for replicated uniques.",
            )


def _compared_with_chance(protected: Protected) -> str:
    """How often unique records are reproduced: those that the model was fitted on, and others."""
    test = protected.membership
    if test is None:
        return "whether this is chance was not measured, as halves of the file are too small to fit a model"
    members, others = test.shares().mean(axis=0).tolist()
    of_halves = (
        f"with a model fitted on half of the file, {members:.1f} % of the sample uniques of that half are "
        f"reproduced and {others:.1f} % of those of the other half"
    )
    return f"{of_halves}, {_VERDICT[test.by_chance]}"


@of_synthesis
def rare_values(protected: Protected) -> Iterator[Caution]:
    """Numbers that a single unit has, reproduced exactly. O(n log n) a column."""
    if not of_all_kinds(protected):
        return
    data, owners = protected.claim.original, protected.company.units
    shown = np.zeros(len(protected.released), dtype=bool)
    names = []
    for j, name in enumerate(data.quasi):
        if data.scale(name) != "numeric":
            continue
        before, after = _columns(protected, j)
        present = ~np.isnan(before)
        owner = np.flatnonzero(present) if owners is None else owners[present]
        pairs = np.unique(np.column_stack([before[present], owner.astype(np.float64)]), axis=0)
        values, counts = np.unique(pairs[:, 0], return_counts=True)
        back = np.isin(after, values[counts == 1])
        names += [name] if back.any() else []
        shown |= back
    if not shown.any():
        return
    test = protected.membership
    shares = None if test is None else test.value_shares
    holder = "record" if owners is None else "unit"
    if test is None or shares is None:
        comparison = "whether this is chance was not measured"
    else:
        comparison = (
            f"with a model fitted on half of the file, {shares[0]:.1f} % of the numbers of that half are "
            f"reproduced and {shares[1]:.1f} % of those of the other half, {_VERDICT[test.values_by_chance]}"
        )
    yield Caution(
        "rare-values",
        f"These records have a number in {', '.join(names)} that only one original {holder} has: "
        f"{comparison}.",
        int(shown.sum()),
        "If the difference is more than chance, round the columns or raise k; otherwise state in the note "
        "that the numbers are synthetic.",
    )


@of_synthesis
def membership_open(protected: Protected) -> Iterator[Caution]:
    """Membership disclosure that was not measured, is undecided, or was accepted."""
    if not of_all_kinds(protected):
        return
    test = protected.membership
    if test is None:
        yield Caution(
            "membership-not-measured",
            "Membership disclosure was not measured: halves of the file, or of its strata, are too small to "
            "fit a model with this k.",
            protected.data.n,
            "Merge strata or lower k to measure it; the risk is highest in small files.",
        )
        return
    low, high = test.interval
    measured = (
        f"sample uniques of the half that a model was fitted on are reproduced {test.advantage:.1f} points "
        f"(percent) more often than others (95 %: {low:.1f} to {high:.1f}; limit {test.limit:g})"
    )
    if test.outcome == "undecided":
        yield Caution(
            "membership-undecided",
            f"The file has too few sample uniques to decide whether the model reproduces them: {measured}.",
            int(test.unique.sum()),
            "Few persons are concerned; raise k if they must not be found.",
        )
    elif test.outcome == "above" or high > MAX_ADVANTAGE:
        accepted = "was accepted" if test.outcome == "above" else "is within the limit that was set"
        yield Caution(
            "membership",
            f"The release reveals who was in the file, which {accepted}: {measured}.",
            int(test.unique.sum()),
            "Raise k, let the method choose it, or use copula.",
        )


def _replicas(before: Matrix, after: Matrix, strata: Ints, kept: Matrix, owners: Ints | None) -> int:
    """Number of rows of `after` that occur once in `before`, or in one unit only."""
    both = np.vstack([np.column_stack([strata, kept, before]), np.column_stack([strata, kept, after])])
    _, combination = np.unique(np.nan_to_num(both, nan=np.inf), axis=0, return_inverse=True)
    combination = combination.reshape(-1)
    of_originals = combination[: len(before)]
    if owners is not None:
        of_originals = np.unique(np.column_stack([of_originals, owners]), axis=0)[:, 0]
    counts = np.bincount(of_originals, minlength=int(combination.max()) + 1)
    return int((counts[combination[len(before) :]] == 1).sum())


@of_synthesis
def levels_lost(protected: Protected) -> Iterator[Caution]:
    """Categories of the originals that the release lost."""
    if not of_all_kinds(protected):
        return
    for j, name in enumerate(protected.claim.original.quasi):
        if protected.claim.original.scale(name) == "numeric":
            continue
        before, after = (set(values[~np.isnan(values)]) for values in _columns(protected, j))
        if lost := len(before - after):
            yield Caution(
                "levels-lost",
                f"These categories of column {name} are missing from the release: fewer than k "
                f"{protected.company.what} have them, or by chance none was drawn.",
                lost,
                "If users need them, recode the column into coarser categories first.",
            )


def _columns(protected: Protected, j: int) -> tuple[Matrix, Matrix]:
    return protected.original[:, j], protected.released[:, j]
