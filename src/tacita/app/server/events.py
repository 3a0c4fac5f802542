"""The one stream of a page: server-sent events, which resume where a connection was lost."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

# Events that are kept for pages that lost the connection, and seconds between signs of life.
_KEPT = 500
_SIGN = 15


class Bus:
    """Events of one browser, sent to all of its pages."""

    def __init__(self) -> None:
        self._number = 0
        self._kept: deque[tuple[int, str]] = deque(maxlen=_KEPT)
        self._listening: set[asyncio.Queue[str | None]] = set()
        self.closed = False

    @property
    def listeners(self) -> int:
        """How many pages are open."""
        return len(self._listening)

    @property
    def last(self) -> int:
        """The number of the last event: a page that is drawn now knows all up to it."""
        return self._number

    def publish(self, event: str, message: dict[str, Any]) -> None:
        """Send an event to every page."""
        self._number += 1
        text = f"id: {self._number}\nevent: {event}\ndata: {json.dumps(message)}\n\n"
        self._kept.append((self._number, text))
        for queue in self._listening:
            queue.put_nowait(text)

    def close(self) -> None:
        """End every stream."""
        self.closed = True
        for queue in self._listening:
            queue.put_nowait(None)

    async def stream(self, after: int, request: Request) -> AsyncIterator[str]:
        """All events after one, as they come, until the page or the server leaves."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        missed = [text for number, text in self._kept if number > after]
        self._listening.add(queue)
        try:
            yield "retry: 1000\n\n" + "".join(missed)
            silent = 0
            while not self.closed:
                try:
                    async with asyncio.timeout(1):
                        text = await queue.get()
                except TimeoutError:
                    if await request.is_disconnected():
                        return
                    silent += 1
                    if silent % _SIGN == 0:
                        yield ": still here\n\n"
                    continue
                if text is None:
                    return
                yield text
        finally:
            self._listening.discard(queue)


async def events(request: Request) -> Response:
    """Events of the browser that asks, after the last one that its page knows."""
    bus: Bus = request.state.workspace.bus
    last_known = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    after = int(last_known) if last_known.isdecimal() and len(last_known) < 12 else 0
    return StreamingResponse(bus.stream(after, request), media_type="text/event-stream")


ROUTES = [Route("/events", events)]
