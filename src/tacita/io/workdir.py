"""The folder of a run that is not finished: readable by its owner alone, gone when the run is over.

It holds records of the source. Whatever is in it is complete, or has another name. A run that was killed
leaves it, and the next run of the same plan on the same file goes on from there: with files whose names and
SHA-256 a seal beside them say, and no others. All of them are Arrow, JSON or Parquet; none is code.
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
    """Tables, arrays and values by name: those of a group have its name, a dot, and what they are."""

    folder: Path

    @classmethod
    def beside(cls, target: Path, mark: str) -> Scratch:
        """The folder of a run that writes a file; `mark` tells plans and sources apart."""
        folder = target.absolute().parent / f".tacita-parts-{mark}"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            status = folder.lstat()
        except OSError as problem:
            raise ParameterError(
                f"{target.name}: no folder for parts can be made beside it ({problem.strerror})."
            ) from None
        own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
        if not own or status.st_mode & 0o077 or not folder.is_dir() or folder.is_symlink():
            raise ParameterError(
                f"{folder.name}: lies beside the output, and others could have put something into it. "
                "Remove it and start again."
            )
        return cls(folder)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While nobody else works in it: two runs of one plan would take each other's files away."""
        with ExitStack() as held:
            try:
                stream = held.enter_context((self.folder / "lock").open("wb"))
                import fcntl

                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:
                pass
            except OSError:
                raise ParameterError(
                    "Executor: another run of the same plan on the same file is at work. Wait for it."
                ) from None
            yield

    def path(self, name: str) -> Path:
        """Where something lies."""
        return self.folder / name

    def place(self, name: str, write: Callable[[Path], Any]) -> None:
        """Let something be written, under its name once it is complete."""
        beside = self.folder / f"~{name}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        try:
            write(beside)
            if (self.folder / name).is_dir():
                # a folder gives way to nothing that is renamed
                _remove(self.folder / name)
            os.replace(beside, self.folder / name)
        except OSError as problem:
            # a library's own words could name what was being written
            reason = os.strerror(problem.errno) if problem.errno else "the disk refused"
            raise ParameterError(
                f"Executor: parts cannot be kept beside the output ({reason}). Nothing was written. "
                "Choose an output on a disk with room for three times the file."
            ) from None

    def seal(self, group: str, names: Sequence[str]) -> None:
        """Say that a group is complete, and what its files are: a later run takes these, and no others.

        O(bytes) to read them.
        """
        found = {name: _checksum(self.folder / f"{group}.{name}") for name in names}
        self.place(f"{group}.seal", lambda path: path.write_bytes(packed((self.folder.name, group, found))))

    def sound(self, group: str, damaged: list[str] | None = None) -> bool:
        """Whether a group is complete and all of its files are as they were sealed; what is not is removed.

        What is other than its seal says is named in `damaged`; what lacks a seal was never complete, and is
        written anew.
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
                _checksum(self.folder / f"{group}.{each}") == known for each, known in files.items()
            )
        except (OSError, ValueError, TypeError, AttributeError):
            return False

    def put_table(self, name: str, table: pa.Table) -> None:
        """Keep a table in one piece."""

        def write(path: Path) -> None:
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)

        self.place(name, write)

    def table(self, name: str) -> pa.Table:
        """A table as it lies: only what is looked at is read."""
        with _readable(name):
            return pa.ipc.open_file(pa.memory_map(str(self.folder / name))).read_all()

    def put_array(self, name: str, values: np.ndarray) -> None:
        """Keep an array of numbers."""
        self.put_table(name, table_of(values))

    def array(self, name: str) -> np.ndarray:
        """An array as it lies: only what is looked at is read."""
        with _readable(name):
            return array_of(self.table(name))

    def deal(self, number: int, table: pa.Table, first: int, parts: np.ndarray, of: int) -> None:
        """Keep a stretch of records, the first of them that of a number, sorted by the part of each.

        There are so many parts. O(n log n).
        """
        order = np.argsort(parts, kind="stable")
        self.put_table(f"span-{number}.records", taken(table, order))
        self.put_array(f"span-{number}.rows", first + order)
        self.put_array(f"span-{number}.ends", np.cumsum(np.bincount(parts, minlength=of)))
        self.seal(f"span-{number}", ("records", "rows", "ends"))

    def dealt(self, spans: int, part: int) -> tuple[pa.Table, np.ndarray]:
        """The records of a part out of so many stretches, in the order of the source, and their numbers."""
        tables, rows = [], []
        for number in range(spans):
            ends = self.array(f"span-{number}.ends")
            begin, end = int(ends[part - 1]) if part else 0, int(ends[part])
            tables.append(self.table(f"span-{number}.records").slice(begin, end - begin))
            rows.append(np.asarray(self.array(f"span-{number}.rows")[begin:end]))
        return in_one_piece(pa.concat_tables(tables)), np.concatenate(rows)

    def put(self, name: str, value: Any) -> None:
        """Keep anything small that is data: plain values, arrays, tables, and objects that hold them."""
        try:
            content = packed(value)
        except TypeError as problem:
            raise ParameterError(
                f"Executor: {problem} cannot be kept on disk between parts, as JSON or Arrow. Nothing was "
                "written. Leave out the executor, or the plug-in that it belongs to."
            ) from None
        self.place(name, lambda path: path.write_bytes(content))

    def get(self, name: str, kinds: Sequence[type] = ()) -> Any:
        """What was kept; objects in it are of the classes that are expected."""
        with _readable(name):
            return unpacked(_plain(self.folder / name).read_bytes(), kinds)

    def discard(self, group: str) -> None:
        """Remove what is of a group."""
        self.drop(f"{group}.")

    def drop(self, beginning: str) -> None:
        """Remove all whose name begins so, seals first: what is left without one was never complete."""
        found = [path for path in self.folder.iterdir() if path.name.startswith(beginning)]
        for path in sorted(found, key=lambda path: path.suffix != ".seal"):
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
    found = hashlib.sha256()
    if path.is_dir() and not path.is_symlink():
        for inner in sorted(path.iterdir()):
            found.update(f"{inner.name}\n{_checksum(inner)}\n".encode())
        return found.hexdigest()
    with _plain(path).open("rb") as stream:
        while block := stream.read(_BYTES_AT_ONCE):
            found.update(block)
    return found.hexdigest()


def _plain(path: Path) -> Path:
    """The same, where it is a file: links lead elsewhere, and pipes are waited for."""
    if path.is_symlink() or not path.is_file():
        raise Damaged("no file where one was")
    return path


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """What was kept by this very run is there, unless the disk or somebody took it away."""
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError, pa.ArrowException):
        raise DataError(
            f"Executor: {name}, a part that was kept on disk, was damaged while the run went on. Nothing was "
            "written. Run it again, and check the disk that holds the output."
        ) from None
