"""Loss as change of values: squared and absolute error, Gower distance, cells changed or suppressed."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np

from tacita.core import Comparison, Floats, RunContext, Score
from tacita.microdata.measures.gower import Mixed
from tacita.microdata.measures.measure import CellMeasure, Measure

from .survey_frame import Survey, SurveyLoss


class IL1(CellMeasure):
    """Share of the spread of the values that the release no longer shows.

    Share of the squared spread that is lost: 100 SSE / SST on standardised columns.
    SSE sums the squared differences between original and released values, SST those between original
    values and their column mean; columns without spread count for nothing. 0: nothing lost; 100: as
    if every record were the mean; noise can go beyond. O(n d).
    Source: Domingo-Ferrer & Mateo-Sanz (2002), IEEE Trans. Knowledge and Data Engineering 14(1), 189-201.

    >>> from tacita.core import Comparison
    >>> pair = Comparison.of([[0.0], [1.0], [9.0], [10.0]], [[0.5], [0.5], [9.5], [9.5]])
    >>> round(IL1().score(pair).value, 4)
    1.2195
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "IL1"
    family: ClassVar[str] = "changed values"
    headline: ClassVar[bool] = True

    def cells(self, gap: Floats) -> Floats:
        return 100 * gap**2

    def mean(self, total: Floats, n: int) -> Floats:
        # a standardised column has SST n - 1
        return total / (n - 1)


class IL2(CellMeasure):
    """How far a value was moved on average, against how far two records usually differ.

    Mean absolute change of a cell in units of sqrt(2) standard deviations of its column, in percent.
    100/(n d) * sum |x - z| / (sqrt(2) S_j), S_j with divisor n - 1; columns without spread are left out.
    0: nothing lost; no upper bound. O(n d).
    Source: the IL1s of Yancey, Winkler & Creecy (2002), Lecture Notes in Computer Science 2316, 135-152.

    >>> from tacita.core import Comparison
    >>> round(IL2().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value, 6)
    50.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "IL2"
    family: ClassVar[str] = "changed values"

    def cells(self, gap: Floats) -> Floats:
        return 100 * np.abs(gap) / sqrt(2)


class GowerLoss(Measure):
    """How far a record was moved on average, numbers and categories together: 0 not, 100 to the other end.

    Mean Gower distance between a record and its released self, in percent.
    Mean over attributes of |x - z| / range for numbers, the same on ranks for ordinal levels, and 1 or 0 for
    names that differ or not; range: of the original attribute, those without any are left out. Per attribute,
    that of a nominal one is the share of its cells that changed. 0: nothing lost; 100: as far off as can be;
    values beyond the original range can go above. O(n d).
    Source: Gower (1971), Biometrics 27(4), 857-871 (distance); its mean as a loss is ours.

    >>> round(GowerLoss().score(Comparison.of([[0.0], [4.0]], [[1.0], [4.0]])).value, 6)
    12.5
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "GOWER_loss"
    family: ClassVar[str] = "changed values"
    by_default: ClassVar[bool] = False
    with_categories: ClassVar[bool] = True
    of_categories: ClassVar[bool] = True

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        mixed = Mixed.of(pair)
        if not mixed.attributes:
            return self.none("no original column varies")
        lost = 100 * mixed.gaps()
        per_attribute = dict(zip(mixed.attributes, lost.mean(axis=0).tolist(), strict=True))
        return self.result(lost.mean(), per_attribute=per_attribute, per_record=lost.mean(axis=1))


class CategoriesChanged(Measure):
    """Share of categories that were released as another one.

    Share of the cells of nominal and ordinal attributes that were released with another category.
    0: all categories are the true ones; 100: none is. O(n d).
    Source: the plain share of changed cells, as for any masking of categories.

    >>> import numpy as np
    >>> from tacita.core import Categories
    >>> codes = Categories(np.array([[0.0], [1.0]]), np.array([[0.0], [0.0]]), ("sex",), (False,))
    >>> CategoriesChanged().score(Comparison.of((), (), categories=codes)).value
    50.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "CATEGORIES"
    family: ClassVar[str] = "changed values"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    by_default: ClassVar[bool] = False
    with_categories: ClassVar[bool] = True
    of_categories: ClassVar[bool] = True

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        categories = pair.categories
        if categories is None:
            return self.none("no protected attribute is nominal or ordinal")
        changed = 100.0 * (categories.original != categories.released)
        per_attribute = dict(zip(categories.attributes, changed.mean(axis=0).tolist(), strict=True))
        return self.result(
            changed.mean(),
            per_attribute=per_attribute,
            per_record=changed.mean(axis=1),
            covers=categories.attributes if pair.attributes else (),
        )


class Suppressed(SurveyLoss):
    """Share of the values of protected columns that the release no longer has.

    Cells of protected columns that had a value in the source and have none now, among all that had one;
    records and columns that were left out count with all their values. Per attribute the same of one column.
    0: every value is there, be it changed; 100: none is. O(n d).
    Source: the plain share of suppressed cells, Hundepool et al. (2012), Statistical Disclosure Control, 3.2.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> sides = ["f", "m", None], ["f", None, None]
    >>> before, after = (Microdata.of(pa.table({"sex": each})) for each in sides)
    >>> files = Files(after, before.with_roles(Roles(quasi="sex", nominal="sex")), np.arange(3))
    >>> Suppressed().score(Comparison.of_files(files)).value
    50.0
    """

    name: ClassVar[str] = "SUPPRESSED"
    headline: ClassVar[bool] = True
    with_categories: ClassVar[bool] = True
    family: ClassVar[str] = "changed values"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    def figure(self, survey: Survey, pair: Comparison, run: RunContext) -> Score:
        there, gone = {}, {}
        for name in survey.protected:
            had = ~survey.source.missing(name)
            has = np.zeros(survey.source.n, dtype=bool)
            if name in survey.released.columns:
                has[survey.rows] = ~survey.released.missing(name)
            there[name], gone[name] = int(had.sum()), int((had & ~has).sum())
        if not any(there.values()):
            return self.none("no protected column had a value")
        figures = {name: 100 * gone[name] / there[name] for name in survey.protected if there[name]}
        return self.result(100 * sum(gone.values()) / sum(there.values()), per_attribute=figures)
