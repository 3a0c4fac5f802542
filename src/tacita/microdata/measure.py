"""What all measures of loss and risk share: a name, a scale, and a reason where there is no figure."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import FiniteFloat

from tacita.core import Comparison, Floats, Method, Run, Score
from tacita.core.score import Direction, Files


class Measure(Method):
    """Compares original and released values. Subclasses say how, in `compute`.

    `by_default` is False for those that a user must ask for: they cost much, or assume an attacker who
    knows more than most. Those `with_categories` are measured by themselves where a protected column is one
    of categories, those `with_coarser` where all that was done to categories was to make them coarser or to
    withhold them. `headline` marks the few that a reader should see first. `of_categories` marks
    those that look at nominal and ordinal attributes; the others look at numeric ones, if there are any, and
    their scores say so where there are others. `of_files` marks those that look at whole files, missing
    values and all, and `alone` those of them that need no original. `limit_name` is what a requirement may
    call its limit, and `limit_type` what that must be. The first line of the docstring is one plain sentence
    for people who do not know the measure, and `family` what measures of a kind are listed under together.
    """

    name: ClassVar[str]
    family: ClassVar[str] = "others"
    span: ClassVar[tuple[float, float | None]] = (0.0, None)
    direction: ClassVar[Direction] = "lower"
    measured_in: ClassVar[str] = "%"
    by_default: ClassVar[bool] = True
    with_categories: ClassVar[bool] = False
    with_coarser: ClassVar[bool] = False
    headline: ClassVar[bool] = False
    of_categories: ClassVar[bool] = False
    of_files: ClassVar[bool] = False
    alone: ClassVar[bool] = False
    limit_name: ClassVar[str] = "limit"
    limit_type: ClassVar[Any] = FiniteFloat

    def score(self, pair: Comparison, run: Run | None = None) -> Score:
        """Measure one release; a figure that another measure already asked for is not computed twice."""
        if not pair.attributes and not self.of_categories and not self.of_files:
            return self.none("no protected attribute is numeric")
        known: Score = pair.remember(self, lambda: self.compute(pair, run or Run()))
        everything = self.of_categories or self.of_files
        if everything or pair.categories is None or known.covers or known.value is None:
            return known
        return replace(known, covers=pair.attributes)

    @abstractmethod
    def compute(self, pair: Comparison, run: Run) -> Score:
        """The figure, by `result`, or why there is none, by `none`."""

    def promise(self, limit: float, files: Files) -> str:
        """What a file satisfies whose figure keeps a limit, in a sentence."""
        unit = f" {self.measured_in}" if self.measured_in else ""
        return f"{self.name} is at {'most' if self.direction == 'lower' else 'least'} {limit:g}{unit}."

    def fault(self, score: Score, limit: float, files: Files) -> str | None:
        """What is wrong with a file whose figure breaks a limit, in counts; None where it keeps it."""
        if score.value is None:
            return f"cannot be computed: {score.reason}"
        most, unit = self.direction == "lower", f" {self.measured_in}" if self.measured_in else ""
        if score.value <= limit if most else score.value >= limit:
            return None
        return (
            f"it is {score.value:.4g}{unit} of {files.released.n} records, "
            f"{abs(score.value - limit):.3g} too {'much' if most else 'little'}"
        )

    def result(self, value: float, **detail: Any) -> Score:
        """A score of this measure; detail: the other fields of a score."""
        return Score(
            name=self.name,
            value=float(value),
            span=self.span,
            direction=self.direction,
            unit=self.measured_in,
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
            unit=self.measured_in,
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
