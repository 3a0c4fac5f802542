"""Groups as rows of record numbers, ended by -1: the form in which they are chosen among."""

from __future__ import annotations

import numpy as np

from tacita.core import Labels, Matrix


def as_groups(labels: Labels, k: int) -> Labels:
    """The groups of a partition; those of 2k or more cut into pieces of k to 2k-1. O(n log n).

    >>> as_groups(np.array([0, 1, 0, 1, 1]), 2).tolist()
    [[0, 2, -1], [1, 3, 4]]
    """
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    place = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # the last piece takes what is left over, up to k-1 more
    piece = np.minimum(place // k, np.repeat(sizes // k - 1, sizes))
    starts = np.concatenate([[0], np.cumsum(sizes // k)[:-1]])
    number = np.repeat(starts, sizes) + piece
    groups = np.full((int(number.max()) + 1, 2 * k - 1), -1, dtype=np.int64)
    # groups keep whole up to 2k-1 records: sizes // k is 1 there
    groups[number, place - piece * k] = order
    return groups


def as_labels(groups: Labels, n: int) -> Labels:
    """The partition whose groups these are; -1 for records in none.

    >>> as_labels(np.array([[0, 2, -1], [1, 3, 4]]), 5).tolist()
    [0, 1, 0, 1, 1]
    """
    labels = np.full(n, -1, dtype=np.int64)
    members = groups >= 0
    labels[groups[members]] = np.repeat(np.arange(len(groups)), members.sum(axis=1))
    return labels


def squared_errors(x: Matrix, groups: Labels) -> Matrix:
    """Of each group. O(sum of sizes x d) time, and memory for as many at a time as make a million numbers.

    >>> squared_errors(np.array([[0.0], [2.0], [9.0]]), np.array([[0, 1, -1]])).tolist()
    [2.0]
    """
    errors = np.empty(len(groups))
    step = max(1, 1_000_000 // (groups.shape[1] * x.shape[1]))
    for first in range(0, len(groups), step):
        rows = groups[first : first + step]
        counts = (rows >= 0)[:, :, None]
        points = np.where(counts, x[rows], 0.0)
        away = np.where(
            counts, points - points.sum(axis=1, keepdims=True) / counts.sum(axis=1, keepdims=True), 0.0
        )
        errors[first : first + step] = (away**2).sum(axis=(1, 2))
    return errors
