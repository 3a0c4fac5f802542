"""What an attacker knows or a solver fails to find is never counted in a pattern's favour."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

import tacita
from planting import spelled
from tables_at_hand import counted
from tacita.core import Table
from tacita.tables.rules.concentration import PPercent
from tacita.tables.verify import attacker, singleton_and_sum_attacks
from tacita.tables.verify.audit import audit
from tacita.tables.verify.protection_criteria import Judge
from twins import attack

FIRST = np.arange(9).reshape(3, 3) == 0


def withheld(table, *places):
    mask = np.zeros(table.shape, dtype=bool)
    for place in places:
        mask[place] = True
    return mask


class TestHoldersOfSeveralCells:
    @pytest.mark.parametrize("holder", [0, 1, 7])
    def test_who_is_alone_in_two_cells_that_protect_in_turn_knows_both(self, holder):
        table = Table.from_array(np.full((3, 4), 9.0), primary=np.arange(12).reshape(3, 4) == 0)
        # two circuits through the sensitive cell: each protects it if the other is known
        mask = withheld(table, (0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (2, 2))
        counts = np.full((3, 4), 5)
        counts[0, 1] = counts[0, 2] = 1
        two_firms = counted(table, counts)
        assert audit(two_firms, mask, "exact", strict=True).safe
        holders = np.full(table.n, -1)
        holders[[1, 2]] = holder
        one_firm = counted(table, counts, holders)
        [failure] = audit(one_firm, mask, "exact", strict=True).failures
        assert (failure.cell, failure.reason) == (0, "known to a lone contributor")
        # and a pattern that is made for it does without
        pattern = tacita.suppress(one_firm, problem="exact")
        assert audit(one_firm, pattern, "exact", strict=True).safe

    @pytest.mark.parametrize(("second", "told"), [("u", {"part of a sensitive sum"}), ("w", set())])
    def test_what_one_holder_gives_to_two_withheld_cells_counts_together(self, second, told):
        import pyarrow as pa

        rows = [("r", "s1", 60, "u"), ("r", "s1", 5, "v"), ("r", "s2", 50, second), ("r", "s2", 6, "x")]
        rows += [("r", "s3", 300, f"r{at}") for at in range(9)]
        rows += [("q", sector, 30, f"q{sector}{at}") for sector in ("s1", "s2", "s3") for at in range(9)]
        columns = dict(
            zip(("region", "sector", "value", "firm"), map(list, zip(*rows, strict=True)), strict=True)
        )
        table = tacita.tabulate(
            pa.table(columns), ["region", "sector"], "value", unit="firm", rules=[PPercent(p=10)]
        )
        cells = {table.cell(region, sector) for region in "rq" for sector in ("s1", "s2")}
        mask = np.isin(np.arange(table.n), list(cells))
        # published: the third cell and the sum of r, and so the sum of the two that are withheld
        found = audit(table, mask, "exact", strict=True, accept_risks=True)
        assert {each.reason for each in found.failures} == told


class TestSumsOfOneContributor:
    """The withheld cells of a line: one contributor's own, and what is published says their sum."""

    TABLE = Table.from_array(np.full((3, 3), 9.0), primary=FIRST, margins=True)

    def told(self, *places, counts=None, holders=None, rules=()):
        own = np.full((3, 3), 5) if counts is None else np.array(counts)
        owners = None if holders is None else np.pad(holders, (0, 1), constant_values=-1).ravel()
        table = replace(counted(self.TABLE, own, owners), rules=tuple(rules))
        found = singleton_and_sum_attacks.sensitive_sums(table, withheld(table, *places).ravel())
        return [(each.cell, each.reason) for each in found]

    ALONE: ClassVar = {
        "counts": [[1, 1, 5], [5, 5, 5], [5, 5, 5]],
        "holders": [[3, 3, -1], [-1, -1, -1], [-1] * 3],
    }

    def test_is_told_once_for_the_sensitive_cell_of_the_line(self):
        assert self.told((0, 0), (0, 1), **self.ALONE) == [(0, "part of a sensitive sum")]
        assert self.told((0, 0), (0, 1), (1, 0), (1, 1), **self.ALONE) == [(0, "part of a sensitive sum")]

    def test_is_nothing_where_the_line_has_more_contributors_or_its_sum_is_withheld(self):
        assert self.told((0, 0), (0, 1)) == []
        assert self.told((0, 0), (0, 1), **{**self.ALONE, "holders": [[3, 4, -1], [-1] * 3, [-1] * 3]}) == []
        assert self.told((0, 0), (0, 1), (0, 3), (3, 3), **self.ALONE) == []
        # the sum of the row follows from the other rows and the grand total
        assert self.told((0, 0), (0, 1), (0, 3), **self.ALONE) == [(0, "part of a sensitive sum")]

    def test_is_judged_by_the_rules_that_speak_of_sums_and_by_no_other(self):
        names = dict(zip("ab", (d.labels for d in self.TABLE.dimensions), strict=False))
        listed = tacita.get_method("listed", cells=[(names["a"][0], names["b"][0])])
        assert self.told((0, 0), (0, 1), rules=[listed], **self.ALONE) == [(0, "part of a sensitive sum")]
        assert self.told((0, 0), (0, 1), rules=[listed]) == []
        frequency = tacita.get_method("minimum-frequency", threshold=4)
        assert self.told((0, 0), (0, 1), rules=[listed, frequency]) == []

    @pytest.mark.parametrize(
        ("holders", "unnamed"), [([0, 0], 0), ([-1, 0], 1), ([-1, -1], 2), ([-1, None], 0)]
    )
    def test_nobody_is_unnamed_who_has_a_number(self, holders, unnamed):
        counts, whose = np.full((3, 3), 5), np.full(self.TABLE.n, -1)
        for cell, holder in enumerate(holders):
            if holder is not None:
                counts[0, cell], whose[cell] = 1, holder
        table = counted(self.TABLE, counts, whose)
        hidden = withheld(table, (0, 0), (0, 1)).ravel()
        assert singleton_and_sum_attacks.unnamed_singletons(table, hidden) == unnamed

    def test_is_no_sum_of_a_single_cell_nor_of_cells_that_are_not_sensitive(self):
        assert self.told((0, 0), **self.ALONE) == []
        swapped = {name: np.array(cells)[[1, 0, 2]] for name, cells in self.ALONE.items()}
        assert self.told((0, 0), (1, 0), (1, 1), **swapped) == []


class TestBoundsFromAbove:
    """An attacker who knows how large cells are at most, and nothing else."""

    VALUES = np.array([[5.0, 3, -4], [2, 4, 9], [7, -8, 1]])

    def table(self, **fields):
        made = Table.from_array(self.VALUES, primary=FIRST, **fields)
        # no cell can be larger than it is: none can rise, so none can fall
        return made.with_bounds(-np.inf, made.values)

    def circuit(self, table):
        return withheld(table, (0, 0), (0, 1), (1, 0), (1, 1))

    def test_a_circuit_of_cells_that_cannot_rise_protects_nothing(self):
        table = self.table()
        [failure] = audit(table, self.circuit(table), "general").failures
        assert (failure.cell, failure.reason) == (0, "can be computed exactly")
        free = table.with_bounds(-np.inf, np.inf)
        assert audit(free, self.circuit(free), "general").safe

    @pytest.mark.parametrize("signs", [1, -1])
    def test_no_general_pattern_is_made_or_written_that_falls_to_them(self, signs, tmp_path):
        values = np.abs(self.VALUES) if signs > 0 else self.VALUES
        free = Table.from_array(values, primary=FIRST, bounds=(-np.inf, np.inf))
        known = free.with_bounds(-np.inf, free.values)
        with pytest.raises(tacita.DataError, match="1 sensitive cells can be computed"):
            tacita.suppress(known, "general")
        pattern = tacita.suppress(free, "general")
        with pytest.raises(tacita.DataError, match="1 sensitive cells can be computed"):
            tacita.save_table(known, pattern, tmp_path / "t.csv")
        assert not list(tmp_path.iterdir())
        accepted_risks = tacita.suppress(known, "general", accept_risks=True)
        assert accepted_risks.parameters["computed_from_signs"] == 1

    @pytest.mark.parametrize("side", ["low", "high"])
    def test_bounds_of_a_few_cells_count_as_much_as_bounds_of_all(self, side):
        free = Table.from_array(self.VALUES, primary=FIRST, bounds=(-np.inf, np.inf))
        far = np.full(free.n, -np.inf if side == "low" else np.inf)
        # neighbours in the circuit: one of them would have to fall, the other to rise
        far[[0, 1]] = free.values[[0, 1]]
        known = free.with_bounds(far, np.inf) if side == "low" else free.with_bounds(-np.inf, far)
        [failure] = audit(known, self.circuit(known), "general").failures
        assert (failure.cell, failure.reason) == (0, "can be computed exactly")

    def test_they_take_part_in_every_range(self):
        table = Table.from_array(np.abs(self.VALUES), primary=FIRST)
        mask = self.circuit(table)
        assert audit(table, mask, "exact").range_of(0) == (1.0, 7.0)
        high = table.values + 1.0
        assert audit(table.with_bounds(0.0, high), mask, "exact").range_of(0) == (4.0, 6.0)


class TestASolverThatFindsNothing:
    """No farthest point, and no ray either: then a cell has not been seen to move."""

    @staticmethod
    def nothing(*_):
        return None

    @pytest.mark.parametrize("problem", ["exact", "interval"])
    @pytest.mark.parametrize(
        ("engine", "shape"), [("_Flows", (3, 3)), ("_LinearPrograms", (2, 2, 2))], ids=["flows", "programmes"]
    )
    def test_is_not_believed_to_have_shown_a_cell_without_limit(self, monkeypatch, engine, shape, problem):
        first = np.arange(np.prod(shape)).reshape(shape) == 0
        level = np.where(first, 1.0, 0.0)
        table = Table.from_array(
            np.full(shape, 9.0), primary=first, lower=level, upper=level, bounds=(0.0, 500.0), margins=True
        )
        everything = np.ones(table.n, dtype=bool)
        assert audit(table, everything, problem).safe
        asked = Judge(table, problem).attacker(everything)
        assert asked.network == (engine == "_Flows")
        monkeypatch.setattr(getattr(attacker, engine), "farthest", self.nothing)
        assert [asked.reach(0, direction) for direction in (1, -1)] == [0.0, 0.0]
        assert not audit(table, everything, problem).safe

    @pytest.mark.parametrize(
        ("engine", "shape"), [("_Flows", (3, 3)), ("_LinearPrograms", (2, 2, 2))], ids=["flows", "programmes"]
    )
    def test_a_ray_that_breaks_a_bound_proves_nothing(self, monkeypatch, engine, shape):
        table = Table.from_array(np.full(shape, 9.0), bounds=(0.0, 500.0), margins=True)
        asked = Judge(table, "exact").attacker(np.ones(table.n, dtype=bool))
        # a cell and all sums that it is part of: keeps every relation, and all of them move the same way
        own = np.all([(each == 0) | (each == each.max()) for each in table.codes.T], axis=0)

        def lies(self, _, direction):
            wanted_ray = max(self.down.max(), self.up.max()) <= 1
            return direction * own.astype(float) if wanted_ray else None

        assert asked.reach(0, 1) > 0
        assert asked.reach(0, -1) > 0
        monkeypatch.setattr(getattr(attacker, engine), "farthest", lies)
        # what was found before the lies is remembered
        asked = Judge(table, "exact").attacker(np.ones(table.n, dtype=bool))
        assert [asked.reach(0, direction) for direction in (1, -1)] == [0.0, 0.0]

    def test_a_ray_along_cells_without_bounds_is_one(self):
        table = Table.from_array(np.full((3, 3), 9.0), bounds=(-np.inf, np.inf), margins=True)
        asked = Judge(table.with_bounds(0.0, np.inf), "exact").attacker(np.ones(table.n, dtype=bool))
        assert (asked.reach(0, 1), asked.reach(0, -1)) == (np.inf, 9.0)


class TestHowFarACellMoves:
    """Against plain linear programmes, in any unit, and up to the very limit."""

    @pytest.mark.parametrize("unit", [1e-11, 1.0, 1e9])
    @pytest.mark.parametrize("shape", [(3, 3), (2, 2, 2)], ids=["flows", "programmes"])
    def test_a_reach_is_one_in_the_unit_of_the_table(self, shape, unit):
        table = Table.from_array(np.arange(1.0, np.prod(shape) + 1).reshape(shape))
        mask = table.inner.ravel()
        asked = Judge(replace(table, values=table.values * unit), "exact").attacker(mask)
        for place, cell in enumerate(np.flatnonzero(mask).tolist()):
            low, high = attack.possible_range(table, mask, cell)
            value = table.values[cell]
            assert asked.reach(place, 1) / unit == pytest.approx(high - value, rel=1e-6)
            assert asked.reach(place, -1) / unit == pytest.approx(value - low, rel=1e-6)
            assert asked.moves(place)

    def test_all_that_is_finite_may_be_the_limit_of_one_cell(self):
        table = Table.from_array(np.full((3, 3), 9.0), margins=True)
        corners = withheld(table, (0, 0), (0, 1), (1, 0), (1, 1)).ravel()
        for up, down in ((5.0, np.inf), (np.inf, 5.0)):
            ups, downs = np.full(4, np.inf), np.full(4, np.inf)
            ups[0], downs[0] = up, down
            asked = attacker.Attacker(table.relations, corners, downs, ups)
            assert (asked.reach(0, 1), asked.reach(0, -1)) == (up, down)

    @pytest.mark.parametrize("problem", ["exact", "interval"])
    def test_what_is_computed_exactly_falls_short_of_nothing_else(self, problem):
        table = Table.from_array(np.full((3, 3), 9.0), primary=FIRST)
        alone = withheld(table, (0, 0))
        [failure] = audit(table, alone, problem).failures
        assert (failure.reason, failure.shortfall) == ("can be computed exactly", 0.0)
        assert (failure.low, failure.high) == (9.0, 9.0)
        judge = Judge(table, problem)
        circuit = withheld(table, (0, 0), (0, 1), (1, 0), (1, 1)).ravel()
        assert judge.fault(judge.attacker(circuit), 0, 0, 0.0, 18.0) == ("", 0.0)

    @pytest.mark.parametrize(("short", "reason"), [(5e-10, ""), (2e-9, "too close")])
    def test_an_interval_may_lack_what_rounding_takes_and_no_more(self, short, reason):
        level = np.where(FIRST, 4.0, 0.0)
        table = Table.from_array(np.full((3, 3), 9.0), primary=FIRST, lower=level, upper=level)
        judge = Judge(table, "interval")
        asked = judge.attacker(withheld(table, (0, 0), (0, 1), (1, 0), (1, 1)).ravel())
        for low, high, side in ((5.0 + 9 * short, 18.0, "below"), (0.0, 13.0 - 9 * short, "above")):
            told, by = judge.fault(asked, 0, 0, low, high)
            assert told == (f"{reason} from {side}" if reason else "")
            assert by == pytest.approx(9 * short if reason else 0.0, rel=1e-6)


@pytest.mark.parametrize(
    ("rows", "cells", "signs", "network"),
    [
        ([0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1], True),
        ([0, 1, 0, 1], [0, 0, 1, 1], [1, -1, -1, 1], True),
        # one cell wants the rows alike, the other unlike
        ([0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, -1], False),
        # three rows round in a circle, an odd number of them turned
        ([0, 1, 1, 2, 2, 0], [0, 0, 1, 1, 2, 2], [1, 1, 1, 1, 1, 1], False),
        ([0, 1, 1, 2, 2, 0], [0, 0, 1, 1, 2, 2], [1, -1, 1, -1, 1, -1], True),
        ([0, 1, 2], [0, 0, 0], [1, 1, 1], False),
        ([0, 1], [0, 0], [1, 2], False),
        ([0], [1], [-1], True),
    ],
    ids=spelled,
)
def test_relations_are_a_network_where_rows_can_be_turned_so_that_every_cell_leaves_one_for_another(
    rows, cells, signs, network
):
    n = max(cells) + 1
    found = attacker.as_network(np.array(rows), np.array(cells), np.array(signs, float), n)
    assert (found is not None) == network
    if found is None:
        return
    tails, heads, nodes = found
    assert nodes == max(rows) + 2
    # some turning of the rows makes every entry +1 at the tail of its cell, -1 at its head
    used = {row: at for at, row in enumerate(sorted(set(rows)))}
    turned = {}
    for row, cell, sign in zip(rows, cells, signs, strict=True):
        end = 1 if tails[cell] == used[row] else -1
        assert used[row] in (tails[cell], heads[cell])
        assert turned.setdefault(row, end * sign) == end * sign
