"""Loss seen by analysts of answers and counts: logistic and Poisson regressions before and after."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from tacita.core import Comparison, Floats, Ints, RunContext, Score

from .design_matrix import Fitted, Link, Terms, beside, estimable, fit, terms_of
from .models import overlap
from .survey_frame import Survey, SurveyLoss

# Numbers of more distinct values are measured, not counted.
_MOST_COUNTS = 50
_MOST_MODELS = 6
# A term whose standard error is beyond it says nothing: its label is never, or always, with one answer.
_WIDEST = 10.0


class _Answer(NamedTuple):
    """What a model explains, before and after; NaN where it is not known."""

    column: str
    before: Floats
    after: Floats
    link: Link


class CoefficientsOfModels(SurveyLoss):
    """How much of the confidence intervals of logistic and Poisson regressions is common before and after.

    Columns of two values are explained by logistic regression, small whole numbers by Poisson's, each on all
    others: numbers, and labels against the commonest of their column; six such columns at most, protected
    ones first. For every coefficient the 95 % intervals of source and release overlap by the mean of
    overlap/length of either, 0 where they do not touch or the release cannot tell the coefficient. The mean
    over all; per attribute, over models that explain it and its own terms in others. 100: same intervals. O(n
    d^2) a step.
    Source: Karr, Kohnen, Oganian, Reiter & Sanil (2006), The American Statistician 60(3), 224-232 (overlap);
    McCullagh & Nelder (1989), Generalized Linear Models, 2.5 (fit).

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> file = Microdata.of(pa.table({"sex": list("fmfmfm"), "works": list("yynnyn")}))
    >>> file = file.with_roles(Roles(quasi="sex", nominal="sex"))
    >>> CoefficientsOfModels().score(Comparison.of_files(Files(file, file, np.arange(6)))).value
    100.0
    """

    name: ClassVar[str] = "GLM"
    family: ClassVar[str] = "regressions"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    direction: ClassVar[str] = "higher"  # type: ignore[assignment]

    def figure(self, survey: Survey, pair: Comparison, run: RunContext) -> Score:
        names = [*survey.protected, *survey.beside]
        answers = [answer for name in names if (answer := _answer(survey, name)) is not None][:_MOST_MODELS]
        if not answers:
            return self.none("no column has two values or counts something")
        terms = [terms_of(survey, name) for name in names]
        by_column: dict[str, list[Floats]] = {name: [] for name in survey.protected}
        every = []
        for done, answer in enumerate(answers):
            run.report("fitting models", done, len(answers))
            owners, shared = _overlaps(answer, [term for term in terms if term.column != answer.column])
            every.append(shared)
            for name in survey.protected:
                by_column[name].append(shared if name == answer.column else shared[owners == name])
        run.report("fitting models", len(answers), len(answers))
        overlaps = np.concatenate(every)
        if not overlaps.size:
            return self.none("no regression on the other columns can be fitted to the original")
        joined = {name: np.concatenate(overlaps_of) for name, overlaps_of in by_column.items()}
        figures = {
            name: float(overlaps_of.mean()) for name, overlaps_of in joined.items() if overlaps_of.size
        }
        return self.result(float(overlaps.mean()), per_attribute=figures)


def _answer(survey: Survey, name: str) -> _Answer | None:
    if survey.is_numeric(name):
        x, z = survey.values(name)
        known = np.unique(x[~np.isnan(x)])
        if known.size == 2:
            return _Answer(name, _yes(x, known), _yes(z, known), "logistic")
        whole = known.size and known[0] >= 0 and bool((known == np.rint(known)).all())
        if 2 < known.size <= _MOST_COUNTS and whole:
            # what is below zero now is no count
            return _Answer(name, x, np.where(z >= 0, z, np.nan), "poisson")
        return None
    coded = survey.recoded(name)
    known = np.unique(coded.before[coded.before >= 0])
    if known.size != 2:
        return None
    return _Answer(name, _yes(coded.before, known), _yes(coded.after, known), "logistic")


def _yes(values: Floats | Ints, both: Floats | Ints) -> Floats:
    return np.where(values == both[1], 1.0, np.where(values == both[0], 0.0, np.nan))


def _overlaps(answer: _Answer, terms: list[Terms]) -> tuple[np.ndarray, Floats]:
    """Of every estimable term: the column it belongs to, and the overlap of its intervals."""
    owners = np.array([term.column for term in terms for _ in range(term.before.shape[1])], dtype=object)
    x, z = (
        beside([getattr(term, side) for term in terms], len(values))
        for side, values in (("before", answer.before), ("after", answer.after))
    )
    kept, before = _fitted(x, answer.before, answer.link)
    if before is None or not before.ended:
        return owners[:0], np.empty(0)
    # both sides are explained by the same terms: the source is fitted again without those that say nothing
    while (estimated := np.sqrt(before.variances[1:]) < _WIDEST).sum() < kept.size:
        kept = kept[estimated]
        if not kept.size:
            return owners[:0], np.empty(0)
        # terms that can be estimated together can be without the others
        _, before = _fitted(x[:, kept], answer.before, answer.link)
        if before is None or not before.ended:
            return owners[:0], np.empty(0)
    centre, error = before.coefficients[1:], np.sqrt(before.variances[1:])
    shared = np.zeros(kept.size)
    again, after = _fitted(z[:, kept], answer.after, answer.link)
    if after is not None and after.ended:
        low, high = centre[again] - 1.96 * error[again], centre[again] + 1.96 * error[again]
        now, half = after.coefficients[1:], 1.96 * np.sqrt(after.variances[1:])
        shared[again] = overlap((low, high), (now - half, now + half))
    return owners[kept], shared


def _fitted(x: Floats, y: Floats, link: Link) -> tuple[np.ndarray, Fitted | None]:
    """The terms that can be estimated, and their model; None where records or answers do not suffice."""
    known = ~np.isnan(y)
    x, y = x[known], y[known]
    if y.size == 0 or np.ptp(y) == 0 or x.shape[1] == 0:
        return np.empty(0, dtype=np.int64), None
    kept = np.array(estimable(x), dtype=np.int64)
    if kept.size == 0 or y.size <= kept.size + 1:
        return kept, None
    return kept, fit(x[:, kept], y, link)
