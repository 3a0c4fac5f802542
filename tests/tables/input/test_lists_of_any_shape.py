"""Lists of cells of any shape: what is written is read as the same table, whoever says what divides it."""

import csv
import io
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from random_tables import family, same, tables
from tacita.core import DataError, Hierarchy, Microdata, Table
from tacita.io.hierarchies import format_arx, format_hrc, from_nested
from tacita.tables.input.cell_list import from_cells, to_cells
from tacita.tables.input.contributor_columns import columns_of
from tacita.tables.plans.dimensions import Division

PLAIN = ("a", "B 2", "10", "9", "line", "0", "zz", "n-1", "Ω", "x1", "x2", "x3")
LEVELS = ("lower", "upper", "sliding")


def read(content, table, **more):
    """A list as CSV, read by the names of its columns."""
    data = tacita.io.formats.csv.CSV(delimiter=",").decode(content, "list.csv")
    levels = {name: name for name in LEVELS if name in data.columns}
    named = [each.name for each in table.dimensions]
    return from_cells(data, dimensions=Division(named), value="turnover", primary="primary", **levels, **more)


@given(table=tables(dimensions=(1, 3), behind=True))
def test_a_list_that_is_written_is_read_as_the_same_table(table):
    content = to_cells(table, "p-percent:p=15")
    again = read(content, table, contributors="contributors")
    pairs = same(table, again)
    ours, theirs = (each.primary[pairs[:, at]] for at, each in enumerate((table, again)))
    for name in LEVELS:
        left, right = (getattr(each, name)[pairs[:, at]] for at, each in enumerate((table, again)))
        assert np.allclose(left[ours], right[theirs], rtol=1e-12)
    for one, other in zip(table.dimensions, again.dimensions, strict=True):
        assert family(one) == family(other)
    known = [columns_of(each.contributors.at(pairs[:, at])) for at, each in enumerate((table, again))]
    for name, figures in known[0].items():
        assert np.allclose(figures, known[1][name]), name
    assert to_cells(again, "p-percent:p=15") == content


@given(table=tables(dimensions=(1, 3)))
def test_sums_that_are_not_listed_are_computed(table):
    again = read(to_cells(table), table)
    lines = list(csv.reader(io.StringIO(to_cells(table).decode())))
    leaves = [{each.labels[leaf] for leaf in each.leaves} for each in table.dimensions]
    inner = [
        line for line in lines[1:] if all(label in known for label, known in zip(line, leaves, strict=False))
    ]
    # who lists no sums says by another way than lines of groups which label is part of which
    columns = {name: [line[at] for line in inner] for at, name in enumerate(lines[0]) if "parent" not in name}
    data = tacita.io.formats.csv.CSV(delimiter=",").decode(
        tacita.io.formats.csv.encode(pa.table(columns), tacita.core.CsvDialect()), "inner.csv"
    )
    division = Division(
        [each.name for each in table.dimensions],
        {each.name: each for each in table.dimensions if not each.is_flat},
    )
    made = from_cells(data, dimensions=division, value="turnover", primary="primary", lower=0, upper=0)
    assert np.allclose(made.values[same_places(made, again)], again.values, rtol=1e-12)


def same_places(one, other):
    place = {one.label(cell): cell for cell in range(one.n)}
    return [place[other.label(cell)] for cell in range(other.n)]


@given(table=tables(dimensions=(1, 3)), seed=st.integers(0, 10**6))
def test_one_wrong_sum_is_found_and_named_by_its_labels(table, seed):
    sums = np.flatnonzero(~table.inner)
    chosen = table.label(int(np.random.default_rng(seed).choice(sums)))
    lines = list(csv.reader(io.StringIO(to_cells(table).decode())))
    at = len(chosen)
    for line in lines[1:]:
        if tuple(line[:at]) == chosen:
            line[at] = repr(float(line[at]) + 1.0)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    with pytest.raises(DataError, match=r"sums are not those of their inner cells \(first: ") as told:
        read(out.getvalue().encode(), table)
    assert " / ".join(chosen) in str(told.value)


@given(table=tables(dimensions=(2, 2), words=PLAIN))
def test_every_way_to_say_a_hierarchy_makes_the_same_table(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ways")
    first = table.dimensions[0]
    table = Table.cross(
        [first.__class__("d", first.labels, first.parents), table.dimensions[1]],
        table.grid(table.values),
        response="v",
    )
    dimension, other = table.dimensions
    leaves, others = ([each.labels[leaf] for leaf in each.leaves] for each in (dimension, other))
    rows = [(a, b) for a in leaves for b in others]
    frame = pa.table(
        {
            "d": [a for a, _ in rows],
            other.name: [b for _, b in rows],
            "v": [table.values[table.cell(a, b)] for a, b in rows],
            "p": [0] * len(rows),
        }
    )
    (folder / "d.hrc").write_text(format_hrc(dimension))
    (folder / "d.csv").write_text(format_arx(dimension))
    above = [(label, parent or "") for label, parent in family(dimension).items() if parent is not None]
    (folder / "above.csv").write_text("label;parent\n" + "".join(f"{a};{b}\n" for a, b in above))
    made = [
        from_cells(
            Microdata.of(frame),
            dimensions=Division(["d", other.name], {"d": way, other.name: other}),
            value="v",
            primary="p",
        )
        for way in (
            dimension,
            folder / "d.hrc",
            folder / "d.csv",
            folder / "above.csv",
            _nested(dimension, dimension.top),
        )
    ]
    for each in made:
        assert family(each.dimensions[0]) == family(dimension)
        same(each, table)


def _nested(dimension, place):
    children = [at for at, parent in enumerate(dimension.parents) if parent == place]
    return {dimension.labels[child]: _nested(dimension, child) for child in children} or None


def test_first_characters_divide_codes_with_subtotals_listed_or_not():
    frame = {"nace": ["011", "012", "021", "0", "01", "02", "T"], "v": [1, 2, 4, 7, 3, 4, 7], "p": [0] * 7}
    for lines in (3, 7):
        part = pa.table({name: column[:lines] for name, column in frame.items()})
        division = Division(["nace"], prefixes={"nace": [2, 1]}, total="T")
        made = from_cells(Microdata.of(part), dimensions=division, value="v", primary="p")
        assert family(made.dimensions[0]) == {
            "T": None,
            "0": "T",
            "01": "0",
            "011": "01",
            "012": "01",
            "02": "0",
            "021": "02",
        }
        assert made.values[made.cell("01")] == 3


def test_a_column_of_parents_divides_records_and_lists_alike():
    frame = pa.table({"town": ["n1", "n2", "s1", "n1"], "region": ["n", "n", "s", "n"], "v": [1, 2, 4, 8]})
    made = tacita.tabulate(frame, ["town"], "v", parents={"town": "region"})
    assert family(made.dimensions[0]) == {
        "Total": None,
        "n": "Total",
        "s": "Total",
        "n1": "n",
        "n2": "n",
        "s1": "s",
    }
    assert made.values[made.cell("n")] == 11
    listed = pa.table({"town": ["n1", "n2", "s1"], "in": ["n", "n", "s"], "v": [9, 2, 4], "p": [0, 0, 0]})
    division = Division(["town"], parents={"town": "in"})
    same(from_cells(Microdata.of(listed), dimensions=division, value="v", primary="p"), made)


def test_a_total_may_be_called_otherwise_in_each_dimension():
    frame = pa.table(
        {
            "r": ["n", "s", "PT"] * 3,
            "c": ["x"] * 3 + ["y"] * 3 + ["all"] * 3,
            "v": [1, 2, 3, 4, 5, 9, 5, 7, 12],
            "p": [0] * 9,
        }
    )
    division = Division(["r", "c"], total={"r": "PT", "c": "all"})
    made = from_cells(Microdata.of(frame), dimensions=division, value="v", primary="p")
    assert made.values[made.cell("PT", "all")] == 12


@pytest.mark.parametrize("ending", ["csv", "tab", "jj"])
@given(table=tables(dimensions=(1, 3), words=PLAIN, behind=True))
def test_tables_of_any_shape_are_saved_and_read_again(ending, table, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / f"table.{ending}"
    if ending == "tab":
        # which has neither sliding levels nor holders
        table = replace(table, sliding=np.zeros(table.n))
    tacita.save_cells(table, path)
    again = tacita.read_table(path, problem="exact")
    if ending == "jj":
        assert np.allclose(again.values, table.values)
        assert len(again.relations) == len(table.relations)
        assert np.array_equal(again.primary, table.primary)
    else:
        same(table, again)
        assert [family(each) for each in again.dimensions] == [family(each) for each in table.dimensions]


@given(table=tables(dimensions=(1, 3), words=PLAIN, whole=True), seed=st.integers(0, 999))
def test_records_and_the_list_of_their_table_are_one_table(table, seed, tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "cells.csv"
    generator = np.random.default_rng(seed)
    leaves = [each.leaves for each in table.dimensions]
    rows = np.column_stack([generator.choice(each, size=40) for each in leaves])
    columns = {
        each.name: [each.labels[code] for code in rows[:, at]] for at, each in enumerate(table.dimensions)
    }
    frame = pa.table(
        {
            **columns,
            "v": generator.integers(0, 90, 40).tolist(),
            "firm": generator.integers(0, 9, 40).tolist(),
        }
    )
    rule = tacita.get_method("minimum-frequency", threshold=2)
    made = tacita.tabulate(
        frame, {each.name: each for each in table.dimensions}, "v", unit="firm", rules=rule
    )
    tacita.save_cells(made, path)
    again = tacita.read_table(path)
    same(made, again)
    assert [family(each) for each in again.dimensions] == [family(each) for each in made.dimensions]
    assert again.rules == made.rules


def test_a_frequency_table_is_one_again():
    frame = pa.table({"town": ["n1", "n2", "s1", "n1"], "sex": list("fmfm")})
    made = tacita.tabulate(
        frame, {"town": from_nested("town", {"n": ["n1", "n2"], "s": ["s1"]}), "sex": None}
    )
    data = tacita.io.formats.csv.CSV(delimiter=",").decode(to_cells(made, ""), "list.csv")
    again = from_cells(
        data, dimensions=["town", "sex"], value="count", primary="primary", contributors="contributors"
    )
    assert again.frequency
    same(made, again)


def test_an_order_of_levels_does_not_matter():
    one = from_nested("d", {"a": ["b"]})
    other = Hierarchy("d", ("b", "Total", "a"), (2, -1, 1))
    assert family(one) == family(other)
    frames = [Table.cross([each], [5.0], response="turnover") for each in (one, other)]
    assert to_cells(frames[0]) == to_cells(frames[1])
