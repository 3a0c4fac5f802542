"""Columns keep their type from any format to any other; what an output cannot keep is said before the run."""

import datetime
from pathlib import Path

import pyarrow as pa
import pytest

import fuzzed_file
import fuzzing
import tacita
import tacita.plans
from planting import failed
from tacita import api
from tacita.cli import run_command
from tacita.core import CsvDialect, DataError, Microdata, VerificationError
from tacita.io.column_types import number_type, typed
from tacita.io.formats.csv import CSV
from tacita.io.formats.parquet import Parquet
from tacita.io.formats.stata import Stata
from tacita.microdata import verify

# Types in (rows) and out (columns): what another reader finds in a file of each format. n number, t text.
TYPES = {
    #          csv  parquet  dta  sav  xpt  xlsx
    "weight": "t    n        n    n    n    n",
    "count_": "t    n        n    n    n    n",
    "score": " t    n        n    n    n    n",
    "postal": "t    t        t    t    t    t",
    "note": "  t    t        t    t    t    t",
}
ROWS = 24
COLUMNS = {
    "region": ["north", "south", "east"] * 8,
    "sex": [1, 2] * 12,
    "weight": [round(1.25 * row + 100, 2) for row in range(ROWS)],
    "count_": list(range(ROWS)),
    "score": [None if row % 5 == 0 else row / 8 for row in range(ROWS)],
    "postal": ["0100", "0200", "1300", "0400"] * 6,
    "note": [None if row % 4 == 0 else f"r {row}" for row in range(ROWS)],
}
KEYS = {"quasi": ["region", "sex"], "method": "local-suppression", "k": 3}


def source_in(ending, folder, columns=None):
    case = fuzzing.Case(0, columns or COLUMNS, ending, "csv", {})
    return fuzzing.written(case, folder)


@pytest.mark.each_once
@pytest.mark.parametrize("target", fuzzing.ENDINGS)
@pytest.mark.parametrize("source", fuzzing.ENDINGS)
def test_the_table_of_types_holds_for_every_pair_of_formats(source, target, tmp_path):
    out = tmp_path / f"out.{target}"
    tacita.save(tacita.protect(source_in(source, tmp_path), **KEYS), out)
    shown = fuzzed_file.read(out)
    for name, row in TYPES.items():
        wanted = {"n": float, "t": str}[row.split()[fuzzing.ENDINGS.index(target)]]
        present = [cell for cell in shown[name] if cell is not None]
        assert {type(cell) for cell in present} == {wanted}, name
        same = [None if cell is None else wanted(cell) for cell in COLUMNS[name]]
        if wanted is str and name in ("weight", "count_", "score"):
            same = [None if cell is None else float(cell) for cell in COLUMNS[name]]
            present = [None if cell is None else float(cell) for cell in shown[name]]
            assert present == same, name
        else:
            assert shown[name] == same, name
    # a protected key of plain whole numbers is one in every file that knows types
    assert {type(cell) for cell in shown["sex"]} == {str if target == "csv" else float}


@pytest.mark.parametrize("target", fuzzing.ENDINGS)
def test_suppressed_text_keys_pass_the_verification_of_every_format(target, tmp_path):
    columns = COLUMNS | {"region": ["north"] * 11 + ["south"] * 11 + ["west", "east"]}
    for source in fuzzing.ENDINGS:
        release = tacita.protect(source_in(source, tmp_path, columns), **KEYS)
        assert release.claim.suppressed.any()
        tacita.save(release, tmp_path / f"{source}.{target}")
        shown = fuzzed_file.read(tmp_path / f"{source}.{target}")
        assert shown["region"].count(None) == release.claim.suppressed[:, 0].sum()


@pytest.mark.parametrize("target", fuzzing.ENDINGS)
def test_whole_numbers_that_are_recoded_stand_beside_a_second_step(target, tmp_path):
    for source in fuzzing.ENDINGS:
        columns = COLUMNS | {"sex": [None, *COLUMNS["sex"][1:]]}
        steps = [
            {
                "method": "recode",
                "quasi": ["sex"],
                "map": {"sex": {"1": "m", "2": "f", "1.0": "m", "2.0": "f"}},
            },
            {"method": "mdav", "quasi": ["count_"], "k": 3},
        ]
        out = tmp_path / f"{source}.{target}"
        tacita.save(tacita.protect(source_in(source, tmp_path, columns), steps=steps, accept_risks=True), out)
        assert set(fuzzed_file.read(out)["sex"]) == {None, "m", "f"}


def test_categories_of_odd_spellings_stay_text():
    source = Microdata.of(pa.table({"q": ["1", "1.0", "2"], "w": ["1", "1.0", "2"]}), dialect=CsvDialect())
    claim = verify_claim(source, ("q",))
    types = typed(source, claim).frame.to_arrow().schema
    assert (types.field("q").type, types.field("w").type) == (pa.string(), pa.float64())


def verify_claim(source, quasi):
    from tacita.core import Roles
    from tacita.core.results.release import Claim

    roles = Roles(quasi=quasi, nominal=quasi)
    return Claim(source.with_roles(roles), pa.array(range(source.n)).to_numpy(), None, None, ())


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-2", "NA"], pa.int64()),
        (["1", "2.5"], pa.float64()),
        (["1e3", "2"], pa.float64()),
        (["01", "2"], None),
        (["1", "two"], None),
        (["NA", ""], None),
        (["inf", "1"], None),
        (["9007199254740993", "1"], None),
        (["9007199254740993", "1.5"], None),
        (["2024-05-01", "2024-05-02"], None),
    ],
)
def test_what_is_a_number_in_a_text_file(cells, kind):
    assert number_type(pa.array(cells), CsvDialect()) == kind


def test_decimal_commas_and_declared_gaps_are_read_as_the_source_has_them(tmp_path):
    source = tmp_path / "source.csv"
    lines = ["x;w;n", *(f"{row % 3};{row},5;{'-9' if row % 4 else row}" for row in range(12))]
    source.write_text("\n".join(lines) + "\n")
    data = tacita.read(source, decimal=",", missing_values=("", "-9"))
    tacita.save(tacita.protect(data, quasi=["x"], k=3), tmp_path / "out.parquet")
    shown = fuzzed_file.read(tmp_path / "out.parquet")
    assert shown["w"] == [row + 0.5 for row in range(12)]
    assert shown["n"] == [None if row % 4 else float(row) for row in range(12)]


PLANTED = {
    "another weight": ("weight", lambda cells: [cells[0] + 0.25, *cells[1:]], "others-identical"),
    "a weight that is gone": ("weight", lambda cells: [None, *cells[1:]], "others-identical"),
    "a gap that was filled": ("score", lambda cells: [7.0, *cells[1:]], "others-identical"),
    "another key": ("sex", lambda cells: [3, *cells[1:]], "only-withheld"),
    "a key that is gone": ("region", lambda cells: [None, *cells[1:]], "only-withheld"),
    "a key of somebody else": ("sex", lambda cells: [2, *cells[1:]], "only-withheld"),
}


@pytest.mark.each_once
@pytest.mark.parametrize("form", [Stata(), Parquet()], ids=["dta", "parquet"])
@pytest.mark.parametrize("how", PLANTED)
def test_a_typed_file_of_a_text_file_that_says_something_else_is_found(how, form, tmp_path):
    release = tacita.protect(source_in("csv", tmp_path), **KEYS)
    honest = typed(Microdata.of(release.data, dialect=release.claim.original.dialect), release.claim)
    assert failed(verify.verify_file(verify.WrittenFile(form.encode(honest), form), release.claim)) == set()
    name, change, guarantee = PLANTED[how]
    table = honest.frame.to_arrow()
    place, kind = table.column_names.index(name), table.schema.field(name).type
    cells = pa.array(change(table[name].to_pylist()), kind)
    content = form.pack(table.set_column(place, name, cells))
    assert guarantee in failed(verify.verify_file(verify.WrittenFile(content, form), release.claim))


def test_text_instead_of_numbers_is_no_other_value(tmp_path):
    """A plug-in that writes all as text loses types, not values, and promises none of them."""
    release = tacita.protect(source_in("csv", tmp_path), **KEYS)
    content = CSV().encode(Microdata.of(release.data, dialect=release.claim.original.dialect))
    assert failed(verify.verify_file(verify.WrittenFile(content, CSV()), release.claim)) == set()


def plan_of(source, target, **section):
    from tacita.microdata.plans.plan import Plan

    return Plan(
        input={"path": source},
        output={"path": target},
        roles={"quasi": section.pop("quasi", ["x"]), "identifiers": section.pop("identifiers", [])},
        protect={"method": "mdav", "k": 3, **section},
    )


REFUSED = {
    "names too long for SAS": ({"a_long_name": [1.0] * 6}, "xpt", "at most 8 English letters"),
    "truth values": ({"y": [True, False] * 3}, "dta", "type bool"),
    "whole numbers beyond 2^53": ({"y": [2**60] * 6}, "sav", "beyond 2\\^53"),
    "blanks at the end": ({"y": ["a ", "b"] * 3}, "sav", "end in a blank"),
    "lists": ({"y": [[1], [2]] * 3}, "csv", "cannot be written as CSV"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_written_is_refused_before_the_run(what, tmp_path, monkeypatch):
    columns, ending, words = REFUSED[what]
    source = tmp_path / "in.parquet"
    source.write_bytes(Parquet().pack(pa.table({"x": [1.0, 2, 3, 4, 5, 6], **columns})))
    monkeypatch.setattr(tacita.plans, "make_file", lambda *_: pytest.fail("the run began"))
    with pytest.raises(DataError, match=words):
        api.run_plan(plan_of(source, tmp_path / f"out.{ending}"))
    (name,) = columns
    monkeypatch.undo()
    api.run_plan(plan_of(source, tmp_path / f"out.{ending}", identifiers=[name]))


def test_cells_of_records_that_leave_need_not_be_written(tmp_path):
    source = tmp_path / "in.parquet"
    x = [1.0, 2, 3, 4, 5, None]
    source.write_bytes(Parquet().pack(pa.table({"x": x, "y": [1, 2, 3, 4, 5, 2**60]})))
    api.run_plan(plan_of(source, tmp_path / "out.dta", missing="drop"))


def test_what_is_lost_without_harm_is_said_before_the_run(tmp_path, capsys):
    days = [datetime.date(2024, 5, day) for day in range(1, 7)]
    table = pa.table({"x": [1.0, 2, 3, 4, 5, 6], "day": days, "land": ["NA", "DE"] * 3})
    (tmp_path / "in.parquet").write_bytes(Parquet().pack(table))
    words = ["protect", str(tmp_path / "in.parquet"), "--out", str(tmp_path / "out.csv"), "--quasi", "x"]
    assert run_command(words) == 0
    said = capsys.readouterr()
    assert "before the run: Files ending in .csv do not hold all" in said.err
    assert "dates become text (day)" in said.err
    assert "read as missing (land)" in said.err
    assert "2024" not in said.err
    heard = []
    release = api.run_plan(
        plan_of(tmp_path / "in.parquet", tmp_path / "out.parquet"), tacita.RunContext(on_warning=heard.append)
    )
    assert heard == []
    assert "format-keeps-less" not in {each.name for each in release.record.warnings}


def test_protected_texts_that_read_as_missing_are_refused_in_words(tmp_path):
    frame = pa.table({"land": ["NA", "DE", "FR"] * 4})
    release = tacita.protect(frame, quasi=["land"], method="local-suppression", k=3)
    with pytest.raises(
        DataError, match="4 cells of the protected column land are texts that read as missing"
    ):
        tacita.save(release, tmp_path / "out.csv")
    tacita.save(release, tmp_path / "out.dta")
    assert not Path(tmp_path / "out.csv").exists()


def test_empty_texts_and_suppressed_cells_are_told_apart_by_the_claim(tmp_path):
    """All empty texts were suppressed: what a Stata file shows as empty is what was taken away."""
    frame = pa.table({"e": ["", "u", "u", "u", "v", "v", "v"], "z": [1.0] * 7})
    release = tacita.protect(frame, quasi=["e"], method="local-suppression", k=3)
    tacita.save(release, tmp_path / "out.dta")
    assert fuzzed_file.read(tmp_path / "out.dta")["e"].count(None) == release.claim.suppressed.sum() > 0


def test_several_steps_of_noise_are_refused_in_words_not_as_a_fault():
    columns = {"x": [float(row % 7) for row in range(40)], "y": [row % 3 for row in range(40)]}
    steps = [
        {"method": "noise", "quasi": ["x"], "alpha": 0.001},
        {"method": "recode", "quasi": ["y"], "map": {"y": {"0": "a", "1": "a", "2": "b"}}},
    ]
    with pytest.raises(tacita.ParameterError, match="protects too little"):
        tacita.protect(pa.table(columns), steps=steps)
    try:
        tacita.protect(pa.table(columns), steps=steps, accept_risks=True)
    except VerificationError:
        pytest.fail("what was insisted on failed the verification of its step")
