"""MDAV on a graphics card: the groups of the loop on the processor, to the last record."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

# Records of a leaf, a warp to each.
WIDTH = 32
# Threads of a block, and blocks of a multiprocessor: found by trying.
THREADS = 256
PER_PROCESSOR = 1
# Rounds between two looks at the clock.
ROUNDS = 20_000
# Groups whose lists of nearest records fit next to each other.
LARGEST_K = 300
# A candidate in memory: distance, row, place.
_FOUND = 16


@cache
def _module(d: int, k: int, together: bool) -> Any:
    """Kernels for so many columns and records of a group; `together`: all thread blocks run at once."""
    import cupy

    source = Path(__file__).with_suffix(".cu").read_text(encoding="utf-8")
    # no fused multiply-add: distances are to the last bit those of the processor
    options = ("--std=c++17", "--fmad=false", f"-DD={d}", f"-DK={k}")
    return cupy.RawModule(code=source, options=options, enable_cooperative_groups=together)


def group(x: Any, k: int, report: Callable[[float], None], last_groups: int = 1) -> Any:
    """Labels of the groups of MDAV, of n >= k records without units. O(n^2 d / k) at worst; O(n d) memory.

    `report` is called with the share of records left, and may raise to end it. `last_groups`: how many are
    made of 2k to 3k-1 records; with two, fewer than k records may have no group (-1).
    """
    import cupy as cp

    n, d = x.shape
    kernels, rounds = _module(d, k, False), _module(d, k, True).get_function("mdav_rounds")
    columns = cp.asarray(np.ascontiguousarray(x.T))
    labels = cp.full(n, -1, dtype=cp.int32)
    sums = cp.asarray(x.sum(axis=0))
    rows = cp.arange(n, dtype=cp.int32)
    order, cut_at, alive, groups = rows, 0, n, 0
    while alive >= 3 * k:
        if cut_at:
            rows, order = rows[labels[rows] < 0], order[labels[order] < 0]
            summed = (columns, np.int64(n), rows, np.int32(alive), sums)
            kernels.get_function("sums_in_order")((d,), (256,), summed)
        if 2 * alive < cut_at or not cut_at:
            order, cut_at = _cut(columns, rows, kernels), alive
        leaves = _filled(columns, order, sums / alive, kernels)
        on_card = (columns, leaves, sums, labels)
        alive, groups = _until_an_eighth_is_gone(rounds, *on_card, k, alive, groups, report)
    return _rest(x, k, cp.asnumpy(labels).astype(np.int64), cp.asnumpy(sums), alive, groups, last_groups)


def _cut(columns: Any, rows: Any, kernels: Any) -> Any:
    """Rows by balanced cuts across the widest axis, down to leaves. O(n log^2 n)."""
    import cupy as cp

    n = columns.shape[1]
    order, length = rows.copy(), rows.size
    starts = np.array([0, length])
    while (sizes := np.diff(starts)).max() > WIDTH:
        middles = starts[:-1] + (sizes // 2 + WIDTH - 1) // WIDTH * WIDTH
        on_card = cp.asarray(starts.astype(np.int32))
        axis = cp.empty(sizes.size, dtype=cp.int32)
        kernels.get_function("widest")(
            ((sizes.size + 255) // 256,),
            (256,),
            (columns, np.int64(n), order, on_card, np.int32(sizes.size), axis),
        )
        part = cp.asarray(np.repeat(np.arange(sizes.size, dtype=np.int32), sizes))
        keys = columns[axis[part], order]
        by_key = cp.argsort(keys)
        by_part = by_key[cp.argsort(part[by_key])]
        order = order[by_part]
        starts = np.unique(np.concatenate([starts, middles[(middles < starts[1:])]]))
    return order


def _filled(columns: Any, order: Any, origin: Any, kernels: Any) -> dict[str, Any]:
    import cupy as cp

    d, n = columns.shape
    of_warps = (order.size + WIDTH * WIDTH - 1) // (WIDTH * WIDTH)
    count = of_warps * WIDTH
    rows = cp.full(count * WIDTH, -1, dtype=cp.int32)
    rows[: order.size] = order
    # neighbours go to different warps: a search is busy where its point is
    rows = cp.ascontiguousarray(rows.reshape(WIDTH, of_warps, WIDTH).transpose(1, 0, 2)).ravel()
    leaves = {
        "points": cp.empty(count * d * WIDTH),
        "rows": rows,
        "centres": cp.empty((d, count)),
        "radius": cp.empty(count),
        "reach": cp.empty(count),
        "offset": cp.empty(count),
        "origin": origin,
        "count": count,
        "length": order.size,
    }
    places = [leaves[name] for name in ("points", "centres", "radius", "reach", "offset")]
    arguments = (columns, np.int64(n), rows, origin, *places, np.int32(count))
    kernels.get_function("fill")(((count * WIDTH + 255) // 256,), (256,), arguments)
    return leaves


def _until_an_eighth_is_gone(
    rounds: Any,
    columns: Any,
    leaves: dict[str, Any],
    sums: Any,
    labels: Any,
    k: int,
    alive: int,
    groups: int,
    report: Callable[[float], None],
) -> tuple[int, int]:
    import cupy as cp

    d, n = columns.shape
    # one thread block keeps the books for the others
    grid = max(2, PER_PROCESSOR * cp.cuda.Device().attributes["MultiProcessorCount"])
    state = cp.asarray(np.array([leaves["length"], alive, groups], dtype=np.int64))
    fars = cp.empty(2 * grid * _FOUND, dtype=cp.uint8)
    nears = cp.empty(max(1, 2 * grid * (k - 1)) * _FOUND, dtype=cp.uint8)
    warps, m = THREADS // WIDTH, k - 1
    room = 8 * (3 * d + 1 + warps * m) + _FOUND * (m + 1) + 4 * (2 * warps * m + 2 * k + grid)
    # candidates of all thread blocks are brought near where they fit
    near = _FOUND * (1 + grid * m)
    bring = room + near + 2048 <= cp.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
    room += near if bring else 0
    rounds.max_dynamic_shared_size_bytes = room
    where = [leaves[name] for name in ("points", "rows", "centres", "radius", "reach", "offset", "origin")]
    while True:
        limits, arrived = cp.zeros(4, dtype=cp.uint64), cp.zeros(1, dtype=cp.uint32)
        rounds(
            (grid,),
            (THREADS,),
            (
                *(columns, np.int64(n), *where, np.int32(leaves["count"])),
                *(np.int32(ROUNDS), sums, labels, state, fars, nears, limits, arrived, np.int32(bring)),
            ),
            shared_mem=room,
        )
        length, alive, groups = cp.asnumpy(state).tolist()
        report(alive / n)
        if alive < 3 * k or length - alive > length // 8:
            return alive, groups


def _rest(x: Any, k: int, labels: Any, sums: Any, alive: int, groups: int, last_groups: int) -> Any:
    """The last one or two groups, of fewer than 3 k records; -1 for fewer than k that no group is made of."""
    left = np.flatnonzero(labels < 0)
    point = sums / max(alive, 1)
    for _ in range(last_groups if alive >= 2 * k else 0):
        seed = left[np.argmax(_gaps(x[left], point))]
        point = x[seed]
        labels[seed] = groups
        others = left[left != seed]
        labels[others[np.argsort(_gaps(x[others], point), kind="stable")[: k - 1]]] = groups
        groups += 1
        left = np.flatnonzero(labels < 0)
    if left.size >= k:
        labels[left] = groups
    return labels


def _gaps(points: Any, point: Any) -> Any:
    """Squared distances, added up in the order of columns."""
    total = np.zeros(len(points))
    for c in range(points.shape[1]):
        t = points[:, c] - point[c]
        total += t * t
    return total
