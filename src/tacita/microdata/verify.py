"""The independent verifier: does a finished release keep what it promises?

It shares no code with the methods. It looks at the released cells as they stand in the file, groups
them afresh, and compares with the original through the claim of which row came from which. One check
per named guarantee; a check returns what is wrong, in counts, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import fsum, ulp
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Microdata, Verdict, VerificationError
from tacita.core.microdata import column_codes
from tacita.core.release import Claim
from tacita.io.csv import cells_as_text

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class Evidence:
    """A release, as re-read, beside what it claims."""

    released: Microdata
    claim: Claim

    @property
    def aligned(self) -> bool:
        """Whether rows can be compared one by one."""
        return self.released.n == self.claim.rows.size

    @cached_property
    def strata(self) -> Ints:
        """The stratum of each released row, from the original: named columns and which values are missing."""
        original, rows = self.claim.original, self.claim.rows
        keys = [original.codes([name])[rows] for name in (original.roles.strata if original.roles else ())]
        keys += [np.isnan(original.numbers(name))[rows].astype(np.int64) for name in original.quasi]
        return _distinct_rows(keys)

    @cached_property
    def groups(self) -> Ints:
        """Rows that are bit-identical on all quasi-identifiers and of one stratum."""
        bits = [_bits(self.released.frame[name]) for name in self.claim.original.quasi]
        return _distinct_rows([self.strata, *bits])


def _distinct_rows(keys: list[Ints]) -> Ints:
    combined = np.zeros(keys[0].size, dtype=np.int64)
    for key in keys:
        _, dense = np.unique(key, return_inverse=True)
        _, combined = np.unique(combined * (int(dense.max()) + 1) + dense, return_inverse=True)
    return combined.astype(np.int64)


def _bits(series: nw.Series[Any]) -> Ints:
    """A number for each cell that two cells share only if they are the same to the last bit or letter."""
    if not series.dtype.is_float():
        return column_codes(series)
    cells = series.cast(nw.Float64()).to_arrow()
    values = np.asarray(cells.to_numpy(zero_copy_only=False), dtype=np.float64)
    missing = np.asarray(series.is_null().to_numpy(), dtype=bool) | np.isnan(values)
    return np.where(missing, np.int64(np.iinfo(np.int64).min), np.ascontiguousarray(values).view(np.int64))


def _columns_present(evidence: Evidence) -> str | None:
    original = evidence.claim.original
    gone = set(original.roles.identifiers) if original.roles else set()
    wanted = [name for name in original.columns if name not in gone]
    left = [name for name in evidence.released.columns if name in gone]
    if left:
        return f"{len(left)} identifier columns are still there: {', '.join(left)}"
    if evidence.released.columns != wanted:
        return f"wanted {len(wanted)} columns in the order of the source, got others"
    return None


def _rows_complete(evidence: Evidence) -> str | None:
    claim = evidence.claim
    expected = np.arange(claim.original.n)
    if claim.drop_missing:
        incomplete = np.isnan(claim.original.matrix(claim.original.quasi)).any(axis=1)
        expected = expected[~incomplete]
    if evidence.released.n != expected.size:
        return f"wanted {expected.size} records, got {evidence.released.n}"
    if not np.array_equal(np.sort(claim.rows), expected):
        return "released rows are not the source's rows, each once"
    return None


def _others_identical(evidence: Evidence) -> str | None:
    claim = evidence.claim
    gone = set(claim.original.roles.identifiers) if claim.original.roles else set()
    touched = gone | set(claim.original.quasi)
    changed = []
    for name in claim.original.columns:
        if name not in touched and not _same_cells(
            claim.original.frame[name], evidence.released.frame[name], claim.rows, evidence.released
        ):
            changed.append(name)
    return (
        f"{len(changed)} columns that should be unchanged differ: {', '.join(changed)}" if changed else None
    )


def _same_cells(before: nw.Series[Any], after: nw.Series[Any], rows: Ints, released: Microdata) -> bool:
    try:
        old, new = before.to_arrow(), after.to_arrow()
    except (pa.ArrowException, TypeError):
        old_list, new_list = before.to_list(), after.to_list()
        return all(_same_object(old_list[row], new) for row, new in zip(rows.tolist(), new_list, strict=True))
    old = old.take(pa.array(rows))
    if released.dialect is not None and not pa.types.is_string(old.type):
        # a typed column written as text: compare with how it is written
        old = cells_as_text(old, released.dialect.decimal).combine_chunks()
    if pa.types.is_dictionary(old.type):
        old = old.cast(old.type.value_type)
    if pa.types.is_dictionary(new.type):
        new = new.cast(new.type.value_type)
    if old.type != new.type:
        return False
    if pa.types.is_floating(old.type):
        # NaN equals NaN here, and -0 does not equal 0
        return np.array_equal(_bits(nw.from_native(pa.chunked_array([old]), series_only=True)), _bits(after))
    return bool(old.equals(new))


def _same_object(old: object, new: object) -> bool:
    return old is new or (type(old) is type(new) and (old == new or (old != old and new != new)))


def _groups_of_k(evidence: Evidence) -> str | None:
    counts = np.bincount(evidence.groups)
    short = counts[counts < evidence.claim.k]
    if short.size == 0:
        return None
    return (
        f"{short.size} of {counts.size} distinct rows of quasi-identifiers stand fewer than "
        f"k={evidence.claim.k} times within their stratum (fewest: {int(short.min())})"
    )


def _k_units(evidence: Evidence) -> str | None:
    original = evidence.claim.original
    unit = original.roles.unit if original.roles else None
    if unit is None:
        return "no unit column was named"
    units = original.codes([unit])[evidence.claim.rows]
    per_group = np.bincount(np.unique(np.column_stack([evidence.groups, units]), axis=0)[:, 0])
    short = per_group[per_group < evidence.claim.k]
    if short.size == 0:
        return None
    return (
        f"{short.size} of {per_group.size} groups have records of fewer than k={evidence.claim.k} "
        f"distinct units (fewest: {int(short.min())})"
    )


def _group_means(evidence: Evidence) -> str | None:
    claim = evidence.claim
    order = np.argsort(evidence.groups, kind="stable")
    starts = np.flatnonzero(np.diff(evidence.groups[order], prepend=-1)).tolist()
    spans = list(zip(starts, [*starts[1:], order.size], strict=True))
    wrong = 0
    for name in claim.original.quasi:
        before = claim.original.numbers(name)[claim.rows][order].tolist()
        after = evidence.released.numbers(name)[order].tolist()
        for start, end in spans:
            mean = fsum(before[start:end]) / (end - start)
            if name in claim.rounded:
                mean = float(round(mean)) if mean == mean else mean
            published = after[start]
            if published != mean and not (published != published and mean != mean):
                # two groups with one published row merge here; their common mean may round the other way
                merged = end - start >= 2 * claim.k
                if not merged or abs(published - mean) > 2 * ulp(mean):
                    wrong += 1
    return f"{wrong} published group values are not the mean of their originals" if wrong else None


def _no_leftovers(evidence: Evidence) -> str | None:
    """Dictionaries and categories hold only what the cells hold."""
    stale = []
    for name in evidence.released.columns:
        series = evidence.released.frame[name]
        if series.dtype in (nw.Categorical, nw.Enum):
            cells = series.to_arrow()
            combined = (
                pa.chunked_array([cells]).combine_chunks()
                if isinstance(cells, pa.Array)
                else cells.combine_chunks()
            )
            chunks = combined.chunks if isinstance(combined, pa.ChunkedArray) else [combined]
            used = {pc.count_distinct(chunk.indices, mode="only_valid").as_py() for chunk in chunks}
            if pa.types.is_dictionary(cells.type) and used != {len(chunks[0].dictionary)}:
                stale.append(name)
    return (
        f"{len(stale)} columns remember categories that no record has: {', '.join(stale)}" if stale else None
    )


@dataclass(frozen=True)
class Check:
    """A promise in words and the function that tries to refute it."""

    promise: str
    find_fault: Callable[[Evidence], str | None]


CHECKS: dict[str, Check] = {
    "columns-kept": Check("No identifier is left; all other columns are there, in order.", _columns_present),
    "rows-complete": Check("Every record is released exactly once (or dropped by rule).", _rows_complete),
    "others-identical": Check(
        "Columns that were not to be masked are unchanged to the last bit.", _others_identical
    ),
    "no-leftovers": Check("No category or dictionary remembers a value that no record has.", _no_leftovers),
    "groups-of-k": Check(
        "Every distinct row of quasi-identifiers stands at least k times in its stratum.", _groups_of_k
    ),
    "k-units": Check("Every group holds records of at least k distinct units.", _k_units),
    "group-means": Check("Every published row is the mean of the originals it stands for.", _group_means),
}

# Promised by every release of microdata, whatever the method.
ALWAYS = ("columns-kept", "rows-complete", "others-identical", "no-leftovers")


def verify(released: Microdata, claim: Claim) -> tuple[Verdict, ...]:
    """Try to refute every promise of a release. O(n d + n log n)."""
    evidence = Evidence(released, claim)
    promised = [*ALWAYS, *claim.guarantees]
    if claim.original.roles is not None and claim.original.roles.unit is not None:
        promised.append("k-units")
    verdicts: list[Verdict] = []
    for name in promised:
        check = CHECKS[name]
        # without the right columns and rows the later checks would compare the wrong things
        broken = [v for v in verdicts if not v.passed and v.guarantee in ("columns-kept", "rows-complete")]
        fault = "cannot be checked: rows or columns are wrong" if broken else _fault(check, evidence)
        verdicts.append(Verdict(name, check.promise, fault is None, fault or "holds"))
    return tuple(verdicts)


def _fault(check: Check, evidence: Evidence) -> str | None:
    try:
        return check.find_fault(evidence)
    except Exception as problem:  # a release that cannot even be examined is not safe
        return f"cannot be checked ({type(problem).__name__})"


def insist(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """The verdicts, if all promises hold; otherwise an error, and nothing may be written."""
    failed = [verdict for verdict in verdicts if not verdict.passed]
    if failed:
        what = "; ".join(f"{verdict.guarantee}: {verdict.detail}" for verdict in failed)
        raise VerificationError(
            f"The release failed its verification and was not written. {what}. "
            "This is a fault of the program or of a plug-in, not of the data: please report it."
        )
    return verdicts
