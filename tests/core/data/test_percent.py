"""Shares of a value are in percent, and what can only be meant as a share is never taken for less."""

import numpy as np
import pytest

import tacita
from tacita import Table, registry
from tacita.api import run_table
from tacita.core.data.percent import percent_of
from tacita.tables.plans.plan import TablePlan
from tacita.tables.plans.sections import TableSection

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


TAKEN = r"levels are in percent; 0\.15 was taken for the share that is 15 percent"


@pytest.mark.parametrize("level", ["lower", "upper", "sliding"])
class TestLevels:
    def test_that_can_only_be_shares_are_taken_for_them_and_told(self, level):
        with pytest.warns(UserWarning, match=TAKEN):
            table = Table.from_array([[5, 3], [2, 4]], **{level: 0.15})
        assert getattr(table, level)[0] == 0.75
        assert np.array_equal(
            getattr(table, level), getattr(Table.from_array([[5, 3], [2, 4]], **{level: 15}), level)
        )
        with pytest.warns(UserWarning, match=TAKEN):
            table.with_primary(table.inner, **{level: 0.15})

    def test_are_absolute_as_an_array(self, level):
        table = Table.from_array([[5, 3], [2, 4]], **{level: np.full((2, 2), 0.15)})
        assert getattr(table, level)[0] == 0.15

    @pytest.mark.parametrize("given", [1, 1.5, 2, "1.5"])
    def test_that_may_be_either_are_refused(self, level, given):
        with pytest.raises(tacita.ParameterError, match=f"{level}: .* may be .* percent, or the share"):
            TableSection(**{level: given})
        with pytest.raises(tacita.ParameterError, match=r"may be .* percent, or the share"):
            Table.from_array([[5, 3], [2, 4]], **{level: float(given)})

    @pytest.mark.parametrize("given", [0.15, "0.15"])
    def test_that_are_shares_in_a_plan_are_percents_of_the_table(self, level, given):
        assert TableSection(**{level: given}).levels[level] == 15

    def test_may_be_percent_or_a_column(self, level):
        for given in (15, "15", 0, 3, 150, "depth"):
            TableSection(**{level: given})


def test_a_share_for_a_percent_is_a_warning_of_the_run(tmp_path, cells):
    told = run_table(
        TablePlan(
            input={"path": cells},
            table={
                "rows": "activity",
                "columns": "region",
                "value": "turnover",
                "primary": "sensitive",
                "lower": 0.15,
            },
            suppress={"problem": "interval"},
            output={"path": tmp_path / "published.csv"},
        )
    ).record.as_dict()
    assert [each["name"] for each in told["warnings"]] == ["share-for-percent"]
    assert "15 percent" in told["warnings"][0]["text"]


def test_percent_give_the_figures_that_shares_gave():
    values = np.random.default_rng(0).normal(size=1000) * 1e6
    for percent, share in ((15, 0.15), (20, 0.2), (60, 0.6), (5, 0.05)):
        assert np.array_equal(percent_of(percent, values, "Table"), np.abs(values) * share)
