"""Loss of values that are no longer there."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.core import Comparison, Run, Score

from .survey_frame import Survey, SurveyLoss


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

    def figure(self, survey: Survey, pair: Comparison, run: Run) -> Score:
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
