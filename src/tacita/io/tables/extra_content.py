"""What to call the things that a file has besides its table, without repeating any of them."""

from __future__ import annotations

from collections import Counter

# How often each thing is there: what it is called, and what it says, which is never told.
Things = Counter[tuple[str, str]]

# What is told where no list knows the difference.
OTHER = "characters or bytes that belong to no cell"


def beyond(found: Things, known: Things) -> list[str]:
    """Kinds of things that are there beside the known ones, and how many.

    >>> beyond(Counter({("comment", "a"): 2, ("cell", "5"): 1}), Counter({("cell", "5"): 1}))
    ['comment (2)']
    """
    kinds: Counter[str] = Counter()
    for (kind, _), count in (found - known).items():
        kinds[kind] += count
    return [f"{kind} ({count})" for kind, count in sorted(kinds.items())]
