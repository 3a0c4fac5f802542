"""Sums of suppressed cells that follow from several lines together."""

import pytest

from attacked_tables import block
from tacita.tables.verify import mixed_sums


@pytest.mark.parametrize(("most", "found"), [(7, 0), (8, 1)])
def test_of_parts_that_are_too_large_no_sums_of_several_lines_are_sought(monkeypatch, most, found):
    table = block()
    hidden = table.inner & (table.values != 20)
    monkeypatch.setattr(mixed_sums, "_MOST", most)
    sets = [cells.tolist() for cells in mixed_sums.mixed_sums(table, hidden) if cells.size == 4]
    assert len(sets) == found
