import numpy as np
import pytest

import tacita
from tacita.microdata.plans.plan import Plan
from tacita.microdata.plans.sections import ProtectSection


def data(n=60):
    return np.random.default_rng(0).normal(size=(n, 3))


def test_each_method_improves_the_partition_of_the_one_before():
    x = data()
    first = tacita.get_method("mdav", k=3).partition(x)
    second = tacita.get_method("gsms-t2", k=3).partition(x, start=first)
    chain = ProtectSection(method=["mdav", "gsms-t2"], k=3).build()
    assert np.array_equal(chain.partition(x).labels, second.labels)
    assert second.sse(x) <= first.sse(x)


def test_a_list_and_names_with_plus_or_comma_say_the_same():
    spelled = [ProtectSection(method=m, k=4) for m in (["mdav", "gsms-t2"], "mdav+gsms-t2", "mdav,gsms-t2")]
    assert spelled[0] == spelled[1] == spelled[2]
    assert spelled[0].chain == ("mdav", "gsms-t2")
    assert spelled[0].build().own_parameters()["k"] == 4


def test_only_methods_that_improve_may_follow():
    with pytest.raises(tacita.ParameterError, match="MDAV makes a partition of its own"):
        ProtectSection(method=["gsms", "mdav"])
    with pytest.raises(tacita.ParameterError, match="cannot improve one"):
        tacita.get_method("mdav").partition(data(), start=tacita.get_method("mdav").partition(data()))


def test_a_parameter_that_no_method_of_the_chain_has_is_refused():
    with pytest.raises(tacita.ParameterError, match="there is no parameter bogus"):
        ProtectSection(method=["mdav", "gsms-t2"], bogus=1)


def test_a_chain_survives_the_plan_file_and_stands_in_the_record():
    plan = Plan.from_toml(
        'version = 1\n[input]\npath = "a.csv"\n[roles]\nquasi = ["x"]\n'
        '[protect]\nmethod = ["mdav", "gsms-t2"]\nk = 5\n[output]\npath = "b.csv"\n'
    )
    assert Plan.from_toml(plan.to_toml()) == plan
    import pyarrow as pa

    release = tacita.protect(pa.table({"x": data()[:, 0]}), quasi="x", method=["mdav", "gsms-t2"], k=5)
    assert release.record.method == ("mdav", "gsms-t2")
    assert min(release.record.group_sizes) >= 5


def test_a_start_that_does_not_fit_is_refused():
    short = tacita.Partition(np.arange(60) // 2, 2)
    with pytest.raises(
        tacita.DataError, match="wanted a start partition of 60 records in groups of at least 3"
    ):
        tacita.get_method("gsms-t2", k=3).partition(data(), start=short)


def test_units_hold_through_a_chain_even_from_a_start_without_them():
    x, units = data(), np.arange(60) // 4
    found = ProtectSection(method=["mdav", "gsms-t2"], k=3).build().partition(x, units=units)
    blind = tacita.get_method("mdav", k=3).partition(x)
    mended = tacita.get_method("gsms-t2", k=3).partition(x, units=units, start=blind)
    for labels in (found.labels, mended.labels):
        assert min(len(set(units[labels == g].tolist())) for g in range(labels.max() + 1)) >= 3


def test_chains_run_from_the_command_line(tmp_path):
    from tacita.cli import run_command

    (tmp_path / "in.csv").write_text("a\n" + "\n".join(str(i * i % 97) for i in range(40)) + "\n")
    words = [
        "protect",
        str(tmp_path / "in.csv"),
        "--out",
        str(tmp_path / "out.csv"),
        "--quasi",
        "a",
        "--k",
        "4",
    ]
    assert run_command([*words, "--method", "mdav+gsms-t2"]) == 0


def test_what_comes_then_joins_the_chain():
    assert ProtectSection(method="kc", then="MHM") == ProtectSection(method="kc+mhm")
    assert ProtectSection(then=["mhm", "dfo"]).chain == ("mdav", "mhm", "dfo")
    with pytest.raises(tacita.ParameterError, match="makes a partition of its own"):
        ProtectSection(method="kc", then="mdav")
    with pytest.raises(tacita.ParameterError, match="noise cannot be part of a chain"):
        ProtectSection(method="noise", then="mhm")
