"""As test_survivors.py, of categories: what a group publishes, what else it may, and how they sort."""

from __future__ import annotations

import pyarrow as pa
import pytest

from planting import spelled
from tacita.core import CsvDialect, Microdata, Roles
from tacita.microdata.verify import categories
from tacita.microdata.verify.categories import Column


def test_what_a_group_may_publish_instead_comes_cheapest_first():
    # a third category, and a third level, that only other groups have
    job = Column(True, ["a", "a", "b", "c"])
    size = Column(False, [1, 2, 4, 3])
    found = [["a", "a", "b"], [1, 2, 4]]
    assert [column.middle(keys) for column, keys in zip((job, size), found, strict=True)] == ["a", 2]
    assert [job.loss(key, found[0]) for key in "abc"] == [1, 2, 3]
    assert [size.loss(key, found[1]) for key in (1, 2, 3, 4)] == [4, 3, 4, 5]
    # levels lose a third a step; two columns change together only to what members have
    assert categories._next_best([job, size], found, ("a", 2)) == [
        ("a", 1),
        ("a", 3),
        ("a", 4),
        ("b", 2),
        ("b", 1),
        ("b", 4),
        ("c", 2),
    ]


def test_a_column_that_is_missing_in_a_group_stays_so():
    job, size = Column(True, ["a", "b", None, None]), Column(False, [1, 2, 1, 2])
    assert categories._next_best([job, size], [[None, None], [1, 2]], (None, 1)) == [(None, 2)]
    assert (job.levels, job.unit, size.unit) == (["a", "b"], 1, 1)
    assert Column(False, [5, 5]).unit == 1
    assert Column(False, [1, 2, 3]).unit == 2


@pytest.mark.parametrize(
    ("found", "mode", "median"),
    [
        ([3, 1, 3], 3, 3),
        ([2, 1, 2, 1], 1, 1),
        ([1, 2, 3, 4], 1, 2),
        ([4, 1, 1, 4, 5], 1, 4),
        ([9], 9, 9),
        ([None, None, None], None, None),
    ],
    ids=spelled,
)
def test_of_equal_claims_the_category_that_sorts_first_is_the_middle(found, mode, median):
    assert categories._mode(found) == mode
    assert categories._lower_median(found) == median


COMMA = CsvDialect(delimiter=";", decimal=",")
SIZES = pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int8()), ["small", "large"], ordered=True)


@pytest.mark.parametrize(
    ("cells", "scale", "dialect", "keys"),
    [
        (pa.array(["10", "9", None]), {"ordinal": {"c": ()}}, None, [10.0, 9.0, None]),
        (pa.array(["1,5", "10", ""]), {"ordinal": {"c": ()}}, COMMA, [1.5, 10.0, None]),
        (pa.array([10, 9, None]), {"ordinal": {"c": ()}}, None, [10.0, 9.0, None]),
        (pa.array([0.5, 9.25, None]), {"ordinal": {"c": ()}}, None, [0.5, 9.25, None]),
        (pa.array(["b", "a", None]), {"ordinal": {"c": ("b", "a")}}, None, [0, 1, None]),
        # an order that is declared goes before one that is stored
        (SIZES, {"ordinal": {"c": ()}}, None, [1, 0, None]),
        (SIZES, {"ordinal": {"c": ("large", "small")}}, None, [0, 1, None]),
        (SIZES, {"nominal": ["c"]}, None, ["large", "small", None]),
        (pa.array(["b", "a", None]), {"nominal": ["c"]}, None, ["b", "a", None]),
        (pa.array([10, 9, None]), {"nominal": ["c"]}, None, ["10", "9", None]),
    ],
)
def test_categories_sort_as_they_are_declared_stored_or_as_numbers(cells, scale, dialect, keys):
    roles = Roles(quasi=["c"], **scale)
    data = Microdata.of(pa.table({"c": cells}), dialect=dialect).with_roles(roles)
    assert categories.sorting_keys(data, "c") == keys
