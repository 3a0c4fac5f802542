"""Compiled inner loops. What is compiled is kept for the next run, where there is a place to keep it."""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import shutil
import sys
import tempfile
from pathlib import Path


def _find_a_place() -> None:
    """Where an account has no folder that it can write to, what is compiled lives as long as the process.

    The compiler would give up. It is not loaded here: a list of methods should not wait for it.
    """
    beside, home = Path(__file__).parent, Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~"))
    if os.environ.get("NUMBA_CACHE_DIR") or any(os.access(place, os.W_OK) for place in (beside, home)):
        return
    folder = tempfile.mkdtemp(prefix="tacita-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = folder
    if "numba" in sys.modules:
        # it has looked at the environment already
        sys.modules["numba"].config.CACHE_DIR = folder
    logging.getLogger("tacita").warning(
        "Compiled code cannot be kept: there is no folder for it that can be written. Every run compiles "
        "anew, which takes seconds. Set NUMBA_CACHE_DIR to a folder of your own."
    )


def _discard_outdated(folder: Path) -> None:
    """Remove what another version compiled: the compiler fails to read types that were renamed since.

    The stamp is the hash of all kernels; its ending is that of compiled files, so that it goes with them.
    """
    digest = hashlib.blake2b(digest_size=16)
    for source in sorted(folder.rglob("*.py")):
        digest.update(source.read_bytes())
    stamp = folder / "__pycache__" / "sources.nbs"
    try:
        if stamp.exists() and stamp.read_text() == digest.hexdigest():
            return
        for compiled in folder.rglob("*.nb[ic]"):
            compiled.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        fresh = stamp.with_name(f"{stamp.name}.{os.getpid()}")
        fresh.write_text(digest.hexdigest())
        fresh.replace(stamp)
    except OSError:
        # a folder that cannot be written holds nothing that was compiled here
        return


_find_a_place()
_discard_outdated(Path(__file__).parent)
