"""Local suppression asked for wrongly, or of records that cannot serve, is refused without a value."""

import pyarrow as pa
import pytest

import tacita
from tacita.core import DataError, ParameterError

SECRET = "Quxville"
TABLE = {
    "town": [SECRET, "B", "B", "C"] * 4,
    "sex": ["m", "f"] * 8,
    "age": list(range(4)) * 4,
    "half": ["one"] * 14 + ["other"] * 2,
    "firm": ["acme"] * 15 + ["bolt"],
    "gone": [None, "u1"] * 8,
    "same": ["x"] * 16,
    "many": [[1]] * 16,
    "w": [0.0] * 16,
}
METHOD = {"method": "local-suppression", "quasi": ["town", "sex"]}

CASES = {
    "k of one": ({"k": 1}, ParameterError, "k must be at least 2, got 1"),
    "k of two": ({"k": 2}, ParameterError, "k must be at least 3, got 2"),
    "k in words": ({"k": "three"}, ParameterError, "k must be a whole number"),
    "a fraction for k": ({"k": 2.5}, ParameterError, "k must be a whole number"),
    "more than there are": ({"k": 17}, DataError, "k=17 needs at least 17 records, got 16"),
    "no keys": ({"quasi": []}, ParameterError, "quasi must name at least one column"),
    "an unknown key": ({"quasi": ["nosuch"]}, ParameterError, "no column nosuch"),
    "all that is numeric": ({"quasi": "numeric"}, ParameterError, "Name the columns of quasi one by one"),
    "a key twice": ({"quasi": ["sex", "sex"]}, ParameterError, "sex is named twice"),
    "lists as values": ({"quasi": ["many", "sex"]}, DataError, "wanted categories"),
    "a key that is a stratum": ({"strata": ["sex"]}, ParameterError, "sex is named twice"),
    "keys that do not vary": ({"quasi": ["same"]}, DataError, "constant or missing"),
    "another reading": ({"missing_as": "nothing"}, ParameterError, "missing_as must be one of 'category' or"),
    "a reading in capitals": ({"missing_as": "Wildcard"}, ParameterError, "missing_as must be one of"),
    "importance of nothing": ({"importance": {"town": 0}}, ParameterError, "must be more than 0"),
    "importance below nothing": ({"importance": {"town": -1}}, ParameterError, "must be more than 0"),
    "importance without end": ({"importance": {"town": float("inf")}}, ParameterError, "importance"),
    "no number for importance": ({"importance": {"town": float("nan")}}, ParameterError, "importance"),
    "importance in words": ({"importance": {"town": "high"}}, ParameterError, "must be a number"),
    "importance of others": ({"importance": {"age": 2}}, ParameterError, "names age, which is not protected"),
    "importance without a column": ({"importance": ["2"]}, ParameterError, "wanted importance as COLUMN=NUM"),
    "importance twice": ({"importance": ["town=2", "town=3"]}, ParameterError, "names a column twice"),
    "importance as a number": ({"importance": 3}, ParameterError, "importance must be a section of its own"),
    "importance of no name": ({"importance": {"": 2}}, ParameterError, "got an empty one"),
    "m of nothing": ({"m": 0}, ParameterError, "m must be at least 1, got 0"),
    "m beyond the keys": ({"m": 3}, ParameterError, "m must be at most 2, the number of keys, got 3"),
    "m in words": ({"m": "all"}, ParameterError, "m must be a whole number"),
    "a negative size": ({"options": -1}, ParameterError, "options must be at least 0"),
    "negative nodes": ({"nodes": -1}, ParameterError, "nodes must be at least 0"),
    "an unknown parameter": ({"alpha": 0.5}, ParameterError, "there is no parameter alpha"),
    "a stratum of two": ({"strata": ["half"]}, DataError, "1 of 2 strata have fewer than k=3 records"),
    "two units": ({"unit": "firm"}, DataError, "k=3 needs at least 3 distinct units, got 2"),
    "units that are missing": ({"unit": "gone"}, DataError, "unit column gone is missing in 8 records"),
    "weights of nothing": ({"weight": "w"}, DataError, "weight column w is missing, zero or negative"),
    "in a chain": ({"method": "local-suppression+best"}, ParameterError, "cannot be part of a chain"),
    "dependent columns": (
        {"quasi": (), "dependent": ["age"], "independent": ["w"]},
        ParameterError,
        "wanted quasi-identifiers to protect",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_with_what_was_wanted(case):
    given, error, told = CASES[case]
    given = {name: value for name, value in {**METHOD, **given}.items() if value != ()}
    with pytest.raises(error, match=told) as refusal:
        tacita.protect(pa.table(TABLE), **given)
    assert SECRET not in str(refusal.value)


def test_a_file_in_which_no_word_means_missing_is_refused(tmp_path):
    (tmp_path / "in.csv").write_text("a,b\n" + "x,1\ny,2\nz,3\nz,4\n" * 2)
    data = tacita.read(tmp_path / "in.csv", missing_values=[])
    with pytest.raises(ParameterError, match="the file has no word for missing values"):
        tacita.protect(data, quasi=["a", "b"], method="local-suppression")
