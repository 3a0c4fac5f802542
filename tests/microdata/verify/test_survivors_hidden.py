"""What of a column is hidden, and from which records it might be learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tacita.core import Microdata
from tacita.core.results.inferred_cells import ROW_ORDER
from tacita.core.results.release import Claim
from tacita.core.spec.roles import Roles
from tacita.microdata.verify import Evidence
from tacita.microdata.verify.hidden import column_of, known_of, shown_as, targets_of


def evidence(
    before: list[Any],
    after: list[Any],
    guarantee: str = "only-withheld",
    *,
    suppressed: bool = True,
    rows: list[int] | None = None,
    **claimed: Any,
) -> Evidence:
    """A release of one key beside a weight that is released as it was."""
    numeric = isinstance(before[0], float)
    weights = list(range(len(before), 0, -1))
    table = pa.table({"key": before, "weight": weights})
    kind = pa.string() if isinstance(next(c for c in after if c is not None), str) else pa.float64()
    chosen = list(range(len(before))) if rows is None else rows
    released = pa.table({"key": pa.array(after, kind), "weight": [weights[row] for row in chosen]})
    data = Microdata.of(table).with_roles(Roles(quasi=["key"], nominal=[] if numeric else ["key"]))
    gone = np.array([[cell is None] for cell in after]) if suppressed else None
    claim = Claim(data, np.array(chosen), None, 2, (guarantee,), suppressed=gone, **claimed)
    return Evidence(Microdata.of(released), claim)


def marks(text: str) -> list[bool]:
    return [each == "x" for each in text]


def test_suppressed_cells_are_those_that_had_a_value():
    column = column_of(evidence(["a", "b", None, "a", "b"], ["a", None, None, "a", "b"]), "key")
    assert column.suppressed.tolist() == marks("-x---")
    assert column.changed.tolist() == marks("-----")
    assert column.originals[2] == -1
    assert column.labels.tolist()[1:3] == [-1, -1]
    assert column.originals[0] == column.originals[3] != column.originals[1] == column.originals[4]
    assert column.plain
    # every original has the label that it is shown as, suppressed ones too
    assert shown_as(column).tolist() == [
        column.labels[0],
        column.labels[4],
        -1,
        column.labels[0],
        column.labels[4],
    ]


@pytest.mark.parametrize(
    ("guarantee", "suppressed", "terms", "gone"),
    [
        ("only-withheld", True, {}, True),
        ("k-anonymous", False, {"outliers": "withhold"}, True),
        ("k-anonymous", False, {"outliers": "drop"}, False),
        ("recoded", False, {}, False),
    ],
)
def test_a_cell_without_a_value_is_suppressed_where_some_were_said_to_be(guarantee, suppressed, terms, gone):
    made = evidence(
        ["a", "b", "a", "b"], ["a", None, "a", "b"], guarantee, suppressed=suppressed, terms=terms
    )
    assert column_of(made, "key").suppressed.tolist() == marks("-x--" if gone else "----")


def test_a_label_that_stands_for_one_value_hides_nothing():
    made = evidence(list("abcab"), ["x", "x", "y", "x", "x"], "recoded", suppressed=False)
    column = column_of(made, "key")
    assert column.changed.tolist() == marks("xx-xx")
    assert column.plain
    # nothing is changed where all read as they did, or where only that is promised
    same = evidence(list("abcab"), list("abcab"), "recoded", suppressed=False)
    assert not column_of(same, "key").changed.any()
    withheld = evidence(list("abcab"), ["x", "x", "y", "x", "x"], "only-withheld")
    assert not column_of(withheld, "key").changed.any()
    # of those under a label, the one that reads as it did is not
    made = evidence(list("abcab"), ["a", "a", "c", "a", "a"], "recoded", suppressed=False)
    assert column_of(made, "key").changed.tolist() == marks("-x--x")


def test_a_value_that_is_shown_in_several_ways_is_not_plain():
    made = evidence(
        list("aaabb"),
        ["x", "x", "y", "y", None],
        "k-anonymous",
        terms={"outliers": "withhold"},
        suppressed=False,
    )
    column = column_of(made, "key")
    assert not column.plain
    of_a, of_b = (int(column.of_value[column.originals[row]]) for row in (0, 3))
    # what most records show
    assert of_a == column.labels[0]
    assert of_b == column.labels[3]
    assert shown_as(column).tolist() == [*column.labels[:4].tolist(), of_b]


def test_numbers_are_changed_where_they_are_coded():
    before, after = [1.0, 2.0, 8.0, 9.0, 9.5], [1.0, 2.0, 8.5, 8.5, float("nan")]
    made = evidence(before, after, "coded", suppressed=False)
    column = column_of(made, "key")
    assert column.changed.tolist() == marks("--xx-")
    assert column.labels.tolist()[4] == -1
    assert not column.suppressed.any()
    assert len(set(column.originals.tolist())) == 5
    # of masked numbers no two need be alike
    masked = column_of(evidence(before, after, "noise-independent", suppressed=False), "key")
    assert not masked.changed.any()
    # a number that alone became another hides nothing
    alone = column_of(evidence(before, [1.0, 2.0, 8.0, 9.0, 99.0], "coded", suppressed=False), "key")
    assert not alone.changed.any()


def test_suppressed_cells_are_learnt_from_those_that_are_shown():
    made = evidence(["a", "b", None, "a", "b", "a"], ["a", None, None, "a", "b", None])
    column = column_of(made, "key")
    (found,) = targets_of(column, masked=False)
    assert found.hidden.tolist() == marks("-x---x")
    assert found.taught.tolist() == marks("x--xx-")
    assert found.values.tolist() == shown_as(column).tolist()
    assert (found.fewest, found.self_taught) == (1, False)
    # of those that have a value, hidden or not: what suppression leaves in view is not as frequent as it is
    assert found.share[column.labels[0]] == pytest.approx(3 / 5)
    assert found.share[column.labels[4]] == pytest.approx(2 / 5)
    # masking before takes nothing away from what is shown
    assert len(targets_of(column, masked=True)) == 1


def test_where_one_value_is_shown_there_is_nothing_to_learn():
    made = evidence(["a", "b", "a", "a"], ["a", None, "a", "a"])
    assert not targets_of(column_of(made, "key"), masked=False)
    nothing = evidence(["a", "b", "a", "b"], ["a", "b", "a", "b"])
    assert not targets_of(column_of(nothing, "key"), masked=False)


def test_changed_cells_are_learnt_by_whoever_knows_the_relation():
    made = evidence(list("aaabcc"), ["x", "x", "x", "x", "c", "c"], "recoded", suppressed=False)
    column = column_of(made, "key")
    (found,) = targets_of(column, masked=False)
    assert found.hidden.tolist() == marks("xxxx--")
    assert found.taught.all()
    assert found.self_taught
    assert found.fewest == 4
    assert found.values.tolist() == column.originals.tolist()
    # of four with that label three have the first value: the others are known
    assert found.share[column.originals[[0, 3, 4]]].tolist() == [0.75, 0.25, 1.0]
    assert not targets_of(column, masked=True)


def test_what_is_released_beside_is_known_and_the_order_where_it_was_kept():
    made = evidence(["a", "b", "a", "b"], ["a", None, "a", "b"])
    columns = [column_of(made, "key")]
    known = known_of(made, columns)
    assert set(known.codes) == {"key", "weight"}
    assert known.codes["key"].tolist() == columns[0].labels.tolist()
    assert known.filled["key"].tolist() == shown_as(columns[0]).tolist()
    assert set(known.ranks) == {"weight", ROW_ORDER}
    assert known.ranks["weight"].tolist() == [3, 2, 1, 0]
    assert known.ranks[ROW_ORDER].tolist() == [0, 1, 2, 3]
    shuffled = evidence(["a", "b", "a", "b"], ["b", "a", None, "a"], rows=[3, 0, 1, 2], shuffled=True)
    assert ROW_ORDER not in known_of(shuffled, [column_of(shuffled, "key")]).ranks
    kept = evidence(["a", "b", "a", "b"], ["b", "a", None, "a"], rows=[3, 0, 1, 2])
    assert known_of(kept, [column_of(kept, "key")]).ranks[ROW_ORDER].tolist() == [3, 0, 1, 2]
    whole = evidence(["a", "b", "a", "b"], ["a", "b", "a", "b"])
    assert ROW_ORDER not in known_of(whole, [column_of(whole, "key")]).ranks
