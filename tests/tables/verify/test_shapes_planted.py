"""Published files of nested, three-way and linked tables that were tampered with fail the audit of a plan."""

import io
import re
import shutil
import zipfile

import pytest

from tacita import api
from tacita.core import TacitaError

SECRET = "4711"
REGION = "north\n@n1\n@n2\nsouth\n@s1\n@s2\n"
TOWNS, SIZES, YEARS, SECTORS = ("n1", "n2", "s1", "s2"), ("small", "large"), ("2023", "2024"), ("A", "B")
SUPPRESS = '[suppress]\nproblem = "exact"\nmethod = "optimal"\n'


def listed(names, *labels):
    """A list of inner cells whose first one is sensitive."""
    lines = [",".join([*names, "v", "p"])]
    combined = [[]]
    for each in labels:
        combined = [[*before, label] for before in combined for label in each]
    for at, place in enumerate(combined):
        lines.append(",".join([*place, SECRET if at == 0 else str(1000 + 137 * at), str(int(at == 0))]))
    return "\n".join(lines) + "\n"


def linked_lists():
    """Two tables with regions in common: sums over sizes and over sectors of a town agree."""
    by_size = listed(["region", "size"], TOWNS, SIZES)
    rows = [line.split(",") for line in by_size.splitlines()[1:]]
    lines = ["region,sector,v,p"]
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        total = int(first[2]) + int(second[2])
        secret = int(first[0] == "n1")
        lines += [f"{first[0]},A,{total - 700},{secret}", f"{first[0]},B,700,0"]
    return by_size, "\n".join(lines) + "\n"


def table_plan(names, ending):
    spanning = ", ".join(f'"{name}"' for name in names)
    return (
        f'version = 1\n[input]\npath = "cells.csv"\n[table]\ndimensions = [{spanning}]\nvalue = "v"\n'
        f'primary = "p"\nhierarchy = {{region = "region.hrc"}}\n{SUPPRESS}[output]\npath = "one.{ending}"\n'
    )


LINKED = f"""version = 1
[table]
value = "v"
primary = "p"
hierarchy = {{region = "region.hrc"}}
[[tables]]
input = "one-cells.csv"
dimensions = ["region", "size"]
output = "one.csv"
[[tables]]
input = "two-cells.csv"
dimensions = ["region", "sector"]
output = "two.html"
{SUPPRESS}"""


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Each shape in a folder of its own: lists, plan, published files."""
    folders = {}
    for shape, names, labels in (
        ("nested", ["region", "size"], (TOWNS, SIZES)),
        ("cube", ["region", "year", "size"], (TOWNS, YEARS, SIZES)),
    ):
        for ending in ("csv", "html", "xlsx"):
            folder = tmp_path_factory.mktemp(f"{shape}-{ending}")
            (folder / "cells.csv").write_text(listed(names, *labels))
            (folder / "plan.toml").write_text(table_plan(names, ending))
            folders[shape, ending] = folder
    folder = tmp_path_factory.mktemp("linked")
    for name, content in zip(("one", "two"), linked_lists(), strict=True):
        (folder / f"{name}-cells.csv").write_text(content)
    (folder / "plan.toml").write_text(LINKED)
    folders["linked", "csv"] = folders["linked", "html"] = folder
    for folder in dict.fromkeys(folders.values()):
        (folder / "region.hrc").write_text(REGION)
        api.run_table(api.load_plan(folder / "plan.toml"))
    return folders


def swap(old, new, count=1):
    def plant(content):
        assert old.encode() in content, old
        return content.replace(old.encode(), new.encode(), count)

    return plant


def pattern(expression, new):
    """Replace the first text of a kind; what is found stands in the braces."""

    def plant(content):
        changed, times = re.subn(expression, new, content.decode(), count=1)
        assert times, expression
        return changed.encode()

    return plant


def lines(change):
    def plant(content):
        head, *rest = content.decode().splitlines()
        return "\n".join([*change(head, rest), ""]).encode()

    return plant


# the region of the sensitive cell, down to its own line
FIRST = r"(n1,2,[^,\n]*(?:,[^,\n]*)?),,withheld"
CSV = {
    "a-sensitive-value": pattern(FIRST, rf"\1,{SECRET},published"),
    "a-sensitive-value-that-is-called-withheld": pattern(FIRST, rf"\1,{SECRET},withheld"),
    "all-values": lambda content: re.sub(rb",,withheld", b",4711,published", content),
    "another-value": pattern(r",(\d+),published", r",1\1,published"),
    "another-total": pattern(r"(Total,0,.*?),(\d+),published", r"\1,9\2,published"),
    "another-level": swap("n1,2,", "n1,1,"),
    "a-secret-in-a-level": swap("n1,2,", f"n1,2.{SECRET},"),
    "a-level-of-its-own": swap("north,1,", "north,01,"),
    "no-level": swap("n1,2,", "n1,,"),
    "another-name-of-the-levels": swap("region_level", "level"),
    "a-secret-in-the-name-of-the-levels": swap("region_level", f"region_level {SECRET}"),
    "labels-exchanged": lambda content: (
        content.replace(b"n1,", b"x!,").replace(b"n2,", b"n1,").replace(b"x!,", b"n2,")
    ),
    "a-label-of-none": swap("s2,2", "s3,2"),
    "a-group-as-a-part": swap("south,1", "south,2"),
    "a-line-less": lines(lambda head, rest: [head, *rest[:-1]]),
    "a-line-twice": lines(lambda head, rest: [head, *rest, rest[-1]]),
    "a-subtotal-less": lines(
        lambda head, rest: [head, *(line for line in rest if not line.startswith("north"))]
    ),
    "sums-last": lines(lambda head, rest: [head, *rest[3:], *rest[:3]]),
    "in-order-of-size": lines(lambda head, rest: [head, *sorted(rest, key=lambda line: line.split(",")[-2])]),
    "a-column-more": lines(
        lambda head, rest: [f"{head},note", *(f"{line}," for line in rest[:-1]), f"{rest[-1]},{SECRET}"]
    ),
    "a-comment": lambda content: content + b"# 4711\n",
    "a-note-in-a-status": pattern("withheld", f"withheld {SECRET}"),
    "a-digit-too-many": pattern(r",(\d+),published", rf",\1.00000000{SECRET},published"),
    "a-blank-behind-a-label": swap("north,1", "north ,1"),
}
HTML = {
    "a-sensitive-value": swap('<td class="withheld">×</td>', f"<td>{SECRET}</td>"),
    "a-value-behind-a-mark": swap("×</td>", f"× {SECRET}</td>"),
    "another-value": pattern(r"<td>(\d+)</td>", r"<td>1\1</td>"),
    "what-a-label-is-part-of": pattern("part of north", f"part of north {SECRET}"),
    "another-depth": pattern('class="level-2"', 'class="level-1"'),
    "a-depth-that-tells": pattern('class="level-2"', f'class="level-2 v{SECRET}"'),
    "no-depth": pattern(' class="level-1"', ""),
    "a-style-of-depth": swap("tbody .level-1{", f"/*{SECRET}*/tbody .level-1{{"),
    "another-label": pattern(">n1<", ">n2<"),
    "a-row-less": pattern(r"<tr><th[^\n]*>s2</th>[^\n]*</tr>\n", ""),
    "a-comment": swap("</body>", f"<!-- {SECRET} --></body>"),
    "a-table-more": swap("</body>", f"<table><tr><td>{SECRET}</td></tr></table></body>"),
    "a-caption": pattern("<thead>", f"<caption>{SECRET}</caption><thead>"),
}
PANELS = {
    "another-caption": swap("<caption>region: Total", f"<caption>region: {SECRET}"),
    "more-in-a-caption": swap("<caption>region: Total", f"<caption>region: Total {SECRET}"),
    "what-a-panel-is-part-of": swap("(part of north)", "(part of south)"),
    "a-panel-less": pattern(r"(?s)<div class=\"wide\"><table><caption>region: s2.*?</div>", ""),
    "panels-exchanged": lambda content: (
        content.replace(b": n1 (", b": x (").replace(b": n2 (", b": n1 (").replace(b": x (", b": n2 (")
    ),
    "text-between-panels": swap("</div>\n<div", f"</div>{SECRET}\n<div"),
    "a-hidden-panel": swap(
        '<div class="wide"><table><caption>region: s2', '<div class="wide" hidden><table><caption>region: s2'
    ),
    "a-sensitive-value": HTML["a-sensitive-value"],
    "another-value": HTML["another-value"],
    "another-label": pattern(">2023<", ">2024<"),
    "a-comment": HTML["a-comment"],
}


def package(change):
    """A planting in the parts of a workbook."""

    def plant(content):
        sink = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(sink, "w") as new:
            parts = {entry.filename: old.read(entry) for entry in old.infolist()}
            before = dict(parts)
            change(parts)
            assert parts != before
            for name, part in parts.items():
                new.writestr(name, part)
        return sink.getvalue()

    return plant


def part(number, expression, new):
    def change(parts):
        name = f"xl/worksheets/sheet{number}.xml"
        parts[name] = re.sub(expression, new, parts[name].decode(), count=1).encode()

    return package(change)


XLSX = {
    "a-value-for-a-mark": part(
        1,
        r'<c r="(\w+)" t="inlineStr"><is><t xml:space="preserve">×</t></is></c>',
        rf'<c r="\1"><v>{SECRET}</v></c>',
    ),
    "a-value-in-the-list": part(
        2,
        r'(<c r="[A-Z]+\d+" t="inlineStr"><is><t xml:space="preserve">)withheld',
        rf'<c r="Z9"><v>{SECRET}</v></c>\1withheld',
    ),
    "called-published": part(2, "withheld", "published"),
    "another-value": part(2, r"<v>(\d+)</v>", r"<v>7\1</v>"),
    "another-depth-of-a-row": part(1, ' outlineLevel="1"', ' outlineLevel="2"'),
    "a-depth-that-tells": part(1, ' outlineLevel="1"', ' outlineLevel="1" ht="47.11"'),
    "rows-folded-away": part(1, ' outlineLevel="2"', ' outlineLevel="2" hidden="1"'),
    "a-note-of-the-outline": part(1, "<sheetPr>", f"<!-- {SECRET} --><sheetPr>"),
    "a-sheet-more": package(lambda parts: parts.update({"xl/worksheets/sheet9.xml": SECRET.encode()})),
    "properties": package(lambda parts: parts.update({"docProps/core.xml": f"<x>{SECRET}</x>".encode()})),
    "another-level-in-the-list": part(2, 'preserve">1</t>', 'preserve">2</t>'),
}
CASES = [
    *((("nested", "csv"), name, "one.csv", plant) for name, plant in CSV.items()),
    *((("cube", "csv"), name, "one.csv", plant) for name, plant in CSV.items()),
    *((("linked", "csv"), name, "one.csv", plant) for name, plant in CSV.items()),
    *((("nested", "html"), name, "one.html", plant) for name, plant in HTML.items()),
    *((("linked", "html"), name, "two.html", plant) for name, plant in HTML.items()),
    *((("cube", "html"), name, "one.html", plant) for name, plant in PANELS.items()),
    *((("nested", "xlsx"), name, "one.xlsx", plant) for name, plant in XLSX.items()),
    *(
        (("cube", "xlsx"), name, "one.xlsx", plant)
        for name, plant in XLSX.items()
        if "depth" not in name and "folded" not in name and "outline" not in name
    ),
]


def found_in(folder):
    """What the audit of a plan says against its files; nothing where they are safe."""
    try:
        found = api.audit_plan(api.load_plan(folder / "plan.toml"))
    except TacitaError as refusal:
        return str(refusal)
    return "" if found.safe else found.refusal()


def test_there_are_enough_of_them():
    assert len(CASES) >= 60


@pytest.mark.parametrize(
    "which",
    [
        ("nested", "csv"),
        ("nested", "html"),
        ("nested", "xlsx"),
        ("cube", "csv"),
        ("cube", "html"),
        ("cube", "xlsx"),
        ("linked", "csv"),
    ],
    ids="-".join,
)
def test_files_as_they_were_written_pass(published, which):
    assert found_in(published[which]) == ""


@pytest.mark.parametrize(
    ("which", "name", "file", "plant"), CASES, ids=[f"{a}-{b}-{c}" for (a, b), c, _, _ in CASES]
)
def test_a_tampered_file_fails_the_audit_and_its_secret_is_not_repeated(
    published, tmp_path, which, name, file, plant
):
    folder = tmp_path / "copy"
    shutil.copytree(published[which], folder)
    target = folder / file
    before = target.read_bytes()
    after = plant(before)
    assert after != before, name
    target.write_bytes(after)
    said = found_in(folder)
    assert said
    assert SECRET not in said


def test_what_one_linked_table_withholds_another_must_not_show(published, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(published["linked", "csv"], folder)
    # a total of a town that both tables have
    page = (folder / "two.html").read_text()
    shown = (folder / "one.csv").read_text()
    town = re.search(r"(n2,2,Total,)(\d+),published", shown)
    (folder / "one.csv").write_text(shown.replace(town[0], f"{town[1]},withheld"))
    assert "cells that one table suppresses and another shows (1)" in found_in(folder)
    assert f"<td>{town[2]}</td>" in page


def test_files_of_linked_tables_cannot_be_exchanged_or_missing(published, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(published["linked", "csv"], folder)
    (folder / "two.html").unlink()
    assert "two.html" in found_in(folder)
    shutil.copy(folder / "one.csv", folder / "two.html")
    assert "wanted the labels" in found_in(folder)
