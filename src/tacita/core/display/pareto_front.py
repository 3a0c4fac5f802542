"""Which of several trials no other beats: the front of a risk-utility map."""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[float, float]


def pareto_front(points: Sequence[Point | None]) -> list[bool]:
    """Which points no other beats: lower is better in both places, O(n log n).

    A point beats another that is nowhere lower and somewhere higher; equal points do not beat each other.
    None is no point, and never on the front.

    >>> pareto_front([(1, 5), (2, 2), (2, 3), (2, 2), (5, 1), (5, 5), None])
    [True, True, False, True, True, False, False]
    """
    front = [False] * len(points)
    lowest: Point | None = None
    for index, point in sorted(
        ((index, point) for index, point in enumerate(points) if point is not None),
        key=lambda entry: entry[1],
    ):
        # all before are as low in the first place or lower; the last of the front is lowest in the second
        if lowest is None or point[1] < lowest[1] or point == lowest:
            front[index], lowest = True, point
    return front
