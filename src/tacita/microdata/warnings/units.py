"""What a release does with units: shows them, counts several as one, breaks them up, or passes them over."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import Caution, Ints
from tacita.microdata.protection.protect import Protected

from .finders import Finished, of_releases, of_steps


@of_releases
def no_longer_alike(release: Finished) -> Iterator[Caution]:
    """Members of one household in two regions: nobody asked for it, and everybody sees it. O(n log n)."""
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
            yield Caution(
                "unit-broken-up",
                f"Column {name} agreed within every unit of {unit}, and differs within these in the release.",
                broken,
                "Name it under unit_columns: it is then protected once a unit, and still agrees.",
            )


def _apart(units: Ints, values: Ints) -> int:
    """Units whose records do not agree."""
    pairs = np.unique(np.column_stack([units, values]), axis=0)
    return int((np.bincount(pairs[:, 0]) > 1).sum())


@of_releases
def unit_released(release: Finished) -> Iterator[Caution]:
    protected = release.made.whole
    roles = protected.claim.original.roles
    if roles is not None and roles.unit is not None and roles.unit in protected.data.columns:
        several = np.bincount(protected.data.alike(roles.unit).codes)
        how = "as pseudonyms" if roles.unit in roles.pseudonyms else "unchanged"
        yield Caution(
            "unit-released",
            f"Unit column {roles.unit} is released {how}: it ties together the records of these units, "
            "and whoever knows one of them finds the others.",
            int((several > 1).sum()),
            "Name it under identifiers as well to leave it out, or under pseudonyms to replace it.",
        )


@of_releases
def units_merged(release: Finished) -> Iterator[Caution]:
    """Units that were spelled in several ways and counted as one."""
    protected = release.made.whole
    original = protected.claim.original
    unit = original.roles.unit if original.roles else None
    merged = original.alike(unit).merged if unit is not None else 0
    if merged:
        yield Caution(
            "units-merged",
            f"Names in unit column {unit} that differ from another only in case, blanks, the encoding of "
            "accents or zeros that do not count: they were counted as the same unit.",
            merged,
            "Give each unit one name, or names that differ in more, where they are not the same.",
        )


@of_steps
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


# So likely to stay, a published category is as good as true.
