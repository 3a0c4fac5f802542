"""Empty cells as anything: every original is compatible with k released records, and the other way round.

A record that hides a column becomes compatible with originals that differ from it there. That helps itself
(more originals fit what it shows), and it helps those originals (one more record is compatible with them); it
does not raise the count of its own original key.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from tacita.core import Ints, RunContext

from .key_patterns import Keys, counted, fitting, looked_up

_STAGE = "suppressing cells"
# What a cell may cost for each count that it adds, from one pass over the sets of columns to the next.
_PRICES = (0.5, 1.0, np.inf)


def compatible(keys: Keys, before: Ints, k: int, run: RunContext) -> Ints | None:
    """Sets of hidden columns, beyond `before`, with k compatible records for everybody; None if none found.

    Every record hides the cheapest columns without which k originals fit; then those who can help most hide
    more until k records are compatible with every original; then what is not needed is shown again.
    Every record must be a unit of its own. O(2^d n log n).
    """
    own = _fitted(keys, before, k, run)
    rows = _few(keys, k)
    stars = _helping(keys, own.copy(), rows, k, run)
    if keys.gaps == [0]:
        stars = _shown_again(keys, own, stars, rows, k)
    run.report(_STAGE, 1, 1)
    return stars if (covering(keys, stars, rows) >= k).all() else None


def covering(keys: Keys, stars: Ints, rows: Ints) -> Ints:
    """How many released records are compatible with the originals of some rows. O(2^d n log n)."""
    covered = np.zeros(rows.size, dtype=np.int64)
    hidden = stars | keys.missing
    for columns in np.unique(hidden).tolist():
        released = np.flatnonzero(hidden == columns)
        for gaps in np.unique(keys.missing[rows]).tolist():
            mine = np.flatnonzero(keys.missing[rows] == gaps)
            some = keys.every & ~columns & ~gaps
            listed, counts = counted(keys.on(some, released), None)
            covered[mine] += looked_up(keys.on(some, rows[mine]), listed, counts)
    return covered


def _few(keys: Keys, k: int) -> Ints:
    """One row for each original key that fewer than k records share: others have enough of their own."""
    own = keys.on(keys.every)
    _, first, counts = np.unique(own, return_index=True, return_counts=True)
    return first[counts < k].astype(np.int64)


def _fitted(keys: Keys, before: Ints, k: int, run: RunContext) -> Ints:
    """The cheapest columns to hide for each record; of equals those that most others hide with it."""
    stars, rest = before.copy(), np.arange(keys.n)
    costs = dict(zip(keys.sets, keys.cost(np.array(keys.sets)).tolist(), strict=True))
    for _, tier in groupby(keys.sets, costs.__getitem__):
        run.report(_STAGE, 0, 1)
        most = np.zeros(rest.size, dtype=np.int64)
        best = np.zeros(rest.size, dtype=np.int64)
        for columns in tier:
            hidden = columns | before[rest] | keys.missing[rest]
            settled = np.flatnonzero(fitting(keys, hidden, rest, wildcard=True) >= k)
            shared = keys.on(keys.every & ~columns, rest[settled])
            peers = looked_up(shared, *counted(shared, None))
            better = peers > most[settled]
            most[settled[better]], best[settled[better]] = peers[better], columns
        stars[rest[most > 0]] |= best[most > 0]
        rest = rest[most == 0]
        if rest.size == 0:
            break
    return stars


def _helping(keys: Keys, stars: Ints, rows: Ints, k: int, run: RunContext) -> Ints:
    """Hide more in some records, until k are compatible with every original."""
    from tacita.kernels.records.local_suppression import help_others

    lacking = np.maximum(0, k - covering(keys, stars, rows))
    for turn, price in enumerate(_PRICES):
        for done, columns in enumerate(keys.sets):
            if done % 16 == 0:
                run.report(_STAGE, turn * len(keys.sets) + done, len(_PRICES) * len(keys.sets) + 1)
            wanting = np.flatnonzero((lacking > 0) & (keys.missing[rows] & ~columns == 0))
            if wanting.size == 0:
                if not lacking.any():
                    return stars
                continue
            own = keys.on(keys.every & ~columns)
            able = np.flatnonzero((keys.missing & ~columns == 0) & np.isin(own, own[rows[wanting]]))
            costs = keys.cost(columns & ~stars[able] & ~keys.missing[able])
            able = able[np.lexsort((costs, own[able]))]
            wanting = wanting[np.argsort(own[rows[wanting]], kind="stable")]
            sides = own[able], own[rows[wanting]]
            extra = keys.cost(columns & ~stars & ~keys.missing)
            help_others(keys.codes, stars, able, rows, wanting, *sides, lacking, extra, columns, price)
    return stars


def _shown_again(keys: Keys, own: Ints, stars: Ints, rows: Ints, k: int) -> Ints:
    """Give back what was hidden to help and is not needed, the costliest columns first."""
    from tacita.kernels.records.local_suppression import give_back

    spare = covering(keys, stars, rows) - k
    order = np.argsort(-keys.weights, kind="stable")
    for columns in sorted(np.unique(stars[stars != own]).tolist(), key=lambda columns: -columns.bit_count()):
        raised = np.flatnonzero((stars == columns) & (stars != own))
        shown = keys.on(keys.every & ~columns)
        sought = rows[np.argsort(shown[rows], kind="stable")]
        places = np.argsort(shown[rows], kind="stable")
        starts = np.searchsorted(shown[sought], shown[raised], side="left")
        ends = np.searchsorted(shown[sought], shown[raised], side="right")
        give_back(keys.codes, own, stars, raised, sought, places, starts, ends, spare, order)
    return stars
