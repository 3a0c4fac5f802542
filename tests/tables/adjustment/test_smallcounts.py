"""Small counts are rounded at least as well as by SmallCountRounding, and none is left."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from reference import figures
from tacita.core import DataError, Table
from tacita.tables.adjustment.smallcounts import SmallCounts, rounded_counts

CASES = "r/E_rounding/plsrounding.json"
NAMES = [
    *("e6_main", "e6_dimVar", "e6_inter", "exPSD_base3", "exPSD_base5", "exPSD_base10"),
    *("seeded288_2way_base3", "seeded288_2way_base5", "seeded288_full_base3"),
]


def published(case):
    """Which inner cells each published cell is the sum of."""
    inner, shown, given = case["inner"], case["publish"], case["input"]
    above = dict(zip(given.get("geo", ()), given.get("eu", ()), strict=True))
    columns = [name for name in shown if name not in ("original", "rounded", "difference")]
    matrix = np.ones((len(shown["original"]), len(inner["original"])))
    for name, row, cell in product(columns, *map(range, matrix.shape)):
        label, own = str(shown[name][row]), str(inner[name][cell]) if name in inner else ""
        if label not in ("Total", own, above.get(own)):
            matrix[row, cell] = 0
    return matrix


@pytest.mark.parametrize("name", NAMES)
def test_published_counts_change_no_more_than_by_small_count_rounding(name):
    case = figures(CASES)[name]
    matrix, base = published(case), case["metrics"]["roundBase"]
    counts = np.array(case["inner"]["original"], dtype=float)
    theirs = np.array(case["inner"]["rounded"], dtype=float)
    assert (matrix @ counts == case["publish"]["original"]).all()
    ours = rounded_counts(counts, sparse.csr_array(matrix), base, np.random.default_rng(0))
    assert (((matrix @ ours) == 0) | ((matrix @ ours) >= base)).all()
    assert (((matrix @ ours - matrix @ counts) ** 2).sum()) <= (
        (matrix @ theirs - matrix @ counts) ** 2
    ).sum()
    # only small counts behind small published ones are touched, as there
    assert ((ours != counts) <= (counts < base)).all()
    assert (ours != counts).sum() == (theirs != counts).sum()


@pytest.mark.parametrize("name", ["e6_main", "e6_dimVar", "e6_inter", "exPSD_base5"])
def test_the_measures_of_small_count_rounding_are_met(name):
    case = figures(CASES)[name]
    matrix, base = published(case), case["metrics"]["roundBase"]
    counts = np.array(case["inner"]["original"], dtype=float)
    ours = rounded_counts(counts, sparse.csr_array(matrix), base, np.random.default_rng(0))
    change = matrix @ ours - matrix @ counts
    assert np.abs(change).max() == case["metrics"]["maxdiff"]
    assert np.abs(change).mean() == pytest.approx(case["metrics"]["meanAbsDiff"])
    assert np.sqrt((change**2).mean()) == pytest.approx(case["metrics"]["rootMeanSquare"])


@given(st.lists(st.integers(0, 9), min_size=12, max_size=12), st.integers(2, 6))
def test_no_small_count_is_left_and_large_inner_counts_stay(cells, base):
    table = Table.from_array(np.array(cells, dtype=float).reshape(3, 4), frequency=True)
    made = SmallCounts(base=base).adjust(table)
    assert not ((made.values > 0) & (made.values < base)).any()
    assert not np.abs(table.relations.residuals(made.values)).any()
    large = table.inner & (table.values >= base)
    assert (made.values[large] == table.values[large]).all()
    # the total is as near as whole numbers of the base allow
    assert abs(made.values[-1] - table.values[-1]) <= base / 2


@pytest.mark.parametrize("seed", range(5))
def test_near_the_best_of_all_choices_on_small_tables(seed):
    values = np.random.default_rng(seed).integers(0, 6, (3, 3)).astype(float)
    table = Table.from_array(values, frequency=True)
    made = SmallCounts(base=3).adjust(table)
    small = np.argwhere((values > 0) & (values < 3))
    best = np.inf
    number = round(values[(values > 0) & (values < 3)].sum() / 3)
    for chosen in product((0.0, 3.0), repeat=len(small)):
        if sum(each > 0 for each in chosen) != number:
            continue
        other = values.copy()
        other[tuple(small.T)] = chosen
        best = min(best, ((Table.from_array(other).values - table.values) ** 2).sum())
    assert ((made.values - table.values) ** 2).sum() <= 1.2 * best + 1e-9


def test_what_does_not_count_is_refused():
    with pytest.raises(DataError, match="wanted counts, whole numbers of at least 0, 4 cells are none"):
        SmallCounts().adjust(Table.from_array([[5.5, 2.0]]))
