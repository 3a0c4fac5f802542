"""Records that miss values: joined to the nearest pattern that has k, with nothing invented."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import tacita
from effort import DEAR
from planting import FILES, FORMS, encoded, failed, native
from seeds import SEED
from tacita.core import Microdata, RunContext
from tacita.microdata import verify
from tacita.microdata.protection.missing_patterns import Patterns, suppressed_cells
from tacita.report import review_json


def taken(x, *, strata=None, units=None, k=3) -> list[tuple[int, int]]:
    x = np.array(x, dtype=float)
    where = np.zeros(len(x), dtype=int) if strata is None else np.array(strata)
    mask = suppressed_cells(x, where, None if units is None else np.array(units), k)
    return [tuple(cell) for cell in np.argwhere(mask).tolist()]


COMPLETE = [[1, 1, 1], [2, 2, 2], [3, 3, 3], [8, 8, 8], [9, 9, 9], [10, 10, 10]]


def test_a_lone_record_is_lent_the_two_nearest_that_miss_nothing():
    assert taken([[9.4, None, 9], *COMPLETE]) == [(5, 1), (6, 1)]


def test_a_lone_record_joins_a_pattern_that_misses_one_column_more():
    assert taken([[5, 5, None], *[[i, None, None] for i in range(3)], *COMPLETE]) == [(0, 1)]


def test_two_rare_patterns_come_to_miss_what_either_does():
    x = [[1, None, 1], [2, None, 2], [3, 3, None], [4, 4, None]]
    assert taken(x, k=4) == [(0, 2), (1, 2), (2, 1), (3, 1)]


def test_nothing_is_suppressed_where_every_pattern_has_k_or_a_stratum_is_too_small_for_any():
    assert taken([*COMPLETE, *[[i, None, i] for i in range(3)]]) == []
    assert taken([*COMPLETE, [1, None, 1]], strata=[0] * 6 + [1]) == []
    assert taken([*COMPLETE, [None, None, None]]) == []


def test_lent_records_stay_within_their_stratum():
    x = [[1, None, 1], *COMPLETE, *COMPLETE]
    assert taken(x, strata=[1, *[0] * 6, *[1] * 6]) == [(7, 1), (8, 1)]


def test_records_of_one_unit_do_not_make_up_k():
    x = [[1, None, 1], [1, None, 2], [2, None, 1], *COMPLETE, *COMPLETE]
    units = [7, 7, 7, *[7, 7, 1, 2, 3, 4] * 2]
    lent = taken(x, units=units)
    assert len({units[row] for row, _ in lent} - {7}) == len(lent) == 2


def test_k_records_that_miss_everything_may_be_joined():
    x = [[None, None]] * 3 + [[1, None], [None, 2]]
    assert taken(x) == [(3, 0), (4, 1)]
    assert taken(x[2:]) == []


def fewest(own: list[int], units: list[int], k: int, columns: int) -> int | None:
    """By trying all patterns of all records; None where no choice will do."""
    everything = (1 << columns) - 1
    empty = {unit for unit, missed in zip(units, own, strict=True) if missed == everything}
    allowed = [p for p in range(1 << columns) if p != everything or len(empty) >= k]
    best = None
    for shown in product(*([p for p in {*allowed, missed} if missed & ~p == 0] for missed in own)):
        there: dict[int, set[int]] = {}
        for pattern, unit in zip(shown, units, strict=True):
            there.setdefault(pattern, set()).add(unit)
        if min(map(len, there.values())) >= k:
            cost = sum(map(int.bit_count, shown)) - sum(map(int.bit_count, own))
            best = cost if best is None else min(best, cost)
    return best


def test_small_strata_lose_few_more_values_than_the_fewest_and_never_fewer():
    rng = np.random.default_rng(SEED)
    best, found, same, refused, cases = 0, 0, 0, 0, 0
    for _ in range(400):
        columns, n, k = (int(rng.integers(*span)) for span in ((2, 4), (4, 8), (2, 4)))
        own = [int(bits) for bits in (rng.random((n, columns)) < 0.3) @ (1 << np.arange(columns))]
        units = list(range(n)) if rng.random() < 0.5 else rng.integers(0, 4, n).tolist()
        least = fewest(own, units, k, columns)
        patterns = Patterns.of(own, units, k, np.zeros((n, columns)))
        *_, left = patterns.settling()
        assert left == 0
        if patterns.short():
            refused += least is not None
            continue
        assert least is not None
        cost = sum(map(int.bit_count, patterns.shown)) - sum(map(int.bit_count, own))
        assert cost >= least
        best, found, same, cases = best + least, found + cost, same + (cost == least), cases + 1
    assert cases > 200
    assert same > 0.9 * cases
    assert found < 1.06 * best
    assert refused < 0.01 * cases


@st.composite
def frames(draw):
    n = draw(st.integers(8, 24))
    columns: dict[str, list] = {}
    options: dict = {"quasi": ["x", "y"], "k": 3, "missing": "merge", "shuffle": draw(st.booleans())}
    for name in "xyz"[: draw(st.integers(2, 3))]:
        cells = draw(st.lists(st.sampled_from([0.0, 1.5, 2.0, 7.25, 1e6]), min_size=n, max_size=n))
        gaps = draw(st.sets(st.integers(0, n - 1), max_size=4))
        columns[name] = [None if row in gaps else cell for row, cell in enumerate(cells)]
    options["quasi"] = list(columns)
    if draw(st.booleans()):
        columns["sex"] = [draw(st.sampled_from(["f", "m", None])) for _ in range(n)]
        options.update(quasi=list(columns), nominal="sex", method="gower")
    if draw(st.booleans()):
        columns["region"] = [draw(st.sampled_from(["north", "south"])) for _ in range(n)]
        options["strata"] = ["region"]
    if draw(st.booleans()):
        columns["firm"] = [f"u{draw(st.integers(0, n))}" for _ in range(n)]
        options["unit"] = "firm"
    columns["row"] = list(range(n))
    return pa.table(columns), options


@given(frames(), st.sampled_from(FORMS))
@DEAR
def test_merged_releases_hold_in_every_form_and_k_of_each_pattern_can_be_counted(drawn, form):
    table, options = drawn
    try:
        made = tacita.protect(native(table, form), seed=SEED, measures=["IL1"], **options)
    except tacita.DataError:
        reject()  # too few records or units in a stratum, or nothing that varies
    data = Microdata.of(made.data, source="release")
    if form in FILES:
        content, reader = encoded(data, form)
        assert failed(verify.verify_file(verify.WrittenFile(content, reader), made.claim)) == set()
    assert failed(verify.verify(data, made.claim)) == set()
    shown = {name: [_plain(cell) for cell in data.frame[name].to_list()] for name in data.columns}
    before = {name: table[name].to_pylist() for name in table.column_names}
    of_pattern: dict[tuple, set] = {}
    suppressed = Counter()
    for place, row in enumerate(shown["row"]):
        gaps = tuple(shown[name][place] is None for name in options["quasi"])
        for name, gap in zip(options["quasi"], gaps, strict=True):
            # what was missing is missing
            assert gap or before[name][int(row)] is not None
            suppressed[name] += gap and before[name][int(row)] is not None
        unit = shown["firm"][place] if "unit" in options else place
        of_pattern.setdefault((shown.get("region", [0] * len(gaps) * 99)[place], gaps), set()).add(unit)
    assert min(map(len, of_pattern.values())) >= 3
    told = {c.text.split()[1]: c.count for c in made.record.warnings if c.name == "values-suppressed"}
    assert told == {name: count for name, count in suppressed.items() if count}


def _plain(cell):
    return None if cell is None or cell != cell or cell == "" else cell


FIRMS = pa.table(
    {
        "turnover": [120.0, 130, 125, 900, 950, 870, 140, 110, 135],
        "wages": [40.0, 45, None, 300, 310, 280, None, 35, 44],
    }
)
QUASI = {"quasi": ["turnover", "wages"]}


def test_a_file_that_stratum_refuses_is_released_by_merge_with_a_warning_per_column():
    with pytest.raises(tacita.DataError, match="missing='merge' joins small ones"):
        tacita.protect(FIRMS, **QUASI, missing="stratum")
    made = tacita.protect(FIRMS, **QUASI, missing="merge")
    assert made.data["wages"].null_count == 3
    (warning,) = [c for c in made.record.warnings if c.name == "values-suppressed"]
    assert (warning.count, "wages" in warning.text) == (1, True)
    assert made.record.options["missing"] == "merge"
    told = review_json(made)
    assert "values-suppressed" in told
    assert "suppressed-cells" in told


def test_what_was_taken_away_counts_as_lost_in_the_means_before():
    made = tacita.protect(FIRMS, **QUASI, missing="merge", measures=["IL1"])
    (summary,) = [each for each in made.record.summaries if each.name == "wages"]
    wages = [value for value in FIRMS["wages"].to_pylist() if value is not None]
    assert summary.mean_before == pytest.approx(np.mean(wages))
    assert made.report.notes == (
        "3 records with missing values are left out of measures that compare values.",
    )


def test_one_step_may_merge_where_another_drops():
    rng = np.random.default_rng(SEED)
    n = 60
    area = [np.nan if i < 2 else float(i) for i in range(20)]
    table = pd.DataFrame(
        {
            "home": np.repeat(np.arange(20), 3),
            "area": np.repeat(area, 3),
            "pay": np.where(np.arange(n) == 31, np.nan, rng.normal(50, 9, n)),
            "hours": rng.normal(38, 3, n),
        }
    )
    steps = [
        {"method": "mdav", "quasi": ["area"], "missing": "drop"},
        {"method": "mdav", "quasi": ["pay", "hours"], "missing": "merge"},
    ]
    made = tacita.protect(table, steps=steps, unit="home", identifiers=["home"], shuffle=True, seed=SEED)
    assert made.data["pay"].isna().sum() == 3
    assert [c.count for c in made.record.warnings if c.name == "values-suppressed"] == [2]
    told = [v for v in made.record.verdicts if v.guarantee == "suppressed-cells"]
    assert [(v.step, v.passed) for v in told] == [(2, True)]


def test_columns_of_units_are_suppressed_once_a_unit():
    homes = 14
    table = pd.DataFrame(
        {
            "home": np.repeat(np.arange(homes), 2),
            "area": np.repeat([np.nan, *range(1, homes)], 2),
            "rooms": np.repeat(np.arange(homes) * 1.5, 2),
        }
    )
    made = tacita.protect(
        table,
        quasi=["area", "rooms"],
        unit="home",
        unit_columns=["area", "rooms"],
        identifiers=["home"],
        missing="merge",
    )
    assert made.data["area"].isna().groupby(table["home"]).nunique().eq(1).all()
    assert made.data["area"].isna().sum() == 6


def test_a_promise_of_what_was_suppressed_is_withdrawn_when_the_column_changes_again():
    steps = [
        {"method": "mdav", "quasi": ["turnover", "wages"]},
        {"method": "recode", "quasi": ["wages"], "nominal": ["wages"], "map": {"1": "one"}, "others": "some"},
    ]
    made = tacita.protect(FIRMS, steps=steps, missing="merge")
    assert "suppressed-cells" in {each.guarantee for each in made.record.withdrawn}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "noise"}, "this method has no k"),
        ({"method": "onedims", "k": 10}, "needs at least 10 records"),
        ({"k": 5, "strata": ["part"]}, "would suppress all their values"),
    ],
)
def test_what_cannot_be_merged_is_refused_in_words(options, words):
    table = FIRMS.append_column("part", pa.array([0] * 6 + [1] * 3))
    with pytest.raises(tacita.TacitaError, match=words):
        tacita.protect(table, **QUASI, missing="merge", **options)


def test_records_that_miss_everything_are_refused_unless_k_do():
    table = pa.table({"x": [None, *map(float, range(8))], "y": [None, *map(float, range(8))]})
    with pytest.raises(tacita.DataError, match="would suppress all their values"):
        tacita.protect(table, quasi=["x", "y"], missing="merge")


def test_synthesis_refuses_to_merge():
    with pytest.raises(tacita.ParameterError, match="got 'merge'"):
        tacita.synthesize(FIRMS, dependent=["wages"], independent=["turnover"], missing="merge")


def test_columns_one_by_one_are_merged_too():
    made = tacita.protect(FIRMS, **QUASI, method="onedims", missing="merge")
    assert made.data["wages"].null_count == 3


def test_suppressing_reports_how_far_it_is_and_ends():
    x = np.array([[9.4, np.nan, 9], *COMPLETE], dtype=float)
    told = []
    suppressed_cells(x, np.zeros(7, dtype=int), None, 3, run=RunContext(on_progress=told.append))
    assert [(each.done, each.total) for each in told] == [(0, 1), (1, 1)]
