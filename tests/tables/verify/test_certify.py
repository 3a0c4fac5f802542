"""The second opinion on bounds: it refutes exactly the bounds that lie above the least cost."""

from itertools import combinations

import numpy as np
import pytest

from planting import spelled
from tacita.core import Pattern, Table, VerificationError
from tacita.tables.verify import certify
from tacita.tables.verify.protection_criteria import check_levels
from twins import attack

PROBLEMS = ["general", "exact", "interval"]


def small(seed, problem, sides=("lower", "upper")):
    """Two rows of three cells, one or two of them sensitive; sums are published."""
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 20, (2, 3)).astype(float)
    primary = np.zeros(6, dtype=bool)
    primary[rng.choice(6, 1 + seed % 2, replace=False)] = True
    level = np.where(primary, rng.integers(1, 5, 6), 0).reshape(2, 3).astype(float)
    table = Table.from_array(
        values,
        primary=primary.reshape(2, 3),
        cost=rng.integers(1, 9, (2, 3)).astype(float),
        bounds=(-np.inf, np.inf) if problem == "general" else (0.0, np.inf),
        margins=False,
        **dict.fromkeys(sides, level),
    )
    check_levels(table, problem)
    return table


def protecting(table, problem):
    """Every pattern that protects, by plain linear programmes, with its cost."""
    sensitive = np.flatnonzero(table.primary).tolist()
    spare = np.flatnonzero(~table.primary & ~table.forced).tolist()
    for count in range(len(spare) + 1):
        for chosen in combinations(spare, count):
            mask = np.zeros(table.n, dtype=bool)
            mask[[*sensitive, *chosen]] = True
            if attack.is_safe(table, mask, problem):
                yield float(table.cost[list(chosen)].sum()), mask


def cases():
    for problem in PROBLEMS:
        sides = [("lower", "upper"), ("sliding",), ("upper",)] if problem == "interval" else [()]
        yield from ((problem, side, seed) for side in sides for seed in range(3))


@pytest.mark.parametrize(("problem", "sides", "seed"), list(cases()), ids=spelled)
def test_a_bound_is_refuted_exactly_where_a_cheaper_pattern_protects(problem, sides, seed):
    table = small(seed, problem, sides)
    found = sorted(protecting(table, problem), key=lambda each: each[0])
    least = found[0][0]
    assert not certify._below(table, problem, least - 0.5)
    assert certify._below(table, problem, least + 0.5)
    for cost, mask in found:
        pattern = Pattern.of(table, mask, problem=problem)
        fewer = [np.flatnonzero(mask & ~other) for _, other in found if not (other & ~mask).any()]
        spared = [float(table.cost[cells[0]]) for cells in fewer if cells.size == 1]
        for cheaper in (cost - 0.5, *(cost - each + 0.5 for each in spared)):
            needless = any(cost - each <= cheaper for each in spared)
            assert certify._needless(table, pattern, cheaper) == needless


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_claim_above_the_least_cost_is_refused_and_one_at_it_is_not(problem):
    table = small(0, problem)
    found = sorted(protecting(table, problem), key=lambda each: each[0])
    least, best = found[0]
    certify.check_lower_bound(table, Pattern.of(table, best, least, problem=problem))
    cost, dear = found[-1]
    assert cost > least
    certify.check_lower_bound(table, Pattern.of(table, dear, least, problem=problem))
    certify.check_lower_bound(table, Pattern.of(table, dear, problem=problem))
    with pytest.raises(VerificationError, match="the bound it claims is wrong"):
        certify.check_lower_bound(table, Pattern.of(table, dear, least + 1, problem=problem, method="a liar"))


@pytest.mark.parametrize("problem", PROBLEMS)
def test_protection_is_what_plain_linear_programmes_say_of_every_pattern(problem):
    table = small(2, problem)
    safe = {tuple(mask.tolist()) for _, mask in protecting(table, problem)}
    spare = np.flatnonzero(~table.primary & ~table.forced)
    for number in range(2**spare.size):
        mask = table.primary.copy()
        mask[spare] = (number >> np.arange(spare.size)) & 1 == 1
        assert certify.protects(table, mask, problem) == (tuple(mask.tolist()) in safe)


def test_a_circuit_too_narrow_for_the_level_is_not_taken_for_a_cheaper_pattern():
    values, level = np.full((2, 3), 20.0), np.zeros((2, 3))
    # the cheap circuit goes through a cell that can fall by 1 only
    values[0, 1], level[0, 0] = 1.0, 5.0
    cost = np.array([[1.0, 1.0, 5.0], [1.0, 1.0, 5.0]])
    table = Table.from_array(values, primary=level > 0, lower=level, upper=level, cost=cost, margins=False)
    least = min(each for each, _ in protecting(table, "interval"))
    assert least == 11
    assert not certify._below(table, "interval", 10.5)
    assert certify._below(table, "interval", 11.0)
    assert certify._below(table, "interval", 11.5)
