"""The command `pseudonym-key`: write a pseudonym key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def pseudonym_key(
    file: Annotated[Path, Parameter(help="where to write the key; an existing file is never overwritten")],
    /,
) -> None:
    """Write a new pseudonym key, drawn by the operating system and readable by its owner alone.

    Example: tacita pseudonym-key office.key
    """
    from tacita.io.secret import new_pseudonym_key

    new_pseudonym_key(file)
    print(f"{file}: a new key. Keep it secret, and apart from released files.")
