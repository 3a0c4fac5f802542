"""Classes of records that each show one place of a hierarchy per key: made finer, one record at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .class_models import holds


class Trees(NamedTuple):
    """Places of all keys in one numbering: those of key j from starts[j] on; parents within the numbering.

    depths: steps up to the top; costs: what it costs a record to show a place.
    """

    starts: np.ndarray
    parents: np.ndarray
    depths: np.ndarray
    costs: np.ndarray


@njit(cache=True, nogil=True)
def _joined(trees, one, other):
    """The lowest place above two."""
    while one != other:
        if trees.depths[one] >= trees.depths[other]:
            one = trees.parents[one]
        else:
            other = trees.parents[other]
    return one


@njit(cache=True, nogil=True)
def covering(trees, leaves, members, out):
    """The lowest places that cover all members; the sum of what they cost. leaves: (keys, records)."""
    cost = 0.0
    for j in range(leaves.shape[0]):
        place = leaves[j, members[0]]
        top = False
        for i in members:
            if leaves[j, i] != place:
                place = _joined(trees, place, leaves[j, i])
                if trees.parents[place] < 0:
                    top = True
            if top:
                break
        out[j] = place
        cost += trees.costs[place]
    return cost


@njit(cache=True, nogil=True)
def _covers(trees, place, leaf):
    while trees.depths[leaf] > trees.depths[place]:
        leaf = trees.parents[leaf]
    return leaf == place


@njit(cache=True, nogil=True)
def refine(trees, leaves, order, starts, shown, costs):
    """Every class shows the lowest places that cover its members. order, starts: members by class."""
    for c in range(starts.shape[0] - 1):
        if starts[c + 1] > starts[c]:
            costs[c] = covering(trees, leaves, order[starts[c] : starts[c + 1]], shown[c])


class Room(NamedTuple):
    """Space for the guards: counts and touched of values, stamps and held of units, the last stamp used."""

    counts: np.ndarray
    touched: np.ndarray
    stamps: np.ndarray
    held: np.ndarray
    last: np.ndarray


@njit(cache=True, nogil=True)
def stands(members, guard, room):
    """Whether some records may be a class."""
    room.last[0] += 1
    return holds(members, guard, room.counts, room.touched, room.stamps, room.held, room.last[0])


@njit(cache=True, nogil=True)
def splits(trees, leaves, order, starts, guard, room, fresh):
    """Split classes by the children of a place that they show, as often as all parts may stand.

    A part is the members under some children; of all keys, the one that saves most is taken. Children too
    small to stand stay together, if they may, and at worst join the smallest part that may. fresh: the new
    class of every record, numbered from 0. Returns how many classes there are. O(members keys^2) a split.
    """
    m = leaves.shape[0]
    stack = [order[starts[c] : starts[c + 1]].copy() for c in range(starts.shape[0] - 1)]
    count = 0
    shown = np.empty(m, dtype=np.int64)
    part_shown = np.empty(m, dtype=np.int64)
    while len(stack) > 0:
        members = stack.pop()
        if members.shape[0] == 0:
            continue
        best_saving, best_labels, best_parts = 1e-12, np.zeros(0, dtype=np.int64), 0
        if members.shape[0] >= 2 * guard.k:
            whole = covering(trees, leaves, members, shown) * members.shape[0]
            for j in range(m):
                labels, parts = _under(trees, leaves[j], members, shown[j])
                parts = _gathered(labels, parts, members, guard, room)
                if parts < 2:
                    continue
                cost = 0.0
                for part in range(parts):
                    own = members[labels == part]
                    cost += covering(trees, leaves, own, part_shown) * own.shape[0]
                if whole - cost > best_saving:
                    best_saving, best_labels, best_parts = whole - cost, labels, parts
        if best_parts:
            for part in range(best_parts):
                stack.append(members[best_labels == part])
        else:
            for i in members:
                fresh[i] = count
            count += 1
    return count


@njit(cache=True, nogil=True)
def _under(trees, leaves, members, place):
    """Members by the child of a place that they stand under, numbered in order of appearance."""
    labels = np.empty(members.shape[0], dtype=np.int64)
    seen = np.empty(members.shape[0], dtype=np.int64)
    count = 0
    for i in range(members.shape[0]):
        at = leaves[members[i]]
        while at != place and trees.parents[at] != place:
            at = trees.parents[at]
        label = 0
        while label < count and seen[label] != at:
            label += 1
        if label == count:
            seen[count] = at
            count += 1
        labels[i] = label
    return labels, count


@njit(cache=True, nogil=True)
def _gathered(labels, parts, members, guard, room):
    """Keep parts that may stand, put the others together; they join the smallest part where they must."""
    if parts < 2:
        return 0
    renamed = np.full(parts, -1, dtype=np.int64)
    kept = 0
    smallest, least = -1, members.shape[0] + 1
    for part in range(parts):
        own = members[labels == part]
        if own.shape[0] >= guard.k and stands(own, guard, room):
            renamed[part] = kept
            if own.shape[0] < least:
                smallest, least = kept, own.shape[0]
            kept += 1
    if kept == 0:
        return 0
    rest = False
    for i in range(labels.shape[0]):
        labels[i] = renamed[labels[i]]
        rest |= labels[i] < 0
    if rest:
        others = members[labels < 0]
        target = smallest
        if others.shape[0] >= guard.k and stands(others, guard, room):
            target = kept
            kept += 1
        for i in range(labels.shape[0]):
            if labels[i] < 0:
                labels[i] = target
        if target == smallest and not stands(members[labels == target], guard, room):
            return 0
    return kept


@njit(cache=True, nogil=True)
def reassign(trees, leaves, strata, of, classes, shown, costs, guard, room, plain):
    """Move records to finer classes that cover them, while those that they leave may stand without them.

    plain: whether a class stands by its size alone. of, shown, costs are changed; what a class shows is not
    made finer here. Returns how many moved. O(records classes) at worst; classes are tried from the cheapest.
    """
    n, m = leaves.shape[1], leaves.shape[0]
    sizes = np.zeros(classes, dtype=np.int64)
    stratum = np.full(classes, -1, dtype=np.int64)
    for i in range(n):
        if of[i] >= 0:
            sizes[of[i]] += 1
            stratum[of[i]] = strata[i]
    ranked = np.argsort(costs[:classes])
    order = np.argsort(-costs[np.maximum(of, 0)])
    moved = 0
    for i in order:
        own = of[i]
        if own < 0 or sizes[own] <= guard.k:
            continue
        for c in ranked:
            if costs[c] >= costs[own] - 1e-12:
                break
            if sizes[c] == 0 or stratum[c] != strata[i]:
                continue
            fits = True
            for j in range(m):
                if not _covers(trees, shown[c, j], leaves[j, i]):
                    fits = False
                    break
            if not fits:
                continue
            if not plain:
                of[i] = c
                both = stands(np.flatnonzero(of == own), guard, room) and stands(
                    np.flatnonzero(of == c), guard, room
                )
                of[i] = own
                if not both:
                    continue
            of[i] = c
            sizes[own] -= 1
            sizes[c] += 1
            moved += 1
            break
    return moved


@njit(cache=True, nogil=True)
def dissolve(trees, leaves, strata, of, classes, shown, costs, order, starts):
    """Give up classes whose members all find others that cover them, where that costs less together.

    For classes that stand by their size alone. Returns how many were given up. order, starts: members now.
    """
    m = leaves.shape[0]
    ranked = np.argsort(costs[:classes])
    gone = np.zeros(classes, dtype=np.bool_)
    stratum = np.full(classes, -1, dtype=np.int64)
    for i in range(of.shape[0]):
        stratum[of[i]] = strata[i]
    touched = np.zeros(classes, dtype=np.bool_)
    dissolved = 0
    for back in range(classes - 1, -1, -1):
        own = ranked[back]
        members = order[starts[own] : starts[own + 1]]
        if touched[own] or members.shape[0] == 0:
            continue
        total = costs[own] * members.shape[0]
        target = np.full(members.shape[0], -1, dtype=np.int64)
        spent = 0.0
        for at in range(members.shape[0]):
            i = members[at]
            for c in ranked:
                if spent + costs[c] >= total:
                    break
                if c == own or gone[c] or stratum[c] != strata[i] or starts[c + 1] == starts[c]:
                    continue
                fits = True
                for j in range(m):
                    if not _covers(trees, shown[c, j], leaves[j, i]):
                        fits = False
                        break
                if fits:
                    target[at] = c
                    spent += costs[c]
                    break
            if target[at] < 0:
                break
        if target[members.shape[0] - 1] >= 0 and spent < total - 1e-12:
            for at in range(members.shape[0]):
                of[members[at]] = target[at]
                touched[target[at]] = True
            gone[own] = True
            dissolved += 1
    return dissolved
