"""One guard before every route: it refuses every browser that is not logged in.

Exact Host against DNS rebinding, a strict cookie, Origin on requests that change something, Sec-Fetch-Site
against other sites, and headers that let the page load nothing but its own files.
"""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "tacita"
ENTRANCE = "/enter"
_READING = ("GET", "HEAD")

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    # with no-referrer Chromium posts forms with an Origin of null
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class RequestGuard:
    """Wraps the whole application: there is no way around it to any route, those of the future included.

    `authority` and `origin` are the address of the server, as browsers write it in Host and in Origin; `find`
    has the workspace of a cookie, or None.
    """

    def __init__(self, app: ASGIApp, *, authority: str, origin: str, find: Callable[[str], object]) -> None:
        self._app, self._find = app, find
        self._authority, self._origin = authority, origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            # web sockets would need a guard of their own, and nothing here uses them
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        refusal = self._refusal(scope)
        await (self._app if refusal is None else refusal)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self._authority]:
            return PlainTextResponse("This is not the address of tacita.\n", 421)
        method, path = scope["method"], scope["path"]
        if method not in _READING and headers.getlist("origin") != [self._origin]:
            return PlainTextResponse("This was not sent by the page of tacita.\n", 403)
        if path == ENTRANCE and method in _READING:
            # a link from a terminal or a file is no request of this site; its token stands for it
            scope.setdefault("state", {})["workspace"] = self._workspace(headers)
            return None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PlainTextResponse("This was not sent by the page of tacita.\n", 403)
        workspace = self._workspace(headers)
        if workspace is None:
            return PlainTextResponse(
                "Nobody is logged in here. Open the address that was shown when tacita started.\n", 403
            )
        scope.setdefault("state", {})["workspace"] = workspace
        return None

    def _workspace(self, headers: Headers) -> object:
        try:
            cookie = SimpleCookie("; ".join(headers.getlist("cookie"))).get(COOKIE)
        except CookieError:
            return None
        return None if cookie is None else self._find(cookie.value)
