"""[engine]: where a plan is carried out."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tacita.core import ParameterError
from tacita.core.spec.params import Parameters

# Where dask listens: a host and its port, by a protocol if not by TCP.
_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^\s/]+:[0-9]{1,5}/?")

EngineName = Literal["memory", "gpu", "serial", "pool", "dask"]


class EngineSection(Parameters):
    """[engine]: where a plan is carried out, and how large the parts of a file are; a name alone will do.

    >>> EngineSection(name="pool", workers=2).in_parts, EngineSection().in_parts
    (True, False)
    """

    name: EngineName = Field(
        "memory",
        description="the whole file in memory (memory; gpu where a method has loops for a graphics card), or "
        "in parts: one after the other (serial), by several processes (pool), on a cluster (dask)",
    )
    workers: Annotated[int, Field(ge=1, le=4096)] | None = Field(
        None, description="processes of pool, or of a local dask; if not given, one a core"
    )
    scheduler: str | None = Field(None, description="address of a dask scheduler that runs already")
    part: Annotated[int, Field(ge=100, le=10**9)] = Field(
        250_000, description="records of a part, about: what one process holds at a time"
    )

    @classmethod
    def spoken_name(cls) -> str:
        """As the section is called."""
        return "Engine"

    @model_validator(mode="before")
    @classmethod
    def _named(cls, values: Any) -> Any:
        return {"name": values} if isinstance(values, str) else values

    @model_validator(mode="after")
    def _fits(self) -> EngineSection:
        if self.scheduler is not None and self.name != "dask":
            raise ParameterError(
                f"Engine: a scheduler is one of dask, got the engine {self.name}.", field="scheduler"
            )
        if self.scheduler is not None and not _ADDRESS.fullmatch(self.scheduler):
            raise ParameterError(
                "Engine: wanted the address of a scheduler, such as tcp://HOST:8786, got something else.",
                field="scheduler",
            )
        return self

    @property
    def in_parts(self) -> bool:
        """Whether files are worked on in parts."""
        return self.name in ("serial", "pool", "dask")

    @property
    def processes(self) -> int:
        """How many work at a time."""
        if self.name == "serial":
            return 1
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.workers or cores
