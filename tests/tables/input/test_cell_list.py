"""Tables as lists of cells and as published files: what goes in comes out, and nothing else."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tables_at_hand
import tacita
from tables_at_hand import PUBLISHED
from tacita import DataError, ParameterError, Table, VerificationError
from tacita.core import Microdata
from tacita.io.formats.csv import CSV
from tacita.io.tables.reading import read_back
from tacita.tables.input.cell_list import from_cells, to_cells
from tacita.tables.release import suppress as wrapper
from tacita.tables.suppression.optimal.optimal import Optimal
from tacita.tables.suppression.optimal.two_way_grid import grid_of
from tacita.tables.verify.claim import encoded
from tacita.tables.verify.suppressed import SuppressionClaim
from twins.attacker import nothing_cheaper, protects

NAMED = {"dimensions": "rc", "value": "v", "primary": "p"}
FRAME = {"r": list("aabb"), "c": list("xyxy"), "v": [5, 3, 2, 4], "p": [1, 0, 0, 0], "w": [9, 8, 7, 6]}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("marks", [[1, 0, 0, 0], [True, False, False, False], [1.0, 0.0, 0.0, 0.0]])
def test_frames_of_any_kind_are_read_alike(kind, marks):
    table = from_cells(Microdata.of(kind({**FRAME, "p": marks})), **NAMED, cost="w", lower="w")
    assert table.grid(table.values).tolist() == [[5, 3, 8], [2, 4, 6], [7, 7, 14]]
    assert np.flatnonzero(table.primary).tolist() == [0]
    # sums cost their value
    assert table.grid(table.cost).tolist() == [[9, 8, 8], [7, 6, 6], [7, 7, 14]]
    assert table.lower[0] == 9


def test_the_order_of_lines_does_not_matter_but_for_the_order_of_labels():
    shuffled = pd.DataFrame(FRAME).iloc[[3, 0, 2, 1]]
    table = from_cells(Microdata.of(shuffled), **NAMED)
    assert table.dimensions[0].labels == ("b", "a", "Total")
    assert table.values[table.cell("a", "y")] == 3
    assert table.primary[table.cell("a", "x")]


@pytest.mark.parametrize(
    ("listed", "shown"),
    [
        # the order of the alphabet is nobody's choice, any other is
        (["1", "10", "2"], ("1", "2", "10", "Total")),
        (["small", "medium", "large"], ("small", "medium", "large", "Total")),
        (["10", "2", "1"], ("10", "2", "1", "Total")),
        (["01", "011", "02"], ("01", "011", "02", "Total")),
    ],
)
def test_a_list_in_the_order_of_the_alphabet_is_shown_in_that_of_its_numbers(listed, shown):
    frame = pd.DataFrame({"r": np.repeat(listed, 2), "c": list("xyxyxy"), "v": range(6), "p": 0})
    table = from_cells(Microdata.of(frame), **NAMED)
    assert table.dimensions[0].labels == shown
    assert [table.values[table.cell(label, "y")] for label in listed] == [1, 3, 5]


def test_a_list_that_is_written_is_read_as_the_same_table():
    firms = tables_at_hand.firms()
    rule = tacita.get_method("p-percent", p=60)
    table = tacita.tabulate(firms, ["region", "size"], "turnover", rules=rule)
    table = table.with_primary(table.primary, sliding=table.values / 2)
    listed = CSV().decode(to_cells(table), "cells.csv")
    again = from_cells(
        listed,
        dimensions=["region", "size"],
        value="turnover",
        primary="primary",
        lower="lower",
        upper="upper",
        sliding="sliding",
    )
    inner = table.inner
    assert again.values.tolist() == table.values.tolist()
    assert again.primary[inner].tolist() == table.primary[inner].tolist()
    for name in ("upper", "sliding"):
        wanted = np.where(table.primary, getattr(table, name), 0)[inner]
        assert getattr(again, name)[inner].tolist() == wanted.tolist()


@pytest.mark.parametrize("form", ["csv", "excel", "html"])
@pytest.mark.parametrize("seed", range(3))
def test_a_published_file_is_read_back_as_what_was_meant(form, seed):
    generator = np.random.default_rng(seed)
    values = generator.normal(50, 9, size=(4, 4)).round(seed)
    table = Table.from_array(values, primary=np.arange(16).reshape(4, 4) == 5, lower=10, upper=10)
    pattern = tacita.suppress(table)
    content = encoded(SuppressionClaim(pattern, tacita.audit(table, pattern)), PUBLISHED[form])
    seen = read_back(content, PUBLISHED[form], table, "file")
    assert np.array_equal(seen.withheld, pattern.withheld)
    assert np.allclose(seen.values[~seen.withheld], table.values[~seen.withheld], rtol=1e-14, atol=0)
    assert np.isnan(seen.values[seen.withheld]).all()


class TestSaveTable:
    def test_writes_all_files_or_none(self, tmp_path):
        table = tables_at_hand.positive(1)
        pattern = tacita.suppress(table)
        paths = [tmp_path / name for name in ("t.csv", "t.json", "t.html")]
        tacita.save_table(table, pattern, paths[0], json_report=paths[1], report=paths[2])
        assert all(path.exists() for path in paths)
        with pytest.raises(ParameterError, match="same file"):
            tacita.save_table(table, pattern, paths[0], report=paths[0], force=True)
        with pytest.raises(ParameterError, match=r"\.csv, \.xlsx"):
            tacita.save_table(table, pattern, tmp_path / "t.pdf")

    def test_refuses_a_pattern_that_does_not_protect(self, tmp_path):
        table = tables_at_hand.positive(1)
        bare = tacita.Pattern.of(table, table.primary)
        with pytest.raises(VerificationError, match="not protected"):
            tacita.save_table(table, bare, tmp_path / "t.csv")
        assert not list(tmp_path.iterdir())

    def test_refuses_a_general_pattern_that_signs_give_away(self, tmp_path):
        values = [[2, 3, 0], [1, 4, 1], [1, 5, 0]]
        table = Table.from_array(values, primary=np.arange(9).reshape(3, 3) == 0, bounds=(-np.inf, np.inf))
        corners = np.zeros((4, 4), dtype=bool)
        corners[[0, 0, 2, 2], [0, 2, 0, 2]] = True
        pattern = tacita.Pattern.of(table, corners, problem="general")
        with pytest.raises(DataError, match="Use exact protection"):
            tacita.save_table(table, pattern, tmp_path / "t.csv")
        signed = Table.from_array([[2, -3, 0], [1, 4, 1], [1, 5, 0]], primary=table.primary.reshape(4, 4))
        tacita.save_table(signed, pattern, tmp_path / "t.csv")
        assert (tmp_path / "t.csv").exists()


@st.composite
def small_tables(draw):
    """Values with zeros, some negative for the general problem; one or two sensitive cells."""
    problem = draw(st.sampled_from(["general", "exact", "interval"]))
    rows, columns = draw(st.sampled_from([(2, 2), (2, 3), (3, 3)]))
    least = -9 if problem == "general" else 0
    values = draw(
        st.lists(st.integers(least, 20), min_size=rows * columns, max_size=rows * columns).map(np.array)
    )
    secret = draw(st.lists(st.integers(0, rows * columns - 1), min_size=1, max_size=2, unique=True))
    primary = np.zeros(rows * columns, dtype=bool)
    primary[secret] = True
    shape = (rows, columns)
    options = {
        "margins": draw(st.booleans()) if shape == (2, 2) else False,
        "zeros": draw(st.sampled_from(["publish", "withhold", None])),
        "objective": draw(st.sampled_from(["value", "count"])),
    }
    percent = draw(st.sampled_from([10, 50, 100]))
    bounds = (-np.inf, np.inf) if problem == "general" else None
    levels = {"lower": percent, "upper": percent, "sliding": draw(st.sampled_from([0, 150]))}
    table = Table.from_array(values.reshape(shape), primary=primary.reshape(shape), bounds=bounds, **levels)
    return problem, table, options


@given(small_tables())
def test_a_pattern_is_the_cheapest_that_protects_or_there_is_none(case):
    problem, table, options = case
    priced = wrapper._priced(table, problem, options["objective"], options["margins"], options["zeros"])
    grid = grid_of(priced, problem)
    grid = replace(grid, cost=priced.cost[grid.cells])
    unasked = np.maximum.reduce([grid.lower, grid.upper, grid.sliding]) == 0
    without_level = problem == "interval" and (grid.primary & unasked).any()
    try:
        found = wrapper.suppress(table, Optimal(), problem, accept_less_protection=True, **options)
    except DataError:
        assert without_level or not protects(grid, grid.primary | grid.allowed)
        return
    assert not without_level
    assert protects(grid, priced.grid(found.pattern.withheld))
    assert found.pattern.proven
    assert nothing_cheaper(grid, found.pattern.cost)
