"""Who is alone, record by record with a Counter."""

from collections import Counter


def apart(columns, k):
    """How many records are unique on these columns (lists of cells), and how many are among fewer than k."""
    rows = list(zip(*columns, strict=True))
    like = Counter(rows)
    return sum(like[row] == 1 for row in rows), sum(like[row] < k for row in rows)
