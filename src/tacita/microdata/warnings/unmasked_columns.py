"""What columns that nobody masked give away, and the order and form in which records leave the house."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Caution
from tacita.core.data.number_parsing import UNTYPED
from tacita.microdata.measures.evaluate import context_columns
from tacita.microdata.protection.protect import Protected
from tacita.microdata.statistics.sample_uniqueness import NEARLY_UNIQUE, spoken

from .finders import Finished, of_releases
from .synthesis import is_synthetic

# Explained by unchanged columns to this degree, a masked one is given away.
_RECOMPUTABLE = 0.999


def _unchanged(protected: Protected) -> list[str]:
    """Columns that leave the house as they came."""
    touched = set(protected.claim.original.quasi)
    return [name for name in protected.data.columns if name not in touched]


@of_releases
def unique_combinations(release: Finished) -> Iterator[Caution]:
    """Records that stand alone, or with too few, on what nobody masked."""
    protected, found = release.made.whole, release.uniqueness
    on = found.unchanged
    if not on.below_k:
        return
    most = ""
    if len(on.columns) > 1:
        already = found.enough[-1]
        verb = "alone sets" if len(already.columns) == 1 else "together set"
        most = f" {spoken(already.columns)} {verb} {already.alone or already.below_k} of them apart."
    drawn = is_synthetic(protected)
    yield Caution(
        "unique-combinations",
        f"{found.headline} Whoever knows these values finds the record"
        f"{', though its synthetic values are not its own' if drawn else ''}.{most}",
        on.alone or on.below_k,
        "Protect or coarsen the columns that set most apart, or leave them out as identifiers.",
    )


@of_releases
def nearly_unique(release: Finished) -> Iterator[Caution]:
    found = release.uniqueness
    for name, apart in found.by_itself.items():
        if apart.alone >= NEARLY_UNIQUE * found.records:
            yield Caution(
                "nearly-unique-column",
                f"Column {name} is released unchanged and is unique for these records: whoever knows it "
                "finds the record.",
                apart.alone,
                "Name it as an identifier to leave it out, or protect or round it.",
            )


@of_releases
def skipped(release: Finished) -> Iterator[Caution]:
    """What quasi='numeric' did not take."""
    protected = release.made.whole
    left = [name for name in protected.claim.original.skipped if name in protected.data.columns]
    if left:
        yield Caution(
            "not-numeric",
            f"quasi = numeric took {spoken(protected.claim.original.quasi)}. These columns hold no numbers "
            f"and are released unchanged: {spoken(left)}.",
            len(left),
            "Name the columns to protect one by one, where some of these belong to them.",
        )


@of_releases
def pseudonyms(release: Finished) -> Iterator[Caution]:
    """That pseudonyms link files, and spellings of identifiers that share one."""
    made = release.made
    claim = made.claim
    if claim.identified is None:
        return
    for name in claim.identified.columns:
        yield Caution(
            "pseudonyms-released",
            f"Column {name} shows pseudonyms. Files made with the same key can be joined by them, and who "
            "has the key and a list of identifiers finds everyone: these are personal data still.",
            int((~made.data.missing(name)).sum()),
            "Keep the key apart from the release, take another key for another purpose, or leave the column "
            "out as an identifier.",
        )
        spellings, words = (np.unique(each.codes([name])).size for each in (claim.identified, claim.original))
        if spellings > words:
            yield Caution(
                "pseudonyms-merged",
                f"Identifiers in column {name} that differ from another only in case, blanks, the encoding "
                "of accents or zeros that do not count: they share its pseudonym.",
                spellings - words,
                "Give each its own spelling, where they do not mean the same.",
            )


@of_releases
def recomputable(release: Finished) -> Iterator[Caution]:
    """Masked columns that the unchanged ones give away, such as a total beside its parts."""
    protected = release.made.whole
    data, rows = protected.claim.original, protected.claim.rows
    beside = context_columns(data, _unchanged(protected), rows).values()
    known = [column for column in beside if np.ptp(column) > 0]
    if not known or protected.data.n < 4 * (len(known) + 1):
        return
    design = np.column_stack([np.ones(rows.size), *[(c - c.mean()) / c.std() for c in known]])
    what = "What stood in synthetic" if is_synthetic(protected) else "Masked"
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
            yield Caution(
                "recomputable-column",
                f"{what} column {name} can be recomputed from columns released unchanged (to a hundredth of "
                "its standard deviation for these records).",
                close,
                "Protect those columns too, or leave them out.",
            )


@of_releases
def index(release: Finished) -> Iterator[Caution]:
    protected = release.made.whole
    if not protected.data.frame.implementation.is_pandas():
        return
    frame = protected.data.native
    if not frame.index.equals(frame[[]].reset_index(drop=True).index):
        yield Caution(
            "frame-index",
            "The frame's index is kept and may point back to the source.",
            int(frame.index.nunique()),
            "Call reset_index(drop=True) on the release before publishing, unless the index is public.",
        )


@of_releases
def row_order(release: Finished) -> Iterator[Caution]:
    if not release.shuffled:
        yield Caution(
            "row-order",
            "Records stand in the order of the source: its position is known to whoever holds a copy.",
            release.made.data.n,
            "Release with shuffle to give them a random order.",
        )


@of_releases
def formulas(release: Finished) -> Iterator[Caution]:
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
        yield Caution(
            "spreadsheet-formulas",
            "Cells of text begin like a formula; a spreadsheet program may run them.",
            risky,
            "Clean these columns before publishing as CSV.",
        )
