"""All files of a run appear, or none does. Nothing is overwritten unasked; what is confidential stays so.

While a file is being written it lies beside its target under a name of ours, readable by its owner alone. A
process that is killed leaves such a file; the next one that writes into that folder takes it away.
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

_PREFIX = ".tacita-"
_OWNER_ONLY = 0o600

# What was written in this context so far: whoever is interrupted later must not say that nothing was.
WRITTEN: ContextVar[tuple[Path, ...]] = ContextVar("written", default=())


def refuse_bad_targets(
    outputs: Mapping[str, Path | None], inputs: Mapping[str, Path | None], *, force: bool = False
) -> None:
    """Raise before any work where an output cannot be written, is an input or another output, or is there.

    With `force`, files that are there may be overwritten; inputs never. Of an input that is a folder every
    file is one, and so would be whatever is written into it.
    """
    taken = {_identity(path): what for what, path in inputs.items() if path is not None}
    folders = {_identity(path): what for what, path in inputs.items() if path and path.is_dir()}
    wanted = {what: path for what, path in outputs.items() if path is not None}
    for what, path in wanted.items():
        if (other := taken.get(_identity(path))) is not None:
            raise ParameterError(f"{path.name}: {what} and {other} are the same file. Choose another path.")
        taken[_identity(path)] = what
        for folder in Path(os.path.realpath(path)).parents:
            if (other := folders.get(_identity(folder))) is not None:
                raise ParameterError(
                    f"{path.name}: the {what} would lie in the folder that is the {other}, and be read as a "
                    "part of it. Choose a path outside of it."
                )
    for what, path in wanted.items():
        _refuse_bad_target(what, path)
        if os.path.exists(path) and not force:
            raise _already_there(path, f" for the {what}")


def made_folder(folder: str | Path) -> Path:
    """The folder, made where it is not there."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ParameterError(f"{place.name}: this folder cannot be made ({problem.strerror}).") from None
    return place


def _already_there(path: Path, what: str = "") -> ParameterError:
    return ParameterError(
        f"{path.name}: there is such a file already. Choose another path{what}, or overwrite it with --force "
        "(in Python, force=True)."
    )


def _refuse_bad_target(what: str, path: Path) -> None:
    if os.path.isdir(path):
        raise ParameterError(f"{path.name}: wanted a new path for the {what}, got a folder.")
    if os.path.islink(path) and not os.path.exists(path):
        raise ParameterError(
            f"{path.name}: is a link that leads nowhere. Name the file for the {what} itself."
        )
    if os.path.exists(path) and not os.path.isfile(path):
        raise ParameterError(f"{path.name}: wanted a plain file for the {what}, got a device or pipe.")
    folder = _real(path).parent
    if not os.path.isdir(folder):
        raise ParameterError(f"{path.name}: its folder does not exist. Create it first.")
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise ParameterError(f"{path.name}: the {what} cannot be written there (no permission).")


def _real(path: Path) -> Path:
    """The file behind a link: that one is written, and the link stays."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path.absolute()


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


@dataclass(frozen=True)
class _Ready:
    """A file that is complete under another name, and what stood at its place before."""

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
    for folder in {_real(path).parent for path in files}:
        _sweep(folder)
    path = Path()
    try:
        ready = []
        for path, content in files.items():
            if os.path.exists(path) and not force:
                raise _already_there(path)
            ready.append(_prepared(_real(path), content, path in public, hidden))
        with _signals_wait():
            _place(ready)
            WRITTEN.set((*WRITTEN.get(), *files))
            _remove(hidden)
    except OSError as problem:
        raise _cannot(path, problem) from None
    finally:
        _remove(hidden)


def _cannot(path: Path, problem: OSError) -> ParameterError:
    return ParameterError(f"{path.name}: cannot be written ({problem.strerror}). Nothing was written.")


def _prepared(target: Path, content: bytes | Path, public: bool, hidden: list[Path]) -> _Ready:
    complete = _beside(target, hidden)
    if isinstance(content, Path) and content.is_dir():
        complete.unlink()
        os.replace(content, complete)
        for path in complete.iterdir():
            _flushed(path)
            path.chmod(0o666 & ~_mask() if public else _OWNER_ONLY)
        complete.chmod(0o777 & ~_mask() if public else 0o700)
        return _Ready(target, complete, None, 0)
    if isinstance(content, Path):
        os.replace(content, complete)
        complete.chmod(_OWNER_ONLY)
    _flushed(complete, content if isinstance(content, bytes) else b"")
    if public:
        complete.chmod(_public_mode(target))
    if not target.exists():
        return _Ready(target, complete, None, 0)
    mode = target.stat().st_mode & 0o777
    earlier = _beside(target, hidden)
    shutil.copy2(target, earlier)
    earlier.chmod(_OWNER_ONLY)
    return _Ready(target, complete, earlier, mode)


def _flushed(path: Path, content: bytes = b"") -> None:
    with path.open("ab") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _place(ready: list[_Ready]) -> None:
    for place, each in enumerate(ready):
        try:
            os.replace(each.complete, each.target)
        except OSError as problem:
            for earlier in ready[:place]:
                _put_back(earlier)
            raise _cannot(each.target, problem) from None


def _put_back(placed: _Ready) -> None:
    if placed.earlier is None:
        _taken_away(placed.target)
    else:
        os.replace(placed.earlier, placed.target)
        placed.target.chmod(placed.earlier_mode)


def _beside(target: Path, hidden: list[Path]) -> Path:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f"{_PREFIX}{_machine()}-{os.getpid()}-")
    os.close(handle)
    hidden.append(Path(name))
    return hidden[-1]


def _remove(hidden: list[Path]) -> None:
    for leftover in hidden:
        _taken_away(leftover)


def _taken_away(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _public_mode(path: Path) -> int:
    if path.exists():
        return path.stat().st_mode & 0o777
    return 0o666 & ~_mask()


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Hold back Ctrl-C and the request to end; they are heard when all names are changed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    usual = {number: handler for number, handler in usual.items() if handler is not None}
    for number in usual:
        signal.signal(number, lambda caught, _: heard.append(caught))
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    for caught in heard:
        signal.raise_signal(caught)


def _sweep(folder: Path) -> None:
    """Remove what processes of this machine that are no more have left in a folder."""
    with suppress(OSError):
        for leftover in folder.glob(f"{_PREFIX}{_machine()}-*"):
            process = leftover.name.removeprefix(f"{_PREFIX}{_machine()}-").partition("-")[0]
            if process.isdigit() and not _lives(int(process)):
                with suppress(OSError):
                    _taken_away(leftover)


def _machine() -> str:
    """This machine, or this part of it with process numbers of its own."""
    try:
        numbers = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        numbers = 0
    return hashlib.sha256(f"{platform.node()} {numbers}".encode()).hexdigest()[:8]


def _lives(process: int) -> bool:
    if os.name != "posix":
        # asking would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
