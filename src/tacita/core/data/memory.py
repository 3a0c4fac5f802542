"""The free memory, and a check before an allocation that would need more."""

from __future__ import annotations

import os
from pathlib import Path

from tacita.core.errors import DataError

# The assumed memory of unknown machines.
_UNKNOWN = 4 * 2**30
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")


def free_memory() -> int:
    """Bytes that this process can still allocate, by the limits of machine, container and process."""
    known = [
        limit for limit in (_of_the_machine(), _of_the_container(), _of_the_process()) if limit is not None
    ]
    return max(0, min(known)) if known else _UNKNOWN


def check_memory(needed: int, subject: str, task: str, advice: str) -> None:
    """Raise where a task needs more bytes than are free, with advice.

    >>> check_memory(10**18, "Generalise", "900 combinations of levels", "Leave out keys.")
    ... # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tacita.core.errors.DataError: Generalise: 900 combinations of levels need some 1 EB of memory, and ...
    """
    if needed > (free := free_memory()):
        raise DataError(
            f"{subject}: {task} need some {spoken_bytes(needed)} of memory, and {spoken_bytes(free)} are "
            f"free. {advice}"
        )


def spoken_bytes(count: int) -> str:
    """Bytes in the unit that suits them.

    >>> spoken_bytes(900), spoken_bytes(21_300_000_000), spoken_bytes(10**24)
    ('900 bytes', '21.3 GB', '1,000,000 EB')
    """
    unit = min((len(str(count)) - 1) // 3, len(_UNITS) - 1)
    # integers, because a float cannot hold all digits
    tenths = count * 10 // 1000**unit
    gigabytes = tenths // 10
    shown = f"{gigabytes:,}" if tenths % 10 == 0 or gigabytes >= 100 else f"{gigabytes}.{tenths % 10}"
    return f"{shown} {_UNITS[unit]}"


def _of_the_machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            name, _, rest = line.partition(":")
            if name == "MemAvailable":
                return int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        # the memory of other processes is not known here
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return None


def _of_the_container() -> int | None:
    """The limit of control groups (versions 1 and 2), which containers and batch systems set."""
    for folder, most, used, cache in (
        ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            limit = int((Path(folder) / most).read_text("ascii"))
            used_bytes = int((Path(folder) / used).read_text("ascii"))
            figures = (Path(folder) / "memory.stat").read_text("ascii").split()
            # the page cache is released when other processes need it
            spare = int(dict(zip(figures[::2], figures[1::2], strict=False)).get(cache, 0))
        except (OSError, ValueError):
            # there is no limit, or it is "max"
            continue
        return limit - used_bytes + spare
    return None


def _of_the_process() -> int | None:
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return most - pages * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return None
