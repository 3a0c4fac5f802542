"""Loss seen in tables of counts: what users of a survey make first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import ClassVar

import numpy as np

from tacita.core import Comparison, DataError, Floats, Ints, RunContext, Score

from .survey_frame import Survey, SurveyLoss, combined

# Tables of three columns grow with the cube of these: more unchanged columns than so many are left out.
_MOST_UNCHANGED = 12
# Beyond so many possible cells only those that occur are counted.
_MOST_CELLS = 1_000_000


class _Tables(SurveyLoss):
    """A figure of every table of so many columns of categories, one of them protected at least.

    The score is the mean over tables, that of an attribute the figure of the table of it that changed most.
    """

    family: ClassVar[str] = "tables of counts"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    columns: ClassVar[int]

    def figure(self, survey: Survey, pair: Comparison, run: RunContext) -> Score:
        protected = survey.categories
        if not protected:
            return self.none("no protected attribute is nominal or ordinal")
        tables = list(_tables(survey, self.columns))
        if not tables:
            return self.none(f"there are no {self.columns} columns of categories")
        weights = survey.weights()
        changes = []
        for done, names in enumerate(tables):
            run.report("comparing tables", done, len(tables))
            changes.append(self.change(survey, names, weights))
        run.report("comparing tables", len(tables), len(tables))
        worst = {
            name: max(change for names, change in zip(tables, changes, strict=True) if name in names)
            for name in protected
        }
        return self.of_categories_alone(survey, worst, float(np.mean(changes)))

    def change(self, survey: Survey, names: Sequence[str], weights: tuple[Floats, Floats]) -> float:
        """How much one table changed, in percent."""
        coded = [survey.recoded(name) for name in names]
        p, q = _shares(
            [column.before for column in coded],
            [column.after for column in coded],
            [column.size + 1 for column in coded],
            weights,
        )
        return 50 * float(np.abs(p - q).sum())


def _tables(survey: Survey, columns: int) -> Iterator[tuple[str, ...]]:
    protected = survey.categories
    beside = [name for name in survey.beside if not survey.is_numeric(name)][:_MOST_UNCHANGED]
    for names in combinations([*protected, *beside], columns):
        if names[0] in protected:
            yield names


def _shares(
    before: Sequence[Ints], after: Sequence[Ints], sizes: Sequence[int], weights: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """The share of each cell of a table before and after; a missing cell is a category of its own. O(n d)."""
    cells = int(np.prod([float(size) for size in sizes]))
    if cells > _MOST_CELLS:
        one, other = combined(before, after)
        cells = int(max(one.max(), other.max())) + 1
    else:
        one, other = (
            np.ravel_multi_index([codes + 1 for codes in side], tuple(sizes)) for side in (before, after)
        )
    p, q = (
        np.bincount(place, weight, minlength=cells)
        for place, weight in zip((one, other), weights, strict=True)
    )
    return p / p.sum(), q / q.sum()


class TablesOfOne(_Tables):
    """How different the shares of the categories of each column have become.

    Total variation distance of the table of each protected column of categories before and after:
    100 / 2 sum |p - q| over categories, weighted where a column of weights is named; missing is a category of
    its own. The whole source is before: records left out change shares too. 0: same shares; 100: no category
    in common. O(n d).
    Source: the total variation distance as in Hundepool et al. (2012), Statistical Disclosure Control, 3.8.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> before, after = (Microdata.of(pa.table({"sex": list(each)})) for each in ("ffmm", "fmmm"))
    >>> files = Files(after, before.with_roles(Roles(quasi="sex", nominal="sex")), np.arange(4))
    >>> TablesOfOne().score(Comparison.of_files(files)).value
    25.0
    """

    name: ClassVar[str] = "TABLES_1"
    with_categories: ClassVar[bool] = True
    columns: ClassVar[int] = 1


class TablesOfTwo(_Tables):
    """How different tables of two columns of categories have become.

    As TABLES_1, of every pair of columns of categories with a protected one, unchanged columns of at most 50
    labels among them (the first twelve). The mean over tables; per attribute the table of it that changed
    most. O(n) a table.
    Source: the total variation distance as in Hundepool et al. (2012), Statistical Disclosure Control, 3.8.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> sides = [pa.table({"sex": list(each), "job": list("xyxy")}) for each in ("ffmm", "fmmf")]
    >>> before, after = map(Microdata.of, sides)
    >>> files = Files(after, before.with_roles(Roles(quasi="sex", nominal="sex")), np.arange(4))
    >>> TablesOfTwo().score(Comparison.of_files(files)).value
    0.0
    """

    name: ClassVar[str] = "TABLES_2"
    headline: ClassVar[bool] = True
    with_categories: ClassVar[bool] = True
    columns: ClassVar[int] = 2


class TablesOfThree(_Tables):
    """How different tables of three columns of categories have become.

    As TABLES_2, of every three columns. O(n) a table, and there are many: 220 of twelve columns.
    Source: the total variation distance as in Hundepool et al. (2012), Statistical Disclosure Control, 3.8.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> same = {"job": list("xyxy"), "age": list("oyyo")}
    >>> before, after = (Microdata.of(pa.table({"sex": list(s), **same})) for s in ("ffmm", "ffff"))
    >>> files = Files(after, before.with_roles(Roles(quasi="sex", nominal="sex")), np.arange(4))
    >>> TablesOfThree().score(Comparison.of_files(files)).value
    50.0
    """

    name: ClassVar[str] = "TABLES_3"
    columns: ClassVar[int] = 3


class CramerChange(_Tables):
    """How much the association of two columns of categories changed, on a scale from 0 to 100.

    100 |V' - V| with Cramér's V = sqrt(phi^2 / (min(r, c) - 1)), phi^2 = sum p_ij^2 / (p_i p_j) - 1, over the
    records that have both values, weighted where a column of weights is named; r and c count the categories
    that occur, and V is 0 where one of them is 1. Pairs of columns as in TABLES_2: the mean over them, per
    attribute the pair that changed most. O(n) a pair.
    Source: Cramér (1946), Mathematical Methods of Statistics, p. 282; its change as a loss is ours.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> sides = [pa.table({"sex": list(each), "job": list("xxyy")}) for each in ("ffmm", "fmfm")]
    >>> before, after = map(Microdata.of, sides)
    >>> files = Files(after, before.with_roles(Roles(quasi="sex", nominal="sex")), np.arange(4))
    >>> CramerChange().score(Comparison.of_files(files)).value
    100.0
    """

    name: ClassVar[str] = "CRAMER"
    with_categories: ClassVar[bool] = True
    columns: ClassVar[int] = 2

    def change(self, survey: Survey, names: Sequence[str], weights: tuple[Floats, Floats]) -> float:
        first, second = (survey.recoded(name) for name in names)
        if first.size * second.size > _MOST_CELLS:
            raise DataError("two columns have too many categories for a table of them")
        shape = first.size, second.size
        before = _cramer(first.before, second.before, shape, weights[0])
        return 100 * abs(_cramer(first.after, second.after, shape, weights[1]) - before)


def _cramer(rows: Ints, columns: Ints, shape: tuple[int, int], weights: Floats) -> float:
    known = (rows >= 0) & (columns >= 0)
    cells = np.bincount(
        rows[known] * shape[1] + columns[known], weights[known], minlength=shape[0] * shape[1]
    )
    p = cells.reshape(shape)
    p = p[p.sum(axis=1) > 0][:, p.sum(axis=0) > 0]
    if min(p.shape) < 2:
        return 0.0
    p = p / p.sum()
    alone = np.outer(p.sum(axis=1), p.sum(axis=0))
    squared = float(((p - alone) ** 2 / alone).sum()) / (min(p.shape) - 1)
    return float(np.sqrt(min(1.0, squared)))
