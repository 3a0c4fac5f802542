"""Executor on several processes of this machine; one that dies is replaced, and its task repeated."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from tacita.core import DataError, RunContext, VerificationError

from .serial import Executor

# A task that kills this many processes is given up.
TRIES = 3
# Seconds between reports of progress, at which a run can be cancelled.
_EVERY = 0.2


class Processes(Executor):
    """A pool of processes that end with it."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._children: list[_Child] = []

    def map(self, stage: str, function: str, tasks: Sequence[Any], run: RunContext) -> list[Any]:
        run.report(stage, 0, len(tasks))
        todo: queue.Queue[tuple[int, Any]] = queue.Queue()
        for task in enumerate(tasks):
            todo.put(task)
        outcomes: queue.Queue[tuple[int, tuple[str, Any]]] = queue.Queue()
        over = threading.Event()
        while len(self._children) < min(self.workers, len(tasks)):
            self._children.append(_Child())
        threads = [
            threading.Thread(target=_work, args=(child, function, todo, outcomes, over), daemon=True)
            for child in self._children
        ]
        for thread in threads:
            thread.start()
        results: dict[int, Any] = {}
        try:
            while len(results) < len(tasks):
                try:
                    number, outcome = outcomes.get(timeout=_EVERY)
                    results[number] = answered(outcome)
                except queue.Empty:
                    pass
                run.report(stage, len(results), len(tasks))
        except BaseException:
            over.set()
            self.close()
            raise
        for thread in threads:
            thread.join()
        return [results[number] for number in range(len(tasks))]

    def close(self) -> None:
        for child in self._children:
            child.end()
        self._children = []


def answered(outcome: tuple[str, Any]) -> Any:
    """The result of a task, or the error that it raised."""
    how, payload = outcome
    if how == "done":
        return payload
    if how == "refused":
        kind, words, fields = payload
        raise kind(words, fields=fields)
    if how == "died":
        raise DataError(
            f"Executor: a process died {TRIES} times on the same part of the file, usually for lack of "
            "memory. Choose smaller parts (part) or fewer workers. Nothing was written."
        )
    raise VerificationError(
        f"Executor: a part of the work ended in {payload}. Nothing was written. This is a fault of the "
        "program or of a plug-in, not of the data: please report it."
    )


def _work(
    child: _Child,
    function: str,
    todo: queue.Queue[tuple[int, Any]],
    outcomes: queue.Queue[tuple[int, tuple[str, Any]]],
    over: threading.Event,
) -> None:
    while not over.is_set():
        try:
            number, task = todo.get_nowait()
        except queue.Empty:
            return
        outcome: tuple[str, Any] = ("died", None)
        for _ in range(TRIES):
            try:
                outcome = child.ask(function, task)
                break
            except (EOFError, OSError, pickle.UnpicklingError):
                child.end()
                if over.is_set():
                    return
                child.begin()
        outcomes.put((number, outcome))


class _Child:
    """One process of the pool, which runs one task at a time."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        # one thread per process: the other cores have other processes
        single_threaded = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tacita.executors.child_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=single_threaded,
            # Ctrl-C goes to the parent alone, which ends its processes; they would all print tracebacks
            start_new_session=True,
        )

    def ask(self, function: str, task: Any) -> tuple[str, Any]:
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        pickle.dump((function, task), requests)
        requests.flush()
        outcome: tuple[str, Any] = pickle.load(answers)
        return outcome

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
