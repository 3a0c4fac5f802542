"""The laws of every synthesis method."""

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita import registry
from tacita.core import Run

SYNTHESIS = registry.names("synthesis")


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
        options |= {"identifiers": ["firm"], "method": name, "missing": "drop", "seed": SEED}
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
        assert run_command([*words, "--seed", str(SEED)]) == 0
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
        assert run_command(["run", str(tmp_path / "plan.toml"), "--quiet", "--force"]) == 0
        assert (tmp_path / "out.csv").read_bytes() == first
        assert run_command(["synthesize", "--method", name, "--help"]) == 0
        shown = capsys.readouterr().out
        assert all("--" + field.replace("_", "-") in shown for field in synthesis(name).model_fields)
