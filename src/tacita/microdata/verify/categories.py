"""The promise about categories: what a group publishes is its lower median or its mode.

Counted here from the cells themselves; the codes that the methods work with are not looked at.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa

from tacita.core import CsvDialect, Microdata
from tacita.core.text import parse_numbers

from .cells import as_array, identical, same_text
from .evidence import Evidence, Ints, gaps


def group_categories(evidence: Evidence) -> str | None:
    """Published cells are those of a record that has the group's middle category, typed and spelled so."""
    claim, groups = evidence.claim, evidence.claimed_groups
    if groups is None:
        return "the claim does not name one group for each record"
    names = [name for name in claim.original.quasi if claim.original.scale(name) != "numeric"]
    wrong = [name for name in names if not _holds_middles(evidence, name, groups)]
    if wrong:
        return (
            f"{len(wrong)} columns hold categories that are not the medians or modes of their groups: "
            f"{', '.join(wrong)}"
        )
    return None


def _holds_middles(evidence: Evidence, name: str, groups: Ints) -> bool:
    original, rows = evidence.claim.original, evidence.claim.rows
    keys = sorting_keys(original, name)
    spelled: dict[object, int] = {}
    for row, key in enumerate(keys):
        # the file's first record of a category spells it for all
        spelled.setdefault(key, row)
    members: dict[int, list[object]] = {}
    for group, row in zip(groups.tolist(), rows.tolist(), strict=True):
        members.setdefault(group, []).append(keys[row])
    find = _mode if original.scale(name) == "nominal" else _lower_median
    middle = {group: spelled[find(found)] for group, found in members.items()}
    source = np.array([middle[group] for group in groups.tolist()], dtype=np.int64)

    expected = as_array(original.frame[name]).take(pa.array(source))
    published, dialect = as_array(evidence.released.frame[name]), evidence.released.dialect
    if dialect is not None and pa.types.is_string(published.type):
        return same_text(expected, published, dialect)
    return identical(expected, published)


def _mode(found: list[object]) -> object:
    counts = Counter(found)
    most = max(counts.values())
    return min((key for key in counts if counts[key] == most), key=_comparable)


def _lower_median(found: list[object]) -> object:
    return sorted(found, key=_comparable)[(len(found) - 1) // 2]


def _comparable(key: object) -> tuple[bool, object]:
    # None stands for a missing cell; a group has all of them missing or none
    return key is not None, key if key is not None else 0


def sorting_keys(data: Microdata, name: str) -> list[object]:
    """A key for each record by which categories of one column sort, None where it is missing. O(n)."""
    cells = as_array(data.frame[name])
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
