"""The folder of a run that is not finished: readable by its owner alone, gone when the run is over.

It holds records of the source. Whatever is in it is complete, or has another name. A run that was killed
leaves it, and the next run of the same plan on the same file goes on from there.
"""

from __future__ import annotations

import os
import pickle
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import ParameterError

from .parts import in_one_piece, taken


@dataclass(frozen=True)
class Scratch:
    """Tables, arrays and claims by name."""

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
                    "Engine: another run of the same plan on the same file is at work. Wait for it."
                ) from None
            yield

    def __contains__(self, name: str) -> bool:
        return (self.folder / name).exists()

    def path(self, name: str) -> Path:
        """Where something lies."""
        return self.folder / name

    def place(self, name: str, write: Callable[[Path], Any]) -> None:
        """Let something be written, under its name once it is complete."""
        beside = self.folder / f"~{name}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        try:
            write(beside)
            os.replace(beside, self.folder / name)
        except OSError as problem:
            # a library's own words could name what was being written
            reason = os.strerror(problem.errno) if problem.errno else "the disk refused"
            raise ParameterError(
                f"Engine: parts cannot be kept beside the output ({reason}). Nothing was written. "
                "Choose an output on a disk with room for three times the file."
            ) from None

    def put_table(self, name: str, table: pa.Table) -> None:
        """Keep a table in one piece."""

        def write(path: Path) -> None:
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)

        self.place(name, write)

    def table(self, name: str) -> pa.Table:
        """A table as it lies: only what is looked at is read."""
        return pa.ipc.open_file(pa.memory_map(str(self.folder / name))).read_all()

    def put_array(self, name: str, values: np.ndarray) -> None:
        """Keep an array."""

        def write(path: Path) -> None:
            with path.open("wb") as stream:
                np.save(stream, values, allow_pickle=False)

        self.place(name, write)

    def array(self, name: str) -> np.ndarray:
        """An array as it lies: only what is looked at is read."""
        path = self.folder / name
        # a file of no values cannot be mapped
        return np.load(path, mmap_mode="r" if path.stat().st_size > 4096 else None, allow_pickle=False)

    def deal(self, number: int, table: pa.Table, first: int, parts: np.ndarray, of: int) -> None:
        """Keep a stretch of records, the first of them that of a number, sorted by the part of each.

        There are so many parts. O(n log n).
        """
        order = np.argsort(parts, kind="stable")
        self.put_table(f"span-{number}.records", taken(table, order))
        self.put_array(f"span-{number}.rows", first + order)
        self.put_array(f"span-{number}.ends", np.cumsum(np.bincount(parts, minlength=of)))

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
        """Keep anything small."""
        self.place(name, lambda path: path.write_bytes(pickle.dumps(value)))

    def get(self, name: str) -> Any:
        """What was kept."""
        return pickle.loads((self.folder / name).read_bytes())

    def drop(self, beginning: str) -> None:
        """Remove all whose name begins so."""
        for path in self.folder.glob(f"{beginning}*"):
            path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
