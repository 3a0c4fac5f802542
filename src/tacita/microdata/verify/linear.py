"""Numbers that a sum, a difference, a product, a ratio or a copy of released columns gives back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from tacita.core import Floats, Ints, Mask
from tacita.core.arrays import decimal_step

# Fewer records for each column than this fit anything, as do fewer than so many in all.
_RECORDS_A_COLUMN = 8
_FEWEST = 24
# Columns beyond which a relation is no longer looked for; those with most distinct values are kept.
_MOST_COLUMNS = 60
# Of so many records some are looked at first.
_MANY = 8_000
_SOME = 4_000
# The share of records on which the relation is fitted again: some may break it, by an error or an exception.
_BEST = 0.75
_ROUNDS = 8
# A value is known to half the step in which it is written, or to half a thousandth of its spread; with masked
# columns, which are nearly right everywhere, to half of what is next to nothing.
_FINE = 1e-3
_EXACT = 1e-6
# What a column may add, in spreads of what is found or in what a value is known to, and still be no part of
# the relation.
_NO_PART = 1e-4
_BELOW_STEP = 0.1
# Of the values that chance leaves open, those that come back where a relation is no mere correlation.
_RELATION = 0.5
# Of the hidden values that chance leaves open, those that a relation with protected columns, or a copy of
# some of them, must give back.
_OF_HIDDEN = 0.1
# Columns that are protected take part where no others do: they count so much less in a fit.
_LAST = 1e-3


@dataclass(frozen=True, repr=False)
class Relation:
    """Columns from which a column of numbers can be computed, and the records whose original that gives."""

    columns: tuple[str, ...]
    determined: Mask


def relation(
    values: Floats,
    hidden: Mask,
    beside: Mapping[str, Floats],
    shown: Mapping[str, Floats] | None = None,
    own: Floats | None = None,
) -> Relation | None:
    """What gives back most of a column: a linear relation, one of logarithms, or a copy. O(n p^2).

    `beside` has the originals of other columns; of those that are protected too, `shown` has what is released
    of them. The attacker knows such a relation from the meaning of the columns, and it gives back what these
    show as it was: `own`, what is released of the column itself, must be farther off.

    >>> a, b = np.random.default_rng(0).integers(1, 900, (2, 60)).astype(float)
    >>> relation(a + b, np.ones(60, dtype=bool), {"a": a, "b": b}).columns
    ('a', 'b')
    """
    shown = shown or {}
    bare = {name: column for name, column in beside.items() if name not in shown}
    tried: list[tuple[dict[str, Floats], dict[str, Floats], Mask]] = [(bare, {}, hidden)]
    if shown:
        off = np.full(values.size, np.inf) if own is None else np.abs(values - own)
        tried.append((dict(beside), dict(shown), hidden & ~(off <= _tolerance(values, _EXACT))))
    relations = [_copied(values, hidden, bare)]
    exact = _Exactness(values)
    for columns, others, wanted in tried:
        for filled in _gaps_filled(columns):
            relations.append(_computed(values, exact, wanted, filled, others))
    known = [candidate for candidate in relations if candidate is not None]
    # of two that give back as much, that with fewer columns
    return max(
        known, key=lambda candidate: (int(candidate.determined.sum()), -len(candidate.columns)), default=None
    )


def _gaps_filled(columns: Mapping[str, Floats]) -> Iterator[Mapping[str, Floats]]:
    """The columns as they are, and with nothing where they have no number: who gets no benefit has a gap."""
    yield columns
    if any(np.isnan(column).any() for column in columns.values()):
        yield {name: np.nan_to_num(column, nan=0.0) for name, column in columns.items()}


def _tolerance(values: Floats, fine: float = _FINE) -> float:
    return _tolerated(*_step_and_spread(values), fine)


def _tolerated(step: float, spread: float, fine: float) -> float:
    return 0.5 * max(step, fine * spread) * (1 + 1e-6)


def _step_and_spread(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return (decimal_step(known), float(known.std())) if known.size else (0.0, 0.0)


class _Exactness:
    """What values of some records are known to; of the same records it is looked up once."""

    def __init__(self, values: Floats) -> None:
        self.values = values
        self._found: dict[bytes, tuple[float, float]] = {}

    def of(self, rows: Ints, fine: float = _FINE) -> float:
        key = rows.tobytes()
        if key not in self._found:
            self._found[key] = _step_and_spread(self.values[rows])
        return _tolerated(*self._found[key], fine)


def _copied(values: Floats, hidden: Mask, beside: Mapping[str, Floats]) -> Relation | None:
    """A column that has the very number for some of the records, other than the most frequent one."""
    finite = np.isfinite(values)
    if not finite.any():
        return None
    kinds, times = np.unique(values[finite], return_counts=True)
    wanted = hidden & finite & (values != kinds[np.argmax(times)])
    rows = np.flatnonzero(wanted)
    best = None
    for name, column in beside.items():
        same, moved = column[rows] == values[rows], column[rows] == np.roll(values[rows], rows.size // 2)
        if (
            _beyond(same, moved)
            and rows.size >= _FEWEST
            and (best is None or same.sum() > best.determined.sum())
        ):
            determined = np.zeros(values.size, dtype=bool)
            determined[rows[same]] = True
            best = Relation((name,), determined)
    return best


def _beyond(hits: Mask, by_chance: Mask) -> bool:
    """Whether a good share of hidden cells comes back beyond what the numbers of others give."""
    chance = float(by_chance.sum())
    return float(hits.sum()) > chance + max(_OF_HIDDEN * (hits.size - chance), 3 * sqrt(chance))


def _computed(
    values: Floats, exact: _Exactness, hidden: Mask, beside: Mapping[str, Floats], shown: Mapping[str, Floats]
) -> Relation | None:
    names = [name for name, column in beside.items() if np.isfinite(column).sum() > values.size // 2]
    if len(names) > _MOST_COLUMNS:
        names = sorted(names, key=lambda name: -np.unique(beside[name]).size)[:_MOST_COLUMNS]
    rows, names = _complete(values, beside, names)
    if not names or np.ptp(values[rows]) == 0:
        return None
    for logarithms in (False, True):
        used = names
        if logarithms:
            # what has no logarithm is no product of such as have one
            rows = rows[values[rows] > 0]
            used = [name for name in names if rows.size and (beside[name][rows] > 0).all()]
            if not used or rows.size < max(_FEWEST, _RECORDS_A_COLUMN * (len(used) + 1)):
                continue
        question = _Question(
            values=values, exact=exact, hidden=hidden, beside=beside, shown=shown, logarithms=logarithms
        )
        some = rows if rows.size <= _MANY else rows[:: rows.size // _SOME]
        first = question.answer(some, used)
        if first is None:
            continue
        # of the columns that take part alone, on all records: the gaps of others are no matter then
        if of_all := question.answer(question.whole(first.columns), first.columns):
            return of_all
    return None


def _complete(values: Floats, beside: Mapping[str, Floats], names: list[str]) -> tuple[Ints, list[str]]:
    """Records with all numbers, and columns of several; without those with most gaps where few are whole."""
    finite = {name: np.isfinite(beside[name]) for name in names}
    while True:
        present = np.isfinite(values)
        for name in names:
            present &= finite[name]
        rows = np.flatnonzero(present)
        several = [name for name in names if rows.size and np.ptp(beside[name][rows]) > 0]
        if not names or rows.size >= max(_FEWEST, _RECORDS_A_COLUMN * (len(several) + 1)):
            return rows, several
        worst = min(names, key=lambda name: int(finite[name].sum()))
        if finite[worst].all():
            return rows, []
        names = [name for name in names if name != worst]


@dataclass(frozen=True, repr=False)
class _Question:
    """Whether some columns, or their logarithms, give the values back; `shown` as in `relation`."""

    values: Floats
    exact: _Exactness
    hidden: Mask
    beside: Mapping[str, Floats]
    shown: Mapping[str, Floats]
    logarithms: bool

    def answer(self, rows: Ints, names: Sequence[str]) -> Relation | None:
        """A relation that holds of more than half of some records, none of which misses a number."""
        last = [name in self.shown for name in names]
        tolerance = self.exact.of(rows)
        fitted = _Fit.of(self.values, self.beside, names, rows, last, tolerance, logarithms=self.logarithms)
        values, predicted = self.values[rows], fitted.predict(self.beside, rows)
        near = np.abs(values - predicted) <= tolerance
        # the same numbers dealt to other records: what everybody shares comes back anyway
        chance = float((np.abs(values - _dealt(predicted)) <= tolerance).sum())
        if not (rows.size > chance and near.sum() - chance > _RELATION * (rows.size - chance)):
            return None
        if set(fitted.names) & set(self.shown):
            every, rows = rows, rows[self.hidden[rows]]
            tolerance = self.exact.of(every, _EXACT)
            values, predicted = self.values[rows], fitted.predict({**self.beside, **self.shown}, rows)
            near = np.abs(values - predicted) <= tolerance
            if not _beyond(near, np.abs(values - _dealt(predicted)) <= tolerance):
                return None
        determined = np.zeros(self.values.size, dtype=bool)
        determined[rows[near]] = True
        return Relation(fitted.names, determined & self.hidden)

    def whole(self, names: Sequence[str]) -> Ints:
        """The records that miss no number of some columns."""
        present = np.isfinite(self.values)
        for name in names:
            present &= np.isfinite(self.beside[name])
        if self.logarithms:
            for column in (self.values, *(self.beside[name] for name in names)):
                present &= column > 0
        return np.flatnonzero(present)


def _dealt(numbers: Floats) -> Floats:
    return np.roll(numbers, max(1, numbers.size // 2))


@dataclass(frozen=True, repr=False)
class _Fit:
    """What least squares gives, fitted again on the records that it gives best, by columns that take part."""

    names: tuple[str, ...]
    weights: Floats
    constant: float
    logarithms: bool

    @classmethod
    def of(
        cls,
        values: Floats,
        beside: Mapping[str, Floats],
        names: Sequence[str],
        rows: Ints,
        last: Sequence[bool],
        tolerance: float,
        *,
        logarithms: bool,
    ) -> _Fit:
        x, y = np.column_stack([beside[name][rows] for name in names]), values[rows]
        if logarithms:
            x, y = np.log(x), np.log(y)
        middle, spread = x.mean(axis=0), x.std(axis=0)
        spread[spread == 0] = 1.0
        scale = np.where(last, _LAST, 1.0)
        design = np.column_stack([np.ones(y.size), (x - middle) / spread * scale])
        chosen, kept = np.arange(y.size), max(design.shape[1] + 1, int(_BEST * y.size))
        for _ in range(_ROUNDS):
            beta = np.linalg.lstsq(design[chosen], y[chosen], rcond=None)[0]
            off = np.abs(y - design @ beta)
            before, chosen = chosen, np.sort(np.argsort(off, kind="stable")[:kept])
            if off[chosen].max() <= 1e-9 * (np.abs(y).max() + 1) or np.array_equal(before, chosen):
                break
        least = _NO_PART * y.std() if logarithms else max(_NO_PART * y.std(), _BELOW_STEP * tolerance)
        parts = np.abs(beta[1:] * scale) > least
        if not parts.any():
            parts = np.ones(len(names), dtype=bool)
        weights = beta[1:] * scale / spread
        taking = tuple(name for name, part in zip(names, parts.tolist(), strict=True) if part)
        # what takes no part adds what it does on average
        constant = float(beta[0] - (weights * middle)[parts].sum())
        return cls(taking, weights[parts], constant, logarithms)

    def predict(self, columns: Mapping[str, Floats], rows: Ints) -> Floats:
        """What the relation gives for some records."""
        x = np.column_stack([columns[name][rows] for name in self.names])
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            result = (np.log(x) if self.logarithms else x) @ self.weights + self.constant
            return np.asarray(np.exp(result) if self.logarithms else result)
