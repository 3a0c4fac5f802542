"""Figures of the five documents: all there, as printed, consistent, and beside ours on the pages."""

import json
import os
import re
from pathlib import Path

import pytest
from experiments.__main__ import run_command
from experiments.printed import SOURCES, dfo, kckw, kmedoids, slides, thesis
from experiments.version import VERSION

import tacita

REPRODUCED = Path(__file__).parents[2] / "docs" / "reproduced"
SEEDS = Path(os.environ.get("TACITA_SHARED", "nowhere"), "seeds")
AT_HAND = pytest.mark.skipif(not SEEDS.is_dir(), reason="the documents are not at hand: TACITA_SHARED")


def test_every_table_has_as_many_figures_as_the_document_prints():
    counts = {f"{source.number} {label}": n for source in SOURCES for label, n in source.counts.items()}
    assert counts == {
        # 18 cells each: IL, imp, time
        "000 Table 1": 54,
        "000 Table 2": 54,
        "000 Table 3": 54,
        "001 Table 1": 60,
        "001 Table 2": 28,
        # tables, sizes, shares and minutes of three problems
        "002 headlines": 22,
        "002 example": 2,
        # 29 ranks and 8 sums
        "003 Table 1": 37,
        "003 Figure 3": 0,
        "003 Figure 4": 0,
        "003 Figure 5": 0,
        "004 Table 5": 36,
        # 14 rows of four and three of three; 20 and three; 38 of three
        "004 Table 6": 65,
        "004 Table 7": 89,
        "004 Table 8": 114,
    }
    assert [len(rows) for rows in (thesis.TABLE_5, thesis.TABLE_6, thesis.TABLE_7)] == [9, 14, 20]
    assert sum(map(len, thesis.TABLE_8.values())) == 38
    assert [len(rows) for rows in thesis.IPSO.values()] == [3, 3]
    assert (
        sum(len(files) * 3 for starts in dfo.TABLES.values() for files in starts.values()) == dfo.CELLS == 54
    )


def document(number):
    (path,) = SEEDS.glob(f"{number}_*.txt")
    return path.read_text(encoding="utf-8")


def lines_of_figures(number):
    """The figures of every line, decimal commas as points; what is no figure is left out."""
    found = set()
    for line in document(number).splitlines():
        words = line.replace(",", ".").split()
        found.add(tuple(float(word) for word in words if re.fullmatch(r"\d+(\.\d+)?(E-?\d+)?", word)))
    return found


@AT_HAND
def test_the_rows_of_document_000_stand_in_it():
    lines = lines_of_figures("000")
    for starts in dfo.TABLES.values():
        for files in starts.values():
            for place, step in enumerate(dfo.STEPS):
                row = [figure for steps in files.values() for figure in steps[place]]
                assert (step, *row) in lines


@AT_HAND
def test_the_rows_of_document_001_stand_in_it():
    lines = lines_of_figures("001")
    for files in kmedoids.TABLE_1.values():
        for by_k in files.values():
            assert tuple(by_k.values()) in lines
    for by_k in kmedoids.TABLE_2.values():
        assert tuple(each.il2 for each in by_k.values()) in lines
        assert tuple(each.dld for each in by_k.values()) in lines
    text = " ".join(document("001").split())
    assert "17.64 e 48.89" in text
    assert "45% e 25%" in text
    assert list(kmedoids.IL2_MAXIMA.values()) == [17.64, 48.89]


@AT_HAND
def test_the_headlines_of_document_002_stand_in_it():
    text = document("002")
    for each in slides.HEADLINES.values():
        smallest, largest = ("×".join(map(str, size)) for size in (each.smallest, each.largest))
        slide = re.search(
            rf"{each.tables} tabelas com dimensões {smallest} até {largest}\n(.*?)< (\d)", text, re.S
        )
        assert [int(share) for share in re.findall(r"(\d+)% das", slide[1])] == list(each.proven.values())
        assert int(slide[2]) == slides.MINUTES
    assert f"Número de supressões secundárias = {slides.EXAMPLE_SECONDARIES}" in text
    assert f"Valor da informação perdida = {slides.EXAMPLE_VALUE}" in text


@AT_HAND
def test_the_ranks_of_document_003_stand_in_it():
    text = document("003")
    for method, ranks in kckw.TABLE_1.items():
        name = kckw.NAMES.get(method, method.upper())
        row = [str(ranks.get(file, "N/A")) for file in ("tarragona", "census", "eia")]
        assert "\t".join([name, *row, str(kckw.SUMS.get(method, "N/A"))]) in text


@AT_HAND
def test_the_rows_of_document_004_stand_in_it():
    lines = lines_of_figures("004")
    for rows in (thesis.TABLE_5, thesis.TABLE_6, thesis.TABLE_7):
        for c, row in rows.items():
            assert (c, *row) in lines
    for c, rows in thesis.TABLE_8.items():
        for n, row in rows.items():
            assert (c, n, *row) in lines
    text = document("004").replace(",", ".")
    for rows in thesis.IPSO.values():
        for name, row in rows.items():
            assert f"{name}\t-\t" + "\t".join(f"{figure:.3f}".rstrip("0") for figure in row[1:]) in text
    c, score = thesis.LEAST_SCORE
    assert f"SCORE_{{min}} = {score}\\%$ corresponent a $c = {c}$" in text


def test_the_figures_of_the_search_bear_out_its_claims():
    cells = [
        cell
        for starts in dfo.TABLES.values()
        for files in starts.values()
        for cell in sum(files.values(), ())
    ]
    improved = [cell.improvement for cell in cells if cell.improvement > 0]
    assert (len(improved), len(cells)) == (dfo.IMPROVED, dfo.CELLS)
    assert (int(min(improved)), round(max(improved))) == dfo.IMPROVEMENT_RANGE


def test_the_sums_of_ranks_are_those_of_the_ranks():
    sums = {name: sum(ranks.values()) for name, ranks in kckw.TABLE_1.items() if len(ranks) == 3}
    assert sums == kckw.SUMS


def test_a_printed_score_is_the_mean_of_loss_and_risk():
    rows = [*thesis.TABLE_5.values(), *thesis.TABLE_6.values(), *thesis.TABLE_7.values()]
    rows += [row for of_split in thesis.IPSO.values() for row in of_split.values()]
    rows += [row for by_n in thesis.TABLE_8.values() for row in by_n.values()]
    assert len(rows) == 9 + 14 + 20 + 6 + 38
    for row in rows:
        assert row.score == pytest.approx((row.pil + row.dr) / 2, abs=0.0061)


def test_the_text_of_the_thesis_and_its_table_differ_in_the_least_score():
    least = min(thesis.TABLE_6, key=lambda c: thesis.TABLE_6[c].score)
    assert thesis.TABLE_6[thesis.LEAST_SCORE[0]].score == thesis.LEAST_SCORE[1]
    assert least == 12


def test_the_example_of_the_slides_needs_what_they_say():
    table = tacita.core.Table.from_array(
        [[float(value) for value in row] for row in slides.EXAMPLE],
        primary=[[(i, j) == slides.EXAMPLE_SENSITIVE for j in range(3)] for i in range(3)],
    )
    by_value = tacita.suppress(table, "general", method="optimal")
    assert by_value.proven
    assert by_value.secondary_count == slides.EXAMPLE_SECONDARIES
    assert by_value.cost == slides.EXAMPLE_VALUE
    by_number = tacita.suppress(table, "general", method="optimal", objective="count")
    assert by_number.proven
    assert by_number.secondary_count == slides.EXAMPLE_SECONDARIES


def section(page, heading):
    text = (REPRODUCED / page).read_text(encoding="utf-8")
    found = re.search(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##|\Z)", text, re.M | re.S)
    assert found, f"{page} has no section {heading}"
    return found[1]


def rows_of(page, heading):
    return [
        line.strip("| ").split(" | ") for line in section(page, heading).splitlines() if line.startswith("|")
    ]


def printed_in(cells):
    """Of cells like "printed / ours" the first."""
    return [cell.split(" / ")[0] for cell in cells]


@pytest.mark.parametrize("k", dfo.TABLES)
def test_every_cell_of_the_search_stands_on_its_page(k):
    rows = rows_of("microaggregation.md", f"Document 000, {dfo.LABELS[k]}")[2:]
    wanted = [
        [start.upper(), str(step), *(f"{each:.2f}" for steps in files.values() for each in steps[place])]
        for start, files in dfo.TABLES[k].items()
        for place, step in enumerate(dfo.STEPS)
    ]
    assert [printed_in(row) for row in rows] == wanted
    assert sum(" / " in cell for row in rows for cell in row) == dfo.count(k)


def test_both_tables_of_the_medoids_stand_on_their_page():
    rows = rows_of("microaggregation.md", "Document 001, Table 1")
    wanted = [
        [method.upper(), *(f"{files[file][k]:.3f}" if k in files[file] else "-" for k in kmedoids.SIZES)]
        for file in ("tarragona", "census")
        for method, files in kmedoids.TABLE_1.items()
    ]
    assert [printed_in(row) for row in rows if row[0] in {each[0] for each in wanted}] == wanted
    rows = rows_of("microaggregation.md", "Document 001, Table 2")[2:]
    assert len(rows) == 4
    figures = [cell for row in rows for cell in printed_in(row[2:]) if cell != "-"]
    # 28 and the two largest IL2 of the text
    assert len(figures) == kmedoids.count_releases() + 2
    assert {"17.64", "48.89", "0.276", "6.044"} <= set(figures)


def test_the_headlines_stand_on_their_page():
    text = section("tables.md", "Document 002: headlines")
    for each in slides.HEADLINES.values():
        assert f"| {each.tables}, {each.smallest[0]} x {each.smallest[1]} to " in text
        assert all(f"| {share} % |" in text for share in each.proven.values())
    assert text.count(f"under {slides.MINUTES} min") == 6


def test_every_rank_stands_on_its_page():
    rows = rows_of("microaggregation.md", "Document 003, Table 1")[2 : 2 + len(kckw.TABLE_1)]
    for (method, ranks), row in zip(kckw.TABLE_1.items(), rows, strict=True):
        assert row[0] == kckw.NAMES.get(method, method.upper())
        printed = [int(rank) for rank in re.findall(r"(\d+) / \d+", " ".join(row[1:4]))]
        assert printed == list(ranks.values())
        assert row[4].partition(" / ")[0] == str(kckw.SUMS.get(method, "-"))


def same(cells, figures, digits):
    """Whether cells show these figures, to so many decimals at least."""
    shown = [float(cell) for cell in printed_in(cells)]
    return shown == pytest.approx(figures, abs=0.5 * 10.0**-digits, rel=0)


@pytest.mark.parametrize("split", ["S1", "S2"])
def test_every_row_of_a_split_stands_on_its_page_with_ours_beside_it(split):
    rows = rows_of("synthetic.md", f"Document 004, {thesis.LABELS[split]}")[2:]
    assert [row[0].split(" ")[0] for row in rows] == [*map(str, thesis.FCRM[split]), *thesis.IPSO[split]]
    for row, printed in zip(rows, [*thesis.FCRM[split].values(), *thesis.IPSO[split].values()], strict=True):
        objective, *figures = printed
        assert same(row[3:], figures, 6)
        assert row[1] == "-" if objective is None else same([row[1]], [objective], 30)
        assert (len(row[1].split(" / ")) == 3) == (objective is not None)
    assert not [row[0] for row in rows if "not run" in row[3]]


def test_every_row_of_the_example_and_of_s3_stands_on_its_page():
    rows = rows_of("synthetic.md", "Document 004, Table 5")[2:]
    assert [row[0] for row in rows] == [str(c) for c in thesis.TABLE_5]
    for row, printed in zip(rows, thesis.TABLE_5.values(), strict=True):
        assert same([row[1], *row[3:]], list(printed), 6)
    rows = rows_of("synthetic.md", "Document 004, Table 8")[2:]
    wanted = [(c, n, printed) for c, by_n in thesis.TABLE_8.items() for n, printed in by_n.items()]
    assert [tuple(map(int, row[:2])) for row in rows] == [each[:2] for each in wanted]
    for row, (_, _, printed) in zip(rows, wanted, strict=True):
        assert same(row[2:], list(printed), 3)
    # Census leaves twelve others
    assert {int(row[1]) for row in rows if "not run" in row[2]} == set(range(13, 20))


@pytest.mark.parametrize("name", ["microaggregation", "synthetic", "tables", "instances", "wishes"])
def test_a_committed_page_is_what_its_numbers_give(name, tmp_path):
    (tmp_path / f"{name}.json").write_text((REPRODUCED / f"{name}.json").read_text())
    assert run_command([name, "--render", "--out", str(tmp_path), "--quiet"]) == 0
    made = sorted(path.name for path in tmp_path.iterdir())
    assert f"{name}.md" in made
    for file in made:
        committed = (REPRODUCED / file).read_text()
        assert (tmp_path / file).read_text() == committed, f"run `python -m experiments {name} --render`"


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "there is no"), ("{}", "another version"), ("[]", "--fresh"), ("{", "--fresh")],
)
def test_numbers_that_cannot_be_rendered_are_refused(tmp_path, capsys, content, words):
    if content is not None:
        (tmp_path / "synthetic.json").write_text(content)
    assert run_command(["synthetic", "--render", "--out", str(tmp_path), "--quiet"]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "synthetic.md").exists()


def test_numbers_of_another_shape_and_other_settings_are_refused(tmp_path, capsys):
    (tmp_path / "synthetic.json").write_text(json.dumps({"version": VERSION, "splits": 3}))
    assert run_command(["synthetic", "--render", "--out", str(tmp_path), "--quiet"]) == 2
    assert "not what the experiments write" in capsys.readouterr().err
    assert run_command(["tables", "--render", "--cap", "3", "--out", str(tmp_path), "--quiet"]) == 2
    assert "Leave other settings away" in capsys.readouterr().err
