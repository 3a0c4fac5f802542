"""SHA-256 of a set of releases: run it before and after a change that should leave their bytes alone.

`python -m benchmarks.release_hashes` prints a line for each file and one over all; `--write FILE` keeps them,
and `--against FILE` names every file whose bytes are others. It goes by the command line alone, in one
process, so that any version of the house can be asked: put its `src` first in PYTHONPATH. Reports, notes and
the records of runs are left out: their texts may change, and they have versions and times.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import io
import json
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from .releases import Case
from .releases.records import records
from .releases.sources import DATA, write_sources
from .releases.tables import tables
from .table import Columns


def cases() -> list[Case]:
    """All releases, of records first; what others read comes before them."""
    return [*records(), *tables()]


def _carry_out(words: str) -> str:
    """Run a command of tacita in this process; what it complains of, or nothing."""
    from tacita.__main__ import main

    said, code = io.StringIO(), 0
    with (
        mock.patch("sys.argv", ["tacita", *shlex.split(words)]),
        redirect_stdout(said),
        redirect_stderr(said),
    ):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    if code in (130, 143):
        raise SystemExit(code)
    # it leaves all it made to the end of the process, which is far off here
    gc.unfreeze()
    return f"exit code {code}: {' '.join(said.getvalue().split())}" if code else ""


def hashes(folder: Path, timed: bool = False) -> Iterator[tuple[str, str | None, str]]:
    """Make every release in a folder: the name of each file, its hash, and what was complained of."""
    with chdir(folder), mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": "1700000000"}):
        for words in DATA:
            if wrong := _carry_out(f"datasets {words} --force"):
                raise SystemExit(f"datasets {words}: {wrong}")
        write_sources(folder)
        for case in cases():
            for file in case.files:
                Path(file).unlink(missing_ok=True)
            begun = time.process_time()
            wrong = _carry_out(case.words)
            spent = f"{time.process_time() - begun:6.2f} s" if timed else ""
            for file in case.files:
                there = not wrong and Path(file).is_file()
                found = hashlib.sha256(Path(file).read_bytes()).hexdigest() if there else None
                yield file, found, wrong or spent


def _differing(made: Mapping[str, str], before: Mapping[str, str]) -> list[str]:
    """The files that are not as they were, each with what is the matter."""
    found = [
        f"{name}: {'bytes differ' if name in made else 'missing'}"
        for name, digest in before.items()
        if made.get(name) != digest
    ]
    return found + [f"{name}: not among those before" for name in made if name not in before]


def main(words: list[str] | None = None) -> int:
    """Make every release and print what its bytes hash to; 1 where one is refused, or not as before."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.release_hashes", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the hashes, as JSON")
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="hashes to compare with, as --write keeps them"
    )
    parser.add_argument("--folder", type=Path, help="keep the releases there, to look for what differs")
    parser.add_argument("--times", action="store_true", help="CPU time of each release")
    asked = parser.parse_args(words)
    before = json.loads(asked.against.read_text("utf-8")) if asked.against else None
    write, begun = asked.write and asked.write.resolve(), time.process_time()
    made: dict[str, str] = {}
    refused = 0
    table = Columns(file="<34", digest="<32", said="")
    with tempfile.TemporaryDirectory() as made_up:
        folder = (asked.folder or Path(made_up)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for name, digest, said in hashes(folder, asked.times):
            if digest is None:
                refused += 1
                table.print(name, "not written", said)
            else:
                made[name] = digest
                table.print(name, digest[:32], said)
    whole = hashlib.sha256(
        "".join(f"{name} {digest}\n" for name, digest in made.items()).encode()
    ).hexdigest()
    table.print("all", whole, None)
    print(
        f"{len(made)} files, {refused} not written, {time.process_time() - begun:.0f} s of CPU",
        file=sys.stderr,
    )
    if write:
        write.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    if before is None:
        return 1 if refused else 0
    wrong = _differing(made, before)
    print(
        "\n".join(
            [*wrong, f"{sum(made.get(name) == each for name, each in before.items())} of {len(before)} equal"]
        )
    )
    return 1 if wrong or refused else 0


if __name__ == "__main__":
    sys.exit(main())
