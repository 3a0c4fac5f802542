"""The laws that every entry of the registry must keep, whatever it does inside."""

import inspect
import json
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import tables_at_hand
import tacita
from tacita import registry
from tacita.core import Categories, Comparison, Method, Partition, Run
from tacita.microdata.microaggregation.base import Improvement
from tacita.microdata.standardise import standardise
from tacita.plan import CompareSection, InputSection, MeasureSection, OutputSection, ProtectSection
from tacita.tableplan import SuppressSection, TableSection, TabulateSection

ALL = [(kind, name) for kind, names in registry.locations().items() for name in names]
GROUPING = registry.names("microaggregation")
MASKING = registry.names("masking")
SYNTHESIS = registry.names("synthesis")
MEASURES = registry.names(*registry.MEASURING)
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
        if kind == "suppression":
            # a solver is chosen where the time is, for those methods that have one
            taken |= (set(SuppressSection.model_fields) - {"solver"}) | set(TableSection.model_fields)
        if kind == "rule":
            taken |= set(TabulateSection.model_fields)
        assert not taken & set(registry.lookup(name, kind).model_fields)

    def test_cannot_be_changed_once_made(self, kind, name):
        made = tacita.method(name)
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
        made = tacita.protect(frame, method=name, missing=missing, seed=3, shuffle=True, **options)
        again = tacita.protect(frame, method=name, missing=missing, seed=3, shuffle=True, **options)
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


def synthesis(name):
    return registry.lookup(name, "synthesis")


def dependent_on(n=120, seed=0):
    """Three dependent columns, one the sum of the others, and two independent ones."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=(n, 2))
    y = s @ rng.normal(size=(2, 2)) + rng.normal(size=(n, 2))
    return np.column_stack([y, y.sum(axis=1)]), s


@pytest.mark.parametrize("name", SYNTHESIS)
class TestEverySynthesis:
    def test_gives_one_finite_value_for_each_with_or_without_independent_columns(self, name):
        y, s = dependent_on()
        for beside in (s, None):
            drawn = tacita.method(name).synthesize(y, beside)
            assert drawn.shape == y.shape
            assert np.isfinite(drawn).all()
            assert (np.abs(drawn - y).max(axis=0) > 0.1).all()

    def test_the_same_seed_gives_the_same_bytes(self, name):
        (y, s), made = dependent_on(), tacita.method(name)
        first, second = made.synthesize(y, s, Run(seed=5)), made.synthesize(y.copy(), s.copy(), Run(seed=5))
        assert first.tobytes() == second.tobytes()

    def test_without_a_seed_chance_is_never_the_same(self, name):
        (y, s), made = dependent_on(), tacita.method(name)
        assert np.array_equal(made.synthesize(y, s), made.synthesize(y, s)) != synthesis(name).by_chance

    def test_row_order_only_renames_rows_where_nothing_is_searched_or_drawn(self, name):
        if synthesis(name).by_chance or "c" in synthesis(name).model_fields:
            return
        y, s = dependent_on()
        order = np.random.default_rng(1).permutation(len(y))
        made = tacita.method(name)
        assert np.allclose(made.synthesize(y[order], s[order]), made.synthesize(y, s)[order], atol=1e-12)

    def test_does_not_depend_on_the_unit_of_measurement(self, name):
        (y, s), made = dependent_on(), tacita.method(name)
        units = [1.0, 1024.0, 0.125]
        scaled = made.synthesize(y * units, s * [0.5, 4096.0], Run(seed=5))
        assert np.allclose(scaled / units, made.synthesize(y, s, Run(seed=5)), rtol=0, atol=1e-8)

    def test_input_is_left_as_it_was(self, name):
        y, s = dependent_on()
        before = y.copy(), s.copy()
        tacita.method(name).synthesize(y, s)
        assert np.array_equal(y, before[0])
        assert np.array_equal(s, before[1])

    def test_too_few_records_and_true_values_are_refused(self, name):
        y, s = dependent_on(2)
        with pytest.raises(tacita.DataError, match="at least 3 records"):
            tacita.method(name).synthesize(y, s)
        y, s = dependent_on()
        with pytest.raises(tacita.DataError, match="would come out unchanged"):
            tacita.method(name).synthesize(s[:, :1] * 3 - 1, s)

    def test_progress_ends_at_one_and_cancelling_stops(self, name):
        (y, s), heard = dependent_on(), []
        tacita.method(name).synthesize(y, s, Run(on_progress=heard.append))
        assert heard[-1].share == 1
        with pytest.raises(tacita.Cancelled):
            tacita.method(name).synthesize(y, s, Run(cancelled=lambda: True))

    def test_promises_changed_cells_and_never_groups(self, name):
        promised = synthesis(name).guarantees
        assert {"synthetic-cells", "values-changed"} <= set(promised)
        assert not {"groups-of-k", "k-units", "masked-cells"} & set(promised)

    def test_is_released_verified_and_measured_with_strata_gaps_and_a_seed(self, name):
        frame = firms()
        options = {"dependent": ["y", "z"], "independent": ["x"], "strata": ["region"], "unit": "firm"}
        options |= {"identifiers": ["firm"], "method": name, "missing": "drop", "seed": 3}
        made = tacita.synthesize(frame, **options)
        assert made.data.equals(tacita.synthesize(frame, **options).data)
        assert all(verdict.passed for verdict in made.record.verdicts)
        assert {*synthesis(name).guarantees} <= {verdict.guarantee for verdict in made.record.verdicts}
        kept = frame.filter(frame["z"].is_valid())
        assert all(made.data[column].equals(kept[column]) for column in ("x", "region", "note"))
        assert made.data.column_names == [column for column in frame.column_names if column != "firm"]
        mixed = tacita.synthesize(frame, shuffle=True, **options)
        assert mixed.data.sort_by("y").equals(made.data.sort_by("y"))
        with pytest.raises(tacita.DataError, match=r"dependent or independent columns have missing values"):
            tacita.synthesize(frame, **{**options, "missing": "refuse"})
        with pytest.raises(tacita.ParameterError, match="'refuse' or 'drop' for a synthesis"):
            tacita.synthesize(frame, **{**options, "missing": "stratum"})

    def test_refuses_rounding(self, name):
        y, s = np.rint(100 * dependent_on()[0][:, :1]), dependent_on()[1]
        frame = pa.table({"y": y[:, 0].astype(int), "s": s[:, 0]})
        with pytest.raises(tacita.ParameterError, match="Leave out round-integers"):
            tacita.synthesize(frame, dependent="y", independent="s", method=name, round_integers=True)

    def test_runs_from_the_command_line_and_declares_its_options(self, name, tmp_path, capsys):
        from tacita.cli import run_command

        source = tmp_path / "in.csv"
        y, s = dependent_on(200)
        lines = [f"{float(y[i, 0])!r},{float(s[i, 0])!r},0{i}" for i in range(200)]
        source.write_text("\n".join(["a,b,code", *lines, ""]))
        words = ["synthesize", str(source), "--out", str(tmp_path / "out.csv"), "--method", name]
        words += ["--dependent", "a", "--independent", "b", "--save-plan", str(tmp_path / "plan.toml")]
        words += ["--report", str(tmp_path / "review.html"), "--note", str(tmp_path / "note.html")]
        assert run_command([*words, "--seed", "4"]) == 0
        assert "200 records with 1 column drawn anew" in capsys.readouterr().out
        note, review = ((tmp_path / f"{page}.html").read_text() for page in ("note", "review"))
        assert "is not that of the person or firm behind its record" in note
        assert "drawn anew" in review
        for page in (note, review):
            assert "group of" not in page
            assert "masked" not in page.split("<main>")[1].lower()
        first = (tmp_path / "out.csv").read_bytes()
        assert [line.split(",")[1:] for line in first.decode().splitlines()[1:]] == [
            line.split(",")[1:] for line in lines
        ]
        assert run_command(["run", str(tmp_path / "plan.toml"), "--quiet"]) == 0
        assert (tmp_path / "out.csv").read_bytes() == first
        assert run_command(["synthesize", "--method", name, "--help"]) == 0
        shown = capsys.readouterr().out
        assert all("--" + field.replace("_", "-") in shown for field in synthesis(name).model_fields)


def firms(n=160):
    """Firms in two regions; some have no z."""
    rng = np.random.default_rng(4)
    x = rng.normal(9, 2, n)
    y, z = x + rng.normal(0, 3, n), rng.normal(50, 9, n) - 2 * x
    return pa.table(
        {
            "x": x,
            "y": y,
            "note": [f"n{i % 3}" for i in range(n)],
            "z": pa.array(z, mask=np.arange(n) % 8 == 0),
            "region": ["north" if i % 4 < 2 else "south" for i in range(n)],
            "firm": [f"u{i}" for i in range(n)],
        }
    )


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
