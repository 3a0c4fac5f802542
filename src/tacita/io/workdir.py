"""The working folder of an unfinished run: readable by its owner alone, and removed at the end of the run.

It holds records of the source. Incomplete files have temporary names. A killed run leaves the folder, and the
next run of the same plan on the same file continues there. It reuses only files whose names and SHA-256 are
in a seal file. All files are Arrow, JSON or Parquet; none is code.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import DataError, ParameterError

from .packing import Damaged, array_of, packed, table_of, unpacked
from .parquet_dataset import in_one_piece, taken

_BYTES_AT_ONCE = 2**22


@dataclass(frozen=True)
class Scratch:
    """Tables, arrays and values by name; the names of a group begin with its name and a dot."""

    folder: Path

    @classmethod
    def beside(cls, target: Path, mark: str) -> Scratch:
        """The working folder of a run that writes a file; `mark` separates plans and sources."""
        folder = target.absolute().parent / f".tacita-parts-{mark}"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            status = folder.lstat()
        except OSError as error:
            raise ParameterError(
                f"{target.name}: no folder for parts can be created next to it ({error.strerror})."
            ) from None
        is_ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
        if not is_ours or status.st_mode & 0o077 or not folder.is_dir() or folder.is_symlink():
            raise ParameterError(
                f"{folder.name}: this folder next to the output can be written by others. Remove it and "
                "start again."
            )
        return cls(folder)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock of the folder: two runs of one plan would remove each other's files."""
        with ExitStack() as held:
            try:
                stream = held.enter_context((self.folder / "lock").open("wb"))
                import fcntl

                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:
                pass
            except OSError:
                raise ParameterError(
                    "Executor: another run of the same plan on the same file is in progress. Wait for it."
                ) from None
            yield

    def path(self, name: str) -> Path:
        """The path of an entry."""
        return self.folder / name

    def place(self, name: str, write: Callable[[Path], Any]) -> None:
        """Write an entry, which gets its name once it is complete."""
        temporary = self.folder / f"~{name}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        try:
            write(temporary)
            if (self.folder / name).is_dir():
                # a rename cannot replace a folder
                _remove(self.folder / name)
            os.replace(temporary, self.folder / name)
        except OSError as error:
            # a library's message could quote what was written
            reason = os.strerror(error.errno) if error.errno else "the disk refused"
            raise ParameterError(
                f"Executor: parts cannot be stored next to the output ({reason}). Nothing was written. "
                "Choose an output on a disk with free space for three times the file."
            ) from None

    def seal(self, group: str, names: Sequence[str]) -> None:
        """Mark a group as complete with the checksums of its files: a later run reuses these and no others.

        O(bytes) to read them.
        """
        checksums = {name: _checksum(self.folder / f"{group}.{name}") for name in names}
        self.place(
            f"{group}.seal", lambda path: path.write_bytes(packed((self.folder.name, group, checksums)))
        )

    def sound(self, group: str, damaged: list[str] | None = None) -> bool:
        """Whether a group is complete and its files match their checksums; otherwise they are removed.

        A group that differs from its seal is added to `damaged`. One without a seal was never complete, and
        is written again.
        """
        seal = self.folder / f"{group}.seal"
        if not os.path.lexists(seal):
            return False
        if self._as_sealed(group, seal):
            return True
        self.discard(group)
        if damaged is not None:
            damaged.append(group)
        return False

    def _as_sealed(self, group: str, seal: Path) -> bool:
        try:
            folder, name, files = unpacked(_plain(seal).read_bytes())
            return (folder, name) == (self.folder.name, group) and all(
                _checksum(self.folder / f"{group}.{file}") == known for file, known in files.items()
            )
        except (OSError, ValueError, TypeError, AttributeError):
            return False

    def put_table(self, name: str, table: pa.Table) -> None:
        """Store a table."""

        def write(path: Path) -> None:
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)

        self.place(name, write)

    def table(self, name: str) -> pa.Table:
        """A table, memory-mapped: only the accessed parts are read."""
        with _readable(name):
            return pa.ipc.open_file(pa.memory_map(str(self.folder / name))).read_all()

    def put_array(self, name: str, values: np.ndarray) -> None:
        """Store an array of numbers."""
        self.put_table(name, table_of(values))

    def array(self, name: str) -> np.ndarray:
        """An array, memory-mapped: only the accessed parts are read."""
        with _readable(name):
            return array_of(self.table(name))

    def deal(self, number: int, table: pa.Table, first: int, parts: np.ndarray, of: int) -> None:
        """Store a span of records, sorted by the part of each, with their row numbers from `first` on.

        There are `of` parts. O(n log n).
        """
        order = np.argsort(parts, kind="stable")
        self.put_table(f"span-{number}.records", taken(table, order))
        self.put_array(f"span-{number}.rows", first + order)
        self.put_array(f"span-{number}.ends", np.cumsum(np.bincount(parts, minlength=of)))
        self.seal(f"span-{number}", ("records", "rows", "ends"))

    def dealt(self, spans: int, part: int) -> tuple[pa.Table, np.ndarray]:
        """The records of a part from all spans, in the order of the source, and their row numbers."""
        tables, rows = [], []
        for number in range(spans):
            ends = self.array(f"span-{number}.ends")
            begin, end = int(ends[part - 1]) if part else 0, int(ends[part])
            tables.append(self.table(f"span-{number}.records").slice(begin, end - begin))
            rows.append(np.asarray(self.array(f"span-{number}.rows")[begin:end]))
        return in_one_piece(pa.concat_tables(tables)), np.concatenate(rows)

    def put(self, name: str, value: Any) -> None:
        """Store small data: plain values, arrays, tables, and objects that hold them."""
        try:
            content = packed(value)
        except TypeError as error:
            raise ParameterError(
                f"Executor: {error} cannot be stored on disk between parts, as JSON or Arrow. Nothing was "
                "written. Leave out the executor, or the plug-in that it belongs to."
            ) from None
        self.place(name, lambda path: path.write_bytes(content))

    def get(self, name: str, kinds: Sequence[type] = ()) -> Any:
        """A stored value; its objects are of these classes."""
        with _readable(name):
            return unpacked(_plain(self.folder / name).read_bytes(), kinds)

    def discard(self, group: str) -> None:
        """Remove a group."""
        self.drop(f"{group}.")

    def drop(self, beginning: str) -> None:
        """Remove all entries whose name begins so, seals first: a group without a seal is incomplete."""
        paths = [path for path in self.folder.iterdir() if path.name.startswith(beginning)]
        for path in sorted(paths, key=lambda path: path.suffix != ".seal"):
            _remove(path)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _checksum(path: Path) -> str:
    """SHA-256 of a plain file; of a folder, of the names and sums of its files."""
    digest = hashlib.sha256()
    if path.is_dir() and not path.is_symlink():
        for inner in sorted(path.iterdir()):
            digest.update(f"{inner.name}\n{_checksum(inner)}\n".encode())
        return digest.hexdigest()
    with _plain(path).open("rb") as stream:
        while block := stream.read(_BYTES_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()


def _plain(path: Path) -> Path:
    """The path if it is a plain file: links may lead elsewhere, and pipes block."""
    if path.is_symlink() or not path.is_file():
        raise Damaged("no file where one was")
    return path


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Turn errors of reading what this run stored into an error about the disk."""
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError, pa.ArrowException):
        raise DataError(
            f"Executor: {name}, a part stored on disk, was damaged during the run. Nothing was written. Run "
            "it again, and check the disk that holds the output."
        ) from None
