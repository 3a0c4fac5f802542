"""Releases that protect everybody because they say next to nothing are not called good without a word."""

import ast
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita import datasets
from tacita.core import DisclosureWarning
from tacita.core.results.grouped_warnings import grouped
from tacita.core.results.warning_severity import PLACES, gravest_first

KEYS = ["sex", "education", "region"]
# a weight, or what a household pays, belongs to one region
APART = ["person_id", "household_id", "weight", "housing_cost"]
AROUND = {"identifiers": ["person_id", "household_id"], "measures": ["IL1"], "seed": SEED}


@pytest.fixture(scope="module")
def persons():
    # wages, transfers and the rest add up to it
    return datasets.load("household", n=400).drop_columns(["total_income"])


@pytest.fixture(scope="module")
def firms():
    # turnover is costs and value added
    return datasets.load("business", n=300).drop_columns(["value_added"])


def warned(release, name):
    return [each for each in release.record.warnings if each.name == name]


def test_columns_that_show_one_value_are_warned_of(persons):
    star = tacita.protect(persons, quasi=KEYS, method="recode", map={"nobody": "x"}, others="*", **AROUND)
    found = warned(star, "one-value-left")
    assert [each.text.split()[1] for each in found] == KEYS
    assert {each.count for each in found} == {400}


def test_a_column_that_is_empty_throughout_is_warned_of():
    frame = pa.table({"a": [str(i) for i in range(12)], "b": list("xy") * 6})
    release = tacita.protect(frame, quasi=["a", "b"], method="local-suppression", k=3, measures=["IL1"])
    assert release.data["a"].null_count == 12
    assert "shows no value" in warned(release, "one-value-left")[0].text


def test_means_of_one_group_leave_one_value(firms):
    release = tacita.protect(firms, quasi=["turnover"], k=300, identifiers=["name"], measures=["IL1"])
    assert [each.count for each in warned(release, "one-value-left")] == [300]


def test_a_column_that_is_nearly_gone_is_warned_of_with_what_it_lost():
    rng = np.random.default_rng(0)
    frame = pa.table({"town": [f"t{i:02d}" for i in rng.integers(0, 20, 600)], "y": rng.normal(size=600)})
    two = {f"t{i:02d}": "east" if i < 19 else "west" for i in range(20)}
    release = tacita.protect(frame, quasi=["town"], method="recode", map=two, measures=["IL1"])
    (found,) = warned(release, "little-left")
    assert "Column town lost" in found.text
    assert not warned(release, "one-value-left")


def test_a_release_that_is_of_use_is_not_warned_of(persons):
    coarser = {"none": "low", "primary": "low"}
    release = tacita.protect(
        persons, quasi=["education"], method="recode", map=coarser, weight="weight", **AROUND
    )
    names = {each.name for each in release.record.warnings}
    assert not names & {"one-value-left", "little-left", "relations-lost", "estimate-moved"}


@pytest.mark.parametrize(("limit", "moved"), [(80, False), (20, True)])
def test_a_weighted_estimate_that_leaves_its_interval_is_warned_of(persons, limit, moved):
    release = tacita.protect(
        persons, quasi=["age"], method="top-code", limit=limit, weight="weight", **AROUND
    )
    assert bool(warned(release, "estimate-moved")) is moved


def test_without_weights_no_estimate_is_told_of(persons):
    release = tacita.protect(persons, quasi=["age"], method="top-code", limit=20, **AROUND)
    assert not warned(release, "estimate-moved")


# relations with unchanged columns


def score(data, method, **more):
    release = tacita.protect(
        data, quasi=["turnover", "wages"], identifiers=["name"], method=method, seed=SEED, **more
    )
    return release, release.report["RELATIONS"].value


def test_a_shuffle_that_loses_all_relations_does_not_win_unseen(firms):
    kept, little = score(firms, "mdav", k=3)
    lost, most = score(firms, "shuffle")
    assert little < 10 < 50 < most
    # the published score prefers what destroys
    assert lost.report["SCORE"].value < kept.report["SCORE"].value
    assert warned(lost, "relations-lost")
    assert not warned(kept, "relations-lost")


def test_relations_are_among_the_first_figures_and_in_a_comparison(firms):
    from tacita.core.results.score import headlines

    release, _ = score(firms, "mdav")
    assert "RELATIONS" in [each.name for each in headlines(release.report)]
    tried = {
        "quasi": ["turnover", "wages"],
        "identifiers": ["name"],
        "method": ["mdav", "shuffle"],
        "seed": SEED,
    }
    trials = tacita.compare_methods(firms, **tried)
    assert "RELATIONS" in trials.columns
    assert [trial.method for trial in trials.unrelated] == ["shuffle"]
    by_relations = tacita.compare_methods(
        firms, quasi=["turnover"], identifiers=["name"], method=["mdav"], loss="RELATIONS", seed=SEED
    )
    assert by_relations.unrelated == ()
    # whatever else was asked for; but not where it was left out
    few, without = (
        tacita.compare_methods(firms, **tried, **each)
        for each in ({"measures": ["IL1"]}, {"without": ["RELATIONS"]})
    )
    assert [trial.method for trial in few.unrelated] == ["shuffle"]
    assert without.unrelated == ()


@pytest.mark.parametrize("kinds", ["numbers", "both", "categories"])
def test_relations_of_every_kind_are_kept_by_doing_nothing_and_lost_by_exchange(kinds):
    rng = np.random.default_rng(1)
    n = 2000
    cause = rng.integers(0, 4, n)
    number = cause + rng.normal(0, 0.5, n)
    label = np.where(rng.random(n) < 0.9, cause, rng.integers(0, 4, n))
    words = np.array([f"v{i}" for i in range(4)])
    sides = {
        "numbers": (number, number + rng.normal(0, 0.3, n)),
        "both": (words[label], number),
        "categories": (words[label], words[cause]),
    }[kinds]
    before = pa.table({"a": sides[0], "b": sides[1]})
    mixed = before.set_column(0, "a", pa.array(np.asarray(sides[0])[rng.permutation(n)]))
    for after, low, high in ((before, 0.0, 1e-9), (mixed, 90.0, 110.0)):
        nominal = [] if kinds == "numbers" else ["a"]
        found = tacita.evaluate(before, after, quasi=["a"], nominal=nominal, measures=["RELATIONS"])
        assert low <= found["RELATIONS"].value <= high


def test_there_is_no_figure_where_nothing_is_related():
    rng = np.random.default_rng(2)
    frame = pa.table({"a": rng.normal(size=5000), "b": rng.normal(size=5000)})
    assert tacita.evaluate(frame, frame, quasi=["a"], measures=["RELATIONS"])["RELATIONS"].value is None
    alone = pa.table({"a": rng.normal(size=50)})
    assert tacita.evaluate(alone, alone, quasi=["a"], measures=["RELATIONS"])["RELATIONS"].value is None


# in order and by kind


def test_the_gravest_warnings_come_first_and_one_kind_stays_together(firms):
    release = tacita.protect(firms, quasi=["turnover"], measures=["IL1"], seed=SEED)
    names = [each.name for each in release.record.warnings]
    assert names == [each.name for each in gravest_first(reversed(release.record.warnings))]
    assert names.index("unique-combinations") < names.index("row-order")
    assert all(names.index(n) + names.count(n) - 1 == len(names) - 1 - names[::-1].index(n) for n in names)


def test_every_kind_of_warning_of_a_release_has_its_place():
    folder = Path(tacita.__file__).parent
    modules = [
        *(folder / "microdata").rglob("*.py"),
        folder / "io" / "writable.py",
        folder / "core" / "results" / "release.py",
    ]
    calls = [each for path in modules for each in ast.walk(ast.parse(path.read_text()))]
    made = [
        each
        for each in calls
        if isinstance(each, ast.Call) and getattr(each.func, "id", "") == "DisclosureWarning"
    ]
    names = {ast.literal_eval(each.args[0]) for each in made}
    assert len(names) > 50
    assert not [name for name in names if name not in PLACES]


def test_a_search_that_was_stopped_is_no_graver_than_who_is_found(firms):
    stopped = tacita.RunContext(should_stop=lambda: True)
    two = ["turnover", "wages"]
    release = tacita.protect(firms, quasi=two, method="hmeans1", measures=["IL1"], seed=SEED, context=stopped)
    names = [each.name for each in release.record.warnings]
    assert names.index("unique-combinations") < names.index("search-stopped")


def test_the_k_of_drawn_values_is_asked_of_no_other_column():
    rng = np.random.default_rng(4)
    frame = pa.table({"age": rng.integers(20, 60, 900), "town": rng.integers(0, 30, 900)})
    release = tacita.synthesize(frame, dependent=["age"], method="trees", k=40, seed=SEED, measures=["IL1"])
    assert release.claim.k == 40
    assert release.record.uniqueness.k == 3
    assert not warned(release, "unique-combinations")
    grouped_too = tacita.protect(
        frame,
        steps=[
            {"method": "trees", "dependent": ["age"], "k": 40},
            {"method": "mdav", "quasi": ["town"], "k": 5},
        ],
        seed=SEED,
        measures=["IL1"],
    )
    assert grouped_too.record.uniqueness.k == 5


def test_a_warning_of_several_columns_is_one_line_on_the_terminal(firms, tmp_path, capsys):
    from tacita import api
    from tacita.cli import run_command

    api.write_frame(firms, tmp_path / "in.csv")
    words = ["protect", str(tmp_path / "in.csv"), "--out", str(tmp_path / "out.csv"), "--quasi", "turnover"]
    assert run_command(words) in (0, None)
    heard = capsys.readouterr().out.splitlines()
    lines = [line for line in heard if "released unchanged and is unique" in line]
    assert len(lines) == 1
    assert "costs [" in lines[0]
    assert "wages [" in lines[0]


def test_grouping_keeps_every_count():
    told = [DisclosureWarning("x", f"Column {name} says all.", at, "Do.") for at, name in enumerate("abc")]
    (kind,) = grouped(told, set("abc"))
    assert [(line.text, line.count) for line in kind.lines] == [("a", 0), ("b", 1), ("c", 2)]


# sentences that hold of this release


def test_a_step_that_changed_nothing_says_of_which_columns(persons):
    steps = [
        {"method": "recode", "quasi": ["sex"], "map": {"nobody": "x"}},
        {"method": "mdav", "quasi": ["wage"], "k": 3},
    ]
    (found,) = warned(tacita.protect(persons, steps=steps, **AROUND), "nothing-changed")
    assert "sex is released as in the source" in found.text


def test_columns_beside_synthetic_ones_are_those_of_the_release(firms):
    steps = [
        {"method": "ipso-c", "dependent": ["turnover"], "independent": ["wages"]},
        {"method": "mdav", "quasi": ["costs"], "k": 3},
    ]
    around = {"identifiers": ["name", "group_id"], "measures": ["IL1"], "seed": SEED}
    (found,) = warned(tacita.protect(firms, steps=steps, **around), "beside-synthetic")
    listed = found.text.split("values (")[1].split(")")[0].split(", ")
    assert "region" in listed
    assert not {"name", "group_id", "costs"} & {*listed}
    assert found.count == len(listed)


def test_a_column_that_another_step_changes_is_not_called_as_it_was(persons):
    steps = [
        {"method": "recode", "quasi": ["education"], "map": {"nobody": "x"}},
        {"method": "recode", "quasi": ["education"], "map": {"none": "low", "primary": "low"}},
    ]
    (found,) = warned(tacita.protect(persons, steps=steps, **AROUND), "nothing-changed")
    assert "released as" not in found.text


def test_what_is_not_promised_is_of_columns_that_are_there(persons):
    without = tacita.protect(persons, quasi=["wage"], k=3, **AROUND)
    assert not [line for line in without.record.not_promised if "strata" in line]
    within = tacita.protect(persons, quasi=["wage"], k=3, strata=["sex"], **AROUND)
    assert [line for line in within.record.not_promised if "strata" in line]
    alone = tacita.protect(pa.table({"x": np.arange(12.0)}), quasi=["x"], k=3)
    assert not [line for line in alone.record.not_promised if line.startswith("Linkage through columns")]


def test_k_is_counted_on_the_keys_that_it_is_promised_of(persons):
    steps = [
        {"method": "local-suppression", "quasi": KEYS, "k": 3},
        {"method": "noise", "quasi": ["wage"], "alpha": 0.2},
    ]
    around = {**AROUND, "identifiers": APART}
    release = tacita.protect(persons, steps=steps, **{**around, "measures": None})
    told = release.report["k_anonymity"]
    assert (told.value, told.covers) == (3.0, tuple(KEYS))
    # what is required is required of all that was protected, unless keys are named
    with pytest.raises(tacita.RequirementError, match="k_anonymity"):
        tacita.protect(persons, steps=steps, require={"k_anonymity": 3}, **around)


def test_an_empty_key_is_read_as_it_was_promised(persons):
    release = tacita.protect(
        persons,
        quasi=[*KEYS, "age"],
        method="local-suppression",
        missing_as="wildcard",
        k=3,
        identifiers=APART,
        seed=SEED,
    )
    told = release.report["k_anonymity"]
    assert told.value >= 3
    assert told.reading["missing_as"] == "wildcard"
