"""Loss seen by one who would tell released records from original ones, by numbers and categories alike."""

from __future__ import annotations

from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Comparison, Matrix, Run, Score

from .design_matrix import beside, estimable, fit, terms_of
from .survey_frame import Survey, SurveyLoss


class PropensityRatio(SurveyLoss):
    """How much better released records can be told from original ones than those of a right model could.

    The propensity score of a logistic regression on protected columns: numbers, labels (the twelve commonest
    of a column, and the rest), and whether a value is missing; with `interactions` the products of terms of
    two columns too. pMSE = mean (p - c)^2 with c the share of released records among N; the ratio is to its
    expectation q c (1 - c)^2 / N where the release is drawn by a right model, fitted to the source, and the
    regression has q terms. 0: nothing changed; 1: as drawn by such a model; 2: as a second sample of the same
    population; far above: to be told apart. O(n d^2) a step.
    Source: Snoke, Raab, Nowok, Dibben & Slavković (2018), J. Royal Statistical Society A 181(3), 663-688.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> before, after = (Microdata.of(pa.table({"sex": list(each)})) for each in ("ffmm", "fmmm"))
    >>> files = Files(after, before.with_roles(Roles(quasi="sex", nominal="sex")), np.arange(4))
    >>> round(PropensityRatio().score(Comparison.of_files(files)).value, 6)
    1.066667
    """

    name: ClassVar[str] = "PMSE_mixed"
    family: ClassVar[str] = "distributions"
    measured_in: ClassVar[str] = ""

    interactions: Annotated[bool, Field(description="whether terms of two columns are multiplied too")] = (
        False
    )

    def figure(self, survey: Survey, pair: Comparison, run: Run) -> Score:
        run.report("telling records apart", 0, 1)
        terms = [terms_of(survey, name) for name in survey.protected]
        blocks = [np.vstack([each.before, each.after]) for each in terms]
        if self.interactions:
            blocks += [_products(one, other) for one, other in combinations(blocks, 2)]
        n, m = survey.source.n, survey.released.n
        x = beside(blocks, n + m)
        kept = estimable(x) if x.shape[1] else []
        if not kept:
            return self.none("no protected column varies")
        if n + m <= len(kept) + 1:
            return self.none("there are too few records for a regression on the protected columns")
        is_released = np.repeat([0.0, 1.0], [n, m])
        share = m / (n + m)
        chance = fit(x[:, kept], is_released, "logistic").expected
        expectation = len(kept) * share * (1 - share) ** 2 / (n + m)
        run.report("telling records apart", 1, 1)
        return self.result(float(((chance - share) ** 2).mean()) / expectation)


def _products(one: Matrix, other: Matrix) -> Matrix:
    return (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)
