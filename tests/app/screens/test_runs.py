"""A plan that is run from the page: verified and then its files, or a node that says why there are none."""

import asyncio

import pytest

import tacita
from tacita.app.screens import SCREENS
from tacita.app.screens.data import load_demo
from tacita.app.screens.runs import run_plan
from tacita.app.server.application import Site
from tacita.app.server.plan_basis import roles_of


@pytest.fixture
def page(tmp_path):
    """Runs a function of a workspace with the demo in it, on a site whose children are real."""

    def carried_out(todo):
        async def run():
            site = Site("127.5.6.7", 1234, tmp_path, SCREENS)
            _, workspace = site.workspaces.open("en")
            load_demo(workspace)
            work = workspace.work("microdata")
            try:
                async with asyncio.timeout(120):
                    while work.source is None:
                        await asyncio.sleep(0.05)
                    return await todo(workspace, work)
            finally:
                await site.workspaces.end_all()
                await site.children.end()

        return asyncio.run(run())

    return carried_out


@pytest.mark.long
def test_the_same_plan_and_seed_give_the_same_bytes_from_another_node(page):
    async def twice(workspace, work):
        # noise is drawn: without the seed in the plan it would be another
        plan = {"roles": roles_of(work), "protect": {"method": "noise"}}
        first, job = run_plan(workspace, work, work.source, plan)
        await job.settled(100)
        made = work.history.find(first.id)
        assert made.state == "verified"
        assert all(each["passed"] for each in made.answer["verdicts"])
        again, job = run_plan(workspace, work, work.source, made.plan)
        await job.settled(100)
        assert work.history.find(again.id).parent == first.id
        contents = [(work.folder_of(node) / "release.csv").read_bytes() for node in (first, again)]
        assert contents[0] == contents[1]
        # measured again from the files, as anybody could
        report = tacita.evaluate(
            work.source.path, work.folder_of(first) / "release.csv", quasi=plan["roles"]["quasi"]
        )
        assert report["PIL"].value == pytest.approx(made.score("PIL"))

    page(twice)


@pytest.mark.long
def test_what_is_refused_says_which_field_and_leaves_no_file(page):
    async def refused(workspace, work):
        plan = {"roles": roles_of(work), "protect": {"method": "mdav", "k": 1}}
        node, job = run_plan(workspace, work, work.source, plan)
        await job.settled(100)
        found = work.history.find(node.id)
        assert (found.state, list(found.fields), found.files) == ("refused", ["k"], False)
        assert not work.folder_of(node).exists()

    page(refused)


def test_what_is_cancelled_leaves_a_node_no_child_and_no_file(page):
    async def cancelled(workspace, work):
        plan = {"roles": roles_of(work), "protect": {"method": "best", "k": 3, "time": 60}}
        node, job = run_plan(workspace, work, work.source, plan, anytime=True)
        while not job.stage:
            await asyncio.sleep(0.02)
        child = job._child
        await job.cancel()
        assert not child.alive
        assert work.history.find(node.id).state == "cancelled"
        assert not work.folder_of(node).exists()

    page(cancelled)


@pytest.mark.long
def test_a_search_that_is_told_enough_is_verified_like_any_other(page):
    async def stopped(workspace, work):
        roles = {**roles_of(work), "strata": []}
        plan = {"roles": roles, "protect": {"method": "best", "k": 3, "time": 100}}
        node, job = run_plan(workspace, work, work.source, plan, anytime=True)
        while not job.stage:
            await asyncio.sleep(0.02)
        job.enough()
        await job.settled(90)
        found = work.history.find(node.id)
        assert found.state == "verified"
        assert "search-stopped" in [each["name"] for each in found.answer["warnings"]]

    page(stopped)
