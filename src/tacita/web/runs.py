"""A plan that is run: a node of the history from its begin, its files only when it is verified."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any

from .basis import basis_of
from .history import Node
from .jobs import Job
from .workspaces import Source, Work, Workspace


def run_plan(
    workspace: Workspace, work: Work, source: Source, plan: Mapping[str, Any], *, anytime: bool = False
) -> tuple[Node, Job]:
    """Run a plan of records as a child of the chosen node; nobody else's run may be at work.

    `plan` has the sections of a plan but for its input and output. What is refused, cancelled or broken
    leaves a node that says so, and no file.
    """
    node = work.history.begin(plan, basis_of(work))
    folder = work.folder_of(node)
    folder.mkdir(mode=0o700)

    def then(job: Job) -> None:
        if job.state == "done":
            work.history.end(node.id, "verified", answer=job.answer)
            return
        shutil.rmtree(folder, ignore_errors=True)
        work.history.end(node.id, job.state, message=job.message, fields=job.fields)

    given = {"source": source.asked(), "plan": plan, "folder": str(folder)}
    work.job = Job(workspace, "protect", given, then, about=node.id, anytime=anytime)
    return node, work.job
