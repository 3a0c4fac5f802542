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
from tacita.core.spec.size_limits import MOST_BYTES, check_size


def content_of(path: Path) -> bytes:
    """Read the bytes of a plain file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    bytes
        Its content.

    Raises
    ------
    ParameterError
        If it is no plain file, or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.txt").write_bytes(b"a")
    ...     content_of(Path(folder, "a.txt"))
    b'a'
    """
    with opened(path) as file:
        return file.read()


def toml_of(path: Path) -> dict[str, Any]:
    """Read the values of a TOML file: a plan, or requirements.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    dict
        Its values.

    Raises
    ------
    ParameterError
        If it cannot be read, is no TOML, or is too large for a plan.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "office.toml").write_text("k_anonymity = 3")
    ...     toml_of(Path(folder, "office.toml"))
    {'k_anonymity': 3}
    """
    with opened(path) as file:
        content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            check_size(max(path.stat().st_size, len(content)), path.name)
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
    """Compute the SHA-256 by which a record identifies a file.

    Parameters
    ----------
    content : bytes
        Content of the file.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> fingerprint_of(b"")[:12]
    'e3b0c44298fc'
    """
    return hashlib.sha256(content).hexdigest()
