"""Synthesis of columns of all kinds: what is never published, what records keep, and what is refused."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field

from tacita.core import DataError, Floats, Matrix, Run
from tacita.core.conditions import condition_of, edit_of, rule_of
from tacita.core.microdata import speakable
from tacita.core.roles import KINDS, Kind, Names

from .base import FUNCTION_LIMIT, BaseSynthesis
from .columns import Columns, Margin
from .regression import Regression
from .restrictions import Restrictions

# Records that break a restriction are drawn again so often; then nobody can be drawn for them.
_ROUNDS = 200
# Whole records that come back and that fewer than so many share, and the largest share of them.
_FEW, _MOST_RECORDS = 3, 0.2


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


class Sampler(Protocol):
    """A fitted model that draws the dependent columns of some records, in place."""

    def draw(self, x: Matrix, generator: np.random.Generator, run: Run) -> None:
        """Fill the dependent columns of x, given its independent ones."""


class MixedSynthesis(BaseSynthesis):
    """Draws columns of all kinds anew; subclasses fit a model, in `fit`.

    Whatever the model, nothing is published that fewer than k records stand behind: no category and no end of
    a column. A missing value is a level like others where the plan says so. Records that break a rule, an
    edit or a structural zero are drawn again.
    """

    takes: ClassVar[tuple[Kind, ...]] = KINDS
    draws_missing: ClassVar[bool] = True
    roundable: ClassVar[bool] = True
    guarantees: ClassVar[tuple[str, ...]] = (
        "synthetic-cells",
        "values-redrawn",
        "extremes-hidden",
        "labels-shared",
    )

    k: Annotated[
        int, Field(ge=2, description="fewest records behind a leaf, a category and the end of a column")
    ] = 5
    rules: Annotated[Names, _read(rule_of, "Rules")] = Field(
        (), description='what holds where something else does, as "age < 15: income = 0"'
    )
    edits: Annotated[Names, _read(edit_of, "Edits")] = Field(
        (), description='sums and orders of numeric columns, as "wage + other = income" or "tax <= income"'
    )
    zeros: Annotated[Names, _read(condition_of, "Zeros")] = Field(
        (), description="what never occurs, as \"age < 15 and status = 'married'\""
    )
    max_unchanged: float = Field(
        0.5,
        ge=0,
        le=1,
        description="largest share of a column's values, of those that chance would not give back, that may "
        "come out unchanged; 1 insists on any",
    )

    def promised(self) -> tuple[str, ...]:
        """What holds with this setting: restrictions, where there are some."""
        rules = ("rules-kept",) if self.rules or self.zeros else ()
        return (*self.guarantees, *rules, *(("edits-kept",) if self.edits else ()))

    @abstractmethod
    def fit(
        self,
        x: Matrix,
        columns: Columns,
        margins: Sequence[Margin],
        restrictions: Restrictions,
        run: Run,
    ) -> Sampler:
        """A model of the dependent columns (one margin each) given the others, of x as it stands."""

    def synthesize(
        self,
        y: npt.ArrayLike,
        s: npt.ArrayLike | None = None,
        run: Run | None = None,
        *,
        columns: Columns | None = None,
    ) -> Matrix:
        """New values of y (n x p) given s (n x q, or None): numbers or codes, NaN where missing."""
        run, who = run or Run(), self.spoken_name()
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
        if n < 2 * self.k:
            raise DataError(
                f"{who}: wanted at least {2 * self.k} records, twice k, got {n}. Merge strata or lower k."
            )
        x = np.hstack([dependent, independent])
        columns = columns or Columns.numbered(p, independent.shape[1])
        restrictions = Restrictions.of(columns, p, rules=self.rules, edits=self.edits, zeros=self.zeros)
        restrictions.refuse_broken(x, who)
        self._refuse_functions(x, p, columns)
        margins = self._margins(x, p, columns)
        run.report("fitting the model", 0, 1)
        sampler = self.fit(x, columns, margins, restrictions, run)
        drawn = self._drawn(x, margins, restrictions, sampler, run)
        self._refuse_true_values(x[:, :p], drawn, columns)
        return drawn

    def _margins(self, x: Matrix, p: int, columns: Columns) -> list[Margin]:
        margins = [Margin.of(x[:, j], columns.kinds[j], self.k) for j in range(p)]
        empty = [
            columns.names[j] for j, each in enumerate(margins) if not each.ordered.size and not each.missing
        ]
        if empty:
            raise DataError(
                f"{self.spoken_name()}: column {speakable(empty)} has no category, or no values, that k = "
                f"{self.k} records share: nothing may be drawn from fewer. Coarsen it first, leave it out, "
                "or merge strata."
            )
        return margins

    def _refuse_functions(self, x: Matrix, p: int, columns: Columns) -> None:
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
                    f"{self.spoken_name()}: dependent column {speakable([columns.names[j]])} would come out "
                    "unchanged: it is a function of the independent ones (residuals under "
                    f"{FUNCTION_LIMIT:g} of the spread). Make it independent, leave it out, or leave out "
                    "what determines it."
                )

    def _drawn(
        self,
        x: Matrix,
        margins: Sequence[Margin],
        restrictions: Restrictions,
        sampler: Sampler,
        run: Run,
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
                wrong |= margin.beyond(part[:, j]) & ~np.isin(part[:, j], restrictions.given(j))
            waiting = waiting[wrong]
            if not waiting.size:
                run.report("drawing values", 1, 1)
                return np.ascontiguousarray(drawn[:, :p]) + 0.0
        raise DataError(
            f"{self.spoken_name()}: for {waiting.size} of {len(x)} records no values were found in {_ROUNDS} "
            "rounds that keep all rules, edits and structural zeros. Make more of their columns dependent, "
            "or ask for fewer."
        )

    def _refuse_true_values(self, before: Matrix, after: Matrix, columns: Columns) -> None:
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
                f"{self.spoken_name()}: column {speakable(known)} would come out unchanged in more than "
                f"{100 * self.max_unchanged:g} % of the records that chance leaves open: the independent "
                "columns tell it. Make it independent, leave out what determines it, or insist with "
                "max_unchanged = 1."
            )
        filled = np.nan_to_num(before, nan=np.inf)
        _, kinds, counts = np.unique(filled, axis=0, return_inverse=True, return_counts=True)
        whole = int((same.all(axis=1) & (counts[kinds.reshape(-1)] < _FEW)).sum())
        if before.shape[1] > 1 and whole > _MOST_RECORDS * len(before) and self.max_unchanged < 1:
            raise DataError(
                f"{self.spoken_name()}: {whole} of {len(before)} records would come out as they were on all "
                "dependent columns. Use fewer independent columns, or insist with max_unchanged = 1."
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
