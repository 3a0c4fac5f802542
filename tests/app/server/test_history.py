"""A tree of plans that were run: a node never changes, only what is verified and was read may leave."""

import json
from itertools import combinations

import pytest

from app.server.test_request_guard import ask
from tacita.app.screens import ROUTES, SCREENS
from tacita.app.server.application import Site, application
from tacita.app.server.history import History, opened, project
from tacita.app.server.plan_basis import basis_of, chosen_from, roles_of
from tacita.app.server.risk_map import risk_map
from tacita.app.server.uploads import Source
from tacita.app.server.workspaces import Work
from tacita.core.display.number_format import SPACED
from tacita.core.display.svg import Box

CAUTION = {"name": "unique-column", "text": "...", "count": 3, "advice": "..."}


def answered(loss, risk, **more):
    scores = [{"name": "PIL", "value": loss}, {"name": "DR", "value": risk}]
    return {"scores": scores, "seed": "12345678901234567890123", "warnings": [], **more}


def grown(basis="b"):
    history = History()
    first = history.begin({"protect": {"method": "mdav", "k": 3}}, basis)
    history.end(first.id, "verified", answer=answered(31.9, 39.0))
    second = history.begin({"protect": {"method": "mdav", "k": 5}}, basis)
    history.end(second.id, "verified", answer=answered(40.4, 33.9))
    history.choose(first.id)
    third = history.begin({"protect": {"method": "noise", "alpha": 0.3}}, basis)
    history.end(third.id, "refused", message="no", fields={"alpha": "no"})
    return history


def test_running_makes_a_child_of_the_chosen_node_and_overwrites_nothing():
    tree = [(branch.node.title, branch.depth) for branch in grown().branches("b")]
    assert tree == [("mdav k=3", 0), ("mdav k=5", 1), ("noise alpha=0.3", 1)]


def test_a_node_that_has_ended_does_not_change():
    history = grown()
    with pytest.raises(ValueError, match="does not change"):
        history.end("n1", "refused")


def test_the_seed_that_was_drawn_is_part_of_the_plan():
    assert grown().find("n1").plan["protect"]["seed"] == "12345678901234567890123"


def test_nodes_of_other_roles_are_stale_and_not_on_the_map():
    history = grown()
    assert [branch.stale for branch in history.branches("other")] == [True, True, True]
    assert risk_map(history.branches("other"), SPACED) is None
    assert [spot.node for spot in risk_map(history.branches("b"), SPACED).spots] == ["n1", "n2"]


def test_the_map_joins_the_runs_that_no_other_beats():
    history = grown()
    beaten = history.begin({"protect": {"method": "mdav", "k": 9}}, "b")
    history.end(beaten.id, "verified", answer=answered(50.0, 50.0))
    front = {spot.node: spot.front for spot in risk_map(history.branches("b"), SPACED).spots}
    assert front == {"n1": True, "n2": True, "n4": False}


def test_labels_of_the_map_lie_on_no_spot_and_on_no_other_label():
    history = History()
    for at, (loss, risk) in enumerate([(32, 39), (37, 36), (41, 34), (42, 12), (49, 31), (54, 28)]):
        node = history.begin({"protect": {"method": "rank-swap", "p": at}}, "b")
        history.end(node.id, "verified", answer=answered(loss, risk))
    found = risk_map(history.branches("b"), SPACED)
    shown = [spot for spot in found.spots if spot.front or spot.chosen]
    assert len(shown) == 5
    boxes = [spot.box for spot in shown]
    dots = [Box.around(spot.x, spot.y, 6) for spot in found.spots]
    assert not any(box.overlap(other) for box in boxes for other in dots)
    assert not any(one.overlap(other) for one, other in combinations(boxes, 2))
    assert all(box[0] >= 0 and box[2] <= found.width for box in boxes)


def work_of(tmp_path):
    work = Work("microdata", tmp_path, Source(tmp_path / "s.csv", "survey.csv", 1, {}, 5, "abc"))
    work.columns = [{"name": name, "kind": "numeric"} for name in "abcd"]
    work.roles = {"a": "quasi", "b": "unit-left-out", "c": "weight", "d": "other"}
    work.kinds = {"a": "ordinal", "b": "nominal", "c": "numeric", "d": "numeric"}
    work.history = grown(basis_of(work))
    return work


def test_a_saved_project_opens_again_with_seeds_and_without_files(tmp_path):
    work = work_of(tmp_path)
    again = opened(project(work))
    assert [node.title for node in again["history"]] == [node.title for node in work.history]
    assert again["history"].find("n1").plan == work.history.find("n1").plan
    assert not any(node.files for node in again["history"])
    assert again["history"].chosen == work.history.chosen
    assert again["roles"] == work.roles


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "[" * 100_000, '{"project": "tacita", "version": 1, "roles": {}, "kinds": {}}']
)
def test_what_is_no_project_is_refused(text):
    with pytest.raises(ValueError, match="no "):
        opened(text)


def test_a_project_cannot_bring_a_node_with_a_path_for_a_name(tmp_path):
    told = json.loads(project(work_of(tmp_path)))
    told["history"]["nodes"][0]["id"] = "../../etc"
    with pytest.raises(ValueError, match="no "):
        opened(json.dumps(told))


def test_roles_of_columns_are_the_section_of_a_plan_and_come_back_from_it(tmp_path):
    work = work_of(tmp_path)
    section = roles_of(work)
    assert section == {
        "quasi": ["a"],
        "identifiers": ["b"],
        "unit": "b",
        "weight": "c",
        "ordinal": {"a": []},
    }
    assert chosen_from(section, list("abcd")) == (work.roles, {"a": "ordinal"})


@pytest.fixture
def site(tmp_path):
    return Site("127.5.6.7", 1234, tmp_path, SCREENS)


def test_only_a_verified_node_whose_warnings_were_read_leaves(site):
    cookie, workspace = site.workspaces.open("en")
    work, app = workspace.work("microdata"), application(site, ROUTES)
    headers = [("host", site.authority), ("cookie", f"tacita={cookie}")]

    def status(name="plan"):
        return ask(app, "GET", f"/microdata/get/{name}", headers)[0]

    basis = basis_of(work)
    node = work.history.begin({"protect": {"method": "mdav"}}, basis)
    assert status() == 409
    more = {"toml": "version = 1\n", "script": "", "ending": ".csv", "warnings": [CAUTION]}
    work.history.end(node.id, "verified", answer={**answered(1, 2), **more})
    assert status() == 409
    work.history.acknowledge(node.id)
    assert work.history.find(node.id).acknowledged == ("unique-column",)
    assert status() == 200
    refused = work.history.begin({"protect": {"method": "mdav"}}, basis)
    work.history.end(refused.id, "refused")
    assert status() == 409


def test_what_was_made_with_other_roles_does_not_leave(site):
    cookie, workspace = site.workspaces.open("en")
    work = workspace.work("microdata")
    node = work.history.begin({"protect": {}}, basis_of(work))
    work.history.end(node.id, "verified", answer={**answered(1, 2), "toml": "", "ending": ".csv"})
    headers = [("host", site.authority), ("cookie", f"tacita={cookie}")]
    app = application(site, ROUTES)
    assert ask(app, "GET", "/microdata/get/plan", headers)[0] == 200
    work.roles["a"] = "quasi"
    assert ask(app, "GET", "/microdata/get/plan", headers)[0] == 409


def test_what_came_to_nothing_has_no_children():
    history = grown()
    assert history.current.state == "refused"
    again = history.begin({"protect": {"method": "mdav", "k": 7}}, "b")
    assert again.parent == "n1"
    assert history.ground(again.id).id == "n1"


def test_a_trial_is_a_child_of_where_it_began_and_leaves_the_choice_alone():
    history = History()
    trials = [history.begin_trial({"protect": {"method": "mdav", "k": k}}, "b", None) for k in (3, 4)]
    assert [trial.parent for trial in trials] == [None, None]
    assert history.chosen is None


def test_a_node_never_gets_the_name_of_another():
    told = grown().to_dict()
    told["nodes"] = [node for node in told["nodes"] if node["id"] != "n1"]
    again = History.of(told)
    assert again.begin({"protect": {}}, "b").id not in {"n2", "n3"}


def test_what_is_downloaded_is_never_shown(site):
    cookie, workspace = site.workspaces.open("en")
    work = workspace.work("microdata")
    node = work.history.begin({"protect": {}}, basis_of(work))
    work.history.end(node.id, "verified", answer={**answered(1, 2), "ending": ".csv"})
    work.folder_of(node).mkdir()
    (work.folder_of(node) / "report.html").write_text("<p>")
    headers = [("host", site.authority), ("cookie", f"tacita={cookie}")]
    _, answered_with = ask(application(site, ROUTES), "GET", "/microdata/get/report", headers)
    assert answered_with["content-type"] == "application/octet-stream"
    assert answered_with["content-disposition"].startswith("attachment")


def test_lines_of_the_tree_go_on_past_what_was_made_of_others():
    history = grown()
    history.choose("n2")
    history.begin({"protect": {"method": "mdav", "k": 10}}, "b")
    tree = [(branch.node.title, branch.past) for branch in history.branches("b")]
    # the line from the first to the last of its children passes all that lies between
    assert tree == [
        ("mdav k=3", ()),
        ("mdav k=5", (0,)),
        ("mdav k=10", (0,)),
        ("noise alpha=0.3", ()),
    ]
