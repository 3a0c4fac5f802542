"""Planted failures in columns of categories, which the verifier must find in every form of a release."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import tacita
from effort import DEAR
from planting import FILES, FORMS, FRAMES, cell, encoded, failed, group_of, judge, native, with_column
from seeds import SEED
from tacita.core import Microdata, Roles
from tacita.microdata import verify
from tacita.microdata.protection import apply

LEVELS = ("low", "mid", "high", "top")


def mixed_table():
    """Twelve records in four groups of three; modes with and without ties, medians between unlike levels."""
    return pa.table(
        {
            "x": [0.1, 0.2, 0.3, 5.1, 5.2, 5.3, 9.1, 9.2, 9.3, 14.1, 14.2, 14.3],
            "sex": ["m", "f", "f", "m", "m", "f", "f", "f", "f", "m", "m", "m"],
            "edu": ["low", "high", "mid", "mid", "mid", "low", "top", "low", "high", "top", "top", "mid"],
            "job": pa.array(["a", "b", "c", "b", "c", "c", "a", "a", "a", "d", "c", "d"]).dictionary_encode(),
            "note": [f"n{i % 4}" for i in range(12)],
        }
    )


def release(form="pyarrow", **options):
    given = {
        "quasi": ["x", "sex", "edu", "job"],
        "nominal": ["sex", "job"],
        "ordinal": {"edu": LEVELS},
        "method": "gower",
        "k": 3,
        "measures": ["CATEGORIES"],
        **options,
    }
    return tacita.protect(native(mixed_table(), form), **given)


def made_for(form):
    """A released table, and the claim of the same release in the kind of frame that a form needs."""
    return release().data, release(form if form in FRAMES else "pyarrow").claim


def whole_group(name, row, value):
    def change(table, claim):
        cells = table[name].to_pylist()
        for member in group_of(claim, row):
            cells[member] = value
        plain = pa.array(cells)
        return with_column(
            table, name, plain.dictionary_encode() if pa.types.is_dictionary(table[name].type) else plain
        )

    return change


def another(table, claim, name):
    """A category of the column that the group of the first record does not publish."""
    mine = table[name][0].as_py()
    return next(word for word in claim.original.frame[name].to_list() if word != mine)


@pytest.mark.parametrize("form", FORMS)
def test_a_correct_release_passes(form):
    table, claim = made_for(form)
    verdicts = judge(form, table, claim)
    assert failed(verdicts) == set()
    assert "group-categories" in {verdict.guarantee for verdict in verdicts}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["sex", "edu"])
def test_one_true_cell_left_in_a_group_breaks_groups_of_k(form, name):
    table, claim = made_for(form)
    changed = cell(name, 0, another(table, claim, name))(table, claim)
    assert failed(judge(form, changed, claim)) == {"groups-of-k", "group-categories"}


@pytest.mark.each_once
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["sex", "edu", "job"])
def test_another_category_for_a_whole_group_is_no_median_or_mode(form, name):
    table, claim = made_for(form)
    changed = whole_group(name, 0, another(table, claim, name))(table, claim)
    assert failed(judge(form, changed, claim)) == {"group-categories"}


def test_of_two_middle_levels_the_upper_is_refused():
    table = pa.table({"edu": ["low", "low", "mid", "top"]})
    options = {
        "quasi": "edu",
        "ordinal": {"edu": LEVELS},
        "method": "gower",
        "k": 4,
        "measures": ["GOWER_loss"],
    }
    made = tacita.protect(table, **options)
    assert made.data["edu"].to_pylist() == ["low"] * 4
    assert failed(judge("pyarrow", pa.table({"edu": ["mid"] * 4}), made.claim)) == {"group-categories"}


def test_of_two_modes_the_one_that_sorts_later_is_refused():
    table = pa.table({"c": ["b", "a", "a", "b"]})
    made = tacita.protect(table, quasi="c", nominal="c", method="gower", k=4, measures=["GOWER_loss"])
    assert made.data["c"].to_pylist() == ["a"] * 4
    assert failed(judge("pyarrow", pa.table({"c": ["b"] * 4}), made.claim)) == {"group-categories"}


def small_file(n=60):
    rng = np.random.default_rng(4)
    words = {"sex": "mf", "job": "abcdefgh", "edu": LEVELS}
    return pa.table({name: rng.choice(list(known), n) for name, known in words.items()})


def small_release(table, **options):
    roles = {"quasi": ["sex", "job", "edu"], "nominal": ["sex", "job"], "ordinal": {"edu": LEVELS}}
    given = {"method": "gower", "k": 3, "measures": ["CATEGORIES"], **roles, **options}
    return tacita.protect(table, **given)


@pytest.mark.parametrize("form", FORMS)
def test_medians_and_modes_that_are_somebodys_record_are_refused(form, monkeypatch):
    table = small_file()
    sound = small_release(native(table, form))
    assert not [c for c in sound.record.warnings if c.name == "published-true-record"]
    own, shown = (
        list(zip(*(frame[name].to_list() for name in ("sex", "job", "edu")), strict=True))
        for frame in (Microdata.of(table).frame, Microdata.of(sound.data).frame)
    )
    assert all(own.count(row) == 0 or own.count(row) >= 3 for row in shown)
    monkeypatch.setattr(apply, "spare_records", lambda _x, values, *_: values)
    with pytest.raises(tacita.VerificationError, match="group-categories"):
        small_release(native(table, form))


def test_true_records_that_cannot_be_avoided_are_counted():
    table = pa.table({"c": ["a", "a", "b", "c"]})
    made = tacita.protect(table, quasi="c", nominal="c", method="gower", k=4, measures=["GOWER_loss"])
    assert [c.count for c in made.record.warnings if c.name == "published-true-record"] == [1]
    numbers = tacita.protect(pa.table({"x": [1.0, 2.0, 3.0, 7.0, 8.0, 9.5]}), quasi="x", k=3)
    assert [c.count for c in numbers.record.warnings if c.name == "published-true-record"] == [1]


def test_a_combination_that_k_records_share_is_left_alone():
    table = pa.table({"c": ["a"] * 3 + ["b"] * 3, "d": ["x"] * 3 + ["y"] * 3})
    made = tacita.protect(table, quasi=["c", "d"], nominal=["c", "d"], method="gower", k=3)
    assert made.data.equals(table)
    assert "published-true-record" not in {c.name for c in made.record.warnings}


@pytest.mark.parametrize("form", FORMS)
def test_a_mean_beside_categories_is_still_checked(form):
    table, claim = made_for(form)
    cells = table["x"].to_pylist()
    for member in group_of(claim, 0):
        cells[member] += 0.25
    assert failed(judge(form, with_column(table, "x", cells), claim)) == {"group-means"}


def test_another_type_or_a_stale_category_is_found():
    made = release()
    as_text = with_column(made.data, "job", made.data["job"].to_pylist(), pa.string())
    assert failed(judge("pyarrow", as_text, made.claim)) == {"group-categories"}
    codes = made.data["job"].combine_chunks()
    values = pa.concat_arrays([codes.dictionary, pa.array(["secret"], codes.dictionary.type)])
    stale = with_column(made.data, "job", pa.DictionaryArray.from_arrays(codes.indices, values))
    assert "no-leftovers" in failed(judge("pyarrow", stale, made.claim))


@pytest.mark.parametrize("form", FILES)
def test_a_category_written_with_a_space_after_it_is_another(form):
    made = release()
    spaced = whole_group("sex", 0, made.data["sex"][0].as_py() + " ")(made.data, made.claim)
    assert "group-categories" in failed(judge(form, spaced, made.claim))


def test_a_claim_cannot_skip_categories_by_not_promising_them():
    made = release()
    assert "group-categories" not in made.claim.guarantees
    silent = dataclasses.replace(made.claim, guarantees=("groups-of-k", "group-means"))
    changed = whole_group("sex", 0, another(made.data, silent, "sex"))(made.data, silent)
    assert "group-categories" in failed(judge("pyarrow", changed, silent))


def test_a_dropped_record_must_miss_something():
    table = mixed_table()
    words = table["sex"].to_pylist()
    table = with_column(table, "sex", [None, *words[1:]])
    options = {"quasi": ["x", "sex"], "nominal": "sex", "method": "gower", "k": 3, "missing": "drop"}
    made = tacita.protect(table, measures=["GOWER_loss"], **options)
    assert made.data.num_rows == 11
    roles = Roles(quasi=["x", "sex"], nominal="sex")
    whole = dataclasses.replace(made.claim, original=Microdata.of(mixed_table()).with_roles(roles))
    assert "rows-complete" in failed(verify.verify(Microdata.of(made.data), whole))


def test_groups_across_strata_of_missing_categories_are_found():
    table = mixed_table()
    words = [None if i % 2 else word for i, word in enumerate(table["sex"].to_pylist())]
    table = with_column(table, "sex", words)
    options = {"quasi": ["x", "sex"], "nominal": "sex", "method": "gower", "k": 3, "missing": "stratum"}
    made = tacita.protect(table, measures=["GOWER_loss"], **options)
    one = dataclasses.replace(made.claim, labels=np.zeros(12, dtype=np.int64))
    assert "groups-of-k" in failed(verify.verify(Microdata.of(made.data), one))


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("modes", lambda codes, labels: np.array([codes[labels == g].max() for g in np.unique(labels)])),
        ("lower_medians", lambda codes, labels: np.array([codes[labels == g][0] for g in np.unique(labels)])),
    ],
)
def test_protect_never_returns_a_release_of_wrong_middles(monkeypatch, function, wrong):
    monkeypatch.setattr(apply, function, wrong)
    with pytest.raises(tacita.VerificationError, match="not the medians or modes"):
        release()


@st.composite
def frames(draw):
    n = draw(st.integers(6, 18))
    columns, options = {}, {"nominal": [], "ordinal": {}}
    for name in draw(st.sampled_from([["c"], ["c", "o"], ["c", "o", "x"], ["o", "x"]])):
        words = {"c": ["é", "a,b", "", 'q"', "NA "], "o": list(LEVELS), "x": [0.5, 1.0, 7.25]}[name]
        cells = draw(st.lists(st.sampled_from(words), min_size=n, max_size=n))
        gaps = draw(st.sets(st.integers(0, n - 1), max_size=4))
        columns[name] = pa.array([None if row in gaps else cell for row, cell in enumerate(cells)])
        if name != "x" and draw(st.booleans()):
            columns[name] = columns[name].dictionary_encode()
    options["quasi"] = list(columns)
    options["nominal"] = [name for name in columns if name == "c"]
    options["ordinal"] = {name: LEVELS for name in columns if name == "o"}
    options["missing"] = draw(st.sampled_from(["drop", "stratum"]))
    options["k"] = draw(st.integers(3, 4))
    options["shuffle"] = draw(st.booleans())
    if draw(st.booleans()):
        columns["firm"] = [f"u{draw(st.integers(0, n))}" for _ in range(n)]
        options.update(unit="firm", identifiers=["firm"])
    return pa.table(columns), options


@given(frames(), st.sampled_from(FORMS))
@DEAR
def test_what_protect_makes_holds_in_every_form_and_k_can_be_counted_in_it(drawn, form):
    table, options = drawn
    frame = native(table, form)
    try:
        made = tacita.protect(frame, method="gower", seed=SEED, measures=["CATEGORIES"], **options)
    except tacita.DataError:
        reject()  # too few records, or nothing that varies
    data = Microdata.of(made.data, source="release")
    if form in FILES:
        content, reader = encoded(data, form)
        assert failed(verify.verify_file(verify.WrittenFile(content, reader), made.claim)) == set()
        data = reader.decode(content, "release")
    assert failed(verify.verify(data, made.claim)) == set() or form == "csv"
    rows = list(zip(*(map(str, data.frame[name].to_list()) for name in options["quasi"]), strict=True))
    assert min(rows.count(row) for row in rows) >= options["k"]
