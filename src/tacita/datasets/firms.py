"""A made-up survey of firms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .description import Dataset
from .drawing import (
    Floats,
    Integers,
    check_options,
    coded,
    happens,
    quota,
    run_labels,
    to_table,
    unique_numbers,
    unique_words,
    whole,
)

if TYPE_CHECKING:
    import pyarrow as pa

BUSINESS = Dataset(
    name="business",
    title="Made-up survey of firms: establishments in enterprise groups, five regions, eight sectors.",
    source="made up by tacita",
    rows=600,
    columns=14,
    identifiers=("name", "registration"),
    quasi=("employees", "turnover", "costs", "value_added", "wages", "investment"),
    confidential=("profit_margin", "net_debt"),
    strata=("region",),
    unit="group_id",
    weight="weight",
)

_REGIONS = {"North": 0.26, "South": 0.22, "East": 0.20, "West": 0.17, "Coast": 0.15}
_HOLES = ("wages", "investment", "profit_margin", "net_debt")

# code: share of firms, typical employees, turnover per employee, wage per employee, costs in turnover, trade
_SECTORS: dict[str, tuple[float, float, float, float, float, str]] = {
    "01": (0.09, 5, 95_000, 24_000, 0.62, "Farms"),
    "08": (0.05, 14, 190_000, 38_000, 0.58, "Quarries"),
    "10": (0.13, 18, 210_000, 29_000, 0.74, "Foods"),
    "25": (0.15, 16, 150_000, 36_000, 0.60, "Metals"),
    "41": (0.16, 9, 140_000, 33_000, 0.66, "Builders"),
    "47": (0.20, 6, 200_000, 23_000, 0.80, "Stores"),
    "56": (0.12, 7, 60_000, 19_000, 0.52, "Kitchens"),
    "62": (0.10, 8, 120_000, 52_000, 0.38, "Systems"),
}


def business(n: int = 600, seed: int = 1, missing: float = 0.0) -> pa.Table:
    """Draw a survey of `n` establishments; money in whole units, text codes with leading zeros.

    Sizes are lognormal and alike within an enterprise group (`group_id`, one to six establishments,
    a few of them in other regions). Larger firms turn over more and spend less per unit of turnover.
    `value_added` is `turnover - costs` in every row; most small firms invest nothing; `profit_margin`
    (per cent) and `net_debt` may be negative. `missing` is the share of empty cells in wages,
    investment, profit_margin and net_debt. The same seed gives the same table.

    >>> firms = business(n=100)
    >>> firms.num_rows, firms.column_names[:5]
    (100, ['name', 'registration', 'region', 'sector', 'group_id'])
    """
    check_options("business", n, seed, missing)
    generator = np.random.default_rng(seed)

    region, group = _regions_and_groups(generator, n)
    shares, typical_size, productivity, wage_level, cost_share, trades = (
        np.array(fact) for fact in zip(*_SECTORS.values(), strict=True)
    )
    sector = generator.choice(len(_SECTORS), size=n, p=shares)

    employees = _employees(generator, typical_size[sector], group)
    turnover = whole(productivity[sector] * employees**1.07 * generator.lognormal(0.0, 0.45, n)) + 1
    costs = whole(turnover * _cost_ratio(generator, cost_share[sector], employees))
    value_added = turnover - costs
    # Wages follow both the head count and what there is to pay them from.
    per_head = value_added / employees
    wages = whole(
        employees
        * wage_level[sector] ** 0.75
        * np.maximum(per_head, 1.0) ** 0.25
        * generator.lognormal(-0.12, 0.18, n)
    )
    investment = _investment(generator, turnover, employees)
    surplus = value_added - wages - turnover * generator.gamma(2.0, 0.03, n)
    net_debt = whole(turnover * (0.35 * generator.gamma(1.5, 0.8, n) - 0.18) + 1.5 * investment)

    names = np.char.add(np.char.add(unique_words(generator, n), " "), trades[sector])
    columns = {
        "name": names,
        "registration": unique_numbers(generator, n),
        "region": np.array(list(_REGIONS))[region],
        "sector": np.array(list(_SECTORS))[sector],
        "group_id": coded("G", group + 1, 4),
        "employees": employees,
        "turnover": turnover,
        "costs": costs,
        "value_added": value_added,
        "wages": wages,
        "investment": investment,
        "profit_margin": np.round(100 * surplus / turnover, 1),
        "net_debt": net_debt,
        "weight": _weights(generator, employees),
    }
    return to_table(columns, _HOLES, missing, seed)


def _regions_and_groups(generator: np.random.Generator, n: int) -> tuple[Integers, Integers]:
    """Groups are runs of establishments of one region; then one in twelve moves to another group."""
    region = run_labels(quota(list(_REGIONS.values()), n), n)
    sizes = generator.choice(np.arange(1, 7), size=n, p=[0.58, 0.20, 0.10, 0.06, 0.04, 0.02])
    group = run_labels(sizes, n)
    movers = np.flatnonzero(generator.random(n) < 1 / 12)
    group[movers] = group[generator.permutation(movers)]
    # Random numbers do not disclose the region, and rows are shuffled.
    group = generator.permutation(group.max() + 1)[group]
    order = generator.permutation(n)
    return region[order], group[order]


def _employees(generator: np.random.Generator, typical: Floats, group: Integers) -> Integers:
    n = len(group)
    shared = generator.normal(0.0, 0.55, n)[group]
    return np.maximum(1, whole(typical * np.exp(shared + generator.normal(0.0, 0.95, n))))


def _cost_ratio(generator: np.random.Generator, usual: Floats, employees: Integers) -> Floats:
    """Drawn on the logit scale, so that costs never exceed turnover."""
    logit = (
        np.log(usual / (1 - usual)) - 0.07 * np.log(employees / 10) + generator.normal(0.0, 0.22, len(usual))
    )
    return np.asarray(1 / (1 + np.exp(-logit)))


def _investment(generator: np.random.Generator, turnover: Integers, employees: Integers) -> Integers:
    chance = 1 / (1 + np.exp(1.1 - 0.75 * np.log(employees / 5)))
    amount = whole(turnover * 0.05 * generator.lognormal(-0.3, 0.9, len(turnover)))
    return np.where(happens(generator, chance), amount, 0)


def _weights(generator: np.random.Generator, employees: Integers) -> Floats:
    """Sampling weights: all large firms are in the sample, and few small ones, as in business surveys."""
    design = np.select(
        [employees >= 100, employees >= 50, employees >= 20, employees >= 10], [1.0, 2.0, 5.0, 9.0], 18.0
    )
    response = np.where(employees >= 100, 1.0, generator.uniform(1.0, 1.35, len(employees)))
    return np.round(design * response, 2)
