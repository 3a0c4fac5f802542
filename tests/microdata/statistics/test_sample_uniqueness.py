"""Records that stand alone on what is released unchanged are counted, told first, and never passed over."""

import json
from itertools import combinations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita import datasets
from tacita.core import Microdata, Roles
from tacita.microdata.statistics import sample_uniqueness
from tacita.report import note_html, review_html, review_json
from twins.uniqueness import apart

UNCHANGED = ["region", "sex", "age", "education", "employment"]


def household():
    data = datasets.load("household")
    frame = data.select([*UNCHANGED, "total_income", "taxes"])
    return frame, tacita.protect(frame, quasi=["total_income", "taxes"], k=3)


def counted(found):
    return found.alone, found.below_k


def examined(frame, quasi, k=3):
    data = Microdata.of(frame)
    return sample_uniqueness.examine(data.with_roles(Roles(quasi=quasi)), np.arange(data.n), data, k)


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from(["a", "b", None]), st.integers(0, 3), st.booleans()),
        min_size=1,
        max_size=40,
    ),
    st.integers(2, 5),
)
def test_counts_are_those_of_a_counter_together_in_pairs_and_in_triples(rows, k):
    names = ["p", "q", "r", "s"]
    cells = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    found = examined(pa.table({**cells, "x": list(range(len(rows)))}), "x", k)
    assert counted(found.unchanged) == apart(cells.values(), k)
    for told in (*found.enough, *found.pairs, *found.triples):
        assert counted(told) == apart([cells[name] for name in told.columns], k)
    for name, left in found.without.items():
        assert counted(left) == apart([cells[other] for other in names if other != name], k)
    if found.unchanged.below_k:
        for size, worst in ((2, found.pairs), (3, found.triples)):
            every = [apart([cells[n] for n in some], k) for some in combinations(found.examined, size)]
            assert [counted(each) for each in worst] == sorted(filter(any, every), reverse=True)[:5]


def test_before_and_after_take_masked_columns_as_they_were_and_as_published():
    frame = pa.table({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "sex": list("mmfmmf")})
    found = tacita.protect(frame, quasi="x", k=3).record.uniqueness
    assert (found.before.alone, found.after.alone, found.unchanged.alone) == (6, 2, 0)
    assert found.unchanged.columns == ("sex",)


def test_a_release_with_unique_combinations_of_unchanged_columns_is_warned_of():
    frame, release = household()
    alone, below = apart([frame[name].to_pylist() for name in UNCHANGED], 3)
    assert alone > 100
    warning = next(each for each in release.record.warnings if each.name == "unique-combinations")
    assert warning.count == alone
    assert f"{alone} of {frame.num_rows} records are unique on the 5 columns" in warning.text
    assert f"{below} have fewer than 3" in warning.text
    for name in release.record.uniqueness.mattering:
        assert name in warning.text


def test_the_first_tile_of_the_report_is_the_number_of_records_alone():
    _, release = household()
    page = review_html(release)
    tiles = page[page.index('<dl class="tiles"') : page.index("</dl>")]
    first = tiles[: tiles.index("</div>")]
    assert f"<dd>{release.record.uniqueness.unchanged.alone}</dd>" in first
    assert "alarm" in first


def test_the_json_carries_the_counts_and_the_columns_that_matter():
    _, release = household()
    told = json.loads(review_json(release))["uniqueness"]
    assert told["unchanged"]["columns"] == UNCHANGED
    assert told["unchanged"]["alone"] == release.record.uniqueness.unchanged.alone
    assert told["enough"][-1]["columns"] == list(release.record.uniqueness.mattering)


def test_confidential_columns_weights_strata_and_units_count_as_they_are_released():
    n = 12
    frame = pa.table(
        {
            "x": np.arange(n, dtype=float),
            "secret": [f"s{i // 3}" for i in range(n)],
            "w": [1.0 + i // 6 for i in range(n)],
            "st": ["a"] * n,
            "u": [f"u{i}" for i in range(n)],
        }
    )
    made = tacita.protect(
        frame, quasi="x", confidential=["secret"], weight="w", strata=["st"], unit="u", k=3
    ).record.uniqueness
    assert made.unchanged.columns == ("secret", "w", "st", "u")
    assert made.unchanged.alone == n
    gone = tacita.protect(frame.select(["x", "u"]), quasi="x", unit="u", identifiers=["u"], k=3)
    assert gone.record.uniqueness.unchanged.columns == ()
    assert "unique-combinations" not in {each.name for each in gone.record.warnings}


def test_a_file_where_everybody_has_k_like_him_is_not_warned_of():
    frame = pa.table({"x": np.arange(12.0), "sex": list("mf") * 6})
    assert "unique-combinations" not in {
        each.name for each in tacita.protect(frame, quasi="x", k=3).record.warnings
    }


def test_synthetic_files_and_maskings_are_counted_as_groups_are():
    rng = np.random.default_rng(0)
    s = rng.normal(size=80)
    frame = pa.table({"s": s, "y": s + rng.normal(size=80)})
    made = tacita.synthesize(frame, dependent="y", independent="s")
    assert made.record.uniqueness.unchanged.alone == 80
    noisy = tacita.protect(frame, quasi="y", method="noise", alpha=0.5)
    assert noisy.record.uniqueness.k == sample_uniqueness.FEW
    for release in (made, noisy):
        assert "unique-combinations" in {each.name for each in release.record.warnings}


def test_the_note_says_that_k_does_not_hold_for_unchanged_columns():
    assert "does not hold for columns released unchanged" in note_html(household()[1])


def test_of_many_columns_those_with_most_values_are_taken_in_pairs(monkeypatch):
    monkeypatch.setattr(sample_uniqueness, "_MOST_COMBINATIONS", 30)
    rng = np.random.default_rng(1)
    frame = {f"c{j}": rng.integers(0, 2 + j % 7, 30) for j in range(60)}
    found = examined(pa.table({**frame, "x": np.arange(30)}), "x")
    assert len(found.examined) == 5
    values = sorted((len(np.unique(cells)) for cells in frame.values()), reverse=True)
    assert sorted((len(np.unique(frame[name])) for name in found.examined), reverse=True) == values[:5]
    assert found.unchanged.alone == 30


def test_an_assessment_of_anybodys_release_tells_who_is_alone_beside_what_was_measured():
    frame, release = household()
    alone, _ = apart([frame[name].to_pylist() for name in UNCHANGED], 3)
    report = tacita.evaluate(frame, release.data, quasi=["total_income", "taxes"], measures=["IL1"])
    assert any(f"{alone} of {frame.num_rows} records are unique" in note for note in report.notes)
