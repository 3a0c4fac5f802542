"""What a record says of the programs that made a release."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from tacita._version import __version__

_PACKAGES = ("numpy", "numba", "highspy", "pyarrow", "narwhals")


def versions() -> dict[str, str]:
    """This program, Python, and the packages on which figures may depend.

    >>> versions()["tacita"] == __version__
    True
    """
    found = {"tacita": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found
