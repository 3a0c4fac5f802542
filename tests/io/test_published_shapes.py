"""Published tables of any shape keep their hierarchy, and are read back as what was meant."""

import csv
import io
import re
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_tables import tables
from tables_at_hand import PUBLISHED, file_of
from tacita.core import Hierarchy, Table
from tacita.io.hierarchies import from_nested
from tacita.io.tables.reading import read_back

REGION = from_nested("region", {"north": ["n1", "n2"], "south": {"s1": ["s11", "s12"], "s2": None}})
SIZE = Hierarchy.flat("size", ["small", "large"])
YEAR = Hierarchy.flat("year", ["2023", "2024"])


def made(*dimensions):
    shape = [each.leaves.size for each in dimensions]
    return Table.cross(dimensions, np.arange(1, 1 + np.prod(shape)).reshape(shape), response="turnover")


def shown(form, table):
    """All of a table, nothing withheld."""
    return file_of(table, np.zeros(table.n, dtype=bool), form)


@pytest.mark.parametrize("form", PUBLISHED)
@given(table=tables(dimensions=(1, 4)), seed=st.integers(0, 99))
def test_a_file_of_any_shape_is_read_back_as_what_was_meant(form, table, seed):
    mask = table.primary | (np.random.default_rng(seed).random(table.n) < 0.3)
    content = file_of(table, mask, form)
    assert file_of(table, mask, form) == content
    seen = read_back(content, PUBLISHED[form], table, "A file")
    assert np.array_equal(seen.withheld, mask)
    assert np.allclose(seen.values[~mask], table.values[~mask], rtol=1e-14, atol=0)
    assert seen.besides == ()


@given(table=tables(dimensions=(1, 3)))
def test_a_list_has_the_level_of_each_label_and_sums_before_their_parts(table):
    lines = list(csv.DictReader(io.StringIO(file_of(table, table.primary).decode())))
    for at, dimension in enumerate(table.dimensions):
        place = dict(zip(dimension.labels, range(len(dimension)), strict=True))
        codes = [place[line[dimension.name]] for line in lines]
        if dimension.is_flat:
            assert f"{dimension.name}_level" not in lines[0]
            continue
        told = [int(line[f"{dimension.name}_level"]) for line in lines]
        assert told == dimension.depths[codes].tolist()
        if at == 0:
            seen = set()
            for code in codes:
                parent = dimension.parents[code]
                assert parent < 0 or parent in seen
                seen.add(code)


def test_a_list_from_elsewhere_may_leave_the_levels_away():
    table = made(REGION, SIZE)
    content = shown("csv", table).decode()
    bare = "".join(
        ",".join(cell for at, cell in enumerate(line.split(",")) if at != 1) + "\n"
        for line in content.splitlines()
    )
    assert read_back(bare.encode(), PUBLISHED["csv"], table, "A file").besides == ()


def test_a_page_indents_labels_and_says_what_they_are_part_of():
    page = shown("html", made(SIZE, REGION)).decode()
    assert page.count('<th scope="col" class="level-3" aria-description="part of s1">s11</th>') == 1
    page = shown("html", made(REGION, SIZE)).decode()
    assert '<th scope="row">Total</th>' in page
    assert '<th scope="row" class="level-1" aria-description="part of Total">north</th>' in page
    assert '<th scope="row" class="level-2" aria-description="part of north">n1</th>' in page
    rows = re.findall(r'<tr><th scope="row"[^>]*>([^<]*)</th>', page)
    assert rows == ["Total", "north", "n1", "n2", "south", "s1", "s11", "s12", "s2"]


def test_two_way_tables_are_laid_out_as_before():
    page = shown("html", made(YEAR, SIZE)).decode()
    assert "level-" not in page
    assert "<caption>" not in page


def test_each_label_of_further_dimensions_has_a_panel_under_its_caption():
    page = shown("html", made(YEAR, REGION, SIZE)).decode()
    captions = re.findall("<caption>([^<]*)</caption>", page)
    assert captions == ["year: 2023", "year: 2024", "year: Total"]
    page = shown("html", made(YEAR, SIZE, Hierarchy.flat("sex", ["f"]), REGION)).decode()
    assert page.count("<caption>year: 2023, size: small</caption>") == 1


def test_a_workbook_groups_rows_and_columns_by_their_levels():
    openpyxl = pytest.importorskip("openpyxl")
    place = Hierarchy("place", REGION.labels, REGION.parents)
    content = shown("excel", made(REGION, place))
    sheet = openpyxl.load_workbook(io.BytesIO(content))["table"]
    assert sheet.sheet_properties.outlinePr.summaryBelow is False
    levels = [0, 1, 2, 2, 1, 2, 3, 3, 2]
    assert [sheet.row_dimensions[row].outlineLevel for row in range(3, 12)] == levels
    assert [sheet.column_dimensions[letter].outlineLevel for letter in "BCDEFGHIJ"] == levels
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        order = [
            each.tag.rpartition("}")[2]
            for each in ElementTree.fromstring(package.read("xl/worksheets/sheet1.xml"))
        ]
    # as the schema wants them; a spreadsheet program refuses another order
    assert order == ["sheetPr", "sheetFormatPr", "cols", "sheetData"]


def test_a_hierarchy_of_one_child_each_shows_what_the_flat_table_shows():
    def values(table):
        lines = csv.DictReader(io.StringIO(shown("csv", table).decode()))
        return {(line["size"], line["year"]): line["value"] for line in lines}

    flat = values(made(SIZE, YEAR))
    deep = values(made(from_nested("size", {"S": ["small"], "L": ["large"]}), YEAR))
    assert flat.items() <= deep.items()
