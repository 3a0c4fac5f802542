"""Plans that are carried out: each is a node of the history, its files a folder that is there or not."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from .basis import basis_of
from .children import Broken, Child, Refused
from .history import Node, State
from .jobs import Job
from .workspaces import Work, Workspace


def begin(work: Work, plan: Mapping[str, Any]) -> tuple[Node, dict[str, Any]]:
    """A node that runs, and the question to a child that carries its plan out."""
    node = work.history.begin(plan, basis_of(work))
    return node, _asked(work, node)


def _asked(work: Work, node: Node) -> dict[str, Any]:
    assert work.source is not None
    folder = work.folder_of(node)
    # a project that was opened again may have had a node of that name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return {"source": work.source.asked(), "plan": node.plan, "folder": str(folder)}


def end(
    work: Work,
    node: Node,
    state: State,
    *,
    answer: Mapping[str, Any] | None = None,
    message: str = "",
    fields: Mapping[str, str] | None = None,
) -> None:
    """What came of it. Only what is verified leaves files behind."""
    if state != "verified":
        shutil.rmtree(work.folder_of(node), ignore_errors=True)
    work.history.end(node.id, state, answer=answer, message=message, fields=fields)


def end_as(work: Work, node: Node, job: Job) -> None:
    """The same of a question that has ended."""
    state: State = "verified" if job.state == "done" else job.state
    end(work, node, state, answer=job.answer, message=job.message, fields=job.fields)


class Trials(Job):
    """One plan after the other, by one child: each lands in the history as it ends.

    What is refused is a trial too, and the next one follows. Cancelling keeps the trials that have ended;
    told that it is enough, no other begins.
    """

    def __init__(self, workspace: Workspace, work: Work, plans: Sequence[Mapping[str, Any]]) -> None:
        self._work, self._plans = work, plans
        self._parent = work.history.chosen
        self._at, self._furthest, self._last = 0, 0.0, False
        super().__init__(workspace, "protect", {}, lambda _job: None, about="trials", anytime=len(plans) > 1)

    async def _ask(self, child: Child) -> dict[str, Any]:
        for at, plan in enumerate(self._plans):
            if not self._last:
                self._at = at
                await self._try(child, plan)
        return {}

    async def _try(self, child: Child, plan: Mapping[str, Any]) -> None:
        work = self._work
        node = work.history.begin_trial(plan, basis_of(work), self._parent)
        self._publish("trial", {"node": node.id, "state": "running"})
        try:
            answer = await child.ask(self.verb, _asked(work, node), self._hear)
            end(work, node, "verified", answer=answer)
        except Refused as problem:
            end(work, node, "refused", message=str(problem), fields=problem.fields)
        except Broken as problem:
            end(work, node, "broken", message=str(problem))
            raise
        except asyncio.CancelledError:
            end(work, node, "cancelled")
            raise
        self._publish("trial", {"node": node.id, "state": node.state})

    def _hear(self, event: str, message: dict[str, Any]) -> None:
        if event == "progress":
            # stages begin anew in every trial; what is done of all of them only grows
            count = len(self._plans)
            self._furthest = max(self._furthest, (self._at + message["share"]) / count)
            said = self._workspace.stage(message["stage"])
            message |= {"share": round(self._furthest, 4), "stage": f"{self._at + 1} / {count} · {said}"}
        super()._hear(event, message)

    def enough(self) -> None:
        """Let the trial at work be the last."""
        self._last = True
        super().enough()
