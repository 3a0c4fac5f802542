"""Base class of executors, and the executor that runs tasks in this process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tacita.core import RunContext


class Executor(ABC):
    """Runs tasks. A function is named "module:function", so that every process can import it."""

    # number of concurrent tasks
    workers: int = 1

    @abstractmethod
    def map(self, stage: str, function: str, tasks: Sequence[Any], run: RunContext) -> list[Any]:
        """The results of the function for all tasks, in order; reports progress."""

    @abstractmethod
    def close(self) -> None:
        """Release all processes."""


class Serial(Executor):
    """Runs tasks in this process."""

    def map(self, stage: str, function: str, tasks: Sequence[Any], run: RunContext) -> list[Any]:
        results = []
        run.report(stage, 0, len(tasks))
        for done, task in enumerate(tasks, 1):
            results.append(called(function, task))
            run.report(stage, done, len(tasks))
        return results

    def close(self) -> None:
        """Nothing was started."""


def called(function: str, task: Any) -> Any:
    """The result of a function that is named "module:function"."""
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)(task)
