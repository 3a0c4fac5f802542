"""Files of Stata, SPSS, SAS and Excel: what goes in comes back, and nothing that records do not show."""

import datetime
import io
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from io_files import COLUMNS, SECRET, data_set, survey_dta, survey_sav, survey_xlsx, survey_xpt
from tacita.cli import run_command
from tacita.core import DataError, Microdata, ParameterError
from tacita.core.data.column_metadata import ColumnNotes, Notes
from tacita.io.formats.excel import Excel
from tacita.io.formats.spss import SPSS
from tacita.io.formats.stata import Stata
from tacita.io.formats.xport import Xport

FORMATS = {"dta": Stata, "sav": SPSS, "xpt": Xport, "xlsx": Excel}
SOURCES = {"dta": survey_dta, "sav": survey_sav, "xpt": survey_xpt, "xlsx": survey_xlsx}
each_format = pytest.mark.parametrize("ending", FORMATS)
each_package = pytest.mark.parametrize("ending", ["dta", "sav", "xpt"])


def written(form, table, notes=None):
    content = form.encode(Microdata.of(table, notes=notes))
    return content, form.decode(content, "file")


def doubles(least, most):
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    return numbers.filter(lambda x: x == 0 or least <= abs(x) <= most).map(lambda x: x + 0.0)


NUMBERS = {
    "dta": doubles(0, 8.9e307),
    "sav": doubles(0, 1.7e308),
    "xpt": doubles(1e-77, 7e75),
    "xlsx": doubles(0, 1.7e308),
}
# what a workbook can hold at all, the least that all can
LETTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
TEXTS = st.text(LETTERS, min_size=1, max_size=12).map(lambda text: text.rstrip(" ") or "x")
DAYS = st.dates(datetime.date(1900, 3, 1))
# from 2232 on a double of seconds since 1960 no longer tells microseconds apart, and such moments are refused
MOMENTS = st.datetimes(datetime.datetime(1900, 3, 1), datetime.datetime(2232, 1, 1)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)


@st.composite
def tables(draw, ending):
    rows = draw(st.integers(1, 6))

    def column(cells, kind):
        return pa.array(draw(st.lists(st.none() | cells, min_size=rows, max_size=rows)), kind)

    return pa.table(
        {
            "x": column(NUMBERS[ending], pa.float64()),
            "n": column(st.integers(-(2**53), 2**53), pa.int64()),
            "b": column(st.integers(-128, 127), pa.int8()),
            "text": column(TEXTS, pa.string()),
            "day": column(DAYS, pa.date32()),
            "at": column(MOMENTS, pa.timestamp("ms")),
            # a last record without any value could not be told from the end of a sheet
            "row": pa.array(np.arange(rows)),
        }
    )


@each_format
@given(data=st.data())
def test_what_goes_in_comes_back_the_same(ending, data):
    table = data.draw(tables(ending))
    content, again = written(FORMATS[ending](), table)
    assert again.columns == table.column_names
    for name in table.column_names:
        back = again.native[name].combine_chunks()
        was = table[name].combine_chunks()
        # a column of gaps has no type of its own in a sheet
        assert back.null_count == was.null_count == len(was) or back.cast(was.type).equals(was), name
    assert FORMATS[ending]().encode(again) == content


@given(data=st.data())
def test_other_readers_find_the_same_numbers_in_stata_and_transport_files(data):
    values = data.draw(st.lists(NUMBERS["xpt"].filter(lambda x: x != 0), min_size=1, max_size=20))
    table = pa.table({"x": values})
    stata = pd.read_stata(io.BytesIO(Stata().pack(table)))
    assert stata["x"].tolist() == values
    transport = pyreadstat.read_xport(io.BytesIO(Xport().pack(table)), output_format="dict")[0]
    assert transport["x"] == values


def test_pandas_reads_a_stata_file_with_its_labels_and_missing_letters():
    table = pa.table({"sex": pa.array([1, 2, None, None]), "town": ["Köln", "b", "c", "d" * 3000]})
    notes = Notes(
        "stata",
        {
            "sex": ColumnNotes(
                "Sex", {1.0: "man", 2.0: "woman", "b": "refused"}, ("b",), np.array([-1, -1, 0, -1])
            ),
        },
    )
    content = Stata().encode(Microdata.of(table, notes=notes))
    with pd.io.stata.StataReader(io.BytesIO(content)) as reader:
        frame = reader.read(convert_missing=True, convert_categoricals=False)
        assert [str(cell) for cell in frame["sex"]] == ["1", "2", ".b", "."]
        assert frame["town"].tolist() == table["town"].to_pylist()
        assert reader.variable_labels() == {"sex": "Sex", "town": ""}
        assert list(reader.value_labels().values()) == [{1: "man", 2: "woman", 2147483623: "refused"}]
        assert (reader.data_label, reader.time_stamp) == ("", "")


@each_format
def test_a_file_comes_out_without_what_no_record_shows(ending, tmp_path, monkeypatch):
    """The leak of the libraries: labels of absent codes, notes, names of dropped columns, other sheets."""
    monkeypatch.chdir(tmp_path)
    source = SOURCES[ending]()
    assert SECRET in source or ending == "xlsx"
    Path(f"in.{ending}").write_bytes(source)
    words = ["protect", f"in.{ending}", "--out", f"out.{ending}", "--quasi", "income", "--identifiers", "pid"]
    assert run_command([*words, "--quiet"]) == 0
    released = Path(f"out.{ending}").read_bytes()
    assert SECRET not in released
    assert b"pid" not in released
    assert b"2026" not in released
    assert run_command([*words, "--quiet", "--force"]) == 0
    assert Path(f"out.{ending}").read_bytes() == released


@pytest.mark.parametrize("into", ["csv", "parquet", *FORMATS])
@each_format
def test_every_format_becomes_every_other_and_each_release_is_verified(ending, into, tmp_path):
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{into}"
    source.write_bytes(SOURCES[ending]())
    release = tacita.protect(source, quasi=["income"], identifiers=["pid"], k=3)
    tacita.save(release, target)
    again = tacita.read(target)
    assert again.columns == COLUMNS[1:]
    before = tacita.read(source)
    assert again.numbers("sex").tolist() == before.numbers("sex").tolist()
    assert [str(day) for day in again.column("born").to_list()] == [
        str(day) for day in before.column("born").to_list()
    ]
    assert SECRET not in target.read_bytes()


@pytest.mark.parametrize("into", FORMATS)
def test_text_of_a_csv_file_keeps_its_letters(into, tmp_path):
    source = tmp_path / "in.csv"
    lines = [f"0{i},{['', 'a b', '=1', 'é'][i % 4]},{i * 1.5}" for i in range(9)]
    source.write_text("plz,note,x\n" + "\n".join(lines) + "\n", encoding="utf-8")
    tacita.save(tacita.protect(source, quasi=["x"], k=3), tmp_path / f"out.{into}")
    again = tacita.read(tmp_path / f"out.{into}")
    assert again.column("plz").to_list() == [f"0{i}" for i in range(9)]
    assert [cell or "" for cell in again.column("note").to_list()] == [line.split(",")[1] for line in lines]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@each_format
def test_categories_and_gaps_of_frames_are_verified_in_files(kind, ending, tmp_path):
    table = pa.table(
        {
            "size": pa.array(["small", "large", "small"] * 3).dictionary_encode(),
            "whole": pa.array([1, None, 3] * 3),
            "small": pa.array([0.5, 1.5, None] * 3, pa.float32()),
            "text": pa.array(["a", None, "c"] * 3),
            "x": [float(i) for i in range(9)],
        }
    )
    frame = table.to_pandas() if kind == "pandas" else __import__("polars").from_arrow(table)
    tacita.save(tacita.protect(frame, quasi=["x"], k=3), tmp_path / f"out.{ending}")
    again = tacita.read(tmp_path / f"out.{ending}")
    assert again.column("size").to_list() == table["size"].to_pylist()
    assert again.column("text").to_list() == table["text"].to_pylist()


def test_labels_and_reasons_survive_where_records_show_them():
    data = SPSS().decode(survey_sav(), "in.sav")
    kept = data.notes
    assert kept.of("hours").codes == (-9.0, -8.0)
    release = tacita.protect(data, quasi=["income"], identifiers=["pid"], k=3)
    from tacita.microdata.release.column_metadata import notes_of

    notes = notes_of(release.claim, release.data)
    assert set(notes.columns) == set(COLUMNS[1:])
    assert notes.of("sex").values == {1.0: "man", 2.0: "woman"}
    assert notes.of("sex").label == "Sex"
    assert notes.of("sex").measure == "nominal"
    assert notes.of("hours").values == {-9.0: "refused", -8.0: "unknown"}
    assert notes.of("hours").kinds[:7].tolist() == [-1, -1, -1, 0, -1, 1, -1]


@pytest.mark.parametrize(
    ("ending", "codes"), [("sav", (-9.0, -8.0)), ("dta", ("a", "b")), ("xpt", ("A", "B"))]
)
def test_reasons_for_missing_values_are_written_in_the_words_of_each_package(ending, codes, tmp_path):
    release = tacita.protect(
        SPSS().decode(survey_sav(), "in.sav"), quasi=["income"], identifiers=["pid"], k=3
    )
    tacita.save(release, tmp_path / f"out.{ending}")
    own = tacita.read(tmp_path / f"out.{ending}").notes.of("hours")
    assert own.codes == codes
    assert np.flatnonzero(own.kinds >= 0).tolist() == [3, 5]


@pytest.mark.parametrize("role", ["quasi", "strata", "require"])
@each_package
def test_reasons_go_where_promises_count_missing_values_as_one(role, ending, tmp_path):
    """Records of one group would be told apart by why a value is missing."""
    source = tmp_path / f"in.{ending}"
    source.write_bytes(SOURCES[ending]())
    given = {
        "quasi": {"quasi": ["hours"], "missing": "stratum", "k": 3},
        "strata": {"quasi": ["income"], "strata": ["few"], "k": 3},
        "require": {"quasi": ["income"], "k": 3, "require": {"k_anonymity": {"k": 2, "keys": ["few"]}}},
    }[role]
    column = "hours" if role == "quasi" else "few"
    data = tacita.read(source)
    assert len(data.notes.of(column).codes) == 2
    release = tacita.protect(data, identifiers=["pid"], **given)
    tacita.save(release, tmp_path / f"out.{ending}")
    again = tacita.read(tmp_path / f"out.{ending}")
    assert again.notes.of(column).codes == ()
    assert "refused" not in again.notes.of(column).values.values()
    assert again.missing(column).sum() == data.missing(column).sum()


def test_more_than_three_missing_codes_become_a_range_that_holds_no_value():
    codes = (-9.0, -8.0, -7.0, -6.0, 99.0)
    cells = pa.array([None] * 5 + [1.0, 2.0])
    notes = Notes("spss", {"x": ColumnNotes(codes=codes, kinds=np.array([0, 1, 2, 3, 4, -1, -1]))})
    content, again = written(SPSS(), pa.table({"x": cells}), notes)
    assert again.notes.of("x").codes == codes
    assert again.notes.of("x").kinds.tolist() == [0, 1, 2, 3, 4, -1, -1]
    about = pyreadstat.read_sav(io.BytesIO(content), user_missing=True)[1]
    assert about.missing_ranges["x"] == [{"lo": -9.0, "hi": -6.0}, {"lo": 99.0, "hi": 99.0}]
    with pytest.raises(DataError, match="5 codes of missing values among its values"):
        written(SPSS(), pa.table({"x": pa.array([None] * 5 + [-7.5, 50.0])}), notes)


def test_a_recoded_column_loses_the_labels_of_its_codes(tmp_path):
    data = SPSS().decode(survey_sav(), "in.sav")
    step = {"method": "recode", "quasi": ["region"], "map": {"1": "1", "2": "1", "3": "3"}}
    tacita.save(tacita.protect(data, steps=[step], identifiers=["pid"]), tmp_path / "out.sav")
    again = tacita.read(tmp_path / "out.sav")
    assert set(again.column("region").to_list()) == {"1", "3"}
    assert again.notes.of("region").values == {}
    assert again.notes.of("region").label == "Region"
    assert again.notes.of("sex").values == {1.0: "man", 2.0: "woman"}


def test_text_codes_that_were_recoded_lose_labels_that_mean_something_else_now():
    notes = Notes("spss", {"job": ColumnNotes("Job", {"a": "farmer", "b": "miner"})})
    data = Microdata.of(pa.table({"job": ["a", "b", "b", "a"], "x": [1.0, 2.0, 3.0, 4.0]}), notes=notes)
    step = {"method": "recode", "quasi": ["job"], "map": {"b": "a", "a": "b"}}
    release = tacita.protect(data, steps=[step])
    from tacita.microdata.release.column_metadata import notes_of

    assert notes_of(release.claim, release.data).of("job").values == {}
    assert notes_of(release.claim, release.data).of("job").label == "Job"


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_coded_columns_are_read_as_their_labels_where_asked(ending, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(f"in.{ending}").write_bytes(SOURCES[ending]())
    data = tacita.read(f"in.{ending}", value_labels=True)
    assert set(data.column("sex").to_list()) == {"man", "woman"}
    # labels of missing codes make no categories of a number
    assert data.kind("hours") == "numeric"
    words = ["protect", f"in.{ending}", "--value-labels", "--out", "out.csv", "--identifiers", "pid"]
    plan = f'version = 1\n[input]\npath = "in.{ending}"\nvalue_labels = true\n'
    plan += '[roles]\nidentifiers = ["pid"]\n[[steps]]\nmethod = "recode"\nquasi = ["region"]\n'
    plan += '[steps.map]\nnorth = "up"\nsouth = "down"\neast = "down"\n[output]\npath = "out.csv"\n'
    Path("plan.toml").write_text(plan)
    assert run_command(["run", "plan.toml", "--quiet"]) == 0
    assert set(tacita.read("out.csv").column("region").to_list()) == {"up", "down"}
    assert run_command([*words, "--quasi", "income", "--force", "--quiet"]) == 0
    assert set(tacita.read("out.csv").column("sex").to_list()) == {"man", "woman"}


def test_two_codes_of_one_label_are_not_merged_in_silence():
    notes = Notes("spss", {"x": ColumnNotes(values={1.0: "other", 2.0: "other"})})
    content = SPSS().encode(Microdata.of(pa.table({"x": [1.0, 2.0]}), notes=notes))
    with pytest.raises(DataError, match="x has 1 codes with the same label as another code"):
        SPSS(value_labels=True).decode(content, "in.sav")


def test_a_data_set_of_sas_is_read_with_labels_clocks_and_missing_letters(tmp_path):
    columns = [("ID", 6, "$", "person"), ("INCOME", 0, "COMMA", "Income"), ("BORN", 0, "DATE", "")]
    rows = [(f"P{i}", float(i), i * 100.0) for i in range(7)] + [("Pü", ".A", None), ("", None, ".B")]
    path = tmp_path / "in.sas7bdat"
    path.write_bytes(data_set(columns, rows))
    data = tacita.read(path)
    assert data.column("ID").to_list()[6:] == ["P6", "Pü", None]
    assert data.column("BORN").to_list()[:2] == [datetime.date(1960, 1, 1), datetime.date(1960, 4, 10)]
    assert data.notes.of("INCOME").codes == ("A",)
    release = tacita.protect(data, quasi=["INCOME"], identifiers=["ID"], missing="drop", k=3)
    tacita.save(release, tmp_path / "out.xpt")
    again = tacita.read(tmp_path / "out.xpt")
    assert again.notes.of("INCOME").label == "Income"
    assert again.column("BORN").to_list()[1] == datetime.date(1960, 4, 10)
    with pytest.raises(ParameterError, match=r"can be read, not written. Choose \.xpt"):
        tacita.save(release, tmp_path / "out.sas7bdat")
    parts = list(registry_format("sas")().chunks(path, 4))
    assert [part.num_rows for part in parts] == [4, 4, 1]


def registry_format(name):
    from tacita import registry

    return registry.lookup(name, "format")


@each_package
def test_files_are_read_by_parts_that_joined_are_the_whole(ending, tmp_path):
    path = tmp_path / f"in.{ending}"
    path.write_bytes(SOURCES[ending]())
    form = FORMATS[ending]()
    assert form.streams
    parts = list(form.chunks(path, 7))
    assert [part.num_rows for part in parts] == [7, 7, 7, 7, 2]
    assert pa.Table.from_batches(parts).equals(tacita.read(path).native)


@pytest.mark.parametrize("version", [5, 8])
def test_both_versions_of_transport_files_are_read(version, tmp_path):
    path = str(tmp_path / "in.xpt")
    frame = pd.DataFrame(
        {"x": [1.0, np.nan, -2.5], "name" if version == 5 else "quite_a_long_name": ["a", "", "ü"]}
    )
    pyreadstat.write_xport(frame, path, file_format_version=version, column_labels=["X", "y" * 8 * version])
    data = tacita.read(path)
    assert data.columns == list(frame.columns)
    assert data.column("x").to_list() == [1.0, None, -2.5]
    assert data.column(frame.columns[1]).to_list() == ["a", None, "ü"]
    assert data.notes.of(frame.columns[1]).label == "y" * 8 * version


def test_a_table_whose_last_lines_are_blank_is_not_cut_short_or_filled():
    """Transport files are filled with blanks up to a line, which can look like records of text."""
    for rows in range(1, 60):
        table = pa.table({"a": ["x"] * rows, "b": [None] * (rows - 1) + ["y"]})
        assert Xport().unpack(Xport().pack(table), "in.xpt").num_rows == rows


@pytest.mark.parametrize("width", [1, 7, 8, 9, 200, 254, 255, 256, 257, 503, 504, 505, 756, 1500, 32767])
def test_spss_holds_text_of_any_width(width):
    table = pa.table({"a": ["ü" * (width // 2) + "x" * (width % 2), "b"], "n": [1.0, 2.0]})
    assert SPSS().unpack(SPSS().pack(table), "in.sav").equals(table)


@pytest.mark.parametrize("width", [1, 2045, 2046, 70000])
def test_stata_holds_text_of_any_width(width):
    table = pa.table({"n": [1.0, 2.0, 3.0], "a": ["x" * width, "b", "c"], "z": ["y" * width, "b", "c"]})
    assert Stata().unpack(Stata().pack(table), "in.dta").equals(table)


@pytest.mark.parametrize("name", ["pyreadstat", "openpyxl"])
def test_without_its_library_a_file_is_refused_with_what_to_install(name, tmp_path, monkeypatch):
    import sys

    ending = "sav" if name == "pyreadstat" else "xlsx"
    path = tmp_path / f"in.{ending}"
    path.write_bytes(SOURCES[ending]())
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ParameterError, match=rf"package {name} is needed. Install tacita\[formats\]"):
        tacita.read(path)


def test_a_sheet_is_chosen_by_name_or_number(tmp_path):
    path = tmp_path / "in.xlsx"
    path.write_bytes(survey_xlsx())
    assert tacita.read(path).columns == COLUMNS
    for asked in ("Other", "2"):
        assert tacita.read(path, sheet=asked).columns == ["other"]
    with pytest.raises(ParameterError, match="There are 3: Data, Other, Hidden"):
        tacita.read(path, sheet="Third")


def test_a_released_workbook_is_cells_and_nothing_else(tmp_path):
    path = tmp_path / "in.xlsx"
    path.write_bytes(survey_xlsx())
    tacita.save(tacita.protect(path, quasi=["income"], identifiers=["pid"], k=3), tmp_path / "out.xlsx")
    book = openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert book.sheetnames == ["records"]
    assert not book.defined_names
    assert book.properties.creator in (None, "openpyxl")
    assert all(cell.comment is None for row in book.active.iter_rows() for cell in row)
    formulas = [cell for row in book.active.iter_rows() for cell in row if cell.data_type == "f"]
    assert not formulas


def test_the_bytes_of_a_workbook_do_not_tell_when_it_was_made():
    import zipfile

    table = pa.table({"day": [datetime.date(2020, 1, 2)], "x": [1]})
    with zipfile.ZipFile(io.BytesIO(Excel().pack(table))) as package:
        assert {entry.date_time for entry in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert not [name for name in package.namelist() if "docProps" in name or "sharedStrings" in name]


@pytest.mark.parametrize("into", ["parquet", *FORMATS])
def test_a_recoded_column_of_text_with_gaps_can_be_written_to_a_typed_file(into, tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("region,x\n" + "".join(f"{['north', '', 'south'][i % 3]},{i}\n" for i in range(9)))
    step = {"method": "recode", "quasi": ["region"], "map": {"north": "up", "south": "down"}}
    tacita.save(tacita.protect(source, steps=[step]), tmp_path / f"out.{into}")
    again = tacita.read(tmp_path / f"out.{into}").column("region").to_list()
    assert [cell or "" for cell in again] == ["up", "", "down"] * 3


@each_package
def test_a_file_that_tells_why_values_are_missing_is_judged_by_what_it_tells(ending, tmp_path):
    """Ten records miss `few`, two of them each for a reason of its own: by that they can be told apart."""
    path = tmp_path / f"in.{ending}"
    path.write_bytes(SOURCES[ending]())
    wanted = {"k_anonymity": {"k": 3, "keys": ["few"]}}
    [verdict] = tacita.check_requirements(path, require=wanted)
    assert not verdict.passed
    assert "2" in verdict.detail
    # the cells alone, as a frame has them, do not tell
    assert all(each.passed for each in tacita.check_requirements(tacita.read(path).native, require=wanted))
