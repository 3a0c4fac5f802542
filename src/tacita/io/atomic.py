"""All files of a release appear, or none does."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
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
        folder = path.absolute().parent
        if os.path.isdir(path):
            raise ParameterError(f"{path.name}: wanted a file for the {what}, got a folder.")
        if not os.path.isdir(folder):
            raise ParameterError(f"{path.name}: its folder does not exist. Create it first.")
        if os.path.exists(path) and not os.path.isfile(path):
            raise ParameterError(f"{path.name}: wanted a plain file for the {what}, got a device or pipe.")
        if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
            raise ParameterError(f"{path.name}: the {what} cannot be written there (no permission).")


def _identity(path: Path) -> object:
    # hard links and links through folders are the same file under another name
    try:
        stat = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return os.path.normcase(os.path.realpath(path))
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise ParameterError(f"{path.name}: this path cannot be used ({reason}).") from None
    return stat.st_dev, stat.st_ino


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write every file beside its target first, then rename all; whatever fails, all is as it was before."""
    hidden: list[Path] = []
    placed: list[tuple[Path, Path | None]] = []
    path = Path()

    def beside(target: Path) -> Path:
        handle, name = tempfile.mkstemp(dir=target.absolute().parent, prefix=".tacita-")
        os.close(handle)
        hidden.append(Path(name))
        return hidden[-1]

    try:
        ready = []
        for path, content in files.items():
            complete = _filled(beside(path), content, _mode_of(path))
            earlier = Path(shutil.copy2(path, beside(path))) if path.exists() else None
            ready.append((path, complete, earlier))
        for path, complete, earlier in ready:
            os.replace(complete, path)
            placed.append((path, earlier))
    except BaseException as problem:
        for target, before in placed:
            if before is None:
                target.unlink()
            else:
                os.replace(before, target)
        if not isinstance(problem, OSError):
            raise
        raise ParameterError(
            f"{path.name}: cannot be written ({problem.strerror}). Nothing was written."
        ) from None
    finally:
        for leftover in hidden:
            leftover.unlink(missing_ok=True)


def _filled(path: Path, content: bytes, mode: int) -> Path:
    with path.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    path.chmod(mode)
    return path


def _mode_of(path: Path) -> int:
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
