"""All files of a release appear, or none does."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tacita.core import ParameterError


def refuse_bad_targets(outputs: Mapping[str, Path | None], inputs: Mapping[str, Path | None]) -> None:
    """Raise before any work where an output would overwrite an input or another output, or has no folder."""
    taken = {_identity(path): what for what, path in inputs.items() if path is not None}
    for what, path in outputs.items():
        if path is None:
            continue
        if (other := taken.get(_identity(path))) is not None:
            raise ParameterError(f"{path.name}: {what} and {other} are the same file. Choose another path.")
        taken[_identity(path)] = what
        if path.is_dir():
            raise ParameterError(f"{path.name}: wanted a file for the {what}, got a folder.")
        if not path.absolute().parent.is_dir():
            raise ParameterError(f"{path.name}: its folder does not exist. Create it first.")
        if not os.access(path.absolute().parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
            raise ParameterError(f"{path.name}: the {what} cannot be written there (no permission).")


def _identity(path: Path) -> object:
    # hard links and links through folders are the same file under another name
    with suppress(OSError):
        stat = path.stat()
        return stat.st_dev, stat.st_ino
    return os.path.normcase(path.resolve())


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write every file beside its target first, then rename all; whatever fails, no half file is left."""
    waiting: dict[Path, Path] = {}
    try:
        for path, content in files.items():
            handle, temporary = tempfile.mkstemp(dir=path.absolute().parent, prefix=".tacita-")
            waiting[path] = Path(temporary)
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, _mode_of(path))
        for path, complete in waiting.items():
            os.replace(complete, path)
    except OSError as problem:
        raise ParameterError(
            f"{path.name}: cannot be written ({problem.strerror}). Nothing was written."
        ) from None
    finally:
        for leftover in waiting.values():
            leftover.unlink(missing_ok=True)


def _mode_of(path: Path) -> int:
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
