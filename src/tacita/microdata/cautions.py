"""Where the promise of k is thinner than it sounds: one small function per weakness, each with a count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Caution
from tacita.core.release import Claim
from tacita.core.text import UNTYPED
from tacita.core.uniqueness import Uniqueness

from . import cautions_of_insisting as insisting
from . import cautions_of_maskings as maskings
from . import cautions_of_synthesis as synthesis
from . import cautions_of_values as values
from .assess import context_columns
from .protect import Protected
from .uniqueness import NEARLY_UNIQUE, spoken

# Explained by unchanged columns to this degree, a masked one is given away.
_RECOMPUTABLE = 0.999
# So few different whole numbers, each in so many records, are more often codes than quantities.
_FEW_VALUES = 10
_RECORDS_PER_VALUE = 5

_NOT_PROMISED_OF_GROUPS = (
    "Attribute disclosure: members of a group may share a confidential value.",
    "Linkage through columns released unchanged: k holds for the quasi-identifiers named here only.",
)
_NOT_PROMISED_OF_MASKINGS = (
    "Groups of k records: a combination of masked values may point to one single record.",
    "Linkage through columns released unchanged: they stand as they were beside the masked ones.",
)
_NOT_PROMISED_OF_SYNTHESIS = (
    "Groups of k records: records keep their independent columns, and may be found by them.",
    "Secrecy of what independent columns tell: a dependent value that they determine is given away.",
    "Linkage through columns released unchanged: they stand as they were beside the synthetic ones.",
)
_NOT_PROMISED_OF_WEAK_MASKINGS = (
    "That values are hidden at all: it was insisted on a masking that rounding undoes.",
)
_NEVER_PROMISED = (
    "Differences between releases: publishing nearly the same records again can reveal who joined or left.",
    "Population uniqueness: the assessor's attacker knows all records of this file, not the population.",
    "Protection of the strata themselves: their values are released as they are.",
)


def not_promised(claim: Claim) -> tuple[str, ...]:
    """What a reader might take for granted and must not."""
    if "groups-of-k" in claim.guarantees:
        return _NOT_PROMISED_OF_GROUPS + _NEVER_PROMISED
    synthetic = "synthetic-cells" in claim.guarantees
    given_up = _NOT_PROMISED_OF_WEAK_MASKINGS if "rounding-restores" in claim.insisted else ()
    kind = _NOT_PROMISED_OF_SYNTHESIS if synthetic else _NOT_PROMISED_OF_MASKINGS
    return given_up + kind + _NEVER_PROMISED


def find(protected: Protected, uniqueness: Uniqueness, *, shuffled: bool) -> tuple[Caution, ...]:
    """All that apply to one release."""
    finders = (
        insisting.guessable_seed(protected),
        _dropped(protected),
        _unique_combinations(protected, uniqueness),
        _nearly_unique(uniqueness),
        _skipped(protected),
        _unit_released(protected),
        _units_merged(protected),
        _recomputable(protected),
        _index(protected),
        _row_order(protected, shuffled),
        _zero_variance(protected),
        *(_of_synthesis(protected) if synthesis.is_synthetic(protected) else _of_maskings(protected)),
        values.true_records(protected),
        values.rounding_restores(protected),
        values.impossible_values(protected),
        values.broken_relations(protected),
        maskings.unit_unused(protected),
        _constant_columns(protected),
        _codes_averaged(protected),
        _unrounded_integers(protected),
        _homogeneous(protected),
        _thin_strata(protected),
        _formulas(protected),
    )
    return tuple(caution for found in finders for caution in found)


def _of_maskings(protected: Protected) -> tuple[Iterator[Caution], ...]:
    return (
        maskings.singled_out(protected),
        maskings.cells_kept(protected),
        maskings.extremes_reproduced(protected),
    )


def _of_synthesis(protected: Protected) -> tuple[Iterator[Caution], ...]:
    return (
        synthesis.beside_synthetic(protected),
        synthesis.values_near(protected),
        synthesis.extremes_near(protected),
        synthesis.exact_moments(protected),
    )


def _unchanged(protected: Protected) -> list[str]:
    """Columns that leave the house as they came."""
    touched = set(protected.claim.original.quasi)
    return [name for name in protected.data.columns if name not in touched]


def _dropped(protected: Protected) -> Iterator[Caution]:
    gone = protected.claim.original.n - protected.data.n
    if gone:
        yield Caution(
            "records-dropped",
            "Records with a missing quasi-identifier were left out of the release."
            if not synthesis.is_synthetic(protected)
            else "Records that miss a dependent or independent value were left out of the release.",
            gone,
            "Totals computed from the release fall short by them; complete the values"
            + ("." if synthesis.is_synthetic(protected) else " or use a stratum."),
        )


def _unique_combinations(protected: Protected, found: Uniqueness) -> Iterator[Caution]:
    """Records that stand alone, or with too few, on what nobody masked."""
    on = found.unchanged
    if not on.below_k:
        return
    most = ""
    if len(on.columns) > 1:
        already = found.enough[-1]
        verb = "alone sets" if len(already.columns) == 1 else "together set"
        most = f" {spoken(already.columns)} {verb} {already.alone or already.below_k} of them apart."
    drawn = synthesis.is_synthetic(protected)
    yield Caution(
        "unique-combinations",
        f"{found.headline} Whoever knows these values finds the record"
        f"{', though its synthetic values are not its own' if drawn else ''}.{most}",
        on.alone or on.below_k,
        "Protect or coarsen the columns that set most apart, or leave them out as identifiers.",
    )


def _nearly_unique(found: Uniqueness) -> Iterator[Caution]:
    for name, apart in found.by_itself.items():
        if apart.alone >= NEARLY_UNIQUE * found.records:
            yield Caution(
                "nearly-unique-column",
                f"Column {name} is released unchanged and is unique for these records: whoever knows it "
                "finds the record.",
                apart.alone,
                "Name it as an identifier to leave it out, or protect or round it.",
            )


def _unit_released(protected: Protected) -> Iterator[Caution]:
    roles = protected.claim.original.roles
    if roles is not None and roles.unit is not None and roles.unit in protected.data.columns:
        several = np.bincount(protected.data.alike(roles.unit).codes)
        yield Caution(
            "unit-released",
            f"Unit column {roles.unit} is released unchanged: it ties together the records of these units, "
            "and whoever knows one of them finds the others.",
            int((several > 1).sum()),
            "Name it under identifiers as well to leave it out, or replace it by a pseudonym first.",
        )


def _units_merged(protected: Protected) -> Iterator[Caution]:
    """Units that were spelled in several ways and counted as one."""
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


def _skipped(protected: Protected) -> Iterator[Caution]:
    """What quasi='numeric' did not take."""
    left = protected.claim.original.skipped
    if left:
        yield Caution(
            "not-numeric",
            f"quasi = numeric took {spoken(protected.claim.original.quasi)}. These columns hold no numbers "
            f"and are released unchanged: {spoken(left)}.",
            len(left),
            "Name the columns to protect one by one, where some of these belong to them.",
        )


def _codes_averaged(protected: Protected) -> Iterator[Caution]:
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


def _recomputable(protected: Protected) -> Iterator[Caution]:
    """Masked columns that the unchanged ones give away, such as a total beside its parts."""
    data, rows = protected.claim.original, protected.claim.rows
    known = [column for column in context_columns(data, _unchanged(protected), rows).T if np.ptp(column) > 0]
    if not known or protected.data.n < 4 * (len(known) + 1):
        return
    design = np.column_stack([np.ones(rows.size), *[(c - c.mean()) / c.std() for c in known]])
    what = "What stood in synthetic" if synthesis.is_synthetic(protected) else "Masked"
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


def _index(protected: Protected) -> Iterator[Caution]:
    if not protected.data.frame.implementation.is_pandas():
        return
    import pandas as pd

    index = protected.data.native.index
    if not index.equals(pd.RangeIndex(protected.data.n)):
        yield Caution(
            "frame-index",
            "The frame's index is kept and may point back to the source.",
            int(index.nunique()),
            "Call reset_index(drop=True) on the release before publishing, unless the index is public.",
        )


def _row_order(protected: Protected, shuffled: bool) -> Iterator[Caution]:
    if not shuffled:
        yield Caution(
            "row-order",
            "Records stand in the order of the source: its position is known to whoever holds a copy.",
            protected.data.n,
            "Release with shuffle to give them a random order.",
        )


def _zero_variance(protected: Protected) -> Iterator[Caution]:
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


def _group_is_zero(protected: Protected, labels: npt.NDArray[np.int64], j: int) -> npt.NDArray[np.bool_]:
    zero = np.zeros(int(labels.max()) + 1, dtype=bool)
    zero[labels] = protected.released[:, j] == 0
    return zero


def _constant_columns(protected: Protected) -> Iterator[Caution]:
    for j, name in enumerate(protected.claim.original.quasi):
        column = protected.original[:, j]
        if np.unique(column[~np.isnan(column)]).size <= 1:
            yield Caution(
                "constant-column",
                f"Column {name} has one single value and plays no part in the grouping.",
                protected.data.n,
                "Leave it out of the quasi-identifiers, or out of the release.",
            )


def _unrounded_integers(protected: Protected) -> Iterator[Caution]:
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


def _homogeneous(protected: Protected) -> Iterator[Caution]:
    if protected.partition is None:
        return
    data, labels = protected.claim.original, protected.partition.labels
    # labels follow the kept rows in source order, rows the released order
    kept = np.sort(protected.claim.rows)
    for name in data.roles.confidential if data.roles else ():
        # "Cancer" and "cancer " are one value to whoever reads them
        values = data.alike(name).codes[kept]
        distinct = np.bincount(np.unique(np.column_stack([labels, values]), axis=0)[:, 0])
        alike = int((distinct == 1).sum())
        if alike:
            yield Caution(
                "homogeneous-confidential",
                f"In these groups all members share one value of the confidential column {name}: finding the "
                "group is finding the value.",
                alike,
                "Raise k, or mask the confidential column as well.",
            )


def _thin_strata(protected: Protected) -> Iterator[Caution]:
    counts = np.bincount(protected.strata)
    thin = int((counts < 2 * (protected.claim.k or 0)).sum())
    if thin:
        yield Caution(
            "thin-strata",
            "Strata with fewer than 2k records are one group: their mean is published.",
            thin,
            "Merge small strata.",
        )


def _formulas(protected: Protected) -> Iterator[Caution]:
    risky = 0
    for name in _unchanged(protected):
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
            "Cells of unchanged text begin like a formula; a spreadsheet program may run them.",
            risky,
            "Clean these columns before publishing as CSV.",
        )
