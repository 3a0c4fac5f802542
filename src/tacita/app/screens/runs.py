"""A plan that is run: a node of the history from its begin, its files only when it is verified."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from tacita.app.server.auxiliary_files import names_of, placed
from tacita.app.server.history import REPORT, Node, State
from tacita.app.server.jobs import Job
from tacita.app.server.plan_basis import KEY, basis_of
from tacita.app.server.uploads import Source
from tacita.app.server.worker_processes import Broken, Refused, WorkerProcess
from tacita.app.server.workspaces import Work, Workspace


def run_plan(
    workspace: Workspace, work: Work, source: Source, plan: Mapping[str, Any], *, anytime: bool = False
) -> tuple[Node, Job]:
    """Run a plan of records as a child of the chosen node; no other run may be under way.

    `plan` has the sections of a plan but for its input and output. What is refused, cancelled or broken
    leaves a node that says so, and no file but the report of a release that was refused for what it is.
    """
    node = work.history.begin(plan, basis_of(work))

    def then(job: Job) -> None:
        if job.state == "done":
            work.history.end(node.id, "verified", answer=job.answer)
        else:
            _come_to_nothing(work, node, job.state, job.message, job.fields, job.refusal)

    request = _request_of(work, source, node)
    work.job = Job(workspace, "protect", request, then, about=node.id, anytime=anytime)
    return node, work.job


def _request_of(work: Work, source: Source, node: Node) -> dict[str, Any]:
    """The question to a child that carries out the plan of a node, into a folder of its own."""
    folder = work.folder_of(node)
    folder.mkdir(mode=0o700)
    roles = dict(node.plan.get("roles", {}))
    if files := roles.get("hierarchy"):
        roles["hierarchy"] = placed(work, files)
    protect = dict(node.plan.get("protect", {}))
    if KEY in protect and work.key is not None:
        protect[KEY] = str(work.key.path)
    plan = {**node.plan, "roles": roles, "protect": protect}
    request = {"source": source.as_argument(), "names": names_of(work), "plan": plan}
    return {**request, "folder": str(folder), "ending": work.ending}


def _come_to_nothing(
    work: Work,
    node: Node,
    state: State,
    message: str = "",
    fields: Mapping[str, str] | None = None,
    refusal: Mapping[str, Any] | None = None,
) -> None:
    """A node without a release: of one that was refused the confidential report stays, and nothing else."""
    folder = work.folder_of(node)
    reported = state == "refused" and (folder / REPORT).is_file()
    if reported:
        for path in folder.iterdir():
            if path.name != REPORT:
                path.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)
    work.history.end(node.id, state, message=message, fields=fields, refusal=refusal, reported=reported)


class Trials(Job):
    """One plan after the other, by one child: each lands in the history as it ends.

    What is refused is a trial too, and the next one follows. Cancelling keeps the trials that have ended;
    after a stop, no other begins.
    """

    def __init__(
        self, workspace: Workspace, work: Work, source: Source, plans: Sequence[Mapping[str, Any]]
    ) -> None:
        self._work, self._source, self._plans = work, source, plans
        self._parent = work.history.chosen
        self._at, self._furthest, self._last = 0, 0.0, False
        super().__init__(workspace, "protect", {}, lambda _job: None, about="trials", anytime=len(plans) > 1)

    async def _ask(self, child: WorkerProcess) -> dict[str, Any]:
        for at, plan in enumerate(self._plans):
            if not self._last:
                self._at = at
                await self._try(child, plan)
        return {}

    async def _try(self, child: WorkerProcess, plan: Mapping[str, Any]) -> None:
        work = self._work
        node = work.history.begin_trial(plan, basis_of(work), self._parent)
        self._publish("trial", {"node": node.id})
        try:
            answer = await child.ask(self.verb, _request_of(work, self._source, node), self._on_event)
            work.history.end(node.id, "verified", answer=answer)
        except Refused as error:
            _come_to_nothing(work, node, "refused", str(error), error.fields, error.refusal)
        except Broken as error:
            _come_to_nothing(work, node, "broken", str(error))
            raise
        except asyncio.CancelledError:
            _come_to_nothing(work, node, "cancelled")
            raise
        self._publish("trial", {"node": node.id})

    def _on_event(self, event: str, message: dict[str, Any]) -> None:
        if event == "progress":
            # stages begin anew in every trial; what is done of all of them only grows
            count = len(self._plans)
            self._furthest = max(self._furthest, (self._at + message["share"]) / count)
            stage = self._workspace.stage(message["stage"])
            message |= {"share": round(self._furthest, 4), "stage": f"{self._at + 1} / {count} · {stage}"}
        super()._on_event(event, message)

    def enough(self) -> None:
        """Let the running trial be the last."""
        self._last = True
        super().enough()
