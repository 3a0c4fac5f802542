"""Compiled inner loops. What is compiled is kept for the next run, where there is a place to keep it."""

from __future__ import annotations

import atexit
import logging
import shutil
import tempfile

import numba


def _find_a_place() -> None:
    """Where an account has no folder that it can write to, what is compiled lives as long as the process."""

    def probe() -> None:
        return None

    try:
        numba.njit(cache=True)(probe)
    except RuntimeError:
        folder = tempfile.mkdtemp(prefix="tacita-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        numba.config.CACHE_DIR = folder  # type: ignore[attr-defined]
        logging.getLogger("tacita").warning(
            "Compiled code cannot be kept: there is no folder for it that can be written. Every run compiles "
            "anew, which takes seconds. Set NUMBA_CACHE_DIR to a folder of your own."
        )


_find_a_place()
