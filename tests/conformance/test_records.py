"""The laws that every entry of the registry must keep, whatever it does inside."""

import inspect
import json
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita import registry
from tacita.core import Categories, Comparison, Method, Partition, Run
from tacita.io import InputOptions, InputSection
from tacita.microdata.microaggregation.improvement import Improvement
from tacita.microdata.sections import CompareSection, MeasureSection, OutputSection, ProtectSection
from tacita.microdata.standardise import standardise
from tacita.tables.sections import RuleSection, SuppressSection, TableSection, TabulateSection

ALL = [(kind, name) for kind, names in registry.locations().items() for name in names]
GROUPING = registry.names("microaggregation")
MASKING = registry.names("masking")
MEASURES = registry.names(*registry.MEASURING)
# parameters without which a method has nothing to do
NEEDED = {"recode": {"map": {"a": "b"}}}
UNIVARIATE = {name for name in GROUPING if registry.lookup(name, "microaggregation").one_column}


def sample(name, n=60, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 1 if name in UNIVARIATE else d))


@pytest.mark.parametrize(("kind", "name"), ALL)
class TestEveryEntry:
    def test_is_a_method_of_its_kind_with_a_full_docstring(self, kind, name):
        found = registry.lookup(name, kind)
        text = inspect.getdoc(found)
        assert issubclass(found, Method)
        assert found.kind == kind
        assert "O(" in text, "the cost is missing"
        assert "Source:" in text, "the source is missing"
        assert ">>>" in text, "an example that runs is missing"

    def test_declares_type_range_and_meaning_of_each_parameter(self, kind, name):
        schema = registry.describe(kind, name)["parameters"]
        assert json.loads(json.dumps(schema)) == schema
        for parameter, declared in schema["properties"].items():
            assert declared.get("description"), f"{parameter} does not say what it means"

    def test_has_no_parameter_that_an_option_of_the_plan_already_is(self, kind, name):
        taken = {"out", "json", "measures", "dry_run", "quiet", "input"}
        for section in (InputSection, ProtectSection, MeasureSection, CompareSection, OutputSection):
            taken |= set(section.model_fields)
        if kind == "format":
            # these are the options of reading
            taken -= set(InputOptions.model_fields)
        if kind == "suppression":
            # a solver is chosen where the time is, for those methods that have one
            taken |= (set(SuppressSection.model_fields) - {"solver"}) | set(TableSection.model_fields)
        if kind == "rule":
            taken |= {*TabulateSection.model_fields, *RuleSection.model_fields, "rule"}
        assert not taken & set(registry.lookup(name, kind).model_fields)

    def test_cannot_be_changed_once_made(self, kind, name):
        made = tacita.method(name, **NEEDED.get(name, {}))
        for parameter in type(made).model_fields:
            with pytest.raises(Exception, match="frozen"):
                setattr(made, parameter, 99)

    def test_refuses_an_unknown_parameter_by_name(self, kind, name):
        with pytest.raises(tacita.ParameterError, match="no parameter bogus"):
            tacita.method(name, bogus=1)

    def test_guarantees_are_all_checked_by_the_verifier(self, kind, name):
        from tacita.microdata.verify import CHECKS

        assert set(registry.lookup(name, kind).guarantees) <= set(CHECKS)


@pytest.mark.parametrize("name", GROUPING)
class TestEveryMicroaggregation:
    @pytest.mark.parametrize("k", [2, 3, 7])
    @pytest.mark.parametrize("n", [7, 8, 13, 14, 20, 21, 60])
    def test_every_group_has_k_records_whatever_n(self, name, k, n):
        found = tacita.method(name, k=k).partition(sample(name, n))
        assert found.sizes.min() >= k
        assert found.n == n

    def test_labels_are_numbered_by_lowest_row(self, name):
        labels = tacita.method(name, k=3).partition(sample(name)).labels
        first = [int(np.flatnonzero(labels == g)[0]) for g in range(labels.max() + 1)]
        assert first == sorted(first)

    def test_same_input_gives_same_labels(self, name):
        x = sample(name)
        made = tacita.method(name, k=3)
        assert np.array_equal(made.partition(x).labels, made.partition(x.copy()).labels)

    def test_row_order_only_renames_rows_where_nothing_ties(self, name):
        if registry.lookup(name, "microaggregation").by_chance:
            return
        x = sample(name)
        order = np.random.default_rng(1).permutation(len(x))
        straight = tacita.method(name, k=3).partition(x).labels
        mixed = tacita.method(name, k=3).partition(x[order]).labels
        assert same_groups(straight[order], mixed)

    def test_a_constant_column_changes_nothing(self, name):
        if name in UNIVARIATE:
            return
        x = sample(name)
        wider = np.column_stack([x, np.zeros(len(x))])
        made = tacita.method(name, k=3)
        assert np.array_equal(made.partition(x).labels, made.partition(wider).labels)

    def test_scaling_all_columns_alike_changes_nothing(self, name):
        x = sample(name)
        made = tacita.method(name, k=3)
        assert np.array_equal(made.partition(x).labels, made.partition(x * 1024).labels)

    def test_the_scale_of_a_column_is_gone_once_it_is_standardised(self, name):
        x = sample(name)
        made = tacita.method(name, k=3)
        scaled = standardise(x * 2.0 ** np.arange(-3, x.shape[1] - 3))
        assert np.array_equal(made.partition(standardise(x)).labels, made.partition(scaled).labels)

    def test_an_improvement_is_never_worse_than_its_start(self, name):
        x = sample(name)
        made = tacita.method(name, k=3)
        if not isinstance(made, Improvement):
            return
        for start in (tacita.method("mdav", k=3).partition(x), Partition(np.arange(60) % 15, 3)):
            assert made.partition(x, start=start).sse(x) <= start.sse(x)

    def test_duplicates_and_identical_records_are_no_obstacle(self, name):
        x = np.repeat(sample(name, 5), 4, axis=0)
        assert tacita.method(name, k=3).partition(x).sizes.min() >= 3
        assert tacita.method(name, k=3).partition(np.ones((10, 1))).sizes.min() >= 3

    def test_with_units_every_group_has_k_of_them(self, name):
        x = sample(name, 90)
        for units in (np.arange(90) // 4, np.arange(90) % 5, np.minimum(np.arange(90), 6)):
            labels = tacita.method(name, k=3).partition(x, units=units).labels
            for group in range(labels.max() + 1):
                assert len(np.unique(units[labels == group])) >= 3

    def test_input_is_left_as_it_was(self, name):
        x = sample(name, d=1)
        before = x.copy()
        tacita.method(name, k=3).partition(x)
        assert np.array_equal(x, before)

    def test_fewer_than_k_records_are_refused(self, name):
        with pytest.raises(tacita.DataError, match="needs at least 5 records, got 4"):
            tacita.method(name, k=5).partition(sample(name, 4))

    def test_progress_ends_at_one_and_cancelling_stops(self, name):
        heard = []
        tacita.method(name, k=3).partition(sample(name), Run(on_progress=heard.append))
        assert heard[-1].share == 1
        with pytest.raises(tacita.Cancelled):
            tacita.method(name, k=3).partition(sample(name), Run(cancelled=lambda: True))

    def test_runs_from_the_command_line_and_declares_its_options(self, name, tmp_path, capsys):
        from tacita.cli import run_command

        source = tmp_path / "in.csv"
        source.write_text("a\n" + "\n".join(str(i * i % 97) for i in range(40)) + "\n")
        words = ["protect", str(source), "--out", str(tmp_path / "out.csv"), "--method", name, "--quasi", "a"]
        assert run_command(words) == 0
        assert run_command(["protect", "--method", name, "--help"]) == 0
        assert "--k" in capsys.readouterr().out


def survey(n=120):
    """Records in two regions; some have no y."""
    rng = np.random.default_rng(4)
    x, y = rng.lognormal(3, 1, n), rng.normal(50, 9, n)
    return pa.table(
        {
            "x": x,
            "y": pa.array(y, mask=np.arange(n) % 6 == 0),
            "region": ["north" if i % 4 < 2 else "south" for i in range(n)],
            "firm": [f"u{i}" for i in range(n)],
        }
    )


def masking(name):
    return registry.lookup(name, "masking")


@pytest.mark.parametrize("name", MASKING)
class TestEveryMasking:
    def test_gives_one_finite_value_for_each(self, name):
        x = sample(name)
        masked = tacita.method(name).mask(x)
        assert masked.shape == x.shape
        assert np.isfinite(masked).all()
        assert not np.array_equal(masked, x)

    def test_the_same_seed_gives_the_same_bytes(self, name):
        x, made = sample(name), tacita.method(name)
        assert made.mask(x, Run(seed=5)).tobytes() == made.mask(x.copy(), Run(seed=5)).tobytes()

    def test_without_a_seed_chance_is_never_the_same(self, name):
        x, made = sample(name), tacita.method(name)
        assert np.array_equal(made.mask(x), made.mask(x)) != masking(name).by_chance

    def test_does_not_depend_on_the_unit_of_measurement(self, name):
        x, made = sample(name), tacita.method(name)
        scaled = made.mask(x * [1.0, 1024.0, 0.125], Run(seed=5))
        assert np.allclose(scaled / [1.0, 1024.0, 0.125], made.mask(x, Run(seed=5)), rtol=0, atol=1e-9)

    def test_a_constant_column_stays_and_changes_nothing_else_in_kind(self, name):
        x = np.column_stack([sample(name), np.full(60, 7.0)])
        masked = tacita.method(name).mask(x)
        assert np.allclose(masked[:, 3], 7.0, rtol=1e-15)
        assert np.isfinite(masked).all()

    def test_duplicates_and_linear_relations_are_no_obstacle(self, name):
        x = np.repeat(sample(name, 8), 4, axis=0)
        x = np.column_stack([x, x[:, 0] - 2 * x[:, 1]])
        assert np.isfinite(tacita.method(name).mask(x)).all()

    def test_input_is_left_as_it_was(self, name):
        x = sample(name)
        before = x.copy()
        tacita.method(name).mask(x)
        assert np.array_equal(x, before)

    def test_too_few_records_are_refused(self, name):
        with pytest.raises(tacita.DataError, match=r"at least \d+ records"):
            tacita.method(name).mask(sample(name, 2))

    def test_progress_ends_at_one_and_cancelling_stops(self, name):
        heard = []
        tacita.method(name).mask(sample(name), Run(on_progress=heard.append))
        assert heard[-1].share == 1
        with pytest.raises(tacita.Cancelled):
            tacita.method(name).mask(sample(name), Run(cancelled=lambda: True))

    def test_never_promises_groups_of_k(self, name):
        assert not {"groups-of-k", "k-units"} & set(masking(name).guarantees)
        assert "masked-cells" in masking(name).guarantees

    @pytest.mark.parametrize("missing", ["drop", "stratum"])
    def test_is_released_verified_and_measured_with_strata_gaps_and_a_seed(self, name, missing):
        frame = survey()
        options = {"quasi": ["x", "y"], "strata": ["region"], "unit": "firm", "identifiers": ["firm"]}
        made = tacita.protect(frame, method=name, missing=missing, seed=SEED, shuffle=True, **options)
        again = tacita.protect(frame, method=name, missing=missing, seed=SEED, shuffle=True, **options)
        assert made.data.equals(again.data)
        assert all(verdict.passed for verdict in made.record.verdicts)
        assert "groups-of-k" not in {verdict.guarantee for verdict in made.record.verdicts}
        assert any("Groups of k" in text for text in made.record.not_promised)
        assert made.report["IL1"].value > 0

    def test_runs_from_the_command_line_and_declares_its_options(self, name, tmp_path, capsys):
        from tacita.cli import run_command

        source = tmp_path / "in.csv"
        source.write_text("a\n" + "\n".join(str(i * i % 97 / 8) for i in range(40)) + "\n")
        words = ["protect", str(source), "--out", str(tmp_path / "out.csv"), "--method", name, "--quasi", "a"]
        words += ["--report", str(tmp_path / "review.html"), "--note", str(tmp_path / "note.html")]
        assert run_command(words) == 0
        assert "masked, not in groups" in capsys.readouterr().out
        assert run_command(["protect", "--method", name, "--help"]) == 0
        shown = capsys.readouterr().out
        assert all("--" + field.replace("_", "-") in shown for field in masking(name).model_fields)


@pytest.mark.parametrize("name", MEASURES)
class TestEveryMeasure:
    def test_lies_in_its_range(self, name):
        x = sample(name)
        codes = Categories(np.sign(x[:, :1]), np.sign(x[::-1, :1]), ("c",), (False,))
        pair = Comparison.of(x, x[::-1], domains=np.arange(len(x)) % 2, categories=codes)
        score = tacita.method(name).score(pair)
        low, high = score.span
        assert low <= score.value <= (np.inf if high is None else high)
        assert score.name == name
        assert score.direction in ("lower", "higher")

    def test_finds_nothing_lost_or_says_why_where_nothing_varies(self, name):
        score = tacita.method(name).score(Comparison.of(np.ones((4, 2)), np.ones((4, 2))))
        assert score.value == 0 or score.reason

    def test_does_not_depend_on_row_order(self, name):
        x = np.random.default_rng(3).integers(0, 5, size=(60, 3)).astype(float)
        labels = tacita.method("mdav", k=3).partition(x).labels
        z = Partition(labels, 3).centroids(x)[labels]
        order = np.random.default_rng(1).permutation(len(x))
        domains = np.arange(60) % 3
        straight = tacita.method(name).score(Comparison.of(x, z, domains=domains))
        mixed = tacita.method(name).score(Comparison.of(x[order], z[order], domains=domains[order]))
        assert mixed.reason == straight.reason
        assert straight.value is None or mixed.value == pytest.approx(straight.value, rel=1e-9, abs=1e-9)

    def test_is_computed_once_per_comparison(self, name):
        pair = Comparison.of(sample(name), sample(name, seed=1))
        assert tacita.method(name).score(pair) is tacita.method(name).score(pair)


def test_every_kind_that_protects_says_what_it_publishes():
    from tacita.microdata.publish import VERBS

    assert set(VERBS) == set(registry.PROTECTING)


def test_maskings_and_groups_are_compared_on_one_map():
    table = survey().select(["x"])
    trials = tacita.compare(table, quasi="x", method=["mdav", "noise", "rank-swap"], k=[3], alpha=[0.1, 0.5])
    assert [(trial.method, trial.groups is None) for trial in trials] == [
        ("mdav", False),
        ("noise", True),
        ("noise", True),
        ("rank-swap", True),
    ]
    assert all(trial.report is not None for trial in trials)


def test_listing_methods_does_not_load_the_compiler():
    code = "import sys; from tacita.cli import run_command; run_command(['methods', '--json']); "
    code += "assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_importing_tacita_is_cheap():
    code = "import sys, tacita; assert not {'numba', 'pyarrow', 'numpy', 'pydantic'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(tacita.ParameterError, match=r"Known: .*mdav"):
        tacita.method("nosuch")


def test_a_plug_in_is_found_but_never_replaces_a_built_in(monkeypatch):
    class Point:
        def __init__(self, name, value):
            self.name, self.value = name, value

    def points(group):
        if group != "tacita.microaggregation":
            return []
        return [Point("mine", "tacita.microdata.microaggregation.univariate:HM"), Point("mdav", "evil:Evil")]

    monkeypatch.setattr(registry, "entry_points", points)
    registry.locations.cache_clear()
    try:
        assert registry.lookup("mine").__name__ == "HM"
        assert registry.lookup("mdav").__name__ == "MDAV"
    finally:
        registry.locations.cache_clear()


def same_groups(a, b):
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs) == len({p for p, _ in pairs}) == len({q for _, q in pairs})


def test_names_are_short_words_a_user_can_type():
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) for _, name in ALL)
