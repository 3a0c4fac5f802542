"""A file from the browser, streamed to disk: never whole in memory, under a name of our own."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request

# An ending is all that is kept of a name where a file lies.
_ENDING = re.compile(r"\.[a-z0-9]{1,9}")
_LONGEST_NAME = 120
MOST_BYTES = 4_000_000_000


@dataclass
class Source:
    """A file that was sent: its path here, and the name that its owner knows."""

    path: Path
    shown_as: str
    size: int
    options: dict[str, Any] | None = None
    records: int = 0
    fingerprint: str | None = None
    meta: Path | None = None

    def as_argument(self) -> dict[str, Any]:
        """The source as an argument of the verbs; `meta` are those of a file of tau-ARGUS."""
        argument = {"path": str(self.path), "shown_as": self.shown_as, "options": self.options}
        return argument if self.meta is None else {**argument, "meta": str(self.meta)}


class TooLarge(Exception):
    """More was sent than may be."""


def shown_name(request: Request) -> str:
    """The owner's name of the file: sent in a header, for an address is kept in a history of the browser.

    Folders, and what cannot be shown in a line, are left out of it.
    """
    sent = unquote(request.headers.get("x-file-name", ""), errors="replace")
    plain = PurePosixPath(PureWindowsPath(sent).name).name
    shown = "".join(letter for letter in plain if letter.isprintable())[-_LONGEST_NAME:]
    return shown or "file"


async def receive(request: Request, folder: Path, most: int = MOST_BYTES) -> Source:
    """Write what is sent to a file of the folder, readable by its owner alone."""
    shown = shown_name(request)
    ending = PurePosixPath(shown).suffix.lower()
    kept = ending if _ENDING.fullmatch(ending) else ""
    path, count = folder / f"source-{secrets.token_hex(6)}{kept}", 0
    fingerprint = hashlib.sha256()
    path.touch(mode=0o600)
    try:
        with path.open("wb") as file:
            async for chunk in request.stream():
                count += len(chunk)
                if count > most:
                    raise TooLarge
                file.write(chunk)
                fingerprint.update(chunk)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Source(path=path, shown_as=shown, size=count, fingerprint=fingerprint.hexdigest())
