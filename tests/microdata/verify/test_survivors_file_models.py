"""Models of the whole file and of its population, and what counts of classes, at their borders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tacita import io
from tacita.core import DataError, Microdata
from tacita.io.formats.csv import CSV
from tacita.io.hierarchies import as_hierarchy
from tacita.microdata.verify import classes, file_models, generalisation

TOWNS = as_hierarchy("town", {"north": ["n1", "n2"], "south": ["s1"]})


def fault(name: str, sizes: list[int], n: int = 10, **each: Any) -> str | None:
    return file_models.whole_fault(name, each, np.array(sizes, dtype=np.int64), n)


@pytest.mark.parametrize(
    ("sizes", "risk"), [([2, 2], 0.5), ([1, 3, 4], 3 / 8), ([5], 0.2), ([1], 1.0)], ids=str
)
def test_the_average_risk_is_classes_by_records(sizes, risk):
    assert fault("average_risk", sizes, risk=risk - 5e-10) is None
    assert fault("average_risk", sizes, risk=risk - 5e-9) == f"the average risk is {risk:.4g}"


@pytest.mark.parametrize(
    ("sizes", "alone", "share"), [([1, 3, 4], 1, 1 / 8), ([1, 1], 2, 1.0), ([1, 2, 1, 4], 2, 0.25)], ids=str
)
def test_the_share_of_sample_uniques_is_of_the_records_that_stayed(sizes, alone, share):
    assert fault("sample_uniqueness", sizes, share=share - 5e-10) is None
    assert fault("sample_uniqueness", sizes, share=share - 5e-9) == f"{alone} records are unique"


def test_a_file_that_nobody_is_in_breaks_nothing():
    for name, each in (("average_risk", {"risk": 0.0}), ("sample_uniqueness", {"share": 0.0})):
        assert fault(name, [], **each) is None
    assert fault("population_uniqueness", [2, 2], share=0.0, fraction=0.1) is None


def test_the_share_of_population_uniques_is_of_all_persons():
    sizes = [1] * 40 + [2] * 10 + [3] * 5 + [5] * 4
    told = fault("population_uniqueness", sizes, 100, share=1e-9, fraction=0.1, estimator="zayatz")
    assert told is not None
    assert told.endswith("of the population are estimated to be unique")
    share = float(told.split(" %")[0]) / 100
    settings: dict[str, Any] = {"fraction": 0.1, "estimator": "zayatz"}
    assert fault("population_uniqueness", sizes, 100, share=share * 1.001, **settings) is None
    assert fault("population_uniqueness", sizes, 100, share=share * 0.999, **settings) == told
    # of twice as many persons another share
    twice = fault("population_uniqueness", sizes, 200, share=1e-9, **settings)
    assert twice is not None
    assert twice != told


LARGER: list[tuple[dict[str, Any], int]] = [
    ({}, 0),
    ({"average_risk": {"risk": 0.5}}, 1),
    # 6 classes of 13 records; without those of one record 4 of 11; then 2 of 7
    ({"average_risk": {"risk": 0.4}}, 2),
    ({"average_risk": {"risk": 0.3}}, 3),
    ({"average_risk": {"risk": 0.25}}, 4),
    ({"average_risk": {"risk": 0.2}}, 5),
    ({"sample_uniqueness": {"share": 0.1}}, 2),
    ({"sample_uniqueness": {"share": 0.2}}, 1),
    ({"sample_uniqueness": {"share": 0.1}, "average_risk": [{"risk": 0.5}, {"risk": 0.3}]}, 3),
    # models of classes say nothing of the file
    ({"l_diversity": {"column": "x", "l": 2}}, 0),
]


@pytest.mark.parametrize(("models", "least"), LARGER, ids=str)
def test_classes_stay_from_the_smallest_size_that_satisfies_all_models_of_the_file(models, least):
    sizes = np.array([1, 1, 2, 2, 3, 4])
    assert file_models.least_kept({"models": models}, sizes, 13) == least


@pytest.mark.parametrize(
    ("name", "each", "broken"),
    [
        ("k_map", {"k": 4}, [True, False, False, False, True]),
        ("k_map", {"k": 5}, [True, True, False, False, True]),
        # shares of records among persons: 2 / 3, 2 / 4, 2 / 5, 1 / 10, and one whom nobody stands behind
        ("delta_presence", {"most": 0.5}, [True, False, False, False, True]),
        ("delta_presence", {"most": 0.5 - 5e-10}, [True, False, False, False, True]),
        ("delta_presence", {"most": 0.5 - 5e-9}, [True, True, False, False, True]),
        ("delta_presence", {"least": 0.4, "most": 1.0}, [False, False, False, True, True]),
        ("delta_presence", {"least": 0.4 + 5e-10, "most": 1.0}, [False, False, False, True, True]),
        ("delta_presence", {"least": 0.4 + 5e-9, "most": 1.0}, [False, False, True, True, True]),
    ],
)
def test_classes_are_held_against_the_persons_behind_them(name, each, broken):
    records, persons = np.array([2, 2, 2, 1, 1]), np.array([3, 4, 5, 10, 0])
    assert file_models.too_few_behind(name, each, records, persons).tolist() == broken


def test_persons_are_counted_behind_each_record_and_missed_where_nobody_is_seen():
    codes = file_models.codes_together(["a", "b", None, "a"], ["a", "a", "b", "c", None])
    assert codes.tolist() == [0, 1, 2, 0, 0, 0, 1, 3, 2]
    count, missed = file_models.behind([codes], 4)
    assert count.tolist() == [2, 1, 1, 2]
    assert missed
    codes = file_models.codes_together(["a", "b"], ["b", "b", "a"])
    assert file_models.behind([codes], 2)[0].tolist() == [1, 2]
    assert not file_models.behind([codes], 2)[1]
    # by two keys together
    keys = [np.array([0, 0, 0, 0, 1]), np.array([0, 1, 0, 0, 1])]
    count, missed = file_models.behind(keys, 2)
    assert count.tolist() == [2, 0]
    assert missed


def test_which_models_speak_of_the_file_and_which_of_a_table():
    models = {
        "average_risk": {"risk": 1},
        "l_diversity": [{"l": 2}, {"l": 3}],
        "k_map": [{"k": 3, "weight": "w"}, {"k": 4, "population": "p"}],
        "delta_presence": {"population": "q", "most": 1},
        "sample_uniqueness": {"share": 1},
        "population_uniqueness": {"share": 1},
    }
    terms = {"models": models, "k": 3}
    assert [name for name, _ in file_models.of_the_file(terms)] == [
        "average_risk",
        "sample_uniqueness",
        "population_uniqueness",
    ]
    assert [each["population"] for _, each in file_models.of_a_table(terms)] == ["p", "q"]
    assert len(classes.settings_of(terms)) == 8
    assert classes.settings_of({}) == []


@pytest.mark.parametrize(
    ("k", "models", "least"),
    [
        (3, {}, 3),
        (3, {"l_diversity": {"l": 5}}, 5),
        (3, {"l_diversity": [{"l": 2}, {"l": 3.2}]}, 4),
        (6, {"l_diversity": {"l": 5}}, 6),
        (3, {"t_closeness": {"t": 5, "l": 9}}, 3),
    ],
)
def test_a_class_needs_k_records_and_as_many_as_values(k, models, least):
    assert classes.fewest({"k": k, "models": models}) == least


@pytest.mark.parametrize(
    ("limit", "n", "most"),
    [
        (0.2, 10, 2),
        (0.29, 10, 2),
        (0.3, 10, 3),
        (0.07, 100, 7),
        (0.0, 9, 0),
        (0.3 - 5e-11, 10, 3),
        (0.3 - 5e-10, 10, 2),
    ],
)
def test_a_share_of_the_records_may_be_suppressed(limit, n, most):
    assert classes.allowed({"suppression_limit": limit}, n) == most


def people(tmp_path: Any, **columns: list[str | None]) -> str:
    path = tmp_path / "people.csv"
    io.write_all({path: CSV().encode(Microdata.of(pa.table(columns)))}, public=())
    return str(path)


def test_persons_show_what_their_hierarchy_has_at_a_level(tmp_path):
    path = people(tmp_path, town=["n1", "s1", "abroad", "", "n2"], half=list("aabbb"))
    found = file_models.People(path, ["town"], ["half"], generalisation.cells_of)
    assert found.n == 5
    assert list(found.strata[0]) == list("aabbb")
    assert found.shows(0, TOWNS, 0) == ["n1", "s1", "abroad", None, "n2"]
    assert found.shows(0, TOWNS, 1) == ["north", "south", "abroad", None, "north"]
    # at the top all are alike, those who have no town among them
    top = TOWNS.labels[TOWNS.top]
    assert TOWNS.height == 2
    assert found.shows(0, TOWNS, 2) == [top] * 5


@pytest.mark.parametrize("lacking", ["town", "half"])
def test_a_table_of_the_population_without_a_column_is_refused(lacking, tmp_path):
    names = {"town": ["n1"], "half": ["a"]}
    del names[lacking]
    with pytest.raises(DataError, match="lacks a column"):
        file_models.People(people(tmp_path, **names), ["town"], ["half"], generalisation.cells_of)


def test_units_count_once_by_value_and_by_share():
    seen, values, units = np.array([0, 0, 0, 0, 1]), np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 3])
    # units 0 and 1 can show the value 0, units 1 and 2 the value 1: never more than two of either
    assert classes.by_one_value(seen, values, units, 3).tolist() == [[2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    table, of = classes.by_share(seen, values, units, 3)
    assert table.tolist() == [[1.5, 1.5, 0.0], [0.0, 0.0, 1.0]]
    assert of.tolist() == [0, 1]
    # a unit that is alone in its class shows all that it has
    table, of = classes.by_share(np.array([0, 0, 1]), np.array([0, 2, 1]), np.array([0, 0, 1]), 3)
    assert sorted(zip(of.tolist(), table.tolist(), strict=True)) == [
        (0, [0.0, 0.0, 1.0]),
        (0, [1.0, 0.0, 0.0]),
        (0, [1.0, 0.0, 0.0]),
        (1, [0.0, 1.0, 0.0]),
    ]
    assert classes.shares_by_unit(values, units).tolist() == [0.375, 0.375, 0.25]
    assert classes.counted(seen, values).tolist() == [[2.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
    assert classes.counted(values[:0], values[:0]).shape == (0, 0)
