"""The pseudonym key file: 32 bytes as hexadecimal digits, readable by its owner alone."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from tacita.core import ParameterError

from .atomic import write_all

_BYTES = 32
_DIGITS = re.compile(rb"[0-9A-Fa-f]{64}")
# A key and its line end.
_LONGEST = 2 * _BYTES + 2


def new_pseudonym_key(path: str | Path) -> Path:
    """Write the file of a new key for pseudonyms, drawn by the operating system; never over a file.

    Only its owner can read the file. Anyone who has the key can find the persons behind pseudonyms. Without
    it no other release can have the same pseudonyms.

    Parameters
    ----------
    path : path
        The file to write.

    Returns
    -------
    Path
        The file, for `pseudonym_key` of `protect`.

    Raises
    ------
    ParameterError
        If the file exists, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_key(new_pseudonym_key(Path(folder) / "office.key")) != b""
    True
    """
    file = Path(path)
    write_all({file: f"{secrets.token_hex(_BYTES)}\n".encode()})
    return file


def read_key(path: Path) -> bytes:
    """The key in a file that only its owner can read."""
    if path.exists() and not path.is_file():
        # reading a pipe would block
        raise ParameterError(
            f"{path.name}: wanted a file with a pseudonym key, got a folder, pipe or device.",
            field="pseudonym_key",
        )
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(_LONGEST + 1).rstrip(b"\r\n")
    except OSError as error:
        raise ParameterError(
            f"{path.name}: the pseudonym key cannot be read ({error.strerror}). Name its file, or "
            "write one with `tacita pseudonym-key FILE`.",
            field="pseudonym_key",
        ) from None
    if os.name == "posix" and mode & 0o077:
        raise ParameterError(
            f"{path.name}: others than its owner can read or change this pseudonym key. Remove these "
            "permissions (chmod 600), or use a new key if somebody may have read it.",
            field="pseudonym_key",
        )
    if _DIGITS.fullmatch(content) is None:
        raise ParameterError(
            f"{path.name}: wanted a pseudonym key, {2 * _BYTES} hexadecimal digits on one line, got "
            "something else. Write one with `tacita pseudonym-key FILE`.",
            field="pseudonym_key",
        )
    return bytes.fromhex(content.decode())
