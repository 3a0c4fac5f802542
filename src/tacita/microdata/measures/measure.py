"""What all measures of loss and risk share: a name, a scale, and a reason where there is no figure."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pydantic import FiniteFloat

from tacita.core import Comparison, Floats, Method, RunContext, Score
from tacita.core.results.score import Direction, Files

from .moments import spreads, summed
from .partial_aggregation import Part, PartialStatistic, Reduction, reduce_in_memory


class Measure(Method):
    """Compares original and released values. Subclasses say how, in `compute`.

    `by_default` is False for those that a user must ask for: they cost much, or assume an attacker who
    knows more than most. Those `with_categories` are measured by themselves where a protected column is one
    of categories, those `with_coarser` where categories were only made coarser or suppressed. `headline`
    marks the few that a reader should see first. `of_categories` marks those that look at nominal and ordinal
    attributes; the others look at numeric ones, if there are any, and their scores say so where there are
    others. `of_files` marks those that look at whole files, missing values and all, and `alone` those of them
    that need no original. `limit_name` is what a requirement may call its limit, and `limit_type` what that
    must be. `pictured` marks those that are counted record by record too. The first line of the docstring is
    one plain sentence for people who do not know the measure, and `family` what measures of a kind are listed
    under together.
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
    pictured: ClassVar[bool] = False
    limit_name: ClassVar[str] = "limit"
    limit_type: ClassVar[Any] = FiniteFloat

    def score(self, pair: Comparison, run: RunContext | None = None) -> Score:
        """Measure one release; a figure that another measure needs too is computed once."""
        if not pair.attributes and not self.of_categories and not self.of_files:
            return self.none("no protected attribute is numeric")
        known: Score = pair.remember(self, lambda: self.compute(pair, run or RunContext()))
        everything = self.of_categories or self.of_files
        if everything or pair.categories is None or known.covers or known.value is None:
            return known
        return replace(known, covers=pair.attributes)

    @abstractmethod
    def compute(self, pair: Comparison, run: RunContext) -> Score:
        """The figure, by `result`, or why there is none, by `none`."""

    def asks(self) -> tuple[Measure, ...]:
        """Other measures from whose figures this one is computed."""
        return ()

    def in_parts(self, names: tuple[str, ...], run: RunContext) -> Reduction[Score] | None:
        """The reduction of partial statistics that gives the figure of numeric attributes, by their names.

        None where all records must be in one place: of a file beyond memory a sample is measured then.
        """
        return None

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

    def key_names(self, files: Files) -> tuple[str, ...]:
        """The columns that it counts records by; of a measure of cells or columns there are none."""
        return ()

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


def with_inputs(measures: Iterable[Measure]) -> list[Measure]:
    """Measures and the measures from which they are computed, each once."""
    every: dict[Measure, None] = {}
    for measure in measures:
        every.update(dict.fromkeys((measure, *with_inputs(measure.asks()))))
    return list(every)


class SummedMeasure(Measure):
    """A measure that asks a file in memory as it asks the parts of one beyond it, in `rounds`."""

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        return reduce_in_memory(self.reduction(pair.attributes), pair, run)

    def in_parts(self, names: tuple[str, ...], run: RunContext) -> Reduction[Score]:
        return self.reduction(names)

    @abstractmethod
    def reduction(self, names: tuple[str, ...]) -> Reduction[Score]:
        """Yield the partial statistics, and return the figure computed from them."""


class CellMeasure(SummedMeasure):
    """A mean over cells of how far each was moved. Subclasses say what a move counts, in `cells`."""

    def reduction(self, names: tuple[str, ...]) -> Reduction[Score]:
        known = yield from spreads(len(names))
        if not known.varying.size:
            return self.none("no original column varies")
        scale = known.scale[known.varying]
        partials = yield CellStatistic(self, tuple(known.varying.tolist()), tuple(scale.tolist()))
        means = self.mean(summed([sums for sums, _ in partials]), known.n)
        named = {names[j]: figure for j, figure in zip(known.varying, means.tolist(), strict=True)}
        return self.result(means.mean(), per_attribute=named, per_record=partials[0][1])

    @abstractmethod
    def cells(self, gap: Floats) -> Floats:
        """What each cell counts, by released minus original in standard deviations (divisor n - 1)."""

    def mean(self, total: Floats, n: int) -> Floats:
        """The figure of each column, by the sum of its n cells."""
        return total / n


@dataclass(frozen=True)
class CellStatistic(PartialStatistic):
    """Sums over the cells of each varying column; and means over those of each record, where they are all."""

    measure: CellMeasure
    columns: tuple[int, ...]
    scale: tuple[float, ...]

    def compute(self, part: Part) -> tuple[Floats, Floats | None]:
        chosen = list(self.columns)
        cells = self.measure.cells(
            (part.pair.released[:, chosen] - part.pair.original[:, chosen]) / self.scale
        )
        return cells.sum(axis=0), cells.mean(axis=1) if part.alone else None


class ColumnMeasure(Measure):
    """A measure over the columns that vary in the original. Subclasses say how, in `figures`."""

    def compute(self, pair: Comparison, run: RunContext) -> Score:
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
    def figures(self, pair: Comparison, run: RunContext) -> tuple[Floats | None, Floats | None]:
        """Figures per attribute and per record, None where they make no sense; every column varies.

        The score is the mean over attributes, or over records where there are no attributes.
        """
