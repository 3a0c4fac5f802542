"""Section [executor]: where a plan runs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tacita.core import ParameterError
from tacita.core.results.progress import Device
from tacita.core.spec.params import Parameters
from tacita.core.spec.plan_document import warn_renamed

# The address of a dask scheduler: an optional protocol, a host and its port.
_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^\s/]+:[0-9]{1,5}/?")

ExecutorName = Literal["in-memory", "serial", "processes", "dask"]

# Names of version 0.1 and their present settings.
_RENAMED: Mapping[str, Mapping[str, str]] = {
    "memory": {"name": "in-memory"},
    "pool": {"name": "processes"},
    "gpu": {"name": "in-memory", "device": "cuda"},
}


class ExecutorSection(Parameters):
    """Section [executor]: where a plan runs, and the size of parts; a bare name is accepted.

    >>> ExecutorSection(name="processes", workers=2).in_parts, ExecutorSection().in_parts
    (True, False)
    """

    name: ExecutorName = Field(
        default="in-memory",
        description="the whole file in memory (in-memory), or in parts: one after another (serial), by "
        "several processes (processes), on a cluster (dask)",
    )
    device: Device = Field(
        default="cpu",
        description="what heavy loops run on: cpu, or cuda where a method has loops for a graphics card",
    )
    workers: Annotated[int, Field(ge=1, le=4096)] | None = Field(
        default=None,
        description="number of processes, or of workers of a local dask; if not given, one a core",
    )
    scheduler: str | None = Field(default=None, description="address of a dask scheduler that runs already")
    part: Annotated[int, Field(ge=100, le=10**9)] = Field(
        default=250_000, description="records of a part, about: what one process holds at a time"
    )

    @classmethod
    def display_name(cls) -> str:
        """The name of the section."""
        return "Executor"

    @model_validator(mode="before")
    @classmethod
    def _named(cls, values: Any) -> Any:
        values = {"name": values} if isinstance(values, str) else values
        name = values.get("name") if isinstance(values, dict) else None
        if not isinstance(name, str) or name not in _RENAMED:
            return values
        new = _RENAMED[name]
        warn_renamed(f'the executor "{name}"', " and ".join(f'{key} = "{word}"' for key, word in new.items()))
        return {**values, **new}

    @model_validator(mode="after")
    def _fits(self) -> ExecutorSection:
        if self.scheduler is not None and self.name != "dask":
            raise ParameterError(
                f"Executor: a scheduler is one of dask, got the executor {self.name}.", field="scheduler"
            )
        if self.scheduler is not None and not _ADDRESS.fullmatch(self.scheduler):
            raise ParameterError(
                "Executor: wanted the address of a scheduler, such as tcp://HOST:8786, got something else.",
                field="scheduler",
            )
        if self.device != "cpu" and self.in_parts:
            raise ParameterError(
                f"Executor: the device {self.device} works on a file in memory, got the executor "
                f"{self.name}. Leave out one of them.",
                field="device",
            )
        return self

    @property
    def in_parts(self) -> bool:
        """Whether files are processed in parts."""
        return self.name != "in-memory"

    @property
    def processes(self) -> int:
        """The number of processes."""
        if self.name == "serial":
            return 1
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.workers or cores


def executor_of(executor: Any, engine: Any) -> Any:
    """The argument `executor`, or the renamed argument `engine` of version 0.1."""
    if engine is None:
        return executor
    warn_renamed("engine=", "executor=")
    return engine
