"""Risk profile of the keys of a file before protection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from tacita.core import Comparison, DataError, Ints, Microdata, ParameterError, Report, Roles, RunContext
from tacita.core.results.risk_profile import Band, KeyFigures, RiskProfile, SetFigures, ValueFigures
from tacita.core.results.score import Files
from tacita.core.spec import registry
from tacita.io import fingerprint_of
from tacita.io.formats.parquet import Parquet
from tacita.io.versions import versions
from tacita.microdata.measures.risk.columns import column_sets
from tacita.microdata.measures.risk.keys import KeyTable
from tacita.microdata.measures.risk.suda import SUDA2
from tacita.microdata.plans.risk_plan import RiskSection
from tacita.microdata.plans.sections import MeasureSection

_EDGES = (1, 2, 3, 5, 10, 20, 50, 100)
# Values that fewer records (of units, where these are known) have are not named.
_FEW = 3
_MOST_VALUES = 30
_MOST_SETS = 255
_SHOWN_SETS = 40


def profile(
    data: Microdata, section: RiskSection, measures: MeasureSection, run: RunContext | None
) -> RiskProfile:
    """Measure the keys of a file as it is. The cost of the measures, and O(n log n) a key."""
    steered = run or RunContext()
    data = data.with_roles(
        Roles(
            quasi=section.keys,
            nominal=section.keys,
            weight=section.weight,
            unit=section.unit,
            confidential=section.sensitive,
        )
    )
    files = Files.unprotected(data)
    pair, table = Comparison.of_files(files), KeyTable.of(files, section.keys, section.unit)
    pair.remember(("keys", section.keys, section.unit), lambda: table)
    chosen = _measures(section, measures, table.people)
    scores = tuple(measure.score(pair, steered) for measure in chosen)
    report = Report(scores) if measures.names is not None else _with_figures(Report(scores))
    special = next((measure for measure in chosen if isinstance(measure, SUDA2)), None)
    return RiskProfile(
        source=data.source,
        fingerprint=data.fingerprint or _fingerprint(data),
        records=data.n,
        keys=section.keys,
        settings=section.model_dump(mode="json", exclude={"keys"}, exclude_none=True),
        report=replace(report, notes=(*report.notes, *_notes(table))),
        bands=tuple(_bands(table.sizes, table.records)),
        by_key=tuple(_by_key(table, report)),
        by_value=() if special is None else tuple(_by_value(table, special)),
        sets=_sets(table),
        versions=versions(),
        path=data.path,
        unit=section.unit,
    )


def _measures(section: RiskSection, measures: MeasureSection, people: int) -> list[Any]:
    """Those that are named, or all of a file by itself, with what the section says where they have a field
    of that name. A file of so many `people` out of a known population is a sampling fraction.
    """
    known = [
        name for name in registry.names("risk") if getattr(registry.lookup(name, "risk"), "alone", False)
    ]
    every = measures.names is None or measures.names == ("all",)
    names = known if every else list(measures.names or ())
    if other := [name for name in (*names, *measures.settings) if name not in known]:
        raise ParameterError(
            f"Risk: {other[0]} compares a release with its original, and nothing is released yet. Name "
            f"measures of a file by itself: {', '.join(known)}."
        )
    sample = section.model_dump(include={"missing_as", "fraction", "population"}, exclude_none=True)
    if section.weight is None and section.population is not None and section.population >= people:
        sample["fraction"] = people / section.population
    settings = {
        name: {key: value for key, value in sample.items() if key in registry.lookup(name).model_fields}
        | measures.settings.get(name, {})
        for name in names
        if name not in measures.without
    }
    return measures.model_copy(update={"names": tuple(settings), "settings": settings}).build()


def _with_figures(report: Report) -> Report:
    """The scores without those that nobody requested and that have no figure; notes say why."""
    reasons: dict[str, list[str]] = {}
    for score in report:
        if score.reason is not None:
            reasons.setdefault(score.reason, []).append(score.name)
    notes = tuple(f"Not measured: {', '.join(names)} ({why})." for why, names in reasons.items())
    return Report(tuple(score for score in report if score.value is not None), notes)


def _notes(table: KeyTable) -> Iterable[str]:
    gaps = int((table.codes < 0).any(axis=1).sum())
    if gaps:
        yield f"{gaps} of {table.n} records miss a key; each figure says how missing keys were read."
    for name, codes in zip(table.names, table.codes.T, strict=True):
        values = int(codes.max(initial=-1)) + 1
        if table.n >= 20 and values > table.n / 2:
            yield f"{name} has {values} values in {table.n} records: recode it, or it makes everybody unique."


def _bands(sizes: Ints, records: Ints) -> Iterable[Band]:
    """Classes by how many records (units) share them, and the records that are in these."""
    for place, least in enumerate(_EDGES):
        following = _EDGES[place + 1] if place + 1 < len(_EDGES) else None
        inside = (sizes >= least) & (following is None or sizes < (following or 0))
        most = None if following is None else following - 1
        yield Band(least, most, int(inside.sum()), int(records[inside].sum()))


def _by_key(table: KeyTable, report: Report) -> Iterable[KeyFigures]:
    by_name = {column_set.columns[0]: column_set for column_set in column_sets(table, len(table.names))}
    special = next((score.per_attribute for score in report if score.name == "suda2"), {})
    noted = table.files.released.notes
    for j, name in enumerate(table.names):
        others = table.part([place for place in range(len(table.names)) if place != j])
        yield KeyFigures(
            name=name,
            values=int(np.unique(table.codes[table.codes[:, j] >= 0, j]).size),
            missing=int((table.codes[:, j] < 0).sum()),
            distinction=by_name[name].distinction,
            separation=by_name[name].separation,
            uniques_without=int(others.records[others.sizes == 1].sum()),
            contribution=special.get(name),
            user_missing=0 if noted is None else noted.of(name).user_missing,
        )


def _by_value(table: KeyTable, special: SUDA2) -> Iterable[ValueFigures]:
    """What values add to special uniques, most first; those of few are counted together."""
    uniques = special.uniques(table)
    units = np.arange(table.n) if table.units is None else table.units
    figures: list[ValueFigures] = []
    for name, codes, by_value in zip(table.names, table.codes.T, uniques.by_value, strict=True):
        total = max(float(by_value.sum()), 1e-300)
        present = codes >= 0
        records = np.bincount(codes[present], minlength=by_value.size)
        behind = np.unique(np.column_stack([codes, units])[present], axis=0)[:, 0]
        rare = np.bincount(behind, minlength=by_value.size) < _FEW
        first = np.full(by_value.size, -1, dtype=np.int64)
        first[codes[present][::-1]] = np.flatnonzero(present)[::-1]
        cells = table.files.released.column(name)
        for value in np.flatnonzero(~rare & (by_value > 0)).tolist():
            label = str(cells[int(first[value])])
            figures.append(ValueFigures(name, label, int(records[value]), 100 * by_value[value] / total))
        if (few := float(by_value[rare].sum())) > 0:
            figures.append(ValueFigures(name, None, int(records[rare].sum()), 100 * few / total))
    return sorted(figures, key=lambda figure: (-figure.contribution, figure.key, figure.value or ""))[
        :_MOST_VALUES
    ]


def _sets(table: KeyTable) -> tuple[SetFigures, ...]:
    sets = column_sets(table, _MOST_SETS)
    worst = sorted(
        sets, key=lambda column_set: (-column_set.separation, len(column_set.columns), column_set.columns)
    )
    return tuple(SetFigures(*column_set) for column_set in worst[:_SHOWN_SETS])


def _fingerprint(data: Microdata) -> str | None:
    try:
        return fingerprint_of(Parquet().encode(data))
    except DataError:
        return None
