import pytest
from experiments.published import ORDERINGS_CHECKED

import tacita
from effort import first_of_each

CASES = [
    (method, name, k, loss)
    for method, files in ORDERINGS_CHECKED.items()
    for name, row in files.items()
    for k, loss in row.items()
]


@pytest.mark.parametrize(("method", "name", "k", "loss"), first_of_each(CASES))
def test_losses_are_those_of_the_independent_check(benchmark, method, name, k, loss):
    z = benchmark(name)
    found = tacita.method(method, k=k).partition(z)
    assert 100 * found.sse(z) / (z**2).sum() == pytest.approx(loss, abs=0.01)
