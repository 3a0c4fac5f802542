"""Checks of the input before a method runs: column types, missing values, units, weights, small strata."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacita.core import (
    MISSING_TEXT,
    DataError,
    Floats,
    Ints,
    Microdata,
    ParameterError,
    RecordMethod,
)
from tacita.core.data.microdata import join_names
from tacita.core.spec.release_options import Missing
from tacita.core.spec.roles import Kind
from tacita.core.spec.setting_syntax import setting


def kinds_read(data: Microdata, method: RecordMethod) -> tuple[Kind, ...]:
    """The scales of the columns, empty if all are numeric; raises if the method does not take one."""
    kinds = tuple(data.scale(name) for name in data.used)
    named = [name for name, kind in zip(data.used, kinds, strict=True) if kind not in method.takes]
    if named and "numeric" not in method.takes:
        raise ParameterError(
            f"{method.display_name()}: this method works on categories, and {_columns_are(named)} numeric. "
            "Declare numbers that are codes nominal or ordinal; mask others by noise, or recode them into "
            "classes first."
        )
    if all(kind == "numeric" for kind in kinds):
        return ()
    if named and method.kind == "synthesis":
        raise ParameterError(
            f"{method.display_name()}: this method draws numbers, and {_columns_are(named)} declared nominal "
            "or ordinal. Use copula or trees, or leave these columns out."
        )
    if named:
        raise ParameterError(
            f"{method.display_name()}: this method works on numbers, and {_columns_are(named)} declared "
            "nominal or ordinal. Use a method for categories (gower, local-suppression, generalise), or "
            "leave these columns out of quasi."
        )
    return kinds


def _columns_are(names: list[str]) -> str:
    return f"column {join_names(names)} is" if len(names) == 1 else f"columns {join_names(names)} are"


def check_categorical(data: Microdata, method: RecordMethod) -> None:
    """Raise if a method for categories would get numeric columns."""
    named = [name for name, kind in zip(data.quasi, data.scales, strict=True) if kind == "numeric"]
    if method.reads_missing and named:
        raise ParameterError(
            f"{method.display_name()}: column {join_names(named)} is numeric, and this method works on "
            "categories. Name the columns of quasi one by one, or declare them nominal."
        )


def check_missing_words(data: Microdata, texts: Mapping[str, tuple[str, ...]], method: RecordMethod) -> None:
    """Raise if a new category would read as a missing value in the file."""
    words = MISSING_TEXT if data.dialect is None else data.dialect.missing_values
    named = [name for name, labels in texts.items() if any(label.strip() in words for label in labels)]
    if named:
        raise ParameterError(
            f"{method.display_name()}: column {join_names(named)} would get a value that reads as missing in "
            "a text file. Choose another word."
        )


def check_missing_values(
    source: str, counts: Mapping[str, int], records: int, *, drawn: bool = False, drawing: bool = False
) -> None:
    """Raise for missing values; the message names the ways to treat them."""
    where = ", ".join(f"{name} ({count})" for name, count in counts.items() if count)
    what = "dependent or independent columns" if drawn else "quasi-identifiers"
    drop, stratum, merge, level = (
        setting("protect", "missing", policy) for policy in ("drop", "stratum", "merge", "level")
    )
    way_out = drop if drawn else f"{drop}, {stratum} or {merge}"
    way_out += f" or {level}" if drawing else ""
    raise DataError(
        f"{source}: {what} have missing values in {records} records: {where}. Complete them, or choose "
        f"{way_out}."
    )


def check_units_in_strata(data: Microdata, method: RecordMethod, strata: Ints, units: Ints | None) -> None:
    if units is None:
        raise ParameterError(
            f"{method.display_name()}: wanted the column that names the household or firm (unit), got none: "
            "its records must change together. Name it. If every record is a unit of its own, name a column "
            "of record numbers, and make it an identifier too."
        )
    pairs = np.unique(np.column_stack([units, strata]), axis=0)
    split = int((np.bincount(pairs[:, 0]) > 1).sum())
    if split:
        raise DataError(
            f"{data.source}: {split} units have records in several strata, or miss values in some records "
            f"only, and {method.display_name()} treats a unit as a whole. Name strata that agree within "
            "units."
        )


def check_weights(data: Microdata, kept: Ints) -> None:
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


def check_group_counts(
    data: Microdata,
    x: Floats,
    strata: Ints,
    units: Ints | None,
    k: int | None,
    missing: Missing,
) -> None:
    who = data.source
    if k is not None:
        if x.shape[0] < k:
            raise DataError(f"{who}: k={k} needs at least {k} records, got {x.shape[0]}. Lower k.", field="k")
        check_stratum_sizes(who, np.bincount(strata), k, "records", missing)
        if units is not None:
            pairs = np.unique(np.column_stack([strata, units]), axis=0)
            check_stratum_sizes(who, np.bincount(pairs[:, 0]), k, "distinct units", missing)
    varies = [np.unique(column[~np.isnan(column)]).size > 1 for column in x.T]
    # a column may be constant in a part of a file and not in the file
    if varies and not any(varies) and data.whole is None:
        raise DataError(
            f"{who}: every quasi-identifier is constant or missing, so there is nothing to protect. "
            "Name other columns."
        )


_ABOUT_GAPS: dict[Missing, str] = {
    "refuse": "",
    "drop": "",
    "level": "",
    "stratum": " (records missing the same columns are a stratum too; {merge} joins small ones)",
    "merge": " (joining records with different missing columns to k would suppress all their values)",
}


def check_stratum_sizes(who: str, counts: Ints, k: int, of_what: str, missing: Missing) -> None:
    """Raise if strata, given by their counts, have fewer than k records or units."""
    small = counts[counts < k]
    if small.size == 0:
        return
    if counts.size == 1:
        raise DataError(
            f"{who}: k={k} needs at least {k} {of_what}, got {int(counts[0])}. Lower k.", field="k"
        )
    about = _ABOUT_GAPS[missing].format(merge=setting("protect", "missing", "merge"))
    raise DataError(
        f"{who}: {small.size} of {counts.size} strata have fewer than k={k} {of_what} "
        f"(smallest: {int(small.min())}). Merge strata, lower k, or drop records{about}.",
        field="k",
    )
