"""Executors process the parts of a large file: in this process, in several, or on a cluster.

A task is a function of an importable module of tacita and one argument. It reads and writes files, each under
a temporary name until it is complete, so that a task may run twice or die half-way. Its result is small and
does not depend on the executor.

>>> from tacita.core import RunContext
>>> with opened(ExecutorSection(name="serial")) as executor:
...     executor.map("counting", "math:sqrt", [4.0, 9.0], RunContext())
[2.0, 3.0]
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tacita.core import ParameterError

from .section import ExecutorSection
from .serial import Executor, Serial

__all__ = ["Executor", "ExecutorSection", "Serial", "opened"]


@contextmanager
def opened(section: ExecutorSection) -> Iterator[Executor]:
    """The executor that a plan names, closed at the end of the context."""
    executor = _started(section)
    try:
        yield executor
    finally:
        executor.close()


def _started(section: ExecutorSection) -> Executor:
    if section.name == "processes":
        from .processes import Processes

        return Processes(section.processes)
    if section.name == "dask":
        try:
            from .dask_cluster import Cluster
        except ImportError:
            raise ParameterError(
                "Executor: dask is not installed. Install tacita[dask], or choose processes.",
                field="executor",
            ) from None
        return Cluster(section.processes, section.scheduler)
    return Serial()
