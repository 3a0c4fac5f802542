"""How often a pattern is attacked on its way out: once, whoever asks, and then its bytes are read back."""

import json
from collections import Counter

import numpy as np
import pytest

import tables_at_hand
import tacita
from table_commands import REGIONS, suppress, write_cells
from tacita.api import run_table
from tacita.tables.plans.plan import TablePlan, TabulatePlan
from tacita.tables.verify import audit as module

MIDDLE = np.arange(9).reshape(3, 3) == 4


@pytest.fixture
def attacks(monkeypatch):
    """How often each table, mask and problem was attacked whole."""
    found, honest = Counter(), module._attack

    def counted(judge, attacker, mask, run, **asked):
        table = judge.table
        found[judge.problem, mask.tobytes(), table.low.tobytes(), table.high.tobytes()] += 1
        return honest(judge, attacker, mask, run, **asked)

    monkeypatch.setattr(module, "_attack", counted)
    return found


def named(**sections):
    return {
        "table": {"rows": "activity", "columns": "region", "value": "turnover", "primary": "sensitive"},
        "suppress": {"problem": "exact"},
        **sections,
    }


@pytest.mark.parametrize(("problem", "known"), [("exact", 1), ("interval", 1), ("general", 2)])
def test_the_command_attacks_once_and_once_more_with_what_is_known_of_signs(
    tmp_path, attacks, problem, known
):
    cells = write_cells(tmp_path / "cells.csv", REGIONS.values(), MIDDLE)
    assert suppress(cells, "--problem", problem, "--insist") == 0
    assert set(attacks.values()) == {1}
    assert len(attacks) == known
    assert json.loads((tmp_path / "result.json").read_text())["safe"]


def test_a_pattern_that_is_saved_is_attacked_once(tmp_path, attacks):
    table = tables_at_hand.positive(1)
    pattern = tacita.suppress(table, "exact")
    attacks.clear()
    tacita.save_table(table, pattern, tmp_path / "t.csv", json_report=tmp_path / "t.json")
    assert list(attacks.values()) == [1]


def test_a_plan_is_attacked_once_of_cells_and_of_records(tmp_path, attacks):
    cells = write_cells(tmp_path / "cells.csv", REGIONS.values(), MIDDLE)
    run_table(TablePlan(input={"path": cells}, output={"path": tmp_path / "t.csv"}, **named()))
    assert list(attacks.values()) == [1]
    attacks.clear()
    (tmp_path / "firms.csv").write_text("r,s,v\n" + "a,x,9\na,y,8\nb,x,7\nb,y,6\n" * 4 + "a,x,900\n")
    plan = TabulatePlan(
        input={"path": tmp_path / "firms.csv"},
        table={"dimensions": ["r", "s"], "value": "v"},
        rules=[{"name": "dominance"}],
        suppress={"problem": "interval", "margins": True},
        output={"path": tmp_path / "p.csv"},
    )
    assert run_table(plan).claim.pattern.withheld.any()
    assert list(attacks.values()) == [1]
