"""The Pareto front of a risk-utility map: the trials that no other dominates."""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[float, float]


def pareto_front(points: Sequence[Point | None]) -> list[bool]:
    """A mask of the points that no other dominates; lower is better in both coordinates. O(n log n).

    A point dominates another that is nowhere lower and somewhere higher; equal points do not dominate each
    other. None is never on the front.

    >>> pareto_front([(1, 5), (2, 2), (2, 3), (2, 2), (5, 1), (5, 5), None])
    [True, True, False, True, True, False, False]
    """
    front = [False] * len(points)
    lowest: Point | None = None
    for index, point in sorted(
        ((index, point) for index, point in enumerate(points) if point is not None),
        key=lambda entry: entry[1],
    ):
        # earlier points are not higher in the first coordinate; the last of the front is lowest in the second
        if lowest is None or point[1] < lowest[1] or point == lowest:
            front[index], lowest = True, point
    return front
