"""Loss of records that hold categories, alone or beside numbers."""

from __future__ import annotations

from typing import ClassVar

from tacita.core import Comparison, Run, Score
from tacita.microdata.measures.gower import Mixed
from tacita.microdata.measures.measure import Measure


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

    def compute(self, pair: Comparison, run: Run) -> Score:
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

    def compute(self, pair: Comparison, run: Run) -> Score:
        found = pair.categories
        if found is None:
            return self.none("no protected attribute is nominal or ordinal")
        changed = 100.0 * (found.original != found.released)
        per_attribute = dict(zip(found.attributes, changed.mean(axis=0).tolist(), strict=True))
        return self.result(
            changed.mean(),
            per_attribute=per_attribute,
            per_record=changed.mean(axis=1),
            covers=found.attributes if pair.attributes else (),
        )
