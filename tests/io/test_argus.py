"""Files of tau-ARGUS: what goes out comes in again, and what is not understood is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Contributors, Hierarchy, Table
from tacita.io import argus
from tacita.io.hierarchies import from_nested
from tacita.tables.verify.audit import audit


def table(seed=0, digits=0):
    generator = np.random.default_rng(seed)
    region = from_nested("Region", {"north": ["n1", "n2"], "south": {"s1": ["s11", "s12"], "s2": None}})
    size = Hierarchy.flat("Size", ["small", "large"], total="All")
    inner = np.round(generator.random((5, 2)) * 100, digits)
    full = Table.cross([region, size], inner)
    count = generator.integers(1, 9, full.n)
    tops = np.sort(generator.integers(0, 50, (full.n, 3)), axis=1)[:, ::-1].astype(float)
    who = Contributors(
        full.values, count, tops, np.full(tops.shape, -1), count * 1.0, np.zeros(full.n), tops[:, 0].copy()
    )
    return Table.cross(
        [region, size],
        inner,
        primary=generator.random(inner.shape) < 0.3,
        lower=10,
        upper=25,
        cost=generator.integers(1, 9, full.n),
        contributors=who,
        response="Turnover",
    )


def same(one, two, *names):
    for name in names:
        assert getattr(one, name).tolist() == getattr(two, name).tolist(), name


class TestHrc:
    @given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
    def test_comes_back_as_it_went(self, steps):
        depth, lines = -1, []
        for at, step in enumerate(steps):
            depth = min(step, depth + 1)
            lines.append("@" * depth + f"label{at}")
        text = "\n".join([*lines, ""])
        assert argus.format_hrc(argus.parse_hrc(text, "d")) == text

    @pytest.mark.parametrize("text", ["@a\n", "a\n@@b\n", "a\n@\n", "a\na\n"])
    def test_what_is_no_hierarchy_is_refused(self, text):
        with pytest.raises(tacita.DataError, match="Hierarchy d"):
            argus.parse_hrc(text, "d")

    def test_another_leading_string(self):
        assert argus.parse_hrc("a\n--b\n", "d", lead="--").labels == ("Total", "a", "b")
        with pytest.raises(tacita.DataError, match="cannot stand"):
            argus.format_hrc(Hierarchy.flat("d", ["@a"]))


class TestTab:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("digits", [0, 2])
    def test_comes_back_as_it_went(self, seed, digits):
        before = table(seed, digits)
        files = argus.encode_tab(before)
        after = argus.decode_tab(files.tab, argus.parse_rda(files.rda), files.hrc)
        assert after.dimensions == before.dimensions
        assert after.response == "Turnover"
        same(before, after, "values", "primary", "forced", "lower", "upper", "cost")
        same(before.contributors, after.contributors, "count", "largest")

    def test_a_width_it_could_not_keep_is_refused(self):
        wide = Table.from_array([[5, 3], [2, 4]], primary=[[1, 0], [0, 0]], sliding=50)
        with pytest.raises(tacita.DataError, match=r"no sliding levels.*JJ"):
            argus.encode_tab(wide)

    def test_missing_sums_are_computed_and_missing_cells_are_nought(self):
        rda = '<SEPARATOR> ","\nR\n<RECODEABLE>\n<TOTCODE> T\nC\n<RECODEABLE>\n<TOTCODE> T\nV\n<NUMERIC>\n'
        found = argus.decode_tab("a,x,1\na,y,2\nb,x,3\n", argus.parse_rda(rda))
        assert found.grid(found.values).tolist() == [[1, 2, 3], [3, 0, 3], [4, 2, 6]]

    def test_codes_whose_digits_are_levels(self):
        rda = '<SEPARATOR> ";"\nNace\n<RECODEABLE>\n<HIERARCHICAL>\n<HIERLEVELS> 2 1\nV\n<NUMERIC>\n'
        found = argus.decode_tab("011;1\n012;2\n021;4\n", argus.parse_rda(rda))
        assert found.values[found.cell("01")] == 3
        assert found.values[found.cell("Total")] == 7

    @pytest.mark.parametrize(
        ("tab", "message"),
        [
            ("a,x,1,2\n", "columns of the metadata"),
            ("a,x,one\n", "wants numbers"),
            ("a,x,1\na,x,1\n", "occur twice"),
            ("a,x,1\na,T,5\n", "do not add up"),
        ],
    )
    def test_what_cannot_be_read_is_refused(self, tab, message):
        rda = '<SEPARATOR> ","\nR\n<RECODEABLE>\n<TOTCODE> T\nC\n<RECODEABLE>\n<TOTCODE> T\nV\n<NUMERIC>\n'
        with pytest.raises(tacita.DataError, match=message):
            argus.decode_tab(tab, argus.parse_rda(rda))

    def test_a_label_with_the_separator_is_refused(self):
        with pytest.raises(tacita.DataError, match="separator"):
            argus.encode_tab(Table.from_array([[1]], labels=[["a;b"], ["c"]]))


class TestRda:
    def test_of_records_in_fixed_columns(self):
        rda = (
            "Region 1 3 999\n  <RECODEABLE>\n  <TOTCODE> All\n  <HIERARCHICAL>\n"
            '  <HIERCODELIST> "C:\\hier\\region.hrc"\n  <HIERLEADSTRING> @\n'
            "Turnover 4 5\n  <NUMERIC>\n  <DECIMALS> 1\nWeight 9 3\n  <WEIGHT>\nGroup 12 2\n  <HOLDING>\n"
            'Ask 14 1\n  <REQUEST> "1" "2"\n'
        )
        found = argus.parse_rda(rda)
        assert [each.kind for each in found.variables] == [
            "dimension",
            "value",
            "weight",
            "holding",
            "request",
        ]
        assert found.variables[0].hierarchy == "C:\\hier\\region.hrc"
        assert found.variables[0].missing == ("999",)
        assert found.variables[4].request == ("1", "2")
        assert argus.parse_rda(argus.format_rda(found, table=False)) == found
        columns = argus.decode_records("001 12.5  2 71\n", found)
        assert columns == {
            "Region": ["001"],
            "Turnover": ["12.5"],
            "Weight": ["2"],
            "Group": ["7"],
            "Ask": ["1"],
        }

    @pytest.mark.parametrize(
        "rda",
        [
            "<RECODEABLE>\nA\n",
            "A 1 1\n<NOSUCH>\n",
            "",
            'A "1\n',
            "A 1 1\n<NUMERIC> <NOSUCH>\n",
            "A 1 1\n<DECIMALS> x\n",
        ],
    )
    def test_what_is_not_understood_is_refused(self, rda):
        with pytest.raises(tacita.DataError, match="rda"):
            argus.parse_rda(rda)


class TestJJ:
    @pytest.mark.parametrize("seed", range(4))
    def test_comes_back_as_it_went_and_is_attacked_alike(self, seed):
        before = table(seed, 2)
        after = argus.parse_jj(argus.format_jj(before))
        same(before, after, "values", "primary", "forced", "lower", "upper", "sliding", "low", "high", "cost")
        same(before.relations, after.relations, "starts", "cells", "signs")
        mask = before.inner
        assert audit(before, mask).low.tolist() == pytest.approx(audit(after, mask).low.tolist(), abs=1e-6)

    def test_endless_bounds_come_back_endless(self):
        before = Table.from_array([[-1, 1]])
        after = argus.parse_jj(argus.format_jj(before))
        assert np.isinf(after.low).all()

    @pytest.mark.parametrize(
        "change",
        [
            lambda text: text.replace("0", "1", 1),
            lambda text: text[: len(text) // 2],
            lambda text: text.replace(" s ", " q ", 1).replace(" z ", " q ", 1),
            lambda text: text + "0 1 : 0 (1)\n",
            lambda text: text[:0],
        ],
    )
    def test_what_is_no_jj_file_is_refused(self, change):
        with pytest.raises(tacita.DataError, match="JJ"):
            argus.parse_jj(change(argus.format_jj(table())))


@pytest.mark.parametrize(
    ("name", "step", "whole"), [("count", 1.0, True), ("count", 0.5, False), ("n", 1.0, False)]
)
def test_counts_of_records_behind_which_are_fewer_units_are_counts_again(name, step, whole):
    """Of a file whose frequencies are those of units, its name says that whole values are counts."""
    count = np.array([2, 1, 3])
    values = step * (count + 1)
    who = Contributors(
        values, count, count[:, None] * 1.0, np.full((3, 1), -1), count * 1.0, np.zeros(3), values.copy()
    )
    own = Table.from_array(values[:2], contributors=who, response=name, frequency=True)
    files = argus.encode_tab(own)
    assert argus.decode_tab(files.tab, argus.parse_rda(files.rda)).frequency is whole
