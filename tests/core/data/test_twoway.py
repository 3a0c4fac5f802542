"""Relations that are rows and columns are found to be so, whatever their order, sign and numbering."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.core import Hierarchy, Relations
from tacita.core.data.twoway import two_way_layout


def lines(rows, columns):
    """Relations of a table of rows x columns with sums, as pairs of cells and signs."""
    dimensions = [
        Hierarchy.flat(name, [str(at) for at in range(size)]) for name, size in (("r", rows), ("c", columns))
    ]
    relations = Relations.cross(dimensions)
    return [relations.line(at) for at in range(len(relations))]


@given(rows=st.integers(1, 5), columns=st.integers(1, 5), seed=st.integers(0, 999))
def test_a_shuffled_two_way_table_is_laid_out_with_its_sums_last(rows, columns, seed):
    generator = np.random.default_rng(seed)
    n = (rows + 1) * (columns + 1)
    number = generator.permutation(n)
    mixed = [(number[cells], signs * generator.choice([-1, 1])) for cells, signs in lines(rows, columns)]
    order = generator.permutation(len(mixed))
    found = two_way_layout(Relations.of([mixed[at] for at in order]), n)
    inner = generator.integers(1, 50, size=(rows, columns)).astype(float)
    full = np.vstack([np.column_stack([inner, inner.sum(axis=1)]), np.append(inner.sum(axis=0), inner.sum())])
    values = np.empty(n)
    values[number] = full.ravel()
    laid_out = values[found]
    assert sorted(laid_out.shape) == sorted(full.shape)
    assert np.allclose(laid_out[:-1].sum(axis=0), laid_out[-1])
    assert np.allclose(laid_out[:, :-1].sum(axis=1), laid_out[:, -1])


@pytest.mark.parametrize("fault", ["missing", "double", "sign", "weight", "sum elsewhere", "cell twice"])
def test_relations_that_are_nearly_so_are_not(fault):
    rows = [(cells.copy(), signs.copy()) for cells, signs in lines(3, 3)]
    if fault == "missing":
        rows.pop()
    elif fault == "double":
        rows.append(rows[0])
    elif fault == "sign":
        rows[0][1][0] = -1
    elif fault == "weight":
        rows[0][1][0] = 2
    elif fault == "sum elsewhere":
        rows[0][1][[0, -1]] = rows[0][1][[-1, 0]]
    else:
        rows[0][0][0] = rows[0][0][1]
    assert two_way_layout(Relations.of(rows), 16) is None


def test_a_cube_and_two_separate_tables_are_no_two_way_table():
    cube = Relations.cross([Hierarchy.flat(name, ["x", "y"]) for name in "abc"])
    assert two_way_layout(cube, 27) is None
    one = lines(2, 2)
    both = [*one, *((cells + 9, signs) for cells, signs in one)]
    assert two_way_layout(Relations.of(both), 18) is None
