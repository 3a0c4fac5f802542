"""Warnings about units: released, merged by spelling, made inconsistent, or ignored by the method."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import DisclosureWarning, Ints
from tacita.microdata.protection.protect import ProtectedStep

from .finders import Finished, of_releases, of_steps


@of_releases
def no_longer_alike(release: Finished) -> Iterator[DisclosureWarning]:
    """Columns that agreed within units and no longer do, as a household in two regions. O(n log n)."""
    made = release.made
    source, rows = made.claim.original, made.claim.rows
    unit = source.roles.unit if source.roles else None
    if unit is None:
        return
    units = source.alike(unit).codes[rows]
    if np.bincount(units).max() < 2:
        return
    for name in source.quasi:
        if _apart(units, source.codes([name])[rows]):
            continue
        broken = _apart(units, made.data.codes([name]))
        if broken:
            yield DisclosureWarning(
                "unit-broken-up",
                f"Column {name} has one value in every unit of {unit}, but several in these in the release.",
                broken,
                "Name it under unit_columns: it is then protected once per unit and stays the same in it.",
            )


def _apart(units: Ints, values: Ints) -> int:
    """Number of units whose records have several values."""
    pairs = np.unique(np.column_stack([units, values]), axis=0)
    return int((np.bincount(pairs[:, 0]) > 1).sum())


@of_releases
def unit_released(release: Finished) -> Iterator[DisclosureWarning]:
    protected = release.made.whole
    roles = protected.claim.original.roles
    if roles is not None and roles.unit is not None and roles.unit in protected.data.columns:
        several = np.bincount(protected.data.alike(roles.unit).codes)
        how = "as pseudonyms" if roles.unit in roles.pseudonyms else "unchanged"
        yield DisclosureWarning(
            "unit-released",
            f"Unit column {roles.unit} is released {how}: it links the records of these units, so anyone who "
            "finds one of them finds the others.",
            int((several > 1).sum()),
            "Name it under identifiers as well to remove it, or under pseudonyms to replace it.",
        )


@of_releases
def units_merged(release: Finished) -> Iterator[DisclosureWarning]:
    """Units with several spellings that were counted as one."""
    protected = release.made.whole
    original = protected.claim.original
    unit = original.roles.unit if original.roles else None
    merged = original.alike(unit).merged if unit is not None else 0
    if merged:
        yield DisclosureWarning(
            "units-merged",
            f"Names in unit column {unit} differ from another only in case, blanks, the encoding of accents "
            "or leading and trailing zeros: they were counted as the same unit.",
            merged,
            "If they are different units, give them names that differ in more.",
        )


@of_steps
def unit_unused(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """A unit column for a method that protects single records."""
    roles = protected.claim.original.roles
    labels = protected.claim.labels
    by_groups = labels is not None and (protected.partition is not None or labels.ndim == 2)
    if roles is None or roles.unit is None or by_groups or protected.method.unit_aware:
        return
    rows = protected.claim.rows
    several = int((np.bincount(protected.claim.original.alike(roles.unit).codes[rows]) > 1).sum())
    if not several:
        return
    yield DisclosureWarning(
        "unit-unused",
        f"This method treats each record by itself and ignores unit column {roles.unit}. These units have "
        "several records, over which random changes average out.",
        several,
        "Release one record per unit, or use a method that groups records of k units.",
    )
