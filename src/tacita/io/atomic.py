"""Atomic writing: all files of a run appear, or none does.

Nothing is overwritten without permission, and confidential files stay private. A file is first written to a
temporary file in the folder of its target, readable by its owner alone. A killed process leaves such a file;
the next process that writes into that folder removes it.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import signal
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from tacita.core import ParameterError
from tacita.core.spec.setting_syntax import run_option

_PREFIX = ".tacita-"
_OWNER_ONLY = 0o600

# Files written in this context so far: a later interruption must not report that nothing was written.
WRITTEN: ContextVar[tuple[Path, ...]] = ContextVar("written", default=())


def refuse_bad_targets(
    outputs: Mapping[str, Path | None], inputs: Mapping[str, Path | None], *, force: bool = False
) -> None:
    """Raise before any work where an output cannot be written, exists, or is an input or another output.

    With `force`, existing files may be overwritten; inputs never. Every file in an input folder is an input,
    and so would be any file written into it.
    """
    used = {_identity(path): role for role, path in inputs.items() if path is not None}
    folders = {_identity(path): role for role, path in inputs.items() if path and path.is_dir()}
    wanted = {role: path for role, path in outputs.items() if path is not None}
    for role, path in wanted.items():
        if (other := used.get(_identity(path))) is not None:
            raise ParameterError(f"{path.name}: {role} and {other} are the same file. Choose another path.")
        used[_identity(path)] = role
        for folder in Path(os.path.realpath(path)).parents:
            if (other := folders.get(_identity(folder))) is not None:
                raise ParameterError(
                    f"{path.name}: the {role} would lie in the folder that is the {other}, and be read as a "
                    "part of it. Choose a path outside of it."
                )
    for role, path in wanted.items():
        _check_target(role, path)
        if os.path.exists(path) and not force:
            raise _file_exists_error(path, f" for the {role}")


def made_folder(folder: str | Path) -> Path:
    """The folder, created if it does not exist."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(f"{path.name}: this folder cannot be created ({error.strerror}).") from None
    return path


def _file_exists_error(path: Path, role: str = "") -> ParameterError:
    return ParameterError(
        f"{path.name}: this file exists already. Choose another path{role}, or overwrite it "
        f"({run_option('force')})."
    )


def _check_target(role: str, path: Path) -> None:
    if os.path.isdir(path):
        raise ParameterError(f"{path.name}: wanted a new path for the {role}, got a folder.")
    if os.path.islink(path) and not os.path.exists(path):
        raise ParameterError(f"{path.name}: is a broken link. Name the file for the {role} itself.")
    if os.path.exists(path) and not os.path.isfile(path):
        raise ParameterError(f"{path.name}: wanted a plain file for the {role}, got a device or pipe.")
    folder = _resolve_link(path).parent
    if not os.path.isdir(folder):
        raise ParameterError(f"{path.name}: its folder does not exist. Create it first.")
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise ParameterError(f"{path.name}: the {role} cannot be written there (no permission).")


def _resolve_link(path: Path) -> Path:
    """The target of a link: the target is written, and the link stays."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path.absolute()


def _identity(path: Path) -> object:
    # hard links and links through folders are the same file under another name
    try:
        stat = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return os.path.normcase(os.path.realpath(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ParameterError(f"{path.name}: this path cannot be used ({reason}).") from None
    return stat.st_dev, stat.st_ino


@dataclass(frozen=True)
class _PreparedFile:
    """A file that is complete under a temporary name, and a copy of the file that it replaces."""

    target: Path
    complete: Path
    earlier: Path | None
    earlier_mode: int


def write_all(
    files: Mapping[Path, bytes | Path], *, public: Collection[Path | None] = (), force: bool = False
) -> None:
    """Write all files or none.

    Every file is written next to its target first, then all are renamed; if anything fails, all is as it was
    before. Signals wait while names change.

    Parameters
    ----------
    files : mapping from Path to bytes or Path
        Content by target. A path in place of content is moved to the target; it must be on the same disk.
    public : collection of Path
        Targets that others may read; only their owner can read all other files.
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    ParameterError
        If a file exists, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_all({Path(folder, "a.txt"): b"a", Path(folder, "b.txt"): b"b"})
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['a.txt', 'b.txt']
    """
    hidden: list[Path] = []
    for folder in {_resolve_link(path).parent for path in files}:
        _remove_leftovers(folder)
    path = Path()
    try:
        ready = []
        for path, content in files.items():
            if os.path.exists(path) and not force:
                raise _file_exists_error(path)
            ready.append(_prepare(_resolve_link(path), content, path in public, hidden))
        with _deferred_signals():
            _replace_all(ready)
            WRITTEN.set((*WRITTEN.get(), *files))
            _remove(hidden)
    except OSError as error:
        raise _write_error(path, error) from None
    finally:
        _remove(hidden)


def _write_error(path: Path, problem: OSError) -> ParameterError:
    return ParameterError(f"{path.name}: cannot be written ({problem.strerror}). Nothing was written.")


def _prepare(target: Path, content: bytes | Path, public: bool, hidden: list[Path]) -> _PreparedFile:
    complete = _new_temporary_file(target, hidden)
    if isinstance(content, Path) and content.is_dir():
        complete.unlink()
        os.replace(content, complete)
        for path in complete.iterdir():
            _append_and_sync(path)
            path.chmod(0o666 & ~_umask() if public else _OWNER_ONLY)
        complete.chmod(0o777 & ~_umask() if public else 0o700)
        return _PreparedFile(target, complete, None, 0)
    if isinstance(content, Path):
        os.replace(content, complete)
        complete.chmod(_OWNER_ONLY)
    _append_and_sync(complete, content if isinstance(content, bytes) else b"")
    if public:
        complete.chmod(_public_mode(target))
    if not target.exists():
        return _PreparedFile(target, complete, None, 0)
    mode = target.stat().st_mode & 0o777
    earlier = _new_temporary_file(target, hidden)
    shutil.copy2(target, earlier)
    earlier.chmod(_OWNER_ONLY)
    return _PreparedFile(target, complete, earlier, mode)


def _append_and_sync(path: Path, content: bytes = b"") -> None:
    with path.open("ab") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _replace_all(ready: list[_PreparedFile]) -> None:
    for index, file in enumerate(ready):
        try:
            os.replace(file.complete, file.target)
        except OSError as error:
            for earlier in ready[:index]:
                _restore(earlier)
            raise _write_error(file.target, error) from None


def _restore(placed: _PreparedFile) -> None:
    if placed.earlier is None:
        _delete(placed.target)
    else:
        os.replace(placed.earlier, placed.target)
        placed.target.chmod(placed.earlier_mode)


def _new_temporary_file(target: Path, hidden: list[Path]) -> Path:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f"{_PREFIX}{_machine()}-{os.getpid()}-")
    os.close(handle)
    hidden.append(Path(name))
    return hidden[-1]


def _remove(hidden: list[Path]) -> None:
    for leftover in hidden:
        _delete(leftover)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _public_mode(path: Path) -> int:
    if path.exists():
        return path.stat().st_mode & 0o777
    return 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def _deferred_signals() -> Iterator[None]:
    """Defer Ctrl-C and the termination signal until all files are renamed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught_signals: list[int] = []
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    usual = {number: handler for number, handler in usual.items() if handler is not None}
    for number in usual:
        signal.signal(number, lambda caught, _: caught_signals.append(caught))
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    for caught in caught_signals:
        signal.raise_signal(caught)


def _remove_leftovers(folder: Path) -> None:
    """Remove temporary files that ended processes of this machine left in a folder."""
    with suppress(OSError):
        for leftover in folder.glob(f"{_PREFIX}{_machine()}-*"):
            process = leftover.name.removeprefix(f"{_PREFIX}{_machine()}-").partition("-")[0]
            if process.isdigit() and not _is_running(int(process)):
                with suppress(OSError):
                    _delete(leftover)


def _machine() -> str:
    """Identifier of this machine, or of its container with process numbers of its own."""
    try:
        numbers = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        numbers = 0
    return hashlib.sha256(f"{platform.node()} {numbers}".encode()).hexdigest()[:8]


def _is_running(process: int) -> bool:
    if os.name != "posix":
        # elsewhere signal 0 would end the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
