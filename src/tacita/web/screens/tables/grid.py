"""The grid of a table on any of its screens: asked of a child when it is drawn, and not kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request

from tacita.web.cells import grid
from tacita.web.jobs import Job

_PATIENCE = 30


async def asked(request: Request, verb: str, given: dict[str, Any]) -> dict[str, Any]:
    """What a child says at once; nothing where it cannot."""
    job = Job(request.state.workspace, verb, given, lambda _job: None, quiet=True)
    await job.settled(_PATIENCE)
    return job.answer


async def drawn_grid(request: Request, folder: Path, *, published: bool = False) -> dict[str, Any] | None:
    """One panel, as the address asks for: panel, row, column; None where there is no table."""
    places = {name: _whole(request.query_params.get(name)) for name in ("panel", "row", "column")}
    found = await asked(request, "cells", {"folder": str(folder), "published": published, **places})
    if not found:
        return None
    workspace = request.state.workspace
    return grid(found, workspace.say, comma=workspace.comma)


def _whole(text: str | None) -> int:
    return int(text) if text is not None and text.isdecimal() and len(text) < 9 else 0
