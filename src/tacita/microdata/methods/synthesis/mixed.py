"""Synthesis of columns of all kinds: what is never published, what records keep, and what is refused."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field

from tacita.core import DataError, Floats, Ints, Matrix, ParameterError, RunContext
from tacita.core.data.microdata import join_names
from tacita.core.spec.conditions import condition_of, edit_of, rule_of
from tacita.core.spec.roles import KINDS, Kind, Names

from .column_margins import Columns, Margin
from .regression import Regression
from .restrictions import Restrictions
from .synthesis_method import FUNCTION_LIMIT, BaseSynthesis

# The least k, where none is given.
SMALLEST_K = 5
# Percentage points that members may be found more often, unless another limit is set.
MAX_ADVANTAGE = 3.0
# Records that break a restriction are drawn again so often; then nobody can be drawn for them.
_ROUNDS = 200
# Whole records that come back and that fewer than so many share, and the largest share of them.
_FEW = 3
_MOST_RECORDS = 0.2


def _read(reader: Any, who: str) -> Any:
    """Refuses what cannot be read when the method is made, not when it has run for an hour."""

    def read(value: object) -> object:
        texts = (value,) if isinstance(value, str) else value
        if isinstance(texts, list | tuple):
            for text in texts:
                if isinstance(text, str):
                    reader(text, who)
        return texts

    return BeforeValidator(read)


def counted(units: Ints | None, records: int) -> int:
    """How many units some records are of."""
    return records if units is None else int(np.unique(units).size)


def repeated(units: Ints | None) -> Ints | None:
    """The units, unless each has one record: then records are as good, and nobody need count.

    >>> repeated(np.array([2, 0, 1])) is None
    True
    """
    return units if units is not None and np.unique(units).size < units.size else None


class Sampler(Protocol):
    """A fitted model that draws the dependent columns of some records, in place."""

    def draw(self, x: Matrix, generator: np.random.Generator, run: RunContext) -> None:
        """Fill the dependent columns of x, given its independent ones."""


@dataclass(frozen=True, eq=False)
class Training:
    """What a model is fitted to: records x as they stand, dependent columns first, with a margin each.

    `units` has the unit of each record, None where each stands for itself.
    """

    x: Matrix
    columns: Columns
    margins: Sequence[Margin]
    restrictions: Restrictions
    units: Ints | None


class MixedSynthesis(BaseSynthesis):
    """Draws columns of all kinds anew; subclasses fit a model, in `fit`.

    Whatever the model, nothing is published that fewer than k units stand behind (persons, households or
    firms where a unit is named, else records): no category and no end of a column. A missing value is a
    level like others where the plan says so. Records that break a rule, an edit or a structural zero are
    drawn again.
    """

    takes: ClassVar[tuple[Kind, ...]] = KINDS
    unit_aware: ClassVar[bool] = True
    draws_missing: ClassVar[bool] = True
    roundable: ClassVar[bool] = True
    guarantees: ClassVar[tuple[str, ...]] = (
        "synthetic-cells",
        "values-redrawn",
        "extremes-hidden",
        "labels-shared",
    )

    k: Annotated[
        int | None,
        Field(
            ge=2,
            description="fewest units (records, where none is named) behind a leaf, a category and the end "
            "of a column; none: 5 (trees: at least a 150th of a stratum), doubled until max_advantage holds",
        ),
    ] = None
    rules: Annotated[Names, _read(rule_of, "Rules")] = Field(
        default=(), description='what holds where something else does, as "age < 15: income = 0"'
    )
    edits: Annotated[Names, _read(edit_of, "Edits")] = Field(
        default=(),
        description='sums and orders of numeric columns, as "wage + other = income" or "tax <= income"',
    )
    zeros: Annotated[Names, _read(condition_of, "Zeros")] = Field(
        default=(), description="what never occurs, as \"age < 15 and status = 'married'\""
    )
    max_unchanged: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="largest share of a column's values, of those that chance would not give back, that may "
        "come out unchanged; 1 accepts any",
    )

    max_advantage: float = Field(
        default=MAX_ADVANTAGE,
        gt=0,
        le=100,
        description="percentage points by which unique records of a half that was fitted may come back more "
        "often than those of the half kept from it, at the upper end of a 95 % interval",
    )

    @property
    def group_size(self) -> int:
        """The k, or the least that it can be."""
        return SMALLEST_K if self.k is None else self.k

    @property
    def fewest(self) -> int:
        """The k that is in force."""
        if self.k is None:
            raise ParameterError(f"{self.display_name()}: k is not known before the records are.", field="k")
        return self.k

    def with_k(self, k: int) -> Self:
        """The same with another k."""
        return self.model_copy(update={"k": k})

    def first_k(self, units: int) -> int:
        """The k to begin with among so many units of a stratum, where none is given."""
        return SMALLEST_K

    def promised(self) -> tuple[str, ...]:
        """What holds with this setting: restrictions, where there are some."""
        rules = ("rules-kept",) if self.rules or self.zeros else ()
        return (*self.guarantees, *rules, *(("edits-kept",) if self.edits else ()))

    @abstractmethod
    def fit(self, training: Training, run: RunContext) -> Sampler:
        """A model of the dependent columns given the others."""

    def synthesize(
        self,
        y: npt.ArrayLike,
        s: npt.ArrayLike | None = None,
        run: RunContext | None = None,
        *,
        columns: Columns | None = None,
        units: Ints | None = None,
    ) -> Matrix:
        """New values of y (n x p) given s (n x q, or None): numbers or codes, NaN where missing.

        `units` has the unit of each record: k is counted in them.
        """
        run, who = run or RunContext(), self.display_name()
        dependent = np.array(y, dtype=np.float64, ndmin=2)
        n, p = dependent.shape
        independent = np.empty((n, 0)) if s is None or np.size(s) == 0 else np.asarray(s, dtype=np.float64)
        if len(independent) != n:
            raise DataError(
                f"{who}: wanted dependent and independent values of the same records, got {n} and "
                f"{len(independent)}."
            )
        if np.isinf(dependent).any() or np.isinf(independent).any():
            raise DataError(f"{who}: some values are infinite. Correct or drop those records.")
        method = self if self.k is not None else self.with_k(self.first_k(counted(units, n)))
        x = np.hstack([dependent, independent])
        columns = columns or Columns.numbered(p, independent.shape[1])
        drawn = method._fitted_and_drawn(x, p, x, columns, units, run)
        method._check_unchanged_share(x[:, :p], drawn, columns)
        return drawn

    def synthesize_from_part(
        self,
        y: Matrix,
        s: Matrix,
        part: Ints,
        others: Ints,
        run: RunContext,
        *,
        columns: Columns,
        units: Ints | None = None,
    ) -> Matrix:
        """What a model of some records (`part`) draws for `others`: the membership attack needs it.

        Nothing of it is published, and so nothing is held against the values that the records have.
        """
        x = np.hstack([y, s])
        return self._fitted_and_drawn(
            x[part], y.shape[1], x[others], columns, None if units is None else units[part], run
        )

    def _fitted_and_drawn(
        self, x: Matrix, p: int, others: Matrix, columns: Columns, units: Ints | None, run: RunContext
    ) -> Matrix:
        """Dependent columns of the records `others`, by a model of the records x."""
        who, k, held = self.display_name(), self.fewest, counted(units, len(x))
        if held < 2 * k:
            what = "records" if units is None else "distinct units"
            raise DataError(
                f"{who}: wanted at least {2 * k} {what}, twice k, got {held}. Merge strata or lower k."
            )
        restrictions = Restrictions.of(columns, p, rules=self.rules, edits=self.edits, zeros=self.zeros)
        restrictions.check_restrictions(x, who)
        self._check_independent_columns(x, p, columns)
        margins = self._margins(x, p, columns, units)
        run.report("fitting the model", 0, 1)
        sampler = self.fit(Training(x, columns, margins, restrictions, units), run)
        return self._drawn(others, margins, restrictions, sampler, run)

    def _margins(self, x: Matrix, p: int, columns: Columns, units: Ints | None) -> list[Margin]:
        margins = [Margin.of(x[:, j], columns.kinds[j], self.fewest, units) for j in range(p)]
        empty = [
            columns.names[j]
            for j, margin in enumerate(margins)
            if not margin.ordered.size and not margin.missing
        ]
        if empty:
            raise DataError(
                f"{self.display_name()}: column {join_names(empty)} has no category, or no values, that k = "
                f"{self.fewest} {'records' if units is None else 'units'} share: nothing "
                "may be drawn from fewer. Coarsen it first, leave it out, "
                "or merge strata."
            )
        return margins

    def _check_independent_columns(self, x: Matrix, p: int, columns: Columns) -> None:
        """Raise where a numeric column is a linear function of independent ones: they would give it away."""
        numeric = [j for j, kind in enumerate(columns.kinds) if kind == "numeric"]
        beside = [j for j in numeric if j >= p]
        for j in (j for j in numeric if j < p and beside):
            part = x[~np.isnan(x[:, [j, *beside]]).any(axis=1)]
            if len(part) <= 2 * len(beside) + 2 or np.ptp(part[:, j]) == 0:
                continue
            fitted = Regression.of(part[:, [j]], part[:, beside])
            left = np.sqrt((fitted.strength**2).sum() / fitted.n)
            if left < FUNCTION_LIMIT:
                raise DataError(
                    f"{self.display_name()}: dependent column {join_names([columns.names[j]])} would come "
                    "out unchanged: it is a function of the independent ones (residuals under "
                    f"{FUNCTION_LIMIT:g} of the spread). Make it independent, leave it out, or leave out "
                    "what determines it."
                )

    def _drawn(
        self,
        x: Matrix,
        margins: Sequence[Margin],
        restrictions: Restrictions,
        sampler: Sampler,
        run: RunContext,
    ) -> Matrix:
        """Dependent columns of all records; those that break a restriction are drawn again."""
        generator, p = run.protective_generator(), len(margins)
        drawn = x.copy()
        drawn[:, :p] = np.nan
        waiting = np.arange(len(x))
        for _ in range(_ROUNDS):
            part = drawn[waiting]
            sampler.draw(part, generator, run)
            drawn[waiting] = part
            wrong = restrictions.broken(part)
            for j, margin in enumerate(margins):
                # a sum may lie beyond what k records have, though none of its parts does
                wrong |= margin.beyond(part[:, j]) & ~np.isin(part[:, j], restrictions.rule_values(j))
            waiting = waiting[wrong]
            if not waiting.size:
                run.report("drawing values", 1, 1)
                return np.ascontiguousarray(drawn[:, :p]) + 0.0
        raise DataError(
            f"{self.display_name()}: for {waiting.size} of {len(x)} records no values were found in "
            f"{_ROUNDS} rounds that keep all rules, edits and structural zeros. Make more of their columns "
            "dependent, or ask for fewer."
        )

    def _check_unchanged_share(self, before: Matrix, after: Matrix, columns: Columns) -> None:
        """Raise where too many values come out as they were, beyond what chance gives back."""
        same = np.empty(before.shape, dtype=bool)
        known = []
        for j in range(before.shape[1]):
            same[:, j], chance = _unchanged(before[:, j], after[:, j], columns.kinds[j] == "numeric")
            back, room = int(same[:, j].sum()), len(before) - chance
            beyond = back - chance > 2 * np.sqrt(chance + 1)
            if room > 0 and beyond and (back - chance) / room > self.max_unchanged:
                known.append(columns.names[j])
        if known:
            raise DataError(
                f"{self.display_name()}: column {join_names(known)} would come out unchanged in more than "
                f"{100 * self.max_unchanged:g} % of the records that chance leaves open: the independent "
                "columns tell it. Make it independent, leave out what determines it, or set "
                "max_unchanged = 1 to accept it."
            )
        filled = np.nan_to_num(before, nan=np.inf)
        _, kinds, counts = np.unique(filled, axis=0, return_inverse=True, return_counts=True)
        whole = int((same.all(axis=1) & (counts[kinds.reshape(-1)] < _FEW)).sum())
        if before.shape[1] > 1 and whole > _MOST_RECORDS * len(before) and self.max_unchanged < 1:
            raise DataError(
                f"{self.display_name()}: {whole} of {len(before)} records would come out as they were on all "
                "dependent columns. Use fewer independent columns, or set max_unchanged = 1 to accept it."
            )


def _unchanged(before: Floats, after: Floats, numeric: bool) -> tuple[npt.NDArray[np.bool_], float]:
    """Which values come back, numbers within a thousandth of the spread, and how many would by chance."""
    gaps, empty = np.isnan(before), np.isnan(after)
    here = before[~gaps]
    room = FUNCTION_LIMIT * float(here.std()) if numeric and here.size else 0.0
    with np.errstate(invalid="ignore"):
        same = (np.abs(before - after) <= room) | (gaps & empty)
    published = np.sort(after[~empty])
    near = np.searchsorted(published, here + room, "right") - np.searchsorted(published, here - room, "left")
    return same, (float(near.sum()) + float(gaps.sum()) * float(empty.sum())) / before.size
