"""What a notebook shows of a value: whole and escaped, in counts and figures, without a value of the data."""

from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pytest

import tacita
from tacita.core import Report, Score
from tacita.plans.table_plans import run_table
from tacita.tables.plans.plan import TablePlan

HOSTILE = '<script>alert("x")</script>&'
# figures that no count or measure would happen to be
SECRETS = (918273.25, 817263.5, 726351.75, 635241.125, 524131.375, 413121.625)


class Parsed(HTMLParser):
    """The text of a page, its tags, and whether each is closed in its turn."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.text = [], set(), ""
        self.feed(page)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += f" {data}"


def records():
    secret = np.repeat(SECRETS, 2) + np.arange(12)
    return pa.table({HOSTILE: secret, "town": [f"secret town {i}" for i in range(12)]})


def table():
    labels = [["<script>r1", "<script>r2"], ["<script>c1", "<script>c2", "<script>c3"]]
    values = np.array(SECRETS).reshape(2, 3)
    return tacita.Table.from_array(values, labels=labels, primary=[[1, 0, 0], [0, 0, 0]])


def release_of_a_table(folder):
    cells = folder / "cells.csv"
    marked = enumerate(zip("aaabbb", "xyzxyz", SECRETS, strict=True))
    lines = [f"<script>{row},{column},{value},{int(place == 0)}" for place, (row, column, value) in marked]
    cells.write_text("\n".join(["r,c,v,p", *lines]) + "\n")
    plan = TablePlan(
        input={"path": cells},
        table={"rows": "r", "columns": "c", "value": "v", "primary": "p"},
        suppress={"problem": "exact"},
        output={"path": folder / "published.csv"},
    )
    return run_table(plan, dry_run=True)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    release = tacita.protect(records(), quasi=[HOSTILE], k=3, measures=["IL1", "DLD", "PIL"])
    withheld = table()
    bad = withheld.primary.copy()
    return {
        "Release": release,
        "Release of a table": release_of_a_table(tmp_path_factory.mktemp("table")),
        "Report": Report((Score(name=HOSTILE, value=None, reason=HOSTILE), *release.report), (HOSTILE,)),
        "Trials": tacita.compare_methods(
            records(), quasi=[HOSTILE], method=["mdav", "hm"], k=[3, 40], loss="IL1", risk="DLD"
        ),
        "Audit": tacita.audit(withheld, bad, "exact"),
        "Pattern": tacita.suppress(withheld, problem="exact"),
    }


KINDS = ("Release", "Release of a table", "Report", "Trials", "Audit", "Pattern")


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_a_whole_page_of_plain_tags_that_says_it_is_confidential(shown, kind):
    page = Parsed(shown[kind]._repr_html_())
    assert page.tags <= {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert page.text.endswith("Confidential.")


@pytest.mark.parametrize("kind", ["Release", "Report"])
def test_hostile_names_are_escaped(shown, kind):
    page = shown[kind]._repr_html_()
    assert "<script" not in page
    if kind == "Report":
        assert HOSTILE in Parsed(page).text


@pytest.mark.parametrize("kind", KINDS)
def test_no_value_of_the_data_is_shown(shown, kind):
    # "1,234" is spelled "1234" as well
    text = Parsed(shown[kind]._repr_html_()).text.replace(",", "")
    assert "secret town" not in text
    if kind != "Report":
        assert "script" not in text.replace(HOSTILE, "")
    for value in (*SECRETS, *records()[HOSTILE].to_pylist()):
        assert f"{value:g}" not in text
        assert f"{value:.0f}" not in text


def test_a_release_shows_headline_figures_verdicts_and_warnings(shown):
    release = shown["Release"]
    text = Parsed(release._repr_html_()).text
    assert text.startswith(f" Release of {release.record.headline}")
    for told in (
        *(score.name for score in release.report if tacita.registry.is_headline(score.name)),
        *(verdict.guarantee for verdict in release.record.verdicts),
        *(warning.advice for warning in release.record.warnings),
        release.record.uniqueness.headline,
    ):
        assert told in text


def test_the_release_of_a_table_does_not_show_its_cost_and_a_pattern_does(shown):
    release, pattern = shown["Release of a table"], shown["Pattern"]
    cost = f"{release.claim.pattern.cost:,.0f}"
    assert cost == f"{pattern.cost:,.0f}"
    assert cost not in release._repr_html_()
    assert "safe" in Parsed(release._repr_html_()).text
    assert cost in pattern._repr_html_()


def test_an_audit_counts_what_is_wrong_and_names_no_cell(shown):
    audit = shown["Audit"]
    text = Parsed(audit._repr_html_()).text
    assert not audit.safe
    assert f"{audit.failures[0].reason} {len(audit.failures)} " in text
    assert not any(label in text for each in audit.failures for label in each.labels)


def test_trials_show_every_trial_the_front_and_why_one_failed(shown):
    trials = shown["Trials"]
    page = trials._repr_html_()
    assert page.count("<tr>") == len(trials) + 1
    assert page.count(">on the front<") == len(trials.front) > 0
    (failed, *_) = trials.off_map
    assert failed.reason in Parsed(page).text
