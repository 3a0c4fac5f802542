"""HM and MHM: no cut of a column loses less; MHM as a second phase, after any method and by every way in."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import MANY
from tacita.cli import run_command
from tacita.core import RunContext
from tacita.microdata.plans.plan import Plan
from twins.segments import best_partition_sse, best_segmentation_sse

MHM = tacita.get_method("mhm")


def records(n=60, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize(("first", "joined"), [("mdav", "mdav-mhm"), ("cbfs", "cbfs-mhm")])
@given(seed=st.integers(0, 100), n=st.integers(12, 60), k=st.integers(2, 4))
def test_after_a_method_it_gives_what_both_give_in_one(first, joined, seed, n, k):
    x = records(n, 2, seed)
    groups = tacita.get_method(first, k=k).partition(x)
    found = tacita.get_method("mhm", k=k).partition(x, start=groups)
    assert np.array_equal(found.labels, tacita.get_method(joined, k=k).partition(x).labels)


@pytest.mark.parametrize("first", ["md", "kc", "mst-d", "projection", "clustered", "kward"])
def test_after_any_method_it_loses_no_more_and_keeps_the_sizes(first):
    x = records()
    groups = tacita.get_method(first, k=3).partition(x)
    found = MHM.partition(x, start=groups)
    assert found.sse(x) <= groups.sse(x) * (1 + 1e-12)
    assert found.sizes.min() >= 3
    assert found.sizes.max() <= 5


def test_it_mends_groups_that_are_given_however_bad():
    x = records()
    found = MHM.partition(x, start=tacita.Partition(np.arange(60) % 4, 3))
    assert found.sse(x) < tacita.Partition(np.arange(60) % 4, 3).sse(x)
    assert found.sizes.max() <= 5


def test_alone_it_follows_mdav():
    x = records()
    assert np.array_equal(MHM.partition(x).labels, tacita.get_method("mdav-mhm").partition(x).labels)


def file_of(x, **more):
    return pa.table({"a": x[:, 0], "b": x[:, 1], **more})


def test_every_way_in_makes_the_same_verified_release(tmp_path):
    frame = file_of(records().round(3))
    source = tmp_path / "in.csv"
    csv.write_csv(frame, source)
    release = tacita.protect(frame, quasi=["a", "b"], method="kc", then="mhm", k=4)
    assert release.record.method == ("kc", "mhm")
    assert all(verdict.passed for verdict in release.record.verdicts)
    assert release.record.parameters["k"] == 4
    words = ["protect", str(source), "--quasi", "a,b", "--method", "kc", "--then", "mhm", "--k", "4"]
    by_words, saved = tmp_path / "words.csv", tmp_path / "saved.toml"
    # parameters of both are options
    words += ["--groups", "15", "--quiet"]
    assert run_command([*words, "--out", str(by_words), "--save-plan", str(saved)]) == 0
    assert 'method = "kc+mhm"' in saved.read_text()
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'version = 1\n[input]\npath = "{source.name}"\n[roles]\nquasi = ["a", "b"]\n'
        '[protect]\nmethod = "kc"\nthen = "mhm"\nk = 4\ngroups = 15\n[output]\npath = "plan.csv"\n'
    )
    assert run_command(["run", str(plan), "--quiet"]) == 0
    assert (tmp_path / "plan.csv").read_bytes() == by_words.read_bytes()
    assert Plan.from_toml(Plan.load(plan).to_toml()) == Plan.load(plan)
    assert "method='kc+mhm'" in Plan.load(plan).to_python()


def test_a_step_of_a_plan_may_have_one_too():
    frame = file_of(records())
    release = tacita.protect(frame, steps=[{"method": "md", "then": "mhm", "quasi": ["a", "b"]}])
    assert release.record.steps[0].method == ("md", "mhm")


def test_a_column_may_name_the_groups_within_strata():
    x = records()
    clusters, strata = np.arange(60) % 4, np.arange(60) // 30
    frame = file_of(x, cluster=[f"c{one}" for one in clusters], part=strata)
    about = {"quasi": ["a", "b"], "identifiers": "cluster", "strata": "part"}
    release = tacita.protect(frame, **about, method="mhm", given_groups="cluster")
    z = (x[:, :2] - x[:, :2].mean(axis=0)) / x[:, :2].std(axis=0, ddof=1)
    for stratum in (0, 1):
        rows = np.flatnonzero(strata == stratum)
        start = tacita.Partition(clusters[rows], 3)
        labels = MHM.partition(z[rows], start=start).labels
        means = np.array(release.data["a"])[rows]
        assert all(np.ptp(means[labels == group]) == 0 for group in range(labels.max() + 1))
        assert np.unique(means).size == labels.max() + 1
    assert release.record.parameters["given_groups"] == "cluster"
    chain = tacita.protect(frame, **about, method="mhm", then="kmeans1", given_groups="cluster")
    assert chain.report["IL1"].value <= release.report["IL1"].value


def test_groups_that_cannot_be_a_start_are_refused_without_a_value():
    frame = file_of(records(), cluster=["secret", *["c"] * 59])
    with pytest.raises(tacita.DataError, match=r"column cluster names, .* got a group of 1") as small:
        tacita.protect(frame, quasi=["a", "b"], method="mhm", given_groups="cluster")
    assert "secret" not in str(small.value)
    gap = file_of(records(), cluster=[None, *["c"] * 59])
    with pytest.raises(tacita.DataError, match="names the groups, is missing in 1 records"):
        tacita.protect(gap, quasi=["a", "b"], method="mhm", given_groups="cluster")
    with pytest.raises(tacita.ParameterError, match="given_groups says where MHM starts"):
        tacita.protect(frame, quasi=["a", "b"], method="mdav", then="mhm", given_groups="cluster")


def test_units_hold_in_the_second_phase():
    x, units = records(), np.arange(60) // 3
    found = MHM.partition(x, RunContext(), units=units, start=tacita.Partition(np.arange(60) % 6, 3))
    assert min(len(set(units[found.labels == g].tolist())) for g in range(len(found.sizes))) >= 3


numbers = st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=8)


@MANY
@given(values=numbers, k=st.integers(2, 4))
def test_no_partition_at_all_loses_less(values, k):
    x = np.array(values).reshape(-1, 1)
    if len(x) >= k:
        assert tacita.get_method("hm", k=k).partition(x).sse(x) == pytest.approx(
            best_partition_sse(x, k), abs=1e-9
        )


@MANY
@given(
    values=st.lists(st.integers(-20, 20).map(float), min_size=3, max_size=14),
    k=st.integers(2, 4),
    m=st.integers(2, 6),
)
def test_no_cut_into_segments_of_k_units_loses_less(values, k, m):
    x = np.sort(np.array(values)).reshape(-1, 1)
    units = np.arange(len(x)) * 5 % m
    if len(np.unique(units)) >= k:
        found = tacita.get_method("hm", k=k).partition(x, units=units)
        assert found.sse(x) == pytest.approx(best_segmentation_sse(x, k, units), abs=1e-9)


def test_large_values_close_together_do_not_cancel():
    x = (1e9 + np.array([0.0, 1.0, 2.0, 100.0, 101.0, 102.0])).reshape(-1, 1)
    assert tacita.get_method("hm", k=3).partition(x).labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_more_than_one_column_is_an_error():
    with pytest.raises(tacita.DataError, match="wanted one column, got 2"):
        tacita.get_method("hm", k=2).partition(np.zeros((5, 2)))


def test_never_loses_more_than_mdav_on_one_column():
    x = np.random.default_rng(3).lognormal(size=(400, 1))
    for k in (2, 3, 7):
        best, heuristic = (tacita.get_method(name, k=k).partition(x).sse(x) for name in ("hm", "mdav"))
        assert best <= heuristic
