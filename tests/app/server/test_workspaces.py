"""Who left is forgotten: runs after a minute, files after an hour."""

import asyncio

import pytest

from tacita.app.screens import SCREENS
from tacita.app.server.application import Site
from tacita.app.server.workspaces import ALONE_SECONDS, KEPT_SECONDS


class Watched:
    """A job that runs until it is cancelled."""

    running = True

    async def cancel(self):
        self.running = False


@pytest.fixture
def site(tmp_path):
    return Site("127.5.6.7", 1234, tmp_path, SCREENS)


def aged(workspace, seconds):
    workspace.seen -= seconds
    workspace.listened -= seconds


@pytest.mark.parametrize(("seconds", "goes_on"), [(ALONE_SECONDS - 5, True), (ALONE_SECONDS + 5, False)])
def test_a_run_ends_a_minute_after_its_last_page_closed(site, seconds, goes_on):
    _, workspace = site.workspaces.open("en")
    job = workspace.work("microdata").job = Watched()
    aged(workspace, seconds)
    asyncio.run(site.workspaces.sweep())
    assert job.running is goes_on
    assert workspace.folder.exists()


def test_a_page_that_is_open_keeps_its_run_and_its_files(site):
    _, workspace = site.workspaces.open("en")
    job = workspace.work("microdata").job = Watched()
    workspace.bus._listening.add(asyncio.Queue())
    aged(workspace, KEPT_SECONDS + 5)
    asyncio.run(site.workspaces.sweep())
    assert job.running
    assert workspace.folder.exists()


def test_files_are_deleted_an_hour_after_their_owner_left(site):
    cookie, workspace = site.workspaces.open("en")
    (workspace.work("microdata").folder / "source.csv").write_text("x")
    aged(workspace, KEPT_SECONDS + 5)
    asyncio.run(site.workspaces.sweep())
    assert not workspace.folder.exists()
    assert site.workspaces.find(cookie) is None
