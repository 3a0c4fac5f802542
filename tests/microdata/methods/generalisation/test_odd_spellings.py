"""Keys whose values are spelled in several ways: what is shown covers them, and nothing else passes."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita
from planting import failed, with_column
from tacita.core import DataError, Microdata
from tacita.microdata import verify

ONES = ["1", "1.0", "01", "+1", "1"]


def made(cells, **options):
    columns = {"q": cells, "z": [str(row) for row in range(len(cells))]}
    options = {"k": 3, "measures": ["IL1"], "missing": "stratum", **options}
    return tacita.protect(pa.table(columns), quasi=["q"], method="mondrian", **options)


def test_a_number_spelled_in_several_ways_is_shown_in_one():
    shown = made([*ONES, "7", "7.50", "9", "09"]).data["q"].to_pylist()
    assert shown == ["1"] * 5 + ["7 to 9"] * 4


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["0", "-0", "0.0", "5", "5", "5"], ["0"] * 3 + ["5"] * 3),
        (["1,5", "1,50", "1,5", "2", "2,0", "3"], ["1,5"] * 3 + ["2 to 3"] * 3),
        (["1e1", "10", "1E1", "50", "51", "5e1"], ["10"] * 3 + ["50 to 51"] * 3),
        ([" 1", "1", "1 ", "2", "2", "2"], ["1"] * 3 + ["2"] * 3),
        # no numbers to anybody but Python: shown, or not
        (["1_0", "1_0", "1_0", "2", "2", "2"], ["1_0"] * 3 + ["2"] * 3),
        (["under 5", "5 to 9", "under 5", "under 5", "5 to 9", "5 to 9"], None),
        (["A", "a", "a ", "A", "a", "a "], ["*"] * 6),
    ],
)
def test_what_is_shown_of_odd_spellings(cells, wanted):
    release = made(cells)
    shown = release.data["q"].to_pylist()
    assert shown == (cells if wanted is None else wanted)
    assert failed(verify.verify(Microdata.of(release.data), release.claim)) == set()


def test_classes_of_one_number_are_one_class_however_it_was_spelled():
    """Which spelling a class had is nobody's business: relaxed cuts may part equal numbers."""
    release = made(["1"] * 4 + ["1.0"] * 4 + ["2"] * 4, k=2, relaxed=True, accept_risks=True)
    assert set(release.data["q"].to_pylist()) <= {"1", "2", "1 to 2"}


PLANTED = {
    "a number beside": "2",
    "a range beside": "2 to 9",
    "a range the wrong way round": "3 to 0",
    "half a range": "1 to ",
    "a number that only Python reads": "0_1",
    "no number": "one",
    "nan": "nan",
}


@pytest.mark.parametrize("how", PLANTED)
def test_a_label_that_does_not_cover_a_number_is_found(how):
    release = made([*ONES, "7", "7.50", "9", "09"])
    cells = [PLANTED[how]] * 5 + release.data["q"].to_pylist()[5:]
    planted = Microdata.of(with_column(release.data, "q", cells))
    assert "generalised" in failed(verify.verify(planted, release.claim))


def test_the_same_number_is_covered_only_where_ranges_were_promised():
    release = made([*ONES, "7", "7.50", "9", "09"])
    claim = replace(release.claim, terms={**release.claim.terms, "ranges": []})
    assert "generalised" in failed(verify.verify(Microdata.of(release.data), claim))


def test_an_empty_text_among_the_values_is_refused_by_the_name_of_its_column():
    with pytest.raises(DataError, match="column q has an empty text"):
        made(["", "a", "b"] * 3)


METHODS = {
    "local-suppression": {"k": 3},
    "local-suppression by category": {"k": 3, "missing_as": "category", "shuffle": True},
    "mondrian": {"k": 3},
    "generalise": {"k": 3},
    "recode-local": {"k": 3},
    "pram": {"pd": 0.2},
}


@pytest.mark.each_once
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cells", [[None] * 12, ["", "NA"] * 6], ids=["frame", "file"])
def test_a_key_without_any_value_is_no_obstacle(method, cells, tmp_path):
    table = pa.table({"q": ["a", "b"] * 6, "e": pa.array(cells, pa.string())})
    source = table
    if "NA" in cells:
        source = tmp_path / "source.csv"
        source.write_text(
            "q,e\n" + "".join(f"{q},{e}\n" for q, e in zip(*table.to_pydict().values(), strict=True))
        )
    keys = {"quasi": ["q", "e"], "nominal": ["q", "e"], "seed": 3**80, "accept_risks": True}
    release = tacita.protect(source, method=method.split()[0], **keys, **METHODS[method])
    shown = np.array(release.data["e"].to_pylist())
    assert all(cell in (None, "", "NA") for cell in shown.tolist())
    tacita.save(release, tmp_path / "out.parquet")
