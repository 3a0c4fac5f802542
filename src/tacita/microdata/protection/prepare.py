"""From a file and a method to a protected file: which records, which strata, what is left out and claimed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np

from tacita.core import (
    MISSING_TEXT,
    DataError,
    Floats,
    Ints,
    Mask,
    Microdata,
    ParameterError,
    Partition,
    RecordMethod,
    Run,
)
from tacita.core.data.microdata import speakable
from tacita.core.results.release import Claim
from tacita.core.spec.options import Missing
from tacita.core.spec.roles import Kind
from tacita.core.spec.setting_syntax import setting
from tacita.io.hierarchies import as_hierarchy
from tacita.microdata.statistics.sample_uniqueness import combined
from tacita.microdata.statistics.unit_counts import Company, unit_codes

from .apply import Records, publish
from .context_columns import asked_by, columns_read, numbers_beside, population_of
from .membership import Membership
from .missing_patterns import suppressed_cells


@dataclass(frozen=True, repr=False)
class Protected:
    """The public frame, the partition behind it if any, the method as it ran, and the claim to verify.

    `original` and `released` are the columns in the order of the source, as numbers or as codes of
    categories, of which `texts` has those that are new. `left` counts the records that left by the method's
    own rule, `undecided` those of whom a missing value left that open. `membership` is what halves of the
    records show of a synthesis.
    """

    data: Microdata
    partition: Partition | None
    method: RecordMethod
    claim: Claim
    original: Floats
    released: Floats
    strata: Ints
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    search: Mapping[str, Any] = field(default_factory=dict)
    left: int = 0
    undecided: int = 0
    membership: Membership | None = None

    @cached_property
    def company(self) -> Company:
        """The units behind the records, in the order of the source; each its own where none are named."""
        return Company(unit_codes(self.claim.original, np.sort(self.claim.rows)))


def protect(
    data: Microdata,
    method: RecordMethod,
    run: Run,
    *,
    missing: Missing = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
) -> Protected:
    """Publish what the method makes of the quasi-identifiers; leave identifiers out."""
    kinds = _kinds(data, method)
    _refuse_numbers(data, method)
    x = data.coded(data.quasi)
    beside = _explaining(data)
    drawing = method.draws_missing
    kept = _rows_to_keep(data, np.column_stack([x, beside]), missing, drawing)
    x = x[kept]
    # whoever lacks a unit or a weight may be just who is to leave
    drops = method.kind == "dropping"
    units = None if drops else _units(data, kept)
    k = method.group_size
    suppressed: Mask | None = None
    accounted: tuple[str, ...] = ()
    if missing == "merge" and k is not None and not method.reads_missing:
        accounted = ("suppressed-cells",)
        suppressed = suppressed_cells(x, _named_strata(data, kept), units, k, data.scales, run)
        x = np.where(suppressed, np.nan, x)
    # where missing is a level, records that miss other columns are drawn together
    together = method.reads_missing or missing == "level"
    strata = _named_strata(data, kept) if together else _strata(data, x, kept)
    if not drops:
        _refuse_bad_weights(data, kept)
    if method.whole_units:
        _refuse_split_units(data, method, strata, units)
    _refuse_hopeless(data, x, strata, units, k, missing)

    integer = np.array(
        [round_integers and data.scale(name) == "numeric" and data.is_integer(name) for name in data.quasi]
    )
    beside = beside[kept] if beside.size else numbers_beside(data, method.context_columns, kept)
    texts = {name: data.levels(name).names for name in data.used if data.scale(name) != "numeric"}
    climbed = {name: as_hierarchy(name, given) for name, given in _hierarchies(data).items()}
    read = columns_read(data, method, kept)
    asked = {name: cells[kept] for name, cells in asked_by(data, method).items()}
    people = {path: population_of(path, data, kept, strata) for path in method.populations}
    spread = None if data.whole is None else data.whole.scale_of(data.quasi)
    records = Records(
        x, strata, units, integer, beside, kinds, texts, climbed, data.used, read, asked, people, spread
    )
    made = publish(method, records, run)
    _refuse_missing_words(data, made.texts, method)
    suppressed = suppressed if made.withheld is None else made.withheld
    before = x if made.before is None else made.before
    left = 0 if made.leaving is None else int(made.leaving.sum())
    if made.leaving is not None and left:
        stays = ~made.leaving
        if not stays.any():
            advice = "Name a narrower condition" if drops else "Lower the suppression limit, or k"
            raise DataError(f"{data.source}: no record is left. {advice}.")
        kept, before, strata = kept[stays], before[stays], strata[stays]
        made = replace(made, values=made.values[stays])
    if drops:
        _refuse_bad_weights(data, kept)
    order = run.protective_generator().permutation(kept.size) if shuffle else np.arange(kept.size)
    claim = Claim(
        original=data,
        rows=kept[order],
        labels=None if made.labels is None else made.labels[order],
        # a k that was not given was found on the way
        k=made.method.group_size,
        # a plug-in may promise more than its kind does, never less
        guarantees=tuple(dict.fromkeys((*made.guarantees, *method.promised(), *accounted))),
        rounded=frozenset(name for name, whole in zip(data.quasi, integer, strict=True) if whole),
        left_out=data.used if missing == "drop" else (),
        suppressed=None if suppressed is None else suppressed[order],
        leaving=np.setdiff1d(np.arange(data.n), kept),
        terms={**made.method.own_parameters(), **made.witness},
        missing_drawn=missing == "level",
        shuffled=shuffle,
    )
    frame = _released_frame(data, made.values[order], claim, made.texts, shuffle, method.reads_missing)
    return Protected(
        frame,
        made.partition,
        made.method,
        claim,
        before,
        made.values,
        strata,
        made.texts,
        made.search,
        left,
        made.undecided,
        made.membership,
    )


def _refuse_missing_words(
    data: Microdata, texts: Mapping[str, tuple[str, ...]], method: RecordMethod
) -> None:
    """Raise where a new category reads as missing in the file: nobody could tell it from what was."""
    words = MISSING_TEXT if data.dialect is None else data.dialect.missing_values
    named = [name for name, labels in texts.items() if any(label.strip() in words for label in labels)]
    if named:
        raise ParameterError(
            f"{method.spoken_name()}: column {speakable(named)} would get a value that reads as missing in a "
            "text file. Choose another word."
        )


def _hierarchies(data: Microdata) -> Mapping[str, Any]:
    return data.roles.hierarchy if data.roles else {}


def _kinds(data: Microdata, method: RecordMethod) -> tuple[Kind, ...]:
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


def _refuse_numbers(data: Microdata, method: RecordMethod) -> None:
    """Raise where columns were not named one by one, and a method takes their values for categories."""
    named = [name for name, kind in zip(data.quasi, data.scales, strict=True) if kind == "numeric"]
    if method.reads_missing and named:
        raise ParameterError(
            f"{method.spoken_name()}: column {speakable(named)} is taken for numbers, and this method works "
            "on categories. Name the columns of quasi one by one, or declare them nominal."
        )


def complete_rows(data: Microdata, columns: Sequence[str]) -> Ints:
    """Rows that miss no value in some columns; raises where none is left."""
    gaps = np.zeros(data.n, dtype=bool)
    for name in columns:
        gaps |= data.missing(name)
    if gaps.all():
        raise DataError(f"{data.source}: every record misses a value to protect. Nothing is left to protect.")
    return np.flatnonzero(~gaps)


def _explaining(data: Microdata) -> Floats:
    """Independent columns, as numbers or codes; none where there are none."""
    names = data.used[len(data.quasi) :]
    return data.coded(names) if names else np.empty((data.n, 0))


def _rows_to_keep(data: Microdata, used: Floats, policy: Missing, drawing: bool) -> Ints:
    gaps = np.isnan(used)
    drawn = bool(data.roles and data.roles.dependent)
    if policy == "refuse" and gaps.any():
        counts = dict(zip(data.used, gaps.sum(axis=0).tolist(), strict=True))
        refuse_gaps(data.source, counts, int(gaps.any(axis=1).sum()), drawn=drawn, drawing=drawing)
    kept = np.flatnonzero(~gaps.any(axis=1)) if policy == "drop" else np.arange(data.n)
    if kept.size == 0:
        what = "dependent or independent value" if drawn else "quasi-identifier"
        raise DataError(f"{data.source}: every record misses a {what}. Nothing is left to protect.")
    return kept


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


def _strata(data: Microdata, x: Floats, kept: Ints) -> Ints:
    """Number the strata of the kept records; records that miss other columns are never grouped together."""
    return combined((_named_strata(data, kept), *np.isnan(x).T.astype(np.int64)), kept.size)


def _named_strata(data: Microdata, kept: Ints) -> Ints:
    return data.codes(data.roles.strata if data.roles else ())[kept]


def _units(data: Microdata, kept: Ints) -> Ints | None:
    unit = data.roles.unit if data.roles else None
    if unit is None:
        return None
    absent = int(data.missing(unit)[kept].sum())
    if absent:
        raise DataError(
            f"{data.source}: unit column {unit} is missing in {absent} records, so distinct units cannot be "
            "counted. Complete it or drop those records."
        )
    return data.alike(unit).codes[kept]


def _refuse_split_units(data: Microdata, method: RecordMethod, strata: Ints, units: Ints | None) -> None:
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


def _refuse_bad_weights(data: Microdata, kept: Ints) -> None:
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


def without_identifiers(
    data: Microdata, rows: Ints, shuffled: bool, dropped: Sequence[str] = ()
) -> nw.DataFrame[Any]:
    """The frame of some rows, in that order, and of the columns that may leave the house."""
    from tacita.io.frames import gathered

    gone = {*dropped, *(data.roles.identifiers if data.roles else ())}
    frame = data.frame.select([name for name in data.columns if name not in gone])
    if not np.array_equal(rows, np.arange(data.n)):
        frame = gathered(frame, rows)
    # an index that travels with its rows would undo the shuffling
    return nw.maybe_reset_index(frame) if shuffled else frame


def _released_frame(
    data: Microdata,
    released: Floats,
    claim: Claim,
    texts: Mapping[str, tuple[str, ...]],
    shuffled: bool,
    gaps_alike: bool,
) -> Microdata:
    from tacita.io.frames import emptied, regathered, replace_columns, replace_text, without_memory

    dropped = claim.terms.get("columns", ()) if "dropped" in claim.guarantees else ()
    frame = without_identifiers(data, claim.rows, shuffled, dropped)
    published = dict(zip(data.quasi, released.T, strict=True))
    numeric = [name for name in data.quasi if data.scale(name) == "numeric"]
    frame = replace_columns(frame, {name: (published[name], name in claim.rounded) for name in numeric})
    # categories are cells of the source again, so that type and spelling stay
    categories = {
        name: data.levels(name).source_rows(codes)
        for name, codes in published.items()
        if name not in numeric and name not in texts
    }
    frame = regathered(frame, data.frame, categories)
    # where no cell of the source is missing, there is none to show instead
    frame = emptied(frame, {name: rows < 0 for name, rows in categories.items()}, data.dialect)
    labelled = {name: (published[name], labels) for name, labels in texts.items()}
    frame = replace_text(frame, labelled, data.dialect, alike=gaps_alike)
    frame = nw.from_native(without_memory(frame.to_native()), eager_only=True)
    return Microdata(frame, dialect=data.dialect, source=data.source, whole=data.whole)
