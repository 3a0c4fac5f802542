"""From a token to a cookie: who has the token may enter, and each browser gets a workspace of its own."""

from __future__ import annotations

import secrets
from html import escape
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from .request_guard import COOKIE, ENTRANCE

_BYTES = 32


class Login:
    """The token that is printed, and one that works once and opens the first browser."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(_BYTES)
        self._once = {secrets.token_urlsafe(_BYTES)}

    def admits(self, token: str) -> bool:
        """Whether a token is valid; one that works once is not valid again."""
        encoded = token.encode()
        once = {known for known in self._once if secrets.compare_digest(known.encode(), encoded)}
        self._once -= once
        return bool(once) or secrets.compare_digest(self.token.encode(), encoded)

    def write_opener(self, folder: Path, origin: str) -> Path:
        """A page, for its owner alone, that leads a browser in: its address is in no list of processes."""
        path = folder / "open.html"
        path.touch(mode=0o600)
        for token in self._once:
            path.write_text(_leading_to(f"{origin}{ENTRANCE}?token={token}"), "utf-8")
        return path


def _leading_to(address: str) -> str:
    place = escape(address, quote=True)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>tacita</title>'
        '<link rel="icon" href="data:,">'
        f'<meta http-equiv="refresh" content="0; url={place}"></head>'
        f'<body><p><a href="{place}">tacita</a></p></body></html>\n'
    )


async def enter(request: Request) -> Response:
    """Let a browser in: 200 with a refresh, a strict cookie does not survive a redirect from elsewhere."""
    site = request.app.state.site
    if not site.login.admits(request.query_params.get("token", "")):
        return PlainTextResponse(
            "This address is no longer valid. Open the one that was shown when tacita started.\n", 403
        )
    response = HTMLResponse(_leading_to(f"{site.origin}/"))
    if request.state.workspace is None:
        language = site.texts.preferred(request.headers.get("accept-language", ""))
        cookie, workspace = site.workspaces.open(language)
        workspace.tour = not site.knows_tour()
        response.set_cookie(COOKIE, cookie, httponly=True, samesite="strict", path="/")
        site.welcome(workspace)
    return response


ROUTES = [Route(ENTRANCE, enter)]
