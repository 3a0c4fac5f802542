"""The promise about categories: a group publishes medians and modes, or the next best that is nobody's.

Counted here from the cells themselves; the codes that the methods work with are not looked at.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa

from tacita.core import CsvDialect, Ints, Microdata
from tacita.core.data.number_parsing import parse_numbers

from .cells import as_array, identical, same_text
from .evidence import Evidence, exact_means, gaps, named_units

Keys = tuple[object, ...]
Numbers = list[tuple[float, ...]]
# a cost, and the columns that change with the ranks of their new categories
Change = tuple[float, tuple[tuple[int, int], ...]]


def group_categories(evidence: Evidence) -> str | None:
    """Published cells are those of a record with the category that the group must show, spelled so."""
    claim, groups = evidence.claim, evidence.claimed_groups
    if groups is None or claim.k is None:
        return "the claim does not name one group for each record"
    expected = _expected(evidence, groups, claim.k)
    wrong = [name for name, keys in expected.items() if not holds(evidence, name, keys)]
    if wrong:
        return (
            f"{len(wrong)} columns hold categories that are not the medians or modes of their groups, nor "
            f"the next best where those are somebody's record: {', '.join(wrong)}"
        )
    return None


class Column:
    """The categories of one column by their keys: their order, and how badly one stands for others."""

    def __init__(self, nominal: bool, keys: list[object]) -> None:
        self.nominal = nominal
        self.keys = keys
        self.levels = sorted({key for key in keys if key is not None}, key=_comparable)
        self.rank = {key: place for place, key in enumerate(self.levels)}
        self.unit = 1 if nominal else max(len(self.levels) - 1, 1)

    def middle(self, keys: list[object]) -> object:
        """What a group publishes if it is free to."""
        return _mode(keys) if self.nominal else _lower_median(keys)

    def loss(self, key: object, keys: list[object]) -> int:
        """Members that differ, or the sum of the ranks between."""
        if self.nominal:
            return sum(other != key for other in keys)
        return sum(abs(self.rank[other] - self.rank[key]) for other in keys)


def _expected(evidence: Evidence, groups: Ints, k: int) -> dict[str, list[object]]:
    """The key of the category that each released row must show, by column."""
    original, rows = evidence.claim.original, evidence.claim.rows.tolist()
    names = [name for name in original.quasi if original.scale(name) != "numeric"]
    columns = []
    for name in names:
        keys = sorting_keys(original, name)
        gone = evidence.suppressed(name).tolist()
        shown = [None if hidden else keys[row] for row, hidden in zip(rows, gone, strict=True)]
        columns.append(Column(original.scale(name) == "nominal", shown))
    numbers, means = _numbers_and_means(evidence, groups)
    records = zip(numbers, zip(*(column.keys for column in columns), strict=True), strict=True)
    units = named_units(evidence)
    # what several records of one unit have is that unit's alone
    owners = Counter(
        records if units is None else (record for record, _ in set(zip(records, units.tolist(), strict=True)))
    )
    members: dict[int, list[int]] = {}
    for place, group in enumerate(groups.tolist()):
        members.setdefault(group, []).append(place)
    published: dict[int, Keys] = {}
    for group, places in members.items():
        by_column = [[column.keys[place] for place in places] for column in columns]
        best = tuple(column.middle(keys) for column, keys in zip(columns, by_column, strict=True))
        mean = means[places[0]]
        ways = _next_best(columns, by_column, best) if 0 < owners[mean, best] < k else []
        published[group] = next((way for way in ways if not 0 < owners[mean, way] < k), best)
    return {name: [published[group][i] for group in groups.tolist()] for i, name in enumerate(names)}


def _next_best(columns: list[Column], by_column: list[list[object]], best: Keys) -> list[Keys]:
    """What a group may publish instead, the cheapest first: one other category, or two of its members'.

    Ties go by column, then by category. Losses of ordinal columns are divided by the range of their ranks.
    """
    one: list[Change] = []
    two: list[Change] = []
    earlier: list[Change] = []
    for i, (column, keys) in enumerate(zip(columns, by_column, strict=True)):
        if best[i] is None:
            continue
        least = column.loss(best[i], keys)
        here: list[Change] = [
            ((column.loss(key, keys) - least) / column.unit, ((i, column.rank[key]),))
            for key in column.levels
            if key != best[i]
        ]
        of_members = [(cost, change) for cost, change in here if column.levels[change[0][1]] in keys]
        two += [(a + b, p + q) for a, p in earlier for b, q in of_members]
        earlier += of_members
        one += here
    ways = []
    for _, changes in sorted(one + two):
        row = list(best)
        for i, rank in changes:
            row[i] = columns[i].levels[rank]
        ways.append(tuple(row))
    return ways


def _numbers_and_means(evidence: Evidence, groups: Ints) -> tuple[Numbers, Numbers]:
    """Stratum and numbers of each row, as they were and as means of its group; infinity where missing."""
    claim = evidence.claim
    before: list[list[float]] = [evidence.strata.astype(float).tolist()]
    after = list(before)
    for name in claim.original.quasi:
        if claim.original.scale(name) == "numeric":
            numbers = evidence.originals(name)
            means = exact_means(numbers, groups)[groups]
            means = np.rint(means) if name in claim.rounded else means
            before.append(np.nan_to_num(numbers, nan=np.inf).tolist())
            after.append(np.nan_to_num(means, nan=np.inf).tolist())
    return list(zip(*before, strict=True)), list(zip(*after, strict=True))


def holds(evidence: Evidence, name: str, keys: list[object]) -> bool:
    """Whether a column shows these categories, each spelled as in the file's first record that has it."""
    original = evidence.claim.original
    spelled: dict[object, int] = {}
    for row, key in enumerate(sorting_keys(original, name)):
        spelled.setdefault(key, row)
    return shows(evidence, name, np.array([spelled[key] for key in keys], dtype=np.int64))


def shows(evidence: Evidence, name: str, source: Ints) -> bool:
    """Whether a column has the cells of some original records, typed and spelled as there."""
    original = evidence.claim.original
    expected = as_array(original.column(name)).take(pa.array(source))
    published, dialect = as_array(evidence.released.column(name)), evidence.released.dialect
    if dialect is not None and pa.types.is_string(published.type):
        return same_text(expected, published, dialect)
    return identical(expected, published)


def _mode(keys: list[object]) -> object:
    counts = Counter(keys)
    most = max(counts.values())
    return min((key for key in counts if counts[key] == most), key=_comparable)


def _lower_median(keys: list[object]) -> object:
    return sorted(keys, key=_comparable)[(len(keys) - 1) // 2]


def _comparable(key: object) -> tuple[bool, object]:
    # None stands for a missing cell; a group has all of them missing or none
    return key is not None, key if key is not None else 0


def sorting_keys(data: Microdata, name: str) -> list[object]:
    """A key for each record by which categories of one column sort, None where it is missing. O(n)."""
    cells = as_array(data.column(name))
    order: list[str] | None = None
    if pa.types.is_dictionary(cells.type):
        order = cells.dictionary.cast(pa.large_string()).to_pylist() if cells.type.ordered else None
        cells = cells.cast(cells.type.value_type)
    missing = gaps(data, name).tolist()
    words: list[object] = cells.cast(pa.large_string()).to_pylist()
    if data.scale(name) == "ordinal":
        declared = data.roles.ordinal[name] if data.roles else ()
        if declared or order:
            place: dict[object, int] = {word: i for i, word in enumerate(declared or order or ())}
            words = [None if gap else place[word] for word, gap in zip(words, missing, strict=True)]
        else:
            text = data.dialect or CsvDialect(missing_values=())
            numbers = parse_numbers(cells.cast(pa.string()), text.decimal, text.missing_values).values
            typed = pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type)
            words = list(cells.cast(pa.float64(), safe=False).to_pylist() if typed else numbers.tolist())
    return [None if gap else word for word, gap in zip(words, missing, strict=True)]
