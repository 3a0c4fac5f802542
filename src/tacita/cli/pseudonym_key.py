"""The command that writes the key of pseudonyms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def pseudonym_key(
    file: Annotated[
        Path, Parameter(help="where to write the key; a file that is there is never overwritten")
    ],
    /,
) -> None:
    """Write the file of a new key for pseudonyms, drawn by the operating system, for its owner's eyes only.

    Example: tacita pseudonym-key office.key
    """
    from tacita.io.secret import new_pseudonym_key

    new_pseudonym_key(file)
    print(f"{file}: a new key. Keep it secret, and apart from what you release.")
