"""How long a search may take."""

from __future__ import annotations

from time import perf_counter

from tacita.core import RunContext


class Patience:
    """Says when a search is over: at its time limit, when the caller stops it, or when it is cancelled.

    >>> Patience(0.0, RunContext()).over()
    True
    """

    def __init__(self, seconds: float, run: RunContext) -> None:
        self._run, self._began, self._seconds = run, perf_counter(), seconds

    @property
    def spent(self) -> float:
        """Seconds since it began."""
        return perf_counter() - self._began

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._seconds - self.spent)

    def over(self) -> bool:
        """Whether a search should end with what it has."""
        return self._run.ended() or self.left <= 0

    @property
    def stopped(self) -> bool:
        """Whether the caller stopped the search, not the clock."""
        return self._run.should_stop()
