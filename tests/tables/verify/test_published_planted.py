"""Whatever a published file shows besides its table fails the audit, and is not repeated."""

import io
import json
import re
import zipfile

import numpy as np
import pytest

from table_commands import NAMED, write_cells
from tables_at_hand import PUBLISHED, file_of
from tacita.cli import run_command
from tacita.core import DataError, Table
from tacita.io.tables.reading import read_back
from tacita.tables.release.suppress import suppress
from tacita.tables.suppression.optimal.optimal import Optimal
from tacita.tables.verify.claim import encoded

SECRET = "4711"
VALUES = [[1100, 4700, 5800], [100, 4711, 3300], [200, 3100, 2000.5]]
SENSITIVE = np.array(VALUES) == 4711


def example():
    labels = [[f"a{at}" for at in range(3)], [f"r{at}" for at in range(3)]]
    return Table.from_array(VALUES, names=["activity", "region"], labels=labels, primary=SENSITIVE)


def honest(form):
    table = example()
    return encoded(suppress(table, Optimal(), "exact"), PUBLISHED[form])


def swap(old, new, count=1):
    """A planting that replaces text, which must be there."""

    def plant(content):
        old_bytes, new_bytes = (each.encode() if isinstance(each, str) else each for each in (old, new))
        assert old_bytes in content
        return content.replace(old_bytes, new_bytes, count)

    return plant


def sorted_lines(content):
    head, *lines = content.decode().splitlines()
    lines.sort(key=lambda line: line.startswith("a1,r1"))
    return "\n".join([head, *lines, ""]).encode()


def columns_in_another_order(content):
    lines = [line.split(",") for line in content.decode().splitlines()]
    return "".join(f"{b},{a},{v},{s}\n" for a, b, v, s in lines).encode()


def as_floats(text):
    return re.sub(r",(\d+),published", r",\1.0,published", text)


CSV = {
    "a-column-more": lambda content: content.replace(b"\n", b",4711\n").replace(b"4711", b"true", 1),
    "an-empty-column-more": lambda content: content.replace(b"\n", b",\n").replace(b",\n", b",note\n", 1),
    "a-column-without-name": lambda content: content.replace(b"\n", b",4711\n").replace(b"4711", b"", 1),
    "a-comment-above": lambda content: b"# 4711\n" + content,
    "a-comment-below": lambda content: content + b"# 4711\n",
    "a-comment-that-fills-a-line": lambda content: content + b"#,4711,,withheld\n",
    "a-line-more": lambda content: content + b"a1,r1,4711,published\n",
    "a-blank-line-below": lambda content: content + b"\n",
    "a-blank-line-between": swap("a1,r1", "\na1,r1"),
    "blanks-below": lambda content: content + b"   ",
    "a-nul-below": lambda content: content + b"\0004711",
    "a-value-that-is-withheld": swap("a1,r1,,", "a1,r1,4711,"),
    "a-mark-with-a-value": swap("a1,r1,,", "a1,r1,× 4711,"),
    "a-blank-that-is-withheld": swap("a1,r1,,", "a1,r1, ,"),
    "a-blank-before-a-value": swap(",1100,", ", 1100,"),
    "a-blank-after-a-value": swap(",1100,", ",1100 ,"),
    "a-tab-after-a-status": swap("1100,published", "1100,published\t"),
    "a-line-break-in-a-value": swap(",1100,", ',"1100\n",'),
    "a-line-break-in-a-status": swap("1100,published", '1100,"published\n4711"'),
    "digits-too-small-to-matter": swap(",1100,", ",1100.000000000047,"),
    "a-point-in-one-of-many-numbers": swap(",1100,", ",1100.0,"),
    "digits-too-small-to-matter-in-a-file-of-floats": lambda content: (
        as_floats(content.decode()).replace(",1100.0,", ",1100.000000000047,").encode()
    ),
    "digits-beyond-a-number": swap(",1100,", ",1100.0000000000004711,"),
    "zeros-before-a-number": swap(",1100,", ",00001100,"),
    "zeros-after-a-number": swap(",1100,", ",1100.0000,"),
    "a-sign-before-a-number": swap(",1100,", ",+1100,"),
    "an-exponent": swap(",1100,", ",11e2,"),
    "underscores-in-a-number": swap(",1100,", ",11_00,"),
    "digits-of-another-script": swap(",1100,", ",١١٠٠,"),
    "an-invisible-sign-in-a-number": swap(",1100,", ",1100\u200b,"),
    "an-invisible-sign-in-a-label": swap("a0,r0", "a0\u200b,r0"),
    "an-invisible-sign-in-the-head": swap("region", "region\u200b"),
    "an-invisible-sign-in-a-status": swap("1100,published", "1100,published\u200b"),
    "quotes-around-one-cell": swap(",1100,", ',"1100",'),
    "a-byte-order-mark-inside": swap("a1,r1", "\ufeffa1,r1"),
    "two-byte-order-marks": lambda content: b"\xef\xbb\xbf\xef\xbb\xbf" + content,
    "two-kinds-of-line-end": swap("published\n", "published\r\n"),
    "lines-in-order-of-size": sorted_lines,
    "columns-in-another-order": columns_in_another_order,
    "a-status-of-its-own": swap("a1,r1,,withheld", "a1,r1,,withheld 4711"),
    "infinity": swap(",1100,", ",inf,"),
    "no-number": swap(",1100,", ",nan,"),
}

HTML = {
    "a-comment": swap("<tbody>", "<tbody><!-- 4711 -->"),
    "a-comment-at-the-mark": swap("×</td>", "×<!--4711--></td>"),
    "a-comment-below": lambda content: content + b"<!-- 4711 -->",
    "a-script": swap("</body>", "<script>var x = 4711</script></body>"),
    "a-script-of-data": swap("</head>", '<script type="application/json">4711</script></head>'),
    "another-style": swap("</head>", '<style>.withheld::after{content:"4711"}</style></head>'),
    "more-in-the-style": swap(".withheld{", '.withheld::after{content:"4711"}.withheld{'),
    "a-comment-in-the-style": swap(".withheld{", "/* 4711 */.withheld{"),
    "a-style-of-a-cell": swap('<td class="withheld">', '<td class="withheld" style="--x:4711">'),
    "a-tooltip": swap('<td class="withheld">', '<td class="withheld" title="4711">'),
    "data-of-a-cell": swap('<td class="withheld">', '<td class="withheld" data-value="4711">'),
    "a-label-for-readers": swap('<td class="withheld">', '<td class="withheld" aria-label="4711">'),
    "a-class": swap('<td class="withheld">', '<td class="withheld v4711">'),
    "a-class-of-a-published-cell": swap("<td>1100", '<td class="v4711">1100'),
    "an-attribute-of-a-row": swap("<tr><th", '<tr id="v4711"><th'),
    "an-attribute-of-an-end": swap("</tbody>", '</tbody title="4711">'),
    "a-name-of-an-attribute": swap("<td>1100", "<td v4711>1100"),
    "a-name-of-an-element": swap("</body>", "<v-4711></v-4711></body>"),
    "a-hidden-cell": swap("</tr>\n</tbody>", "<td hidden>4711</td></tr>\n</tbody>"),
    "a-hidden-row": swap("</tbody>", "<tr hidden><td>4711</td></tr></tbody>"),
    "a-hidden-part-of-a-cell": swap("<td>1100</td>", "<td>1100<span hidden>4711</span></td>"),
    "an-empty-element-in-a-cell": swap("×</td>", '×<data value="4711"></data></td>'),
    "text-above": swap("<h1>", "<p>4711</p><h1>"),
    "text-below": swap("</body>", "4711</body>"),
    "text-after-the-end": lambda content: content + b"4711",
    "text-between-rows": swap("</tr></thead>", "</tr>4711</thead>"),
    "another-note": swap("protect the contributors", "a firm of 4711"),
    "another-heading": swap("</h1>", " 4711</h1>"),
    "another-title": swap("</title>", " 4711</title>"),
    "another-table": swap("</body>", "<table><tr><td>4711</td></tr></table></body>"),
    "a-table-in-a-cell": swap("×</td>", "×<table><tr><td>4711</td></tr></table></td>"),
    "a-caption": swap("<table>", "<table><caption>4711</caption>"),
    "a-foot": swap("</tbody>", "</tbody><tfoot><tr><td>4711</td></tr></tfoot>"),
    "metadata": swap("</head>", '<meta name="x" content="4711"></head>'),
    "another-file": swap("</head>", '<link rel="x" href="4711.css"></head>'),
    "a-picture": swap("</body>", '<img alt="4711" src="data:,"></body>'),
    "a-drawing": swap("</body>", "<svg><text>4711</text></svg></body>"),
    "a-form": swap("</body>", '<input type="hidden" value="4711"></body>'),
    "a-template": swap("</body>", "<template>4711</template></body>"),
    "text-without-scripts": swap("</body>", "<noscript>4711</noscript></body>"),
    "a-declaration": swap("<!doctype html>", "<!doctype html><!ENTITY x '4711'>"),
    "an-instruction": swap("<!doctype html>", "<!doctype html><?x 4711?>"),
    "a-section-of-data": swap("</body>", "<![CDATA[4711]]></body>"),
    "signs-by-number": swap("<td>1100", "<td>&#49;&#49;00"),
    "signs-by-name": swap("<td>1100", "<td>&shy;1100"),
    "an-invisible-sign": swap("<td>1100", "<td>1100\u200b"),
    "the-mark-by-name": swap(">×<", ">&times;<"),
    "a-value-instead-of-the-mark": swap(">×<", ">4711<"),
    "a-value-beside-the-mark": swap(">×<", ">× 4711<"),
    "digits-beyond-a-number": swap("<td>1100", "<td>1100.0000000000004711"),
    "blanks": swap("</tr></thead>", "</tr> \t </thead>"),
    "another-language": swap('lang="en"', 'lang="x-4711"'),
    "capitals": swap("<tbody>", "<TBODY>"),
    "another-line-end": lambda content: content.replace(b"\n", b"\r\n"),
    "a-byte-order-mark": lambda content: b"\xef\xbb\xbf" + content,
    "a-base": swap("</head>", '<base href="4711"></head>'),
}


def repack(content, change, compression=zipfile.ZIP_STORED):
    """The same package with other parts: `change` gets them by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    change(parts)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as new:
        for name, part in parts.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 0, compression
            new.writestr(entry, part)
    return out.getvalue()


BOOK, TABLE, CELLS = "xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"
LINKS = "xl/_rels/workbook.xml.rels"


def part(name, content="<x>4711</x>"):
    def plant(whole):
        return repack(whole, lambda parts: parts.update({name: content.encode()}))

    return plant


def inside(name, old, new, count=1):
    def plant(whole):
        return repack(whole, lambda parts: parts.update({name: swap(old, new, count)(parts[name])}))

    return plant


def another_sheet(state):
    def plant(content):
        def change(parts):
            told = f'<sheet name="x" sheetId="3"{state} r:id="rId3"/></sheets>'
            parts[BOOK] = swap("</sheets>", told)(parts[BOOK])
            kind = re.search(rb'Type="([^"]*worksheet)"', parts[LINKS]).group(1).decode()
            link = f'<Relationship Id="rId3" Type="{kind}" Target="worksheets/sheet3.xml"/></Relationships>'
            parts[LINKS] = swap("</Relationships>", link)(parts[LINKS])
            parts["xl/worksheets/sheet3.xml"] = parts[CELLS].replace(b"withheld", b"4711")

        return repack(content, change)

    return plant


def with_entry(**fields):
    def plant(content):
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
            for name in old.namelist():
                entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                entry.create_system = 0
                for field, value in fields.items():
                    setattr(entry, field, value)
                new.writestr(entry, old.read(name))
        return out.getvalue()

    return plant


def with_comment(content):
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a") as package:
        package.comment = b"4711"
    return out.getvalue()


def with_a_part_twice(content):
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a") as package, pytest.warns(UserWarning, match="Duplicate name"):
        package.writestr(TABLE, package.read(TABLE))
    return out.getvalue()


def resaved(change):
    """Opened and saved by another program, with a change."""

    def plant(content):
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.load_workbook(io.BytesIO(content))
        change(book)
        out = io.BytesIO()
        book.save(out)
        return out.getvalue()

    return plant


def comment_a_cell(book):
    from openpyxl.comments import Comment

    book["table"]["C3"].comment = Comment("4711", "x")


def hide_a_sheet(book):
    book.create_sheet("x")["A1"] = 4711
    book["x"].sheet_state = "veryHidden"


WITHHELD = '<c r="D7" t="inlineStr"><is><t xml:space="preserve">withheld'
EXCEL = {
    "properties": part("docProps/custom.xml"),
    "the-usual-properties": part("docProps/core.xml"),
    "comments": part("xl/comments1.xml"),
    "threaded-comments": part("xl/threadedComments/threadedComment1.xml"),
    "people": part("xl/persons/person.xml"),
    "a-drawing": part("xl/drawings/drawing1.xml"),
    "a-picture": part("xl/media/image1.png"),
    "an-embedded-file": part("xl/embeddings/file.bin"),
    "a-link-to-a-file": part("xl/externalLinks/externalLink1.xml"),
    "texts-that-no-cell-has": part("xl/sharedStrings.xml"),
    "formats": part("xl/styles.xml"),
    "custom-data": part("customXml/item1.xml"),
    "macros": part("xl/vbaProject.bin"),
    "an-unknown-part": part("4711"),
    "an-empty-folder": part("4711/", ""),
    "another-sheet": another_sheet(""),
    "a-hidden-sheet": another_sheet(' state="hidden"'),
    "a-very-hidden-sheet": another_sheet(' state="veryHidden"'),
    "a-sheet-that-nothing-names": part("xl/worksheets/sheet3.xml"),
    "a-hidden-sheet-of-ours": inside(BOOK, 'sheetId="2"', 'sheetId="2" state="hidden"'),
    "another-name-of-a-sheet": inside(BOOK, 'name="table"', 'name="4711"'),
    "a-defined-name": inside(
        BOOK, "</sheets>", '</sheets><definedNames><definedName name="x">4711</definedName></definedNames>'
    ),
    "an-attribute-of-the-book": inside(BOOK, "<sheets>", '<workbookPr codeName="v4711"/><sheets>'),
    "a-type-of-content": inside("[Content_Types].xml", "</Types>", '<Default Extension="x4711"/></Types>'),
    "a-relationship": inside(LINKS, "</Relationships>", '<Relationship Target="4711"/></Relationships>'),
    "a-hidden-row": inside(TABLE, '<row r="2"', '<row r="2" hidden="1"'),
    "a-row-more": inside(TABLE, "</sheetData>", '<row r="99"><c r="A99"><v>4711</v></c></row></sheetData>'),
    "a-hidden-row-more": inside(
        CELLS, "</sheetData>", '<row r="99" hidden="1"><c r="Z99"><v>4711</v></c></row></sheetData>'
    ),
    "a-cell-more": inside(TABLE, "</row>", '<c r="Z1"><v>4711</v></c></row>'),
    "an-empty-cell-more": inside(TABLE, "</row>", '<c r="Z1"/></row>'),
    "columns-settings": inside(TABLE, "<sheetData>", '<cols><col min="4711" hidden="1"/></cols><sheetData>'),
    "a-cell-format": inside(TABLE, '<c r="B3"', '<c r="B3" s="4711"'),
    "a-formula": inside(TABLE, '<c r="B3">', '<c r="B3"><f>4711-3611</f>'),
    "a-formula-in-a-withheld-cell": inside(CELLS, WITHHELD, f'<c r="C7"><f>4711</f></c>{WITHHELD}'),
    "a-value-that-is-withheld": inside(CELLS, WITHHELD, f'<c r="C7"><v>4711</v></c>{WITHHELD}'),
    "a-blank-that-is-withheld": inside(
        CELLS, WITHHELD, f'<c r="C7" t="inlineStr"><is><t> </t></is></c>{WITHHELD}'
    ),
    "a-value-instead-of-the-mark": inside(TABLE, ">×<", ">4711<"),
    "a-number-instead-of-the-mark": inside(
        TABLE, ' t="inlineStr"><is><t xml:space="preserve">×</t></is>', "><v>4711</v>"
    ),
    "another-value-on-the-sheet-for-people": inside(TABLE, "<v>1100</v>", "<v>4711</v>"),
    "a-mark-instead-of-a-value": inside(
        TABLE, "><v>1100</v>", ' t="inlineStr"><is><t xml:space="preserve">×</t></is>'
    ),
    "a-label-on-the-sheet-for-people": inside(TABLE, ">a1<", ">a1 4711<"),
    "a-head-of-the-list": inside(CELLS, "</row>", '<c r="E1" t="inlineStr"><is><t>4711</t></is></c></row>'),
    "rich-text": inside(TABLE, '<t xml:space="preserve">×</t>', "<r><t>×</t></r><r><t>4711</t></r>"),
    "phonetic-text": inside(TABLE, "×</t></is>", "×</t><rPh><t>4711</t></rPh></is>"),
    "a-hyperlink": inside(
        TABLE,
        "</sheetData>",
        '</sheetData><hyperlinks><hyperlink ref="A1" tooltip="4711"/></hyperlinks>',
    ),
    "a-list-to-choose-from": inside(
        TABLE,
        "</sheetData>",
        "</sheetData><dataValidations><dataValidation><formula1>4711</formula1></dataValidation>"
        "</dataValidations>",
    ),
    "a-conditional-format": inside(
        TABLE,
        "</sheetData>",
        "</sheetData><conditionalFormatting><cfRule><formula>4711</formula></cfRule></conditionalFormatting>",
    ),
    "a-header": inside(
        TABLE,
        "</sheetData>",
        "</sheetData><headerFooter><oddHeader>4711</oddHeader></headerFooter>",
    ),
    "merged-cells": inside(
        TABLE, "</sheetData>", '</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells>'
    ),
    "an-extension": inside(TABLE, "</sheetData>", "</sheetData><extLst><ext>4711</ext></extLst>"),
    "a-comment-of-the-markup": inside(TABLE, "<sheetData>", "<!-- 4711 --><sheetData>"),
    "an-instruction-of-the-markup": inside(TABLE, "<sheetData>", "<?x 4711?><sheetData>"),
    "an-entity": inside(TABLE, "<worksheet", "<!DOCTYPE x [<!ENTITY e '4711'>]><worksheet"),
    "signs-by-number": inside(TABLE, "<v>1100</v>", "<v>&#49;100</v>"),
    "blanks-in-the-markup": inside(TABLE, "<sheetData>", "<sheetData >"),
    "text-between-cells": inside(TABLE, "<sheetData>", "<sheetData>4711"),
    "digits-beyond-a-number": inside(CELLS, "<v>1100</v>", "<v>1100.0000000000004711</v>"),
    "a-number-as-text": inside(CELLS, '"><v>1100</v>', '" t="str"><v>1100</v>'),
    "markup-that-cannot-be-read": inside(TABLE, "</sheetData>", "4711"),
    "a-note-of-the-package": with_comment,
    "notes-of-its-parts": with_entry(comment=b"4711"),
    "fields-of-its-parts": with_entry(extra=b"\xfe\xca\x04\x004711"),
    "a-clock": with_entry(date_time=(2017, 4, 7, 11, 47, 10)),
    "attributes-of-its-parts": with_entry(external_attr=4711 << 16),
    "bytes-before-it": lambda content: b"4711" + content,
    "bytes-after-it": lambda content: content + b"4711",
    "a-part-twice": with_a_part_twice,
    "another-compressor": lambda content: repack(content, dict.copy, zipfile.ZIP_DEFLATED),
    "saved-by-another-program": resaved(id),
    "saved-with-a-comment": resaved(comment_a_cell),
    "saved-with-a-hidden-sheet": resaved(hide_a_sheet),
    "saved-with-a-format": resaved(lambda book: setattr(book["table"]["B3"], "number_format", '"4711"')),
    "saved-with-nothing-to-see": resaved(lambda book: setattr(book["table"]["B3"], "number_format", ";;;")),
    "saved-with-an-author": resaved(lambda book: setattr(book.properties, "creator", "4711")),
    "saved-with-a-hidden-column": resaved(
        lambda book: setattr(book["table"].column_dimensions["B"], "hidden", True)
    ),
}

PLANTED = [
    pytest.param(form, plant, id=f"{form}-{name}")
    for form, plants in (("csv", CSV), ("html", HTML), ("excel", EXCEL))
    for name, plant in plants.items()
]
ENDINGS = {"csv": ".csv", "html": ".html", "excel": ".xlsx"}


@pytest.fixture(scope="module")
def made():
    return {form: honest(form) for form in ENDINGS}


@pytest.mark.parametrize(("form", "plant"), PLANTED)
def test_what_is_planted_in_a_file_fails_its_audit_and_is_not_repeated(form, plant, made, tmp_path, capsys):
    content = plant(made[form])
    assert content != made[form]
    cells = write_cells(tmp_path / "cells.csv", VALUES, SENSITIVE)
    path = tmp_path / f"published{ENDINGS[form]}"
    path.write_bytes(content)
    words = ["audit", str(cells), str(path), *NAMED, "--problem", "exact", "--json", str(tmp_path / "a.json")]
    assert run_command(words) == 1
    said = capsys.readouterr().err
    assert said
    assert SECRET not in said.replace(str(path), "")
    if (tmp_path / "a.json").exists():
        assert not json.loads((tmp_path / "a.json").read_text())["safe"]


@pytest.mark.parametrize(("form", "plant"), PLANTED)
def test_what_is_planted_in_a_file_is_found_by_the_reader_alone(form, plant, made):
    table = example()
    try:
        seen = read_back(plant(made[form]), PUBLISHED[form], table, "file")
    except DataError:
        return
    wrong = ~seen.withheld & ~(seen.values == table.values)
    assert seen.besides or wrong.any() or (table.primary & ~seen.withheld).any()


@pytest.mark.parametrize("form", ENDINGS)
def test_no_byte_more_and_no_byte_changed_passes(form, made):
    table, generator = example(), np.random.default_rng(4711)
    for _ in range(150):
        content = bytearray(made[form])
        at, byte = int(generator.integers(len(content))), int(generator.integers(256))
        if generator.random() < 0.5:
            content.insert(at, byte)
        elif content[at] == byte:
            continue
        else:
            content[at] = byte
        try:
            seen = read_back(bytes(content), PUBLISHED[form], table, "file")
        except DataError:
            continue
        assert seen.besides or not (seen.values == table.values)[~seen.withheld].all()


@pytest.mark.parametrize("form", ENDINGS)
def test_a_file_of_ours_shows_nothing_besides_its_table(form, made):
    assert read_back(made[form], PUBLISHED[form], example(), "file").besides == ()


@pytest.mark.parametrize("values", [np.arange(8).reshape(2, 2, 2), np.arange(1, 4)])
@pytest.mark.parametrize("form", ENDINGS)
def test_tables_that_are_listed_show_nothing_besides_either(form, values):
    table = Table.from_array(values)
    pattern = np.zeros(table.n, dtype=bool)
    pattern[:2] = True
    content = file_of(table, pattern, form)
    seen = read_back(content, PUBLISHED[form], table, "file")
    assert (seen.withheld.tolist(), seen.besides) == (pattern.tolist(), ())


def quoted(text, columns):
    head, *lines = [line.split(",") for line in text.splitlines()]
    written = [",".join(f'"{name}"' for name in head)]
    written += [
        ",".join(f'"{cell}"' if at in columns else cell for at, cell in enumerate(line)) for line in lines
    ]
    return "".join(f"{line}\n" for line in written)


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace(",", ";"),
        lambda text: text.replace(",", "\t"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.removesuffix("\n"),
        lambda text: as_floats(text),
        lambda text: quoted(text, range(4)),
        lambda text: quoted(text, (0, 1, 3)),
    ],
    ids=[
        "semicolons",
        "tabs",
        "line-ends",
        "mark",
        "no-last-line-end",
        "floats",
        "all-quoted",
        "text-quoted",
    ],
)
def test_common_ways_to_write_csv_are_no_fault(rewrite, made):
    content = rewrite(made["csv"].decode()).encode()
    assert read_back(content, PUBLISHED["csv"], example(), "file").besides == ()
