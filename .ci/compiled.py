"""Compiled kernels, shared by the clones of a user: `compiled.py load`, `compiled.py save`.

They lie in a folder of the user's cache that is named by all that they depend on: the text of every kernel,
the versions of Python and of the compiler, and the processor. Compiling takes two cores about two minutes.
"""

import hashlib
import os
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

from llvmlite.binding import get_host_cpu_name

KERNELS = Path(__file__).parents[1] / "src" / "tacita" / "kernels"
KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tacita" / "kernels"
VERSIONS_KEPT = 4


def place():
    """Where the kernels of these sources are kept for this Python and processor."""
    surroundings = [sys.version, *map(version, ("numba", "llvmlite", "numpy")), get_host_cpu_name()]
    digest = hashlib.sha256(" ".join(surroundings).encode())
    for source in sorted(KERNELS.rglob("*.py")):
        digest.update(source.relative_to(KERNELS).as_posix().encode() + b"\0" + source.read_bytes())
    return KEPT / digest.hexdigest()[:32]


def copy(source, target):
    for compiled in source.rglob("*.nb?"):
        copied = target / compiled.relative_to(source)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(compiled, copied)


def load(kept):
    copy(kept, KERNELS)


def save(kept):
    if kept.exists():
        return
    # whole or not at all: another clone may look at any moment
    fresh = kept.with_name(f"{kept.name}.{os.getpid()}")
    copy(KERNELS, fresh)
    fresh.rename(kept)
    by_age = sorted(KEPT.iterdir(), key=lambda folder: folder.stat().st_mtime)
    for old in by_age[:-VERSIONS_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


if __name__ == "__main__":
    {"load": load, "save": save}[sys.argv[1]](place())
