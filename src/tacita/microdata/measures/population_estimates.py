"""Estimates of the population before and after, whole and by domain: what a reviewer compares one by one.

Totals, means and shares with their intervals; no quartiles, which are values of single records.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import DataError, Ints, Mask, RunContext
from tacita.core.results.plot_data import Estimate, Interval
from tacita.core.results.score import Files

from .loss.estimates import Estimates, Sample, columns_estimated, commonest, samples
from .loss.models import overlap
from .loss.survey_frame import Survey

# Nothing is published of fewer records.
_FEWEST = 10
_PUBLISHED = ("total", "mean", "share")


def by_domain(files: Files, run: RunContext) -> tuple[Estimate, ...]:
    """Of files with a column of weights, the estimates that WEIGHTED compares. O(n (log n + labels) d).

    A domain, a category or a column that fewer than ten records of the source have is left out, and so is
    what does not vary: its mean would be everybody's value. Where such a domain would be what the whole less
    the others leaves over, the smallest of these is left out too. Unchanged columns are listed for the whole
    population, where at least ten records left.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> before = pa.table({"wage": np.arange(12.0), "w": np.ones(12)})
    >>> after = before.set_column(0, "wage", [np.arange(12.0) + 1])
    >>> roles = Roles(quasi="wage", weight="w")
    >>> files = Files(Microdata.of(after), Microdata.of(before).with_roles(roles), np.arange(12))
    >>> [(each.statistic, each.before.value, each.after.value) for each in by_domain(files, RunContext())]
    [('total', 66.0, 78.0), ('mean', 5.5, 6.5)]
    """
    roles = None if files.original is None else files.original.roles
    if roles is None or roles.weight is None:
        return ()
    try:
        survey = Survey.of(files)
        return tuple(_listed(survey, run))
    except DataError:
        # WEIGHTED reports weights that cannot be used
        return ()


def _listed(survey: Survey, run: RunContext) -> Iterator[Estimate]:
    if min(survey.source.n, survey.released.n) < 2:
        return
    domains = survey.files.domains
    # of a column that nobody changed, the difference is what those had who left
    left = survey.source.n - survey.released.n
    unchanged = [name for name in columns_estimated(survey, ()) if name not in survey.protected]
    names = [*survey.protected, *(unchanged if left >= _FEWEST else ())]
    for done, name in enumerate(names):
        run.report("estimating", done, len(names))
        by: tuple[str, ...] = domains if name in survey.protected and name not in domains else ()
        for columns in dict.fromkeys(((), by)):
            before, after, parts = samples(survey, columns, _FEWEST)
            spoken = _spoken(survey, columns, before.parts, parts)
            for label, one, other, records, varies in _statistics(survey, name, before, after):
                for part in _enough(records, varies, parts):
                    earlier, later, shared = _on_both_sides(one, other, part)
                    yield Estimate(
                        column=name,
                        statistic=one.statistic,
                        label=label,
                        domain=spoken[part],
                        records=int(records[part]),
                        before=earlier,
                        after=later,
                        overlap=shared,
                    )
    run.report("estimating", 1, 1)


def _enough(records: Ints, varies: Mask, parts: Ints) -> list[int]:
    """Parts that may be published: the rest of the whole must not be of few records or of one value."""
    published = [part for part in parts.tolist() if records[part] >= _FEWEST and varies[part]]
    rest = [part for part in np.flatnonzero(records).tolist() if part not in published]
    few = records[rest].sum() < _FEWEST or not varies[rest].any()
    if rest and published and few:
        published.remove(min(published, key=lambda part: int(records[part])))
    return published


def _statistics(
    survey: Survey, name: str, before: Sample, after: Sample
) -> Iterator[tuple[str | None, Estimates, Estimates, Ints, Mask]]:
    """Each statistic on both sides, how many records of each part stand behind it, whether they differ."""
    if survey.is_numeric(name):
        x, z = survey.values(name)
        known = _counted(before, ~np.isnan(x))
        old, new = list(before.of_numbers(x)), list(after.of_numbers(z))
        # nobody differs from the mean: it is everybody's value
        varies = next(estimates.high > estimates.low for estimates in old if estimates.statistic == "mean")
        for one, other in zip(old, new, strict=True):
            if one.statistic in _PUBLISHED:
                yield None, one, other, known, varies
        return
    coded = survey.recoded(name)
    old_codes, new_codes, labels, texts = commonest(coded)
    both = (before.of_categories(old_codes, labels), after.of_categories(new_codes, labels))
    for place, (one, other) in enumerate(zip(*both, strict=True)):
        label = place % labels
        yield texts[label], one, other, _counted(before, old_codes == label), np.ones(before.count, bool)


def _counted(sample: Sample, chosen: Mask) -> Ints:
    return np.bincount(sample.parts[chosen], minlength=sample.count)


def _on_both_sides(one: Estimates, other: Estimates, part: int) -> tuple[Interval, Interval | None, float]:
    """An estimate of a part on both sides, and how much the intervals have in common."""
    before, after = (
        Interval(*(float(side[part]) for side in (estimates.value, estimates.low, estimates.high)))
        for estimates in (one, other)
    )
    if np.isnan(after.value):
        return before, None, 0.0
    shared = overlap((one.low[[part]], one.high[[part]]), (other.low[[part]], other.high[[part]]))
    return before, after, float(shared[0])


def _spoken(survey: Survey, columns: tuple[str, ...], parts: Ints, chosen: Ints) -> dict[int, str | None]:
    """What each part is called."""
    if not columns:
        return {0: None}
    coded = [survey.recoded(name) for name in columns]
    labels: dict[int, str | None] = {}
    for part in chosen.tolist():
        row = int(np.flatnonzero(parts == part)[0])
        words = [
            column.labels[place] if (place := int(column.before[row])) >= 0 else "missing" for column in coded
        ]
        labels[part] = ", ".join(f"{name} {word}" for name, word in zip(columns, words, strict=True))
    return labels
