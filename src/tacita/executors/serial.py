"""One task after the other, in this process; and what every executor does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tacita.core import Run


class Executor(ABC):
    """Does tasks somewhere. A function is named "module:function", so that every process finds it."""

    # that work at a time
    workers: int = 1

    @abstractmethod
    def map(self, stage: str, function: str, tasks: Sequence[Any], run: Run) -> list[Any]:
        """What the function answers to each task, in their order; tells how many are done."""

    @abstractmethod
    def close(self) -> None:
        """Let go of whatever works."""


class Serial(Executor):
    """This process."""

    def map(self, stage: str, function: str, tasks: Sequence[Any], run: Run) -> list[Any]:
        results = []
        run.report(stage, 0, len(tasks))
        for done, task in enumerate(tasks, 1):
            results.append(called(function, task))
            run.report(stage, done, len(tasks))
        return results

    def close(self) -> None:
        """Nothing was started."""


def called(function: str, task: Any) -> Any:
    """What a function, named by its module, answers."""
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)(task)
