"""What columns give back, at the borders of what is refused, told and let pass."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tacita.core import CsvDialect, Microdata
from tacita.core.results.inferred_cells import ROW_ORDER, Determined
from tacita.core.results.release import Claim
from tacita.core.spec.roles import Roles
from tacita.microdata.verify import Evidence, inference, ranks
from tacita.microdata.verify.dependence import Dependence, Target, by_groups, by_order, joined
from tacita.microdata.verify.linear import relation

# the order of columns


def evidence_of(cells: Any, dialect: CsvDialect | None = None) -> Evidence:
    """A release of one column beside a key."""
    column = cells if isinstance(cells, pa.Array) else pa.array(cells)
    table = pa.table({"c": column, "key": ["a"] * len(column)})
    original = Microdata.of(table, dialect=dialect).with_roles(Roles(quasi=["key"], nominal=["key"]))
    claim = Claim(original, np.arange(len(column)), None, None, ())
    return Evidence(Microdata.of(table, dialect=dialect), claim)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([3, 1, None, 3], [1, 0, -1, 1]),
        ([0.5, float("nan"), -2.0, float("inf")], [1, -1, 0, -1]),
        (["b", "a", None, "b"], [1, 0, -1, 1]),
        ([dt.date(2020, 1, 2), dt.date(2019, 5, 1), None, dt.date(2020, 1, 2)], [1, 0, -1, 1]),
        ([dt.time(3), dt.time(1), dt.time(2)], [2, 0, 1]),
        ([dt.datetime(2020, 1, 2), dt.datetime(2019, 1, 1), dt.datetime(2020, 1, 3)], [1, 0, 2]),
        # nanoseconds have more digits than a number keeps
        (pa.array([1_600_000_000_123_456_789, 10**18, None], pa.timestamp("ns")), [1, 0, -1]),
        ([decimal.Decimal("1.5"), decimal.Decimal("0.5"), None], [1, 0, -1]),
        ([True, False, True], None),
        (pa.nulls(3), None),
        (pa.array([[1], [2], [3]]), None),
        (pa.array(["b", "a", None]).dictionary_encode(), [1, 0, -1]),
        (pa.array(["b", None, "a"], pa.large_string()), [1, -1, 0]),
    ],
    ids=str,
)
def test_cells_have_the_place_of_their_value(cells, expected):
    found = ranks.ranks_of(evidence_of(cells), "c")
    assert (None if found is None else found.tolist()) == expected


@pytest.mark.parametrize(
    ("cells", "settings", "expected"),
    [
        ([" 10", "9", "NA"], {}, [1, 0, -1]),
        (["1,5", "0,5", "10"], {"decimal": ",", "delimiter": ";"}, [1, 0, 2]),
        # words, of which one is a number
        (["10", "9", "x"], {}, [0, 1, 2]),
        # no number at all: what is missing is a text like others
        (["NA", "NA", "NA"], {}, [0, 0, 0]),
    ],
)
def test_text_of_a_file_that_spells_numbers_is_ordered_as_numbers(cells, settings, expected):
    found = ranks.ranks_of(evidence_of(cells, CsvDialect(missing_values=("NA",), **settings)), "c")
    assert found is not None
    assert found.tolist() == expected


def dates(count: int, others: int) -> list[str]:
    """Dates that fall month by month, with the year last, and texts that are none."""
    return [f"{1 + at % 28:02}.{1 + at % 12:02}.{2040 - at}" for at in range(count)] + ["soon"] * others


@pytest.mark.parametrize(
    ("count", "others", "by_date"), [(19, 1, True), (95, 5, True), (94, 6, False), (20, 0, True)]
)
def test_dates_as_text_are_ordered_as_dates_where_nearly_all_are(count, others, by_date):
    cells = dates(count, others)
    found = ranks.ordered_text(pa.array(cells))
    assert found is not None
    if by_date:
        # later dates come first, and what is no date has no place
        assert found[:count].tolist() == sorted(set(found[:count].tolist()), reverse=True)
        assert found[count:].tolist() == [-1] * others
        assert (found[:count] >= 0).all()
    else:
        assert found.tolist() == np.unique(cells, return_inverse=True)[1].tolist()


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["2020-01-31", "2020-02-01", "2019-12-31"], [1, 2, 0]),
        (["31/01/2020", "01/02/2020", "31/12/2019"], [1, 2, 0]),
        # the month first: the larger is the day
        (["01/31/2020", "02/01/2020", "12/31/2019"], [1, 2, 0]),
        (["2020-01-31 10:00", "2020-02-01 09:00", None], [0, 1, -1]),
        # nothing but months up to the twelfth
        (["12/01/2020", "11/02/2020", "10/03/2020"], [0, 1, 2]),
        ([], []),
    ],
    ids=str,
)
def test_dates_are_read_year_month_and_day(cells, expected):
    found = ranks.ordered_text(pa.array(cells, pa.string()))
    assert (None if found is None else found.tolist()) == (expected or None)


def test_what_is_no_text_has_no_order_of_texts():
    assert ranks.ordered_text(pa.array([1, 2])) is None
    assert ranks.ordered_text(pa.array([None, None], pa.string())) is None


# sums and products

RNG = np.random.default_rng(11)
A, B, C = RNG.integers(1, 90_000, (3, 200)).astype(float)
EVERY = np.ones(200, dtype=bool)


def first(n: int, *columns: np.ndarray) -> list[np.ndarray]:
    return [column[:n] for column in columns]


@pytest.mark.parametrize(("records", "found"), [(24, True), (23, False)])
def test_a_relation_of_one_or_two_columns_needs_two_dozen_records(records, found):
    for whole, others in ((2 * A + 7, {"a": A}), (A + B, {"a": A, "b": B})):
        told = relation(whole[:records], EVERY[:records], {n: c[:records] for n, c in others.items()})
        assert (told is not None) == found


@pytest.mark.parametrize(("records", "found"), [(32, True), (31, False)])
def test_each_column_more_needs_eight_records_more(records, found):
    a, b, c = first(records, A, B, C)
    assert (relation(a + b - c, EVERY[:records], {"a": a, "b": b, "c": c}) is not None) == found


@pytest.mark.parametrize(("kept", "found"), [(0.7, True), (0.45, False)])
def test_a_relation_holds_of_more_than_half_of_the_records(kept, found):
    whole = A + B
    # the others are off by more than a value is known to, up and down alike
    whole += np.where(np.arange(200) >= kept * 200, 60.0, 0.0) * np.where(np.arange(200) % 2, 1, -1)
    assert (relation(whole, EVERY, {"a": A, "b": B}) is not None) == found


def test_records_that_were_hidden_and_come_back_are_marked():
    hidden = np.arange(200) % 3 == 0
    whole = A - B
    whole[5:10] += 1234
    found = relation(whole, hidden, {"a": A, "b": B, "c": C})
    assert found is not None
    assert found.columns == ("a", "b")
    assert np.array_equal(found.determined, hidden & ~np.isin(np.arange(200), range(5, 10)))


@pytest.mark.parametrize("power", [(1, 1), (1, -1), (2, 1)])
def test_products_and_ratios_are_found(power):
    found = relation(A ** power[0] * B ** power[1], EVERY, {"a": A, "b": B})
    assert found is not None
    assert found.columns == ("a", "b")
    assert found.determined.all()


def test_a_column_that_misses_half_of_its_numbers_is_left_aside():
    for missing, found in ((99, True), (100, False)):
        gaps = A.copy()
        gaps[:missing] = np.nan
        assert (relation(A + B, EVERY, {"a": gaps, "b": B}) is not None) == found


def test_a_column_of_one_value_takes_no_part_and_needs_no_records():
    a, b, every = first(26, A, B, EVERY)
    found = relation(a + b, every, {"a": a, "alike": np.full(26, 3.0), "b": b})
    assert found is not None
    assert found.columns == ("a", "b")
    # a column of two values may take part
    either = (np.arange(200) % 3 == 0) * 1.0
    found = relation(A + 50_000 * either, EVERY, {"a": A, "either": either})
    assert found is not None
    assert found.columns == ("a", "either")


def test_a_nought_has_no_logarithm():
    with_nought = np.where(np.arange(200) == 7, 0.0, C)
    found = relation(A * B, EVERY, {"a": A, "b": B, "c": with_nought})
    assert found is not None
    assert found.columns == ("a", "b")
    product = A * B
    product[7] = 0.0
    found = relation(product, EVERY, {"a": A, "b": B})
    assert found is not None
    assert found.determined.tolist() == [at != 7 for at in range(200)]


@pytest.mark.parametrize(("columns", "found"), [(60, True), (61, False)])
def test_of_too_many_columns_those_with_most_values_are_looked_at(columns, found):
    rng = np.random.default_rng(3)
    n = 700
    # more values than the first two have, and each as many cells
    beside = {f"c{at}": rng.permutation(n).astype(float) for at in range(columns - 1)}
    few = rng.integers(0, 300, n).astype(float)
    whole = beside["c0"] + 1000 * few
    told = relation(whole, np.ones(n, dtype=bool), {"few": few, **beside})
    assert (told is not None) == found
    assert told is None or set(told.columns) == {"few", "c0"}


def test_of_columns_that_reach_below_zero_there_is_no_product():
    assert relation(A * B, EVERY, {"a": A, "b": B - 45_000}) is None
    assert relation(A * B - 1e9, EVERY, {"a": A, "b": B}) is None
    # another column that does hides none
    assert relation(A * B, EVERY, {"a": A, "b": B, "c": C - 45_000}) is not None


def test_what_all_records_share_is_given_back_by_nothing():
    alike = np.full(200, 5.0)
    assert relation(alike, EVERY, {"a": A}) is None
    assert relation(A, EVERY, {"a": alike}) is None
    assert relation(A, EVERY, {}) is None
    # nine in ten share a value
    most = np.where(np.arange(200) < 180, 5.0, A)
    assert relation(most, EVERY, {"b": B}) is None


def test_records_that_miss_a_number_are_left_aside_and_columns_that_miss_most_too():
    gaps = A.copy()
    gaps[:90] = np.nan
    found = relation(A + B, EVERY, {"a": gaps, "b": B})
    assert found is not None
    assert found.determined.tolist() == [False] * 90 + [True] * 110
    gaps[:101] = np.nan
    assert relation(A + B, EVERY, {"a": gaps, "b": B}) is None
    missing = A + B
    missing[:20] = np.nan
    found = relation(missing, EVERY, {"a": A, "b": B})
    assert found is not None
    assert found.determined.sum() == 180


def test_numbers_are_known_to_half_the_step_in_which_they_are_written():
    # off by less than half of one, and by more
    near = np.where(np.arange(200) % 2, 0.4, -0.4)
    assert relation(np.rint(A + B), EVERY, {"a": A + near, "b": B}) is not None
    found = relation(np.rint((A + B) / 1000) * 1000, EVERY, {"a": A, "b": B})
    assert found is not None
    assert found.determined.mean() > 0.95


# values learnt from others


def target(values: np.ndarray, hidden: np.ndarray, fewest: int = 1) -> Target:
    share = np.bincount(values[~hidden]) / (~hidden).sum()
    return Target("key", values, ~hidden, hidden, share, fewest)


def test_what_every_group_has_in_common_is_given_back():
    codes = np.repeat(np.arange(100), 10)
    values = codes % 7
    hidden = np.arange(1000) % 10 == 0
    found = by_groups(codes, codes, target(values, hidden), 20.0)
    assert found is not None
    assert np.array_equal(found, hidden)
    # a group that nobody shows teaches nobody, nor does one without a code
    unseen = hidden | (codes == 3)
    found = by_groups(codes, codes, target(values, unseen), 20.0)
    assert found is not None
    assert np.array_equal(found, unseen & (codes != 3))
    bare = np.where(codes == 4, -1, codes)
    found = by_groups(bare, bare, target(values, hidden), 20.0)
    assert found is not None
    assert np.array_equal(found, hidden & (codes != 4))


def test_without_teachers_or_hidden_cells_nothing_follows():
    codes = np.repeat(np.arange(100), 10)
    values, nothing, every = codes % 7, np.zeros(1000, dtype=bool), np.ones(1000, dtype=bool)
    hidden = np.arange(1000) % 10 == 0
    assert by_groups(codes, codes, target(values, nothing), 20.0) is None
    share = np.full(7, 1 / 7)
    assert by_groups(codes, codes, Target("key", values, nothing, every, share, 1), 20.0) is None
    assert by_groups(np.full(1000, -1), codes, target(values, hidden), 20.0) is None
    # guessing gives it back as well
    assert by_groups(codes, codes, target(np.zeros(1000, dtype=int), hidden), 20.0) is None


def test_too_few_hits_are_chance():
    codes = np.repeat(np.arange(8), 3)
    values = codes % 2
    hidden = np.arange(24) % 3 == 0
    assert by_groups(codes, codes, target(values, hidden), 5.0) is not None
    assert by_groups(codes, codes, target(values, hidden), 20.0) is None


def test_what_was_learnt_must_hold_of_hidden_values_too():
    codes = np.repeat(np.arange(100), 10)
    values = codes % 7
    hidden = np.arange(1000) % 10 == 0
    # hidden because they are others than those of their group: of a third, then of a sixth
    for every, known in ((3, False), (6, True)):
        others = np.where(hidden & (codes % every == 0), (values + 1) % 7, values)
        found = by_groups(codes, codes, target(others, hidden), 20.0)
        assert (found is not None) == known
        if found is not None:
            assert np.array_equal(found, hidden & (others == values))


def test_a_changed_value_follows_from_records_that_all_have_changed_ones():
    codes = np.repeat(np.arange(100), 10)
    values, every = codes % 7, np.ones(1000, dtype=bool)
    share = np.full(7, 1 / 7)
    found = by_groups(codes, codes, Target("key", values, every, every, share, 4), 20.0)
    assert found is not None
    assert found.all()
    # of three records of a group each is predicted by two alone
    codes = np.repeat(np.arange(300), 3)
    every = np.ones(900, dtype=bool)
    assert by_groups(codes, codes, Target("key", codes % 7, every, every, share, 4), 20.0) is None


def test_neighbours_give_back_what_stands_between_them():
    place = np.arange(400)
    values = place // 40
    hidden = place % 5 == 0
    found = by_order(place, target(values, hidden), 20.0)
    assert found is not None
    # at the border of two values nobody knows, nor before the first
    assert np.array_equal(found, hidden & (place % 40 != 0))
    assert by_order(np.full(400, -1), target(values, hidden), 20.0) is None
    assert by_order(place, target(values, np.zeros(400, dtype=bool)), 20.0) is None
    # too few places for an order
    assert by_order(values, target(values, hidden), 1.0) is None


def test_combinations_have_numbers_where_all_columns_tell_something():
    found = joined([np.array([0, 0, 1, -1, 0]), np.array([2, -1, 2, 1, 2])])
    assert found.tolist() == [0, -1, 1, -1, 0]


# what is said, and what is refused


def told(by: list[Dependence], hidden: np.ndarray, exposed: np.ndarray | None, most: int) -> Determined:
    values = np.zeros(hidden.size, dtype=np.int64)
    return inference._determined(Target("key", values, ~hidden, hidden, np.ones(1), 1), by, exposed, most)


def mask(n: int, count: int) -> np.ndarray:
    return np.arange(n) < count


@pytest.mark.parametrize(
    ("cells", "of", "refused"), [(6, 10, True), (5, 10, False), (3, 5, True), (2, 2, False), (3, 3, True)]
)
def test_without_k_more_than_half_of_a_column_is_refused(cells, of, refused):
    found = told([Dependence(("w",), mask(20, cells))], mask(20, of), None, 2)
    assert (found.cells, found.of, found.exposed, found.refused) == (cells, of, None, refused)
    assert found.hidden == "suppressed"


@pytest.mark.parametrize(
    ("exposed", "most", "count", "refused"),
    [(3, 2, 3, True), (2, 2, 2, False), (9, 8, 6, True), (8, 8, 6, False)],
)
def test_with_k_more_exposed_records_than_may_be_are_refused(exposed, most, count, refused):
    found = told([Dependence(("w",), mask(20, 6))], mask(20, 10), mask(20, exposed), most)
    assert (found.exposed, found.refused) == (count, refused)


def test_records_that_other_columns_expose_do_not_count_here():
    by = [Dependence(("w",), mask(20, 6))]
    found = told(by, mask(20, 10), ~mask(20, 6), 2)
    assert (found.exposed, found.refused) == (0, False)


def test_what_was_changed_is_told_as_such():
    every = mask(9, 9)
    changed = Target("key", np.zeros(9, dtype=np.int64), every, every, np.ones(1), 4)
    assert inference._determined(changed, [Dependence(("w",), every)], None, 2).hidden == "changed"


@pytest.mark.parametrize(
    ("cells", "of", "exposed", "worth"),
    [
        (3, 99, None, True),
        (2, 2, None, False),
        (50, 99, 0, False),
        (50, 99, 1, True),
        (49, 99, 1, False),
        (49, 99, 2, False),
        (49, 99, 3, True),
        (50, 100, 2, True),
    ],
)
def test_a_word_is_said_of_what_exposes_somebody(cells, of, exposed, worth):
    found = Determined("key", (("w",),), "suppressed", cells, of, exposed, False)
    assert inference._is_reported(found) is worth


def test_columns_that_give_back_most_are_named_once_and_three_at_most():
    by = [
        Dependence(("few",), mask(100, 10)),
        Dependence(("most",), mask(100, 60)),
        Dependence(("same",), mask(100, 60)),
        Dependence(("rest",), ~mask(100, 70)),
        Dependence(("bit",), ~mask(100, 95)),
        Dependence(("between",), mask(100, 70) & ~mask(100, 60)),
    ]
    # of columns that do the same, the last; then what adds most; what adds nothing is left out
    assert inference._sources(by) == (("same",), ("rest",), ("between",))
    # a tenth of all is worth a name, less is not
    assert inference._sources([by[1], Dependence(("x",), ~mask(100, 60) & mask(100, 66))]) == (
        ("most",),
        ("x",),
    )
    few = ~mask(100, 60) & mask(100, 66)
    many = mask(100, 60)
    assert inference._sources([Dependence(("a",), many), Dependence(("b",), few)]) == (("a",), ("b",))
    fewer = ~mask(100, 60) & mask(100, 65)
    assert inference._sources([Dependence(("a",), many), Dependence(("b",), fewer)]) == (("a",),)


@pytest.mark.parametrize(
    ("guarantees", "speaks"),
    [
        ((), False),
        (("k-anonymous",), True),
        (("dropped",), False),
        # what is drawn anew may follow from columns that stayed
        (("k-anonymous", "synthetic-cells"), True),
        (("values-redrawn",), True),
        (("noise-independent",), True),
    ],
)
def test_kinds_that_hide_cells_are_looked_at(guarantees, speaks):
    assert inference.speaks_of(guarantees) is speaks


def test_the_way_out_names_columns_and_the_order():
    one = Determined("age", (("birth", "town"), (ROW_ORDER,)), "changed", 9, 9, 3, True)
    other = Determined("region", (("town",),), "suppressed", 9, 9, 3, True)
    assert inference.way_out([one, other]) == (
        # without the town its pair with the birth tells nothing either
        "Leave out town or make it coarser (a weight: calibrate it anew), or protect it "
        "together with age and region. Shuffle the records (--shuffle)."
    )
    alone = Determined("age", ((ROW_ORDER,),), "suppressed", 9, 9, 3, True)
    assert inference.way_out([alone]) == "Shuffle the records (--shuffle)."
