"""A writer that errs writes nothing: its bytes are read back, compared cell by cell, and audited."""

import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from tables_at_hand import PUBLISHED, file_of
from tacita.core import DataError, Pattern, Table, VerificationError
from tacita.io.tables import html
from tacita.io.tables.published_table import Shown
from tacita.io.tables.reading import Seen, read_back
from tacita.tables.input import contributor_columns
from tacita.tables.verify.audit import audit
from tacita.tables.verify.claim import encoded, verify_file
from tacita.tables.verify.suppressed import SuppressionClaim, changed

TABLE = Table.from_array(
    [[11.0, 47.5, 58.0], [1.0, 15.0, 33.0], [2.0, 31.0, 20.0]],
    primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]],
    names=["a", "b"],
    labels=[["x", "y", "z"], ["p", "q", "r"]],
)
CORNERS = np.zeros(TABLE.shape, dtype=bool)
CORNERS[1:3, 0:2] = True
PATTERN = Pattern.of(TABLE, CORNERS, problem="exact")
CLAIM = SuppressionClaim(PATTERN, audit(TABLE, PATTERN))
FORMS = ["csv", "excel", "html"]


def writing(monkeypatch, form, change):
    """What becomes of a table if a writer first changes it or its pattern."""
    true = Shown.of
    monkeypatch.setattr(Shown, "of", lambda *given: true(*change(*given)))
    return encoded(CLAIM, PUBLISHED[form])


@pytest.mark.parametrize("form", FORMS)
def test_an_honest_writer_passes(form, monkeypatch):
    assert writing(monkeypatch, form, lambda *given: given)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cell", [0, 1, 15])
def test_another_value_in_any_published_cell_is_refused(form, cell, monkeypatch):
    values = TABLE.values + np.where(np.arange(TABLE.n) == cell, 1.0, 0.0)

    def change(table, pattern):
        # a table whose sums are wrong cannot be made, but written
        other = replace(table)
        object.__setattr__(other, "values", values)
        return other, pattern

    with pytest.raises(VerificationError, match="1 values are not those of the table"):
        writing(monkeypatch, form, change)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", [(0, 0), (2, 0)], ids=["one more", "one less"])
def test_another_pattern_in_the_file_is_refused_even_if_it_is_safe(form, place, monkeypatch):
    mask = CORNERS.copy()
    mask[place] = not mask[place]
    other = Pattern(mask.ravel(), np.zeros(TABLE.n, dtype=bool), 1.0, 0.0)
    with pytest.raises(VerificationError, match="does not suppress the cells that it should"):
        writing(monkeypatch, form, lambda table, _: (table, other))


def test_a_pattern_that_does_not_protect_is_refused_although_it_is_written_as_it_is():
    alone = Pattern.of(TABLE, TABLE.primary, problem="exact")
    with pytest.raises(VerificationError, match="1 of 1 sensitive cells are not protected"):
        encoded(SuppressionClaim(alone, audit(TABLE, alone)), PUBLISHED["csv"])


def more_withheld():
    return Pattern.of(TABLE, CORNERS | (np.arange(16).reshape(4, 4) == 0), problem="exact")


@pytest.mark.parametrize(
    "attacked",
    [lambda: audit(TABLE, more_withheld()), lambda: audit(TABLE, PATTERN, "interval", accept_risks=True)],
    ids=["other cells", "another problem"],
)
def test_a_safe_audit_of_something_else_is_no_audit(attacked):
    assert attacked().safe
    with pytest.raises(VerificationError, match="the audit was of other cells, or of another problem"):
        encoded(SuppressionClaim(PATTERN, attacked()), PUBLISHED["csv"])


def test_bytes_that_are_no_table_are_refused_without_repeating_them():
    [verdict] = verify_file(b"4711", PUBLISHED["csv"], CLAIM)
    assert not verdict.passed
    assert "4711" not in verdict.detail


@pytest.mark.parametrize(("off", "found"), [(0.0, 0), (5e-14, 0), (4e-13, 1), (-4e-13, 1), (np.nan, 1)])
def test_what_fifteen_digits_lose_is_no_other_value(off, found):
    values = TABLE.values.copy()
    values[1] += off * 47.5
    seen = Seen(CORNERS.ravel(), values)
    assert changed(TABLE, seen).sum() == found
    withheld = Seen(np.arange(TABLE.n) == 1, values)
    assert not changed(TABLE, withheld).any()


def test_a_line_twice_in_place_of_another_is_refused():
    content = file_of(TABLE, PATTERN)
    with pytest.raises(DataError, match="each of 16 cells once, sums included, got 16 lines of 15 cells"):
        read_back(content.replace(b"x,q,47.5", b"x,p,11"), PUBLISHED["csv"], TABLE, "A file")
    with pytest.raises(DataError, match="got 17 lines of 16 cells"):
        read_back(content + b"x,p,11,published\n", PUBLISHED["csv"], TABLE, "A file")


def test_lines_in_another_order_and_labels_of_another_table_are_told_of():
    lines = file_of(TABLE, PATTERN).splitlines(keepends=True)
    swapped = b"".join([*lines[:2], lines[3], lines[2], *lines[4:]])
    seen = read_back(swapped, PUBLISHED["csv"], TABLE, "A file")
    assert "an order of lines that is not the table's" in seen.besides
    page = file_of(TABLE, PATTERN, "html")
    for label in (b">q<", b">y<"):
        assert page.count(label) == 1
        with pytest.raises(DataError, match="wanted the labels of the table down and across"):
            read_back(page.replace(label, b">w<"), PUBLISHED["html"], TABLE, "A file")


def repacked(content, *, note=b"", of_entry=b"", extra=b"", more=None, inside=None):
    """The same workbook in another package."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(sink, "w") as new:
        for entry in old.infolist():
            data = old.read(entry)
            if entry.filename == "xl/workbook.xml":
                entry.comment, entry.extra = of_entry, extra
                if inside:
                    data = data.replace(b"</workbook>", inside + b"</workbook>")
            new.writestr(entry, data)
        if more:
            new.writestr(more, b"<x>47</x>")
        new.comment = note
    return sink.getvalue()


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        ({"note": b"47"}, "notes of the package (1)"),
        ({"of_entry": b"47"}, "notes of the package (1)"),
        ({"extra": b"\x99\x99\x02\x0047"}, "notes of the package (1)"),
        ({"more": "docProps/core.xml"}, "document properties (1)"),
        ({"more": "secret.xml"}, "other parts (1)"),
        ({"inside": b"<!--47-->"}, "comments (1)"),
        ({"inside": b"<x>47</x>"}, "other text or values (1)"),
        ({"inside": b"<definedName hidden='1'/>"}, "defined names (1)"),
    ],
    ids=str,
)
def test_what_a_package_holds_besides_is_called_by_its_kind(planted, words):
    content = file_of(TABLE, PATTERN, "excel")
    assert read_back(content, PUBLISHED["excel"], TABLE, "A file").besides == ()
    assert words in read_back(repacked(content, **planted), PUBLISHED["excel"], TABLE, "A file").besides


@pytest.mark.parametrize(
    ("markup", "rows"),
    [
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", [["a", "b"], ["1", "2"]]),
        ("<table><tr><td>1<b>2</b>3</td> 4</tr></table>", [["123"]]),
        ("<p>5</p><table><tr><td>1</td></tr></table><table><tr><td>2</td></tr></table>", [["1"]]),
        ("<table><tr><td>1<table><tr><td>2</td></tr></table>3</td></tr></table>", [["13"]]),
        ("<td>9</td><table><tr><td>1</td></tr></table><td>8</td>", [["1"]]),
        ("<table><td>9</td><tr><td>1</td></tr></table>", [["1"]]),
    ],
    ids=["open ends", "letters of all parts", "first table", "table in a cell", "outside", "no row"],
)
def test_only_cells_of_the_first_table_are_read_and_all_of_their_letters(markup, rows):
    assert html._parsed(markup.encode(), 1).tables == [rows]


def test_a_page_in_parts_is_read_as_so_many_tables_each_under_its_caption():
    part = "<table><caption>{0}</caption><tr><td>{0}<b>!</b></td></tr></table>"
    found = html._parsed("".join(map(part.format, "abc")).encode(), 2)
    assert found.tables == [[["a!"]], [["b!"]]]
    assert found.captions == ["a", "b"]
    assert found.things["text besides the table", "c"] == 2


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (b"<!-- 47 -->", "comments (1)"),
        (b"<!DOCTYPE x '47'>", "declarations (1)"),
        (b"<?php 47 ?>", "instructions (1)"),
        (b"47", "text besides the table (1)"),
        (b"<p hidden title='47'></p>", "attribute title (1)"),
        (b"<x-secret y='47'></x-secret>", "other elements (1)"),
        (b"<x-secret y='47'></x-secret>", "other attributes (1)"),
    ],
)
def test_what_a_page_shows_besides_is_called_by_its_kind(more, words):
    content = file_of(TABLE, PATTERN, "html")
    assert read_back(content, PUBLISHED["html"], TABLE, "A file").besides == ()
    planted = content.replace(b"</body>", more + b"</body>")
    assert planted != content
    assert words in read_back(planted, PUBLISHED["html"], TABLE, "A file").besides


def test_a_section_that_only_some_versions_of_the_parser_take_for_a_declaration_is_told_of():
    planted = file_of(TABLE, PATTERN, "html").replace(b"</body>", b"<![CDATA[47]]></body>")
    [told] = read_back(planted, PUBLISHED["html"], TABLE, "A file").besides
    assert told in ("declarations (1)", "comments (1)")


@pytest.mark.parametrize(
    ("holders", "numbers"),
    [
        ([[7, -1], [3, 7]], [[0, -1], [1, 0]]),
        ([[9, 2], [2, 5]], [[0, 1], [1, 2]]),
        ([[-1, -1]], [[-1, -1]]),
        ([[4, 4], [-1, 0]], [[0, 0], [-1, 1]]),
    ],
    ids=str,
)
def test_holders_are_numbered_by_where_they_first_stand(holders, numbers):
    assert contributor_columns._renumbered(np.array(holders)).tolist() == numbers


def test_parts_of_contributors_are_refused_and_whole_ones_are_not():
    assert contributor_columns.as_whole_counts(np.array([0.0, 3.0])).tolist() == [0, 3]
    with pytest.raises(DataError, match="not in 2 cells"):
        contributor_columns.as_whole_counts(np.array([0.5, 3.0, 2.999]))
    alone = contributor_columns.counted(np.array([1.0, 2.0, 0.0]), np.array([7.0, 9.0, 0.0]))
    # of two contributors nobody knows the sizes, and none of them waived protection
    assert (alone.largest[:, 0].tolist(), alone.open.tolist()) == ([7.0, 0.0, 0.0], [7.0, 9.0, 0.0])
    assert alone.lone.tolist() == [True, False, False]
    assert (alone.holders == -1).all()
    assert not alone.requested.any()
