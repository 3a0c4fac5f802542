"""Records moved between groups: to better ones, to groups that lack some, and the groups to begin with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacita.core import Labels, Matrix, Partition, RunContext

from .mdav import MDAV
from .microaggregation_method import WORK_PER_CALL
from .repair import centroids_of


@dataclass(frozen=True)
class ReassignmentSettings:
    """Which groups a record may move to."""

    # pairs of record and group up to which every group is a possible target
    all_pairs: int = 20_000_000
    # nearest groups that are, beyond that
    nearest_groups: int = 32


SETTINGS = ReassignmentSettings()


Free = Callable[[Labels], Labels]
Cut = Callable[[Labels], Labels]
By = Literal["records", "centres"]


def squared_error(x: Matrix, labels: Labels) -> float:
    """Within-group squared error, groups of any size. O(n d)."""
    return Partition(labels, 1).sse(x)


def nearest_centres(x: Matrix, centres: Matrix, count: int) -> Labels:
    """The `count` centres nearest to each record, nearest first: exact, by kd-tree.

    >>> nearest_centres(np.array([[0.0], [9.0]]), np.array([[1.0], [4.0], [8.0]]), 2).tolist()
    [[0, 1], [2, 1]]
    """
    from scipy.spatial import cKDTree

    nearest = cKDTree(centres).query(x, k=np.arange(1, min(count, len(centres)) + 1))[1]
    return np.ascontiguousarray(nearest, dtype=np.int64)


def relocate(x: Matrix, labels: Labels, floor: int, run: RunContext) -> Labels:
    """Best single relocations until none helps; only groups of more than `floor` records give.

    The squared error never rises. All groups are possible targets up to 20 million pairs of record and
    group; with more, the 32 nearest, chosen anew until that changes nothing.
    """
    from tacita.kernels.records import relocate as kernel

    n, d = x.shape
    labels = labels.copy()
    columns = np.ascontiguousarray(x.T)
    moves = 1 + WORK_PER_CALL // (n * d)
    # the margin of the kernel forbids going in circles; the limit is for data that would prove us wrong
    left = 100 * n
    while left > 0:
        centres, sizes = centroids_of(x, labels)
        few = n * len(sizes) > SETTINGS.all_pairs
        near = (
            nearest_centres(x, centres, SETTINGS.nearest_groups) if few else np.empty((n, 0), dtype=np.int64)
        )
        groups = kernel.Groups(columns, labels, np.ascontiguousarray(centres.T), sizes)
        offers = kernel.Offers(near, np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n))
        kernel.price_all(groups, offers)
        before = left
        while left > 0:
            made = kernel.relocate(groups, offers, floor, moves)
            left -= made
            run.report("improving groups", 0, 1)
            if made < moves or run.should_stop():
                break
        if not few or left == before or run.should_stop():
            break
    return labels


def reassign(x: Matrix, labels: Labels, floor: int, run: RunContext) -> Labels:
    """All records to their nearest centre, those who gain most first, until nobody moves.

    Only groups of more than `floor` records give. Records move while the centres stand still, then the
    centres follow; the squared error never rises.
    """
    from tacita.kernels.records.relocate import move_in_turn, nearest_group

    n = len(x)
    columns = np.ascontiguousarray(x.T)
    best = squared_error(x, labels)
    while True:
        centres, sizes = centroids_of(x, labels)
        if n * len(sizes) > SETTINGS.all_pairs:
            # an empty group is nobody's nearest
            used = np.flatnonzero(sizes)
            nearest = used[nearest_centres(x, centres[used], 1)[:, 0]]
        else:
            nearest = np.empty(n, dtype=np.int64)
            nearest_group(columns, np.ascontiguousarray(centres.T), sizes, nearest)
        gain = ((x - centres[labels]) ** 2).sum(axis=1) - ((x - centres[nearest]) ** 2).sum(axis=1)
        trial = labels.copy()
        moved = move_in_turn(np.argsort(-gain, kind="stable"), nearest, trial, sizes, floor)
        run.report("improving groups", 0, 1)
        error = squared_error(x, trial)
        if not moved or error >= best:
            return labels
        labels, best = trial, error
        if run.should_stop():
            return labels


def fill_short(x: Matrix, labels: Labels, groups: int, k: int) -> Labels:
    """Labels in which each of `groups` groups, perhaps empty before, has k records. Needs n >= k groups."""
    from tacita.kernels.records.relocate import fill_short_groups

    labels = labels.copy()
    means, _ = centroids_of(x, labels)
    centres = np.zeros((x.shape[1], groups))
    centres[:, : len(means)] = means.T
    columns = np.ascontiguousarray(x.T)
    fill_short_groups(columns, labels, centres, np.bincount(labels, minlength=groups), k)
    return labels


def freely(x: Matrix, labels: Labels, k: int, free: Free, run: RunContext) -> Labels:
    """Strategy II: run freely, then fill short groups; as long as that betters what it found before.

    The labels given may hold short groups: then the first outcome counts, whatever it is.
    """
    groups = int(labels.max()) + 1
    kept = labels if np.bincount(labels).min() >= k else fill_short(x, labels, groups, k)
    best = squared_error(x, kept)
    while True:
        labels = fill_short(x, free(labels), groups, k)
        error = squared_error(x, labels)
        if not error < best:
            return kept
        kept, best = labels, error
        if run.should_stop():
            return kept


def cut_large(labels: Labels, k: int, cut: Cut) -> Labels:
    """Labels in which every group of 2k or more records is divided as `cut` labels its rows. O(n log n)."""
    labels = labels.copy()
    sizes = np.bincount(labels)
    groups = len(sizes)
    large = np.flatnonzero(sizes >= 2 * k).tolist()
    if not large:
        return labels
    order, ends = np.argsort(labels, kind="stable"), np.cumsum(sizes)
    for group in large:
        rows = order[ends[group] - sizes[group] : ends[group]]
        parts = cut(rows)
        labels[rows] = np.where(parts == 0, group, groups + parts - 1)
        groups += int(parts.max())
    return labels


def split_large(x: Matrix, labels: Labels, k: int, run: RunContext, units: Labels | None = None) -> Labels:
    """Every group of 2k or more records cut by MDAV: no partition of a group has a larger squared error.

    With units every part has k of them; a group that has fewer stays whole.

    >>> split_large(np.array([[0.0], [1.0], [9.0], [10.0]]), np.zeros(4, dtype=int), 2, RunContext()).tolist()
    [0, 0, 1, 1]
    """

    def parts(rows: Labels) -> Labels:
        codes = None if units is None else np.unique(units[rows], return_inverse=True)[1].reshape(-1)
        if codes is not None and codes.max() + 1 < k:
            return np.zeros(len(rows), dtype=np.int64)
        return MDAV(k=k).group(x[rows], codes, run.silent())

    return cut_large(labels, k, parts)


def improve_once(x: Matrix, labels: Labels, k: int, by: By, free: bool, run: RunContext) -> Labels:
    """One heuristic: single relocations of records, or all records to their nearest centres at once."""
    step = relocate if by == "records" else reassign
    if not free:
        return step(x, labels, k, run)
    # a group cannot lose its last record by relocation: that saves nothing
    floor = 1 if by == "records" else 0
    return freely(x, labels, k, lambda held: step(x, held, floor, run), run)


def dissolve(x: Matrix, labels: Labels, count: int, costliest: bool) -> Labels:
    """Give the members of `count` groups to the nearest groups that stay. O(n groups d) at most.

    Dissolved are the groups with the largest squared error, or those that the others take in most cheaply:
    b/(b+1) times the squared distance to the second-nearest centre, less their own squared error.

    >>> x = np.array([[0.0], [1.0], [2.0], [5.0], [40.0], [90.0]])
    >>> dissolve(x, np.array([0, 0, 1, 1, 2, 2]), 1, costliest=True).tolist()
    [0, 0, 1, 1, 1, 1]
    >>> dissolve(x, np.array([0, 0, 1, 1, 2, 2]), 1, costliest=False).tolist()
    [0, 0, 0, 0, 1, 1]
    """
    centres, sizes = centroids_of(x, labels)
    error = ((x - centres[labels]) ** 2).sum(axis=1)
    if not costliest:
        near = nearest_centres(x, centres, 2)
        other = np.where(near[:, 0] == labels, near[:, -1], near[:, 0])
        share = sizes[other] / (sizes[other] + 1)
        error = error - share * ((x - centres[other]) ** 2).sum(axis=1)
    gone = np.zeros(len(sizes), dtype=bool)
    gone[np.argsort(-np.bincount(labels, weights=error), kind="stable")[:count]] = True
    stay = np.flatnonzero(~gone)
    homeless = gone[labels]
    labels = labels.copy()
    labels[homeless] = stay[nearest_centres(x[homeless], centres[stay], 1)[:, 0]]
    return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)


def divide(x: Matrix, labels: Labels, count: int) -> Labels:
    """Cut the `count` largest groups in two, around two members far apart; parts may be short of k. O(n d).

    >>> divide(np.array([[0.0], [1.0], [9.0], [50.0], [51.0]]), np.array([0, 0, 0, 1, 1]), 1).tolist()
    [0, 0, 2, 1, 1]
    """
    labels = labels.copy()
    groups = int(labels.max()) + 1
    for group in np.argsort(-np.bincount(labels), kind="stable")[:count].tolist():
        rows = np.flatnonzero(labels == group)
        members = x[rows]
        one = members[((members - members.mean(axis=0)) ** 2).sum(axis=1).argmax()]
        two = members[((members - one) ** 2).sum(axis=1).argmax()]
        nearer = ((members - one) ** 2).sum(axis=1) < ((members - two) ** 2).sum(axis=1)
        labels[rows[nearer]] = groups
        groups += 1 if nearer.any() else 0
    return labels


def with_groups(x: Matrix, labels: Labels, groups: int, k: int) -> Labels:
    """A partition into exactly so many groups of at least k, near the one at hand. Needs n >= k groups.

    More: the largest are cut in two and filled up to k; fewer: those that others take in most cheaply are
    dissolved.

    >>> x = np.array([[0.0], [1.0], [2.0], [5.0], [40.0], [90.0]])
    >>> with_groups(x, np.array([0, 0, 1, 1, 2, 2]), 2, 2).tolist()
    [0, 0, 0, 0, 1, 1]
    >>> with_groups(x, np.array([0, 0, 0, 0, 1, 1]), 3, 2).tolist()
    [0, 0, 2, 2, 1, 1]
    """
    more = groups - int(labels.max()) - 1
    if more > 0:
        return fill_short(x, divide(x, labels, more), groups, k)
    return dissolve(x, labels, -more, costliest=False) if more < 0 else labels


def random_groups(x: Matrix, groups: int | None, k: int, generator: np.random.Generator) -> Labels:
    """Groups of at least k around records drawn as centres; their number too is drawn unless it is given.

    Every record joins its nearest centre, then groups short of k take records whose move costs least. A
    number that is drawn lies between n/(2k-1) and n/k. Needs n >= k groups.
    """
    n = len(x)
    # drawn from the records in an order of their own, so that the order of the rows does not matter
    rows = np.lexsort(x.T[::-1])
    if groups is None:
        groups = int(generator.integers(-(-n // (2 * k - 1)), n // k, endpoint=True))
    centres = x[rows[generator.choice(n, groups, replace=False)]]
    return fill_short(x, nearest_centres(x, centres, 1)[:, 0], groups, k)
