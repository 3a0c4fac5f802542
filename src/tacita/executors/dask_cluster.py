"""Dask: a cluster of processes on this machine, or one that runs already."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from time import sleep
from typing import Any

from distributed.client import Client, ClosedClientError
from distributed.deploy.subprocess import SubprocessCluster

from tacita.core import DataError, ParameterError, Run

from .child_process import answer
from .processes import TRIES, answered
from .serial import Executor

# How often it is asked what is done, in seconds.
_EVERY = 0.05
# A scheduler that does not answer by then is not there, in seconds.
_PATIENCE = 20
# Nor does one that is gone answer to a farewell.
_PARTING = 3
# What is raised of a cluster that is gone.
_GONE = (OSError, CancelledError, ClosedClientError)


class Cluster(Executor):
    """Workers of Dask. All of them must see the same folders under the same names.

    A local cluster listens on loopback alone, and shows no page. Of one that runs already, whoever may talk
    to its scheduler can see what tasks are told: paths, and no values.
    """

    def __init__(self, workers: int, scheduler: str | None = None) -> None:
        self._own: Any = None
        if scheduler is None:
            # workers that are programs of their own: a script needs no guard against being run again by them
            try:
                self._own = SubprocessCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address=None,  # type: ignore[arg-type]
                    worker_kwargs={"dashboard": False, "memory_limit": 0},
                    silence_logs=50,
                )
            except (OSError, RuntimeError):
                raise DataError(
                    "Executor: the processes of dask did not start. Nothing was written. Try again, or "
                    "choose fewer workers or the executor processes."
                ) from None
        try:
            self._client = Client(self._own or scheduler, timeout=_PATIENCE, set_as_default=False)
        except OSError:
            raise ParameterError(
                "Executor: the scheduler of dask does not answer at the address that was given. Is it "
                "running?",
                field="scheduler",
            ) from None
        self.workers = workers if scheduler is None else max(1, len(self._client.nthreads()))

    def map(self, stage: str, function: str, tasks: Sequence[Any], run: Run) -> list[Any]:
        run.report(stage, 0, len(tasks))
        futures: list[Any] = []
        try:
            futures += [
                self._client.submit(answer, function, task, pure=False, retries=TRIES) for task in tasks
            ]
            left = set(futures)
            while left:
                ended = {future for future in left if future.done()}
                for future in ended:
                    answered(("died", None) if future.status == "error" else future.result())
                left -= ended
                run.report(stage, len(futures) - len(left), len(futures))
                if left:
                    sleep(_EVERY)
            return [answered(future.result()) for future in futures]
        except _GONE:
            raise DataError(
                "Executor: the cluster of dask does not answer any more. Nothing was written. Is it running?"
            ) from None
        finally:
            # one of its own ends with it, and may have been ended already by the same Ctrl-C
            if self._own is None:
                with suppress(*_GONE):
                    self._client.cancel(futures)

    def close(self) -> None:
        for resource in (self._client, self._own):
            if resource is not None:
                with suppress(*_GONE):
                    resource.close(timeout=_PARTING)
