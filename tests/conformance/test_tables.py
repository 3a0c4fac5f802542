"""The laws of every method of suppression and of every rule."""

import numpy as np
import pytest

import tables_at_hand
import tacita
from tacita import registry
from tacita.core import Run


@pytest.mark.parametrize("name", registry.names("suppression"))
class TestEverySuppression:
    def test_protects_by_the_audit_with_a_bound_below_its_cost(self, name):
        for problem in tacita.method(name).problems:
            for seed in range(3):
                table = tables_at_hand.positive(seed)
                pattern = tacita.suppress(table, problem=problem, method=name)
                assert tacita.audit(table, pattern).safe
                assert 0 <= pattern.lower_bound <= pattern.cost * (1 + 1e-9)
                assert pattern.cost == table.cost[pattern.secondary].sum()

    def test_the_same_table_gives_the_same_pattern(self, name):
        for problem in tacita.method(name).problems:
            one, two = (tacita.suppress(tables_at_hand.positive(7), problem, name) for _ in range(2))
            assert np.array_equal(one.withheld, two.withheld)
            assert (one.cost, one.lower_bound) == (two.cost, two.lower_bound)

    def test_refuses_a_problem_it_is_not_made_for_by_name(self, name):
        made = tacita.method(name).problems
        assert made
        for problem in {"general", "exact", "interval"} - set(made):
            with pytest.raises(tacita.ParameterError, match=f"got {problem}"):
                tacita.suppress(tables_at_hand.positive(1), problem, name)

    def test_declares_the_shapes_it_takes_and_refuses_others_by_name(self, name):
        method = tacita.method(name)
        assert method.shapes
        assert method.fits(tables_at_hand.positive(1))
        cube, _ = tables_at_hand.made("cube", "exact", 1)
        if not method.fits(cube):
            with pytest.raises(tacita.ParameterError, match=f"{method.spoken_name()}: withholds in two-way"):
                method.suppress(cube, method.problems[0])

    def test_no_sensitive_cell_means_nothing_is_withheld(self, name):
        table = tacita.Table.from_array([[3, 4], [5, 6]])
        pattern = tacita.suppress(table, tacita.method(name).problems[0], name)
        assert (int(pattern.withheld.sum()), pattern.cost, pattern.proven) == (0, 0, True)

    def test_cancelling_stops(self, name):
        problem = tacita.method(name).problems[0]
        with pytest.raises(tacita.Cancelled):
            tacita.suppress(tables_at_hand.positive(1), problem, name, run=Run(cancelled=lambda: True))

    def test_runs_from_the_command_line_and_declares_its_options(self, name, tmp_path, capsys):
        from tacita.cli import run_command

        cells = "".join(
            f"{r},{c},{10 + 3 * r + c * c},{int(r == c == 1)}\n" for r in range(4) for c in range(4)
        )
        (tmp_path / "cells.csv").write_text("r,c,v,p\n" + cells)
        words = [
            "suppress",
            str(tmp_path / "cells.csv"),
            "--out",
            str(tmp_path / "out.csv"),
            "--method",
            name,
        ]
        words += ["--rows", "r", "--columns", "c", "--value", "v", "--primary", "p"]
        assert run_command([*words, "--problem", tacita.method(name).problems[0]]) == 0
        assert run_command(["suppress", "--method", name, "--help"]) == 0
        shown = capsys.readouterr().out
        own = set(registry.lookup(name, "suppression").model_fields) - {"seconds"}
        assert all("--" + field.replace("_", "-") in shown for field in own)


FIRMS = {"dimensions": ["region", "size"], "value": "turnover", "request": "asked"}


@pytest.mark.parametrize("name", registry.names("rule"))
class TestEveryRule:
    def test_flags_the_same_cells_with_finite_levels_every_time(self, name):
        firms = tables_at_hand.firms()
        rule = tacita.method(name, **tables_at_hand.RULES.get(name, {}))
        one, two = (tacita.tabulate(firms, **FIRMS, rules=rule) for _ in range(2))
        assert np.array_equal(one.primary, two.primary)
        for level in (one.lower, one.upper, one.sliding):
            assert np.isfinite(level).all()
            assert (level >= 0).all()
        assert one.rules == (rule,)

    def test_what_it_flags_can_be_withheld_and_audited(self, name):
        rule = tacita.method(name, **tables_at_hand.RULES.get(name, {}))
        table = tacita.tabulate(tables_at_hand.firms(), **FIRMS, rules=rule)
        assert table.primary.any()
        pattern = tacita.suppress(table, "interval", zeros="withhold")
        assert tacita.audit(table, pattern).safe

    def test_declares_its_options_on_the_command_line(self, name, capsys):
        from tacita.cli import run_command

        assert run_command(["tabulate", "--rule", name, "--help"]) == 0
        shown = capsys.readouterr().out
        own = set(registry.lookup(name, "rule").model_fields) - {"cells"}
        assert all("--" + field.replace("_", "-") in shown for field in own)
