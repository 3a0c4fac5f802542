"""The confidential review, as a page and as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from seeds import SEED
from tacita.core import DisclosureWarning, Report, Score, Verdict
from tacita.core.results.grouped_warnings import grouped
from tacita.report import review_html, review_json

KEYS = {"scores", "notes", "verdicts", "warnings", "uniqueness", "record", "not_promised", "attributes"}
KEYS |= {"steps", "withdrawn", "risk_by_record", "correlations"}
RECORD_KEYS = {"source", "fingerprint", "seed", "versions", "method", "parameters", "roles", "options"}
RECORD_KEYS |= {"records_in", "records_out", "groups", "gap", "group_sizes", "strata", "accepted_risks"}
RECORD_KEYS |= {"release_fingerprint"}


def recorded(release, **changes):
    return replace(release, record=replace(release.record, **changes))


def strict(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_json_has_its_keys_and_repeats_the_record(release):
    text = review_json(release)
    content = strict(text)
    assert text.endswith("}\n")
    assert set(content) == KEYS
    assert set(content["record"]) == RECORD_KEYS
    assert content["scores"] == release.report.as_dict()["scores"]
    assert content["record"]["seed"] == str(SEED)
    assert [warning["count"] for warning in content["warnings"]] == [c.count for c in release.record.warnings]
    assert all(verdict["passed"] for verdict in content["verdicts"])


def test_the_json_never_holds_nan_or_infinity(release):
    first, *others = release.record.summaries
    odd = replace(first, sd_before=float("nan"), sd_after=float("inf"))
    content = strict(review_json(recorded(release, summaries=(odd, *others))))
    assert content["attributes"][0]["sd_before"] is None
    assert content["attributes"][0]["sd_after"] is None


def test_group_sizes_are_ordered_as_numbers(release):
    content = strict(review_json(recorded(release, group_sizes={10: 1, 4: 20})))
    assert list(content["record"]["group_sizes"]) == ["4", "10"]


def test_no_bin_holds_fewer_than_k_originals(release):
    k = release.record.parameters["k"]
    for attribute in strict(review_json(release))["attributes"]:
        assert min(attribute["before"]) >= k
        assert all(count == 0 or count >= k for count in attribute["after"])
    shown = review_html(release)
    drawn = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) original,", shown)]
    assert [count for count in drawn if 0 < count < k] == []
    attributes = shown[shown.index('id="attributes"') :]
    assert min(int(n.replace(",", "")) for n in re.findall(r"([\d,]+) original,", attributes)) >= k


def test_the_value_of_a_constant_column_is_not_told_by_its_mean(release, page):
    attribute = next(a for a in strict(review_json(release))["attributes"] if a["name"] == "fixed")
    assert attribute["constant"]
    assert attribute["mean_before"] is attribute["mean_after"] is None
    assert "Every record has the same value" in page(review_html(release)).text


def test_the_page_says_confidential_and_tells_the_verdict(release, page):
    text = page(review_html(release)).text
    assert text.count("CONFIDENTIAL") >= 2
    assert f"All {len(release.record.verdicts)} promises verified" in text
    assert f"117 records in {release.record.groups} groups of 4 or more" in text
    for verdict in release.record.verdicts:
        assert verdict.promise in text


def test_a_broken_promise_is_not_called_verified(release, page):
    broken = Verdict("groups-of-k", "Groups are of k.", False, "2 groups are short")
    text = page(review_html(recorded(release, verdicts=(*release.record.verdicts, broken)))).text
    assert "promises verified" not in text
    assert "do not publish" in text
    assert "2 groups are short" in text


def test_insisting_against_advice_is_shown(release, page):
    assert "Accepted risks</strong>" not in review_html(release)
    accepted_risks = recorded(release, accepted_risks=("k-of-2", "guessable-seed"))
    text = page(review_html(accepted_risks)).text
    assert "Accepted risks" in text
    assert "groups of two" in text
    assert "a seed that can be guessed" in text


def test_a_score_without_a_value_shows_its_reason(release, page):
    missing = replace(release, report=Report((Score(name="IL9", value=None, reason="nothing <varies>"),)))
    assert "IL9 none: nothing <varies>" in page(review_html(missing)).text


def test_scores_stand_with_meaning_range_and_direction(release, page):
    text = page(review_html(release)).text
    assert "Share of released records whose nearest original record is their own." in text
    assert "0 to 1 lower" in text
    assert "IL1 (%)" in text


def test_the_notes_of_the_report_are_shown(release, page):
    noted = replace(release, report=replace(release.report, notes=("3 records are left out.",)))
    assert "3 records are left out." in page(review_html(noted)).text


def test_every_warning_is_shown_with_its_count_and_advice(release, page):
    text = page(review_html(release)).text
    assert release.record.warnings
    for warning in release.record.warnings:
        assert f"{warning.count:,}" in text
        assert warning.advice in text


def test_thirteen_warnings_of_one_kind_are_told_once(release, page):
    names = [f"c{i}" for i in range(13)]
    alike = [
        DisclosureWarning("alone", f"Column {c} tells all.", 1000 + i, "Drop it.")
        for i, c in enumerate(names)
    ]
    other = DisclosureWarning("order", "Rows are in order.", 5, "Shuffle.")
    roles = {**release.record.roles, "confidential": names}
    text = page(review_html(recorded(release, roles=roles, warnings=(*alike, other)))).text
    assert text.count("Column … tells all.") == 1
    assert text.count("Drop it.") == 1
    assert "c0 1,000 c1 1,001" in text
    assert "c12 1,012" in text
    assert text.index("tells all.") < text.index("Rows are in order.")


def test_warnings_that_differ_in_more_than_a_column_keep_their_words():
    told = [
        DisclosureWarning("mixed", "Column a is bad.", 1, "Fix."),
        DisclosureWarning("mixed", "Column b is worse.", 2, "Fix."),
    ]
    (kind,) = grouped(told, {"a", "b"})
    assert kind.text is None
    assert [line.text for line in kind.lines] == ["Column a is bad.", "Column b is worse."]


@pytest.mark.parametrize("columns", [("C", "Co"), ("is", "Column"), ("a is", "a")])
def test_column_names_that_are_words_of_the_warning_still_come_out_whole(columns):
    told = [DisclosureWarning("x", f"Column {c} is bad.", 1, "Fix.") for c in columns]
    (kind,) = grouped(told, set(columns))
    assert kind.text is None or tuple(line.text for line in kind.lines) == columns


def test_a_column_name_inside_another_is_not_taken_for_it():
    told = [DisclosureWarning("x", f"Column {c} is bad.", 1, "Fix.") for c in ("net debt", "own debt")]
    (kind,) = grouped(told, {"net", "own", "net debt", "own debt"})
    assert kind.text == ("Column ", " is bad.")
    assert [line.text for line in kind.lines] == ["net debt", "own debt"]


def test_the_page_ends_with_where_the_release_came_from(release, page):
    text = page(review_html(release)).text
    provenance = text[text.index("Provenance Source") :]
    assert release.record.fingerprint in provenance
    assert str(SEED) in provenance
    assert f"tacita {release.record.versions['tacita']}" in provenance


def test_the_columns_stand_under_their_roles(release, page):
    text = page(review_html(release)).text
    assert "Quasi-identifiers turnover staff fixed masked" in text
    assert "Without a role remark released unchanged" in text
