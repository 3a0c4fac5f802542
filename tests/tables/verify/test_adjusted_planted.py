"""Adjusted tables that are not what they claim to be are caught: every cell, every promise, every format."""

from dataclasses import replace

import numpy as np
import pytest

from seeds import SEED
from tables_at_hand import PUBLISHED
from tacita.core import Adjusted, CellKeys, NoiseTable, RunContext, Table, Terms, VerificationError
from tacita.io.tables.published_table import Shown
from tacita.tables.adjustment.cellkey import CellKey
from tacita.tables.adjustment.cta import CTA
from tacita.tables.adjustment.rounding import Rounding
from tacita.tables.adjustment.smallcounts import SmallCounts
from tacita.tables.release.adjust import adjust
from tacita.tables.verify.adjusted import AdjustmentClaim, audit_adjusted, require_safe
from tacita.tables.verify.claim import encoded, verify_file

COUNTS = np.array([[4.0, 7, 0, 12], [2, 1, 9, 3], [16, 5, 2, 8], [1, 11, 6, 0]])
KEYED = CellKeys(
    np.linspace(0.02, 0.97, 25),
    Table.from_array(COUNTS).values.astype(np.int64),
    Table.from_array(COUNTS).values,
)
PLAIN = Table.from_array(COUNTS, frequency=True, names=["a", "b"])
TABLES = {
    "rounding": PLAIN,
    "random": PLAIN,
    "small-counts": PLAIN,
    "cell-key": replace(PLAIN, keys=KEYED),
    "cta": Table.from_array(
        10 * COUNTS + 3, primary=(COUNTS == 9) | (COUNTS == 5), lower=20, upper=20, names=["a", "b"]
    ),
}
METHODS = {
    "rounding": Rounding(base=5),
    "random": Rounding(base=5, random=True),
    "small-counts": SmallCounts(base=3),
    "cell-key": CellKey(),
    "cta": CTA(whole=True),
}
CLAIMS = {name: adjust(TABLES[name], method, run=RunContext(seed=SEED)) for name, method in METHODS.items()}


def planted(name, values, **terms):
    """What the audit says of other values, or of other terms, under the promises of a method."""
    claim = CLAIMS[name]
    made = Adjusted.of(claim.table, values, terms=replace(claim.adjusted.terms, **terms))
    return audit_adjusted(claim.table, made, METHODS[name].guarantees)


def broken(audit):
    return {each.guarantee for each in audit.verdicts if not each.passed}


def around(table, cell):
    """The cell and all sums that it is counted in."""
    row, column = (int(each) for each in table.codes[cell])
    last = table.shape[1] - 1
    places = [(row, column), (row, last), (last, column), (last, last)]
    found = np.zeros(table.shape)
    for place in places:
        found[place] = 1.0
    return found.ravel()


@pytest.mark.parametrize("name", METHODS)
def test_what_the_methods_make_passes(name):
    claim = CLAIMS[name]
    assert claim.audit.safe
    for form in PUBLISHED.values():
        assert all(each.passed for each in verify_file(encoded(claim, form), form, claim))


@pytest.mark.each_once
@pytest.mark.parametrize("cell", range(25))
@pytest.mark.parametrize("name", METHODS)
def test_another_number_in_any_cell_of_the_file_is_caught(name, cell):
    claim = CLAIMS[name]
    values = claim.adjusted.values.copy()
    values[cell] += 1.0
    content = PUBLISHED["csv"].encode(Shown.of_values(claim.table, values))
    failed = {each.guarantee for each in verify_file(content, PUBLISHED["csv"], claim) if not each.passed}
    assert "values-audited" in failed


@pytest.mark.each_once
@pytest.mark.parametrize("cell", range(25))
@pytest.mark.parametrize("name", METHODS)
def test_another_number_in_any_cell_breaks_a_promise_even_if_it_was_meant(name, cell):
    values = CLAIMS[name].adjusted.values.copy()
    values[cell] += 5.0 if name in ("rounding", "random") else 1.0
    audit = planted(name, values)
    assert not audit.safe
    assert broken(audit)
    with pytest.raises(VerificationError):
        require_safe(audit)


@pytest.mark.parametrize("cell", np.flatnonzero(PLAIN.inner).tolist())
def test_a_rounding_that_adds_up_but_goes_too_far_is_caught(cell):
    audit = planted("rounding", CLAIMS["rounding"].adjusted.values + 10 * around(PLAIN, cell))
    assert "within-reach" in broken(audit)
    assert "adds-up" not in broken(audit)


@pytest.mark.parametrize(
    "cell", np.flatnonzero(PLAIN.inner & (PLAIN.values > 0) & (PLAIN.values < 3)).tolist()
)
def test_a_small_count_that_is_left_as_it_was_is_caught(cell):
    made = CLAIMS["small-counts"].adjusted.values
    audit = planted("small-counts", made + (PLAIN.values - made)[cell] * around(PLAIN, cell))
    assert "small-are-rounded" in broken(audit)
    assert "adds-up" not in broken(audit)


@pytest.mark.parametrize("cell", np.flatnonzero(PLAIN.inner & (PLAIN.values >= 3)).tolist())
def test_a_large_count_that_was_changed_is_caught(cell):
    audit = planted("small-counts", CLAIMS["small-counts"].adjusted.values + 3 * around(PLAIN, cell))
    assert "small-are-rounded" in broken(audit)


@pytest.mark.parametrize("cell", np.flatnonzero(TABLES["cta"].primary).tolist())
def test_a_sensitive_cell_that_came_back_into_its_interval_is_caught(cell):
    table, made = TABLES["cta"], CLAIMS["cta"].adjusted.values
    audit = planted("cta", made + (table.values - made)[cell] * around(table, cell))
    assert "outside-intervals" in broken(audit)
    assert "adds-up" not in broken(audit)


def test_true_values_are_refused_under_every_promise():
    for name in METHODS:
        audit = planted(name, TABLES[name].values.copy())
        assert not audit.safe, name


def test_a_negative_value_is_caught():
    table, made = TABLES["cta"], CLAIMS["cta"].adjusted.values
    assert "within-bounds" in broken(planted("cta", made - (made[0] + 1) * around(table, 0)))


def test_parts_of_a_person_are_caught_where_numbers_are_whole():
    table, made = TABLES["cta"], CLAIMS["cta"].adjusted.values
    assert "within-bounds" in broken(planted("cta", made + 0.5 * around(table, 0)))


def test_a_zero_that_became_a_number_is_caught():
    zero = int(np.flatnonzero(PLAIN.inner & (PLAIN.values == 0))[0])
    for name, step in {"rounding": 5.0, "small-counts": 3.0}.items():
        audit = planted(name, CLAIMS[name].adjusted.values + step * around(PLAIN, zero))
        assert "zeros-stay" in broken(audit)


def test_noise_of_another_cell_is_caught():
    made = CLAIMS["cell-key"].adjusted.values.copy()
    noise = made - PLAIN.values
    one, other = np.flatnonzero(PLAIN.values > 9)[:2]
    if noise[one] == noise[other]:
        noise[other] += 1
    made[one], made[other] = PLAIN.values[one] + noise[other], PLAIN.values[other] + noise[one]
    assert "as-keyed" in broken(planted("cell-key", made))


def test_other_keys_than_those_of_the_table_are_caught():
    other = CellKeys((KEYED.key + 0.3) % 1.0, KEYED.count, KEYED.largest)
    audit = planted("cell-key", CLAIMS["cell-key"].adjusted.values, keys=other)
    assert "as-keyed" in broken(audit)


def test_sums_of_noisy_counts_in_place_of_noisy_sums_are_caught():
    made = CLAIMS["cell-key"].adjusted.values
    added = Table.from_array(made.reshape(5, 5)[:4, :4]).values
    assert "as-keyed" in broken(planted("cell-key", added))


def test_the_same_records_with_two_kinds_of_noise_are_caught():
    values = np.array([[5.0], [7.0]])
    table = Table.from_array(values, frequency=True)
    key = np.array([0.2, 0.2, 0.7, 0.7, 0.9, 0.9])
    table = replace(table, keys=CellKeys(key, table.values.astype(np.int64), table.values))
    claim = adjust(table, CellKey())
    shown = claim.adjusted.values.copy()
    shown[1] += 1
    audit = audit_adjusted(table, replace(claim.adjusted, values=shown), CellKey().guarantees)
    assert "same-cell-same-noise" in broken(audit)


def bent(change):
    noise = CLAIMS["cell-key"].adjusted.terms.noise
    return change(noise)


@pytest.mark.parametrize(
    ("what", "change"),
    {
        "a row that does not add up": lambda t: replace(t, probabilities=t.probabilities * 1.01),
        "a biased row": lambda t: replace(t, probabilities=np.roll(t.probabilities, 1)),
        "changes that are too large": lambda t: replace(t, changes=t.changes * 2),
        "more variance than told": lambda t: replace(t, variance=0.5),
        "less reach than told": lambda t: replace(t, largest=1.0),
        "noise on zeros": lambda t: replace(t, changes=np.append(1.0, t.changes[1:])),
        "results that are hidden": lambda t: replace(t, changes=np.where(t.changes == -1, -0.5, t.changes)),
    }.items(),
)
def test_a_table_of_noise_that_breaks_its_conditions_is_caught(what, change):
    audit = planted("cell-key", CLAIMS["cell-key"].adjusted.values, noise=bent(change))
    assert "as-keyed" in broken(audit), what


def test_a_hidden_count_that_shows_is_caught():
    made = CLAIMS["cell-key"].adjusted.values.copy()
    made[np.flatnonzero(made > 2)[0]] = 2.0
    assert "none-hidden" in broken(planted("cell-key", made))


@pytest.mark.parametrize("name", ["rounding", "small-counts", "cell-key"])
def test_terms_that_are_not_there_keep_no_promise(name):
    claim = CLAIMS[name]
    bare = replace(claim.adjusted, terms=Terms())
    assert broken(audit_adjusted(claim.table, bare, METHODS[name].guarantees))


def test_a_promise_that_nobody_knows_is_not_kept():
    claim = CLAIMS["rounding"]
    assert "made-up" in broken(audit_adjusted(claim.table, claim.adjusted, ["made-up"]))


@pytest.mark.parametrize("form", PUBLISHED)
def test_a_withheld_cell_is_caught(form):
    claim = CLAIMS["rounding"]
    shown = Shown.of_values(claim.table, claim.adjusted.values)
    content = PUBLISHED[form].encode(replace(shown, texts=(None, *shown.texts[1:])))
    failed = {each.guarantee for each in verify_file(content, PUBLISHED[form], claim) if not each.passed}
    assert "cells-published" in failed


def test_more_than_the_table_in_the_file_is_caught():
    claim = CLAIMS["rounding"]
    content = encoded(claim, PUBLISHED["csv"]) + b"a,b,3,published\n"
    assert not all(each.passed for each in verify_file(content, PUBLISHED["csv"], claim))


def test_the_true_table_under_the_name_of_an_adjusted_one_is_caught():
    claim = CLAIMS["rounding"]
    content = PUBLISHED["csv"].encode(Shown.of_values(claim.table, claim.table.values))
    assert not all(each.passed for each in verify_file(content, PUBLISHED["csv"], claim))


def test_an_audit_of_other_values_is_no_audit():
    claim, other = CLAIMS["rounding"], CLAIMS["random"]
    lent = AdjustmentClaim(claim.adjusted, other.audit)
    content = PUBLISHED["csv"].encode(Shown.of_values(claim.table, claim.adjusted.values))
    failed = {each.guarantee for each in verify_file(content, PUBLISHED["csv"], lent) if not each.passed}
    assert "truth-attacked" in failed


def test_a_base_too_small_for_the_levels_is_refused_and_recorded_where_insisted_on():
    table = Table.from_array([[400.0, 300], [200, 500]], primary=[[1, 0], [0, 0]], lower=20, upper=20)
    with pytest.raises(VerificationError, match=r"give too much away .*Adjust more"):
        adjust(table, Rounding(base=5))
    claim = adjust(table, Rounding(base=5), accept_less_protection=True)
    assert claim.audit.accepted == 1
    assert claim.adjusted.parameters["insist"] is True
    assert "levels-not-kept" in {each.name for each in claim.audit.warnings}
    assert adjust(table, Rounding(base=200)).audit.safe


def test_a_sensitive_count_that_small_counts_leaves_is_refused():
    table = Table.from_array([[40.0, 3], [2, 5]], primary=[[1, 0], [0, 0]], frequency=True)
    with pytest.raises(VerificationError, match="can be computed exactly"):
        adjust(table, SmallCounts(base=3))


def test_rounding_to_one_protects_no_count():
    table = Table.from_array([[4.0, 3], [2, 5]], frequency=True)
    with pytest.raises(VerificationError, match="can be computed exactly"):
        adjust(table, Rounding(base=1))


def test_ranges_of_rounding_are_those_of_a_plain_search_over_all_tables():
    table = Table.from_array([[1.0, 2], [3, 0]], frequency=True)
    claim = adjust(table, Rounding(base=3))
    shown, found = claim.adjusted.values, claim.audit.inferred
    low, high = np.full(table.n, np.inf), np.full(table.n, -np.inf)
    for cells in np.ndindex(6, 6, 6, 6):
        full = Table.from_array(np.array(cells, dtype=float).reshape(2, 2)).values
        if (np.abs(full - shown) < 3).all():
            low, high = np.minimum(low, full), np.maximum(high, full)
    assert np.array_equal(found.low, low)
    assert np.array_equal(found.high, high)


def test_ranges_of_noise_are_those_of_a_plain_search_over_all_tables():
    table = Table.from_array([[1.0, 4], [3, 0]], frequency=True)
    method = CellKey(largest=2, variance=1.5, hidden=1)
    claim = adjust(table, method, run=RunContext(seed=SEED))
    shown, found, noise = claim.adjusted.values, claim.audit.inferred, claim.adjusted.terms.noise
    low, high = np.full(table.n, np.inf), np.full(table.n, -np.inf)
    for cells in np.ndindex(8, 8, 8, 8):
        full = Table.from_array(np.array(cells, dtype=float).reshape(2, 2)).values
        if all(possible(noise, true, each) for true, each in zip(full, shown, strict=True)):
            low, high = np.minimum(low, full), np.maximum(high, full)
    # an interval holds counts between that no noise leads to: it is never narrower than the search
    assert (found.low <= low).all()
    assert (found.high >= high).all()


def possible(noise: NoiseTable, true, shown):
    changes, p = noise.row(int(min(true, noise.counts[-1])))
    return bool(((changes == shown - true) & (p > 0)).any())
