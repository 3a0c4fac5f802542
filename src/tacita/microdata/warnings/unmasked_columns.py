"""Warnings about columns that are released unchanged, and about the order and form of the records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import DisclosureWarning
from tacita.core.data.number_parsing import UNTYPED
from tacita.microdata.measures.evaluate import context_columns
from tacita.microdata.protection.protect import ProtectedStep
from tacita.microdata.statistics.sample_uniqueness import NEARLY_UNIQUE, spoken

from .finders import Finished, of_releases
from .synthesis import is_synthetic

# A masked column that unchanged columns explain to this share of its variance is disclosed.
_RECOMPUTABLE = 0.999


def _unchanged(protected: ProtectedStep) -> list[str]:
    """Columns that are released as in the source."""
    changed = set(protected.claim.original.quasi)
    return [name for name in protected.data.columns if name not in changed]


@of_releases
def unique_combinations(release: Finished) -> Iterator[DisclosureWarning]:
    """Records that are unique, or rarer than k, by the columns released unchanged."""
    protected, uniqueness = release.made.whole, release.uniqueness
    unchanged = uniqueness.unchanged
    if not unchanged.below_k:
        return
    most = ""
    if len(unchanged.columns) > 1:
        subset = uniqueness.enough[-1]
        verb = "alone distinguishes" if len(subset.columns) == 1 else "together distinguish"
        most = f" {spoken(subset.columns)} {verb} {subset.alone or subset.below_k} of them."
    drawn = is_synthetic(protected)
    yield DisclosureWarning(
        "unique-combinations",
        f"{uniqueness.headline} Anyone who knows these values finds the record"
        f"{', but its synthetic values are not its own' if drawn else ''}.{most}",
        unchanged.alone or unchanged.below_k,
        "Protect or coarsen the columns that distinguish most records, or remove them as identifiers.",
    )


@of_releases
def nearly_unique(release: Finished) -> Iterator[DisclosureWarning]:
    uniqueness = release.uniqueness
    for name, by_column in uniqueness.by_itself.items():
        if by_column.alone >= NEARLY_UNIQUE * uniqueness.records:
            yield DisclosureWarning(
                "nearly-unique-column",
                f"Column {name} is released unchanged and is unique for these records: anyone who knows it "
                "finds the record.",
                by_column.alone,
                "Name it as an identifier to remove it, or protect or round it.",
            )


@of_releases
def skipped(release: Finished) -> Iterator[DisclosureWarning]:
    """Columns that quasi='numeric' did not select."""
    protected = release.made.whole
    skipped = [name for name in protected.claim.original.skipped if name in protected.data.columns]
    if skipped:
        yield DisclosureWarning(
            "not-numeric",
            f"quasi = numeric selected {spoken(protected.claim.original.quasi)}. These columns are not "
            f"numeric and are released unchanged: {spoken(skipped)}.",
            len(skipped),
            "If some of these must be protected too, name all columns to protect one by one.",
        )


@of_releases
def pseudonyms(release: Finished) -> Iterator[DisclosureWarning]:
    """Pseudonyms, which link files, and spellings of identifiers that share one pseudonym."""
    made = release.made
    claim = made.claim
    if claim.identified is None:
        return
    for name in claim.identified.columns:
        yield DisclosureWarning(
            "pseudonyms-released",
            f"Column {name} has pseudonyms. They link files made with the same key, and anyone with the key "
            "and a list of identifiers finds every person: these are still personal data.",
            int((~made.data.missing(name)).sum()),
            "Store the key apart from the release, use another key for another purpose, or remove the column "
            "as an identifier.",
        )
        sources = (claim.identified, claim.original)
        spellings, words = (np.unique(source.codes([name])).size for source in sources)
        if spellings > words:
            yield DisclosureWarning(
                "pseudonyms-merged",
                f"Identifiers in column {name} differ from another only in case, blanks, the encoding of "
                "accents or leading and trailing zeros: they share its pseudonym.",
                spellings - words,
                "If they mean different persons, spell them differently.",
            )


@of_releases
def recomputable(release: Finished) -> Iterator[DisclosureWarning]:
    """Masked columns that unchanged ones determine, such as a total published with its parts."""
    protected = release.made.whole
    data, rows = protected.claim.original, protected.claim.rows
    context = context_columns(data, _unchanged(protected), rows).values()
    known = [column for column in context if np.ptp(column) > 0]
    if not known or protected.data.n < 4 * (len(known) + 1):
        return
    design = np.column_stack([np.ones(rows.size), *[(c - c.mean()) / c.std() for c in known]])
    what = "The original values of synthetic" if is_synthetic(protected) else "Masked"
    for name in data.quasi:
        if data.scale(name) != "numeric":
            continue
        y = data.numbers(name)[rows]
        if not np.isfinite(y).all() or np.ptp(y) == 0:
            continue
        y = (y - y.mean()) / y.std()
        fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
        close = int((np.abs(y - fitted) < 0.01).sum())
        if 1 - ((y - fitted) ** 2).mean() > _RECOMPUTABLE:
            yield DisclosureWarning(
                "recomputable-column",
                f"{what} column {name} can be recomputed from columns released unchanged (to a hundredth of "
                "its standard deviation for these records).",
                close,
                "Protect those columns too, or leave them out.",
            )


@of_releases
def index(release: Finished) -> Iterator[DisclosureWarning]:
    protected = release.made.whole
    if not protected.data.frame.implementation.is_pandas():
        return
    frame = protected.data.native
    if not frame.index.equals(frame[[]].reset_index(drop=True).index):
        yield DisclosureWarning(
            "frame-index",
            "The index of the data frame is kept and may link records to the source.",
            int(frame.index.nunique()),
            "Call reset_index(drop=True) on the release before publishing, unless the index is public.",
        )


@of_releases
def row_order(release: Finished) -> Iterator[DisclosureWarning]:
    if not release.shuffled:
        yield DisclosureWarning(
            "row-order",
            "Records are in the order of the source: anyone with a copy links them by position.",
            release.made.data.n,
            "Release with shuffle to put them in random order.",
        )


@of_releases
def formulas(release: Finished) -> Iterator[DisclosureWarning]:
    protected = release.made.whole
    risky = 0
    for name in protected.data.columns:
        try:
            cells = protected.data.column(name).to_arrow()
            if pa.types.is_dictionary(cells.type):
                cells = cells.cast(cells.type.value_type)
        except UNTYPED:
            continue
        if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
            risky += int(pc.sum(pc.match_substring_regex(cells, r"^[=@\t\r]|^[+-][^0-9.,]")).as_py() or 0)
    if risky:
        yield DisclosureWarning(
            "spreadsheet-formulas",
            "Text cells begin like a formula, which a spreadsheet program may run.",
            risky,
            "Clean these columns before publishing as CSV.",
        )
