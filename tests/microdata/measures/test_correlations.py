"""Correlations before and after are those of numpy."""

import numpy as np
import pytest

from tacita.microdata.measures.correlations import correlate


def columns(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d))


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150])
def test_every_pair_has_the_correlation_of_numpy_whatever_the_unit(scale):
    x, z = columns(80, 6), columns(80, 6, 1)
    names = [f"c{j}" for j in range(6)]
    told = correlate(x * scale, z * scale, names, 3)
    place = {name: j for j, name in enumerate(names)}
    assert [(each.one, each.other) for each in told.relations] == [
        (names[i], names[j]) for i in range(6) for j in range(i)
    ]
    for side, values in (("before", x), ("after", z)):
        expected = np.corrcoef(values.T)
        for each in told.relations:
            assert getattr(each, side) == pytest.approx(
                expected[place[each.one], place[each.other]], abs=1e-12
            )


def test_of_many_columns_those_that_changed_most_are_told():
    x = columns(200, 30)
    z = x.copy()
    z[:, 23] = np.random.default_rng(9).permutation(z[:, 23])
    names = [f"c{j}" for j in range(30)]
    told = correlate(x, z, names, 3)
    change = np.abs(np.corrcoef(z.T) - np.corrcoef(x.T))
    assert told.columns == 30
    assert len(told.names) == 12
    assert "c23" in told.names
    assert list(told.names) == sorted(told.names, key=names.index)
    sizes = [abs(each.change) for each in told.largest]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == pytest.approx(change.max(), abs=1e-12)
    assert all("c23" in (each.one, each.other) for each in told.largest)


def test_a_column_that_no_longer_varies_has_no_correlation():
    x = columns(20, 2)
    z = np.column_stack([x[:, 0], np.full(20, 7.0)])
    (each,) = correlate(x, z, ["a", "b"], 3).relations
    assert each.before is not None
    assert each.after is each.change is None


@pytest.mark.parametrize(
    "x",
    [columns(2, 3), np.column_stack([np.arange(9.0), np.ones(9)]), columns(30, 1)],
    ids=["few", "flat", "one"],
)
def test_where_there_is_nothing_to_correlate_there_is_no_picture(x):
    assert correlate(x, x, [f"c{j}" for j in range(x.shape[1])], 3) is None
