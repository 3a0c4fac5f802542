"""Shares of a value are in percent; what can only be meant as a share is refused with what to write."""

import numpy as np
import pytest

import tacita
from tacita import Table, registry
from tacita.core.percent import percent_of
from tacita.tableplan import TableSection
from tacita.tables.suppression.grid import Grid

TOLD = r"0\.15 would be 0\.15 percent; write 15 for 15 percent"
IN_PERCENT = [
    (kind, name, field)
    for kind, names in registry.locations().items()
    for name in names
    for field, info in registry.lookup(name, kind).model_fields.items()
    if "in percent" in (info.description or "")
]


def test_the_registry_has_parameters_in_percent():
    wanted = {("rule", "p-percent", "p"), ("rule", "dominance", "k"), ("masking", "rank-swap", "p")}
    assert wanted <= set(IN_PERCENT)
    assert len(IN_PERCENT) >= 10


@pytest.mark.parametrize(("kind", "name", "field"), IN_PERCENT)
def test_a_parameter_in_percent_is_no_share(kind, name, field):
    method = registry.lookup(name, kind)
    with pytest.raises(tacita.ParameterError, match=f"{field}: {TOLD}"):
        method(**{field: 0.15})
    method(**{field: 20})


@pytest.mark.parametrize("level", ["lower", "upper", "sliding"])
class TestLevels:
    def test_are_no_share_of_an_array(self, level):
        with pytest.raises(tacita.ParameterError, match=f"{TOLD}, or give absolute levels"):
            Table.from_array([[5, 3], [2, 4]], **{level: 0.15})
        table = Table.from_array([[5, 3], [2, 4]], **{level: np.full((2, 2), 0.15)})
        assert getattr(table, level)[0] == 0.15
        with pytest.raises(tacita.ParameterError, match=TOLD):
            table.with_primary(table.inner, **{level: 0.15})
        with pytest.raises(tacita.ParameterError, match=TOLD):
            Grid.from_interior([[5, 3], [2, 4]], np.eye(2, dtype=bool), **{level: 0.15})

    @pytest.mark.parametrize("given", [0.15, "0.15"])
    def test_are_no_share_in_a_plan(self, level, given):
        with pytest.raises(tacita.ParameterError, match=f"{level}: {TOLD}, or give absolute levels"):
            TableSection(**{level: given})

    def test_may_be_percent_or_a_column(self, level):
        for given in (15, "15", 0, 1, 150, "depth"):
            TableSection(**{level: given})


def test_percent_give_the_figures_that_shares_gave():
    values = np.random.default_rng(0).normal(size=1000) * 1e6
    for percent, share in ((15, 0.15), (20, 0.2), (60, 0.6), (5, 0.05)):
        assert np.array_equal(percent_of(percent, values, "Table"), np.abs(values) * share)
