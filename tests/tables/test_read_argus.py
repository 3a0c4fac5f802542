"""Records of tau-ARGUS as records: what tables are made of, by the same metadata."""

import tacita
from tacita import api
from tacita.tables.plan import TabulatePlan

LINES = "n1 food  400 a j\nn1 food   40 b n\nn2 food   90 d n\nn1 steel  60 g n\nn2 steel  52 k j\n"
VARIABLES = (
    "region 1 2\n  <RECODEABLE>\nsector 4 5\n  <RECODEABLE>\nturnover 9 4\n  <NUMERIC>\n"
    'holding 14 1\n  <HOLDING>\nasked 16 1\n  <REQUEST> "j"\n'
)


def test_a_table_of_the_records_is_the_table_of_their_plan(tmp_path):
    (tmp_path / "firms.asc").write_text(LINES)
    (tmp_path / "firms.rda").write_text(VARIABLES)
    data = tacita.read_argus(tmp_path / "firms.asc", tmp_path / "firms.rda", shown_as="ours.asc")
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
        rules=[api.method("request")],
    )
    assert made.values.tolist() == planned.values.tolist()
    assert made.primary.tolist() == planned.primary.tolist()
