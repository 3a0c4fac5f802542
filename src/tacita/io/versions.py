"""Versions of the software that made a release, for its record."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from tacita._version import __version__

_PACKAGES = ("numpy", "numba", "highspy", "pyarrow", "narwhals")


def versions() -> dict[str, str]:
    """Versions of tacita, Python, and the packages on which results may depend.

    >>> versions()["tacita"] == __version__
    True
    """
    programs = {"tacita": __version__, "python": platform.python_version()}
    return programs | {package: _version(package) for package in _PACKAGES}


@cache
def _version(package: str) -> str:
    """The installed version, read once."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
