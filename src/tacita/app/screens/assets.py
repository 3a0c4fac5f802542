"""Style sheet and scripts: files of the package by a list that was made at the start."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

ASSETS = {
    each.name: (each.read_bytes(), _TYPES[each.name[each.name.rindex(".") :]])
    for each in (files("tacita.app") / "static").iterdir()
    if each.name.endswith(tuple(_TYPES))
}


async def asset(request: Request) -> Response:
    """One of them."""
    found = ASSETS.get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("There is no such file.\n", 404)
    return Response(found[0], media_type=found[1])


ROUTES = [Route("/static/{name}", asset)]
