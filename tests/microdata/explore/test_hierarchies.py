"""Hierarchies made of a column's values, and looked at before they are used."""

import pyarrow as pa
import pytest

import tacita
from tacita import DataError, ParameterError
from tacita.io.hierarchies import read_hierarchy


def written(tmp_path, text, name="people.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_a_made_hierarchy_is_one_that_its_column_is_generalised_by(tmp_path):
    people = written(tmp_path, "age;wage\n" + "".join(f"{20 + at % 30};{at},50\n" for at in range(90)))
    data = tacita.read(people, delimiter=";", decimal=",")
    for column, widths in (("age", [5, 10]), ("wage", [10])):
        made = tacita.build_hierarchy(data, column, widths=widths)
        # values are spelled as the file spells them: 3,50 is no 3.5
        rows = [line.split(";") for line in people.read_text().splitlines()]
        assert {made.labels[leaf] for leaf in made.leaves} == {row[rows[0].index(column)] for row in rows[1:]}
        tacita.save_hierarchy(made, tmp_path / f"{column}.csv")
        assert read_hierarchy(tmp_path / f"{column}.csv", column).relabelled(1) == made.relabelled(1)
        look = tacita.hierarchy_coverage(data, column, tmp_path / f"{column}.csv")
        assert (look.unknown, look.values) == (0, look.labels[0])
        assert (look.labels[-1], len(look.labels)) == (1, len(widths) + 2)
    files = {name: tmp_path / f"{name}.csv" for name in ("age", "wage")}
    release = tacita.protect(data, quasi=["age", "wage"], method="generalise", k=5, hierarchy=files)
    assert release.record.steps[0].search["proven"]


def test_what_a_hierarchy_lacks_is_counted_and_not_named(tmp_path):
    file = written(tmp_path, "a;x;*\nb;x;*\n", "letters.csv")
    look = tacita.hierarchy_coverage(pa.table({"letter": ["a", "secret", "b", "a"]}), "letter", file)
    assert (look.values, look.unknown, look.labels) == (3, 1, (2, 1, 1))
    assert "secret" not in repr(look) + str(look.names)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, "wanted one of widths, lengths, periods, got 0"),
        ({"widths": [5], "lengths": [1]}, "got 2"),
        ({"widths": [5]}, "3 of 3 values are not numeric"),
        ({"periods": ["year"]}, "are not dates"),
        ({"lengths": [9]}, "between 1 and"),
    ],
)
def test_what_cannot_be_made_is_refused_without_a_value(how, words):
    data = pa.table({"town": ["Porto", "Faro", "Braga"]})
    with pytest.raises((DataError, ParameterError), match=words) as told:
        tacita.build_hierarchy(data, "town", **how)
    assert not any(town in str(told.value) for town in ("Porto", "Faro", "Braga"))


def test_dates_and_codes_are_made_coarser_too():
    data = pa.table({"born": ["1984-05-17", "1991-12-02"], "code": ["0112", "0120"]})
    born = tacita.build_hierarchy(data, "born", periods=["year", "decade"])
    assert born.relabelled(2) == {"1984-05-17": "1980s", "1991-12-02": "1990s"}
    # without lengths a character less on each level
    assert tacita.build_hierarchy(data, "code", lengths=[]).height == 4
