"""What no method can protect, said before any work: kinds of columns, gaps, units, weights, small strata."""

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
from tacita.core.data.microdata import speakable
from tacita.core.spec.release_options import Missing
from tacita.core.spec.roles import Kind
from tacita.core.spec.setting_syntax import setting


def kinds_read(data: Microdata, method: RecordMethod) -> tuple[Kind, ...]:
    """The kinds of the columns that are read where some are categories; refused for methods of numbers."""
    kinds = tuple(data.scale(name) for name in data.used)
    named = [name for name, kind in zip(data.used, kinds, strict=True) if kind not in method.takes]
    if named and "numeric" not in method.takes:
        raise ParameterError(
            f"{method.spoken_name()}: this method works on categories, and column {speakable(named)} is "
            "taken for numbers. Declare it nominal or ordinal if its numbers are codes; else mask it by "
            "noise, or recode it into classes first."
        )
    if all(kind == "numeric" for kind in kinds):
        return ()
    if named and method.kind == "synthesis":
        raise ParameterError(
            f"{method.spoken_name()}: this method draws numbers, and column {speakable(named)} is declared "
            "nominal or ordinal. Use copula or trees, or leave these columns out."
        )
    if named:
        raise ParameterError(
            f"{method.spoken_name()}: this method works on numbers, and column {speakable(named)} is "
            "declared nominal or ordinal. Use the method gower, or leave these columns out of quasi."
        )
    return kinds


def refuse_numbers(data: Microdata, method: RecordMethod) -> None:
    """Raise where columns were not named one by one, and a method takes their values for categories."""
    named = [name for name, kind in zip(data.quasi, data.scales, strict=True) if kind == "numeric"]
    if method.reads_missing and named:
        raise ParameterError(
            f"{method.spoken_name()}: column {speakable(named)} is taken for numbers, and this method works "
            "on categories. Name the columns of quasi one by one, or declare them nominal."
        )


def refuse_missing_words(data: Microdata, texts: Mapping[str, tuple[str, ...]], method: RecordMethod) -> None:
    """Raise where a new category reads as missing in the file: nobody could tell it from what was."""
    words = MISSING_TEXT if data.dialect is None else data.dialect.missing_values
    named = [name for name, labels in texts.items() if any(label.strip() in words for label in labels)]
    if named:
        raise ParameterError(
            f"{method.spoken_name()}: column {speakable(named)} would get a value that reads as missing in a "
            "text file. Choose another word."
        )


def refuse_gaps(
    source: str, counts: Mapping[str, int], records: int, *, drawn: bool = False, drawing: bool = False
) -> None:
    """Raise for so many missing values in columns, and what can be done about them."""
    where = ", ".join(f"{name} ({count})" for name, count in counts.items() if count)
    what = "dependent or independent columns" if drawn else "quasi-identifiers"
    drop, stratum, merge, level = (
        setting("protect", "missing", each) for each in ("drop", "stratum", "merge", "level")
    )
    way_out = drop if drawn else f"{drop}, {stratum} or {merge}"
    way_out += f" or {level}" if drawing else ""
    raise DataError(
        f"{source}: {what} have missing values in {records} records: {where}. Complete them, or choose "
        f"{way_out}."
    )


def refuse_split_units(data: Microdata, method: RecordMethod, strata: Ints, units: Ints | None) -> None:
    if units is None:
        raise ParameterError(
            f"{method.spoken_name()}: wanted the column that names the household or firm (unit), got "
            "none: its records must change together. Name it; where each record stands for itself, name a "
            "column of record numbers, and leave it out as an identifier."
        )
    pairs = np.unique(np.column_stack([units, strata]), axis=0)
    split = int((np.bincount(pairs[:, 0]) > 1).sum())
    if split:
        raise DataError(
            f"{data.source}: {split} units have records in several strata, or miss values in some records "
            f"only, and {method.spoken_name()} treats a unit as a whole. Name strata that agree within units."
        )


def refuse_bad_weights(data: Microdata, kept: Ints) -> None:
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


def refuse_hopeless(
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
        refuse_small_strata(who, np.bincount(strata), k, "records", missing)
        if units is not None:
            pairs = np.unique(np.column_stack([strata, units]), axis=0)
            refuse_small_strata(who, np.bincount(pairs[:, 0]), k, "distinct units", missing)
    varies = [np.unique(column[~np.isnan(column)]).size > 1 for column in x.T]
    # what is constant in a part of a file need not be so in all of it
    if varies and not any(varies) and data.whole is None:
        raise DataError(
            f"{who}: every quasi-identifier is constant or missing, there is nothing to protect. "
            "Name other columns."
        )


_ABOUT_GAPS: dict[Missing, str] = {
    "refuse": "",
    "drop": "",
    "level": "",
    "stratum": " (records missing the same columns are a stratum too; {merge} joins small ones)",
    "merge": " (records that miss other columns could not be joined to k without taking all their values)",
}


def refuse_small_strata(who: str, counts: Ints, k: int, of_what: str, missing: Missing) -> None:
    """Raise where some strata, each with its count, have fewer than k of something."""
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
