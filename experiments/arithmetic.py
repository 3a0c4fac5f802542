"""The same sums on every processor.

Fuzzy c-regression on attributes that are nearly functions of others enlarges a difference in the last bit of
a sum some ten times a round, so that after 30 rounds it decides who is in which cluster. Libraries of linear
algebra take sums in an order that depends on the processor. An experiment whose figures are to be repeated
elsewhere is run with one order, which any x86-64 processor since 2013 can take.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence

# the name that stands for every experiment, where none is given
ALL = "all"
REPEATED = ("synthetic", ALL)
HELD = {
    "OPENBLAS_CORETYPE": "Haswell",
    "OPENBLAS_NUM_THREADS": "1",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}


def lacking(words: Sequence[str], environment: Mapping[str, str], machine: str) -> dict[str, str]:
    """What the environment of a command lacks for one order of sums; nothing where none is needed.

    >>> sorted(lacking(["synthetic"], {"OPENBLAS_NUM_THREADS": "2"}, "x86_64"))
    ['NPY_DISABLE_CPU_FEATURES', 'OPENBLAS_CORETYPE']
    >>> lacking(["tables"], {}, "x86_64"), lacking(["synthetic"], {}, "arm64")
    ({}, {})
    >>> len(lacking(["--quick"], {}, "x86_64"))
    3
    """
    named = words if words and not words[0].startswith("-") else (ALL, *words)
    if not set(REPEATED) & set(named) or machine.lower() not in ("x86_64", "amd64"):
        return {}
    return {name: value for name, value in HELD.items() if name not in environment}


def hold(words: Sequence[str]) -> None:
    """Start `python -m experiments` over in an environment with one order of sums, if it is not that one.

    Libraries read it when they are loaded.
    """
    missing = lacking(words, os.environ, platform.machine())
    if missing:
        os.environ.update(missing)
        os.execv(sys.executable, [sys.executable, "-m", "experiments", *words])
