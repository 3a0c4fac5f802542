"""Rules, edits and structural zeros as records of codes must keep them, and how drawn records come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacita.core import DataError, Floats, Mask, Matrix, ParameterError
from tacita.core.data.microdata import join_names
from tacita.core.spec.conditions import Clause, Condition, Edit, Rule, condition_of, edit_of, rule_of

from .column_margins import Columns, Margin

_COMPARE: dict[str, Callable[[Floats, float], Mask]] = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
# Sums are equal to this share of the numbers that are added.
_EQUAL = 1e-9
# Decimals beyond those of the originals in which sums of them are kept.
_DUST = 6


@dataclass(frozen=True)
class _Clause:
    """A comparison of codes; a value of None stands for missing, NaN for a category that nobody has."""

    column: int
    sign: str
    value: float | None

    def holds(self, x: Matrix) -> Mask:
        cells = x[:, self.column]
        gaps = np.isnan(cells)
        if self.value is None:
            return gaps if self.sign == "=" else ~gaps
        return ~gaps & _COMPARE[self.sign](cells, self.value)


@dataclass(frozen=True)
class _Rule:
    """Where all of `where` holds, all of `then` must; of a structural zero nothing is left that may."""

    where: tuple[_Clause, ...]
    then: tuple[_Clause, ...]

    @property
    def columns(self) -> set[int]:
        return {clause.column for clause in (*self.where, *self.then)}

    def applies(self, x: Matrix) -> Mask:
        return _all(self.where, x)

    def broken(self, x: Matrix) -> Mask:
        kept = _all(self.then, x) if self.then else np.zeros(len(x), dtype=bool)
        return self.applies(x) & ~kept


@dataclass(frozen=True)
class _Edit:
    """The sum of factor times column, in a relation to a constant; not checked for records that miss one."""

    columns: tuple[int, ...]
    factors: tuple[float, ...]
    sign: str
    constant: float

    def excess(self, x: Matrix) -> tuple[Floats, Floats]:
        """What the sum is above the constant, and what rounding may make of it; NaN where one is missing."""
        terms = x[:, self.columns] * np.array(self.factors)
        return terms.sum(axis=1) - self.constant, _EQUAL * (np.abs(terms).sum(axis=1) + abs(self.constant))

    def broken(self, x: Matrix) -> Mask:
        excess, room = self.excess(x)
        if self.sign == "=":
            return np.asarray(np.abs(excess) > room)
        return np.asarray(excess > room) if self.sign == "<=" else np.asarray(excess < -room)

    def completed(self, column: int, known: set[int]) -> bool:
        """Whether a column is the last that was drawn of it."""
        return column in self.columns and set(self.columns) <= known

    def solved(self, x: Matrix, column: int) -> Floats:
        """The value of one column that turns the relation into an equality."""
        at = self.columns.index(column)
        others = x[:, self.columns] * np.array(self.factors)
        rest = np.delete(others, at, axis=1).sum(axis=1)
        return np.asarray((self.constant - rest) / self.factors[at])


def _all(clauses: Sequence[_Clause], x: Matrix) -> Mask:
    holds = np.ones(len(x), dtype=bool)
    for clause in clauses:
        holds &= clause.holds(x)
    return holds


@dataclass(frozen=True)
class Restrictions:
    """All that the records must keep, of columns whose first `dependent` ones are drawn."""

    rules: tuple[_Rule, ...]
    edits: tuple[_Edit, ...]
    dependent: int

    @classmethod
    def of(
        cls,
        columns: Columns,
        dependent: int,
        *,
        rules: Sequence[str] = (),
        edits: Sequence[str] = (),
        zeros: Sequence[str] = (),
    ) -> Restrictions:
        """Out of their words; columns and categories must be known."""
        reader = _Reader(columns)
        made = [reader.rule(rule_of(text, "Rules"), "Rules") for text in rules]
        made += [reader.rule(Rule(condition_of(text, "Zeros"), ()), "Zeros") for text in zeros]
        return cls(tuple(made), tuple(reader.edit(edit_of(text, "Edits")) for text in edits), dependent)

    def __bool__(self) -> bool:
        return bool(self.rules or self.edits)

    def broken(self, x: Matrix) -> Mask:
        """Which records break any."""
        broken = np.zeros(len(x), dtype=bool)
        for rule in self.rules:
            broken |= rule.broken(x)
        for edit in self.edits:
            broken |= edit.broken(x)
        return broken

    def check_restrictions(self, x: Matrix, who: str) -> None:
        """Raise where originals break the declared rules and edits."""
        rules = [("rules and zeros", number, rule.broken(x)) for number, rule in enumerate(self.rules, 1)]
        edits = [("edits", number, edit.broken(x)) for number, edit in enumerate(self.edits, 1)]
        for what, number, broken in (*rules, *edits):
            if broken.any():
                raise DataError(
                    f"{who}: {int(broken.sum())} original records break number {number} of the {what}. What "
                    "does not hold in the originals cannot be promised; correct the records, or leave it out."
                )

    def order(self, sizes: Sequence[int], first: Sequence[int] = ()) -> list[int]:
        """Dependent columns in the order in which they are drawn: what others follow from comes before.

        Those of `first` come first, then those of fewer distinct values. A circle is cut where it is least.
        """
        before: dict[int, set[int]] = {j: set() for j in range(self.dependent)}
        for rule in self.rules:
            for clause in rule.then:
                if clause.column < self.dependent:
                    before[clause.column] |= {condition.column for condition in rule.where}
        totals = self._totals()
        for j, edit in totals.items():
            before[j] |= set(edit.columns)
        # of an order, the column that nothing else decides comes last: it can give way
        decided = {*totals, *(clause.column for rule in self.rules for clause in rule.then)}
        for edit in self.edits:
            for j in set(edit.columns) - decided if edit.sign != "=" else ():
                if j < self.dependent:
                    before[j] |= set(edit.columns) & decided
        left = [j for j in range(self.dependent) if j not in first]
        order = list(first)
        while left:
            ready = [j for j in left if not (before[j] - {j}) & set(left)]
            chosen = min(ready or left, key=lambda j: (sizes[j], j))
            order.append(chosen)
            left.remove(chosen)
        return order

    def _totals(self) -> dict[int, _Edit]:
        """Columns that best follow from the others of an equality: the one alone on its side, if there is."""
        totals: dict[int, _Edit] = {}
        for edit in self.edits:
            free = [j for j in edit.columns if j < self.dependent and j not in totals]
            if edit.sign != "=" or not free:
                continue
            positive = [factor > 0 for factor in edit.factors]
            alone = {j for j, side in zip(edit.columns, positive, strict=True) if positive.count(side) == 1}
            totals[next((j for j in free if j in alone), free[-1])] = edit
        return totals

    def structural(self, column: int, x: Matrix, known: set[int]) -> Mask:
        """Records whose value of a column a rule gives, by columns that are known already."""
        structural = np.zeros(len(x), dtype=bool)
        for rule, _ in self._giving(column, known):
            structural |= rule.applies(x)
        return structural

    def settle(self, column: int, x: Matrix, known: set[int], margin: Margin) -> None:
        """Bring a column that was just drawn to what follows from the others, in place. O(n) a restriction.

        First a sum that must be met, else the nearest number that inequalities leave, then what rules give.
        """
        drawn = x[:, column].copy()
        sums = [edit for edit in self.edits if edit.sign == "=" and edit.completed(column, known)]
        if sums:
            solved = sums[0].solved(x, column)
            meant = ~np.isnan(solved) & ~np.isnan(drawn)
            if margin.digits is not None:
                # sums of written numbers are written numbers; what is more is the dust of the sum
                solved = np.round(solved, max(margin.digits, 0) + _DUST)
            drawn[meant] = solved[meant]
        elif margin.numeric:
            low, high = self._between(column, x, known)
            drawn = np.maximum(
                np.minimum(drawn, _inner(high, margin, np.floor)), _inner(low, margin, np.ceil)
            )
        x[:, column] = drawn
        for rule, value in self._giving(column, known):
            x[rule.applies(x), column] = np.nan if value is None else value

    def broken_by(self, column: int, x: Matrix, known: set[int]) -> Mask:
        """Which records break what the column just drawn completes; what a rule gives is not yet there."""
        broken = np.zeros(len(x), dtype=bool)
        for rule in self.rules:
            if column in rule.columns and rule.columns <= known:
                broken |= rule.broken(x)
        for edit in self.edits:
            if edit.sign != "=" and edit.completed(column, known):
                broken |= edit.broken(x)
        return broken & ~self.structural(column, x, known)

    def rule_values(self, column: int) -> list[float]:
        """Values that rules give a column: they are public, whichever record has them."""
        clauses = [clause for rule in self.rules for clause in rule.then if clause.column == column]
        return [clause.value for clause in clauses if clause.sign == "=" and clause.value is not None]

    def _between(self, column: int, x: Matrix, known: set[int]) -> tuple[Floats, Floats]:
        low, high = np.full(len(x), -np.inf), np.full(len(x), np.inf)
        for edit in self.edits:
            if edit.sign == "=" or not edit.completed(column, known):
                continue
            limit = edit.solved(x, column)
            above = (edit.sign == "<=") == (edit.factors[edit.columns.index(column)] > 0)
            if above:
                high = np.fmin(high, limit)
            else:
                low = np.fmax(low, limit)
        return low, high

    def _giving(self, column: int, known: set[int]) -> list[tuple[_Rule, float | None]]:
        """Rules that give a column its value, as far as their conditions are known."""
        return [
            (rule, clause.value)
            for rule in self.rules
            for clause in rule.then
            if clause.column == column
            and clause.sign == "="
            and {condition.column for condition in rule.where} <= known - {column}
        ]


def _inner(limit: Floats, margin: Margin, towards: Callable[[Floats], Floats]) -> Floats:
    """A limit on the inner side of the written numbers."""
    if margin.digits is None:
        return limit
    step = 10.0**-margin.digits
    return np.asarray(np.round(towards(np.round(limit / step, _DUST)) * step, margin.digits))


class _Reader:
    """Turns names into places and labels into codes, or says what is wrong with them."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.place: Mapping[str, int] = {name: j for j, name in enumerate(columns.names)}

    def rule(self, rule: Rule, who: str) -> _Rule:
        return _Rule(self.condition(rule.where, who), self.condition(rule.then, who))

    def condition(self, condition: Condition, who: str) -> tuple[_Clause, ...]:
        return tuple(self.clause(clause, who) for clause in condition)

    def clause(self, clause: Clause, who: str) -> _Clause:
        place = self.known(clause.column, who)
        kind, value = self.columns.kinds[place], clause.value
        if value is None:
            return _Clause(place, clause.sign, None)
        if kind == "numeric":
            if isinstance(value, str):
                raise ParameterError(
                    f"{who}: column {clause.column} holds numbers, and is compared with a label. Leave out "
                    "the quotes, or declare it nominal or ordinal."
                )
            return _Clause(place, clause.sign, float(value))
        if kind == "nominal" and clause.sign not in ("=", "!="):
            raise ParameterError(
                f"{who}: the categories of column {clause.column} have no order; compare with = or !=, or "
                "declare it ordinal."
            )
        texts = self.columns.texts[clause.column]
        label = value if isinstance(value, str) else f"{value:.15g}"
        if label not in texts:
            raise ParameterError(
                f"{who}: column {clause.column} has no category {label!r} in these records. Spaces and "
                "capitals count."
            )
        return _Clause(place, clause.sign, float(texts.index(label)))

    def edit(self, edit: Edit) -> _Edit:
        places = tuple(self.known(name, "Edits") for name in edit.columns)
        coded = [
            name for name, j in zip(edit.columns, places, strict=True) if self.columns.kinds[j] != "numeric"
        ]
        if coded:
            raise ParameterError(
                f"Edits: column {join_names(coded)} holds categories, which cannot be added."
            )
        return _Edit(places, tuple(factor for _, factor in edit.terms), edit.sign, edit.constant)

    def known(self, name: str, who: str) -> int:
        if name not in self.place:
            raise ParameterError(
                f"{who}: there is no dependent or independent column {join_names([name])}. There are: "
                f"{join_names(self.columns.names)}."
            )
        return self.place[name]
