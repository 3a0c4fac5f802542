"""How likely each record is to be found, in classes: against a slow twin, and never a count under k."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Microdata, Report, RunContext, Score
from tacita.microdata.measures.record_risk import of_protected, of_unchanged

ENDS = (0.0, 5.0, 10.0, 20.0, 100 / 3, 50.0, 100.0)


def chances_by_distance(x, z):
    """1/t of the t nearest released records, 0 where the own one is not among them; all pairs."""
    scale = x.std(axis=0, ddof=1)
    found = []
    for i, row in enumerate(x):
        gaps = (((z - row) / scale) ** 2).sum(axis=1)
        near = gaps <= gaps.min() * (1 + 1e-9) + 1e-15
        found.append(1 / near.sum() if near[i] else 0.0)
    return found


def classed(chances, k):
    """Records a class, told only where there are none or k."""
    counts = [0] * len(ENDS)
    for chance in chances:
        counts[next(i for i, end in enumerate(ENDS) if 100 * chance <= end + 1e-6)] += 1
    return tuple(None if 0 < count < k else count for count in counts)


def survey(n=200):
    rng = np.random.default_rng(4)
    return pa.table(
        {
            "wage": rng.lognormal(8, 1, n).round(2),
            "hours": rng.integers(10, 60, n).astype(float),
            "age": rng.integers(18, 30, n),
            "sex": rng.choice(["f", "m"], n),
        }
    )


def numbers(frame, *names):
    return np.column_stack([np.asarray(frame[name], dtype=float) for name in names])


@pytest.mark.parametrize(
    ("method", "more"), [("mdav", {"k": 4}), ("noise", {"seed": 2**70 + 5}), ("cbfs", {"k": 7})]
)
def test_the_classes_of_risk_are_those_of_a_slow_search_over_all_pairs(method, more):
    frame = survey()
    release = tacita.protect(frame, quasi=["wage", "hours"], method=method, measures=["DBRL"], **more)
    x, z = numbers(frame, "wage", "hours"), numbers(release.data, "wage", "hours")
    k = more.get("k", 3)
    protected, unchanged = release.record.risks
    assert protected.after == classed(chances_by_distance(x, z), k)
    assert protected.before == classed(chances_by_distance(x, x), k)
    assert protected.columns == ("wage", "hours")
    assert unchanged.columns == ("age", "sex")
    alike = list(zip(frame["age"].to_pylist(), frame["sex"].to_pylist(), strict=True))
    assert unchanged.after == classed([1 / alike.count(each) for each in alike], k)


def test_who_shares_a_recoded_value_with_t_others_is_found_with_chance_one_in_t():
    frame = survey()
    bands = {str(age): "young" if age < 21 else "old" for age in range(18, 30)}
    release = tacita.protect(frame, quasi=["age"], method="recode", map=bands, measures=["CATEGORIES"])
    young = sum(age < 21 for age in frame["age"].to_pylist())
    risk = release.record.risks[0]
    assert risk.after == classed([1 / young] * young + [1 / (200 - young)] * (200 - young), 3)
    ages = frame["age"].to_pylist()
    assert risk.before == classed([1 / ages.count(age) for age in ages], 3)


def test_a_value_recoded_beside_masked_ones_is_looked_for_as_what_it_became():
    frame = survey()
    x = numbers(frame, "wage", "age")
    z = np.column_stack([x[:, 0], np.floor(x[:, 1] / 6)])
    asked = Report((Score(name="DBRL", value=1.0, per_record=np.zeros(200)),))
    risk = of_protected(x, z, ["wage", "age"], ["numeric", "nominal"], {"age"}, asked, 3, RunContext())
    # wages are as they were, so everybody is found, whatever the age is called now
    assert risk.after[-1] == 200


def test_without_linkage_nothing_is_claimed_about_protected_columns():
    release = tacita.protect(survey(), quasi=["wage", "hours"], k=3, measures=["IL1"])
    assert [risk.of for risk in release.record.risks] == ["unchanged"]


codes = st.lists(st.integers(0, 12), min_size=3, max_size=120)


@given(codes=codes, merged=st.integers(1, 6), k=st.integers(2, 7))
def test_no_class_of_risk_tells_a_count_between_one_and_k(codes, merged, k):
    x = np.array(codes, dtype=float)[:, None]
    z = x // merged
    found = of_protected(x, z, ["c"], ["nominal"], {"c"}, Report(()), k, RunContext())
    told = of_unchanged(Microdata.of(pa.table({"c": codes})), ["c"], k)
    if len(codes) < k:
        assert found is told is None
        return
    for side in (found.before, found.after, told.after):
        assert all(count is None or count == 0 or count >= k for count in side)
        assert (
            sum(count or 0 for count in side)
            <= len(codes)
            <= sum(k - 1 if count is None else count for count in side)
        )
    assert told.after == found.before
