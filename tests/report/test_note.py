"""The quality note is read by everybody, so by attackers too."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tacita
from report.conftest import planted_frame
from seeds import SEED
from tacita import datasets
from tacita.core import Hierarchy, Report, Score
from tacita.core.display.number_format import number
from tacita.report import note_html

PEOPLE = datasets.load("household", n=300)


def recorded(release, **changes):
    return replace(release, record=replace(release.record, **changes))


def test_the_note_keeps_the_confidential_record_to_itself(release, page):
    secret = recorded(release, source="secret_source.csv", group_sizes={4: 28})
    record = secret.record
    text = page(note_html(secret)).text
    forbidden = {
        "source": record.source,
        "fingerprint": record.fingerprint,
        "seed": str(record.seed),
        "records in": number(record.records_in),
        "groups": f" {record.groups} ",
        "confidential": "onfidential",
        "risk": "risk",
        "identifiers": "firm_name",
        "other identifiers": "tax_number",
        "shuffle": "shuffl",
        "order": "random order",
        **{f"version of {name}": version for name, version in record.versions.items()},
        **{f"warning {c.name}": c.text for c in record.warnings},
        **{f"advice {c.name}": c.advice for c in record.warnings},
        **{f"limit {i}": words for i, words in enumerate(record.not_promised)},
    }
    assert {what for what, words in forbidden.items() if words in text} == set()


def test_the_note_holds_no_figure_but_counts_of_what_is_public(release, page):
    seen = page(note_html(release))
    figures = {word.strip(".,;:()") for word in seen.text.split() if any(c.isdigit() for c in word)}
    record = release.record
    masked, unchanged = 3, 3
    public = {number(record.records_out), str(record.parameters["k"]), str(masked), str(unchanged), "IL1"}
    band = {"5", "10", "25", "50"}
    assert figures - public <= band


@pytest.mark.parametrize(
    ("value", "band"),
    [
        (0.0, "below 5 %"),
        (4.999, "below 5 %"),
        (5.0, "5 to 10 %"),
        (19.15, "10 to 25 %"),
        (99.9, "above 50 %"),
    ],
)
def test_the_loss_is_told_in_bands_only(release, page, value, band):
    text = page(note_html(replace(release, report=Report((Score(name="IL1", value=value),))))).text
    assert f"lost): {band}." in text


def test_without_a_loss_the_note_is_silent_about_it(release):
    none = Score(name="IL1", value=None, reason="not measured, for a secret reason")
    assert "IL1" not in note_html(replace(release, report=Report((none,))))
    assert "IL1" not in note_html(replace(release, report=Report(())))


def test_the_note_names_what_was_masked_and_what_was_not(release, page):
    text = page(note_html(release)).text
    assert "MDAV, a form of microaggregation" in text
    assert "Masked columns turnover staff fixed" in text
    assert "Columns released unchanged region debt remark" in text
    assert "Every group has at least 4 records" in text
    assert "Columns that identify a record directly were removed." in text
    assert "117 records" in text


def test_a_claim_stands_only_where_its_promise_was_verified(release, page):
    failing = tuple(replace(verdict, passed=False) for verdict in release.record.verdicts)
    text = page(note_html(recorded(release, verdicts=failing))).text
    assert "Every group has" not in text
    assert "preserved" not in text
    assert "Every group has records of at least" not in page(note_html(release)).text


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("noise", "random noise was added"),
        ("correlated-noise", "random noise was added"),
        ("romm", "regressions among them: preserved up to rounding errors"),
        ("rank-swap", "The distribution of each masked column separately"),
        ("shuffle", "The distribution of each masked column separately"),
        ("onedims", "This does not hold for several columns together"),
    ],
)
def test_the_note_of_a_masking_says_what_stays_and_claims_no_groups(page, method, words):
    made = tacita.protect(
        planted_frame(),
        quasi=["turnover", "staff"],
        identifiers=["firm_name", "tax_number", "remark"],
        method=method,
        missing="drop",
        seed=SEED,
        measures=["IL1"],
    )
    text = page(note_html(made)).text
    assert words in text
    assert "Every group has at least" not in text
    assert "microaggregation" not in text
    failing = tuple(replace(verdict, passed=False) for verdict in made.record.verdicts)
    assert words not in page(note_html(recorded(made, verdicts=failing))).text


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("drop", "Records without a value in one of the masked columns are not part of this file."),
        ("stratum", "A missing value of a masked column stays missing."),
        ("merge", "some were suppressed so that patterns of missing values are not rare"),
        ("refuse", "The masked columns have no missing values."),
    ],
)
def test_the_note_says_how_to_treat_missing_values(release, page, policy, words):
    options = {**release.record.options, "missing": policy}
    assert words in page(note_html(recorded(release, options=options))).text


def test_the_note_reads_the_same_whether_any_record_was_dropped_or_not(release):
    record = release.record
    assert note_html(release) == note_html(recorded(release, records_in=record.records_out, warnings=()))


def test_rounding_is_told_where_it_was_done(release, page):
    rounded = recorded(release, options={**release.record.options, "round_integers": True})
    assert "rounded to a whole number" in page(note_html(rounded)).text
    assert "rounded to a whole number" not in page(note_html(release)).text


def coarse(**more):
    people = datasets.load("household", n=300)
    around = {"identifiers": ["person_id", "household_id"], "measures": ["SUPPRESSED"], "seed": SEED}
    return tacita.protect(people, **around, **more)


def test_only_columns_that_became_coarser_are_said_to_have_lost_finer_values(page):
    levels = {"sex": 0, "education": 1}
    rises = {name: Hierarchy.flat(name, sorted(set(PEOPLE[name].to_pylist())), "*") for name in levels}
    release = coarse(quasi=list(levels), method="recode", level=levels, hierarchy=rises)
    text = page(note_html(release)).text
    assert "education : counts of the published categories; finer ones are lost." in text
    assert "No value of sex had to change." in text
    assert "Changed columns education Columns released unchanged" in text


def test_it_is_said_that_records_left(page):
    release = coarse(
        quasi=["sex", "education", "region", "age"],
        method="generalise",
        k=3,
        suppression_limit=0.2,
    )
    assert release.data.num_rows < 300
    text = page(note_html(release)).text
    assert "are not part of this file" in text
    everybody = coarse(quasi=["sex"], method="generalise", k=3)
    assert everybody.data.num_rows == 300
    assert "are not part of this file" not in page(note_html(everybody)).text


def test_a_dropping_says_what_it_left_out(page):
    steps = [
        {"method": "drop", "records": "age > 70"},
        {"method": "mdav", "quasi": ["wage", "total_income"], "k": 3},
    ]
    text = page(note_html(coarse(steps=steps))).text
    assert "records that meet a condition were left out." in text
    assert "columns were left out" not in text
    assert ", on : " not in text
