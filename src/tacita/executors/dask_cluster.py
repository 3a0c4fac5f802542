"""Executor on Dask: a cluster of processes on this machine, or a running one."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from time import sleep
from typing import Any

from distributed.client import Client, ClosedClientError
from distributed.deploy.subprocess import SubprocessCluster

from tacita.core import DataError, ParameterError, RunContext

from .child_process import answer
from .processes import TRIES, answered
from .serial import Executor

# Seconds between checks of finished tasks.
_EVERY = 0.05
# Seconds until a scheduler that does not answer counts as absent.
_PATIENCE = 20
# Seconds to wait when closing: a scheduler that is gone does not answer.
_CLOSING = 3
# The errors of a cluster that is gone.
_GONE = (OSError, CancelledError, ClosedClientError)


class Cluster(Executor):
    """Workers of Dask, which must all see the same folders under the same paths.

    A local cluster listens on loopback only, without a dashboard. On a running cluster, everyone with access
    to the scheduler can see the arguments of tasks: paths, but no values.
    """

    def __init__(self, workers: int, scheduler: str | None = None) -> None:
        self._local: Any = None
        if scheduler is None:
            # workers are separate programs, so a script needs no __main__ guard
            try:
                self._local = SubprocessCluster(
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
            self._client = Client(self._local or scheduler, timeout=_PATIENCE, set_as_default=False)
        except OSError:
            raise ParameterError(
                "Executor: the scheduler of dask does not answer at this address. Is it running?",
                field="scheduler",
            ) from None
        self.workers = workers if scheduler is None else max(1, len(self._client.nthreads()))

    def map(self, stage: str, function: str, tasks: Sequence[Any], run: RunContext) -> list[Any]:
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
            # a local cluster ends with this object, and the same Ctrl-C may have ended it already
            if self._local is None:
                with suppress(*_GONE):
                    self._client.cancel(futures)

    def close(self) -> None:
        for resource in (self._client, self._local):
            if resource is not None:
                with suppress(*_GONE):
                    resource.close(timeout=_CLOSING)
