"""Sample uniques of a release on its unchanged columns: all together, in pairs and in triples.

Groups of k hold on the columns that were protected. An attacker who knows other columns finds every record
that is unique on them, so unique records are counted for every release, whatever program made it. A missing
cell is a value of its own: the reading in which most records are unique. Where a unit is named, a record is
unique if no other unit shares its values: another visit of the same patient does not hide it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np

from tacita.core import Ints, Microdata, RunContext
from tacita.core.arrays import numbered
from tacita.core.results.uniqueness import Combination, Left, Uniqueness

from .unit_counts import Company, unit_codes

# Where a method has no k, fewer records than this point to somebody.
FEW = 3
# Records times combinations that are looked at, and combinations; some seconds.
_BUDGET = 30_000_000
_MOST_COMBINATIONS = 6_000
# A column that sets apart this share of the records by itself makes every pair with it look alike.
NEARLY_UNIQUE = 0.5
# A set of columns that sets apart this share of what all do is reported.
_MOST = 0.9
_LONGEST_SET = 6
# Number of combinations that are reported.
_MOST_REPORTED = 5


def examine(
    source: Microdata,
    rows: Ints,
    released: Microdata,
    k: int | None,
    run: RunContext | None = None,
) -> Uniqueness:
    """Count records alone on the columns of a release; `rows[i]` is the source row of released row i.

    All columns together: O(n log n) a column. Pairs and triples: those of all columns where `_BUDGET` allows,
    else of the columns with most values, at most `_BUDGET` records to be sorted.

    >>> import pyarrow as pa
    >>> frame = Microdata.of(pa.table({"sex": [1, 1, 2, 2], "age": [30, 30, 30, 40], "income": [1, 2, 3, 4]}))
    >>> from tacita.core import Roles
    >>> uniqueness = examine(frame.with_roles(Roles(quasi="income")), np.arange(4), frame, 3)
    >>> uniqueness.unchanged.alone, uniqueness.unchanged.below_k, uniqueness.mattering
    (2, 4, ('age', 'sex'))
    """
    run = run or RunContext()
    k = k or FEW
    # nobody knows the pseudonym of a person who has not the key
    pseudonyms = source.roles.pseudonyms if source.roles else ()
    shown = [name for name in released.columns if name not in pseudonyms]
    touched = set(source.quasi)
    units = unit_codes(source, rows)
    unit = None if units is None or source.roles is None else source.roles.unit
    company = Company(units)
    # records of a unit side by side, so that its number changes where another begins
    order = slice(None) if units is None else np.argsort(units, kind="stable")
    company = company.taken(order)
    now = {name: released.codes([name])[order] for name in shown}
    was = {name: source.codes([name])[rows][order] if name in touched else now[name] for name in shown}
    unchanged = {name: now[name] for name in shown if name not in touched}
    run.report("counting unique records", 0, 1)
    whole = combined(unchanged.values(), released.n)
    uniqueness = Uniqueness(
        k=k,
        records=released.n,
        unchanged=_combination(tuple(unchanged), whole, k, company),
        before=_combination(tuple(shown), combined(was.values(), released.n), k, company),
        after=_combination(tuple(shown), combined(now.values(), released.n), k, company),
        by_itself={
            # by itself the unit column tells units apart, whatever they have
            name: _left(codes, k, Company(None) if name == unit else company)
            for name, codes in unchanged.items()
        },
        unit=unit,
    )
    if not uniqueness.unchanged.below_k:
        return uniqueness
    return _with_columns(uniqueness, unchanged, company, run)


def _with_columns(
    uniqueness: Uniqueness, columns: Mapping[str, Ints], company: Company, run: RunContext
) -> Uniqueness:
    """The counts, with those of single columns, pairs and triples."""
    examined = _examined(uniqueness, columns)
    pairs, triples = _Worst(uniqueness, company), _Worst(uniqueness, company)
    todo = comb(len(examined), 2) or 1
    for done, (one, other) in enumerate(combinations(examined, 2)):
        both = _joined(columns[one], columns[other])
        pairs.add((one, other), both)
        for third in examined[examined.index(other) + 1 :]:
            triples.add((one, other, third), _joined(both, columns[third]))
        run.report("counting unique records", done, todo)
    run.report("counting unique records", 1, 1)
    return replace(
        uniqueness,
        enough=_enough(uniqueness, columns, company),
        without=_without(uniqueness, columns, company),
        examined=tuple(examined),
        pairs=pairs.reported(),
        triples=triples.reported(),
        alone_in_pairs=int(pairs.alone.sum()),
        alone_in_triples=int(triples.alone.sum()),
    )


class _Worst:
    """The combinations that set most records apart, and who is unique on at least one."""

    def __init__(self, uniqueness: Uniqueness, company: Company) -> None:
        self.k, self.company = uniqueness.k, company
        self.alone = np.zeros(uniqueness.records, dtype=bool)
        self.kept: list[Combination] = []

    def add(self, columns: tuple[str, ...], codes: Ints) -> None:
        sizes = self.company.sizes(codes)
        self.alone |= (sizes == 1)[codes]
        apart = _below(codes, sizes, self.k, self.company)
        self.kept.append(Combination(columns, apart.alone, apart.below_k))

    def reported(self) -> tuple[Combination, ...]:
        worst = sorted(self.kept, key=_apart, reverse=True)[:_MOST_REPORTED]
        return tuple(combination for combination in worst if combination.below_k)


def _apart(combination: Combination) -> tuple[int, int]:
    return combination.alone, combination.below_k


def _examined(uniqueness: Uniqueness, columns: Mapping[str, Ints]) -> list[str]:
    """Columns whose pairs and triples are looked at, in the order of the file."""
    n = uniqueness.records
    telling = [
        name
        for name, codes in columns.items()
        if codes.max() > 0
        and uniqueness.by_itself[name].alone < NEARLY_UNIQUE * n
        and name != uniqueness.unit
    ]
    room = min(_MOST_COMBINATIONS, _BUDGET // n)
    most = 3
    while most < len(telling) and comb(most + 1, 2) + comb(most + 1, 3) <= room:
        most += 1
    chosen = set(sorted(telling, key=lambda name: -int(columns[name].max()))[:most])
    return [name for name in telling if name in chosen]


def _enough(uniqueness: Uniqueness, columns: Mapping[str, Ints], company: Company) -> tuple[Combination, ...]:
    """A growing set of columns: each time the one that sets most records apart, ties by the file's order."""
    # a set that grows by one of many columns asks all of them each time
    most = max(4, min(_MOST_COMBINATIONS, _BUDGET // uniqueness.records) // _LONGEST_SET)
    left = sorted(columns, key=lambda name: -int(columns[name].max()))[:most]
    left = [name for name in columns if name in set(left)]
    taken: tuple[str, ...] = ()
    codes = np.zeros(uniqueness.records, dtype=np.int64)
    grown: list[Combination] = []
    while left and len(grown) < _LONGEST_SET:
        tried = [
            _combination((*taken, name), _joined(codes, columns[name]), uniqueness.k, company)
            for name in left
        ]
        # a column of many values that singles out nobody yet will do so with the next
        best = max(
            tried, key=lambda combination: (*_apart(combination), int(columns[combination.columns[-1]].max()))
        )
        codes, taken = _joined(codes, columns[best.columns[-1]]), best.columns
        left.remove(best.columns[-1])
        grown.append(best)
        if (
            best.below_k >= _MOST * uniqueness.unchanged.below_k
            and best.alone >= _MOST * uniqueness.unchanged.alone
        ):
            break
    return tuple(grown)


def _without(uniqueness: Uniqueness, columns: Mapping[str, Ints], company: Company) -> dict[str, Left]:
    """Unique records left without one column; joins from both ends, so that each column is joined thrice."""
    names = list(columns)
    if len(names) < 2 or 3 * len(names) * uniqueness.records > _BUDGET:
        return {}
    after = [np.zeros(uniqueness.records, dtype=np.int64)]
    for name in reversed(names[1:]):
        after.append(_joined(after[-1], columns[name]))
    before = np.zeros(uniqueness.records, dtype=np.int64)
    left = {}
    for at, name in enumerate(names):
        left[name] = _left(_joined(before, after[len(names) - 1 - at]), uniqueness.k, company)
        before = _joined(before, columns[name])
    return left


def _combination(columns: tuple[str, ...], codes: Ints, k: int, company: Company) -> Combination:
    if not columns:
        return Combination((), 0, 0)
    apart = _left(codes, k, company)
    return Combination(columns, apart.alone, apart.below_k)


def _left(codes: Ints, k: int, company: Company) -> Left:
    return _below(codes, company.sizes(codes), k, company)


def _below(codes: Ints, sizes: Ints, k: int, company: Company) -> Left:
    """Records in classes of one, and of fewer than k, records or units."""
    records = sizes if company.units is None else np.bincount(codes)
    return Left(int(records[sizes == 1].sum()), int(records[sizes < k].sum()))


def combined(columns: Iterable[Ints], n: int) -> Ints:
    """Number the distinct combinations of several columns."""
    codes = np.zeros(n, dtype=np.int64)
    for column in columns:
        codes = _joined(codes, column)
    return codes


def _joined(one: Ints, other: Ints) -> Ints:
    """Number the distinct combinations of two columns 0, 1, 2, ... O(n), or O(n log n) where many."""
    return numbered(one * (int(other.max()) + 1) + other)


def spoken(names: Sequence[str]) -> str:
    """Names as a sentence has them.

    >>> spoken(["age", "sex", "region"])
    'age, sex and region'
    """
    return " and ".join([part for part in (", ".join(names[:-1]), *names[-1:]) if part])
