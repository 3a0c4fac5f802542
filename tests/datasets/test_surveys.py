"""The made-up surveys: their shape, their exact relations, and that they repeat."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tacita.core.errors import ParameterError
from tacita.datasets import attributes, business, describe, household, patients

SURVEYS = {"business": business, "household": household, "patients": patients}
SEEDS = [1, 2, 3, 17, 2024]
every = pytest.mark.parametrize("name", list(SURVEYS))
# samples of units, with weights
both = pytest.mark.parametrize("name", ["business", "household"])


def values(table: pa.Table, column: str) -> np.ndarray:
    return table[column].to_numpy()


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a.argsort().argsort(), b.argsort().argsort())[0, 1])


def distinct_within(table: pa.Table, by: str, column: str) -> int:
    counts = table.group_by(by).aggregate([(column, "count_distinct")])
    return pc.min(counts[f"{column}_count_distinct"]).as_py()


@every
def test_the_same_seed_gives_the_same_table(name: str) -> None:
    assert SURVEYS[name](seed=5, missing=0.1).equals(SURVEYS[name](seed=5, missing=0.1))


@every
def test_another_seed_gives_another_table(name: str) -> None:
    assert not SURVEYS[name](seed=5).equals(SURVEYS[name](seed=6))


@every
def test_drawing_leaves_the_global_random_state_alone(name: str) -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002  the legacy state is what is under test
    SURVEYS[name]()
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@every
def test_the_description_tells_the_size_and_the_columns_of_the_default_table(name: str) -> None:
    table, description = SURVEYS[name](), describe(name)
    assert table.shape == (description.rows, description.columns)
    named = [*description.identifiers, *description.quasi, *description.confidential, *description.strata]
    named += [role for role in (description.unit, description.weight) if role is not None]
    assert set(named) <= set(table.column_names)
    assert len(named) == len(set(named))


@both
def test_quasi_identifiers_confidential_columns_and_weight_are_numbers(name: str) -> None:
    table, description = SURVEYS[name](), describe(name)
    for column in (*description.quasi, *description.confidential, description.weight):
        kind = table.schema.field(column).type
        assert pa.types.is_integer(kind) or pa.types.is_floating(kind), column


@every
def test_nothing_is_missing_by_default(name: str) -> None:
    table = SURVEYS[name]()
    assert all(column.null_count == 0 for column in table.columns)
    assert not any(
        pc.any(pc.is_nan(column)).as_py() for column in table.columns if column.type == pa.float64()
    )


@every
def test_missing_empties_its_share_of_four_columns_and_changes_no_other_cell(name: str) -> None:
    whole, holed = SURVEYS[name](n=200), SURVEYS[name](n=200, missing=0.05)
    assert sorted(column.null_count for column in holed.columns)[-5:] == [0, 10, 10, 10, 10]
    for before, after in zip(whole.columns, holed.columns, strict=True):
        there = after.is_valid()
        assert before.filter(there).equals(after.filter(there))


@every
@pytest.mark.parametrize("n", [1, 2, 7, 3000])
def test_any_number_of_records_can_be_drawn(name: str, n: int) -> None:
    assert SURVEYS[name](n=n).num_rows == n


@every
def test_each_identifier_is_different_in_every_row(name: str) -> None:
    table = SURVEYS[name](n=3000)
    for column in describe(name).identifiers:
        assert pc.count_distinct(table[column]).as_py() == 3000


@both
@pytest.mark.parametrize("seed", SEEDS)
def test_every_region_has_sixty_records_and_twenty_units(name: str, seed: int) -> None:
    table = SURVEYS[name](seed=seed)
    assert pc.min(table["region"].value_counts().field("counts")).as_py() >= 60
    assert distinct_within(table, "region", describe(name).unit) >= 20


@both
def test_several_records_share_a_unit(name: str) -> None:
    table = SURVEYS[name]()
    assert pc.count_distinct(table[describe(name).unit]).as_py() < 0.7 * table.num_rows


@both
def test_weights_are_positive_with_two_decimals(name: str) -> None:
    weight = values(SURVEYS[name](), "weight")
    assert weight.min() >= 1
    assert np.array_equal(weight, np.round(weight, 2))


@every
@pytest.mark.parametrize(
    "options",
    [
        {"n": 0},
        {"n": 2.5},
        {"n": True},
        {"seed": -1},
        {"seed": "1"},
        {"missing": 1},
        {"missing": -0.1},
        {"missing": float("nan")},
        {"missing": None},
    ],
    ids=str,
)
def test_an_impossible_option_is_refused_by_its_name(name: str, options: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"^{name}: {next(iter(options))} must be"):
        SURVEYS[name](**options)


def test_value_added_is_turnover_minus_costs_in_every_row() -> None:
    firms = business(n=2000)
    assert np.array_equal(values(firms, "value_added"), values(firms, "turnover") - values(firms, "costs"))


def test_registration_and_sector_are_text_with_leading_zeros() -> None:
    firms = business()
    assert all(code.startswith("0") and len(code) == 7 for code in firms["registration"].to_pylist())
    assert {"01", "08"} <= set(firms["sector"].to_pylist())


def test_sizes_of_firms_are_skewed_and_go_together() -> None:
    firms = business()
    turnover = values(firms, "turnover")
    assert turnover.mean() > 2 * np.median(turnover)
    for column in ("employees", "costs", "wages", "value_added"):
        assert rank_correlation(turnover, values(firms, column)) > 0.85


@pytest.mark.parametrize("seed", SEEDS)
def test_large_firms_spend_a_smaller_share_of_their_turnover(seed: int) -> None:
    firms = business(n=5000, seed=seed)
    share = values(firms, "costs") / values(firms, "turnover")
    logs = np.log(values(firms, "employees"))
    sector = np.unique(values(firms, "sector"), return_inverse=True)[1]
    mean_share = (np.bincount(sector, share) / np.bincount(sector))[sector]
    mean_logs = (np.bincount(sector, logs) / np.bincount(sector))[sector]
    assert np.corrcoef(share - mean_share, logs - mean_logs)[0, 1] < -0.1


def test_most_firms_invest_nothing_and_some_lose_money() -> None:
    firms = business()
    assert 0.4 < np.mean(values(firms, "investment") == 0) < 0.8
    for column in ("profit_margin", "net_debt"):
        assert 0.05 < np.mean(values(firms, column) < 0) < 0.4


def test_establishments_of_one_group_are_of_like_size() -> None:
    firms = business(n=4000)
    order = values(firms, "group_id").argsort(kind="stable")
    group, logs = values(firms, "group_id")[order], np.log(values(firms, "employees"))[order]
    neighbours = group[1:] == group[:-1]
    assert np.corrcoef(logs[1:][neighbours], logs[:-1][neighbours])[0, 1] > 0.1


def test_total_income_is_the_sum_of_its_parts_in_every_row() -> None:
    persons = household(n=2000)
    parts = sum(values(persons, part) for part in ("wage", "self_employment", "transfers"))
    assert np.array_equal(values(persons, "total_income"), parts)


def test_what_belongs_to_the_household_is_equal_for_its_members() -> None:
    persons = household()
    for column in ("region", "housing_cost", "weight"):
        counts = persons.group_by("household_id").aggregate([(column, "count_distinct")])
        assert pc.max(counts[f"{column}_count_distinct"]).as_py() == 1


def test_incomes_have_spikes_of_zeros_and_wealth_is_skewed_with_some_debt() -> None:
    persons = household()
    for part in ("wage", "self_employment", "transfers"):
        assert np.mean(values(persons, part) == 0) > 0.3
    wealth = values(persons, "wealth")
    assert wealth.mean() > 2 * np.median(wealth)
    assert 0.02 < np.mean(wealth < 0) < 0.2
    assert rank_correlation(values(persons, "total_income"), values(persons, "taxes")) > 0.7


@pytest.mark.parametrize("seed", SEEDS)
def test_ages_statuses_and_satisfaction_are_plausible(seed: int) -> None:
    persons = household(seed=seed)
    age, status = values(persons, "age"), values(persons, "employment")
    assert age.min() >= 0
    assert age.max() <= 95
    assert np.array_equal(age < 16, status == "child")
    assert not np.any(values(persons, "wage")[age < 16])
    assert set(values(persons, "education")[age < 11]) == {"none"}
    assert set(values(persons, "satisfaction")) <= set(range(11))
    assert set(values(persons, "sex")) == {"female", "male"}


def test_wages_rise_with_education() -> None:
    persons = household(n=5000)
    employed = values(persons, "employment") == "employed"
    wage, education = values(persons, "wage")[employed], values(persons, "education")[employed]
    medians = [
        np.median(wage[education == level]) for level in ("primary", "secondary", "bachelor", "master")
    ]
    assert medians == sorted(medians)


@pytest.mark.parametrize("seed", SEEDS)
def test_patients_are_of_an_age_with_their_diagnosis(seed: int) -> None:
    register = patients(n=3000, seed=seed)
    age, code = values(register, "age"), values(register, "diagnosis")
    assert age[code == "K35"].min() >= 4
    assert age[code != "K35"].min() >= 18
    assert np.median(age[code == "K35"]) < np.median(age[code == "F32"]) < np.median(age[code == "I50"])
    assert np.mean(values(register, "sex")[code == "C50"] == "female") > 0.95
    assert values(register, "days").min() == 1
    assert set(values(register, "outcome")) == {"home", "care", "died"}


def test_the_old_die_more_often_and_nobody_of_an_appendix() -> None:
    register = patients(n=20_000)
    age, died = values(register, "age"), values(register, "outcome") == "died"
    assert not np.any(died[values(register, "diagnosis") == "K35"])
    assert died[age >= 70].mean() > 1.3 * died[age < 70].mean() > 0


def test_postcodes_have_four_digits_of_which_two_name_the_district() -> None:
    codes = values(patients(), "postcode")
    assert {len(code) for code in codes} == {4}
    assert {code[:2] for code in codes} == {"11", "12", "14", "21", "23", "37"}


def test_attributes_are_the_numbers_among_the_keys() -> None:
    assert attributes("patients").shape == (1200, 2)
