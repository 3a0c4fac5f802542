"""Rank swapping as one would tell it: lists, no tree."""

from __future__ import annotations


def paired_ranks(n: int, reach: int, draws: list[float]) -> list[int]:
    """The rank each rank is paired with; itself where none was free."""
    partner = [-1] * n
    for rank in range(n):
        if partner[rank] >= 0:
            continue
        free = [other for other in range(rank + 1, min(rank + reach, n - 1) + 1) if partner[other] < 0]
        other = free[int(draws[rank] * len(free))] if free else rank
        partner[rank], partner[other] = other, rank
    return partner
