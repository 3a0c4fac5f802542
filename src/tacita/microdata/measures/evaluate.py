"""From two files to scores: the columns that are compared, their context, and the domains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from tacita.core import (
    Categories,
    Comparison,
    DataError,
    Floats,
    Ints,
    Mask,
    Matrix,
    Microdata,
    Report,
    RunContext,
    Score,
)
from tacita.core.results.release import LabelMaps
from tacita.core.results.score import Files
from tacita.core.spec.roles import Kind
from tacita.io.hierarchies import as_hierarchy

from .measure import Measure


def whole_files(
    released: Microdata,
    source: Microdata,
    rows: Ints,
    domains: Sequence[str] = (),
    *,
    recodings: LabelMaps | None = None,
    keys: Sequence[str] = (),
) -> Files:
    """A release with its source, and domains by these columns or else by the strata.

    `recodings` and `keys` are those of `Files`, where the steps of the release are known.
    """
    roles, became = source.roles, recodings or {}
    if roles is None:
        return Files(
            released=released,
            original=source,
            rows=rows,
            domains=tuple(domains),
            recodings=became,
            keys=tuple(keys),
        )
    climbed = {name: as_hierarchy(name, hierarchy) for name, hierarchy in roles.hierarchy.items()}
    return Files(
        released=released,
        original=source,
        rows=rows,
        domains=tuple(domains or roles.strata),
        hierarchies=climbed,
        recodings=became,
        keys=tuple(keys),
    )


@dataclass(frozen=True, eq=False)
class OfAll:
    """Figures of all records of a file, where those at hand are a sample of them; how many were left out."""

    scores: Mapping[Measure, Score] = field(default_factory=dict)
    left_out: int | None = None


def measure(
    original: Matrix,
    released: Matrix,
    names: Sequence[str],
    measures: Iterable[Measure],
    run: RunContext,
    *,
    context: Mapping[str, Floats],
    domains: Ints | None = None,
    kinds: Sequence[Kind] = (),
    files: Files | None = None,
    of_all: OfAll | None = None,
) -> Report:
    """Every measure of one release; records with a missing value on either side are left out and counted.

    Columns of another kind than numeric hold codes, the same ones on both sides. Measures of whole files
    look at `files`, and leave nothing out. What is known `of_all` records is not measured of these.
    """
    known = of_all or OfAll()
    there = complete(original, released)
    left_out = int((~there).sum()) if known.left_out is None else known.left_out
    measures = tuple(measures)
    notes: tuple[str, ...] = ()
    if left_out and not all(measure.of_files for measure in measures):
        notes = (f"{left_out} records with missing values are left out of measures that compare values.",)
    if not there.any() or not names:
        whole = None if files is None else Comparison.of_files(files)
        why = "every record has a missing value" if names else "no value was changed"
        return Report(
            tuple(
                measure.none(why) if whole is None or not measure.of_files else measure.score(whole, run)
                for measure in measures
            ),
            notes,
        )
    pair = compared(
        original[there],
        released[there],
        names,
        kinds,
        beside(context, len(original))[there],
        None if domains is None else domains[there],
        files,
    )
    for input_measure, score in known.scores.items():
        chances = input_measure.compute(pair, run).per_record if input_measure.pictured else None
        pair.remember(input_measure, partial(replace, score, per_record=chances))
    return Report(tuple(measure.score(pair, run) for measure in measures), notes)


def compared(
    x: Matrix,
    z: Matrix,
    names: Sequence[str],
    kinds: Sequence[Kind] = (),
    context: npt.ArrayLike = (),
    domains: Ints | None = None,
    files: Files | None = None,
) -> Comparison:
    """What measures look at: numbers and categories apart; no value is missing."""
    numeric = np.array([kind == "numeric" for kind in kinds] or [True] * len(names))
    return Comparison.of(
        x[:, numeric],
        z[:, numeric],
        [name for name, number in zip(names, numeric, strict=True) if number],
        context,
        domains,
        None if numeric.all() else _categories(x, z, names, kinds),
        files,
    )


def complete(original: Matrix, released: Matrix) -> Mask:
    """Which records miss no value on either side."""
    return np.asarray(~(np.isnan(original) | np.isnan(released)).any(axis=1))


def beside(columns: Mapping[str, Floats], n: int) -> Matrix:
    return np.column_stack(list(columns.values())) if columns else np.empty((n, 0))


def _categories(x: Matrix, z: Matrix, names: Sequence[str], kinds: Sequence[Kind]) -> Categories:
    coded = [j for j, kind in enumerate(kinds) if kind != "numeric"]
    return Categories(
        x[:, coded],
        z[:, coded],
        tuple(names[j] for j in coded),
        tuple(kinds[j] == "ordinal" for j in coded),
    )


def usable_numbers(data: Microdata, name: str) -> Matrix | None:
    """A column that is only passed on, as numbers; None where it is no quantity, extreme, or has gaps."""
    return finite_numbers(data, name) if data.kind(name) == "numeric" else None


def finite_numbers(data: Microdata, name: str) -> Matrix | None:
    """A column as numbers; None where some are no numbers, extreme or missing."""
    try:
        values = data.numbers(name)
    except DataError:
        # infinite or extreme values are no reason to refuse a column that nobody touches
        return None
    return values if np.isfinite(values).all() else None


def context_columns(data: Microdata, names: Iterable[str], rows: Ints) -> dict[str, Floats]:
    """Unchanged numeric columns by name; O(n) a column."""
    return {name: values[rows] for name in names if (values := usable_numbers(data, name)) is not None}
