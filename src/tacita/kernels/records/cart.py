"""Trees that split records until a leaf has few: classification and regression on binned features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints, Mask


class Tree(NamedTuple):
    """Node 0 is the root. `feature` is -1 in a leaf, whose number is `right`; else children by their nodes.

    A record goes left if its bin is at most `cut`, or, of a feature of categories, if `goes_left` says so.
    """

    feature: Ints
    cut: Ints
    left: Ints
    right: Ints
    goes_left: Mask


@njit(cache=True, nogil=True)
def leaves_of(tree, bins, unordered):
    """The leaf of each record; bins: (features, n). O(n depth)."""
    n = bins.shape[1]
    leaf = np.empty(n, dtype=np.int64)
    for i in range(n):
        node = 0
        while tree.feature[node] >= 0:
            f = tree.feature[node]
            value = bins[f, i]
            goes = tree.goes_left[node, value] if unordered[f] else value <= tree.cut[node]
            node = tree.left[node] if goes else tree.right[node]
        leaf[i] = tree.right[node]
    return leaf


@njit(cache=True, nogil=True)
def _order_of_bins(size, count, score, unordered, order):
    """Bins that hold records, in their own order or by their score; how many there are."""
    used = 0
    for b in range(size):
        if count[b] > 0:
            place = used
            if unordered:
                # few bins hold records: insertion keeps equal scores in the order of their codes
                while place > 0 and score[order[place - 1]] > score[b]:
                    order[place] = order[place - 1]
                    place -= 1
            order[place] = b
            used += 1
    return used


@njit(cache=True, nogil=True)
def _enough_units(sides, at, k):
    """Whether both sides of a cut hold k distinct units; nothing is counted where each record is one."""
    return sides.below.size == 0 or (sides.below[at] >= k and sides.above[at] >= k)


@njit(cache=True, nogil=True)
def _count_units(rows, bins, units, used, room, sides):
    """How many distinct units lie below and above the cut after each bin, in their order. O(rows)."""
    at = 0
    for b in range(room.records.size):
        room.start[b] = at
        room.filled[b] = at
        at += room.records[b]
    for row in rows:
        b = bins[row]
        sides.ordered[room.filled[b]] = units[row]
        room.filled[b] += 1
    sides.marks[0] += 1
    distinct = 0
    for at in range(used):
        b = room.order[at]
        for i in range(room.start[b], room.start[b] + room.records[b]):
            if sides.seen[sides.ordered[i]] != sides.marks[0]:
                sides.seen[sides.ordered[i]] = sides.marks[0]
                distinct += 1
        sides.below[at] = distinct
    sides.marks[0] += 1
    distinct = 0
    for at in range(used - 1, -1, -1):
        sides.above[at] = distinct
        b = room.order[at]
        for i in range(room.start[b], room.start[b] + room.records[b]):
            if sides.seen[sides.ordered[i]] != sides.marks[0]:
                sides.seen[sides.ordered[i]] = sides.marks[0]
                distinct += 1


@njit(cache=True, nogil=True)
def _sweep_numbers(order, used, count, total, k, sides):
    """The cut of the most explained squares: sums of squares of sums by their sizes, and the place."""
    everything, records = 0.0, 0
    for at in range(used):
        everything += total[order[at]]
        records += count[order[at]]
    best, place, left, on_left = -1.0, -1, 0.0, 0
    for at in range(used - 1):
        left += total[order[at]]
        on_left += count[order[at]]
        if on_left < k or records - on_left < k or not _enough_units(sides, at, k):
            continue
        gain = left * left / on_left + (everything - left) ** 2 / (records - on_left)
        if gain > best:
            best, place = gain, at
    return best, place


@njit(cache=True, nogil=True)
def _sweep_classes(order, used, count, sorted_classes, start, whole, left, k, sides):
    """The cut of the purest halves (Gini): squares of class counts by sizes, and the place."""
    records = 0
    for at in range(used):
        records += count[order[at]]
    squares = 0.0
    for c in range(whole.size):
        left[c] = 0
        squares += float(whole[c]) ** 2
    best, place, of_left, of_right, on_left = -1.0, -1, 0.0, squares, 0
    for at in range(used - 1):
        b = order[at]
        for i in range(start[b], start[b] + count[b]):
            c = sorted_classes[i]
            # (m + 1)^2 - m^2, and the same downwards on the other side
            of_left += 2.0 * left[c] + 1.0
            of_right -= 2.0 * (whole[c] - left[c]) - 1.0
            left[c] += 1
        on_left += count[b]
        if on_left < k or records - on_left < k or not _enough_units(sides, at, k):
            continue
        gain = of_left / on_left + of_right / (records - on_left)
        if gain > best:
            best, place = gain, at
    return best, place


@njit(cache=True, nogil=True)
def _impurity(rows, numbers, classes, whole):
    """What the records of a node explain by themselves, what is left, and their commonest class.

    whole: becomes the count of every class; of size 0 where the target is a number.
    """
    records, own, common = rows.size, 0.0, 0
    if whole.size == 0:
        mean, squares = 0.0, 0.0
        for row in rows:
            mean += numbers[row]
        mean /= records
        for row in rows:
            squares += (numbers[row] - mean) ** 2
        return records * mean * mean, squares, common
    whole[:] = 0
    for row in rows:
        whole[classes[row]] += 1
    for c in range(whole.size):
        own += float(whole[c]) ** 2 / records
        if whole[c] > whole[common]:
            common = c
    return own, records - own, common


@njit(cache=True, nogil=True)
def _cut_of(rows, bins, unordered, numbers, classes, units, common, k, room, classes_room, sides):
    """The best cut of one feature: what it explains, its place in the order of bins, how many bins are used.

    bins: of this feature, all records; room.order: becomes the order of its bins.
    """
    size = room.records.size
    room.records[:] = 0
    room.total[:] = 0.0
    by_number = classes_room.whole.size == 0
    for row in rows:
        b = bins[row]
        room.records[b] += 1
        if by_number:
            room.total[b] += numbers[row]
        elif classes[row] == common:
            room.total[b] += 1.0
    if unordered:
        for b in range(size):
            room.score[b] = room.total[b] / max(room.records[b], 1)
    used = _order_of_bins(size, room.records, room.score, unordered, room.order)
    if used < 2:
        return -1.0, -1, used
    if units.size:
        _count_units(rows, bins, units, used, room, sides)
    if by_number:
        best, place = _sweep_numbers(room.order, used, room.records, room.total, k, sides)
        return best, place, used
    at = 0
    for b in range(size):
        room.start[b] = at
        room.filled[b] = at
        at += room.records[b]
    for row in rows:
        b = bins[row]
        classes_room.ordered[room.filled[b]] = classes[row]
        room.filled[b] += 1
    best, place = _sweep_classes(
        room.order,
        used,
        room.records,
        classes_room.ordered,
        room.start,
        classes_room.whole,
        classes_room.left,
        k,
        sides,
    )
    return best, place, used


class Room(NamedTuple):
    """Scratch space of one feature, an entry a bin."""

    records: Ints
    start: Ints
    filled: Ints
    order: Ints
    total: Floats
    score: Floats


class ClassRoom(NamedTuple):
    """Scratch space of a target of classes: counts of the node and left of a cut, classes by bin."""

    whole: Ints
    left: Ints
    ordered: Ints


class Sides(NamedTuple):
    """Scratch space for units: when each was last seen, those of the node by bin, how many each side has."""

    marks: Ints
    seen: Ints
    ordered: Ints
    below: Ints
    above: Ints


@njit(cache=True, nogil=True)
def _part(rows, bins, cut, unordered, goes_left, moved):
    """Brings the rows that go left to the front, order kept; how many they are."""
    low, high = 0, 0
    for row in rows:
        value = bins[row]
        if goes_left[value] if unordered else value <= cut:
            rows[low] = row
            low += 1
        else:
            moved[high] = row
            high += 1
    rows[low:] = moved[:high]
    return low


@njit(cache=True, nogil=True)
def grow(bins, sizes, unordered, numbers, classes, kinds, units, k, least_gain):
    """A tree whose leaves have at least k records, the leaf of each of them, and how many leaves there are.

    Of k distinct units, where `units` says which each record is of; it is empty where each stands for itself.

    bins: (features, n), below sizes[f]; unordered[f]: bins are categories, ordered anew in every node by
    the mean of the target (of its commonest class). The target is `numbers` if kinds is 0, else `classes`
    below kinds. A split must gain `least_gain` of the impurity of the root. O(n features depth).
    """
    features, n = bins.shape
    most, width, largest = 2 * (n // k) + 1, 1, 1
    for f in range(features):
        largest = max(largest, sizes[f])
        if unordered[f]:
            width = max(width, sizes[f])
    tree = Tree(
        np.full(most, -1, dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        np.zeros((most, width), dtype=np.bool_),
    )
    whole, parts = np.zeros((4, largest), dtype=np.int64), np.zeros((2, largest))
    classes_room = ClassRoom(
        np.zeros(kinds, dtype=np.int64), np.zeros(kinds, dtype=np.int64), np.empty(n, dtype=np.int64)
    )
    counted = largest if units.size else 0
    sides = Sides(
        np.zeros(1, dtype=np.int64),
        np.zeros(units.max() + 1 if units.size else 0, dtype=np.int64),
        np.empty(units.size, dtype=np.int64),
        np.zeros(counted, dtype=np.int64),
        np.zeros(counted, dtype=np.int64),
    )
    leaf_of, rows, moved = np.empty(n, dtype=np.int64), np.arange(n), np.empty(n, dtype=np.int64)
    best_order = np.zeros(largest, dtype=np.int64)
    begin, end, waiting = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    end[0] = n
    pending, nodes, leaves, at_root = 1, 1, 0, -1.0
    while pending > 0:
        pending -= 1
        node = waiting[pending]
        mine = rows[begin[node] : end[node]]
        best, impurity, common = _impurity(mine, numbers, classes, classes_room.whole)
        at_root = impurity if at_root < 0.0 else at_root
        chosen, best_place, best_used = -1, -1, 0
        if mine.size >= 2 * k and impurity > 1e-9 * at_root:
            for f in range(features):
                s = sizes[f]
                room = Room(
                    records=whole[0, :s],
                    start=whole[1, :s],
                    filled=whole[2, :s],
                    order=whole[3, :s],
                    total=parts[0, :s],
                    score=parts[1, :s],
                )
                gain, place, used = _cut_of(
                    mine, bins[f], unordered[f], numbers, classes, units, common, k, room, classes_room, sides
                )
                if place >= 0 and gain > best + least_gain * at_root:
                    best, chosen, best_place, best_used = gain, f, place, used
                    best_order[:used] = room.order[:used]
        if chosen < 0:
            tree.right[node] = leaves
            leaf_of[mine] = leaves
            leaves += 1
            continue
        tree.feature[node] = chosen
        tree.cut[node] = best_order[best_place]
        if unordered[chosen]:
            # a category that no record of the node has goes where more of its bins go
            tree.goes_left[node, : sizes[chosen]] = 2 * (best_place + 1) > best_used
            for at in range(best_used):
                tree.goes_left[node, best_order[at]] = at <= best_place
        low = begin[node] + _part(
            mine, bins[chosen], tree.cut[node], unordered[chosen], tree.goes_left[node], moved
        )
        tree.left[node], tree.right[node] = nodes, nodes + 1
        begin[nodes], end[nodes] = begin[node], low
        begin[nodes + 1], end[nodes + 1] = low, end[node]
        waiting[pending], waiting[pending + 1] = nodes + 1, nodes
        pending += 2
        nodes += 2
    return tree, leaf_of, leaves
