"""Tables from records: every cell is what a plain loop over records finds."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita import datasets
from tacita.core import Hierarchy, Table
from tacita.io.hierarchies import as_hierarchy, from_levels, from_nested, from_parents, read_hrc
from tacita.tables.input.aggregation.ranking import Contributions
from tacita.tables.input.linked_tables import link_tables
from tacita.tables.input.tabulate import tabulate
from tacita.tables.rules.concentration import PPercent
from tacita.tables.rules.frequency import MinimumFrequency
from tacita.tables.verify.audit import audit

REGION = {"north": ["n1", "n2"], "south": {"s1": ["s11", "s12"], "s2": None}, "island": None}
LEAVES = ["n1", "n2", "s11", "s12", "s2", "island"]


def survey(seed, n=60):
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "region": generator.choice(LEAVES, n),
            "size": generator.choice(["s", "m", "l"], n),
            "turnover": generator.integers(0, 100, n),
            "firm": generator.integers(0, 15, n),
            "w": generator.integers(1, 4, n),
            "asks": generator.random(n) < 0.1,
            "waives": generator.random(n) < 0.3,
        }
    )


def above(dimension, label):
    names, at = [], dimension.labels.index(label)
    while at >= 0:
        names.append(dimension.labels[at])
        at = dimension.parents[at]
    return names


@pytest.mark.parametrize("seed", range(3))
def test_every_cell_is_what_a_loop_over_records_finds(seed):
    records = survey(seed)
    table = tabulate(
        records, {"region": REGION, "size": None}, "turnover", unit="firm", request="asks", waiver="waives"
    )
    region, size = table.dimensions
    for cell in range(table.n):
        names = table.label(cell)
        here = records[
            [
                names[0] in above(region, r) and names[1] in above(size, s)
                for r, s in zip(records.region, records["size"], strict=True)
            ]
        ]
        firms = here.groupby("firm").agg({"turnover": "sum", "asks": "any", "waives": "all"})
        who = table.contributors
        ranked = sorted(firms.turnover, reverse=True)
        assert table.values[cell] == here.turnover.sum() == who.total[cell]
        assert who.count[cell] == len(firms)
        assert who.largest[cell].tolist() == [*ranked, 0, 0, 0][:3]
        assert who.requested[cell] == (firms.turnover[firms.asks].max() if firms.asks.any() else 0)
        assert who.open[cell] == (firms.turnover[~firms.waives].max() if (~firms.waives).any() else 0)


def test_a_weight_of_w_stands_for_w_contributors():
    records = pd.DataFrame({"d": ["a"] * 3, "x": [10.0, 8.0, 1.0], "w": [2.0, 1.5, 1.0]})
    who = tabulate(records, ["d"], "x", weight="w", depth=4).contributors
    assert who.largest[0].tolist() == [10, 10, 8, 4.5]
    assert who.total[0] == 33
    assert who.count[0] == 3
    assert who.frequency[0] == 4.5


def test_a_lone_respondent_who_stands_for_others_is_not_alone():
    records = pd.DataFrame({"d": ["a", "b"], "x": [5, 5], "w": [1, 4]})
    assert tabulate(records, ["d"], "x", weight="w").contributors.lone.tolist() == [True, False, False]


def test_without_a_value_records_are_counted():
    table = tabulate(survey(0), ["size"])
    assert table.frequency
    assert table.values[-1] == 60
    assert table.response == "count"


@pytest.mark.parametrize("kind", [pl.DataFrame, lambda frame: pd.DataFrame(frame), dict])
def test_any_frame_gives_the_same_table(kind):
    import pyarrow as pa

    columns = {"d": ["a", "b", "a"], "x": [1.0, 2.0, 3.0]}
    frame = pa.table(columns) if kind is dict else kind(columns)
    assert tabulate(frame, ["d"], "x").values.tolist() == [4, 2, 6]


def test_whole_number_labels_stand_in_their_order():
    table = tabulate(pd.DataFrame({"age": [10, 9, 100], "x": [1, 2, 3]}), ["age"], "x")
    assert table.dimensions[0].labels == ("9", "10", "100", "Total")


def test_months_of_a_text_file_stand_as_in_a_calendar_and_only_their_order_is_new(tmp_path):
    months = [str(month) for month in range(1, 13)]
    file = tmp_path / "sales.csv"
    pd.DataFrame({"month": sorted(months) * 3, "shop": list("abc") * 12, "sold": range(36)}).to_csv(
        file, index=False
    )
    table = tacita.tabulate(file, ["month", "shop"], "sold")
    assert table.dimensions[0].labels == (*months, "Total")
    of_month = {month: sum(range(36)[at::12]) for at, month in enumerate(sorted(months))}
    assert table.grid(table.values)[:-1, -1].tolist() == [of_month[month] for month in months]


def test_a_declared_hierarchy_keeps_its_own_order():
    records = pd.DataFrame({"size": ["10", "9", "2"], "v": [1, 2, 3]})
    assert tabulate(records, {"size": ["9", "10", "2"]}, "v").dimensions[0].labels[1:] == ("9", "10", "2")
    levels = from_levels("area", [["a2", "a10", "a2"], ["2", "3", "10"]])
    assert levels.labels == ("Total", "a2", "2", "10", "a10", "3")


def test_rules_are_applied_and_remembered():
    rules = [MinimumFrequency(threshold=4), PPercent(p=10)]
    table = tabulate(survey(3), {"region": REGION, "size": None}, "turnover", unit="firm", rules=rules)
    assert table.rules == tuple(rules)
    assert table.primary.any()
    assert not (table.primary & table.forced).any()
    assert (table.upper[table.primary & (table.values > 0)] > 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dimensions": ["nosuch"]}, "no column nosuch"),
        ({"dimensions": []}, "at least one dimension"),
        ({"dimensions": {"region": {"north": ["n1"]}}}, "no leaves"),
        ({"value": "size"}, "numbers"),
        ({"weight": "bad"}, "at least 0"),
        ({"unit": "gap"}, "names no unit"),
        ({"dimensions": ["gap"]}, "no label in 1 records"),
        ({"total": "s", "dimensions": ["size"]}, "reserved for the total"),
        ({"rules": ["p-percent"]}, "wanted rules with their parameters.*got str"),
        ({"rules": "p-percent"}, "wanted rules with their parameters.*got str"),
        ({"rules": PPercent}, "wanted rules with their parameters.*got the class PPercent"),
        ({"rules": [None]}, "wanted rules with their parameters.*got NoneType"),
        ({"rules": 15}, "wanted rules with their parameters.*got int"),
    ],
)
def test_what_cannot_be_summed_is_refused(change, message):
    records = survey(0).assign(bad=-1.0, gap=["a"] * 59 + [None])
    arguments = {"dimensions": ["region"], "value": "turnover", **change}
    with pytest.raises(tacita.TacitaError, match=message):
        tabulate(records, **arguments)


class TestHierarchies:
    def test_all_forms_say_the_same(self, tmp_path):
        nested = from_nested("region", {"north": ["n1", "n2"], "south": ["s1"]})
        (tmp_path / "region.hrc").write_text("north\n@n1\n@n2\nsouth\n@s1\n")
        assert read_hrc(tmp_path / "region.hrc") == nested
        assert from_levels("region", [["north", "south", "north"], ["n1", "s1", "n2"]]) == nested
        labels = ["north", "n1", "n2", "south", "s1"]
        assert from_parents("region", labels, [None, "north", "north", "Total", "south"]) == nested
        assert as_hierarchy("region", str(tmp_path / "region.hrc")) == nested

    def test_depths_leaves_and_paths(self):
        region = from_nested("region", REGION)
        assert [region.labels[leaf] for leaf in region.leaves] == LEAVES
        assert region.depths.max() == 3
        assert [region.labels[at] for at in region.ancestors()[region.labels.index("s12")]] == [
            "Total",
            "south",
            "s1",
            "s12",
        ]

    @pytest.mark.parametrize(
        "make",
        [
            lambda: Hierarchy("d", ("a", "b"), (1, 0)),
            lambda: Hierarchy("d", ("a", "a"), (-1, 0)),
            lambda: Hierarchy("d", ("t", "a", "b"), (-1, 2, 1)),
            lambda: Hierarchy("d", (), ()),
            lambda: from_nested("d", {"a": ["x"], "b": ["x"]}),
            lambda: from_parents("d", ["a"], ["nosuch"]),
            lambda: from_levels("d", [["a", "b"], ["x", "x"]]),
            lambda: Hierarchy.flat("d", ["Total"]),
        ],
    )
    def test_what_is_no_tree_is_refused(self, make):
        with pytest.raises(tacita.DataError, match="Hierarchy d"):
            make()


class TestRelations:
    @given(st.integers(0, 200))
    def test_the_basis_implies_all_sums(self, seed):
        generator = np.random.default_rng(seed)
        dimensions = [
            from_nested("r", REGION),
            Hierarchy.flat("s", ["a", "b"]),
            Hierarchy.flat("t", ["x", "y"]),
        ]
        chosen = dimensions[: int(generator.integers(1, 4))]
        table = Table.cross(chosen, np.zeros([d.leaves.size for d in chosen]))
        dense = np.zeros((len(table.relations), table.n))
        dense[table.relations.rows, table.relations.cells] = table.relations.signs
        assert np.linalg.matrix_rank(dense) == np.linalg.matrix_rank(dense[table.relations.basis])
        assert table.relations.basis.sum() == (~table.inner).sum() == np.linalg.matrix_rank(dense)

    def test_sums_that_do_not_add_up_are_refused(self):
        with pytest.raises(tacita.DataError, match="do not add up"):
            Table.cross([Hierarchy.flat("d", ["a", "b"])], [1.0, 2.0, 4.0])


class TestLinkedTables:
    def both(self):
        records = survey(1)
        return [tabulate(records, ["region", other], "turnover") for other in ("size", "asks")]

    def test_shared_cells_are_one_and_all_sums_hold(self):
        one, two = self.both()
        joined = link_tables([one, two])
        assert joined.n == one.n + two.n - len(one.dimensions[0])
        assert joined.values[joined.cell("n1", "Total", "Total")] == one.values[one.cell("n1", "Total")]
        assert not joined.relations.wrong(joined.values).size

    def test_a_cell_published_in_the_other_table_gives_itself_away(self):
        one, two = self.both()
        one = one.with_primary(np.arange(one.n) == one.cell("n1", "Total"))
        joined = link_tables([one, two])
        mask = np.zeros(joined.n, dtype=bool)
        for label in (("n1", "Total"), ("n1", "s"), ("n2", "Total"), ("n2", "s")):
            mask[joined.cell(label[0], label[1], "Total")] = True
        alone = np.isin(
            np.arange(one.n),
            [one.cell(*each) for each in (("n1", "Total"), ("n1", "s"), ("n2", "Total"), ("n2", "s"))],
        )
        assert audit(one, alone, "exact").safe
        assert not audit(joined, mask, "exact").safe

    def test_other_hierarchies_or_records_are_refused(self):
        one, two = self.both()
        other = tabulate(survey(2), ["region", "size"], "turnover")
        with pytest.raises(tacita.DataError, match="different values"):
            link_tables([one, other])
        renamed = tabulate(survey(1), {"region": REGION, "size": None}, "turnover")
        with pytest.raises(tacita.DataError, match="other labels"):
            link_tables([two, renamed])


def test_a_holding_of_several_records_is_as_alone_in_a_cell_as_one_of_a_single_record():
    frame = pd.DataFrame({"r": list("aab"), "c": list("xxx"), "v": [3.0, 4.0, 5.0], "u": list("HHH")})
    table = tacita.tabulate(frame, ["r", "c"], "v", unit="u")
    assert table.contributors.lone.all()
    assert table.contributors.frequency.tolist() == [1.0] * table.n


@pytest.mark.parametrize("role", ["request", "waiver"])
def test_a_word_that_is_neither_yes_nor_no_lays_nobody_open(role):
    firms = pd.DataFrame({"r": list("aab"), "v": [9.0, 1.0, 1.0], "mark": ["não", "0", "1"]})
    with pytest.raises(tacita.DataError, match=r"marks records by 1 or 0 .* 1 records have another word"):
        tabulate(firms, ["r"], "v", **{role: "mark"})


@pytest.mark.parametrize("weight", [None, "w"])
def test_records_without_units_are_units_of_their_own_to_the_last_bit(weight):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "a": rng.choice(list("xyz"), 300),
            "b": rng.choice(list("pq"), 300),
            "v": rng.choice([0.0, 1.1, 2.7, -3.3], 300),
            "w": rng.uniform(0, 4, 300),
            "u": np.arange(300),
        }
    )
    plain, named = (
        tabulate(frame, ["a", "b"], "v", weight=weight, unit=unit, depth=4).contributors
        for unit in (None, "u")
    )
    for field in ("total", "count", "largest", "holders", "frequency", "requested", "open"):
        assert np.array_equal(getattr(plain, field), getattr(named, field)), field


@given(
    seed=st.integers(0, 10_000), depth=st.integers(1, 4), weighted=st.sampled_from(["one", "whole", "any"])
)
def test_whoever_cannot_be_among_the_largest_need_not_be_ranked(seed, depth, weighted):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 40))
    weight = {"one": np.ones(n), "whole": rng.integers(1, 4, n) * 1.0, "any": rng.random(n) * 2}[weighted]
    one = Contributions(np.sort(rng.integers(0, 5, n)), np.arange(n), rng.integers(0, 4, n) * 1.0, weight)
    few = one.leading(depth)
    ranked = [[figures.tolist() for figures in each.ranked(5, depth)] for each in (one, few)]
    assert ranked[0] == ranked[1]
    if weighted != "any":
        assert np.bincount(few.cell, minlength=1).max() <= depth


def test_of_parquet_the_columns_of_the_table_are_read_however_it_is_split(tmp_path):
    firms = datasets.load("business")
    pq.write_table(firms, tmp_path / "firms.parquet")
    (tmp_path / "firms").mkdir()
    for number, (first, count) in enumerate(((0, 1), (1, 300), (301, 299))):
        pq.write_table(firms.slice(first, count), tmp_path / "firms" / f"part-{number}.parquet")
    asked = {"unit": "group_id", "weight": "weight", "rules": [tacita.get_method("p-percent")]}
    whole = tacita.tabulate(firms, ["region", "sector"], "turnover", **asked)
    for place in ("firms.parquet", "firms"):
        found = tacita.tabulate(tmp_path / place, ["region", "sector"], "turnover", **asked)
        assert found.values.tolist() == whole.values.tolist()
        assert found.contributors.largest.tolist() == whole.contributors.largest.tolist()
        assert found.primary.tolist() == whole.primary.tolist()
        assert [each.labels for each in found.dimensions] == [each.labels for each in whole.dimensions]
    with pytest.raises(tacita.ParameterError, match=r"no column firm\. Columns: name, registration"):
        tacita.tabulate(tmp_path / "firms", ["region", "firm"], "turnover")
