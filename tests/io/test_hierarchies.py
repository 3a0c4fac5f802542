"""Hierarchies of records and tables: what they are made of, and what holds of every one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import MANY
from tacita.core import DataError, Hierarchy, ParameterError
from tacita.io import hierarchies
from tacita.io.hierarchies.arx import parse_arx


@st.composite
def trees(draw):
    """Rows from value to top, as ARX has them; labels may last for several levels."""
    height = draw(st.integers(1, 4))
    leaves = draw(st.integers(1, 9))
    rows = [[f"v{i}"] for i in range(leaves)]
    groups = list(range(leaves))
    for level in range(1, height):
        wanted = draw(st.lists(st.integers(0, 3), min_size=leaves, max_size=leaves))
        # records of one label stay together
        chosen = {group: wanted[group] for group in set(groups)}
        for i in range(leaves):
            alone = groups.count(groups[i]) == 1 and list(chosen.values()).count(chosen[groups[i]]) == 1
            rows[i].append(rows[i][-1] if alone else f"l{level}:{chosen[groups[i]]}")
        groups = [next(k for k in range(leaves) if rows[k][-1] == row[-1]) for row in rows]
    return [[*row, "*"] for row in rows]


@MANY
@given(trees())
def test_what_is_written_is_read_again_level_by_level(rows):
    text = "".join(";".join(row) + "\n" for row in rows)
    try:
        made = parse_arx(text, "x")
    except DataError:
        # a label that gives way on two different levels has no one place
        return
    assert hierarchies.format_arx(made) == text
    assert made == parse_arx(hierarchies.format_arx(made), "x")
    for level in range(made.height + 1):
        assert made.relabelled(level) == {row[0]: row[level] for row in rows}


@MANY
@given(trees())
def test_each_level_coarsens_the_last_and_shares_sum_to_one(rows):
    try:
        made = parse_arx("".join(";".join(row) + "\n" for row in rows), "x")
    except DataError:
        return
    for level in range(made.height + 1):
        shown, shares = made.levels[level], made.shares[level]
        first = np.unique(shown, return_index=True)[1]
        assert shares[first].sum() == pytest.approx(1.0)
        if level:
            finer = made.levels[level - 1]
            assert all(np.unique(shown[finer == label]).size == 1 for label in np.unique(finer))
            assert (shares >= made.shares[level - 1]).all()
    assert (made.levels[-1] == made.top).all()


def test_a_nested_hierarchy_shows_labels_as_soon_as_all_below_them_can_be():
    made = hierarchies.from_nested("region", {"north": ["N1", "N2"], "south": None})
    assert made.height == 2
    assert made.relabelled(1) == {"N1": "north", "N2": "north", "south": "south"}
    assert set(made.relabelled(2).values()) == {"Total"}


def test_one_type_serves_tables_and_records(tmp_path):
    (tmp_path / "region.hrc").write_text("north\n@N1\n@N2\nsouth\n")
    (tmp_path / "region.csv").write_text("N1;north;*\nN2;north;*\nsouth;south;*\n")
    one = hierarchies.as_hierarchy("region", tmp_path / "region.hrc")
    other = hierarchies.as_hierarchy("region", tmp_path / "region.csv")
    assert one.relabelled(1) == other.relabelled(1)
    assert isinstance(one, Hierarchy)
    assert isinstance(other, Hierarchy)


def test_a_label_may_give_way_on_one_level_and_gather_more_on_the_next():
    made = parse_arx("flu;infection;lung;*\nedema;lung;lung;*\nulcer;stomach;stomach;*\n", "disease")
    assert made.relabelled(1) == {"flu": "infection", "edema": "lung", "ulcer": "stomach"}
    assert made.shares[1].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert made.shares[2].tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "wanted lines of labels"),
        ("\n\n", "wanted lines of labels"),
        ("a;;*\n", "none empty"),
        ("a;x;*\nb;*\n", "1 of 2 lines have more or fewer levels"),
        ("a;x;*\na;y;*\n", "1 values occur twice"),
        ("a;x;p;*\nb;x;q;*\n", "1 labels have several parents"),
        ("a;b;*\nb;b;*\n", "a value itself"),
        ("a;x;a;*\nb;x;b;*\n", "have several parents"),
        ('a;"x\n', "wanted lines of labels"),
    ],
)
def test_broken_hierarchies_are_refused_with_counts(text, told):
    with pytest.raises(DataError, match=told) as problem:
        parse_arx(text, "region")
    assert "Hierarchy region" in str(problem.value)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: hierarchies.from_prefixes("x", []), "wanted codes, got none"),
        (lambda: hierarchies.from_prefixes("x", ["123"], [3]), "between 1 and 2"),
        (lambda: hierarchies.from_prefixes("x", ["123"], [1, 1]), "must be different"),
        (lambda: hierarchies.from_intervals("x", [], [5]), "finite numbers"),
        (lambda: hierarchies.from_intervals("x", [float("nan")], [5]), "finite numbers"),
        (lambda: hierarchies.from_intervals("x", [1.0], [5, 12]), "multiple of the one before"),
        (lambda: hierarchies.from_intervals("x", [1.0], [0]), "greater than 0"),
        (lambda: hierarchies.from_dates("x", ["17.05.1984"]), "1 of 1 values are not dates"),
        (lambda: hierarchies.from_dates("x", ["1984-05-17"], ["week"]), "no period week"),
        (lambda: hierarchies.from_dates("x", ["1984-05-17"], ["year", "month"]), "short to long"),
        (lambda: hierarchies.as_hierarchy("x", 3), "got int"),
        (lambda: hierarchies.as_hierarchy("x", "x.xlsx"), "as .csv"),
        (lambda: Hierarchy("x", ("a", "b", "T"), (2, 2, -1), (1, 2, 2)), "levels that rise"),
        (lambda: Hierarchy("x", ("a", "b", "T"), (2, 2, -1), (0, 1, 2)), "levels that rise"),
        (lambda: Hierarchy("x", ("a", "b", "T"), (2, 2, -1), (1, 1)), "levels that rise"),
    ],
)
def test_what_makes_no_hierarchy_is_refused(make, told):
    with pytest.raises((DataError, ParameterError), match=told):
        make()


@MANY
@given(
    st.lists(st.integers(-50, 120), min_size=1, max_size=30),
    st.sampled_from([[5], [5, 10], [2, 4, 8], [10, 20, 100]]),
    st.none() | st.integers(-10, 20),
    st.none() | st.integers(40, 90),
)
def test_every_number_lies_in_the_interval_that_stands_for_it(values, widths, bottom, top):
    made = hierarchies.from_intervals("x", values, widths, bottom=bottom, top=top)
    for level in range(1, len(widths) + 1):
        for text, label in made.relabelled(level).items():
            number = float(text)
            if label.startswith("under"):
                assert number < float(label.split()[1]) == bottom
            elif label.endswith("or more"):
                assert number >= float(label.split()[0]) == top
            else:
                low, high = _ends(label)
                assert low <= number <= high


def _ends(label):
    """Both ends of 15-19, -5--1 or 7."""
    for at in range(1, len(label)):
        if label[at] == "-" and label[at - 1].isdigit():
            return float(label[:at]), float(label[at + 1 :])
    return float(label), float(label)
