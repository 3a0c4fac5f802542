"""Records of tau-ARGUS as records: what tables are made of, by the same metadata."""

import os
from pathlib import Path

import pyarrow as pa
import pytest

import tacita
from tacita import api
from tacita.core import DataError
from tacita.tables.plans.plan import TabulatePlan
from tacita.tables.rules import apply_rules
from tacita.tables.rules.concentration import Dominance, PPercent
from tacita.tables.rules.frequency import MinimumFrequency

LINES = "n1 food  400 a j\nn1 food   40 b n\nn2 food   90 d n\nn1 steel  60 g n\nn2 steel  52 k j\n"
VARIABLES = (
    "region 1 2\n  <RECODEABLE>\nsector 4 5\n  <RECODEABLE>\nturnover 9 4\n  <NUMERIC>\n"
    'holding 14 1\n  <HOLDING>\nasked 16 1\n  <REQUEST> "j"\n'
)


def test_a_table_of_the_records_is_the_table_of_their_plan(tmp_path):
    (tmp_path / "firms.asc").write_text(LINES)
    (tmp_path / "firms.rda").write_text(VARIABLES)
    data = tacita.read_tau_argus(tmp_path / "firms.asc", tmp_path / "firms.rda", shown_as="ours.asc")
    assert data.columns == ["region", "sector", "turnover", "holding", "asked"]
    assert data.source == "ours.asc"
    # whoever asks for protection is marked, by whatever code
    assert data.numbers("asked").tolist() == [1, 0, 0, 0, 1]
    rules = [{"name": "request"}]
    plan = TabulatePlan(
        input={"path": tmp_path / "firms.asc", "meta": tmp_path / "firms.rda"},
        table={"value": "turnover"},
        rules=rules,
        output={"path": tmp_path / "cells.csv"},
    )
    planned = api.look_at_table(plan).table
    made = tacita.tabulate(
        data,
        ["region", "sector"],
        "turnover",
        unit="holding",
        request="asked",
        rules=[api.get_method("request")],
    )
    assert made.values.tolist() == planned.values.tolist()
    assert made.primary.tolist() == planned.primary.tolist()


CELLS = "north;food;440;2;400;40\nnorth;steel;60;1;60;0\nsouth;food;90;1;90;0\nsouth;steel;52;1;52;0\n"
OF_CELLS = (
    '<SEPARATOR> ";"\nregion\n  <RECODEABLE>\nsector\n  <RECODEABLE>\nturnover\n  <NUMERIC>\n'
    "firms\n  <FREQUENCY>\ntop1\n  <MAXSCORE>\ntop2\n  <MAXSCORE>\n"
)
ARGUS = Path(os.environ.get("TACITA_SHARED", "nowhere"), "reference", "argus", "tau", "tableinput")


def refused_as_records(path, meta):
    """By every way that makes a table of records."""
    ways = (
        lambda: tacita.tabulate(path, ["region", "sector"], "turnover", meta=meta),
        lambda: tacita.read_tau_argus(path, meta),
        lambda: api.look_at_table(
            TabulatePlan(
                input={"path": path, "meta": meta},
                table={"value": "turnover"},
                rules=[{"name": "p-percent"}],
                output={"path": path.parent / "out.csv"},
            )
        ),
    )
    for way in ways:
        with pytest.raises(
            DataError, match=r"is a table, whose lines are cells .*FREQUENCY, MAXSCORE.*suppress"
        ):
            way()


def test_a_table_whose_cells_are_summed_already_is_not_read_as_records(tmp_path):
    # each cell would be one contributor, of the size of the cell
    (tmp_path / "cells.tab").write_text(CELLS)
    (tmp_path / "cells.rda").write_text(OF_CELLS)
    refused_as_records(tmp_path / "cells.tab", tmp_path / "cells.rda")


@pytest.mark.skipif(not ARGUS.is_dir(), reason="the example files of tau-ARGUS are not at hand")
def test_nor_is_the_example_of_tau_argus():
    refused_as_records(ARGUS / "pp.tab", ARGUS / "pp.rda")


def test_rules_look_at_the_counts_and_largest_contributions_of_such_a_table(tmp_path):
    (tmp_path / "cells.tab").write_text(CELLS)
    (tmp_path / "cells.rda").write_text(OF_CELLS)
    table = tacita.read_table(tmp_path / "cells.tab")
    assert not table.judged
    marked = apply_rules(table, [PPercent(p=15)])
    assert marked.judged
    assert [marked.label(cell) for cell in (marked.primary & marked.inner).nonzero()[0]] == [
        ("north", "food"),
        ("north", "steel"),
        ("south", "food"),
        ("south", "steel"),
    ]


def test_a_rule_about_sizes_is_refused_where_only_numbers_of_contributors_are_known(tmp_path):
    # a largest contribution of 0 would make no cell sensitive
    (tmp_path / "cells.tab").write_text("\n".join(line.rsplit(";", 2)[0] for line in CELLS.splitlines()))
    (tmp_path / "cells.rda").write_text(OF_CELLS.partition("top1")[0])
    table = tacita.read_table(tmp_path / "cells.tab")
    with pytest.raises(DataError, match="Dominance: wanted the largest contributions"):
        apply_rules(table, Dominance(n=1, k=70))
    assert int((apply_rules(table, MinimumFrequency(threshold=2)).primary & table.inner).sum()) == 3


def test_a_list_of_cells_is_not_summed_up_again(tmp_path):
    frame = {"region": ["n", "n", "s"], "sector": ["a", "b", "a"], "turnover": [5, 3, 2]}
    table = tacita.tabulate(pa.table(frame), ["region", "sector"], "turnover")
    tacita.save_cells(table, tmp_path / "cells.csv")
    with pytest.raises(DataError, match=r"cells\.csv: this is a list of cells"):
        tacita.tabulate(tmp_path / "cells.csv", ["region", "sector"], "turnover")
