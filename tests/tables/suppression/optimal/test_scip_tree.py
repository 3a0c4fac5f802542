"""The tree of SCIP: the same cost and proof as the rounds of HiGHS, and no word of it taken on trust."""

import builtins
import json
import sys

import numpy as np
import pytest

import tables_at_hand
import tacita
from tacita import DataError
from tacita.cli import run_command
from tacita.core import RunContext
from tacita.tables.suppression.optimal.network_patterns import Builder
from tacita.tables.suppression.optimal.network_search import Search
from tacita.tables.suppression.optimal.optimal import Optimal
from twins.attacker import nothing_cheaper, protects
from twins.tables import pattern_of, random_grid

PROBLEMS = ("general", "exact", "interval")
HARD = {"shape": (12, 12), "primaries": 6, "largest": 200, "cost": "value", "lower": 50, "upper": 50}


@pytest.fixture
def bare_root(monkeypatch):
    """No cut and no better pattern before the tree: it has to find and prove everything itself."""

    def relax(self, _=0):
        while self.master.solve() and self.price():
            pass

    monkeypatch.setattr(Search, "relax", relax)
    monkeypatch.setattr(Search, "follow", lambda *_: None)


@pytest.fixture
def tree(monkeypatch):
    """The class of trees, and how many were solved."""
    from tacita.tables.suppression.optimal.scip_tree import Tree

    honest, Tree.solved = Tree.solve, 0

    def counted(self):
        Tree.solved += 1
        honest(self)

    monkeypatch.setattr(Tree, "solve", counted)
    yield Tree
    del Tree.solved


def by_both(grid):
    """What each solver finds, or None where no pattern protects."""
    try:
        return [pattern_of(Optimal(solver=solver), grid) for solver in ("highs", "scip")]
    except DataError:
        return None


def same(one, two):
    return (one.cost, one.lower_bound, one.status) == (two.cost, two.lower_bound, two.status)


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("margins", [False, True])
def test_both_solvers_agree_in_cost_and_proof(problem, margins):
    for seed in range(8):
        options = {"margins": margins, "zeros": "withhold" if seed % 2 else None}
        if seed % 4 > 1:
            options |= {"lower": 10, "upper": 0, "sliding": 80}
        grid = random_grid(seed, problem, shape=(6 + seed % 3, 8), primaries=5, largest=60, **options)
        found = by_both(grid)
        if found is not None:
            assert same(*found)
            assert found[1].proven


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.usefixtures("bare_root")
def test_the_tree_alone_finds_the_least_pattern(problem, tree):
    for seed in range(20):
        grid = random_grid(seed, problem)
        try:
            found = pattern_of(Optimal(solver="scip"), grid)
        except DataError:
            continue
        assert found.proven
        assert protects(grid, found.withheld)
        assert nothing_cheaper(grid, found.cost), seed
    assert tree.solved > 3


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_tree_alone_agrees_with_the_whole_method(problem, tree, request):
    grids = [
        random_grid(seed, problem, shape=(8, 8), primaries=6, largest=60, margins=seed == 1)
        for seed in range(3)
    ]
    wanted = [pattern_of(Optimal(), grid) for grid in grids]
    request.getfixturevalue("bare_root")
    found = [pattern_of(Optimal(solver="scip"), grid) for grid in grids]
    assert all(map(same, wanted, found))
    assert tree.solved


@pytest.mark.usefixtures("bare_root")
def test_costs_that_are_not_whole_are_proven_too(tree):
    for seed in range(3):
        grid = random_grid(seed, "interval", shape=(6, 6), primaries=4, largest=60)
        cost = grid.cost * np.random.default_rng(seed).uniform(0.5, 1.5, grid.cost.shape)
        highs, scip = by_both(grid.priced(cost))
        assert scip.cost == pytest.approx(highs.cost, abs=1e-6)
        assert scip.proven
    assert tree.solved


@pytest.mark.usefixtures("bare_root")
def test_a_cell_that_costs_nothing_is_no_bridge_that_makes_others_dear(tree):
    for seed in range(6):
        grid = random_grid(seed, "exact", shape=(5, 5), primaries=3, largest=30)
        cost = np.where(np.random.default_rng(seed).random(grid.cost.shape) < 0.4, 0.0, grid.cost)
        found = by_both(grid.priced(cost))
        if found is not None:
            assert same(*found)
    assert tree.solved


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_best_pattern_that_the_tree_cannot_hold_is_its_limit(problem, tree, monkeypatch, request):
    grids = [random_grid(seed, problem, shape=(6, 6), primaries=4, largest=60) for seed in range(3)]
    wanted = [pattern_of(Optimal(), grid) for grid in grids]
    request.getfixturevalue("bare_root")
    give = tree.give
    # as where cells of the best were left out: SCIP is not told of it
    monkeypatch.setattr(tree, "give", lambda self, by: by is not None and give(self, by))
    found = [pattern_of(Optimal(solver="scip"), grid) for grid in grids]
    assert all(map(same, wanted, found))
    assert tree.solved


def test_same_table_same_pattern(tree):
    grid = random_grid(3, "interval", **HARD)
    one, two = (pattern_of(Optimal(solver="scip"), grid) for _ in range(2))
    assert tree.solved == 2
    assert np.array_equal(one.withheld, two.withheld)
    assert same(one, two)


@pytest.mark.usefixtures("bare_root")
def test_a_time_limit_ends_with_a_pattern_and_a_bound_below_it(tree):
    from tacita.tables.suppression.time_limit import measured_by

    ticks = iter(range(10**9))
    # a clock of its own, which stands until the tree: then each look is a second
    grid = random_grid(1, "interval", **{**HARD, "shape": (18, 18), "primaries": 10})
    with measured_by(lambda: float(next(ticks)) if tree.solved else 0.0):
        found = pattern_of(Optimal(seconds=5, solver="scip"), grid)
    assert tree.solved
    assert found.status == "time limit"
    assert 0 <= found.lower_bound < found.cost
    assert protects(grid, found.withheld)


@pytest.mark.usefixtures("bare_root")
def test_cancelling_stops_within_the_tree(tree):
    asked = []

    def cancelled():
        asked.append(tree.solved)
        return asked.count(1) > 3

    grid = random_grid(3, "interval", **HARD)
    with pytest.raises(tacita.Cancelled, match="while proving"):
        pattern_of(Optimal(solver="scip"), grid, RunContext(should_cancel=cancelled))
    assert tree.solved == 1
    assert asked.count(1) < 20


@pytest.mark.usefixtures("bare_root")
def test_an_error_within_the_tree_comes_out(tree, monkeypatch, capfd):
    def fail(*_):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(tree, "accepts", fail)
    with pytest.raises(ZeroDivisionError, match="planted"):
        pattern_of(Optimal(solver="scip"), random_grid(3, "interval", **HARD))
    assert capfd.readouterr() == ("", "")


def test_a_missing_package_is_said_to_be_missing(monkeypatch):
    honest = builtins.__import__

    def without(name, *rest):
        if name.startswith("pyscipopt"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return honest(name, *rest)

    for module in ("tacita.tables.suppression.optimal.scip_tree", "tacita.solvers.scip"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(tacita.ParameterError, match=r"pyscipopt is not installed\. Install tacita\[scip\]"):
        tacita.suppress(tables_at_hand.positive(1), "exact", solver="scip")


def test_an_unknown_solver_is_refused():
    with pytest.raises(tacita.ParameterError, match="solver"):
        tacita.suppress(tables_at_hand.positive(1), "exact", solver="glpk")


def forgetful(offer, least):
    """Patterns of few cells are lost."""

    def kept(self, pattern):
        few = pattern is not None and (pattern & ~self.network.primary).sum() <= least
        return False if few else offer(self, pattern)

    return kept


class TestWrongAnswers:
    @pytest.mark.usefixtures("bare_root")
    def test_patterns_that_do_not_protect_are_neither_kept_nor_called_proven(self, tree, monkeypatch):
        grid = random_grid(3, "interval", **HARD)
        least = pattern_of(Optimal(), grid).cost
        monkeypatch.setattr(tree, "accepts", lambda *_: True)
        found = pattern_of(Optimal(solver="scip"), grid)
        assert tree.solved
        assert protects(grid, found.withheld)
        assert found.lower_bound <= least

    @pytest.mark.parametrize("problem", PROBLEMS)
    @pytest.mark.usefixtures("bare_root")
    def test_a_cut_that_does_not_hold_is_refuted(self, problem, tree, monkeypatch):
        from scipy import sparse

        table = tables_at_hand.positive(1, (4, 4), 1)
        least = tacita.suppress(table, problem, solver="scip", accept_risks=True).secondary_count

        def too_much(_, x, *__):
            return sparse.csr_matrix(np.ones((1, len(x)))), np.array([least + 1.0])

        monkeypatch.setattr(tree, "separate", too_much)
        monkeypatch.setattr(Search, "offer", forgetful(Search.offer, least))
        with pytest.raises(tacita.VerificationError, match="bound it claims is wrong"):
            tacita.suppress(table, problem, solver="scip", accept_risks=True)

    @pytest.mark.usefixtures("bare_root")
    def test_a_bound_beyond_what_is_proven_is_refused(self, tree, monkeypatch):
        from pyscipopt import SCIP_RESULT

        # the first pattern is everything, and the tree is told that nothing is left to look at
        monkeypatch.setattr(Builder, "build", lambda self, *_: np.ones(self.network.edges, dtype=bool))
        monkeypatch.setattr(Builder, "clean", lambda _, chosen: chosen)
        monkeypatch.setattr(tree, "add_cuts", lambda *_: SCIP_RESULT.CUTOFF)
        with pytest.raises(tacita.VerificationError, match="bound it claims is wrong"):
            tacita.suppress(tables_at_hand.positive(1, (4, 4), 1), "exact", solver="scip")
        assert tree.solved


def test_the_command_line_takes_the_solver_and_the_record_names_it(tmp_path):
    cells = "".join(f"{r},{c},{10 + 3 * r + c * c},{int(r == c == 1)}\n" for r in range(4) for c in range(4))
    (tmp_path / "cells.csv").write_text("r,c,v,p\n" + cells)
    results = []
    for solver in ("highs", "scip"):
        words = ["suppress", str(tmp_path / "cells.csv"), "--rows", "r", "--columns", "c", "--value", "v"]
        words += ["--primary", "p", "--problem", "interval", "--solver", solver, "--quiet"]
        words += ["--out", str(tmp_path / f"{solver}.csv"), "--json", str(tmp_path / f"{solver}.json")]
        assert run_command(words) == 0
        results.append(json.loads((tmp_path / f"{solver}.json").read_text()))
    assert [result["parameters"]["solver"] for result in results] == ["highs", "scip"]
    assert results[0]["cost"] == results[1]["cost"]
    assert all(result["proven"] for result in results)
