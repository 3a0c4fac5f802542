"""A made-up survey of persons in households."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .description import Dataset
from .drawing import Floats, Integers, check_options, coded, happens, quota, run_labels, to_table, whole

if TYPE_CHECKING:
    import pyarrow as pa

HOUSEHOLD = Dataset(
    name="household",
    title="Made-up survey of persons in households: income, taxes, housing, wealth, five regions.",
    source="made up by tacita",
    rows=900,
    columns=16,
    identifiers=("person_id",),
    quasi=("age", "wage", "self_employment", "transfers", "total_income", "taxes", "housing_cost"),
    confidential=("wealth", "satisfaction"),
    strata=("region",),
    unit="household_id",
    weight="weight",
)

# share of households, level of incomes and rents
_REGIONS = {
    "North": (0.25, 1.08),
    "South": (0.22, 0.90),
    "East": (0.20, 0.94),
    "West": (0.18, 1.02),
    "Coast": (0.15, 1.10),
}
_EDUCATION = ("none", "primary", "secondary", "bachelor", "master")
_EMPLOYMENT = ("child", "student", "employed", "self-employed", "unemployed", "retired", "homemaker")
CHILD, STUDENT, EMPLOYED, SELF_EMPLOYED, UNEMPLOYED, RETIRED, HOMEMAKER = range(len(_EMPLOYMENT))
_HOLES = ("taxes", "housing_cost", "wealth", "satisfaction")


def household(n: int = 900, seed: int = 1, missing: float = 0.0) -> pa.Table:
    """Draw a survey of `n` persons in households of one to six; money in whole units a year.

    `total_income` is `wage + self_employment + transfers` in every row, each with its spike of zeros;
    losses of the self-employed and debts beyond assets are negative. `housing_cost` and `weight` belong to
    the household and are repeated for each member. `education` is ordered: none, primary, secondary,
    bachelor, master. `missing` is the share of empty cells in taxes, housing_cost, wealth and
    satisfaction. The same seed gives the same table.

    >>> persons = household(n=100)
    >>> persons.num_rows, persons.column_names[:5]
    (100, ['household_id', 'person_id', 'region', 'sex', 'age'])
    """
    check_options("household", n, seed, missing)
    generator = np.random.default_rng(seed)

    sizes = generator.choice(np.arange(1, 7), size=n, p=[0.34, 0.31, 0.15, 0.13, 0.05, 0.02])
    home = run_labels(sizes, n)
    homes = home[-1] + 1
    members = np.bincount(home)
    position = np.arange(n) - (np.cumsum(members) - members)[home]

    home_region = generator.permutation(
        run_labels(quota([share for share, _ in _REGIONS.values()], homes), homes)
    )
    region = home_region[home]
    home_level = np.array([prices for _, prices in _REGIONS.values()])[home_region]

    female = _female(generator, home, position)
    age = _ages(generator, home, position)
    education = _education(generator, age, home)
    status = _employment(generator, age, education, female)

    wage, self_employment, transfers = _incomes(generator, age, education, status, female, home_level[home])
    total_income = wage + self_employment + transfers
    taxes = _taxes(generator, wage + self_employment, transfers)
    household_income = np.bincount(home, weights=total_income)
    housing = whole(
        2.2
        * home_level
        * np.maximum(household_income, 6_000) ** 0.72
        * members**0.1
        * generator.lognormal(0.35, 0.3, homes)
    )
    # Owners without a mortgage pay almost nothing; older households are more likely to be such owners.
    paid_off = happens(generator, np.clip((age[position == 0] - 35) / 90, 0.0, 0.5))
    housing = np.where(paid_off, 0, housing)

    columns: dict[str, NDArray[Any]] = {
        "household_id": coded("H", home + 1, 4),
        "person_id": coded("P", generator.permutation(n) + 1, 5),
        "region": np.array(list(_REGIONS))[region],
        "sex": np.where(female, "female", "male"),
        "age": age,
        "education": np.array(_EDUCATION)[education],
        "employment": np.array(_EMPLOYMENT)[status],
        "wage": wage,
        "self_employment": self_employment,
        "transfers": transfers,
        "total_income": total_income,
        "taxes": taxes,
        "housing_cost": housing[home],
        "wealth": _wealth(generator, age, total_income, paid_off[home]),
        "satisfaction": _satisfaction(generator, household_income[home] / members[home] ** 0.5, status),
        "weight": np.round(generator.uniform(180, 420, homes) * (1 + 0.1 * (members == 1)), 2)[home],
    }
    return to_table(columns, _HOLES, missing, seed)


def _female(generator: np.random.Generator, home: Integers, position: Integers) -> NDArray[np.bool_]:
    """Both sexes are equally likely, but partners mostly differ."""
    female = generator.random(len(home)) < 0.51
    head = np.flatnonzero(position == 0)[home]
    mixed = (position == 1) & (generator.random(len(home)) < 0.95)
    return np.where(mixed, ~female[head], female)


def _ages(generator: np.random.Generator, home: Integers, position: Integers) -> Integers:
    """Partners are of like age; further members are children, at least 19 years younger than the head."""
    n = len(home)
    size = np.bincount(home)[home]
    head = np.where(size >= 3, 22 + 38 * generator.beta(2.2, 2.4, n), 19 + 73 * generator.beta(1.5, 1.4, n))
    head = head[np.flatnonzero(position == 0)[home]]
    partner = np.clip(head + generator.normal(-1.0, 4.0, n), 18, 95)
    child = np.minimum((head - 19) * generator.beta(1.8, 1.8, n), 30)
    return np.asarray(np.select([position == 0, position == 1], [head, partner], child), dtype=np.int64)


def _education(generator: np.random.Generator, age: Integers, home: Integers) -> Integers:
    """Correlated within a household, and bounded by age."""
    n = len(age)
    score = 0.6 * generator.normal(size=n)[home] + 0.8 * generator.normal(size=n) - 0.012 * (age - 40)
    reached = np.digitize(score, [-1.9, -0.9, 0.55, 1.25])
    ceiling = np.digitize(age, [11, 17, 21, 24])
    return np.asarray(np.minimum(reached, ceiling))


def _employment(
    generator: np.random.Generator, age: Integers, education: Integers, female: NDArray[np.bool_]
) -> Integers:
    n = len(age)
    works = happens(generator, 0.70 + 0.05 * education - 0.06 * female)
    single = happens(generator, np.clip(0.06 + 0.002 * (age - 20), 0.03, 0.2))
    at_work = np.where(single, SELF_EMPLOYED, EMPLOYED)
    not_at_work = np.where(happens(generator, np.where(female, 0.5, 0.85)), UNEMPLOYED, HOMEMAKER)
    retires_at = generator.normal(64.5, 2.5, n)
    studies = happens(generator, np.clip(1.0 - (age - 16) / 10, 0.0, 1.0))
    return np.select(
        [age < 16, age >= retires_at, studies],
        [CHILD, RETIRED, STUDENT],
        np.where(works, at_work, not_at_work),
    )


def _incomes(
    generator: np.random.Generator,
    age: Integers,
    education: Integers,
    status: Integers,
    female: NDArray[np.bool_],
    level: Floats,
) -> tuple[Integers, Integers, Integers]:
    """Potential income by education and age, and the share that the employment status yields."""
    n = len(age)
    experience = np.clip(age - 18, 0, 42)
    earns = level * np.exp(
        9.85
        + 0.16 * education
        + 0.034 * experience
        - 0.00055 * experience**2
        + generator.normal(0.0, 0.36, n)
    )
    part_time = happens(generator, np.where(female, 0.35, 0.1))
    hours = np.where(part_time, generator.uniform(0.3, 0.8, n), 1.0)
    student_job = (status == STUDENT) & (generator.random(n) < 0.4)
    wage = np.select(
        [status == EMPLOYED, student_job], [earns * hours, generator.uniform(800, 7_000, n)], 0.0
    )

    business_year = earns * (generator.lognormal(0.0, 0.75, n) - 0.35)
    side_business = (status == EMPLOYED) & (generator.random(n) < 0.05)
    self_employment = np.select(
        [status == SELF_EMPLOYED, side_business], [business_year, 0.12 * business_year], 0.0
    )

    transfers = np.select(
        [status == RETIRED, status == UNEMPLOYED, student_job, status == STUDENT],
        [
            0.62 * earns * generator.uniform(0.8, 1.1, n),
            0.40 * earns * generator.uniform(0.6, 1.1, n),
            np.zeros(n),
            np.where(generator.random(n) < 0.5, generator.uniform(1_000, 6_000, n), 0.0),
        ],
        0.0,
    )
    low = (status == EMPLOYED) & (wage < 16_000) & (generator.random(n) < 0.5)
    transfers = np.where(low, generator.uniform(600, 4_000, n), transfers)
    return whole(wage), whole(self_employment), whole(transfers)


def _taxes(generator: np.random.Generator, earned: Integers, transfers: Integers) -> Integers:
    """Three brackets over a free amount; transfers count half; deductions are the noise."""
    base = np.maximum(earned, 0) + 0.5 * transfers
    base = base * generator.uniform(0.88, 1.0, len(base))
    due = sum(
        rate * np.maximum(base - start, 0.0)
        for start, rate in ((11_000, 0.20), (32_000, 0.14), (70_000, 0.10))
    )
    return whole(np.asarray(due))


def _wealth(
    generator: np.random.Generator, age: Integers, total_income: Integers, owner: NDArray[np.bool_]
) -> Integers:
    """Right-skewed, negative for a few, and zero for children."""
    n = len(age)
    saved = (
        np.maximum(total_income, 4_000)
        * np.clip((age - 18) / 18, 0.05, 3.0)
        * generator.lognormal(-0.5, 1.1, n)
    )
    home_value = np.where(owner & (age >= 30), 90_000 * generator.lognormal(0.0, 0.4, n), 0.0)
    debt = np.where(generator.random(n) < 0.3, 18_000 * generator.lognormal(0.0, 0.8, n), 0.0)
    return whole(np.where(age < 18, 0.0, saved + home_value - debt))


def _satisfaction(generator: np.random.Generator, comfort: Floats, status: Integers) -> Integers:
    """0 to 10, a little higher with the income of the household, lower without work."""
    mood = 7.1 + 0.7 * np.log(np.maximum(comfort, 3_000) / 28_000) - 1.3 * (status == UNEMPLOYED)
    return np.clip(whole(mood + generator.normal(0.0, 1.6, len(status))), 0, 10)
