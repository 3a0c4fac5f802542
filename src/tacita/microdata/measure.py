"""What all measures of loss and risk share: a name, a scale, and a reason where there is no figure."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

from tacita.core import Comparison, Floats, Method, Run, Score
from tacita.core.score import Direction


class Measure(Method):
    """Compares original and released values. Subclasses say how, in `compute`.

    `by_default` is False for those that a user must ask for: they cost much, or assume an attacker who
    knows more than most. `headline` marks the few that a reader should see first. `of_categories` marks
    those that look at nominal and ordinal attributes; the others look at numeric ones, if there are any, and
    their scores say so where there are others. The first line of the docstring is one plain sentence for
    people who do not know the measure, and `family` what measures of a kind are listed under together.
    """

    name: ClassVar[str]
    family: ClassVar[str] = "others"
    span: ClassVar[tuple[float, float | None]] = (0.0, None)
    direction: ClassVar[Direction] = "lower"
    unit: ClassVar[str] = "%"
    by_default: ClassVar[bool] = True
    headline: ClassVar[bool] = False
    of_categories: ClassVar[bool] = False

    def score(self, pair: Comparison, run: Run | None = None) -> Score:
        """Measure one release; a figure that another measure already asked for is not computed twice."""
        if not pair.attributes and not self.of_categories:
            return self.none("no protected attribute is numeric")
        known: Score = pair.remember(self, lambda: self.compute(pair, run or Run()))
        if self.of_categories or pair.categories is None or known.covers or known.value is None:
            return known
        return replace(known, covers=pair.attributes)

    @abstractmethod
    def compute(self, pair: Comparison, run: Run) -> Score:
        """The figure, by `result`, or why there is none, by `none`."""

    def result(self, value: float, **detail: Any) -> Score:
        """A score of this measure; detail: per_attribute, per_record, error, covers."""
        return Score(
            name=self.name,
            value=float(value),
            span=self.span,
            direction=self.direction,
            unit=self.unit,
            **detail,
        )

    def none(self, reason: str) -> Score:
        """No figure, and why."""
        return Score(
            name=self.name,
            value=None,
            reason=reason,
            span=self.span,
            direction=self.direction,
            unit=self.unit,
        )


class ColumnMeasure(Measure):
    """A measure over the columns that vary in the original. Subclasses say how, in `figures`."""

    def compute(self, pair: Comparison, run: Run) -> Score:
        pair = pair.varying()
        if not pair.attributes:
            return self.none("no original column varies")
        per_attribute, per_record = self.figures(pair, run)
        if per_attribute is None:
            assert per_record is not None
            return self.result(per_record.mean(), per_record=per_record)
        named = dict(zip(pair.attributes, per_attribute.tolist(), strict=True))
        return self.result(per_attribute.mean(), per_attribute=named, per_record=per_record)

    @abstractmethod
    def figures(self, pair: Comparison, run: Run) -> tuple[Floats | None, Floats | None]:
        """Figures per attribute and per record, None where they make no sense; every column varies.

        The score is the mean over attributes, or over records where there are no attributes.
        """
