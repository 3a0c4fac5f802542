"""The published table says what is published, and nothing more."""

import io
import sys

import numpy as np
import pytest

import tacita
from tacita.core import Pattern, Table
from tacita.io import published


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
    lines = published.to_csv(table, mask).decode().splitlines()
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
    for write in (published.to_csv, published.to_html):
        assert write(table, pattern) == write(swapped, mask)


def test_html_marks_withheld_cells_and_shows_no_other_trace_of_them():
    table, mask = example()
    page = published.to_html(table, mask, "Turnover & more").decode()
    assert page.count('<td class="withheld">×</td>') == 4
    assert "&lt;C&gt;" in page
    assert "Turnover &amp; more" in page
    assert ">15<" not in page
    assert ">31<" not in page


def test_a_cube_is_listed():
    table = Table.from_array(np.arange(8).reshape(2, 2, 2))
    assert published.to_html(table, np.zeros(27, dtype=bool)).decode().count("<tr>") == 28


def test_excel_holds_the_same_and_no_clock():
    openpyxl = pytest.importorskip("openpyxl")
    table, mask = example()
    content = published.to_excel(table, mask)
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert [cell.value for cell in book["table"][3]] == ["II", "×", "×", 33, 49]
    assert [cell.value for cell in book["cells"][7]] == ["II", "B", None, "withheld"]
    assert published.to_excel(table, mask) == content


def test_excel_without_its_package_is_a_clear_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(tacita.ParameterError, match=r"tacita\[excel\]"):
        published.to_excel(*example())


def test_a_sensitive_cell_that_is_not_withheld_is_never_written():
    table, mask = example()
    with pytest.raises(tacita.DataError, match="1 sensitive cells are not withheld"):
        published.to_csv(table, np.zeros(16, dtype=bool))
    with pytest.raises(tacita.DataError, match="16 cells"):
        published.to_csv(table, mask[:2])


def test_a_dimension_named_like_a_column_of_ours_is_refused():
    table = Table.from_array([[1]], names=["value", "x"])
    with pytest.raises(tacita.DataError, match="called value"):
        published.to_csv(table, np.zeros(4, dtype=bool))


def test_rounding_of_sums_does_not_show():
    table = Table.from_array([[0.1, 0.2]])
    assert "1,Total,0.3,published" in published.to_csv(table, np.zeros(6, dtype=bool)).decode()
