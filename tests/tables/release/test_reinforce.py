"""A pattern does not lean on cells that one contributor knows, as far as any pattern can do without."""

import numpy as np
import pytest

import tacita
from table_commands import NAMED, outcome, write_cells
from tables_at_hand import counted
from tacita.cli import run_command
from tacita.core import Table
from tacita.tables.verify.audit import audit

PROBLEMS = ("general", "exact", "interval")
REGIONS = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
SENSITIVE = np.array(REGIONS) == 15


def some_seeds(all_of_them, first):
    """The first of them for `make test`, the rest for `make test-long`."""
    later = [pytest.param(seed, marks=pytest.mark.long) for seed in range(first, all_of_them)]
    return [*range(first), *later]


def regions(alone):
    """The table of the source, with one contributor in some cells."""
    counts = np.full((3, 3), 5)
    for place in alone:
        counts[place] = 1
    return counted(Table.from_array(REGIONS, primary=SENSITIVE), counts)


def told(found):
    return {each.reason for each in found.failures}


def test_the_pattern_of_the_source_is_not_taken_where_it_leans_on_someone_alone():
    plain = tacita.suppress(regions([]), problem="exact")
    assert (plain.cost, plain.proven) == (34, True)
    # III / A is part of it: who is alone there would compute II / A, and so II / B
    table = regions([(2, 0)])
    assert told(audit(table, plain, "exact", strict=True)) == {"known to a lone contributor"}
    pattern = tacita.suppress(table, problem="exact")
    assert audit(table, pattern, "exact", strict=True).safe
    # II / C, III / B and III / C do without III / A: the least there is
    assert (pattern.cost, pattern.lone_count) == (84, 2)


def test_nothing_is_added_where_nobody_is_alone_in_the_pattern():
    pattern = tacita.suppress(regions([(0, 0), (0, 2)]), problem="exact")
    assert (pattern.cost, pattern.proven) == (34, True)
    assert (pattern.problem_cost, pattern.lone_cost, pattern.lone_count) == (34, 0, 0)


def test_the_proof_speaks_of_the_problem_and_not_of_what_lone_contributors_add():
    pattern = tacita.suppress(regions([(2, 0)]), problem="exact")
    assert (pattern.problem_cost, pattern.lower_bound, pattern.gap, pattern.status) == (34, 34, 0, "optimal")
    assert (pattern.cost, pattern.lone_cost, pattern.proven) == (84, 50, True)


@pytest.mark.parametrize("seed", some_seeds(10, 6))
@pytest.mark.parametrize("method", ["optimal", "network", "hypercube"])
def test_what_is_told_of_the_problem_is_true_of_the_problem_alone(method, seed):
    generator = np.random.default_rng(seed)
    shape = tuple(generator.integers(3, 6, 2))
    values = generator.integers(5, 60, size=shape).astype(float)
    primary = generator.permutation(values.size).reshape(shape) < 3
    levels = np.where(primary, 0.2 * values, 0.0)
    plain = Table.from_array(values, primary=primary, lower=levels, upper=levels)
    pattern = tacita.suppress(
        counted(plain, np.where(generator.random(shape) < 0.4, 1, 4)), "interval", method
    )
    alone = tacita.suppress(plain, "interval", method)
    least = tacita.suppress(plain, "interval", "optimal")
    assert least.proven
    # no pattern for the problem costs less than the bound, and one that costs no more than told is known
    assert pattern.lower_bound <= least.cost + 1e-6 <= pattern.problem_cost + 2e-6
    assert pattern.problem_cost <= alone.cost + 1e-9
    assert pattern.cost == pytest.approx(pattern.problem_cost + pattern.lone_cost)
    assert (pattern.lone_cost > 0) == (pattern.lone_count > 0)


def test_a_command_tells_the_proven_part_from_that_of_lone_contributors(tmp_path, capsys):
    counts = np.full((3, 3), 5)
    counts[2, 0] = 1
    source = write_cells(tmp_path / "cells.csv", REGIONS, SENSITIVE, {"firms": counts})
    words = ["suppress", str(source), *NAMED, "--problem", "exact", "--out", str(tmp_path / "published.csv")]
    words += ["--json", str(tmp_path / "result.json"), "--report", str(tmp_path / "report.html")]
    assert run_command([*words, "--contributors", "firms", "--force"]) == 0
    assert (
        "cost 84: 34 for exact protection (proven to be the least) and 50 for 2 cells more against "
        "singletons and known sums (without a bound)"
    ) in capsys.readouterr().out
    told = outcome(source)
    assert (told["cost"], told["problem_cost"], told["lone_cost"], told["lone_count"]) == (84, 34, 50, 2)
    assert (told["lower_bound"], told["gap"], told["proven"], told["status"]) == (34, 0, True, "optimal")
    page = (tmp_path / "report.html").read_text()
    assert "<dt>of it for exact protection</dt><dd>34</dd>" in page
    assert "<dt>of it against singletons and known sums</dt><dd>50</dd>" in page
    assert "<dt>gap for exact protection</dt><dd>0<small> %</small></dd>" in page
    assert "<dt>proven to be least for exact protection</dt><dd>yes</dd>" in page
    assert "2 cells more are suppressed so that no singleton comes too close" in page


def test_someone_alone_in_the_sensitive_cell_itself_changes_nothing():
    assert tacita.suppress(regions([(1, 1)]), problem="exact").cost == 34


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("seed", some_seeds(8, 5))
def test_what_remains_known_to_someone_alone_would_be_whatever_is_withheld(problem, seed):
    generator = np.random.default_rng(seed)
    shape = tuple(generator.integers(3, 6, 2))
    values = generator.integers(5, 60, size=shape).astype(float)
    primary = np.zeros(values.size, dtype=bool)
    primary[generator.choice(values.size, 3, replace=False)] = True
    plain = Table.from_array(values, primary=primary.reshape(shape), lower=20, upper=20)
    table = counted(plain, np.where(generator.random(shape) < 0.3, 1, 4))
    pattern = tacita.suppress(table, problem=problem, accept_risks=True)
    seen = table.with_bounds(-np.inf, np.inf) if problem == "general" else table
    left = {each.cell for each in audit(seen, pattern, problem, strict=True).failures}
    everything = table.primary | ~table.forced
    anyway = {each.cell for each in audit(seen, everything, problem, strict=True).failures}
    assert left <= anyway
    without = tacita.suppress(plain, problem=problem, accept_risks=True)
    assert pattern.lower_bound == pytest.approx(without.lower_bound)
    assert pattern.cost >= without.cost - 1e-9


def test_one_holder_alone_in_several_cells_knows_them_all():
    holders = np.full(16, -1)
    table = regions([(1, 0), (2, 2)])
    holders[[4, 10]] = 7
    both = counted(table, table.contributors.count.reshape(4, 4)[:3, :3], holders)
    for each in (table, both):
        pattern = tacita.suppress(each, problem="exact")
        assert audit(each, pattern, "exact", strict=True).safe


def test_what_cannot_be_helped_is_a_warning_and_refused_if_strict():
    values = [[5, 3], [2, 4]]
    table = counted(Table.from_array(values, primary=[[True, False], [False, False]]), [[4, 4], [4, 1]])
    pattern = tacita.suppress(table, problem="exact")
    assert [each.name for each in audit(table, pattern, "exact").warnings] == ["lone-contributors"]
    with pytest.raises(tacita.VerificationError, match="known to a lone contributor"):
        tacita.suppress(table, problem="exact", strict=True)


def test_a_list_of_cells_may_say_how_many_stand_behind_each(tmp_path, capsys):
    counts = np.full((3, 3), 5)
    counts[2, 0] = 1
    source = write_cells(tmp_path / "cells.csv", REGIONS, SENSITIVE, {"firms": counts})
    words = ["suppress", str(source), *NAMED, "--problem", "exact", "--out", str(tmp_path / "published.csv")]
    words += ["--json", str(tmp_path / "result.json")]
    assert run_command(words) == 0
    assert outcome(source)["cost"] == 34
    assert run_command([*words, "--contributors", "firms", "--force"]) == 0
    assert outcome(source)["cost"] > 34
    assert outcome(source)["lone_count"] > 0
    audited = [
        "audit",
        str(source),
        str(tmp_path / "published.csv"),
        *NAMED,
        "--problem",
        "exact",
        "--strict",
    ]
    assert run_command([*audited, "--contributors", "firms"]) == 0
    source.write_text(source.read_text().replace(",1\n", ",1.5\n"))
    assert run_command([*words, "--contributors", "firms", "--force"]) == 1
    assert "must be whole" in capsys.readouterr().err
