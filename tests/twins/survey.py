"""Slow, plain versions of the losses of surveys: a loop for every sum, after the formulas of the docs."""

from collections import Counter
from math import log2, sqrt


def shares(rows, weights):
    total = sum(weights)
    found = Counter()
    for row, weight in zip(rows, weights, strict=True):
        found[row] += weight / total
    return found


def variation(before, after, w_before, w_after):
    p, q = shares(before, w_before), shares(after, w_after)
    return 50 * sum(abs(p[row] - q[row]) for row in {*p, *q})


def cramer(rows, weights):
    known = [(row, weight) for row, weight in zip(rows, weights, strict=True) if None not in row]
    if not known:
        return 0.0
    p = shares(*zip(*known, strict=True))
    first, second = Counter(), Counter()
    for (a, b), share in p.items():
        first[a] += share
        second[b] += share
    if min(len(first), len(second)) < 2:
        return 0.0
    phi = sum(p[a, b] ** 2 / (first[a] * second[b]) for a, b in p) - 1
    return sqrt(max(0.0, phi) / (min(len(first), len(second)) - 1))


def total_and_mean(values, weights, inside):
    """Estimate and standard error of a total and a mean, of a sample drawn with replacement."""
    n = len(values)
    used = [w if i and v is not None else 0.0 for v, w, i in zip(values, weights, inside, strict=True)]
    filled = [0.0 if v is None else v for v in values]
    z = [w * v for w, v in zip(used, filled, strict=True)]
    total, size = sum(z), sum(used)
    of_total = n / (n - 1) * sum((each - total / n) ** 2 for each in z)
    mean = total / size
    of_mean = n / (n - 1) * sum((w * (v - mean) / size) ** 2 for w, v in zip(used, filled, strict=True))
    return (total, sqrt(of_total)), (mean, sqrt(of_mean))


def quantile(values, weights, share):
    pairs = sorted(zip(values, weights, strict=True))
    wanted, reached = share * sum(weights), 0.0
    for value, weight in pairs:
        reached += weight
        if reached >= wanted - 1e-9 * sum(weights):
            return value
    return pairs[-1][0]


def generalised(before, after):
    """NCP and entropy lost of one column, in percent; None is a missing cell; every original has a value."""
    n, counts = len(before), Counter(before)
    stands = {}
    for old, new in zip(before, after, strict=True):
        stands.setdefault(new, set()).add(old)
    stands[None] = set(counts)
    ncp = sum((len(stands[new]) - 1) / max(len(counts) - 1, 1) for new in after if new is not None)
    ncp += sum(new is None for new in after)
    lost = sum(
        log2(sum(counts[label] for label in stands[new]) / counts[old])
        for old, new in zip(before, after, strict=True)
    )
    most = sum(log2(n / counts[old]) for old in before)
    return 100 * ncp / n, 100 * lost / most if most else None


def classes(rows):
    """Discernibility in percent of n^2, and the average class; rows of nothing but None are suppressed."""
    n = len(rows)
    shown = Counter(row for row in rows if any(cell is not None for cell in row))
    suppressed = n - sum(shown.values())
    pairs = sum(size**2 for size in shown.values()) + n * suppressed
    return 100 * pairs / n**2, n / (len(shown) + (suppressed > 0))
