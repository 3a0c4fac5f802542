"""Names of the registry, in any case; what plans and records keep is the name as the registry spells it."""

import json
from importlib.metadata import EntryPoint, EntryPoints

import numpy as np
import pyarrow as pa
import pytest

import tacita
from tacita import ParameterError, registry
from tacita.cli import run_command
from tacita.core import Report, Score
from tacita.microdata.plans.plan import Plan
from tacita.microdata.plans.requirements import RequireSection
from tacita.microdata.plans.sections import CompareSection, MeasureSection, ProtectSection
from tacita.tables.plans.sections import RuleSection, SuppressSection
from tacita.tables.rules.rule_syntax import rule_sections

FRAME = pa.table({"x": np.arange(12.0), "town": ["a"] * 6 + ["b"] * 6})


@pytest.fixture
def plugged_in(monkeypatch):
    """A plug-in whose name differs from another in capital letters alone."""

    hm = "tacita.microdata.methods.microaggregation.mhm:HM"
    points = EntryPoints([EntryPoint("MDAV", hm, "tacita.microaggregation")])
    monkeypatch.setattr(registry, "entry_points", lambda: points)
    registry.locations.cache_clear()
    yield
    registry.locations.cache_clear()


def test_dir_lists_the_public_names():
    assert dir(tacita) == sorted(tacita.__all__)
    assert all(hasattr(tacita, name) for name in dir(tacita))


@pytest.mark.parametrize("kind", list(registry.BUILT_IN))
def test_every_name_is_found_in_any_case(kind):
    for name in registry.names(kind):
        for written in (name.upper(), name.lower(), name.title()):
            assert registry.canonical(written, kind) == registry.canonical(written) == name
            assert registry.lookup(written, kind) is registry.lookup(name, kind)


@pytest.mark.usefixtures("plugged_in")
def test_an_exact_name_is_taken_first_and_one_that_may_be_either_is_refused_with_both():
    assert registry.lookup("mdav").__name__ == "MDAV"
    assert registry.lookup("MDAV").__name__ == "HM"
    with pytest.raises(ParameterError, match="'Mdav' may be mdav or MDAV"):
        tacita.get_method("Mdav", k=3)
    with pytest.raises(ParameterError, match="may be mdav or MDAV"):
        ProtectSection(method="Mdav", k=3)


def test_a_name_that_is_unknown_in_any_case_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match=r"named 'Mdaw'\. Did you mean mdav"):
        tacita.get_method("Mdaw")


def test_sections_of_plans_keep_the_canonical_name():
    assert ProtectSection(method="Mdav", k=3) == ProtectSection(method="mdav", k=3)
    assert ProtectSection(method=["MDAV", "Gsms-T2"], k=3).method == "mdav+gsms-t2"
    assert CompareSection(method=["MDAV", "Hm"], loss="il1", risk="dld", k=[3]) == CompareSection(
        method=["mdav", "hm"], loss="IL1", risk="DLD", k=[3]
    )
    measures = MeasureSection(names=["il1", "dbrl"], without=["Pil"], settings={"Dbrl": {"attributes": [1]}})
    assert measures.names == ("IL1", "DBRL")
    assert measures.without == ("PIL",)
    assert list(measures.settings) == ["DBRL"]
    required = RequireSection(K_Anonymity={"k": 3, "keys": ["town"]}, dbrl=20)
    assert [each.name for each in required.requirements] == ["k_anonymity", "DBRL"]
    assert SuppressSection(problem="exact", method="Optimal").method == "optimal"
    assert RuleSection(name="P-Percent", p=15).name == "p-percent"
    assert rule_sections(["PQ"]) == [{"name": "pq"}]


def test_one_name_in_two_cases_counts_as_named_twice():
    with pytest.raises(ParameterError, match="method is given twice"):
        CompareSection(method=["mdav", "MDAV"])
    with pytest.raises(ParameterError, match="IL1 is named twice"):
        MeasureSection(names=["IL1", "il1"])
    with pytest.raises(ParameterError, match="DBRL is named twice"):
        MeasureSection(settings={"DBRL": {}, "dbrl": {}})
    with pytest.raises(ParameterError, match="DBRL is named twice"):
        RequireSection(DBRL=20, dbrl=10)


def test_all_measures_can_be_asked_for_and_never_left_out():
    assert len(MeasureSection(names=["all"]).build()) == len(registry.names(*registry.MEASURING))
    with pytest.raises(ParameterError, match="named 'all'"):
        MeasureSection(without=["all"])


def test_a_recoding_in_any_case_takes_its_columns_for_categories():
    recoded = {"quasi": ["town"], "map": {"town": {"a": "c", "b": "c"}}}
    plain, shouted = (
        tacita.protect(FRAME, method=name, measures=["CATEGORIES"], **recoded)
        for name in ("recode", "RECODE")
    )
    assert shouted.record.method == ("recode",)
    assert shouted.data.equals(plain.data)


def test_records_keep_the_canonical_name_and_reports_find_it_in_any_case():
    release = tacita.protect(FRAME, quasi="x", method="MDAV", k=3, measures=["il1"])
    assert release.record.method == ("mdav",)
    assert release.report["il1"] is release.report["IL1"]
    both = Report((Score(name="a", value=1.0), Score(name="A", value=2.0)))
    assert both["A"].value == 2.0
    table = tacita.Table.from_array([[5, 3], [2, 4]], primary=[[1, 0], [0, 0]])
    assert tacita.suppress(table, problem="exact", method="Network").method == "network"


def test_the_command_line_takes_names_in_any_case(tmp_path, capsys):
    source, out, plan = (tmp_path / name for name in ("in.csv", "out.csv", "plan.toml"))
    source.write_text("x\n" + "\n".join(str(value) for value in range(12)) + "\n")
    words = ["protect", str(source), "--out", str(out), "--quasi", "x", "--method", "MDAV", "--k", "4"]
    assert run_command([*words, "--measures", "il1", "--save-plan", str(plan), "--quiet"]) == 0
    saved = Plan.load(plan)
    assert saved.protect.method == "mdav"
    assert saved.measure.names == ("IL1",)
    assert run_command(["methods", "Mdav", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "mdav"
