"""The bytes of a file, and their fingerprint."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tacita.core import ParameterError
from tacita.core.spec.plan_document import parsed, text_of
from tacita.core.spec.size_limits import MOST_BYTES, refuse_size


def content_of(path: Path) -> bytes:
    """The bytes of a plain file."""
    with opened(path) as file:
        return file.read()


def toml_of(path: Path) -> dict[str, Any]:
    """The values of a TOML file: a plan or requirements. A file too large for either is refused unread."""
    with opened(path) as file:
        content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            refuse_size(max(path.stat().st_size, len(content)), path.name)
    return parsed(text_of(content, path.name))


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a plain file for reading; pipes and devices, which may block, are refused."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise ParameterError(f"{path.name}: wanted a file, got a folder.")
        if not stat.S_ISREG(mode):
            raise ParameterError(f"{path.name}: wanted a plain file, got a device or pipe. Save it first.")
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise ParameterError(
            f"{path.name}: cannot be read (there is no such file). Check the path."
        ) from None
    except ParameterError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ParameterError(f"{path.name}: cannot be read ({reason}).") from None


def fingerprint_of(content: bytes) -> str:
    """The SHA-256 that identifies a file in a release record.

    >>> fingerprint_of(b"")[:12]
    'e3b0c44298fc'
    """
    return hashlib.sha256(content).hexdigest()
