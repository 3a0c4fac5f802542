"""Models of classes of records with equal keys, counted plainly: a table of classes by values.

Where units are named, a class has units and not records, and each unit counts once: for its most frequent
value where distinct values are required, else shared over its records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Any

import numpy as np

from tacita.core import Floats, Hierarchy, Ints, Mask

from .evidence import distinct, sizes

# what arithmetic on shares may lose
_SLACK = 1e-9


def settings_of(terms: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Each model by name, with its settings."""
    return [
        (name, settings)
        for name, values in terms.get("models", {}).items()
        for settings in (values if isinstance(values, list | tuple) else [values])
    ]


def fewest(terms: Mapping[str, Any]) -> int:
    """How many records a class needs, whatever is in it."""
    needed = [int(terms["k"])]
    for name, settings in settings_of(terms):
        if name == "l_diversity":
            needed.append(ceil(settings["l"]))
    return max(needed)


def allowed(terms: Mapping[str, Any], n: int) -> int:
    """How many of n records may be suppressed."""
    most: int = floor(terms["suppression_limit"] * n + 1e-9)
    return most


def counted(classes: Ints, values: Ints) -> Floats:
    """Records of each class (a row) with each value (a column)."""
    rows, columns = int(classes.max(initial=-1)) + 1, int(values.max(initial=-1)) + 1
    flat = np.bincount(classes * columns + values, minlength=rows * columns)
    return flat.reshape(rows, columns).astype(np.float64)


def by_one_value(classes: Ints, values: Ints, units: Ints, wide: int) -> Floats:
    """Units of each class with each value, each unit counted for one of its values, the most frequent first.

    Whichever one record of each unit an attacker looks at, no value is more frequent than the first of these,
    no two are more frequent than the first two, and so on.

    >>> by_one_value(np.array([0, 0, 0]), np.array([0, 1, 1]), np.array([4, 4, 5]), 3).tolist()
    [[0.0, 2.0, 0.0]]
    """
    cells = distinct(classes, values)
    once = np.unique(cells * (int(units.max()) + 1) + units, return_index=True)[1]
    having = _table(classes[once], values[once], wide)
    left = _members(classes, units)
    table = np.zeros_like(having)
    every = np.arange(len(having))
    for column in np.argsort(-having, axis=1, kind="stable").T:
        table[every, column] = np.minimum(having[every, column], left)
        left -= table[every, column]
    return table


def by_share(classes: Ints, values: Ints, units: Ints, wide: int) -> tuple[Floats, Ints]:
    """Units of each class spread over the values of their records there; the class that each row is of.

    All values of a unit that is alone are known to be its own: each of them is a row by itself.
    """
    of = distinct(classes, units)
    # a pair of class and unit, and a value
    _, first, records = np.unique(of * wide + values, return_index=True, return_counts=True)
    table = _table(classes[first], values[first], wide, records / np.bincount(of)[of[first]])
    several = np.flatnonzero((_members(classes, units) == 1) & ((table > 0).sum(axis=1) > 1))
    rows, of_class = [table], [np.arange(len(table))]
    for seen in several.tolist():
        known = np.flatnonzero(table[seen])
        rows.append(np.eye(wide)[known])
        of_class.append(np.full(known.size, seen))
        table[seen] = rows[-1][0]
    return np.vstack(rows), np.concatenate(of_class)


def shares_by_unit(values: Ints, units: Ints) -> Floats:
    """The share of each value where every unit counts once, spread over its records."""
    wide = int(units.max()) + 1
    pairs, records = np.unique(values * wide + units, return_counts=True)
    parts = records / np.bincount(units)[pairs % wide]
    return np.bincount(pairs // wide, parts) / np.unique(units).size


def _table(classes: Ints, values: Ints, wide: int, parts: Floats | None = None) -> Floats:
    rows = int(classes.max(initial=-1)) + 1
    flat = np.bincount(classes * wide + values, parts, rows * wide)
    return flat.reshape(rows, wide).astype(np.float64)


def _members(classes: Ints, units: Ints) -> Floats:
    """How many units each class has."""
    return sizes(classes, units).astype(np.float64)


def broken(
    name: str,
    settings: Mapping[str, Any],
    table: Floats,
    before: Floats,
    texts: Sequence[str],
    hierarchy: Hierarchy | None,
) -> Mask:
    """Which classes do not satisfy a model; `before` are the shares in the input. O(classes values)."""
    shares = table / table.sum(axis=1, keepdims=True)
    kind = settings.get("kind")
    if name == "l_diversity":
        return _alike(settings, table, shares)
    if name == "t_closeness":
        if kind == "ordered":
            distance = _along(settings, shares - before, texts)
        elif kind == "hierarchical":
            distance = _up_and_down(shares - before, texts, hierarchy)
        else:
            distance = np.abs(shares - before).sum(axis=1) / 2
        return np.asarray(distance > settings["t"] + _SLACK)
    present = table > 0
    if name == "beta_likeness":
        most = np.full(before.size, settings["beta"])
        if kind == "enhanced":
            most = np.minimum(most, -np.log(before))
        return ((shares - before) / before > most + _SLACK).any(axis=1)
    ratio = np.abs(np.log2(np.where(present, shares, before) / before))
    return np.asarray((present & ~(ratio < settings["delta"] + _SLACK)).any(axis=1))


def _alike(settings: Mapping[str, Any], table: Floats, shares: Floats) -> Mask:
    """Too few different values, or one too frequent."""
    different = (table > 0).sum(axis=1)
    kind = settings.get("kind", "distinct")
    if kind == "distinct":
        return np.asarray(different < settings["l"])
    if kind == "entropy":
        surprise = np.log(np.where(shares > 0, shares, 1.0))
        likely = -(shares * surprise).sum(axis=1) < np.log(settings["l"]) - _SLACK
        return np.asarray(likely | (different < settings["l"] - _SLACK))
    ranked = -np.sort(-table, axis=1)
    tail = ranked[:, int(settings["l"]) - 1 :].sum(axis=1)
    return np.asarray(~(ranked[:, 0] < settings["c"] * tail))


def _along(settings: Mapping[str, Any], surplus: Floats, texts: Sequence[str]) -> Floats:
    """How far shares must move along an order."""
    declared = list(settings.get("order", ()))
    place = [declared.index(text) if declared else float(text) for text in texts]
    carried = np.cumsum(surplus[:, np.argsort(place, kind="stable")], axis=1)
    return np.abs(carried).sum(axis=1) / max(len(texts) - 1, 1)


def _up_and_down(surplus: Floats, texts: Sequence[str], hierarchy: Hierarchy | None) -> Floats:
    """How far shares must move up a hierarchy, level by level; to the top and down again is one."""
    if hierarchy is None:
        return np.full(len(surplus), np.inf)
    path = {text: at for at, text in enumerate(hierarchy.labels)}
    now = [path[text] for text in texts]
    height = hierarchy.height
    moved = np.zeros(len(surplus))
    groups = np.arange(len(texts))
    for level in range(1, height + 1):
        now = [
            hierarchy.parents[at] if hierarchy.parents[at] >= 0 and hierarchy.gives_way[at] <= level else at
            for at in now
        ]
        # places of this level, and the columns of the level below that belong to each
        first = [groups.tolist().index(group) for group in range(int(groups.max()) + 1)]
        above = np.unique([now[at] for at in first], return_inverse=True)[1]
        fresh = np.zeros((len(surplus), int(above.max()) + 1))
        for group in range(fresh.shape[1]):
            part = surplus[:, above == group]
            more, less = np.clip(part, 0, None).sum(axis=1), np.clip(-part, 0, None).sum(axis=1)
            moved += level / height * np.minimum(more, less)
            fresh[:, group] = more - less
        surplus, groups = fresh, above[groups]
    return moved
