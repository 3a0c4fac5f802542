"""What a page shows before anything is decided: columns, guesses with their reasons, who stands alone."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita
from tacita import api, datasets
from tacita.core import DataError, ParameterError, RunContext


@pytest.mark.parametrize("survey", ["business", "household", "patients"])
def test_guessed_roles_are_the_customary_ones_of_every_survey_but_for_what_a_name_cannot_tell(survey):
    roles = {guess.column: guess.role for guess in tacita.suggest_roles(datasets.load(survey))}
    known = datasets.describe(survey)
    assert all(roles[name] == "identifiers" for name in known.identifiers)
    assert all(roles[name] == "quasi" for name in known.quasi)
    # days in hospital are numbers like any others
    assert {name for name in known.confidential if roles[name] != "confidential"} <= {"days"}
    assert all(roles[name] == "strata" for name in known.strata)
    assert [name for name, role in roles.items() if role == "unit"] == ([known.unit] if known.unit else [])
    assert [name for name, role in roles.items() if role == "weight"] == (
        [known.weight] if known.weight else []
    )


def test_a_file_has_one_unit_and_one_weight_at_most():
    frame = pa.table({"weight": [1.5, 2.5] * 30, "weight_2": [1.5, 2.5] * 30, "firm": list("abc") * 20})
    assert Counter(guess.role for guess in tacita.suggest_roles(frame))["weight"] == 1


def test_every_guess_has_a_reason_in_words():
    for survey in ("business", "household", "patients"):
        assert all(guess.words for guess in tacita.suggest_roles(datasets.load(survey)))


def test_exposure_counts_what_a_plain_count_of_combinations_counts():
    frame = datasets.load("household", missing=0.2)
    columns = ["sex", "age", "region", "taxes"]
    found = tacita.sample_uniqueness(frame, columns=columns)
    rows = list(zip(*(frame[name].to_pylist() for name in columns), strict=True))
    shared = Counter(rows)
    assert found.alone == sum(shared[row] == 1 for row in rows)
    assert found.below_3 == sum(shared[row] < 3 for row in rows)
    assert found.below_5 == sum(shared[row] < 5 for row in rows)
    for name, by_itself in zip(columns, found.by_column, strict=True):
        values = frame[name].to_pylist()
        assert by_itself.alone == sum(count == 1 for count in Counter(values).values())


def test_numbers_that_are_spelled_differently_are_one_value(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1.0,a\n1,b\n1.00,c\n")
    assert tacita.sample_uniqueness(path, columns="x").alone == 0
    assert tacita.describe_columns(path).columns[0].distinct == 1


def test_exposure_without_columns_says_what_is_wanted():
    with pytest.raises(ParameterError, match="name at least one column") as caught:
        tacita.sample_uniqueness(pa.table({"x": [1]}), columns=())
    assert caught.value.field == "columns"


def test_no_record_is_in_a_profile_unless_it_was_asked_for():
    frame = datasets.load("business")
    assert tacita.describe_columns(frame).rows == ()
    assert len(tacita.describe_columns(frame, rows=5).rows) == 5
    assert "rows" not in repr(tacita.describe_columns(frame, rows=5))


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"a;b\n1,5;x\n2,25;y\n", (";", ",", "utf-8")),
        (b"a,b\n1.5,x\n", (",", ".", "utf-8")),
        ("a;b\n1,5;Açores\n".encode("cp1252"), (";", ",", "cp1252")),
        ("a\tb\n1.5\tx\n".encode("utf-16"), ("\t", ".", "utf-16")),
        ("\ufeffa|b\n1|Açores\n".encode(), ("|", ".", "utf-8")),
    ],
)
def test_how_a_text_file_is_written_is_guessed_and_reads_it(tmp_path, content, wanted):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    guessed = tacita.sniff_csv(path)
    assert (guessed.delimiter, guessed.decimal, guessed.encoding) == wanted
    assert tacita.read(path, **guessed.model_dump()).columns == ["a", "b"]


def test_messages_call_a_file_as_its_owner_does(tmp_path):
    path = tmp_path / "source.csv"
    path.write_text("x\n1\n2\n")
    data = tacita.read(path, shown_as="survey of firms.csv")
    with pytest.raises(ParameterError, match=r"^survey of firms\.csv: there is no column y"):
        tacita.sample_uniqueness(data, columns="y")
    plan = tacita.Plan(input={"path": path}, roles={"quasi": "y"}, output={"path": tmp_path / "out.csv"})
    with pytest.raises(ParameterError, match=r"^survey of firms\.csv: ") as caught:
        api.run_plan(plan, shown_as="survey of firms.csv")
    assert "source.csv" not in str(caught.value)


def test_a_file_that_unfolds_into_too_many_cells_is_refused_before_it_is_unfolded(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": np.zeros(10_000), "y": np.zeros(10_000)}), path)
    with api.unfolding_at_most(19_999), pytest.raises(DataError, match="10000 records x 2 columns"):
        tacita.read(path)
    assert tacita.read(path).n == 10_000


def test_an_error_of_parameters_has_a_sentence_for_each_field_that_is_wrong():
    with pytest.raises(ParameterError) as caught:
        tacita.get_method("fcrm", c=0, m=0.5, model="cubic")
    fields = caught.value.fields
    assert list(fields) == ["c", "m", "model"]
    assert caught.value.field == "c"
    assert all(name in sentence for name, sentence in fields.items())


def test_fcrm_keeps_the_round_it_is_in_when_told_that_it_is_enough():
    heard = []
    fcrm = tacita.get_method("fcrm", c=3, rmax=200, eps=1e-12)
    s = np.linspace(-1, 1, 90).reshape(-1, 1)
    y = np.abs(s) + 0.3 * np.sin(25 * s)
    run = RunContext(should_stop=lambda: len(heard) >= 4)
    stopped = fcrm.synthesize(y, s, run, on_iteration=heard.append)
    assert len(heard) == 4
    strongest = heard[-1].memberships.argmax(axis=1)
    models = heard[-1].coefficients[strongest, :, 0]
    assert np.allclose(stopped[:, 0], models[:, 0] + models[:, 1] * s[:, 0])


def test_who_waits_for_the_compiler_is_told_so():
    from numba import njit

    told = []
    with api.report_compiling(told.append):
        njit(lambda x: x + 1)(1)
    njit(lambda x: x + 2)(1)
    assert told == [True, False]
