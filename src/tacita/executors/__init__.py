"""Where the parts of a large file are worked on: in this process, in several, or on a cluster.

A task is a function of an importable module of tacita and one argument. It reads files and writes files, each
under another name until it is complete, so that it may be done twice or die half-way. What it answers is
small, and the same wherever it ran: which engine works on a file cannot be told from the result.

>>> from tacita.core import Run
>>> with opened(EngineSection(name="serial")) as engine:
...     engine.map("counting", "math:sqrt", [4.0, 9.0], Run())
[2.0, 3.0]
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tacita.core import ParameterError

from .section import EngineSection
from .serial import Engine, Serial

__all__ = ["Engine", "EngineSection", "Serial", "opened"]


@contextmanager
def opened(section: EngineSection) -> Iterator[Engine]:
    """The engine that a plan names, until the work is done."""
    engine = _started(section)
    try:
        yield engine
    finally:
        engine.close()


def _started(section: EngineSection) -> Engine:
    if section.name == "pool":
        from .pool import Pool

        return Pool(section.processes)
    if section.name == "dask":
        try:
            from .cluster import Cluster
        except ImportError:
            raise ParameterError(
                "Engine: dask is not installed. Install tacita[dask], or choose pool.", field="engine"
            ) from None
        return Cluster(section.processes, section.scheduler)
    return Serial()
