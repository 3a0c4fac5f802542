"""A run that is refused names the column and the way out, and has a confidential report and nothing else."""

import html
import json
import re

import pytest

from app.conftest import Visitor
from app.screens.test_protect import COMPARE, EXPORT, PROTECT, STATE, ended, run
from tacita.app.server.refusals import ACCEPTED, accepted, kept, refusal_in
from tacita.app.server.texts import LANGUAGES, Texts
from tacita.app.worker.refusals import refusal_of
from tacita.core import InferenceError, ParameterError, RequirementError, Verdict
from tacita.core.results.inferred_cells import ROW_ORDER, Determined

FILES = ("data", "note", "report", "plan", "script", "history")
TEXTS = Texts.load()
# turnover is costs and surplus; wages are nobody's sum
ROWS = [(100 * i + i % 7, 60 * i + i % 5, i * i % 89, "North" if i % 2 else "South") for i in range(60)]
SUMS = "turnover,costs,surplus,wages,region\n" + "".join(
    f"{turnover},{costs},{turnover - costs},{wages},{region}\n" for turnover, costs, wages, region in ROWS
)
INFERRED = {
    "en": (
        "Refused: other columns determine suppressed or changed cells",
        "Leave out costs or surplus (role: identifier)",
        "Or protect costs and surplus together with turnover, in the same step.",
        "It is recorded as keys-determined.",
    ),
    "pt": (
        "Recusado: outras colunas determinam células suprimidas ou alteradas",
        "Omitir costs ou surplus (papel: identificador)",
        "Ou proteger costs e surplus juntamente com turnover, no mesmo passo.",
        "Fica registado como keys-determined.",
    ),
    "ca": (
        "Refusat: altres columnes determinen cel·les suprimides o canviades",
        "Ometeu costs o surplus (rol: identificador)",
        "O protegiu costs i surplus juntament amb turnover, en el mateix pas.",
        "Queda registrat com a keys-determined.",
    ),
}


def say(language):
    return lambda key, **values: TEXTS.say(language, key, **values)


def given(visitor, *quasi):
    """The sums, with some columns to be protected."""
    visitor.send("/microdata/data/file", SUMS.encode(), "sums.csv")
    visitor.wait_for("/microdata/data", 'data-testid="records"')
    columns = SUMS.split("\n")[0].split(",")
    roles = {f"role.{at}": "quasi" if name in quasi else "other" for at, name in enumerate(columns)}
    visitor.post("/microdata/roles", **roles)
    visitor.wait_for("/microdata/roles", 'data-testid="risk-unique"')
    return visitor


def in_language(visitor, language, path=PROTECT):
    visitor.post("/settings", language=language, theme="auto")
    return html.unescape(visitor.get(path).text)


@pytest.fixture
def undone(visitor):
    given(visitor, "turnover")
    run(visitor, **{"s0.k": "3"})
    return visitor


@pytest.mark.long
def test_what_other_columns_give_back_is_named_with_the_way_out_in_every_language(undone):
    for language, words in INFERRED.items():
        text = in_language(undone, language)
        assert re.search(STATE, text)[1] == "refused"
        assert 'data-reason="inference"' in text
        for word in words:
            assert word in text, language
    # what is said of the column: how many cells, from what
    findings = text.partition('data-testid="refused-findings"')[2].partition("</ul>")[0]
    cells, of = re.search(r"turnover: (\d+) de (\d+) cel·les canviades", findings).groups()
    assert cells == of
    assert "costs amb surplus" in findings


def test_a_refused_run_has_its_confidential_report_and_no_other_file(undone, app):
    text = undone.get(PROTECT).text
    assert "/microdata/get/" not in text
    assert 'data-testid="to-export"' not in text
    answer = undone.get("/microdata/refused-report?node=n1")
    assert answer.status == 200
    # it is never shown by this site, and says by its name what it is
    assert answer.getheader("content-type") == "application/octet-stream"
    assert answer.getheader("content-disposition").endswith("sums-refused-n1-CONFIDENTIAL.html")
    assert "CONFIDENTIAL" in answer.text
    assert "Refused: other columns determine suppressed values" in answer.text
    assert "turnover follow from costs with surplus" in answer.text
    # other visitors of the same page have a first run too
    (folder,) = (
        path.parent for path in app.folder.rglob("n1/report.html") if path.read_text("utf-8") == answer.text
    )
    assert [path.name for path in folder.iterdir()] == ["report.html"]
    assert (folder / "report.html").stat().st_mode & 0o077 == 0
    for name in FILES:
        assert undone.get(f"/microdata/get/{name}?node=n1").status == 409
    assert "/microdata/get/" not in undone.get(EXPORT).text
    # nor does somebody else get it
    assert Visitor(app).get("/microdata/refused-report?node=n1").status == 403
    assert Visitor(app).enter().get("/microdata/refused-report?node=n1").status == 404


def test_only_a_release_that_was_refused_for_what_it_is_has_a_report(visitor):
    given(visitor, "wages")
    text = run(visitor, **{"s0.k": "1"})
    assert re.search(STATE, text)[1] == "refused"
    assert 'data-testid="refused-report"' not in text
    text = run(visitor, **{"s0.k": "3"})
    assert re.search(STATE, text)[1] == "verified"
    for node in ("n1", "n2", "n9"):
        assert visitor.get(f"/microdata/refused-report?node={node}").status == 404


def test_the_way_out_leads_out(undone):
    # protected together, nothing gives turnover back
    given(undone, "turnover", "costs", "surplus")
    assert re.search(STATE, run(undone, **{"s0.k": "3"}))[1] == "verified"


def test_an_accepted_risk_is_shown_with_the_verdict_and_before_export(undone):
    text = run(undone, **{"s0.k": "3", "o.insist": "true"})
    assert re.search(STATE, text)[1] == "verified"
    assert 'data-testid="accepted-risks"' in text
    assert "suppressed cells that other released columns determine" in text
    undone.post("/microdata/acknowledge", node="n2")
    assert 'data-testid="accepted-risks"' in undone.get(f"{EXPORT}?node=n2").text
    assert "células suprimidas que outras colunas publicadas determinam" in in_language(undone, "pt")


@pytest.mark.parametrize(
    ("measure", "limit", "said", "way"),
    [
        ("IL1", "0.01", "Columns: wages.", "Information loss is too high: protect less"),
        ("k_anonymity", "50", "Columns: wages.", "Protect more strongly, or add a step."),
        ("DBRL", "0.01", "DBRL does not meet its limit.", "Protect more strongly, or add a step."),
    ],
)
def test_a_requirement_that_is_not_met_names_its_column_and_has_a_report(visitor, measure, limit, said, way):
    given(visitor, "wages")
    text = html.unescape(run(visitor, **{"s0.k": "3", "r0.name": measure, "r0.limit": limit}))
    assert re.search(STATE, text)[1] == "refused"
    assert "Refused: a requirement is not met" in text
    assert f"{measure} does not meet its limit" in text
    assert said in text
    assert way in text
    # the limit is in sight, to be changed
    assert '<details data-testid="more-options" open>' in text
    answer = visitor.get("/microdata/refused-report?node=n1")
    assert f"Refused: a requirement is not met</strong><span>{measure}: " in answer.text
    for language, words in (("pt", "não cumpre o seu limite"), ("ca", "no compleix el seu límit")):
        assert f"{measure} {words}" in in_language(visitor, language)


def test_what_goes_against_advice_says_what_to_do_instead(visitor):
    given(visitor, "wages")
    run(visitor, **{"s0.k": "2"})
    for language, words in (
        ("en", "Raise k to 3 or more."),
        ("pt", "Aumentar k para 3 ou mais."),
        ("ca", "Apugeu k a 3 o més."),
    ):
        text = in_language(visitor, language)
        assert words in text
        assert "k-of-2" in text
        assert 'data-testid="refused-report"' not in text


def test_trials_that_are_refused_have_their_reports(visitor):
    given(visitor, "turnover")
    visitor.post(COMPARE, do="run", method="mdav", **{"g.k": "3, 4"})
    text = ended(visitor, COMPARE)
    assert re.findall(r'data-testid="trial-n\d" data-state="(\w+)"', text) == ["refused", "refused"]
    for node in ("n1", "n2"):
        assert 'data-testid="refused-report"' in visitor.get(f"{PROTECT}?node={node}").text
        assert visitor.get(f"/microdata/refused-report?node={node}").status == 200


@pytest.mark.long
def test_a_project_keeps_the_reason_and_not_the_report(undone, app):
    run(undone, **{"s0.k": "3", "o.insist": "true"})
    undone.post("/microdata/acknowledge", node="n2")
    saved = undone.get("/microdata/get/history?node=n2").text
    other = Visitor(app).enter()
    other.send("/open", saved.encode(), "project.json")
    other.send("/microdata/data/file", SUMS.encode(), "sums.csv")
    other.wait_for("/microdata/data", 'data-testid="records"')
    text = other.get(f"{PROTECT}?node=n1").text
    assert "Leave out costs or surplus" in text
    assert 'data-testid="refused-report"' not in text
    assert other.get("/microdata/refused-report?node=n1").status == 404
    # one that somebody changed is none
    told = json.loads(saved)
    told["history"]["nodes"][0]["refusal"]["given_back"] = [{"column": "a"}]
    answer = Visitor(app).enter().send("/open", json.dumps(told).encode(), "project.json")
    assert "neither a plan" in answer.text


# what a child tells, and the words for it

FOUND = (
    Determined("region", (("weight",), ("size", ROW_ORDER)), "suppressed", 1400, 1414, 768, True),
    Determined("size", (("weight",),), "changed", 9, 90, 0, False),
)


def test_a_child_tells_names_and_figures_of_what_is_refused_alone():
    problem = InferenceError("no", determined=FOUND)
    problem.accepted_as = "keys-determined"
    told = refusal_of(problem)
    assert told["given_back"] == [
        {
            "column": "region",
            "columns": [["weight"], ["size", None]],
            "suppressed": True,
            "cells": 1400,
            "of": 1414,
            "exposed": 768,
            "narrowed": 0,
        }
    ]
    assert json.loads(json.dumps(told)) == told == kept(told)
    assert refusal_of(ParameterError("no")) == {} == kept({})
    unmet = Verdict("IL1", "IL1 is at most 5 %.", False, "it is 7 %", columns=("wage",))
    told = refusal_of(RequirementError("no", unmet=[unmet]))
    assert told["unmet"][0]["kind"] == "loss"
    assert kept(told) == told


def test_an_error_keeps_its_reason_when_its_words_change():
    problem = InferenceError("release.csv", field="k", determined=FOUND)
    problem.accepted_as = "keys-determined"
    again = problem.reworded("survey.csv")
    assert (str(again), again.determined, again.accepted_as) == ("survey.csv", FOUND, "keys-determined")
    assert again.fields == problem.fields
    assert str(problem) == "release.csv"


def test_weights_and_the_order_of_records_have_ways_out_of_their_own():
    told = refusal_of(InferenceError("no", determined=FOUND))
    plan = {"roles": {"weight": "weight", "quasi": ["region"]}, "steps": [{"quasi": ["size"]}]}
    shown = refusal_in(told, say("en"), plan=plan)
    assert shown.findings[0].text == (
        "region: 1\u202f400 of 1\u202f414 suppressed cells follow from weight, or from size with the order "
        "of the records. Once they are filled in, 768 records are in groups of fewer than k."
    )
    # size tells something with the order of the records alone, and is protected as it is
    assert shown.ways[0].startswith("Leave out weight (role: identifier)")
    assert shown.ways[1].startswith("Or protect weight together with region")
    assert any(way.startswith("Recalibrate the sampling weight weight") for way in shown.ways)
    assert any(way.startswith("Shuffle the records") for way in shown.ways)
    assert not any("accept" in way for way in shown.ways)
    plain = refusal_in(told, say("en"))
    assert not any("Recalibrate" in way for way in plain.ways)


def test_cells_that_are_only_narrowed_down_are_counted():
    told = refusal_of(InferenceError("no", determined=FOUND))
    told["given_back"][0]["narrowed"] = 5
    text = refusal_in(kept(told), say("en")).findings[0].text
    assert (
        "For 5 of them, fewer than k values remain possible, but more than one. Once they are filled in"
        in text
    )


def test_many_columns_are_counted():
    unmet = Verdict("IL1", "IL1 is at most 5 %.", False, "", columns=tuple(f"c{at}" for at in range(11)))
    told = refusal_of(RequirementError("no", unmet=[unmet]))
    assert refusal_in(told, say("en")).findings[0].text.endswith("c6, c7 and 3 more.")


@pytest.mark.parametrize(
    ("kinds", "key"),
    [
        (("loss",), "refused.protect-less"),
        (("risk", "balance"), "refused.protect-more"),
        (("loss", "risk"), "refused.another-method"),
    ],
)
def test_the_way_out_of_requirements_depends_on_what_was_measured(kinds, key):
    unmet = [{"measure": "X", "kind": kind, "columns": [], "promise": "", "detail": ""} for kind in kinds]
    shown = refusal_in({"reason": "requirement", "unmet": unmet}, say("ca"))
    assert shown.ways == (TEXTS.say("ca", key),)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_risk_that_can_be_accepted_has_words(language):
    from tacita.report.review import ACCEPTED_RISKS

    assert set(ACCEPTED_RISKS) == set(ACCEPTED)
    for name in ACCEPTED:
        assert accepted(name, say(language)) != name
    assert accepted("of-a-plugin", say(language)) == "of-a-plugin"
    told = {"reason": "advice", "accepted_as": "membership"}
    shown = refusal_in(told, say(language), message="in English")
    assert shown.findings[0].detail == "in English"
    assert len(shown.ways) == 2
