"""The published table says what is published, and nothing more."""

import hashlib
import io
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import tacita
from tables_at_hand import file_of
from tacita.core import Pattern, Table


def example():
    table = Table.from_array(
        [[11, 47, 58], [1, 15, 33], [2, 31, 20.5]],
        labels=[["I", "II", "III"], ["A", "B", "<C>"]],
        names=["activity", "region"],
        primary=np.arange(9).reshape(3, 3) == 4,
    )
    mask = np.zeros((4, 4), dtype=bool)
    mask[1:3, 0:2] = True
    return table, mask


def test_csv_has_labels_value_and_status_with_sums_under_total():
    table, mask = example()
    lines = file_of(table, mask, "csv").decode().splitlines()
    assert lines[0] == "activity,region,value,status"
    assert lines[1] == "I,A,11,published"
    assert lines[6] == "II,B,,withheld"
    assert lines[11] == "III,<C>,20.5,published"
    assert lines[16] == "Total,Total,218.5,published"
    assert len(lines) == 17


def test_a_secondary_cell_looks_like_a_sensitive_one_and_no_cost_is_told():
    table, mask = example()
    pattern = Pattern.of(table, mask)
    swapped = Table.from_array(
        [[11, 47, 58], [1, 15, 33], [2, 31, 20.5]],
        labels=[["I", "II", "III"], ["A", "B", "<C>"]],
        names=["activity", "region"],
        primary=np.arange(9).reshape(3, 3) == 3,
        lower=50,
        cost="count",
    )
    for form in ("csv", "html"):
        assert file_of(table, pattern, form) == file_of(swapped, mask, form)


def test_html_marks_withheld_cells_and_shows_no_other_trace_of_them():
    table, mask = example()
    page = file_of(table, mask, "html").decode()
    assert page.count('<td class="withheld">×</td>') == 4
    assert "&lt;C&gt;" in page
    assert ">15<" not in page
    assert ">31<" not in page


def test_pages_and_workbooks_say_what_the_table_is_unless_a_title_does():
    openpyxl = pytest.importorskip("openpyxl")
    table, mask = example()
    for named, said in (
        (replace(table, response="turnover"), "turnover by activity and region"),
        (replace(table, title="Turnover & firms, 2024"), "Turnover &amp; firms, 2024"),
    ):
        page = file_of(named, mask, "html").decode()
        assert f"<title>{said}</title>" in page
        assert f"<h1>{said}</h1>" in page
        book = openpyxl.load_workbook(io.BytesIO(file_of(named, mask, "excel")))
        assert book["table"]["A1"].value == said.replace("&amp;", "&")
        # a list for programs has columns and no heading
        assert file_of(named, mask, "csv") == file_of(table, mask, "csv")


@pytest.mark.parametrize(("columns", "paper"), [(3, "A4"), (12, "A4 landscape"), (60, r"(\d+)pt (\d+)pt")])
def test_a_wide_table_moves_inside_the_page_and_fits_the_paper(columns, paper):
    table = Table.from_array(np.full((2, columns), 12345678))
    page = file_of(table, np.zeros(table.n, dtype=bool), "html").decode()
    assert '<div class="wide"><table>' in page
    assert ".wide{overflow-x:auto}" in page
    found = re.search(rf"@page{{size:{paper};margin:45pt}}", page)
    size = int(re.search(r"table{font-size:(\d+)pt}", page)[1])
    assert 6 <= size <= 9
    # a digit is half as wide as it is high, and a cell has .6 of that at either side
    needed = size * (columns + 1) * (8 * 0.5 + 1.2)
    assert needed <= (int(found[1]) - 90 if found.groups() else {"A4": 505, "A4 landscape": 752}[paper])


def test_a_cube_has_a_panel_for_each_label_of_its_first_dimension():
    table = Table.from_array(np.arange(8).reshape(2, 2, 2))
    page = file_of(table, np.zeros(27, dtype=bool), "html").decode()
    assert re.findall("<caption>([^<]*)</caption>", page) == [
        f"dimension1: {label}" for label in ("1", "2", "Total")
    ]
    assert page.count("<tr>") == 3 * 4


def test_excel_holds_the_same_and_no_clock():
    openpyxl = pytest.importorskip("openpyxl")
    table, mask = example()
    content = file_of(table, mask, "excel")
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert [cell.value for cell in book["table"][4]] == ["II", "×", "×", 33, 49]
    assert [cell.value for cell in book["cells"][7]] == ["II", "B", None, "withheld"]
    assert file_of(table, mask, "excel") == content


def test_a_workbook_is_the_same_to_the_last_byte_everywhere():
    # a file is audited by writing it again, maybe on another machine and years later
    content = file_of(*example(), "excel")
    assert (
        hashlib.sha256(content).hexdigest()
        == "6515c332041bb7566a618c5932e8e666aafe557e0e924b0a4896fe0377c6ab4e"
    )


def test_a_workbook_holds_nothing_but_two_sheets_of_cells():
    with zipfile.ZipFile(io.BytesIO(file_of(*example(), "excel"))) as package:
        assert package.namelist() == [
            "[Content_Types].xml",
            "_rels/.rels",
            "xl/workbook.xml",
            "xl/_rels/workbook.xml.rels",
            "xl/worksheets/sheet1.xml",
            "xl/worksheets/sheet2.xml",
        ]


@pytest.mark.parametrize("label", ["=1+1", " a ", "a\tb", "a\rb", "a\nb", "<&>", "é×", "\U0001f600", "]]>"])
def test_a_label_comes_back_from_a_workbook_as_it_was(label):
    openpyxl = pytest.importorskip("openpyxl")
    table = Table.from_array([[1, 2]], labels=[[label], ["A", "B"]])
    book = openpyxl.load_workbook(io.BytesIO(file_of(table, np.zeros(6, dtype=bool), "excel")))
    assert book["table"]["A3"].value == book["cells"]["A2"].value == label
    assert book["table"]["A3"].data_type == "s"


def test_a_label_that_no_workbook_can_hold_is_a_clear_error():
    table = Table.from_array([[1, 2]], labels=[["a\x07b"], ["A", "B"]])
    with pytest.raises(tacita.DataError, match="control character"):
        file_of(table, np.zeros(6, dtype=bool), "excel")


def test_a_table_too_large_for_a_sheet_is_a_clear_error():
    table = Table.from_array(np.ones((1, 2**14)))
    with pytest.raises(tacita.DataError, match="16384 columns"):
        file_of(table, np.zeros(table.n, dtype=bool), "excel")


def test_a_sensitive_cell_that_is_not_withheld_is_never_written():
    table, mask = example()
    with pytest.raises(tacita.DataError, match="1 sensitive cells are not suppressed"):
        file_of(table, np.zeros(16, dtype=bool), "csv")
    with pytest.raises(tacita.DataError, match="16 cells"):
        file_of(table, mask[:2], "csv")


def test_a_dimension_named_like_a_column_of_ours_is_refused():
    table = Table.from_array([[1]], names=["value", "x"])
    with pytest.raises(tacita.DataError, match="cannot have the name value"):
        file_of(table, np.zeros(4, dtype=bool), "csv")


def test_rounding_of_sums_does_not_show():
    table = Table.from_array([[0.1, 0.2]])
    assert "1,Total,0.3,published" in file_of(table, np.zeros(6, dtype=bool), "csv").decode()
