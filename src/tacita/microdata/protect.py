"""From records and a method to protected records: who may be grouped with whom, and what is published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import narwhals as nw
import numpy as np
import numpy.typing as npt

from tacita.core import DataError, Microdata, Partition, Run
from tacita.core.release import Claim

from .groups import published_means
from .microaggregation.base import Microaggregation
from .standardise import standardise

MissingPolicy = Literal["refuse", "drop", "stratum"]


@dataclass(frozen=True, repr=False)
class Protected:
    """The public frame, the partition behind it, the method as it ran, and the claim a verifier can check."""

    data: Microdata
    partition: Partition
    method: Microaggregation
    claim: Claim
    original: npt.NDArray[np.float64]
    released: npt.NDArray[np.float64]
    strata: npt.NDArray[np.int64]


def protect(
    data: Microdata,
    method: Microaggregation,
    run: Run,
    *,
    missing: MissingPolicy = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
) -> Protected:
    """Group, publish means, leave identifiers out. Records are standardised once, over all strata."""
    x = data.matrix(data.quasi)
    kept = _rows_to_keep(data, x, missing)
    x = x[kept]
    strata = _strata(data, x, kept)
    units = _units(data, kept)
    _refuse_bad_weights(data, kept)
    _refuse_hopeless(data, x, strata, units, method)

    z = standardise(x)
    method = method.sized(_largest_stratum(z, strata), run)
    labels = _group_within_strata(method, z, strata, units, run)
    partition = Partition(labels, method.k, units)

    integer = np.array([round_integers and data.is_integer(name) for name in data.quasi])
    released = published_means(x, partition.labels, integer)
    order = run.protective_generator().permutation(kept.size) if shuffle else np.arange(kept.size)
    claim = Claim(
        original=data,
        rows=kept[order],
        labels=partition.labels[order],
        k=method.k,
        # a plug-in may promise more than its kind does, never less
        guarantees=tuple(dict.fromkeys((*Microaggregation.guarantees, *method.guarantees))),
        rounded=frozenset(name for name, whole in zip(data.quasi, integer, strict=True) if whole),
        drop_missing=missing == "drop",
    )
    frame = _released_frame(data, released[order], claim, shuffle)
    return Protected(frame, partition, method, claim, x, released, strata)


def _rows_to_keep(
    data: Microdata, x: npt.NDArray[np.float64], policy: MissingPolicy
) -> npt.NDArray[np.int64]:
    gaps = np.isnan(x)
    if policy == "refuse" and gaps.any():
        where = ", ".join(
            f"{name} ({count})" for name, count in zip(data.quasi, gaps.sum(axis=0), strict=True) if count
        )
        raise DataError(
            f"{data.source}: quasi-identifiers have missing values in {int(gaps.any(axis=1).sum())} records: "
            f"{where}. Complete them, or choose missing='drop' or missing='stratum'."
        )
    kept = np.flatnonzero(~gaps.any(axis=1)) if policy == "drop" else np.arange(data.n)
    if kept.size == 0:
        raise DataError(f"{data.source}: every record misses a quasi-identifier. Nothing is left to protect.")
    return kept


def _strata(
    data: Microdata, x: npt.NDArray[np.float64], kept: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Number the strata of the kept records; records that miss other columns are never grouped together."""
    named = data.codes(data.roles.strata if data.roles else ())[kept]
    pattern = np.column_stack([named, np.isnan(x)])
    return np.unique(pattern, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _units(data: Microdata, kept: npt.NDArray[np.int64]) -> npt.NDArray[np.int64] | None:
    unit = data.roles.unit if data.roles else None
    if unit is None:
        return None
    absent = int(data.missing(unit)[kept].sum())
    if absent:
        raise DataError(
            f"{data.source}: unit column {unit} is missing in {absent} records, so distinct units cannot be "
            "counted. Complete it or drop those records."
        )
    return data.codes([unit])[kept]


def _refuse_bad_weights(data: Microdata, kept: npt.NDArray[np.int64]) -> None:
    weight = data.roles.weight if data.roles else None
    if weight is None:
        return
    weights = data.numbers(weight)[kept]
    wrong = int((~(weights > 0)).sum())
    if wrong:
        raise DataError(
            f"{data.source}: weight column {weight} is missing, zero or negative in {wrong} records. "
            "Correct them, or do not name it as weight."
        )


def _refuse_hopeless(
    data: Microdata,
    x: npt.NDArray[np.float64],
    strata: npt.NDArray[np.int64],
    units: npt.NDArray[np.int64] | None,
    method: Microaggregation,
) -> None:
    k, who = method.k, data.source
    if x.shape[0] < k:
        raise DataError(f"{who}: k={k} needs at least {k} records, got {x.shape[0]}. Lower k.")
    _refuse_small_strata(who, np.bincount(strata), k, "records")
    if units is not None:
        pairs = np.unique(np.column_stack([strata, units]), axis=0)
        _refuse_small_strata(who, np.bincount(pairs[:, 0]), k, "distinct units")
    varies = [np.unique(column[~np.isnan(column)]).size > 1 for column in x.T]
    if not any(varies):
        raise DataError(
            f"{who}: every quasi-identifier is constant or missing, there is nothing to protect. "
            "Name other columns."
        )


def _refuse_small_strata(who: str, counts: npt.NDArray[np.int64], k: int, of_what: str) -> None:
    small = counts[counts < k]
    if small.size == 0:
        return
    if counts.size == 1:
        raise DataError(f"{who}: k={k} needs at least {k} {of_what}, got {int(counts[0])}. Lower k.")
    raise DataError(
        f"{who}: {small.size} of {counts.size} strata have fewer than k={k} {of_what} "
        f"(smallest: {int(small.min())}). Merge strata, lower k, or drop records "
        "(with missing='stratum', records missing the same columns are a stratum too)."
    )


def _largest_stratum(z: npt.NDArray[np.float64], strata: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """What the longest part of the work is about: its records, in the columns that they have."""
    part = z[strata == np.bincount(strata).argmax()]
    return np.ascontiguousarray(part[:, ~np.isnan(part[0])])


def _group_within_strata(
    method: Microaggregation,
    z: npt.NDArray[np.float64],
    strata: npt.NDArray[np.int64],
    units: npt.NDArray[np.int64] | None,
    run: Run,
) -> npt.NDArray[np.int64]:
    if int(strata.max()) == 0 and not np.isnan(z).any():
        return method.partition(z, run, units=units).labels
    labels = np.empty(z.shape[0], dtype=np.int64)
    order = np.argsort(strata, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(strata))[:-1])
    inner = Run(seed=run.seed, threads=run.threads, cancelled=run.cancelled)
    groups = 0
    for done, rows in enumerate(parts):
        present = ~np.isnan(z[rows[0]])
        if present.any():
            part = method.partition(
                z[np.ix_(rows, present)], inner, units=None if units is None else units[rows]
            )
            labels[rows] = groups + part.labels
            groups += len(part)
        else:
            # nothing known of them that could tell them apart
            labels[rows] = groups
            groups += 1
        run.report("grouping strata", done + 1, len(parts))
    return labels


def _released_frame(
    data: Microdata, released: npt.NDArray[np.float64], claim: Claim, shuffled: bool
) -> Microdata:
    from tacita.io.frames import replace_columns, without_memory

    dropped = set(data.roles.identifiers) if data.roles else set()
    frame = data.frame.select([name for name in data.columns if name not in dropped])
    if not np.array_equal(claim.rows, np.arange(data.n)):
        frame = frame[claim.rows]
    if shuffled:
        # an index that travels with its rows would undo the shuffling
        frame = nw.maybe_reset_index(frame)
    columns = {name: (released[:, j], name in claim.rounded) for j, name in enumerate(data.quasi)}
    frame = replace_columns(frame, columns)
    frame = nw.from_native(without_memory(frame.to_native()), eager_only=True)
    return Microdata(frame, dialect=data.dialect, source=data.source)
