"""Rounds in a kernel, with looks at the clock in between."""

from __future__ import annotations

from collections.abc import Callable

from tacita.core import Run

# Enough rounds between two looks at the clock to be fast, few enough to stop soon when cancelled.
WORK_PER_CALL = 20_000_000


def finish(
    step: Callable[[int], bool],
    work: int,
    left: Callable[[], float],
    run: Run,
    stage: str = "grouping records",
) -> None:
    """Call step(rounds) until it is True. work: that of a round; left(): the share of records still left."""
    done = False
    while not done:
        done = step(1 + WORK_PER_CALL // work)
        # the work left falls with the square of the records left
        run.report(stage, 1 - left() ** 2, 1)
