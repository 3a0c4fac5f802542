"""What a record says of the programs that made a release."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from tacita._version import __version__

_PACKAGES = ("numpy", "numba", "highspy", "pyarrow", "narwhals")


def versions() -> dict[str, str]:
    """This program, Python, and the packages on which figures may depend.

    >>> versions()["tacita"] == __version__
    True
    """
    found = {"tacita": __version__, "python": platform.python_version()}
    return found | {package: _version(package) for package in _PACKAGES}


@cache
def _version(package: str) -> str:
    """What is installed, read from its files once."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
