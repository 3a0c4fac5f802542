"""Releases with withheld cells: k-anonymous by a count of its own, all other cells as they were."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import DEAR
from tacita.core import RunContext

from . import slow_twin

LETTERS = ["a", "b", "c", None]


def coded(table, names):
    """Cells of some columns as numbers, -1 where they are missing."""
    columns = []
    for name in names:
        cells = table[name].to_pylist()
        levels = {cell: at for at, cell in enumerate(sorted({str(c) for c in LETTERS} | {"0", "1", "2"}))}
        columns.append([-1 if cell is None else levels[str(cell)] for cell in cells])
    return np.array(columns).T


@st.composite
def surveys(draw):
    n = draw(st.integers(12, 30))
    cells = st.lists(st.sampled_from(draw(st.sampled_from([LETTERS, LETTERS[:3]]))), min_size=n, max_size=n)
    return pa.table(
        {
            "a": pa.array(draw(cells), pa.string()),
            "b": pa.array(draw(cells), pa.string()),
            # a file whose keys do not vary has nothing to protect, and is refused
            "c": [2, *draw(st.lists(st.integers(0, 2), min_size=n - 2, max_size=n - 2)), 1],
            "half": [("one", "other")[i % 2] for i in range(n)],
            "home": [f"h{i // 2}" for i in range(n)] if draw(st.booleans()) else [f"h{i}" for i in range(n)],
            "income": list(range(n)),
        }
    )


@DEAR
@given(
    surveys(),
    st.sampled_from(["category", "wildcard"]),
    st.sampled_from([None, 1, 2]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([{}, {"a": 2.5, "c": 3}]),
)
def test_every_release_is_k_anonymous_as_promised(table, reading, m, units, strata, importance):
    roles = {"quasi": ["a", "b", "c"], "strata": ["half"] if strata else []}
    if units:
        roles |= {"unit": "home"}
    release = tacita.protect(
        table,
        **roles,
        method="local-suppression",
        k=3,
        missing_as=reading,
        **({} if m is None else {"m": m}),
        importance=importance,
        measures=["k_anonymity"],
    )
    before, after = coded(table, "abc"), coded(release.data, "abc")
    assert ((before == after) | (after == -1)).all()
    homes = np.array(table["home"].to_pylist())
    halves = np.array(table["half"].to_pylist())
    for half in np.unique(halves) if strata else [None]:
        rows = np.flatnonzero(halves == half) if strata else np.arange(len(halves))
        assert slow_twin.keeps(
            before[rows],
            after[rows],
            3,
            wildcard=reading == "wildcard",
            m=m,
            units=homes[rows] if units else None,
        )
    (found,) = release.record.withheld
    taken = (before != after).sum(axis=0).tolist()
    assert found["cells_by_column"] == dict(zip("abc", taken, strict=True))
    weights = [importance.get(name, 1) for name in "abc"]
    assert found["cost"] == pytest.approx(np.dot(taken, weights))
    assert found["lower_bound"] <= found["cost"] + 1e-9


TABLE = pa.table(
    {
        "town": ["A", "A", "A", "B", "B", "B", "C", "C", "C", "C"],
        "age": pa.array([1, 1, 1, 2, 2, 3, 1, 1, 1, 2], pa.int32()),
        "sex": pa.array(["m", "f", "m", "m", "f", "f", "m", "m", "f", "m"]).dictionary_encode(),
        "own": [True, False, True, True, False, True, True, True, True, False],
        "x": np.arange(10) / 7,
    }
)
KEYS = ["town", "age", "sex", "own"]


@pytest.mark.parametrize("reading", ["category", "wildcard"])
@pytest.mark.parametrize("form", ["pandas", "pandas of objects", "polars", "pyarrow"])
def test_shown_cells_keep_their_type_and_value_in_every_frame(form, reading):
    native = {
        "pandas": TABLE.to_pandas,
        # as pandas before version 3 has all text; where all is withheld no type is left
        "pandas of objects": lambda: TABLE.to_pandas().astype({"town": object}),
        "polars": lambda: pl.from_arrow(TABLE),
        "pyarrow": lambda: TABLE,
    }
    release = tacita.protect(
        native[form](), quasi=KEYS, method="local-suppression", missing_as=reading, measures=["k_anonymity"]
    )
    assert type(release.data) is type(native[form]())
    assert release.record.withheld[0]["cells"] > 0
    for name in KEYS:
        cells = release.data[name]
        cells = cells.to_pylist() if form == "pyarrow" else cells.to_list()
        for old, new in zip(TABLE[name].to_pylist(), cells, strict=True):
            assert new is None or new is pd.NA or new != new or (new == old and type(new) is type(old))


def test_a_file_shows_withheld_cells_as_those_that_were_missing(tmp_path):
    lines = ["town,sex", *["A,m"] * 3, *["B,m"] * 2, "NA,f", "C,f", "D,f", "D,x"]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    data = tacita.read(tmp_path / "in.csv")
    release = tacita.protect(
        data, quasi=["town", "sex"], method="local-suppression", measures=["k_anonymity"]
    )
    tacita.save(release, tmp_path / "out.csv")
    towns = [line.split(",")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert towns.count("NA") > 1
    assert "" not in towns


def test_the_same_plan_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        release = tacita.protect(TABLE, quasi=KEYS, method="local-suppression", measures=["k_anonymity"])
        for ending in ("csv", "parquet"):
            tacita.save(release, tmp_path / f"{name}.{ending}")
    for ending in ("csv", "parquet"):
        one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
        assert one == two


def test_the_record_has_the_search_and_the_note_the_shares(tmp_path):
    release = tacita.protect(TABLE, quasi=KEYS, method="local-suppression", measures=["k_anonymity"])
    tacita.save(release, tmp_path / "o.csv", json_report=tmp_path / "r.json", note=tmp_path / "n.html")
    search = json.loads((tmp_path / "r.json").read_text())["search"]
    assert search["proven"]
    assert search["status"] == "optimal"
    assert (
        search["cells"] == search["cost"] == search["lower_bound"] == sum(search["cells_by_column"].values())
    )
    note = (tmp_path / "n.html").read_text()
    assert "% of the values are suppressed" in note
    assert "cost" not in note.lower()


def test_a_column_that_loses_a_fifth_of_its_values_is_warned_of():
    release = tacita.protect(TABLE, quasi=KEYS, method="local-suppression", measures=["k_anonymity"])
    warned = [each for each in release.record.warnings if each.name == "much-withheld"]
    shares = release.record.withheld[0]["share_by_column"]
    assert len(warned) == sum(share > 20 for share in shares.values()) > 0


def test_it_works_as_a_step_after_a_recoding():
    release = tacita.protect(
        TABLE,
        steps=[
            {"method": "recode", "quasi": ["town"], "map": {"A": "north", "B": "north", "C": "south"}},
            {"method": "local-suppression", "quasi": KEYS, "k": 3},
        ],
        measures=["k_anonymity"],
    )
    assert {each.guarantee for each in release.record.verdicts if each.step == 2} >= {"k-anonymous"}
    assert all(each.passed for each in release.record.verdicts)


def test_a_soft_stop_is_recorded_and_verified():
    release = tacita.protect(
        TABLE,
        quasi=KEYS,
        method="local-suppression",
        measures=["k_anonymity"],
        context=RunContext(should_stop=lambda: True),
    )
    assert all(each.passed for each in release.record.verdicts)
    assert "search-stopped" in {each.name for each in release.record.warnings}
