"""Style sheet and scripts: files of the package by a list that was made at the start."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

ASSETS = {
    file.name: (file.read_bytes(), _TYPES[file.name[file.name.rindex(".") :]])
    for file in (files("tacita.app") / "static").iterdir()
    if file.name.endswith(tuple(_TYPES))
}


async def asset(request: Request) -> Response:
    """One of them."""
    content = ASSETS.get(request.path_params["name"])
    if content is None:
        return PlainTextResponse("There is no such file.\n", 404)
    return Response(content[0], media_type=content[1])


ROUTES = [Route("/static/{name}", asset)]
